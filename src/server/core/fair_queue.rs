//! A fair queue: first between clients, then between the connections of each client.
//!
//! The client with the least used time is next. New clients start at the current virtual time, so idle time earns no credit
//! (start-time fair queueing). A client with one request at a time never waits for more than one turn of each of the others.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

/// The client of a connection: its connections share one place in the queue and one limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A network address.
    Address(IpAddr),
    /// A user of this machine, over a Unix socket.
    User(u32),
    /// A client over NATS, by a hash of its reply inbox.
    Inbox(u64),
    /// A client with this token over HTTP, by the token's index in the file.
    Token(u16),
    /// This process.
    Here,
}

impl Origin {
    /// Returns true if the client chooses its own name.
    pub(crate) const fn is_made_up(self) -> bool {
        matches!(self, Origin::Inbox(_))
    }
}

/// A connection: its client and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lane {
    /// Client whose share it counts against.
    pub origin: Origin,
    /// Number of the work, or of the connection.
    pub number: u64,
}

/// The place of a job in its lane: those of higher priority come first, then those with lower numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JobRank {
    priority: Reverse<i8>,
    number: u64,
}

impl JobRank {
    pub(crate) fn new(priority: i8, number: u64) -> JobRank {
        JobRank {
            priority: Reverse(priority),
            number,
        }
    }
}

/// The place of a lane among those of its client: by the priority of its first job, then the least used time.
type LaneRank = (Reverse<i8>, Duration, u64);

/// A queue of work.
#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    origins: HashMap<Origin, Lanes<T>>,
    ready: BTreeSet<(Duration, Origin)>,
    clock: Duration,
    lines: usize,
}

#[derive(Debug)]
struct Lanes<T> {
    used: Duration,
    lines: usize,
    clock: Duration,
    ready: BTreeSet<LaneRank>,
    lanes: HashMap<u64, Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T> {
    used: Duration,
    /// Jobs with the number of their lines, in the order of their ranks.
    jobs: VecDeque<(T, usize, JobRank)>,
    /// True if its work is held back for now.
    parked: bool,
}

impl<T> Waiting<T> {
    /// Returns the place of the lane with this number.
    fn rank(&self, number: u64) -> LaneRank {
        let first = self.jobs.front().map(|(.., rank)| rank.priority);
        (first.unwrap_or(Reverse(0)), self.used, number)
    }

    /// Returns the index of the job to begin: the first one, or the one with the lowest number, which alone can always send its
    /// answer. Without that a job of higher priority could wait for it for ever.
    fn eligible(&self, mut eligible: impl FnMut(&T) -> bool) -> Option<usize> {
        let (first, _, rank) = self.jobs.front()?;
        if eligible(first) {
            return Some(0);
        }
        let numbers = self.jobs.iter().enumerate();
        let (at, (job, _, lowest)) = numbers.min_by_key(|(_, (.., rank))| rank.number)?;
        (lowest != rank && eligible(job)).then_some(at)
    }
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        FairQueue {
            origins: HashMap::new(),
            ready: BTreeSet::new(),
            clock: Duration::ZERO,
            lines: 0,
        }
    }
}

impl<T> FairQueue<T> {
    /// Returns the number of waiting lines.
    pub(crate) fn lines(&self) -> usize {
        self.lines
    }

    /// Returns true if there is work that is not parked.
    pub(crate) fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Returns true if this client may queue `lines` more lines. Above `max` only clients with less than their share may. As
    /// each of n clients has at most `max`/n when the nth arrives, a thousand of them together never have more than eight times
    /// `max`.
    pub(crate) fn admits(&self, origin: Origin, lines: usize, max: usize) -> bool {
        if self.lines + lines <= max {
            return true;
        }
        let own = self.origins.get(&origin).map_or(0, |lanes| lanes.lines);
        let waiting = self.origins.values().filter(|lanes| lanes.lines > 0);
        // The calling client counts even with an empty queue, otherwise the shares would add up to more than `max`.
        let share = max / (waiting.count() + usize::from(own == 0)).max(1);
        own + lines <= share
    }

