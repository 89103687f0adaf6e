//! All async code: listeners, connections, limits, timeouts, shutdown, the FIBS link; and what
//! needs no async at all: the stdin batch, and the answer to one line.

pub mod answer;
mod connection;
pub mod counters;
pub mod external;
pub mod fibs_analysis;
mod fibs_decide;
pub mod fibs_link;
pub mod fibs_state;
pub mod limits;
pub mod line_codec;
mod listener;
mod metrics;
pub mod server;
pub mod stdin_batch;
pub mod systemd;
pub mod ubgi;
mod worker;
