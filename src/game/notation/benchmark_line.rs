//! The lines of GNUbg benchmark files (`.bm`) and of training files.
//!
//! Rules BM-01 to BM-11 of `protocol-specs/benchmark-files.md`. One line is one
//! [`BenchmarkRecord`]; printing it gives the line back, except that numbers are written with six
//! significant digits, as the program that made the published files does.

use std::fmt;
use std::str::FromStr;

use super::any_position::parse_position;
use super::error::quoted;
use super::key::letters;
use super::number::General;
use super::syntax::{Parsed, complete, is_blank, refuse, word};
use super::{Code, NotationError, PositionKey, Reason};
use crate::{Chances, Position, Roll};

const WHOLE: &str = "record";
const CHANCE_FIELDS: [&str; 5] = [
    "chance of a win",
    "chance of a won gammon",
    "chance of a won backgammon",
    "chance of a lost gammon",
    "chance of a lost backgammon",
];

/// A line of a `.bm` file.
///
/// ```
/// use gammond_game::notation::BenchmarkRecord;
/// let line = "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133";
/// let record: BenchmarkRecord = line.parse()?;
/// assert_eq!(record.to_string(), line);
/// let BenchmarkRecord::Play(play) = record else { unreachable!() };
/// assert_eq!((play.candidates.len(), play.roll.to_string().as_str()), (2, "24"));
/// # Ok::<(), gammond_game::notation::NotationError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum BenchmarkRecord {
    /// `s`: settings of the run, names and values in turn.
    Settings(String),
    /// `#`: a comment.
    Comment(String),
    /// `#R`: rolled-out chances of one candidate of the next `m` record; the opponent of the
    /// player who moved is on roll.
    Rolled(PositionChances),
    /// `#Resumed`: an interrupted run resumed here.
    Resumed,
    /// `r`: the dice seed for the next `m` or `o` record.
    Seed(u64),
    /// `m`: a position, a roll and candidates with their losses.
    Play(PlayRecord),
    /// `o`: a position and its rolled-out chances.
    Position(PositionChances),
    /// `c`: a cubeful rollout.
    Cube(CubeRecord),
    /// `e`: a net's evaluation.
    Evaluation(PositionChances),
    /// `O`: a race evaluated by one-sided simulation.
    OneSided(PositionChances),
    /// `b`: the best play by evaluation.
    Best(BestRecord),
    /// An empty line or one of an unknown type; readers pass over it.
    Other(String),
}

/// A position and chances of the player on roll in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PositionChances {
    /// The position.
    pub position: Position,
    /// The chances.
    pub chances: Chances,
}

/// An `m` record.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayRecord {
    /// The position, the player to move on roll.
    pub position: Position,
    /// The roll.
    pub roll: Roll,
    /// Cubeless money equity of the best candidate for the player who moves, in points.
    pub equity: f64,
    /// Candidates, at least one; the best comes first with loss 0.
    pub candidates: Vec<ListedPlay>,
}

impl PlayRecord {
    /// Returns the index of the listed candidate that a play ends in, and the loss of the play in points. An unlisted
    /// play has no index and gets the greatest listed loss.
    #[must_use]
    pub fn charge(&self, after: &Position) -> (Option<usize>, f64) {
        let listed = self
            .candidates
            .iter()
            .position(|one| one.position == *after);
        let worst = || {
            self.candidates
                .iter()
                .map(|one| one.loss)
                .fold(0.0, f64::max)
        };
        let chosen = listed.and_then(|index| self.candidates.get(index));
        (
            listed,
            chosen.map_or_else(worst, |candidate| candidate.loss),
        )
    }
}

/// A resulting position of an `m` record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ListedPlay {
    /// The position after the play, the opponent on roll.
    pub position: Position,
    /// Equity lost against the best candidate, in points; not below 0.
    pub loss: f64,
}

/// A `c` record: match winning chances in percent and what to do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CubeRecord {
    /// The position.
    pub position: Position,
    /// Match winning chance without a double, 0..=100.
    pub no_double: f64,
    /// Match winning chance after double and take, 0..=100.
    pub double_take: f64,
    /// Correct cube action.
    pub action: CubeAction,
}

/// The action of a `c` record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CubeAction {
    /// `TG`: too good to double.
    TooGood,
    /// `D/T`: double, take.
    DoubleTake,
    /// `D/D`: double, pass.
    DoublePass,
    /// `ND`: no double.
    NoDouble,
}

impl CubeAction {
    const ALL: [CubeAction; 4] = [
        CubeAction::TooGood,
        CubeAction::DoubleTake,
        CubeAction::DoublePass,
        CubeAction::NoDouble,
    ];

