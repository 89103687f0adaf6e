//! Requests that are cancelled, and answers that come when they are ready: rules of
//! `protocol-specs/request-protocol.md`.

use crate::server::{Client, plain};
use crate::support::wait_until;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const START: &str = "4HPwATDgc/ABMA";
const ENDLESS: &str = "rollout 4HPwATDgc/ABMA trials=16777216";

fn line(client: &mut Client) -> Value {
    let line = client.line();
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"))
}

/// Whether this is how a cancelled rollout is answered.
fn is_cut(answer: &Value) -> bool {
    let partial = answer["type"] == "rollout" && answer["stopped"] == "stopped";
    partial || answer["type"] == "error" && answer["code"] == "stopped"
}

/// a cancelled request is answered once, in its place, and then the `cancel`.
#[test]
fn cancelled_request_is_answered_in_its_place() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send(format!("#a {ENDLESS}\n#b eval {START}\n"));
    // The rollout runs by then; if it still waits, its answer is the same.
    std::thread::sleep(Duration::from_millis(100));
    client.send("#c cancel a b x\n#d ping\n");
    let first = line(&mut client);
    assert!(first["id"] == "a" && is_cut(&first), "{first}");
    assert_eq!(line(&mut client)["id"], "b");
    let cancel = line(&mut client);
    assert_eq!(
        (&cancel["type"], &cancel["id"]),
        (&json!("cancel"), &json!("c"))
    );
    let states = cancel["targets"].as_array().unwrap();
    assert_eq!(states[0], json!({"id": "a", "state": "stopped"}));
    assert_eq!(states[1]["id"], "b");
    assert_eq!(states[2], json!({"id": "x", "state": "unknown"}));
    assert_eq!(line(&mut client)["id"], "d");
    // Over again: the ids are free, and what was cancelled is no longer known.
    let again = client.ask("cancel a");
    assert_eq!(again["targets"], json!([{"id": "a", "state": "unknown"}]));
    for (wrong, code) in [
        ("cancel", "bad-request"),
        (&*format!("cancel {}", "x".repeat(65)), "bad-id"),
        (&*format!("cancel {}", "x ".repeat(65)), "bad-id"),
    ] {
        assert_eq!(client.ask(wrong)["code"], code, "{wrong}");
    }
}

/// `cancel all` ends what runs, what is paused and what waits; the threads are free again.
#[test]
fn cancel_all_frees_the_threads() {
    let server = plain();
    let mut client = Client::new(&server.address);
    let mut text = String::new();
    for number in 0..40 {
        text += &format!("#r{number} {ENDLESS}\n");
    }
    client.send(&text);
    // Some run by then, and the others wait: all are answered alike.
    std::thread::sleep(Duration::from_millis(300));
    client.send("#all cancel all\n");
    for number in 0..40 {
        let answer = line(&mut client);
        assert!(
            answer["id"] == format!("r{number}") && is_cut(&answer),
            "{answer}"
        );
    }
    let cancel = line(&mut client);
    let states = cancel["targets"].as_array().unwrap();
    assert!(
        states.len() == 40 && states.iter().all(|one| one["state"] == "stopped"),
        "{cancel}"
    );
    let short = client.ask(&format!("rollout {START} trials=36 truncate=1"));
    assert_eq!(short["stopped"], "trials", "{short}");
    assert_eq!(
        Client::new(&server.address).ask(&format!("eval {START} plies=3"))["type"],
        "eval"
    );
}

/// a cancel is seen behind more requests than may be in progress.
#[test]
fn cancel_behind_a_full_window_is_seen() {
    let server = plain();
    let mut client = Client::new(&server.address);
    let mut text = String::new();
    for number in 0..150 {
        text += &format!("#r{number} {ENDLESS}\n");
    }
    client.send(text + "#all cancel all\n");
    for number in 0..150 {
        let answer = line(&mut client);
        assert!(
            answer["id"] == format!("r{number}") && is_cut(&answer),
            "{answer}"
        );
    }
    let cancel = line(&mut client);
    let states = cancel["targets"].as_array().unwrap();
    let is_stopped = |(number, one): (usize, &Value)| {
        one["id"] == format!("r{number}") && one["state"] == "stopped"
    };
    assert!(
        states.len() == 150 && states.iter().enumerate().all(is_stopped),
        "{cancel}"
    );
    // One in JSON is seen too, and its ids are known.
    let mut text = String::new();
    for number in 0..64 {
        text += &format!("#r{number} {ENDLESS}\n");
    }
    text += "#p ping\n{\"id\":\"c\",\"verb\":\"cancel\",\"ids\":[\"r7\",\"x\",\"r0\"]}\n#all cancel all\n";
    client.send(text);
    let mut last = Value::Null;
    for _ in 0..67 {
        last = line(&mut client);
        if last["id"] == "c" {
            let state = |id: &str, state: &str| json!({"id": id, "state": state});
            let want = [
                state("r7", "stopped"),
                state("x", "unknown"),
                state("r0", "stopped"),
            ];
            assert_eq!(last["targets"], json!(want));
        }
    }
    assert_eq!(last["id"], "all");
    // On a busy machine the ping may wait too, and a stopped request may not have ended.
    let targets = last["targets"].as_array().unwrap().iter();
    let others = targets.filter(|one| !["p", "r0", "r7"].iter().any(|id| one["id"] == *id));
    assert_eq!(others.count(), 62, "{last}");
}

