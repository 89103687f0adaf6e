//! Counters of the server, for `stats` and for Prometheus (SRV-18).

use gammond_engine::engine::COMMIT;
use gammond_engine::nn::CpuLevel;
use gammond_engine::query::Cost;
use gammond_protocol::answerer::Observer;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Upper bounds of the latency classes, in microseconds.
const BOUNDS_US: [u64; 10] = [
    50, 100, 250, 500, 1_000, 5_000, 20_000, 100_000, 1_000_000, 10_000_000,
];
/// Kinds of requests in the names of `Question::kind`; `session` is for those that the connection answers itself.
const KINDS: [&str; 15] = [
    "eval", "move", "cube", "turn", "resign", "rollout", "rolls", "scores", "cubes", "explain",
    "opening", "show", "analyse", "about", "session",
];

/// Counters of one server.
#[derive(Debug)]
pub struct Counters {
    started: Instant,
    /// Number of open connections.
    pub connections: AtomicU64,
    /// Number of connections accepted since the start.
    pub accepted: AtomicU64,
    /// Number of connections refused.
    pub refused: AtomicU64,
    /// Number of lines answered.
    pub answered: AtomicU64,
    /// Number of answers that are errors.
    pub errors: AtomicU64,
    /// Number of errors because a queue was full or too many answers waited.
    pub busy: AtomicU64,
    /// Number of panics inside queries.
    pub panics: AtomicU64,
    /// Number of connections cut because of a timeout.
    pub timeouts: AtomicU64,
    /// Number of lines over the length limit.
    pub long_lines: AtomicU64,
    /// Number of lines that wait for a thread.
    pub queued: AtomicU64,
    /// Size in bytes of the answers that their peers have not read.
    pub unsent: AtomicU64,
    /// Number of connections whose peer vanished during a query.
    pub hang_ups: AtomicU64,
    /// Number of reloads of the nets.
    pub reloads: AtomicU64,
    /// Number of pauses in accepting because descriptors ran out.
    pub accept_pauses: AtomicU64,
    kinds: [[AtomicU64; 2]; KINDS.len()],
    latency: [Latency; Cost::COMPUTED.len()],
}

/// Latency histogram of the lines of one cost.
#[derive(Debug, Default)]
struct Latency {
    classes: [AtomicU64; BOUNDS_US.len() + 1],
    sum_us: AtomicU64,
}

impl Default for Counters {
    fn default() -> Self {
        let zero = AtomicU64::default;
        Counters {
            started: Instant::now(),
            connections: zero(),
            accepted: zero(),
            refused: zero(),
            answered: zero(),
            errors: zero(),
            busy: zero(),
            panics: zero(),
            timeouts: zero(),
            long_lines: zero(),
            queued: zero(),
            unsent: zero(),
            hang_ups: zero(),
            reloads: zero(),
            accept_pauses: zero(),
            kinds: Default::default(),
            latency: Default::default(),
        }
    }
}

