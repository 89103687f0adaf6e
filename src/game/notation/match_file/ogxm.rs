//! OGXM, the match format of OpenGammon, version 2: the actions. Analyses, signatures, clocks and the like are passed
//! over. Rules MAT-30 to MAT-33 of `protocol-specs/match-files.md`.

use super::bytes::Bytes;
use super::record::{BORNE_OFF, LENGTH_MAX, MatPlayer, SetUp, variation_header};
use super::recorder::{FieldError, Recorder};
use crate::notation::error::{Code, NotationError, Reason};
use crate::{Play, Roll, Step};

pub(super) const MAGIC: &[u8; 4] = b"OGXM";
pub(super) const END: &[u8; 4] = b"END!";
pub(super) const MAJOR: u8 = 2;
/// Action numbers: 0 to 20 are the rolls from 11 to 66, the smaller die first.
pub(super) const DOUBLE: u8 = 21;
pub(super) const TAKE: u8 = 22;
pub(super) const DROP: u8 = 23;
const GAME_OVER: u8 = 24;
const FINAL: u8 = 26;
pub(super) const RESIGNED: u8 = 27;
const RESIGNED_MATCH: u8 = 28;
const FORFEIT: u8 = 29;
/// Bits beside the number of an action: White's action; more data follows.
pub(super) const WHITE: u8 = 0x40;
pub(super) const MORE: u8 = 0x80;
/// Bit of the mask of a game's record: the number of automatic doubles follows.
pub(super) const AUTOMATIC_DOUBLES: u64 = 0x40;
/// Bits of the mask of a game that begins with another board, or a cube that was set up.
const SET_UP: u64 = 0x38;
/// Offset of the file length in the header.
const LENGTH_AT: usize = 12;
const UNKNOWN: u8 = 0x20;
const NUMBER: u8 = 0x1f;

