//! Every `unsafe` and every `as` that may narrow a number in rooms that read what strangers send is listed with its reason:
//! `tests/data/tidy/unsafe.tsv` and `narrowing.tsv`. A new one fails here until its reason is added.

use super::{base, holds, product, sources};
use std::collections::BTreeMap;
use std::fs;

/// Rooms and files that read bytes from outside: files, sockets, other machines, the command line.
const OUTSIDE: [&str; 22] = [
    "arena/player/",
    "engine/bearoff/",
    "bots/",
    "capi/",
    "cli/",
    "console/",
    "engine/equity/",
    "base/escape.rs",
    "engine/eval/gnubg/weights.rs",
    "farm/",
    "base/files.rs",
    "job/",
    "base/journal/",
    "train/lab/supervised.rs",
    "engine/nn/format/",
    "game/notation/",
    "base/platform/",
    "protocol/",
    "report/",
    "server/",
    "train/training/shard.rs",
    "wildbg/",
];
/// Rooms inside them that only compute what this program itself wrote down.
const INSIDE: [&str; 1] = ["engine/bearoff/make/"];
/// Types that may hold less than the number before the `as`. `usize` holds less than `u64` on some machines.
const NARROW: [&str; 7] = ["u8", "u16", "u32", "i8", "i16", "i32", "usize"];

/// Returns how often `as` leads to a narrow type.
fn narrowings(text: &str) -> usize {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split(" as ").skip(1))
        .filter(|rest| {
            let word = rest
                .split(|sign: char| !sign.is_ascii_alphanumeric())
                .next();
            word.is_some_and(|word| NARROW.contains(&word))
        })
        .count()
}

/// Returns how many blocks, functions and implementations are unsafe.
fn unsafes(text: &str) -> usize {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let begins = ["unsafe {", "unsafe fn ", "unsafe impl ", "unsafe extern "];
    let of_line = |line: &str| {
        begins
            .map(|begin| line.matches(begin).count())
            .iter()
            .sum::<usize>()
    };
    code.map(of_line).sum()
}

/// Compares what is counted with a list of `file, count, reason`.
fn compare(list: &str, counted: &BTreeMap<String, usize>) {
    let text = fs::read_to_string(base().join("tests/data/tidy").join(list)).unwrap();
    let mut listed = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in text.lines().filter(|row| !row.starts_with('#')) {
        let [file, count, reason] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{list}: {row}")
        };
        if reason.split_whitespace().count() < 3 {
            wrong.push(format!("{list}: {file} has no reason"));
        }
        listed.insert(file.to_owned(), count.parse::<usize>().unwrap());
    }
    for (file, count) in counted {
        let known = listed.remove(file).unwrap_or(0);
        if known != *count {
            wrong.push(format!(
                "{file}: {count}, {list} has {known}: say why each is sound"
            ));
        }
    }
    wrong.extend(listed.keys().map(|file| format!("{list}: {file} has none")));
    holds(&wrong);
}

fn counted(wanted: impl Fn(&str) -> bool, count: fn(&str) -> usize) -> BTreeMap<String, usize> {
    let root = base().join("src");
    let mut found = BTreeMap::new();
    for (path, _, text) in sources() {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap();
        let number = count(product(&text));
        if number > 0 && wanted(name) {
            found.insert(name.to_owned(), number);
        }
    }
    found
}

#[test]
fn unsafe_code_is_listed_with_its_reason() {
    let found = counted(|_| true, unsafes);
    assert!(found.len() > 2);
    compare("unsafe.tsv", &found);
}

#[test]
fn narrowing_of_numbers_from_outside_is_listed_with_its_reason() {
    let outside = |name: &str| {
        let is_in = |part: &&str| name.starts_with(*part);
        OUTSIDE.iter().any(&is_in) && !INSIDE.iter().any(is_in)
    };
    let found = counted(outside, narrowings);
    assert!(found.len() > 10);
    compare("narrowing.tsv", &found);
}

#[test]
fn counting_finds_what_it_looks_for() {
    let text = "let a = b as u8;\n// c as u16\nlet d = (e as f64) as usize + f as u64;\nlet g = unsafe { h() };";
    assert_eq!((narrowings(text), unsafes(text)), (2, 1));
}
