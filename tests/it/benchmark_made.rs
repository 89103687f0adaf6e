//! Benchmark files made by rollouts: the records, their parts, what is refused.

use gammond_arena::benchmark::{ScorableRecord, read};
use gammond_game::Roll;
use gammond_game::notation::{PositionId, PositionKey};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The start and positions of a middle game, with rolls.
const POSITIONS: &str =
    "4HPwATDgc/ABMA 31\n4HPwATDgc/ABMA 66\nDHNMMGAAAAIJNLBEMAAD 52\nLDJMOAABFAMMGGOEABAD 41\n";

fn gammond(at: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(line.split_whitespace())
        .current_dir(at)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn good(at: &Path, line: &str) -> String {
    let output = gammond(at, line);
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(at: &Path, line: &str, code: i32, why: &str) {
    let output = gammond(at, line);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    assert!(said.contains(why), "{line}: {said}");
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("p"), POSITIONS).unwrap();
    folder
}

/// BM-26, R-43: any number of threads, and any number of shares merged in any order, make the same bytes.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn threads_and_shares_change_no_byte() {
    let folder = folder();
    let at = folder.path();
    let make = |out: &str, more: &str| {
        let line = format!("rollout --bm-in p --out {out} trials=100 truncate=2 se=0.01 {more}");
        good(at, &line)
    };
    make("whole.bm", "--threads 1");
    let whole = fs::read(at.join("whole.bm")).unwrap();
    for threads in [2, 3, 8] {
        let out = format!("{threads}.bm");
        make(&out, &format!("--threads {threads}"));
        assert!(
            fs::read(at.join(out)).unwrap() == whole,
            "{threads} threads"
        );
    }
    for of in [1, 2, 5] {
        let out = format!("of-{of}.bm");
        let mut merge = String::new();
        for index in (1..=of).rev() {
            make(&out, &format!("--part {index}/{of}"));
            merge.push_str(&format!(" --merge {out}.{index}-{of}.journal"));
        }
        assert!(!at.join(&out).exists());
        make(&out, &merge);
        assert!(fs::read(at.join(out)).unwrap() == whole, "{of} shares");
    }
}

/// BM-23, BM-26: plays far behind have fewer games where that is asked for, in any number of threads and shares.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn losses_known_well_enough_take_fewer_games() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("q"), "DHNMMGAAAAIJNLBEMAAD 52\n").unwrap();
    let make = |out: &str, more: &str| {
        let line = format!("rollout --bm-in q --out {out} trials=720 truncate=4 se=0.0015 {more}");
        good(at, &line);
        fs::read_to_string(at.join(out)).unwrap_or_default()
    };
    let games = |text: &str| -> Vec<Vec<u32>> {
        let lines = text.lines().filter(|line| line.contains(" games; "));
        let numbers = |line: &str| {
            let (games, _) = line[2..].split_once(" games").unwrap();
            games.split(' ').map(|one| one.parse().unwrap()).collect()
        };
        lines.map(numbers).collect()
    };
    let alike = games(&make("alike.bm", ""));
    let whole = make("whole.bm", "--error-share 0.2 --threads 1");
    let some = games(&whole);
    assert!(alike.iter().all(|games| games.len() == 1), "{alike:?}");
    assert!(some.iter().any(|games| games.len() > 1), "{some:?}");
    for (some, alike) in some.iter().zip(&alike) {
        // What looks best, and what is close to it, has as many as before; nothing has more.
        assert!(some.iter().all(|games| (144..=alike[0]).contains(games)));
    }
    assert!(make("threads.bm", "--error-share 0.2 --threads 3") == whole);
    make("shares.bm", "--error-share 0.2 --part 1/2");
    make("shares.bm", "--error-share 0.2 --part 2/2");
    let merge = "--merge shares.bm.1-2.journal --merge shares.bm.2-2.journal";
    assert!(make("shares.bm", &format!("--error-share 0.2 {merge}")) == whole);
    refused(
        at,
        "rollout --bm-in q --out whole.bm trials=720 truncate=4 se=0.0015 --error-share 0.3",
        3,
        "error share",
    );
    refused(
        at,
        "rollout --bm-in p --out y.bm --error-share 0.1",
        2,
        "--error-share",
    );
    refused(
        at,
        "rollout --bm-in p --out y.bm se=0.1 --error-share 2",
        2,
        "--error-share",
    );
}

