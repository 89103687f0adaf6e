//! Ranking the plays of a roll: shallow searches of all, deeper ones of the plays that survive (PLY-06, PLY-07).
//!
//! A play that a filter drops keeps the value of the depth at which it was dropped, and stays below every play that
//! was searched more deeply, whatever its value is. A filter drops plays between depths, or in the middle of one,
//! after some of the rolls ([`super::by_rolls`], PLY-12); those stay as far behind the best as they were then.

use super::by_rolls::{self, ByRolls, Doubt};
use super::context::{Context, Stopped};
use super::leaves::{CacheMisses, LeafEvaluator};
use super::tree::{Ask, Tree, Value};
use crate::equity::{CubeState, Stakes};
use crate::pool::prelude::*;
use crate::query::{FilterMethod, PlayQuery, SETTLED_TIE, Settings, settled};
use gammond_game::{Chances, Position};
use std::cmp::{Ordering, Reverse};
use std::fmt;

/// The text of a play by its number among the legal ones.
pub(super) type PlayText<'a> = &'a (dyn Fn(usize) -> String + Sync);

/// A play under consideration, valued for the player who makes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    /// Its number among the legal plays.
    pub(super) index: usize,
    /// The position after it, the opponent on roll.
    pub(super) after: Position,
    /// Points or EMG; MWC in `mwc`.
    pub(super) value: f64,
    /// Match winning chance, or the same as `value` in money play.
    pub(super) mwc: f64,
    cubeless: f64,
    pub(super) chances: Chances,
    pub(super) plies: u8,
}

/// Ranks plays at one depth.
pub(super) struct Ranking<'a> {
    context: Context<'a>,
    leaves: LeafEvaluator<'a>,
    query: &'a PlayQuery,
    text: PlayText<'a>,
    settings: &'a Settings,
    stakes: Stakes,
    cube: CubeState,
}

impl fmt::Debug for Ranking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Ranking");
        debug.field("query", self.query).finish_non_exhaustive()
    }
}

