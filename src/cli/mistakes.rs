//! Messages about wrong arguments: the argument as typed, and what to type instead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use gammond_base::escape::Terminal;
use gammond_engine::query::Setting;
use std::ffi::OsString;
use std::path::Path;

/// Hint for a search depth.
const PLIES: &str = "the number of plies looked ahead is --plies N";
/// Options that users try, of which command (or of any), and what to type.
const MEANT: [(&str, &str, &str); 9] = [
    (
        "serve",
        "--port",
        "the address has the port: --listen 127.0.0.1:4322",
    ),
    (
        "serve",
        "-p",
        "the address has the port: --listen 127.0.0.1:4322",
    ),
    (
        "fibs",
        "--password",
        "other users can see arguments: use --password-file FILE, or the variable GAMMOND_FIBS_PASSWORD",
    ),
    (
        "duel",
        "--length",
        "the match length is an option: --match POINTS",
    ),
    (
        "sample",
        "--count",
        "the number of positions is --positions N",
    ),
    ("analyse", "-o", "a report for browsers is --html FILE"),
    ("show", "-o", "a picture is --svg FILE or --png FILE"),
    ("", "--ply", PLIES),
    ("", "-p", PLIES),
];

/// Hint for games against gnubg or with its weights.
const GNUBG: &str = "gnubg's command `external localhost:4321` makes it a server, external:127.0.0.1:4321 the player; \
     gammond:nets=/usr/lib/gnubg/gnubg.wd plays with its weights";
/// Commands that name players.
const OF_PLAYERS: [&str; 4] = ["duel", "tournament", "bench", "gate"];
/// Commands with settings of requests.
const OF_SETTINGS: [&str; 13] = [
    "move", "cube", "eval", "rolls", "scores", "cubes", "explain", "opening", "reply", "show",
    "rollout", "pipe", "serve",
];

/// Returns the message of a refused command line; `file` is the configuration that was in force.
pub(super) fn message(error: &clap::Error, arguments: &[OsString], file: Option<&Path>) -> String {
    let mut text = String::new();
    // Colours only where every control character is one of clap's: typed text or a configuration may have others, of
    // which clap's plain text omits some.
    let plain_text = error.render().to_string();
    let typed = arguments.iter().map(|word| word.to_string_lossy());
    let clean = plain_text
        .lines()
        .all(|line| Terminal::new(line).is_clean())
        && typed
            .into_iter()
            .all(|word| Terminal::new(&word).is_clean());
    let rendered = match clean {
        true => error.render().ansi().to_string(),
        false => {
            let lines = plain_text
                .lines()
                .map(|line| Terminal::new(line).to_string());
            lines.collect::<Vec<_>>().join("\n")
        }
    };
    for line in rendered.lines() {
        // Options never have to be passed as values here.
        if line.contains("tip:") && line.contains("to pass '") {
            continue;
        }
        text.push_str(&plain(line));
        text.push('\n');
    }
    if let Some(hint) = hint(error, arguments, file) {
        text.push_str(&format!("\n  hint: {}\n", Terminal::new(&hint)));
    }
    text
}

/// Rewords Rust's messages about numbers.
fn plain(line: &str) -> String {
    let line = line
        .replace("invalid digit found in string", "expected a whole number")
        .replace("cannot parse integer from empty string", "it is empty")
        .replace("number too large to fit in target type", "it is too large");
    // `VALUE is not in LEAST..=MOST` at the end.
    let range = line.rsplit_once(" is not in ").and_then(|(before, range)| {
        let (least, most) = range.split_once("..=")?;
        let (before, _) = before.rsplit_once(": ")?;
        Some(format!("{before}: expected {least} to {most}"))
    });
    range.unwrap_or(line)
}

fn hint(error: &clap::Error, arguments: &[OsString], file: Option<&Path>) -> Option<String> {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let among = |names: &[&'static str]| names.iter().copied().find(|name| words.contains(name));
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let found = context(ContextKind::InvalidArg)?;
            let meant = MEANT.iter();
            let told = meant.filter(|(command, option, _)| {
                (command.is_empty() || words.contains(command))
                    && found.split('=').next() == Some(option)
            });
            if let Some((.., hint)) = told.into_iter().next() {
                return Some((*hint).to_owned());
            }
            let option = found.strip_prefix("--").unwrap_or_default();
            if Setting::named(option).is_some() && among(&OF_SETTINGS).is_some() {
                return Some(format!(
                    "settings are written without dashes: {option}=VALUE"
                ));
            }
            let (key, _) = found.split_once('=')?;
            Setting::named(key)?;
            Some(match among(&OF_PLAYERS) {
                Some(_) => format!("settings of a player follow its name: gammond:{found}"),
                None => format!("here it is an option: --{key}"),
            })
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let value = context(ContextKind::InvalidValue)?;
            if value == "html" {
                return Some("a report for browsers is --html FILE".to_owned());
            }
            if value == "gnubg" && among(&OF_PLAYERS).is_some() {
                return Some(GNUBG.to_owned());
            }
            let typed = words
                .iter()
                .any(|word| *word == value || word.split_once('=').is_some_and(|w| w.1 == value));
            let variable =
                std::env::vars().find(|(name, set)| name.starts_with("GAMMOND_") && *set == value);
            let from = match (variable, file) {
                (Some((name, _)), _) => format!("the variable {name}"),
                (None, Some(path)) => path.display().to_string(),
                (None, None) => "a variable GAMMOND_…".to_owned(),
            };
            (!typed && !value.is_empty()).then(|| format!("'{value}' is from {from}"))
        }
        _ => None,
    }
}
