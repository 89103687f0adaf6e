//! Texts with positions that people copy out of eXtreme Gammon, BGBlitz and GNU Backgammon: each position is a match of
//! one question, with the other program's evaluation. Rules MAT-80 and MAT-81 of `protocol-specs/match-files.md`.

use super::file_analysis::{FileAnalysis, FileCube, FilePlay};
use super::gnubg_text::chances;
use super::record::{MatPlayer, SetUp};
use super::recorder::{FieldError, Recorder};
use super::snowie::Seats;
use super::snowie::SnowiePosition;
use crate::notation::copied_text::{copied_lines, positions_of};
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::position_text::{from_copied, read_position};
use crate::notation::{Offer, ParsedPosition, parse_play};
use crate::{Chances, CubeOwner};
use std::borrow::Cow;

/// Bytes in which a board must begin.
const HEAD_BYTES: usize = 64 << 10;
/// The edges of a board: the points of either player, from either side.
const EDGES: [&str; 4] = [
    "+13-14-15-16-17-18",
    "+12-11-10--9--8--7",
    "+24-23-22-21-20-19",
    "+-1--2--3--4--5--6",
];
/// Maximum number of candidates of a play.
const CANDIDATES_MAX: usize = 100;

/// Returns true for a text with a board and ids, or with the line of a Snowie position.
pub(super) fn is_copied(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if SnowiePosition::length(head).is_some() {
        return true;
    }
    let lines = copied_lines(head);
    let board = |line: &String| EDGES.iter().any(|edge| line.contains(edge));
    lines.iter().any(board) && !positions_of(&lines).is_empty()
}

/// Reads every position of a text as a match of its own.
pub(super) fn read(text: &str, recorder: &mut Recorder) -> Result<(), NotationError> {
    if SnowiePosition::length(text.as_bytes()).is_some() {
        let parsed = read_position(text.as_bytes())?;
        let seats = Seats::of_snowie(text);
        return question(recorder, &parsed, seats, (1, FileAnalysis::default())).map_err(refused);
    }
    let lines = copied_lines(text.as_bytes());
    for (number, copied) in positions_of(&lines).iter().enumerate() {
        let line = copied.lines.start + 1;
        if number > 0 {
            recorder.next_match(line, 0).map_err(refused)?;
        }
        let parsed = match from_copied(copied) {
            Ok(parsed) => parsed,
            Err(error) => {
                recorder.begin().map_err(refused)?;
                recorder.give_up(line, 0, (error.field(), error.reason().clone()));
                continue;
            }
        };
        let part = lines.get(copied.lines.clone()).unwrap_or_default();
        let theirs = evaluation(part, &parsed);
        if let Err(wrong) = question(recorder, &parsed, Seats::default(), (line, theirs)) {
            recorder.give_up(line, 0, wrong);
        }
        if let Some(warning) = parsed.warning {
            recorder.note(line, 0, ("position", Reason::Other(warning)));
        }
    }
    Ok(())
}

fn refused((field, reason): FieldError) -> NotationError {
    NotationError::new(Code::BadMatchFile, field, reason, 0)
}

/// Records a position as a game that ends with its question.
fn question(
    recorder: &mut Recorder,
    parsed: &ParsedPosition,
    Seats { on_roll, names }: Seats,
    (line, theirs): (usize, FileAnalysis),
) -> Result<(), FieldError> {
    recorder.file.names = names;
    let state = parsed.state.unwrap_or_default();
    recorder.file.length = state.score.length();
    if let (true, Some(state)) = (state.score.is_money(), parsed.state) {
        for (key, is_on) in [
            ("Jacoby", state.rules.jacoby),
            ("Beaver", state.rules.beavers),
        ] {
            let word = if is_on { "On" } else { "Off" };
            recorder.file.comments.push(format!(" [{key} \"{word}\"]"));
        }
    }
    recorder.begin()?;
    let mut scores = [state.score.me(), state.score.opponent()];
    if on_roll == MatPlayer::Second {
        scores.reverse();
    }
    recorder.scores(scores);
    recorder.crawford(state.score.is_crawford());
    if parsed.final_score.is_some() {
        return Err(("position", Reason::Other("is of a match that is over")));
    }
    let player = on_roll;
    let set_up = SetUp {
        position: parsed.position,
        value: state.cube.value(),
        owner: match state.cube.owner() {
            CubeOwner::Centred => None,
            CubeOwner::Me => Some(player),
            CubeOwner::Opponent => Some(player.other()),
        },
    };
    recorder.set_up(line, player, set_up)?;
    match (parsed.roll, parsed.offer) {
        (Some(roll), _) => recorder.rolled(line, player, roll)?,
        (None, Some(Offer::Double)) => recorder.double(line, player)?,
        _ => {}
    }
    recorder.analysed(theirs);
    Ok(())
}

