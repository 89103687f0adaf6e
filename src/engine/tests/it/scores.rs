//! The cube decisions of a position at all scores: the same bits as the question at each of them.

use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{
    CubeQuery, CubesQuery, EvalQuery, FilterLevel, FilterMethod, MoveFilter, PlayQuery,
    ScoresQuery, Settings, Stop,
};
use gammond_game::notation::parse_position;
use gammond_game::{
    Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, Variant, legal_plays,
};

fn position(id: &str) -> Position {
    parse_position(id.as_bytes()).unwrap().position
}

/// Positions of a game in which the first, the middle or the last legal play is chosen.
fn drawn(count: usize) -> Vec<Position> {
    let mut positions = Vec::new();
    let mut seed = 7_usize;
    let mut position = Position::start();
    while positions.len() < count {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let roll = Roll::ALL[(seed >> 33) % Roll::ALL.len()];
        let plays = legal_plays(&position, roll);
        position = match plays.get((seed >> 40) % plays.len().max(1)) {
            Some(play) => play.after,
            None => position.swapped(),
        };
        if position.is_over() {
            position = Position::start();
        }
        positions.push(position);
    }
    positions
}

fn compare(engine: &Engine, query: &ScoresQuery, settings: &Settings) {
    let stop = Stop::never();
    let found = engine.scores(query, settings, &stop).unwrap();
    let single = |state| {
        let query = CubeQuery::new(query.position, state);
        engine.cube_action(&query, settings, &stop).unwrap()
    };
    assert_eq!(found.money, single(query.money()));
    let states = query.states();
    assert_eq!(found.cells.len(), states.len());
    for (cell, state) in found.cells.iter().zip(states) {
        assert_eq!(cell.score, state.score);
        assert_eq!(cell.cube, single(state), "{query:?} {state:?}");
        assert!(cell.double_error >= 0.0 && cell.take_error >= 0.0);
    }
}

fn query(position: Position, (cube, owner): (u32, CubeOwner), away: u8) -> ScoresQuery {
    ScoresQuery {
        position,
        cube: Cube::new(cube, owner).unwrap(),
        rules: Rules::default(),
        variant: Variant::Backgammon,
        away,
    }
}

const CUBES: [(u32, CubeOwner); 3] = [
    (1, CubeOwner::Centred),
    (2, CubeOwner::Me),
    (4, CubeOwner::Opponent),
];

#[test]
fn every_score_is_decided_as_the_single_question_decides_it() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (at, position) in drawn(240).into_iter().step_by(6).enumerate() {
        let query = query(position, CUBES[at % 3], 4);
        for plies in [0, 1] {
            compare(&engine, &query, &Settings::plies(plies));
        }
        if at % 4 == 0 {
            compare(&engine, &query, &Settings::plies(2));
        }
    }
}

/// Ends of games, where tables know the chances after the next roll (CUBE-13, CUBE-14), deeper searches, other nets and
/// methods.
#[test]
fn scores_share_nothing_that_a_setting_changes() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for id in ["KgAAAHYAAAAAAA", "dwAAAOwAAAAAAA", "4HPwATDgc/ABMA"] {
        for plies in [1, 2, 3] {
            compare(
                &engine,
                &query(position(id), CUBES[0], 3),
                &Settings::plies(plies),
            );
        }
    }
    let start = query(Position::start(), CUBES[0], 3);
    let wide = Settings {
        prune: false,
        filter: MoveFilter::LARGE,
        ..Settings::plies(1)
    };
    let noisy = Settings {
        noise: 0.05,
        ..Settings::plies(1)
    };
    for settings in [wide, noisy] {
        compare(&engine, &start, &settings);
    }
    let fast = Engine::builder().nets(Nets::EmbeddedFast).build().unwrap();
    compare(&fast, &start, &Settings::plies(2));
}

