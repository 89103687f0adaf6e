//! Duels: PubEval against gnubg's weights, and players that are other programs.

use crate::answers::reply;
use crate::server_process::Process;
use crate::support::{HANG_LIMIT, gnubg_wd, wait_until};
use gammond_arena::duel::{DuelPlan, Tally, play_duel};
use gammond_arena::player::{Defaults, Player, PlayerSpec};
use gammond_job::Control;
use std::path::Path;
use std::time::Duration;

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().open().unwrap()
}

fn duel(a: &str, b: &str, pairs: u64) -> Tally {
    let (a, b) = (player(a), player(b));
    let plan = DuelPlan {
        seed: 11,
        pairs,
        ..DuelPlan::default()
    };
    play_duel(&plan, [&*a, &*b], None, &mut Control::quiet())
        .unwrap()
        .sum
}

/// Published: about 0.63 points per game; here 2,000 games, so 3.3 standard errors of 0.03.
#[test]
fn gnubg_beats_pubeval_by_the_published_margin() {
    let Some(weights) = gnubg_wd("gnubg_beats_pubeval_by_the_published_margin") else {
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

/// With dice of their own, games of two random players are even by chance only: within three standard errors, and not exactly.
#[test]
fn two_random_players_are_even_with_independent_dice() {
    let (a, b) = (player("random"), player("random"));
    let plan = DuelPlan {
        seed: 11,
        pairs: 1000,
        independent: true,
        ..DuelPlan::default()
    };
    let run = || {
        play_duel(&plan, [&*a, &*b], None, &mut Control::quiet())
            .unwrap()
            .sum
    };
    let tally = run();
    let [first, second] = tally.wins.map(|wins| wins[0]);
    assert_eq!(first + second, 2000);
    let error = (2000.0_f64 * 0.25).sqrt();
    let off = (first as f64 - 1000.0).abs();
    assert!(off > 0.0 && off < 3.0 * error, "{first} {second}");
    let (mean, error) = (tally.points.mean(), tally.points.standard_error());
    assert!(mean != 0.0 && mean.abs() < 3.0 * error, "{mean} {error}");
    assert_eq!(run().points, tally.points);
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

/// A server of gnubg's external protocol that serves one connection at a time. Meanwhile it does not
/// listen, as gnubg does, or lets others wait.
fn serve_one_at_a_time(listens: bool) -> String {
    use gammond_protocol::external::{External, ExternalAction};
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let engine = gammond_engine::engine::Engine::builder();
        let engine = engine.threads(1).build().unwrap();
        let (stream, _) = listener.accept().unwrap();
        let listener = Some(listener).filter(|_| listens);
        let (mut machine, mut input) = (External::default(), stream.try_clone().unwrap());
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            let ExternalAction::Ask(question) = machine.line(line.as_bytes()) else {
                panic!("{line}")
            };
            let text = reply(&engine, &question);
            if writeln!(input, "{text}").is_err() {
                break;
            }
        }
        drop(listener);
    });
    address
}

/// A server that takes one connection at a time is played over that one by all threads, which is said.
#[test]
fn external_server_of_one_connection_is_shared() {
    for listens in [false, true] {
        let spec = format!("external:{}", serve_one_at_a_time(listens));
        let defaults = Defaults {
            answer_time: HANG_LIMIT,
            ..Defaults::default()
        };
        let player = spec.parse::<PlayerSpec>().unwrap();
        let player = player.open_with(&defaults).unwrap();
        assert_eq!(player.note(), None);
        std::thread::scope(|scope| {
            for number in 0..4 {
                let player = &player;
                scope.spawn(move || {
                    let mut chance = gammond_base::rng::stream(number, 0);
                    let mut position = gammond_game::Position::start();
                    for _ in 0..20 {
                        let roll = gammond_game::Roll::thrown(&mut chance);
                        position = player.play(&position, roll, &mut chance).unwrap();
                    }
                });
            }
        });
        let note = player.note().unwrap();
        assert!(note.contains("takes 1 connection at a time"), "{note}");
    }
}

/// A program that answers nonsense ends the duel with an error that names it.
#[cfg(unix)]
#[test]
fn a_lying_program_is_found_out() {
    let liar = player("pipe:while read line; do echo 4HPwATDgc/ABMA; done");
    let random = player("random");
    let plan = DuelPlan {
        seed: 1,
        pairs: 1,
        ..DuelPlan::default()
    };
    let error = play_duel(&plan, [&*liar, &*random], None, &mut Control::quiet()).unwrap_err();
    assert!(error.to_string().contains("no legal result"), "{error}");
}

/// Generation 0.1 of UBGI: no `proto`, no keys, and only `go role chequer` asks for a play. Made of our own engine by
/// filters, as the specification describes such programs.
#[cfg(unix)]
const UBGI_0_1: &str = concat!(
    r#"ubgi:while read -r line; do case "$line" in "go role chequer") echo "go chequer";; "#,
    r#"go*|set*|get*|keys) echo nothing;; *) echo "$line";; esac; done | "#,
    env!("CARGO_BIN_EXE_gammond"),
    r#" ubgi --plies 0 --threads 1 | while read -r line; do case "$line" in proto*|key*) ;; "#,
    r#"error*) echo "error bad_argument go";; *) echo "$line";; esac; done"#
);

