//! eXtreme Gammon's binary `.xg`: what was played, by its maker's published layout. Analyses and comments are passed
//! over. Rules MAT-40 to MAT-44 of `protocol-specs/match-files.md`.

use super::bytes::Bytes;
use super::record::{BORNE_OFF, LENGTH_MAX, MatPlayer, SetUp};
use super::recorder::{Recorder, Wrong};
use crate::game::{POINTS, Play, Position, Roll, Step, find_play};
use crate::notation::error::{Code, NotationError, Reason};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::borrow::Cow;

const MAGIC: &[u8; 4] = b"RGMH";
/// Bytes before the picture, when the header does not say.
const TRAILER: usize = 36;
/// An entry of the list of files.
const ENTRY: usize = 532;
const ENTRIES_MAX: usize = 1000;
/// A record of the match.
pub(super) const RECORD: usize = 2560;
/// Most bytes of records: 10,000 games would need less.
const RECORDS_BYTES_MAX: usize = 64 << 20;
/// What the records of a match begin with, beside other files of the archive.
const RECORDS_NAME: &str = "temp.xg";
/// In the first record.
pub(super) const RECORDS_MAGIC: u32 = 0x494c_4d44;
/// Points of a match without end.
pub(super) const UNLIMITED: i32 = 99999;
/// Versions of the records from which on names are in UTF-16.
const UTF16_SINCE: i32 = 24;
const NAME_UNITS: usize = 128;

const FIELD: &str = "XG file";

pub(super) fn is_xg(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

const fn wrong(why: &'static str) -> Wrong {
    (FIELD, Reason::Other(why))
}

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let refused = |(field, reason): Wrong| NotationError::new(Code::BadMatchFile, field, reason, 0);
    let (records, sound) = records(bytes).map_err(refused)?;
    let mut frame = Frame::OnRoll;
    let mut start = None;
    let mut match_told = false;
    for (number, record) in records.chunks_exact(RECORD).enumerate() {
        let record = Record(record);
        // Where it would stand if nothing were compressed.
        let at = number.saturating_mul(RECORD).min(bytes.len());
        match record.byte(8) {
            0 => {
                header(&record, recorder).map_err(refused)?;
                match_told = true;
                if !sound {
                    recorder.note(
                        0,
                        at,
                        ("checksum", Reason::Other("is wrong: the file is damaged")),
                    );
                }
            }
            _ if !match_told => return Err(refused(wrong("does not begin with a match"))),
            1 => start = game(&record, recorder, at),
            4 => ending(&record, recorder),
            5 => break,
            kind @ (2 | 3) if !recorder.file.games.is_empty() && !recorder.has_given_up() => {
                let player = record.player(if kind == 2 { 12 } else { 64 });
                let begun = player.and_then(|player| {
                    let set_up = start.take().map(|start: SetUp| match player {
                        MatPlayer::First => start,
                        MatPlayer::Second => SetUp {
                            position: start.position.swapped(),
                            ..start
                        },
                    });
                    set_up.map_or(Ok(()), |set_up| recorder.set_up(0, player, set_up))
                });
                let done = begun.and_then(|()| match kind {
                    2 => cube(&record, recorder),
                    _ => play(&record, recorder, &mut frame, at),
                });
                if let Err(wrong) = done {
                    recorder.give_up(0, at, wrong);
                }
            }
            _ => {}
        }
    }
    match match_told {
        true => Ok(()),
        false => Err(refused(wrong("has no match in it"))),
    }
}

/// The records of the match, and whether their checksum is right.
fn records(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), Wrong> {
    const SHORT: &str = "ends too early";
    let mut head = Bytes::new(bytes, 0);
    head.take(8, FIELD)?;
    let size = head.word(FIELD)?;
    head.take(8, FIELD)?;
    let picture = head.word(FIELD)?;
    let start = usize::try_from(u64::from(size) + u64::from(picture)).unwrap_or(usize::MAX);
    let archive = bytes.get(start..).ok_or(wrong(SHORT))?;
    let (before, trailer) = archive
        .len()
        .checked_sub(TRAILER)
        .and_then(|place| archive.split_at_checked(place))
        .ok_or(wrong(SHORT))?;
    let mut trailer = Bytes::new(trailer, 0);
    trailer.take(12, FIELD)?;
    let length = usize::try_from(trailer.word(FIELD)?).unwrap_or(usize::MAX);
    trailer.take(4, FIELD)?;
    let compressed = trailer.byte(FIELD)? != 0;
    let list = before
        .len()
        .checked_sub(length)
        .and_then(|place| before.get(place..))
        .ok_or(wrong("has a list of files that is longer than it"))?;
    let list = unpacked(list, compressed, ENTRY * ENTRIES_MAX)?;
    for entry in list.chunks_exact(ENTRY) {
        let entry = Record(entry);
        if !entry.short_text(0).eq_ignore_ascii_case(RECORDS_NAME) {
            continue;
        }
        let number = |at| usize::try_from(entry.word(at)).unwrap_or(usize::MAX);
        let (whole, packed, place) = (number(512), number(516), number(520));
        let end = place.checked_add(packed);
        let data = end.and_then(|end| before.get(place..end));
        let data = data.ok_or(wrong("has records that lie outside of it"))?;
        if whole > RECORDS_BYTES_MAX {
            return Err(wrong("has more than 64 MiB of records"));
        }
        let records = unpacked(data, entry.byte(528) == 0, whole)?;
        // Nothing says whether the sum is of the packed bytes.
        let sums = [crc32fast::hash(&records), crc32fast::hash(data)];
        return Ok((records, sums.contains(&entry.word(524))));
    }
    Err(wrong("has no records of a match (temp.xg)"))
}

