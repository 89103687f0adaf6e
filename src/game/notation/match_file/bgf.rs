//! BGBlitz's `.bgf`: the actions, and the program's own analyses. Rules MAT-70 to MAT-75 of
//! `protocol-specs/match-files.md`; the members were learned from the public reader of the package gammonview.

use super::bgf_members::{
    Candidate, CubeDecision, Equity, First, GameMembers, GameRecord, Initial, MatchMembers, Number,
    Steps, each_game, unpacked, wrong,
};
use super::file_analysis::{FileAnalysis, FileCube, FilePlay};
use super::record::{LENGTH_MAX, MatPlayer, SetUp};
use super::recorder::{FieldError, Recorder};
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::play_text::{meant_by, parse_steps};
use crate::notation::steps_made;
use crate::{BAR, Chances, LegalPlay, POINTS, Position, Roll, legal_plays};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Largest difference of two numbers that count as equal: nothing can be divided by it.
const SAME: f64 = 1e-9;

/// Reads a whole file.
pub(super) fn read(bytes: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let refused =
        |(field, reason): FieldError| NotationError::new(Code::BadMatchFile, field, reason, 0);
    let (data, damage) = unpacked(bytes).map_err(refused)?;
    let members = MatchMembers::of(&data);
    header(&members, recorder).map_err(refused)?;
    let mut reader = Reader {
        recorder,
        won: None,
    };
    let read = each_game(&data, &mut |game, at| reader.game(&game, at));
    let last = members.last_scores.map(score);
    reader.end_game(last);
    let damaged = match (damage, read) {
        (Some(damage), _) => Some((data.len(), damage)),
        (None, Err(at)) => Some((at, wrong("is damaged: its data breaks off"))),
        (None, Ok(())) => None,
    };
    if let Some((at, damage)) = damaged {
        reader.recorder.note(0, at, damage);
    }
    if members.length.whole().is_none() {
        let why = Reason::Other("is missing: the games are read as money play");
        reader.recorder.note(0, 0, ("match length", why));
    }
    Ok(())
}

/// Returns the player: green is the first.
fn player(number: Number) -> Result<MatPlayer, FieldError> {
    match number.whole() {
        Some(-1) => Ok(MatPlayer::First),
        Some(1) => Ok(MatPlayer::Second),
        _ => Err(("player", Reason::Other("is neither -1 nor 1"))),
    }
}

fn score(number: Number) -> Option<u32> {
    let score = u32::try_from(number.whole()?).ok()?;
    Some(score.min(LENGTH_MAX))
}

fn header(members: &MatchMembers, recorder: &mut Recorder) -> Result<(), FieldError> {
    let length = members.length.whole().unwrap_or(0);
    recorder.file.length = u32::try_from(length)
        .ok()
        .filter(|&length| length <= LENGTH_MAX)
        .ok_or(("match length", Reason::Other("is not 0 to 32767")))?;
    recorder.file.names = members.names.clone();
    let date = members.date.replace('-', ".");
    let headers = &mut recorder.file.comments;
    let texts = [
        ("Event", &members.event),
        ("Site", &members.site),
        ("EventDate", &date),
    ];
    for (key, text) in texts {
        let text = text.replace(['"', '\n', '\r'], " ");
        if !text.trim().is_empty() {
            headers.push(format!(" [{key} \"{}\"]", text.trim()));
        }
    }
    let mut switch = |key: &str, number: Number| {
        let word = if number.switch() == Some(true) {
            "On"
        } else {
            "Off"
        };
        headers.push(format!(" [{key} \"{word}\"]"));
    };
    match length {
        0 => {
            switch("Jacoby", members.use_jacoby);
            switch("Beaver", members.use_beaver);
        }
        1 => {}
        _ => switch("Crawford", members.use_crawford),
    }
    Ok(())
}

/// A match on its way in, game by game.
struct Reader<'a> {
    recorder: &'a mut Recorder,
    /// The end of the game before, whose winner the next scores show.
    won: Option<Ending>,
}

/// The end of a game, by the file.
struct Ending {
    scores: [u32; 2],
    points: u32,
    resigned: Option<bool>,
}

