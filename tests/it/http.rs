//! `gammond serve --http`: rules HTTP- of `protocol-specs/http.md`, over real sockets.

use crate::http_events::events;
use crate::server::{Client, start};
use crate::server_process::Process;
use crate::support::{HANG_LIMIT, wait_for, wait_until};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const START: &str = "4HPwATDgc/ABMA";
const ENDLESS: &str = "{\"position\":\"4HPwATDgc/ABMA\",\"settings\":{\"trials\":16777216}}";

/// A server for lines and HTTP, with both addresses.
pub(crate) fn server() -> (Process, String, String) {
    let options = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"];
    let process = Process::start("exec \"$@\"", &options);
    let (lines, http) = (process.addresses[0].clone(), process.addresses[1].clone());
    (process, lines, http)
}

/// An answer over HTTP/1.1.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Sends a request as it is, and reads until the server closes. Without a connection there are no bytes.
fn exchange(address: &str, request: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    let _ = stream.write_all(request);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Ok(bytes)
}

/// Sends a request as it is, and returns the answer.
pub(crate) fn raw(address: &str, request: &[u8]) -> Answer {
    // A server that refuses a body unread closes beneath it: the rest cannot be sent, and the reset may overtake the
    // answer. Then the request is sent again, as HTTP clients do.
    let bytes = wait_for("the server answers", || {
        let bytes = exchange(address, request).unwrap();
        (!bytes.is_empty()).then_some(bytes)
    });
    answer(&bytes)
}

fn answer(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut body = bytes[end + 4..].to_vec();
    if head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        body = unchunked(&body);
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let end = bytes.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return whole;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
}

/// Returns the value of a counter without labels, as `/metrics` shows it.
pub(crate) fn counter(http: &str, name: &str) -> u64 {
    let text = String::from_utf8(get(http, "/metrics", "").body).unwrap();
    let line = text.lines().find(|line| line.starts_with(name)).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn getting(address: &str, target: &str, headers: &str) -> String {
    format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{headers}\r\n")
}

fn posting(address: &str, target: &str, body: &str) -> String {
    format!(
        "POST {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn get(address: &str, target: &str, headers: &str) -> Answer {
    raw(address, getting(address, target, headers).as_bytes())
}

pub(crate) fn post(address: &str, target: &str, body: &str) -> Answer {
    raw(address, posting(address, target, body).as_bytes())
}

/// HTTP-01, HTTP-10, HTTP-11, HTTP-20, HTTP-30: a question has the same bytes as its answer over every way.
#[test]
fn answers_are_those_of_lines() {
    let (_server, lines, http) = server();
    let mut client = Client::new(&lines);
    let xgid = "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:3:2:0:7:10";
    let mut asked = Vec::new();
    for (verb, position, roll, settings) in [
        ("eval", START, None, json!({})),
        ("eval", xgid, None, json!({"plies": 1})),
        ("move", START, Some([3, 1]), json!({"top": 2})),
        (
            "move",
            START,
            Some([6, 4]),
            json!({"plies": 1, "cubeful": false}),
        ),
        ("cube", START, None, json!({"length": 7, "score": [3, 5]})),
        ("convert", xgid, None, json!({})),
        ("show", START, None, json!({})),
    ] {
        let mut line = format!("{verb} {position}");
        let mut query = format!("position={}", position.replace('=', "%3D"));
        let mut body = json!({"position": position, "settings": settings});
        if let Some([a, b]) = roll {
            line += &format!(" {a}{b}");
            query += &format!("&roll={a}{b}");
            body["roll"] = json!([a, b]);
        }
        for (key, value) in settings.as_object().unwrap() {
            let value = match value.as_array() {
                Some(score) => format!("{}-{}", score[0], score[1]),
                None => value.to_string(),
            };
            line += &format!(" {key}={value}");
            query += &format!("&{key}={value}");
        }
        client.send(format!("{line}\n"));
        let wanted = client.line();
        let got = get(&http, &format!("/v1/{verb}?{query}"), "");
        assert_eq!(
            (got.status, got.header("content-type")),
            (200, Some("application/json"))
        );
        assert_eq!(
            String::from_utf8(got.body).unwrap(),
            format!("{wanted}\n"),
            "{line}"
        );
        let posted = post(&http, &format!("/v1/{verb}"), &body.to_string());
        assert_eq!(
            String::from_utf8(posted.body).unwrap(),
            format!("{wanted}\n"),
            "{line}"
        );
        asked.push((verb, body, wanted));
    }
    let moves = asked.iter().filter(|(verb, ..)| *verb == "move");
    let (bodies, answers): (Vec<_>, Vec<_>) = moves
        .map(|(_, body, want)| (body.clone(), want.as_str()))
        .unzip();
    let all = post(&http, "/v1/move", &json!(bodies).to_string());
    assert_eq!(
        String::from_utf8(all.body).unwrap(),
        format!("[{}]\n", answers.join(","))
    );
    assert_eq!(post(&http, "/v1/move", "[]").body, b"[]\n");
}

/// HTTP-31: an item without an answer is a problem in its place, and a thousand are answered in order; an array with an
/// item that is not as described is refused.
#[test]
#[expect(clippy::too_many_lines, reason = "one array, item by item")]
fn arrays_keep_their_order() {
    let (_server, _, http) = server();
    let good = json!({"position": START, "roll": "31", "settings": {"top": 1}});
    let mut items = vec![good.clone(); 1000];
    for (place, item) in [
        (3, json!({"id": "q", "position": START})),
        (
            5,
            json!({"position": START, "roll": "31", "settings": {"length": 7, "score": [7, 0]}}),
        ),
        (7, json!({"position": "hello", "roll": "31"})),
        (999, json!({"position": "x y", "roll": [1, 1]})),
    ] {
        items[place] = item;
    }
    let answer = post(&http, "/v1/move", &json!(items).to_string());
    assert_eq!(answer.status, 200);
    let answers = answer.json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 1000);
    for (place, answer) in answers.iter().enumerate() {
        let pointer = match place {
            3 => "/3/roll",
            5 => "/5/settings/score",
            7 => "/7/position",
            999 => "/999/position",
            _ => {
                assert_eq!(answer["plays"][0]["play"], "8/5 6/5");
                continue;
            }
        };
        assert_eq!(
            (&answer["status"], &answer["pointer"]),
            (&json!(400), &json!(pointer))
        );
        let id = if place == 3 { json!("q") } else { Value::Null };
        assert_eq!(answer["id"], id);
    }
    for (item, code, pointer) in [
        (
            json!({"id": "q", "position": START, "roll": "37"}),
            "bad-roll",
            "/8/roll",
        ),
        (
            json!({"position": START, "roll": "31", "settings": {"Answer": "text"}}),
            "bad-setting",
            "/8/settings/Answer",
        ),
        (
            json!({"position": START, "roll": "31", "settings": {"crawford": null}}),
            "bad-setting",
            "/8/settings/crawford",
        ),
        (json!(4), "bad-request", "/8"),
        (json!({}), "missing-position", "/8/position"),
    ] {
        let mut items = items.clone();
        items[8] = item;
        let refused = post(&http, "/v1/move", &json!(items).to_string());
        let problem = refused.json();
        assert_eq!(
            (refused.status, &problem["code"], &problem["pointer"]),
            (400, &json!(code), &json!(pointer))
        );
    }
    items.push(good);
    let many = post(&http, "/v1/move", &json!(items).to_string());
    assert_eq!(
        (many.status, &many.json()["code"]),
        (400, &json!("bad-request"))
    );
}

/// HTTP-30, HTTP-33: questions of different cost in one array, equal ones far apart, have the answers that each has alone.
#[test]
fn arrays_mix_costs() {
    let (_server, _, http) = server();
    let rolls = ["31", "42", "61", "65", "11", "33"];
    let question = |number: usize| {
        let roll = rolls[number % rolls.len()];
        let plies = usize::from(number.is_multiple_of(5));
        // Equal ones follow each other, and come again in other groups.
        let number = number / 2 % 90;
        json!({"position": START, "roll": roll, "settings": {"plies": plies, "top": number + 1}})
    };
    let items: Vec<Value> = (0..400).map(question).collect();
    let answers = post(&http, "/v1/move", &json!(items).to_string()).json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), items.len());
    for number in [0, 1, 5, 63, 64, 65, 127, 128, 180, 181, 200, 360, 361, 399] {
        let alone = post(&http, "/v1/move", &items[number].to_string()).json();
        assert_eq!(answers[number], alone, "{number}");
    }
    for (item, answer) in items.iter().zip(answers) {
        let plays = answer["plays"].as_array().unwrap().len() as u64;
        let legal = answer["legal"].as_u64().unwrap();
        assert_eq!(plays, legal.min(item["settings"]["top"].as_u64().unwrap()));
    }
}

