//! The making of nets: positions, labels, trainers, and the laboratory.

pub mod lab;
mod platform;
pub mod training;
