//! The interface between the machine and the owner of the socket, the clock and the engine: times in; questions,
//! commands and events out; answers in.

use crate::shared::MatchRecord;
use gammond_engine::query::{CubeQuery, EvalQuery, PlayQuery};
use gammond_game::Play;
use gammond_game::notation::BoardView;
use gammond_game::notation::fibs::MatchTerms;

/// Times in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Timing {
    /// Between two commands.
    pub pace_ms: u64,
    /// Time from an invitation to the acceptance: a warning can still come.
    pub warning_ms: u64,
    /// Wait for a missing prompt to roll or double.
    pub prompt_ms: u64,
    /// Wait for a missing automatic roll.
    pub roll_ms: u64,
    /// Time without a reaction of the server after which the board is requested.
    pub resync_ms: u64,
    /// Time without a command after which a harmless one is sent.
    pub keepalive_ms: u64,
    /// Time without data after which the link counts as dead.
    pub silence_ms: u64,
    /// Between two invitations to the same person to resume.
    pub resume_ms: u64,
    /// Wait for the new rating after a match.
    pub rating_ms: u64,
    /// Wait for the login prompt, or for the answer to the login.
    pub login_ms: u64,
    /// Limit for leaving a match after a second signal to stop.
    pub stop_ms: u64,
    /// Wait of a request to stop for the fate of a match in which the link broke.
    pub hidden_ms: u64,
}

impl Default for Timing {
    fn default() -> Self {
        Timing {
            pace_ms: 1500,
            warning_ms: 1500,
            prompt_ms: 2000,
            roll_ms: 3000,
            resync_ms: 8000,
            keepalive_ms: 90_000,
            silence_ms: 300_000,
            resume_ms: 180_000,
            rating_ms: 3000,
            login_ms: 30_000,
            stop_ms: 10_000,
            hidden_ms: 300_000,
        }
    }
}

/// A question for the engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Choose a play; with `resign`, first decide whether to resign the game.
    Play {
        /// The position and the roll.
        query: PlayQuery,
        /// True if resigning is allowed.
        resign: bool,
    },
    /// Roll or double; with `resign`, first whether the game should be resigned.
    RollOrDouble {
        /// The position before the roll.
        query: CubeQuery,
        /// True if resigning is allowed.
        resign: bool,
    },
    /// Take or pass; the doubler is on roll.
    Offer(CubeQuery),
    /// Accept that the player on roll of the query resigns?
    Resignation {
        /// The position of the one who resigns.
        query: EvalQuery,
        /// 1, 2 or 3 times the cube.
        games: u8,
        /// True if the points win the match for us.
        ends_match: bool,
    },
}

/// The answer to an [`Ask`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This play.
    Play(Play),
    /// Roll the dice.
    Roll,
    /// Double.
    Double,
    /// Take the cube, or accept the resignation.
    Accept,
    /// Pass, or play on.
    Reject,
    /// Resign this many games.
    Resign(u8),
}

/// An event, for the owner's records.
#[derive(Clone, Debug)]
pub enum Event {
    /// Logged in, with this rating and experience.
    LoggedIn {
        /// The rating.
        rating: f64,
        /// Points played.
        experience: u32,
    },
    /// A match begins or resumes.
    MatchStarted {
        /// The opponent.
        opponent: String,
        /// Kind of match that was agreed.
        wanted: MatchTerms,
        /// Our saved matches.
        saved: usize,
        /// The opponent's saved matches, where the server counts them.
        opponent_saved: Option<u32>,
    },
    /// The server shows another board.
    Board(Box<BoardView>),
    /// A match is over.
    MatchFinished(Box<MatchRecord>),
    /// A match has made progress: a game is over, or the match is broken off.
    Progress {
        /// All of it so far.
        record: Box<MatchRecord>,
        /// Our rating.
        rating: Option<f64>,
        /// True if it is unknown whether the match continues.
        open: bool,
    },
    /// A match was interrupted and is saved on the server.
    MatchSaved {
        /// The opponent.
        opponent: String,
        /// True if we left the match.
        by_us: bool,
    },
}

/// An action that the machine requests.
#[derive(Clone, Debug)]
pub enum Output {
    /// Send the login line; only the owner of the socket knows the password.
    Login,
    /// Send this line.
    Send(String),
    /// Answer this by `Machine::answer`.
    Decide(u64, Box<Ask>),
    /// Something happened.
    Event(Box<Event>),
    /// Close the connection and connect again.
    Reconnect(&'static str),
    /// Close the connection and stop: logging in again would fail again.
    Fatal(&'static str),
    /// All is done: close the connection.
    Quit,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BotCounters {
    /// Lines read.
    pub lines: u64,
    /// Lines of unknown form (FIBS-09).
    pub unknown: u64,
    /// Boards read.
    pub boards: u64,
    /// Lines of the game, and boards, that name another opponent or another match (FIBS-33).
    pub foreign: u64,
    /// Boards that could not be read.
    pub bad_boards: u64,
    /// Number of refused commands of the game.
    pub refused: u64,
    /// Number of answers that came too late and were dropped.
    pub stale: u64,
    /// Number of times that the board was requested because something was missing.
    pub resyncs: u64,
}
