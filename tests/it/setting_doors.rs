//! Every setting of the table is found where settings are written: rules S-01, S-02, HTTP-140.

use gammond_arena::player::PlayerSpec;
use gammond_engine::query::{SETTINGS, Scope, Setting, SettingKind};
use gammond_protocol::verbs::{VERBS, scopes_of};
use gammond_protocol::{Dialect as _, FramedLine, LineAction, Options, Session};
use serde_json::Value;

/// A value of the setting, as `key=value` has it.
fn value(setting: &Setting) -> String {
    match (setting.words, setting.kind) {
        ([word, ..], _) => (*word).to_owned(),
        (_, SettingKind::Whole(_, max)) => max.min(2).to_string(),
        (_, SettingKind::Real(..)) => "0.5".to_owned(),
        (_, SettingKind::Above(_)) => "0.25".to_owned(),
        (_, SettingKind::PowerOfTwo(_)) => "2".to_owned(),
        (_, SettingKind::Pair(_)) => "1:2".to_owned(),
        (_, SettingKind::TurnPlies(..)) => "5:0".to_owned(),
        _ => "on".to_owned(),
    }
}

fn answer(session: &mut Session, line: &str) -> Value {
    match session.line(FramedLine::Line(line.as_bytes())) {
        LineAction::Say(text) | LineAction::Refuse(text) => serde_json::from_str(&text).unwrap(),
        other => panic!("{line}: {other:?}"),
    }
}

/// S-01: lines set it and say it, `help` and the description of HTTP name it, and players and commands that play take it
/// if it is of every decision.
#[test]
fn a_setting_of_the_table_is_found_at_every_door() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-specs/openapi.json");
    let description: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let schemas = &description["components"]["schemas"];
    let help = answer(&mut Session::new(Options::default()), "help").to_string();
    let commands = ["analyse", "ubgi", "fibs", "bgammon"].map(|command| {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        let said = program.args([command, "--help"]).output().unwrap();
        (command, String::from_utf8(said.stdout).unwrap())
    });
    for setting in SETTINGS {
        let (name, value) = (setting.name, value(setting));
        let mut session = Session::new(Options::default());
        answer(&mut session, "set length=7 score=6:3");
        let set = answer(&mut session, &format!("set answer=json {name}={value}"));
        // Another style of answers is none that can be read here.
        if name != "answer" {
            assert!(
                set.get(name)
                    .is_some_and(|now| !now.is_null() || value == "off"),
                "{name}: {set}"
            );
            assert!(help.contains(&format!("{name}=")), "{name}");
        }
        for verb in VERBS {
            let (first, rest) = verb.name.split_at(1);
            let schema = format!("{}{rest}Settings", first.to_uppercase());
            let described = &schemas[schema]["properties"][name];
            let has_it = verb.scopes.contains(&setting.scope);
            assert_eq!(described.is_object(), has_it, "{verb:?} {name}");
        }
        let player = format!("gammond:{name}={value}").parse::<PlayerSpec>();
        assert_eq!(player.is_ok(), setting.scope.is_of_player(), "{name}");
        for (command, help) in &commands {
            let has_it = help.contains(&format!("--{name} <"));
            // `--progress` of commands, `--length` and `--beavers` of bots are others.
            let plays = *command != "analyse";
            if setting.scope == Scope::Depth || plays && setting.scope.is_of_player() {
                assert!(has_it, "{command} --{name}");
            }
        }
    }
}

/// Returns the requests that take a setting, in words.
fn requests(setting: &Setting) -> String {
    let names = VERBS.iter().map(|verb| verb.name).chain(["analyse"]);
    let (verbs, others): (Vec<_>, Vec<_>) =
        names.partition(|verb| scopes_of(verb).contains(&setting.scope));
    match (&others[..], setting.scope) {
        (_, Scope::Session) => "sessions of lines".to_owned(),
        ([], _) => "all".to_owned(),
        ([one], _) => format!("all but {one}"),
        ([firsts @ .., last], _) if firsts.len() <= 2 => {
            format!("all but {} and {last}", firsts.join(", "))
        }
        _ => verbs.join(", "),
    }
}

/// S-02: the table of the settings in the documents is the one of the program.
#[test]
fn documents_have_the_table_of_the_settings() {
    const BEGIN: &str = "| setting | values | not given | for |\n|---|---|---|---|\n";
    let mut table = BEGIN.to_owned();
    for setting in SETTINGS {
        let default = setting
            .default
            .map_or(String::new(), |value| value.to_string());
        let (name, requests) = (setting.name, requests(setting));
        table += &format!(
            "| `{name}` | {} | {default} | {requests} |\n",
            setting.want()
        );
    }
    table += "\n";
    for setting in SETTINGS {
        table += &format!("- `{}`: {}\n", setting.name, setting.help);
    }
    table += "\n## Names\n\n\
              Lines, requests as JSON, NATS and commands with `name=value` know every setting under its name (S-02). At \
              other doors\n`yes` is this name; an empty place is a setting that the door does not have, or has at a fixed \
              value. Players are ours\n(`gammond:plies=1`), options those of `analyse`, `ubgi`, `fibs` and `bgammon`.\n\n";
    table += &crate::setting_names::table();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/protocol-specs/settings.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (head, committed) = text.split_at(text.find(BEGIN).unwrap());
    if std::env::var_os("GAMMOND_REWRITE").is_some() {
        std::fs::write(path, format!("{head}{table}")).unwrap();
        return;
    }
    assert_eq!(
        committed, table,
        "write it again: GAMMOND_REWRITE=1 cargo test --test it documents_have_the_table"
    );
}

