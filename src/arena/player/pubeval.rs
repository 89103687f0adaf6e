//! Tesauro's public linear evaluator (1993), the classical benchmark opponent.
//!
//! Two vectors of 122 weights, published by their author. The board is seen by the player who has
//! just moved. Source of the weights: `pubeval.csv`.

use super::{Player, PlayerError, best_by};
use gammond_base::rng::ChaCha8Rng;
use gammond_game::{BAR, Position, Roll};

const CSV: &str = include_str!("pubeval.csv");

/// The linear player.
#[derive(Debug)]
pub(super) struct PubEval {
    contact: [f32; 122],
    race: [f32; 122],
}

impl Default for PubEval {
    fn default() -> PubEval {
        let (mut contact, mut race) = ([0.0; 122], [0.0; 122]);
        for line in CSV.lines().skip(1) {
            let mut fields = line.split(',');
            let index: Option<usize> = fields.next().and_then(|f| f.parse().ok());
            let mut weight = || fields.next().and_then(|f| f.parse::<f32>().ok());
            if let (Some(index), Some(c), Some(r)) = (index, weight(), weight())
                && index < 122
            {
                (contact[index], race[index]) = (c, r);
            }
        }
        PubEval { contact, race }
    }
}

/// Returns the inputs of a position after a play, the opponent on roll.
fn inputs(after: &Position) -> [f32; 122] {
    let (mover, other) = (after.opponent(), after.me());
    let mut x = [0.0; 122];
    for j in 0..24 {
        let (mine, theirs) = (mover.count(23 - j), other.count(j));
        let x = &mut x[5 * j..5 * j + 5];
        x[0] = f32::from(u8::from(theirs == 1));
        x[1] = f32::from(u8::from(mine == 1));
        x[2] = f32::from(u8::from(mine >= 2));
        x[3] = f32::from(u8::from(mine == 3));
        x[4] = f32::from(mine.saturating_sub(3)) / 2.0;
    }
    x[120] = f32::from(other.count(BAR)) / 2.0;
    x[121] = f32::from(mover.off()) / 15.0;
    x
}

/// Returns PubEval's score of a position after a play, the opponent on roll; by the weights of races if `race` is
/// true.
#[must_use]
pub fn pubeval_score(after: &Position, race: bool) -> f32 {
    PubEval::default().score(after, race)
}

impl PubEval {
    fn score(&self, after: &Position, race: bool) -> f32 {
        if after.opponent().on_board() == 0 {
            return f32::MAX;
        }
        let weights = if race { &self.race } else { &self.contact };
        weights.iter().zip(inputs(after)).map(|(w, x)| w * x).sum()
    }
}

impl Player for PubEval {
    fn name(&self) -> String {
        "pubeval".to_owned()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let race = !position.has_contact();
        Ok(best_by(position, roll, |after| self.score(after, race)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_all_there() {
        let player = PubEval::default();
        assert_eq!(CSV.lines().count(), 123);
        assert_eq!(player.contact[0], 0.25696);
        assert!(player.contact[121] != 0.0 && player.race[121] != 0.0);
    }

    #[test]
    fn inputs_of_the_start() {
        let x = inputs(&Position::start());
        let set: Vec<(usize, f32)> = (0..122)
            .filter(|&i| x[i] != 0.0)
            .map(|i| (i, x[i]))
            .collect();
        // Two on the 24 point, five on the 13 point, three on the 8 point, five on the 6 point.
        let wanted = [
            (2, 1.0),
            (57, 1.0),
            (59, 1.0),
            (82, 1.0),
            (83, 1.0),
            (92, 1.0),
            (94, 1.0),
        ];
        assert_eq!(set, wanted);
    }
}
