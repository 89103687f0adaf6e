//! Connections themselves: too many, too slow, too strange.

use super::{Act, Attack, plain};
use crate::clients::{Client, herd, herd_at};
use crate::server::{Options, process_mib};
use crate::stage::{Check, Outcome, Stage};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    let other = |name, goals, what, options, act| Attack {
        name,
        goals,
        what,
        quick: false,
        act: Act::Server(options, act),
    };
    vec![
        plain(
            "newcomers",
            "R-02",
            true,
            newcomers,
            "300 more clients at once above the limit of an address",
        ),
        plain(
            "loris",
            "R-04",
            false,
            loris,
            "960 clients that drip an unfinished line",
        ),
        plain(
            "half-close",
            "R-07",
            false,
            half_close,
            "40 clients that ask 30 times and end their side",
        ),
        plain(
            "odd-bytes",
            "R-06",
            false,
            odd_bytes,
            "NUL, telnet, CR, broken UTF-8, empty lines, no line end",
        ),
        plain(
            "long-lines",
            "R-03",
            false,
            long_lines,
            "lines of 20 KB, ten in a row",
        ),
        plain(
            "storm",
            "R-02",
            false,
            storm,
            "connections that are reset at once",
        ),
        plain(
            "http-post",
            "R-06",
            true,
            http_post,
            "an HTTP POST whose body is a request",
        ),
        plain(
            "slow-metrics",
            "R-04",
            true,
            slow_metrics,
            "120 clients that do not finish asking for the metrics",
        ),
        plain(
            "herd-unix",
            "R-02",
            true,
            herd_unix,
            "one user with 1,100 connections of the Unix socket",
        ),
        plain(
            "herd-ubgi",
            "R-02 R-04",
            false,
            herd_ubgi,
            "one address with all its connections idle in UBGI",
        ),
        other(
            "few-files",
            "R-13",
            "a server that may open 64 files, and 200 clients",
            || Options {
                before: "ulimit -n 64; ".to_owned(),
                ..Options::default()
            },
            few_files,
        ),
        other(
            "idle-9000",
            "R-01",
            "9,000 idle connections that have had an answer each",
            || Options::arguments(&["--connections", "10000", "--peer-connections", "10000"]),
            idle,
        ),
    ]
}

fn newcomers(stage: &Stage) -> Outcome {
    let kept = herd(stage, 1, 64, b"ping\n");
    let mut more: Vec<Client> = (0..300)
        .filter_map(|_| Client::tcp(stage.tcp, 1, 0).ok())
        .collect();
    let mut told = 0;
    for client in &mut more {
        // The first waits for all; the others have had time enough.
        let answer = client.line(Duration::from_secs(2));
        told += usize::from(answer.is_some_and(|line| line.contains("busy")));
    }
    let found = format!("{told} of {}", more.len());
    stage.hold();
    let holds = told == more.len() && told == 300;
    Outcome {
        herd: kept,
        checks: vec![Check::new("newcomers told `busy`", found, holds)],
        peace: false,
    }
}

