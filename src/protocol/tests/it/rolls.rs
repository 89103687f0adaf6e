//! The verb `rolls` beside single questions: rule Q-34.

use super::explain::ask;
use gammond_engine::engine::Engine;
use gammond_game::Roll;
use serde_json::{Value, json};

/// A start of money play, a race with a cube to turn, a position of a match with an owned cube, and a bear-off.
const POSITIONS: [(&str, &str); 4] = [
    ("4HPwATDgc/ABMA", ""),
    ("u7sNAADb7g4AAA", "jacoby=off"),
    ("jM/gDQDYzeAJIA", "length=7 score=2:4 cube=2 owner=me"),
    ("AwAAwAMAAAAAAA", ""),
];

/// each roll is the answer to `move` with it, bit for bit; mean and deviation are those of the 36 throws.
#[test]
fn rolls_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (position, state) in POSITIONS {
        for depth in ["plies=0", "plies=1", "plies=2 filter=swift"] {
            let found = ask(&engine, &format!("rolls {position} {state} {depth}"));
            let rolls = found["rolls"].as_array().unwrap();
            assert_eq!(rolls.len(), Roll::ALL.len(), "{found}");
            let (mut sum, mut squares, mut chances) = (0.0, 0.0, 0.0);
            for one in rolls {
                let [high, low] = [&one["roll"][0], &one["roll"][1]];
                let line = format!("move {position} {high}{low} {state} {depth} top=1");
                let single = ask(&engine, &line);
                for member in ["play", "position", "equity", "mwc", "plies"] {
                    assert_eq!(one[member], single["plays"][0][member], "{line} {member}");
                }
                assert_eq!(one["legal"], single["legal"], "{line}");
                let (chance, equity) = (
                    one["probability"].as_f64().unwrap(),
                    one["equity"].as_f64().unwrap(),
                );
                sum += chance * equity;
                squares += chance * equity * equity;
                chances += chance;
            }
            let near = |member: &str, want: f64| {
                let found = found[member].as_f64().unwrap();
                assert!((found - want).abs() < 1e-4, "{member}: {found} {want}");
            };
            assert!((chances - 1.0).abs() < 1e-4);
            near("mean", sum);
            near("deviation", (squares - sum * sum).max(0.0).sqrt());
            let order: Vec<f64> = rolls
                .iter()
                .map(|one| one["equity"].as_f64().unwrap())
                .collect();
            assert!(order.is_sorted_by(|one, other| one >= other), "{order:?}");
        }
    }
}

/// market losers are counted by single questions: play, reply, cube.
#[test]
fn market_losers_are_counted_again() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (position, state, swapped) in [
        ("AwAAwAMAAAAAAA", "", ""),
        ("sLnhABFmZ3CAAA", "", ""),
        ("sO1gABLbZnAAAA", "cube=2 owner=me", "cube=2 owner=opponent"),
        (
            "sLnhABFmZ3CAAA",
            "length=7 score=2:4 cube=2 owner=me",
            "length=7 score=4:2 cube=2 owner=opponent",
        ),
    ] {
        let found = ask(&engine, &format!("rolls {position} {state}"));
        let mut lost = 0;
        for one in found["rolls"].as_array().unwrap() {
            let weight = if one["roll"][0] == one["roll"][1] {
                1
            } else {
                2
            };
            let after = one["position"].as_str().unwrap();
            for reply in Roll::ALL {
                let dice = reply.dice();
                let line = format!("move {after} {}{} {swapped} top=1", dice[0], dice[1]);
                let replied = ask(&engine, &line);
                if replied["code"] == "game-over" {
                    lost += weight * reply.weight();
                    continue;
                }
                let before = replied["plays"][0]["position"].as_str().unwrap();
                let cube = ask(&engine, &format!("cube {before} {state}"));
                if cube["take"] == json!(false) {
                    lost += weight * reply.weight();
                }
            }
        }
        assert!((1..1296).contains(&lost), "{position}: {lost}");
        let share = f64::from(lost) / 1296.0;
        let counted = found["market_losers"].as_f64().unwrap();
        assert!(
            (share - counted).abs() < 1e-6,
            "{position}: {share} {counted}"
        );
    }
}

/// without a cube to turn there are no market losers; dice and a finished game have no place.
#[test]
fn rolls_without_a_double() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for state in [
        "cubeful=off",
        "cube=2 owner=opponent",
        "length=3 score=2:0 crawford=on",
    ] {
        let found = ask(&engine, &format!("rolls 4HPwATDgc/ABMA {state}"));
        assert!(
            found.get("market_losers").is_none() && found["rolls"].is_array(),
            "{found}"
        );
    }
    for (line, code) in [
        ("rolls 4HPwATDgc/ABMA 31", "bad-request"),
        ("rolls /wAAAAAAAAAAAA", "game-over"),
        ("rolls", "missing-position"),
        ("rolls 4HPwATDgc/ABMA trials=36 plies=9", "bad-setting"),
    ] {
        assert_eq!(ask(&engine, line)["code"], code, "{line}");
    }
}

