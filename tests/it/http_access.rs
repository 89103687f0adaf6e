//! Clients of `gammond serve --http`: limits of tokens, their change while the server runs, addresses that proxies name,
//! and sessions of browsers. Rules HTTP-115 and HTTP-130 to HTTP-135 of `protocol-specs/http.md`.

use crate::http::{Answer, get, http_server, raw};
use crate::http_jobs::request;
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
    assert!(used.status == 200 || used.status == 422, "{used:?}");
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

const ANN: &str = "0123456789abcdef";
const BOB: &str = "ABCDEF0123456789";
const ANN_AND_BOB: &str = "ann 0123456789abcdef\nbob ABCDEF0123456789\n";
const HTML: &str = "Accept: text/html\r\n";

/// Posts the fields of the form as the page of this server does.
fn signed_in(http: &str, fields: &str, headers: &str) -> Answer {
    let headers = format!(
        "Content-Type: application/x-www-form-urlencoded\r\nOrigin: http://{http}\r\n{headers}"
    );
    request(http, "POST", "/sign-in", &headers, fields.as_bytes())
}

/// Signs in and returns the header with the cookie.
#[track_caller]
fn session(http: &str, token: &str) -> String {
    let answer = signed_in(http, &format!("token={token}"), "");
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some("/")),
        "{answer:?}"
    );
    cookie_of(&answer)
}

fn cookie_of(answer: &Answer) -> String {
    let cookie = answer.header("set-cookie").unwrap();
    format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
}

fn sign_out(http: &str, headers: &str) -> u16 {
    let headers = format!("Origin: http://{http}\r\n{headers}");
    request(http, "POST", "/sign-out", &headers, b"").status
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.body).into_owned()
}

/// HTTP-115, HTTP-133: a browser gets the form in the place of a page, and after it the page that it wanted.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of pages")]
fn form_stands_in_the_place_of_a_page() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    for target in [
        "/",
        "/play",
        "/matches",
        "/quiz",
        "/status",
        "/docs",
        "/?position=%22%3E%3Cb%3E",
    ] {
        let answer = get(&http, target, HTML);
        let form = text(&answer);
        assert_eq!(answer.status, 401, "{target}");
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(
            form.contains("action=\"/sign-in\"") && !form.contains("<b>"),
            "{form}"
        );
        // A program gets a problem.
        assert_eq!(
            get(&http, target, "").json()["code"],
            "unauthorized",
            "{target}"
        );
        let wrong = format!("{HTML}{}", token("0000000000000000"));
        assert_eq!(
            get(&http, target, &wrong).json()["code"],
            "unauthorized",
            "{target}"
        );
    }
    assert_eq!(get(&http, EVAL, HTML).json()["code"], "unauthorized");
    assert_eq!(get(&http, "/page/style.css", "").status, 200);
    let form = get(&http, "/sign-in", HTML);
    assert!(form.status == 200 && text(&form).contains("name=\"token\""));
    for (page, want) in [
        ("%2Fmatches", "/matches"),
        (
            "%2F%3Fposition%3D4HPwATDgc%252FABMA%26roll%3D31",
            "/?position=4HPwATDgc%2FABMA&roll=31",
        ),
        ("%2Fdocs", "/docs"),
        ("", "/"),
        ("https%3A%2F%2Fevil.example%2F", "/"),
        ("%2F%2Fevil.example%2F", "/"),
        ("%2F%5Cevil.example", "/"),
        ("%2Fsign-in", "/"),
        ("%2Fv1%2Fversion", "/"),
        ("%2F%0D%0ASet-Cookie%3A+a%3Db", "/"),
    ] {
        let answer = signed_in(&http, &format!("token={ANN}&page={page}"), "");
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, Some(want)),
            "{page}"
        );
    }
    let ended = get(&http, "/play", &format!("{HTML}Cookie: gammond=ended\r\n"));
    assert!(ended.status == 401 && text(&ended).contains("the session has ended"));
    let ann = session(&http, ANN);
    for target in ["/", "/play"] {
        let page = get(&http, target, &ann);
        assert_eq!(
            (page.status, page.header("cache-control")),
            (200, Some("no-store"))
        );
        assert!(
            text(&page).contains("data-client=\"ann\"")
                && text(&page).contains("action=\"/sign-out\"")
        );
    }
    assert_eq!(get(&http, EVAL, &ann).status, 200);
    assert_eq!(get(&http, "/v1/jobs", &ann).status, 200);
}

