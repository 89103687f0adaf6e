//! All attacks, by name.

mod connections;
mod fairness;
mod files;
mod hangups;
mod http;
mod jobs;
mod memory;
mod nats;
mod process;
mod starvation;

use crate::server::Options;
use crate::stage::{Bench, Check, Outcome, Stage};

pub struct Attack {
    pub name: &'static str,
    /// The goals that it tries.
    pub goals: &'static str,
    pub what: &'static str,
    /// Part of `--quick`.
    pub quick: bool,
    pub act: Act,
}

pub enum Act {
    /// Against a server, beside victims.
    Server(fn() -> Options, fn(&Stage) -> Outcome),
    /// Against whatever it starts by itself.
    Alone(fn(&Bench) -> Vec<Check>),
}

pub fn all() -> Vec<Attack> {
    [
        memory::all,
        starvation::all,
        fairness::all,
        hangups::all,
        connections::all,
        http::all,
        process::all,
        files::all,
        jobs::all,
        nats::all,
    ]
    .into_iter()
    .flat_map(|attacks| attacks())
    .collect()
}

/// With the options of a server that nobody configured.
fn plain(
    name: &'static str,
    goals: &'static str,
    quick: bool,
    act: fn(&Stage) -> Outcome,
    what: &'static str,
) -> Attack {
    Attack {
        name,
        goals,
        what,
        quick,
        act: Act::Server(Options::default, act),
    }
}

/// 2,051 plays, 476 KB of answer for 24 bytes.
pub const WIDE: &str = "move QAAS3j+QlKqSKg 11\n";
/// Seconds of work in the question itself.
pub const LONG: &str = "move 4HPwATDgc/ABMA 43 plies=4 filter=huge prune=off\n";
pub const BOARD: &str = "board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
