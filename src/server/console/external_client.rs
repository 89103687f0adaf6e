//! Connections of the console to external players: gnubg's external protocol from the querying side.

use gammond_engine::query::Stop;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Longest reply in bytes, as in gnubg.
const REPLY_BYTES_MAX: usize = 255;
/// Timeout of a connection attempt.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time between two checks of the stop flag while a reply is awaited. The reply itself has no limit, as in gnubg: an
/// external player may be a person.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Message about a connection that the other end has closed.
const CLOSED: &str = "External connection closed.";

/// A byte stream to an external player.
trait Stream: Read + Write + Send + Sync {}

impl<S: Read + Write + Send + Sync> Stream for S {}

/// A connection to an external player.
pub(crate) struct ExternalClient {
    stream: Box<dyn Stream>,
}

impl std::fmt::Debug for ExternalClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExternalClient").finish_non_exhaustive()
    }
}

impl ExternalClient {
    /// Connects to `HOST:PORT`, or to the Unix-domain socket of a path.
    ///
    /// # Errors
    /// The reason in the system's words, such as `Connection refused`.
    pub(crate) fn connect(address: &str) -> Result<ExternalClient, String> {
        let stream = match address.contains(':') && !address.contains('/') {
            true => tcp(address),
            false => unix(address),
        };
        let stream = stream.map_err(|error| reason(&error))?;
        Ok(ExternalClient { stream })
    }

    /// Sends a line and waits for the reply, without its end.
    ///
    /// # Errors
    /// The message of gnubg for a closed connection, `Interrupted.` after a stop.
    pub(crate) fn ask(&mut self, line: &str, stop: &Stop) -> Result<String, String> {
        let sent = self.stream.write_all(format!("{line}\n\0").as_bytes());
        if let Err(error) = sent.and_then(|()| self.stream.flush()) {
            return Err(format!(
                "writing to external connection: {}",
                reason(&error)
            ));
        }
        let mut reply = Vec::new();
        let mut piece = [0; REPLY_BYTES_MAX];
        loop {
            match self.stream.read(&mut piece) {
                Ok(0) => return Err(CLOSED.to_owned()),
                Ok(count) => reply.extend_from_slice(piece.get(..count).unwrap_or_default()),
                Err(error) if is_timeout(&error) => {}
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    return Err(CLOSED.to_owned());
                }
                Err(error) => {
                    return Err(format!(
                        "reading from external connection: {}",
                        reason(&error)
                    ));
                }
            }
            let end = reply.iter().position(|&byte| byte == b'\n');
            if let Some(end) = end.or((reply.len() >= REPLY_BYTES_MAX).then_some(REPLY_BYTES_MAX)) {
                // Bytes after the line in the same packet are dropped, as gnubg drops them.
                reply.truncate(end);
                let text = String::from_utf8_lossy(&reply);
                return Ok(text.trim_end_matches('\r').to_owned());
            }
            if stop.is_triggered() {
                return Err("Interrupted: the external player has not replied.".to_owned());
            }
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}

/// Returns an error in gnubg's words.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "Connection refused".to_owned(),
        ErrorKind::NotFound => "No such file or directory".to_owned(),
        ErrorKind::PermissionDenied => "Permission denied".to_owned(),
        ErrorKind::BrokenPipe => "Broken pipe".to_owned(),
        ErrorKind::TimedOut => "Connection timed out".to_owned(),
        _ => error.to_string(),
    }
}

fn tcp(address: &str) -> io::Result<Box<dyn Stream>> {
    let invalid = || io::Error::new(ErrorKind::InvalidInput, "Invalid argument");
    let mut failed = invalid();
    for address in address.to_socket_addrs().map_err(|_| invalid())? {
        match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(POLL_INTERVAL))?;
                return Ok(Box::new(stream));
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

#[cfg(unix)]
fn unix(path: &str) -> io::Result<Box<dyn Stream>> {
    let stream = std::os::unix::net::UnixStream::connect(path)?;
    stream.set_read_timeout(Some(POLL_INTERVAL))?;
    Ok(Box::new(stream))
}

#[cfg(not(unix))]
fn unix(_: &str) -> io::Result<Box<dyn Stream>> {
    Err(io::Error::new(ErrorKind::InvalidInput, "Invalid argument"))
}
