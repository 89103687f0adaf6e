//! A `.bm` file taken apart and checked: listed plays are legal, their losses fit the rollouts beside them.

use super::action::ActionRecord;
use super::make::{CubeStakes, STAMP};
use super::{Item, ScorableRecord};
use gammond_game::generate_plays;
use gammond_game::notation::{BenchmarkRecord, PlayRecord, PositionChances, PositionKey};
use gammond_job::Header;
use std::io::{self, BufRead, Read as _};

/// Longest line that is read.
pub const RECORD_LINE_BYTES_MAX: usize = 64 << 10;
/// Most faults of a file that are kept; a file with more is another kind of file.
pub const FAULTS_MAX: usize = 1000;
/// Tolerance between a listed loss and the loss computed from the `#R` lines: both have six significant digits.
const LOSS_ROUNDING: f64 = 1e-4;
/// Smallest loss accepted: rounding may bring a loss slightly below 0.
const LOSS_LEAST: f64 = -1e-6;

/// The two generations of the published files, which are not to be compared: the positions are the same, the rollouts
/// are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// The original rollouts.
    First,
    /// Rolled out again with more accuracy.
    RolledAgain,
}

impl Generation {
    /// Returns the name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Generation::First => "first rollouts",
            Generation::RolledAgain => "rolled out again",
        }
    }

    /// Returns the generation that has this record with this equity.
    fn of(record: &PlayRecord) -> Option<Generation> {
        let dice = [record.roll.high(), record.roll.low()];
        let key = PositionKey::from(record.position).to_string();
        let known = KNOWN_RECORDS.iter().find(|(known, roll, equity, _)| {
            *known == key && *roll == dice && (equity - record.equity).abs() < 1e-6
        });
        known.map(|known| known.3)
    }
}

/// Records that identify the generations: key, dice, equity. For the first generation only one of the contact file is
/// known; the contact, crashed and race files that were rolled out again have their own.
const KNOWN_RECORDS: [(&str, [u8; 2], f64, Generation); 4] = [
    ("OAHDPAABDAOAHDPAABDA", [4, 2], 0.133_905, Generation::First),
    (
        "OAHDPAABDAOAHDPAABDA",
        [4, 2],
        0.114_795,
        Generation::RolledAgain,
    ),
    (
        "NPIPANAAAAPPDOAACAAI",
        [5, 2],
        -0.770_323,
        Generation::RolledAgain,
    ),
    (
        "AAAAABNMAAAAAAAAAAAA",
        [6, 1],
        0.345_939,
        Generation::RolledAgain,
    ),
];

/// The program by whose rollouts a file values decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchmarkJudge {
    /// `gammond rollout`.
    Ours,
    /// Any other program.
    Other,
}

impl BenchmarkJudge {
    /// Returns the name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BenchmarkJudge::Ours => "ours",
            BenchmarkJudge::Other => "other",
        }
    }
}

/// Contents of a benchmark file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BenchmarkFile {
    /// The records that can be scored.
    pub items: Vec<Item>,
    /// Lines that are wrong, with the reason; their records are left out where they cannot be scored.
    pub wrong: Vec<(u64, String)>,
    /// Settings of the first `s` line.
    pub settings: Option<String>,
    /// Generation of the published files that it belongs to, if any.
    pub generation: Option<Generation>,
}

impl BenchmarkFile {
    /// Returns the judge, which the version in the settings names.
    #[must_use]
    pub fn judge(&self) -> BenchmarkJudge {
        let mut words = self.settings.as_deref().unwrap_or("").split_whitespace();
        let is_version = words.any(|word| word == "version");
        let version = words.next().filter(|_| is_version).unwrap_or("");
        match version.starts_with("gammond-") {
            true => BenchmarkJudge::Ours,
            false => BenchmarkJudge::Other,
        }
    }
}

