//! `opening`: the plays of an opening roll, as the opening book has them.

use super::moves::{self, PlayBody};
use super::resolved::Resolved;
use super::schema::{self, LEVEL, PLAY, PLIES, POSITION, UNIT, answer, number, text};
use super::{
    Asking, PartError, PositionFrom, PositionRequest, RequestPart, Takes, Verb, Work,
    not_its_answer,
};
use crate::ErrorCode;
use crate::answer::{Addressee, Number, Shown, finite, id_of, line, object, unit};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, BookPlay, EngineAnswer, OpeningAnswer, PlayQuery, Question, RankedPlays, Scope,
    Settings,
};
use gammond_game::notation::{PositionId, play_text};
use gammond_game::{Position, Roll};
use serde::Serialize;
use serde_json::{Value, json};

/// Scopes of the settings of `opening` and `reply`.
pub(super) const SCOPES: &[Scope] = &[
    Scope::Depth,
    Scope::Method,
    Scope::Plays,
    Scope::State,
    Scope::Rules,
    Scope::Queue,
];

/// The verb `opening`.
pub static VERB: Verb = Verb {
    name: "opening",
    takes: Takes {
        position: PositionFrom::Start,
        roll: true,
        ..Takes::NONE
    },
    scopes: SCOPES,
    usage: "opening ROLL [key=value…]: the plays of an opening roll, rolled out",
    summary: "The plays of an opening roll, rolled out",
    lasts: true,
    example: || json!({"roll": [3, 1]}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    let wrong = |code, message: &str| PartError::new(RequestPart::Roll, code, "roll", message);
    let message = "roll is missing, expected two different dice (example: opening 31)";
    let roll = resolved.roll;
    let roll = roll.ok_or_else(|| wrong(ErrorCode::MissingRoll, message))?;
    if roll.is_double() {
        let message = format!(
            "roll {roll} is a double, the opening roll has two different dice (example: opening 31)"
        );
        return Err(wrong(ErrorCode::BadRoll, &message));
    }
    Ok(of_book(resolved, roll))
}

/// Returns the question to the opening book.
pub(super) fn of_book(resolved: &Resolved<'_>, roll: Roll) -> (Question, Settings) {
    let query = PlayQuery {
        position: resolved.position,
        roll,
        state: resolved.state,
    };
    let settings = resolved.options.search().with_value_of_best();
    (Question::Opening(query), settings)
}

#[derive(Serialize)]
struct OpeningBody<T: Serialize> {
    position: Shown<PositionId>,
    roll: [u8; 2],
    source: &'static str,
    unit: &'static str,
    #[serde(flatten)]
    rest: T,
}

#[derive(Serialize)]
struct BookBody {
    rollout: TermsBody,
    plays: Vec<BookPlayBody>,
}

/// Terms of the book's rollouts.
#[derive(Serialize)]
struct TermsBody {
    nets: &'static str,
    plies: u8,
    truncate: u32,
    jacoby: bool,
    seed: u64,
}

const TERMS: TermsBody = TermsBody {
    nets: BookPlay::NETS,
    plies: BookPlay::PLIES,
    truncate: BookPlay::TURNS,
    jacoby: true,
    seed: BookPlay::SEED,
};

#[derive(Serialize)]
struct BookPlayBody {
    play: String,
    position: Shown<PositionId>,
    equity: Number,
    error: Number,
    loss: Number,
    loss_error: Number,
    cubeless: Number,
    win: Number,
    win_gammon: Number,
    lose_gammon: Number,
    trials: u32,
}

#[derive(Serialize)]
struct RankedBody<'a> {
    plies: u8,
    legal: usize,
    plays: Vec<PlayBody<'a>>,
}

/// Returns a query's position and roll.
fn asked(request: &PositionRequest) -> Option<(Position, Roll)> {
    match &request.question {
        Some(Question::Opening(query)) => Some((query.position, query.roll)),
        _ => None,
    }
}

/// Writes the answer of the opening book to a request of `opening` or `reply`.
pub(super) fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let (EngineAnswer::Opening(answer), Some((position, roll))) = (found, asked(request)) else {
        return Err(not_its_answer());
    };
    let kind = request.verb.name;
    match answer {
        OpeningAnswer::Book(plays) => write_book(to, kind, (position, roll), plays, out),
        OpeningAnswer::Ranked(ranked) => write_ranked(to, kind, ranked, out),
        _ => Err(not_its_answer()),
    }
}

