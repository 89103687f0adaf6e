//! One turn of many games: the best play of every roll of a position at 0 plies, in one batch.
//!
//! A rollout does this at each turn: it needs the play of the thrown roll, and the values after the other rolls,
//! which give the luck of the throw. A [`Turn`] is prepared once for a cube and a score.

use super::replies::{BestPlay, Evaluated, Scratch};
use super::tree::{Ask, Tree};
use super::{Context, cube_answer, leaves_of};
use crate::query::{CubeAnswer, CubeQuery, Settings};
use gammond_game::{Chances, MatchState, Position, Roll};

/// Chooses plays and cube actions for the player on roll at one state of the match.
#[derive(Debug)]
pub struct Turn<'a> {
    state: MatchState,
    plays: Tree<'a>,
    cube: Option<Tree<'a>>,
}

impl<'a> Turn<'a> {
    /// Prepares the state, seen by the player on roll.
    #[must_use]
    pub fn new(context: &Context<'a>, state: MatchState, settings: &Settings) -> Turn<'a> {
        let tree = |ask, settings| {
            let leaves = leaves_of(context, settings);
            Tree::new(context, leaves, state, ask, settings, 0)
        };
        let ask = if settings.cubeful {
            Ask::Value
        } else {
            Ask::Chances
        };
        let plays = tree(ask, settings);
        let may_double = settings.cubeful && plays.choice.stakes[0].may_double(state.cube.into());
        Turn {
            cube: may_double.then(|| tree(Ask::Decision, settings)),
            state,
            plays,
        }
    }

    /// Returns the state it was made for.
    #[must_use]
    pub const fn state(&self) -> &MatchState {
        &self.state
    }

    /// Finds the best play of each of `rolls`, in their order, among those that pruning leaves: for means over the
    /// rolls, not for playing on.
    pub fn best(
        &self,
        position: &Position,
        rolls: &[Roll],
        scratch: &mut Scratch,
        out: &mut Vec<BestPlay>,
    ) {
        scratch.evaluate(&self.plays.choice, 0, position, rolls, Evaluated::Kept);
        out.clear();
        out.extend((0..rolls.len()).map(|index| scratch.best_play(index)));
    }

    /// Returns the best of all plays of a roll. Games that continue with the plays that pruning leaves lose back
    /// games too often: the pruning net has not learned how gammons and backgammons are saved, and its mistakes add
    /// up.
    #[must_use]
    pub fn best_of_all(&self, position: &Position, roll: Roll, scratch: &mut Scratch) -> BestPlay {
        scratch.evaluate(&self.plays.choice, 0, position, &[roll], Evaluated::All);
        scratch.best_play(0)
    }

    /// Finds the best play of each of [`Roll::ALL`], as [`best`](Turn::best), and returns that of the roll of a
    /// number there, as [`best_of_all`](Turn::best_of_all): common positions are evaluated once.
    pub fn best_and_best_of_all(
        &self,
        position: &Position,
        number: usize,
        scratch: &mut Scratch,
        out: &mut Vec<BestPlay>,
    ) -> BestPlay {
        let evaluated = Evaluated::KeptAndWhole(number);
        scratch.evaluate(&self.plays.choice, 0, position, &Roll::ALL, evaluated);
        out.clear();
        out.extend((0..Roll::ALL.len()).map(|index| scratch.best_play(index)));
        scratch.best_play(Roll::ALL.len())
    }

    /// Returns true if the player on roll may turn the cube.
    #[must_use]
    pub const fn may_double(&self) -> bool {
        self.cube.is_some()
    }

    /// Returns the static chances of the player on roll.
    #[must_use]
    pub fn chances(&self, position: &Position) -> Chances {
        self.plays.choice.leaves.one(position)
    }

    /// Returns the value of a position with these chances to the player on roll, with the right to double; cubeless
    /// settings give the cubeless value.
    #[must_use]
    pub fn value(&self, position: &Position, chances: Chances) -> f64 {
        if self.plays.choice.selection(0, 0).plan.is_none() {
            return self.plays.choice.stakes[0].cubeless(self.state.cube.into(), &chances);
        }
        self.plays.leaf(0, position, chances).slots[0]
    }

    /// Decides double or not, take or pass, from static chances; `None` when the player on roll may not double.
    #[must_use]
    pub fn cube_action(&self, position: &Position, chances: Chances) -> Option<CubeAnswer> {
        let tree = self.cube.as_ref()?;
        let query = CubeQuery {
            position: *position,
            state: self.state,
        };
        let value = tree.leaf(0, position, chances);
        Some(cube_answer(&query, &tree.choice.stakes[0], &value, 0))
    }
}
