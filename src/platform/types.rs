//! What all systems are asked about in the same words.

/// What tells a file from all others of the machine.
pub(crate) type FileId = (u64, u64);

/// What programs are told by their system or their user.
#[cfg(feature = "cli")]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// To end: SIGTERM.
    End,
    /// To end, by Ctrl-C.
    Interrupt,
    /// To read again what may have changed: SIGHUP.
    Reload,
}
