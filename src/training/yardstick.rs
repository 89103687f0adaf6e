//! Scoring float nets on rolled-out decisions while they are trained.
//!
//! One JSON object a line; checker decisions have `t` = `checker`, `id`, `dice` and `c`, a list of
//! `[Position ID after the play, equity for the mover, standard error]`.

use super::error::RunError;
use super::games::{GameSettings, Judges};
use super::plan::Plan;
use super::run::nets;
use crate::game::{Position, Roll};
use crate::notation::parse_position;
use crate::search::Scratch;
use std::path::Path;

/// Plays of a roll that the scored nets look at: all of them.
const PLAYS_ALL: usize = 1000;

/// One decision with its rolled-out candidates.
#[derive(Clone, Debug)]
pub struct Decision {
    position: Position,
    roll: Roll,
    candidates: Vec<(Position, f64)>,
}

/// Reads the checker decisions; lines of other kinds or without sense are skipped.
#[must_use]
pub fn decisions(text: &str) -> Vec<Decision> {
    text.lines().filter_map(decision).collect()
}

fn decision(line: &str) -> Option<Decision> {
    let value: serde_json::Value = serde_json::from_str(line).ok()?;
    if value.get("t")? != "checker" {
        return None;
    }
    let die = |i: usize| u8::try_from(value.get("dice")?.get(i)?.as_u64()?).ok();
    let mut candidates = Vec::new();
    for candidate in value.get("c")?.as_array()? {
        let after = parse_position(candidate.get(0)?.as_str()?.as_bytes())
            .ok()?
            .position;
        candidates.push((after, candidate.get(1)?.as_f64()?));
    }
    Some(Decision {
        position: parse_position(value.get("id")?.as_str()?.as_bytes())
            .ok()?
            .position,
        roll: Roll::new(die(0)?, die(1)?).ok()?,
        candidates,
    })
}

/// Mean loss in thousandths of a point with its standard error, and how many choices were not
/// among the candidates (charged with the worst of them).
#[must_use]
pub fn score(
    judges: Judges<'_>,
    settings: &GameSettings,
    decisions: &[Decision],
) -> (f64, f64, usize) {
    let mut room = Scratch::default();
    let mut outside = 0;
    let losses: Vec<f64> = decisions
        .iter()
        .filter_map(|decision| {
            let best = judges.best(&decision.position, decision.roll, settings, &mut room)?;
            let equities = decision.candidates.iter().map(|c| c.1);
            let top = equities.clone().fold(f64::MIN, f64::max);
            let worst = equities.fold(f64::MAX, f64::min);
            let listed = decision.candidates.iter().find(|c| c.0 == best.after);
            outside += usize::from(listed.is_none());
            Some(1000.0 * (top - listed.map_or(worst, |c| c.1)))
        })
        .collect();
    let n = losses.len().max(1) as f64;
    let mean = losses.iter().sum::<f64>() / n;
    let variance = losses.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, (variance / n).sqrt(), outside)
}

/// Scores the nets of a run after every round; a line each for `report`.
///
/// # Errors
/// [`RunError`] when a net of the run cannot be read.
pub fn score_run(
    plan: &Plan,
    folder: &Path,
    decisions: &[Decision],
    report: &mut dyn FnMut(&str),
) -> Result<(), RunError> {
    let settings = GameSettings {
        filter_plays: PLAYS_ALL,
        ..GameSettings::default()
    };
    for round in 0.. {
        let Some(nets) = nets(plan, folder, round)? else {
            break;
        };
        let evaluator = nets.evaluator("x")?;
        let (mean, error, outside) = score(Judges::new(&evaluator), &settings, decisions);
        report(&format!(
            "round {round}: {mean:.3} +- {error:.3} mEq over {} decisions, {outside} outside",
            decisions.len()
        ));
    }
    Ok(())
}
