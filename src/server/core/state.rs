//! The state that all transports of a server share.

use crate::core::counters::{Counters, count};
use crate::core::fair_queue::{Lane, Origin};
use crate::core::limits::Limits;
use crate::core::memory_budget::{ConnectionBudget, MemoryBudget};
use crate::core::shutdown::ShutdownPhase;
use crate::core::turns::Turns;
use crate::core::worker::Workers;
use gammond_engine::engine::Engine;
use gammond_protocol::Defaults;
use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Number of connections above which each is checked less often.
const CONNECTIONS_FOR_SLOW_CHECKS: u64 = 256;

/// A function that builds a new engine after the nets on disk have changed.
pub(crate) type Build = dyn Fn() -> Result<Engine, BuildError> + Send + Sync;

/// An error while building an engine.
pub type BuildError = Box<dyn Error + Send + Sync>;

/// An error while reloading the nets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// A reload is running; another one follows it.
    #[error("nets: they are being loaded already; once more after that")]
    Busy,
    /// The engine could not be built.
    #[error(transparent)]
    Build(BuildError),
}

/// The state that all transports share: workers, limits, counters, the phase of the shutdown.
pub struct Core {
    /// Limits of the server.
    pub limits: Limits,
    /// Counters of the server.
    pub counters: Arc<Counters>,
    /// Worker threads.
    pub workers: Workers,
    /// Phase of the shutdown.
    pub phase: watch::Sender<ShutdownPhase>,
    pub(crate) turns: Arc<Turns>,
    memory_budget: Arc<MemoryBudget>,
    /// Size in bytes of matches that arrive, wait or are analysed (SRV-20).
    pub(crate) blocks: AtomicUsize,
    lanes: AtomicU64,
    defaults: Defaults,
    peers: Mutex<HashMap<Origin, usize>>,
    build: Box<Build>,
    /// Number of pending requests to reload.
    reloads: AtomicUsize,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Core {
    pub(crate) fn new(
        limits: Limits,
        counters: Arc<Counters>,
        workers: Workers,
        defaults: Defaults,
        build: Box<Build>,
    ) -> Core {
        Core {
            memory_budget: MemoryBudget::new(limits.answer_bytes_max),
            blocks: AtomicUsize::new(0),
            limits,
            counters,
            workers,
            phase: watch::channel(ShutdownPhase::Run).0,
            lanes: AtomicU64::new(0),
            turns: Arc::default(),
            defaults,
            peers: Mutex::default(),
            build,
            reloads: AtomicUsize::new(0),
        }
    }

    /// Reloads the nets; queries that run keep the old ones (SRV-16). Blocks while it loads.
    pub(crate) fn reload(&self) -> Result<(), ReloadError> {
        if self.reloads.fetch_add(1, Ordering::SeqCst) > 0 {
            return Err(ReloadError::Busy);
        }
        loop {
            let wanted = self.reloads.load(Ordering::SeqCst);
            let built = (self.build)().map_err(ReloadError::Build);
            if let Ok(engine) = &built {
                self.workers.replace(engine);
                count(&self.counters.reloads);
            }
            // Files may have changed behind a reload that had begun: orders that came meanwhile cause one more.
            let done =
                (self.reloads).compare_exchange(wanted, 0, Ordering::SeqCst, Ordering::SeqCst);
            if done.is_ok() {
                return built.map(drop);
            }
        }
    }

    /// Returns the initial settings of a connection.
    pub fn defaults(&self) -> Defaults {
        let mut defaults = self.defaults.clone();
        defaults.rules.engine = self.workers.engine().net_name().to_owned();
        defaults
    }

    /// Returns the interval of the checks for a vanished peer while a connection is not read: doubled with many connections, so
    /// that a thousand checks cost no more than those of some hundred.
    pub(crate) fn hang_up_check(&self) -> Duration {
        let many = self.counters.connections.load(Ordering::Relaxed) > CONNECTIONS_FOR_SLOW_CHECKS;
        self.limits.hang_up_check * if many { 2 } else { 1 }
    }

    /// Creates the account of a new connection.
    pub fn connection_budget(&self) -> Arc<ConnectionBudget> {
        ConnectionBudget::new(
            Arc::clone(&self.memory_budget),
            self.limits.unsent_bytes_max,
        )
    }

    /// Creates the lane of a new connection.
    pub(crate) fn lane(&self, origin: Origin) -> Lane {
        let number = self.lanes.fetch_add(1, Ordering::Relaxed);
        Lane { origin, number }
    }

    /// Returns the size in bytes of the answers that their peers have not read.
    pub fn unsent(&self) -> usize {
        self.memory_budget.used()
    }

    /// Formats the metrics for Prometheus.
    pub(crate) fn prometheus(&self) -> String {
        let unsent = self.unsent() as u64;
        self.counters.unsent.store(unsent, Ordering::Relaxed);
        self.counters.prometheus(self.workers.engine().net_name())
    }

    /// Returns a place for a connection of this client, or the reason for refusing it.
    pub(crate) fn admit(self: &Arc<Self>, origin: Origin) -> Result<Slot, &'static str> {
        self.check_connections()?;
        self.count_peer(origin)?;
        Ok(self.slot(Some(origin), true))
    }

    /// Returns a place for a connection of a proxy that brings requests of many clients.
    pub(crate) fn admit_proxy(self: &Arc<Self>) -> Result<Slot, &'static str> {
        self.check_connections()?;
        Ok(self.slot(None, true))
    }

    /// Returns a place for a request of this client over a proxy's connection: it counts as a connection of the client.
    pub(crate) fn admit_request(self: &Arc<Self>, origin: Origin) -> Result<Slot, &'static str> {
        self.count_peer(origin)?;
        Ok(self.slot(Some(origin), false))
    }

    fn check_connections(&self) -> Result<(), &'static str> {
        let open = self.counters.connections.load(Ordering::Relaxed);
        match open >= self.limits.connections_max as u64 {
            true => Err("connections"),
            false => Ok(()),
        }
    }

    fn count_peer(&self, origin: Origin) -> Result<(), &'static str> {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let own = peers.entry(origin).or_insert(0);
        if *own >= self.limits.connections_per_peer {
            return Err(match origin {
                Origin::User(_) => "connections of one user",
                _ => "connections of one address",
            });
        }
        *own += 1;
        Ok(())
    }

    fn slot(self: &Arc<Self>, origin: Option<Origin>, is_connection: bool) -> Slot {
        if is_connection {
            self.counters.connections.fetch_add(1, Ordering::Relaxed);
            count(&self.counters.accepted);
        }
        Slot {
            core: Arc::clone(self),
            origin,
            is_connection,
        }
    }
}

/// The place of a connection, or of a proxy's request; released when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    core: Arc<Core>,
    /// The client whose limit it counts against.
    origin: Option<Origin>,
    is_connection: bool,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let core = &self.core;
        if self.is_connection {
            core.counters.connections.fetch_sub(1, Ordering::Relaxed);
        }
        let Some(origin) = self.origin else {
            return;
        };
        let mut peers = core.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = peers.get_mut(&origin) {
            *count -= 1;
            if *count == 0 {
                peers.remove(&origin);
            }
        }
    }
}
