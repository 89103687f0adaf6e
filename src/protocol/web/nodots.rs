//! The Nodots engine protocol, version "1": `POST /v1/move|double|take|resign`, `GET /v1/health` (NEP-01 to NEP-71).

use super::{Members, WebError, WebRequest, mismatch, write};
use crate::ErrorCode;
use crate::TaskAnswer;
use crate::dialect::{About, Inquiry, Reply};
use crate::external::lost_for_certain;
use crate::json::Json;
use crate::request_error::RequestError;
use gammond_engine::equity::CubePoints;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, EvalQuery, Evaluation, PlayQuery, Question, RankedPlays,
    Settings, Verdict,
};
use gammond_game::notation::PositionId;
use gammond_game::{Chances, Cube, CubeOwner, MatchState, Play, Position, Rules, Score};
use serde::{Serialize, Serializer};

/// Plays that an answer names.
const CANDIDATES_MAX: usize = 10;
/// Look-ahead of every answer.
const PLIES: u8 = 2;
/// The member that identifies a body of this protocol (NEP-70).
pub const MARK: &str = "positionId";

/// Kind of decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodotsDecision {
    /// Choice of a play.
    Move,
    /// Choice to double or not.
    Double,
    /// Choice to take or pass.
    Take,
    /// Choice to resign or play on.
    Resign,
}

/// Returns the answer to `GET /v1/health`.
#[must_use]
pub fn health() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "{{\"status\":\"ok\",\"engineName\":\"gammond\",\"engineVersion\":\"{version}\",\"protocolVersion\":\"1\"}}"
    )
}

/// Returns the protocol's word for an error code, and its HTTP status (NEP-40, NEP-41).
#[must_use]
pub fn code(code: ErrorCode) -> (&'static str, u16) {
    match code {
        ErrorCode::BadPosition => ("invalid_position_id", 400),
        ErrorCode::Unsupported => ("unsupported", 501),
        ErrorCode::Timeout => ("timeout", 504),
        ErrorCode::Busy | ErrorCode::Stopped => ("timeout", 503),
        ErrorCode::TooManyRequests => ("timeout", 429),
        ErrorCode::Internal => ("internal", 500),
        ErrorCode::NotFound | ErrorCode::UnknownVerb => ("unsupported", 404),
        ErrorCode::MethodNotAllowed => ("invalid_request", 405),
        ErrorCode::TooLarge | ErrorCode::LineTooLong => ("invalid_request", 413),
        ErrorCode::UnsupportedMedia => ("invalid_request", 415),
        ErrorCode::TooSlow => ("timeout", 408),
        _ => ("invalid_request", 400),
    }
}

/// Takes a body.
///
/// # Errors
/// The fault in the body.
pub fn ask(decision: NodotsDecision, body: Json) -> Result<WebRequest, WebError> {
    let mut members = Members::of_body(body)?;
    let position = position(&mut members)?;
    let active = Colour::read(&mut members, "activePlayerColor")?.unwrap_or(Colour::White);
    if let Some(direction) = members.text("activePlayerDirection")?
        && !matches!(direction.as_str(), "clockwise" | "counterclockwise")
    {
        let name = "activePlayerDirection";
        let message =
            format!("{name} is {direction:.64?}, expected \"clockwise\" or \"counterclockwise\"");
        return Err(WebError::new(ErrorCode::BadRequest, name, message));
    }
    let state = state(&mut members, active)?;
    if position.is_over() {
        return Err(WebError::new(
            ErrorCode::GameOver,
            MARK,
            "positionId: the game is over",
        ));
    }
    let mut settings = Settings::plies(PLIES);
    let question = match decision {
        NodotsDecision::Move => {
            let Some(roll) = members.dice()? else {
                let message = "dice are missing, expected two such as [3,1]";
                return Err(WebError::new(ErrorCode::MissingRoll, "dice", message));
            };
            settings.top = Some(CANDIDATES_MAX);
            Question::Plays(PlayQuery::new(position, roll, state))
        }
        // A player who may not double has nothing to compare (NEP-13).
        NodotsDecision::Double if !may_double(&state) => {
            Question::Value(EvalQuery::new(position, state))
        }
        NodotsDecision::Double => Question::Cube(CubeQuery::new(position, state)),
        // The id is the taker's view, but the engine evaluates the doubler's (NEP-12).
        NodotsDecision::Take => Question::Cube(CubeQuery::new(position.swapped(), state.swapped())),
        NodotsDecision::Resign => Question::Value(EvalQuery::new(position, state)),
    };
    let answer = Answer {
        decision,
        active,
        position,
        state,
    };
    Ok(WebRequest::Question(Box::new(Inquiry::new(
        question, settings, answer,
    ))))
}

