//! `gammond bgammon`: the command line of the bot for bgammon servers.

use super::bot::{TURN_MS_MAX, host_and_port, password, stop_requests};
use crate::{Common, Failure, PlayingOptions};
use gammond_bots::bgammon::{BgammonConfig, BgammonError};
use gammond_bots::bgammon::{MatchOffer, MatchOfferError};
use std::path::PathBuf;
use std::process::ExitCode;

/// The name of the credential that systemd may pass.
const CREDENTIAL: &str = "gammond-bgammon-password";
/// The variable that may hold the password.
const VARIABLE: &str = "GAMMOND_BGAMMON_PASSWORD";

/// The server of bgammon.org, as far as this program can reach it.
const DEFAULT_SERVER: &str = if cfg!(feature = "tls") {
    "wss://ws.bgammon.org"
} else {
    "bgammon.org:1337"
};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The server: wss://HOST (WebSocket with TLS), ws://HOST or HOST:PORT (TCP), both without encryption.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_SERVER",
        default_value = DEFAULT_SERVER,
        value_name = "ADDRESS",
        value_parser = address
    )]
    server: String,
    /// The bot's user name; the names of programs begin with `BOT_`. Its password comes from the variable
    /// GAMMOND_BGAMMON_PASSWORD, the file of --password-file, or the systemd credential gammond-bgammon-password;
    /// without one the bot plays as a guest.
    #[arg(long, env = "GAMMOND_BGAMMON_USER", value_name = "NAME")]
    user: String,
    /// File with the password; only its owner may have access (mode 0600).
    #[arg(long, env = "GAMMOND_BGAMMON_PASSWORD_FILE", value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Length of the matches that the bot offers, in points.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_POINTS",
        default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(1..=127),
        value_name = "N"
    )]
    points: u32,
    /// Title of the matches in the server's list.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_TITLE",
        default_value = "gammond",
        value_name = "TEXT"
    )]
    title: String,
    /// Offer private matches, which opponents join with this password; its variable keeps it out of lists of processes.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_MATCH_PASSWORD",
        value_name = "WORD",
        hide_env_values = true
    )]
    match_password: Option<String>,
    /// End after this number of matches.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_MATCHES_MAX",
        value_parser = clap::value_parser!(u64).range(1..=1_000_000),
        value_name = "N"
    )]
    matches_max: Option<u64>,
    /// Folder for a .mat file of each match.
    #[arg(long, env = "GAMMOND_BGAMMON_MATCHES", value_name = "DIR")]
    matches: Option<PathBuf>,
    /// Longest time for a decision, in milliseconds; the best play so far is made.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_THINK_MS",
        default_value_t = 4000,
        value_parser = clap::value_parser!(u64).range(1..=TURN_MS_MAX),
        value_name = "MS"
    )]
    think_ms: u64,
    /// Shortest time for a decision, in milliseconds.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_PAUSE_MS",
        default_value_t = 1200,
        value_parser = clap::value_parser!(u64).range(0..=TURN_MS_MAX),
        value_name = "MS"
    )]
    pause_ms: u64,
    /// Shortest time between two commands, in milliseconds; each step of a play is one.
    #[arg(
        long,
        env = "GAMMOND_BGAMMON_PACE_MS",
        default_value_t = 300,
        value_parser = clap::value_parser!(u64).range(0..=TURN_MS_MAX),
        value_name = "MS"
    )]
    pace_ms: u64,
    #[command(flatten)]
    search: PlayingOptions,
}

/// Returns the address of a WebSocket or of TCP.
fn address(text: &str) -> Result<String, String> {
    let host = ["ws://", "wss://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    match host {
        Some(_) if !cfg!(feature = "tls") => {
            Err("this program was built without the feature 'tls'; expected HOST:PORT".to_owned())
        }
        Some(host) if host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[') => {
            Ok(text.to_owned())
        }
        _ => host_and_port(text).map_err(|_| {
            "expected wss://HOST, such as wss://ws.bgammon.org, or HOST:PORT".to_owned()
        }),
    }
}

impl From<MatchOfferError> for Failure {
    fn from(error: MatchOfferError) -> Self {
        Failure::usage(error)
    }
}

impl From<BgammonError> for Failure {
    fn from(error: BgammonError) -> Self {
        match error {
            BgammonError::Matches { .. } => Failure::file(error),
            BgammonError::Terminated(_) => Failure::work(error),
            other => Failure::usage(other),
        }
    }
}

impl Args {
    fn config(&self, common: &Common) -> Result<BgammonConfig, Failure> {
        let password = password(self.password_file.as_deref(), VARIABLE, CREDENTIAL)?;
        let mut config = BgammonConfig::new(&self.server, &self.user, password)?;
        config.offer = MatchOffer::new(self.points, &self.title, self.match_password.as_deref())?;
        config.settings = self.search.one_play(common);
        config.timing.pace_ms = self.pace_ms;
        config.think_ms = self.think_ms;
        config.pause_ms = self.pause_ms;
        config.matches.clone_from(&self.matches);
        config.matches_max = self.matches_max;
        Ok(config)
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let config = args.config(common)?;
    let engine = common.engine()?;
    let matches = gammond_bots::bgammon::run(config, engine, stop_requests()?)?;
    tracing::info!(matches, "done");
    Ok(ExitCode::SUCCESS)
}