impl Reader<'_> {
    /// Reads a game whose members begin at a byte; false if no further ones are read.
    fn game(&mut self, game: &GameMembers, at: usize) -> bool {
        let scores = game.scores.map(|number| score(number).unwrap_or(0));
        self.end_game(scores.map(Some));
        if let Err(wrong) = self.recorder.begin() {
            self.recorder.give_up(0, at, wrong);
            return false;
        }
        self.recorder.scores(scores);
        if let Some(crawford) = game.is_crawford.switch() {
            self.recorder.crawford(crawford);
        }
        self.won = Some(Ending {
            scores,
            points: score(game.won_points).unwrap_or(0),
            resigned: game.was_resignation.switch(),
        });
        if let Err(wrong) = self.records(game, at) {
            self.recorder.give_up(0, at, wrong);
        }
        true
    }

    /// Gives the last game its result, from the scores after it.
    fn end_game(&mut self, after: [Option<u32>; 2]) {
        let Some(Ending {
            scores,
            points,
            resigned,
        }) = self.won.take()
        else {
            return;
        };
        let [green, red] = [0, 1].map(|side: usize| {
            let before = scores.get(side).copied().unwrap_or_default();
            let after = after.get(side).copied().flatten();
            after
                .and_then(|after| after.checked_sub(before))
                .unwrap_or(0)
        });
        let (winner, won) = match (green, red) {
            (1.., 0) => (MatPlayer::First, green),
            (0, 1..) => (MatPlayer::Second, red),
            _ => return,
        };
        self.recorder
            .set_result(winner, if points > 0 { points } else { won });
        if resigned == Some(false) {
            self.recorder.no_resignation();
        }
    }

    fn records(&mut self, game: &GameMembers, at: usize) -> Result<(), FieldError> {
        let records = &game.records.0;
        let first = records.iter().find_map(|record| player(record.player).ok());
        if let (Some(initial), Some(first)) = (&game.initial, first)
            && let Some(set_up) = start(initial, self.recorder.board(MatPlayer::First))?
        {
            let position = match first {
                MatPlayer::First => set_up.position,
                MatPlayer::Second => set_up.position.swapped(),
            };
            self.recorder
                .set_up(0, first, SetUp { position, ..set_up })?;
        }
        let mut answered = false;
        for (number, record) in records.iter().enumerate() {
            if std::mem::take(&mut answered) {
                continue;
            }
            let cube = record
                .equity
                .as_ref()
                .and_then(|equity| equity.cube_decision.as_ref());
            let doubled = cube.and_then(|cube| cube.has_doubled.switch());
            match (begins_with_step(record), doubled) {
                (false, Some(true)) => {
                    let answer = records
                        .get(number + 1)
                        .filter(|next| !begins_with_step(next));
                    self.double(record, answer, at)?;
                    answered = answer.is_some();
                }
                // The end of a game.
                (false, _) => {}
                (true, _) => self.play(record, at)?,
            }
        }
        Ok(())
    }

    /// Reads a double with its answer, which stands in the record of the double and has one of its own.
    fn double(
        &mut self,
        record: &GameRecord,
        answer: Option<&GameRecord>,
        at: usize,
    ) -> Result<(), FieldError> {
        let doubler = player(record.player)?;
        let accepted = |record: &GameRecord| {
            let cube = record.equity.as_ref()?.cube_decision.as_ref()?;
            cube.has_accepted.switch()
        };
        let accepted = accepted(record).or_else(|| answer.and_then(accepted));
        let cube = record
            .equity
            .as_ref()
            .and_then(|equity| self.cube(equity, record.ply));
        let analysis = FileAnalysis {
            cube,
            plays: Vec::new(),
        };
        let recorder = &mut *self.recorder;
        if let Some(wrong) = recorder.leave_crawford() {
            recorder.note(0, at, wrong);
        }
        recorder.double(0, doubler)?;
        recorder.analysed(analysis.clone());
        match accepted {
            Some(true) => recorder.take(0, doubler.other())?,
            Some(false) => recorder.drop(0, doubler.other())?,
            // The double was not answered.
            None => return Ok(()),
        }
        recorder.analysed(analysis);
        Ok(())
    }

    fn play(&mut self, record: &GameRecord, at: usize) -> Result<(), FieldError> {
        let player = player(record.player)?;
        let board = self.recorder.board(player);
        let (roll, dances) = roll(record, &board)?;
        let legal = legal_plays(&board, roll);
        let played = steps_text(&record.from, &record.to);
        let candidates = &record.move_analysis.0;
        if dances && !legal.is_empty() {
            let why = Reason::Other("is none, but a checker can move");
            self.recorder.note(0, at, ("play", why));
            self.recorder.rolled(0, player, roll)?;
        } else {
            let text = if dances { String::new() } else { played };
            let wrong = match chosen(&text, &board, &legal, candidates) {
                Some(found) => self.recorder.play_steps(0, player, roll, found.play)?,
                None => self.recorder.play_text(0, player, roll, &text)?,
            };
            if let Some(wrong) = wrong {
                self.recorder.note(0, at, wrong);
            }
        }
        let plays = candidates
            .iter()
            .filter_map(|candidate| self.candidate(candidate, &board, &legal))
            .collect();
        let cube = record
            .equity
            .as_ref()
            .and_then(|equity| self.cube(equity, record.ply));
        self.recorder.analysed(FileAnalysis { cube, plays });
        Ok(())
    }

    fn is_money(&self) -> bool {
        self.recorder.file.length == 0
    }

    /// Returns the program's analysis of a cube decision. In matches it has chances of the match: the cubeless value, which
    /// the file has both as chances and normalised, and the pass, which is 1, give the equities.
    fn cube(&self, equity: &Equity, ply: Number) -> Option<FileCube> {
        let cube: &CubeDecision = equity.cube_decision.as_ref()?;
        let [no_double, double_take, double_pass] =
            [cube.eq_no_double, cube.eq_double_take, cube.eq_double_pass].map(Number::computed);
        let (no_double, double_take, double_pass) = (no_double?, double_take?, double_pass?);
        let (middle, half) = match self.is_money() {
            true => (0.0, double_pass),
            false => {
                let emg = equity.emg.computed()?;
                let rest = 1.0 - emg;
                let half = (double_pass - equity.match_equity.computed()?) / rest;
                (double_pass - half, half)
            }
        };
        let normal = half.is_finite() && half.abs() > SAME;
        normal.then(|| FileCube {
            level: level(ply),
            no_double: (no_double - middle) / half,
            double_take: (double_take - middle) / half,
            double_pass: 1.0,
            chances: chances(equity),
        })
    }

    /// Returns a candidate of the program.
    fn candidate(
        &self,
        candidate: &Candidate,
        board: &Position,
        legal: &[LegalPlay],
    ) -> Option<FilePlay> {
        let equity = candidate.eq.as_ref()?;
        let found = candidate_play(candidate, board, legal)?;
        let normalised = equity.has_emg.switch().unwrap_or(true);
        let number = match normalised {
            true => equity.emg,
            false => equity.cube_decision.as_ref()?.eq_cube_ful,
        };
        Some(FilePlay {
            level: level(candidate.ply),
            after: found.after,
            equity: number.computed()?,
            chances: chances(equity),
        })
    }
}

