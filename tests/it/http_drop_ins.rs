//! The paths of other programs: rules BW-, WB- and NEP- of `protocol-specs/http-drop-ins.md`, beside recorded answers of
//! the real bgweb-api (its functions) and the real wildbg, and the vectors of Nodots' conformance suite.

use crate::http::{Answer, get, post, raw, server};
use gammond::notation::PositionId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const START: &str = "4HPwATDgc/ABMA";
const WILDBG: &str = include_str!("../data/http/wildbg.jsonl");
const BGWEB: &str = include_str!("../data/http/bgweb.jsonl");
const NODOTS: &str = include_str!("../data/http/nodots-vectors.json");

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert!(!lines.is_empty(), "nothing is recorded");
    lines
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

/// The plays of a wildbg answer as lists of steps.
fn wildbg_plays(answer: &Value) -> BTreeSet<String> {
    let steps = |play: &Value| {
        let step = |step: &Value| match step.as_array() {
            Some(pair) => format!("{}/{}", pair[0], pair[1]),
            None => format!("{}/{}", step["from"], step["to"]),
        };
        list(play).iter().map(step).collect::<Vec<_>>().join(" ")
    };
    let moves = list(&answer["moves"]);
    let plays: BTreeSet<String> = moves.iter().map(|one| steps(&one["play"])).collect();
    assert_eq!(plays.len(), moves.len());
    plays
}

/// WB-01, WB-02, WB-03, WB-07, WB-08: status, content type, errors to the byte; the same plays with the same steps; numbers are our nets'.
#[test]
fn wildbg_answers_as_recorded() {
    let (_server, _, http) = server();
    for line in lines(WILDBG) {
        let request = line["request"].as_str().unwrap();
        // A length that we know and the original does not (WB-05), and the page (HTTP-110).
        if request.contains("x_away=2") || request == "GET /" {
            continue;
        }
        let (method, target) = request.split_once(' ').unwrap();
        let text =
            format!("{method} {target} HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\r\n");
        let answer = raw(&http, text.as_bytes());
        assert_eq!(answer.status, line["status"], "{request}");
        if answer.status == 404 {
            continue;
        }
        assert_eq!(
            answer.header("content-type"),
            line["type"].as_str(),
            "{request}"
        );
        assert_eq!(answer.header("allow"), line["allow"].as_str(), "{request}");
        let body = String::from_utf8(answer.body.clone()).unwrap();
        let recorded = line["body"].as_str().unwrap();
        if answer.status != 200 || recorded.is_empty() {
            assert_eq!(body, recorded, "{request}");
            continue;
        }
        let ours = answer.json();
        let theirs: Value = serde_json::from_str(recorded).unwrap();
        if target.starts_with("/eval") {
            let cube = "{\"cube\":{\"double\":";
            assert!(
                body.starts_with(cube) && recorded.starts_with(cube),
                "{body}"
            );
            let members: Vec<&String> = ours["cube"].as_object().unwrap().keys().collect();
            assert_eq!(members.len(), 5, "{body}");
            assert_eq!(
                ours["probabilities"].as_object().unwrap().len(),
                theirs["probabilities"].as_object().unwrap().len()
            );
            flags_follow(&ours);
            continue;
        }
        assert_eq!(wildbg_plays(&ours), wildbg_plays(&theirs), "{request}");
        if theirs["moves"][0]["probabilities"].is_object() {
            assert_eq!(ours, theirs, "{request}");
        }
        let value = |one: &Value| {
            let number = |name: &str| one["probabilities"][name].as_f64().unwrap();
            match target.contains("x_away=1") {
                true => number("win"),
                false => {
                    2.0 * number("win") - 1.0 + number("winG") + number("winBg")
                        - number("loseG")
                        - number("loseBg")
                }
            }
        };
        let values: Vec<f64> = list(&ours["moves"]).iter().map(value).collect();
        assert!(
            values.windows(2).all(|two| two[0] > two[1] - 2e-4),
            "{request} {values:?}"
        );
    }
}

/// WB-04: both flags follow from the values.
fn flags_follow(answer: &Value) {
    let number = |name: &str| answer["cube"][name].as_f64().unwrap();
    let (none, take) = (number("equityNoDouble"), number("equityDoubleTake"));
    // A game that is over is not doubled.
    let over = answer["probabilities"]["win"].as_f64().unwrap().fract() == 0.0;
    if !over {
        assert_eq!(answer["cube"]["double"], take.min(1.0) > none, "{answer}");
        assert_eq!(answer["cube"]["accept"], take < 1.0, "{answer}");
    }
}

