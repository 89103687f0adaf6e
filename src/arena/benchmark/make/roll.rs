//! Candidates rolled out: a job whose parts are a few games of all candidates of a record.

use super::choose::Chosen;
use super::recipe::{GAMES_PER_PART, Recipe, cube_fields, games};
use gammond_base::checksum::sha256;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::Stop;
use gammond_game::Position;
use gammond_game::notation::PositionKey;
use gammond_job::{BadPart, Header, Job, Progress};
use std::ops::Range;

/// The rollouts of records.
#[derive(Debug)]
pub struct Rolling<'a> {
    engine: &'a Engine,
    recipe: &'a Recipe,
    records: &'a [Chosen],
    /// The first part of each record, and the end.
    firsts: Vec<u64>,
    header: Header,
}

/// Rollout results of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KnownResults {
    /// Number of parts that were counted.
    pub parts: u64,
    /// The mean chances of each part of each candidate. A candidate has as many parts as it has games for.
    pub candidates: Vec<Vec<[f64; 5]>>,
}

impl<'a> Rolling<'a> {
    /// Rolls `records` out as `recipe` says.
    ///
    /// # Errors
    /// When the engine's files can no longer be read.
    pub fn new(
        engine: &'a Engine,
        recipe: &'a Recipe,
        records: &'a [Chosen],
    ) -> Result<Rolling<'a>, EngineError> {
        let mut firsts = vec![0];
        for record in records {
            firsts.push(firsts.last().copied().unwrap_or(0) + record.parts());
        }
        let mut settings = recipe.rollout.clone();
        settings.error = None;
        let header = Header::new("benchmark records", 1)
            .field("nets", engine.identity()?)
            .field("records", checksum(records))
            .field("full", recipe.full)
            .field("rollout", format!("{settings:?}"));
        let header = match recipe.cube {
            Some(cube) => cube_fields(header, engine, cube),
            None => header,
        };
        Ok(Rolling {
            engine,
            recipe,
            records,
            firsts,
            header,
        })
    }

    /// Returns the record of a part, and which of its games.
    fn of_part(&self, part: u64) -> Option<(usize, &'a Chosen, Range<u32>)> {
        let number = self.firsts.partition_point(|&first| first <= part);
        let number = number.checked_sub(1)?;
        let record = self.records.get(number)?;
        let within = part - self.firsts.get(number)?;
        let from = u32::try_from(within).ok()?.checked_mul(GAMES_PER_PART)?;
        Some((number, record, from..from.saturating_add(GAMES_PER_PART)))
    }
}

impl Chosen {
    /// Returns the number of positions that are rolled out.
    pub(super) fn rolled(&self) -> usize {
        match self.roll {
            None => self.sides,
            Some(_) => self.candidates.len(),
        }
    }

    /// Returns the number of parts that the games are divided into.
    pub(super) fn parts(&self) -> u64 {
        let most = self.games.iter().copied().max().unwrap_or(0);
        most.div_ceil(GAMES_PER_PART).into()
    }

    /// Returns the candidates that play games of the range `games`, each with the number of its games in it.
    fn playing(&self, games: &Range<u32>) -> Vec<(usize, u32)> {
        let share = |(index, &all): (usize, &u32)| {
            let count = all.min(games.end).saturating_sub(games.start);
            (count > 0).then_some((index, count))
        };
        self.games.iter().enumerate().filter_map(share).collect()
    }
}

fn checksum(records: &[Chosen]) -> String {
    let mut text = String::new();
    for record in records {
        let roll = record.roll.map_or("00".to_owned(), |roll| roll.to_string());
        let (position, games) = (PositionKey::from(record.position), &record.games);
        text.push_str(&format!("{position} {roll} {games:?} {}", record.listed));
        for &candidate in &record.candidates {
            text.push_str(&format!(" {}", PositionKey::from(candidate)));
        }
        text.push('\n');
    }
    format!("{}, sha256 {}", records.len(), sha256(text.as_bytes()))
}

impl Job for Rolling<'_> {
    /// Results of each record, in order.
    type Sum = Vec<KnownResults>;
    type Error = EngineError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Vec<KnownResults> {
        vec![KnownResults::default(); self.records.len()]
    }

    fn parts(&self) -> Option<u64> {
        self.firsts.last().copied()
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let Some((number, record, numbers)) = self.of_part(number) else {
            return Ok(Some(Vec::new()));
        };
        let playing = record.playing(&numbers);
        let mut bytes = Vec::new();
        // Those with the same games together: all of them but in the last parts of some. Both sides of a cube decision
        // have the same number of games.
        for group in playing.chunk_by(|a, b| a.1 == b.1) {
            let candidates: Vec<Position> = (group.iter())
                .filter_map(|&(index, _)| record.candidates.get(index).copied())
                .collect();
            let of = (record.position, record.roll, &candidates[..]);
            let count = group.first().map_or(0, |&(_, count)| count);
            let numbers = numbers.start..numbers.start + count;
            match games(self.engine, (self.recipe, number), of, numbers, stop) {
                Ok(found) => {
                    for games in found {
                        for chance in 0..5 {
                            let sum: f64 = games.iter().map(|game| game[chance]).sum();
                            bytes.extend((sum / f64::from(count)).to_le_bytes());
                        }
                    }
                }
                Err(_) if stop.is_triggered() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok((!stop.is_triggered()).then_some(bytes))
    }

    fn merge(&self, sum: &mut Vec<KnownResults>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let (number, record, games) = self.of_part(number).ok_or(BadPart)?;
        let known = sum.get_mut(number).ok_or(BadPart)?;
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|one| f64::from_le_bytes(*one)).collect();
        let (candidates, more) = numbers.as_chunks::<5>();
        let finite = numbers.iter().all(|number| number.is_finite());
        let playing = record.playing(&games);
        if !rest.is_empty() || !more.is_empty() || !finite || candidates.len() != playing.len() {
            return Err(BadPart);
        }
        known.parts += 1;
        known.candidates.resize(record.rolled(), Vec::new());
        for ((index, _), &chances) in playing.into_iter().zip(candidates) {
            known.candidates[index].push(chances);
        }
        Ok(())
    }

    fn progress(&self, _: &Vec<KnownResults>, parts: u64) -> Progress {
        // A share has only every so many-th part.
        let total = self.parts().unwrap_or(0);
        let records = self.firsts.partition_point(|&first| first <= parts) - 1;
        let figures = format!("{records} of {} records", self.records.len());
        Progress::new("parts", parts, Some(total)).figures(figures)
    }
}
