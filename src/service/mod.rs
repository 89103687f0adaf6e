//! All async code: listeners, connections, limits, timeouts, shutdown, the FIBS link, stdin batch.
