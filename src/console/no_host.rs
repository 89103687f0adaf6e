//! A home without anything, for tests and fuzzing.

use super::host::{AnalysedMatch, AnalysisRequest, ConsoleHost, ScoreValues};
use gammond_engine::query::{EngineAnswer, EvalQuery, Question, Settings};
use gammond_game::notation::MatchFile;
use gammond_game::{MatchState, Score};

/// A home without engine and files, whose dice always show one and two in turn.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

const NOTHING: &str = "there is nothing here";

impl ConsoleHost for NoHost {
    fn answer(&mut self, _: Question, _: &Settings) -> Result<EngineAnswer, String> {
        Err(NOTHING.to_owned())
    }

    fn resigns(&mut self, _: &EvalQuery, _: &Settings) -> u8 {
        0
    }

    fn die(&mut self) -> u8 {
        1
    }

    fn seed(&mut self, _: &[u32]) {}

    fn read(&mut self, _: &str) -> Result<Vec<u8>, String> {
        Err("No such file or directory".to_owned())
    }

    fn write(&mut self, _: &str, _: &[u8]) -> Result<(), String> {
        Err(NOTHING.to_owned())
    }

    fn connect(&mut self, _: u8, _: &str) -> Result<(), String> {
        Err(NOTHING.to_owned())
    }

    fn disconnect(&mut self, _: u8) {}

    fn ask_external(&mut self, _: u8, _: &str) -> Result<String, String> {
        Err(NOTHING.to_owned())
    }

    fn judge(&mut self, _: &MatchFile, _: &AnalysisRequest) -> Result<AnalysedMatch, String> {
        Err(NOTHING.to_owned())
    }

    fn stakes(&mut self, _: &MatchState) -> ScoreValues {
        ScoreValues::default()
    }

    fn gain(&mut self, _: Score, _: bool, _: u32) -> f64 {
        0.0
    }

    fn match_equity_table(&self) -> String {
        String::new()
    }

    fn today(&self) -> [u32; 3] {
        [1, 1, 2000]
    }

    fn now(&self) -> String {
        "Sat Jan  1 00:00:00 2000".to_owned()
    }
}
