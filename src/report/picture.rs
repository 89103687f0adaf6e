//! PNG pictures of this program's SVG drawings.

use resvg::{tiny_skia, usvg};

/// Pixels of a PNG for each unit of a drawing, if no width is requested.
const SHARP: f32 = 2.0;
/// Maximum width of a PNG in pixels.
pub const PNG_WIDTH_MAX: u32 = 4096;

/// An error of a picture: it is too large for memory, or its drawing is invalid.
#[derive(Debug, thiserror::Error)]
#[error("the picture: {0}")]
pub struct PictureError(String);

/// Renders an SVG drawing as a PNG of the given width in pixels. This program's own drawings are always valid. Their texts are
/// outlines, because there may be no font.
///
/// # Errors
/// [`PictureError`].
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes an integer within its range"
)]
pub fn png(text: &str, width: Option<u32>) -> Result<Vec<u8>, PictureError> {
    let wrong = |error: &dyn std::fmt::Display| PictureError(error.to_string());
    let tree = usvg::Tree::from_str(text, &usvg::Options::default()).map_err(|e| wrong(&e))?;
    let size = tree.size();
    let most = PNG_WIDTH_MAX as f32 / size.width().max(size.height());
    let scale = width.map_or(SHARP.min(most), |width| width as f32 / size.width());
    let [wide, high] = [size.width(), size.height()].map(|side| (side * scale).round() as u32);
    let mut points =
        tiny_skia::Pixmap::new(wide, high).ok_or_else(|| wrong(&"too large a picture"))?;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut points.as_mut());
    points.encode_png().map_err(|error| wrong(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{DrawingStyle, Theme, answer_svg};
    use gammond_engine::engine::Engine;
    use gammond_engine::query::{EvalQuery, Language, Question, Settings, Stop};
    use gammond_game::{MatchState, Position};

    /// A table becomes points: a page of its colour, bars, and letters where a drawing without its texts has none.
    #[test]
    fn png_of_a_table_has_letters() {
        let engine = Engine::builder().threads(1).build().unwrap();
        let question = Question::Rolls(EvalQuery {
            position: Position::start(),
            state: MatchState::default(),
        });
        let settings = Settings {
            plies: 0,
            ..Settings::default()
        };
        let found = engine.answer(&question, &settings, &Stop::never()).unwrap();
        let inked = |style| {
            let svg = answer_svg(&found, Language::English, style).unwrap();
            let image = tiny_skia::Pixmap::decode_png(&png(&svg, Some(600)).unwrap()).unwrap();
            assert_eq!(image.width(), 600);
            let page = image.pixel(0, 0).unwrap();
            let others = image.pixels().iter().filter(|point| **point != page);
            (page.red(), others.count())
        };
        let (page, with_letters) = inked(DrawingStyle::Outlines(Theme::DARK));
        let (_, without) = inked(DrawingStyle::File(Some(Theme::DARK)));
        assert_eq!(page, 0x1b);
        assert!(with_letters > without + 5_000, "{with_letters} {without}");
    }
}
