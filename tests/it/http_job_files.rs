//! Jobs of `gammond serve --http` with several files, repeated requests, OGXM and the archive: rules HTTP-57 to HTTP-59
//! and HTTP-123 of `protocol-specs/http.md`.

use crate::http::{Answer, get, http_server};
use crate::http_jobs::{FORM, ended, form, match_file, posted, request};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

fn gammond(at: &Path, words: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    let output = command.args(words).current_dir(at).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn data(name: &str) -> String {
    format!("{}/tests/data/analysis/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// HTTP-58: each file has what the direct path answers, or its problem.
#[test]
fn several_files_are_one_job() {
    let (_server, http) = http_server(&[]);
    let files = [
        match_file("one1.mat"),
        b"no match".to_vec(),
        match_file("three3.mat"),
    ];
    let mut parts: Vec<(&str, &[u8])> = files.iter().map(|file| ("file", &file[..])).collect();
    parts.push(("plies", b"0"));
    let link = posted(&request(
        &http,
        "POST",
        "/v1/jobs/analyse",
        FORM,
        &form(&parts),
    ));
    let job = ended(&http, &link);
    assert_eq!(job["state"], "done", "{job}");
    // Short files may send none.
    if let Some(progress) = job["progress"].as_object() {
        assert_eq!(progress["files"], 3);
        assert!(
            (1..=3).contains(&progress["file"].as_u64().unwrap()),
            "{job}"
        );
    }
    let result = get(&http, &format!("{link}/result"), "").json();
    assert_eq!(result["type"], "analyses");
    let found = result["files"].as_array().unwrap();
    assert_eq!(found.len(), 3);
    for (found, file) in found.iter().zip(&files) {
        let direct = request(&http, "POST", "/v1/analyse?plies=0", "", file);
        assert_eq!(*found, direct.json());
    }
    assert_eq!(found[1]["code"], "bad-match-file");
    // Other reports are of one file.
    assert_eq!(
        get(&http, &format!("{link}/result?format=html"), "").status,
        400
    );
}

/// HTTP-53, HTTP-58: a job with several files goes on after a kill.
#[test]
fn several_files_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--http-jobs", folder.path().to_str().unwrap()];
    let (server, http) = http_server(&options);
    let files = [match_file("three3.mat"), match_file("one1.mat")];
    let parts: Vec<(&str, &[u8])> = files.iter().map(|file| ("file", &file[..])).collect();
    let target = "/v1/jobs/analyse?plies=0";
    let link = posted(&request(&http, "POST", target, FORM, &form(&parts)));
    drop(server);
    let (_server, http) = http_server(&options);
    assert_eq!(ended(&http, &link)["state"], "done");
    let result = get(&http, &format!("{link}/result"), "").json();
    for (number, file) in files.iter().enumerate() {
        let direct = request(&http, "POST", "/v1/analyse?plies=0", "", file);
        assert_eq!(result["files"][number], direct.json());
    }
    assert_eq!(result["files"].as_array().unwrap().len(), 2);
}

const ROLLOUT: &[u8] =
    br#"{"position":"4HPwATDgc/ABMA","settings":{"trials":36,"truncate":1,"plies":0}}"#;
const OTHER: &[u8] =
    br#"{"position":"4HPwATDgc/ABMA","settings":{"trials":72,"truncate":1,"plies":0}}"#;

fn with_key(http: &str, target: &str, key: &str, body: &[u8]) -> Answer {
    let kind = match target.ends_with("rollout") {
        true => "Content-Type: application/json\r\n",
        false => "",
    };
    let headers = format!("{kind}Idempotency-Key: {key}\r\n");
    request(http, "POST", target, &headers, body)
}

/// HTTP-57: the same request with the same key is the same job, also after a restart; another request is refused.
#[test]
fn repeated_request_is_the_same_job() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--http-jobs", folder.path().to_str().unwrap()];
    let (server, http) = http_server(&options);
    let link = posted(&with_key(&http, "/v1/jobs/rollout", "k-1", ROLLOUT));
    assert_eq!(
        posted(&with_key(&http, "/v1/jobs/rollout", "k-1", ROLLOUT)),
        link
    );
    assert_ne!(
        posted(&with_key(&http, "/v1/jobs/rollout", "k-2", ROLLOUT)),
        link
    );
    let mat = match_file("one1.mat");
    for (target, body) in [("/v1/jobs/rollout", OTHER), ("/v1/jobs/analyse", &mat)] {
        let answer = with_key(&http, target, "k-1", body);
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (422, &json!("key-reused"))
        );
    }
    for key in ["", "a b", &"k".repeat(256)] {
        assert_eq!(
            with_key(&http, "/v1/jobs/rollout", key, ROLLOUT).status,
            400,
            "{key}"
        );
    }
    ended(&http, &link);
    drop(server);
    let (_server, http) = http_server(&options);
    assert_eq!(
        posted(&with_key(&http, "/v1/jobs/rollout", "k-1", ROLLOUT)),
        link
    );
    // A key is free again when its job is gone.
    assert_eq!(request(&http, "DELETE", &link, "", b"").status, 204);
    assert_ne!(
        posted(&with_key(&http, "/v1/jobs/rollout", "k-1", OTHER)),
        link
    );
}

