//! Duels with the cube and in matches; programs that fail in the middle of them.

use gammond_arena::duel::{DuelPlan, DuelTerms, Duels, Failures, Tally, play_duel};
use gammond_arena::player::{Player, PlayerSpec};
use gammond_game::Rules;
use gammond_game::notation::{MatAction, MatPlayer, MatchFile};
use gammond_job::{Control, Runner};
use std::process::{Command, Output};

fn player(text: &str) -> Box<dyn Player> {
    text.parse::<PlayerSpec>().unwrap().open().unwrap()
}

fn duel(a: &str, b: &str, plan: &DuelPlan) -> Tally {
    let (a, b) = (player(a), player(b));
    play_duel(plan, [&*a, &*b], None, &mut Control::quiet())
        .unwrap()
        .sum
}

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(args)
        .output()
        .unwrap()
}

/// Our own server behind gnubg's external protocol makes the same plays and cube actions at each score: pair for pair
/// both win as much. Had the line a wrong score, cube or owner, some game would differ.
#[cfg(unix)]
#[test]
fn the_external_protocol_carries_cube_and_score() {
    use crate::server_process::Process;
    let server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0", "--plies", "0"]);
    let external = format!("external:{}", server.addresses[0]);
    for terms in [
        DuelTerms::Match(5),
        DuelTerms::Money(Rules {
            jacoby: true,
            beavers: true,
        }),
    ] {
        let plan = DuelPlan {
            seed: 5,
            pairs: 12,
            terms,
            ..DuelPlan::default()
        };
        let tally = duel(&external, "gammond", &plan);
        let each = [tally.points.mean(), tally.points.variance()];
        assert_eq!((each, tally.games()), ([0.0, 0.0], 24), "{terms:?}");
    }
}

/// In a money duel with beavers a player that doubles by noise is beavered; the files have the beavers, their cubes and the
/// points. Without `--beavers` there are none.
#[test]
fn doubles_by_noise_are_beavered() {
    let folder = tempfile::tempdir().unwrap();
    let beavers = |name: &str, option: &[&str]| {
        let mats = folder.path().join(name);
        let mats = mats.to_str().unwrap();
        let duel = ["duel", "gammond:nets=embedded:fast", "gammond:noise=0.6"];
        let rest = [
            "--cube", "--games", "12", "--seed", "3", "--quiet", "--mat", mats,
        ];
        let done = run(&[&duel, &rest[..], option].concat());
        assert!(done.status.success(), "{done:?}");
        let (mut beavers, mut text) = (0, String::new());
        for entry in std::fs::read_dir(mats).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let reading = MatchFile::read(&bytes).unwrap();
            assert_eq!(reading.faults, []);
            text.push_str(&String::from_utf8_lossy(&bytes));
            let games = reading.file.games.iter();
            let actions = games.flat_map(|game| &game.actions);
            beavers += actions
                .filter(|(_, action)| matches!(action, MatAction::Beaver(_)))
                .count();
        }
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        (beavers, text, told)
    };
    let (with, text, told) = beavers("with", &["--beavers"]);
    assert!(with > 2 && !text.contains("[Beaver"), "{with} {text}");
    assert!(told.contains("money games, Jacoby, beavers"), "{told}");
    let (without, text, _) = beavers("without", &[]);
    assert!(
        without == 0 && text.contains("[Beaver \"Off\"]"),
        "{without} {text}"
    );
}

