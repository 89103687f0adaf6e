//! What is written down about a job: its command and files, its stages, the answers.

use super::FarmError;
use super::spec::{EngineSpec, JobSpec};
use gammond_job::sha256;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The version of everything that is written here.
pub const FORMAT: u64 = 2;

/// The version of the program: others may compute other parts.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A job of the farm: a command as data, with everything that decides its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// [`FORMAT`].
    pub format: u64,
    /// [`VERSION`] of who submitted it.
    pub version: String,
    /// The command.
    pub job: JobSpec,
    /// The options that all commands have.
    pub engine: EngineSpec,
    /// Files and folders that it reads.
    pub files: Vec<Shipped>,
    /// Which share of the answers is computed twice, in millionths.
    pub verify_millionths: u32,
    /// A machine that says nothing for so many seconds loses what it computes.
    pub silence_s: u64,
    /// The command line, for people; nothing is read from it, and the name of the job does not depend on it.
    pub typed: String,
}

/// A file or folder that comes along.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shipped {
    /// Where it lies with whoever submitted the job.
    pub path: String,
    /// Whether it is a folder.
    pub folder: bool,
    /// The files, one or those of the folder.
    pub files: Vec<ShippedFile>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShippedFile {
    /// Its name without the folder.
    pub name: String,
    /// The SHA-256 of what is in it.
    pub sha256: String,
    /// Its bytes.
    pub length: u64,
}

impl Task {
    /// Returns the name of the job: the same for the same work.
    #[must_use]
    pub fn name(&self) -> String {
        let nameless = Task {
            typed: String::new(),
            ..self.clone()
        };
        let text = serde_json::to_string(&nameless).unwrap_or_default();
        let sum = sha256(text.as_bytes());
        format!("{}-{}", self.job.word(), sum.get(..12).unwrap_or(&sum))
    }

    /// Reads a job and checks everything in it that does not depend on this machine.
    ///
    /// # Errors
    /// When it is none, or another version wrote it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Task, FarmError> {
        #[derive(Deserialize)]
        struct Version {
            version: String,
        }
        newer(name, bytes)?;
        let not_ours = || FarmError::NotOurs(name.to_owned());
        let Ok(mut task) = serde_json::from_slice::<Task>(bytes) else {
            return Err(match serde_json::from_slice::<Version>(bytes) {
                Ok(Version { version }) if version != VERSION => FarmError::Version {
                    found: one_line(&version, VERSION_LETTERS_MAX),
                    own: VERSION.to_owned(),
                },
                _ => not_ours(),
            });
        };
        if task.name() != name || !task.is_within_limits() {
            return Err(not_ours());
        }
        task.typed = one_line(&task.typed, TYPED_LETTERS_MAX);
        Ok(task)
    }

    fn is_within_limits(&self) -> bool {
        let plain = |text: &str, most: usize| {
            !text.is_empty() && text.len() <= most && !text.chars().any(is_unprintable)
        };
        let named = |one: &ShippedFile| {
            plain(&one.name, FILE_NAME_BYTES_MAX)
                && one.length <= FILE_BYTES_MAX
                && is_sha256(&one.sha256)
        };
        let shipped = |one: &Shipped| {
            plain(&one.path, PATH_BYTES_MAX)
                && one.files.len() <= FOLDER_FILES_MAX
                && one.files.iter().all(named)
        };
        plain(&self.version, VERSION_LETTERS_MAX)
            && self.files.len() <= FILES_MAX
            && self.files.iter().all(shipped)
            && self.verify_millionths <= 1_000_000
            && (1..=SILENCE_S_MAX).contains(&self.silence_s)
    }

    /// Whether this answer is computed twice.
    #[must_use]
    pub fn verifies(&self, stage: u32, lot: u64) -> bool {
        if self.verify_millionths == 0 {
            return false;
        }
        let sum = sha256(format!("{} {stage} {lot}", self.name()).as_bytes());
        let number = sum
            .get(..8)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        number.is_some_and(|number| number % 1_000_000 < self.verify_millionths)
    }
}