/// WB-04, WB-05, WB-06, in places where the flags differ.
#[test]
fn wildbg_cubes_and_scores() {
    let (_server, _, http) = server();
    let eval = |query: &str| get(&http, &format!("/eval?{query}"), "");
    let race = "p10=5&p7=4&p6=6&p13=-5&p17=-4&p19=-6";
    let doubled = eval(race).json();
    assert_eq!(doubled["cube"]["double"], true, "{doubled}");
    flags_follow(&doubled);
    let theirs = eval(&format!("{race}&cube_position=opponent&cube_value=2")).json();
    assert_eq!(theirs["cube"]["double"], false, "{theirs}");
    let score = eval(&format!("{race}&x_away=3&o_away=5")).json();
    let chance = score["cube"]["equityNoDouble"].as_f64().unwrap();
    assert!((0.5..1.0).contains(&chance), "{score}");
    // The trailer would double if he might.
    let trails = "x_away=2&o_away=1&crawford=true";
    let crawford = eval(&format!("{race}&{trails}")).json();
    assert_eq!(crawford["cube"]["double"], false, "{crawford}");
    let after = eval(&format!("{race}&{}", trails.replace("true", "false"))).json();
    assert_eq!(after["cube"]["double"], true, "{after}");
    let wrong = eval(&format!("{race}&cube_position=mine"));
    assert_eq!(
        (wrong.status, wrong.json()),
        (
            400,
            json!({"message": "cube_position must be one of: centered, owned, opponent"})
        )
    );
    for (query, message) in [
        (
            "x_away=256&o_away=2",
            "x_away and o_away must be at most 255.",
        ),
        (
            "x_away=5&o_away=5&crawford=true",
            "crawford is set but not exactly one side is 1-away.",
        ),
        ("plies=9", "plies must be at most 4."),
        (
            "p24=16&p1=-2",
            "Player x has more than 15 checkers on the board.",
        ),
    ] {
        let answer = eval(query);
        let query = format!("{query}&{race}");
        let answer = if answer.status == 200 {
            eval(&query)
        } else {
            answer
        };
        assert_eq!(
            (answer.status, answer.json()),
            (400, json!({"message": message})),
            "{query}"
        );
    }
}

fn steps_of(answer: &Value) -> BTreeSet<String> {
    list(answer)
        .iter()
        .map(|one| one["play"].to_string())
        .collect()
}

/// Members and kinds of a value, without its numbers.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (name.clone(), shape(value)))
            .collect(),
        Value::Number(_) => json!(0),
        Value::Array(_) => json!([]),
        other => other.clone(),
    }
}

/// BW-10, BW-11, BW-20, BW-21, BW-22, BW-24: the recorded bodies have the recorded plays in the recorded shape; what cannot be is refused.
#[test]
fn bgweb_answers_as_recorded() {
    let (_server, _, http) = server();
    for line in lines(BGWEB) {
        let name = line["name"].as_str().unwrap();
        let answer = post(&http, "/api/v1/getmoves", &line["request"].to_string());
        // The original answers these with nonsense (BW-12).
        let refused = [
            "16 checkers",
            "both on one point",
            "empty boards",
            "die 7",
            "negative",
        ];
        if refused.iter().any(|word| name.starts_with(word)) {
            assert_eq!(answer.status, 400, "{name}");
            assert!(answer.json()["message"].is_string(), "{name}");
            continue;
        }
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json")),
            "{name}"
        );
        let (ours, theirs) = (answer.json(), &line["answer"]);
        assert_eq!(list(&ours).len(), list(theirs).len(), "{name}");
        if list(&ours).is_empty() {
            continue;
        }
        assert_eq!(shape(&ours[0]), shape(&theirs[0]), "{name}");
        // Without a limit both have all plays, without scores in the same order too.
        if line["request"]["score-moves"] == false {
            assert_eq!(ours, *theirs, "{name}");
        } else if line["request"]["max-moves"].is_null() || line["request"]["max-moves"] == 9999 {
            assert_eq!(steps_of(&ours), steps_of(theirs), "{name}");
        }
        let equities: Vec<f64> = list(&ours)
            .iter()
            .map(|one| one["evaluation"]["diff"].as_f64().unwrap_or_default())
            .collect();
        assert!(
            equities[0] == 0.0 && equities.iter().all(|diff| *diff <= 0.0),
            "{name}"
        );
        let text = String::from_utf8(answer.body).unwrap();
        assert!(!text.contains(".0,") && !text.contains("e-"), "{text}");
    }
}

