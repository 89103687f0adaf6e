//! Plays in the spelling of gnubg's external protocol: every step by itself, so that a blot hit on the way is always
//! spelt out (EXT-23).

use gammond_game::{BAR, OFF, Play, Position};
use std::fmt::Write;

/// Spelling of a play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `bar/22 24/23`: an answer to gnubg.
    Words,
    /// `25/22* 24/23 `: what gnubg itself answers as a server; a blank after each step but the
    /// fourth, a star where a blot is hit.
    Numbers,
}

/// Writes a play of the player on roll in `position`; empty for no play.
#[must_use]
pub fn spell(position: &Position, play: &Play, spelling: Spelling) -> String {
    let mut text = String::new();
    let mut blots: Vec<usize> = (0..24)
        .filter(|&index| position.opponent().count(23 - index) == 1)
        .collect();
    let steps = play.steps();
    for (number, step) in steps.iter().enumerate() {
        let (from, to) = (usize::from(step.from), usize::from(step.to));
        let hit = blots.iter().position(|&blot| blot == to);
        if let Some(hit) = hit {
            blots.remove(hit);
        }
        match spelling {
            Spelling::Words => {
                if number > 0 {
                    text.push(' ');
                }
                word(&mut text, from);
                text.push('/');
                word(&mut text, to);
            }
            Spelling::Numbers => {
                let to = if to == OFF { 0 } else { to + 1 };
                let star = if hit.is_some() { "*" } else { "" };
                let blank = if number < 3 { " " } else { "" };
                // Writing into a string cannot fail.
                let _ = write!(text, "{}/{to}{star}{blank}", from + 1);
            }
        }
    }
    text
}

fn word(text: &mut String, index: usize) {
    match index {
        BAR => text.push_str("bar"),
        OFF => text.push_str("off"),
        _ => {
            let _ = write!(text, "{}", index + 1);
        }
    }
}
