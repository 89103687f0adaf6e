//! Work that is compiled for the CPU level it runs on, and the operations on whole numbers that it is given.

use super::layout::InputDelta;

/// Work that gains from being compiled for the CPU it runs on.
///
/// Implementations mark `run` and the functions that it calls as `#[inline(always)]`, so that
/// [`super::CpuLevel::run`] compiles it for every level. Plain Rust gives the same result on all.
pub trait Kernel {
    /// Result of the work.
    type Output;
    /// Does the work; `I` are the operations of the level.
    fn run<I: Integers>(self) -> Self::Output;
}

/// Operations on small whole numbers that compilers do not find by themselves. All levels give the
/// same results.
pub trait Integers {
    /// Returns the sum of the products; it must fit in an `i32`.
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32;
    /// Returns the 32 groups of four bits, lowest first.
    fn nibbles(packed: u128) -> [i16; 32];
    /// Lists the inputs of the sixteen groups of four bits of `counts`: a group `i` that is not 0 has one of the rows
    /// `start + 4 i` to `start + 4 i + 2` with 1 (the first for 1, the second for 2, the third for more), and above 3
    /// row `start + 4 i + 3` with half of the excess above 3. Written to `list` from place `length` on, rows
    /// ascending; the new length. Nothing is listed when `length` is beyond `LENGTH_MAX`.
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize;
    /// Writes a byte for each bit: half of the number whose binary digits are `digits`, rounded up, and 0 where the
    /// number is another's. First those of the lower 24 bits in `hits`, then of the lower 24 bits that are not, then the
    /// same of the upper 32 bits. The rest of `to` is 0.
    fn spread(digits: &[u64; 6], hits: u64, to: &mut [u8; SPREAD_ROOM]);
    /// Lists where `new` differs from `old` by its place, the first of which is row `first`, and by how much it is greater
    /// (-128 to 127). Written to `list` from place `length` on, rows ascending; the new length. Nothing is listed when
    /// there is no room for all.
    fn list_differences<const SIZE: usize>(
        old: &[u8; SIZE],
        new: &[u8; SIZE],
        first: usize,
        list: &mut [InputDelta],
        length: usize,
    ) -> usize;
    /// Sums `start` plus and minus the pairs of rows in `steps` (numbers below [`ROWS`]), shifts right, limits to
    /// 0..=255, and passes the dot product with each of `weights` on, with its number. Rows are added in 16 bits that wrap;
    /// the sum of the products must fit in an `i32`.
    fn clipped_dots(
        start: &Row,
        rows: &[Row; ROWS],
        steps: &[[u16; 2]],
        shift: u32,
        weights: &[Row],
        found: impl FnMut(usize, i32),
    );
}

/// Bytes that [`Integers::spread`] writes: four times 24, and 0.
pub const SPREAD_ROOM: usize = 104;

/// Room of an [`ActiveList`].
pub(in crate::nn) const ACTIVE_ROOM: usize = 96;

/// Lists of this length have room for sixteen groups of [`Integers::list_counts`], and for a register more.
pub(in crate::nn) const LENGTH_MAX: usize = ACTIVE_ROOM - 2 * 16 - 8;

/// Inputs that are not zero, and room beyond the last one that counts.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct ActiveList(pub(in crate::nn) [Active; ACTIVE_ROOM]);

/// One input that is not zero.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(in crate::nn) struct Active {
    /// Number of the input.
    pub(in crate::nn) row: u32,
    pub(in crate::nn) value: f32,
}

/// Entries for [`Integers::list_counts`] by count: the index among the first three rows, and the value of the fourth.
pub(super) const LISTED: [(u32, f32); 16] = {
    let mut listed = [(0, 0.0); 16];
    let mut count = 1;
    while count < 16 {
        let first = if count < 3 { count - 1 } else { 2 };
        let above = (count as u32).saturating_sub(3);
        listed[count] = (first as u32, above as f32 / 2.0);
        count += 1;
    }
    listed
};

/// For each set of four lanes the bytes of those in it, in order.
#[cfg(any(
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(super) static PACKED: [[u8; 16]; 16] = {
    let mut packed = [[0; 16]; 16];
    let mut set = 0;
    while set < 16 {
        let (mut byte, mut count) = (0, 0);
        while byte < 16 {
            if set >> (byte / 4) & 1 == 1 {
                packed[set][count] = byte as u8;
                count += 1;
            }
            byte += 1;
        }
        set += 1;
    }
    packed
};

/// Number of rows that [`Integers::clipped_dots`] chooses from.
pub const ROWS: usize = 1024;
/// Numbers of a [`Row`].
pub const ROW_WIDTH: usize = 64;

/// A row of 16-bit numbers that begins at a cache line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Row(pub [i16; ROW_WIDTH]);

impl Row {
    /// All numbers 0.
    pub const ZERO: Row = Row([0; ROW_WIDTH]);
}
