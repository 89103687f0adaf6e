//! The pruning net: ranks the plays of a position roughly (NF-30 to NF-32 of
//! `protocol-specs/net-file.md`).
//!
//! One layer of at most 64 units and five linear outputs. As the outputs are linear, the prices of
//! wins and gammons are multiplied into them once for all plays of a position; what is left for each play
//! is a few rows added to the sums of the position before it, a clip and a dot product.

use super::inputs::InputSet;
use super::judge::OwnNetError;
use crate::game::Position;
use crate::nn::format::native::{self, Label};
use crate::nn::{
    Activation, CpuLevel, IntegerNetError, Integers, Kernel, Limits, Parts, RESULTS, ROW_WIDTH,
    ROWS, Row,
};

/// A net that ranks.
#[derive(Debug, Clone)]
pub(super) struct Pruner {
    /// For each of the 64 groups of four bits of a packed position, for each count there, what it
    /// adds to the sums.
    rows: Box<[Row; ROWS]>,
    bias: Row,
    shift: u32,
    /// Weights of each output, in units of the result.
    outputs: [[f32; ROW_WIDTH]; RESULTS],
    cpu: CpuLevel,
}

/// Largest combined weight: 64 products with 255 stay far inside 32 bits.
const WEIGHT_MAX: f32 = 16_383.0;

/// Most groups of four bits in which two positions differ.
const STEPS_MAX: usize = 64;

impl Pruner {
    /// The class in its file.
    pub(super) const CLASS: &'static str = "pruning";

    /// Whether the contents of a file say that it is a pruning net.
    pub(super) fn is_one(bytes: &[u8]) -> bool {
        native::class(bytes).is_some_and(|class| class == Pruner::CLASS.as_bytes())
    }

    /// From the contents of a net file.
    pub(super) fn new(name: &str, label: &Label, parts: &Parts) -> Result<Pruner, OwnNetError> {
        let net = |error| OwnNetError::Net(name.to_owned(), error);
        parts.check().map_err(net)?;
        let (inputs, shape) = (InputSet::Counts, parts.shape);
        if label.inputs != inputs.name() || shape.inputs != inputs.inputs() {
            return Err(OwnNetError::Inputs(name.to_owned(), label.inputs.clone()));
        }
        if shape.width > ROW_WIDTH || shape.second != RESULTS {
            let text = format!(
                "a pruning net of {} units and {} outputs",
                shape.width, shape.second
            );
            return Err(net(IntegerNetError::Shape(text)));
        }
        if parts.activation != Activation::Crelu || parts.limits != Limits::default() {
            let text = "a pruning net whose units are not clipped to 0..=1".to_owned();
            return Err(net(IntegerNetError::Shape(text)));
        }
        let mut rows: Box<[Row; ROWS]> = vec![Row::ZERO; ROWS]
            .try_into()
            .unwrap_or_else(|_| Box::new([Row::ZERO; ROWS]));
        for (index, row) in rows.iter_mut().enumerate() {
            // 32 groups a side, of which 26 are locations.
            let (place, count) = (index / 16, index % 16);
            for (input, factor) in inputs.of_count(place / 32, place % 32, count) {
                let weights = &parts.rows[input * shape.width..][..shape.width];
                for (sum, weight) in row.0.iter_mut().zip(weights) {
                    *sum = sum.wrapping_add(weight.wrapping_mul(factor));
                }
            }
        }
        let mut bias = Row::ZERO;
        bias.0[..shape.width].copy_from_slice(&parts.bias);
        let outputs = std::array::from_fn(|k| {
            let mut output = [0.0; ROW_WIDTH];
            let weights = &parts.second[k * shape.width..][..shape.width];
            for (value, weight) in output.iter_mut().zip(weights) {
                *value = f32::from(*weight) * parts.scales[k];
            }
            output
        });
        Ok(Pruner {
            rows,
            bias,
            shift: parts.shift,
            outputs,
            cpu: CpuLevel::detect(),
        })
    }