pub(super) fn is_ogxm(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the roll of an action number.
fn roll_of(number: u8) -> Option<Roll> {
    let rolls = (1..=6).flat_map(|low| (low..=6).map(move |high| (high, low)));
    let (high, low) = rolls.into_iter().nth(usize::from(number))?;
    Roll::new(high, low).ok()
}

/// Returns the action number of a roll.
pub(super) fn number_of(roll: Roll) -> u8 {
    let same = |number: &u8| roll_of(*number).is_some_and(|other| sorted(other) == sorted(roll));
    (0..DOUBLE).find(same).unwrap_or_default()
}

fn sorted(roll: Roll) -> [u8; 2] {
    let [one, two] = roll.dice();
    [one.min(two), one.max(two)]
}

/// Reads a whole file: a match, or a stream of matches back to back.
pub(super) fn read(bytes: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut rest = bytes;
    loop {
        let at = bytes.len() - rest.len();
        let length = stream_part(rest);
        let (file, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        match read_match(file, recorder, at) {
            Ok(()) => {}
            Err(error) if at == 0 => return Err(error),
            // The matches before it stay.
            Err(error) => {
                let wrong = (error.field(), error.reason().clone());
                recorder.give_up(0, at + error.at(), wrong);
            }
        }
        if after.is_empty() {
            return Ok(());
        }
        rest = after;
        let next = recorder.next_match(0, bytes.len() - rest.len());
        next.map_err(|(field, reason)| {
            NotationError::new(Code::BadMatchFile, field, reason, bytes.len() - rest.len())
        })?;
    }
}

/// Returns the length of the first match of a stream, in bytes; all of the stream if no other match follows.
fn stream_part(bytes: &[u8]) -> usize {
    let header = bytes.get(LENGTH_AT..).and_then(<[u8]>::first_chunk);
    let length = header.map_or(0, |&length| u32::from_le_bytes(length));
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    match bytes.get(length..) {
        Some(after) if length > LENGTH_AT && is_ogxm(after) => length,
        _ => bytes.len(),
    }
}

/// Reads one match, which begins at byte `start` of the file.
fn read_match(bytes: &[u8], recorder: &mut Recorder, start: usize) -> Result<(), NotationError> {
    let mut file = Bytes::new(bytes, 0);
    let refused =
        |(field, reason): FieldError, at| NotationError::new(Code::BadMatchFile, field, reason, at);
    let head = head(&mut file).map_err(|wrong| refused(wrong, 4))?;
    let mut match_told = false;
    while head > file.at {
        let at = file.at;
        match section(&mut file).map_err(|wrong| refused(wrong, at)) {
            Ok((tag, _)) if tag == *END => break,
            Ok((tag, mut body)) => match &tag {
                b"MTCH" if !match_told => {
                    read_match_section(&mut body, recorder)
                        .map_err(|wrong| refused(wrong, body.at))?;
                    match_told = true;
                }
                b"GAME" if match_told => {
                    body.at += start;
                    game(body, recorder);
                }
                b"CSUM" => checked(body, bytes, at).map_err(|wrong| refused(wrong, at))?,
                _ if match_told => {}
                _ => return Err(refused(("match", Reason::Missing), at)),
            },
            // The part that was read stays.
            Err(error) if match_told => {
                recorder.give_up(0, at + start, (error.field(), error.reason().clone()));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    match match_told {
        true => Ok(()),
        false => Err(refused(("match", Reason::Missing), file.at)),
    }
}

/// Parses the first 16 bytes and returns the length given there.
fn head(file: &mut Bytes<'_>) -> Result<usize, FieldError> {
    const FIELD: &str = "OGXM file";
    let whole = file.rest().len();
    file.take(MAGIC.len(), FIELD)?;
    let major = file.byte(FIELD)?;
    if major != MAJOR {
        let why = "is not of version 2, which is read; the package ogxm makes it of version 1";
        return Err((FIELD, Reason::Other(why)));
    }
    file.take(7, FIELD)?;
    let length = usize::try_from(file.word(FIELD)?).unwrap_or(usize::MAX);
    match length {
        _ if length > whole => Err((FIELD, Reason::Other("ends too early"))),
        _ if length < whole => {
            let why = "has more behind its end, and that is no other match";
            Err((FIELD, Reason::Other(why)))
        }
        _ => Ok(length),
    }
}

/// section = letters length flags { byte }, or the end, which is only letters
fn section<'a>(file: &mut Bytes<'a>) -> Result<([u8; 4], Bytes<'a>), FieldError> {
    const FIELD: &str = "section";
    let tag = file.take(4, FIELD)?;
    let letters = tag.rest().first_chunk().copied().unwrap_or_default();
    if letters == *END {
        return Ok((letters, tag));
    }
    let length = file.word(FIELD)?;
    file.byte(FIELD)?;
    let body = file.take(usize::try_from(length).unwrap_or(usize::MAX), FIELD)?;
    Ok((letters, body))
}

/// checksum = mask algorithm length { byte }: only CRC-32 is known.
fn checked(mut body: Bytes<'_>, bytes: &[u8], at: usize) -> Result<(), FieldError> {
    const FIELD: &str = "checksum";
    let mut record = body.counted(FIELD)?;
    record.varint(FIELD)?;
    let algorithm = record.varint(FIELD)?;
    let mut sum = record.counted(FIELD)?;
    if algorithm == 0 && sum.word(FIELD)? != crc32fast::hash(bytes.get(..at).unwrap_or_default()) {
        return Err((FIELD, Reason::Other("is wrong: the file is damaged")));
    }
    Ok(())
}

/// match = mask length variant [ white ] [ black ] [ rules ] …
fn read_match_section(body: &mut Bytes<'_>, recorder: &mut Recorder) -> Result<(), FieldError> {
    const FIELD: &str = "match";
    let mut record = body.counted(FIELD)?;
    let mask = record.varint(FIELD)?;
    let length = record.varint("match length")?;
    recorder.file.length = u32::try_from(length)
        .ok()
        .filter(|&length| length <= LENGTH_MAX)
        .ok_or(("match length", Reason::Other("is not 0 to 32767")))?;
    let mut headers = Vec::new();
    headers.extend(variation_header(record.varint("variation")?));
    for (bit, place) in recorder.file.names.iter_mut().enumerate() {
        if mask & (1 << bit) != 0 {
            let name = record.counted("name")?;
            *place = String::from_utf8_lossy(name.rest()).into_owned();
        }
    }
    if mask & 4 != 0 {
        let rules = record.varint("rules")?;
        let switch = |bit: u64| if rules & bit != 0 { "On" } else { "Off" };
        match length {
            0 => headers.push(format!(" [Jacoby \"{}\"]", switch(2))),
            1 => {}
            _ => headers.push(format!(" [Crawford \"{}\"]", switch(1))),
        }
    }
    if length == 0 {
        headers.push(" [Beaver \"Off\"]".to_owned());
    }
    if mask & 8 != 0 && record.varint("cube limit")? == 1 {
        headers.push(" [CubeLimit \"1\"]".to_owned());
    }
    if mask & 16 != 0 {
        let mut score = || {
            record
                .varint("score")
                .map(|points| u32::try_from(points).unwrap_or(LENGTH_MAX))
        };
        recorder.start_scores = [score()?, score()?];
    }
    recorder.file.comments = headers;
    Ok(())
}

/// Data of a game's record.
#[derive(Default)]
struct GameHeader {
    winner: Option<MatPlayer>,
    points: Option<u32>,
    /// Number of automatic doubles before the first roll.
    automatic: u64,
}

/// game = record { action }
fn game(mut body: Bytes<'_>, recorder: &mut Recorder) {
    let at = body.at;
    let scores = recorder.scores_by_now();
    let begun = recorder.begin();
    recorder.scores(scores);
    let header = begun
        .and_then(|()| game_record(&mut body))
        .and_then(|header| match header.automatic {
            0 => Ok(header),
            doubles => automatic_doubles(doubles, recorder).map(|()| header),
        });
    let header = match header {
        Ok(header) => header,
        Err(wrong) => return recorder.give_up(0, at, wrong),
    };
    while !body.is_empty() {
        let at = body.at;
        match action(&mut body, at, recorder) {
            Ok(true) => {}
            Ok(false) => break,
            Err(wrong) => {
                recorder.give_up(0, at, wrong);
                break;
            }
        }
    }
    if let (Some(winner), Some(points)) = (header.winner, header.points) {
        recorder.set_result(winner, points);
    }
}

fn game_record(body: &mut Bytes<'_>) -> Result<GameHeader, FieldError> {
    const FIELD: &str = "game";
    let mut record = body.counted(FIELD)?;
    let mask = record.varint(FIELD)?;
    let mut header = GameHeader::default();
    if mask & 1 != 0 {
        header.winner = match record.varint("winner")? {
            0 => Some(MatPlayer::First),
            1 => Some(MatPlayer::Second),
            _ => None,
        };
    }
    if mask & 2 != 0 {
        header.points = u32::try_from(record.varint("points")?).ok();
    }
    if mask & SET_UP != 0 {
        let why = "begins with another board or cube, which is not read";
        return Err((FIELD, Reason::Other(why)));
    }
    if mask & AUTOMATIC_DOUBLES != 0 {
        header.automatic = record.varint("automatic doubles")?;
    }
    Ok(header)
}

/// Begins the game with the cube of so many automatic doubles.
fn automatic_doubles(doubles: u64, recorder: &mut Recorder) -> Result<(), FieldError> {
    let value = u32::try_from(doubles).ok();
    let value = value.and_then(|doubles| 1_u32.checked_shl(doubles));
    let set_up = SetUp {
        position: recorder.board(MatPlayer::First),
        value: value.unwrap_or(0),
        owner: None,
    };
    recorder.set_up(0, MatPlayer::First, set_up)
}

/// Reads one action; returns false where the game ends.
fn action(body: &mut Bytes<'_>, at: usize, recorder: &mut Recorder) -> Result<bool, FieldError> {
    let head = body.byte("action")?;
    let player = match head & WHITE {
        0 => MatPlayer::Second,
        _ => MatPlayer::First,
    };
    let number = head & NUMBER;
    if head & UNKNOWN != 0 {
        return Err(("action", Reason::Other("is of an unknown kind")));
    }
    let roll = roll_of(number);
    let play = roll.map(|roll| steps(body, player, roll)).transpose()?;
    if head & MORE != 0 {
        body.counted("action")?;
    }
    if recorder.has_given_up() {
        return Ok(true);
    }
    match (roll, play, number) {
        (Some(roll), Some(play), _) => {
            if let Some(wrong) = recorder.play_steps(0, player, roll, play)? {
                recorder.note(0, at, wrong);
            }
        }
        (_, _, DOUBLE) => {
            if let Some(wrong) = recorder.leave_crawford() {
                recorder.note(0, at, wrong);
            }
            recorder.double(0, player)?;
        }
        (_, _, TAKE) => recorder.take(0, player)?,
        (_, _, DROP) => recorder.drop(0, player)?,
        (_, _, GAME_OVER | FINAL | RESIGNED | RESIGNED_MATCH | FORFEIT) => return Ok(false),
        _ => {
            return Err(("action", Reason::Other("is of an unknown kind")));
        }
    }
    Ok(true)
}

/// Reads points and pips, by White's numbers; a 0 ends fewer steps than there are dice.
fn steps(body: &mut Bytes<'_>, player: MatPlayer, roll: Roll) -> Result<Play, FieldError> {
    let [one, two] = roll.dice();
    let most = if one == two { 4 } else { 2 };
    let mut steps = Vec::new();
    while steps.len() < most {
        let byte = body.byte("play")?;
        let (from, pips) = (byte & 0x1f, byte >> 5);
        // A point 0 without pips: Black enters from 0 with some.
        if byte == 0 {
            break;
        }
        let bad = ("play", Reason::Other("has a step from no point"));
        let from = match player {
            MatPlayer::First => from,
            MatPlayer::Second => 25_u8.checked_sub(from).ok_or(bad.clone())?,
        };
        if !(1..=25).contains(&from) || pips == 0 {
            return Err(bad);
        }
        steps.push(Step {
            // The bar is point 25.
            from: from - 1,
            to: from.checked_sub(pips + 1).unwrap_or(BORNE_OFF),
        });
    }
    Play::from_steps(&steps).ok_or(("play", Reason::Other("has more than four steps")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_have_numbers() {
        for roll in Roll::ALL {
            let number = number_of(roll);
            assert_eq!(roll_of(number).map(sorted), Some(sorted(roll)));
        }
        assert_eq!(
            [number_of(Roll::of(1, 1)), number_of(Roll::of(6, 6))],
            [0, 20]
        );
        assert_eq!(number_of(Roll::of(6, 5)), 19);
        assert_eq!(roll_of(21), None);
    }
}
