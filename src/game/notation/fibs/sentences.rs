//! The sentences of a match, each with what it means (FIBS-08): a table.

use super::message::{By, MatchTerms, Message, Watched, is_placeholder};
use std::sync::LazyLock;

/// A function that builds a message from the captured words of a pattern.
type MessageBuilder = fn(&Captured<'_>) -> Option<Message>;

pub(super) struct Captured<'a>(Vec<&'a str>);

impl Captured<'_> {
    fn name(&self, at: usize) -> Option<String> {
        self.0.get(at).map(|&word| word.to_owned())
    }

    fn by(&self, at: usize) -> Option<By> {
        self.name(at).map(By::Name)
    }

    fn number<T: std::str::FromStr>(&self, at: usize) -> Option<T> {
        self.0.get(at)?.parse().ok()
    }
}

/// Parses a sentence, in the form in which servers agree (FIBS-08).
pub(super) fn sentence(line: &str) -> Message {
    // Pictures of boards, tables, help texts and users' texts about themselves are indented.
    let indented = line.starts_with(' ');
    let text = plain(line);
    let bare = unquoted(&text);
    let line = bare.as_str();
    if let Some(row) = saved_row(line) {
        return row;
    }
    if let Some((name, steps)) = line.split_once(" moves ")
        && !name.contains(' ')
    {
        let (name, steps) = (name.to_owned(), steps.to_owned());
        return Message::Moves { name, steps };
    }
    for (pattern, make) in UNQUOTED_PATTERNS.iter() {
        if let Some(message) = fit(pattern, line).and_then(|words| make(&words)) {
            return message;
        }
    }
    let begins = |noise: &&str| text.starts_with(noise) || line.starts_with(&unquoted(noise));
    if indented || NOISE.iter().any(begins) || NOISE_INSIDE.iter().any(|noise| text.contains(noise))
    {
        return Message::Noise;
    }
    match text.starts_with("** ") {
        true => Message::Refused(text),
        false => Message::Unknown,
    }
}

/// [`PATTERNS`] without apostrophes.
static UNQUOTED_PATTERNS: LazyLock<Vec<(String, MessageBuilder)>> = LazyLock::new(|| {
    let unquote = |&(pattern, make): &(&str, MessageBuilder)| (unquoted(pattern), make);
    PATTERNS.iter().map(unquote).collect()
});

/// Returns the line without apostrophes (FIBS-08): Jibs 0.55 loses those of some sentences and doubles the others.
pub(super) fn unquoted(line: &str) -> String {
    line.replace('\'', "")
}

/// Parses the line with which Jibs 0.5.3 reports a win to the winner, `2 win the game and get %1 points`: the number
/// stands at the wrong place. The numbers of CLIP's talk are left out, because a user may be called `win`.
pub(super) fn garbled_win(line: &str) -> Option<Message> {
    let words = fit("{} win the game and get %1 point{*}", line)?;
    let points = words.number::<u32>(0)?;
    let talk = (9..=19).contains(&points);
    (points > 0 && !talk).then_some(Message::WinsGame { by: By::Me, points })
}

/// Returns a sentence to those who watch a game.
pub(super) fn watched(line: &str) -> Option<Watched> {
    let line = plain(line);
    WATCHED
        .iter()
        .find_map(|(pattern, make)| fit(pattern, &line).and_then(|words| make(&words)))
}

/// Returns the line with single blanks and apostrophes and without a final dot.
fn plain(line: &str) -> String {
    let mut text = line.split_whitespace().collect::<Vec<_>>().join(" ");
    while text.contains("''") {
        text = text.replace("''", "'");
    }
    text = text.replace(".The cube", ". The cube");
    text.trim_end_matches(['.', ' ', '!']).to_owned()
}

/// Returns the words at the `{}` (no blanks) and `{*}` (anything, last) of a pattern.
pub(super) fn fit<'a>(pattern: &str, line: &'a str) -> Option<Captured<'a>> {
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

