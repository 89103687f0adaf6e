//! Evaluation by the tables of hypergammon, which have every position.

use super::{Evaluator, NoShortcuts, SearchPolicy, Shortcuts};
use crate::bearoff::HyperTable;
use gammond_game::{Chances, Class, MatchState, Outcome, Position, Variant};
use std::sync::Arc;

/// Searches over a table that has all positions: nothing is passed over, and in money play nothing is searched.
const POLICY: SearchPolicy = SearchPolicy {
    as_gnubg: false,
    exact_with_contact: true,
    ..SearchPolicy::GNUBG
};

/// The evaluator of one variant and one kind of game.
#[derive(Clone, Debug)]
pub struct HyperEvaluator {
    name: &'static str,
    variant: Variant,
    table: Arc<HyperTable>,
    cube: HyperCube,
}

/// The source of the equities with the cube.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HyperCube {
    /// From the table.
    Money,
    /// From the table, with the Jacoby rule.
    Jacoby,
    /// From the chances, as at any match score (`HYPER-08`).
    Match,
}

impl HyperEvaluator {
    /// Returns the evaluators of a table's variant: for money, for money with the Jacoby rule, and for matches.
    /// `None` if the table has the checkers of no variant.
    #[must_use]
    pub fn all(table: &Arc<HyperTable>) -> Option<[HyperEvaluator; 3]> {
        let (name, variant) = match table.checkers() {
            1 => ("hypergammon 1", Variant::Hypergammon1),
            2 => ("hypergammon 2", Variant::Hypergammon2),
            3 => ("hypergammon 3", Variant::Hypergammon),
            _ => return None,
        };
        Some(
            [HyperCube::Money, HyperCube::Jacoby, HyperCube::Match].map(|cube| HyperEvaluator {
                name,
                variant,
                table: Arc::clone(table),
                cube,
            }),
        )
    }

    /// Returns the number of the evaluator in [`HyperEvaluator::all`] that is right for a state.
    #[must_use]
    pub fn number_for(state: &MatchState) -> usize {
        match (state.score.is_money(), state.rules.jacoby) {
            (false, _) => 2,
            (true, true) => 1,
            (true, false) => 0,
        }
    }

    fn chances(&self, position: &Position) -> Chances {
        if let Some(outcome) = self.variant.outcome(position) {
            return Outcome::chances(outcome);
        }
        let value = self.table.probe(position);
        value.map_or_else(Chances::default, |value| value.chances)
    }
}

impl Evaluator for HyperEvaluator {
    fn name(&self) -> &str {
        self.name
    }

    fn class(&self, position: &Position) -> Class {
        match position.is_over() {
            true => Class::Over,
            false => Class::Hypergammon,
        }
    }

    fn evaluate(&self, _: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        for (position, chances) in positions.iter().zip(out) {
            *chances = self.chances(position);
        }
    }

    fn policy(&self) -> &SearchPolicy {
        &POLICY
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        match self.cube {
            HyperCube::Match => &NoShortcuts,
            HyperCube::Money | HyperCube::Jacoby => self,
        }
    }
}

impl Shortcuts for HyperEvaluator {
    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        let value = self.table.probe(position)?;
        let centred = match self.cube {
            HyperCube::Jacoby => value.jacoby,
            HyperCube::Money | HyperCube::Match => value.centred,
        };
        Some([value.owned, centred, value.lent])
    }
}
