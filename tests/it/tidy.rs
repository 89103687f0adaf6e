//! The rules of ARCHITECTURE.md, held by reading the sources.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a source file before its tests, at most.
const FILE_LINES_MAX: usize = 800;

/// The rooms that each room may name in a `crate::` path, as in ARCHITECTURE.md.
const ARROWS: &[(&str, &str)] = &[
    ("rng", "game"),
    ("stats", ""),
    ("journal", ""),
    ("game", "rng"),
    ("nn", ""),
    ("notation", "game"),
    ("bearoff", "game"),
    ("equity", "game query"),
    ("query", "game"),
    ("eval", "game nn bearoff"),
    ("search", "game equity query eval bearoff rng"),
    (
        "rollout",
        "game equity query eval bearoff search rng stats journal",
    ),
    (
        "engine",
        "game nn notation bearoff equity query eval search rollout rng stats journal",
    ),
    ("protocol", "game notation query equity"),
    ("render", "game notation query stats equity"),
    (
        "service",
        "game notation query equity engine protocol render rng stats journal search rollout",
    ),
    (
        "benchmark",
        "game notation query equity eval search rollout engine duel rng stats journal render",
    ),
    (
        "duel",
        "game notation query equity eval search rollout engine protocol rng stats journal render",
    ),
    (
        "training",
        "game nn notation bearoff equity query eval search rollout engine benchmark duel rng stats \
         journal render",
    ),
];

fn sources() -> Vec<(PathBuf, String)> {
    fn walk(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    let mut found = Vec::new();
    walk(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut found,
    );
    assert!(found.len() > 20, "the sources were not found");
    found
}

/// What stands before the tests at the end of a file.
fn product(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests").next().unwrap()
}

fn room(path: &Path) -> String {
    let inside = path
        .strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
        .unwrap();
    let first = inside
        .components()
        .next()
        .unwrap()
        .as_os_str()
        .to_str()
        .unwrap();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn no_room_uses_a_room_it_may_not_know() {
    let arrows: BTreeMap<&str, Vec<&str>> = ARROWS
        .iter()
        .map(|&(room, may)| (room, may.split_whitespace().collect()))
        .collect();
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let here = room(&path);
        if matches!(here.as_str(), "lib" | "main" | "cli") {
            continue;
        }
        let may = arrows
            .get(here.as_str())
            .unwrap_or_else(|| panic!("unknown room {here}"));
        for line in product(&text)
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            for part in line.split("crate::").skip(1) {
                let name: String = part
                    .chars()
                    .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                    .collect();
                let known = arrows.contains_key(name.as_str());
                if known && name != here && !may.contains(&name.as_str()) {
                    wrong.push(format!("{}: {here} uses {name}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unsafe_code_lives_only_in_kernels_and_memory_maps() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let name = path.display().to_string();
        let allowed = name.contains("/kernel") || name.contains("/map") || name.contains("/simd");
        if !allowed && text.contains("allow(unsafe_code") {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_fit_in_a_head_and_say_what_they_are_for() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let lines = product(&text).lines().count();
        if lines > FILE_LINES_MAX {
            wrong.push(format!("{}: {lines} lines", path.display()));
        }
        if !text.starts_with("//!") {
            wrong.push(format!("{}: no module docs", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_async_below_the_service() {
    for (path, text) in sources() {
        let here = room(&path);
        if !matches!(here.as_str(), "service" | "cli") {
            assert!(!text.contains("tokio::"), "{}: tokio", path.display());
        }
    }
}

/// Every numbered rule of `protocol-specs/` (`**XY-01**` at the head of an item) is named by a test
/// or beside the code that keeps it.
#[test]
fn every_rule_of_the_specifications_is_cited() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cited = String::new();
    for (_, text) in sources() {
        cited.push_str(&text);
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
