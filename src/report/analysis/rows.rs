//! The decisions of a match one below the other, as every report lists them: a roll with a cube in reach
//! is two of them.

use super::analyse::{Analysis, GameAnalysis, JudgedDecision};
use super::cube_offer::CubeOffer;
use super::replay::Action;
use super::totals::{MARK_NAMES, is_close, mark};
use crate::render::signed;
use gammond_engine::people::People;
use gammond_engine::query::CubeQuery;
use gammond_game::notation::{Form, MatPlayer, play_text};
use gammond_game::{Play, Roll};

/// Kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// A play.
    Play,
    /// To double or not.
    Double,
    /// To take or pass.
    Take,
    /// A beaver, a raccoon, or the answer to one.
    Beaver,
    /// Resign the game.
    Resign,
    /// A roll whose play is unknown.
    Roll,
}

impl DecisionKind {
    /// Returns the word in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            DecisionKind::Play => "play",
            DecisionKind::Double => "double",
            DecisionKind::Take => "take",
            DecisionKind::Beaver => "beaver",
            DecisionKind::Resign => "resign",
            DecisionKind::Roll => "roll",
        }
    }
}

/// One decision in words.
#[derive(Clone, Debug)]
pub struct Row<'a> {
    /// The game, from 1.
    pub game: usize,
    /// The move, from 1: a turn of both.
    pub turn: u32,
    /// The action of the game, from 0.
    pub number: usize,
    /// Player who decided.
    pub player: MatPlayer,
    /// Kind of the decision.
    pub kind: DecisionKind,
    /// The roll.
    pub roll: Option<Roll>,
    /// Action taken.
    pub played: String,
    /// Best action.
    pub best: String,
    /// Loss as equity; `None` if the decision is not analysed.
    pub loss: Option<f64>,
    /// Loss as match winning chances, in matches.
    pub loss_mwc: Option<f64>,
    /// The luck of the roll.
    pub luck: Option<f64>,
    /// Luck as match winning chances, in matches.
    pub luck_mwc: Option<f64>,
    /// True if there was no choice.
    pub forced: bool,
    /// True for a cube decision that was made, close or wrong.
    pub close: bool,
    /// All of it.
    pub judged: &'a JudgedDecision,
    /// Losses from which on it is doubtful, bad, very bad.
    pub marks: [f64; 3],
}

impl Row<'_> {
    /// Returns `doubtful`, `bad` or `very bad`.
    #[must_use]
    pub fn mark(&self) -> Option<&'static str> {
        let mark = mark(self.loss?, &self.marks)?;
        MARK_NAMES.get(mark).copied()
    }

    /// Returns the shares of the people of three rates ([`People::COACHED`]) who find the best play or cube action, if this
    /// one is a mistake.
    #[must_use]
    pub fn found_by(&self) -> Option<[f64; 3]> {
        self.mark()?;
        let JudgedDecision {
            decision,
            judgement,
        } = self.judged;
        if self.kind == DecisionKind::Play {
            return judgement.plays.as_ref()?.found_by;
        }
        let does = match (self.kind, self.best.as_str()) {
            (DecisionKind::Double, "double") => |[double, _]: [f64; 2]| double,
            (DecisionKind::Double, "no double") => |[double, _]: [f64; 2]| 1.0 - double,
            (DecisionKind::Take, "take") => |[_, take]: [f64; 2]| take,
            (DecisionKind::Take, "pass") => |[_, take]: [f64; 2]| 1.0 - take,
            _ => return None,
        };
        let query = CubeQuery::new(decision.position, decision.state);
        let cube = judgement.cube.as_ref()?;
        Some(People::built_in().find_cube_action(&query, cube, does))
    }

    /// Returns the play of a row about plays.
    #[must_use]
    pub fn play(&self) -> Option<Play> {
        let plays = self.judged.judgement.plays.as_ref();
        plays
            .filter(|_| self.kind == DecisionKind::Play)
            .map(|plays| plays.played.play)
    }

    /// Returns the position before the decision with cube, score and roll, as a GNUbg ID.
    #[must_use]
    pub fn position(&self) -> String {
        let decision = &self.judged.decision;
        let roll = (self.roll).filter(|_| self.kind == DecisionKind::Play || self.is_open());
        Form::GnubgId.print(&decision.position, &decision.state, roll, None)
    }

    /// Returns true for a question without an answer in the file (ANA-29): the best action is evaluated, and none was
    /// taken.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.played.is_empty()
            && !self.best.is_empty()
            && matches!(
                self.judged.decision.action,
                Action::Open | Action::Unknown { open: true, .. }
            )
    }

    /// Returns a line that compares doubling with not doubling, where that was the question.
    #[must_use]
    pub(crate) fn cube_line(&self) -> Option<String> {
        let cube = self.judged.judgement.cube.as_ref();
        let cube = cube.filter(|_| {
            matches!(
                self.kind,
                DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver
            )
        })?;
        let take = cube.double_take.equity;
        // Shown where they are right, or were done.
        let is = |word| self.played == word || self.best == word;
        let beaver = match self.kind == DecisionKind::Beaver || is("beaver") {
            true => format!("double and beaver {}, ", signed(2.0 * take, 3)),
            false => String::new(),
        };
        let raccoon = match is("raccoon") {
            true => format!("raccoon {}, ", signed(4.0 * take, 3)),
            false => String::new(),
        };
        Some(format!(
            "no double {}, double and take {}, {beaver}{raccoon}double and pass {}: {}",
            signed(cube.no_double.equity, 3),
            signed(take, 3),
            signed(cube.double_pass.equity, 3),
            cube.verdict
        ))
    }
}

