//! Lines from a pipe, answered in input order by all threads, in bounded memory.
//!
//! A reader thread cuts the bytes of one `read` into lines and passes them on as one block, so a block is large while input
//! streams and a single line when the client waits for each answer. The lines of a block are parsed in order, each with the
//! settings that hold for it, answered by the pool and written with one flush: output never lags behind a pause of the input.
//! At most `BLOCKS_WAITING` blocks are queued, and computing stops while [`ANSWER_BYTES_MAX`] of answers wait to be written, so
//! memory stays flat whatever the input.

use gammond_base::packed::PackedText;
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_protocol::answerer::Answerer;
use gammond_protocol::{
    Dialect, FramedLine, Inquiry, LINE_BYTES_MAX, LineAction, LineCodec, Session,
};
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Maximum size of one read in bytes, and thus of a block of lines.
const READ_BYTES: usize = 1 << 17;
/// Number of blocks read ahead of the one that is being answered.
const BLOCKS_WAITING: usize = 2;
/// Number of lines that one task answers before it takes more.
const LINES_PER_TASK: usize = 16;
/// Number of lines that are parsed before they are answered.
const LINES_TOGETHER: usize = 4096;
/// Size in bytes of unwritten answers at which computing stops; each thread may be in the middle of one more answer.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The counts of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Summary {
    /// Number of lines answered.
    pub answered: u64,
    /// Number of those answers that are errors.
    pub failed: u64,
}

/// Lines cut from one read, with their bytes in one buffer.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    /// End of each line in `bytes`; `None` for a line that was too long.
    ends: Vec<Option<usize>>,
}

impl Block {
    fn push(&mut self, cut: FramedLine<'_>) {
        self.ends.push(match cut {
            FramedLine::TooLong => None,
            FramedLine::Line(line) => {
                self.bytes.extend_from_slice(line);
                Some(self.bytes.len())
            }
        });
    }

    fn lines(&self) -> impl Iterator<Item = FramedLine<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |end| match end {
            None => FramedLine::TooLong,
            Some(end) => {
                let line = self.bytes.get(start..*end).unwrap_or_default();
                start = *end;
                FramedLine::Line(line)
            }
        })
    }
}

fn read_blocks(mut input: impl Read, blocks: &SyncSender<io::Result<Block>>) {
    let mut codec = LineCodec::new(LINE_BYTES_MAX);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = match input.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = blocks.send(Err(error));
                return;
            }
        };
        match buffer.get(..count) {
            Some(bytes) if count > 0 => codec.feed(bytes),
            _ => {
                codec.finish();
            }
        }
        let mut block = Block::default();
        while let Some(cut) = codec.peek() {
            block.push(cut);
            codec.consume();
        }
        if (!block.ends.is_empty() && blocks.send(Ok(block)).is_err()) || count == 0 {
            return;
        }
    }
}

/// A line that needs an answer.
enum Item {
    SubmitOutcome(Box<Inquiry>),
    Answered(Vec<u8>, bool),
    /// The first chunk of a long answer, and the rest.
    Long(Vec<u8>, PackedText),
}

impl Item {
    /// Returns the size in bytes of an answer that is held until it is written.
    fn held(&self) -> usize {
        match self {
            Item::Answered(text, _) => text.len(),
            Item::Long(text, body) => text.len() + body.held(),
            Item::SubmitOutcome(_) => 0,
        }
    }
}

/// Answers `input` line by line, in order, until it ends, `output` is closed or a line is `quit`.
///
/// # Errors
/// If reading or writing fails; a closed output is no error.
pub fn run(
    engine: &Engine,
    mut session: Session,
    input: impl Read + Send + 'static,
    output: impl Write,
) -> io::Result<Summary> {
    let (sender, blocks): (_, Receiver<io::Result<Block>>) = sync_channel(BLOCKS_WAITING);
    // Not joined: after `quit` it may wait in a read for ever.
    std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_blocks(input, &sender))?;
    let mut writer = Writer {
        engine,
        output,
        summary: Summary::default(),
    };
    for block in blocks {
        match writer.block(&mut session, &block?) {
            Ok(true) => {}
            Ok(false) => return Ok(writer.summary),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(writer.summary),
            Err(error) => return Err(error),
        }
    }
    match writer.last(&mut session) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(writer.summary),
    }
}

