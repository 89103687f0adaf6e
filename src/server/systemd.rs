//! Tells systemd that the server is ready, ending, and alive (`Type=notify`, `WatchdogSec=`).

use crate::platform::NotifySocket;
use std::io;
use std::time::Duration;

/// Where to report; nothing when not started by systemd.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<NotifySocket>,
}

impl Notifier {
    /// From the value of `NOTIFY_SOCKET`.
    ///
    /// # Errors
    /// The address is not one.
    pub fn new(address: Option<&str>) -> io::Result<Notifier> {
        let Some(address) = address.filter(|address| !address.is_empty()) else {
            return Ok(Notifier::default());
        };
        let socket = Some(NotifySocket::new(address)?);
        Ok(Notifier { socket })
    }

    /// Sends a state such as `READY=1`. A report that is lost is no failure of the service.
    pub fn tell(&self, state: &str) {
        if let Some(socket) = &self.socket
            && let Err(error) = socket.send(state.as_bytes())
        {
            tracing::warn!(%error, "systemd was not reached");
        }
    }
}

/// How often to report being alive: half of what systemd's `WATCHDOG_USEC` allows.
#[must_use]
pub fn watchdog_period(watchdog_usec: Option<&str>) -> Option<Duration> {
    let us: u64 = watchdog_usec?.parse().ok().filter(|&us| us > 0)?;
    Some(Duration::from_micros(us / 2))
}
