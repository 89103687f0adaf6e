//! The present condition of the bot, as one value, and the facts that outlive it.

use super::interrupted::Interrupted;
use super::play::{CrawfordRoll, EndedMatch, Match, MatchTurn};
use gammond_game::notation::fibs::{LineReader, MatchTerms, OwnInfo, Who};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Names remembered at a time.
pub(super) const USERS_MAX: usize = 10_000;

/// An invitation or acceptance of ours: a start may answer it.
#[derive(Clone, Debug)]
pub(super) struct Joining {
    /// Name of the user that the bot invited or joined.
    pub(super) name: String,
    /// Match that we invited to or joined.
    pub(super) wanted: MatchTerms,
    /// Time until which the bot waits for the start.
    pub(super) until: u64,
    /// Number of further fence answers after which the server has answered it (FIBS-32).
    pub(super) answers: u32,
}

/// The condition of the bot. Only [`Machine::enter`](super::Machine::enter) changes it.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// The bot has no connection.
    Offline,
    /// The login prompt has not come yet.
    LoginPrompt {
        /// Time of the connection.
        since: u64,
    },
    /// The server has not answered the login.
    Authenticating {
        /// Time of the login.
        since: u64,
    },
    /// Logged in; a message of the day may follow.
    Settling {
        /// Time at which it is no longer waited for.
        until: u64,
    },
    /// The message of the day comes.
    Motd {
        /// Time at which its end is no longer waited for.
        until: u64,
    },
    /// Between two matches.
    Free,
    /// An invitation or acceptance of ours is not answered.
    Joining(Joining),
    /// The bot is in a match.
    Playing(Box<Match>),
    /// A match is over, and the new rating has not come.
    MatchOver(Box<EndedMatch>),
}

/// Name of the condition of the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StateName {
    /// The bot has no connection.
    Offline,
    /// The login prompt has not come yet.
    LoginPrompt,
    /// The server has not answered the login.
    Authenticating,
    /// Logged in; a message of the day may follow.
    Settling,
    /// The message of the day comes.
    Motd,
    /// Between two matches.
    Free,
    /// An invitation or acceptance of ours is not answered.
    Joining,
    /// The bot is in a match.
    Playing(MatchTurn),
    /// A match is over, and the new rating has not come.
    MatchOver,
}

impl State {
    pub(super) fn name(&self) -> StateName {
        match self {
            State::Offline => StateName::Offline,
            State::LoginPrompt { .. } => StateName::LoginPrompt,
            State::Authenticating { .. } => StateName::Authenticating,
            State::Settling { .. } => StateName::Settling,
            State::Motd { .. } => StateName::Motd,
            State::Free => StateName::Free,
            State::Joining(_) => StateName::Joining,
            State::Playing(game) => StateName::Playing(game.turn()),
            State::MatchOver(_) => StateName::MatchOver,
        }
    }

    /// Returns true if the settings are sent and the bot may play.
    pub(super) const fn is_settled(&self) -> bool {
        matches!(
            self,
            State::Free | State::Joining(_) | State::Playing(_) | State::MatchOver(_)
        )
    }

    /// Returns true if the server has accepted the login.
    pub(super) const fn is_logged_in(&self) -> bool {
        self.is_settled() || matches!(self, State::Settling { .. } | State::Motd { .. })
    }

    pub(super) fn game(&self) -> Option<&Match> {
        match self {
            State::Playing(game) => Some(game),
            _ => None,
        }
    }

    pub(super) fn game_mut(&mut self) -> Option<&mut Match> {
        match self {
            State::Playing(game) => Some(game),
            _ => None,
        }
    }

    pub(super) const fn joining(&self) -> Option<&Joining> {
        match self {
            State::Joining(joining) => Some(joining),
            _ => None,
        }
    }

    pub(super) const fn joining_mut(&mut self) -> Option<&mut Joining> {
        match self {
            State::Joining(joining) => Some(joining),
            _ => None,
        }
    }

    /// Returns the finished match whose new rating has not arrived.
    pub(super) fn ended(&self) -> Option<&EndedMatch> {
        match self {
            State::MatchOver(ended) => Some(ended),
            State::Playing(game) => game.previous.as_deref(),
            _ => None,
        }
    }

    pub(super) fn ended_mut(&mut self) -> Option<&mut EndedMatch> {
        match self {
            State::MatchOver(ended) => Some(ended),
            State::Playing(game) => game.previous.as_deref_mut(),
            _ => None,
        }
    }
}

/// The server's command for the board (FIBS-34).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoardCommand {
    /// The question is open on this connection.
    Untried,
    /// The server has answered it.
    Works,
    /// The server does not have it.
    Missing,
}