    /// Returns the spelling in the file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            CubeAction::TooGood => "TG",
            CubeAction::DoubleTake => "D/T",
            CubeAction::DoublePass => "D/D",
            CubeAction::NoDouble => "ND",
        }
    }
}

/// A `b` record.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BestRecord {
    /// The position before the play.
    pub position: Position,
    /// The roll.
    pub roll: Roll,
    /// The position after the play, the opponent on roll.
    pub after: Position,
    /// The chances in that position.
    pub chances: Chances,
}

impl BenchmarkRecord {
    /// Reads one line, without its line end.
    ///
    /// # Errors
    /// [`NotationError`] with the code `bad-record` when a line of a known type is wrong.
    pub fn parse(line: &[u8]) -> Result<BenchmarkRecord, NotationError> {
        complete(Code::BadRecord, WHOLE, line, record)
    }
}

/// Returns a position on a line of its own: any position text, or a line of a training file; none for comments and
/// empty lines.
///
/// # Errors
/// When the line is neither.
pub fn parse_position_line(line: &[u8]) -> Result<Option<Position>, NotationError> {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(None);
    }
    let words = line.split(u8::is_ascii_whitespace);
    if words.filter(|word| !word.is_empty()).count() == 1 + RESULTS_ON_A_LINE {
        let record = parse_training_line(line)?;
        return Ok(record.map(|record| record.position));
    }
    Ok(Some(parse_position(line)?.position))
}

/// Number of chances after the position on a line of a training file.
const RESULTS_ON_A_LINE: usize = 5;

/// Reads a line of a training file, `KEY p0 p1 p2 p3 p4`; `None` for comments and empty lines.
///
/// # Errors
/// [`NotationError`] with the code `bad-record`.
pub fn parse_training_line(line: &[u8]) -> Result<Option<PositionChances>, NotationError> {
    let text = line.trim_ascii();
    if text.is_empty() || text.starts_with(b"#") {
        return Ok(None);
    }
    complete(Code::BadRecord, WHOLE, line, position_chances).map(Some)
}

impl PositionChances {
    /// Formats a line of a training file, with five decimals.
    #[must_use]
    pub fn training_line(&self) -> String {
        let mut line = PositionKey::from(self.position).to_string();
        for chance in self.chances.to_array() {
            line.push_str(&format!(" {chance:.5}"));
        }
        line
    }
}

/// record = type letter, blank, what belongs to it
fn record(input: &[u8]) -> Parsed<'_, BenchmarkRecord> {
    let end = input.iter().take_while(|&&byte| !is_blank(byte)).count();
    let (kind, body) = input.split_at_checked(end).unwrap_or((input, &[]));
    let chances = |make: fn(PositionChances) -> BenchmarkRecord| {
        let (rest, chances) = position_chances(body)?;
        Ok((rest, make(chances)))
    };
    match kind {
        b"s" => Ok((&[], BenchmarkRecord::Settings(rest_of_line(body)))),
        b"#R" => {
            let (rest, chances) = candidate_chances(body)?;
            Ok((rest, BenchmarkRecord::Rolled(chances)))
        }
        b"#Resumed" if body.trim_ascii().is_empty() => Ok((&[], BenchmarkRecord::Resumed)),
        [b'#', ..] => {
            let text = input.get(1..).unwrap_or_default();
            let text = String::from_utf8_lossy(trimmed_end(text));
            Ok((&[], BenchmarkRecord::Comment(text.into_owned())))
        }
        b"r" => seed(body),
        b"m" => play_record(body),
        b"o" => chances(BenchmarkRecord::Position),
        b"c" => cube_record(body),
        b"e" => chances(BenchmarkRecord::Evaluation),
        b"O" => chances(BenchmarkRecord::OneSided),
        b"b" => best_record(body),
        _ => {
            let text = String::from_utf8_lossy(trimmed_end(input));
            Ok((&[], BenchmarkRecord::Other(text.into_owned())))
        }
    }
}

/// Returns the text after the blank that follows the type.
fn rest_of_line(body: &[u8]) -> String {
    String::from_utf8_lossy(body.trim_ascii()).into_owned()
}

/// Removes the blanks at the end. Other white space stays, so that the rest does not turn into a line of another
/// type.
fn trimmed_end(text: &[u8]) -> &[u8] {
    let blanks = text
        .iter()
        .rev()
        .take_while(|&&byte| is_blank(byte))
        .count();
    text.get(..text.len() - blanks).unwrap_or_default()
}

