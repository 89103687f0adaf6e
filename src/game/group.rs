//! Groups of positions by which scores are reported: classes, kinds of crashed positions, game plans, families.

use super::family::{BACK, BACK_GAME_PIPS, anchors};
use super::{Category, Class, Position, PositionFamily, Side};
use std::fmt;

/// A group of positions; a position may belong to several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// Positions of a class.
    Class(Class),
    /// Crashed positions of a kind.
    Crashed(Category),
    /// One side holds two or more points in the other's home and trails by 40 pips or more.
    BackGame,
    /// One side has borne off checkers and has one on the bar or in the other's home; the other, which has
    /// borne off none, has made three or more points of its home.
    Containment,
    /// Positions of a family.
    Family(PositionFamily),
}

impl Group {
    /// All, in the order in which they are shown.
    pub const ALL: [Group; 27] = [
        Group::Class(Class::Contact),
        Group::Class(Class::Crashed),
        Group::Class(Class::Race),
        Group::Class(Class::Bearoff1),
        Group::Class(Class::Bearoff2),
        Group::Crashed(Category::RollPrime),
        Group::Crashed(Category::Trapped),
        Group::Crashed(Category::Contain),
        Group::Crashed(Category::Escape),
        Group::Crashed(Category::Scramble),
        Group::Crashed(Category::MustHit),
        Group::Crashed(Category::Other),
        Group::BackGame,
        Group::Containment,
        Group::Family(PositionFamily::ALL[0]),
        Group::Family(PositionFamily::ALL[1]),
        Group::Family(PositionFamily::ALL[2]),
        Group::Family(PositionFamily::ALL[3]),
        Group::Family(PositionFamily::ALL[4]),
        Group::Family(PositionFamily::ALL[5]),
        Group::Family(PositionFamily::ALL[6]),
        Group::Family(PositionFamily::ALL[7]),
        Group::Family(PositionFamily::ALL[8]),
        Group::Family(PositionFamily::ALL[9]),
        Group::Family(PositionFamily::ALL[10]),
        Group::Family(PositionFamily::ALL[11]),
        Group::Family(PositionFamily::ALL[12]),
    ];

    /// Returns true if a position belongs to the group.
    #[must_use]
    pub fn holds(self, position: &Position) -> bool {
        let sides = [position.me(), position.opponent()];
        let either = |fits: fn(Side, Side) -> bool| {
            position.has_contact() && (fits(sides[0], sides[1]) || fits(sides[1], sides[0]))
        };
        match self {
            Group::Class(class) => Class::of(position) == class,
            Group::Crashed(category) => {
                Class::of(position) == Class::Crashed && Category::of(position) == category
            }
            Group::BackGame => either(|back, other| {
                anchors(back) >= 2 && back.pips() >= other.pips() + BACK_GAME_PIPS
            }),
            Group::Containment => either(|held, other| {
                held.off() > 0
                    && held.occupied() & BACK != 0
                    && other.off() == 0
                    && (other.made() & 0x3f).count_ones() >= 3
            }),
            Group::Family(family) => family.holds(position),
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Class(class) => write!(f, "{class}"),
            Group::Crashed(category) => write!(f, "crashed: {category}"),
            Group::BackGame => f.write_str("back game"),
            Group::Containment => f.write_str("containment"),
            Group::Family(family) => write!(f, "{family}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(mine: &[(usize, u8)], theirs: &[(usize, u8)]) -> Position {
        let counts = |places: &[(usize, u8)]| {
            let mut counts = [0; 25];
            for &(at, count) in places {
                counts[at] += count;
            }
            counts
        };
        Position::new(&counts(mine), &counts(theirs)).unwrap()
    }

    fn names(position: &Position) -> Vec<String> {
        let groups = Group::ALL.iter().filter(|group| group.holds(position));
        groups.map(ToString::to_string).collect()
    }

    #[test]
    fn game_plans_are_recognised() {
        assert_eq!(names(&Position::start()), ["contact"]);
        let back = [(22, 2), (20, 3), (5, 4), (4, 3), (7, 3)];
        let bearing_in = [(0, 0), (5, 4), (4, 3), (2, 3), (6, 3), (8, 2)];
        let game = position(&back, &bearing_in);
        assert_eq!(names(&game), ["contact", "back game", "back game 2-4"]);
        assert_eq!(names(&game.swapped()), names(&game));
        let one_anchor = [(22, 5), (5, 4), (4, 3), (7, 3)];
        assert_eq!(names(&position(&one_anchor, &bearing_in)), ["contact"]);
        let board = [(5, 3), (4, 3), (3, 3), (2, 2), (9, 2), (12, 2)];
        let held = position(&board, &[(24, 1), (0, 2), (1, 3)]);
        assert!(names(&held).contains(&"containment".to_owned()));
        assert!(names(&held.swapped()).contains(&"containment".to_owned()));
        let free = position(&board, &[(15, 1), (0, 2), (1, 3)]);
        assert!(!names(&free).contains(&"containment".to_owned()));
        let race = position(&[(6, 15)], &[(6, 15)]);
        assert_eq!(names(&race), ["race"]);
    }
}
