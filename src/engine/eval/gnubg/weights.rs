//! GNU Backgammon's weight files: the text `gnubg.weights` and the binary `gnubg.wd`.
//!
//! Reads both orders of nets and both versions (rules in `protocol-specs/gnubg-weights.md`). A damaged file is
//! refused with the place and the reason; memory is bounded by the length of the file. The numbers' meaning is not
//! checked.

use crate::nn::DenseNet;

/// Most hidden units a net may have; the real ones have 128, 16 and 8.
const HIDDEN_MAX: usize = 1024;
/// Largest weight taken for sane; real ones stay below 1000.
const WEIGHT_MAX: f32 = 1.0e6;
const MAGIC: f32 = 472.3782;
const TITLE: &str = "GNU Backgammon";

/// Definition of the inputs that the weights were trained with (GW-03).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 1.00, in Debian's package.
    V1_00,
    /// 1.01, since January 2024.
    V1_01,
}

impl Version {
    /// Returns `1.00` or `1.01`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Version::V1_00 => "1.00",
            Version::V1_01 => "1.01",
        }
    }
}

/// The six nets of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsFile {
    /// The version in the file's first line or header.
    pub version: Version,
    /// Contact positions, 250 inputs.
    pub contact: DenseNet,
    /// Races, 214 inputs.
    pub race: DenseNet,
    /// Crashed positions, 250 inputs.
    pub crashed: DenseNet,
    /// Pruning net of contact positions, 200 inputs.
    pub prune_contact: DenseNet,
    /// Pruning net of crashed positions, 200 inputs.
    pub prune_crashed: DenseNet,
    /// Pruning net of races, 200 inputs.
    pub prune_race: DenseNet,
}

/// An error in a weight file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// The file could not be read.
    #[error("cannot read the weights: {0}")]
    Io(#[from] std::io::Error),
    /// Neither the binary magic number nor the text title.
    #[error("neither a gnubg.wd (magic number) nor a gnubg.weights (title) at byte 0")]
    Unknown,
    /// A binary file is damaged.
    #[error("binary weights, byte {at}: {reason}")]
    Binary {
        /// Offset of the damage.
        at: usize,
        /// Description of the damage.
        reason: String,
    },
    /// A text file is damaged.
    #[error("text weights, line {line}: {reason}")]
    Text {
        /// Line of the damage, from 1.
        line: usize,
        /// Description of the damage.
        reason: String,
    },
}

/// The six nets in the order of both distributed files (GW-01): name and number of inputs.
const NETS: [(&str, usize); 6] = [
    ("contact", 250),
    ("race", 214),
    ("crashed", 250),
    ("prune contact", 200),
    ("prune crashed", 200),
    ("prune race", 200),
];
const OUTPUTS: usize = 5;

impl WeightsFile {
    /// Understands the bytes of a weight file of either form.
    ///
    /// # Errors
    /// See [`WeightsError`]; never [`WeightsError::Io`].
    pub fn parse(bytes: &[u8]) -> Result<WeightsFile, WeightsError> {
        if bytes.starts_with(&MAGIC.to_le_bytes()) {
            parse_binary(bytes)
        } else if bytes.starts_with(TITLE.as_bytes()) {
            parse_text(bytes)
        } else {
            Err(WeightsError::Unknown)
        }
    }

    fn from_slots(version: Version, slots: [Option<DenseNet>; 6]) -> Result<Self, &'static str> {
        for (slot, (name, _)) in slots.iter().zip(NETS) {
            if slot.is_none() {
                return Err(name);
            }
        }
        match slots {
            [
                Some(contact),
                Some(race),
                Some(crashed),
                Some(prune_contact),
                Some(prune_crashed),
                Some(prune_race),
            ] => Ok(WeightsFile {
                version,
                contact,
                race,
                crashed,
                prune_contact,
                prune_crashed,
                prune_race,
            }),
            _ => Err("some net"),
        }
    }
}