impl<'a> Ranking<'a> {
    pub(super) fn new(
        context: &Context<'a>,
        leaves: LeafEvaluator<'a>,
        query: &'a PlayQuery,
        text: PlayText<'a>,
        settings: &'a Settings,
    ) -> Ranking<'a> {
        Ranking {
            context: *context,
            leaves,
            query,
            text,
            settings,
            stakes: Stakes::new(query.state, context.met),
            cube: query.state.cube.into(),
        }
    }

    /// Ranks all plays, best first, deeper ones first.
    pub(super) fn rank(
        &self,
        after: impl Iterator<Item = Position>,
        plies: u8,
    ) -> Result<Vec<Candidate>, Stopped> {
        let active = candidates(after);
        if prunes_by_rolls(self.settings) && plies > 0 {
            return self.rank_by_rolls(active, plies);
        }
        let ranked = ByLevels::rank(vec![ByLevels::new(self, active)], plies, |all, plies| {
            let mut all = all.iter_mut();
            all.try_for_each(|one| self.score(&mut one.active, plies))
        })?;
        Ok(ranked.into_iter().flatten().collect())
    }

    /// Searches the best of the ranked plays and those to the positions `in_full` to the full depth; they come before the
    /// others. A play that reached it already has the same value again.
    pub(super) fn deepen(
        &self,
        ranked: Vec<Candidate>,
        in_full: &[Position],
        plies: u8,
    ) -> Result<Vec<Candidate>, Stopped> {
        if in_full.is_empty() {
            return Ok(ranked);
        }
        let (mut full, rest) = best_and(ranked, in_full);
        self.score(&mut full, plies)?;
        full.extend(rest);
        Ok(full)
    }

    /// Ranks plays roll by roll and prunes those that have fallen behind (PLY-12).
    fn rank_by_rolls(
        &self,
        mut active: Vec<Candidate>,
        plies: u8,
    ) -> Result<Vec<Candidate>, Stopped> {
        let ((extra, threshold), (left, margin)) = (by_rolls::KEPT_STATIC, by_rolls::KEPT_ONE_PLY);
        self.score(&mut active, 0)?;
        let mut dropped = vec![active.split_off(survivors(&active, 0, extra, threshold))];
        if active.len() > 1 {
            let tree = self.tree(plies);
            let begin =
                |play: Candidate| ByRolls::new(&tree, &play.after).map(|rolls| (play, rolls));
            let mut begun: Vec<(Candidate, ByRolls)> = active
                .into_par_iter()
                .map(begin)
                .collect::<Result<_, _>>()?;
            for (play, rolls) in &mut begun {
                self.set(play, &rolls.one_ply(&tree)?, 1);
            }
            let limit = |doubt: Doubt| margin * doubt.spread.min(1.0);
            dropped.push(self.prune(&mut begun, left, limit));
            for depth in 2..=plies {
                dropped.push(self.go_deeper(&tree, &mut begun, [depth, plies])?);
            }
            active = begun.into_iter().map(|(play, _)| play).collect();
        } else if self.values_best() {
            self.score(&mut active, plies)?;
        }
        active.extend(dropped.into_iter().rev().flatten());
        Ok(active)
    }

    /// Searches the plays `depth` of `plies` deep, as long as there are several. Returns the pruned ones; they stay as
    /// far behind the best as they were then.
    fn go_deeper(
        &self,
        tree: &Tree<'_>,
        active: &mut Vec<(Candidate, ByRolls)>,
        depths @ [depth, plies]: [u8; 2],
    ) -> Result<Vec<Candidate>, Stopped> {
        let mut fallen: Vec<(Candidate, [f64; 2])> = Vec::new();
        for (play, rolls) in active.iter_mut() {
            rolls.before = play.value;
        }
        for step in &by_rolls::ROLL_STEPS {
            // The ranking is decided, so that further rolls would cost time and change at most the value of the best play.
            if active.len() < 2 && !(depth == plies && self.values_best()) {
                break;
            }
            (active.par_iter_mut())
                .try_for_each(|(_, rolls)| rolls.search_step(tree, step, depth - 1))?;
            for (play, rolls) in active.iter_mut() {
                self.set(play, &rolls.value(tree)?, depth);
            }
            let pruned = self.prune(active, usize::MAX, |doubt| step.margin(depths, doubt));
            let Some((best, _)) = active.first() else {
                break;
            };
            // Distances instead of values, because the value of the best play still changes with the next rolls.
            let behind = |play: Candidate| (play, [best.value - play.value, best.mwc - play.mwc]);
            fallen.extend(pruned.into_iter().map(behind));
        }
        for (_, rolls) in active.iter_mut() {
            rolls.go_deeper(tree);
        }
        let best = active
            .first()
            .map_or([0.0; 2], |(best, _)| [best.value, best.mwc]);
        let mut fallen: Vec<Candidate> = (fallen.into_iter())
            .map(|(play, behind)| Candidate {
                value: best[0] - behind[0],
                mwc: best[1] - behind[1],
                ..play
            })
            .collect();
        self.sort(&mut fallen);
        Ok(fallen)
    }

    /// Sorts the plays, and removes those that are not among the best `left`, or further behind the best than the
    /// limit of doubt.
    fn prune(
        &self,
        active: &mut Vec<(Candidate, ByRolls)>,
        left: usize,
        limit: impl Fn(Doubt) -> f64,
    ) -> Vec<Candidate> {
        let mut plays: Vec<Candidate> = active.iter().map(|(play, _)| *play).collect();
        self.sort(&mut plays);
        let place = |(play, _): &(Candidate, ByRolls)| {
            let same = |other: &Candidate| other.index == play.index;
            plays.iter().position(same)
        };
        active.sort_by_key(place);
        let rest = active.split_off(active.len().min(1));
        let Some((best, its_rolls)) = active.first() else {
            return Vec::new();
        };
        let stays = |(place, (play, rolls)): &(usize, (Candidate, ByRolls))| {
            let behind = best.value - play.value;
            let doubt = Doubt {
                spread: rolls.spread(its_rolls),
                change: (behind - (its_rolls.before - rolls.before)).abs(),
            };
            place + 1 < left && behind <= limit(doubt)
        };
        let (kept, pruned): (Vec<_>, Vec<_>) = rest.into_iter().enumerate().partition(stays);
        active.extend(kept.into_iter().map(|(_, one)| one));
        pruned.into_iter().map(|(_, (play, _))| play).collect()
    }

    /// Returns true if the best play is searched to the full depth in any case (PLY-16).
    fn values_best(&self) -> bool {
        self.settings.value_best && !self.leaves.evaluator.policy().as_gnubg
    }

    /// Returns a search below the position after a play.
    pub(super) fn tree(&self, plies: u8) -> Tree<'a> {
        let ask = if self.settings.cubeful {
            Ask::Value
        } else {
            Ask::Chances
        };
        let state = self.query.state.swapped();
        Tree::new(&self.context, self.leaves, state, ask, self.settings, plies)
    }

    /// Sets the value of a play from the worth to the opponent of the position after it.
    pub(super) fn set(&self, play: &mut Candidate, theirs: &Value, plies: u8) {
        let (stakes, cube) = (&self.stakes, self.cube);
        play.chances = theirs.chances().inverted();
        play.cubeless = stakes.cubeless(cube, &play.chances);
        play.plies = plies;
        (play.value, play.mwc) = if !self.settings.cubeful {
            (play.cubeless, stakes.to_mwc(cube, play.cubeless))
        } else if stakes.is_money() {
            (-theirs.slots[0], -theirs.slots[0])
        } else {
            let mwc = 1.0 - theirs.slots[0];
            (stakes.to_emg(cube, mwc), mwc)
        };
    }

    /// Returns the static chances of the positions after plays.
    pub(super) fn static_chances(&self, after: &[Position]) -> Vec<Chances> {
        let mut chances = Vec::new();
        let reference = self.query.position.swapped();
        let mut misses = CacheMisses::default();
        (self.leaves).chances(Some(&reference), after, &mut misses, &mut chances);
        chances
    }

    /// Values the plays at a depth and sorts them.
    fn score(&self, plays: &mut [Candidate], plies: u8) -> Result<(), Stopped> {
        let tree = self.tree(plies);
        if plies == 0 {
            let positions: Vec<Position> = plays.iter().map(|play| play.after).collect();
            let chances = self.static_chances(&positions);
            for (play, chances) in plays.iter_mut().zip(chances) {
                self.set(play, &tree.leaf(0, &play.after, chances), plies);
            }
        } else {
            let value = |play: &mut Candidate| {
                self.set(play, &tree.root(&play.after, plies)?, plies);
                Ok(())
            };
            plays.par_iter_mut().try_for_each(value)?;
        }
        self.sort(plays);
        Ok(())
    }

    pub(super) fn sort(&self, plays: &mut [Candidate]) {
        plays.sort_by(order);
        if self.settings.cubeful {
            settle_ties(plays, self.leaves.evaluator.policy().cubeful_noise);
        }
        if !self.query.position.has_contact() {
            self.bear_off_fast(plays);
        }
    }

    /// Sorts plays of the same value where a race is settled: more checkers off, fewer pips, the text (PLY-13). A run
    /// of them ends where two neighbours differ by more.
    fn bear_off_fast(&self, mut plays: &mut [Candidate]) {
        let end = |play: &Candidate| settled(&play.after, &play.chances);
        while let Some(best) = plays.first() {
            let mut last = (best.value, end(best));
            let equal = |play: &&Candidate| {
                let near = (last.0 - play.value).abs() <= SETTLED_TIE;
                let same = near && last.1.is_some() && last.1 == end(play);
                last.0 = play.value;
                same
            };
            let count = plays.iter().take_while(equal).count().max(1);
            let (ties, rest) = plays.split_at_mut(count);
            if ties.len() > 1 {
                ties.sort_by_cached_key(|play| {
                    let side = play.after.opponent();
                    (Reverse(side.off()), side.pips(), (self.text)(play.index))
                });
            }
            plays = rest;
        }
    }
}

