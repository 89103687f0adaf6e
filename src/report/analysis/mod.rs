//! Analysis of a match: the losses of its decisions and the luck of its rolls.
//!
//! [`replay_from`] turns the actions of a game into decisions, each with its position and match state. `judge` queries the
//! engine for the loss of each decision and the luck of each roll. `totals` adds up the statistics of both players
//! and computes the usual figures. [`analyse`] does all of it for a file and returns an [`Analysis`]. `text`, `json`,
//! `csv`, `html` and `annotate` print it. Losses and luck are equities of the cube as it stands (in matches the
//! equivalent to money), as GNU Backgammon counts them. Rules ANA-01 to ANA-20 of `protocol-specs/analysis.md`.

mod analyse;
mod annotate;
mod collected;
mod compare;
mod cube_offer;
mod front;
mod groups;
mod html;
mod json;
mod judge;
mod match_part;
mod mistake;
mod players;
mod replay;
mod report;
mod rows;
mod streamed;
mod text;
mod totals;

pub use analyse::{
    Analysis, Fault, GameAnalysis, JudgedDecision, Note, Noted, analyse, analyse_noting, level_name,
};
pub use annotate::{ActionNotes, reads_back};
pub use collected::{Collected, JudgedMatch};
pub use compare::{ComparedDecision, Comparison};
pub use groups::{BookGroup, class, phase};
pub use html::Page;
pub use json::CSV_HEAD;
pub use judge::{JudgedPlays, Judgement, MARKS, judge};
pub use match_part::MatchPart;
pub use players::{PlayerList, PlayerSums};
pub use replay::{Action, Decision, Replay, Terms, replay_from};
pub use report::comments;
pub use rows::{DecisionKind, Row};
pub use streamed::analyse_json;
pub use text::{WorstMistake, match_line_head};
pub use totals::{
    MARK_NAMES, Sum, Totals, fibs_difference, is_close, luck_word, mark, rating_word,
};
