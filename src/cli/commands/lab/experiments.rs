//! `gammond lab list`, `run` and `table`: experiments of the literature.

use crate::{Common, Failure, ProgressArgs, finish};
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_base::journal::{check_writable, write_whole};
use gammond_train::lab::LabError;
use gammond_train::lab::experiments::{
    self, Expected, Experiment, Figure, JudgedHalf, LabFinding, LabRun, figure,
};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `lab run`.
#[derive(clap::Args, Debug)]
pub(super) struct Run {
    /// Names that `gammond lab list` shows, or `all`, cheapest first.
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    /// File of results: a JSON object a line, one for each experiment and set of seeds.
    #[arg(long, default_value = "lab-results.jsonl", value_name = "FILE")]
    results: PathBuf,
    /// Folder in which seeds and training are kept; a stopped experiment resumes there.
    #[arg(long, default_value = "lab", value_name = "DIR")]
    folder: PathBuf,
    /// Seeds for each experiment; by default the number that it declares.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..=100))]
    seeds: Option<u64>,
    /// CPU hours: only experiments that are expected to fit are run, cheapest first.
    #[arg(long, value_name = "HOURS", value_parser = super::number::<0, 100_000>)]
    budget: Option<f64>,
    /// gnubg's weights (gnubg.weights or gnubg.wd), for experiments that need them.
    #[arg(long, value_name = "FILE")]
    gnubg: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// Returns the text of a claim with its source.
fn claimed(experiment: &Experiment) -> String {
    experiment.claim.as_ref().map_or_else(
        || "nothing published".to_owned(),
        |claim| format!("\"{}\" ({})", claim.text, claim.source),
    )
}

fn expected(expected: Expected) -> String {
    match expected {
        Expected::Above(least) => format!("above {least}"),
        Expected::Below(most) => format!("below {most}"),
        Expected::Within(least, most) => format!("{least} to {most}"),
    }
}

pub(super) fn list() -> Result<ExitCode, Failure> {
    let mut text = String::new();
    for one in experiments::all() {
        let Experiment {
            name,
            question,
            conditions,
            seeds,
            cost,
            rule,
            ..
        } = one;
        let claim = claimed(one);
        let _ = write!(
            text,
            "{name}\n    claim: {claim}\n    question: {question}\n    conditions: {conditions}\n    seeds: {seeds}, about {cost} CPU \
             seconds each\n"
        );
        for half in rule {
            let kind = if half.beside { "beside" } else { "rule" };
            let terms = half.sum.iter();
            let terms: Vec<String> = terms
                .map(|(factor, measure)| match *factor {
                    1.0 => format!("+ [{measure}]"),
                    -1.0 => format!("- [{measure}]"),
                    factor => format!("{factor:+} [{measure}]"),
                })
                .collect();
            let (terms, expected) = (terms.join(" "), expected(half.expected));
            let _ = writeln!(text, "    {kind}: {}: {terms} {expected}", half.text);
        }
    }
    finish(&text, true, None, "")
}

/// Returns the experiments of these names; `all` or a budget sorts them by their expected costs.
fn wanted(args: &Run, run: &LabRun<'_>) -> Result<Vec<&'static Experiment>, Failure> {
    let mut wanted = Vec::new();
    for name in &args.names {
        match experiments::named(name) {
            Some(one) => wanted.push(one),
            None if name == "all" => wanted.extend(experiments::all()),
            None => {
                let known: Vec<&str> = experiments::all().iter().map(|one| &*one.name).collect();
                let known = known.join(", ");
                return Err(Failure::usage(format!(
                    "'{name}' is no experiment; expected all or one of {known}"
                )));
            }
        }
    }
    if args.names.iter().any(|name| name == "all") || args.budget.is_some() {
        wanted.sort_by_key(|one| one.expected_cost(run));
    }
    if let Some(hours) = args.budget {
        let mut left = hours * 3600.0;
        wanted.retain(|one| {
            left -= one.remaining_cost(run);
            if left < 0.0 {
                stderr_line!("gammond: {} does not fit the budget", one.name);
            }
            left >= 0.0
        });
    }
    Ok(wanted)
}

/// Returns a number with the digits that a reader compares.
fn shown(number: f64) -> String {
    match number.abs() {
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        1.0.. => format!("{number:.2}"),
        0.1.. => format!("{number:.3}"),
        _ => format!("{number:.4}"),
    }
}

fn shown_figure(Figure { mean, reach }: Figure) -> String {
    format!("{} +- {}", shown(mean), shown(reach))
}

fn shown_half(judged: &JudgedHalf) -> String {
    format!(
        "{}: {}: {}",
        judged.half.text,
        shown_figure(judged.figure),
        judged.word()
    )
}

/// Returns what an experiment found as text.
fn described(one: &Experiment, found: &LabFinding) -> String {
    let mut text = format!("{}: {}\n", one.name, found.verdict.name());
    let _ = writeln!(text, "    claim: {}", claimed(one));
    for measure in &one.measures {
        let figure = shown_figure(figure(&one.values(measure, &found.seeds)));
        let _ = writeln!(text, "    {measure}: {figure}");
    }
    for judged in &found.judged {
        let kind = if judged.half.beside { "beside" } else { "rule" };
        let _ = writeln!(text, "    {kind}: {}", shown_half(judged));
    }
    let cost = match found.cpu_seconds {
        Some(seconds) => format!(", {seconds:.0} CPU seconds"),
        None => String::new(),
    };
    let _ = writeln!(text, "    {} seeds{cost}", found.seeds.len());
    text
}

/// Returns the line of the results.
fn line(one: &Experiment, found: &LabFinding, seed: u64) -> Value {
    let measures = one.measures.iter().map(|measure| {
        let values = one.values(measure, &found.seeds);
        let Figure { mean, reach } = figure(&values);
        let value = json!({"mean": mean, "reach": reach, "seeds": values});
        (measure.clone(), value)
    });
    let measures: Map<String, Value> = measures.collect();
    let rule = found.judged.iter().map(|judged| {
        json!({
            "half": judged.half.text, "beside": judged.half.beside,
            "expected": expected(judged.half.expected), "mean": judged.figure.mean,
            "reach": judged.figure.reach, "verdict": judged.word(),
        })
    });
    let result: Vec<String> = found.judged.iter().map(shown_half).collect();
    let claim = one.claim.as_ref();
    json!({
        "experiment": one.name, "seed": seed, "seeds": found.seeds.len(),
        "command": format!("gammond lab run {} --seed {seed}", one.name),
        "claim": claim.map(|claim| &claim.text), "source": claim.map(|claim| &claim.source),
        "question": one.question, "conditions": one.conditions, "measures": measures,
        "rule": rule.collect::<Vec<_>>(), "result": result.join("; "), "before": one.before,
        "verdict": found.verdict.name(), "cpu_seconds": found.cpu_seconds,
    })
}

/// Puts a line into the file of results, in place of one of the same experiment and set of seeds.
fn keep(path: &Path, line: Value) -> Result<(), Failure> {
    // Another process may have added to it meanwhile.
    let mut lines = results(path)?;
    let is_same = |old: &Value| {
        ["experiment", "seed"]
            .iter()
            .all(|&key| old[key] == line[key])
    };
    lines.retain(|old| !is_same(old));
    lines.push(line);
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    write_whole(path, lines.as_bytes()).map_err(Failure::unwritten(path))
}

pub(super) fn run(common: &Common, args: &Run) -> Result<ExitCode, Failure> {
    let run = LabRun {
        folder: &args.folder,
        gnubg: args.gnubg.as_deref(),
        seed: common.seed(),
        seeds: args.seeds,
    };
    let wanted = wanted(args, &run)?;
    results(&args.results)?;
    check_writable(&args.results).map_err(Failure::in_file(&args.results))?;
    files::create_folder(&args.folder).map_err(Failure::in_file(&args.folder))?;
    let mut control = args.progress.control()?;
    let mut text = String::new();
    for one in wanted {
        let found = match one.run(&run, &mut control) {
            Err(error) if error.is_no_weights() && args.names.iter().any(|name| name == "all") => {
                stderr_line!("gammond: {} is left out: {error}", one.name);
                continue;
            }
            found => found?,
        };
        let Some(found) = found else {
            drop(control);
            return finish(&text, false, Some(&args.folder), "");
        };
        text.push_str(&described(one, &found));
        keep(&args.results, line(one, &found, common.seed()))?;
    }
    drop(control);
    finish(&text, true, None, "")
}

/// Longest line of the list.
const LINE_MAX: usize = 118;

/// Appends words as an item of a list whose lines have at most [`LINE_MAX`] characters.
fn item(text: &mut String, words: &str) {
    let mut length = 1;
    text.push('-');
    for word in words.split_whitespace() {
        let width = word.chars().count() + 1;
        if length + width > LINE_MAX {
            text.push_str("\n ");
            length = 1;
        }
        text.push(' ');
        text.push_str(word);
        length += width;
    }
    text.push('\n');
}

/// Prints the results as a table in Markdown and a list of the figures, in the order of the list of experiments.
pub(super) fn table(path: &Path) -> Result<ExitCode, Failure> {
    if !path.is_file() {
        return Err(Failure::in_file(path)("no such file"));
    }
    let lines = results(path)?;
    let mut text =
        "| experiment | before | now | seeds | CPU s |\n|---|---|---|---:|---:|\n".to_owned();
    let mut figures = "\n".to_owned();
    for one in experiments::all() {
        let mut own: Vec<&Value> = (lines.iter())
            .filter(|line| line["experiment"] == *one.name)
            .collect();
        own.sort_by_key(|line| line["seed"].as_u64());
        if own.is_empty() {
            let _ = writeln!(text, "| {} | {} | not yet run | | |", one.name, one.before);
        }
        for line in own {
            let word = |key: &str| line[key].as_str().unwrap_or_default().replace('|', "/");
            let seed = line["seed"].as_u64().unwrap_or_default();
            let set = if seed == 1 {
                String::new()
            } else {
                format!(", seeds {seed}")
            };
            let cost = line["cpu_seconds"]
                .as_f64()
                .map(|seconds| format!("{seconds:.0}"));
            let _ = writeln!(
                text,
                "| {}{set} | {} | {} | {} | {} |",
                one.name,
                word("before"),
                word("verdict"),
                line["seeds"].as_u64().unwrap_or_default(),
                cost.unwrap_or_default()
            );
            let claim = match line["claim"].as_str() {
                Some(_) => format!("\"{}\" ({})", word("claim"), word("source")),
                None => "nothing published".to_owned(),
            };
            let words = format!(
                "**{}{set}** (`{}`): claim: {claim}; conditions: {}; found: {}; verdict: {}",
                one.name,
                word("command"),
                word("conditions"),
                word("result"),
                word("verdict")
            );
            item(&mut figures, &words);
        }
    }
    finish(&(text + &figures), true, None, "")
}

/// Reads a file of results; a file with anything else in it is refused.
fn results(path: &Path) -> Result<Vec<Value>, Failure> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        match serde_json::from_str::<Value>(line) {
            Ok(value) if value["experiment"].is_string() && value["verdict"].is_string() => {
                lines.push(value);
            }
            _ => {
                let text = format!("line {number}: not a result of gammond lab; left unchanged");
                return Err(Failure::in_file(path)(text));
            }
        }
    }
    Ok(lines)
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        if error.is_no_weights() {
            return Failure::usage(error);
        }
        match error {
            LabError::Player(error) => error.into(),
            LabError::Games(error) => error.into(),
            LabError::Engine(error) => error.into(),
            LabError::Shape(error) => Failure::usage(error),
            other => Failure::file(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_broken_at_words() {
        let mut text = String::new();
        item(&mut text, &"twelve chars ".repeat(20));
        assert!(text.starts_with("- twelve chars twelve"));
        assert!(text.lines().skip(1).all(|line| line.starts_with("  ")));
        assert!(text.lines().all(|line| line.len() <= LINE_MAX) && text.lines().count() > 2);
    }
}