/// Returns a row of `show saved`: marks, name, length, two scores.
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
const PATTERNS: &[(&str, MessageBuilder)] = &[
    ("You roll {} and {}", |w| Some(Message::Rolls { by: By::Me, dice: [w.number(0)?, w.number(1)?] })),
    ("{} rolls {} and {}", |w| Some(Message::Rolls { by: w.by(0)?, dice: [w.number(1)?, w.number(2)?] })),
    ("You rolled {}, {} rolled {}", |w| Some(Message::OpeningRoll { name: w.name(1)?, mine: w.number(0)?, other: w.number(2)? })),
    ("It's your turn to move", |_| Some(Message::PleaseMove)),
    ("Please move {} piece{*}", |_| Some(Message::PleaseMove)),
    ("It's your turn. Please roll or double", |_| Some(Message::RollOrDouble)),
    ("It's your turn to roll or double", |_| Some(Message::RollOrDouble)),
    ("You can't move", |_| Some(Message::CannotMove { by: By::Me })),
    ("{} can't move", |w| Some(Message::CannotMove { by: w.by(0)? })),
    ("You double. Please wait for {*}", |_| Some(Message::YouDouble)),
    ("{} doubles. Type 'accept{*}", |w| Some(Message::Doubles { name: w.name(0)? })),
    ("{} redoubles to {}. Type 'accept{*}", |w| Some(Message::Doubles { name: w.name(0)? })),
    ("You accept the double{*}", |_| Some(Message::Takes { by: By::Me })),
    ("{} accepts the double{*}", |w| Some(Message::Takes { by: w.by(0)? })),
    ("{} accepts the redouble{*}", |w| Some(Message::Takes { by: w.by(0)? })),
    ("You give up. {} wins {} point{*}", |w| Some(Message::GivesUp { by: By::Me, name: w.name(0)?, points: w.number(1)? })),
    ("{} gives up. You win {} point{*}", |w| Some(Message::GivesUp { by: w.by(0)?, name: w.name(0)?, points: w.number(1)? })),
    ("You want to resign. {} will win {*}", |_| Some(Message::YouResign)),
    ("{} wants to resign. You will win {} point{*}", |w| Some(Message::OffersResignation { name: w.name(0)?, points: w.number(1)? })),
    ("You accept and win {} point{*}", |w| Some(Message::ResignationAccepted { by: By::Me, points: w.number(0)? })),
    ("{} accepts and wins {} point{*}", |w| Some(Message::ResignationAccepted { by: w.by(0)?, points: w.number(1)? })),
    ("You reject. The game continues{*}", |_| Some(Message::ResignationRejected { by: By::Me })),
    ("{} rejects. The game continues{*}", |w| Some(Message::ResignationRejected { by: w.by(0)? })),
    ("You win the game and get {} point{*}", |w| Some(Message::WinsGame { by: By::Me, points: w.number(0)? })),
    ("{} wins the game and gets {} point{*}", |w| Some(Message::WinsGame { by: w.by(0)?, points: w.number(1)? })),
    ("You win the {} point match {}-{}", |w| wins_match(w, By::Me, 0)),
    ("{} wins the {} point match {}-{}", |w| wins_match(w, w.by(0)?, 1)),
    ("You win the {} point match {*}", |w| wins_match(w, By::Me, 0)),
    ("{} wins the {} point match {*}", |w| wins_match(w, w.by(0)?, 1)),
    ("score in {} point match: {}-{} {}-{}", |w| score(w, 1)),
    ("score in unlimited match: {}-{} {}-{}", |w| score(w, 0)),
    ("Type 'join' if you want to play the next game{*}", |_| Some(Message::JoinNext)),
    ("** Please wait for {} to join too", |_| Some(Message::WaitForJoin)),
    ("Starting a new game with {}", |w| Some(Message::NewGame(w.name(0)?))),
    ("** Player {} has joined you for a {} point match", |w| started(w, 0, MatchTerms::Points(w.number(1)?))),
    ("Player {} has joined you for a {} point match", |w| started(w, 0, MatchTerms::Points(w.number(1)?))),
    ("** Player {} has joined you for an unlimited match", |w| started(w, 0, MatchTerms::Unlimited)),
    ("Player {} has joined you for an unlimited match", |w| started(w, 0, MatchTerms::Unlimited)),
    ("{} has joined you. Your running match was loaded", |w| started(w, 0, MatchTerms::Resume)),
    ("** You are now playing a {} point match with {}", |w| started(w, 1, MatchTerms::Points(w.number(0)?))),
    ("** You are now playing an unlimited match with {}", |w| started(w, 0, MatchTerms::Unlimited)),
    ("You are now playing with {}. Your running match was loaded", |w| started(w, 0, MatchTerms::Resume)),
    ("match length: {}", |w| Some(Message::MatchLength(Some(w.number(0)?)))),
    ("unlimited match{*}", |_| Some(Message::MatchLength(None))),
    ("points for user {}: {}", |w| Some(Message::PointsFor { name: w.name(0)?, points: w.number(1)? })),
    ("{} wants to play a {} point match with you", |w| invites(w, MatchTerms::Points(w.number(1)?))),
    ("{} wants to play an unlimited match with you", |w| invites(w, MatchTerms::Unlimited)),
    ("{} wants to resume a saved match with you", |w| invites(w, MatchTerms::Resume)),
    ("WARNING: Don't accept if you want to continue the saved {*}", |_| Some(Message::SavedWarning)),
    ("{} has no saved games", |w| Some(Message::SavedCount { name: w.name(0)?, count: 0 })),
    ("{} has {} saved game{*}", |w| Some(Message::SavedCount { name: w.name(0)?, count: w.number(1)? })),
    ("opponent matchlength {*}", |_| Some(Message::SavedHead)),
    ("no saved games{*}", |_| Some(Message::NoSavedMatches)),
    ("** Not yet implemented: 'show saved'{*}", |_| Some(Message::NoSavedList)),
    ("** Unknown command: 'show'{*}", |_| Some(Message::NoSavedList)),
    ("Login incorrect", |_| Some(Message::LoginIncorrect)),
    ("** You terminated the game. The game was saved", |_| Some(Message::Saved { by: By::Me })),
    ("Your game with {} was saved", |w| saved(w, 0)),
    ("** Player {} has left the game. The game was saved", |w| saved(w, 0)),
    ("** Player {} terminated the game. The game was saved", |w| saved(w, 0)),
    ("{} logs out. The game was saved", |w| saved(w, 0)),
    ("{} drops connection. The game was saved", |w| saved(w, 0)),
    ("{} closes connection{*}", |w| saved(w, 0)),
    ("Connection with {} timed out. The game was saved", |w| saved(w, 0)),
    ("Network error with {}. The game was saved", |w| saved(w, 0)),
    ("Closed old connection with user {}. The game was saved", |w| saved(w, 0)),
    ("** Unknown command: 'board'{*}", |_| Some(Message::NoBoard)),
    ("** Not yet implemented: 'board'{*}", |_| Some(Message::NoBoard)),
    ("The command `board' is not yet implemented{*}", |_| Some(Message::NoBoard)),
    ("** You're not playing{*}", |_| Some(Message::NotPlaying)),
    ("** You're not watching or playing{*}", |_| Some(Message::NotPlaying)),
    ("You are not playing", |_| Some(Message::NotPlaying)),
    ("** Error: No one to leave", |_| Some(Message::NotPlaying)),
    ("** {} hasn't responded to your double{*}", |w| Some(Message::OfferOpen { name: w.name(0)?, mine: true })),
    ("** {} hasn't accepted or rejected your resign{*}", |w| Some(Message::OfferOpen { name: w.name(0)?, mine: true })),
    ("** {} wanted to resign. Type 'accept{*}", |w| Some(Message::OfferOpen { name: w.name(0)?, mine: false })),
    ("Value of 'boardstyle' set to {*}", |_| Some(Message::BoardStyle)),
    ("*** ATTENTION ! FIBS will {*}", |_| Some(Message::ShuttingDown)),
    ("** There is no one called {}", |w| refused(w, 0)),
    ("** There's no one called {}", |w| refused(w, 0)),
    ("** {} is refusing games", |w| refused(w, 0)),
    ("** {} didn't invite you", |w| refused(w, 0)),
    ("** You are already playing", |_| Some(Message::AlreadyPlaying)),
    ("** {} is already playing with someone else", |w| refused(w, 0)),
    ("** Error: {} is already playing with someone else", |w| refused(w, 0)),
    ("** Error: can't find player {}", |w| refused(w, 0)),
    ("** There's no saved match with {}. {*}", |w| Some(Message::NoSavedMatch(known_name(w, 0)?))),
    ("** You can't play two games at once", |_| Some(Message::AlreadyPlaying)),
    ("** ERROR: Saved match is corrupt{*}", |_| Some(Message::NoSavedMatch(String::new()))),
    ("** You're not experienced enough to play {*}", |_| Some(Message::InvitationRefused(String::new()))),
];

