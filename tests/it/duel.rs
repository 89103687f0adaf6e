//! Duels: PubEval against gnubg's weights, and players that are other programs.

use crate::server_process::Process;
use crate::support::gnubg_wd;
use gammond::duel::{Plan, Player, PlayerSpec, Tally, play_duel};

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().open().unwrap()
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

/// Our own engine behind UBGI plays what it plays without: all mirrored games are the same.
#[cfg(unix)]
#[test]
fn ubgi_engines_play() {
    let command = concat!(
        "ubgi:",
        env!("CARGO_BIN_EXE_gammond"),
        " ubgi --plies 0 --threads 1"
    );
    let tally = duel(command, "gammond", 15);
    assert_eq!((tally.points.mean(), tally.games()), (0.0, 30));
    let mute = "ubgi:true".parse::<PlayerSpec>().unwrap().open();
    assert!(
        mute.err()
            .unwrap()
            .to_string()
            .contains("without an answer")
    );
}

/// Our own server behind gnubg's external protocol beats random plays.
#[cfg(unix)]
#[test]
fn external_players_play() {
    let server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0", "--plies", "0"]);
    let tally = duel(&format!("external:{}", server.addresses[0]), "random", 10);
    assert!(tally.points.mean() > 0.5, "{}", tally.points.mean());
    // Nobody listens on the port of a server that is gone.
    let address = server.addresses[0].clone();
    drop(server);
    let gone = format!("external:{address}").parse::<PlayerSpec>().unwrap();
    assert!(gone.open().is_err());
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
