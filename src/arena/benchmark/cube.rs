//! The cube action measure: the errors of a player's chances at 31 scores.

use gammond_engine::equity::MatchEquityTable;
use gammond_engine::equity::doubling0::{Decision0, DecisionState, decide};
use gammond_game::{Chances, Position};

/// The 31 scores: points that the player on roll needs, points that the opponent needs.
pub const SCORES: [(i32, i32); 31] = {
    const BOTH: [(i32, i32); 13] = [
        (2, 3),
        (2, 4),
        (2, 5),
        (2, 6),
        (2, 7),
        (3, 4),
        (3, 5),
        (3, 6),
        (3, 7),
        (4, 5),
        (4, 6),
        (4, 7),
        (5, 7),
    ];
    let mut all = [(7, 7); 31];
    (all[1], all[2], all[3], all[4]) = ((3, 3), (5, 5), (9, 9), (25, 25));
    let mut i = 0;
    while i < BOTH.len() {
        (all[5 + 2 * i], all[6 + 2 * i]) = (BOTH[i], (BOTH[i].1, BOTH[i].0));
        i += 1;
    }
    all
};

/// The measure of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CubeLoss {
    /// Scores at which the decision differs.
    pub errors: u32,
    /// Sum over the scores of the equity gap times how far towards the right chances one must go.
    pub measure: f64,
    /// Sum over the scores of the match winning chance lost.
    pub mwc: f64,
    /// Match winning chance lost by a wrong double decision; 0 except at 7-away, 7-away.
    pub double_mwc: f64,
    /// Match winning chance lost by a wrong take decision; 0 except at 7-away, 7-away.
    pub take_mwc: f64,
}

/// Compares decisions made from the player's chances `own` with those from the rolled-out `right`.
#[must_use]
pub fn cube_loss(
    position: &Position,
    own: &Chances,
    right: &Chances,
    table: &MatchEquityTable,
) -> CubeLoss {
    let race = (!position.has_contact()).then_some(position);
    let gap = (f64::from(right.equity()) - f64::from(own.equity())).abs();
    let [from, to] = [own, right].map(|chances| chances.to_array().map(f64::from));
    let mut loss = CubeLoss::default();
    for (mine, theirs) in SCORES {
        let spot = DecisionState {
            mine,
            theirs,
            cube: 1,
        };
        let by = |chances: &[f64; 5]| decide(chances, spot, race, table);
        let (a, b) = (by(&from), by(&to));
        if (mine, theirs) == (7, 7) {
            (loss.double_mwc, loss.take_mwc) = simple(&a, &b);
        }
        if a.answers() == b.answers() {
            continue;
        }
        let (mut wrong, mut correct) = (0.0f64, 1.0f64);
        for _ in 0..3 {
            let middle = f64::midpoint(wrong, correct);
            if by(&between(&from, &to, middle)).answers() == b.answers() {
                correct = middle;
            } else {
                wrong = middle;
            }
        }
        loss.errors += 1;
        loss.measure += gap * correct;
        loss.mwc += (b.worth(&b) - b.worth(&a)).abs();
    }
    loss
}

fn between(from: &[f64; 5], to: &[f64; 5], t: f64) -> [f64; 5] {
    std::array::from_fn(|k| (1.0 - t) * from[k] + t * to[k])
}

/// Returns the losses of wrong double and take decisions, by the right equities.
fn simple(own: &Decision0, right: &Decision0) -> (f64, f64) {
    let lost = (right.worth(right) - right.worth(own)).abs();
    let double = if own.double == right.double {
        0.0
    } else {
        lost
    };
    let take = if own.take == right.take {
        0.0
    } else {
        (right.double_take - right.double_pass).abs()
    };
    (double, take)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BM-31.
    #[test]
    fn thirty_one_different_scores() {
        let mut scores = SCORES.to_vec();
        scores.sort_unstable();
        scores.dedup();
        assert_eq!(scores.len(), 31);
    }
}
