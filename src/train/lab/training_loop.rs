//! Training in steps, each from the one before, which survives a kill.

use crate::training::RunError;
use gammond_arena::duel::{DuelError, DuelPlan, play_duel};
use gammond_arena::player::classic::{
    ClassicFault, ClassicFile, ClassicNet, ClassicPlayer, ShapeError, Sides,
};
use gammond_arena::player::{Linear, Player, PlayerError};
use gammond_base::journal::{Journal, JournalError, check_writable, write_whole};
use gammond_base::stats::wilson;
use gammond_base::stop::Stop;
use gammond_engine::engine::EngineError;
use gammond_job::{BadPart, Control, Difference, Header, JobError, Progress, ProgressEvent};
use std::path::{Path, PathBuf};

/// Training in steps. The result of a step depends only on the header, the number of the step and the state before
/// it.
pub trait TrainingLoop {
    /// The net in training and its measurements so far.
    type State;

    /// Returns everything that decides the steps. The number of wanted steps is not in it, so a course can be made
    /// longer.
    ///
    /// # Errors
    /// When the files of a player that takes part cannot be read.
    fn header(&self) -> Result<Header, LabError>;

    /// Returns the number of steps requested.
    fn steps(&self) -> u64;

    /// Returns the state before the first step.
    fn start(&self) -> Self::State;

    /// Computes a step and returns the record from which [`TrainingLoop::restore`] makes the state after it; `None`
    /// when it was stopped, and then the state is undefined.
    ///
    /// # Errors
    /// When a player that takes part fails.
    fn step(
        &self,
        state: &Self::State,
        number: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, LabError>;

    /// Brings the state to where it is after the step that gave this record.
    ///
    /// # Errors
    /// When the record does not belong to this course.
    fn restore(&self, state: &mut Self::State, number: u64, record: &[u8]) -> Result<(), BadPart>;

    /// Returns the progress after this many steps.
    fn progress(&self, state: &Self::State, steps: u64) -> Progress;
}

/// An error that ends a course early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A line of a text database.
    #[error("{}: line {line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line number, from 1.
        line: usize,
        /// Description of the fault.
        reason: String,
    },
    /// A text database without positions.
    #[error("{}: contains no position with chances", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The net file is there, and another work's.
    #[error("{}: a file of this name exists already and is {found}; left unchanged", path.display())]
    Target {
        /// The file.
        path: PathBuf,
        /// Description of the existing file.
        found: String,
    },
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The journal belongs to a course with other settings.
    #[error("{}: {difference}", path.display())]
    Changed {
        /// The journal.
        path: PathBuf,
        /// Difference between the settings.
        difference: Box<Difference>,
    },
    /// A record of the journal does not belong to this course.
    #[error("{}: step {number} is not one of this work's", path.display())]
    Step {
        /// The journal.
        path: PathBuf,
        /// The step.
        number: u64,
    },
    /// A player that takes part.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Our own nets.
    #[error(transparent)]
    Engine(EngineError),
    /// A net that cannot be.
    #[error(transparent)]
    Shape(ShapeError),
    /// An experiment needs gnubg's weights, and no option names their file.
    #[error("this experiment needs gnubg's weights: --gnubg FILE")]
    NoWeights,
    /// The seeds of an experiment.
    #[error(transparent)]
    Seeds(Box<JobError<LabError>>),
    /// Training of our own nets.
    #[error(transparent)]
    Training(#[from] RunError),
    /// Games that test the net.
    #[error(transparent)]
    Games(#[from] DuelError),
}

impl LabError {
    /// Returns true if an experiment needs gnubg's weights and has none.
    #[must_use]
    pub fn is_no_weights(&self) -> bool {
        match self {
            LabError::NoWeights => true,
            LabError::Seeds(error) => matches!(&**error, JobError::Work(LabError::NoWeights)),
            _ => false,
        }
    }

    pub(super) fn in_file(path: &Path) -> impl Fn(std::io::Error) -> LabError {
        move |source| LabError::File {
            path: path.to_owned(),
            source,
        }
    }
}

/// Result of a course.
#[derive(Clone, Debug)]
pub struct TrainingEnd<S> {
    /// The state after the last step.
    pub state: S,
    /// Steps done.
    pub steps: u64,
    /// True if all steps are done; false if it was stopped.
    pub complete: bool,
}

/// Runs or resumes a course, from the end of its journal.
///
/// # Errors
/// [`LabError`]. The work so far is in the journal.
pub fn run_training<C: TrainingLoop>(
    course: &C,
    journal: Option<&Path>,
    control: &mut Control<'_>,
) -> Result<TrainingEnd<C::State>, LabError> {
    let header = course.header()?;
    let mut state = course.start();
    let mut done = 0;
    let mut kept = match journal {
        None => None,
        Some(path) => {
            let opened = Journal::open(path, &header.text());
            let (journal, records) = opened.map_err(|error| changed(error, &header))?;
            for record in records {
                let wrong = |_| LabError::Step {
                    path: path.to_owned(),
                    number: record.number,
                };
                if record.number != done {
                    return Err(wrong(BadPart));
                }
                if done == course.steps() {
                    // A shorter course than before: the rest is not needed now.
                    break;
                }
                (course.restore(&mut state, done, &record.bytes)).map_err(wrong)?;
                done += 1;
            }
            Some(journal)
        }
    };
    let resumed = course.progress(&state, done).done;
    let saved = kept.is_some();
    let tell = |control: &mut Control<'_>, state: &C::State, done: u64, last: bool| {
        let progress = course.progress(state, done);
        let event = ProgressEvent {
            task: control.task.clone(),
            resumed,
            saved: saved.then_some(progress.done),
            progress,
            last,
        };
        control.report(&event);
    };
    tell(control, &state, done, false);
    while done < course.steps() && !control.stop.is_triggered() {
        let Some(record) = course.step(&state, done, &control.stop)? else {
            break;
        };
        if let Some(journal) = &mut kept {
            journal.append(done, &record)?;
        }
        // A later run reads exactly the state from which this one continues.
        if course.restore(&mut state, done, &record).is_err() {
            return Err(LabError::Step {
                path: journal.unwrap_or(Path::new("")).to_owned(),
                number: done,
            });
        }
        done += 1;
        tell(control, &state, done, false);
    }
    if let Some(journal) = &kept {
        journal.sync()?;
    }
    tell(control, &state, done, true);
    Ok(TrainingEnd {
        complete: done == course.steps(),
        state,
        steps: done,
    })
}

