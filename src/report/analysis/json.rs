//! An analysis for programs: one JSON object a match, and one line of commas a decision.

use super::analyse::{Analysis, GameAnalysis, JudgedDecision};
use super::groups::{BookGroup, Groups, class, phase};
use super::rows::{DecisionKind, Row, rows};
use super::totals::{Sum, Totals, luck_word, rating_word};
use gammond_base::escape::{CsvCell, Untrusted, csv_line};
use gammond_base::packed::PackedText;
use gammond_engine::people::People;
use gammond_game::Variant;
use gammond_game::notation::{MatPlayer, play_text};
use serde_json::{Value, json};

/// Returns a number with six decimals, as answers have them.
fn number(value: f64) -> Value {
    let rounded = (value * 1e6).round() / 1e6;
    // No zero with a sign.
    json!(rounded + 0.0)
}

fn optional(value: Option<f64>) -> Value {
    value.map_or(Value::Null, number)
}

/// The text of an array whose members are written one by one.
#[derive(Debug, Default)]
pub(super) struct Members {
    text: PackedText,
}

impl Members {
    fn push(&mut self, member: &Value) {
        if !self.text.is_empty() {
            self.text.push_str(",");
        }
        self.text.push_str(&member.to_string());
    }
}

/// Writer of a match's JSON during its analysis; decisions already written are dropped.
#[derive(Debug, Default)]
pub(super) struct Streamed {
    decisions: Members,
    games: Members,
    groups: Groups,
}

impl Streamed {
    /// Adds decisions of game `number`, counted from 1.
    pub(super) fn decisions(&mut self, number: usize, judged: &[JudgedDecision], marks: [f64; 3]) {
        for one in judged {
            self.groups.book(one, &marks);
            for row in rows(number, one, marks) {
                self.decisions.push(&decision(&row));
            }
        }
    }

    /// Adds a game's totals.
    pub(super) fn game(
        &mut self,
        head: &Analysis,
        number: usize,
        (game, totals): (&GameAnalysis, &[Totals; 2]),
    ) {
        self.games.push(&head.game(number, game, totals));
    }

    /// Returns the JSON members of the whole match, with the closing brace; `file` is its name. `head` has everything
    /// but the games.
    pub(super) fn finish(self, head: &Analysis, file: &str) -> PackedText {
        let Streamed {
            decisions,
            games,
            groups,
        } = self;
        let [before, between, after] = head.around(file, &groups);
        let mut text = PackedText::default();
        text.push_str(&before);
        text.append(decisions.text);
        text.push_str(&between);
        text.append(games.text);
        text.push_str(&after);
        text
    }
}

impl Analysis {
    /// Writes the members of the object that stands for the whole match, with its closing brace; `file` is its name.
    pub fn write_json(&self, file: &str, write: &mut dyn FnMut(&str)) {
        let [before, between, after] = self.around(file, &self.grouped());
        write(&before);
        let mut comma = "";
        for row in self.rows() {
            write(std::mem::replace(&mut comma, ","));
            write(&decision(&row).to_string());
        }
        write(&between);
        let mut comma = "";
        for (number, game) in (1..).zip(&self.games) {
            write(std::mem::replace(&mut comma, ","));
            write(&self.game(number, game, &game.totals()).to_string());
        }
        write(&after);
    }

    /// Returns the text before the decisions, between them and the games, and behind those. Names are in the order of
    /// the alphabet, as everywhere.
    fn around(&self, file: &str, groups: &Groups) -> [String; 3] {
        let faults: Vec<Value> = (self.faults.iter())
            .map(|fault| json!({"line": fault.line, "game": fault.game, "message": fault.message}))
            .collect();
        let [phases, classes] = groups.named();
        let text = |value: Value| value.to_string();
        let mut behind = json!({
            "length": self.length,
            "level": self.level,
            "marks": self.marks,
            "phases": self.groups("phase", &phases),
            "players": self.names,
            "score": self.score,
            "totals": self.both(&self.totals, true),
            "type": "analysis",
        });
        if let Some(members) = behind.as_object_mut() {
            if self.partial {
                members.insert("partial".to_owned(), true.into());
            }
            if self.variant != Variant::default() {
                members.insert("variant".to_owned(), self.variant.word().into());
            }
        }
        let behind = text(behind);
        [
            format!(
                "\"classes\":{},\"decisions\":[",
                text(self.groups("class", &classes).into())
            ),
            format!(
                "],\"faults\":{},\"file\":{},\"games\":[",
                text(faults.into()),
                text(file.into())
            ),
            format!("],{}", behind.strip_prefix('{').unwrap_or("}")),
        ]
    }

