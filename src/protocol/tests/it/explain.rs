//! The verb `explain` beside other questions: rules. Its facts have a second count in the crates `game` and
//! `report`.

use crate::answers::answer;
use gammond_engine::engine::Engine;
use gammond_protocol::{Dialect as _, FramedLine, LineAction, Options, Session};
use serde_json::{Value, json};

/// Returns the answer to a line of a new session.
fn reply(engine: &Engine, line: &str) -> String {
    reply_in(engine, Options::default(), line)
}

/// Returns the answer to a line of a session with these settings.
fn reply_in(engine: &Engine, settings: Options, line: &str) -> String {
    let mut session = Session::new(settings);
    match session.line(FramedLine::Line(line.as_bytes())) {
        LineAction::Ask(inquiry) => answer(engine, *inquiry),
        LineAction::Refuse(text) => text,
        other => panic!("{line}: {other:?}"),
    }
}

pub(super) fn ask_in(engine: &Engine, settings: Options, line: &str) -> Value {
    serde_json::from_str(&reply_in(engine, settings, line)).unwrap()
}

pub(super) fn ask(engine: &Engine, line: &str) -> Value {
    serde_json::from_str(&reply(engine, line)).unwrap()
}

fn rules(found: &Value) -> Vec<&str> {
    let all = found["sentences"].as_array().unwrap();
    all.iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect()
}

const MEMBERS: [&str; 5] = ["play", "position", "equity", "plies", "probabilities"];

/// both plays have the values of `move` with these plays, at each depth, and the differences are theirs.
#[test]
fn plays_have_the_values_of_move() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (request, plays) in [
        ("4HPwATDgc/ABMA 31", "13/10 6/5"),
        ("4HPwATDgc/ABMA 64 length=7 score=3:2", "24/20 13/7"),
        ("sLnhABFmZ3CAAA 31", "13/9"),
    ] {
        for plies in ["plies=0", "plies=2"] {
            let found = ask(
                &engine,
                &format!("explain {request} plays=\"{plays}\" {plies}"),
            );
            let other = ask(
                &engine,
                &format!("move {request} plays=\"{plays}\" {plies}"),
            );
            let listed = other["plays"].as_array().unwrap();
            assert_eq!(listed.len(), 2, "{request}");
            for (play, name) in listed.iter().zip(["best", "other"]) {
                for member in MEMBERS {
                    assert_eq!(
                        found[name][member], play[member],
                        "{request} {name} {member}"
                    );
                }
                assert_eq!(found[name]["loss"], play["loss"]);
                assert_eq!(found[name]["mwc"], play["mwc"]);
            }
            let win = |name: &str| found[name]["probabilities"]["win"].as_f64().unwrap();
            let gain = found["gain"]["win"].as_f64().unwrap();
            assert!((gain - (win("best") - win("other"))).abs() < 2e-6);
            assert_eq!(found["unit"], other["unit"]);
            assert_eq!(found["legal"], other["legal"]);
            // The next best play where none is named.
            let next = ask(&engine, &format!("explain {request} {plies} filter=huge"));
            let all = ask(
                &engine,
                &format!("move {request} {plies} filter=huge top=2"),
            );
            for (play, name) in all["plays"]
                .as_array()
                .unwrap()
                .iter()
                .zip(["best", "other"])
            {
                assert_eq!(next[name]["play"], play["play"]);
                assert_eq!(next[name]["plies"], next["plies"]);
            }
        }
    }
}

/// without a roll it is the answer of `cube` and the market losers are those of `rolls`; where no double is allowed,
/// `eval` has the value.
#[test]
fn cube_has_the_values_of_cube_and_rolls() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for request in [
        "sLnhABFmZ3CAAA",
        "sLnhABFmZ3CAAA length=9 score=3:5",
        "u7sNAADb7g4AAA cube=2 owner=me",
    ] {
        for plies in ["plies=0", "plies=1"] {
            let found = ask(&engine, &format!("explain {request} {plies}"));
            let decision = ask(&engine, &format!("cube {request} {plies}"));
            for member in [
                "no_double",
                "double_take",
                "double_pass",
                "optimal",
                "double",
                "take",
                "verdict",
            ] {
                assert_eq!(
                    found["cube"]["decision"][member], decision[member],
                    "{request} {member}"
                );
            }
            assert_eq!(found["cube"]["probabilities"], decision["probabilities"]);
            let rolls = ask(&engine, &format!("rolls {request} {plies}"));
            assert_eq!(found["cube"]["market_losers"], rolls["market_losers"]);
            let window = &found["cube"]["window"];
            let number = |at: &str| window.pointer(at).unwrap().as_f64().unwrap();
            for end in 0..2 {
                let sum = number(&format!("/cash/{end}")) + number(&format!("/take/{end}"));
                assert!((sum - 1.0).abs() < 2e-6);
            }
        }
    }
    let lent = "4HPwATDgc/ABMA cube=2 owner=opponent";
    let found = ask(&engine, &format!("explain {lent}"));
    let value = ask(&engine, &format!("eval {lent}"));
    assert_eq!(found["cube"]["equity"], value["equity"]["cubeful"]);
    assert_eq!(found["cube"]["decision"], Value::Null);
    assert_eq!(rules(&found)[0], "no_decision");
    // The word `cube` leaves the dice of a position out.
    let id = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10";
    assert!(ask(&engine, &format!("explain {id}"))["cube"].is_null());
    assert!(ask(&engine, &format!("explain cube {id}"))["cube"].is_object());
}

