//! `gammond serve`: the server's command line, its signals and its watchdog.

#[cfg(feature = "farm")]
use super::nats_options::NatsOptions;
use crate::{Archive, Common, Failure, io_threads, only_for_its_owner};
use clap::builder::RangedU64ValueParser;
use gammond_base::files;
use gammond_engine::bearoff::TwoSided;
use gammond_engine::engine::Engine;
#[cfg(feature = "farm")]
use gammond_farm::nats_service::Serving;
use gammond_server::limits::Limits;
use gammond_server::platform::{SignalEvent, SignalListener};
use gammond_server::systemd::{Notifier, watchdog_period};
use gammond_server::tcp::{
    Address, Config, Handle, ReloadError, ServeError, Server, TokenHandle, TransportError,
};
#[cfg(feature = "farm")]
use gammond_server::transport::Transport;
use gammond_server::{HttpTokens, TrustedProxy};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// Most connections and lines that an option may allow.
const CONNECTIONS_MAX: u64 = 1_000_000;
const QUEUE_MAX: u64 = 1_000_000;
const JOBS_MAX: u64 = 100_000;
/// Longest time that an option may ask for: a year.
const SECONDS_MAX: u64 = 366 * 24 * 60 * 60;
/// Longest time for running queries at the end: a day.
const GRACE_SECONDS_MAX: u64 = 24 * 60 * 60;
/// The cube ends at 4096, the twelfth turn.
const BEAVERS_MAX: i64 = 12;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Address to listen on: HOST:PORT (port 0 takes a free one) or unix:PATH; may be repeated. Without any,
    /// 127.0.0.1:4322.
    #[arg(
        long,
        env = "GAMMOND_LISTEN",
        value_name = "ADDR",
        value_delimiter = ' '
    )]
    listen: Vec<Address>,
    /// Address at which to speak the language of gnubg's own `external` server from the first byte.
    #[arg(
        long,
        env = "GAMMOND_EXTERNAL",
        value_name = "ADDR",
        value_delimiter = ' '
    )]
    external: Vec<Address>,
    /// Speak gnubg's text console from the first byte there: HOST:PORT or unix:PATH. It has no files. Then nothing else is
    /// listened on but what --listen says.
    #[arg(long, env = "GAMMOND_CONSOLE", value_name = "ADDR")]
    console: Option<Address>,
    /// Answer HTTP there, such as 127.0.0.1:8080 (or unix:PATH). The default address is not opened then; add --listen to open one.
    /// Addresses that are not loopback require --allow-remote, and --http-tokens or --no-auth.
    #[arg(
        long,
        env = "GAMMOND_HTTP",
        value_name = "ADDRESS",
        value_delimiter = ','
    )]
    http: Vec<Address>,
    /// File with lines NAME TOKEN [requests=N] [cpu=SECONDS] [shared], for its owner only (mode 0600): requests over HTTP must
    /// show one of the tokens, with at most N at a time and that much processor time in an hour; browsers sign in with one.
    /// Its matches in --db are its own unless it is shared. SIGHUP reads the file again.
    #[arg(
        long,
        env = "GAMMOND_HTTP_TOKENS",
        value_name = "FILE",
        requires = "http"
    )]
    http_tokens: Option<PathBuf>,
    /// Answer HTTP without tokens also to other machines: a proxy in front checks who asks.
    #[arg(
        long,
        env = "GAMMOND_NO_AUTH",
        requires = "http",
        conflicts_with = "http_tokens"
    )]
    no_auth: bool,
    /// Proxy whose X-Forwarded-For or Forwarded names the clients: ADDRESS or ADDRESS/BITS; may be repeated. Those headers of
    /// others are ignored.
    #[arg(
        long,
        env = "GAMMOND_TRUSTED_PROXY",
        value_name = "ADDRESS",
        value_delimiter = ',',
        requires = "http"
    )]
    trusted_proxy: Vec<TrustedProxy>,
    /// Origin whose pages may ask over HTTP, such as https://example.org; may be repeated; * for all.
    #[arg(
        long,
        env = "GAMMOND_CORS",
        value_name = "ORIGIN",
        value_delimiter = ',',
        value_parser = origin,
        requires = "http"
    )]
    cors: Vec<String>,
    /// Folder where the jobs of HTTP are kept, so that they survive a restart. It is created if it does not exist.
    #[arg(
        long,
        env = "GAMMOND_HTTP_JOBS",
        value_name = "FOLDER",
        requires = "http"
    )]
    http_jobs: Option<PathBuf>,
    /// Seconds for which a finished job of HTTP is kept.
    #[arg(
        long,
        env = "GAMMOND_HTTP_JOBS_KEEP",
        default_value_t = 86_400,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..=SECONDS_MAX)
    )]
    http_jobs_keep: u64,
    /// Jobs of HTTP that are kept, finished ones included.
    #[arg(
        long,
        env = "GAMMOND_HTTP_JOBS_MAX",
        default_value_t = 1000,
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=JOBS_MAX)
    )]
    http_jobs_max: usize,
    /// Archive of `gammond analyse --db` that HTTP shows, with --http-tokens to each client its own matches. It is created if it
    /// does not exist.
    #[arg(long, env = "GAMMOND_SERVE_DB", value_name = "FILE", requires = "http")]
    db: Option<PathBuf>,
    /// Address at which Prometheus may read /metrics.
    #[arg(long, env = "GAMMOND_METRICS", value_name = "ADDR")]
    metrics: Option<Address>,
    #[cfg(feature = "farm")]
    #[command(flatten)]
    nats: NatsArgs,
    /// Allow addresses that are not loopback. There is no authentication: put a proxy in front.
    #[arg(long, env = "GAMMOND_ALLOW_REMOTE")]
    allow_remote: bool,
    /// Connections at a time.
    #[arg(
        long,
        env = "GAMMOND_CONNECTIONS",
        default_value_t = 1024,
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=CONNECTIONS_MAX)
    )]
    connections: usize,
    /// Connections at a time of one address.
    #[arg(
        long,
        env = "GAMMOND_PEER_CONNECTIONS",
        default_value_t = 64,
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=CONNECTIONS_MAX)
    )]
    peer_connections: usize,
    /// Lines that may wait, of all connections; above it the answer is `busy`.
    #[arg(
        long,
        env = "GAMMOND_QUEUE",
        default_value_t = 4096,
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=QUEUE_MAX)
    )]
    queue: usize,
    /// Seconds a connection may say nothing, 0 for ever.
    #[arg(
        long,
        env = "GAMMOND_IDLE_TIMEOUT",
        default_value_t = 600,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(0..=SECONDS_MAX)
    )]
    idle_timeout: u64,
    /// Seconds that running queries get to finish at the end.
    #[arg(
        long,
        env = "GAMMOND_GRACE",
        default_value_t = 10,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(0..=GRACE_SECONDS_MAX)
    )]
    grace: u64,
    /// Seconds of processor time that one request may use, on all its threads together; 0 for no limit. A rollout then
    /// answers with the games it has, another question with an error [default: 900 for each of --threads].
    #[arg(
        long,
        env = "GAMMOND_REQUEST_CPU",
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(0..=SECONDS_MAX)
    )]
    request_cpu: Option<u64>,
    /// Seconds of processor time that one client may use in an hour for questions that look ahead; 0 for no limit. Above
    /// it the answer is `busy`.
    #[arg(
        long,
        env = "GAMMOND_CLIENT_CPU",
        default_value_t = 0,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(0..=SECONDS_MAX)
    )]
    client_cpu: u64,
    /// gnubg as client: play money without the Jacoby rule.
    #[arg(long, env = "GAMMOND_NO_JACOBY")]
    no_jacoby: bool,
    /// gnubg as client: how many beavers it allows (its `set beavers`).
    #[arg(
        long,
        env = "GAMMOND_BEAVERS",
        default_value_t = 3,
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=BEAVERS_MAX)
    )]
    beavers: u8,
    /// gnubg as client: play on to the end instead of resigning games that cannot be won.
    #[arg(long, env = "GAMMOND_NO_RESIGN")]
    no_resign: bool,
    /// Settings with which sessions begin, as `set` takes them, such as `top=5`.
    #[arg(value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

