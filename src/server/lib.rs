//! Transports: sockets of TCP and Unix with lines (`tcp`), HTTP with pages and MCP, standard input (`batch`, `ubgi`), the
//! console; and what they share: queues, the threads that compute, limits, the shutdown.
//! NATS is in `gammond-farm`.

pub mod batch;
pub mod console;
pub mod console_tcp;
pub mod counters;
mod engines;
mod external_client;
pub mod fair_queue;
pub mod faults;
mod http;
pub mod limits;
pub mod memory_budget;
pub mod mcp {
    //! The Model Context Protocol on standard input and output.
    pub use crate::http::McpStdio;
}
mod large_answer;
mod lease;
pub mod platform;
mod schedule;
pub mod shutdown;
pub mod systemd;
pub mod tcp;
pub mod transport;
pub mod ubgi;
pub mod work;
pub mod worker;

pub use http::{
    ArchiveFilter, ArchiveScope, ArchivedMatch, HttpAccess, HttpTokens, JobLimits, JobsError,
    MatchArchive, TokenError, TrustedProxy, TrustedProxyError, fuzz_http, fuzz_http_form,
    fuzz_http_query,
};
pub use worker::WorkersError;
