//! Backgammon itself: positions, rolls, legal plays, the cube, scores and results.
//!
//! Everything is seen by the player on roll, called *me*; the other side is the *opponent*.
//! A value that exists is legal: constructors check, code below them does not.
//!
//! ```
//! use gammond_game::{Position, Roll, legal_plays};
//! let plays = legal_plays(&Position::start(), Roll::new(3, 1)?);
//! assert_eq!(plays.len(), 16);
//! # Ok::<(), gammond_game::RollError>(())
//! ```

mod board_facts;
mod category;
mod chances;
mod class;
mod family;
mod group;
mod match_play;
mod movegen;
pub mod notation;
mod outcome;
mod perft;
mod play;
mod plays;
mod position;
mod race;
mod roll;
mod start_positions;
mod state;
mod variant;
mod verdict;

pub use board_facts::{BoardFacts, PlayFacts, Prime, Shots, SideFacts, throws};
pub use category::Category;
pub use chances::Chances;
pub use class::Class;
pub use family::PositionFamily;
pub use group::Group;
pub use match_play::{Act, ActRefusal, Game, GameEnd, GamePhase, MatchScore};
pub use movegen::{PLAYS_MAX, PlayGenerator, find_play, generate_plays, legal_plays};
pub use outcome::{Margin, Outcome};
pub use perft::{perf_plays, perf_positions, perft, perft_by_roll, perft_positions};
pub use play::{LegalPlay, Play, Step};
pub use plays::reference_plays;
pub use position::{BAR, OFF, POINTS, Position, PositionError, Side};
pub use race::{RaceAdvice, RaceCounts};
pub use roll::{Roll, RollError};
pub use start_positions::{StartError, StartPositions, random_start};
pub use state::{Cube, CubeOwner, MatchState, MatchStateError, Rules, Score};
pub use variant::Variant;
pub use verdict::Verdict;
