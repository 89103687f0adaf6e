//! Handling of finished matches: analysis, match file, filing, and the report to the opponent (FIBS-28, FIBS-37).

use super::config::FibsConfig;
use super::state::match_text;
use crate::fibs::MatchRecord;
use crate::shared::write_match;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::Stop;
use gammond_game::Rules;
use gammond_game::notation::{MatPlayer, MatchReading};
use gammond_report::analysis::{self, Analysis, analyse};

/// FIBS plays unlimited matches without Jacoby and, with the bot's settings, without beavers.
const FIBS_RULES: Rules = Rules {
    jacoby: false,
    beavers: false,
};

/// Analyses, writes and files a match. Returns the report for the opponent. Blocks.
pub(super) fn keep(
    config: &FibsConfig,
    engine: &Engine,
    record: &MatchRecord,
    hurry: &Stop,
) -> Vec<String> {
    let judged = match config
        .analyse
        .then(|| judged(config, engine, record, hurry))
    {
        None => None,
        Some(Ok(analysis)) => Some(analysis),
        Some(Err(error)) => {
            tracing::error!(%error, "analysis");
            None
        }
    };
    let file = record.file(&config.user, Vec::new());
    let comments = judged
        .as_ref()
        .map(|analysis| analysis::comments(analysis, &file));
    let text = match_text(&config.user, record, comments.unwrap_or_default());
    let mut name = format!("{} and {}", config.user, record.opponent);
    if let Some(folder) = &config.matches {
        match write_match(folder, &record.opponent, &text) {
            Ok(path) => name = path.display().to_string(),
            Err(error) => tracing::error!(%error, "match file"),
        }
    }
    let Some(analysis) = judged else {
        return Vec::new();
    };
    if let Some(archiver) = &config.archiver {
        (archiver.0)(&name, &text, &analysis);
    }
    analysis.lines_for_opponent(MatPlayer::First)
}

fn judged(
    config: &FibsConfig,
    engine: &Engine,
    record: &MatchRecord,
    hurry: &Stop,
) -> Result<Analysis, EngineError> {
    let reading = MatchReading {
        file: record.file(&config.user, Vec::new()),
        ..MatchReading::default()
    };
    analyse(engine, &config.analysis, &reading, FIBS_RULES, hurry)
}