/// HTTP-133: without tokens there is nothing to sign in to, and pages offer no end of a session.
#[test]
fn server_without_tokens_has_no_form() {
    let (_server, http) = http_server(&[]);
    assert_eq!(get(&http, "/sign-in", HTML).status, 404);
    assert_eq!(signed_in(&http, &format!("token={ANN}"), "").status, 404);
    assert_eq!(sign_out(&http, ""), 404);
    let page = text(&get(&http, "/play", HTML));
    assert!(!page.contains("sign-out") && !page.contains("data-client"));
}

/// HTTP-133: wrong tokens in the form count as wrong tokens; forms that are none are refused.
#[test]
fn wrong_forms_are_refused() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    for (fields, status) in [
        ("token=0123456789abcdef&token=0123456789abcdef", 400),
        ("token=0123456789abcdef&next=%2F", 400),
        (&*format!("token={}", "a".repeat(5000)), 413),
    ] {
        assert_eq!(signed_in(&http, fields, "").status, status, "{fields:.80}");
    }
    let headers = format!("Content-Type: application/json\r\nOrigin: http://{http}\r\n");
    assert_eq!(
        request(&http, "POST", "/sign-in", &headers, b"{}").status,
        415
    );
    assert_eq!(request(&http, "PUT", "/sign-in", &headers, b"").status, 405);
    assert_eq!(
        request(&http, "GET", "/sign-out", &headers, b"").status,
        405
    );
    let found: Vec<u16> = ["", "token=", "token=%ff", "token=0"]
        .into_iter()
        .cycle()
        .take(12)
        .map(|fields| {
            let answer = signed_in(&http, fields, "");
            assert_eq!(answer.header("set-cookie"), None);
            assert!(text(&answer).contains("name=\"token\""));
            answer.status
        })
        .collect();
    assert!(
        found.starts_with(&[401]) && found.ends_with(&[429]),
        "{found:?}"
    );
    // The same count as that of headers; a right token passes.
    assert_eq!(get(&http, EVAL, &token("0000000000000000")).status, 429);
    session(&http, ANN);
}

/// HTTP-134: a session ends by sign-out, by the next sign-in of the browser, and by SIGHUP when its token is gone.
#[test]
fn session_ends() {
    let (folder, file) = token_file(ANN_AND_BOB);
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
    let status = |cookie: &str| get(&http, EVAL, cookie).status;

    let ann = session(&http, ANN);
    assert!(!ann.contains(ANN), "the cookie is not the token");
    assert_eq!(status(&ann), 200);
    assert_eq!(sign_out(&http, &ann), 303);
    assert_eq!(status(&ann), 401);
    assert_eq!(
        get(&http, EVAL, &ann).json()["detail"].as_str().unwrap(),
        "the session has ended: sign in again at /sign-in"
    );
    assert_eq!(sign_out(&http, &ann), 303, "once more does no harm");

    let first = session(&http, ANN);
    let second = cookie_of(&signed_in(&http, &format!("token={BOB}"), &first));
    assert_eq!((status(&first), status(&second)), (401, 200));

    let ann = session(&http, ANN);
    for (number, tokens) in ["bob ABCDEF0123456789\n", ANN_AND_BOB]
        .into_iter()
        .enumerate()
    {
        std::fs::write(&file, tokens).unwrap();
        server.signal("HUP");
        wait_until("the tokens are read again", || {
            let log = std::fs::read_to_string(&log).unwrap();
            log.matches("tokens read again").count() > number
        });
        // A token that comes back does not bring its sessions back.
        assert_eq!((status(&ann), status(&second)), (401, 200), "{tokens}");
    }
    // A name with another token is the same client, but its session is not.
    std::fs::write(&file, "bob 1111111111111111\n").unwrap();
    server.signal("HUP");
    until(401, || get(&http, EVAL, &second));
}

