//! Kernels of the nets, one arithmetic for every CPU level.
//!
//! [`wide`] names the operations on sixteen lanes and gives them in plain Rust, `x86` gives the same ones for AVX2
//! and AVX-512, `neon` for 64-bit ARM, `simd128` for WebAssembly; [`float`] and [`relu`] hold the arithmetic written once
//! above them. Which level runs is decided by a [`CpuLevel`], detected once from the CPU ([`level`]).
//!
//! [`layout`] holds the numbers of our own nets as the kernels read them, [`integer`], `integer_registers`,
//! `integer_x86`, `integer_neon` and `integer_simd128` the arithmetic on them. [`operations`] is other work that gains from being compiled for the CPU.

pub(super) mod float;
pub(super) mod integer;
#[cfg(target_arch = "aarch64")]
mod integer_neon;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod integer_registers;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod integer_simd128;
#[cfg(target_arch = "x86_64")]
mod integer_x86;
pub(super) mod layout;
mod level;
#[cfg(target_arch = "aarch64")]
mod neon;
mod operations;
pub(super) mod relu;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
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
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => kernel.run::<neon::Neon>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => kernel.run::<simd128::Simd128>(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::run_avx2(self, kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Vnni => x86::run_avx512(self, kernel),
        }
    }

    /// Runs a job on lanes of float32 at this level.
    #[inline]
    pub(super) fn run_wide<K: wide::WideKernel>(self, kernel: K) {
        match self.0 {
            InstructionSet::Scalar => kernel.run::<wide::Plain>(),
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => kernel.run::<neon::Neon>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => kernel.run::<simd128::Simd128>(),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::run_wide_avx2(self, kernel),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Vnni => x86::run_wide_avx512(self, kernel),
        }
    }
}
