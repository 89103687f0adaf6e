//! Bearoff databases against GNU Backgammon's.

use crate::support;
use gammond_engine::bearoff::{Numbering, OneSided, SavingGammon, Tables, TwoSided, make, save};
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::eval::{Evaluator, nets::NetEvaluator};
use gammond_engine::nn::CpuLevel;
use gammond_game::{Chances, Class, Position, Side};
use sha2::{Digest, Sha256};
use std::sync::Arc;

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// BEAR-40.
#[test]
fn default_tables_have_the_published_checksums() {
    let tables = Tables::shared();
    assert_eq!(
        sha256(tables.one_sided.as_bytes().unwrap()),
        "38089567e87a681682bb4ff53f30d781af215fc04debbdff3f61b6db68547a49"
    );
    assert_eq!(
        sha256(tables.two_sided.as_bytes().unwrap()),
        "9eac8a2c697dae8a09f2e5653022084b9e725df6c32950cb5299b273fc64500f"
    );
}

#[test]
fn default_tables_equal_gnubgs_files() {
    let test = "bearoff::default_tables_equal_gnubgs_files";
    if let Some(path) = support::gnubg_file(test, "gnubg_os0.bd") {
        let theirs = OneSided::open(&path).unwrap();
        assert!(theirs.as_bytes() == Tables::shared().one_sided.as_bytes());
    }
    if let Some(path) = support::gnubg_file(test, "gnubg_ts0.bd") {
        let theirs = TwoSided::open(&path).unwrap();
        assert!(theirs.as_bytes() == Tables::shared().two_sided.as_bytes());
    }
}

/// The checksums are those of files that gnubg's `makebearoff` 1.07.001 writes.
///
/// BEAR-01, BEAR-02, BEAR-11, BEAR-12, BEAR-14, BEAR-15, BEAR-16, BEAR-20, BEAR-21, BEAR-22,
/// BEAR-23, BEAR-30, BEAR-31, BEAR-32, BEAR-33.
#[test]
fn made_databases_equal_those_of_makebearoff() {
    let numbering = |points, checkers| Numbering::new(points, checkers).unwrap();
    let one_sided = |points, gammons, compressed, sha: &str| {
        let file = make::one_sided(numbering(points, 15), gammons, compressed);
        assert_eq!(sha256(&file), sha, "one-sided, {points} points");
    };
    let two_sided = |points, checkers, cubeful, sha: &str| {
        let file = make::two_sided(numbering(points, checkers), cubeful);
        assert_eq!(sha256(&file), sha, "two-sided, {points} points");
    };
    // makebearoff -o 4, -o 4 -c, -o 4 -g, -o 4 -c -g, -o 7
    one_sided(
        4,
        true,
        true,
        "3d30f29f99f0a369a26d6bc1dc3ffe6901cc37eeb4160536495d71c0d36e6123",
    );
    one_sided(
        4,
        true,
        false,
        "af9a63794791fa71143dff1d8dc7ee83dd4635e51d52cbd585510d97c0f60600",
    );
    one_sided(
        4,
        false,
        true,
        "6ba8eaaf793c9cb2483c5ad0c767ee05a22b6a45a8011430fbbb1d47742a6e61",
    );
    one_sided(
        4,
        false,
        false,
        "a3c5ea47e79c103edbf7e9af841adb965492db2b5550695e272fa08c5bafc4d3",
    );
    one_sided(
        7,
        true,
        true,
        "35ba8efc361e858c468dd28684f4c5c5edc845ae5d4dbdb2dcb289efa6809e99",
    );
    // makebearoff -t 4x4, -t 5x5 -C, -t 8x3
    two_sided(
        4,
        4,
        true,
        "c0f72ca0e54895dcebbc13d75d882ebfce2061c8da82cedc3b356e9e77876ca2",
    );
    two_sided(
        5,
        5,
        false,
        "a1a11e771cbcae4c88f79006cf7feb56a1694c88f761e9d050c5169ad28f4a47",
    );
    two_sided(
        8,
        3,
        true,
        "cd24a183f50c9fe813854a250590afa01d4aec5e2f055a12c90f41835d93b782",
    );
}

