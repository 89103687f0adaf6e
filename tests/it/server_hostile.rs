//! `gammond serve` against clients that take all they can: goals and the
//! rules SRV- that keep them. Small sizes; `tools/hostile` has the large ones and the figures.

use crate::server::{Client, LONG, limited, plain, reset, start};
use crate::support::{HANG_LIMIT, wait_for, wait_until};
use gammond_engine::query::Cost;
use gammond_protocol::{Dialect, FramedLine, LineAction, Options, Session};
use gammond_server::Address;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A position with 2,051 plays, half a megabyte of answer.
const HUGE: &str = "move QAAS3j+QlKqSKg 11\n";
const MOVE: &str = "move 4HPwATDgc/ABMA 31 top=1\n";

/// SRV-11: the cost of a line is what it asks for, in whatever spelling and whoever says so.
#[test]
fn no_spelling_makes_a_long_question_short() {
    let cost = |session: &str, line: &str| {
        let mut session_machine = Session::new(Options::default());
        if !session.is_empty() {
            session_machine.line(FramedLine::Line(session.as_bytes()));
        }
        match session_machine.line(FramedLine::Line(line.as_bytes())) {
            LineAction::Ask(inquiry) => inquiry.cost(),
            other => panic!("{line}: {other:?}"),
        }
    };
    let play = "move 4HPwATDgc/ABMA 31";
    for long in [
        "plies=3",
        "PLIES=3",
        "plies=03",
        "Plies=004",
        "time=1",
        "Time=600000",
        "plies=4 queue=interactive",
        "queue=bulk",
        "plies=0 plies=3",
    ] {
        assert_eq!(cost("", &format!("{play} {long}")), Cost::Long, "{long}");
        assert_eq!(cost(&format!("set {long}"), play), Cost::Long, "set {long}");
    }
    for (settings, expected) in [
        ("", Cost::Short),
        ("time=0", Cost::Short),
        ("plies=3 plies=0", Cost::Short),
        ("plies=1", Cost::Medium),
        ("plies=2 queue=interactive", Cost::Medium),
        ("plies=2 filter=narrow", Cost::Medium),
        ("plies=2 filter=large", Cost::Heavy),
        ("PLIES=2 Prune=off queue=interactive", Cost::Heavy),
        ("plies=1 filter=huge prune=off", Cost::Medium),
    ] {
        assert_eq!(
            cost("", &format!("{play} {settings}")),
            expected,
            "{settings}"
        );
    }
    assert_eq!(cost("", "stats"), Cost::Free);
    assert_eq!(cost("", "version"), Cost::Free);
    assert_eq!(cost("set time=5", "show 4HPwATDgc/ABMA"), Cost::Short);
}

/// SRV-11: `ping` and `stats` need no thread, and short and medium questions find one, while
/// every thread is busy with long ones, asked in three protocols.
#[test]
fn long_queries_do_not_block_other_clients() {
    let server = plain();
    let mut attackers = Vec::new();
    for text in [
        LONG.repeat(8),
        LONG.to_uppercase()
            .replace("4HPWATDGC/ABMA", "4HPwATDgc/ABMA"),
        "ubgi\nset engine.ply 5\nset engine.filter huge\nposition gnubgid 4HPwATDgc/ABMA\n\
         dice 4 3\ngo\n"
            .to_owned(),
        "move 4HPwATDgc/ABMA 31 time=600000 queue=interactive\n".repeat(4),
    ] {
        let mut attacker = Client::new(&server.address);
        attacker.send(&text);
        attackers.push(attacker);
    }
    let queued = &server.handle.counters().queued;
    wait_until("the long questions run", || {
        queued.load(Ordering::Relaxed) >= 10
    });
    let mut victim = Client::new(&server.address);
    for _ in 0..5 {
        assert_eq!(victim.ask("ping")["type"], "pong");
        assert_eq!(victim.ask("stats")["panics"], 0);
        assert_eq!(victim.ask(MOVE.trim_end())["type"], "move");
        assert_eq!(victim.ask("eval 4HPwATDgc/ABMA plies=2")["type"], "eval");
    }
    assert!(queued.load(Ordering::Relaxed) >= 10, "they still wait");
    attackers.into_iter().for_each(reset);
    wait_until("dead questions are dropped", || {
        queued.load(Ordering::Relaxed) == 0
    });
}

