//! `scores`: the cube decision, or the best play of a roll, at every score of a match.

use super::cube::{DecisionBody, decision, decision_of};
use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLIES, POSITION, answer, number, text};
use super::score_plays::{self, away, gammon_values, write_plays};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::answer::{Addressee, Mwc, Number, Shown, finite, id_of, line, object};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, EngineAnswer, Question, Scope, ScoreCell, ScoresQuery, Settings,
};
use gammond_game::notation::PositionId;
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `scores`.
pub static VERB: Verb = Verb {
    name: "scores",
    takes: Takes {
        roll: true,
        cube: true,
        ..Takes::NONE
    },
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::Scores,
        Scope::State,
        Scope::Rules,
        Scope::Queue,
    ],
    usage: "scores [cube] POSITION [ROLL] [key=value…]: double, take?, or the best play, at every score up to away points away",
    summary: "Double, take?, or the best play, at every score",
    lasts: true,
    example: || json!({"position": schema::START, "settings": {"away": 3}}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    let query = ScoresQuery {
        position: resolved.position,
        cube: resolved.state.cube,
        rules: resolved.money_rules,
        variant: resolved.state.variant,
        away: resolved.options.away.unwrap_or(ScoresQuery::AWAY),
    };
    let settings = resolved.options.search();
    if let Some(roll) = resolved.roll_to_play()? {
        let question = Question::ScorePlays(query, roll);
        return Ok((question, settings.with_value_of_best()));
    }
    resolved.cube_decides(false)?;
    Ok((Question::Scores(query), settings))
}

#[derive(Serialize)]
struct ScoresBody<'a> {
    position: Shown<PositionId>,
    plies: u8,
    money: DecisionBody<'a>,
    scores: Vec<CellBody<'a>>,
}

#[derive(Serialize)]
struct CellBody<'a> {
    away: [u32; 2],
    #[serde(flatten)]
    decision: DecisionBody<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    double_error: Number,
    take_error: Number,
    gammon_value: Number,
    opponent_gammon_value: Number,
    take_point: Option<Number>,
}

fn cell_of(cell: &ScoreCell) -> CellBody<'_> {
    let [mine, theirs] = cell.gammon_values;
    CellBody {
        away: [cell.score.my_away(), cell.score.opponent_away()],
        decision: decision_of(&cell.cube),
        mwc: cell.cube.optimal.mwc.map(Number),
        double_error: Number(cell.double_error),
        take_error: Number(cell.take_error),
        gammon_value: Number(mine),
        opponent_gammon_value: Number(theirs),
        take_point: cell.take_point.map(Number),
    }
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let answer = match found {
        EngineAnswer::Scores(answer) => answer,
        EngineAnswer::ScorePlays(answer) => return write_plays(to, answer, out),
        _ => return Err(not_its_answer()),
    };
    let position = request.shown.position;
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(position)), out),
        AnswerStyle::Text => {
            finite(&[answer.money.optimal.equity])?;
            let count =
                |is: fn(&ScoreCell) -> bool| answer.cells.iter().filter(|cell| is(cell)).count();
            let (doubles, passes) = (
                count(|cell| cell.cube.double),
                count(|cell| cell.cube.double && !cell.cube.take),
            );
            let wrong = count(|cell| cell.double_error > 0.0 || cell.take_error > 0.0);
            let (all, money) = (answer.cells.len(), answer.money.verdict.text());
            line(
                to,
                format_args!(
                    "money: {money}; of {all} scores {doubles} double, {passes} pass, {wrong} where the money action errs"
                ),
                out,
            );
        }
        AnswerStyle::Json => {
            let body = ScoresBody {
                position: id_of(position),
                plies: answer.plies,
                money: decision_of(&answer.money),
                scores: answer.cells.iter().map(cell_of).collect(),
            };
            object(to, "scores", body, out)?;
        }
    }
    Ok(())
}

fn cell_schema() -> Value {
    let errors = json!({"type": "number", "minimum": 0});
    let always = [
        &[away()],
        &decision()[..],
        &[
            (
                "double_error",
                "Loss of the player on roll by doubling or not as for money, in EMG",
                errors.clone(),
            ),
            (
                "take_error",
                "Loss of the opponent by taking or passing as for money, in EMG of the player on roll",
                errors,
            ),
        ],
        &gammon_values(),
        &[(
            "take_point",
            "Least chance with which the opponent may take, without gammons and redoubles",
            schema::or_null("number"),
        )],
    ]
    .concat();
    schema::object(
        "The cube decision at a score",
        &always,
        &[(
            "mwc",
            "Chance to win the match by the best action",
            number(),
        )],
    )
}

fn schemas() -> Vec<(String, Value)> {
    // The Crawford game is a cell of its own at each score with one player at one point.
    let most = u32::from(ScoresQuery::AWAY_MAX).pow(2) + 2 * u32::from(ScoresQuery::AWAY_MAX - 1);
    let scores = json!({"type": "array", "minItems": 4, "maxItems": most,
        "items": schema::one_of(&["ScoreDecision", "ScorePlay"])});
    vec![
        ("ScoreDecision".to_owned(), cell_schema()),
        (
            "CubeDecision".to_owned(),
            schema::object("A cube decision", &decision(), &[]),
        ),
        ("ScorePlay".to_owned(), score_plays::cell_schema()),
        ("MoneyPlay".to_owned(), score_plays::money_schema()),
        answer(
            "scores",
            &[
                ("position", POSITION, text()),
                ("plies", PLIES, schema::count()),
                (
                    "money",
                    "The decision, or the best play, for money",
                    schema::one_of(&["CubeDecision", "MoneyPlay"]),
                ),
                (
                    "scores",
                    "The decisions or plays, those at which the player on roll needs the fewest points first",
                    scores,
                ),
            ],
            &[
                ("roll", "The dice, where plays are ranked", schema::dice()),
                ("level", LEVEL, text()),
                schema::warning(),
            ],
        ),
    ]
}
