//! The verbs `opening` and `reply`: rules Q-36 and Q-37.

use super::explain::ask;
use gammond_engine::engine::Engine;
use gammond_game::notation::{parse_play, parse_position, parse_roll};
use gammond_game::{Roll, Variant};
use serde_json::Value;

fn numbers(answer: &Value, member: &str) -> Vec<f64> {
    let plays = answer["plays"].as_array().unwrap().iter();
    plays.map(|play| play[member].as_f64().unwrap()).collect()
}

/// Q-36, A-17: the 15 opening rolls are in the book, with legal plays, best first, and their errors.
#[test]
fn openings_are_rolled_out() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for variant in [Variant::Backgammon, Variant::Nackgammon] {
        for roll in Roll::ALL.into_iter().filter(|roll| !roll.is_double()) {
            is_rolled_out(&engine, variant, roll);
        }
    }
    let best = |line| ask(&engine, line)["plays"][0]["play"].clone();
    assert_eq!(
        (best("opening 31"), best("opening 13 top=1")),
        ("8/5 6/5".into(), "8/5 6/5".into())
    );
    assert_eq!(best("opening 43 variant=nackgammon"), "24/20 23/20");
    assert_eq!(
        best(r#"{"verb":"opening","roll":[4,3],"settings":{"variant":"nackgammon"}}"#),
        "24/20 23/20"
    );
}

fn is_rolled_out(engine: &Engine, variant: Variant, roll: Roll) {
    let start = variant.start();
    let found = ask(
        engine,
        &format!("opening {roll} variant={}", variant.word()),
    );
    assert_eq!(found["source"], "rollout", "{found}");
    assert_eq!(found["rollout"]["jacoby"], true);
    let (equities, losses) = (numbers(&found, "equity"), numbers(&found, "loss"));
    assert!(equities.is_sorted_by(|one, other| one >= other), "{found}");
    for (equity, loss) in equities.iter().zip(losses) {
        assert!((equities[0] - equity - loss).abs() < 1e-6, "{found}");
    }
    assert!(numbers(&found, "error").iter().all(|error| *error > 0.0));
    assert!(
        numbers(&found, "trials")
            .iter()
            .all(|trials| *trials >= 324.0)
    );
    for play in found["plays"].as_array().unwrap() {
        let text = play["play"].as_str().unwrap();
        let after = parse_play(text, &start, roll).unwrap().after;
        let position = parse_position(play["position"].as_str().unwrap().as_bytes());
        assert_eq!(position.unwrap().position, after, "{text}");
    }
}

/// Q-36: off the book's terms the answer is that of `move`, and says so.
#[test]
fn other_terms_are_evaluated() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let after = |roll: &str, wanted: &str| {
        let found = ask(
            &engine,
            &format!("move 4HPwATDgc/ABMA {roll} plays=\"{wanted}\""),
        );
        let mut plays = found["plays"].as_array().unwrap().iter();
        let play = plays.find(|play| play["play"] == wanted).unwrap();
        play["position"].as_str().unwrap().to_owned()
    };
    let (near, farther) = (after("64", "8/2 6/2"), after("31", "24/20"));
    for (opening, position, settings) in [
        ("opening 64", "4HPwATDgc/ABMA", "length=5 plies=1"),
        ("opening 64", "4HPwATDgc/ABMA", "jacoby=off"),
        ("opening 64", "4HPwATDgc/ABMA", "cubeful=off top=3"),
        ("opening 64", "4HPwATDgc/ABMA", "cube=2 owner=me"),
        (
            "opening 64",
            "4Dl4ADbgOXgANg",
            "variant=nackgammon length=3",
        ),
        ("reply 64 8/2 6/2 64", near.as_str(), "length=5 score=1:2"),
        ("reply 31 24/20 64", "4Dl4QCzgOXgANg", "variant=nackgammon"),
        ("reply 31 24/20 64", farther.as_str(), ""),
    ] {
        let mut found = ask(&engine, &format!("{opening} {settings}"));
        let mut want = ask(&engine, &format!("move {position} 64 {settings}"));
        assert_eq!(
            found["source"], "evaluation",
            "{opening} {settings}: {found}"
        );
        found.as_object_mut().unwrap().remove("source");
        for answer in [&mut found, &mut want] {
            answer.as_object_mut().unwrap().remove("type");
        }
        assert_eq!(found, want, "{opening} {settings}");
    }
}

/// Q-37, A-17: the position is that after the opening's play, however the play is written, in text and JSON.
#[test]
fn replies_follow_the_opening() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let found = ask(&engine, "reply 31 8/5 6/5 64");
    assert_eq!(found["source"], "rollout", "{found}");
    let start = parse_position(b"4HPwATDgc/ABMA").unwrap().position;
    let after = parse_play("8/5 6/5", &start, parse_roll(b"31").unwrap())
        .unwrap()
        .after;
    let position = parse_position(found["position"].as_str().unwrap().as_bytes()).unwrap();
    assert_eq!(position.position, after);
    for line in [
        "reply 3-1 6/5 8/5 6-4",
        "reply 31: 8/5 6/5 64",
        r#"{"verb":"reply","opening":"31 8/5 6/5","roll":[6,4]}"#,
    ] {
        assert_eq!(ask(&engine, line), found, "{line}");
    }
}

/// Q-36, Q-37: an error has one line with its field.
#[test]
fn wrong_openings_are_refused() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for (line, code, field, part) in [
        ("opening 66", "bad-roll", "roll", "a double"),
        ("opening 71", "bad-roll", "first die", "'7'"),
        ("opening x", "bad-roll", "first die", "'x'"),
        ("opening", "missing-roll", "roll", "example: opening 31"),
        ("opening 31 plies=9", "bad-setting", "setting", "plies"),
        (
            "reply",
            "missing-position",
            "opening",
            "example: reply 31 8/5 6/5 64",
        ),
        ("reply 66 8/2 64", "bad-roll", "opening", "a double"),
        ("reply x 8/2 64", "bad-roll", "opening", "'x'"),
        ("reply 31 64", "bad-play", "opening", "no play"),
        ("reply 31 8/2 64", "bad-play", "opening", "'8/2'"),
        (
            "reply 31 8/5 6/5",
            "missing-roll",
            "roll",
            "example: reply 31 8/5 6/5 64",
        ),
        ("reply 31 8/5 6/5 79", "bad-roll", "first die", "'7'"),
        (
            r#"{"verb":"opening","position":"4HPwATDgc/ABMA","roll":"31"}"#,
            "bad-request",
            "position",
            "not for opening",
        ),
        (
            r#"{"verb":"move","opening":"31 8/5 6/5","roll":"31"}"#,
            "bad-request",
            "opening",
            "not for move",
        ),
        (
            r#"{"verb":"reply","opening":"31 8/5 6/5 plies=2","roll":"31"}"#,
            "bad-play",
            "opening",
            "wrong character",
        ),
    ] {
        let found = ask(&engine, line);
        assert_eq!(
            (&found["code"], &found["field"]),
            (&code.into(), &field.into()),
            "{line}: {found}"
        );
        let message = found["message"].as_str().unwrap();
        assert!(message.contains(part), "{line}: {message}");
    }
}
