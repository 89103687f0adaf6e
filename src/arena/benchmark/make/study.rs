//! Study of move filters: decisions in which every play was rolled out, beside the plays that each filter keeps.

use super::choose::Chosen;
use super::recipe::Recipe;
use super::roll::KnownResults;
use super::write::GameResults;
use gammond_base::stats::Running;
use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{MoveFilter, PlayQuery, Settings};
use gammond_game::Position;

/// Plays that a filter keeps in decisions in which every play was rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterStudy {
    /// Name of the filter; `list` for the candidates of an ordinary record.
    pub filter: &'static str,
    /// Plays kept.
    pub kept: Running,
    /// Plays in all.
    pub plays: Running,
    /// Number of decisions whose best play is not kept.
    pub missed: u64,
    /// ... by more than two standard errors of the loss of the best play that is kept.
    pub clearly: u64,
    /// Points that the best play that is kept loses.
    pub loss: Running,
}

impl FilterStudy {
    fn new(filter: &'static str) -> FilterStudy {
        FilterStudy {
            filter,
            kept: Running::default(),
            plays: Running::default(),
            missed: 0,
            clearly: 0,
            loss: Running::default(),
        }
    }

    fn add(&mut self, record: &Chosen, rolled: &GameResults, kept: &[Position]) {
        let is_kept = |index: &&usize| kept.contains(&record.candidates[**index]);
        let (Some(&best), Some(&first)) = (rolled.order.first(), rolled.order.iter().find(is_kept))
        else {
            return;
        };
        let (loss, error) = rolled.loss(best, first);
        self.kept.add(kept.len() as f64);
        self.plays.add(record.candidates.len() as f64);
        self.missed += u64::from(first != best);
        self.clearly += u64::from(error.is_some_and(|error| first != best && loss > 2.0 * error));
        self.loss.add(loss);
    }
}

/// Look-ahead of the searches whose filters are studied.
const PLIES: u8 = 2;

/// Compares what each filter keeps with the rollouts of every play: the list of an ordinary record, then the engine's
/// filters by name, at two plies.
///
/// # Errors
/// When the engine refuses a position.
pub fn study(
    engine: &Engine,
    records: &[Chosen],
    known: &[KnownResults],
) -> Result<Vec<FilterStudy>, EngineError> {
    let mut rows = vec![FilterStudy::new("list")];
    // The automatic filter is another of them, depending on the request.
    let names = MoveFilter::NAMES.into_iter();
    rows.extend(names.filter(|&name| name != "auto").map(FilterStudy::new));
    for (record, known) in records.iter().zip(known) {
        let Some(roll) = record.roll.filter(|_| known.parts == record.parts()) else {
            continue;
        };
        let rolled = GameResults::of(record, known);
        let query = PlayQuery {
            position: record.position,
            roll,
            state: Recipe::state(),
        };
        for row in &mut rows {
            let kept = match MoveFilter::named(row.filter) {
                None => record.candidates[..record.listed].to_vec(),
                Some(filter) => {
                    let mut settings = Settings::plies(PLIES).with_cubeful(false);
                    settings.filter = filter;
                    let ranked = engine.rank_plays(&query, &settings, &Stop::never())?.plays;
                    let deep = ranked.iter().filter(|play| play.plies == PLIES);
                    let deep: Vec<Position> = deep.map(|play| play.position).collect();
                    // A play that is left alone is not searched.
                    match (deep.is_empty(), ranked.first()) {
                        (true, Some(first)) => vec![first.position],
                        _ => deep,
                    }
                }
            };
            row.add(record, &rolled, &kept);
        }
    }
    Ok(rows)
}
