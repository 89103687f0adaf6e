//! Containment: one or two checkers of a side behind a prime of the other, its rest home or off. Looking
//! ahead moves the values away from rollouts (protocol-specs/measured/2026-11-25.md), less since nets/history/contact-8.md to contact-10.md; these tests hold the figures of today.

use gammond_engine::engine::Engine;
use gammond_engine::query::{EvalQuery, Settings, Stop};
use gammond_game::notation::parse_position;
use gammond_game::{MatchState, Position, Rules};

/// A position of `tests/data/containment.tsv`.
struct Row {
    position: Position,
    /// The side with the prime is on roll.
    container_on_roll: bool,
    /// Cubeless equity of the side on roll, rolled out.
    equity: f64,
}

fn rows() -> Vec<Row> {
    let text = include_str!("../../../../tests/data/containment.tsv");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let fields: Vec<&str> = line.split('\t').collect();
    let [id, side, equity, _error] = fields.as_slice() else {
        panic!("{line}")
    };
    Row {
        position: parse_position(id.as_bytes()).unwrap().position,
        container_on_roll: *side == "container",
        equity: equity.parse().unwrap(),
    }
}

/// Mean error and root mean square of the values at a depth, seen by the side with the prime.
fn figures(engine: &Engine, rows: &[&Row], plies: u8) -> [f64; 2] {
    let mut settings = Settings::plies(plies);
    settings.cubeful = false;
    let errors: Vec<f64> = rows
        .iter()
        .map(|row| {
            let query = EvalQuery {
                position: row.position,
                state: MatchState::money(Rules::default()),
            };
            let value = engine.evaluate(&query, &settings, &Stop::never()).unwrap();
            let error = value.cubeless.equity - row.equity;
            if row.container_on_roll { error } else { -error }
        })
        .collect();
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    let square = errors.iter().map(|error| error * error).sum::<f64>() / count;
    [mean, square.sqrt()]
}

/// The means and distances measured with contact-10 at 0 and 1 plies, and a little more. contact-7 had more than seven times
/// these means.
const LIMITS: [[f64; 2]; 2] = [[0.002, 0.022], [0.002, 0.017]];

/// PLY-14: the side with the prime is undervalued by no more than today, at 0 and 1 plies.
#[test]
fn containment_is_no_further_from_rollouts_than_measured() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let rows = rows();
    assert_eq!(rows.len(), 300);
    let all: Vec<&Row> = rows.iter().collect();
    for (plies, [mean_max, distance_max]) in (0..).zip(LIMITS) {
        let [mean, distance] = figures(&engine, &all, plies);
        eprintln!("{plies} plies: mean error {mean:+.4}, distance {distance:.4}");
        assert!(mean.abs() <= mean_max, "{plies} plies: {mean}");
        assert!(distance <= distance_max, "{plies} plies: {distance}");
    }
}