/// HTTP-05, HTTP-10, HTTP-11, HTTP-12, HTTP-13, HTTP-70, HTTP-80: requests that are wrong say what is wrong.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of requests")]
fn wrong_requests_are_problems() {
    let (_server, _, http) = server();
    let post = |target: &str, body: &str| post(&http, target, body);
    let get = |target: &str| get(&http, target, "");
    let with = |method: &str, headers: &str, body: &str| {
        let text = format!(
            "{method} /v1/eval HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        raw(&http, text.as_bytes())
    };
    let body = format!("{{\"position\":\"{START}\"}}");
    let large = format!("{{\"position\":\"{}\"}}", "x".repeat(1 << 20));
    let deep = "[".repeat(10_000);
    for (answer, status, code) in [
        (get("/page"), 404, "not-found"),
        (get("/v1"), 404, "not-found"),
        (get("/v1/eval/"), 404, "not-found"),
        (get("/v1/quit?position=x"), 404, "not-found"),
        (get("/v1/set?position=x"), 404, "not-found"),
        (get("/v1/%ff"), 404, "not-found"),
        (get("/v1/../healthz"), 404, "not-found"),
        (get("/v1/eval"), 400, "missing-position"),
        (get("/v1/eval?position=x"), 400, "bad-position"),
        (
            get("/v1/eval?position=4HPwATDgc%2FABMA&position=4HPwATDgc%2FABMA"),
            400,
            "bad-setting",
        ),
        (
            get("/v1/eval?position=4HPwATDgc%2FABMA&ply=3"),
            400,
            "bad-setting",
        ),
        (
            get("/v1/eval?position=4HPwATDgc%2FABMA%0Aquit"),
            400,
            "bad-position",
        ),
        (
            get("/v1/move?position=4HPwATDgc%2FABMA"),
            400,
            "missing-roll",
        ),
        (
            get("/v1/move?position=4HPwATDgc%2FABMA&roll=37"),
            400,
            "bad-roll",
        ),
        // Names of settings have any case.
        (
            get("/v1/move?position=4HPwATDgc%2FABMA&roll=31&ANSWER=text"),
            400,
            "bad-setting",
        ),
        (get("/v1/version?x=1"), 400, "bad-setting"),
        (post("/v1/eval?plies=2", &body), 400, "bad-setting"),
        (
            post("/v1/eval?plies=2", &format!("[{body}]")),
            400,
            "bad-setting",
        ),
        (post("/v1/jobs/rollout?trials=5", &body), 400, "bad-setting"),
        (
            post("/v1/eval", &body.replace('{', "{\"cube\":true,")),
            400,
            "bad-request",
        ),
        (get("/v1/ev%0a%e2%80%ae%1bal"), 404, "not-found"),
        (post("/v1/eval", ""), 400, "bad-json"),
        (
            post("/v1/eval", "{\"position\":\"x\",\"position\":\"y\"}"),
            400,
            "bad-json",
        ),
        (post("/v1/eval", &deep), 400, "bad-json"),
        (post("/v1/eval", &large), 413, "too-large"),
        (
            post("/v1/eval", "{\"position\":\"x\",\"ply\":3}"),
            400,
            "bad-request",
        ),
        (with("PUT", "", &body), 405, "method-not-allowed"),
        (with("DELETE", "", ""), 405, "method-not-allowed"),
        (with("POST", "", &body), 415, "unsupported-media"),
        (
            with("POST", "Content-Type: text/plain\r\n", &body),
            415,
            "unsupported-media",
        ),
        (
            with(
                "POST",
                "Content-Type: application/json; charset=latin1\r\n",
                &body,
            ),
            415,
            "unsupported-media",
        ),
        (
            with(
                "POST",
                "Content-Type: application/json\r\nContent-Encoding: gzip\r\n",
                &body,
            ),
            415,
            "unsupported-media",
        ),
    ] {
        let problem = answer.json();
        assert_eq!(
            (answer.status, &problem["code"]),
            (status, &json!(code)),
            "{answer:?}"
        );
        assert_eq!(problem["status"], status);
        assert_eq!(
            answer.header("content-type"),
            Some("application/problem+json")
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(!detail.is_empty() && !detail.contains(['\n', '\u{1b}', '\u{202e}']));
    }
    let value = get("/v1/eval?position=4HPwATDgc%2FABMA&cube=2&owner=me");
    assert_eq!((value.status, &value.json()["type"]), (200, &json!("eval")));
    for (headers, sent, status) in [
        // More than can be taken is refused before it comes.
        ("Content-Length: 99999999999\r\n", body.as_str(), 413),
        (
            "Transfer-Encoding: chunked\r\n",
            "fffffffffffffffff\r\n",
            400,
        ),
        (
            "Content-Length: 5\r\nContent-Length: 29\r\n",
            body.as_str(),
            400,
        ),
        ("Transfer-Encoding: xchunked\r\n", body.as_str(), 400),
    ] {
        let text = format!(
            "POST /v1/eval HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\
             Content-Type: application/json\r\n{headers}\r\n{sent}"
        );
        assert_eq!(raw(&http, text.as_bytes()).status, status, "{headers}");
    }
    let nameless = raw(&http, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(nameless.status, 400);
    assert_eq!(
        with("PUT", "", &body).header("allow"),
        Some("GET, HEAD, POST")
    );
    let long = format!("X: {}\r\n", "x".repeat(1 << 20));
    let mut stream = TcpStream::connect(&http).unwrap();
    // It is closed before all of it is sent.
    let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: {http}\r\n{long}\r\n").as_bytes());
    assert_eq!(get("/healthz").status, 200);
}

/// HTTP-90, HTTP-91: pages of other sites may not ask.
#[test]
fn other_sites_are_turned_away() {
    let (_server, _, http) = server();
    let target = "/v1/eval?position=4HPwATDgc%2FABMA";
    let port = http.rsplit(':').next().unwrap();
    let ask = |host: &str, headers: &str, target: &str| {
        let text =
            format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n");
        raw(&http, text.as_bytes()).status
    };
    for (host, headers, status) in [
        ("localhost".to_owned(), String::new(), 200),
        (format!("localhost:{port}"), String::new(), 200),
        (http.clone(), format!("Origin: http://{http}\r\n"), 200),
        ("evil.example".to_owned(), String::new(), 421),
        ("127.0.0.1:1".to_owned(), String::new(), 421),
        (
            http.clone(),
            "Origin: http://evil.example\r\n".to_owned(),
            403,
        ),
        (http.clone(), "Origin: null\r\n".to_owned(), 403),
        (
            http.clone(),
            "Sec-Fetch-Site: cross-site\r\n".to_owned(),
            403,
        ),
    ] {
        assert_eq!(ask(&host, &headers, target), status, "{host} {headers}");
    }
    let elsewhere = format!("http://evil.example{target}");
    assert_eq!(ask(&http, "", &elsewhere), 421);
}

/// HTTP-96: a link of another site leads to a page, and to nothing else.
#[test]
fn link_of_another_site_opens_pages_only() {
    let (_server, _, http) = server();
    let ask = |method: &str, target: &str, kind: (&str, &str), more: &str| {
        let (mode, dest) = kind;
        let text = format!(
            "{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: 0\r\n\
             Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: {mode}\r\nSec-Fetch-Dest: {dest}\r\n{more}\r\n"
        );
        raw(&http, text.as_bytes()).status
    };
    let link = ("navigate", "document");
    for target in [
        "/",
        "/play",
        "/matches",
        "/quiz",
        "/status",
        "/docs",
        "/?position=4HPwATDgc%2FABMA",
    ] {
        assert_eq!(ask("GET", target, link, ""), 200, "{target}");
        assert_eq!(ask("HEAD", target, link, ""), 200, "{target}");
        assert_eq!(ask("POST", target, link, ""), 403, "{target}");
        assert_eq!(ask("GET", target, ("navigate", "iframe"), ""), 403);
        assert_eq!(ask("GET", target, ("no-cors", "image"), ""), 403);
        assert_eq!(ask("GET", target, ("cors", "empty"), ""), 403);
        let origin = "Origin: http://evil.example\r\n";
        assert_eq!(ask("GET", target, link, origin), 403, "{target}");
    }
    for target in [
        "/v1/eval?position=4HPwATDgc%2FABMA",
        "/metrics",
        "/page/play.js",
    ] {
        assert_eq!(ask("GET", target, link, ""), 403, "{target}");
    }
}

/// HTTP-100, HTTP-101: what was answered once is known by its tag.
#[test]
fn tags_stand_for_questions() {
    let (_server, _, http) = server();
    let target = "/v1/move?position=4HPwATDgc%2FABMA&roll=31&top=1";
    let first = get(&http, target, "");
    let tag = first.header("etag").unwrap().to_owned();
    let again = get(&http, target, &format!("If-None-Match: \"x\", {tag}\r\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = get(
        &http,
        &format!("{target}&plies=1"),
        &format!("If-None-Match: {tag}\r\n"),
    );
    assert_eq!(other.status, 200);
    for (more, tagged) in [
        ("", true),
        ("&NOISE=0.1", false),
        ("&Time=10", false),
        ("&id=a", false),
    ] {
        let answer = get(&http, &format!("{target}{more}"), "If-None-Match: *\r\n");
        assert_eq!(answer.status == 304, tagged, "{more}");
        assert_eq!(answer.header("etag").is_some(), tagged, "{more}");
    }
    let rollout = get(&http, "/v1/rollout?position=4HPwATDgc%2FABMA&trials=36", "");
    assert_eq!((rollout.status, rollout.header("etag")), (200, None));
    for path in [
        "/healthz",
        "/readyz",
        "/v1/version",
        "/v1/stats",
        "/metrics",
    ] {
        assert_eq!(get(&http, path, "").status, 200, "{path}");
    }
}

/// HTTP-03, HTTP-56: whoever hangs up has nothing computed any more, and endless work of others keeps nobody waiting.
#[test]
fn work_ends_with_its_client() {
    let (_server, lines, http) = server();
    let request = format!(
        "POST /v1/rollout HTTP/1.1\r\nHost: {http}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{ENDLESS}",
        ENDLESS.len()
    );
    // Bytes behind a request, which the server does not read, must not hide the end.
    let endless = |behind: &str| {
        let mut stream = TcpStream::connect(&http).unwrap();
        stream
            .write_all(format!("{request}{behind}").as_bytes())
            .unwrap();
        stream
    };
    let mut streams: Vec<TcpStream> = ["", "\r\n", &request, &request.repeat(200)]
        .iter()
        .flat_map(|behind| [behind, behind])
        // A client may begin eight, and the one that asks below has the same address.
        .skip(1)
        .map(|behind| endless(behind))
        .collect();
    let answer = Client::new(&lines).ask(&format!("rollout {START} trials=36"));
    assert_eq!(answer["candidates"][0]["trials"], 36, "{answer}");
    for (number, stream) in streams.drain(..).enumerate() {
        if number % 2 == 0 {
            let socket = socket2::Socket::from(stream);
            socket.set_linger(Some(Duration::ZERO)).unwrap();
        }
    }
    let count = |name: &str| counter(&http, name);
    wait_until("this connection is the only one", || {
        count("gammond_queued ") == 0 && count("gammond_connections ") == 1
    });
    assert_eq!(count("gammond_hang_ups_total "), 7);
}

/// HTTP-34: equal questions at the same time are computed once, and the work ends with the last of their clients.
#[test]
fn equal_questions_in_flight_are_computed_once() {
    let (_server, _, http) = server();
    // More than may begin for one client.
    const COUNT: u64 = 12;
    let ask = |number: u64| {
        let target = format!(
            "/v1/move?position={START}&roll=43&plies=4&filter=huge&prune=off&top={}",
            number + 1
        );
        let mut stream = TcpStream::connect(&http).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: {http}\r\n\r\n").unwrap();
        stream
    };
    let count = |name: &str| counter(&http, name);
    let different: Vec<TcpStream> = (0..COUNT).map(&ask).collect();
    wait_until("different ones wait", || count("gammond_queued ") > 1);
    drop(different);
    wait_until("they are gone", || {
        count("gammond_queued ") == 0 && count("gammond_connections ") == 1
    });
    let mut equal: Vec<TcpStream> = (0..COUNT).map(|_| ask(0)).collect();
    wait_until("equal ones are connected", || {
        count("gammond_connections ") == COUNT + 1
    });
    for _ in 0..20 {
        // One that has not begun; the different ones were more.
        assert!(count("gammond_queued ") <= 1);
    }
    // The others wait on.
    let last = equal.pop().unwrap();
    drop(equal);
    wait_until("the last one is left", || {
        count("gammond_connections ") == 2
    });
    last.set_nonblocking(true).unwrap();
    let nothing = (&last).read(&mut [0]).unwrap_err();
    assert_eq!(nothing.kind(), std::io::ErrorKind::WouldBlock);
    drop(last);
    wait_until("it is gone", || count("gammond_connections ") == 1);
    let short = get(
        &http,
        &format!("/v1/move?position={START}&roll=31&plies=2"),
        "",
    );
    assert_eq!(short.status, 200);
}

/// HTTP-04: a request that runs when the order to end comes is answered.
#[test]
fn running_requests_are_answered_at_the_end() {
    let target = "/v1/move?position=4HPwATDgc%2FABMA&roll=31&plies=3&filter=huge&top=1";
    let options = ["--http", "127.0.0.1:0", "--grace", "86400"];
    // The request runs after such a time, which shows nowhere; longer ones follow where it has not been read.
    let mut waits = (0..12).map(|doublings| Duration::from_millis(200 << doublings));
    let found = waits.find_map(|wait| {
        let mut process = Process::start("exec \"$@\"", &options);
        let http = process.addresses[0].clone();
        let asked =
            std::thread::spawn(move || exchange(&http, getting(&http, target, "").as_bytes()));
        // See above.
        std::thread::sleep(wait);
        process.signal("TERM");
        let bytes = asked.join().unwrap().unwrap_or_default();
        assert_eq!(process.wait(), Some(0));
        (!bytes.is_empty()).then(|| answer(&bytes))
    });
    let found = found.expect("the request was never read in time");
    assert_eq!(
        (found.status, &found.json()["plays"][0]["play"]),
        (200, &json!("8/5 6/5"))
    );
}

/// HTTP-04, HTTP-40, HTTP-70, Q-81, SRV-15: what the grace time cuts off is answered, and `/readyz` is 503 until then.
#[test]
fn stopped_requests_are_answered_at_the_end() {
    // On a busy machine requests are read late: longer times follow.
    let mut waits = (0..10).map(|doublings| Duration::from_millis(700 << doublings));
    assert!(
        waits.any(requests_of_an_ending_server_are_answered),
        "the requests were never read in time"
    );
}

/// Sends requests to a server, and after this time the order to end. Returns false if it had not read them all by then.
fn requests_of_an_ending_server_are_answered(wait: Duration) -> bool {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let metrics = free.local_addr().unwrap().to_string();
    drop(free);
    let server = start(|config| {
        config.http = vec!["127.0.0.1:0".parse().unwrap()];
        config.metrics = Some(metrics.parse().unwrap());
        config.limits.grace = 3 * wait;
    });
    let http = server.http.as_deref().unwrap();
    let target = format!("/v1/rollout?position={START}&trials=16777216");
    let mut client = Client::new(&server.address);
    client.send(format!(
        "#1 rollout {START} trials=16777216\n#2 eval {START}\n#3 ping\n"
    ));
    let many = json!([{"position": START, "settings": {"plies": 4, "filter": "huge", "prune": false}},
                      {"position": START}]);
    let requests = [
        getting(http, &target, ""),
        getting(http, &target, "Accept: text/event-stream\r\n"),
        posting(http, "/v1/eval", &many.to_string()),
    ];
    let answers = std::thread::scope(|scope| {
        let asked = requests.map(|request| {
            scope.spawn(move || exchange(http, request.as_bytes()).unwrap_or_default())
        });
        // That all have been read shows nowhere; those that still wait are answered alike.
        std::thread::sleep(wait);
        assert_eq!(get(&metrics, "/readyz", "").status, 200);
        server.handle.drain();
        assert_eq!(get(&metrics, "/readyz", "").status, 503);
        asked.map(|asked| asked.join().unwrap())
    });
    let lines = String::from_utf8(client.rest()).unwrap();
    if answers.iter().any(Vec::is_empty) || lines.lines().count() < 3 {
        return false;
    }
    let [direct, streamed, many] = answers.map(|bytes| answer(&bytes));
    let found = direct.json();
    match direct.status {
        200 => assert_eq!(found["stopped"], "stopped"),
        status => assert_eq!((status, &found["code"]), (503, &json!("stopped"))),
    }
    let last = events(&streamed.body).pop().unwrap();
    match last.0.as_str() {
        "result" => assert_eq!(last.1["stopped"], "stopped"),
        name => assert_eq!((name, &last.1["code"]), ("problem", &json!("stopped"))),
    }
    let many = many.json();
    assert_eq!(many[0]["code"], "stopped");
    let ids = lines.lines().map(|line| {
        let answer: Value = serde_json::from_str(line).unwrap();
        answer["id"].as_str().unwrap().to_owned()
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["1", "2", "3"]);
    // The short one has its answer before the time is over.
    many[1]["type"] == "eval"
}

/// HTTP-04: `gammond health` has the answer of `/readyz` as its exit code, for containers and supervisors.
#[test]
fn health_is_an_exit_code() {
    let health = |address: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        let output = command.args(["health", address]).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (server, lines, http) = server();
    assert_eq!(health(&http), (Some(0), format!("{http} is ready\n")));
    // Another protocol.
    let (code, text) = health(&lines);
    assert_eq!((code, text.lines().count()), (Some(1), 1), "{text}");
    drop(server);
    let (code, text) = health(&http);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.starts_with(&format!("gammond: {http} is not ready: ")),
        "{text}"
    );
    assert_eq!(health("127.0.0.1").0, Some(2));
    // A server that ends, and one whose answer does.
    for (answer, shown) in [
        (
            "HTTP/1.1 503 Service Unavailable\r\n\r\n",
            "it answers 'HTTP/1.1 503 Service Unavailable'",
        ),
        ("HTTP/1.1 \u{1b}[31m", "it answers 'HTTP/1.1 [31m'"),
        ("", "it answers ''"),
    ] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (code, text) = std::thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 512];
                let count = stream.read(&mut request).unwrap();
                assert!(request[..count].starts_with(b"GET /readyz HTTP/1.1\r\n"));
                stream.write_all(answer.as_bytes()).unwrap();
            });
            health(&address)
        });
        assert_eq!(
            (code, text),
            (
                Some(1),
                format!("gammond: {address} is not ready: {shown}\n")
            )
        );
    }
}

