//! `rolls`: the 21 rolls of a position, each with its best play, or all pairs of rolls.

use super::exchanges::{exchange_schema, write_exchanges};
use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLAY, PLIES, POSITION, UNIT, answer, number, text};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::ErrorCode;
use crate::answer::{Addressee, Mwc, Number, Shown, finite, id_of, line, object, unit};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, EngineAnswer, EvalQuery, Question, RankedPlays, Scope, Settings,
};
use gammond_game::Roll;
use gammond_game::notation::{PositionId, play_text};
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `rolls`.
pub static VERB: Verb = Verb {
    name: "rolls",
    takes: Takes::NONE,
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::Rolls,
        Scope::State,
        Scope::Rules,
        Scope::Queue,
    ],
    usage: "rolls POSITION [key=value…]: the best play of each of the 21 rolls, their mean and the market losers",
    summary: "Ranks the 21 rolls of a position",
    lasts: true,
    example: || json!({ "position": schema::START }),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    let message = "roll has no place here: rolls is about all 21 of them, use move";
    resolved.no_roll(ErrorCode::BadRequest, message)?;
    let query = EvalQuery {
        position: resolved.position,
        state: resolved.state,
    };
    let question = match resolved.options.turns {
        Some(2) => Question::Exchanges(query),
        _ => Question::Rolls(query),
    };
    Ok((question, resolved.options.search()))
}

#[derive(Serialize)]
struct RollsBody {
    position: Shown<PositionId>,
    plies: u8,
    unit: &'static str,
    mean: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    deviation: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    market_losers: Option<Number>,
    rolls: Vec<RollBody>,
}

#[derive(Serialize)]
struct RollBody {
    roll: [u8; 2],
    probability: Number,
    play: String,
    position: Shown<PositionId>,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    luck: Number,
    plies: u8,
    legal: usize,
}

/// Returns a roll with its best play and value, for people.
fn shown(ranked: &RankedPlays) -> String {
    let best = ranked.best();
    let play = match best.play.is_pass() {
        true => "no play".to_owned(),
        false => play_text(&ranked.position, &best.play),
    };
    format!("{} {play} {:+.4}", ranked.roll, best.value.equity)
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let answer = match found {
        EngineAnswer::Rolls(answer) => answer,
        EngineAnswer::Exchanges(answer) => return write_exchanges(to, answer, out),
        _ => return Err(not_its_answer()),
    };
    let position = request.shown.position;
    let (Some(best), Some(worst)) = (answer.rolls.first(), answer.rolls.last()) else {
        return Err(not_its_answer());
    };
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(position)), out),
        AnswerStyle::Text => {
            finite(&[answer.mean.equity, answer.deviation])?;
            let losers = match answer.market_losers {
                Some(share) => format!("; market losers {:.1}%", share * 100.0),
                None => String::new(),
            };
            let (mean, deviation) = (answer.mean.equity, answer.deviation);
            let (best, worst) = (shown(best), shown(worst));
            let range = format!("best {best}; worst {worst}");
            line(
                to,
                format_args!("mean {mean:+.4} deviation {deviation:.4}; {range}{losers}"),
                out,
            );
        }
        AnswerStyle::Json => {
            let body = |ranked: &RankedPlays| {
                let best = ranked.best();
                RollBody {
                    roll: ranked.roll.dice(),
                    probability: Number(f64::from(ranked.roll.weight()) / 36.0),
                    play: play_text(&ranked.position, &best.play),
                    position: id_of(best.position),
                    equity: Number(best.value.equity),
                    mwc: best.value.mwc.map(Number),
                    luck: Number(best.value.equity - answer.mean.equity),
                    plies: best.plies,
                    legal: ranked.legal,
                }
            };
            let body = RollsBody {
                position: id_of(position),
                plies: answer.plies,
                unit: unit(&answer.mean),
                mean: Number(answer.mean.equity),
                mwc: answer.mean.mwc.map(Number),
                deviation: Number(answer.deviation),
                market_losers: answer.market_losers.map(Number),
                rolls: answer.rolls.iter().map(body).collect(),
            };
            object(to, "rolls", body, out)?;
        }
    }
    Ok(())
}

fn roll_schema() -> Value {
    schema::object(
        "A roll with its best play",
        &[
            ("roll", "The dice", schema::dice()),
            ("probability", "1/36 for doubles, else 1/18", number()),
            ("play", PLAY, text()),
            (
                "position",
                "Position ID after it; the opponent is on roll",
                text(),
            ),
            ("equity", "Value for the player on roll", number()),
            ("luck", "Value above the mean of all rolls", number()),
            ("plies", PLIES, schema::count()),
            ("legal", "Number of legal plays", schema::count()),
        ],
        &[("mwc", "Chance to win the match", number())],
    )
}

fn schemas() -> Vec<(String, Value)> {
    let rolls = json!({"type": "array", "minItems": Roll::ALL.len(), "maxItems": Roll::ALL.len(),
        "items": schema::refer("RankedRoll")});
    let pairs = Roll::ALL.len() * Roll::ALL.len();
    let exchanges = json!({"type": "array", "minItems": pairs, "maxItems": pairs,
        "items": schema::refer("Exchange")});
    vec![
        ("RankedRoll".to_owned(), roll_schema()),
        ("Exchange".to_owned(), exchange_schema()),
        answer(
            "rolls",
            &[
                ("position", POSITION, text()),
                ("plies", PLIES, schema::count()),
                ("unit", UNIT, schema::unit()),
                ("mean", "Mean value over all throws", number()),
                (
                    "deviation",
                    "Standard deviation of the value over all throws",
                    number(),
                ),
            ],
            &[
                ("rolls", "With `turns` 1: the rolls, best first", rolls),
                (
                    "exchanges",
                    "With `turns` 2: the pairs of rolls, best first",
                    exchanges,
                ),
                (
                    "market_losers",
                    "Share of the 1,296 exchanges after which the opponent must pass a double or the game is won; \
                     missing where the player may not double",
                    json!({"type": "number", "minimum": 0, "maximum": 1}),
                ),
                ("mwc", "Mean chance to win the match", number()),
                ("level", LEVEL, text()),
                schema::warning(),
            ],
        ),
    ]
}