/// A stronger net wins more matches; the files of the games are whole, and the winners in them those that were counted.
#[test]
fn matches_are_played_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let mats = folder.path().join("mats");
    let mats = mats.to_str().unwrap();
    let done = run(&[
        "duel",
        "gammond",
        "gammond:nets=embedded:fast",
        "--match",
        "5",
        "--games",
        "8",
        "--seed",
        "3",
        "--quiet",
        "--format",
        "json",
        "--mat",
        mats,
    ]);
    assert!(done.status.success(), "{done:?}");
    let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["matches"], 8);
    let (mut won, mut files, mut doubles, mut crawford) = (0, 0, 0, 0);
    for entry in std::fs::read_dir(mats).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let file = MatchFile::parse(&bytes).unwrap();
        assert_eq!(file.length, 5);
        let mut scores = [0, 0];
        let mut crawford_over = false;
        for game in &file.games {
            assert_eq!(game.scores, scores);
            assert!(scores.iter().all(|&score| score < 5));
            let turned = (game.actions.iter())
                .filter(|(_, action)| matches!(action, MatAction::Double(_)))
                .count();
            doubles += turned;
            if scores.contains(&4) && !crawford_over {
                crawford_over = true;
                crawford += 1;
                assert_eq!(turned, 0, "the cube was turned in the Crawford game");
            }
            let (winner, points) = game.result.unwrap();
            scores[usize::from(winner == MatPlayer::Second)] += points;
        }
        assert!(scores.iter().any(|&score| score >= 5));
        won += u32::from(scores[0] >= 5);
        files += 1;
    }
    assert_eq!(files, 8);
    assert!(doubles > 8 && crawford > 0, "{doubles} {crawford}");
    assert_eq!(told["matches_won"].as_f64().unwrap(), f64::from(won) / 8.0);
    // Our own analysis replays each without a fault.
    let judged = run(&[
        "analyse",
        "--plies",
        "0",
        "--progress",
        "none",
        "--format",
        "json",
        mats,
    ]);
    assert!(judged.status.success(), "{judged:?}");
    let text = String::from_utf8(judged.stdout).unwrap();
    assert!(
        !text.contains("\"error\"") && judged.stderr.is_empty(),
        "{text}"
    );
}

/// Money games with the cube go on from a journal, and have more points than three now and then.
#[test]
fn money_games_with_the_cube_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("duel");
    let with = |games: &str, journal: Option<&str>| {
        let mut args = vec![
            "duel",
            "gammond",
            "gammond:nets=embedded:fast",
            "--cube",
            "--no-jacoby",
            "--seed",
            "4",
            "--quiet",
            "--games",
            games,
        ];
        args.extend(journal.map(|_| "--journal"));
        args.extend(journal);
        let done = run(&args);
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let journal = journal.to_str().unwrap();
    with("20", Some(journal));
    assert_eq!(with("60", Some(journal)), with("60", None));
    // Other terms are another duel.
    let other = run(&[
        "duel",
        "gammond",
        "gammond:nets=embedded:fast",
        "--cube",
        "--seed",
        "4",
        "--games",
        "60",
        "--journal",
        journal,
    ]);
    assert!(!other.status.success());
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(said.contains("terms"), "{said}");
}

/// What one wins the other loses; the picture has a cell for each pair, both ways.
#[test]
fn a_tournament_balances_and_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("table.svg");
    for (terms, name, even) in [
        (&["--match", "2"][..], "per_cent_won", 50.0),
        (&["--cube"], "points_per_game", 0.0),
    ] {
        let mut args = vec![
            "tournament",
            "gammond",
            "gammond:nets=embedded:fast",
            "gammond:osr=36",
            "--games",
            "6",
            "--seed",
            "2",
            "--progress",
            "none",
            "--format",
            "json",
            "--svg",
            picture.to_str().unwrap(),
        ];
        args.extend(terms);
        let done = run(&args);
        assert!(done.status.success(), "{done:?}");
        let told: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        let ranking = told["ranking"].as_array().unwrap();
        assert_eq!((ranking.len(), &told["games"]), (3, &6.into()));
        let means: Vec<f64> = ranking
            .iter()
            .map(|one| one[name].as_f64().unwrap())
            .collect();
        assert!(means.is_sorted_by(|a, b| a >= b), "{means:?}");
        let sum: f64 = means.iter().sum();
        assert!((sum - 3.0 * even).abs() < 1e-6, "{means:?}");
        let drawn = std::fs::read_to_string(&picture).unwrap();
        assert_eq!(drawn.matches("<rect").count(), 7);
    }
}