/// HTTP-21, HTTP-22, HTTP-32, HTTP-33: the form that `Accept` asks for.
#[test]
fn answers_have_the_form_that_is_accepted() {
    let (_server, lines, http) = server();
    let show = |query: &str, accept: &str| {
        let target = format!("/v1/show?position=4HPwATDgc%2FABMA&roll=31{query}");
        get(&http, &target, &format!("Accept: {accept}\r\n"))
    };
    let text = show("", "text/plain");
    assert_eq!(
        text.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let drawn = Client::new(&lines).ask(&format!("show {START} 31"))["board"].clone();
    let drawn: Vec<&str> = drawn
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect();
    assert_eq!(
        String::from_utf8(text.body).unwrap().trim_end(),
        drawn.join("\n").trim_end()
    );
    let svg = show("&theme=dark&play=8%2F5+6%2F5", "image/svg+xml");
    assert_eq!(
        (svg.status, svg.header("content-type")),
        (200, Some("image/svg+xml"))
    );
    assert!(svg.body.starts_with(b"<svg") && svg.header("content-security-policy").is_some());
    assert_ne!(show("&theme=dark", "image/svg+xml").body, svg.body);
    let png = show("&width=300", "image/png, */*;q=0.1");
    assert!(png.body.starts_with(b"\x89PNG"));
    assert_eq!(png.body[16..20], 300_u32.to_be_bytes());
    assert_ne!(png.header("etag"), svg.header("etag"));
    for (query, accept, status) in [
        ("&width=30", "image/png", 400),
        ("&width=4096", "image/png", 400),
        ("&width=64&width=64", "image/png", 400),
        ("&theme=pink", "image/svg+xml", 400),
        ("&play=9%2F1", "image/svg+xml", 400),
        ("&theme=pink", "application/json", 400),
        ("&theme=dark", "application/json", 200),
        ("", "text/html", 406),
    ] {
        assert_eq!(show(query, accept).status, status, "{query} {accept}");
    }
    let lines_of = |body: &str| {
        let text = format!(
            "POST /v1/eval HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let answer = raw(&http, text.as_bytes());
        assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
        String::from_utf8(answer.body).unwrap()
    };
    let wrong = json!({"position": "x"});
    let items = json!([{"position": START}, wrong, {"position": START}, wrong]);
    let text = lines_of(&items.to_string());
    let answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 4, "{text}");
    assert_eq!(answers[0], answers[2]);
    assert_eq!(
        (&answers[1]["pointer"], &answers[3]["pointer"]),
        (&json!("/1/position"), &json!("/3/position"))
    );
    assert_eq!(lines_of("[]"), "");
}

/// Returns the answer to a question about the start.
fn drawn(http: &str, verb: &str, query: &str, accept: &str) -> Answer {
    let target = format!("/v1/{verb}?position=4HPwATDgc%2FABMA&plies=0{query}");
    get(http, &target, &format!("Accept: {accept}\r\n"))
}

/// HTTP-22: the answers of several values as drawings and as points, by GET and POST.
#[test]
fn answers_are_drawn() {
    let (_server, _, http) = server();
    let ask = |verb: &str, query: &str, accept: &str| drawn(&http, verb, query, accept);
    for (verb, query, words) in [
        ("scores", "&away=3", "The cube at every score"),
        (
            "scores",
            "&away=3&roll=64",
            "The best play of 64 at every score",
        ),
        (
            "cubes",
            "&roll=62&length=5",
            "The plays of 62 with each cube",
        ),
        ("rolls", "", "The 21 rolls"),
        ("rolls", "&language=fr", "Les 21 jets"),
        ("scores", "&away=2&language=ja", "各スコア"),
        ("explain", "&roll=31&language=fr", "8/5 6/5 vaut"),
        ("explain", "&roll=31&language=ja", "は"),
    ] {
        let svg = ask(verb, query, "image/svg+xml");
        let head = (svg.status, svg.header("content-type"));
        assert_eq!(head, (200, Some("image/svg+xml")), "{verb}");
        assert!(svg.header("content-security-policy").is_some() && svg.header("etag").is_some());
        let text = String::from_utf8(svg.body.clone()).unwrap();
        assert!(
            text.starts_with("<svg") && text.ends_with("</svg>\n") && text.contains(words),
            "{verb}: {text}"
        );
        let dark = ask(verb, &format!("{query}&theme=dark"), "image/svg+xml");
        assert!(dark.body != svg.body && dark.header("etag") != svg.header("etag"));
        if !query.ends_with("ja") {
            let png = ask(verb, &format!("{query}&width=400"), "image/png");
            assert_eq!(png.header("content-type"), Some("image/png"), "{verb}");
            assert!(png.body.starts_with(b"\x89PNG"));
            assert_eq!(png.body[16..20], 400_u32.to_be_bytes());
        }
    }
}

/// HTTP-22: a drawing has the parameters of its verb, by POST too; other forms are refused.
#[test]
fn drawings_of_answers_are_checked() {
    let (_server, _, http) = server();
    let ask = |verb: &str, query: &str, accept: &str| drawn(&http, verb, query, accept);
    let json = ask("rolls", "", "application/json");
    let body = json!({"position": START, "settings": {"plies": 0}}).to_string();
    let posted = |query: &str, accept: &str| {
        let text = format!(
            "POST /v1/rolls{query} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: {accept}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        raw(&http, text.as_bytes())
    };
    assert_eq!(posted("", "application/json").body, json.body);
    assert_eq!(
        posted("?theme=dark", "image/svg+xml").body,
        ask("rolls", "&theme=dark", "image/svg+xml").body
    );
    assert!(
        posted("?width=300", "image/png")
            .body
            .starts_with(b"\x89PNG")
    );
    for (verb, query, accept, status) in [
        ("rolls", "&width=30", "image/png", 400),
        ("rolls", "&theme=pink", "application/json", 400),
        ("cubes", "&language=pl", "image/svg+xml", 400),
        ("cubes", "&language=ja", "image/png", 400),
        ("show", "&language=de", "image/svg+xml", 400),
        ("rolls", "&theme=dark", "application/json", 200),
        ("rolls", "&play=8%2F5", "image/svg+xml", 400),
        ("explain", "&roll=31&language=ja", "image/png", 400),
        ("rolls", "&roll=31", "image/svg+xml", 400),
        ("rolls", "", "text/plain", 406),
        ("eval", "", "image/svg+xml", 406),
        ("eval", "&theme=dark", "application/json", 400),
    ] {
        let found = ask(verb, query, accept);
        assert_eq!(found.status, status, "{verb} {query} {accept}");
    }
    let problem = ask("explain", "&roll=31&language=ja", "image/png").json();
    assert_eq!(problem["parameter"], "language", "{problem}");
}

/// PT-10: a text that was copied out of another program is a position, board and words and all.
#[test]
fn copied_texts_are_positions() {
    let (_server, _, http) = server();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/position-texts");
    for name in ["bgblitz-cube-de.txt", "bgblitz-cube-jp.txt"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let xgid = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("XGID="));
        let xgid = format!("XGID={}", xgid.unwrap());
        let asked = |position: &str| {
            let answer = post(
                &http,
                "/v1/cube",
                &json!({"position": position}).to_string(),
            );
            assert_eq!(answer.status, 200, "{name}: {:?}", answer.json());
            answer.json()
        };
        assert_eq!(asked(&text), asked(&xgid), "{name}");
    }
}

/// HTTP-33: a thousand equal questions are computed once.
#[test]
fn equal_questions_are_computed_once() {
    let (_server, _, http) = server();
    let items = vec![json!({"position": START, "roll": "31", "settings": {"plies": 1}}); 1000];
    let answers = post(&http, "/v1/move", &json!(items).to_string()).json();
    let answers = answers.as_array().unwrap();
    assert!(answers.len() == 1000 && answers.iter().all(|one| *one == answers[0]));
    let stats = get(&http, "/v1/stats", "").json();
    assert_eq!(stats["answered"], 1, "{stats}");
}

/// HTTP-60, HTTP-61, HTTP-62: a match as a body, in every form that is read; its report in every form that is written.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of requests")]
fn matches_are_judged() {
    let (_server, lines, http) = server();
    let base = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mat = std::fs::read(base.join("analysis/seven7.mat")).unwrap();
    let ask = |target: &str, headers: &str, body: &[u8]| {
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            body.len()
        );
        raw(&http, &[head.as_bytes(), body].concat())
    };
    let mut client = Client::new(&lines);
    let text = String::from_utf8(mat.clone()).unwrap();
    client.send(format!("analyse plies=0\n{text}\n.\n"));
    let wanted = client.line();
    let answer = ask("/v1/analyse?plies=0", "", &mat);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json"))
    );
    assert_eq!(
        String::from_utf8(answer.body).unwrap(),
        format!("{wanted}\n")
    );
    for (form, kind, beginning) in [
        ("html", "text/html; charset=utf-8", "<!DOCTYPE html>"),
        ("csv", "text/csv; charset=utf-8", "file,"),
        ("sgf", "application/x-go-sgf", "(;FF[4]"),
        ("mat", "text/plain; charset=utf-8", ";"),
    ] {
        let by_name = ask(&format!("/v1/analyse?format={form}"), "", &mat);
        let (accept, _) = kind.split_once(';').unwrap_or((kind, ""));
        let by_kind = ask("/v1/analyse", &format!("Accept: {accept}\r\n"), &mat);
        assert_eq!(
            (by_name.status, by_name.header("content-type")),
            (200, Some(kind))
        );
        let start = &by_name.body[..beginning.len()];
        assert_eq!(String::from_utf8_lossy(start), beginning);
        assert_eq!(by_name.body, by_kind.body, "{form}");
        if matches!(form, "sgf" | "mat") {
            // What is annotated is the same match.
            let again = ask("/v1/analyse?plies=0", "", &by_name.body).json();
            let first: Value = serde_json::from_str(&wanted).unwrap();
            assert_eq!(again["totals"], first["totals"], "{form}");
        }
    }
    let mut binary = std::fs::read_dir(base.join("xg"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let binary = binary.find(|path| path.extension().is_some_and(|ending| ending == "xg"));
    let judged = ask(
        "/v1/analyse?plies=0",
        "",
        &std::fs::read(binary.unwrap()).unwrap(),
    );
    assert_eq!(
        (judged.status, &judged.json()["type"]),
        (200, &json!("analysis"))
    );
    let long = vec![b' '; (1 << 20) + 1];
    for (target, headers, body, status, code) in [
        ("/v1/analyse", "", &b"nonsense"[..], 422, "bad-match-file"),
        ("/v1/analyse", "", b"", 422, "bad-match-file"),
        ("/v1/analyse?ply=0", "", &mat, 400, "bad-setting"),
        ("/v1/analyse?format=pdf", "", &mat, 400, "bad-setting"),
        ("/v1/analyse?plies=0&plies=0", "", &mat, 400, "bad-setting"),
        ("/v1/analyse?cubeful=off", "", &mat, 400, "bad-setting"),
        ("/v1/analyse?from=2&to=1", "", &mat, 400, "bad-combination"),
        (
            "/v1/analyse",
            "Accept: image/png\r\n",
            &mat,
            406,
            "not-acceptable",
        ),
        (
            "/v1/analyse",
            "Content-Type: application/json\r\n",
            &mat,
            415,
            "unsupported-media",
        ),
        (
            "/v1/analyse",
            "Content-Encoding: gzip\r\n",
            &mat,
            415,
            "unsupported-media",
        ),
        ("/v1/analyse", "", &long, 413, "too-large"),
        (
            "/v1/analyse?format=html",
            "",
            &long[..300 << 10],
            413,
            "too-large",
        ),
    ] {
        let answer = ask(target, headers, body);
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (status, &json!(code)),
            "{target} {headers}"
        );
    }
    assert_eq!(get(&http, "/v1/analyse", "").header("allow"), Some("POST"));
}

