//! Texts that are wrong, each with its own error: `tests/data/malformed.tsv`.

use gammond_game::notation::{
    BenchmarkRecord, NotationError, parse_position, parse_roll, split_position,
};

/// A line of the table.
pub(crate) struct Malformed {
    /// The request line, escapes resolved.
    pub(crate) input: Vec<u8>,
    /// The error code wanted.
    pub(crate) code: String,
    /// The byte wanted in `at`.
    pub(crate) at: usize,
    /// The message wanted.
    pub(crate) message: String,
}

/// The table: code, place, message and input, with tabs between. In the input `\xNN` is a byte.
pub(crate) fn malformed() -> Vec<Malformed> {
    include_str!("../data/malformed.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let columns: Vec<&str> = line.splitn(4, '\t').collect();
            let &[code, at, message, input] = columns.as_slice() else {
                panic!("not four columns: {line}");
            };
            Malformed {
                input: unescaped(input),
                code: code.to_owned(),
                at: at.parse().unwrap(),
                message: message.to_owned(),
            }
        })
        .collect()
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        bytes.push(u8::from_str_radix(&rest[at + 2..at + 4], 16).unwrap());
        rest = &rest[at + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

/// Reads what notation can read of a request line: a record, or a position and a roll.
fn read(line: &[u8]) -> Result<(), NotationError> {
    if line.starts_with(b"m ") || line.starts_with(b"o ") {
        return BenchmarkRecord::parse(line).map(|_| ());
    }
    let pasted = line.starts_with(b"GNUbg ID") || line.starts_with(b"Match ID");
    let (position, rest) = if pasted {
        (line, &[][..])
    } else {
        split_position(line)
    };
    parse_position(position)?;
    match rest.trim_ascii() {
        [] => Ok(()),
        roll => parse_roll(roll)
            .map(|_| ())
            .map_err(|error| error.moved(line.len() - roll.len())),
    }
}

#[test]
fn every_malformed_text_has_its_own_error() {
    let table = malformed();
    assert!(table.len() >= 60);
    for (number, wrong) in table.iter().enumerate() {
        let shown = String::from_utf8_lossy(&wrong.input);
        let error = read(&wrong.input).expect_err(&shown);
        let seen = (error.code(), error.at(), error.to_string());
        let wanted = (wrong.code.as_str(), wrong.at, wrong.message.clone());
        assert_eq!(seen, wanted, "row {number}: {shown}");
    }
}
