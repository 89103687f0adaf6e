//! A training run: rounds of sampling and training that follow one TOML file.
//!
//! Everything the run makes lies in its folder: `round-N.labels` (a journal), `round-N-KIND.net`
//! (float nets after each round) and `log.jsonl`. A run that was killed goes on with the same
//! command: whole records of the labels are kept, the round that was being trained is trained
//! again from its start, and the results are the same as without the kill.

use super::alpha::{AlphaSchedule, AlphaSettings};
use super::disagree;
use super::games::{GameSettings, Judges, Room, play};
use super::net::Net;
use super::shard::{Label, pack, repeated, select, shuffle, unpack};
use super::step::{StepSettings, Trainer};
use crate::benchmark::Group;
use crate::engine::{Engine, EngineError};
use crate::eval::Evaluator;
use crate::eval::own::{InputSet, Lead, OwnEvaluator, OwnNetError};
use crate::game::Position;
use crate::journal::{Journal, JournalError};
use crate::nn::{Activation, IntegerNetError, WIDTH_MAX};
use crate::rng::{ChaCha8Rng, stream};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Games in one record of labels.
pub const GAMES_PER_RECORD: u64 = 32;
/// Kinds of nets: contact, race and crashed in the order of [`Label::kind`], then those that share
/// contact positions.
pub const KINDS: [&str; 5] = [
    "contact",
    "race",
    "crashed",
    "contact-ahead",
    "contact-behind",
];

/// Why a run stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A file of the run cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The labels cannot be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A net cannot be rounded to integers.
    #[error("net: {0}")]
    Quantise(#[from] IntegerNetError),
    /// A net made of it cannot be used.
    #[error(transparent)]
    Net(#[from] OwnNetError),
    /// The engine that looks deeper.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The TOML file.
    #[error("{path}: {reason}")]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong, on one line.
        reason: String,
    },
}

/// A net at the beginning of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Origin {
    /// A float net in safetensors form.
    File(PathBuf),
    /// A float net with more units or inputs.
    Changed {
        /// The net to begin with.
        from: PathBuf,
        /// Units of the first layer, a multiple of those of `from`: every unit is doubled (tripled, ...), what it
        /// passes on is shared out among its copies, and the copies are blurred a little.
        widen: Option<usize>,
        /// Add the sixteen inputs of checkers borne off, without weight at first.
        #[serde(default)]
        off: bool,
    },
    /// Random weights: widths of the two layers, and which inputs beside the base ones.
    Random {
        /// Units of the first layer, a multiple of 64.
        first: usize,
        /// Units of the second layer, 16, 32 or 64.
        second: usize,
        /// Whether the 40 hand-made inputs are used.
        #[serde(default)]
        hand: bool,
        /// Whether the sixteen inputs of checkers borne off are used; not with `hand`.
        #[serde(default)]
        off: bool,
        /// Whether the first layer passes on squares.
        #[serde(default)]
        squared: bool,
    },
}

impl Origin {
    /// Why a net cannot be made so, as far as the plan alone tells.
    fn fault(&self) -> Option<String> {
        Some(match *self {
            Origin::Random { first, .. }
                if first % 64 != 0 || !(1..=WIDTH_MAX).contains(&first) =>
            {
                format!("first: {first}, want a multiple of 64 up to {WIDTH_MAX}")
            }
            Origin::Random { second, .. } if ![16, 32, 64].contains(&second) => {
                format!("second: {second}, want 16, 32 or 64")
            }
            Origin::Random { hand, off, .. } if hand && off => "off: not together with hand".into(),
            _ => return None,
        })
    }
}

