//! Bearoff databases against GNU Backgammon's.

use crate::support;
use gammond::bearoff::{OneSided, SavingGammon, Tables, TwoSided};
use gammond::game::{Position, Side};
use sha2::{Digest, Sha256};

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn default_tables_have_the_published_checksums() {
    let tables = Tables::shared();
    assert_eq!(
        sha256(tables.one_sided.as_bytes()),
        "38089567e87a681682bb4ff53f30d781af215fc04debbdff3f61b6db68547a49"
    );
    assert_eq!(
        sha256(tables.two_sided.as_bytes()),
        "9eac8a2c697dae8a09f2e5653022084b9e725df6c32950cb5299b273fc64500f"
    );
}

#[test]
fn default_tables_equal_gnubgs_files() {
    let test = "bearoff::default_tables_equal_gnubgs_files";
    if let Some(path) = support::gnubg_bearoff(test, "gnubg_os0.bd") {
        let theirs = OneSided::open(&path).unwrap();
        assert!(theirs.as_bytes() == Tables::shared().one_sided.as_bytes());
    }
    if let Some(path) = support::gnubg_bearoff(test, "gnubg_ts0.bd") {
        let theirs = TwoSided::open(&path).unwrap();
        assert!(theirs.as_bytes() == Tables::shared().two_sided.as_bytes());
    }
}

fn side(row: &serde_json::Value, field: &str) -> [u8; 25] {
    let counts: Vec<u8> = serde_json::from_value(row[field].clone()).unwrap();
    counts.try_into().unwrap()
}

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
    assert_eq!(seen, [102, 330]);
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
