//! Hours or weeks of hostile visits at low load, beside a victim: does memory, do descriptors,
//! threads or waiting times grow?

use crate::attacks::{BOARD, LONG, WIDE};
use crate::clients::{Client, Random};
use crate::server::{Options, Server, Setup};
use crate::stage::stats;
use crate::victim::{self, ATTACK, Kind, Log, OVER, Victim};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

pub struct Plan {
    pub hours: f64,
    /// Share of a processor that the server may use on average.
    pub share: f64,
    /// Growth of resident memory from the second quarter to the last, in percent.
    pub growth_percent: f64,
    pub json: Option<String>,
    pub serve: Vec<String>,
}

type Visit = fn(SocketAddr, &mut Random) -> std::io::Result<()>;

const VISITS: &[(&str, Visit)] = &[
    ("loris", loris),
    ("flood", |to, _| {
        all_of(to, &"move 4HPwATDgc/ABMA 31 top=1\n".repeat(200), 200)
    }),
    ("unread", |to, random| {
        leave(to, "move 4HPwATDgc/ABMA 31\nget\nhelp\n", 100, random)
    }),
    ("wide", |to, random| leave(to, WIDE, 2, random)),
    ("vanish", |to, random| leave(to, LONG, 20, random)),
    ("garbage", garbage),
    ("half-close", half_close),
    ("storm", |to, _| {
        (0..50).try_for_each(|_| Client::tcp(to, 9, 0).map(drop))
    }),
    ("long-lines", |to, random| {
        leave(to, &format!("{}\n", "x".repeat(20_000)), 3, random)
    }),
    ("boards", boards),
    ("ubgi", ubgi),
    ("settings", |to, _| {
        all_of(
            to,
            "set plies=9\nset top=3 cube=3\nset length=5 score=9:9\nget\nshow\nquit now\n",
            6,
        )
    }),
    ("http", |to, random| {
        leave(to, "POST / HTTP/1.1\r\nHost: x\r\n\r\nping\n", 1, random)
    }),
];

fn loris(to: SocketAddr, _: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 1, 0)?;
    for _ in 0..20 {
        client.send(b"m")?;
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Asks and wants every answer.
fn all_of(to: SocketAddr, lines: &str, answers: usize) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 2, 0)?;
    client.send(lines.as_bytes())?;
    for got in 0..answers {
        if client.line(Duration::from_secs(30)).is_none() {
            return Err(std::io::Error::other(format!("{got} of {answers} answers")));
        }
    }
    Ok(())
}

/// Asks and goes without reading.
fn leave(to: SocketAddr, lines: &str, times: usize, random: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 3, 4096)?;
    client.push(lines.repeat(times).as_bytes());
    std::thread::sleep(Duration::from_millis(random.below(200) as u64));
    Ok(())
}

fn garbage(to: SocketAddr, random: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 4, 0)?;
    let mut taken = Vec::new();
    for _ in 0..10 {
        let bytes: Vec<u8> = (0..random.below(2000))
            .map(|_| random.next() as u8)
            .collect();
        client.push(&bytes);
        client.drain(&mut taken);
    }
    Ok(())
}

fn half_close(to: SocketAddr, _: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 5, 0)?;
    client.send("move 4HPwATDgc/ABMA 31\n".repeat(30).as_bytes())?;
    client.socket.shutdown(std::net::Shutdown::Write)?;
    let mut taken = Vec::new();
    client.rest(Duration::from_secs(30), &mut taken);
    match taken.iter().filter(|&&byte| byte == b'\n').count() {
        30 => Ok(()),
        got => Err(std::io::Error::other(format!(
            "{got} of 30 answers after a half-close"
        ))),
    }
}

fn boards(to: SocketAddr, random: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 6, 0)?;
    for _ in 0..20 {
        let mut line = format!("{BOARD}\n\0").into_bytes();
        let at = 6 + random.below(line.len() - 10);
        line[at] = b"0123456789-:xz \""[random.below(16)];
        client.send(&line)?;
        client.line(Duration::from_secs(10));
    }
    Ok(())
}

fn ubgi(to: SocketAddr, random: &mut Random) -> std::io::Result<()> {
    let mut client = Client::tcp(to, 7, 0)?;
    client.send(
        b"ubgi\nnewgame\nset engine.ply 5\nposition gnubgid 4HPwATDgc/ABMA\ndice 4 3\ngo\n",
    )?;
    std::thread::sleep(Duration::from_millis(random.below(100) as u64));
    client.send(b"stop\nset engine.ply 1\ngo\n")?;
    for _ in 0..60 {
        if client
            .line(Duration::from_secs(5))
            .is_none_or(|line| line.starts_with("bestmove"))
        {
            break;
        }
    }
    Ok(())
}

#[derive(Clone)]
struct Sample {
    rss: f64,
    threads: usize,
    files: usize,
}

fn sample(server: &Server) -> Sample {
    let count = |what: &str| {
        std::fs::read_dir(format!("/proc/{}/{what}", server.pid()))
            .map_or(0, |entries| entries.count())
    };
    Sample {
        rss: server.memory_mib("VmRSS").unwrap_or(f64::NAN),
        threads: count("task"),
        files: count("fd"),
    }
}

