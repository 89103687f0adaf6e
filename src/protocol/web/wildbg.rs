//! wildbg: `GET /move` and `GET /eval`, with today's members of `cube` (WB-01 to WB-12).

use super::{WebError, WebRequest, mismatch, write};
use crate::ErrorCode;
use crate::TaskAnswer;
use crate::dialect::{About, Inquiry, Reply};
use crate::request_error::RequestError;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, Level, PlayQuery, Question, RankedPlays, Settings, Verdict,
};
use gammond_game::{
    Chances, Cube, CubeOwner, MatchState, POINTS, Play, Position, PositionError, Roll, Rules,
    Score, Step, legal_plays,
};
use serde::Serialize;
use std::cmp::Reverse;
use std::str::FromStr;

/// The code of a query that cannot be read: the original answers it as plain text.
pub const BAD_QUERY: ErrorCode = ErrorCode::BadRequest;
/// The code of a query whose values cannot be: the original answers it as JSON.
pub(crate) const BAD_VALUE: ErrorCode = ErrorCode::BadSetting;
/// Longest match, in points away.
const AWAY_MAX: u8 = Score::LENGTH_MAX;

/// Takes the parameters of `/move`.
///
/// # Errors
/// `BAD_QUERY` and `BAD_VALUE`, with the original's messages.
pub fn best_move(
    pairs: impl IntoIterator<Item = (String, String)>,
) -> Result<WebRequest, WebError> {
    let query = Query::read(pairs, true)?;
    let position = query.position()?;
    let roll = match [query.dice.first, query.dice.second] {
        [Some(first @ 1..=6), Some(second @ 1..=6)] => Roll::of(first, second),
        _ => return Err(value("Dice values must be between 1 and 6.")),
    };
    let state = query.state()?;
    let Some(position) = position.filter(|position| !position.is_over()) else {
        let answer = over_moves(position.as_ref(), roll);
        return Ok(WebRequest::Answer(
            serde_json::to_string(&answer).unwrap_or_default(),
        ));
    };
    let mut settings = query.settings()?;
    settings.cubeful = false;
    let question = Question::Plays(PlayQuery::new(position, roll, state));
    Ok(WebRequest::Question(Box::new(Inquiry::new(
        question, settings, Answer,
    ))))
}

/// Takes the parameters of `/eval`.
///
/// # Errors
/// `BAD_QUERY` and `BAD_VALUE`, with the original's messages.
pub fn eval(pairs: impl IntoIterator<Item = (String, String)>) -> Result<WebRequest, WebError> {
    let query = Query::read(pairs, false)?;
    let position = query.position()?;
    let state = query.state()?;
    let Some(position) = position.filter(|position| !position.is_over()) else {
        let answer = over_eval(position.as_ref());
        return Ok(WebRequest::Answer(
            serde_json::to_string(&answer).unwrap_or_default(),
        ));
    };
    let mut settings = query.settings()?;
    settings.cubeful = true;
    let question = Question::Cube(CubeQuery::new(position, state));
    Ok(WebRequest::Question(Box::new(Inquiry::new(
        question, settings, Answer,
    ))))
}

fn value(message: impl Into<String>) -> WebError {
    WebError::new(BAD_VALUE, "", message)
}

/// The known parameters.
#[derive(Debug, Default)]
struct Query {
    points: [Option<i8>; 26],
    dice: Dice,
    x_away: Option<u32>,
    o_away: Option<u32>,
    cube_position: Option<String>,
    cube_value: Option<u32>,
    crawford: Option<bool>,
    plies: Option<u8>,
    level: Option<String>,
    time_ms: Option<u64>,
}

#[derive(Debug, Default)]
struct Dice {
    first: Option<u8>,
    second: Option<u8>,
}

/// Reads a parameter into its place.
fn read<T: FromStr>(place: &mut Option<T>, name: &str, text: &str) -> Result<(), WebError>
where
    T::Err: std::fmt::Display,
{
    let fault = |message: String| WebError::new(BAD_QUERY, name, message);
    if place.is_some() {
        return Err(fault(format!("duplicate field `{name}`")));
    }
    let value = text
        .parse()
        .map_err(|error| fault(format!("{name}: {error}")))?;
    *place = Some(value);
    Ok(())
}

