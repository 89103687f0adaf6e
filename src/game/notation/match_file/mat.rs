//! The `.mat` form and its dialects: that of Jellyfish and GNU Backgammon, with XG's headers, and as
//! servers and their clients write it. Line by line; a line that makes no sense costs its game.

use super::cells::{Cell, Head, cells, in_right_column};
use super::record::{LENGTH_MAX, MatPlayer};
use super::recorder::{FieldError, Recorder, UNDOUBLED};
use super::snowie;
use crate::Roll;
use crate::notation::error::quoted;
use crate::notation::error::{Code, NotationError, Reason};

const FIELD: &str = "match file";

/// The field, the reason, and the byte inside the line.
type LineError = (FieldError, usize);

/// A roll whose play is missing.
struct RollWithoutPlay {
    line: usize,
    at: usize,
    player: MatPlayer,
    roll: Roll,
    /// The fault where the game continues.
    wrong: FieldError,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// ` 7 point match`
    Length,
    /// ` Game 1`
    Game,
    /// ` Alice : 0      Bob : 0`
    Names,
    /// `  1) 31: 8/5 6/5     …`
    Rows,
}

/// Reads a whole file.
pub(super) fn read(text: &str, recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut reader = Reader {
        recorder,
        expected: Expected::Length,
        named: false,
        refused: None,
        told_after_end: 0,
        behind: Vec::new(),
        another: None,
        crawford: None,
        unplayed: None,
    };
    let mut at = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        reader.line(number, at, line.trim_end());
        at += line.len() + 1;
    }
    reader.end_unplayed();
    let missing =
        |field| NotationError::new(Code::BadMatchFile, field, Reason::Missing, text.len());
    match (reader.expected, reader.named) {
        (Expected::Length, _) => Err(match reader.refused.take() {
            Some((field, reason, at)) => NotationError::new(Code::BadMatchFile, field, reason, at),
            None => missing("match length"),
        }),
        (Expected::Names, false) => Err(missing("names of the players")),
        _ => Ok(()),
    }
}

/// Returns true if a text begins with the length of a match, after comments.
pub(super) fn is_mat(text: &[u8]) -> bool {
    let mut lines = text
        .split(|byte| b"\r\n".contains(byte))
        .map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b";"));
    let first = first.and_then(|line| std::str::from_utf8(line).ok());
    first.is_some_and(|line| whole_length(line).is_some())
}

/// A match file on its way in, line by line.
struct Reader<'a> {
    recorder: &'a mut Recorder,
    expected: Expected,
    /// True if the names have been read.
    named: bool,
    /// The first line that is no match length.
    refused: Option<(&'static str, Reason, usize)>,
    /// Number, from 1, of the last game with text after its end; one fault a game is enough.
    told_after_end: usize,
    /// Comments after the last game: the head of another match, if one follows.
    behind: Vec<String>,
    /// The length of a match given after a game, with its line and byte.
    another: Option<(u32, usize, usize)>,
    /// Crawford flag in the header line of the game.
    crawford: Option<bool>,
    unplayed: Option<RollWithoutPlay>,
}

