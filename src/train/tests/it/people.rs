//! The training of people's choices: LV-11, LV-12 of `protocol-specs/levels.md`.

use gammond_engine::people::People;
use gammond_engine::query::{PlayQuery, Settings, Stop};
use gammond_engine::{Engine, search};
use gammond_game::notation::{PositionId, parse_position, play_text};
use gammond_game::{Position, Roll};
use gammond_job::Control;
use gammond_train::training::people::{PeoplePlan, train};
use std::fmt::Write;
use std::path::Path;

/// Returns a table of plays of the engine at 0 plies, two players in four matches.
fn table() -> String {
    let engine = Engine::builder().threads(1).build().unwrap();
    let state = parse_position(b"4HPwATDgc/ABMA:cAmgAAAAAAAE")
        .unwrap()
        .state
        .unwrap();
    let mut text = String::from("match\tplayer\tgame\tkind\tposition\troll\tplayed\n");
    let mut position = Position::start();
    for turn in 0..48 {
        let roll = Roll::ALL[(turn * 8 + 5) % 21];
        let query = PlayQuery::new(position, roll, state);
        let stop = Stop::never();
        let ranked =
            search::rank_plays(engine.context(&stop), &query, &Settings::default()).unwrap();
        let id = format!("{}:cAmgAAAAAAAE", PositionId::from(position));
        let (one, player) = (turn / 12, turn % 2);
        let played = ranked.plays.get(turn % 3).unwrap_or(ranked.best());
        writeln!(
            text,
            "m{one}\t{player}\t1\tplay\t{id}\t{roll}\t{}",
            play_text(&position, &played.play)
        )
        .unwrap();
        let double = if turn % 5 == 0 { "double" } else { "no double" };
        writeln!(text, "m{one}\t{player}\t1\tdouble\t{id}\t\t{double}").unwrap();
        let take = if turn % 7 == 0 { "pass" } else { "take" };
        writeln!(text, "m{one}\t{player}\t1\ttake\t{id}\t\t{take}").unwrap();
        position = played.position;
    }
    text + "m9\t0\t1\tplay\tnonsense\t31\t8/5\nm9\t0\n"
}

fn plan(folder: &Path) -> PeoplePlan {
    PeoplePlan {
        seed: 3,
        decisions: folder.join("decisions.tsv"),
        judged: folder.join("judged"),
        nets: None,
        held_out: 0.3,
        width: [6, 4],
        passes: 2,
        batch: 16,
        rate: 1e-2,
        pull: 10.0,
        games: 0,
    }
}

/// LV-11, LV-12.
#[test]
fn a_killed_training_goes_on_and_ends_with_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    std::fs::write(&plan.decisions, table()).unwrap();
    let mut lines = Vec::new();
    let mut report = |line: &str| lines.push(line.to_owned());
    let whole = train(&plan, &mut report, &mut Control::quiet())
        .unwrap()
        .unwrap();
    assert_eq!(lines[0], "144 decisions, 2 lines left out");
    assert!(
        lines[1].contains(" decisions of 2 players, "),
        "{}",
        lines[1]
    );
    let people = People::parse(std::str::from_utf8(&whole).unwrap()).unwrap();
    assert_eq!([people.play.width(), people.take.width()], [6, 4]);
    // A file that ends in the middle of a decision.
    let judged = std::fs::read(&plan.judged).unwrap();
    for cut in [judged.len() - 1, judged.len() / 2 + 3, 5, 0] {
        std::fs::write(&plan.judged, &judged[..cut]).unwrap();
        let again = train(&plan, &mut |_| {}, &mut Control::quiet())
            .unwrap()
            .unwrap();
        assert!(again == whole, "cut at {cut}");
        assert!(
            std::fs::read(&plan.judged).unwrap() == judged,
            "cut at {cut}"
        );
    }
    let stop = Stop::new();
    stop.trigger();
    std::fs::remove_file(&plan.judged).unwrap();
    let mut control = Control::new(stop, |_| {});
    assert_eq!(train(&plan, &mut |_| {}, &mut control).unwrap(), None);
}

/// LV-11.
#[test]
fn the_nets_learn_what_was_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(folder.path());
    (plan.passes, plan.held_out) = (30, 0.0);
    std::fs::write(&plan.decisions, table()).unwrap();
    let mut lines = Vec::new();
    let mut report = |line: &str| lines.push(line.to_owned());
    train(&plan, &mut report, &mut Control::quiet())
        .unwrap()
        .unwrap();
    let share = |pass: &str| -> f64 {
        let line = lines.iter().find(|line| line.starts_with(pass)).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        words[5].trim_end_matches(',').parse().unwrap()
    };
    let (first, last) = (share("Play pass 0:"), share("Play pass 29:"));
    assert!(last > first + 0.05, "{first} to {last}");
}
