//! What is written down about a job: its command and files, its stages, the answers.

use super::FarmError;
use crate::job::sha256;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The version of everything that is written here.
pub const FORMAT: u64 = 1;

/// The version of the program: others may compute other parts.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A command that the farm runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// [`FORMAT`].
    pub format: u64,
    /// [`VERSION`] of who submitted it.
    pub version: String,
    /// The command, such as `bench regret`.
    pub command: Vec<String>,
    /// Its arguments, with everything in them that a configuration or the environment says.
    pub words: Vec<Vec<WordPiece>>,
    /// Files and folders that it reads.
    pub files: Vec<Shipped>,
    /// How many jobs it is, one after the other.
    pub stages: u32,
    /// Which share of the answers is computed twice, in millionths.
    pub verify_millionths: u32,
    /// A machine that says nothing for so many seconds loses what it computes.
    pub silence_s: u64,
}

/// A piece of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordPiece {
    /// As it is.
    Text(String),
    /// The path of a file that comes along.
    File(usize),
    /// The path of a file that is written, as whoever submitted it called it.
    Output(String),
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
    /// The name of the job: the same for the same work.
    #[must_use]
    pub fn name(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let sum = sha256(text.as_bytes());
        let word = self.command.first().map_or("job", String::as_str);
        format!("{word}-{}", sum.get(..12).unwrap_or(&sum))
    }

    /// Reads one.
    ///
    /// # Errors
    /// When it is none, or a newer version wrote it.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Task, FarmError> {
        newer(name, bytes)?;
        let task: Task =
            serde_json::from_slice(bytes).map_err(|_| FarmError::NotOurs(name.to_owned()))?;
        if task.name() != name {
            return Err(FarmError::NotOurs(name.to_owned()));
        }
        Ok(task)
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
        let stage = stage.ok().filter(|stage| stage.lot > 0);
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
        Task {
            format: FORMAT,
            version: VERSION.to_owned(),
            command: vec!["label".to_owned()],
            words: vec![vec![WordPiece::Text("--plies=".into()), WordPiece::File(0)]],
            files: Vec::new(),
            stages: 1,
            verify_millionths: 20_000,
            silence_s: 30,
        }
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
        refused("label-0", b"{\"format\":1}", "no message");
        refused("label-0", b"{\"format\":2,\"new\":3}", "a newer version");
        for bytes in [&b"{}"[..], b"{\"format\":9}", b"\xff\xff", b"[1]"] {
            assert!(Stage::parse("x", bytes).is_err());
        }
        let stage = b"{\"format\":1,\"header\":\"h\",\"parts\":9,\"lot\":0}";
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
