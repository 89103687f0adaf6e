//! Markdown: length of lines, links, and the figures that README repeats.

use super::{base, holds};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Characters of a line, at most.
const LINE_CHARS_MAX: usize = 120;

/// Longer lines of each document: answers and lines of files as they are, and a table's cell that cannot be split.
const LONG_LINES: [(&str, usize); 2] = [
    ("protocol-specs/for-gnubg-users.md", 1),
    ("protocol-specs/for-programs.md", 1),
];

/// Rows of figures in BENCHMARKS.md.
const FIGURES: std::ops::RangeInclusive<usize> = 30..=50;

/// Returns all Markdown files of the repository with their texts.
fn documents() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![base().to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let skipped = ["target", ".git", "node_modules", "venv", ".venv"];
            if path.is_dir() && !path.is_symlink() && !skipped.contains(&name.as_str()) {
                open.push(path);
            } else if name.ends_with(".md") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 50, "the documents were not found");
    found.sort();
    found
}

/// Returns the lines outside of fenced code with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

#[test]
fn lines_of_documents_are_short() {
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        let long: Vec<String> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.chars().count() > LINE_CHARS_MAX)
            .map(|(number, line)| format!("{number}: {line}"))
            .collect();
        let allowed = LONG_LINES
            .iter()
            .find(|(name, _)| path == base().join(name))
            .map_or(0, |(_, count)| *count);
        if long.len() != allowed {
            wrong.push(format!(
                "{}: {} lines of more than {LINE_CHARS_MAX} characters, listed are {allowed}:\n{}",
                path.display(),
                long.len(),
                long.join("\n")
            ));
        }
    }
    holds(&wrong);
}

/// Returns the anchors of a page's headings, as forges and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings
        .map(|(_, line)| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

/// Returns the targets of the links and pictures of a line.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

#[test]
fn links_of_documents_lead_somewhere() {
    let (mut wrong, mut links) = (Vec::new(), 0);
    for (path, text) in documents() {
        for (number, line) in prose(&text) {
            for target in targets(line) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                links += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = match file {
                    "" => path.clone(),
                    _ => path.parent().unwrap_or(Path::new("")).join(file),
                };
                let is_page = file.extension().is_some_and(|extension| extension == "md");
                let there = file.exists()
                    && (anchor.is_empty()
                        || !is_page
                        || anchors(&fs::read_to_string(&file).unwrap()).contains(anchor));
                if !there {
                    wrong.push(format!("{}:{number}: {target}", path.display()));
                }
            }
        }
    }
    assert!(links > 200, "only {links} links were found");
    holds(&wrong);
}

/// Returns the cells of a table's row.
fn cells(row: &str) -> Vec<&str> {
    row.trim_matches('|').split('|').map(str::trim).collect()
}

/// BENCHMARKS.md is one page, and each of its rows names a command that stands below.
#[test]
fn figures_have_a_command_and_a_date() {
    let text = fs::read_to_string(base().join("BENCHMARKS.md")).unwrap();
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells = cells(line);
        let [_, _, machine, date, _, command] = cells[..] else {
            continue;
        };
        if command == "command" {
            continue;
        }
        rows += 1;
        let dated = date.len() == 10 && date.starts_with("20");
        let named = text.contains(&format!("\n- `{command}`"));
        if !dated || !named || !["q", "b", "-"].contains(&machine) {
            wrong.push(line.to_owned());
        }
    }
    assert!(FIGURES.contains(&rows), "{rows} rows in BENCHMARKS.md");
    assert!(text.lines().count() <= 130, "BENCHMARKS.md is one page");
    holds(&wrong);
}

/// The numbers of README's table "How good it is" stand in the rows of BENCHMARKS.md.
#[test]
fn figures_of_readme_stand_in_benchmarks() {
    let numbers = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
        let words = words.map(|word| word.trim_matches(['.', ',']).to_owned());
        words.filter(|word| word.len() > 2).collect()
    };
    let rows = |text: &str| -> String {
        let rows = text.lines().filter(|line| line.starts_with('|'));
        rows.collect::<Vec<_>>().join("\n")
    };
    let readme = fs::read_to_string(base().join("README.md")).unwrap();
    let (_, section) = readme.split_once("## How good it is").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let ours = numbers(&rows(section));
    assert!(ours.len() >= 10, "{ours:?}");
    let measured = fs::read_to_string(base().join("BENCHMARKS.md")).unwrap();
    let measured = numbers(&rows(&measured));
    let missing: Vec<String> = ours.difference(&measured).cloned().collect();
    assert!(missing.is_empty(), "not in BENCHMARKS.md: {missing:?}");
}
