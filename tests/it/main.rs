//! All integration tests, one binary. A module a subject.

mod bearoff;
mod gnubg_eval;
mod malformed;
mod notation;
mod request;
mod support;
mod tidy;
