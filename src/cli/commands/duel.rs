//! `gammond duel`.

use crate::cli::{Common, Failure, Format};
use crate::duel::{Plan, Player, PlayerError, PlayerSpec, Tally, play_duel};
use crate::stats::{Verdict, sequential};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Players: `gammond[:nets=PATH][:plies=N]`, `pubeval`, `random`, `pipe:COMMAND`,
    /// `ubgi:COMMAND` or `external:HOST:PORT`.
    a: String,
    /// The other player.
    b: String,
    /// Games, played in pairs with the same dice and the sides changed.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    games: u64,
    /// Stop earlier, once a sequential test (5 % errors) has decided between 0 and this many
    /// points per game.
    #[arg(long, value_name = "POINTS")]
    decide: Option<f64>,
    /// Keep results in this file; the same command goes on from it after a stop.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Say nothing while playing.
    #[arg(long)]
    quiet: bool,
}

/// A player by its text; `gammond` alone takes the common options for nets and plies.
pub(super) fn player(common: &Common, text: &str) -> Result<Box<dyn Player>, Failure> {
    let failed = |error: PlayerError| match error {
        PlayerError::Spec { .. } => Failure::Usage(error.to_string()),
        PlayerError::Engine(error) => error.into(),
        other => Failure::Work(other.to_string()),
    };
    let mut spec: PlayerSpec = text.parse().map_err(failed)?;
    if text == "gammond" {
        spec = PlayerSpec::Gammond {
            nets: (common.nets != "embedded").then(|| PathBuf::from(&common.nets)),
            plies: common.plies,
        };
    }
    spec.open().map_err(failed)
}

/// Starts the threads of a job that computes in rayon's own pool.
pub(super) fn start_threads(common: &Common) {
    if let Some(threads) = common.threads {
        // It fails only when the pool runs already, which is as good.
        let _ = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build_global();
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    start_threads(common);
    let (a, b) = (player(common, &args.a)?, player(common, &args.b)?);
    let plan = Plan {
        seed: common.seed,
        pairs: args.games.div_ceil(2),
        decide: args.decide,
    };
    let mut report = |tally: &Tally| {
        if !args.quiet {
            let (mean, error) = (tally.points.mean(), tally.points.standard_error());
            eprint!("\r{} games: {mean:+.4} +- {error:.4} ", tally.games());
        }
    };
    let tally = play_duel(&plan, [&*a, &*b], args.journal.as_deref(), &mut report)
        .map_err(|error| Failure::Work(error.to_string()))?;
    if !args.quiet {
        eprintln!();
    }
    let text = if common.format == Some(Format::Json) {
        json(&tally, [&*a, &*b], args, common.seed)
    } else {
        people(&tally, [&*a, &*b], args, common.seed)
    };
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())
        .map_err(|error| Failure::Work(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

fn verdict(tally: &Tally, args: &Args) -> Option<(f64, &'static str)> {
    let (ratio, verdict) = sequential(&tally.points, 0.0, args.decide?);
    let word = match verdict {
        Verdict::Open => "open",
        Verdict::Lower => "lower",
        Verdict::Higher => "higher",
    };
    Some((ratio, word))
}

fn people(tally: &Tally, players: [&dyn Player; 2], args: &Args, seed: u64) -> String {
    let (mean, error) = (tally.points.mean(), tally.points.standard_error());
    let [low, high] = tally.points.interval99();
    let games = tally.games();
    let mut text = format!(
        "{} against {}, seed {seed}\n{games} games: {mean:+.4} points per game, standard error \
         {error:.4}, 99 % interval {low:+.4} to {high:+.4}\n",
        players[0].name(),
        players[1].name()
    );
    let percent = |n: u64| 100.0 * n as f64 / games.max(1) as f64;
    for (player, [wins, gammons, backgammons]) in players.iter().zip(tally.wins) {
        text.push_str(&format!(
            "{}: won {:.2} %, gammons {:.2} %, backgammons {:.2} %\n",
            player.name(),
            percent(wins),
            percent(gammons),
            percent(backgammons)
        ));
    }
    if let Some((ratio, word)) = verdict(tally, args) {
        text.push_str(&format!(
            "sequential test: {word} (log ratio {ratio:+.3})\n"
        ));
    }
    text
}

fn json(tally: &Tally, players: [&dyn Player; 2], args: &Args, seed: u64) -> String {
    let value = serde_json::json!({
        "players": players.map(Player::name),
        "seed": seed,
        "games": tally.games(),
        "points_per_game": tally.points.mean(),
        "standard_error": tally.points.standard_error(),
        "interval99": tally.points.interval99(),
        "wins": tally.wins,
        "sequential": verdict(tally, args).map(|v| v.1),
    });
    format!("{value}\n")
}
