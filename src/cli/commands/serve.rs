//! `gammond serve`: the server's command line, its signals and its watchdog.

#[cfg(feature = "farm")]
use super::nats_options::NatsOptions;
#[cfg(windows)]
use crate::platform;
use crate::{Archive, Common, Failure};
use clap::builder::RangedU64ValueParser;
use gammond_base::files;
use gammond_engine::bearoff::TwoSided;
use gammond_engine::engine::Engine;
#[cfg(feature = "farm")]
use gammond_farm::nats_service::Serving;
use gammond_server::console::Consoles;
use gammond_server::core::limits::Limits;
use gammond_server::http::{
    Http, HttpAccess, HttpTokens, JobLimits, MatchArchive, Metrics, TokenHandle, TrustedProxy,
};
use gammond_server::lines::Lines;
use gammond_server::process::{self, ProcessError};
use gammond_server::transport::Transport;
use gammond_server::{Address, Config, ServeError, Server, TransportError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

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
    /// Speak gnubg's text console from the first byte there: HOST:PORT or unix:PATH. It has no files. The server then
    /// listens on nothing else but --listen.
    #[arg(long, env = "GAMMOND_CONSOLE", value_name = "ADDR")]
    console: Option<Address>,
    /// Answer HTTP there, such as 127.0.0.1:8080 (or unix:PATH). The default address is not opened then; add --listen
    /// to open one. Addresses that are not loopback require --allow-remote, and --http-tokens or --no-auth.
    #[arg(
        long,
        env = "GAMMOND_HTTP",
        value_name = "ADDRESS",
        value_delimiter = ','
    )]
    http: Vec<Address>,
    /// File with lines NAME TOKEN [requests=N] [cpu=SECONDS] [shared], for its owner only (mode 0600): requests over
    /// HTTP must show one of the tokens, with at most N at a time and that much processor time in an hour; browsers
    /// sign in with one. Its matches in --db are its own unless it is shared. SIGHUP reads the file again.
    #[arg(
        long,
        env = "GAMMOND_HTTP_TOKENS",
        value_name = "FILE",
        requires = "http"
    )]
    http_tokens: Option<PathBuf>,
    /// Answer HTTP without tokens also to other machines: a proxy in front checks the clients.
    #[arg(
        long,
        env = "GAMMOND_NO_AUTH",
        requires = "http",
        conflicts_with = "http_tokens"
    )]
    no_auth: bool,
    /// Proxy whose X-Forwarded-For or Forwarded names the clients: ADDRESS or ADDRESS/BITS; may be repeated. Those
    /// headers of others are ignored.
    #[arg(
        long,
        env = "GAMMOND_TRUSTED_PROXY",
        value_name = "ADDRESS",
        value_delimiter = ',',
        requires = "http"
    )]
    trusted_proxy: Vec<TrustedProxy>,
    /// Origin whose pages may send requests over HTTP, such as https://example.org; may be repeated; * for all.
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
    /// Archive of `gammond analyse --db` that HTTP shows, with --http-tokens to each client its own matches. It is
    /// created if it does not exist.
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
    /// Seconds that a connection may be silent, 0 for no limit.
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
    /// Seconds of processor time that one client may use in an hour for questions that look ahead; 0 for no limit.
    /// Above it the answer is `busy`.
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
    /// Serve as a service of Windows, which its service manager starts and ends: the command of
    /// `sc.exe create gammond binPath= "C:\\gammond\\gammond.exe serve --service" start= auto`.
    #[cfg(windows)]
    #[arg(long)]
    service: bool,
    /// Settings with which sessions begin, as `set` takes them, such as `top=5`.
    #[arg(value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

/// Requests over NATS.
#[cfg(feature = "farm")]
#[derive(clap::Args, Debug)]
struct NatsArgs {
    /// Answer requests over this NATS server, several with commas, on the subjects gammond.move, gammond.cube, …;
    /// the server then listens on nothing else but --listen.
    #[arg(long = "nats", env = "GAMMOND_SERVE_NATS", value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    options: NatsOptions,
}

#[cfg(feature = "farm")]
impl NatsArgs {
    fn transport(&self) -> Result<Option<Box<dyn Transport>>, Failure> {
        let Some(url) = &self.url else {
            return Ok(None);
        };
        Ok(Some(Box::new(Serving {
            access: self.options.access(url)?,
            name: self.options.farm.clone(),
        })))
    }
}

