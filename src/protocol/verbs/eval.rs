//! `eval`: the value of a position for the player on roll.

use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLIES, POSITION, UNIT, answer, text};
use super::{Asking, PartError, PositionRequest, SEARCH_SCOPES, Takes, Verb, Work, not_its_answer};
use crate::ErrorCode;
use crate::answer::{
    Addressee, Mwc, Number, Probabilities, Shown, finite, id_of, line, object, percent, unit,
};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, EngineAnswer, EvalQuery, Question, Settings};
use gammond_game::notation::PositionId;
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `eval`.
pub static VERB: Verb = Verb {
    name: "eval",
    takes: Takes::NONE,
    scopes: SEARCH_SCOPES,
    usage: "eval POSITION [key=value…]: value of a position for the player on roll",
    summary: "Values a position before the roll",
    lasts: true,
    example: || json!({ "position": schema::START }),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

/// Refuses dice beside a position whose value is before the roll.
///
/// # Errors
/// `bad-request`, at the dice.
pub(super) fn before_the_dice(resolved: &Resolved<'_>) -> Result<(), PartError> {
    let message =
        "roll has no place here: eval and cube are about the position before the dice, use move";
    resolved.no_roll(ErrorCode::BadRequest, message)
}

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    before_the_dice(resolved)?;
    let query = EvalQuery {
        position: resolved.position,
        state: resolved.state,
    };
    Ok((Question::Value(query), resolved.options.search()))
}

#[derive(Serialize)]
struct EvalBody<'a> {
    position: Shown<PositionId>,
    class: Shown<gammond_game::Class>,
    plies: u8,
    net: &'a str,
    probabilities: Probabilities,
    equity: EquityPair,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<MwcPair>,
    unit: &'static str,
}

#[derive(Serialize)]
struct EquityPair {
    cubeless: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful: Option<Number>,
}

#[derive(Serialize)]
struct MwcPair {
    cubeless: Mwc,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful: Option<Mwc>,
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    about: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let EngineAnswer::Value(answer) = found else {
        return Err(not_its_answer());
    };
    let position = request.shown.position;
    let value = answer.cubeful.unwrap_or(answer.cubeless);
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(position)), out),
        AnswerStyle::Text => {
            finite(&[value.equity])?;
            let (equity, chances) = (value.equity, percent(&answer.chances));
            line(to, format_args!("{equity:+.4} ({chances})"), out);
        }
        AnswerStyle::Json => {
            let body = EvalBody {
                position: id_of(position),
                class: Shown(answer.class),
                plies: answer.plies,
                net: about.net,
                probabilities: (&answer.chances).into(),
                equity: EquityPair {
                    cubeless: Number(answer.cubeless.equity),
                    cubeful: answer.cubeful.map(|value| Number(value.equity)),
                },
                mwc: answer.cubeless.mwc.map(|cubeless| MwcPair {
                    cubeless: Number(cubeless),
                    cubeful: answer.cubeful.and_then(|value| value.mwc).map(Number),
                }),
                unit: unit(&answer.cubeless),
            };
            object(to, "eval", body, out)?;
        }
    }
    Ok(())
}

fn schemas() -> Vec<(String, Value)> {
    vec![answer(
        "eval",
        &[
            ("position", POSITION, text()),
            ("class", "Class of the position, such as contact", text()),
            ("plies", PLIES, schema::count()),
            ("net", "Net that valued it", text()),
            (
                "probabilities",
                "Chances of the player on roll",
                schema::refer("Probabilities"),
            ),
            ("equity", "Value before the roll", schema::refer("Equities")),
            ("unit", UNIT, schema::unit()),
        ],
        &[
            ("mwc", "Chance to win the match", schema::refer("Equities")),
            ("level", LEVEL, text()),
            schema::warning(),
        ],
    )]
}