struct Writer<'a, W> {
    engine: &'a Engine,
    output: W,
    summary: Summary,
}

impl<W: Write> Writer<'_, W> {
    /// Answers the lines of a block. Returns false if the session has ended.
    fn block(&mut self, session: &mut Session, block: &Block) -> io::Result<bool> {
        let mut items = Vec::new();
        let mut said = 0;
        let mut going = true;
        for line in block.lines() {
            match session.line(line) {
                LineAction::Silence | LineAction::Rebuild { .. } => continue,
                LineAction::Ask(inquiry) => items.push(Item::SubmitOutcome(inquiry)),
                LineAction::Say(text) => items.push(Item::Answered(text.into_bytes(), true)),
                LineAction::Cancel(cancel) => {
                    items.push(Item::Answered(cancel.unknown().into_bytes(), true));
                }
                LineAction::Refuse(text) => items.push(Item::Answered(text.into_bytes(), false)),
                LineAction::Close(text) => {
                    items.push(Item::Answered(text.into_bytes(), true));
                    going = false;
                }
            }
            said += match items.last() {
                Some(Item::SubmitOutcome(inquiry)) => inquiry.task.held(),
                Some(answered) => answered.held(),
                None => 0,
            };
            if !going {
                break;
            }
            if items.len() >= LINES_TOGETHER || said >= ANSWER_BYTES_MAX {
                self.answer(&mut items)?;
                said = 0;
            }
        }
        self.answer(&mut items)?;
        self.output.flush()?;
        Ok(going)
    }

    /// Answers a request that the end of the input cut off.
    fn last(&mut self, session: &mut Session) -> io::Result<()> {
        if let LineAction::Refuse(text) = session.finish() {
            self.answer(&mut vec![Item::Answered(text.into_bytes(), false)])?;
        }
        self.output.flush()
    }

    /// Answers and writes all items, as many at a time as memory allows.
    fn answer(&mut self, items: &mut Vec<Item>) -> io::Result<()> {
        while !items.is_empty() {
            self.compute(items);
            let done = items
                .iter()
                .take_while(|item| !matches!(item, Item::SubmitOutcome(_)))
                .count();
            let mut out = Vec::new();
            for item in items.drain(..done) {
                let (text, good, body) = match item {
                    Item::Answered(text, good) => (text, good, None),
                    Item::Long(text, body) => (text, true, Some(body)),
                    Item::SubmitOutcome(_) => continue,
                };
                self.summary.answered += 1;
                self.summary.failed += u64::from(!good);
                out.extend_from_slice(&text);
                if let Some(body) = body {
                    for chunk in body.into_chunks() {
                        out.extend_from_slice(&chunk);
                        self.write_full(&mut out)?;
                    }
                    out.push(b'\n');
                }
                self.write_full(&mut out)?;
            }
            self.output.write_all(&out)?;
        }
        Ok(())
    }

    /// Writes the collected answers if there are enough of them.
    fn write_full(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if out.len() >= READ_BYTES {
            self.output.write_all(out)?;
            out.clear();
        }
        Ok(())
    }

    /// Answers the first item, and others until too many bytes wait.
    fn compute(&self, items: &mut [Item]) {
        let answerer = Answerer::new(self.engine);
        let bytes = AtomicUsize::new(items.iter().map(Item::held).sum());
        let answer = |(number, chunk): (usize, &mut [Item])| {
            for (place, item) in chunk.iter_mut().enumerate() {
                let Item::SubmitOutcome(inquiry) = item else {
                    continue;
                };
                let first = number == 0 && place == 0;
                if !first && bytes.load(Ordering::Relaxed) >= ANSWER_BYTES_MAX {
                    return;
                }
                let mut text = Vec::new();
                let stop = Stop::never();
                let answered =
                    answerer.answer_in_parts(inquiry, &stop, &mut text, &mut |_| {}, &|| None);
                text.shrink_to_fit();
                *item = match answered.body {
                    None => Item::Answered(text, answered.good),
                    Some(body) => Item::Long(text, body),
                };
                bytes.fetch_add(item.held(), Ordering::Relaxed);
            }
        };
        if items.len() <= 1 {
            items
                .chunks_mut(LINES_PER_TASK)
                .enumerate()
                .for_each(answer);
        } else {
            self.engine.pool().install(|| {
                let chunks = items.par_chunks_mut(LINES_PER_TASK);
                chunks.enumerate().for_each(answer);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_protocol::Options;

    /// A reader that returns its bytes in pieces of the given length.
    struct Pieces(Vec<u8>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    fn answers(input: &[u8], piece: usize) -> (String, Summary) {
        let engine = Engine::builder().threads(3).build().unwrap();
        let session = Session::counting(Options::default());
        let mut out = Vec::new();
        let input = Pieces(input.to_vec(), piece);
        let summary = run(&engine, session, input, &mut out).unwrap();
        (String::from_utf8(out).unwrap(), summary)
    }

    #[test]
    fn any_chunking_gives_the_same_answers() {
        let mut input = b"ping\r\n\n\0ping\nbad\nset answer=text\n#3 ping\n".to_vec();
        input.extend(vec![b'x'; 5000]);
        input.extend(b"\n#last ping");
        let (whole, summary) = answers(&input, usize::MAX);
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(lines[0], "{\"type\":\"pong\"}");
        assert!(lines[2].ends_with(",\"line\":4}"), "{}", lines[2]);
        assert_eq!(lines[4], "#3 pong");
        assert!(lines[5].starts_with("error line-too-long"), "{}", lines[5]);
        assert_eq!(lines[6..], ["#last pong"]);
        assert_eq!(
            summary,
            Summary {
                answered: 7,
                failed: 2
            }
        );
        for piece in [1, 2, 7, 100, 4097] {
            assert_eq!(answers(&input, piece), (whole.clone(), summary));
        }
    }

    #[test]
    fn quit_and_exit_end_the_batch_and_leave_the_rest() {
        for word in ["quit", "exit", "QUIT"] {
            let input = format!("ping\n{word}\nping\n");
            let (text, _) = answers(input.as_bytes(), 1);
            assert_eq!(text.lines().count(), 2, "{text}");
            assert!(text.ends_with("{\"type\":\"quit\"}\n"), "{text}");
        }
    }

    #[test]
    fn lines_of_the_greatest_length_are_whole() {
        let mut input = vec![b' '; LINE_BYTES_MAX - 4];
        input.extend(b"ping\r\n");
        assert_eq!(answers(&input, 1000).0, "{\"type\":\"pong\"}\n");
    }

    /// An output that only counts the bytes, and the maximum of one write.
    struct Slow<'a>(&'a AtomicUsize);

    impl Write for Slow<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.fetch_max(bytes.len(), Ordering::Relaxed);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// answers are written as they are ready, however many lines one read had. A small input with huge answers holds no
    /// more than the limit and one answer for each thread.
    #[test]
    fn huge_answers_do_not_pile_up() {
        let engine = Engine::builder().threads(2).build().unwrap();
        let line = "move QAAS3j+QlKqSKg 11\n";
        let (mut items, mut session) = (Vec::new(), Session::default());
        for _ in 0..100 {
            let LineAction::Ask(inquiry) =
                session.line(FramedLine::Line(line.trim_end().as_bytes()))
            else {
                panic!("a question");
            };
            items.push(Item::SubmitOutcome(inquiry));
        }
        let most = AtomicUsize::new(0);
        let writer = Writer {
            engine: &engine,
            output: Slow(&most),
            summary: Summary::default(),
        };
        writer.compute(&mut items);
        let held: usize = items.iter().map(Item::held).sum();
        assert!(held >= ANSWER_BYTES_MAX / 2, "{held}");
        assert!(held < ANSWER_BYTES_MAX + 2 * (1 << 20), "{held}");
        assert!(matches!(items[0], Item::Answered(..)));
    }
}
