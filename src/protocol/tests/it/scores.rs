//! The verb `scores` beside single questions: rule Q-31.

use crate::answers::answer;
use gammond_engine::engine::Engine;
use gammond_protocol::{Dialect as _, FramedLine, LineAction, Options, Session};
use serde_json::{Value, json};

/// Returns the answer to a line of a new session.
fn ask(engine: &Engine, line: &str) -> Value {
    let mut session = Session::new(Options::default());
    let text = match session.line(FramedLine::Line(line.as_bytes())) {
        LineAction::Ask(inquiry) => answer(engine, *inquiry),
        LineAction::Refuse(text) => text,
        other => panic!("{line}: {other:?}"),
    };
    serde_json::from_str(&text).unwrap()
}

/// the decision at each score is the answer of `cube` there, and the errors are those of the money action.
#[test]
fn scores_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (position, cube) in [
        ("4HPwATDgc/ABMA", ""),
        ("jM/gDQDYzeAJIA", "cube=2 owner=me"),
        ("u7sNAADb7g4AAA", ""),
    ] {
        for depth in ["plies=0", "plies=2"] {
            let found = ask(&engine, &format!("scores {position} {cube} {depth} away=4"));
            let money = ask(&engine, &format!("cube {position} {cube} {depth}"));
            let members = [
                "no_double",
                "double_take",
                "double_pass",
                "optimal",
                "double",
                "take",
                "verdict",
            ];
            for member in members {
                assert_eq!(found["money"][member], money[member], "{member}");
            }
            let scores = found["scores"].as_array().unwrap();
            let rows = (1..=4).flat_map(|mine| (1..=4).map(move |theirs| (mine, theirs)));
            assert_eq!(scores.len(), 16);
            for (one, (mine, theirs)) in scores.iter().zip(rows) {
                assert_eq!(one["away"], json!([mine, theirs]));
                let score = format!("length=4 score={}:{}", 4 - mine, 4 - theirs);
                let line = format!("cube {position} {cube} {score} {depth}");
                let single = ask(&engine, &line);
                // 1-away both is double match point, where a cube has no place.
                for member in members {
                    assert_eq!(one[member], single[member], "{line} {member}");
                }
                assert_eq!(one["mwc"], single["mwc"]["optimal"], "{line}");
                check_errors(one, &money);
            }
        }
    }
}

/// Checks that the errors are the distance of the money action from the best one.
fn check_errors(one: &Value, money: &Value) {
    let value = |member: &str| one[member].as_f64().unwrap();
    let doubled = value("double_take").min(value("double_pass"));
    let acted = match money["double"] == json!(true) {
        true => doubled,
        false => value("no_double"),
    };
    let taken = match money["take"] == json!(true) {
        true => value("double_take"),
        false => value("double_pass"),
    };
    let near = |member: &str, want: f64| {
        let found = value(member);
        let may = found == 0.0 && one["away"][0] == json!(1);
        assert!(may || (found - want).abs() < 2e-6, "{member}: {one} {want}");
    };
    near("double_error", (value("optimal") - acted).max(0.0));
    near("take_error", taken - doubled);
}

/// the score of the position and the order of settings do not matter; what is wrong is refused by name.
#[test]
fn scores_of_a_cube_that_cannot_be_turned() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let plain = ask(&engine, "scores 4HPwATDgc/ABMA away=3");
    let of_match = ask(&engine, "scores 4HPwATDgc/ABMA length=7 score=2:3 away=3");
    assert_eq!(plain["scores"], of_match["scores"]);
    assert_eq!(
        ask(&engine, "scores 4HPwATDgc/ABMA")["scores"]
            .as_array()
            .unwrap()
            .len(),
        49
    );
    for (line, code) in [
        ("scores 4HPwATDgc/ABMA 31", "bad-request"),
        ("scores 4HPwATDgc/ABMA cube=2 owner=opponent", "bad-cube"),
        ("scores 4HPwATDgc/ABMA away=26", "bad-setting"),
        ("scores 4HPwATDgc/ABMA away=1", "bad-setting"),
        ("scores /wAAAAAAAAAAAA", "game-over"),
        ("scores", "missing-position"),
    ] {
        assert_eq!(ask(&engine, line)["code"], code, "{line}");
    }
}
