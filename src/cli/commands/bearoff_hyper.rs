//! `gammond bearoff make --hyper`: the tables of hypergammon.

use crate::{Common, Failure};
use gammond_engine::bearoff::{Database, HyperStage, HyperTable, Tables, make_hyper};
use gammond_game::Position;
use gammond_game::notation::PositionId;
use gammond_job::{Control, Progress};
use gammond_protocol::answer::{chances_value, number_value};
use serde_json::{Value, json};
use std::path::Path;

/// Returns the name of the file where the program finds it, and GNU Backgammon in its folder.
pub(super) fn file_name(checkers: u8) -> String {
    format!("hyper{checkers}.bd")
}

/// Makes a table, or resumes one. Returns true when it is done.
pub(super) fn make(
    common: &Common,
    file: &Path,
    checkers: u8,
    control: &mut Control<'_>,
) -> Result<bool, Failure> {
    common.start_threads();
    let mut watch = |stage: HyperStage| {
        let percent = 100 * stage.done / stage.pairs;
        let mut figures = format!("{percent}% of the next");
        if stage.change.is_finite() {
            figures = format!("{figures}, equities changed by up to {:.1e}", stage.change);
        }
        let progress = Progress::new("sweeps", stage.sweeps.into(), None).figures(figures);
        control.report_progress(progress, stage.is_last());
        !control.stop.is_triggered()
    };
    Ok(make_hyper(file, checkers.into(), &mut watch)?)
}

/// Returns true for a table of hypergammon with so many checkers.
pub(super) fn is_like(database: &Database, checkers: u8) -> bool {
    matches!(database, Database::Hypergammon(table) if table.checkers() == usize::from(checkers))
}

/// Describes a table.
pub(super) fn info(table: &HyperTable) -> Value {
    json!({
        "kind": "hypergammon",
        "checkers": table.checkers(),
        "positions": table.positions(),
        "cubeful": true,
        "bytes": table.file_bytes(),
    })
}

/// Returns the value of a position, from the table among the databases.
pub(super) fn probe(tables: &Tables, position: &Position, checkers: u8) -> Result<Value, Failure> {
    let table = tables.hyper(checkers).ok_or_else(|| {
        Failure::work(format!(
            "no table of hypergammon with {checkers} checkers: gammond bearoff make --hyper {checkers}"
        ))
    })?;
    let on_board = position.me().on_board().max(position.opponent().on_board());
    if on_board > checkers {
        return Err(Failure::work(format!(
            "a side has {on_board} checkers, expected at most {checkers}"
        )));
    }
    let value = table
        .probe(position)
        .ok_or_else(|| Failure::work("the table cannot be read"))?;
    Ok(json!({
        "type": "bearoff",
        "position": PositionId::from(*position).to_string(),
        "class": "hypergammon",
        "probabilities": chances_value(&value.chances),
        "equity": {
            "cubeless": number_value(value.chances.equity()),
            "i_own": number_value(value.owned),
            "centred": number_value(value.centred),
            "centred_jacoby": number_value(value.jacoby),
            "opponent_owns": number_value(value.lent),
        },
    }))
}
