//! Families of positions on which engines differ most (BM-41).
//!
//! The names are those of the literature. The limits are ours: they only decide which positions are counted together.

use super::{BAR, Position, Side};
use std::fmt;

/// A family of positions. A position may belong to several, and either side may be the one that has the plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[non_exhaustive]
pub enum PositionFamily {
    /// A back game with exactly these two points of the other's home, the lower one first; the side trails by 40 pips
    /// or more.
    BackGame(u8, u8),
    /// Two or more points of the other's home, eight or more checkers there and on the bar, 90 pips or more behind.
    MassiveBackGame,
    /// One side has a checker on the bar or in the other's home; the other trails by 120 pips or more and has ten or
    /// more checkers to bring home around it.
    Snake,
    /// One side has borne off none, has six or more checkers on its ace and deuce points, and not two of its four,
    /// five and six points.
    CrunchedBoard,
    /// Each side has a checker behind four or more points in a row of the other.
    PrimeAgainstPrime,
    /// One side has the other's ace point, all its other checkers in its own half, and trails by 30 pips or more; at
    /// most three checkers of the other are not home.
    AcePoint,
    /// One side has ten or more checkers on its twelve nearest points and two to five points of its home; the other is
    /// on the bar without a point there, with two checkers back or more. None are borne off.
    Blitz,
    /// Contact, but no checker on the bar or in the other's home, none borne off, and 80 pips or more for each side.
    LongRaceWithContact,
}

/// Minimum deficit of a side with a back game, in pips.
pub(super) const BACK_GAME_PIPS: u32 = 40;
const MASSIVE_PIPS: u32 = 90;
const SNAKE_PIPS: u32 = 120;
const ACE_POINT_PIPS: u32 = 30;
const LONG_RACE_PIPS: u32 = 80;
/// Checkers of a massive back game in the other's home and on the bar.
const MASSIVE_CHECKERS: u8 = 8;
/// Checkers of a snake outside of its home.
const SNAKE_CHECKERS: u32 = 10;
/// Checkers on the ace and deuce points of a crunched board.
const CRUNCHED_CHECKERS: u8 = 6;
/// Points in a row that are a prime here.
const PRIME_POINTS: usize = 4;
/// Checkers of an attack on the twelve nearest points.
const BLITZ_CHECKERS: u8 = 10;
/// The opponent's home by a side's own numbering.
const FAR_HOME: u32 = 0x3f << 18;
/// The opponent's home with the bar.
pub(super) const BACK: u32 = 0x7f << 18;

impl PositionFamily {
    /// All, in the order in which they are shown.
    pub const ALL: [PositionFamily; 13] = [
        PositionFamily::BackGame(1, 2),
        PositionFamily::BackGame(1, 3),
        PositionFamily::BackGame(1, 4),
        PositionFamily::BackGame(2, 3),
        PositionFamily::BackGame(2, 4),
        PositionFamily::BackGame(3, 4),
        PositionFamily::MassiveBackGame,
        PositionFamily::Snake,
        PositionFamily::CrunchedBoard,
        PositionFamily::PrimeAgainstPrime,
        PositionFamily::AcePoint,
        PositionFamily::Blitz,
        PositionFamily::LongRaceWithContact,
    ];

    /// Returns true if a position belongs to the family.
    #[must_use]
    pub fn holds(self, position: &Position) -> bool {
        let (me, other) = (position.me(), position.opponent());
        position.has_contact() && (self.is_plan(me, other) || self.is_plan(other, me))
    }

