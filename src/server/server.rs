//! The server of `gammond serve`: its settings, start and end.
//!
//! Rules SRV-01 to SRV-18 of `protocol-specs/request-protocol.md`.

use crate::core::counters::Counters;
use crate::core::limits::Limits;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::core::worker::{Workers, WorkersError};
use crate::core::{BuildError, Core, Handle};
use crate::io::{Opening, TransportError};
use crate::transport::Transport;
use gammond_engine::engine::Engine;
use gammond_protocol::external::ExternalSettings;
use gammond_protocol::{Defaults, Options};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Time for the answers of queries that are stopped at the end of the grace time.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);

/// An error at the start of a server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// There is no address to listen on.
    #[error("no address to listen on")]
    NoAddress,
    /// A transport cannot begin.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The worker threads could not be started.
    #[error("threads: {0}")]
    Threads(#[from] WorkersError),
}

/// Settings of a server.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// The ways by which requests come, in the order in which they are opened and shown.
    pub transports: Vec<Box<dyn Transport>>,
    /// True if addresses other than loopback are allowed.
    pub allow_remote: bool,
    /// Limits of the server.
    pub limits: Limits,
    /// Initial settings of sessions.
    pub session: Options,
    /// Settings that gnubg's server language does not carry.
    pub rules: ExternalSettings,
}

impl Config {
    /// Adds a transport.
    #[must_use]
    pub fn with(mut self, transport: impl Transport + 'static) -> Config {
        self.transports.push(Box::new(transport));
        self
    }
}

/// A server whose transports are open, ready to run.
#[derive(Debug)]
pub struct Server {
    core: Arc<Core>,
    transports: Vec<Box<dyn Transport>>,
}

impl Server {
    /// Opens the transports and starts the threads. `build` creates a new engine for a reload.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind<E: Into<BuildError>>(
        config: Config,
        engine: Engine,
        build: impl Fn() -> Result<Engine, E> + Send + Sync + 'static,
    ) -> Result<Server, ServeError> {
        let mut transports = config.transports;
        if transports.iter().all(|transport| transport.is_observer()) {
            return Err(ServeError::NoAddress);
        }
        let opening = Opening {
            allow_remote: config.allow_remote,
            retry: config.limits.bind_retry,
        };
        for transport in &mut transports {
            transport.open(opening).await?;
        }
        let counters = Arc::new(Counters::default());
        let workers = Workers::start(engine, Arc::clone(&counters), &config.limits)?;
        let mut defaults = Defaults::default();
        (defaults.session, defaults.rules) = (config.session, config.rules);
        let core = Arc::new(Core::new(
            config.limits,
            counters,
            workers,
            defaults,
            Box::new(move || build().map_err(Into::into)),
        ));
        Ok(Server { core, transports })
    }

    /// Returns a line for each source of requests, such as `http on 127.0.0.1:8080`.
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let transports = self.transports.iter();
        transports.flat_map(|transport| transport.shown()).collect()
    }

    /// Returns the bound addresses of one kind of [`Server::shown`], such as `http`, with the real ports.
    #[must_use]
    pub fn addresses(&self, kind: &str) -> Vec<String> {
        let shown = self.shown().into_iter();
        let of_kind = shown.filter_map(|line| {
            let (name, address) = line.split_once(" on ")?;
            (name == kind).then(|| address.to_owned())
        });
        of_kind.collect()
    }

    /// Returns a handle to reload or shut down this server.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.core))
    }

    /// Serves until [`Handle::drain`] or [`Handle::cut`].
    pub async fn run(self) {
        let handle = self.handle();
        // The end does not wait for clients of observers.
        let (mut tasks, mut observers) = (JoinSet::new(), JoinSet::new());
        for transport in self.transports {
            let set = match transport.is_observer() {
                true => &mut observers,
                false => &mut tasks,
            };
            set.spawn(transport.serve(handle.clone()));
        }
        let mut phase = self.core.phase.subscribe();
        reached(&mut phase, ShutdownPhase::Drain).await;
        let gracefully = async {
            let in_time = timeout(self.core.limits.grace, join_all(&mut tasks)).await;
            if in_time.is_err() {
                self.core.workers.stop_all();
                let _ = timeout(LAST_ANSWERS_TIMEOUT, join_all(&mut tasks)).await;
            }
        };
        tokio::select! {
            () = gracefully => {}
            () = reached(&mut phase, ShutdownPhase::Cut) => {}
        }
        // The remaining connections see the phase within a moment; a query that does not stop is left behind.
        self.core.phase.send_replace(ShutdownPhase::Cut);
        let _ = timeout(Duration::from_millis(200), join_all(&mut tasks)).await;
    }
}

/// Waits until all tasks have ended.
async fn join_all(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}