/// a line of a match cancels nothing, whatever form its first line has.
#[test]
fn line_of_a_match_behind_a_full_window_cancels_nothing() {
    for head in [
        "analyse",
        "{\"id\":\"m\",\"verb\":\"ANALYSE\",\"settings\":{\"plies\":0}}",
    ] {
        let server = plain();
        let mut client = Client::new(&server.address);
        client.send(format!("{ENDLESS}\n").repeat(64) + head + "\ncancel all\n.\n");
        // Nothing may come, and an answer comes at once.
        let silence = Some(Duration::from_millis(500));
        client.stream.set_read_timeout(silence).unwrap();
        let more = std::io::Read::read(&mut client.stream, &mut [0]);
        assert!(more.is_err(), "something was answered behind {head}");
    }
}

/// A request with this number as its id, in words or in JSON; `next` draws numbers below its argument.
fn drawn(number: u32, next: &mut impl FnMut(u32) -> u32) -> String {
    let priority = |next: u32| i64::from(next) - 9;
    let request = match next(6) {
        0 => ENDLESS.to_owned(),
        1 => format!("move {START} 31 plies=2"),
        2 => format!("cancel {} {}", next(number + 1), next(number + 1)),
        3 => format!(
            "rollout {START} trials=36 truncate=1 priority={}",
            priority(next(19))
        ),
        4 => {
            let settings = json!({"priority": priority(next(19))});
            let body = json!({"id": number.to_string(), "verb": "eval", "position": START, "settings": settings});
            return format!("{body}\n");
        }
        _ => format!("eval {START}"),
    };
    format!("#{number} {request}\n")
}

