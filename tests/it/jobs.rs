//! Every long command: killed at random and continued, on a full disk, in a folder that cannot be
//! written, twice at once, with changed input, stopped by Ctrl-C, into a closed pipe.
//!
//! `GAMMOND_KILLS=N` kills each command N times instead of a few; the table of protocol-specs/measured/2026-11-22.md comes
//! from `GAMMOND_KILLS=200 cargo test --release --test it jobs:: -- --nocapture`.
#![cfg(unix)]

use crate::support::wait_until;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A long command: what it is called with in its folder, what it reads, what it leaves there.
struct Long {
    name: &'static str,
    line: &'static str,
    /// Files that it reads, and what changes its result when appended to the first.
    inputs: &'static [(&'static str, &'static str)],
    changed: &'static str,
    /// What a resumed run leaves must be the same: files, and stdout if it has figures.
    keeps: &'static [&'static str],
    prints: bool,
    /// The file or folder that a foreign one may stand in the place of.
    target: &'static str,
}

const POSITIONS: &str =
    "4HPwATDgc/ABMA\nsHPwATDgc/ABMA\n4HPwATDgc+ABMA\n4HPwATDgc/ABUA\nHAAPGMFGAAADAAAAAAAA\n";

const PLAN: &str = "seed = 5\nbatch = 256\n\
    contact = { first = 64, second = 16 }\nrace = { first = 64, second = 16 }\n\
    [[round]]\nlabels = 400\npool = 2\nrate = 1e-3\ntimes = 2\n";

/// A play and two cube decisions, 64 times.
const RECORDS: &str = {
    macro_rules! four {
        ($text:expr) => {
            concat!($text, $text, $text, $text)
        };
    }
    four!(four!(four!(concat!(
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133\n",
        "o OAHDPAABDAOAHDPAABDA 0.75 0.3 0.01 0.05 0\n",
        "o JIGHPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0\n",
    ))))
};

const LONG: &[Long] = &[
    Long {
        name: "bench",
        line: "bench x.bm --player gammond:plies=2 --against pubeval --journal j",
        inputs: &[("x.bm", RECORDS)],
        changed: "o OAHDPAABDAOAHDPAABDA 0.5 0.2 0 0.1 0\n",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "bench regret",
        line: "bench regret positions --player pubeval --against random --journal j",
        inputs: &[("positions", POSITIONS)],
        changed: "4HPwATDgc/ABUA\n",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "duel",
        line: "duel pubeval gammond --games 600 --journal j",
        inputs: &[],
        changed: "",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "duel --luck-adjusted",
        line: "duel pubeval random --games 60 --journal j --luck-adjusted embedded:fast",
        inputs: &[],
        changed: "",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "tournament",
        line: "tournament pubeval random gammond --games 200 --journal j",
        inputs: &[],
        changed: "",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "gate",
        line: "gate gammond --against pubeval --games 600 --journal j",
        inputs: &[],
        changed: "",
        keeps: &["j"],
        prints: true,
        target: "j",
    },
    Long {
        name: "sample",
        line: "sample out.labels --positions 3000 --games games.toml",
        inputs: &[("games.toml", "lambda = 0.7\n")],
        changed: "extra = 0.5\n",
        keeps: &["out.labels"],
        prints: false,
        target: "out.labels",
    },
    Long {
        name: "label",
        line: "label positions out --plies 2",
        inputs: &[("positions", POSITIONS)],
        changed: "4HPwATDgc/ABUA\n",
        keeps: &["out"],
        prints: false,
        target: "out",
    },
    Long {
        name: "rollout --bm-in",
        line: "rollout --bm-in positions --out out.bm --best 3 trials=216 truncate=3",
        inputs: &[("positions", POSITIONS)],
        changed: "4HPwATDgc/ABUA\n",
        keeps: &["out.bm"],
        prints: false,
        target: "out.bm",
    },
    Long {
        name: "train",
        line: "train plan.toml --folder run",
        inputs: &[("plan.toml", PLAN)],
        changed: "passes = 2.0\n",
        keeps: &[
            "run/run.journal",
            "run/log.jsonl",
            "run/round-1.labels",
            "run/round-2.labels",
            "run/round-2-contact.net",
            "run/round-2-race.net",
        ],
        prints: false,
        target: "run/run.journal",
    },
    Long {
        name: "bearoff make",
        line: "bearoff make out.bd --points 7",
        inputs: &[],
        changed: "",
        keeps: &["out.bd"],
        prints: false,
        target: "out.bd",
    },
    Long {
        name: "bearoff make --hyper",
        line: "bearoff make out.bd --hyper 2",
        inputs: &[],
        changed: "",
        keeps: &["out.bd"],
        prints: false,
        target: "out.bd",
    },
];

