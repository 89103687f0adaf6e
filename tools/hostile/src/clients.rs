//! Sockets of the attackers. They come from addresses of their own, 127.0.1.1 and up, so that a
//! limit per address can be told from a limit of all.

use crate::stage::Stage;
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

/// A client; closing it resets the connection unless it is told to part in peace.
pub struct Client {
    pub socket: Socket,
}

impl Client {
    /// From the `n`-th address. `receive_bytes` 0 leaves the buffer as the system likes it.
    pub fn tcp(to: SocketAddr, n: u8, receive_bytes: usize) -> io::Result<Client> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        if receive_bytes > 0 {
            socket.set_recv_buffer_size(receive_bytes)?;
        }
        socket.bind(&SocketAddr::from((Ipv4Addr::new(127, 0, 1, n), 0)).into())?;
        socket.connect_timeout(&to.into(), Duration::from_secs(2))?;
        socket.set_tcp_nodelay(true)?;
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        socket.set_linger(Some(Duration::ZERO))?;
        Ok(Client { socket })
    }

    pub fn unix(path: &Path) -> io::Result<Client> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.connect(&SockAddr::unix(path)?)?;
        socket.set_read_timeout(Some(Duration::from_millis(50)))?;
        Ok(Client { socket })
    }

    /// Sends what the peer takes at once; how much that was.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        if self.socket.set_nonblocking(true).is_err() {
            return 0;
        }
        let mut sent = 0;
        while sent < bytes.len() {
            match self.socket.write(&bytes[sent..]) {
                Ok(0) | Err(_) => break,
                Ok(count) => sent += count,
            }
        }
        let _ = self.socket.set_nonblocking(false);
        sent
    }

    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes)
    }

    /// What is there now, and whether the other side has ended. Never waits.
    pub fn drain(&mut self, into: &mut Vec<u8>) -> bool {
        let mut buffer = [0; 1 << 16];
        let _ = self.socket.set_nonblocking(true);
        let ended = loop {
            match self.socket.read(&mut buffer) {
                Ok(0) => break true,
                Ok(count) => into.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break true,
            }
        };
        let _ = self.socket.set_nonblocking(false);
        ended
    }

    /// One line, or `None` when it does not come in time or the connection ends.
    pub fn line(&mut self, most: Duration) -> Option<String> {
        let until = Instant::now() + most;
        let (mut line, mut byte) = (Vec::new(), [0]);
        while Instant::now() < until {
            match self.socket.read(&mut byte) {
                Ok(0) => return None,
                Ok(_) if byte[0] == b'\n' => {
                    return Some(String::from_utf8_lossy(&line).into_owned());
                }
                Ok(_) => line.push(byte[0]),
                Err(error) if would_wait(&error) => {}
                Err(_) => return None,
            }
        }
        None
    }

    /// Everything until the other side ends; `false` when it did not end in time.
    pub fn rest(&mut self, most: Duration, into: &mut Vec<u8>) -> bool {
        let until = Instant::now() + most;
        let mut buffer = [0; 1 << 16];
        while Instant::now() < until {
            match self.socket.read(&mut buffer) {
                Ok(0) => return true,
                Ok(count) => into.extend_from_slice(&buffer[..count]),
                Err(error) if would_wait(&error) => {}
                Err(_) => return true,
            }
        }
        false
    }
}

pub fn would_wait(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

/// `addresses` × `each` clients that have all sent `bytes` and not read. Those that are refused or
/// cut are left out, and those for whom there is no time: a server that accepts nobody any more keeps
/// an attacker waiting.
pub fn herd(stage: &Stage, addresses: u8, each: usize, bytes: &[u8]) -> Vec<Client> {
    herd_at(stage.tcp, stage.until, addresses, each, bytes)
}

/// The same at another door.
pub fn herd_at(
    to: SocketAddr,
    until: Instant,
    addresses: u8,
    each: usize,
    bytes: &[u8],
) -> Vec<Client> {
    let mut clients = Vec::new();
    for address in 1..=addresses {
        for _ in 0..each {
            if Instant::now() < until
                && let Ok(mut client) = Client::tcp(to, address, 4096)
            {
                client.push(bytes);
                clients.push(client);
            }
        }
    }
    clients
}

/// Small xorshift generator: attacks are the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }
}
