//! A command line as words: blanks separate them, double quotes hold them together.

/// The rest of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

/// Signs that separate words.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

impl<'a> Words<'a> {
    pub(super) const fn new(line: &'a str) -> Words<'a> {
        Words { rest: line }
    }

    /// Takes the next word, without its quotes.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start_matches(BLANKS);
        if text.is_empty() {
            self.rest = text;
            return None;
        }
        let (word, rest) = match text.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => {
                let end = text.find(BLANKS).unwrap_or(text.len());
                text.split_at_checked(end).unwrap_or((text, ""))
            }
        };
        self.rest = rest;
        Some(word)
    }

    /// Returns the next word and leaves it.
    pub(super) fn peek(&self) -> Option<&'a str> {
        Words { rest: self.rest }.next()
    }

    /// Returns the rest, with the blanks at its end.
    pub(super) fn text(&self) -> &'a str {
        self.rest.trim_start_matches(BLANKS)
    }

    /// Returns the rest, without the blanks at its end.
    pub(super) fn trimmed(&self) -> &'a str {
        self.rest.trim_matches(BLANKS)
    }

    /// Takes the next word as an integer.
    pub(super) fn number(&mut self) -> Option<i64> {
        integer(self.next()?)
    }

    /// Takes the next word as a number.
    pub(super) fn real(&mut self) -> Option<f64> {
        self.next()?
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
    }
}

/// Parses an integer as C does: text after the digits is ignored.
pub(super) fn integer(word: &str) -> Option<i64> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    let end = digits
        .find(|sign: char| !sign.is_ascii_digit())
        .unwrap_or(digits.len());
    let number: i64 = digits.get(..end)?.parse().ok()?;
    Some(sign * number)
}

/// Parses a switch.
pub(super) fn switch(word: &str) -> Option<bool> {
    let is = |words: [&str; 3]| words.iter().any(|one| one.eq_ignore_ascii_case(word));
    match (is(["on", "yes", "true"]), is(["off", "no", "false"])) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

/// Parses two dice: `31`, `3 1` or `3,1`.
pub(super) fn read_dice(text: &str) -> Option<[u8; 2]> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b',' | b'-'))
        .collect();
    match digits.as_slice() {
        [first @ b'1'..=b'6', second @ b'1'..=b'6'] => Some([first - b'0', second - b'0']),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_words_together_and_free_text_keeps_its_end() {
        let mut words = Words::new("\tmat \"one 1.mat\"  'one 1.mat'  x ");
        assert_eq!(words.next(), Some("mat"));
        assert_eq!(words.next(), Some("one 1.mat"));
        assert_eq!(words.next(), Some("'one"));
        assert_eq!(words.text(), "1.mat'  x ");
        assert_eq!(words.trimmed(), "1.mat'  x");
    }

    #[test]
    fn numbers_and_switches_are_read_as_gnubg_reads_them() {
        let numbers = ["12x", "-3", "x", ""].map(integer);
        assert_eq!(numbers, [Some(12), Some(-3), None, None]);
        let switches = ["ON", "no", "1", "maybe"].map(switch);
        assert_eq!(switches, [Some(true), Some(false), None, None]);
    }
}