/// One round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Labels to make before training.
    pub labels: usize,
    /// How the games are played.
    #[serde(default)]
    pub games: GameSettings,
    /// How many of the last rounds' labels are trained on.
    pub pool: usize,
    /// Passes over them.
    #[serde(default = "one")]
    pub passes: f64,
    /// Learning rate at the start of the round (after the warm-up).
    pub rate: f32,
    /// ... and at its end, as a share of `rate`; cosine in between.
    #[serde(default = "one_f32")]
    pub rate_end: f32,
    /// Weight of the squared error of equity differences between siblings, beside the loss of
    /// each label. Plays are chosen by differences.
    #[serde(default)]
    pub pairs: f32,
    /// How often labels of a group (its name in `gammond bench`, such as `crashed: contain`) are among those
    /// trained on, once where nothing is said; 1.5 is once for all and twice for half of them. The largest
    /// number counts where groups overlap.
    #[serde(default)]
    pub weights: Weights,
    /// The classical schedule in the place of the cosine: `rate` belongs to `alpha.start` and follows alpha, from one
    /// pass to the next.
    pub alpha: Option<AlphaSettings>,
    /// How often this round is repeated.
    #[serde(default = "once")]
    pub times: usize,
    /// Factor on the learning rate from one repetition to the next.
    #[serde(default = "one_f32")]
    pub rate_factor: f32,
}

/// Weights of groups of positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, f32>", into = "BTreeMap<String, f32>")]
pub struct Weights(Vec<(Group, f32)>);

/// Weights that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("weights: {0:?}: want a group of positions and a weight from 0 to {WEIGHT_MAX}")]
pub struct BadWeight(String);

/// Most copies of a label.
const WEIGHT_MAX: f32 = 100.0;

impl TryFrom<BTreeMap<String, f32>> for Weights {
    type Error = BadWeight;

    fn try_from(all: BTreeMap<String, f32>) -> Result<Weights, BadWeight> {
        let one = |(name, weight): (String, f32)| {
            let group = Group::ALL.into_iter().find(|g| g.to_string() == name);
            match group {
                Some(group) if (0.0..=WEIGHT_MAX).contains(&weight) => Ok((group, weight)),
                _ => Err(BadWeight(name)),
            }
        };
        all.into_iter()
            .map(one)
            .collect::<Result<_, _>>()
            .map(Weights)
    }
}

impl From<Weights> for BTreeMap<String, f32> {
    fn from(weights: Weights) -> BTreeMap<String, f32> {
        let one = |(group, weight): (Group, f32)| (group.to_string(), weight);
        weights.0.into_iter().map(one).collect()
    }
}

impl Weights {
    fn of(&self, label: &Label) -> f32 {
        let own = self
            .0
            .iter()
            .filter(|(group, _)| group.holds(&label.position));
        own.map(|(_, weight)| *weight)
            .reduce(f32::max)
            .unwrap_or(1.0)
    }
}

const fn one() -> f64 {
    1.0
}
const fn one_f32() -> f32 {
    1.0
}
const fn once() -> usize {
    1
}
const fn batch() -> usize {
    1024
}
const fn keep() -> f32 {
    0.998
}

/// A run, as its TOML file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of everything.
    pub seed: u64,
    /// Net for contact positions.
    pub contact: Origin,
    /// Net for crashed positions; the contact net when left out.
    pub crashed: Option<Origin>,
    /// Net for contact positions in which the player on roll leads clearly; the contact net when
    /// left out.
    pub ahead: Option<Origin>,
    /// ... trails clearly.
    pub behind: Option<Origin>,
    /// Net for races.
    pub race: Origin,
    /// Net that filters plays (never trained in this run).
    pub quick: Option<Origin>,
    /// Labels a step.
    #[serde(default = "batch")]
    pub batch: usize,
    /// How much of the running mean of the weights a step keeps.
    #[serde(default = "keep")]
    pub keep: f32,
    /// How many of each net's newest labels are kept out of training, so that `fresh`, `fresh_pairs` and
    /// `pairs` in the log are measured on positions that the net has not learned from; 0 for none.
    #[serde(default)]
    pub held_out: usize,
    /// Folders of earlier runs whose labels join the pool.
    #[serde(default)]
    pub earlier: Vec<PathBuf>,
    /// Rounds in order.
    pub round: Vec<Round>,
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`RunError`]: the file, or what is wrong in it.
    pub fn load(path: &Path) -> Result<Plan, RunError> {
        let text = std::fs::read_to_string(path).map_err(|source| RunError::File {
            path: path.to_owned(),
            source,
        })?;
        let refuse = |reason: String| RunError::Plan {
            path: path.to_owned(),
            reason,
        };
        let plan: Plan =
            toml::from_str(&text).map_err(|error| refuse(error.to_string().replace('\n', " ")))?;
        let optional = [&plan.crashed, &plan.ahead, &plan.behind, &plan.quick];
        let nets = [&plan.contact, &plan.race].into_iter();
        let fault = nets
            .chain(optional.into_iter().flatten())
            .find_map(Origin::fault);
        fault.map_or(Ok(()), |fault| Err(refuse(fault)))?;
        Ok(plan)
    }

    /// The rounds, repetitions written out.
    fn rounds(&self) -> Vec<Round> {
        let mut all = Vec::new();
        for round in &self.round {
            for time in 0..round.times {
                let mut round = round.clone();
                round.rate *= round.rate_factor.powi(time as i32);
                all.push(round);
            }
        }
        all
    }
}

