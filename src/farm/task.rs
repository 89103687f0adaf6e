//! The stored description of a job: its command, files, stages and batches.

use super::FarmError;
use gammond_base::checksum::sha256;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::ops::Range;

/// Version of the stored format.
pub const FORMAT: u64 = 3;

/// Version of the program. Another version may compute other parts.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The commands that a farm runs, as data that travels. It is deserialized from untrusted bytes: its types have limits on
/// every number and text, and none that could be a path, a program or a socket.
pub trait Commands: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// A command with its arguments.
    type Command: Clone + Debug + PartialEq + Send + Sync + Serialize + DeserializeOwned;
    /// The options that all commands have.
    type Options: Clone + Debug + PartialEq + Send + Sync + Serialize + DeserializeOwned;

    /// Returns the word with which the name of the job begins.
    fn word(command: &Self::Command) -> &'static str;

    /// Returns the number of jobs that the command runs, one after the other.
    fn stages(command: &Self::Command) -> u32;
}

/// A job of the farm: a command as data, with everything that decides its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, bound = "")]
pub struct Task<C: Commands> {
    /// Format of the description, see [`FORMAT`].
    pub format: u64,
    /// Version of the submitting program, see [`VERSION`].
    pub version: String,
    /// Command of the job.
    pub job: C::Command,
    /// Options common to all commands.
    pub engine: C::Options,
    /// Files and folders that the job reads.
    pub files: Vec<Shipped>,
    /// Share of the answers that are computed twice, in millionths.
    pub verify_millionths: u32,
    /// Acknowledgement timeout in seconds: a silent machine loses its batches after this time.
    pub silence_s: u64,
    /// Command line for people. It is not parsed, and the name of the job does not depend on it.
    pub typed: String,
}

/// A file or folder that travels with a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shipped {
    /// Path on the submitting machine.
    pub path: String,
    /// True for a folder.
    pub folder: bool,
    /// The file, or the files of the folder.
    pub files: Vec<ShippedFile>,
}

/// A file that travels with a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShippedFile {
    /// Name without the folder.
    pub name: String,
    /// SHA-256 of the contents.
    pub sha256: String,
    /// Size in bytes.
    pub length: u64,
}

impl<C: Commands> Task<C> {
    /// Returns the name of the job; equal work has equal names.
    #[must_use]
    pub fn name(&self) -> String {
        let nameless = Task {
            typed: String::new(),
            ..self.clone()
        };
        let text = serde_json::to_string(&nameless).unwrap_or_default();
        let sum = sha256(text.as_bytes());
        format!("{}-{}", C::word(&self.job), sum.get(..12).unwrap_or(&sum))
    }

    /// Parses a description and checks everything that does not depend on this machine.
    ///
    /// # Errors
    /// If it is no description, or another version wrote it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Task<C>, FarmError> {
        #[derive(Deserialize)]
        struct Version {
            version: String,
        }
        newer(name, bytes)?;
        let not_ours = || FarmError::NotOurs(name.to_owned());
        let Ok(mut task) = serde_json::from_slice::<Task<C>>(bytes) else {
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

    /// Returns how many jobs of the runner the command consists of.
    #[must_use]
    pub(crate) fn stages(&self) -> u32 {
        C::stages(&self.job)
    }

    /// Returns true if this batch is computed twice.
    #[must_use]
    pub(crate) fn verifies(&self, stage: u32, batch: u64) -> bool {
        if self.verify_millionths == 0 {
            return false;
        }
        let sum = sha256(format!("{} {stage} {batch}", self.name()).as_bytes());
        let number = sum
            .get(..8)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        number.is_some_and(|number| number % 1_000_000 < self.verify_millionths)
    }
}

/// Maximum number of batches of a job.
pub(super) const BATCHES_MAX: u64 = 20_000_000;
/// Maximum size of a file of a job, in bytes.
pub const FILE_BYTES_MAX: u64 = 2 << 30;
/// Maximum size of a job's header in bytes.
const HEADER_BYTES_MAX: usize = 1 << 20;
/// Maximum number of files and folders of a job.
const FILES_MAX: usize = 256;
/// Maximum number of files of a folder.
pub(super) const FOLDER_FILES_MAX: usize = 64;
/// Maximum size of a file's name in bytes, as in file systems.
const FILE_NAME_BYTES_MAX: usize = 255;
/// Maximum size of a path in bytes.
const PATH_BYTES_MAX: usize = 4096;
/// Maximum length of a version in characters.
pub(super) const VERSION_LETTERS_MAX: usize = 40;
/// Maximum length of a displayed command line in characters.
const TYPED_LETTERS_MAX: usize = 2000;
/// Maximum of [`Task::silence_s`].
const SILENCE_S_MAX: u64 = 3600;

/// Returns true for characters that can affect more of a terminal or page than their own place: control characters, line ends,
/// and those that change the direction of writing.
fn is_unprintable(one: char) -> bool {
    one.is_control()
        || matches!(one, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
}

/// Converts untrusted text to one line of at most `most` characters; unprintable characters are replaced.
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

/// Returns true if the text is a SHA-256 in lower-case hexadecimal.
pub(super) fn is_sha256(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().all(digit)
}

/// Returns an error unless the bytes have the current [`FORMAT`].
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

/// One of the runner's jobs that a command consists of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stage {
    /// Format of the description, see [`FORMAT`].
    pub(super) format: u64,
    /// Header of the runner's job: workers must compute the same one.
    pub(super) header: String,
    /// Number of parts; an estimate if the job has no fixed number.
    pub(super) parts: u64,
    /// Number of parts in one batch.
    pub(super) batch_size: u64,
}

impl Stage {
    /// Parses a stage.
    ///
    /// # Errors
    /// If it is no stage, or a newer version wrote it.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Stage, FarmError> {
        newer(name, bytes)?;
        let stage: Result<Stage, _> = serde_json::from_slice(bytes);
        let known = |stage: &Stage| {
            stage.batch_size > 0
                && stage.batches() <= BATCHES_MAX
                && stage.header.len() <= HEADER_BYTES_MAX
        };
        let stage = stage.ok().filter(known);
        stage.ok_or_else(|| FarmError::NotOurs(name.to_owned()))
    }