/// HTTP-57: of requests at the same moment one begins the job.
#[test]
fn requests_at_once_with_one_key_are_one_job() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, http) = http_server(&["--http-jobs", folder.path().to_str().unwrap()]);
    let links: HashSet<String> = std::thread::scope(|scope| {
        let ask = || with_key(&http, "/v1/jobs/rollout", "k", ROLLOUT);
        let asked: Vec<_> = (0..16).map(|_| scope.spawn(ask)).collect();
        let answers = asked.into_iter().map(|one| one.join().unwrap());
        answers
            .filter_map(|answer| match answer.status {
                202 => Some(posted(&answer)),
                status => {
                    assert_eq!(status, 409);
                    assert!(answer.header("retry-after").is_some());
                    None
                }
            })
            .collect()
    });
    assert_eq!(links.len(), 1);
    let stored = std::fs::read_dir(folder.path()).unwrap();
    let stored = stored.filter(|one| {
        one.as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|end| end == "job")
    });
    assert_eq!(stored.count(), 1);
}

/// HTTP-59: OGXM is that of `gammond analyse --ogxm`, or it is said why there is none.
#[test]
fn job_has_its_match_in_ogxm() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, http) = http_server(&[]);
    gammond(
        folder.path(),
        &[
            "analyse",
            "--plies",
            "0",
            "--ogxm",
            "out",
            &data("one1.mat"),
        ],
    );
    let want = std::fs::read(folder.path().join("out/one1.ogxm")).unwrap();
    let result = |name: &str| {
        let file = match_file(name);
        let link = posted(&request(
            &http,
            "POST",
            "/v1/jobs/analyse?plies=0",
            "",
            &file,
        ));
        assert_eq!(ended(&http, &link)["state"], "done");
        get(&http, &format!("{link}/result?format=ogxm"), "")
    };
    let found = result("one1.mat");
    assert_eq!(
        found.header("content-type"),
        Some("application/octet-stream")
    );
    assert!(found.body == want);
    // It has a beaver.
    let none = result("money3.mat");
    assert_eq!(
        (none.status, &none.json()["code"]),
        (422, &json!("bad-match-file"))
    );
}

/// HTTP-123: a job's analysis is that of the program in the archive, and stands there once.
#[test]
fn job_is_filed_in_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite").display().to_string();
    let (_server, http) = http_server(&["--db", &path]);
    let one = match_file("one1.mat");
    let job = |target: &str, kind: &str, body: &[u8]| {
        let link = posted(&request(&http, "POST", target, kind, body));
        ended(&http, &link)
    };
    let target = "/v1/jobs/analyse?plies=0&archive=true";
    for _ in 0..2 {
        assert_eq!(job(target, "", &one)["archived"], 1);
    }
    assert_eq!(
        job("/v1/jobs/analyse?plies=0", "", &one)["archived"],
        Value::Null
    );
    let list = || get(&http, "/v1/archive/matches", "").json()["matches"].clone();
    let listed = list();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(
        (&listed[0]["file"], &listed[0]["judged"]),
        (&json!("http"), &json!("0-ply"))
    );
    let words = [
        "analyse",
        "--plies",
        "0",
        "--db",
        "a.sqlite",
        &data("one1.mat"),
    ];
    let said = gammond(folder.path(), &words);
    assert!(said.contains("1 match is in the archive already"), "{said}");
    // Other settings make another analysis, of which the archive keeps both.
    let other = format!("{target}&noise=0.1&prune=off");
    assert_eq!(job(&other, "", &one)["archived"], 1);
    let listed = list();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["judged"], json!("0-ply prune=off noise=0.1"));
    let both = form(&[("file", &one), ("file", &match_file("three3.mat"))]);
    assert_eq!(job(target, FORM, &both)["archived"], 2);
    assert_eq!(list().as_array().unwrap().len(), 3);
    gammond(folder.path(), &["players", "--db", "a.sqlite"]);
    for query in [
        "archive=true&jacoby=off",
        "archive=true&beavers=off",
        "archive=true&player=1",
        "archive=true&from=1:2",
        "archive=yes",
    ] {
        let target = format!("/v1/jobs/analyse?{query}");
        let answer = request(&http, "POST", &target, "", &one);
        let problem = answer.json();
        assert_eq!(
            (answer.status, &problem["parameter"]),
            (400, &json!("archive")),
            "{query}"
        );
    }
    let long = [&one[..], &vec![b'\n'; 300_000]].concat();
    assert_eq!(request(&http, "POST", target, "", &long).status, 413);
    let (_server, http) = http_server(&[]);
    let answer = request(&http, "POST", target, "", &one);
    assert_eq!(
        (answer.status, &answer.json()["parameter"]),
        (404, &json!("archive"))
    );
}
