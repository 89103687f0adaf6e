//! One attack from a fresh server to its end, and what was measured meanwhile.

use crate::attacks::{Act, Attack};
use crate::clients::Client;
use crate::server::{Server, Setup};
use crate::victim::{ATTACK, Kind, Log, OVER, QUIET, Victim};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// What must hold under every attack.
#[derive(Clone)]
pub struct Limits {
    /// Resident high-water of the server.
    pub memory_mib: f64,
    /// A 0-ply question beside anything, over the quiet figure of the same minute.
    pub zero_ply_ms: f64,
    /// A 2-ply question beside anything, likewise.
    pub two_ply_ms: f64,
    /// The longest `ping`, over the quiet p99 of the same minute.
    pub ping_ms: f64,
    /// From the reset of the attackers until the server rests.
    pub dead_ms: f64,
}

#[derive(Clone)]
pub struct Bench {
    pub setup: Setup,
    pub limits: Limits,
    pub attack: Duration,
    pub quiet: Duration,
    pub positions: Arc<Vec<String>>,
    pub quick: bool,
    /// Whether waiting times are only told, as a machine with other work makes them any length.
    pub untimed: bool,
}

/// What an attack sees of the server it attacks.
pub struct Stage {
    pub tcp: SocketAddr,
    pub metrics: SocketAddr,
    pub http: SocketAddr,
    pub unix: PathBuf,
    pub pid: u32,
    pub until: Instant,
}

impl Stage {
    pub fn on(&self) -> bool {
        Instant::now() < self.until
    }

    /// Waits for the end of the attack.
    pub fn hold(&self) {
        std::thread::sleep(self.until.saturating_duration_since(Instant::now()));
    }
}

/// A number that an attack measured by itself, and whether it may be so.
#[derive(Clone)]
pub struct Check {
    pub what: String,
    pub found: String,
    pub holds: bool,
    /// Whether it depends on how fast the machine was.
    timed: bool,
}

impl Check {
    pub fn new(what: impl Into<String>, found: impl std::fmt::Display, holds: bool) -> Check {
        Check {
            what: what.into(),
            found: found.to_string(),
            holds,
            timed: false,
        }
    }

    /// One about how long something took.
    pub fn timed(what: impl Into<String>, found: impl std::fmt::Display, holds: bool) -> Check {
        Check {
            timed: true,
            ..Check::new(what, found, holds)
        }
    }
}

#[derive(Default)]
pub struct Outcome {
    /// Clients that all go at once when the attack ends; how soon the server notices is measured.
    pub herd: Vec<Client>,
    pub checks: Vec<Check>,
    /// Not judged: the attack ended in peace, and what it asked for is still owed (SRV-17).
    pub peace: bool,
}

pub struct Report {
    pub name: &'static str,
    pub goals: &'static str,
    pub what: &'static str,
    pub broken: Vec<String>,
    /// Longer than wanted, where that is not judged.
    pub late: Vec<String>,
    pub checks: Vec<Check>,
    pub figures: Option<Figures>,
}

/// What does not hold.
#[derive(Default)]
struct Verdict {
    broken: Vec<String>,
    late: Vec<String>,
}

pub struct Figures {
    pub quiet: [Log; 3],
    pub attacked: [Log; 3],
    pub base_mib: f64,
    pub high_mib: f64,
    pub after_mib: f64,
    pub group_mib: Option<f64>,
    pub dead_ms: f64,
    pub dead_cpu_ms: f64,
    pub watchdog_gap_ms: f64,
    pub stats: Value,
    pub end: String,
}

const KINDS: [Kind; 3] = [Kind::ZeroPly, Kind::Ping, Kind::TwoPly];
const NAMES: [&str; 3] = ["zero_ply", "ping", "two_ply"];

pub fn run(bench: &Bench, attack: &Attack) -> Report {
    let mut report = Report {
        name: attack.name,
        goals: attack.goals,
        what: attack.what,
        broken: Vec::new(),
        late: Vec::new(),
        checks: Vec::new(),
        figures: None,
    };
    match attack.act {
        Act::Alone(act) => report.checks = act(bench),
        Act::Server(options, act) => {
            let played =
                Server::start(&bench.setup, &options()).and_then(|server| play(bench, server, act));
            match played {
                Ok((checks, figures, verdict)) => {
                    report.checks = checks;
                    (report.broken, report.late) = (verdict.broken, verdict.late);
                    report.figures = Some(figures);
                }
                Err(error) => report.broken.push(error),
            }
        }
    }
    for check in report.checks.iter().filter(|check| !check.holds) {
        let told = format!("{}: {}", check.what, check.found);
        match bench.untimed && check.timed {
            true => report.late.push(told),
            false => report.broken.push(told),
        }
    }
    report
}

