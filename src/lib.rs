//! gammond: a GNU Backgammon-compatible backgammon engine, as a library and as a program.
//!
//! Positions, rolls and legal plays are in [`game`], every text form of them in [`notation`]. An
//! [`Engine`] holds nets, bearoff tables and threads, and answers three kinds of questions: what a
//! position is worth, which play of a roll is best, and whether to double and to take.
//!
//! ```
//! use gammond::{Engine, MatchState, PlayQuery, Position, Roll, Settings, Stop, play_text};
//!
//! let engine = Engine::builder().threads(1).build()?;
//! let query = PlayQuery::new(Position::start(), Roll::new(3, 1)?, MatchState::default());
//! let ranked = engine.rank_plays(&query, &Settings::plies(0), &Stop::never())?;
//! assert_eq!(play_text(&query.position, &ranked.best().play), "8/5 6/5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/` has more: an evaluation, a ranking, a cube decision, a player of one's own in a duel,
//! a million positions.
//!
//! # Features
//!
//! `default` is everything. Without default features the crate is the library up to [`engine`]: no
//! async runtime, no command line, no logging.
//!
//! ```toml
//! gammond = { version = "0.1", default-features = false }
//! ```
//!
//! | feature | adds |
//! |---|---|
//! | `protocol` | `protocol`: the line protocol, gnubg's external player, UBGI and FIBS as machines without I/O; `render`: boards in text; `analysis`: matches judged |
//! | `serve` | `service`: pipes, sockets, the FIBS bot |
//! | `train` | `player`, `duel`, `benchmark`, `training`, `lab` |
//! | `farm` | `farm`: jobs and questions shared among machines over NATS |
//! | `cli` | the program `gammond` |
//!
//! # What is stable
//!
//! The names re-exported here change only with the first number of the version that is not 0. The
//! modules show the rest, which may change with any version; ARCHITECTURE.md says which module may
//! use which.

/// Writes a line to stderr, escaped for terminals. A closed stderr is no error.
#[cfg(feature = "cli")]
macro_rules! stderr_line {
    ($($piece:tt)*) => { $crate::cli::stderr_line(format_args!($($piece)*)) };
}

/// The standard macro panics when stderr is closed, and passes on what strangers wrote. Tests may use `std::eprintln!`.
#[allow(unused_macros, reason = "it is there so that its use does not compile")]
macro_rules! eprintln {
    ($($piece:tt)*) => {
        compile_error!("use stderr_line!")
    };
}

pub mod escape;
pub mod files;
pub mod game;
pub mod journal;
pub mod nn;
pub mod packed;
mod platform;
pub mod rng;
pub mod stats;
pub mod stop;

#[cfg(feature = "train")]
pub mod job;

pub mod bearoff;
pub mod equity;
pub mod notation;

pub mod query;

pub mod eval;
pub mod search;

pub mod rollout;

pub mod engine;

#[cfg(feature = "protocol")]
pub mod analysis;
#[cfg(feature = "protocol")]
pub mod protocol;
#[cfg(feature = "protocol")]
pub mod render;

#[cfg(feature = "train")]
pub mod benchmark;
#[cfg(feature = "train")]
pub mod duel;
#[cfg(feature = "train")]
pub mod lab;
#[cfg(feature = "train")]
pub mod player;
#[cfg(feature = "serve")]
pub mod service;
#[cfg(feature = "train")]
pub mod training;

#[cfg(feature = "farm")]
pub mod farm;
#[cfg(feature = "farm")]
pub mod nats;

#[cfg(feature = "cli")]
pub mod cli;

pub use engine::{Engine, EngineBuilder, EngineError, FileError, Nets};
pub use equity::MatchEquityTable;
pub use game::{
    Chances, Class, Cube, CubeOwner, LegalPlay, MatchState, MatchStateError, Outcome, Play,
    Position, PositionError, Roll, RollError, Rules, Score, Side, Step, legal_plays,
};
pub use notation::{
    BenchmarkRecord, BoardLine, GnubgId, MatchId, NotationError, PositionId, Xgid, parse_play,
    parse_position, play_text,
};
pub use query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Evaluation, MoveFilter, PlayQuery, RankedPlay,
    RankedPlays, Settings, Stop, Verdict,
};
