//! The laboratory: trainers and experiments of the literature.
//!
//! Three ways to make a [classic net](crate::player::classic): [`td`], self-play with temporal differences; [`hillclimb`],
//! mutations that win a match; [`supervised`], a text database of positions. Each is a [`Course`]: steps that follow from
//! one another, kept in a journal, so that the same command goes on after a kill and ends with the same bytes.

mod course;
pub mod experiments;
pub mod hillclimb;
pub mod supervised;
pub mod td;

pub use course::{
    Course, CourseEnd, LabError, TestScore, Tests, check_target, run_course, write_net,
};
