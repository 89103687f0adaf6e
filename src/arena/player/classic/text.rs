//! Text files of classic nets: a net that is read and written again has the same bytes.
//!
//! ```text
//! gammond classic net 1
//! representation td-gammon-196
//! layers 196 20 1
//! made {"job":"td", ...}
//! 0.01 -0.3 ...
//! sha256 ...
//! ```
//!
//! A line of numbers is a neuron: its bias, then a weight for each of its inputs, layer after layer, outputs last. The
//! last line is the checksum of all lines above it. The line `made` is left out if the origin of the net is unknown.

use super::{ClassicNet, ClassicShape, Representation};
use gammond_base::checksum::sha256;
use gammond_base::files;
use std::fmt::Write as _;
use std::path::Path;

const FIRST: &str = "gammond classic net 1";
const MADE: &str = "made ";
const SUM: &str = "sha256 ";

/// A net and the notes of its file.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicFile {
    /// The net.
    pub net: ClassicNet,
    /// The header of the work that made it.
    pub made: Option<String>,
}

/// Reasons why a text is not a classic net.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClassicFault {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The file is no such net.
    #[error("line 1: is not a classic net of gammond's: expected '{FIRST}'")]
    Foreign,
    /// A line is not as it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// Description of the fault.
        reason: String,
    },
}

fn wrong<T>(line: usize, reason: impl Into<String>) -> Result<T, ClassicFault> {
    let reason = reason.into();
    Err(ClassicFault::Line { line, reason })
}

impl ClassicFile {
    /// Most bytes of a net file: the largest shape needs a third of it.
    pub(super) const BYTES_MAX: u64 = 32 << 20;

