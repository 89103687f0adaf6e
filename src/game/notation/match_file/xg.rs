//! eXtreme Gammon's binary `.xg` (matches) and `.xgp` (positions): the actions, and the program's own analyses.
//! Comments are passed over. Rules MAT-40 to MAT-46 of `protocol-specs/match-files.md`.

use super::file_analysis::{FileAnalysis, FileCube, FilePlay};
use super::record::{BORNE_OFF, LENGTH_MAX, MatPlayer, SetUp, variation_header};
use super::recorder::{FieldError, Recorder};
use super::xg_archive::{Record, records, wrong};
use crate::notation::error::{Code, NotationError, Reason};
use crate::{Chances, Play, Roll, Step, find_play, legal_plays};
use gammond_base::days::civil;
use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

const MAGIC: &[u8; 4] = b"RGMH";
/// A record of the match.
pub(super) const RECORD: usize = 2560;
/// Magic number of the first record.
pub(super) const RECORDS_MAGIC: u32 = 0x494c_4d44;
/// Points of a match without end.
pub(super) const UNLIMITED: i32 = 99999;
/// Versions of the records from which on names are in UTF-16.
const UTF16_SINCE: i32 = 24;
/// Days are counted from 1899-12-30.
const DAYS_BEFORE_1970: i64 = 25_569;
/// Days of the years 1980 to 2199: others are not those of a match.
const DAYS: Range<f64> = 29_221.0..109_575.0;
const SECONDS_A_DAY: u32 = 86_400;
/// Bytes of a board.
const BOARD: usize = 26;
/// Maximum number of candidates of a play.
const CANDIDATES_MAX: usize = 32;

pub(super) fn is_xg(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let refused =
        |(field, reason): FieldError| NotationError::new(Code::BadMatchFile, field, reason, 0);
    let (records, sound) = records(bytes).map_err(refused)?;
    let mut reader = Reader {
        recorder,
        start: None,
        cube: None,
        question: None,
    };
    let mut has_match = false;
    for (number, record) in records.chunks_exact(RECORD).enumerate() {
        let record = Record(record);
        // The byte of the unpacked records.
        let at = number.saturating_mul(RECORD);
        match record.byte(8) {
            0 => {
                header(&record, reader.recorder).map_err(refused)?;
                has_match = true;
                if !sound {
                    let why = ("checksum", Reason::Other("is wrong: the file is damaged"));
                    reader.recorder.note(0, at, why);
                }
            }
            _ if !has_match => return Err(refused(wrong("does not begin with a match"))),
            5 => break,
            kind => reader.record(kind, &record, at),
        }
    }
    reader.ask_cube();
    match has_match {
        true => Ok(()),
        false => Err(refused(wrong("contains no match"))),
    }
}

/// A match on its way in, record by record.
struct Reader<'a> {
    recorder: &'a mut Recorder,
    /// A board or cube other than the usual one, as the first player sees it, until the game's first action.
    start: Option<SetUp>,
    /// The analysis of the cube before the roll that comes next.
    cube: Option<FileCube>,
    /// The cube record of a game without any action (MAT-82).
    question: Option<&'a [u8]>,
}

impl<'a> Reader<'a> {
    fn record(&mut self, kind: u8, record: &Record<'a>, at: usize) {
        match kind {
            1 => {
                self.cube = None;
                self.question = None;
                self.start = game(record, self.recorder, at);
            }
            4 => ending(record, self.recorder),
            2 | 3 if !self.recorder.file.games.is_empty() && !self.recorder.has_given_up() => {
                let done = match kind {
                    2 => self.cube(record),
                    _ => self.play(record, at),
                };
                if let Err(wrong) = done {
                    self.recorder.give_up(0, at, wrong);
                }
            }
            _ => {}
        }
    }

    /// Follows the board to this record, whose board stands at `at` and is always seen by the first player.
    fn follow(
        &mut self,
        record: &Record<'_>,
        player: MatPlayer,
        (at, cube_at): (usize, usize),
    ) -> Result<(), FieldError> {
        let now = self.recorder.board(MatPlayer::First);
        let board = record.board(at, false);
        let first = !self.recorder.has_acted();
        let start = match self.start.take() {
            Some(start) => Some(start),
            // A position file begins where it stands.
            None if first && board.is_some_and(|board| board != now) => Some(SetUp {
                position: now,
                value: 1,
                owner: None,
            }),
            None => None,
        };
        let Some(start) = start else {
            return match board {
                Some(board) if board == now => Ok(()),
                _ => Err((
                    "board",
                    Reason::Other("is not the one that the plays before led to"),
                )),
            };
        };
        let (value, owner) = match record.number(cube_at) {
            0 => (start.value, None),
            cube => {
                let value = 1_u32.checked_shl(cube.unsigned_abs()).unwrap_or(0);
                let owner = match cube {
                    1.. => MatPlayer::First,
                    _ => MatPlayer::Second,
                };
                (value, Some(owner))
            }
        };
        let position = board.filter(|board| !board.is_over());
        let position = position.unwrap_or(start.position);
        let position = match player {
            MatPlayer::First => position,
            MatPlayer::Second => position.swapped(),
        };
        let set_up = SetUp {
            position,
            value,
            owner,
        };
        self.recorder.set_up(0, player, set_up)
    }

