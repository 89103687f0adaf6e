//! Work and its order: queues, workers, limits and counters, and the state that all transports share. Knows no socket and
//! no protocol of one.

pub mod counters;
mod engines;
pub mod fair_queue;
pub mod faults;
mod handle;
pub(crate) mod large_answer;
mod lease;
pub mod limits;
pub mod match_memory;
pub mod memory_budget;
mod schedule;
pub mod shutdown;
mod started;
mod state;
pub(crate) mod turns;
pub mod work;
pub mod worker;

pub use handle::Handle;
pub(crate) use state::Slot;
pub use state::{BuildError, Core, ReloadError};
