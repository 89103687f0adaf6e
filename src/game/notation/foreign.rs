//! Files that people give in place of a match or a position: recognised by their first bytes, so that an error says
//! what they are and what to do.
//!
//! Rule MAT-60 of `protocol-specs/match-files.md`. A kind is searched for only where nothing could be read.

use std::fmt;

/// Bytes of a file in which signs of its kind are searched.
const HEAD_BYTES: usize = 64 << 10;
/// Bytes of a file in which a zero is the sign of binary data.
const SIGN_BYTES: usize = 512;

/// A kind of file without a match or a position that can be read. Its `Display` is a part of a sentence: the name, a
/// colon, and what to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignKind {
    name: &'static str,
    advice: &'static str,
}

impl fmt::Display for ForeignKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.advice)
    }
}

impl ForeignKind {
    pub(super) const fn new(name: &'static str, advice: &'static str) -> ForeignKind {
        ForeignKind { name, advice }
    }

    /// Returns the kind of a text or file; `None` if the kind is unknown.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<ForeignKind> {
        let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let found = KINDS.iter().find(|(is, ..)| is(head));
        found.map(|&(_, name, advice)| ForeignKind { name, advice })
    }

    /// Returns the kind of a file, of which binary data is one.
    #[must_use]
    pub fn of_file(bytes: &[u8]) -> Option<ForeignKind> {
        let binary = || bytes.iter().take(SIGN_BYTES).any(|&byte| byte == 0);
        let unknown = ForeignKind::new("binary data of no known kind", NOTHING);
        ForeignKind::of(bytes).or_else(|| binary().then_some(unknown))
    }

    /// Returns the name with its article, such as `a JPEG picture`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the advice, such as `unpack it first`.
    #[must_use]
    pub const fn advice(self) -> &'static str {
        self.advice
    }
}

const PICTURE: &str = "a picture cannot be read, copy the match or the XGID as text";
const COPY: &str = "copy the match or the XGID out of it as text";
const SAVE_TEXT: &str = "save it as plain text (.txt)";
const UNPACK: &str = "unpack it first";
const NOTHING: &str =
    "expected a match (.mat, .sgf, .xg, .bgf, .ogxm, .txt, .log) or a position such as an XGID";
const NETS: &str = "gammond evaluates with it by --nets FILE";

/// Test of the first bytes, name, advice; the first that holds counts.
type Row = (fn(&[u8]) -> bool, &'static str, &'static str);

const KINDS: &[Row] = &[
    // Backgammon.
    (
        is_tmg,
        "a TrueMoneyGames match (.tmg)",
        "gnubg converts it (import tmg, export match mat)",
    ),
    (
        is_benchmark,
        "a benchmark file (.bm)",
        "gammond bench scores players on it",
    ),
    (
        is_saved_list,
        "a list of saved matches on FIBS",
        "the command oldmoves of FIBS shows the moves of a match",
    ),
    (
        |head| head.starts_with(b"\x69\x30\xec\x43"),
        "a weight file of gnubg (.wd)",
        NETS,
    ),
    (
        |head| head.starts_with(b"GNU Backgammon "),
        "a weight file of gnubg",
        NETS,
    ),
    (
        |head| head.starts_with(b"gnubg-"),
        "a bearoff database of gnubg (.bd)",
        "gammond looks endings up in its folder by --bearoff FOLDER",
    ),
    (
        |head| head.starts_with(b"GAMMNET\n"),
        "a net of gammond (.net)",
        NETS,
    ),
    (|head| at(head, 8, b"{\""), "a net (.safetensors)", NETS),
    (
        |head| is_markup(head, b"<?xml") && has(head, b"<met"),
        "a match equity table (.xml)",
        "gammond uses it by --met FILE",
    ),
    (
        |head| text(head).starts_with(b"{\"type\":\""),
        "an answer of gammond (JSON)",
        "give the match or the position itself",
    ),
    // Pictures.
    (
        |head| head.starts_with(b"\xff\xd8\xff"),
        "a JPEG picture",
        PICTURE,
    ),
    (
        |head| head.starts_with(b"\x89PNG\r\n"),
        "a PNG picture",
        PICTURE,
    ),
    (|head| head.starts_with(b"GIF8"), "a GIF picture", PICTURE),
    (
        |head| head.starts_with(b"RIFF") && at(head, 8, b"WEBP"),
        "a WebP picture",
        PICTURE,
    ),
    (
        |head| head.starts_with(b"II*\0") || head.starts_with(b"MM\0*"),
        "a TIFF picture",
        PICTURE,
    ),
    (
        |head| head.starts_with(b"BM") && at(head, 6, &[0; 4]),
        "a BMP picture",
        PICTURE,
    ),
    (
        |head| at(head, 4, b"ftyphei") || at(head, 4, b"ftypmif1"),
        "a HEIC picture",
        PICTURE,
    ),
    (
        |head| is_markup(head, b"<svg") || is_markup(head, b"<?xml") && has(head, b"<svg"),
        "an SVG picture",
        PICTURE,
    ),
    // Documents.
    (|head| head.starts_with(b"%PDF-"), "a PDF document", COPY),
    (
        |head| head.starts_with(b"%!PS"),
        "a PostScript document",
        COPY,
    ),
    (
        |head| is_zip(head) && has(head, b"word/"),
        "a Word document (.docx)",
        SAVE_TEXT,
    ),
    (
        |head| is_zip(head) && has(head, b"xl/"),
        "an Excel workbook (.xlsx)",
        SAVE_TEXT,
    ),
    (
        |head| is_zip(head) && has(head, b"opendocument"),
        "a LibreOffice document",
        SAVE_TEXT,
    ),
    (
        |head| head.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "an old Word or Excel file (.doc, .xls)",
        SAVE_TEXT,
    ),
    (
        |head| head.starts_with(b"{\\rtf"),
        "an RTF document",
        SAVE_TEXT,
    ),
    (
        is_html,
        "an HTML page",
        "save the match itself, not the page that shows it",
    ),
    (|head| is_markup(head, b"<?xml"), "an XML document", NOTHING),
    (
        is_mail,
        "an e-mail",
        "save its attachment, or the match in it, as a file of its own",
    ),
    // Archives and databases.
    (
        |head| is_zip(head) && has(head, b"data.pkl"),
        "a PyTorch file (.pt)",
        NETS,
    ),
    (is_zip, "a ZIP archive", UNPACK),
    (|head| head.starts_with(b"\x1f\x8b"), "a gzip file", UNPACK),
    (|head| head.starts_with(b"BZh"), "a bzip2 file", UNPACK),
    (|head| head.starts_with(b"\xfd7zXZ\0"), "an xz file", UNPACK),
    (
        |head| head.starts_with(b"\x28\xb5\x2f\xfd"),
        "a zstd file",
        UNPACK,
    ),
    (
        |head| head.starts_with(b"7z\xbc\xaf\x27\x1c"),
        "a 7z archive",
        UNPACK,
    ),
    (
        |head| head.starts_with(b"Rar!\x1a\x07"),
        "a RAR archive",
        UNPACK,
    ),
    (|head| at(head, 257, b"ustar"), "a tar archive", UNPACK),
    (
        |head| head.starts_with(b"SQLite format 3\0"),
        "an SQLite database",
        "gammond players --db FILE lists an archive of matches",
    ),
    // Others.
    (
        |head| at(head, 4, b"ftyp") || head.starts_with(b"\x1a\x45\xdf\xa3"),
        "a video",
        NOTHING,
    ),
    (
        |head| head.starts_with(b"ID3") || head.starts_with(b"OggS") || head.starts_with(b"RIFF"),
        "a sound",
        NOTHING,
    ),
    (
        |head| head.starts_with(b"\x7fELF") || head.starts_with(b"MZ"),
        "a program",
        NOTHING,
    ),
    (|head| head.starts_with(b"#!/"), "a script", NOTHING),
    (is_json, "JSON", NOTHING),
    (
        |head| head.trim_ascii().is_empty(),
        "an empty file",
        NOTHING,
    ),
];