/// Shape and slopes of a net, before its numbers.
#[derive(Debug, Clone, Copy)]
struct Header {
    inputs: usize,
    hidden: usize,
    outputs: usize,
    hidden_slope: f32,
    output_slope: f32,
}

impl Header {
    fn check(&self, slot: usize) -> Result<(), String> {
        let (name, inputs) = NETS[slot];
        if self.inputs != inputs {
            return Err(format!("{name}: {} inputs, expected {inputs}", self.inputs));
        }
        if self.hidden == 0 || self.hidden > HIDDEN_MAX {
            return Err(format!(
                "{name}: {} hidden units, expected 1 to {HIDDEN_MAX}",
                self.hidden
            ));
        }
        if self.outputs != OUTPUTS {
            return Err(format!(
                "{name}: {} outputs, expected {OUTPUTS}",
                self.outputs
            ));
        }
        for slope in [self.hidden_slope, self.output_slope] {
            if !(slope > 0.0 && slope <= 1000.0) {
                return Err(format!("{name}: slope {slope} is not a positive number"));
            }
        }
        Ok(())
    }

    /// Counts of the four groups of numbers, in the file's order (GW-02).
    fn groups(&self) -> [usize; 4] {
        [
            self.inputs * self.hidden,
            self.hidden * self.outputs,
            self.hidden,
            self.outputs,
        ]
    }

    fn net(self, groups: [Vec<f32>; 4]) -> DenseNet {
        let [hidden_weights, output_weights, hidden_biases, output_biases] = groups;
        DenseNet {
            inputs: self.inputs,
            hidden: self.hidden,
            outputs: self.outputs,
            hidden_slope: self.hidden_slope,
            output_slope: self.output_slope,
            hidden_weights,
            output_weights,
            hidden_biases,
            output_biases,
        }
    }
}

fn sane(weight: f32) -> bool {
    weight.abs() <= WEIGHT_MAX
}

// ---- binary: GW-10 ----

struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn fail<T>(&self, reason: impl Into<String>) -> Result<T, WeightsError> {
        Err(WeightsError::Binary {
            at: self.at,
            reason: reason.into(),
        })
    }

    fn word(&mut self, what: &str) -> Result<[u8; 4], WeightsError> {
        let rest = self.all.get(self.at..).unwrap_or_default();
        match rest.first_chunk::<4>() {
            Some(word) => {
                self.at += 4;
                Ok(*word)
            }
            None => self.fail(format!("the file ends inside {what}")),
        }
    }

    fn count(&mut self, what: &str) -> Result<usize, WeightsError> {
        Ok(u32::from_le_bytes(self.word(what)?) as usize)
    }

    fn real(&mut self, what: &str) -> Result<f32, WeightsError> {
        Ok(f32::from_le_bytes(self.word(what)?))
    }

    fn reals(&mut self, count: usize, what: &str) -> Result<Vec<f32>, WeightsError> {
        if self.all.len().saturating_sub(self.at) < 4 * count {
            return self.fail(format!("the file ends inside {what} ({count} numbers)"));
        }
        let mut reals = Vec::with_capacity(count);
        for _ in 0..count {
            let real = self.real(what)?;
            if !sane(real) {
                self.at -= 4;
                return self.fail(format!("{what}: {real} is no sane weight"));
            }
            reals.push(real);
        }
        Ok(reals)
    }
}

const GROUPS: [&str; 4] = [
    "the hidden weights",
    "the output weights",
    "the hidden biases",
    "the output biases",
];