/// Reasons why a file is not a benchmark file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// A line that no benchmark file has.
    #[error("line {0} is longer than {RECORD_LINE_BYTES_MAX} bytes: not a benchmark file")]
    LongLine(u64),
    /// Too many lines are wrong.
    #[error("more than {FAULTS_MAX} wrong lines, the last is line {0}: {1}")]
    Foreign(u64, String),
    /// The file has no record to score.
    #[error("no m, o or c record that can be scored: not a benchmark file{0}")]
    Empty(String),
}

/// Reads all records that can be scored.
///
/// # Errors
/// [`ReadError`] when reading fails or the file is not of this kind.
pub fn read(input: &mut dyn BufRead) -> Result<BenchmarkFile, ReadError> {
    let mut reading = Reading::default();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let mut bounded = (&mut *input).take(RECORD_LINE_BYTES_MAX as u64 + 1);
        if bounded.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if bytes.len() > RECORD_LINE_BYTES_MAX {
            return Err(ReadError::LongLine(line));
        }
        reading.add(line, String::from_utf8_lossy(&bytes).trim_end());
        if reading.file.wrong.len() > FAULTS_MAX {
            let (line, reason) = reading.file.wrong.pop().unwrap_or_default();
            return Err(ReadError::Foreign(line, reason));
        }
    }
    let file = reading.file;
    if file.items.is_empty() {
        let first = file.wrong.first();
        return Err(ReadError::Empty(
            first.map_or_else(String::new, |(line, reason)| {
                format!(" (line {line}: {reason})")
            }),
        ));
    }
    Ok(file)
}

/// A file as far as it is read, and what holds for the records that follow.
struct Reading {
    file: BenchmarkFile,
    /// The `#R` lines of the next `m` record.
    rolled: Vec<(u64, PositionChances)>,
    /// Texts after the keys, which decide whether candidates differ.
    texts: Vec<String>,
    /// Points that both players need in `c` records; `None` after settings with an impossible number.
    away: Option<u8>,
    /// Match winning chance after a pass in `c` records.
    pass: Option<f64>,
}

impl Default for Reading {
    fn default() -> Reading {
        Reading {
            file: BenchmarkFile::default(),
            rolled: Vec::new(),
            texts: Vec::new(),
            away: Some(CubeStakes::AWAY_USUAL),
            pass: None,
        }
    }
}

impl Reading {
    /// Reads a line.
    fn add(&mut self, line: u64, text: &str) {
        let file = &mut self.file;
        match text.parse::<BenchmarkRecord>() {
            Ok(BenchmarkRecord::Settings(settings)) => {
                match cube_away(&settings) {
                    Ok(None) => {}
                    Ok(found) => self.away = found,
                    Err(reason) => {
                        self.away = None;
                        file.wrong.push((line, reason));
                    }
                }
                self.pass = None;
                file.settings.get_or_insert(settings);
            }
            Ok(BenchmarkRecord::Rolled(one)) => {
                self.rolled.push((line, one));
                let chances: Vec<&str> = text.split_whitespace().skip(2).collect();
                self.texts.push(chances.join(" "));
            }
            Ok(BenchmarkRecord::Play(play)) => {
                add_play(file, play, line, &self.rolled, &self.texts);
                self.rolled.clear();
                self.texts.clear();
            }
            Ok(BenchmarkRecord::Position(position)) => {
                let equity = f64::from(position.chances.equity());
                file.items.push(Item {
                    line,
                    interesting: equity.fract() != 0.0,
                    record: ScorableRecord::Position(position),
                });
            }
            Ok(BenchmarkRecord::Cube(record)) => {
                let pass = self.pass;
                file.items.extend(self.away.map(|away| Item {
                    line,
                    interesting: true,
                    record: ScorableRecord::Action(ActionRecord { record, away, pass }),
                }));
            }
            Ok(BenchmarkRecord::Comment(comment)) => self.pass = pass_of(&comment).or(self.pass),
            Ok(_) => {}
            Err(error) => {
                if text.starts_with("m ") {
                    // The `#R` lines before it are not those of the next record.
                    self.rolled.clear();
                    self.texts.clear();
                }
                file.wrong.push((line, error.to_string()));
            }
        }
    }
}

