//! One optimiser step: the gradient over a batch in fixed chunks, then Adam (Kingma and Ba 2015) with a running mean.
//!
//! A batch is cut into `CHUNKS` parts whatever the number of threads, and the parts are added in
//! order, so a run gives the same bits on one thread and on many.
//!
//! The head of the net decides the target: chances and the differences between siblings, or how the plays of a roll
//! rank (`super::ranking`).

use super::kernel::{
    LEAKY, Rows, accumulate_of, adam, outer, scatter, second_layer, second_layer_back,
    second_layer_back_of,
};
use super::net::{Head, Net};
use super::ranking;
use super::shard::Label;
use gammond_engine::eval::nets::open_in_races;
use gammond_engine::nn::{RESULTS, SECOND_MAX, sigmoid};
use gammond_game::Chances;
use rayon::prelude::*;

/// Parts of a batch that are worked on independently.
pub(crate) const CHUNKS: usize = 4;
/// Weight of the loss of each output; the win decides most plays.
pub(crate) const OUTPUT_WEIGHTS: [f32; 5] = [2.0, 1.0, 1.0, 1.0, 1.0];

/// Learning rate and averaging of one step.
#[derive(Clone, Copy, Debug)]
pub struct StepSettings {
    /// Adam's learning rate.
    pub rate: f32,
    /// Share of the running mean of the weights that is kept, 0..1.
    pub keep: f32,
    /// Weight of the squared error of equity differences between siblings; without meaning for a linear head.
    pub pairs: f32,
}

/// A net in training: parameters, their running mean, and Adam's moments.
#[derive(Debug)]
pub struct Trainer {
    net: Net,
    mean: Vec<f32>,
    first_moment: Vec<f32>,
    second_moment: Vec<f32>,
    parts: Vec<ChunkGradient>,
    steps: i32,
}

/// Labels that go through the first layer together; with a linear head all plays of a roll do.
const GROUP: usize = 32;

/// Gradient and working room of one chunk.
#[derive(Debug)]
struct ChunkGradient {
    gradient: Vec<f32>,
    group: LabelGroup,
    loss: f64,
    /// The greatest loss of a label.
    greatest: f64,
    /// Sum of the squared errors of differences between siblings, and how many there were.
    pairs: [f64; 2],
}

/// Values of the forward pass that the backward pass needs, for a group of labels.
#[derive(Debug)]
struct LabelGroup {
    /// Offsets of rows and coefficients of one label after the other.
    rows: Vec<(u32, f32)>,
    ends: Vec<usize>,
    /// Outputs of the first layer, `first` numbers per label.
    a1: Vec<f32>,
    /// Slopes of the loss over its sums.
    d1: Vec<f32>,
    /// Slopes of the loss over the second layer's sums, `second` numbers a label.
    d2: Vec<f32>,
    /// The second layer's weights, a row for each of its neurons.
    transposed: Vec<f32>,
    passes: Vec<Pass>,
}

/// The rest of the way forward of one label.
#[derive(Clone, Copy, Debug)]
struct Pass {
    a2: [f32; SECOND_MAX],
    out: [f32; 5],
    /// Outputs that the rules leave open; the others are 0 wherever the net is used, so it need not learn them.
    open: [bool; 5],
}

impl LabelGroup {
    fn new(net: &Net) -> LabelGroup {
        LabelGroup {
            rows: Vec::new(),
            ends: Vec::new(),
            a1: vec![0.0; GROUP * net.first],
            d1: vec![0.0; GROUP * net.first],
            d2: vec![0.0; GROUP * net.second],
            transposed: vec![0.0; net.first * net.second],
            passes: Vec::new(),
        }
    }
}

impl Trainer {
    /// Begins to train `net` with fresh moments.
    #[must_use]
    pub fn new(net: Net) -> Trainer {
        let size = net.values.len();
        let parts = (0..CHUNKS)
            .map(|_| ChunkGradient {
                gradient: vec![0.0; size],
                group: LabelGroup::new(&net),
                loss: 0.0,
                greatest: 0.0,
                pairs: [0.0; 2],
            })
            .collect();
        Trainer {
            mean: net.values.clone(),
            first_moment: vec![0.0; size],
            second_moment: vec![0.0; size],
            net,
            parts,
            steps: 0,
        }
    }

