//! What the FIBS bot is told, and why it cannot go on.

use gammond_engine::query::Settings;
use gammond_protocol::analysis::Analysis;
use gammond_protocol::fibs::{Policy, Timing};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Characters of a client name that FIBS accepts.
const CLIENT_NAME_MAX: usize = 20;

/// A password. Neither `Debug` nor `Display` shows it (FIBS-30).
#[derive(Clone)]
pub struct Secret(pub(super) String);

impl Secret {
    /// A password as read from a file or variable; ends of lines are cut off.
    ///
    /// # Errors
    /// It is empty, or has blanks or control characters, which the login line cannot hold.
    pub fn new(text: &str) -> Result<Secret, FibsError> {
        let text = text.trim_end_matches(['\r', '\n']);
        let bad = |c: char| c.is_whitespace() || c.is_control();
        if text.is_empty() || text.contains(bad) {
            return Err(FibsError::Password);
        }
        Ok(Secret(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What is wrong with a file of the bot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is not what the bot writes.
    #[error("is no state file of this bot ({0})")]
    Json(#[from] serde_json::Error),
    /// Only one bot may use it.
    #[error("another bot uses this state file")]
    Held,
}

/// Why the bot cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FibsError {
    /// Nothing that a login line can hold.
    #[error("the password is empty or has blanks or control characters")]
    Password,
    /// Nothing that a login line can hold.
    #[error("{field} '{value}' is empty, longer than {CLIENT_NAME_MAX} characters or has blanks")]
    Name {
        /// Which name.
        field: &'static str,
        /// What was given.
        value: String,
    },
    /// The server said something that makes it useless to connect again.
    #[error("{0}")]
    Fatal(&'static str),
    /// A file of the bot cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: StateError,
    },
}

/// Files a match that was analysed: its name, its text, and the analysis.
#[derive(Clone)]
pub struct Filing(pub Arc<dyn Fn(&str, &str, &Analysis) + Send + Sync>);

impl fmt::Debug for Filing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Filing(…)")
    }
}

/// What the bot is told.
#[derive(Clone, Debug)]
pub struct FibsConfig {
    /// `HOST:PORT`.
    pub server: String,
    /// The user's name.
    pub user: String,
    /// The user's password.
    pub password: Secret,
    /// What the who list shows as the program.
    pub client: String,
    /// Whom to play.
    pub policy: Policy,
    /// The machine's times.
    pub timing: Timing,
    /// How to search.
    pub settings: Settings,
    /// Longest time for a decision; then what is known is played.
    pub think_ms: u64,
    /// Shortest time for a decision, so that opponents can follow.
    pub pause_ms: u64,
    /// First wait before connecting again; it doubles each time.
    pub backoff_ms: u64,
    /// Longest such wait.
    pub backoff_max_ms: u64,
    /// Where the state is kept between runs.
    pub state: Option<PathBuf>,
    /// Folder for the match files.
    pub matches: Option<PathBuf>,
    /// Whether a request to stop waits for the end of the match, not only of the game.
    pub finish_match: bool,
    /// Whether boards are drawn on stdout.
    pub watch: bool,
    /// Whether the match files say what our analysis thinks of both players.
    pub analyse: bool,
    /// Where matches that were analysed are filed.
    pub filing: Option<Filing>,
}

impl FibsConfig {
    /// The defaults for a user of a server.
    ///
    /// # Errors
    /// A user name that FIBS cannot have.
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
            filing: None,
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
