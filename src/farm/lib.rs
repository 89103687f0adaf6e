//! Jobs shared among many machines, over a NATS server with JetStream.
//!
//! Whoever has work submits a command; its jobs are divided into lots, a few parts each, one message a lot. Machines
//! take lots, run the same command up to the same job, compute the parts, and give an answer. Whoever fetches the
//! result runs the command too, with the parts from the answers instead of the processor: the same journal, the same
//! files, the same words as on one machine.
//!
//! * `task` and `spec`: what is written down; `store` and `answers`: where it lies on the server; `files`: nets and tables that
//!   come along.
//! * `ask`: who wants the work done. `worker` and `host`: who does it. `judge`: answers that differ. `known`: what jobs
//!   there are. `people`: who is there. `stillness`: queues that stand still. `status`: what a person
//!   sees.
//!
//! Nothing is lost when anybody dies: a lot is in the queue until its answer is in the store, an answer counts once
//! because the server takes only the first for each lot, a stage begins once for the same reason, and whoever finds
//! the queue empty and answers missing posts those lots again; whoever finds it standing still opens it anew.

mod answers;
mod ask;
mod error;
mod files;
mod host;
mod judge;
mod known;
pub mod nats;
pub mod nats_service;
mod people;
mod rollout;
pub mod spec;
mod status;
mod stillness;
mod store;
mod task;
mod worker;

pub use answers::Answered;
pub use ask::{Asking, Division, retry};
pub use error::FarmError;
pub use files::{FileCache, inspect};
pub use host::Programs;
pub use people::MachineReport;
pub use rollout::RolloutJob;
pub use status::{Contributor, JobStatus, Overview, machine_line, overview, page};
pub use store::{Farm, State};
pub use task::{FILE_BYTES_MAX, FORMAT, Shipped, ShippedFile, Task, VERSION, one_line};
pub use worker::{InjectedFault, TRIES_MAX, WorkerSettings, work};
