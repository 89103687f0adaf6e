//! Names each line of a FIBS server: the numbered messages of CLIP and the sentences of a match.
//!
//! Tolerates what servers differ in: final dots, doubled apostrophes and blanks, `point` for
//! `points`, lines glued together (FIBS-04 to FIBS-09). What somebody says is never taken for a
//! line of the server.

use crate::notation::BoardLine;

/// Colons of a board line.
const BOARD_COLONS: usize = 52;

/// Own settings as told at login (CLIP message 2).
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

/// Somebody who is logged in (CLIP message 5).
#[derive(Clone, PartialEq, Debug)]
pub struct Who {
    /// The name.
    pub name: String,
    /// Whom the user plays.
    pub opponent: Option<String>,
    /// Wants to play.
    pub ready: bool,
    /// Is away.
    pub away: bool,
    /// Rating.
    pub rating: f64,
    /// Points played.
    pub experience: u32,
    /// The program at the other end.
    pub client: String,
}

/// A match that somebody wants to play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// To so many points.
    Points(u32),
    /// Without end.
    Unlimited,
    /// A saved one.
    Resume,
}

/// How somebody talks to us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Speech {
    Tell,
    Shout,
    Whisper,
    Kibitz,
}

/// A line of the server, named. `me` says that it is about us.
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
        how: Speech,
        text: String,
    },
    LoginIncorrect,
    Board(Box<BoardLine>),
    /// `board:` stands in the line but it cannot be read.
    BadBoard(String),
    OpeningRoll {
        mine: u8,
        other: u8,
    },
    Rolls {
        me: bool,
        dice: [u8; 2],
    },
    Moves(String),
    CannotMove {
        me: bool,
    },
    PleaseMove,
    RollOrDouble,
    Doubles,
    YouDouble,
    Takes {
        me: bool,
    },
    GivesUp {
        me: bool,
        points: u32,
    },
    OffersResignation(u32),
    YouResign,
    ResignationAccepted {
        me: bool,
        points: u32,
    },
    ResignationRejected,
    WinsGame {
        me: bool,
        points: u32,
    },
    WinsMatch {
        me: bool,
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
        wanted: Wanted,
    },
    MatchLength(Option<u32>),
    /// The score of a match that is resumed, a line for each player.
    PointsFor {
        name: String,
        points: u32,
    },
    Invites {
        name: String,
        wanted: Wanted,
    },
    SavedWarning,
    /// The match was broken off and saved; `by_us`: by our `leave`.
    Saved {
        by_us: bool,
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
    /// The head of the table of saved matches.
    SavedHead,
    /// An answer is still open: ours to the opponent's offer, or the opponent's to ours.
    OfferOpen {
        mine: bool,
    },
    /// A command of the game was refused.
    Refused(String),
    /// An invitation or its acceptance was refused.
    InvitationRefused(String),
    /// The board style is set: the answer to a command that the bot sends as a fence.
    BoardStyle,
    ShuttingDown,
    /// Known, and of no meaning for a bot.
    Noise,
    /// Not known at all.
    Unknown,
}

/// Names a line; several messages when lines were glued together.
#[must_use]
pub fn name_line(line: &str) -> Vec<Message> {
    let mut found = Vec::new();
    let mut rest = Some(line.to_owned());
    // Each round takes at least one byte away; the bound is for good measure.
    for _ in 0..8 {
        let Some(text) = rest.take() else { break };
        let text = torn_tail(strip_prompts(&text));
        if text.is_empty() {
            break;
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            found.push(numbered(text));
        } else if let Some(at) = text.find("board:") {
            if let Some(before) = text.get(..at).filter(|before| !before.trim().is_empty()) {
                found.push(sentence(before));
            }
            let (board, after) = board(text.get(at..).unwrap_or_default());
            found.push(board);
            rest = after;
        } else {
            let (first, after) = unglue(text);
            found.push(sentence(first));
            rest = after;
        }
    }
    found
}

