//! What long work and safe files need: files from outside, journals that survive a kill, random streams, statistics,
//! a token that ends work. Knows no backgammon.

pub mod escape;
pub mod files;
pub mod journal;
pub mod packed;
pub mod platform;
pub mod rng;
pub mod stats;
pub mod stop;
