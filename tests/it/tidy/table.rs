//! The tables of ARCHITECTURE.md: crates, and the files that one touches.

use super::base;
use std::collections::BTreeSet;
use std::fs;

/// What a manifest says that its crate uses, tests not counted: the names of all packages.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut counts = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            counts = line.ends_with("dependencies]")
                && !line.contains("dev-")
                && !line.starts_with("[workspace");
        } else if let (true, Some((name, _))) = (counts, line.split_once([' ', '.', '='])) {
            found.insert(name.to_owned());
        }
    }
    found
}

/// Each crate uses those of ours that the table says, and async code stands above the protocols.
#[test]
fn crates_are_those_of_the_table() {
    let text = fs::read_to_string(base().join("ARCHITECTURE.md")).unwrap();
    let (mut rows, mut wrong) = (0, Vec::new());
    let mut above = BTreeSet::new();
    for row in text.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let ["", names, _, uses, ""] = cells[..] else {
            continue;
        };
        let Some((folder, name)) = names.trim_matches('`').split_once("` `gammond") else {
            continue;
        };
        rows += 1;
        let manifest = fs::read_to_string(base().join(folder).join("Cargo.toml")).unwrap();
        assert!(
            manifest.contains(&format!("name = \"gammond{name}\"")),
            "{row}"
        );
        let used = dependencies(&manifest);
        let ours = used.iter().filter_map(|one| one.strip_prefix("gammond-"));
        let mut listed: BTreeSet<&str> = uses.split('`').skip(1).step_by(2).collect();
        if uses.starts_with("all above but ") {
            listed = &above - &listed;
        }
        above.extend(name.strip_prefix('-'));
        if ours.collect::<BTreeSet<_>>() != listed {
            wrong.push(format!("{row}: {used:?}"));
        }
        if used.contains("tokio") && !matches!(folder, "src/bots" | "src/server" | "src/farm") {
            wrong.push(format!("{folder}: tokio"));
        }
    }
    let folders = fs::read_dir(base().join("src")).unwrap().count();
    // The nets have a crate of their own.
    assert_eq!(rows, folders + 1);
    super::holds(&wrong);
}

/// The files that one touches for something new are there, and as many as the table says.
#[test]
fn files_named_by_architecture_exist() {
    let text = std::fs::read_to_string(super::base().join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text.split_once("## What one touches").unwrap();
    let (table, _) = rest.split_once("\n## ").unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [what, now, files] = cells[..] else {
            panic!("{row}")
        };
        let Ok(now) = now.parse::<usize>() else {
            continue;
        };
        let mut found = Vec::new();
        for name in files.split('`').skip(1).step_by(2) {
            match (name.split_once('{'), name.split_once('}')) {
                (Some((before, _)), Some((within, after))) => {
                    let within = within.split_once('{').unwrap().1;
                    found.extend(within.split(',').map(|one| format!("{before}{one}{after}")));
                }
                _ => found.push(name.to_owned()),
            }
        }
        let invented = |name: &&String| name.contains("NAME") || name.contains("MODULE");
        for name in found.iter().filter(|name| !invented(name)) {
            assert!(
                super::base().join("src").join(name).exists(),
                "{what}: {name}"
            );
        }
        assert_eq!(found.len(), now, "{what}: {found:?}");
        rows += 1;
    }
    assert_eq!(rows, 15);
}

/// Commands of the console are named in two files, as the table says: their own and the list.
#[test]
fn command_of_the_console_is_in_two_files() {
    let files = |word: &str| -> BTreeSet<String> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let sources = super::sources().into_iter();
        let named = sources.filter(|(_, module, text)| {
            let mut words = super::product(text).split(|c| !is_part(c));
            module[0] == "console" && words.any(|one| one == word)
        });
        named.map(|(_, module, _)| module.join("/")).collect()
    };
    for name in ["dicerolls", "relational"] {
        let both = [
            "console/commands".to_owned(),
            format!("console/commands/{name}"),
        ];
        assert_eq!(files(name), BTreeSet::from(both));
    }
}
