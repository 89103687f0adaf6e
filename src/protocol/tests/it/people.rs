//! `pr` and `elo` in requests: LV-03, LV-04 and LV-05 of `protocol-specs/levels.md`.

use super::explain::{ask, ask_in};
use gammond_engine::engine::Engine;
use gammond_protocol::Options;
use serde_json::Value;

/// LV-03, LV-05.
#[test]
fn the_chosen_play_is_in_front_and_all_have_shares() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let plain = ask(&engine, "move 4HPwATDgc/ABMA 64 plies=2 filter=swift");
    let mut chosen = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let found = ask(
            &engine,
            &format!("move 4HPwATDgc/ABMA 64 pr=20 seed={seed}"),
        );
        let plays = found["plays"].as_array().unwrap();
        let share = |play: &Value| play["share"].as_f64().unwrap();
        let sum: f64 = plays.iter().map(share).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
        assert_eq!(found["plies"], 2);
        chosen.insert(plays[0]["play"].as_str().unwrap().to_owned());
        for play in plays {
            let mut play = play.clone();
            play.as_object_mut().unwrap().remove("share");
            assert!(plain["plays"].as_array().unwrap().contains(&play), "{play}");
        }
    }
    assert!(chosen.len() > 1, "{chosen:?}");
    let by_rating = ask(&engine, "move 4HPwATDgc/ABMA 64 elo=1520 seed=3");
    assert!(by_rating["plays"][0]["share"].is_number());
    let position = ask(&engine, "cube 4HPwATDgc/ABMA pr=8");
    assert!(
        position["shares"]["double"].as_f64().unwrap() < 0.05,
        "{position}"
    );
    assert_eq!(
        (&position["double"], &position["take"]),
        (&false.into(), &true.into())
    );
}

/// LV-03: plays that are compared have their shares of all plays, and none is chosen.
#[test]
fn compared_plays_have_shares_of_all_plays() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let by = |of: &Value, name: &str| {
        let plays = of["plays"].as_array().unwrap();
        let play = plays.iter().find(|play| play["play"] == name);
        play.unwrap()["share"].as_f64().unwrap()
    };
    let line = "move 4HPwATDgc/ABMA 64 filter=large pr=20";
    let names = ["8/2 6/2", "24/18 13/9", "24/14", "13/3"];
    for seed in 0..6 {
        let all = ask(&engine, &format!("{line} seed={seed}"));
        let some = ask(
            &engine,
            &format!("{line} seed={seed} plays=\"13/3; 24/14; 24/18 13/9\""),
        );
        let plays = some["plays"].as_array().unwrap();
        assert_eq!(plays.len(), 4, "{some}");
        assert!(plays.is_sorted_by(|a, b| a["loss"].as_f64() <= b["loss"].as_f64()));
        for name in names {
            let [all, some] = [&all, &some].map(|found| by(found, name));
            assert!((all - some).abs() < 0.02, "{name} {all} {some}");
        }
    }
}

/// LV-04, S-07: what only judges refuses them, and does not follow those of its session.
#[test]
fn requests_that_judge_take_no_error_rate() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for verb in ["eval", "rolls", "scores", "cubes", "explain"] {
        let line = format!("{verb} 4HPwATDgc/ABMA");
        let mut session = Options::default();
        session.set("pr", "8").unwrap();
        assert_eq!(
            ask_in(&engine, session, &line),
            ask(&engine, &line),
            "{verb}"
        );
        for (name, value) in [("pr", "8"), ("elo", "off")] {
            let error = ask(&engine, &format!("{line} plies=1 {name}={value}"));
            let message = error["message"].as_str().unwrap();
            let said = format!("setting '{name}' is not for {verb}");
            assert!(message.contains(&said), "{verb}: {error}");
            assert_eq!(error["at"], line.len() + 9, "{error}");
        }
    }
    let error = ask(&engine, "4HPwATDgc/ABMA pr=8");
    assert_eq!(error["code"], "bad-setting", "{error}");
    assert!(ask(&engine, "4HPwATDgc/ABMA 64 pr=8")["plays"][0]["share"].is_number());
    for (line, said) in [
        (
            "move 4HPwATDgc/ABMA 31 pr=0.1",
            "setting 'pr' is '0.1', expected 0.5 to 40",
        ),
        (
            "move 4HPwATDgc/ABMA 31 pr=nan",
            "setting 'pr' is 'nan', expected 0.5 to 40",
        ),
        (
            "cube 4HPwATDgc/ABMA elo=3000",
            "setting 'elo' is '3000', expected 1000 to 2030",
        ),
    ] {
        let error = ask(&engine, line)["message"].as_str().unwrap().to_owned();
        assert!(error.contains(said), "{line}: {error}");
    }
}
