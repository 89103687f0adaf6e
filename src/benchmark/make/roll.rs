//! Candidates rolled out: a job whose parts are a few games of all candidates of a record.

use super::choose::Chosen;
use super::recipe::{GAMES_PER_PART, Recipe, games};
use crate::engine::{Engine, EngineError};
use crate::job::{BadPart, Header, Job, Progress, sha256};
use crate::notation::PositionKey;
use crate::query::Stop;

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

/// What is known of a record: the mean chances of each part, candidate by candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Parts, then candidates.
    pub parts: Vec<Vec<[f64; 5]>>,
}

impl<'a> Rolling<'a> {
    /// Rolls `records` out as `recipe` says.
    ///
    /// # Errors
    /// When the engine's files cannot be read any more.
    pub fn new(
        engine: &'a Engine,
        recipe: &'a Recipe,
        records: &'a [Chosen],
    ) -> Result<Rolling<'a>, EngineError> {
        let mut firsts = vec![0];
        for record in records {
            let parts = u64::from(record.games.div_ceil(GAMES_PER_PART));
            firsts.push(firsts.last().copied().unwrap_or(0) + parts);
        }
        let mut settings = recipe.rollout.clone();
        settings.error = None;
        let header = Header::new("benchmark records", 1)
            .field("nets", engine.identity()?)
            .field("records", checksum(records))
            .field("full", recipe.full)
            .field("rollout", format!("{settings:?}"));
        Ok(Rolling {
            engine,
            recipe,
            records,
            firsts,
            header,
        })
    }

    /// The record of a part, and which of its games.
    fn of_part(&self, part: u64) -> Option<(usize, &'a Chosen, std::ops::Range<u32>)> {
        let number = self.firsts.partition_point(|&first| first <= part);
        let number = number.checked_sub(1)?;
        let record = self.records.get(number)?;
        let within = part - self.firsts.get(number)?;
        let from = u32::try_from(within).ok()?.checked_mul(GAMES_PER_PART)?;
        let to = from.saturating_add(GAMES_PER_PART).min(record.games);
        Some((number, record, from..to))
    }
}

impl Chosen {
    /// How many positions are rolled out.
    pub(super) fn rolled(&self) -> usize {
        self.candidates.len().max(1)
    }
}

fn checksum(records: &[Chosen]) -> String {
    let mut text = String::new();
    for record in records {
        let roll = record.roll.map_or("00".to_owned(), |roll| roll.to_string());
        let (position, games) = (PositionKey::from(record.position), record.games);
        text.push_str(&format!("{position} {roll} {games} {}", record.listed));
        for &candidate in &record.candidates {
            text.push_str(&format!(" {}", PositionKey::from(candidate)));
        }
        text.push('\n');
    }
    format!("{}, sha256 {}", records.len(), sha256(text.as_bytes()))
}

impl Job for Rolling<'_> {
    /// What is known of each record, in order.
    type Sum = Vec<Known>;
    type Error = EngineError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Vec<Known> {
        vec![Known::default(); self.records.len()]
    }

    fn parts(&self) -> Option<u64> {
        self.firsts.last().copied()
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let Some((number, record, numbers)) = self.of_part(number) else {
            return Ok(Some(Vec::new()));
        };
        let of = (record.position, record.roll, &record.candidates[..]);
        let count = f64::from(numbers.end - numbers.start);
        match games(self.engine, (self.recipe, number), of, numbers, stop) {
            Ok(found) => {
                let mut bytes = Vec::new();
                for games in found {
                    for chance in 0..5 {
                        let sum: f64 = games.iter().map(|game| game[chance]).sum();
                        bytes.extend((sum / count).to_le_bytes());
                    }
                }
                Ok((!stop.is_triggered()).then_some(bytes))
            }
            Err(_) if stop.is_triggered() => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn merge(&self, sum: &mut Vec<Known>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let (number, record, _) = self.of_part(number).ok_or(BadPart)?;
        let known = sum.get_mut(number).ok_or(BadPart)?;
        let (numbers, rest) = bytes.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|one| f64::from_le_bytes(*one)).collect();
        let (candidates, more) = numbers.as_chunks::<5>();
        let finite = numbers.iter().all(|number| number.is_finite());
        if !rest.is_empty() || !more.is_empty() || !finite || candidates.len() != record.rolled() {
            return Err(BadPart);
        }
        known.parts.push(candidates.to_vec());
        Ok(())
    }

    fn progress(&self, _: &Vec<Known>, parts: u64) -> Progress {
        // A share has only every so many-th part.
        let total = self.parts().unwrap_or(0);
        let records = self.firsts.partition_point(|&first| first <= parts) - 1;
        let figures = format!("{records} of {} records", self.records.len());
        Progress::new("parts", parts, Some(total)).figures(figures)
    }
}
