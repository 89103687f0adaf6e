//! GNU Backgammon's position classes.

use super::{Position, Side};
use std::fmt;

/// Class of a position; selects the net or table that evaluates it. The numbers are GNU Backgammon's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// One side has borne off everything.
    Over = 0,
    /// Covered by the table of a hypergammon variant.
    Hypergammon = 3,
    /// Covered by the two-sided bearoff table (6 checkers on 6 points each).
    Bearoff2 = 4,
    /// Covered by an extra two-sided file.
    BearoffTs = 5,
    /// Covered by the one-sided bearoff table (15 checkers on 6 points each).
    Bearoff1 = 6,
    /// Covered by an extra one-sided file.
    BearoffOs = 7,
    /// No contact.
    Race = 8,
    /// Contact, and one side has hardly any checkers left to move with.
    Crashed = 9,
    /// Contact.
    Contact = 10,
}

impl Class {
    /// Returns the class of a position when only the two default tables exist.
    #[must_use]
    pub fn of(position: &Position) -> Class {
        let (me, opponent) = (position.me(), position.opponent());
        let (Some(mine), Some(theirs)) = (me.rearmost(), opponent.rearmost()) else {
            return Class::Over;
        };
        if mine + theirs > 22 {
            return if is_crashed(me) || is_crashed(opponent) {
                Class::Crashed
            } else {
                Class::Contact
            };
        }
        if mine > 5 || theirs > 5 {
            return Class::Race;
        }
        if me.on_board() <= 6 && opponent.on_board() <= 6 {
            Class::Bearoff2
        } else {
            Class::Bearoff1
        }
    }
}

/// Returns true if at most six checkers remain besides those stacked on the two deepest points.
fn is_crashed(side: Side) -> bool {
    let total = side.on_board();
    let (ace, deuce) = (side.count(0), side.count(1));
    if total <= 6 {
        true
    } else if ace > 1 {
        total <= 6 + ace || (deuce > 1 && 1 + total - ace - deuce <= 6)
    } else {
        total < 6 + deuce
    }
}

impl fmt::Display for Class {
    /// Writes `over`, `hypergammon`, `bearoff2`, `bearoff-ts`, `bearoff1`, `bearoff-os`, `race`, `crashed`, `contact`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Over => "over",
            Class::Hypergammon => "hypergammon",
            Class::Bearoff2 => "bearoff2",
            Class::BearoffTs => "bearoff-ts",
            Class::Bearoff1 => "bearoff1",
            Class::BearoffOs => "bearoff-os",
            Class::Race => "race",
            Class::Crashed => "crashed",
            Class::Contact => "contact",
        })
    }
}