/// BW-40, BW-50, BW-51, BW-52.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of requests")]
fn bgweb_additions() {
    let (_server, _, http) = server();
    let ask = |path: &str, body: Value| post(&http, path, &body.to_string());
    let side = json!({"6": 5, "8": 3, "13": 5, "24": 2});
    let board = json!({"x": side, "o": side});
    let plain = json!({"board": board, "dice": [3, 1], "player": "x", "plies": 0, "max-moves": 1});
    let first = ask("/api/v1/getmoves", plain.clone()).json();
    assert_eq!(
        first[0]["play"],
        json!([{"from": "8", "to": "5"}, {"from": "6", "to": "5"}])
    );
    let by_id =
        json!({"position": START, "dice": [3, 1], "plies": 0, "max-moves": 1, "extra": true});
    let second = ask("/api/v1/getmoves", by_id).json();
    assert_eq!(second[0]["evaluation"], first[0]["evaluation"]);
    assert_eq!(second[0]["notation"], "8/5 6/5");
    assert_eq!(second[0]["position"].as_str().unwrap().len(), 14);
    let scored = json!({"board": board, "dice": [3, 1], "player": "o", "plies": 0, "max-moves": 1,
        "match": {"length": 7, "x": 6, "o": 2}, "cube": {"value": 2, "owner": "x"}});
    let scored = ask("/api/v1/getmoves", scored).json();
    let chance = scored[0]["evaluation"]["mwc"].as_f64().unwrap();
    assert!((0.01..0.3).contains(&chance), "{scored}");
    let cube = ask(
        "/api/v1/getcube",
        json!({"board": board, "player": "x", "plies": 0}),
    )
    .json();
    assert_eq!(
        (&cube["double"], &cube["take"], &cube["double-pass"]),
        (&json!(false), &json!(true), &json!(1))
    );
    assert_eq!(
        ask("/api/v1/evaluate", json!({"position": START})).json()["info"]["plies"],
        3
    );

    let bad = json!({"board": board, "dice": [3, 7], "player": "x"});
    let refused =
        json!({"code": "bad-roll", "message": "dice[1] is 7, expected a whole number from 1 to 6"});
    let many = json!({"requests": [plain, bad, plain]});
    let many = ask("/api/v1/batch-getmoves", many).json();
    assert_eq!(many, json!({"results": [first, {"error": refused}, first]}));
    let many = ask("/api/v1/getmoves", json!([plain, bad])).json();
    assert_eq!(many, json!([first, {"error": refused}]));

    let conflict =
        json!({"board": board, "position": "sGfwATDgc/ABMA", "dice": [3, 1], "player": "x"});
    let mut without = plain.clone();
    without.as_object_mut().unwrap().remove("dice");
    for (body, field, pointer) in [
        (bad, "dice[1]", "/dice/1"),
        (without, "dice", "/dice"),
        (json!({"dice": [3, 1], "player": "x"}), "board", "/board"),
        (
            json!({"board": {"x": {}}, "dice": [3, 1], "player": "x"}),
            "board.o",
            "/board/o",
        ),
        (
            json!({"board": {"x": {"6": 1.5}, "o": {}}, "dice": [3, 1], "player": "x"}),
            "board.x.6",
            "/board/x/6",
        ),
        (
            json!({"board": {"x": {"bar": 16}, "o": {}}, "dice": [3, 1], "player": "x"}),
            "board.x",
            "/board/x",
        ),
        (
            json!({"board": board, "dice": [3, 1], "player": "X"}),
            "player",
            "/player",
        ),
        (json!({"board": board, "dice": [3, 1]}), "player", "/player"),
        (conflict, "board", "/board"),
        (
            json!({"position": START, "dice": [3, 1], "plies": 4}),
            "plies",
            "/plies",
        ),
        (
            json!({"position": START, "dice": [3, 1], "match": {"length": 3, "x": 3}}),
            "match",
            "/match",
        ),
        (
            json!({"position": START, "dice": [3, 1], "cube": {"value": 3}}),
            "cube",
            "/cube",
        ),
    ] {
        let answer = ask("/api/v1/getmoves", body.clone());
        let error = answer.json();
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(
            (&error["field"], &error["pointer"]),
            (&json!(field), &json!(pointer)),
            "{error}"
        );
        assert!(
            error["message"].is_string() && error["code"].is_string(),
            "{error}"
        );
    }
    let answer = get(&http, "/api/v1/getmoves", "");
    assert_eq!(
        (answer.status, answer.header("allow")),
        (405, Some("POST, OPTIONS"))
    );
}

