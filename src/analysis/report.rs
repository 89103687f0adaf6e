//! The books in a few words, for the comments of a match file.

use super::analyse::analyse;
use super::totals::Totals;
use crate::engine::{Engine, EngineError};
use crate::game::Rules;
use crate::notation::{MatchFile, MatchReading};
use crate::query::{Settings, Stop};

fn text(totals: &Totals) -> String {
    let each = totals.rate().unwrap_or(0.0);
    format!(
        "{} decisions, {each:.4} lost by each, luck {:+.3}",
        totals.decisions(),
        totals.luck.emg
    )
}

/// One line for each game with all its plays, and one for the whole match.
///
/// # Errors
/// [`EngineError`].
pub fn comments(
    engine: &Engine,
    settings: &Settings,
    file: &MatchFile,
    rules: Rules,
    stop: &Stop,
) -> Result<Vec<String>, EngineError> {
    let reading = MatchReading {
        file: file.clone(),
        ..MatchReading::default()
    };
    let analysis = analyse(engine, settings, &reading, rules, stop)?;
    let mut lines = Vec::new();
    for (number, (game, told)) in (1..).zip(analysis.games.iter().zip(&file.games)) {
        if !told.actions.is_empty() {
            lines.push(line(&format!("game {number}"), file, &game.totals));
        }
    }
    lines.push(line("match", file, &analysis.totals));
    Ok(lines)
}

fn line(what: &str, file: &MatchFile, [one, other]: &[Totals; 2]) -> String {
    let [first, second] = &file.names;
    format!(" {what}, {first}: {}; {second}: {}", text(one), text(other))
}