    /// Returns the number of batches.
    #[must_use]
    pub(super) fn batches(&self) -> u64 {
        self.parts.div_ceil(self.batch_size.max(1))
    }

    /// Returns the range of parts of a batch.
    #[must_use]
    pub(super) fn numbers(&self, batch: u64) -> Range<u64> {
        let from = batch.saturating_mul(self.batch_size).min(self.parts);
        from..from.saturating_add(self.batch_size).min(self.parts)
    }
}

/// The key of a message of parts: job, stage, batch and copy.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartBatch {
    /// Name of the job.
    pub job: String,
    /// Number of the stage.
    pub stage: u32,
    /// Number of the batch.
    pub number: u64,
    /// Number of the copy: 0, or more if the batch is verified.
    pub copy: u32,
}

impl PartBatch {
    /// Returns the last part of the batch's subjects.
    #[must_use]
    pub fn subject(&self) -> String {
        let PartBatch {
            job,
            stage,
            number,
            copy,
        } = self;
        format!("{job}.{stage}.{number}.{copy}")
    }

    /// Parses the last part of a subject.
    #[must_use]
    pub fn parse(text: &str) -> Option<PartBatch> {
        let mut words = text.split('.');
        let batch = PartBatch {
            job: words.next().filter(|job| is_job_name(job))?.to_owned(),
            stage: words.next()?.parse().ok()?,
            number: words.next()?.parse().ok()?,
            copy: words.next()?.parse().ok()?,
        };
        words.next().is_none().then_some(batch)
    }

    /// Returns the key of another copy.
    #[must_use]
    pub fn copy(&self, copy: u32) -> PartBatch {
        PartBatch {
            copy,
            ..self.clone()
        }
    }
}

/// Returns true if the text is a valid name of a job.
#[must_use]
pub(super) fn is_job_name(text: &str) -> bool {
    let good = |one: char| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-';
    !text.is_empty() && text.len() <= 64 && text.chars().all(good)
}

/// Packs the parts of a batch into bytes: for each its length, then its contents.
#[must_use]
pub(super) fn pack(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 4).sum());
    for part in parts {
        bytes.extend((part.len() as u32).to_le_bytes());
        bytes.extend(part);
    }
    bytes
}

/// Unpacks `count` parts from the bytes of [`pack`].
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

    /// One command with one word.
    #[derive(Clone, Debug, PartialEq)]
    struct Labels;

    impl Commands for Labels {
        type Command = String;
        type Options = ();

        fn word(_: &String) -> &'static str {
            "label"
        }

        fn stages(_: &String) -> u32 {
            1
        }
    }

    type Task = super::Task<Labels>;

    fn task() -> Task {
        let text = format!(
            r#"{{"format":{FORMAT},"version":"{VERSION}","job":"positions out","engine":null,
            "files":[{{"path":"positions","folder":false,"files":[{{"name":"positions","sha256":"{}","length":5}}]}}],
            "verify_millionths":20000,"silence_s":30,"typed":"label positions out"}}"#,
            "0".repeat(64)
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn only_written_descriptions_are_read_back() {
        let (task, bytes) = (task(), serde_json::to_vec(&task()).unwrap());
        assert_eq!(Task::parse(&task.name(), &bytes).unwrap(), task);
        let refused = |name: &str, bytes: &[u8], why: &str| {
            let said = Task::parse(name, bytes).unwrap_err().to_string();
            assert!(said.contains(why), "{said}");
        };
        refused("label-0", &bytes, "no message");
        refused("label-0", b"", "no message");
        refused("label-0", b"{\"format\":3}", "no message");
        refused("label-0", b"{\"format\":1,\"old\":3}", "another version");
        refused("label-0", b"{\"format\":2,\"job\":{}}", "another version");
        refused(
            "label-0",
            b"{\"format\":3,\"version\":\"9.9.9\"}",
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
        let stage = b"{\"format\":3,\"header\":\"h\",\"parts\":9,\"batch\":0}";
        assert!(Stage::parse("x", stage).is_err(), "batches of nothing");
    }

    #[test]
    fn lots_cover_all_parts_once() {
        for (parts, batch) in [
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
                batch_size: batch,
            };
            let mut next = 0;
            for number in 0..stage.batches() {
                let numbers = stage.numbers(number);
                assert_eq!(numbers.start, next);
                assert!(numbers.end > numbers.start);
                next = numbers.end;
            }
            assert_eq!(next, parts);
            assert!(stage.numbers(stage.batches()).is_empty());
        }
    }

    #[test]
    fn subjects_and_answers_round_trip() {
        let batch = PartBatch {
            job: "label-0123456789ab".into(),
            stage: 1,
            number: 7,
            copy: 2,
        };
        assert_eq!(PartBatch::parse(&batch.subject()), Some(batch));
        for text in [
            "",
            "a.1.2",
            "a.1.2.3.4",
            "a.b.2.3",
            "A b.1.2.3",
            "a.-1.2.3",
            ".1.2.3",
        ] {
            assert_eq!(PartBatch::parse(text), None, "{text}");
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
    fn verified_share_is_close_to_the_request() {
        let task = task();
        let count = (0..5_000).filter(|&batch| task.verifies(0, batch)).count();
        assert!((60..140).contains(&count), "{count}");
    }
}
