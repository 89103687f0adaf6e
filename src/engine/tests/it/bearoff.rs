//! Bearoff databases against GNU Backgammon's.

use crate::support;
use gammond_engine::bearoff::{
    EFFECTIVE_PIPS_A_ROLL, Numbering, OneSided, SavingGammon, Tables, TwoSided, make, save,
};
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

/// Effective pip counts as Walter Trice published them (Backgammon Boot Camp, 2004): with nothing but pairs on the ace
/// point, `n` rolls from the end, 7n + 1, and 8 1/6 for the last roll.
#[test]
fn effective_pips_of_ace_point_stacks_follow_trices_rule() {
    for rolls in 1..=7_u8 {
        let mut counts = [0; 25];
        counts[0] = 2 * rolls;
        let side = Side::from_counts(&counts).unwrap();
        let expected = Tables::shared()
            .distribution(side)
            .unwrap()
            .expected_rolls();
        let found = expected * EFFECTIVE_PIPS_A_ROLL;
        let wanted = if rolls == 1 {
            49.0 / 6.0
        } else {
            f32::from(7 * rolls + 1)
        };
        assert!((found - wanted).abs() < 0.03, "{rolls}: {found} {wanted}");
    }
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
