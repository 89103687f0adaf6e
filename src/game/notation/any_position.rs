//! Reading a position from a text that may be anything else, such as a match.

use super::copied_text::copied_positions;
use super::foreign::ForeignKind;
use super::match_file::is_match_file;
use super::match_file::snowie::SnowiePosition;
use super::position_text::{ParsedPosition, read_position};
use super::{Code, NotationError, Reason};

/// Reads a position in any form: Position ID, `Position ID:Match ID`, 20-letter key, XGID, OGID or
/// FIBS board line. Blanks around it are passed over.
///
/// # Errors
/// [`NotationError`] whose code names the form that was recognised; `bad-position` if none was.
pub fn parse_position(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    read_position(text).map_err(|error| {
        // Other codes name a form that was recognised.
        let is_none = error.kind() == Code::BadPosition && copied_positions(text).is_empty();
        let foreign = is_none.then(|| foreign(text));
        foreign.flatten().unwrap_or(error)
    })
}

/// Returns the error for a text that is no position, if its kind is a known foreign one.
fn foreign(text: &[u8]) -> Option<NotationError> {
    let trimmed = text.trim_ascii();
    if trimmed.is_empty() || SnowiePosition::length(trimmed).is_some() {
        return None;
    }
    let kind = ForeignKind::of(text).or_else(|| {
        let advice = "gammond analyse reads its file";
        is_match_file(text).then_some(ForeignKind::new("a match, not a position", advice))
    });
    kind.map(|kind| NotationError::new(Code::BadPosition, "position", Reason::Foreign(kind), 0))
}
