//! The overview of a farm that people see.

use super::FarmError;
use super::answers::AnswerInfo;
use super::judge::COPIES_MAX;
use super::machines::{MachineReport, now_s};
use super::store::{Farm, State};
use super::task::{Commands, Task};
use gammond_base::escape::{Markup, Untrusted};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Period of the answers that the rate is computed from, in seconds.
const RATE_S: u64 = 300;
/// Maximum number of abandoned batches in the overview.
const DEAD_MAX: usize = 100;

/// The state of a farm at one moment.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Name of the farm.
    pub farm: String,
    /// All jobs, or the requested one.
    pub jobs: Vec<JobStatus>,
    /// Reports of the machines.
    pub machines: Vec<MachineReport>,
    /// Quarantined machines, each with the reason.
    pub quarantined: BTreeMap<Untrusted, Untrusted>,
}

/// The state of a job.
#[derive(Clone, Debug)]
pub struct JobStatus {
    /// Name of the job.
    pub name: Untrusted,
    /// Command line, or the reason why the job cannot be read.
    pub command: Untrusted,
    /// State of the job.
    pub state: State,
    /// Number of the current stage from 1, and number of stages.
    pub stage: (u32, u32),
    /// Number of batches of this stage.
    pub batches: u64,
    /// Number of batches with an answer.
    pub answered: u64,
    /// Number of batches with an answer that a second one has yet to confirm.
    pub unverified: u64,
    /// Number of parts of this stage.
    pub parts: u64,
    /// Number of parts with an answer.
    pub parts_done: u64,
    /// Parts per second over the last minutes.
    pub rate: f64,
    /// Estimated seconds to the end of the stage, if known.
    pub left_s: Option<f64>,
    /// Abandoned batches, each with the reason.
    pub dead: Vec<(Untrusted, Untrusted)>,
    /// Machines' shares of all stages.
    pub contributors: Vec<Contributor>,
}

/// A machine's share of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributor {
    /// Name of the machine.
    pub name: Untrusted,
    /// Number of batches answered.
    pub batches: u64,
    /// Number of parts computed.
    pub parts: u64,
    /// Computing time in hours of one processor.
    pub cpu_hours: f64,
}

