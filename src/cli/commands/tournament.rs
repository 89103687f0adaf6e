//! `gammond tournament`.

use crate::duels::{FailureArgs, FailureLog, TermsArgs, failures, print_notes};
use crate::{
    Common, Count, Failure, Format, OutputFile, Picture, PlayerOptions, ProgressArgs, farmed,
    finish, write_drawing,
};
use gammond_arena::duel::{DuelPlan, DuelTerms, Duels, Tally};
use gammond_arena::player::{Player, PlayerSpec};
use gammond_job::Runner;
use gammond_report::render::cross_table::{self, CrossTable};
use gammond_report::render::signed;
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    struct Args as Job {
        /// Players, as for `duel`.
        #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
        players: Vec<PlayerSpec>,
        /// Games (with `--match` matches) between any two, in pairs with the same dice.
        #[arg(long, default_value = "100", value_name = "N")]
        games: Count,
        #[command(flatten)]
        terms: TermsArgs,
        #[command(flatten)]
        failures: FailureArgs,
        /// Draw the cross table into this file, in points where its name ends with `.png`.
        #[arg(long, value_name = "FILE")]
        svg: Option<OutputFile>,
        /// Keep results in this file; the same command resumes from it after a stop.
        #[arg(long, value_name = "FILE")]
        journal: Option<OutputFile>,
    }
    dropped {
        #[command(flatten)]
        with: PlayerOptions,
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    if let Some(path) = &args.svg {
        Picture::named(path).check(path)?;
    }
    let players = common.players_at(args.terms.variant(), &args.players, &args.with)?;
    let plan = DuelPlan {
        seed: common.seed(),
        pairs: args.games.get().div_ceil(2),
        terms: args.terms.terms(),
        variant: args.terms.variant(),
        starts: args.terms.starts(common.seed())?,
        failures: args.failures.rule(),
        ..DuelPlan::default()
    };
    let borrowed: Vec<&dyn Player> = players.iter().map(|player| &**player).collect();
    let count = players.len();
    let pairings: Vec<[usize; 2]> = (0..count)
        .flat_map(|i| (i + 1..count).map(move |j| [i, j]))
        .collect();
    let failure_log = FailureLog::default();
    let report_failure = |error: &_| failure_log.report(error);
    let duels = Duels::new(&plan, &borrowed, pairings.clone())?.watching_failures(&report_failure);
    let mut control = common.control(args.progress)?;
    let journal = args.journal.as_deref();
    let outcome = Runner::new().journal(journal).run(&duels, &mut control)?;
    drop(control);
    print_notes(borrowed.iter().copied());
    let standings = Standings::new(&players, &pairings, &outcome.sum, plan.terms);
    // Duels take turns: none is more than a pair ahead of another.
    let games = outcome.sum.iter().map(|tally| tally.games() + tally.void);
    let games = games.min().unwrap_or(0);
    if let Some(path) = &args.svg {
        let picture = standings.svg(common.seed(), games);
        write_drawing(path, &picture)?;
    }
    let text = if common.format == Some(Format::Json) {
        standings.json(common.seed(), games)
    } else {
        let mut text = standings.text_report(common.seed(), games);
        for (&[i, j], tally) in pairings.iter().zip(&outcome.sum) {
            text.push_str(&failures(
                tally,
                [&standings.names[i], &standings.names[j]],
                &plan,
            ));
        }
        text
    };
    let otherwise = "with --journal FILE the same command could resume";
    finish(&text, outcome.complete, journal, otherwise)
}

/// Points per game (or per cent of matches won) of each player against each other one, and in all, best first.
struct Standings {
    names: Vec<String>,
    /// Mean and standard error.
    results: Vec<Vec<[f64; 2]>>,
    order: Vec<usize>,
    terms: DuelTerms,
}