/// Returns an error that names the setting in which the header differs.
fn changed(error: JournalError, header: &Header) -> LabError {
    let JournalError::Other { path, found, .. } = &error else {
        return error.into();
    };
    match Header::parse(found).and_then(|found| header.difference(&found)) {
        Some(difference) => LabError::Changed {
            path: path.clone(),
            difference: Box::new(difference),
        },
        None => error.into(),
    }
}

/// The setting of a net file for the number of steps done.
const DONE: &str = "done";

/// Checks before the work that the net may be written there: no file exists, or a net of the same work, perhaps a
/// shorter one.
///
/// # Errors
/// [`LabError::Target`], [`LabError::File`].
pub fn check_target(path: &Path, header: &Header) -> Result<(), LabError> {
    let other = |found: &str| LabError::Target {
        path: path.to_owned(),
        found: found.to_owned(),
    };
    if path.symlink_metadata().is_ok() {
        let made = match ClassicFile::load(path) {
            Ok(file) => file.made,
            Err(ClassicFault::File(source)) => return Err(LabError::in_file(path)(source)),
            Err(_) => match Linear::open(Some(path)) {
                Ok(player) => player.made().map(str::to_owned),
                Err(_) => return Err(other("no whole classic net")),
            },
        };
        let found = made.as_deref().and_then(Header::parse);
        let Some(found) = found else {
            return Err(other("a net without the settings that made it"));
        };
        let done = found.get(DONE).unwrap_or_default().to_owned();
        if let Some(difference) = header.clone().field(DONE, done).difference(&found) {
            let Difference { field, .. } = difference;
            return Err(other(&format!("a net made with another {field}")));
        }
    }
    check_writable(path).map_err(LabError::in_file(path))
}

/// Writes a net, with how it was made.
///
/// # Errors
/// When it cannot be written, or [`check_target`] refuses.
pub fn write_net(
    path: &Path,
    net: &ClassicNet,
    header: &Header,
    done: u64,
) -> Result<(), LabError> {
    check_target(path, header)?;
    let file = ClassicFile {
        net: net.clone(),
        made: Some(header.clone().field(DONE, done).text()),
    };
    write_whole(path, file.text().as_bytes()).map_err(LabError::in_file(path))
}

/// Writes a linear player, with how it was made.
///
/// # Errors
/// When it cannot be written, or [`check_target`] refuses.
pub fn write_linear(
    path: &Path,
    player: &Linear,
    header: &Header,
    done: u64,
) -> Result<(), LabError> {
    check_target(path, header)?;
    let text = player.text(&header.clone().field(DONE, done).text());
    write_whole(path, text.as_bytes()).map_err(LabError::in_file(path))
}

