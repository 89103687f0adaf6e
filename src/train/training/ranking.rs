//! Loss of a net that ranks (TP-11 of `protocol-specs/training-files.md`): it learns how the plays of a roll *differ*,
//! the good ones above all. What all of them have in common does not matter for a ranking.

use super::shard::Label;
use gammond_engine::nn::RESULTS;

/// Equity that one unit of each output adds.
pub(super) const EQUITY: [f32; RESULTS] = [2.0, 1.0, 1.0, -1.0, -1.0];
/// Weight of each chance by itself beside the equity, for other values of gammons.
const ALONE: [f32; RESULTS] = [0.6, 0.3, 0.1, 0.3, 0.1];
/// Plays this much worse than the best count a third as much.
const SCALE: f32 = 0.08;
/// Weight of a very bad play, beside 1 for the best.
const BACKGROUND: f32 = 0.12;

/// Returns the equity of outputs or chances, without its constant.
pub(super) fn equity(values: &[f32; RESULTS]) -> f32 {
    let parts = values.iter().zip(EQUITY);
    parts.map(|(value, part)| value * part).sum()
}

/// Returns the loss of a net that finds `found` for the plays of a roll, and its slopes over these outputs. The
/// labels are those of the positions after the plays, the opponent on roll: least is best.
pub(super) fn slopes(
    plays: &[Label],
    found: &[[f32; RESULTS]],
    slopes: &mut [[f32; RESULTS]],
) -> f32 {
    let wanted: Vec<[f32; RESULTS]> = plays.iter().map(Label::targets).collect();
    let weights = weights(&wanted);
    let mean = |all: &[[f32; RESULTS]], k: usize| -> f32 {
        let parts = all.iter().zip(&weights);
        parts.map(|(values, weight)| values[k] * weight).sum()
    };
    let offset: [f32; RESULTS] = std::array::from_fn(|k| mean(found, k) - mean(&wanted, k));
    let mut loss = 0.0;
    let plays = found.iter().zip(&wanted).zip(&weights).zip(slopes);
    for (((found, wanted), weight), slope) in plays {
        let error: [f32; RESULTS] = std::array::from_fn(|k| found[k] - wanted[k] - offset[k]);
        let together = equity(&error);
        let alone = error
            .iter()
            .zip(ALONE)
            .map(|(error, part)| part * error * error);
        loss += weight * (together * together + alone.sum::<f32>());
        // The offset's own share of the slope is zero: weighted errors add up to none.
        *slope =
            std::array::from_fn(|k| 2.0 * weight * (together * EQUITY[k] + ALONE[k] * error[k]));
    }
    loss
}

/// Returns the weight of each play; they add up to 1.
fn weights(wanted: &[[f32; RESULTS]]) -> Vec<f32> {
    let equities: Vec<f32> = wanted.iter().map(equity).collect();
    let best = equities.iter().copied().fold(f32::INFINITY, f32::min);
    let weight = |equity: f32| BACKGROUND + ((best - equity) / SCALE).exp();
    let mut weights: Vec<f32> = equities.into_iter().map(weight).collect();
    let total: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Position;

    /// TP-11, written out for two plays.
    #[test]
    fn the_loss_is_that_of_the_rule() {
        let targets = [[0.5, 0.1, 0.0, 0.2, 0.0], [0.6, 0.1, 0.0, 0.2, 0.0]];
        let plays = targets.map(|targets| Label::new(Position::start(), 0, targets));
        let found = [[0.4, 0.2, 0.0, 0.2, 0.0], [0.7, 0.1, 0.0, 0.1, 0.0]];
        // The second play is worse by 0.2 for its player.
        let second = (0.12 + (-0.2_f64 / 0.08).exp()) / (0.24 + 1.0 + (-0.2_f64 / 0.08).exp());
        let weights = [1.0 - second, second];
        let errors: [[f64; 5]; 2] = [[-0.1, 0.1, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, -0.1, 0.0]];
        let mut expected = 0.0;
        for (weight, error) in weights.iter().zip(&errors) {
            let centred: [f64; 5] = std::array::from_fn(|k| {
                error[k] - weights[0] * errors[0][k] - weights[1] * errors[1][k]
            });
            let equity = 2.0 * centred[0] + centred[1] + centred[2] - centred[3] - centred[4];
            let alone = [0.6, 0.3, 0.1, 0.3, 0.1].iter().zip(centred);
            let alone: f64 = alone.map(|(part, error)| part * error * error).sum();
            expected += weight * (equity * equity + alone);
        }
        let loss = f64::from(slopes(&plays, &found, &mut [[0.0; RESULTS]; 2]));
        assert!((loss - expected).abs() < 1e-4, "{loss} {expected}");
    }
}
