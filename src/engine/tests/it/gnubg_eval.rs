//! Static evaluation with GNU Backgammon's weights against GNU Backgammon's own numbers.

use crate::support::{gnubg_text_101, gnubg_wd, gnubg_wd_101, rows, rows_are, shared};
use gammond_engine::bearoff::Tables;
use gammond_engine::eval::Evaluator;
use gammond_engine::eval::gnubg::GnubgEvaluator;
use gammond_engine::eval::gnubg::WeightsFile;
use gammond_engine::nn::CpuLevel;
use gammond_game::{Chances, Position};
use serde_json::Value;
use std::path::Path;

const ROWS: &str = "oracle/eval-0ply.jsonl.gz";

fn load(path: &Path) -> GnubgEvaluator {
    GnubgEvaluator::load(path).unwrap()
}

fn counts(row: &Value, side: &str) -> [u8; 25] {
    let list: Vec<u8> = serde_json::from_value(row[side].clone()).unwrap();
    list.try_into().unwrap()
}

fn position(row: &Value) -> Position {
    Position::new(&counts(row, "me"), &counts(row, "opp")).unwrap()
}

fn evaluate(evaluator: &GnubgEvaluator, positions: &[Position]) -> Vec<Chances> {
    let mut out = vec![Chances::default(); positions.len()];
    evaluator.evaluate(None, positions, &mut out);
    out
}

fn bits(chances: &[Chances]) -> Vec<[u32; 5]> {
    let bits = |chances: &Chances| chances.to_array().map(f32::to_bits);
    chances.iter().map(bits).collect()
}

/// Largest and mean difference in any output to a field of the rows, and the row of the largest.
fn compare(rows: &[Value], found: &[Chances], field: &str) -> (f64, f64, String) {
    let (mut largest, mut sum, mut at) = (0.0, 0.0, String::new());
    for (row, found) in rows.iter().zip(found) {
        let want: [f64; 5] = serde_json::from_value(row[field].clone()).unwrap();
        for (want, found) in want.into_iter().zip(found.to_array()) {
            let difference = (want - f64::from(found)).abs();
            sum += difference;
            if difference > largest {
                largest = difference;
                at = format!("{} {}: {field} {}", row["class"], row["id"], row[field]);
            }
        }
    }
    (largest, sum / (5 * rows.len()) as f64, at)
}

/// GE-01, GE-02, GE-03, GE-10, GE-11, GE-20, GE-21, GE-22, GE-23, GE-24, GE-25, GE-26, GE-27,
/// GE-28, GE-29, GE-30, GE-31, GE-32, GE-33, GE-35, GE-40, GE-50, GW-01, GW-03, GW-10.
#[test]
fn agrees_with_gnubg_on_4000_positions() {
    let test = "gnubg_eval::agrees_with_gnubg_on_4000_positions";
    let (Some(file), Some(wd)) = (shared(test, ROWS), gnubg_wd(test)) else {
        return;
    };
    let rows = rows(&file);
    rows_are(&file, rows.len(), 4000, 200);
    let evaluator = load(&wd);
    assert_eq!(evaluator.name(), "gnubg 1.00");
    let positions: Vec<_> = rows.iter().map(position).collect();
    for (row, position) in rows.iter().zip(&positions) {
        assert_eq!(
            evaluator.class(position).to_string(),
            row["class"],
            "{}",
            row["id"]
        );
    }
    let found = evaluate(&evaluator, &positions);
    let (largest, mean, at) = compare(&rows, &found, "ref");
    println!("portable reference: largest {largest:.2e}, mean {mean:.2e}; {at}");
    assert!(largest <= 2e-5, "{at}");
    let (largest, mean, at) = compare(&rows, &found, "out");
    println!("Debian's gnubg: largest {largest:.2e}, mean {mean:.2e}; {at}");
    assert!(largest <= 2e-3 && mean <= 5e-5, "{largest} {mean} {at}");
}

