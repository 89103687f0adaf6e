//! All integration tests, one binary. A module a subject.

mod bearoff;
mod equity;
mod fuzz_corpus;
mod gnubg_eval;
mod malformed;
mod movegen;
mod notation;
mod own_net;
mod request;
mod support;
mod tidy;
