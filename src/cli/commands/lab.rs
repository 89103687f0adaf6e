//! `gammond lab`: nets of classical shape, trained as the literature trained them, and experiments.

mod experiments;

use crate::{
    Common, Failure, Picture, PlayerOptions, ProgressArgs, finish, shown_path, write_drawing,
};
use clap::builder::RangedU64ValueParser;
use gammond_arena::player::classic::{ClassicNet, ClassicShape, HIDDEN_MAX, Representation, Sides};
use gammond_arena::player::{Linear, Player, PlayerSpec};
use gammond_base::checksum::sha256;
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_base::journal::{check_writable, write_whole};
use gammond_job::Control;
use gammond_train::lab::hillclimb::{HillPlan, Teacher};
use gammond_train::lab::linear_climb::LinearPlan;
use gammond_train::lab::supervised::{Rates, SupervisedPlan, TextDatabase};
use gammond_train::lab::td::TdPlan;
use gammond_train::lab::{
    TestScore, Tests, TrainingLoop, check_target, run_training, write_linear, write_net,
};
use gammond_train::training::alpha::AlphaSettings;
use gammond_train::training::curve;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    work: Work,
}

/// Kinds of work in the laboratory.
#[derive(clap::Subcommand, Debug)]
enum Work {
    /// Temporal differences: a net learns from games against itself.
    #[command(
        after_help = "Example: gammond lab td first.net --representation tdg-board --hidden 20 --episodes 5000 --against random"
    )]
    Td(Td),
    /// Hill climbing: mutations that win a match draw the net their way.
    #[command(
        after_help = "Example: gammond lab hillclimb climber.net --hidden 20 --rounds 10000 --against pubeval"
    )]
    Hillclimb(Box<HillclimbArgs>),
    /// Plain gradient descent on a text database: position key and five chances a line.
    #[command(
        after_help = "Example: gammond lab supervised positions.txt race.net --representation player-3.1 --hidden 120 --rates steps"
    )]
    Supervised(Supervised),
    /// List the experiments: claim, question, conditions and the rule of the verdict.
    #[command(after_help = "Example: gammond lab list")]
    List,
    /// Run experiments, each with several seeds, and write their results to a file.
    #[command(
        after_help = "Example: gammond lab run td0 --results lab-results.jsonl\nAll that fits into two CPU hours: gammond lab run all --budget 2"
    )]
    Run(experiments::Run),
    /// Print a file of results as a table and a list for a document.
    #[command(after_help = "Example: gammond lab table lab-results.jsonl")]
    Table {
        /// File that `lab run` wrote.
        #[arg(value_name = "FILE.jsonl")]
        results: PathBuf,
    },
}

/// Most games or rounds of training.
const EPISODES_MAX: u64 = 1_000_000_000;

/// Options for the shape of a net.
#[derive(clap::Args, Debug)]
struct NetShapeArgs {
    /// Representation of the board: quack, quack-aug, quack-norm, tdg-board, tdg-board-points, tdg-board-aug,
    /// tdg-board-aug-points, td-gammon-196, td-gammon, player-3.1 or td-gammon-contact.
    #[arg(long, default_value = "td-gammon", value_name = "NAME", value_parser = representation)]
    representation: Representation,
    /// Neurons of the hidden layer; twice for two layers.
    #[arg(long, default_value = "20", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=HIDDEN_MAX as u64))]
    hidden: Vec<usize>,
    /// Outputs: 1, 4 or 5.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    outputs: Option<u8>,
    /// Weights begin uniform from minus this to this.
    #[arg(long, default_value_t = 0.1, value_name = "R", value_parser = number::<0, 100>)]
    range: f64,
}

/// Vertical axis of learning curves.
const CURVE_AXIS: &str = "points per game";

