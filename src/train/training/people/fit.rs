//! Training of the nets: the chosen one of several choices, by the softmax of their scores.

use super::PeoplePlan;
use super::samples::{Options, Sample, Samples};
use crate::training::watch;
use gammond_base::rng::{below, stream, unit};
use gammond_engine::people::{CUBE_INPUTS, ChoiceNet, PLAY_INPUTS, softmax};
use gammond_job::{Control, Progress};
use rayon::prelude::*;

/// Kinds of decisions, a net each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Play,
    Double,
    Take,
}

impl Kind {
    /// All, in the order of the file.
    pub(super) const ALL: [Kind; 3] = [Kind::Play, Kind::Double, Kind::Take];

    fn is_of(self, sample: &Sample) -> bool {
        self == match sample.options {
            Options::Plays { .. } => Kind::Play,
            Options::Cube { take: false, .. } => Kind::Double,
            Options::Cube { take: true, .. } => Kind::Take,
        }
    }

    const fn inputs(self) -> usize {
        match self {
            Kind::Play => PLAY_INPUTS,
            Kind::Double | Kind::Take => CUBE_INPUTS,
        }
    }
}

/// Weights in training, by Adam (Kingma and Ba 2014).
struct Learner {
    inputs: usize,
    width: usize,
    values: Vec<f32>,
    moments: [Vec<f32>; 2],
    steps: i32,
}

/// Adds `factor` times `b` to `a`.
fn add(a: &mut [f32], factor: f32, b: &[f32]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

impl Learner {
    fn new(inputs: usize, width: usize, seed: u64) -> Learner {
        let mut rng = stream(seed, 0);
        let mut values = vec![0.0; ChoiceNet::size(inputs, width)];
        let spread = 2.0 / (inputs as f32).sqrt();
        for row in values.chunks_exact_mut(inputs + 1).take(width) {
            row[..inputs].fill_with(|| spread * (unit(&mut rng) as f32 - 0.5));
        }
        let out = (inputs + 1) * width;
        values[out..out + width].fill_with(|| 0.2 * (unit(&mut rng) as f32 - 0.5));
        let moments = [vec![0.0; values.len()], vec![0.0; values.len()]];
        Learner {
            inputs,
            width,
            values,
            moments,
            steps: 0,
        }
    }

    fn net(&self) -> Option<ChoiceNet> {
        ChoiceNet::new(self.inputs, self.width, self.values.clone())
    }

    /// Adds the gradient of the logarithm of the chosen one's share.
    fn gradient(&self, sample: &Sample, sum: &mut [f32]) {
        let (inputs, chosen) = sample.inputs();
        let rows = (self.inputs + 1) * self.width;
        let (hidden, rest) = self.values.split_at(rows);
        let (out, direct) = rest.split_at(self.width);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        let mut units = vec![0.0f32; self.width * inputs.len()];
        let mut scores = Vec::with_capacity(inputs.len() + 1);
        for (input, units) in inputs.iter().zip(units.chunks_exact_mut(self.width)) {
            for (unit, row) in units.iter_mut().zip(hidden.chunks_exact(self.inputs + 1)) {
                *unit = (product(&row[..self.inputs], input) + row[self.inputs]).max(0.0);
            }
            scores.push(f64::from(product(out, units) + product(direct, input)));
        }
        if inputs.len() == 1 {
            scores.push(0.0);
        }
        let shares = softmax(scores);
        let (sum_hidden, sum_rest) = sum.split_at_mut(rows);
        let (sum_out, sum_direct) = sum_rest.split_at_mut(self.width);
        for (number, (input, units)) in inputs
            .iter()
            .zip(units.chunks_exact(self.width))
            .enumerate()
        {
            let slope = f32::from(u8::from(number == chosen)) - shares[number] as f32;
            if slope.abs() < 1e-5 {
                continue;
            }
            add(sum_out, slope, units);
            add(sum_direct, slope, input);
            let rows = sum_hidden.chunks_exact_mut(self.inputs + 1);
            for ((row, unit), out) in rows.zip(units).zip(out) {
                if *unit > 0.0 {
                    add(&mut row[..self.inputs], slope * out, input);
                    row[self.inputs] += slope * out;
                }
            }
        }
    }

    fn step(&mut self, batch: &[&Sample], rate: f32) {
        // Always the same parts, so that the sum does not depend on the number of threads.
        let parts: Vec<Vec<f32>> = (batch.par_chunks(32))
            .map(|part| {
                let mut sum = vec![0.0; self.values.len()];
                part.iter()
                    .for_each(|sample| self.gradient(sample, &mut sum));
                sum
            })
            .collect();
        let mut sum = vec![0.0; self.values.len()];
        parts
            .iter()
            .for_each(|part| add(&mut sum, 1.0 / batch.len() as f32, part));
        self.steps += 1;
        let [first, second] = &mut self.moments;
        let bias = [0.9f32, 0.999].map(|decay| 1.0 - decay.powi(self.steps));
        for (((value, slope), first), second) in
            self.values.iter_mut().zip(&sum).zip(first).zip(second)
        {
            *first += 0.1 * (slope - *first);
            *second += 0.001 * (slope * slope - *second);
            let change = *first / bias[0] / ((*second / bias[1]).sqrt() + 1e-8);
            *value += rate * (change - 1e-4 * *value);
        }
    }
}

/// Returns the mean logarithm of the chosen one's share, and how often the largest share was chosen.
pub(super) fn known<'a>(
    net: &ChoiceNet,
    samples: impl Iterator<Item = &'a Sample>,
) -> (f64, f64, usize) {
    let (mut sum, mut top, mut count) = (0.0, 0.0, 0);
    for sample in samples {
        let (inputs, chosen) = sample.inputs();
        let mut scores: Vec<f64> = inputs.iter().map(|input| net.score(input).into()).collect();
        if scores.len() == 1 {
            scores.push(0.0);
        }
        let shares = softmax(scores);
        sum += shares[chosen].ln();
        top += f64::from(u8::from(
            shares.iter().all(|share| *share <= shares[chosen]),
        ));
        count += 1;
    }
    let all = count.max(1) as f64;
    (sum / all, top / all, count)
}