impl Query {
    fn read(
        pairs: impl IntoIterator<Item = (String, String)>,
        moves: bool,
    ) -> Result<Query, WebError> {
        let mut query = Query::default();
        for (name, text) in pairs {
            let name = name.as_str();
            match name {
                "die1" if moves => read(&mut query.dice.first, name, &text)?,
                "die2" if moves => read(&mut query.dice.second, name, &text)?,
                "x_away" => read(&mut query.x_away, name, &text)?,
                "o_away" => read(&mut query.o_away, name, &text)?,
                "cube_position" => read(&mut query.cube_position, name, &text)?,
                "cube_value" => read(&mut query.cube_value, name, &text)?,
                "crawford" => read(&mut query.crawford, name, &text)?,
                "plies" => read(&mut query.plies, name, &text)?,
                "level" => read(&mut query.level, name, &text)?,
                "time_ms" => read(&mut query.time_ms, name, &text)?,
                _ => {
                    let index = name.strip_prefix('p').filter(|number| {
                        // `p04` is another name.
                        !number.starts_with('0') || *number == "0"
                    });
                    let index = index.and_then(|number| number.parse::<usize>().ok());
                    if let Some(place) = index.and_then(|index| query.points.get_mut(index)) {
                        read(place, name, &text)?;
                    }
                }
            }
        }
        for (name, die) in [("die1", query.dice.first), ("die2", query.dice.second)] {
            if moves && die.is_none() {
                return Err(WebError::new(
                    BAD_QUERY,
                    name,
                    format!("missing field `{name}`"),
                ));
            }
        }
        Ok(query)
    }

    /// Returns the position; `None` if neither side has a checker left.
    fn position(&self) -> Result<Option<Position>, WebError> {
        position(self.points.map(Option::unwrap_or_default))
    }

    fn state(&self) -> Result<MatchState, WebError> {
        let away = (self.x_away.unwrap_or(0), self.o_away.unwrap_or(0));
        let mut state = state(away, self.crawford.unwrap_or(false))?;
        let owner = match self.cube_position.as_deref() {
            None | Some("centered") => CubeOwner::Centred,
            Some("owned") => CubeOwner::Me,
            Some("opponent") => CubeOwner::Opponent,
            Some(_) => {
                let message = "cube_position must be one of: centered, owned, opponent";
                return Err(value(message));
            }
        };
        state.cube = Cube::new(self.cube_value.unwrap_or(1), owner)
            .map_err(|error| value(format!("cube_value: {error}.")))?;
        Ok(state)
    }

    fn settings(&self) -> Result<Settings, WebError> {
        let mut settings = Settings::plies(self.plies.unwrap_or(0));
        if settings.plies > Settings::PLIES_MAX {
            return Err(value(format!(
                "plies must be at most {}.",
                Settings::PLIES_MAX
            )));
        }
        if let Some(name) = &self.level {
            let level = Level::named(name);
            let wrong = || value(format!("level must be {}.", Level::names()));
            settings.level = Some(level.ok_or_else(wrong)?);
        }
        settings.time_ms = self.time_ms;
        if self
            .time_ms
            .is_some_and(|time| !(1..=Settings::TIME_MS_MAX).contains(&time))
        {
            let message = format!("time_ms must be between 1 and {}.", Settings::TIME_MS_MAX);
            return Err(value(message));
        }
        Ok(settings)
    }
}

/// Returns the position of these places, seen by x; `None` if both sides have borne off all.
///
/// # Errors
/// The original's messages.
pub fn position(points: [i8; 26]) -> Result<Option<Position>, WebError> {
    let mut totals = [0_u32; 2];
    for count in points {
        if let Some(total) = totals.get_mut(usize::from(count < 0)) {
            *total += u32::from(count.unsigned_abs());
        }
    }
    let ([x, o], [theirs_on_bar, .., mine_on_bar]) = (totals, points);
    let refused = if x > 15 {
        "Player x has more than 15 checkers on the board."
    } else if o > 15 {
        "Player o has more than 15 checkers on the board."
    } else if mine_on_bar < 0 {
        "Index 25 is the bar for player x, number of checkers needs to be positive."
    } else if theirs_on_bar > 0 {
        "Index 0 is the bar for player o, number of checkers needs to be negative."
    } else {
        return match Position::from_places(&points) {
            Ok(position) => Ok(Some(position)),
            Err(PositionError::BothOff) => Ok(None),
            Err(error) => Err(value(format!("{error}."))),
        };
    };
    Err(value(refused))
}

