//! Recipes: several training runs one after the other, and what they end with.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const RECIPE: &str = r#"
[measure]
against = "random"
games = 4
seed = 7

[[net]]
role = "contact"
stage = "second"
name = "tiny"
[[net]]
role = "crashed"
stage = "first"
from = "contact"
name = "tiny-crashed"
[[net]]
role = "race"
stage = "second"
name = "tiny-race"

[[stage]]
name = "first"
[stage.pruning]
seed = 3
name = "tiny-pruning"
width = 64
rounds = 1
games = 4
passes = 1
batch = 16
rate = 1e-3
odd_starts = 0.2
explore = 0.1
[stage.plan]
seed = 1
contact = { first = 64, second = 16 }
race = { first = 64, second = 16, off = true }
batch = 64
[[stage.plan.round]]
labels = 300
pool = 1
rate = 2e-3
times = 2
games = { lambda = 1.0 }

[[stage]]
name = "second"
[stage.plan]
seed = 2
contact = "stage:first"
race = "stage:first"
pruning = "stage:first"
earlier = ["stage:first"]
batch = 64
[[stage.plan.round]]
labels = 300
pool = 2
rate = 1e-3
games = { lambda = 0.9, pruning = true, filter_plays = 3 }
"#;

fn train(plan: &Path, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command
        .arg("train")
        .arg(plan)
        .arg("--folder")
        .arg(folder)
        .args(["--progress", "none"])
        .stdin(Stdio::null());
    command
}

fn nets(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder.join("nets")).unwrap();
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read(path).unwrap())
    };
    entries.map(|entry| read(entry.unwrap().path())).collect()
}

/// TP-07: a stage's own pruning net hands over the plays of a later one, which are other games than with the embedded one; one that
/// changed under the run is told.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_stage_makes_the_pruning_net_of_later_ones() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let labels = |text: &str, name: &str| {
        std::fs::write(&plan, text).unwrap();
        let out = folder.path().join(name);
        let done = train(&plan, &out).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        // The records alone: the file's header names the nets.
        let dump = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["sample", "dump"])
            .arg(out.join("second/round-1.labels"))
            .output()
            .unwrap();
        assert!(dump.status.success(), "{dump:?}");
        let text = String::from_utf8(dump.stdout).unwrap();
        let records: Vec<String> = text.lines().map(str::to_owned).collect();
        assert!(records.len() >= 300, "{}", records.len());
        records
    };
    let own = labels(RECIPE, "own");
    let embedded = RECIPE.replace("pruning = \"stage:first\"\n", "");
    assert!(own != labels(&embedded, "embedded"), "the same labels");
    let net = folder.path().join("own/first/nets/pruning.net");
    std::fs::copy(folder.path().join("own/first/nets/contact.net"), &net).unwrap();
    std::fs::write(&plan, RECIPE).unwrap();
    let done = train(&plan, &folder.path().join("own")).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        !done.status.success() && said.contains("contents of pruning"),
        "{said}"
    );
    // Another kind of net in a plan, from the beginning.
    let wrong = RECIPE.replace(
        "pruning = \"stage:first\"",
        &format!("pruning = {:?}", net.display().to_string()),
    );
    std::fs::write(&plan, wrong).unwrap();
    let done = train(&plan, &folder.path().join("wrong")).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(
        !done.status.success()
            && said.contains("pruning.net: a net of class \"contact\", expected pruning"),
        "{said}"
    );
}

/// TP-07: a pruning net that another plan made is not taken for the recipe's; what is there is left alone.
#[test]
fn small_net_of_another_plan_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, out) = (folder.path().join("plan.toml"), folder.path().join("out"));
    std::fs::write(&plan, RECIPE).unwrap();
    let done = train(&plan, &out).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let net = out.join("first/nets/pruning.net");
    let before = std::fs::read(&net).unwrap();
    let told = |text: &str| {
        std::fs::write(&plan, text).unwrap();
        let done = train(&plan, &out).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.success(), said.is_empty(), "{said}");
        said
    };
    assert_eq!(told(RECIPE), "");
    let other = RECIPE.replace("explore = 0.1\n", "explore = 0.2\n");
    assert!(other != RECIPE);
    let said = told(&other);
    assert!(
        said.contains("pruning.net") && said.contains("pruning.json is not of"),
        "{said}"
    );
    std::fs::remove_file(out.join("first/pruning.json")).unwrap();
    assert!(told(RECIPE).contains("pruning.json is not of"));
    assert!(before == std::fs::read(&net).unwrap(), "written over");
}