/// The nets of a run between two rounds.
#[derive(Clone, Debug)]
pub struct Nets {
    contact: Net,
    crashed: Option<Net>,
    ahead: Option<Net>,
    behind: Option<Net>,
    race: Net,
    quick: Option<Net>,
}

/// One line of `log.jsonl`.
#[derive(Debug, Serialize)]
struct Line<'a> {
    round: usize,
    kind: &'a str,
    labels: usize,
    steps: usize,
    /// Mean loss on the newest labels before this round's training.
    fresh: f64,
    /// ... and on those held out after it, when there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_out: Option<f64>,
    /// Mean loss on what was trained on, over the last quarter of the steps.
    loss: f64,
    /// Root mean square error of the equity differences between siblings among the newest labels,
    /// before and after.
    fresh_pairs: f64,
    pairs: f64,
    rate: f32,
    /// Alpha of the last pass, where there is such a schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    alpha: Option<f64>,
}

fn in_file(path: &Path) -> impl Fn(std::io::Error) -> RunError {
    move |source| RunError::File {
        path: path.to_owned(),
        source,
    }
}

fn origin(origin: &Origin, seed: u64) -> Result<Net, RunError> {
    match origin {
        Origin::File(path) => Net::load(path).map_err(in_file(path)),
        Origin::Changed { from, widen, off } => {
            let mut net = Net::load(from).map_err(in_file(from))?;
            let refuse = |reason: String| RunError::Plan {
                path: from.clone(),
                reason,
            };
            if let Some(widen) = widen {
                net = (net.widened(*widen, seed))
                    .ok_or_else(|| refuse(format!("{} units cannot be made {widen}", net.first)))?;
            }
            if *off {
                net = (net.with_inputs(InputSet::CountsAndOff))
                    .ok_or_else(|| refuse(format!("inputs {:?} have no room", net.set.name())))?;
            }
            Ok(net)
        }
        Origin::Random {
            first,
            second,
            hand,
            off,
            squared,
        } => {
            let set = match (hand, off) {
                (true, _) => InputSet::CountsAndHand,
                (false, true) => InputSet::CountsAndOff,
                (false, false) => InputSet::Counts,
            };
            let mut net = Net::random(set, *first, *second, seed);
            if *squared {
                net.activation = Activation::Squared;
            }
            Ok(net)
        }
    }
}

/// The nets after `round` rounds of the run in `folder`, if they are all there.
///
/// # Errors
/// When the plan's own nets cannot be read.
pub fn nets(plan: &Plan, folder: &Path, round: usize) -> Result<Option<Nets>, RunError> {
    let quick = plan.quick.as_ref().map(|o| origin(o, plan.seed + 3));
    let quick = quick.transpose()?;
    if round == 0 {
        let optional = |net: &Option<Origin>, seed| -> Result<Option<Net>, RunError> {
            net.as_ref().map(|o| origin(o, seed)).transpose()
        };
        return Ok(Some(Nets {
            contact: origin(&plan.contact, plan.seed)?,
            crashed: optional(&plan.crashed, plan.seed + 2)?,
            ahead: optional(&plan.ahead, plan.seed + 4)?,
            behind: optional(&plan.behind, plan.seed + 5)?,
            race: origin(&plan.race, plan.seed + 1)?,
            quick,
        }));
    }
    let load = |kind: &str| Net::load(&net_path(folder, round, kind)).ok();
    // A net that the plan wants and that is not there yet: the round is not finished.
    let wanted = |origin: &Option<Origin>, kind: &str| match origin {
        Some(_) => load(kind).map(Some),
        None => Some(None),
    };
    let all = (
        load(KINDS[0]),
        load(KINDS[1]),
        wanted(&plan.crashed, KINDS[2]),
        wanted(&plan.ahead, KINDS[3]),
        wanted(&plan.behind, KINDS[4]),
    );
    Ok(match all {
        (Some(contact), Some(race), Some(crashed), Some(ahead), Some(behind)) => Some(Nets {
            contact,
            crashed,
            ahead,
            behind,
            race,
            quick,
        }),
        _ => None,
    })
}

