//! Server-sent events of `gammond serve --http`: rules HTTP-40 to HTTP-43 of `protocol-specs/http.md`.

use crate::http::{Answer, counter, get, raw, server};
use crate::server::{Client, start};
use crate::support::{HANG_LIMIT, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::Duration;

const START: &str = "4HPwATDgc/ABMA";
const STREAM: &str = "Accept: text/event-stream\r\n";

/// Names, data and ids of the events of a whole stream.
pub(crate) fn events(body: &[u8]) -> Vec<(String, Value, Option<String>)> {
    let text = std::str::from_utf8(body).unwrap();
    assert!(text.ends_with("\n\n"), "{text}");
    let mut found = Vec::new();
    for block in text.trim_end().split("\n\n") {
        let (mut name, mut data, mut id) = (None, None, None);
        for line in block.lines() {
            match line.split_once(": ") {
                Some(("event", value)) => assert!(name.replace(value.to_owned()).is_none()),
                Some(("data", value)) => {
                    let value = serde_json::from_str::<Value>(value).unwrap();
                    assert!(data.replace(value).is_none());
                }
                Some(("id", value)) => assert!(id.replace(value.to_owned()).is_none()),
                _ => assert_eq!(line, ":"),
            }
        }
        if let (Some(name), Some(data)) = (name, data) {
            found.push((name, data, id));
        }
    }
    found
}

fn post(http: &str, target: &str, headers: &str, body: &[u8]) -> Answer {
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    raw(http, &[head.as_bytes(), body].concat())
}

fn without_time(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("elapsed_ms");
    answer
}

/// HTTP-40, HTTP-41, HTTP-42: a rollout shows its progress, and ends with the answer that it has without a stream.
#[test]
fn rollouts_are_streamed() {
    let (_server, _, http) = server();
    let settings = json!({"trials": 360, "truncate": 2, "plies": 1, "seed": 7});
    let body = json!({"position": START, "id": "a", "settings": settings}).to_string();
    let kind = "Content-Type: application/json\r\n";
    let plain = post(&http, "/v1/rollout", kind, body.as_bytes()).json();
    let answer = post(
        &http,
        "/v1/rollout",
        &format!("{kind}{STREAM}"),
        body.as_bytes(),
    );
    assert_eq!(
        (
            answer.status,
            answer.header("content-type"),
            answer.header("cache-control")
        ),
        (200, Some("text/event-stream"), Some("no-store"))
    );
    let all = events(&answer.body);
    let (last, before) = all.split_last().unwrap();
    // A fast machine ends it before there is any progress.
    for (name, data, id) in before {
        assert_eq!((name.as_str(), id), ("progress", &None));
        assert!(data["trials"].as_u64().unwrap() <= 360, "{data}");
    }
    assert_eq!((last.0.as_str(), last.2.as_deref()), ("result", Some("1")));
    assert_eq!(without_time(last.1.clone()), without_time(plain.clone()));
    let target = format!("/v1/rollout?position={START}&id=a&trials=360&truncate=2&plies=1&seed=7");
    let quiet = events(&get(&http, &format!("{target}&progress=false"), STREAM).body);
    assert_eq!(quiet.len(), 1);
    assert_eq!(without_time(quiet[0].1.clone()), without_time(plain));
    let again = get(&http, &target, &format!("{STREAM}Last-Event-ID: 1\r\n"));
    assert_eq!((again.status, again.body.len()), (204, 0));
    let wrong = get(&http, "/v1/rollout?position=x", STREAM);
    assert_eq!(
        (wrong.status, &wrong.json()["code"]),
        (400, &json!("bad-position"))
    );
    let not = get(&http, &format!("/v1/eval?position={START}"), STREAM);
    assert_eq!(not.status, 406);
}

/// HTTP-40: a rollout that does not end shows its progress again and again.
#[test]
fn progress_is_streamed_while_it_computes() {
    let (_server, _, http) = server();
    let target = format!("/v1/rollout?position={START}&id=a&trials=16777216");
    let request = format!("GET {target} HTTP/1.1\r\nHost: {http}\r\n{STREAM}\r\n");
    let mut stream = TcpStream::connect(&http).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    let mut found = Vec::new();
    for line in std::io::BufReader::new(stream).lines() {
        let line = line.unwrap();
        if let Some(data) = line.strip_prefix("data: ") {
            found.push(serde_json::from_str::<Value>(data).unwrap());
        }
        if found.len() == 3 {
            break;
        }
    }
    let trials: Vec<u64> = (found.iter())
        .map(|data| {
            assert_eq!(
                (&data["type"], &data["id"]),
                (&json!("progress"), &json!("a"))
            );
            data["trials"].as_u64().unwrap()
        })
        .collect();
    assert!(trials.is_sorted() && trials[2] > trials[0], "{trials:?}");
}

/// HTTP-40, HTTP-62, Q-73: an analysis counts games and decisions, over HTTP and on lines.
#[test]
fn analyses_are_streamed() {
    let (_server, lines, http) = server();
    let base = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mat = std::fs::read(base.join("analysis/one1.mat")).unwrap();
    let plain = post(&http, "/v1/analyse?plies=1", "", &mat).json();
    let answer = post(&http, "/v1/analyse?plies=2", STREAM, &mat);
    let all = events(&answer.body);
    let (last, before) = all.split_last().unwrap();
    assert_eq!((last.0.as_str(), last.2.as_deref()), ("result", Some("1")));
    assert_eq!(
        last.1["games"].as_array().map(Vec::len),
        plain["games"].as_array().map(Vec::len)
    );
    assert!(!before.is_empty(), "no progress");
    let mut done = 0;
    for (name, data, _) in before {
        assert_eq!(
            (name.as_str(), &data["type"]),
            ("progress", &json!("progress"))
        );
        assert_eq!(data["matches"], 1);
        assert!(data["games_done"].as_u64() <= data["games"].as_u64());
        let decisions = data["decisions_done"].as_u64().unwrap();
        assert!(decisions >= done, "{data}");
        done = decisions;
    }
    let same = post(
        &http,
        "/v1/analyse?plies=1&format=events&progress=false",
        "",
        &mat,
    );
    let same = events(&same.body);
    assert_eq!((same.len(), &same[0].1), (1, &plain));
    let wrong = events(&post(&http, "/v1/analyse", STREAM, b"nonsense").body);
    assert_eq!((wrong.len(), wrong[0].0.as_str()), (1, "problem"));
    assert_eq!(
        (&wrong[0].1["code"], &wrong[0].1["status"]),
        (&json!("bad-match-file"), &json!(422))
    );
    let mut client = Client::new(&lines);
    let text = String::from_utf8(mat).unwrap();
    client.send(format!(
        "#m analyse plies=2 filter=normal progress=1\n{text}\n.\n"
    ));
    let mut progress = 0;
    loop {
        let line: Value = serde_json::from_str(&client.line()).unwrap();
        assert_eq!(line["id"], "m");
        if line["type"] == "analysis" {
            break;
        }
        assert_eq!(
            (&line["type"], &line["matches"]),
            (&json!("progress"), &json!(1))
        );
        progress += 1;
    }
    assert!(progress > 0);
}

/// HTTP-41, HTTP-56: a stream begins before its work, and its work ends when the client hangs up.
#[test]
fn streams_end_with_their_clients() {
    let (_server, _, http) = server();
    let target = format!("/v1/rollout?position={START}&trials=16777216");
    let request = format!("GET {target} HTTP/1.1\r\nHost: {http}\r\n{STREAM}\r\n");
    let streams: Vec<TcpStream> = (0..12)
        .map(|_| {
            let mut stream = TcpStream::connect(&http).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            // More of them than are computed at a time.
            let mut head = [0; 12];
            stream.read_exact(&mut head).unwrap();
            assert_eq!(&head, b"HTTP/1.1 200");
            stream
        })
        .collect();
    drop(streams);
    let count = |name: &str| counter(&http, name);
    wait_until("this connection is the only one", || {
        count("gammond_queued ") == 0 && count("gammond_connections ") == 1
    });
    let short = format!("/v1/rollout?position={START}&trials=36&truncate=3");
    assert_eq!(get(&http, &short, "").status, 200);
}

/// HTTP-43: who does not read an answer loses the connection, and its work ends.
#[test]
fn readers_that_do_not_read_are_cut() {
    let server = start(|config| {
        config.http = vec!["127.0.0.1:0".parse().unwrap()];
        // Nothing is read until the connection is cut.
        config.limits.write_timeout = Duration::from_millis(500);
    });
    let http = server.http.clone().unwrap();
    // More than the buffers of both sides hold.
    let wide = json!({"position": "QAAS3j+QlKqSKg", "roll": "11"});
    let items = vec![wide; 1000];
    let body = json!(items).to_string();
    let connections = &server.handle.counters().connections;
    let mut stream = TcpStream::connect(&http).unwrap();
    wait_until("it is connected", || {
        connections.load(Ordering::Relaxed) > 0
    });
    let head = format!(
        "POST /v1/move HTTP/1.1\r\nHost: {http}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    wait_until("it is cut", || connections.load(Ordering::Relaxed) == 0);
    let mut rest = Vec::new();
    // A reset is an end as well.
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.ends_with(b"0\r\n\r\n"), "all of it was sent");
}
