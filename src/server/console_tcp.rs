//! The console over TCP with one thread for each connection, so that a wrapper can use one warm process for many sessions.

use super::console::{EngineHost, Sinks, run};
use super::tcp::{Address, ServeError};
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_protocol::console::{Console, ConsoleOptions};
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The limits of console connections.
#[derive(Clone, Debug)]
pub struct ConsoleLimits {
    /// Maximum number of connections; further ones get a message and are closed.
    pub connections: usize,
    /// Maximum silence of a connection; `None` for no limit.
    pub idle: Option<Duration>,
    /// True if addresses other than loopback are allowed.
    pub allow_remote: bool,
    /// Options of each session.
    pub options: ConsoleOptions,
}

/// A connection's place within the limit, released when dropped.
struct ConnectionSlot(Arc<AtomicUsize>);

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Listens and runs a console on every connection. Returns the local address.
///
/// # Errors
/// If the address cannot be bound, or is not allowed.
pub fn listen(
    address: &str,
    engine: Engine,
    limits: ConsoleLimits,
) -> Result<SocketAddr, ServeError> {
    let named = || Address::Tcp(address.to_owned());
    let failed = |source: io::Error| ServeError::Bind {
        address: named(),
        source,
    };
    let found: Vec<SocketAddr> = address.to_socket_addrs().map_err(failed)?.collect();
    if !limits.allow_remote && found.iter().any(|one| !one.ip().is_loopback()) {
        return Err(ServeError::Remote(named()));
    }
    let listener = TcpListener::bind(found.as_slice()).map_err(failed)?;
    let local = listener.local_addr().map_err(failed)?;
    let accept = move || {
        let taken = Arc::new(AtomicUsize::new(0));
        // A connection that failed before it was accepted changes nothing for the others.
        for stream in listener.incoming().flatten() {
            let place = ConnectionSlot(taken.clone());
            if taken.fetch_add(1, Ordering::SeqCst) >= limits.connections {
                let mut stream = stream;
                let _ = stream.write_all(b"gammond: too many connections\n");
                continue;
            }
            let (engine, limits) = (engine.clone(), limits.clone());
            let speak = move || {
                let _place = place;
                let _ = session(&stream, engine, &limits);
            };
            let _ = std::thread::Builder::new()
                .name("console".into())
                .spawn(speak);
        }
    };
    std::thread::Builder::new()
        .name("console-accept".into())
        .spawn(accept)
        .map_err(failed)?;
    Ok(local)
}

/// Runs a console on a connection; standard error is sent to the connection too.
fn session(stream: &TcpStream, engine: Engine, limits: &ConsoleLimits) -> io::Result<()> {
    stream.set_read_timeout(limits.idle)?;
    stream.set_write_timeout(limits.idle)?;
    let mut sinks = Sinks {
        out: stream,
        err: stream,
    };
    sinks.out.write_all(Console::banner().as_bytes())?;
    let mut console = Console::new(limits.options.clone());
    let mut host = EngineHost::new(engine, false, Stop::never());
    run(&mut console, &mut host, stream, &mut sinks, false).map(|_| ())
}