fn parse_binary(all: &[u8]) -> Result<WeightsFile, WeightsError> {
    let mut bytes = Bytes { all, at: 4 };
    let version = match bytes.real("the version")? {
        1.00 => Version::V1_00,
        1.01 => Version::V1_01,
        other => {
            bytes.at = 4;
            return bytes.fail(format!("version {other}, expected 1.00 or 1.01"));
        }
    };
    let mut slots = [const { None }; 6];
    for (slot, place) in slots.iter_mut().enumerate() {
        let start = bytes.at;
        let what = format!("the header of net {}", NETS[slot].0);
        let header = Header {
            inputs: bytes.count(&what)?,
            hidden: bytes.count(&what)?,
            outputs: bytes.count(&what)?,
            hidden_slope: {
                bytes.word(&what)?; // how long it was trained; not used by anybody
                bytes.real(&what)?
            },
            output_slope: bytes.real(&what)?,
        };
        if let Err(reason) = header.check(slot) {
            bytes.at = start;
            return bytes.fail(reason);
        }
        let mut groups = [const { Vec::new() }; 4];
        for ((group, count), what) in groups.iter_mut().zip(header.groups()).zip(GROUPS) {
            *group = bytes.reals(count, what)?;
        }
        *place = Some(header.net(groups));
    }
    if bytes.at != all.len() {
        return bytes.fail(format!("{} bytes too many", all.len() - bytes.at));
    }
    let at = bytes.at;
    WeightsFile::from_slots(version, slots).map_err(|name| WeightsError::Binary {
        at,
        reason: format!("net {name} is missing"),
    })
}

// ---- text: GW-20, GW-22 ----

struct Lines<'a> {
    /// Remaining bytes; `None` after the last line.
    rest: Option<&'a [u8]>,
    /// Number of the line read last, from 1.
    line: usize,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Lines {
            rest: Some(bytes),
            line: 0,
        }
    }

    fn fail<T>(&self, reason: impl Into<String>) -> Result<T, WeightsError> {
        Err(WeightsError::Text {
            line: self.line.max(1),
            reason: reason.into(),
        })
    }

    /// Returns the next line without blanks around it; `None` at the end.
    fn next(&mut self) -> Result<Option<&'a str>, WeightsError> {
        let Some(rest) = self.rest else {
            return Ok(None);
        };
        let mut halves = rest.splitn(2, |&byte| byte == b'\n');
        let line = halves.next().unwrap_or_default();
        self.rest = halves.next();
        self.line += 1;
        if line.len() > 200 {
            return self.fail("longer than 200 bytes");
        }
        match std::str::from_utf8(line) {
            Ok(line) => Ok(Some(line.trim())),
            Err(_) => self.fail("not text"),
        }
    }

    /// Returns the next line that is not empty.
    fn filled(&mut self, what: &str) -> Result<&'a str, WeightsError> {
        loop {
            match self.next()? {
                Some("") => {}
                Some(line) => return Ok(line),
                None => return self.fail(format!("the file ends where {what} should be")),
            }
        }
    }

    fn reals(&mut self, count: usize, what: &str) -> Result<Vec<f32>, WeightsError> {
        // A number needs at least two bytes, so the file's length bounds this.
        let mut reals = Vec::with_capacity(count.min(4096));
        for _ in 0..count {
            let word = self.filled(what)?;
            match word.parse::<f32>() {
                Ok(real) if sane(real) => reals.push(real),
                _ => return self.fail(format!("{what}: {word:?} is out of range")),
            }
        }
        Ok(reals)
    }
}

fn parse_text(bytes: &[u8]) -> Result<WeightsFile, WeightsError> {
    let mut lines = Lines::new(bytes);
    let title = lines.filled("the title")?;
    let version = match title.split_ascii_whitespace().nth(2) {
        Some("1.00") => Version::V1_00,
        Some("1.01") => Version::V1_01,
        _ => return lines.fail(format!("{title:?} has no version 1.00 or 1.01")),
    };
    let mut slots = [const { None }; 6];
    for position in 0..6 {
        let mut line = lines.filled("the next net")?;
        let mut slot = position;
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            slot = match named_slot(line) {
                Some(slot) => slot,
                None => return lines.fail(format!("{line:?} is no net's name")),
            };
            line = lines.filled("the shape of a net")?;
        }
        let header = match parse_header(line) {
            Ok(header) => header,
            Err(reason) => return lines.fail(reason),
        };
        if let Err(reason) = header.check(slot) {
            return lines.fail(reason);
        }
        if slots[slot].is_some() {
            return lines.fail(format!("net {} comes twice", NETS[slot].0));
        }
        let mut groups = [const { Vec::new() }; 4];
        for ((group, count), what) in groups.iter_mut().zip(header.groups()).zip(GROUPS) {
            *group = lines.reals(count, what)?;
        }
        slots[slot] = Some(header.net(groups));
    }
    while let Some(line) = lines.next()? {
        if !line.is_empty() {
            return lines.fail("text after the last net");
        }
    }
    match WeightsFile::from_slots(version, slots) {
        Ok(file) => Ok(file),
        Err(name) => lines.fail(format!("net {name} is missing")),
    }
}