/// The board after steps of the player on roll, as the vectors write it.
fn board_after(board: &Value, steps: &Value) -> String {
    let mut points: Vec<i64> = list(&board["points"])
        .iter()
        .map(|one| one.as_i64().unwrap())
        .collect();
    let count = |name: &str| board[name].as_i64().unwrap();
    let (mut bar, mut their_bar) = (count("barOnRoll"), count("barOpponent"));
    let (mut off, their_off) = (count("offOnRoll"), count("offOpponent"));
    for step in list(steps) {
        let place = |name: &str| usize::try_from(step[name].as_u64().unwrap()).unwrap();
        match place("from") {
            0 => bar -= 1,
            from => points[from - 1] -= 1,
        }
        let mut hit = false;
        match place("to") {
            0 => off += 1,
            to => {
                hit = points[to - 1] == -1;
                if hit {
                    points[to - 1] = 0;
                    their_bar += 1;
                }
                points[to - 1] += 1;
            }
        }
        assert_eq!(step["isHit"], hit, "{step}");
    }
    let points: Vec<String> = points.iter().map(i64::to_string).collect();
    format!(
        "{}|bar:{bar},{their_bar}|off:{off},{their_off}",
        points.join(",")
    )
}

/// NEP-01, NEP-21, NEP-30: legal plays in both readings of an id.
#[test]
fn nodots_plays_are_legal() {
    let (_server, _, http) = server();
    let vectors: Value = serde_json::from_str(NODOTS).unwrap();
    let vectors = list(&vectors["vectors"]);
    assert!(vectors.len() > 5, "{}", vectors.len());
    for vector in vectors {
        let mut request = vector["request"].clone();
        let answer = post(&http, "/v1/move", &request.to_string());
        assert_eq!(answer.status, 200, "{vector}");
        let body = answer.json();
        let legal = list(&vector["legalResults"]);
        let played = [&body["moves"]].into_iter();
        for steps in played.chain(list(&body["candidates"]).iter().map(|one| &one["moves"])) {
            let after = board_after(&vector["board"], steps);
            assert!(legal.contains(&json!(after)), "{} {after}", vector["id"]);
        }
        for (rank, one) in list(&body["candidates"]).iter().enumerate() {
            let chance = |name: &str| one["evaluation"][name].as_f64().unwrap();
            assert!(
                chance("win") >= chance("winGammon")
                    && 1.0 - chance("win") >= chance("loseGammon") - 1e-9
            );
            assert_eq!(one["rank"], rank + 1);
        }
        request
            .as_object_mut()
            .unwrap()
            .remove("positionIdConvention");
        assert_eq!(post(&http, "/v1/move", &request.to_string()).json(), body);
        request["positionIdConvention"] = json!("on-roll-first");
        request["positionId"] = vector["onRollFirst"].clone();
        assert_eq!(post(&http, "/v1/move", &request.to_string()).json(), body);
    }
}

