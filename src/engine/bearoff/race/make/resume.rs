//! Start of a race table, or resumption of one that an earlier run has left (RACE-07).

use super::super::block::{self, BLOCK, BLOCK_BYTES_MAX};
use super::super::file::{HEADER_BYTES, Header};
use super::super::order::Order;
use super::table_builder::{Best, REACH, STEP, Share, TableBuilder};
use crate::bearoff::BearoffError;
use crate::bearoff::numbering::Steps;
use crate::pool::prelude::*;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// A file that is written to, and the lengths of the blocks of each level that it has.
pub(super) struct PartialFile {
    pub(super) file: File,
    pub(super) lengths: Vec<Vec<u32>>,
}

/// Opens the file of an unfinished table, or creates it, and loads its levels into the builder.
pub(super) fn begin(part: &Path, builder: &mut TableBuilder) -> Result<PartialFile, BearoffError> {
    let io = |source| BearoffError::io(part, source);
    let damaged = |at, reason: String| BearoffError::damaged(part, at, reason);
    if part.symlink_metadata().is_ok() {
        // Refuses anything but a file.
        gammond_base::files::open(part).map_err(io)?;
    }
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(part)
        .map_err(io)?;
    gammond_base::files::lock(&file).map_err(|error| match error {
        TryLockError::WouldBlock => io(io::Error::other("another program is making it")),
        TryLockError::Error(source) => io(source),
    })?;
    let header = Header::unfinished(builder.numbering);
    if file.metadata().map_err(io)?.len() == 0 {
        file.write_all(&header.bytes()).map_err(io)?;
        let lengths = Vec::new();
        return Ok(PartialFile { file, lengths });
    }
    let mut bytes = Vec::new();
    let mut start = (&mut file).take(HEADER_BYTES as u64);
    start.read_to_end(&mut bytes).map_err(io)?;
    let found = Header::parse(&bytes).map_err(|(at, reason)| damaged(at, reason))?;
    if found.numbering != header.numbering {
        let reason = "the unfinished table is of another size; remove it or finish it first";
        return Err(damaged(9, reason.into()));
    }
    let (lengths, blocks) = survey(&mut file, &builder.order).map_err(io)?;
    recall(builder, &blocks);
    // A table that was killed while its end was written is finished again.
    let end = lengths.iter().flatten().map(|&length| u64::from(length));
    let end = HEADER_BYTES as u64 + end.sum::<u64>();
    file.set_len(end).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    file.write_all(&header.bytes()).map_err(io)?;
    file.seek(SeekFrom::Start(end)).map_err(io)?;
    Ok(PartialFile { file, lengths })
}

/// The blocks of one level.
type Blocks = Vec<Vec<u8>>;

/// Reads the whole levels of a file: the lengths of all their blocks, and the blocks of the last [`REACH`] levels.
/// Torn or damaged data ends it.
fn survey(file: &mut File, order: &Order) -> io::Result<(Vec<Vec<u32>>, Vec<Blocks>)> {
    let mut reader = BufReader::with_capacity(1 << 20, file);
    reader.seek(SeekFrom::Start(HEADER_BYTES as u64))?;
    let (mut lengths, mut blocks) = (Vec::new(), Vec::<Blocks>::new());
    for pips in 0..order.levels() {
        let Some(level) = read_level(&mut reader, order.level(pips)) else {
            break;
        };
        lengths.push(level.iter().map(|block| block.len() as u32).collect());
        blocks.push(level);
        if let Some(old) = blocks.len().checked_sub(REACH + 1) {
            blocks[old] = Vec::new();
        }
    }
    Ok((lengths, blocks))
}

/// Returns the blocks of a level of so many positions; `None` when they are not all there and whole.
fn read_level(reader: &mut impl io::Read, positions: usize) -> Option<Blocks> {
    let mut level = Vec::new();
    let mut left = positions;
    while left > 0 {
        let mut block = vec![0; 2];
        reader.read_exact(&mut block).ok()?;
        let length = block::length(&block).filter(|&length| length <= BLOCK_BYTES_MAX)?;
        block.resize(length, 0);
        reader.read_exact(&mut block[2..]).ok()?;
        let mut count = 0;
        block::each(&block, |_| {
            count += 1;
            true
        })?;
        if count != left.min(BLOCK) {
            return None;
        }
        left -= count;
        level.push(block);
    }
    Some(level)
}

/// Takes the last levels into the maker, as if they had just been made.
fn recall(builder: &mut TableBuilder, blocks: &[Blocks]) {
    let levels = blocks.len();
    for pips in levels.saturating_sub(REACH)..levels {
        let mut share = Share::default();
        builder.order.each(pips, 0, &mut |counts| {
            let index = builder.numbering.index(*counts).unwrap_or_default();
            share.indices.push(index as u32);
            true
        });
        let (firsts, mut next) = (builder.firsts(), 0);
        for block in &blocks[pips] {
            // Whole, as the survey has seen.
            let _ = block::each(block, |pair| {
                let index = share.indices[next];
                share.push(firsts, index, pair);
                next += 1;
                true
            });
        }
        builder.take(pips, &share);
    }
    // Three equal steps look back as far, and each level needs those below it.
    for pips in levels.saturating_sub(3 * STEP)..levels {
        replay(builder, pips);
    }
    if let Some(last) = levels.checked_sub(1) {
        for pips in last.saturating_sub(REACH)..=last {
            builder.forget(pips);
        }
    }
}

/// Works out the best plays of a recalled level.
fn replay(builder: &mut TableBuilder, pips: usize) {
    let mut indices = Vec::new();
    builder.order.each(pips, 0, &mut |counts| {
        indices.push(builder.numbering.index(*counts).unwrap_or_default());
        true
    });
    let plays = |index: &usize| -> [Option<Best>; 2] {
        let steps = Steps::of(builder.numbering, *index);
        let firsts = builder.firsts();
        [0, 1].map(|k| (*index >= firsts[k]).then(|| builder.best(&builder.goals[k], &steps)))
    };
    let found: Vec<[Option<Best>; 2]> = indices.par_iter().map(plays).collect();
    for both in found {
        for (goal, best) in builder.goals.iter_mut().zip(both) {
            goal.levels[pips].best.extend(best);
        }
    }
}
