//! A request with a position to one query: its own cube, score and dice, the session's settings and the request's
//! settings together.
//!
//! Rules of `protocol-specs/request-protocol.md`.

use super::queue_place::QueuePlace;
use super::request::Request;
use super::request_line::{
    Fault, Head, blanks, fault, place_of, setting, settings, state_fault, word,
};
use crate::ErrorCode;
use gammond_engine::query::{
    CubeQuery, EvalQuery, Options, PlayQuery, RolloutQuery, RolloutSettings, RolloutSubject,
    RolloutTask,
};
use gammond_game::notation::{
    Form, ParsedPosition, parse_play, parse_position, parse_roll, split_position,
};
use gammond_game::{MatchState, MatchStateError, Play, Position, Roll, Score};

/// Action on a position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Answer(Verb),
    Rollout {
        /// True for `rollout cube`.
        cube: bool,
    },
    /// No verb: move if there is a roll, else eval.
    Bare,
}

impl Action {
    /// Returns true if the action is about a double.
    fn is_about_cube(self) -> bool {
        matches!(
            self,
            Action::Answer(Verb::Cube) | Action::Rollout { cube: true }
        )
    }
}

/// Action of a verb on a position, without a rollout.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Eval,
    Move,
    Cube,
    Show,
    Convert,
}

/// POSITION [ROLL] *( key "=" value )
pub(super) fn ask<'a>(
    action: Action,
    input: &'a [u8],
    session: &Options,
    head: &mut Head,
) -> Result<Request, Fault<'a>> {
    if input.is_empty() {
        return Err(fault(
            input,
            ErrorCode::MissingPosition,
            "position",
            "position is missing",
        ));
    }
    let (text, rest) = split_position(input);
    let parsed = parse_position(text).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    let (rest, _) = blanks(rest)?;
    let before_roll = rest;
    let (rest, roll) = roll(rest)?;
    let mut own = session.without_state();
    // A level gives a rollout its settings only where the request names it: that of a session is for other verbs.
    if matches!(action, Action::Rollout { .. }) {
        own.level = None;
    }
    // A question about the cube is one with a cube, unless it says that there is none.
    let cubeful = own.cubeful.unwrap_or(true) || action.is_about_cube();
    own.cubeful = Some(cubeful && !parsed.no_cube);
    let plays = match action {
        Action::Rollout { cube: false } => rollout_settings(rest, &mut own)?,
        _ => {
            settings(rest, &mut own)?;
            None
        }
    };
    head.style = own.answer.unwrap_or_default();
    head.place = QueuePlace::of(&own);
    head.warning = parsed.warning;
    match_goes_on(action, &parsed, &own)
        .map_err(|message| fault(input, ErrorCode::GameOver, "position", message))?;
    let state = state_of(&parsed, session, &own).map_err(|error| {
        match place_of(rest, &["cube", "owner", "score", "length", "crawford"]) {
            None => position_fault((input, text), parsed.form, error),
            Some(_) => state_fault(input, rest, error),
        }
    })?;
    let wanted = PositionRequest {
        input,
        settings: rest,
        stray_roll: roll.map(|_| before_roll),
        roll: roll.or(parsed.roll),
        parsed,
        state,
        own,
    };
    match (action, wanted.roll) {
        (Action::Rollout { cube }, _) => wanted.into_rollout(cube, plays),
        (Action::Answer(verb), _) => wanted.into_request(verb),
        (Action::Bare, Some(_)) => wanted.into_request(Verb::Move),
        (Action::Bare, None) => wanted.into_request(Verb::Eval),
    }
}

/// Returns the fault of a position whose own cube and score do not fit each other (ERR-04), at its cube. `text` is the
/// position that `input` begins with.
fn position_fault<'a>(
    (input, text): (&'a [u8], &[u8]),
    form: Form,
    error: MatchStateError,
) -> Fault<'a> {
    // The colon in front of the field with the cube, from 1.
    let (code, field, colon) = match form {
        Form::Xgid => (ErrorCode::BadXgid, "XGID cube", 1),
        Form::GnubgId => (ErrorCode::BadMatchId, "match ID cube", 1),
        Form::Ogid => (ErrorCode::BadOgid, "OGID cube", 2),
        Form::BoardLine => (ErrorCode::BadBoard, "board cube", 0),
        // The others carry no state.
        _ => (ErrorCode::BadPosition, "position", 0),
    };
    let fields = text.split_inclusive(|&byte| byte == b':').take(colon);
    let at = fields.map(<[u8]>::len).sum::<usize>();
    let rest = input.get(at..).unwrap_or_default();
    fault(
        rest,
        code,
        field,
        format!("{field} is not possible: {error}"),
    )
}

