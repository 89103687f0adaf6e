//! HTTP: slow, large, broken and greedy requests, over both versions.

use super::{Act, Attack};
use crate::clients::Client;
use crate::server::{Options, process_mib};
use crate::stage::{Check, Outcome, Stage};
use std::time::{Duration, Instant};

/// Answers come within this time, or not at all.
const SOON: Duration = Duration::from_secs(5);
const ROLLOUT: &str =
    r#"{"position":"4HPwATDgc/ABMA","settings":{"trials":16777216,"progress":true}}"#;

pub fn all() -> Vec<Attack> {
    let attack = |name, goals, quick, act, what| Attack {
        name,
        goals,
        what,
        quick,
        act: Act::Server(Options::default, act),
    };
    vec![
        attack(
            "http-slow",
            "R-04",
            true,
            slow,
            "heads and bodies that drip, 240 at a time",
        ),
        attack(
            "http-large",
            "R-03",
            true,
            large,
            "bodies of a gigabyte, announced and in chunks",
        ),
        attack(
            "http-herd",
            "R-02",
            false,
            herd,
            "1,000 connections that say nothing",
        ),
        attack(
            "http-broken",
            "R-06",
            true,
            broken,
            "two lengths, bare LF, folded lines, bad chunks: one answer each",
        ),
        attack(
            "http-json",
            "R-06",
            true,
            json,
            "JSON that is deep, wide, doubled, endless or no text",
        ),
        attack(
            "http2-reset",
            "R-06",
            true,
            resets,
            "HTTP/2 streams that are reset at once",
        ),
        attack(
            "http2-continued",
            "R-06",
            true,
            continued,
            "HTTP/2 heads that never end",
        ),
        attack(
            "http-unread",
            "R-05",
            true,
            unread,
            "60 rollouts with unread progress",
        ),
        attack(
            "http2-unread",
            "R-05",
            true,
            unread_streams,
            "60 HTTP/2 connections with closed windows, 100 answers each",
        ),
        attack(
            "http-gone",
            "R-08",
            true,
            gone,
            "rollouts of clients that leave",
        ),
        attack(
            "http-events",
            "R-05",
            true,
            events,
            "60 streams of events that nobody reads, of rollouts and of a job",
        ),
        attack(
            "http-jobs",
            "R-03",
            true,
            jobs,
            "jobs by hundreds that are never asked for",
        ),
        attack(
            "http-forms",
            "R-03",
            true,
            forms,
            "forms of ten thousand parts",
        ),
        Attack {
            name: "http-forwarded",
            goals: "R-02",
            what: "guessed tokens from thousands of addresses that a header names, trusted and not",
            quick: true,
            act: Act::Server(
                || {
                    Options {
                    before: "T=$(mktemp); echo 'ann 0123456789abcdef' >$T; (sleep 20; rm $T) >/dev/null & \
                             export GAMMOND_HTTP_TOKENS=$T; export GAMMOND_TRUSTED_PROXY=127.0.1.2; "
                        .to_owned(),
                    ..Options::default()
                }
                },
                forwarded,
            ),
        },
        Attack {
            name: "http-guess",
            goals: "R-02",
            what: "guessed tokens on 60 connections",
            quick: false,
            act: Act::Server(
                || {
                    Options {
                    before: "T=$(mktemp); echo 'ann 0123456789abcdef' >$T; (sleep 20; rm $T) >/dev/null & \
                             export GAMMOND_HTTP_TOKENS=$T; "
                        .to_owned(),
                    ..Options::default()
                }
                },
                guess,
            ),
        },
    ]
}

fn connect(stage: &Stage, address: u8, count: usize) -> Vec<Client> {
    (0..count)
        .filter_map(|_| Client::tcp(stage.http, address, 0).ok())
        .collect()
}

fn post(path: &str, length: usize, headers: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n"
    )
}

