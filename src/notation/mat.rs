//! Match files in the `.mat` form of Jellyfish, which most backgammon programs import.
//!
//! Rules MAT-01 to MAT-09 of `protocol-specs/match-files.md`. [`MatchFile`] prints itself; reading
//! plays the games over, so what was read is legal, play by play.

use std::fmt;
use std::str::FromStr;

use super::error::quoted;
use super::{Code, NotationError, Reason, parse_play, plain_play_text};
use crate::game::{Play, Position, Roll};

/// Bytes before the right-hand column of a game.
const LEFT_WIDTH: usize = 28;
const FIELD: &str = "match file";

/// Whose action or result it is: `First` stands in the left-hand column.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatPlayer {
    /// The player on the left.
    First,
    /// The player on the right.
    Second,
}

impl MatPlayer {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> MatPlayer {
        match self {
            MatPlayer::First => MatPlayer::Second,
            MatPlayer::Second => MatPlayer::First,
        }
    }
}

/// What a player does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatAction {
    /// Rolls and plays; the play may be a pass.
    Play {
        /// The roll.
        roll: Roll,
        /// The play, by the player's own index.
        play: Play,
    },
    /// Doubles, to this value.
    Double(u32),
    /// Takes.
    Take,
    /// Passes the double.
    Drop,
}

/// A game from the first roll on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatGame {
    /// Points of the first and the second player before the game.
    pub scores: [u32; 2],
    /// What happened, in order.
    pub actions: Vec<(MatPlayer, MatAction)>,
    /// Who won how many points; `None` for a game that was not finished.
    pub result: Option<(MatPlayer, u32)>,
}

/// A match or money session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MatchFile {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// The players' names. Colons, control characters and double blanks do not survive.
    pub names: [String; 2],
    /// Comment lines before the match, without the `;`. Control characters and blanks at the end do
    /// not survive.
    pub comments: Vec<String>,
    /// The games.
    pub games: Vec<MatGame>,
}