/// The connection, and the server's habits as seen on it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) reader: LineReader,
    /// Time of the last bytes.
    pub(super) last_heard: u64,
    /// Number of fences that are not answered.
    pub(super) fences: u32,
    pub(super) board_command: BoardCommand,
    /// True if the server has no list of saved matches.
    pub(super) listless: bool,
    /// True if the list of saved matches has begun to come; the answer to the fence behind it ends it.
    pub(super) list_begun: bool,
    /// The side that rolls for the bot in the Crawford game; it outlives the connection.
    pub(super) crawford_roll: CrawfordRoll,
}

impl Link {
    pub(super) fn new(now: u64, crawford_roll: CrawfordRoll) -> Link {
        Link {
            reader: LineReader::default(),
            last_heard: now,
            fences: 0,
            board_command: BoardCommand::Untried,
            listless: false,
            list_begun: false,
            crawford_roll,
        }
    }

    /// Handles a requested board.
    pub(super) fn board_shown(&mut self) {
        if self.board_command == BoardCommand::Untried {
            self.board_command = BoardCommand::Works;
        }
    }

    pub(super) fn is_boardless(&self) -> bool {
        self.board_command == BoardCommand::Missing
    }
}

/// We and other users.
#[derive(Clone, Debug, Default)]
pub(super) struct Users {
    pub(super) own: Option<OwnInfo>,
    pub(super) online: BTreeMap<String, Who>,
    /// Matches that each user has dropped.
    pub(super) drops: BTreeMap<String, u32>,
    /// Number of answers, refusals and reports sent to each user, and the start of the count.
    pub(super) talked: BTreeMap<String, ([u32; 3], u64)>,
    /// Report on the last match with each user; empty while the match is being analysed.
    pub(super) reports: BTreeMap<String, Vec<String>>,
}

impl Users {
    /// Returns our rating as last reported.
    pub(super) fn rating(&self) -> Option<f64> {
        self.own.as_ref().map(|own| own.rating)
    }
}

/// An invitation that we got.
#[derive(Clone, Debug)]
pub(super) struct Invitation {
    pub(super) name: String,
    pub(super) wanted: MatchTerms,
    pub(super) due: u64,
    /// True if joining would destroy a saved match.
    pub(super) warned: bool,
    /// Time of arrival.
    pub(super) since: u64,
}

/// Invitations by others and to others.
#[derive(Clone, Debug, Default)]
pub(super) struct Invitations {
    /// Open ones, first come first served.
    pub(super) open: VecDeque<Invitation>,
    /// User who invited to a new match and was invited to the saved one instead.
    pub(super) instead: Option<(String, MatchTerms)>,
    /// Saved matches of the user who invited last, as the server counts them.
    pub(super) counted: Option<(String, u32)>,
    /// Time of our last invitation to a new match.
    pub(super) last_sent: u64,
}

/// Attempts to resume an interrupted match.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Resumption {
    /// Time from which the bot may invite again to resume.
    pub(super) due: u64,
    /// Number of link breaks while the match was being resumed.
    pub(super) breaks: u32,
    /// Number of requests on this connection for the saved match instead of a new one (FIBS-18).
    pub(super) tries: u32,
}

/// Matches that are not being played and may resume, by opponent.
#[derive(Clone, Debug, Default)]
pub(super) struct SavedMatches {
    /// The server's list, with their lengths.
    pub(super) listed: BTreeMap<String, Option<u32>>,
    /// Matches that were interrupted.
    pub(super) interrupted: BTreeMap<String, Interrupted>,
    /// Users that the bot joined or invited when the link broke before an answer: a match may have begun.
    pub(super) unanswered: BTreeSet<String>,
    pub(super) resumptions: BTreeMap<String, Resumption>,
    /// A match that is being resumed: the opponent, and the time of the request.
    pub(super) resuming: Option<(String, u64)>,
}

impl SavedMatches {
    /// Returns true if there is a match with this player, as far as the bot knows, that a new one would destroy.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.listed.contains_key(name)
            || self.interrupted.contains_key(name)
            || self.unanswered.contains(name)
    }

    /// Returns true if the link broke in a match whose fate is still unknown.
    pub(super) fn hides_a_match(&self) -> bool {
        self.interrupted.values().any(|match_| match_.open)
    }

    pub(super) fn resumption(&mut self, name: &str) -> &mut Resumption {
        self.resumptions.entry(name.to_owned()).or_default()
    }
}

/// Strength of a request to stop.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stop {
    No,
    AfterMatch,
    AfterGame,
    Now,
}

/// Requests to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopping {
    pub(super) wanted: Stop,
    /// Number of requests.
    pub(super) requests: u32,
    /// Deadline for leaving.
    pub(super) deadline: u64,
    /// Time until which the end waits for the fate of matches hidden by a broken link.
    pub(super) waits_until: u64,
}

impl Stopping {
    pub(super) const NONE: Stopping = Stopping {
        wanted: Stop::No,
        requests: 0,
        deadline: u64::MAX,
        waits_until: 0,
    };
}
