//! The keywords, one table: any beginning of a keyword stands for the first one that begins so.

use super::words::Words;

/// A line a place: its name, a colon, and the keywords there in the order in which they are tried, those behind which
/// others follow with `=` and the name of that place. Lines that begin with blanks continue the line above.
const TABLE: &str = include_str!("grammar.txt");

/// The place where every command begins.
pub(super) const COMMANDS: &str = "commands";
/// The keywords after `set player N`.
pub(super) const PLAYER: &str = "player";
/// The keywords after `set rollout player N`.
pub(super) const ROLLOUT_PLAYER: &str = "rollout_player";
/// The keywords after `set analysis player N`.
pub(super) const ANALYSIS_PLAYER: &str = "analysis_player";

/// The one-letter names of other commands.
const ALIASES: [(&str, &str); 4] = [
    ("n", "next"),
    ("p", "previous"),
    ("r", "roll"),
    ("?", "help"),
];

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

/// Returns the keywords of a place, each with the place after it.
fn keywords(place: &str) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let mut inside = false;
    let lines = TABLE.lines().filter_map(move |line| {
        if line.starts_with(' ') {
            return inside.then_some(line);
        }
        let (name, words) = line.split_once(':')?;
        inside = name == place;
        inside.then_some(words)
    });
    lines
        .flat_map(str::split_ascii_whitespace)
        .map(|word| match word.split_once('=') {
            Some((word, next)) => (word, Some(next)),
            None => (word, None),
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
        let begins = |one: &(&str, Option<&str>)| {
            let start = one.0.get(..word.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(word))
        };
        let found = keywords(next.unwrap_or(place)).find(begins);
        let (name, behind) = found
            .filter(|_| !word.is_empty())
            .ok_or(UnknownCommand::Unknown(word))?;
        let alias = ALIASES.iter().find(|alias| alias.0 == name);
        path.push(alias.map_or(name, |alias| alias.1));
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
        let lower = word.to_ascii_lowercase();
        place = keywords(place).find(|one| one.0.starts_with(&lower))?.1?;
    }
    Some(place)
}

/// Returns the keywords of a place without the one-letter aliases.
pub(super) fn names(place: &str) -> impl Iterator<Item = &'static str> {
    keywords(place)
        .map(|word| word.0)
        .filter(|name| name.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(line: &str) -> String {
        match read(COMMANDS, &mut Words::new(line)) {
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

    /// Every place that is named has its line, and no command is deeper than the limit.
    #[test]
    fn the_table_is_whole() {
        fn depth(place: &str) -> usize {
            let inner = keywords(place).map(|(_, next)| 1 + next.map_or(0, depth));
            inner.max().unwrap_or_else(|| panic!("{place} has no line"))
        }
        assert!(depth(COMMANDS) <= DEPTH_MAX, "{}", depth(COMMANDS));
        for place in [PLAYER, ROLLOUT_PLAYER, ANALYSIS_PLAYER] {
            assert!(depth(place) > 0);
        }
    }
}