pub fn run(setup: &Setup, plan: &Plan) -> Result<bool, String> {
    let options = Options {
        arguments: plan.serve.clone(),
        ..Options::default()
    };
    let mut server = Server::start(setup, &options)?;
    let positions = Arc::new(victim::positions(server.tcp, 400)?);
    let phase = Arc::new(AtomicU8::new(ATTACK));
    let whole = Duration::from_secs_f64(plan.hours * 3600.0);
    let begun = Instant::now();
    println!(
        "{} h of visits, {}, at most {} of a processor",
        plan.hours,
        server.limit.how(),
        plan.share
    );
    let mut visits: Vec<(u64, u64)> = vec![(0, 0); VISITS.len()];
    let mut samples: Vec<Sample> = Vec::new();
    let mut quarters: Vec<Log> = Vec::new();
    let mut failures: Vec<String> = Vec::new();
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let cpu = server.cpu();
    let every = (whole / 400).clamp(Duration::from_millis(500), Duration::from_secs(60));
    let mut told = Instant::now();
    for quarter in 1..=4 {
        phase.store(ATTACK, Ordering::Relaxed);
        let victim = Victim::start(Kind::Slow, server.tcp, phase.clone(), positions.clone());
        let until = begun + whole * quarter / 4;
        while Instant::now() < until {
            let at = random.below(VISITS.len());
            visits[at].0 += 1;
            if let Err(error) = VISITS[at].1(server.tcp, &mut random) {
                visits[at].1 += 1;
                if error.kind() == std::io::ErrorKind::Other {
                    failures.push(format!("{}: {error}", VISITS[at].0));
                }
            }
            if begun.elapsed() >= every * samples.len() as u32 {
                samples.push(sample(&server));
            }
            if server.child.try_wait().ok().flatten().is_some() {
                return Err(format!("the server died: {}", server.said()));
            }
            // Rests until the share is right again.
            let used = server.cpu() - cpu;
            let rest = (used / plan.share - begun.elapsed().as_secs_f64()).clamp(0.02, 10.0);
            std::thread::sleep(
                Duration::from_secs_f64(rest).min(until.saturating_duration_since(Instant::now())),
            );
            if told.elapsed() > Duration::from_secs(600) {
                told = Instant::now();
                let now = sample(&server);
                println!(
                    "{:6.1} min: {:.1} MiB, {} files, {} threads",
                    begun.elapsed().as_secs_f64() / 60.0,
                    now.rss,
                    now.files,
                    now.threads
                );
                let _ = std::io::stdout().flush();
            }
        }
        phase.store(OVER, Ordering::Relaxed);
        quarters.push(victim.end()[1].clone());
    }
    let used = (server.cpu() - cpu) / begun.elapsed().as_secs_f64();
    std::thread::sleep(Duration::from_secs(1));
    let last = sample(&server);
    let stats = stats(server.tcp);
    server.signal(Signal::TERM);
    let ended = server
        .wait(Duration::from_secs(15))
        .is_some_and(|status| status.success());

    let quarter = (samples.len() / 4).max(1);
    let mean = |some: &[Sample]| {
        some.iter().map(|sample| sample.rss).sum::<f64>() / some.len().max(1) as f64
    };
    let settled = mean(&samples[quarter.min(samples.len())..(2 * quarter).min(samples.len())]);
    let late = mean(&samples[samples.len().saturating_sub(quarter)..]);
    let growth = 100.0 * (late - settled) / settled;
    let first_files = samples.first().map_or(0, |sample| sample.files);
    let wrong: u64 = quarters.iter().map(Log::wrong).sum();
    let mut broken = Vec::new();
    let mut must = |holds: bool, what: String| {
        if !holds {
            broken.push(what);
        }
    };
    must(
        growth <= plan.growth_percent,
        format!("memory grew by {growth:.2} %"),
    );
    must(
        last.files <= first_files + 2,
        format!("{} files open, {first_files} at first", last.files),
    );
    must(
        stats["panics"].as_u64() == Some(0),
        format!("panics: {}", stats["panics"]),
    );
    must(failures.is_empty(), format!("{failures:?}"));
    must(
        wrong == 0,
        format!("{wrong} questions of the victim without their answer"),
    );
    must(ended, "SIGTERM".to_owned());
    let report = json!({
        "hours": plan.hours, "growth_percent": growth, "settled_mib": settled, "late_mib": late,
        "most_mib": samples.iter().map(|sample| sample.rss).fold(0.0, f64::max),
        "files": [first_files, last.files], "threads": last.threads, "processor_share": used,
        "visits": VISITS.iter().zip(&visits).map(|((name, _), count)| json!({"name": name, "times": count.0, "cut": count.1})).collect::<Vec<Value>>(),
        "victim": quarters.iter().map(|log| json!({"n": log.ms.len(), "p50_ms": log.percentile(0.5), "p99_ms": log.percentile(0.99)})).collect::<Vec<Value>>(),
        "rss_mib": samples.iter().step_by((samples.len() / 24).max(1)).map(|sample| sample.rss).collect::<Vec<f64>>(),
        "stats": stats, "broken": broken,
    });
    println!("{report:#}");
    if let Some(path) = &plan.json {
        std::fs::write(path, format!("{report:#}\n"))
            .map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(report["broken"].as_array().is_some_and(Vec::is_empty))
}
