//! Every numbered rule of `protocol-specs/` is named by a test function: in its comment or in its body.

use super::base;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The id of a rule that begins on this line: `- **PID-03** …`, `**PID-03** …` or with backticks.
pub(super) fn rule_id(line: &str) -> Option<&str> {
    let rest = line.trim_start().trim_start_matches("- ");
    let (rest, mark) = match rest.strip_prefix("**") {
        Some(rest) => (rest, "**"),
        None => (rest.strip_prefix('`')?, "`"),
    };
    let (id, _) = rest.split_once(mark)?;
    let id = id.trim_end_matches(['.', ':']);
    let (letters, digits) = id.rsplit_once('-')?;
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte == b'-';
    let good = !letters.is_empty()
        && letters.bytes().all(is_letter)
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    good.then_some(id)
}

/// Returns the test functions of a file, each with the comments before it.
fn test_functions(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if !(code.starts_with("#[test]") || code.starts_with("#[tokio::test")) {
            continue;
        }
        let indent = &line[..line.len() - code.len()];
        let is_before = |line: &&&str| {
            let line = line.trim_start();
            (line.starts_with("//") && !line.starts_with("//!")) || line.starts_with("#[")
        };
        let before = lines[..number].iter().rev().take_while(is_before).count();
        let end = format!("{indent}}}");
        let is_inside = |line: &&&str| !line.starts_with(&end);
        let after = lines[number..].iter().take_while(is_inside).count();
        found.push(lines[number - before..number + after].join("\n"));
    }
    found
}

/// Adds the ids that a text names. A range names its ends only: its author has not checked each.
fn add_ids(text: &str, ids: &mut BTreeSet<String>) {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
    let words = text.split(|sign: char| !is_part(sign));
    ids.extend(words.filter(|word| word.contains('-')).map(str::to_owned));
}

/// Calls `work` with the text of each Rust file below a folder.
fn rust_files(folder: &Path, work: &mut impl FnMut(&str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, work);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            work(&fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the rules of a document that no test names.
fn unnamed(document: &str, named: &BTreeSet<String>) -> Vec<String> {
    let rules = document.lines().filter_map(rule_id);
    let missing = rules.filter(|id| !named.contains(*id));
    missing.map(str::to_owned).collect()
}

#[test]
fn every_rule_of_the_specifications_is_named_by_a_test() {
    let mut named = BTreeSet::new();
    for folder in ["tests/it", "src"] {
        rust_files(&base().join(folder), &mut |text| {
            for function in test_functions(text) {
                add_ids(&function, &mut named);
            }
        });
    }
    let (mut rules, mut missing) = (0, Vec::new());
    for entry in fs::read_dir(base().join("protocol-specs")).unwrap() {
        let path = entry.unwrap().path();
        // Records of measurements are folders and have no rules.
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        rules += text.lines().filter_map(rule_id).count();
        let name = path.file_name().unwrap().display().to_string();
        missing.extend(
            unnamed(&text, &named)
                .iter()
                .map(|id| format!("{name}: {id}")),
        );
        // A rule without a test is found in each document.
        for made_up in ["- **", "- `"] {
            let id = ["NO", "99"].join("-");
            let more = format!("{text}\n{made_up}{id}{} x", &made_up[2..]);
            assert!(unnamed(&more, &named).contains(&id), "{name}: {made_up}");
        }
    }
    assert!(rules > 650, "{rules} rules were found");
    assert!(
        missing.is_empty(),
        "rules that no test names:\n{}",
        missing.join("\n")
    );
}

/// Text outside of a test function counts for nothing.
#[test]
fn only_test_functions_name_rules() {
    let text = "//! XA-01\n/// XA-02\n#[test]\nfn one() {\n    // XA-03, XA-05\n}\n// XA-06\nfn other() {}\n";
    let mut named = BTreeSet::new();
    for function in test_functions(text) {
        add_ids(&function, &mut named);
    }
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    assert_eq!(named, ["XA-02", "XA-03", "XA-05"]);
}
