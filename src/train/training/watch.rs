//! Games of the strong nets against themselves that a small net learns from by watching.

use super::starts;
use gammond_base::rng::{ChaCha8Rng, below, unit};
use gammond_engine::eval::Evaluator;
use gammond_game::{Chances, Position, Roll, generate_plays};
use gammond_job::{Control, Progress};
use rayon::prelude::*;

/// Longest game.
const TURNS_MAX: usize = 200;
/// Number of games between two calls for progress.
const STRETCH: usize = 64;

/// Settings of the games.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    /// Share of games from constructed odd positions.
    pub(super) odd_starts: f64,
    /// Chance that a play is any legal one instead of the best.
    pub(super) explore: f64,
}

impl Watched {
    /// Plays one game, as long as there is contact. `seen` gets the position of every turn with a legal play, the
    /// positions after all plays of its roll and their static chances.
    pub(super) fn game(
        &self,
        evaluator: &dyn Evaluator,
        rng: &mut ChaCha8Rng,
        mut seen: impl FnMut(&Position, &[Position], &[Chances]),
    ) {
        let mut position = if unit(rng) < self.odd_starts {
            starts::odd(rng)
        } else {
            Position::start()
        };
        let mut after = Vec::new();
        for _ in 0..TURNS_MAX {
            if !position.has_contact() || position.is_over() {
                break;
            }
            generate_plays(&position, Roll::thrown(rng), &mut after);
            if after.is_empty() {
                position = position.swapped();
                continue;
            }
            let mut chances = vec![Chances::default(); after.len()];
            evaluator.evaluate(Some(&position.swapped()), &after, &mut chances);
            seen(&position, &after, &chances);
            let least = |index: &usize, other: &usize| {
                chances[*index]
                    .equity()
                    .total_cmp(&chances[*other].equity())
            };
            let chosen = if unit(rng) < self.explore {
                Some(below(rng, after.len() as u32) as usize)
            } else {
                (0..after.len()).min_by(least)
            };
            position = chosen.map_or(position, |chosen| after[chosen]);
        }
    }
}

/// Plays `count` games from number `first` on and returns their results, in order; `None` if it was stopped.
pub(super) fn games<T: Send>(
    first: u64,
    count: usize,
    control: &mut Control<'_>,
    play: impl Fn(u64) -> Vec<T> + Sync,
) -> Option<Vec<T>> {
    let mut all = Vec::new();
    for begin in (0..count).step_by(STRETCH) {
        let progress = Progress::new("games", begin as u64, Some(count as u64));
        control.report_progress(progress, false);
        if control.stop.is_triggered() {
            return None;
        }
        let stretch = begin..count.min(begin + STRETCH);
        let games = stretch
            .into_par_iter()
            .map(|game| play(first + game as u64));
        all.extend(games.collect::<Vec<_>>().into_iter().flatten());
    }
    Some(all)
}

/// Returns a cosine (Loshchilov and Hutter 2017) from 1 to a thirtieth, `part` (0 to 1) of the way.
pub(super) fn cosine(part: f32) -> f32 {
    let cosine = (1.0 + (part * std::f32::consts::PI).cos()) / 2.0;
    1.0 / 30.0 + cosine * 29.0 / 30.0
}
