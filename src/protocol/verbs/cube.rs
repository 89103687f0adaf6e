//! `cube`: double, take?

use super::eval::before_the_dice;
use super::resolved::Resolved;
use super::schema::{
    self, LEVEL, PLIES, POSITION, SchemaMember, UNIT, answer, number, text, truth,
};
use super::{Asking, PartError, PositionRequest, Takes, Verb, Work, not_its_answer};
use crate::answer::{
    Addressee, Mwc, Number, Probabilities, Shown, finite, id_of, line, object, unit,
};
use crate::dialect::About;
use crate::request_error::RequestError;
use gammond_engine::query::{
    AnswerStyle, CubeAnswer, CubeQuery, EngineAnswer, Equities, Question, Scope, Settings,
};
use gammond_game::notation::PositionId;
use serde::Serialize;
use serde_json::{Value, json};

/// The verb `cube`.
pub static VERB: Verb = Verb {
    name: "cube",
    takes: Takes::NONE,
    scopes: &[
        Scope::Depth,
        Scope::Method,
        Scope::Choice,
        Scope::Seed,
        Scope::State,
        Scope::Rules,
        Scope::Queue,
    ],
    usage: "cube POSITION [key=value…]: double, take?",
    summary: "Double, take?",
    lasts: true,
    example: || json!({"position": schema::START, "settings": {"length": 7, "score": [3, 5]}}),
    schemas,
    work: Work::Ask(Asking { question, write }),
};

fn question(resolved: &Resolved<'_>) -> Result<(Question, Settings), PartError> {
    resolved.is_decided()?;
    before_the_dice(resolved)?;
    resolved.cube_decides(false)?;
    let query = CubeQuery {
        position: resolved.position,
        state: resolved.state,
    };
    Ok((Question::Cube(query), resolved.options.search()))
}

#[derive(Serialize)]
struct CubeBody<'a> {
    position: Shown<PositionId>,
    plies: u8,
    no_double: Number,
    double_take: Number,
    double_pass: Number,
    optimal: Number,
    double: bool,
    take: bool,
    beaver: bool,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    percentage: Option<Number>,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<CubeMwc>,
    cubeless: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<SharesBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resign: Option<u8>,
    probabilities: Probabilities,
}

/// Shares of the people who act.
#[derive(Serialize)]
struct SharesBody {
    double: Number,
    take: Number,
    resign: Number,
}

#[derive(Serialize)]
struct CubeMwc {
    no_double: Mwc,
    double_take: Mwc,
    double_pass: Mwc,
    optimal: Mwc,
}

/// A decision about the cube.
#[derive(Serialize)]
pub(super) struct DecisionBody<'a> {
    no_double: Number,
    double_take: Number,
    double_pass: Number,
    optimal: Number,
    double: bool,
    take: bool,
    beaver: bool,
    verdict: &'a str,
}

/// Returns the members of a decision about the cube.
pub(super) fn decision_of(cube: &CubeAnswer) -> DecisionBody<'_> {
    DecisionBody {
        no_double: Number(cube.no_double.equity),
        double_take: Number(cube.double_take.equity),
        double_pass: Number(cube.double_pass.equity),
        optimal: Number(cube.optimal.equity),
        double: cube.double,
        take: cube.take,
        beaver: cube.beaver,
        verdict: cube.verdict.text(),
    }
}

fn write(
    to: Addressee<'_>,
    request: &PositionRequest,
    found: &EngineAnswer,
    _: &About<'_>,
    out: &mut Vec<u8>,
) -> Result<(), RequestError> {
    let EngineAnswer::Cube(answer) = found else {
        return Err(not_its_answer());
    };
    let position = request.shown.position;
    let verdict = answer.verdict.text();
    let [nd, dt, dp] = [answer.no_double, answer.double_take, answer.double_pass];
    match to.style {
        AnswerStyle::Position => line(to, format_args!("{}", PositionId::from(position)), out),
        AnswerStyle::Text => {
            finite(&[nd.equity, dt.equity, dp.equity])?;
            let values = format!("{:+.4} {:+.4} {:+.4}", nd.equity, dt.equity, dp.equity);
            line(to, format_args!("{verdict} ({values})"), out);
        }
        AnswerStyle::Json => {
            let mwc = |value: Equities| value.mwc.map(Number);
            let all = (mwc(nd), mwc(dt), mwc(dp), mwc(answer.optimal));
            let body = CubeBody {
                position: id_of(position),
                plies: answer.plies,
                no_double: Number(nd.equity),
                double_take: Number(dt.equity),
                double_pass: Number(dp.equity),
                optimal: Number(answer.optimal.equity),
                double: answer.double,
                take: answer.take,
                beaver: answer.beaver,
                verdict,
                percentage: answer.percentage.map(|share| Number(share * 100.0)),
                unit: unit(&nd),
                mwc: match all {
                    (Some(no_double), Some(double_take), Some(double_pass), Some(optimal)) => {
                        Some(CubeMwc {
                            no_double,
                            double_take,
                            double_pass,
                            optimal,
                        })
                    }
                    _ => None,
                },
                cubeless: Number(answer.cubeless.equity),
                shares: answer.people.as_ref().map(|people| SharesBody {
                    double: Number(people.double),
                    take: Number(people.take),
                    resign: Number(people.resign),
                }),
                resign: answer.people.as_ref().map(|people| people.resigns),
                probabilities: (&answer.chances).into(),
            };
            object(to, "cube", body, out)?;
        }
    }
    Ok(())
}

/// Returns the schemas of the members of [`DecisionBody`].
pub(super) fn decision() -> [SchemaMember; 8] {
    [
        ("no_double", "Value without a double", number()),
        ("double_take", "Value after double and take", number()),
        ("double_pass", "Value after double and pass", number()),
        ("optimal", "Value of the best action", number()),
        ("double", "True if a double is right", truth()),
        ("take", "True if a take is right", truth()),
        ("beaver", "True if a beaver is right", truth()),
        ("verdict", "The decision in gnubg's words", text()),
    ]
}

fn schemas() -> Vec<(String, Value)> {
    let always = [
        &[
            ("position", POSITION, text()),
            ("plies", PLIES, schema::count()),
        ],
        &decision()[..],
        &[
            ("unit", UNIT, schema::unit()),
            (
                "probabilities",
                "Chances of the player on roll",
                schema::refer("Probabilities"),
            ),
        ],
    ]
    .concat();
    vec![answer(
        "cube",
        &always,
        &[
            (
                "percentage",
                "Place in the doubling window, in percent",
                schema::or_null("number"),
            ),
            (
                "cubeless",
                "Value without the cube",
                schema::or_null("number"),
            ),
            (
                "mwc",
                "The values as chances to win the match",
                schema::any_object(),
            ),
            (
                "shares",
                "With `pr` or `elo`: shares of the people of this error rate who double, take, and resign; `double`, `take` \
                 and `resign` are choices of such a person then",
                schema::any_object(),
            ),
            (
                "resign",
                "With `pr` or `elo`: games that such a person resigns instead of rolling, 0 to 3",
                schema::count(),
            ),
            ("level", LEVEL, text()),
            schema::warning(),
        ],
    )]
}
