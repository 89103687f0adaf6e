//! `gammond serve`: listeners, what all connections share, and the way down.
//!
//! Rules SRV-01 to SRV-18 of `protocol-specs/request-protocol.md`.

use super::connection;
use super::counters::{Counters, count};
use super::limits::Limits;
use super::listener::{self, Listener};
use super::metrics;
use super::worker::Workers;
use crate::engine::{Engine, EngineError};
use crate::protocol::SessionSettings;
use crate::protocol::external::Rules;
use crate::protocol::ubgi::Ubgi;
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Where to listen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Address {
    /// `HOST:PORT`; port 0 takes any free one.
    Tcp(String),
    /// `unix:PATH`.
    Unix(PathBuf),
}

impl std::str::FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Address, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err("unix: wants a path".into());
            }
            return Ok(Address::Unix(path.into()));
        }
        match text.rsplit_once(':') {
            Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
                Ok(Address::Tcp(text.to_owned()))
            }
            _ => Err("want HOST:PORT or unix:PATH".into()),
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Address::Tcp(address) => f.write_str(address),
            Address::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// What a server is to be.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Config {
    /// Where requests, gnubg and UBGI are served.
    pub listen: Vec<Address>,
    /// Where gnubg's server language is spoken from the first byte.
    pub external: Vec<Address>,
    /// Where Prometheus may read.
    pub metrics: Option<Address>,
    /// Whether addresses other than loopback are allowed.
    pub allow_remote: bool,
    /// What is allowed.
    pub limits: Limits,
    /// With what sessions begin.
    pub session: SessionSettings,
    /// What gnubg does not tell.
    pub rules: Rules,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Nothing to listen on.
    #[error("no address to listen on")]
    NoAddress,
    /// Not loopback, and nobody allowed it.
    #[error("{0} is not a loopback address; allow it with --allow-remote, behind a proxy")]
    Remote(Address),
    /// An address cannot be had.
    #[error("{address}: {source}")]
    Bind {
        /// The address.
        address: Address,
        /// Why.
        source: io::Error,
    },
    /// The threads that compute could not be started.
    #[error("threads: {0}")]
    Threads(String),
}

/// How far the server is on its way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Run,
    /// Nothing new; what runs may finish.
    Drain,
    /// At once.
    Cut,
}

/// Waits until the server is at least this far on its way down.
pub(super) async fn reached(phase: &mut watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the server is gone, which is as far as it gets.
    let _ = phase
        .wait_for(|phase| *phase == Phase::Cut || *phase == wanted)
        .await;
}

/// Makes an engine anew, to be called when the nets on disk have changed.
pub type Build = dyn Fn() -> Result<Engine, EngineError> + Send + Sync;

/// What all connections share.
pub(super) struct Shared {
    pub(super) limits: Limits,
    pub(super) counters: Arc<Counters>,
    pub(super) workers: Workers,
    pub(super) session: Arc<SessionSettings>,
    pub(super) phase: watch::Sender<Phase>,
    rules: Rules,
    peers: Mutex<HashMap<IpAddr, usize>>,
    build: Box<Build>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn rules(&self) -> Rules {
        let mut rules = self.rules.clone();
        rules.engine = self.workers.engine().net_name().to_owned();
        rules
    }

    pub(super) fn ubgi(&self) -> Ubgi {
        Ubgi::new(self.session.search.clone(), "embedded", 1, false)
    }

    pub(super) fn stats(&self) -> serde_json::Value {
        let mut stats = self.counters.value();
        let engine = self.workers.engine();
        if let Some(object) = stats.as_object_mut() {
            object.insert("net".into(), engine.net_name().into());
            object.insert("threads".into(), engine.pool().current_num_threads().into());
        }
        stats
    }

    /// A place for a connection of this peer, or why there is none.
    pub(super) fn admit(self: &Arc<Self>, peer: Option<IpAddr>) -> Result<Slot, &'static str> {
        let open = self.counters.connections.load(Ordering::Relaxed);
        if open >= self.limits.connections_max as u64 {
            return Err("connections");
        }
        if let Some(peer) = peer {
            let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
            let count = peers.entry(peer).or_insert(0);
            if *count >= self.limits.connections_per_peer {
                return Err("connections of one address");
            }
            *count += 1;
        }
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        count(&self.counters.accepted);
        Ok(Slot {
            shared: Arc::clone(self),
            peer,
        })
    }
}

