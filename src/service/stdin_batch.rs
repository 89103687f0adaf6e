//! Lines from a pipe, answered in input order by all threads, in bounded memory.
//!
//! A reader thread cuts what one `read` returned into lines and hands them over as one block, so
//! a block is large while input streams and a single line when somebody waits for each answer.
//! A block is answered by the pool and written with one flush: output never lags behind a pause of
//! the input. At most [`BLOCKS_WAITING`] blocks wait, so memory stays flat whatever the input.
//!
//! Lines that change the session (`set`, `quit`) are barriers: what comes before them is answered
//! with the old settings, what comes after with the new ones.

pub use crate::protocol::LineKind;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Longest line accepted, without its end.
pub const LINE_BYTES_MAX: usize = 4096;
/// Bytes asked for by one read, and so the largest block of lines.
const READ_BYTES: usize = 1 << 17;
/// Blocks read ahead of the one that is being answered.
const BLOCKS_WAITING: usize = 2;
/// Lines that one task answers before it looks for another.
const LINES_PER_TASK: usize = 16;

/// What the batch does with lines; implemented above `protocol` and `engine`.
pub trait LineService: Sync {
    /// What a line wants: an ordinary answer, a change of the session, or nothing.
    fn kind(&self, line: &[u8]) -> LineKind;

    /// Appends the answer to an ordinary line, with its line end, to `out`. Returns whether the
    /// request was answered (not refused with an error).
    fn answer(&self, line: RawLine<'_>, out: &mut Vec<u8>) -> bool;

    /// Handles a line that concerns the session, alone. Returns whether to go on.
    fn session(&mut self, line: RawLine<'_>, out: &mut Vec<u8>, failed: &mut bool) -> bool;
}

/// A line as it came, without its end.
#[derive(Clone, Copy, Debug)]
pub struct RawLine<'a> {
    /// At most [`LINE_BYTES_MAX`] bytes; what a longer line began with.
    pub bytes: &'a [u8],
    /// Whether the line was longer than is kept.
    pub too_long: bool,
    /// Number of the line in the input, from 1.
    pub number: u64,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// Requests and session lines answered.
    pub answered: u64,
    /// Of those, how many were refused with an error.
    pub failed: u64,
}

/// Lines cut from one read: their bytes in one buffer.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// Where each line ends in `bytes`, and whether it was too long.
    ends: Vec<(usize, bool)>,
    first_number: u64,
}

impl Block {
    fn lines(&self) -> Vec<RawLine<'_>> {
        let mut start = 0;
        let mut number = self.first_number;
        let cut = |&(end, too_long): &(usize, bool)| {
            let bytes = self.bytes.get(start..end).unwrap_or_default();
            let line = RawLine {
                bytes,
                too_long,
                number,
            };
            start = end;
            number += 1;
            line
        };
        self.ends.iter().map(cut).collect()
    }
}

/// Cuts bytes into lines at LF, keeping at most [`LINE_BYTES_MAX`] of each; a CR before the LF and
/// NULs at the beginning belong to no line.
#[derive(Default)]
struct Cutter {
    line: Vec<u8>,
    too_long: bool,
    cut: u64,
}

impl Cutter {
    fn feed(&mut self, mut bytes: &[u8], block: &mut Block) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (head, tail) = bytes.split_at(end);
            self.keep(head);
            self.finish(block);
            bytes = tail.get(1..).unwrap_or_default();
        }
        self.keep(bytes);
    }

    fn keep(&mut self, bytes: &[u8]) {
        // One byte more than a line may have, for a CR.
        let room = (LINE_BYTES_MAX + 1).saturating_sub(self.line.len());
        self.too_long |= bytes.len() > room;
        self.line
            .extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn finish(&mut self, block: &mut Block) {
        let mut line = self.line.as_slice();
        line = line.strip_suffix(b"\r").unwrap_or(line);
        while let Some(rest) = line.strip_prefix(b"\0") {
            line = rest;
        }
        let too_long = self.too_long || line.len() > LINE_BYTES_MAX;
        block
            .bytes
            .extend_from_slice(line.get(..LINE_BYTES_MAX).unwrap_or(line));
        block.ends.push((block.bytes.len(), too_long));
        self.line.clear();
        self.too_long = false;
        self.cut += 1;
    }

    fn at_line_start(&self) -> bool {
        self.line.is_empty() && !self.too_long
    }
}

fn memchr(wanted: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == wanted)
}

fn read_blocks(mut input: impl Read, blocks: &SyncSender<io::Result<Block>>) {
    let mut cutter = Cutter::default();
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let mut block = Block {
            first_number: cutter.cut + 1,
            ..Block::default()
        };
        let end = match input.read(&mut buffer) {
            Ok(0) => {
                if !cutter.at_line_start() {
                    cutter.finish(&mut block);
                }
                true
            }
            Ok(count) => {
                cutter.feed(buffer.get(..count).unwrap_or_default(), &mut block);
                false
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = blocks.send(Err(error));
                return;
            }
        };
        if (!block.ends.is_empty() && blocks.send(Ok(block)).is_err()) || end {
            return;
        }
    }
}

