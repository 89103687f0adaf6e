//! Pictures in points, made of drawings of ours.

use resvg::{tiny_skia, usvg};

/// Points of a PNG for each unit of a drawing, where no width is asked for.
const SHARP: f32 = 2.0;
/// The widest PNG, in points.
pub const PNG_WIDTH_MAX: u32 = 4096;

/// There is no room for a picture, or its drawing is none.
#[derive(Debug, thiserror::Error)]
#[error("the picture: {0}")]
pub struct PictureError(String);

/// Paints a drawing, so many points wide. Our own text is always a drawing. Its texts are lines: there may be no font.
///
/// # Errors
/// [`PictureError`].
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
