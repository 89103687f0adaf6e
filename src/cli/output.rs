//! What commands print: one way to stdout, on which a closed pipe ends the program quietly and a
//! full disk is an error.

use crate::cli::{Failure, within};
use std::io::{self, BufWriter, ErrorKind, StdoutLock, Write};
use std::process::ExitCode;

/// Stdout, for one command.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    closed: bool,
}

impl Output {
    /// Takes stdout.
    pub(crate) fn new() -> Output {
        Output {
            out: BufWriter::new(io::stdout().lock()),
            closed: false,
        }
    }

    /// Whether the reader has gone: nothing that is printed will be read.
    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Prints, sooner or later.
    ///
    /// # Errors
    /// When it cannot be written; a closed pipe is no error.
    pub(crate) fn print(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        let written = self.out.write_all(bytes);
        self.told(written)
    }

    /// Prints a line that a person or program may be waiting for.
    ///
    /// # Errors
    /// As [`Output::print`].
    pub(crate) fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.print(line.as_bytes())?;
        self.print(b"\n")?;
        self.flush()
    }

    /// Hands everything to the system. What a command printed counts only after this.
    ///
    /// # Errors
    /// As [`Output::print`].
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        // Rust's own stdout keeps the last line back as well.
        let flushed = self.out.flush();
        self.told(flushed)
    }

    fn told(&mut self, result: io::Result<()>) -> Result<(), Failure> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Failure::work(within("standard output", error))),
            Ok(()) => Ok(()),
        }
    }
}

/// What comes of something that was printed in another way, such as `--help`.
///
/// # Errors
/// As [`Output::print`].
pub(crate) fn told(result: io::Result<()>) -> Result<ExitCode, Failure> {
    Output::new().told(result)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints all that a command has to say; a closed pipe ends it quietly.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn print(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    out.print(bytes)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
