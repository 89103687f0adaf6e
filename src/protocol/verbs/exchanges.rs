//! The answer of `rolls` with `turns=2`: all pairs of rolls.

use super::not_its_answer;
use super::schema::{self, PLAY, number, text, truth};
use crate::answer::{Addressee, Mwc, Number, Shown, finite, id_of, line, object, unit};
use crate::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, Exchange, ExchangesAnswer};
use gammond_game::Position;
use gammond_game::notation::{PositionId, play_text};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct ExchangesBody {
    position: Shown<PositionId>,
    plies: u8,
    unit: &'static str,
    mean: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    deviation: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    market_losers: Option<Number>,
    exchanges: Vec<ExchangeBody>,
}

#[derive(Serialize)]
struct ExchangeBody {
    roll: [u8; 2],
    play: String,
    reply: [u8; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_play: Option<String>,
    position: Shown<PositionId>,
    probability: Number,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    market_loser: bool,
}

/// Returns the plays of both.
fn plays(position: &Position, one: &Exchange) -> (String, Option<String>) {
    let second = one.second.map(|play| play_text(&one.first.position, &play));
    (play_text(position, &one.first.play), second)
}

/// Returns an exchange for people.
fn shown(position: &Position, one: &Exchange) -> String {
    let named = |play: String| match play.is_empty() {
        true => "no play".to_owned(),
        false => play,
    };
    let (first, second) = plays(position, one);
    let second = second.map_or("won".to_owned(), named);
    let (roll, reply, value) = (one.roll, one.reply, one.value.equity);
    format!("{roll} {}, {reply} {second} {value:+.4}", named(first))
}

/// Writes all pairs of rolls.
pub(super) fn write_exchanges(
    to: Addressee<'_>,
    answer: &ExchangesAnswer,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let position = &answer.position;
    let (Some(best), Some(worst)) = (answer.exchanges.first(), answer.exchanges.last()) else {
        return Err(not_its_answer());
    };
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(*position)), out),
        AnswerStyle::Text => {
            finite(&[answer.mean.equity, answer.deviation])?;
            let losers = match answer.market_losers {
                Some(share) => format!("; market losers {:.1}%", share * 100.0),
                None => String::new(),
            };
            let (mean, deviation) = (answer.mean.equity, answer.deviation);
            let (best, worst) = (shown(position, best), shown(position, worst));
            let range = format!("best {best}; worst {worst}");
            let text = format_args!("mean {mean:+.4} deviation {deviation:.4}; {range}{losers}");
            line(to, text, out);
        }
        AnswerStyle::Json => {
            let body = |one: &Exchange| {
                let (play, reply_play) = plays(position, one);
                ExchangeBody {
                    roll: one.roll.dice(),
                    play,
                    reply: one.reply.dice(),
                    reply_play,
                    position: id_of(one.position),
                    probability: Number(f64::from(one.weight()) / 1296.0),
                    equity: Number(one.value.equity),
                    mwc: one.value.mwc.map(Number),
                    verdict: one.decision.as_ref().map(|cube| cube.verdict.text()),
                    market_loser: one.loses_market(),
                }
            };
            let body = ExchangesBody {
                position: id_of(*position),
                plies: answer.plies,
                unit: unit(&answer.mean),
                mean: Number(answer.mean.equity),
                mwc: answer.mean.mwc.map(Number),
                deviation: Number(answer.deviation),
                market_losers: answer.market_losers.map(Number),
                exchanges: answer.exchanges.iter().map(body).collect(),
            };
            object(to, "rolls", body, out)?;
        }
    }
    Ok(())
}

/// Returns the schema of an exchange.
pub(super) fn exchange_schema() -> Value {
    let after = "Position ID after both, the player on roll; after a win that of the first play";
    let loser = "True if the opponent must pass a double after it, or the game is won";
    schema::object(
        "A roll of each player with its best play",
        &[
            ("roll", "The player's dice", schema::dice()),
            ("play", PLAY, text()),
            ("reply", "The opponent's dice", schema::dice()),
            ("position", after, text()),
            ("probability", "1/1296 for each pair of throws", number()),
            (
                "equity",
                "Value for the player, by the best action where a double is allowed",
                number(),
            ),
            ("market_loser", loser, truth()),
        ],
        &[
            (
                "reply_play",
                "The opponent's play; missing if the player has won",
                text(),
            ),
            (
                "verdict",
                "The cube decision after both; missing where the player may not double, and after the game",
                text(),
            ),
            ("mwc", "Chance to win the match", number()),
        ],
    )
}
