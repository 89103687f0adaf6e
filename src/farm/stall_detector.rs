//! Detection of stalled queues: no worker holds the delivered messages, and the queue does not redeliver them.
//!
//! A message without an acknowledgement is redelivered after the job's silence. After a change of leader in a cluster this may
//! fail (seen when a server was killed under load: two messages delivered, none waiting, for twenty minutes). Recreating the
//! consumer delivers all batches that have no answer.

use super::FarmError;
use super::machines::{MachineReport, now_s};
use super::store::Farm;
use async_nats::jetstream::consumer::Info;
use std::time::{Duration, Instant};

/// Minimum time for which a queue must be unchanged to count as stalled.
const STALL_TIME_MIN: Duration = Duration::from_secs(30);
/// Multiple of the job's silence for which a queue must be unchanged to count as stalled.
const STALL_SILENCES: u32 = 5;
/// Seconds for which the last report of a machine counts; clocks differ.
const REPORT_VALIDITY_S: u64 = 60;

/// Stall detection of one queue.
#[derive(Debug, Default)]
pub(super) struct StallDetector {
    /// Deliveries, messages without acknowledgement, and the time since both are unchanged.
    seen: Option<((u64, usize), Instant)>,
}

impl StallDetector {
    /// Recreates the consumer of a stalled queue if some machine could take its messages; returns true if it did.
    pub(super) async fn recreate_if_stalled(
        &mut self,
        farm: &Farm,
        (job, silence_s): (&str, u64),
        info: &Info,
    ) -> Result<bool, FarmError> {
        if !self.is_stalled(info, Duration::from_secs(silence_s), Instant::now()) {
            return Ok(false);
        }
        let machines = farm.machines().await?;
        if !no_worker_holds(&machines, (job, info.num_ack_pending as u64), now_s()) {
            return Ok(false);
        }
        tracing::warn!(
            job,
            "{} delivered messages are held by no worker: the consumer of the queue is recreated",
            info.num_ack_pending
        );
        self.seen = None;
        farm.recreate_consumer(job, silence_s).await?;
        Ok(true)
    }

    /// Returns true if the queue has been unchanged for long enough and only waits for acknowledgements.
    fn is_stalled(&mut self, info: &Info, silence: Duration, now: Instant) -> bool {
        let one = (info.delivered.consumer_sequence, info.num_ack_pending);
        if info.num_pending > 0 || info.num_ack_pending == 0 {
            self.seen = None;
            return false;
        }
        match self.seen {
            Some((before, since)) if before == one => {
                now.duration_since(since) >= STALL_TIME_MIN.max(STALL_SILENCES * silence)
            }
            _ => {
                self.seen = Some((one, now));
                false
            }
        }
    }
}

/// Returns true if some machine could compute messages of a job, and fewer are computed than were delivered.
fn no_worker_holds(machines: &[MachineReport], (job, given_out): (&str, u64), now_s: u64) -> bool {
    let there = (machines.iter())
        .filter(|one| one.seen_s + REPORT_VALIDITY_S >= now_s && !one.refuses.contains_key(job));
    let mut held = None;
    for machine in there {
        let here = machine.jobs.get(job).copied().unwrap_or(0);
        held = Some(held.unwrap_or(0) + here);
    }
    held.is_some_and(|held| held < given_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(seen_s: u64, holds: u64) -> MachineReport {
        MachineReport {
            seen_s,
            jobs: [("a".to_owned(), holds)].into(),
            ..MachineReport::default()
        }
    }

    #[test]
    fn no_worker_holds_only_without_a_live_holder() {
        let now = 1_000_000;
        let unheld = |machines: &[MachineReport]| no_worker_holds(machines, ("a", 2), now);
        assert!(unheld(&[machine(now, 0), machine(now, 1)]));
        assert!(!unheld(&[machine(now, 1), machine(now, 1)]));
        // A machine without reports is gone; a clock may be wrong by some seconds.
        assert!(unheld(&[machine(now, 0), machine(now - 300, 2)]));
        assert!(!unheld(&[machine(now, 0), machine(now + 40, 2)]));
        // Without a machine that accepts the job, recreating the consumer would not help.
        assert!(!unheld(&[]));
        let mut refusing = machine(now, 0);
        refusing.refuses.insert("a".into(), "why".into());
        assert!(!unheld(&[refusing]));
        // Another job's messages are not this one's.
        let mut busy = machine(now, 0);
        busy.jobs.insert("b".to_owned(), 9);
        assert!(unheld(&[busy]));
    }

    #[test]
    fn queue_unchanged_for_the_stall_time_is_stalled() {
        let info = |pending: u64, given: usize, sequence: u64| -> Info {
            let text = format!(
                r#"{{"stream_name":"s","name":"n","created":"2026-01-01T00:00:00Z","config":{{"ack_policy":"explicit","deliver_policy":"all","replay_policy":"instant"}},
                "delivered":{{"consumer_seq":{sequence},"stream_seq":1}},"ack_floor":{{"consumer_seq":1,"stream_seq":1}},
                "num_ack_pending":{given},"num_redelivered":0,"num_waiting":0,"num_pending":{pending}}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let (begun, silence) = (Instant::now(), Duration::from_secs(2));
        let at = |s| begun + Duration::from_secs(s);
        let mut still = StallDetector::default();
        assert!(!still.is_stalled(&info(0, 2, 7), silence, at(0)));
        assert!(!still.is_stalled(&info(0, 2, 7), silence, at(29)));
        assert!(still.is_stalled(&info(0, 2, 7), silence, at(30)));
        // Given out once more, an answer, more to give out, a longer silence.
        assert!(!still.is_stalled(&info(0, 2, 8), silence, at(31)));
        assert!(!still.is_stalled(&info(0, 1, 8), silence, at(70)));
        assert!(!still.is_stalled(&info(1, 1, 8), silence, at(101)));
        assert!(!still.is_stalled(&info(0, 1, 8), 10 * silence, at(102)));
        assert!(!still.is_stalled(&info(0, 1, 8), 10 * silence, at(200)));
        assert!(still.is_stalled(&info(0, 1, 8), 10 * silence, at(202)));
    }
}