fn net_path(folder: &Path, round: usize, kind: &str) -> PathBuf {
    folder.join(format!("round-{round}-{kind}.net"))
}

fn labels_path(folder: &Path, round: usize) -> PathBuf {
    folder.join(format!("round-{round}.labels"))
}

impl Nets {
    /// The nets rounded to integers, with the exact tables.
    ///
    /// # Errors
    /// When weights have grown out of the integers' range.
    pub fn evaluator(&self, name: &str) -> Result<OwnEvaluator, RunError> {
        let mut files = Vec::new();
        for (class, net) in [
            ("contact", Some(&self.contact)),
            ("crashed", self.crashed.as_ref()),
            ("contact-ahead", self.ahead.as_ref()),
            ("contact-behind", self.behind.as_ref()),
            ("race", Some(&self.race)),
            ("contact-fast", self.quick.as_ref()),
        ] {
            if let Some(net) = net {
                let bytes = net.to_integer(name, class)?;
                files.push((format!("{name} {class}"), bytes));
            }
        }
        Ok(OwnEvaluator::from_files(&files)?)
    }
}

/// Goes through all rounds of `plan`, or goes on where the run in `folder` stopped. `report` gets
/// one line of text now and then.
///
/// # Errors
/// [`RunError`].
pub fn run(plan: &Plan, folder: &Path, report: &mut dyn FnMut(&str)) -> Result<(), RunError> {
    std::fs::create_dir_all(folder).map_err(in_file(folder))?;
    let rounds = plan.rounds();
    let mut done = 0;
    for round in (1..=rounds.len()).rev() {
        if nets(plan, folder, round)?.is_some() {
            done = round;
            break;
        }
    }
    for (index, round) in rounds.iter().enumerate().skip(done) {
        let number = index + 1;
        let Some(nets) = nets(plan, folder, index)? else {
            break;
        };
        sample(plan, folder, number, round, &nets, report)?;
        let pool = pool(plan, folder, number, round.pool)?;
        train(plan, folder, number, round, nets, &pool, report)?;
    }
    Ok(())
}

/// Plays until the round has its labels.
fn sample(
    plan: &Plan,
    folder: &Path,
    number: usize,
    round: &Round,
    nets: &Nets,
    report: &mut dyn FnMut(&str),
) -> Result<(), RunError> {
    if round.labels == 0 {
        return Ok(());
    }
    let job = SampleJob {
        header: format!("gammond labels 1 seed {} round {number}", plan.seed),
        seed: plan.seed.wrapping_mul(1_000_003) + number as u64,
        labels: round.labels,
        games: round.games,
        starts: Vec::new(),
    };
    let evaluator = nets.evaluator("candidate")?;
    let mut said =
        |made: usize| report(&format!("round {number}: {made} of {} labels", job.labels));
    fill(&labels_path(folder, number), &job, &evaluator, &mut said)
}

/// Labels to make by self-play.
#[derive(Clone, Debug)]
pub struct SampleJob {
    /// What the journal says about itself; a journal that says otherwise is refused.
    pub header: String,
    /// Seed of the games.
    pub seed: u64,
    /// How many labels are wanted; a few more may be made.
    pub labels: usize,
    /// How the games are played and labelled.
    pub games: GameSettings,
    /// Where games begin, drawn by lot; where `games` says when empty.
    pub starts: Vec<Position>,
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
    report: &mut dyn FnMut(usize),
) -> Result<(), RunError> {
    let judges = Judges::new(evaluator);
    let game = |room: &mut Room, rng: &mut ChaCha8Rng, labels: &mut Vec<Label>| {
        play(judges, &job.games, &job.starts, rng, room, labels);
        Ok(())
    };
    fill_with(path, job, &game, GAMES_PER_RECORD, report)
}

