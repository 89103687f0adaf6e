//! Settings and errors of the bgammon bot.

use crate::bgammon::{BgammonTiming, MatchOffer, MatchOfferError};
use crate::shared::{Secret, SecretError};
use gammond_engine::query::Settings;
use std::path::PathBuf;

/// Maximum length of a user name, with the prefix that the server gives to guests.
const NAME_MAX: usize = 24;

/// An error that ends the bot.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BgammonError {
    /// The password cannot be part of a login line.
    #[error(transparent)]
    Password(#[from] SecretError),
    /// The name cannot be part of a login line.
    #[error(
        "user name '{0}' has other characters than letters, digits and '_', is all digits or is longer than {NAME_MAX}"
    )]
    Name(String),
    /// The offered matches cannot be part of a command.
    #[error(transparent)]
    MatchOffer(#[from] MatchOfferError),
    /// The server has ended two connections in a row, for this reason.
    #[error("the server has ended two connections in a row: {0}")]
    Terminated(String),
    /// The folder of the match files cannot be written.
    #[error("{path}: {source}")]
    Matches {
        /// Path of the folder.
        path: String,
        /// Error of the folder.
        source: std::io::Error,
    },
    /// The threads for its sockets cannot be started.
    #[error("threads: {0}")]
    Threads(std::io::Error),
}

/// Settings of the bgammon bot.
#[derive(Clone, Debug)]
pub struct BgammonConfig {
    /// Address of the server: `HOST:PORT`, `ws://HOST[:PORT]` or `wss://HOST[:PORT]`.
    pub server: String,
    /// Name of the user; without a password the server puts `Guest_` before it.
    pub user: String,
    /// Password of the user; `None` for a guest.
    pub password: Option<Secret>,
    /// The matches that the bot offers.
    pub offer: MatchOffer,
    /// Timing of the protocol machine.
    pub timing: BgammonTiming,
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
    /// Folder of the match files.
    pub matches: Option<PathBuf>,
    /// Number of matches after which the bot ends.
    pub matches_max: Option<u64>,
}

impl BgammonConfig {
    /// Creates the default settings for a user of a server.
    ///
    /// # Errors
    /// If the server cannot have this user name.
    pub fn new(
        server: &str,
        user: &str,
        password: Option<Secret>,
    ) -> Result<BgammonConfig, BgammonError> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let good = (1..=NAME_MAX).contains(&user.len())
            && user.bytes().all(plain)
            && !user.bytes().all(|byte| byte.is_ascii_digit());
        if !good {
            return Err(BgammonError::Name(user.to_owned()));
        }
        Ok(BgammonConfig {
            server: server.to_owned(),
            user: user.to_owned(),
            password,
            offer: MatchOffer::default(),
            timing: BgammonTiming::default(),
            settings: Settings::default(),
            think_ms: 4000,
            pause_ms: 1200,
            backoff_ms: 2000,
            backoff_max_ms: 60_000,
            matches: None,
            matches_max: None,
        })
    }

    /// Returns the login line. It always has an argument: without one the server crashes (BGM-04).
    pub(super) fn login(&self) -> String {
        let client = concat!("gammond-v", env!("CARGO_PKG_VERSION"), "/en");
        let user = &self.user;
        match &self.password {
            Some(password) => format!("loginjson {client} {user} {}", password.text()),
            None => format!("loginjson {client} {user}"),
        }
    }
}
