//! The cube decisions of a position at all scores: the same bits as the question at each of them.

use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{CubeQuery, MoveFilter, ScoresQuery, Settings, Stop};
use gammond_game::notation::parse_position;
use gammond_game::{Cube, CubeOwner, Position, Roll, Rules, legal_plays};

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
