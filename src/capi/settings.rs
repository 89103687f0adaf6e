//! Settings of questions: words of the line protocol.

use crate::failure::Failure;
use gammond_engine::query::{Options, SETTINGS, Scope, Setting};
use gammond_protocol::verbs::{not_taken, scopes_of};

/// Returns the settings in a text of `name=value` words, of those that a request of the line protocol takes.
pub(crate) fn options(verb: &str, text: &str) -> Result<Options, Failure> {
    let scopes = scopes_of(verb);
    options_in(text, |setting| match scopes.contains(&setting.scope) {
        true => Ok(()),
        false => Err(Failure::value(not_taken(setting, verb).to_string())),
    })
}

/// Returns the settings of all questions. Those of cube and score are each question's own.
pub(crate) fn default_options(text: &str) -> Result<Options, Failure> {
    options_in(text, |setting| match setting.scope {
        Scope::State => Err(Failure::value(format!(
            "setting '{}' belongs to a question, not to gammond_open",
            setting.name
        ))),
        _ => Ok(()),
    })
}

fn options_in(
    text: &str,
    check: impl Fn(&'static Setting) -> Result<(), Failure>,
) -> Result<Options, Failure> {
    let mut options = Options::default();
    for word in text.split_whitespace() {
        let (name, value) = word.split_once('=').ok_or_else(|| {
            let shown: String = word.chars().take(40).collect();
            Failure::value(format!("'{shown}' is no setting (example: plies=2)"))
        })?;
        let named = |setting: &&Setting| setting.name.eq_ignore_ascii_case(name);
        if let Some(setting) = SETTINGS.iter().find(named) {
            check(setting)?;
        }
        let set = options.set(name, value);
        set.map_err(|error| Failure::value(error.to_string()))?;
    }
    Ok(options)
}
