//! A lease of a worker's place on the caller's own thread, for transports whose questions are no inquiries: the console.
//!
//! A lease waits in the same queues as inquiries and holds a slot of its cost, so fairness, pauses and the limits of
//! processor time are the same. The worker thread that would have computed waits until the lease ends.

use crate::core::started::Started;
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, Sender, SyncSender, channel, sync_channel};

/// The right to compute; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    /// Engine to compute on.
    pub(crate) engine: Engine,
    job: Arc<Started>,
    _ends: Sender<()>,
}

impl Lease {
    /// Returns the token that stops and pauses the computation.
    pub(crate) fn stop(&self) -> &Stop {
        &self.job.stop
    }

    /// Returns true if a limit of processor time has ended the computation.
    pub(crate) fn is_spent(&self) -> bool {
        self.job.is_spent()
    }
}

/// The worker's end of a lease that waits in a queue.
#[derive(Debug)]
pub(crate) struct LeaseOffer(SyncSender<Lease>);

/// The caller's end of a lease that waits in a queue.
#[derive(Debug)]
pub(crate) struct AwaitedLease(Receiver<Lease>);

/// Creates both ends of a lease.
pub(crate) fn lease() -> (LeaseOffer, AwaitedLease) {
    let (offer, awaited) = sync_channel(1);
    (LeaseOffer(offer), AwaitedLease(awaited))
}

impl LeaseOffer {
    /// Grants the lease to its caller and waits until it ends.
    pub(crate) fn grant(self, engine: Engine, job: &Arc<Started>) {
        let (ends, ended) = channel();
        let lease = Lease {
            engine,
            job: Arc::clone(job),
            _ends: ends,
        };
        // A caller that has gone drops the lease, which ends it.
        let _ = self.0.send(lease);
        drop(self);
        let _ = ended.recv();
    }
}

impl AwaitedLease {
    /// Waits for the lease.
    ///
    /// # Errors
    /// If the work was removed from its queue.
    pub(crate) fn wait(self) -> Result<Lease, RecvError> {
        self.0.recv()
    }
}