/// FIBS-05: outside CLIP the next line is glued behind the prompt.
fn strip_prompts(text: &str) -> &str {
    let mut text = text.trim_end();
    loop {
        match text.strip_prefix("> ") {
            Some(rest) => text = rest,
            None if text == ">" => return "",
            None => return text,
        }
    }
}

/// FIBS-06: what is glued behind the end of a board whose beginning was torn off.
fn torn_tail(text: &str) -> &str {
    let word = text.split(' ').next().unwrap_or_default();
    let field = |c: char| c.is_ascii_digit() || c == ':' || c == '-';
    let colons = word.matches(':').count();
    // A name can stand before the fields.
    if word.contains("board:") || !(word.starts_with(field) || colons > TORN_COLONS) {
        return text;
    }
    let rest = match word.rfind(':') {
        // The last field has one digit: a number may be glued behind it.
        Some(colon) => {
            let last = text.get(colon + 1..).unwrap_or_default();
            let last = last.strip_prefix('-').unwrap_or(last);
            last.strip_prefix(|c: char| c.is_ascii_digit())
        }
        None => Some(word.trim_start_matches(field))
            .filter(|rest| !rest.is_empty())
            .and_then(|rest| text.get(word.len() - rest.len()..)),
    };
    rest.unwrap_or(text)
}

/// FIBS-06: a board, and the line that is glued behind it.
fn board(text: &str) -> (Message, Option<String>) {
    let last = text.match_indices(':').nth(BOARD_COLONS - 1);
    let (end, after) = match last {
        None => (text.len(), None),
        Some((colon, _)) => {
            let tail = text.get(colon + 1..).unwrap_or_default();
            let sign = usize::from(tail.starts_with('-'));
            let digits = tail.get(sign..).unwrap_or_default();
            if digits.trim_end().bytes().all(|byte| byte.is_ascii_digit()) {
                (text.len(), None)
            } else {
                let end = colon + 1 + sign + 1;
                (end, text.get(end..).map(str::to_owned))
            }
        }
    };
    let text = text.get(..end).unwrap_or(text).trim_end();
    match BoardLine::parse(text.as_bytes()) {
        Ok(line) => (Message::Board(Box::new(line)), after),
        Err(error) => (Message::BadBoard(error.to_string()), after),
    }
}

/// FIBS-07: sentences behind which a line end can be missing.
fn unglue(text: &str) -> (&str, Option<String>) {
    let end = text
        .find("The cube shows ")
        .and_then(|at| text.get(at..)?.find('.').map(|dot| at + dot + 1))
        .or_else(|| text.find("Congratulations!").map(|at| at + 16))
        .or_else(|| text.find("points. Sorry.").map(|at| at + 14))
        .or_else(|| text.find("point. Sorry.").map(|at| at + 13));
    match end.and_then(|end| text.split_at_checked(end)) {
        Some((first, rest)) if !rest.trim().is_empty() => (first, Some(rest.to_owned())),
        _ => (text, None),
    }
}

