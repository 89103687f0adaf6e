//! Answers of several values as SVG: scores, cubes, rolls, explanations.

use super::cube_table::{action, changes};
use super::letters::{Anchor, width};
use super::score_table::{
    ERROR_MARKED, PlayKinds, error, is_marked, label_name, place, short, spelled,
};
use super::signed;
use super::svg_board::{BOARD_SIZE, Overlay, board_within};
use super::svg_sheet::{MARGIN, SLACK, SMALL, STRONG, Sheet, SheetCell, TEXT, wrapped};
use super::theme::DrawingStyle;
use crate::explain::{SentenceValue, sentences};
use crate::texts::text;
use gammond_engine::query::{
    CubePlace, CubesAnswer, EngineAnswer, ExplainAnswer, ExplainedDecision, Language, RankedPlay,
    RankedPlays, RollsAnswer, ScoreCell, ScorePlays, ScorePlaysAnswer, ScoresAnswer,
};
use gammond_game::{CubeOwner, Score};

/// Cube actions in the order of their colours; each is the rule of its legend.
const ACTIONS: [&str; 4] = ["ND", "DT", "DP", "TG"];
/// Size of a cell in the matrix of scores.
const SCORE_CELL: (f64, f64) = (58.0, 40.0);
/// Least width of the lines of notes.
const NOTE_WIDTH: f64 = 460.0;
/// Width of the column of a cube.
const CUBE_WIDTH: f64 = 112.0;

/// Returns an answer as an SVG drawing with texts in a language; `None` for answers that have no drawing.
#[must_use]
pub fn answer_svg(found: &EngineAnswer, language: Language, style: DrawingStyle) -> Option<String> {
    let words = Words(language);
    let sheet = match found {
        EngineAnswer::Scores(found) => scores(found, words),
        EngineAnswer::ScorePlays(found) => score_plays(found, words),
        EngineAnswer::Cubes(found) => cubes(found, words),
        EngineAnswer::Rolls(found) => rolls(found, words),
        EngineAnswer::Explain(found) => {
            let outlines = matches!(style, DrawingStyle::Outlines(_));
            explanation(found, language, outlines)
        }
        _ => return None,
    };
    Some(sheet.finish(style))
}

/// The texts of a drawing.
#[derive(Clone, Copy)]
struct Words(Language);

impl Words {
    fn of(self, rule: &str) -> String {
        self.with(rule, &[])
    }

    fn with(self, rule: &str, values: &[SentenceValue]) -> String {
        // The tests draw every text in every language.
        text(rule, values, self.0).unwrap_or_default()
    }
}

fn kind_of(action: &str) -> Option<usize> {
    ACTIONS.iter().position(|sign| *sign == action)
}

/// Returns the width of a text in any font.
fn room(text: &str, bold: bool) -> f64 {
    width(text, TEXT.0, bold) * SLACK
}

/// Draws cells at their scores; returns the width of the matrix.
fn matrix(sheet: &mut Sheet, scores: &[Score], cells: &[SheetCell], words: Words) -> f64 {
    let places: Vec<(u32, u32)> = scores.iter().map(|score| place(*score)).collect();
    let most = places.iter().map(|(_, column)| *column).max().unwrap_or(1);
    let first = places.iter().map(|(row, _)| *row).min().unwrap_or(1);
    let (mine, theirs) = (words.of("scores.mine"), words.of("scores.theirs"));
    let left = MARGIN + (room(&mine, false) + 8.0).max(74.0);
    sheet.height += TEXT.0;
    sheet.write((left, sheet.height, Anchor::Start), TEXT, &theirs);
    sheet.height += 20.0;
    sheet.write((MARGIN, sheet.height, Anchor::Start), TEXT, &mine);
    for (number, column) in (first..=most).enumerate() {
        let middle = left + SCORE_CELL.0 * (number as f64 + 0.5);
        let name = label_name(column);
        sheet.write((middle, sheet.height, Anchor::Middle), STRONG, &name);
    }
    sheet.height += 8.0;
    for row in first..=most {
        let cell = |column| {
            let found = places.iter().position(|place| *place == (row, column));
            found.map_or_else(SheetCell::default, |found| cells[found].clone())
        };
        let cells: Vec<SheetCell> = (first..=most).map(cell).collect();
        sheet.row(&label_name(row), left, SCORE_CELL, &cells);
    }
    sheet.height += 12.0;
    (left + SCORE_CELL.0 * f64::from(most + 1 - first) - MARGIN).max(NOTE_WIDTH)
}