/// The table of Kazaross-XG2: at 2-away 2-away and with a gammon worth the match, against the rules that books print.
#[test]
fn prices_of_scores_are_those_of_the_table() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let query = query(Position::start(), CUBES[0], 5);
    let found = engine
        .scores(&query, &Settings::plies(0), &Stop::never())
        .unwrap();
    let at = |mine, theirs| {
        let cells = &found.cells;
        let is_it =
            |score: gammond_game::Score| (score.my_away(), score.opponent_away()) == (mine, theirs);
        cells.iter().find(|cell| is_it(cell.score)).unwrap()
    };
    // A double at 2-away 2-away plays for the match: the taker needs the chances of the trailer at Crawford 2-away.
    let met = engine.met();
    let crawford = 1.0 - met.after(at(2, 2).score, true, 1);
    assert!((at(2, 2).take_point.unwrap() - crawford).abs() < 1e-12);
    // A gammon at 1-away wins nothing more.
    assert_eq!(at(1, 3).gammon_values[0], 0.0);
    assert!(
        at(2, 4).gammon_values[0] > 0.8,
        "{:?}",
        at(2, 4).gammon_values
    );
    assert!(
        at(5, 5)
            .gammon_values
            .iter()
            .all(|value| (0.3..0.7).contains(value))
    );
}

/// A roll for a position, another for each.
fn roll_of(at: usize) -> Roll {
    Roll::ALL[at % Roll::ALL.len()]
}

fn compare_plays(engine: &Engine, query: &ScoresQuery, roll: Roll, settings: &Settings) {
    let stop = Stop::never();
    let found = engine.score_plays(query, roll, settings, &stop).unwrap();
    let single = |state, listed: &[Position]| {
        let query = PlayQuery::new(query.position, roll, state);
        let found = engine.compare_plays(&query, listed, settings, &stop);
        found.unwrap()
    };
    assert_eq!(found.money, single(query.money(), &[]));
    let best = found.money.best().position;
    let states = query.states_with_crawford();
    assert_eq!(found.cells.len(), states.len());
    for (cell, state) in found.cells.iter().zip(states) {
        assert_eq!(cell.score, state.score);
        assert_eq!(cell.plays, single(state, &[best]), "{query:?} {state:?}");
        let is_best = cell.plays.best().position == best;
        assert_eq!(cell.plays.plays.len(), if is_best { 1 } else { 2 });
        assert!(cell.money_error >= 0.0 && (!is_best || cell.money_error == 0.0));
    }
}

#[test]
fn the_plays_at_every_score_are_those_of_the_single_question() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (at, position) in drawn(240).into_iter().step_by(6).enumerate() {
        let query = query(position, CUBES[at % 3], 3);
        for plies in [0, 1] {
            compare_plays(&engine, &query, roll_of(at), &Settings::plies(plies));
        }
        if at % 4 == 0 {
            compare_plays(&engine, &query, roll_of(at), &Settings::plies(2));
        }
    }
    let start = query(Position::start(), CUBES[0], 3);
    let settings = [
        Settings {
            cubeful: false,
            ..Settings::plies(2)
        },
        Settings {
            noise: 0.05,
            ..Settings::plies(1)
        },
        Settings {
            filter: MoveFilter::SWIFT,
            ..Settings::plies(1)
        },
    ];
    for settings in settings {
        compare_plays(&engine, &start, roll_of(9), &settings);
    }
    let bearoff = query(position("KgAAAHYAAAAAAA"), CUBES[0], 3);
    compare_plays(&engine, &bearoff, roll_of(8), &Settings::plies(3));
}

/// Listed plays are searched to the full depth however bad they are, with the value that the search of all plays gives.
#[test]
fn listed_plays_are_compared_at_the_full_depth() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let stop = Stop::never();
    let all = Settings {
        filter: MoveFilter {
            levels: [[FilterLevel {
                accept: -1,
                extra: 0,
                threshold: 0.0,
            }; 4]; 4],
            method: FilterMethod::Levels,
        },
        ..Settings::plies(2)
    };
    for (at, position) in drawn(60).into_iter().step_by(10).enumerate() {
        let query = PlayQuery::new(position, roll_of(5 * at), MatchState::default());
        let every = engine.rank_plays(&query, &all, &stop).unwrap();
        let listed: Vec<Position> = every
            .plays
            .iter()
            .rev()
            .step_by(3)
            .map(|play| play.position)
            .collect();
        for filter in [MoveFilter::NORMAL, MoveFilter::SWIFT] {
            let settings = Settings {
                filter,
                top: Some(1),
                ..Settings::plies(2)
            };
            let found = engine
                .compare_plays(&query, &listed, &settings, &stop)
                .unwrap();
            assert_eq!(found.legal, every.legal);
            assert!(
                listed
                    .iter()
                    .all(|after| found.plays.iter().any(|play| play.position == *after))
            );
            for play in &found.plays {
                let known = every
                    .plays
                    .iter()
                    .find(|known| known.position == play.position);
                assert_eq!(Some(play), known, "{query:?} {filter:?}");
            }
        }
    }
}