/// Returns the other program's evaluation in these lines.
fn evaluation(lines: &[String], parsed: &ParsedPosition) -> FileAnalysis {
    let mut analysis = FileAnalysis::default();
    let mut cube = CubeValues::default();
    let mut level: Cow<'static, str> = Cow::Borrowed("text");
    let mut sides: Vec<[f32; 3]> = Vec::new();
    for line in lines {
        let line = line.trim();
        if let Some((_, named)) = line.split_once("Analyzed in ") {
            level = Cow::Owned(named.trim().to_owned());
        } else if let Some((plies, _)) = line.split_once("-ply cubeless equity") {
            level = Cow::Owned(format!("{plies}-ply"));
        } else if line.ends_with("EMG") || line.ends_with("(EMG)") {
            level = Cow::Borrowed("BGBlitz");
        }
        if let Some(play) = candidate(line, parsed, &level) {
            if analysis.plays.len() < CANDIDATES_MAX {
                analysis.plays.push(play);
            }
            sides.clear();
        } else if let Some(found) = chances(&line.replace(',', ".")) {
            match analysis.plays.last_mut() {
                Some(play) => play.chances = Some(found),
                None => cube.chances = Some(found),
            }
        } else if let Some(side) = percents(line) {
            sides.push(side);
            if let [
                [win, win_gammon, win_backgammon],
                [_, lose_gammon, lose_backgammon],
            ] = sides[..]
            {
                let found = Some(Chances {
                    win,
                    win_gammon,
                    win_backgammon,
                    lose_gammon,
                    lose_backgammon,
                });
                match analysis.plays.last_mut() {
                    Some(play) => play.chances = found,
                    None => cube.chances = found,
                }
            }
        } else {
            cube.read(line);
        }
    }
    if let (Some(no_double), Some(double_take), Some(double_pass)) =
        (cube.no_double, cube.double_take, cube.double_pass)
    {
        analysis.cube = Some(FileCube {
            level,
            no_double,
            double_take,
            double_pass,
            chances: cube.chances,
        });
    }
    analysis
}

/// Reads `1. XG Roller+  8/5 6/5  eq:+0.165`, `1. Cubeful 2-ply  8/5 6/5  Eq.: +0.165` or
/// `1. 0.124 mwp / -0.492 (-0.053) 19/18, 14/12`.
fn candidate(line: &str, parsed: &ParsedPosition, level: &str) -> Option<FilePlay> {
    let roll = parsed.roll?;
    let line = line.trim_start_matches(['*', ' ']);
    let (place, rest) = line.split_once('.')?;
    if place.is_empty() || !place.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let read = |play: &str| parse_play(play.trim(), &parsed.position, roll).ok();
    let made = |play: &str, level: &str, equity: f64| {
        Some(FilePlay {
            level: Cow::Owned(level.to_owned()),
            after: read(play)?.after,
            equity,
            chances: None,
        })
    };
    if let Some((named, equity)) = rest.rsplit_once(':') {
        let equity = number(equity.split_whitespace().next()?)?;
        // The name of the equity stands before the colon.
        let named = named.trim_end();
        let end = named.rfind(char::is_whitespace)?;
        let (level, play) = named.get(..end)?.trim().split_once("  ")?;
        return made(play, level.trim(), equity);
    }
    let mut words = rest.split_whitespace().peekable();
    let mut equity = number(words.next()?)?;
    if words
        .next_if(|word| number(word).is_none() && word.chars().all(char::is_alphabetic))
        .is_some()
        && words.next_if_eq(&"/").is_some()
    {
        equity = number(words.next()?)?;
    }
    if words.peek().is_some_and(|word| word.starts_with('(')) {
        while words.next().is_some_and(|word| !word.ends_with(')')) {}
    }
    let play: Vec<&str> = words.collect();
    made(&play.join(" ").replace(',', " "), level, equity)
}