impl MatGame {
    /// Writes one game, its number counted from 1.
    fn write(&self, f: &mut fmt::Formatter<'_>, number: usize, file: &MatchFile) -> fmt::Result {
        let [first, second] = &file.names;
        let [first_score, second_score] = self.scores;
        let left = format!("{} : {first_score}", clean(first));
        writeln!(f, " Game {number}")?;
        writeln!(f, " {left:<30} {} : {second_score}", clean(second))?;
        let mut rows = Rows::default();
        // Each player sees the board from its own side; the texts need the one who plays.
        let mut position = Position::start();
        let mut on_roll = None;
        for &(player, action) in &self.actions {
            if on_roll.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            on_roll = Some(player);
            let cell = match action {
                MatAction::Play { roll, play } => {
                    let [one, two] = roll.dice();
                    let text = plain_play_text(&position, &play);
                    position = played(&position, &play);
                    format!("{one}{two}: {text}")
                }
                MatAction::Double(value) => format!(" Doubles => {value}"),
                MatAction::Take => " Takes".to_owned(),
                MatAction::Drop => " Drops".to_owned(),
            };
            rows.push(player, cell);
        }
        rows.write(f)?;
        if let Some((winner, points)) = self.result {
            let column = match winner {
                MatPlayer::First => 6,
                MatPlayer::Second => LEFT_WIDTH + 6,
            };
            let plural = if points == 1 { "" } else { "s" };
            write!(f, "{:column$}Wins {points} point{plural}", "")?;
            let score = match winner {
                MatPlayer::First => first_score,
                MatPlayer::Second => second_score,
            };
            if file.length > 0 && score.saturating_add(points) >= file.length {
                f.write_str(" and the match")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The rows of a game: two cells each.
#[derive(Default)]
struct Rows {
    rows: Vec<[String; 2]>,
    right_is_free: bool,
}

impl Rows {
    fn push(&mut self, player: MatPlayer, cell: String) {
        match (player, self.rows.last_mut()) {
            (MatPlayer::Second, Some([_, right])) if self.right_is_free => {
                *right = cell;
                self.right_is_free = false;
            }
            (MatPlayer::Second, _) => {
                self.rows.push([String::new(), cell]);
                self.right_is_free = false;
            }
            (MatPlayer::First, _) => {
                self.rows.push([cell, String::new()]);
                self.right_is_free = true;
            }
        }
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, [left, right]) in (1..).zip(&self.rows) {
            // A long play pushes the right-hand cell on, but never touches it.
            let row = format!("{number:3}) {left:<width$} {right}", width = LEFT_WIDTH - 1);
            writeln!(f, "{}", row.trim_end())?;
        }
        Ok(())
    }
}

/// The same board after a play, the player who played still *me*.
fn played(position: &Position, play: &Play) -> Position {
    let (mut me, mut opponent) = (position.me().counts(), position.opponent().counts());
    for step in play.steps() {
        if let Some(count) = me.get_mut(usize::from(step.from)) {
            *count = count.saturating_sub(1);
        }
        let to = usize::from(step.to);
        let Some(facing) = 23_usize.checked_sub(to) else {
            continue;
        };
        if let Some(count) = me.get_mut(to) {
            *count += 1;
        }
        let hit = opponent.get_mut(facing).map(std::mem::take).unwrap_or(0);
        if let Some(bar) = opponent.last_mut() {
            *bar += hit;
        }
    }
    // A play that is not legal leaves the board as it was: only the stars of hits depend on it.
    Position::new(&me, &opponent).unwrap_or(*position)
}

/// A name as it can stand before the colon.
fn clean(name: &str) -> String {
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

impl fmt::Display for MatchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for comment in &self.comments {
            let line: String = comment.chars().filter(|c| !c.is_control()).collect();
            // Blanks before a control character stand at the end now, where reading drops them.
            writeln!(f, ";{}", line.trim_end())?;
        }
        writeln!(f, " {} point match", self.length)?;
        for (number, game) in (1..).zip(&self.games) {
            writeln!(f)?;
            game.write(f, number, self)?;
        }
        Ok(())
    }
}

impl FromStr for MatchFile {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        MatchFile::parse(text.as_bytes())
    }
}

impl MatchFile {
    /// Reads a match file.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-match-file` that says at which byte of the file.
    pub fn parse(text: &[u8]) -> Result<MatchFile, NotationError> {
        let mut reader = Reader::default();
        let mut at = 0;
        for line in text.split(|&byte| byte == b'\n') {
            let shown = String::from_utf8_lossy(line);
            // Replaced bytes would shift places in the line; a name is all that they can be in.
            reader
                .line(shown.trim_end())
                .map_err(|(field, reason, inside)| {
                    let at = at + inside.min(line.len());
                    NotationError::new(Code::BadMatchFile, field, reason, at)
                })?;
            at += line.len() + 1;
        }
        let missing = |field| {
            let end = text.len();
            NotationError::new(Code::BadMatchFile, field, Reason::Missing, end)
        };
        match reader.expected {
            Expected::Length => Err(missing("match length")),
            Expected::Names => Err(missing("names of the players")),
            Expected::Game | Expected::Rows => Ok(reader.file),
        }
    }
}

/// The field, the reason, and the byte inside the line.
type Fault = (&'static str, Reason, usize);

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// ` 7 point match`
    #[default]
    Length,
    /// ` Game 1`
    Game,
    /// ` Alice : 0      Bob : 0`
    Names,
    /// `  1) 31: 8/5 6/5     …`
    Rows,
}

/// A match file on its way in, line by line.
#[derive(Default)]
struct Reader {
    file: MatchFile,
    expected: Expected,
    /// The board of the game, seen by `on_roll`.
    position: Position,
    on_roll: Option<MatPlayer>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.is_empty() {
            return Ok(());
        }
        // A name may begin with a semicolon.
        let comment = text.strip_prefix(';');
        if let Some(comment) = comment.filter(|_| self.expected != Expected::Names) {
            if self.file.games.is_empty() {
                self.file.comments.push(comment.to_owned());
            }
            return Ok(());
        }
        match self.expected {
            Expected::Length => self.length(text),
            Expected::Game => self.game(text),
            Expected::Names => self.names(text),
            Expected::Rows if text.starts_with("Game ") => self.game(text),
            Expected::Rows if text.starts_with("Wins ") => self.result(text, indent),
            Expected::Rows => self.row(line),
        }
    }

    fn length(&mut self, text: &str) -> Result<(), Fault> {
        let field = "match length";
        let mut words = text.split_whitespace();
        let length = words.next().and_then(|word| word.parse().ok());
        match (length, words.next()) {
            (Some(length), Some(word)) if word.starts_with("point") && length <= 32767 => {
                self.file.length = length;
                self.expected = Expected::Game;
                Ok(())
            }
            _ => Err(value(field, text, "a line such as ' 7 point match'", 0)),
        }
    }