type Played = (Vec<Check>, Figures, Verdict);

fn play(bench: &Bench, mut server: Server, act: fn(&Stage) -> Outcome) -> Result<Played, String> {
    let phase = Arc::new(AtomicU8::new(QUIET));
    let victims =
        KINDS.map(|kind| Victim::start(kind, server.tcp, phase.clone(), bench.positions.clone()));
    std::thread::sleep(bench.quiet);
    let base_mib = server.memory_mib("VmRSS").unwrap_or(f64::NAN);
    phase.store(ATTACK, Ordering::Relaxed);
    let begun = Instant::now();
    let stage = Stage {
        tcp: server.tcp,
        metrics: server.metrics,
        http: server.http,
        unix: server.unix.clone(),
        pid: server.pid(),
        until: begun + bench.attack,
    };
    let attacker = std::thread::spawn(move || {
        // The attackers shall not take the processors from the server by their own work.
        let _ = rustix::process::setpriority_process(None, 5);
        act(&stage)
    });
    let outcome = attacker
        .join()
        .map_err(|_| "the attacker fell over".to_owned())?;
    let ended = Instant::now();
    phase.store(OVER, Ordering::Relaxed);
    let logs = victims.map(Victim::end);
    let high_during = server.memory_mib("VmHWM");
    let peace = outcome.peace;
    let (dead_ms, dead_cpu_ms) = dead_work(&server, outcome.herd, bench.quick);
    std::thread::sleep(Duration::from_millis(300));
    let died = server.child.try_wait().ok().flatten();
    let figures = Figures {
        quiet: std::array::from_fn(|at| logs[at][0].clone()),
        attacked: std::array::from_fn(|at| logs[at][1].clone()),
        base_mib,
        high_mib: server
            .memory_mib("VmHWM")
            .or(high_during)
            .unwrap_or(f64::NAN),
        after_mib: server.memory_mib("VmRSS").unwrap_or(f64::NAN),
        group_mib: server.limit.peak_mib(),
        dead_ms,
        dead_cpu_ms,
        watchdog_gap_ms: server.watchdog_gap(begun, ended).as_secs_f64() * 1e3,
        stats: stats(server.tcp),
        end: match died {
            Some(status) => format!("died: {status}"),
            None => finish(&mut server),
        },
    };
    let mut verdict = judge(bench, &figures, peace);
    let said = server.said();
    if said.contains("panicked") {
        let line = said
            .lines()
            .find(|line| line.contains("panicked"))
            .unwrap_or_default();
        verdict.broken.push(line.to_owned());
    }
    Ok((outcome.checks, figures, verdict))
}

/// Resets all of the herd; milliseconds until the server used no processor any more, and the
/// processor's milliseconds until then.
fn dead_work(server: &Server, herd: Vec<Client>, quick: bool) -> (f64, f64) {
    const REST: Duration = Duration::from_millis(250);
    let most = Duration::from_secs(if quick { 3 } else { 12 });
    drop(herd);
    let begun = Instant::now();
    let first = server.cpu();
    let (mut busy_at, mut busy_cpu, mut last) = (begun, first, first);
    while busy_at.elapsed() < REST && begun.elapsed() < most {
        std::thread::sleep(Duration::from_millis(10));
        let now = server.cpu();
        // More than a tenth of a processor is work; less is the clockwork of the server.
        if now - last > 0.001 {
            (busy_at, busy_cpu) = (Instant::now(), now);
        }
        last = now;
    }
    (
        (busy_at - begun).as_secs_f64() * 1e3,
        (busy_cpu - first) * 1e3,
    )
}

pub fn stats(to: SocketAddr) -> Value {
    let answered = Client::tcp(to, 250, 0).ok().and_then(|mut client| {
        client.send(b"stats\n").ok()?;
        client.line(Duration::from_secs(2))
    });
    answered
        .and_then(|line| serde_json::from_str(&line).ok())
        .unwrap_or(Value::Null)
}

fn finish(server: &mut Server) -> String {
    let begun = Instant::now();
    server.signal(Signal::TERM);
    match server.wait(Duration::from_secs(12)) {
        Some(status) if status.success() => format!("0 after {} ms", begun.elapsed().as_millis()),
        Some(status) => format!("{status}"),
        None => "SIGTERM was not obeyed within 12 s".to_owned(),
    }
}

