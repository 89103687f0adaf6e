//! `explain`: the facts behind a decision, and sentences made of them.

use super::cube::decision_of;
use super::explain_schema::schemas;
use super::resolved::Resolved;
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer, schema};
use crate::ErrorCode;
use crate::answer::{
    Addressee, MWC_SCALE, Number, chances_value, line, number_value, object, unit,
};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::equity::CubeUse;
use gammond_engine::query::{
    AnswerStyle, CubeFacts, EngineAnswer, ExplainAnswer, ExplainQuery, ExplainedDecision,
    ExplainedPlay, ExplainedPlays, Language, Question, RaceFacts, Scope, Settings,
};
use gammond_game::notation::{PositionId, play_text};
use gammond_game::{BoardFacts, Position, Prime, Roll, Shots, SideFacts, throws};
use gammond_report::explain::{FactDifference, Sentence, differences, sentences};
use serde_json::{Map, Value, json};

/// The verb `explain`.
pub static VERB: Verb = Verb {
    name: "explain",
    takes: Takes {
        roll: true,
        plays: true,
        cube: true,
        ..Takes::NONE
    },
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::State,
        Scope::Rules,
        Scope::Sentences,
        Scope::Queue,
    ],
    usage: "explain [cube] POSITION [ROLL] [plays=\"8/5 6/5\"] [key=value…]: the facts behind a decision, and sentences",
    summary: "The facts behind a decision",
    lasts: true,
    example: || json!({"position": schema::START, "roll": [3, 1], "plays": ["13/10 6/5"]}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    let roll = resolved.roll_to_play()?;
    let play = match (resolved.plays, roll) {
        (None, _) => None,
        (Some(_), None) => {
            let message = "setting 'plays' needs a roll";
            return Err(resolved.plays_error(ErrorCode::BadCombination, message));
        }
        (Some(plays), Some(roll)) => match resolved.listed(plays, roll)?.as_slice() {
            [(_, after)] => Some(*after),
            all => {
                let count = all.len();
                let message = format!(
                    "setting 'plays' has {count} plays, expected one to compare with the best"
                );
                return Err(resolved.plays_error(ErrorCode::BadPlay, message));
            }
        },
    };
    let query = ExplainQuery {
        position: resolved.position,
        state: resolved.state,
        roll,
        play,
        language: resolved.options.language.unwrap_or_default(),
    };
    Ok((Question::Explain(query), resolved.options.search()))
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let (EngineAnswer::Explain(answer), Some(Question::Explain(query))) =
        (found, &request.question)
    else {
        return Err(not_its_answer());
    };
    let sentences = sentences(answer, query.language);
    match to.style {
        AnswerStyle::Position => {
            let position = match &answer.decision {
                ExplainedDecision::Play(plays) => plays.best.ranked.position,
                ExplainedDecision::Cube(_) => answer.position,
            };
            line(to, format_args!("{}", PositionId::from(position)), out);
        }
        AnswerStyle::Text => {
            let texts: Vec<&str> = (sentences.iter())
                .map(|sentence| sentence.text.as_str())
                .collect();
            line(to, format_args!("{}", texts.join(" ")), out);
        }
        AnswerStyle::Json => object(to, "explain", body(answer, query.language, &sentences), out)?,
    }
    Ok(())
}

/// Returns the object of the answer, without its id and type.
fn body(answer: &ExplainAnswer, language: Language, sentences: &[Sentence]) -> Map<String, Value> {
    let sentence = |one: &Sentence| json!({"rule": one.rule, "text": one.text});
    let mut body = members([
        ("position", id(answer.position)),
        ("plies", json!(answer.plies)),
        ("board", board(&answer.board)),
        ("language", json!(language.name())),
        (
            "sentences",
            sentences.iter().map(sentence).collect::<Vec<_>>().into(),
        ),
    ]);
    add(&mut body, "race", race(answer.race.as_ref(), &answer.board));
    match &answer.decision {
        ExplainedDecision::Play(plays) => add_plays(&mut body, answer, plays),
        ExplainedDecision::Cube(facts) => {
            body.insert("unit".into(), unit(&facts.value).into());
            body.insert("cube".into(), cube(facts));
        }
    }
    body
}

fn members<const N: usize>(all: [(&str, Value); N]) -> Map<String, Value> {
    all.map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

/// Adds a member, if there is a value.
fn add(body: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value);
    }
}

fn id(position: Position) -> Value {
    PositionId::from(position).to_string().into()
}

/// Returns a chance to win the match as answers give it.
fn mwc(value: f64) -> Value {
    serde_json::to_value(Number::<MWC_SCALE>(value)).unwrap_or_default()
}

fn dice(rolls: &[Roll]) -> Value {
    json!(rolls.iter().map(|roll| roll.dice()).collect::<Vec<_>>())
}

fn board(facts: &BoardFacts) -> Value {
    json!({"me": side(&facts.me), "opponent": side(&facts.opponent)})
}

