//! The archive of `gammond serve --http --db`: rules HTTP-120 to HTTP-124 of `protocol-specs/http.md`.

use crate::http::{get, http_server};
use crate::http_jobs::{match_file, request};
use crate::server_process::Process;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

/// An archive of these files of `tests/data/analysis`, in a folder of its own.
fn archive(files: &[&str]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis");
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["analyse", "--db", "a.sqlite", "--plies", "0"])
        .args(files.iter().map(|file| data.join(file)))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let path = folder.path().join("a.sqlite").display().to_string();
    (folder, path)
}

fn ids(list: &Value) -> Vec<i64> {
    let matches = list["matches"].as_array().unwrap();
    matches
        .iter()
        .map(|one| one["id"].as_i64().unwrap())
        .collect()
}

/// HTTP-120, HTTP-121: the list has the matches, its filters and its pages.
#[test]
fn list_shows_the_matches() {
    let (_folder, path) = archive(&["one1.mat", "three3.mat", "seven7.mat", "money3.mat"]);
    let (_server, http) = http_server(&["--db", &path]);
    let list = |query: &str| {
        let answer = get(&http, &format!("/v1/archive/matches{query}"), "");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    };
    let all = list("");
    assert_eq!((ids(&all), &all["next"]), (vec![4, 3, 2, 1], &Value::Null));
    let three = &all["matches"][2];
    assert_eq!(three["date"], "2026-11-21");
    assert_eq!(
        (&three["length"], &three["judged"]),
        (&json!(3), &json!("0-ply"))
    );
    assert_eq!(three["file"], "three3.mat");
    let first = list("?limit=3&player=");
    assert_eq!(ids(&first), [4, 3, 2]);
    let next = first["next"].as_str().unwrap();
    let rest = get(&http, next, "").json();
    assert_eq!((ids(&rest), &rest["next"]), (vec![1], &Value::Null));
    let name = three["players"][1].as_str().unwrap().to_uppercase();
    for (query, want) in [
        ("?length=0".to_owned(), vec![4]),
        ("?length=7&limit=1".to_owned(), vec![3]),
        (
            "?from=2026-11-21&to=2026-11-21".to_owned(),
            vec![4, 3, 2, 1],
        ),
        ("?from=2026-11-22".to_owned(), vec![]),
        ("?to=2026-11-20".to_owned(), vec![]),
        (format!("?player={name}&length=3"), vec![2]),
        ("?player=%25".to_owned(), vec![]),
        ("?text=THREE3.M".to_owned(), vec![2]),
        (format!("?text={name}&length=3"), vec![2]),
        // The file's folders are not searched.
        ("?text=/".to_owned(), vec![]),
        ("?before=3&length=1".to_owned(), vec![1]),
    ] {
        assert_eq!(ids(&list(&query)), want, "{query}");
    }
    for (query, parameter) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("from=yesterday", "from"),
        ("to=2026-1-1", "to"),
        ("length=-1", "length"),
        ("before=a", "before"),
        ("before=0", "before"),
        ("player=a&player=b", "player"),
        ("file=/etc/passwd", "file"),
    ] {
        let answer = get(&http, &format!("/v1/archive/matches?{query}"), "");
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.json()["parameter"], parameter, "{query}");
    }
}

/// All members of archived decisions are those of the report.
fn same_decisions(found: &Value, report: &Value) {
    let rows = |value: &Value| value["decisions"].as_array().unwrap().clone();
    assert_eq!(rows(found).len(), rows(report).len());
    for (one, other) in rows(found).iter().zip(rows(report)) {
        for (name, value) in one.as_object().unwrap() {
            assert_eq!(*value, other[name], "{name} of {one}");
        }
        assert_eq!(one.get("found_by"), other.get("found_by"), "{one}");
    }
    let is_found = |one: &&Value| one["found_by"].as_array().is_some_and(|all| all.len() == 3);
    assert!(rows(found).iter().filter(is_found).count() > 0);
}

