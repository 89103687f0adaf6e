//! The Model Context Protocol: rules MCP- of `protocol-specs/mcp.md`. `tools/mcp_client.py` is the foreign client.

use crate::server_process::Process;
use gammond_engine::query::{SETTINGS, Scope};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

const START: &str = "4HPwATDgc/ABMA";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Runs `gammond mcp` on these lines until its messages are `complete`; returns the messages and the exit code.
fn stdio(lines: &[String], complete: impl Fn(&[Value]) -> bool) -> (Vec<Value>, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for line in lines {
        writeln!(input, "{line}").unwrap();
    }
    input.flush().unwrap();
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut messages = Vec::new();
    let mut read = |messages: &mut Vec<Value>| {
        let mut line = String::new();
        let count = std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        if count > 0 {
            messages.push(serde_json::from_str(&line).unwrap());
        }
        count > 0
    };
    while !complete(&messages) && read(&mut messages) {}
    drop(input);
    while read(&mut messages) {}
    (messages, child.wait().unwrap().code())
}

fn call(id: u32, tool: &str, arguments: &Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

fn answer(messages: &[Value], id: u32) -> &Value {
    let found = messages.iter().find(|message| message["id"] == id);
    found.unwrap_or_else(|| panic!("no answer {id} in {messages:?}"))
}

/// MCP-03: requests that come with the end of the input, as from a pipe, are answered.
#[test]
fn requests_before_the_end_are_answered() {
    let list = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"}).to_string();
    let lines = [
        list(1),
        call(2, "best_plays", &json!({"position": START, "roll": [3, 1]})),
    ];
    for _ in 0..10 {
        let (messages, code) = stdio(&lines, |_| true);
        assert_eq!((messages.len(), code), (2, Some(0)), "{messages:?}");
    }
}

/// an error of few games is unknown, not zero.
#[test]
fn error_of_few_games_is_unknown() {
    let arguments = json!({"position": START, "roll": "31", "top": 1, "trials": 36});
    let (messages, _) = stdio(&[call(1, "rollout", &arguments)], |_| true);
    let text = messages[0]["result"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(text.contains("standard error unknown, 36 games"), "{text}");
}

/// MCP-03: an answer that takes long comes after the end of the input too; the work ends when its reader has gone.
#[test]
fn long_work_is_answered_after_the_end() {
    let rollout = |time_s: u32| {
        let arguments = json!({"position": START, "trials": 46_656, "time_s": time_s});
        call(1, "rollout", &arguments)
    };
    let (messages, code) = stdio(&[rollout(4)], |_| true);
    assert_eq!((messages.len(), code), (1, Some(0)), "{messages:?}");
    let result = &messages[0]["result"]["structuredContent"];
    assert_eq!(result["stopped"], "time");
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{}", rollout(600)).unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// MCP-13: an argument that is a setting has the values of the setting, and they are accepted.
#[test]
fn arguments_have_the_values_of_settings() {
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let deepest = json!({"position": START, "roll": [3, 1], "plies": 4, "level": "off", "top": 1});
    let ask = |id: u32, plies: &Value| {
        let mut arguments = deepest.clone();
        arguments["plies"] = plies.clone();
        arguments["position"] = json!("BwAAcAAAAAAAAA");
        arguments["roll"] = json!([2, 1]);
        call(id, "best_plays", &arguments)
    };
    let lines = [list, ask(2, &json!(4)), ask(3, &json!(5))];
    let (messages, _) = stdio(&lines, |messages| messages.len() >= 3);
    let tools = answer(&messages, 1)["result"]["tools"].as_array().unwrap();
    for tool in tools {
        let properties = &tool["inputSchema"]["properties"];
        for (name, schema) in properties.as_object().unwrap() {
            assert!(schema["description"].is_string(), "{} {name}", tool["name"]);
        }
        let plies = &properties["plies"];
        if !plies.is_null() {
            assert_eq!(
                (&plies["minimum"], &plies["maximum"]),
                (&json!(0), &json!(4))
            );
        }
        if !properties["cube"].is_null() {
            assert_eq!(properties["cube"]["enum"].as_array().unwrap().len(), 13);
        }
        if !properties["score"].is_null() {
            assert_eq!(properties["score"]["items"]["maximum"], 255);
        }
    }
    assert_eq!(
        answer(&messages, 2)["result"]["isError"],
        false,
        "{messages:?}"
    );
    assert_eq!(answer(&messages, 3)["result"]["isError"], true);
}

/// MCP-06: tools for a position have every setting of cube, score and rules, and the help names them with their values;
/// an analysis takes its own settings by the same table.
#[test]
fn tools_have_the_settings_of_the_table() {
    let request = |id: u32, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let file = " 1 point match\n\n Game 1\n A : 0                     B : 0\n  1) 31: 8/5 6/5   \n";
    let analysis = |id: u32, name: &str, value: Value| {
        let mut arguments = json!({"match": file, "plies": 1});
        arguments[name] = value;
        call(id, "analyse_match", &arguments)
    };
    let lines = [
        request(1, "tools/list", json!({})),
        request(2, "resources/read", json!({"uri": "gammond://help"})),
        analysis(3, "filter", json!("swift")),
        analysis(4, "filter", json!("wide")),
        analysis(5, "trials", json!(36)),
    ];
    let (messages, _) = stdio(&lines, |messages| messages.len() >= 5);
    let tools = answer(&messages, 1)["result"]["tools"].as_array().unwrap();
    let help = answer(&messages, 2)["result"]["contents"][0]["text"]
        .as_str()
        .unwrap();
    for setting in SETTINGS {
        if !matches!(setting.scope, Scope::State | Scope::Rules) {
            continue;
        }
        for name in [
            "evaluate",
            "best_plays",
            "cube_decision",
            "rollout",
            "show_position",
        ] {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            assert!(
                tool["inputSchema"]["properties"][setting.name].is_object(),
                "{name} {}",
                setting.name
            );
        }
        assert!(
            help.contains(&format!("{} ({})", setting.name, setting.want())),
            "{help}"
        );
    }
    let result = |id: u32| &answer(&messages, id)["result"];
    assert_eq!(
        result(3)["structuredContent"]["level"],
        "1-ply swift",
        "{messages:?}"
    );
    for (id, said) in [
        (4, "setting 'filter' is 'wide', expected auto, swift"),
        (5, "argument \"trials\" is not known, expected one of"),
    ] {
        let text = result(id)["content"][0]["text"].as_str().unwrap();
        assert!(
            result(id)["isError"] == true && text.contains(said),
            "{text}"
        );
    }
}

/// MCP-12: an integer comes back with all of its digits.
#[test]
fn long_id_comes_back_as_it_was_sent() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let id = "12345678901234567890123";
    let mut input = child.stdin.take().unwrap();
    writeln!(
        input,
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}"
    )
    .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text,
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n")
    );
}

