//! Answers to lines of text: JSON in the shapes of the interface, compact text, or bare positions.
//!
//! Rules of `protocol-specs/request-protocol.md`. Numbers are finite: a value that is
//! not makes [`NotFinite`], never a word that JSON does not know.

use super::request::{Line, Refusal, RequestError};
use gammond_engine::query::{
    AnswerStyle, CubeAnswer, Equities, Evaluation, Options, RankedPlay, RankedPlays, SETTINGS,
    Value,
};
use gammond_game::notation::PositionId;
use gammond_game::{Chances, Position};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

/// The addressee of an answer: its id and answer style.
#[derive(Clone, Copy, Debug)]
pub struct Addressee<'a> {
    /// The request's id.
    pub id: Option<&'a str>,
    /// The style wanted.
    pub style: AnswerStyle,
    /// Warning about a part of the request that was dropped, if any.
    pub warning: Option<&'static str>,
}

impl<'a> From<&'a Line> for Addressee<'a> {
    fn from(line: &'a Line) -> Self {
        Addressee {
            id: line.id.as_deref(),
            style: line.style,
            warning: line.warning,
        }
    }
}

impl<'a> From<&'a Refusal> for Addressee<'a> {
    fn from(refusal: &'a Refusal) -> Self {
        Addressee {
            id: refusal.id.as_deref(),
            style: refusal.style,
            warning: None,
        }
    }
}

/// An answer would hold a number that is not finite: a fault of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("answer has a number that is not finite")]
pub struct NotFinite;

type Written = Result<(), NotFinite>;

/// Equities and chances have six decimals: what is behind them is noise of single precision.
const EQUITY_SCALE: u32 = 1_000_000;
/// Match winning chances have seven, as a point of EMG is a small part of one.
const MWC_SCALE: u32 = 10_000_000;

/// A number rounded as answers give it.
#[derive(Clone, Copy)]
struct Number<const SCALE: u32 = EQUITY_SCALE>(f64);

type Mwc = Number<MWC_SCALE>;

impl<const SCALE: u32> Serialize for Number<SCALE> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.is_finite() {
            return Err(S::Error::custom(NotFinite));
        }
        let scale = f64::from(SCALE);
        // The addition turns a negative zero into a plain one.
        serializer.serialize_f64((self.0 * scale).round() / scale + 0.0)
    }
}

/// Returns a number as answers give equities; JSON's null when it is not finite.
#[must_use]
pub fn number_value(value: impl Into<f64>) -> serde_json::Value {
    serde_json::to_value(<Number>::from(value.into())).unwrap_or_default()
}

/// Chances as answers give them.
#[must_use]
pub fn chances_value(chances: &Chances) -> serde_json::Value {
    serde_json::to_value(Probabilities::from(chances)).unwrap_or_default()
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number(value)
    }
}

#[derive(Serialize)]
struct Probabilities {
    win: Number,
    win_gammon: Number,
    win_backgammon: Number,
    lose_gammon: Number,
    lose_backgammon: Number,
}

impl From<&Chances> for Probabilities {
    fn from(chances: &Chances) -> Self {
        let number = |value: f32| Number(f64::from(value));
        Probabilities {
            win: number(chances.win),
            win_gammon: number(chances.win_gammon),
            win_backgammon: number(chances.win_backgammon),
            lose_gammon: number(chances.lose_gammon),
            lose_backgammon: number(chances.lose_backgammon),
        }
    }
}

/// A type whose text is made when it is written.
struct Shown<T>(T);

impl<T: std::fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

fn id_of(position: Position) -> Shown<PositionId> {
    Shown(PositionId::from(position))
}

/// Points for money, equivalent-to-money equity (EMG) in a match.
const fn unit(equities: &Equities) -> &'static str {
    match equities.mwc {
        None => "points",
        Some(_) => "emg",
    }
}

#[derive(Serialize)]
struct Object<'a, T: Serialize> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(flatten)]
    body: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

fn object<T: Serialize>(
    to: Addressee<'_>,
    kind: &'static str,
    body: T,
    out: &mut Vec<u8>,
) -> Written {
    let start = out.len();
    let object = Object {
        id: to.id,
        kind,
        body,
        warning: to.warning,
    };
    if serde_json::to_writer(&mut *out, &object).is_err() {
        out.truncate(start);
        return Err(NotFinite);
    }
    out.push(b'\n');
    Ok(())
}

