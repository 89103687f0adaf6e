//! The rules of ARCHITECTURE.md, held by reading the sources.

mod documents;
mod layers;
mod listed;
mod promises;
mod rules;
mod sleeps;
mod table;
mod tools;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The names of a module, from the crate's folder on.
type Module = Vec<String>;

/// Lines of a source file before its tests, at most.
const FILE_LINES_MAX: usize = 800;

fn base() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of the integration tests: those of the program, and those of each crate.
fn test_folders() -> Vec<PathBuf> {
    let crates = fs::read_dir(base().join("src")).unwrap();
    let crates = crates.map(|entry| entry.unwrap().path().join("tests/it"));
    let mut found: Vec<PathBuf> = crates.filter(|folder| folder.exists()).collect();
    found.push(base().join("tests/it"));
    found
}

/// Each source file of the crates but their integration tests: path, module, text.
fn sources() -> Vec<(PathBuf, Module, String)> {
    let root = base().join("src");
    let mut found = Vec::new();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    open.push(path);
                }
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

/// What stands before the tests at the end of a file.
fn product(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests").next().unwrap()
}

fn holds(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_lives_only_in_kernels_and_the_c_interface() {
    let mut wrong = Vec::new();
    for (path, _, text) in sources() {
        let name = path.display().to_string();
        let allowed = name.contains("/kernel")
            || ["/capi/lib.rs", "/wasm/lib.rs", "/wildbg/lib.rs"]
                .iter()
                .any(|file| name.ends_with(file));
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

/// Doc comments begin with a verb or with what the item is, not with a question word; a few in a hundred may.
#[test]
fn doc_comments_begin_with_a_verb_or_a_noun() {
    const OPENINGS: [&str; 10] = [
        "What", "Who", "Whether", "Where", "How", "Of", "Why", "When", "Which", "Whose",
    ];
    let (mut comments, mut questions) = (0, Vec::new());
    for (path, _, text) in sources() {
        let mut inside = false;
        for (number, line) in (1..).zip(text.lines()) {
            let comment = (line.trim_start().strip_prefix("///"))
                .or_else(|| line.trim_start().strip_prefix("//!"));
            let first = comment.and_then(|comment| comment.split_whitespace().next());
            if let Some(first) = first.filter(|_| !inside) {
                comments += 1;
                if OPENINGS.contains(&first) {
                    questions.push(format!("{}:{number}: {}", path.display(), line.trim()));
                }
            }
            inside = comment.is_some();
        }
    }
    assert!(comments > 5000, "{comments} doc comments were found");
    let most = comments * 4 / 100;
    let found = questions.len();
    questions.truncate(20);
    assert!(
        found <= most,
        "{found} of {comments} doc comments begin with a question word, at most {most} may:\n{}",
        questions.join("\n")
    );
}

/// Environment, clock, logging, printing and async code are not for what lies below the engine, nor for the machines of
/// the bots.
#[test]
fn lower_crates_use_no_io() {
    let outside = [
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "tracing::",
        "Instant::",
        "SystemTime::",
        "env::",
        "tokio::",
    ];
    let mut wrong = Vec::new();
    for (path, module, text) in sources() {
        let below = match module.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["base" | "job" | "game", ..] => true,
            ["engine", room, ..] => room != "engine",
            ["bots", _, "machine", ..] | ["bots", "shared", "record"] => true,
            _ => false,
        };
        if !below || path.ends_with("bearoff/build.rs") {
            continue;
        }
        for line in product(&text).lines() {
            let code = line.split("//").next().unwrap_or_default();
            let before = |at: usize| code[..at].chars().next_back();
            let uses = |word: &&&str| {
                let mut found = code.match_indices(**word);
                found.any(|(at, _)| !before(at).is_some_and(|c| c.is_alphanumeric() || c == '_'))
            };
            let found = outside.iter().filter(uses);
            wrong.extend(found.map(|word| format!("{}: {word}", path.display())));
        }
    }
    holds(&wrong);
}

/// Public types whose name stands in two files are those that ARCHITECTURE.md lists.
#[test]
fn names_that_stand_twice_are_listed() {
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, _, text) in sources() {
        // What other systems have in the place of something has its name.
        if path.ends_with("platform/other.rs") {
            continue;
        }
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

/// Whether a player needs one point, and with it which game is the Crawford game, is decided in `game` alone.
#[test]
fn crawford_game_is_decided_in_one_crate() {
    let decides = |line: &str| {
        let compares = ["+ 1 ==", "+ 1 !=", "add(1) ==", "add(1) !="];
        line.contains("length") && compares.iter().any(|compare| line.contains(compare))
    };
    let (mut inside, mut wrong) = (0, Vec::new());
    for (path, module, text) in sources() {
        for line in product(&text).lines().filter(|line| decides(line)) {
            match module.first().is_some_and(|name| name == "game") {
                true => inside += 1,
                false => wrong.push(format!("{}: {}", path.display(), line.trim())),
            }
        }
    }
    assert!(inside > 0, "the search finds nothing any more");
    holds(&wrong);
}

/// Reports write numbers with a sign by `signed` alone, so that none shows a zero with a minus.
#[test]
fn reports_write_signs_in_one_place() {
    let signs = [":+.", ":>+", ":<+"];
    let (mut inside, mut wrong) = (0, Vec::new());
    for (path, module, text) in sources() {
        let is_report = ["report", "arena", "cli"].contains(&module[0].as_str());
        for line in product(&text).lines().filter(|_| is_report) {
            match signs.iter().any(|sign| line.contains(sign)) {
                true if path.ends_with("report/render/mod.rs") => inside += 1,
                true => wrong.push(format!("{}: {}", path.display(), line.trim())),
                false => {}
            }
        }
    }
    assert_eq!(inside, 1, "`signed` was not found");
    holds(&wrong);
}