/// HTTP-122: a match has the figures of its report.
#[test]
fn match_is_its_report() {
    let (folder, path) = archive(&["three3.mat"]);
    let (_server, http) = http_server(&["--db", &path]);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis/three3.mat");
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["analyse", "--plies", "0", "--format", "json"])
        .arg(data)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let answer = get(&http, "/v1/archive/matches/1", "");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let found = answer.json();
    for name in ["type", "players", "length", "level", "score", "marks"] {
        assert_eq!(found[name], report[name], "{name}");
    }
    same_decisions(&found, &report);
    let close = |one: &Value, other: &Value| {
        let pair = one.as_f64().zip(other.as_f64());
        one == other
            || pair.is_some_and(|(one, other)| (one - other).abs() < 2e-4 + 1e-5 * other.abs())
    };
    for player in [0, 1] {
        let (own, want) = (&found["totals"][player], &report["totals"][player]);
        for pointer in [
            "/name",
            "/unforced",
            "/close",
            "/decisions",
            "/loss/emg",
            "/loss/mwc",
            "/plays/loss/emg",
            "/cube/loss/emg",
            "/luck/emg",
            "/error_rate/gnubg",
            "/error_rate/pr",
            "/error_rate/snowie",
            "/rating",
            "/result",
            "/luck_adjusted_result",
            "/fibs_rating",
        ] {
            let (own, want) = (
                own.pointer(pointer).unwrap(),
                want.pointer(pointer).unwrap(),
            );
            assert!(close(own, want), "{pointer}: {own}, want {want}");
        }
    }
    let games = report["games"].as_array().unwrap();
    assert_eq!(found["games"].as_array().unwrap().len(), games.len());
    for (one, other) in found["games"].as_array().unwrap().iter().zip(games) {
        for name in ["game", "score", "crawford", "result"] {
            assert_eq!(one[name], other[name], "{name}");
        }
        for player in [0, 1] {
            for pointer in ["/loss/emg", "/luck/emg", "/error_rate/gnubg"] {
                let (own, want) = (
                    one["totals"][player].pointer(pointer).unwrap(),
                    other["totals"][player].pointer(pointer).unwrap(),
                );
                assert!(close(own, want), "{pointer}: {own}, want {want}");
            }
        }
    }
}

/// HTTP-121: names are found in any case, letters beyond ASCII too.
#[test]
fn names_are_found_in_any_case() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(match_file("one1.mat")).unwrap();
    let named = text.replace("Alice", "Jürgen MÜLLER");
    assert_ne!(named, text);
    std::fs::write(folder.path().join("a.mat"), named).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["analyse", "--db", "a.sqlite", "--plies", "0", "a.mat"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let path = folder.path().join("a.sqlite").display().to_string();
    let (_server, http) = http_server(&["--db", &path]);
    for (player, count) in [("m%C3%BCller", 1), ("J%C3%9CRGEN", 1), ("muller", 0)] {
        let list = get(&http, &format!("/v1/archive/matches?player={player}"), "").json();
        assert_eq!(ids(&list).len(), count, "{player}");
    }
}

/// HTTP-121, HTTP-122: the variant is in the list and in the match, where it is not backgammon.
#[test]
fn variant_is_filed() {
    let (_folder, path) = archive(&["one1.mat", "../dialects/15-nackgammon.txt"]);
    let (_server, http) = http_server(&["--db", &path]);
    let list = get(&http, "/v1/archive/matches", "").json();
    let variants: Vec<&Value> = list["matches"].as_array().unwrap().iter().collect();
    assert_eq!(variants[0]["variant"], "nackgammon");
    assert!(variants[1].get("variant").is_none(), "{list}");
    let one = |id: usize| get(&http, &format!("/v1/archive/matches/{id}"), "").json();
    assert_eq!(one(2)["variant"], "nackgammon");
    assert!(one(1).get("variant").is_none());
    let wrong = get(&http, "/v1/archive/matches/1?plies=2", "");
    assert_eq!(
        (wrong.status, &wrong.json()["parameter"]),
        (400, &json!("plies"))
    );
}

/// HTTP-120, HTTP-122: what there is not is 404, and nothing is written.
#[test]
fn missing_matches_and_archives_are_not_found() {
    let (_folder, path) = archive(&["one1.mat"]);
    let (_server, http) = http_server(&["--db", &path]);
    for id in [
        "0",
        "2",
        "-1",
        "x",
        "1.0",
        "99999999999999999999",
        "%ff",
        "..%2fa",
    ] {
        let answer = get(&http, &format!("/v1/archive/matches/{id}"), "");
        assert_eq!(answer.status, 404, "{id}");
    }
    let text = format!(
        "DELETE /v1/archive/matches/1 HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n"
    );
    let answer = crate::http::raw(&http, text.as_bytes());
    assert_eq!(
        (answer.status, answer.header("allow")),
        (405, Some("GET, HEAD"))
    );
    assert_eq!(get(&http, "/v1/archive/matches/1", "").status, 200);
    let (_server, http) = http_server(&[]);
    let answer = get(&http, "/v1/archive/matches", "");
    assert_eq!(answer.status, 404);
    assert!(
        answer.json()["detail"]
            .as_str()
            .unwrap()
            .contains("--db FILE")
    );
}