/// Returns the place of a net announced by name (GW-21), as in `contact contact250` or `prune race`.
fn named_slot(line: &str) -> Option<usize> {
    let mut words = line.split_ascii_whitespace();
    let (base, name) = match words.next()? {
        "prune" => (3, words.next()?),
        name => (0, name),
    };
    let place = match name {
        "contact" => 0,
        "race" => 1,
        "crashed" => 2,
        _ => return None,
    };
    // Among the pruning nets crashed comes before race.
    Some(if base == 3 {
        3 + [0, 2, 1][place]
    } else {
        place
    })
}

fn parse_header(line: &str) -> Result<Header, String> {
    let words: Vec<&str> = line.split_ascii_whitespace().take(7).collect();
    let [inputs, hidden, outputs, _, hidden_slope, output_slope] = words[..] else {
        return Err(format!(
            "{} fields in a net's shape, expected 6",
            words.len()
        ));
    };
    let count = |word: &str| {
        word.parse::<u32>()
            .map(|n| n as usize)
            .map_err(|_| format!("{word:?} is no count"))
    };
    let slope = |word: &str| {
        word.parse::<f32>()
            .map_err(|_| format!("{word:?} is no slope"))
    };
    Ok(Header {
        inputs: count(inputs)?,
        hidden: count(hidden)?,
        outputs: count(outputs)?,
        hidden_slope: slope(hidden_slope)?,
        output_slope: slope(output_slope)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small file: all nets with two hidden units and numbers that tell them apart.
    fn small() -> Vec<DenseNet> {
        NETS.iter()
            .enumerate()
            .map(|(slot, &(_, inputs))| {
                let header = Header {
                    inputs,
                    hidden: 2,
                    outputs: OUTPUTS,
                    hidden_slope: 0.1,
                    output_slope: 1.0,
                };
                let mut next = slot as f32;
                let groups = header.groups().map(|count| {
                    (0..count)
                        .map(|_| {
                            next += 0.25;
                            next
                        })
                        .collect()
                });
                header.net(groups)
            })
            .collect()
    }

    fn binary(nets: &[DenseNet], version: f32) -> Vec<u8> {
        let mut bytes = [MAGIC.to_le_bytes(), version.to_le_bytes()].concat();
        for net in nets {
            for n in [net.inputs, net.hidden, net.outputs, 1] {
                bytes.extend((n as u32).to_le_bytes());
            }
            let slopes = [net.hidden_slope, net.output_slope];
            let groups: [&[f32]; 5] = [
                &slopes,
                &net.hidden_weights,
                &net.output_weights,
                &net.hidden_biases,
                &net.output_biases,
            ];
            for real in groups.concat() {
                bytes.extend(real.to_le_bytes());
            }
        }
        bytes
    }

    fn text(nets: &[DenseNet], names: Option<[usize; 6]>) -> String {
        let mut text = String::from("GNU Backgammon 1.01\n");
        for place in 0..6 {
            let slot = names.map_or(place, |order| order[place]);
            let net = &nets[slot];
            if names.is_some() {
                text += NETS[slot].0;
                text += if slot == 0 { " contact250\n" } else { "\n" };
            }
            text += &format!("{} 2 5 0 0.1000000 1.0000000\n", net.inputs);
            for group in [
                &net.hidden_weights,
                &net.output_weights,
                &net.hidden_biases,
                &net.output_biases,
            ] {
                for real in group {
                    text += &format!("{real:.7}\n");
                }
            }
        }
        text
    }

    /// GW-01, GW-02, GW-10, GW-20, GW-21, GW-22.
    #[test]
    fn all_forms_give_the_same_nets() {
        let nets = small();
        let wd = WeightsFile::parse(&binary(&nets, 1.01)).unwrap();
        assert_eq!(wd.contact, nets[0]);
        assert_eq!(wd.prune_race, nets[5]);
        assert_eq!(
            WeightsFile::parse(text(&nets, None).as_bytes()).unwrap(),
            wd
        );
        // The order of the named variant.
        let named = text(&nets, Some([1, 5, 2, 4, 0, 3]));
        assert_eq!(WeightsFile::parse(named.as_bytes()).unwrap(), wd);
        let crlf = named.replace('\n', "\r\n");
        assert_eq!(WeightsFile::parse(crlf.as_bytes()).unwrap(), wd);
        let old = WeightsFile::parse(&binary(&nets, 1.0)).unwrap();
        assert_eq!(old.version, Version::V1_00);
    }

    #[test]
    fn every_truncation_is_refused() {
        // GW-30
        let nets = small();
        let whole = binary(&nets, 1.0);
        for length in 0..whole.len() {
            assert!(WeightsFile::parse(&whole[..length]).is_err(), "{length}");
        }
        let whole = text(&nets, None);
        // A cut inside the last number leaves another number: that cannot be seen.
        for length in 0..whole.len() - 13 {
            let cut = WeightsFile::parse(&whole.as_bytes()[..length]);
            assert!(cut.is_err(), "{length}");
        }
    }

    #[test]
    fn flipped_header_bytes_are_refused_or_harmless() {
        let nets = small();
        let whole = binary(&nets, 1.0);
        for at in 0..32 {
            for bit in 0..8 {
                let mut bytes = whole.clone();
                bytes[at] ^= 1 << bit;
                let parsed = WeightsFile::parse(&bytes);
                // Bytes 20 to 23 are ignored, 24 to 31 are the slopes: another number may be good.
                if at < 20 {
                    assert!(parsed.is_err(), "byte {at} bit {bit}");
                }
            }
        }
    }

    #[test]
    fn errors_say_where_and_why() {
        let check = |bytes: &[u8], want: &str| {
            let error = WeightsFile::parse(bytes).unwrap_err().to_string();
            assert!(error.contains(want), "{error:?} lacks {want:?}");
        };
        check(b"", "byte 0");
        check(b"GNU Backgammon 2.00\n", "line 1");
        check(
            b"GNU Backgammon 1.00\n250 128 5 0 0.1\n",
            "line 2: 5 fields",
        );
        check(
            b"GNU Backgammon 1.00\n250 4000000000 5 0 0.1 1\n",
            "line 2: contact: 4000000000 hidden",
        );
        check(
            b"GNU Backgammon 1.00\nrace\n250 1 5 0 0.1 1\n",
            "expected 214",
        );
        check(b"GNU Backgammon 1.00\n250 1 5 0 0.1 1\nnan\n", "line 3");
        check(b"GNU Backgammon 1.00\nbackgame\n", "no net's name");
        let mut bytes = binary(&small(), 1.0);
        bytes[8] = 1;
        check(&bytes, "byte 8: contact: 1 inputs");
        bytes = binary(&small(), 1.0);
        bytes[32..36].copy_from_slice(&f32::NAN.to_le_bytes());
        check(&bytes, "byte 32");
        bytes = binary(&small(), 1.0);
        bytes.push(0);
        check(&bytes, "1 bytes too many");
        check(&binary(&small(), 1.02), "byte 4: version 1.02");
    }
}