    /// Adds work of this many lines to its lane. A lane's work is done in the order of the ranks, so the rest of a job comes
    /// before later jobs of its priority.
    pub(crate) fn push(&mut self, lane: Lane, job: T, lines: usize, rank: JobRank) {
        let origin = self.origins.entry(lane.origin).or_insert_with(|| Lanes {
            used: self.clock,
            lines: 0,
            clock: Duration::ZERO,
            ready: BTreeSet::new(),
            lanes: HashMap::new(),
        });
        let clock = origin.clock;
        let waiting = origin.lanes.entry(lane.number).or_insert_with(|| Waiting {
            used: clock,
            jobs: VecDeque::new(),
            parked: false,
        });
        let idle = waiting.jobs.is_empty();
        let was_ready = origin.ready.remove(&waiting.rank(lane.number));
        // Sorted, because the rest of a paused job returns after later jobs have arrived.
        let place = waiting.jobs.partition_point(|one| one.2 <= rank);
        waiting.jobs.insert(place, (job, lines, rank));
        origin.lines += lines;
        self.lines += lines;
        // The new job may be eligible although the lane was parked for another one.
        let lowest = waiting.jobs.iter().map(|(.., other)| other.number).min();
        let first = place == 0 || lowest == Some(rank.number);
        let freed = first && std::mem::take(&mut waiting.parked);
        if idle {
            // An idle connection starts at the current virtual time, so that it cannot save up a claim.
            waiting.used = waiting.used.max(clock);
        }
        if was_ready {
            origin.ready.insert(waiting.rank(lane.number));
        } else if idle || freed {
            origin.activate(lane, &mut self.ready, self.clock);
        }
    }

    /// Removes and returns the next work. Lanes whose first job is not `eligible` are parked.
    pub(crate) fn pop(
        &mut self,
        mut eligible: impl FnMut(&T, Origin) -> bool,
    ) -> Option<(Lane, T, usize)> {
        loop {
            let (used, key) = *self.ready.first()?;
            let Some(origin) = self.origins.get_mut(&key) else {
                self.ready.pop_first();
                continue;
            };
            let Some((_, lane_used, number)) = origin.ready.pop_first() else {
                self.ready.pop_first();
                continue;
            };
            let Some(waiting) = origin.lanes.get_mut(&number) else {
                continue;
            };
            let Some(at) = waiting.eligible(|job| eligible(job, key)) else {
                waiting.parked = !waiting.jobs.is_empty();
                continue;
            };
            let Some((job, lines, _)) = waiting.jobs.remove(at) else {
                continue;
            };
            if !waiting.jobs.is_empty() {
                origin.ready.insert(waiting.rank(number));
            }
            // Never backwards, because a lane that was parked may have a smaller time than the last one served.
            origin.clock = origin.clock.max(lane_used);
            origin.lines -= lines;
            self.lines -= lines;
            self.clock = self.clock.max(used);
            if origin.ready.is_empty() {
                self.ready.remove(&(used, key));
            }
            let lane = Lane {
                origin: key,
                number,
            };
            return Some((lane, job, lines));
        }
    }

    /// Adds the time for which a lane's work kept a thread.
    pub(crate) fn charge(&mut self, lane: Lane, used: Duration) {
        let Some(origin) = self.origins.get_mut(&lane.origin) else {
            return;
        };
        if let Some(waiting) = origin.lanes.get_mut(&lane.number) {
            let was_ready = origin.ready.remove(&waiting.rank(lane.number));
            waiting.used += used;
            if was_ready {
                origin.ready.insert(waiting.rank(lane.number));
            }
        }
        let was_ready = self.ready.remove(&(origin.used, lane.origin));
        origin.used += used;
        if was_ready {
            self.ready.insert((origin.used, lane.origin));
        }
    }