/// Class and outputs that gnubg gives with `gnubg_os.bd` and `gnubg_ts.bd` of these sizes.
#[test]
fn larger_databases_answer_as_in_gnubg() {
    let folder = tempfile::tempdir().unwrap();
    let numbering = |points, checkers| Numbering::new(points, checkers).unwrap();
    let file = folder.path().join("gnubg_os.bd");
    save(&file, &make::one_sided(numbering(7, 15), true, true)).unwrap();
    let file = folder.path().join("gnubg_ts.bd");
    save(&file, &make::two_sided(numbering(8, 3), true)).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not a database").unwrap();
    let tables = Tables::open(folder.path()).unwrap();
    let side = |eight: &[u8]| {
        let mut counts = [0; 25];
        counts[..eight.len()].copy_from_slice(eight);
        counts
    };
    let check = |me: &[u8], opponent: &[u8], class: Class, win: f32, lose_gammon: f32| {
        let position = Position::new(&side(me), &side(opponent)).unwrap();
        assert_eq!(tables.class(&position), class);
        let chances = tables.chances(&position).unwrap();
        assert!((chances.win - win).abs() < 3e-7, "{chances:?}");
        assert!(
            (chances.lose_gammon - lose_gammon).abs() < 3e-7,
            "{chances:?}"
        );
        assert_eq!(
            tables.exact_cubeful(&position).is_some(),
            matches!(class, Class::Bearoff2 | Class::BearoffTs)
        );
    };
    check(
        &[1, 4, 2, 3, 1, 2, 2],
        &[0, 0, 1, 1, 1, 0, 0],
        Class::BearoffOs,
        0.0,
        0.069_440_63,
    );
    check(
        &[1, 1, 3, 2, 3, 2, 3],
        &[0, 1, 0, 0, 0, 0, 0],
        Class::BearoffOs,
        0.0,
        0.833_325_7,
    );
    check(
        &[1, 0, 0, 1, 0, 1, 0, 0],
        &[1, 1, 0, 0, 0, 0, 1, 0],
        Class::BearoffTs,
        0.775_341_4,
        0.0,
    );
    check(
        &[0, 0, 1, 0, 1, 0, 1, 0],
        &[1, 0, 0, 1, 0, 0, 1, 0],
        Class::BearoffTs,
        0.544_380_84,
        0.0,
    );
    let contact = Position::start();
    assert_eq!(tables.class(&contact), Class::Contact);
    assert_eq!(tables.chances(&contact), None);
}

/// One definition of class and of exact chances for our own nets, the fast ones, and copies of
/// them on another CPU level.
#[test]
fn our_own_nets_use_the_databases_of_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let numbering = |points, checkers| Numbering::new(points, checkers).unwrap();
    let file = folder.path().join("os.bd");
    save(&file, &make::one_sided(numbering(7, 5), true, true)).unwrap();
    let file = folder.path().join("ts.bd");
    save(&file, &make::two_sided(numbering(8, 2), true)).unwrap();
    let tables = Tables::open(folder.path()).unwrap();
    let position = |me: &[u8], opponent: &[u8]| {
        let mut counts = [[0; 25]; 2];
        counts[0][..me.len()].copy_from_slice(me);
        counts[1][..opponent.len()].copy_from_slice(opponent);
        Position::new(&counts[0], &counts[1]).unwrap()
    };
    let engine = |nets| {
        let engine = Engine::builder().nets(nets).bearoff(folder.path());
        engine.threads(1).build().unwrap().evaluator().clone()
    };
    let scalar = NetEvaluator::embedded()
        .unwrap()
        .with_tables(tables.clone());
    let evaluators: [Arc<dyn Evaluator>; 3] = [
        engine(Nets::Embedded),
        engine(Nets::EmbeddedFast),
        Arc::new(scalar.at(CpuLevel::SCALAR)),
    ];
    let one_sided = position(&[0, 0, 1, 1, 1, 1, 1], &[1, 1, 1, 0, 0, 1, 1]);
    let two_sided = position(&[0, 0, 0, 0, 0, 1, 0, 1], &[0, 0, 0, 0, 0, 0, 1, 1]);
    let beyond = position(&[0, 0, 0, 0, 0, 1, 0, 0, 1], &[0, 0, 0, 0, 0, 0, 1, 1]);
    let over = position(&[], &[15]);
    for evaluator in evaluators {
        for (position, class) in [
            (one_sided, Class::BearoffOs),
            (two_sided, Class::BearoffTs),
            (beyond, Class::Race),
            (over, Class::Over),
        ] {
            assert_eq!(evaluator.class(&position), class);
            let mut out = [Chances::default()];
            evaluator.evaluate(None, &[position], &mut out);
            let exact = tables.exactly(class, &position);
            assert_eq!(exact.is_some(), class != Class::Race);
            assert_eq!(exact.unwrap_or(out[0]), out[0], "{class}");
            let cubeful = evaluator.shortcuts().exact_cubeful(&position);
            assert_eq!(cubeful.is_some(), class == Class::BearoffTs);
            assert_eq!(cubeful, tables.exact_cubeful(&position));
        }
    }
}

