//! Matches that come in lines, on a pipe and on sockets: rules and SRV-20, and who abuses them.

use crate::server::{Client, Running, limited, plain, reset};
use crate::support::wait_until;
use gammond_engine::query::Cost;
use gammond_protocol::{Dialect, FramedLine, LINE_BYTES_MAX, LineAction, MATCH_BYTES_MAX, Session};
use serde_json::Value;
use std::io::Write;
use std::net::Shutdown;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

fn sample(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/analysis/");
    std::fs::read_to_string(format!("{folder}{name}")).unwrap()
}

fn asked(head: &str, name: &str) -> String {
    format!("{head}\n{}\n.\n", sample(name))
}

/// What `gammond pipe` answers, a line each.
fn piped(input: &[u8]) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let run = child.wait_with_output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// both forms of file give what the command prints, in the order of the requests, and the text style is a line.
#[test]
fn a_match_in_lines_is_judged_as_the_command_does() {
    let mut input = asked("#one analyse", "three3.mat");
    input += "ping\n";
    input += &asked("analyse answer=text", "one1.sgf");
    input += &asked("ANALYZE end=EOF", "one1.mat").replace("\n.\n", "\n . . \nEOF\n");
    let lines = piped(input.as_bytes());
    let [first, pong, text, last] = &lines[..] else {
        panic!("{lines:?}")
    };
    let value: Value = serde_json::from_str(first).unwrap();
    assert_eq!(
        (&value["id"], &value["type"]),
        (&"one".into(), &"analysis".into())
    );
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/analysis/three3.mat"
    );
    let run = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["analyse", file, "--format", "json"])
        .output()
        .unwrap();
    let told: Value = serde_json::from_slice(&run.stdout).unwrap();
    for key in ["decisions", "totals", "games", "score", "faults", "level"] {
        assert_eq!(value[key], told[key], "{key}");
    }
    assert!(value["decisions"].as_array().unwrap().len() > 50);
    assert_eq!(pong, "{\"type\":\"pong\"}");
    assert!(
        text.contains(" to 1; ") && text.contains("error rate"),
        "{text}"
    );
    let value: Value = serde_json::from_str(last).unwrap();
    // The line behind the game is a fault and costs nothing else.
    assert_eq!(value["length"], 1, "{last}");
}

/// a part of a match has the decisions, losses and luck that it has in the whole.
#[test]
fn part_of_a_match_is_judged_alike() {
    let input = [
        asked("analyse plies=1", "three3.mat"),
        asked("analyse plies=1 from=1:3 to=2:4 player=2", "three3.mat"),
        asked("analyse plies=1 from=2", "three3.mat"),
        asked("analyse plies=1 to=1", "three3.mat"),
    ]
    .concat();
    let lines = piped(input.as_bytes());
    let values: Vec<Value> = (lines.iter())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let decisions = |value: &Value, wanted: &dyn Fn(u64, u64, u64) -> bool| -> Vec<Value> {
        let of = |one: &Value, key: &str| one[key].as_u64().unwrap_or(u64::MAX);
        let all = value["decisions"].as_array().unwrap().iter();
        let chosen = all.filter(|one| wanted(of(one, "game"), of(one, "move"), of(one, "player")));
        chosen.cloned().collect()
    };
    let whole = &values[0];
    assert!(whole.get("partial").is_none());
    let player = |value: &Value| value["players"].clone();
    for (value, wanted) in [
        (
            &values[1],
            &(|game: u64, turn: u64, player: u64| {
                (1, 3) <= (game, turn) && (game, turn) <= (2, 4) && player == 1
            }) as &dyn Fn(u64, u64, u64) -> bool,
        ),
        (&values[2], &|game, _, _| game >= 2),
        (&values[3], &|game, _, _| game == 1),
    ] {
        let own = decisions(value, &|_, _, _| true);
        assert!(own.len() > 5);
        assert_eq!(own, decisions(whole, wanted));
        assert_eq!(
            (&value["partial"], player(value)),
            (&true.into(), player(whole))
        );
    }
    for (word, field) in [
        ("from=0", "from"),
        ("from=1:0", "from"),
        ("to=x", "to"),
        ("player=3", "player"),
        ("from=2 to=1", "to"),
    ] {
        let code = match word {
            "from=2 to=1" => "bad-combination",
            _ => "bad-setting",
        };
        let line = &piped(format!("analyse {word}\n").as_bytes())[0];
        let value: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&value["code"], &value["field"]),
            (&code.into(), &field.into()),
            "{word}"
        );
    }
}

