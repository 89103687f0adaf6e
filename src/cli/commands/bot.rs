//! Shared parts of the bot commands: addresses, passwords and requests to stop.

use crate::{Failure, only_for_its_owner, within};
use gammond_base::files;
use gammond_bots::shared::{Secret, SecretError};
use gammond_server::Address;
use gammond_server::platform::{SignalEvent, SignalListener};
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Longest time of a turn that an option may ask for, in milliseconds: people do not wait longer.
pub(super) const TURN_MS_MAX: u64 = 60_000;
/// Signals so soon after a counted one belong to the same request: GNU `timeout` sends SIGTERM to
/// the process and then to its group.
const SAME_REQUEST: Duration = Duration::from_secs(1);

impl From<SecretError> for Failure {
    fn from(error: SecretError) -> Self {
        Failure::usage(error)
    }
}

/// Parses an address of TCP, whose name need not resolve yet.
pub(super) fn host_and_port(text: &str) -> Result<String, String> {
    match text.parse() {
        Ok(Address::Tcp(address)) => Ok(address),
        _ => Err("expected HOST:PORT, such as fibs.com:4321".to_owned()),
    }
}

/// Reads a small text file.
pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    files::read_text(path, files::TEXT_BYTES_MAX).map_err(Failure::in_file(path))
}

/// Returns the password of a file, of an environment variable or of a systemd credential; never of the command line, which
/// other users of the machine can read (FIBS-30).
pub(super) fn password(
    file: Option<&Path>,
    variable: &str,
    credential: &str,
) -> Result<Option<Secret>, Failure> {
    if let Some(path) = file {
        only_for_its_owner(path)?;
        return Ok(Some(Secret::new(&read_text(path)?)?));
    }
    if let Some(text) = std::env::var_os(variable) {
        let text = text
            .into_string()
            .map_err(|_| Failure::usage(format!("{variable} is not UTF-8")))?;
        return Ok(Some(Secret::new(&text)?));
    }
    if let Some(folder) = std::env::var_os("CREDENTIALS_DIRECTORY") {
        let path = Path::new(&folder).join(credential);
        if path.exists() {
            return Ok(Some(Secret::new(&read_text(&path)?)?));
        }
    }
    Ok(None)
}

/// Counts the requests to stop by SIGTERM and Ctrl-C. Needs a running tokio runtime.
pub(super) fn stop_requests() -> Result<watch::Receiver<u32>, Failure> {
    let (ask, stop) = watch::channel(0_u32);
    let listen =
        |told| SignalListener::new(told).map_err(|error| Failure::work(within("signals", error)));
    let mut terminate = listen(SignalEvent::End)?;
    let mut interrupt = listen(SignalEvent::Interrupt)?;
    tokio::spawn(async move {
        let mut counted: Option<Instant> = None;
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if counted.is_none_or(|at| at.elapsed() >= SAME_REQUEST) {
                counted = Some(Instant::now());
                ask.send_modify(|count| *count = count.saturating_add(1));
            }
        }
    });
    Ok(stop)
}
