//! Hostile clients against the release program, one attack after another: what each costs in memory,
//! what a well-behaved client notices, and how soon the work of the dead stops. See README.md.

mod attacks;
mod clients;
mod server;
mod soak;
mod stage;
mod victim;

use server::{MemoryLimit, Options, Server, Setup};
use stage::{Bench, Limits, Report};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const HELP: &str = "\
hostile [OPTIONS]

  --quick               the attacks that matter most, shorter: about a minute
  --only NAME[,NAME]    some attacks, or all whose names begin so
  --list                names, goals and meaning of the attacks
  --gammond PATH        the program under attack [target/release/gammond]
  --json FILE           all figures, machine-readable
  --seconds N           length of an attack [5; quick 2]
  --memory MIB          the server's memory limit, as in tools/gammond.service [1024]
  --nice N              priority of the server; below 0 only as root [0]
  --untimed             waiting times are told, not judged: for a machine that has other work
  --watchdog-ms N       the watchdog's patience [2000]
  --limit-memory MIB    limits that are judged [256]
  --limit-zero-ply MS   p99 of a 0-ply question, over its quiet p99 [20]
  --limit-two-ply MS    the same of a 2-ply question [500]
  --limit-ping MS       longest ping, over its quiet p99 [100]
  --limit-dead MS       from the reset of the attackers until the server rests [100]

hostile soak [--hours N] [--share N] [--growth N] [--gammond PATH] [--json FILE] [-- OPTIONS OF SERVE]

  Visits of all kinds at low load for [3] hours, or a week: the server uses at most [0.1] of a
  processor, and its memory may grow by [2] percent from the second quarter to the last.
";

struct Arguments {
    bench: Bench,
    only: Vec<String>,
    json: Option<String>,
    list: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut found = Arguments {
        bench: Bench {
            setup: setup(),
            limits: Limits {
                memory_mib: 256.0,
                zero_ply_ms: 20.0,
                two_ply_ms: 500.0,
                ping_ms: 100.0,
                dead_ms: 100.0,
            },
            attack: Duration::ZERO,
            quiet: Duration::from_millis(1000),
            positions: Arc::new(Vec::new()),
            quick: false,
            untimed: false,
        },
        only: Vec::new(),
        json: None,
        list: false,
    };
    let mut seconds = None;
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let bench = &mut found.bench;
        match word.as_str() {
            "--quick" => bench.quick = true,
            "--untimed" => bench.untimed = true,
            "--list" => found.list = true,
            "--help" | "-h" => return Err(HELP.to_owned()),
            _ => {
                let value = words
                    .next()
                    .ok_or_else(|| format!("{word}: unknown, or without a value\n\n{HELP}"))?;
                let number = || {
                    value
                        .parse::<f64>()
                        .map_err(|_| format!("{word}: {value:?} is no number"))
                };
                match word.as_str() {
                    "--only" => found.only = value.split(',').map(str::to_owned).collect(),
                    "--json" => found.json = Some(value),
                    "--gammond" => bench.setup.gammond = value.into(),
                    "--seconds" => seconds = Some(number()?),
                    "--memory" => bench.setup.memory_mib = number()? as u64,
                    "--nice" => bench.setup.nice = number()? as i32,
                    "--watchdog-ms" => {
                        bench.setup.watchdog = Duration::from_secs_f64(number()? / 1e3)
                    }
                    "--limit-memory" => bench.limits.memory_mib = number()?,
                    "--limit-zero-ply" => bench.limits.zero_ply_ms = number()?,
                    "--limit-two-ply" => bench.limits.two_ply_ms = number()?,
                    "--limit-ping" => bench.limits.ping_ms = number()?,
                    "--limit-dead" => bench.limits.dead_ms = number()?,
                    _ => return Err(format!("{word}: unknown\n\n{HELP}")),
                }
            }
        }
    }
    let seconds = seconds.unwrap_or(if found.bench.quick { 2.0 } else { 5.0 });
    found.bench.attack = Duration::from_secs_f64(seconds);
    if found.bench.quick {
        found.bench.quiet = Duration::from_millis(400);
    }
    Ok(found)
}