fn text(to: Addressee<'_>, line: std::fmt::Arguments<'_>, out: &mut Vec<u8>) {
    if let Some(id) = to.id {
        out.push(b'#');
        out.extend_from_slice(id.as_bytes());
        out.push(b' ');
    }
    // Writing into a vector cannot fail.
    let _ = std::io::Write::write_fmt(out, line);
    out.push(b'\n');
}

#[derive(Serialize)]
struct EvalBody<'a> {
    position: Shown<PositionId>,
    class: Shown<gammond_game::Class>,
    plies: u8,
    net: &'a str,
    probabilities: Probabilities,
    equity: EquityPair,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<MwcPair>,
    unit: &'static str,
}

#[derive(Serialize)]
struct EquityPair {
    cubeless: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful: Option<Number>,
}

#[derive(Serialize)]
struct MwcPair {
    cubeless: Mwc,
    #[serde(skip_serializing_if = "Option::is_none")]
    cubeful: Option<Mwc>,
}

/// Returns the answer to `eval`.
///
/// # Errors
/// [`NotFinite`]; `out` is as before then.
pub fn evaluation(
    to: Addressee<'_>,
    position: &Position,
    answer: &Evaluation,
    net: &str,
    out: &mut Vec<u8>,
) -> Written {
    let value = answer.cubeful.unwrap_or(answer.cubeless);
    match to.style {
        AnswerStyle::Position => text(to, format_args!("{}", PositionId::from(*position)), out),
        AnswerStyle::Text => {
            finite(&[value.equity])?;
            let (equity, chances) = (value.equity, percent(&answer.chances));
            text(to, format_args!("{equity:+.4} ({chances})"), out);
        }
        AnswerStyle::Json => {
            let body = EvalBody {
                position: id_of(*position),
                class: Shown(answer.class),
                plies: answer.plies,
                net,
                probabilities: (&answer.chances).into(),
                equity: EquityPair {
                    cubeless: Number(answer.cubeless.equity),
                    cubeful: answer.cubeful.map(|value| Number(value.equity)),
                },
                mwc: answer.cubeless.mwc.map(|cubeless| MwcPair {
                    cubeless: Number(cubeless),
                    cubeful: answer.cubeful.and_then(|value| value.mwc).map(Number),
                }),
                unit: unit(&answer.cubeless),
            };
            return object(to, "eval", body, out);
        }
    }
    Ok(())
}

fn finite(values: &[f64]) -> Written {
    if values.iter().all(|value| value.is_finite()) {
        Ok(())
    } else {
        Err(NotFinite)
    }
}

/// Win, gammon and backgammon chances of both sides in percent.
fn percent(chances: &Chances) -> String {
    let [win, gammon, backgammon, lose_gammon, lose_backgammon] =
        chances.to_array().map(|chance| chance * 100.0);
    let lose = 100.0 - win;
    format!(
        "{win:.1} {gammon:.1} {backgammon:.1} - {lose:.1} {lose_gammon:.1} {lose_backgammon:.1}"
    )
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
struct PlayBody<'a> {
    play: &'a str,
    position: Shown<PositionId>,
    equity: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    mwc: Option<Mwc>,
    loss: Number,
    plies: u8,
    probabilities: Probabilities,
}

/// Returns the answer to `move`; `play_text` writes a play as `protocol-specs/play-notation.md` says.
///
/// # Errors
/// [`NotFinite`]; `out` is as before then.
pub fn plays(
    to: Addressee<'_>,
    answer: &RankedPlays,
    play_text: impl Fn(&RankedPlay) -> String,
    out: &mut Vec<u8>,
) -> Written {
    let Some(best) = answer.plays.first() else {
        return Err(NotFinite);
    };
    match to.style {
        AnswerStyle::Position => text(to, format_args!("{}", PositionId::from(best.position)), out),
        AnswerStyle::Text => {
            finite(&[best.value.equity])?;
            let play = play_text(best);
            let play = if play.is_empty() { "no play" } else { &play };
            let (equity, chances) = (best.value.equity, percent(&best.chances));
            text(to, format_args!("{play} {equity:+.4} ({chances})"), out);
        }
        AnswerStyle::Json => {
            let texts: Vec<String> = answer.plays.iter().map(play_text).collect();
            let body = |(ranked, play): (&RankedPlay, _)| PlayBody {
                play,
                position: id_of(ranked.position),
                equity: Number(ranked.value.equity),
                mwc: ranked.value.mwc.map(Number),
                loss: Number(ranked.loss(best)),
                plies: ranked.plies,
                probabilities: (&ranked.chances).into(),
            };
            let body = PlaysBody {
                position: id_of(answer.position),
                roll: answer.roll.dice(),
                plies: answer.plies,
                legal: answer.legal,
                unit: unit(&best.value),
                plays: (answer.plays.iter().zip(texts.iter().map(String::as_str)))
                    .map(body)
                    .collect(),
            };
            return object(to, "move", body, out);
        }
    }
    Ok(())
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
    probabilities: Probabilities,
}