fn write_book(
    to: Addressee<'_>,
    kind: &'static str,
    (position, roll): (Position, Roll),
    plays: &[BookPlay],
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let Some(best) = plays.first() else {
        return Err(not_its_answer());
    };
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(best.position)), out),
        AnswerStyle::Text => {
            let (equity, error, trials) = (best.equity, best.error, best.trials);
            let play = named(play_text(&position, &best.play));
            let text =
                format_args!("{play} {equity:+.4} +- {error:.4} (rolled out, {trials} games)");
            line(to, text, out);
        }
        AnswerStyle::Json => {
            let body = |play: &BookPlay| {
                let (loss, loss_error) = play.loss(best);
                BookPlayBody {
                    play: play_text(&position, &play.play),
                    position: id_of(play.position),
                    equity: Number(play.equity),
                    error: Number(play.error),
                    loss: Number(loss),
                    loss_error: Number(loss_error),
                    cubeless: Number(play.cubeless),
                    win: Number(play.win),
                    win_gammon: Number(play.win_gammon),
                    lose_gammon: Number(play.lose_gammon),
                    trials: play.trials,
                }
            };
            let body = OpeningBody {
                position: id_of(position),
                roll: roll.dice(),
                source: "rollout",
                unit: "points",
                rest: BookBody {
                    rollout: TERMS,
                    plays: plays.iter().map(body).collect(),
                },
            };
            object(to, kind, body, out)?;
        }
    }
    Ok(())
}

fn write_ranked(
    to: Addressee<'_>,
    kind: &'static str,
    ranked: &RankedPlays,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let best = ranked.best();
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(best.position)), out),
        AnswerStyle::Text => {
            finite(&[best.value.equity])?;
            let (equity, plies) = (best.value.equity, ranked.plies);
            let play = named(play_text(&ranked.position, &best.play));
            line(
                to,
                format_args!("{play} {equity:+.4} (evaluated, {plies} plies)"),
                out,
            );
        }
        AnswerStyle::Json => {
            let texts = moves::play_texts(ranked);
            let body = OpeningBody {
                position: id_of(ranked.position),
                roll: ranked.roll.dice(),
                source: "evaluation",
                unit: unit(&best.value),
                rest: RankedBody {
                    plies: ranked.plies,
                    legal: ranked.legal,
                    plays: moves::bodies(ranked, &texts),
                },
            };
            object(to, kind, body, out)?;
        }
    }
    Ok(())
}

/// Returns a play in words.
fn named(play: String) -> String {
    match play.is_empty() {
        true => "no play".to_owned(),
        false => play,
    }
}

fn book_play() -> Value {
    let after = "Position ID after it; the opponent is on roll";
    schema::object(
        "A play that was rolled out; values are those of the player who moves",
        &[
            ("play", PLAY, text()),
            ("position", after, text()),
            ("equity", "Cubeful equity", number()),
            ("error", "Standard error of the equity", number()),
            ("loss", "Equity lost against the best play", number()),
            (
                "loss_error",
                "Standard error of the loss; the errors of both plays are taken as independent",
                number(),
            ),
            ("cubeless", "Cubeless equity", number()),
            ("win", "Chance to win", number()),
            (
                "win_gammon",
                "Chance to win a gammon or backgammon",
                number(),
            ),
            (
                "lose_gammon",
                "Chance to lose a gammon or backgammon",
                number(),
            ),
            ("trials", "Number of games", schema::count()),
        ],
        &[],
    )
}

fn terms() -> Value {
    schema::object(
        "Terms of the rollouts",
        &[
            ("nets", "The nets that played", text()),
            (
                "plies",
                "Look-ahead of plays and cube decisions",
                schema::count(),
            ),
            (
                "truncate",
                "Turns of a game; then the nets evaluate the position",
                schema::count(),
            ),
            ("jacoby", "True if Jacoby's rule held", schema::truth()),
            ("seed", "Seed of the dice", schema::count()),
        ],
        &[],
    )
}

/// Returns the schema of the answer of `opening` or `reply`.
pub(super) fn answer_schema(verb: &'static str) -> (String, Value) {
    let source = json!({"type": "string", "enum": ["rollout", "evaluation"]});
    let plays = schema::list(&schema::one_of(&["BookPlay", "Play"]));
    answer(
        verb,
        &[
            ("position", POSITION, text()),
            ("roll", "The dice", schema::dice()),
            (
                "source",
                "`rollout`: the opening book has the plays; `evaluation`: the engine ranked them",
                source,
            ),
            ("unit", UNIT, schema::unit()),
            ("plays", "The plays, best first", plays),
        ],
        &[
            (
                "rollout",
                "Terms of the rollouts",
                schema::refer("BookTerms"),
            ),
            ("plies", PLIES, schema::count()),
            ("legal", "Number of legal plays", schema::count()),
            ("level", LEVEL, text()),
            schema::warning(),
        ],
    )
}

fn schemas() -> Vec<(String, Value)> {
    vec![
        ("BookPlay".to_owned(), book_play()),
        ("BookTerms".to_owned(), terms()),
        answer_schema(VERB.name),
    ]
}
