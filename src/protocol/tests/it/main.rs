//! Integration tests of the crate, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

#[path = "../../../../tests/it/answers.rs"]
mod answers;
mod explain;
mod external;
mod external_server;
mod opening;
mod people;
mod request;
mod rolls;
mod scores;
mod verb_doors;

use gammond_test_support as support;