/// Trains the net of a kind of decisions; `None` when it was stopped.
pub(super) fn net(
    plan: &PeoplePlan,
    kind: Kind,
    samples: &Samples,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Option<ChoiceNet> {
    let width = plan.width[usize::from(kind != Kind::Play)];
    let mut learner = Learner::new(kind.inputs(), width, plan.seed);
    let of_kind = |held: bool| {
        let all = samples.all.iter();
        all.filter(move |sample| kind.is_of(sample) && sample.held_out == held)
    };
    let mut order: Vec<&Sample> = of_kind(false).collect();
    let mut rng = stream(plan.seed, 1);
    control.task = format!("{kind:?}");
    for pass in 0..plan.passes {
        let progress = Progress::new("passes", pass as u64, Some(plan.passes as u64));
        control.report_progress(progress, false);
        if control.stop.is_triggered() {
            return None;
        }
        for index in (1..order.len()).rev() {
            order.swap(index, below(&mut rng, index as u32 + 1) as usize);
        }
        let rate = plan.rate * watch::cosine(pass as f32 / plan.passes as f32);
        for batch in order.chunks(plan.batch) {
            learner.step(batch, rate);
        }
        let net = learner.net()?;
        let [learnt, held] =
            [false, true].map(|held| known(&net, of_kind(held).step_by(if held { 1 } else { 7 })));
        report(&format!(
            "{kind:?} pass {pass}: log share {:.4}, held out {:.4}, the largest share in {:.1} % of {}",
            learnt.0,
            held.0,
            100.0 * held.1,
            held.2
        ));
    }
    learner.net()
}
