//! The server as a process: threads for its sockets, signals, the notices to systemd and its watchdog.

use crate::core::{BuildError, Handle, ReloadError};
use crate::io::systemd::{Notifier, watchdog_period};
use crate::lines::serve_stream;
use crate::platform::{SignalEvent, SignalListener, claim_inherited};
use crate::server::{Config, ServeError, Server};
use gammond_engine::engine::Engine;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Threads that move bytes and wait; those that compute are the engine's.
const IO_THREADS: usize = 2;
/// Time for threads that still wait when the server has ended, such as for standard input.
const LAST_THREADS_TIMEOUT: Duration = Duration::from_millis(100);

/// An error of a server's process.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProcessError {
    /// The server could not start.
    #[error("{0}")]
    Serve(#[from] ServeError),
    /// Signals could not be listened for.
    #[error("signals: {0}")]
    Signals(std::io::Error),
    /// The threads for sockets could not be started.
    #[error("threads: {0}")]
    Threads(std::io::Error),
}

/// Serves until a signal or a transport ends it. `build` creates a new engine for a reload; `started` is called when all
/// transports are open, and `on_reload` at the signal to reload, before the nets are loaded.
///
/// # Errors
/// [`ProcessError`].
pub fn serve<E: Into<BuildError>>(
    config: Config,
    engine: Engine,
    build: impl Fn() -> Result<Engine, E> + Send + Sync + 'static,
    started: impl FnOnce(&Server),
    on_reload: impl Fn() + Clone + Send + 'static,
) -> Result<(), ProcessError> {
    claim_inherited();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(IO_THREADS)
        .thread_name("io")
        .enable_all()
        .build()
        .map_err(ProcessError::Threads)?;
    let served = runtime.block_on(async {
        let server = Server::bind(config, engine, build).await?;
        // A program that reads where the server listens may end it from then on.
        let signals = signals(server.handle(), on_reload);
        tokio::spawn(signals.map_err(ProcessError::Signals)?);
        started(&server);
        let notifier = notifier();
        notifier.notify("READY=1");
        if let Some(period) = watchdog_period(std::env::var("WATCHDOG_USEC").ok().as_deref()) {
            tokio::spawn(watchdog(server.handle(), period));
        }
        server.run().await;
        notifier.notify("STOPPING=1");
        Ok(())
    });
    // A query that does not stop must not keep the program from ending.
    runtime.shutdown_timeout(LAST_THREADS_TIMEOUT);
    served
}

fn notifier() -> Notifier {
    let address = std::env::var("NOTIFY_SOCKET").ok();
    Notifier::new(address.as_deref()).unwrap_or_else(|error| {
        tracing::warn!(%error, "NOTIFY_SOCKET");
        Notifier::default()
    })
}

/// SIGTERM and SIGINT end gracefully, the second one at once; SIGHUP calls `on_reload` and reloads the nets.
fn signals(
    handle: Handle,
    on_reload: impl Fn() + Clone + Send + 'static,
) -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = SignalListener::new(SignalEvent::End)?;
    let mut interrupt = SignalListener::new(SignalEvent::Interrupt)?;
    let mut hang_up = SignalListener::new(SignalEvent::Reload)?;
    Ok(async move {
        let mut ending = false;
        loop {
            let wants_end = tokio::select! {
                true = terminate.recv() => true,
                true = interrupt.recv() => true,
                true = hang_up.recv() => false,
                else => return,
            };
            if !wants_end {
                // A file that never ends must not keep a signal waiting.
                tokio::spawn(reload(handle.clone(), on_reload.clone()));
            } else if ending {
                tracing::warn!("ending at once");
                std::process::exit(0);
            } else {
                tracing::info!("ending");
                ending = true;
                handle.drain();
            }
        }
    })
}

/// Loads the nets on a thread of its own; the old ones stay when that fails.
async fn reload(handle: Handle, on_reload: impl Fn() + Send + 'static) {
    let work = move || {
        on_reload();
        handle.reload()
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(())) => tracing::info!("nets reloaded"),
        Ok(Err(ReloadError::Busy)) => tracing::debug!("nets are loaded once more after this"),
        Ok(Err(error)) => tracing::error!(%error, "nets not reloaded; the old ones stay in use"),
        Err(error) => tracing::error!(%error, "loading the nets panicked, the old ones stay"),
    }
}

/// Feeds systemd's watchdog after a query has gone through the queue and the pool, so that a pool
/// that is stuck counts as dead.
async fn watchdog(handle: Handle, period: Duration) {
    let notifier = notifier();
    let mut ticks = tokio::time::interval(period);
    loop {
        ticks.tick().await;
        let (client, own) = tokio::io::duplex(4096);
        let asked = async {
            let mut client = BufReader::new(client);
            // Short whatever the server's own settings are.
            let question = b"eval 4HPwATDgc/ABMA plies=0 time=0\n";
            client.write_all(question).await?;
            let mut answer = String::new();
            client.read_line(&mut answer).await
        };
        let answered = tokio::time::timeout(period, async {
            tokio::select! {
                answered = asked => answered.is_ok_and(|bytes| bytes > 0),
                () = serve_stream(&handle, own) => false,
            }
        });
        match answered.await {
            Ok(true) => notifier.notify("WATCHDOG=1"),
            _ => tracing::error!("a query did not come back; the watchdog is not fed"),
        }
    }
}
