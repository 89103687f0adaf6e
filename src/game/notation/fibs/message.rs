//! Messages of the server: the types that `clip` returns.

use crate::notation::BoardLine;
use std::fmt;

/// Own settings as sent at login (CLIP message 2).
#[derive(Clone, PartialEq, Debug, Default)]
#[expect(missing_docs, reason = "the names are those of FIBS's toggles")]
pub struct OwnInfo {
    pub name: String,
    pub autoboard: bool,
    pub autodouble: bool,
    pub automove: bool,
    pub away: bool,
    pub bell: bool,
    pub crawford: bool,
    pub double: bool,
    pub experience: u32,
    pub greedy: bool,
    pub moreboards: bool,
    pub moves: bool,
    pub rating: f64,
    pub ready: bool,
    pub silent: bool,
}

/// A logged-in user (CLIP message 5).
#[derive(Clone, PartialEq, Debug)]
pub struct Who {
    /// The name.
    pub name: String,
    /// Name of the user's opponent, if the user plays.
    pub opponent: Option<String>,
    /// True if the user is ready to play.
    pub ready: bool,
    /// True if the user is away.
    pub away: bool,
    /// Rating.
    pub rating: f64,
    /// Points played.
    pub experience: u32,
    /// The program at the other end.
    pub client: String,
}

/// A kind of match that a user wants to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchTerms {
    /// A match to this number of points.
    Points(u32),
    /// A match without end.
    Unlimited,
    /// Resumption of a saved match.
    Resume,
}

impl fmt::Display for MatchTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchTerms::Points(1) => f.write_str("1 point"),
            MatchTerms::Points(points) => write!(f, "{points} points"),
            MatchTerms::Unlimited => f.write_str("unlimited"),
            MatchTerms::Resume => f.write_str("resumed"),
        }
    }
}

/// Channel of a user's words to us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum SpeechKind {
    Tell,
    Shout,
    Whisper,
    Kibitz,
}

/// The player who acts in a line of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// The bot itself: the line has `You`.
    Me,
    /// The player with this name.
    Name(String),
}

impl By {
    /// Returns the column of the match file.
    #[must_use]
    pub fn player(&self) -> crate::notation::MatPlayer {
        match self {
            By::Me => crate::notation::MatPlayer::First,
            By::Name(_) => crate::notation::MatPlayer::Second,
        }
    }
}

/// A line of the server, named.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say what the lines say")]
pub enum Message {
    Welcome(String),
    Own(Box<OwnInfo>),
    MotdBegins,
    MotdEnds,
    Who(Box<Who>),
    WhoEnds,
    LogsIn(String),
    LogsOut(String),
    Said {
        name: String,
        how: SpeechKind,
        text: String,
    },
    LoginIncorrect,
    Board(Box<BoardLine>),
    /// `board:` stands in the line but it cannot be read.
    BadBoard(String),
    OpeningRoll {
        name: String,
        mine: u8,
        other: u8,
    },
    Rolls {
        by: By,
        dice: [u8; 2],
    },
    Moves {
        name: String,
        steps: String,
    },
    CannotMove {
        by: By,
    },
    PleaseMove,
    RollOrDouble,
    Doubles {
        name: String,
    },
    YouDouble,
    Takes {
        by: By,
    },
    /// A player passes a double; `name` is the opponent of that player.
    GivesUp {
        by: By,
        name: String,
        points: u32,
    },
    OffersResignation {
        name: String,
        points: u32,
    },
    YouResign,
    ResignationAccepted {
        by: By,
        points: u32,
    },
    ResignationRejected {
        by: By,
    },
    WinsGame {
        by: By,
        points: u32,
    },
    WinsMatch {
        by: By,
        length: u32,
        /// Points of the winner and of the loser.
        score: Option<[u32; 2]>,
    },
    /// The score after a game, by name.
    Score([(String, u32); 2]),
    JoinNext,
    WaitForJoin,
    NewGame(String),
    Started {
        name: String,
        wanted: MatchTerms,
    },
    MatchLength(Option<u32>),
    /// The score of a match that is resumed, a line for each player.
    PointsFor {
        name: String,
        points: u32,
    },
    Invites {
        name: String,
        wanted: MatchTerms,
    },
    SavedWarning,
    /// A match was broken off and saved: by the bot's `leave`, or as in the line.
    Saved {
        by: By,
    },
    NotPlaying,
    /// A row of `show saved`.
    SavedMatch {
        name: String,
        length: Option<u32>,
    },
    /// The answer to `show savedcount`.
    SavedCount {
        name: String,
        count: u32,
    },
    NoSavedMatches,
    /// The server has no list of saved matches.
    NoSavedList,
    /// The head of the table of saved matches.
    SavedHead,
    /// An answer is still open: ours to the opponent's offer, or the opponent's to ours.
    OfferOpen {
        name: String,
        mine: bool,
    },
    /// The server has no command that shows the board.
    NoBoard,
    /// A command of the game was refused.
    Refused(String),
    /// An invitation or its acceptance was refused.
    InvitationRefused(String),
    /// An invitation or acceptance was refused because a match is being played.
    AlreadyPlaying,
    /// There is no saved match with this player, or it can no longer be loaded.
    NoSavedMatch(String),
    /// The board style is set: the answer to a command that the bot sends as a fence.
    BoardStyle,
    ShuttingDown,
    /// Message of a known form that has no meaning for a bot.
    Noise,
    /// Message of no known form.
    Unknown,
}

/// A message that the server sends only to watchers of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// We watch a player from now on.
    Begins(String),
    /// We stop watching.
    Ends,
    /// Two players begin a match to this number of points, 0 for an unlimited one. Users who subscribe to such news
    /// get it for all players.
    Starts([String; 2], u32),
    /// Two players resume a saved match, to this number of points where the line gives it.
    Resumes([String; 2], Option<u32>),
    /// The opening roll of both players.
    OpeningRoll([(String, u8); 2]),
    /// A player has won a match: names of winner and loser.
    WinsMatch([String; 2]),
    /// Message that a player gets in another form.
    Line(Message),
}

impl Message {
    /// Returns the name of the opponent in a line of the game, if the line has one. A placeholder that the server did
    /// not replace is no name.
    #[must_use]
    pub fn opponent(&self) -> Option<&str> {
        let name = match self {
            Message::OpeningRoll { name, .. }
            | Message::Moves { name, .. }
            | Message::Doubles { name }
            | Message::GivesUp { name, .. }
            | Message::OffersResignation { name, .. }
            | Message::OfferOpen { name, .. }
            | Message::NewGame(name) => name,
            Message::Rolls { by, .. }
            | Message::CannotMove { by }
            | Message::Takes { by }
            | Message::ResignationAccepted { by, .. }
            | Message::ResignationRejected { by }
            | Message::WinsGame { by, .. }
            | Message::WinsMatch { by, .. }
            | Message::Saved { by } => match by {
                By::Me => return None,
                By::Name(name) => name,
            },
            _ => return None,
        };
        Some(name.as_str()).filter(|name| !is_placeholder(name))
    }
}

/// Returns whether this is no name but a placeholder that the server did not replace, as in
/// `** Theres no saved match with {0}`.
pub(super) fn is_placeholder(name: &str) -> bool {
    name.starts_with(['{', '%'])
}