impl Args {
    /// Returns HTTP for clients, if it is to have an address.
    fn http(&self) -> Result<Option<Http>, Failure> {
        if self.http.is_empty() {
            return Ok(None);
        }
        let mut access = HttpAccess::default();
        access.open = self.no_auth;
        access.origins = self.cors.clone();
        access.proxies = self.trusted_proxy.clone();
        if let Some(path) = &self.http_tokens {
            access.tokens = tokens(path)?;
        }
        let mut jobs = JobLimits::default();
        jobs.folder = self.http_jobs.clone();
        jobs.keep = Duration::from_secs(self.http_jobs_keep);
        jobs.jobs_max = self.http_jobs_max;
        let archive: Option<Arc<dyn MatchArchive>> = match &self.db {
            Some(path) => Some(Arc::new(Archive::open(path)?)),
            None => None,
        };
        let http = Http::new(self.http.clone(), access, jobs, archive);
        http.map(Some).map_err(Failure::work)
    }

    fn config(&self, common: &Common, http: Option<Http>) -> Result<Config, Failure> {
        let session = common.session(&self.settings)?;
        let mut config = Config::default();
        #[cfg(feature = "farm")]
        let nats = self.nats.transport()?;
        #[cfg(not(feature = "farm"))]
        let nats: Option<Box<dyn Transport>> = None;
        let mut listen = self.listen.clone();
        let other = !self.external.is_empty() || http.is_some() || self.console.is_some();
        if listen.is_empty() && !other && nats.is_none() {
            listen.push(Address::Tcp("127.0.0.1:4322".into()));
        }
        if !listen.is_empty() {
            config = config.with(Lines::new(listen));
        }
        if !self.external.is_empty() {
            config = config.with(Lines::external(self.external.clone()));
        }
        if let Some(console) = &self.console {
            config = config.with(Consoles::new(vec![console.clone()]));
        }
        if let Some(http) = http {
            config = config.with(http);
        }
        if let Some(metrics) = &self.metrics {
            config = config.with(Metrics::new(metrics.clone()));
        }
        config.transports.extend(nats);
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
        config.rules.variant = session.variant.unwrap_or_default();
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
    files::check_private(path).map_err(Failure::in_file(path))?;
    let text = files::read_text(path, files::TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
    HttpTokens::parse(&text).map_err(|error| Failure::in_file(path)(error.to_string()))
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    #[cfg(windows)]
    if args.service && !platform::service::is_running() {
        return platform::service::run();
    }
    let http = args.http()?;
    let tokens = http.as_ref().map(Http::token_handle);
    let config = args.config(common, http)?;
    let engine = common.engine()?;
    let tokens = tokens.zip(args.http_tokens.clone());
    serve(common, config, engine, tokens, |_| {})
}

/// Serves until a signal ends it, which may also have the file of the tokens read again; calls `started` when everything is
/// listened on.
pub(super) fn serve(
    common: &Common,
    config: Config,
    engine: Engine,
    tokens: Option<(TokenHandle, PathBuf)>,
    started: impl FnOnce(&Server),
) -> Result<ExitCode, Failure> {
    let common = common.clone();
    let on_reload = move || {
        if let Some((handle, path)) = &tokens {
            reread_tokens(handle, path);
        }
    };
    let started = |server: &Server| {
        announce(server);
        started(server);
        #[cfg(windows)]
        platform::service::started(server.handle());
        std::thread::spawn(warm);
    };
    process::serve(config, engine, move || common.engine(), started, on_reload)
        .map_err(serve_failure)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the failure with its exit code.
pub(super) fn serve_failure(error: ProcessError) -> Failure {
    match &error {
        ProcessError::Serve(ServeError::NoAddress) => Failure::usage(error),
        ProcessError::Serve(ServeError::Transport(transport)) => match transport {
            TransportError::File(_) => Failure::file(error),
            TransportError::Setting(_) | TransportError::Remote(_) => Failure::usage(error),
            _ => Failure::work(error),
        },
        _ => Failure::work(error),
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

/// Prints where the server listens, one address a line, so that port 0 can be used.
fn announce(server: &Server) {
    let mut out = std::io::stdout().lock();
    for line in server.shown() {
        tracing::info!("{line}");
        // The server runs also if standard output is closed.
        let _ = writeln!(out, "{line}");
    }
    let _ = out.flush();
}

/// Reads the file of tokens again; the old ones stay when that fails.
fn reread_tokens(handle: &TokenHandle, path: &Path) {
    let read = tokens(path).map_err(|failure| failure.to_string());
    match read.and_then(|tokens| handle.replace(tokens).map_err(str::to_owned)) {
        Ok(()) => tracing::info!("tokens read again"),
        Err(error) => tracing::error!(%error, "tokens not read again; the old ones stay in use"),
    }
}
