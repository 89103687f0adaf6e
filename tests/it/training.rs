//! Training runs: killed and resumed, they end with the same bytes.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PLAN: &str = r#"
seed = 5
contact = { first = 64, second = 16, hand = true }
crashed = { first = 64, second = 16, hand = true }
ahead = { first = 64, second = 16, hand = false }
race = { first = 64, second = 16, hand = false }
batch = 256

[parts]
contact-anchor = { first = 64, second = 16, hand = true }
ahead-board = { first = 64, second = 16 }

[[round]]
labels = 3000
pool = 2
rate = 1e-3
pairs = 4.0
times = 2
games = { lambda = 0.8, contenders = 2, extra = 0.5 }
"#;

fn gammond() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Starts the command again and again and kills it ever later, until it ends by itself.
fn killed_and_resumed(command: impl Fn() -> Command) {
    let mut killed = 0;
    // The moments of the kills are what is tested.
    let mut wait = Duration::from_millis(15);
    loop {
        let mut child = command().spawn().unwrap();
        std::thread::sleep(wait);
        wait = wait * 3 / 2;
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        // SIGKILL: nothing can be tidied up.
        child.kill().unwrap();
        child.wait().unwrap();
        killed += 1;
    }
    assert!(killed > 0, "it was never killed");
}

fn same_file(a: &Path, b: &Path) {
    assert!(
        fs::read(a).unwrap() == fs::read(b).unwrap(),
        "{} differs",
        a.display()
    );
}

fn same(a: &Path, b: &Path, name: &str) {
    same_file(&a.join(name), &b.join(name));
}

/// JR-01, JR-04, TL-01, TL-02, LB-01, LB-04, TP-01, TP-02, TP-03: the folder is the same after kills.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_killed_training_run_ends_with_the_same_nets() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    fs::write(&plan, PLAN).unwrap();
    let run = |name: &str, threads: &str| {
        let mut command = gammond();
        command
            .arg("train")
            .arg(&plan)
            .arg("--folder")
            .arg(folder.path().join(name))
            .args(["--threads", threads]);
        command
    };
    assert!(run("whole", "1").status().unwrap().success());
    killed_and_resumed(|| run("killed", "2"));
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    for round in 1..=2 {
        same(&whole, &killed, &format!("round-{round}.labels"));
        same(&whole, &killed, &format!("round-{round}-contact.net"));
        same(&whole, &killed, &format!("round-{round}-contact-ahead.net"));
        same(
            &whole,
            &killed,
            &format!("round-{round}-contact-anchor.net"),
        );
        same(&whole, &killed, &format!("round-{round}-ahead-board.net"));
        same(&whole, &killed, &format!("round-{round}-crashed.net"));
        same(&whole, &killed, &format!("round-{round}-race.net"));
    }
    let log = fs::read_to_string(whole.join("log.jsonl")).unwrap();
    let losses: Vec<f64> = log
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|line| line["kind"] == "contact")
        .map(|line| line["loss"].as_f64().unwrap())
        .collect();
    assert!(losses.len() == 2 && losses.iter().all(|loss| *loss > 0.0));
}

