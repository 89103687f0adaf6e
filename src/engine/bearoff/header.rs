//! The first 40 bytes of a database: its kind and coverage.

use super::numbering::Numbering;

/// Length of a header in bytes.
pub const HEADER_BYTES: usize = 40;

/// Kind and coverage of a database, from its header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Rolls needed by one side alone.
    OneSided {
        /// Points and checkers covered.
        numbering: Numbering,
        /// True if distributions of the rolls to the first checker off are present.
        gammons: bool,
        /// Storage layout of the distributions.
        layout: Layout,
    },
    /// Equities of both sides' endings.
    TwoSided {
        /// Points and checkers covered.
        numbering: Numbering,
        /// True if equities with the cube are present.
        cubeful: bool,
    },
    /// Values of games of so many checkers, 1 to 3 (`BEAR-13`).
    Hypergammon(u8),
}

/// Storage layout of distributions of rolls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// 32 values.
    Plain,
    /// An index and the values that are not 0.
    Compressed,
    /// Mean and deviation of a normal law.
    Normal,
}

/// An error in a header: its reason and the byte offset.
pub(super) struct HeaderError {
    pub(super) at: usize,
    pub(super) reason: String,
}

impl HeaderError {
    fn new(at: usize, reason: impl Into<String>) -> HeaderError {
        HeaderError {
            at,
            reason: reason.into(),
        }
    }
}

/// Reads a header (`BEAR-10`).
pub(super) fn parse(bytes: &[u8]) -> Result<Kind, HeaderError> {
    let header = bytes.get(..HEADER_BYTES).ok_or_else(|| {
        HeaderError::new(
            bytes.len(),
            format!("file ends within the header of {HEADER_BYTES} bytes"),
        )
    })?;
    if !header.starts_with(b"gnubg-") {
        let at = header.iter().zip(b"gnubg-").take_while(|(a, b)| a == b);
        return Err(HeaderError::new(at.count(), "expected `gnubg-`"));
    }
    let (kind, used) = match &header[6..8] {
        b"OS" => (parse_one_sided(header)?, 20),
        b"TS" => (parse_two_sided(header)?, 16),
        [b'H', digit @ b'1'..=b'3'] => (Kind::Hypergammon(digit - b'0'), 8),
        _ => {
            return Err(HeaderError::new(
                6,
                "expected `OS`, `TS`, `H1`, `H2` or `H3`",
            ));
        }
    };
    if let Some(at) = header[used..39].iter().position(|&byte| byte != b'x') {
        return Err(HeaderError::new(used + at, "expected `x` up to byte 38"));
    }
    if header[39] != b'\n' {
        return Err(HeaderError::new(39, "expected a line feed"));
    }
    Ok(kind)
}

/// Parses the rest of a one-sided header (`BEAR-11`).
fn parse_one_sided(header: &[u8]) -> Result<Kind, HeaderError> {
    let numbering = parse_numbering(header)?;
    dash(header, 14)?;
    let gammons = flag(header, 15, "gammon flag")?;
    dash(header, 16)?;
    let compressed = flag(header, 17, "compression flag")?;
    dash(header, 18)?;
    let normal = flag(header, 19, "normal law flag")?;
    let layout = match (normal, compressed) {
        (false, false) => Layout::Plain,
        (false, true) => Layout::Compressed,
        (true, false) => Layout::Normal,
        (true, true) => {
            return Err(HeaderError::new(17, "a normal law is never compressed"));
        }
    };
    Ok(Kind::OneSided {
        numbering,
        gammons,
        layout,
    })
}

/// Parses the rest of a two-sided header (`BEAR-12`).
fn parse_two_sided(header: &[u8]) -> Result<Kind, HeaderError> {
    let numbering = parse_numbering(header)?;
    dash(header, 14)?;
    let cubeful = flag(header, 15, "cube flag")?;
    Ok(Kind::TwoSided { numbering, cubeful })
}

fn parse_numbering(header: &[u8]) -> Result<Numbering, HeaderError> {
    dash(header, 8)?;
    let points = number(header, 9, "points")?;
    dash(header, 11)?;
    let checkers = number(header, 12, "checkers")?;
    Numbering::new(points, checkers).ok_or_else(|| {
        HeaderError::new(
            9,
            format!("{points} points and {checkers} checkers, expected 1 to 18 and 1 to 15"),
        )
    })
}

fn dash(header: &[u8], at: usize) -> Result<(), HeaderError> {
    if header[at] == b'-' {
        Ok(())
    } else {
        Err(HeaderError::new(at, "expected `-`"))
    }
}

fn number(header: &[u8], at: usize, field: &str) -> Result<usize, HeaderError> {
    match header[at..at + 2] {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            Ok(usize::from(tens - b'0') * 10 + usize::from(ones - b'0'))
        }
        _ => Err(HeaderError::new(
            at,
            format!("{field}: expected two digits"),
        )),
    }
}

fn flag(header: &[u8], at: usize, field: &str) -> Result<bool, HeaderError> {
    match header[at] {
        b'0' => Ok(false),
        b'1' => Ok(true),
        _ => Err(HeaderError::new(
            at,
            format!("{field}: expected `0` or `1`"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(words: &str) -> Result<Kind, (usize, String)> {
        let mut bytes = words.as_bytes().to_vec();
        bytes.resize(39, b'x');
        bytes.push(b'\n');
        parse(&bytes).map_err(|error| (error.at, error.reason))
    }

    /// BEAR-10, BEAR-11, BEAR-12, BEAR-13.
    #[test]
    fn valid_headers_are_parsed() {
        let numbering = |points, checkers| Numbering::new(points, checkers).unwrap();
        let one_sided = |points, checkers, gammons, layout| {
            Ok(Kind::OneSided {
                numbering: numbering(points, checkers),
                gammons,
                layout,
            })
        };
        assert_eq!(
            kind("gnubg-OS-06-15-1-1-0"),
            one_sided(6, 15, true, Layout::Compressed)
        );
        assert_eq!(
            kind("gnubg-OS-07-10-0-0-0"),
            one_sided(7, 10, false, Layout::Plain)
        );
        assert_eq!(
            kind("gnubg-OS-18-15-1-0-1"),
            one_sided(18, 15, true, Layout::Normal)
        );
        assert_eq!(
            kind("gnubg-TS-06-06-1"),
            Ok(Kind::TwoSided {
                numbering: numbering(6, 6),
                cubeful: true
            })
        );
        assert_eq!(kind("gnubg-H2"), Ok(Kind::Hypergammon(2)));
    }

    #[test]
    fn changed_header_byte_is_refused_or_another_header() {
        for words in ["gnubg-OS-06-15-1-1-0", "gnubg-TS-06-06-1", "gnubg-H3"] {
            let mut bytes = words.as_bytes().to_vec();
            bytes.resize(39, b'x');
            bytes.push(b'\n');
            let good = parse(&bytes).ok().unwrap();
            for at in 0..40 {
                for value in (0..=255).filter(|&value| value != bytes[at]) {
                    let mut changed = bytes.clone();
                    changed[at] = value;
                    match parse(&changed) {
                        Ok(kind) => assert_ne!(kind, good),
                        // Another kind may be found wanting further on.
                        Err(error) => assert!(error.at <= at || at == 6, "{at}: {}", error.reason),
                    }
                }
            }
            for length in 0..40 {
                assert_eq!(parse(&bytes[..length]).err().unwrap().at, length);
            }
        }
    }
}
