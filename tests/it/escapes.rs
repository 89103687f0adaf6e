//! Text that strangers choose never reaches a terminal, a spreadsheet or a page unescaped, and a stderr that nobody reads stops no
//! command (`protocol-specs/security.md`).

use std::net::TcpListener;
use std::process::{Command, Stdio};

const MATCH: &str = "\
 1 point match

 Game 1
 NAME_A : 0           NAME_B : 0
  1) 31: 8/5 6/5          41: 24/23 13/9
  2) 64: 24/14            52: 13/8 13/11
";

fn gammond() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gammond"))
}

/// A stderr whose reader is gone: each write fails.
fn closed_stderr() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Returns whether a text holds a character that only a stranger can have put there.
fn has_controls(text: &str) -> bool {
    let allowed = |sign: char| matches!(sign, '\n');
    text.chars().any(|sign| {
        (sign.is_control() && !allowed(sign)) || ('\u{202a}'..='\u{202e}').contains(&sign)
    })
}

#[test]
fn names_of_files_and_players_with_control_characters_are_escaped() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = "e\x1b[2J\u{202e}\u{9b}31m";
    // A fault in the file makes its lines appear on stderr too.
    let text = MATCH
        .replace("NAME_A", &format!("Al{hostile}ice"))
        .replace("NAME_B", "=HYPERLINK(1)")
        .replace("52: 13/8 13/11", "52: 13/1\x1b[31m");
    let name = format!("{hostile}\nforged line.mat");
    std::fs::write(folder.path().join(&name), text).unwrap();
    let other = format!("other{name}");
    std::fs::write(folder.path().join(&other), "no match\n").unwrap();
    for format in ["text", "csv", "json"] {
        let run = gammond()
            .current_dir(folder.path())
            .args(["analyse", &name, &other, "--plies", "0", "--format", format])
            .args(["--html", "report.html"])
            .output()
            .unwrap();
        let [out, errors] = [run.stdout, run.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(out.contains("ice") && out.contains("forged line"), "{out}");
        assert!(!has_controls(&out), "{format}: {out:?}");
        assert!(!out.contains("\nforged line"), "{out}");
        if format == "json" {
            for line in out.lines() {
                let value: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(value["file"].as_str().unwrap().ends_with(&name));
            }
        } else {
            assert!(errors.contains("forged line"), "{errors}");
        }
        assert!(!has_controls(&errors), "{format}: {errors:?}");
        assert!(!errors.contains("\nforged line"), "{errors}");
        if format == "csv" {
            let guarded = "\"'=HYPERLINK(1)\"";
            assert!(out.contains(guarded) && !out.contains("\"=HYPER"), "{out}");
        }
        let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        assert!(!has_controls(&page));
    }
}

#[test]
fn refused_arguments_with_control_characters_are_escaped() {
    for (line, shown) in [
        (["--\u{9b}2Jx", "--y"], "'--\\u009b2Jx'"),
        (["show", "--theme=\x1b]0;title\x07\u{202e}"], "\\u202e"),
    ] {
        // As on a terminal: clap leaves escape sequences out elsewhere.
        let run = gammond()
            .args(line)
            .env("CLICOLOR_FORCE", "1")
            .output()
            .unwrap();
        let errors = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(2), "{errors}");
        assert!(
            !has_controls(&errors) && errors.contains(shown),
            "{errors:?}"
        );
    }
}

#[test]
fn closed_stderr_changes_no_exit_code() {
    for (line, code) in [
        ("analyse nowhere.mat --plies 0", 3),
        ("--nonsense", 2),
        ("net info nowhere.net", 3),
        ("duel random random --games 4 --progress json", 0),
    ] {
        let run = gammond()
            .args(line.split(' '))
            .stdout(Stdio::null())
            .stderr(closed_stderr())
            .status()
            .unwrap();
        let known = [code, 3];
        // 101 is a panic.
        assert!(
            known.iter().any(|one| run.code() == Some(*one)),
            "{line}: {run}"
        );
    }
}

/// A worker whose terminal is gone waits on for its server. Each new connection comes after a line about the last one.
#[cfg(unix)]
#[test]
fn farm_worker_survives_a_closed_stderr() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let mut worker = gammond()
        .args([
            "farm",
            "worker",
            "--name",
            "w",
            "--nats",
            &format!("nats://{address}"),
        ])
        .stderr(closed_stderr())
        .spawn()
        .unwrap();
    for _ in 0..3 {
        drop(server.accept().unwrap());
    }
    assert!(worker.try_wait().unwrap().is_none());
    worker.kill().unwrap();
    worker.wait().unwrap();
}