/// The most messages of a job.
pub(super) const LOTS_MAX: u64 = 20_000_000;
/// The longest file that travels with a job.
pub const FILE_BYTES_MAX: u64 = 2 << 30;
/// Bytes of a job's header.
const HEADER_BYTES_MAX: usize = 1 << 20;
/// The most files and folders of a job.
const FILES_MAX: usize = 256;
/// The most files of a folder.
pub(super) const FOLDER_FILES_MAX: usize = 64;
/// Bytes of a file's name, as file systems have it.
const FILE_NAME_BYTES_MAX: usize = 255;
/// Bytes of a path.
const PATH_BYTES_MAX: usize = 4096;
/// Letters of a version.
pub(super) const VERSION_LETTERS_MAX: usize = 40;
/// Letters of a command line that are shown.
const TYPED_LETTERS_MAX: usize = 2000;
/// The longest time after which a silent machine loses what it computes, in seconds.
const SILENCE_S_MAX: u64 = 3600;

/// Tells whether a character could change more of a terminal or a page than its own place: controls, line ends, and those
/// that turn the direction of writing.
fn is_unprintable(one: char) -> bool {
    one.is_control()
        || matches!(one, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

/// Makes text that a stranger chose one line of at most `most` characters, without any that is unprintable.
#[must_use]
pub fn one_line(text: &str, most: usize) -> String {
    let shown = |one: char| match is_unprintable(one) {
        true => char::REPLACEMENT_CHARACTER,
        false => one,
    };
    let mut line: String = text.chars().take(most).map(shown).collect();
    if text.chars().nth(most).is_some() {
        line.push_str("...");
    }
    line
}

/// Tells whether text is a SHA-256 as it is written here.
pub(super) fn is_sha256(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().all(digit)
}

/// The settings of bytes from a newer version cannot be known.
fn newer(what: &str, bytes: &[u8]) -> Result<(), FarmError> {
    #[derive(Deserialize)]
    struct Format {
        format: u64,
    }
    match serde_json::from_slice::<Format>(bytes) {
        Ok(Format { format: FORMAT }) => Ok(()),
        Ok(Format { format: found }) => Err(FarmError::Newer {
            what: what.to_owned(),
            found,
            own: FORMAT,
        }),
        Err(_) => Err(FarmError::NotOurs(what.to_owned())),
    }
}

/// One of the jobs of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stage {
    /// [`FORMAT`].
    pub(super) format: u64,
    /// The job's header: whoever computes parts must come to the same.
    pub(super) header: String,
    /// How many parts it has; of a job without a fixed number, how many are computed.
    pub(super) parts: u64,
    /// Parts in one message.
    pub(super) lot: u64,
}

impl Stage {
    /// Reads one.
    ///
    /// # Errors
    /// When it is none, or a newer version wrote it.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Stage, FarmError> {
        newer(name, bytes)?;
        let stage: Result<Stage, _> = serde_json::from_slice(bytes);
        let known = |stage: &Stage| {
            stage.lot > 0 && stage.lots() <= LOTS_MAX && stage.header.len() <= HEADER_BYTES_MAX
        };
        let stage = stage.ok().filter(known);
        stage.ok_or_else(|| FarmError::NotOurs(name.to_owned()))
    }

    /// How many messages.
    #[must_use]
    pub(super) fn lots(&self) -> u64 {
        self.parts.div_ceil(self.lot.max(1))
    }

    /// The parts of a message.
    #[must_use]
    pub(super) fn numbers(&self, lot: u64) -> Range<u64> {
        let from = lot.saturating_mul(self.lot).min(self.parts);
        from..from.saturating_add(self.lot).min(self.parts)
    }
}

/// One message of parts: which job, which of its stages, which lot, and the how-manieth copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lot {
    /// The job.
    pub job: String,
    /// Its stage.
    pub stage: u32,
    /// The lot.
    pub number: u64,
    /// 0, and more where it is verified.
    pub copy: u32,
}

impl Lot {
    /// The end of its subjects.
    #[must_use]
    pub fn subject(&self) -> String {
        let Lot {
            job,
            stage,
            number,
            copy,
        } = self;
        format!("{job}.{stage}.{number}.{copy}")
    }

    /// Reads the end of a subject.
    #[must_use]
    pub fn parse(text: &str) -> Option<Lot> {
        let mut words = text.split('.');
        let lot = Lot {
            job: words.next().filter(|job| is_job_name(job))?.to_owned(),
            stage: words.next()?.parse().ok()?,
            number: words.next()?.parse().ok()?,
            copy: words.next()?.parse().ok()?,
        };
        words.next().is_none().then_some(lot)
    }

    /// The same with another copy.
    #[must_use]
    pub fn copy(&self, copy: u32) -> Lot {
        Lot {
            copy,
            ..self.clone()
        }
    }
}