    /// Parses a net file.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<Pruner, OwnNetError> {
        let (label, parts) =
            native::read(bytes).map_err(|error| OwnNetError::File(name.to_owned(), error))?;
        Pruner::new(name, &label, &parts)
    }

    /// The same net on another level of this CPU.
    pub(super) fn at(&self, cpu: CpuLevel) -> Pruner {
        Pruner {
            cpu,
            ..self.clone()
        }
    }

    /// Scores of positions that differ little from `reference`; see
    /// [`rank_quickly`](crate::eval::Evaluator::rank_quickly).
    pub(super) fn rank(
        &self,
        reference: &Position,
        positions: &[Position],
        slopes: &[f32; RESULTS],
        out: &mut [f64],
    ) {
        let mut combined = [0.0f32; ROW_WIDTH];
        for (slope, output) in slopes.iter().zip(&self.outputs) {
            for (sum, weight) in combined.iter_mut().zip(output) {
                *sum += slope * weight;
            }
        }
        let most = combined.iter().fold(1e-9f32, |most, w| most.max(w.abs()));
        let unit = most / WEIGHT_MAX;
        let weights = Row(combined.map(|weight| (weight / unit).round() as i16));
        self.cpu.run(Rank {
            net: self,
            weights,
            unit: f64::from(unit),
            reference: words(reference),
            positions,
            out,
        });
    }
}

/// The packed sides as four words: the player on roll, then the opponent.
#[inline(always)]
fn words(position: &Position) -> [u64; 4] {
    let (me, opponent) = (position.me().packed(), position.opponent().packed());
    [
        me as u64,
        (me >> 64) as u64,
        opponent as u64,
        (opponent >> 64) as u64,
    ]
}

struct Rank<'a> {
    net: &'a Pruner,
    weights: Row,
    unit: f64,
    reference: [u64; 4],
    positions: &'a [Position],
    out: &'a mut [f64],
}

impl Kernel for Rank<'_> {
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
        for (position, out) in self.positions.iter().zip(self.out) {
            let mut count = 0;
            for (word, (old, new)) in self.reference.into_iter().zip(words(position)).enumerate() {
                let differ = old ^ new;
                let differ = differ | differ >> 1 | differ >> 2 | differ >> 3;
                let mut differ = differ & 0x1111_1111_1111_1111;
                while differ != 0 {
                    let at = differ.trailing_zeros();
                    differ &= differ - 1;
                    let place = (word * 256) as u32 + at * 4;
                    let row = |word: u64| (place + (word >> at & 15) as u32) as u16;
                    steps[count % STEPS_MAX] = [row(new), row(old)];
                    count += 1;
                }
            }
            let steps = &steps[..count.min(STEPS_MAX)];
            let sum = I::clipped_dot(&start, &net.rows, steps, net.shift, &self.weights);
            *out = f64::from(sum) * self.unit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Roll, generate_plays};

    fn embedded() -> (Pruner, Parts) {
        let bytes = super::super::PRUNING.1;
        let (label, parts) = native::read(bytes).unwrap();
        assert_eq!(label.class, Pruner::CLASS);
        (Pruner::new("x", &label, &parts).unwrap(), parts)
    }

    /// NF-31 straight from its text.
    fn slowly(parts: &Parts, position: &Position, slopes: &[f32; RESULTS]) -> f64 {
        let width = parts.shape.width;
        let mut sums: Vec<i32> = parts.bias.iter().map(|&b| b.into()).collect();
        for (input, value) in InputSet::Counts.values(position) {
            let unit = InputSet::Counts.units().units[input];
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
        let slopes = [2.0, 1.0, 0.5, -1.0, -0.25];
        let mut position = Position::start();
        let mut plays = Vec::new();
        for (round, roll) in Roll::ALL.iter().cycle().take(120).enumerate() {
            generate_plays(&position, *roll, &mut plays);
            let reference = position.swapped();
            let mut scores = vec![0.0; plays.len()];
            net.at(CpuLevel::SCALAR)
                .rank(&reference, &plays, &slopes, &mut scores);
            for (play, score) in plays.iter().zip(&scores) {
                // Rounding the combined weights to 16 bits moves a score a little.
                let want = slowly(&parts, play, &slopes);
                assert!((want - score).abs() < 0.003, "{want} {score}");
            }
            for cpu in CpuLevel::available() {
                let mut found = vec![0.0; plays.len()];
                net.at(cpu).rank(&reference, &plays, &slopes, &mut found);
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
            if position.is_over() {
                position = Position::start();
            }
        }
    }
}