pub(crate) fn http_server(options: &[&str]) -> (Process, String) {
    let all = [&["--http", "127.0.0.1:0"], options].concat();
    let process = Process::start("exec \"$@\"", &all);
    let address = process.addresses[0].clone();
    (process, address)
}

/// HTTP-93, HTTP-94: without a token of the file nothing is answered, and guessing becomes slow.
#[test]
fn tokens_are_asked_for() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(
        &file,
        "# people\nann 0123456789abcdef\nbob ABCDEF0123456789\n",
    )
    .unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let path = file.to_str().unwrap();
    let (_server, http) = http_server(&["--http-tokens", path]);
    let ask = |headers: &str| get(&http, "/v1/eval?position=4HPwATDgc%2FABMA", headers);
    for (headers, status) in [
        ("", 401),
        ("Authorization: Bearer\r\n", 401),
        ("Authorization: Basic 0123456789abcdef\r\n", 401),
        ("Authorization: Bearer 0123456789abcdeF\r\n", 401),
        ("Authorization: Bearer 0123456789abcdef\r\n", 200),
        ("authorization: bearer ABCDEF0123456789\r\n", 200),
    ] {
        let answer = ask(headers);
        assert_eq!(answer.status, status, "{headers}");
        assert_eq!(answer.header("www-authenticate").is_some(), status == 401);
    }
    for path in ["/metrics", "/v1/version", "/move", "/nothing"] {
        assert_eq!(get(&http, path, "").status, 401, "{path}");
    }
    assert_eq!(get(&http, "/healthz", "").status, 200);
    let guesses: Vec<Answer> = (0..20)
        .map(|number| ask(&format!("Authorization: Bearer {number:016}\r\n")))
        .collect();
    let last = guesses.last().unwrap();
    assert_eq!((last.status, last.header("retry-after")), (429, Some("60")));
    assert!(guesses.iter().filter(|one| one.status == 401).count() <= 10);
    // Others behind the same address are not shut out.
    assert_eq!(
        ask("Authorization: Bearer 0123456789abcdef\r\n").status,
        200
    );

    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let said = refused(&["127.0.0.1:0", "--http-tokens", path]);
    assert!(
        said.contains("mode 640") && !said.contains("0123456789abcdef"),
        "{said}"
    );
    std::fs::write(&file, "ann short\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let said = refused(&["127.0.0.1:0", "--http-tokens", path]);
    assert!(said.contains("line 1") && !said.contains("short"), "{said}");
}

