//! `rollout`: a position played on many times.

use super::cube;
use super::resolved::Resolved;
use super::schema::{
    self, LEVEL, PLAY, POSITION, SchemaMember, UNIT, any_object, count, list, or_null, refer, text,
    truth,
};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::ErrorCode;
use crate::answer::{self, Addressee, number_value};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::AnswerStyle;
use gammond_engine::query::{
    Candidate, CubeAnswer, EngineAnswer, Equities, Question, RolledOut, RolloutAnswer,
    RolloutQuery, RolloutSettings, RolloutSubject, RolloutTask, Scope, Settings,
};
use gammond_game::notation::{PositionId, play_text};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The verb `rollout`.
pub static VERB: Verb = Verb {
    name: "rollout",
    takes: Takes {
        roll: true,
        plays: true,
        cube: true,
        ..Takes::NONE
    },
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::Plays,
        Scope::State,
        Scope::Rules,
        Scope::Rollout,
        Scope::Seed,
        Scope::Progress,
        Scope::Queue,
    ],
    usage: "rollout [cube] POSITION [ROLL] [plays=\"8/5 6/5; 13/9\"] [key=value…]: played on many times",
    summary: "Plays a position out many times",
    // Without a seed the dice are others each time.
    lasts: false,
    example: || json!({"position": schema::START, "settings": {"trials": 36, "truncate": 3}}),
    schemas,
    work: Work::Ask(Asking {
        question,
        write: write_answer,
    }),
};

/// Number of plays that are rolled out by default.
const BEST_PLAYS: usize = 5;

/// Returns a rollout of the position, of plays of the roll, or of a cube decision.
fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    let search = resolved.options.search();
    resolved.game_goes_on("position is not one to roll out: the game is over")?;
    let (position, roll) = (resolved.position, resolved.roll_to_play()?);
    if resolved.cube {
        resolved.cube_decides(true)?;
    }
    let subject = match (resolved.cube, roll, resolved.plays) {
        (true, ..) => RolloutSubject::Cube,
        (_, None, Some(_)) => {
            let message = "setting 'plays' needs a roll";
            return Err(resolved.plays_error(ErrorCode::BadCombination, message));
        }
        (_, None, None) => RolloutSubject::Position,
        (_, Some(roll), None) => {
            let most = RolloutSettings::CANDIDATES_MAX;
            RolloutSubject::Best(roll, search.top.unwrap_or(BEST_PLAYS).min(most))
        }
        (_, Some(roll), Some(plays)) => RolloutSubject::Plays(resolved.listed(plays, roll)?),
    };
    let task = RolloutTask {
        query: RolloutQuery {
            position,
            state: resolved.state,
            subject,
        },
        settings: resolved.options.rollout(&search),
        roll,
        progress: resolved.options.progress == Some(true),
    };
    Ok((Question::Rollout(Box::new(task)), Settings::default()))
}

fn write_answer(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let (kind, found, took) = match found {
        EngineAnswer::Rollout(found, took) => ("rollout", found, *took),
        EngineAnswer::Progress(found, took) => ("progress", found, *took),
        _ => return Err(not_its_answer()),
    };
    let Some(Question::Rollout(task)) = &request.question else {
        return Err(not_its_answer());
    };
    write((to, kind), task, found, took, out);
    Ok(())
}

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
        _ => plain(task, found),
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

/// Formats one line for people: each candidate with its value and standard error.
fn plain(task: &RolloutTask, found: &RolloutAnswer) -> String {
    let candidate_line = |one: &RolledOut| {
        let (value, error) = one.reported().value();
        let name = name(task, one);
        let error = gammond_report::render::rollout::error_text(error);
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
        // The other side has members where it plays differently.
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

fn candidate_schema() -> Value {
    let equities = || refer("Equities");
    schema::object(
        "A play or a cube action that was rolled out",
        &[
            ("trials", "Number of games", count()),
            (
                "probabilities",
                "Means of the chances",
                refer("Probabilities"),
            ),
            (
                "probability_errors",
                "Their standard errors",
                refer("ProbabilityErrors"),
            ),
            ("equity", "Mean value", equities()),
            (
                "error",
                "Its standard error; null for too few games",
                equities(),
            ),
        ],
        &[
            ("play", PLAY, text()),
            ("action", "`no double` or `double, take`", text()),
            ("position", "Position ID after the play", text()),
            (
                "loss",
                "Equity lost against the best play",
                schema::number(),
            ),
            ("mwc", "Chance to win the match", equities()),
            ("mwc_error", "Its standard error", equities()),
        ],
    )
}

fn schemas() -> Vec<(String, Value)> {
    let sometimes: [SchemaMember; 8] = [
        ("elapsed_ms", "Milliseconds; missing for a job", count()),
        (
            "otherplies",
            "Look-ahead of the other side, where it differs",
            count(),
        ),
        ("othercubeplies", "Its look-ahead for the cube", count()),
        ("otherfilter", "Its filter", or_null("string")),
        ("level", LEVEL, text()),
        ("roll", "The dice", schema::dice()),
        ("mwc", "Chances to win the match", any_object()),
        (
            "probabilities",
            "Chances of the player on roll",
            refer("Probabilities"),
        ),
    ];
    let answer = schema::answer(
        "rollout",
        &[
            ("position", POSITION, text()),
            (
                "candidates",
                "What was rolled out, best first",
                list(&refer("Candidate")),
            ),
            ("trials", "Games of the candidate with most", count()),
            ("seed", "Seed of the dice", count()),
            (
                "stopped",
                "Reason for the end: trials, se, jsd, time or stopped",
                text(),
            ),
            ("unit", UNIT, schema::unit()),
            ("cubeful", "True if the cube was in use", truth()),
            ("plies", "Look-ahead of the plays", count()),
            ("cubeplies", "Look-ahead of the cube", count()),
            ("vr", "True if the luck of the dice was taken out", truth()),
        ],
        &[&sometimes[..], &cube::decision(), &[schema::warning()]].concat(),
    );
    vec![("Candidate".to_owned(), candidate_schema()), answer]
}
