//! `protocol-specs/reliability.md` and `security.md` name what shows each promise, and all of that is there.

use super::base;
use std::fs;
use std::path::Path;

/// The texts of a file or of all files of a folder, with their paths.
fn texts(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            texts(&entry.unwrap().path(), found);
        }
    } else if let Ok(text) = fs::read_to_string(path) {
        found.push((path.display().to_string(), text));
    }
}

/// Whether one of the texts has this name, or one that begins so before `*`.
fn has(texts: &[(String, String)], before: &str, name: &str, after: &str) -> bool {
    let (name, after) = match name.strip_suffix('*') {
        Some(begin) => (begin, ""),
        None => (name, after),
    };
    let wanted = format!("{before}{name}{after}");
    texts.iter().any(|(_, text)| text.contains(&wanted))
}

#[test]
fn tests_cited_by_the_reliability_page_exist() {
    items_name_what_is_there("protocol-specs/reliability.md", "- R-", 30);
}

#[test]
fn tests_cited_by_the_security_page_exist() {
    items_name_what_is_there("protocol-specs/security.md", "- S-", 20);
}

/// Joins each list item that begins so with its indented lines.
fn items(text: &str, begin: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with(begin) {
            found.push(line.to_owned());
            inside = true;
        } else if let (true, Some(rest)) = (inside, line.strip_prefix("  ")) {
            let item = found.last_mut().unwrap();
            item.push(' ');
            item.push_str(rest);
        } else {
            inside = false;
        }
    }
    found
}

/// Checks the names behind "Shown by:" in the items that begin so, of which there are more than `least`.
fn items_name_what_is_there(document: &str, begin: &str, least: usize) {
    let goals = fs::read_to_string(base().join(document)).unwrap();
    let (mut tests, mut attacks) = (Vec::new(), Vec::new());
    for folder in super::test_folders() {
        texts(&folder, &mut tests);
    }
    texts(&base().join("tools/hostile/src/attacks"), &mut attacks);
    let (mut wrong, rows) = (Vec::new(), items(&goals, begin));
    for row in &rows {
        let Some((_, shown)) = row.split_once(" Shown by: ") else {
            wrong.push(format!("{row}: is not shown"));
            continue;
        };
        let names: Vec<&str> = shown.split('`').skip(1).step_by(2).collect();
        if names.is_empty() && !shown.contains("*not shown*") && !shown.contains("every attack") {
            wrong.push(format!("{row}: names nothing"));
        }
        let mut room = "";
        for name in names {
            let word = name.split_whitespace().next().unwrap();
            let here = if word.contains('/') {
                base().join(word).exists()
            } else if let Some((module, test)) = name.split_once("::") {
                room = module;
                is_test(&tests, room, test.rsplit("::").next().unwrap())
            } else if name.starts_with("GAMMOND_") {
                true
            } else if name.contains('_') {
                is_test(&tests, room, name)
            } else if name.contains('.') || name.contains(' ') {
                true
            } else {
                has(&attacks, "\"", name, "\"")
            };
            if !here {
                wrong.push(format!("{}: no {name}", &row[..6]));
            }
        }
    }
    assert!(rows.len() > least, "the items of {document} were not found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether a module of the tests has this test, or this file; the empty name is the module itself.
fn is_test(tests: &[(String, String)], module: &str, test: &str) -> bool {
    let of = |path: &str| {
        path.ends_with(&format!("/{module}.rs")) || path.contains(&format!("/{module}/"))
    };
    let function = format!("fn {test}(");
    let file = format!("/{test}.rs");
    tests.iter().any(|(path, text)| {
        of(path) && (test.is_empty() || text.contains(&function) || path.ends_with(&file))
    })
}

/// The figures are of the nets that ship: the README and BENCHMARKS.md name the strong and the fast contact net by the names
/// in their files.
#[test]
fn figures_are_of_the_nets_that_ship() {
    for (file, documents) in [
        ("nets/contact.net", &["README.md", "BENCHMARKS.md"][..]),
        ("nets/contact-fast.net", &["BENCHMARKS.md"][..]),
    ] {
        let bytes = fs::read(base().join(file)).unwrap();
        // 32 bytes from 44 on, filled up with zeros: `protocol-specs/net-file.md`.
        let name = String::from_utf8(bytes[44..76].to_vec()).unwrap();
        let name = name.trim_end_matches('\0');
        assert!(name.starts_with("contact-"), "{file}: {name:?}");
        for document in documents {
            let text = fs::read_to_string(base().join(document)).unwrap();
            assert!(
                text.contains(name),
                "{document} does not name {name} of {file}"
            );
        }
    }
}

/// The documents use no word that only their authors know.
#[test]
fn documents_use_words_that_are_defined() {
    const UNKNOWN: [&str; 6] = [
        "the oracle",
        "the notes",
        "the first line tells",
        "lost for certain",
        "interval beside zero",
        "not full yet",
    ];
    let mut found = Vec::new();
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "BENCHMARKS.md",
        "CHANGELOG.md",
    ] {
        texts(&base().join(name), &mut found);
    }
    texts(&base().join("protocol-specs"), &mut found);
    assert!(found.len() > 20);
    for (path, text) in &found {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in UNKNOWN {
            assert!(!text.contains(word), "{path}: {word:?}");
        }
    }
}