impl Reader<'_> {
    fn line(&mut self, number: usize, at: usize, line: &str) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.is_empty() {
            return;
        }
        // A name may begin with a semicolon.
        if self.expected != Expected::Names {
            if let Some(comment) = text.strip_prefix(';') {
                let clean = comment.chars().filter(|sign| !sign.is_control());
                match self.recorder.file.games.is_empty() {
                    true => self.recorder.file.comments.push(clean.collect()),
                    false => self.behind.push(clean.collect()),
                }
                return;
            }
            if text.starts_with('#') {
                return;
            }
        }
        let game = starts(text, "Game ") && text.get(5..).is_some_and(starts_with_digit);
        let begun = !self.recorder.file.games.is_empty();
        let length = whole_length(text).filter(|_| begun && self.expected != Expected::Names);
        if let Some(length) = length {
            self.another = Some((length, number, at));
            return;
        }
        if !game {
            (self.another, self.behind) = (None, Vec::new());
        }
        let done = match self.expected {
            Expected::Length => self.length(text, at),
            Expected::Names => self.names(text),
            _ if game => self.game(text),
            Expected::Game if self.recorder.file.games.is_empty() => {
                Err((value(FIELD, text, "a line such as ' Game 1'"), 0))
            }
            Expected::Game => Ok(()),
            Expected::Rows if self.recorder.has_ended() => {
                self.after_the_end(number, at, line, indent);
                Ok(())
            }
            Expected::Rows if self.recorder.has_given_up() => {
                self.ending(line, indent);
                Ok(())
            }
            Expected::Rows => self.row(number, at, line, indent),
        };
        if let Err((wrong, inside)) = done {
            self.recorder
                .give_up(number, at + inside.min(line.len()), wrong);
        }
    }

    /// Parses ` 7 point match`, ` 5 points match`, `Match of 5 points`, ` unlimited match`
    fn length(&mut self, text: &str, at: usize) -> Result<(), LineError> {
        let mut words = text.split_whitespace();
        let numbered = words
            .clone()
            .find_map(|word| word.parse::<u32>().ok())
            .filter(|&length| length <= LENGTH_MAX);
        let has = |wanted: &str| {
            let mut words = text.split_whitespace();
            words.any(|word| starts(word, wanted))
        };
        let first_is_number = words.next().is_some_and(|word| word.parse::<u32>().is_ok());
        let known = match numbered {
            Some(length) if has("point") && (first_is_number || has("match")) => Some(length),
            None if has("unlimited") || (has("money") && has("session")) => Some(0),
            _ => None,
        };
        match known {
            Some(length) => {
                self.recorder.file.length = length;
                self.expected = Expected::Game;
                Ok(())
            }
            None => {
                let wrong = value("match length", text, "a line such as ' 7 point match'");
                if self.refused.is_none() {
                    self.refused = Some((wrong.0, wrong.1.clone(), at));
                }
                Err((wrong, 0))
            }
        }
    }

    fn game(&mut self, text: &str) -> Result<(), LineError> {
        self.expected = Expected::Names;
        self.end_unplayed();
        let comments = std::mem::take(&mut self.behind);
        if let Some((length, line, at)) = self.another.take() {
            // Some programs write the length before each game.
            let digits = |c: char| c.is_ascii_digit();
            let (_, number) = text.split_at_checked(5).unwrap_or_default();
            let number = number.trim_start().split(|c| !digits(c)).next();
            let first = number.is_some_and(|number| number.trim_start_matches('0') == "1");
            if first || length != self.recorder.file.length {
                let next = self.recorder.next_match(line, at);
                next.map_err(|wrong| (wrong, 0))?;
                self.recorder.file.length = length;
                self.recorder.file.comments = comments;
                self.told_after_end = 0;
            }
        }
        let words = text.to_ascii_lowercase();
        let after = words.contains("after") || words.contains("post");
        self.crawford = words.contains("crawford").then_some(!after);
        self.recorder.begin().map_err(|wrong| (wrong, 0))
    }

    /// names = name ":" number name ":" number
    fn names(&mut self, text: &str) -> Result<(), LineError> {
        self.expected = Expected::Rows;
        let wrong = || {
            (
                value(
                    "names of the players",
                    text,
                    "'NAME : POINTS   NAME : POINTS'",
                ),
                0,
            )
        };
        let scored = scored(text);
        let (&(second_colon, second_score, _), before) = scored.split_last().ok_or_else(wrong)?;
        // Among texts that look like the first score, the one with the widest gap behind it.
        let first = before.iter().max_by_key(|(colon, _, end)| {
            let rest = text.get(*end..).unwrap_or_default();
            (
                rest.len() - rest.trim_start().len(),
                std::cmp::Reverse(*colon),
            )
        });
        let &(first_colon, first_score, first_end) = first.ok_or_else(wrong)?;
        let name = |from, to| text.get(from..to).unwrap_or_default().trim().to_owned();
        self.recorder.file.names = [name(0, first_colon), name(first_end, second_colon)];
        self.recorder.scores([first_score, second_score]);
        if let Some(crawford) = self.crawford.take() {
            self.recorder.crawford(crawford);
        }
        self.named = true;
        Ok(())
    }

    /// row = number ")" \[ cell \] \[ cell \], or the winner's line
    fn row(
        &mut self,
        number: usize,
        at: usize,
        line: &str,
        indent: usize,
    ) -> Result<(), LineError> {
        if let Some(place) = repeated_number(line) {
            let (first, second) = line.split_at_checked(place).unwrap_or((line, ""));
            self.row(number, at, first.trim_end(), indent)?;
            if self.recorder.has_given_up() {
                return Ok(());
            }
            return self
                .row(number, at + place, second, 0)
                .map_err(|(wrong, inside)| (wrong, inside + place));
        }
        let Some(body) = body(line) else {
            if self.ending(line, indent) {
                return Ok(());
            }
            let text = line.trim();
            return Err((value("row", text, "a row such as '1) 31: 8/5 6/5'"), indent));
        };
        let (cells, stray) = cells(line, body);
        let first = cells.first().map_or(line.len(), |cell| cell.at);
        // A name with a colon may stand before the roll.
        let before = stray.and_then(|place| line.get(place..first));
        if let (Some(place), Some(text)) = (stray, before.map(str::trim_end))
            && !text.ends_with(':')
        {
            let want = "a roll and a play such as '31: 8/5 6/5'";
            return Err((value("row", text, want), place));
        }
        for cell in &cells {
            if self.recorder.has_given_up() {
                break;
            }
            self.cell(number, at, cell)?;
        }
        Ok(())
    }

    /// Reads a row of a game that has its winner; nothing in it counts.
    fn after_the_end(&mut self, number: usize, at: usize, line: &str, indent: usize) {
        let game = self.recorder.file.games.len();
        let body = body(line);
        let (cells, _) = cells(line, body.unwrap_or(0));
        let acts = |cell: &Cell<'_>| match cell.head {
            // Some programs name the winner of the match in a second line.
            Head::Wins => starts_with_digit(cell.text),
            Head::Lost | Head::Accept | Head::Reject => false,
            _ => body.is_some(),
        };
        if self.told_after_end != game && cells.iter().any(acts) {
            self.told_after_end = game;
            let why = Reason::Other("comes after the end of the game");
            self.recorder.note(number, at + indent, ("row", why));
        }
    }

    /// Reads the winner's line; also in the rest of a game that is skipped.
    fn ending(&mut self, line: &str, indent: usize) -> bool {
        let body = line
            .split_once(')')
            .map_or(0, |(before, _)| before.len() + 1);
        let (cells, _) = cells(line, body);
        let wins = cells.iter().find(|cell| cell.head == Head::Wins);
        let lost = cells.iter().find(|cell| cell.head == Head::Lost);
        let Some(wins) = wins else {
            if let Some(lost) = lost {
                self.end_unplayed();
                (self.recorder).concedes(player(lost.right), first_number(lost.text));
            }
            return lost.is_some();
        };
        let right = match indent {
            _ if cells.len() > 1 || body > 0 => wins.right,
            0 => false,
            _ => in_right_column(line.as_bytes().get(..indent).unwrap_or_default()),
        };
        self.wins(right, wins.text);
        true
    }

    fn wins(&mut self, right: bool, text: &str) {
        self.end_unplayed();
        let points = first_number(text).unwrap_or(1);
        let winner = player(right);
        (self.recorder).set_result_or_settlement(winner, points);
    }

    /// Records the roll that was not played, where the game ends with it.
    fn end_unplayed(&mut self) {
        if let Some(RollWithoutPlay {
            line,
            at,
            player,
            roll,
            ..
        }) = self.unplayed.take()
            && let Err(wrong) = self.recorder.rolled(line, player, roll)
        {
            self.recorder.give_up(line, at, wrong);
        }
    }

    fn cell(&mut self, number: usize, at: usize, cell: &Cell<'_>) -> Result<(), LineError> {
        let player = player(cell.right);
        match cell.head {
            Head::Lost | Head::Unrolled | Head::Wins | Head::Accept | Head::Reject => {
                self.end_unplayed();
            }
            _ => {
                if let Some(unplayed) = self.unplayed.take() {
                    let RollWithoutPlay { line, at, .. } = unplayed;
                    if let Err(wrong) = (self.recorder).rolled(line, unplayed.player, unplayed.roll)
                    {
                        self.recorder.give_up(line, at, wrong);
                        return Ok(());
                    }
                    self.recorder.note(line, at, unplayed.wrong);
                }
            }
        }
        let recorder = &mut *self.recorder;
        match cell.head {
            Head::Double | Head::Beaver => {
                if let Some(wrong) = recorder.leave_crawford() {
                    recorder.note(number, at + cell.at, wrong);
                }
                recorder.double(number, player)
            }
            // The points of a resignation.
            Head::Accept | Head::Reject if !recorder.is_doubled() => Ok(()),
            Head::Take | Head::Accept => recorder.take(number, player),
            Head::Drop | Head::Reject => recorder.drop(number, player),
            Head::Illegal => {
                let names = &recorder.file.names;
                let set_up = snowie::set_up(cell.text, names, player);
                set_up.and_then(|set_up| recorder.set_up(number, player, set_up))
            }
            Head::Unrolled => Ok(()),
            Head::Lost => {
                recorder.concedes(player, first_number(cell.text));
                Ok(())
            }
            Head::Wins => {
                self.wins(cell.right, cell.text);
                Ok(())
            }
            Head::Roll(roll) if cell.text.starts_with("??") => {
                recorder.rolled(number, player, roll)
            }
            Head::Roll(roll) if is_concession(cell.text) => {
                let rolled = recorder.rolled(number, player, roll);
                recorder.concedes(player, None);
                rolled
            }
            Head::NoRoll(dice) => {
                let want = "two dice from 1 to 6 such as '31'";
                Err(value("roll", &String::from_utf8_lossy(&dice), want))
            }
            Head::Roll(roll) => return self.played((number, player), roll, at, cell),
        }
        .or_else(|wrong| {
            // Nothing has happened: the game continues.
            if wrong == UNDOUBLED {
                self.recorder.note(number, at + cell.at, wrong);
                return Ok(());
            }
            Err((wrong, cell.at))
        })
    }

    /// Returns a roll with its play.
    fn played(
        &mut self,
        (number, player): (usize, MatPlayer),
        roll: Roll,
        at: usize,
        cell: &Cell<'_>,
    ) -> Result<(), LineError> {
        let recorder = &mut *self.recorder;
        if starts(cell.text, "illegal") {
            // The play is unreadable, but the position behind it is there.
            let on_roll = player.other();
            return snowie::set_up(cell.text, &recorder.file.names, on_roll)
                .and_then(|set_up| {
                    recorder.rolled(number, player, roll)?;
                    recorder.set_up(number, on_roll, set_up)
                })
                .map(|()| {
                    let why = "is not legal; the game goes on from the position behind it";
                    recorder.note(number, at + cell.text_at, ("play", Reason::Other(why)));
                })
                .map_err(|wrong| (wrong, cell.at));
        }
        let nothing = ["cannot", "can't", "(no", "no move", "dances"];
        let text = match nothing.iter().any(|word| starts(cell.text, word)) {
            true => "",
            false => without_remark(cell.text),
        };
        match recorder.play_text(number, player, roll, text) {
            Ok(None) => Ok(()),
            Ok(Some(wrong)) => {
                recorder.note(number, at + cell.text_at, wrong);
                Ok(())
            }
            // Servers leave a forced play out, and a roll is not played where the game ends there.
            Err(wrong) if text.is_empty() && cell.text.is_empty() => {
                let forced = recorder.only_play(number, player, roll);
                if forced.map_err(|wrong| (wrong, cell.text_at))? {
                    return Ok(());
                }
                self.unplayed = Some(RollWithoutPlay {
                    line: number,
                    at: at + cell.text_at,
                    player,
                    roll,
                    wrong,
                });
                Ok(())
            }
            Err(wrong) => Err((wrong, cell.text_at)),
        }
    }
}

