//! The default tables: in the program, or made when they are first asked.

use super::bytes::Bytes;
use super::numbering::Numbering;
use std::sync::LazyLock;

/// 6 points, 15 checkers.
pub(super) const ONE_SIDED: Numbering = match Numbering::new(6, 15) {
    Some(numbering) => numbering,
    None => unreachable!(),
};

/// 6 points, 6 checkers.
pub(super) const TWO_SIDED: Numbering = match Numbering::new(6, 6) {
    Some(numbering) => numbering,
    None => unreachable!(),
};

/// Returns the one-sided table, unpacked or made when it is first asked.
pub(super) fn one_sided() -> Bytes {
    static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        #[cfg(feature = "tables")]
        let table = crate::packed::unpack(include_bytes!(concat!(env!("OUT_DIR"), "/os0.bd")));
        #[cfg(not(feature = "tables"))]
        let table = super::make::one_sided(ONE_SIDED, true, true);
        table
    });
    Bytes::Made(&TABLE)
}

/// Returns the two-sided table, made when it is first asked: 6.8 MB of table by 50 KB of plays.
#[cfg(endings_made)]
pub(super) fn two_sided() -> Bytes {
    static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let plays = include_bytes!(concat!(env!("OUT_DIR"), "/ts0.plays"));
        super::make::two_sided_by(TWO_SIDED, plays)
    });
    Bytes::Made(&TABLE)
}

/// Returns the two-sided table; see the build script.
#[cfg(not(endings_made))]
pub(super) fn two_sided() -> Bytes {
    static TABLE: LazyLock<Vec<u8>> =
        LazyLock::new(|| include_bytes!(concat!(env!("OUT_DIR"), "/ts0.bd")).to_vec());
    Bytes::Made(&TABLE)
}