/// cancels of any ids at any time, beside a strict client: one answer to each line, and no memory stays.
#[test]
fn storm_of_cancels_loses_and_doubles_nothing() {
    let server = plain();
    let strict = std::thread::spawn({
        let address = server.address.clone();
        move || {
            let mut client = Client::new(&address);
            (0..200).all(|_| client.ask(&format!("eval {START}"))["type"] == "eval")
        }
    });
    let mut client = Client::new(&server.address);
    client.send("set order=ready\n");
    assert_eq!(line(&mut client)["order"], "ready");
    let mut random = 12_345_u32;
    let mut next = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % most
    };
    let (mut sent, mut seen) = (0, BTreeMap::<String, u32>::new());
    for round in 0..25 {
        let mut text = String::new();
        for _ in 0..30 {
            text += &drawn(sent, &mut next);
            sent += 1;
        }
        text += &format!("#all{round} cancel all\n");
        client.send(&text);
        while !seen.contains_key(&format!("all{round}")) {
            let answer = line(&mut client);
            *seen
                .entry(answer["id"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
    }
    while seen.len() < sent as usize + 25 {
        let answer = line(&mut client);
        *seen
            .entry(answer["id"].as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    assert!(
        seen.values().all(|count| *count == 1),
        "an answer came twice"
    );
    assert!(strict.join().unwrap());
    assert_eq!(client.ask("#end ping")["id"], "end");
    wait_until("no work stays", || client.ask("stats")["queued"] == 0);
    drop(client);
    let mut client = Client::new(&server.address);
    wait_until("no memory stays", || {
        client.ask("stats")["unsent"].as_u64().unwrap() <= 4096
    });
}

/// SRV-22: waiting requests of higher priority are answered first.
#[test]
fn higher_priorities_go_first() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send("set order=ready\n");
    assert_eq!(line(&mut client)["order"], "ready");
    let mut text = String::new();
    for number in 0..40 {
        text += &format!("#low{number} rollout {START} trials=216 truncate=3\n");
    }
    for number in 0..4 {
        text += &format!("#high{number} rollout {START} trials=216 truncate=3 priority=9\n");
    }
    client.send(&text);
    let order: Vec<Value> = (0..44).map(|_| line(&mut client)["id"].clone()).collect();
    let last_high = order
        .iter()
        .rposition(|id| id.as_str().unwrap().starts_with("high"));
    // Those that had begun are not interrupted.
    assert!(last_high.unwrap() < 24, "{order:?}");
    for wrong in ["10", "-10", "x", ""] {
        let answer = client.ask(&format!("eval {START} priority={wrong}"));
        assert_eq!(answer["code"], "bad-setting", "{wrong}");
    }
}

/// a search with a time limit that is cancelled answers what it knows.
#[test]
fn cancelled_deepening_answers_what_is_known() {
    let server = plain();
    let mut client = Client::new(&server.address);
    // On a busy machine it has not begun after a moment: then the answer is the error of Q-81.
    for patience in [100, 500, 2000, 8000, 30_000] {
        client.send(format!("#a move {START} 43 time=600000\n#b ping\n"));
        // Progress of a search shows nowhere: longer waits follow if it has not begun.
        std::thread::sleep(Duration::from_millis(patience));
        client.send("#c cancel a\n");
        let answer = line(&mut client);
        assert_eq!(answer["id"], "a");
        assert_eq!(line(&mut client)["id"], "b");
        let cancel = line(&mut client);
        assert_eq!(cancel["targets"], json!([{"id": "a", "state": "stopped"}]));
        if answer["code"] == "stopped" {
            continue;
        }
        assert_eq!(answer["type"], "move", "{answer}");
        assert!(answer["plies"].as_u64().unwrap() <= 4);
        assert!(!answer["plays"].as_array().unwrap().is_empty());
        return;
    }
    panic!("it never began");
}

/// lines of JSON ask what lines of words ask, and their answers are the same.
#[test]
fn json_lines_are_answered_like_lines() {
    let server = plain();
    let mut client = Client::new(&server.address);
    for (words, body) in [
        (
            format!("#1 move {START} 31 plies=1 top=2"),
            json!({"id": "1", "verb": "move", "position": START, "roll": [3, 1], "settings": {"plies": 1, "top": 2}}),
        ),
        (
            format!("#1 cube {START} score=3:5 length=7"),
            json!({"id": 1, "verb": "cube", "position": START, "settings": {"score": "3:5", "length": 7}}),
        ),
        (
            "#1 cancel 7".to_owned(),
            json!({"id": "1", "verb": "cancel", "ids": ["7"]}),
        ),
        ("#1 get".to_owned(), json!({"id": "1", "verb": "get"})),
        (
            "#1 eval x".to_owned(),
            json!({"id": "1", "verb": "eval", "position": "x"}),
        ),
    ] {
        let (mut wanted, mut found) = (client.ask(&words), client.ask(&body.to_string()));
        for answer in [&mut wanted, &mut found] {
            // A place in the line.
            answer.as_object_mut().unwrap().remove("at");
        }
        assert_eq!(found, wanted, "{words}");
        assert_eq!(found["id"], "1");
    }
    let answer = client.ask("{\"verb\":\"eval\",\"position\":");
    assert_eq!(answer["code"], "bad-request", "{answer}");
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .starts_with("line is not JSON"),
        "{answer}"
    );
    let mat = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis/one1.mat"),
    )
    .unwrap();
    let head = json!({"id": "m", "verb": "analyse", "settings": {"plies": 0}});
    client.send(format!("{head}\n{mat}\n.\n"));
    let answer = line(&mut client);
    assert_eq!(
        (&answer["id"], &answer["type"]),
        (&json!("m"), &json!("analysis"))
    );
}

/// short requests do not wait for a long one before them, every answer is the one of the ordered run, and a match
/// is not torn by others.
#[test]
fn ready_answers_do_not_wait() {
    let server = plain();
    let mut client = Client::new(&server.address);
    let mat = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/analysis/one1.mat"),
    )
    .unwrap();
    let mut requests = Vec::new();
    for number in 0..300 {
        let (one, other) = (number % 6 + 1, number / 6 % 6 + 1);
        let plies = if number % 50 == 7 { 2 } else { number % 2 };
        requests.push(format!(
            "#{number} move {START} {one}{other} plies={plies} top={}",
            number % 4 + 1
        ));
    }
    let read = |client: &mut Client, count: usize| {
        let mut answers = BTreeMap::new();
        while answers.len() < count {
            let answer = line(client);
            let id = answer["id"].as_str().unwrap().to_owned();
            assert!(answers.insert(id, answer).is_none());
        }
        answers
    };
    client.send(requests.join("\n") + "\n");
    let ordered = read(&mut client, 300);
    client.send("set order=ready\n");
    assert_eq!(line(&mut client)["order"], "ready");
    client.send(format!("#slow {ENDLESS} progress=1\n"));
    client.send(requests.join("\n") + "\n");
    let mut answers = BTreeMap::new();
    while answers.len() < 300 {
        let answer = line(&mut client);
        if answer["type"] == "progress" {
            assert_eq!(answer["id"], "slow");
            continue;
        }
        let id = answer["id"].as_str().unwrap().to_owned();
        assert!(answers.insert(id, answer).is_none());
    }
    assert_eq!(answers, ordered);
    client.send(format!(
        "#m analyse plies=0\n{mat}\n.\n#c cancel slow\n#p ping\n"
    ));
    let mut last = BTreeMap::new();
    while last.len() < 4 {
        let answer = line(&mut client);
        if answer["type"] != "progress" {
            last.insert(answer["id"].as_str().unwrap().to_owned(), answer);
        }
    }
    assert!(is_cut(&last["slow"]), "{}", last["slow"]);
    assert_eq!(
        (&last["m"]["type"], &last["p"]["type"]),
        (&json!("analysis"), &json!("pong"))
    );
    // Back to the order of lines.
    client.send(format!(
        "set order=lines\n#1 move {START} 31 plies=2\n#2 ping\n"
    ));
    assert_eq!(line(&mut client)["order"], "lines");
    assert_eq!(line(&mut client)["id"], "1");
    assert_eq!(line(&mut client)["id"], "2");
}
