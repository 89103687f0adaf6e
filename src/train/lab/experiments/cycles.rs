//! Training by cycles on the plays that a net gets wrong, as GNU Backgammon's nets were.

use super::kit::{Experiment, ExperimentContext, LabFinding};
use super::teaching::{
    PLIES, apart, described, disputed, labelled, teach, training_data, valued, verdict,
};
use crate::benchmark::regret::decisions;
use crate::lab::LabError;
use gammond_game::Class;
use gammond_job::Control;

pub(super) const ALL: &[Experiment] = &[
    Experiment {
        name: "disagreement-cycles",
        claim: "positions where 0-ply and 2-ply choose other plays, added in cycles of 1,000 to 5,000, make a net better than as many \
                ordinary ones",
        here: "198-64-5, 60 epochs on 6,000 contact positions with values of two plies, then with 1,000, 2,000 and 2,000 more that the net so \
               far disputes; beside it as many ordinary ones; 1,000 other decisions at two plies",
        work: |lab_context, control| cycles(Class::Contact, lab_context, control),
    },
    Experiment {
        name: "disagreement-cycles-crashed",
        claim: "positions where 0-ply and 2-ply choose other plays, added in cycles of 1,000 to 5,000, make a net better than as many \
                ordinary ones",
        here: "the same with crashed positions",
        work: |lab_context, control| cycles(Class::Crashed, lab_context, control),
    },
];

/// Positions that are learned from at first, and that each cycle adds.
const BASE: usize = 6_000;
const ADDED: [usize; 3] = [1_000, 2_000, 2_000];
const EPOCHS: u64 = 60;
/// Turns that are looked at for so many disputed positions.
const TURNS: usize = 2;

fn cycles(
    class: Class,
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
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
    let Some(lost) = training_data.lost(&nets, control)? else {
        return Ok(None);
    };
    Ok(finding(&lost, learned.len() - BASE))
}

/// Reports the losses of the net before the cycles, and of two nets after each.
fn finding(lost: &[Vec<f64>], added: usize) -> Option<LabFinding> {
    let [before, .., disputes, plain] = lost else {
        return None;
    };
    let mut parts = vec![format!("before {}", described(before))];
    for (cycle, pair) in (1..).zip(lost[1..].chunks_exact(2)) {
        let [disputed, ordinary] = [0, 1].map(|at| described(&pair[at]));
        parts.push(format!(
            "cycle {cycle}: disputed {disputed}, ordinary {ordinary}"
        ));
    }
    let apart = apart(plain, disputes);
    Some(LabFinding {
        result: format!(
            "thousandths of a point, {added} positions added in the end: {}; {apart:+.1} standard errors apart",
            parts.join("; ")
        ),
        verdict: verdict(apart),
    })
}
