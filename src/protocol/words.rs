//! Words of a line and the blanks between them.

use crate::ErrorCode;
use crate::request_error::RequestError;

pub(super) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// word = 1*( any byte but a blank ). Returns the input behind it, and the word.
pub(super) fn split_word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| is_blank(byte));
    let (word, rest) = text.split_at(end.unwrap_or(text.len()));
    (rest, word)
}

/// Returns the input behind its blanks.
pub(super) fn blanks(input: &[u8]) -> &[u8] {
    let count = input.iter().take_while(|&&byte| is_blank(byte)).count();
    input.get(count..).unwrap_or_default()
}

/// Returns the input behind the first word and its blanks, and the word, if there is one.
pub(super) fn word(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (rest, word) = split_word(input);
    (!word.is_empty()).then(|| (blanks(rest), word))
}

/// Returns the error of a word that stands where something else is expected.
pub(super) fn unexpected(rest: &[u8], want: &str) -> RequestError {
    let (_, word) = split_word(rest);
    let shown: String = String::from_utf8_lossy(word).chars().take(24).collect();
    let message = format!("request is followed by '{shown}', expected {want}");
    RequestError::new(ErrorCode::BadRequest, "request", message)
}