/// MCP-01, MCP-02, MCP-03: both eras, errors of the protocol, and the end of the input.
#[test]
fn both_eras_are_answered() {
    let stateless = |version: &str| {
        let params = json!({"_meta": {VERSION: version}});
        json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": params})
    };
    let lines = [
        stateless("2026-07-28").to_string(),
        stateless("1999-01-01").to_string().replace("\"id\":1", "\"id\":2"),
        json!({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}})
            .to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
        json!({"jsonrpc": "2.0", "id": 4, "method": "nothing"}).to_string(),
        json!({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "nothing"}})
            .to_string(),
        "[]".to_owned(),
        "{".to_owned(),
    ];
    let (messages, code) = stdio(&lines, |messages| messages.len() >= 7);
    assert_eq!((messages.len(), code), (7, Some(0)), "{messages:?}");
    let discovered = &answer(&messages, 1)["result"];
    assert_eq!(discovered["resultType"], "complete");
    assert_eq!(discovered["supportedVersions"][0], "2026-07-28");
    assert_eq!(answer(&messages, 2)["error"]["code"], -32_022);
    let begun = &answer(&messages, 3)["result"];
    assert_eq!(begun["protocolVersion"], "2025-06-18");
    assert!(begun.get("resultType").is_none());
    assert_eq!(answer(&messages, 4)["error"]["code"], -32_601);
    assert_eq!(answer(&messages, 5)["error"]["code"], -32_602);
    let codes: Vec<&Value> = messages
        .iter()
        .filter(|message| message["id"].is_null())
        .map(|message| &message["error"]["code"])
        .collect();
    assert_eq!(codes, [&json!(-32_600), &json!(-32_700)]);
}

