//! Access: the clients of requests, by token, session or address, and the pages that may ask.

pub(in crate::http) mod forwarded;
pub(in crate::http) mod policy;
pub(in crate::http) mod sessions;
pub(in crate::http) mod tokens;