/// r = number
fn seed(input: &[u8]) -> Parsed<'_, BenchmarkRecord> {
    const FIELD: &str = "seed";
    let (rest, word) = word(FIELD)(input)?;
    match std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
    {
        Some(seed) => Ok((blanks(rest), BenchmarkRecord::Seed(seed))),
        None => {
            let found = quoted(word);
            let want = "a whole number";
            refuse(
                here(input, rest, word),
                FIELD,
                Reason::Value { found, want },
            )
        }
    }
}

/// m = key die die key equity \*( key loss )
fn play_record(input: &[u8]) -> Parsed<'_, BenchmarkRecord> {
    let (rest, position) = position(input, "position of the record")?;
    let (rest, roll) = roll(rest)?;
    let (rest, best) = position_after(rest, "best candidate")?;
    let (mut rest, equity) = number(rest, "best equity", (-3.001, 3.001), "-3 to 3 points")?;
    let mut candidates = vec![ListedPlay {
        position: best,
        loss: 0.0,
    }];
    loop {
        rest = blanks(rest);
        if rest.is_empty() {
            break;
        }
        let (after, position) = position_after(rest, "candidate")?;
        let (after, loss) = number(after, "loss", (-0.001, 6.001), "0 to 6 points")?;
        candidates.push(ListedPlay { position, loss });
        rest = after;
    }
    let record = PlayRecord {
        position,
        roll,
        equity,
        candidates,
    };
    Ok((rest, BenchmarkRecord::Play(record)))
}

/// c = key percent percent action
fn cube_record(input: &[u8]) -> Parsed<'_, BenchmarkRecord> {
    const FIELD: &str = "cube action";
    let (rest, position) = position(input, "position of the record")?;
    let range = (-0.001, 100.001);
    let (rest, no_double) = number(rest, "chance without a double", range, "0 to 100 percent")?;
    let (rest, double_take) = number(rest, "chance after a take", range, "0 to 100 percent")?;
    let (after, word) = word(FIELD)(rest)?;
    let found = CubeAction::ALL
        .into_iter()
        .find(|action| action.as_str().as_bytes() == word);
    let Some(action) = found else {
        let found = quoted(word);
        let want = "TG, D/T, D/D or ND";
        return refuse(
            here(rest, after, word),
            FIELD,
            Reason::Value { found, want },
        );
    };
    let record = CubeRecord {
        position,
        no_double,
        double_take,
        action,
    };
    Ok((blanks(after), BenchmarkRecord::Cube(record)))
}

/// b = key die die key 5chance
fn best_record(input: &[u8]) -> Parsed<'_, BenchmarkRecord> {
    let (rest, position) = position(input, "position of the record")?;
    let (rest, roll) = roll(rest)?;
    let (rest, after) = position_after(rest, "best candidate")?;
    let (rest, chances) = chances(rest)?;
    let record = BestRecord {
        position,
        roll,
        after,
        chances,
    };
    Ok((rest, BenchmarkRecord::Best(record)))
}

/// position-chances = key 5chance
fn position_chances(input: &[u8]) -> Parsed<'_, PositionChances> {
    let (rest, position) = position(input, "position of the record")?;
    with_chances(rest, position)
}

/// Parses like [`position_chances`], but the play that leads there may have ended the game.
fn candidate_chances(input: &[u8]) -> Parsed<'_, PositionChances> {
    let (rest, position) = position_after(input, "position of the record")?;
    with_chances(rest, position)
}

fn with_chances(rest: &[u8], position: Position) -> Parsed<'_, PositionChances> {
    let (rest, chances) = chances(rest)?;
    Ok((rest, PositionChances { position, chances }))
}

fn chances(input: &[u8]) -> Parsed<'_, Chances> {
    let mut rest = input;
    let mut values = [0.0; 5];
    for (value, field) in values.iter_mut().zip(CHANCE_FIELDS) {
        let (after, chance) = number(rest, field, (-0.001, 1.001), "0 to 1")?;
        #[expect(clippy::cast_possible_truncation, reason = "the nearest f32 is wanted")]
        {
            *value = chance as f32;
        }
        rest = after;
    }
    Ok((blanks(rest), Chances::from_array(values)))
}

/// Parses a key and the position it stands for. Games that are over have no place before a play.
fn position<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, Position> {
    let (rest, position) = position_after(input, field)?;
    if position.is_over() {
        let why = "has no checkers of one side: the game is over";
        return refuse(blanks(input), field, Reason::Other(why));
    }
    Ok((rest, position))
}

