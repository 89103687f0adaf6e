//! gnubg's external-player protocol, both directions.
//!
//! Rules EXT-01 and on of `protocol-specs/gnubg-external.md`.

mod spelling;

pub use spelling::{Spelling, spell};