fn loris(stage: &Stage) -> Outcome {
    let mut herd = herd(stage, 16, 60, b"m");
    while stage.on() {
        for client in &mut herd {
            client.push(b"o");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn half_close(stage: &Stage) -> Outcome {
    let (mut asked, mut answered, mut ended) = (0, 0, true);
    while stage.on() {
        let mut clients: Vec<Client> = (0..40)
            .filter_map(|_| Client::tcp(stage.tcp, 1, 0).ok())
            .collect();
        for client in &mut clients {
            client.push("move 4HPwATDgc/ABMA 31\n".repeat(29).as_bytes());
            client.push(b"#last ping");
            let _ = client.socket.shutdown(std::net::Shutdown::Write);
        }
        for client in &mut clients {
            let mut taken = Vec::new();
            ended &= client.rest(Duration::from_secs(10), &mut taken);
            asked += 30;
            answered += taken.iter().filter(|&&byte| byte == b'\n').count();
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let found = format!(
        "{answered} of {asked}, the end {}",
        if ended { "came" } else { "did not come" }
    );
    let check = Check::new(
        "answers after the end of the client's side",
        found,
        ended && answered == asked,
    );
    Outcome {
        checks: vec![check],
        ..Outcome::default()
    }
}

/// Text, and how many answers it has.
const ODD: &[(&[u8], usize)] = &[
    (b"\0\0ping\n", 1),
    (b"\xff\xfb\x01\xff\xfd\x03ping\n", 1),
    (b"ping\r\n\r\n\n\n", 1),
    (b"pi\rng\n", 1),
    (b"\xc3\x28 ping\n", 1),
    (b"#\xff ping\n", 1),
    (b"; comment\n   \n\t\n", 0),
    (b"m\x00ove\n", 1),
    (b"\x1b[2J ping\n", 1),
];

fn odd_bytes(stage: &Stage) -> Outcome {
    let mut wrong = Vec::new();
    let mut rounds = 0;
    while stage.on() {
        rounds += 1;
        for &(text, answers) in ODD {
            let Ok(mut client) = Client::tcp(stage.tcp, 1, 0) else {
                continue;
            };
            client.push(text);
            client.push(b"ping");
            let _ = client.socket.shutdown(std::net::Shutdown::Write);
            let mut taken = Vec::new();
            client.rest(Duration::from_secs(5), &mut taken);
            let lines = taken.iter().filter(|&&byte| byte == b'\n').count();
            if lines != answers + 1 || !taken.ends_with(b"{\"type\":\"pong\"}\n") {
                wrong.push(String::from_utf8_lossy(text).escape_debug().to_string());
            }
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    wrong.sort();
    wrong.dedup();
    let found = format!("{rounds} rounds, wrong: {wrong:?}");
    Outcome {
        checks: vec![Check::new(
            "each line has its answer",
            found,
            wrong.is_empty(),
        )],
        ..Outcome::default()
    }
}

fn long_lines(stage: &Stage) -> Outcome {
    let long = [&[b'x'; 20_000][..], b"\n"].concat();
    let (mut served, mut closed, mut rounds) = (0, 0, 0);
    while stage.on() {
        rounds += 1;
        let Ok(mut client) = Client::tcp(stage.tcp, 1, 0) else {
            continue;
        };
        client.push(&long);
        let told = client
            .line(Duration::from_secs(5))
            .is_some_and(|line| line.contains("line-too-long"));
        client.push(b"ping\n");
        served += usize::from(
            told && client
                .line(Duration::from_secs(5))
                .is_some_and(|line| line.contains("pong")),
        );
        let mut taken = Vec::new();
        for _ in 0..11 {
            let _ = client.send(&long);
        }
        closed += usize::from(client.rest(Duration::from_secs(5), &mut taken));
    }
    let found = format!("{served} served and {closed} closed in {rounds}");
    let check = Check::new(
        "served after one, closed after ten",
        found,
        served == rounds && closed == rounds,
    );
    Outcome {
        checks: vec![check],
        ..Outcome::default()
    }
}

fn storm(stage: &Stage) -> Outcome {
    let mut count = 0;
    while stage.on() {
        for address in 1..=16 {
            count += usize::from(Client::tcp(stage.tcp, address, 0).is_ok());
        }
    }
    Outcome {
        checks: vec![Check::new("connections reset at once", count, count > 0)],
        ..Outcome::default()
    }
}

/// A page in somebody's browser can send this to an address of the loopback.
fn http_post(stage: &Stage) -> Outcome {
    let mut executed = 0;
    let mut rounds = 0;
    while stage.on() {
        let texts = [
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 14\r\n\r\n\r\nping\r\nset plies=1\r\n",
            "GET /ping HTTP/1.0\r\n\r\nping\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nping\n",
        ];
        for text in texts {
            let Ok(mut client) = Client::tcp(stage.tcp, 1, 0) else {
                continue;
            };
            client.push(text.as_bytes());
            let _ = client.socket.shutdown(std::net::Shutdown::Write);
            let mut taken = Vec::new();
            client.rest(Duration::from_secs(5), &mut taken);
            executed += usize::from(String::from_utf8_lossy(&taken).contains("pong"));
            rounds += 1;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let found = format!("{executed} of {rounds}");
    Outcome {
        checks: vec![Check::new(
            "requests inside HTTP that were executed",
            found,
            executed == 0,
        )],
        ..Outcome::default()
    }
}

fn slow_metrics(stage: &Stage) -> Outcome {
    let slow = herd_at(stage.metrics, stage.until, 3, 40, b"GET /metr");
    let mut most = Duration::ZERO;
    let mut rounds = 0;
    while stage.on() {
        let begun = Instant::now();
        let mut taken = Vec::new();
        if let Ok(mut client) = Client::tcp(stage.metrics, 200, 0) {
            client.push(b"GET /metrics HTTP/1.0\r\n\r\n");
            client.rest(Duration::from_secs(3), &mut taken);
        }
        let good =
            taken.starts_with(b"HTTP/1.") && String::from_utf8_lossy(&taken).contains("gammond_");
        most = most.max(if good {
            begun.elapsed()
        } else {
            Duration::from_secs(99)
        });
        rounds += 1;
        std::thread::sleep(Duration::from_millis(100));
    }
    let found = match most.as_secs() {
        99 => "no answer".to_owned(),
        _ => format!("{} ms at most in {rounds}", most.as_millis()),
    };
    let check = Check::timed(
        "metrics within 1 s beside them",
        found,
        most < Duration::from_secs(1),
    );
    Outcome {
        herd: slow,
        checks: vec![check],
        peace: false,
    }
}

fn herd_unix(stage: &Stage) -> Outcome {
    let mut herd = Vec::new();
    for _ in 0..1100 {
        if let Ok(mut client) = Client::unix(&stage.unix) {
            client.push(b"ping\n");
            herd.push(client);
        }
    }
    newcomer(stage, herd, "a TCP client beside them is served")
}

fn herd_ubgi(stage: &Stage) -> Outcome {
    let herd = herd(stage, 1, 1100, b"ubgi\n");
    newcomer(stage, herd, "a client of another address is served")
}

fn newcomer(stage: &Stage, herd: Vec<Client>, what: &str) -> Outcome {
    stage.hold();
    let answer = Client::tcp(stage.tcp, 100, 0).ok().and_then(|mut client| {
        client.push(b"ping\n");
        client.line(Duration::from_secs(2))
    });
    let holds = answer.as_deref() == Some("{\"type\":\"pong\"}");
    let found = answer.unwrap_or_else(|| "nothing".to_owned());
    Outcome {
        herd,
        checks: vec![Check::new(what, found, holds)],
        peace: false,
    }
}

fn few_files(stage: &Stage) -> Outcome {
    let mut herd = herd(stage, 4, 50, b"ping\n");
    std::thread::sleep(stage.until.saturating_duration_since(Instant::now()) / 2);
    herd.truncate(20);
    stage.hold();
    let begun = Instant::now();
    let answer = Client::tcp(stage.tcp, 100, 0).ok().and_then(|mut client| {
        client.push(b"ping\n");
        client.line(Duration::from_secs(5))
    });
    let found = format!("{answer:?} after {} ms", begun.elapsed().as_millis());
    Outcome {
        herd,
        checks: vec![Check::new(
            "served again when there are files",
            found,
            answer.is_some(),
        )],
        peace: false,
    }
}

fn idle(stage: &Stage) -> Outcome {
    let before = process_mib(stage.pid, "VmRSS").unwrap_or(f64::NAN);
    let mut herd = Vec::new();
    for n in 0..9000 {
        if let Ok(mut client) = Client::tcp(stage.tcp, (n % 200 + 1) as u8, 0) {
            client.push(b"ping\n");
            herd.push(client);
        }
    }
    stage.hold();
    let after = process_mib(stage.pid, "VmRSS").unwrap_or(f64::NAN);
    let each = (after - before) * 1024.0 / herd.len() as f64;
    let found = format!("{each:.2} KiB each, {} of them", herd.len());
    let holds = each <= 4.0 && herd.len() == 9000;
    Outcome {
        herd,
        checks: vec![Check::new(
            "memory of an idle connection at most 4 KiB",
            found,
            holds,
        )],
        peace: false,
    }
}
