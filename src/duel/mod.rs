//! Games between two players: ours, other weights, PubEval, other programs by a pipe.
//!
//! A pair of games with the same dice, the players changing sides, is the unit: its mean result is
//! what is averaged. [`play_duel`] is resumable through a journal and gives the same result on any
//! number of threads.

mod game;
mod pipe;
mod player;
mod pubeval;

pub use game::{Finish, play_game};
pub use player::{Player, PlayerError, PlayerSpec};

use crate::journal::{Journal, JournalError};
use crate::stats::{Running, Verdict, sequential};
use rayon::prelude::*;
use std::path::Path;

/// Pairs in one record of the journal.
pub const PAIRS_PER_RECORD: u64 = 32;

/// What a duel is.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of all dice.
    pub seed: u64,
    /// Pairs of games to play at most.
    pub pairs: u64,
    /// Stop when the sequential test between 0 and this many points per game has decided.
    pub decide: Option<f64>,
}

/// What a duel has shown so far, seen by the first player.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Points per game, one number for each pair.
    pub points: Running,
    /// Games won, gammons and backgammons among them, by the first and by the second player.
    pub wins: [[u64; 3]; 2],
}

impl Tally {
    fn add(&mut self, pair: [i8; 2]) {
        self.points
            .add(pair.iter().map(|&p| f64::from(p)).sum::<f64>() / 2.0);
        for points in pair {
            let side = &mut self.wins[usize::from(points < 0)];
            for (least, count) in (1..).zip(side.iter_mut()) {
                *count += u64::from(points.unsigned_abs() >= least);
            }
        }
    }

    /// Games counted.
    #[must_use]
    pub const fn games(&self) -> u64 {
        2 * self.points.count()
    }
}

/// Plays `plan` between two players; `report` sees the tally after each group of records.
///
/// # Errors
/// When the journal cannot be used or a player fails.
pub fn play_duel(
    plan: &Plan,
    players: [&dyn Player; 2],
    journal: Option<&Path>,
    report: &mut dyn FnMut(&Tally),
) -> Result<Tally, DuelError> {
    let names = players.map(Player::name);
    let header = format!(
        "gammond duel 1 seed {} between {} and {}",
        plan.seed, names[0], names[1]
    );
    let (mut journal, records) = match journal {
        Some(path) => {
            let (journal, records) = Journal::open(path, &header)?;
            (Some(journal), records)
        }
        None => (None, Vec::new()),
    };
    let mut tally = Tally::default();
    let mut next = 0;
    for record in records {
        let (pairs, _) = record.as_chunks::<2>();
        for pair in pairs {
            tally.add(pair.map(|byte| byte as i8));
        }
        next += pairs.len() as u64;
    }
    let decided = |tally: &Tally| {
        plan.decide
            .is_some_and(|step| sequential(&tally.points, 0.0, step).1 != Verdict::Open)
    };
    while next < plan.pairs && !decided(&tally) {
        let group = 4 * rayon::current_num_threads() as u64;
        let parts: Vec<Result<Vec<u8>, PlayerError>> = (0..group)
            .into_par_iter()
            .map(|part| {
                let from = next + part * PAIRS_PER_RECORD;
                let to = (from + PAIRS_PER_RECORD).min(plan.pairs);
                let mut bytes = Vec::new();
                for pair in from..to {
                    for mirrored in [false, true] {
                        let mut order = players;
                        if mirrored {
                            order.reverse();
                        }
                        let finish = play_game(order, plan.seed, pair)?;
                        let points = if mirrored {
                            -finish.points
                        } else {
                            finish.points
                        };
                        bytes.push(points as u8);
                    }
                }
                Ok(bytes)
            })
            .collect();
        for bytes in parts {
            let bytes = bytes?;
            let (pairs, _) = bytes.as_chunks::<2>();
            // The test is made after every record, so it does not depend on the threads.
            if pairs.is_empty() || decided(&tally) {
                break;
            }
            for pair in pairs {
                tally.add(pair.map(|byte| byte as i8));
            }
            next += pairs.len() as u64;
            if let Some(journal) = &mut journal {
                journal.append(&bytes)?;
            }
        }
        report(&tally);
    }
    Ok(tally)
}

/// Why a duel stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DuelError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A player.
    #[error(transparent)]
    Player(#[from] PlayerError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(text: &str) -> Box<dyn Player> {
        text.parse::<PlayerSpec>().unwrap().open().unwrap()
    }

    #[test]
    fn a_player_against_itself_is_even() {
        let one = player("pubeval");
        let plan = Plan {
            seed: 4,
            pairs: 50,
            decide: None,
        };
        let tally = play_duel(&plan, [&*one, &*one], None, &mut |_| {}).unwrap();
        assert_eq!(tally.points.mean(), 0.0);
        assert_eq!(tally.wins[0], tally.wins[1]);
        assert_eq!(tally.games(), 100);
    }

    #[test]
    fn goes_on_from_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("duel");
        let (a, b) = (player("pubeval"), player("random"));
        let run = |pairs, path: Option<&Path>| {
            let plan = Plan {
                seed: 9,
                pairs,
                decide: None,
            };
            play_duel(&plan, [&*a, &*b], path, &mut |_| {}).unwrap()
        };
        run(64, Some(&path));
        let resumed = run(150, Some(&path));
        let whole = run(150, None);
        assert_eq!(resumed.points, whole.points);
        assert_eq!(resumed.wins, whole.wins);
        assert!(whole.points.mean() > 1.0);
    }
}
