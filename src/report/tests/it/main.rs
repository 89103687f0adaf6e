//! Integration tests of the crate, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod analysis;
mod explain;
#[path = "../../../game/tests/it/second_count.rs"]
mod second_count;
mod svg_answers;

use gammond_test_support as support;