/// Returns true if the record has a step, or the die of a dance.
fn begins_with_step(record: &GameRecord) -> bool {
    let first = record.from.0.first();
    first.is_some_and(|first| first.whole().is_some_and(|from| from >= 0))
}

/// Returns the roll, and whether it cannot be played. Such a roll stands where the first step of a play does.
fn roll(record: &GameRecord, board: &Position) -> Result<(Roll, bool), FieldError> {
    let of = |one: Option<&Number>, two: Option<&Number>| {
        let die = |number: Option<&Number>| u8::try_from(number?.whole()?).ok();
        Roll::new(die(one)?, die(two)?).ok()
    };
    let in_steps = of(record.from.0.first(), record.to.0.first());
    let in_dice = of(Some(&record.red), Some(&record.green));
    let bad_dice = ("roll", Reason::Other("is not of two dice from 1 to 6"));
    if record.dancing_equity.is_some() {
        let roll = in_steps.or(in_dice).ok_or(bad_dice)?;
        return Ok((roll, true));
    }
    // Without an analysis only the board shows a dance.
    let dances = |roll: &Roll| legal_plays(board, *roll).is_empty();
    match (in_dice, in_steps) {
        (Some(roll), _) => Ok((roll, dances(&roll))),
        (None, Some(roll)) if dances(&roll) => Ok((roll, true)),
        _ => Err(bad_dice),
    }
}

