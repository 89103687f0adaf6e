//! The model of people's choices (`gammond_engine::people`), trained on decisions of people (LV-01 to LV-12 of
//! `protocol-specs/levels.md`).
//!
//! Every decision is judged by a search; the error rate of each player follows from the losses. The nets then learn which
//! of the plays a player of this rate has chosen. Whole matches are held out, by their names; the report scores
//! the model on them beside choices by noise. At the end games of the model against itself show the
//! settings with which it plays at an error rate.

mod calibrate;
mod decisions;
mod fit;
mod judge;
mod samples;
mod score;

pub use calibrate::{Opponent, measured};

use super::error::in_file;
use super::limits::{BATCH_MAX, Checked, PASSES_MAX, shares, within};
use super::run::RunError;
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_engine::people::{Dial, People};
use gammond_engine::{Engine, Settings};
use gammond_job::Control;
use samples::Samples;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Settings of the training, as in its TOML file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeoplePlan {
    /// Seed of everything.
    pub seed: u64,
    /// The decisions: a table with tabs, its columns named in the first line (LV-02).
    pub decisions: PathBuf,
    /// File for the judged decisions: written as they are judged, read if it is there.
    pub judged: PathBuf,
    /// A model whose nets are kept: only its settings by error rate are made again.
    pub nets: Option<PathBuf>,
    /// Share of the matches that are held out.
    pub held_out: f64,
    /// Units of the nets: plays, cube.
    pub width: [usize; 2],
    /// Passes over the decisions.
    pub passes: usize,
    /// Decisions in a step.
    pub batch: usize,
    /// Learning rate at the start; a cosine takes it to a thirtieth.
    pub rate: f32,
    /// Decisions that pull the error rate of a player with few of them towards that of all.
    pub pull: f64,
    /// Games by which each error rate is set.
    pub games: usize,
}

impl Checked for PeoplePlan {
    fn fault(&self) -> Option<String> {
        within("held_out", self.held_out, 0.0, 0.9)
            .or_else(|| within("width", self.width[0] as f64, 1.0, 512.0))
            .or_else(|| within("width", self.width[1] as f64, 1.0, 512.0))
            .or_else(|| within("passes", self.passes as f64, 1.0, PASSES_MAX))
            .or_else(|| within("batch", self.batch as f64, 1.0, BATCH_MAX))
            .or_else(|| within("pull", self.pull, 0.0, 1e6))
            .or_else(|| within("games", self.games as f64, 0.0, BATCH_MAX))
            .or_else(|| shares(&[("rate", self.rate.into())]))
    }
}

/// Largest size of a file of decisions.
const DECISIONS_BYTES_MAX: u64 = 1 << 30;

/// Settings of the searches that judge: as matches are analysed.
fn judging() -> Settings {
    Settings::for_analysis(None, None)
}

/// Makes the model of people's choices; its file. `None` when it was stopped.
///
/// # Errors
/// When the decisions cannot be read, or the judged ones cannot be kept.
pub fn train(
    plan: &PeoplePlan,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<Option<Vec<u8>>, RunError> {
    let engine = Engine::builder().build()?;
    let text =
        files::read_text(&plan.decisions, DECISIONS_BYTES_MAX).map_err(in_file(&plan.decisions))?;
    let (decisions, left_out) = decisions::read(&text);
    report(&format!(
        "{} decisions, {left_out} lines left out",
        decisions.len()
    ));
    let Some(judged) = judge::all(plan, &decisions, &engine, control)? else {
        return Ok(None);
    };
    let samples = samples::of(plan, &decisions, judged);
    report(&samples.summary());
    let most = samples.losses_most();
    let made = match &plan.nets {
        Some(path) => {
            let text = files::read_text(path, TEXT_BYTES_MAX).map_err(in_file(path))?;
            Some(People::parse(&text).ok_or_else(|| RunError::Plan {
                path: path.clone(),
                reason: "nets: is no model of people's choices, expected a file of gammond train people".to_owned(),
            })?)
        }
        None => learnt(plan, &samples, most, report, control),
    };
    let Some(mut people) = made else {
        return Ok(None);
    };
    if !calibrate::set(plan, &mut people, most, &engine, report, control) {
        return Ok(None);
    }
    Ok(Some(people.text().into_bytes()))
}

/// Trains the nets; `None` when it was stopped.
fn learnt(
    plan: &PeoplePlan,
    samples: &Samples,
    most: [f64; 3],
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Option<People> {
    let mut net = |kind| fit::net(plan, kind, samples, report, control);
    let [play, double, take] = fit::Kind::ALL;
    let people = People {
        play: net(play)?,
        double: net(double)?,
        take: net(take)?,
        dials: Dial::of_people(most),
    };
    score::against_noise(&people, samples, report);
    Some(people)
}
