//! Making a race table on all cores, from its beginning or from where an earlier run was ended.

mod resume;
mod table_builder;

use super::file::{HEADER_BYTES, Header};
use crate::bearoff::make::Watch;
use crate::bearoff::{BearoffError, Numbering};
use crate::pool::prelude::*;
use resume::PartialFile;
use std::fs::File;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use table_builder::{SHARE, Share, TableBuilder};

/// Most points of a table that we make: 15 take some 12 GB of memory.
pub const MADE_POINTS_MAX: usize = 15;
/// Returns the file of an unfinished table.
#[must_use]
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

/// Builds a race table at `path`, or resumes an unfinished one. `watch` receives the number of finished positions and
/// cancels with `false`; the same call resumes from there. Returns true if the table is complete.
///
/// No file appears at `path` before all is done; the caller has checked that a file there may be
/// replaced. Runs on the threads of the rayon pool in which it is called.
///
/// # Errors
/// [`BearoffError`]: the disk; a file in place of the unfinished table that is no table, or another one;
/// another program that makes it at the same time.
pub fn make(path: &Path, numbering: Numbering, watch: Watch<'_>) -> Result<bool, BearoffError> {
    let part = part_of(path);
    let mut builder = TableBuilder::new(numbering);
    let PartialFile {
        mut file,
        mut lengths,
    } = resume::begin(&part, &mut builder)?;
    let io = |source| BearoffError::io(&part, source);
    let mut done: usize = (0..lengths.len())
        .map(|pips| builder.order.level(pips))
        .sum();
    for pips in lengths.len()..builder.order.levels() {
        if !watch(done, numbering.positions()) {
            return Ok(false);
        }
        let size = builder.order.level(pips);
        let starts: Vec<usize> = (0..size).step_by(SHARE).collect();
        let shares = starts.into_par_iter().map(|from| builder.share(pips, from));
        let shares: Vec<Share> = shares.collect();
        let mut level = Vec::new();
        for share in shares {
            file.write_all(&share.blocks).map_err(io)?;
            level.extend(&share.lengths);
            builder.take(pips, &share);
        }
        lengths.push(level);
        builder.forget(pips);
        done += size;
    }
    // All is computed: a user who wants to end it now has the table in a moment.
    watch(done, numbering.positions());
    finish(&mut file, numbering, &lengths).map_err(io)?;
    std::fs::rename(&part, path).map_err(|source| BearoffError::io(path, source))?;
    Ok(true)
}

/// Writes the index behind the blocks, and records it in the header.
fn finish(file: &mut File, numbering: Numbering, lengths: &[Vec<u32>]) -> io::Result<()> {
    let at = file.stream_position()?;
    let mut index = Vec::new();
    let mut offset = HEADER_BYTES as u64;
    for level in lengths {
        index.extend(offset.to_le_bytes());
        offset += level.iter().map(|&length| u64::from(length)).sum::<u64>();
    }
    index.extend(offset.to_le_bytes());
    for level in lengths {
        let mut start = 0_u32;
        for &length in level {
            index.extend(start.to_le_bytes());
            start += length;
        }
    }
    file.write_all(&index)?;
    file.sync_data()?;
    file.seek(SeekFrom::Start(0))?;
    let finished = Some((at, crc32fast::hash(&index)));
    let header = Header {
        numbering,
        finished,
    };
    file.write_all(&header.bytes())?;
    file.sync_all()
}
