//! Scoring float nets on rolled-out decisions while they are trained.
//!
//! One JSON object a line; checker decisions have `t` = `checker`, `id`, `dice` and `c`, a list of
//! `[Position ID after the play, equity for the mover, standard error]`.

use super::error::RunError;
use super::game_settings::GameSettings;
use super::one_ply::OnePlyEvaluator;
use super::plan::Plan;
use super::run::nets;
use gammond_engine::search::Scratch;
use gammond_game::notation::parse_position;
use gammond_game::{Position, Roll};
use gammond_job::{Control, Progress};
use std::path::Path;

/// Plays of a roll that the scored nets see: all of them.
const PLAYS_ALL: usize = 1000;

/// One decision with its rolled-out candidates.
#[derive(Clone, Debug)]
pub struct RolledDecision {
    position: Position,
    roll: Roll,
    candidates: Vec<(Position, f64)>,
}

/// Reads the checker decisions; lines of other kinds or without sense are skipped.
#[must_use]
pub fn decisions(text: &str) -> Vec<RolledDecision> {
    text.lines().filter_map(decision).collect()
}

fn decision(line: &str) -> Option<RolledDecision> {
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
    Some(RolledDecision {
        position: parse_position(value.get("id")?.as_str()?.as_bytes())
            .ok()?
            .position,
        roll: Roll::new(die(0)?, die(1)?).ok()?,
        candidates,
    })
}

/// Number of decisions between two calls for progress.
const STRETCH: usize = 64;

/// Returns the mean loss in thousandths of a point with its standard error, and how many choices were not among the
/// candidates (charged with the worst of them). `None` when it was stopped.
#[must_use]
pub fn score(
    judges: OnePlyEvaluator<'_>,
    settings: &GameSettings,
    decisions: &[RolledDecision],
    control: &mut Control<'_>,
) -> Option<(f64, f64, usize)> {
    let mut room = Scratch::default();
    let mut outside = 0;
    let mut losses: Vec<f64> = Vec::with_capacity(decisions.len());
    for (number, stretch) in decisions.chunks(STRETCH).enumerate() {
        let (done, all) = ((number * STRETCH) as u64, decisions.len() as u64);
        control.report_progress(Progress::new("decisions", done, Some(all)), false);
        if control.stop.is_triggered() {
            return None;
        }
        losses.extend(stretch.iter().map(|decision| {
            let best = judges.best(&decision.position, decision.roll, settings, &mut room);
            let equities = decision.candidates.iter().map(|c| c.1);
            let top = equities.clone().fold(f64::MIN, f64::max);
            let worst = equities.fold(f64::MAX, f64::min);
            let listed = decision.candidates.iter().find(|c| c.0 == best.after);
            outside += usize::from(listed.is_none());
            1000.0 * (top - listed.map_or(worst, |c| c.1))
        }));
    }
    let n = losses.len().max(1) as f64;
    let mean = losses.iter().sum::<f64>() / n;
    let variance = losses.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    Some((mean, (variance / n).sqrt(), outside))
}

/// Scores the nets of a run after every round; a line each for `report`. Whether it came to its end.
///
/// # Errors
/// [`RunError`] when a net of the run cannot be read.
pub fn score_run(
    plan: &Plan,
    folder: &Path,
    decisions: &[RolledDecision],
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    let settings = GameSettings {
        filter_plays: PLAYS_ALL,
        ..GameSettings::default()
    };
    for round in 0.. {
        let Some(nets) = nets(plan, folder, round)? else {
            break;
        };
        let evaluator = nets.evaluator("x")?;
        control.task = format!("round {round}");
        let judges = OnePlyEvaluator::new(&evaluator);
        let Some((mean, error, outside)) = score(judges, &settings, decisions, control) else {
            return Ok(false);
        };
        report(&format!(
            "round {round}: {mean:.3} +- {error:.3} mEq over {} decisions, {outside} outside",
            decisions.len()
        ));
    }
    Ok(true)
}
