//! Jobs of `gammond serve --http`: rules HTTP-50 to HTTP-55 and HTTP-63 of `protocol-specs/http.md`, over real sockets and
//! through kills.

use crate::http::{Answer, get, http_server, post, raw};
use crate::http_events::events;
use crate::server_process::Process;
use crate::support::{HANG_LIMIT, wait_for, wait_until};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;

const START: &str = "4HPwATDgc/ABMA";

pub(crate) fn request(
    http: &str,
    method: &str,
    target: &str,
    headers: &str,
    body: &[u8],
) -> Answer {
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    );
    raw(http, &[head.as_bytes(), body].concat())
}

/// Waits until a job has ended; returns it.
pub(crate) fn ended(http: &str, link: &str) -> Value {
    wait_for("the job ends", || {
        let job = get(http, &format!("{link}?wait=5"), "").json();
        Some(job).filter(|job| job["finished"].is_u64())
    })
}

fn rollout(trials: u32) -> String {
    json!({"position": START, "settings": {"trials": trials, "truncate": 2, "plies": 1}})
        .to_string()
}

pub(crate) fn match_file(name: &str) -> Vec<u8> {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis");
    std::fs::read(base.join(name)).unwrap()
}

/// Posts a job; returns the path of its resource.
pub(crate) fn posted(answer: &Answer) -> String {
    assert_eq!(answer.status, 202, "{answer:?}");
    let job = answer.json();
    assert_eq!(job["type"], "job");
    let link = job["links"]["self"].as_str().unwrap().to_owned();
    assert_eq!(answer.header("location"), Some(link.as_str()));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let id = link.strip_prefix("/v1/jobs/").unwrap();
    assert!(
        id.len() == 26 && id.bytes().all(|b| b.is_ascii_alphanumeric()),
        "{id}"
    );
    link
}

/// HTTP-50, HTTP-51, HTTP-52, HTTP-54: the result of a job is the answer of the direct path, in every form.
#[test]
fn jobs_are_answered() {
    let (_server, http) = http_server(&[]);
    let body = rollout(36);
    let link = posted(&post(&http, "/v1/jobs/rollout", &body));
    let job = ended(&http, &link);
    assert_eq!(
        (&job["state"], &job["kind"]),
        (&json!("done"), &json!("rollout"))
    );
    assert!(job["expires"].as_u64() > job["finished"].as_u64());
    let mut direct = post(&http, "/v1/rollout", &body).json();
    direct.as_object_mut().unwrap().remove("elapsed_ms");
    let result = get(&http, &format!("{link}/result"), "");
    assert_eq!((result.status, result.json()), (200, direct.clone()));
    let seen = events(&get(&http, &format!("{link}/events"), "").body);
    let (name, data, id) = seen.last().unwrap();
    assert_eq!(
        (name.as_str(), data, id.as_deref()),
        ("result", &direct, Some("end"))
    );
    let again = get(&http, &format!("{link}/events"), "Last-Event-ID: end\r\n");
    assert_eq!(again.status, 204);
    let mat = match_file("one1.mat");
    let link = posted(&request(
        &http,
        "POST",
        "/v1/jobs/analyse?plies=0",
        "",
        &mat,
    ));
    assert_eq!(ended(&http, &link)["state"], "done");
    for form in ["json", "html", "csv", "sgf", "mat"] {
        let target = format!("/v1/analyse?plies=0&format={form}");
        let direct = request(&http, "POST", &target, "", &mat);
        let result = get(&http, &format!("{link}/result?format={form}"), "");
        assert_eq!(
            (result.status, result.header("content-type")),
            (200, direct.header("content-type"))
        );
        assert!(result.body == direct.body, "{form}");
        let (kind, _) = direct
            .header("content-type")
            .map_or(("", ""), |kind| kind.split_once(';').unwrap_or((kind, "")));
        let accepted = get(
            &http,
            &format!("{link}/result"),
            &format!("Accept: {kind}\r\n"),
        );
        assert!(accepted.body == direct.body, "{kind}");
    }
    let none = get(&http, &format!("{link}/result"), "Accept: image/png\r\n");
    assert_eq!(none.status, 406);
    assert_eq!(request(&http, "DELETE", &link, "", b"").status, 204);
    assert_eq!(request(&http, "DELETE", &link, "", b"").status, 404);
    assert_eq!(get(&http, &format!("{link}/result"), "").status, 404);
}

