//! Integration tests of the crate, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod bearoff;
mod containment;
mod cubes;
mod equity;
mod gnubg_eval;
mod hyper;
mod people;
mod races;
mod rollout;
mod scores;
mod search;
mod variants;

use gammond_test_support as support;
