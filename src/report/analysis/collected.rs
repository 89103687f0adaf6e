//! Finished analyses for those who need more than the report, such as an archive.

use super::analyse::Analysis;
use gammond_engine::engine::Engine;
use gammond_engine::query::Settings;
use gammond_game::notation::MatchReading;
use std::sync::{Mutex, PoisonError};

/// A match with its analysis, and the engine's settings.
#[derive(Clone, Debug)]
pub struct JudgedMatch {
    /// The engine.
    pub engine: Engine,
    /// The settings as they were requested.
    pub settings: Settings,
    /// The match.
    pub reading: MatchReading,
    /// Its analysis.
    pub analysis: Analysis,
}

/// The analyses of one inquiry, in the order of the matches in its file.
#[derive(Debug, Default)]
pub struct Collected(Mutex<Vec<JudgedMatch>>);

impl Collected {
    /// Adds the analysis of the next match.
    pub fn push(&self, judged: JudgedMatch) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(judged);
    }

    /// Takes the analyses out.
    #[must_use]
    pub fn take(&self) -> Vec<JudgedMatch> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
