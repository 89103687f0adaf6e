//! Jobs shared among many machines, over a NATS server with JetStream.
//!
//! Submitting a command divides its jobs into batches of a few parts, with one message for each batch. Workers take
//! batches, run the same command up to the same job, compute the parts, and store an answer. Fetching the result runs
//! the command too, with the parts from the answers instead of the processor: journal, files and output are the same as
//! on one machine.
//!
//! * `client`: the farm for code without async. `task`: the stored description of a job; `store` and `answers`: its storage on the server; `files`: nets and
//!   tables of a job.
//! * `ask`: submitting jobs and fetching results. `worker` and `host`: computing. `judge`: comparing answers that
//!   differ. `completion`: empty queues. `job_watch`: watching jobs. `machines`: reports of workers. `stall_detector`:
//!   stalled queues. `status`: overview for people. `nats_service`: requests over NATS.
//!
//! Nothing is lost when a machine fails. A batch stays in the queue until its answer is stored. The server accepts only
//! the first answer of each batch and the first begin of each stage. Any machine that finds the queue empty and answers
//! missing posts those batches again; if the queue is stalled, its consumer is recreated.

mod answers;
mod ask;
mod client;
mod completion;
mod difference;
mod error;
mod files;
mod host;
mod job_watch;
mod judge;
mod machines;
pub mod nats;
pub mod nats_service;
mod stall_detector;
mod status;
mod store;
mod task;
mod worker;
mod worker_settings;

pub use answers::AnswerInfo;
pub use ask::{Division, Submitter};
pub use client::FarmClient;
pub use error::FarmError;
pub use files::{FileCache, inspect};
pub use host::Programs;
pub use machines::MachineReport;
pub use status::{Contributor, JobStatus, Overview, machine_line, page};
pub use store::{Farm, State};
pub use task::{Commands, FILE_BYTES_MAX, FORMAT, Shipped, ShippedFile, Task, VERSION, one_line};
pub use worker::{TRIES_MAX, work};
pub use worker_settings::{InjectedFault, WorkerSettings};
