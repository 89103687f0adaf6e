//! `gammond tournament`.

use super::duel::{player, start_threads};
use crate::cli::{Common, Failure, Format};
use crate::duel::{Plan, Player, Tally, play_duel};
use std::io::Write as _;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Players, as for `duel`.
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<String>,
    /// Games between any two, in pairs with the same dice.
    #[arg(long, default_value_t = 100, value_name = "N")]
    games: u64,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    start_threads(common);
    let players: Vec<Box<dyn Player>> = (args.players.iter())
        .map(|text| player(common, text))
        .collect::<Result<_, _>>()?;
    let plan = Plan {
        seed: common.seed,
        pairs: args.games.div_ceil(2),
        decide: None,
    };
    let count = players.len();
    let mut results: Vec<Vec<Option<Tally>>> = vec![vec![None; count]; count];
    for i in 0..count {
        for j in i + 1..count {
            let pair = [&*players[i], &*players[j]];
            let tally = play_duel(&plan, pair, None, &mut |_| {})
                .map_err(|error| Failure::Work(error.to_string()))?;
            results[i][j] = Some(tally);
        }
    }
    let table = Table::new(&players, &results);
    let text = if common.format == Some(Format::Json) {
        table.json(common.seed, 2 * plan.pairs)
    } else {
        table.people(common.seed, 2 * plan.pairs)
    };
    std::io::stdout()
        .lock()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::Work(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// Points per game of each player against each other one, and in all, best first.
struct Table {
    names: Vec<String>,
    points: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Table {
    fn new(players: &[Box<dyn Player>], results: &[Vec<Option<Tally>>]) -> Table {
        let count = players.len();
        let mut points = vec![vec![0.0; count]; count];
        for (i, row) in results.iter().enumerate() {
            for (j, tally) in row.iter().enumerate() {
                if let Some(tally) = tally {
                    points[i][j] = tally.points.mean();
                    points[j][i] = -tally.points.mean();
                }
            }
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
