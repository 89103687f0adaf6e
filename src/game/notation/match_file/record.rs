//! The contents of a match file.

use super::file_analysis::FileAnalysis;
use crate::notation::error::NotationError;
use crate::{Act, Cube, CubeOwner, MatchScore, MatchStateError, Play, Position, Roll, Variant};
use std::collections::BTreeMap;
use std::fmt;

/// Longest match.
pub(super) const LENGTH_MAX: u32 = 32767;

/// Destination of a step that bears off.
pub(super) const BORNE_OFF: u8 = 25;
const _: () = assert!(BORNE_OFF as usize == crate::OFF);

/// The player of an action or result: `First` stands in the left-hand column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatPlayer {
    /// The player on the left.
    First,
    /// The player on the right.
    Second,
}

impl MatPlayer {
    /// Returns the other one.
    #[must_use]
    pub const fn other(self) -> MatPlayer {
        match self {
            MatPlayer::First => MatPlayer::Second,
            MatPlayer::Second => MatPlayer::First,
        }
    }

    /// Returns the player of a side, 0 or 1.
    #[must_use]
    pub const fn at(side: usize) -> MatPlayer {
        match side {
            0 => MatPlayer::First,
            _ => MatPlayer::Second,
        }
    }

    /// Returns the place in a pair: 0 or 1.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            MatPlayer::First => 0,
            MatPlayer::Second => 1,
        }
    }

    /// Returns this player's part of a pair.
    #[must_use]
    pub fn of<T: Copy>(self, [first, second]: [T; 2]) -> T {
        match self {
            MatPlayer::First => first,
            MatPlayer::Second => second,
        }
    }
}

/// An action of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatAction {
    /// Rolls and plays; the play may be a pass.
    Play {
        /// The roll.
        roll: Roll,
        /// The play, by the player's own index.
        play: Play,
    },
    /// Rolls; the play is unknown, and the board stays as it is.
    Rolled(Roll),
    /// Doubles, to this value.
    Double(u32),
    /// Takes and doubles at once, to this value, keeping the cube; a raccoon is such an answer to a beaver.
    Beaver(u32),
    /// Takes.
    Take,
    /// Passes the double.
    Drop,
    /// The board or the cube was set up, and this player is on roll.
    SetUp(SetUp),
}

impl MatAction {
    /// Returns the act of a game that it is; of a roll that is played the roll alone, and none for a board that was set up.
    #[must_use]
    pub const fn act(self) -> Option<Act> {
        Some(match self {
            MatAction::Play { roll, .. } | MatAction::Rolled(roll) => Act::Roll(roll),
            MatAction::Double(_) => Act::Double,
            MatAction::Beaver(_) => Act::Beaver,
            MatAction::Take => Act::Take,
            MatAction::Drop => Act::Pass,
            MatAction::SetUp(_) => return None,
        })
    }
}

/// A board and a cube set up in the middle of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetUp {
    /// The board, seen by the player on roll.
    pub position: Position,
    /// The value of the cube.
    pub value: u32,
    /// Owner of the cube; `None` when it is centred.
    pub owner: Option<MatPlayer>,
}

impl SetUp {
    /// Returns the cube as this player sees it.
    ///
    /// # Errors
    /// [`MatchStateError::CubeValue`] for a value that no cube has.
    pub fn cube(&self, player: MatPlayer) -> Result<Cube, MatchStateError> {
        let owner = match self.owner {
            None => CubeOwner::Centred,
            Some(owner) if owner == player => CubeOwner::Me,
            Some(_) => CubeOwner::Opponent,
        };
        Cube::new(self.value, owner)
    }
}

/// A game from the first roll on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatGame {
    /// Points of the first and the second player before the game.
    pub scores: [u32; 2],
    /// Actions of the game, in order.
    pub actions: Vec<(MatPlayer, MatAction)>,
    /// Winner and points won; `None` for a game that was not finished. When neither the board nor a pass ended the
    /// game, the other player resigned.
    pub result: Option<(MatPlayer, u32)>,
    /// Crawford flag of the game, if the file has one; otherwise the scores decide.
    pub crawford: Option<bool>,
    /// True if Jacoby's rule holds in the game, false if not; `None` where the headers of the file say so.
    pub jacoby: Option<bool>,
    /// True if the players settled the game for these points, without a resignation.
    pub settled: bool,
}

impl MatGame {
    /// Returns the points of both players after the game.
    #[must_use]
    pub fn scores_after(&self) -> [u32; 2] {
        let mut scores = self.scores;
        if let Some((winner, points)) = self.result
            && let Some(score) = scores.get_mut(winner.index())
        {
            *score = score.saturating_add(points);
        }
        scores
    }

