//! A whole file analysed.

use super::judge::{Judgement, judge, match_chances};
use super::replay::{Decision, Terms, crawford_games, replay_from};
use super::totals::{MARKS, Totals, fibs_difference};
use crate::engine::{Engine, EngineError};
use crate::escape::Untrusted;
use crate::game::Rules;
use crate::notation::{MatPlayer, MatchFile, MatchReading};
use crate::query::{Settings, Stop};
use rayon::prelude::*;

/// A decision and what the engine says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedDecision {
    /// The decision.
    pub decision: Decision,
    /// What it lost.
    pub judgement: Judgement,
}

/// One game analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameAnalysis {
    /// Points before it.
    pub scores: [u32; 2],
    /// It is the Crawford game.
    pub crawford: bool,
    /// What was decided, in order.
    pub decisions: Vec<JudgedDecision>,
    /// The books of both players.
    pub totals: [Totals; 2],
    /// Who won how much; `None` for a game that was not finished.
    pub result: Option<(MatPlayer, u32)>,
    /// Losses from which on a decision is doubtful, bad, very bad.
    pub marks: [f64; 3],
}

/// What is wrong in a game, beside what its file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the file, from 1; 0 when it is not known.
    pub line: usize,
    /// The game, from 1; 0 before the first one.
    pub game: usize,
    /// What it is.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if self.game > 0 {
            write!(f, "game {}: ", self.game)?;
        }
        f.write_str(&self.message)
    }
}

/// A match or money session analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// The players.
    pub names: [Untrusted; 2],
    /// Points after the last game that was finished.
    pub score: [u32; 2],
    /// Plies of the judgements.
    pub plies: u8,
    /// Them, or the level, in words: `2-ply`, `roller+`.
    pub level: String,
    /// The games.
    pub games: Vec<GameAnalysis>,
    /// The books of both players.
    pub totals: [Totals; 2],
    /// What the first player got: match winning chances above one half, or points.
    pub result: f64,
    /// What is wrong in the file.
    pub faults: Vec<Fault>,
    /// Losses from which on a decision is doubtful, bad, very bad.
    pub marks: [f64; 3],
}

impl Analysis {
    /// The same with other losses from which on a decision is doubtful, bad, very bad.
    #[must_use]
    pub fn marked(mut self, marks: [f64; 3]) -> Analysis {
        self.marks = marks;
        for game in &mut self.games {
            game.marks = marks;
            game.count();
        }
        self.sum();
        self
    }

    /// Adds the books of the games.
    fn sum(&mut self) {
        self.totals = [Totals::default(); 2];
        for game in &self.games {
            for (sum, totals) in self.totals.iter_mut().zip(&game.totals) {
                sum.add(totals);
            }
        }
    }

    /// What a player got less what the dice gave him and the other one took: chances above one half, or
    /// points.
    #[must_use]
    pub fn luck_adjusted(&self, player: MatPlayer) -> f64 {
        let [first, second] = &self.totals;
        let adjusted = self.result - first.luck.cost + second.luck.cost;
        match player {
            MatPlayer::First => adjusted,
            MatPlayer::Second => -adjusted,
        }
    }

    /// The difference of FIBS ratings that the luck-adjusted result shows.
    #[must_use]
    pub fn fibs_difference(&self, player: MatPlayer) -> Option<f64> {
        fibs_difference(0.5 + self.luck_adjusted(player), self.length)
    }

    /// The FIBS rating that the errors show; not for money.
    #[must_use]
    pub fn fibs_rating(&self, player: MatPlayer) -> Option<f64> {
        let totals = self.totals.get(player.index())?;
        let [plays, cube] = totals.rating_loss(self.length)?;
        Some(2050.0 - plays - cube)
    }
}

/// How deep these settings look, in words.
#[must_use]
pub fn level_name(settings: &Settings) -> String {
    match settings.level {
        Some(level) => level.name().to_owned(),
        None => format!("{}-ply", settings.plies),
    }
}

