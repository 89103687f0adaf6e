//! The parts of a request with a position to one query: the position's own cube, score and dice, the session's settings and
//! the request's settings together.
//!
//! Rules of `protocol-specs/request-protocol.md`.

use super::parts::{Item, PartError, Parts, RequestPart};
use super::resolved::Resolved;
use super::{PositionFrom, PositionRequest, Verb, Work, convert, eval, moves, not_taken, reply};
use crate::ErrorCode;
use crate::queue_place::QueuePlace;
use crate::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, Options, Scope, Setting, Settings};
use gammond_game::notation::{Form, ParsedPosition, PositionId, parse_position, parse_roll};
use gammond_game::{MatchState, MatchStateError, Rules, Variant};
use std::borrow::Cow;

/// Settings of cube and score.
const OF_STATE: [&str; 5] = ["cube", "owner", "score", "crawford", "length"];

/// Options of the answer, which hold for an error too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct AnswerOptions {
    pub(crate) style: AnswerStyle,
    pub(crate) place: QueuePlace,
    pub(crate) warning: Option<&'static str>,
}

impl AnswerOptions {
    /// Returns the answer options of these settings.
    pub(crate) fn of(options: &Options) -> AnswerOptions {
        AnswerOptions {
            style: options.answer.unwrap_or_default(),
            place: QueuePlace::of(options),
            warning: None,
        }
    }
}

/// Reads a request; without a verb it is `move` if there are dice, else `eval`.
///
/// # Errors
/// [`PartError`]. The answer options read until then stay in `wishes`.
pub(crate) fn resolve(
    verb: Option<&'static Verb>,
    parts: &Parts<'_>,
    session: &Options,
    wishes: &mut AnswerOptions,
) -> Result<PositionRequest, PartError> {
    let refuse = |code: ErrorCode, message: &str| {
        PartError::new(RequestPart::Position, code, "position", message)
    };
    let in_part = |part: RequestPart| {
        move |error| PartError {
            part,
            error: RequestError::from(error),
        }
    };
    let from = verb.map(|verb| verb.takes.position).unwrap_or_default();
    if parts.position.is_empty() && from == PositionFrom::Text {
        return Err(refuse(ErrorCode::MissingPosition, "position is missing"));
    }
    let text = position_text(parts, from, session)?;
    let mut shown = parse_position(&text).map_err(in_part(RequestPart::Position))?;
    let roll = parts.roll.as_ref().map(|roll| parse_roll(roll));
    let roll = roll.transpose().map_err(in_part(RequestPart::Roll))?;
    let roll = roll.or(shown.roll);
    let bare: &Verb = match roll {
        Some(_) => &moves::VERB,
        None => &eval::VERB,
    };
    let (mut options, plays) = options(verb, parts, session, shown.no_cube)?;
    choice_of_people(verb.unwrap_or(bare), parts, &mut options)?;
    *wishes = AnswerOptions {
        warning: shown.warning,
        ..AnswerOptions::of(&options)
    };
    match_goes_on(verb, &shown, &options)
        .map_err(|message| refuse(ErrorCode::GameOver, &message))?;
    let state =
        state_of(&shown, session, &options).map_err(|error| match parts.first_of(&OF_STATE) {
            None => position_error(&parts.position, shown.form, error),
            Some(_) => state_error(parts, error),
        })?;
    state.variant.check(&shown.position).map_err(|error| {
        let message = format!("position has {error}");
        refuse(ErrorCode::BadPosition, &message)
    })?;
    let verb = verb.unwrap_or(bare);
    let money_rules = match shown.state {
        Some(own) if !own.score.is_money() => rules_of_money(session, &options),
        _ => state.rules,
    };
    let resolved = Resolved {
        parts,
        cube: parts.cube,
        position: shown.position,
        roll,
        state,
        money_rules,
        options,
        plays,
    };
    let (question, settings) = match &verb.work {
        Work::Write(_) => (None, Settings::default()),
        Work::Ask(asking) => {
            let (question, settings) = (asking.question)(&resolved)?;
            (Some(question), settings)
        }
    };
    shown.roll = roll;
    Ok(PositionRequest {
        verb,
        shown,
        state,
        question,
        settings,
    })
}

/// Returns the settings of a request, those of its session below them, and its plays.
fn options<'a>(
    verb: Option<&Verb>,
    parts: &'a Parts<'_>,
    session: &Options,
    no_cube: bool,
) -> Result<(Options, Option<&'a [u8]>), PartError> {
    let mut options = session.without_state();
    let is = |name: &str| verb.is_some_and(|verb| verb.name == name);
    // A level gives a rollout its settings only where the request names it: that of a session is for other verbs.
    if is("rollout") {
        options.level = None;
    }
    // A question about the cube is one with a cube, unless it has no cube.
    let cubeful = options.cubeful.unwrap_or(true) || parts.cube || is("cube");
    options.cubeful = Some(cubeful && !no_cube);
    let takes_plays = verb.is_some_and(|verb| verb.takes.plays) && !parts.cube;
    let mut plays = None;
    for (number, item) in parts.items.iter().enumerate() {
        let set = match item {
            Item::Plays(text) if takes_plays => {
                plays = Some(text.as_ref());
                continue;
            }
            Item::Plays(text) => options.set("plays", &String::from_utf8_lossy(text)),
            Item::Setting(name, value) => options.set(name, value),
            Item::Wrong(error) => {
                return Err(PartError {
                    part: RequestPart::Item(number),
                    error: error.clone(),
                });
            }
        };
        set.map_err(|error| PartError {
            part: RequestPart::Item(number),
            error: error.into(),
        })?;
    }
    Ok((options, plays))
}

