//! Changes of state (FIBS-38): the events, and the table of what each may lead to.

use super::Machine;
pub use super::play::MatchTurn;
use super::state::State;
pub use super::state::StateName;
use gammond_game::notation::fibs::Message;
use std::collections::BTreeMap;
use std::fmt;

/// An event that can change the state: a group of lines, or an action of the bot itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventName {
    /// The connection is open.
    Connects,
    /// The connection is gone.
    LinkBreaks,
    /// A prompt for name or password.
    Prompt,
    /// The answer to a good login.
    Welcome,
    /// The message of the day begins.
    MotdBegins,
    /// The message of the day ends.
    MotdEnds,
    /// Something has not come in time.
    Timer,
    /// The bot invites, joins or ends.
    Idle,
    /// The bot decides on the board.
    Decides,
    /// A match begins or resumes.
    Started,
    /// A board.
    Board,
    /// A game begins.
    NewGame,
    /// A player rolls.
    Rolls,
    /// The opponent plays.
    Moves,
    /// A player doubles or resigns, or such an offer is open.
    Offer,
    /// A player takes, or refuses a resignation.
    OfferAnswered,
    /// A game is over.
    GameEnds,
    /// A match is over.
    MatchEnds,
    /// The server waits for `join`.
    JoinNext,
    /// The opponent has not joined.
    WaitForJoin,
    /// The match is saved, or none is played.
    Removed,
    /// A command of the game is refused.
    Refused,
    /// The answer to a fence.
    Fence,
    /// The server has no command `board`.
    NoBoard,
    /// An invitation or acceptance is refused.
    InvitationRefused,
    /// A line about a user.
    Who,
    /// A user's words.
    Said,
    /// Any other line.
    Other,
}

impl EventName {
    /// Returns the event of a line.
    pub(super) fn of(message: &Message) -> EventName {
        match message {
            Message::Welcome(_) => EventName::Welcome,
            Message::MotdBegins => EventName::MotdBegins,
            Message::MotdEnds => EventName::MotdEnds,
            Message::Started { .. } => EventName::Started,
            Message::Board(_) => EventName::Board,
            Message::NewGame(_) | Message::OpeningRoll { .. } => EventName::NewGame,
            Message::Rolls { .. } => EventName::Rolls,
            Message::Moves { .. } => EventName::Moves,
            Message::Doubles { .. }
            | Message::YouDouble
            | Message::OffersResignation { .. }
            | Message::YouResign
            | Message::OfferOpen { .. } => EventName::Offer,
            Message::Takes { .. } | Message::ResignationRejected { .. } => EventName::OfferAnswered,
            Message::GivesUp { .. }
            | Message::ResignationAccepted { .. }
            | Message::WinsGame { .. } => EventName::GameEnds,
            Message::WinsMatch { .. } => EventName::MatchEnds,
            Message::JoinNext => EventName::JoinNext,
            Message::WaitForJoin => EventName::WaitForJoin,
            Message::Saved { .. } | Message::NotPlaying => EventName::Removed,
            Message::Refused(_) => EventName::Refused,
            Message::BoardStyle => EventName::Fence,
            Message::NoBoard => EventName::NoBoard,
            Message::InvitationRefused(_) | Message::AlreadyPlaying | Message::NoSavedMatch(_) => {
                EventName::InvitationRefused
            }
            Message::Who(_) => EventName::Who,
            Message::Said { .. } => EventName::Said,
            _ => EventName::Other,
        }
    }
}

impl fmt::Display for StateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StateName::Playing(turn) => write!(f, "{turn:?}"),
            name => write!(f, "{name:?}"),
        }
    }
}

/// A state of the table, or a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// This state.
    One(StateName),
    /// All of a match.
    Match,
    /// Those of a game.
    Game,
    /// Those of the break between two games.
    Break,
    /// All with a connection.
    Linked,
}

impl States {
    const fn turn(turn: MatchTurn) -> States {
        States::One(StateName::Playing(turn))
    }

