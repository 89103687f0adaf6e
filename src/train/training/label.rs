//! Labels for given positions, as a job: a part is a few positions, its bytes are their lines.

use super::game_settings::GameSettings;
use super::games::by_games;
use super::one_ply::OnePlyEvaluator;
use super::positions;
use gammond_arena::search_fields;
use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{EvalQuery, Settings};
use gammond_engine::search::Scratch;
use gammond_game::notation::PositionChances;
use gammond_game::{MatchState, Position, Rules};
use gammond_job::{BadPart, Header, Job, Progress, Stamp};

/// Positions in one part: few, so that a kill costs little where one takes a second.
const POSITIONS_PER_PART: usize = 4;

/// Method of labelling positions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Method {
    /// Labels by a search.
    Search(Box<Settings>),
    /// Labels by the mean luck-adjusted return of so many games of static play, with this seed.
    Games(u32, u64),
}

/// Positions to label.
#[derive(Debug)]
pub struct Labelling<'a> {
    engine: &'a Engine,
    method: Method,
    positions: &'a [Position],
    header: Header,
}

impl<'a> Labelling<'a> {
    /// Returns the labels that `engine` gives `positions` by `method`.
    ///
    /// # Errors
    /// When the engine's files can no longer be read.
    pub fn new(
        engine: &'a Engine,
        method: Method,
        positions: &'a [Position],
    ) -> Result<Labelling<'a>, EngineError> {
        let header = Header::new("training lines", 3)
            .field("nets", engine.identity()?)
            .field("positions", positions::checksum(positions));
        let header = match &method {
            Method::Search(settings) => {
                search_fields(header, settings).field("search.cubeful", u8::from(settings.cubeful))
            }
            Method::Games(games, seed) => header.field("games", games).field("seed", seed),
        };
        Ok(Labelling {
            engine,
            method,
            positions,
            header,
        })
    }

    fn of_part(&self, number: u64) -> &'a [Position] {
        let from = usize::try_from(number).unwrap_or(usize::MAX);
        let from = from
            .saturating_mul(POSITIONS_PER_PART)
            .min(self.positions.len());
        let to = from
            .saturating_add(POSITIONS_PER_PART)
            .min(self.positions.len());
        self.positions.get(from..to).unwrap_or_default()
    }

    /// The stamp of its files.
    pub const STAMP: Stamp = Stamp("gammond label");
}

impl Job for Labelling<'_> {
    /// Positions labelled.
    type Sum = usize;
    type Error = EngineError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> usize {
        0
    }

    fn parts(&self) -> Option<u64> {
        Some(self.positions.len().div_ceil(POSITIONS_PER_PART) as u64)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let mut lines = String::new();
        let mut scratch = Scratch::default();
        for &position in self.of_part(number) {
            if stop.is_triggered() {
                return Ok(None);
            }
            let chances = match &self.method {
                Method::Search(settings) => {
                    let state = MatchState::money(Rules::default());
                    let query = EvalQuery { position, state };
                    match self.engine.evaluate(&query, settings, stop) {
                        Ok(answer) => answer.chances,
                        Err(_) if stop.is_triggered() => return Ok(None),
                        Err(error) => return Err(error),
                    }
                }
                Method::Games(games, seed) => {
                    let judges = OnePlyEvaluator::new(self.engine.evaluator().as_ref());
                    let settings = GameSettings {
                        lambda: 1.0,
                        ..GameSettings::default()
                    };
                    let how = (*games, *seed);
                    match by_games(judges, &position, &settings, how, &mut scratch, stop) {
                        Some(chances) => chances,
                        None => return Ok(None),
                    }
                }
            };
            let record = PositionChances { position, chances };
            lines.push_str(&record.training_line());
            lines.push('\n');
        }
        // A search that was stopped may answer with less than requested.
        Ok((!stop.is_triggered()).then(|| lines.into_bytes()))
    }

    fn merge(&self, done: &mut usize, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let lines = bytes.iter().filter(|&&byte| byte == b'\n').count();
        if lines != self.of_part(number).len() || std::str::from_utf8(bytes).is_err() {
            return Err(BadPart);
        }
        *done += lines;
        Ok(())
    }

    fn progress(&self, done: &usize, _: u64) -> Progress {
        Progress::new("positions", *done as u64, Some(self.positions.len() as u64))
    }
}