/// Checks that the match is not over: there is then no state to answer about, or to change, and only `convert` without
/// settings is answered.
///
/// # Errors
/// The message for people.
fn match_goes_on(action: Action, parsed: &ParsedPosition, wishes: &Options) -> Result<(), String> {
    let (Some([me, opponent]), Some(id)) = (parsed.final_score, parsed.match_id) else {
        return Ok(());
    };
    if action == Action::Answer(Verb::Convert) && !wishes.has_state() {
        return Ok(());
    }
    let length = id.length();
    Err(format!(
        "position is of a match that is over: {me}-{opponent}, seen by the player on roll, in a match to {length}; \
         only convert takes it, as it is"
    ))
}

/// plays = `plays="` play *( ";" play ) `"`. Returns the input after it and the plays; `None` if there is none here.
fn plays(input: &[u8]) -> Result<Option<(&[u8], &[u8])>, Fault<'_>> {
    const KEY: &[u8] = b"plays=";
    let Some((_, value)) =
        (input.split_at_checked(KEY.len())).filter(|(key, _)| key.eq_ignore_ascii_case(KEY))
    else {
        return Ok(None);
    };
    let quoted = value.strip_prefix(b"\"").and_then(|text| {
        let end = text.iter().position(|&byte| byte == b'"')?;
        text.split_at_checked(end)
    });
    let Some((found, after)) = quoted else {
        let message =
            "setting 'plays' is not in quotation marks, expected such as \"8/5 6/5; 13/9\"";
        return Err(fault(input, ErrorCode::BadSetting, "plays", message));
    };
    let (rest, _) = blanks(after.get(1..).unwrap_or_default())?;
    Ok(Some((rest, found)))
}

/// Returns the state in the form, else the session's, with the request's settings on top.
fn state_of(
    parsed: &ParsedPosition,
    session: &Options,
    wishes: &Options,
) -> Result<MatchState, MatchStateError> {
    let Some(mut state) = parsed.state else {
        return (wishes.clone().with_state_below(session)).state(MatchState::default());
    };
    // No Match ID carries beavers; no board line and no OGID carries Jacoby either.
    let open = matches!(parsed.form, Form::BoardLine | Form::Ogid);
    if (open || parsed.form == Form::GnubgId) && state.score.is_money() {
        state.rules.beavers = session.beavers.unwrap_or(state.rules.beavers);
    }
    if open && state.score.is_money() {
        state.rules.jacoby = session.jacoby.unwrap_or(state.rules.jacoby);
    }
    wishes.state(state)
}

/// All parts of a request with a position.
struct PositionRequest<'a> {
    /// The input at the position.
    input: &'a [u8],
    /// The input at the settings.
    settings: &'a [u8],
    parsed: ParsedPosition,
    roll: Option<Roll>,
    /// The input at a roll given beside the position, if there is one.
    stray_roll: Option<&'a [u8]>,
    state: MatchState,
    own: Options,
}