#[test]
fn a_damaged_file_in_the_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gnubg_os.bd");
    let numbering = Numbering::new(2, 3).unwrap();
    let mut bytes = make::one_sided(numbering, true, true);
    bytes.pop();
    save(&file, &bytes).unwrap();
    let error = Tables::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains("gnubg_os.bd: byte 112: "), "{error}");
    let missing = folder.path().join("no such folder");
    assert!(Tables::open(&missing).is_err());
    assert!(save(&missing.join("x.bd"), &bytes).is_err());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1);
}

fn side(row: &serde_json::Value, field: &str) -> [u8; 25] {
    let counts: Vec<u8> = serde_json::from_value(row[field].clone()).unwrap();
    counts.try_into().unwrap()
}

/// BEAR-03, BEAR-41.
#[test]
fn chances_equal_gnubgs() {
    let test = "bearoff::chances_equal_gnubgs";
    let Some(path) = support::shared(test, "oracle/eval-0ply.jsonl.gz") else {
        return;
    };
    let tables = Tables::shared();
    let mut seen = [0, 0];
    for row in support::rows(&path) {
        let position = Position::new(&side(&row, "me"), &side(&row, "opp")).unwrap();
        let chances = match row["class"].as_str().unwrap() {
            "bearoff2" => {
                seen[0] += 1;
                tables.two_sided.chances(&position).unwrap()
            }
            "bearoff1" => {
                seen[1] += 1;
                assert_eq!(tables.two_sided.chances(&position), None);
                tables.one_sided.chances(&position).unwrap()
            }
            _ => {
                assert_eq!(tables.two_sided.chances(&position), None);
                assert_eq!(tables.one_sided.chances(&position), None);
                continue;
            }
        };
        for reference in ["out", "out_v101"] {
            for (k, ours) in chances.to_array().into_iter().enumerate() {
                let theirs = row[reference][k].as_f64().unwrap();
                assert!(
                    (f64::from(ours) - theirs).abs() <= 3e-7,
                    "{}: {reference} {k}: {ours} and {theirs}",
                    row["id"]
                );
            }
        }
    }
    support::rows_are(&path, seen, [102, 330], [2, 14]);
}

#[test]
fn saving_the_gammon_differs_from_gnubgs_rows_only_where_listed() {
    let test = "bearoff::saving_the_gammon_differs_from_gnubgs_rows_only_where_listed";
    let Some(path) = support::shared(test, "data/gammon-save-exceptions.json") else {
        return;
    };
    let table = SavingGammon::made();
    let text = std::fs::read_to_string(path).unwrap();
    let rows: Vec<([u8; 6], [u64; 4])> = serde_json::from_str(&text).unwrap();
    assert_eq!(rows.len(), 104);
    for (six, theirs) in rows {
        let mut counts = [0; 25];
        counts[..6].copy_from_slice(&six);
        let side = Side::from_counts(&counts).unwrap();
        let ours = table.counts(side).unwrap();
        assert_ne!(ours, theirs);
        for (k, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
            let difference = (ours as f64 - theirs as f64).abs() / 36_f64.powi(k as i32 + 1);
            assert!(difference <= 1.0 / 36.0, "{six:?} {k} {difference}");
        }
    }
}

fn gammond(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_command_makes_describes_and_asks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ts.bd");
    let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
    let make = ["bearoff", "make", file, "--two-sided", "--points", "7"];
    let (code, out, _) = gammond(&[&make[..], &["--checkers", "2"]].concat());
    assert_eq!(code, Some(0));
    let made: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&made["kind"], &made["positions"]),
        (&"two-sided".into(), &36.into())
    );
    let (code, out, _) = gammond(&["bearoff", "info", file]);
    assert_eq!(code, Some(0));
    assert_eq!(
        made,
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    );

    // One checker on the ace point against one on the seven point: won, and the double is passed.
    let mut counts = [[0; 25]; 2];
    (counts[0][0], counts[1][6]) = (1, 1);
    let position = Position::new(&counts[0], &counts[1]).unwrap();
    let id = gammond_game::notation::PositionId::from(position).to_string();
    let (code, out, _) = gammond(&["bearoff", "probe", &id, "--bearoff", folder]);
    assert_eq!(code, Some(0));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["class"], "bearoff-ts");
    assert_eq!(answer["equity"]["centred"], 1.0);
    assert_eq!(
        answer["rolls"]["me"]["all_off"],
        serde_json::json!([0.0, 1.0])
    );
    assert!(answer["rolls"].get("opponent").is_none());

    let (code, out, _) = gammond(&["bearoff", "info", "--format", "text"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("tables bytes: 6830248\n"), "{out}");
}

