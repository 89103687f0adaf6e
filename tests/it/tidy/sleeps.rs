//! Tests wait for conditions: a `sleep` stands in a loop that polls, or a comment before it gives its reason. So does a
//! fixed time of the integration tests; limits of waiting are `support::HANG_LIMIT`.

use super::base;
use std::fs;
use std::path::Path;

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns true if the line with this number is within a loop that waits for something.
fn is_polling(lines: &[&str], number: usize) -> bool {
    let mut around = indent(lines[number]);
    for line in lines[..number].iter().rev() {
        let code = line.trim_start();
        // The head of a block may have several lines, whose last one is a brace.
        let is_head = indent(line) < around || code.starts_with("while ") && indent(line) == around;
        if code.is_empty() || !is_head {
            continue;
        }
        around = indent(line);
        let loops = ["while ", "loop {", "for _ in"];
        if loops.iter().any(|word| code.starts_with(word))
            || ["= loop {", ".any(|_| {"]
                .iter()
                .any(|end| code.ends_with(end))
        {
            return true;
        }
        if code.contains("fn ") {
            return false;
        }
    }
    false
}

/// Returns the lines with one of these words that neither poll nor have a reason.
fn unexplained(text: &str, words: &[&str]) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let waits = |line: &str| {
        let comment = line.trim_start().starts_with("//");
        !comment && words.iter().any(|word| line.contains(word))
    };
    let has_reason = |number: usize| {
        let mut before = lines[number.saturating_sub(2)..number].iter();
        before.any(|line| {
            ["// ", "/// "]
                .iter()
                .any(|mark| line.trim_start().starts_with(mark))
        })
    };
    let found = lines.iter().enumerate().filter(|(_, line)| waits(line));
    let found = found.filter(|(number, _)| !has_reason(*number) && !is_polling(&lines, *number));
    found.map(|(number, _)| number + 1).collect()
}

fn check(folder: &Path, wrong: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            check(&path, wrong);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with(file!())
        {
            let text = fs::read_to_string(&path).unwrap();
            // Of the product only its tests.
            let start = match path.components().any(|part| part.as_os_str() == "tests") {
                true => 0,
                false => text.find("\n#[cfg(test)]").unwrap_or(text.len()),
            };
            let skipped = text[..start].lines().count();
            let words: &[&str] = match start {
                0 => &["sleep(", "Duration::from_secs(", "Duration::from_millis("],
                _ => &["sleep("],
            };
            let found = unexplained(&text[start..], words).into_iter();
            wrong.extend(found.map(|line| format!("{}:{}", path.display(), skipped + line)));
        }
    }
}

#[test]
fn tests_poll_or_say_why_they_wait() {
    let mut wrong = Vec::new();
    for folder in ["tests/it", "src"] {
        check(&base().join(folder), &mut wrong);
    }
    super::holds(&wrong);
}

#[test]
fn fixed_sleeps_are_found() {
    let sleep = "    std::thread::sleep(TIME);\n";
    for (text, found) in [
        (format!("fn a() {{\n{sleep}}}\n"), 1),
        (
            format!("fn a() {{\n    // The cut lasts so long.\n{sleep}}}\n"),
            0,
        ),
        (
            format!("fn a() {{\n    while b() {{\n    {sleep}    }}\n}}\n"),
            0,
        ),
        (
            format!("fn a() {{\n    for b in c {{\n    {sleep}    }}\n}}\n"),
            1,
        ),
    ] {
        assert_eq!(unexplained(&text, &["sleep("]).len(), found, "{text}");
    }
}
