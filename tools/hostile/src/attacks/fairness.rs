//! Many clients, or one that asks much: others keep their share.

use super::{Attack, LONG, plain};
use crate::clients::{Client, herd};
use crate::stage::{Check, Outcome, Stage};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    vec![
        plain(
            "crowd-2ply",
            "R-09 R-10",
            true,
            |stage| crowd(stage, 2, 64, TWO_PLY),
            "two addresses, 128 clients with 64 lines of 2 plies each in flight",
        ),
        plain(
            "crowd-4ply",
            "R-09 R-10",
            false,
            |stage| crowd(stage, 2, 64, LONG),
            "the same with 4 plies",
        ),
        plain(
            "crowd-960",
            "R-09 R-10",
            false,
            |stage| crowd(stage, 16, 60, TWO_PLY),
            "960 clients of 16 addresses, 2 plies",
        ),
        plain(
            "crowd-0ply",
            "R-09 R-10",
            false,
            |stage| crowd(stage, 2, 64, "move 4HPwATDgc/ABMA 31\n"),
            "128 clients with 64 lines of 0 plies each in flight",
        ),
        plain(
            "pipeline",
            "R-09",
            true,
            |stage| crowd(stage, 1, 1, LONG),
            "one client with 64 lines of 4 plies",
        ),
        plain(
            "flood-move",
            "R-09",
            true,
            |stage| flood(stage, "move 4HPwATDgc/ABMA 31 top=1\n"),
            "one connection that sends as fast as it is read",
        ),
        plain(
            "flood-ping",
            "R-09",
            false,
            |stage| flood(stage, "ping\n"),
            "the same with `ping`",
        ),
        plain(
            "flood-comments",
            "R-09",
            false,
            |stage| flood(stage, "; nothing\n\n"),
            "the same with lines that have no answer",
        ),
        plain(
            "flood-errors",
            "R-09",
            false,
            |stage| flood(stage, "nonsense\n\0\u{ff} x=\n"),
            "the same with wrong lines",
        ),
        plain(
            "flood-set",
            "R-09",
            false,
            |stage| flood(stage, "set plies=1\nget\nset plies=0\n"),
            "the same with settings",
        ),
    ]
}

const TWO_PLY: &str = "move 4HPwATDgc/ABMA 43 plies=2 filter=huge prune=off\n";

/// Every client keeps 64 lines in flight.
fn crowd(stage: &Stage, addresses: u8, each: usize, line: &str) -> Outcome {
    let mut herd = herd(stage, addresses, each, line.repeat(64).as_bytes());
    while stage.on() {
        for client in &mut herd {
            let mut taken = Vec::new();
            client.drain(&mut taken);
            let lines = taken.iter().filter(|&&byte| byte == b'\n').count();
            client.push(line.repeat(lines).as_bytes());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn flood(stage: &Stage, lines: &str) -> Outcome {
    let Ok(mut client) = Client::tcp(stage.tcp, 1, 0) else {
        return Outcome::default();
    };
    let silent = lines.starts_with(';');
    let block = lines.repeat(65_536 / lines.len());
    let (mut sent, mut answers, mut rest) = (0, 0, 0);
    let mut taken = Vec::new();
    let (mut last, mut stalled) = (Instant::now(), Duration::ZERO);
    while stage.on() {
        // What did not go out goes on where it stopped, so that lines stay whole.
        rest = (rest + client.push(&block.as_bytes()[rest..])) % block.len();
        sent += 1;
        taken.clear();
        client.drain(&mut taken);
        let more = taken.iter().filter(|&&byte| byte == b'\n').count();
        if more > 0 {
            last = Instant::now();
        }
        stalled = stalled.max(last.elapsed());
        answers += more;
        std::thread::sleep(Duration::from_micros(200));
    }
    let found = format!(
        "{answers} answers, {} ms at most without any",
        stalled.as_millis()
    );
    let holds = sent > 0 && (silent || stalled < Duration::from_secs(1));
    Outcome {
        herd: vec![client],
        checks: vec![Check::timed(
            "the flood is answered all the time",
            found,
            holds,
        )],
        peace: false,
    }
}