    /// Returns the value of the cube with which the game begins at `start` after automatic doubles.
    pub(super) fn automatic_cube(&self, start: &Position) -> Option<u32> {
        match self.actions.first()? {
            (_, MatAction::SetUp(set_up))
                if set_up.position == *start && set_up.owner.is_none() =>
            {
                Some(set_up.value)
            }
            _ => None,
        }
    }
}

/// A match or money session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchFile {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// The players' names. Colons, control characters and double blanks do not survive.
    pub names: [String; 2],
    /// Comment lines before the match, without the `;`. Control characters and blanks at the end do
    /// not survive. Those of the form ` [Key "Value"]` are headers.
    pub comments: Vec<String>,
    /// The games.
    pub games: Vec<MatGame>,
}

/// An error in a file, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct FileFault {
    /// The line, counted from 1; 0 in binary files, whose errors have a byte.
    pub line: usize,
    /// The game, counted from 1 in the file's order; 0 before the first one.
    pub game: usize,
    /// The error, with the byte of the text.
    pub error: NotationError,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "byte {}", self.error.at())?,
            line => write!(f, "line {line}")?,
        }
        if self.game > 0 {
            write!(f, ", game {}", self.game)?;
        }
        write!(f, ": {}", self.error)
    }
}

/// A file that was read, with its faults.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MatchReading {
    /// The readable part of the file. A game with a fault ends there, unless the board could be followed.
    pub file: MatchFile,
    /// Faults in the file's order; the first hundred.
    pub faults: Vec<FileFault>,
    /// The games, counted from 1, whose rest was skipped because of a fault: their results are not those of their
    /// last positions.
    pub broken: Vec<usize>,
    /// For each game the lines of its actions.
    pub lines: Vec<Vec<usize>>,
    /// The line on which the match begins, counted from 1; 0 in binary files.
    pub line: usize,
    /// The byte at which that line begins.
    pub at: usize,
    /// For each game the analyses in the file, by the number of the action.
    pub analyses: Vec<BTreeMap<usize, FileAnalysis>>,
}

impl MatchFile {
    /// The headers of money play without Jacoby and beavers, such as unlimited matches on FIBS.
    pub const WITHOUT_JACOBY: [&str; 2] = [" [Jacoby \"Off\"]", " [Beaver \"Off\"]"];

    /// Returns the value of a header ` [Key "Value"]`.
    #[must_use]
    pub fn header(&self, key: &str) -> Option<&str> {
        let mut headers = self.comments.iter().filter_map(|line| header(line));
        headers.find_map(|(name, value)| name.eq_ignore_ascii_case(key).then_some(value))
    }

    /// Sets the value of a header, or takes the header out.
    pub fn set_header(&mut self, key: &str, value: Option<&str>) {
        let is_one =
            |line: &String| header(line).is_some_and(|(name, _)| name.eq_ignore_ascii_case(key));
        let at = self.comments.iter().position(is_one);
        self.comments.retain(|line| !is_one(line));
        if let Some(value) = value {
            let at = at.unwrap_or(self.comments.len());
            self.comments.insert(at, format!(" [{key} \"{value}\"]"));
        }
    }

    /// Returns a header that is on or off.
    #[must_use]
    pub fn switch(&self, key: &str) -> Option<bool> {
        let value = self.header(key)?;
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        (is("On") || is("Off")).then(|| is("On"))
    }

    /// Returns true if Jacoby's rule holds in a money game of this file, false if not; `None` where the file does not say.
    #[must_use]
    pub fn jacoby(&self, game: &MatGame) -> Option<bool> {
        game.jacoby.or(self.switch("Jacoby"))
    }

    /// Returns the score before each game. The file's flag decides which one is the Crawford game, otherwise that is the
    /// first one in which one player alone needs one point.
    pub fn scores(&self) -> impl Iterator<Item = MatchScore> {
        let rule = self.switch("Crawford") != Some(false);
        self.scores_by(rule, |game| game.crawford)
    }

    fn scores_by(
        &self,
        crawford_rule: bool,
        flag: fn(&MatGame) -> Option<bool>,
    ) -> impl Iterator<Item = MatchScore> {
        let mut score = MatchScore::new(self.length).with_crawford_rule(crawford_rule);
        self.games.iter().map(move |game| {
            score.follow(game.scores, flag(game));
            score
        })
    }

    /// Returns for each game whether it is the Crawford game.
    #[must_use]
    pub fn crawford_games(&self) -> Vec<bool> {
        let scores = self.scores();
        scores.map(|score| score.is_crawford()).collect()
    }

