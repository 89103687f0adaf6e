//! Hypergammon: the evaluators of a table, and the match equity table that follows from it.

use crate::bearoff::Tables;
use crate::equity::{CubeEfficiency, MatchEquityTable};
use crate::eval::hyper::HyperEvaluator;
use crate::query::{PlayQuery, Settings, Stop};
use crate::search::{Context, rank_plays};
use gammond_game::{Cube, MatchState, Roll, Rules, Score, Variant};
use std::sync::{Arc, OnceLock};

/// The evaluators and the match equity table that answer for one variant.
#[derive(Debug)]
pub(super) struct HyperGame {
    variant: Variant,
    /// For money, money with the Jacoby rule, and matches.
    evaluators: [HyperEvaluator; 3],
    /// Computed at the first question about a match, in less than a second.
    met: OnceLock<MatchEquityTable>,
}

impl HyperGame {
    /// Returns those of the tables that there are.
    pub(super) fn all(tables: &Tables) -> Arc<[HyperGame]> {
        let variants = [
            Variant::Hypergammon1,
            Variant::Hypergammon2,
            Variant::Hypergammon,
        ];
        let games = variants.into_iter().filter_map(|variant| {
            Some(HyperGame {
                variant,
                evaluators: HyperEvaluator::all(tables.hyper(variant.checkers())?)?,
                met: OnceLock::new(),
            })
        });
        games.collect()
    }

    /// The variant.
    pub(super) const fn variant(&self) -> Variant {
        self.variant
    }

    /// Returns `context` for a state of this variant. Nothing is remembered: the same position has other chances in
    /// other variants, and the table is as fast as the memory.
    pub(super) fn context<'a>(&'a self, context: Context<'a>, state: &MatchState) -> Context<'a> {
        Context {
            evaluator: &self.evaluators[HyperEvaluator::number_for(state)],
            met: if state.score.is_money() {
                context.met
            } else {
                self.met()
            },
            cache: None,
            ..context
        }
    }

    /// Returns the match equity table of the variant (HYPER-08).
    pub(super) fn met(&self) -> &MatchEquityTable {
        self.met.get_or_init(|| {
            let name = self.variant.word();
            MatchEquityTable::by_games(name, |met, score| {
                (self.first_to_play(met, score) + 1.0 - self.first_to_play(met, score.swapped()))
                    / 2.0
            })
        })
    }

    /// Returns the chance to win the match of the player who has won the first throw, in the mean of the 15 rolls.
    fn first_to_play(&self, met: &MatchEquityTable, score: Score) -> f64 {
        let stop = Stop::never();
        let [.., in_match] = &self.evaluators;
        let context = Context {
            evaluator: in_match,
            met,
            efficiency: &CubeEfficiency::GNUBG,
            cache: None,
            stop: &stop,
            budget: None,
        };
        let settings = Settings {
            plies: 0,
            ..Settings::default()
        };
        let rolls: Vec<Roll> = Roll::ALL
            .into_iter()
            .filter(|roll| !roll.is_double())
            .collect();
        let value = |&roll: &Roll| {
            let query = PlayQuery {
                position: self.variant.start(),
                roll,
                state: MatchState {
                    score,
                    cube: Cube::CENTRED,
                    rules: Rules::default(),
                    variant: self.variant,
                },
            };
            let ranked = rank_plays(context, &query, &settings).ok()?;
            ranked.plays.first()?.value.mwc
        };
        let sum: Option<f64> = rolls.iter().map(value).sum();
        sum.map_or(0.5, |sum| sum / rolls.len() as f64)
    }
}
