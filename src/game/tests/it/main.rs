//! Integration tests of the crate, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod board_facts;
mod movegen;
mod notation;
mod second_count;
mod spec_notation;

use gammond_test_support as support;