/// FIBS-04: a line that starts with a number.
fn numbered(line: &str) -> Message {
    let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
    let text = rest.trim_start();
    let (name, said) = text.split_once(' ').unwrap_or((text, ""));
    let said = |how| Message::Said {
        name: name.to_owned(),
        how,
        text: said.trim().to_owned(),
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    match number {
        "1" if !words.is_empty() => Message::Welcome(name.to_owned()),
        "2" => own(&words).map_or(Message::Unknown, |own| Message::Own(Box::new(own))),
        "3" if words.is_empty() => Message::MotdBegins,
        "4" if words.is_empty() => Message::MotdEnds,
        "5" => who(&words).map_or(Message::Unknown, |who| Message::Who(Box::new(who))),
        "6" => Message::WhoEnds,
        "7" => Message::LogsIn(name.to_owned()),
        "8" => Message::LogsOut(name.to_owned()),
        "12" => said(Speech::Tell),
        "13" => said(Speech::Shout),
        "14" => said(Speech::Whisper),
        "15" => said(Speech::Kibitz),
        "9" | "10" | "11" | "16" | "17" | "18" | "19" => Message::Noise,
        _ if number.parse::<u32>().is_ok_and(|number| number >= 20) => Message::Noise,
        _ => Message::Unknown,
    }
}

fn own(words: &[&str]) -> Option<OwnInfo> {
    let flag = |at: usize| words.get(at).map(|&word| word == "1");
    (words.len() >= 20).then_some(())?;
    Some(OwnInfo {
        name: (*words.first()?).to_owned(),
        autoboard: flag(2)?,
        autodouble: flag(3)?,
        automove: flag(4)?,
        away: flag(5)?,
        bell: flag(6)?,
        crawford: flag(7)?,
        double: flag(8)?,
        experience: words.get(9)?.parse().ok()?,
        greedy: flag(10)?,
        moreboards: flag(11)?,
        moves: flag(12)?,
        rating: words.get(14)?.parse().ok()?,
        ready: flag(16)?,
        silent: flag(19)?,
    })
}

fn who(words: &[&str]) -> Option<Who> {
    let &[
        name,
        opponent,
        _watching,
        ready,
        away,
        rating,
        experience,
        ..,
    ] = words
    else {
        return None;
    };
    Some(Who {
        name: name.to_owned(),
        opponent: (opponent != "-").then(|| opponent.to_owned()),
        ready: ready == "1",
        away: away == "1",
        rating: rating.parse().ok()?,
        experience: experience.parse().ok()?,
        client: words.get(10).copied().unwrap_or("-").to_owned(),
    })
}

/// Colons that the fields of a board have at least when its name was torn.
const TORN_COLONS: usize = 40;

/// What the captured words of a pattern make.
type Make = fn(&Captured<'_>) -> Option<Message>;

struct Captured<'a>(Vec<&'a str>);

impl Captured<'_> {
    fn name(&self, at: usize) -> Option<String> {
        self.0.get(at).map(|&word| word.to_owned())
    }

    fn number<T: std::str::FromStr>(&self, at: usize) -> Option<T> {
        self.0.get(at)?.parse().ok()
    }
}

/// FIBS-08: a sentence, in the form in which servers agree.
fn sentence(line: &str) -> Message {
    // Pictures of boards, tables and help texts are indented.
    let indented = line.starts_with(' ');
    let line = plain(line);
    let line = line.as_str();
    if let Some((name, steps)) = line.split_once(" moves ")
        && !name.contains(' ')
    {
        return Message::Moves(steps.to_owned());
    }
    if line.contains("game was saved") || line.starts_with("Your game with ") {
        let by_us = line.starts_with("** You terminated");
        return Message::Saved { by_us };
    }
    for (pattern, make) in PATTERNS {
        if let Some(message) = fit(pattern, line).and_then(|words| make(&words)) {
            return message;
        }
    }
    if let Some(row) = saved_row(line) {
        return row;
    }
    if indented
        || NOISE.iter().any(|noise| line.starts_with(noise))
        || NOISE_INSIDE.iter().any(|noise| line.contains(noise))
    {
        return Message::Noise;
    }
    match line.starts_with("** ") {
        true => Message::Refused(line.to_owned()),
        false => Message::Unknown,
    }
}

/// Single blanks and apostrophes, no final dot.
fn plain(line: &str) -> String {
    let mut text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    while text.contains("''") {
        text = text.replace("''", "'");
    }
    text = text.replace(".The cube", ". The cube");
    text.trim_end_matches(['.', ' ', '!']).to_owned()
}

