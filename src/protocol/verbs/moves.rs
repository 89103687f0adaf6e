//! `move`: the plays of a roll, best first.

use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLAY, PLIES, POSITION, UNIT, answer, number, text};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::answer::{
    Addressee, Mwc, NotFinite, Number, Probabilities, Shown, finite, id_of, line, object, percent,
    unit,
};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, EngineAnswer, PlayQuery, Question, RankedPlay, RankedPlays, Scope, Settings,
};
use gammond_game::notation::{PositionId, play_text};
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `move`.
pub static VERB: Verb = Verb {
    name: "move",
    takes: Takes {
        roll: true,
        plays: true,
        ..Takes::NONE
    },
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::Plays,
        Scope::Choice,
        Scope::Seed,
        Scope::State,
        Scope::Rules,
        Scope::Queue,
    ],
    usage: "move POSITION ROLL [plays=\"8/5 6/5; 13/9\"] [key=value…]: the plays of a roll, best first",
    summary: "Ranks the plays of a roll",
    lasts: true,
    example: || json!({"position": schema::START, "roll": [3, 1], "settings": {"plies": 0, "top": 2}}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    let query = PlayQuery {
        position: resolved.position,
        roll: resolved.needed_roll()?,
        state: resolved.state,
    };
    // The client requests values at this depth, not a choice alone.
    let settings = resolved.options.search().with_value_of_best();
    let Some(plays) = resolved.plays else {
        return Ok((Question::Plays(query), settings));
    };
    let listed = resolved.listed(plays, query.roll)?;
    let after = listed.into_iter().map(|(_, after)| after).collect();
    Ok((Question::Compare(query, after), settings))
}

#[derive(Serialize)]
struct PlaysBody<'a> {
    position: Shown<PositionId>,
    roll: [u8; 2],
    plies: u8,
    legal: usize,
    unit: &'static str,
    plays: Vec<PlayBody<'a>>,
}

#[derive(Serialize)]
pub(super) struct PlayBody<'a> {
    play: &'a str,
    position: Shown<PositionId>,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    loss: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<Number>,
    plies: u8,
    probabilities: Probabilities,
}

/// Returns the texts of all plays.
pub(super) fn play_texts(answer: &RankedPlays) -> Vec<String> {
    let spell = |ranked: &RankedPlay| play_text(&answer.position, &ranked.play);
    answer.plays.iter().map(spell).collect()
}

/// Returns the plays as JSON; `texts` are theirs.
pub(super) fn bodies<'a>(answer: &RankedPlays, texts: &'a [String]) -> Vec<PlayBody<'a>> {
    let body = |(number, (ranked, play)): (usize, (&RankedPlay, &'a String))| PlayBody {
        play,
        position: id_of(ranked.position),
        equity: Number(ranked.value.equity),
        mwc: ranked.value.mwc.map(Number),
        loss: Number(ranked.loss(answer.best())),
        share: answer.share(number).map(Number),
        plies: ranked.plies,
        probabilities: (&ranked.chances).into(),
    };
    (answer.plays.iter().zip(texts))
        .enumerate()
        .map(body)
        .collect()
}

fn write(
    to: Addressee<'_>,
    _: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let EngineAnswer::Plays(answer) = found else {
        return Err(not_its_answer());
    };
    let Some(chosen) = answer.plays.first() else {
        return Err(NotFinite.into());
    };
    match to.style {
        AnswerStyle::Position => line(
            to,
            format_args!("{}", PositionId::from(chosen.position)),
            out,
        ),
        AnswerStyle::Text => {
            finite(&[chosen.value.equity])?;
            let play = play_text(&answer.position, &chosen.play);
            let play = if play.is_empty() { "no play" } else { &play };
            let (equity, chances) = (chosen.value.equity, percent(&chosen.chances));
            line(to, format_args!("{play} {equity:+.4} ({chances})"), out);
        }
        AnswerStyle::Json => {
            let texts = play_texts(answer);
            let body = PlaysBody {
                position: id_of(answer.position),
                roll: answer.roll.dice(),
                plies: answer.plies,
                legal: answer.legal,
                unit: unit(&chosen.value),
                plays: bodies(answer, &texts),
            };
            object(to, "move", body, out)?;
        }
    }
    Ok(())
}

fn schemas() -> Vec<(String, Value)> {
    let play = schema::object(
        "A play of the roll",
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
        &[
            ("mwc", "Chance to win the match", number()),
            (
                "share",
                "With `pr` or `elo`: share of the people of this error rate who choose it",
                number(),
            ),
            (
                "probabilities",
                "Chances of the player who moves",
                schema::refer("Probabilities"),
            ),
        ],
    );
    vec![
        ("Play".to_owned(), play),
        answer(
            "move",
            &[
                ("position", POSITION, text()),
                ("roll", "The dice", schema::dice()),
                ("plies", PLIES, schema::count()),
                ("legal", "Number of legal plays", schema::count()),
                ("unit", UNIT, schema::unit()),
                (
                    "plays",
                    "The plays, best first; with `pr` or `elo`, and no `plays` in the question, the chosen one before them",
                    schema::list(&schema::refer("Play")),
                ),
            ],
            &[("level", LEVEL, text()), schema::warning()],
        ),
    ]
}
