//! bgweb-api: `POST /api/v1/getmoves`, and additions for its users (BW-01 to BW-51).

use super::{Members, WebError, WebRequest, mismatch, write};
use crate::ErrorCode;
use crate::TaskAnswer;
use crate::dialect::{About, Inquiry, Reply};
use crate::json::Json;
use crate::request_error::RequestError;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, Equities, EvalQuery, Evaluation, Level, PlayQuery,
    Question, RankedPlay, RankedPlays, Settings,
};
use gammond_game::notation::{PositionId, parse_position, play_text};
use gammond_game::{
    BAR, Chances, Cube, CubeOwner, MatchState, OFF, POINTS, Play, Position, Roll, Rules, Score,
    Step, legal_plays,
};
use serde::{Serialize, Serializer};

/// Deepest look-ahead of a request.
const PLIES_MAX: u32 = 3;
/// Largest value of `max-moves`: more than any roll has.
const MOVES_MAX: u32 = u32::MAX;

/// Takes a body of `getmoves`; `plies` is the look-ahead of a request that names none.
///
/// # Errors
/// The fault in the body.
pub fn getmoves(body: Json, plies: u8) -> Result<WebRequest, WebError> {
    let mut request = Request::read(body, plies)?;
    let Some(roll) = request.roll else {
        let message = "dice are missing, expected two such as [3,1]";
        return Err(WebError::new(ErrorCode::BadRoll, "dice", message));
    };
    let max = request.members.number("max-moves", MOVES_MAX)?;
    let top = max.map(|max| usize::try_from(max).unwrap_or(usize::MAX));
    if !request.members.flag("score-moves", true)? || top == Some(0) {
        return request.plays_alone(roll, top.unwrap_or(usize::MAX));
    }
    request.settings.top = top;
    let query = PlayQuery::new(request.position, roll, request.state);
    Ok(request.ask(Question::Plays(query)))
}

/// Takes a body of `getcube`: the same without dice.
///
/// # Errors
/// The fault in the body.
pub fn getcube(body: Json, plies: u8) -> Result<WebRequest, WebError> {
    let mut request = Request::read(body, plies)?;
    request.settings.cubeful = true;
    let query = CubeQuery::new(request.position, request.state);
    Ok(request.ask(Question::Cube(query)))
}

/// Takes a body of `evaluate`: the same without dice.
///
/// # Errors
/// The fault in the body.
pub fn evaluate(body: Json, plies: u8) -> Result<WebRequest, WebError> {
    let request = Request::read(body, plies)?;
    let query = EvalQuery::new(request.position, request.state);
    Ok(request.ask(Question::Value(query)))
}

/// The common part of all bodies.
#[derive(Debug)]
struct Request {
    members: Members,
    position: Position,
    state: MatchState,
    roll: Option<Roll>,
    settings: Settings,
    extra: bool,
}

impl Request {
    fn read(body: Json, plies: u8) -> Result<Request, WebError> {
        let mut members = Members::of_body(body)?;
        let roll = members.dice()?;
        let player = match members.text("player")?.as_deref() {
            None => None,
            Some("x") => Some(['x', 'o']),
            Some("o") => Some(['o', 'x']),
            Some(other) => {
                let message = format!("player is {other:.64?}, expected \"x\" or \"o\"");
                return Err(WebError::new(ErrorCode::BadRequest, "player", message));
            }
        };
        let board = members.take("board");
        let text = members.text("position")?;
        let mut state = MatchState::money(Rules {
            jacoby: true,
            beavers: true,
        });
        let mut rolled = None;
        let position = match (board, text) {
            (None, None) => {
                let message =
                    "board is missing, expected one such as {\"x\":{\"6\":5},\"o\":{\"6\":5}}";
                return Err(WebError::new(ErrorCode::MissingPosition, "board", message));
            }
            (Some(board), None) => self::board(board, player)?,
            (board, Some(text)) => {
                let parsed = parse_position(text.as_bytes()).map_err(|error| {
                    WebError::new(ErrorCode::from(&error), "position", error.to_string())
                })?;
                if let Some(board) = board
                    && self::board(board, player)? != parsed.position
                {
                    let message = "board is not the board of position: send one of both";
                    return Err(WebError::new(ErrorCode::BadRequest, "board", message));
                }
                (state, rolled) = (parsed.state.unwrap_or(state), parsed.roll);
                parsed.position
            }
        };
        let me = player.map_or('x', |[me, _]| me);
        state = self::state(&mut members, state, me)?;
        let plies = match members.number("plies", PLIES_MAX)? {
            Some(plies) => u8::try_from(plies).unwrap_or_default(),
            None => plies,
        };
        let mut settings = Settings::plies(plies);
        settings.cubeful = members.flag("cubeful", false)?;
        if let Some(name) = members.text("level")? {
            let level = Level::named(&name);
            settings.level = Some(level.ok_or_else(|| {
                let names = Level::names();
                let message = format!("level is {name:.64?}, expected {names}");
                WebError::new(ErrorCode::BadSetting, "level", message)
            })?);
        }
        let extra = members.flag("extra", false)?;
        Ok(Request {
            members,
            position,
            state,
            roll: roll.or(rolled),
            settings,
            extra,
        })
    }

