//! Lines out of a telnet byte stream.
//!
//! Any chunking of the same bytes gives the same pieces: the reader is a machine over single
//! bytes (FIBS-01, FIBS-02).

// So many bytes of a line are kept; the rest of a longer one is dropped (FIBS-03).
use crate::notation::LINE_BYTES_MAX;

const IAC: u8 = 255;
/// Prompts that have no line end. They are recognised as soon as a line begins with them.
const PROMPTS: [(&str, Piece); 2] = [("login: ", Piece::Login), ("password: ", Piece::Password)];

/// A piece of the stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// A line without its end and without trailing blanks; never empty.
    Line(String),
    /// A prompt for the login.
    Login,
    /// A prompt for the password.
    Password,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Telnet {
    #[default]
    Text,
    /// The state after IAC.
    Command,
    /// The state after WILL, WONT, DO or DONT.
    Option,
}

/// Collects bytes into pieces.
#[derive(Clone, Debug, Default)]
pub struct LineReader {
    line: String,
    telnet: Telnet,
    cut: u64,
}

impl LineReader {
    /// Takes bytes and appends the completed pieces to `pieces`.
    pub fn push(&mut self, bytes: &[u8], pieces: &mut Vec<Piece>) {
        for &byte in bytes {
            match (self.telnet, byte) {
                (Telnet::Text, IAC) => self.telnet = Telnet::Command,
                (Telnet::Text, _) => self.text(byte, pieces),
                (Telnet::Command, 251..=254) => self.telnet = Telnet::Option,
                // A doubled IAC is the letter itself; other commands have no option.
                (Telnet::Command, IAC) => {
                    self.telnet = Telnet::Text;
                    self.text(byte, pieces);
                }
                (Telnet::Command | Telnet::Option, _) => self.telnet = Telnet::Text,
            }
        }
    }

    /// Returns the number of lines that were truncated because they were too long.
    #[must_use]
    pub const fn cut_lines(&self) -> u64 {
        self.cut
    }

    fn text(&mut self, byte: u8, pieces: &mut Vec<Piece>) {
        match byte {
            b'\n' => {
                self.cut += u64::from(self.line.len() >= LINE_BYTES_MAX);
                let line = std::mem::take(&mut self.line);
                let line = line.trim_end();
                if !line.is_empty() {
                    pieces.push(Piece::Line(line.to_owned()));
                }
            }
            // FIBS-01: no control character passes, so none reaches a terminal or a log.
            b'\t' => self.byte(b' ', pieces),
            0..=31 | 127..=159 => {}
            _ => self.byte(byte, pieces),
        }
    }

    fn byte(&mut self, byte: u8, pieces: &mut Vec<Piece>) {
        if self.line.len() >= LINE_BYTES_MAX {
            return;
        }
        // Latin-1: every byte is the character of its number.
        self.line.push(char::from(byte));
        for (text, piece) in &PROMPTS {
            if self.line == *text {
                self.line.clear();
                pieces.push(piece.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIBS-01, FIBS-02: telnet options, bells, bare LF, prompts without line end, every chunking.
    #[test]
    fn any_chunking_gives_the_same_pieces() {
        let text = b"\r\nBan\xff\xfb\x01ner\r\n\x07caf\xe9  \nlogin: \xff\xfc\x01\r\n1 me 0 here\r\nlogin: tail";
        let mut whole = Vec::new();
        LineReader::default().push(text, &mut whole);
        let line = |text: &str| Piece::Line(text.to_owned());
        let want = [
            line("Banner"),
            line("café"),
            Piece::Login,
            line("1 me 0 here"),
            Piece::Login,
        ];
        assert_eq!(whole, want);
        for step in 1..text.len() {
            let (mut reader, mut pieces) = (LineReader::default(), Vec::new());
            text.chunks(step)
                .for_each(|part| reader.push(part, &mut pieces));
            assert_eq!(pieces, whole, "chunks of {step}");
        }
    }

    /// FIBS-03: a line has a limit.
    #[test]
    fn a_line_has_a_limit() {
        let (mut reader, mut pieces) = (LineReader::default(), Vec::new());
        reader.push(&vec![b'x'; 100_000], &mut pieces);
        reader.push(b"\nnext\n", &mut pieces);
        assert_eq!(pieces.len(), 2);
        assert_eq!(reader.cut_lines(), 1);
        assert!(matches!(&pieces[0], Piece::Line(line) if line.len() == LINE_BYTES_MAX));
    }
}
