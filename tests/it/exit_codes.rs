//! Exit codes: rules EXIT- of `protocol-specs/exit-codes.md`.

use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the program in a folder without variables of this machine. Returns the code and what it says on stderr.
fn code(folder: &Path, line: &str, input: &str) -> (Option<i32>, String) {
    let match_file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis/one1.mat");
    let line = line.replace("MATCH", &match_file.display().to_string());
    let input_file = folder.join("input");
    std::fs::write(&input_file, input).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(line.split(' '))
        .current_dir(folder)
        .stdin(Stdio::from(std::fs::File::open(&input_file).unwrap()))
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// EXIT-01, EXIT-02, EXIT-03, EXIT-05: each kind of failure has its code and a message.
#[test]
fn failures_have_their_codes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("text"),
        "no match, no archive, no benchmark\n",
    )
    .unwrap();
    for (line, wanted) in [
        ("move 4HPwATDgc/ABMA 31 --plies 9", 2),
        ("move 4HPwATDgc/ABMA 71", 2),
        ("move nonsense 31", 2),
        ("cube 4HPwATDgc/ABMA length=7 score=9:0", 2),
        ("nonsense", 2),
        ("analyse MATCH --format nonsense", 2),
        ("pipe --log nonsense", 2),
        ("serve --http 192.0.2.1:1", 2),
        ("analyse nothing.mat", 3),
        ("analyse text", 3),
        ("pipe --nets nothing", 3),
        ("bench nothing", 3),
        ("players --db text", 3),
        ("analyse MATCH --plies 0 --html nothing/report.html", 3),
        ("play --save nothing/match.mat", 3),
        ("rollout --out x.bm trials=72", 2),
        ("duel random pipe:cat --games 2 --on-failure void", 1),
        ("analyse MATCH --plies 0 --html text", 3),
        ("analyse MATCH --plies 0 --html .", 3),
        ("analyse MATCH --plies 0 --db nothing/archive.sqlite", 3),
        ("analyse MATCH --plies 0 --db text", 3),
        ("analyse MATCH --plies 0 --db .", 3),
        ("pipe", 1),
    ] {
        let (found, said) = code(folder.path(), line, "nonsense\n");
        assert_eq!(found, Some(wanted), "{line}: {said}");
        assert!(line == "pipe" || !said.is_empty(), "{line}");
    }
}

/// EXIT-04: the other files are read, and a missing one has the higher code.
#[test]
fn several_files_have_one_code() {
    let folder = tempfile::tempdir().unwrap();
    let (found, said) = code(folder.path(), "analyse nothing.mat MATCH --plies 0", "");
    assert_eq!(found, Some(3), "{said}");
}

/// EXIT-05, EXIT-06: what is asked about the program is answered.
#[test]
fn help_has_code_zero() {
    let folder = tempfile::tempdir().unwrap();
    for line in [
        "--help",
        "--version",
        "move --help",
        "move 4HPwATDgc/ABMA 31",
    ] {
        assert_eq!(code(folder.path(), line, "").0, Some(0), "{line}");
    }
    assert_eq!(code(folder.path(), "gnubg -t -q", "nonsense\n").0, Some(0));
    assert_eq!(code(folder.path(), "gnubg --nonsense", "").0, Some(1));
}
