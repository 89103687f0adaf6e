//! The server and its transports: lines over sockets (`lines`), HTTP with pages and MCP (`http`), the console
//! (`console`), standard input (`batch`, `ubgi`). They share `core` (queues, compute threads, limits, the shutdown)
//! and `io` (sockets). The transport of NATS is in `gammond-farm`.

pub mod batch;
pub mod console;
pub mod core;
pub mod http;
pub mod io;
pub mod lines;
pub mod platform;
pub mod process;
mod server;
pub mod transport;
pub mod ubgi;

pub use core::{BuildError, Handle, ReloadError};
pub use io::{Address, AddressError, TransportError};
pub use server::{Config, ServeError, Server};