/// the sides of a board. A-12: a race.
#[test]
fn boards_and_races_as_data() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let found = ask(&engine, "explain 4HPwATDgc/ABMA 31");
    let none = json!({"number": 0, "rolls": [], "blots": []});
    let side = json!({"pips": 167, "off": 0, "bar": 0, "points": [6, 8, 13, 24], "blots": [], "anchors": [24], "back": 2,
        "stacks": [{"point": 6, "checkers": 5}, {"point": 13, "checkers": 5}], "shots": none});
    assert_eq!(found["board"], json!({"me": side, "opponent": side}));
    assert_eq!(found["best"]["made"], json!([5]));
    // 5 times 12 from the 13 point, twice 23, twice 7, and twice 5 from the 6 point, on which two of four stay.
    assert_eq!(
        found["best"]["board"]["me"]["prime"],
        json!({"from": 5, "to": 6, "length": 2, "behind": 2, "spare_pips": 130})
    );
    let shots = &found["other"]["board"]["me"]["shots"];
    let blots = shots["blots"].as_array().unwrap();
    assert!(
        !blots.is_empty()
            && blots
                .iter()
                .all(|blot| blot["number"].as_u64() <= shots["number"].as_u64())
    );
    // 5 checkers on the ace point: 3 rolls without doubles; the opponent has one checker left.
    let race = &ask(
        &engine,
        "explain XGID=-E----------------------a-:0:0:1:00:0:0:3:0:10",
    )["race"];
    let pips = |at: usize| race["effective_pips"][at].as_f64().unwrap();
    assert!((pips(1) - 49.0 / 6.0).abs() < 1e-3, "{race}");
    let wastage = race["wastage"][0].as_f64().unwrap();
    assert!((pips(0) - 5.0 - wastage).abs() < 2e-6 && race["keith"].is_array());
}

/// sentences in four languages, in the other styles too; the rules do not depend on the language.
#[test]
fn sentences_are_in_the_language_of_the_request() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let request = "explain 4HPwATDgc/ABMA 31 plays=\"13/10 6/5\"";
    let english = ask(&engine, request);
    assert_eq!(english["language"], "en");
    for (language, word) in [
        ("en", "makes your 5 point"),
        ("de", "macht deinen"),
        ("fr", "fait votre case 5"),
        ("ja", "作る"),
    ] {
        let found = ask(&engine, &format!("{request} language={language}"));
        assert_eq!(found["language"], language);
        assert_eq!(rules(&found), rules(&english));
        assert_eq!(found["best"], english["best"]);
        let text = reply(
            &engine,
            &format!("{request} language={language} answer=text"),
        );
        assert!(text.contains(word) && text.lines().count() == 1, "{text}");
        for sentence in found["sentences"].as_array().unwrap() {
            assert!(text.contains(sentence["text"].as_str().unwrap()));
        }
    }
    let position = reply(&engine, &format!("{request} answer=position"));
    assert_eq!(
        position.trim(),
        english["best"]["position"].as_str().unwrap()
    );
    let weights: Vec<f64> = (english["differences"].as_array().unwrap().iter())
        .map(|one| one["weight"].as_f64().unwrap())
        .collect();
    assert!(weights.is_sorted_by(|one, next| one >= next) && weights[0] == 4.5);
}

/// what is wrong is refused by name.
#[test]
fn wrong_requests_are_refused() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for (line, code) in [
        ("explain", "missing-position"),
        ("explain /wAAAAAAAAAAAA", "game-over"),
        (
            "explain 4HPwATDgc/ABMA plays=\"8/5 6/5\"",
            "bad-combination",
        ),
        ("explain cube 4HPwATDgc/ABMA 31", "bad-combination"),
        (
            "explain 4HPwATDgc/ABMA 31 plays=\"8/5 6/5; 13/9\"",
            "bad-play",
        ),
        ("explain 4HPwATDgc/ABMA 31 plays=\"8/4 6/5\"", "bad-play"),
        ("explain 4HPwATDgc/ABMA 31 language=it", "bad-setting"),
    ] {
        assert_eq!(ask(&engine, line)["code"], code, "{line}");
    }
}

/// at a level plays have the depth of the search, also one that it left behind and games put first.
#[test]
fn explained_plays_at_a_level_have_its_depth() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let line = "explain 4HPhASLgc+QBKA 42 level=roller plays=\"24/20 23/21\"";
    let found = ask(&engine, line);
    let depths = ["/plies", "/best/plies", "/other/plies"].map(|at| found.pointer(at));
    let two = json!(2);
    assert_eq!(depths, [Some(&two); 3], "{found}");
}
