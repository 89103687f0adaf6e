//! The server of `gammond serve`: its settings, start and end.
//!
//! Rules SRV-01 to SRV-18 of `protocol-specs/request-protocol.md`.

use super::address::Address;
use super::error::ServeError;
use super::handle::{Handle, TokenHandle};
use super::listener;
use super::shared::{BuildError, Shared};
use super::socket::{Language, Listener};
use crate::counters::Counters;
use crate::http::{self, AccessState, Audience, HttpAccess, JobLimits, MatchArchive};
use crate::limits::Limits;
use crate::shutdown::{Phase, reached};
use crate::transport::Transport;
use crate::worker::Workers;
use gammond_engine::engine::Engine;
use gammond_protocol::external::ExternalSettings;
use gammond_protocol::{Defaults, Options};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Time for the answers of queries that are stopped at the end of the grace time.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);

/// Settings of a server.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// Addresses for requests, gnubg's server language and UBGI.
    pub listen: Vec<Address>,
    /// Addresses for gnubg's server language from the first byte.
    pub external: Vec<Address>,
    /// Addresses for gnubg's text console from the first byte.
    pub console: Vec<Address>,
    /// Further transports of requests.
    pub transports: Vec<Arc<dyn Transport>>,
    /// Addresses for HTTP.
    pub http: Vec<Address>,
    /// Access rules of HTTP.
    pub http_access: HttpAccess,
    /// Limits and folder of the jobs over HTTP.
    pub http_jobs: JobLimits,
    /// Archive of analysed matches that HTTP shows.
    pub archive: Option<Arc<dyn MatchArchive>>,
    /// Address for Prometheus.
    pub metrics: Option<Address>,
    /// True if addresses other than loopback are allowed.
    pub allow_remote: bool,
    /// Limits of the server.
    pub limits: Limits,
    /// Initial settings of sessions.
    pub session: Options,
    /// Settings that gnubg's server language does not carry.
    pub rules: ExternalSettings,
}

/// A bound server that is ready to run.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<Listener>,
    http: Vec<Listener>,
    access_state: Arc<AccessState>,
    metrics: Option<Listener>,
    transports: Vec<Arc<dyn Transport>>,
}

impl Server {
    /// Binds the addresses and starts the threads. `build` creates a new engine for a reload.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind<E: Into<BuildError>>(
        config: Config,
        engine: Engine,
        build: impl Fn() -> Result<Engine, E> + Send + Sync + 'static,
    ) -> Result<Server, ServeError> {
        for transport in &config.transports {
            transport.check().await?;
        }
        let sockets = [
            &config.listen,
            &config.external,
            &config.console,
            &config.http,
        ];
        if sockets.iter().all(|addresses| addresses.is_empty()) && config.transports.is_empty() {
            return Err(ServeError::NoAddress);
        }
        let (limits, remote) = (&config.limits, config.allow_remote);
        let mut listeners = Vec::new();
        for (addresses, language) in [
            (&config.listen, Language::Detected),
            (&config.external, Language::External),
            (&config.console, Language::Console),
        ] {
            for address in addresses {
                let listener = Listener::bind(address, remote, limits.bind_retry).await?;
                listeners.push(listener.speaking(language));
            }
        }
        let mut http = Vec::new();
        for address in &config.http {
            let known = config.http_access.serves_others();
            let bound = Listener::bind(address, remote && known, limits.bind_retry).await;
            http.push(bound.map_err(|error| match error {
                ServeError::Remote(address) if remote => ServeError::NoTokens(address),
                error => error,
            })?);
        }
        let metrics = match &config.metrics {
            None => None,
            Some(address) => Some(Listener::bind(address, remote, limits.bind_retry).await?),
        };
        let access_state = AccessState::new(config.http_access, config.http_jobs, config.archive)?;
        let access_state = Arc::new(access_state);
        let counters = Arc::new(Counters::default());
        let workers = Workers::start(engine, Arc::clone(&counters), limits)?;
        let mut defaults = Defaults::default();
        (defaults.session, defaults.rules) = (config.session, config.rules);
        let shared = Arc::new(Shared::new(
            config.limits,
            counters,
            workers,
            defaults,
            Box::new(move || build().map_err(Into::into)),
        ));
        Ok(Server {
            shared,
            listeners,
            http,
            access_state,
            metrics,
            transports: config.transports,
        })
    }

    /// Returns the bound addresses but those of consoles, with the real ports.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        self.listening(|language| language != Language::Console)
    }

    /// Returns the bound addresses of consoles, with the real ports.
    #[must_use]
    pub fn console_addresses(&self) -> Vec<String> {
        self.listening(|language| language == Language::Console)
    }

    fn listening(&self, spoken: impl Fn(Language) -> bool) -> Vec<String> {
        let listeners = self.listeners.iter();
        let found = listeners.filter(|listener| spoken(listener.language()));
        found.map(Listener::address).collect()
    }

    /// Returns the bound HTTP addresses, with the real ports.
    #[must_use]
    pub fn http_addresses(&self) -> Vec<String> {
        self.http.iter().map(Listener::address).collect()
    }

    /// Returns the bound metrics address, with the real port.
    #[must_use]
    pub fn metrics_address(&self) -> Option<String> {
        self.metrics.as_ref().map(Listener::address)
    }

    /// Returns a line that describes each further transport.
    pub fn transports(&self) -> impl Iterator<Item = String> {
        self.transports.iter().map(|transport| transport.shown())
    }

    /// Returns a handle to reload or shut down this server.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Returns a handle to replace the tokens of HTTP.
    #[must_use]
    pub fn token_handle(&self) -> TokenHandle {
        TokenHandle {
            shared: Arc::clone(&self.shared),
            access_state: Arc::clone(&self.access_state),
        }
    }

    /// Serves until [`Handle::drain`] or [`Handle::cut`].
    pub async fn run(self) {
        let mut tasks = JoinSet::new();
        let handle = self.handle();
        for transport in self.transports {
            tasks.spawn(transport.serve(handle.clone()));
        }
        for listener in self.listeners {
            tasks.spawn(listener::accept(listener, Arc::clone(&self.shared)));
        }
        if !self.http.is_empty() {
            self.access_state.start(&self.shared);
        }
        for listener in self.http {
            tasks.spawn(http::accept(
                listener,
                Arc::clone(&self.shared),
                Audience::Clients,
                Arc::clone(&self.access_state),
            ));
        }
        // Metrics and readiness are read until the end, which does not wait for their readers.
        let mut scrapers = JoinSet::new();
        if let Some(listener) = self.metrics {
            scrapers.spawn(http::accept(
                listener,
                Arc::clone(&self.shared),
                Audience::Scrapers,
                Arc::clone(&self.access_state),
            ));
        }
        let mut phase = self.shared.phase.subscribe();
        reached(&mut phase, Phase::Drain).await;
        let gracefully = async {
            let in_time = timeout(self.shared.limits.grace, join_all(&mut tasks)).await;
            if in_time.is_err() {
                self.shared.workers.stop_all();
                let _ = timeout(LAST_ANSWERS_TIMEOUT, join_all(&mut tasks)).await;
            }
        };
        tokio::select! {
            () = gracefully => {}
            () = reached(&mut phase, Phase::Cut) => {}
        }
        // What is left sees the phase within a moment; a query that does not stop is left behind.
        self.shared.phase.send_replace(Phase::Cut);
        let _ = timeout(Duration::from_millis(200), join_all(&mut tasks)).await;
    }
}

/// Waits until all tasks have ended.
async fn join_all(tasks: &mut JoinSet<()>) {
    while tasks.join_next().await.is_some() {}
}