#[test]
fn killed_sampling_and_labelling_end_with_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let sample = |name: &str| {
        let mut command = gammond();
        command
            .args(["sample", "--positions", "1500", "--seed", "3"])
            .arg(at(name));
        command
    };
    assert!(sample("whole.labels").status().unwrap().success());
    killed_and_resumed(|| sample("killed.labels"));
    same_file(&at("whole.labels"), &at("killed.labels"));
    let dump = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["sample", "dump"])
        .arg(at("whole.labels"))
        .output()
        .unwrap();
    let text = String::from_utf8(dump.stdout).unwrap();
    assert!(text.lines().count() >= 1500);
    // Cut off anywhere, the file is an error, not a dump of nothing.
    let whole = fs::read(at("whole.labels")).unwrap();
    for length in [0, 20, whole.len() / 100, whole.len() / 2, whole.len() - 1] {
        fs::write(at("cut.labels"), &whole[..length]).unwrap();
        let cut = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["sample", "dump"])
            .arg(at("cut.labels"))
            .output()
            .unwrap();
        assert_eq!(
            (cut.status.code(), cut.stdout.len()),
            (Some(3), 0),
            "{length}"
        );
    }
    fs::write(at("positions"), &text).unwrap();
    let label = |name: &str| {
        let mut command = gammond();
        command
            .args(["label", "--plies", "1"])
            .arg(at("positions"))
            .arg(at(name));
        command
    };
    assert!(label("whole.txt").status().unwrap().success());
    killed_and_resumed(|| label("killed.txt"));
    same_file(&at("whole.txt"), &at("killed.txt"));
    let labels = fs::read_to_string(at("whole.txt")).unwrap();
    let lines = labels.lines().filter(|line| !line.starts_with('#'));
    assert_eq!(lines.count(), text.lines().count());
}

/// LB-06 and LB-07: labels by games and disagreements, killed and resumed, and games that begin where a file says.
#[test]
fn killed_disagreements_and_games_end_with_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let disagreements = |name: &str| {
        let mut command = gammond();
        let few = ["--positions", "30", "--seed", "4", "--disagreements", "1"];
        command.arg("sample").args(few).arg(at(name));
        command
    };
    assert!(disagreements("whole.labels").status().unwrap().success());
    killed_and_resumed(|| disagreements("killed.labels"));
    same_file(&at("whole.labels"), &at("killed.labels"));
    let positions = dump(&at("whole.labels"), &[]);
    fs::write(at("positions"), &positions).unwrap();
    let label = |name: &str| {
        let mut command = gammond();
        command.args(["label", "--games", "3"]);
        command.arg(at("positions")).arg(at(name));
        command
    };
    assert!(label("whole.txt").status().unwrap().success());
    killed_and_resumed(|| label("killed.txt"));
    same_file(&at("whole.txt"), &at("killed.txt"));
}

fn dump(labels: &Path, options: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    let output = command.args(["sample", "dump"]).args(options).arg(labels);
    let output = output.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// LB-08 and LB-05: games from given races stay races, siblings among them; a choice by groups.
#[test]
fn games_begin_at_given_positions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let games = "lambda = 1.0\nextra = 1.0\nextra_races = true\n";
    fs::write(at("games.toml"), games).unwrap();
    fs::write(
        at("starts"),
        "# two races\nHAAPGMFGAAADAAAAAAAA\nHPDLIEACAALGBNAAAAAA\n",
    )
    .unwrap();
    let sample = |from: &str| {
        let mut command = gammond();
        command.args(["sample", "--positions", "300", "--games"]);
        command.arg(at("games.toml")).arg(at(from)).arg("--from");
        command.arg(at("starts")).status().unwrap().success()
    };
    assert!(sample("races.labels"));
    let record = &gammond_base::journal::read_records(&at("races.labels")).unwrap()[0];
    let labels: Vec<_> = gammond_train::training::shard::unpack(record).collect();
    assert!(labels.iter().all(|label| label.kind == 1));
    assert!(labels.iter().any(|label| label.sibling));
    let firsts =
        |line: &&str| line.starts_with(dump(&at("races.labels"), &[]).lines().next().unwrap());
    let chosen = dump(&at("races.labels"), &["--per-group", "7"]);
    assert_eq!(chosen.lines().count(), 7);
    assert!(chosen.lines().filter(firsts).count() < 7);
    // Other starts make another job.
    fs::write(at("starts"), "HDNNAHABAANGABAAAAAA\n").unwrap();
    assert!(!sample("races.labels"));
    fs::write(at("starts"), "nothing\n").unwrap();
    assert!(!sample("others.labels"));
}

