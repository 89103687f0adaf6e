//! gnubg's text console on standard input and output, and over sockets with one thread for each connection, so that a
//! wrapper can use one warm process for many sessions.

mod external_client;
mod host;
mod served;

pub use host::{EngineHost, Sinks, run, today};

use crate::core::fair_queue::Origin;
use crate::core::{Core, Handle};
use crate::io::accept::{self, Speaker};
use crate::io::socket::{Listener, Stream};
use crate::io::{Address, Opening, TransportError};
use crate::transport::{Transport, TransportFuture};
use std::sync::Arc;

/// Sockets for gnubg's text console.
#[derive(Debug)]
pub struct Consoles {
    addresses: Vec<Address>,
    listeners: Vec<Listener>,
}

impl Consoles {
    /// Listens on these addresses.
    #[must_use]
    pub fn new(addresses: Vec<Address>) -> Consoles {
        Consoles {
            addresses,
            listeners: Vec::new(),
        }
    }
}

impl Transport for Consoles {
    fn open(&mut self, opening: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async move {
            self.listeners = accept::bind(&self.addresses, opening).await?;
            Ok(())
        })
    }

    fn shown(&self) -> Vec<String> {
        accept::shown("console", &self.listeners)
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move { accept::accept_all(self.listeners, Console, &server.0).await })
    }
}

/// The language of its connections.
#[derive(Clone, Copy)]
struct Console;

impl Speaker for Console {
    const READS_FIRST: bool = false;

    async fn serve(self, stream: Stream, origin: Origin, core: Arc<Core>) {
        served::serve(stream, origin, core).await;
    }

    fn refusal(self, _: &[u8], reason: &str) -> Vec<u8> {
        format!("gammond: too many {reason}\n").into_bytes()
    }
}