pub(crate) const FORM: &str = "Content-Type: multipart/form-data; boundary=xyz\r\n";

/// A body of `multipart/form-data`.
pub(crate) fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head = format!(
            "--xyz\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"../a.mat\"\r\n\r\n"
        );
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(b"--xyz--\r\n");
    body
}

/// HTTP-63: a form with a file and settings, as a job and at once.
#[test]
fn forms_bring_files() {
    let (_server, http) = http_server(&[]);
    let mat = match_file("one1.mat");
    let plain = request(&http, "POST", "/v1/analyse?plies=0", "", &mat).body;
    let kind = FORM;
    let good = form(&[("plies", b"0"), ("file", &mat)]);
    assert!(request(&http, "POST", "/v1/analyse", kind, &good).body == plain);
    let link = posted(&request(&http, "POST", "/v1/jobs/analyse", kind, &good));
    ended(&http, &link);
    assert!(get(&http, &format!("{link}/result"), "").body == plain);
    let long = vec![b'1'; 5000];
    for (body, code) in [
        (form(&[("plies", b"0")]), "bad-request"),
        (form(&[("file", &mat[..]); 101]), "bad-request"),
        (
            form(&[("plies", b"0"), ("plies", b"0"), ("file", &mat)]),
            "bad-setting",
        ),
        (form(&[("ply", b"0"), ("file", &mat)]), "bad-setting"),
        (
            form(&[("plies", b"0\nquit"), ("file", &mat)]),
            "bad-setting",
        ),
        (form(&[("plies", &long), ("file", &mat)]), "bad-request"),
        (good[..good.len() - 20].to_vec(), "bad-request"),
        (Vec::new(), "bad-request"),
    ] {
        for target in ["/v1/analyse", "/v1/jobs/analyse"] {
            let answer = request(&http, "POST", target, kind, &body);
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (400, &json!(code)),
                "{answer:?}"
            );
        }
    }
}

/// HTTP-63: two files are for a job alone.
#[test]
fn direct_path_has_one_file() {
    let (_server, http) = http_server(&[]);
    let file = match_file("one1.mat");
    let two = form(&[("file", &file[..]); 2]);
    let answer = request(&http, "POST", "/v1/analyse", FORM, &two);
    let problem = answer.json();
    assert_eq!(
        (answer.status, &problem["code"]),
        (400, &json!("bad-request"))
    );
    assert!(
        problem["detail"].as_str().unwrap().contains("a job"),
        "{problem}"
    );
}

/// HTTP-50, HTTP-52: what is wrong is said before there is a job, or is the state of the job.
#[test]
fn wrong_jobs_are_problems() {
    let (_server, http) = http_server(&[]);
    let unknown = "/v1/jobs/abcdefghijklmnopqrstuvwxyz";
    let asked = |method: &str, target: &str, body: &str| {
        let kind = "Content-Type: application/json\r\n";
        request(&http, method, target, kind, body.as_bytes())
    };
    let list = rollout(36);
    for (answer, status, code) in [
        (
            asked("POST", "/v1/jobs/rollout", "{}"),
            400,
            "missing-position",
        ),
        (
            asked("POST", "/v1/jobs/rollout", &format!("[{list}]")),
            400,
            "bad-request",
        ),
        (asked("POST", "/v1/jobs/rollout", "{"), 400, "bad-json"),
        (
            asked("POST", "/v1/jobs/analyse", "{}"),
            415,
            "unsupported-media",
        ),
        (asked("POST", "/v1/jobs/eval", "{}"), 404, "not-found"),
        (
            asked("GET", "/v1/jobs/rollout", ""),
            405,
            "method-not-allowed",
        ),
        (asked("GET", "/v1/jobs", ""), 403, "forbidden"),
        (asked("GET", unknown, ""), 404, "not-found"),
        (asked("DELETE", unknown, ""), 404, "not-found"),
        (
            asked("GET", &format!("{unknown}/events"), ""),
            404,
            "not-found",
        ),
        (
            asked("GET", &format!("{unknown}/result"), ""),
            404,
            "not-found",
        ),
        (asked("GET", "/v1/jobs/..%2fetc", ""), 404, "not-found"),
        (asked("GET", "/v1/jobs/%ff", ""), 404, "not-found"),
        (
            request(&http, "POST", "/v1/jobs/analyse?ply=1", "", b"x"),
            400,
            "bad-setting",
        ),
    ] {
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (status, &json!(code)),
            "{answer:?}"
        );
    }
}

