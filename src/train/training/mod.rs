//! Making nets: self-play positions, luck-adjusted labels, the float trainer, the gate.
//!
//! A run is one TOML file (see [`plan::Plan`]). [`games`] plays the present net against itself and labels what it
//! meets, [`shard`] keeps the labels, [`step`] is one optimiser step over [`net`], [`run`] strings rounds together
//! and can resume after a kill at any moment.

pub mod alpha;
pub mod curve;
pub mod disagree;
mod error;
mod fit;
pub mod game_settings;
pub mod games;
pub mod gate;
mod kernel;
pub mod label;
mod life;
pub mod limits;
pub mod net;
pub mod one_ply;
pub mod people;
pub mod plan;
pub mod positions;
pub mod pruning;
mod ranking;
pub mod recipe;
pub mod reference_set;
mod round_training;
pub mod rounding;
pub mod run;
mod run_journal;
pub mod sample;
pub mod selection;
pub mod shard;
pub mod siblings;
pub mod starts;
pub mod step;
pub mod volatility;
mod watch;

pub(crate) use error::plan_in;
pub use error::{RunError, read_toml};