/// Returns the points that both players need in `c` records, from the settings; `None` if they do not have it.
fn cube_away(settings: &str) -> Result<Option<u8>, String> {
    let mut words = settings.split_whitespace();
    if !words.any(|word| word == "cubeAway") {
        return Ok(None);
    }
    let text = words.next().unwrap_or_default();
    let away = text.parse().ok();
    match away.filter(|away| CubeStakes::AWAY.contains(away)) {
        Some(away) => Ok(Some(away)),
        None => Err(format!(
            "cubeAway \"{text}\" is not a number of points, expected {} to {} (example: cubeAway 7); the c records \
             below are left out",
            CubeStakes::AWAY.start(),
            CubeStakes::AWAY.end()
        )),
    }
}

/// Returns the match winning chance after a pass of the rollouts, if this comment has their settings (BM-34).
fn pass_of(comment: &str) -> Option<f64> {
    let settings = comment.trim_start().strip_prefix(STAMP.0)?;
    let pass = Header::parse(settings.trim_start())?
        .get("pass")?
        .parse()
        .ok()?;
    // Equal scores: more than an even chance.
    (pass > 0.5 && pass < 1.0).then_some(pass)
}

/// Adds an `m` record and its faults, given the `#R` lines before it.
fn add_play(
    file: &mut BenchmarkFile,
    play: PlayRecord,
    line: u64,
    rolled: &[(u64, PositionChances)],
    texts: &[String],
) {
    file.generation = file.generation.or(Generation::of(&play));
    let faults = play_faults(&play, rolled, line);
    let interesting = if rolled.is_empty() {
        play.candidates.iter().any(|c| c.loss != 0.0)
    } else {
        texts.windows(2).any(|pair| pair[0] != pair[1])
    };
    if !faults.iter().any(|fault| fault.whole) {
        file.items.push(Item {
            line,
            interesting,
            record: ScorableRecord::Play(play),
        });
    }
    (file.wrong).extend(faults.into_iter().map(|fault| (fault.line, fault.text)));
}

/// Something wrong with an `m` record.
struct Fault {
    line: u64,
    text: String,
    /// True if the record cannot be scored.
    whole: bool,
}

