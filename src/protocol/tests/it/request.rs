//! The request language: rules Q-, S- and A- of `protocol-specs/request-protocol.md`.

use crate::answers::answer;
use gammond_engine::engine::Engine;
use gammond_engine::query::{Question, RolloutSubject};
use gammond_protocol::{
    Dialect, FramedLine, LINE_BYTES_MAX, LineAction, Options, Request, Session, parse_line, verbs,
};
use serde_json::Value;

const START: &str = "4HPwATDgc/ABMA";

/// Whether the line was refused, and the answer.
fn ask_in(session: &mut Session, line: &[u8]) -> (bool, String) {
    match session.line(FramedLine::Line(line)) {
        LineAction::Silence => (false, String::new()),
        LineAction::Say(text) | LineAction::Close(text) => (false, text),
        LineAction::Refuse(text) => (true, text),
        LineAction::Ask(inquiry) => {
            let engine = Engine::builder().threads(1).build().unwrap();
            let text = answer(&engine, *inquiry);
            (text.contains("\"type\":\"error\""), text)
        }
        other => panic!("{other:?}"),
    }
}

fn ask(line: &str) -> Value {
    let (_, text) = ask_in(&mut Session::default(), line.as_bytes());
    assert!(
        text.ends_with('\n') && text.matches('\n').count() == 1,
        "{text}"
    );
    serde_json::from_str(&text).unwrap()
}

fn check_error(line: &[u8], code: &str, field: &str, at: usize) {
    let shown = String::from_utf8_lossy(line);
    // A line over the limit is told by what cuts lines.
    let (refused, text) = match line.len() {
        ..=LINE_BYTES_MAX => ask_in(&mut Session::default(), line),
        _ => match Session::default().line(FramedLine::TooLong) {
            LineAction::Refuse(text) => (true, text),
            other => panic!("{other:?}"),
        },
    };
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert!(refused, "{shown}");
    assert_eq!(answer["type"], "error", "{shown}: {answer}");
    assert_eq!(answer["code"], code, "{shown}: {answer}");
    assert_eq!(answer["field"], field, "{shown}: {answer}");
    assert_eq!(answer["at"], at, "{shown}: {answer}");
    assert!(!answer["message"].as_str().unwrap().is_empty());
}

/// Q-01, Q-02, Q-04, Q-05, Q-07: line ends, NULs, blanks; what is passed over.
#[test]
fn line_ends_and_lines_without_a_question() {
    let session = Options::default();
    for nothing in [
        "",
        " ",
        "\r",
        "\t \r",
        "; anything",
        "  ;x",
        "\0",
        "\0\0 \r",
        "# a comment",
        "#",
        "#R OAHDPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0",
        "#Resumed",
        "r 123",
        "s version 1.93",
    ] {
        assert!(
            parse_line(nothing.as_bytes(), &session).is_none(),
            "{nothing:?}"
        );
        assert!(Session::passes_over(nothing.as_bytes()), "{nothing:?}");
    }
    for line in [
        "ping",
        "ping\r",
        "\0ping",
        "\0\0  ping \t\r",
        "PING",
        "Ping",
    ] {
        assert_eq!(ask(line)["type"], "pong", "{line:?}");
    }
    for ending in ["quit", "exit", "#7 QUIT", "Exit"] {
        let step = Session::default().line(FramedLine::Line(ending.as_bytes()));
        assert!(matches!(step, LineAction::Close(_)), "{ending}: {step:?}");
    }
    assert_eq!(ask("#set ping")["id"], "set");
}

/// Q-10: ids come back as they were, in answers and errors.
#[test]
fn ids_come_back() {
    assert_eq!(ask("#7 ping")["id"], "7");
    assert_eq!(ask("#a\"b\\ö  ping")["id"], "a\"b\\ö");
    assert_eq!(ask("#x hello")["id"], "x");
    assert_eq!(ask("#x eval 4HPwATDgc/ABM")["id"], "x");
    assert!(ask("ping").get("id").is_none());
    let long = format!("#{} ping", "x".repeat(64));
    assert_eq!(ask(&long)["id"], "x".repeat(64));
    check_error(
        format!("#{} ping", "x".repeat(65)).as_bytes(),
        "bad-id",
        "id",
        0,
    );
    check_error(b"#\xff ping", "bad-id", "id", 0);
    check_error(b"#7", "bad-request", "request", 2);
}