    /// Reads a double and its answers. Without a double it only keeps the analysis.
    fn cube(&mut self, record: &Record<'a>) -> Result<(), FieldError> {
        let analysis = cube_analysis(record);
        if record.number(16) != 1 {
            self.cube = analysis;
            self.question = (!self.recorder.has_acted()).then_some(record.0);
            return Ok(());
        }
        let player = record.player(12)?;
        self.follow(record, player, (36, 32))?;
        let analysed = |recorder: &mut Recorder| {
            recorder.analysed(FileAnalysis {
                cube: analysis.clone(),
                plays: Vec::new(),
            });
        };
        let recorder = &mut *self.recorder;
        let other = player.other();
        recorder.double(0, player)?;
        analysed(recorder);
        match [record.number(20), record.number(24), record.number(28)] {
            [0, ..] => {
                recorder.drop(0, other)?;
                analysed(recorder);
            }
            [1, ..] => {
                recorder.take(0, other)?;
                analysed(recorder);
            }
            [2, accepted, raccoon] => {
                recorder.double(0, other)?;
                match (accepted, raccoon) {
                    (0, _) => recorder.drop(0, player)?,
                    (1, _) => recorder.take(0, player)?,
                    (_, taken) => {
                        recorder.double(0, player)?;
                        match taken {
                            0 => recorder.drop(0, other)?,
                            _ => recorder.take(0, other)?,
                        }
                    }
                }
            }
            // The double was not answered.
            _ => {}
        }
        Ok(())
    }

    /// Sets up the board of a cube record that nothing follows: whether to double is the question of a position file.
    fn ask_cube(&mut self) {
        let Some(record) = self.question.take().map(Record) else {
            return;
        };
        if self.recorder.has_acted() || self.recorder.has_given_up() {
            return;
        }
        let asked = record.player(12).and_then(|player| {
            self.start.get_or_insert(SetUp {
                position: self.recorder.board(MatPlayer::First),
                value: 1,
                owner: None,
            });
            self.follow(&record, player, (36, 32))
        });
        match asked {
            Ok(()) => self.recorder.analysed(FileAnalysis {
                cube: self.cube.take(),
                plays: Vec::new(),
            }),
            Err(wrong) => self.recorder.give_up(0, 0, wrong),
        }
    }

    fn play(&mut self, record: &Record<'_>, at: usize) -> Result<(), FieldError> {
        let player = record.player(64)?;
        let dice = [100, 104].map(|at| u8::try_from(record.number(at)).unwrap_or_default());
        let [one, two] = dice;
        if dice == [0, 0] {
            return Ok(());
        }
        let cube = self.cube.take();
        let bad_dice = ("roll", Reason::Other("is not of two dice from 1 to 6"));
        let roll = Roll::new(one, two).map_err(|_| bad_dice)?;
        self.follow(record, player, (9, 108))?;
        let before = self.recorder.board(player);
        // The board that stays where it was, seen by either player.
        let stays = |after| after == before || after == before.swapped();
        let unplayed = record.board(35, false).is_none_or(stays);
        let open = unplayed && steps(record).is_ok_and(|play| play.is_pass());
        // A roll that was resigned before it was played leads to no board; in a position file it may not be played,
        // and has no steps (MAT-82).
        if record.is_blank(35, BOARD) || open && !legal_plays(&before, roll).is_empty() {
            self.recorder.rolled(0, player, roll)?;
        } else {
            // The board behind the play is seen by the player who moves.
            let after = record.board(35, false);
            let found = after.and_then(|after| find_play(&before, roll, &after.swapped()));
            let play = match found {
                Some(play) => play,
                None => steps(record)?,
            };
            if let Some(wrong) = self.recorder.play_steps(0, player, roll, play)? {
                self.recorder.note(0, at, wrong);
            }
        }
        self.recorder.analysed(FileAnalysis {
            cube,
            plays: candidates(record),
        });
        Ok(())
    }
}

/// Returns the words that eXtreme Gammon shows for a level.
fn level(number: i32) -> Cow<'static, str> {
    match number {
        0..=6 => format!("{}-ply", number + 1).into(),
        12 => "3-ply red".into(),
        100 => "rollout".into(),
        998 | 999 => "opening book".into(),
        1000 => "XG Roller".into(),
        1001 => "XG Roller+".into(),
        1002 => "XG Roller++".into(),
        _ => format!("level {number}").into(),
    }
}

