//! The keywords of all commands: any beginning of a keyword stands for the first one that begins so.

use super::commands::{COMMANDS, Command};
use super::words::Words;

/// The place where every command begins.
pub(super) const FIRST: &str = "commands";
/// The keywords after `set player N`.
pub(super) const PLAYER: &str = "player";
/// The keywords after `set rollout player N`.
pub(super) const ROLLOUT_PLAYER: &str = "rollout_player";
/// The keywords after `set analysis player N`.
pub(super) const ANALYSIS_PLAYER: &str = "analysis_player";

/// Most keywords of one command.
pub(super) const DEPTH_MAX: usize = 9;

/// Keywords that name no command.
#[derive(Debug, PartialEq)]
pub(super) enum UnknownCommand<'a> {
    /// This word is no keyword.
    Unknown(&'a str),
    /// More would have to follow.
    Incomplete,
}

/// Returns the lines of all commands: the names of places, and their keywords.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let texts = COMMANDS.iter().flat_map(|command| command.grammar);
    texts
        .flat_map(|text| text.lines())
        .filter_map(|line| line.trim_start().split_once(':'))
}

/// A keyword, and the place after it if others follow.
type Keyword = (&'static str, Option<&'static str>);

/// Returns the keywords of a place.
fn keywords(place: &str) -> Vec<Keyword> {
    if place == FIRST {
        let behind = |command: &Command| Some(command.grammar.first()?.split_once(':')?.0);
        return COMMANDS
            .iter()
            .map(|command| (command.name, behind(command)))
            .collect();
    }
    let words = lines()
        .find(|line| line.0 == place)
        .map_or("", |line| line.1);
    let words = words.split_ascii_whitespace();
    words
        .map(|word| match word.split_once('=') {
            Some((word, next)) => (word, Some(next)),
            None => (word, None),
        })
        .collect()
}

/// Returns the keyword that a word stands for: the first one that begins so, or the command with this alias.
fn keyword(place: &str, word: &str) -> Option<Keyword> {
    let mut commands = COMMANDS.iter().filter(|_| place == FIRST);
    let alias = commands.find(|command| command.alias.eq_ignore_ascii_case(word));
    let word = match alias {
        _ if word.is_empty() => return None,
        Some(command) => command.name,
        None => word,
    };
    let mut all = keywords(place).into_iter();
    all.find(|one| {
        let start = one.0.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    })
}

/// Reads the keywords of a command and returns them in full. Its arguments stay.
pub(super) fn read<'a>(
    place: &str,
    words: &mut Words<'a>,
) -> Result<Vec<&'static str>, UnknownCommand<'a>> {
    let mut path = Vec::with_capacity(DEPTH_MAX);
    let mut next = None;
    loop {
        let word = words.next().ok_or(UnknownCommand::Incomplete)?;
        let (name, behind) =
            keyword(next.unwrap_or(place), word).ok_or(UnknownCommand::Unknown(word))?;
        path.push(name);
        match behind {
            Some(behind) => next = Some(behind),
            None => return Ok(path),
        }
    }
}

/// Returns the place after these keywords if a command needs more of them.
pub(super) fn path(place: &'static str, line: &str) -> Option<&'static str> {
    let mut place = place;
    for word in line.split_ascii_whitespace() {
        place = keyword(place, word)?.1?;
    }
    Some(place)
}

/// Returns the keywords of a place.
pub(super) fn names(place: &str) -> Vec<&'static str> {
    keywords(place).into_iter().map(|word| word.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn path(line: &str) -> String {
        match read(FIRST, &mut Words::new(line)) {
            Ok(path) => path.join(" "),
            Err(UnknownCommand::Unknown(word)) => format!("unknown {word}"),
            Err(UnknownCommand::Incomplete) => "incomplete".to_owned(),
        }
    }

    /// CON-04: the shortest prefixes that the original accepts.
    #[test]
    fn abbreviated_keyword_means_the_first_match() {
        let cases = [
            ("a", "accept"),
            ("ag", "agree"),
            ("an m", "analyse match"),
            ("b", "beaver"),
            ("c", "calibrate"),
            ("cl h", "clear hint"),
            ("d", "decline"),
            ("di", "dicerolls"),
            ("do", "double"),
            ("dr", "drop"),
            ("e", "incomplete"),
            ("ev", "eval"),
            ("ex", "exit"),
            ("h", "help"),
            ("hi", "hint"),
            ("n m 7", "next"),
            ("ne m 7", "new match"),
            ("p", "previous"),
            ("pa", "pass"),
            ("pl", "play"),
            ("q", "quit"),
            ("r", "roll"),
            ("re", "redouble"),
            ("ro", "roll"),
            ("rollo", "rollout"),
            ("t", "take"),
            ("SET OUT MW", "set output mwc"),
            (
                "set ev ch ev pl 2",
                "set evaluation chequerplay evaluation plies",
            ),
            (
                "set evaluation cube eval plies 1",
                "set evaluation cubedecision evaluation plies",
            ),
            (
                "set an ch ev pl",
                "set analysis chequerplay evaluation plies",
            ),
            ("set au ro off", "set automatic roll"),
            ("set pl 0 hu", "set player"),
            ("\"show\" score", "show score"),
            ("foo", "unknown foo"),
            ("set evaluation plies 1", "unknown plies"),
            ("export match sgf x", "unknown sgf"),
            ("set", "incomplete"),
        ];
        for (line, expected) in cases {
            assert_eq!(path(line), expected, "{line}");
        }
    }

    /// Every place that is named has its line, every line is reached, and no command is deeper than the limit.
    #[test]
    fn the_table_is_whole() {
        fn depth(place: &'static str, reached: &mut BTreeSet<&'static str>) -> usize {
            reached.insert(place);
            let inner = keywords(place).into_iter();
            let inner = inner.map(|(_, next)| 1 + next.map_or(0, |next| depth(next, reached)));
            inner.max().unwrap_or_else(|| panic!("{place} has no line"))
        }
        let mut reached = BTreeSet::new();
        let deepest = depth(FIRST, &mut reached);
        assert!(deepest <= DEPTH_MAX, "{deepest}");
        for place in [PLAYER, ROLLOUT_PLAYER, ANALYSIS_PLAYER] {
            depth(place, &mut reached);
        }
        reached.remove(FIRST);
        assert_eq!(lines().map(|line| line.0).collect::<BTreeSet<_>>(), reached);
    }
}
