//! CPU and wall time of searched decisions: `search NETS TASK.json THREADS [MARGIN KEEP]`, as
//! `tools/search_speed.py` calls it; by hand `cargo bench --bench search` times a few decisions of
//! the start position with the embedded nets.
//!
//! A task is a JSON object with `kind` (play or cube), `plies` and `items` (GNUbg ID and dice).
//! The cache is emptied before every decision. With a MARGIN and a KEEP for pruning
//! the values are compared with those without any.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench prints its figures and may fail loudly"
)]

use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{CubeQuery, MoveFilter, PlayQuery, Settings, Stop};
use gammond_game::notation::parse_position;
use gammond_game::{MatchState, Position, Roll};
use std::error::Error;
use std::time::{Duration, Instant};

/// CPU time of all threads of this process so far.
fn cpu() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten();
    let nanoseconds = tasks.flatten().filter_map(|task| {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

struct Item {
    position: Position,
    state: MatchState,
    roll: Roll,
}

struct Task {
    is_play: bool,
    plies: u8,
    items: Vec<Item>,
}

fn read(path: &str) -> Result<Task, Box<dyn Error>> {
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let mut items = Vec::new();
    for item in json["items"].as_array().ok_or("no items")? {
        let parsed = parse_position(item[0].as_str().ok_or("no id")?.as_bytes())?;
        let die = |index: usize| item[1][index].as_u64().unwrap_or_default() as u8;
        items.push(Item {
            position: parsed.position,
            state: parsed.state.unwrap_or_default(),
            roll: Roll::new(die(0), die(1))?,
        });
    }
    Ok(Task {
        is_play: json["kind"] == "play",
        plies: json["plies"].as_u64().unwrap_or_default() as u8,
        items,
    })
}

fn by_hand() -> Result<Vec<Task>, Box<dyn Error>> {
    let mut tasks = Vec::new();
    for (is_play, plies) in [(true, 0), (true, 1), (true, 2), (false, 1), (false, 2)] {
        let item = |&roll| Item {
            position: Position::start(),
            state: MatchState::default(),
            roll,
        };
        let items = Roll::ALL
            .iter()
            .take(if plies == 2 { 4 } else { 21 })
            .map(item);
        tasks.push(Task {
            is_play,
            plies,
            items: items.collect(),
        });
    }
    Ok(tasks)
}

/// How long a deep search goes on after it was told to stop.
fn stopping(engine: &Engine) -> Result<(), Box<dyn Error>> {
    let mut waits = Vec::new();
    for round in 0..40u32 {
        engine.clear_cache();
        let stop = Stop::new();
        let (told, ended) = std::thread::scope(|scope| {
            let search = scope.spawn(|| {
                let query = PlayQuery {
                    position: Position::start(),
                    roll: Roll::ALL[round as usize % Roll::ALL.len()],
                    state: MatchState::default(),
                };
                let mut settings = Settings::plies(4);
                // Always several candidates at the full depth: seconds of work.
                settings.filter = MoveFilter::gnubg(16, 9.0, 6, 9.0);
                let answer = engine.rank_plays(&query, &settings, &stop);
                (answer.is_err(), Instant::now())
            });
            std::thread::sleep(Duration::from_millis(20 + u64::from(round)));
            stop.trigger();
            (Instant::now(), search.join())
        });
        let (stopped, ended) = ended.map_err(|_| "a search panicked")?;
        assert!(stopped, "it was over before");
        waits.push(ended.saturating_duration_since(told).as_secs_f64());
    }
    waits.sort_by(f64::total_cmp);
    let (middle, most) = (1e6 * waits[20], 1e6 * waits[39]);
    println!("4-ply search ends after a stop: median {middle:.0} us, longest of 40 {most:.0} us");
    Ok(())
}

struct Found {
    cpu: f64,
    wall: f64,
    values: Vec<f64>,
}

fn run(engine: &Engine, task: &Task, settings: &Settings) -> Result<Found, Box<dyn Error>> {
    let stop = Stop::never();
    let mut values = Vec::new();
    // Around all decisions: looking takes as long as a quick decision.
    let (before, start) = (cpu(), Instant::now());
    for item in &task.items {
        engine.clear_cache();
        values.push(if task.is_play {
            let query = PlayQuery {
                position: item.position,
                roll: item.roll,
                state: item.state,
            };
            engine.rank_plays(&query, settings, &stop)?.plays[0]
                .value
                .equity
        } else {
            let query = CubeQuery {
                position: item.position,
                state: item.state,
            };
            engine
                .cube_action(&query, settings, &stop)?
                .no_double
                .equity
        });
    }
    let (wall, spent) = (start.elapsed(), cpu().saturating_sub(before));
    let count = task.items.len().max(1) as f64;
    Ok(Found {
        cpu: spent.as_secs_f64() / count,
        wall: wall.as_secs_f64() / count,
        values,
    })
}

/// Mean and largest difference.
fn differences(a: &[f64], b: &[f64]) -> (f64, f64) {
    let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    let count = a.len().max(1) as f64;
    (each.clone().sum::<f64>() / count, each.fold(0.0, f64::max))
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let nets = match words.first().map(String::as_str) {
        None | Some("embedded") => Nets::Embedded,
        Some("embedded:fast") => Nets::EmbeddedFast,
        Some(path) => Nets::Path(path.into()),
    };
    let tasks = match words.get(1) {
        Some(path) => vec![read(path)?],
        None => by_hand()?,
    };
    let threads = words.get(2).map_or(Ok(1), |word| word.parse())?;
    let margin = words.get(3).map(|word| word.parse()).transpose()?;
    let keep = words.get(4).map(|word| word.parse()).transpose()?;
    let engine = Engine::builder().nets(nets).threads(threads).build()?;
    if words.len() < 2 {
        stopping(&engine)?;
    }
    for task in &tasks {
        let mut settings = Settings::plies(task.plies);
        (settings.prune_margin, settings.prune_keep) = (margin, keep);
        if let Some(first) = task.items.first() {
            // Once for nothing: threads, tables and pages are warm afterwards.
            let warm = Task {
                items: vec![Item { ..*first }],
                ..*task
            };
            run(&engine, &warm, &settings)?;
        }
        let found = run(&engine, task, &settings)?;
        let kind = if task.is_play { "play" } else { "cube" };
        let (plies, cpu, wall) = (task.plies, found.cpu, found.wall);
        print!("{kind} {plies}-ply CPU {cpu:.7} WALL {wall:.7} s a decision");
        if margin.is_some() {
            settings.prune = false;
            let full = run(&engine, task, &settings)?;
            let (mean, most) = differences(&found.values, &full.values);
            print!(
                " DIFFERENCE mean {mean:.6} most {most:.6} unpruned CPU {:.7}",
                full.cpu
            );
        }
        println!();
    }
    Ok(())
}
