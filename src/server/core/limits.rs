//! All limits of the server with their defaults.

use std::time::Duration;

/// The limits of a server. [`Limits::default`] has the defaults of `gammond serve`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Maximum number of connections; above it a new one gets `busy` and is closed (SRV-05).
    pub connections_max: usize,
    /// Maximum number of connections of one network address (SRV-05).
    pub connections_per_peer: usize,
    /// Maximum number of refused connections that may name their protocol before they get `busy`; others get it at once.
    pub refusals_max: usize,
    /// Time for a refused connection to name its protocol.
    pub refusal_wait: Duration,
    /// Over-long lines in a row after which a connection is closed (SRV-07).
    pub long_lines_max: u32,
    /// Maximum age of an unfinished line (SRV-08).
    pub line_timeout: Duration,
    /// Maximum time for the lines of one match to arrive (SRV-20).
    pub block_timeout: Duration,
    /// Maximum size in bytes of the matches of all connections that arrive, wait or are analysed; above it they are `busy`
    /// (SRV-20).
    pub block_bytes_max: usize,
    /// Maximum silence of a connection; zero for no limit (SRV-08).
    pub idle_timeout: Duration,
    /// Maximum silence where a peer may be quiet for long without being gone, like gnubg during its user's turn.
    pub quiet_timeout: Duration,
    /// Maximum time for which a peer may read nothing of the bytes sent to it (SRV-09).
    pub write_timeout: Duration,
    /// Size in bytes of the system's send buffer for a TCP peer (SRV-09).
    pub send_buffer_bytes: usize,
    /// Size in bytes of a connection's unsent answers at which computing for it pauses (SRV-09).
    pub unsent_bytes_max: usize,
    /// Maximum size in bytes of the unsent answers of all connections; above it large answers are `busy`, and small ones are
    /// sent to connections that have read the answers before.
    pub answer_bytes_max: usize,
    /// Interval of the checks whether the peer still exists while its work is computed; doubled with more than 256 connections.
    pub hang_up_check: Duration,
    /// Maximum time to read from a peer that still sends after the end, so that it receives all answers.
    pub linger: Duration,
    /// Maximum number of lines of one connection that wait or are being answered (SRV-10).
    pub in_flight_max: usize,
    /// Maximum number of lines of one connection that one thread gets together.
    pub batch_max: usize,
    /// Maximum number of waiting lines of all connections, of each cost; above it clients with more than their share of the
    /// queue get `busy` (SRV-11).
    pub queue_max: usize,
    /// Maximum processor time of one request, summed over its threads; `None` for 900 seconds for each thread of the server,
    /// zero for no limit (SRV-21).
    pub request_cpu: Option<Duration>,
    /// Maximum processor time of one client in an hour for queries that look ahead; zero for no limit (SRV-21).
    pub client_cpu: Duration,
    /// Maximum number of messages over NATS with unsent answers; further ones stay without an answer.
    pub messages_max: usize,
    /// Time for running queries to finish after the order to end (SRV-15).
    pub grace: Duration,
    /// Time for which binding to a port in use is retried (SRV-03).
    pub bind_retry: Duration,
    /// Idle time and interval of TCP keep-alive probes (SRV-12).
    pub keep_alive: Duration,
    /// Maximum number of metrics connections; above it the oldest one is closed.
    pub metrics_max: usize,
    /// Maximum time of a metrics connection.
    pub metrics_timeout: Duration,
}

/// Maximum number of bytes read from a socket at a time.
pub(crate) const READ_BYTES: usize = 8192;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections_max: 1024,
            connections_per_peer: 64,
            refusals_max: 256,
            refusal_wait: Duration::from_millis(200),
            long_lines_max: 10,
            line_timeout: Duration::from_secs(30),
            block_timeout: Duration::from_secs(60),
            block_bytes_max: 64 << 20,
            idle_timeout: Duration::from_secs(600),
            quiet_timeout: Duration::from_secs(24 * 60 * 60),
            write_timeout: Duration::from_secs(30),
            send_buffer_bytes: 128 << 10,
            unsent_bytes_max: 256 << 10,
            answer_bytes_max: 64 << 20,
            hang_up_check: Duration::from_millis(25),
            linger: Duration::from_secs(2),
            in_flight_max: 64,
            batch_max: 16,
            queue_max: 4096,
            request_cpu: None,
            client_cpu: Duration::ZERO,
            messages_max: 65_536,
            grace: Duration::from_secs(10),
            bind_retry: Duration::from_secs(5),
            keep_alive: Duration::from_secs(60),
            metrics_max: 32,
            metrics_timeout: Duration::from_secs(5),
        }
    }
}