#[derive(Serialize)]
struct CubeMwc {
    no_double: Mwc,
    double_take: Mwc,
    double_pass: Mwc,
    optimal: Mwc,
}

/// Returns the answer to `cube`; `verdict` is gnubg's wording.
///
/// # Errors
/// [`NotFinite`]; `out` is as before then.
pub fn cube(
    to: Addressee<'_>,
    position: &Position,
    answer: &CubeAnswer,
    verdict: &str,
    out: &mut Vec<u8>,
) -> Written {
    let [nd, dt, dp] = [answer.no_double, answer.double_take, answer.double_pass];
    match to.style {
        AnswerStyle::Position => text(to, format_args!("{}", PositionId::from(*position)), out),
        AnswerStyle::Text => {
            finite(&[nd.equity, dt.equity, dp.equity])?;
            let values = format!("{:+.4} {:+.4} {:+.4}", nd.equity, dt.equity, dp.equity);
            text(to, format_args!("{verdict} ({values})"), out);
        }
        AnswerStyle::Json => {
            let mwc = |value: Equities| value.mwc.map(Number);
            let all = (mwc(nd), mwc(dt), mwc(dp), mwc(answer.optimal));
            let body = CubeBody {
                position: id_of(*position),
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
                probabilities: (&answer.chances).into(),
            };
            return object(to, "cube", body, out);
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct ErrorBody<'a> {
    code: &'a str,
    message: &'a str,
    field: &'a str,
    at: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// The answer to a line that was refused; `line` is its number where lines are counted.
pub fn error(to: Addressee<'_>, error: &RequestError, line: Option<u64>, out: &mut Vec<u8>) {
    let RequestError {
        code,
        field,
        message,
        at,
    } = error;
    if to.style != AnswerStyle::Json {
        return text(to, format_args!("error {code} {message} (byte {at})"), out);
    }
    let body = ErrorBody {
        code: code.as_str(),
        message,
        field,
        at: *at,
        line,
    };
    // No number in it can fail to be finite.
    let _ = object(to, "error", body, out);
}

/// An answer of this type made of JSON values; in the other styles `plain` alone.
pub fn values(
    to: Addressee<'_>,
    kind: &'static str,
    body: &serde_json::Value,
    plain: &str,
    out: &mut Vec<u8>,
) {
    if to.style == AnswerStyle::Json {
        // `serde_json::Value` holds finite numbers only.
        let _ = object(to, kind, body, out);
    } else {
        text(to, format_args!("{plain}"), out);
    }
}

/// Returns the session's settings, as `set` and `get` answer them.
#[must_use]
pub(crate) fn settings_value(session: &Options) -> serde_json::Value {
    let all = SETTINGS.iter().map(|setting| {
        let value = setting.get(session).or(setting.default);
        let value = value.map_or(serde_json::Value::Null, Value::json);
        (setting.name.to_owned(), value)
    });
    serde_json::Value::Object(all.collect())
}

/// Returns the text of `help`: requests and keys, one a line.
#[must_use]
pub(crate) fn help_lines() -> Vec<String> {
    let requests = [
        "eval POSITION [key=value…]: value of a position for the player on roll",
        "move POSITION ROLL [key=value…]: the plays of a roll, best first",
        "cube POSITION [key=value…]: double, take?",
        "rollout [cube] POSITION [ROLL] [plays=\"8/5 6/5; 13/9\"] [key=value…]: played on many times",
        "analyse [end=WORD] [key=value…]: the match in the lines that follow, up to one that is `.` (or WORD)",
        "show POSITION, convert POSITION: a drawing; every notation",
        "POSITION [ROLL]: move with a roll, else eval; a line of a .bm file; a board: line",
        "set key=value…, get, help, version, stats, ping, quit",
        "cancel ID…, cancel all: stops earlier requests of the connection",
        "POSITION is a Position ID, ID:MatchID, 20-letter key, XGID=…, OGID or board:…; ROLL is 31, 3-1, 3,1 or 3 1",
        "#id in front of a request comes back in its answer",
    ];
    let keys = SETTINGS.iter().map(|setting| {
        let (name, want, help) = (setting.name, setting.want(), setting.help);
        format!("{name}={want}: {help}")
    });
    requests
        .into_iter()
        .map(str::to_owned)
        .chain(keys)
        .collect()
}
