//! The console of one connection, in a thread of its own.

use super::host::{EngineHost, ServedConsole, Sinks, run_while};
use crate::core::Core;
use crate::core::counters::count;
use crate::core::fair_queue::Origin;
use crate::core::shutdown::{ShutdownPhase, reached};
use crate::io::socket::{BlockingStream, Stream};
use gammond_console::{Console, ConsoleOptions};
use gammond_engine::query::Stop;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{oneshot, watch};

/// Serves a console until its connection or the server ends. The end of the server lets a running command finish.
pub(crate) async fn serve(stream: Stream, origin: Origin, core: Arc<Core>) {
    if let Err(error) = try_serve(stream, origin, core).await {
        tracing::debug!(%error, "console");
    }
}

async fn try_serve(stream: Stream, origin: Origin, core: Arc<Core>) -> io::Result<()> {
    let limits = &core.limits;
    let some = |limit: Duration| (!limit.is_zero()).then_some(limit);
    let stream = stream.into_blocking(some(limits.idle_timeout), some(limits.write_timeout))?;
    let stream = Arc::new(stream);
    let (closed, lane) = (Stop::new(), core.lane(origin));
    let (is_computing, computing) = watch::channel(false);
    let host = EngineHost::served(ServedConsole {
        core: Arc::clone(&core),
        lane,
        connection_budget: core.connection_budget(),
        closed: closed.clone(),
        is_computing,
    });
    let (done, ended) = oneshot::channel::<()>();
    let session_stream = Arc::clone(&stream);
    let running = core.phase.subscribe();
    let linger_timeout = limits.linger;
    std::thread::Builder::new()
        .name("console".to_owned())
        .spawn(move || {
            let _done = done;
            let runs = || *running.borrow() == ShutdownPhase::Run;
            if let Err(error) = session(&session_stream, host, &runs) {
                tracing::debug!(%error, "console");
            }
            linger(&session_stream, linger_timeout);
        })?;
    let mut phase = core.phase.subscribe();
    let look = core.hang_up_check();
    tokio::select! {
        _ = ended => return Ok(()),
        () = hung_up(&stream, computing, look) => count(&core.counters.hang_ups),
        () = drained(&stream, &mut phase) => {}
    }
    closed.trigger();
    core.workers.forget(lane);
    stream.shutdown(Shutdown::Both);
    Ok(())
}

/// Runs a console on a connection while `runs` is true; standard error is sent to the connection too.
fn session(
    stream: &BlockingStream,
    mut host: EngineHost,
    runs: &dyn Fn() -> bool,
) -> io::Result<()> {
    let mut sinks = Sinks {
        out: stream,
        err: stream,
    };
    sinks.out.write_all(Console::banner().as_bytes())?;
    let mut console = Console::new(ConsoleOptions::default());
    let ended = run_while(&mut console, &mut host, stream, &mut sinks, (false, runs));
    if let Err(error) = &ended
        && matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
    {
        sinks
            .out
            .write_all(b"gammond: timeout: connection was quiet too long\n")?;
    }
    ended.map(|_| ())
}

/// Lets a client that still sends receive the last answers: closing with input unread would take them back.
fn linger(mut stream: &BlockingStream, timeout: Duration) {
    stream.shutdown(Shutdown::Write);
    let (end, mut rest) = (Instant::now() + timeout, [0; 4096]);
    while let Some(left) = end.checked_duration_since(Instant::now())
        && stream
            .set_read_timeout(left.max(Duration::from_millis(1)))
            .is_ok()
        && matches!(stream.read(&mut rest), Ok(1..))
    {}
    // Both holders of the socket let go of it at different times.
    stream.shutdown(Shutdown::Both);
}

/// Waits until the peer has vanished during a computation; at other times reading shows it.
async fn hung_up(stream: &BlockingStream, mut computing: watch::Receiver<bool>, look: Duration) {
    loop {
        if computing.wait_for(|computing| *computing).await.is_err() {
            return std::future::pending().await;
        }
        tokio::time::sleep(look).await;
        if stream.hung_up() {
            return;
        }
    }
}

/// Ends reading when the server is to end, then waits for its immediate end.
async fn drained(stream: &BlockingStream, phase: &mut watch::Receiver<ShutdownPhase>) {
    reached(phase, ShutdownPhase::Drain).await;
    stream.shutdown(Shutdown::Read);
    reached(phase, ShutdownPhase::Cut).await;
}