impl<'a> PositionRequest<'a> {
    /// Returns why there is no decision about the cube, if there is none. One that is dead may be asked about where a
    /// search answers.
    fn cube_fault(&self, of_rollout: bool) -> Option<Fault<'a>> {
        let score = match of_rollout {
            true => self.state.score,
            false => Score::MONEY,
        };
        let (keys, reason) = if self.own.search().cubeful {
            (
                ["owner", "cube"],
                MatchState {
                    score,
                    ..self.state
                }
                .double_refusal()?
                .reason(),
            )
        } else {
            (["cubeful", "cubeful"], "no cube is in use")
        };
        let here = place_of(self.settings, &keys).unwrap_or(self.input);
        let message = format!("{reason}, so there is no cube decision");
        Some(fault(here, ErrorCode::BadCube, "cube", message))
    }

    fn into_request(self, verb: Verb) -> Result<Request, Fault<'a>> {
        let (position, rest) = (self.parsed.position, self.settings);
        let decides = matches!(verb, Verb::Move | Verb::Cube);
        if decides && position.is_over() {
            let message = "position is not one to decide in: the game is over";
            return Err(fault(self.input, ErrorCode::GameOver, "position", message));
        }
        if let (Verb::Eval | Verb::Cube, Some(here)) = (verb, self.stray_roll) {
            let message = "roll has no place here: eval and cube are about the position before \
                           the dice, use move";
            return Err(fault(here, ErrorCode::BadRequest, "roll", message));
        }
        if verb == Verb::Cube
            && let Some(fault) = self.cube_fault(false)
        {
            return Err(fault);
        }
        let PositionRequest {
            mut parsed,
            roll,
            state,
            own,
            ..
        } = self;
        Ok(match verb {
            Verb::Move => {
                let roll = roll.ok_or_else(|| {
                    fault(rest, ErrorCode::MissingRoll, "roll", "roll is missing")
                })?;
                let query = PlayQuery {
                    position,
                    roll,
                    state,
                };
                Request::Move(query, own.search())
            }
            Verb::Cube => Request::Cube(CubeQuery { position, state }, own.search()),
            Verb::Eval => Request::Eval(EvalQuery { position, state }, own.search()),
            Verb::Show => {
                parsed.roll = roll;
                Request::Show(Box::new(parsed), state)
            }
            Verb::Convert => {
                parsed.roll = roll;
                Request::Convert(Box::new(parsed), state)
            }
        })
    }

    /// Returns a rollout of the position, of plays of the roll, or of a cube decision.
    fn into_rollout(self, cube: bool, plays: Option<&[u8]>) -> Result<Request, Fault<'a>> {
        let (position, state) = (self.parsed.position, self.state);
        let search = self.own.search();
        if position.is_over() {
            let message = "position is not one to roll out: the game is over";
            return Err(fault(self.input, ErrorCode::GameOver, "position", message));
        }
        if let (true, Some(here)) = (cube, self.stray_roll) {
            let message = "roll has no place here: the cube is decided before the dice";
            return Err(fault(here, ErrorCode::BadCombination, "roll", message));
        }
        if cube && let Some(fault) = self.cube_fault(true) {
            return Err(fault);
        }
        let bad = |code: ErrorCode, message: String| {
            let here = place_of(self.settings, &["plays"]).unwrap_or(self.input);
            fault(here, code, "plays", message)
        };
        let subject = match (cube, self.roll, plays) {
            (true, ..) => RolloutSubject::Cube,
            (_, None, Some(_)) => {
                let message = "setting 'plays' needs a roll".to_owned();
                return Err(bad(ErrorCode::BadCombination, message));
            }
            (_, None, None) => RolloutSubject::Position,
            (_, Some(roll), None) => {
                let most = RolloutSettings::CANDIDATES_MAX;
                let top = search.top.unwrap_or(BEST_PLAYS).min(most);
                RolloutSubject::Best(roll, top)
            }
            (_, Some(roll), Some(text)) => {
                let listed = listed_plays(&position, roll, text);
                RolloutSubject::Plays(listed.map_err(|error| bad(ErrorCode::BadPlay, error))?)
            }
        };
        let settings = self.own.rollout(&search);
        Ok(Request::Rollout(Box::new(RolloutTask {
            query: RolloutQuery {
                position,
                state,
                subject,
            },
            settings,
            roll: self.roll.filter(|_| !cube),
            progress: self.own.progress == Some(true),
        })))
    }
}

/// Default number of plays to roll out.
const BEST_PLAYS: usize = 5;

/// Reads plays with semicolons between, each once.
fn listed_plays(
    position: &Position,
    roll: Roll,
    text: &[u8],
) -> Result<Vec<(Play, Position)>, String> {
    let mut found: Vec<(Play, Position)> = Vec::new();
    for one in text.split(|&byte| byte == b';').map(<[u8]>::trim_ascii) {
        let shown = String::from_utf8_lossy(one);
        let play = parse_play(one, position, roll)
            .map_err(|error| format!("setting 'plays' has '{shown}': {error}"))?;
        if found.iter().all(|other| other.1 != play.after) {
            found.push((play.play, play.after));
        }
    }
    let most = RolloutSettings::CANDIDATES_MAX;
    if found.len() > most {
        return Err(format!(
            "setting 'plays' has {} plays, at most {most}",
            found.len()
        ));
    }
    Ok(found)
}

/// ROLL = two dice, together or with a blank, "-" or "," between; starts with a digit
fn roll(input: &[u8]) -> Result<(&[u8], Option<Roll>), Fault<'_>> {
    if !input.first().is_some_and(u8::is_ascii_digit) {
        return Ok((input, None));
    }
    let (rest, first) = word(input)?;
    let (rest, second) = match (first.len(), rest.first()) {
        (1, Some(byte)) if byte.is_ascii_digit() => word(rest)?,
        _ => (rest, &b""[..]),
    };
    let text = match second {
        b"" => first.to_vec(),
        _ => [first, b" ", second].concat(),
    };
    let roll = parse_roll(&text).map_err(|error| Fault {
        rest: input,
        error: error.into(),
    })?;
    Ok((rest, Some(roll)))
}

/// Applies the settings of a rollout of plays. Returns the value of the last `plays=`, without its quotation marks.
fn rollout_settings<'a>(
    input: &'a [u8],
    target: &mut Options,
) -> Result<Option<&'a [u8]>, Fault<'a>> {
    let (mut rest, mut listed) = (input, None);
    while !rest.is_empty() {
        rest = match plays(rest)? {
            Some((after, found)) => {
                listed = Some(found);
                after
            }
            None => setting(rest, target)?,
        };
    }
    Ok(listed)
}
