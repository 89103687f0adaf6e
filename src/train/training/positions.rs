//! Files of positions: one a line, any position text, or lines of a training file.

use gammond_base::checksum::sha256;
use gammond_game::Position;
use gammond_game::notation::{LINE_BYTES_MAX, NotationError, parse_position_line};
use std::io::{self, BufRead, Read as _};

/// Positions, and the other lines with the reasons.
pub type Positions = (Vec<Position>, Vec<(u64, NotationError)>);

/// Reads positions to the end.
///
/// # Errors
/// When `input` cannot be read.
pub fn read(input: &mut impl BufRead) -> io::Result<Positions> {
    let (mut positions, mut wrong) = (Vec::new(), Vec::new());
    for number in 1.. {
        let mut line = Vec::new();
        let mut bounded = input.by_ref().take(LINE_BYTES_MAX as u64 + 1);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() > LINE_BYTES_MAX {
            // The rest is part of this line, not another one.
            let text = format!("line {number} is longer than {LINE_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        match parse_position_line(&line) {
            Ok(found) => positions.extend(found),
            Err(reason) => wrong.push((number, reason)),
        }
    }
    Ok((positions, wrong))
}

/// Returns the number of positions and their checksum.
#[must_use]
pub fn checksum(positions: &[Position]) -> String {
    let mut bytes = Vec::with_capacity(32 * positions.len());
    for position in positions {
        bytes.extend(position.me().packed().to_le_bytes());
        bytes.extend(position.opponent().packed().to_le_bytes());
    }
    format!("{}, sha256 {}", positions.len(), sha256(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a line over the limit is no line of its own.
    #[test]
    fn a_line_over_the_limit_is_refused_as_a_whole() {
        let position = "4HPwATDgc/ABMA\n";
        let long = format!("{position}{}{position}", "#".repeat(LINE_BYTES_MAX));
        let error = read(&mut long.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line 2 is longer than"), "{error}");
        let fits = format!("{position}{}\n{position}", "#".repeat(LINE_BYTES_MAX - 1));
        assert_eq!(read(&mut fits.as_bytes()).unwrap().0.len(), 2);
    }
}
