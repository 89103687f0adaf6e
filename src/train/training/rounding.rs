//! First layers rounded for the positions that they see.
//!
//! The first layer is stored as integers. Where each weight is rounded by itself, the errors of inputs with large
//! integers (pips, say) add up to hundredths of a point. Here the weights of a neuron are rounded one after the
//! other, and the change of the neuron's sums, as the mean square over given positions, is compensated by the weights
//! that are not yet rounded (optimal brain surgeon, Hassibi and Stork 1993; GPTQ, Frantar et al. 2023). The net that
//! comes out is a float net whose first layer loses nothing when it becomes integers.

use super::net::Net;
use gammond_game::Position;
use rayon::prelude::*;

/// Number of parts that the positions are cut into, for any number of threads.
const PARTS: usize = 8;
/// Share of the mean square of the inputs that is added to each: inputs that are hardly ever seen stay where they are.
const DAMPING: f64 = 0.0001;

/// A square matrix, row by row.
struct Matrix {
    size: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn zeros(size: usize) -> Matrix {
        Matrix {
            size,
            values: vec![0.0; size * size],
        }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.size + column]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.size..(row + 1) * self.size]
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        self.values[row * self.size + column] = value;
    }

    /// Returns the upper triangle `R` with `R R^T` equal to this symmetric matrix, whose upper triangle is read.
    fn upper_factor(&self) -> Matrix {
        let mut factor = Matrix::zeros(self.size);
        for column in (0..self.size).rev() {
            for row in (0..=column).rev() {
                let behind = column + 1..self.size;
                let known = factor.row(row)[behind.clone()].iter();
                let known = known.zip(&factor.row(column)[behind]);
                let rest = self.at(row, column) - known.map(|(a, b)| a * b).sum::<f64>();
                let value = match row == column {
                    true => rest.max(f64::MIN_POSITIVE).sqrt(),
                    false => rest / factor.at(column, column),
                };
                factor.set(row, column, value);
            }
        }
        factor
    }

    /// Returns the inverse of an upper triangle.
    fn upper_inverse(&self) -> Matrix {
        let mut inverse = Matrix::zeros(self.size);
        for row in (0..self.size).rev() {
            let diagonal = 1.0 / self.at(row, row);
            inverse.set(row, row, diagonal);
            for between in row + 1..self.size {
                let factor = -self.at(row, between) * diagonal;
                if factor != 0.0 {
                    for column in between..self.size {
                        let value = inverse.at(row, column) + factor * inverse.at(between, column);
                        inverse.set(row, column, value);
                    }
                }
            }
        }
        inverse
    }
}

/// Returns the mean products of the inputs' integers over positions, in the order given, with the constant 1 of the bias
/// at the end. Only the upper triangle is filled.
fn products(net: &Net, units: &[f32], place: &[usize], positions: &[Position]) -> Matrix {
    let size = place.len() + 1;
    let parts = positions.chunks(positions.len().div_ceil(PARTS).max(1));
    let parts: Vec<&[Position]> = parts.collect();
    let sums: Vec<Matrix> = (parts.into_par_iter())
        .map(|positions| {
            let mut sum = Matrix::zeros(size);
            for position in positions {
                let integer =
                    |(input, value): (usize, f64)| (place[input], value / f64::from(units[input]));
                let mut active: Vec<(usize, f64)> =
                    (net.set.values(position).into_iter().map(integer)).collect();
                active.push((size - 1, 1.0));
                active.sort_unstable_by_key(|&(place, _)| place);
                for (index, &(row, one)) in active.iter().enumerate() {
                    for &(column, other) in &active[index..] {
                        sum.values[row * size + column] += one * other;
                    }
                }
            }
            sum
        })
        .collect();
    let mut all = Matrix::zeros(size);
    for sum in sums {
        for (all, value) in all.values.iter_mut().zip(sum.values) {
            *all += value / positions.len() as f64;
        }
    }
    all
}

/// Returns the mean square of each input's integer.
fn squares(net: &Net, units: &[f32], positions: &[Position]) -> Vec<f64> {
    let mut squares = vec![0.0; units.len()];
    for position in positions {
        for (input, value) in net.set.values(position) {
            let integer = value / f64::from(units[input]);
            squares[input] += integer * integer / positions.len() as f64;
        }
    }
    squares
}