/// Input after `analyse` that cannot be judged, with the code of its error.
fn wrong_blocks() -> [(&'static str, Vec<u8>, &'static str); 11] {
    let huge = "x".repeat(1000) + "\n";
    let huge = huge.repeat(MATCH_BYTES_MAX / 1001 + 2);
    let long = "x".repeat(LINE_BYTES_MAX + 5);
    [
        (
            "no match",
            b"analyse\nhello\n.\n".to_vec(),
            "bad-match-file",
        ),
        ("nothing", b"analyse\n.\n".to_vec(), "bad-match-file"),
        (
            "binary",
            [
                &b"analyse\n"[..],
                &(0..=255u8).collect::<Vec<_>>(),
                b"\n.\n",
            ]
            .concat(),
            "bad-match-file",
        ),
        (
            "huge",
            format!("analyse\n{huge}.\n").into_bytes(),
            "bad-match-file",
        ),
        (
            "a long line",
            format!("analyse\n{long}\n.\n").into_bytes(),
            "line-too-long",
        ),
        (
            "a setting",
            b"analyse plis=2\n; 3 point match\nset plies=4\nquit\n.\n".to_vec(),
            "bad-setting",
        ),
        (
            "a setting before another end",
            b"analyse plies=9 end=EOF\n.\nquit\nEOF\n".to_vec(),
            "bad-setting",
        ),
        (
            "no word",
            b"analyse end=\nquit\n.\n".to_vec(),
            "bad-setting",
        ),
        ("a byte", b"analyse \x01\nquit\n.\n".to_vec(), "bad-byte"),
        (
            "a member",
            b"{\"verb\":\"analyse\",\"ply\":2}\nquit\n.\n".to_vec(),
            "bad-request",
        ),
        (
            "a setting in JSON",
            b"{\"verb\":\"analyse\",\"settings\":{\"end\":\"E\",\"plies\":9}}\nquit\n.\nE\n"
                .to_vec(),
            "bad-setting",
        ),
    ]
}

/// what cannot be judged has one answer, and the lines behind it are requests again.
#[test]
fn input_without_a_match_is_one_error() {
    let server = plain();
    for (name, input, code) in wrong_blocks() {
        let input = [input, b"ping\n".to_vec()].concat();
        let [error, pong] = &piped(&input)[..] else {
            panic!("{name}")
        };
        let value: Value = serde_json::from_str(error).unwrap();
        assert_eq!(
            (&value["code"], &value["line"]),
            (&code.into(), &1.into()),
            "{name}: {error}"
        );
        assert_eq!(pong, "{\"type\":\"pong\"}", "{name}");
        let mut client = Client::new(&server.address);
        client.send(&input);
        let value: Value = serde_json::from_str(&client.line()).unwrap();
        assert_eq!(value["code"], code, "{name}");
        assert_eq!(client.line(), "{\"type\":\"pong\"}", "{name}");
    }
    // The input ends before the match does.
    let lines = piped(b"#7 analyse plies=9\nping\n");
    assert!(
        lines.len() == 1 && lines[0].contains("bad-setting"),
        "{lines:?}"
    );
    let lines = piped(b"ping\n#7 analyse\n 1 point match\nping\n");
    let value: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
    assert_eq!(
        (&value["id"], &value["code"]),
        (&"7".into(), &"bad-request".into())
    );
    assert_eq!(lines.len(), 2, "{lines:?}");
    let mut client = Client::new(&server.address);
    client.send("analyse\n 1 point match\n");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let answer = String::from_utf8(client.rest()).unwrap();
    assert!(answer.contains("no line '.' that ends it"), "{answer}");
}