/// Requests over NATS.
#[cfg(feature = "farm")]
#[derive(clap::Args, Debug)]
struct NatsArgs {
    /// Answer requests over this NATS server, several with commas, on the subjects gammond.move, gammond.cube, …;
    /// then nothing is listened on but what --listen says.
    #[arg(long = "nats", env = "GAMMOND_SERVE_NATS", value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    options: NatsOptions,
}

#[cfg(feature = "farm")]
impl NatsArgs {
    fn transport(&self) -> Result<Option<Arc<dyn Transport>>, Failure> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        Ok(Some(Arc::new(Serving {
            access: self.options.access(url)?,
            name: self.options.farm.clone(),
        })))
    }
}

impl Args {
    fn config(&self, common: &Common) -> Result<Config, Failure> {
        let session = common.session(&self.settings)?;
        let mut config = Config::default();
        config.listen = self.listen.clone();
        #[cfg(feature = "farm")]
        {
            config.transports.extend(self.nats.transport()?);
        }
        let remote = !config.transports.is_empty();
        config.http = self.http.clone();
        config.http_access.open = self.no_auth;
        config.http_access.origins = self.cors.clone();
        config.http_access.proxies = self.trusted_proxy.clone();
        if let Some(path) = &self.http_tokens {
            config.http_access.tokens = tokens(path)?;
        }
        config.http_jobs.folder = self.http_jobs.clone();
        config.http_jobs.keep = Duration::from_secs(self.http_jobs_keep);
        config.http_jobs.jobs_max = self.http_jobs_max;
        if let Some(path) = &self.db {
            config.archive = Some(Arc::new(Archive::open(path)?));
        }
        let other = !self.external.is_empty() || !self.http.is_empty() || self.console.is_some();
        if config.listen.is_empty() && !other && !remote {
            config.listen.push(Address::Tcp("127.0.0.1:4322".into()));
        }
        config.external = self.external.clone();
        config.console = self.console.iter().cloned().collect();
        config.metrics = self.metrics.clone();
        config.allow_remote = self.allow_remote;
        let mut limits = Limits::default();
        limits.connections_max = self.connections;
        limits.connections_per_peer = self.peer_connections;
        limits.queue_max = self.queue;
        limits.idle_timeout = Duration::from_secs(self.idle_timeout);
        limits.grace = Duration::from_secs(self.grace);
        limits.request_cpu = self.request_cpu.map(Duration::from_secs);
        limits.client_cpu = Duration::from_secs(self.client_cpu);
        config.limits = limits;
        config.rules.jacoby = !self.no_jacoby;
        config.rules.beavers = self.beavers;
        config.rules.resign = !self.no_resign;
        config.rules.settings = session.search();
        config.session = session;
        Ok(config)
    }
}

