//! Cube decisions at the default depth, cubes beside the same position with the cube turned, and the value of the best play,
//! on positions that users and solvers reported (`tests/data/field-reports/cube`).

use crate::support::gnubg_wd;
use gammond_base::rng;
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EvalQuery, MoveFilter, PlayQuery, Settings, Stop,
};
use gammond_game::notation::parse_position;
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, legal_plays};
use serde_json::Value;

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

fn data(name: &str) -> String {
    let folder = crate::support::root().join("tests/data/field-reports/cube");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The query of a line `cube POSITION ...`.
fn query(line: &str) -> CubeQuery {
    let text = line.split(' ').nth(1).unwrap();
    let parsed = parse_position(text.as_bytes()).unwrap();
    CubeQuery::new(parsed.position, parsed.state.unwrap())
}

fn decide(engine: &Engine, query: &CubeQuery, plies: u8) -> CubeAnswer {
    let settings = Settings::plies(plies);
    engine
        .cube_action(query, &settings, &Stop::never())
        .unwrap()
}

/// Returns what not doubling or doubling, and taking or passing, lose of the exact values of no double, double and take,
/// double and pass.
fn losses(answer: &CubeAnswer, [none, take, pass]: [f64; 3]) -> [f64; 2] {
    let doubled = take.min(pass);
    let best = if take >= none && pass >= none {
        doubled
    } else {
        none
    };
    [
        best - if answer.double { doubled } else { none },
        if answer.take {
            take - doubled
        } else {
            pass - doubled
        },
    ]
}

/// CUBE-05, CUBE-13, CUBE-14: beside an exact solver, 280 bear-offs in which the taker redoubles at once. Before these rules
/// held in tables 43 doubles and 24 takes were wrong at 0 plies, and the worst lost 0.135 of the match.
#[test]
fn bearoffs_for_the_match_are_decided_as_an_exact_solver_does() {
    let engine = engine();
    let text = data("match-bearoffs-exact.jsonl");
    for (plies, most_wrong) in [(0, 3), (1, 3), (2, 0)] {
        let (mut sums, mut worst, mut wrong, mut count) = ([0.0; 2], 0.0_f64, 0, 0);
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let exact = ["no_double", "double_take", "double_pass"]
                .map(|name| row["exact"][name].as_f64().unwrap());
            let answer = decide(&engine, &query(row["line"].as_str().unwrap()), plies);
            let take = answer.double_take.mwc.unwrap();
            assert!(
                (take - exact[1]).abs() < 0.0002,
                "{plies} plies: {take} {line}"
            );
            for (sum, lost) in sums.iter_mut().zip(losses(&answer, exact)) {
                *sum += lost;
                worst = worst.max(lost);
                wrong += usize::from(lost > 1e-4);
            }
            count += 1;
        }
        assert_eq!(count, 280);
        let means = sums.map(|sum| sum / f64::from(count));
        assert!(
            means.iter().all(|mean| *mean < 0.0001),
            "{plies} plies: {means:?}"
        );
        assert!(
            worst < 0.01 && wrong <= most_wrong,
            "{plies} plies: {worst} {wrong}"
        );
    }
}

/// BEAR-45, CUBE-15: money bear-offs of 7 and 8 checkers a side, beside three plies.
#[test]
fn money_bearoffs_just_above_the_table_are_valued_well_without_looking_ahead() {
    let engine = engine();
    let text = data("money-bearoffs-7-8-checkers.jsonl");
    for plies in [0, 1] {
        let (mut distances, mut worst, mut count) = ([0.0; 2], [0.0_f64; 2], 0);
        for line in text.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let reference =
                ["no_double", "double_take"].map(|name| row["reference"][name].as_f64().unwrap());
            let answer = decide(&engine, &query(row["line"].as_str().unwrap()), plies);
            let found = [answer.no_double.equity, answer.double_take.equity];
            for (place, found) in found.into_iter().enumerate() {
                distances[place] += (found - reference[place]).abs();
            }
            let lost = losses(&answer, [reference[0], reference[1], 1.0]);
            worst = [worst[0].max(lost[0]), worst[1].max(lost[1])];
            count += 1;
        }
        assert_eq!(count, 200);
        let means = distances.map(|sum| sum / f64::from(count));
        assert!(
            means.iter().all(|mean| *mean < 0.01),
            "{plies} plies: {means:?}"
        );
        assert!(
            worst[0] < 0.01 && worst[1] < 0.02,
            "{plies} plies: {worst:?}"
        );
    }
}

