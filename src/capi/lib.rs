//! The C library: functions of `gammond.h`, which `cbindgen` makes of this crate. The rules are in `protocol-specs/c.md`.
//!
//! Callers may pass anything: each function checks its arguments, runs behind [`failure::guarded`], which turns an error or
//! a panic into a code, and keeps what it opened behind numbers
//! ([`gammond_base::handles`]). So a wrong handle is a code and no wild pointer. All
//! reads and writes of the caller's memory are in [`memory`]; the rest of the crate is ordinary Rust. All questions are
//! those of the engine and of `protocol`: settings are texts of the line protocol, so that no setting has a second name.
#![allow(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

pub mod answers;
pub mod ask;
pub mod decisions;
pub mod failure;
pub mod match_report;
mod memory;
pub mod open;
pub mod question;
pub mod rollout;
mod settings;

#[cfg(test)]
#[path = "tests/unit/mod.rs"]
mod tests;