    fn ask(self, question: Question) -> WebRequest {
        let answer = Answer {
            cubeful: self.settings.cubeful,
            extra: self.extra,
        };
        WebRequest::Question(Box::new(Inquiry::new(question, self.settings, answer)))
    }

    /// Returns the legal plays without values (BW-24): no question.
    fn plays_alone(&self, roll: Roll, top: usize) -> Result<WebRequest, WebError> {
        if self.position.is_over() {
            return Err(WebError::new(
                ErrorCode::GameOver,
                "board",
                "board: the game is over",
            ));
        }
        let plays = legal_plays(&self.position, roll);
        let moves: Vec<Move> = plays
            .iter()
            .take(top)
            .map(|play| Move::new(None, &self.position, &play.play, self.extra, &play.after))
            .collect();
        // Nothing in it can fail to be written.
        Ok(WebRequest::Answer(
            serde_json::to_string(&moves).unwrap_or_default(),
        ))
    }
}

/// Parses `board`: the men of each side by its own numbers (BW-10).
fn board(board: Json, player: Option<[char; 2]>) -> Result<Position, WebError> {
    let Some(sides) = player else {
        let message = "player is missing, expected \"x\" or \"o\"";
        return Err(WebError::new(ErrorCode::BadRequest, "player", message));
    };
    let mut members = Members::of_member("board", board)?;
    let mut counts = [[0_u8; POINTS]; 2];
    for (side, counts) in sides.into_iter().zip(&mut counts) {
        let name = members.name(&side.to_string());
        let Some(men) = members.take(&side.to_string()) else {
            let message =
                format!("{name} is missing, expected the men of {side} such as {{\"6\":5}}");
            return Err(WebError::new(ErrorCode::MissingPosition, name, message));
        };
        let mut men = Members::of_member(&name, men)?;
        for (index, count) in counts.iter_mut().enumerate() {
            let point = if index == BAR {
                "bar".to_owned()
            } else {
                (index + 1).to_string()
            };
            if let Some(number) = men.number(&point, 255).map_err(position_fault)? {
                *count = u8::try_from(number).unwrap_or(u8::MAX);
            }
        }
        let total: u32 = counts.iter().copied().map(u32::from).sum();
        if total > 15 {
            let message = format!(
                "{name} has {total} men in play, expected at most 15: those borne off are not sent"
            );
            return Err(WebError::new(ErrorCode::BadPosition, name, message));
        }
    }
    let [me, opponent] = counts;
    Position::new(&me, &opponent).map_err(|error| WebError::of_position("board", &error))
}

fn position_fault(fault: WebError) -> WebError {
    WebError {
        code: ErrorCode::BadPosition,
        ..fault
    }
}

/// Parses `match`, `cube`, `jacoby`, `beavers`: additions of ours.
fn state(members: &mut Members, mut state: MatchState, me: char) -> Result<MatchState, WebError> {
    state.rules.jacoby = members.flag("jacoby", state.rules.jacoby)?;
    state.rules.beavers = members.flag("beavers", state.rules.beavers)?;
    if let Some(score) = members.take("match") {
        let mut score = Members::of_member("match", score)?;
        let mut points = [0; 3];
        for (point, name) in points.iter_mut().zip(["length", "x", "o"]) {
            *point = score.number(name, 255)?.unwrap_or_default();
        }
        let crawford = score.flag("crawford", false)?;
        let [length, x, o] = points;
        let (mine, theirs) = if me == 'x' { (x, o) } else { (o, x) };
        state.score = Score::new(length, mine, theirs, crawford)
            .map_err(|error| WebError::of_state("match", &error))?;
    }
    if let Some(cube) = members.take("cube") {
        let mut cube = Members::of_member("cube", cube)?;
        let value = cube.number("value", 1 << 15)?.unwrap_or(1);
        let owner = match cube.text("owner")?.as_deref() {
            None => CubeOwner::Centred,
            Some("x") if me == 'x' => CubeOwner::Me,
            Some("o") if me == 'o' => CubeOwner::Me,
            Some("x" | "o") => CubeOwner::Opponent,
            Some(other) => {
                let message = format!("cube.owner is {other:.64?}, expected \"x\", \"o\" or null");
                return Err(WebError::new(ErrorCode::BadCube, "cube.owner", message));
            }
        };
        state.cube = Cube::new(value, owner)
            .map_err(|error| WebError::new(ErrorCode::BadCube, "cube", format!("cube: {error}")))?;
    }
    Ok(state)
}

/// Format of an answer.
#[derive(Debug)]
struct Answer {
    cubeful: bool,
    extra: bool,
}

impl Reply for Answer {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        match found {
            Ok(TaskAnswer::Engine(EngineAnswer::Plays(plays))) => write(Ok(self.plays(plays)), out),
            Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube))) => write(Ok(self.cube(cube)), out),
            Ok(TaskAnswer::Engine(EngineAnswer::Value(value))) => write(Ok(self.value(value)), out),
            Ok(_) => write::<()>(Err(&mismatch()), out),
            Err(error) => write::<()>(Err(error), out),
        }
    }
}