    /// Resumes a parked lane.
    pub(crate) fn unpark(&mut self, lane: Lane) {
        let Some(origin) = self.origins.get_mut(&lane.origin) else {
            return;
        };
        let Some(waiting) = origin.lanes.get_mut(&lane.number) else {
            return;
        };
        if std::mem::take(&mut waiting.parked) && !waiting.jobs.is_empty() {
            origin.activate(lane, &mut self.ready, self.clock);
        }
    }

    /// Resumes all parked lanes.
    pub(crate) fn unpark_all(&mut self) {
        let parked = self.origins.iter().flat_map(|(&origin, lanes)| {
            let parked = lanes.lanes.iter().filter(|(_, waiting)| waiting.parked);
            parked.map(move |(&number, _)| Lane { origin, number })
        });
        for lane in parked.collect::<Vec<_>>() {
            self.unpark(lane);
        }
    }

    /// Returns all jobs with their lanes, in no order.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = (Lane, &T)> {
        self.origins.iter().flat_map(|(&origin, lanes)| {
            lanes.lanes.iter().flat_map(move |(&number, waiting)| {
                let lane = Lane { origin, number };
                waiting.jobs.iter().map(move |(job, ..)| (lane, job))
            })
        })
    }

    /// Removes and returns the jobs of a lane for which `wanted` is true.
    pub(crate) fn take_if(&mut self, lane: Lane, wanted: impl Fn(&T) -> bool) -> Vec<T> {
        let Some(origin) = self.origins.get_mut(&lane.origin) else {
            return Vec::new();
        };
        let Some(waiting) = origin.lanes.get_mut(&lane.number) else {
            return Vec::new();
        };
        let was_ready = origin.ready.remove(&waiting.rank(lane.number));
        let (taken, left): (VecDeque<_>, VecDeque<_>) = std::mem::take(&mut waiting.jobs)
            .into_iter()
            .partition(|(job, ..)| wanted(job));
        waiting.jobs = left;
        if waiting.jobs.is_empty() {
            waiting.parked = false;
        } else if was_ready {
            origin.ready.insert(waiting.rank(lane.number));
        }
        if origin.ready.is_empty() {
            self.ready.remove(&(origin.used, lane.origin));
        }
        let lines: usize = taken.iter().map(|(_, lines, _)| lines).sum();
        origin.lines -= lines;
        self.lines -= lines;
        taken.into_iter().map(|(job, ..)| job).collect()
    }

    /// Removes a closed connection and its work.
    pub(crate) fn forget(&mut self, lane: Lane) {
        let Some(origin) = self.origins.get_mut(&lane.origin) else {
            return;
        };
        if let Some(gone) = origin.lanes.remove(&lane.number) {
            origin.ready.remove(&gone.rank(lane.number));
            let lines: usize = gone.jobs.iter().map(|(_, lines, _)| lines).sum();
            origin.lines -= lines;
            self.lines -= lines;
        }
        if origin.ready.is_empty() {
            self.ready.remove(&(origin.used, lane.origin));
        }
        // Removed with its used time: the number of clients would otherwise grow without bound.
        if origin.lanes.is_empty() {
            self.origins.remove(&lane.origin);
        }
    }
}

