//! One-sided databases: how many rolls one side needs to bear off, alone on the board.

use super::super::numbering::{Numbering, Steps};
use super::best_play::{BestPlayDistributions, RollDistribution};
use super::{Watch, header};

/// Rolls in a distribution, 0 to 31.
const ROLLS_MAX: usize = 32;
/// Sum of the values of a distribution.
const WHOLE: u32 = 65535;

/// 65535 times the probability of each number of rolls.
#[derive(Clone, Copy)]
struct Distribution([u16; ROLLS_MAX]);

/// Returns a database file of GNU Backgammon's one-sided kind.
///
/// Each position holds 65535 times the probabilities of needing 0 to 31 rolls to bear off, playing
/// for the smallest mean, and with `gammons` the same for the rolls until the first checker is off
/// (0 rolls when fewer than 15 checkers are left): `BEAR-20`, `BEAR-23`.
///
/// Needs about 250 bytes of memory a position while it works, and some microseconds.
#[must_use]
pub fn one_sided(numbering: Numbering, gammons: bool, compressed: bool) -> Vec<u8> {
    one_sided_watched(numbering, gammons, compressed, &mut |_, _| true).unwrap_or_default()
}

/// Number of positions between two calls of the progress callback.
const STRETCH: usize = 1024;

/// Builds the database like [`one_sided`]; `watch` receives the number of finished positions and cancels with `false`.
pub fn one_sided_watched(
    numbering: Numbering,
    gammons: bool,
    compressed: bool,
    watch: Watch<'_>,
) -> Option<Vec<u8>> {
    let positions = numbering.positions();
    let mut win = BestPlayDistributions::new(0, positions);
    let saved = if gammons {
        numbering.first_with(15).min(positions)
    } else {
        positions
    };
    let mut gammon = BestPlayDistributions::new(saved, positions);
    for index in 0..positions {
        if index % STRETCH == 0 && !watch(index, positions) {
            return None;
        }
        let steps = Steps::of(numbering, index);
        win.add(&steps, index);
        gammon.add(&steps, index);
    }
    let mut file = header(&format!(
        "gnubg-OS-{:02}-{:02}-{}-{}-0",
        numbering.points(),
        numbering.checkers(),
        u8::from(gammons),
        u8::from(compressed),
    ));
    let both = [&win, &gammon];
    let tables = if gammons { &both[..] } else { &both[..1] };
    if compressed {
        write_compressed(&mut file, positions, tables);
    } else {
        file.reserve(positions * tables.len() * ROLLS_MAX * 2);
        for index in 0..positions {
            for table in tables {
                write_values(&mut file, &table.roll_distribution(index).0);
            }
        }
    }
    Some(file)
}

impl RollDistribution for Distribution {
    const REACHED: Distribution = {
        let mut values = [0; ROLLS_MAX];
        values[0] = WHOLE as u16;
        Distribution(values)
    };

    /// Rounds thirty-sixths to the nearest; the first largest value is corrected so that the sum is exactly 65535
    /// (`BEAR-22`).
    fn before(after: &[(u32, Distribution); 21]) -> Distribution {
        let mut values = [0_u32; ROLLS_MAX];
        for (weight, Distribution(later)) in after {
            for (value, &later) in values[1..].iter_mut().zip(later) {
                *value += weight * u32::from(later);
            }
        }
        let mut largest = 0;
        for rolls in 0..ROLLS_MAX {
            values[rolls] = (values[rolls] + 18) / 36;
            if values[rolls] > values[largest] {
                largest = rolls;
            }
        }
        let sum: u32 = values.iter().sum();
        values[largest] = (values[largest] + WHOLE).saturating_sub(sum);
        Distribution(values.map(|value| value as u16))
    }

    fn mean(&self) -> u64 {
        let terms = (0_u32..).zip(self.0).map(|(n, value)| n * u32::from(value));
        u64::from(terms.sum::<u32>())
    }
}

/// Writes index entries, then the values between the first and the last that is not 0 (`BEAR-15`).
fn write_compressed(
    file: &mut Vec<u8>,
    positions: usize,
    tables: &[&BestPlayDistributions<Distribution>],
) {
    let mut data = Vec::new();
    let mut offset = 0_u32;
    for index in 0..positions {
        file.extend(offset.to_le_bytes());
        for table in tables {
            let Distribution(values) = table.roll_distribution(index);
            let first = values.iter().position(|&value| value > 0).unwrap_or(0);
            let end = values.iter().rposition(|&value| value > 0).unwrap_or(0) + 1;
            file.extend([(end - first) as u8, first as u8]);
            write_values(&mut data, &values[first..end]);
            offset += (end - first) as u32;
        }
    }
    file.append(&mut data);
}

fn write_values(file: &mut Vec<u8>, values: &[u16]) {
    file.extend(values.iter().flat_map(|value| value.to_le_bytes()));
}
