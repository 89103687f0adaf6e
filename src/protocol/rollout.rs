//! The answer to `rollout`.

use super::answer::{self, Addressee, number_value};
use gammond_engine::query::AnswerStyle;
use gammond_engine::query::{
    Candidate, CubeAnswer, Equities, RolledOut, RolloutAnswer, RolloutSubject, RolloutTask,
};
use gammond_game::notation::{PositionId, play_text};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Names of the five chances.
const CHANCES: [&str; 5] = [
    "win",
    "win_gammon",
    "win_backgammon",
    "lose_gammon",
    "lose_backgammon",
];

/// Writes the answer, of this type.
pub fn write(
    (to, kind): (Addressee<'_>, &'static str),
    task: &RolloutTask,
    found: &RolloutAnswer,
    took: Duration,
    out: &mut Vec<u8>,
) {
    if to.style == AnswerStyle::Json {
        let body = body(task, found, took);
        answer::values(to, kind, &body, "", out);
        return;
    }
    let plain = match (to.style, found.candidates.first()) {
        (AnswerStyle::Position, Some(best)) => PositionId::from(match best.candidate {
            Candidate::Play(_, after) => after,
            _ => task.query.position,
        })
        .to_string(),
        _ => text(task, found),
    };
    answer::values(to, kind, &Value::Null, &plain, out);
}

/// Returns the name of a candidate.
#[must_use]
pub fn name(task: &RolloutTask, one: &RolledOut) -> String {
    match one.candidate {
        Candidate::Play(play, _) if play.is_pass() => "no play".to_owned(),
        Candidate::Play(play, _) => play_text(&task.query.position, &play),
        Candidate::NoDouble => "no double".to_owned(),
        Candidate::DoubleTake => "double, take".to_owned(),
        Candidate::Position => "position".to_owned(),
    }
}

/// One line for people: each candidate with its value and standard error.
fn text(task: &RolloutTask, found: &RolloutAnswer) -> String {
    let candidate_line = |one: &RolledOut| {
        let (value, error) = one.reported().value();
        let name = name(task, one);
        let error = crate::render::rollout::error_text(error);
        format!("{name} {:+.4} {error}", value.equity)
    };
    let all: Vec<String> = found.candidates.iter().map(candidate_line).collect();
    let verdict = match &found.cube {
        Some(cube) => format!("{}: ", cube.verdict.text()),
        None => String::new(),
    };
    let trials = found.candidates.iter().map(|one| one.trials).max();
    format!(
        "{verdict}{} ({} trials)",
        all.join("; "),
        trials.unwrap_or(0)
    )
}

/// Returns the object of the answer, without its id and type.
#[must_use]
pub fn body(task: &RolloutTask, found: &RolloutAnswer, took: Duration) -> Value {
    let (query, settings) = (&task.query, &task.settings);
    let is_match = !query.state.score.is_money();
    let cubeful = settings.cubeful || query.subject == RolloutSubject::Cube;
    let best = found.candidates.first().map(|one| one.value().0.equity);
    let candidates: Vec<Value> = (found.candidates.iter())
        .map(|one| candidate(task, one, best.unwrap_or_default()))
        .collect();
    let trials = found.candidates.iter().map(|one| one.trials).max();
    let mut body = json!({
        "position": PositionId::from(query.position).to_string(),
        "trials": trials,
        "seed": settings.seed,
        "plies": settings.sides[0].plies,
        "cubeplies": settings.sides[0].cube_plies,
        "cubeful": cubeful,
        "vr": settings.variance_reduction,
        "unit": if is_match { "emg" } else { "points" },
        "candidates": candidates,
        "stopped": found.ended.name(),
        "elapsed_ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    });
    if let Value::Object(body) = &mut body {
        // The other side is told where it plays differently.
        let [side, other] = &settings.sides;
        if other != side {
            body.insert("otherplies".to_owned(), json!(other.plies));
            body.insert("othercubeplies".to_owned(), json!(other.cube_plies));
            let filter = other.filter.unwrap_or(settings.search.filter);
            body.insert("otherfilter".to_owned(), json!(filter.name()));
        }
        if let Some(level) = settings.search.level {
            body.insert("level".to_owned(), json!(level.name()));
        }
        if let Some(roll) = task.roll {
            body.insert("roll".to_owned(), json!(roll.dice()));
        }
        if let Some(cube) = &found.cube {
            verdict(body, cube);
        }
    }
    body
}

fn verdict(body: &mut Map<String, Value>, cube: &CubeAnswer) {
    let numbers = [
        ("no_double", cube.no_double),
        ("double_take", cube.double_take),
        ("double_pass", cube.double_pass),
        ("optimal", cube.optimal),
    ];
    let mut mwc = Map::new();
    for (name, value) in numbers {
        body.insert(name.to_owned(), number_value(value.equity));
        if let Some(value) = value.mwc {
            mwc.insert(name.to_owned(), number_value(value));
        }
    }
    if !mwc.is_empty() {
        body.insert("mwc".to_owned(), Value::Object(mwc));
    }
    body.insert("double".to_owned(), cube.double.into());
    body.insert("take".to_owned(), cube.take.into());
    body.insert("beaver".to_owned(), cube.beaver.into());
    body.insert("verdict".to_owned(), cube.verdict.text().into());
    let chances = answer::chances_value(&cube.chances);
    body.insert("probabilities".to_owned(), chances);
}

fn candidate(task: &RolloutTask, one: &RolledOut, best: f64) -> Value {
    let one = &one.reported();
    let numbers = |values: &[f64; 5]| {
        let pairs = CHANCES.iter().zip(values);
        let pairs = pairs.map(|(name, &value)| ((*name).to_owned(), number_value(value)));
        Value::Object(pairs.collect())
    };
    let pair =
        |cubeless: Equities, cubeful: Option<Equities>, pick: fn(Equities) -> Option<f64>| {
            let mut pair = Map::new();
            for (name, value) in [("cubeless", Some(cubeless)), ("cubeful", cubeful)] {
                if let Some(value) = value.and_then(pick) {
                    pair.insert(name.to_owned(), number_value(value));
                }
            }
            Value::Object(pair)
        };
    let equity = |value: Equities| Some(value.equity);
    let mut body = json!({
        "trials": one.trials,
        "probabilities": numbers(&one.chances),
        "probability_errors": numbers(&one.chance_errors),
        "equity": pair(one.cubeless, one.cubeful, equity),
        "error": pair(one.cubeless_error, one.cubeful_error, equity),
    });
    if let Value::Object(body) = &mut body {
        match one.candidate {
            Candidate::Play(_, after) => {
                let play = match name(task, one).as_str() {
                    "no play" => String::new(),
                    play => play.to_owned(),
                };
                body.insert("play".to_owned(), play.into());
                let after = PositionId::from(after).to_string();
                body.insert("position".to_owned(), after.into());
                let loss = (best - one.value().0.equity).max(0.0);
                body.insert("loss".to_owned(), number_value(loss));
            }
            Candidate::NoDouble | Candidate::DoubleTake => {
                body.insert("action".to_owned(), name(task, one).into());
            }
            Candidate::Position => {}
        }
        if one.cubeless.mwc.is_some() {
            let mwc = |value: Equities| value.mwc;
            body.insert("mwc".to_owned(), pair(one.cubeless, one.cubeful, mwc));
            let errors = pair(one.cubeless_error, one.cubeful_error, mwc);
            body.insert("mwc_error".to_owned(), errors);
        }
    }
    body
}
