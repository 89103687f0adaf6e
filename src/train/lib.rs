//! Players against each other, benchmarks that judge them, and the making of nets.

pub mod benchmark;
pub mod duel;
pub mod lab;
mod platform;
pub mod player;
mod rollout_job;
mod search_fields;
pub mod training;

pub use rollout_job::RolloutJob;