/// Runs `gammond serve --http` with options that it refuses; returns the exit code and the message.
fn refused(options: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["serve", "--http"])
        .args(options)
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    format!("{}: {said}", output.status.code().unwrap())
}

/// HTTP-01, HTTP-92, HTTP-95: other machines want more than --allow-remote; an origin is one.
#[test]
fn remote_addresses_and_origins_are_checked() {
    let said = refused(&["0.0.0.0:0", "--allow-remote"]);
    assert!(
        said.starts_with("2: ") && said.contains("--http-tokens"),
        "{said}"
    );
    let said = refused(&["127.0.0.1:0", "--cors", "example.org"]);
    assert!(
        said.starts_with("2: ") && said.contains("https://example.org"),
        "{said}"
    );
    let said = refused(&["0.0.0.0:0", "--no-auth"]);
    assert!(said.contains("--allow-remote"), "{said}");
    let (_server, open) = http_server(&["--allow-remote", "--no-auth"]);
    // HTTP-95: its names are not known to it.
    let text = "GET /v1/version HTTP/1.1\r\nHost: engine.example\r\nConnection: close\r\n\r\n";
    assert_eq!(raw(&open, text.as_bytes()).status, 200);
}

/// HTTP-92: pages of named origins may ask, after a preflight, on the paths of other programs too.
#[test]
fn pages_of_named_origins_may_ask() {
    let (_server, http) = http_server(&["--cors", "https://a.example,https://b.example"]);
    let ask = |method: &str, target: &str, headers: &str| {
        let text = format!(
            "{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: 0\r\n{headers}\r\n"
        );
        raw(&http, text.as_bytes())
    };
    let target = "/v1/eval?position=4HPwATDgc%2FABMA";
    for (origin, status) in [
        ("https://a.example", 200),
        ("https://b.example", 200),
        ("https://c.example", 403),
        ("https://a.example.c.example", 403),
        ("null", 403),
    ] {
        let answer = ask(
            "GET",
            target,
            &format!("Origin: {origin}\r\nSec-Fetch-Site: cross-site\r\n"),
        );
        let allowed = (status == 200).then_some(origin);
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (status, allowed)
        );
    }
    let asked = "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type, cross-domain\r\n";
    let flight = |origin: &str| {
        ask(
            "OPTIONS",
            "/api/v1/getmoves",
            &format!("Origin: {origin}\r\n{asked}"),
        )
    };
    let good = flight("https://a.example");
    assert_eq!(good.status, 204);
    assert_eq!(
        good.header("access-control-allow-headers"),
        Some("content-type, cross-domain")
    );
    assert!(
        good.header("access-control-allow-methods")
            .unwrap()
            .contains("POST")
    );
    let bad = flight("https://c.example");
    assert_eq!(
        (bad.status, bad.header("access-control-allow-origin")),
        (403, None)
    );
    let (_server, all) = http_server(&["--cors", "*"]);
    let answer = get(&all, target, "Origin: https://c.example\r\n");
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, Some("*"))
    );
}