/// Options for tests during training.
#[derive(clap::Args, Debug)]
struct TestGameArgs {
    /// Play test games against this player after each step.
    #[arg(long, value_name = "PLAYER")]
    against: Option<PlayerSpec>,
    /// Test games, in pairs with the same dice.
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    test_games: u64,
    /// Keep the test scores as a learning curve in this file, and draw it beside it (FILE.svg).
    #[arg(long, value_name = "FILE.csv", requires = "against")]
    curve: Option<PathBuf>,
    #[command(flatten)]
    players: PlayerOptions,
}

/// Arguments of `lab td`.
#[derive(clap::Args, Debug)]
struct Td {
    /// Net file to write; FILE.net.journal keeps the steps so far.
    #[arg(value_name = "FILE.net")]
    net: PathBuf,
    #[command(flatten)]
    built: NetShapeArgs,
    /// Games to play.
    #[arg(long, default_value_t = 5_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=EPISODES_MAX))]
    episodes: u64,
    /// Games between two records of the journal, and between two tests.
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    every: u64,
    /// Learning rate.
    #[arg(long, default_value_t = 0.1, value_name = "RATE", value_parser = number::<0, 100>)]
    alpha: f64,
    /// Games after which the learning rate has halved; without this it stays.
    #[arg(long, value_name = "GAMES", value_parser = number::<1, 1_000_000_000>)]
    half_life: Option<f64>,
    /// Decay of the eligibility traces: 0 for one position, 1 for the whole game.
    #[arg(long, default_value_t = 0.0, value_name = "L", value_parser = number::<0, 1>)]
    lambda: f64,
    /// swap: the net sees the board of the player who has moved; invert: always white's, black gets 1 minus the chance.
    #[arg(long, default_value = "swap", value_name = "HOW", value_parser = sides)]
    sides: Sides,
    #[command(flatten)]
    tested: TestGameArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// Arguments of `lab hillclimb`.
#[derive(clap::Args, Debug)]
struct HillclimbArgs {
    /// Net file to write; FILE.net.journal keeps the steps so far.
    #[arg(value_name = "FILE.net")]
    net: PathBuf,
    /// Climb with the weights of this linear player instead of a net, and write a linear player.
    #[arg(long, value_name = "FILE.toml", conflicts_with_all = ["representation", "hidden", "outputs", "range", "sides"])]
    linear: Option<PathBuf>,
    #[command(flatten)]
    built: NetShapeArgs,
    /// Rounds to play.
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=EPISODES_MAX))]
    rounds: u64,
    /// Rounds between two records of the journal, and between two tests.
    #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    every: u64,
    /// A challenger's weights differ by up to this from the champion's.
    #[arg(long, default_value_t = 0.5, value_name = "M", value_parser = number::<0, 100>)]
    mutation: f64,
    /// Share of the way that the champion moves towards a challenger that wins.
    #[arg(long, default_value_t = 0.05, value_name = "RATE", value_parser = number::<0, 1>)]
    alpha: f64,
    /// Games of a match at most.
    #[arg(long, default_value_t = 3, value_name = "X", value_parser = clap::value_parser!(u64).range(1..=1001))]
    best_of: u64,
    /// View of the board: swap turns the board round, invert plays as black, by 1 minus the chance.
    #[arg(long, default_value = "swap", value_name = "HOW", value_parser = sides)]
    sides: Sides,
    /// Player that teaches and guards.
    #[arg(long, default_value = "expectiminimax", value_name = "PLAYER")]
    teacher: PlayerSpec,
    /// In the first so many rounds champion and challenger are compared by their games against the teacher.
    #[arg(long, default_value_t = 0, value_name = "ROUNDS", value_parser = clap::value_parser!(u64).range(0..=EPISODES_MAX))]
    curriculum: u64,
    /// A challenger that has won must also win as many of so many games against the teacher as the champion does.
    #[arg(long, default_value_t = 0, value_name = "GAMES", value_parser = clap::value_parser!(u64).range(0..=1000))]
    guard: u64,
    #[command(flatten)]
    tested: TestGameArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// Schedule of alpha.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum How {
    /// The same all the time.
    Fixed,
    /// Down when the error stops falling, and back to the top from the bottom.
    Classical,
    /// 1, 0.32, 0.1, 0.032, 0.01, from the epochs 8, 20, 60 and 100 on.
    Steps,
}