    /// Returns for each game whether it is the Crawford game, by the scores alone.
    pub(super) fn crawford_by_score(&self) -> Vec<bool> {
        let scores = self.scores_by(true, |_| None);
        scores.map(|score| score.is_crawford()).collect()
    }

    /// Returns the variant that is played; `None` if it is unknown.
    #[must_use]
    pub fn variant(&self) -> Option<Variant> {
        match self.header("Variation") {
            None => Some(Variant::Backgammon),
            Some(name) => Variant::named(name),
        }
    }

    /// Returns the position from which each game starts; `None` for an unknown variation.
    #[must_use]
    pub fn start(&self) -> Option<Position> {
        self.variant().map(Variant::start)
    }
}

/// Variations by their numbers in binary files.
pub(super) const VARIATIONS: [&str; 4] = [
    Variant::Backgammon.name(),
    Variant::Nackgammon.name(),
    Variant::Hypergammon.name(),
    "LongGammon",
];

/// Returns the header of a variation with this number; the usual one has none.
pub(super) fn variation_header(number: impl TryInto<usize>) -> Option<String> {
    let number = number.try_into().unwrap_or(usize::MAX);
    let name = VARIATIONS.get(number).unwrap_or(&"unknown");
    (number > 0).then(|| format!(" [Variation \"{name}\"]"))
}

/// Returns a name as it can stand before the colon.
pub(super) fn clean(name: &str) -> String {
    let mut text = String::new();
    for part in name.split(|c: char| c.is_whitespace() || c.is_control() || c == ':') {
        if !part.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(part);
        }
    }
    if text.is_empty() {
        text.push_str("player");
    }
    text
}

/// Returns key and value of a comment line that is a header.
fn header(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inside.split_once('"')?;
    Some((name.trim(), value.trim_end().trim_end_matches('"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of hypergammon, as GNU Backgammon writes it after a backgammon.
    const HYPERGAMMON: &str = "; [Variation \"HyperGammon (3)\"]\n; [Jacoby \"Off\"]\n\n 0 point match\n\n Game 1\n \
        gnubg : 0                      root : 0\n  1) 61: 24/18 23/22             66: 24/18 23/17 18/12 12/6\n  \
        2) 21: 18/16 22/21             66: 22/16 17/11 16/10 11/5\n  3) 21: 16/14 14/13             \
        44: 10/6 6/2 6/2 5/1\n  4) 21: 13/11 11/10             22: 2/0 2/0 1/0 \n                                  \
        Wins 3 points\n";
    const AS_SGF: &str = "(;FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.07.001]MI[length:0][game:0][ws:0][bs:0]PW[gnubg]\
        PB[root]RU[Hypergammon3]RE[B+3]\n;W[61xrwv]\n;B[66agbhgmms]\n;W[21rpvu]\n;B[66cihniont]\n;W[21pnnm]\n\
        ;B[44osswswtx]\n;W[21mkkj]\n;B[22wzwzxz])\n";

    /// MAT-84: the last play of three checkers ends the game, and a loser with three left loses a backgammon.
    #[test]
    fn hypergammon_is_read_by_its_rules() {
        let mat = MatchFile::read(HYPERGAMMON.as_bytes()).unwrap();
        let sgf = MatchFile::read(AS_SGF.as_bytes()).unwrap();
        for reading in [mat, sgf] {
            assert_eq!(reading.faults, []);
            let file = reading.file;
            assert_eq!(file.variant(), Some(Variant::Hypergammon));
            let game = &file.games[0];
            assert_eq!(game.result, Some((MatPlayer::Second, 3)));
            assert_eq!((game.actions.len(), game.settled), (8, false));
            let again = file.to_string().parse::<MatchFile>().unwrap();
            assert_eq!(again.games, file.games);
            let written = MatchFile::read(&file.ogxm().unwrap()).unwrap();
            assert_eq!(written.file.variant(), Some(Variant::Hypergammon));
            assert_eq!(written.file.games[0].result, game.result);
        }
        let file = HYPERGAMMON.parse::<MatchFile>().unwrap();
        let sgf = file.sgf(&[], &|_, _| None);
        assert!(sgf.contains("RU[Hypergammon3]"), "{sgf}");
        let fewer = HYPERGAMMON.replace("(3)", "(2)");
        let reading = MatchFile::read(fewer.as_bytes()).unwrap();
        assert_eq!(reading.file.variant(), Some(Variant::Hypergammon2));
        assert!(!reading.faults.is_empty());
        assert!(reading.file.ogxm().is_err());
        let longer = HYPERGAMMON.replace("HyperGammon (3)", "LongGammon");
        let reading = MatchFile::read(longer.as_bytes()).unwrap();
        assert_eq!(reading.file.variant(), None);
        assert_eq!(reading.file.games[0].actions, []);
    }
}