/// BEAR-45, CUBE-13, CUBE-14, CUBE-15: none of these with gnubg's weights, whose numbers stay gnubg's.
#[test]
fn bearoffs_with_gnubg_weights_keep_the_cube_of_gnubg() {
    let Some(weights) = gnubg_wd("bearoffs_with_gnubg_weights_keep_the_cube_of_gnubg") else {
        return;
    };
    let engine = Engine::builder()
        .nets(Nets::Path(weights))
        .threads(1)
        .build()
        .unwrap();
    // Recorded before our own rules were added.
    for (line, none, take) in [
        (
            "cube XGID=-BA-A-----------------b---:0:0:1:00:2:0:0:4:10",
            0.70943,
            0.73633,
        ),
        (
            "cube XGID=-ABCA---------------aaabb-:0:0:1:00:0:0:0:0:10",
            0.70161,
            0.85265,
        ),
    ] {
        let answer = decide(&engine, &query(line), 0);
        let value = |of: &gammond_engine::query::Equities| of.mwc.unwrap_or(of.equity);
        let found = [value(&answer.no_double), value(&answer.double_take)];
        assert!(
            (found[0] - none).abs() < 1e-5 && (found[1] - take).abs() < 1e-5,
            "{found:?}"
        );
    }
}

/// Positions before the roll of games played at 0 plies.
fn positions(engine: &Engine, count: usize) -> Vec<Position> {
    let mut chance = rng::stream(4, 59);
    let (mut position, mut found) = (Position::start(), Vec::new());
    while found.len() < count {
        if rng::below(&mut chance, 6) == 0 {
            found.push(position);
        }
        let mut die = || 1 + rng::below(&mut chance, 6) as u8;
        let roll = Roll::new(die(), die()).unwrap();
        let query = PlayQuery::new(position, roll, MatchState::default());
        let settings = Settings::plies(0).with_top(1);
        let ranked = engine
            .rank_plays(&query, &settings, &Stop::never())
            .unwrap();
        position = ranked.best().position;
        if position.is_over() {
            position = Position::start();
        }
    }
    found
}

/// Returns the value of a taken double by the decision, and that of the position with the cube turned.
fn both_ways(engine: &Engine, query: &CubeQuery, plies: u8) -> [f64; 2] {
    let taken = decide(engine, query, plies).double_take;
    let mut turned = query.state;
    turned.cube = Cube::new(2 * turned.cube.value(), CubeOwner::Opponent).unwrap();
    let query = EvalQuery::new(query.position, turned);
    let settings = Settings::plies(plies);
    let found = engine.evaluate(&query, &settings, &Stop::never()).unwrap();
    let found = found.cubeful.unwrap();
    [
        taken.mwc.unwrap_or(taken.equity),
        found.mwc.unwrap_or(2.0 * found.equity),
    ]
}