/// A folder in which a command can run.
fn folder(long: &Long) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in long.inputs {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn command(long: &Long, at: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.args(long.line.split_whitespace()).current_dir(at);
    command.stdin(Stdio::null());
    command
}

fn run(long: &Long, at: &Path) -> Output {
    command(long, at).output().unwrap()
}

/// The same under a limit on the length of files, in blocks of 512 bytes: a disk that is full there.
fn limited(long: &Long, at: &Path, blocks: u32) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    Command::new("sh")
        .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_gammond")])
        .args(long.line.split_whitespace())
        .current_dir(at)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// What is left: the files by name, and stdout.
fn left(long: &Long, at: &Path, output: &Output) -> BTreeMap<String, Vec<u8>> {
    let mut all: BTreeMap<String, Vec<u8>> = (long.keeps.iter())
        .map(|name| ((*name).to_owned(), fs::read(at.join(name)).unwrap()))
        .collect();
    if long.prints {
        all.insert("stdout".to_owned(), output.stdout.clone());
    }
    all
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Ends it as an owner of the machine would; true if it was still running.
fn signal(child: &mut std::process::Child, name: &str) -> bool {
    if child.try_wait().unwrap().is_some() {
        return false;
    }
    let id = child.id().to_string();
    Command::new("kill").args([name, &id]).status().unwrap();
    true
}

/// Returns true if nothing is said but progress, which is shown on a slow machine, and what was made.
fn only_progress(stderr: &[u8]) -> bool {
    let expected = [" a second", " labelled position", " record", " left out: "];
    text(stderr)
        .lines()
        .all(|line| expected.iter().any(|one| line.contains(one)))
}

/// An uninterrupted run, and how long it took.
fn whole(long: &Long) -> (BTreeMap<String, Vec<u8>>, Duration) {
    let folder = folder(long);
    let begun = Instant::now();
    let output = run(long, folder.path());
    assert!(
        matches!(output.status.code(), Some(0 | 1)) && only_progress(&output.stderr),
        "{}: {output:?}",
        long.name
    );
    (left(long, folder.path(), &output), begun.elapsed())
}

/// Kills at moments spread over the whole run, continuing each time, until `kills` are done; then
/// runs to the end and compares.
fn killed(long: &Long, whole: &BTreeMap<String, Vec<u8>>, took: Duration, kills: u32) -> u32 {
    let (mut done, mut seed) = (0, 12_345_u64);
    while done < kills {
        let folder = folder(long);
        loop {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let wait = took.mul_f64((seed >> 33) as f64 / f64::from(1_u32 << 31));
            let mut child = command(long, folder.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(wait);
            let running = child.try_wait().unwrap().is_none();
            child.kill().unwrap();
            child.wait().unwrap();
            done += u32::from(running);
            if !running || done >= kills {
                break;
            }
        }
        let output = run(long, folder.path());
        let found = left(long, folder.path(), &output);
        for (name, bytes) in whole {
            assert!(found[name] == *bytes, "{}: {name} differs", long.name);
        }
        let rest: Vec<PathBuf> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().ends_with("-part"))
            .collect();
        assert!(rest.is_empty(), "{}: {rest:?}", long.name);
    }
    done
}

/// A full disk is told with a code that is not 0, and the run goes on when there is room again.
fn full_disk(long: &Long, whole: &BTreeMap<String, Vec<u8>>) {
    let folder = folder(long);
    let output = limited(long, folder.path(), 1);
    assert!(
        !output.status.success() && !output.stderr.is_empty(),
        "{}: {output:?}",
        long.name
    );
    assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
    let output = run(long, folder.path());
    assert!(
        left(long, folder.path(), &output) == *whole,
        "{}",
        long.name
    );
}

/// Somebody else's file in the place of the command's own is refused by name and left alone.
fn foreign(long: &Long) {
    for theirs in ["dear diary", "{\"a\": 1}\n", "gammond\n"] {
        let folder = folder(long);
        let path = folder.path().join(long.target);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, theirs).unwrap();
        let output = run(long, folder.path());
        assert!(!output.status.success(), "{}: {output:?}", long.name);
        let name = path.file_name().unwrap().to_str().unwrap();
        let said = text(&output.stderr);
        assert!(said.contains(name), "{}: {said}", long.name);
        assert_eq!(said.lines().count(), 1, "{}: {said}", long.name);
        assert_eq!(fs::read(&path).unwrap(), theirs.as_bytes(), "{}", long.name);
    }
}

/// A folder that is none: nothing can be written, and that is said at once.
fn read_only(long: &Long) {
    let folder = folder(long);
    let line = match long.name {
        "train" => long.line.replace("--folder run", "--folder plan.toml/run"),
        _ => long
            .line
            .replace(long.target, &format!("none/such/{}", long.target)),
    };
    let mut gammond = Command::new(env!("CARGO_BIN_EXE_gammond"));
    gammond
        .args(line.split_whitespace())
        .current_dir(folder.path());
    let output = gammond.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.stdout, b"", "{}", long.name);
    assert!(
        !output.status.success() && !output.stderr.is_empty(),
        "{}: {output:?}",
        long.name
    );
}

