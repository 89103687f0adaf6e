//! The program itself: exit codes, configuration, pipes.

use crate::malformed::malformed;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

fn gammond() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("GAMMOND_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs with arguments and all of stdin at once.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = gammond()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that ends early closes the pipe; what it answered is looked at instead.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn answers(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_sample_of_requests_is_answered() {
    let sample = include_bytes!("../data/requests.txt");
    let output = run(&["pipe", "--threads", "2"], sample);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let asked = sample
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty() && l[0] != b';')
        .count();
    assert_eq!(text.lines().count(), asked);
    assert!(!text.contains("\"error\""), "{text}");
    assert_eq!(output.status.code(), Some(0));
    assert!(text.lines().next().unwrap().contains(r#""play":"8/5 6/5""#));
}

/// Every malformed line gets its own error, the good lines around it are answered, nothing panics,
/// and the exit code is 1.
#[test]
fn malformed_lines_cost_only_themselves() {
    let table = malformed();
    assert!(table.len() >= 60, "{} malformed lines", table.len());
    let mut input = Vec::new();
    for (number, bad) in table.iter().enumerate() {
        input.extend(format!("#good{number} 4HPwATDgc/ABMA 31\n").into_bytes());
        input.extend(&bad.input);
        input.push(b'\n');
    }
    // What no table of lines can hold: a megabyte without an end, and a last line without LF.
    input.extend(vec![b'A'; 1 << 20]);
    input.extend(b"\n\r\n\n4HPwATDgc/ABMA 31");
    let output = run(&["pipe", "top=1"], &input);
    let answers = answers(&output);
    let mut found = answers.iter();
    for (number, bad) in table.iter().enumerate() {
        let shown = String::from_utf8_lossy(&bad.input).into_owned();
        let good = found
            .next()
            .unwrap_or_else(|| panic!("no answer before {shown:?}"));
        assert_eq!(
            good["id"],
            format!("good{number}"),
            "before {shown:?}: {good}"
        );
        assert_eq!(good["plays"][0]["play"], "8/5 6/5");
        let error = found
            .next()
            .unwrap_or_else(|| panic!("no answer to {shown:?}"));
        assert_eq!(error["type"], "error", "{shown:?}: {error}");
        // The request parser looks at bytes first, and does not know text pasted from a screen.
        let printable = bad.input.iter().all(|byte| (0x20..0x7f).contains(byte));
        let pasted = shown.starts_with("GNUbg ID") || shown.starts_with("Match ID");
        let code = match (printable, pasted) {
            (false, _) => "bad-byte",
            (_, true) => "bad-position",
            _ => &bad.code,
        };
        assert_eq!(error["code"], code, "{shown:?}: {error}");
        assert_eq!(error["line"], 2 * number + 2, "{shown:?}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n'), "{error}");
    }
    assert_eq!(found.next().unwrap()["code"], "line-too-long");
    assert_eq!(found.next().unwrap()["type"], "move");
    assert_eq!(found.next(), None);
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn exit_codes_tell_what_was_wrong() {
    let code = |arguments: &[&str]| run(arguments, b"").status.code();
    assert_eq!(code(&["pipe"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&["frobnicate"]), Some(2));
    assert_eq!(code(&["eval", "4HPwATDgc/ABM"]), Some(2));
    assert_eq!(code(&["pipe", "plies=9"]), Some(2));
    assert_eq!(code(&["pipe", "--nets", "no/such/file"]), Some(3));
    assert_eq!(code(&["pipe", "--met", "no/such/file"]), Some(3));
    assert_eq!(code(&["pipe", "--bearoff", "no/such/folder"]), Some(3));
    assert_eq!(code(&["pipe", "--config", "no/such/file"]), Some(3));
    assert_eq!(run(&["pipe"], b"nonsense\n").status.code(), Some(1));
}

#[test]
fn one_shot_commands_answer_as_the_wire_does() {
    let wire = run(&["pipe"], b"move 4HPwATDgc/ABMA 31 top=2\n").stdout;
    let shell = run(
        &["move", "4HPwATDgc/ABMA", "31", "top=2", "--format", "json"],
        b"",
    )
    .stdout;
    assert_eq!(wire, shell);
    let people = run(&["move", "4HPwATDgc/ABMA", "31", "--format", "text"], b"");
    assert!(
        String::from_utf8(people.stdout)
            .unwrap()
            .contains("1. 0-ply  8/5 6/5")
    );
    for verb in ["eval", "cube", "show", "convert"] {
        for format in ["json", "text"] {
            let output = run(&[verb, "4HPwATDgc/ABMA", "--format", format], b"");
            assert_eq!(output.status.code(), Some(0), "{verb} {format}");
            assert!(!output.stdout.is_empty());
        }
    }
}

/// No subcommand and no terminal: a pipe.
#[test]
fn no_subcommand_is_a_pipe() {
    let output = run(&[], b"ping\n");
    assert_eq!(answers(&output)[0]["type"], "pong");
}

/// Built-in default < file < environment < command line.
#[test]
fn settings_come_from_file_environment_and_flags() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gammond.toml");
    std::fs::write(&file, "plies = 1\n\n[pipe]\nanswer = \"text\"\n").unwrap();
    let plies = |arguments: &[&str], environment: Option<&str>| {
        let mut command = gammond();
        if let Some(value) = environment {
            command.env("GAMMOND_PLIES", value);
        }
        let child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"set answer=json\nget\n")
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        last["plies"].as_u64().unwrap()
    };
    let config = file.to_str().unwrap();
    assert_eq!(plies(&["pipe"], None), 0);
    assert_eq!(plies(&["pipe", "--config", config], None), 1);
    assert_eq!(plies(&["pipe", "--config", config], Some("2")), 2);
    assert_eq!(
        plies(&["pipe", "--config", config, "--plies", "3"], Some("2")),
        3
    );
    let text = run(&["pipe", "--config", config], b"ping\n");
    assert_eq!(text.stdout, b"pong\n");
    std::fs::write(&file, "plys = 1\n").unwrap();
    let wrong = run(&["pipe", "--config", config], b"");
    assert_eq!(wrong.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("plys: no such option"));
}

/// A bot on a pipe gets its answer while the pipe stays open.
#[test]
fn an_answer_comes_while_the_input_pauses() {
    let mut child = gammond()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in ["a", "b", "c"] {
        writeln!(stdin, "#{id} 4HPwATDgc/ABMA 31 top=1").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A reader that has seen enough ends the program quietly.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = gammond()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Ends with an error when the program has gone, which it may at any line.
    while writeln!(stdin, "4HPwATDgc/ABMA 31").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The same bytes whatever the number of threads.
#[test]
fn answers_do_not_depend_on_the_threads() {
    let sample = include_bytes!("../data/requests.txt").repeat(20);
    let one = run(&["pipe", "--threads", "1"], &sample).stdout;
    for threads in ["2", "3", "8"] {
        assert!(
            run(&["pipe", "--threads", threads], &sample).stdout == one,
            "{threads} threads"
        );
    }
}