/// 64 races of eight points and at most four checkers a side.
fn races_within_eight() -> Vec<String> {
    let id = |me: &[usize], opponent: &[usize]| {
        let mut counts = [[0; 25]; 2];
        me.iter().for_each(|&point| counts[0][point - 1] += 1);
        (opponent.iter()).for_each(|&point| counts[1][point - 1] += 1);
        let position = Position::new(&counts[0], &counts[1]).unwrap();
        gammond_game::notation::PositionId::from(position).to_string()
    };
    let pairs = (1..=8).flat_map(|a| (1..=8).map(move |b| (a, b)));
    pairs.map(|(a, b)| id(&[8, 7, a, b], &[a, b, 7])).collect()
}

/// Positions become a benchmark of exact equities, on which the tables' own player errs nowhere; a file that lists
/// other equities is set right; what no table covers is kept or left out.
#[test]
fn benchmarks_by_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, positions, bench) = (path("8x4.race"), path("p.txt"), path("r.bm"));
    let make = ["bearoff", "make", &table, "--points", "8", "--checkers"];
    assert_eq!(gammond(&[&make[..], &["4"]].concat()).0, Some(0));
    let covered = races_within_eight();
    let text = format!("4HPwATDgc/ABMA\n{}\n", covered.join("\n"));
    std::fs::write(&positions, text).unwrap();
    let dir = folder.path().to_str().unwrap();
    let score = |file: &str, more: &[&str]| {
        let all = [&["bearoff", "score", file, "--bearoff", dir], more].concat();
        let (code, out, error) = gammond(&all);
        assert_eq!(code, Some(0), "{error}");
        (out, error)
    };
    let (made, said) = score(&positions, &[]);
    assert!(said.contains("1 not covered"), "{said}");
    let of = |text: &str, kind: &str| text.lines().filter(|it| it.starts_with(kind)).count();
    assert_eq!(of(&made, "o "), 64);
    assert!(of(&made, "m ") > 40, "{made}");
    // A record with a wrong equity and one that no table covers.
    let start =
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133";
    let play = made.lines().find(|line| line.starts_with("m ")).unwrap();
    let mut fields: Vec<&str> = play.split(' ').take(6).collect();
    fields[5] = "-0.5";
    let own = made.lines().filter(|line| !line.starts_with("#R"));
    let own: Vec<&str> = own.collect();
    let damaged = [&[&fields.join(" "), start][..], &own].concat().join("\n");
    std::fs::write(&bench, damaged).unwrap();
    let (again, _) = score(&bench, &["--covered"]);
    assert!(!again.contains(start) && again.lines().any(|line| line == play));
    assert_eq!(of(&again, "m "), of(&made, "m ") + 1);
    let (kept, _) = score(&bench, &[]);
    assert!(kept.contains(start) && of(&kept, "s ") == 1);

    std::fs::write(&bench, &made).unwrap();
    let rate = |player: &str| {
        let (code, out, error) = gammond(&[
            "bench",
            &bench,
            "--by-range",
            "6,8",
            "--csv",
            "--player",
            player,
        ]);
        assert_eq!(code, Some(0), "{error}");
        let rows = out.lines().skip(1);
        let rows: Vec<(String, String)> = rows
            .map(|row| {
                let field = |at| row.rsplit(',').nth(at).unwrap().to_owned();
                (field(16), field(14))
            })
            .collect();
        rows
    };
    let exact = rate(&format!("gammond:bearoff={dir}"));
    let names: Vec<&str> = exact.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(names, ["all", "within 8"]);
    assert!(exact.iter().all(|row| row.1 == "0.000000"), "{exact:?}");
    assert_ne!(rate("gammond:bearoff=none")[0].1, "0.000000");
}

