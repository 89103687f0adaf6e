//! What all connections of a server share.

use super::turns::Turns;
use crate::account::{Account, Ledger};
use crate::counters::{Counters, count};
use crate::fair_queue::{Lane, Origin};
use crate::limits::Limits;
use crate::shutdown::Phase;
use crate::worker::Workers;
use gammond_engine::engine::Engine;
use gammond_protocol::Defaults;
use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// Connections from which on each is looked at less often.
const MANY: u64 = 256;

/// Makes an engine anew, to be called when the nets on disk have changed.
pub(super) type Build = dyn Fn() -> Result<Engine, BuildError> + Send + Sync;

/// Why whoever started the server cannot make another engine.
pub type BuildError = Box<dyn Error + Send + Sync>;

/// Why the nets were not reloaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// A reload is running; another one follows it.
    #[error("nets: they are being loaded already; once more after that")]
    Busy,
    /// No engine could be made.
    #[error(transparent)]
    Build(BuildError),
}

/// What all connections share.
pub struct Shared {
    /// What is allowed.
    pub limits: Limits,
    /// What has been counted.
    pub counters: Arc<Counters>,
    /// The threads that compute.
    pub workers: Workers,
    /// How far the way down has come.
    pub phase: watch::Sender<Phase>,
    pub(super) turns: Arc<Turns>,
    ledger: Arc<Ledger>,
    /// Bytes of matches that come, wait or are judged (SRV-20).
    pub(crate) blocks: AtomicUsize,
    lanes: AtomicU64,
    defaults: Defaults,
    peers: Mutex<HashMap<Origin, usize>>,
    build: Box<Build>,
    /// Orders to reload that are not obeyed yet.
    reloads: AtomicUsize,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn new(
        limits: Limits,
        counters: Arc<Counters>,
        workers: Workers,
        defaults: Defaults,
        build: Box<Build>,
    ) -> Shared {
        Shared {
            ledger: Ledger::new(limits.answer_bytes_max),
            blocks: AtomicUsize::new(0),
            limits,
            counters,
            workers,
            phase: watch::channel(Phase::Run).0,
            lanes: AtomicU64::new(0),
            turns: Arc::default(),
            defaults,
            peers: Mutex::default(),
            build,
            reloads: AtomicUsize::new(0),
        }
    }

    /// Reloads the nets; queries that run keep the old ones (SRV-16). Blocks while it loads.
    pub(super) fn reload(&self) -> Result<(), ReloadError> {
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

    /// With what a connection's machine begins.
    pub fn defaults(&self) -> Defaults {
        let mut defaults = self.defaults.clone();
        defaults.rules.engine = self.workers.engine().net_name().to_owned();
        defaults
    }

    /// How often a connection that is not read is looked at: half as often among many, so that a
    /// thousand looks cost no more than those of some hundred.
    pub(super) fn hang_up_check(&self) -> Duration {
        let many = self.counters.connections.load(Ordering::Relaxed) > MANY;
        self.limits.hang_up_check * if many { 2 } else { 1 }
    }

    /// A new connection's account.
    pub fn account(&self) -> Arc<Account> {
        Account::new(Arc::clone(&self.ledger), self.limits.unsent_bytes_max)
    }

    /// A new connection's place in the queues.
    pub(crate) fn lane(&self, origin: Origin) -> Lane {
        let number = self.lanes.fetch_add(1, Ordering::Relaxed);
        Lane { origin, number }
    }

    /// Bytes of answers that wait for their peers.
    pub fn unsent(&self) -> usize {
        self.ledger.used()
    }

    /// What Prometheus reads.
    pub(crate) fn prometheus(&self) -> String {
        let unsent = self.unsent() as u64;
        self.counters.unsent.store(unsent, Ordering::Relaxed);
        self.counters.prometheus(self.workers.engine().net_name())
    }

    /// A place for a connection of this peer, or why there is none.
    pub(crate) fn admit(self: &Arc<Self>, origin: Origin) -> Result<Slot, &'static str> {
        let open = self.counters.connections.load(Ordering::Relaxed);
        if open >= self.limits.connections_max as u64 {
            return Err("connections");
        }
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        let own = peers.entry(origin).or_insert(0);
        if *own >= self.limits.connections_per_peer {
            return Err(match origin {
                Origin::User(_) => "connections of one user",
                _ => "connections of one address",
            });
        }
        *own += 1;
        drop(peers);
        self.counters.connections.fetch_add(1, Ordering::Relaxed);
        count(&self.counters.accepted);
        Ok(Slot {
            shared: Arc::clone(self),
            origin,
        })
    }
}

/// A connection's place; free again when dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    shared: Arc<Shared>,
    origin: Origin,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.shared
            .counters
            .connections
            .fetch_sub(1, Ordering::Relaxed);
        let mut peers = self
            .shared
            .peers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = peers.get_mut(&self.origin) {
            *count -= 1;
            if *count == 0 {
                peers.remove(&self.origin);
            }
        }
    }
}