/// The words after `soak`.
fn soak(mut words: impl Iterator<Item = String>) -> Result<bool, String> {
    let mut setup = setup();
    let mut plan = soak::Plan {
        hours: 3.0,
        share: 0.1,
        growth_percent: 2.0,
        json: None,
        serve: Vec::new(),
    };
    while let Some(word) = words.next() {
        if word == "--" {
            plan.serve = words.collect();
            break;
        }
        let value = words
            .next()
            .ok_or_else(|| format!("{word}: unknown, or without a value\n\n{HELP}"))?;
        let number = || {
            value
                .parse::<f64>()
                .map_err(|_| format!("{word}: {value:?} is no number"))
        };
        match word.as_str() {
            "--hours" => plan.hours = number()?,
            "--share" => plan.share = number()?,
            "--growth" => plan.growth_percent = number()?,
            "--json" => plan.json = Some(value),
            "--gammond" => setup.gammond = value.into(),
            _ => return Err(format!("{word}: unknown\n\n{HELP}")),
        }
    }
    soak::run(&setup, &plan)
}

fn setup() -> Setup {
    Setup {
        gammond: "target/release/gammond".into(),
        memory_mib: 1024,
        nice: 0,
        watchdog: Duration::from_secs(2),
    }
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let done = match words.next().as_deref() {
        Some("soak") => soak(words),
        _ => arguments().and_then(run),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: Arguments) -> Result<bool, String> {
    let wanted = |name: &str| {
        arguments
            .only
            .iter()
            .any(|only| name.starts_with(only.as_str()))
    };
    let attacks: Vec<_> = attacks::all()
        .into_iter()
        .filter(|attack| match arguments.only.is_empty() {
            true => attack.quick || !arguments.bench.quick,
            false => wanted(attack.name),
        })
        .collect();
    if attacks.is_empty() {
        return Err("no attack has such a name; see --list".to_owned());
    }
    if arguments.list {
        for attack in attacks {
            let quick = if attack.quick { "quick" } else { "" };
            println!(
                "{:18} {:5} {:16} {}",
                attack.name, quick, attack.goals, attack.what
            );
        }
        return Ok(true);
    }
    let begun = Instant::now();
    let bench = &mut arguments.bench;
    {
        let server = Server::start(&bench.setup, &Options::default())?;
        bench.positions = Arc::new(victim::positions(server.tcp, 400)?);
    }
    let limit = MemoryLimit::new(bench.setup.memory_mib).how();
    let (seconds, quiet) = (bench.attack.as_secs_f64(), bench.quiet.as_secs_f64());
    println!(
        "{} attacks of {seconds} s beside three victims ({quiet} s quiet first), memory: {limit}",
        attacks.len()
    );
    println!(
        "milliseconds where nothing else is said\n\n{}",
        Report::head()
    );
    let mut reports = Vec::new();
    for attack in attacks {
        let report = stage::run(bench, &attack);
        println!("{}", report.row());
        reports.push(report);
    }
    let broken = reports
        .iter()
        .filter(|report| !report.broken.is_empty())
        .count();
    println!(
        "\n{broken} of {} broken, {:.0} s",
        reports.len(),
        begun.elapsed().as_secs_f64()
    );
    if let Some(path) = &arguments.json {
        let value = serde_json::json!({
            "memory_limit": limit,
            "limits": {
                "memory_mib": bench.limits.memory_mib, "zero_ply_ms": bench.limits.zero_ply_ms,
                "two_ply_ms": bench.limits.two_ply_ms, "ping_ms": bench.limits.ping_ms, "dead_ms": bench.limits.dead_ms,
            },
            "attacks": reports.iter().map(Report::json).collect::<Vec<_>>(),
        });
        std::fs::write(path, format!("{value:#}\n")).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(broken == 0)
}
