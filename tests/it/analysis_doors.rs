//! The analysis of one match at every door of the program: rule ANA-01, and Q-75.

use crate::http::{http_server, raw};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/data/analysis/three3.mat"
);

/// Runs the program on this input.
fn run(arguments: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Sends a match file over HTTP.
fn sent(http: &str, target: &str, file: &str) -> Value {
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        file.len()
    );
    raw(http, [head.as_bytes(), file.as_bytes()].concat().as_slice()).json()
}

/// The `key=value` words of a line as JSON members.
fn members(words: &str) -> Vec<(String, Value)> {
    let words = words.split_whitespace();
    let pairs = words.map(|word| word.split_once('=').unwrap());
    pairs
        .map(|(key, value)| {
            (
                key.to_owned(),
                value
                    .parse()
                    .map_or(json!(value), |number: u32| json!(number)),
            )
        })
        .collect()
}

/// ANA-01: without a wish a match has the same level and the same losses at every door, and with the same wish too.
#[test]
fn a_match_has_the_same_losses_at_every_door() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let (_server, http) = http_server(&[]);
    for (options, words, level) in [
        (&[][..], "", "2-ply swift"),
        (&["--plies", "1"][..], "plies=1", "1-ply"),
    ] {
        let command = [&["analyse", FILE, "--format", "json"], options].concat();
        let command = parsed(&run(&command, ""));
        assert_eq!(command["level"], level);
        let line = parsed(&run(&["pipe"], &format!("analyse {words}\n{text}\n.\n")));
        let owner = parsed(&run(
            &[&["pipe"], options].concat(),
            &format!("analyse\n{text}\n.\n"),
        ));
        let over_http = sent(&http, &format!("/v1/analyse?{words}"), &text);
        let mut arguments = json!({"match": text, "decisions": "all", "limit": 0});
        for (name, value) in members(words) {
            arguments[name] = value;
        }
        let params = json!({"name": "analyse_match", "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let mcp = parsed(&run(&["mcp"], &format!("{call}\n")));
        let mcp = &mcp["result"]["structuredContent"];
        for (door, found) in [
            ("line", &line),
            ("owner", &owner),
            ("HTTP", &over_http),
            ("MCP", mcp),
        ] {
            // A tool of MCP has at most 200 decisions.
            for key in ["level", "totals", "decisions"]
                .iter()
                .take(if door == "MCP" { 2 } else { 3 })
            {
                assert_eq!(found[key], command[key], "{door}: {key}");
            }
        }
        if options.is_empty() {
            let said = run(
                &["gnubg"],
                &format!("import mat {FILE}\nanalyse match\nshow statistics match\n"),
            );
            // All digits that gnubg's table has.
            let loss = |player: usize| {
                let loss = &command["totals"][player]["loss"]["emg"];
                format!("{:+.3}", -loss.as_f64().unwrap())
            };
            let row = said
                .lines()
                .rfind(|line| line.starts_with("Error total EMG"));
            let row = row.unwrap_or_else(|| panic!("{said}"));
            assert!(row.contains(&loss(0)) && row.contains(&loss(1)), "{row}");
        }
    }
}

/// an analysis follows its filter, or the report would be the same; what it cannot follow is refused by name.
#[test]
fn settings_of_an_analysis_are_followed_or_refused() {
    let text = std::fs::read_to_string(FILE).unwrap();
    let asked = |words: &str| parsed(&run(&["pipe"], &format!("analyse {words}\n{text}\n.\n")));
    let usual = asked("plies=1");
    let huge = asked("plies=1 filter=huge");
    assert_eq!(
        (&usual["level"], &huge["level"]),
        (&json!("1-ply"), &json!("1-ply huge"))
    );
    assert_ne!(usual["decisions"], huge["decisions"]);
    for word in ["cubeful=off", "top=3", "length=5", "trials=36"] {
        let refused = asked(word);
        let key = word.split('=').next().unwrap();
        let begin =
            format!("setting '{key}' is not for analyse, expected one of plies, level, filter");
        let message = refused["message"].as_str().unwrap_or_default();
        assert!(message.starts_with(&begin), "{refused}");
    }
    // The session's own settings are for its other requests.
    let said = run(
        &["pipe"],
        &format!("set top=3 cubeful=off\nanalyse plies=1\n{text}\n.\n"),
    );
    assert_eq!(
        parsed(said.lines().last().unwrap())["totals"],
        usual["totals"]
    );
}
