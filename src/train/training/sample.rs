//! Labels by self-play, as a job: a part is some games, its bytes are their packed labels.

use super::disagree;
use super::game_settings::GameSettings;
use super::games::play;
use super::one_ply::OnePlyEvaluator;
use super::shard::{pack, unpack};
use super::starts::Starts;
use gammond_base::rng::stream;
use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::eval::Evaluator;
use gammond_engine::search::Scratch;
use gammond_job::{BadPart, Control, Header, Job, JobEnd, JobError, Progress, Runner};
use std::path::Path;

/// Games in one part: a second or two. Another number would make other labels of a recipe, as the
/// last part is used whole.
pub const GAMES_PER_PART: u64 = 32;

/// Labels to make.
#[derive(Clone, Debug)]
pub struct SampleJob {
    /// Identity of the nets that make the labels; the other settings are in the fields below.
    pub header: Header,
    /// Seed of the games.
    pub seed: u64,
    /// Number of labels requested; a few more may be made.
    pub labels: usize,
    /// Settings for playing and labelling the games.
    pub games: GameSettings,
    /// First positions of games; `games` decides on the others.
    pub starts: Starts,
}

/// Source of the labels.
enum Source<'a> {
    /// Luck-adjusted returns.
    Games(OnePlyEvaluator<'a>),
    /// Disagreements between static evaluation and so many plies.
    Disagreements(&'a Engine, u8),
}

struct Sampling<'a> {
    job: &'a SampleJob,
    source: Source<'a>,
}

impl Job for Sampling<'_> {
    /// Number of labels made.
    type Sum = usize;
    type Error = EngineError;

    fn header(&self) -> Header {
        let job = self.job;
        let header = (job.header.clone())
            .field("seed", job.seed)
            .settings("games", &job.games);
        let header = match self.source {
            Source::Games(_) => header,
            Source::Disagreements(_, plies) => header.field("disagreements", plies),
        };
        if job.starts.is_empty() {
            return header;
        }
        header.field("from", job.starts.checksum())
    }

    fn start(&self) -> usize {
        0
    }

    fn parts(&self) -> Option<u64> {
        None
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, EngineError> {
        let mut labels = Vec::new();
        match self.source {
            Source::Games(judges) => {
                let mut room = Scratch::default();
                for game in number * GAMES_PER_PART..(number + 1) * GAMES_PER_PART {
                    if stop.is_triggered() {
                        return Ok(None);
                    }
                    let mut rng = stream(self.job.seed, game);
                    let (settings, starts) = (&self.job.games, &self.job.starts);
                    play(judges, settings, starts, &mut rng, &mut room, &mut labels);
                }
            }
            Source::Disagreements(engine, plies) => {
                let mut rng = stream(self.job.seed, number);
                disagree::play(engine, &self.job.games, plies, &mut rng, &mut labels)?;
            }
        }
        Ok(Some(pack(&labels)))
    }

    fn merge(&self, made: &mut usize, _: u64, bytes: &[u8]) -> Result<(), BadPart> {
        *made += unpack(bytes).count();
        Ok(())
    }

    fn is_done(&self, made: &usize) -> bool {
        *made >= self.job.labels
    }

    fn progress(&self, made: &usize, _: u64) -> Progress {
        Progress::new("labels", *made as u64, Some(self.job.labels as u64))
    }
}

/// Plays games with `evaluator` until the journal at `path` holds the labels of `job`; what it
/// holds already is kept. The result depends on the job alone, not on threads or interruptions.
///
/// # Errors
/// When the journal cannot be used.
pub fn fill(
    path: &Path,
    job: &SampleJob,
    evaluator: &dyn Evaluator,
    control: &mut Control<'_>,
) -> Result<JobEnd<usize>, JobError<EngineError>> {
    let source = Source::Games(OnePlyEvaluator::new(evaluator));
    let sampling = Sampling { job, source };
    Runner::new().journal(Some(path)).run(&sampling, control)
}

/// Fills as [`fill`], with the labels of disagreements between static evaluation and `plies` plies.
///
/// # Errors
/// When the journal cannot be used or the engine refuses a position.
pub fn fill_disagreements(
    path: &Path,
    job: &SampleJob,
    engine: &Engine,
    plies: u8,
    control: &mut Control<'_>,
) -> Result<JobEnd<usize>, JobError<EngineError>> {
    let source = Source::Disagreements(engine, plies);
    let sampling = Sampling { job, source };
    Runner::new().journal(Some(path)).run(&sampling, control)
}