fn hang_ups(server: &Running) -> u64 {
    server.handle.counters().hang_ups.load(Ordering::Relaxed)
}

/// SRV-20, SRV-11, SRV-12: whoever judges matches at four plies keeps nobody waiting, two at once neither, and when they
/// are gone their work is.
#[test]
fn long_matches_do_not_block_other_clients() {
    let server = plain();
    let mut attackers = Vec::new();
    // One client may begin eight matches (SRV-21).
    for _ in 0..12 {
        let mut attacker = Client::new(&server.address);
        attacker.send(asked("analyse plies=4", "seven7.mat").repeat(3));
        attackers.push(attacker);
    }
    let queued = &server.handle.counters().queued;
    wait_until("four wait", || queued.load(Ordering::Relaxed) == 4);
    let mut victim = Client::new(&server.address);
    for _ in 0..3 {
        assert_eq!(victim.ask("ping")["type"], "pong");
        assert_eq!(victim.ask("move 4HPwATDgc/ABMA 31 top=1")["type"], "move");
        assert_eq!(victim.ask("eval 4HPwATDgc/ABMA plies=2")["type"], "eval");
    }
    // Only one match of each is taken at a time.
    assert_eq!(queued.load(Ordering::Relaxed), 4);
    attackers.into_iter().for_each(reset);
    wait_until("they are missed", || hang_ups(&server) == 12);
    let mut other = Client::new(&server.address);
    other.send(asked("analyse", "one1.mat"));
    let value: Value = serde_json::from_str(&other.line()).unwrap();
    assert_eq!(value["type"], "analysis", "the threads are free again");
}

/// SRV-20: a match that does not come to its end, one that is given up half-way, and more of them than fit.
#[test]
fn slow_and_huge_matches_are_bounded() {
    // The client that exceeds this time sends until it is closed.
    let server = limited(|limits| limits.block_timeout = Duration::from_millis(300));
    let mut half = Client::new(&server.address);
    half.send("analyse\n 7 point match\n");
    drop(half);
    let mut slow = Client::new(&server.address);
    slow.send("analyse\n");
    wait_until("the slow client is closed", || {
        slow.stream.write_all(b"; x\n").is_err()
    });
    let answer = String::from_utf8(slow.rest()).unwrap();
    assert!(answer.contains("took too long to come"), "{answer}");
    let server = limited(|limits| limits.block_bytes_max = 20 << 10);
    let mut greedy = Client::new(&server.address);
    let comments = format!("; {}\n", "x".repeat(70)).repeat(600);
    greedy.send(format!("analyse\n{comments}.\nping\n"));
    let value: Value = serde_json::from_str(&greedy.line()).unwrap();
    assert_eq!(value["code"], "busy", "{value}");
    assert_eq!(greedy.line(), "{\"type\":\"pong\"}");
    // What was given up weighs nothing any more.
    greedy.send(asked("analyse", "one1.mat"));
    let value: Value = serde_json::from_str(&greedy.line()).unwrap();
    assert_eq!(value["type"], "analysis", "{value}");
}

/// `time` is for the whole match.
#[test]
fn the_time_of_a_match_is_limited() {
    let lines = piped(asked("analyse plies=4 time=50", "seven7.mat").as_bytes());
    let value: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(value["code"], "timeout", "{value}");
}

/// SRV-11: a match is long work whatever is said of it.
#[test]
fn a_match_is_long_work() {
    let mut session = Session::default();
    for line in ["analyse plies=0 queue=interactive", " 1 point match"] {
        let step = session.line(FramedLine::Line(line.as_bytes()));
        assert!(matches!(step, LineAction::Silence), "{step:?}");
    }
    assert!(session.gathered().is_some_and(|held| held > 0));
    let LineAction::Ask(inquiry) = session.line(FramedLine::Line(b".")) else {
        panic!()
    };
    assert_eq!(inquiry.cost(), Cost::Long);
    assert_eq!(session.gathered(), None);
}