/// LB-08: games of a round begin in a group of positions of an earlier run.
#[test]
fn games_of_a_round_begin_in_groups_of_earlier_labels() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("earlier")).unwrap();
    fs::write(at("starts"), "HAAPGMFGAAADAAAAAAAA\nHPDLIEACAALGBNAAAAAA\n").unwrap();
    let mut sample = gammond();
    sample.args(["sample", "--positions", "300", "--from"]);
    sample.arg(at("starts")).arg(at("earlier/round-1.labels"));
    assert!(sample.status().unwrap().success());
    let train = |starts: &str| {
        let text = PLAN.replace("batch = 256", "batch = 256\nearlier = [\"earlier\"]");
        let text = text.replace("times = 2", &format!("starts = {starts}"));
        fs::write(
            at("plan.toml"),
            text.replace("labels = 3000", "labels = 300"),
        )
        .unwrap();
        let mut train = gammond();
        train.args(["train", "plan.toml", "--folder", "run"]);
        train.stderr(Stdio::piped());
        let output = train.current_dir(folder.path()).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for (starts, words) in [
        (
            "{ containment = 0.5 }",
            "no position of the group containment among its labels",
        ),
        (
            "{ race = 0.75, containment = 0.5 }",
            "starts: 1.25, expected 0 to 1",
        ),
        ("{ bearings = 0.5 }", "expected a group of positions"),
    ] {
        let (done, said) = train(starts);
        assert!(!done && said.contains(words), "{starts}: {said}");
    }
    let (done, said) = train("{ race = 1.0 }");
    assert!(done, "{said}");
    let records = gammond_base::journal::read_records(&at("run/round-1.labels")).unwrap();
    let labels = records
        .iter()
        .flat_map(|record| gammond_train::training::shard::unpack(record));
    assert!(labels.map(|label| label.kind).all(|kind| kind == 1));
}

/// TP-04, TP-05: groups count as often as the plan says, and alpha follows the classical schedule.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn weights_and_alpha_of_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let log = |name: &str, more: &str| -> Vec<serde_json::Value> {
        let plan = folder.path().join(format!("{name}.toml"));
        let text = PLAN
            .replace("times = 2", more)
            .replace("batch = 256", "batch = 64");
        fs::write(&plan, text.replace("labels = 3000", "labels = 300")).unwrap();
        let run = folder.path().join(name);
        let status = gammond()
            .arg("train")
            .arg(&plan)
            .arg("--folder")
            .arg(&run)
            .status();
        if !status.unwrap().success() {
            return Vec::new();
        }
        let log = fs::read_to_string(run.join("log.jsonl")).unwrap();
        let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    let of = |lines: &[serde_json::Value], kind: &str, key: &str| -> Option<f64> {
        let line = lines.iter().find(|line| line["kind"] == kind)?;
        line[key].as_f64()
    };
    let plain = log("plain", "");
    let weighted = log("weighted", "weights = { race = 0, contact = 2 }");
    let count = |lines: &[serde_json::Value], kind| of(lines, kind, "labels");
    assert_eq!(count(&weighted, "race"), None);
    assert_eq!(count(&weighted, "crashed"), count(&plain, "crashed"));
    assert_eq!(
        count(&weighted, "contact"),
        count(&plain, "contact").map(|n| 2.0 * n)
    );
    assert_eq!(of(&plain, "contact", "alpha"), None);
    // Few passes end at the start of alpha; with many the loss stops falling somewhere.
    let least = |lines: &[serde_json::Value]| {
        let alphas = lines.iter().map(|line| line["alpha"].as_f64().unwrap());
        alphas.fold(f64::MAX, f64::min)
    };
    let short = log("short", "passes = 1\nalpha = { start = 30, least = 1 }");
    assert_eq!(least(&short), 30.0);
    let long = log("long", "passes = 60\nalpha = { start = 30, least = 1 }");
    assert!(least(&long) < 30.0, "{long:?}");
    assert!(log("wrong", "weights = { nobody = 2 }").is_empty());
}