/// Games that test a net while it is trained.
#[derive(Clone, Copy)]
pub struct Tests<'a> {
    /// Opponent of the test games.
    pub opponent: &'a dyn Player,
    /// Number of games, in pairs with the same dice.
    pub games: u64,
    /// Seed of the test games.
    pub seed: u64,
}

impl std::fmt::Debug for Tests<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} games against {}", self.games, self.opponent.name())
    }
}

/// Results of a player's games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TestScore {
    /// Games played.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Points per game, and the standard error.
    pub points: [f64; 2],
}

impl TestScore {
    /// Returns the share of games won.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.wins as f64 / self.games.max(1) as f64
    }

    /// Returns half of Wilson's 95 % interval of the share, which is never 0.
    #[must_use]
    pub fn reach(&self) -> f64 {
        wilson(self.share(), self.games.max(1) as f64, 1.96).1
    }

    pub(super) fn numbers(&self) -> [f64; 4] {
        let [points, error] = self.points;
        [self.games as f64, self.wins as f64, points, error]
    }

    pub(super) fn from_numbers([games, wins, points, error]: [f64; 4]) -> TestScore {
        TestScore {
            games: games as u64,
            wins: wins as u64,
            points: [points, error],
        }
    }
}

impl std::fmt::Display for TestScore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [points, error] = self.points;
        write!(
            f,
            "{:.1} % +- {:.1} % won, {points:+.3} +- {error:.3} points per game",
            100.0 * self.share(),
            100.0 * self.reach()
        )
    }
}

impl Tests<'_> {
    /// Measures a player; `None` if it was stopped.
    ///
    /// # Errors
    /// When a player fails.
    pub fn of(&self, player: &dyn Player, stop: &Stop) -> Result<Option<TestScore>, LabError> {
        let plan = DuelPlan {
            seed: self.seed,
            pairs: self.games.div_ceil(2),
            ..DuelPlan::default()
        };
        let mut control = Control::new(stop.clone(), |_| {});
        let end = play_duel(&plan, [player, self.opponent], None, &mut control)?;
        let tally = end.sum;
        Ok(end.complete.then(|| TestScore {
            games: tally.games(),
            wins: tally.wins[0][0],
            points: [tally.points.mean(), tally.points.standard_error()],
        }))
    }

    /// Tests a net that plays by this rule.
    pub(super) fn of_net(
        &self,
        net: &ClassicNet,
        sides: Sides,
        stop: &Stop,
    ) -> Result<Option<TestScore>, LabError> {
        self.of(&ClassicPlayer::new("net", net.clone(), sides), stop)
    }

    /// Adds the tests to a header. Tests of other nets than those that turn the board round were once played by the
    /// wrong rule: their journals are not continued.
    pub(super) fn described(&self, header: Header, sides: Sides) -> Result<Header, LabError> {
        let header = match sides {
            Sides::Swap => header,
            Sides::Invert => header.field("tests.sides", sides.name()),
        };
        Ok(header
            .field("tests.opponent", self.opponent.identity()?)
            .field("tests.games", self.games)
            .field("tests.seed", self.seed))
    }
}

/// Packs a record: so many figures, then the parameters of a net.
pub(super) fn pack(figures: &[f64], net: &ClassicNet) -> Vec<u8> {
    let figures = figures.iter().flat_map(|figure| figure.to_le_bytes());
    let parameters = net.parameters().iter().flat_map(|one| one.to_le_bytes());
    figures.chain(parameters).collect()
}

/// Reads what [`pack`] made: the parameters go into `net`.
pub(super) fn unpack<const FIGURES: usize>(
    record: &[u8],
    net: &mut ClassicNet,
) -> Result<[f64; FIGURES], BadPart> {
    let (head, rest) = record.split_at_checked(8 * FIGURES).ok_or(BadPart)?;
    let mut figures = [0.0; FIGURES];
    for (figure, bytes) in figures.iter_mut().zip(head.chunks_exact(8)) {
        *figure = f64::from_le_bytes(bytes.try_into().map_err(|_| BadPart)?);
    }
    let mut parameters = Vec::with_capacity(rest.len() / 4);
    for bytes in rest.chunks(4) {
        parameters.push(f32::from_le_bytes(bytes.try_into().map_err(|_| BadPart)?));
    }
    *net = ClassicNet::new(net.shape().clone(), parameters).ok_or(BadPart)?;
    Ok(figures)
}