/// BM-21, BM-34: the table of what filters miss, and settings by their names.
#[test]
fn study_of_filters_has_a_row_for_each() {
    let folder = folder();
    let at = folder.path();
    let said = good(
        at,
        "rollout --bm-in p --out x.bm --full=2 trials=72 truncate=3 --contributor Ada",
    );
    let rows: Vec<Vec<&str>> = (said.lines().skip(2))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(
        names,
        ["list", "swift", "tiny", "narrow", "normal", "large", "huge"],
        "{said}"
    );
    for row in &rows {
        let [kept, plays]: [f64; 2] = [1, 2].map(|at| row[at].parse().unwrap());
        assert!(0.0 < kept && kept <= plays, "{said}");
        let [missed, loss]: [f64; 2] = [3, 5].map(|at| row[at].parse().unwrap());
        assert!(missed <= 2.0 && (loss > 0.0) == (missed > 0.0), "{said}");
    }
    let text = fs::read_to_string(at.join("x.bm")).unwrap();
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains(" contributor Ada date 2"),
        "{text}"
    );
    let head = text.lines().nth(1).unwrap();
    for setting in [
        "\"settings\":\"1\"",
        "\"trials\":\"72\"",
        "\"truncate\":\"3\"",
        "\"program\":",
    ] {
        assert!(head.contains(setting), "{head}");
    }
    // At most two positions become records.
    assert!(text.lines().filter(|line| line.starts_with("m ")).count() <= 2);
}

/// BM-24, BM-34: with `osr=` races are cut off and valued by one-sided rollouts; the settings say so.
#[test]
fn races_end_in_one_sided_rollouts() {
    let folder = folder();
    let at = folder.path();
    // A checker of the player's is not home yet.
    let race = "APAAAAMALGPLIAAAAAAA";
    fs::write(at.join("race"), format!("{race}\n")).unwrap();
    let make = |out: &str, more: &str| {
        let line = format!("rollout --bm-in race --out {out} --before-roll trials=36 {more}");
        good(at, &line);
        let text = fs::read_to_string(at.join(out)).unwrap();
        let record = text.lines().find(|line| line.starts_with("o ")).unwrap();
        (text.clone(), record.to_owned())
    };
    let (text, with) = make("osr.bm", "truncate=race osr=72");
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains(" osrGames 72 osrInRoll 1 "),
        "{text}"
    );
    assert!(text.contains("\"osr\":\"72\""), "{text}");
    let (text, without) = make("net.bm", "truncate=race");
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains(" osrGames 0 osrInRoll 0 "),
        "{text}"
    );
    assert_ne!(with, without);
    refused(at, "rollout --bm-in race --out x.bm osr=0", 2, "osr");
}

/// Writes the keys of ada and bob, and the file `signers` with both.
fn write_keys(at: &Path) {
    use ssh_key::private::{Ed25519Keypair, PrivateKey};
    let mut signers = String::new();
    for (seed, name) in [(1, "ada"), (2, "bob")] {
        let key = PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]));
        let text = key.to_openssh(ssh_key::LineEnding::LF).unwrap();
        fs::write(at.join(name), &*text).unwrap();
        let public = key.public_key().to_openssh().unwrap();
        signers.push_str(&format!("{name} {public}\n"));
    }
    fs::write(at.join("signers"), signers).unwrap();
}

/// BM-26, BM-38: a journal that is there already is not that of the shares to merge, unless it holds their parts.
#[test]
fn merge_beside_another_journal_is_refused() {
    let folder = folder();
    let at = folder.path();
    write_keys(at);
    let line = |out: &str, more: &str| {
        format!("rollout --bm-in p --out {out} trials=72 truncate=2 {more}")
    };
    good(at, &line("own.bm", "--part 1/1"));
    good(at, &line("other.bm", "--seed 99 --part 1/1 --sign ada"));
    good(at, &line("same.bm", "--part 1/1 --sign ada"));
    fs::copy(at.join("own.bm.1-1.journal"), at.join("x.bm.journal")).unwrap();
    let merge = |journal: &str| line("x.bm", &format!("--merge {journal} --signers signers"));
    let other = merge("other.bm.1-1.journal");
    refused(
        at,
        &other,
        3,
        "x.bm.journal: this file belongs to other work",
    );
    assert!(!at.join("x.bm").exists());
    good(at, &merge("same.bm.1-1.journal"));
    let text = fs::read_to_string(at.join("x.bm")).unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.contains(" contributor ada date "), "{first}");
}

