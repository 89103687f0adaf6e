//! Kernels of the nets, one arithmetic for every CPU level.
//!
//! [`wide`] names the operations on sixteen lanes and gives them in plain Rust, [`x86`] gives the
//! same ones for AVX2 and AVX-512, [`float`] holds the arithmetic written once above them. Which
//! level runs is decided by a [`CpuLevel`], made once by looking at the CPU ([`level`]).
//!
//! [`layout`] holds the numbers of our own nets as the kernels read them, [`integer`] and [`integer_x86`] the
//! arithmetic on them. [`operations`] is other work that gains from being compiled for the CPU.

pub(super) mod float;
pub(super) mod integer;
#[cfg(target_arch = "x86_64")]
mod integer_x86;
pub(super) mod layout;
mod level;
mod operations;
pub(super) mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use level::CpuLevel;
use level::InstructionSet;
pub(super) use operations::{ACTIVE_ROOM, Active, LENGTH_MAX};
pub use operations::{ActiveList, Integers, Kernel, ROW_WIDTH, ROWS, Row, SPREAD_ROOM};

impl CpuLevel {
    /// Runs a job compiled for this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            InstructionSet::Scalar => kernel.run::<wide::Plain>(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::run_avx2(self, kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Vnni => x86::run_avx512(self, kernel),
        }
    }

    /// The forward pass of a net at this level.
    #[inline]
    pub(super) fn forward(self, net: &float::Net<'_>, batch: &mut float::Batch<'_>) {
        match self.0 {
            InstructionSet::Scalar => float::forward::<wide::Plain>(net, batch),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::forward_avx2(self, net, batch),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Vnni => x86::forward_avx512(self, net, batch),
        }
    }
}
