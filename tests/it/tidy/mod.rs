//! The rules of ARCHITECTURE.md, held by reading the sources.

mod imports;
mod listed;
mod promises;
mod table;

use imports::Module;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a source file before its tests, at most.
const FILE_LINES_MAX: usize = 800;

/// Arrows that still lead upwards: who, whom, why. Only ever shortened.
const UPWARD_FOR_NOW: &[(&str, &str, &str)] = &[];

/// Circles of files that still stand, with the room's name left out. Only ever shortened.
const CIRCLES_FOR_NOW: &[(&str, &[&str])] = &[];

fn base() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Each source file of the crate: path, module, text.
fn sources() -> Vec<(PathBuf, Module, String)> {
    let root = base().join("src");
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let inside = path.strip_prefix(&root).unwrap().with_extension("");
                let names = inside.iter().map(|name| name.to_str().unwrap().to_owned());
                let mut module: Module = names.collect();
                module.pop_if(|last| last == "mod");
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, module, text));
            }
        }
    }
    assert!(found.len() > 20, "the sources were not found");
    found.sort();
    found
}

/// The modules with their texts.
fn texts() -> Vec<(Module, String)> {
    let sources = sources().into_iter();
    sources
        .filter(|(path, _, _)| !path.ends_with("bearoff/build.rs"))
        .map(|(_, module, text)| (module, text))
        .collect()
}

/// Which rooms each room uses.
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, targets) in imports::uses_and_reexports(&texts()) {
        let here = module[0].clone();
        if matches!(here.as_str(), "lib" | "main") {
            continue;
        }
        let others = targets.into_iter().map(|target| target[0].clone());
        let others = others.filter(|other| *other != here).collect::<Vec<_>>();
        found.entry(here).or_default().extend(others);
    }
    found
}

fn rooms() -> BTreeMap<String, table::Room> {
    table::rooms(&fs::read_to_string(base().join("ARCHITECTURE.md")).unwrap())
}

/// What stands before the tests at the end of a file.
fn product(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests").next().unwrap()
}

fn holds(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_rooms_are_those_of_the_table() {
    let (rooms, arrows) = (rooms(), arrows());
    let mut wrong = Vec::new();
    for name in arrows.keys() {
        match rooms.get(name) {
            None => wrong.push(format!("{name} has no row in ARCHITECTURE.md")),
            Some(room) if room.planned => {
                wrong.push(format!("{name} is built, the table says not yet"))
            }
            Some(_) => {}
        }
    }
    for (name, room) in &rooms {
        if !room.planned && !arrows.contains_key(name) {
            wrong.push(format!("ARCHITECTURE.md has {name}, the sources have not"));
        }
    }
    holds(&wrong);
}

#[test]
fn arrows_are_those_of_the_table() {
    let (rooms, arrows) = (rooms(), arrows());
    let mut wrong = Vec::new();
    for (name, used) in &arrows {
        let Some(room) = rooms.get(name) else {
            continue;
        };
        for other in used {
            if !room.may_use.contains(other) && !is_upward_for_now(name, other) {
                wrong.push(format!(
                    "{name} uses {other}, which ARCHITECTURE.md does not allow"
                ));
            }
        }
    }
    holds(&wrong);
}

fn is_upward_for_now(from: &str, to: &str) -> bool {
    UPWARD_FOR_NOW.iter().any(|&(f, t, _)| (f, t) == (from, to))
}

#[test]
fn no_arrow_leads_upwards() {
    let (rooms, arrows) = (rooms(), arrows());
    let mut wrong = Vec::new();
    for (name, room) in &rooms {
        for other in &room.may_use {
            if rooms[other].layer > room.layer {
                wrong.push(format!(
                    "ARCHITECTURE.md: {name} may use {other}, which stands above it"
                ));
            }
        }
    }
    // Rooms of one layer may use each other, but not in a circle.
    let kept = arrows.iter().map(|(name, used)| {
        let used = used.iter().filter(|other| !is_upward_for_now(name, other));
        (
            vec![name.clone()],
            used.map(|other| vec![other.clone()]).collect(),
        )
    });
    for circle in imports::circles(&kept.collect()) {
        wrong.push(format!("a circle of rooms: {circle:?}"));
    }
    holds(&wrong);
}

/// The circles of files inside rooms, with what each file of a circle uses of it.
fn circles_of_files() -> Vec<BTreeMap<Module, BTreeSet<Module>>> {
    let inside: BTreeMap<Module, BTreeSet<Module>> = imports::uses(&texts())
        .into_iter()
        .map(|(module, targets)| {
            let room = module[0].clone();
            let same = targets.into_iter().filter(|target| target[0] == room);
            (module, same.collect())
        })
        .collect();
    let with_uses = |circle: BTreeSet<Module>| {
        let uses = |module: &Module| inside[module].intersection(&circle).cloned().collect();
        circle
            .iter()
            .map(|module| (module.clone(), uses(module)))
            .collect()
    };
    imports::circles(&inside)
        .into_iter()
        .map(with_uses)
        .collect()
}

fn name_in_room(module: &Module) -> String {
    module[1..].join("::")
}

/// Which entry of [`CIRCLES_FOR_NOW`] holds all these files.
fn excuse(circle: &BTreeMap<Module, BTreeSet<Module>>) -> Option<usize> {
    CIRCLES_FOR_NOW.iter().position(|(room, files)| {
        let listed = |module: &Module| files.contains(&name_in_room(module).as_str());
        circle
            .keys()
            .all(|module| module[0] == *room && listed(module))
    })
}

#[test]
fn no_files_use_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for circle in circles_of_files() {
        if excuse(&circle).is_some() {
            continue;
        }
        wrong.push("a circle of files:".to_owned());
        for (module, used) in &circle {
            let used: Vec<String> = used.iter().map(name_in_room).collect();
            wrong.push(format!(
                "    {} uses {}",
                module.join("::"),
                used.join(", ")
            ));
        }
    }
    holds(&wrong);
}