/// BM-38: shares are signed by their contributors, and merged if the signatures are right. A finished file without its
/// signature is signed.
#[test]
fn shares_are_signed_and_verified() {
    let folder = folder();
    let at = folder.path();
    write_keys(at);
    let line = |more: &str| format!("rollout --bm-in p --out x.bm trials=36 truncate=2 {more}");
    good(at, &line("--part 1/2 --sign ada"));
    good(at, &line("--part 2/2 --sign bob"));
    let merge = "--merge x.bm.1-2.journal --merge x.bm.2-2.journal --signers signers --sign ada";
    let signature = at.join("x.bm.2-2.journal.sig");
    let right = fs::read(&signature).unwrap();
    fs::copy(at.join("x.bm.1-2.journal.sig"), &signature).unwrap();
    refused(at, &line(merge), 3, "x.bm.2-2.journal: no contributor");
    assert!(!at.join("x.bm").exists());
    fs::write(&signature, right).unwrap();
    good(at, &line(merge));
    let text = fs::read_to_string(at.join("x.bm")).unwrap();
    assert!(
        text.lines()
            .next()
            .unwrap()
            .contains(" contributor ada,bob date "),
        "{text}"
    );
    let signature = fs::read(at.join("x.bm.sig")).unwrap();
    for damaged in [None, Some("no signature")] {
        fs::remove_file(at.join("x.bm.sig")).unwrap();
        if let Some(text) = damaged {
            fs::write(at.join("x.bm.sig"), text).unwrap();
        }
        good(at, &line("--sign ada --contributor ada,bob"));
        assert!(fs::read(at.join("x.bm.sig")).unwrap() == signature);
    }
    // A valid signature stays, by any signer.
    good(at, &line("--sign bob"));
    assert!(fs::read(at.join("x.bm.sig")).unwrap() == signature);
    let why = "x.bm: contributor is \"ada,bob\", expected \"eve\"";
    refused(at, &line("--contributor eve"), 3, why);
}