/// Parses the key of a position after a play, where the game may be over.
fn position_after<'a>(input: &'a [u8], field: &'static str) -> Parsed<'a, Position> {
    let start = blanks(input);
    if start.is_empty() {
        return refuse(start, field, Reason::Missing);
    }
    let (rest, key) = letters(start)?;
    Ok((rest, key.position()))
}

/// Parses two dice separated by a space.
fn roll(input: &[u8]) -> Parsed<'_, Roll> {
    let mut rest = input;
    let mut dice = [0; 2];
    for (die, field) in dice.iter_mut().zip(["first die", "second die"]) {
        let (after, word) = word(field)(rest)?;
        *die = match word {
            &[digit @ b'1'..=b'6'] => digit - b'0',
            _ => {
                let found = quoted(word);
                let want = "1 to 6";
                return refuse(
                    here(rest, after, word),
                    field,
                    Reason::Value { found, want },
                );
            }
        };
        rest = after;
    }
    let [first, second] = dice;
    match Roll::new(first, second) {
        Ok(roll) => Ok((rest, roll)),
        Err(error) => refuse(input, "roll", error.into()),
    }
}

/// Returns a decimal number in any usual spelling, within a range.
fn number<'a>(
    input: &'a [u8],
    field: &'static str,
    (low, high): (f64, f64),
    want: &'static str,
) -> Parsed<'a, f64> {
    let (rest, word) = word(field)(input)?;
    let value = std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse::<f64>().ok());
    match value {
        Some(value) if value >= low && value <= high => Ok((rest, value)),
        _ => {
            let found = quoted(word);
            refuse(
                here(input, rest, word),
                field,
                Reason::Value { found, want },
            )
        }
    }
}

fn blanks(input: &[u8]) -> &[u8] {
    let count = input.iter().take_while(|&&byte| is_blank(byte)).count();
    input.get(count..).unwrap_or_default()
}

/// Returns the input from `word` on, which ends where `rest` begins.
fn here<'a>(input: &'a [u8], rest: &[u8], word: &[u8]) -> &'a [u8] {
    let at = input.len().saturating_sub(rest.len() + word.len());
    input.get(at..).unwrap_or_default()
}

impl FromStr for BenchmarkRecord {
    type Err = NotationError;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        BenchmarkRecord::parse(line.as_bytes())
    }
}

impl fmt::Display for PositionChances {
    /// Returns the key and five chances with six significant digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", PositionKey::from(self.position))?;
        write_chances(f, &self.chances)
    }
}

fn write_chances(f: &mut fmt::Formatter<'_>, chances: &Chances) -> fmt::Result {
    let mut values = chances.to_array().into_iter();
    values.try_for_each(|chance| write!(f, " {}", General(f64::from(chance))))
}

impl fmt::Display for PlayRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.roll.dice();
        write!(f, "m {} {first} {second}", PositionKey::from(self.position))?;
        for (rank, candidate) in self.candidates.iter().enumerate() {
            let number = if rank == 0 {
                self.equity
            } else {
                candidate.loss
            };
            let key = PositionKey::from(candidate.position);
            write!(f, " {key} {}", General(number))?;
        }
        Ok(())
    }
}

