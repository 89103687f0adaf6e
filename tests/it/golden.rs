//! Golden transcripts: dialogues in `tests/data/transcripts`, `>` sent and `<` received.
//!
//! `GAMMOND_REWRITE=1 cargo test --test it golden` writes what the program answers now; the
//! difference shows what changed. Lines that begin with `;` are comments.

use crate::server_process::Process;
use crate::support::HANG_LIMIT;
use gammond_bots::fibs::{Machine, Output, Policy, Timing};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

fn transcript(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/transcripts")
        .join(name)
}

/// Compares the file with itself when `answers` gives the lines received after each line sent.
fn check(name: &str, mut answers: impl FnMut(&[&str]) -> Vec<String>) {
    let path = transcript(name);
    let text = fs::read_to_string(&path).unwrap();
    let (mut found, mut sent) = (String::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("< ") || line == "<" {
            continue;
        }
        found.push_str(line);
        found.push('\n');
        if let Some(line) = line.strip_prefix("> ") {
            sent.push(line);
            for answer in answers(&sent) {
                found.push_str(format!("< {answer}").trim_end());
                found.push('\n');
            }
        }
    }
    assert!(sent.len() > 5, "{name} is empty");
    if std::env::var_os("GAMMOND_REWRITE").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == found,
        "{name}: now it is\n{found}"
    );
}

/// A dialogue with the server. Which line gets which answer shows by asking again with one line
/// more: what comes in addition is the answer to it.
fn served(name: &str, options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listen = format!("unix:{}", socket.display());
    let options: Vec<&str> = ["--listen", &listen]
        .into_iter()
        .chain(options.iter().copied())
        .collect();
    let _server = Process::start("exec \"$@\"", &options);
    let mut before = String::new();
    check(name, |sent| {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
        let lines: String = sent.iter().map(|line| format!("{line}\n")).collect();
        stream.write_all(lines.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut all = String::new();
        stream.read_to_string(&mut all).unwrap();
        let new = all
            .strip_prefix(&before)
            .unwrap_or_else(|| panic!("{before:?} became {all:?}"));
        let new = new.lines().map(str::to_owned).collect();
        before = all;
        new
    });
}

#[test]
fn the_line_protocol() {
    served("line.txt", &[]);
}

#[test]
fn gnubgs_external_player() {
    served("external.txt", &["plies=0"]);
}

#[test]
fn ubgi() {
    served("ubgi.txt", &[]);
}

/// `>` is what the server says, `<` what the bot does about it within a minute.
#[test]
fn fibs() {
    let mut machine = Machine::new("MyBot", Policy::default(), Timing::default());
    machine.connected(0);
    let mut now = 0;
    check("fibs.txt", |said| {
        let line = said.last().unwrap();
        // A prompt has no end of line.
        let end = if line.ends_with(": ") || line.ends_with("> ") {
            ""
        } else {
            "\r\n"
        };
        machine.bytes(format!("{line}{end}").as_bytes(), now);
        let (until, mut did) = (now + 20_000, Vec::new());
        while now < until {
            while let Some(output) = machine.poll(now) {
                match output {
                    Output::Login => did.push("(login)".to_owned()),
                    Output::Send(line) => did.push(line),
                    Output::Fatal(reason) => did.push(format!("(ends: {reason})")),
                    _ => {}
                }
            }
            now = machine.wake(now).clamp(now + 1, until);
            machine.tick(now);
        }
        did
    });
}
