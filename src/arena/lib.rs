//! Players, duels between them, benchmarks that measure them, and rollouts as jobs.

pub mod benchmark;
pub mod duel;
mod platform;
pub mod player;
mod rollout_job;
mod search_fields;

pub use rollout_job::RolloutJob;
pub use search_fields::search_fields;