/// Reads seven numbers: losing a backgammon, a gammon, a game, winning a game, a gammon, a backgammon,
/// each with the greater ones; and the equity. None where nothing was written.
fn evaluation(record: &Record<'_>, at: usize) -> Option<(Chances, f64)> {
    if record.is_blank(at, 28) {
        return None;
    }
    let mut numbers = [0.0; 7];
    for (number, place) in numbers.iter_mut().zip((at..).step_by(4)) {
        *number = record.single(place)?;
    }
    let [
        lose_backgammon,
        lose_gammon,
        _,
        win,
        win_gammon,
        win_backgammon,
        equity,
    ] = numbers;
    let chances = Chances {
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    };
    let possible = chances
        .to_array()
        .iter()
        .all(|chance| (0.0..=1.0).contains(chance));
    possible.then(|| (chances, f64::from(equity)))
}

/// Returns the program's analysis of a cube decision.
fn cube_analysis(record: &Record<'_>) -> Option<FileCube> {
    const BLOCK: usize = 64;
    let equity = |at: usize| record.single(BLOCK + at).map(f64::from);
    let [no_double, double_take, double_pass] = [equity(88)?, equity(92)?, equity(96)?];
    // A double that was not analysed has no value of a pass.
    (double_pass != 0.0).then(|| FileCube {
        level: level(record.number(BLOCK + 28)),
        no_double,
        double_take,
        double_pass,
        chances: evaluation(record, BLOCK + 60).map(|(chances, _)| chances),
    })
}

/// Returns the program's candidates of a play.
fn candidates(record: &Record<'_>) -> Vec<FilePlay> {
    const BLOCK: usize = 124;
    let count = usize::try_from(record.number(BLOCK + 64)).unwrap_or(0);
    (0..count.min(CANDIDATES_MAX))
        .filter_map(|number| {
            let (chances, equity) = evaluation(record, BLOCK + 1284 + 28 * number)?;
            Some(FilePlay {
                level: level(record.short(BLOCK + 1156 + 4 * number).into()),
                after: record.board(BLOCK + 68 + BOARD * number, false)?.swapped(),
                equity,
                chances: Some(chances),
            })
        })
        .collect()
}

fn header(record: &Record<'_>, recorder: &mut Recorder) -> Result<(), FieldError> {
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
    headers.extend(variation_header(record.number(96)));
    headers.extend(day(record).map(|day| format!(" [EventDate \"{day}\"]")));
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

/// Returns the day of the match, if the record has a plausible one (MAT-55).
fn day(record: &Record<'_>) -> Option<String> {
    let [low, high] = [128, 132].map(|at| u64::from(record.word(at)));
    let days = f64::from_bits(high << 32 | low);
    if !DAYS.contains(&days) {
        return None;
    }
    // The fraction is the time of the day.
    let seconds = Duration::try_from_secs_f64(days * f64::from(SECONDS_A_DAY)).ok()?;
    let days = i64::try_from(seconds.as_secs() / u64::from(SECONDS_A_DAY)).ok()?;
    let [year, month, day] = civil(days - DAYS_BEFORE_1970);
    Some(format!("{year:04}.{month:02}.{day:02}"))
}

/// Begins a game. Returns the board and cube if they are not the usual ones, as the first player sees them.
fn game(record: &Record<'_>, recorder: &mut Recorder, at: usize) -> Option<SetUp> {
    let begun = recorder.begin();
    let score = |at| record.word(at).min(LENGTH_MAX);
    recorder.scores([score(12), score(16)]);
    recorder.crawford(record.byte(20) != 0);
    if let Err(wrong) = begun {
        recorder.give_up(0, at, wrong);
        return None;
    }
    let usual = recorder.board(MatPlayer::First);
    let board = record.board(21, false).filter(|board| !board.is_over());
    let doubles = u32::try_from(record.number(64)).unwrap_or(0);
    let value = 1_u32.checked_shl(doubles).unwrap_or(0);
    match board.filter(|board| *board != usual) {
        None if value == 1 => None,
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
        recorder.set_result_or_settlement(winner, points);
    }
}

/// Returns the steps as they stand, by the numbers of the player who moves: points from 0, 24 the bar, below 0 is
/// off.
fn steps(record: &Record<'_>) -> Result<Play, FieldError> {
    let bad = || ("play", Reason::Other("has a step from or to no point"));
    let mut steps = Vec::new();
    for place in (68..100).step_by(8) {
        let from = record.number(place);
        let to = record.number(place + 4);
        // No step leads nowhere: the places that are left are not used.
        if from < 0 || (from, to) == (0, 0) {
            break;
        }
        let index = |point: i32| u8::try_from(point).map_err(|_| bad());
        steps.push(match (from, to) {
            (0..=24, 0..=23) => Step {
                from: index(from)?,
                to: index(to)?,
            },
            (0..=23, ..=-1) => Step {
                from: index(from)?,
                to: BORNE_OFF,
            },
            _ => return Err(bad()),
        });
    }
    Play::from_steps(&steps).ok_or_else(bad)
}
