//! Output of commands: one way to stdout, on which a closed pipe ends the program quietly and a full disk is an error.

use crate::{Failure, within};
use gammond_base::escape::Terminal;
use std::io::{self, BufWriter, ErrorKind, IsTerminal as _, StdoutLock, Write};
use std::path::Path;
use std::process::ExitCode;

/// Returns the number of columns of the terminal on stdout.
pub(crate) fn columns() -> Option<usize> {
    let terminal = io::stdout();
    let size = terminal_size::terminal_size_of(&terminal).filter(|_| terminal.is_terminal());
    size.map(|(width, _)| width.0.into())
}

/// Returns a text for people: on a terminal, lines that are too long for it are broken between words.
pub(crate) fn folded(text: &str) -> String {
    match columns() {
        Some(columns) => fold(text, columns),
        None => text.to_owned(),
    }
}

fn fold(text: &str, columns: usize) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    for line in text.split_inclusive('\n') {
        // Output for programs stays as it is.
        if shown(line) <= columns || line.starts_with(['{', '[', '<']) {
            out.push_str(line);
            continue;
        }
        let indent = line.len() - line.trim_start_matches(' ').len() + 2;
        let mut used = 0;
        for word in line.split_inclusive(' ') {
            if used > indent && used + shown(word.trim_end()) > columns {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                out.push_str(&" ".repeat(indent));
                used = indent;
            }
            out.push_str(word);
            used += shown(word);
        }
    }
    out
}

/// Returns the number of columns of a text; colours and line ends take none.
fn shown(text: &str) -> usize {
    let mut escape = false;
    let visible = text.chars().filter(|&one| {
        let hidden = escape || one == '\x1b' || one == '\n';
        escape = (escape || one == '\x1b') && one != 'm';
        !hidden
    });
    visible.count()
}

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

    /// Returns true if the reader has closed the pipe: nothing that is printed will be read.
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
        self.handle_broken_pipe(written)
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

    /// Passes everything to the system. Output counts as printed only after this.
    ///
    /// # Errors
    /// As [`Output::print`].
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        if self.closed {
            return Ok(());
        }
        // Rust's own stdout keeps the last line back as well.
        let flushed = self.out.flush();
        self.handle_broken_pipe(flushed)
    }

    fn handle_broken_pipe(&mut self, result: io::Result<()>) -> Result<(), Failure> {
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

/// Returns the name of a file for a terminal.
pub(crate) fn shown_path(path: &Path) -> String {
    Terminal::new(&path.display().to_string()).to_string()
}

/// Returns a value as a line of JSON that shows no control or bidirectional character on a terminal either.
pub(crate) fn json_line(value: &serde_json::Value) -> String {
    format!("{}\n", Terminal::new(&value.to_string()))
}

/// Writes one line to stderr, escaped for terminals. A line that cannot be written is lost: a program whose stderr
/// was closed continues.
pub(crate) fn stderr_line(line: std::fmt::Arguments<'_>) {
    let line = format!("{}\n", Terminal::new(&line.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Writes lines of this program to stderr, with their colours where a terminal shows them.
pub(crate) fn stderr_text(text: &str) {
    let _ = write!(anstream::stderr(), "{text}");
}

/// Returns an event of the log as one line.
fn log_line(event: &[u8]) -> String {
    let text = String::from_utf8_lossy(event);
    format!("{}\n", Terminal::new(text.trim_end_matches('\n')))
}

/// Writes events of the log to stderr as [`stderr_line`] does. Each call of [`Write::write`] gets one whole event.
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let _ = io::stderr().write_all(log_line(event).as_bytes());
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Converts the result of printing in another way, such as `--help`.
///
/// # Errors
/// As [`Output::print`].
pub(crate) fn handle_broken_pipe(result: io::Result<()>) -> Result<ExitCode, Failure> {
    Output::new().handle_broken_pipe(result)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the whole output of a command; a closed pipe ends it quietly.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn print(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    out.print(bytes)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Formats a figure with so many decimals, or a note that there are too few numbers.
pub(crate) fn known(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(
        || "unknown".to_owned(),
        |value| format!("{value:.decimals$}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An event is one line, with any untrusted text in it, and a line of JSON stays JSON.
    #[test]
    fn events_of_the_log_are_escaped() {
        use std::sync::{Arc, Mutex};
        use tracing_subscriber::layer::SubscriberExt as _;
        #[derive(Clone, Default)]
        struct Kept(Arc<Mutex<Vec<u8>>>);
        impl Write for Kept {
            fn write(&mut self, event: &[u8]) -> io::Result<usize> {
                let mut kept = self.0.lock().unwrap();
                kept.extend_from_slice(log_line(event).as_bytes());
                Ok(event.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let hostile = "\u{1b}[2J\nforged\u{9b}\u{202e}";
        for json in [false, true] {
            let kept = Kept::default();
            let writer = kept.clone();
            let log = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
            let event = || tracing::error!(opponent = hostile, %hostile, "said {hostile}");
            let all = tracing_subscriber::registry();
            if json {
                tracing::subscriber::with_default(all.with(log.json()), event);
            } else {
                tracing::subscriber::with_default(all.with(log), event);
            }
            let text = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
            let line = text.strip_suffix('\n').unwrap();
            assert!(Terminal::new(line).is_clean(), "{line:?}");
            if json {
                let read: serde_json::Value = serde_json::from_str(line).unwrap();
                assert_eq!(read["fields"]["hostile"], hostile);
            }
        }
    }

    #[test]
    fn long_lines_go_on_between_words() {
        let folded = fold(
            "short\n  a line with a lot of words\n{\"json\": \"is left as it is\"}\n",
            16,
        );
        assert_eq!(
            folded,
            "short\n  a line with a\n    lot of words\n{\"json\": \"is left as it is\"}\n"
        );
        let coloured = "\x1b[1mfour four four\x1b[0m";
        assert_eq!(fold(coloured, 14), coloured);
        assert_eq!(shown(coloured), 14);
    }
}
