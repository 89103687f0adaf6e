//! One search for many scores of a match: the cube decision of a position at each of them, or the plays of a roll.
//!
//! The searches of the scores visit mostly the same positions. Their plays are generated, pruned by the small net and
//! evaluated once for all; what depends on a score (prices, choices, cubes) is computed for each, in the order of a
//! search by itself, so that the bits are the same.

use super::choice::Choice;
use super::context::{Context, Stopped};
use super::leaves::Needs;
use super::ranking::{ByLevels, Candidate, Ranking, best_and, candidates, prunes_by_rolls};
use super::replies::{Evaluated, Reply, Scratch, SharedReplies};
use super::slots::Branches;
use super::tree::{Ask, Tree, Value};
use super::{PlaysOfRoll, cube_answer, deepen, leaves_of, ranked_plays};
use crate::equity::Leaf;
use crate::pool::prelude::*;
use crate::query::{CubeAnswer, CubeQuery, PlayQuery, RankedPlays, Settings};
use gammond_game::{Chances, MatchState, Position, Roll};
use std::collections::BTreeMap;

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
    let values = trees.roots(&trees.all(), position, plies)?;
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

/// Returns true if [`compare_plays_at`] answers with these settings; those at a level, and those that prune between rolls,
/// share nothing.
#[must_use]
pub fn shares_plays(settings: &Settings) -> bool {
    settings.level.is_none() && !prunes_by_rolls(settings)
}

/// Ranks at each of these states of a match the best play of a roll and those to the positions `listed`, as
/// [`super::compare_plays`] does by the filter's levels.
///
/// # Errors
/// [`Stopped`].
pub fn compare_plays_at(
    context: Context<'_>,
    (position, roll): (&Position, Roll),
    listed: &[Position],
    states: &[MatchState],
    settings: &Settings,
) -> Result<Vec<RankedPlays>, Stopped> {
    let legal = PlaysOfRoll::new(position, roll);
    let text = |number: usize| legal.text(number);
    deepen(&context, settings, |context, plies| {
        let leaves = leaves_of(context, settings);
        let mut answers = Vec::with_capacity(states.len());
        for states in states.chunks(AT_ONCE) {
            let query = |&state: &MatchState| PlayQuery {
                position: *position,
                roll,
                state,
            };
            let queries: Vec<PlayQuery> = states.iter().map(query).collect();
            let ranking = |query| Ranking::new(context, leaves, query, &text, settings);
            let rankings: Vec<Ranking<'_>> = queries.iter().map(ranking).collect();
            let plays = candidates(legal.after());
            let ranked = rank(&rankings, &plays, listed, plies)?;
            let ranked = queries.iter().zip(ranked);
            answers.extend(ranked.map(|(query, ranked)| {
                let mut ranked = ranked_plays(query, &legal, ranked, None);
                ranked.keep_best_and(listed);
                ranked
            }));
        }
        Ok(answers)
    })
}

/// Ranks plays in each ranking, the best one and those to the positions `listed` at the full depth.
fn rank(
    rankings: &[Ranking<'_>],
    plays: &[Candidate],
    listed: &[Position],
    plies: u8,
) -> Result<Vec<Vec<Candidate>>, Stopped> {
    let begin = |ranking| ByLevels::new(ranking, plays.to_vec());
    let ranked = ByLevels::rank(rankings.iter().map(begin).collect(), plies, score)?;
    let (mut full, rest): (Vec<ByLevels<'_, '_>>, Vec<Vec<Candidate>>) = rankings
        .iter()
        .zip(ranked)
        .map(|(ranking, ranked)| {
            let (full, rest) = best_and(ranked, listed);
            (ByLevels::new(ranking, full), rest)
        })
        .unzip();
    score(&mut full.iter_mut().collect::<Vec<_>>(), plies)?;
    let ranked = full.into_iter().zip(rest);
    Ok(ranked
        .map(|(full, rest)| [full.active, rest].concat())
        .collect())
}

/// Values the plays of several rankings at a depth, and sorts them.
fn score(rankings: &mut [&mut ByLevels<'_, '_>], plies: u8) -> Result<(), Stopped> {
    let trees = Trees((rankings.iter().map(|one| one.ranking.tree(plies))).collect());
    // Each play once, with the rankings that it is left in.
    let mut plays: BTreeMap<usize, (Position, Vec<Wanted>)> = BTreeMap::new();
    for (number, (one, tree)) in rankings.iter().zip(&trees.0).enumerate() {
        for play in &one.active {
            let (_, wanted) = (plays.entry(play.index)).or_insert_with(|| (play.after, Vec::new()));
            wanted.push((number, tree.choice.branches()));
        }
    }
    let (numbers, plays): (Vec<usize>, Vec<(Position, Vec<Wanted>)>) = plays.into_iter().unzip();
    let Some(first) = rankings.first() else {
        return Ok(());
    };
    let values: Vec<Vec<Value>> = if plies == 0 {
        let positions: Vec<Position> = plays.iter().map(|(after, _)| *after).collect();
        let chances = first.ranking.static_chances(&positions);
        let plays = plays.iter().zip(chances);
        plays
            .map(|((after, wanted), chances)| trees.leaves((0, wanted), after, chances))
            .collect()
    } else {
        let value = |(after, wanted): &(Position, Vec<Wanted>)| trees.roots(wanted, after, plies);
        plays.par_iter().map(value).collect::<Result<_, _>>()?
    };
    for ((index, (_, wanted)), values) in numbers.iter().zip(&plays).zip(&values) {
        for (&(number, _), value) in wanted.iter().zip(values) {
            let one = &mut rankings[number];
            let is_it = |play: &&mut Candidate| play.index == *index;
            if let Some(play) = one.active.iter_mut().find(is_it) {
                one.ranking.set(play, value, plies);
            }
        }
    }
    for one in rankings {
        one.ranking.sort(&mut one.active);
    }
    Ok(())
}

/// Searches that differ in their scores alone.
struct Trees<'a>(Vec<Tree<'a>>);