/// Players without a cube are told so before anything is played.
#[test]
fn players_without_a_cube_are_refused() {
    for terms in [&["--cube"][..], &["--match", "3"]] {
        let mut args = vec!["duel", "gammond", "pubeval", "--quiet"];
        args.extend(terms);
        let done = run(&args);
        let said = String::from_utf8(done.stderr).unwrap();
        assert!(
            !done.status.success()
                && said.contains("pubeval")
                && said.contains("does not know the cube"),
            "{said}"
        );
    }
    for wrong in [
        &["--match", "0"][..],
        &["--match", "256"],
        &["--match", "3", "--cube"],
        &["--no-jacoby"],
        &["--on-failure", "cry"],
        &["--on-failure", "void", "--luck-adjusted", "embedded:fast"],
    ] {
        let mut args = vec!["duel", "gammond", "gammond", "--quiet"];
        args.extend(wrong);
        let done = run(&args);
        assert_eq!(done.status.code(), Some(2), "{wrong:?}");
    }
}

/// Our own engine over UBGI, but each eightieth play is none.
#[cfg(unix)]
const LIAR: &str = concat!(
    "ubgi:",
    env!("CARGO_BIN_EXE_gammond"),
    r#" ubgi --plies 0 --threads 1 | { n=0; while read -r line; do case "$line" in "#,
    r#"bestmove*) n=$((n + 1)); [ $((n % 80)) = 0 ] && line="bestmove 1/25";; esac; echo "$line"; done; }"#
);

/// A program that fails now and then loses those games or has them not counted; one that always fails ends the duel.
#[cfg(unix)]
#[test]
fn failures_are_forfeited_or_void() {
    let play = |text: &str, pairs, failures| {
        let plan = DuelPlan {
            seed: 8,
            pairs,
            failures,
            ..DuelPlan::default()
        };
        let (liar, other) = (player(text), player("pubeval"));
        let players = [&*liar, &*other];
        let duels = Duels::new(&plan, &players, vec![[0, 1]]).unwrap();
        let end = Runner::new().run(&duels, &mut Control::quiet());
        end.map(|end| end.sum.into_iter().next().unwrap())
    };
    assert!(play(LIAR, 8, Failures::End).is_err());
    let forfeited = play(LIAR, 8, Failures::Forfeit).unwrap();
    let [failed, other] = forfeited.failed;
    assert!(failed > 0 && other == 0 && forfeited.games() == 16 && !forfeited.gave_up());
    assert!(forfeited.wins[1][0] >= failed);
    let void = play(LIAR, 8, Failures::Void).unwrap();
    assert!(void.failed[0] > 0 && void.games() + void.void == 16 && void.void > 0);
    let hopeless = play(
        "pipe:while read line; do echo 4HPwATDgc/ABMA; done",
        100,
        Failures::Forfeit,
    );
    let hopeless = hopeless.unwrap();
    assert!(hopeless.gave_up() && hopeless.games() < 100);
}

/// `--watch` shows cube, owner and score as they are: a board after a take has the turned cube.
#[test]
fn watched_boards_have_cube_and_score() {
    let words = "duel gammond gammond:noise=0.2 --games 2 --match 3 --watch --quiet --seed 4";
    let words: Vec<&str> = words.split(' ').collect();
    let text = String::from_utf8(run(&words).stdout).unwrap();
    let mut cube = 1;
    let (mut boards, mut turned) = (0, 0);
    for line in text.lines() {
        if let Some((_, value)) = line.split_once(" doubles to ") {
            cube = value.parse().unwrap();
        }
        if line.contains(" wins ") {
            cube = 1;
        }
        if let Some((_, shown)) = line.split_once("[cube ") {
            boards += 1;
            turned += u32::from(cube > 1);
            assert!(shown.starts_with(&format!("{cube}]")), "{cube}: {line}");
        }
    }
    assert!(boards > turned && turned > 0, "{text}");
    assert!(
        text.contains("X 0 - O 0 to 3") && !text.contains("money"),
        "{text}"
    );
}
