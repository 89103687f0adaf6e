//! Pictures and reports in files: SVG, points, HTML.

use crate::Failure;
use gammond_base::journal::{check_writable, write_whole, write_whole_by};
use gammond_base::packed::PackedText;
use gammond_report::picture;
pub(crate) use gammond_report::picture::PNG_WIDTH_MAX;
use gammond_report::render::in_lines;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// A kind of file that may take the place of another one of its kind, and of nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Picture {
    /// A picture.
    Svg,
    /// A picture in points.
    Png,
    /// A report for a browser.
    Html,
}

impl Picture {
    const fn beginning(self) -> (&'static [u8], &'static str) {
        match self {
            Picture::Svg => (b"<svg", "SVG picture"),
            Picture::Png => (b"\x89PNG", "PNG picture"),
            Picture::Html => (b"<!DOCTYPE html>", "report"),
        }
    }

    /// Returns the format that a file's name implies: PNG if it ends with `.png`, else SVG.
    pub(crate) fn named(path: &Path) -> Picture {
        let ending = path.extension().unwrap_or_default();
        match ending.eq_ignore_ascii_case("png") {
            true => Picture::Png,
            false => Picture::Svg,
        }
    }

    /// Checks, before the work, that such a file may be written there.
    ///
    /// # Errors
    /// When it cannot be, or something else is there: a match, a net.
    pub(crate) fn check(self, path: &Path) -> Result<(), Failure> {
        let (beginning, name) = self.beginning();
        let kinds = [
            ("svg", Picture::Svg),
            ("png", Picture::Png),
            ("html", Picture::Html),
        ];
        let ending = path.extension().unwrap_or_default();
        let named = kinds
            .iter()
            .find(|(one, _)| ending.eq_ignore_ascii_case(one));
        if named.is_some_and(|(_, kind)| kind.beginning() != self.beginning()) {
            return Err(Failure::usage(format!(
                "{}: the file would be a {name}, but its name ends otherwise",
                path.display()
            )));
        }
        check_writable(path).map_err(Failure::in_file(path))?;
        let mut start = Vec::new();
        if path.is_file() {
            let file = gammond_base::files::open(path).map_err(Failure::in_file(path))?;
            let most = beginning.len() as u64;
            file.take(most)
                .read_to_end(&mut start)
                .map_err(Failure::in_file(path))?;
        }
        if start.is_empty() || start == beginning {
            return Ok(());
        }
        Err(Failure::in_file(path)(format!(
            "is no {name}; left unchanged"
        )))
    }

    /// Writes it.
    ///
    /// # Errors
    /// As [`Picture::check`].
    pub(crate) fn write(self, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.check(path)?;
        write_whole(path, bytes).map_err(Failure::unwritten(path))
    }

    /// Writes a long text, piece by piece.
    ///
    /// # Errors
    /// As [`Picture::check`].
    pub(crate) fn write_text(self, path: &Path, text: PackedText) -> Result<(), Failure> {
        self.check(path)?;
        let written = write_whole_by(path, |file| {
            text.into_chunks()
                .try_for_each(|chunk| file.write_all(&chunk))
        });
        written.map_err(Failure::unwritten(path))
    }
}

/// Writes a drawing to a file, SVG or PNG by its name: curves, bars, tables, weights.
///
/// # Errors
/// As [`Picture::check`].
pub(crate) fn write_drawing(path: &Path, svg: &str) -> Result<(), Failure> {
    let kind = Picture::named(path);
    match kind {
        Picture::Png => kind.write(path, &png(&in_lines(svg), None)?),
        Picture::Svg | Picture::Html => kind.write(path, svg.as_bytes()),
    }
}

/// Returns a picture in points, so many wide.
///
/// # Errors
/// When there is no room for it.
pub(crate) fn png(text: &str, width: Option<u32>) -> Result<Vec<u8>, Failure> {
    picture::png(text, width).map_err(|error| Failure::work(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use resvg::tiny_skia;

    #[test]
    fn pictures_take_the_place_of_pictures_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        Picture::Svg.write(&path, b"<svg>1</svg>").unwrap();
        Picture::Svg.write(&path, b"<svg>2</svg>").unwrap();
        assert!(Picture::Html.write(&path, b"<!DOCTYPE html>").is_err());
        assert!(Picture::Png.check(&path).is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"<svg>2</svg>");
        std::fs::write(&path, b"").unwrap();
        Picture::Png.write(&path, b"\x89PNG...").unwrap();
        assert!(Picture::Svg.check(&folder.path().join("no/x")).is_err());
    }

    #[test]
    fn drawing_format_follows_the_file_name() {
        let folder = tempfile::tempdir().unwrap();
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 30 20\" font-size=\"10\"><text x=\"1\" y=\"12\">Hi</text></svg>";
        let [points, lines] = ["a.PNG", "a.svg"].map(|name| folder.path().join(name));
        write_drawing(&points, svg).unwrap();
        write_drawing(&lines, svg).unwrap();
        assert_eq!(std::fs::read_to_string(&lines).unwrap(), svg);
        let image = tiny_skia::Pixmap::decode_png(&std::fs::read(&points).unwrap()).unwrap();
        assert_eq!((image.width(), image.height()), (60, 40));
        let inked = image
            .pixels()
            .iter()
            .filter(|pixel| pixel.alpha() > 128)
            .count();
        assert!((20..400).contains(&inked), "{inked}");
        // A net or a match is left as it is.
        std::fs::write(&points, "my match").unwrap();
        assert!(write_drawing(&points, svg).is_err());
        assert_eq!(std::fs::read_to_string(&points).unwrap(), "my match");
    }
}