/// The words at the `{}` (no blanks) and `{*}` (anything, last) of a pattern.
fn fit<'a>(pattern: &str, line: &'a str) -> Option<Captured<'a>> {
    let mut words = Vec::new();
    let mut parts = pattern.split("{}");
    let mut rest = line.strip_prefix(parts.next()?.trim_end_matches("{*}"))?;
    for part in parts {
        let (literal, open) = match part.strip_suffix("{*}") {
            Some(literal) => (literal, true),
            None => (part, false),
        };
        let end = match (literal.is_empty(), open) {
            (true, _) => rest.len(),
            (false, _) => rest.find(literal)?,
        };
        let (word, after) = rest.split_at_checked(end)?;
        if word.is_empty() || word.contains(' ') {
            return None;
        }
        words.push(word);
        rest = after.strip_prefix(literal)?;
    }
    (rest.is_empty() || pattern.ends_with("{*}")).then_some(Captured(words))
}

/// A row of `show saved`: marks, name, length, two scores.
fn saved_row(line: &str) -> Option<Message> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let words = match words.as_slice() {
        ["*" | "**", rest @ ..] => rest,
        all => all,
    };
    let &[name, length, mine, "-", other] = words else {
        return None;
    };
    mine.parse::<u32>().ok()?;
    other.parse::<u32>().ok()?;
    let length = match length {
        "unlimited" => None,
        number => Some(number.parse().ok()?),
    };
    let name = name.trim_start_matches('*').to_owned();
    Some(Message::SavedMatch { name, length })
}

