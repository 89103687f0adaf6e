//! Types common to all platforms.

/// A signal from the system or the user.
#[derive(Clone, Copy, Debug)]
pub enum SignalEvent {
    /// Request to end: SIGTERM.
    End,
    /// Request to end: Ctrl-C.
    Interrupt,
    /// Request to reload files that may have changed: SIGHUP.
    Reload,
}
