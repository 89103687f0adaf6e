//! Races beyond the bearoff tables: odd ones, and those with a backgammon at stake.

use gammond_engine::eval::Evaluator as _;
use gammond_engine::eval::own::OwnEvaluator;
use gammond_game::notation::PositionId;
use gammond_game::{Chances, Position};

fn evaluated(own: &OwnEvaluator, position: Position) -> Chances {
    let mut out = [Chances::default()];
    own.evaluate(None, &[position], &mut out);
    out[0]
}

/// The win is certain, the gammon too. The chance of the backgammon is exact, by all plays of the checkers that decide
/// it: the loser's in the winner's home and the winner's last ones.
#[test]
fn backgammons_at_stake_are_evaluated_exactly() {
    let own = OwnEvaluator::embedded().unwrap();
    for (id, sign, backgammon) in [
        ("CONnSBEHAAAAAA", 1.0, 0.907_407),
        ("+wAAAB8AxOEHAA", -1.0, 0.303_949),
        ("y3oDEBQHAAAAAA", 1.0, 0.768_519),
        ("w+CJSRE/AAAAAA", 1.0, 0.283_393),
        ("OwAAwAcAcekBAA", -1.0, 0.330_916),
    ] {
        let position = PositionId::parse(id.as_bytes()).unwrap().position();
        let found = evaluated(&own, position).equity();
        let wanted = sign * (2.0 + backgammon);
        assert!((found - wanted).abs() < 0.005, "{id}: {found} {wanted}");
    }
}
