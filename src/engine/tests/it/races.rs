//! Races beyond the bearoff tables: odd ones, and those with a backgammon at stake.

use gammond_engine::eval::Evaluator as _;
use gammond_engine::eval::nets::NetEvaluator;
use gammond_game::notation::{PositionId, parse_training_line};
use gammond_game::{Chances, Position};

fn evaluated(own: &NetEvaluator, position: Position) -> Chances {
    let mut out = [Chances::default()];
    own.evaluate(None, &[position], &mut out);
    out[0]
}

/// The win is certain, the gammon too. The chance of the backgammon is exact, by all plays of the checkers that decide
/// it: the loser's in the winner's home and the winner's last ones.
#[test]
fn backgammons_at_stake_are_evaluated_exactly() {
    let own = NetEvaluator::embedded().unwrap();
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

/// `tests/data/odd-races.txt`: the root mean square error of static equities stays below a bound, also of races with a
/// backgammon at stake alone. The labels have an error of their own.
#[test]
fn odd_races_are_near_their_rollouts() {
    let own = NetEvaluator::embedded().unwrap();
    let text = include_str!("../../../../tests/data/odd-races.txt");
    let mut errors: [Vec<f64>; 2] = Default::default();
    for line in text.lines() {
        let Some(wanted) = parse_training_line(line.as_bytes()).unwrap() else {
            continue;
        };
        assert!(!wanted.position.has_contact(), "{line}");
        let chances = wanted.chances;
        let error = evaluated(&own, wanted.position).equity() - chances.equity();
        let at_stake = chances.win_backgammon + chances.lose_backgammon > 1e-4;
        errors[usize::from(at_stake)].push(error.into());
    }
    let [others, at_stake] = errors.map(|errors| {
        let squares: f64 = errors.iter().map(|error| error * error).sum();
        (errors.len(), (squares / errors.len() as f64).sqrt())
    });
    assert!(others.0 >= 200 && others.1 < 0.008, "{others:?}");
    assert!(at_stake.0 >= 100 && at_stake.1 < 0.008, "{at_stake:?}");
}
