//! Clients that go in the middle of their work.

use super::{Attack, BOARD, LONG, plain};
use crate::clients::{Client, herd};
use crate::stage::{Check, Outcome, Stage};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    vec![
        plain(
            "gone-full",
            "R-08",
            true,
            |stage| gone(stage, 1, 1, &LONG.repeat(64)),
            "reset with 64 long lines in flight",
        ),
        plain(
            "gone-buffered",
            "R-08",
            true,
            |stage| gone(stage, 1, 1, &format!("{LONG}ping\n")),
            "reset behind a long line and one complete line",
        ),
        plain(
            "gone-more",
            "R-08",
            false,
            |stage| gone(stage, 1, 1, &LONG.repeat(300)),
            "reset with 64 long lines in flight and more unread",
        ),
        plain(
            "gone-64",
            "R-08",
            true,
            |stage| gone(stage, 1, 64, &LONG.repeat(64)),
            "64 clients reset with 64 long lines each",
        ),
        plain(
            "gone-ubgi",
            "R-08 R-36",
            true,
            |stage| gone(stage, 4, 1, &ubgi(10)),
            "reset in UBGI's `go`",
        ),
        plain(
            "gone-external",
            "R-08",
            false,
            |stage| {
                gone(
                    stage,
                    4,
                    1,
                    &format!("evaluation fibsboard {BOARD} plies 4\n").repeat(20),
                )
            },
            "reset in gnubg's language",
        ),
        plain(
            "gone-time",
            "R-08",
            false,
            |stage| gone(stage, 4, 1, "move 4HPwATDgc/ABMA 43 time=600000\n"),
            "reset in `time=600000`",
        ),
        plain(
            "gone-unix",
            "R-08",
            true,
            gone_unix,
            "closed Unix connections with 64 long lines each",
        ),
        plain(
            "gone-storm",
            "R-08",
            false,
            storm,
            "hundreds of clients a second that send 64 long lines and reset",
        ),
        plain(
            "ubgi-stop",
            "R-36",
            true,
            stop,
            "UBGI's `stop` in a long `go`",
        ),
    ]
}

fn ubgi(times: usize) -> String {
    let start = "ubgi\nnewgame\nset engine.ply 5\nset engine.filter huge\nposition gnubgid 4HPwATDgc/ABMA\ndice 4 3\n";
    format!("{start}{}", "go\n".repeat(times))
}

fn gone(stage: &Stage, addresses: u8, each: usize, lines: &str) -> Outcome {
    let herd = herd(stage, addresses, each, lines.as_bytes());
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn gone_unix(stage: &Stage) -> Outcome {
    let mut herd: Vec<Client> = (0..8)
        .filter_map(|_| Client::unix(&stage.unix).ok())
        .collect();
    for client in &mut herd {
        client.push(LONG.repeat(64).as_bytes());
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn storm(stage: &Stage) -> Outcome {
    let lines = LONG.repeat(64);
    let mut gone = 0;
    while stage.on() {
        gone += herd(stage, 4, 5, lines.as_bytes()).len();
        std::thread::sleep(Duration::from_millis(20));
    }
    Outcome {
        checks: vec![Check::new("clients came and went", gone, gone > 0)],
        ..Outcome::default()
    }
}

fn stop(stage: &Stage) -> Outcome {
    let mut most = Duration::ZERO;
    let mut rounds = 0;
    let Ok(mut client) = Client::tcp(stage.tcp, 1, 0) else {
        return Outcome::default();
    };
    let _ = client.send(ubgi(0).as_bytes());
    let _ = client.send(b"isready\n");
    while client
        .line(Duration::from_secs(2))
        .is_some_and(|line| line != "readyok")
    {}
    while stage.on() {
        let _ = client.send(b"go\n");
        std::thread::sleep(Duration::from_millis(150));
        let begun = Instant::now();
        let _ = client.send(b"stop\n");
        let answer = client.line(Duration::from_secs(10));
        most = most.max(begun.elapsed());
        rounds += 1;
        if !answer.is_some_and(|line| line.starts_with("bestmove") || line.starts_with("error")) {
            break;
        }
    }
    let found = format!("{} ms at most in {rounds} rounds", most.as_millis());
    let holds = most <= Duration::from_millis(100) && rounds > 1;
    Outcome {
        herd: vec![client],
        checks: vec![Check::timed("`stop` answered within 100 ms", found, holds)],
        peace: false,
    }
}