    /// Returns the net with the running mean of its weights, which plays better than the last weights.
    #[must_use]
    pub fn averaged(&self) -> Net {
        Net {
            values: self.mean.clone(),
            ..self.net.clone()
        }
    }

    /// Returns the mean loss over labels, without learning from them.
    pub fn loss(&mut self, labels: &[Label]) -> f64 {
        self.gradient(labels, 0.0) / labels.len().max(1) as f64
    }

    /// Returns the sum of the squared errors of equity differences between siblings, and their number.
    pub(crate) fn pair_errors(&mut self, labels: &[Label]) -> [f64; 2] {
        self.gradient(labels, 0.0);
        self.parts.iter().fold([0.0; 2], |sum, part| {
            [sum[0] + part.pairs[0], sum[1] + part.pairs[1]]
        })
    }

    /// Returns the greatest loss of a label in the last batch.
    #[must_use]
    pub(crate) fn greatest_loss(&self) -> f64 {
        (self.parts.iter()).fold(0.0, |most, part| part.greatest.max(most))
    }

    /// Returns the outputs of a net with a linear head for the plays of a roll.
    pub(super) fn scores(&mut self, plays: &[Label]) -> impl Iterator<Item = [f32; RESULTS]> {
        let group = &mut self.parts[0].group;
        group.forward::<RESULTS>(&self.net, plays);
        group.passes.iter().map(|pass| pass.out)
    }

    /// Works out the gradient of every part and returns the sum of the losses.
    fn gradient(&mut self, batch: &[Label], pairs: f32) -> f64 {
        let net = &self.net;
        let mut chunks = chunks(batch, net.head);
        chunks.resize(CHUNKS, &[]);
        self.parts
            .par_iter_mut()
            .zip(chunks)
            .for_each(|(part, labels)| part.work(net, labels, pairs));
        self.parts.iter().map(|part| part.loss).sum()
    }

    /// Takes one step over `batch`. Returns the mean loss: cross-entropy of a label above that of its target, or what
    /// is minimised for a roll.
    pub fn step(&mut self, batch: &[Label], settings: StepSettings) -> f64 {
        let loss = self.gradient(batch, settings.pairs);
        self.steps += 1;
        let rate = settings.rate / (1.0 - 0.9f32.powi(self.steps));
        let root = 1.0 / (1.0 - 0.999f32.powi(self.steps)).sqrt();
        let count = match self.net.head {
            Head::Sigmoid | Head::Values => batch.len(),
            Head::Linear => batch.iter().filter(|label| !label.sibling).count(),
        };
        let how = [rate, 1.0 / count as f32, root, settings.keep];
        let parts = &self.parts;
        let piece = self.net.values.len().div_ceil(CHUNKS);
        self.net
            .values
            .par_chunks_mut(piece)
            .zip(self.first_moment.par_chunks_mut(piece))
            .zip(self.second_moment.par_chunks_mut(piece))
            .zip(self.mean.par_chunks_mut(piece))
            .enumerate()
            .for_each(|(index, (((values, m), v), mean))| {
                let from = index * piece;
                let gradients: Vec<&[f32]> = parts
                    .iter()
                    .map(|part| &part.gradient[from..from + values.len()])
                    .collect();
                adam::<0>(values, &gradients, m, v, mean, how);
            });
        loss / count as f64
    }
}

/// Returns a batch in at most `CHUNKS` parts; the plays of a roll are not torn.
fn chunks(batch: &[Label], head: Head) -> Vec<&[Label]> {
    let size = batch.len().div_ceil(CHUNKS).max(1);
    if head != Head::Linear {
        return batch.chunks(size).collect();
    }
    let (mut parts, mut rest) = (Vec::new(), batch);
    while !rest.is_empty() {
        let later = rest.iter().skip(size);
        let torn = later.take_while(|label| label.sibling).count();
        let (part, after) = rest.split_at(rest.len().min(size + torn));
        parts.push(part);
        rest = after;
    }
    parts
}

impl ChunkGradient {
    fn work(&mut self, net: &Net, labels: &[Label], pairs: f32) {
        self.gradient.fill(0.0);
        (self.loss, self.greatest) = (0.0, 0.0);
        self.pairs = [0.0; 2];
        match net.head {
            Head::Linear => return self.rolls(net, labels),
            Head::Values => return self.values(net, labels),
            Head::Sigmoid => {}
        }
        match net.second {
            16 => self.all::<16>(net, labels, pairs),
            64 => self.all::<64>(net, labels, pairs),
            _ => self.all::<32>(net, labels, pairs),
        }
    }