/// MCP-06, MCP-07, MCP-08, MCP-10: a tool answers as the line does; a wrong argument is a result, and a path is none.
#[test]
fn tools_answer_as_lines_do() {
    let board = json!({"24": 2, "13": 5, "8": 3, "6": 5});
    let lines = [
        call(
            1,
            "best_plays",
            &json!({"position": START, "roll": [3, 1], "plies": 0, "top": 2}),
        ),
        call(
            2,
            "best_plays",
            &json!({"position": START, "roll": "31", "plays": ["24/20", "6/5 8/5"], "plies": 0}),
        ),
        call(
            3,
            "evaluate",
            &json!({"board": {"me": board, "opponent": board}, "plies": 0}),
        ),
        call(4, "evaluate", &json!({"position": START, "depth": 3})),
        call(
            5,
            "evaluate",
            &json!({"position": START, "nets": "/etc/passwd"}),
        ),
        call(
            6,
            "convert_position",
            &json!({"position": "../../etc/passwd"}),
        ),
        call(
            7,
            "best_plays",
            &json!({"position": START, "roll": [3, 1], "plays": []}),
        ),
    ];
    let (messages, _) = stdio(&lines, |messages| messages.len() >= 7);
    let plays = &answer(&messages, 1)["result"]["structuredContent"];
    assert_eq!(plays["plays"][0]["play"], "8/5 6/5");
    assert_eq!(plays["plays"].as_array().unwrap().len(), 2);
    let text = answer(&messages, 1)["result"]["content"][0]["text"]
        .as_str()
        .unwrap();
    assert!(text.starts_with("1. 8/5 6/5 +0.") && text.contains("points for the player on roll"));
    let compared = &answer(&messages, 2)["result"]["structuredContent"]["plays"];
    assert_eq!(compared.as_array().unwrap().len(), 2);
    assert_eq!(compared[0]["play"], "8/5 6/5");
    assert_eq!(compared[1]["play"], "24/20");
    let line = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["eval", START, "--format", "json"])
        .output()
        .unwrap();
    let line: Value = serde_json::from_slice(&line.stdout).unwrap();
    assert_eq!(answer(&messages, 3)["result"]["structuredContent"], line);
    for (id, begin) in [
        (4, "bad-request: argument \"depth\" is not known"),
        (5, "bad-request: argument \"nets\" is not known"),
        (6, "bad-position: "),
        (7, "bad-play: setting 'plays' is empty"),
    ] {
        let result = &answer(&messages, id)["result"];
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(begin), "{text}");
    }
}

/// MCP-07: all pairs of rolls are an answer of the tool of the rolls, as of the line; a third turn is refused.
#[test]
fn rolls_of_two_turns_are_an_answer_of_all_rolls() {
    let ask = |id: u32, turns: u32| {
        let arguments = json!({"position": "BwAAcAAAAAAAAA", "turns": turns, "plies": 0});
        call(id, "all_rolls", &arguments)
    };
    let (messages, _) = stdio(&[ask(1, 2), ask(2, 3)], |messages| messages.len() >= 2);
    let result = &answer(&messages, 1)["result"];
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("\nBest: ") && text.contains("\nWorst: "),
        "{text}"
    );
    let line = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args([
            "rolls",
            "BwAAcAAAAAAAAA",
            "turns=2",
            "plies=0",
            "--format",
            "json",
        ])
        .output()
        .unwrap();
    let line: Value = serde_json::from_slice(&line.stdout).unwrap();
    assert!(line["exchanges"].is_array());
    assert_eq!(result["structuredContent"], line);
    let refused = &answer(&messages, 2)["result"];
    assert_eq!(refused["isError"], true, "{refused}");
}

/// MCP-03, MCP-05, MCP-09: progress grows and ends before the result; a cancelled request has none, an ID in use and a
/// long message are refused.
#[test]
fn rollouts_report_and_stop() {
    let rollout = |id: u32, time_s: u32| {
        let params = json!({
            "name": "rollout", "arguments": {"position": START, "trials": 46_656, "time_s": time_s},
            "_meta": {"progressToken": "t"},
        });
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    let lines = [
        rollout(1, 600),
        rollout(1, 600),
        cancel.to_string(),
        rollout(2, 8),
        format!("{{\"{}\":1}}", "x".repeat(1 << 20)),
    ];
    let has = |messages: &[Value], id: &Value| messages.iter().any(|message| message["id"] == *id);
    let (messages, code) = stdio(&lines, |messages| {
        has(messages, &json!(2))
            && messages
                .iter()
                .any(|message| message["id"].is_null() && message["error"].is_object())
            && has(messages, &json!(1))
    });
    assert_eq!(code, Some(0));
    let of_first: Vec<&Value> = messages
        .iter()
        .filter(|message| message["id"] == 1)
        .collect();
    assert_eq!(of_first.len(), 1, "the ID in use: {messages:?}");
    assert_eq!(of_first[0]["error"]["code"], -32_600);
    let place = messages
        .iter()
        .position(|message| message["id"] == 2)
        .unwrap();
    let result = &messages[place]["result"]["structuredContent"];
    assert_eq!(result["stopped"], "time");
    let done: Vec<f64> = messages
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| message["params"]["progress"].as_f64().unwrap())
        .collect();
    assert!(!done.is_empty(), "{messages:?}");
    let long = messages
        .iter()
        .find(|message| message["id"].is_null() && message["method"].is_null())
        .unwrap();
    assert_eq!(long["error"]["code"], -32_600);
}

