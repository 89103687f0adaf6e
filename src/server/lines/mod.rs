//! Lines over sockets of TCP and Unix: requests, gnubg's server language and UBGI.

mod connection;

use crate::core::fair_queue::Origin;
use crate::core::{Core, Handle};
use crate::io::accept::{self, Speaker};
use crate::io::socket::{Listener, Stream, hung_up};
use crate::io::{Address, Opening, TransportError};
use crate::transport::{Transport, TransportFuture};
use gammond_protocol::answer::{self, Addressee};
use gammond_protocol::external::External;
use gammond_protocol::{AnswerStyle, ErrorCode, RequestError};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// Sockets for lines.
#[derive(Debug)]
pub struct Lines {
    addresses: Vec<Address>,
    language: Language,
    listeners: Vec<Listener>,
}

/// The language of the first line of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// Requests, gnubg's server language or UBGI, by what the client sends.
    Detected,
    /// gnubg's server language.
    External,
}

impl Lines {
    /// Listens on these addresses for requests, gnubg's server language and UBGI.
    #[must_use]
    pub fn new(addresses: Vec<Address>) -> Lines {
        Lines::speaking(Language::Detected, addresses)
    }

    /// Listens on these addresses for gnubg's server language from the first byte.
    #[must_use]
    pub fn external(addresses: Vec<Address>) -> Lines {
        Lines::speaking(Language::External, addresses)
    }

    fn speaking(language: Language, addresses: Vec<Address>) -> Lines {
        Lines {
            addresses,
            language,
            listeners: Vec::new(),
        }
    }
}

impl Transport for Lines {
    fn open(&mut self, opening: Opening) -> TransportFuture<'_, Result<(), TransportError>> {
        Box::pin(async move {
            self.listeners = accept::bind(&self.addresses, opening).await?;
            Ok(())
        })
    }

    fn shown(&self) -> Vec<String> {
        accept::shown("listening", &self.listeners)
    }

    fn serve(self: Box<Self>, server: Handle) -> TransportFuture<'static, ()> {
        Box::pin(async move { accept::accept_all(self.listeners, self.language, &server.0).await })
    }
}

impl Speaker for Language {
    const READS_FIRST: bool = true;

    async fn serve(self, stream: Stream, origin: Origin, core: Arc<Core>) {
        let external = self == Language::External;
        connection::serve(stream, hung_up, origin, core, external).await;
    }

    fn refusal(self, first: &[u8], reason: &str) -> Vec<u8> {
        if External::begins_with(first) {
            return format!("Error: busy {reason}\n").into_bytes();
        }
        let message = format!("busy: too many {reason}");
        let error = RequestError::new(ErrorCode::Busy, "server", message);
        let to = Addressee {
            id: None,
            style: AnswerStyle::Json,
            warning: None,
        };
        let mut text = Vec::new();
        answer::error(to, &error, None, &mut text);
        text
    }
}

/// Serves a stream that the caller has made, such as one end of a pipe in this process.
pub async fn serve_stream<S: AsyncRead + AsyncWrite + Unpin>(server: &Handle, stream: S) {
    let nowhere = |_: &S| false;
    connection::serve(stream, nowhere, Origin::Here, Arc::clone(&server.0), false).await;
}
