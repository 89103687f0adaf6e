//! The pages for people: rules HTTP-110 to HTTP-119, HTTP-125 of `protocol-specs/http.md`, over real sockets.

use crate::http::{Answer, get, raw, server};
use crate::support::wait_until;

const START: &str = "4HPwATDgc%2FABMA";
const XGID: &str = "XGID%3D-b----E-C---eE---c-e----B-:1:1:1:31:3:2:0:7:10";

fn text(answer: &Answer) -> String {
    String::from_utf8(answer.body.clone()).unwrap()
}

/// HTTP-110: the plays of the page are those of `/v1/move`, in the same order, with the same equities.
#[test]
fn page_shows_the_ranking_of_move() {
    let (_server, _, http) = server();
    for query in [
        format!("position={START}&roll=31"),
        format!("position={START}&roll=64&plies=1&length=7&score=3-5"),
        format!("position={XGID}&cubeful=false&top=3"),
    ] {
        // HTTP-125: the language belongs to the script.
        let page = text(&get(&http, &format!("/?{query}&lang=de"), ""));
        let ranked = get(&http, &format!("/v1/move?{query}"), "").json();
        let mut rest = page.as_str();
        let plays = ranked["plays"].as_array().unwrap();
        assert!(!plays.is_empty());
        for play in plays.iter().take(10) {
            let name = format!("<tr data-play=\"{}\">", play["play"].as_str().unwrap());
            let at = rest.find(&name).unwrap_or_else(|| panic!("{name}: {rest}"));
            rest = &rest[at..];
            let equity = format!("{:+.3}", play["equity"].as_f64().unwrap());
            let cell = format!("<td>{}</td>", equity.replace('-', "\u{2212}"));
            let row = rest.split("</tr>").next().unwrap();
            assert!(row.contains(&cell), "{cell}: {row}");
        }
        assert_eq!(page.matches("data-play=").count(), plays.len().min(10));
    }
}

/// HTTP-110: without dice the cube decision of `/v1/cube`; the value where the opponent owns the cube; the start without a query.
#[test]
fn page_without_dice_shows_the_cube_decision() {
    let (_server, _, http) = server();
    let decided = get(&http, &format!("/v1/cube?position={START}"), "").json();
    for target in ["/".to_owned(), format!("/?position={START}&roll=&plies=")] {
        let answer = get(&http, &target, "");
        assert_eq!(answer.status, 200);
        let page = text(&answer);
        let verdict = decided["verdict"].as_str().unwrap();
        assert!(page.contains(&format!("<p class=\"verdict\">{verdict}</p>")));
        assert!(page.contains("value=\"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10\""));
        assert!(
            page.contains("2 on point 24, 5 on point 13, 3 on point 8, 5 on point 6; 167 pips")
        );
    }
    let owned = XGID.replace(":1:1:1:31:", ":1:-1:1:00:");
    let page = text(&get(&http, &format!("/?position={owned}"), ""));
    assert!(page.contains("The opponent owns the cube"), "{page}");
    // The board has the cube of the answer.
    let owned = format!("/?position={START}&cube=2&owner=opponent");
    let page = text(&get(&http, &owned, ""));
    let board = format!("src=\"/v1/show?position={START}&cube=2&owner=opponent");
    let board = board.replace('/', "%2F").replace("\"%2Fv1%2F", "\"/v1/");
    assert!(
        page.contains(&board.replace('&', "&amp;")),
        "{board}: {page}"
    );
}

/// HTTP-112: a play leads to the position after it, which the opponent sees, in the state of the match.
#[test]
fn play_leads_to_the_position_after_it() {
    let (_server, _, http) = server();
    let page = text(&get(&http, &format!("/?position={XGID}&plies=1"), ""));
    let (_, link) = page.split_once("<th scope=\"row\"><a href=\"").unwrap();
    let link = link.split('"').next().unwrap().replace("&amp;", "&");
    assert!(
        link.contains("plies=1") && !link.contains("roll="),
        "{link}"
    );
    let turned = format!("/?position={START}&roll=31&cube=2&owner=me&beavers=off");
    let page = text(&get(&http, &turned, ""));
    let (_, after) = page.split_once("<th scope=\"row\"><a href=\"").unwrap();
    let after = after.split('"').next().unwrap();
    assert!(
        after.contains("beavers=off") && !after.contains("cube=") && !after.contains("owner="),
        "{after}"
    );
    let next = get(&http, &link, "");
    assert_eq!(next.status, 200);
    let next = text(&next);
    for part in [
        "Match to 7, player on roll 2, opponent 3",
        "Cube 2, of the opponent",
    ] {
        assert!(next.contains(part), "{part}: {next}");
    }
}