impl Standings {
    fn new(
        players: &[Box<dyn Player>],
        pairings: &[[usize; 2]],
        tallies: &[Tally],
        terms: DuelTerms,
    ) -> Standings {
        let count = players.len();
        let even = [even(terms), 0.0];
        let mut results = vec![vec![even; count]; count];
        for (&[i, j], tally) in pairings.iter().zip(tallies) {
            for (place, sign) in [([i, j], 1.0), ([j, i], -1.0)] {
                let seen = match terms {
                    DuelTerms::Match(_) => tally.points.scaled(50.0 * sign, 50.0),
                    DuelTerms::Cubeless | DuelTerms::Money(_) => tally.points.scaled(sign, 0.0),
                };
                results[place[0]][place[1]] = [seen.mean(), seen.standard_error()];
            }
        }
        let mut order: Vec<usize> = (0..count).collect();
        let sum = |i: usize| results[i].iter().map(|result| result[0]).sum::<f64>();
        order.sort_by(|&a, &b| sum(b).total_cmp(&sum(a)));
        Standings {
            names: players.iter().map(|player| player.name()).collect(),
            results,
            order,
            terms,
        }
    }

    /// Returns the mean over the opponents.
    fn mean(&self, player: usize) -> f64 {
        let others = self.results[player].iter().enumerate();
        let sum: f64 = others
            .filter(|(other, _)| *other != player)
            .map(|(_, result)| result[0])
            .sum();
        sum / (self.names.len() - 1) as f64
    }

    fn title(&self, seed: u64, games: u64) -> String {
        let what = match self.terms {
            DuelTerms::Cubeless | DuelTerms::Money(_) => "points per game",
            DuelTerms::Match(_) => "per cent won",
        };
        let terms = self.terms.text().map(|text| format!(" ({text})"));
        let unit = self.terms.unit();
        let terms = terms.unwrap_or_default();
        format!("{games} {unit}{terms} between any two, seed {seed}; {what}")
    }

    fn digits(&self) -> usize {
        match self.terms {
            DuelTerms::Cubeless | DuelTerms::Money(_) => 4,
            DuelTerms::Match(_) => 2,
        }
    }

    fn text_report(&self, seed: u64, games: u64) -> String {
        let (mut text, digits) = (format!("{}\n", self.title(seed, games)), self.digits());
        for (rank, &i) in self.order.iter().enumerate() {
            text.push_str(&format!(
                "{:>2} {} ",
                rank + 1,
                signed(self.mean(i), digits)
            ));
            for &j in &self.order {
                let result = signed(self.results[i][j][0], digits);
                text.push_str(&format!(" {:>7}", if i == j { "." } else { &result }));
            }
            text.push_str(&format!("  {}\n", self.names[i]));
        }
        text
    }

    fn svg(&self, seed: u64, games: u64) -> String {
        let row = |&i: &usize| self.order.iter().map(|&j| self.results[i][j]).collect();
        let results: Vec<Vec<[f64; 2]>> = self.order.iter().map(row).collect();
        let names: Vec<String> = (self.order.iter())
            .map(|&i| self.names[i].clone())
            .collect();
        let means: Vec<f64> = self.order.iter().map(|&i| self.mean(i)).collect();
        cross_table::svg(&CrossTable {
            title: &self.title(seed, games),
            names: &names,
            results: &results,
            means: &means,
            even: even(self.terms),
            digits: self.digits(),
        })
    }

    fn json(&self, seed: u64, games: u64) -> String {
        let name = match self.terms {
            DuelTerms::Cubeless | DuelTerms::Money(_) => "points_per_game",
            DuelTerms::Match(_) => "per_cent_won",
        };
        let column = |i: usize, of: usize| -> Vec<f64> {
            self.order.iter().map(|&j| self.results[i][j][of]).collect()
        };
        let players: Vec<_> = (self.order.iter())
            .map(|&i| {
                serde_json::json!({
                    "player": self.names[i], name: self.mean(i), "against": column(i, 0),
                    "standard_errors": column(i, 1),
                })
            })
            .collect();
        let value = serde_json::json!({
            "seed": seed, "games": games, "terms": self.terms.text(), "ranking": players,
        });
        format!("{value}\n")
    }
}

/// Returns the result of two equal players.
const fn even(terms: DuelTerms) -> f64 {
    match terms {
        DuelTerms::Cubeless | DuelTerms::Money(_) => 0.0,
        DuelTerms::Match(_) => 50.0,
    }
}
