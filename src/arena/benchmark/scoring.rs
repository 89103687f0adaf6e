//! Scores of whole files as a job: a part is a few records, its bytes are what every player scores on them.

use super::action::ActionLoss;
use super::cube::CubeLoss;
use super::summary::{Scored, score_one};
use super::{Item, PlayScore, ScorableRecord};
use crate::player::{Player, PlayerError};
use gammond_base::stop::Stop;
use gammond_engine::equity::MatchEquityTable;
use gammond_job::{BadPart, Header, Job, Progress};

/// Records in one part: few, so that a kill costs little where one takes a tenth of a second.
const RECORDS_PER_PART: usize = 8;

/// Byte ahead of a score's numbers.
const PLAY: u8 = 0;
const NO_CUBE: u8 = 1;
const CUBE: u8 = 2;
const NO_ACTION: u8 = 3;
const ACTION: u8 = 4;
/// Number of a choice that is not listed.
const UNLISTED: u32 = u32::MAX;

/// Records to be scored.
pub struct Scoring<'a> {
    items: &'a [Item],
    players: Vec<&'a dyn Player>,
    table: &'a MatchEquityTable,
    header: Header,
}

impl<'a> Scoring<'a> {
    /// Creates the job that scores `players` on `items`. `sources` are the checksums of the files that the items come
    /// from.
    ///
    /// # Errors
    /// When the files of a player can no longer be read.
    pub fn new(
        items: &'a [Item],
        players: Vec<&'a dyn Player>,
        table: &'a MatchEquityTable,
        sources: &[String],
    ) -> Result<Scoring<'a>, PlayerError> {
        let mut header = Header::new("benchmark scores", 2)
            .field("records", items.len())
            .content("table", format!("{table:?}").as_bytes())
            .content("passes", &passes(items));
        for (place, source) in sources.iter().enumerate() {
            header = header.field(&format!("file {}", place + 1), source);
        }
        for (place, player) in players.iter().enumerate() {
            header = header.field(&format!("player {}", place + 1), player.identity()?);
        }
        let has_actions = |item: &Item| matches!(item.record, ScorableRecord::Action(_));
        if items.iter().any(has_actions) {
            // Cube actions depend on the players' match equity tables too.
            for (place, player) in players.iter().enumerate() {
                if let Some(player) = player.with_cube() {
                    let name = format!("cube of player {}", place + 1);
                    header = header.field(&name, player.cube_identity()?);
                }
            }
        }
        Ok(Scoring {
            items,
            players,
            table,
            header,
        })
    }

    /// Returns the records of a part.
    fn of_part(&self, number: u64) -> &'a [Item] {
        let from = usize::try_from(number).unwrap_or(usize::MAX);
        let from = from.saturating_mul(RECORDS_PER_PART).min(self.items.len());
        let to = from.saturating_add(RECORDS_PER_PART).min(self.items.len());
        self.items.get(from..to).unwrap_or_default()
    }
}

impl Job for Scoring<'_> {
    /// The scores of each player, in the order of the records.
    type Sum = Vec<Vec<Scored>>;
    type Error = PlayerError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Vec<Vec<Scored>> {
        vec![Vec::new(); self.players.len()]
    }

    fn parts(&self) -> Option<u64> {
        Some(self.items.len().div_ceil(RECORDS_PER_PART) as u64)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, PlayerError> {
        let mut bytes = Vec::new();
        for player in &self.players {
            for item in self.of_part(number) {
                if stop.is_triggered() {
                    return Ok(None);
                }
                write(&score_one(item, *player, self.table)?, &mut bytes);
            }
        }
        Ok(Some(bytes))
    }

    fn merge(&self, all: &mut Vec<Vec<Scored>>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let items = self.of_part(number);
        let mut rest = bytes;
        let mut found = Vec::new();
        for _ in 0..self.players.len() * items.len() {
            found.push(read(&mut rest).ok_or(BadPart)?);
        }
        if !rest.is_empty() {
            return Err(BadPart);
        }
        for (scores, found) in all.iter_mut().zip(found.chunks(items.len().max(1))) {
            scores.extend_from_slice(found);
        }
        Ok(())
    }

    fn progress(&self, all: &Vec<Vec<Scored>>, _: u64) -> Progress {
        let done = all.first().map_or(0, Vec::len) as u64;
        Progress::new("records", done, Some(self.items.len() as u64))
    }
}