/// Reads `Player: 50.01% (G:13.97% B:0.61%)`: three chances with their signs.
fn percents(line: &str) -> Option<[f32; 3]> {
    let mut numbers = line.split('%').filter_map(|part| {
        let start = part.rfind(|letter: char| !letter.is_ascii_digit() && !",.".contains(letter));
        let digits = part.get(start.map_or(0, |start| start + 1)..)?;
        let value: f32 = digits.replace(',', ".").parse().ok()?;
        (0.0..=100.0).contains(&value).then_some(value / 100.0)
    });
    let three = [numbers.next()?, numbers.next()?, numbers.next()?];
    (line.matches('%').count() == 3).then_some(three)
}

/// The values of a cube decision on their way in.
#[derive(Default)]
struct CubeValues {
    no_double: Option<f64>,
    double_take: Option<f64>,
    double_pass: Option<f64>,
    chances: Option<Chances>,
}

impl CubeValues {
    /// Reads `Double / Take : 0.410 (0.000) 0.625 (0.000)`, `No redouble: +0.804 (-0.090)`, `2. Double, pass +1.000`.
    fn read(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_value =
            |word: &&str| number(word.trim_matches(['(', ')'])).is_some() || *word == "(";
        let values = words.iter().rev().take_while(|word| is_value(word)).count();
        let (label, values) = words.split_at(words.len() - values);
        let label = label.join(" ").to_lowercase();
        let label = label
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || ". ".contains(letter));
        let label = label.trim_end_matches([' ', ':']);
        let values: Vec<f64> = (values.iter())
            .filter_map(|word| number(word.trim_matches(['(', ')'])))
            .collect();
        // Money or match chances with their difference come first, the normalised equity after them.
        let value = match values[..] {
            [_, _, emg, _] => emg,
            [value] | [value, _] => value,
            _ => return,
        };
        if let Some((double, answer)) = label.split_once(['/', ',']) {
            if label.contains([':', '(']) || double.trim().is_empty() {
                return;
            }
            let has = |words: &[&str]| words.iter().any(|word| answer.contains(word));
            let slot = match (has(&PASSES), has(&TAKES)) {
                (true, _) => &mut self.double_pass,
                (_, true) => &mut self.double_take,
                // In an unknown language: a pass is worth the cube.
                _ if (value.abs() - 1.0).abs() < 1e-9 => &mut self.double_pass,
                _ => &mut self.double_take,
            };
            slot.get_or_insert(value);
        } else if NO_DOUBLES.iter().any(|word| label.contains(word)) && !label.contains(':') {
            self.no_double.get_or_insert(value);
        }
    }
}

/// Words for a pass, a take and no double: English, German, French, Japanese.
const PASSES: [&str; 10] = [
    "pass",
    "drop",
    "reject",
    "ablehn",
    "refus",
    "降り",
    "パス",
    "ドロップ",
    "aufgeb",
    "abandon",
];
const TAKES: [&str; 8] = [
    "take",
    "annehm",
    "accept",
    "pren",
    "受け",
    "テイク",
    "beaver",
    "ビーバー",
];
const NO_DOUBLES: [&str; 9] = [
    "no double",
    "no redouble",
    "kein",
    "nicht",
    "pas de",
    "sans",
    "せず",
    "ノーダブル",
    "なし",
];