/// BM-35, BM-36: cubeful rollouts become `c` records, which are scored.
#[test]
fn cube_decisions_become_records() {
    let folder = folder();
    let at = folder.path();
    // The start, and a position in which the opponent has been primed.
    fs::write(at.join("q"), "4HPwATDgc/ABMA\nDHNMMGAAAAIJNLBEMAAD\n").unwrap();
    let line = |out: &str, more: &str| {
        format!("rollout --bm-in q --out {out} --cube=5 trials=72 truncate=4 {more}")
    };
    let make = |out: &str, more: &str| {
        good(at, &line(out, more));
        fs::read_to_string(at.join(out)).unwrap()
    };
    let text = make("whole.bm", "");
    let first = text.lines().next().unwrap();
    assert!(first.contains(" cubeAway 5 "), "{first}");
    // The whole match equity table, not only what a pass is worth by it.
    assert!(
        text.contains(r#""cube model":"Kazaross-XG2 sha256 "#),
        "{text}"
    );
    let records: Vec<Vec<&str>> = (text.lines())
        .filter(|line| line.starts_with("c "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(records.len(), 2, "{text}");
    let start: [f64; 2] = [2, 3].map(|at| records[0][at].parse().unwrap());
    assert!(
        (start[0] - 51.0).abs() < 3.0 && start[1] < start[0],
        "{text}"
    );
    assert_eq!(records[0][4], "ND");
    for index in [2, 1] {
        let part = format!("--part {index}/2");
        good(at, &line("part.bm", &part));
    }
    let merge = "--merge part.bm.1-2.journal --merge part.bm.2-2.journal";
    assert_eq!(make("part.bm", merge), text);
    let said = good(at, "bench whole.bm --player gammond --against random");
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("cube actions"))
        .collect();
    assert!(
        lines[0].starts_with("all ") && lines[0].contains(" 2 cube actions  ER "),
        "{said}"
    );
    // There is no play that could differ.
    assert!(!said.contains("first minus"), "{said}");
    // A player without a cube has no such lines.
    assert_eq!(lines.len(), 2, "{said}");
    let said = good(
        at,
        "bench whole.bm --against gammond:plies=1 --against random",
    );
    let difference = "cube actions: first minus second: ";
    let found = said.lines().find(|line| line.starts_with(difference));
    assert!(found.unwrap().ends_with(", 2 records"), "{said}");
    assert!(!said.contains("plays"), "{said}");
    let row = said.split("\ngroup").nth(1).unwrap();
    assert!(row.trim_start().starts_with("cubes "), "{said}");
    refused(at, "rollout --bm-in q --out x.bm --cube=1", 2, "--cube");
    refused(
        at,
        "rollout --bm-in q --out whole.bm --cube=6 trials=72 truncate=4",
        3,
        "cube",
    );
    refused(at, &line("whole.bm", "--met mec26"), 3, "cube model");
}

/// BM-20, BM-21, BM-23, BM-24.
#[test]
#[expect(clippy::too_many_lines, reason = "one file, step by step")]
fn records_are_those_that_bench_reads() {
    let folder = folder();
    let at = folder.path();
    good(at, "rollout --bm-in p --out x.bm trials=72 truncate=4");
    let text = fs::read_to_string(at.join("x.bm")).unwrap();
    assert!(text.starts_with("s version gammond-"), "{text}");
    assert_eq!(text.lines().next().unwrap().split(' ').count() % 2, 1);
    let file = read(&mut text.as_bytes()).unwrap();
    assert_eq!(file.wrong, []);
    assert_eq!(file.items.len(), 4);
    for item in &file.items {
        let ScorableRecord::Play(play) = &item.record else {
            panic!("{item:?}")
        };
        assert!((2..=6).contains(&play.candidates.len()));
        let losses: Vec<f64> = play.candidates.iter().map(|one| one.loss).collect();
        assert!(losses.is_sorted() && losses[0] == 0.0, "{losses:?}");
        let rolled = (text.lines())
            .filter(|line| line.starts_with("#R "))
            .filter(|line| {
                let key = line.split(' ').nth(1).unwrap();
                (play.candidates.iter())
                    .any(|one| PositionKey::from(one.position).to_string() == key)
            });
        assert_eq!(rolled.count(), play.candidates.len());
    }
    // Once more with other dice, and with every play.
    let said = good(
        at,
        "rollout --again x.bm --out y.bm trials=72 truncate=4 seed=2 --full",
    );
    assert!(
        said.starts_with("4 records: another play is best in "),
        "{said}"
    );
    assert!(said.contains("the best play was not listed in "), "{said}");
    assert!(
        said.contains("by more than two standard errors in "),
        "{said}"
    );
    // One batch of games says nothing of its error.
    let said = good(
        at,
        "rollout --again x.bm --out one.bm trials=36 truncate=4 seed=2",
    );
    assert!(!said.contains("by more than two standard errors"), "{said}");
    assert!(!said.contains("standard error of the least"), "{said}");
    assert!(
        said.contains("no standard error is known in 4 records"),
        "{said}"
    );
    let one = fs::read_to_string(at.join("one.bm")).unwrap();
    assert!(
        one.contains("# 36 games; standard errors of the losses: unknown"),
        "{one}"
    );
    let again = fs::read_to_string(at.join("y.bm")).unwrap();
    assert!(again.lines().filter(|line| line.starts_with("#R")).count() > 40);
    // Positions before the roll.
    good(
        at,
        "rollout --bm-in x.bm --out z.bm --before-roll trials=36 truncate=2",
    );
    good(at, "rollout --bm-in z.bm --out z2.bm trials=36 truncate=2");
    let before = fs::read_to_string(at.join("z2.bm")).unwrap();
    assert_eq!(
        before.lines().filter(|line| line.starts_with("m ")).count(),
        4
    );
    fs::write(at.join("q"), "4HPwATDgc/ABMA\n").unwrap();
    good(
        at,
        "rollout --bm-in q --out o.bm --before-roll trials=36 truncate=2",
    );
    let before = fs::read_to_string(at.join("o.bm")).unwrap();
    assert_eq!(
        before.lines().filter(|line| line.starts_with("o ")).count(),
        1
    );
}

/// BM-20: rolls are drawn by the seed that the file says, however it was given.
#[test]
fn rolls_are_drawn_by_either_form_of_the_seed() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("q"), "4HPwATDgc/ABMA\nDHNMMGAAAAIJNLBEMAAD\n").unwrap();
    let make = |out: &str, seed: &str| {
        let how = "--only all trials=36 truncate=1";
        good(at, &format!("rollout --bm-in q --out {out} {how} {seed}"));
        fs::read(at.join(out)).unwrap()
    };
    let option = make("option.bm", "--seed 5");
    assert!(make("setting.bm", "seed=5") == option);
    assert!(make("usual.bm", "") != option);
}

