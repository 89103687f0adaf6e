//! Static evaluations for the search: from the cache where it has them, in batches by class where not, with noise if
//! it is set.

use super::cache::Cache;
use super::context::Context;
use super::noise::Noise;
use crate::equity::{CubeEfficiency, Leaf, bearoff_life, money_without_gammons};
use crate::eval::Evaluator;
use gammond_game::{Chances, Class, Position};

/// Evaluates leaves.
#[derive(Debug, Clone, Copy)]
pub(super) struct LeafEvaluator<'a> {
    pub(super) evaluator: &'a dyn Evaluator,
    cache: Option<&'a Cache>,
    efficiency: &'a CubeEfficiency,
    noise: Option<Noise>,
}

/// Further data of a leaf, which take time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    /// The chances after the next roll, if a table has them (CUBE-13, CUBE-14).
    pub(super) next: bool,
    /// Money equities just above the two-sided table (CUBE-15).
    pub(super) near: bool,
}

/// Room for the positions that are not in the cache.
#[derive(Debug, Default)]
pub(super) struct CacheMisses {
    order: Vec<(Class, u32)>,
    positions: Vec<Position>,
    chances: Vec<Chances>,
}

impl<'a> LeafEvaluator<'a> {
    pub(super) fn new(context: &Context<'a>, noise: Option<Noise>) -> LeafEvaluator<'a> {
        LeafEvaluator {
            evaluator: context.evaluator,
            cache: context.cache,
            efficiency: context.efficiency,
            noise,
        }
    }

    /// Creates an evaluator without cache and noise.
    pub(super) fn plain(
        evaluator: &'a dyn Evaluator,
        efficiency: &'a CubeEfficiency,
    ) -> LeafEvaluator<'a> {
        LeafEvaluator {
            evaluator,
            cache: None,
            efficiency,
            noise: None,
        }
    }

    /// Returns true if evaluations carry noise.
    pub(super) fn is_noisy(&self) -> bool {
        self.noise.is_some()
    }

    /// Evaluates each position statically; `reference` as in [`Evaluator::evaluate`].
    pub(super) fn chances(
        &self,
        reference: Option<&Position>,
        positions: &[Position],
        misses: &mut CacheMisses,
        out: &mut Vec<Chances>,
    ) {
        out.clear();
        out.resize(positions.len(), Chances::default());
        misses.order.clear();
        if let Some(cache) = self.cache {
            std::hint::black_box(cache.touch(positions));
        }
        for (index, (position, chances)) in positions.iter().zip(&mut *out).enumerate() {
            match self.cache.and_then(|cache| cache.get(position)) {
                Some(known) => *chances = known,
                None => (misses.order).push((self.evaluator.class(position), index as u32)),
            }
        }
        // One class after the other makes full batches.
        misses.order.sort_unstable();
        misses.positions.clear();
        let unknown = misses.order.iter().map(|&(_, at)| positions[at as usize]);
        misses.positions.extend(unknown);
        misses.chances.clear();
        (misses.chances).resize(misses.positions.len(), Chances::default());
        self.evaluator
            .evaluate(reference, &misses.positions, &mut misses.chances);
        for (&(_, index), &chances) in misses.order.iter().zip(&misses.chances) {
            out[index as usize] = chances;
            if let Some(cache) = self.cache {
                cache.put(&positions[index as usize], chances);
            }
        }
        if let Some(noise) = self.noise {
            for (position, chances) in positions.iter().zip(out) {
                *chances = noise.disturb(position, *chances);
            }
        }
    }

    /// Evaluates one position.
    pub(super) fn one(&self, position: &Position) -> Chances {
        let mut out = Vec::with_capacity(1);
        self.chances(None, &[*position], &mut CacheMisses::default(), &mut out);
        out.first().copied().unwrap_or_default()
    }

    /// Returns the data that the cube model needs of a position with these chances.
    pub(super) fn leaf(&self, position: &Position, chances: Chances, needs: Needs) -> Leaf {
        let class = self.evaluator.class(position);
        let exact = self.exact_of(class, position);
        let pips = if class == Class::Race {
            position.me().pips()
        } else {
            0
        };
        let shortcuts = self.evaluator.shortcuts();
        let by_position = self.efficiency.by_position && !self.evaluator.policy().as_gnubg;
        let known = match class {
            Class::Contact | Class::Crashed if self.efficiency.by_position => {
                shortcuts.cube_life(position, &chances)
            }
            Class::Bearoff1 if by_position => {
                let rolls = shortcuts.mean_rolls(position);
                rolls.map(|rolls| bearoff_life(chances.win.into(), rolls))
            }
            _ => None,
        };
        let near = match class {
            Class::Bearoff1 if needs.near && by_position => {
                let beyond = |win, rolls| money_without_gammons(win, bearoff_life(win, rolls));
                shortcuts.nearly_cubeful(position, &beyond)
            }
            _ => None,
        };
        let next = match class {
            Class::Bearoff2 | Class::BearoffTs if needs.next && by_position => {
                shortcuts.win_after_rolls(position)
            }
            _ => None,
        };
        Leaf {
            chances,
            by_position,
            next,
            efficiency: known.unwrap_or_else(|| [self.efficiency.of(class, pips); 3]),
            exact,
            near,
        }
    }

    /// Returns the exact cubeful money equities, where a table has them.
    pub(super) fn exact(&self, position: &Position) -> Option<[f32; 3]> {
        self.exact_of(self.evaluator.class(position), position)
    }

    fn exact_of(&self, class: Class, position: &Position) -> Option<[f32; 3]> {
        match class {
            Class::Hypergammon | Class::Bearoff2 | Class::BearoffTs => {
                self.evaluator.shortcuts().exact_cubeful(position)
            }
            _ => None,
        }
    }
}
