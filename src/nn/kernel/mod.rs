//! Kernels of the nets, one arithmetic for every CPU level.
//!
//! [`wide`] names the operations on sixteen lanes and gives them in plain Rust, [`x86`] gives the
//! same ones for AVX2 and AVX-512, [`float`] holds the arithmetic written once above them. Which
//! level runs is decided by a [`CpuLevel`], made once by looking at the CPU.
//!
//! [`integer`] and [`integer_x86`] hold the arithmetic of our own nets.

pub(super) mod float;
pub(super) mod integer;
#[cfg(target_arch = "x86_64")]
mod integer_x86;
pub(super) mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

/// What the CPU can do. A level other than `SCALAR` exists only on a CPU that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuLevel(Level);

/// Each level has what the ones before it have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 with VNNI, which integer nets gain from.
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

/// Work that gains from being compiled for the CPU it runs on.
///
/// Implementations mark `run` as `#[inline(always)]`, and what it calls as well, so that
/// [`CpuLevel::run`] compiles it anew for every level. Plain Rust gives the same result on all.
pub trait Job {
    /// What the work yields.
    type Output;
    /// Does the work; `I` are the operations of the level.
    fn run<I: Integers>(self) -> Self::Output;
}

/// Operations on small whole numbers that compilers do not find by themselves. All levels give the
/// same results.
pub trait Integers {
    /// The sum of the products; it must fit in an `i32`.
    fn dot(a: &[i16; 32], b: &[i16; 32]) -> i32;
    /// The 32 groups of four bits, lowest first.
    fn nibbles(packed: u128) -> [i16; 32];
    /// Lists the inputs of the sixteen groups of four bits of `counts`: a group `i` that is not 0 has
    /// one of the rows `start + 4 i` to `start + 4 i + 2` with 1 (the first for 1, the second for 2, the
    /// third for more), and above 3 row `start + 4 i + 3` with half of what is above 3. Written to
    /// `list` from place `length` on, rows ascending; the new length. Nothing is listed when `length` is
    /// beyond `LENGTH_MAX`.
    fn list_counts(counts: u64, start: u32, list: &mut ActiveList, length: usize) -> usize;
    /// `start` plus and minus the pairs of rows in `steps` (numbers below [`ROWS`]), shifted right,
    /// limited to 0..=255, times `weights`, summed. Rows are added in 16 bits that wrap; the sum of the
    /// products must fit in an `i32`.
    fn clipped_dot(
        start: &Row,
        rows: &[Row; ROWS],
        steps: &[[u16; 2]],
        shift: u32,
        weights: &Row,
    ) -> i32;
}

/// Room of an [`ActiveList`].
pub(in crate::nn) const ACTIVE_ROOM: usize = 96;

/// From here on [`Integers::list_counts`] has room for sixteen groups, and for a register more.
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

/// What a count lists, for [`Integers::list_counts`]: which of the first three rows, and the value of
/// the fourth.
const LISTED: [(u32, f32); 16] = {
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

/// How many rows [`Integers::clipped_dot`] chooses from.
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

impl CpuLevel {
    /// Plain Rust, on every CPU.
    pub const SCALAR: CpuLevel = CpuLevel(Level::Scalar);

    /// The best level of this CPU.
    #[must_use]
    pub fn detect() -> CpuLevel {
        CpuLevel::available()[0]
    }

    /// All levels of this CPU, best first; the last is [`CpuLevel::SCALAR`].
    #[must_use]
    pub fn available() -> Vec<CpuLevel> {
        let mut levels = Vec::with_capacity(4);
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_vnni() {
                levels.push(CpuLevel(Level::Vnni));
            }
            if x86::has_avx512() {
                levels.push(CpuLevel(Level::Avx512));
            }
            if x86::has_avx2() {
                levels.push(CpuLevel(Level::Avx2));
            }
        }
        levels.push(CpuLevel::SCALAR);
        levels
    }

    /// `AVX-512 VNNI`, `AVX-512`, `AVX2` or `scalar`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Level::Vnni => "AVX-512 VNNI",
        }
    }

    /// Runs a job compiled for this level.
    #[inline]
    pub fn run<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            Level::Scalar => job.run::<wide::Plain>(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => x86::run_avx2(self, job),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Vnni => x86::run_avx512(self, job),
        }
    }

    /// The forward pass of a net at this level.
    #[inline]
    pub(super) fn forward(self, net: &float::Net<'_>, batch: &mut float::Batch<'_>) {
        match self.0 {
            Level::Scalar => float::forward::<wide::Plain>(net, batch),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => x86::forward_avx2(self, net, batch),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 | Level::Vnni => x86::forward_avx512(self, net, batch),
        }
    }
}
