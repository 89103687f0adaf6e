//! The names of the settings at the doors that have a choice of them, or names of their own.

use crate::setting_doors::PYTHON_CLASSES;
use gammond_console::{Console, ConsoleOptions, NoHost};
use gammond_engine::query::{SETTINGS, Scope, Setting};
use gammond_protocol::ubgi::{Ubgi, UbgiAction};
use serde_json::Value;
use std::collections::BTreeSet;

/// Commands of the console, each with its setting.
const CONSOLE: [(&str, &str); 28] = [
    ("plies", "set evaluation chequerplay evaluation plies"),
    ("cubeful", "set evaluation chequerplay evaluation cubeful"),
    ("filter", "set evaluation movefilter"),
    ("prune", "set evaluation chequerplay evaluation prune"),
    ("noise", "set evaluation chequerplay evaluation noise"),
    ("pr", "set player"),
    ("elo", "set player"),
    ("top", "hint"),
    ("length", "new match"),
    ("score", "set score"),
    ("crawford", "set crawford"),
    ("jacoby", "set jacoby"),
    ("variant", "set variation standard"),
    ("beavers", "set beavers"),
    ("cube", "set cube value"),
    ("owner", "set cube owner"),
    ("trials", "set rollout trials"),
    ("truncate", "set rollout truncation plies"),
    ("cubeplies", "set rollout cubedecision plies"),
    ("otherplies", "set rollout player"),
    ("othercubeplies", "set rollout player"),
    ("otherfilter", "set rollout player"),
    ("leafplies", "set rollout truncation chequerplay plies"),
    ("late", "set rollout later plies"),
    ("vr", "set rollout varredn"),
    ("se", "set rollout limit maxerror"),
    ("jsd", "set rollout jsd limit"),
    ("seed", "set rollout seed"),
];

/// Options of UBGI, each with its setting.
const UBGI: [(&str, &str); 10] = [
    ("plies", "engine.ply"),
    ("elo", "engine.elo"),
    ("seed", "engine.seed"),
    ("level", "engine.level"),
    ("cubeful", "engine.eval_mode"),
    ("filter", "engine.filter"),
    ("length", "game.length"),
    ("score", "game.score"),
    ("jacoby", "game.jacoby"),
    ("variant", "game.variant"),
];

/// Options of UBGI that are no settings of requests: `game.crawford` is whether matches have a Crawford game.
const UBGI_ALONE: [&str; 5] = [
    "engine.deterministic",
    "engine.limit_strength",
    "engine.nets",
    "engine.threads",
    "game.crawford",
];

fn named(list: &[(&str, &'static str)], setting: &Setting) -> Option<&'static str> {
    let found = list.iter().find(|(name, _)| *name == setting.name);
    found.map(|found| found.1)
}

fn json(file: &str) -> Value {
    serde_json::from_slice(&std::fs::read(crate::support::root().join(file)).unwrap()).unwrap()
}

/// Returns the parameters of a GET of HTTP.
fn of_http() -> BTreeSet<String> {
    let description = json("protocol-specs/openapi.json");
    let paths = description["paths"].as_object().unwrap();
    let verbs = paths.iter().filter(|(path, _)| path.starts_with("/v1/"));
    let parameters = verbs.filter_map(|(_, path)| path["get"]["parameters"].as_array());
    let names = parameters.flatten().map(|one| &one["name"]);
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// Returns the arguments of the tools of MCP; `state` is cube, score and rules.
fn of_mcp() -> BTreeSet<String> {
    let file = json("src/server/http/paths/mcp/tools.json");
    let tools = file["tools"].as_array().unwrap().iter();
    let names = tools.flat_map(|tool| tool["arguments"].as_array().unwrap());
    let mut names: BTreeSet<String> = names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    if names.remove("state") {
        let state = SETTINGS.iter().filter(|one| is_of_state(one));
        names.extend(state.map(|setting| setting.name.to_owned()));
    }
    names
}

fn is_of_state(setting: &Setting) -> bool {
    matches!(setting.scope, Scope::State | Scope::Rules)
}

/// Returns the name that a setting has in Python, where cube, score and rules are a `MatchState`.
fn in_python(setting: &Setting, stub: &str) -> Option<String> {
    if is_of_state(setting) {
        assert!(stub.contains(&format!("\n        {}: ", setting.name)));
        return Some(setting.name.to_owned());
    }
    let classes = PYTHON_CLASSES.iter();
    let others = classes.clone().flat_map(|class| class.others);
    let other = others.clone().find(|(_, name)| *name == setting.name);
    let takes = classes
        .flat_map(|class| class.scopes)
        .any(|scope| *scope == setting.scope);
    takes.then(|| match other {
        Some((other, name)) => format!("{name}`, `{other}"),
        None => setting.name.to_owned(),
    })
}

/// Returns a row for each setting with its name at each door, `yes` where it is the setting's own name.
pub(crate) fn table() -> String {
    let (http, mcp) = (of_http(), of_mcp());
    let stub = std::fs::read_to_string(
        crate::support::root().join("src/python/python/gammond/_gammond.pyi"),
    );
    let stub = stub.unwrap();
    let mut text = "| setting | HTTP | MCP | Python | UBGI | players, options | console |\n\
                    |---|---|---|---|---|---|---|\n"
        .to_owned();
    for setting in SETTINGS {
        let name = setting.name;
        let own = |has: bool| has.then(|| name.to_owned());
        let in_mcp = match name {
            "time" if mcp.contains("time_s") => Some("time_s".to_owned()),
            _ => own(mcp.contains(name)),
        };
        let cells = [
            own(http.contains(name)),
            in_mcp,
            in_python(setting, &stub),
            named(&UBGI, setting).map(str::to_owned),
            own(setting.scope.is_of_player()),
            named(&CONSOLE, setting).map(str::to_owned),
        ];
        let cells = cells.map(|cell| match cell {
            Some(cell) if cell == name => "yes".to_owned(),
            Some(cell) => format!("`{cell}`"),
            None => String::new(),
        });
        text += &format!("| `{name}` | {} |\n", cells.join(" | "));
    }
    text
}

/// S-02: the console has the commands that the table names, and UBGI its options and no others.
#[test]
fn console_and_ubgi_have_the_names_of_the_table() {
    let mut console = Console::new(ConsoleOptions::default());
    for (name, command) in CONSOLE {
        assert!(Setting::named(name).is_some(), "{name}");
        let help = console
            .line(format!("help {command}").as_bytes(), &mut NoHost)
            .out;
        let first = help.lines().next().unwrap();
        assert!(first.starts_with(command), "{command}: {help}");
        let is_parent = help.contains("<subcommand>") || help.starts_with("No help");
        assert!(!is_parent, "{command}: {help}");
    }
    let mut machine = Ubgi::new(&Default::default(), "embedded", 1, true);
    let UbgiAction::Say(keys) = machine.line(b"keys") else {
        panic!("no answer to keys")
    };
    let options = keys.lines().filter_map(|line| line.strip_prefix("key "));
    let options: BTreeSet<&str> = options
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let settings = UBGI.iter().map(|(name, option)| {
        assert!(Setting::named(name).is_some(), "{name}");
        *option
    });
    assert_eq!(options, settings.chain(UBGI_ALONE).collect());
}
