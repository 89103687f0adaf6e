//! The net itself: sigmoids in one or two hidden layers and in the outputs, and what plain back-propagation needs.

use super::Representation;
use gammond_base::rng::unit;
use gammond_engine::eval::possible;
use gammond_engine::nn::sigmoid;
use gammond_game::{Chances, Position, Side};
use rand::Rng;

/// Most neurons of a hidden layer.
pub const HIDDEN_MAX: usize = 512;
/// Most hidden layers.
const LAYERS_MAX: usize = 2;

/// Shape of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassicShape {
    representation: Representation,
    /// Inputs, neurons of each hidden layer, outputs.
    layers: Vec<usize>,
}

/// Reasons for refusing a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// Too many hidden layers, or none.
    #[error("{0} hidden layers, expected 1 or {LAYERS_MAX}")]
    Layers(usize),
    /// Too many neurons, or none.
    #[error("{0} neurons in a hidden layer, expected 1 to {HIDDEN_MAX}")]
    Hidden(usize),
    /// The number of outputs is unknown.
    #[error("{0} outputs, expected 1, 4 or 5")]
    Outputs(usize),
}

impl ClassicShape {
    /// Creates a shape with the inputs of `representation`, one or two hidden layers, and 1 output (wins), 4 (white's
    /// single wins and gammons, then black's) or 5 (as in GNU Backgammon).
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn new(
        representation: Representation,
        hidden: &[usize],
        outputs: usize,
    ) -> Result<ClassicShape, ShapeError> {
        if !(1..=LAYERS_MAX).contains(&hidden.len()) {
            return Err(ShapeError::Layers(hidden.len()));
        }
        if let Some(&wrong) = hidden.iter().find(|&&one| !(1..=HIDDEN_MAX).contains(&one)) {
            return Err(ShapeError::Hidden(wrong));
        }
        if !matches!(outputs, 1 | 4 | 5) {
            return Err(ShapeError::Outputs(outputs));
        }
        let layers = std::iter::once(representation.inputs())
            .chain(hidden.iter().copied())
            .chain([outputs])
            .collect();
        Ok(ClassicShape {
            representation,
            layers,
        })
    }

    /// Returns the meaning of the inputs.
    #[must_use]
    pub const fn representation(&self) -> Representation {
        self.representation
    }

    /// Returns the numbers of inputs, of neurons in each hidden layer, and of outputs.
    #[must_use]
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// Returns the number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.layers.last().copied().unwrap_or(1)
    }

    /// Returns the number of weights without the biases.
    #[must_use]
    pub fn weights(&self) -> usize {
        self.pairs().map(|(from, to)| from * to).sum()
    }

    /// Biases: one for each neuron and output.
    #[must_use]
    pub fn biases(&self) -> usize {
        self.layers.iter().skip(1).sum()
    }

    /// Returns the sizes of each layer and the one after it.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (1..self.layers.len()).map(|at| (self.layers[at - 1], self.layers[at]))
    }

    /// Adds `scale` times the gradient to `target`: the partial derivatives by each parameter of the sum of the outputs, each
    /// times the error that [`ClassicNet::find_slopes`] was given for it.
    pub fn add_gradient(&self, scratch: &ClassicScratch, scale: f32, target: &mut [f32]) {
        let mut rest = target;
        for (at, (from, to)) in self.pairs().enumerate() {
            let (biases, others) = rest.split_at_mut(to);
            let (weights, others) = others.split_at_mut(from * to);
            rest = others;
            let slopes = &scratch.slopes[at];
            for (bias, slope) in biases.iter_mut().zip(slopes) {
                *bias += scale * slope;
            }
            for (row, &input) in weights.chunks_exact_mut(to).zip(&scratch.values[at]) {
                if input != 0.0 {
                    let step = scale * input;
                    for (weight, slope) in row.iter_mut().zip(slopes) {
                        *weight += step * slope;
                    }
                }
            }
        }
    }
}

/// The layers of one evaluation.
#[derive(Clone, Debug, Default)]
pub struct ClassicScratch {
    /// Inputs, then what each layer gives.
    values: Vec<Vec<f32>>,
    /// Derivatives by the inputs of the sigmoids, for each layer but the input layer.
    slopes: Vec<Vec<f32>>,
}

impl ClassicScratch {
    fn fit(&mut self, layers: &[usize]) {
        let fits = self.values.iter().map(Vec::len).eq(layers.iter().copied());
        if !fits {
            self.values = layers.iter().map(|&size| vec![0.0; size]).collect();
            self.slopes = layers[1..].iter().map(|&size| vec![0.0; size]).collect();
        }
    }

    /// Returns the outputs of the last evaluation.
    #[must_use]
    pub fn outputs(&self) -> &[f32] {
        self.values.last().map_or(&[], Vec::as_slice)
    }
}

