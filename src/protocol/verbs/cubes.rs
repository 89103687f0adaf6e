//! `cubes`: a position, or the plays of a roll, with the cube in each place.

use super::cube::{DecisionBody, decision_of};
use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLAY, PLIES, POSITION, UNIT, answer, number, text, truth};
use super::{Asking, PartError, PositionRequest, SEARCH_SCOPES, Takes, Verb, Work, not_its_answer};
use crate::answer::{Addressee, Mwc, Number, Shown, finite, id_of, line, object, unit};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, CubePlace, CubesAnswer, CubesQuery, EngineAnswer, Question, RankedPlay,
    RankedPlays, Settings,
};
use gammond_game::CubeOwner;
use gammond_game::notation::{PositionId, play_text};
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `cubes`.
pub static VERB: Verb = Verb {
    name: "cubes",
    takes: Takes {
        roll: true,
        cube: true,
        ..Takes::NONE
    },
    scopes: SEARCH_SCOPES,
    usage: "cubes [cube] POSITION [ROLL] [key=value…]: double, take?, or the best plays, with the cube in each place",
    summary: "The cube in each place: decisions or plays",
    lasts: true,
    example: || json!({"position": schema::START, "roll": [3, 1]}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    let query = CubesQuery {
        position: resolved.position,
        state: resolved.state,
        roll: resolved.roll_to_play()?,
    };
    let settings = resolved.options.search().with_value_of_best();
    Ok((Question::Cubes(query), settings))
}

#[derive(Serialize)]
struct CubesBody<'a> {
    position: Shown<PositionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    roll: Option<[u8; 2]>,
    plies: u8,
    unit: &'static str,
    changes: bool,
    cubes: Vec<PlaceBody<'a>>,
}

#[derive(Serialize)]
struct PlaceBody<'a> {
    cube: u32,
    owner: CubeOwner,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<DecisionBody<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plays: Option<Vec<PlayBody>>,
}

#[derive(Serialize)]
struct PlayBody {
    play: String,
    position: Shown<PositionId>,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    loss: Number,
    plies: u8,
}

fn place_of(place: &CubePlace) -> PlaceBody<'_> {
    let plays = |found: &RankedPlays| {
        let play = |ranked: &RankedPlay| PlayBody {
            play: play_text(&found.position, &ranked.play),
            position: id_of(ranked.position),
            equity: Number(ranked.value.equity),
            mwc: ranked.value.mwc.map(Number),
            loss: Number(ranked.loss(found.best())),
            plies: ranked.plies,
        };
        found.plays.iter().map(play).collect()
    };
    PlaceBody {
        cube: place.cube.value(),
        owner: place.cube.owner(),
        equity: Number(place.value.equity),
        mwc: place.value.mwc.map(Number),
        decision: place.decision.as_ref().map(decision_of),
        plays: place.plays.as_ref().map(plays),
    }
}

/// Returns the best action or play with the cube in a place, for people.
fn action(place: &CubePlace) -> String {
    match (&place.plays, &place.decision) {
        (Some(plays), _) if plays.best().play.is_pass() => "no play".to_owned(),
        (Some(plays), _) => play_text(&plays.position, &plays.best().play),
        (None, Some(cube)) => cube.verdict.text().to_owned(),
        (None, None) => "no double allowed".to_owned(),
    }
}

fn text_of(answer: &CubesAnswer) -> String {
    let place = |place: &CubePlace| {
        let owner = match place.cube.owner() {
            CubeOwner::Centred => "centred",
            CubeOwner::Me => "mine",
            CubeOwner::Opponent => "the opponent's",
        };
        let (value, action) = (place.value.equity, action(place));
        format!("{owner} {}: {action} {value:+.4}", place.cube.value())
    };
    let places: Vec<String> = answer.places.iter().map(place).collect();
    places.join("; ")
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let EngineAnswer::Cubes(answer) = found else {
        return Err(not_its_answer());
    };
    let Some(first) = answer.places.first() else {
        return Err(not_its_answer());
    };
    match to.style {
        AnswerStyle::Position => {
            let position = match &first.plays {
                Some(plays) => plays.best().position,
                None => request.shown.position,
            };
            line(to, format_args!("{}", PositionId::from(position)), out);
        }
        AnswerStyle::Text => {
            let values: Vec<f64> = answer
                .places
                .iter()
                .map(|place| place.value.equity)
                .collect();
            finite(&values)?;
            line(to, format_args!("{}", text_of(answer)), out);
        }
        AnswerStyle::Json => {
            let body = CubesBody {
                position: id_of(answer.position),
                roll: answer.roll.map(gammond_game::Roll::dice),
                plies: answer.plies,
                unit: unit(&first.value),
                changes: answer.changes(),
                cubes: answer.places.iter().map(place_of).collect(),
            };
            object(to, "cubes", body, out)?;
        }
    }
    Ok(())
}

fn place_schema() -> Value {
    let play = schema::object(
        "A play with the cube in a place",
        &[
            ("play", PLAY, text()),
            (
                "position",
                "Position ID after it; the opponent is on roll",
                text(),
            ),
            ("equity", "Value for the player who moves", number()),
            ("loss", "Equity lost against the best play", number()),
            ("plies", PLIES, schema::count()),
        ],
        &[("mwc", "Chance to win the match", number())],
    );
    schema::object(
        "A position with the cube in a place",
        &[
            (
                "cube",
                "Value of the cube",
                json!({"type": "integer", "minimum": 1, "maximum": CubesQuery::CUBE_MAX}),
            ),
            ("owner", "Owner of the cube", schema::owner()),
            ("equity", "Value of the best action or play", number()),
        ],
        &[
            ("mwc", "Chance to win the match", number()),
            (
                "decision",
                "Double, take? Missing where the player may not double, and with a roll",
                schema::refer("CubeDecision"),
            ),
            (
                "plays",
                "With a roll: the plays that are best with the cube in one of the places, best first",
                schema::list(&play),
            ),
        ],
    )
}

fn schemas() -> Vec<(String, Value)> {
    let cubes = json!({"type": "array", "minItems": 1, "maxItems": 7,
        "items": schema::refer("PlacedCube")});
    vec![
        ("PlacedCube".to_owned(), place_schema()),
        answer(
            "cubes",
            &[
                ("position", POSITION, text()),
                ("plies", PLIES, schema::count()),
                ("unit", UNIT, schema::unit()),
                (
                    "changes",
                    "True if the best play or decision is not the same with the cube in all places",
                    truth(),
                ),
                (
                    "cubes",
                    "The cube in the middle, then those of the player on roll, then the opponent's",
                    cubes,
                ),
            ],
            &[
                ("roll", "The dice", schema::dice()),
                ("level", LEVEL, text()),
                schema::warning(),
            ],
        ),
    ]
}
