//! Keyword arguments as settings of the engine's table: their names, types and values.

use crate::wrong;
use gammond_engine::query::{Options, SETTINGS, Scope, Setting, SettingError, SettingKind, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

/// Names that settings had in this package before they had those of the table.
const OTHER_NAMES: [(&str, &str); 5] = [
    ("cube_plies", "cubeplies"),
    ("error", "se"),
    ("lead", "jsd"),
    ("time_ms", "time"),
    ("variance_reduction", "vr"),
];

/// Settings that a method takes, by their scopes. Cube and score are those of its argument `state`.
#[derive(Clone, Copy)]
pub(crate) struct Takes(&'static [Scope]);

impl Takes {
    pub(crate) const SEARCH: Takes = Takes(&[Scope::Depth]);
    pub(crate) const VALUE: Takes = Takes(&[Scope::Depth, Scope::Method]);
    pub(crate) const CUBE: Takes =
        Takes(&[Scope::Depth, Scope::Method, Scope::Choice, Scope::Seed]);
    pub(crate) const PLAYS: Takes = Takes(&[
        Scope::Depth,
        Scope::Method,
        Scope::Plays,
        Scope::Choice,
        Scope::Seed,
    ]);
    pub(crate) const ROLLOUT: Takes = Takes(&[
        Scope::Depth,
        Scope::Method,
        Scope::Plays,
        Scope::Rollout,
        Scope::Seed,
    ]);
    pub(crate) const ANALYSIS: Takes = Takes(&[Scope::Depth, Scope::Rules]);

    fn settings(self) -> impl Iterator<Item = &'static Setting> {
        (SETTINGS.iter()).filter(move |setting| self.0.contains(&setting.scope))
    }
}

/// Returns the settings in these arguments of a method.
///
/// # Errors
/// `TypeError` for a name that the method does not take, or a value of another type; `ValueError` for one out of range.
pub(crate) fn options(
    (method, takes): (&str, Takes),
    plies: Option<&Bound<'_, PyAny>>,
    others: Option<&Bound<'_, PyDict>>,
) -> PyResult<Options> {
    let mut options = Options::default();
    if let Some(plies) = plies {
        set(&mut options, (method, takes), "plies", plies)?;
    }
    for (name, value) in others.into_iter().flat_map(|others| others.iter()) {
        let name = name.cast::<PyString>()?.to_string_lossy().into_owned();
        set(&mut options, (method, takes), &name, &value)?;
    }
    Ok(options)
}

fn set(
    options: &mut Options,
    (method, takes): (&str, Takes),
    given: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == given);
    let name = other.map_or(given, |(_, name)| name);
    let Some(setting) = takes.settings().find(|setting| setting.name == name) else {
        let names: Vec<&str> = takes.settings().map(|one| one.name).collect();
        return Err(PyTypeError::new_err(format!(
            "{method}() has no argument '{given}', expected one of {}",
            names.join(", ")
        )));
    };
    if value.is_none() {
        return Ok(());
    }
    let want = setting.want();
    let text =
        text(setting, value).ok_or_else(|| wrong::kind(given, format!("expected {want}")))?;
    options.set(name, &text).map_err(|error| match error {
        SettingError::Value { found, want, .. } => {
            wrong::value(given, format!("{found}, expected {want}"))
        }
        other => wrong::value(given, other),
    })
}

/// Returns a value as `name=value` has it; `None` for one of another type than the setting's.
fn text(setting: &Setting, value: &Bound<'_, PyAny>) -> Option<String> {
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_string_lossy().into_owned();
        // The text of a number is no number.
        let is_other = matches!(
            setting.read(&text),
            Some(Value::Whole(_) | Value::Real(_) | Value::Switch(_))
        );
        let has_words = setting.kind == SettingKind::Word || !setting.words.is_empty();
        return (has_words && !is_other).then_some(text);
    }
    let is_switch = value.is_instance_of::<PyBool>();
    match setting.kind {
        SettingKind::Switch => {
            let on: bool = value.extract().ok()?;
            Some(if on { "on" } else { "off" }.to_owned())
        }
        SettingKind::Whole(..) | SettingKind::PowerOfTwo(_) if !is_switch => {
            // Of any length, and of any type that is a whole number, such as those of NumPy.
            let whole = value.call_method0("__index__").ok()?;
            Some(whole.str().ok()?.to_string_lossy().into_owned())
        }
        SettingKind::Real(..) | SettingKind::Above(_) if !is_switch => {
            let number: f64 = value.extract().ok()?;
            Some(number.to_string())
        }
        SettingKind::Pair(_) | SettingKind::TurnPlies(..) => {
            let (one, two): (u64, u64) = value.extract().ok()?;
            Some(format!("{one}:{two}"))
        }
        _ => None,
    }
}
