//! `gammond fibs`: the bot's command line, its password and its signals.

use super::bot::{TURN_MS_MAX, host_and_port, password, read_text, stop_requests};
use crate::{AnalysisKey, Archive, Common, Failure, PlayingOptions};
use gammond_bots::fibs::Policy;
use gammond_bots::fibs::{FibsConfig, FibsError, MatchArchiver, Secret};
use gammond_engine::engine::Engine;
use gammond_engine::query::Settings;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The name of the credential that systemd may pass.
const CREDENTIAL: &str = "gammond-fibs-password";
/// The variable that may hold the password.
const VARIABLE: &str = "GAMMOND_FIBS_PASSWORD";

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The server.
    #[arg(
        long,
        env = "GAMMOND_FIBS_SERVER",
        default_value = "fibs.com:4321",
        value_name = "HOST:PORT",
        value_parser = host_and_port
    )]
    server: String,
    /// The bot's user name. Its password comes from the variable GAMMOND_FIBS_PASSWORD, the file of
    /// --password-file, or the systemd credential gammond-fibs-password.
    #[arg(long, env = "GAMMOND_FIBS_USER", value_name = "NAME")]
    user: String,
    /// File with the password; only its owner may have access (mode 0600).
    #[arg(long, env = "GAMMOND_FIBS_PASSWORD_FILE", value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Name of the program in the who list; at most 20 characters.
    #[arg(long, env = "GAMMOND_FIBS_CLIENT", value_name = "NAME")]
    client: Option<String>,
    /// TOML file with the policy: opponents, lengths, answers.
    #[arg(long, env = "GAMMOND_FIBS_POLICY", value_name = "FILE")]
    policy: Option<PathBuf>,
    /// File in which results and people met are kept.
    #[arg(long, env = "GAMMOND_FIBS_STATE", value_name = "FILE")]
    state: Option<PathBuf>,
    /// Folder for a .mat file of each finished match.
    #[arg(long, env = "GAMMOND_FIBS_MATCHES", value_name = "DIR")]
    matches: Option<PathBuf>,
    /// Longest time for a decision, in milliseconds; the best play so far is made.
    #[arg(
        long,
        env = "GAMMOND_FIBS_THINK_MS",
        default_value_t = 4000,
        value_parser = clap::value_parser!(u64).range(1..=TURN_MS_MAX),
        value_name = "MS"
    )]
    think_ms: u64,
    /// Shortest time for a decision, in milliseconds.
    #[arg(
        long,
        env = "GAMMOND_FIBS_PAUSE_MS",
        default_value_t = 1200,
        value_parser = clap::value_parser!(u64).range(0..=TURN_MS_MAX),
        value_name = "MS"
    )]
    pause_ms: u64,
    /// Shortest time between two commands, in milliseconds.
    #[arg(
        long,
        env = "GAMMOND_FIBS_PACE_MS",
        default_value_t = 1500,
        value_parser = clap::value_parser!(u64).range(0..=TURN_MS_MAX),
        value_name = "MS"
    )]
    pace_ms: u64,
    /// On SIGTERM finish the match, not only the game.
    #[arg(long, env = "GAMMOND_FIBS_FINISH_MATCH")]
    finish_match: bool,
    /// Write the engine's analysis of both players into the match files: loss per decision, luck.
    #[arg(long, env = "GAMMOND_FIBS_ANALYSE")]
    analyse: bool,
    /// Keep the totals of each match that was analysed in this file, as `gammond analyse --db` does.
    #[arg(
        long,
        env = "GAMMOND_FIBS_DB",
        requires = "analyse",
        value_name = "FILE"
    )]
    db: Option<PathBuf>,
    #[command(flatten)]
    search: PlayingOptions,
    /// Draw the boards on stdout: on a terminal in one place, else one below the other.
    #[arg(long, env = "GAMMOND_FIBS_WATCH")]
    watch: bool,
}

impl From<FibsError> for Failure {
    fn from(error: FibsError) -> Self {
        match error {
            FibsError::File { .. } => Failure::file(error),
            FibsError::Fatal(_) => Failure::work(error),
            other => Failure::usage(other),
        }
    }
}

impl Args {
    fn config(&self, common: &Common) -> Result<FibsConfig, Failure> {
        let mut config = FibsConfig::new(&self.server, &self.user, self.password()?)?;
        if let Some(client) = &self.client {
            config.client.clone_from(client);
        }
        if let Some(path) = &self.policy {
            let text = read_text(path)?;
            config.policy = Policy::parse(&text).map_err(Failure::in_file(path))?;
        }
        config.settings = self.search.one_play(common);
        config.timing.pace_ms = self.pace_ms;
        config.think_ms = self.think_ms;
        config.pause_ms = self.pause_ms;
        config.state.clone_from(&self.state);
        config.matches.clone_from(&self.matches);
        config.finish_match = self.finish_match;
        config.watch = self.watch;
        config.analyse = self.analyse;
        config.analysis = Settings::for_analysis(common.plies, None);
        Ok(config)
    }

    fn password(&self) -> Result<Secret, Failure> {
        password(self.password_file.as_deref(), VARIABLE, CREDENTIAL)?.ok_or_else(|| {
            Failure::usage(format!(
                "no password: set {VARIABLE}, --password-file or the systemd credential {CREDENTIAL}"
            ))
        })
    }
}

/// Files matches in an archive; one that cannot be written is logged and is no reason to stop playing.
fn archiver(path: &Path, engine: &Engine, settings: &Settings) -> Result<MatchArchiver, Failure> {
    let archive = Archive::open(path)?;
    let analyser = AnalysisKey::of(engine, settings)?;
    Ok(MatchArchiver(Arc::new(move |name, text, analysis| {
        let key = analyser.of_file(text.as_bytes());
        if let Err(error) = archive.add(name, &key, analysis) {
            tracing::error!(%error, "the archive cannot be written");
        }
    })))
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let mut config = args.config(common)?;
    let engine = common.engine()?;
    if let Some(path) = &args.db {
        config.archiver = Some(archiver(path, &engine, &config.analysis)?);
    }
    gammond_bots::fibs::run(config, engine, stop_requests()?)?;
    Ok(ExitCode::SUCCESS)
}
