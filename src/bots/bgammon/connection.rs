//! The connection to a bgammon server: TCP with a line for each event and command, or WebSocket with a message for each
//! (BGM-01).

use std::io;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Size of a read from TCP, in bytes.
const READ_BYTES: usize = 4096;
/// Maximum size of a WebSocket message, in bytes.
#[cfg(feature = "tls")]
const MESSAGE_BYTES_MAX: usize = 256 << 10;

pub(super) enum Connection {
    Tcp(TcpStream),
    #[cfg(feature = "tls")]
    WebSocket(
        Box<tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<TcpStream>>>,
    ),
}

/// Returns true if this address is one of a WebSocket.
pub(super) fn is_web_socket(server: &str) -> bool {
    server.starts_with("ws://") || server.starts_with("wss://")
}

/// Returns true if traffic to this address is encrypted or stays on the machine.
pub(super) fn is_private(server: &str) -> bool {
    let authority = server.strip_prefix("ws://").unwrap_or(server);
    let authority = authority.split('/').next().unwrap_or_default();
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    server.starts_with("wss://")
        || host == "localhost"
        || address.is_ok_and(|address| address.is_loopback())
}

impl Connection {
    /// Connects to `HOST:PORT`, `ws://HOST[:PORT]` or `wss://HOST[:PORT]`.
    ///
    /// # Errors
    /// Errors of the network; for a WebSocket also a certificate that is not valid, and a program that was built without the
    /// feature `tls`.
    pub(super) async fn open(server: &str) -> io::Result<Connection> {
        if is_web_socket(server) {
            return web_socket(server).await;
        }
        let stream = TcpStream::connect(server).await?;
        // Each command waits for the board before it: small writes must not wait for each other.
        let _ = stream.set_nodelay(true);
        Ok(Connection::Tcp(stream))
    }

    /// Returns the next bytes of the server, with a line end behind each event; none at the end. Can be cancelled without loss.
    ///
    /// # Errors
    /// Those of the connection.
    pub(super) async fn read(&mut self) -> io::Result<Vec<u8>> {
        match self {
            Connection::Tcp(stream) => {
                let mut buffer = vec![0; READ_BYTES];
                let count = stream.read(&mut buffer).await?;
                buffer.truncate(count);
                Ok(buffer)
            }
            #[cfg(feature = "tls")]
            Connection::WebSocket(stream) => {
                use futures_util::StreamExt;
                use tokio_tungstenite::tungstenite::Message;
                loop {
                    let mut event = match stream.next().await {
                        None | Some(Ok(Message::Close(_))) => return Ok(Vec::new()),
                        Some(Ok(Message::Text(text))) => text.as_bytes().to_vec(),
                        Some(Ok(Message::Binary(bytes))) => bytes.to_vec(),
                        // The library answers pings.
                        Some(Ok(_)) => continue,
                        Some(Err(error)) => return Err(io::Error::other(error)),
                    };
                    event.push(b'\n');
                    return Ok(event);
                }
            }
        }
    }

    /// Sends a command.
    ///
    /// # Errors
    /// Those of the connection.
    pub(super) async fn send(&mut self, line: &str) -> io::Result<()> {
        match self {
            Connection::Tcp(stream) => stream.write_all(format!("{line}\n").as_bytes()).await,
            #[cfg(feature = "tls")]
            Connection::WebSocket(stream) => {
                use futures_util::SinkExt;
                let message = tokio_tungstenite::tungstenite::Message::text(line);
                stream.send(message).await.map_err(io::Error::other)
            }
        }
    }
}

#[cfg(feature = "tls")]
async fn web_socket(server: &str) -> io::Result<Connection> {
    use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
    // If another crate has chosen a library, it stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_BYTES_MAX))
        .max_frame_size(Some(MESSAGE_BYTES_MAX));
    let connected = tokio_tungstenite::connect_async_with_config(server, Some(config), true).await;
    let (stream, _) = connected.map_err(io::Error::other)?;
    Ok(Connection::WebSocket(Box::new(stream)))
}

#[cfg(not(feature = "tls"))]
async fn web_socket(_: &str) -> io::Result<Connection> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this program was built without the feature 'tls', which a WebSocket needs",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_private_if_encrypted_or_local() {
        for private in [
            "wss://a.b",
            "localhost:1",
            "127.0.0.1:1337",
            "[::1]:1",
            "ws://127.0.0.9:1/x",
        ] {
            assert!(is_private(private), "{private}");
        }
        for open in [
            "bgammon.org:1337",
            "ws://a.b",
            "127.example.com:1",
            "localhost.example.com:1",
        ] {
            assert!(!is_private(open), "{open}");
        }
    }
}