/// Writes a sentence about the choice for money below the title.
fn money(sheet: &mut Sheet, choice: String, value: f64, words: Words) {
    let values = [("choice", choice), ("value", signed(value, 3))];
    let money = words.with("scores.money", &values);
    sheet.paragraph((MARGIN, NOTE_WIDTH), TEXT, &money);
    sheet.height += 8.0;
}

fn notes(sheet: &mut Sheet, wide: f64, errors: impl Iterator<Item = f64>, plies: u8, words: Words) {
    let worst = errors.fold(0.0, f64::max);
    let losses = [
        ("loss", ERROR_MARKED.to_string()),
        ("most", format!("{worst:.3}")),
    ];
    sheet.height += 4.0;
    for note in [
        words.with("scores.marked", &losses),
        words.with("scores.small", &[("plies", plies.to_string())]),
    ] {
        sheet.paragraph((MARGIN, wide), TEXT, &note);
    }
}

fn scores(found: &ScoresAnswer, words: Words) -> Sheet {
    let mut sheet = Sheet::new(&words.of("scores.title"));
    let verdict = words.of(found.money.verdict.text());
    money(&mut sheet, verdict, found.money.optimal.equity, words);
    let cell = |cell: &ScoreCell| {
        let sign = short(&cell.cube);
        let value = signed(cell.cube.optimal.equity, 3);
        SheetCell {
            kind: kind_of(sign),
            lines: vec![sign.to_owned(), value],
            marked: error(cell) >= ERROR_MARKED,
        }
    };
    let cells: Vec<SheetCell> = found.cells.iter().map(cell).collect();
    let places: Vec<Score> = found.cells.iter().map(|cell| cell.score).collect();
    let wide = matrix(&mut sheet, &places, &cells, words);
    for (kind, action) in ACTIONS.iter().enumerate() {
        let count = cells.iter().filter(|cell| cell.kind == Some(kind)).count();
        let values = [("count", count.to_string())];
        sheet.legend(kind, &words.with(action, &values));
    }
    let errors = found.cells.iter().map(error);
    notes(&mut sheet, wide, errors, found.plies, words);
    sheet
}

fn score_plays(found: &ScorePlaysAnswer, words: Words) -> Sheet {
    let roll = [("roll", found.roll.to_string())];
    let mut sheet = Sheet::new(&words.with("scores.plays", &roll));
    let best = found.money.best();
    let play = spelled(&found.position, best, words.0);
    money(&mut sheet, play, best.value.equity, words);
    let kinds = PlayKinds::of(found);
    let cell = |(cell, &number): (&ScorePlays, &usize)| {
        let value = signed(cell.plays.best().value.equity, 3);
        SheetCell {
            kind: Some(number),
            lines: vec![PlayKinds::sign(number).to_string(), value],
            marked: is_marked(cell),
        }
    };
    let cells: Vec<SheetCell> = found.cells.iter().zip(&kinds.numbers).map(cell).collect();
    let places: Vec<Score> = found.cells.iter().map(|cell| cell.score).collect();
    let wide = matrix(&mut sheet, &places, &cells, words);
    for (kind, text) in kinds.legend(words.0).iter().enumerate() {
        sheet.legend(kind, text);
    }
    let errors = found.cells.iter().map(|cell| cell.money_error);
    notes(&mut sheet, wide, errors, found.plies, words);
    sheet.paragraph((MARGIN, wide), TEXT, &words.of("scores.crawford"));
    sheet
}