/// A search, by its number, and its branches whose values are wanted.
type Wanted = (usize, Branches);

impl Trees<'_> {
    /// Returns all searches, with all their branches.
    fn all(&self) -> Vec<Wanted> {
        let all = |(number, tree): (usize, &Tree<'_>)| (number, tree.choice.branches());
        self.0.iter().enumerate().map(all).collect()
    }

    /// Returns the value of the root in each of these searches, as [`Tree::root`] does.
    fn roots(
        &self,
        wanted: &[Wanted],
        position: &Position,
        plies: u8,
    ) -> Result<Vec<Value>, Stopped> {
        let ahead = self.values((0, wanted), position, None, plies)?;
        let first = wanted.first().map(|&(number, _)| &self.0[number]);
        let Some(first) = first.filter(|_| plies == 1 && !position.is_over()) else {
            return Ok(ahead);
        };
        let share = first.static_share();
        if share == 0.0 {
            return Ok(ahead);
        }
        let still = self.leaves((0, wanted), position, first.choice.leaves.one(position));
        let both = ahead.into_iter().zip(still);
        Ok(both
            .map(|(ahead, still)| ahead.towards(&still, share))
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
        let values = if plies == 1 {
            // As in a search alone, the lowest level stays on one thread.
            Ok(self.above_leaves((level, wanted), &shared, &mut scratch))
        } else {
            self.average((level, wanted), &shared, plies)
        };
        first.return_scratch(scratch);
        values
    }

    /// Returns the value of a position at a level in each of these searches, by the values of the replies.
    fn average(
        &self,
        (level, wanted): (usize, &[Wanted]),
        shared: &SharedReplies,
        plies: u8,
    ) -> Result<Vec<Value>, Stopped> {
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
        let replies: Vec<_> = shared.positions.iter().zip(&below).collect();
        let values = replies
            .into_par_iter()
            .map(|(&(position, chances), wanted)| {
                self.values((level + 1, wanted), &position, chances, plies - 1)
            });
        let values: Vec<Vec<Value>> = values.collect::<Result<_, _>>()?;
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

    /// Returns the value of a position at a level in each of these searches, all of whose replies end them.
    fn above_leaves(
        &self,
        (level, wanted): (usize, &[Wanted]),
        shared: &SharedReplies,
        scratch: &mut Scratch,
    ) -> Vec<Value> {
        let below = level + 1;
        let trees = || wanted.iter().map(|&(number, _)| &self.0[number]);
        let needs = Needs {
            next: trees().any(|tree| tree.needs_next(below)),
            near: false,
        };
        let leaves = trees().next().map(|first| first.choice.leaves);
        let leaves = leaves.iter().flat_map(|leaves| {
            let leaf = move |(position, chances): &(Position, Option<Chances>)| {
                let chances = chances.unwrap_or_else(|| leaves.one(position));
                leaves.leaf(position, chances, needs)
            };
            shared.positions.iter().map(leaf)
        });
        let leaves: Vec<Leaf> = leaves.collect();
        scratch.leaves.fill(leaves.iter().copied());
        let average = |(tree, replies): (&Tree<'_>, &Vec<(usize, Reply)>)| {
            tree.leaves(below, &mut scratch.leaves, &mut scratch.columns);
            let (places, replies): (Vec<usize>, Vec<Reply>) = replies.iter().copied().unzip();
            let value = |&place: &usize| Value {
                chances: leaves[place].chances.to_array().map(f64::from),
                slots: scratch.columns.slots(place),
            };
            let values: Vec<Value> = places.iter().map(value).collect();
            tree.average(level, &replies, &values)
        };
        trees().zip(&shared.of_each).map(average).collect()
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
        let value = |of: &Wanted| match self.0[of.0].has_values(level) {
            true => self.0[of.0].value_of(level, leaf),
            false => self.0[of.0].leaf(level, position, chances),
        };
        wanted.iter().map(value).collect()
    }
}
