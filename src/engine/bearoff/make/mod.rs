//! Making bearoff databases, byte for byte as GNU Backgammon lays them out.
//!
//! Stands alone with `numbering`: the build script includes it to make the two default
//! tables, the program to make larger ones. The rules cited are those of
//! `protocol-specs/bearoff-databases.md`.

pub(super) mod best_play;
mod one_sided;
pub(super) mod two_sided;

pub use one_sided::{one_sided, one_sided_watched};
pub use two_sided::{LineStore, best_plays, two_sided, two_sided_by, two_sided_kept};

/// A progress callback: receives the number of finished positions or pairs and the total; `false` cancels the work.
pub type Watch<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

/// Length of every database's header.
pub(crate) const HEADER_BYTES: usize = 40;

/// The 21 rolls, larger die first, with how many of 36 throws give them.
pub(crate) const ROLLS: [(usize, usize, u32); 21] = {
    let mut rolls = [(1, 1, 1); 21];
    let (mut next, mut high) = (0, 1);
    while high <= 6 {
        let mut low = 1;
        while low <= high {
            rolls[next] = (high, low, if low == high { 1 } else { 2 });
            next += 1;
            low += 1;
        }
        high += 1;
    }
    rolls
};

/// Returns a header: the words, filled up with `x`, and a line feed (`BEAR-10`).
fn header(words: &str) -> Vec<u8> {
    let mut header = words.as_bytes().to_vec();
    header.resize(HEADER_BYTES - 1, b'x');
    header.push(b'\n');
    header
}