    /// Returns true if the group has this state.
    #[must_use]
    pub fn contains(self, name: StateName) -> bool {
        let turn = match name {
            StateName::Playing(turn) => Some(turn),
            _ => None,
        };
        let pauses = [MatchTurn::MyJoin, MatchTurn::TheirJoin];
        match self {
            States::One(one) => one == name,
            States::Match => turn.is_some(),
            States::Game => {
                turn.is_some_and(|turn| turn != MatchTurn::Leaving && !pauses.contains(&turn))
            }
            States::Break => turn.is_some_and(|turn| pauses.contains(&turn)),
            States::Linked => name != StateName::Offline,
        }
    }
}

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            States::One(name) => name.fmt(f),
            group => write!(f, "*{group:?}*"),
        }
    }
}

/// Rows of the table: an event leads from each of the first states to any of the last.
pub type Transition = (&'static [States], EventName, &'static [States]);

const OFFLINE: States = States::One(StateName::Offline);
const LOGIN_PROMPT: States = States::One(StateName::LoginPrompt);
const AUTHENTICATING: States = States::One(StateName::Authenticating);
const SETTLING: States = States::One(StateName::Settling);
const MOTD: States = States::One(StateName::Motd);
const FREE: States = States::One(StateName::Free);
const JOINING: States = States::One(StateName::Joining);
const MATCH_OVER: States = States::One(StateName::MatchOver);
const LEAVING: States = States::turn(MatchTurn::Leaving);
const MY_JOIN: States = States::turn(MatchTurn::MyJoin);
const THEIR_JOIN: States = States::turn(MatchTurn::TheirJoin);
const NO_BOARD: States = States::turn(MatchTurn::NoBoard);
const RESYNC: States = States::turn(MatchTurn::Resync);
const MY_CUBE_ANSWER: States = States::turn(MatchTurn::MyCubeAnswer);
const MY_RESIGN_ANSWER: States = States::turn(MatchTurn::MyResignAnswer);
const THEIR_ANSWER: States = States::turn(MatchTurn::TheirAnswer);