/// Reads the file of tokens.
fn tokens(path: &Path) -> Result<HttpTokens, Failure> {
    only_for_its_owner(path)?;
    let text = files::read_text(path, files::TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
    HttpTokens::parse(&text).map_err(|error| Failure::in_file(path)(error.to_string()))
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let config = args.config(common)?;
    let engine = common.engine()?;
    serve(common, config, engine, args.http_tokens.clone(), |_| {})
}

/// Serves until a signal ends it; calls `started` when everything is listened on.
pub(super) fn serve(
    common: &Common,
    config: Config,
    engine: Engine,
    token_file: Option<PathBuf>,
    started: impl FnOnce(&Server),
) -> Result<ExitCode, Failure> {
    let runtime = io_threads()?;
    let common = common.clone();
    let build = move || common.engine();
    let served = runtime.block_on(async {
        let server = Server::bind(config, engine, Box::new(build)).await?;
        // Who reads where it listens may tell it to end from then on.
        let token_handle = server.token_handle();
        let on_reload = move || {
            if let Some(path) = &token_file {
                reread_tokens(&token_handle, path);
            }
        };
        tokio::spawn(signals(server.handle(), on_reload)?);
        announce(&server);
        started(&server);
        tokio::task::spawn_blocking(warm);
        let notifier = notifier();
        notifier.notify("READY=1");
        if let Some(period) = watchdog_period(std::env::var("WATCHDOG_USEC").ok().as_deref()) {
            tokio::spawn(watchdog(server.handle(), period));
        }
        server.run().await;
        notifier.notify("STOPPING=1");
        Ok::<(), ServeFailure>(())
    });
    // A query that does not stop must not keep the program from ending.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match served {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(error) => Err(serve_failure(error)),
    }
}