fn position(members: &mut Members) -> Result<Position, WebError> {
    let Some(id) = members.text(MARK)? else {
        let message = "positionId is missing, expected one such as \"4HPwATDgc/ABMA\"";
        return Err(WebError::new(ErrorCode::MissingPosition, MARK, message));
    };
    let position = PositionId::parse(id.as_bytes())
        .map_err(|error| WebError::new(ErrorCode::BadPosition, MARK, error.to_string()))?
        .position();
    let name = "positionIdConvention";
    match members.text(name)?.as_deref() {
        // As GNU Backgammon writes it, not as in the protocol's text (NEP-21).
        None | Some("opponent-first") => Ok(position),
        Some("on-roll-first") => Ok(position.swapped()),
        Some(other) => {
            let message =
                format!("{name} is {other:.64?}, expected \"opponent-first\" or \"on-roll-first\"");
            Err(WebError::new(ErrorCode::BadRequest, name, message))
        }
    }
}

/// Reads the cube, score and rules as the active player sees them; what is missing is as in money play
/// (NEP-10).
fn state(members: &mut Members, active: Colour) -> Result<MatchState, WebError> {
    let rules = Rules {
        jacoby: members.flag("jacoby", true)?,
        beavers: members.flag("beavers", false)?,
    };
    let mut state = MatchState::money(rules);
    let value = members.number("cubeValue", 1 << 15)?.unwrap_or(1);
    let owner = match Colour::read(members, "cubeOwner")? {
        None => CubeOwner::Centred,
        Some(owner) if owner == active => CubeOwner::Me,
        Some(_) => CubeOwner::Opponent,
    };
    state.cube = Cube::new(value, owner).map_err(|error| {
        WebError::new(
            ErrorCode::BadCube,
            "cubeValue",
            format!("cubeValue: {error}"),
        )
    })?;
    let crawford = members.flag("crawford", false)?;
    let length = members.number("matchLength", 1 << 15)?.unwrap_or(0);
    let score = score(members)?;
    // Theirs: a match to one point is money (NEP-11).
    if length > 1 {
        let most = u32::from(Score::LENGTH_MAX);
        if length > most {
            let message = format!("matchLength is {length}, expected at most {most}");
            return Err(WebError::new(
                ErrorCode::Unsupported,
                "matchLength",
                message,
            ));
        }
        let [white, black] = score;
        let (mine, theirs) = match active {
            Colour::White => (white, black),
            Colour::Black => (black, white),
        };
        state.score = Score::lenient(length, mine, theirs, crawford)
            .map_err(|error| WebError::of_state("matchScore", &error))?;
    }
    Ok(state)
}

