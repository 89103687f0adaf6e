//! One search for many scores of a match: the cube decision of a position at each of them.
//!
//! The searches of the scores visit mostly the same positions. Their plays are generated, pruned by the small net and
//! evaluated once for all; what depends on a score (prices, choices, cubes) is computed for each, in the order of a
//! search by itself, so that the bits are the same.

use super::choice::Choice;
use super::context::{Context, Stopped};
use super::leaves::Needs;
use super::replies::{Evaluated, Reply};
use super::slots::Branches;
use super::tree::{Ask, Tree, Value};
use super::{cube_answer, deepen, leaves_of};
use crate::pool::prelude::*;
use crate::query::{CubeAnswer, CubeQuery, Settings};
use gammond_game::{Chances, MatchState, Position};

/// Scores that are searched at once: more would need much memory at each node.
const AT_ONCE: usize = 64;

/// Decides at each of these states of a match whether to double and whether to take, as [`super::cube_action`] does.
///
/// # Errors
/// [`Stopped`].
pub fn cube_actions(
    context: Context<'_>,
    position: &Position,
    states: &[MatchState],
    settings: &Settings,
) -> Result<Vec<CubeAnswer>, Stopped> {
    let settings = &Settings {
        cubeful: true,
        ..settings.clone()
    };
    deepen(&context, settings, |context, plies| {
        let groups = states.chunks(AT_ONCE);
        let answers = groups.map(|states| answers(context, position, states, (settings, plies)));
        Ok(answers.collect::<Result<Vec<_>, _>>()?.concat())
    })
}

fn answers(
    context: &Context<'_>,
    position: &Position,
    states: &[MatchState],
    (settings, plies): (&Settings, u8),
) -> Result<Vec<CubeAnswer>, Stopped> {
    let leaves = leaves_of(context, settings);
    let tree = |&state| Tree::new(context, leaves, state, Ask::Decision, settings, plies);
    let trees = Trees(states.iter().map(tree).collect());
    let values = trees.roots(position, plies)?;
    let answers = states.iter().zip(&trees.0).zip(values);
    Ok(answers
        .map(|((&state, tree), value)| {
            let query = CubeQuery {
                position: *position,
                state,
            };
            cube_answer(&query, &tree.choice.stakes[0], &value, plies)
        })
        .collect())
}

/// Searches that differ in their scores alone.
struct Trees<'a>(Vec<Tree<'a>>);

/// A search, by its number, and its branches whose values are wanted.
type Wanted = (usize, Branches);

impl Trees<'_> {
    /// Returns the value of the root in each search.
    fn roots(&self, position: &Position, plies: u8) -> Result<Vec<Value>, Stopped> {
        let all = |(number, tree): (usize, &Tree<'_>)| (number, tree.choice.branches());
        let wanted: Vec<Wanted> = self.0.iter().enumerate().map(all).collect();
        let values = self.values((0, &wanted), position, None, plies)?;
        if plies != 1 || position.is_over() {
            return Ok(values);
        }
        let roots = self.0.iter().zip(values);
        Ok(roots
            .map(|(tree, value)| tree.with_static_share(position, value))
            .collect())
    }

    /// Returns the value of a position at a level, `plies` deep, in each of these searches.
    fn values(
        &self,
        (level, wanted): (usize, &[Wanted]),
        position: &Position,
        known: Option<Chances>,
        plies: u8,
    ) -> Result<Vec<Value>, Stopped> {
        let Some(first) = wanted.first().map(|&(number, _)| &self.0[number]) else {
            return Ok(Vec::new());
        };
        // A match has no table that ends a search.
        if plies == 0 || position.is_over() {
            let chances = known.unwrap_or_else(|| first.choice.leaves.one(position));
            return Ok(self.leaves((level, wanted), position, chances));
        }
        if first.context.is_stopped() {
            return Err(Stopped);
        }
        let evaluated = match plies {
            1 => Evaluated::Kept,
            _ => Evaluated::Choices,
        };
        let searches: Vec<(&Choice<'_>, Branches)> = (wanted.iter())
            .map(|&(number, branches)| (&self.0[number].choice, branches))
            .collect();
        let mut scratch = first.take_scratch();
        let shared = scratch.choose_shared(&searches, level % 2, position, evaluated);
        first.return_scratch(scratch);
        let mut below: Vec<Vec<Wanted>> = vec![Vec::new(); shared.positions.len()];
        // For each search its replies, and where their values will be.
        let mut replies_of: Vec<Vec<(Reply, [usize; 2])>> = Vec::with_capacity(wanted.len());
        for (&(number, _), replies) in wanted.iter().zip(&shared.of_each) {
            let placed = replies.iter().map(|&(place, reply)| {
                below[place].push((number, Branches::of(&reply.weights)));
                (reply, [place, below[place].len() - 1])
            });
            replies_of.push(placed.collect());
        }
        let value =
            |((position, chances), wanted): (&(Position, Option<Chances>), &Vec<Wanted>)| {
                self.values((level + 1, wanted), position, *chances, plies - 1)
            };
        // As in a search alone, the lowest level stays on one thread.
        let values: Vec<Vec<Value>> = if plies == 1 {
            let replies = shared.positions.iter().zip(&below);
            replies.map(value).collect::<Result<_, _>>()?
        } else {
            let replies: Vec<_> = shared.positions.iter().zip(&below).collect();
            let values = replies.into_par_iter().map(value);
            values.collect::<Result<_, _>>()?
        };
        let averages = wanted
            .iter()
            .zip(replies_of)
            .map(|(&(number, _), replies)| {
                let (replies, places): (Vec<Reply>, Vec<[usize; 2]>) = replies.into_iter().unzip();
                let values: Vec<Value> = (places.into_iter())
                    .map(|[place, at]| values[place][at])
                    .collect();
                self.0[number].average(level, &replies, &values)
            });
        Ok(averages.collect())
    }

    /// Returns the value of a position that ends the searches.
    fn leaves(
        &self,
        (level, wanted): (usize, &[Wanted]),
        position: &Position,
        chances: Chances,
    ) -> Vec<Value> {
        let needs_next = |&(number, _): &Wanted| self.0[number].needs_next(level);
        let needs = Needs {
            next: wanted.iter().any(needs_next),
            near: false,
        };
        let Some(&(first, _)) = wanted.first() else {
            return Vec::new();
        };
        let leaf = self.0[first].choice.leaves.leaf(position, chances, needs);
        let value = |of: &Wanted| self.0[of.0].value_of(level, leaf.with_next(needs_next(of)));
        wanted.iter().map(value).collect()
    }
}
