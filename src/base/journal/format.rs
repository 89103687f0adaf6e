//! The bytes of a journal: magic line, header frame, record frames.
//!
//! A frame is its number (8 bytes), its length (4), the CRC-32 of its contents (4), the CRC-32 of
//! those sixteen bytes (4), all little-endian, then the contents. The header is the frame that
//! follows the magic; its number is [`HEADER_NUMBER`].

use std::collections::HashMap;
use std::io::{self, Read};

/// Every journal begins with this line.
pub const MAGIC: &[u8] = b"gammond journal 2\n";
/// First bytes of journals of earlier versions: one line of text, unnumbered records.
const OLD: [&[u8]; 2] = [b"gammond labels 1 ", b"gammond duel 1 "];
/// Longest record that is accepted.
pub const RECORD_BYTES_MAX: usize = 64 << 20;
/// Longest header line of an earlier version.
const OLD_HEADER_BYTES_MAX: usize = 64 << 10;
const HEADER_NUMBER: u64 = u64::MAX;
const FRAME: usize = 20;
const OLD_FRAME: usize = 8;

/// One record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number; each number counts once.
    pub number: u64,
    /// Contents of the record.
    pub bytes: Vec<u8>,
}

/// Contents of a journal.
#[derive(Clone, Debug)]
pub struct Contents {
    /// Header: identifies the job or file that the journal belongs to.
    pub header: String,
    /// Records in the order of their numbers.
    pub records: Vec<Record>,
    /// True if the file ends in the middle of a record, as after a kill.
    pub torn: bool,
    /// Byte offset of the end of the last whole record.
    pub(super) end: u64,
    /// True if an earlier version wrote the file.
    pub(super) old: bool,
}

/// Result of parsing the bytes of a file.
pub(super) enum ParsedFile {
    /// An empty file, or a prefix of the beginning that all journals share.
    Nothing,
    /// A file of another program.
    NotOurs,
    Damaged(u64, &'static str),
    Twice(u64),
    Journal(Contents),
}

/// Returns the frame of a record, with its contents.
pub(super) fn frame(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(bytes.len() + FRAME);
    frame.extend(number.to_le_bytes());
    frame.extend((bytes.len() as u32).to_le_bytes());
    frame.extend(crc32fast::hash(bytes).to_le_bytes());
    frame.extend(crc32fast::hash(&frame).to_le_bytes());
    frame.extend(bytes);
    frame
}

/// Returns the magic bytes and the header.
pub(super) fn beginning(header: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(frame(HEADER_NUMBER, header.as_bytes()));
    bytes
}

/// The next item at a position in the file.
enum Next {
    End,
    Torn,
    Damaged(&'static str),
    Frame(u64, Vec<u8>),
}

/// Reads until `buffer` is full or the input ends; returns the number of bytes read.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while let Some(rest) = buffer.get_mut(got..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    if let Some(found) = bytes.get(at..at + 4) {
        word.copy_from_slice(found);
    }
    u32::from_le_bytes(word)
}

/// Returns true if all remaining bytes are zero: space that the system had reserved when the power failed.
fn only_zeros(reader: &mut dyn Read) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    loop {
        match fill(reader, &mut buffer)? {
            0 => return Ok(true),
            got if buffer[..got].iter().any(|&byte| byte != 0) => return Ok(false),
            _ => {}
        }
    }
}

fn next(reader: &mut dyn Read) -> io::Result<Next> {
    let mut head = [0; FRAME];
    match fill(reader, &mut head)? {
        0 => return Ok(Next::End),
        FRAME => {}
        _ => return Ok(Next::Torn),
    }
    if crc32fast::hash(&head[..16]) != word(&head, 16) {
        return Ok(if head == [0; FRAME] && only_zeros(reader)? {
            Next::Torn
        } else {
            Next::Damaged("checksum of a record's head")
        });
    }
    let mut number = [0; 8];
    number.copy_from_slice(&head[..8]);
    let length = word(&head, 8) as usize;
    if length > RECORD_BYTES_MAX {
        return Ok(Next::Damaged("a record that is too long"));
    }
    let mut bytes = Vec::new();
    let got = reader.take(length as u64).read_to_end(&mut bytes)?;
    if got < length {
        return Ok(Next::Torn);
    }
    if crc32fast::hash(&bytes) != word(&head, 12) {
        return Ok(Next::Damaged("checksum of a record"));
    }
    Ok(Next::Frame(u64::from_le_bytes(number), bytes))
}

