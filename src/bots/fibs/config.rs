//! Settings and errors of the FIBS bot.

use crate::fibs::{Policy, Timing};
use crate::shared::{Secret, SecretError};
use gammond_engine::query::Settings;
use gammond_report::analysis::Analysis;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum length of a client name that FIBS accepts, in characters.
const CLIENT_NAME_MAX: usize = 20;

/// An error of a file of the bot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The file has not been written by the bot.
    #[error("is not a state file of this bot ({0})")]
    Json(#[from] serde_json::Error),
    /// Another bot uses the file.
    #[error("another bot uses this state file")]
    Held,
}

/// An error that ends the bot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FibsError {
    /// The password cannot be part of a login line.
    #[error(transparent)]
    Password(#[from] SecretError),
    /// A name cannot be part of a login line.
    #[error("{field} '{value}' is empty, longer than {CLIENT_NAME_MAX} characters or has blanks")]
    Name {
        /// Option of the name.
        field: &'static str,
        /// Rejected value.
        value: String,
    },
    /// The server sent a message that makes reconnecting pointless.
    #[error("{0}")]
    Fatal(&'static str),
    /// A file of the bot cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: String,
        /// Error of the file.
        source: StateError,
    },
    /// The threads for its sockets cannot be started.
    #[error("threads: {0}")]
    Threads(std::io::Error),
}

/// A callback that files an analysed match; its arguments are name, text and analysis.
#[derive(Clone)]
pub struct MatchArchiver(pub Arc<dyn Fn(&str, &str, &Analysis) + Send + Sync>);

impl fmt::Debug for MatchArchiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filing(…)")
    }
}

/// Settings of the FIBS bot.
#[derive(Clone, Debug)]
pub struct FibsConfig {
    /// Address `HOST:PORT` of the server.
    pub server: String,
    /// Name of the user.
    pub user: String,
    /// Password of the user.
    pub password: Secret,
    /// Name of the program in the who list.
    pub client: String,
    /// Selection of opponents.
    pub policy: Policy,
    /// Timing of the protocol machine.
    pub timing: Timing,
    /// Settings of the search.
    pub settings: Settings,
    /// Maximum time for a decision in milliseconds; then the best play so far is made.
    pub think_ms: u64,
    /// Minimum time for a decision in milliseconds, so that opponents can follow.
    pub pause_ms: u64,
    /// Initial backoff before reconnecting, in milliseconds; it doubles each time.
    pub backoff_ms: u64,
    /// Maximum backoff in milliseconds.
    pub backoff_max_ms: u64,
    /// State file, kept between runs.
    pub state: Option<PathBuf>,
    /// Folder of the match files.
    pub matches: Option<PathBuf>,
    /// True if a request to stop waits for the end of the match instead of the game.
    pub finish_match: bool,
    /// True if boards are drawn on stdout.
    pub watch: bool,
    /// True if the match files include an analysis of both players.
    pub analyse: bool,
    /// Settings of that analysis.
    pub analysis: Settings,
    /// Callback for analysed matches.
    pub archiver: Option<MatchArchiver>,
}

impl FibsConfig {
    /// Creates the default settings for a user of a server.
    ///
    /// # Errors
    /// If FIBS cannot have this user name.
    pub fn new(server: &str, user: &str, password: Secret) -> Result<FibsConfig, FibsError> {
        check_name("user", user)?;
        Ok(FibsConfig {
            server: server.to_owned(),
            user: user.to_owned(),
            password,
            client: concat!("gammond_", env!("CARGO_PKG_VERSION")).to_owned(),
            policy: Policy::default(),
            timing: Timing::default(),
            settings: Settings::default(),
            think_ms: 4000,
            pause_ms: 1200,
            backoff_ms: 1000,
            backoff_max_ms: 60_000,
            state: None,
            matches: None,
            finish_match: false,
            watch: false,
            analyse: false,
            analysis: Settings::for_analysis(None, None),
            archiver: None,
        })
    }
}

pub(super) fn check_name(field: &'static str, value: &str) -> Result<(), FibsError> {
    let good = (1..=CLIENT_NAME_MAX).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic());
    match good {
        true => Ok(()),
        false => Err(FibsError::Name {
            field,
            value: value.to_owned(),
        }),
    }
}
