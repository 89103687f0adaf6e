//! Variants of the game.

use gammond_engine::{CubeQuery, Engine, EngineError, EvalQuery, PlayQuery, Settings, Stop};
use gammond_game::{MatchState, Position, Roll, Variant};

/// nackgammon is answered as backgammon is; hypergammon needs a table, and its positions have few checkers.
#[test]
fn variants_without_a_table_are_refused_by_name() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let (settings, stop) = (Settings::plies(0), Stop::never());
    let state = |variant| MatchState::default().with_variant(variant);
    let value = |position: Position, variant| {
        let query = EvalQuery::new(position, state(variant));
        engine.evaluate(&query, &settings, &stop)
    };
    let start = Variant::Nackgammon.start();
    let of_nackgammon = value(start, Variant::Nackgammon).unwrap();
    assert_eq!(of_nackgammon, value(start, Variant::Backgammon).unwrap());
    let (few, hypergammon) = (Variant::Hypergammon.start(), state(Variant::Hypergammon));
    let query = PlayQuery::new(few, Roll::new(3, 1).unwrap(), hypergammon);
    let cube = CubeQuery::new(few, hypergammon);
    let said = [
        value(few, Variant::Hypergammon).map(drop),
        engine.rank_plays(&query, &settings, &stop).map(drop),
        engine.cube_action(&cube, &settings, &stop).map(drop),
        engine
            .accept_resignation(&EvalQuery::new(few, hypergammon), 1)
            .map(drop),
    ];
    for answer in said {
        let text = answer.unwrap_err().to_string();
        assert_eq!(
            text,
            "hypergammon needs its table: gammond bearoff make --hyper 3"
        );
    }
    let error = value(start, Variant::Hypergammon).unwrap_err();
    assert!(matches!(error, EngineError::Position(_)), "{error}");
    assert_eq!(
        error.to_string(),
        "position has 15 checkers of one side, at most 3 in hypergammon"
    );
}