/// Parts the best of the ranked plays and those to the positions `in_full` from the others. A search that prunes between
/// rolls does not mark the plays whose last depth it left, so that all of them are to be searched again.
pub(super) fn best_and(
    ranked: Vec<Candidate>,
    in_full: &[Position],
) -> (Vec<Candidate>, Vec<Candidate>) {
    let best = ranked.first().map(|best| best.after);
    let is_wanted = |play: &Candidate| Some(play.after) == best || in_full.contains(&play.after);
    ranked.into_iter().partition(is_wanted)
}

/// Returns the plays to these positions, not yet valued.
pub(super) fn candidates(after: impl Iterator<Item = Position>) -> Vec<Candidate> {
    let candidate = |(index, after)| Candidate {
        index,
        after,
        value: 0.0,
        mwc: 0.0,
        cubeless: 0.0,
        chances: Chances::default(),
        plies: 0,
    };
    after.enumerate().map(candidate).collect()
}

/// Returns true if plays are pruned between rolls (PLY-12).
pub(super) fn prunes_by_rolls(settings: &Settings) -> bool {
    match settings.filter.method {
        FilterMethod::Levels => false,
        FilterMethod::ByRolls => true,
        FilterMethod::Auto => settings.top == Some(1),
    }
}

/// A ranking whose filter levels drop plays between depths: each play that is left is searched after all rolls.
#[derive(Debug)]
pub(super) struct ByLevels<'a, 'b> {
    pub(super) ranking: &'a Ranking<'b>,
    /// The plays that are left.
    pub(super) active: Vec<Candidate>,
    dropped: Vec<Vec<Candidate>>,
    /// True once a single play is left: it is the best one, so that a deeper search could not change the choice.
    settled: bool,
}

