//! What the server has counted: for `stats` and for Prometheus.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Upper bounds of the latency classes, in microseconds.
const BOUNDS_US: [u64; 10] = [
    50, 100, 250, 500, 1_000, 5_000, 20_000, 100_000, 1_000_000, 10_000_000,
];

/// Counters of one server.
#[derive(Debug)]
pub struct Counters {
    started: Instant,
    /// Open connections.
    pub connections: AtomicU64,
    /// Connections accepted since the start.
    pub accepted: AtomicU64,
    /// Newcomers refused.
    pub refused: AtomicU64,
    /// Lines answered.
    pub answered: AtomicU64,
    /// Of those, with an error.
    pub errors: AtomicU64,
    /// Of those, because a queue was full.
    pub busy: AtomicU64,
    /// Panics inside queries.
    pub panics: AtomicU64,
    /// Connections cut because of a time limit.
    pub timeouts: AtomicU64,
    /// Lines over the limit.
    pub long_lines: AtomicU64,
    /// Lines that wait for a thread.
    pub queued: AtomicU64,
    /// Times the nets were loaded anew.
    pub reloads: AtomicU64,
    /// Times accepting paused for want of descriptors.
    pub accept_pauses: AtomicU64,
    latency: [AtomicU64; BOUNDS_US.len() + 1],
    latency_sum_us: AtomicU64,
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
            reloads: zero(),
            accept_pauses: zero(),
            latency: Default::default(),
            latency_sum_us: zero(),
        }
    }
}

/// Adds one.
pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    /// Notes how long a batch of lines waited and was computed.
    pub(super) fn note_latency(&self, taken: Duration, lines: u64) {
        let us = u64::try_from(taken.as_micros()).unwrap_or(u64::MAX);
        let class = BOUNDS_US.iter().position(|&bound| us <= bound);
        if let Some(counter) = self.latency.get(class.unwrap_or(BOUNDS_US.len())) {
            counter.fetch_add(lines, Ordering::Relaxed);
        }
        self.latency_sum_us
            .fetch_add(us.saturating_mul(lines), Ordering::Relaxed);
    }

    fn named(&self) -> [(&'static str, &'static str, &AtomicU64); 12] {
        [
            ("connections", "gauge", &self.connections),
            ("accepted", "counter", &self.accepted),
            ("refused", "counter", &self.refused),
            ("answered", "counter", &self.answered),
            ("errors", "counter", &self.errors),
            ("busy", "counter", &self.busy),
            ("panics", "counter", &self.panics),
            ("timeouts", "counter", &self.timeouts),
            ("long_lines", "counter", &self.long_lines),
            ("queued", "gauge", &self.queued),
            ("reloads", "counter", &self.reloads),
            ("accept_pauses", "counter", &self.accept_pauses),
        ]
    }

    /// All counters as JSON, for `stats`.
    #[must_use]
    pub fn value(&self) -> serde_json::Value {
        let mut object = serde_json::Map::new();
        object.insert("uptime".into(), self.started.elapsed().as_secs().into());
        for (name, _, counter) in self.named() {
            object.insert(name.into(), counter.load(Ordering::Relaxed).into());
        }
        object.into()
    }

    /// All counters in Prometheus' text format.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let mut text = String::new();
        // Writing into a string cannot fail.
        for (name, kind, counter) in self.named() {
            let name = match kind {
                "counter" => format!("gammond_{name}_total"),
                _ => format!("gammond_{name}"),
            };
            let value = counter.load(Ordering::Relaxed);
            let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
        }
        let uptime = self.started.elapsed().as_secs();
        let _ = writeln!(
            text,
            "# TYPE gammond_uptime_seconds gauge\ngammond_uptime_seconds {uptime}"
        );
        let name = "gammond_answer_seconds";
        let _ = writeln!(text, "# TYPE {name} histogram");
        let mut sum = 0;
        for (class, counter) in self.latency.iter().enumerate() {
            sum += counter.load(Ordering::Relaxed);
            let bound = match BOUNDS_US.get(class) {
                Some(&us) => format!("{}", us as f64 / 1e6),
                None => "+Inf".into(),
            };
            let _ = writeln!(text, "{name}_bucket{{le=\"{bound}\"}} {sum}");
        }
        let total = self.latency_sum_us.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(text, "{name}_sum {total}\n{name}_count {sum}");
        text
    }
}