/// Parses a journal from its first byte.
pub(super) fn parse(reader: &mut dyn Read) -> io::Result<ParsedFile> {
    let mut magic = [0; MAGIC.len()];
    let got = fill(reader, &mut magic)?;
    if got < MAGIC.len() {
        // Long enough that no other file begins so, or empty.
        let begun = MAGIC.starts_with(&magic[..got]) && (got == 0 || got > "gammond ".len());
        return Ok(if begun {
            ParsedFile::Nothing
        } else {
            ParsedFile::NotOurs
        });
    }
    if magic != *MAGIC {
        return parse_old(&magic, reader);
    }
    let mut end = MAGIC.len() as u64;
    let header = match next(reader)? {
        Next::Frame(HEADER_NUMBER, bytes) => bytes,
        Next::End | Next::Torn => return Ok(ParsedFile::Nothing),
        Next::Frame(..) => return Ok(ParsedFile::Damaged(end, "no header")),
        Next::Damaged(what) => return Ok(ParsedFile::Damaged(end, what)),
    };
    let Ok(header) = String::from_utf8(header) else {
        return Ok(ParsedFile::Damaged(end, "header that is no text"));
    };
    end += (FRAME + header.len()) as u64;
    let mut records = Records::default();
    let torn = loop {
        match next(reader)? {
            Next::End => break false,
            Next::Torn => break true,
            Next::Damaged(what) => return Ok(ParsedFile::Damaged(end, what)),
            Next::Frame(number, bytes) => {
                end += (FRAME + bytes.len()) as u64;
                if !records.add(number, bytes) {
                    return Ok(ParsedFile::Twice(number));
                }
            }
        }
    };
    Ok(ParsedFile::Journal(Contents {
        header,
        records: records.in_order(),
        torn,
        end,
        old: false,
    }))
}

#[derive(Default)]
struct Records {
    all: Vec<Record>,
    places: HashMap<u64, usize>,
}

impl Records {
    /// Takes a record; a repeated one counts once. False when it contradicts the one before.
    fn add(&mut self, number: u64, bytes: Vec<u8>) -> bool {
        if let Some(before) = self.places.get(&number).and_then(|&i| self.all.get(i)) {
            return before.bytes == bytes;
        }
        self.places.insert(number, self.all.len());
        self.all.push(Record { number, bytes });
        true
    }

    fn in_order(mut self) -> Vec<Record> {
        self.all.sort_by_key(|record| record.number);
        self.all
    }
}

/// Parses a journal of an earlier version: a line, then length, CRC-32 and contents of each record.
fn parse_old(start: &[u8], reader: &mut dyn Read) -> io::Result<ParsedFile> {
    if !OLD.iter().any(|old| start.starts_with(old)) {
        return Ok(ParsedFile::NotOurs);
    }
    let mut header = start.to_vec();
    let mut byte = [0];
    while !header.ends_with(b"\n") {
        if header.len() > OLD_HEADER_BYTES_MAX || fill(reader, &mut byte)? == 0 {
            return Ok(ParsedFile::NotOurs);
        }
        header.extend(byte);
    }
    let mut end = header.len() as u64;
    let mut records = Vec::new();
    let torn = loop {
        let mut head = [0; OLD_FRAME];
        match fill(reader, &mut head)? {
            0 => break false,
            OLD_FRAME => {}
            _ => break true,
        }
        let length = word(&head, 0) as usize;
        if length > RECORD_BYTES_MAX {
            return Ok(ParsedFile::Damaged(end, "a record that is too long"));
        }
        let mut bytes = Vec::new();
        if (&mut *reader).take(length as u64).read_to_end(&mut bytes)? < length {
            break true;
        }
        if crc32fast::hash(&bytes) != word(&head, 4) {
            return Ok(ParsedFile::Damaged(end, "checksum of a record"));
        }
        end += (OLD_FRAME + length) as u64;
        let number = records.len() as u64;
        records.push(Record { number, bytes });
    };
    Ok(ParsedFile::Journal(Contents {
        header: String::from_utf8_lossy(&header).trim_end().to_owned(),
        records,
        torn,
        end,
        old: true,
    }))
}