/// Returns true if the text after a roll means that the player conceded instead of playing.
fn is_concession(text: &str) -> bool {
    [
        "concede", "resign", "forfeit", "gives up", "abandon", "lost", "loses", "losses",
    ]
    .iter()
    .any(|word| starts(text, word))
}

/// Returns the number that a text begins with.
fn first_number(text: &str) -> Option<u32> {
    text.split_whitespace().next()?.parse().ok()
}

/// Returns the points of a line that gives the length of a match and nothing else.
fn whole_length(text: &str) -> Option<u32> {
    let text = text.trim_end_matches(['.', ':']).to_ascii_lowercase();
    let words: Vec<&str> = text
        .split([' ', '\t', '-'])
        .filter(|word| !word.is_empty())
        .collect();
    let number = match words[..] {
        [number, "point" | "points", "match"] => number,
        ["match", "of" | "to", number, "point" | "points"] | ["match", "to", number] => number,
        ["unlimited", "match" | "session"] | ["money", "session" | "game" | "match"] => "0",
        _ => return None,
    };
    number.parse().ok().filter(|&length| length <= LENGTH_MAX)
}

/// Removes `(illegal)` after a play; the legality is checked anyway.
fn without_remark(text: &str) -> &str {
    match text.rsplit_once('(') {
        Some((play, remark)) if starts(remark, "illegal") => play.trim_end(),
        _ => text,
    }
}

