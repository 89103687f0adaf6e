//! Clients of `gammond serve --http`: limits of tokens, their change while the server runs, and addresses that proxies
//! name. Rules HTTP-130 to HTTP-132 of `protocol-specs/http.md`.

use crate::http::{Answer, get, http_server, raw};
use crate::server_process::Process;
use crate::support::{wait_for, wait_until};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const EVAL: &str = "/v1/eval?position=4HPwATDgc%2FABMA";
const ENDLESS: &str = "/v1/rollout?position=4HPwATDgc%2FABMA&trials=16777216&progress=true";

fn token(token: &str) -> String {
    format!("Authorization: Bearer {token}\r\n")
}

/// A folder with a file of tokens.
fn token_file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    (folder, file)
}

/// Begins a request without an end, and reads the first bytes of its answer.
fn begun(http: &str, headers: &str) -> TcpStream {
    let mut stream = TcpStream::connect(http).unwrap();
    let text = format!("GET {ENDLESS} HTTP/1.1\r\nHost: {http}\r\n{headers}\r\n");
    stream.write_all(text.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(start, *b"HTTP/1.1 200");
    stream
}

/// Asks until the answer has this status.
#[track_caller]
fn until(status: u16, ask: impl Fn() -> Answer) -> Answer {
    wait_for(&format!("status {status}"), || {
        Some(ask()).filter(|answer| answer.status == status)
    })
}

fn retry_after(answer: &Answer) -> u64 {
    assert_eq!(answer.json()["code"], "too-many-requests", "{answer:?}");
    answer.header("retry-after").unwrap().parse().unwrap()
}

/// HTTP-130: above its limits a token gets 429, others do not.
#[test]
fn token_above_its_limits_is_refused() {
    let (_folder, file) =
        token_file("ann 0123456789abcdef requests=1\nbob ABCDEF0123456789 cpu=1\n");
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    let (ann, bob) = (token("0123456789abcdef"), token("ABCDEF0123456789"));
    let running = begun(&http, &ann);
    let refused = get(&http, EVAL, &ann);
    assert_eq!((refused.status, retry_after(&refused)), (429, 1));
    assert_eq!(get(&http, EVAL, &bob).status, 200);
    drop(running);
    until(200, || get(&http, EVAL, &ann));

    let target = ENDLESS.replace("&progress=true", "");
    let used = get(&http, &target, &bob);
    assert!(used.status == 200 || used.status == 504, "{used:?}");
    let refused = get(&http, &target, &bob);
    assert_eq!(refused.status, 429);
    assert!((60..=3600).contains(&retry_after(&refused)));
    // The request is right.
    assert_eq!(refused.json()["parameter"], serde_json::Value::Null);
    // Looking ahead costs; a static value does not.
    assert_eq!(get(&http, EVAL, &bob).status, 200);
    drop(begun(&http, &ann));
}

/// A connection that stays open.
struct KeptAlive(TcpStream);

impl KeptAlive {
    fn status(&mut self, http: &str, headers: &str) -> u16 {
        let text = format!("HEAD {EVAL} HTTP/1.1\r\nHost: {http}\r\n{headers}\r\n");
        self.0.write_all(text.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.0.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        head.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

fn wait_for_log(log: &Path, text: &str) {
    wait_until(&format!("{text:?} in the log"), || {
        std::fs::read_to_string(log).unwrap().contains(text)
    });
}

/// HTTP-131: SIGHUP reads the tokens again; a wrong file changes nothing, and its line is logged.
#[test]
fn tokens_are_read_again() {
    let (folder, file) = token_file("ann 0123456789abcdef\nbob ABCDEF0123456789\n");
    let log = folder.path().join("log");
    let shell = format!("exec \"$@\" 2>'{}'", log.display());
    let options = [
        "--http",
        "127.0.0.1:0",
        "--http-tokens",
        file.to_str().unwrap(),
        "--log",
        "info",
    ];
    let server = Process::start(&shell, &options);
    let http = server.addresses[0].clone();
    let mut kept = KeptAlive(TcpStream::connect(&http).unwrap());
    let (ann, bob) = (token("0123456789abcdef"), token("ABCDEF0123456789"));
    assert_eq!(kept.status(&http, &ann), 200);
    std::fs::write(&file, "bob ABCDEF0123456789\nann short\n").unwrap();
    server.signal("HUP");
    wait_for_log(&log, "tokens not read again");
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("line 2") && !said.contains("short"), "{said}");
    assert_eq!(kept.status(&http, &ann), 200);
    std::fs::write(&file, "bob 1111111111111111\ncid 2222222222222222\n").unwrap();
    server.signal("HUP");
    wait_for_log(&log, "tokens read again");
    for (headers, status) in [
        (&ann, 401),
        (&bob, 401),
        (&token("1111111111111111"), 200),
        (&token("2222222222222222"), 200),
    ] {
        assert_eq!(kept.status(&http, headers), status, "{headers}");
    }
}

/// HTTP-132: a header of a peer that is not trusted changes nothing, not even if it is garbage.
#[test]
fn header_of_an_untrusted_peer_is_ignored() {
    let (_folder, file) = token_file("ann 0123456789abcdef\n");
    let options = [
        "--http-tokens",
        file.to_str().unwrap(),
        "--trusted-proxy",
        "192.0.2.0/24,fd00::/8",
    ];
    let (_server, http) = http_server(&options);
    let guess = |number: u32| {
        let headers = format!(
            "X-Forwarded-For: 192.0.2.{number}\r\nForwarded: for=198.51.100.{number}\r\n{}",
            token(&format!("{number:016}"))
        );
        get(&http, EVAL, &headers).status
    };
    let found: Vec<u16> = (0..12).map(guess).collect();
    assert!(found.contains(&401) && found.ends_with(&[429]), "{found:?}");
    let headers = format!("X-Forwarded-For: garbage\r\n{}", token("0123456789abcdef"));
    assert_eq!(get(&http, EVAL, &headers).status, 200);
}

/// HTTP-132: wrong tokens count for the address that a trusted proxy names.
#[test]
fn trusted_proxy_names_the_client() {
    let (_folder, file) = token_file("ann 0123456789abcdef\n");
    let options = [
        "--http-tokens",
        file.to_str().unwrap(),
        "--trusted-proxy",
        "127.0.0.1",
    ];
    let (_server, http) = http_server(&options);
    let guess = |address: &str| {
        let headers = format!(
            "X-Forwarded-For: 9.9.9.9, {address}\r\n{}",
            token("0000000000000000")
        );
        get(&http, EVAL, &headers).status
    };
    let found: Vec<u16> = (0..12).map(|_| guess("2001:db8::1")).collect();
    assert!(
        found.starts_with(&[401]) && found.ends_with(&[429]),
        "{found:?}"
    );
    assert_eq!(guess("2001:db8::2"), 401);
    // A right token always passes.
    let headers = format!(
        "X-Forwarded-For: 2001:db8::1\r\n{}",
        token("0123456789abcdef")
    );
    assert_eq!(get(&http, EVAL, &headers).status, 200);
}

/// HTTP-132: garbage in the header of a trusted proxy is named.
#[test]
fn garbage_of_a_trusted_proxy_is_refused() {
    let (_server, http) = http_server(&["--trusted-proxy", "127.0.0.0/8"]);
    for (headers, name) in [
        ("X-Forwarded-For: garbage\r\n", "x-forwarded-for"),
        (
            "X-Forwarded-For: 198.51.100.1, 1.2.3\r\n",
            "x-forwarded-for",
        ),
        ("Forwarded: for=unknown\r\n", "forwarded"),
        (
            "Forwarded: for=198.51.100.1\r\nX-Forwarded-For: 198.51.100.2\r\n",
            "X-Forwarded-For and Forwarded",
        ),
    ] {
        let answer = get(&http, EVAL, headers);
        let problem = answer.json();
        assert_eq!(
            (answer.status, &problem["code"]),
            (400, &"bad-request".into())
        );
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains(name), "{detail}");
    }
}

/// HTTP-132: requests at a time and jobs count for the address that a trusted proxy names.
#[test]
fn requests_and_jobs_are_of_the_named_client() {
    let options = ["--trusted-proxy", "127.0.0.0/8", "--peer-connections", "1"];
    let (_server, http) = http_server(&options);
    let (one, other) = (
        "X-Forwarded-For: 198.51.100.1\r\n",
        "Forwarded: for=\"[2001:db8::2]:4711\"\r\n",
    );
    let running = begun(&http, one);
    let refused = get(&http, EVAL, one);
    assert_eq!((refused.status, retry_after(&refused)), (429, 1));
    assert_eq!(get(&http, EVAL, other).status, 200);
    drop(running);
    until(200, || get(&http, EVAL, one));
    let body = r#"{"position":"4HPwATDgc/ABMA","settings":{"trials":36,"truncate":1}}"#;
    let text = format!(
        "POST /v1/jobs/rollout HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n{one}\r\n{body}",
        body.len()
    );
    let job = until(202, || raw(&http, text.as_bytes()));
    let link = job.header("location").unwrap();
    until(200, || get(&http, link, one));
    for headers in [other, "", "X-Forwarded-For: 198.51.100.3\r\n"] {
        assert_eq!(get(&http, link, headers).status, 404, "{headers}");
    }
}