impl Analysis {
    /// Returns every decision of the match.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let games = (1..).zip(&self.games);
        games.flat_map(|(number, game)| game.rows(number))
    }

    /// Returns the decisions with a loss, the worst first.
    #[must_use]
    pub fn worst(&self) -> Vec<Row<'_>> {
        let wrong = |row: &Row<'_>| row.mark().is_some() && row.kind != DecisionKind::Resign;
        let mut rows: Vec<Row<'_>> = self.rows().filter(wrong).collect();
        rows.sort_by(|a, b| b.loss.unwrap_or(0.0).total_cmp(&a.loss.unwrap_or(0.0)));
        rows
    }
}

impl GameAnalysis {
    /// Returns every decision of game `number`, counted from 1.
    pub fn rows(&self, number: usize) -> impl Iterator<Item = Row<'_>> {
        self.decisions
            .iter()
            .flat_map(move |judged| rows(number, judged, self.marks))
    }
}

/// Returns the rows of one decision.
pub(super) fn rows(game: usize, judged: &JudgedDecision, marks: [f64; 3]) -> Vec<Row<'_>> {
    let (decision, judgement) = (&judged.decision, &judged.judgement);
    let row = |kind: DecisionKind, played: String, best: String| Row {
        game,
        turn: decision.turn,
        number: decision.number,
        player: decision.player,
        kind,
        roll: None,
        played,
        best,
        loss: judgement.loss,
        loss_mwc: judgement.loss_mwc,
        luck: None,
        luck_mwc: None,
        forced: false,
        close: false,
        judged,
        marks,
    };
    match decision.action {
        Action::Play { roll, .. } => turn_rows(judged, roll, &row),
        Action::Unknown { roll, .. } => {
            let text = |play: Play| play_text(&decision.position, &play);
            vec![Row {
                roll: Some(roll),
                luck: judgement.luck,
                luck_mwc: judgement.luck_mwc,
                ..row(
                    DecisionKind::Roll,
                    String::new(),
                    judgement.best.map_or_else(String::new, text),
                )
            }]
        }
        Action::Open => {
            let best =
                (judgement.cube.as_ref()).map_or_else(String::new, |cube| cube.verdict.to_string());
            vec![row(DecisionKind::Double, String::new(), best)]
        }
        Action::Double => {
            let best = match judgement.loss.is_some_and(|loss| loss > 0.0) {
                true => "no double".to_owned(),
                false => "double".to_owned(),
            };
            vec![Row {
                close: true,
                ..row(DecisionKind::Double, "double".to_owned(), best)
            }]
        }
        Action::Take | Action::Drop => vec![reply_row(judged, DecisionKind::Take, &row)],
        Action::Beaver { .. } | Action::BeaverAnswer { .. } => {
            vec![reply_row(judged, DecisionKind::Beaver, &row)]
        }
        Action::Resign { games, .. } => {
            let words = ["single game", "gammon", "backgammon"];
            let word = words.get(usize::from(games).saturating_sub(1));
            let word = word.copied().unwrap_or("backgammon").to_owned();
            let best = match judgement.loss {
                Some(loss) if loss > 0.0 => "play on".to_owned(),
                _ => word.clone(),
            };
            vec![row(DecisionKind::Resign, word, best)]
        }
    }
}

/// Returns an answer to a double, a beaver or a raccoon.
fn reply_row<'a>(
    judged: &'a JudgedDecision,
    kind: DecisionKind,
    row: &dyn Fn(DecisionKind, String, String) -> Row<'a>,
) -> Row<'a> {
    let (played, best) = match CubeOffer::answered(&judged.decision) {
        Some((offer, chosen)) => {
            let cube = judged.judgement.cube.as_ref();
            let best = cube.map_or(chosen, |cube| offer.best(cube));
            (offer.word(chosen), offer.word(best))
        }
        None => ("", ""),
    };
    Row {
        close: kind == DecisionKind::Take,
        ..row(kind, played.to_owned(), best.to_owned())
    }
}

/// Returns a roll that was played, and before it the decision not to double.
fn turn_rows<'a>(
    judged: &'a JudgedDecision,
    roll: Roll,
    row: &dyn Fn(DecisionKind, String, String) -> Row<'a>,
) -> Vec<Row<'a>> {
    let (decision, judgement) = (&judged.decision, &judged.judgement);
    let mut rows = Vec::with_capacity(2);
    if let Some(cube) = &judgement.cube {
        // By the figures, not by the verdict: an optional double is no loss.
        let best = match judgement.cube_loss.is_some_and(|loss| loss > 0.0) {
            true => "double".to_owned(),
            false => "no double".to_owned(),
        };
        rows.push(Row {
            loss: judgement.cube_loss,
            loss_mwc: judgement.cube_mwc,
            close: is_close(
                cube.no_double.equity,
                cube.double_take.equity,
                judgement.cube_loss.unwrap_or(0.0),
            ),
            ..row(DecisionKind::Double, "no double".to_owned(), best)
        });
    }
    let text = |play: Option<Play>| {
        play.map_or_else(String::new, |play| play_text(&decision.position, &play))
    };
    let played = judgement.plays.as_ref().map(|plays| plays.played.play);
    rows.push(Row {
        roll: Some(roll),
        luck: judgement.luck,
        luck_mwc: judgement.luck_mwc,
        forced: judgement.loss.is_none(),
        loss: Some(judgement.loss.unwrap_or(0.0)),
        ..row(DecisionKind::Play, text(played), text(judgement.best))
    });
    rows
}
