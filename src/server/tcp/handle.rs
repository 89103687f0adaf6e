//! The handle of a running server: to reload, to shut down, to read its counters.

use super::connection;
use super::shared::{ReloadError, Shared};
use crate::counters::Counters;
use crate::fair_queue::Origin;
use crate::http::{AccessState, HttpTokens};
use crate::shutdown::Phase;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};

/// A handle to reload or shut down a running server.
#[derive(Clone, Debug)]
pub struct Handle(pub Arc<Shared>);

impl Handle {
    /// Shuts down gracefully: no new requests; running queries may finish within the grace time (SRV-15).
    pub fn drain(&self) {
        let drain = |phase: &mut Phase| {
            let running = *phase == Phase::Run;
            if running {
                *phase = Phase::Drain;
            }
            running
        };
        self.0.phase.send_if_modified(drain);
    }

    /// Shuts down at once.
    pub fn cut(&self) {
        self.0.phase.send_replace(Phase::Cut);
    }

    /// Reloads the nets; queries that run keep the old ones (SRV-16). Blocks while it loads.
    ///
    /// # Errors
    /// If a file is missing or damaged; the old nets stay.
    pub fn reload(&self) -> Result<(), ReloadError> {
        self.0.reload()
    }

    /// Returns the counters.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Returns the size in bytes of the answers that their peers have not read.
    #[must_use]
    pub fn unsent_bytes(&self) -> usize {
        self.0.unsent()
    }

    /// Serves a stream created by the caller, such as one end of a pipe in this process.
    pub async fn serve_stream<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) {
        let nowhere = |_: &S| false;
        connection::serve(stream, nowhere, Origin::Here, Arc::clone(&self.0), false).await;
    }
}

/// A handle to replace the tokens of HTTP of a running server.
#[derive(Clone, Debug)]
pub struct TokenHandle {
    pub(super) shared: Arc<Shared>,
    pub(super) access_state: Arc<AccessState>,
}

impl TokenHandle {
    /// Puts these tokens in the place of the ones before: a token that is gone is refused at its next request (HTTP-131).
    ///
    /// # Errors
    /// If there were too many names since the start; the old tokens stay.
    pub fn replace(&self, tokens: HttpTokens) -> Result<(), &'static str> {
        self.access_state.replace_tokens(&self.shared, tokens)
    }
}