/// All changes of state that are foreseen. Within a game the board is the truth, so each board can lead from any state
/// to any other.
pub const TRANSITIONS: &[Transition] = &[
    // Login.
    (&[OFFLINE], EventName::Connects, &[LOGIN_PROMPT]),
    (&[LOGIN_PROMPT], EventName::Prompt, &[AUTHENTICATING]),
    (&[AUTHENTICATING], EventName::Welcome, &[SETTLING]),
    (&[SETTLING], EventName::MotdBegins, &[MOTD]),
    (&[MOTD], EventName::MotdEnds, &[FREE]),
    (&[SETTLING], EventName::Timer, &[FREE]),
    (&[MOTD], EventName::Timer, &[FREE]),
    // The end of the link, reported or by its silence.
    (&[States::Linked], EventName::LinkBreaks, &[OFFLINE]),
    (&[States::Linked], EventName::Timer, &[OFFLINE]),
    // Between two matches.
    (&[FREE], EventName::Idle, &[JOINING]),
    (&[JOINING], EventName::Idle, &[FREE]),
    (&[JOINING], EventName::InvitationRefused, &[FREE]),
    (&[MATCH_OVER], EventName::Who, &[FREE]),
    (&[MATCH_OVER], EventName::Timer, &[FREE]),
    // The start of a match.
    (&[FREE], EventName::Started, &[NO_BOARD, LEAVING]),
    (&[JOINING], EventName::Started, &[NO_BOARD, LEAVING]),
    (&[SETTLING], EventName::Started, &[NO_BOARD, LEAVING]),
    (&[MATCH_OVER], EventName::Started, &[NO_BOARD, LEAVING]),
    (&[States::Match], EventName::Started, &[NO_BOARD, LEAVING]),
    (&[JOINING], EventName::NewGame, &[NO_BOARD, LEAVING]),
    (&[FREE], EventName::Board, &[States::Game, MY_JOIN, LEAVING]),
    (
        &[JOINING],
        EventName::Board,
        &[States::Game, MY_JOIN, LEAVING],
    ),
    // A game.
    (&[States::Game], EventName::Board, &[States::Game, MY_JOIN]),
    (&[States::Match], EventName::Board, &[LEAVING]),
    (&[States::Game], EventName::NewGame, &[States::Game]),
    (&[States::Game], EventName::Rolls, &[States::Game]),
    (&[MY_CUBE_ANSWER], EventName::Moves, &[States::Game]),
    (
        &[States::Game],
        EventName::Offer,
        &[NO_BOARD, THEIR_ANSWER, MY_CUBE_ANSWER, MY_RESIGN_ANSWER],
    ),
    (&[States::Game], EventName::OfferAnswered, &[States::Game]),
    // Missing parts are requested.
    (&[States::Game], EventName::Decides, &[RESYNC]),
    (&[States::Game], EventName::Timer, &[RESYNC, THEIR_ANSWER]),
    (&[States::Game], EventName::Said, &[RESYNC, THEIR_ANSWER]),
    (&[States::Game], EventName::Refused, &[RESYNC, THEIR_ANSWER]),
    (&[States::Game], EventName::Removed, &[RESYNC, THEIR_ANSWER]),
    // A server without the command for the board.
    (&[States::Game], EventName::Fence, &[States::Game]),
    (&[States::Game], EventName::NoBoard, &[States::Game]),
    (&[NO_BOARD, RESYNC], EventName::Timer, &[States::Game]),
    // The end of a game, and the next one.
    (&[States::Game], EventName::GameEnds, &[MY_JOIN]),
    (&[THEIR_JOIN], EventName::GameEnds, &[MY_JOIN]),
    (&[States::Game], EventName::JoinNext, &[MY_JOIN]),
    (&[MY_JOIN], EventName::WaitForJoin, &[THEIR_JOIN]),
    (&[States::Break], EventName::NewGame, &[NO_BOARD, RESYNC]),
    (&[States::Break], EventName::Board, &[States::Game]),
    // The end of a match.
    (&[States::Match], EventName::MatchEnds, &[MATCH_OVER]),
    (&[States::Match], EventName::Removed, &[FREE]),
    (&[States::Match], EventName::Removed, &[MATCH_OVER]),
    // The bot leaves.
    (&[States::Match], EventName::Idle, &[LEAVING]),
    (&[States::Match], EventName::JoinNext, &[LEAVING]),
    (&[States::Match], EventName::Refused, &[LEAVING]),
    (&[States::Match], EventName::Timer, &[LEAVING]),
    (&[States::Game], EventName::Decides, &[LEAVING]),
];

/// Returns the first row of the table that has this change of state.
#[must_use]
pub fn row_of(before: StateName, event: EventName, after: StateName) -> Option<usize> {
    let has = |states: &[States], name| states.iter().any(|states| states.contains(name));
    TRANSITIONS
        .iter()
        .position(|&(from, by, to)| by == event && has(from, before) && has(to, after))
}

/// Changes of state so far, with their numbers. The states and events bound its size.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// Number of each change.
    pub taken: BTreeMap<(StateName, EventName, StateName), u64>,
    /// Number of changes that the table does not have.
    pub unlisted: u64,
}

impl Transitions {
    fn count(&mut self, before: StateName, event: EventName, after: StateName) {
        *self.taken.entry((before, event, after)).or_default() += 1;
        let listed = row_of(before, event, after).is_some();
        debug_assert!(listed, "{before} {event:?} {after}");
        self.unlisted += u64::from(!listed);
    }
}

impl Machine {
    /// Returns the changes of state since the machine was made.
    #[must_use]
    pub const fn transitions(&self) -> &Transitions {
        &self.transitions
    }

    /// Changes the state. Returns the one before.
    pub(super) const fn enter(&mut self, next: State) -> State {
        std::mem::replace(&mut self.state, next)
    }

    /// Handles an event and checks the change of state against the table. A change that the table does not have is
    /// counted; it stops nothing.
    pub(super) fn observe(&mut self, event: EventName, handle: impl FnOnce(&mut Machine)) {
        let before = self.state.name();
        handle(self);
        let after = self.state.name();
        if before != after {
            self.transitions.count(before, event, after);
        }
    }
}
