//! What all systems are asked about in the same words.

/// What programs are told by their system or their user.
#[derive(Clone, Copy, Debug)]
pub enum Told {
    /// To end: SIGTERM.
    End,
    /// To end, by Ctrl-C.
    Interrupt,
    /// To read again what may have changed: SIGHUP.
    Reload,
}