/// The second of two is refused, and the first is not disturbed.
fn two_at_once(long: &Long, whole: &BTreeMap<String, Vec<u8>>) {
    let folder = folder(long);
    let first = command(long, folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let second = run(long, folder.path());
    let first = first.wait_with_output().unwrap();
    // Whichever had the lock; when the first had ended already, the second found its result.
    let refused = [&first, &second]
        .into_iter()
        .filter(|output| text(&output.stderr).contains("another gammond"))
        .count();
    assert!(refused <= 1, "{}: {first:?} {second:?}", long.name);
    let output = run(long, folder.path());
    assert!(
        left(long, folder.path(), &output) == *whole,
        "{}",
        long.name
    );
}

/// Another input, or another seed, is another job.
fn changed_input(long: &Long) -> Option<String> {
    let folder = folder(long);
    let mut child = command(long, folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    let mut again = command(long, folder.path());
    match long.inputs {
        [] => drop(again.args(["--seed", "77"])),
        [(name, text), ..] => {
            let text = format!("{text}{}", long.changed);
            fs::write(folder.path().join(name), text).unwrap();
        }
    }
    let output = again.output().unwrap();
    if long.name.starts_with("bearoff make") {
        // It depends on its options alone, and those name the file's content.
        return None;
    }
    let said = text(&output.stderr);
    assert!(!output.status.success(), "{}: {said}", long.name);
    let (_, field) = said.split_once("other work: ")?;
    Some(field.split(" was ").next()?.to_owned())
}

/// Ctrl-C: the figures so far, how to go on, a code that is not 0; then the same command goes on.
fn interrupted(long: &Long, whole: &BTreeMap<String, Vec<u8>>, took: Duration) -> bool {
    let folder = folder(long);
    for part in [4, 3, 2] {
        let mut child = command(long, folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // An interrupt in the middle of the work; earlier ones follow if this one comes too late.
        std::thread::sleep(took / part);
        let running = signal(&mut child, "-INT");
        let output = child.wait_with_output().unwrap();
        if running && output.status.code() == Some(1) {
            let said = text(&output.stderr);
            if said.contains("stopped") {
                // A database of gnubg's format is made whole or not at all.
                assert!(said.contains("the same command "), "{said}");
                assert!(!long.prints || !output.stdout.is_empty(), "{}", long.name);
                let output = run(long, folder.path());
                assert!(
                    left(long, folder.path(), &output) == *whole,
                    "{}",
                    long.name
                );
                return true;
            }
        }
    }
    false
}

fn check(long: &Long, kills: u32) -> String {
    let (whole, took) = whole(long);
    let done = killed(long, &whole, took, kills);
    full_disk(long, &whole);
    foreign(long);
    read_only(long);
    two_at_once(long, &whole);
    let field = changed_input(long);
    let stopped = interrupted(long, &whole, took);
    format!(
        "| `{}` | {done} kills, same bytes | told, goes on | told | refused | refused | {} | {} |",
        long.name,
        field.map_or("-".to_owned(), |field| format!("refused: {field}")),
        if stopped {
            "figures, goes on"
        } else {
            "ended before"
        }
    )
}

fn kills() -> u32 {
    let asked = std::env::var("GAMMOND_KILLS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(3)
}

fn one(name: &str) {
    let long = LONG.iter().find(|long| long.name == name).unwrap();
    println!("{}", check(long, kills()));
}

/// R-40 to R-44, for each long command.
#[test]
fn duels() {
    one("duel");
    one("duel --luck-adjusted");
}

#[test]
fn tournaments() {
    one("tournament");
}

/// BM-29.
#[test]
fn benchmarks() {
    one("bench");
    one("bench regret");
}

#[test]
fn gates() {
    one("gate");
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn samples() {
    one("sample");
}

#[test]
fn labels() {
    one("label");
}

/// BM-25.
#[test]
fn benchmark_files() {
    one("rollout --bm-in");
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn training_runs() {
    one("train");
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn bearoff_databases() {
    one("bearoff make");
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn tables_of_hypergammon() {
    one("bearoff make --hyper");
}

/// Whoever closes the pipe has seen enough: no word, code 0. A full disk is an error.
#[test]
fn closed_pipes_are_quiet_and_full_disks_are_not() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.toml"), "").unwrap();
    let at = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
        command
            .args(line.split_whitespace())
            .current_dir(folder.path());
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let sampled = at("sample s.labels --positions 50").status().unwrap();
    assert!(sampled.success());
    let record = "o OAHDPAABDAOAHDPAABDA 0.52538 0.14924 0.00683 0.12566 0.00534\n";
    fs::write(folder.path().join("o.bm"), record.repeat(50)).unwrap();
    for line in [
        "duel pubeval random --games 20",
        "tournament pubeval random --games 20",
        "gate pubeval --against random --games 100",
        "bench o.bm",
        "bench o.bm --records",
        "sample dump s.labels",
        "bearoff info",
        "net info embedded",
        "man",
        "completions bash",
        "--help",
        "--version",
        "move --help",
    ] {
        let mut child = at(line).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        let mut stderr = child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), said.as_str()),
            (Some(0), ""),
            "{line}"
        );
        let full = fs::OpenOptions::new().write(true).open("/dev/full");
        let output = at(line).stdout(full.unwrap()).output().unwrap();
        assert!(
            !output.status.success() && !output.stderr.is_empty(),
            "{line}: {output:?}"
        );
    }
}

/// A flipped bit in a file of a run is found, whichever file it is.
#[test]
fn flipped_bits_in_a_training_run_are_found() {
    let long = LONG.iter().find(|long| long.name == "train").unwrap();
    let folder = folder(long);
    let plan = folder.path().join("plan.toml");
    // One round first; then the second must stand on what the first left.
    fs::write(&plan, PLAN.replace("times = 2", "times = 1")).unwrap();
    assert!(run(long, folder.path()).status.success());
    fs::write(&plan, PLAN).unwrap();
    for name in [
        "round-1.labels",
        "round-1-race.net",
        "round-1-contact.net",
        "run.journal",
    ] {
        let path = folder.path().join("run").join(name);
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 4;
        fs::write(&path, &bad).unwrap();
        let output = run(long, folder.path());
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && said.contains(name),
            "{name}: {said}"
        );
        fs::write(&path, &good).unwrap();
    }
    // Whole again, it goes on.
    let output = run(long, folder.path());
    assert!(output.status.success(), "{output:?}");
}

/// Plans and folders that no training can work with, by name and reason.
#[test]
fn wrong_plans_are_refused() {
    let long = LONG.iter().find(|long| long.name == "train").unwrap();
    let said = |from: &str, to: &str| {
        let folder = folder(long);
        let plan = PLAN.replace(from, to);
        assert_ne!(plan, PLAN);
        fs::write(folder.path().join("plan.toml"), plan).unwrap();
        let output = run(long, folder.path());
        assert!(!output.status.success() && output.stdout.is_empty());
        text(&output.stderr)
    };
    for (from, to, words) in [
        ("batch = 256", "batch = 0", "batch: 0, expected 1"),
        (
            "rate = 1e-3",
            "rate = nan",
            "round 1: rate: NaN, expected 0 to 1",
        ),
        ("pool = 2", "pool = 2\npasses = 1e300", "round 1: passes: 1"),
        (
            "pool = 2",
            "pool = 2\nalpha = { start = 1e9 }",
            "round 1: alpha.start: 1000000000, expected 0 to 1000",
        ),
        (
            "pool = 2",
            "pool = 2\ngames = { mild = 1.5 }",
            "round 1: mild: 1.5, expected 0 to 1",
        ),
        (
            "pool = 2",
            "pool = 2\ngames = { filter_plays = 99999999 }",
            "round 1: filter_plays: 99999999, expected 1 to 3000",
        ),
        (
            "seed = 5",
            "seed = 5\nheld_out = 9999999999",
            "held_out: 9999999999, expected 0 to",
        ),
        (
            "seed = 5",
            "seed = 5\nearlier = [\"nowhere\"]",
            "nowhere: earlier: no round-N.labels",
        ),
    ] {
        let said = said(from, to);
        assert!(
            said.contains(words) && said.lines().count() == 1,
            "{to}: {said}"
        );
    }
    let folder = folder(long);
    fs::write(folder.path().join("x.bm"), "m nothing\n").unwrap();
    let mut words: Vec<&str> = long.line.split_whitespace().collect();
    words.splice(1..1, ["score"]);
    words.insert(3, "x.bm");
    let mut score = Command::new(env!("CARGO_BIN_EXE_gammond"));
    let output = score.args(words).current_dir(folder.path()).output();
    let output = output.unwrap();
    assert!(!output.status.success() && text(&output.stderr).contains("no rolled-out"));
}

/// Long work that keeps nothing between two runs: what it is called with, and whether it has figures when it is stopped.
const PASSING: &[(&str, bool)] = &[
    (
        "rollout 4HPwATDgc/ABMA 31 top=2 trials=10000000 --format text",
        true,
    ),
    (
        "rollout 4HPwATDgc/ABMA 31 top=2 trials=10000000 --format json",
        true,
    ),
    ("bench many.bm --player gammond:plies=1", true),
    ("bench values labels --player gammond:plies=2", true),
    (
        "bench regret positions --judge gammond:plies=1 --decisions 2000",
        true,
    ),
    ("train score plan.toml decisions --folder run", false),
    ("train pruning pruning.toml out.net", false),
    ("train volatility volatility.toml out.net", false),
    ("analyse match.mat --plies 3", false),
    ("bearoff make out.bd --points 9", false),
];

/// A folder with what these commands read.
fn passing_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let record =
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133\n";
    let decision =
        r#"{"t":"checker","id":"4HPwATDgc/ABMA","dice":[3,1],"c":[["sGfwATDgc/ABMA",0.1]]}"#;
    file("decisions", &format!("{decision}\n").repeat(100_000));
    file("many.bm", &record.repeat(200_000));
    file(
        "labels",
        &"OAHDPAABDAOAHDPAABDA 0.52 0.15 0.01 0.12 0.01\n".repeat(100_000),
    );
    file("positions", &POSITIONS.repeat(400));
    file("pruning.toml", include_str!("../../nets/pruning.toml"));
    file(
        "volatility.toml",
        include_str!("../../nets/volatility.toml"),
    );
    file("match.mat", include_str!("../data/analysis/seven7.mat"));
    // What a run begins with is scored before any round of it.
    file("plan.toml", &PLAN.replace("labels = 400", "labels = 20"));
    folder
}

/// Starts it in this folder, what it prints goes to files of the other; waits until it says how far it is.
fn begun(line: &str, at: &Path, to: &Path) -> std::process::Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.args(line.split(' ')).args(["--progress", "json"]);
    let files = ["out", "err"].map(|name| fs::File::create(to.join(name)).unwrap());
    let [out, err] = files;
    command.current_dir(at).stdout(out).stderr(err);
    let mut child = command.spawn().unwrap();
    wait_until("progress is shown", || {
        let said = fs::metadata(to.join("err")).unwrap().len() > 0;
        said || child.try_wait().unwrap().is_some()
    });
    child
}

/// Ctrl-C ends every long command with its figures so far and says how to go on, also those that keep nothing.
#[test]
fn work_without_a_journal_ends_with_its_figures() {
    let folder = passing_folder();
    for (line, figures) in PASSING {
        let mut child = begun(line, folder.path(), folder.path());
        assert!(signal(&mut child, "-INT"), "{line}: over already");
        let code = child.wait().unwrap().code();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let (out, err) = (read("out"), read("err"));
        assert_eq!(code, Some(1), "{line}: {err}");
        assert!(err.contains("gammond: stopped; "), "{line}: {err}");
        assert!(err.contains("the same command "), "{line}: {err}");
        assert!(!figures || !out.is_empty(), "{line}: no figures");
        assert!(!folder.path().join("out.net").exists() && !folder.path().join("out.bd").exists());
    }
}

/// The plans that stand in `nets` begin their work in a clone; all others are in `nets/history`.
#[test]
fn shipped_plans_run_from_a_clone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nets = fs::read_dir(root.join("nets")).unwrap();
    let mut plans: Vec<String> = nets
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml") && name != "Cargo.toml")
        // The decisions that it names are not part of a clone (LV-11).
        .filter(|name| name != "people.toml")
        .collect();
    plans.sort();
    assert!(plans.contains(&"first.toml".to_owned()), "{plans:?}");
    for plan in plans {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work").display().to_string();
        let line = match plan.as_str() {
            "pruning.toml" => format!("train pruning nets/pruning.toml {work}"),
            "volatility.toml" => format!("train volatility nets/volatility.toml {work}"),
            _ => format!("train nets/{plan} --folder {work}"),
        };
        let mut child = begun(&line, root, folder.path());
        signal(&mut child, "-INT");
        let code = child.wait().unwrap().code();
        let said = fs::read_to_string(folder.path().join("err")).unwrap();
        assert!(matches!(code, Some(0 | 1)), "{plan}: {said}");
        assert!(said.contains("\"done\":"), "{plan}: {said}");
    }
}

