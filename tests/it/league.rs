//! `gammond league`: one table of games, losses and times, which a further player joins without the others playing again.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const SETS: &str = "--bench BENCH/crashed-1.bm BENCH/crashed-2.bm BENCH/cube-1.bm";
const SMALL: &str = "--games 8 --judge embedded:fast --progress none --format json";

fn league(folder: &Path, words: &str) -> (i32, String) {
    let benchmark = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark");
    let words = words.replace("BENCH", &benchmark.display().to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("league")
        .args(words.split_whitespace())
        .current_dir(folder)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (
        output.status.code().unwrap(),
        String::from_utf8(text).unwrap(),
    )
}

fn json(folder: &Path, words: &str) -> Value {
    let (code, text) = league(folder, words);
    assert_eq!(code, 0, "{text}");
    serde_json::from_str(text.lines().find(|line| line.starts_with('{')).unwrap()).unwrap()
}

/// The name of a player without its options.
fn short_name(player: &Value) -> &str {
    player["name"].as_str().unwrap().split(':').next().unwrap()
}

/// Results of each player against each other, by their names.
fn results(league: &Value) -> BTreeMap<[String; 2], Value> {
    let players = league["players"].as_array().unwrap();
    let name = |player: &Value| short_name(player).to_owned();
    let mut found = BTreeMap::new();
    for player in players {
        for (against, other) in player["against"].as_array().unwrap().iter().zip(players) {
            found.insert([name(player), name(other)], against.clone());
        }
    }
    found
}

fn journals(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder.join("results"))
        .unwrap()
        .map(|file| file.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|ending| ending == "journal"));
    files
        .map(|path| (path.display().to_string(), fs::read(path).unwrap()))
        .collect()
}

#[test]
fn players_are_played_and_rated() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let two = json(folder, &format!("results gammond random {SMALL} {SETS}"));
    let first = journals(folder);
    // A duel, and two sets for each player.
    assert_eq!(first.len(), 5);
    assert_eq!(two["unit"], "points a game");
    assert_eq!(short_name(&two["players"][0]), "gammond");
    for player in two["players"].as_array().unwrap() {
        assert!(player["microseconds"].as_f64().unwrap() > 0.0);
        assert!(!player["identity"].as_str().unwrap().is_empty());
    }
    let sets: Vec<_> = (two["sets"].as_array().unwrap().iter())
        .map(|set| {
            (
                set["name"].as_str().unwrap(),
                set["kind"].as_str().unwrap(),
                set["sha256"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(sets, [("crashed", "plays", 2), ("cube", "cube", 1)]);
    let plays = &two["sets"][0]["ratings"];
    assert!(
        plays[0]["mean"].as_f64() < plays[1]["mean"].as_f64(),
        "{plays}"
    );
}

#[test]
fn what_is_there_is_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let two = json(folder, &format!("results gammond random {SMALL} {SETS}"));
    // More games, or fewer: those that are there count.
    let more = json(
        folder,
        &format!("results gammond random {} {SETS}", SMALL.replace("8", "12")),
    );
    assert_ne!(results(&more), results(&two));
    let first = journals(folder);
    let fewer = json(folder, &format!("results gammond random {SMALL} {SETS}"));
    assert_eq!(results(&fewer), results(&two));
    assert_eq!(journals(folder), first);
    // Another order, and another player.
    let three = json(
        folder,
        &format!("results pubeval random gammond {SMALL} {SETS}"),
    );
    let second = journals(folder);
    assert_eq!(second.len(), first.len() + 4);
    assert!(
        first
            .iter()
            .all(|(name, bytes)| second.get(name) == Some(bytes))
    );
    let (old, new) = (results(&two), results(&three));
    assert!(
        old.iter()
            .all(|(pair, result)| new.get(pair) == Some(result))
    );
    let games = |one: &str, other: &str| {
        new[&[one.to_owned(), other.to_owned()]]["mean"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(games("gammond", "random"), -games("random", "gammond"));
    assert_eq!(
        new[&["random".to_owned(), "random".to_owned()]],
        Value::Null
    );
    let mean = three["players"][0]["result"]["mean"].as_f64().unwrap();
    let name = short_name(&three["players"][0]);
    let others = ["gammond", "random", "pubeval"]
        .into_iter()
        .filter(|other| *other != name);
    let sum: f64 = others.map(|other| games(name, other)).sum();
    assert!((mean - sum / 2.0).abs() < 1e-12, "{mean} {sum}");
    for form in ["league.html", "league.md", "league.json"] {
        let text = fs::read_to_string(folder.join("results").join(form)).unwrap();
        assert!(
            text.contains("pubeval") && text.contains("gammond league results pubeval random"),
            "{form}: {text}"
        );
    }
}

#[test]
fn a_league_says_what_it_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file"), "text\n").unwrap();
    for (words, wanted, part) in [
        ("results gammond", 2, "2 values required"),
        ("results gammond gammond", 2, "is there twice"),
        ("results gammond nonsense", 2, "nonsense"),
        ("file random pubeval", 3, "file: "),
        ("results random pubeval --bench nothing.bm", 3, "nothing.bm"),
        (
            "results random pubeval --bench .",
            3,
            "no file that ends with .bm",
        ),
        ("results random pubeval --judge nothing", 3, "nothing"),
        (
            "results gammond gammond:plies=1 random --match 5",
            2,
            "random",
        ),
    ] {
        let (code, text) = league(folder, &format!("{words} --games 2 --progress none"));
        assert_eq!(code, wanted, "{words}: {text}");
        assert!(text.contains(part), "{words}: {text}");
        assert!(!folder.join("results").exists(), "{words}");
    }
    // Another seed belongs into another folder.
    assert_eq!(
        league(folder, &format!("results random pubeval {SMALL}")).0,
        0
    );
    let (code, text) = league(folder, &format!("results random pubeval {SMALL} --seed 2"));
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("duel-"), "{text}");
}