fn text(head: &[u8]) -> &[u8] {
    head.trim_ascii_start()
}

/// Returns true if these bytes stand at this place.
fn at(head: &[u8], place: usize, bytes: &[u8]) -> bool {
    head.get(place..)
        .is_some_and(|rest| rest.starts_with(bytes))
}

fn has(head: &[u8], bytes: &[u8]) -> bool {
    head.windows(bytes.len()).any(|window| window == bytes)
}

/// Returns true if the text begins with this tag, in any case.
fn is_markup(head: &[u8], tag: &[u8]) -> bool {
    let start = text(head).get(..tag.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(tag))
}

/// Returns true for `MatchId: 12345`, then lines such as `Player1: Ann`.
fn is_tmg(head: &[u8]) -> bool {
    text(head).starts_with(b"MatchId:") && has(head, b"Player1:")
}

/// Records of plays and cubes, or the line of settings before them.
fn is_benchmark(head: &[u8]) -> bool {
    let record = |line: &[u8]| {
        let key = line.get(2..22).unwrap_or_default();
        matches!(line.get(..2), Some(b"m " | b"o " | b"r " | b"d "))
            && key.iter().all(|letter| (b'A'..=b'P').contains(letter))
            && key.len() == 20
    };
    let lines = text(head).split(|&byte| byte == b'\n');
    let mut lines = lines.filter(|line| !line.starts_with(b"#"));
    lines
        .next()
        .is_some_and(|line| line.starts_with(b"s version ") || record(line))
}

/// Returns true for the head of the list that `show saved` prints.
fn is_saved_list(head: &[u8]) -> bool {
    let line = text(head)
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    line.starts_with(b"opponent") && has(line, b"matchlength")
}

fn is_zip(head: &[u8]) -> bool {
    head.starts_with(b"PK\x03\x04")
}

fn is_html(head: &[u8]) -> bool {
    is_markup(head, b"<!doctype html")
        || is_markup(head, b"<html")
        || has(head, b"<html")
        || has(head, b"<HTML")
}

fn is_mail(head: &[u8]) -> bool {
    let begins: [&[u8]; 5] = [
        b"Return-Path:",
        b"Received:",
        b"Delivered-To:",
        b"MIME-Version:",
        b"From: ",
    ];
    begins.iter().any(|begin| head.starts_with(begin))
}

fn is_json(head: &[u8]) -> bool {
    let text = text(head);
    let inside = text.strip_prefix(b"{").or_else(|| text.strip_prefix(b"["));
    inside.is_some_and(|inside| {
        let next = inside.trim_ascii_start();
        next.is_empty()
            || matches!(
                next.first(),
                Some(b'"' | b'{' | b'[' | b'}' | b']' | b'0'..=b'9')
            )
    })
}