/// Answers `input` line by line on `pool`, in order, until it ends, `output` is closed or a line
/// asks to quit.
///
/// # Errors
/// Reading or writing failed; a closed output is no error.
pub fn run<S: LineService + Send>(
    service: &mut S,
    pool: &rayon::ThreadPool,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<Summary> {
    let (sender, blocks): (_, Receiver<io::Result<Block>>) = sync_channel(BLOCKS_WAITING);
    // Not joined: when a line says `quit` it may wait in a read for ever.
    std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_blocks(input, &sender))?;
    let mut summary = Summary::default();
    let mut out = Vec::new();
    for block in blocks {
        let block = block?;
        out.clear();
        let go_on = answer_block(service, pool, &block, &mut out, &mut summary);
        match output.write_all(&out).and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            Err(error) => return Err(error),
        }
        if !go_on {
            break;
        }
    }
    Ok(summary)
}

fn answer_block<S: LineService>(
    service: &mut S,
    pool: &rayon::ThreadPool,
    block: &Block,
    out: &mut Vec<u8>,
    summary: &mut Summary,
) -> bool {
    let lines = block.lines();
    let session = |line: &RawLine<'_>| service.kind(line.bytes) == LineKind::Session;
    let barriers: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| session(line))
        .map(|(i, _)| i)
        .collect();
    let mut start = 0;
    for barrier in barriers.into_iter().map(Some).chain([None]) {
        let end = barrier.unwrap_or(lines.len());
        answer_lines(
            service,
            pool,
            lines.get(start..end).unwrap_or_default(),
            out,
            summary,
        );
        let Some(&line) = barrier.and_then(|index| lines.get(index)) else {
            break;
        };
        let mut failed = false;
        let go_on = service.session(line, out, &mut failed);
        summary.answered += 1;
        summary.failed += u64::from(failed);
        if !go_on {
            return false;
        }
        start = end + 1;
    }
    true
}

fn answer_lines<S: LineService>(
    service: &S,
    pool: &rayon::ThreadPool,
    lines: &[RawLine<'_>],
    out: &mut Vec<u8>,
    summary: &mut Summary,
) {
    let answer = |chunk: &[RawLine<'_>]| {
        let mut text = Vec::new();
        let mut counts = Summary::default();
        for &line in chunk
            .iter()
            .filter(|line| service.kind(line.bytes) == LineKind::Request)
        {
            let good = service.answer(line, &mut text);
            counts.answered += 1;
            counts.failed += u64::from(!good);
        }
        (text, counts)
    };
    let parts: Vec<_> = if lines.len() <= 1 {
        lines.chunks(LINES_PER_TASK).map(answer).collect()
    } else {
        pool.install(|| lines.par_chunks(LINES_PER_TASK).map(answer).collect())
    };
    for (text, counts) in parts {
        out.extend_from_slice(&text);
        summary.answered += counts.answered;
        summary.failed += counts.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Echoes lines; `!x` sets the prefix to x, `!quit` ends, `bad` fails.
    struct Echo(String);

    impl LineService for Echo {
        fn kind(&self, line: &[u8]) -> LineKind {
            match line.first() {
                None => LineKind::Nothing,
                Some(b'!') => LineKind::Session,
                Some(_) => LineKind::Request,
            }
        }

        fn answer(&self, line: RawLine<'_>, out: &mut Vec<u8>) -> bool {
            let text = String::from_utf8_lossy(line.bytes);
            let long = if line.too_long { "…" } else { "" };
            writeln!(out, "{}{}:{}{}", self.0, line.number, text.len(), long).unwrap();
            text != "bad"
        }

        fn session(&mut self, line: RawLine<'_>, _: &mut Vec<u8>, _: &mut bool) -> bool {
            self.0 = String::from_utf8_lossy(&line.bytes[1..]).into_owned();
            line.bytes != b"!quit"
        }
    }

    /// Gives out its bytes in pieces of the given length.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn echo(input: &[u8], piece: usize) -> (String, Summary) {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        let mut out = Vec::new();
        let input = Pieces(input.to_vec(), piece);
        let summary = run(&mut Echo(String::new()), &pool, input, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), summary)
    }

    #[test]
    fn any_chunking_gives_the_same_answers() {
        let mut input = b"one\r\n\n\0two\nbad\n!p\nthree\n".to_vec();
        input.extend(vec![b'x'; 5000]);
        input.extend(b"\nlast without end");
        let (whole, summary) = echo(&input, usize::MAX);
        assert_eq!(whole, "1:3\n3:3\n4:3\np6:5\np7:4096…\np8:16\n");
        assert_eq!(
            summary,
            Summary {
                answered: 7,
                failed: 1
            }
        );
        for piece in [1, 2, 7, 100, 4097] {
            assert_eq!(echo(&input, piece), (whole.clone(), summary));
        }
    }

    #[test]
    fn quit_ends_the_batch_and_leaves_the_rest() {
        assert_eq!(echo(b"a\n!quit\nb\n", 1).0, "1:1\n");
    }

    #[test]
    fn lines_of_the_greatest_length_are_whole() {
        let mut input = vec![b'x'; LINE_BYTES_MAX];
        input.extend(b"\r\n");
        assert_eq!(echo(&input, 1000).0, "1:4096\n");
    }
}
