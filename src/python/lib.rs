//! The native part of the Python package `gammond`: classes and functions over the library crates.
//!
//! All rules, notations, numbers and files come from the library crates. This crate converts arguments, raises `ValueError` and
//! `TypeError` with the argument's name, releases the interpreter while it computes, and stops when Python has a signal. The
//! Python part in `python/gammond` adds containers, environments for other packages, and compatible modules.

#![allow(
    clippy::wrong_self_convention,
    reason = "methods of Python objects take `&self`"
)]

mod answers;
mod boards;
mod console;
mod engine;
mod fork;
mod games;
mod interrupt;
mod matches;
mod played;
mod players;
mod rules;
mod settings;
mod wrong;

use pyo3::prelude::*;

#[pymodule(name = "_gammond", gil_used = false)]
mod native {
    use pyo3::prelude::*;
    use std::ffi::OsString;
    use std::process::ExitCode;

    #[pymodule_export]
    use crate::answers::{
        Analysis, Chances, CubeDecision, Evaluation, Parsed, RankedPlay, RolledOut, Rollout, parse,
    };
    #[pymodule_export]
    use crate::boards::{
        afterstates, class_of, features, from_positions, gnubg_corrected, outcomes, pips, swapped,
        to_positions,
    };
    #[pymodule_export]
    use crate::console::{
        Console, match_equities, match_id_fields, to_equity, to_mwc, trailer_equities,
    };
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::games::Games;
    #[pymodule_export]
    use crate::interrupt::StopToken;
    #[pymodule_export]
    use crate::matches::Match;
    #[pymodule_export]
    use crate::played::{MatchScore, PlayedGame};
    #[pymodule_export]
    use crate::players::{Player, bearoff_rolls, pubeval};
    #[pymodule_export]
    use crate::rules::{MatchState, Play, Position, Roll};

    /// Runs the program `gammond` on its arguments, the program's name first. Returns its exit code.
    #[pyfunction]
    fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        let code = py.detach(|| gammond_cli::program::run(arguments));
        (0..=u8::MAX)
            .find(|&number| ExitCode::from(number) == code)
            .unwrap_or(1)
    }
}