#[rustfmt::skip]
const PATTERNS: &[(&str, Make)] = &[
    ("You roll {} and {}", |w| Some(Message::Rolls { me: true, dice: [w.number(0)?, w.number(1)?] })),
    ("{} rolls {} and {}", |w| Some(Message::Rolls { me: false, dice: [w.number(1)?, w.number(2)?] })),
    ("You rolled {}, {} rolled {}", |w| Some(Message::OpeningRoll { mine: w.number(0)?, other: w.number(2)? })),
    ("It's your turn to move", |_| Some(Message::PleaseMove)),
    ("Please move {} piece{*}", |_| Some(Message::PleaseMove)),
    ("It's your turn. Please roll or double", |_| Some(Message::RollOrDouble)),
    ("It's your turn to roll or double", |_| Some(Message::RollOrDouble)),
    ("You can't move", |_| Some(Message::CannotMove { me: true })),
    ("{} can't move", |_| Some(Message::CannotMove { me: false })),
    ("You double. Please wait for {*}", |_| Some(Message::YouDouble)),
    ("{} doubles. Type 'accept{*}", |_| Some(Message::Doubles)),
    ("{} redoubles to {}. Type 'accept{*}", |_| Some(Message::Doubles)),
    ("You accept the double{*}", |_| Some(Message::Takes { me: true })),
    ("{} accepts the double{*}", |_| Some(Message::Takes { me: false })),
    ("{} accepts the redouble{*}", |_| Some(Message::Takes { me: false })),
    ("You give up. {} wins {} point{*}", |w| Some(Message::GivesUp { me: true, points: w.number(1)? })),
    ("{} gives up. You win {} point{*}", |w| Some(Message::GivesUp { me: false, points: w.number(1)? })),
    ("You want to resign. {} will win {*}", |_| Some(Message::YouResign)),
    ("{} wants to resign. You will win {} point{*}", |w| Some(Message::OffersResignation(w.number(1)?))),
    ("You accept and win {} point{*}", |w| Some(Message::ResignationAccepted { me: true, points: w.number(0)? })),
    ("{} accepts and wins {} point{*}", |w| Some(Message::ResignationAccepted { me: false, points: w.number(1)? })),
    ("You reject. The game continues{*}", |_| Some(Message::ResignationRejected)),
    ("{} rejects. The game continues{*}", |_| Some(Message::ResignationRejected)),
    ("You win the game and get {} point{*}", |w| Some(Message::WinsGame { me: true, points: w.number(0)? })),
    ("{} wins the game and gets {} point{*}", |w| Some(Message::WinsGame { me: false, points: w.number(1)? })),
    ("You win the {} point match {}-{}", |w| wins_match(w, true, 0)),
    ("{} wins the {} point match {}-{}", |w| wins_match(w, false, 1)),
    ("You win the {} point match {*}", |w| wins_match(w, true, 0)),
    ("{} wins the {} point match {*}", |w| wins_match(w, false, 1)),
    ("score in {} point match: {}-{} {}-{}", |w| score(w, 1)),
    ("score in unlimited match: {}-{} {}-{}", |w| score(w, 0)),
    ("Type 'join' if you want to play the next game{*}", |_| Some(Message::JoinNext)),
    ("** Please wait for {} to join too", |_| Some(Message::WaitForJoin)),
    ("Starting a new game with {}", |w| Some(Message::NewGame(w.name(0)?))),
    ("** Player {} has joined you for a {} point match", |w| started(w, 0, Wanted::Points(w.number(1)?))),
    ("Player {} has joined you for a {} point match", |w| started(w, 0, Wanted::Points(w.number(1)?))),
    ("** Player {} has joined you for an unlimited match", |w| started(w, 0, Wanted::Unlimited)),
    ("Player {} has joined you for an unlimited match", |w| started(w, 0, Wanted::Unlimited)),
    ("{} has joined you. Your running match was loaded", |w| started(w, 0, Wanted::Resume)),
    ("** You are now playing a {} point match with {}", |w| started(w, 1, Wanted::Points(w.number(0)?))),
    ("** You are now playing an unlimited match with {}", |w| started(w, 0, Wanted::Unlimited)),
    ("You are now playing with {}. Your running match was loaded", |w| started(w, 0, Wanted::Resume)),
    ("match length: {}", |w| Some(Message::MatchLength(Some(w.number(0)?)))),
    ("unlimited match{*}", |_| Some(Message::MatchLength(None))),
    ("points for user {}: {}", |w| Some(Message::PointsFor { name: w.name(0)?, points: w.number(1)? })),
    ("{} wants to play a {} point match with you", |w| invites(w, Wanted::Points(w.number(1)?))),
    ("{} wants to play an unlimited match with you", |w| invites(w, Wanted::Unlimited)),
    ("{} wants to resume a saved match with you", |w| invites(w, Wanted::Resume)),
    ("WARNING: Don't accept if you want to continue the saved {*}", |_| Some(Message::SavedWarning)),
    ("{} has no saved games", |w| Some(Message::SavedCount { name: w.name(0)?, count: 0 })),
    ("{} has {} saved game{*}", |w| Some(Message::SavedCount { name: w.name(0)?, count: w.number(1)? })),
    ("opponent matchlength {*}", |_| Some(Message::SavedHead)),
    ("no saved games{*}", |_| Some(Message::NoSavedMatches)),
    ("Login incorrect", |_| Some(Message::LoginIncorrect)),
    ("** You're not playing{*}", |_| Some(Message::NotPlaying)),
    ("You are not playing", |_| Some(Message::NotPlaying)),
    ("** Error: No one to leave", |_| Some(Message::NotPlaying)),
    ("** {} hasn't responded to your double{*}", |_| Some(Message::OfferOpen { mine: true })),
    ("** {} hasn't accepted or rejected your resign{*}", |_| Some(Message::OfferOpen { mine: true })),
    ("** {} wanted to resign. Type 'accept{*}", |_| Some(Message::OfferOpen { mine: false })),
    ("Value of 'boardstyle' set to {*}", |_| Some(Message::BoardStyle)),
    ("*** ATTENTION {*}", |_| Some(Message::ShuttingDown)),
    ("** There is no one called {}", |w| refused(w, 0)),
    ("** There's no one called {}", |w| refused(w, 0)),
    ("** {} is refusing games", |w| refused(w, 0)),
    ("** {} didn't invite you", |w| refused(w, 0)),
    ("** {} is already playing with someone else", |w| refused(w, 0)),
    ("** Error: {} is already playing with someone else", |w| refused(w, 0)),
    ("** Error: can't find player {}", |w| refused(w, 0)),
    ("** There's no saved match with {}. {*}", |w| refused(w, 0)),
    ("** You can't play two games at once", |_| Some(Message::InvitationRefused(String::new()))),
    ("** ERROR: Saved match is corrupt{*}", |_| Some(Message::InvitationRefused(String::new()))),
    ("** You're not experienced enough to play {*}", |_| Some(Message::InvitationRefused(String::new()))),
];