    /// Returns true if `side` has this plan against `other`.
    fn is_plan(self, side: Side, other: Side) -> bool {
        let trails_by = |pips| side.pips() >= other.pips() + pips;
        let none_off = side.off() == 0 && other.off() == 0;
        match self {
            PositionFamily::BackGame(low, high) => {
                let index = |point: u8| BAR - usize::from(point).min(BAR);
                let anchors = 1 << index(low) | 1 << index(high);
                side.made() & FAR_HOME == anchors && trails_by(BACK_GAME_PIPS)
            }
            PositionFamily::MassiveBackGame => {
                anchors(side) >= 2
                    && count(side, 18..=BAR) >= MASSIVE_CHECKERS
                    && trails_by(MASSIVE_PIPS)
            }
            PositionFamily::Snake => {
                other.occupied() & BACK != 0
                    && trails_by(SNAKE_PIPS)
                    && side.outside() >= SNAKE_CHECKERS
            }
            PositionFamily::CrunchedBoard => {
                side.off() == 0
                    && count(side, 0..=1) >= CRUNCHED_CHECKERS
                    && (side.made() & 0x38).count_ones() < 2
            }
            PositionFamily::PrimeAgainstPrime => is_primed(side, other) && is_primed(other, side),
            PositionFamily::AcePoint => {
                side.made() >> 23 & 1 == 1
                    && count(side, 12..=22) + side.count(BAR) == 0
                    && other.outside() <= 3
                    && trails_by(ACE_POINT_PIPS)
            }
            PositionFamily::Blitz => {
                none_off
                    && count(side, 0..=11) >= BLITZ_CHECKERS
                    && (2..=5).contains(&(side.made() & 0x3f).count_ones())
                    && other.count(BAR) > 0
                    && anchors(other) == 0
                    && count(other, 18..=BAR) >= 2
            }
            PositionFamily::LongRaceWithContact => {
                none_off
                    && (side.occupied() | other.occupied()) & BACK == 0
                    && side.pips().min(other.pips()) >= LONG_RACE_PIPS
            }
        }
    }
}

/// Returns the number of points that a side has made in the other's home.
pub(super) fn anchors(side: Side) -> u32 {
    (side.made() & FAR_HOME).count_ones()
}

fn count(side: Side, places: std::ops::RangeInclusive<usize>) -> u8 {
    places.map(|index| side.count(index)).sum()
}

/// Returns true if a checker of `side` is behind a prime of `other`.
fn is_primed(side: Side, other: Side) -> bool {
    let made = other.made();
    let prime = (0..=24 - PRIME_POINTS)
        .rev()
        .find(|&low| made >> low & 0xf == 0xf);
    // A checker on the bar is behind every prime.
    prime.is_some_and(|low| side.occupied() >> (24 - low) != 0)
}

