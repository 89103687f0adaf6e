//! The phases of shutdown: running, draining, cut (SRV-15).

use tokio::sync::watch;

/// The phase of a server's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The server accepts and answers requests.
    Run,
    /// No new requests; running ones may finish.
    Drain,
    /// Immediate end.
    Cut,
}

/// Waits until the shutdown has reached at least this phase.
pub async fn reached(phase: &mut watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the server is gone, which is as far as it gets.
    let _ = phase
        .wait_for(|phase| *phase == Phase::Cut || *phase == wanted)
        .await;
}
