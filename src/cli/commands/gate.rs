//! `gammond gate`: whether candidate nets may take the place of others.

use super::bench::measure_table;
use super::bench_files::open;
use crate::{
    Common, Count, Failure, InputFile, Output, OutputFile, PlayerOptions, Points, ProgressArgs,
    farmed, stopped,
};
use gammond_arena::duel::{DuelPlan, Duels, Tally};
use gammond_arena::player::{Player, PlayerSpec};
use gammond_job::{Control, JobEnd, Runner};
use gammond_train::training::gate::{
    InFile, ahead_in_duel, check_install, install, not_worse_on, whole,
};
use std::path::Path;
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    struct Args as Job {
        /// The candidate: `gammond:nets=FOLDER`, or any other player.
        candidate: PlayerSpec,
        /// A player that the candidate must beat; may be given several times.
        #[arg(long, default_value = "gammond", value_name = "PLAYER")]
        against: Vec<PlayerSpec>,
        /// Games of each duel, in pairs with the same dice. The candidate must be ahead with the whole
        /// 99 % interval.
        #[arg(long, default_value = "40000", value_name = "N")]
        games: Count,
        /// Least lead in each duel, in points per game.
        #[arg(long, default_value = "0", value_name = "POINTS")]
        lead: Points,
        /// Benchmark files on which the candidate must not be worse: the 99 % interval of the paired
        /// difference of the error rates must reach zero.
        #[arg(long, value_name = "FILE.bm")]
        bench: Vec<InputFile>,
        /// Copy the candidate's nets into this folder if the candidate passes.
        #[arg(long, value_name = "DIR")]
        install: Option<OutputFile>,
        /// Keep the duels' results in this file; the same command resumes from it after a stop.
        #[arg(long, value_name = "FILE")]
        journal: Option<OutputFile>,
    }
    dropped {
        #[command(flatten)]
        progress: ProgressArgs,
        #[command(flatten)]
        players: PlayerOptions,
    }
}

/// Hint printed by a stopped gate without a journal.
const RESUME: &str = "with --journal FILE the same command could resume";

/// Exit status of a candidate that is not let in.
const SHUT: u8 = 1;

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let items = |path| whole(open(path)?).map_err(Failure::in_file(path));
    let files: Vec<_> = (args.bench.iter())
        .map(|path| Ok((&**path, items(path)?)))
        .collect::<Result<_, Failure>>()?;
    let table = measure_table(common)?;
    let texts = std::iter::once(&args.candidate).chain(&args.against);
    let players = common.players(texts, &args.players)?;
    let (candidate, others) =
        (players.split_first()).ok_or_else(|| Failure::usage("a candidate is required"))?;
    let in_file = |(path, error): InFile| Failure::in_file(path)(error);
    if let Some(folder) = &args.install {
        // Found out before the games, not after them.
        net_folder(&args.candidate)?;
        check_install(folder).map_err(in_file)?;
    }
    let mut control = common.control(args.progress)?;
    let outcome = duels(common, args, &players, &mut control)?;
    drop(control);
    let mut out = Output::new();
    let mut open_gate = true;
    for (other, tally) in others.iter().zip(&outcome.sum) {
        let found = ahead_in_duel(&**other, tally, args.lead.get());
        open_gate &= found.passed;
        out.line(&found.to_string())?;
        let wanted = if outcome.complete { &files[..] } else { &[] };
        for (path, items) in wanted {
            let found = not_worse_on((path, items), [&**candidate, &**other], &table)
                .map_err(Failure::work)?;
            open_gate &= found.passed;
            out.line(&found.to_string())?;
        }
    }
    if !outcome.complete {
        return Ok(stopped(args.journal.as_deref(), RESUME));
    }
    out.line(&format!(
        "gate: {}",
        if open_gate { "open" } else { "shut" }
    ))?;
    if let (true, Some(folder)) = (open_gate, &args.install) {
        install(net_folder(&args.candidate)?, folder).map_err(in_file)?;
    }
    Ok(ExitCode::from(if open_gate { 0 } else { SHUT }))
}

/// Returns the candidate against all others.
fn duels(
    common: &Common,
    args: &Args,
    players: &[Box<dyn Player>],
    control: &mut Control<'_>,
) -> Result<JobEnd<Vec<Tally>>, Failure> {
    let plan = DuelPlan {
        seed: common.seed(),
        pairs: args.games.get().div_ceil(2),
        ..DuelPlan::default()
    };
    let borrowed: Vec<&dyn Player> = players.iter().map(|player| &**player).collect();
    let pairings = (1..borrowed.len()).map(|other| [0, other]).collect();
    let duels = Duels::new(&plan, &borrowed, pairings)?;
    let runner = Runner::new().journal(args.journal.as_deref());
    Ok(runner.run(&duels, control)?)
}

/// Returns the folder of the candidate's nets.
fn net_folder(candidate: &PlayerSpec) -> Result<&Path, Failure> {
    let nets = match candidate {
        PlayerSpec::Gammond(ours) => ours.nets.as_deref(),
        _ => None,
    };
    nets.filter(|path| path.is_dir()).ok_or_else(|| {
        Failure::usage("--install: the candidate names no folder of nets (nets=FOLDER)")
    })
}