fn unpacked(data: &[u8], compressed: bool, most: usize) -> Result<Cow<'_, [u8]>, Wrong> {
    if !compressed {
        return Ok(Cow::Borrowed(data));
    }
    decompress_to_vec_zlib_with_limit(data, most)
        .map(Cow::Owned)
        .map_err(|error| match error.status {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
                wrong("unpacks to more bytes than it says")
            }
            _ => wrong("cannot be unpacked: it is damaged"),
        })
}

/// A part of fixed length; what lies outside of it is 0.
struct Record<'a>(&'a [u8]);

impl Record<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    fn word(&self, at: usize) -> u32 {
        let rest = self.0.get(at..).unwrap_or_default();
        u32::from_le_bytes(rest.first_chunk().copied().unwrap_or_default())
    }

    fn number(&self, at: usize) -> i32 {
        self.word(at).cast_signed()
    }

    /// A length and so many letters of Latin-1.
    fn short_text(&self, at: usize) -> String {
        let length = usize::from(self.byte(at));
        let letters = self.0.get(at + 1..at + 1 + length).unwrap_or_default();
        letters.iter().map(|&byte| char::from(byte)).collect()
    }

    /// UTF-16 up to a 0.
    fn wide_text(&self, at: usize) -> String {
        let rest = self.0.get(at..).unwrap_or_default();
        let (pairs, _) = rest.as_chunks::<2>();
        let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
        let units: Vec<u16> = units
            .take(NAME_UNITS)
            .take_while(|&unit| unit != 0)
            .collect();
        String::from_utf16_lossy(&units)
    }

    /// The player, 1 or -1.
    fn player(&self, at: usize) -> Result<MatPlayer, Wrong> {
        match self.number(at) {
            1 => Ok(MatPlayer::First),
            -1 => Ok(MatPlayer::Second),
            _ => Err(("player", Reason::Other("is neither 1 nor -1"))),
        }
    }

    /// A board of 26 numbers.
    fn board(&self, at: usize, turned: bool) -> Option<Position> {
        let numbers = self.0.get(at..at + 26)?;
        let number = |point: usize| -> Option<i8> {
            let place = if turned { 25 - point } else { point };
            let byte = numbers.get(place)?.cast_signed();
            Some(if turned { byte.wrapping_neg() } else { byte })
        };
        let (mut mine, mut theirs) = ([0_u8; POINTS], [0_u8; POINTS]);
        for point in 0..26 {
            let count = number(point)?;
            let size = count.unsigned_abs();
            // Point 25 is the bar of the one, point 0 of the other.
            match count {
                0 => {}
                1.. => *mine.get_mut(point.checked_sub(1)?)? = size,
                _ => *theirs.get_mut(24_usize.checked_sub(point)?)? = size,
            }
        }
        Position::new(&mine, &theirs).ok()
    }
}

/// Whose view the boards have: of the player on roll, or always of the first one. The description says the former, a
/// program that reads such files the latter; the boards themselves tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    OnRoll,
    First,
}

impl Frame {
    fn board(self, record: &Record<'_>, at: usize, player: MatPlayer) -> Option<Position> {
        record.board(at, self == Frame::First && player == MatPlayer::Second)
    }
}

fn header(record: &Record<'_>, recorder: &mut Recorder) -> Result<(), Wrong> {
    if record.word(556) != RECORDS_MAGIC {
        return Err(wrong("has records of another kind"));
    }
    let length = record.number(92);
    recorder.file.length = match length {
        UNLIMITED => 0,
        _ => u32::try_from(length)
            .ok()
            .filter(|&length| length <= LENGTH_MAX)
            .ok_or(("match length", Reason::Other("is not 0 to 32767")))?,
    };
    let wide = record.number(552) >= UTF16_SINCE;
    recorder.file.names = match wide {
        true => [record.wide_text(880), record.wide_text(1138)],
        false => [record.short_text(9), record.short_text(50)],
    };
    let headers = &mut recorder.file.comments;
    match record.number(96) {
        0 => {}
        1 => headers.push(" [Variation \"NackGammon\"]".to_owned()),
        2 => headers.push(" [Variation \"HyperGammon\"]".to_owned()),
        3 => headers.push(" [Variation \"LongGammon\"]".to_owned()),
        _ => headers.push(" [Variation \"unknown\"]".to_owned()),
    }
    let mut switch = |key: &str, at| {
        let word = if record.byte(at) != 0 { "On" } else { "Off" };
        headers.push(format!(" [{key} \"{word}\"]"));
    };
    match recorder.file.length {
        0 => {
            switch("Jacoby", 101);
            switch("Beaver", 102);
        }
        1 => {}
        _ => switch("Crawford", 100),
    }
    Ok(())
}