/// Returns a finite number, with a decimal point or comma.
fn number(word: &str) -> Option<f64> {
    let first = word.chars().next()?;
    let is_number = first.is_ascii_digit() || "+-.".contains(first);
    let value: f64 = is_number.then(|| word.replace(',', ".").parse().ok())??;
    Some(value).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{MatAction, MatchFile, MatchReading};

    const PLAY: &str = include_str!("../../../../tests/data/position-texts/bgblitz-play-en.txt");
    const CUBE_DE: &str = include_str!("../../../../tests/data/position-texts/bgblitz-cube-de.txt");
    const CUBE_JP: &str = include_str!("../../../../tests/data/position-texts/bgblitz-cube-jp.txt");
    const XG_PLAY: &str = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:10\n\
        +13-14-15-16-17-18------19-20-21-22-23-24-+\nX to play 31\n\n    \
        1. XG Roller+   8/5 6/5                      eq:+0,165\n      \
        Player:   55,10% (G:17,20% B:1,30%)\n      Opponent: 44,90% (G:12,40% B:0,50%)\n\n    \
        2. 4-ply        24/23 13/10                  eq:-0,010 (-0,175)\n";
    const XG_CUBE: &str = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:0:0:3:0:10\n\
        +13-14-15-16-17-18------19-20-21-22-23-24-+\nX on roll, cube action\n\nAnalyzed in XG Roller++\n\
        Player Winning Chances:   71.66% (G:28.03% B:0.73%)\nOpponent Winning Chances: 28.34% (G:6.91% B:0.19%)\n\n\
        Cubeless Equities: No Double=+0.643, Double=+1.286\n\nCubeful Equities:\n       \
        No redouble:     +0.804 (-0.090)\n       Redouble/Take:   +0.894\n       Redouble/Pass:   +1.000 (+0.106)\n\n\
        Best Cube action: Redouble / Take\n";
    const GNUBG: &str = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cAkAAAAAAAAE\n \
        +13-14-15-16-17-18------19-20-21-22-23-24-+\n\nCube analysis\n2-ply cubeless equity +0.048\n  \
        0.487 0.134 0.004 - 0.513 0.126 0.005\nCubeful equities:\n1. No double           -0.176\n\
        2. Double, pass        +1.000  (+1.176)\n3. Double, take        -0.785  (-0.609)\n";

    fn only(text: &str) -> MatchReading {
        let all = MatchFile::read_all(text.as_bytes()).unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].faults, [], "{text}");
        all.into_iter().next().unwrap()
    }

    /// MAT-80, MAT-81: candidates of BGBlitz and of eXtreme Gammon.
    #[test]
    fn candidates_of_copied_texts() {
        let read = only(PLAY);
        assert_eq!((read.file.length, read.file.games[0].scores), (7, [3, 6]));
        let [
            (_, MatAction::SetUp(_)),
            (MatPlayer::First, MatAction::Rolled(_)),
        ] = read.file.games[0].actions[..]
        else {
            panic!("{:?}", read.file.games)
        };
        let plays = &read.analyses[0][&1].plays;
        let equities: Vec<f64> = plays.iter().map(|play| play.equity).collect();
        assert_eq!(equities, [-0.492, -0.545, -0.577, -0.578, -0.585]);
        assert_eq!(plays[0].chances.unwrap().lose_gammon, 0.338);
        assert_eq!(&*plays[0].level, "BGBlitz");
        let plays = &only(XG_PLAY).analyses[0][&1].plays;
        assert_eq!(
            (plays.len(), plays[0].equity, plays[1].equity),
            (2, 0.165, -0.010)
        );
        assert_eq!(
            (&*plays[0].level, plays[0].chances.unwrap().win),
            ("XG Roller+", 0.551)
        );
    }

    /// MAT-80, MAT-81: cube values in the languages and of the programs; decimal commas.
    #[test]
    fn cube_values_of_copied_texts() {
        let comma = CUBE_DE.replace('.', ",");
        for (text, values, level) in [
            (CUBE_DE, [0.585, 0.625, 1.0], "BGBlitz"),
            (&comma, [0.585, 0.625, 1.0], "BGBlitz"),
            (CUBE_JP, [0.685, 0.760, 1.0], "BGBlitz"),
            (XG_CUBE, [0.804, 0.894, 1.0], "XG Roller++"),
            (GNUBG, [-0.176, -0.785, 1.0], "2-ply"),
        ] {
            let read = only(text);
            let cube = read.analyses[0][&0].cube.clone().unwrap();
            assert_eq!(
                [cube.no_double, cube.double_take, cube.double_pass],
                values,
                "{text}"
            );
            assert_eq!(cube.level, level, "{text}");
        }
    }

    /// MAT-80: each position of a text is a match of its own; a wrong one costs only itself.
    #[test]
    fn every_position_of_a_text_is_read() {
        let wrong = XG_CUBE.replace("-b----E", "-p----P");
        let all = MatchFile::read_all(format!("{XG_PLAY}\n{PLAY}{wrong}{CUBE_DE}").as_bytes());
        let all = all.unwrap();
        let lengths: Vec<u32> = all.iter().map(|one| one.file.length).collect();
        let faults: Vec<usize> = all.iter().map(|one| one.faults.len()).collect();
        assert_eq!((lengths, faults), (vec![0, 7, 7, 9], vec![0, 0, 1, 0]));
    }

    /// MAT-80: texts that are cut off or damaged are read or refused.
    #[test]
    fn damaged_texts_are_read_or_refused() {
        for text in [PLAY, CUBE_DE, CUBE_JP, XG_PLAY, XG_CUBE, GNUBG] {
            let bytes = text.as_bytes();
            for end in 0..bytes.len() {
                let _ = MatchFile::read_all(&bytes[..end]);
            }
            for at in (0..bytes.len()).step_by(7) {
                let mut damaged = bytes.to_vec();
                damaged[at] = b'9';
                let _ = MatchFile::read_all(&damaged);
            }
        }
    }
}