fn side(facts: &SideFacts) -> Value {
    let stack = |(point, checkers): &(u8, u8)| json!({"point": point, "checkers": checkers});
    let mut body = members([
        ("pips", json!(facts.pips)),
        ("off", json!(facts.off)),
        ("bar", json!(facts.bar)),
        ("points", json!(facts.points)),
        ("blots", json!(facts.blots)),
        ("anchors", json!(facts.anchors)),
        ("back", json!(facts.back)),
        (
            "stacks",
            facts.stacks.iter().map(stack).collect::<Vec<_>>().into(),
        ),
        ("shots", shots(&facts.shots)),
    ]);
    add(&mut body, "entering", facts.entering.map(Value::from));
    let prime = |prime: Prime| {
        json!({"from": prime.from, "to": prime.to, "length": prime.length(), "behind": prime.behind,
            "spare_pips": prime.spare_pips})
    };
    add(&mut body, "prime", facts.prime.map(prime));
    body.into()
}

fn shots(shots: &Shots) -> Value {
    let blot = |(point, rolls): &(u8, Vec<Roll>)| json!({"point": point, "number": throws(rolls), "rolls": dice(rolls)});
    let blots: Vec<Value> = shots.blots.iter().map(blot).collect();
    json!({"number": shots.number(), "rolls": dice(&shots.rolls), "blots": blots})
}

/// Returns the facts of a race; `board` has its pips.
fn race(race: Option<&RaceFacts>, board: &BoardFacts) -> Option<Value> {
    let race = race?;
    let pips = [board.me.pips, board.opponent.pips].map(f64::from);
    let numbers = |values: [f64; 2]| json!(values.map(number_value));
    let mut body = members([
        ("keith", numbers(race.counts.keith)),
        ("thorp", numbers(race.counts.thorp)),
        ("kleinman", number_value(race.counts.kleinman)),
    ]);
    if let [Some(mine), Some(theirs)] = race.effective {
        let [my_pips, their_pips] = pips;
        body.insert("effective_pips".into(), numbers([mine, theirs]));
        let wasted = [mine - my_pips, theirs - their_pips];
        body.insert("wastage".into(), numbers(wasted));
    }
    Some(body.into())
}

fn add_plays(body: &mut Map<String, Value>, answer: &ExplainAnswer, plays: &ExplainedPlays) {
    let best = &plays.best.ranked;
    let difference = |one: &FactDifference| {
        json!({"fact": one.fact, "best": number_value(one.best), "other": number_value(one.other),
            "weight": number_value(one.weight)})
    };
    let all: Vec<Value> = (differences(&answer.board, plays).iter())
        .map(difference)
        .collect();
    let play = |play: &ExplainedPlay| play_value(answer, plays, play);
    body.extend(members([
        ("unit", unit(&best.value).into()),
        ("roll", json!(plays.roll.dice())),
        ("legal", json!(plays.legal)),
        ("best", play(&plays.best)),
        ("differences", all.into()),
    ]));
    let Some(other) = &plays.other else { return };
    let chances = |play: &ExplainedPlay| play.ranked.chances.to_array().map(f64::from);
    let names = [
        "win",
        "win_gammon",
        "win_backgammon",
        "lose_gammon",
        "lose_backgammon",
    ];
    let gains = (names.iter().zip(chances(&plays.best)))
        .zip(chances(other))
        .map(|((name, best), other)| ((*name).to_owned(), number_value(best - other)));
    body.insert("gain".into(), gains.collect::<Map<_, _>>().into());
    body.insert("other".into(), play(other));
}

fn play_value(answer: &ExplainAnswer, plays: &ExplainedPlays, play: &ExplainedPlay) -> Value {
    let (ranked, facts) = (&play.ranked, &play.facts);
    let mut body = members([
        ("play", play_text(&answer.position, &ranked.play).into()),
        ("position", id(ranked.position)),
        ("equity", number_value(ranked.value.equity)),
        ("loss", number_value(ranked.loss(&plays.best.ranked))),
        ("plies", json!(ranked.plies)),
        ("probabilities", chances_value(&ranked.chances)),
        ("board", board(&facts.after)),
        ("hits", json!(facts.hits)),
        ("made", json!(facts.made)),
        ("broken", json!(facts.broken)),
        ("escaped", json!(facts.escaped)),
    ]);
    add(&mut body, "mwc", ranked.value.mwc.map(mwc));
    add(&mut body, "race", race(play.race.as_ref(), &facts.after));
    body.into()
}

fn cube(facts: &CubeFacts) -> Value {
    let [mine, theirs] = facts.gammon_values.map(number_value);
    let mut body = members([
        ("equity", number_value(facts.value.equity)),
        ("probabilities", chances_value(&facts.chances)),
        ("gammon_value", mine),
        ("opponent_gammon_value", theirs),
    ]);
    let after_double = |used: CubeUse| match used {
        CubeUse::Live => "live",
        CubeUse::Dead => "dead",
        CubeUse::TurnedAtOnce => "turned at once",
    };
    let window = facts.window.map(|window| {
        let [dead, live] = window.cash;
        json!({"double": number_value(window.double),
            "cash": [number_value(dead), number_value(live)],
            "take": [number_value(1.0 - dead), number_value(1.0 - live)]})
    });
    let decision = facts.decision.as_ref().map(decision_of);
    for (name, value) in [
        ("mwc", facts.value.mwc.map(mwc)),
        (
            "decision",
            decision.and_then(|decision| serde_json::to_value(decision).ok()),
        ),
        ("window", window),
        (
            "after_double",
            facts.after_double.map(|used| after_double(used).into()),
        ),
        ("recube_vig", facts.recube_vig.map(number_value)),
        ("market_losers", facts.market_losers.map(number_value)),
    ] {
        add(&mut body, name, value);
    }
    body.into()
}