/// SRV-12: a reset is seen though 64 lines are in flight and nothing is read; what waited
/// leaves the queue, what ran stops.
#[test]
fn a_reset_is_seen_while_nothing_is_read() {
    let server = plain();
    let counters = server.handle.counters();
    for text in [LONG.repeat(100), format!("{LONG}{}ping\n", LONG.repeat(63))] {
        let mut client = Client::new(&server.address);
        client.send(&text);
        wait_until("they wait", || {
            counters.queued.load(Ordering::Relaxed) >= 62
        });
        reset(client);
        wait_until("the dead are not worked for", || {
            counters.queued.load(Ordering::Relaxed) == 0
                && counters.connections.load(Ordering::Relaxed) == 0
        });
    }
    assert_eq!(counters.hang_ups.load(Ordering::Relaxed), 2);
    // The threads are free again: a long question of somebody else is begun and answered.
    let mut next = Client::new(&server.address);
    assert_eq!(
        next.ask("move 4HPwATDgc/ABMA 31 plies=1 queue=bulk")["type"],
        "move"
    );
}

/// SRV-09: answers that nobody reads are bounded for each and for all, and others are
/// served meanwhile; when they are gone everything is given back.
#[test]
fn unread_answers_are_bounded() {
    const LIMIT: usize = 2 << 20;
    let server = limited(|limits| limits.answer_bytes_max = LIMIT);
    let mut deaf: Vec<Client> = (0..16).map(|_| Client::new(&server.address)).collect();
    let mut most = 0;
    for client in &mut deaf {
        client.send(HUGE.repeat(64));
        client.send("get\n".repeat(64));
    }
    let mut victim = Client::new(&server.address);
    for _ in 0..300 {
        assert_eq!(victim.ask(MOVE.trim_end())["type"], "move");
        most = most.max(server.handle.unsent_bytes());
    }
    // Each worker may have one answer in its hands beside what the ledger holds.
    assert!(
        most <= LIMIT + (3 << 20),
        "{most} bytes of answers were held"
    );
    deaf.into_iter().for_each(reset);
    wait_until("the accounts are settled", || {
        server.handle.unsent_bytes() == 0
    });
}

/// SRV-09: who reads gets all of many huge answers, though they are computed by several threads and
/// those behind fill the account before the first is there.
#[test]
fn a_reader_gets_all_of_its_huge_answers() {
    let server = plain();
    let mut clients: Vec<Client> = (0..2).map(|_| Client::new(&server.address)).collect();
    for client in &mut clients {
        client.send(HUGE.repeat(24) + "ping\n" + &HUGE.repeat(12) + "quit\n");
    }
    for client in &mut clients {
        let said = client.rest();
        let lines = said.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!((lines, said.len() > 36 * 400_000), (38, true));
    }
}

/// SRV-15, Q-06, Q-30: what was asked before `quit` or `exit` is answered, whatever stands behind it.
#[test]
fn quit_behind_other_lines_loses_nothing() {
    let server = plain();
    for word in ["quit", "exit"] {
        for _ in 0..20 {
            let mut client = Client::new(&server.address);
            client.send(MOVE.repeat(20) + word + "\n" + &MOVE.repeat(2000));
            let rest = String::from_utf8(client.rest()).unwrap();
            assert_eq!(rest.lines().count(), 21, "{word}");
            assert!(rest.ends_with("{\"type\":\"quit\"}\n"), "{word}: {rest}");
        }
    }
}

/// SRV-05: every newcomer above the limit reads its line, however many there are.
#[test]
fn every_refused_connection_gets_a_line() {
    let server = limited(|limits| {
        limits.connections_max = 1;
        limits.refusals_max = 4;
    });
    let mut first = Client::new(&server.address);
    assert_eq!(first.ask("ping")["type"], "pong");
    let mut newcomers: Vec<Client> = (0..60).map(|_| Client::new(&server.address)).collect();
    for (number, newcomer) in newcomers.iter_mut().enumerate() {
        if number % 2 == 0 {
            // The peer may have been told and closed before.
            let _ = newcomer.stream.write_all(MOVE.as_bytes());
        }
    }
    for newcomer in &mut newcomers {
        let said = String::from_utf8(newcomer.rest()).unwrap();
        assert!(
            said.contains("\"busy\"") && said.lines().count() == 1,
            "{said:?}"
        );
    }
}

/// SRV-19: HTTP on this port has one answer and does nothing.
#[test]
fn http_is_refused_at_its_first_line() {
    let server = plain();
    for request in [
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\nset plies=4\nmove 4HPwATDgc/ABMA 31\n",
        "GET /metrics HTTP/1.0\r\n\r\n",
    ] {
        let mut client = Client::new(&server.address);
        client.send(request);
        let said = String::from_utf8(client.rest()).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.contains("\"bad-request\"") && said.contains("HTTP"),
            "{said}"
        );
    }
    assert_eq!(Client::new(&server.address).ask("get")["plies"], 0);
}