#[cfg(unix)]
#[test]
fn ubgi_engines_of_the_first_generation_play() {
    let tally = duel(UBGI_0_1, "gammond", 5);
    assert_eq!((tally.points.mean(), tally.games()), (0.0, 10));
}

/// Our own server resigns games that it cannot win; a duel counts points, so it plays them to their end.
#[cfg(unix)]
#[test]
fn external_players_that_resign_play_on() {
    let server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0", "--plies", "0"]);
    let tally = duel(&format!("external:{}", server.addresses[0]), "pubeval", 20);
    assert_eq!(tally.games(), 40);
}

/// Whether a process runs; one that waits for its parent to notice its end does not.
#[cfg(target_os = "linux")]
fn runs(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z")
}

/// A program that says nothing ends the duel, not the other way round, and takes its children with it.
#[cfg(target_os = "linux")]
#[test]
fn silent_programs_are_ended() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let command = format!("sleep 600 & echo $$ $! > {}; wait", pids.display());
    let open_with = |text: &str, answer_time| {
        let defaults = Defaults {
            answer_time,
            ..Defaults::default()
        };
        let spec = text.parse::<PlayerSpec>().unwrap();
        spec.open_with(&defaults)
    };
    let gone = |pids: &Path| {
        let text = std::fs::read_to_string(pids).unwrap();
        wait_until("no program runs on", || !text.split_whitespace().any(runs));
        std::fs::remove_file(pids).unwrap();
    };
    // On a busy machine a shell has not written its number after a short time: then longer ones follow.
    let mut times = (0..12).map(|doublings| Duration::from_millis(400 << doublings));
    let time = times.find(|&time| {
        let refused = open_with(&format!("ubgi:{command}"), time).err().unwrap();
        let ending = format!("no answer within {time:?}");
        assert!(refused.to_string().ends_with(&ending), "{refused}");
        pids.exists()
    });
    gone(&pids);
    let time = time.unwrap() * 4;
    let open = |text: &str| open_with(text, time);
    let within = format!("no answer within {time:?}");
    let silent = open(&format!("pipe:{command}")).unwrap();
    let plan = DuelPlan {
        seed: 1,
        pairs: 1,
        ..DuelPlan::default()
    };
    let error = play_duel(
        &plan,
        [&*silent, &*player("random")],
        None,
        &mut Control::quiet(),
    )
    .unwrap_err();
    assert!(error.to_string().ends_with(&within), "{error}");
    gone(&pids);
    // One that talks without end and never answers is no better.
    let talks = open("ubgi:while true; do echo info depth 1; done")
        .err()
        .unwrap()
        .to_string();
    assert!(talks.ends_with(&within), "{talks}");
}

/// `duel --mat`: each pair of games as a file that reads without fault and has the points of the duel.
#[test]
fn a_duel_writes_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let mats = folder.path().join("mats");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args([
            "duel", "pubeval", "random", "--games", "6", "--seed", "3", "--quiet", "--format",
            "json", "--mat",
        ])
        .arg(&mats)
        .output()
        .unwrap();
    assert!(run.status.success(), "{run:?}");
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let (mut points, mut files) = (0, 0);
    for entry in std::fs::read_dir(&mats).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let file = gammond_game::notation::MatchFile::parse(&bytes).unwrap();
        assert_eq!(
            (file.length, file.games.len(), file.switch("Jacoby")),
            (0, 2, Some(false))
        );
        assert_eq!(file.names, ["pubeval", "random"]);
        for game in &file.games {
            assert!(game.actions.len() > 10);
            let (winner, won) = game.result.unwrap();
            let won = i64::from(won);
            points += if winner == gammond_game::notation::MatPlayer::First {
                won
            } else {
                -won
            };
        }
        files += 1;
    }
    assert_eq!(files, 3);
    assert!((told["points_per_game"].as_f64().unwrap() - points as f64 / 6.0).abs() < 1e-9);
}

/// `--variant`: the games begin at the start of the variant and are read back so, a journal of the usual game is not
/// continued.
#[test]
fn a_duel_of_another_variant() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["duel", "pubeval", "random", "--games", "4", "--quiet"])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let nack = ["--variant", "nackgammon"];
    for luck in [&[][..], &["--luck-adjusted", "embedded:fast"]] {
        let found = run(&[&nack[..], luck].concat());
        let text = String::from_utf8(found.stdout).unwrap();
        assert!(
            text.starts_with("pubeval against random at NackGammon, seed 1"),
            "{text}"
        );
    }
    assert!(
        run(&[&nack[..], &["--mat", "mats", "--journal", "j"]].concat())
            .status
            .success()
    );
    for entry in std::fs::read_dir(folder.path().join("mats")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let file = gammond_game::notation::MatchFile::parse(&bytes).unwrap();
        assert_eq!(file.variant(), Some(gammond_game::Variant::Nackgammon));
    }
    let refused = run(&["--journal", "j"]);
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(
        !refused.status.success() && text.contains("variant"),
        "{text}"
    );
}