/// A longer duel, killed and resumed, counts the same games.
#[test]
fn a_killed_duel_counts_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("duel");
    let duel = |keep: bool| {
        let mut command = gammond();
        command.args(["duel", "pubeval", "random", "--games", "4000", "--quiet"]);
        if keep {
            command.arg("--journal").arg(&journal);
        }
        command
    };
    killed_and_resumed(|| duel(true));
    let last = |keep: bool| duel(keep).stdout(Stdio::piped()).output().unwrap().stdout;
    let (resumed, whole) = (last(true), last(false));
    assert!(!whole.is_empty());
    assert_eq!(resumed, whole);
}

/// TP-10 to TP-12: any number of threads makes the same file, and it ranks better than chance.
#[test]
fn pruning_nets_are_the_same_with_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let text = "seed = 3\nname = \"small\"\nwidth = 64\nrounds = 3\ngames = 12\npasses = 1\n\
                batch = 40\nrate = 3e-3\nodd_starts = 0.2\nexplore = 0.1\n";
    fs::write(&plan, text).unwrap();
    let mut files = Vec::new();
    for threads in ["1", "3"] {
        let net = folder.path().join(format!("{threads}.net"));
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["--threads", threads, "train", "pruning"])
            .arg(&plan)
            .arg(&net)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        // "... first [1, 2, 3, 4, 6] plays lose [A, ..." thousandths, before and after learning.
        let lost: Vec<f64> = (text.lines())
            .map(|line| line.split("lose [").nth(1).unwrap())
            .map(|rest| rest.split(',').next().unwrap().parse().unwrap())
            .collect();
        assert!(lost[2] < 0.7 * lost[0], "{text}");
        files.push(fs::read(net).unwrap());
    }
    assert!(files[0] == files[1]);
    let judge = gammond_engine::eval::nets::ClassNet::parse("x", &files[0]).unwrap();
    assert_eq!((judge.class(), judge.name()), ("pruning", "small"));
    let missing = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["train", "pruning", "none.toml", "x.net"])
        .output()
        .unwrap();
    assert!(!missing.status.success() && !missing.stderr.is_empty());
}

/// TP-13, TP-14: any number of threads makes the same file, which learns how restless positions are, and knows how live cubes are better
/// than one number for all.
#[test]
fn volatility_nets_are_the_same_with_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let text = "seed = 3\nname = \"small\"\nrounds = 12\ngames = 40\npasses = 2\nbatch = 64\nrate = 3e-3\nodd_starts = 0.1\n\
                explore = 0.1\nshare = 0.5\nlife = { games = 12, plies = 1, times = 1 }\n";
    fs::write(&plan, text).unwrap();
    let mut files = Vec::new();
    for threads in ["1", "3"] {
        let net = folder.path().join(format!("{threads}.net"));
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["--threads", threads, "train", "volatility"])
            .args([&plan, &net])
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        // "... spread A, error B", once a round.
        let errors: Vec<f64> = (text.lines())
            .filter_map(|line| line.split("error ").nth(1)?.parse().ok())
            .collect();
        assert!(errors.len() == 12 && errors[11] < errors[0] / 3.0, "{text}");
        // "... off by [a, b, c] points before, [a, b, c] after ..."
        let last = text.lines().last().unwrap();
        let list = |part: usize| -> Vec<f64> {
            let inside = last.split('[').nth(part).unwrap().split(']').next();
            let numbers = inside.unwrap().split(", ");
            numbers.map(|number| number.parse().unwrap()).collect()
        };
        let (before, after) = (list(1), list(2));
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(before, after)| after < before),
            "{text}"
        );
        files.push(fs::read(net).unwrap());
    }
    assert!(files[0] == files[1]);
    let nothing = include_str!("../../nets/volatility.toml").replace("share = ", "share = 0.0 # ");
    fs::write(folder.path().join("nothing.toml"), nothing).unwrap();
    for (plan, why) in [
        ("none.toml", "none.toml"),
        ("nothing.toml", "share: 0, expected 0.001 to 1"),
    ] {
        let refused = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .current_dir(folder.path())
            .args(["train", "volatility", plan, "x.net"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && said.contains(why), "{said}");
    }
}
