//! The client behind a request.

use crate::core::fair_queue::Origin;
use crate::http::wire::unread::UnreadAnswers;
use std::sync::Arc;

/// Origin of a request, as reported by the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Initiator {
    /// A page of this server, or the address bar.
    Own,
    Other,
    /// Neither `Sec-Fetch-Site` nor `Origin` names the source.
    Unknown,
}

/// A connection, for its requests.
#[derive(Clone, Debug)]
pub(in crate::http) struct Peer {
    pub(in crate::http) origin: Origin,
    /// The port of the listener; `None` for a Unix socket.
    pub(in crate::http) port: Option<u16>,
    /// Answers that the client has not read.
    pub(in crate::http) unread: Arc<UnreadAnswers>,
    /// Name of the client, if it has signed in (HTTP-133).
    pub(in crate::http) signed_in: Option<Arc<str>>,
    /// True if a trusted proxy reports that the client came over TLS.
    pub(in crate::http) is_https: bool,
    pub(in crate::http) initiator: Initiator,
}
