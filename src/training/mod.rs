//! Making nets: self-play positions, luck-adjusted labels, the float trainer, the gate.
//!
//! A run is one TOML file (see [`run::Plan`]). [`games`] plays the present net against itself and labels
//! what it meets, [`shard`] keeps the labels, [`step`] is one optimiser step over [`net`],
//! [`run`] strings rounds together and can go on after a kill at any moment.

pub mod alpha;
pub mod curve;
pub mod disagree;
pub mod games;
mod kernel;
pub mod net;
pub mod pruning;
pub mod run;
pub mod shard;
pub mod starts;
pub mod step;
pub mod yardstick;
