//! Decisions of people, read from a table.

use gammond_game::notation::{parse_play, parse_position, parse_roll};
use gammond_game::{MatchState, Position, Roll};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The choice that a person had, and made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// A roll, and the position after the play.
    Play(Roll, Position),
    /// True if the player doubled.
    Double(bool),
    /// True if the player took.
    Take(bool),
}

/// A decision of a person.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    /// Number made of the match's name.
    pub(super) group: u64,
    pub(super) player: u32,
    /// The position, seen by the player on roll.
    pub(super) position: Position,
    pub(super) state: MatchState,
    pub(super) choice: Choice,
}

/// Reads decisions; the second number is that of the lines without one.
pub(super) fn read(text: &str) -> (Vec<Decision>, usize) {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| head.iter().position(|word| *word == name);
    let names = ["match", "player", "kind", "position", "roll", "played"];
    let columns: Option<Vec<usize>> = names.iter().map(|name| column(name)).collect();
    let Some(columns) = columns else {
        return (Vec::new(), lines.count());
    };
    let (mut decisions, mut left_out) = (Vec::new(), 0);
    for line in lines {
        let words: Vec<&str> = line.split('\t').collect();
        let words: Option<Vec<&str>> = columns.iter().map(|&at| words.get(at).copied()).collect();
        match words.and_then(|words| decision(&words)) {
            Some(decision) => decisions.push(decision),
            None => left_out += 1,
        }
    }
    (decisions, left_out)
}

fn decision(words: &[&str]) -> Option<Decision> {
    let [group, player, kind, position, roll, played] = words.try_into().ok()?;
    let parsed = parse_position(str::as_bytes(position)).ok()?;
    let choice = match (kind, played) {
        ("play", played) => {
            let roll = parse_roll(str::as_bytes(roll)).ok()?;
            let play = parse_play(played, &parsed.position, roll).ok()?;
            Choice::Play(roll, play.after)
        }
        ("double", "double") => Choice::Double(true),
        ("double", "no double") => Choice::Double(false),
        ("take", "take") => Choice::Take(true),
        ("take", "pass") => Choice::Take(false),
        _ => return None,
    };
    let mut hasher = DefaultHasher::new();
    group.hash(&mut hasher);
    Some(Decision {
        group: hasher.finish(),
        player: player.parse().ok()?,
        position: parsed.position,
        state: parsed.state?,
        choice,
    })
}
