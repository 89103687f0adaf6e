//! A match printed in the `.mat` form.

use super::game_end::{GameEnd, SETTLED};
use super::notes::MatchNotes;
use super::record::clean;
use super::record::{MatAction, MatGame, MatPlayer, MatchFile};
use super::snowie;
use crate::notation::{plain_play_text, steps_made};
use std::fmt;

/// Bytes before the right-hand column of a game.
pub(super) const LEFT_WIDTH: usize = 28;

/// The cell of a take.
const TAKES: &str = " Takes";

/// The beginning of the first remark of ours.
const SEAL: &str = " judged by gammond";

/// Returns true if the file has remarks of ours.
pub(super) fn is_ours(file: &[u8]) -> bool {
    let seal = format!("\n;{SEAL},").into_bytes();
    file.starts_with(seal.trim_ascii_start()) || file.windows(seal.len()).any(|bytes| bytes == seal)
}

/// Returns the match with remarks of ours at its head, in place of those of an earlier time.
pub(super) fn annotated(file: &MatchFile, notes: &MatchNotes<'_>) -> String {
    let Some(level) = notes.level else {
        return file.to_string();
    };
    let mut remarked = file.clone();
    // Remarks of an earlier analysis follow the file's own comments.
    let mut comments = remarked.comments.iter();
    let had = comments.position(|one| one.starts_with(SEAL));
    remarked.comments.truncate(had.unwrap_or(usize::MAX));
    remarked.comments.push(format!("{SEAL}, {level}"));
    remarked.comments.extend_from_slice(notes.head);
    remarked.to_string()
}

impl MatGame {
    /// Writes one game, its number counted from 1.
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        (number, default_crawford): (usize, bool),
        file: &MatchFile,
        as_gnubg: bool,
    ) -> fmt::Result {
        let [first, second] = &file.names;
        let [first_score, second_score] = self.scores;
        let left = format!("{} : {first_score}", clean(first));
        // A word only where the score alone would mean something else.
        let crawford = match (self.crawford, default_crawford) {
            _ if as_gnubg => "",
            (Some(true), false) => " (Crawford)",
            (Some(false), true) => " (after the Crawford game)",
            _ => "",
        };
        writeln!(f, " Game {number}{crawford}")?;
        writeln!(f, " {left:<30} {} : {second_score}", clean(second))?;
        let mut rows = Rows::default();
        // Each player sees the board from its own side; the texts need the one who plays.
        let mut position = file.start().unwrap_or_default();
        let mut on_roll = None;
        let mut beavered = false;
        let next = self.actions.iter().skip(1).map(|(_, action)| action);
        for (&(player, action), next) in self.actions.iter().zip(next.map(Some).chain([None])) {
            if on_roll.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            on_roll = Some(player);
            let cell = match action {
                MatAction::Play { roll, play } => {
                    let [one, two] = match as_gnubg {
                        true => [roll.high(), roll.low()],
                        false => roll.dice(),
                    };
                    let mut text = plain_play_text(&position, &play);
                    let steps = play.steps().len();
                    if as_gnubg && (1..4).contains(&steps) {
                        text.push(' ');
                    }
                    // A play that cannot be made leaves the board as it was: only the stars of hits depend on it.
                    position = steps_made(&position, &play).unwrap_or(position);
                    format!("{one}{two}: {text}")
                }
                MatAction::Rolled(roll) => {
                    let [one, two] = roll.dice();
                    format!("{one}{two}: ????")
                }
                MatAction::Double(value) => format!(" Doubles => {value}"),
                MatAction::Beaver(value) => format!(" Beavers => {value}"),
                // Programs expect no word where a beaver is accepted, if the next roll implies it.
                MatAction::Take
                    if beavered
                        && matches!(next, Some(MatAction::Play { .. } | MatAction::Rolled(_))) =>
                {
                    String::new()
                }
                MatAction::Take => TAKES.to_owned(),
                MatAction::Drop => " Drops".to_owned(),
                MatAction::SetUp(set_up) => {
                    position = set_up.position;
                    let line = snowie::line(file, self.scores, player, &set_up);
                    format!("Illegal play {line}")
                }
            };
            beavered = matches!(action, MatAction::Beaver(_));
            if !cell.is_empty() {
                rows.push(player, cell);
            }
        }
        let Some((winner, points)) = self.result else {
            return rows.write(f, as_gnubg);
        };
        let end = GameEnd::of(self, file.length, position.is_over());
        let length = if as_gnubg { 0 } else { file.length };
        let wins = self.wins(winner, points, length, &end);
        self.write_result(f, rows, (winner, &wins), as_gnubg)
    }

    /// Writes the rows of the game and the winner's text.
    fn write_result(
        &self,
        f: &mut fmt::Formatter<'_>,
        mut rows: Rows,
        (winner, wins): (MatPlayer, &str),
        as_gnubg: bool,
    ) -> fmt::Result {
        // Beside a double that is passed, as gnubg writes it: in a row of its own gnubg takes it for a second double.
        let passed = matches!(self.actions.last(), Some((_, MatAction::Drop)));
        if passed && winner == MatPlayer::Second && rows.right_is_free {
            let blank = if as_gnubg { " " } else { "" };
            rows.push(winner, format!(" {wins}{blank}"));
            return rows.write(f, as_gnubg);
        }
        rows.write(f, as_gnubg)?;
        let column = match winner {
            MatPlayer::First => 6,
            MatPlayer::Second => LEFT_WIDTH + 6,
        };
        writeln!(f, "{:column$}{wins}", "")
    }

    /// Returns the winner's text in a match to `length` points.
    fn wins(&self, winner: MatPlayer, points: u32, length: u32, end: &GameEnd) -> String {
        let plural = if points == 1 { "" } else { "s" };
        // Points that are unambiguous need no mark.
        let has_mark = self.settled && end.points(winner, points, true) != (points, true);
        let mark = if has_mark { SETTLED } else { 0 };
        let mut wins = format!("Wins {} point{plural}", points.saturating_add(mark));
        if length > 0 && winner.of(self.scores).saturating_add(points) >= length {
            wins.push_str(" and the match");
        }
        wins
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

    fn write(&self, f: &mut fmt::Formatter<'_>, as_gnubg: bool) -> fmt::Result {
        for (number, [left, right]) in (1..).zip(&self.rows) {
            // A long play pushes the right-hand cell on, but never touches it.
            let row = format!("{number:3}) {left:<width$} {right}", width = LEFT_WIDTH - 1);
            // gnubg reads a take at the end of a line as another double, but not with blanks behind it.
            let row = match left == TAKES && right.is_empty() {
                true => &row,
                false if as_gnubg && right.is_empty() => &format!("{number:3}) {left}"),
                false if as_gnubg => &row,
                false => row.trim_end(),
            };
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

/// Returns the text on one line.
fn one_line(text: &str) -> String {
    let line: String = text.chars().filter(|c| !c.is_control()).collect();
    // Blanks before a control character stand at the end now, where reading drops them.
    line.trim_end().to_owned()
}

impl fmt::Display for MatchFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for comment in &self.comments {
            writeln!(f, ";{}", one_line(comment))?;
        }
        writeln!(f, " {} point match", self.length)?;
        let default_crawford = self.crawford_by_score();
        for (number, (game, default)) in (1..).zip(self.games.iter().zip(default_crawford)) {
            writeln!(f)?;
            game.write(f, (number, default), self, false)?;
        }
        Ok(())
    }
}

/// A match that is printed as GNU Backgammon prints it.
struct AsGnubg<'a>(&'a MatchFile);

