//! The verb `scores` beside single questions: rule Q-31.

use super::explain::{ask, ask_in};
use gammond_engine::engine::Engine;
use gammond_protocol::Options;
use serde_json::{Value, json};

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
    assert_eq!(plain["money"], of_match["money"]);
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:2:0:7:10";
    let of_form = ask(&engine, &format!("scores {xgid} away=3"));
    assert_eq!(plain["money"], of_form["money"]);
    let without = ask(
        &engine,
        "scores 4HPwATDgc/ABMA away=3 jacoby=off beavers=off",
    );
    let mut session = Options::default();
    (session.jacoby, session.beavers) = (Some(false), Some(false));
    for line in ["scores", "cube"] {
        let line = format!("{line} {xgid}");
        let asked = match line.starts_with("cube") {
            true => format!("{line} length=0"),
            false => format!("{line} away=3"),
        };
        let found = ask_in(&engine, session.clone(), &asked);
        let found = found.get("money").unwrap_or(&found);
        for name in ["no_double", "double_take", "action"] {
            assert_eq!(found[name], without["money"][name], "{asked}: {name}");
        }
    }
    assert_eq!(
        ask(&engine, "scores 4HPwATDgc/ABMA")["scores"]
            .as_array()
            .unwrap()
            .len(),
        49
    );
    for (line, code) in [
        ("scores 4HPwATDgc/ABMA cube=2 owner=opponent", "bad-cube"),
        ("scores 4HPwATDgc/ABMA away=65", "bad-setting"),
        ("scores 4HPwATDgc/ABMA away=1", "bad-setting"),
        ("scores /wAAAAAAAAAAAA", "game-over"),
        ("scores", "missing-position"),
    ] {
        assert_eq!(ask(&engine, line)["code"], code, "{line}");
    }
}

/// Q-31 with a roll: the play at each score is that of `move` there, and the loss that of the best play for money.
#[test]
fn plays_at_scores_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (position, roll) in [("4HPwATDgc/ABMA", "64"), ("jM/gDQDYzeAJIA", "62")] {
        for depth in ["plies=0", "plies=2"] {
            let found = ask(&engine, &format!("scores {position} {roll} {depth} away=3"));
            let money = ask(&engine, &format!("move {position} {roll} {depth}"));
            let play = money["plays"][0]["play"].as_str().unwrap();
            assert_eq!(found["money"]["play"], play);
            assert_eq!(found["money"]["equity"], money["plays"][0]["equity"]);
            let scores = found["scores"].as_array().unwrap();
            assert_eq!(scores.len(), 9 + 4);
            let mut crawford = 0;
            for one in scores {
                let [mine, theirs] = [0, 1].map(|at| one["away"][at].as_u64().unwrap());
                let rule = match one["crawford"].as_bool().unwrap() {
                    true => "crawford=1",
                    false => "crawford=0",
                };
                crawford += u32::from(rule == "crawford=1");
                let score = format!("length=3 score={}:{} {rule}", 3 - mine, 3 - theirs);
                let line = format!("move {position} {roll} plays=\"{play}\" {score} {depth}");
                let single = ask(&engine, &line);
                for member in ["play", "position", "equity", "mwc"] {
                    assert_eq!(one[member], single["plays"][0][member], "{line} {member}");
                }
                let plays = single["plays"].as_array().unwrap();
                let known = plays.iter().find(|one| one["play"] == play).unwrap();
                assert_eq!(one["money_loss"], known["loss"], "{line}");
            }
            assert_eq!(crawford, 4);
        }
    }
    // The cube is decided in spite of the dice of a position.
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10";
    assert!(ask(&engine, &format!("scores {xgid} away=2"))["money"]["play"].is_string());
    assert!(ask(&engine, &format!("scores cube {xgid} away=2"))["money"]["verdict"].is_string());
}

/// with the cube in each place the answers are those of `cube`, `eval` and `move` there.
#[test]
fn cubes_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for state in ["", "length=7 score=2:4", "length=5 score=4:1 crawford=1"] {
        let head = "jM/gDQDYzeAJIA";
        let found = ask(&engine, &format!("cubes {head} {state} plies=1"));
        for one in found["cubes"].as_array().unwrap() {
            let owner = one["owner"].as_str().unwrap();
            let cube = format!("cube={} owner={owner}", one["cube"]);
            if one["decision"].is_null() {
                let single = ask(&engine, &format!("eval {head} {state} {cube} plies=1"));
                assert_eq!(one["equity"], single["equity"]["cubeful"], "{cube}");
            } else {
                let single = ask(&engine, &format!("cube {head} {state} {cube} plies=1"));
                assert_eq!(one["equity"], single["optimal"], "{cube}");
                for member in ["no_double", "double_take", "verdict", "take"] {
                    assert_eq!(one["decision"][member], single[member], "{cube} {member}");
                }
            }
        }
        let found = ask(&engine, &format!("cubes {head} 64 {state} plies=1"));
        let texts = |plays: &Value| -> Vec<String> {
            let plays = plays.as_array().unwrap().iter();
            plays
                .map(|one| one["play"].as_str().unwrap().to_owned())
                .collect()
        };
        let listed = texts(&found["cubes"][0]["plays"]).join(";");
        let mut best = std::collections::BTreeSet::new();
        for one in found["cubes"].as_array().unwrap() {
            let cube = format!(
                "cube={} owner={}",
                one["cube"],
                one["owner"].as_str().unwrap()
            );
            let line = format!("move {head} 64 plays=\"{listed}\" {state} {cube} plies=1");
            let single = ask(&engine, &line);
            assert_eq!(texts(&one["plays"]), texts(&single["plays"]), "{line}");
            assert_eq!(one["equity"], single["plays"][0]["equity"]);
            assert_eq!(one["plays"][0]["equity"], one["equity"]);
            best.insert(texts(&one["plays"])[0].clone());
        }
        assert_eq!(found["changes"], best.len() > 1, "{state}");
    }
}

/// listed plays are compared with the best one, and a wrong one is named.
#[test]
fn move_compares_listed_plays() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let found = ask(
        &engine,
        "move 4HPwATDgc/ABMA 31 plies=2 plays=\"24/23 24/21; 13/9\"",
    );
    let plays = found["plays"].as_array().unwrap();
    let texts: Vec<&str> = plays
        .iter()
        .map(|one| one["play"].as_str().unwrap())
        .collect();
    assert_eq!(texts[0], "8/5 6/5");
    assert_eq!((texts.len(), &found["legal"]), (3, &json!(16)));
    assert!(plays.iter().all(|one| one["plies"] == 2));
    assert!(plays[1]["loss"].as_f64().unwrap() > 0.1);
    for (line, code) in [
        ("move 4HPwATDgc/ABMA 31 plays=\"8/2\"", "bad-play"),
        ("move 4HPwATDgc/ABMA plays=\"8/5 6/5\"", "missing-roll"),
        ("move 4HPwATDgc/ABMA 31 plays=8/5", "bad-setting"),
        ("scores cube 4HPwATDgc/ABMA 31", "bad-combination"),
        ("cubes cube 4HPwATDgc/ABMA 31", "bad-combination"),
        ("cube 4HPwATDgc/ABMA plays=\"8/5 6/5\"", "bad-setting"),
    ] {
        assert_eq!(ask(&engine, line)["code"], code, "{line}");
    }
}
