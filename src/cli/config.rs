//! The configuration file: a TOML table whose keys are the long options.
//!
//! Keys at the top are common options; a table named after a subcommand holds that subcommand's
//! own. Values become the options' defaults, so that the order is: built in, file, `GAMMOND_*`
//! variables, command line.
//!
//! ```toml
//! plies = 1
//! threads = 2
//!
//! [serve]
//! listen = ["127.0.0.1:4322"]
//! ```

use super::{Failure, platform, within};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use gammond_base::toml::parse_toml;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Returns the file that the command line or `GAMMOND_CONFIG` names, if any. Found before the real parsing, because
/// the file supplies defaults to it.
pub(super) fn named_file(arguments: &[OsString]) -> Option<PathBuf> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--config" {
            return rest.next().map(PathBuf::from);
        }
        if let Some(path) = argument
            .to_str()
            .and_then(|text| text.strip_prefix("--config="))
        {
            return Some(PathBuf::from(path));
        }
        if argument == "--" {
            break;
        }
    }
    std::env::var_os("GAMMOND_CONFIG").map(PathBuf::from)
}

/// Returns the file that is read when none is named: `gammond/config.toml` in the user's folder for configuration
/// (`$XDG_CONFIG_HOME`, `~/.config` or `%APPDATA%`).
pub(super) fn default_file() -> Option<PathBuf> {
    Some(
        platform::config_folder()?
            .join("gammond")
            .join("config.toml"),
    )
}

/// Options, behind the words of their subcommands, that those of a command line exclude.
type LeftOut = HashSet<String>;

/// Returns the options that what is given on the command line or by a variable excludes: there the file says nothing.
fn left_out(mut command: Command, arguments: &[OsString]) -> LeftOut {
    let mut found = LeftOut::new();
    // A wrong command line is refused later.
    let Ok(matches) = command.try_get_matches_from_mut(arguments) else {
        return found;
    };
    let (mut command, mut matches, mut at) = (&command, &matches, String::new());
    loop {
        let is_given = |arg: &&Arg| {
            let source = matches.value_source(arg.get_id().as_str());
            matches!(
                source,
                Some(ValueSource::CommandLine | ValueSource::EnvVariable)
            )
        };
        let given: Vec<&Arg> = command.get_arguments().filter(is_given).collect();
        for arg in command.get_arguments() {
            let excludes = |one: &Arg, other: &Arg| {
                let all = command.get_arg_conflicts_with(one);
                all.iter().any(|arg| arg.get_id() == other.get_id())
            };
            if given
                .iter()
                .any(|one| excludes(one, arg) || excludes(arg, one))
            {
                found.insert(format!("{at} {}", arg.get_id()));
            }
        }
        let Some((name, inner)) = matches.subcommand() else {
            return found;
        };
        let Some(sub) = command.find_subcommand(name) else {
            return found;
        };
        (command, matches) = (sub, inner);
        at = format!("{at} {name}");
    }
}

/// Makes the file's values the defaults of `command`'s options, except where the arguments exclude them.
///
/// # Errors
/// The file is missing or damaged, or names an option that does not exist.
pub(super) fn apply(
    command: Command,
    path: &Path,
    arguments: &[OsString],
) -> Result<Command, Failure> {
    let wrong = |error: ConfigError| Failure::usage(within(path.display(), error));
    let left_out = left_out(command.clone(), arguments);
    let common: Vec<String> = long_names(&command).map(str::to_owned).collect();
    let place = |words| Place {
        words,
        left_out: &left_out,
        common: &common,
    };
    let text = gammond_base::files::read_text(path, gammond_base::files::TEXT_BYTES_MAX)
        .map_err(Failure::in_file(path))?;
    let table: Table = parse_toml(&text).map_err(Failure::in_file(path))?;
    let command = apply_table(command, &table, place("")).map_err(wrong)?;
    let mut failed = None;
    // A submitted command has the settings of the command itself.
    let command = command.mut_subcommand("farm", |farm| {
        if farm.find_subcommand("submit").is_none() {
            return farm;
        }
        farm.mut_subcommand("submit", |submit| {
            let mut own = table.clone();
            own.retain(|key, value| value.is_table() && submit.find_subcommand(key).is_some());
            apply_table(submit.clone(), &own, place(" farm submit")).unwrap_or_else(|error| {
                failed = Some(error);
                submit
            })
        })
    });
    match failed {
        Some(error) => Err(wrong(error)),
        None => Ok(command),
    }
}

/// A fault in a configuration that no command line could have.
#[derive(Debug, thiserror::Error)]
enum ConfigError {
    #[error("[{0}] is not a subcommand of gammond")]
    Subcommand(String),
    #[error("'{0}' is not an option of gammond, expected one of `gammond config print`")]
    Option(String),
    #[error(
        "'{0}' is an option of all commands, expected above the first table (example: {0} = {1})"
    )]
    Common(String, Value),
    #[error("{key}: a {kind} cannot be the value of an option")]
    Value { key: String, kind: &'static str },
    #[error("[{name}] {source}")]
    Within {
        name: String,
        source: Box<ConfigError>,
    },
}

/// Returns the long names of a command's own options.
fn long_names(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(Arg::get_long)
}

/// A table of the file: the words of its subcommand, and the options that it may not set and those of all commands.
#[derive(Clone, Copy)]
struct Place<'a> {
    words: &'a str,
    left_out: &'a LeftOut,
    common: &'a [String],
}

fn apply_table(
    mut command: Command,
    table: &Table,
    place: Place<'_>,
) -> Result<Command, ConfigError> {
    for (key, value) in table {
        command = match value {
            Value::Table(inner) => {
                let known = command.find_subcommand(key).is_some();
                if !known {
                    return Err(ConfigError::Subcommand(key.clone()));
                }
                let mut failed = None;
                let changed = command.mut_subcommand(key, |sub| {
                    let words = format!("{} {key}", place.words);
                    let place = Place {
                        words: &words,
                        ..place
                    };
                    apply_table(sub.clone(), inner, place).unwrap_or_else(|error| {
                        failed = Some(Box::new(error));
                        sub
                    })
                });
                match failed {
                    Some(source) => {
                        let name = key.clone();
                        return Err(ConfigError::Within { name, source });
                    }
                    None => changed,
                }
            }
            value => set_default(command, key, value, place)?,
        };
    }
    Ok(command)
}

fn set_default(
    command: Command,
    key: &str,
    value: &Value,
    place: Place<'_>,
) -> Result<Command, ConfigError> {
    let id = command
        .get_arguments()
        .find(|argument| argument.get_long() == Some(key))
        .map(|argument| argument.get_id().clone())
        .ok_or_else(|| {
            let is_common = place.common.iter().any(|name| name == key);
            match is_common && !place.words.is_empty() {
                true => ConfigError::Common(key.to_owned(), value.clone()),
                false => ConfigError::Option(key.to_owned()),
            }
        })?;
    if place.left_out.contains(&format!("{} {id}", place.words)) {
        return Ok(command);
    }
    let texts: Vec<String> = match value {
        Value::Array(values) => values.iter().map(text_of).collect::<Result<_, _>>(),
        value => text_of(value).map(|text| vec![text]),
    }
    .map_err(|kind| ConfigError::Value {
        key: key.to_owned(),
        kind,
    })?;
    Ok(command.mut_arg(id, |argument| argument.default_values(texts.clone())))
}

/// Returns a value as a command line has it; else what kind of value it is.
fn text_of(value: &Value) -> Result<String, &'static str> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(truth) => Ok(truth.to_string()),
        other => Err(other.type_str()),
    }
}
