//! All integration tests, one binary. A module a subject.

mod bearoff;
mod notation;
mod support;
mod tidy;