/// Returns where a row that stands on the line of the one before begins: Galaxy leaves a line break out before the
/// words of the loser, `24) 43: 21/18 18/14   24)  Losses 2 point   Wins 2 point`.
fn repeated_number(line: &str) -> Option<usize> {
    let body = body(line)?;
    let number: u32 = line.get(..body - 1)?.trim().parse().ok()?;
    let rest = line.get(body..)?;
    rest.match_indices(')').find_map(|(bracket, _)| {
        let before = rest.get(..bracket)?;
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let again = before.get(digits.len()..)?.parse::<u32>().ok()?;
        let alone = digits.ends_with([' ', '\t']) && !digits.trim().is_empty();
        let follows = rest.get(bracket + 1..)?.starts_with([' ', '\t']);
        let next = again == number || again == number.saturating_add(1);
        (alone && follows && next).then_some(body + digits.len())
    })
}

/// Returns the byte after the number of a row.
fn body(line: &str) -> Option<usize> {
    let (before, _) = line.split_once(')')?;
    let digits = before.trim();
    let good = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    good.then(|| before.len() + 1)
}

fn player(right: bool) -> MatPlayer {
    match right {
        true => MatPlayer::Second,
        false => MatPlayer::First,
    }
}

/// Returns true if a text begins with a word, in any case.
fn starts(text: &str, word: &str) -> bool {
    let start = text.as_bytes().get(..word.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

fn starts_with_digit(text: &str) -> bool {
    text.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

/// Finds each `: NUMBER`: the byte of the colon, the number, the byte after it.
fn scored(text: &str) -> Vec<(usize, u32, usize)> {
    let mut found = Vec::new();
    for (colon, _) in text.match_indices(':') {
        let rest = text.get(colon + 1..).unwrap_or_default();
        let digits = rest.trim_start_matches([' ', '\t']);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let after = digits.get(length..).unwrap_or_default();
        let ends = after.is_empty() || after.starts_with([' ', '\t', ',']);
        let number = digits.get(..length).and_then(|digits| digits.parse().ok());
        if let (Some(number), true) = (number, ends) {
            found.push((colon, number, text.len() - after.len()));
        }
    }
    found
}

fn value(field: &'static str, found: &str, want: &'static str) -> FieldError {
    let found = quoted(found.as_bytes());
    (field, Reason::Value { found, want })
}

#[cfg(test)]
mod tests {
    use crate::notation::{MatAction, MatPlayer, MatchFile};
    use crate::{Position, Roll};

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

    /// The sample with a roll that was not played, although the game continues.
    fn unplayed() -> String {
        SAMPLE.replace(
            "  4) 55:\n",
            "  4) 55:                         61: 13/7 8/7\n",
        )
    }

    #[test]
    fn impossible_rows_are_refused() {
        let unplayed = unplayed();
        let error = unplayed.parse::<MatchFile>().unwrap_err();
        // 55 can be played there and the game continues, so an empty cell is wrong.
        assert_eq!(error.to_string(), "play is missing");
        assert_eq!(error.code(), "bad-match-file");
        // Noticed where the game continues.
        assert!(unplayed[error.at()..].starts_with("61: 13/7 8/7"));
        let check = |text: &str, message: &str| {
            let error = text.parse::<MatchFile>().unwrap_err();
            assert_eq!(error.to_string(), message);
        };
        check("; no more\n", "match length is missing");
        check(
            " seven point match",
            "match length is 'seven point match', expected a line such as ' 7 point match'",
        );
        check(
            " 7 point match\n\n Game 1\n",
            "names of the players is missing",
        );
    }

    /// MAT-10, MAT-16: lines may end with CR alone; a file without a game, or in UTF-16, is refused.
    #[test]
    fn match_without_a_game_is_refused() {
        let old = SAMPLE.replace('\n', "\r");
        let games = |text: &str| MatchFile::read(text.as_bytes()).unwrap().file.games;
        assert_eq!(games(&old), games(SAMPLE));
        for (bytes, message) in [
            (&b" 3 point match\n"[..], "match file has no game"),
            (
                b"\xff\xfe \x003\x00",
                "match file is UTF-16, expected UTF-8: save it as UTF-8",
            ),
        ] {
            let error = MatchFile::read(bytes).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    /// MAT-16, MAT-48: the fault costs its row, and nothing of what follows.
    #[test]
    fn match_is_read_on_after_a_fault() {
        let reading = MatchFile::read(unplayed().as_bytes()).unwrap();
        let [fault] = &reading.faults[..] else {
            panic!("{:?}", reading.faults)
        };
        assert_eq!(fault.to_string(), "line 9, game 1: play is missing");
        let [first, second] = &reading.file.games[..] else {
            panic!()
        };
        assert_eq!(first.actions.len(), 7);
        assert_eq!(first.result, Some((MatPlayer::First, 2)));
        assert_eq!(second.actions.len(), 3);
        assert_eq!(reading.lines[1], [14, 14, 15]);
    }

    /// MAT-16: what is no roll is named as one, and the play before it counts.
    #[test]
    fn wrong_dice_are_named() {
        let text = SAMPLE.replacen(" 61:", " 73:", 1);
        assert_ne!(text, SAMPLE);
        let reading = MatchFile::read(text.as_bytes()).unwrap();
        let fault = reading.faults[0].to_string();
        let want = "roll is '73', expected two dice from 1 to 6 such as '31'";
        assert!(fault.ends_with(want), "{fault}");
        // Two plays, the double and the take.
        assert_eq!(reading.file.games[0].actions.len(), 4);
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

    /// MAT-01: a printed match prints the same again.
    #[test]
    fn comments_are_made_fit() {
        for comment in [
            ";c \u{4}\u{4} ",
            ";c\u{4} \u{4} \u{4}",
            "; \u{7f}",
            ";\u{4} c\t\u{4}",
        ] {
            let text = format!("{comment}\n 1 point match\n\n Game 1\n a : 0      b : 0\n");
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

    /// MAT-01, MAT-27: a name is no sentence of a FIBS log.
    #[test]
    fn a_name_may_look_like_a_sentence_of_fibs() {
        for name in [
            "You are now playing bob",
            "board:You",
            "** You are now watching",
        ] {
            let text =
                format!(" 1 point match\n\n Game 1\n {name} : 0    x : 0\n  1) 31: 8/5 6/5\n");
            let file = text.parse::<MatchFile>().unwrap();
            assert_eq!(file.names, [name, "x"]);
            let printed = file.to_string();
            assert_eq!(printed.parse::<MatchFile>().unwrap().games, file.games);
        }
    }

    /// MAT-50: a thousand points more are XG's mark of a settled game, unless the next score counts them.
    #[test]
    fn settled_games_are_told_from_many_points() {
        for (points, scored, settled) in [(1002, 2, true), (1002, 1002, false)] {
            let text = format!(
                " 0 point match\n\n Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5\n      Wins {points} points\n\n \
                Game 2\n a : {scored}   b : 0\n"
            );
            let file = text.parse::<MatchFile>().unwrap();
            let [first, ..] = &file.games[..] else {
                panic!()
            };
            assert_eq!(first.result, Some((MatPlayer::First, scored)));
            assert_eq!(first.settled, settled);
            assert_eq!(file.to_string().parse::<MatchFile>().unwrap(), file);
        }
    }

    /// MAT-11: a colon in a name; MAT-10: headers; MAT-14: an unknown play.
    #[test]
    fn mat_variants_of_other_programs_are_read() {
        let text = "\u{feff}; [Variation \"NackGammon\"]\r\n; [Jacoby \"Off\"]\r\nMatch of 3 points\r\n\r\n\
            Game 1 (Crawford)\r\nA : 1 b : 0\t\tZo\u{eb} : 2\r\n1)\t16: 24/18 6/5\t66: ????\r\n\
            2)\tResigns\tWins 1 point\r\n";
        let file = text.parse::<MatchFile>().unwrap();
        assert_eq!(file.switch("jacoby"), Some(false));
        assert_ne!(file.start(), Some(Position::start()));
        assert_eq!(file.names, ["A : 1 b", "Zo\u{eb}"]);
        let game = &file.games[0];
        assert_eq!(game.scores, [0, 2]);
        assert_eq!(game.result, Some((MatPlayer::Second, 1)));
        let rolled = MatAction::Rolled(Roll::of(6, 6));
        assert_eq!(game.actions[1], (MatPlayer::Second, rolled));
        let printed = file.to_string();
        assert_eq!(printed.parse::<MatchFile>().unwrap().games, file.games);
    }

    /// MAT-13: a beaver, its acceptance, and a raccoon.
    #[test]
    fn beavers() {
        let text = " 0 point match\n Game 1\n A : 0       B : 0\n  1) 31: 8/5 6/5      Doubles => 2\n  \
            2)  Beavers => 4          64: 24/14\n  3)  Doubles => 8       Beavers => 16\n  4)  Beavers => 32\n  \
            5) 21: 13/11 6/5\n";
        let file = text.parse::<MatchFile>().unwrap();
        let actions: Vec<MatAction> = file.games[0].actions.iter().map(|a| a.1).collect();
        let [_, double, beaver, take, _, again, second, raccoon, last, _] = actions[..] else {
            panic!("{actions:?}")
        };
        assert_eq!(
            [double, beaver, take].map(|a| format!("{a:?}")),
            ["Double(2)", "Beaver(4)", "Take"]
        );
        assert_eq!(
            [again, second, raccoon, last].map(|a| format!("{a:?}")),
            ["Double(8)", "Beaver(16)", "Beaver(32)", "Take"]
        );
        let printed = file.to_string();
        assert_eq!(printed.parse::<MatchFile>().unwrap(), file, "{printed}");
    }
}
