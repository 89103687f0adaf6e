//! Shared parts of the bot commands: addresses, passwords and requests to stop.

use crate::{Failure, platform, within};
use gammond_base::files;
use gammond_bots::shared::{Secret, SecretError, StopRequests};
use gammond_server::Address;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Longest time of a turn that an option may ask for, in milliseconds: people do not wait longer.
pub(super) const TURN_MS_MAX: u64 = 60_000;
/// Signals so soon after a counted one belong to the same request: GNU `timeout` sends SIGTERM to
/// the process and then to its group.
const SAME_REQUEST: Duration = Duration::from_secs(1);
/// Interval of the checks for a signal.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

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
        gammond_base::files::check_private(path).map_err(Failure::in_file(path))?;
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

/// Makes requests to stop of SIGTERM and Ctrl-C.
pub(super) fn stop_requests() -> Result<StopRequests, Failure> {
    let signalled = Arc::new(AtomicBool::new(false));
    platform::flag_every_end_request(&signalled)
        .map_err(|error| Failure::work(within("signals", error)))?;
    let (requester, requests) = gammond_bots::shared::stop_requests();
    std::thread::spawn(move || {
        let mut counted: Option<Instant> = None;
        loop {
            std::thread::sleep(SIGNAL_CHECK);
            let is_new = counted.is_none_or(|at| at.elapsed() >= SAME_REQUEST);
            if signalled.swap(false, Ordering::SeqCst) && is_new {
                counted = Some(Instant::now());
                requester.request();
            }
        }
    });
    Ok(requests)
}