fn cubes(found: &CubesAnswer, words: Words) -> Sheet {
    let title = match found.roll {
        Some(roll) => words.with("cubes.plays", &[("roll", roll.to_string())]),
        None => words.of("cubes.title"),
    };
    let mut sheet = Sheet::new(&title);
    let rows = cube_rows(found, words);
    let names = rows.iter().map(|(name, _)| room(name, true));
    let (left, wide) = (MARGIN + 14.0 + names.fold(0.0, f64::max), CUBE_WIDTH);
    let top = sheet.height + 4.0;
    for (number, place) in found.places.iter().enumerate() {
        let middle = left + wide * (number as f64 + 0.5) - 1.5;
        let owner = match place.cube.owner() {
            CubeOwner::Centred => "cubes.centred",
            CubeOwner::Me => "cubes.yours",
            CubeOwner::Opponent => "cubes.theirs",
        };
        let colours = "fill=\"var(--mine)\" stroke=\"#1d1a16\"";
        sheet.rectangle((middle - 16.0, top), (32.0, 32.0), colours);
        // A centred cube shows 64.
        let value = match place.cube.value() {
            1 => 64,
            value => value,
        };
        let face = (middle, top + 21.0, Anchor::Middle);
        sheet.write_in(face, STRONG, "#1d1a16", &value.to_string());
        sheet.write((middle, top + 48.0, Anchor::Middle), TEXT, &words.of(owner));
    }
    sheet.height = top + 56.0;
    for (name, cells) in &rows {
        let lines = cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(1);
        let high = match lines {
            0 | 1 => 30.0,
            lines => 24.0 + 15.5 * (lines - 1) as f64,
        };
        sheet.row(name, left, (wide, high), cells);
    }
    sheet.height += 8.0;
    let right = (left + wide * found.places.len() as f64 - MARGIN).max(NOTE_WIDTH);
    let note = words.with(changes(found), &[("plies", found.plies.to_string())]);
    sheet.paragraph((MARGIN, right), TEXT, &note);
    sheet
}

/// Returns the rows below the cubes: those of the decision or, with a roll, one for each play.
fn cube_rows(found: &CubesAnswer, words: Words) -> Vec<(String, Vec<SheetCell>)> {
    let plain = |text: String| SheetCell {
        lines: vec![text],
        ..SheetCell::default()
    };
    let first = found.places.first().and_then(|place| place.plays.as_ref());
    let Some(first) = first else {
        let row = |name: &str, cell: &dyn Fn(&CubePlace) -> SheetCell| {
            (words.of(name), found.places.iter().map(cell).collect())
        };
        let value = |value: fn(&gammond_engine::query::CubeAnswer) -> f64| {
            move |place: &CubePlace| match &place.decision {
                Some(cube) => plain(signed(value(cube), 3)),
                None => SheetCell::default(),
            }
        };
        let best = |place: &CubePlace| SheetCell {
            kind: place
                .decision
                .as_ref()
                .and_then(|cube| kind_of(short(cube))),
            lines: wrapped(&words.of(action(place)), STRONG, CUBE_WIDTH - 6.0),
            marked: false,
        };
        return vec![
            row("equity", &|place| plain(signed(place.value.equity, 3))),
            row("cubes.none", &value(|cube| cube.no_double.equity)),
            row("Double, take", &value(|cube| cube.double_take.equity)),
            row("Double, pass", &value(|cube| cube.double_pass.equity)),
            row("cubes.action", &best),
        ];
    };
    let cell = |play: &RankedPlay, place: &CubePlace| {
        let Some(plays) = &place.plays else {
            return SheetCell::default();
        };
        let Some(one) = plays.plays.iter().find(|one| one.position == play.position) else {
            return SheetCell::default();
        };
        let (value, loss) = (signed(one.value.equity, 3), one.loss(plays.best()));
        let is_best = plays.best().position == play.position;
        SheetCell {
            kind: is_best.then_some(1),
            lines: match is_best {
                true => vec![value, words.of("cubes.best")],
                false => vec![value, signed(-loss, 3)],
            },
            marked: false,
        }
    };
    let row = |play: &RankedPlay| {
        let cells = found.places.iter().map(|place| cell(play, place));
        (spelled(&found.position, play, words.0), cells.collect())
    };
    first.plays.iter().map(row).collect()
}

