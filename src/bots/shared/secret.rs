//! Passwords of bots.

use std::fmt;

/// A password that cannot be part of a login line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the password is empty or has blanks or control characters")]
pub struct SecretError;

/// A password. Neither `Debug` nor `Display` shows it (FIBS-30).
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Creates a password from the contents of a file or variable; line ends are cut off.
    ///
    /// # Errors
    /// If it is empty, or has blanks or control characters, which the login line cannot hold.
    pub fn new(text: &str) -> Result<Secret, SecretError> {
        let text = text.trim_end_matches(['\r', '\n']);
        let bad = |c: char| c.is_whitespace() || c.is_control();
        if text.is_empty() || text.contains(bad) {
            return Err(SecretError);
        }
        Ok(Secret(text.to_owned()))
    }

    /// Returns the password, for the login line alone.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
