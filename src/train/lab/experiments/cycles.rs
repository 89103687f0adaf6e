//! Training by cycles on the plays that a net gets wrong, as GNU Backgammon's nets were.

use super::declaration::SeedResult;
use super::kit::ExperimentContext;
use super::teaching::{PLIES, disputed, labelled, teach, training_data, valued};
use crate::lab::LabError;
use gammond_arena::benchmark::regret::decisions;
use gammond_game::Class;
use gammond_job::Control;

/// Positions that are learned from at first, and that each cycle adds.
const BASE: usize = 6_000;
const ADDED: [usize; 3] = [1_000, 2_000, 2_000];
const EPOCHS: u64 = 60;
/// Number of turns that are searched for so many disputed positions.
const TURNS: usize = 2;

pub(super) fn cycles(
    class: Class,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    let most: usize = ADDED.iter().sum();
    let wanted = (class, BASE + most + TURNS * most);
    let Some(training_data) = training_data(wanted, lab_context, control)? else {
        return Ok(None);
    };
    let engine = &training_data.engine;
    let (known, turns) = training_data.learned.split_at(BASE + most);
    let turns = decisions(turns, turns.len(), lab_context.seed);
    let Some(chances) = valued(engine, known, PLIES, control) else {
        return Ok(None);
    };
    let labels = labelled(known, &chances);
    let (base, ordinary) = labels.split_at(BASE);
    let name = format!("cycles-{class:?}").to_lowercase();
    let epochs = (name.as_str(), EPOCHS);
    let Some(mut nets) = teach(&[("0", base.to_vec())], epochs, lab_context, control)? else {
        return Ok(None);
    };
    let (mut learned, mut begun) = (base.to_vec(), 0);
    for (cycle, count) in (1..).zip(ADDED) {
        let share = turns.len() * count / most;
        let asked = &turns[begun..(begun + share).min(turns.len())];
        begun += share;
        let last = nets.len().saturating_sub(2);
        let net = if cycle == 1 { &nets[0] } else { &nets[last] };
        let Some(found) = disputed(engine, net, (asked, count), control)? else {
            return Ok(None);
        };
        let Some(chances) = valued(engine, &found, PLIES, control) else {
            return Ok(None);
        };
        learned.extend(labelled(&found, &chances));
        let as_many = &ordinary[..(learned.len() - BASE).min(ordinary.len())];
        let sets = [
            (format!("{cycle}-disputed"), learned.clone()),
            (format!("{cycle}-ordinary"), [base, as_many].concat()),
        ];
        let Some(more) = teach(&sets, epochs, lab_context, control)? else {
            return Ok(None);
        };
        nets.extend(more);
    }
    let lost = training_data.mean_losses(&nets, control)?;
    Ok(lost.map(SeedResult::from))
}
