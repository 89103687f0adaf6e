//! The way down: what runs, what may finish, what is cut (SRV-15).

use tokio::sync::watch;

/// How far the server is on its way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It answers.
    Run,
    /// Nothing new; what runs may finish.
    Drain,
    /// At once.
    Cut,
}

/// Waits until the server is at least this far on its way down.
pub async fn reached(phase: &mut watch::Receiver<Phase>, wanted: Phase) {
    // An error means that the server is gone, which is as far as it gets.
    let _ = phase
        .wait_for(|phase| *phase == Phase::Cut || *phase == wanted)
        .await;
}