/// Returns the state of a game with a centred cube at this score, in points away of x and o; 0 and 0 for money, without
/// Jacoby's rule and beavers.
///
/// # Errors
/// The original's messages.
pub fn state((x, o): (u32, u32), crawford: bool) -> Result<MatchState, WebError> {
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let mut state = MatchState::money(rules);
    let is_near = |away: u32| away <= AWAY_MAX.into();
    state.score = match (x, o) {
        (0, 0) => Score::MONEY,
        (0, _) => return Err(value("If x_away is 0, then o_away must also be 0.")),
        (_, 0) => return Err(value("If o_away is 0, then x_away must also be 0.")),
        _ if is_near(x) && is_near(o) => {
            let length = x.max(o);
            let score = Score::new(length, length - x, length - o, crawford);
            score.map_err(|error| value(format!("{error}.")))?
        }
        _ => {
            let message = format!("x_away and o_away must be at most {AWAY_MAX}.");
            return Err(value(message));
        }
    };
    Ok(state)
}

/// Format of an answer: its kind depends on the result.
#[derive(Debug)]
struct Answer;

impl Reply for Answer {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        match found {
            Ok(TaskAnswer::Engine(EngineAnswer::Plays(plays))) => write(Ok(moves(plays)), out),
            Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube))) => {
                write(Ok(eval_body(&cube.chances, cube_advice(cube))), out)
            }
            Ok(_) => write::<()>(Err(&mismatch()), out),
            Err(error) => write::<()>(Err(error), out),
        }
    }
}

fn moves(plays: &RankedPlays) -> MovesBody {
    let move_body = |play: &gammond_engine::query::RankedPlay| {
        MoveBody::new(&plays.position, &play.play, plays.roll, &play.chances)
    };
    MovesBody {
        moves: plays.plays.iter().map(move_body).collect(),
    }
}

/// A cube decision as wildbg has it, for x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeAdvice {
    /// True if x should double.
    pub double: bool,
    /// True if o should take.
    pub accept: bool,
    /// Equity without a cube.
    pub cubeless: f32,
    /// Equity of no double, in a match its winning chance.
    pub no_double: f32,
    /// Equity of a double that is taken, in units of the cube before it; in a match its winning chance.
    pub double_take: f32,
}

/// Returns the values and the two flags that follow from them (WB-04), in a match from its winning chances.
#[must_use]
pub fn cube_advice(cube: &CubeAnswer) -> CubeAdvice {
    let value =
        |equities: &gammond_engine::query::Equities| equities.mwc.unwrap_or(equities.equity);
    let [none, take, pass] = [&cube.no_double, &cube.double_take, &cube.double_pass].map(value);
    let available = cube.verdict != Verdict::NotAvailable;
    // In the Crawford game there is no double, whatever the values of one would be.
    let is_dead = [Verdict::DeadCubeDouble, Verdict::DeadCubeRedouble].contains(&cube.verdict);
    CubeAdvice {
        double: available && !is_dead && take.min(pass) > none,
        accept: available && take < pass,
        cubeless: cube.chances.equity(),
        no_double: single(none),
        double_take: single(take),
    }
}

fn eval_body(chances: &Chances, advice: CubeAdvice) -> EvalBody {
    EvalBody {
        cube: CubeBody {
            double: advice.double,
            accept: advice.accept,
            equity_cubeless: Single(advice.cubeless),
            equity_no_double: Single(advice.no_double),
            equity_double_take: Single(advice.double_take),
        },
        probabilities: Probabilities::from(chances),
    }
}

/// Returns a number in single precision, as the original writes all.
#[expect(clippy::cast_possible_truncation, reason = "fewer digits are wanted")]
fn single(number: f64) -> f32 {
    number as f32
}

/// Answers `/move` for a game that is over (WB-08).
fn over_moves(position: Option<&Position>, roll: Roll) -> MovesBody {
    let win = position.is_some_and(|position| position.me().on_board() == 0);
    let chances = certain(win);
    let mut moves = Vec::new();
    if let Some(position) = position.filter(|_| !win) {
        let plays = legal_plays(position, roll);
        moves.extend(
            plays
                .iter()
                .map(|play| MoveBody::new(position, &play.play, roll, &chances)),
        );
    }
    if moves.is_empty() {
        moves.push(MoveBody {
            play: Vec::new(),
            probabilities: Probabilities::from(&chances),
        });
    }
    MovesBody { moves }
}

/// Returns the chances of a game that is over.
fn certain(win: bool) -> Chances {
    Chances {
        win: f32::from(u8::from(win)),
        ..Chances::default()
    }
}