/// Arguments of `lab supervised`.
#[derive(clap::Args, Debug)]
struct Supervised {
    /// Text database: a position key and the five chances of the player on roll a line.
    #[arg(value_name = "FILE.txt")]
    data: PathBuf,
    /// Net file to write; FILE.net.journal keeps the steps so far.
    #[arg(value_name = "FILE.net")]
    net: PathBuf,
    #[command(flatten)]
    built: NetShapeArgs,
    /// Times that it sees all positions.
    #[arg(long, default_value_t = 110, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    epochs: u64,
    /// Schedule of alpha.
    #[arg(long, default_value = "classical", value_name = "HOW")]
    rates: How,
    /// Alpha at the start; 20 for the classical loop, 1 for a fixed one.
    #[arg(long, value_name = "ALPHA", value_parser = number::<0, 1000>)]
    alpha: Option<f64>,
    /// Classical loop: alpha below which it starts again.
    #[arg(long, default_value_t = 1.0, value_name = "ALPHA", value_parser = number::<0, 1000>)]
    least_alpha: f64,
    /// Classical loop: share of itself by which the error must fall for alpha to stay.
    #[arg(long, default_value_t = 0.005, value_name = "P", value_parser = number::<0, 1>)]
    fall: f64,
    /// Learning rate for an alpha of 1; 0.05 for the classical loop, else 1.
    #[arg(long, value_name = "RATE", value_parser = number::<0, 100>)]
    unit: Option<f64>,
    #[command(flatten)]
    progress: ProgressArgs,
}

fn representation(name: &str) -> Result<Representation, String> {
    Representation::named(name).ok_or_else(|| {
        let known = Representation::ALL.map(Representation::name);
        format!("expected one of {}", known.join(", "))
    })
}

fn sides(name: &str) -> Result<Sides, String> {
    Sides::named(name).ok_or_else(|| "expected swap or invert".to_owned())
}

/// Returns a number within limits.
fn number<const LEAST: u32, const MOST: u32>(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    // NaN is within nothing.
    match (f64::from(LEAST)..=f64::from(MOST)).contains(&number) {
        true => Ok(number),
        false => Err(format!("expected {LEAST} to {MOST}")),
    }
}

impl NetShapeArgs {
    fn shape(&self, outputs: usize) -> Result<ClassicShape, Failure> {
        let outputs = self.outputs.map_or(outputs, usize::from);
        ClassicShape::new(self.representation, &self.hidden, outputs).map_err(Failure::usage)
    }
}

impl TestGameArgs {
    /// Returns the player that tests, and those of other texts.
    fn open(
        &self,
        common: &Common,
        others: &[&PlayerSpec],
    ) -> Result<(Vec<Box<dyn Player>>, Option<Box<dyn Player>>), Failure> {
        let texts = others.iter().copied().chain(&self.against);
        let mut players = common.players(texts, &self.players)?;
        let tester = (self.against.is_some()).then(|| players.pop()).flatten();
        Ok((players, tester))
    }

    /// Checks, before the work, that the curve may be written.
    fn check_curve(&self, unit: &str) -> Result<(), Failure> {
        let Some(path) = &self.curve else {
            return Ok(());
        };
        check_writable(path).map_err(Failure::in_file(path))?;
        if path.exists() {
            let there = files::read_text(path, TEXT_BYTES_MAX).map_err(Failure::in_file(path))?;
            let head = curve::csv([unit, CURVE_AXIS], &[]);
            if !there.starts_with(&head) {
                return Err(Failure::in_file(path)(
                    "no learning curve of this work; left unchanged",
                ));
            }
        }
        Picture::Svg.check(&path.with_extension("svg"))
    }