/// HTTP-134: what is no cookie of a session is refused, and no guessing slows the address down.
#[test]
fn cookies_that_are_no_session_are_refused() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    let ann = session(&http, ANN);
    let bob = session(&http, BOB);
    let id = ann.trim().strip_prefix("Cookie: gammond=").unwrap();
    for cookie in [
        "Cookie: gammond=\r\n".to_owned(),
        format!("Cookie: gammond={ANN}\r\n"),
        format!("Cookie: gammond={}\r\n", "a".repeat(26)),
        format!("Cookie: gammond={}\r\n", "a".repeat(12_000)),
        format!("Cookie: gammond={}\r\n", id.to_uppercase()),
        format!("Cookie: gammond=\"{id}\"\r\n"),
        format!("Cookie: __Host-gammond={id}\r\n"),
        format!("Cookie: gammond={id}; gammond={id}\r\n"),
        format!("{ann}{bob}"),
    ] {
        assert_eq!(get(&http, EVAL, &cookie).status, 401, "{cookie:.80}");
    }
    for _ in 0..12 {
        assert_eq!(get(&http, EVAL, "Cookie: gammond=guess\r\n").status, 401);
    }
    let others = format!("Cookie: a=b; gammond={id}; c\r\n");
    assert_eq!(get(&http, EVAL, &others).status, 200);
    // The header counts alone: right or wrong.
    let jobs = |headers: &str| get(&http, "/v1/jobs", headers).status;
    assert_eq!(jobs(&format!("{ann}{}", token(BOB))), 200);
    assert_eq!(
        jobs(&format!("Cookie: gammond=guess\r\n{}", token(BOB))),
        200
    );
    assert_eq!(jobs(&format!("{ann}{}", token("0000000000000000"))), 401);
    assert_eq!(jobs(&format!("{ann}Authorization: Basic YTpi\r\n")), 401);
    // A session that the browser brings along is not the one that begins (fixation).
    let planted = "Cookie: gammond=aaaaaaaaaaaaaaaaaaaaaaaaaa\r\n";
    let begun = cookie_of(&signed_in(&http, &format!("token={ANN}"), planted));
    assert_ne!(begun, planted);
    assert_eq!(get(&http, EVAL, planted).status, 401);
}

/// HTTP-135: a page of another origin can neither read nor post with the session of a browser.
#[test]
fn other_origins_cannot_use_a_session() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let options = [
        "--http-tokens",
        file.to_str().unwrap(),
        "--cors",
        "https://friend.example",
    ];
    let (_server, http) = http_server(&options);
    let ann = session(&http, ANN);
    let own = format!("Origin: http://{http}\r\n");
    let body = br#"{"position":"4HPwATDgc/ABMA"}"#;
    let json = "Content-Type: application/json\r\n";
    let navigates = "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
    for (headers, read, written) in [
        ("", 200, 403),
        (&*own, 200, 200),
        ("Sec-Fetch-Site: same-origin\r\n", 200, 200),
        ("Sec-Fetch-Site: none\r\n", 200, 200),
        (
            "Sec-Fetch-Site: same-origin\r\nOrigin: https://bg.example.org\r\n",
            200,
            200,
        ),
        ("Sec-Fetch-Site: same-site\r\n", 403, 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403, 403),
        ("Sec-Fetch-Site: anything\r\n", 403, 403),
        (&*format!("Sec-Fetch-Site: same-site\r\n{own}"), 403, 403),
        (
            &*format!("Sec-Fetch-Site: same-site\r\n{navigates}"),
            403,
            403,
        ),
        ("Origin: null\r\n", 403, 403),
        ("Origin: https://evil.example\r\n", 403, 403),
        (&*format!("Origin: https://{http}\r\n"), 403, 403),
        ("Origin: https://friend.example\r\n", 403, 403),
        (
            "Origin: https://friend.example\r\nSec-Fetch-Site: cross-site\r\n",
            403,
            403,
        ),
    ] {
        let all = format!("{ann}{headers}");
        let answer = get(&http, "/v1/jobs", &all);
        assert_eq!(answer.status, read, "read: {headers}");
        assert_eq!(answer.header("access-control-allow-credentials"), None);
        let posted = request(&http, "POST", "/v1/eval", &format!("{all}{json}"), body);
        assert_eq!(posted.status, written, "written: {headers}");
        // A simple request of a form needs no preflight.
        let form = format!("{all}Content-Type: text/plain\r\n");
        let job = request(&http, "POST", "/v1/jobs/analyse", &form, b"");
        assert_eq!(job.status == 403, written == 403, "job: {headers} {job:?}");
    }
    // A link of a site of the same domain leads to a page.
    let link = format!("{ann}Sec-Fetch-Site: same-site\r\n{navigates}");
    assert_eq!(get(&http, "/play", &link).status, 200);
    // With a token in the header the page of a named origin may ask, whatever the browser adds.
    let friend = format!("{ann}{}Origin: https://friend.example\r\n", token(ANN));
    assert_eq!(get(&http, "/v1/jobs", &friend).status, 200);
    for headers in [
        "Origin: https://evil.example\r\n",
        "Sec-Fetch-Site: same-site\r\n",
        "",
    ] {
        let answer = request(&http, "POST", "/sign-out", &format!("{ann}{headers}"), b"");
        assert_eq!(answer.status, 403, "{headers}");
    }
    assert_eq!(get(&http, EVAL, &ann).status, 200);
}

