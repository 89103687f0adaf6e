//! Reports to systemd that the server is ready, stopping or alive (`Type=notify`, `WatchdogSec=`).

use crate::platform::NotifySocket;
use std::io;
use std::time::Duration;

/// The socket for reports to systemd; empty if the program was not started by systemd.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<NotifySocket>,
}

impl Notifier {
    /// Creates a notifier from the value of `NOTIFY_SOCKET`.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn new(address: Option<&str>) -> io::Result<Notifier> {
        let Some(address) = address.filter(|address| !address.is_empty()) else {
            return Ok(Notifier::default());
        };
        let socket = Some(NotifySocket::new(address)?);
        Ok(Notifier { socket })
    }

    /// Sends a state such as `READY=1`. A lost report is not an error.
    pub fn notify(&self, state: &str) {
        if let Some(socket) = &self.socket
            && let Err(error) = socket.send(state.as_bytes())
        {
            tracing::warn!(%error, "systemd was not reached");
        }
    }
}

/// Returns the interval of the reports of being alive: half of `WATCHDOG_USEC` (microseconds); `None` without one.
#[must_use]
pub fn watchdog_period(watchdog_usec: Option<&str>) -> Option<Duration> {
    let us: u64 = watchdog_usec?.parse().ok().filter(|&us| us > 0)?;
    Some(Duration::from_micros(us / 2))
}
