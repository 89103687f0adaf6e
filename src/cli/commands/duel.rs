//! `gammond duel`.

use crate::cli::{COUNT_MAX, Common, Failure, Format, PlayerOptions, ProgressArgs, finish, points};
use crate::duel::{
    DuelPlan, PlayedPair, PlayedTurn, Tally, play_adjusted, play_duel, play_watched_duel,
};
use crate::engine::{Engine, Nets};
use crate::game::find_play;
use crate::journal::write_whole;
use crate::notation::{MatAction, MatGame, MatPlayer, MatchFile};
use crate::player::Player;
use crate::stats::{SprtVerdict, sequential};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Players: `gammond[:nets=PATH][:plies=N][:bearoff=DIR]`, `pubeval`, `random`, `pipe:COMMAND`,
    /// `ubgi:COMMAND`, `external:HOST:PORT`; of the laboratory `linear[:FILE]`, `expectiminimax[:depth=2][:eval=PLAYER]`,
    /// `td:FILE`, `hillclimb:FILE`, `parts:FILE`.
    a: String,
    /// The other player.
    b: String,
    /// Games, played in pairs with the same dice and the sides changed.
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    games: u64,
    /// Stop earlier, once a sequential test (5 % errors) has decided between 0 and this many
    /// points per game.
    #[arg(long, value_name = "POINTS", value_parser = points)]
    decide: Option<f64>,
    /// Keep results in this file; the same command goes on from it after a stop.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Take out the luck that these nets see: a path, `embedded` or `embedded:fast`. About a fiftieth of the games then
    /// gives the same precision. Such a duel does not stop early.
    #[arg(long, value_name = "NETS", conflicts_with = "decide")]
    luck_adjusted: Option<String>,
    /// Each game has dice of its own. Without this the two games of a pair have the same dice, and a player against itself
    /// is even whatever it does.
    #[arg(long, conflicts_with = "luck_adjusted")]
    independent_dice: bool,
    /// Write each pair of games as a match file into this folder; pairs that the journal has are not played, and not written.
    #[arg(long, value_name = "DIR", conflicts_with = "luck_adjusted")]
    mat: Option<PathBuf>,
    /// Say nothing while playing: `--progress none`.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    players: PlayerOptions,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// What a stopped command that kept nothing says.
const RESUME: &str = "with --journal FILE the same command could go on";

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let players = common.players([&args.a, &args.b], &args.players)?;
    let [a, b] = &players[..] else {
        return Err(Failure::usage("two players are wanted"));
    };
    if let Some(nets) = &args.luck_adjusted {
        return adjusted(common, args, [&**a, &**b], nets);
    }
    let plan = DuelPlan {
        seed: common.seed,
        pairs: args.games.div_ceil(2),
        decide: args.decide,
        independent: args.independent_dice,
    };
    let mut control = common.control(args.progress.quiet(args.quiet))?;
    let journal = args.journal.as_deref();
    let pair = [&**a, &**b];
    let failed = Mutex::new(None);
    let outcome = match &args.mat {
        None => play_duel(&plan, pair, journal, &mut control)?,
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(Failure::in_file(folder))?;
            let names = pair.map(Player::name);
            let stop = control.stop.clone();
            let watch = |played: PlayedPair| {
                if let Err(error) = write_pair(folder, &names, plan.seed, played) {
                    failed
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(error);
                    stop.trigger();
                }
            };
            play_watched_duel(&plan, pair, Some(&watch), journal, &mut control)?
        }
    };
    drop(control);
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let folder = args.mat.as_deref().unwrap_or(Path::new("."));
        return Err(Failure::unwritten(folder)(error));
    }
    let tally = outcome.sum;
    let text = if common.format == Some(Format::Json) {
        json(&tally, [&**a, &**b], args, common.seed)
    } else {
        people(&tally, [&**a, &**b], args, common.seed)
    };
    finish(&text, outcome.complete, journal, RESUME)
}