fn judge(bench: &Bench, figures: &Figures, peace: bool) -> Verdict {
    let limits = &bench.limits;
    let mut verdict = Verdict::default();
    let [zero_ply, ping, two_ply] = &figures.attacked;
    let [quiet_zero_ply, quiet_ping, quiet_two_ply] = &figures.quiet;
    let dead = if peace { 0.0 } else { figures.dead_ms };
    let times = [
        (
            "0-ply p99 ms",
            zero_ply.percentile(0.99),
            limits.zero_ply_ms + quiet_zero_ply.percentile(0.99),
        ),
        (
            "2-ply p99 ms",
            two_ply.percentile(0.99),
            limits.two_ply_ms + quiet_two_ply.percentile(0.99),
        ),
        (
            "ping most ms",
            ping.percentile(1.0),
            limits.ping_ms + quiet_ping.percentile(0.99),
        ),
        ("dead work ms", dead, limits.dead_ms),
        (
            "watchdog gap ms",
            figures.watchdog_gap_ms,
            bench.setup.watchdog.as_secs_f64() * 1e3,
        ),
    ];
    // Not a number is no proof either.
    let over = |found: f64, limit: f64| found.is_nan() || found > limit;
    for (what, found, limit) in times {
        if over(found, limit) {
            let told = format!("{what} {found:.1} > {limit:.1}");
            match bench.untimed {
                true => verdict.late.push(told),
                false => verdict.broken.push(told),
            }
        }
    }
    let broken = &mut verdict.broken;
    if over(figures.high_mib, limits.memory_mib) {
        broken.push(format!(
            "memory MiB {:.1} > {:.1}",
            figures.high_mib, limits.memory_mib
        ));
    }
    for (log, name) in figures.attacked.iter().zip(NAMES) {
        if log.wrong() > 0 {
            let (busy, errors, lost) = (log.busy, log.errors, log.lost);
            broken.push(format!(
                "{name} victim: {busy} busy, {errors} errors, {lost} lost"
            ));
        }
    }
    match figures.stats["panics"].as_u64() {
        Some(0) => {}
        Some(panics) => broken.push(format!("{panics} panics")),
        None => broken.push("a newcomer got no stats within 2 s".to_owned()),
    }
    if !figures.end.starts_with("0 ") {
        broken.push(figures.end.clone());
    }
    verdict
}

fn log_json(log: &Log) -> Value {
    json!({
        "n": log.ms.len(),
        "p50_ms": round(log.percentile(0.5)),
        "p99_ms": round(log.percentile(0.99)),
        "most_ms": round(log.percentile(1.0)),
        "busy": log.busy, "errors": log.errors, "lost": log.lost, "first_error": log.first_error,
    })
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

impl Report {
    pub fn json(&self) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|check| json!({"what": check.what, "found": check.found, "holds": check.holds}))
            .collect();
        let mut value = json!({
            "name": self.name, "goals": self.goals, "what": self.what, "holds": self.broken.is_empty(),
            "broken": self.broken, "late": self.late, "checks": checks,
        });
        if let Some(figures) = &self.figures {
            for (at, name) in NAMES.iter().enumerate() {
                value["quiet"][name] = log_json(&figures.quiet[at]);
                value["attacked"][name] = log_json(&figures.attacked[at]);
            }
            value["memory_mib"] = json!({
                "base": round(figures.base_mib), "high": round(figures.high_mib),
                "after": round(figures.after_mib), "group_high": figures.group_mib.map(round),
            });
            value["dead_work"] =
                json!({"ms": round(figures.dead_ms), "cpu_ms": round(figures.dead_cpu_ms)});
            value["watchdog_gap_ms"] = json!(round(figures.watchdog_gap_ms));
            value["stats"] = figures.stats.clone();
            value["end"] = json!(figures.end);
        }
        value
    }

    /// A line of the table.
    pub fn row(&self) -> String {
        let verdict = match self.broken.is_empty() {
            true if self.late.is_empty() => "holds".to_owned(),
            true => format!("holds, late: {}", self.late.join("; ")),
            false => format!("BROKEN: {}", self.broken.join("; ")),
        };
        let Some(figures) = &self.figures else {
            return format!("{:18} {:>54} {verdict}", self.name, "");
        };
        let [zero_ply, ping, two_ply] = &figures.attacked;
        format!(
            "{:18} {:5.0} {:5.0} {:6.1} {:6.2} {:6.1} {:6.1} {:6.0} {:6.0} {:5.0} {verdict}",
            self.name,
            figures.high_mib,
            figures.after_mib,
            figures.quiet[0].percentile(0.99),
            zero_ply.percentile(0.5),
            zero_ply.percentile(0.99),
            ping.percentile(1.0),
            two_ply.percentile(0.99),
            figures.dead_ms,
            figures.watchdog_gap_ms,
        )
    }

    pub fn head() -> String {
        format!(
            "{:18} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5}\n{:18} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} verdict",
            "attack",
            "high",
            "after",
            "quiet",
            "0-ply",
            "0-ply",
            "ping",
            "2-ply",
            "dead",
            "watch",
            "",
            "MiB",
            "MiB",
            "p99",
            "p50",
            "p99",
            "most",
            "p99",
            "work",
            "dog",
        )
    }
}
