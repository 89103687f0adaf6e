//! Output for a terminal: the board, and beside it the ranking, the value or the cube decision.

use super::board;
use super::signed;
use crate::explain::sentences;
use gammond_engine::query::{
    BookPlay, CubeAnswer, Equities, Evaluation, Exchange, ExchangesAnswer, ExplainAnswer,
    ExplainedDecision, Language, PlayQuery, RankedPlay, RankedPlays, RollsAnswer,
};
use gammond_game::notation::play_text;
use gammond_game::{Chances, MatchState, Position, Roll};
use std::fmt::Write as _;

/// Columns of a drawn board without the notes beside it.
const BOARD_COLUMNS: usize = 44;
/// Columns of a screen on which a board and a ranking stand side by side.
const WIDE_COLUMNS: usize = 80;
/// A loss from here on is a mistake that players notice, and one that they regret.
const LOSS_NOTICED: f64 = 0.02;
const LOSS_REGRETTED: f64 = 0.08;

/// Settings of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScreenStyle {
    /// Columns of the screen.
    pub columns: usize,
    /// True to use colours, with ANSI codes.
    pub colour: bool,
}

impl ScreenStyle {
    /// Creates settings for this number of columns, coloured or not.
    #[must_use]
    pub const fn new(columns: usize, colour: bool) -> ScreenStyle {
        ScreenStyle { columns, colour }
    }

