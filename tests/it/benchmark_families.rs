//! `gammond bench --judge` (BM-42).

use std::path::Path;
use std::process::{Command, Output};

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