impl Answer {
    fn plays(&self, plays: &RankedPlays) -> Vec<Move> {
        let Some(best) = plays.plays.first().filter(|best| !best.play.is_pass()) else {
            return Vec::new();
        };
        let ranked_move = |play: &RankedPlay| {
            let diff = (play.value.equity - best.value.equity).min(0.0);
            let values = (play.value, Some(diff));
            let evaluation = self.evaluation(values, &play.chances, play.plies);
            let from = &plays.position;
            Move::new(
                Some(evaluation),
                from,
                &play.play,
                self.extra,
                &play.position,
            )
        };
        plays.plays.iter().map(ranked_move).collect()
    }

    fn cube(&self, cube: &CubeAnswer) -> CubeBody {
        CubeBody {
            double: cube.double,
            double_pass: Rounded(cube.double_pass.equity),
            double_take: Rounded(cube.double_take.equity),
            evaluation: self.evaluation((cube.no_double, None), &cube.chances, cube.plies),
            no_double: Rounded(cube.no_double.equity),
            take: cube.take,
            verdict: cube.verdict.text(),
        }
    }

    fn value(&self, value: &Evaluation) -> EvaluationBody {
        let equities = match value.cubeful {
            Some(cubeful) if self.cubeful => cubeful,
            _ => value.cubeless,
        };
        self.evaluation((equities, None), &value.chances, value.plies)
    }

    fn evaluation(
        &self,
        (value, diff): (Equities, Option<f64>),
        chances: &Chances,
        plies: u8,
    ) -> EvaluationBody {
        let number = |chance: f32| Rounded(f64::from(chance));
        EvaluationBody {
            diff: diff.map(Rounded),
            eq: Rounded(value.equity),
            info: Info {
                cubeful: self.cubeful,
                plies: plies + 1,
            },
            mwc: value.mwc.map(Rounded),
            probability: Probability {
                lose: Rounded(1.0 - f64::from(chances.win)),
                lose_backgammon: number(chances.lose_backgammon),
                lose_gammon: number(chances.lose_gammon),
                win: number(chances.win),
                win_backgammon: number(chances.win_backgammon),
                win_gammon: number(chances.win_gammon),
            },
        }
    }
}

/// Three decimals, half away from zero, without trailing zeros (BW-20).
#[derive(Clone, Copy, Debug)]
struct Rounded(f64);

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rounded = (self.0 * 1000.0).round() / 1000.0;
        if !rounded.is_finite() {
            return Err(serde::ser::Error::custom("not finite"));
        }
        if rounded.fract() == 0.0 && rounded.abs() < 1e9 {
            #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
            return serializer.serialize_i64(rounded as i64);
        }
        serializer.serialize_f64(rounded)
    }
}

// Members in alphabetical order, as the original writes them (BW-21).

#[derive(Serialize)]
struct Move {
    #[serde(skip_serializing_if = "Option::is_none")]
    evaluation: Option<EvaluationBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<String>,
    play: Vec<StepBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<String>,
}

impl Move {
    fn new(
        evaluation: Option<EvaluationBody>,
        from: &Position,
        play: &Play,
        extra: bool,
        after: &Position,
    ) -> Move {
        Move {
            evaluation,
            notation: extra.then(|| play_text(from, play)),
            play: play.steps().iter().copied().map(StepBody::from).collect(),
            position: extra.then(|| PositionId::from(*after).to_string()),
        }
    }
}

#[derive(Serialize)]
struct StepBody {
    from: &'static str,
    to: &'static str,
}

impl From<Step> for StepBody {
    fn from(step: Step) -> Self {
        StepBody {
            from: place(step.from),
            to: place(step.to),
        }
    }
}

/// Returns the name of a place that a man leaves or reaches.
fn place(index: u8) -> &'static str {
    const NAMES: [&str; OFF + 1] = [
        "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
        "17", "18", "19", "20", "21", "22", "23", "24", "bar", "off",
    ];
    NAMES.get(usize::from(index)).copied().unwrap_or_default()
}

#[derive(Serialize)]
struct EvaluationBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<Rounded>,
    eq: Rounded,
    info: Info,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Rounded>,
    probability: Probability,
}

#[derive(Serialize)]
struct Info {
    cubeful: bool,
    plies: u8,
}

#[derive(Serialize)]
struct Probability {
    lose: Rounded,
    #[serde(rename = "loseBG")]
    lose_backgammon: Rounded,
    #[serde(rename = "loseG")]
    lose_gammon: Rounded,
    win: Rounded,
    #[serde(rename = "winBG")]
    win_backgammon: Rounded,
    #[serde(rename = "winG")]
    win_gammon: Rounded,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CubeBody {
    double: bool,
    double_pass: Rounded,
    double_take: Rounded,
    evaluation: EvaluationBody,
    no_double: Rounded,
    take: bool,
    verdict: &'static str,
}