/// A game begins; what comes back is another board or cube than the usual one, as the first player sees it.
fn game(record: &Record<'_>, recorder: &mut Recorder, at: usize) -> Option<SetUp> {
    let begun = recorder.begin();
    let score = |at| record.word(at).min(LENGTH_MAX);
    recorder.scores([score(12), score(16)]);
    if let Err(wrong) = begun {
        recorder.give_up(0, at, wrong);
        return None;
    }
    let usual = recorder.board(MatPlayer::First);
    let board = record.board(21, false).filter(|board| !board.is_over());
    let doubles = u32::try_from(record.number(64)).unwrap_or(0);
    let value = 1_u32.checked_shl(doubles).unwrap_or(0);
    match board {
        Some(board) if board == usual && value == 1 => None,
        board => Some(SetUp {
            position: board.unwrap_or(usual),
            value,
            owner: None,
        }),
    }
}

fn ending(record: &Record<'_>, recorder: &mut Recorder) {
    let points = u32::try_from(record.number(28)).unwrap_or(0);
    if let (Ok(winner), 1.., false) = (record.player(24), points, recorder.file.games.is_empty()) {
        recorder.told_result(winner, points);
    }
}

/// A double and its answers; nothing where nobody doubled.
fn cube(record: &Record<'_>, recorder: &mut Recorder) -> Result<(), Wrong> {
    if record.number(16) != 1 {
        return Ok(());
    }
    let player = record.player(12)?;
    let other = player.other();
    recorder.double(0, player)?;
    match [record.number(20), record.number(24), record.number(28)] {
        [0, ..] => recorder.drop(0, other),
        [1, ..] => recorder.take(0, other),
        [2, accepted, raccoon] => {
            recorder.double(0, other)?;
            match (accepted, raccoon) {
                (0, _) => recorder.drop(0, player),
                (1, _) => recorder.take(0, player),
                (_, taken) => {
                    recorder.double(0, player)?;
                    match taken {
                        0 => recorder.drop(0, other),
                        _ => recorder.take(0, other),
                    }
                }
            }
        }
        // The double was not answered.
        _ => Ok(()),
    }
}

fn play(
    record: &Record<'_>,
    recorder: &mut Recorder,
    frame: &mut Frame,
    at: usize,
) -> Result<(), Wrong> {
    let player = record.player(64)?;
    let dice = [100, 104].map(|at| u8::try_from(record.number(at)).unwrap_or_default());
    let [one, two] = dice;
    if dice == [0, 0] {
        return Ok(());
    }
    let bad_dice = ("roll", Reason::Other("is not of two dice from 1 to 6"));
    let roll = Roll::new(one, two).map_err(|_| bad_dice)?;
    let before = recorder.board(player);
    let fits = |frame: &Frame| frame.board(record, 9, player) == Some(before);
    if !fits(frame) {
        let other = [Frame::OnRoll, Frame::First]
            .into_iter()
            .find(|frame| fits(frame));
        let why = "is not the one that the plays before led to";
        *frame = other.ok_or(("board", Reason::Other(why)))?;
    }
    let after = frame.board(record, 35, player);
    let found = after.and_then(|after| find_play(&before, roll, &after.swapped()));
    let play = match found {
        Some(play) => play,
        None => steps(record)?,
    };
    if let Some(wrong) = recorder.play_steps(0, player, roll, play)? {
        recorder.note(0, at, wrong);
    }
    Ok(())
}

/// The steps as they stand, by the numbers of the player who moves.
fn steps(record: &Record<'_>) -> Result<Play, Wrong> {
    let bad = || ("play", Reason::Other("has a step from or to no point"));
    let mut steps = Vec::new();
    for place in (68..100).step_by(8) {
        let from = record.number(place);
        if from < 0 {
            break;
        }
        let to = record.number(place + 4);
        let index = |point: i32| u8::try_from(point - 1).map_err(|_| bad());
        steps.push(match (from, to) {
            // The bar is point 25.
            (1..=25, 1..=24) => Step {
                from: index(from)?,
                to: index(to)?,
            },
            (1..=24, ..=0) => Step {
                from: index(from)?,
                to: BORNE_OFF,
            },
            _ => return Err(bad()),
        });
    }
    Play::from_steps(&steps).ok_or_else(bad)
}