/// States of a match and of money whose cubes are moved, and the number of places.
fn states_of_cubes() -> [(MatchState, usize); 5] {
    let at = |length, mine, theirs, crawford| MatchState {
        score: Score::new(length, mine, theirs, crawford).unwrap(),
        ..MatchState::default()
    };
    [
        (MatchState::default(), 3),
        (at(7, 0, 2, false), 7),
        (at(3, 1, 1, false), 3),
        (at(5, 4, 1, true), 1),
        (at(5, 4, 1, false), 5),
    ]
}

#[test]
fn the_cube_in_each_place_is_the_single_question() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let stop = Stop::never();
    for (at, position) in drawn(200).into_iter().step_by(20).enumerate() {
        for (state, count) in states_of_cubes() {
            let settings = Settings::plies(u8::try_from(at % 3).unwrap());
            let mut query = CubesQuery {
                position,
                state,
                roll: None,
            };
            let found = engine.cubes(&query, &settings, &stop).unwrap();
            let states = query.states();
            assert_eq!([states.len(), found.places.len()], [count; 2]);
            for (place, &state) in found.places.iter().zip(&states) {
                assert_eq!(place.cube, state.cube);
                match &place.decision {
                    Some(cube) => {
                        let single = CubeQuery::new(position, state);
                        let single = engine.cube_action(&single, &settings, &stop).unwrap();
                        assert_eq!((cube, place.value), (&single, single.optimal));
                    }
                    None => {
                        assert!(state.double_refusal().is_some());
                        let single = EvalQuery::new(position, state);
                        let single = engine.evaluate(&single, &settings, &stop).unwrap();
                        assert_eq!(Some(place.value), single.cubeful);
                    }
                }
            }
            query.roll = Some(roll_of(7 * at));
            let found = engine.cubes(&query, &settings, &stop).unwrap();
            let listed: Vec<Position> = (found.places[0].plays.iter())
                .flat_map(|plays| plays.plays.iter().map(|play| play.position))
                .collect();
            for (place, &state) in found.places.iter().zip(&states) {
                let single = PlayQuery::new(position, roll_of(7 * at), state);
                let single = engine.compare_plays(&single, &listed, &settings, &stop);
                assert_eq!(place.plays, Some(single.unwrap()));
                let plays = place.plays.as_ref().unwrap();
                assert_eq!(
                    (plays.plays.len(), place.value),
                    (listed.len(), plays.best().value)
                );
            }
        }
    }
}

/// Without time there is an answer for each place of the cube all the same.
#[test]
fn cubes_and_scores_have_answers_in_no_time() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let settings = Settings {
        time_ms: Some(1),
        ..Settings::default()
    };
    let mut query = CubesQuery {
        position: Position::start(),
        state: MatchState::default(),
        roll: None,
    };
    for roll in [None, Some(roll_of(4))] {
        query.roll = roll;
        for _ in 0..20 {
            let found = engine.cubes(&query, &settings, &Stop::never()).unwrap();
            assert_eq!(found.places.len(), 3);
        }
    }
}

/// Compares all cells of as many random positions with single questions: without look-ahead at all scores up to 7 points
/// away, with plays at every tenth, at two plies at every fiftieth.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn scores_of_2000_positions_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for (at, position) in drawn(2000).into_iter().enumerate() {
        let query = query(position, CUBES[at % 3], 7);
        compare(&engine, &query, &Settings::plies(0));
        if at % 10 == 0 {
            compare_plays(&engine, &query, roll_of(at), &Settings::plies(0));
        }
        if at % 50 == 0 {
            compare(&engine, &query, &Settings::plies(2));
        }
    }
}

/// All 21 rolls are the answers to single questions at two plies.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn rolls_of_100_positions_are_single_questions() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let stop = Stop::never();
    let settings = Settings {
        filter: MoveFilter::SWIFT,
        top: Some(1),
        ..Settings::plies(2).with_value_of_best()
    };
    for position in drawn(2000).into_iter().step_by(20) {
        let query = EvalQuery::new(position, MatchState::default());
        let found = engine.rolls(&query, &settings, &stop).unwrap();
        for ranked in found.rolls {
            let query = PlayQuery::new(position, ranked.roll, query.state);
            let single = engine.rank_plays(&query, &settings, &stop).unwrap();
            assert_eq!(ranked, single, "{query:?}");
        }
    }
}