/// each exchange is the answer to single questions: `move`, `move` of the opponent, and `cube` or `eval`.
#[test]
fn exchanges_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (position, state, swapped) in [
        ("4HPwATDgc/ABMA", "", ""),
        ("AwAAwAMAAAAAAA", "", ""),
        (
            "sLnhABFmZ3CAAA",
            "length=7 score=2:4 cube=2 owner=opponent",
            "length=7 score=4:2 cube=2 owner=me",
        ),
    ] {
        let found = ask(&engine, &format!("rolls {position} {state} turns=2"));
        let exchanges = found["exchanges"].as_array().unwrap();
        assert_eq!(exchanges.len(), 441, "{found}");
        let (mut sum, mut squares, mut chances, mut lost) = (0.0, 0.0, 0.0, 0.0);
        for one in exchanges {
            check_exchange(&engine, one, (position, state, swapped));
            let number = |member: &str| one[member].as_f64().unwrap();
            let equity = number("equity");
            let weight = |member: &str| {
                if one[member][0] == one[member][1] {
                    1.0
                } else {
                    2.0
                }
            };
            let chance = weight("roll") * weight("reply") / 1296.0;
            assert!((chance - number("probability")).abs() < 1e-6, "{one}");
            sum += chance * equity;
            squares += chance * equity * equity;
            chances += chance;
            lost += chance * f64::from(u8::from(one["market_loser"] == json!(true)));
        }
        let near = |member: &str, want: f64| {
            let found = found[member].as_f64().unwrap();
            assert!((found - want).abs() < 1e-4, "{member}: {found} {want}");
        };
        assert!((chances - 1.0).abs() < 1e-9, "{chances}");
        near("mean", sum);
        near("deviation", (squares - sum * sum).max(0.0).sqrt());
        let of_rolls = ask(&engine, &format!("rolls {position} {state}"));
        assert_eq!(found["market_losers"], of_rolls["market_losers"]);
        if !found["market_losers"].is_null() {
            near("market_losers", lost);
        }
    }
}

/// Compares an exchange with single questions about a position; `swapped` is the state as the opponent sees it.
fn check_exchange(engine: &Engine, one: &Value, (position, state, swapped): (&str, &str, &str)) {
    let dice = |member: &str| format!("{}{}", one[member][0], one[member][1]);
    let first = ask(
        engine,
        &format!("move {position} {} {state} top=1", dice("roll")),
    );
    let first = &first["plays"][0];
    assert_eq!(one["play"], first["play"]);
    let between = first["position"].as_str().unwrap();
    let second = ask(
        engine,
        &format!("move {between} {} {swapped} top=1", dice("reply")),
    );
    if second["code"] == "game-over" {
        assert_eq!(
            (&one["equity"], &one["position"]),
            (&first["equity"], &first["position"])
        );
        assert!(
            one["market_loser"] == json!(true) && one.get("reply_play").is_none(),
            "{one}"
        );
        return;
    }
    let second = &second["plays"][0];
    assert_eq!(
        (&one["reply_play"], &one["position"]),
        (&second["play"], &second["position"])
    );
    let after = second["position"].as_str().unwrap();
    let cube = ask(engine, &format!("cubes {after} {state}"));
    if cube["code"] == "game-over" {
        let lost = -second["equity"].as_f64().unwrap();
        assert_eq!(one["equity"].as_f64().unwrap(), lost, "{one}");
        assert_eq!(one["market_loser"], false);
        return;
    }
    let single = ask(engine, &format!("cube {after} {state}"));
    if single["type"] == "cube" {
        assert_eq!(one["verdict"], single["verdict"], "{one} {single}");
        let passes = single["take"] == json!(false);
        assert_eq!(one["market_loser"], passes, "{one} {single}");
        let [no_double, take, pass] =
            ["no_double", "double_take", "double_pass"].map(|name| &single[name]);
        let value = match (single["double"] == json!(true), passes) {
            (false, _) => no_double,
            (true, false) => take,
            (true, true) => pass,
        };
        assert_eq!(&one["equity"], value, "{one} {single}");
        return;
    }
    let single = ask(engine, &format!("eval {after} {state}"));
    assert_eq!(one["equity"], single["equity"]["cubeful"], "{one} {single}");
    assert!(one.get("verdict").is_none(), "{one}");
}