/// A connection's place; free again when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    shared: Arc<Shared>,
    peer: Option<IpAddr>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared
            .counters
            .connections
            .fetch_sub(1, Ordering::Relaxed);
        let Some(peer) = self.peer else { return };
        let mut peers = self
            .shared
            .peers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = peers.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                peers.remove(&peer);
            }
        }
    }
}

/// A server that listens and is ready to run.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    listeners: Vec<Listener>,
    metrics: Option<Listener>,
}

/// Tells a running server to reload or to end.
#[derive(Clone, Debug)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// Ends gracefully: nothing new, running queries may finish within the grace time (SRV-15).
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

    /// Ends at once.
    pub fn cut(&self) {
        self.0.phase.send_replace(Phase::Cut);
    }

    /// Loads the nets anew; queries that run keep the old ones (SRV-16). Blocks while it loads.
    ///
    /// # Errors
    /// A file is missing or damaged; the old nets stay.
    pub fn reload(&self) -> Result<(), EngineError> {
        let engine = (self.0.build)()?;
        self.0.workers.replace(engine)?;
        count(&self.0.counters.reloads);
        Ok(())
    }

    /// What has been counted so far.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Serves one stream that somebody else made, such as one end of a pipe in this process.
    pub async fn serve_stream<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S) {
        connection::serve(stream, Arc::clone(&self.0), false).await;
    }
}

impl Server {
    /// Takes the addresses and starts the threads. `build` makes the engine anew for a reload.
    ///
    /// # Errors
    /// [`ServeError`].
    pub async fn bind(
        config: Config,
        engine: Engine,
        build: Box<Build>,
    ) -> Result<Server, ServeError> {
        if config.listen.is_empty() && config.external.is_empty() {
            return Err(ServeError::NoAddress);
        }
        let (limits, remote) = (&config.limits, config.allow_remote);
        let mut listeners = Vec::new();
        for (addresses, server_language) in [(&config.listen, false), (&config.external, true)] {
            for address in addresses {
                let listener = Listener::bind(address, remote, limits.bind_retry).await?;
                listeners.push(listener.speaking(server_language));
            }
        }
        let metrics = match &config.metrics {
            None => None,
            Some(address) => Some(Listener::bind(address, remote, limits.bind_retry).await?),
        };
        let counters = Arc::new(Counters::default());
        let workers =
            Workers::start(engine, Arc::clone(&counters), limits).map_err(ServeError::Threads)?;
        let shared = Arc::new(Shared {
            limits: config.limits,
            counters,
            workers,
            session: Arc::new(config.session),
            phase: watch::channel(Phase::Run).0,
            rules: config.rules,
            peers: Mutex::default(),
            build,
        });
        Ok(Server {
            shared,
            listeners,
            metrics,
        })
    }

    /// The addresses taken, with the real ports.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        self.listeners.iter().map(Listener::address).collect()
    }

    /// The address of the metrics, with the real port.
    #[must_use]
    pub fn metrics_address(&self) -> Option<String> {
        self.metrics.as_ref().map(Listener::address)
    }

    /// Tells this server to end.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Serves until [`Handle::drain`] or [`Handle::cut`].
    pub async fn run(self) {
        let mut tasks = JoinSet::new();
        for listener in self.listeners {
            tasks.spawn(listener::accept(listener, Arc::clone(&self.shared)));
        }
        if let Some(listener) = self.metrics {
            tasks.spawn(metrics::accept(listener, Arc::clone(&self.shared)));
        }
        let mut phase = self.shared.phase.subscribe();
        reached(&mut phase, Phase::Drain).await;
        let all_done = async { while tasks.join_next().await.is_some() {} };
        tokio::select! {
            () = all_done => {}
            () = reached(&mut phase, Phase::Cut) => {}
            () = tokio::time::sleep(self.shared.limits.grace) => {
                self.shared.phase.send_replace(Phase::Cut);
            }
        }
        // What is left sees the phase within a moment; a query that does not stop is left behind.
        let rest = async { while tasks.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(Duration::from_millis(200), rest).await;
    }
}