/// Parses `matchScore`: white's points, then black's.
fn score(members: &mut Members) -> Result<[u32; 2], WebError> {
    let name = "matchScore";
    let want = "two scores such as [0,0]";
    let Some(value) = members.take(name) else {
        return Ok([0, 0]);
    };
    let point = |value: &Json| match value {
        Json::Number(number) => number
            .as_u64()
            .and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    let scores = match &value {
        Json::List(list) => match list.as_slice() {
            [white, black] => point(white).zip(point(black)),
            _ => None,
        },
        _ => None,
    };
    match scores {
        Some((white, black)) => Ok([white, black]),
        None => Err(members.wrong(name, &value, want)),
    }
}

/// Returns true if the player on roll may turn the cube.
fn may_double(state: &MatchState) -> bool {
    state.double_refusal().is_none()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Colour {
    White,
    Black,
}

impl Colour {
    fn read(members: &mut Members, name: &str) -> Result<Option<Colour>, WebError> {
        match members.text(name)?.as_deref() {
            None => Ok(None),
            Some("white") => Ok(Some(Colour::White)),
            Some("black") => Ok(Some(Colour::Black)),
            Some(other) => {
                let message = format!("{name} is {other:.64?}, expected \"white\" or \"black\"");
                Err(WebError::new(ErrorCode::BadRequest, name, message))
            }
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Colour::White => "white",
            Colour::Black => "black",
        }
    }
}

/// The part of the request on which the answer depends.
#[derive(Debug)]
struct Answer {
    decision: NodotsDecision,
    active: Colour,
    position: Position,
    state: MatchState,
}

impl Reply for Answer {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        match (self.decision, found) {
            (NodotsDecision::Move, Ok(TaskAnswer::Engine(EngineAnswer::Plays(plays)))) => {
                write(Ok(self.plays(plays)), out)
            }
            (NodotsDecision::Double, Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube)))) => {
                write(Ok(self.double(cube)), out)
            }
            (NodotsDecision::Double, Ok(TaskAnswer::Engine(EngineAnswer::Value(value)))) => {
                let body = DoubleBody {
                    action: "no-double",
                    equity: Some(Finite(value.cubeful.unwrap_or(value.cubeless).equity)),
                    ..DoubleBody::default()
                };
                write(Ok(body), out)
            }
            (NodotsDecision::Take, Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube)))) => {
                write(Ok(take(cube)), out)
            }
            (NodotsDecision::Resign, Ok(TaskAnswer::Engine(EngineAnswer::Value(value)))) => {
                write(Ok(self.resign(value)), out)
            }
            (_, Ok(_)) => write::<()>(Err(&mismatch()), out),
            (_, Err(error)) => write::<()>(Err(error), out),
        }
    }
}

impl Answer {
    fn plays(&self, plays: &RankedPlays) -> MoveBody {
        let best = plays.plays.first().map_or(0.0, |best| best.value.equity);
        let steps = |play: &Play| steps(&plays.position, play, self.active);
        let candidate = |(rank, play): (usize, &gammond_engine::query::RankedPlay)| CandidateBody {
            moves: steps(&play.play),
            evaluation: EvaluationBody::new(&play.chances, Some(play.value.equity)),
            equity: Finite(play.value.equity),
            rank: rank + 1,
            difference: Finite((play.value.equity - best).min(0.0)),
            position: PositionId::from(play.position).to_string(),
            plies: play.plies,
        };
        MoveBody {
            moves: plays
                .plays
                .first()
                .map(|best| steps(&best.play))
                .unwrap_or_default(),
            equity: Finite(best),
            candidates: plays.plays.iter().enumerate().map(candidate).collect(),
        }
    }

    fn double(&self, cube: &CubeAnswer) -> DoubleBody {
        let owned = self.state.cube.owner() == CubeOwner::Me;
        let action = match cube.verdict {
            Verdict::TooGoodTake
            | Verdict::TooGoodPass
            | Verdict::TooGoodRedoubleTake
            | Verdict::TooGoodRedoublePass => "too-good",
            _ if cube.double && owned => "redouble",
            _ if cube.double => "double",
            _ => "no-double",
        };
        let points = self.state.score.is_money().then(|| {
            let Rules { jacoby, beavers } = self.state.rules;
            CubePoints::money(&cube.chances, jacoby, beavers)
        });
        let take = points.map(|points| Finite(points.take[1]));
        let cash = points.map(|points| Finite(points.cash[1]));
        DoubleBody {
            action,
            take_point: take,
            drop_point: cash,
            equity: Some(Finite(cube.optimal.equity)),
            candidates: vec![CubeCandidateBody {
                action,
                take_point: take,
                drop_point: cash,
                evaluation: EvaluationBody::new(&cube.chances, Some(cube.optimal.equity)),
                cubeful_equity: Some(Finite(cube.optimal.equity)),
                take_equity: None,
                drop_equity: None,
            }],
        }
    }

    fn resign(&self, value: &Evaluation) -> ResignBody {
        let action = match lost_for_certain(&self.position, &self.state) {
            Some(1) => "single",
            Some(2) => "gammon",
            Some(_) => "backgammon",
            None => "none",
        };
        ResignBody {
            action,
            equity: Finite(value.cubeful.unwrap_or(value.cubeless).equity),
        }
    }
}

