//! Untrusted text, escaped for the place where it is shown: one type for each kind of place.
//!
//! Names of players, files and machines, versions and reasons come from files, sockets and other machines. As [`Untrusted`]
//! such a text cannot be formatted at all; it can only be turned into the type of a sink, which can. So code that forgets to
//! escape does not compile.

use serde::{Deserialize, Serialize};
use std::borrow::{Borrow, Cow};
use std::fmt::{self, Display, Formatter};

/// Untrusted text. It has no `Display`: format [`Untrusted::terminal`] or [`Untrusted::markup`] instead.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Untrusted(String);

impl Untrusted {
    /// Returns the text as it came: to compare it, to look it up, or for an encoder that escapes, such as that of JSON.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Escapes the text for terminals and logs.
    #[must_use]
    pub fn terminal(&self) -> Terminal<'_> {
        Terminal::new(&self.0)
    }

    /// Escapes the text for HTML and SVG.
    #[must_use]
    pub fn markup(&self) -> Markup<'_> {
        Markup::new(&self.0)
    }

    /// Escapes the text for a CSV cell.
    #[must_use]
    pub fn csv(&self) -> CsvCell<'_> {
        CsvCell::text(&self.0)
    }

    /// Reduces the text to a part of a file name.
    #[must_use]
    pub fn file_name(&self) -> FileName<'_> {
        FileName::new(&self.0)
    }
}

impl<T: Into<String>> From<T> for Untrusted {
    fn from(text: T) -> Untrusted {
        Untrusted(text.into())
    }
}

impl Borrow<str> for Untrusted {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Untrusted {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Untrusted {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.terminal())
    }
}

/// Returns whether a character controls a terminal, ends a line, or changes the direction of the text around it.
const fn is_unsafe(sign: char) -> bool {
    matches!(
        sign,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
    )
}

/// Returns the beginning of a text, at most `most` characters.
fn beginning(text: &str, most: usize) -> &str {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// A text on one line of a terminal or log. Control characters, line ends and characters that change the direction of
/// writing are shown as `\u001b`, in the form of JSON, so that a line of JSON stays one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal<'a>(&'a str);

impl<'a> Terminal<'a> {
    /// Escapes this text.
    #[must_use]
    pub const fn new(text: &'a str) -> Terminal<'a> {
        Terminal(text)
    }

    /// Keeps at most `characters` characters.
    #[must_use]
    pub fn at_most(self, characters: usize) -> Terminal<'a> {
        Terminal(beginning(self.0, characters))
    }

    /// Returns whether the text is shown as it is.
    #[must_use]
    pub fn is_clean(self) -> bool {
        !self.0.contains(is_unsafe)
    }
}

impl Display for Terminal<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.is_clean() {
            return f.pad(self.0);
        }
        let mut out = String::with_capacity(self.0.len() + 16);
        for sign in self.0.chars() {
            match sign {
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                sign if is_unsafe(sign) => out.push_str(&format!("\\u{:04x}", u32::from(sign))),
                sign => out.push(sign),
            }
        }
        f.pad(&out)
    }
}

/// A text between tags or in a quoted attribute, of HTML or SVG. Characters that [`Terminal`] escapes, and those that
/// XML forbids, become U+FFFD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Markup<'a>(&'a str);

impl<'a> Markup<'a> {
    /// Escapes this text.
    #[must_use]
    pub const fn new(text: &'a str) -> Markup<'a> {
        Markup(text)
    }

    /// Keeps at most `characters` characters.
    #[must_use]
    pub fn at_most(self, characters: usize) -> Markup<'a> {
        Markup(beginning(self.0, characters))
    }
}

impl Display for Markup<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for sign in self.0.chars() {
            match sign {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                sign if is_unsafe(sign) => f.write_char('\u{fffd}')?,
                sign => f.write_char(sign)?,
            }
        }
        Ok(())
    }
}

/// A cell of a CSV line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvCell<'a>(Cow<'a, str>);

impl<'a> CsvCell<'a> {
    /// Quotes a text. Where a spreadsheet would take it for a formula (`=`, `+`, `-`, `@`, tab or carriage return come first),
    /// an apostrophe stands before it. Other control characters and line ends are escaped as for a [`Terminal`].
    #[must_use]
    pub fn text(text: &str) -> CsvCell<'static> {
        let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
        let guard = if formula { "'" } else { "" };
        let text = Terminal::new(text).to_string().replace('"', "\"\"");
        CsvCell(Cow::Owned(format!("\"{guard}{text}\"")))
    }

    /// Writes a number, or words of this program: as they are, unless a comma is among them.
    #[must_use]
    pub fn plain(value: impl Display) -> CsvCell<'static> {
        let text = value.to_string();
        match text.contains([',', '"', '\n']) {
            true => CsvCell::text(&text),
            false => CsvCell(Cow::Owned(text)),
        }
    }
}