/// HTTP-135: no other site signs a browser in under a name of its choice.
#[test]
fn sign_in_of_other_sites_is_refused() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let options = [
        "--http-tokens",
        file.to_str().unwrap(),
        "--cors",
        "https://friend.example",
    ];
    let (_server, http) = http_server(&options);
    let kind = "Content-Type: application/x-www-form-urlencoded\r\n";
    let fields = format!("token={ANN}");
    for headers in [
        "",
        "Origin: null\r\n",
        "Origin: https://evil.example\r\n",
        "Origin: https://friend.example\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        let answer = request(
            &http,
            "POST",
            "/sign-in",
            &format!("{kind}{headers}"),
            fields.as_bytes(),
        );
        assert_eq!(
            (answer.status, answer.header("set-cookie")),
            (403, None),
            "{headers}"
        );
    }
    let own = format!("{kind}Sec-Fetch-Site: same-origin\r\n");
    assert_eq!(
        request(&http, "POST", "/sign-in", &own, fields.as_bytes()).status,
        303
    );
}

/// HTTP-133, HTTP-134: a session has the limits of its token, and a token has so many sessions.
#[test]
fn sessions_have_limits() {
    let (_folder, file) = token_file("ann 0123456789abcdef requests=1\nbob ABCDEF0123456789\n");
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    let ann = session(&http, ANN);
    let running = begun(&http, &ann);
    for headers in [&ann, &token(ANN)] {
        assert_eq!(get(&http, EVAL, headers).status, 429, "{headers}");
    }
    drop(running);
    until(200, || get(&http, EVAL, &ann));
    let bobs: Vec<String> = (0..17).map(|_| session(&http, BOB)).collect();
    let open = bobs
        .iter()
        .filter(|bob| get(&http, EVAL, bob).status == 200);
    assert_eq!(open.count(), 16);
    assert_eq!(get(&http, EVAL, &bobs[0]).status, 401);
    assert_eq!(get(&http, EVAL, &ann).status, 200);
}

/// HTTP-134: behind a proxy that says so the cookie is for HTTPS alone.
#[test]
fn cookie_behind_https_is_secure() {
    let (_folder, file) = token_file(ANN_AND_BOB);
    let tokens = ["--http-tokens", file.to_str().unwrap()];
    let fields = format!("token={ANN}");
    let said = "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\nSec-Fetch-Site: same-origin\r\n";
    let cookie = |options: &[&str], headers: &str| {
        let (server, http) = http_server(&[&tokens, options].concat());
        let answer = signed_in(&http, &fields, headers);
        let cookie = answer.header("set-cookie").unwrap().to_owned();
        (server, http, cookie)
    };
    let (_server, _, plain) = cookie(&[], said);
    assert!(
        plain.starts_with("gammond=") && plain.ends_with("; Path=/; HttpOnly; SameSite=Strict"),
        "{plain}"
    );
    let (_server, http, secure) = cookie(&["--trusted-proxy", "127.0.0.1"], said);
    assert!(secure.starts_with("__Host-gammond="), "{secure}");
    assert!(
        secure.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"),
        "{secure}"
    );
    let id = secure.split(['=', ';']).nth(1).unwrap();
    let own = format!("Cookie: __Host-gammond={id}\r\n");
    assert_eq!(get(&http, EVAL, &format!("{said}{own}")).status, 200);
    // Neither without TLS, nor under the name that a page without TLS could set.
    assert_eq!(
        get(
            &http,
            EVAL,
            &format!("X-Forwarded-For: 198.51.100.1\r\n{own}")
        )
        .status,
        401
    );
    assert_eq!(
        get(&http, EVAL, &format!("{said}Cookie: gammond={id}\r\n")).status,
        401
    );
    // Behind the proxy the origin is that of its name.
    let origin = |origin: &str| {
        let headers = format!(
            "X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\n{own}Origin: {origin}\r\n"
        );
        get(&http, EVAL, &headers).status
    };
    assert_eq!(origin(&format!("https://{http}")), 200);
    assert_eq!(origin(&format!("http://{http}")), 403);
}