    /// Computes the slopes of a label and the siblings after it as the plays of a roll.
    fn rolls(&mut self, net: &Net, labels: &[Label]) {
        self.group.transpose::<RESULTS>(net);
        for plays in labels.chunk_by(|_, next| next.sibling) {
            self.group.forward::<RESULTS>(net, plays);
            let found: Vec<_> = self.group.passes.iter().map(|pass| pass.out).collect();
            let slopes = self.group.d2.as_chunks_mut::<RESULTS>().0;
            let loss = f64::from(ranking::slopes(plays, &found, slopes));
            self.loss += loss;
            self.greatest = self.greatest.max(loss);
            self.back_below::<RESULTS>(net, plays.len());
        }
    }

    /// Computes the slopes of each target by itself: squared errors.
    fn values(&mut self, net: &Net, labels: &[Label]) {
        self.group.transpose::<RESULTS>(net);
        for labels in labels.chunks(GROUP) {
            self.group.forward::<RESULTS>(net, labels);
            let slopes = self.group.d2.as_chunks_mut::<RESULTS>().0;
            for ((label, pass), slopes) in labels.iter().zip(&self.group.passes).zip(slopes) {
                let targets = label.targets();
                *slopes = std::array::from_fn(|k| pass.out[k] - targets[k]);
                let loss: f32 = slopes.iter().map(|error| error * error / 2.0).sum();
                self.loss += f64::from(loss);
                self.greatest = self.greatest.max(loss.into());
            }
            self.back_below::<RESULTS>(net, labels.len());
        }
    }

    fn all<const H: usize>(&mut self, net: &Net, mut labels: &[Label], weight: f32) {
        self.group.transpose::<H>(net);
        while !labels.is_empty() {
            let mut count = labels.len().min(GROUP);
            // A pair is not torn, unless there is nothing but siblings.
            if count > 1 && labels.get(count).is_some_and(|label| label.sibling) {
                count -= 1;
            }
            let (group, rest) = labels.split_at(count);
            labels = rest;
            self.group.forward::<H>(net, group);
            self.back::<H>(net, group, weight);
        }
    }

    /// Adds what a group of labels teaches to the gradient.
    fn back<const H: usize>(&mut self, net: &Net, labels: &[Label], weight: f32) {
        let mut index = 0;
        while let Some(label) = labels.get(index) {
            let sibling = labels.get(index + 1).filter(|label| label.sibling);
            let mut slopes = [[0.0; 5]; 2];
            if let Some(sibling) = sibling {
                let passes = [index, index + 1].map(|index| self.group.passes[index]);
                let [one, two] = passes.map(|pass| Chances::from_array(pass.out).equity());
                let error = (one - two) - (label.equity() - sibling.equity());
                self.pairs[0] += f64::from(error * error);
                self.pairs[1] += 1.0;
                for (pass, (slope, sign)) in passes.iter().zip(slopes.iter_mut().zip([1.0, -1.0])) {
                    for k in 0..5 {
                        let p = pass.out[k];
                        slope[k] = sign * 2.0 * weight * error * ranking::EQUITY[k] * p * (1.0 - p);
                    }
                }
            }
            for (label, slopes) in [Some(label), sibling].into_iter().flatten().zip(slopes) {
                let before = self.loss;
                self.back_one::<H>(net, index, label, slopes);
                self.greatest = self.greatest.max(self.loss - before);
                index += 1;
            }
        }
        self.back_below::<H>(net, labels.len());
    }

