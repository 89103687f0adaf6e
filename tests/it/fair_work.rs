//! Long work of several clients beside each other, and its limits (SRV-21); memory of analyses.

use crate::server::{Client, LONG, Running, limited, plain};
#[cfg(target_os = "linux")]
use crate::server_process::Process;
use gammond_server::core::limits::Limits;
use serde_json::Value;
use std::io::Write as _;
use std::time::Duration;

const ENDLESS: &str = "rollout 4HPwATDgc/ABMA trials=16777216\n";
const SHORT: &str = "rollout 4HPwATDgc/ABMA trials=36";

/// SRV-21: rollouts and deep looks that never end keep no other client's long work waiting, also when clients
/// come and go.
#[test]
fn endless_work_of_others_leaves_every_client_its_share() {
    let server = plain();
    let mut others: Vec<Client> = (0..6).map(|_| Client::new(&server.address)).collect();
    for (number, other) in others.iter_mut().enumerate() {
        other.send(if number % 3 == 2 { LONG } else { ENDLESS });
    }
    for _ in 0..4 {
        let answer = Client::new(&server.address).ask(SHORT);
        assert_eq!(answer["candidates"][0]["trials"], 36, "{answer}");
        let answer = Client::new(&server.address).ask("move 4HPwATDgc/ABMA 31 plies=3 top=1");
        assert_eq!(answer["type"], "move", "{answer}");
    }
    // The same numbers as alone: a pause changes nothing.
    let beside = Client::new(&server.address).ask(SHORT);
    drop(others);
    let alone = Client::new(&server.address).ask(SHORT);
    assert_eq!(beside["candidates"], alone["candidates"]);
}

/// UBGI's `stop` is answered beside any long work, whether the search has begun or waits.
#[test]
fn ubgi_stop_is_answered_beside_endless_work() {
    let server = plain();
    let mut others: Vec<Client> = (0..6).map(|_| Client::new(&server.address)).collect();
    others.iter_mut().for_each(|other| other.send(ENDLESS));
    for _ in 0..8 {
        let mut client = Client::new(&server.address);
        client.send("ubgi\nset engine.ply 5\nset engine.filter huge\n");
        client.send("position gnubgid 4HPwATDgc/ABMA\ndice 4 3\ngo\nstop\n");
        let line = std::iter::repeat_with(|| client.line())
            .find(|line| line.starts_with("bestmove") || line.is_empty())
            .unwrap();
        assert!(line.starts_with("bestmove "), "{line:?}");
    }
}

/// Returns a server with the first limit that leaves an endless rollout time for a game: on a busy machine a short
/// limit ends before the first one.
fn with_limit(limit: impl Fn(&mut Limits, Duration)) -> (Running, Client) {
    for doublings in 0..12 {
        // Longer limits follow.
        let server = limited(|limits| limit(limits, Duration::from_millis(400 << doublings)));
        let mut client = Client::new(&server.address);
        let answer = client.ask(ENDLESS.trim_end());
        if answer["code"] == "timeout" {
            continue;
        }
        assert_eq!(answer["stopped"], "stopped", "{answer}");
        let trials = &answer["candidates"][0]["trials"];
        assert!(trials.as_u64().unwrap() > 0, "{answer}");
        return (server, client);
    }
    panic!("no game in any time");
}

/// SRV-21: `--request-cpu` ends a rollout with the games it has, and another question with an error.
#[test]
fn request_above_its_processor_time_ends() {
    let (_server, mut client) = with_limit(|limits, time| limits.request_cpu = Some(time));
    let answer = client.ask(LONG.trim_end());
    assert_eq!(answer["code"], "timeout", "{answer}");
    assert_eq!(client.ask("move 4HPwATDgc/ABMA 31 top=1")["type"], "move");
}

/// SRV-21: `--client-cpu` counts all requests of a client; above it what looks ahead is `busy`.
#[test]
fn client_above_its_processor_time_is_busy() {
    let (server, mut client) = with_limit(|limits, time| limits.client_cpu = time);
    let answer = Client::new(&server.address).ask(SHORT);
    assert_eq!(answer["code"], "busy", "{answer}");
    assert_eq!(client.ask("move 4HPwATDgc/ABMA 31 top=1")["type"], "move");
}

/// A match of so many bytes whose games are as short as they can be.
fn tiny_games(bytes: usize) -> String {
    let mut text = " 0 point match\n\n".to_owned();
    for number in 1.. {
        let game = format!(" Game {number}\n A : 0  B : 0\n  1) 63: 24/18 13/10  Wins 1 point\n\n");
        if text.len() + game.len() > bytes {
            break;
        }
        text += &game;
    }
    text
}