/// A function that builds a watcher's message from the captured words of a pattern.
type WatcherMessageBuilder = fn(&Captured<'_>) -> Option<Watched>;

#[rustfmt::skip]
const WATCHED: &[(&str, WatcherMessageBuilder)] = &[
    ("You're now watching {}", |w| Some(Watched::Begins(w.name(0)?))),
    ("You are now watching {}", |w| Some(Watched::Begins(w.name(0)?))),
    ("You stop watching {}", |_| Some(Watched::Ends)),
    ("{} and {} start a {} point match", |w| Some(Watched::Starts([w.name(0)?, w.name(1)?], w.number(2)?))),
    ("{} and {} start a new {}-point match", |w| Some(Watched::Starts([w.name(0)?, w.name(1)?], w.number(2)?))),
    ("{} and {} start an unlimited match", |w| Some(Watched::Starts([w.name(0)?, w.name(1)?], 0))),
    ("{} and {} are resuming their {}-point match", |w| Some(Watched::Resumes([w.name(0)?, w.name(1)?], w.number(2)))),
    ("{} and {} are resuming their {*}", |w| Some(Watched::Resumes([w.name(0)?, w.name(1)?], None))),
    ("{} rolled {}, {} rolled {}", opening_roll),
    ("{} rolls {}, {} rolls {}", opening_roll),
    ("{} doubles", |w| Some(Watched::Line(Message::Doubles { name: w.name(0)? }))),
    ("{} gives up. {} wins {} point{*}", |w| Some(Watched::Line(Message::GivesUp { by: w.by(0)?, name: w.name(1)?, points: w.number(2)? }))),
    // Jibs.
    ("{} win the game and get {} point{*}", |w| Some(Watched::Line(Message::WinsGame { by: w.by(0)?, points: w.number(1)? }))),
    ("{} wins a {} point match against {} {*}", |w| Some(Watched::WinsMatch([w.name(0)?, w.name(2)?]))),
];

fn opening_roll(words: &Captured<'_>) -> Option<Watched> {
    let of = |at: usize| Some((words.name(at)?, words.number(at + 1)?));
    Some(Watched::OpeningRoll([of(0)?, of(2)?]))
}

fn started(words: &Captured<'_>, name: usize, wanted: MatchTerms) -> Option<Message> {
    let name = words.name(name)?;
    Some(Message::Started { name, wanted })
}

fn wins_match(words: &Captured<'_>, by: By, length: usize) -> Option<Message> {
    let score = words.number(length + 1).zip(words.number(length + 2));
    Some(Message::WinsMatch {
        by,
        length: words.number(length)?,
        // The winner's points come first, but for those who watch.
        score: score.map(|(a, b): (u32, u32)| [a.max(b), a.min(b)]),
    })
}

fn score(words: &Captured<'_>, at: usize) -> Option<Message> {
    let of = |at: usize| Some((words.name(at)?, words.number(at + 1)?));
    Some(Message::Score([of(at)?, of(at + 2)?]))
}

fn invites(words: &Captured<'_>, wanted: MatchTerms) -> Option<Message> {
    let name = words.name(0)?;
    Some(Message::Invites { name, wanted })
}

fn saved(words: &Captured<'_>, name: usize) -> Option<Message> {
    let by = words.by(name)?;
    Some(Message::Saved { by })
}

/// Returns the name, or nothing in place of a placeholder: the pending request names the user.
fn known_name(words: &Captured<'_>, name: usize) -> Option<String> {
    let name = words.name(name)?;
    Some(if is_placeholder(&name) {
        String::new()
    } else {
        name
    })
}

fn refused(words: &Captured<'_>, name: usize) -> Option<Message> {
    words.name(name).map(Message::InvitationRefused)
}

/// Beginnings of lines that mean nothing to a bot.
#[rustfmt::skip]
const NOISE: &[&str] = &[
    "** You invited ", "** You're now ready", "** You're now refusing", "** Warning: You are already",
    "** You will", "** You won't", "** Will ", "** Won't ", "** You'll ", "** You agree", "** You don't agree",
    "** You allow", "** You don't allow", "** You insist", "** You would like", "** Forced moves", "** The board w",
    "** Your terminal", "** But nobody heard", "** Don't know how to toggle", "** Not yet implemented",
    "** Valid arguments", "** Unknown command", "** You're not away", "** You gag", "** You ungag", "** You blind",
    "** You unblind", "** You can't talk", "** Please type 'toggle silent'", "** Don't know user", "** Version",
    "** You're not watching.", "** 'say' can't be used",
    "Value of ", "The current settings", "Settings ", "The command `", "Welcome back", "You're away", "Your email",
    "Type 'join ", "Information about", "No information", "turn:",
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
    " logs in", " logs out", " drops connection", " waves goodbye", " won't listen to you",
    " is not doing anything", " saved game", " UTC", " doubles", " gives up", " wants to resign",
    " rolled ", " has left the game", " is not playing", " is playing with", " win the game and",
];