    /// Computes the part of the gradient below the second layer's sums, for the `count` labels of the group.
    fn back_below<const H: usize>(&mut self, net: &Net, count: usize) {
        let (l, first) = (net.layout(), net.first);
        let LabelGroup {
            rows,
            ends,
            a1,
            d1,
            d2,
            transposed,
            ..
        } = &mut self.group;
        let (a1, d1, d2) = (
            &a1[..count * first],
            &mut d1[..count * first],
            &d2[..count * H],
        );
        outer::<H>(a1, first, d2, &mut self.gradient[l.weights2..l.bias2]);
        let most = net.most_passed_on();
        let back = match net.head {
            Head::Linear | Head::Values => second_layer_back::<LEAKY>,
            Head::Sigmoid => second_layer_back_of(net.activation),
        };
        back(a1, first, transposed, d2, most, d1);
        let (table, bias1) = self.gradient[..l.weights2].split_at_mut(l.bias1);
        for d1 in d1.chunks_exact(first) {
            for (g, d) in bias1.iter_mut().zip(d1) {
                *g += d;
            }
        }
        scatter::<0>(d1, first, Rows { list: rows, ends }, table);
    }

    /// Adds what label number `index` of the group teaches to the gradient above the second layer's weights; `slopes`
    /// are further slopes of the loss over the outputs before their sigmoids.
    fn back_one<const H: usize>(
        &mut self,
        net: &Net,
        index: usize,
        label: &Label,
        slopes: [f32; 5],
    ) {
        let (l, values) = (net.layout(), &net.values);
        let Pass { a2, out, open } = &self.group.passes[index];
        let mut d2 = [0.0; H];
        let targets = label.targets();
        for k in (0..5).filter(|&k| open[k]) {
            let weights = &values[l.weights3 + k * H..l.weights3 + (k + 1) * H];
            let (p, target) = (out[k], targets[k]);
            self.loss += f64::from(OUTPUT_WEIGHTS[k] * divergence(target, p));
            let d = OUTPUT_WEIGHTS[k] * (p - target) + slopes[k];
            self.gradient[l.bias3 + k] += d;
            let gradient = &mut self.gradient[l.weights3 + k * H..l.weights3 + (k + 1) * H];
            for j in 0..H {
                gradient[j] += d * a2[j];
                d2[j] += d * weights[j];
            }
        }
        let most = net.limits.second_most();
        for j in 0..H {
            if a2[j] <= 0.0 || a2[j] >= most {
                d2[j] = 0.0;
            }
            self.gradient[l.bias2 + j] += d2[j];
        }
        self.group.d2[index * H..(index + 1) * H].copy_from_slice(&d2);
    }
}

impl LabelGroup {
    /// Turns the second layer's weights round, for the way back.
    fn transpose<const H: usize>(&mut self, net: &Net) {
        let l = net.layout();
        let weights = net.values[l.weights2..l.bias2].chunks_exact(H);
        for (unit, weights) in weights.enumerate() {
            let rows = self.transposed.chunks_exact_mut(net.first);
            for (row, weight) in rows.zip(weights) {
                row[unit] = *weight;
            }
        }
    }

    fn forward<const H: usize>(&mut self, net: &Net, labels: &[Label]) {
        let (l, values) = (net.layout(), &net.values);
        // Only the plays of a roll can be more than there is room for.
        if self.a1.len() < labels.len() * net.first {
            self.a1.resize(labels.len() * net.first, 0.0);
            self.d1.resize(labels.len() * net.first, 0.0);
            self.d2.resize(labels.len() * net.second, 0.0);
        }
        self.rows.clear();
        self.ends.clear();
        self.passes.clear();
        for label in labels {
            let active = net.set.values(&label.position);
            let rows = active
                .iter()
                .map(|&(row, x)| ((row * net.first) as u32, x as f32));
            self.rows.extend(rows);
            self.ends.push(self.rows.len());
        }
        let rows = Rows {
            list: &self.rows,
            ends: &self.ends,
        };
        let (base, table) = (&values[l.bias1..l.weights2], &values[l.rows..l.bias1]);
        let limit = f32::from(net.limits.first);
        accumulate_of(net.activation)(base, table, rows, limit, &mut self.a1);
        for (label, a1) in labels.iter().zip(self.a1.chunks_exact(net.first)) {
            let pass = Pass::forward::<H>(net, label, a1);
            self.passes.push(pass);
        }
    }
}

