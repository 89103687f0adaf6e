//! Capabilities of the CPU, detected once.

use std::sync::OnceLock;

/// Capability level of the CPU. A level other than `SCALAR` exists only on a CPU that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuLevel(pub(super) InstructionSet);

/// Each level has what the ones before it have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum InstructionSet {
    Scalar,
    /// NEON, which every 64-bit ARM processor has.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// WebAssembly with `simd128`, for which a module is compiled as a whole.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// AVX-512 with VNNI, which integer nets gain from.
    #[cfg(target_arch = "x86_64")]
    Vnni,
}

/// The level in use, for the life of the program.
static IN_USE: OnceLock<CpuLevel> = OnceLock::new();

impl CpuLevel {
    /// Plain Rust, on every CPU.
    pub const SCALAR: CpuLevel = CpuLevel(InstructionSet::Scalar);

    /// Returns the level in use: the best one of this CPU, unless another was chosen.
    #[must_use]
    pub fn detect() -> CpuLevel {
        *IN_USE.get_or_init(|| CpuLevel::available()[0])
    }

    /// Makes this the level in use. All levels give the same bits, so this is for comparisons of them.
    ///
    /// # Errors
    /// The level that has been in use before, if it is another.
    pub fn choose(self) -> Result<(), CpuLevel> {
        match *IN_USE.get_or_init(|| self) {
            level if level == self => Ok(()),
            level => Err(level),
        }
    }

    /// Returns all levels of this CPU, best first; the last is [`CpuLevel::SCALAR`].
    #[must_use]
    pub fn available() -> Vec<CpuLevel> {
        let mut levels = Vec::with_capacity(4);
        #[cfg(target_arch = "x86_64")]
        {
            if has_vnni() {
                levels.push(CpuLevel(InstructionSet::Vnni));
            }
            if has_avx512() {
                levels.push(CpuLevel(InstructionSet::Avx512));
            }
            if has_avx2() {
                levels.push(CpuLevel(InstructionSet::Avx2));
            }
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(CpuLevel(InstructionSet::Neon));
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        levels.push(CpuLevel(InstructionSet::Simd128));
        levels.push(CpuLevel::SCALAR);
        levels
    }

    /// Returns `AVX-512 VNNI`, `AVX-512`, `AVX2`, `NEON`, `simd128` or `scalar`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            InstructionSet::Scalar => "scalar",
            #[cfg(target_arch = "aarch64")]
            InstructionSet::Neon => "NEON",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            InstructionSet::Simd128 => "simd128",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Vnni => "AVX-512 VNNI",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
fn has_vnni() -> bool {
    has_avx512() && std::arch::is_x86_feature_detected!("avx512vnni")
}