impl fmt::Display for BenchmarkRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BenchmarkRecord::Settings(text) => write!(f, "s {text}"),
            BenchmarkRecord::Comment(text) => write!(f, "#{text}"),
            BenchmarkRecord::Rolled(chances) => write!(f, "#R {chances}"),
            BenchmarkRecord::Resumed => f.write_str("#Resumed"),
            BenchmarkRecord::Seed(seed) => write!(f, "r {seed}"),
            BenchmarkRecord::Play(play) => play.fmt(f),
            BenchmarkRecord::Position(chances) => write!(f, "o {chances}"),
            BenchmarkRecord::Cube(cube) => write!(
                f,
                "c {} {} {} {}",
                PositionKey::from(cube.position),
                General(cube.no_double),
                General(cube.double_take),
                cube.action.as_str()
            ),
            BenchmarkRecord::Evaluation(chances) => write!(f, "e {chances}"),
            BenchmarkRecord::OneSided(chances) => write!(f, "O {chances}"),
            BenchmarkRecord::Best(best) => {
                let [first, second] = best.roll.dice();
                let (before, after) = (
                    PositionKey::from(best.position),
                    PositionKey::from(best.after),
                );
                write!(f, "b {before} {first} {second} {after}")?;
                write_chances(f, &best.chances)
            }
            BenchmarkRecord::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "OAHDPAABDAOAHDPAABDA";

    #[test]
    fn every_type_reads_and_prints_back() {
        for line in [
            "s version 1.93 weights 1.00",
            "# source contact.bm line 9",
            "#Resumed",
            "#R OAHDPAABDAOAHDPAABDA 0.52538 0.14924 0.00683 0.12566 0.00534",
            "r 248262433",
            "m AAAAABNMAAAAAAAAAAAA 6 1 APAAAAAAAACAAAAAAAAA 0.345939 ALAAAAAAAABAAAAAAAAA 0",
            "m OAHDPAABDAOAHDPAABDA 4 2 JIGHPAABDAOAHDPAABDA -2 OAHDOEABCBOAHDPAABDA 6.07967e-06",
            "o GPLLAOAAAAFLAAAACAAA 0.750062 0.025623 0.00051075 0 0",
            "c OAHDPAABDAOAHDPAABDA 50.12 48.5 ND",
            "c OAHDPAABDAOAHDPAABDA 50.12 48.5 D/T",
            "e OAHDPAABDAOAHDPAABDA 0.5 0.1 0.01 0.1 0.01",
            "O HLAAAAIANJHGMBAAACAA 0.5 0 0 0 0",
            "b OAHDPAABDAOAHDPAABDA 4 2 JIGHPAABDAOAHDPAABDA 0.5 0.1 0.01 0.1 0.01",
            "",
            "x something new",
        ] {
            let record: BenchmarkRecord = line.parse().unwrap();
            assert_eq!(record.to_string(), line);
            let crlf = format!("{line}\r");
            assert_eq!(crlf.parse::<BenchmarkRecord>().unwrap(), record);
        }
    }

    #[test]
    fn numbers_may_be_spelled_in_any_way() {
        let line = format!("m {START} 2 4 JIGHPAABDAOAHDPAABDA -1.9303400 {START} +1E-3");
        let record: BenchmarkRecord = line.parse().unwrap();
        let printed = format!("m {START} 2 4 JIGHPAABDAOAHDPAABDA -1.93034 {START} 0.001");
        assert_eq!(record.to_string(), printed);
    }

    #[test]
    fn errors_name_field_and_byte() {
        let check = |line: &str, message: &str, at: usize| {
            let error = line.parse::<BenchmarkRecord>().unwrap_err();
            let seen = (error.to_string(), error.at(), error.code());
            assert_eq!(seen, (message.to_owned(), at, "bad-record"), "{line}");
        };
        check("m", "position of the record is missing", 1);
        check(&format!("m {START}"), "first die is missing", 22);
        check(
            &format!("m {START} 2 7"),
            "second die is '7', expected 1 to 6",
            25,
        );
        check(&format!("m {START} 2 4"), "best candidate is missing", 26);
        check(
            &format!("m {START} 2 4 {START}"),
            "best equity is missing",
            47,
        );
        let line = format!("m {START} 2 4 {START} 0.1 {START}");
        check(&line, "loss is missing", 72);
        let line = format!("m {START} 2 4 {START} nan");
        check(&line, "best equity is 'nan', expected -3 to 3 points", 48);
        check(
            "m OAHD 1 2",
            "position key has 4 characters, expected 20 (example: OAHDPAABDAOAHDPAABDA)",
            2,
        );
        let line = format!("o {START} 0.5 0.1 0.01 0.1");
        check(&line, "chance of a lost backgammon is missing", line.len());
        let line = format!("o {START} 0.5 0.1 0.01 0.1 0.01 9");
        check(&line, "record is followed by '9'", line.len() - 1);
        let line = format!("o {START} 0.5 1.2 0.01 0.1 0.01");
        check(
            &line,
            "chance of a won gammon is '1.2', expected 0 to 1",
            27,
        );
        let line = format!("c {START} 50 50 XX");
        check(
            &line,
            "cube action is 'XX', expected TG, D/T, D/D or ND",
            29,
        );
        check("r x", "seed is 'x', expected a whole number", 2);
    }

    #[test]
    fn training_lines() {
        let line = "OAHDPAABDAOAHDPAABDA 0.52538 0.14924 0.00683 0.12566 0.00534";
        let record = parse_training_line(line.as_bytes()).unwrap().unwrap();
        assert_eq!(record.position, Position::start());
        assert_eq!(record.training_line(), line);
        assert_eq!(parse_training_line(b"# form sample"), Ok(None));
        assert_eq!(parse_training_line(b"\r"), Ok(None));
        assert!(parse_training_line(b"OAHDPAABDAOAHDPAABDA 0.5").is_err());
    }
}
