//! A running program, or a connection to one: lines out, lines in, nothing waited for without end.

use crate::platform::{end_group, shell};
use gammond_game::notation::{LINE_BYTES_MAX, NotationError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Maximum number of lines that a program may send ahead of the reader.
const LINES_AHEAD_MAX: usize = 64;

/// Reasons why another program does not play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The program cannot be started, written to or read from.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The program has ended.
    #[error("the program ended without an answer")]
    Ended,
    /// The program sends no answer.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// The program refuses.
    #[error("{0}")]
    Refused(String),
    /// The program resigns games that are played to their end.
    #[error("it resigns each time it gets the question {0}")]
    Resigns(String),
    /// Its answer is no position.
    #[error("{}: {source}", shortened(answer))]
    Unreadable {
        /// Answer of the program.
        answer: String,
        /// Reason why it cannot be parsed.
        source: NotationError,
    },
    /// Its answer is no legal play.
    #[error("{answer} is no legal result of {question}")]
    Illegal {
        /// Answer of the program.
        answer: String,
        /// Request that was sent to it.
        question: String,
    },
}

/// Returns the beginning of an answer, for a message.
fn shortened(answer: &str) -> String {
    const LONGEST: usize = 40;
    match answer.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}…", answer.get(..end).unwrap_or_default()),
        None => format!("{answer:?}"),
    }
}

/// The other end. Dropping it ends the program with all that it started, or the connection.
pub(super) struct Link {
    end: End,
    input: Box<dyn Write + Send>,
    lines: Receiver<io::Result<String>>,
}

enum End {
    Child(Child),
    Stream(TcpStream),
}

impl Drop for Link {
    fn drop(&mut self) {
        // Nothing can be done about an end that is gone already.
        match &mut self.end {
            End::Child(child) => {
                end_group(child);
                let _ = child.kill();
                let _ = child.wait();
            }
            End::Stream(stream) => {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }
}

impl Link {
    /// Starts a command of the shell, in a process group of its own.
    pub(super) fn start(command: &str) -> io::Result<Link> {
        let mut shell = shell(command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(input), Some(output)) = (input, output) else {
            return Err(io::Error::other("no pipe to it"));
        };
        Ok(Link {
            end: End::Child(child),
            input: Box::new(input),
            lines: reader(Box::new(output))?,
        })
    }

    /// Connects to `HOST:PORT` within `time`.
    pub(super) fn connect(target: &str, time: Duration) -> io::Result<Link> {
        let mut failed = io::Error::new(ErrorKind::NotFound, "no such address");
        for address in target.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, time) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_write_timeout(Some(time))?;
                    return Ok(Link {
                        input: Box::new(stream.try_clone()?),
                        lines: reader(Box::new(stream.try_clone()?))?,
                        end: End::Stream(stream),
                    });
                }
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    /// Sends text with its line ends.
    pub(super) fn say(&mut self, text: &str) -> Result<(), ProgramError> {
        let said = self.input.write_all(text.as_bytes());
        said.and_then(|()| self.input.flush())
            .map_err(|error| match error.kind() {
                // A program that ended is reported in one way, whether a read or a write finds it.
                ErrorKind::BrokenPipe => ProgramError::Ended,
                _ => error.into(),
            })
    }

    /// Returns the next line, trimmed, if it comes before `until`; `time` is how long that was.
    pub(super) fn receive(&self, until: Instant, time: Duration) -> Result<String, ProgramError> {
        let left = until.saturating_duration_since(Instant::now());
        match self.lines.recv_timeout(left) {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(error.into()),
            Err(RecvTimeoutError::Timeout) => Err(ProgramError::Silent(time)),
            Err(RecvTimeoutError::Disconnected) => Err(ProgramError::Ended),
        }
    }
}

/// Reads lines in a thread of its own, which ends with the input or with the link.
fn reader(output: Box<dyn Read + Send>) -> io::Result<Receiver<io::Result<String>>> {
    let (send, lines) = sync_channel(LINES_AHEAD_MAX);
    let read = move || {
        let mut output = BufReader::new(output);
        loop {
            let mut bytes = Vec::new();
            let line = match (&mut output)
                .take(LINE_BYTES_MAX as u64)
                .read_until(b'\n', &mut bytes)
            {
                Ok(0) => break,
                Ok(_) => Ok(String::from_utf8_lossy(&bytes).trim().to_owned()),
                Err(error) => Err(error),
            };
            let failed = line.is_err();
            if send.send(line).is_err() || failed {
                break;
            }
        }
    };
    std::thread::Builder::new()
        .name("player".to_owned())
        .spawn(read)?;
    Ok(lines)
}