#[cfg(target_os = "linux")]
pub(crate) fn peak_kib(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let words = line.unwrap().split_whitespace().nth(1);
    words.unwrap().parse().unwrap()
}

/// 1 MB of match takes at most 32 MB, over TCP and a Unix socket, also where nobody reads the answer.
#[cfg(target_os = "linux")]
#[test]
fn tiny_games_take_little_memory_on_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let unix = format!("unix:{}", folder.path().join("socket").display());
    let server = Process::start(
        "exec \"$@\"",
        &["--listen", "127.0.0.1:0", "--listen", &unix],
    );
    let text = tiny_games(255 << 10);
    // The longest time that can be asked for: five minutes are too few on a busy machine.
    let request = format!("analyse end=ENDE plies=0 time=600000\n{text}ENDE\n");
    let mut client = Client::new(&server.addresses[0]);
    // Tables and code that an analysis brings into memory do not count.
    client.send(format!(
        "analyse end=ENDE plies=0\n{}ENDE\n",
        tiny_games(100)
    ));
    assert!(client.line().contains("\"decisions\""));
    // Nor does the table of endings, which a busy machine makes late.
    assert_eq!(client.ask("cube AQAABAAAAAAAAA")["type"], "cube");
    let before = peak_kib(server.id());
    let mut unread = Client::new(&server.addresses[0]);
    unread.send(&request);
    client.send(&request);
    let answer: Value = serde_json::from_str(&client.line()).unwrap();
    let games = text.matches("Game").count();
    assert_eq!(answer["games"].as_array().unwrap().len(), games);
    assert_eq!(answer["decisions"].as_array().unwrap().len(), 2 * games);
    let mut stream =
        std::os::unix::net::UnixStream::connect(unix.strip_prefix("unix:").unwrap()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stream), &mut line).unwrap();
    let other: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(other, answer);
    let taken = peak_kib(server.id()) - before;
    let most = 32 * 3 * request.len() as u64 / 1024;
    assert!(
        taken <= most,
        "{taken} KiB for three requests, at most {most}"
    );
}

/// the same through a pipe and for `gammond analyse`, with the bytes that a socket answers.
#[cfg(target_os = "linux")]
#[test]
fn tiny_games_take_little_memory_in_a_pipe_and_a_file() {
    let text = tiny_games(670_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tiny.mat");
    std::fs::write(&file, &text).unwrap();
    let half = tiny_games(255 << 10);
    let piped = format!("analyse end=ENDE plies=0 time=600000\n{half}ENDE\n").repeat(4);
    let path = file.to_str().unwrap();
    // Tables and code that an analysis brings into memory do not count.
    let one = format!("analyse end=ENDE plies=0\n{}ENDE\n", tiny_games(100));
    let base = run_and_measure(&["pipe", "--threads", "1"], &one).1;
    for (words, input, bytes) in [
        (vec!["pipe", "--threads", "1"], piped.as_str(), piped.len()),
        (
            vec![
                "analyse",
                path,
                "--format",
                "json",
                "--plies",
                "0",
                "--threads",
                "1",
            ],
            "",
            text.len(),
        ),
        (
            vec![
                "analyse",
                path,
                "--format",
                "csv",
                "--plies",
                "0",
                "--threads",
                "1",
            ],
            "",
            text.len(),
        ),
        (
            vec!["analyse", path, "--plies", "0", "--threads", "1"],
            "",
            text.len(),
        ),
    ] {
        let (answered, peak) = run_and_measure(&words, input);
        assert!(answered > bytes / 4, "{words:?}: {answered} bytes");
        let (taken, most) = (peak.saturating_sub(base), 32 * bytes as u64 / 1024);
        assert!(taken <= most, "{words:?}: {taken} KiB, at most {most}");
    }
}

/// Runs the program; returns the bytes that it wrote and its highest memory in KiB.
#[cfg(target_os = "linux")]
fn run_and_measure(words: &[&str], input: &str) -> (usize, u64) {
    use std::io::Read as _;
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(words)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let input = input.to_owned();
    let (measured, waits) = std::sync::mpsc::channel::<()>();
    let writer = std::thread::spawn(move || {
        stdin.write_all(input.as_bytes())?;
        // A process that has ended shows no memory: its input stays open until it was measured once.
        let _ = waits.recv();
        std::io::Result::Ok(())
    });
    let (mut answered, mut peak) = (0, 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = stdout.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        answered += count;
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", child.id())) {
            let line = status.lines().find(|line| line.starts_with("VmHWM:"));
            let found = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
            peak = found.unwrap_or(0).max(peak);
        }
        let _ = measured.send(());
    }
    writer.join().unwrap().unwrap();
    child.wait().unwrap();
    (answered, peak)
}