/// Adds one to a counter.
pub fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Counters {
    /// Records the time for which lines of this cost waited and were computed.
    pub(crate) fn record_latency(&self, cost: Cost, taken: Duration, lines: u64) {
        let Some(place) = Cost::COMPUTED.iter().position(|&one| one == cost) else {
            return;
        };
        let Some(latency) = self.latency.get(place) else {
            return;
        };
        let us = u64::try_from(taken.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS_US.iter().position(|&bound| us <= bound);
        if let Some(counter) = latency.classes.get(class.unwrap_or(BOUNDS_US.len())) {
            counter.fetch_add(lines, Ordering::Relaxed);
        }
        latency
            .sum_us
            .fetch_add(us.saturating_mul(lines), Ordering::Relaxed);
    }

    /// Returns name, type, help text and counter of each metric.
    fn named(&self) -> [(&'static str, &'static str, &'static str, &AtomicU64); 14] {
        let (gauge, counter) = ("gauge", "counter");
        [
            ("connections", gauge, "Open connections", &self.connections),
            ("accepted", counter, "Connections accepted", &self.accepted),
            (
                "refused",
                counter,
                "Newcomers refused for want of a place",
                &self.refused,
            ),
            ("answered", counter, "Lines answered", &self.answered),
            (
                "errors",
                counter,
                "Lines answered with an error",
                &self.errors,
            ),
            (
                "busy",
                counter,
                "Lines refused because of overload",
                &self.busy,
            ),
            ("panics", counter, "Panics inside queries", &self.panics),
            (
                "timeouts",
                counter,
                "Connections cut by a time limit",
                &self.timeouts,
            ),
            (
                "long_lines",
                counter,
                "Lines over the length limit",
                &self.long_lines,
            ),
            (
                "queued",
                gauge,
                "Lines that wait for a thread",
                &self.queued,
            ),
            (
                "unsent",
                gauge,
                "Bytes of answers that wait for their peers",
                &self.unsent,
            ),
            (
                "hang_ups",
                counter,
                "Connections that vanished while something was computed for them",
                &self.hang_ups,
            ),
            (
                "reloads",
                counter,
                "Times the nets were reloaded",
                &self.reloads,
            ),
            (
                "accept_pauses",
                counter,
                "Pauses of accepting for want of descriptors",
                &self.accept_pauses,
            ),
        ]
    }

    /// Formats all counters in Prometheus' text format.
    #[must_use]
    pub(crate) fn prometheus(&self, net: &str) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        for (name, kind, help, counter) in self.named() {
            let name = match kind {
                "counter" => format!("gammond_{name}_total"),
                _ => format!("gammond_{name}"),
            };
            let _ = head(&mut text, &name, kind, help);
            let _ = writeln!(text, "{name} {}", read(counter));
        }
        let name = "gammond_uptime_seconds";
        let _ = head(&mut text, name, "gauge", "Seconds since the start");
        let _ = writeln!(text, "{name} {}", self.started.elapsed().as_secs());
        let name = "gammond_build_info";
        let _ = head(&mut text, name, "gauge", "What runs; always 1");
        let version = env!("CARGO_PKG_VERSION");
        let net = net.replace(['\\', '"', '\n'], "_");
        let cpu = CpuLevel::detect().name();
        let _ = writeln!(
            text,
            "{name}{{version=\"{version}\",commit=\"{COMMIT}\",net=\"{net}\",cpu=\"{cpu}\"}} 1"
        );
        self.write_kinds(&mut text);
        self.write_latency(&mut text);
        text
    }

    fn write_kinds(&self, text: &mut String) {
        let name = "gammond_answers_total";
        let help = "Lines answered, by what was asked and how it ended";
        let _ = head(text, name, "counter", help);
        for (kind, counters) in KINDS.iter().zip(&self.kinds) {
            for (result, counter) in ["ok", "error"].iter().zip(counters) {
                let value = read(counter);
                let _ = writeln!(
                    text,
                    "{name}{{kind=\"{kind}\",result=\"{result}\"}} {value}"
                );
            }
        }
    }

    fn write_latency(&self, text: &mut String) {
        let name = "gammond_answer_seconds";
        let help = "Time from a line's arrival to its answer, by what it costs";
        let _ = head(text, name, "histogram", help);
        for (cost, latency) in Cost::COMPUTED.iter().zip(&self.latency) {
            let cost = cost.name();
            let mut sum = 0;
            for (class, counter) in latency.classes.iter().enumerate() {
                sum += read(counter);
                let bound = match BOUNDS_US.get(class) {
                    Some(&us) => format!("{}", us as f64 / 1e6),
                    None => "+Inf".into(),
                };
                let labels = format!("cost=\"{cost}\",le=\"{bound}\"");
                let _ = writeln!(text, "{name}_bucket{{{labels}}} {sum}");
            }
            let total = read(&latency.sum_us) as f64 / 1e6;
            let _ = writeln!(text, "{name}_sum{{cost=\"{cost}\"}} {total}");
            let _ = writeln!(text, "{name}_count{{cost=\"{cost}\"}} {sum}");
        }
    }
}

impl Observer for Counters {
    fn count_answer(&self, kind: &str, good: bool) {
        count(&self.answered);
        if !good {
            count(&self.errors);
        }
        let place = KINDS.iter().position(|name| *name == kind);
        let kind = self.kinds.get(place.unwrap_or(KINDS.len() - 1));
        if let Some([answers, errors]) = kind {
            count(if good { answers } else { errors });
        }
    }

    fn count_panic(&self) -> u64 {
        self.panics.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn values(&self) -> Vec<(&'static str, u64)> {
        let mut values = vec![("uptime", self.started.elapsed().as_secs())];
        for (name, _, _, counter) in self.named() {
            values.push((name, read(counter)));
        }
        values
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) -> std::fmt::Result {
    writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-18: every series has its help and type, and labels with the kind of request.
    #[test]
    fn prometheus_has_helps_and_labels() {
        let counters = Counters::default();
        counters.count_answer("move", true);
        counters.count_answer("rollout", true);
        counters.count_answer("ping", false);
        counters.record_latency(Cost::Medium, Duration::from_millis(3), 2);
        let text = counters.prometheus("a \"net\"");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let name = line.split(['{', ' ']).next().unwrap();
            let name = name
                .trim_end_matches("_bucket")
                .trim_end_matches("_sum")
                .trim_end_matches("_count");
            assert!(text.contains(&format!("# HELP {name} ")), "{line}");
        }
        for expected in [
            "gammond_answers_total{kind=\"move\",result=\"ok\"} 1\n",
            "gammond_answers_total{kind=\"rollout\",result=\"ok\"} 1\n",
            "gammond_answers_total{kind=\"session\",result=\"error\"} 1\n",
            "gammond_answer_seconds_bucket{cost=\"medium\",le=\"0.005\"} 2\n",
            "net=\"a _net_\",cpu=\"",
            ",commit=\"",
        ] {
            assert!(text.contains(expected), "{expected}{text}");
        }
    }
}