/// The table names no room that is not used, and the lists above hold nothing that is mended.
#[test]
fn nothing_is_allowed_that_is_not_needed() {
    let (rooms, arrows) = (rooms(), arrows());
    let uses = |from: &str, to: &str| arrows.get(from).is_some_and(|used| used.contains(to));
    let mut wrong = Vec::new();
    for (name, room) in rooms.iter().filter(|(_, room)| !room.planned) {
        for other in room.named.iter().filter(|&other| !uses(name, other)) {
            if !rooms[other].planned {
                wrong.push(format!(
                    "ARCHITECTURE.md allows {name} to use {other}, which it does not"
                ));
            }
        }
    }
    for (from, to, _) in UPWARD_FOR_NOW.iter().filter(|(f, t, _)| !uses(f, t)) {
        wrong.push(format!("UPWARD_FOR_NOW: {from} does not use {to} any more"));
    }
    let standing: BTreeSet<usize> = circles_of_files().iter().filter_map(excuse).collect();
    for (at, (room, files)) in CIRCLES_FOR_NOW.iter().enumerate() {
        if !standing.contains(&at) {
            wrong.push(format!(
                "CIRCLES_FOR_NOW: {room} {files:?} is a circle no more"
            ));
        }
    }
    holds(&wrong);
}

#[test]
fn unsafe_code_lives_only_in_kernels_and_memory_maps() {
    let mut wrong = Vec::new();
    for (path, _, text) in sources() {
        let name = path.display().to_string();
        let allowed = name.contains("/kernel") || name.contains("/map") || name.contains("/simd");
        let opened = ["allow(unsafe_code", "expect(unsafe_code"];
        if !allowed && opened.iter().any(|opening| text.contains(opening)) {
            wrong.push(name);
        }
    }
    holds(&wrong);
}

#[test]
fn files_fit_in_a_head_and_say_what_they_are_for() {
    let mut wrong = Vec::new();
    for (path, _, text) in sources() {
        let lines = product(&text).lines().count();
        if lines > FILE_LINES_MAX {
            wrong.push(format!("{}: {lines} lines", path.display()));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{}: no module docs", path.display()));
        }
    }
    holds(&wrong);
}