/// A net of classical shape.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassicNet {
    shape: ClassicShape,
    /// Biases of each layer, followed by a row of weights for each of its inputs.
    parameters: Vec<f32>,
}

impl ClassicNet {
    /// Returns a net with these parameters; none when their number is another, or one of them is no number.
    #[must_use]
    pub fn new(shape: ClassicShape, parameters: Vec<f32>) -> Option<ClassicNet> {
        let right = parameters.len() == shape.weights() + shape.biases()
            && parameters.iter().all(|parameter| parameter.is_finite());
        right.then_some(ClassicNet { shape, parameters })
    }

    /// Creates a net with weights and biases uniform in [-range, range).
    #[must_use]
    pub fn random(shape: ClassicShape, range: f32, rng: &mut impl Rng) -> ClassicNet {
        let count = shape.weights() + shape.biases();
        let mut random_weight = || (2.0 * unit(rng) - 1.0) as f32 * range;
        let parameters = (0..count).map(|_| random_weight()).collect();
        ClassicNet { shape, parameters }
    }

    /// Returns the shape of the net.
    #[must_use]
    pub const fn shape(&self) -> &ClassicShape {
        &self.shape
    }

    /// Returns all weights and biases.
    #[must_use]
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// Returns all weights and biases, mutable.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    /// Evaluates a board and returns the outputs.
    pub fn run<'s>(
        &self,
        sides: [Side; 2],
        white_on_roll: bool,
        scratch: &'s mut ClassicScratch,
    ) -> &'s [f32] {
        scratch.fit(&self.shape.layers);
        let representation = self.shape.representation;
        representation.write(sides, white_on_roll, &mut scratch.values[0]);
        let mut rest = &self.parameters[..];
        for (at, (from, to)) in self.shape.pairs().enumerate() {
            let (biases, others) = rest.split_at(to);
            let (weights, others) = others.split_at(from * to);
            rest = others;
            let (below, above) = scratch.values.split_at_mut(at + 1);
            let (inputs, sums) = (&below[at], &mut above[0][..to]);
            sums.copy_from_slice(biases);
            for (row, &input) in weights.chunks_exact(to).zip(inputs) {
                if input != 0.0 {
                    for (sum, weight) in sums.iter_mut().zip(row) {
                        *sum += input * weight;
                    }
                }
            }
            sums.iter_mut().for_each(|sum| *sum = sigmoid(*sum));
        }
        scratch.outputs()
    }

    /// Back-propagates an error of each output of the board that `scratch` was run with last.
    pub fn find_slopes(&self, errors: &[f32], scratch: &mut ClassicScratch) {
        let last = scratch.slopes.len() - 1;
        for ((slope, &value), error) in (scratch.slopes[last]
            .iter_mut()
            .zip(&scratch.values[last + 1]))
        .zip(errors)
        {
            *slope = error * value * (1.0 - value);
        }
        let mut end = self.parameters.len();
        for at in (0..=last).rev() {
            let (from, to) = (self.shape.layers[at], self.shape.layers[at + 1]);
            let weights = &self.parameters[end - from * to..end];
            end -= from * to + to;
            if at == 0 {
                break;
            }
            let (lower, upper) = scratch.slopes.split_at_mut(at);
            let (slopes, above) = (&mut lower[at - 1], &upper[0]);
            let neurons = slopes.iter_mut().zip(&scratch.values[at]);
            for (row, (slope, &value)) in weights.chunks_exact(to).zip(neurons) {
                let sum: f32 = row.iter().zip(above).map(|(w, s)| w * s).sum();
                *slope = sum * value * (1.0 - value);
            }
        }
    }

    /// Takes one step of plain gradient descent for the board that `scratch` was run with last: half the squared
    /// error falls.
    pub fn learn(&mut self, rate: f32, errors: &[f32], scratch: &mut ClassicScratch) {
        self.find_slopes(errors, scratch);
        self.shape.add_gradient(scratch, rate, &mut self.parameters);
    }

    /// Returns White's chances, from outputs that [`ClassicNet::run`] gave for these sides.
    #[must_use]
    pub fn chances(&self, outputs: &[f32], [white, black]: [Side; 2]) -> Chances {
        match *outputs {
            [win] => Chances {
                win,
                ..Chances::default()
            },
            [single, gammon, lost, lost_gammon] => {
                let all = (single + gammon + lost + lost_gammon).max(f32::MIN_POSITIVE);
                Chances {
                    win: (single + gammon) / all,
                    win_gammon: gammon / all,
                    lose_gammon: lost_gammon / all,
                    ..Chances::default()
                }
            }
            [win, gammon, backgammon, lost_gammon, lost_backgammon] => possible(
                [win, gammon, backgammon, lost_gammon, lost_backgammon],
                &Position::from_sides(white, black),
            ),
            _ => Chances::default(),
        }
    }

    /// Returns the target outputs for these chances of white.
    #[must_use]
    pub fn wanted(&self, chances: &Chances) -> Vec<f32> {
        match self.shape.outputs() {
            1 => vec![chances.win],
            4 => vec![
                chances.win - chances.win_gammon,
                chances.win_gammon,
                1.0 - chances.win - chances.lose_gammon,
                chances.lose_gammon,
            ],
            _ => chances.to_array().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::rng::stream;

    fn shape(hidden: &[usize], outputs: usize) -> ClassicShape {
        ClassicShape::new(Representation::TdGammon196, hidden, outputs).unwrap()
    }

    /// "Almost 4000" weights, and 21 biases.
    #[test]
    fn counts_of_weights() {
        let small = shape(&[20], 1);
        assert_eq!((small.weights(), small.biases()), (3940, 21));
        let four = shape(&[20], 4);
        assert_eq!((four.weights(), four.biases()), (4000, 24));
        let two = shape(&[20, 10], 5);
        assert_eq!((two.weights(), two.biases()), (196 * 20 + 200 + 50, 35));
        for (hidden, outputs, said) in [
            (&[][..], 1, "0 hidden layers"),
            (&[1, 1, 1], 1, "3 hidden layers"),
            (&[0], 1, "0 neurons"),
            (&[513], 1, "513 neurons"),
            (&[5], 2, "2 outputs"),
        ] {
            let wrong = ClassicShape::new(Representation::Quack, hidden, outputs);
            assert!(wrong.unwrap_err().to_string().contains(said));
        }
    }

    /// The gradient is what small changes of the weights do, for every shape.
    #[test]
    fn gradients_are_those_of_differences() {
        for (hidden, outputs) in [(&[4][..], 1), (&[3, 5], 4), (&[6], 5)] {
            let shape = ClassicShape::new(Representation::QuackNorm, hidden, outputs).unwrap();
            let mut net = ClassicNet::random(shape.clone(), 1.0, &mut stream(3, 1));
            let sides = [Side::START, Side::START];
            let errors: Vec<f32> = (0..outputs).map(|at| 1.0 - 0.3 * at as f32).collect();
            let mut scratch = ClassicScratch::default();
            net.run(sides, true, &mut scratch);
            net.find_slopes(&errors, &mut scratch);
            let mut gradient = vec![0.0; net.parameters().len()];
            shape.add_gradient(&scratch, 1.0, &mut gradient);
            let worth = |net: &ClassicNet, scratch: &mut ClassicScratch| -> f64 {
                let outputs = net.run(sides, true, scratch).iter().zip(&errors);
                outputs.map(|(&v, &e)| f64::from(v) * f64::from(e)).sum()
            };
            let mut moved = 0;
            for at in 0..gradient.len() {
                let here = net.parameters()[at];
                let step = 1e-2;
                net.parameters_mut()[at] = here + step;
                let above = worth(&net, &mut scratch);
                net.parameters_mut()[at] = here - step;
                let below = worth(&net, &mut scratch);
                net.parameters_mut()[at] = here;
                let slope = (above - below) / (2.0 * f64::from(step));
                assert!((slope - f64::from(gradient[at])).abs() < 1e-4, "{at}");
                moved += usize::from(gradient[at] != 0.0);
            }
            assert!(moved > 20, "{moved}");
        }
    }

    #[test]
    fn chances_and_outputs_belong_together() {
        let chances = Chances::from_array([0.6, 0.2, 0.0, 0.1, 0.0]);
        let sides = [Side::START, Side::START];
        for (outputs, wanted) in [
            (1, vec![0.6]),
            (4, vec![0.4, 0.2, 0.3, 0.1]),
            (5, vec![0.6, 0.2, 0.0, 0.1, 0.0]),
        ] {
            let net = ClassicNet::random(shape(&[2], outputs), 0.1, &mut stream(1, 1));
            let made = net.wanted(&chances);
            assert!(made.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-6));
            let back = net.chances(&made, sides);
            assert!((back.win - 0.6).abs() < 1e-6);
            let gammons = if outputs == 1 { 0.0 } else { 0.2 };
            assert!((back.win_gammon - gammons).abs() < 1e-6);
        }
    }

    #[test]
    fn net_learns_a_given_value() {
        let mut net = ClassicNet::random(shape(&[10], 1), 0.1, &mut stream(1, 1));
        let mut scratch = ClassicScratch::default();
        let sides = [Side::START, Side::START];
        for _ in 0..200 {
            let error = 0.9 - net.run(sides, true, &mut scratch)[0];
            net.learn(0.5, &[error], &mut scratch);
        }
        let said = net.run(sides, true, &mut scratch)[0];
        assert!((said - 0.9).abs() < 0.01, "{said}");
    }
}