impl Pass {
    fn forward<const H: usize>(net: &Net, label: &Label, a1: &[f32]) -> Pass {
        let (l, values) = (net.layout(), &net.values);
        let open = match label.kind {
            1 => open_in_races(&label.position),
            _ => [true; 5],
        };
        let mut pass = Pass {
            a2: [0.0; SECOND_MAX],
            out: [0.0; 5],
            open,
        };
        if net.head.is_linear() {
            let weights = values[l.weights2..l.bias2].chunks_exact(RESULTS);
            for (a, weights) in a1.iter().zip(weights) {
                for k in 0..RESULTS {
                    pass.out[k] += a * weights[k];
                }
            }
            return pass;
        }
        let mut bias2 = [0.0; H];
        bias2.copy_from_slice(&values[l.bias2..l.bias2 + H]);
        let most = net.limits.second_most();
        let a2 = second_layer::<H>(a1, &values[l.weights2..l.bias2], &bias2, most);
        pass.a2[..H].copy_from_slice(&a2);
        for k in 0..5 {
            let weights = &values[l.weights3 + k * H..l.weights3 + (k + 1) * H];
            let mut z = values[l.bias3 + k];
            for j in 0..H {
                z += weights[j] * a2[j];
            }
            pass.out[k] = if open[k] { sigmoid(z) } else { 0.0 };
        }
        pass
    }
}