/// Returns the chances and the cube of a game that is over: won, unless only the other side is off (WB-08).
#[must_use]
pub fn over(position: Option<&Position>) -> (Chances, CubeAdvice) {
    let win = position.is_none_or(|position| position.me().on_board() == 0);
    let equity = if win { 1.0 } else { -1.0 };
    let advice = CubeAdvice {
        double: false,
        accept: !win,
        cubeless: equity,
        no_double: equity,
        double_take: 2.0 * equity,
    };
    (certain(win), advice)
}

/// Answers `/eval` for a game that is over.
fn over_eval(position: Option<&Position>) -> EvalBody {
    let (chances, advice) = over(position);
    eval_body(&chances, advice)
}

/// A number that is finite.
#[derive(Clone, Copy, Debug)]
struct Single(f32);

impl Serialize for Single {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_finite() {
            true => serializer.serialize_f32(self.0),
            false => Err(serde::ser::Error::custom("not finite")),
        }
    }
}

#[derive(Serialize)]
struct MovesBody {
    moves: Vec<MoveBody>,
}

#[derive(Serialize)]
struct MoveBody {
    play: Vec<StepBody>,
    probabilities: Probabilities,
}

impl MoveBody {
    fn new(position: &Position, play: &Play, roll: Roll, chances: &Chances) -> MoveBody {
        let steps = steps(position, play, roll).into_iter();
        MoveBody {
            play: steps.map(|(from, to)| StepBody { from, to }).collect(),
            probabilities: Probabilities::from(chances),
        }
    }
}

/// Returns the steps of a play in the original's order, from and to a point: 25 is the bar, 0 is off.
#[must_use]
pub fn steps(position: &Position, play: &Play, roll: Roll) -> Vec<(u8, u8)> {
    let steps = ordered(position, play.steps(), roll).into_iter();
    steps.map(|step| (step.from + 1, to_point(step))).collect()
}

/// Returns the point that a step reaches; 0 is off.
fn to_point(step: Step) -> u8 {
    if step.bears_off() { 0 } else { step.to + 1 }
}

/// Returns the steps in the original's order: men from high to low, and one man the smaller die first where that gives
/// the same position.
fn ordered(position: &Position, steps: &[Step], roll: Roll) -> Vec<Step> {
    if let [first, second] = *steps
        && second.from == first.to
        && !roll.is_double()
    {
        let their_men = |index: u8| {
            let index = 23_usize.checked_sub(usize::from(index));
            index.map_or(0, |index| position.opponent().count(index))
        };
        let is_high = first.from - first.to == roll.high();
        if let Some(way) = first.from.checked_sub(roll.low()).filter(|_| is_high)
            && their_men(way) == 0
            && their_men(first.to) == 0
            && bears_off_from(position, first.from, way, second, roll.high())
        {
            let to = way;
            return vec![
                Step { to, ..first },
                Step {
                    from: way,
                    ..second
                },
            ];
        }
        return steps.to_vec();
    }
    let mut steps = steps.to_vec();
    steps.sort_by_key(|step| (Reverse(step.from), to_point(*step)));
    steps
}

/// Returns true if the second step may be made with this die from another place, if it bears off.
fn bears_off_from(position: &Position, man: u8, way: u8, second: Step, die: u8) -> bool {
    let above = (usize::from(way) + 1..POINTS).filter(|&index| {
        let men = position.me().count(index);
        men > u8::from(index == usize::from(man))
    });
    !second.bears_off() || way + 1 == die || (way < die && above.count() == 0)
}

#[derive(Serialize)]
struct StepBody {
    from: u8,
    to: u8,
}

#[derive(Serialize)]
struct EvalBody {
    cube: CubeBody,
    probabilities: Probabilities,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CubeBody {
    double: bool,
    accept: bool,
    equity_cubeless: Single,
    equity_no_double: Single,
    equity_double_take: Single,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Probabilities {
    win: Single,
    win_g: Single,
    win_bg: Single,
    lose_g: Single,
    lose_bg: Single,
}

impl From<&Chances> for Probabilities {
    fn from(chances: &Chances) -> Self {
        Probabilities {
            win: Single(chances.win),
            win_g: Single(chances.win_gammon),
            win_bg: Single(chances.win_backgammon),
            lose_g: Single(chances.lose_gammon),
            lose_bg: Single(chances.lose_backgammon),
        }
    }
}
