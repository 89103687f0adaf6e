//! All async code: listeners, connections, limits, timeouts, shutdown, the FIBS link; and what
//! needs no async at all: the stdin batch, and the answer to one line.

pub mod answer;
pub mod external;
pub mod stdin_batch;
pub mod ubgi;