/// Returns the worth of a pass by the files, where they have it.
fn passes(items: &[Item]) -> Vec<u8> {
    let pass = |item: &Item| match &item.record {
        ScorableRecord::Action(action) => action.pass,
        ScorableRecord::Play(_) | ScorableRecord::Position(_) => None,
    };
    (items.iter().filter_map(pass).flat_map(f64::to_le_bytes)).collect()
}

fn write(score: &Scored, out: &mut Vec<u8>) {
    match score {
        Scored::Play(score) => {
            out.push(PLAY);
            let listed = score.listed.and_then(|index| u32::try_from(index).ok());
            out.extend_from_slice(&listed.unwrap_or(UNLISTED).to_le_bytes());
            out.extend_from_slice(&score.loss.to_le_bytes());
        }
        Scored::Cube(None) => out.push(NO_CUBE),
        Scored::Action(None) => out.push(NO_ACTION),
        Scored::Action(Some(loss)) => {
            out.push(ACTION);
            for number in [loss.double, loss.take, loss.point] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        Scored::Cube(Some(loss)) => {
            out.push(CUBE);
            out.extend_from_slice(&loss.errors.to_le_bytes());
            for number in [loss.measure, loss.mwc, loss.double_mwc, loss.take_mwc] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
    }
}

fn read(rest: &mut &[u8]) -> Option<Scored> {
    let [kind] = *take(rest)?;
    Some(match kind {
        PLAY => {
            let index = u32::from_le_bytes(*take(rest)?);
            Scored::Play(PlayScore {
                listed: (index != UNLISTED).then_some(index as usize),
                loss: f64::from_le_bytes(*take(rest)?),
            })
        }
        NO_CUBE => Scored::Cube(None),
        NO_ACTION => Scored::Action(None),
        ACTION => Scored::Action(Some(ActionLoss {
            double: f64::from_le_bytes(*take(rest)?),
            take: f64::from_le_bytes(*take(rest)?),
            point: f64::from_le_bytes(*take(rest)?),
        })),
        CUBE => Scored::Cube(Some(CubeLoss {
            errors: u32::from_le_bytes(*take(rest)?),
            measure: f64::from_le_bytes(*take(rest)?),
            mwc: f64::from_le_bytes(*take(rest)?),
            double_mwc: f64::from_le_bytes(*take(rest)?),
            take_mwc: f64::from_le_bytes(*take(rest)?),
        })),
        _ => return None,
    })
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (found, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scores_round_trip() {
        let all = [
            Scored::Play(PlayScore {
                listed: None,
                loss: 0.25,
            }),
            Scored::Play(PlayScore {
                listed: Some(3),
                loss: 0.0,
            }),
            Scored::Cube(None),
            Scored::Action(None),
            Scored::Action(Some(ActionLoss {
                double: 0.5,
                take: 1.25,
                point: 6.5,
            })),
            Scored::Cube(Some(CubeLoss {
                errors: 7,
                measure: 1.0,
                mwc: -2.0,
                double_mwc: 3.5,
                take_mwc: 1e-9,
            })),
        ];
        for score in all {
            let mut bytes = Vec::new();
            write(&score, &mut bytes);
            assert_eq!(read(&mut &bytes[..]), Some(score));
            for end in 0..bytes.len() {
                assert_eq!(read(&mut &bytes[..end]), None, "{score:?} {end}");
            }
            bytes[0] = 9;
            assert_eq!(read(&mut &bytes[..]), None);
        }
    }
}
