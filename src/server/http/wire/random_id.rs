//! Ids that cannot be guessed.

use crate::http::wire::problem::Problem;
use gammond_protocol::ErrorCode;

/// Letters of an id: base 32 of RFC 4648 in small letters.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Length of an id: 130 random bits.
const ID_LETTERS: usize = 26;

/// Returns a new id of 130 random bits.
///
/// # Errors
/// The system has no random numbers.
pub(in crate::http) fn random_id() -> Result<String, Problem> {
    let mut random = [0_u8; ID_LETTERS];
    if getrandom::getrandom(&mut random).is_err() {
        return Err(Problem::new(
            ErrorCode::Internal,
            "the system has no random numbers",
        ));
    }
    let letter = |byte: u8| LETTERS.get(usize::from(byte % 32)).copied().unwrap_or(b'a');
    Ok(random.map(letter).map(char::from).iter().collect())
}
