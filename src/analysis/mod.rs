//! A match replayed and judged: what each decision lost and what the dice gave.
//!
//! [`replay`] turns the actions of a game into decisions, each with its position and match state;
//! `ledger` asks the engine what each one lost and how lucky each roll was, and adds up the books
//! of both players; `report` says it in words. Losses and luck are equities of the cube as it
//! stands (in matches the equivalent to money), as GNU Backgammon counts them.

mod ledger;
mod replay;
mod report;

pub use ledger::{Account, Judgement, judge, judge_game};
pub use replay::{Decision, Deed, Replay, crawford_games, replay};
pub use report::comments;
