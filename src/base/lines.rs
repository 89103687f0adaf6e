//! Cuts bytes into lines: a hard limit, and a state in which the rest of an over-long line is
//! thrown away without being stored.
//!
//! Any way of cutting the same bytes into pieces gives the same lines. An empty codec holds no
//! memory. Every line protocol reads by it: sockets, standard input, UBGI.

/// Collects bytes and gives out lines.
#[derive(Debug)]
pub struct LineCodec {
    buffer: Vec<u8>,
    /// Offset of the first byte not yet returned.
    start: usize,
    /// End of the bytes in which no LF was found.
    scanned: usize,
    /// True while the rest of an over-long line is being discarded.
    discarding: bool,
    limit: usize,
}

/// A line found by the codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FramedLine<'a> {
    /// A line without its LF and without a CR before it.
    Line(&'a [u8]),
    /// A line over the limit; reported once, as soon as it is known.
    TooLong,
}

impl LineCodec {
    /// Returns a codec for lines of at most `limit` bytes, their end not counted.
    #[must_use]
    pub const fn new(limit: usize) -> LineCodec {
        LineCodec {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            discarding: false,
            limit,
        }
    }

    /// Takes bytes as they came.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        if self.discarding {
            match bytes.iter().position(|&byte| byte == b'\n') {
                None => return,
                Some(end) => {
                    bytes = bytes.get(end + 1..).unwrap_or_default();
                    self.discarding = false;
                }
            }
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.scanned -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
        self.skip_nuls();
    }

    /// Returns the next line, if it is complete or already too long. It stays until [`LineCodec::consume`].
    pub fn peek(&mut self) -> Option<FramedLine<'_>> {
        let end = self.line_end();
        let length = end.unwrap_or(self.buffer.len()) - self.start;
        // One byte more for a CR.
        if length > self.limit + 1 {
            return Some(FramedLine::TooLong);
        }
        let end = end?;
        let line = self.buffer.get(self.start..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        Some(if line.len() > self.limit {
            FramedLine::TooLong
        } else {
            FramedLine::Line(line)
        })
    }

    /// Puts away what [`LineCodec::peek`] showed.
    pub fn consume(&mut self) {
        match self.line_end() {
            Some(end) => {
                self.start = end + 1;
                self.scanned = self.scanned.max(self.start);
            }
            None => {
                self.discarding = true;
                self.start = self.buffer.len();
                self.scanned = self.start;
            }
        }
        self.skip_nuls();
        if self.start == self.buffer.len() {
            // Idle connections hold no buffer.
            *self = LineCodec {
                discarding: self.discarding,
                ..LineCodec::new(self.limit)
            };
        }
    }

    /// Returns the number of buffered bytes.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Returns true if `wanted` is true for any complete buffered line.
    pub fn any_line(&self, wanted: impl FnMut(&[u8]) -> bool) -> bool {
        let waiting = self.buffer.get(self.start..).unwrap_or_default();
        let end = waiting.iter().rposition(|&byte| byte == b'\n');
        let complete = waiting.get(..end.unwrap_or(0)).unwrap_or_default();
        complete.split(|&byte| byte == b'\n').any(wanted)
    }

    /// Ends the last line at the end of input. Returns true if there was one.
    pub fn finish(&mut self) -> bool {
        // Complete lines may wait in front of it.
        let waiting = self.buffer.get(self.start..).unwrap_or_default();
        let unfinished = !waiting.is_empty() && !self.discarding && !waiting.ends_with(b"\n");
        if unfinished {
            self.buffer.push(b'\n');
        }
        unfinished
    }

    /// Returns true if an incomplete line is buffered.
    #[must_use]
    pub fn has_partial(&self) -> bool {
        self.discarding || self.start < self.buffer.len()
    }

    fn line_end(&mut self) -> Option<usize> {
        let from = self.scanned.max(self.start);
        let unseen = self.buffer.get(from..).unwrap_or_default();
        match unseen.iter().position(|&byte| byte == b'\n') {
            Some(at) => {
                self.scanned = from + at;
                Some(from + at)
            }
            None => {
                self.scanned = self.buffer.len();
                None
            }
        }
    }

    /// Skips NULs before a line, which belong to the line before it: gnubg ends its lines with LF NUL (Q-02).
    fn skip_nuls(&mut self) {
        while self.buffer.get(self.start) == Some(&0) {
            self.start += 1;
        }
        self.scanned = self.scanned.max(self.start);
        if self.start == self.buffer.len() {
            self.buffer.clear();
            (self.start, self.scanned) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], piece: usize) -> Vec<String> {
        let mut codec = LineCodec::new(8);
        let mut found = Vec::new();
        let mut drain = |codec: &mut LineCodec| {
            while let Some(cut) = codec.peek() {
                found.push(match cut {
                    FramedLine::Line(line) => String::from_utf8_lossy(line).into_owned(),
                    FramedLine::TooLong => "LONG".to_owned(),
                });
                codec.consume();
            }
        };
        for chunk in input.chunks(piece) {
            codec.feed(chunk);
            drain(&mut codec);
        }
        codec.finish();
        drain(&mut codec);
        assert!(!codec.has_partial() || codec.discarding);
        found
    }

    /// R-03: any way of cutting gives the same lines; over-long ones are reported once.
    #[test]
    fn any_cutting_gives_the_same_lines() {
        let input =
            b"one\r\n\0two\n\n12345678\r\n123456789\nx\n1234567890123456789012\ny\r\n\0\0last";
        let expected = [
            "one", "two", "", "12345678", "LONG", "x", "LONG", "y", "last",
        ];
        for piece in 1..=input.len() {
            assert_eq!(lines(input, piece), expected, "pieces of {piece}");
        }
    }

    /// Q-01: the last line needs no end, also after lines that are still buffered.
    #[test]
    fn unterminated_last_line_is_a_line() {
        let mut codec = LineCodec::new(40);
        codec.feed(b"one\ntwo");
        assert!(codec.finish());
        for line in [&b"one"[..], b"two"] {
            assert_eq!(codec.peek(), Some(FramedLine::Line(line)));
            codec.consume();
        }
        assert_eq!(codec.peek(), None);
    }

    #[test]
    fn an_idle_codec_holds_no_memory() {
        let mut codec = LineCodec::new(4096);
        codec.feed(b"ping\n\0");
        assert_eq!(codec.peek(), Some(FramedLine::Line(b"ping")));
        codec.consume();
        assert!(!codec.has_partial());
        assert_eq!(codec.buffer.capacity(), 0);
    }

    #[test]
    fn a_line_without_end_stays_small() {
        let mut codec = LineCodec::new(4096);
        for _ in 0..1000 {
            codec.feed(&[b'x'; 1000]);
            if codec.peek() == Some(FramedLine::TooLong) {
                codec.consume();
            }
            assert!(codec.buffer.capacity() < 16 << 10);
        }
    }
}
