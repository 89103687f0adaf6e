//! Small questions with huge answers, and clients that take nothing.

use super::{Act, Attack, BOARD, WIDE, plain};
use crate::clients::{Client, herd};
use crate::server::{MemoryLimit, process_mib};
use crate::stage::{Bench, Check, Outcome, Stage};
use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

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
            "tiny-games",
            "R-61",
            true,
            |stage| tiny_games(stage, Client::tcp(stage.tcp, 1, 0), true),
            "`analyse` of 255 KiB of tiny games again and again from 64 clients that read",
        ),
        plain(
            "tiny-games-unread",
            "R-61",
            false,
            |stage| tiny_games(stage, Client::tcp(stage.tcp, 1, 4096), false),
            "the same, none read",
        ),
        plain(
            "tiny-games-unix",
            "R-61",
            false,
            |stage| tiny_games(stage, Client::unix(&stage.unix), true),
            "the same over the Unix socket",
        ),
        Attack {
            name: "tiny-games-alone",
            goals: "R-61",
            what: "10,000 tiny games for `gammond analyse` and through a pipe, on standard input",
            quick: false,
            act: Act::Alone(tiny_alone),
        },
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

/// Games as short as they can be, up to so many bytes.
pub fn tiny(bytes: usize) -> String {
    let mut text = " 0 point match\n\n".to_owned();
    for number in 1..=10_000 {
        let game = format!(" Game {number}\n A : 0  B : 0\n  1) 63: 24/18 13/10  Wins 1 point\n\n");
        if text.len() + game.len() > bytes {
            break;
        }
        text += &game;
    }
    text
}

/// 64 clients like the first one, each with a match; those that are answered send it again.
fn tiny_games(stage: &Stage, first: std::io::Result<Client>, read: bool) -> Outcome {
    let request = format!("analyse plies=0 end=ENDE\n{}ENDE\n", tiny(255 << 10));
    let mut herd: Vec<(Client, usize)> = first.into_iter().map(|client| (client, 0)).collect();
    for n in 1..64 {
        let client = match herd
            .first()
            .is_some_and(|(one, _)| one.socket.local_addr().is_ok_and(|at| at.is_unix()))
        {
            true => Client::unix(&stage.unix),
            false => Client::tcp(stage.tcp, 1 + n / 16, if read { 0 } else { 4096 }),
        };
        herd.extend(client.map(|client| (client, 0)));
    }
    let mut answers = 0;
    let began = Instant::now();
    // Short attacks on a slow machine end before the first match is judged: one answer is waited for. All clients have
    // their turns, so the first match is judged when nearly all are.
    while stage.on() || (read && answers == 0 && began.elapsed() < Duration::from_secs(600)) {
        for (client, sent) in &mut herd {
            *sent += client.push(&request.as_bytes()[*sent % request.len()..]);
            if read {
                let mut taken = Vec::new();
                client.drain(&mut taken);
                answers += taken.iter().filter(|&&byte| byte == b'\n').count();
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let checks = match read {
        true => vec![Check::new("answers", answers, answers > 0)],
        false => Vec::new(),
    };
    Outcome {
        herd: herd.into_iter().map(|(client, _)| client).collect(),
        checks,
        ..Outcome::default()
    }
}

fn tiny_alone(bench: &Bench) -> Vec<Check> {
    let (all, part) = (tiny(1 << 20), tiny(255 << 10));
    let piped = format!("analyse end=ENDE\n{part}ENDE\n").repeat(4);
    let forms: [(&[&str], &str); 4] = [
        (&["pipe"], &piped),
        (&["analyse", "-", "--plies", "0", "--format", "json"], &all),
        (&["analyse", "-", "--plies", "0", "--format", "csv"], &all),
        (&["analyse", "-", "--plies", "0"], &all),
    ];
    let mut checks = Vec::new();
    let base = measured(bench, &["pipe"], "ping\n");
    for (words, input) in forms {
        let extra = measured(bench, words, input) - base;
        let most = 32.0 * input.len() as f64 / (1 << 20) as f64;
        let what = format!("{} MiB over {base:.0}", words.join(" "));
        checks.push(Check::new(
            what,
            format!("{extra:.1} of {most:.1}"),
            extra <= most,
        ));
    }
    checks
}

/// The highest memory of `gammond` with these words and this input, in MiB.
fn measured(bench: &Bench, words: &[&str], input: &str) -> f64 {
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let child = (bench.setup.command(&limit, "").args(words))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return f64::NAN;
    };
    let input = input.as_bytes().to_vec();
    let stdin = child.stdin.take();
    let writer = std::thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let mut high = f64::NAN;
    let mut buffer = vec![0; 1 << 16];
    while let Some(stdout) = &mut child.stdout
        && let Ok(1..) = stdout.read(&mut buffer)
    {
        // It is gone once it has ended.
        high = high.max(process_mib(child.id(), "VmHWM").unwrap_or(high));
    }
    let _ = writer.join();
    let _ = child.wait();
    high
}
