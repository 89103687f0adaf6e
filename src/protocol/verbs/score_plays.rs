//! The answer of `scores` with a roll: the best play at every score.

use super::schema::{self, PLAY, SchemaMember, number, text, truth};
use crate::answer::{Addressee, Mwc, Number, Shown, finite, id_of, line, object};
use crate::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, RankedPlay, ScorePlays, ScorePlaysAnswer, ScoresQuery};
use gammond_game::notation::{PositionId, play_text};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[derive(Serialize)]
struct ScorePlaysBody {
    position: Shown<PositionId>,
    roll: [u8; 2],
    plies: u8,
    money: MoneyBody,
    scores: Vec<CellBody>,
}

#[derive(Serialize)]
struct MoneyBody {
    play: String,
    position: Shown<PositionId>,
    equity: Number,
}

#[derive(Serialize)]
struct CellBody {
    away: [u32; 2],
    crawford: bool,
    play: String,
    position: Shown<PositionId>,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    money_loss: Number,
    gammon_value: Number,
    opponent_gammon_value: Number,
}

/// Writes the best plays at all scores.
pub(super) fn write_plays(
    to: Addressee<'_>,
    answer: &ScorePlaysAnswer,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let spelled = |ranked: &RankedPlay| play_text(&answer.position, &ranked.play);
    let money = answer.money.best();
    match to.style {
        AnswerStyle::Position => {
            line(
                to,
                format_args!("{}", PositionId::from(money.position)),
                out,
            );
        }
        AnswerStyle::Text => {
            finite(&[money.value.equity])?;
            let best = |cell: &ScorePlays| cell.plays.best().position;
            let others = answer.cells.iter().map(best);
            let others: Vec<_> = others.filter(|after| *after != money.position).collect();
            let (all, count) = (answer.cells.len(), others.len());
            let kinds: BTreeSet<String> = (others
                .into_iter()
                .map(|after| PositionId::from(after).to_string()))
            .collect();
            let worst = answer.cells.iter().map(|cell| cell.money_error);
            let worst = worst.fold(0.0, f64::max);
            let play = match money.play.is_pass() {
                true => "no play".to_owned(),
                false => spelled(money),
            };
            let kinds = kinds.len();
            line(
                to,
                format_args!(
                    "money: {play}; of {all} scores {count} have another best play ({kinds} in all), it loses {worst:.4} at most"
                ),
                out,
            );
        }
        AnswerStyle::Json => {
            let cell = |cell: &ScorePlays| {
                let best = cell.plays.best();
                let [mine, theirs] = cell.gammon_values;
                CellBody {
                    away: [cell.score.my_away(), cell.score.opponent_away()],
                    crawford: cell.score.is_crawford(),
                    play: spelled(best),
                    position: id_of(best.position),
                    equity: Number(best.value.equity),
                    mwc: best.value.mwc.map(Number),
                    money_loss: Number(cell.money_error),
                    gammon_value: Number(mine),
                    opponent_gammon_value: Number(theirs),
                }
            };
            let body = ScorePlaysBody {
                position: id_of(answer.position),
                roll: answer.roll.dice(),
                plies: answer.plies,
                money: MoneyBody {
                    play: spelled(money),
                    position: id_of(money.position),
                    equity: Number(money.value.equity),
                },
                scores: answer.cells.iter().map(cell).collect(),
            };
            object(to, "scores", body, out)?;
        }
    }
    Ok(())
}

/// Returns the points that both players need at a score.
pub(super) fn away() -> SchemaMember {
    let points = json!({"type": "integer", "minimum": 1, "maximum": ScoresQuery::AWAY_MAX});
    let about = "Points that the player on roll and the opponent need; a player who needs one is past the Crawford game \
                 but where `crawford` is true";
    ("away", about, schema::pair(&points))
}

/// Returns what a gammon is worth to both players.
pub(super) fn gammon_values() -> [SchemaMember; 2] {
    ["gammon_value", "opponent_gammon_value"]
        .map(|name| (name, "A gammon's gain per a win's; 0.5 for money", number()))
}

fn after() -> SchemaMember {
    let about = "Position ID after it; the opponent is on roll";
    ("position", about, text())
}

/// Returns the schema of the best play for money.
pub(super) fn money_schema() -> Value {
    let members = [
        ("play", PLAY, text()),
        after(),
        ("equity", "Value for the player who moves", number()),
    ];
    schema::object("The best play for money", &members, &[])
}

/// Returns the schema of the best play at a score.
pub(super) fn cell_schema() -> Value {
    let members = [
        &[
            away(),
            ("crawford", "True in the Crawford game", truth()),
            ("play", PLAY, text()),
            after(),
            ("equity", "Value for the player who moves", number()),
            (
                "money_loss",
                "Loss of the best play for money, in EMG",
                json!({"type": "number", "minimum": 0}),
            ),
        ],
        &gammon_values()[..],
    ]
    .concat();
    let mwc = ("mwc", "Chance to win the match", number());
    schema::object("The best play at a score", &members, &[mwc])
}