    /// Returns the text in bold, if there are colours.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.ink(Ink::Strong, text)
    }

    fn ink(self, ink: Ink, text: &str) -> String {
        let code = match ink {
            _ if !self.colour || text.is_empty() => return text.to_owned(),
            Ink::Strong => "1",
            Ink::Mine => "1;36",
            Ink::Theirs => "1;33",
            Ink::Good => "32",
            Ink::Noticed => "33",
            Ink::Bad => "31",
            Ink::Faint => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Kind of a text, which decides its colour.
#[derive(Clone, Copy)]
enum Ink {
    Strong,
    Mine,
    Theirs,
    Good,
    Noticed,
    Bad,
    Faint,
}

/// One line beside the board: as it is seen, and how wide that is.
struct Line {
    text: String,
    columns: usize,
}

impl Line {
    fn plain(text: impl Into<String>) -> Line {
        let text = text.into();
        let columns = text.chars().count();
        Line { text, columns }
    }

    fn inked(style: ScreenStyle, parts: &[(Option<Ink>, String)]) -> Line {
        let columns = parts.iter().map(|(_, text)| text.chars().count()).sum();
        let inked = parts.iter().map(|(ink, text)| match ink {
            Some(ink) => style.ink(*ink, text),
            None => text.clone(),
        });
        Line {
            text: inked.collect(),
            columns,
        }
    }
}

/// Returns the position alone, with pips, cube and score beside it.
#[must_use]
pub fn position(
    position: &Position,
    state: &MatchState,
    roll: Option<Roll>,
    style: ScreenStyle,
) -> String {
    board(position, state, roll)
        .lines()
        .map(|line| coloured(line, style) + "\n")
        .collect()
}

/// Returns a ranking of plays, at most `limit`; `spell` writes a play.
#[must_use]
pub fn plays(
    found: &RankedPlays,
    state: &MatchState,
    (asked, limit): (u8, usize),
    style: ScreenStyle,
    spell: impl Fn(&RankedPlay) -> String,
) -> String {
    let shown = &found.plays[..found.plays.len().min(limit)];
    let deepest = found.plies;
    let words: Vec<String> = shown
        .iter()
        .map(|play| match play.play.is_pass() {
            true => "cannot move".to_owned(),
            false => spell(play),
        })
        .collect();
    let widest = words.iter().map(String::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (rank, (play, words)) in shown.iter().zip(&words).enumerate() {
        let loss = play.loss(found.best());
        let less = match rank {
            0 => String::new(),
            _ => format!(" {}", signed(-loss, 3)),
        };
        let ink = ink_of(loss);
        let mark = if play.plies < deepest { "*" } else { "" };
        let strong = (rank == 0).then_some(Ink::Strong);
        lines.push(Line::inked(
            style,
            &[
                (None, format!("{:>2} ", rank + 1)),
                (strong, format!("{words:<widest$}")),
                (strong, format!(" {}", signed(play.value.equity, 3))),
                (Some(ink), less),
                (Some(Ink::Faint), mark.to_owned()),
            ],
        ));
    }
    let more = found.legal.saturating_sub(shown.len());
    if more > 0 {
        let text = format!("   and {more} more (top={})", found.legal);
        lines.push(Line::inked(style, &[(Some(Ink::Faint), text)]));
    }
    let mut text = beside(&found.position, state, Some(found.roll), lines, style);
    if let (Some(play), Some(words)) = (shown.first(), words.first()) {
        let _ = writeln!(
            text,
            "\n{}: {}",
            style.ink(Ink::Strong, words),
            sentence(play.chances)
        );
        if let Some(mwc) = play.value.mwc {
            let _ = writeln!(text, "match winning chance {:.2} %", mwc * 100.0);
        }
    }
    text + &depths(shown, deepest, asked)
}

/// Returns plays of the opening book.
#[must_use]
pub fn book(query: &PlayQuery, plays: &[BookPlay], style: ScreenStyle) -> String {
    let position = &query.position;
    let words: Vec<String> = (plays.iter())
        .map(|play| match play.play.is_pass() {
            true => "cannot move".to_owned(),
            false => play_text(position, &play.play),
        })
        .collect();
    let widest = words.iter().map(String::len).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (rank, (play, words)) in plays.iter().zip(&words).enumerate() {
        let (loss, _) = play.loss(&plays[0]);
        let less = match rank {
            0 => " ".repeat(6),
            _ => signed(-loss, 3),
        };
        let strong = (rank == 0).then_some(Ink::Strong);
        let games = format!(" ±{:.4} {:>5} games", play.error, play.trials);
        lines.push(Line::inked(
            style,
            &[
                (None, format!("{:>2} ", rank + 1)),
                (strong, format!("{words:<widest$}")),
                (strong, format!(" {}", signed(play.equity, 3))),
                (Some(ink_of(loss)), format!(" {less}")),
                (Some(Ink::Faint), games),
            ],
        ));
    }
    let text = beside(position, &query.state, Some(query.roll), lines, style);
    let (plies, turns, nets) = (BookPlay::PLIES, BookPlay::TURNS, BookPlay::NETS);
    format!(
        "{text}\nrolled out: money, Jacoby, {plies}-ply, {turns} turns, then the nets {nets}; ± is a standard error\n"
    )
}

/// Returns the colour of a play that loses this much.
fn ink_of(loss: f64) -> Ink {
    match loss {
        loss if loss >= LOSS_REGRETTED => Ink::Bad,
        loss if loss >= LOSS_NOTICED => Ink::Noticed,
        _ => Ink::Good,
    }
}

/// Returns a text about the search depths of the plays, and the reason for differences.
fn depths(shown: &[RankedPlay], deepest: u8, asked: u8) -> String {
    if deepest < asked {
        return format!(
            "{deepest}-ply was enough (plies={asked} was asked): no other play comes near the best\n"
        );
    }
    let mut text = String::new();
    let shallow: Vec<u8> = shown
        .iter()
        .map(|play| play.plies)
        .filter(|&plies| plies < deepest)
        .collect();
    let _ = write!(text, "{}", depth(deepest));
    if let (Some(least), Some(most)) = (shallow.iter().min(), shallow.iter().max()) {
        let plies = if least == most {
            format!("{least}")
        } else {
            format!("{least} to {most}")
        };
        let _ = write!(
            text,
            "; plays with * only {plies}: they looked too bad there to go deeper (filter=huge keeps more)"
        );
    }
    text.push('\n');
    text
}

/// Draws the evaluation of a position.
#[must_use]
pub fn evaluation(
    found: &Evaluation,
    at: &Position,
    state: &MatchState,
    net: &str,
    style: ScreenStyle,
) -> String {
    let mut lines = table(found.chances);
    lines.push(Line::plain(""));
    lines.push(Line::plain(format!("cubeless {}", value(found.cubeless))));
    if let Some(cubeful) = found.cubeful {
        let text = format!("cubeful  {}", value(cubeful));
        lines.push(Line::inked(style, &[(Some(Ink::Strong), text)]));
    }
    beside(at, state, None, lines, style)
        + &format!(
            "\n{}; {} position, {net}{}\n",
            depth(found.plies),
            found.class,
            meaning(found.cubeless)
        )
}

/// Returns a cube decision; `verdict` is its wording.
#[must_use]
pub fn cube(
    found: &CubeAnswer,
    at: &Position,
    state: &MatchState,
    verdict: &str,
    style: ScreenStyle,
) -> String {
    let mut lines = table(found.chances);
    lines.push(Line::plain(""));
    lines.push(Line::plain(format!(
        "cubeless     {}",
        value(found.cubeless)
    )));
    for (name, one) in [
        ("no double   ", found.no_double),
        ("double, take", found.double_take),
        ("double, pass", found.double_pass),
    ] {
        let less = one.equity - found.optimal.equity;
        let less = if less == 0.0 {
            String::new()
        } else {
            format!(" ({})", signed(less, 3))
        };
        lines.push(Line::plain(format!("{name} {}{less}", value(one))));
    }
    let share = found
        .percentage
        .map_or(String::new(), |share| format!(" ({:.1} %)", share * 100.0));
    beside(at, state, None, lines, style)
        + &format!(
            "\nProper cube action: {}{share}\n{}{}\n",
            style.ink(Ink::Strong, verdict),
            depth(found.plies),
            meaning(found.cubeless)
        )
}

/// Returns a board and the sentences about the decision, one a line.
#[must_use]
pub fn explanation(found: &ExplainAnswer, language: Language, style: ScreenStyle) -> String {
    let roll = match &found.decision {
        ExplainedDecision::Play(plays) => Some(plays.roll),
        ExplainedDecision::Cube(_) => None,
    };
    let sentences = sentences(found, language);
    let lines = sentences
        .iter()
        .map(|sentence| format!("- {}\n", sentence.text));
    let text: String = lines.collect();
    let board = position(&found.position, &found.state, roll, style);
    format!("{board}\n{text}\n{}\n", depth(found.plies))
}

/// Returns the rolls with their best plays, the best roll first.
#[must_use]
pub fn rolls(found: &RollsAnswer, state: &MatchState, style: ScreenStyle) -> String {
    let mut lines = vec![Line::inked(
        style,
        &[(Some(Ink::Faint), "roll equity   luck best play".to_owned())],
    )];
    for ranked in &found.rolls {
        let best = ranked.best();
        let play = match best.play.is_pass() {
            true => "no play".to_owned(),
            false => play_text(&ranked.position, &best.play),
        };
        let luck = best.value.equity - found.mean.equity;
        let ink = match luck < 0.0 {
            true => Ink::Bad,
            false => Ink::Good,
        };
        lines.push(Line::inked(
            style,
            &[
                (Some(Ink::Strong), format!("{}  ", ranked.roll)),
                (None, format!("{:>7}", signed(best.value.equity, 3))),
                (Some(ink), format!("{:>7}", signed(luck, 3))),
                (None, format!(" {play}")),
            ],
        ));
    }
    let losers = match found.market_losers {
        Some(share) => format!(
            "; market losers {:.1} % of the exchanges (judged at 0-ply)",
            share * 100.0
        ),
        None => String::new(),
    };
    beside(&found.position, state, None, lines, style)
        + &format!(
            "\nmean {}, standard deviation {:.3}{losers}\n{}{}\n",
            value(found.mean),
            found.deviation,
            depth(found.plies),
            meaning(found.mean)
        )
}

/// Returns all pairs of rolls: for each roll the mean, the share of market losers, and the opponent's best and worst reply.
#[must_use]
pub fn exchanges(found: &ExchangesAnswer, state: &MatchState, style: ScreenStyle) -> String {
    let head = "roll   mean  lost  worst reply, best reply".to_owned();
    let mut lines = vec![Line::inked(style, &[(Some(Ink::Faint), head)])];
    let mut rows: Vec<(Roll, f64, u32, Vec<&Exchange>)> = Vec::new();
    for roll in Roll::ALL {
        let all = found.exchanges.iter().filter(|one| one.roll == roll);
        let all: Vec<&Exchange> = all.collect();
        let weighted = all
            .iter()
            .map(|one| one.value.equity * f64::from(one.reply.weight()));
        let lost = all.iter().filter(|one| one.loses_market());
        let lost = lost.map(|one| one.reply.weight()).sum();
        rows.push((roll, weighted.sum::<f64>() / 36.0, lost, all));
    }
    rows.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (roll, mean, lost, all) in &rows {
        let end = |one: Option<&&Exchange>| {
            one.map_or(String::new(), |one| {
                format!("{} {}", one.reply, signed(one.value.equity, 3))
            })
        };
        let ends = format!("  {}, {}", end(all.last()), end(all.first()));
        let lost = match found.market_losers {
            Some(_) => format!("{lost:>3}/36"),
            None => "     –".to_owned(),
        };
        lines.push(Line::inked(
            style,
            &[
                (Some(Ink::Strong), format!("{roll}  ")),
                (None, format!("{:>7}", signed(*mean, 3))),
                (Some(Ink::Noticed), lost),
                (None, ends),
            ],
        ));
    }
    let losers = match found.market_losers {
        Some(share) => format!("; market losers {:.1} % of the exchanges", share * 100.0),
        None => String::new(),
    };
    beside(&found.position, state, None, lines, style)
        + &format!(
            "\nmean {}, standard deviation {:.3}{losers}\n{}{}\n",
            value(found.mean),
            found.deviation,
            depth(found.plies),
            meaning(found.mean)
        )
}

/// Returns a text about the percentages beside equities.
fn meaning(value: Equities) -> &'static str {
    match value.mwc {
        Some(_) => "; % after an equity: chance to win the match",
        None => "",
    }
}

fn depth(plies: u8) -> String {
    match plies {
        0 => "0-ply: static evaluation (--plies 2 looks ahead two turns)".to_owned(),
        1 => "1-ply: looked ahead one turn".to_owned(),
        plies => format!("{plies}-ply: looked ahead {plies} turns"),
    }
}

/// Returns the board with lines beside it, or below it where the screen is narrow.
fn beside(
    at: &Position,
    state: &MatchState,
    roll: Option<Roll>,
    lines: Vec<Line>,
    style: ScreenStyle,
) -> String {
    let drawn = board(at, state, roll);
    let (mut text, mut notes) = (String::new(), Vec::new());
    let wide = style.columns >= WIDE_COLUMNS
        && lines
            .iter()
            .all(|line| BOARD_COLUMNS + 1 + line.columns <= style.columns);
    let mut lines = lines.into_iter();
    // Pips, cube and score stand where the lines go, so they have a row of their own.
    for row in drawn.lines() {
        let (board, note) = row.split_at(row.len().min(BOARD_COLUMNS));
        notes.push(note.trim());
        if !wide {
            text.push_str(&coloured(row, style));
        } else if let Some(line) = lines.next() {
            let _ = write!(
                text,
                "{}{:pad$}{}",
                coloured(board, style),
                "",
                line.text,
                pad = BOARD_COLUMNS + 1 - board.len()
            );
        } else {
            text.push_str(&coloured(board, style));
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    for line in lines {
        let pad = if wide { BOARD_COLUMNS + 1 } else { 0 };
        let _ = writeln!(text, "{:pad$}{}", "", line.text);
    }
    if !wide {
        return text;
    }
    let notes: Vec<&str> = notes.into_iter().filter(|note| !note.is_empty()).collect();
    let (opponent, me) = (at.opponent(), at.me());
    let pips = format!("X {} pips, O {} pips", me.pips(), opponent.pips());
    let said: Vec<&str> = notes
        .iter()
        .copied()
        .filter(|note| {
            !note.starts_with("pips") && !note.starts_with("O:") && !note.starts_with("X:")
        })
        .collect();
    format!("{text}X is on roll; {pips}; {}\n", said.join("; "))
}

/// Returns the checkers in their colours; only in the columns of the board.
fn coloured(row: &str, style: ScreenStyle) -> String {
    if !style.colour || !row.starts_with(" |") && !row.starts_with("v|") {
        return row.to_owned();
    }
    let mut text = String::new();
    for (column, letter) in row.chars().enumerate() {
        match letter {
            'X' if column < BOARD_COLUMNS => text.push_str(&style.ink(Ink::Mine, "X")),
            'O' if column < BOARD_COLUMNS => text.push_str(&style.ink(Ink::Theirs, "O")),
            letter => text.push(letter),
        }
    }
    text
}

/// Returns the five chances, a line for each player.
fn table(chances: Chances) -> Vec<Line> {
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = chances.to_array().map(|chance| chance * 100.0);
    vec![
        Line::plain("           all gammon  bg"),
        Line::plain(format!(
            "X wins   {win:5.1}  {win_gammon:5.1} {win_backgammon:4.1} %"
        )),
        Line::plain(format!(
            "O wins   {:5.1}  {lose_gammon:5.1} {lose_backgammon:4.1} %",
            100.0 - win
        )),
    ]
}

fn sentence(chances: Chances) -> String {
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = chances.to_array().map(|chance| chance * 100.0);
    format!(
        "wins {win:.1} % (gammon {win_gammon:.1}, backgammon {win_backgammon:.1}), loses {:.1} % \
         (gammon {lose_gammon:.1}, backgammon {lose_backgammon:.1})",
        100.0 - win
    )
}

fn value(value: Equities) -> String {
    match value.mwc {
        Some(mwc) => format!("{} {:.2}%", signed(value.equity, 3), mwc * 100.0),
        None => signed(value.equity, 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::legal_plays;

    fn ranking() -> RankedPlays {
        let position = Position::start();
        let roll = Roll::new(3, 1).unwrap();
        let plays: Vec<RankedPlay> = legal_plays(&position, roll)
            .iter()
            .enumerate()
            .map(|(rank, legal)| RankedPlay {
                play: legal.play,
                position: legal.after,
                value: Equities {
                    equity: 0.159 - 0.03 * rank as f64,
                    mwc: None,
                },
                chances: Chances::from_array([0.55, 0.16, 0.01, 0.12, 0.0]),
                plies: if rank < 2 { 2 } else { 0 },
            })
            .collect();
        RankedPlays {
            position,
            roll,
            legal: plays.len(),
            people: None,
            plays,
            plies: 2,
        }
    }

    fn drawn(style: ScreenStyle) -> String {
        let spell = |play: &RankedPlay| format!("{} steps", play.play.steps().len());
        plays(&ranking(), &MatchState::default(), (2, 3), style, spell)
    }

    #[test]
    fn forced_play_is_marked_as_the_only_one() {
        let spell = |_: &RankedPlay| String::new();
        let text = plays(
            &ranking(),
            &MatchState::default(),
            (3, 3),
            ScreenStyle::new(80, false),
            spell,
        );
        let last = "2-ply was enough (plies=3 was asked): no other play comes near the best\n";
        assert!(text.ends_with(last), "{text}");
    }

    #[test]
    fn a_ranking_stands_beside_the_board() {
        let expected = " +13-14-15-16-17-18------19-20-21-22-23-24-+  1 2 steps +0.159
 | X           O    |   | O              X |  2 2 steps +0.129 -0.030
 | X           O    |   | O              X |  3 2 steps +0.099 -0.060*
 | X           O    |   | O                |    and 13 more (top=16)
 | X                |   | O                |
 | X                |   | O                |
v|                  |BAR|                  |
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |
 +12-11-10--9--8--7-------6--5--4--3--2--1-+
X is on roll; X 167 pips, O 167 pips; [cube 1]  money game, Jacoby; rolled 31

2 steps: wins 55.0 % (gammon 16.0, backgammon 1.0), loses 45.0 % (gammon 12.0, backgammon 0.0)
2-ply: looked ahead 2 turns; plays with * only 0: they looked too bad there to go deeper (filter=huge keeps more)
";
        assert_eq!(drawn(ScreenStyle::new(80, false)), expected);
    }

    #[test]
    fn a_narrow_screen_has_the_ranking_below_and_nothing_wider() {
        let text = drawn(ScreenStyle::new(60, false));
        let board = text.find("1-+").unwrap();
        assert!(text.find("+0.159").unwrap() > board, "{text}");
        assert!(text.contains("pips 167"), "{text}");
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let coloured = drawn(ScreenStyle::new(80, true));
        assert!(coloured.contains("\x1b[31m -0.060") || coloured.contains("\x1b[33m -0.060"));
        let mut plain = String::new();
        let mut rest = coloured.as_str();
        while let Some((before, after)) = rest.split_once('\x1b') {
            plain.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        plain.push_str(rest);
        assert_eq!(plain, drawn(ScreenStyle::new(80, false)));
    }
}