/// BM-40: comments go with the records that they describe; what a replaced file said of its rollouts goes away, but for cube
/// records, which stay under their settings.
#[test]
fn exact_records_have_no_comments_of_rollouts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (positions, rolled, mixed) = (path("p"), path("r.bm"), path("c.bm"));
    // A race of two checkers a side, and the start, which no table covers.
    let race = &races_within_two();
    std::fs::write(&positions, format!("{race} 21\n4HPwATDgc/ABMA 31\n")).unwrap();
    let make = [
        "rollout",
        "--bm-in",
        &positions,
        "--out",
        &rolled,
        "--only",
        "all",
        "trials=36",
        "truncate=1",
    ];
    let (code, _, error) = gammond(&make);
    assert_eq!(code, Some(0), "{error}");
    let before = std::fs::read_to_string(&rolled).unwrap();
    let score = |file: &str, more: &[&str]| {
        let (code, out, error) = gammond(&[&["bearoff", "score", file], more].concat());
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let records = |text: &str| text.lines().filter(|line| line.starts_with("m ")).count();
    assert_eq!(records(&before), 2, "{before}");
    let kept = score(&rolled, &[]);
    assert_eq!(
        (records(&kept), kept.matches("s exact").count()),
        (2, 1),
        "{kept}"
    );
    for gone in ["gammond rollout", "sha256", "s version"] {
        assert!(!kept.contains(gone), "{kept}");
    }
    // The lines of the start are as they were.
    let of_start = before.rsplit_once("\nr ").unwrap().1;
    assert!(
        of_start.contains(" games; ") && kept.ends_with(of_start),
        "{kept}"
    );
    assert_eq!(kept.matches(" games; ").count(), 1, "{kept}");
    let covered = score(&rolled, &["--covered"]);
    assert!(
        records(&covered) == 1 && !covered.contains(" games; "),
        "{covered}"
    );
    let cube = "s cubeAway 5\n# gammond rollout {\"job\":\"x\"}\nr 1\n# 36 games\nc OAHDPAABDAOAHDPAABDA 51 45 ND\n";
    std::fs::write(&mixed, format!("# about\n{cube}")).unwrap();
    assert!(score(&mixed, &[]).ends_with(&format!("\n# about\n{cube}")));
}

/// A race of two checkers a side.
fn races_within_two() -> String {
    let mut counts = [0; 25];
    (counts[0], counts[3]) = (1, 1);
    let position = Position::new(&counts, &counts).unwrap();
    gammond_game::notation::PositionId::from(position).to_string()
}

#[test]
fn rules_are_judged_and_rubbish_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, positions, file) = (path("8x4.race"), path("p.txt"), path("x.txt"));
    let make = ["bearoff", "make", &table, "--points", "8", "--checkers"];
    assert_eq!(gammond(&[&make[..], &["4"]].concat()).0, Some(0));
    std::fs::write(&positions, races_within_eight().join("\n")).unwrap();
    let dir = folder.path().to_str().unwrap();
    let (code, out, error) = gammond(&["bearoff", "rules", &positions, "--bearoff", dir]);
    assert_eq!(code, Some(0), "{error}");
    assert!(
        out.contains("Keith ") && out.contains("effective pips"),
        "{out}"
    );
    std::fs::write(&file, "rubbish\n").unwrap();
    assert_eq!(gammond(&["bearoff", "score", &file]).0, Some(1));
    assert_eq!(gammond(&["bearoff", "rules", &file]).0, Some(3));
    // The end of a line that is too long is no position.
    let long = format!("{}{}", "x".repeat(64 << 10), races_within_two());
    std::fs::write(&file, format!("#{long}\n")).unwrap();
    let (code, _, error) = gammond(&["bearoff", "rules", &file]);
    assert!(
        code == Some(3) && error.contains("line 1 is longer than"),
        "{error}"
    );
}

