//! The answer of FIBS to `oldmoves`, as saved by clients: one action a line, both players in X's numbers.

use super::record::MatchFile;
use super::record::{LENGTH_MAX, MatPlayer};
use super::recorder::{FieldError, Recorder};
use crate::Roll;
use crate::notation::error::quoted;
use crate::notation::error::{Code, NotationError, Reason};

/// Returns true if a text begins like such a list.
pub(super) fn is_oldmoves(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(b"Score is ")
}

/// Reads a whole file.
pub(super) fn read(text: &str, recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut at = 0;
    let mut lines = (1..).zip(text.split('\n')).peekable();
    while let Some((number, line)) = lines.next() {
        // The players of the game are named behind its score.
        let players = lines.peek().and_then(|(_, next)| names(next.trim()));
        if let Err((wrong, fatal)) = read_line((number, at), line.trim(), players, recorder) {
            if fatal {
                let (field, reason) = wrong;
                return Err(NotationError::new(Code::BadMatchFile, field, reason, at));
            }
            recorder.give_up(number, at, wrong);
        }
        at += line.len() + 1;
    }
    Ok(())
}

/// Parses `NAME is X - NAME is O`
fn names(line: &str) -> Option<[String; 2]> {
    let (x, o) = line.split_once(" is X - ")?;
    let o = o.strip_suffix(" is O")?;
    Some([x.trim().to_owned(), o.trim().to_owned()])
}

/// An error, and true if the rest of the file is unreadable.
type ReadFailure = (FieldError, bool);

fn bad(field: &'static str, found: &str, want: &'static str) -> FieldError {
    let found = quoted(found.as_bytes());
    (field, Reason::Value { found, want })
}

fn read_line(
    (number, at): (usize, usize),
    line: &str,
    players: Option<[String; 2]>,
    recorder: &mut Recorder,
) -> Result<(), ReadFailure> {
    if line.is_empty() {
        return Ok(());
    }
    if let Some(rest) = line.strip_prefix("Score is ") {
        return score((number, at), (rest, line), players, recorder);
    }
    if let Some(names) = names(line) {
        recorder.file.names = names;
        return Ok(());
    }
    if recorder.has_given_up() {
        return Ok(());
    }
    let row = || (bad("row", line, "a row such as 'X: (3 1) 8-5 6-5'"), false);
    let (player, action) = match line.split_once(':') {
        Some(("X", action)) => (MatPlayer::First, action.trim()),
        Some(("O", action)) => (MatPlayer::Second, action.trim()),
        _ => return Err(row()),
    };
    let word = action.trim_end_matches('.');
    let done = match word {
        "doubles" => recorder.double(number, player),
        "accepts" => recorder.take(number, player),
        "rejects" => recorder.drop(number, player),
        "wins" => {
            recorder.won_without_points(player);
            Ok(())
        }
        _ => {
            let (roll, steps) = dice(action).ok_or_else(row)?;
            let text = match steps.starts_with("can't") || steps.starts_with("cannot") {
                true => String::new(),
                false => steps_text(player, steps).ok_or_else(row)?,
            };
            match recorder.play_text(number, player, roll, &text) {
                Ok(Some(wrong)) => {
                    recorder.note(number, at, wrong);
                    Ok(())
                }
                Ok(None) => Ok(()),
                Err(wrong) => Err(wrong),
            }
        }
    };
    done.map_err(|wrong| (wrong, false))
}

/// Parses `0-0 in a 3 point match.`
fn score(
    (number, at): (usize, usize),
    (rest, line): (&str, &str),
    players: Option<[String; 2]>,
    recorder: &mut Recorder,
) -> Result<(), ReadFailure> {
    let mut first = recorder.file.games.is_empty();
    let wrong = || {
        let want = "a line such as 'Score is 0-0 in a 3 point match.'";
        (bad("score", line, want), first)
    };
    let (points, kind) = rest.split_once(" in a").ok_or_else(wrong)?;
    let (x, o) = points.split_once('-').ok_or_else(wrong)?;
    let points = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let scores = [points(x)?, points(o)?];
    let kind = kind.trim_start_matches('n').trim();
    let length = match kind.starts_with("unlimited") {
        true => 0,
        false => points(kind.split_whitespace().next().unwrap_or_default())?,
    };
    if length > LENGTH_MAX {
        return Err(wrong());
    }
    // A match begins at nothing, and no player loses points.
    let before = recorder.file.games.last().map(|game| game.scores);
    let less = before.is_some_and(|before| before.iter().zip(&scores).any(|(b, s)| s < b));
    let others = players.is_some_and(|players| players != recorder.file.names);
    if !first && (length != recorder.file.length || less || scores == [0, 0] || others) {
        let next = recorder.next_match(number, at);
        next.map_err(|wrong| (wrong, false))?;
        first = true;
    }
    if first {
        recorder.file.length = length;
        if length == 0 {
            recorder
                .file
                .comments
                .extend(MatchFile::WITHOUT_JACOBY.map(str::to_owned));
        }
    }
    let begun = recorder.begin();
    recorder.scores(scores);
    begun.map_err(|wrong| (wrong, false))
}

/// Parses `(3 1) 8-5 6-5`
fn dice(action: &str) -> Option<(Roll, &str)> {
    let (dice, steps) = action.strip_prefix('(')?.split_once(')')?;
    let mut dice = dice.split_whitespace().map(str::parse::<u8>);
    let roll = Roll::new(dice.next()?.ok()?, dice.next()?.ok()?).ok()?;
    Some((roll, steps.trim()))
}

/// Returns the steps in the numbers of the one who plays. O's are written as X counts, upwards, with 0 for the bar and
/// 25 for off.
fn steps_text(player: MatPlayer, steps: &str) -> Option<String> {
    let point = |word: &str| -> Option<String> {
        match (word.to_ascii_lowercase().as_str(), player) {
            ("bar", _) => Some("bar".to_owned()),
            ("off" | "home", _) => Some("off".to_owned()),
            (number, _) if number.parse::<u8>().ok()? > 25 => None,
            (number, MatPlayer::First) => Some(number.to_owned()),
            (number, MatPlayer::Second) => Some((25 - number.parse::<u8>().ok()?).to_string()),
        }
    };
    let step = |step: &str| {
        let (from, to) = step.split_once('-')?;
        Some(format!("{}/{}", point(from)?, point(to)?))
    };
    let steps: Option<Vec<String>> = steps
        .trim_end_matches('.')
        .split_whitespace()
        .map(step)
        .collect();
    Some(steps?.join(" "))
}