/// [`fill`] with the labels of disagreements between static evaluation and `plies` plies.
///
/// # Errors
/// When the journal cannot be used or the engine refuses a position.
pub fn fill_disagreements(
    path: &Path,
    job: &SampleJob,
    engine: &Engine,
    plies: u8,
    report: &mut dyn FnMut(usize),
) -> Result<(), RunError> {
    let game = |_: &mut Room, rng: &mut ChaCha8Rng, labels: &mut Vec<Label>| {
        Ok(disagree::play(engine, &job.games, plies, rng, labels)?)
    };
    fill_with(path, job, &game, 1, report)
}

/// Plays one game and appends its labels.
type PlayGame<'a> =
    dyn Fn(&mut Room, &mut ChaCha8Rng, &mut Vec<Label>) -> Result<(), RunError> + Sync + 'a;

fn fill_with(
    path: &Path,
    job: &SampleJob,
    play_game: &PlayGame<'_>,
    games: u64,
    report: &mut dyn FnMut(usize),
) -> Result<(), RunError> {
    let (mut journal, records) = Journal::open(path, &job.header)?;
    let mut made: usize = records.iter().map(|r| unpack(r).count()).sum();
    let mut next = records.len() as u64;
    let threads = rayon::current_num_threads() as u64;
    while made < job.labels {
        // A group may overshoot; the order of records does not depend on the number of threads.
        let group: Result<Vec<Vec<Label>>, RunError> = (next..next + threads)
            .into_par_iter()
            .map_init(Room::default, |room, record| {
                let mut labels = Vec::new();
                for game in record * games..(record + 1) * games {
                    let mut rng = stream(job.seed, game);
                    play_game(room, &mut rng, &mut labels)?;
                }
                Ok(labels)
            })
            .collect();
        for labels in group? {
            if made < job.labels {
                journal.append(&pack(&labels))?;
                made += labels.len();
                next += 1;
            }
        }
        if next.is_multiple_of(32) {
            report(made);
        }
    }
    Ok(())
}

/// The labels of the last `rounds` rounds up to `number`, and of the earlier runs.
fn pool(plan: &Plan, folder: &Path, number: usize, rounds: usize) -> Result<Vec<Label>, RunError> {
    let mut pool = Vec::new();
    let mut read = |path: &Path| -> Result<(), RunError> {
        for record in crate::journal::read_records(path)? {
            pool.extend(unpack(&record));
        }
        Ok(())
    };
    if rounds > number {
        for earlier in &plan.earlier {
            for round in 1..1000 {
                let path = labels_path(earlier, round);
                if path.exists() {
                    read(&path)?;
                }
            }
        }
    }
    for round in (number + 1).saturating_sub(rounds).max(1)..=number {
        let path = labels_path(folder, round);
        if path.exists() {
            read(&path)?;
        }
    }
    Ok(pool)
}

fn train(
    plan: &Plan,
    folder: &Path,
    number: usize,
    round: &Round,
    nets: Nets,
    pool: &[Label],
    report: &mut dyn FnMut(&str),
) -> Result<(), RunError> {
    let own = |kind: usize| match kind {
        2 => nets.crashed.is_some(),
        3 => nets.ahead.is_some(),
        4 => nets.behind.is_some(),
        _ => true,
    };
    let own: [bool; 5] = std::array::from_fn(own);
    let kind_of = |label: &Label| {
        let kind = match (label.kind, Lead::of(&label.position)) {
            (0, Lead::Ahead) => 3,
            (0, Lead::Behind) => 4,
            (kind, _) => usize::from(kind),
        };
        if own.get(kind) == Some(&true) {
            kind
        } else {
            0
        }
    };
    let jobs = [
        (0, Some(nets.contact)),
        (2, nets.crashed),
        (3, nets.ahead),
        (4, nets.behind),
        (1, Some(nets.race)),
    ];
    for (kind, net) in jobs {
        let Some(net) = net else { continue };
        let mut labels = select(pool, |label| kind_of(label) == kind);
        if round.weights != Weights::default() {
            let mut rng = stream(plan.seed ^ 0x7765_6967, number as u64);
            labels = repeated(&labels, &mut rng, |label| round.weights.of(label));
        }
        if labels.is_empty() {
            net.save(&net_path(folder, number, KINDS[kind]))
                .map_err(in_file(folder))?;
            continue;
        }
        let (net, line) = fit(plan, number, round, net, &mut labels, KINDS[kind]);
        let path = net_path(folder, number, KINDS[kind]);
        net.save(&path).map_err(in_file(&path))?;
        let text = serde_json::to_string(&line).unwrap_or_default();
        report(&text);
        let path = folder.join("log.jsonl");
        let log = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path);
        log.and_then(|mut log| writeln!(log, "{text}"))
            .map_err(in_file(&path))?;
    }
    Ok(())
}

