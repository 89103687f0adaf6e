//! The processes themselves: signals, restarts, pipes.

use super::{Act, Attack, WIDE, plain};
use crate::clients::Client;
use crate::server::{MemoryLimit, Options, Server, process_mib, wait};
use crate::stage::{Bench, Check, Outcome, Stage};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    let alone = |name, goals, quick, act, what| Attack {
        name,
        goals,
        what,
        quick,
        act: Act::Alone(act),
    };
    vec![
        plain(
            "reloads",
            "R-16",
            false,
            reloads,
            "SIGHUP twenty times a second",
        ),
        alone(
            "term-midline",
            "R-11",
            true,
            term_midline,
            "SIGTERM beside 240 clients with answers under way",
        ),
        alone(
            "quit-behind",
            "R-11",
            true,
            quit_behind,
            "`quit` behind twenty questions, 60 clients",
        ),
        alone(
            "term-twice",
            "R-11",
            false,
            term_twice,
            "a second SIGTERM beside endless questions",
        ),
        alone(
            "term-fifo",
            "R-11",
            true,
            term_fifo,
            "SIGTERM after a SIGHUP that met a FIFO as net",
        ),
        alone(
            "restart",
            "R-12",
            false,
            restart,
            "kill -9 beside 50 clients, then the same port",
        ),
        alone(
            "idle-endless",
            "R-14",
            false,
            idle_endless,
            "the largest --idle-timeout that can be written",
        ),
        alone(
            "pipe-wide",
            "R-16",
            true,
            pipe_wide,
            "`pipe` with 6,000 lines of 476 KB of answer, slowly read",
        ),
        alone(
            "pipe-line",
            "R-03",
            false,
            pipe_line,
            "`pipe` with a line of 200 MB",
        ),
        alone(
            "pipe-closed",
            "R-08",
            false,
            pipe_closed,
            "`pipe` whose output is closed",
        ),
        alone(
            "ubgi-line",
            "R-03",
            false,
            ubgi_line,
            "`ubgi` with a line of 200 MB, and 100,000 commands unread",
        ),
    ]
}