    /// Writes the scores so far as a curve with its picture.
    fn keep_curve(&self, scores: &[TestScore], unit: &str, every: u64) -> Result<(), Failure> {
        let Some(path) = &self.curve else {
            return Ok(());
        };
        let point = |(step, score): (u64, &TestScore)| curve::Point {
            x: (step * every) as f64,
            y: score.points[0],
            error: score.points[1],
        };
        let series = [(String::new(), (1..).zip(scores).map(point).collect())];
        let text = curve::csv([unit, CURVE_AXIS], &series);
        write_whole(path, text.as_bytes()).map_err(Failure::unwritten(path))?;
        let picture = curve::svg(&[unit.to_owned(), CURVE_AXIS.to_owned()], &series);
        write_drawing(&path.with_extension("svg"), &picture)
    }

    fn tests<'a>(&self, tester: Option<&'a dyn Player>, seed: u64) -> Option<Tests<'a>> {
        tester.map(|opponent| Tests {
            opponent,
            games: self.test_games,
            // Not the dice of the games that it learns from.
            seed: seed ^ 0x7465_7374,
        })
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    match &args.work {
        Work::Td(args) => td(common, args),
        Work::Hillclimb(args) => hillclimb(common, args),
        Work::Supervised(args) => supervised(common, args),
        Work::List => experiments::list(),
        Work::Run(args) => experiments::run(common, args),
        Work::Table { results } => experiments::table(results),
    }
}

fn td(common: &Common, args: &Td) -> Result<ExitCode, Failure> {
    let (_, tester) = args.tested.open(common, &[])?;
    args.tested.check_curve("games")?;
    let plan = TdPlan {
        shape: args.built.shape(1)?,
        range: args.built.range as f32,
        seed: common.seed(),
        alpha: args.alpha,
        half_life: args.half_life,
        lambda: args.lambda as f32,
        sides: args.sides,
        episodes: args.episodes,
        every: args.every.min(args.episodes),
        tests: args.tested.tests(tester.as_deref(), common.seed()),
    };
    let mut control = args.progress.control()?;
    work(&plan, &args.net, &mut control, |state| {
        args.tested.keep_curve(&state.curve, "games", plan.every)?;
        Ok((&state.net, scores(&state.curve, "games", plan.every)))
    })
}

fn hillclimb(common: &Common, args: &HillclimbArgs) -> Result<ExitCode, Failure> {
    let taught = args.curriculum > 0 || args.guard > 0;
    let teacher: &[&PlayerSpec] = if taught { &[&args.teacher] } else { &[] };
    let (teachers, tester) = args.tested.open(common, teacher)?;
    args.tested.check_curve("rounds")?;
    let teacher = teachers.first().map(|player| Teacher {
        player: &**player,
        curriculum: args.curriculum,
        guard: args.guard,
    });
    let tests = args.tested.tests(tester.as_deref(), common.seed());
    if let Some(start) = &args.linear {
        return climb_linear(common, args, start, teacher, tests);
    }
    let plan = HillPlan {
        shape: args.built.shape(1)?,
        range: args.built.range as f32,
        seed: common.seed(),
        mutation: args.mutation as f32,
        alpha: args.alpha as f32,
        best_of: args.best_of,
        sides: args.sides,
        teacher,
        rounds: args.rounds,
        every: args.every.min(args.rounds),
        tests,
    };
    let mut control = args.progress.control()?;
    work(&plan, &args.net, &mut control, |state| {
        let mut text = format!("{} challengers won\n", state.moved);
        text.push_str(&scores(&state.curve, "rounds", plan.every));
        args.tested.keep_curve(&state.curve, "rounds", plan.every)?;
        Ok((&state.net, text))
    })
}

