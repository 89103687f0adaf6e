//! The variants of the game that are played here.

use crate::{POINTS, Position};

/// A variant of backgammon: the same rules of play from another start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// The usual start.
    #[default]
    Backgammon,
    /// Two of the thirteens and sixes of the usual start stand behind.
    Nackgammon,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 2] = [Variant::Backgammon, Variant::Nackgammon];

    /// Returns the name in match files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Backgammon => "Backgammon",
            Variant::Nackgammon => "NackGammon",
        }
    }

    /// Returns the variant of a name, in letters of any case; `None` if it is unknown.
    #[must_use]
    pub fn named(name: &str) -> Option<Variant> {
        let mut all = Variant::ALL.into_iter();
        all.find(|variant| name.eq_ignore_ascii_case(variant.name()))
    }

    /// Returns the position at the start of a game.
    #[must_use]
    pub fn start(self) -> Position {
        match self {
            Variant::Backgammon => Position::start(),
            Variant::Nackgammon => {
                let mut counts = [0; POINTS];
                for (index, count) in [(23, 2), (22, 2), (12, 4), (7, 3), (5, 4)] {
                    counts[index] = count;
                }
                Position::new(&counts, &counts).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_of_variants_have_all_checkers() {
        for (variant, pips) in [(Variant::Backgammon, 167), (Variant::Nackgammon, 194)] {
            let start = variant.start();
            assert_eq!((start.me().pips(), start.opponent().pips()), (pips, pips));
            assert_eq!((start.me().off(), start.opponent().off()), (0, 0));
            assert_eq!(
                Variant::named(&variant.name().to_uppercase()),
                Some(variant)
            );
        }
        assert_eq!(Variant::named("Hypergammon"), None);
    }
}
