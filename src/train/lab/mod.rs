//! The laboratory: trainers and experiments of the literature.
//!
//! Three ways to make a [classic net](gammond_arena::player::classic): [`td`], self-play with temporal differences;
//! [`hillclimb`], mutations that win a match (of a linear player's weights in [`linear_climb`]); [`supervised`], a
//! text database of positions. Each is a [`TrainingLoop`]: steps that follow from one another, kept in a journal, so
//! that the same command resumes after a kill and ends with the same bytes.

pub mod experiments;
pub mod hillclimb;
pub mod linear_climb;
pub mod supervised;
pub mod td;
mod training_loop;

pub use training_loop::{
    LabError, TestScore, Tests, TrainingEnd, TrainingLoop, check_target, run_training,
    write_linear, write_net,
};
