//! Small questions with huge answers, and clients that take nothing.

use super::{Attack, BOARD, WIDE, plain};
use crate::clients::{Client, herd};
use crate::stage::{Outcome, Stage};
use std::time::Duration;

pub fn all() -> Vec<Attack> {
    vec![
        plain(
            "wide-64",
            "R-05 R-16",
            true,
            |stage| wide(stage, 1, 64),
            "one address, 64 clients × 64 lines of 476 KB of answer, none read",
        ),
        plain(
            "wide-960",
            "R-05 R-16",
            true,
            |stage| wide(stage, 16, 60),
            "the same from 960 clients of 16 addresses",
        ),
        plain(
            "wide-sip",
            "R-05 R-16",
            false,
            sip,
            "the same, each taking 1 KiB ten times a second",
        ),
        plain(
            "wide-unix",
            "R-05 R-16",
            false,
            wide_unix,
            "the same from 900 clients of the Unix socket",
        ),
        plain(
            "unread-get",
            "R-05 R-16",
            true,
            |stage| unread(stage, "get\n"),
            "960 clients that send `get` as long as it is taken, and read nothing",
        ),
        plain(
            "unread-help",
            "R-05 R-16",
            false,
            |stage| unread(stage, "help\n"),
            "the same with `help`",
        ),
        plain(
            "unread-convert",
            "R-05 R-16",
            false,
            |stage| unread(stage, "convert 4HPwATDgc/ABMA\nshow 4HPwATDgc/ABMA\n"),
            "the same with `convert` and `show`",
        ),
        plain(
            "unread-errors",
            "R-05 R-16",
            false,
            |stage| unread(stage, "nonsense\n"),
            "the same with wrong lines",
        ),
        plain(
            "unread-ubgi",
            "R-05 R-16",
            false,
            |stage| unread(stage, "ubgi\nkeys\n"),
            "the same with UBGI's handshake",
        ),
        plain(
            "unread-external",
            "R-05 R-16",
            false,
            unread_external,
            "the same with gnubg's language",
        ),
        plain(
            "half-lines",
            "R-03 R-16",
            false,
            half_lines,
            "960 unfinished lines of 4,095 bytes",
        ),
        plain(
            "long-ids",
            "R-03 R-16",
            false,
            long_ids,
            "960 clients × 64 lines of 4,090 bytes, none read",
        ),
    ]
}

fn wide(stage: &Stage, addresses: u8, each: usize) -> Outcome {
    let herd = herd(stage, addresses, each, WIDE.repeat(64).as_bytes());
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn sip(stage: &Stage) -> Outcome {
    let mut herd = herd(stage, 16, 60, WIDE.repeat(64).as_bytes());
    let mut buffer = [std::mem::MaybeUninit::uninit(); 1024];
    while stage.on() {
        for client in &mut herd {
            let _ = client.socket.set_nonblocking(true);
            let _ = client.socket.recv(&mut buffer);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn wide_unix(stage: &Stage) -> Outcome {
    let lines = WIDE.repeat(64);
    let mut herd: Vec<Client> = (0..900)
        .filter_map(|_| Client::unix(&stage.unix).ok())
        .collect();
    for client in &mut herd {
        client.push(lines.as_bytes());
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

/// Sends again and again what the server still takes.
fn unread(stage: &Stage, lines: &str) -> Outcome {
    let lines = lines.repeat(20_000 / lines.len());
    let mut herd = herd(stage, 16, 60, lines.as_bytes());
    while stage.on() {
        for client in &mut herd {
            // A part of a line makes the next one an error: also good.
            client.push(lines.as_bytes());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn unread_external(stage: &Stage) -> Outcome {
    unread(
        stage,
        &format!("evaluation fibsboard {BOARD}\n{BOARD}\nversion\n"),
    )
}

fn half_lines(stage: &Stage) -> Outcome {
    let herd = herd(stage, 16, 60, &[b'x'; 4095]);
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn long_ids(stage: &Stage) -> Outcome {
    let mut line = format!("#{} move 4HPwATDgc/ABMA 31", "i".repeat(64));
    while line.len() < 4080 {
        line.push_str(" plies=0");
    }
    line.push('\n');
    let mut herd = herd(stage, 16, 60, b"");
    for client in &mut herd {
        client.push(line.repeat(64).as_bytes());
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}
