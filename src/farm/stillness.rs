//! Detection of stalled queues: no worker holds the delivered messages, and the queue does not redeliver them.
//!
//! A message without an acknowledgement is redelivered after the job's silence. After a change of leader in a cluster this may
//! fail (seen when a server was killed under load: two messages delivered, none waiting, for twenty minutes). Recreating the
//! consumer delivers all lots that have no answer.

use super::FarmError;
use super::people::{MachineReport, now_s};
use super::store::Farm;
use async_nats::jetstream::consumer::Info;
use std::time::{Duration, Instant};

/// Time, and multiple of the job's silence, for which a queue must be unchanged to count as stalled.
const STILL: (Duration, u32) = (Duration::from_secs(30), 5);
/// Seconds for which the last report of a machine counts; clocks differ.
const BELIEVED_S: u64 = 60;

/// Stall detection of one queue.
#[derive(Debug, Default)]
pub(super) struct Stillness {
    /// Deliveries, messages without acknowledgement, and the time since both are unchanged.
    seen: Option<((u64, usize), Instant)>,
}

impl Stillness {
    /// Recreates the consumer of a stalled queue if some machine could take its messages; returns true if it did.
    pub(super) async fn end(
        &mut self,
        farm: &Farm,
        (job, silence_s): (&str, u64),
        info: &Info,
    ) -> Result<bool, FarmError> {
        if !self.lasts(info, Duration::from_secs(silence_s), Instant::now()) {
            return Ok(false);
        }
        let machines = farm.machines().await?;
        if !is_with_nobody(&machines, (job, info.num_ack_pending as u64), now_s()) {
            return Ok(false);
        }
        tracing::warn!(
            job,
            "{} messages were given out, and are with nobody: the queue is opened anew",
            info.num_ack_pending
        );
        self.seen = None;
        farm.reopen_queue(job, silence_s).await?;
        Ok(true)
    }

    /// Returns true if the queue has been unchanged for long enough and only waits for acknowledgements.
    fn lasts(&mut self, info: &Info, silence: Duration, now: Instant) -> bool {
        let one = (info.delivered.consumer_sequence, info.num_ack_pending);
        if info.num_pending > 0 || info.num_ack_pending == 0 {
            self.seen = None;
            return false;
        }
        match self.seen {
            Some((before, since)) if before == one => {
                now.duration_since(since) >= STILL.0.max(STILL.1 * silence)
            }
            _ => {
                self.seen = Some((one, now));
                false
            }
        }
    }
}

/// Returns true if some machine could compute messages of a job, and fewer are computed than were delivered.
fn is_with_nobody(machines: &[MachineReport], (job, given_out): (&str, u64), now_s: u64) -> bool {
    let there = (machines.iter())
        .filter(|one| one.seen_s + BELIEVED_S >= now_s && !one.refuses.contains_key(job));
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
    fn what_is_being_computed_for_long_is_left_alone() {
        let now = 1_000_000;
        let with_nobody = |machines: &[MachineReport]| is_with_nobody(machines, ("a", 2), now);
        assert!(with_nobody(&[machine(now, 0), machine(now, 1)]));
        assert!(!with_nobody(&[machine(now, 1), machine(now, 1)]));
        // It is gone, or its clock is wrong by little.
        assert!(with_nobody(&[machine(now, 0), machine(now - 300, 2)]));
        assert!(!with_nobody(&[machine(now, 0), machine(now + 40, 2)]));
        // Nobody is there to take it, or to whom it could be given.
        assert!(!with_nobody(&[]));
        let mut refusing = machine(now, 0);
        refusing.refuses.insert("a".into(), "why".into());
        assert!(!with_nobody(&[refusing]));
        // Another job's messages are not this one's.
        let mut busy = machine(now, 0);
        busy.jobs.insert("b".to_owned(), 9);
        assert!(with_nobody(&[busy]));
    }

    #[test]
    fn a_queue_stands_still_when_nothing_moves_for_long() {
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
        let mut still = Stillness::default();
        assert!(!still.lasts(&info(0, 2, 7), silence, at(0)));
        assert!(!still.lasts(&info(0, 2, 7), silence, at(29)));
        assert!(still.lasts(&info(0, 2, 7), silence, at(30)));
        // Given out once more, an answer, more to give out, a longer silence.
        assert!(!still.lasts(&info(0, 2, 8), silence, at(31)));
        assert!(!still.lasts(&info(0, 1, 8), silence, at(70)));
        assert!(!still.lasts(&info(1, 1, 8), silence, at(101)));
        assert!(!still.lasts(&info(0, 1, 8), 10 * silence, at(102)));
        assert!(!still.lasts(&info(0, 1, 8), 10 * silence, at(200)));
        assert!(still.lasts(&info(0, 1, 8), 10 * silence, at(202)));
    }
}
