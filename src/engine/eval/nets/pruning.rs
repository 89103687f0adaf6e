//! The pruning net: ranks the plays of a position roughly (NF-30 to NF-32 of
//! `protocol-specs/net-file.md`).
//!
//! The prices of wins and gammons are multiplied into its outputs once for all plays of a position; each play is then a few
//! rows added to the sums of the position before it.

use super::class_net::NetError;
use super::small::{SmallNet, is_of_class, words};
use crate::nn::{CpuLevel, Integers, Kernel, RESULTS, Row};
use gammond_game::Position;

/// A net that ranks.
#[derive(Debug, Clone)]
pub(in crate::eval) struct Pruner(SmallNet);

/// Most groups of four bits in which two positions differ.
const STEPS_MAX: usize = 64;

impl Pruner {
    /// The class in its file.
    pub(super) const CLASS: &'static str = "pruning";

    /// Returns true if the contents of a file are those of a pruning net.
    pub(super) fn is_one(bytes: &[u8]) -> bool {
        is_of_class(bytes, Pruner::CLASS)
    }

    /// Parses a net file.
    pub(in crate::eval) fn parse(name: &str, bytes: &[u8]) -> Result<Pruner, NetError> {
        SmallNet::parse(name, bytes, Pruner::CLASS).map(|(net, _)| Pruner(net))
    }

    /// Returns the same net on another level of this CPU.
    pub(super) fn at(&self, cpu: CpuLevel) -> Pruner {
        Pruner(self.0.at(cpu))
    }

    /// Writes the scores of positions that differ little from `reference`, and returns true, if `reference` has contact;
    /// see [`rank_quickly`](crate::eval::Shortcuts::rank_quickly).
    pub(in crate::eval) fn rank(
        &self,
        reference: &Position,
        positions: &[Position],
        slopes: &[[f32; RESULTS]],
        out: &mut [f64],
    ) -> bool {
        let contact = reference.has_contact();
        if contact {
            let answers = slopes.iter().map(|slopes| self.0.answer(slopes));
            let (weights, units): (Vec<Row>, Vec<f64>) =
                answers.map(|answer| (answer.weights, answer.unit)).unzip();
            self.0.cpu.run(RankKernel {
                net: &self.0,
                weights: &weights,
                units: &units,
                reference: words(reference),
                positions,
                out,
            });
        }
        contact
    }
}

struct RankKernel<'a> {
    net: &'a SmallNet,
    /// For each of the slopes.
    weights: &'a [Row],
    units: &'a [f64],
    reference: [u64; 4],
    positions: &'a [Position],
    out: &'a mut [f64],
}

impl Kernel for RankKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        let net = self.net;
        let mut steps = [[0u16; 2]; STEPS_MAX];
        let mut start = net.bias;
        for place in 0..64 {
            let count = (self.reference[place / 16] >> (place % 16 * 4)) as usize & 15;
            let row = &net.rows[place * 16 + count];
            for (sum, add) in start.0.iter_mut().zip(row.0) {
                *sum = sum.wrapping_add(add);
            }
        }
        let (units, count) = (self.units, self.positions.len());
        // For each of the slopes the scores of all positions.
        let out = &mut self.out[..count * units.len()];
        for (place, position) in self.positions.iter().enumerate() {
            let mut steps_count = 0;
            for (word, (old, new)) in self.reference.into_iter().zip(words(position)).enumerate() {
                let differ = old ^ new;
                let differ = differ | differ >> 1 | differ >> 2 | differ >> 3;
                let mut differ = differ & 0x1111_1111_1111_1111;
                while differ != 0 {
                    let at = differ.trailing_zeros();
                    differ &= differ - 1;
                    let place = (word * 256) as u32 + at * 4;
                    let row = |word: u64| (place + (word >> at & 15) as u32) as u16;
                    steps[steps_count % STEPS_MAX] = [row(new), row(old)];
                    steps_count += 1;
                }
            }
            let steps = &steps[..steps_count.min(STEPS_MAX)];
            let found = |number: usize, sum: i32| {
                out[number * count + place] = f64::from(sum) * units[number];
            };
            I::clipped_dots(&start, &net.rows, steps, net.shift, self.weights, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::InputSet;
    use super::*;
    use crate::nn::Parts;
    use crate::nn::format::native;
    use gammond_game::{Roll, generate_plays};

    fn embedded() -> (Pruner, Parts) {
        let bytes = super::super::PRUNING.bytes();
        let (label, parts) = native::read(&bytes).unwrap();
        assert_eq!(label.class, Pruner::CLASS);
        let net = SmallNet::new("x", Pruner::CLASS, &label, &parts).unwrap();
        (Pruner(net), parts)
    }

    /// NF-31 straight from its text.
    fn slowly(parts: &Parts, position: &Position, slopes: &[f32; RESULTS]) -> f64 {
        let width = parts.shape.width;
        let mut sums: Vec<i32> = parts.bias.iter().map(|&b| b.into()).collect();
        for (input, value) in InputSet::COUNTS.values(position) {
            let unit = InputSet::COUNTS.units().units[input];
            let factor = (value / f64::from(unit)).round() as i32;
            for (sum, weight) in sums.iter_mut().zip(&parts.rows[input * width..]) {
                *sum += factor * i32::from(*weight);
            }
        }
        let mut score = 0.0;
        for k in 0..RESULTS {
            for (unit, sum) in sums.iter().enumerate() {
                let value = f64::from((sum >> parts.shift).clamp(0, 255));
                let weight = f64::from(parts.second[k * width + unit]);
                score += f64::from(slopes[k]) * f64::from(parts.scales[k]) * weight * value;
            }
        }
        score
    }

    /// NF-30, NF-31, NF-32.
    #[test]
    fn scores_are_those_of_the_rule_on_all_levels() {
        let (net, parts) = embedded();
        let slopes = [[2.0, 1.0, 0.5, -1.0, -0.25], [2.0, 0.1, 0.0, -1.4, -0.5]];
        let mut position = Position::start();
        let mut plays = Vec::new();
        for (round, roll) in Roll::ALL.iter().cycle().take(120).enumerate() {
            generate_plays(&position, *roll, &mut plays);
            let reference = position.swapped();
            let mut scores = vec![0.0; 2 * plays.len()];
            let scalar = net.at(CpuLevel::SCALAR);
            assert!(scalar.rank(&reference, &plays, &slopes, &mut scores));
            for (slopes, scores) in slopes.iter().zip(scores.chunks(plays.len().max(1))) {
                for (play, score) in plays.iter().zip(scores) {
                    // Rounding the combined weights to 16 bits moves a score a little.
                    let want = slowly(&parts, play, slopes);
                    assert!((want - score).abs() < 0.003, "{want} {score}");
                }
            }
            for cpu in CpuLevel::available() {
                let mut found = vec![0.0; scores.len()];
                assert!(net.at(cpu).rank(&reference, &plays, &slopes, &mut found));
                assert_eq!(found, scores, "{}", cpu.name());
                // From elsewhere: the same scores.
                net.at(cpu)
                    .rank(&Position::start(), &plays, &slopes, &mut found);
                assert_eq!(found, scores, "{}", cpu.name());
            }
            position = plays
                .get(round * 5 % plays.len().max(1))
                .copied()
                .unwrap_or(reference);
            if !position.has_contact() {
                position = Position::start();
            }
        }
    }
}
