//! The float net as an evaluator: folded tables, and only what changed since the position before.

use super::encode::{BASE, HAND, hand, hand_value};
use super::kernel::{accumulate, second_layer, sigmoid};
use super::net::Net;
use crate::game::{Chances, Position};

/// A net prepared for judging positions in float32.
#[derive(Debug)]
pub struct FloatJudge {
    with_hand: bool,
    first: usize,
    second: usize,
    /// One row for each (side, place, count 0..=15), then one for each hand-made input.
    table: Vec<f32>,
    bias1: Vec<f32>,
    weights2: Vec<f32>,
    bias2: Vec<f32>,
    weights3: Vec<f32>,
    bias3: [f32; 5],
}

/// Room for the work of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    rows: Vec<(u32, f32)>,
    base: Vec<f32>,
    units: Vec<f32>,
}

type Places = [[u8; 26]; 2];

fn places(position: &Position) -> Places {
    [position.me(), position.opponent()].map(|side| std::array::from_fn(|i| side.count(i)))
}

impl FloatJudge {
    /// Prepares `net`.
    #[must_use]
    pub fn new(net: &Net) -> FloatJudge {
        let (h, l, v) = (net.first, net.layout(), &net.values);
        let mut table = vec![0.0; 52 * 16 * h];
        for slot in 0..52 {
            for count in 1..16 {
                let out = (slot * 16 + count) * h;
                for k in 0..count.min(6) {
                    for i in 0..h {
                        table[out + i] += v[(slot * 7 + k) * h + i];
                    }
                }
                if count > 6 {
                    let weight = (count - 6) as f32 / 4.0;
                    for i in 0..h {
                        table[out + i] += weight * v[(slot * 7 + 6) * h + i];
                    }
                }
            }
        }
        if net.with_hand {
            table.extend_from_slice(&v[BASE * h..(BASE + HAND) * h]);
        }
        let mut bias3 = [0.0; 5];
        bias3.copy_from_slice(&v[l.bias3..l.end]);
        FloatJudge {
            with_hand: net.with_hand,
            first: h,
            second: net.second,
            table,
            bias1: v[l.bias1..l.weights2].to_vec(),
            weights2: v[l.weights2..l.bias2].to_vec(),
            bias2: v[l.bias2..l.weights3].to_vec(),
            weights3: v[l.weights3..l.bias3].to_vec(),
            bias3,
        }
    }

    fn row(&self, slot: usize, count: u8) -> u32 {
        ((slot * 16 + usize::from(count)) * self.first) as u32
    }

    fn hand_row(&self, index: usize) -> u32 {
        ((52 * 16 + index) * self.first) as u32
    }

    /// Chances of each position into `out`, all compared with `near`.
    pub fn judge(
        &self,
        near: &Position,
        positions: &[Position],
        out: &mut Vec<Chances>,
        scratch: &mut Scratch,
    ) {
        let base_places = places(near);
        let base_hand = if self.with_hand { hand(near) } else { [0; HAND] };
        let rows = &mut scratch.rows;
        rows.clear();
        for (slot, &count) in base_places.as_flattened().iter().enumerate() {
            if count > 0 {
                rows.push((self.row(slot, count), 1.0));
            }
        }
        if self.with_hand {
            for (index, &value) in base_hand.iter().enumerate() {
                rows.push((self.hand_row(index), hand_value(index, value)));
            }
        }
        scratch.base.resize(self.first, 0.0);
        scratch.units.resize(self.first, 0.0);
        accumulate::<0>(&self.bias1, &self.table, rows, &mut scratch.base);
        out.clear();
        for position in positions {
            rows.clear();
            let now = places(position);
            let pairs = now.as_flattened().iter().zip(base_places.as_flattened());
            for (slot, (&count, &before)) in pairs.enumerate() {
                if count != before {
                    if before > 0 {
                        rows.push((self.row(slot, before), -1.0));
                    }
                    if count > 0 {
                        rows.push((self.row(slot, count), 1.0));
                    }
                }
            }
            if self.with_hand {
                let values = hand(position);
                for (index, (&value, &before)) in values.iter().zip(&base_hand).enumerate() {
                    if value != before {
                        let change = hand_value(index, value) - hand_value(index, before);
                        rows.push((self.hand_row(index), change));
                    }
                }
            }
            accumulate::<1>(&scratch.base, &self.table, rows, &mut scratch.units);
            out.push(self.upper(&scratch.units));
        }
    }

    fn upper(&self, units: &[f32]) -> Chances {
        match self.second {
            16 => self.upper_sized::<16>(units),
            _ => self.upper_sized::<32>(units),
        }
    }

    fn upper_sized<const H: usize>(&self, units: &[f32]) -> Chances {
        let mut bias = [0.0; H];
        bias.copy_from_slice(&self.bias2[..H]);
        let hidden = second_layer::<H>(units, &self.weights2, &bias);
        let mut outputs = self.bias3;
        for (output, weights) in outputs.iter_mut().zip(self.weights3.chunks_exact(H)) {
            let mut lanes = [0.0; 8];
            for (j, (w, h)) in weights.iter().zip(&hidden).enumerate() {
                lanes[j % 8] += w * h;
            }
            *output = sigmoid(*output + lanes.iter().sum::<f32>());
        }
        clamped(outputs)
    }
}

/// Chances made consistent: gammons not above wins, backgammons not above gammons.
fn clamped([win, win_g, win_b, lose_g, lose_b]: [f32; 5]) -> Chances {
    let win_g = win_g.min(win);
    let lose_g = lose_g.min(1.0 - win);
    Chances::from_array([win, win_g, win_b.min(win_g), lose_g, lose_b.min(lose_g)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The published vectors of the first nets: integers exactly, outputs to 2e-6.
    #[test]
    fn prototype_vectors() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/prototype-net");
        if !folder.exists() {
            eprintln!("skipped: no prototype nets");
            return;
        }
        let net = |name: &str| FloatJudge::new(&Net::load(&folder.join(name)).unwrap());
        let contact = net("contact.safetensors");
        let race = net("race.safetensors");
        let text = std::fs::read_to_string(folder.join("vectors-hand.tsv")).unwrap();
        let mut checked = 0;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let position = crate::notation::parse_position(fields[0].as_bytes()).unwrap().position;
            let judge = if fields[1] == "race" { &race } else { &contact };
            if fields[1] != "race" {
                let wanted: Vec<u8> =
                    fields[3].split(' ').map(|v| v.parse().unwrap()).collect();
                assert_eq!(hand(&position)[..], wanted, "{}", fields[0]);
            }
            let mut out = Vec::new();
            let near = Position::start();
            judge.judge(&near, &[position], &mut out, &mut Scratch::default());
            for (got, wanted) in out[0].to_array().iter().zip(fields[4].split(' ')) {
                let wanted: f32 = wanted.parse().unwrap();
                assert!((got - wanted).abs() < 5e-6, "{line}: {got} {wanted}");
            }
            checked += 1;
        }
        assert!(checked > 40);
    }
}