impl fmt::Display for AsGnubg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AsGnubg(file) = self;
        for comment in &file.comments {
            writeln!(f, ";{}", one_line(comment))?;
        }
        writeln!(f, "\n {} point match\n", file.length)?;
        let default_crawford = file.crawford_by_score();
        for (number, (game, default)) in (1..).zip(file.games.iter().zip(default_crawford)) {
            game.write(f, (number, default), file, true)?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl MatchFile {
    /// Returns the match in the `.mat` form as GNU Backgammon writes it: the higher die first, a blank behind plays of
    /// fewer than four steps, no word about the end of the match, and a blank line after each game.
    #[must_use]
    pub fn mat_as_gnubg(&self) -> String {
        AsGnubg(self).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_fit() {
        assert_eq!(clean("a : b\n  c"), "a b c");
        assert_eq!(clean(" : "), "player");
    }

    /// gnubg reads a take at the end of a line as another double.
    #[test]
    fn take_before_a_result_ends_with_blanks() {
        let text = " 0 point match\n\n Game 1\n A : 0                          B : 0\n  \
            1) 21: 13/11 6/5                Doubles => 2\n  2)  Takes                      \n      Wins 2 points\n";
        let file = MatchFile::read(text.as_bytes()).unwrap().file;
        assert_eq!(file.to_string(), text);
    }

    /// MAT-13: the acceptance of a beaver is written where no roll shows it.
    #[test]
    fn accepted_beaver_before_a_resignation_reads_back() {
        let text = " 0 point match\n\n Game 1\n A : 0                          B : 0\n  \
            1) 31: 8/5 6/5                  Doubles => 2\n  2)  Beavers => 4                Takes\n      Wins 4 points\n";
        let file = MatchFile::read(text.as_bytes()).unwrap().file;
        let [.., (_, beaver), (player, take)] = file.games[0].actions[..] else {
            panic!("{file:?}")
        };
        assert_eq!(
            (beaver, player, take),
            (MatAction::Beaver(4), MatPlayer::Second, MatAction::Take)
        );
        assert_eq!(file.to_string(), text);
    }

    /// The place where gnubg has the winner, and reads it without a second double.
    #[test]
    fn winner_of_a_pass_is_written_beside_it_if_it_fits() {
        let left_passes = "  2)  Drops                       Wins 1 point\n";
        let right_passes = "  2)  Doubles => 2                Drops\n      Wins 1 point\n";
        let head = " 3 point match\n\n Game 1\n a : 0                          b : 0\n";
        for (first, passed) in [
            (
                "  1) 31: 8/5 6/5                  Doubles => 2\n",
                left_passes,
            ),
            (
                "  1) 31: 8/5 6/5                 42: 8/4 6/4\n",
                right_passes,
            ),
        ] {
            let text = format!("{head}{first}{passed}");
            assert_eq!(
                MatchFile::read(text.as_bytes()).unwrap().file.to_string(),
                text
            );
        }
    }
}
