//! `convert`: a position in every notation.

use super::schema::{self, POSITION, answer, or_null, text};
use super::{PositionRequest, Takes, Verb, Work};
use crate::answer::{self, Addressee};
use gammond_engine::query::{AnswerStyle, Scope};
use gammond_game::Roll;
use gammond_game::notation::Form;
use serde_json::{Value, json};

/// The verb `convert`.
pub static VERB: Verb = Verb {
    name: "convert",
    takes: Takes {
        roll: true,
        ..Takes::NONE
    },
    scopes: &[Scope::State, Scope::Rules],
    usage: "convert POSITION [ROLL] [key=value…]: every notation",
    summary: "Writes a position in every notation",
    lasts: true,
    example: || json!({ "position": schema::START }),
    schemas,
    work: Work::Write(write),
};

fn write(to: Addressee<'_>, request: &PositionRequest, out: &mut Vec<u8>) {
    let PositionRequest { shown, state, .. } = request;
    let print = |form: Form| form.print(&shown.position, state, shown.roll, shown.offer);
    // Neither has a place for a match that is over.
    let of_state = |form: Form| shown.final_score.is_none().then(|| print(form));
    let gnubg_id = shown.gnubg_id(state);
    let match_id = gnubg_id.match_id.to_string();
    let gnubg_id = gnubg_id.to_string();
    let mut body = json!({
        "position": print(Form::PositionId),
        "match": match_id,
        "gnubgid": gnubg_id,
        "key": print(Form::Key),
        "xgid": of_state(Form::Xgid),
        "board": of_state(Form::BoardLine),
        "ogid": shown.ogid(state).map(|ogid| ogid.to_string()),
        "roll": shown.roll.map(Roll::dice),
    });
    if let (Some(score), Some(body)) = (shown.final_score, body.as_object_mut()) {
        body.insert("final".into(), json!(score));
    }
    let plain = match to.style {
        AnswerStyle::Position => print(Form::PositionId),
        _ => {
            let xgid = of_state(Form::Xgid);
            let forms = [Some(gnubg_id), Some(print(Form::Key)), xgid];
            forms.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    };
    answer::values(to, "convert", &body, &plain, out);
}

fn schemas() -> Vec<(String, Value)> {
    vec![answer(
        "convert",
        &[
            ("position", POSITION, text()),
            ("gnubgid", "GNUbg ID: Position ID and Match ID", text()),
            ("match", "Match ID", text()),
            ("xgid", "XGID; null if the match is over", or_null("string")),
            ("key", "The 20 letters of benchmark files", text()),
            (
                "board",
                "FIBS board line; null if the match is over",
                or_null("string"),
            ),
        ],
        &[
            ("ogid", "OGID; null where it has no form", or_null("string")),
            ("roll", "The dice", schema::dice_or_null()),
            (
                "final",
                "Points of a match that is over",
                schema::pair(&schema::count()),
            ),
            schema::warning(),
        ],
    )]
}