/// Refuses the settings of people in a request that plays nothing, and drops those of its session. Other settings that a
/// request cannot use are ignored, as they have been since version 1.
fn choice_of_people(
    verb: &Verb,
    parts: &Parts<'_>,
    options: &mut Options,
) -> Result<(), PartError> {
    if verb.scopes.contains(&Scope::Choice) {
        return Ok(());
    }
    for (number, item) in parts.items.iter().enumerate() {
        if let Item::Setting(name, _) = item
            && let Some(setting) = Setting::named(name).filter(|one| one.scope == Scope::Choice)
        {
            return Err(PartError {
                part: RequestPart::Item(number),
                error: not_taken(setting, verb.name).into(),
            });
        }
    }
    (options.pr, options.elo) = (None, None);
    Ok(())
}

/// Checks that the match is not over: there is then no state to answer about, or to change, and only `convert` without
/// settings is answered.
///
/// # Errors
/// The message for people.
fn match_goes_on(
    verb: Option<&Verb>,
    parsed: &ParsedPosition,
    wishes: &Options,
) -> Result<(), String> {
    let (Some([me, opponent]), Some(id)) = (parsed.final_score, parsed.match_id) else {
        return Ok(());
    };
    if verb == Some(&convert::VERB) && !wishes.has_state() {
        return Ok(());
    }
    let length = id.length();
    Err(format!(
        "position is of a match that is over: {me}-{opponent}, seen by the player on roll, in a match to {length}; \
         only convert takes it, as it is"
    ))
}

/// Returns the text of the position: the request's, or the Position ID of a start or after an opening play.
fn position_text<'a>(
    parts: &'a Parts<'_>,
    from: PositionFrom,
    session: &Options,
) -> Result<Cow<'a, [u8]>, PartError> {
    let start = || variant_of(parts, session).start();
    Ok(match from {
        PositionFrom::Text => Cow::Borrowed(parts.position.as_ref()),
        PositionFrom::Start => Cow::Owned(PositionId::from(start()).to_string().into()),
        PositionFrom::Opening => {
            Cow::Owned(reply::position_after(&start(), &parts.position)?.into())
        }
    })
}

/// Returns the variant of a request whose position is that of a start: the request's, else the session's. A wrong one is
/// refused with the other settings.
fn variant_of(parts: &Parts<'_>, session: &Options) -> Variant {
    let named = |item: &Item<'_>| match item {
        Item::Setting(name, value) if name.eq_ignore_ascii_case("variant") => Variant::named(value),
        _ => None,
    };
    let asked = parts.items.iter().rev().find_map(named);
    asked.or(session.variant).unwrap_or_default()
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
    // No form of a position carries the variant.
    state.variant = session.variant.unwrap_or(state.variant);
    if (open || parsed.form == Form::GnubgId) && state.score.is_money() {
        state.rules.beavers = session.beavers.unwrap_or(state.rules.beavers);
    }
    if open && state.score.is_money() {
        state.rules.jacoby = session.jacoby.unwrap_or(state.rules.jacoby);
    }
    let of_match = !state.score.is_money();
    state = wishes.state(state)?;
    if of_match && state.score.is_money() {
        state.rules = rules_of_money(session, wishes);
    }
    Ok(state)
}

/// Returns the rules of money beside a match, whose form has none (MID-08): those of the request, else of the session.
fn rules_of_money(session: &Options, wishes: &Options) -> Rules {
    let usual = Rules::default();
    let jacoby = wishes.jacoby.or(session.jacoby);
    let beavers = wishes.beavers.or(session.beavers);
    Rules {
        jacoby: jacoby.unwrap_or(usual.jacoby),
        beavers: beavers.unwrap_or(usual.beavers),
    }
}

/// Returns the error of a position whose own cube and score do not fit each other (ERR-04), at its cube.
fn position_error(text: &[u8], form: Form, error: MatchStateError) -> PartError {
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
    let message = format!("{field} is not possible: {error}");
    let mut wrong = PartError::new(RequestPart::Position, code, field, message);
    wrong.error.at = fields.map(<[u8]>::len).sum::<usize>();
    wrong
}

/// Returns the error of settings that do not fit each other (S-05), at the one that is most likely wrong, else at the position.
pub(crate) fn state_error(parts: &Parts<'_>, error: MatchStateError) -> PartError {
    const CUBE: [&str; 2] = ["cube", "owner"];
    const SCORE: [&str; 3] = ["score", "crawford", "length"];
    let (code, field, keys) = match error {
        MatchStateError::CubeValue(_) => (ErrorCode::BadCube, "cube", &CUBE[..]),
        MatchStateError::CrawfordCube => (ErrorCode::BadCube, "cube", &OF_STATE[..]),
        _ => (ErrorCode::BadScore, "score", &SCORE[..]),
    };
    let part = parts.first_of(keys).unwrap_or(RequestPart::Position);
    PartError::new(part, code, field, error.to_string())
}
