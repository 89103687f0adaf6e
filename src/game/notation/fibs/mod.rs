//! The lines of a FIBS server: cut out of a byte stream ([`bytes`]), named ([`name_line`]), and whose words mean
//! nothing ([`free_text`]). Rules FIBS-01 to FIBS-09 and FIBS-33 of `protocol-specs/fibs.md`.

pub mod bytes;
mod clip;
pub mod free_text;
pub mod message;
mod sentences;

pub use bytes::{LineReader, Piece};
pub use clip::{name_line, watched_line};
pub use message::{By, MatchTerms, Message, OwnInfo, SpeechKind, Watched, Who};

use crate::{BAR, OFF, Play, Step};

/// Returns the steps of `X moves 13-8 6-5 .` as the mover's own numbers; `ascending` when the mover moves to higher
/// numbers.
#[must_use]
pub fn read_steps(text: &str, ascending: bool) -> Option<Play> {
    let mut steps = Vec::new();
    for (from, to) in pairs(text) {
        let point = |word: &str| -> Option<u8> {
            match word {
                "bar" | "b" => u8::try_from(BAR).ok(),
                "off" | "home" | "o" | "h" => u8::try_from(OFF).ok(),
                number => {
                    let number: u8 = number
                        .parse()
                        .ok()
                        .filter(|point| (1..=24).contains(point))?;
                    Some(if ascending { 24 - number } else { number - 1 })
                }
            }
        };
        steps.push(Step {
            from: point(from)?,
            to: point(to?)?,
        });
    }
    Play::from_steps(&steps)
}

/// Returns true if such steps go to higher numbers. On one board this holds for both players' steps.
#[must_use]
pub fn moves_up(text: &str) -> bool {
    let Some((from, Some(to))) = pairs(text).next() else {
        return false;
    };
    match (from.parse::<u8>(), to.parse::<u8>()) {
        (Ok(from), Ok(to)) => to > from,
        // From the bar to the low points, off from the high ones.
        (Err(_), Ok(to)) => to <= 6,
        (Ok(from), Err(_)) => from >= 19,
        _ => false,
    }
}

/// Splits each step at its hyphen.
fn pairs(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let words = text
        .split_whitespace()
        .map(|word| word.trim_end_matches('.'));
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| match word.split_once('-') {
        Some((from, to)) => (from, Some(to)),
        None => (word, None),
    })
}
