//! Variables of tests and tools are those that CONTRIBUTING.md lists.

use super::base;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PREFIX: &str = "GAMMOND_";

/// Adds the variables that a text names.
fn add_variables(text: &str, found: &mut BTreeSet<String>) {
    let is_part = |sign: char| sign.is_ascii_uppercase() || sign.is_ascii_digit() || sign == '_';
    for (at, _) in text.match_indices(PREFIX) {
        let name: String = text[at..]
            .chars()
            .take_while(|&sign| is_part(sign))
            .collect();
        if name != PREFIX && !name.ends_with('_') {
            found.insert(name);
        }
    }
}

fn add_files(path: &Path, found: &mut BTreeSet<String>) {
    if path.is_dir() {
        let skipped = ["target", "node_modules", "data"];
        if !skipped.iter().any(|name| path.ends_with(name)) {
            for entry in fs::read_dir(path).unwrap() {
                add_files(&entry.unwrap().path(), found);
            }
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        add_variables(&text, found);
    }
}

/// The variables in CONTRIBUTING.md; `_SEED` in a row begins as the row's first one.
fn listed(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for row in text.lines() {
        let mut beginning = "";
        for word in row.split('`').skip(1).step_by(2) {
            if let Some(rest) = word.strip_prefix(PREFIX) {
                // The first two words of a name.
                beginning = &word[..PREFIX.len() + rest.find('_').unwrap_or(rest.len())];
                found.insert(word.to_owned());
            } else if word.starts_with('_') && !beginning.is_empty() {
                found.insert(format!("{beginning}{word}"));
            }
        }
    }
    found
}

#[test]
fn variables_of_tests_are_listed() {
    let (mut used, mut options) = (BTreeSet::new(), BTreeSet::new());
    for folder in ["tests", "tools", ".ci", "src"] {
        add_files(&base().join(folder), &mut used);
    }
    // Options of the program say their variables in its help.
    super::sources().iter().for_each(|(_, _, text)| {
        for (at, _) in text.match_indices("env = \"") {
            let name = text[at..].split('"').nth(1);
            options.extend(name.map(str::to_owned));
        }
    });
    // Names of the C interface.
    let header = fs::read_to_string(base().join("src/capi/gammond.h")).unwrap();
    add_variables(&header, &mut options);
    let text = fs::read_to_string(base().join("CONTRIBUTING.md")).unwrap();
    let listed = listed(&text);
    assert!(
        used.len() > 60 && options.len() > 40,
        "{used:?} {options:?}"
    );
    let unlisted: Vec<_> = used
        .iter()
        .filter(|name| !options.contains(*name) && !listed.contains(*name))
        .collect();
    assert!(unlisted.is_empty(), "not in CONTRIBUTING.md: {unlisted:?}");
    let unused: Vec<_> = listed.difference(&used).collect();
    assert!(
        unused.is_empty(),
        "CONTRIBUTING.md lists what nothing reads: {unused:?}"
    );
}

#[test]
fn variables_of_a_row_share_their_beginning() {
    // No variable of this test is one that the search above may find.
    let row = ["| `GAMMOND", "_A_ONE`, `_TWO` | x |"].concat();
    let names: Vec<String> = listed(&row).into_iter().collect();
    assert_eq!(
        names,
        [
            ["GAMMOND", "_A_ONE"].concat(),
            ["GAMMOND", "_A_TWO"].concat()
        ]
    );
}
