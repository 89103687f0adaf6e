//! The variants of the game: their start, their number of checkers, and the results of their games.

use crate::{Margin, Outcome, POINTS, Position, PositionError, Side};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A variant of backgammon: the same rules of play from another start, some with fewer checkers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// The usual start.
    #[default]
    Backgammon,
    /// Two of the thirteens and sixes of the usual start stand behind.
    Nackgammon,
    /// Three checkers a side, on the points 24, 23 and 22.
    Hypergammon,
    /// Two checkers a side, on the points 24 and 23.
    Hypergammon2,
    /// One checker a side, on the point 24.
    Hypergammon1,
}

impl Variant {
    /// All variants.
    pub const ALL: [Variant; 5] = [
        Variant::Backgammon,
        Variant::Nackgammon,
        Variant::Hypergammon,
        Variant::Hypergammon2,
        Variant::Hypergammon1,
    ];

    /// Names of the settings of [`Variant::word`].
    pub const WORDS: [&'static str; 5] = [
        Variant::Backgammon.word(),
        Variant::Nackgammon.word(),
        Variant::Hypergammon.word(),
        Variant::Hypergammon2.word(),
        Variant::Hypergammon1.word(),
    ];

    /// Other spellings, with the name as a setting that they mean: those of GNU Backgammon, and of other match files.
    pub const SYNONYMS: &'static [(&'static str, &'static str)] = &[
        ("standard", "backgammon"),
        ("hypergammon3", "hypergammon"),
        ("3-chequer-hypergammon", "hypergammon"),
        ("2-chequer-hypergammon", "hypergammon2"),
        ("1-chequer-hypergammon", "hypergammon1"),
    ];

    /// Returns the name as a setting.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Variant::Backgammon => "backgammon",
            Variant::Nackgammon => "nackgammon",
            Variant::Hypergammon => "hypergammon",
            Variant::Hypergammon2 => "hypergammon2",
            Variant::Hypergammon1 => "hypergammon1",
        }
    }

    /// Returns the name in match files, as GNU Backgammon writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Variant::Backgammon => "Backgammon",
            Variant::Nackgammon => "NackGammon",
            Variant::Hypergammon => "HyperGammon (3)",
            Variant::Hypergammon2 => "HyperGammon (2)",
            Variant::Hypergammon1 => "HyperGammon (1)",
        }
    }

    /// Returns the variant of a name or a word, in letters of any case; `None` if it is unknown.
    #[must_use]
    pub fn named(name: &str) -> Option<Variant> {
        let meant = |(spelt, _): &&(&str, &str)| name.eq_ignore_ascii_case(spelt);
        let synonym = Variant::SYNONYMS.iter().find(meant);
        let name = synonym.map_or(name, |&(_, word)| word);
        Variant::ALL.into_iter().find(|variant| {
            let names = [variant.word(), variant.name()];
            names.iter().any(|one| name.eq_ignore_ascii_case(one))
        })
    }

    /// Returns the number of checkers of each side.
    #[must_use]
    pub const fn checkers(self) -> u8 {
        match self {
            Variant::Backgammon | Variant::Nackgammon => Side::CHECKERS,
            Variant::Hypergammon => 3,
            Variant::Hypergammon2 => 2,
            Variant::Hypergammon1 => 1,
        }
    }

    /// Returns the position at the start of a game.
    #[must_use]
    pub fn start(self) -> Position {
        let mut counts = [0; POINTS];
        match self {
            Variant::Backgammon => return Position::start(),
            Variant::Nackgammon => {
                for (index, count) in [(23, 2), (22, 2), (12, 4), (7, 3), (5, 4)] {
                    counts[index] = count;
                }
            }
            _ => counts[24 - usize::from(self.checkers())..24].fill(1),
        }
        Position::new(&counts, &counts).unwrap_or_default()
    }

    /// Returns the number of checkers that a side has borne off. [`Side::off`] counts from fifteen.
    #[must_use]
    pub const fn off(self, side: Side) -> u8 {
        self.checkers().saturating_sub(side.on_board())
    }

    /// Returns the result of a game; `None` while both sides have checkers left.
    #[must_use]
    pub const fn outcome(self, position: &Position) -> Option<Outcome> {
        let won = position.me().on_board() == 0;
        let loser = match (won, position.opponent().on_board()) {
            (true, _) => position.opponent(),
            (false, 0) => position.me(),
            _ => return None,
        };
        let margin = if self.off(loser) > 0 {
            Margin::Single
        } else if loser.occupied() & WINNERS_HOME_AND_BAR != 0 {
            Margin::Backgammon
        } else {
            Margin::Gammon
        };
        Some(Outcome { won, margin })
    }

    /// Checks that neither side has more checkers on the board than the variant.
    ///
    /// # Errors
    /// [`PositionError::Variant`].
    pub const fn check(self, position: &Position) -> Result<(), PositionError> {
        let [mine, theirs] = [position.me().on_board(), position.opponent().on_board()];
        let checkers = if mine > theirs { mine } else { theirs };
        if checkers > self.checkers() {
            return Err(PositionError::Variant {
                variant: self,
                checkers,
            });
        }
        Ok(())
    }
}

