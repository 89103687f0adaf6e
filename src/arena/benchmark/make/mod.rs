//! Benchmark files made: positions chosen, candidates rolled out, records written.
//!
//! [`source`] reads the positions to make records of. [`Choosing`] is the job that generates their candidates and keeps
//! those in which something can be decided. [`Rolling`] is the job that rolls the candidates out and writes the
//! records. Both are jobs of `job`: a kill costs a second, shares can be computed anywhere, and the bytes are the same.
//! Rules BM-20 to BM-27 of `protocol-specs/benchmark-files.md`.

mod choose;
mod quota;
mod recipe;
mod roll;
pub mod source;
mod study;
mod write;

pub use choose::{Choosing, Chosen, LeftOut};
pub use quota::{Quota, QuotaError};
pub use recipe::{CubeStakes, GAMES_PER_PART, Interest, Recipe, header};
pub use roll::{KnownResults, Rolling};
pub use source::{RecordRequest, SourceError};
pub use study::{FilterStudy, study};
pub use write::{RepeatComparison, STAMP, again, records, settings_line};