/// Returns the steps as a text, by the numbers of the player who moves.
fn steps_text(from: &First<Number, 4>, to: &First<Number, 4>) -> String {
    let mut text = String::new();
    for (place, from) in from.0.iter().enumerate() {
        let Some(from @ 0..) = from.whole() else {
            break;
        };
        let to = to.0.get(place).and_then(|to| to.whole());
        let _ = write!(text, "{from}/{} ", to.unwrap_or(0).max(0));
    }
    text
}

fn candidate_play(
    candidate: &Candidate,
    board: &Position,
    legal: &[LegalPlay],
) -> Option<LegalPlay> {
    let Steps { from, to } = candidate.steps.as_ref()?;
    meant_by(steps_text(from, to).as_bytes(), board, legal).ok()
}

/// Returns the legal play of a record. Its steps name only where a checker begins and ends; where the way matters, the
/// candidate that is marked as played has it.
fn chosen(
    text: &str,
    board: &Position,
    legal: &[LegalPlay],
    candidates: &[Candidate],
) -> Option<LegalPlay> {
    let named = meant_by(text.as_bytes(), board, legal).ok();
    let marked = candidates
        .iter()
        .find(|candidate| candidate.played.switch() == Some(true))
        .and_then(|candidate| candidate_play(candidate, board, legal));
    let Some(marked) = marked else { return named };
    let mine = match &named {
        Some(named) => Some(named.after.opponent()),
        None => parse_steps(text.as_bytes())
            .ok()
            .and_then(|steps| steps_made(board, &steps))
            .map(|after| after.me()),
    };
    match mine == Some(marked.after.opponent()) {
        true => Some(marked),
        false => named,
    }
}

fn level(ply: Number) -> Cow<'static, str> {
    match ply.whole() {
        Some(plies @ 1..) => format!("{plies}-ply").into(),
        _ => "BGBlitz".into(),
    }
}

fn chances(equity: &Equity) -> Option<Chances> {
    #[expect(clippy::cast_possible_truncation, reason = "the nearest f32 is wanted")]
    let number = |number: Number| number.0.map(|number| number as f32);
    let chances = Chances {
        win: number(equity.my_wins)?,
        win_gammon: number(equity.my_gammon)?,
        win_backgammon: number(equity.my_back_gammon)?,
        lose_gammon: number(equity.opp_gammon)?,
        lose_backgammon: number(equity.opp_back_gammon)?,
    };
    let possible = |chance: &f32| (0.0..=1.0).contains(chance);
    chances.to_array().iter().all(possible).then_some(chances)
}

/// Returns the board and the cube of the start, as the first player sees them, if they are not the usual ones.
fn start(initial: &Initial, usual: Position) -> Result<Option<SetUp>, FieldError> {
    let bad = || ("board", Reason::Other("of the start is not possible"));
    let (mut green, mut red) = ([0_u8; POINTS], [0_u8; POINTS]);
    let points = &initial.points.0;
    for (index, number) in points.iter().enumerate() {
        let count = number.whole().ok_or_else(bad)?;
        let (side, place) = match (index, count) {
            (_, 0) => continue,
            (0..=23, 1..) => (&mut green, 23 - index),
            (0..=23, _) => (&mut red, index),
            (24, _) => (&mut green, BAR),
            _ => (&mut red, BAR),
        };
        let count = u8::try_from(count.unsigned_abs()).map_err(|_| bad())?;
        *side.get_mut(place).ok_or_else(bad)? = count;
    }
    let position = match points.is_empty() {
        true => usual,
        false => Position::new(&green, &red).map_err(|_| bad())?,
    };
    let value = initial
        .cube
        .whole()
        .map_or(Ok(1), u32::try_from)
        .unwrap_or(0);
    let owner = match initial.cube_owner.whole() {
        Some(-1) => Some(MatPlayer::First),
        Some(1) => Some(MatPlayer::Second),
        _ => None,
    };
    let same = position == usual && value <= 1 && owner.is_none();
    Ok((!same).then_some(SetUp {
        position,
        value: value.max(1),
        owner,
    }))
}