fn started(words: &Captured<'_>, name: usize, wanted: Wanted) -> Option<Message> {
    let name = words.name(name)?;
    Some(Message::Started { name, wanted })
}

fn wins_match(words: &Captured<'_>, me: bool, length: usize) -> Option<Message> {
    let score = words.number(length + 1).zip(words.number(length + 2));
    Some(Message::WinsMatch {
        me,
        length: words.number(length)?,
        // The winner's points come first, but for those who watch.
        score: score.map(|(a, b): (u32, u32)| [a.max(b), a.min(b)]),
    })
}

fn score(words: &Captured<'_>, at: usize) -> Option<Message> {
    let of = |at: usize| Some((words.name(at)?, words.number(at + 1)?));
    Some(Message::Score([of(at)?, of(at + 2)?]))
}

fn invites(words: &Captured<'_>, wanted: Wanted) -> Option<Message> {
    let name = words.name(0)?;
    Some(Message::Invites { name, wanted })
}

fn refused(words: &Captured<'_>, name: usize) -> Option<Message> {
    words.name(name).map(Message::InvitationRefused)
}

/// Beginnings of lines that mean nothing to a bot.
#[rustfmt::skip]
const NOISE: &[&str] = &[
    "** You tell ", "** You invited ", "** You're now ready", "** You're now refusing", "** Warning: You are already",
    "** You will", "** You won't", "** Will ", "** Won't ", "** You'll ", "** You agree", "** You don't agree",
    "** You allow", "** You don't allow", "** You insist", "** You would like", "** Forced moves", "** The board w",
    "** Your terminal", "** But nobody heard", "** Don't know how to toggle", "** Not yet implemented",
    "** Valid arguments", "** Unknown command", "** You're not away", "** You gag", "** You ungag", "** You blind",
    "** You unblind", "** You can't talk", "** Please type 'toggle silent'", "** Don't know user", "** Version",
    "** You're not watching", "** 'say' can't be used",
    "Value of ", "The current settings", "Settings ", "The command `", "Welcome back", "You're away", "Your email",
    "You say to yourself", "Type 'join ", "Information about", "No information", "turn:",
    "score in ", "Score is", "The only possible move", "Bearing off:", "rating calculation", "rating difference",
    "match length N", "match length ", "Experience:", "Probability", "P=", "K=", "change for",
    "Done", "Closed old connection", "Watching players", "List of games", "The number on the doubling cube",
    "boardstyle:", "linelength:", "pagelength:", "redoubles:", "sortwho:", "timezone:", "You're now watching",
    "You stop watching", "You wave goodbye", "Goodbye", "rank name", "Please wait for ", "You terminated the game",
    "Last log", "No email", "Rating: ", "You are now watching", "logged in right now", "Thanks for",
    "allowpip ", "autoboard ", "autodouble ", "automove ", "bell ", "crawford ", "double ", "greedy ", "moreboards ",
    "moves ", "notify ", "ratings ", "ready ", "report ", "silent ", "telnet ", "wrap ",
];

/// Parts of such lines.
#[rustfmt::skip]
const NOISE_INSIDE: &[&str] = &[
    " makes the first move", " user heard you", " users heard you", " is watching you", " stops watching you",
    " starts watching ", " start a ", " start an unlimited", " are resuming their ", " point match against ",
    " logs in", " logs out", " drops connection", " is away: ", " waves goodbye", " won't listen to you",
    " is not doing anything", " saved game", " UTC", " doubles", " gives up", " wants to resign",
    " rolled ", " has left the game", " is not playing", " is playing with", " win the game and",
];