/// One request over HTTP, with the answer's head and body.
fn post(address: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// MCP-04, MCP-11: `/mcp` answers JSON, streams what takes longer, and checks its headers; resources are pages.
#[test]
fn http_has_the_same_tools() {
    let process = Process::start("exec \"$@\"", &["--http", "127.0.0.1:0"]);
    let address = process.addresses[0].as_str();
    let both = "Accept: application/json, text/event-stream\r\n";
    let quick = call(1, "evaluate", &json!({"position": START, "plies": 0}));
    let answer = post(address, both, &quick);
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\ncontent-type: application/json"),
        "{answer}"
    );
    assert!(answer.contains("\"structuredContent\""), "{answer}");
    assert!(post(address, "Accept: application/json\r\n", &quick).starts_with("HTTP/1.1 406 "));
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    assert!(post(address, both, &told).starts_with("HTTP/1.1 202 "));
    let params = json!({
        "name": "rollout", "arguments": {"position": START, "trials": 46_656, "time_s": 8},
        "_meta": {"progressToken": 5},
    });
    let long =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}).to_string();
    let answer = post(address, both, &long);
    assert!(
        answer.contains("content-type: text/event-stream"),
        "{answer}"
    );
    let (progress, result) = (
        answer.find("notifications/progress"),
        answer.find("structuredContent"),
    );
    assert!(progress.is_some() && progress < result, "{answer}");
    let params =
        json!({"uri": format!("gammond://position/{START}"), "_meta": {VERSION: "2026-07-28"}});
    let read = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": params})
        .to_string();
    let headers = |name: &str| {
        format!(
            "{both}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: {name}\r\n"
        )
    };
    let answer = post(
        address,
        &headers("gammond://position/4HPwATDgc/ABMA"),
        &read,
    );
    assert!(answer.contains("+13-14-15-16-17-18"), "{answer}");
    let answer = post(address, &headers("gammond://help"), &read);
    assert!(
        answer.starts_with("HTTP/1.1 400 ") && answer.contains("-32020"),
        "{answer}"
    );
}

/// LV-04, MCP-07: plays and cube actions of people, their shares in the answer and in its text.
#[test]
fn tools_answer_as_people_do() {
    let human = |more: Value| {
        let mut arguments = json!({"position": START, "pr": 20, "seed": 2});
        (arguments.as_object_mut().unwrap()).extend(more.as_object().unwrap().clone());
        arguments
    };
    let lines = [
        call(1, "best_plays", &human(json!({"roll": [6, 4]}))),
        call(2, "cube_decision", &human(json!({}))),
        call(3, "evaluate", &human(json!({}))),
        call(
            4,
            "best_plays",
            &human(json!({"roll": [6, 4], "plays": ["24/14"]})),
        ),
        json!({"jsonrpc": "2.0", "id": 5, "method": "resources/read", "params": {"uri": "gammond://help"}}).to_string() + "\n",
    ];
    let (messages, _) = stdio(&lines, |messages| messages.len() >= 5);
    let result = |id: u32| &answer(&messages, id)["result"];
    let text = |id: u32| result(id)["content"][0]["text"].as_str().unwrap();
    let plays = result(1)["structuredContent"]["plays"].as_array().unwrap();
    let found = format!(
        "found by {:.0} % of people",
        100.0 * plays[0]["share"].as_f64().unwrap()
    );
    assert_eq!(plays.len(), 5);
    assert!(text(1).contains(&found), "{}", text(1));
    assert_eq!(result(2)["structuredContent"]["double"], false);
    assert!(
        text(2).contains("one of them: no double, take."),
        "{}",
        text(2)
    );
    assert!(
        text(3).contains("argument \"pr\" is not known"),
        "{}",
        text(3)
    );
    assert_eq!(text(4).matches("found by ").count(), 2, "{}", text(4));
    let help = result(5)["contents"][0]["text"].as_str().unwrap();
    assert!(help.contains("pr (0.5 to 40, or off)"), "{help}");
}
