//! A race table's file: a header, the blocks level by level, an index (RACE-01, RACE-02, RACE-06).

use super::super::bytes::Bytes;
use super::super::numbering::Numbering;
use super::block::BLOCK;

/// The first bytes.
pub(super) const MAGIC: [u8; 8] = *b"GAMMRACE";
/// Bytes before the first block.
pub(super) const HEADER_BYTES: usize = 64;
/// The version written and read.
const VERSION: u8 = 1;
/// Offset of the header's checksum.
const CRC_AT: usize = 60;

/// Contents of the first bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    pub(super) numbering: Numbering,
    /// Offset of the index and its checksum, once the table is complete.
    pub(super) finished: Option<(u64, u32)>,
}

impl Header {
    /// Returns the header of a table that is not finished.
    pub(super) fn unfinished(numbering: Numbering) -> Header {
        Header {
            numbering,
            finished: None,
        }
    }

    pub(super) fn bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8] = VERSION;
        bytes[9] = self.numbering.points() as u8;
        bytes[10] = self.numbering.checkers() as u8;
        bytes[11] = BLOCK as u8;
        if let Some((index, crc)) = self.finished {
            bytes[12] = 1;
            bytes[16..24].copy_from_slice(&index.to_le_bytes());
            bytes[24..28].copy_from_slice(&crc.to_le_bytes());
        }
        let crc = crc32fast::hash(&bytes[..CRC_AT]);
        bytes[CRC_AT..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads a header; the error is an offset and a reason.
    pub(super) fn parse(bytes: &[u8]) -> Result<Header, (usize, String)> {
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            let reason = format!("file ends within the header of {HEADER_BYTES} bytes");
            return Err((bytes.len(), reason));
        };
        if bytes[..8] != MAGIC {
            return Err((0, "not a race table of gammond's".into()));
        }
        if bytes[8] != VERSION {
            return Err((8, format!("version {}, expected {VERSION}", bytes[8])));
        }
        let (points, checkers) = (bytes[9], bytes[10]);
        let numbering = Numbering::new(points.into(), checkers.into())
            .ok_or_else(|| (9, format!("{points} points and {checkers} checkers")))?;
        let mut index = [0; 8];
        index.copy_from_slice(&bytes[16..24]);
        let mut crc = [0; 4];
        crc.copy_from_slice(&bytes[24..28]);
        let finished =
            (bytes[12] == 1).then(|| (u64::from_le_bytes(index), u32::from_le_bytes(crc)));
        let header = Header {
            numbering,
            finished,
        };
        if header.bytes() != *bytes {
            return Err((CRC_AT, "the header does not fit its checksum".into()));
        }
        Ok(header)
    }
}

/// Reads the offsets of levels and blocks from the index; `firsts` are the numbers of the levels' first blocks, then
/// the number of blocks.
pub(super) fn read_index(
    bytes: &Bytes,
    at: u64,
    crc: u32,
    firsts: &[u32],
) -> Result<(Vec<u64>, Vec<u32>), (usize, String)> {
    let blocks = firsts.last().copied().unwrap_or_default() as usize;
    let length = 8 * firsts.len() + 4 * blocks;
    let wanted = at.saturating_add(length as u64);
    if bytes.len() as u64 != wanted {
        let reason = format!("{} bytes, expected {wanted} by the header", bytes.len());
        return Err((bytes.len(), reason));
    }
    let start = at as usize;
    let mut space = vec![
        0;
        if bytes.in_memory().is_some() {
            0
        } else {
            length
        }
    ];
    let index = bytes
        .get(start, length, &mut space)
        .ok_or_else(|| (start, "the index cannot be read".to_owned()))?;
    if crc32fast::hash(index) != crc {
        return Err((start, "the index does not fit its checksum".into()));
    }
    let (levels, blocks) = index.split_at(8 * firsts.len());
    let levels = levels.as_chunks::<8>().0.iter();
    let blocks = blocks.as_chunks::<4>().0.iter();
    Ok((
        levels.map(|bytes| u64::from_le_bytes(*bytes)).collect(),
        blocks.map(|bytes| u32::from_le_bytes(*bytes)).collect(),
    ))
}