impl Display for CsvCell<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns a line of comma-separated values, with its end.
#[must_use]
pub fn csv_line<'a>(cells: impl IntoIterator<Item = CsvCell<'a>>) -> String {
    let mut line = String::new();
    for cell in cells {
        if !line.is_empty() {
            line.push(',');
        }
        line.push_str(&cell.0);
    }
    line.push('\n');
    line
}

/// Most bytes of a [`FileName`]. File systems allow 255 for a whole name.
pub const FILE_NAME_BYTES_MAX: usize = 64;

/// A part of a file name: ASCII letters, digits and `_`, at most [`FILE_NAME_BYTES_MAX`] of them. Other characters are left
/// out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileName<'a>(&'a str);

impl<'a> FileName<'a> {
    /// Returns a file name made of the safe characters of this text.
    #[must_use]
    pub const fn new(text: &'a str) -> FileName<'a> {
        FileName(text)
    }
}

impl Display for FileName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        let kept = |sign: &char| sign.is_ascii_alphanumeric() || *sign == '_';
        let mut signs = self.0.chars().filter(kept).take(FILE_NAME_BYTES_MAX);
        signs.try_for_each(|sign| f.write_char(sign))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\x1b[2J\u{9b}1mJoe\nforged\t\u{202e}gpj\u{2028}<b a='1'>\"&\0\x7f";

    #[test]
    fn terminal_escapes_controls_line_ends_and_directions() {
        let shown = Untrusted::from(HOSTILE).terminal().to_string();
        assert_eq!(
            shown,
            "\\u001b[2J\\u009b1mJoe\\nforged\\t\\u202egpj\\u2028<b a='1'>\"&\\u0000\\u007f"
        );
        assert!(Terminal::new(&shown).is_clean());
        assert_eq!(
            format!("{:<6}|", Terminal::new("Zoë").at_most(2)),
            "Zo    |"
        );
        // Text that is escaped inside a JSON string is still the same string.
        let line = serde_json::json!({ "name": HOSTILE }).to_string();
        let escaped = Terminal::new(&line).to_string();
        assert_ne!(line, escaped);
        let read: serde_json::Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(read["name"], HOSTILE);
    }

    #[test]
    fn every_control_character_is_escaped_in_every_sink() {
        for sign in (0..0x1_0000).filter_map(char::from_u32) {
            let text = String::from(sign);
            let unsafe_sign = sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}');
            if !unsafe_sign {
                continue;
            }
            let shown = [
                Terminal::new(&text).to_string(),
                Markup::new(&text).to_string(),
                CsvCell::text(&text).0.into_owned(),
                FileName::new(&text).to_string(),
            ];
            for shown in shown {
                assert!(!shown.contains(sign), "{:x}: {shown:?}", u32::from(sign));
            }
        }
    }

    #[test]
    fn markup_has_no_tags_quotes_or_controls_of_a_stranger() {
        let shown = Markup::new(HOSTILE).to_string();
        assert!(!shown.contains(['<', '>', '"', '\'', '\x1b', '\n', '\u{202e}', '\0']));
        assert!(shown.ends_with("&lt;b a=&#39;1&#39;&gt;&quot;&amp;\u{fffd}\u{fffd}"));
        assert_eq!(Markup::new("ab<").at_most(2).to_string(), "ab");
    }

    #[test]
    fn csv_cells_are_no_formulas_and_stay_cells() {
        for begin in ["=", "+", "-", "@", "\t", "\r"] {
            let cell = CsvCell::text(&format!("{begin}1+1")).0.into_owned();
            assert!(cell.starts_with("\"'"), "{cell:?}");
        }
        let line = csv_line([
            CsvCell::text("a,\"b\"\n=c"),
            CsvCell::plain(-1.5),
            CsvCell::plain("no double, take"),
            CsvCell::text("x-1"),
        ]);
        assert_eq!(
            line,
            "\"a,\"\"b\"\"\\n=c\",-1.5,\"no double, take\",\"x-1\"\n"
        );
    }

    #[test]
    fn file_names_are_short_and_plain() {
        assert_eq!(FileName::new("../e/t\0c_1.Zoë").to_string(), "etc_1Zo");
        let long = "x".repeat(3000);
        assert_eq!(FileName::new(&long).to_string().len(), FILE_NAME_BYTES_MAX);
    }

    #[test]
    fn debug_output_is_escaped_too() {
        assert_eq!(
            format!("{:?}", Untrusted::from("\x1b[1m")),
            "\"\\u001b[1m\""
        );
    }
}