/// Whether a job may be called so.
#[must_use]
pub(super) fn is_job_name(text: &str) -> bool {
    let good = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    !text.is_empty() && text.len() <= 64 && text.chars().all(good)
}

/// The parts of a lot as bytes: the length of each, and it.
#[must_use]
pub(super) fn pack(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 4).sum());
    for part in parts {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

/// What [`pack`] made of `count` parts.
#[must_use]
pub(super) fn unpack(mut bytes: &[u8], count: u64) -> Option<Vec<Vec<u8>>> {
    let mut parts = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let (part, rest) = rest.split_at_checked(length)?;
        parts.push(part.to_vec());
        bytes = rest;
    }
    (bytes.is_empty() && parts.len() as u64 == count).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Task {
        let text = format!(
            r#"{{"format":{FORMAT},"version":"{VERSION}","job":{{"label":{{"input":0,"output":"out","games":null}}}},
            "engine":{{"nets":"embedded","plies":0,"bearoff":"none","met":{{"named":"g11"}},"seed":1,"format":null}},
            "files":[{{"path":"positions","folder":false,"files":[{{"name":"positions","sha256":"{}","length":5}}]}}],
            "verify_millionths":20000,"silence_s":30,"typed":"label positions out"}}"#,
            "0".repeat(64)
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let (task, bytes) = (task(), serde_json::to_vec(&task()).unwrap());
        assert_eq!(Task::parse(&task.name(), &bytes).unwrap(), task);
        let refused = |name: &str, bytes: &[u8], why: &str| {
            let said = Task::parse(name, bytes).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        };
        refused("label-0", &bytes, "no message");
        refused("label-0", b"", "no message");
        refused("label-0", b"{\"format\":2}", "no message");
        refused("label-0", b"{\"format\":1,\"old\":3}", "another version");
        refused(
            "label-0",
            b"{\"format\":2,\"version\":\"9.9.9\"}",
            "of gammond 9.9.9",
        );
        let mut other = task.clone();
        other.typed = "typed in another order\n\u{1b}[2J".to_owned();
        assert_eq!(other.name(), task.name());
        let read = Task::parse(&task.name(), &serde_json::to_vec(&other).unwrap()).unwrap();
        assert_eq!(read.typed, "typed in another order\u{fffd}\u{fffd}[2J");
        for bytes in [&b"{}"[..], b"{\"format\":9}", b"\xff\xff", b"[1]"] {
            assert!(Stage::parse("x", bytes).is_err());
        }
        let stage = b"{\"format\":2,\"header\":\"h\",\"parts\":9,\"lot\":0}";
        assert!(Stage::parse("x", stage).is_err(), "lots of nothing");
    }

    #[test]
    fn lots_cover_all_parts_once() {
        for (parts, lot) in [
            (0, 1),
            (1, 1),
            (10, 3),
            (9, 3),
            (5, 100),
            (u64::MAX, 1 << 60),
        ] {
            let stage = Stage {
                format: FORMAT,
                header: String::new(),
                parts,
                lot,
            };
            let mut next = 0;
            for number in 0..stage.lots() {
                let numbers = stage.numbers(number);
                assert_eq!(numbers.start, next);
                assert!(numbers.end > numbers.start);
                next = numbers.end;
            }
            assert_eq!(next, parts);
            assert!(stage.numbers(stage.lots()).is_empty());
        }
    }

    #[test]
    fn subjects_and_answers_come_back() {
        let lot = Lot {
            job: "label-0123456789ab".into(),
            stage: 1,
            number: 7,
            copy: 2,
        };
        assert_eq!(Lot::parse(&lot.subject()), Some(lot));
        for text in [
            "",
            "a.1.2",
            "a.1.2.3.4",
            "a.b.2.3",
            "A b.1.2.3",
            "a.-1.2.3",
            ".1.2.3",
        ] {
            assert_eq!(Lot::parse(text), None, "{text}");
        }
        let parts = vec![b"one".to_vec(), Vec::new(), vec![7; 300]];
        let bytes = pack(&parts);
        assert_eq!(unpack(&bytes, 3), Some(parts));
        assert_eq!(unpack(&bytes, 2), None);
        for length in 1..bytes.len() {
            assert_eq!(unpack(&bytes[..length], 3), None);
        }
        assert_eq!(unpack(&[255; 8], 1), None);
    }

    #[test]
    fn about_the_wanted_share_is_verified() {
        let task = task();
        let count = (0..5_000).filter(|&lot| task.verifies(0, lot)).count();
        assert!((60..140).contains(&count), "{count}");
    }
}