fn play_faults(play: &PlayRecord, rolled: &[(u64, PositionChances)], line: u64) -> Vec<Fault> {
    let mut legal = Vec::new();
    generate_plays(&play.position, play.roll, &mut legal);
    if legal.is_empty() {
        legal.push(play.position.swapped());
    }
    let mut faults = Vec::new();
    let mut fault = |line, whole, text| faults.push(Fault { line, text, whole });
    let mut before = 0.0;
    for (index, candidate) in play.candidates.iter().enumerate() {
        let name = format!(
            "candidate {} ({})",
            index + 1,
            PositionKey::from(candidate.position)
        );
        if !legal.contains(&candidate.position) {
            fault(
                line,
                true,
                format!("{name} is not the result of a legal play of {}", play.roll),
            );
        } else if candidate.loss < LOSS_LEAST {
            let loss = candidate.loss;
            fault(
                line,
                true,
                format!("{name} has a loss of {loss}: better than the best"),
            );
        } else if candidate.loss < before {
            let loss = candidate.loss;
            let text = format!("{name} has a loss of {loss} and comes after one of {before}");
            fault(line, false, text);
        }
        before = candidate.loss.max(before);
    }
    for (at, one) in rolled {
        let key = PositionKey::from(one.position);
        let Some(listed) = play.candidates.iter().find(|c| c.position == one.position) else {
            let text = format!("#R of {key}, which line {line} does not list");
            fault(*at, false, text);
            continue;
        };
        let equity = -f64::from(one.chances.equity());
        let loss = play.equity - equity;
        if (loss - listed.loss).abs() > LOSS_ROUNDING {
            let said = listed.loss;
            let text = format!("#R of {key} makes a loss of {loss:.6}, line {line} has {said}");
            fault(*at, false, text);
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "OAHDPAABDAOAHDPAABDA";

    fn faults(text: &str) -> (usize, Vec<String>) {
        let file = read(&mut text.as_bytes()).unwrap();
        let wrong = file
            .wrong
            .iter()
            .map(|(line, text)| format!("{line}: {text}"));
        (file.items.len(), wrong.collect())
    }

    #[test]
    fn other_files_are_refused_as_benchmarks() {
        let error = |text: &[u8]| read(&mut &text[..]).unwrap_err().to_string();
        assert!(error(b"").contains("no m, o or c record"));
        assert!(error(b"# nothing\nhello\n").contains("no m, o or c record"));
        assert!(error(b"m OAHD\n").contains("line 1: position key has 4"));
        assert!(error(&vec![0; RECORD_LINE_BYTES_MAX + 9]).contains("longer than"));
        assert!(error("m x\n".repeat(FAULTS_MAX + 5).as_bytes()).contains("wrong lines"));
    }

    #[test]
    fn settings_name_the_judge() {
        let judge = |settings: &str| {
            let text = format!("{settings}\no {START} 0.5 0.1 0 0.1 0\n");
            read(&mut text.as_bytes()).unwrap().judge()
        };
        let own = "s version gammond-0.1.0 weights x";
        assert_eq!(judge(own), BenchmarkJudge::Ours);
        for other in [
            "",
            "s version bgsage-2.0 weights gammond-1",
            "s weights gammond-1",
        ] {
            assert_eq!(judge(other), BenchmarkJudge::Other, "{other}");
        }
    }

    /// BM-36: the rollouts' settings give the worth of a pass, in the file of the record only.
    #[test]
    fn a_pass_is_that_of_the_file() {
        let record = format!("c {START} 51 45 ND\n");
        let settings = |pass: &str| {
            let header = Header::new("benchmark", 4).field("pass", pass);
            format!("# gammond rollout {}\n", header.text())
        };
        let passes = |text: &str| -> Vec<Option<f64>> {
            let items = read(&mut text.as_bytes()).unwrap().items;
            let pass = |item: &Item| match &item.record {
                ScorableRecord::Action(action) => action.pass,
                _ => panic!("{item:?}"),
            };
            items.iter().map(pass).collect()
        };
        assert_eq!(passes(&record), [None]);
        let own = format!("s cubeAway 7\n{}# 72 games\n{record}", settings("0.56"));
        assert_eq!(
            passes(&format!("{own}{record}s cubeAway 7\n{record}")),
            [Some(0.56), Some(0.56), None]
        );
        for odd in ["", "0.5", "1", "NaN", "inf", "x"] {
            let odd = format!("{}{record}", settings(odd));
            assert_eq!(passes(&odd), [None], "{odd}");
        }
    }

    /// BM-35: `c` records at a score that cannot be are left out, and the `s` line is named.
    #[test]
    fn cube_records_at_an_impossible_score_are_left_out() {
        let record = format!("c {START} 51 45 ND\n");
        assert_eq!(faults(&format!("s weights x\n{record}")), (1, vec![]));
        for odd in ["0", "1", "26", "64", "256", "x", ""] {
            let text = format!("s cubeAway 7\n{record}s cubeAway {odd}\n{record}{record}");
            let (items, wrong) = faults(&format!("{text}s cubeAway 5\n{record}"));
            assert_eq!((items, wrong.len()), (2, 1), "{wrong:?}");
            assert!(
                wrong[0].starts_with(&format!("3: cubeAway \"{odd}\"")),
                "{wrong:?}"
            );
        }
        let only = format!("s cubeAway 1\n{record}");
        let error = read(&mut only.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("line 1: cubeAway \"1\""), "{error}");
    }

    /// BM-10: the rollouts of a record that is refused are not those of the next one.
    #[test]
    fn rollouts_of_a_refused_record_are_dropped() {
        let good = format!("m {START} 2 4 JIGHPAABDAOAHDPAABDA 0.1\n");
        let refused = format!("#R {START} 0.5 0 0 0 0\nm {START} 2 7\n{good}");
        let (items, wrong) = faults(&refused);
        assert_eq!((items, wrong.len()), (1, 1), "{wrong:?}");
        assert!(wrong[0].starts_with("2: "), "{wrong:?}");
    }

    #[test]
    fn listed_plays_are_checked() {
        let best = "JIGHPAABDAOAHDPAABDA";
        let second = "OAHDOEABCBOAHDPAABDA";
        let good = format!("m {START} 2 4 {best} 0.114795 {second} 0.0421133\n");
        assert_eq!(faults(&good), (1, vec![]));
        // The board unchanged is no play of 4-2.
        let stays = format!("{good}m {START} 2 4 {START} 0.1 {second} 0.04\n");
        let (items, wrong) = faults(&stays);
        assert_eq!(items, 1);
        assert!(
            wrong[0].starts_with("2: candidate 1 (OAHDPAABDAOAHDPAABDA) is not"),
            "{wrong:?}"
        );
        let negative = format!("{good}m {START} 2 4 {best} 0.1 {second} -0.0004\n");
        assert!(faults(&negative).1[0].contains("better than the best"));
        let third = "OAHDOBABCEOAHDPAABDA";
        let crossed = format!("m {START} 2 4 {best} 0.1 {second} 0.05 {third} 0.04\n");
        let (items, wrong) = faults(&crossed);
        assert!(
            items == 1 && wrong[0].contains("comes after one of 0.05"),
            "{wrong:?}"
        );
    }

    #[test]
    fn rollouts_beside_the_record_are_compared() {
        let best = "JIGHPAABDAOAHDPAABDA";
        let second = "OAHDOEABCBOAHDPAABDA";
        let m = format!("m {START} 2 4 {best} 0.1 {second} 0.02\n");
        let rolled =
            |a: &str, b: &str| format!("#R {best} {a} 0 0 0 0\n#R {second} {b} 0 0 0 0\n{m}");
        assert_eq!(faults(&rolled("0.45", "0.46")), (1, vec![]));
        let (items, wrong) = faults(&rolled("0.45", "0.48"));
        assert_eq!(items, 1);
        assert!(
            wrong[0].starts_with("2: #R of OAHDOEABCBOAHDPAABDA makes a loss of 0.06"),
            "{wrong:?}"
        );
        let stranger = format!("#R {START} 0.5 0 0 0 0\n{m}");
        assert!(faults(&stranger).1[0].contains("does not list"));
    }

    /// BM-37.
    #[test]
    fn generations_are_known_by_records_of_their_files() {
        let file = |equity: &str| format!("m {START} 2 4 JIGHPAABDAOAHDPAABDA {equity}\n");
        let of = |equity: &str| read(&mut file(equity).as_bytes()).unwrap().generation;
        assert_eq!(of("0.114795"), Some(Generation::RolledAgain));
        assert_eq!(of("0.133905"), Some(Generation::First));
        assert_eq!(of("0.12"), None);
        for record in [
            "NPIPANAAAAPPDOAACAAI 5 2 PPDOEAAAAINPIPANAAAA -0.770323",
            "AAAAABNMAAAAAAAAAAAA 6 1 APAAAAAAAACAAAAAAAAA 0.345939",
        ] {
            let of = |record: &str| {
                read(&mut format!("m {record}\n").as_bytes())
                    .unwrap()
                    .generation
            };
            assert_eq!(of(record), Some(Generation::RolledAgain), "{record}");
            assert_eq!(of(&record.replace('3', "4")), None, "{record}");
        }
    }
}
