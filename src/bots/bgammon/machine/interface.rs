//! The interface between the machine and the owner of the socket, the clock and the engine.

use super::board::LENGTH_MAX;
use crate::shared::MatchRecord;
use gammond_engine::query::{CubeQuery, PlayQuery};
use gammond_game::Play;
use std::fmt;

/// Times in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct BgammonTiming {
    /// Minimum time between two commands.
    pub pace_ms: u64,
    /// Wait for the match in which the server puts a bot that logs in again, before another one is created.
    pub rejoin_ms: u64,
    /// Wait for the automatic roll of a player who may not double.
    pub roll_ms: u64,
    /// Time without an effect of a command after which the board is requested.
    pub resync_ms: u64,
    /// Time without data after which the connection counts as dead; the server pings every 30 s.
    pub silence_ms: u64,
    /// Wait for the answer to the log-in.
    pub login_ms: u64,
    /// First wait before a match is created again after a refusal; it doubles up to sixteen times.
    pub create_ms: u64,
    /// Time after which a match is left in which the opponent does nothing or is away.
    pub idle_ms: u64,
    /// Time in which the opponent can read the result before the bot leaves.
    pub rest_ms: u64,
}

impl Default for BgammonTiming {
    fn default() -> Self {
        BgammonTiming {
            pace_ms: 300,
            rejoin_ms: 1500,
            roll_ms: 3000,
            resync_ms: 8000,
            silence_ms: 90_000,
            login_ms: 30_000,
            create_ms: 5000,
            idle_ms: 900_000,
            rest_ms: 2000,
        }
    }
}

/// The matches that the bot offers. `Debug` does not show their password.
#[derive(Clone, PartialEq, Eq)]
pub struct MatchOffer {
    length: u32,
    title: String,
    password: Option<String>,
}

impl fmt::Debug for MatchOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchOffer")
            .field("length", &self.length)
            .field("title", &self.title)
            .field("private", &self.password.is_some())
            .finish()
    }
}

/// An offer that cannot be part of a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchOfferError {
    /// The length is out of range.
    #[error("the length is {0} points, expected 1 to {LENGTH_MAX}")]
    Length(u32),
    /// The title cannot be part of a line.
    #[error("the title is empty, longer than 100 characters or has control characters")]
    Title,
    /// The password of the match cannot be part of a line.
    #[error("the password of the match is empty or has blanks or control characters")]
    Password,
}

impl MatchOffer {
    /// Returns terms of matches to `length` points, which the list of matches shows under `title`. With a password they are
    /// private.
    ///
    /// # Errors
    /// [`MatchOfferError`].
    pub fn new(
        length: u32,
        title: &str,
        password: Option<&str>,
    ) -> Result<MatchOffer, MatchOfferError> {
        if !(1..=LENGTH_MAX).contains(&length) {
            return Err(MatchOfferError::Length(length));
        }
        let plain = !title.trim().is_empty() && title.chars().count() <= 100;
        if !plain || title.contains(char::is_control) {
            return Err(MatchOfferError::Title);
        }
        let bad = |c: char| c.is_whitespace() || c.is_control();
        if password.is_some_and(|password| password.is_empty() || password.contains(bad)) {
            return Err(MatchOfferError::Password);
        }
        Ok(MatchOffer {
            length,
            title: title.trim().to_owned(),
            password: password.map(str::to_owned),
        })
    }

    /// Returns the command that creates a match (BGM-40).
    pub(super) fn command(&self) -> String {
        let MatchOffer { length, title, .. } = self;
        match &self.password {
            Some(password) => format!("create private {password} {length} 0 {title}"),
            None => format!("create public {length} 0 {title}"),
        }
    }
}

impl Default for MatchOffer {
    fn default() -> Self {
        MatchOffer {
            length: 5,
            title: "gammond".to_owned(),
            password: None,
        }
    }
}

/// A question for the engine.
///
/// A concession is the number of cubes that a pass or a resignation costs on this board, 1 to 3 (BGM-43).
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Choose a play, or resign.
    Play {
        /// The position and the roll.
        query: PlayQuery,
        /// The bot's concession.
        mine: u8,
    },
    /// Roll, double or resign.
    RollOrDouble {
        /// The position before the roll.
        query: CubeQuery,
        /// The bot's concession.
        mine: u8,
        /// The opponent's concession: the value of his pass.
        theirs: u8,
    },
    /// Take or pass; the doubler is on roll.
    Offer {
        /// The position before the roll.
        query: CubeQuery,
        /// The bot's concession: the price of a pass.
        mine: u8,
    },
}

/// The answer to an [`Ask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BgammonAnswer {
    /// This play.
    Play(Play),
    /// Roll the dice.
    Roll,
    /// Double.
    Double,
    /// Take the cube.
    Take,
    /// Pass a double.
    Pass,
    /// Resign the game.
    Resign,
}

/// A match that has ended, or that one of the players left.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The games.
    pub record: MatchRecord,
    /// The bot's name on the server.
    pub user: String,
}

/// An action that the machine requests.
#[derive(Clone, Debug)]
pub enum BgammonOutput {
    /// Send the log-in line; only the owner of the socket knows the password.
    Login,
    /// Send this line.
    Send(String),
    /// Answer this by [`super::BgammonMachine::answer`].
    Decide(u64, Box<Ask>),
    /// The server has accepted the log-in under this name.
    LoggedIn(String),
    /// A match against this opponent begins, or resumes after a lost connection.
    Started(String),
    /// A match has ended.
    Ended(Box<Ended>),
    /// A text of the server for people, or the reason of a refusal.
    Notice(String),
    /// An event could not be read, for this reason.
    Unreadable(String),
    /// Close the connection and connect again.
    Reconnect(&'static str),
    /// All is done: close the connection.
    Quit,
}