/// HTTP-52: the state of a job that failed has the problem; a result that is not there yet is a conflict.
#[test]
fn failed_and_early_jobs_say_so() {
    let (_server, http) = http_server(&[]);
    let link = posted(&request(&http, "POST", "/v1/jobs/analyse", "", b"nonsense"));
    let job = ended(&http, &link);
    assert_eq!(
        (&job["state"], &job["problem"]["code"]),
        (&json!("failed"), &json!("bad-match-file"))
    );
    assert_eq!(get(&http, &format!("{link}/result"), "").status, 422);
    let seen = events(&get(&http, &format!("{link}/events"), "").body);
    assert_eq!(seen.last().unwrap().0, "problem");
    let link = posted(&post(&http, "/v1/jobs/rollout", &rollout(16_777_216)));
    let early = get(&http, &format!("{link}/result"), "");
    assert_eq!(
        (early.status, early.header("retry-after")),
        (409, Some("1"))
    );
    let wrong = get(&http, &format!("{link}/result?format=pdf"), "");
    assert_eq!(wrong.status, 400);
    for wait in ["wait=61", "wait=x", "wait=1&wait=1", "way=1"] {
        assert_eq!(
            get(&http, &format!("{link}?{wait}"), "").status,
            400,
            "{wait}"
        );
    }
}

fn with_folder(folder: &Path, shell: &str) -> (Process, String) {
    let folder = folder.to_str().unwrap();
    let options = ["--http", "127.0.0.1:0", "--http-jobs", folder];
    let process = Process::start(shell, &options);
    let http = process.addresses[0].clone();
    (process, http)
}

/// HTTP-53: jobs that a kill stopped go on, and end with the bytes of jobs that nothing stopped.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn jobs_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mat = match_file("three3.mat");
    let jobs = |http: &str| {
        [
            posted(&post(http, "/v1/jobs/rollout", &rollout(36))),
            posted(&request(http, "POST", "/v1/jobs/analyse?plies=1", "", &mat)),
        ]
    };
    let results = |http: &str, links: &[String]| {
        let result = |link: &String| {
            assert_eq!(ended(http, link)["state"], "done");
            let form = if get(http, &format!("{link}/result?format=sgf"), "").status == 200 {
                "sgf"
            } else {
                "json"
            };
            [
                get(http, &format!("{link}/result"), "").body,
                get(http, &format!("{link}/result?format={form}"), "").body,
            ]
        };
        links.iter().map(result).collect::<Vec<_>>()
    };
    let (server, http) = http_server(&[]);
    let whole = results(&http, &jobs(&http));
    drop(server);
    let (server, http) = with_folder(folder.path(), "exec \"$@\"");
    let links = jobs(&http);
    // One of them runs: the kill comes between its first progress and its end, or at any other moment.
    wait_until("it runs, or is over", || {
        let job = get(&http, &links[1], "").json();
        !job["progress"].is_null() || job["finished"].is_u64()
    });
    server.signal("KILL");
    drop(server);
    let (server, http) = with_folder(folder.path(), "exec \"$@\"");
    assert!(results(&http, &links) == whole);
    // The results are there after an orderly end as well.
    server.signal("TERM");
    drop(server);
    let (server, http) = with_folder(folder.path(), "exec \"$@\"");
    assert!(results(&http, &links) == whole);
    for link in &links {
        assert_eq!(request(&http, "DELETE", link, "", b"").status, 204);
    }
    wait_until("the files are removed", || {
        std::fs::read_dir(folder.path()).unwrap().count() <= 1
    });
    drop(server);
}

