//! The pages for people: rules HTTP-110 to HTTP-119, HTTP-125 of `protocol-specs/http.md`, over real sockets.

use crate::http::{Answer, get, raw, server};
use crate::support::wait_until;
use std::collections::{BTreeMap, BTreeSet};

const START: &str = "4HPwATDgc%2FABMA";

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

/// HTTP-110, HTTP-111, HTTP-113: a query is the script's to read, so that nothing of it stands in the page, which may load only
/// its own files.
#[test]
fn query_is_not_in_the_page() {
    let (_server, _, http) = server();
    let plain = text(&get(&http, "/", ""));
    let hostile = "%3Cscript%3Ealert(1)%3C/script%3E%22%27%E2%80%AEx%7B%7Bmain%7D%7D";
    for query in [
        format!("position={START}&roll=31&length=7&score=3-5"),
        format!("position={hostile}"),
        format!("{hostile}={hostile}"),
    ] {
        let answer = get(&http, &format!("/?{query}"), "");
        assert_eq!(answer.status, 200, "{query}");
        assert_eq!(text(&answer), plain, "{query}");
        let policy = answer.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.split("; ").any(|part| part == rule), "{policy}");
        }
    }
}

/// HTTP-111, HTTP-112, HTTP-114, HTTP-116, HTTP-117, HTTP-118, HTTP-119: the pages and their files name no other host, are small, load each other, and have the methods of
/// a page.
#[test]
fn pages_are_made_of_their_own_files() {
    let (_server, _, http) = server();
    let mut all = BTreeMap::new();
    for page in ["/", "/play", "/matches", "/quiz", "/status"] {
        let files = loaded(&http, page);
        // Only visitors with another language load the translations.
        let visit = files
            .iter()
            .filter(|(file, _)| !file.ends_with("/translations.js"));
        let bytes: usize = visit.map(|(_, bytes)| bytes).sum();
        assert!(bytes < 250 << 10, "{page}: {bytes}");
        all.extend(files);
    }
    let bytes: usize = all.values().sum();
    assert!(all.len() >= 40 && bytes < 330 << 10, "{all:?} {bytes}");
    let packed = all.keys().map(|file| {
        let answer = get(&http, file, "Accept-Encoding: br, gzip\r\n");
        assert_eq!(answer.header("content-encoding"), Some("gzip"), "{file}");
        assert_eq!(answer.header("vary"), Some("accept-encoding"), "{file}");
        assert!(answer.body.starts_with(&[0x1f, 0x8b]), "{file}");
        answer.body.len()
    });
    let packed: usize = packed.sum();
    assert!(packed < 116 << 10, "{packed}");
}

/// Returns the bytes of a page and of each file that it, or a file of it, names. They name no other host, and have the methods
/// of a page.
fn loaded(http: &str, page: &str) -> BTreeMap<String, usize> {
    let mut wanted = vec![page.to_owned()];
    let mut seen = BTreeMap::new();
    while let Some(target) = wanted.pop() {
        if seen.contains_key(&target) {
            continue;
        }
        let answer = get(http, &target, "Accept: */*\r\n");
        assert_eq!(answer.status, 200, "{target}");
        let kind = match target.rsplit_once('.') {
            Some((_, "js")) => "text/javascript",
            Some((_, "css")) => "text/css",
            Some((_, "json")) => "application/json",
            Some((_, "mat")) => "text/plain",
            _ => "text/html",
        };
        let kind = format!("{kind}; charset=utf-8");
        assert_eq!(answer.header("content-type"), Some(kind.as_str()));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; "), "{target}");
        let page = text(&answer);
        // The name of a language is no address.
        let addresses = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!addresses.contains("://"), "{target}");
        let ask = |method: &str| {
            let head = format!("{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close");
            raw(http, format!("{head}\r\n\r\n").as_bytes())
        };
        let head = ask("HEAD");
        assert_eq!((head.status, head.body.len()), (200, 0), "{target}");
        assert_eq!(ask("POST").status, 405);
        // Files that a page names, files that a script asks for, and modules that a module imports.
        for before in ["src=\"", "stylesheet\" href=\"", " = \""] {
            let named = page.split(before).skip(1);
            let named = named.filter_map(|part| part.split('"').next());
            wanted.extend(
                named
                    .filter(|file| file.starts_with("/page/"))
                    .map(str::to_owned),
            );
        }
        for before in [" from \"./", "import \"./", "import(\"./", "beside(\""] {
            let imported = page.split(before).skip(1);
            let imported = imported.filter_map(|part| part.split('"').next());
            wanted.extend(imported.map(|file| format!("/page/{file}")));
        }
        seen.insert(target, page.len());
    }
    seen
}

