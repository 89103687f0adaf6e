//! Duels: PubEval against gnubg's weights, and players behind pipes.

use crate::support::gnubg_wd;
use gammond::duel::{Plan, Player, PlayerSpec, Tally, play_duel};

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().open(2).unwrap()
}

fn duel(a: &str, b: &str, pairs: u64) -> Tally {
    let (a, b) = (player(a), player(b));
    let plan = Plan {
        seed: 11,
        pairs,
        decide: None,
    };
    play_duel(&plan, [&*a, &*b], None, &mut |_| {}).unwrap()
}

/// Published: about 0.63 points per game; here 2,000 games, so 3.3 standard errors of 0.03.
#[test]
fn gnubg_beats_pubeval_by_what_is_published() {
    let Some(weights) = gnubg_wd("gnubg_beats_pubeval_by_what_is_published") else {
        return;
    };
    let tally = duel(
        &format!("gammond:nets={}", weights.display()),
        "pubeval",
        1000,
    );
    let (mean, error) = (tally.points.mean(), tally.points.standard_error());
    assert!(error < 0.035, "{error}");
    assert!((mean - 0.63).abs() < 0.1, "{mean}");
}

#[test]
fn two_random_players_are_even() {
    let tally = duel("random", "random", 1000);
    // The same dice and the same coins: the mirrored game is the same game.
    assert_eq!(tally.points.mean(), 0.0);
    let [first, second] = tally.wins.map(|wins| wins[0]);
    assert_eq!((first, second), (1000, 1000));
    assert_eq!(tally.games(), 2000);
}

/// A program that answers nonsense ends the duel with an error that names it.
#[cfg(unix)]
#[test]
fn a_lying_program_is_found_out() {
    let liar = player("pipe:while read line; do echo 4HPwATDgc/ABMA; done");
    let random = player("random");
    let plan = Plan {
        seed: 1,
        pairs: 1,
        decide: None,
    };
    let error = play_duel(&plan, [&*liar, &*random], None, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("no legal result"), "{error}");
}