    fn groups(&self, key: &str, groups: &[BookGroup]) -> Vec<Value> {
        let group =
            |(name, totals): &BookGroup| json!({key: name, "totals": self.both(totals, false)});
        groups.iter().map(group).collect()
    }

    fn game(&self, index: usize, game: &GameAnalysis, totals: &[Totals; 2]) -> Value {
        let result = game
            .result
            .map(|(winner, points)| json!({"winner": winner.index(), "points": points}));
        json!({
            "game": index,
            "score": game.scores,
            "crawford": game.crawford,
            "result": result,
            "totals": self.both(totals, false),
        })
    }

    fn both(&self, totals: &[Totals; 2], whole: bool) -> Vec<Value> {
        let [first, second] = totals;
        vec![
            self.books(MatPlayer::First, first, second, whole),
            self.books(MatPlayer::Second, second, first, whole),
        ]
    }

    fn books(&self, player: MatPlayer, own: &Totals, other: &Totals, whole: bool) -> Value {
        let milli = |rate: Option<f64>| optional(rate.map(|rate| 1000.0 * rate));
        let unit = if self.length == 0 { "points" } else { "mwc" };
        let sum =
            |sum: &Sum| json!({"count": sum.count, "emg": number(sum.emg), unit: number(sum.cost)});
        let [emg, cost] = own.loss();
        let [early, late] = &own.wrong_doubles;
        let [below, above] = &own.missed;
        let mut value = json!({
            "player": player.index(),
            "name": name_of(player, &self.names),
            "decisions": own.decisions(),
            "moves": own.plays.count,
            "unforced": own.unforced,
            "cube_decisions": own.cube.count,
            "close": own.close,
            "counted": own.counted,
            "loss": {"emg": number(emg), unit: number(cost)},
            "plays": {"loss": {"emg": number(own.plays.emg), unit: number(own.plays.cost)},
                "rate": milli(own.play_rate()), "marks": own.play_marks, "rating": rating_word(own.play_rate())},
            "cube": {"loss": {"emg": number(own.cube.emg), unit: number(own.cube.cost)},
                "rate": milli(own.cube_rate()), "marks": own.cube_marks, "rating": rating_word(own.cube_rate()),
                "doubles": own.doubles, "takes": own.takes, "passes": own.passes,
                "missed_doubles_below_cash_point": sum(below), "missed_doubles_above_cash_point": sum(above),
                "wrong_doubles_below_doubling_point": sum(early), "wrong_doubles_above_too_good_point": sum(late),
                "wrong_takes": sum(&own.wrong_takes), "wrong_passes": sum(&own.wrong_passes),
                "missed_beavers": sum(&own.missed_beavers), "wrong_beavers": sum(&own.wrong_beavers)},
            "error_rate": {"gnubg": milli(own.rate()), "snowie": milli(own.snowie_rate(other)), "pr": optional(own.performance())},
            "luck": {"emg": number(own.luck.emg), unit: number(own.luck.cost), "rate": milli(own.luck_rate()),
                "marks": own.luck_marks, "rating": luck_word(own.luck_rate())},
            "rating": rating_word(own.rate()),
        });
        if let (true, Some(object)) = (whole, value.as_object_mut()) {
            let sign = match player {
                MatPlayer::First => 1.0,
                MatPlayer::Second => -1.0,
            };
            object.insert("result".to_owned(), number(sign * self.result));
            let adjusted = self.luck_adjusted(player);
            object.insert("luck_adjusted_result".to_owned(), number(adjusted));
            let rating = self.fibs_rating(player);
            object.insert("fibs_rating".to_owned(), optional(rating));
            let difference = self.fibs_difference(player);
            object.insert("fibs_difference".to_owned(), optional(difference));
            let given = own.resignations;
            object.insert("resignations".to_owned(), sum(&given));
        }
        value
    }
}

