//! The header of a job: its kind and settings, as text and checksums.

use super::Share;
use gammond_base::checksum::{sha256, sha256_of};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::{Display, Write as _};
use std::io;
use std::path::Path;

/// Everything that decides the result of a job: its kind, and named settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    kind: String,
    /// Fields in the order of their names, so that a header has one text only.
    fields: BTreeMap<String, String>,
}

/// A setting that is not as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The setting.
    pub field: String,
    /// Its value in the file; none when it is not there.
    pub found: Option<String>,
    /// Its value now.
    pub wanted: Option<String>,
}

/// Characters of a value that a message shows.
const SHOWN_MAX: usize = 60;

/// Returns a value for a message, without its first `from` characters when it is long.
fn shown(value: Option<&str>, from: usize) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let length = value.chars().count();
    if length <= SHOWN_MAX {
        return format!("'{value}'");
    }
    let from = from.min(length - SHOWN_MAX);
    let part: String = value.chars().skip(from).take(SHOWN_MAX).collect();
    let [before, after] =
        [from > 0, from + SHOWN_MAX < length].map(|cut| if cut { "..." } else { "" });
    format!("'{before}{part}{after}'")
}

impl Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (found, wanted) = (self.found.as_deref(), self.wanted.as_deref());
        // The places where long values that begin alike differ.
        let pairs = (found.unwrap_or_default().chars()).zip(wanted.unwrap_or_default().chars());
        let alike = pairs.take_while(|(a, b)| a == b).count();
        let from = alike.saturating_sub(SHOWN_MAX / 4);
        write!(
            f,
            "this file belongs to other work: {} was {}, now it is {}; give the settings it was begun with, or \
             another file",
            self.field,
            shown(found, from),
            shown(wanted, from)
        )
    }
}

impl std::error::Error for Difference {}

const KIND: &str = "job";
const VERSION: &str = "version";
const SHARE: &str = "share";

impl Header {
    /// Returns a header of a kind of work. The version changes whenever the parts of the same settings do.
    #[must_use]
    pub fn new(kind: &str, version: u32) -> Header {
        Header {
            kind: kind.to_owned(),
            fields: BTreeMap::new(),
        }
        .field(VERSION, version)
    }

    /// Adds a setting; a name that is there already gets the new value.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Display) -> Header {
        self.fields.insert(name.to_owned(), value.to_string());
        self
    }

    /// Adds the settings of a structure, each of its fields as `NAME.FIELD`.
    #[must_use]
    pub fn settings(self, name: &str, settings: &impl Serialize) -> Header {
        match serde_json::to_value(settings) {
            Ok(value) => self.values(name, &value),
            // Only a map with odd keys ends here, and no settings hold one.
            Err(error) => self.field(name, error),
        }
    }

    fn values(mut self, name: &str, value: &Value) -> Header {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                for (key, value) in fields {
                    self = self.values(&format!("{name}.{key}"), value);
                }
                self
            }
            Value::String(text) => self.field(name, text),
            other => self.field(name, other),
        }
    }

    /// Adds the checksum of contents that decide the result: a net, a list of positions.
    #[must_use]
    pub fn content(self, name: &str, bytes: &[u8]) -> Header {
        self.field(name, sha256(bytes))
    }

    /// Adds the checksum of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn file(self, name: &str, path: &Path) -> io::Result<Header> {
        let sum = sha256_of(std::fs::File::open(path)?)?;
        Ok(self.field(name, sum))
    }

    pub(super) fn share(self, share: Share) -> Header {
        if share == Share::WHOLE {
            self
        } else {
            self.field(SHARE, share)
        }
    }

    /// Returns the header without its share, and the share.
    pub(super) fn without_share(mut self) -> (Header, Option<String>) {
        let share = self.fields.remove(SHARE);
        (self, share)
    }

    /// Returns the value of a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        if name == KIND {
            return Some(&self.kind);
        }
        self.fields.get(name).map(String::as_str)
    }

    /// Formats one line of JSON.
    #[must_use]
    pub fn text(&self) -> String {
        let quoted = |text: &str| Value::from(text).to_string();
        let mut text = format!("{{{}:{}", quoted(KIND), quoted(&self.kind));
        for (name, value) in &self.fields {
            // Writing to a string cannot fail.
            let _ = write!(text, ",{}:{}", quoted(name), quoted(value));
        }
        text.push('}');
        text
    }

    /// Reads what [`Header::text`] wrote.
    #[must_use]
    pub fn parse(text: &str) -> Option<Header> {
        let Ok(Value::Object(all)) = serde_json::from_str(text) else {
            return None;
        };
        let mut header = Header {
            kind: all.get(KIND)?.as_str()?.to_owned(),
            fields: BTreeMap::new(),
        };
        for (name, value) in all.iter().filter(|(name, _)| *name != KIND) {
            header = header.field(name, value.as_str()?);
        }
        Some(header)
    }

    /// Returns the first setting in which `found` differs from this one.
    #[must_use]
    pub fn difference(&self, found: &Header) -> Option<Difference> {
        // Kind and version explain more than settings do.
        let own = self.fields.keys().chain(found.fields.keys());
        let mut names = [KIND, VERSION].into_iter().chain(own.map(String::as_str));
        names.find_map(|name| {
            let (found, wanted) = (found.get(name), self.get(name));
            (found != wanted).then(|| Difference {
                field: name.to_owned(),
                found: found.map(str::to_owned),
                wanted: wanted.map(str::to_owned),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_name_the_difference() {
        let one = Header::new("duel", 1)
            .field("seed", 7)
            .field("player a", "gam\"mond\n")
            .content("nets", b"abc");
        let found = Header::parse(&one.text()).unwrap();
        assert_eq!(one.difference(&found), None);
        assert!(!one.text().contains('\n'));
        let difference = |other: &Header| one.difference(other).map(|d| d.to_string());
        let seed = difference(&one.clone().field("seed", 8)).unwrap();
        assert!(seed.contains("seed was '8', now it is '7'"), "{seed}");
        let more = difference(&one.clone().field("decide", 1)).unwrap();
        assert!(more.contains("decide was '1', now it is nothing"), "{more}");
        let kind = difference(&Header::new("labels", 1)).unwrap();
        assert!(kind.contains("job was 'labels'"), "{kind}");
        let version = difference(&one.clone().field("version", 2)).unwrap();
        assert!(version.contains("version was '2'"), "{version}");
        let long =
            |end: &str| Header::new("x", 1).field("nets", format!("{}{end}", "a".repeat(200)));
        let ends = long("1").difference(&long("2")).unwrap().to_string();
        assert!(ends.contains("aa2', now it is '...aa"), "{ends}");
        for text in ["", "{}", "{\"job\":1}", "{\"job\":\"x\",\"a\":1}", "[]"] {
            assert_eq!(Header::parse(text), None, "{text}");
        }
    }

    #[test]
    fn settings_become_fields() {
        #[derive(Serialize)]
        struct Inner {
            rate: f32,
        }
        #[derive(Serialize)]
        struct Outer {
            inner: Inner,
            name: &'static str,
            none: Option<u8>,
        }
        let outer = Outer {
            inner: Inner { rate: 0.5 },
            name: "x",
            none: None,
        };
        let header = Header::new("train", 1).settings("games", &outer);
        assert_eq!(header.get("games.inner.rate"), Some("0.5"));
        assert_eq!(header.get("games.name"), Some("x"));
        assert_eq!(header.get("games.none"), Some("null"));
    }
}