/// BM-21: what is rolled out again are legal plays, each once; other lines are named.
#[test]
fn again_leaves_out_impossible_lists() {
    const START: &str = "OAHDPAABDAOAHDPAABDA";
    const BEST: &str = "LAGHPAABDAOAHDPAABDA";
    let folder = folder();
    let at = folder.path();
    let record = |second: &str| format!("m {START} 3 1 {BEST} 0.15 {second} 0.02\n");
    let good = record("OAHDOCABCIOAHDPAABDA");
    fs::write(at.join("x.bm"), record(START) + &record(BEST) + &good).unwrap();
    let output = gammond(at, "rollout --again x.bm --out y.bm trials=36 truncate=1");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for fault in [
        "x.bm: line 1: candidate 2 (OAHDPAABDAOAHDPAABDA) is not the result of a legal play of 31",
        "x.bm: line 2: candidate 2 (LAGHPAABDAOAHDPAABDA) is listed twice",
    ] {
        assert!(said.contains(fault), "{said}");
    }
    let file = read(&mut &fs::read(at.join("y.bm")).unwrap()[..]).unwrap();
    assert_eq!((file.items.len(), file.wrong), (1, vec![]));
}

/// BM-29, BM-35: the players' match equity table decides cube actions, and options of plays decide none of them.
#[test]
fn cube_options_and_tables_are_not_ignored() {
    let folder = folder();
    let at = folder.path();
    // A file of another program: nothing says what a pass is worth.
    fs::write(at.join("c.bm"), "c DHNMMGAAAAIJNLBEMAAD 60 58 D/T\n").unwrap();
    good(at, "bench c.bm --journal j");
    refused(
        at,
        "bench c.bm --journal j --met g11",
        3,
        "cube of player 1 was",
    );
    let line = |more: &str| format!("rollout --bm-in p --out x.bm --cube trials=36 {more}");
    for option in [
        "--best 4",
        "--before-roll",
        "--only decided",
        "--only disputed",
    ] {
        let name = option.split(' ').next().unwrap();
        refused(at, &line(option), 2, name);
    }
    good(at, &line("--only all --part 1/9 truncate=1"));
}

/// Real match files, as gnubg wrote them: every roll that was played, at the position that gnubg has there, makes a record. A file that ends
/// in the middle gives what comes before.
#[test]
fn match_files_are_sources() {
    let folder = folder();
    let at = folder.path();
    let text = include_bytes!("../data/analysis/one1.mat");
    fs::write(at.join("one1.mat"), text).unwrap();
    fs::write(at.join("cut.mat"), &text[..text.len() * 2 / 3]).unwrap();
    let all: BTreeSet<String> = include_str!("../data/analysis/one1.positions")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (id, dice) = line.split_once(' ').unwrap();
            let position: PositionId = id.parse().unwrap();
            let (high, low) = dice.split_at(1);
            let roll = Roll::new(high.parse().unwrap(), low.parse().unwrap()).unwrap();
            format!("{} {roll:?}", PositionKey::from(position.position()))
        })
        .collect();
    let records = |source: &str, out: &str| {
        let how = "--only all --best 2 trials=36 truncate=1 vr=off";
        good(at, &format!("rollout --bm-in {source} --out {out} {how}"));
        let text = fs::read(at.join(out)).unwrap();
        let file = read(&mut text.as_slice()).unwrap();
        let plays = file.items.iter().map(|item| match &item.record {
            ScorableRecord::Play(play) => {
                format!("{} {:?}", PositionKey::from(play.position), play.roll)
            }
            other => panic!("{other:?}"),
        });
        plays.collect::<BTreeSet<String>>()
    };
    let made = records("one1.mat", "x.bm");
    assert!(made.is_subset(&all), "{:?}", made.difference(&all));
    // What is left out has one legal play, or none.
    assert!(
        made.len() * 10 > all.len() * 8,
        "{} of {}",
        made.len(),
        all.len()
    );
    let some = records("cut.mat", "y.bm");
    assert!(some.is_subset(&made) && (5..made.len()).contains(&some.len()));
}

