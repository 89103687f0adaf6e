//! Integration tests of the crate, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod console_changes;
mod console_external;
mod console_files;
mod console_original;

use gammond_test_support as support;