impl<T> Lanes<T> {
    /// Adds a lane with work to the waiting ones, and its client.
    fn activate(
        &mut self,
        lane: Lane,
        origins: &mut BTreeSet<(Duration, Origin)>,
        clock: Duration,
    ) {
        let was_idle = self.ready.is_empty();
        if let Some(waiting) = self.lanes.get(&lane.number) {
            self.ready.insert(waiting.rank(lane.number));
        }
        if was_idle {
            // An idle client starts at the current virtual time, because saved-up time would starve the others.
            self.used = self.used.max(clock);
            origins.insert((self.used, lane.origin));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn lane(address: u8, number: u64) -> Lane {
        Lane {
            origin: Origin::Address([127, 0, 0, address].into()),
            number,
        }
    }

    /// Serves all waiting work; each job takes as long as its value.
    fn serve(queue: &mut FairQueue<u32>) -> Vec<(u8, u64)> {
        let mut order = Vec::new();
        while let Some((lane, job, _)) = queue.pop(|_, _| true) {
            queue.charge(lane, MS * job);
            let Origin::Address(IpAddr::V4(address)) = lane.origin else {
                panic!("{lane:?}")
            };
            order.push((address.octets()[3], lane.number));
        }
        assert_eq!(queue.lines(), 0);
        order
    }

    /// a flood of one connection delays others only by the running job.
    #[test]
    fn new_client_precedes_a_backlog() {
        let mut queue = FairQueue::default();
        for _ in 0..64 {
            queue.push(lane(1, 1), 10, 1, JobRank::new(0, 0));
        }
        for _ in 0..3 {
            let (flood, _, _) = queue.pop(|_, _| true).unwrap();
            queue.charge(flood, MS * 10);
        }
        queue.push(lane(1, 2), 1, 1, JobRank::new(0, 0));
        queue.push(lane(2, 3), 1, 1, JobRank::new(0, 0));
        let order = serve(&mut queue);
        assert!(order[..3].contains(&(1, 2)), "{order:?}");
        assert!(order[..3].contains(&(2, 3)), "{order:?}");
    }

    /// Two clients get equal time, however many connections they have.
    #[test]
    fn addresses_share_alike_then_connections() {
        let mut queue = FairQueue::default();
        for round in 0..8 {
            for number in 1..=7 {
                queue.push(lane(1, number), 1, 1, JobRank::new(0, 0));
            }
            queue.push(lane(2, 100), 1, 1, JobRank::new(0, 0));
            let _ = round;
        }
        let order = serve(&mut queue);
        let of_two = order[..16].iter().filter(|(address, _)| *address == 2);
        assert_eq!(of_two.count(), 8, "{order:?}");
        let connections: BTreeSet<_> = order[..16].iter().collect();
        assert_eq!(connections.len(), 8, "{order:?}");
    }

    /// Clients with long jobs get as much time as clients with short ones, not as many turns.
    #[test]
    fn queue_shares_time_not_turns() {
        let mut queue = FairQueue::default();
        for _ in 0..10 {
            queue.push(lane(1, 1), 10, 1, JobRank::new(0, 0));
            queue.push(lane(1, 2), 1, 1, JobRank::new(0, 0));
        }
        let order = serve(&mut queue);
        let slow = order[..11].iter().filter(|(_, number)| *number == 1);
        assert!(slow.count() <= 2, "{order:?}");
    }

    #[test]
    fn parked_lanes_wait_and_closed_lanes_are_removed() {
        let mut queue = FairQueue::default();
        queue.push(lane(1, 1), 1, 5, JobRank::new(0, 0));
        queue.push(lane(1, 2), 2, 7, JobRank::new(0, 0));
        queue.push(lane(2, 3), 3, 9, JobRank::new(0, 0));
        assert_eq!(
            queue.pop(|job, _| *job == 3).map(|(_, job, _)| job),
            Some(3)
        );
        assert!(queue.pop(|_, _| false).is_none());
        assert!(queue.pop(|_, _| true).is_none(), "parked");
        queue.unpark(lane(1, 2));
        assert_eq!(queue.pop(|_, _| true).map(|(_, job, _)| job), Some(2));
        assert_eq!(queue.lines(), 5);
        queue.forget(lane(1, 1));
        queue.unpark(lane(1, 1));
        assert_eq!(queue.lines(), 0);
        assert!(queue.pop(|_, _| true).is_none());
        queue.forget(lane(1, 2));
        queue.forget(lane(2, 3));
        assert!(queue.origins.is_empty() && queue.ready.is_empty());
    }

    /// SRV-22: within a client higher priorities are first, in their order; other clients lose nothing by it.
    #[test]
    fn priority_orders_the_work_of_one_client() {
        let mut queue = FairQueue::default();
        let (own, second, other) = (lane(1, 1), lane(1, 2), lane(2, 3));
        for (lane, job, priority, number) in [
            (own, 10, 0, 0),
            (own, 11, 0, 1),
            (own, 12, 9, 2),
            (own, 13, 9, 3),
            (second, 20, 5, 0),
            (own, 14, -9, 4),
            (other, 30, 0, 0),
            (other, 31, 0, 1),
        ] {
            queue.push(lane, job, 1, JobRank::new(priority, number));
        }
        let mut of_first = Vec::new();
        let mut turns = Vec::new();
        while let Some((lane, job, _)) = queue.pop(|_, _| true) {
            queue.charge(lane, MS);
            turns.push(lane.origin);
            if lane.origin == own.origin {
                of_first.push(job);
            }
        }
        assert_eq!(of_first, [12, 13, 20, 10, 11, 14]);
        let before = turns
            .iter()
            .take(4)
            .filter(|origin| **origin == other.origin);
        assert_eq!(before.count(), 2, "{turns:?}");
    }

    /// A job that cannot begin before an earlier one's answer is sent leaves its turn to that one.
    #[test]
    fn priority_never_waits_for_ever() {
        let mut queue = FairQueue::default();
        let own = lane(1, 1);
        queue.push(own, 20, 1, JobRank::new(9, 1));
        queue.push(own, 30, 1, JobRank::new(9, 2));
        let first_only = |job: &u32, _: Origin| *job == 10;
        assert!(queue.pop(first_only).is_none(), "parked");
        queue.push(own, 10, 1, JobRank::new(0, 0));
        assert_eq!(queue.pop(first_only).map(|(_, job, _)| job), Some(10));
        assert!(queue.pop(first_only).is_none());
        queue.unpark(own);
        assert_eq!(queue.pop(|_, _| true).map(|(_, job, _)| job), Some(20));
    }

    /// a client that fills the queue gets `busy`, and others still find a place.
    #[test]
    fn full_queue_admits_clients_with_few_jobs() {
        let mut queue = FairQueue::default();
        let crowd = lane(1, 1);
        while queue.admits(crowd.origin, 1, 64) {
            queue.push(crowd, 1, 1, JobRank::new(0, 0));
        }
        assert_eq!(queue.lines(), 64);
        let other = lane(2, 2);
        for _ in 0..32 {
            assert!(queue.admits(other.origin, 1, 64));
            queue.push(other, 1, 1, JobRank::new(0, 0));
        }
        assert!(!queue.admits(other.origin, 1, 64));
        // However many came before, each with a share.
        for address in 3..=30 {
            let next = lane(address, 3);
            assert!(queue.admits(next.origin, 1, 64));
            while queue.admits(next.origin, 1, 64) {
                queue.push(next, 1, 1, JobRank::new(0, 0));
            }
        }
        assert!(queue.lines() > 2 * 64 && queue.lines() <= 4 * 64);
    }

    /// Jobs of a lane that return unfinished, the later one first, keep their order; the first is not held back by the reason
    /// for which the later one was parked.
    #[test]
    fn remaining_jobs_keep_their_order() {
        let mut queue = FairQueue::default();
        for number in 0..3 {
            queue.push(lane(1, 1), number as u32, 1, JobRank::new(0, number));
        }
        let (here, first, _) = queue.pop(|_, _| true).unwrap();
        let (_, second, _) = queue.pop(|_, _| true).unwrap();
        queue.push(here, second, 1, JobRank::new(0, 1));
        assert!(queue.pop(|job, _| *job == 0).is_none(), "parked");
        queue.push(here, first, 1, JobRank::new(0, 0));
        assert_eq!(
            queue.pop(|job, _| *job == 0).map(|(_, job, _)| job),
            Some(0)
        );
        queue.unpark(here);
        let rest: Vec<u32> =
            std::iter::from_fn(|| queue.pop(|_, _| true).map(|found| found.1)).collect();
        assert_eq!(rest, [1, 2]);
    }
}