/// UBGI-26: `stop` ends a search at once, and what is known is said. SRV-08: quiet UBGI is closed.
#[test]
fn ubgi_stops_on_request_and_closes_when_idle() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send("ubgi\n");
    while client.line() != "ubgiok" {}
    client.send("set engine.ply 5\nset engine.filter huge\nposition gnubgid 4HPwATDgc/ABMA\n");
    client.send("dice 4 3\ngo\nisready\n");
    // The search has begun by then; the transport has no message for that.
    std::thread::sleep(Duration::from_millis(100));
    client.send("stop\n");
    let said = client.line();
    assert!(said.starts_with("bestmove "), "{said}");
    assert_eq!(client.line(), "readyok");
    // On a busy machine a client's first line can come after this time: then it tries again.
    let server = limited(|limits| limits.idle_timeout = Duration::from_millis(500));
    let said = wait_for("UBGI is spoken", || {
        let mut client = Client::new(&server.address);
        let _ = client.stream.write_all(b"ubgi\n");
        let said = String::from_utf8(client.rest()).unwrap();
        said.contains("ubgiok").then_some(said)
    });
    assert!(
        said.ends_with("ubgiok\n"),
        "nothing unasked is said: {said}"
    );
}

/// The longest time that can be said is for ever.
#[test]
fn the_longest_times_do_not_overflow() {
    // These times never end.
    let forever = Duration::from_secs(u64::MAX);
    let server = limited(|limits| {
        (limits.idle_timeout, limits.line_timeout) = (forever, forever);
    });
    let mut client = Client::new(&server.address);
    client.send("pi");
    client.send("ng\n");
    assert_eq!(client.line(), "{\"type\":\"pong\"}");
}

/// SRV-05: users of this machine have their limit as addresses have.
#[test]
fn a_user_has_so_many_connections() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let server = start(|config| {
        config.listen.push(Address::Unix(path.clone()));
        config.limits.connections_per_peer = 2;
    });
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = UnixStream::connect(&path).unwrap();
        stream.write_all(b"ping\n").unwrap();
        let mut answer = [0; 16];
        stream.read_exact(&mut answer).unwrap();
        held.push(stream);
    }
    let mut said = String::new();
    let mut refused = UnixStream::connect(&path).unwrap();
    refused.read_to_string(&mut said).unwrap();
    assert!(said.contains("connections of one user"), "{said}");
    assert_eq!(Client::new(&server.address).ask("ping")["type"], "pong");
}

/// SRV-03: only a socket that nobody answers on is replaced, and only one's own is removed.
#[test]
fn files_that_are_not_ours_stay() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bind = |path: &std::path::Path| {
        let lines = gammond_server::lines::Lines::new(vec![Address::Unix(path.to_owned())]);
        let mut config = gammond_server::Config::default().with(lines);
        config.limits.bind_retry = Duration::ZERO;
        let build = || gammond_engine::Engine::builder().threads(1).build();
        let server = gammond_server::Server::bind(config, build().unwrap(), Box::new(build));
        runtime.block_on(server)
    };
    let text = folder.path().join("thesis.txt");
    std::fs::write(&text, "years of work").unwrap();
    let refused = bind(&text).unwrap_err().to_string();
    assert!(refused.contains("not a socket"), "{refused}");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&text, &link).unwrap();
    bind(&link).unwrap_err();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&text).unwrap(), "years of work");
    let socket = folder.path().join("socket");
    let first = bind(&socket).unwrap();
    std::fs::remove_file(&socket).unwrap();
    let successor = UnixListener::bind(&socket).unwrap();
    drop(first);
    assert!(
        socket.exists(),
        "the first server's end took its successor's socket"
    );
    drop(successor);
    drop(bind(&socket).unwrap());
    assert!(!socket.exists());
}

/// SRV-18: who dawdles at the metrics keeps nobody out.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn slow_readers_do_not_block_the_metrics() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let _server = start(|config| {
        config.metrics = Some(Address::Tcp(port.to_string()));
        config.limits.metrics_timeout = HANG_LIMIT;
    });
    let slow: Vec<Client> = (0..120)
        .map(|_| {
            let mut client = Client::new(&port.to_string());
            client.send("GET /met");
            client
        })
        .collect();
    let mut reader = Client::new(&port.to_string());
    reader.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    let text = String::from_utf8(reader.rest()).unwrap();
    assert!(text.contains("# HELP gammond_answered_total "), "{text}");
    assert!(text.contains("gammond_build_info{version="), "{text}");
    let mut wrong = Client::new(&port.to_string());
    wrong.send("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    let text = String::from_utf8(wrong.rest()).unwrap();
    assert!(text.starts_with("HTTP/1.1 405"), "{text}");
    drop(slow);
}