/// Returns the name of a player.
fn name_of(player: MatPlayer, [first, second]: &[Untrusted; 2]) -> &Untrusted {
    match player {
        MatPlayer::First => first,
        MatPlayer::Second => second,
    }
}

fn decision(row: &Row<'_>) -> Value {
    let pair = |emg: Option<f64>, mwc: Option<f64>| match emg {
        None => Value::Null,
        Some(emg) => json!({"emg": number(emg), "mwc": optional(mwc)}),
    };
    let mut value = json!({
        "game": row.game,
        "move": row.turn,
        "player": row.player.index(),
        "kind": row.kind.name(),
        "position": row.position(),
        "roll": row.roll.map(|roll| roll.dice()),
        "played": row.played,
        "best": row.best,
        "loss": pair(row.loss, row.loss_mwc),
        "luck": pair(row.luck, row.luck_mwc),
        "forced": row.forced,
        "close": row.close,
        "mark": row.mark(),
        "phase": phase(&row.judged.decision),
        "class": class(&row.judged.decision),
    });
    let judgement = &row.judged.judgement;
    let more = match (row.kind, &judgement.plays, &judgement.cube) {
        (DecisionKind::Play | DecisionKind::Roll, Some(plays), _) => {
            let play = |play: &gammond_engine::query::RankedPlay| {
                json!({"play": play_text(&row.judged.decision.position, &play.play),
                    "equity": number(play.value.equity), "plies": play.plies})
            };
            let best: Vec<Value> = plays.best.iter().map(play).collect();
            Some((
                "plays",
                json!({"legal": plays.legal, "rank": plays.rank, "best": best,
                "played": play(&plays.played)}),
            ))
        }
        (DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver, _, Some(cube)) => {
            Some((
                "cube",
                json!({"no_double": number(cube.no_double.equity), "double_take": number(cube.double_take.equity),
                "double_pass": number(cube.double_pass.equity), "verdict": cube.verdict.to_string()}),
            ))
        }
        (DecisionKind::Resign, ..) => Some(("accept_loss", optional(judgement.accept_loss))),
        _ => None,
    };
    let shares = row.found_by().map(|shares| {
        let share = |(pr, share): (&f64, f64)| json!({"pr": pr, "share": number(share)});
        let shares: Vec<Value> = People::COACHED.iter().zip(shares).map(share).collect();
        ("found_by", shares.into())
    });
    if let Some(object) = value.as_object_mut() {
        let members = more.into_iter().chain(shares);
        object.extend(members.map(|(key, value)| (key.to_owned(), value)));
    }
    value
}

/// The first line of [`Analysis::csv`].
pub const CSV_HEAD: &str = "file,game,move,player,name,kind,position,roll,played,best,loss_emg,loss_mwc,luck_emg,luck_mwc,forced,close,mark,phase,class\n";

impl Analysis {
    /// Returns a line of values with commas between for each decision; [`CSV_HEAD`] names them.
    #[must_use]
    pub fn csv(&self, file: &str) -> String {
        let mut text = String::new();
        self.write_csv(file, &mut |line| text.push_str(line));
        text
    }

    /// Writes [`Analysis::csv`] line by line.
    pub fn write_csv(&self, file: &str, write: &mut dyn FnMut(&str)) {
        for row in self.rows() {
            let number = |value: Option<f64>| match value {
                Some(value) => CsvCell::plain(format_args!("{value:.6}")),
                None => CsvCell::plain(""),
            };
            write(&csv_line([
                CsvCell::text(file),
                CsvCell::plain(row.game),
                CsvCell::plain(row.turn),
                CsvCell::plain(row.player.index()),
                name_of(row.player, &self.names).csv(),
                CsvCell::plain(row.kind.name()),
                CsvCell::plain(row.position()),
                row.roll.map_or(CsvCell::plain(""), CsvCell::plain),
                CsvCell::plain(&row.played),
                CsvCell::plain(&row.best),
                number(row.loss),
                number(row.loss_mwc),
                number(row.luck),
                number(row.luck_mwc),
                CsvCell::plain(u8::from(row.forced)),
                CsvCell::plain(u8::from(row.close)),
                CsvCell::plain(row.mark().unwrap_or_default()),
                CsvCell::plain(phase(&row.judged.decision)),
                CsvCell::plain(class(&row.judged.decision)),
            ]));
        }
    }
}
