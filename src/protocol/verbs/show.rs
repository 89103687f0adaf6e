//! `show`: a drawing of a position.

use super::resolved::Resolved;
use super::schema::{self, POSITION, answer, any_object, count, list, pair, refer, text, truth};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::answer::{self, Addressee};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, EngineAnswer, Question, Scope, Settings};
use gammond_game::notation::PositionId;
use gammond_game::{MatchState, RaceAdvice, RaceCounts, Roll, Variant};
use gammond_report::render;
use serde_json::{Value, json};

/// The verb `show`.
pub static VERB: Verb = Verb {
    name: "show",
    takes: Takes {
        roll: true,
        ..Takes::NONE
    },
    scopes: &[Scope::State, Scope::Rules],
    usage: "show POSITION [ROLL] [key=value…]: a drawing",
    summary: "Draws a position",
    lasts: true,
    example: || json!({ "position": schema::START }),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    Ok((Question::Class(resolved.position), Settings::default()))
}

/// Returns the pip counts of a race as JSON.
fn race_value(counts: &RaceCounts) -> Value {
    let numbers = |counts: [f64; 2]| json!(counts.map(answer::number_value));
    let advice = |counts: Value,
                  RaceAdvice {
                      double,
                      redouble,
                      take,
                  }: RaceAdvice| {
        json!({ "counts": counts, "double": double, "redouble": redouble, "take": take })
    };
    json!({
        "keith": advice(numbers(counts.keith), counts.by_keith()),
        "thorp": advice(numbers(counts.thorp), counts.by_thorp()),
        "kleinman": advice(answer::number_value(counts.kleinman), counts.by_kleinman()),
    })
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let EngineAnswer::Class(class) = found else {
        return Err(not_its_answer());
    };
    let PositionRequest { shown, state, .. } = request;
    let position = &shown.position;
    let board = render::board(position, state, shown.roll);
    let lines: Vec<&str> = board.lines().collect();
    let off = [position.me(), position.opponent()].map(|side| state.variant.off(side));
    let mut body = json!({
        "position": PositionId::from(*position).to_string(),
        "class": class.to_string(),
        "roll": shown.roll.map(Roll::dice),
        "pips": [position.me().pips(), position.opponent().pips()],
        "off": off,
        "state": state_value(state),
        "board": lines,
    });
    if let Some(body) = body.as_object_mut() {
        if let Some(counts) = RaceCounts::of(position) {
            body.insert("race".into(), race_value(&counts));
        }
        if let Some(offer) = shown.offer {
            body.insert("offer".into(), json!(offer.to_string()));
        }
    }
    let plain = match to.style {
        AnswerStyle::Position => PositionId::from(*position).to_string(),
        _ => format!(
            "{} pips {} {}",
            shown.form.print(position, state, shown.roll, shown.offer),
            position.me().pips(),
            position.opponent().pips()
        ),
    };
    answer::values(to, "show", &body, &plain, out);
    Ok(())
}

fn state_value(state: &MatchState) -> Value {
    json!({
        "length": state.score.length(),
        "score": [state.score.me(), state.score.opponent()],
        "crawford": state.score.is_crawford(),
        "jacoby": state.rules.jacoby,
        "beavers": state.rules.beavers,
        "cube": state.cube.value(),
        "owner": state.cube.owner(),
        "variant": state.variant.word(),
    })
}

fn schemas() -> Vec<(String, Value)> {
    let state = schema::object(
        "State of the match",
        &[
            ("length", "Points to play to; 0 for money", count()),
            (
                "score",
                "Points of the player on roll and of the opponent",
                pair(&count()),
            ),
            ("crawford", "True in the Crawford game", truth()),
            ("jacoby", "True if Jacoby's rule holds", truth()),
            ("beavers", "True if beavers are allowed", truth()),
            (
                "cube",
                "Value of the cube",
                json!({"type": "integer", "minimum": 1}),
            ),
            (
                "owner",
                "Owner of the cube",
                json!({"type": "string", "enum": ["me", "opponent", "centred"]}),
            ),
            (
                "variant",
                "Variant of the game",
                json!({"type": "string", "enum": Variant::WORDS}),
            ),
        ],
        &[],
    );
    vec![
        ("MatchState".to_owned(), state),
        answer(
            "show",
            &[
                ("position", POSITION, text()),
                ("board", "The board as lines of text", list(&text())),
                ("class", "Class of the position, such as contact", text()),
                (
                    "pips",
                    "Pips of the player on roll and of the opponent",
                    pair(&count()),
                ),
                ("off", "Checkers that each has borne off", pair(&count())),
                ("state", "State of the match", refer("MatchState")),
            ],
            &[
                ("roll", "The dice", schema::dice_or_null()),
                ("race", "Counts of a race, with their advice", any_object()),
                schema::warning(),
            ],
        ),
    ]
}