impl<'a, 'b> ByLevels<'a, 'b> {
    pub(super) fn new(ranking: &'a Ranking<'b>, active: Vec<Candidate>) -> ByLevels<'a, 'b> {
        ByLevels {
            ranking,
            active,
            dropped: Vec::new(),
            settled: false,
        }
    }

    /// Ranks the plays of rankings that differ in their scores alone. `score` values and sorts the plays of rankings at a
    /// depth.
    pub(super) fn rank(
        mut rankings: Vec<ByLevels<'a, 'b>>,
        plies: u8,
        score: impl Fn(&mut [&mut ByLevels<'a, 'b>], u8) -> Result<(), Stopped>,
    ) -> Result<Vec<Vec<Candidate>>, Stopped> {
        let filter = rankings.first().map(|one| one.ranking.settings.filter);
        let levels = filter.zip(usize::from(plies).checked_sub(1));
        let levels = levels.and_then(|(filter, row)| filter.levels.get(row).copied());
        for (ply, level) in (0..plies).zip(levels.into_iter().flatten()) {
            let Ok(accept) = usize::try_from(level.accept) else {
                continue;
            };
            let mut open: Vec<_> = rankings.iter_mut().filter(|one| !one.settled).collect();
            score(&mut open, ply)?;
            for one in open {
                let (extra, threshold) = (level.extra.into(), level.threshold.into());
                let kept = survivors(&one.active, accept, extra, threshold);
                one.dropped.push(one.active.split_off(kept));
                one.settled = kept == 1 && accept != 1;
            }
        }
        let is_open = |one: &&mut ByLevels<'_, '_>| !one.settled || one.ranking.values_best();
        let mut open: Vec<_> = rankings.iter_mut().filter(is_open).collect();
        score(&mut open, plies)?;
        let ranked = rankings.into_iter().map(|mut one| {
            one.active.extend(one.dropped.into_iter().rev().flatten());
            one.active
        });
        Ok(ranked.collect())
    }
}

/// Returns the number of sorted plays that a filter level lets pass: at least one.
fn survivors(plays: &[Candidate], accept: usize, extra: usize, threshold: f64) -> usize {
    let mut count = accept.min(plays.len());
    let limit = accept.saturating_add(extra).min(plays.len());
    let Some(best) = plays.first() else { return 0 };
    while count < limit && plays[count].value >= best.value - threshold {
        count += 1;
    }
    count.max(1)
}

/// A play that wins at least so often wins for certain, but for what nets and averages leave.
const CERTAIN: f32 = 0.999;

/// Reorders those of the sorted plays that win for certain: the plays within `noise` of the best, then those within it of
/// the next, and so on.
fn settle_ties(mut plays: &mut [Candidate], noise: f64) {
    if noise <= 0.0 {
        return;
    }
    while let Some(best) = plays.first() {
        let (value, over) = (best.value, is_over(best));
        let tied = |play: &&Candidate| {
            let certain = play.chances.win >= CERTAIN;
            certain && is_over(play) == over && play.value >= value - noise
        };
        let count = plays.iter().take_while(tied).count().max(1);
        let (ties, rest) = plays.split_at_mut(count);
        ties.sort_by(order_of_ties);
        plays = rest;
    }
}

fn is_over(play: &Candidate) -> bool {
    play.after.opponent().on_board() == 0
}

/// Compares two plays, best first: a finished game, the value, the cubeless value, fewer checkers left, the smaller
/// rearmost point, and last the order of generation.
fn order(a: &Candidate, b: &Candidate) -> Ordering {
    (is_over(b).cmp(&is_over(a)))
        .then(b.value.total_cmp(&a.value))
        .then_with(|| order_of_ties(a, b))
}

/// Returns the order of plays with the same value.
fn order_of_ties(a: &Candidate, b: &Candidate) -> Ordering {
    let left = |play: &Candidate| play.after.opponent().on_board();
    let rear = |play: &Candidate| play.after.opponent().rearmost();
    (b.cubeless.total_cmp(&a.cubeless))
        .then(left(a).cmp(&left(b)))
        .then(rear(a).cmp(&rear(b)))
        .then(a.index.cmp(&b.index))
}
