//! Bodies of the fuzz targets, which ordinary tests run over the saved corpus as well (`tests/it/fuzz_corpus.rs`).
//!
//! Each function reads arbitrary bytes and asserts what must hold whatever they are: no panic inside, an error that
//! points into the text and fits on a line, and a value that prints and reads back to itself. The bodies of HTTP, which
//! read what only the server sees, are in `gammond_server::http::fuzz_http` and its like.

pub mod console;
pub mod notation;
pub mod protocol;
pub mod sequence;
pub mod session;