/// TP-07: killed in its second stage and begun again, a recipe ends with the bytes of one that ran through; the nets play.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn a_killed_recipe_ends_with_the_same_nets() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("tiny.toml");
    std::fs::write(&plan, RECIPE).unwrap();
    let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
    let done = train(&plan, &whole).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let told = String::from_utf8(done.stdout).unwrap();
    assert_eq!(told.matches("\"stage\":").count(), 2, "{told}");
    let mut child = train(&plan, &killed)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !killed.join("second/run.journal").exists() {
        assert!(
            child.try_wait().unwrap().is_none(),
            "ended before it was killed"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let done = train(&plan, &killed).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let found = nets(&whole);
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["contact.net", "crashed.net", "race.net"]);
    assert!(found == nets(&killed), "other nets after a kill");
    let curve = std::fs::read_to_string(killed.join("curve.csv")).unwrap();
    assert_eq!(curve.lines().count(), 3, "{curve}");
    let drawn = std::fs::read_to_string(killed.join("curve.svg")).unwrap();
    assert!(drawn.starts_with("<svg"));
    let player = format!("gammond:nets={}", killed.join("nets").display());
    let duel = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["duel", &player, "random", "--games", "2", "--quiet"])
        .output()
        .unwrap();
    assert!(duel.status.success(), "{duel:?}");
}

/// A recipe whose last nets are too weak fails and says by how much; one with a wrong stage is refused before any work.
#[test]
fn weak_nets_and_wrong_stages_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let out = folder.path().join("out");
    let run = |text: &str| {
        std::fs::write(&plan, text).unwrap();
        let done = train(&plan, &out).output().unwrap();
        assert!(!done.status.success());
        String::from_utf8(done.stderr).unwrap()
    };
    let said = run(&RECIPE.replace("width = 64", "nets = \"x\"\nwidth = 64"));
    assert!(said.contains("stage first: pruning: nets"), "{said}");
    let said = run(&RECIPE.replace("\"stage:first\"\nrace", "\"stage:third\"\nrace"));
    assert!(
        said.contains("stage second: no earlier stage \"third\""),
        "{said}"
    );
    assert!(!out.exists());
    // A folder with somebody's nets is left as it is.
    std::fs::create_dir_all(out.join("nets")).unwrap();
    std::fs::write(out.join("nets/contact.net"), "mine").unwrap();
    let said = run(RECIPE);
    assert!(said.contains("expected a new or empty folder"), "{said}");
    assert_eq!(
        std::fs::read(out.join("nets/contact.net")).unwrap(),
        b"mine"
    );
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
    std::fs::remove_dir_all(&out).unwrap();
    let short = RECIPE.replace("labels = 300", "labels = 100");
    let said = run(&short.replace("seed = 7", "seed = 7\nleast = 3.5"));
    assert!(said.contains("the recipe requires +3.5000"), "{said}");
}

/// Every plan that the documents name can be begun.
#[test]
fn plans_of_the_repository_are_sound() {
    use gammond_train::training::{plan::Plan, read_toml, recipe::TrainingRecipe};
    let nets = Path::new(env!("CARGO_MANIFEST_DIR")).join("nets");
    for name in ["small.toml", "whole.toml"] {
        let recipe: TrainingRecipe = read_toml(&nets.join(name)).unwrap();
        assert!(!recipe.stage.is_empty() && !recipe.net.is_empty(), "{name}");
    }
    for name in ["first.toml", "labels.toml"] {
        assert!(Plan::load(&nets.join(name)).is_ok(), "{name}");
    }
}
