//! UBGI on standard input and output.
//!
//! A thread reads ahead, so that `stop` is seen while a search runs.

use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_protocol::answerer::Answerer;
use gammond_protocol::ubgi::Ubgi;
use gammond_protocol::{Dialect, FramedLine, LINE_BYTES_MAX, LineAction, LineCodec};
use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Read, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

/// Number of lines read ahead of the current one.
const LINES_WAITING: usize = 256;
/// Maximum size of one read in bytes.
const READ_BYTES: usize = 4096;

/// A line (`None` if it was too long), and the stop token of the search that it starts.
type Order = (Option<Vec<u8>>, Stop);

/// Reads lines until the input ends or the receiver is closed. `stop` ends the work of the lines before it.
fn read_lines(mut input: impl Read, orders: &SyncSender<io::Result<Order>>) {
    // Only for the question which lines interrupt.
    let machine = Ubgi::default();
    let mut codec = LineCodec::new(LINE_BYTES_MAX);
    let mut buffer = [0; READ_BYTES];
    let mut last = VecDeque::with_capacity(LINES_WAITING);
    loop {
        let count = match input.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let _ = orders.send(Err(error));
                return;
            }
        };
        match buffer.get(..count) {
            Some(bytes) if count > 0 => codec.feed(bytes),
            _ => {
                codec.finish();
            }
        }
        while let Some(cut) = codec.peek() {
            let line = match cut {
                FramedLine::Line(line) => Some(line.to_vec()),
                FramedLine::TooLong => None,
            };
            codec.consume();
            if line.as_ref().is_some_and(|line| machine.interrupts(line)) {
                last.iter().for_each(Stop::trigger);
                last.clear();
            }
            // Earlier lines have been obeyed: no more wait than the channel holds.
            if last.len() > LINES_WAITING + 1 {
                last.pop_front();
            }
            let stop = Stop::new();
            last.push_back(stop.clone());
            if orders.send(Ok((line, stop))).is_err() {
                return;
            }
        }
        if count == 0 {
            return;
        }
    }
}

/// Runs UBGI until the input ends or `quit`. `build` creates an engine with these nets and threads if an option
/// changes them.
///
/// # Errors
/// If reading or writing fails; a closed output is no error.
pub fn run<E: Display>(
    mut engine: Engine,
    mut machine: Ubgi,
    build: impl Fn(&str, usize) -> Result<Engine, E>,
    input: impl Read + Send + 'static,
    mut output: impl Write,
) -> io::Result<()> {
    let (sender, orders) = sync_channel(LINES_WAITING);
    // Not joined: after `quit` it may wait in a read for ever.
    std::thread::Builder::new()
        .name("stdin".into())
        .spawn(move || read_lines(input, &sender))?;
    for order in orders {
        let (line, stop) = order?;
        let cut = line
            .as_deref()
            .map_or(FramedLine::TooLong, FramedLine::Line);
        let mut text = Vec::new();
        let mut ending = false;
        let before = machine.clone();
        match Dialect::line(&mut machine, cut) {
            LineAction::Silence => continue,
            LineAction::Say(said) | LineAction::Refuse(said) => text = said.into_bytes(),
            LineAction::Ask(inquiry) => {
                Answerer::new(&engine).answer(&inquiry, &stop, &mut text);
            }
            LineAction::Cancel(cancel) => text = cancel.unknown().into_bytes(),
            LineAction::Rebuild { nets, threads } => match build(&nets, threads) {
                Ok(built) => {
                    engine = built;
                    continue;
                }
                Err(reason) => {
                    // A refused value changes nothing: later changes would meet it again.
                    machine = before;
                    let reason = reason.to_string().replace('\n', " ");
                    text = format!("error bad_value engine.nets {reason}\n").into_bytes();
                }
            },
            LineAction::Close(said) => {
                text = said.into_bytes();
                ending = true;
            }
        }
        match output.write_all(&text).and_then(|()| output.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error),
        }
        if ending {
            return Ok(());
        }
    }
    Ok(())
}