/// A server with these tokens and this archive.
#[cfg(unix)]
fn server_with_tokens(folder: &Path, tokens: &str, path: &str) -> (Process, String) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = folder.join("tokens");
    std::fs::write(&file, tokens).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    http_server(&["--http-tokens", file.to_str().unwrap(), "--db", path])
}

/// HTTP-124: with tokens a client sees its own matches, those that are shared and those of commands; without tokens all see all.
#[cfg(unix)]
#[test]
#[expect(clippy::too_many_lines, reason = "one archive, step by step")]
fn matches_are_seen_by_their_owner() {
    let (folder, path) = archive(&["one1.mat"]);
    let token = |letter: &str| format!("Authorization: Bearer {}\r\n", letter.repeat(16));
    let [ann, bob, cid] = ["a", "b", "c"].map(token);
    let tokens = "ann aaaaaaaaaaaaaaaa\nbob bbbbbbbbbbbbbbbb\ncid cccccccccccccccc shared\n";
    let filed = |http: &str, headers: &str, name: &str| {
        let target = "/v1/jobs/analyse?plies=0&archive=true";
        let job = request(http, "POST", target, headers, &match_file(name));
        let link = format!("{}?wait=60", job.header("location").unwrap());
        loop {
            let job = get(http, &link, headers).json();
            if job["finished"].is_u64() {
                assert_eq!(job["archived"], 1, "{job}");
                return;
            }
        }
    };
    let listed = |http: &str, headers: &str| ids(&get(http, "/v1/archive/matches", headers).json());
    let found = |http: &str, headers: &str| -> Vec<i64> {
        let status = |id: &i64| get(http, &format!("/v1/archive/matches/{id}"), headers).status;
        (1..=5).filter(|id| status(id) == 200).rev().collect()
    };
    let seen = |http: &str, headers: &str| {
        let (list, one) = (listed(http, headers), found(http, headers));
        assert_eq!(list, one);
        list
    };
    let (server, http) = server_with_tokens(folder.path(), tokens, &path);
    filed(&http, &ann, "three3.mat");
    filed(&http, &cid, "money3.mat");
    assert_eq!(seen(&http, &ann), [3, 2, 1]);
    assert_eq!(seen(&http, &bob), [3, 1]);
    assert_eq!(seen(&http, &cid), [3, 1]);
    // The same match is filed once and has both owners then; that of a command stays everybody's.
    filed(&http, &bob, "three3.mat");
    filed(&http, &bob, "one1.mat");
    for one in [&ann, &bob] {
        assert_eq!(seen(&http, one), [3, 2, 1]);
    }
    assert_eq!(seen(&http, &cid), [3, 1]);
    drop(server);
    // Owners are kept by name, across tokens and restarts; a name that is not shared any more shows no other its matches.
    let tokens = "ann dddddddddddddddd\ncid cccccccccccccccc\neve eeeeeeeeeeeeeeee\n";
    let (server, http) = server_with_tokens(folder.path(), tokens, &path);
    assert_eq!(seen(&http, &token("d")), [2, 1]);
    assert_eq!(seen(&http, &cid), [3, 1]);
    assert_eq!(seen(&http, &token("e")), [1]);
    let filtered = get(&http, "/v1/archive/matches?length=3&limit=1", &token("e")).json();
    assert_eq!((ids(&filtered), &filtered["next"]), (vec![], &Value::Null));
    drop(server);
    let (server, http) = http_server(&["--db", &path]);
    assert_eq!(seen(&http, ""), [3, 2, 1]);
    drop(server);
    // Commands read all, and find the owners undamaged.
    let players = || {
        Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["players", "--db", &path])
            .output()
            .unwrap()
    };
    assert!(players().status.success(), "{:?}", players());
    let sql = |sql: &str| {
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(sql).unwrap();
    };
    // Another owner than the one that was filed is damage.
    sql("UPDATE owners SET owner = 'token eve' WHERE owner = 'token ann'");
    assert_eq!(players().status.code(), Some(3));
    sql("UPDATE owners SET owner = 'token ann' WHERE owner = 'token eve'");
    assert!(players().status.success(), "{:?}", players());
    // What jobs of a version without owners have filed is seen by no token.
    sql(
        "DROP TABLE owners; DROP TABLE found_by; DROP TABLE digests; DROP TABLE dates; DROP TABLE filings; \
         DROP TABLE variants; PRAGMA user_version = 1",
    );
    let (server, http) = server_with_tokens(folder.path(), tokens, &path);
    assert_eq!(seen(&http, &token("d")), [1]);
    drop(server);
    let (_server, http) = http_server(&["--db", &path]);
    assert_eq!(seen(&http, ""), [3, 2, 1]);
}
