//! Offers that wait for an answer; several forms can express them.

/// An offer that waits for an answer of the player who is not on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Offer {
    /// A double or redouble.
    Double,
    /// A beaver: the double was taken and turned at once.
    Beaver,
    /// A raccoon: the beaver was turned at once.
    Raccoon,
    /// A resignation worth 1 (single), 2 (gammon) or 3 (backgammon) cubes.
    Resignation(u8),
}

impl std::fmt::Display for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Offer::Double => f.write_str("double"),
            Offer::Beaver => f.write_str("beaver"),
            Offer::Raccoon => f.write_str("raccoon"),
            Offer::Resignation(1) => f.write_str("resignation of a single game"),
            Offer::Resignation(2) => f.write_str("resignation of a gammon"),
            Offer::Resignation(_) => f.write_str("resignation of a backgammon"),
        }
    }
}