/// Labels that the log's figures are measured on when none are held out.
const WATCHED: usize = 20_000;

/// Takes the newest `count` labels out of training; a pair is not torn.
fn hold_out(labels: &mut Vec<Label>, count: usize) -> Vec<Label> {
    let mut from = labels.len() - count.min(labels.len() / 4);
    while labels.get(from).is_some_and(|label| label.sibling) {
        from += 1;
    }
    labels.split_off(from)
}

/// Root of the mean square of the error in equity differences between siblings.
fn pair_error(trainer: &mut Trainer, labels: &[Label]) -> f64 {
    let [sum, count] = trainer.pair_errors(labels);
    (sum / count.max(1.0)).sqrt()
}

/// Trains one net on its labels and returns the averaged net.
fn fit<'a>(
    plan: &Plan,
    number: usize,
    round: &Round,
    net: Net,
    labels: &mut Vec<Label>,
    kind: &'a str,
) -> (Net, Line<'a>) {
    let mut trainer = Trainer::new(net);
    let unseen = match plan.held_out {
        0 => labels[labels.len().saturating_sub(WATCHED)..].to_vec(),
        count => hold_out(labels, count),
    };
    let (fresh, fresh_pairs) = (trainer.loss(&unseen), pair_error(&mut trainer, &unseen));
    let mut rng = stream(plan.seed ^ 0x7261_696e, number as u64);
    let steps = ((labels.len() as f64 * round.passes / plan.batch as f64) as usize).max(1);
    let (mut at, mut sum, mut counted) = (labels.len(), 0.0, 0usize);
    let mut schedule = round.alpha.map(AlphaSchedule::new);
    let mut pass = schedule.as_ref().map(AlphaSchedule::first);
    // Sum of the losses of the present pass, batches, the greatest loss of a label.
    let mut seen = (0.0, 0usize, 0.0f64);
    for step in 0..steps {
        if at + plan.batch > labels.len() {
            if let (Some(schedule), true) = (&mut schedule, seen.1 > 0) {
                pass = Some(schedule.next(seen.0 / seen.1 as f64, seen.2));
                seen = (0.0, 0, 0.0);
            }
            if pass.is_none_or(|pass| pass.reshuffle) {
                shuffle(labels, &mut rng);
            }
            at = 0;
        }
        let to = (at + plan.batch).min(labels.len());
        let done = step as f32 / steps as f32;
        let cosine = 0.5 + 0.5 * (std::f32::consts::PI * done).cos();
        let slope = match (pass, round.alpha) {
            (Some(pass), Some(alpha)) => (pass.alpha / alpha.start) as f32,
            _ => round.rate_end + (1.0 - round.rate_end) * cosine,
        };
        let warm = ((step + 1) as f32 / 200.0).min(1.0);
        let settings = StepSettings {
            rate: round.rate * slope * warm,
            pairs: round.pairs,
            // The mean forgets the beginning quickly while there are few steps.
            keep: plan.keep.min(1.0 - 1.0 / (1.0 + step as f32 * 0.1)),
        };
        let loss = trainer.step(&labels[at..to], settings);
        seen = (
            seen.0 + loss,
            seen.1 + 1,
            seen.2.max(trainer.greatest_loss()),
        );
        if step * 4 >= steps * 3 {
            sum += loss;
            counted += 1;
        }
        at = to;
    }
    let net = trainer.averaged();
    let mut after = Trainer::new(net.clone());
    let line = Line {
        round: number,
        kind,
        labels: labels.len(),
        steps,
        fresh,
        held_out: (plan.held_out > 0).then(|| after.loss(&unseen)),
        loss: sum / counted.max(1) as f64,
        fresh_pairs,
        pairs: pair_error(&mut after, &unseen),
        rate: round.rate,
        alpha: pass.map(|pass| pass.alpha),
    };
    (net, line)
}