/// HTTP-70: each of many bodies that are wrong in one member is refused, and the problem points at that member.
#[test]
fn wrong_members_are_pointed_at() {
    let (_server, _, http) = server();
    let good = json!({"position": START, "roll": [3, 1], "settings": {"plies": 0, "length": 7, "score": [3, 5],
        "cube": 2, "owner": "me", "cubeful": true, "filter": "normal", "prune": true, "noise": 0.0, "top": 1, "jacoby": false}});
    assert_eq!(post(&http, "/v1/move", &good.to_string()).status, 200);
    // No value of these is right anywhere.
    let never = [
        json!({}),
        json!([]),
        json!([[1]]),
        json!(-7),
        json!(1e300),
        json!("nonsense"),
        json!("a b"),
        json!("\u{0}"),
    ];
    let mut asked = 0;
    let mut check = |body: &Value, pointer: &str| {
        let answer = post(&http, "/v1/move", &body.to_string());
        let problem = answer.json();
        assert_eq!(answer.status, 400, "{body} {problem}");
        assert_eq!(problem["pointer"], pointer, "{body} {problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty());
        asked += 1;
    };
    for name in ["position", "roll", "settings"] {
        for value in &never {
            // An empty object has no wrong setting.
            if name == "settings" && *value == json!({}) {
                continue;
            }
            let mut body = good.clone();
            body[name] = value.clone();
            check(&body, &format!("/{name}"));
        }
    }
    for key in good["settings"].as_object().unwrap().keys() {
        for value in never.iter().chain(&[json!(null), json!([1, 2, 3])]) {
            let mut body = good.clone();
            body["settings"][key] = value.clone();
            check(&body, &format!("/settings/{key}"));
        }
    }
    for number in 0..60 {
        let key = format!("a{number}~/");
        let mut body = good.clone();
        body["settings"][&key] = json!(number);
        check(&body, &format!("/settings/a{number}~0~1"));
        let mut body = good.clone();
        body[&key] = json!(number);
        check(&body, &format!("/a{number}~0~1"));
    }
    assert!(asked >= 200, "{asked}");
}

/// HTTP-70: the member is that of the error, whatever stands behind it; the byte counts within the position.
#[test]
fn error_is_placed_in_its_member() {
    let (_server, _, http) = server();
    for (verb, body, pointer, at) in [
        (
            "rollout",
            json!({"position": START, "roll": [3, 1], "plays": ["8/5 6/4"], "settings": {"trials": 36}}),
            json!("/plays"),
            Value::Null,
        ),
        (
            "eval",
            json!({"id": "2", "position": "x"}),
            json!("/position"),
            json!(0),
        ),
    ] {
        let problem = post(&http, &format!("/v1/{verb}"), &body.to_string()).json();
        assert_eq!(
            (&problem["pointer"], &problem["at"]),
            (&pointer, &at),
            "{problem}"
        );
        assert_eq!(problem["id"], body["id"], "{problem}");
    }
    let named =
        |query: &str| get(&http, &format!("/v1/move?{query}"), "").json()["parameter"].clone();
    for (query, parameter) in [
        ("position=4HPwATDgc%2FABMA&roll=31&plies=9", "plies"),
        ("position=4HPwATDgc%2FABMA&roll=37", "roll"),
        ("position=x&roll=31", "position"),
        ("position=4HPwATDgc%2FABMA&roll=31&bogus=1", "bogus"),
        (
            "position=4HPwATDgc%2FABMA&roll=31&top=1&crawford=1",
            "crawford",
        ),
    ] {
        assert_eq!(named(query), parameter);
    }
}

/// Asserts that a value has the members that a schema requires, each of a type that it allows.
fn assert_schema(value: &Value, schema: &Value, document: &Value) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#'));
        return assert_schema(value, target.unwrap(), document);
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allows = |one: &Value| one == kind || (one == "number" && kind == "integer");
    match &schema["type"] {
        Value::Array(kinds) => assert!(kinds.iter().any(allows), "{value} {schema}"),
        Value::Null => {}
        one => assert!(allows(one), "{value} {schema}"),
    }
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant);
    }
    if let Some(values) = schema["enum"].as_array() {
        assert!(values.contains(value), "{value} {schema}");
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        assert!(
            value.get(name.as_str().unwrap()).is_some(),
            "{name} in {value}"
        );
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(member) = value.get(name) {
            assert_schema(member, schema, document);
        }
    }
    for item in value.as_array().into_iter().flatten() {
        if let Some(schema) = schema.get("items") {
            assert_schema(item, schema, document);
        }
    }
}