#[test]
fn agrees_with_version_1_01() {
    let test = "gnubg_eval::agrees_with_version_1_01";
    let (Some(file), Some(wd)) = (shared(test, ROWS), gnubg_wd_101(test)) else {
        return;
    };
    let rows = rows(&file);
    let evaluator = load(&wd);
    assert_eq!(evaluator.name(), "gnubg 1.01");
    let positions: Vec<_> = rows.iter().map(position).collect();
    let found = evaluate(&evaluator, &positions);
    let (largest, mean, at) = compare(&rows, &found, "out_v101");
    println!("version 1.01: largest {largest:.2e}, mean {mean:.2e}; {at}");
    assert!(largest <= 2e-5 && mean <= 1e-7, "{largest} {mean} {at}");
}

#[test]
fn text_and_binary_weights_evaluate_alike() {
    let test = "gnubg_eval::text_and_binary_weights_evaluate_alike";
    let (Some(file), Some(wd)) = (shared(test, ROWS), gnubg_wd_101(test)) else {
        return;
    };
    let Some(text) = gnubg_text_101(test) else {
        return;
    };
    let positions: Vec<_> = rows(&file).iter().map(position).collect();
    let binary = bits(&evaluate(&load(&wd), &positions));
    assert_eq!(binary, bits(&evaluate(&load(&text), &positions)));
}

#[test]
fn levels_and_groupings_give_the_same_bits() {
    let test = "gnubg_eval::levels_and_groupings_give_the_same_bits";
    let (Some(file), Some(wd)) = (shared(test, ROWS), gnubg_wd(test)) else {
        return;
    };
    let positions: Vec<_> = rows(&file).iter().map(position).collect();
    let weights = WeightsFile::load(&wd).unwrap();
    let tables = Tables::shared();
    let with = |level| GnubgEvaluator::new(&weights, tables.clone(), level).unwrap();
    let want = bits(&evaluate(&with(CpuLevel::SCALAR), &positions));
    let mut sorted = positions.clone();
    let key = |position: &Position| want[positions.iter().position(|p| p == position).unwrap()];
    for level in CpuLevel::available() {
        println!("level {}", level.name());
        let evaluator = with(level);
        for size in [1, 2, 3, 7, 16, 17, 100, 4000] {
            let groups = positions
                .chunks(size)
                .map(|group| evaluate(&evaluator, group));
            let found: Vec<_> = groups.flat_map(|group| bits(&group)).collect();
            assert!(found == want, "groups of {size} at level {}", level.name());
        }
        // Neighbours of one class fill whole batches.
        sorted.sort_by_key(|position| evaluator.class(position));
        let found = bits(&evaluate(&evaluator, &sorted));
        for (position, found) in sorted.iter().zip(found) {
            assert_eq!(found, key(position), "{position:?} among its class");
        }
    }
}

/// GE-34, GE-50.
#[test]
fn chances_are_ordered_and_finite() {
    let test = "gnubg_eval::chances_are_ordered_and_finite";
    let (Some(file), Some(wd)) = (shared(test, ROWS), gnubg_wd(test)) else {
        return;
    };
    let positions: Vec<_> = rows(&file).iter().map(position).collect();
    let evaluator = load(&wd);
    let mut all = evaluate(&evaluator, &positions);
    let quick = positions.iter().filter_map(|position| {
        let mut out = [Chances::default()];
        evaluator
            .shortcuts()
            .evaluate_quickly(None, &[*position], &mut out)
            .then_some(out[0])
    });
    all.extend(quick);
    rows_are(&file, positions.len(), 4000, 200);
    assert!(4 * all.len() > 7 * positions.len());
    for chances in all {
        let values = chances.to_array();
        assert!(
            values.iter().all(|p| (0.0..=1.0).contains(p)),
            "{chances:?}"
        );
        assert!(chances.win_gammon <= chances.win, "{chances:?}");
        assert!(chances.win_backgammon <= chances.win_gammon, "{chances:?}");
        assert!(chances.lose_gammon <= 1.0 - chances.win, "{chances:?}");
        assert!(
            chances.lose_backgammon <= chances.lose_gammon,
            "{chances:?}"
        );
    }
}
