//! The phases of shutdown: running, draining, cut (SRV-15).

use tokio::sync::watch;

/// The phase of a server's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShutdownPhase {
    /// The server accepts and answers requests.
    Run,
    /// No new requests; running ones may finish.
    Drain,
    /// Immediate end.
    Cut,
}

/// Waits until the shutdown has reached at least this phase.
pub async fn reached(phase: &mut watch::Receiver<ShutdownPhase>, wanted: ShutdownPhase) {
    // An error means that the server is gone, which is as far as it gets.
    let _ = phase
        .wait_for(|phase| *phase == ShutdownPhase::Cut || *phase == wanted)
        .await;
}
