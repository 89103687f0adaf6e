//! Look-ahead without cuts (expectiminimax, Michie 1966): the best play, the mean over 21 rolls, the opponent's best
//! play, and so on to a fixed depth, where another player values the position.

use super::{Player, PlayerError, check_fifteen};
use gammond_base::rng::ChaCha8Rng;
use gammond_game::{Chances, Position, Roll, Variant, generate_plays};

/// Deepest search: a ply more costs some four hundred times as much.
pub(super) const DEPTH_MAX: u8 = 2;

/// A player that looks ahead over all rolls.
pub(super) struct Expectiminimax {
    depth: u8,
    eval: Box<dyn Player>,
}

impl Expectiminimax {
    /// Creates a player that looks `depth` plies ahead, counting its own play; `None` if `eval` has no values.
    pub(super) fn new(depth: u8, eval: Box<dyn Player>) -> Option<Expectiminimax> {
        eval.chances(&Position::start())?;
        Some(Expectiminimax { depth, eval })
    }

    /// Returns the chances of the player on roll before the roll.
    fn value(&self, position: &Position, depth: u8) -> Chances {
        if let Some(outcome) = position.outcome() {
            return outcome.chances();
        }
        if depth == 0 {
            return self.eval.chances(position).unwrap_or_default();
        }
        let mut sum = [0.0; 5];
        for roll in Roll::ALL {
            let (chances, _) = self.best(position, roll, depth);
            for (sum, chance) in sum.iter_mut().zip(chances.to_array()) {
                *sum += f64::from(roll.weight()) * f64::from(chance);
            }
        }
        Chances::from_array(sum.map(|sum| (sum / 36.0) as f32))
    }

    /// Returns the best play and the chances of the player who makes it; the first of equals.
    fn best(&self, position: &Position, roll: Roll, depth: u8) -> (Chances, Position) {
        let mut plays = Vec::new();
        generate_plays(position, roll, &mut plays);
        let mut best: Option<(Chances, Position)> = None;
        for after in plays {
            let chances = self.value(&after, depth.saturating_sub(1)).inverted();
            if best.is_none_or(|(known, _)| chances.equity() > known.equity()) {
                best = Some((chances, after));
            }
        }
        best.unwrap_or_else(|| {
            let after = position.swapped();
            (
                self.value(&after, depth.saturating_sub(1)).inverted(),
                after,
            )
        })
    }
}

impl Player for Expectiminimax {
    fn name(&self) -> String {
        let eval = self.eval.name();
        format!("expectiminimax:depth={}:eval={eval}", self.depth)
    }

    fn identity(&self) -> Result<String, PlayerError> {
        let eval = self.eval.identity()?;
        Ok(format!("expectiminimax, depth {}, of {eval}", self.depth))
    }

    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        check_fifteen(self, variant)
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        Ok(self.best(position, roll, self.depth).1)
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        Some(self.value(position, self.depth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;
    use gammond_base::rng::stream;
    use gammond_engine::bearoff::Tables;

    fn player(text: &str) -> Box<dyn Player> {
        text.parse::<PlayerSpec>().unwrap().open().unwrap()
    }

    /// One roll of mine, and then one of an opponent who cannot fail: the values of the leaves do not matter.
    #[test]
    fn endings_are_exact() {
        let tables = Tables::shared();
        for mine in [[0, 0, 0, 0, 1, 1], [0, 1, 0, 0, 0, 1], [0, 0, 0, 2, 0, 0]] {
            let position = Position::from_points(&mine, &[1]).unwrap();
            let exact = tables.chances(&position).unwrap().win;
            let found = player("expectiminimax:depth=2").chances(&position).unwrap();
            assert!(
                (found.win - exact).abs() < 1e-4,
                "{mine:?}: {} {exact}",
                found.win
            );
            assert!(exact > 0.0 && exact < 1.0);
        }
    }

    /// At one ply it plays as its evaluator does.
    #[test]
    fn one_ply_is_the_evaluator_itself() {
        let mut chance = stream(1, 1);
        for eval in ["gammond", "linear"] {
            let (one, deep) = (
                player(&format!("expectiminimax:depth=1:eval={eval}")),
                player(&format!("expectiminimax:depth=2:eval={eval}")),
            );
            let eval = player(eval);
            let start = Position::start();
            let mut others = 0;
            for roll in Roll::ALL {
                let play = |player: &dyn Player, chance: &mut ChaCha8Rng| {
                    player.play(&start, roll, chance).unwrap()
                };
                assert_eq!(
                    play(&*one, &mut chance),
                    play(&*eval, &mut chance),
                    "{roll}"
                );
                if eval.name() == "linear" && [1, 2].contains(&roll.low()) {
                    others += u32::from(play(&*one, &mut chance) != play(&*deep, &mut chance));
                }
            }
            assert!(
                eval.name() != "linear" || others > 0,
                "looking deeper never mattered"
            );
        }
    }
}