/// Q-20, Q-21: every form of a position, every form of a roll, with a verb and bare.
#[test]
fn positions_and_rolls_in_every_form() {
    let forms = [
        START.to_owned(),
        format!("{START}:cAkAAAAAAAAE"),
        "OAHDPAABDAOAHDPAABDA".to_owned(),
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:10".to_owned(),
    ];
    for form in &forms {
        assert_eq!(ask(&format!("eval {form}"))["position"], START, "{form}");
        assert_eq!(ask(form)["type"], "eval", "{form}");
        for roll in ["31", "3 1", "3-1", "3,1", "3   1"] {
            for verb in ["move ", ""] {
                let answer = ask(&format!("{verb}{form} {roll}"));
                assert_eq!(answer["type"], "move", "{form} {roll}");
                assert_eq!(answer["roll"], serde_json::json!([3, 1]));
                assert_eq!(answer["plays"].as_array().unwrap().len(), 16);
                assert_eq!(answer["plays"][0]["loss"], 0.0);
            }
        }
    }
    let embedded = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10";
    assert_eq!(ask(embedded)["roll"], serde_json::json!([5, 2]));
    assert_eq!(
        ask(&format!("{embedded} 31"))["roll"],
        serde_json::json!([3, 1])
    );
    assert_eq!(
        ask(&format!("move {embedded} top=2"))["plays"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// Q-22, S-01 to S-12: form, session, request; the later wins. S-06: a refused `set` changes nothing.
#[test]
fn settings_of_session_and_request() {
    let mut session = Session::default();
    let (refused, _) = ask_in(
        &mut session,
        b"set plies=1 top=3 jacoby=off length=7 score=2:3",
    );
    assert!(!refused);
    let request = |line: &str, session: &Session| {
        parse_line(line.as_bytes(), session.settings())
            .unwrap()
            .unwrap()
            .request
    };
    let request = |line: &str, session: &Session| match request(line, session) {
        Request::Position(request) => request,
        other => panic!("{line}: {other:?}"),
    };
    let ranked = request(&format!("{START} 31 top=5"), &session);
    let settings = &ranked.settings;
    assert_eq!(ranked.verb, &verbs::MOVE);
    assert_eq!((settings.plies, settings.top), (1, Some(5)));
    let score = ranked.state.score;
    assert_eq!((score.length(), score.me()), (7, 2));
    let valued = request(&format!("{START}:cAkAAAAAAAAE"), &session);
    assert_eq!(valued.verb, &verbs::EVAL);
    assert_eq!(
        valued.state.score.length(),
        0,
        "the form's own state wins over the session's"
    );
    let line = format!("cube {START}:cAkAAAAAAAAE length=3 score=0:2 crawford=on");
    let score = request(&line, &session).state.score;
    assert!(score.is_crawford() && score.opponent() == 2);
    let (_, text) = ask_in(&mut session, b"get");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["plies"], 1);
    assert_eq!(answer["score"], "2:3");
    assert!(ask_in(&mut session, b"set plies=0 depth=3").0);
    assert_eq!(ask_in(&mut session, b"get").1, text);
    let listed: Value = serde_json::from_str(&ask_in(&mut session, b"set plies=1").1).unwrap();
    let settings = answer.as_object().unwrap().keys();
    assert!(settings.into_iter().all(|key| listed.get(key).is_some()));
    // S-04: a new score clears the Crawford flag, a new length the score.
    ask_in(&mut session, b"set length=7 score=6:3 crawford=on");
    for (line, crawford) in [
        ("cube 4HPwATDgc/ABMA", true),
        ("cube 4HPwATDgc/ABMA score=3:6", false),
        ("cube 4HPwATDgc/ABMA length=0", false),
    ] {
        let score = request(line, &session).state.score;
        assert_eq!(score.is_crawford(), crawford, "{line}");
    }
    assert!(!ask_in(&mut session, b"set score=6:6").0);
    let (refused, text) = ask_in(&mut session, b"set length=0");
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert!(!refused && answer["score"].is_null(), "{text}");
    check_error(b"set plies=9", "bad-setting", "setting", 4);
    check_error(b"set plies=1 depth=3", "bad-setting", "setting", 12);
    check_error(b"set", "bad-setting", "setting", 3);
    check_error(b"set plies", "bad-request", "request", 4);
    check_error(b"set score=3:3", "bad-score", "score", 4);
    check_error(
        b"eval 4HPwATDgc/ABMA cube=2 crawford=on length=3 score=2:0",
        "bad-cube",
        "cube",
        20,
    );
}

/// A-01, ERR-01, ERR-02, ERR-03, ERR-04: each wrong line has its own error, with the place; Q-03,
/// Q-08, Q-23, Q-28.
#[test]
fn errors_name_field_and_place() {
    check_error(b"hello", "unknown-verb", "request", 0);
    check_error(b"  hello", "unknown-verb", "request", 2);
    check_error(b"eval", "missing-position", "position", 4);
    check_error(b"4HPwATDgc/ABM", "bad-position", "position ID", 0);
    check_error(b"eval 4HPwATDgc/ABM", "bad-position", "position ID", 5);
    check_error(b"move 4HPwATDgc/ABMA", "missing-roll", "roll", 19);
    check_error(b"move 4HPwATDgc/ABMA 37", "bad-roll", "second die", 21);
    check_error(b"move 4HPwATDgc/ABMA 3", "bad-roll", "second die", 21);
    check_error(
        b"move 4HPwATDgc/ABMA 31 plies",
        "bad-request",
        "request",
        23,
    );
    check_error(
        b"move 4HPwATDgc/ABMA 31 plies=x",
        "bad-setting",
        "setting",
        23,
    );
    check_error(b"ping now", "bad-request", "request", 5);
    // The text's own cube and score, and a setting that is wrong beside others.
    check_error(
        b"convert XGID=-b----E-C---eE---c-e----B-:1:0:1:00:4:0:1:5:10",
        "bad-xgid",
        "XGID cube",
        40,
    );
    check_error(
        b"convert 4HPwATDgc/ABMA:8QmgABAAIAAE",
        "bad-match-id",
        "match ID cube",
        23,
    );
    check_error(
        b"eval 4HPwATDgc/ABMA plies=0 score=3:3",
        "bad-score",
        "score",
        28,
    );
    check_error(b"cube AQAAAgAAAAAAAA plies=2", "game-over", "position", 5);
    let owned = b"cube XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:0:0:3:0:10 plies=2";
    check_error(owned, "bad-cube", "cube", 5);
    check_error(b"pi\0ng", "bad-byte", "line", 2);
    check_error(b"ping\xff", "bad-byte", "line", 4);
    check_error(b"\xff\xfd\x01ping", "bad-byte", "line", 0);
    check_error(b"pi\rng", "bad-byte", "line", 2);
    check_error(
        b"m OAHDPAABDAOAHDPAABDA 2 4",
        "bad-record",
        "best candidate",
        26,
    );
    let long = vec![b'x'; LINE_BYTES_MAX + 1];
    check_error(&long, "line-too-long", "line", LINE_BYTES_MAX);
}

/// A-02, A-03, A-04, A-05, A-06: the shapes of the interface.
#[test]
fn answers_have_the_shapes_of_the_interface() {
    let eval = ask(&format!("#7 eval {START}"));
    for key in [
        "win",
        "win_gammon",
        "win_backgammon",
        "lose_gammon",
        "lose_backgammon",
    ] {
        assert!(eval["probabilities"][key].is_number(), "{key}");
    }
    assert_eq!(eval["class"], "contact");
    assert_eq!(eval["unit"], "points");
    assert!(eval["equity"]["cubeless"].is_number());
    assert!(eval["net"].is_string() && eval["plies"] == 0);
    let play = ask(&format!("move {START} 31"));
    let best = &play["plays"][0];
    for key in [
        "play",
        "position",
        "equity",
        "loss",
        "plies",
        "probabilities",
    ] {
        assert!(best.get(key).is_some(), "{key}");
    }
    let cube = ask(&format!("cube {START}"));
    for key in ["no_double", "double_take", "double_pass"] {
        assert!(cube[key].is_number(), "{key}");
    }
    assert!(cube["double"].is_boolean() && cube["take"].is_boolean());
    assert!(cube["verdict"].is_string());
    let dance = ask("move 27YdAACYz8EDQA 65");
    assert_eq!(dance["plays"].as_array().unwrap().len(), 1);
    assert_eq!(dance["plays"][0]["play"], "");
    let record =
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133";
    let answer = ask(record);
    assert_eq!(answer["type"], "m");
    assert_eq!(answer["choice"].as_str().unwrap().len(), 20);
    let listed = answer["listed"].as_bool().unwrap();
    assert_eq!(listed, answer["rank"].is_number());
    assert!(answer["loss"].as_f64().unwrap() >= 0.0);
    let show = ask(&format!("show {START} 31"));
    assert!(show.get("race").is_none(), "contact");
    assert_eq!(show["pips"], serde_json::json!([167, 167]));
    let convert = ask(&format!("convert {START}"));
    assert_eq!(convert["key"], "OAHDPAABDAOAHDPAABDA");
}

/// A-07: no number has more digits than it is worth.
/// A-06
#[test]
fn races_are_shown_with_peoples_counts() {
    let (mut me, mut opponent) = ([0; 25], [0; 25]);
    me[..6].copy_from_slice(&[2, 1, 4, 2, 1, 1]);
    opponent[..6].copy_from_slice(&[3, 0, 3, 0, 0, 4]);
    let position = gammond_game::Position::new(&me, &opponent).unwrap();
    let id = gammond_game::notation::PositionId::from(position).to_string();
    let race = ask(&format!("show {id}"))["race"].clone();
    assert_eq!(race["keith"]["counts"][1], 42.0);
    assert_eq!(race["keith"]["double"], true);
    assert_eq!(race["thorp"]["counts"][1], 56.0);
    assert_eq!(race["kleinman"]["take"], true);
}

/// Q-29, Q-60: without a cube to turn there is no cube decision, with a search as with a rollout.
#[test]
fn cube_that_may_not_be_turned_is_refused() {
    for (settings, at) in [
        ("owner=opponent", 0),
        ("plies=0 cube=4096 owner=me", 8),
        ("cubeful=off", 0),
    ] {
        for verb in ["cube", "rollout cube"] {
            let line = format!("{verb} {START} {settings}");
            let at = verb.len() + START.len() + 2 + at;
            check_error(line.as_bytes(), "bad-cube", "cube", at);
        }
    }
    let unused = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:3:0:0";
    for verb in ["cube", "rollout cube"] {
        let answer = ask(&format!("{verb} {unused}"));
        assert_eq!(answer["code"], "bad-cube");
        assert_eq!(
            answer["message"],
            "no cube is in use, so there is no cube decision"
        );
    }
    assert_eq!(ask(&format!("cube {unused} cubeful=on"))["type"], "cube");
    // A search answers for a dead cube, a rollout has nothing to compare.
    for (score, at) in [("6:3", 13), ("3:6 crawford=on", 47)] {
        let settings = format!("length=7 score={score}");
        assert_eq!(ask(&format!("cube {START} {settings}"))["type"], "cube");
        let line = format!("rollout cube {START} {settings}");
        check_error(line.as_bytes(), "bad-cube", "cube", at);
    }
}

/// Q-60: `plays=` may stand anywhere among the settings.
#[test]
fn plays_to_roll_out_stand_among_settings() {
    let line = format!("rollout {START} 31 trials=36 plays=\"8/5 6/5; 24/23 13/10\" seed=7");
    let parsed = parse_line(line.as_bytes(), &Options::default());
    let Request::Position(request) = parsed.unwrap().unwrap().request else {
        panic!("a position");
    };
    let Some(Question::Rollout(task)) = request.question else {
        panic!("a rollout");
    };
    assert_eq!((task.settings.trials, task.settings.seed), (36, 7));
    let RolloutSubject::Plays(plays) = &task.query.subject else {
        panic!("plays");
    };
    assert_eq!(plays.len(), 2);
    for (plays, code) in [
        ("plays=8/5", "bad-setting"),
        ("plays=\"8/5 6/5", "bad-setting"),
        ("plays=\"8/5 6/4\"", "bad-play"),
    ] {
        let line = format!("rollout {START} 31 trials=36 {plays}");
        check_error(line.as_bytes(), code, "plays", 36);
    }
}

/// Q-61: few games have no errors, and a rollout without time for a game is late, not stopped.
#[test]
fn short_rollouts_have_no_errors() {
    for (trials, known) in [(36, false), (72, true)] {
        let line = format!("rollout {START} trials={trials} truncate=1 length=7 score=3:5");
        let candidate = ask(&line)["candidates"][0].clone();
        for errors in ["error", "mwc_error", "probability_errors"] {
            let errors = candidate[errors].as_object().unwrap();
            assert!(errors.values().all(|error| error.is_number() == known));
        }
        let (_, text) = ask_in(
            &mut Session::default(),
            format!("{line} answer=text").as_bytes(),
        );
        assert_eq!(text.contains("unknown"), !known, "{text}");
    }
    let late = ask(&format!("rollout {START} 31 trials=36 plies=2 time=1"));
    assert_eq!(late["code"], "timeout", "{late}");
}

/// RO-14: a level gives a rollout its settings; the session's does not.
#[test]
fn rollouts_at_a_level() {
    let mut session = Session::default();
    ask_in(&mut session, b"set level=roller");
    for (setting, trials, level) in [
        ("level=roller", 36, Some("roller")),
        ("level=roller trials=72", 72, Some("roller")),
        ("trials=40 truncate=1", 40, None),
    ] {
        let line = format!("rollout {START} {setting}");
        let (_, text) = ask_in(&mut session, line.as_bytes());
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(answer["trials"], trials, "{text}");
        assert_eq!(answer["level"].as_str(), level, "{text}");
    }
}

/// MET-09: in a long match results that change nothing have finite values.
#[test]
fn long_matches_have_finite_values() {
    for settings in [
        "length=93 score=0:91",
        "length=100 score=0:98",
        "length=142 score=141:0",
        "length=255 score=254:54 cube=64 owner=me",
        "length=255 score=0:254",
    ] {
        for (verb, rest) in [
            ("eval", ""),
            ("cube", ""),
            ("move", "31 "),
            ("rollout", "trials=36 truncate=1 "),
        ] {
            let answer = ask(&format!("{verb} {START} {rest}{settings}"));
            assert_eq!(answer["type"], verb, "{settings}: {answer}");
        }
    }
    let eval = ask("eval 4HPwATDgc/ABMA length=255 score=254:54 cube=64 owner=opponent");
    let equity = eval["equity"]["cubeful"].as_f64().unwrap();
    assert!(equity.abs() <= 2e11, "{eval}");
}

/// GID-02: text pasted from gnubg's screen is a position in JSON too.
#[test]
fn pasted_text_is_a_position_in_json() {
    let pasted = "Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAAE";
    let line = |position: &str| format!(r#"{{"verb":"eval","position":"{position}"}}"#);
    assert_eq!(
        ask(&line(pasted)),
        ask(&line("4HPwATDgc/ABMA:cAkAAAAAAAAE"))
    );
    for wrong in [
        "4HPwATDgc/ABMA plies=2",
        " 4HPwATDgc/ABMA",
        &format!("{pasted} plies=2"),
    ] {
        assert_eq!(ask(&line(wrong))["code"], "bad-position", "{wrong}");
    }
}

/// GID-02: text pasted from gnubg's screen, before a roll and settings.
#[test]
fn pasted_text_is_a_position() {
    for text in [
        "GNUbg ID: 4HPwATDgc/ABMA:cAkAAAAAAAAE",
        "Position ID: 4HPwATDgc/ABMA Match ID: cAkAAAAAAAAE",
        "Match ID   : cAkAAAAAAAAE Position ID: 4HPwATDgc/ABMA",
    ] {
        assert_eq!(ask(&format!("convert {text}"))["match"], "cAkAAAAAAAAE");
        let play = ask(&format!("#7 {text} 31 plies=0"));
        assert_eq!(play["roll"], serde_json::json!([3, 1]), "{text}: {play}");
    }
    let missing = "convert Position ID: 4HPwATDgc/ABMA plies=1";
    check_error(
        missing.as_bytes(),
        "bad-match-id",
        "match ID",
        missing.len(),
    );
}

#[test]
fn numbers_are_rounded() {
    fn check(value: &Value, places: usize) {
        match value {
            Value::Number(number) => {
                let text = number.to_string();
                let decimals = text.split_once('.').map_or(0, |(_, after)| after.len());
                assert!(decimals <= places && !text.contains('e'), "{text}");
            }
            Value::Array(values) => values.iter().for_each(|value| check(value, places)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                check(value, if name == "mwc" { 7 } else { places });
            }),
            _ => {}
        }
    }
    for line in [
        "eval 4HPwATDgc/ABMA",
        "move 4HPwATDgc/ABMA 31",
        "cube 4HPwATDgc/ABMA",
        "eval 4HPwATDgc/ABMA length=7 score=3:5",
        "move 4HPwATDgc/ABMA 31 length=7 score=3:5",
        "cube 4HPwATDgc/ABMA length=7 score=3:5",
        "set noise=0.05",
        "m OAHDPAABDAOAHDPAABDA 3 1 EIGHPAABDAOAHDPAABDA 0.0 JIGHPAABDAOAHDPAABDA 0.68",
        "o OAHDPAABDAOAHDPAABDA 0.68 0.149 0.0068 0.1246 0.0055",
        "show 3xUAALjZrYAAAA",
    ] {
        check(&ask(line), 6);
    }
    assert_eq!(ask("set noise=0.05")["noise"].to_string(), "0.05");
    let record = ask("o OAHDPAABDAOAHDPAABDA 0.68 0.149 0.0068 0.1246 0.0055");
    assert_eq!(record["record"]["win"].to_string(), "0.68");
}

/// A-08: the two other styles.
#[test]
fn styles() {
    let mut session = Session::default();
    ask_in(&mut session, b"set answer=position");
    let line = format!("{START} 31 answer=position");
    let (_, text) = ask_in(&mut session, line.as_bytes());
    assert_eq!(text.trim_end().len(), 14);
    ask_in(&mut session, b"set answer=text");
    let (_, text) = ask_in(&mut session, b"#9 eval 4HPwATDgc/ABMA");
    assert!(text.starts_with("#9 "), "{text}");
    let (_, text) = ask_in(&mut session, b"hello");
    assert!(text.starts_with("error unknown-verb "), "{text}");
}

/// Q-26: a board line has the bare answer that gnubg expects, even with an id.
#[test]
fn board_lines_have_bare_answers() {
    let board = "board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    let answer = |line: &str| ask_in(&mut Session::default(), line.as_bytes()).1;
    assert_eq!(answer(board), "8/5 6/5\n");
    assert_eq!(answer(&format!("#7 {board}")), "8/5 6/5\n");
    assert_eq!(
        answer(&board.replace(":3:1:3:1:", ":6:6:6:6:"))
            .split(' ')
            .count(),
        4
    );
    assert_eq!(ask("board:a:b:7")["code"], "bad-board");
    assert_eq!(ask(&format!("move {board}"))["type"], "move");
}

/// Q-27: there is nothing to decide in a finished game.
#[test]
fn finished_games() {
    let over = "4HPwATAAAAAAAA";
    assert_eq!(ask(&format!("eval {over}"))["class"], "over");
    assert_eq!(ask(&format!("show {over}"))["type"], "show");
    for verb in ["move", "cube", "rollout"] {
        let line = format!("{verb} {over} 31");
        assert_eq!(ask(&line)["code"], "game-over", "{line}");
    }
}

/// MID-04, Q-27: the ID of a match that is over is converted as it is; nothing can be asked about it.
#[test]
fn a_match_that_is_over() {
    let over = "0HPwACbg8+BgIA:AWtAAAAAMAAE";
    let answer = ask(&format!("convert {over}"));
    assert_eq!(answer["gnubgid"], over);
    assert_eq!(answer["final"].as_array().map(Vec::len), Some(2));
    assert!(answer["xgid"].is_null() && answer["board"].is_null());
    for line in [
        format!("move {over} 31"),
        format!("cube {over}"),
        format!("eval {over}"),
        format!("show {over}"),
        format!("rollout {over}"),
        format!("convert {over} length=7"),
        over.to_owned(),
    ] {
        let answer = ask(&line);
        assert_eq!(answer["code"], "game-over", "{line}");
        let told = answer["message"].as_str().unwrap();
        assert!(
            told.contains("a match that is over: ") && told.contains("match to 2"),
            "{told}"
        );
    }
}

/// S-01, S-02, S-03, S-04: spellings of values.
#[test]
fn spellings_of_settings() {
    let mut session = Session::default();
    for (on, off) in [
        ("on", "off"),
        ("yes", "no"),
        ("true", "false"),
        ("1", "0"),
        ("ON", "Off"),
    ] {
        ask_in(
            &mut session,
            format!("set jacoby={on} JACOBY={off}").as_bytes(),
        );
        assert_eq!(session.settings().jacoby, Some(false));
        ask_in(&mut session, format!("set jacoby={on}").as_bytes());
        assert_eq!(session.settings().jacoby, Some(true));
    }
    for score in ["3:5", "3-5", "3,5"] {
        ask_in(
            &mut session,
            format!("set length=7 score={score}").as_bytes(),
        );
        assert_eq!(session.settings().score, Some((3, 5)));
    }
}

/// ERR-01: the list of codes in `protocol-specs/errors.md` is the one that the program keeps to.
#[test]
fn every_error_code_is_listed() {
    let text = include_str!("../../../../protocol-specs/errors.md");
    let row = |line: &'static str| {
        let (code, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let (meaning, module) = rest.strip_suffix(" |")?.rsplit_once(" | ")?;
        Some((code, meaning, module != "HTTP"))
    };
    let listed: Vec<_> = text.lines().filter_map(row).collect();
    let known = gammond_protocol::ErrorCode::ALL.iter();
    let known: Vec<_> = known
        .map(|code| (code.as_str(), code.meaning(), code.is_of_lines()))
        .collect();
    assert_eq!(listed, known);
}

/// Q-28, Q-29, S-05: what is meant is said, and what has no place is refused.
#[test]
fn errors_help() {
    let message = |line: &str| {
        let answer = ask(line);
        (
            answer["code"].as_str().unwrap().to_owned(),
            answer["message"].as_str().unwrap().to_owned(),
        )
    };
    for (line, code, part) in [
        ("hello", "unknown-verb", "see `help`"),
        (
            "mvoe 4HPwATDgc/ABMA 31",
            "unknown-verb",
            "did you mean move?",
        ),
        ("set lenght=7", "bad-setting", "did you mean length?"),
        ("eval 4HPwATDgc/ABMA 31", "bad-request", "use move"),
        ("cube 4HPwATDgc/ABMA 3 1", "bad-request", "use move"),
        (
            "cube 4HPwATDgc/ABMA cube=2 owner=opponent",
            "bad-cube",
            "opponent owns",
        ),
        ("set length=7 score=9:9", "bad-score", "9 is not below"),
        (
            "eval 4HPwATDgc/ABMA length=7 score=9:9",
            "bad-score",
            "9 is not below",
        ),
    ] {
        let (found, text) = message(line);
        assert_eq!(found, code, "{line}: {text}");
        assert!(text.contains(part), "{line}: {text}");
    }
    let carried = "XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:3:0:10";
    assert_eq!(ask(&format!("eval {carried}"))["type"], "eval");
    assert_eq!(ask(&format!("cube {carried}"))["type"], "cube");
}
