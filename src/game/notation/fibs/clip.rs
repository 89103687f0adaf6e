//! Names each line of a FIBS server: the numbered messages of CLIP and the sentences of a match.
//!
//! Tolerates what servers differ in: final dots, doubled apostrophes and blanks, `point` for
//! `points`, lines glued together (FIBS-04 to FIBS-09). Chat is never taken for a
//! line of the server ([`super::free_text`], FIBS-33).

use super::free_text;
use super::message::{Message, OwnInfo, SpeechKind, Watched, Who};
use super::sentences::{fit, garbled_win, sentence, watched};
use crate::notation::BoardLine;

/// Colons of a board line.
const BOARD_COLONS: usize = 52;

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
        // Untrusted words come first: nothing in them is parsed.
        if free_text::carries(text) {
            found.push(Message::Noise);
        } else if text.starts_with(|c: char| c.is_ascii_digit()) {
            found.push(numbered(text));
        } else if text.starts_with("board:") {
            let (board, after) = board(text);
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

/// Parses a line that the server sends only to those who watch a game (MAT-29).
#[must_use]
pub fn watched_line(line: &str) -> Option<Watched> {
    let text = strip_prompts(line);
    let quiet = free_text::carries(text) || text.starts_with(|c: char| c.is_ascii_digit());
    if quiet { None } else { watched(text) }
}

/// Removes prompts: outside CLIP the next line follows the prompt without a line end (FIBS-05).
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

/// Returns the text that follows the end of a board whose beginning is missing (FIBS-06).
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

/// Parses a board, and returns the line that follows it without a line end (FIBS-06).
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

/// Beginnings and ends of sentences after which a line end can be missing (FIBS-07).
const GLUES: &[(&str, &str)] = &[
    ("You accept the double", ". The cube shows "),
    ("{} accepts the double", ". The cube shows "),
    ("{} accepts the double", ".The cube shows "),
    ("You win the game and get ", "Congratulations!"),
    ("{} wins the game and gets ", " Sorry."),
];

/// Splits off a line that follows a sentence without a line end (FIBS-07).
fn unglue(text: &str) -> (&str, Option<String>) {
    for (beginning, end) in GLUES {
        if fit(&format!("{beginning}{{*}}"), text).is_none() {
            continue;
        }
        let mut end = match text.find(end) {
            Some(at) => at + end.len(),
            None => match (text.find(".  The cube shows "), end.contains("cube")) {
                (Some(at), true) => at + ".  The cube shows ".len(),
                _ => continue,
            },
        };
        let after = text.get(end..).unwrap_or_default();
        if beginning.contains("double") {
            end += after.find('.').map_or(after.len(), |dot| dot + 1);
        }
        return match text.split_at_checked(end) {
            Some((first, rest)) if !rest.trim().is_empty() => (first, Some(rest.to_owned())),
            _ => (text, None),
        };
    }
    (text, None)
}

/// Parses a line that starts with a number (FIBS-04).
fn numbered(line: &str) -> Message {
    if let Some(win) = garbled_win(line) {
        return win;
    }
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
        "12" => said(SpeechKind::Tell),
        "13" => said(SpeechKind::Shout),
        "14" => said(SpeechKind::Whisper),
        "15" => said(SpeechKind::Kibitz),
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

/// Least number of colons that the fields of a board have when its name was torn.
const TORN_COLONS: usize = 40;