impl fmt::Display for Variant {
    /// Writes the name as a setting.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The points of the winner's home board, seen by the loser, and the bar.
const WINNERS_HOME_AND_BAR: u32 = 0x7f << 18;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_of_variants_have_all_checkers() {
        let pips = [167, 194, 24 + 23 + 22, 24 + 23, 24];
        for (variant, pips) in Variant::ALL.into_iter().zip(pips) {
            let start = variant.start();
            assert_eq!((start.me().pips(), start.opponent().pips()), (pips, pips));
            for side in [start.me(), start.opponent()] {
                assert_eq!(
                    (variant.off(side), side.on_board()),
                    (0, variant.checkers())
                );
            }
            assert_eq!(
                (variant.check(&start), variant.outcome(&start)),
                (Ok(()), None)
            );
        }
    }

    #[test]
    fn variants_are_found_by_all_their_names() {
        for (variant, word) in Variant::ALL.into_iter().zip(Variant::WORDS) {
            assert_eq!(Variant::named(word), Some(variant));
            let shouted = variant.name().to_uppercase();
            assert_eq!(Variant::named(&shouted), Some(variant));
            assert_eq!(serde_json::to_value(variant).unwrap(), word);
        }
        for (spelt, word) in Variant::SYNONYMS {
            let variant = Variant::named(spelt).unwrap();
            assert_eq!(variant.word(), *word);
        }
        assert_eq!(Variant::named("HyperGammon"), Some(Variant::Hypergammon));
        assert_eq!(Variant::named("longgammon"), None);
    }

    /// A loser of hypergammon who has all three checkers left loses a gammon.
    #[test]
    fn gammons_count_by_the_checkers_of_the_variant() {
        let margin = |variant: Variant, points: &[usize]| {
            let mut counts = [0; POINTS];
            points.iter().for_each(|&index| counts[index] += 1);
            let position = Position::new(&counts, &[0; POINTS]).unwrap();
            let outcome = variant.outcome(&position).unwrap();
            assert_eq!(
                variant.outcome(&position.swapped()),
                Some(outcome.swapped())
            );
            assert!(!outcome.won);
            outcome.margin
        };
        use Margin::{Backgammon, Gammon, Single};
        for (variant, points, expected) in [
            (Variant::Hypergammon, &[0, 0, 17][..], Gammon),
            (Variant::Hypergammon, &[0, 0, 18], Backgammon),
            (Variant::Hypergammon, &[0, 0, 24], Backgammon),
            (Variant::Hypergammon, &[24, 24], Single),
            (Variant::Hypergammon2, &[0, 17], Gammon),
            (Variant::Hypergammon1, &[23], Backgammon),
            (Variant::Backgammon, &[0, 0, 24], Single),
        ] {
            assert_eq!(margin(variant, points), expected, "{variant:?} {points:?}");
        }
    }

    #[test]
    fn positions_with_too_many_checkers_are_refused() {
        let error = Variant::Hypergammon2.check(&Variant::Hypergammon.start());
        assert_eq!(
            error.unwrap_err().to_string(),
            "3 checkers of one side, at most 2 in hypergammon2"
        );
        assert!(Variant::Hypergammon.check(&Position::start()).is_err());
        assert!(Variant::Nackgammon.check(&Position::start()).is_ok());
    }
}
