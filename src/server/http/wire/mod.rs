//! Parts of HTTP that every path needs: bodies, problems, headers, the client behind a request.

pub(in crate::http) mod accept;
pub(in crate::http) mod body;
pub(in crate::http) mod document;
pub(in crate::http) mod headers;
pub(in crate::http) mod held;
pub(in crate::http) mod list;
pub(in crate::http) mod methods;
pub(in crate::http) mod multipart;
pub(in crate::http) mod peer;
pub(in crate::http) mod problem;
pub(in crate::http) mod random_id;
pub(in crate::http) mod timed;
pub(in crate::http) mod unread;
