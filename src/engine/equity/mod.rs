//! Chances to equity and match winning chance: match equity tables, gammon prices, the cubeful
//! formula, cube verdicts, resignations.
//!
//! Nothing here looks ahead or evaluates a position: five chances, a score and a cube go in, numbers come out. Values
//! of money play are points per unit of the cube they are about; values of a match are match winning chances (MWC,
//! 0..=1) until [`Stakes::to_emg`] turns them into EMG. The formulas and their sources stand in
//! `protocol-specs/match-equity.md` and `protocol-specs/cube-and-search.md`.
//!
//! ```
//! use gammond_engine::equity::{MatchEquityTable, Stakes};
//! use gammond_game::{Chances, Cube, MatchState, Rules, Score};
//! let met = MatchEquityTable::default();
//! assert!((met.after(Score::new(7, 3, 3, false)?, true, 1) - 0.5715).abs() < 1e-9);
//! let stakes = Stakes::new(MatchState::money(Rules::default()), &met);
//! let sure = Chances { win: 1.0, win_gammon: 1.0, ..Chances::default() };
//! // Jacoby: with a centred cube a gammon is worth one point only.
//! assert_eq!(stakes.utility(Cube::CENTRED.into(), &sure), 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod columns;
mod cubeful;
pub mod doubling0;
mod efficiency;
mod extension;
mod mec;
mod met;
mod met_by_games;
mod met_numbers;
mod met_xml;
mod policy;
mod resign;
mod stakes;
mod verdict;

pub(crate) use columns::LeafColumns;
pub(crate) use cubeful::money_without_gammons;
pub use cubeful::{Leaf, Valuer};
pub use efficiency::CubeEfficiency;
pub(crate) use efficiency::bearoff_life;
pub use met::{AWAY_MAX, MatchEquityTable, MetError};
pub use policy::{
    CubePoints, CubeUse, CubeWindow, Response, beaver_response, dead_double_point, response,
};
pub(crate) use resign::lost;
pub use resign::{accept_resignation, resign_advice};
pub use stakes::{CubeState, GammonPrices, Stakes};
pub use verdict::{CubeDecision, CubeNumbers};