/// BEAR-44: what is made without a name is found without a name, and said by `version`.
#[test]
fn databases_are_found_in_the_users_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], input: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        command.args(arguments).env("XDG_DATA_HOME", home.path());
        command
            .env_remove("GAMMOND_BEAROFF")
            .env_remove("GAMMOND_CONFIG");
        let (read, mut write) = std::io::pipe().unwrap();
        command.stdin(read);
        std::io::Write::write_all(&mut write, input.as_bytes()).unwrap();
        drop(write);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let made = run(&["bearoff", "make", "--points", "8", "--checkers", "3"], "");
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    assert_eq!(
        (&made["kind"], &made["positions"]),
        (&"race table".into(), &165.into())
    );
    let file = home.path().join("gammond/bearoff/8x3.race");
    assert_eq!(made["source"], file.to_str().unwrap());
    run(
        &[
            "bearoff",
            "make",
            "--two-sided",
            "--points",
            "7",
            "--checkers",
            "2",
        ],
        "",
    );

    let mut counts = [[0; 25]; 2];
    (counts[0][7], counts[0][2], counts[1][6]) = (2, 1, 3);
    let position = Position::new(&counts[0], &counts[1]).unwrap();
    let id = gammond_game::notation::PositionId::from(position).to_string();
    let class = |arguments: &[&str]| {
        let arguments = [&["bearoff", "probe", &id], arguments].concat();
        let answer: serde_json::Value = serde_json::from_str(&run(&arguments, "")).unwrap();
        answer["class"].as_str().unwrap().to_owned()
    };
    assert_eq!(class(&[]), "bearoff-os");
    let version = run(&["pipe"], "version\nstats\n");
    for line in version.lines() {
        let found: serde_json::Value = serde_json::from_str(line).unwrap();
        let wanted = serde_json::json!(["one-sided 8x3", "two-sided 7x2"]);
        assert_eq!(found["bearoff"], wanted, "{line}");
    }
    let answer = run(&["pipe"], &format!("eval {id}\n"));
    assert!(answer.contains("\"bearoff-os\""), "{answer}");
    let without = run(&["pipe", "--bearoff", "none"], &format!("eval {id}\n"));
    assert!(without.contains("\"race\""), "{without}");
}

#[test]
fn the_command_refuses_with_the_right_exit_code() {
    let refused = |arguments: &[&str], wanted: i32, word: &str| {
        let (code, out, error) = gammond(&[&["bearoff"], arguments].concat());
        assert_eq!(code, Some(wanted), "{arguments:?}: {error}");
        assert!(out.is_empty() && error.contains(word), "{error}");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.bd");
    let file = file.to_str().unwrap();
    for points in ["0", "11", "18", "19", "18446744073709551615"] {
        let wanted = format!("--points {points}, expected 1 to 10 (one-sided with 15 checkers)");
        refused(&["make", file, "--points", points], 2, &wanted);
    }
    let two_sided = ["make", file, "--two-sided", "--points", "12"];
    refused(
        &two_sided,
        2,
        "expected 1 to 10 (two-sided with 6 checkers)",
    );
    let race = folder.path().join("x.race");
    let race = ["make", race.to_str().unwrap(), "--points", "16"];
    refused(
        &race,
        2,
        "--points 16, expected 1 to 15 (race table with 15 checkers)",
    );
    let checkers = ["make", file, "--checkers", "16"];
    refused(&checkers, 2, "--checkers 16, expected 1 to 15");
    refused(
        &["make", file, "--points", "7", "--no-gammons"],
        2,
        "--no-gammons",
    );
    refused(&["info", file], 3, "x.bd");
    refused(&["probe", "4HPwATDgc/ABMA"], 1, "no database");
    refused(&["probe", "rubbish"], 1, "");
    std::fs::write(file, "gnubg-OS-06-15").unwrap();
    refused(&["info", file], 3, "byte 14: ");

    // What is not the same database is never replaced.
    let made = ["make", file, "--points", "2", "--checkers", "3"];
    for mine in ["my thesis", "gnubg-OS-06-15"] {
        std::fs::write(file, mine).unwrap();
        refused(
            &made,
            3,
            "x.bd: exists and is not a complete bearoff database",
        );
        assert_eq!(std::fs::read_to_string(file).unwrap(), mine);
    }
    std::fs::remove_file(file).unwrap();
    for _ in 0..2 {
        let (code, _, error) = gammond(&[&["bearoff"], &made[..]].concat());
        assert_eq!(code, Some(0), "{error}");
    }
    for other in [&["--points", "3"][..], &["--points", "2", "--two-sided"]] {
        let other = [&["make", file, "--checkers", "3"], other].concat();
        refused(&other, 3, "x.bd: exists and is another bearoff database");
    }
    let (link, target) = (folder.path().join("link.bd"), folder.path().join("none"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let link = ["make", link.to_str().unwrap(), "--points", "2"];
    refused(&link, 3, "link.bd: exists");
}
