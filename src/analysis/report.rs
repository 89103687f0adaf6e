//! The books in words.

use super::ledger::{Account, judge_game};
use super::replay::{crawford_games, replay};
use crate::engine::{Engine, EngineError};
use crate::game::Rules;
use crate::notation::MatchFile;
use crate::query::{Settings, Stop};

impl Account {
    fn text(&self) -> String {
        let each = self.loss / f64::from(self.decisions.max(1));
        format!(
            "{} decisions, {each:.4} lost by each, luck {:+.3}",
            self.decisions, self.luck
        )
    }
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
    let mut lines = Vec::new();
    let mut sums = [Account::default(); 2];
    let crawford = crawford_games(file);
    for ((number, game), crawford) in (1..).zip(&file.games).zip(crawford) {
        if game.actions.is_empty() {
            continue;
        }
        let replay = replay(game, file.length, crawford, rules);
        let accounts = judge_game(engine, settings, &replay, stop)?;
        for (sum, account) in sums.iter_mut().zip(&accounts) {
            sum.add(account);
        }
        lines.push(line(&format!("game {number}"), file, accounts));
    }
    lines.push(line("match", file, sums));
    Ok(lines)
}

fn line(what: &str, file: &MatchFile, [one, other]: [Account; 2]) -> String {
    let [first, second] = &file.names;
    format!(
        " {what}, {first}: {}; {second}: {}",
        one.text(),
        other.text()
    )
}