/// A pair of games as a session of two for money: without a cube, so that gammons count in any case.
fn write_pair(
    folder: &Path,
    names: &[String; 2],
    seed: u64,
    played: PlayedPair,
) -> std::io::Result<()> {
    let [jacoby, beaver] = MatchFile::WITHOUT_JACOBY;
    let headers = [jacoby, beaver, " [CubeLimit \"1\"]"];
    let mut file = MatchFile {
        length: 0,
        names: names.clone(),
        comments: headers.map(str::to_owned).into(),
        games: Vec::new(),
    };
    let mut scores = [0; 2];
    for (turns, points) in played.games {
        let side = |player: usize| match player {
            0 => MatPlayer::First,
            _ => MatPlayer::Second,
        };
        let action = |turn: &PlayedTurn| {
            let roll = turn.roll;
            let found = find_play(&turn.before, roll, &turn.after)?;
            Some((side(turn.player), MatAction::Play { roll, play: found }))
        };
        let winner = side(usize::from(points < 0));
        file.games.push(MatGame {
            scores,
            actions: turns.iter().map_while(action).collect(),
            result: (points != 0).then_some((winner, u32::from(points.unsigned_abs()))),
        });
        if let Some(sum) = scores.get_mut(winner.index()) {
            *sum += u32::from(points.unsigned_abs());
        }
    }
    let path = folder.join(format!("duel-{seed}-{:06}.mat", played.number + 1));
    write_whole(&path, file.to_string().as_bytes())
}

/// The duel without luck.
fn adjusted(
    common: &Common,
    args: &Args,
    players: [&dyn Player; 2],
    nets: &str,
) -> Result<ExitCode, Failure> {
    let which = match nets {
        "embedded" => Nets::Embedded,
        "embedded:fast" => Nets::EmbeddedFast,
        path => Nets::Path(path.into()),
    };
    let engine = Engine::builder().nets(which).threads(1).build()?;
    let judge = engine.evaluator().as_ref();
    let mut control = common.control(args.progress.quiet(args.quiet))?;
    let journal = args.journal.as_deref();
    let pairs = args.games.div_ceil(2);
    let judge = (judge, engine.identity()?);
    let plan = (common.seed, pairs);
    let outcome = play_adjusted(plan, players, judge, journal, &mut control)?;
    drop(control);
    let seen = outcome.sum;
    let [mean, error] = [seen.adjusted.mean(), seen.adjusted.standard_error()];
    let [low, high] = seen.adjusted.interval99();
    let (names, games) = (players.map(Player::name), 2 * seen.points.count());
    let text = if common.format == Some(Format::Json) {
        let value = serde_json::json!({
            "players": names, "seed": common.seed, "games": games, "judge": engine.net_name(),
            "points_per_game": mean, "standard_error": error, "interval99": [low, high],
            "unadjusted": seen.points.mean(), "unadjusted_error": seen.points.standard_error(),
            "variance_factor": seen.factor(),
        });
        format!("{value}\n")
    } else {
        format!(
            "{} against {}, seed {}, luck judged by {}\n{games} games: {mean:+.4} points per game, standard error \
             {error:.4}, 99 % interval {low:+.4} to {high:+.4}\nwith the luck {:+.4} +- {:.4}; variance / {:.0}\n",
            names[0],
            names[1],
            common.seed,
            engine.net_name(),
            seen.points.mean(),
            seen.points.standard_error(),
            seen.factor()
        )
    };
    finish(&text, outcome.complete, journal, RESUME)
}

fn verdict(tally: &Tally, args: &Args) -> Option<(f64, &'static str)> {
    let (ratio, verdict) = sequential(&tally.points, 0.0, args.decide?);
    let word = match verdict {
        SprtVerdict::Open => "open",
        SprtVerdict::Lower => "lower",
        SprtVerdict::Higher => "higher",
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