/// Climbs with the weights of a linear player.
fn climb_linear(
    common: &Common,
    args: &HillclimbArgs,
    start: &Path,
    teacher: Option<Teacher<'_>>,
    tests: Option<Tests<'_>>,
) -> Result<ExitCode, Failure> {
    let start = Linear::open(Some(start))?;
    let plan = LinearPlan {
        start: &start,
        seed: common.seed(),
        mutation: args.mutation,
        alpha: args.alpha,
        best_of: args.best_of,
        teacher,
        rounds: args.rounds,
        every: args.every.min(args.rounds),
        tests,
    };
    let mut control = args.progress.control()?;
    let (header, journal) = (plan.header()?, journal_of(&args.net));
    check_target(&args.net, &header)?;
    let end = run_training(&plan, Some(&journal), &mut control)?;
    let state = &end.state;
    let mut text = format!("{} challengers won\n", state.moved);
    text.push_str(&scores(&state.curve, "rounds", plan.every));
    args.tested.keep_curve(&state.curve, "rounds", plan.every)?;
    if end.complete {
        let done = plan.progress(state, end.steps).done;
        write_linear(&args.net, &state.player, &header, done)?;
        let file = shown_path(&args.net);
        let weights = state.player.weights().len();
        text.push_str(&format!("{file}: a linear player of {weights} weights\n"));
    }
    finish(&text, end.complete, Some(&journal), "")
}

fn supervised(common: &Common, args: &Supervised) -> Result<ExitCode, Failure> {
    let data = TextDatabase::load(&args.data)?;
    let (rates, unit) = match args.rates {
        How::Fixed => (Rates::Fixed(args.alpha.unwrap_or(1.0)), 1.0),
        How::Steps if args.alpha.is_some() => {
            return Err(Failure::usage("--alpha: the steps have their own"));
        }
        How::Steps => (Rates::Steps, 1.0),
        How::Classical => {
            let settings = AlphaSettings {
                start: args.alpha.unwrap_or(AlphaSettings::default().start),
                least: args.least_alpha,
                fall: args.fall,
            };
            (Rates::Classical(settings), 0.05)
        }
    };
    let plan = SupervisedPlan {
        shape: args.built.shape(5)?,
        range: args.built.range as f32,
        seed: common.seed(),
        rates,
        unit: args.unit.unwrap_or(unit),
        data: &data,
        epochs: args.epochs,
    };
    let mut control = args.progress.control()?;
    work(&plan, &args.net, &mut control, |state| {
        let mut text = format!("{} positions\n", data.len());
        for (epoch, [mean, greatest]) in (1..).zip(&state.errors) {
            text.push_str(&format!(
                "epoch {epoch}: mean error {mean:.5}, greatest {greatest:.4}\n"
            ));
        }
        Ok((&state.net, text))
    })
}

/// Returns the scores on the way as lines.
fn scores(scores: &[TestScore], unit: &str, every: u64) -> String {
    let lines = (1..).zip(scores);
    let lines = lines.map(|(step, score)| format!("after {} {unit}: {score}\n", step * every));
    lines.collect()
}

/// Returns the journal of a file.
fn journal_of(path: &Path) -> PathBuf {
    let mut journal = path.as_os_str().to_owned();
    journal.push(".journal");
    PathBuf::from(journal)
}

/// Runs or resumes a course and writes its net.
fn work<C: TrainingLoop>(
    course: &C,
    path: &Path,
    control: &mut Control<'_>,
    described: impl Fn(&C::State) -> Result<(&ClassicNet, String), Failure>,
) -> Result<ExitCode, Failure> {
    let header = course.header()?;
    check_target(path, &header)?;
    let journal = journal_of(path);
    let end = run_training(course, Some(&journal), control)?;
    let (net, mut text) = described(&end.state)?;
    if end.complete {
        let done = course.progress(&end.state, end.steps).done;
        write_net(path, net, &header, done)?;
        let shape = net.shape();
        let layers = shape.layers().iter().map(usize::to_string);
        let weights: Vec<u8> =
            (net.parameters().iter().flat_map(|one| one.to_le_bytes())).collect();
        text.push_str(&format!(
            "{}: {} {}, {} weights and {} biases, sha256 of them {:.16}\n",
            shown_path(path),
            shape.representation().name(),
            layers.collect::<Vec<_>>().join("-"),
            shape.weights(),
            shape.biases(),
            sha256(&weights)
        ));
    }
    finish(&text, end.complete, Some(&journal), "")
}
