//! Every limit of the server, by name, with its default.

use std::time::Duration;

/// What a server allows. [`Limits::default`] is what `gammond serve` uses unless told otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Connections at a time; above it a newcomer is told `busy` and closed (SRV-05).
    pub connections_max: usize,
    /// Connections at a time of one network address (SRV-05).
    pub connections_per_peer: usize,
    /// Newcomers that are listened to at a time before they are told `busy`; more are told at once.
    pub refusals_max: usize,
    /// How long a newcomer that is refused may take to say in which protocol.
    pub refusal_wait: Duration,
    /// Over-long lines in a row after which a connection is closed (SRV-07).
    pub long_lines_max: u32,
    /// How old an unfinished line may become (SRV-08).
    pub line_timeout: Duration,
    /// How long the lines of one match may take to come (SRV-20).
    pub block_timeout: Duration,
    /// Bytes of matches of all connections that come, wait or are judged; above it they are `busy` (SRV-20).
    pub block_bytes_max: usize,
    /// How long a connection may say nothing; zero for ever (SRV-08).
    pub idle_timeout: Duration,
    /// The same where a peer may be quiet for long without being gone, as gnubg while its user thinks.
    pub quiet_timeout: Duration,
    /// How long a peer may take nothing of what is sent to it (SRV-09).
    pub write_timeout: Duration,
    /// Bytes of answers that the system may hold for a TCP peer (SRV-09).
    pub send_buffer_bytes: usize,
    /// Bytes of answers that may wait for a peer before no more are computed (SRV-09).
    pub unsent_bytes_max: usize,
    /// Bytes of answers that may wait for all peers together; above it large answers are `busy`
    /// and small ones are given to those who have taken what they got before.
    pub answer_bytes_max: usize,
    /// How often a connection whose work is computed is looked at, whether its peer is there still;
    /// half as often with more than 256 connections.
    pub hang_up_check: Duration,
    /// How long a peer that still talks after the end is listened to, so that it gets all that was
    /// said to it.
    pub linger: Duration,
    /// Lines of one connection that wait or are being answered (SRV-10).
    pub in_flight_max: usize,
    /// Lines of one connection that are handed to a thread together.
    pub batch_max: usize,
    /// Lines of all connections that wait, of each cost; above it the answer is `busy` for those
    /// who have more than their share of them waiting (SRV-11).
    pub queue_max: usize,
    /// Processor time that one request may use, on all its threads together; `None` for 900 seconds for each thread of
    /// the server, zero for no limit (SRV-21).
    pub request_cpu: Option<Duration>,
    /// Processor time that one client may use for questions that look ahead in an hour; zero for no limit (SRV-21).
    pub client_cpu: Duration,
    /// Messages over NATS whose answers are not sent yet; above it more are left without an answer.
    pub messages_max: usize,
    /// How long running queries may go on after the order to end (SRV-15).
    pub grace: Duration,
    /// How long binding to a port in use is tried again (SRV-03).
    pub bind_retry: Duration,
    /// When silent peers are probed, and how often after that (SRV-12).
    pub keep_alive: Duration,
    /// Metrics connections at a time, and how long each may take; above it the oldest goes.
    pub metrics_max: usize,
    /// See [`Limits::metrics_max`].
    pub metrics_timeout: Duration,
}

/// Bytes taken from a socket at a time.
pub(super) const READ_BYTES: usize = 8192;

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
