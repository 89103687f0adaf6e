//! `gammond bgammon` against the server of `server.rs`.

mod program;
#[path = "../../../src/bots/tests/it/bgammon/server.rs"]
#[allow(dead_code, reason = "the tests of the bots use the rest of it")]
mod server;

use server::{Faults, Server};
