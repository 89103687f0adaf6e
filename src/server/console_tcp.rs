//! The console over TCP, so that a wrapper can keep one warm program for many sessions: a thread a connection.

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
    /// Connections at a time; who comes above it is told so and leaves.
    pub connections: usize,
    /// The longest silence of a connection; `None` for no limit.
    pub idle: Option<Duration>,
    /// `true` to allow addresses that are not loopback.
    pub allow_remote: bool,
    /// The options of each session.
    pub options: ConsoleOptions,
}

/// One place among those that there are, given back when it is dropped.
struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Listens and runs a console on every connection. Returns the local address.
///
/// # Errors
/// The address cannot be listened on, or must not be.
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
        // A connection that failed before it was one costs nobody else anything.
        for stream in listener.incoming().flatten() {
            let place = Place(taken.clone());
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

/// Runs a console on a connection; standard error goes to the connection too.
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
