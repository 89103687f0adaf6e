//! The common parts of answers to lines of text: JSON in the shapes of the interface, compact text, or bare positions.
//!
//! Rules of `protocol-specs/request-protocol.md`. Numbers are finite: a value that is not makes
//! [`NotFinite`], never a word outside JSON.

use super::request_error::RequestError;
use gammond_engine::query::{AnswerStyle, Equities, Options, SETTINGS, Value};
use gammond_game::notation::PositionId;
use gammond_game::{Chances, Position};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};

/// The addressee of an answer: its id and answer style.
#[derive(Clone, Copy, Debug)]
pub struct Addressee<'a> {
    /// The request's id.
    pub id: Option<&'a str>,
    /// The requested style.
    pub style: AnswerStyle,
    /// Warning about a part of the request that was dropped, if any.
    pub warning: Option<&'static str>,
}

/// An answer would hold a number that is not finite: a fault of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("answer has a number that is not finite")]
pub struct NotFinite;

pub(crate) type Written = Result<(), NotFinite>;

/// Scale of equities and chances, which have six decimals: further digits are noise of single precision.
pub(crate) const EQUITY_SCALE: u32 = 1_000_000;
/// Scale of match winning chances, which have seven decimals, as a point of EMG is a small part of one.
pub(crate) const MWC_SCALE: u32 = 10_000_000;

/// A number rounded as answers give it.
#[derive(Clone, Copy)]
pub(crate) struct Number<const SCALE: u32 = EQUITY_SCALE>(pub(crate) f64);

pub(crate) type Mwc = Number<MWC_SCALE>;

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

/// Returns the chances as answers give them.
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
pub(crate) struct Probabilities {
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
pub(crate) struct Shown<T>(pub(crate) T);

impl<T: std::fmt::Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

pub(crate) fn id_of(position: Position) -> Shown<PositionId> {
    Shown(PositionId::from(position))
}

/// Returns the unit: points for money, equivalent-to-money equity (EMG) in a match.
pub(crate) const fn unit(equities: &Equities) -> &'static str {
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

pub(crate) fn object<T: Serialize>(
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

pub(crate) fn line(to: Addressee<'_>, line: std::fmt::Arguments<'_>, out: &mut Vec<u8>) {
    if let Some(id) = to.id {
        out.push(b'#');
        out.extend_from_slice(id.as_bytes());
        out.push(b' ');
    }
    // Writing into a vector cannot fail.
    let _ = std::io::Write::write_fmt(out, line);
    out.push(b'\n');
}

pub(crate) fn finite(values: &[f64]) -> Written {
    if values.iter().all(|value| value.is_finite()) {
        Ok(())
    } else {
        Err(NotFinite)
    }
}

/// Returns the win, gammon and backgammon chances of both sides in percent.
pub(crate) fn percent(chances: &Chances) -> String {
    let [win, gammon, backgammon, lose_gammon, lose_backgammon] =
        chances.to_array().map(|chance| chance * 100.0);
    let lose = 100.0 - win;
    format!(
        "{win:.1} {gammon:.1} {backgammon:.1} - {lose:.1} {lose_gammon:.1} {lose_backgammon:.1}"
    )
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

/// Writes the answer to a line that was refused, with its number where lines are counted.
pub fn error(to: Addressee<'_>, error: &RequestError, number: Option<u64>, out: &mut Vec<u8>) {
    let RequestError {
        code,
        field,
        message,
        at,
    } = error;
    if to.style != AnswerStyle::Json {
        return line(to, format_args!("error {code} {message} (byte {at})"), out);
    }
    let body = ErrorBody {
        code: code.as_str(),
        message,
        field,
        at: *at,
        line: number,
    };
    // No number in it can fail to be finite.
    let _ = object(to, "error", body, out);
}

/// Writes an answer of this type made of JSON values; in the other styles `plain` alone.
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
        line(to, format_args!("{plain}"), out);
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