/// HTTP-113: what is wrong stands beside its field, with the status of the problem.
#[test]
fn wrong_field_has_its_message_beside_it() {
    let (_server, _, http) = server();
    for (query, field, message) in [
        ("position=hello", "position", "position ID"),
        ("position=x%20y", "position", "has a space"),
        (
            "position=4HPwATDgc%2FABMA&roll=37",
            "roll",
            "expected 1 to 6",
        ),
        ("plies=9", "plies", "expected 0 to 4"),
        ("length=7&score=8-9", "score", "score"),
        ("length=x", "length", "length"),
        ("colour=red", "form", "colour"),
        ("roll=31&roll=31", "roll", "stands twice"),
    ] {
        let answer = get(&http, &format!("/?{query}"), "");
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (400, Some("text/html; charset=utf-8")),
            "{query}"
        );
        let page = text(&answer);
        let (_, line) = page
            .split_once(&format!("id=\"{field}-error\""))
            .unwrap_or_else(|| panic!("{query}"));
        let line = line.split("</p>").next().unwrap();
        assert!(line.contains(message), "{query}: {line}");
        let chosen = query.contains("roll=37");
        assert_eq!(page.contains("<option value=\"37\" selected>"), chosen);
        assert_eq!(
            page.matches("aria-invalid=\"true\"").count(),
            usize::from(field != "form"),
            "{query}"
        );
    }
}

/// HTTP-111: nothing that strangers write is markup, and the page may load only its own files.
#[test]
fn hostile_text_is_shown_as_text() {
    let (_server, _, http) = server();
    let hostile = "%3Cscript%3Ealert(1)%3C/script%3E%22%27%E2%80%AEx%7B%7Banswer%7D%7D";
    for query in [
        format!("position={hostile}"),
        format!("position={START}&roll={hostile}"),
        format!("plies={hostile}"),
        format!("score={hostile}"),
        format!("{hostile}={hostile}"),
        format!("position={START}&{hostile}=1&{hostile}=1"),
    ] {
        let answer = get(&http, &format!("/?{query}"), "");
        assert_eq!(answer.status, 400, "{query}");
        let page = text(&answer);
        assert_eq!(page.matches("<script").count(), 1, "{query}: {page}");
        assert!(
            !page.contains('\u{202e}') && !page.contains("\"'"),
            "{page}"
        );
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

/// HTTP-111, HTTP-114, HTTP-116, HTTP-117, HTTP-118, HTTP-119: the pages and their files name no other host, are small, load each other, and have the methods of
/// a page.
#[test]
fn pages_are_made_of_their_own_files() {
    let (_server, _, http) = server();
    let mut wanted: Vec<String> = ["/", "/play", "/matches", "/quiz", "/status"]
        .map(str::to_owned)
        .to_vec();
    let (mut seen, mut bytes) = (Vec::new(), 0);
    while let Some(target) = wanted.pop() {
        let answer = get(&http, &target, "Accept: */*\r\n");
        assert_eq!(answer.status, 200, "{target}");
        let kind = match target.rsplit_once('.') {
            Some((_, "js")) => "text/javascript",
            Some((_, "css")) => "text/css",
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
        bytes += page.len();
        let ask = |method: &str| {
            let head = format!("{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close");
            raw(&http, format!("{head}\r\n\r\n").as_bytes())
        };
        let head = ask("HEAD");
        assert_eq!((head.status, head.body.len()), (200, 0), "{target}");
        assert_eq!(ask("POST").status, 405);
        // Files that a page names, and modules that a module imports.
        let mut found: Vec<String> = Vec::new();
        for before in ["script type=\"module\" src=\"", "stylesheet\" href=\""] {
            found.extend(page.split(before).skip(1).map(str::to_owned));
        }
        for before in [" from \"./", "import(\"./"] {
            let imported = page.split(before).skip(1);
            found.extend(imported.map(|part| format!("/page/{part}")));
        }
        for file in found {
            let file = file.split('"').next().unwrap().to_owned();
            if file.starts_with("/page/") && !seen.contains(&file) {
                seen.push(file.clone());
                wanted.push(file);
            }
        }
    }
    assert!(seen.len() >= 24 && bytes < 300 << 10, "{seen:?} {bytes}");
    let page = text(&get(&http, "/", ""));
    let image = page.split("<img id=\"board\" src=\"").nth(1).unwrap();
    let target = image.split('"').next().unwrap().replace("&amp;", "&");
    assert_eq!(get(&http, &target, "Accept: image/svg+xml\r\n").status, 200);
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
        "/page/explore.js",
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
