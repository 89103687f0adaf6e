//! The archive of an `.xg` file: a head, a picture, packed files, their list and a trailer. Rule MAT-40 of
//! `protocol-specs/match-files.md`.

use super::bytes::Bytes;
use super::record::MatPlayer;
use super::recorder::FieldError;
use crate::notation::error::Reason;
use crate::{POINTS, Position};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use std::borrow::Cow;

/// Bytes at the end of the archive.
const TRAILER: usize = 36;
/// Bytes of an entry of the list of files.
const ENTRY: usize = 532;
const ENTRIES_MAX: usize = 1000;
/// Most bytes of unpacked records: 10,000 games would need less.
const RECORDS_BYTES_MAX: usize = 64 << 20;
/// Name of the file that holds the records of a match.
const RECORDS_NAME: &str = "temp.xg";
const NAME_UNITS: usize = 128;

pub(super) const FIELD: &str = "XG file";

pub(super) const fn wrong(why: &'static str) -> FieldError {
    (FIELD, Reason::Other(why))
}

/// Returns the records of the match, and whether their checksum is right.
pub(super) fn records(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, bool), FieldError> {
    const SHORT: &str = "ends too early";
    let mut head = Bytes::new(bytes, 0);
    head.take(8, FIELD)?;
    let size = head.word(FIELD)?;
    head.take(8, FIELD)?;
    let picture = head.word(FIELD)?;
    let start = usize::try_from(u64::from(size) + u64::from(picture)).unwrap_or(usize::MAX);
    let archive = bytes.get(start..).ok_or(wrong(SHORT))?;
    let (before, trailer) = archive
        .len()
        .checked_sub(TRAILER)
        .and_then(|place| archive.split_at_checked(place))
        .ok_or(wrong(SHORT))?;
    let mut trailer = Bytes::new(trailer, 0);
    trailer.take(12, FIELD)?;
    let length = usize::try_from(trailer.word(FIELD)?).unwrap_or(usize::MAX);
    trailer.take(4, FIELD)?;
    let compressed = trailer.byte(FIELD)? != 0;
    let list = before
        .len()
        .checked_sub(length)
        .and_then(|place| before.get(place..))
        .ok_or(wrong("has a list of files that is longer than it"))?;
    let list = unpacked(list, compressed, ENTRY * ENTRIES_MAX)?;
    for entry in list.chunks_exact(ENTRY) {
        let entry = Record(entry);
        if !entry.short_text(0).eq_ignore_ascii_case(RECORDS_NAME) {
            continue;
        }
        let number = |at| usize::try_from(entry.word(at)).unwrap_or(usize::MAX);
        let (whole, packed, place) = (number(512), number(516), number(520));
        let end = place.checked_add(packed);
        let data = end.and_then(|end| before.get(place..end));
        let data = data.ok_or(wrong("has records that lie outside of it"))?;
        if whole > RECORDS_BYTES_MAX {
            return Err(wrong("has more than 64 MiB of records"));
        }
        let records = unpacked(data, entry.byte(528) == 0, whole)?;
        // It is unspecified whether the sum is of the packed bytes.
        let sums = [crc32fast::hash(&records), crc32fast::hash(data)];
        return Ok((records, sums.contains(&entry.word(524))));
    }
    Err(wrong("has no records of a match (temp.xg)"))
}

fn unpacked(data: &[u8], compressed: bool, most: usize) -> Result<Cow<'_, [u8]>, FieldError> {
    if !compressed {
        return Ok(Cow::Borrowed(data));
    }
    decompress_to_vec_zlib_with_limit(data, most)
        .map(Cow::Owned)
        .map_err(|error| match error.status {
            miniz_oxide::inflate::TINFLStatus::HasMoreOutput => {
                wrong("unpacks to more bytes than it says")
            }
            _ => wrong("cannot be unpacked: it is damaged"),
        })
}

/// A part of fixed length; what lies outside of it is 0.
pub(super) struct Record<'a>(pub(super) &'a [u8]);

impl Record<'_> {
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    pub(super) fn word(&self, at: usize) -> u32 {
        let rest = self.0.get(at..).unwrap_or_default();
        u32::from_le_bytes(rest.first_chunk().copied().unwrap_or_default())
    }

    pub(super) fn number(&self, at: usize) -> i32 {
        self.word(at).cast_signed()
    }

    /// Returns a length and so many letters of Latin-1.
    pub(super) fn short_text(&self, at: usize) -> String {
        let length = usize::from(self.byte(at));
        let letters = self.0.get(at + 1..at + 1 + length).unwrap_or_default();
        letters.iter().map(|&byte| char::from(byte)).collect()
    }

    /// Reads UTF-16 up to a 0.
    pub(super) fn wide_text(&self, at: usize) -> String {
        let rest = self.0.get(at..).unwrap_or_default();
        let (pairs, _) = rest.as_chunks::<2>();
        let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
        let units: Vec<u16> = units
            .take(NAME_UNITS)
            .take_while(|&unit| unit != 0)
            .collect();
        String::from_utf16_lossy(&units)
    }

    /// Returns the player, 1 or -1.
    pub(super) fn player(&self, at: usize) -> Result<MatPlayer, FieldError> {
        match self.number(at) {
            1 => Ok(MatPlayer::First),
            -1 => Ok(MatPlayer::Second),
            _ => Err(("player", Reason::Other("is neither 1 nor -1"))),
        }
    }

    /// Returns a signed number of 16 bits.
    pub(super) fn short(&self, at: usize) -> i16 {
        i16::from_le_bytes([self.byte(at), self.byte(at + 1)])
    }

    /// Returns a number of single precision; none unless it is finite.
    pub(super) fn single(&self, at: usize) -> Option<f32> {
        Some(f32::from_bits(self.word(at))).filter(|number| number.is_finite())
    }

    /// Returns true if all these bytes are 0.
    pub(super) fn is_blank(&self, at: usize, length: usize) -> bool {
        let bytes = self.0.get(at..at + length).unwrap_or_default();
        bytes.iter().all(|&byte| byte == 0)
    }

    /// Returns a board of 26 numbers: places 1 to 24 are the points, 25 the bar of the player who sees it, 0 that of
    /// the other one, whose numbers are negative. `turned` gives the board as the other player sees it.
    pub(super) fn board(&self, at: usize, turned: bool) -> Option<Position> {
        let numbers = self.0.get(at..at + 26)?;
        let number = |point: usize| -> Option<i8> {
            let place = if turned { 25 - point } else { point };
            let byte = numbers.get(place)?.cast_signed();
            Some(if turned { byte.wrapping_neg() } else { byte })
        };
        let (mut mine, mut theirs) = ([0_u8; POINTS], [0_u8; POINTS]);
        for point in 0..26 {
            let count = number(point)?;
            let size = count.unsigned_abs();
            // Point 25 is the bar of the one, point 0 of the other.
            match count {
                0 => {}
                1.. => *mine.get_mut(point.checked_sub(1)?)? = size,
                _ => *theirs.get_mut(24_usize.checked_sub(point)?)? = size,
            }
        }
        Position::new(&mine, &theirs).ok()
    }
}