/// BM-22.
#[test]
fn quotas_end_the_choice() {
    let folder = folder();
    let at = folder.path();
    let quota = "--quota contact=2 --only all trials=36 truncate=1";
    good(at, &format!("rollout --bm-in p --out x.bm {quota}"));
    let text = fs::read_to_string(at.join("x.bm")).unwrap();
    assert_eq!(
        text.lines().filter(|line| line.starts_with("m ")).count(),
        2
    );
}

/// BM-22: each position is a record or is counted with the reason why it is none.
#[test]
fn positions_left_out_are_counted_by_reason() {
    let folder = folder();
    let at = folder.path();
    let closed_out = "XGID=-BBBBCC-----------cbbbbbbA:0:0:1:61:0:0:0:0:10\n";
    let race = "OwAAwAcAcekBAA 31\n";
    let text = [closed_out, race, POSITIONS].concat();
    fs::write(at.join("r"), text).unwrap();
    let line =
        "rollout --bm-in r --out x.bm --quota contact=1 --quota crashed=1 trials=36 truncate=1";
    let output = gammond(at, line);
    let said = String::from_utf8(output.stderr).unwrap();
    let reasons = "left out: 1 with one play, or plays that are equal at two plies (see --only); \
                   1 of groups that no --quota names; 3 of groups whose --quota was full\n";
    assert!(said.contains("1 record in x.bm\n"), "{said}");
    assert!(said.ends_with(reasons), "{said}");
    let output = gammond(at, "rollout --bm-in p --out y.bm trials=36 truncate=1");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.ends_with("4 records in y.bm\n"), "{said}");
}

/// BM-27.
#[test]
fn invalid_arguments_are_refused_by_name() {
    let folder = folder();
    let at = folder.path();
    fs::write(at.join("foreign.bm"), "m of somebody else's\n").unwrap();
    fs::write(at.join("empty"), "# nothing\n").unwrap();
    let refuse = |more: &str, code, why| {
        refused(
            at,
            &format!("rollout --bm-in p --out x.bm {more}"),
            code,
            why,
        );
    };
    refuse("trials=0", 2, "trials");
    refuse("trials=-1", 2, "trials");
    refuse("trials=1e18", 2, "trials");
    refuse("truncate=x", 2, "truncate");
    refuse("se=0", 2, "se");
    refuse("jsd=2", 2, "jsd=2");
    refuse("--quota middle=2", 2, "no group of this name");
    refuse("--quota contact=0", 2, "whole number above 0");
    refuse("--part 3/2", 2, "3/2");
    refuse("--best 1", 2, "--best");
    refuse("--merge none.journal", 3, "none.journal");
    refused(at, "rollout --bm-in none --out x.bm", 3, "none");
    refused(
        at,
        "rollout --bm-in empty --out x.bm",
        3,
        "empty: contains no position",
    );
    let line = "rollout --bm-in p --out foreign.bm trials=36";
    refused(at, line, 3, "not a file of gammond rollout's");
    let theirs = fs::read_to_string(at.join("foreign.bm")).unwrap();
    assert_eq!(theirs, "m of somebody else's\n");
    // The journal of another file's shares.
    good(
        at,
        "rollout --bm-in p --out a.bm --part 1/1 trials=36 truncate=1",
    );
    let line = "rollout --bm-in p --out b.bm --merge a.bm.1-1.journal trials=37 truncate=1";
    refused(at, line, 3, "other work");
    assert!(!at.join("b.bm").exists());
}
