//! gammond: a GNU Backgammon-compatible backgammon engine, as a library and as a program.
//!
//! This crate is the program, and re-exports the two library crates under one name. Programs that link the engine
//! depend on [`gammond_engine`], those that need rules and notations alone on [`gammond_game`].
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

pub use gammond_engine as engine;
pub use gammond_game as game;
pub use gammond_game::notation;

pub use gammond_engine::{
    CubeAnswer, CubeQuery, Engine, EngineBuilder, EngineError, Equities, EvalQuery, Evaluation,
    FileError, MatchEquityTable, MoveFilter, Nets, PlayQuery, RankedPlay, RankedPlays, Settings,
    Stop, Verdict,
};
pub use gammond_game::notation::{
    BenchmarkRecord, BoardLine, GnubgId, MatchId, NotationError, PositionId, Xgid, parse_play,
    parse_position, play_text,
};
pub use gammond_game::{
    Chances, Class, Cube, CubeOwner, LegalPlay, MatchState, MatchStateError, Outcome, Play,
    Position, PositionError, Roll, RollError, Rules, Score, Side, Step, legal_plays,
};