fn reloads(stage: &Stage) -> Outcome {
    let mut count = 0;
    while stage.on() {
        if let Some(pid) = Pid::from_raw(stage.pid.cast_signed()) {
            count += usize::from(kill_process(pid, Signal::HUP).is_ok());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Outcome {
        checks: vec![Check::new("signals", count, count > 0)],
        ..Outcome::default()
    }
}

fn start(bench: &Bench, options: &Options) -> Result<Server, Vec<Check>> {
    Server::start(&bench.setup, options).map_err(|error| vec![Check::new("start", error, false)])
}

fn term_midline(bench: &Bench) -> Vec<Check> {
    let mut server = match start(bench, &Options::default()) {
        Ok(server) => server,
        Err(checks) => return checks,
    };
    let mut clients = Vec::new();
    for address in 1..=8 {
        for _ in 0..30 {
            if let Ok(mut client) = Client::tcp(server.tcp, address, 4096) {
                // More than is read at once: closing over unread bytes resets a connection.
                client.push("move 4HPwATDgc/ABMA 31\n".repeat(2000).as_bytes());
                clients.push(client);
            }
        }
    }
    std::thread::sleep(Duration::from_millis(50));
    let begun = Instant::now();
    server.signal(Signal::TERM);
    let threads: Vec<_> = clients
        .into_iter()
        .map(|mut client| {
            std::thread::spawn(move || {
                let mut taken = Vec::new();
                client.rest(Duration::from_secs(15), &mut taken);
                taken
            })
        })
        .collect();
    let count = threads.len();
    let all: Vec<Vec<u8>> = threads
        .into_iter()
        .filter_map(|thread| thread.join().ok())
        .collect();
    let torn = all
        .iter()
        .filter(|taken| !taken.is_empty() && !taken.ends_with(b"\n"))
        .count();
    let status = server.wait(Duration::from_secs(15));
    let ended = status.is_some_and(|status| status.success());
    vec![
        Check::new(
            "connections cut in the middle of a line",
            format!("{torn} of {count}"),
            torn == 0,
        ),
        Check::new(
            "exit",
            format!("{status:?} after {} ms", begun.elapsed().as_millis()),
            ended,
        ),
    ]
}

fn quit_behind(bench: &Bench) -> Vec<Check> {
    let server = match start(bench, &Options::default()) {
        Ok(server) => server,
        Err(checks) => return checks,
    };
    let mut clients: Vec<Client> = (0..60)
        .filter_map(|_| Client::tcp(server.tcp, 1, 0).ok())
        .collect();
    for client in &mut clients {
        client.push(
            format!(
                "{}quit\nping\nping\n",
                "move 4HPwATDgc/ABMA 31\n".repeat(20)
            )
            .as_bytes(),
        );
    }
    std::thread::sleep(Duration::from_millis(300));
    let mut whole = 0;
    for client in &mut clients {
        let mut taken = Vec::new();
        client.rest(Duration::from_secs(10), &mut taken);
        let text = String::from_utf8_lossy(&taken);
        whole +=
            usize::from(text.matches("\"type\":\"move\"").count() == 20 && !text.contains("pong"));
    }
    vec![Check::new(
        "all answers before `quit`, none after it",
        format!("{whole} of 60"),
        whole == 60,
    )]
}

fn term_twice(bench: &Bench) -> Vec<Check> {
    let mut server = match start(bench, &Options::arguments(&["--grace", "600"])) {
        Ok(server) => server,
        Err(checks) => return checks,
    };
    let mut clients: Vec<Client> = (1..=8)
        .filter_map(|n| Client::tcp(server.tcp, n, 0).ok())
        .collect();
    for client in &mut clients {
        client.push(super::LONG.repeat(64).as_bytes());
    }
    std::thread::sleep(Duration::from_millis(300));
    server.signal(Signal::TERM);
    std::thread::sleep(Duration::from_millis(300));
    let begun = Instant::now();
    server.signal(Signal::TERM);
    let status = server.wait(Duration::from_secs(5));
    let found = format!("{status:?} after {} ms", begun.elapsed().as_millis());
    vec![Check::timed(
        "ended at once",
        found,
        status.is_some() && begun.elapsed() < Duration::from_secs(1),
    )]
}

/// The nets lie in a folder in which a net becomes a FIFO: reading it never ends.
fn term_fifo(bench: &Bench) -> Vec<Check> {
    let scratch = match crate::server::Scratch::new() {
        Ok(scratch) => scratch,
        Err(error) => return vec![Check::new("folder", error, false)],
    };
    let nets = scratch.0.join("nets");
    let _ = std::fs::create_dir(&nets);
    let mut copied = 0;
    for name in [
        "contact.net",
        "crashed.net",
        "race.net",
        "pruning.net",
        "contact-ahead.net",
        "contact-behind.net",
        "contact-board.net",
        "contact-anchor.net",
        "anchor-board.net",
        "ahead-board.net",
        "behind-anchor.net",
        "contact-fast.net",
    ] {
        copied += u32::from(std::fs::copy(format!("nets/{name}"), nets.join(name)).is_ok());
    }
    if copied == 0 {
        return vec![Check::new(
            "nets",
            "not found: run it in the folder of the project",
            false,
        )];
    }
    let mut server = match start(
        bench,
        &Options::arguments(&["--nets", &nets.display().to_string()]),
    ) {
        Ok(server) => server,
        Err(checks) => return checks,
    };
    let _ = std::fs::remove_file(nets.join("contact.net"));
    let _ = std::process::Command::new("mkfifo")
        .arg(nets.join("contact.net"))
        .status();
    server.signal(Signal::HUP);
    std::thread::sleep(Duration::from_millis(500));
    let mut client = Client::tcp(server.tcp, 1, 0).ok();
    let answer = client.as_mut().and_then(|client| {
        client.push(b"move 4HPwATDgc/ABMA 31 top=1\n");
        client.line(Duration::from_secs(2))
    });
    let begun = Instant::now();
    server.signal(Signal::TERM);
    let status = server.wait(Duration::from_secs(12));
    vec![
        Check::new("answers meanwhile", answer.is_some(), answer.is_some()),
        Check::new(
            "SIGTERM",
            format!("{status:?} after {} ms", begun.elapsed().as_millis()),
            status.is_some_and(|status| status.success()),
        ),
    ]
}

fn restart(bench: &Bench) -> Vec<Check> {
    let mut first = match start(bench, &Options::default()) {
        Ok(server) => server,
        Err(checks) => return checks,
    };
    let port = first.tcp.port().to_string();
    let mut clients: Vec<Client> = (0..50)
        .filter_map(|_| Client::tcp(first.tcp, 1, 0).ok())
        .collect();
    for client in &mut clients {
        client.push(b"move 4HPwATDgc/ABMA 31\n");
    }
    let _ = first.child.kill();
    let _ = first.wait(Duration::from_secs(5));
    let begun = Instant::now();
    let second = Server::start(
        &bench.setup,
        &Options::arguments(&["--listen", &format!("127.0.0.1:{port}")]),
    );
    let found = format!("{} ms", begun.elapsed().as_millis());
    let holds = second.is_ok() && begun.elapsed() < Duration::from_secs(5);
    vec![Check::new(
        "listens on the same port again",
        second.err().unwrap_or(found),
        holds,
    )]
}

/// A number that cannot be a time is refused by name, or works.
fn idle_endless(bench: &Bench) -> Vec<Check> {
    match Server::start(
        &bench.setup,
        &Options::arguments(&["--idle-timeout", "18446744073709551615"]),
    ) {
        Err(error) => {
            let named = error.contains("idle-timeout");
            vec![Check::new(
                "refused by name, or works",
                error.lines().next().unwrap_or_default(),
                named,
            )]
        }
        Ok(server) => {
            let answer = Client::tcp(server.tcp, 1, 0).ok().and_then(|mut client| {
                client.push(b"ping\n");
                client.line(Duration::from_secs(2))
            });
            vec![Check::new(
                "refused by name, or works",
                format!("{answer:?}"),
                answer.is_some(),
            )]
        }
    }
}

fn run(bench: &Bench, limit: &MemoryLimit, words: &[&str]) -> std::io::Result<Child> {
    bench
        .setup
        .command(limit, "")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
}

fn memory(bench: &Bench, high: f64) -> Check {
    Check::new(
        "memory MiB",
        format!("{high:.0}"),
        high <= bench.limits.memory_mib,
    )
}

/// Feeds a program from a thread of its own, so that it may stop reading.
fn feed(child: &mut Child, blocks: usize, block: Vec<u8>) {
    if let Some(mut input) = child.stdin.take() {
        std::thread::spawn(move || {
            for _ in 0..blocks {
                if input.write_all(&block).is_err() {
                    return;
                }
            }
        });
    }
}

fn pipe_wide(bench: &Bench) -> Vec<Check> {
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let Ok(mut child) = run(bench, &limit, &["pipe"]) else {
        return vec![Check::new("start", "failed", false)];
    };
    feed(&mut child, 60, WIDE.repeat(100).into_bytes());
    let until = Instant::now() + bench.attack * 2;
    let mut high: f64 = 0.0;
    let mut buffer = vec![0; 1 << 16];
    let mut taken = 0;
    while Instant::now() < until {
        high = high.max(process_mib(child.id(), "VmHWM").unwrap_or(f64::NAN));
        // 6 MB a second or less.
        taken += child
            .stdout
            .as_mut()
            .map_or(0, |output| output.read(&mut buffer).unwrap_or(0));
        std::thread::sleep(Duration::from_millis(10));
    }
    let died = child.try_wait().ok().flatten();
    let _ = child.kill();
    let _ = child.wait();
    vec![
        memory(bench, high),
        Check::new(
            "lives",
            format!("{died:?}, {} KB read", taken / 1000),
            died.is_none(),
        ),
    ]
}

fn pipe_line(bench: &Bench) -> Vec<Check> {
    endless_line(bench, &["pipe"])
}

fn endless_line(bench: &Bench, words: &[&str]) -> Vec<Check> {
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let Ok(mut child) = run(bench, &limit, words) else {
        return vec![Check::new("start", "failed", false)];
    };
    let mut input = child.stdin.take();
    let block = vec![b'x'; 1 << 20];
    let sent = (0..200)
        .take_while(|_| {
            input
                .as_mut()
                .is_some_and(|input| input.write_all(&block).is_ok())
        })
        .count();
    let high = process_mib(child.id(), "VmHWM").unwrap_or(f64::NAN);
    drop(input);
    let status = wait(&mut child, Duration::from_secs(5));
    let _ = child.kill();
    let _ = child.wait();
    vec![
        memory(bench, high),
        Check::new(
            "read to its end",
            format!("{sent} MB, {status:?}"),
            sent == 200 && status.is_some(),
        ),
    ]
}

fn pipe_closed(bench: &Bench) -> Vec<Check> {
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let Ok(mut child) = run(bench, &limit, &["pipe"]) else {
        return vec![Check::new("start", "failed", false)];
    };
    feed(
        &mut child,
        100_000,
        "move 4HPwATDgc/ABMA 31\n".repeat(1000).into_bytes(),
    );
    std::thread::sleep(Duration::from_millis(300));
    drop(child.stdout.take());
    let begun = Instant::now();
    let status = wait(&mut child, Duration::from_secs(5));
    let _ = child.kill();
    let _ = child.wait();
    vec![Check::new(
        "ends",
        format!("{status:?} after {} ms", begun.elapsed().as_millis()),
        status.is_some(),
    )]
}

fn ubgi_line(bench: &Bench) -> Vec<Check> {
    let mut checks = endless_line(bench, &["ubgi"]);
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let Ok(mut child) = run(bench, &limit, &["ubgi"]) else {
        return checks;
    };
    feed(
        &mut child,
        1000,
        "ubgi\nkeys\nnonsense\n".repeat(100).into_bytes(),
    );
    std::thread::sleep(bench.attack / 2);
    checks.push(memory(
        bench,
        process_mib(child.id(), "VmHWM").unwrap_or(f64::NAN),
    ));
    let _ = child.kill();
    let _ = child.wait();
    checks
}
