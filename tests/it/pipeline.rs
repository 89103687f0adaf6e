//! What the training pipeline makes: siblings, disagreements, labels by games; and the gate.

use gammond_base::journal::read_records;
use gammond_train::training::shard::{Label, unpack};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn gammond(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command
        .args(line.split_whitespace())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn succeed(folder: &Path, line: &str) {
    assert!(gammond(folder, line).status().unwrap().success(), "{line}");
}

fn labels(path: &Path) -> Vec<Label> {
    let records = read_records(path).unwrap();
    records
        .iter()
        .flat_map(|r| unpack(r).collect::<Vec<_>>())
        .collect()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    (folder, path)
}

#[test]
fn siblings_share_the_luck_of_their_partners() {
    let (_guard, at) = folder();
    std::fs::write(
        at.join("games.toml"),
        "lambda = 0.9\ncontenders = 1\nextra = 1.0\nodd_starts = 0.0\nrace_starts = 0.0\n\
         random_starts = 0.0\nmild = 0.0\nwild = 0.0\n",
    )
    .unwrap();
    succeed(
        &at,
        "sample s.labels --positions 4000 --seed 9 --games games.toml",
    );
    let all = labels(&at.join("s.labels"));
    let pairs: Vec<&[Label]> = all.windows(2).filter(|pair| pair[1].sibling).collect();
    assert!(pairs.len() > 1000, "{}", pairs.len());
    for pair in &pairs {
        assert!(!pair[0].sibling && pair[0].position != pair[1].position);
    }
    // The position chosen is on average the better one for the player who left it.
    let mean = pairs
        .iter()
        .map(|p| f64::from(p[1].equity() - p[0].equity()))
        .sum::<f64>()
        / pairs.len() as f64;
    assert!(mean > 0.005, "{mean}");
}

#[test]
fn disagreements_are_found_by_a_deeper_search() {
    let (_guard, at) = folder();
    let command = "sample d.labels --positions 60 --seed 4 --disagreements 1";
    succeed(&at, command);
    let all = labels(&at.join("d.labels"));
    assert!(all.len() >= 60);
    let text = gammond(&at, "sample dump d.labels")
        .stdout(Stdio::piped())
        .output();
    let text = String::from_utf8(text.unwrap().stdout).unwrap();
    assert_eq!(text.lines().count(), all.len());
    // Labelled again by the same search, every position gets the label it has.
    std::fs::write(at.join("positions"), &text).unwrap();
    succeed(&at, "label positions again --plies 1");
    let again = std::fs::read_to_string(at.join("again")).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        line.split(' ')
            .skip(1)
            .map(|n| n.parse().unwrap())
            .collect()
    };
    let again = again.lines().filter(|line| !line.starts_with('#'));
    for (one, two) in text.lines().zip(again) {
        for (a, b) in numbers(one).iter().zip(numbers(two)) {
            assert!((a - b).abs() < 2e-4, "{one}\n{two}");
        }
    }
}

#[test]
fn labels_by_games_are_near_those_of_a_search() {
    let (_guard, at) = folder();
    std::fs::write(at.join("positions"), "4HPwATDgc/ABMA\n").unwrap();
    succeed(&at, "label positions games --games 64");
    succeed(&at, "label positions search --plies 1");
    let equity = |name: &str| {
        let text = std::fs::read_to_string(at.join(name)).unwrap();
        let line = text.lines().find(|line| !line.starts_with('#')).unwrap();
        let n: Vec<f64> = (line.split_whitespace().skip(1))
            .map(|n| n.parse().unwrap())
            .collect();
        2.0 * n[0] - 1.0 + n[1] + n[2] - n[3] - n[4]
    };
    let (games, search) = (equity("games"), equity("search"));
    // One game is within about 0.035 of the mean.
    assert!((games - search).abs() < 0.04, "{games} {search}");
}

#[test]
fn the_gate_lets_the_better_player_in_only() {
    let (_guard, at) = folder();
    let status = |line: &str| gammond(&at, line).status().unwrap().code();
    let games = "--games 400 --seed 2";
    assert_eq!(
        status(&format!("gate pubeval --against random {games}")),
        Some(0)
    );
    assert_eq!(
        status(&format!("gate random --against pubeval {games}")),
        Some(1)
    );
    // Level players: not clearly ahead.
    assert_eq!(
        status(&format!("gate random --against random {games}")),
        Some(1)
    );
}
