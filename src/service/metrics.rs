//! Prometheus' text format over HTTP: one request a connection (SRV-18).

use super::listener::{Listener, Stream};
use super::server::{Phase, Shared, reached};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep, timeout};

/// Bytes of a request at most.
const REQUEST_BYTES_MAX: usize = 4096;

/// Answers metrics requests until the server ends.
pub(super) async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut phase = shared.phase.subscribe();
    let mut tasks = JoinSet::new();
    loop {
        let room = tasks.len() < shared.limits.metrics_max;
        tokio::select! {
            () = reached(&mut phase, Phase::Drain) => return,
            accepted = listener.accept(), if room => match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(&shared);
                    tasks.spawn(async move {
                        let limit = shared.limits.metrics_timeout;
                        let answered = async {
                            match stream {
                                Stream::Tcp(stream) => answer(stream, &shared).await,
                                Stream::Unix(stream) => answer(stream, &shared).await,
                            }
                        };
                        // A reader that gives up or dawdles is its own problem.
                        let _ = timeout(limit, answered).await;
                    });
                }
                Err(_) => sleep(Duration::from_millis(100)).await,
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
        }
    }
}

async fn answer<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    shared: &Shared,
) -> io::Result<()> {
    let mut request = Vec::new();
    let mut chunk = [0; 512];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut chunk).await?;
        if count == 0 || request.len() > REQUEST_BYTES_MAX {
            return Ok(());
        }
        request.extend_from_slice(chunk.get(..count).unwrap_or_default());
    }
    let wanted = request.starts_with(b"GET /metrics ") || request.starts_with(b"GET / ");
    let (status, body) = if wanted {
        ("200 OK", shared.counters.prometheus())
    } else {
        ("404 Not Found", "see /metrics\n".to_owned())
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}