    fn game(&mut self, text: &str) -> Result<(), Fault> {
        if !text.starts_with("Game ") {
            return Err(value(FIELD, text, "a line such as ' Game 1'", 0));
        }
        self.file.games.push(MatGame::default());
        self.position = Position::start();
        self.on_roll = None;
        self.expected = Expected::Names;
        Ok(())
    }

    fn names(&mut self, text: &str) -> Result<(), Fault> {
        let field = "names of the players";
        let wrong = || value(field, text, "'NAME : POINTS   NAME : POINTS'", 0);
        let (first, rest) = text.split_once(" : ").ok_or_else(wrong)?;
        let (score, rest) = rest.split_once(char::is_whitespace).ok_or_else(wrong)?;
        let (second, last) = rest.rsplit_once(" : ").ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
        let scores = [number(score)?, number(last)?];
        self.file.names = [first.trim().to_owned(), second.trim().to_owned()];
        if let Some(game) = self.file.games.last_mut() {
            game.scores = scores;
        }
        self.expected = Expected::Rows;
        Ok(())
    }

    fn result(&mut self, text: &str, indent: usize) -> Result<(), Fault> {
        let points = text
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse().ok());
        let Some(points) = points else {
            return Err(value("result", text, "'Wins N points'", indent));
        };
        let winner = if indent < LEFT_WIDTH {
            MatPlayer::First
        } else {
            MatPlayer::Second
        };
        if let Some(game) = self.file.games.last_mut() {
            game.result = Some((winner, points));
        }
        self.expected = Expected::Game;
        Ok(())
    }

    /// row = number ")" left \[ right \]
    fn row(&mut self, line: &str) -> Result<(), Fault> {
        let Some((number, _)) = line.split_once(')') else {
            return Err(value(
                "row",
                line.trim(),
                "a row such as '1) 31: 8/5 6/5'",
                0,
            ));
        };
        if number.trim().parse::<u32>().is_err() {
            return Err(value("row number", number.trim(), "a number", 0));
        }
        let body = number.len() + 1;
        for (player, at, cell) in cells(line, body) {
            if let Some(text) = cell.strip_prefix("Wins ") {
                self.result(&format!("Wins {text}"), at)?;
            } else {
                self.action(player, cell, at)?;
            }
        }
        Ok(())
    }

    fn action(&mut self, player: MatPlayer, cell: &str, at: usize) -> Result<(), Fault> {
        if self.on_roll.is_some_and(|last| last != player) {
            self.position = self.position.swapped();
        }
        self.on_roll = Some(player);
        let action = match cell.split_whitespace().next() {
            Some("Doubles") => {
                let digits = cell.rsplit([' ', '>']).next().unwrap_or_default();
                match digits.parse() {
                    Ok(cube) => MatAction::Double(cube),
                    Err(_) => return Err(value("cube", cell, "'Doubles => 2'", at)),
                }
            }
            Some("Takes") => MatAction::Take,
            Some("Drops") => MatAction::Drop,
            _ => self.play(cell, at)?,
        };
        if let Some(game) = self.file.games.last_mut() {
            game.actions.push((player, action));
        }
        Ok(())
    }

    /// play = die die ":" steps
    fn play(&mut self, cell: &str, at: usize) -> Result<MatAction, Fault> {
        let want = "a roll and a play such as '31: 8/5 6/5'";
        let Some((dice, text)) = cell.split_once(':') else {
            return Err(value("row", cell, want, at));
        };
        let roll = super::parse_roll(dice.trim().as_bytes())
            .map_err(|error| ("roll", error.reason().clone(), at + error.at()))?;
        let text = text.trim();
        let text = if text.to_ascii_lowercase().starts_with("cannot") {
            ""
        } else {
            text
        };
        let legal = parse_play(text, &self.position, roll)
            .map_err(|error| ("play", error.reason().clone(), at + dice.len() + 1))?;
        self.position = legal.after.swapped();
        let play = legal.play;
        Ok(MatAction::Play { roll, play })
    }
}