/// HTTP-71: the `type` of a problem can be opened, by programs and by people.
#[test]
fn error_codes_say_what_they_mean() {
    let (_server, _, http) = server();
    let problem = get(&http, "/v1/move?position=4HPwATDgc/ABMA&roll=71", "").json();
    assert_eq!(problem["code"], "bad-roll");
    let path = problem["type"].as_str().unwrap();
    let one = get(&http, path, "").json();
    assert_eq!(
        (&one["type"], &one["code"], &one["status"]),
        (&problem["type"], &problem["code"], &problem["status"])
    );
    assert_eq!(one["meaning"], "two dice");
    let text = get(&http, path, "Accept: text/plain\r\n").body;
    assert_eq!(text, b"bad-roll: two dice (status 400)\n");
    // What a browser asks for, also from a link of another site.
    let browser = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nSec-Fetch-Site: cross-site\r\n\
                   Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    let page = String::from_utf8(get(&http, "/v1/errors", browser).body).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    let all = get(&http, "/v1/errors", "").json();
    let all = all["errors"].as_array().unwrap();
    assert_eq!(all.len(), gammond_protocol::ErrorCode::ALL.len());
    for one in all {
        let code = one["code"].as_str().unwrap();
        assert!(page.contains(&format!("<code>{code}</code>")), "{code}");
        assert_eq!(get(&http, one["type"].as_str().unwrap(), "").json(), *one);
    }
    for path in [
        "/v1/errors/bad",
        "/v1/errors/",
        "/v1/errors/%ff",
        "/v1/errors/a/b",
    ] {
        let answer = get(&http, path, "");
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (404, &json!("not-found")),
            "{path}"
        );
    }
    assert_eq!(post(&http, path, "{}").status, 405);
    let refused = get(&http, path, "Accept: image/png\r\n");
    assert_eq!(refused.json()["code"], "not-acceptable");
}

/// Each `$ref` of `text` names a part of `document`, which is the same description.
fn assert_references(text: &str, document: &Value) {
    for refer in text.split("\"$ref\":").skip(1) {
        let name = refer
            .split('"')
            .nth(1)
            .and_then(|path| path.strip_prefix('#'));
        assert!(
            name.is_some_and(|name| document.pointer(name).is_some()),
            "{name:?} is nowhere"
        );
    }
}

/// HTTP-102: the description is the committed one, and every example in it is answered.
#[test]
fn the_description_is_true() {
    let (_server, _, http) = server();
    let answer = get(&http, "/openapi.json", "");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-specs/openapi.json");
    if std::env::var_os("GAMMOND_WRITE_OPENAPI").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        text == committed,
        "write it again: GAMMOND_WRITE_OPENAPI=1 cargo test --test it the_description"
    );
    let document = answer.json();
    assert_references(&text, &document);
    let mut tried = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let verb = path.trim_start_matches("/v1/");
        let of_kind = |answer: &Answer| match verb {
            "eval" | "move" | "cube" | "rollout" | "convert" | "show" | "version" | "stats" => {
                let answer = answer.json();
                assert_eq!(answer["type"], verb, "{path}");
                let schema =
                    &item["get"]["responses"]["200"]["content"]["application/json"]["schema"];
                assert_schema(&answer, schema, &document);
            }
            _ => {}
        };
        // Jobs and archives have tests of their own: there must be one first.
        let has_own_tests = ["/v1/jobs", "/v1/archive"]
            .iter()
            .any(|begin| path.starts_with(begin));
        if let Some(operation) = item.get("get").filter(|_| !has_own_tests) {
            let parameters = operation["parameters"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let examples = parameters.iter().filter_map(|one| {
                let value = match one.get("example")? {
                    Value::String(text) => text.clone(),
                    value => value.to_string(),
                };
                Some(format!("{}={value}", one["name"].as_str()?).replace(' ', "+"))
            });
            let query = examples.collect::<Vec<_>>().join("&");
            let answer = get(&http, &format!("{path}?{query}"), "");
            assert_eq!(answer.status, 200, "{path}");
            of_kind(&answer);
            tried += 1;
        }
        let body = &item["post"]["requestBody"]["content"]["application/json"]["example"];
        if !body.is_null() && !has_own_tests {
            let answer = post(&http, path, &body.to_string());
            assert_eq!(answer.status, 200, "{path}");
            of_kind(&answer);
            let many = post(&http, path, &json!([body, body]).to_string());
            assert_eq!(many.json().as_array().map(Vec::len), Some(2), "{path}");
            tried += 1;
        }
    }
    assert!(tried >= 16, "{tried}");
    let page = get(&http, "/docs", "");
    let page = String::from_utf8(page.body).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("/v1/analyse"));
    let rows = page.split("<tr><td>").skip(1);
    let methods: Vec<&str> = rows.filter_map(|row| row.split('<').next()).collect();
    let known = |method: &&str| ["GET", "POST", "DELETE"].contains(method);
    assert!(
        methods.len() > 20 && methods.iter().all(known),
        "{methods:?}"
    );
    // Nothing of another host.
    assert!(!page.contains("://"), "{page}");
}

/// Adds what has no description: parameters, and members of schemas.
fn undescribed(value: &Value, path: &str, missing: &mut Vec<String>) {
    let mut check = |name: &str, one: &Value| {
        let is_there = one["description"]
            .as_str()
            .is_some_and(|text| !text.is_empty());
        if !is_there && one.get("$ref").is_none() {
            missing.push(format!("{path}/{name}"));
        }
    };
    for parameter in value["parameters"].as_array().into_iter().flatten() {
        check(parameter["name"].as_str().unwrap(), parameter);
    }
    for (name, property) in value["properties"].as_object().into_iter().flatten() {
        check(name, property);
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                undescribed(member, &format!("{path}/{name}"), missing);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                undescribed(item, &format!("{path}/{at}"), missing);
            }
        }
        _ => {}
    }
}

