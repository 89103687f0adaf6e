//! The rules of play: a game from the first roll to its end, and the score of a match from game to game.

mod act;
mod game;
mod match_score;

pub use act::{Act, ActRefusal, GameEnd, GamePhase};
pub use game::Game;
pub use match_score::MatchScore;
