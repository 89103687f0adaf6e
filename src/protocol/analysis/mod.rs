//! A match replayed and judged: what each decision lost and what the dice gave.
//!
//! [`replay`] turns the actions of a game into decisions, each with its position and match state;
//! `judge` asks the engine what each one lost and how lucky each roll was; `totals` adds up the books
//! of both players and makes the figures of them that people know; [`analyse`] does all of it for a file
//! and [`Analysis`] is what comes out. `text`, `json`, `csv`, `html` and `annotate` print it. Losses and
//! luck are equities of the cube as it stands (in matches the equivalent to money), as GNU Backgammon
//! counts them. Rules ANA-01 to ANA-20 of `protocol-specs/analysis.md`.

mod analyse;
mod annotate;
mod compare;
mod groups;
mod html;
mod json;
mod judge;
mod replay;
mod report;
mod rows;
mod streamed;
mod text;
mod totals;

pub use analyse::{Analysis, Fault, GameAnalysis, JudgedDecision, analyse, level_name};
pub use annotate::{SEAL, reads_back};
pub use compare::{ComparedDecision, Comparison};
pub use groups::{BookGroup, class, phase};
pub use html::Page;
pub use json::CSV_HEAD;
pub use judge::{JudgedPlays, Judgement, analysis_settings, judge};
pub use replay::{Decision, Deed, Replay, Terms, crawford_games, replay, replay_from};
pub use report::comments;
pub use rows::{Kind, Row};
pub use streamed::analyse_json;
pub use totals::{
    MARK_NAMES, MARKS, Sum, Totals, fibs_difference, is_close, luck_word, mark, rating_word,
};
