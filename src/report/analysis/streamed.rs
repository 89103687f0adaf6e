//! The JSON of a match, written during its analysis.

use super::MatchPart;
use super::analyse::{Analysis, GameAnalysis, JudgedDecision, Note, Sink, judge_games};
use super::json::Streamed;
use super::judge::MARKS;
use super::totals::Totals;
use gammond_base::packed::PackedText;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{Settings, Stop};
use gammond_game::Rules;
use gammond_game::notation::MatchReading;

impl Sink for Streamed {
    fn decisions(&mut self, number: usize, judged: Vec<JudgedDecision>) {
        Streamed::decisions(self, number, &judged, MARKS);
    }

    fn game(&mut self, head: &Analysis, number: usize, game: GameAnalysis, totals: &[Totals; 2]) {
        Streamed::game(self, head, number, (&game, totals));
    }
}

/// Analyses like [`analyse`](super::analyse()), writes each decision at once and calls `note` for each step. Returns the
/// JSON members of [`Analysis::write_json`] and the line of [`Analysis::one_line`]. Memory grows by the compressed size
/// of the text.
///
/// # Errors
/// [`EngineError`].
pub fn analyse_json(
    engine: (&Engine, &Settings),
    judged: (&MatchReading, Rules, MatchPart),
    file: &str,
    stop: &Stop,
    note: &Note<'_>,
) -> Result<(PackedText, String), EngineError> {
    let mut streamed = Streamed::default();
    let head = judge_games(engine, judged, stop, note, &mut streamed)?;
    Ok((streamed.finish(&head, file), head.one_line()))
}