/// HTTP-115: a server that wants tokens shows its pages with one; their files are open.
#[cfg(unix)]
#[test]
fn page_without_a_token_is_refused() {
    use crate::http::http_server;
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, "ann 0123456789abcdef\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let (_server, http) = http_server(&["--http-tokens", file.to_str().unwrap()]);
    for target in [
        "/",
        "/play",
        "/matches",
        "/quiz",
        "/status",
        "/page/style.css",
        "/page/analyse.js",
    ] {
        let without = if target.starts_with("/page/") {
            200
        } else {
            401
        };
        assert_eq!(get(&http, target, "").status, without, "{target}");
        let token = "Authorization: Bearer 0123456789abcdef\r\n";
        assert_eq!(get(&http, target, token).status, 200, "{target}");
    }
}

/// HTTP-97: `gammond open` serves the pages on this machine and opens the one that is asked for; without an opener it says where it is.
#[cfg(unix)]
#[test]
fn open_starts_the_browser_with_the_page() {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::{Command, Stdio};
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    for (page, path) in [(None, "/"), (Some("play"), "/play")] {
        for is_there in [true, false] {
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("opened");
            if is_there {
                let script = format!(
                    "#!/bin/sh\necho \"$1\" > '{0}.part' && mv '{0}.part' '{0}'\n",
                    pipe.display()
                );
                let file = folder.path().join(opener);
                std::fs::write(&file, script).unwrap();
                std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
            let path_of_tools = format!("{}:/bin:/usr/bin", folder.path().display());
            let tools = if is_there {
                path_of_tools
            } else {
                folder.path().display().to_string()
            };
            let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
                .args(["open", "--port", "0"])
                .args(page)
                .env("PATH", tools)
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            let http = line.trim().strip_prefix("http on ").unwrap().to_owned();
            let url = format!("http://{http}{path}");
            if is_there {
                wait_until("a browser is started", || {
                    assert!(child.try_wait().unwrap().is_none(), "the server ended");
                    pipe.exists()
                });
                assert_eq!(std::fs::read_to_string(&pipe).unwrap().trim(), url);
            }
            assert_eq!(get(&http, path, "").status, 200);
            let mut errors = BufReader::new(child.stderr.take().unwrap());
            let mut said = String::new();
            errors.read_line(&mut said).unwrap();
            assert!(said.contains(&url), "{said}");
            if !is_there {
                said.clear();
                errors.read_line(&mut said).unwrap();
                assert!(said.contains("by hand"), "{said}");
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let mut rest = String::new();
            errors.read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "");
        }
    }
}

/// HTTP-110: a link holds the settings of `/v1/move`; the page keeps from each other verb those that this has not, so that a
/// setting that is new needs a place there.
#[test]
fn links_leave_out_the_settings_that_a_verb_has_not() {
    let description = include_str!("../../protocol-specs/openapi.json");
    let description: serde_json::Value = serde_json::from_str(description).unwrap();
    let settings = |verb: &str| -> BTreeSet<String> {
        let parameters = &description["paths"][format!("/v1/{verb}")]["get"]["parameters"];
        let name = |one: &serde_json::Value| {
            let place = one["$ref"].as_str().map(|place| &place[1..]);
            let one = place.map_or(one, |place| description.pointer(place).unwrap());
            one["name"].as_str().unwrap().to_owned()
        };
        parameters.as_array().unwrap().iter().map(name).collect()
    };
    let script = include_str!("../../src/server/http/paths/page/question.js");
    let listed = |before: &str| -> BTreeSet<String> {
        let (_, rest) = script.split_once(&format!("{before} /^(")).unwrap();
        let (names, _) = rest.split_once(")$/").unwrap();
        names.split('|').map(str::to_owned).collect()
    };
    let of_move = settings("move");
    for verb in [
        "show", "convert", "cube", "eval", "scores", "rolls", "explain", "cubes", "rollout",
    ] {
        let left_out = match verb {
            // Asked together, with the same settings.
            "show" | "convert" => listed("show:"),
            "cube" | "rollout" => listed(&format!("{verb}:")),
            _ => listed("??"),
        };
        assert!(left_out.is_subset(&of_move), "{verb}: {left_out:?}");
        // No settings, and what the page sets itself.
        let others = ["plays", "roll", "plies"].map(str::to_owned);
        let of_verb = settings(verb);
        let kept = of_move.iter().filter(|name| !left_out.contains(*name));
        let refused: Vec<_> = kept
            .filter(|name| !of_verb.contains(*name) && !others.contains(*name))
            .collect();
        assert!(refused.is_empty(), "{verb}: {refused:?}");
    }
}