/// Returns the taker's side of the doubler's answer (NEP-12, NEP-33).
fn take(cube: &CubeAnswer) -> TakeBody {
    let action = match (cube.take, cube.beaver) {
        (true, true) => "beaver",
        (true, false) => "take",
        (false, _) => "drop",
    };
    let take_equity = Finite(-cube.double_take.equity);
    let drop_equity = Finite(-cube.double_pass.equity);
    TakeBody {
        action,
        take_equity,
        drop_equity,
        candidates: vec![CubeCandidateBody {
            action,
            take_point: None,
            drop_point: None,
            evaluation: EvaluationBody::new(&cube.chances.inverted(), Some(take_equity.0)),
            cubeful_equity: None,
            take_equity: Some(take_equity),
            drop_equity: Some(drop_equity),
        }],
    }
}

/// Returns the steps of a play with what they hit (NEP-30).
fn steps(position: &Position, play: &Play, player: Colour) -> Vec<StepBody> {
    let mut theirs = position.opponent().counts();
    let steps = play.steps().iter().map(|step| {
        // Their index of the point that is reached.
        let met = 23_usize
            .checked_sub(usize::from(step.to))
            .and_then(|at| theirs.get_mut(at));
        let is_hit = met.is_some_and(|count| std::mem::take(count) > 0);
        let (from, from_container) = match step.enters() {
            true => (0, "bar"),
            false => (step.from + 1, "point"),
        };
        let (to, to_container) = match step.bears_off() {
            true => (0, "off"),
            false => (step.to + 1, "point"),
        };
        StepBody {
            from,
            to,
            move_kind: match (from, to) {
                (0, _) => "reenter",
                (_, 0) => "bear-off",
                _ => "point-to-point",
            },
            is_hit,
            player: player.name(),
            from_container,
            to_container,
        }
    });
    steps.collect()
}

/// A number that is finite.
#[derive(Clone, Copy, Debug)]
struct Finite(f64);

impl Serialize for Finite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f64((self.0 * 1e6).round() / 1e6 + 0.0),
            false => Err(serde::ser::Error::custom("not finite")),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StepBody {
    from: u8,
    to: u8,
    move_kind: &'static str,
    is_hit: bool,
    player: &'static str,
    from_container: &'static str,
    to_container: &'static str,
}

#[derive(Serialize)]
struct MoveBody {
    moves: Vec<StepBody>,
    equity: Finite,
    candidates: Vec<CandidateBody>,
}

#[derive(Serialize)]
struct CandidateBody {
    moves: Vec<StepBody>,
    evaluation: EvaluationBody,
    equity: Finite,
    rank: usize,
    difference: Finite,
    position: String,
    plies: u8,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EvaluationBody {
    win: Finite,
    win_gammon: Finite,
    win_backgammon: Finite,
    lose_gammon: Finite,
    lose_backgammon: Finite,
    equity: Finite,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful_equity: Option<Finite>,
}

impl EvaluationBody {
    /// Creates chances that keep their order when they are rounded (NEP-32).
    fn new(chances: &Chances, cubeful: Option<f64>) -> EvaluationBody {
        let rounded = |chance: f32, max: f64| {
            let chance = (f64::from(chance) * 1e6).round() / 1e6;
            Finite(chance.min(max).max(0.0))
        };
        let win = rounded(chances.win, 1.0);
        let win_gammon = rounded(chances.win_gammon, win.0);
        let lose_gammon = rounded(chances.lose_gammon, 1.0 - win.0);
        EvaluationBody {
            win,
            win_gammon,
            win_backgammon: rounded(chances.win_backgammon, win_gammon.0),
            lose_gammon,
            lose_backgammon: rounded(chances.lose_backgammon, lose_gammon.0),
            equity: Finite(f64::from(chances.equity())),
            cubeful_equity: cubeful.map(Finite),
        }
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct DoubleBody {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    take_point: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_point: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equity: Option<Finite>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<CubeCandidateBody>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CubeCandidateBody {
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    take_point: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_point: Option<Finite>,
    evaluation: EvaluationBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful_equity: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    take_equity: Option<Finite>,
    #[serde(skip_serializing_if = "Option::is_none")]
    drop_equity: Option<Finite>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TakeBody {
    action: &'static str,
    take_equity: Finite,
    drop_equity: Finite,
    candidates: Vec<CubeCandidateBody>,
}

#[derive(Serialize)]
struct ResignBody {
    action: &'static str,
    equity: Finite,
}
