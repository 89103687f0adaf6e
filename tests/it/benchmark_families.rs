//! The benchmark of families (BM-41): its decisions and their values; `gammond bench --judge` (BM-42).

use gammond_arena::benchmark::summary::position;
use gammond_arena::benchmark::{BenchmarkFile, BenchmarkJudge, Item, read};
use gammond_game::notation::parse_position;
use gammond_game::{Group, Position};
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark/families")
}

/// Returns the files of a folder, each with what stands before the number of its batch.
fn batches(folder: &Path) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let (kind, number) = path.file_stem()?.to_str()?.rsplit_once('-')?;
            let kind = number.parse::<u32>().is_ok().then(|| kind.to_owned())?;
            Some((path, kind))
        })
        .collect();
    found.sort();
    found
}

/// Returns the group that files are named after, and whether they are of cube decisions.
fn family(kind: &str) -> (Group, bool) {
    let (name, is_cube) = match kind.strip_suffix("-cube") {
        Some(name) => (name, true),
        None => (kind, false),
    };
    let is_named = |group: &&Group| group.to_string().replace(' ', "-") == name;
    (*Group::ALL.iter().find(is_named).unwrap(), is_cube)
}

fn file(path: &Path) -> BenchmarkFile {
    let file = read(&mut BufReader::new(File::open(path).unwrap())).unwrap();
    assert_eq!(file.wrong, [], "{}", path.display());
    file
}

/// Returns the positions of a file of records, or of one with a position in each line.
fn positions(path: &Path) -> Vec<Position> {
    if path.extension().is_some_and(|ending| ending == "bm") {
        return file(path)
            .items
            .iter()
            .map(|item| *position(item))
            .collect();
    }
    let text = std::fs::read_to_string(path).unwrap();
    let position = |line: &str| parse_position(line.as_bytes()).unwrap().position;
    text.lines().map(position).collect()
}

/// Each position belongs to the family of its file and is in no other; the README has their numbers.
#[test]
fn positions_are_of_their_families() {
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut known = HashSet::new();
    for (path, kind) in batches(&folder().join("positions")) {
        let (group, is_cube) = family(&kind);
        let positions = positions(&path);
        for position in &positions {
            assert!(group.holds(position), "{}: {position:?}", path.display());
            assert!(known.insert(*position), "{}: {position:?}", path.display());
        }
        counts.entry(group.to_string()).or_default()[usize::from(is_cube)] += positions.len();
    }
    assert_eq!(counts.len(), 14, "{counts:?}");
    let text = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for (family, [plays, cubes]) in counts {
        let row = format!("| {family} | {plays} | {cubes} |");
        assert!(text.contains(&row), "README.md has not: {row}");
    }
}

/// Each file of values has a twin of the other judge with the same decisions, which are those of its positions.
#[test]
fn values_are_by_both_judges() {
    let mut count = 0;
    for (path, kind) in batches(&folder()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if let Some(ours) = kind.strip_suffix("-other") {
            let twin = name.replacen(&kind, ours, 1);
            assert!(folder().join(&twin).exists(), "{name} has no twin {twin}");
            continue;
        }
        let twin = name.replacen(&kind, &format!("{kind}-other"), 1);
        let (ours, other) = (file(&path), file(&folder().join(twin)));
        let judges = [ours.judge(), other.judge()];
        assert_eq!(judges, [BenchmarkJudge::Ours, BenchmarkJudge::Other]);
        let decisions =
            |file: &BenchmarkFile| -> Vec<_> { file.items.iter().map(Item::decision).collect() };
        assert_eq!(decisions(&ours), decisions(&other), "{name}");
        let source = folder().join("positions").join(name);
        let wanted = match family(&kind) {
            (_, true) => positions(&source.with_extension("txt")),
            (_, false) => positions(&source),
        };
        assert_eq!(positions(&path), wanted, "{name}");
        count += 1;
    }
    assert!(count > 0);
}

/// A file of our judge with one decision.
const OURS: &str = "s version gammond-0.1.0 weights x\n\
    m OAHDPAABDAOAHDPAABDA 4 2 JIGHPAABDAOAHDPAABDA 0.1 OAHDOEABCBOAHDPAABDA 0.04\n";

fn bench(at: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.arg("bench").args(words).current_dir(at);
    command.output().unwrap()
}

/// BM-42: `--judge` puts the files of each judge together, whatever their order, and names what is missing.
#[test]
fn losses_are_by_judge() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let other = OURS
        .replace("gammond-0.1.0", "bgsage-2.0")
        .replace("0.04", "0.06");
    let fewer = "s version bgsage-2.0\no OAHDPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0\n";
    for (name, text) in [
        ("a-1.bm", OURS),
        ("a-other-1.bm", &other),
        ("b-other-1.bm", fewer),
    ] {
        std::fs::write(at.join(name), text).unwrap();
    }
    let words = ["--player", "random", "--format", "json"];
    let run =
        |judge: &str, files: &[&str]| bench(at, &[&["--judge", judge], files, &words[..]].concat());
    let losses = |judge: &str| -> Vec<(String, f64)> {
        let output = run(judge, &["a-other-1.bm", "a-1.bm"]);
        assert!(output.status.success(), "{output:?}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let loss = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let group = &value["players"][0]["groups"][0];
            assert_eq!(group["plays"], 1, "{line}");
            (
                value["file"].as_str().unwrap().to_owned(),
                group["er_meq"].as_f64().unwrap(),
            )
        };
        lines.lines().map(loss).collect()
    };
    // The player's coins choose a play that is not listed: the greatest loss.
    let both = [("ours".to_owned(), 40.0), ("other".to_owned(), 60.0)];
    assert_eq!(losses("both"), both);
    assert_eq!(losses("ours"), both[..1]);
    assert_eq!(losses("other"), both[1..]);
    for (judge, files, reason) in [
        (
            "both",
            &["a-1.bm"][..],
            "--judge other: no file is of this judge",
        ),
        (
            "other",
            &["a-1.bm"],
            "--judge other: no file is of this judge",
        ),
        (
            "ours",
            &["a-other-1.bm"],
            "--judge ours: no file is of this judge",
        ),
        (
            "both",
            &["a-1.bm", "b-other-1.bm"],
            "a-1.bm: line 2: no file of the judge \"other\"",
        ),
        (
            "both",
            &["a-1.bm", "a-other-1.bm", "b-other-1.bm"],
            "b-other-1.bm: line 2: no file of the judge \"ours\"",
        ),
    ] {
        let output = run(judge, files);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}