/// HTTP-102, HTTP-140: every parameter and every member has a description, every setting a type; operations and their
/// statuses are named.
#[test]
fn description_is_complete() {
    let (_server, _, http) = server();
    let document = get(&http, "/openapi.json", "").json();
    let mut missing = Vec::new();
    undescribed(&document, "", &mut missing);
    assert!(missing.is_empty(), "{missing:?}");
    let schemas = &document["components"]["schemas"];
    for (name, kind) in [
        (
            "plies",
            json!({"type": "integer", "minimum": 0, "maximum": 4}),
        ),
        (
            "noise",
            json!({"type": "number", "minimum": 0.0, "maximum": 1.0}),
        ),
        ("cubeful", json!({"type": "boolean"})),
        ("filter", json!({"type": "string"})),
        (
            "score",
            json!({"type": "array", "minItems": 2, "maxItems": 2}),
        ),
    ] {
        let schema = &schemas["MoveSettings"]["properties"][name];
        for (word, value) in kind.as_object().unwrap() {
            assert_eq!(schema[word], *value, "{name}");
        }
    }
    assert!(schemas["ShowSettings"]["properties"]["plies"].is_null());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (_, operation) in item
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| *name != "parameters")
        {
            assert!(operation["operationId"].is_string() && operation["summary"].is_string());
            let statuses = operation["responses"].as_object().unwrap();
            assert!(
                statuses.len() > 7 && !statuses.contains_key("default"),
                "{path}"
            );
        }
    }
    for path in ["/v1/jobs/rollout", "/v1/jobs/analyse"] {
        let links = &document["paths"][path]["post"]["responses"]["202"]["links"];
        for link in ["job", "jobResult", "jobEvents", "jobDeleted"] {
            assert_eq!(links[link]["parameters"]["id"], "$response.body#/id");
        }
    }
}

/// HTTP-140, HTTP-141: each verb takes its members and settings, of their types, and names what it does not take.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of requests")]
fn members_of_other_verbs_and_types_are_refused() {
    let (_server, _, http) = server();
    for (verb, body, status, pointer, said) in [
        (
            "eval",
            json!({"settings": {"trials": 36}}),
            400,
            "/settings/trials",
            "is not for eval",
        ),
        (
            "eval",
            json!({"roll": "31"}),
            400,
            "/roll",
            "is not for eval",
        ),
        (
            "show",
            json!({"plays": ["8/5"]}),
            400,
            "/plays",
            "is not for show",
        ),
        (
            "show",
            json!({"settings": {"plies": 1}}),
            400,
            "/settings/plies",
            "is not for show",
        ),
        (
            "cube",
            json!({"settings": {"top": 1}}),
            400,
            "/settings/top",
            "is not for cube",
        ),
        (
            "eval",
            json!({"settings": {"plies": "2"}}),
            400,
            "/settings/plies",
            "expected 0 to 4",
        ),
        (
            "eval",
            json!({"settings": {"plies": null}}),
            400,
            "/settings/plies",
            "expected 0 to 4",
        ),
        (
            "eval",
            json!({"settings": {"cubeful": 1}}),
            400,
            "/settings/cubeful",
            "true or false",
        ),
        (
            "eval",
            json!({"settings": {"score": "3:5"}}),
            400,
            "/settings/score",
            "[3,5]",
        ),
        (
            "eval",
            json!({"settings": {"lenght": 7}}),
            400,
            "/settings/lenght",
            "did you mean length?",
        ),
        ("eval", json!({"id": ""}), 400, "/id", "1 to 64"),
        ("eval", json!({"id": 0.5}), 400, "/id", "1 to 64"),
        (
            "rollout",
            json!({"plays": []}),
            400,
            "/plays",
            "plays has 0 plays, expected 1 to 64",
        ),
        (
            "explain",
            json!({"roll": [3, 1], "plays": ["8/5 6/5", 7]}),
            400,
            "/plays/1",
            "play 2 is 7, expected one such as",
        ),
        (
            "rollout",
            json!({"plays": ["8/5 6/5"]}),
            400,
            "/plays",
            "needs a roll",
        ),
        (
            "rollout",
            json!({"cube": true, "roll": [3, 1]}),
            400,
            "/roll",
            "before the dice",
        ),
        (
            "rollout",
            json!({"roll": [3, 1], "plays": ["8/5 6/4"]}),
            400,
            "/plays",
            "8/5 6/4",
        ),
        ("move", json!({"roll": [3, 7]}), 400, "/roll", "dice"),
        ("move", json!({}), 400, "/roll", "roll is missing"),
        (
            "eval",
            json!({"settings": {"length": 7, "score": [7, 0]}}),
            400,
            "/settings/score",
            "score",
        ),
        (
            "eval",
            json!({"position": "x".repeat(4097)}),
            400,
            "/position",
            "4096",
        ),
        (
            "eval",
            json!({"position": ""}),
            400,
            "/position",
            "4HPwATDgc/ABMA",
        ),
        (
            "eval",
            json!({"position": "\u{e9}".repeat(3000)}),
            400,
            "/position",
            "4096",
        ),
    ] {
        let mut body = body;
        if body.get("position").is_none() {
            body["position"] = json!(START);
        }
        let answer = post(&http, &format!("/v1/{verb}"), &body.to_string());
        let problem = answer.json();
        assert_eq!(
            (answer.status, &problem["pointer"]),
            (status, &json!(pointer)),
            "{body} {problem}"
        );
        assert!(
            problem["detail"].as_str().unwrap().contains(said),
            "{problem}"
        );
    }
    for (target, status) in [
        ("eval?position=4HPwATDgc/ABMA&trials=36", 400),
        ("eval?position=4HPwATDgc/ABMA&roll=31", 400),
        ("show?position=4HPwATDgc/ABMA&plies=1", 400),
        (
            "eval?position=4HPwATDgc/ABMA&noise=1e-7&length=7&score=3&score=5",
            200,
        ),
        (
            "eval?position=4HPwATDgc/ABMA&length=7&score=3&score=5&score=1",
            400,
        ),
        ("eval?position=4HPwATDgc/ABMA&length=7&score=3", 400),
        (
            "rollout?position=4HPwATDgc/ABMA&trials=36&time=1&plies=4",
            422,
        ),
    ] {
        let answer = get(&http, &format!("/v1/{target}"), "");
        assert_eq!(answer.status, status, "{target} {:?}", answer.json());
    }
    let bare = format!(
        "POST /v1/eval HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: 2\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n{{}}"
    );
    let detail = raw(&http, bare.as_bytes()).json()["detail"].clone();
    assert!(
        detail
            .as_str()
            .unwrap()
            .contains("add -H 'Content-Type: application/json'"),
        "{detail}"
    );
}

/// HTTP-03, R-61: a question that was answered leaves nothing behind.
#[test]
#[cfg(target_os = "linux")]
fn many_requests_take_no_memory() {
    let (server, _, http) = server();
    let ask = |count: usize| {
        let mut stream = TcpStream::connect(&http).unwrap();
        let one = format!("GET /v1/eval?position=4HPwATDgc%2FABMA HTTP/1.1\r\nHost: {http}\r\n");
        let mut reader = stream.try_clone().unwrap();
        let sent = std::thread::spawn(move || {
            for _ in 1..count {
                stream.write_all(format!("{one}\r\n").as_bytes()).unwrap();
            }
            let last = format!("{one}Connection: close\r\n\r\n");
            stream.write_all(last.as_bytes()).unwrap();
        });
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        sent.join().unwrap();
        let answers = bytes
            .windows(12)
            .filter(|one| one == b"HTTP/1.1 200")
            .count();
        assert_eq!(answers, count);
    };
    let resident = || {
        let text = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap();
        let line = text
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        line.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    ask(5_000);
    let before = resident();
    ask(40_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 8 << 10, "{grown} KiB");
}
