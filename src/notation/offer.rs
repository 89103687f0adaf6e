//! What has been offered and waits for an answer: several forms can say it.

/// What has been offered and waits for an answer of the player who is not on roll.
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