/// All that comes until the server closes or `most` is over.
fn answers(client: &mut Client, most: Duration) -> String {
    let mut bytes = Vec::new();
    client.rest(most, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn statuses(text: &str) -> Vec<u16> {
    let parts = text.split("HTTP/1.1 ").skip(1);
    parts
        .filter_map(|part| part.get(..3)?.parse().ok())
        .collect()
}

fn slow(stage: &Stage) -> Outcome {
    let mut herd: Vec<Client> = (1..=4).flat_map(|n| connect(stage, n, 60)).collect();
    for (number, client) in herd.iter_mut().enumerate() {
        match number % 2 {
            0 => client.push(b"GET /v1/eval?position="),
            _ => client.push(post("/v1/eval", 1 << 20, "").as_bytes()),
        };
    }
    while stage.on() {
        for client in &mut herd {
            client.push(b"4");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn large(stage: &Stage) -> Outcome {
    let (mut asked, mut refused) = (0, 0);
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 1 << 16], b"\r\n"].concat();
    while stage.on() {
        for mut client in connect(stage, 1, 4) {
            client.push(post("/v1/eval", 1 << 30, "").as_bytes());
            asked += 1;
            refused += usize::from(statuses(&answers(&mut client, SOON)) == [413]);
        }
        for mut client in connect(stage, 1, 4) {
            let head = post("/v1/eval", 0, "Transfer-Encoding: chunked\r\n");
            client.push(head.replace("Content-Length: 0\r\n", "").as_bytes());
            for _ in 0..40 {
                client.push(&chunk);
            }
            asked += 1;
            let text = answers(&mut client, SOON);
            // Who still writes may find the connection reset before the answer is read.
            refused += usize::from(text.is_empty() || statuses(&text) == [413]);
        }
    }
    let found = format!("{refused} of {asked}");
    Outcome {
        checks: vec![Check::new("refused", found, refused == asked && asked > 0)],
        ..Outcome::default()
    }
}

fn herd(stage: &Stage) -> Outcome {
    let herd: Vec<Client> = (1..=16).flat_map(|n| connect(stage, n, 63)).collect();
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn broken(stage: &Stage) -> Outcome {
    let inner = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let body = format!("0\r\n\r\n{inner}");
    let head = "POST /v1/eval HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    let requests = [
        format!(
            "{head}Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n{body}",
            body.len()
        ),
        format!("{head}Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n{body}"),
        format!("{head}Content-Length: 3\r\nContent-Length: 50\r\n\r\nabc{inner}"),
        format!("{head}Content-Length: +3\r\n\r\nabc{inner}"),
        format!("{head}Transfer-Encoding: xchunked\r\n\r\n{body}"),
        format!("{head}Transfer-Encoding : chunked\r\n\r\n{body}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{inner}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n-1\r\n{inner}"),
        format!("{head}X: a\r\n Transfer-Encoding: chunked\r\n\r\n{body}"),
        format!("{head}X: a\0b\r\n\r\n{inner}"),
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n".to_owned(),
        "GET /healthz HTTP/1.1\r\n\r\n".to_owned(),
        "GET /healthz HTTP/1.1 x\r\nHost: localhost\r\n\r\n".to_owned(),
        "GET /healthz\tHTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
        "GET http://evil.example/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
        format!(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n",
            "x".repeat(64 << 10)
        ),
        format!(
            "GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "x".repeat(64 << 10)
        ),
        format!(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n{}\r\n",
            "a: b\r\n".repeat(2000)
        ),
    ];
    let mut wrong = Vec::new();
    for (number, request) in requests.iter().enumerate() {
        for mut client in connect(stage, 1, 1) {
            client.push(request.as_bytes());
            let found = statuses(&answers(&mut client, Duration::from_millis(500)));
            // At most one answer, and it is no good one.
            if found.len() > 1 || found.iter().any(|status| !(400..500).contains(status)) {
                wrong.push(format!("{number}: {found:?}"));
            }
        }
    }
    stage.hold();
    Outcome {
        checks: vec![Check::new("smuggled", wrong.join(", "), wrong.is_empty())],
        ..Outcome::default()
    }
}

fn json(stage: &Stage) -> Outcome {
    let keys: Vec<String> = (0..60_000).map(|key| format!("\"{key}\":0")).collect();
    let bodies: Vec<Vec<u8>> = vec![
        "[".repeat(10_000).into_bytes(),
        "{\"a\":".repeat(10_000).into_bytes(),
        format!("{{{}}}", keys.join(",")).into_bytes(),
        format!("[{}0]", "0,".repeat(500_000)).into_bytes(),
        format!("{{\"position\":[{}0]}}", "[],".repeat(300_000)).into_bytes(),
        br#"{"position":"x","position":"y"}"#.to_vec(),
        br#"{"position":"4HPwATDgc/ABMA","settings":{"plies":1e308}}"#.to_vec(),
        br#"{"position":"4HPwATDgc/ABMA","settings":{"plies":-1}}"#.to_vec(),
        br#"{"position":1e999}"#.to_vec(),
        b"{\"position\":\"\xff\xfe\"}".to_vec(),
        b"\xff\xfe{\0}\0".to_vec(),
        br#"{"position":"\ud800"}"#.to_vec(),
        b"NaN".to_vec(),
    ];
    let paths = ["/v1/eval", "/v1/move", "/api/v1/getmoves", "/v1/double"];
    let (mut wrong, mut asked) = (Vec::new(), 0);
    while stage.on() {
        for (number, body) in bodies.iter().enumerate() {
            for path in paths {
                for mut client in connect(stage, 1, 1) {
                    client.push(post(path, body.len(), "Connection: close\r\n").as_bytes());
                    let mut sent = 0;
                    while sent < body.len() && stage.on() {
                        sent += client.push(&body[sent..]);
                    }
                    asked += 1;
                    let found = statuses(&answers(&mut client, SOON));
                    if sent == body.len() && !matches!(found[..], [400 | 413]) {
                        wrong.push(format!("{path} {number}: {found:?}"));
                    }
                }
            }
        }
    }
    wrong.truncate(3);
    Outcome {
        checks: vec![Check::new(
            format!("of {asked} not refused"),
            wrong.join(", "),
            wrong.is_empty(),
        )],
        ..Outcome::default()
    }
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
/// GET / of `localhost`, in HPACK.
const HEAD: &[u8] = b"\x82\x84\x86\x41\x09localhost";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .unwrap_or_default()
        .to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

fn resets(stage: &Stage) -> Outcome {
    let mut opened = 0_u64;
    while stage.on() {
        for mut client in connect(stage, 1, 16) {
            client.push(PREFACE);
            for stream in (1..2000_u32).step_by(2) {
                let both = [
                    frame(1, 5, stream, HEAD),
                    frame(3, 0, stream, &[0, 0, 0, 8]),
                ]
                .concat();
                if client.push(&both) == 0 {
                    break;
                }
                opened += 1;
            }
        }
    }
    Outcome {
        checks: vec![Check::new("streams reset", opened, opened > 0)],
        ..Outcome::default()
    }
}

fn continued(stage: &Stage) -> Outcome {
    // A literal field without indexing, again and again.
    let field = [b"\0\x01a\x7f\x81\x01".as_slice(), &[b'x'; 256]].concat();
    let more = frame(9, 0, 1, &field.repeat(32));
    let (mut ended, mut begun) = (0, 0);
    while stage.on() {
        for mut client in connect(stage, 1, 16) {
            client.push(PREFACE);
            client.push(&frame(1, 1, 1, HEAD));
            begun += 1;
            let mut bytes = Vec::new();
            for _ in 0..2000 {
                client.push(&more);
                if client.drain(&mut bytes) {
                    break;
                }
            }
            ended += usize::from(client.rest(Duration::from_millis(500), &mut bytes));
        }
    }
    let found = format!("{ended} of {begun}");
    Outcome {
        checks: vec![Check::new("ended by the server", found, ended == begun)],
        ..Outcome::default()
    }
}

fn unread(stage: &Stage) -> Outcome {
    let mut herd = connect(stage, 1, 60);
    for client in &mut herd {
        let mut request = post("/v1/rollout", ROLLOUT.len(), "");
        request.push_str(ROLLOUT);
        client.push(request.as_bytes());
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

/// Most memory that unread answers may cost the server, in MiB, and that it may keep when their clients have gone.
const UNREAD_MIB_MAX: f64 = 128.0;
const KEPT_MIB_MAX: f64 = 96.0;
/// Longest time that another client may wait for an answer.
const VICTIM_WAIT_MAX: Duration = Duration::from_secs(1);
/// A connection preface whose settings leave no room for any answer: the initial window is 0.
const CLOSED_PREFACE: &[u8] =
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0";

/// GET of a path of `localhost` that accepts `kind`, in HPACK.
fn head_of(path: &str, kind: &str) -> Vec<u8> {
    let text = |text: &str| {
        let length = u8::try_from(text.len()).unwrap_or_default();
        [&[length], text.as_bytes()].concat()
    };
    let name = |name: u8, value: &str| [vec![name], text(value)].concat();
    // Literals without indexing: `:path` is 4, `:authority` 1, `accept` 19 of the static table.
    let fields = [
        vec![0x82, 0x86],
        name(0x01, "localhost"),
        name(0x04, path),
        vec![0x0f],
        name(19 - 15, kind),
    ];
    fields.concat()
}

fn unread_streams(stage: &Stage) -> Outcome {
    let memory = |field| process_mib(stage.pid, field).unwrap_or(f64::NAN);
    let base = memory("VmRSS");
    let fixed = head_of("/openapi.json", "*/*");
    let picture = head_of("/v1/show?position=4HPwATDgc/ABMA", "image/png");
    let (mut waited, mut unanswered) = (Duration::ZERO, 0);
    let mut ask = || {
        let begun = Instant::now();
        let mut client = connect(stage, 2, 1);
        let request = "GET /v1/eval?position=4HPwATDgc/ABMA HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let text = client.first_mut().map(|client| {
            client.push(request.as_bytes());
            answers(client, SOON)
        });
        waited = waited.max(begun.elapsed());
        unanswered += usize::from(statuses(&text.unwrap_or_default()) != [200]);
    };
    let mut herd = connect(stage, 1, 60);
    let mut answered = vec![Vec::new(); herd.len()];
    for client in &mut herd {
        client.push(CLOSED_PREFACE);
        for stream in (1..200_u32).step_by(2) {
            let head = if stream % 4 == 1 { &fixed } else { &picture };
            client.push(&frame(1, 5, stream, head));
        }
        ask();
    }
    let mut most = memory("VmRSS");
    while stage.on() {
        ask();
        for (client, bytes) in herd.iter_mut().zip(&mut answered) {
            client.drain(bytes);
        }
        most = most.max(memory("VmRSS"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let begun = answered.iter().filter(|bytes| bytes.len() > 100).count();
    drop(herd);
    std::thread::sleep(Duration::from_secs(2));
    let (growth, kept) = (most - base, memory("VmRSS") - base);
    Outcome {
        checks: vec![
            Check::new("connections with answers", begun, begun == 60),
            Check::new(
                "growth MiB",
                format!("{growth:.0}"),
                growth <= UNREAD_MIB_MAX,
            ),
            Check::new("kept MiB", format!("{kept:.0}"), kept <= KEPT_MIB_MAX),
            Check::new(
                "other client's requests without an answer",
                unanswered,
                unanswered == 0,
            ),
            Check::timed(
                "other client waited ms",
                waited.as_millis(),
                waited <= VICTIM_WAIT_MAX,
            ),
        ],
        ..Outcome::default()
    }
}

fn gone(stage: &Stage) -> Outcome {
    let mut asked = 0;
    while stage.on() {
        for mut client in connect(stage, 1, 30) {
            let mut request = post("/v1/rollout", ROLLOUT.len(), "");
            request.push_str(ROLLOUT);
            client.push(request.as_bytes());
            asked += 1;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Outcome {
        checks: vec![Check::new("asked and left", asked, asked > 0)],
        ..Outcome::default()
    }
}

fn events(stage: &Stage) -> Outcome {
    let mut herd = connect(stage, 1, 60);
    for client in &mut herd {
        let mut request = post(
            "/v1/rollout",
            ROLLOUT.len(),
            "Accept: text/event-stream\r\n",
        );
        request.push_str(ROLLOUT);
        client.push(request.as_bytes());
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn jobs(stage: &Stage) -> Outcome {
    let (mut taken, mut refused, mut links) = (0, 0, Vec::new());
    while stage.on() {
        for mut client in connect(stage, 1, 30) {
            let mut request = post("/v1/jobs/rollout", ROLLOUT.len(), "Connection: close\r\n");
            request.push_str(ROLLOUT);
            client.push(request.as_bytes());
            let text = answers(&mut client, SOON);
            for status in statuses(&text) {
                taken += usize::from(status == 202);
                refused += usize::from(status == 503);
            }
            let lines = text.lines().filter_map(|line| line.split_once(": "));
            let mut found = lines.filter(|(name, _)| name.eq_ignore_ascii_case("location"));
            links.extend(found.next().map(|(_, link)| link.to_owned()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // The next attack finds a server without work.
    for link in &links {
        for mut client in connect(stage, 1, 1) {
            let request =
                format!("DELETE {link} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            client.push(request.as_bytes());
            answers(&mut client, SOON);
        }
    }
    Outcome {
        checks: vec![
            Check::new("jobs taken", taken, taken > 0 && taken <= 100),
            Check::new("jobs refused", refused, refused > 0),
        ],
        ..Outcome::default()
    }
}

fn forms(stage: &Stage) -> Outcome {
    let part = |name: &str, body: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{body}\r\n")
    };
    let many =
        |part: &dyn Fn(usize) -> String| (0..10_000).map(part).collect::<String>() + "--x--\r\n";
    let bodies = [
        many(&|number| part(&number.to_string(), "1")),
        many(&|_| part("file", "a")),
        many(&|_| part("", "")),
        many(&|_| "--x\r\n\r\n".to_owned()),
        format!("--x\r\nX: {}\r\n\r\n\r\n--x--\r\n", "y".repeat(500_000)),
    ];
    let (mut asked, mut wrong) = (0, Vec::new());
    while stage.on() {
        for (number, body) in bodies.iter().enumerate() {
            for path in ["/v1/analyse", "/v1/jobs/analyse"] {
                for mut client in connect(stage, 1, 1) {
                    let head = post(path, body.len(), "Connection: close\r\n");
                    let head = head.replace("application/json", "multipart/form-data; boundary=x");
                    client.push(head.as_bytes());
                    let mut sent = 0;
                    while sent < body.len() && stage.on() {
                        sent += client.push(&body.as_bytes()[sent..]);
                    }
                    asked += 1;
                    let found = statuses(&answers(&mut client, SOON));
                    if sent == body.len() && !matches!(found[..], [400 | 413]) {
                        wrong.push(format!("{path} {number}: {found:?}"));
                    }
                }
            }
        }
    }
    wrong.truncate(3);
    let what = format!("of {asked} not refused");
    Outcome {
        checks: vec![Check::new(
            what,
            wrong.join(", "),
            wrong.is_empty() && asked > 0,
        )],
        ..Outcome::default()
    }
}

fn forwarded(stage: &Stage) -> Outcome {
    let (mut let_in, mut number) = (0, 0_u64);
    // Of each peer: answers 401, and 429. The proxy is 127.0.1.2.
    let mut told = [(0, 0); 2];
    while stage.on() {
        for (peer, (wrong, slowed)) in (1..).zip(&mut told) {
            for mut client in connect(stage, peer, 30) {
                number += 1;
                let request = format!(
                    "GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Forwarded-For: 10.{}.{}.{}\r\n\
                     Authorization: Bearer {number:016}\r\n\r\n",
                    number >> 16 & 255,
                    number >> 8 & 255,
                    number & 255
                );
                client.push(request.as_bytes());
                for status in statuses(&answers(&mut client, SOON)) {
                    let_in += usize::from(status == 200);
                    *wrong += usize::from(status == 401);
                    *slowed += usize::from(status == 429);
                }
            }
        }
    }
    let [(spoofed, slowed), (named, _)] = told;
    Outcome {
        checks: vec![
            Check::new("let in", let_in, let_in == 0),
            Check::new(
                "guesses of a peer that is not trusted",
                spoofed,
                spoofed <= 20,
            ),
            Check::new("of these told to wait", slowed, slowed > 0),
            Check::new("guesses for each address of the proxy", named, named > 0),
        ],
        ..Outcome::default()
    }
}

fn guess(stage: &Stage) -> Outcome {
    let mut let_in = 0;
    let mut slowed = 0;
    let mut number = 0_u64;
    while stage.on() {
        for mut client in connect(stage, 1, 60) {
            number += 1;
            let request = format!(
                "GET /v1/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {number:016}\r\n\r\n"
            );
            client.push(request.as_bytes());
            for status in statuses(&answers(&mut client, SOON)) {
                let_in += usize::from(status == 200);
                slowed += usize::from(status == 429);
            }
        }
    }
    Outcome {
        checks: vec![
            Check::new("let in", let_in, let_in == 0),
            Check::new(format!("of {number} told to wait"), slowed, slowed > 0),
        ],
        ..Outcome::default()
    }
}
