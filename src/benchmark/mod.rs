//! Scoring players on GNUbg benchmark files.
//!
//! [`read`] takes a `.bm` file apart into records that can be scored; [`score_play`] charges a
//! player's play with the loss that the file lists, [`cube::cube_loss`] compares cube decisions.
//! Rules BM- of `protocol-specs/benchmark-files.md` and the measures of
//! `protocol-specs/benchmark-measures.md`.

pub mod category;
pub mod cube;
pub mod group;
pub mod summary;
pub mod values;

pub use category::Category;
pub use group::Group;

use crate::duel::{Player, PlayerError};
use crate::game::Position;
use crate::notation::{BenchmarkRecord, PlayRecord, PositionChances};
use crate::rng::stream;
use std::io::{self, BufRead};

/// Longest line that is read.
pub const LINE_BYTES_MAX: usize = 64 << 10;

/// A record that can be scored.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Line in the file, from 1.
    pub line: u64,
    /// Whether decisions can differ: not all rolled-out chances of the candidates are the same
    /// (or, when they are not in the file, not all losses are 0); for positions, whether the
    /// equity is no whole number.
    pub interesting: bool,
    /// The record.
    pub record: Record,
}

/// The two kinds of records.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// An `m` line.
    Play(PlayRecord),
    /// An `o` line.
    Position(PositionChances),
}

/// Reads all records that can be scored. The second list holds the lines that are wrong, with the
/// reason.
///
/// # Errors
/// When reading fails.
pub fn read(input: &mut dyn BufRead) -> io::Result<(Vec<Item>, Vec<(u64, String)>)> {
    let (mut items, mut wrong) = (Vec::new(), Vec::new());
    let mut rolled: Vec<String> = Vec::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if bytes.len() > LINE_BYTES_MAX {
            wrong.push((line, format!("longer than {LINE_BYTES_MAX} bytes")));
            continue;
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end();
        match text.parse::<BenchmarkRecord>() {
            Ok(BenchmarkRecord::Rolled(_)) => {
                // What follows the key decides whether the candidates differ.
                let chances = text.split_whitespace().skip(2);
                rolled.push(chances.collect::<Vec<_>>().join(" "));
            }
            Ok(BenchmarkRecord::Play(play)) => {
                let interesting = if rolled.is_empty() {
                    play.candidates.iter().any(|c| c.loss != 0.0)
                } else {
                    rolled.windows(2).any(|pair| pair[0] != pair[1])
                };
                rolled.clear();
                items.push(Item {
                    line,
                    interesting,
                    record: Record::Play(play),
                });
            }
            Ok(BenchmarkRecord::Position(position)) => {
                let equity = f64::from(position.chances.equity());
                items.push(Item {
                    line,
                    interesting: equity.fract() != 0.0,
                    record: Record::Position(position),
                });
            }
            Ok(_) => {}
            Err(error) => wrong.push((line, error.to_string())),
        }
    }
    Ok((items, wrong))
}

/// Which candidate was chosen and what it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayScore {
    /// Index in the list; `None` when the choice is not listed.
    pub listed: Option<usize>,
    /// Loss in points; that of the last listed candidate when the choice is not listed.
    pub loss: f64,
}

/// The charge for ending in `after`.
#[must_use]
pub fn charge(record: &PlayRecord, after: &Position) -> PlayScore {
    let listed = record.candidates.iter().position(|c| c.position == *after);
    let charged = listed.map_or_else(|| record.candidates.last(), |i| record.candidates.get(i));
    PlayScore {
        listed,
        loss: charged.map_or(0.0, |candidate| candidate.loss),
    }
}

/// Lets a player choose and charges it. `line` seeds players that throw coins.
///
/// # Errors
/// When the player fails.
pub fn score_play(
    record: &PlayRecord,
    player: &dyn Player,
    line: u64,
) -> Result<PlayScore, PlayerError> {
    let mut chance = stream(line, 0);
    let after = player.play(&record.position, record.roll, &mut chance)?;
    Ok(charge(record, &after))
}
