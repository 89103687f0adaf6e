//! Markdown: length of lines, links, and the figures that README repeats. And the length of lines in the pages' files.

use super::{base, holds, rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Characters of a line, at most.
const LINE_CHARS_MAX: usize = 120;
/// Characters of a line in the files of the pages, at most.
const PAGE_LINE_CHARS_MAX: usize = 160;

/// Longer lines of each file: answers and lines of files as they are, a table's cell and texts that cannot be split.
const LONG_LINES: [(&str, usize); 4] = [
    ("protocol-specs/for-gnubg-users.md", 1),
    ("protocol-specs/for-programs.md", 1),
    ("src/server/http/paths/page/play.html", 1),
    ("src/server/http/paths/page/translations.js", 3),
];

/// Rows of figures in BENCHMARKS.md.
const FIGURES: std::ops::RangeInclusive<usize> = 30..=54;

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

/// Adds a file if it has other lines longer than `max` characters than [`LONG_LINES`] lists.
fn check_lines(path: &Path, text: &str, max: usize, wrong: &mut Vec<String>) {
    let long: Vec<String> = (1..)
        .zip(text.lines())
        .filter(|(_, line)| line.chars().count() > max)
        .map(|(number, line)| format!("{number}: {line}"))
        .collect();
    let allowed = LONG_LINES
        .iter()
        .find(|(name, _)| path == base().join(name))
        .map_or(0, |(_, count)| *count);
    if long.len() != allowed {
        wrong.push(format!(
            "{}: {} lines of more than {max} characters, listed are {allowed}:\n{}",
            path.display(),
            long.len(),
            long.join("\n")
        ));
    }
}

#[test]
fn lines_of_documents_are_short() {
    let mut wrong = Vec::new();
    for (path, text) in documents() {
        check_lines(&path, &text, LINE_CHARS_MAX, &mut wrong);
    }
    holds(&wrong);
}

#[test]
fn lines_of_page_files_are_short() {
    let mut wrong = Vec::new();
    let mut files = 0;
    for entry in fs::read_dir(base().join("src/server/http/paths/page")).unwrap() {
        let path = entry.unwrap().path();
        // rustfmt holds the sources short.
        if path.extension().is_some_and(|ending| ending != "rs") {
            files += 1;
            check_lines(
                &path,
                &fs::read_to_string(&path).unwrap(),
                PAGE_LINE_CHARS_MAX,
                &mut wrong,
            );
        }
    }
    assert!(files > 40, "{files} files of the pages were found");
    holds(&wrong);
}

/// Returns the anchors of a page's headings, as forges and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| one_anchor(line)).collect()
}

/// Returns the anchor of a heading.
fn one_anchor(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
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

/// Readers of `protocol-specs/`, as its index names them, each with the word that names the reader at the top of a page.
const READERS: [(&str, &str); 6] = [
    ("Players", "players"),
    ("gnubg users", "gnubg users"),
    ("Authors of programs", "authors"),
    ("Researchers", "researchers"),
    ("Owners of servers, farms and bots", "owners"),
    ("Maintainers", "maintainers"),
];

/// Every page of `protocol-specs/` stands in its index under one reader, with the ids of its rules, and its first
/// paragraph names that reader. README.md leads to each reader's pages.
#[test]
fn pages_of_specifications_have_one_reader() {
    let folder = base().join("protocol-specs");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let (index, readme) = (
        read(&folder.join("README.md")),
        read(&base().join("README.md")),
    );
    let mut sections = index.split("\n## ").skip(1);
    let (mut rows, mut wrong): (BTreeMap<String, usize>, _) = (BTreeMap::new(), Vec::new());
    for (reader, word) in READERS {
        let section = sections.next().unwrap_or_default();
        let heading = format!("## {reader}\n");
        assert!(
            section.starts_with(&heading[3..]),
            "{reader} is not the next heading"
        );
        let link = format!("(protocol-specs/README.md#{})", one_anchor(&heading));
        if !readme.contains(&link) {
            wrong.push(format!("README.md does not lead to {reader}"));
        }
        for row in section.lines().filter(|line| line.starts_with("| [")) {
            let [pages, _, ids] = cells(row)[..] else {
                panic!("{row}")
            };
            let mut found = BTreeSet::new();
            for page in targets(pages) {
                *rows.entry(page.to_owned()).or_default() += 1;
                let text = read(&folder.join(page));
                let top = text.split("\n\n").nth(1).unwrap_or_default();
                let is_named = top.to_lowercase().contains(word);
                if page.ends_with(".md") && !is_named {
                    wrong.push(format!("{page}: the first paragraph does not name {word}"));
                }
                let letters = text.lines().filter_map(rules::rule_id);
                let letters = letters.filter_map(|id| id.rsplit_once('-'));
                found.extend(letters.map(|(letters, _)| letters.to_owned()));
            }
            let is_kind = |id: &&str| id.bytes().all(|byte| byte.is_ascii_uppercase());
            let listed = ids.split(", ").filter(|id| !id.is_empty()).filter(is_kind);
            if listed.map(str::to_owned).collect::<BTreeSet<_>>() != found {
                wrong.push(format!("{pages}: the ids are {found:?}"));
            }
        }
    }
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let page = match name.as_str() {
            "README.md" => continue,
            "measured" => "measured/README.md".to_owned(),
            _ => name,
        };
        let count = rows.remove(&page).unwrap_or(0);
        if count != 1 {
            wrong.push(format!("{page}: in {count} rows of the index"));
        }
    }
    wrong.extend(rows.into_keys().map(|page| format!("{page}: a second row")));
    holds(&wrong);
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
    assert!(text.lines().count() <= 140, "BENCHMARKS.md is one page");
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