/// PLY-03: a taken double is worth what the position with the cube turned is worth, to the last digits: each has its own
/// plays.
#[test]
fn taken_double_has_the_value_of_the_turned_cube() {
    let engine = engine();
    let positions = positions(&engine, 12);
    // Points that both need and the cube, at match scores and for money.
    let scores = [
        (2, 2, 1),
        (4, 2, 1),
        (4, 1, 2),
        (2, 4, 1),
        (3, 5, 2),
        (7, 3, 2),
        (9, 9, 1),
    ];
    let mut states = scores.map(|(mine, theirs, cube)| {
        let length = mine.max(theirs);
        let owner = if cube == 1 {
            CubeOwner::Centred
        } else {
            CubeOwner::Me
        };
        MatchState {
            score: Score::new(length, length - mine, length - theirs, false).unwrap(),
            cube: Cube::new(cube, owner).unwrap(),
            ..MatchState::default()
        }
    });
    states[6] = MatchState::money(Rules::default());
    for state in states {
        for position in &positions {
            for plies in [1, 2] {
                let [taken, turned] = both_ways(&engine, &CubeQuery::new(*position, state), plies);
                assert!(
                    (taken - turned).abs() < 1e-6,
                    "{plies} plies {state:?}: {taken} {turned}"
                );
            }
        }
    }
}

/// PLY-03: the pairs that users reported; the first is in the table, so that its value is known exactly.
#[test]
fn reported_doubles_have_the_value_of_the_turned_cube() {
    let engine = engine();
    let text = data("turned-cube-pairs.txt");
    let lines = text.lines().filter(|line| line.starts_with("cube "));
    let mut values = Vec::new();
    for line in lines {
        let [taken, turned] = both_ways(&engine, &query(line), 2);
        assert!((taken - turned).abs() < 1e-6, "{line}: {taken} {turned}");
        values.push(taken);
    }
    assert_eq!(values.len(), 5);
    assert!((values[0] - 0.5264).abs() < 0.0001, "{}", values[0]);
    // A rollout gives 0.7423, standard error 0.0014.
    assert!((values[1] - 0.7423).abs() < 0.02, "{}", values[1]);
}

/// PLY-16: the best play has the value of the depth that was asked for, also where the ranking is decided before or only one
/// play is legal; without the wish, and with gnubg's weights, the search stops there.
#[test]
fn best_play_is_valued_at_the_depth_that_was_asked_for() {
    let own = engine();
    let opening = (Position::start(), Roll::new(3, 1).unwrap());
    let all = positions(&own, 100).into_iter();
    let mut all = all.flat_map(|position| Roll::ALL.map(|roll| (position, roll)));
    let is_forced = |(position, roll): &(Position, Roll)| {
        position.has_contact() && legal_plays(position, *roll).len() == 1
    };
    let forced = all.find(is_forced).unwrap();
    let ask = |engine: &Engine, (position, roll), settings: &Settings| {
        let query = PlayQuery::new(position, roll, MatchState::default());
        engine.rank_plays(&query, settings, &Stop::never()).unwrap()
    };
    for case in [opening, forced] {
        for filter in [MoveFilter::NORMAL, MoveFilter::SWIFT] {
            for plies in [1, 2] {
                let plain = Settings::plies(plies).with_filter(filter);
                let ranked = ask(&own, case, &plain.clone().with_value_of_best());
                let best = ranked.best();
                assert_eq!(best.plies, plies);
                let query = EvalQuery::new(best.position, MatchState::default().swapped());
                let value = own.evaluate(&query, &Settings::plies(plies), &Stop::never());
                let value = value.unwrap().cubeful.unwrap().equity;
                assert!(
                    (best.value.equity + value).abs() < 1e-9,
                    "{filter:?} {plies}"
                );
                assert_eq!(ask(&own, case, &plain).best().position, best.position);
            }
        }
        assert_eq!(ask(&own, case, &Settings::plies(2)).best().plies, 0);
    }
    let Some(weights) = gnubg_wd("best_play_is_valued_at_the_depth_that_was_asked_for") else {
        return;
    };
    let gnubg = Engine::builder()
        .nets(Nets::Path(weights))
        .threads(1)
        .build()
        .unwrap();
    let ranked = ask(&gnubg, opening, &Settings::plies(2).with_value_of_best());
    assert_eq!(ranked.best().plies, 0);
}
