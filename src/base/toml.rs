//! Errors in TOML files, in one line for people.

use crate::closest::closest;
use serde::de::DeserializeOwned;

/// An error in a TOML file with its line, and for an unknown key the key that may have been meant.
#[derive(Debug, thiserror::Error)]
#[error("{said}")]
pub struct TomlFault {
    said: String,
    source: Box<toml::de::Error>,
}

/// Parses a TOML text.
///
/// # Errors
/// [`TomlFault`].
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, TomlFault> {
    toml::from_str(text).map_err(|error| TomlFault {
        said: said(text, &error),
        source: Box::new(error),
    })
}

fn said(text: &str, error: &toml::de::Error) -> String {
    let mut said = error.message().replace('\n', " ");
    if let Some((key, known)) = said
        .strip_prefix("unknown field `")
        .and_then(|rest| rest.split_once('`'))
    {
        let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        said = match closest(key, known.iter().copied()) {
            Some(name) => format!("'{key}' is not known; did you mean {name}?"),
            None => format!("'{key}' is not known; known are {}", known.join(", ")),
        };
    }
    match error.span() {
        Some(span) if !text.is_empty() => {
            let before = text.bytes().take(span.start);
            let line = before.filter(|&byte| byte == b'\n').count() + 1;
            format!("{said} (line {line})")
        }
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Keys {
        #[serde(rename = "length_max")]
        _length_max: u32,
    }

    #[test]
    fn faults_have_their_line_and_a_way_out() {
        let fault = |text: &str| parse_toml::<Keys>(text).unwrap_err().to_string();
        assert_eq!(
            fault("# mine\nlenght_max = 7\n"),
            "'lenght_max' is not known; did you mean length_max? (line 2)"
        );
        assert_eq!(
            fault("seed = 7\n"),
            "'seed' is not known; known are length_max (line 1)"
        );
        assert_eq!(fault(""), "missing field `length_max`");
    }
}