/// Judges every decision of what was read, on all threads of the engine. `Stop` ends it without a result.
///
/// # Errors
/// [`EngineError`].
pub fn analyse(
    engine: &Engine,
    settings: &Settings,
    reading: &MatchReading,
    rules: Rules,
    stop: &Stop,
) -> Result<Analysis, EngineError> {
    let file = &reading.file;
    let mut faults: Vec<Fault> = (reading.faults.iter())
        .map(|fault| Fault {
            line: fault.line,
            game: fault.game,
            message: match fault.line {
                0 => format!("byte {}: {}", fault.error.at(), fault.error),
                _ => fault.error.to_string(),
            },
        })
        .collect();
    let terms = Terms::of(file, rules);
    let mut games = Vec::with_capacity(file.games.len());
    let replays = file
        .games
        .iter()
        .zip(&terms)
        .map(|(game, terms)| replay_from(game, terms));
    for (number, (replay, terms)) in replays.zip(&terms).enumerate() {
        if let Some((action, reason)) = replay.fault {
            let lines = reading.lines.get(number);
            let line = lines.and_then(|lines| lines.get(action)).copied();
            faults.push(Fault {
                line: line.unwrap_or(0),
                game: number + 1,
                message: reason.to_owned(),
            });
        }
        let judged = engine.pool().install(|| {
            (replay.decisions.par_iter())
                .map(|decision| {
                    let judgement = judge(engine, settings, decision, stop)?;
                    Ok(JudgedDecision {
                        decision: *decision,
                        judgement,
                    })
                })
                .collect::<Result<Vec<JudgedDecision>, EngineError>>()
        })?;
        games.push(game_of(file, number, judged, terms.crawford));
    }
    faults.sort_by_key(|fault| (fault.game, fault.line));
    let score = score_after(file);
    let mut analysis = Analysis {
        length: file.length,
        names: file.names.clone().map(Untrusted::from),
        score,
        plies: settings.plies,
        level: level_name(settings),
        totals: [Totals::default(); 2],
        result: result(engine, file, score),
        games,
        faults,
        marks: MARKS,
    };
    analysis.sum();
    Ok(analysis)
}

fn game_of(
    file: &MatchFile,
    number: usize,
    decisions: Vec<JudgedDecision>,
    crawford: bool,
) -> GameAnalysis {
    let game = file.games.get(number);
    let mut judged = GameAnalysis {
        scores: game.map_or([0; 2], |game| game.scores),
        crawford,
        decisions,
        totals: [Totals::default(); 2],
        result: game.and_then(|game| game.result),
        marks: MARKS,
    };
    judged.count();
    judged
}

impl GameAnalysis {
    fn count(&mut self) {
        self.totals = books(&self.decisions, &self.marks);
    }
}

/// The books of both players over these decisions.
pub(super) fn books<'a>(
    decisions: impl IntoIterator<Item = &'a JudgedDecision>,
    marks: &[f64; 3],
) -> [Totals; 2] {
    let mut totals = [Totals::default(); 2];
    for JudgedDecision {
        decision,
        judgement,
    } in decisions
    {
        if let Some(books) = totals.get_mut(decision.player.index()) {
            books.book(decision, judgement);
            books.book_marks(decision, judgement, marks);
        }
    }
    totals
}

/// The points after the last game that was finished.
fn score_after(file: &MatchFile) -> [u32; 2] {
    let Some(last) = file.games.last() else {
        return [0; 2];
    };
    let mut score = last.scores;
    // Some files begin each money game at nothing.
    if file.length == 0 {
        score = [0; 2];
        for (winner, points) in file.games.iter().filter_map(|game| game.result) {
            if let Some(sum) = score.get_mut(winner.index()) {
                *sum = sum.saturating_add(points);
            }
        }
        return score;
    }
    if let Some((winner, points)) = last.result
        && let Some(sum) = score.get_mut(winner.index())
    {
        *sum = sum.saturating_add(points);
    }
    score
}

/// What the first player got.
fn result(engine: &Engine, file: &MatchFile, score: [u32; 2]) -> f64 {
    let [first, second] = score;
    if file.length == 0 {
        return f64::from(first) - f64::from(second);
    }
    // A game that is not finished is the Crawford game or not; after a finished one the next may be.
    let flags = crawford_games(file);
    let finished = file.games.last().is_none_or(|game| game.result.is_some());
    let one_away = score.iter().any(|&points| points + 1 == file.length);
    let crawford = match finished {
        true => one_away && !flags.contains(&true) && file.length > 1,
        false => flags.last() == Some(&true),
    };
    match_chances(engine, file.length, score, crawford).map_or(0.0, |chance| chance - 0.5)
}
