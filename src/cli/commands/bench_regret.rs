//! `gammond bench regret`: players' losses at decisions that deeper searches evaluate.

use super::label::read_with_warnings;
use crate::{
    Common, Failure, Format, InputFile, Measured, OutputFile, ProgressArgs, farmed, finish, known,
};
use gammond_arena::benchmark::regret::{PlayJudge, Regrets, decisions};
use gammond_arena::player::{Ours, Player, PlayerSpec};
use gammond_base::stats::Running;
use gammond_engine::query::Options;
use gammond_job::{Runner, Whole};
use gammond_report::render::signed;
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    #[command(
        after_help = "Example:\n  gammond sample fresh.labels --positions 30000 --seed 7\n  \
        gammond sample dump fresh.labels >fresh.txt\n  \
        gammond bench regret fresh.txt --player gammond:plies=1 --against gammond --judge gammond:plies=2 \
        --judge gammond:nets=gnubg.wd:plies=2"
    )]
    struct Args as Job {
        /// Positions, one a line: any position text, or lines of a training file.
        #[arg(value_name = "FILE")]
        file: InputFile,
        /// Number of decisions.
        #[arg(long, default_value = "20000", value_name = "N")]
        decisions: Whole<1, 10_000_000>,
        /// Engine that evaluates the decisions, as `gammond[:nets=PATH][:plies=N]`; the mean if there are several.
        /// Default: gammond:plies=2.
        #[arg(long = "judge", value_name = "PLAYER")]
        judges: Vec<PlayerSpec>,
        /// Number of plays that are evaluated beside those that the players choose: the best by the first judge's
        /// static values. 0 is enough, and fast, if only the difference of two players matters.
        #[arg(long, default_value = "4", value_name = "N")]
        candidates: Whole<0, 100>,
        /// Keep losses in this file; the same command resumes from it after a stop.
        #[arg(long, value_name = "FILE")]
        journal: Option<OutputFile>,
        #[command(flatten)]
        players: Measured,
    }
    dropped {
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let players = args.players.open(common)?;
    let judges = judges(&args.judges, &common.ours())?;
    let (found, damaged) = read_with_warnings(&args.file)?;
    let all = decisions(&found, args.decisions.to(), common.seed());
    if all.is_empty() {
        let path = args.file.display();
        return Err(Failure::file(format!("{path}: no position with a choice")));
    }
    let of_all = players.iter().map(|player| &**player).collect();
    let job = Regrets::new(&all, of_all, &judges, args.candidates.to())?;
    let mut control = common.control(args.progress)?;
    let journal = args.journal.as_deref();
    let outcome = Runner::new().journal(journal).run(&job, &mut control)?;
    drop(control);
    let lost = outcome.sum;
    let text = match common.format {
        Some(Format::Json) => json(&lost, &players, &judges),
        _ => text_report(&lost, &players, &judges),
    };
    let otherwise = "the figures are those of the first decisions; with --journal FILE the same command could resume";
    let ended = finish(&text, outcome.complete, journal, otherwise)?;
    Ok(if outcome.complete && damaged {
        ExitCode::FAILURE
    } else {
        ended
    })
}

/// Opens the judges. The common options give the settings of our engine that they leave open.
fn judges(specs: &[PlayerSpec], common: &Ours) -> Result<Vec<PlayJudge>, Failure> {
    let mut options = Options::default();
    options.plies = Some(2);
    let usual = [PlayerSpec::Gammond(Ours {
        options: Box::new(options),
        ..Ours::default()
    })];
    let specs = if specs.is_empty() { &usual[..] } else { specs };
    let judge = |spec: &PlayerSpec| match spec {
        PlayerSpec::Gammond(ours) => Ok(PlayJudge::new(&ours.or(common))?),
        _ => Err(Failure::usage(
            "--judge: that player cannot be a judge; expected gammond[:nets=PATH][:plies=N]",
        )),
    };
    specs.iter().map(judge).collect()
}

/// Returns the losses of one player, and how often it loses anything.
fn of_player(lost: &[Vec<f64>], player: usize) -> (Running, usize) {
    let mut running = Running::default();
    running.extend(lost.iter().map(|lost| lost[player]));
    (
        running,
        lost.iter().filter(|lost| lost[player] > 0.0).count(),
    )
}

/// Returns the losses of the first player less those of the second, when there are two or more.
fn difference(lost: &[Vec<f64>]) -> Option<Running> {
    let mut running = Running::default();
    for lost in lost {
        let [first, second, ..] = lost[..] else {
            return None;
        };
        running.add(first - second);
    }
    Some(running)
}

fn text_report(lost: &[Vec<f64>], players: &[Box<dyn Player>], judges: &[PlayJudge]) -> String {
    let names: Vec<String> = judges.iter().map(PlayJudge::name).collect();
    let mut text = format!(
        "{} decisions, judged by {}; losses in thousandths of a point\n",
        lost.len(),
        names.join(" and ")
    );
    for (index, player) in players.iter().enumerate() {
        let (loss, wrong) = of_player(lost, index);
        let share = 100.0 * wrong as f64 / lost.len().max(1) as f64;
        text.push_str(&format!(
            "{}: {:.3} +- {}, another play than the best in {share:.1} %\n",
            player.name(),
            1000.0 * loss.mean(),
            known(loss.known_error().map(|error| 1000.0 * error), 3)
        ));
    }
    if let Some(difference) = difference(lost) {
        let interval = match difference.known_interval99() {
            Some([low, high]) => format!(
                "{} to {}",
                signed(1000.0 * low, 3),
                signed(1000.0 * high, 3)
            ),
            None => "unknown".to_owned(),
        };
        text.push_str(&format!(
            "first less second: {} +- {}, 99 % interval {interval}\n",
            signed(1000.0 * difference.mean(), 3),
            known(difference.known_error().map(|error| 1000.0 * error), 3)
        ));
    }
    text
}

fn json(lost: &[Vec<f64>], players: &[Box<dyn Player>], judges: &[PlayJudge]) -> String {
    let figures = |running: &Running| {
        serde_json::json!({
            "mean": running.mean(), "standard_error": running.known_error(),
            "interval99": running.known_interval99(),
        })
    };
    let players: Vec<_> = (players.iter().enumerate())
        .map(|(index, player)| {
            let (loss, wrong) = of_player(lost, index);
            serde_json::json!({"player": player.name(), "loss": figures(&loss), "not_best": wrong})
        })
        .collect();
    let judges: Vec<String> = judges.iter().map(PlayJudge::name).collect();
    let difference = difference(lost).map(|difference| figures(&difference));
    let value = serde_json::json!({
        "decisions": lost.len(), "judges": judges, "players": players, "difference": difference,
    });
    format!("{value}\n")
}