/// Returns the failure with its exit code.
pub(super) fn serve_failure(error: ServeFailure) -> Failure {
    match error {
        ServeFailure::Serve(ServeError::Transport(error @ TransportError::File(_))) => {
            Failure::file(error)
        }
        ServeFailure::Serve(error @ ServeError::Transport(_)) => Failure::usage(error),
        ServeFailure::Serve(
            error @ (ServeError::Remote(_) | ServeError::NoTokens(_) | ServeError::NoAddress),
        ) => Failure::usage(error),
        error => Failure::work(error),
    }
}

/// Parses an origin of pages, as browsers send it.
fn origin(text: &str) -> Result<String, String> {
    let named = text.split_once("://").is_some_and(|(scheme, host)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['/', ' '])
    });
    (named || text == "*")
        .then(|| text.to_owned())
        .ok_or_else(|| "expected an origin, such as https://example.org, or *".to_owned())
}

/// Makes the table of endings in the program, for which the first question about one would wait.
fn warm() {
    let bytes = TwoSided::built_in().as_bytes().map_or(0, <[u8]>::len);
    tracing::debug!(bytes, "the table of endings is made");
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ServeFailure {
    #[error("{0}")]
    Serve(#[from] ServeError),
    #[error("signals: {0}")]
    Signals(#[from] std::io::Error),
}

/// Prints where the server listens, one address a line, so that port 0 can be used.
fn announce(server: &Server) {
    let mut out = std::io::stdout().lock();
    let metrics = server
        .metrics_address()
        .map(|address| format!("metrics on {address}"));
    let lines = server
        .addresses()
        .into_iter()
        .map(|address| format!("listening on {address}"));
    let consoles = server.console_addresses().into_iter();
    let consoles = consoles.map(|address| format!("console on {address}"));
    let http = (server.http_addresses().into_iter()).map(|address| format!("http on {address}"));
    for line in lines
        .chain(consoles)
        .chain(http)
        .chain(metrics)
        .chain(server.transports())
    {
        tracing::info!("{line}");
        // Nobody may be reading; the server runs all the same.
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
}

fn notifier() -> Notifier {
    let address = std::env::var("NOTIFY_SOCKET").ok();
    Notifier::new(address.as_deref()).unwrap_or_else(|error| {
        tracing::warn!(%error, "NOTIFY_SOCKET");
        Notifier::default()
    })
}

/// Reads the file of tokens again; the old ones stay when that fails.
fn reread_tokens(handle: &TokenHandle, path: &Path) {
    let read = tokens(path).map_err(|failure| failure.to_string());
    match read.and_then(|tokens| handle.replace(tokens).map_err(str::to_owned)) {
        Ok(()) => tracing::info!("tokens read again"),
        Err(error) => tracing::error!(%error, "tokens not read again; the old ones stay in use"),
    }
}

/// SIGTERM and SIGINT end gracefully, the second one at once; SIGHUP calls `on_reload` and reloads the nets.
pub(super) fn signals(
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
                () = handle.serve_stream(own) => false,
            }
        });
        match answered.await {
            Ok(true) => notifier.notify("WATCHDOG=1"),
            _ => tracing::error!("a query did not come back; the watchdog is not fed"),
        }
    }
}