/// HTTP-53: where a file cannot be written there is no job, and the server answers on.
#[test]
fn a_full_disk_refuses_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let limit = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let (_server, http) = with_folder(folder.path(), limit);
    let answer = request(
        &http,
        "POST",
        "/v1/jobs/analyse",
        "",
        &match_file("one1.mat"),
    );
    assert_eq!(
        (answer.status, &answer.json()["code"]),
        (503, &json!("busy")),
        "{answer:?}"
    );
    assert_eq!(
        get(&http, &format!("/v1/eval?position={START}"), "").status,
        200
    );
}

/// HTTP-55: each client has its share of jobs, and those that are left behind keep nobody waiting.
#[test]
fn jobs_abandoned_by_hundreds() {
    let (_server, http) = http_server(&[]);
    let body = rollout(16_777_216);
    let mut links = Vec::new();
    for number in 0..300 {
        let answer = post(&http, "/v1/jobs/rollout", &body);
        if number < 100 {
            links.push(posted(&answer));
        } else {
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (503, &json!("busy"))
            );
        }
    }
    let short = format!("/v1/rollout?position={START}&trials=36&truncate=1");
    assert_eq!(get(&http, &short, "").status, 200);
    // Readers of events that do not read have places of their own.
    let mut silent = Vec::new();
    for number in 0..20 {
        let target = format!("{}/events", links[number % links.len()]);
        let mut stream = TcpStream::connect(&http).unwrap();
        let text = format!("GET {target} HTTP/1.1\r\nHost: {http}\r\n\r\n");
        stream.write_all(text.as_bytes()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        let want = if number < 16 {
            b"HTTP/1.1 200"
        } else {
            b"HTTP/1.1 503"
        };
        assert_eq!(&head, want, "{number}");
        silent.push(stream);
    }
    for link in &links {
        assert_eq!(request(&http, "DELETE", link, "", b"").status, 204);
    }
    let last = events_of(silent.remove(0));
    assert!(last.contains("the job was removed"), "{last}");
    let link = posted(&post(&http, "/v1/jobs/rollout", &rollout(36)));
    assert_eq!(ended(&http, &link)["state"], "done");
}

/// The rest of a stream until the server ends it.
fn events_of(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    loop {
        let count = stream.read(&mut buffer).unwrap();
        text.extend_from_slice(&buffer[..count]);
        if count == 0 || text.ends_with(b"0\r\n\r\n") {
            return String::from_utf8(text).unwrap();
        }
    }
}

/// HTTP-55: a client sees its own jobs alone, and finished ones make room for new ones.
#[test]
fn jobs_belong_to_their_clients() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    std::fs::write(&path, "ann 0123456789abcdef\nbob fedcba9876543210\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let options = [
        "--http-tokens",
        path.to_str().unwrap(),
        "--http-jobs-max",
        "2",
    ];
    let (_server, http) = http_server(&options);
    let ann = "Authorization: Bearer 0123456789abcdef\r\n";
    let bob = "Authorization: Bearer fedcba9876543210\r\n";
    let kind = "Content-Type: application/json\r\n";
    let job = |who: &str| {
        let body = rollout(36);
        let answer = request(
            &http,
            "POST",
            "/v1/jobs/rollout",
            &format!("{who}{kind}"),
            body.as_bytes(),
        );
        let link = posted(&answer);
        let target = format!("{link}?wait=60");
        while get(&http, &target, who).json()["finished"].is_null() {}
        link
    };
    let list = |who: &str| {
        let jobs = get(&http, "/v1/jobs", who).json();
        let ids = jobs.as_array().unwrap().iter();
        ids.map(|job| job["links"]["self"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let first = job(ann);
    for target in [
        first.clone(),
        format!("{first}/result"),
        format!("{first}/events"),
    ] {
        assert_eq!(get(&http, &target, bob).status, 404);
        assert_eq!(get(&http, &target, "").status, 401);
    }
    assert_eq!(request(&http, "DELETE", &first, bob, b"").status, 404);
    assert_eq!((list(ann), list(bob)), (vec![first.clone()], vec![]));
    let second = job(ann);
    let third = job(bob);
    // The oldest finished one made room.
    assert_eq!(list(bob), [third]);
    assert_eq!(list(ann).len(), 1);
    let _ = second;
}