/// A class of Python with the settings of some scopes.
pub(crate) struct PythonClass {
    name: &'static str,
    base: &'static str,
    about: &'static str,
    pub(crate) scopes: &'static [Scope],
    /// Names beside those of the table, each with the setting.
    pub(crate) others: &'static [(&'static str, &'static str)],
}

pub(crate) const PYTHON_CLASSES: [PythonClass; 6] = [
    PythonClass {
        name: "SearchSettings",
        base: "TypedDict",
        about: "Settings of every search: those of `Engine` itself, and of its methods for boards.",
        scopes: &[Scope::Depth],
        others: &[],
    },
    PythonClass {
        name: "ValueSettings",
        base: "SearchSettings",
        about: "Settings of `Engine.evaluate`.",
        scopes: &[Scope::Method],
        others: &[],
    },
    PythonClass {
        name: "CubeSettings",
        base: "ValueSettings",
        about: "Settings of `Engine.cube`.",
        scopes: &[Scope::Choice, Scope::Seed],
        others: &[],
    },
    PythonClass {
        name: "PlaySettings",
        base: "CubeSettings",
        about: "Settings of `Engine.best_plays`.",
        scopes: &[Scope::Plays],
        others: &[],
    },
    PythonClass {
        name: "AnalysisSettings",
        base: "SearchSettings",
        about: "Settings of `Engine.analyse`.",
        scopes: &[Scope::Rules],
        others: &[],
    },
    PythonClass {
        name: "RolloutSettings",
        base: "ValueSettings",
        about: "Settings of `Engine.rollout`.",
        scopes: &[Scope::Plays, Scope::Rollout, Scope::Seed],
        others: &[
            ("cube_plies", "cubeplies"),
            ("error", "se"),
            ("lead", "jsd"),
            ("time_ms", "time"),
            ("variance_reduction", "vr"),
        ],
    },
];

/// Returns the type of a setting's values in Python.
fn python_type(setting: &Setting) -> String {
    let kind = match setting.kind {
        SettingKind::Whole(..) | SettingKind::PowerOfTwo(_) => "int | ",
        SettingKind::Real(..) | SettingKind::Above(_) => "float | ",
        SettingKind::Switch => "bool | ",
        SettingKind::Pair(_) | SettingKind::TurnPlies(..) => "tuple[int, int] | ",
        _ => "",
    };
    let words: Vec<String> = setting
        .words
        .iter()
        .map(|word| format!("\"{word}\""))
        .collect();
    match words.is_empty() {
        true => format!("{kind}None"),
        false => format!("{kind}Literal[{}] | None", words.join(", ")),
    }
}

/// S-02: the types of Python's keyword arguments are those of the table.
#[test]
fn python_has_the_table_of_the_settings() {
    let mut text = "\"\"\"Types of the settings that methods of `Engine` take as keyword arguments.\n\nMade from the table in \
         `engine/query/options.rs`: ``GAMMOND_REWRITE=1 cargo test --test it python_has_the_table``.\n\"\"\"\n\n\
         from __future__ import annotations\n\nfrom typing import Literal, TypedDict\n"
        .to_owned();
    for class in PYTHON_CLASSES {
        let (name, base, about) = (class.name, class.base, class.about);
        text += &format!("\n\nclass {name}({base}, total=False):\n    \"\"\"{about}\"\"\"\n\n");
        // `plies` is a parameter of all other methods.
        let has_plies = name == "RolloutSettings";
        for setting in SETTINGS.iter().filter(|setting| {
            class.scopes.contains(&setting.scope) && setting.name != "plies"
                || has_plies && setting.name == "plies"
        }) {
            text += &format!("    #: {}: {}\n", setting.help, setting.want());
            text += &format!("    {}: {}\n", setting.name, python_type(setting));
        }
        for (other, name) in class.others {
            let setting = SETTINGS
                .iter()
                .find(|setting| setting.name == *name)
                .unwrap();
            text += &format!("    #: `{name}`\n    {other}: {}\n", python_type(setting));
        }
    }
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/python/python/gammond/settings.py"
    );
    if std::env::var_os("GAMMOND_REWRITE").is_some() {
        std::fs::write(path, &text).unwrap();
        return;
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert_eq!(
        committed, text,
        "write it again: GAMMOND_REWRITE=1 cargo test --test it python_has_the_table"
    );
}
