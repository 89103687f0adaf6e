//! `gammond tournament`.

use crate::cli::{COUNT_MAX, Common, Failure, Format, PlayerOptions, ProgressArgs, finish};
use crate::duel::{DuelPlan, Duels, Tally};
use crate::job::Runner;
use crate::player::Player;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Players, as for `duel`.
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<String>,
    /// Games between any two, in pairs with the same dice.
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=COUNT_MAX))]
    games: u64,
    #[command(flatten)]
    with: PlayerOptions,
    /// Keep results in this file; the same command goes on from it after a stop.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let players = common.players(&args.players, &args.with)?;
    let plan = DuelPlan {
        seed: common.seed,
        pairs: args.games.div_ceil(2),
        decide: None,
        independent: false,
    };
    let borrowed: Vec<&dyn Player> = players.iter().map(|player| &**player).collect();
    let count = players.len();
    let pairings: Vec<[usize; 2]> = (0..count)
        .flat_map(|i| (i + 1..count).map(move |j| [i, j]))
        .collect();
    let duels = Duels::new(&plan, &borrowed, pairings.clone())?;
    let mut control = common.control(args.progress)?;
    let journal = args.journal.as_deref();
    let outcome = Runner::new().journal(journal).run(&duels, &mut control)?;
    drop(control);
    let table = Table::new(&players, &pairings, &outcome.sum);
    // Duels take turns: none is more than a pair ahead of another.
    let games = outcome.sum.iter().map(Tally::games).min().unwrap_or(0);
    let text = if common.format == Some(Format::Json) {
        table.json(common.seed, games)
    } else {
        table.people(common.seed, games)
    };
    let otherwise = "with --journal FILE the same command could go on";
    finish(&text, outcome.complete, journal, otherwise)
}

/// Points per game of each player against each other one, and in all, best first.
struct Table {
    names: Vec<String>,
    points: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Table {
    fn new(players: &[Box<dyn Player>], pairings: &[[usize; 2]], tallies: &[Tally]) -> Table {
        let count = players.len();
        let mut points = vec![vec![0.0; count]; count];
        for (&[i, j], tally) in pairings.iter().zip(tallies) {
            points[i][j] = tally.points.mean();
            points[j][i] = -tally.points.mean();
        }
        let mut order: Vec<usize> = (0..count).collect();
        let sum = |i: usize| points[i].iter().sum::<f64>();
        order.sort_by(|&a, &b| sum(b).total_cmp(&sum(a)));
        Table {
            names: players.iter().map(|player| player.name()).collect(),
            points,
            order,
        }
    }

    /// Mean over the opponents.
    fn mean(&self, player: usize) -> f64 {
        self.points[player].iter().sum::<f64>() / (self.names.len() - 1) as f64
    }

    fn people(&self, seed: u64, games: u64) -> String {
        let mut text = format!("{games} games between any two, seed {seed}; points per game\n");
        for (rank, &i) in self.order.iter().enumerate() {
            text.push_str(&format!("{:>2} {:+.4} ", rank + 1, self.mean(i)));
            for &j in &self.order {
                text.push_str(&if i == j {
                    "       .".to_owned()
                } else {
                    format!(" {:+.4}", self.points[i][j])
                });
            }
            text.push_str(&format!("  {}\n", self.names[i]));
        }
        text
    }

    fn json(&self, seed: u64, games: u64) -> String {
        let players: Vec<_> = (self.order.iter())
            .map(|&i| {
                let against: Vec<f64> = self.order.iter().map(|&j| self.points[i][j]).collect();
                serde_json::json!({
                    "player": self.names[i], "points_per_game": self.mean(i), "against": against,
                })
            })
            .collect();
        let value = serde_json::json!({"seed": seed, "games": games, "ranking": players});
        format!("{value}\n")
    }
}
