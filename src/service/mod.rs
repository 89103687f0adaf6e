//! All async code: listeners, connections, limits, timeouts, shutdown, the FIBS link; and the
//! stdin batch, which needs no async at all.

pub mod stdin_batch;
