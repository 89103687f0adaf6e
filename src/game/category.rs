//! The seven kinds of crashed positions.

use super::{BAR, Position, Side};
use std::fmt;

/// Kind of a crashed position, seen by the player on roll; the first kind that fits applies.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Category {
    /// The player on roll has a full prime.
    RollPrime,
    /// A checker of the player on roll is behind the opponent's full prime.
    Trapped,
    /// Behind in the race with a checker of the opponent to contain.
    Contain,
    /// Ahead in the race with a checker to bring home.
    Escape,
    /// Far ahead in the race.
    Scramble,
    /// Far behind in the race.
    MustHit,
    /// None of these categories.
    Other,
}

impl Category {
    /// All, in the order of the decision.
    pub const ALL: [Category; 7] = [
        Category::RollPrime,
        Category::Trapped,
        Category::Contain,
        Category::Escape,
        Category::Scramble,
        Category::MustHit,
        Category::Other,
    ];

    /// Returns the category of a position; meant for crashed ones.
    #[must_use]
    pub fn of(position: &Position) -> Category {
        let (me, other) = (position.me(), position.opponent());
        let lead = i64::from(other.pips()) - i64::from(me.pips());
        let trapped = || {
            prime(other)
                .is_some_and(|low| (0..=BAR).any(|i| me.count(i) > 0 && (i == BAR || 23 - i < low)))
        };
        if prime(me).is_some() {
            Category::RollPrime
        } else if trapped() {
            Category::Trapped
        } else if lead < 0 && faces_many(other, me) {
            Category::Contain
        } else if lead > 0 && faces_many(me, other) {
            Category::Escape
        } else if lead > 12 {
            Category::Scramble
        } else if lead < -12 {
            Category::MustHit
        } else {
            Category::Other
        }
    }
}

/// Returns the highest `k` with six points `k..=k + 5` made.
fn prime(side: Side) -> Option<usize> {
    (0..=18).rev().find(|&k| side.made() >> k & 0x3f == 0x3f)
}

/// Returns true if a checker of `runner` has six or more checkers of `blocker` in front of it.
fn faces_many(runner: Side, blocker: Side) -> bool {
    (0..=BAR).any(|q| {
        let first = if q == BAR { 0 } else { 24 - q };
        let ahead: u8 = (first..=BAR).map(|i| blocker.count(i)).sum();
        runner.count(q) > 0 && ahead >= 6
    })
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Category::RollPrime => "roll-prime",
            Category::Trapped => "trapped",
            Category::Contain => "contain",
            Category::Escape => "escape",
            Category::Scramble => "scramble",
            Category::MustHit => "must-hit",
            Category::Other => "other",
        })
    }
}
