//! The types of values that travel to other machines: deserialized from untrusted bytes, with limits on every number and
//! text. None of them can be a path, a program or a socket: files are numbers among those that travel with a job.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The number of a file or folder among those that travel with a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileNumber(pub usize);

impl FileNumber {
    /// Returns the path of the file among `paths`.
    ///
    /// # Errors
    /// [`NotPortable`] when no file of this number came along.
    pub fn path(self, paths: &[PathBuf]) -> Result<&Path, NotPortable> {
        let path = paths.get(self.0).map(PathBuf::as_path);
        path.ok_or_else(|| NotPortable(format!("file {} did not come along with the job", self.0)))
    }
}

/// The reason why a value cannot travel with a job, or is not built from one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotPortable(pub String);

/// Maximum number of words, players, files or quotas of a job.
const LIST_MAX: usize = 256;
/// Maximum size of a word in bytes.
const WORD_BYTES_MAX: usize = 1024;

/// A whole number from `MIN` to `MAX`; other numbers are not deserialized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u64", into = "u64")]
pub struct Whole<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> TryFrom<u64> for Whole<MIN, MAX> {
    type Error = NotPortable;

    fn try_from(number: u64) -> Result<Self, NotPortable> {
        match (MIN..=MAX).contains(&number) {
            true => Ok(Whole(number)),
            false => Err(NotPortable(format!(
                "{number} in a job: expected {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: u64, const MAX: u64> From<Whole<MIN, MAX>> for u64 {
    fn from(number: Whole<MIN, MAX>) -> u64 {
        number.0
    }
}

impl<const MIN: u64, const MAX: u64> Whole<MIN, MAX> {
    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the number as a type that holds all up to `MAX`.
    #[must_use]
    pub fn to<T: TryFrom<u64> + Default>(self) -> T {
        T::try_from(self.0).unwrap_or_default()
    }
}

impl<const MIN: u64, const MAX: u64> FromStr for Whole<MIN, MAX> {
    type Err = NotPortable;

    fn from_str(text: &str) -> Result<Self, NotPortable> {
        let number = text
            .parse()
            .ok()
            .filter(|number| (MIN..=MAX).contains(number));
        let wrong = || NotPortable(format!("expected {MIN} to {MAX}"));
        number.map(Whole).ok_or_else(wrong)
    }
}

impl<const MIN: u64, const MAX: u64> fmt::Display for Whole<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A finite number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Real<const MIN: i32, const MAX: i32>(f64);

impl<const MIN: i32, const MAX: i32> TryFrom<f64> for Real<MIN, MAX> {
    type Error = NotPortable;

    fn try_from(number: f64) -> Result<Self, NotPortable> {
        // NaN is within nothing.
        match (f64::from(MIN)..=f64::from(MAX)).contains(&number) {
            true => Ok(Real(number)),
            false => Err(NotPortable(format!(
                "{number} in a job: expected {MIN} to {MAX}"
            ))),
        }
    }
}

impl<const MIN: i32, const MAX: i32> From<Real<MIN, MAX>> for f64 {
    fn from(number: Real<MIN, MAX>) -> f64 {
        number.0
    }
}

impl<const MIN: i32, const MAX: i32> Real<MIN, MAX> {
    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<const MIN: i32, const MAX: i32> FromStr for Real<MIN, MAX> {
    type Err = NotPortable;

    fn from_str(text: &str) -> Result<Self, NotPortable> {
        let range = f64::from(MIN)..=f64::from(MAX);
        let number = text.parse().ok().filter(|number| range.contains(number));
        let wrong = || NotPortable(format!("expected a number, {MIN} to {MAX}, such as 0.02"));
        number.map(Real).ok_or_else(wrong)
    }
}

impl<const MIN: i32, const MAX: i32> fmt::Display for Real<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A list of at most 256 items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<T>", into = "Vec<T>")]
#[serde(bound(serialize = "T: Clone + Serialize"))]
pub struct List<T>(Vec<T>);

impl<T> TryFrom<Vec<T>> for List<T> {
    type Error = NotPortable;

    fn try_from(all: Vec<T>) -> Result<Self, NotPortable> {
        match all.len() <= LIST_MAX {
            true => Ok(List(all)),
            false => Err(NotPortable(format!(
                "a list of {} in a job: expected at most {LIST_MAX}",
                all.len()
            ))),
        }
    }
}

impl<T> From<List<T>> for Vec<T> {
    fn from(list: List<T>) -> Vec<T> {
        list.0
    }
}

/// A word without control characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Word(String);

impl TryFrom<String> for Word {
    type Error = NotPortable;

    fn try_from(word: String) -> Result<Self, NotPortable> {
        match word.len() <= WORD_BYTES_MAX && !word.chars().any(char::is_control) {
            true => Ok(Word(word)),
            false => Err(NotPortable(format!(
                "a word of a job: expected at most {WORD_BYTES_MAX} bytes and no control characters"
            ))),
        }
    }
}

impl From<Word> for String {
    fn from(word: Word) -> String {
        word.0
    }
}
