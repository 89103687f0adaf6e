//! Training of one net on its labels, in one round.

use super::alpha::AlphaSchedule;
use super::net::Net;
use super::plan::{Plan, Round};
use super::shard::{Family, Label, gather, shuffle};
use super::step::{StepSettings, Trainer};
use gammond_base::rng::stream;
use gammond_job::{Control, Progress};
use serde::Serialize;

/// One line of `log.jsonl`.
#[derive(Debug, Serialize)]
pub(super) struct Line<'a> {
    round: usize,
    kind: &'a str,
    labels: usize,
    steps: usize,
    /// Mean loss on the newest labels before this round's training.
    fresh: f64,
    /// ... and on those held out after it, when there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<f64>,
    /// Mean loss on the training labels, over the last quarter of the steps.
    loss: f64,
    /// Root mean square error of the equity differences between siblings among the newest labels,
    /// before and after.
    fresh_pairs: f64,
    pairs: f64,
    rate: f32,
    /// Alpha of the last pass, where there is such a schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
}

/// Labels that the log's figures are measured on when none are held out.
const WATCHED: usize = 20_000;

/// Returns the newest families with together about `count` labels.
fn newest(families: &[Family], count: usize) -> usize {
    let mut left = count;
    let taken = families.iter().rev().take_while(|family| {
        let fits = left > 0;
        left = left.saturating_sub(family.size());
        fits
    });
    families.len() - taken.count()
}

fn count(families: &[Family]) -> usize {
    families.iter().map(|family| family.size()).sum()
}

/// Returns the newest labels, on which the log's figures are measured: those held out of training, taken out of
/// `families`, or some that are trained on too.
fn watched(pool: &[Label], families: &mut Vec<Family>, held_out: usize) -> Vec<Label> {
    let watched = match held_out {
        0 => families[newest(families, WATCHED)..].to_vec(),
        held_out => {
            let most = count(families) / 4;
            families.split_off(newest(families, held_out.min(most)))
        }
    };
    gather(pool, &watched).collect()
}

/// Families in the order in which they are trained on.
struct FamilyOrder<'a> {
    pool: &'a [Label],
    families: Vec<Family>,
    at: usize,
    /// Number of labels of this pass that have not been fed.
    left: usize,
    batch: Vec<Label>,
}

impl FamilyOrder<'_> {
    fn next(&mut self, count: usize) -> &[Label] {
        self.batch.clear();
        while let Some(family) = self
            .families
            .get(self.at)
            .filter(|_| self.batch.len() < count)
        {
            self.batch.extend(gather(self.pool, [family]));
            self.at += 1;
        }
        self.left = self.left.saturating_sub(self.batch.len());
        &self.batch
    }
}

/// Returns the root of the mean square of the error in equity differences between siblings.
fn pair_error(trainer: &mut Trainer, labels: &[Label]) -> f64 {
    let [sum, count] = trainer.pair_errors(labels);
    (sum / count.max(1.0)).sqrt()
}

/// Steps between two checks of the stop.
const STEPS_PER_LOOK: usize = 32;

/// Reports the progress of the training; returns false when it is to stop.
fn goes_on(control: &mut Control<'_>, [step, steps]: [usize; 2]) -> bool {
    let progress = Progress::new("steps", step as u64, Some(steps as u64));
    control.report_progress(progress, false);
    !control.stop.is_triggered()
}

/// Trains one net on its labels and returns the averaged net; none when it was stopped before.
pub(super) fn fit<'a>(
    plan: &Plan,
    number: usize,
    round: &Round,
    net: Net,
    (pool, mut families): (&[Label], Vec<Family>),
    kind: &'a str,
    control: &mut Control<'_>,
) -> Option<(Net, Line<'a>)> {
    let mut trainer = Trainer::new(net);
    let unseen = watched(pool, &mut families, plan.held_out);
    let labels = count(&families);
    let (fresh, fresh_pairs) = (trainer.loss(&unseen), pair_error(&mut trainer, &unseen));
    let mut rng = stream(plan.seed ^ 0x7261_696e, number as u64);
    let steps = ((labels as f64 * round.passes / plan.batch as f64) as usize).max(1);
    let (mut sum, mut counted) = (0.0, 0usize);
    let mut feed = FamilyOrder {
        pool,
        at: 0,
        left: 0,
        families,
        batch: Vec::with_capacity(plan.batch + 1),
    };
    let mut schedule = round.alpha.map(AlphaSchedule::new);
    let mut pass = schedule.as_ref().map(AlphaSchedule::first);
    // Sum of the losses of the present pass, batches, the greatest loss of a label.
    let mut seen = (0.0, 0usize, 0.0f64);
    for step in 0..steps {
        if step % STEPS_PER_LOOK == 0 && !goes_on(control, [step, steps]) {
            return None;
        }
        if feed.left < plan.batch {
            if let (Some(schedule), true) = (&mut schedule, seen.1 > 0) {
                pass = Some(schedule.next(seen.0 / seen.1 as f64, seen.2));
                seen = (0.0, 0, 0.0);
            }
            if pass.is_none_or(|pass| pass.reshuffle) {
                shuffle(&mut feed.families, &mut rng);
            }
            (feed.at, feed.left) = (0, labels);
        }
        let done = step as f32 / steps as f32;
        let cosine = 0.5 + 0.5 * (std::f32::consts::PI * done).cos();
        let slope = match (pass, round.alpha) {
            (Some(pass), Some(alpha)) => (pass.alpha / alpha.start) as f32,
            _ => round.rate_end + (1.0 - round.rate_end) * cosine,
        };
        let warm = ((step + 1) as f32 / 200.0).min(1.0);
        let settings = StepSettings {
            rate: round.rate * slope * warm,
            pairs: round.pairs,
            // The mean forgets the beginning quickly while there are few steps.
            keep: plan.keep.min(1.0 - 1.0 / (1.0 + step as f32 * 0.1)),
        };
        let loss = trainer.step(feed.next(plan.batch), settings);
        seen = (
            seen.0 + loss,
            seen.1 + 1,
            seen.2.max(trainer.greatest_loss()),
        );
        if step * 4 >= steps * 3 {
            sum += loss;
            counted += 1;
        }
    }
    let net = trainer.averaged();
    let mut after = Trainer::new(net.clone());
    let line = Line {
        round: number,
        kind,
        labels,
        steps,
        fresh,
        held_out: (plan.held_out > 0).then(|| after.loss(&unseen)),
        loss: sum / counted.max(1) as f64,
        fresh_pairs,
        pairs: pair_error(&mut after, &unseen),
        rate: round.rate,
        alpha: pass.map(|pass| pass.alpha),
    };
    Some((net, line))
}