impl fmt::Display for PositionFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PositionFamily::BackGame(low, high) => return write!(f, "back game {low}-{high}"),
            PositionFamily::MassiveBackGame => "massive back game",
            PositionFamily::Snake => "snake",
            PositionFamily::CrunchedBoard => "crunched board",
            PositionFamily::PrimeAgainstPrime => "prime against prime",
            PositionFamily::AcePoint => "ace-point game",
            PositionFamily::Blitz => "blitz",
            PositionFamily::LongRaceWithContact => "long race with contact",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the families of a position given by the checkers at each index, the same for both sides of the board.
    fn families(mine: &[(usize, u8)], theirs: &[(usize, u8)]) -> Vec<PositionFamily> {
        let counts = |places: &[(usize, u8)]| {
            let mut counts = [0; 25];
            for &(at, count) in places {
                counts[at] += count;
            }
            counts
        };
        let position = Position::new(&counts(mine), &counts(theirs)).unwrap();
        let of = |position: &Position| -> Vec<PositionFamily> {
            (PositionFamily::ALL.into_iter())
                .filter(|family| family.holds(position))
                .collect()
        };
        assert_eq!(of(&position), of(&position.swapped()));
        of(&position)
    }

    /// Checks that a position belongs to the family, and another does not.
    fn check(family: PositionFamily, inside: [&[(usize, u8)]; 2], outside: [&[(usize, u8)]; 2]) {
        let found = families(inside[0], inside[1]);
        assert!(found.contains(&family), "{family}: {found:?}");
        let found = families(outside[0], outside[1]);
        assert!(!found.contains(&family), "{family}: {found:?}");
    }

    /// Bearing in with 76 pips, two checkers not home.
    const BEARING_IN: &[(usize, u8)] = &[(7, 2), (5, 4), (4, 3), (3, 3), (2, 3)];

    #[test]
    fn start_belongs_to_no_family() {
        let start = [(5, 5), (7, 3), (12, 5), (23, 2)];
        assert_eq!(families(&start, &start), []);
    }

    #[test]
    fn back_games_are_named_by_their_anchors() {
        let ahead = [(10, 5), (9, 5), (7, 5)];
        for (low, high) in [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)] {
            let at = |point: u8| 24 - usize::from(point);
            let own = [(at(low), 2), (at(high), 2), (6, 6), (11, 5)];
            assert_eq!(
                families(&own, &ahead),
                [PositionFamily::BackGame(low, high)]
            );
            let third = [(at(low), 2), (at(high), 2), (19, 2), (6, 4), (11, 5)];
            assert_eq!(families(&third, &ahead), []);
        }
        // 136 pips against 176 and 175.
        let ahead = [(9, 7), (8, 7), (2, 1)];
        let behind = |rest| [(23, 2), (22, 2), (6, 10), (rest, 1)];
        assert_eq!(
            families(&behind(11), &ahead),
            [PositionFamily::BackGame(1, 2)]
        );
        assert_eq!(families(&behind(10), &ahead), []);
    }

    /// BM-41.
    #[test]
    fn other_families_have_their_limits() {
        let eight = &[(23, 3), (22, 3), (24, 2), (6, 7)][..];
        let seven = &[(23, 3), (22, 3), (24, 1), (6, 8)][..];
        check(
            PositionFamily::MassiveBackGame,
            [eight, BEARING_IN],
            [seven, BEARING_IN],
        );
        let held = &[(24, 1), (1, 7), (0, 7)][..];
        let round = &[(16, 4), (15, 4), (14, 2), (5, 3), (4, 2)][..];
        let nine_to_go = &[(17, 4), (16, 4), (15, 1), (5, 4), (4, 2)][..];
        check(PositionFamily::Snake, [round, held], [nine_to_go, held]);
        let crunched = &[(23, 2), (5, 2), (2, 5), (1, 3), (0, 3)][..];
        let five_low = &[(23, 2), (5, 2), (2, 6), (1, 2), (0, 3)][..];
        let two_points = &[(23, 2), (5, 2), (4, 2), (2, 3), (1, 3), (0, 3)][..];
        let other = &[(7, 3), (6, 4), (5, 4), (3, 4)][..];
        check(
            PositionFamily::CrunchedBoard,
            [crunched, other],
            [five_low, other],
        );
        check(
            PositionFamily::CrunchedBoard,
            [crunched, other],
            [two_points, other],
        );
        let prime = |back| [(back, 2), (8, 3), (7, 3), (6, 3), (5, 3), (1, 1)];
        check(
            PositionFamily::PrimeAgainstPrime,
            [&prime(23), &prime(19)],
            // In front of the prime in place of behind it.
            [&prime(23), &prime(14)],
        );
        let ace = &[(23, 2), (5, 4), (4, 4), (3, 3), (2, 2)][..];
        let deuce = &[(22, 2), (5, 4), (4, 4), (3, 3), (2, 2)][..];
        check(
            PositionFamily::AcePoint,
            [ace, BEARING_IN],
            [deuce, BEARING_IN],
        );
        let attack = &[(12, 3), (23, 2), (7, 3), (5, 4), (4, 3)][..];
        let nine_near = &[(12, 4), (23, 2), (7, 2), (5, 4), (4, 3)][..];
        let on_bar = &[(24, 1), (22, 1), (12, 5), (7, 3), (5, 5)][..];
        let anchored = &[(24, 1), (22, 2), (12, 4), (7, 3), (5, 5)][..];
        check(PositionFamily::Blitz, [attack, on_bar], [nine_near, on_bar]);
        check(PositionFamily::Blitz, [attack, on_bar], [attack, anchored]);
        let escaped = &[(12, 3), (7, 4), (5, 5), (3, 3)][..];
        let back = &[(19, 1), (12, 2), (7, 4), (5, 5), (3, 3)][..];
        check(
            PositionFamily::LongRaceWithContact,
            [escaped, escaped],
            [escaped, back],
        );
    }

    #[test]
    fn nothing_without_contact_belongs_to_a_family() {
        assert_eq!(families(&[(6, 15)], &[(6, 15)]), []);
    }
}