/// Returns the overview of a farm, or of one job.
///
/// # Errors
/// [`FarmError`].
pub(crate) async fn overview<C: Commands>(
    farm: &Farm,
    job: Option<&str>,
) -> Result<Overview, FarmError> {
    let names = match job {
        Some(job) => vec![job.to_owned()],
        None => farm.job_names().await?,
    };
    let mut jobs = Vec::new();
    for name in names {
        match farm.task::<C>(&name).await {
            Ok(task) => jobs.push(status(farm, &task).await?),
            Err(
                error @ (FarmError::Newer { .. }
                | FarmError::Version { .. }
                | FarmError::NotOurs(_)),
            ) => {
                jobs.push(JobStatus {
                    command: error.to_string().into(),
                    ..empty(name, farm).await?
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Overview {
        farm: farm.name().to_owned(),
        jobs,
        machines: farm.machines().await?,
        quarantined: farm.quarantined().await?,
    })
}

async fn empty(name: String, farm: &Farm) -> Result<JobStatus, FarmError> {
    Ok(JobStatus {
        state: farm.state(&name).await?,
        name: name.into(),
        command: Untrusted::default(),
        stage: (1, 1),
        batches: 0,
        answered: 0,
        unverified: 0,
        parts: 0,
        parts_done: 0,
        rate: 0.0,
        left_s: None,
        dead: Vec::new(),
        contributors: Vec::new(),
    })
}

async fn status<C: Commands>(farm: &Farm, task: &Task<C>) -> Result<JobStatus, FarmError> {
    let name = task.name();
    let mut found = JobStatus {
        command: task.typed.clone().into(),
        stage: (1, task.stages()),
        ..empty(name.clone(), farm).await?
    };
    let mut current = 0;
    let mut stages = BTreeMap::new();
    for number in 0..task.stages() {
        if let Some(stage) = farm.stage(&name, number).await? {
            current = number;
            found.stage.0 = number + 1;
            (found.batches, found.parts) = (stage.batches(), stage.parts);
            stages.insert(number, stage);
        }
    }
    let mut all = farm.answer_infos(&name).await?;
    // The number of parts of an answer follows from its batch; an answer with another number is invalid.
    all.retain(|one| {
        let numbers = stages
            .get(&one.batch.stage)
            .map(|stage| stage.numbers(one.batch.number));
        numbers.is_some_and(|numbers| {
            !numbers.is_empty()
                && numbers.end - numbers.start == one.parts
                && one.batch.copy < COPIES_MAX
        })
    });
    let second: BTreeSet<u64> = (all.iter())
        .filter(|one| one.batch.stage == current && one.batch.copy == 1)
        .map(|one| one.batch.number)
        .collect();
    let now = now_s();
    let mut recent = 0;
    let mut oldest = now;
    for one in all
        .iter()
        .filter(|one| one.batch.stage == current && one.batch.copy == 0)
    {
        found.answered += 1;
        found.parts_done += one.parts;
        let number = one.batch.number;
        found.unverified += u64::from(task.verifies(current, number) && !second.contains(&number));
        let came = u64::try_from(one.came_ms / 1000).unwrap_or_default();
        if came + RATE_S >= now {
            recent += one.parts;
            oldest = oldest.min(came);
        }
    }
    found.rate = recent as f64 / (now.saturating_sub(oldest)).max(1) as f64;
    let left = found.parts.saturating_sub(found.parts_done) as f64;
    found.left_s = (found.rate > 0.0 && found.state == State::Active).then(|| left / found.rate);
    found.contributors = contributors(&all);
    let dead = farm.abandoned(&name, DEAD_MAX).await?;
    found.dead = (dead.into_iter())
        .map(|one| (one.batch.subject().into(), one.reason.into()))
        .collect();
    Ok(found)
}

fn contributors(all: &[AnswerInfo]) -> Vec<Contributor> {
    let mut found: BTreeMap<&str, Contributor> = BTreeMap::new();
    for one in all {
        let who = found.entry(&one.worker).or_default();
        who.name = one.worker.as_str().into();
        who.batches += 1;
        who.parts += one.parts;
        who.cpu_hours += one.busy_ms as f64 / 3.6e6;
    }
    let mut found: Vec<Contributor> = found.into_values().collect();
    found.sort_by(|a, b| b.cpu_hours.total_cmp(&a.cpu_hours));
    found
}

/// Formats seconds for people.
fn time(seconds: f64) -> String {
    let seconds = seconds.min(1e9) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}

impl JobStatus {
    /// Returns a summary in one line.
    #[must_use]
    pub fn line(&self) -> String {
        let mut text = format!("{}  {}", self.name.terminal(), self.state.name());
        if self.stage.1 > 1 {
            let _ = write!(text, ", step {} of {}", self.stage.0, self.stage.1);
        }
        let _ = write!(text, ", {} of {} parts", self.parts_done, self.parts);
        if self.state == State::Active {
            let _ = write!(text, ", {:.2} a second", self.rate);
        }
        if let Some(left) = self.left_s {
            let _ = write!(text, ", {} left", time(left));
        }
        let batches = |count| if count == 1 { "batch" } else { "batches" };
        if self.waits_for_second_machine() {
            let count = self.unverified;
            let _ = write!(text, ", {count} {} to be verified", batches(count));
        }
        if !self.dead.is_empty() {
            let count = self.dead.len() as u64;
            let _ = write!(text, ", {count} {} abandoned", batches(count));
        }
        text
    }

    /// Returns true if nothing but second answers is missing.
    fn waits_for_second_machine(&self) -> bool {
        self.state == State::Active && self.unverified > 0 && self.answered == self.batches
    }

    /// Returns advice if batches were abandoned or wait for another machine.
    fn hint(&self) -> Option<String> {
        if self.waits_for_second_machine() {
            let why = "a second machine verifies them; a job for one machine is submitted with `--verify 0`";
            return Some(why.to_owned());
        }
        let retry = format!(
            "`gammond farm retry {}` retries the abandoned batches",
            self.name.terminal()
        );
        (!self.dead.is_empty()).then_some(retry)
    }

    /// Returns the full text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{}\n  gammond {}\n", self.line(), self.command.terminal());
        for one in &self.contributors {
            let Contributor {
                name,
                batches,
                parts,
                cpu_hours,
            } = one;
            let _ = writeln!(
                text,
                "  {}: {parts} parts in {batches} batches, {cpu_hours:.3} CPU hours",
                name.terminal()
            );
        }
        for (batch, why) in &self.dead {
            let _ = writeln!(
                text,
                "  abandoned: {}: {}",
                batch.terminal(),
                why.terminal()
            );
        }
        if let Some(hint) = self.hint() {
            let _ = writeln!(text, "  {hint}");
        }
        text
    }
}

/// Returns a machine's report in one line.
#[must_use]
pub fn machine_line(
    machine: &MachineReport,
    quarantined: &BTreeMap<Untrusted, Untrusted>,
) -> String {
    let ago = now_s().saturating_sub(machine.seen_s);
    let mut text = format!(
        "{} ({}, gammond {}): {} threads, {} batches answered, {} in work, seen {} ago",
        machine.name.terminal(),
        machine.instance.terminal(),
        machine.version.terminal(),
        machine.threads,
        machine.answered,
        machine.computing,
        time(ago as f64)
    );
    if let Some(why) = quarantined.get(&machine.name) {
        let _ = write!(text, "; quarantined: {}", why.terminal());
    }
    for (job, why) in &machine.refuses {
        let _ = write!(text, "; refuses {}: {}", job.terminal(), why.terminal());
    }
    text
}

impl Overview {
    /// Returns the overview as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        let jobs: Vec<_> = (self.jobs.iter())
            .map(|job| {
                let contributors: Vec<_> = (job.contributors.iter())
                    .map(|one| {
                        serde_json::json!({"name": one.name, "batches": one.batches, "parts": one.parts,
                            "cpu_hours": one.cpu_hours})
                    })
                    .collect();
                serde_json::json!({
                    "job": job.name, "command": job.command, "state": job.state.name(),
                    "stage": job.stage.0, "stages": job.stage.1, "batches": job.batches, "batches_done": job.answered,
                    "unverified": job.unverified,
                    "parts": job.parts, "parts_done": job.parts_done, "per_second": job.rate,
                    "seconds_left": job.left_s, "abandoned": job.dead, "contributors": contributors,
                })
            })
            .collect();
        serde_json::json!({"farm": self.farm, "jobs": jobs, "machines": self.machines, "aside": self.quarantined})
    }
}

/// Returns the overview as an HTML page that loads nothing else and refreshes itself.
#[must_use]
pub fn page(overview: &Overview) -> String {
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"30\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{0}: gammond farm</title>\n<style>\
         body{{font:16px/1.4 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}}\
         table{{border-collapse:collapse;margin:1em 0}}td,th{{padding:.2em .8em;text-align:right;\
         border-bottom:1px solid #ccc}}td:first-child,th:first-child{{text-align:left}}progress{{width:100%}}\
         .bad{{color:#a00}}</style></head><body>\n<h1>Farm {0}</h1>\n",
        Markup::new(&overview.farm)
    );
    if overview.jobs.is_empty() {
        text.push_str("<p>No jobs.</p>\n");
    }
    for job in &overview.jobs {
        let _ = writeln!(
            text,
            "<h2>{}</h2>\n<p><code>gammond {}</code></p>\n<progress max=\"{}\" value=\"{}\"></progress>\n<p>{}</p>",
            job.name.markup(),
            job.command.markup(),
            job.parts.max(1),
            job.parts_done,
            Markup::new(&job.line())
        );
        for (batch, why) in &job.dead {
            let _ = writeln!(
                text,
                "<p class=\"bad\">Abandoned: {}: {}</p>",
                batch.markup(),
                why.markup()
            );
        }
        if let Some(hint) = job.hint() {
            let _ = writeln!(text, "<p>{}</p>", Markup::new(&hint));
        }
        if job.contributors.is_empty() {
            continue;
        }
        text.push_str(
            "<table><tr><th>Contributor</th><th>Parts</th><th>Batches</th><th>CPU hours</th></tr>\n",
        );
        for one in &job.contributors {
            let name = one.name.markup();
            let _ = writeln!(
                text,
                "<tr><td>{name}</td><td>{}</td><td>{}</td><td>{:.3}</td></tr>",
                one.parts, one.batches, one.cpu_hours
            );
        }
        text.push_str("</table>\n");
    }
    text.push_str("<h2>Machines</h2>\n");
    for machine in &overview.machines {
        let _ = writeln!(
            text,
            "<p>{}</p>",
            Markup::new(&machine_line(machine, &overview.quarantined))
        );
    }
    for (name, why) in &overview.quarantined {
        let _ = writeln!(
            text,
            "<p class=\"bad\">{} is quarantined: {}</p>",
            name.markup(),
            why.markup()
        );
    }
    text.push_str("</body></html>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "\u{1b}[2J\u{9b}1m\n<script>\u{202e}";

    /// Reports of machines cannot control a terminal or run scripts in a browser.
    #[test]
    fn hostile_reports_are_escaped() {
        let report = serde_json::json!({
            "name": HOSTILE, "instance": HOSTILE, "version": HOSTILE, "refuses": {HOSTILE: HOSTILE},
            "threads": u64::MAX, "computing": u64::MAX, "answered": u64::MAX, "seen_s": u64::MAX,
        });
        let text = || Untrusted::from(HOSTILE);
        let overview = Overview {
            farm: HOSTILE.to_owned(),
            jobs: vec![JobStatus {
                name: text(),
                command: text(),
                state: State::Active,
                stage: (1, 1),
                batches: 1,
                answered: 0,
                unverified: 0,
                parts: 1,
                parts_done: 0,
                rate: 0.0,
                left_s: None,
                dead: vec![(text(), text())],
                contributors: vec![Contributor {
                    name: text(),
                    ..Contributor::default()
                }],
            }],
            machines: vec![serde_json::from_value(report).unwrap()],
            quarantined: [(text(), text())].into(),
        };
        let clean = |shown: &str| {
            let signs = |sign: char| (sign.is_control() && sign != '\n') || sign == '\u{202e}';
            assert!(!shown.contains(signs), "{shown:?}");
            assert!(!shown.contains("\n<script>"), "{shown:?}");
        };
        clean(&machine_line(&overview.machines[0], &overview.quarantined));
        clean(&overview.jobs[0].line());
        clean(&overview.jobs[0].text());
        let page = page(&overview);
        clean(&page);
        assert!(!page.contains("<script"), "{page}");
    }
}