/// The cells of a row with the byte at which they begin. A cell begins with a roll and a colon or
/// with a word; the second one stands at or after the middle, or after two blanks.
fn cells(line: &str, body: usize) -> Vec<(MatPlayer, usize, &str)> {
    let mut starts = Vec::new();
    let mut at = body;
    for word in line.get(body..).unwrap_or_default().split(' ') {
        let roll = word.ends_with(':') && word.len() == 3;
        if roll || matches!(word, "Doubles" | "Takes" | "Drops" | "Wins") {
            starts.push(at);
        }
        at += word.len() + 1;
    }
    let mut cells = Vec::new();
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(line.len());
        let left = index == 0 && start < body + LEFT_WIDTH - 4;
        let player = if left {
            MatPlayer::First
        } else {
            MatPlayer::Second
        };
        let cell = line.get(start..end).unwrap_or_default().trim();
        cells.push((player, start, cell));
    }
    cells
}

fn value(field: &'static str, found: &str, want: &'static str, at: usize) -> Fault {
    let found = quoted(found.as_bytes());
    (field, Reason::Value { found, want }, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "\
; made by hand
 5 point match

 Game 1
 Alice : 0                      Bob the Builder : 0
  1)                             52: 13/8 13/11
  2) 64: 8/2 6/2                  Doubles => 2
  3)  Takes                      61: 13/7 8/7
  4) 55:
      Wins 2 points

 Game 2
 Alice : 2                      Bob the Builder : 0
  1) 31: 8/5 6/5                  Doubles => 2
  2)  Drops
                                  Wins 1 point
";

    #[test]
    fn impossible_rows_are_refused() {
        let error = SAMPLE.parse::<MatchFile>().unwrap_err();
        // 55 can be played there, so an empty cell is wrong.
        assert_eq!(error.to_string(), "play is missing");
        assert_eq!(error.code(), "bad-match-file");
        assert!(
            SAMPLE[error.at()..].starts_with("\n      Wins 2"),
            "{}",
            error.at()
        );
        let check = |text: &str, message: &str| {
            let error = text.parse::<MatchFile>().unwrap_err();
            assert_eq!(error.to_string(), message);
        };
        check("", "match length is missing");
        check(
            " seven point match",
            "match length is 'seven point match', want a line such as ' 7 point match'",
        );
        check(
            " 7 point match\n\n Game 1\n",
            "names of the players is missing",
        );
    }

    #[test]
    fn prints_and_reads_back() {
        let text = SAMPLE.replace("  4) 55:\n", "  4) 65: 13/7 13/8\n");
        let file: MatchFile = text.parse().unwrap();
        assert_eq!(file.names, ["Alice", "Bob the Builder"]);
        assert_eq!((file.length, file.games.len()), (5, 2));
        let [first, second] = &file.games[..] else {
            panic!()
        };
        assert_eq!(first.result, Some((MatPlayer::First, 2)));
        assert_eq!(first.actions[0].0, MatPlayer::Second);
        assert_eq!(first.actions.len(), 6);
        assert_eq!(second.scores, [2, 0]);
        let printed = file.to_string();
        assert_eq!(printed.parse::<MatchFile>().unwrap(), file, "{printed}");
    }

    /// MAT-01: what is printed once is printed the same ever after.
    #[test]
    fn comments_are_made_fit() {
        for comment in [
            ";c \u{4}\u{4} ",
            ";c\u{4} \u{4} \u{4}",
            "; \u{7f}",
            ";\u{4} c\t\u{4}",
        ] {
            let text = format!("{comment}\n 1 point match\n");
            let printed = text.parse::<MatchFile>().unwrap().to_string();
            let again = printed.parse::<MatchFile>().unwrap().to_string();
            assert_eq!(again, printed, "{comment:?}");
        }
    }

    /// MAT-01, MAT-09: the line of the names is never a comment, whatever the names are.
    #[test]
    fn a_name_may_look_like_a_comment() {
        let text = " 1 point match\n\n Game 1\n \0; : 0              ; x : 0\n  1) 31: 8/5 6/5\n";
        let file = text.parse::<MatchFile>().unwrap();
        let printed = file.to_string();
        let again = printed.parse::<MatchFile>().unwrap();
        assert_eq!(again.names, [";", "; x"]);
        assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn names_are_made_fit() {
        assert_eq!(clean("a : b\n  c"), "a b c");
        assert_eq!(clean(" : "), "player");
    }
}
