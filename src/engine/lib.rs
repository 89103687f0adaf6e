//! The engine: a query in, an answer out. Owns nets, bearoff tables, search, rollouts, cache and threads.
//!
//! ```
//! use gammond_engine::{Engine, PlayQuery, Settings, Stop};
//! use gammond_game::{MatchState, Position, Roll, notation::play_text};
//!
//! let engine = Engine::builder().threads(1).build()?;
//! let query = PlayQuery::new(Position::start(), Roll::new(3, 1)?, MatchState::default());
//! let ranked = engine.rank_plays(&query, &Settings::plies(0), &Stop::never())?;
//! assert_eq!(play_text(&query.position, &ranked.best().play), "8/5 6/5");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! All are on by default. Without them the engine needs nothing of a system and compiles for `wasm32-unknown-unknown`; its
//! answers are the same.
//! - `threads`: work is spread over a pool of rayon's; without it the caller computes.
//! - `files`: nets, bearoff databases and match equity tables are opened by path; without it they are passed as bytes
//!   ([`Nets::Bytes`], [`EngineBuilder::bearoff_bytes`], `str::parse` for [`MatchEquityTable`]).
//! - `clock`: time budgets run by the system's clock; without it [`EngineBuilder::clock`] sets one.
//! - `make`: bearoff databases are made as files, and resumed.
//! - `strong-nets`: the strong nets are built in; without it the fast ones take their place.
//! - `tables`: the one-sided bearoff table is built in (1.5 MB); without it it is made when it is first asked.

pub mod bearoff;
pub mod engine;
pub mod equity;
pub mod eval;
pub mod nn;
mod packed;
pub mod people;
mod pool;
pub mod query;
pub mod rollout;
pub mod search;

pub use engine::{Engine, EngineBuilder, EngineError, FileError, NamedBytes, NetOpener, Nets};
pub use equity::MatchEquityTable;
/// The rules and notations, for programs that depend on this crate alone.
pub use gammond_game as game;
pub use pool::{Pool, PoolError};
pub use query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Evaluation, MoveFilter, PlayQuery, RankedPlay,
    RankedPlays, Settings, Stop, Verdict,
};