/// Returns the cross-entropy of `p` under `target`, less the entropy of `target` where that lies within 0 to 1.
fn divergence(target: f32, p: f32) -> f32 {
    let term = |t: f32, q: f32| {
        let own = if t > 0.0 { t.min(1.0).ln() } else { 0.0 };
        t * (own - q.max(1e-7).ln())
    };
    term(target, p) + term(1.0 - target, 1.0 - p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::eval::nets::InputSet;
    use gammond_engine::nn::{Activation, Limits};
    use gammond_game::Position;

    /// The gradient against the slope of what is minimised, at every tenth parameter.
    #[test]
    fn the_gradient_is_the_slope() {
        for activation in Activation::ALL {
            gradient_is_slope(activation, Limits::default());
        }
        gradient_is_slope(Activation::Screlu, Limits::WIDE);
    }

    /// The same for linear heads, over the plays of two rolls.
    #[test]
    fn the_gradient_of_a_linear_head_is_the_slope() {
        // A unit out of its range has a slope on purpose, so that it can come back; what all plays have in common puts more units there.
        for (head, parts, share) in [(Head::Linear, 2, 50), (Head::Values, CHUNKS, 25)] {
            gradient_of_small_net(head, parts, share);
        }
    }

    /// Checks gradients with the work divided into `parts`; one weight in `share` may have another gradient.
    fn gradient_of_small_net(head: Head, parts: usize, share: usize) {
        let net = Net::random_small(head, 64, &mut gammond_base::rng::stream(8, 0));
        let mut labels = Vec::new();
        for roll in [3, 17] {
            let mut after = Vec::new();
            let roll = gammond_game::Roll::ALL[roll];
            gammond_game::generate_plays(&Position::start(), roll, &mut after);
            for (index, position) in after.into_iter().enumerate() {
                let win = 0.3 + 0.4 / (1.0 + index as f32);
                let label = Label::new(position, 0, [win, 0.1, 0.0, 0.2, 0.0]);
                labels.push(if index == 0 {
                    label
                } else {
                    label.beside_the_last()
                });
            }
        }
        assert!(labels.len() > 10);
        let objective = |net: &Net| {
            let mut trainer = Trainer::new(net.clone());
            trainer.gradient(&labels, 0.0)
        };
        let mut trainer = Trainer::new(net.clone());
        trainer.gradient(&labels, 0.0);
        // No roll of a ranking is torn, however many parts there are.
        let used = trainer.parts.iter().filter(|part| part.loss > 0.0);
        assert_eq!(used.count(), parts);
        let sum = |index: usize| trainer.parts.iter().map(|part| part.gradient[index]).sum();
        let gradient: Vec<f32> = (0..net.values.len()).map(sum).collect();
        let (apart, of) = apart_from_the_slope(&net, &gradient, objective, 0.1);
        assert!(apart <= of / share, "{apart} of {of}");
    }

    /// Tries one weight of ten. Returns the number of weights whose gradient is off the slope of the objective by more
    /// than 2 % of `scale` and itself, and the number tried.
    fn apart_from_the_slope(
        net: &Net,
        gradient: &[f32],
        objective: impl Fn(&Net) -> f64,
        scale: f64,
    ) -> (usize, usize) {
        const STEP: f32 = 1e-2;
        let tried = (0..gradient.len()).step_by(10);
        let apart = tried.clone().filter(|&index| {
            let moved = |by: f32| {
                let mut net = net.clone();
                net.values[index] += by;
                objective(&net)
            };
            let slope = (moved(STEP) - moved(-STEP)) / (2.0 * f64::from(STEP));
            let given = f64::from(gradient[index]);
            (slope - given).abs() > 0.02 * (scale + given.abs())
        });
        (apart.count(), tried.len())
    }

    fn gradient_is_slope(activation: Activation, limits: Limits) {
        let net = Net {
            activation,
            limits,
            ..Net::random(InputSet::COUNTS_HAND, 64, 16, 8)
        };
        let start = Position::start();
        let mut after = Vec::new();
        gammond_game::generate_plays(&start, gammond_game::Roll::ALL[20], &mut after);
        let other = after[0];
        let labels = [
            Label::new(start, 0, [0.9, 0.4, 0.1, 0.05, -0.1]),
            Label::new(other, 0, [0.3, 0.1, 0.0, 0.3, 0.1]).beside_the_last(),
            Label::new(other, 0, [0.5, 0.2, 0.0, 0.3, 0.1]),
        ];
        let weight = 3.0;
        let objective = |net: &Net| {
            let mut trainer = Trainer::new(net.clone());
            // One chunk, so that the pair is not torn.
            let part = &mut trainer.parts[0];
            part.work(net, &labels, weight);
            part.loss + f64::from(weight) * part.pairs[0]
        };
        let mut trainer = Trainer::new(net.clone());
        trainer.parts[0].work(&net, &labels, weight);
        assert_eq!(trainer.parts[0].pairs[1], 1.0);
        let gradient = trainer.parts[0].gradient.clone();
        // Clipping makes corners, at which the two may differ.
        let (apart, of) = apart_from_the_slope(&net, &gradient, objective, 1.0);
        assert!(apart <= of / 100, "{apart} of {of}");
        assert!(gradient.iter().any(|g| g.abs() > 0.1));
    }

    /// A weight that was moved once and never again keeps no denormal moment, which would slow every later step.
    #[test]
    fn moments_of_weights_without_gradients_end_at_zero() {
        let mut trainer = Trainer::new(Net::random(InputSet::COUNTS, 64, 16, 8));
        let start = Position::start();
        let mut after = Vec::new();
        gammond_game::generate_plays(&start, gammond_game::Roll::ALL[20], &mut after);
        let label = |position| [Label::new(position, 0, [0.6, 0.2, 0.0, 0.1, 0.0])];
        let settings = StepSettings {
            rate: 1e-3,
            pairs: 0.0,
            keep: 0.99,
        };
        trainer.step(&label(after[0]), settings);
        for _ in 0..1200 {
            trainer.step(&label(start), settings);
        }
        let moments = &trainer.first_moment;
        assert!(!moments.iter().any(|moment| moment.is_subnormal()));
        let rest = |(moment, gradient): (&f32, &f32)| *moment == 0.0 && *gradient == 0.0;
        let gradient = &trainer.parts[0].gradient;
        assert!(moments.iter().zip(gradient).any(rest));
    }

    /// TP-06. Outputs that the rules exclude in a race are not learned: their weights have no slope.
    #[test]
    fn outputs_impossible_in_races_have_no_gradient() {
        let mut counts = [0; 25];
        counts[5] = 15;
        let home = counts;
        counts[6] = 14;
        counts[5] = 0;
        // A player who has borne off a checker loses no gammon, and has none left in the other's home.
        let race = Position::new(&counts, &home).unwrap();
        for (kind, open) in [(1, [true, true, false, false, false]), (0, [true; 5])] {
            let mut trainer = Trainer::new(Net::random(InputSet::COUNTS, 64, 16, 8));
            let label = Label::new(race, kind, [0.9, 0.4, 0.1, 0.05, 0.2]);
            trainer.gradient(&[label], 0.0);
            let l = trainer.net.layout();
            let gradient = &trainer.parts[0].gradient;
            let slopes: Vec<bool> = (0..5)
                .map(|k| gradient[l.weights3 + 16 * k..l.weights3 + 16 * (k + 1)].iter())
                .map(|mut slopes| slopes.any(|slope| *slope != 0.0))
                .collect();
            assert_eq!(slopes, open);
        }
    }
}