/// A second Ctrl-C ends at once what takes its time to stop.
#[test]
fn a_second_ctrl_c_ends_at_once() {
    use std::os::unix::process::ExitStatusExt as _;
    let folder = passing_folder();
    let line = "bench many.bm --player gammond:plies=4";
    // That the first signal is handled shows nowhere: signals are sent until the program ends. If it stops by itself
    // between two of them, it is started again.
    wait_until("a second signal ends it", || {
        let mut child = begun(line, folder.path(), folder.path());
        assert!(signal(&mut child, "-INT"), "over already");
        while signal(&mut child, "-INT") {}
        let ended = child.wait().unwrap();
        assert!(
            ended.signal() == Some(2) || ended.code() == Some(1),
            "{ended}"
        );
        ended.signal() == Some(2)
    });
}

/// Programs read progress as JSON on stderr; nothing of it is on stdout, and nothing holds a
/// carriage return.
#[test]
fn progress_is_for_those_who_asked() {
    let run = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
        command.args(["duel", "pubeval", "random", "--games", "100"]);
        command.args(options).output().unwrap()
    };
    let plain = run(&[]);
    assert_eq!(text(&plain.stderr), "");
    let json = run(&["--progress", "json"]);
    assert_eq!(json.stdout, plain.stdout);
    let lines: Vec<serde_json::Value> = text(&json.stderr)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last().unwrap();
    assert_eq!((&last["done"], &last["total"]), (&100.into(), &100.into()));
    assert_eq!(
        (&last["type"], &last["last"]),
        (&"progress".into(), &true.into())
    );
    for how in ["lines", "none"] {
        assert!(!run(&["--progress", how]).stderr.contains(&b'\r'));
    }
}