fn rolls(found: &RollsAnswer, words: Words) -> Sheet {
    let mut sheet = Sheet::new(&words.of("rolls.title"));
    let values = [
        ("mean", signed(found.mean.equity, 3)),
        ("deviation", format!("{:.3}", found.deviation)),
        ("plies", found.plies.to_string()),
    ];
    let mean = words.with("rolls.mean", &values);
    sheet.paragraph((MARGIN, NOTE_WIDTH), TEXT, &mean);
    if let Some(share) = found.market_losers {
        let share = [("share", format!("{:.1}", 100.0 * share))];
        let text = words.with("rolls.lost", &share);
        sheet.paragraph((MARGIN, NOTE_WIDTH), TEXT, &text);
    }
    let name = |roll: &RankedPlays| spelled(&found.position, roll.best(), words.0);
    let names: Vec<String> = found.rolls.iter().map(name).collect();
    let longest = names.iter().map(|name| room(name, false));
    let equity = MARGIN + 46.0 + longest.fold(0.0, f64::max) + 64.0;
    let (luck, half) = (equity + 66.0, 110.0);
    let zero = luck + 18.0 + half;
    sheet.height += 22.0;
    for (x, anchor, head) in [
        (MARGIN, Anchor::Start, "rolls.roll"),
        (MARGIN + 46.0, Anchor::Start, "rolls.best"),
        (equity, Anchor::End, "equity"),
        (luck, Anchor::End, "rolls.luck"),
    ] {
        sheet.write((x, sheet.height, anchor), SMALL, &words.of(head));
    }
    sheet.height += 6.0;
    let luck_of = |best: &RankedPlay| best.value.equity - found.mean.equity;
    let lucks = found.rolls.iter().map(|roll| luck_of(roll.best()).abs());
    let most = lucks.fold(f64::MIN_POSITIVE, f64::max);
    let top = sheet.height;
    for (ranked, name) in found.rolls.iter().zip(&names) {
        let best = ranked.best();
        let gain = luck_of(best);
        let length = half * gain.abs() / most;
        let (left, colour) = match gain < 0.0 {
            true => (zero - length, "loss"),
            false => (zero, "gain"),
        };
        let colour = format!("fill=\"var(--{colour})\"");
        sheet.rectangle((left, sheet.height + 4.0), (length, 16.0), &colour);
        let y = sheet.height + 17.0;
        let roll = ranked.roll.to_string();
        sheet.write((MARGIN, y, Anchor::Start), STRONG, &roll);
        sheet.write((MARGIN + 46.0, y, Anchor::Start), TEXT, name);
        let value = signed(best.value.equity, 3);
        sheet.write((equity, y, Anchor::End), TEXT, &value);
        sheet.write((luck, y, Anchor::End), TEXT, &signed(gain, 3));
        sheet.height += 24.0;
    }
    let axis = sheet.height - top;
    sheet.rectangle((zero - 0.5, top), (1.0, axis), "fill=\"var(--text)\"");
    sheet.reach(zero + half);
    sheet
}

fn explanation(found: &ExplainAnswer, language: Language, outlines: bool) -> Sheet {
    let (roll, play) = match &found.decision {
        ExplainedDecision::Play(plays) => (Some(plays.roll), Some(&plays.best.ranked.play)),
        ExplainedDecision::Cube(_) => (None, None),
    };
    let drawn = Overlay {
        roll,
        play,
        ..Overlay::default()
    };
    let sentences = sentences(found, language);
    let name = sentences.first().map_or("", |first| first.text.as_str());
    let mut sheet = Sheet::untitled(name);
    let (wide, high) = BOARD_SIZE;
    let place = (MARGIN, sheet.height, wide);
    sheet.body += &board_within(&found.position, &found.state, &drawn, place, outlines);
    sheet.reach(MARGIN + wide);
    sheet.height += high + 14.0;
    for (number, sentence) in sentences.iter().enumerate() {
        let font = match number {
            0 => (15.5, true),
            _ => (15.0, false),
        };
        sheet.paragraph((MARGIN, wide), font, &sentence.text);
        sheet.height += 5.0;
    }
    let depth = format!("{}-ply", found.plies);
    sheet.paragraph((MARGIN, wide), SMALL, &depth);
    sheet
}