/// NEP-01, NEP-10, NEP-11, NEP-12, NEP-13.
#[test]
fn nodots_cube_score_and_health() {
    let (_server, _, http) = server();
    let health = get(&http, "/v1/health", "").json();
    assert_eq!(
        (&health["status"], &health["protocolVersion"]),
        (&json!("ok"), &json!("1"))
    );
    let race = gammond::Position::from_points(
        &[0, 0, 0, 0, 0, 6, 4, 0, 0, 5],
        &[0, 0, 0, 0, 0, 6, 0, 4, 0, 0, 0, 5],
    );
    let (mine, theirs) = (race.unwrap(), race.unwrap().swapped());
    let ask = |path: &str, position: gammond::Position, more: Value| {
        let mut body = json!({"positionId": PositionId::from(position).to_string(), "activePlayerColor": "black",
            "activePlayerDirection": "clockwise", "cubeValue": 1, "cubeOwner": null, "matchScore": [0, 0],
            "matchLength": 0, "crawford": false, "jacoby": true, "beavers": false});
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        post(&http, path, &body.to_string()).json()
    };
    let double = ask("/v1/double", mine, json!({}));
    assert_eq!(double["action"], "double", "{double}");
    assert!(double["takePoint"].is_number() && double["dropPoint"].is_number());
    let owned = json!({"cubeValue": 2, "cubeOwner": "black"});
    assert_eq!(ask("/v1/double", mine, owned)["action"], "redouble");
    let not_mine = json!({"cubeValue": 2, "cubeOwner": "white"});
    assert_eq!(ask("/v1/double", mine, not_mine)["action"], "no-double");
    let crawford = json!({"matchLength": 7, "matchScore": [6, 5], "crawford": true});
    assert_eq!(ask("/v1/double", mine, crawford)["action"], "no-double");
    // The taker's view: the other one is ahead.
    let take = ask("/v1/take", theirs, json!({"activePlayerColor": "white"}));
    assert!(["take", "drop"].contains(&take["action"].as_str().unwrap()));
    let equity = |answer: &Value, name: &str| answer[name].as_f64().unwrap();
    assert!(
        equity(&take, "takeEquity") < 0.0 && take["dropEquity"] == json!(-1.0),
        "{take}"
    );
    assert!(
        ask("/v1/take", mine, json!({}))["takeEquity"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    // By colour: black, who asks, has six points of seven or none.
    let score = |white: u8, black: u8| {
        let more = json!({"matchLength": 7, "matchScore": [white, black], "dice": [3, 1]});
        equity(&ask("/v1/move", mine, more), "equity")
    };
    assert!((score(0, 6) - score(6, 0)).abs() > 0.01);
    let one = json!({"matchLength": 1, "dice": [3, 1]});
    assert_eq!(
        ask("/v1/move", mine, one),
        ask("/v1/move", mine, json!({"dice": [3, 1]}))
    );
    assert_eq!(ask("/v1/resign", mine, json!({}))["action"], "none");
    let lost = gammond::Position::from_points(&[15], &[1]).unwrap();
    assert_eq!(
        ask("/v1/resign", lost, json!({"jacoby": true}))["action"],
        "single"
    );
}

/// NEP-40, NEP-70.
#[test]
fn nodots_errors_have_their_shape() {
    let (_server, _, http) = server();
    let check = |answer: &Answer, status: u16, code: &str, field: Option<&str>| {
        let error = answer.json()["error"].clone();
        assert_eq!(
            (answer.status, &error["code"]),
            (status, &json!(code)),
            "{error}"
        );
        assert_eq!(error["field"].as_str(), field, "{error}");
    };
    let ask = |path: &str, body: Value| post(&http, path, &body.to_string());
    let bad_id = json!({"positionId": "!!!not-a-position!!!", "dice": [3, 1]});
    check(
        &ask("/v1/move", bad_id),
        400,
        "invalid_position_id",
        Some("positionId"),
    );
    let bad_dice = json!({"positionId": START, "dice": [9, 0]});
    check(
        &ask("/v1/move", bad_dice),
        400,
        "invalid_request",
        Some("dice[0]"),
    );
    check(
        &ask("/v1/move", json!({"positionId": START})),
        400,
        "invalid_request",
        Some("dice"),
    );
    check(
        &ask("/v1/take", json!({})),
        400,
        "invalid_request",
        Some("positionId"),
    );
    check(&ask("/v1/take", json!([])), 400, "invalid_request", None);
    let long = json!({"positionId": START, "matchLength": 256});
    check(
        &ask("/v1/double", long),
        501,
        "unsupported",
        Some("matchLength"),
    );
    check(
        &post(&http, "/v1/double", "{not json"),
        400,
        "invalid_request",
        None,
    );
    check(&get(&http, "/v1/double", ""), 405, "invalid_request", None);
    // Whose client this is cannot be known: both shapes.
    let both = post(&http, "/v1/move", "{not json");
    check(&both, 400, "invalid_request", None);
    assert_eq!(both.json()["code"], "bad-json");
    assert_eq!(
        both.header("content-type"),
        Some("application/problem+json")
    );
    for body in [
        json!({"positionId": START, "position": START}),
        json!({"dice": [3, 1]}),
    ] {
        assert_eq!(
            ask("/v1/move", body).json()["type"],
            "/v1/errors/bad-request"
        );
    }
}
