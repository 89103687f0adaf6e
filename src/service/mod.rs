//! Transports: sockets (`tcp`, Unix's too), standard input (`batch`, `ubgi`), NATS, the FIBS link; and
//! what they share: the answer to one line, the threads that compute, limits, the way down.

mod account;
pub mod answer;
pub mod batch;
pub mod console;
pub mod console_tcp;
pub mod counters;
mod engine_error;
mod engines;
mod fair_queue;
mod faults;
pub mod fibs;
mod fuzz;
mod http;
mod judge_match;
pub mod limits;
#[cfg(feature = "farm")]
pub mod nats;
mod schedule;
mod shutdown;
pub mod systemd;
pub mod tcp;
pub mod transport;
pub mod ubgi;
mod wide;
mod work;
mod worker;

pub use fuzz::fuzz_session;
pub use worker::WorkersError;