    /// Returns a net without a note on how it was made.
    #[must_use]
    pub const fn of(net: ClassicNet) -> ClassicFile {
        ClassicFile { net, made: None }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ClassicFault`].
    pub fn load(path: &Path) -> Result<ClassicFile, ClassicFault> {
        ClassicFile::parse(&files::read_text(path, ClassicFile::BYTES_MAX)?)
    }

    /// Returns the text of what begins like such a file.
    #[must_use]
    pub fn text_in(bytes: &[u8]) -> Option<&str> {
        let text = std::str::from_utf8(bytes).ok()?;
        text.starts_with(FIRST).then_some(text)
    }

    /// Returns the text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        let shape = self.net.shape();
        let mut text = format!(
            "{FIRST}\nrepresentation {}\nlayers",
            shape.representation().name()
        );
        // Writing to a string cannot fail.
        for size in shape.layers() {
            let _ = write!(text, " {size}");
        }
        text.push('\n');
        if let Some(made) = &self.made {
            let _ = writeln!(text, "{MADE}{made}");
        }
        let mut rest = self.net.parameters();
        for (from, to) in shape.pairs() {
            let (biases, others) = rest.split_at(to);
            let (weights, others) = others.split_at(from * to);
            rest = others;
            for (neuron, bias) in biases.iter().enumerate() {
                let _ = write!(text, "{bias}");
                for row in weights.chunks_exact(to) {
                    let _ = write!(text, " {}", row[neuron]);
                }
                text.push('\n');
            }
        }
        let sum = sha256(text.as_bytes());
        text + SUM + &sum + "\n"
    }

    /// Reads a text.
    ///
    /// # Errors
    /// [`ClassicFault`], with the line.
    pub fn parse(text: &str) -> Result<ClassicFile, ClassicFault> {
        let mut lines = (1..).zip(text.lines()).peekable();
        if lines.next().is_none_or(|(_, first)| first != FIRST) {
            return Err(ClassicFault::Foreign);
        }
        let word = |line: Option<(usize, &'_ str)>, at: usize, name: &str| {
            let found = line.and_then(|(_, line)| line.strip_prefix(name));
            match found {
                Some(rest) => Ok(rest.to_owned()),
                None => wrong(at, format!("expected '{name}...'")),
            }
        };
        let name = word(lines.next(), 2, "representation ")?;
        let Some(representation) = Representation::named(&name) else {
            let known = Representation::ALL.map(Representation::name).join(", ");
            return wrong(
                2,
                format!("representation '{name}': expected one of {known}"),
            );
        };
        let sizes = word(lines.next(), 3, "layers ")?;
        let shape = shape(representation, &sizes).or_else(|reason| wrong(3, reason))?;
        let made = lines.next_if(|(_, line)| line.starts_with(MADE));
        let made = made.and_then(|(_, line)| Some(line.strip_prefix(MADE)?.to_owned()));
        let mut parameters = Vec::with_capacity(shape.weights() + shape.biases());
        for (from, to) in shape.pairs() {
            let start = parameters.len();
            parameters.resize(start + to * (from + 1), 0.0);
            for neuron in 0..to {
                let Some((line, numbers)) = lines.next() else {
                    let end = text.lines().count();
                    return wrong(end, "the file ends before its last weight");
                };
                let own = &mut parameters[start..];
                let mut count = 0;
                for number in numbers.split(' ') {
                    let number = match number.parse::<f32>() {
                        Ok(number) if number.is_finite() => number,
                        _ => return wrong(line, format!("'{}' is no weight", cut(number))),
                    };
                    if count <= from {
                        own[count * to + neuron] = number;
                    }
                    count += 1;
                }
                if count != from + 1 {
                    let want = from + 1;
                    return wrong(
                        line,
                        format!("{count} numbers, expected a bias and {from} weights: {want}"),
                    );
                }
            }
        }
        let at = lines.peek().map_or(text.lines().count(), |(line, _)| *line);
        let told = word(lines.next(), at, SUM)?;
        let above = text.rfind(SUM).and_then(|end| text.get(..end));
        if above.is_none_or(|above| sha256(above.as_bytes()) != told) {
            return wrong(at, "the checksum is not that of the lines above it");
        }
        if lines.next().is_some() {
            return wrong(at + 1, "the file continues after its checksum");
        }
        match ClassicNet::new(shape, parameters) {
            Some(net) => Ok(ClassicFile { net, made }),
            None => wrong(at, "the weights do not fit"),
        }
    }
}

/// Returns the beginning of a word of the file.
fn cut(word: &str) -> String {
    word.chars()
        .take(20)
        .filter(|one| !one.is_control())
        .collect()
}

fn shape(representation: Representation, sizes: &str) -> Result<ClassicShape, String> {
    let sizes: Option<Vec<usize>> = sizes.split(' ').map(|size| size.parse().ok()).collect();
    let sizes = sizes.ok_or("expected sizes of layers, such as 'layers 196 20 1'")?;
    let [inputs, hidden @ .., outputs] = &sizes[..] else {
        return Err("expected sizes of layers, such as 'layers 196 20 1'".to_owned());
    };
    let want = representation.inputs();
    if *inputs != want {
        let name = representation.name();
        return Err(format!("{inputs} inputs, {name} has {want}"));
    }
    ClassicShape::new(representation, hidden, *outputs).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::rng::stream;

    fn file() -> ClassicFile {
        let shape = ClassicShape::new(Representation::Quack, &[3, 2], 4).unwrap();
        let mut net = ClassicNet::random(shape, 0.3, &mut stream(1, 2));
        net.parameters_mut()[5] = -1.0e-30;
        net.parameters_mut()[6] = -0.0;
        ClassicFile {
            net,
            made: Some("{\"job\":\"test\"}".to_owned()),
        }
    }

    #[test]
    fn files_come_back_byte_for_byte() {
        for made in [file(), ClassicFile::of(file().net)] {
            let text = made.text();
            let read = ClassicFile::parse(&text).unwrap();
            assert_eq!(read, made);
            assert_eq!(read.text(), text);
        }
    }

    #[test]
    fn faults_have_their_line() {
        let text = file().text();
        let edited = |from: &str, to: &str| text.replacen(from, to, 1);
        let line = |number: usize| text.lines().nth(number - 1).unwrap().to_owned();
        for (damaged, said) in [
            (String::new(), "line 1: is not a classic net"),
            ("m ABC\n".to_owned(), "line 1: is not a classic net"),
            (
                edited("quack", "duck"),
                "line 2: representation 'duck': expected one of quack",
            ),
            (edited("26 3", "25 3"), "line 3: 25 inputs, quack has 26"),
            (edited("3 2 4", "3 2 7"), "line 3: 7 outputs"),
            (edited("3 2 4", "3 2 1 4"), "line 3: 3 hidden layers"),
            (edited("layers", "sizes"), "line 3: expected 'layers ...'"),
            (
                edited(&line(5), "1 2"),
                "line 5: 2 numbers, expected a bias and 26",
            ),
            (edited(&line(6), "x"), "line 6: 'x' is no weight"),
            (edited(&line(6), "NaN"), "line 6: 'NaN' is no weight"),
            (edited(&line(5), &line(6)), "the checksum is not"),
            (
                text.lines().take(8).collect::<Vec<_>>().join("\n"),
                "line 8: the file ends",
            ),
            (
                text.lines().take(13).collect::<Vec<_>>().join("\n"),
                "expected 'sha256 ...'",
            ),
            (text.clone() + "more\n", "continues after its checksum"),
        ] {
            let fault = ClassicFile::parse(&damaged).unwrap_err().to_string();
            assert!(fault.contains(said), "{said}: {fault}");
            assert!(!fault.contains('\n') && fault.len() < 300, "{fault}");
        }
    }
}