/// Returns the net with its first layer rounded to integers for `positions`, such as those it was trained with;
/// `None` if there are no positions, or the weights exceed the integers' range before or during rounding.
#[must_use]
pub fn rounded_for(net: &Net, positions: &[Position]) -> Option<Net> {
    let scale = net.first_layer_scale().ok()?;
    if positions.is_empty() {
        return None;
    }
    let units = net.set.units().units;
    let squares = squares(net, &units, positions);
    // Inputs with large integers first: those with small ones make up for them most finely.
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by(|&a, &b| squares[b].total_cmp(&squares[a]));
    let mut place = vec![0; units.len()];
    for (at, &input) in order.iter().enumerate() {
        place[input] = at;
    }
    let mut products = products(net, &units, &place, positions);
    let damping = DAMPING * squares.iter().sum::<f64>() / units.len() as f64;
    for index in 0..units.len() {
        let damped = products.at(index, index) + damping;
        products.set(index, index, damped);
    }
    let passed_on = products.upper_factor().upper_inverse();
    let layout = net.layout();
    let neurons: Vec<Vec<f64>> = (0..net.first)
        .into_par_iter()
        .map(|neuron| {
            let weight = |&input: &usize| {
                let weight = net.values[layout.rows + input * net.first + neuron];
                f64::from(weight) * f64::from(units[input]) * scale
            };
            let mut weights: Vec<f64> = order.iter().map(weight).collect();
            weights.push(f64::from(net.values[layout.bias1 + neuron]) * scale);
            for index in 0..weights.len() {
                let exact = weights[index];
                weights[index] = exact.round();
                let error = (exact - weights[index]) / passed_on.at(index, index);
                let rest = weights.iter_mut().zip(passed_on.row(index));
                for (weight, share) in rest.skip(index + 1) {
                    *weight -= error * share;
                }
            }
            weights
        })
        .collect();
    let mut rounded = net.clone();
    for (neuron, weights) in neurons.iter().enumerate() {
        for (&input, weight) in order.iter().zip(weights) {
            let value = weight / (f64::from(units[input]) * scale);
            rounded.values[layout.rows + input * net.first + neuron] = value as f32;
        }
        let bias = weights.last().copied().unwrap_or_default();
        rounded.values[layout.bias1 + neuron] = (bias / scale) as f32;
    }
    let has_room = rounded.first_layer_scale().ok()? == scale;
    has_room.then_some(rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::rng::{below, stream};
    use gammond_engine::eval::nets::InputSet;
    use gammond_game::{Roll, generate_plays};

    /// Positions of games by random plays.
    fn positions(seed: u64, count: usize) -> Vec<Position> {
        let (mut rng, mut after) = (stream(seed, 0), Vec::new());
        let mut found = Vec::new();
        let mut position = Position::start();
        while found.len() < count {
            generate_plays(&position, Roll::thrown(&mut rng), &mut after);
            position = match u32::try_from(after.len()) {
                Ok(plays @ 1..) => after[below(&mut rng, plays) as usize],
                _ => position.swapped(),
            };
            if !position.has_contact() || position.is_over() {
                position = Position::start();
            }
            found.push(position);
        }
        found
    }

    /// Mean square of what rounding changes in the first layer's sums.
    fn error(net: &Net, other: &Net, positions: &[Position]) -> f64 {
        let layout = net.layout();
        let sum = |net: &Net, position: &Position, neuron: usize| {
            let inputs = net.set.values(position).into_iter();
            let weight = |input| f64::from(net.values[layout.rows + input * net.first + neuron]);
            let bias = f64::from(net.values[layout.bias1 + neuron]);
            bias + inputs
                .map(|(input, value)| value * weight(input))
                .sum::<f64>()
        };
        let mut square = 0.0;
        for position in positions {
            for neuron in 0..net.first {
                square += (sum(net, position, neuron) - sum(other, position, neuron)).powi(2);
            }
        }
        square / (positions.len() * net.first) as f64
    }

    /// Every weight rounded by itself.
    fn naively_rounded(net: &Net) -> Net {
        let (layout, units) = (net.layout(), net.set.units().units);
        let scale = net.first_layer_scale().unwrap();
        let mut rounded = net.clone();
        let rows = &mut rounded.values[layout.rows..layout.weights2];
        for (index, weight) in rows.iter_mut().enumerate() {
            let unit = units
                .get(index / net.first)
                .map_or(1.0, |&unit| f64::from(unit));
            *weight = ((f64::from(*weight) * unit * scale).round() / (unit * scale)) as f32;
        }
        rounded
    }

    /// TP-15: on positions that it was not rounded for, a net loses a small part of what it loses weight by weight, and nothing
    /// more when it becomes integers.
    #[test]
    fn rounding_errors_make_up_for_each_other() {
        let net = Net::random(InputSet::COUNTS_HAND, 64, 16, 5);
        let others = positions(2, 500);
        let rounded = rounded_for(&net, &positions(1, 8000)).unwrap();
        let naive = error(&net, &naively_rounded(&net), &others);
        let ours = error(&net, &rounded, &others);
        assert!(ours < 0.1 * naive, "{ours} {naive}");
        let again = error(&rounded, &naively_rounded(&rounded), &others);
        assert!(again < 1e-9 * naive, "{again} {naive}");
        assert_eq!(rounded_for(&net, &[]), None);
    }

    #[test]
    fn factors_multiply_back() {
        let mut matrix = Matrix::zeros(3);
        matrix.values = vec![4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0];
        let factor = matrix.upper_factor();
        let inverse = factor.upper_inverse();
        for row in 0..3 {
            for column in 0..3 {
                let product = |of: &dyn Fn(usize) -> f64| (0..3).map(of).sum::<f64>();
                let back = product(&|k| factor.at(row, k) * factor.at(column, k));
                assert!((back - matrix.at(row, column)).abs() < 1e-12);
                let one = product(&|k| factor.at(row, k) * inverse.at(k, column));
                assert!((one - f64::from(row == column)).abs() < 1e-12);
            }
        }
    }
}