/// Async code is the service's; environment, clock, logging and printing are not for rooms below the
/// engine.
#[test]
fn lower_rooms_do_without_the_outside_world() {
    let rooms = rooms();
    let engine = rooms["engine"].layer;
    let outside = [
        "println",
        "eprintln",
        "print",
        "eprint",
        "tracing",
        "Instant",
        "SystemTime",
        "env",
    ];
    let mut wrong = Vec::new();
    for (path, module, text) in sources() {
        let tokens = imports::tokens(product(&text));
        let here = module[0].as_str();
        let uses = |word: &str| {
            tokens
                .windows(2)
                .any(|pair| pair[0] == word && (pair[1] == "::" || pair[1] == "!" && word != "env"))
        };
        // `platform` has the sockets and signals that `service` and `cli` wait for; `nats` and `farm` wait for their
        // server.
        if !matches!(here, "service" | "nats" | "farm" | "cli" | "platform") && uses("tokio") {
            wrong.push(format!("{}: tokio", path.display()));
        }
        let below = rooms.get(here).is_some_and(|room| room.layer < engine);
        if below && !path.ends_with("bearoff/build.rs") {
            // `env!` is read when the program is built.
            let found = outside.iter().filter(|word| uses(word));
            wrong.extend(found.map(|word| format!("{}: {word}", path.display())));
        }
    }
    holds(&wrong);
}

/// Every numbered rule of `protocol-specs/` (`**XY-01**` at the head of an item) is named by a test.
#[test]
fn every_rule_of_the_specifications_is_cited() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cited = String::new();
    for (_, _, text) in sources() {
        cited.extend(text.split_once("\n#[cfg(test)]").map(|(_, tests)| tests));
    }
    for folder in ["tests/it", "tests/data", "tools"] {
        let mut folders = vec![base.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.ends_with("target") {
                    folders.push(path);
                } else if let Ok(text) = fs::read_to_string(&path) {
                    cited.push_str(&text);
                }
            }
        }
    }
    let mut missing = Vec::new();
    for entry in fs::read_dir(base.join("protocol-specs")).unwrap() {
        let path = entry.unwrap().path();
        for line in fs::read_to_string(&path).unwrap().lines() {
            let Some(id) = rule_id(line) else { continue };
            if !cited.contains(id) {
                missing.push(format!("{}: {id}", path.file_name().unwrap().display()));
            }
        }
    }
    assert!(
        missing.is_empty(),
        "rules that no test names:\n{}",
        missing.join("\n")
    );
}

/// Public types whose name stands in two files are those that ARCHITECTURE.md lists.
#[test]
fn names_that_stand_twice_are_listed() {
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, _, text) in sources() {
        for line in product(&text).lines() {
            let words: Vec<&str> = line.split_whitespace().take(3).collect();
            if let ["pub", "struct" | "enum" | "trait" | "type", name] = words[..] {
                let is_part = |c: char| !c.is_alphanumeric();
                let name = name.split(is_part).next().unwrap().to_owned();
                files.entry(name).or_default().insert(path.clone());
            }
        }
    }
    let twice = files.into_iter().filter(|(_, files)| files.len() > 1);
    let twice: BTreeSet<String> = twice.map(|(name, _)| name).collect();
    let text = fs::read_to_string(base().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text.split_once("exist twice or more:").unwrap();
    let (list, _) = section.split_once('.').unwrap();
    let listed = list.split('`').skip(1).step_by(2).map(str::to_owned);
    assert_eq!(listed.collect::<BTreeSet<String>>(), twice);
}

/// The id of a rule that begins on this line: `- **PID-03** …` or `**PID-03** …`.
fn rule_id(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches("- ").strip_prefix("**")?;
    let (id, _) = rest.split_once("**")?;
    let id = id.trim_end_matches(['.', ':']);
    let (letters, digits) = id.rsplit_once('-')?;
    let good = !letters.is_empty()
        && letters
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'-')
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    good.then_some(id)
}
