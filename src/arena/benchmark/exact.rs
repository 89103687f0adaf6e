//! Records of positions whose chances are known: exact equities in place of rollouts.

use gammond_game::notation::{BenchmarkRecord, ListedPlay, PlayRecord, PositionChances};
use gammond_game::{Chances, Position, Roll, generate_plays};

/// The chances of the player on roll where they are known, finished games among them.
pub type ExactChances<'a> = &'a dyn Fn(&Position) -> Option<Chances>;

/// A play and the known results of each of its candidates.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactPlay {
    /// All results of the roll, the best first.
    pub record: PlayRecord,
    /// Their chances, in the same order.
    pub candidates: Vec<PositionChances>,
}

impl ExactPlay {
    /// Returns all results of a roll by the known chances; `None` when some are unknown, or no checker can move.
    #[must_use]
    pub fn of(position: &Position, roll: Roll, known: ExactChances<'_>) -> Option<ExactPlay> {
        let mut after = Vec::new();
        generate_plays(position, roll, &mut after);
        let mut candidates = Vec::with_capacity(after.len());
        for position in after {
            let chances = known(&position)?;
            candidates.push(PositionChances { position, chances });
        }
        // The opponent is on roll, so his least is the mover's most.
        let equity = |one: &PositionChances| f64::from(one.chances.equity());
        candidates.sort_by(|a, b| equity(a).total_cmp(&equity(b)));
        let best = equity(candidates.first()?);
        let record = PlayRecord {
            position: *position,
            roll,
            equity: -best,
            candidates: (candidates.iter())
                .map(|one| ListedPlay {
                    position: one.position,
                    loss: equity(one) - best,
                })
                .collect(),
        };
        Some(ExactPlay { record, candidates })
    }

    /// Returns true if the plays differ.
    #[must_use]
    pub fn is_choice(&self) -> bool {
        self.record.candidates.iter().any(|one| one.loss > 0.0)
    }

    /// Returns the lines of a benchmark file.
    #[must_use]
    pub fn lines(self) -> Vec<BenchmarkRecord> {
        let rolled = self.candidates.into_iter().map(BenchmarkRecord::Rolled);
        let play = BenchmarkRecord::Play(self.record);
        rolled.chain([play]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plays_are_ranked_by_known_values() {
        // Fewer pips are better: an order that can be worked out by hand.
        let by_pips = |position: &Position| {
            Some(Chances {
                win: position.opponent().pips() as f32 / 100.0,
                ..Chances::default()
            })
        };
        let (me, roll) = (
            Position::from_points(&[1, 0, 0, 0, 1], &[2]).unwrap(),
            Roll::new(2, 1).unwrap(),
        );
        let play = ExactPlay::of(&me, roll, &by_pips).unwrap();
        // 5/2, 5/3 1/off, 5/4/2 is 5/2 again, 5/3 and 5/4 with the other die ...
        let pips = |one: &ListedPlay| one.position.opponent().pips();
        let found: Vec<u32> = play.record.candidates.iter().map(pips).collect();
        assert!(found.is_sorted() && found.len() > 1, "{found:?}");
        assert_eq!(play.record.candidates[0].loss, 0.0);
        let only_some =
            |position: &Position| (position.opponent().on_board() == 2).then(Chances::default);
        assert_eq!(ExactPlay::of(&me, roll, &only_some), None);
        assert!(
            !ExactPlay::of(&me, roll, &|_| Some(Chances::default()))
                .unwrap()
                .is_choice()
        );
    }
}
