//! All integration tests, one binary. A module a subject.

mod bearoff;
mod gnubg_eval;
mod notation;
mod support;
mod tidy;
