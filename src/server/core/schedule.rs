//! Scheduling of the jobs of one cost: which job computes next, for how long, and beside which others.
//!
//! A cost has slots for jobs that compute concurrently. A job that has computed for a [`SLICE`] while others wait is paused by
//! its stop token ([`Stop::pause`]): its threads wait at their next checkpoint, it returns to the fair queue like a waiting
//! job, and it is resumed in its turn. So clients share the time of a cost, however long their jobs are (SRV-21). The number of
//! jobs that have begun is limited, in all and for each client; so is the memory of matches analysed at a time.

use crate::core::fair_queue::{FairQueue, Lane, Origin};
use crate::core::started::Started;
use crate::core::work::WorkItem;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Computing time after which a job is paused if others wait.
pub(crate) const SLICE: Duration = Duration::from_millis(100);
/// Maximum number of jobs of a cost that have begun and are not finished, paused ones included. Each has its own threads.
pub(crate) const STARTED_MAX: usize = 32;
/// Maximum number of such jobs of one client. Above half of [`STARTED_MAX`] in all, a client gets only its first.
const STARTED_PER_CLIENT_MAX: usize = 8;
/// Memory that analysing a match may take, for each byte of the match.
const MATCH_MEMORY_FACTOR: usize = 32;
/// Maximum memory in bytes of matches analysed at a time, estimated by this factor.
const MATCH_MEMORY_MAX: usize = 64 << 20;

/// A job in the queue of a cost.
#[derive(Debug)]
enum Waiting {
    New(Box<WorkItem>, Instant),
    Paused(Arc<Started>, Duration),
}

/// A job that holds a slot.
#[derive(Debug)]
struct Running {
    job: Arc<Started>,
    /// Start of its slice.
    since: Instant,
    /// Computing time before the slice.
    used: Duration,
}

/// The limits of processor time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuLimits {
    /// Limit of one request; zero for none.
    pub(crate) request: Duration,
    /// Limit of one client within [`CLIENT_WINDOW`]; zero for none.
    pub(crate) client: Duration,
}

/// The jobs of one cost.
#[derive(Debug)]
pub(crate) struct Schedule {
    waiting: FairQueue<Waiting>,
    running: Vec<Running>,
    begun: StartedCounts,
    /// Numbers of the free engines.
    free: BTreeSet<usize>,
    /// True if a lane waits because of a limit of begun jobs.
    held_back: bool,
}

/// Counts of the jobs that have begun, and their limits.
#[derive(Debug)]
struct StartedCounts {
    /// Maximum number of jobs that compute concurrently.
    slots: usize,
    jobs_max: usize,
    jobs: usize,
    by_client: HashMap<Origin, usize>,
    /// Memory of the matches being analysed.
    match_memory: usize,
}

impl StartedCounts {
    /// Returns true if a job of this client may begin; `weight` is the size of its match in bytes, 0 for other work.
    fn admits(&self, weight: usize, origin: Origin) -> bool {
        let memory = self.match_memory + weight * MATCH_MEMORY_FACTOR;
        let room = weight == 0 || self.match_memory == 0 || memory <= MATCH_MEMORY_MAX;
        let own = self.by_client.get(&origin).copied().unwrap_or_default();
        let most = match own {
            // Jobs of this cost are never paused, so a second one would only wait.
            _ if self.jobs_max == self.slots => return self.jobs < self.slots && room,
            0 => self.jobs_max,
            1..STARTED_PER_CLIENT_MAX => (self.jobs_max / 2).max(self.slots),
            _ => 0,
        };
        // A client can invent NATS inboxes, so all inboxes together leave half of the places to other clients.
        let made_up = origin.is_made_up() && self.made_up() >= most.div_ceil(2);
        self.jobs < most && room && !made_up
    }

    /// Returns the number of begun jobs of clients that name themselves.
    fn made_up(&self) -> usize {
        let clients = self.by_client.iter();
        let made_up = clients.filter(|(origin, _)| origin.is_made_up());
        made_up.map(|(_, jobs)| jobs).sum()
    }

    fn begin(&mut self, weight: usize, origin: Origin) {
        self.jobs += 1;
        self.match_memory += weight * MATCH_MEMORY_FACTOR;
        *self.by_client.entry(origin).or_default() += 1;
    }

    fn finish(&mut self, weight: usize, origin: Origin) {
        self.jobs -= 1;
        self.match_memory -= weight * MATCH_MEMORY_FACTOR;
        if let Some(count) = self.by_client.get_mut(&origin) {
            *count -= 1;
            if *count == 0 {
                self.by_client.remove(&origin);
            }
        }
    }
}

/// A job to begin.
#[derive(Debug)]
pub(crate) struct Next {
    pub(crate) work: WorkItem,
    pub(crate) since: Instant,
    pub(crate) job: Arc<Started>,
}

impl Schedule {
    /// Creates a schedule in which `slots` jobs compute concurrently and `started_max` may have begun.
    pub(crate) fn new(slots: usize, started_max: usize) -> Schedule {
        Schedule {
            waiting: FairQueue::default(),
            running: Vec::new(),
            free: (0..started_max).collect(),
            begun: StartedCounts {
                slots,
                jobs_max: started_max,
                jobs: 0,
                by_client: HashMap::new(),
                match_memory: 0,
            },
            held_back: false,
        }
    }

    /// Returns the number of waiting lines.
    pub(crate) fn lines(&self) -> usize {
        self.waiting.lines()
    }

    /// Returns the number of useful threads: one for each job that has begun, and one more that resumes paused jobs.
    pub(crate) fn threads_max(&self) -> usize {
        let pauses = self.begun.jobs_max > self.begun.slots;
        self.begun.jobs_max + usize::from(pauses)
    }

    /// Returns true if a waiting job could begin now.
    pub(crate) fn could_begin(&self) -> bool {
        self.running.len() < self.begun.slots && self.waiting.is_ready()
    }

    /// Returns true if a job is running.
    pub(crate) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(crate) fn admits(&self, origin: Origin, lines: usize, max: usize) -> bool {
        self.waiting.admits(origin, lines, max)
    }

    /// Queues a job of this many lines.
    pub(crate) fn push(&mut self, lane: Lane, work: Box<WorkItem>, since: Instant) {
        let (lines, rank) = (work.lines(), work.rank());
        let waiting = Waiting::New(work, since);
        self.waiting.push(lane, waiting, lines, rank);
    }

    /// Resumes a lane whose client has read answers.
    pub(crate) fn unpark(&mut self, lane: Lane) {
        self.waiting.unpark(lane);
    }

    /// Removes the queued work of a lane. The stop tokens of its jobs must have been triggered before.
    pub(crate) fn forget(&mut self, lane: Lane) {
        self.waiting.forget(lane);
    }

    /// Stops all jobs. Returns the lanes of those that have not begun.
    pub(crate) fn stop_all(&self) -> Vec<Lane> {
        self.running
            .iter()
            .for_each(|running| running.job.stop.trigger());
        let mut lanes = Vec::new();
        for (lane, waiting) in self.waiting.jobs() {
            match waiting {
                Waiting::New(work, _) => {
                    work.stop.trigger();
                    lanes.push(lane);
                }
                Waiting::Paused(job, _) => job.stop.trigger(),
            }
        }
        lanes
    }

    /// Removes and returns the work of a lane that was stopped before it began.
    pub(crate) fn take_stopped(&mut self, lane: Lane) -> Vec<(WorkItem, Instant)> {
        let stopped = |waiting: &Waiting| match waiting {
            // A lease is answered by its caller, which sees the stop.
            Waiting::New(work, _) => work.stop.is_triggered() && work.lease.is_none(),
            Waiting::Paused(..) => false,
        };
        let taken = self.waiting.take_if(lane, stopped).into_iter();
        let new = taken.filter_map(|waiting| match waiting {
            Waiting::New(work, since) => Some((*work, since)),
            Waiting::Paused(..) => None,
        });
        new.collect()
    }

    /// Resumes paused jobs while they are next and slots are free; returns the new job that follows.
    pub(crate) fn next(&mut self, now: Instant) -> Option<Next> {
        while self.running.len() < self.begun.slots {
            let (begun, held_back) = (&self.begun, &mut self.held_back);
            let eligible = |waiting: &Waiting, origin: Origin| match waiting {
                // A paused job was admitted once and holds memory, so it must always be able to resume.
                Waiting::Paused(..) => true,
                Waiting::New(work, _) => {
                    let room = work.connection_budget.has_room_for(work.number)
                        || !work.connection_budget.park(work.number);
                    let begins = begun.admits(work.weight(), origin);
                    *held_back |= room && !begins;
                    room && begins
                }
            };
            let (lane, waiting, _) = self.waiting.pop(eligible)?;
            let (work, since) = match waiting {
                Waiting::New(work, since) => (*work, since),
                Waiting::Paused(job, used) => {
                    if !job.done.load(Ordering::SeqCst) {
                        job.stop.resume();
                        let since = now;
                        self.running.push(Running { job, since, used });
                    }
                    continue;
                }
            };
            return Some(self.begin(lane, work, since, now));
        }
        None
    }

    fn begin(&mut self, lane: Lane, work: WorkItem, since: Instant, now: Instant) -> Next {
        let weight = work.weight();
        self.begun.begin(weight, lane.origin);
        let job = Arc::new(Started {
            lane,
            rank: work.rank(),
            stop: work.stop.child(),
            engine: self.free.pop_first().unwrap_or_default(),
            weight,
            unlimited: work.is_job,
            spent: AtomicBool::new(false),
            done: AtomicBool::new(false),
        });
        self.running.push(Running {
            job: Arc::clone(&job),
            since: now,
            used: Duration::ZERO,
        });
        Next { work, since, job }
    }

    /// Ends a job, or the slice of one that returns to a queue.
    pub(crate) fn finish(&mut self, job: &Arc<Started>, now: Instant) {
        job.done.store(true, Ordering::SeqCst);
        let place = (self.running.iter()).position(|running| Arc::ptr_eq(&running.job, job));
        // A job that was stopped while paused holds no slot.
        if let Some(place) = place {
            let running = self.running.swap_remove(place);
            self.waiting.charge(job.lane, now - running.since);
        }
        self.free.insert(job.engine);
        self.begun.finish(job.weight, job.lane.origin);
        // Only then can a finished job admit another, so that most ends skip the walk over all lanes.
        if std::mem::take(&mut self.held_back) {
            self.waiting.unpark_all();
        }
    }

    /// Ends slices: stops jobs above their limit of processor time, and pauses others if jobs wait. `threads` is the number of
    /// threads of each engine. Returns the computing time of each client since the last call.
    pub(crate) fn tick(
        &mut self,
        now: Instant,
        limits: CpuLimits,
        threads: impl Fn(usize) -> u32,
        clients: &mut ClientUse,
    ) {
        let mut at = 0;
        while let Some(running) = self.running.get_mut(at) {
            let slice = now.saturating_duration_since(running.since);
            let used = running.used + slice;
            let cores = threads(running.job.engine);
            let limited = !limits.request.is_zero() && !running.job.unlimited;
            if limited && used * cores >= limits.request {
                running.job.end();
            }
            if slice < SLICE {
                at += 1;
                continue;
            }
            if clients.add(running.job.lane.origin, slice * cores, now) {
                running.job.end();
            }
            if !self.waiting.is_ready() || running.job.stop.is_triggered() {
                // Time that no other client wanted is not charged, otherwise idle machines would punish their users.
                (running.since, running.used) = (now, used);
                at += 1;
                continue;
            }
            let Running { job, .. } = self.running.swap_remove(at);
            job.stop.pause();
            self.waiting.charge(job.lane, slice);
            let (lane, rank) = (job.lane, job.rank);
            self.waiting.push(lane, Waiting::Paused(job, used), 0, rank);
        }
    }
}

/// Period over which the processor time of a client is counted.
pub(crate) const CLIENT_WINDOW: Duration = Duration::from_secs(60 * 60);
/// Maximum number of clients whose time is counted; above it the one with the least time is removed.
const CLIENTS_MAX: usize = 4096;

/// Processor time of each client in its current window.
#[derive(Debug)]
pub(crate) struct ClientUse {
    most: Duration,
    /// Limits of clients that have one of their own.
    limits: HashMap<Origin, Duration>,
    clients: HashMap<Origin, (Instant, Duration)>,
}

impl ClientUse {
    /// Creates the counter; `most` is the limit, zero for none.
    pub(crate) fn new(most: Duration) -> ClientUse {
        ClientUse {
            most,
            limits: HashMap::new(),
            clients: HashMap::new(),
        }
    }

    /// Gives these clients limits of their own, and others the limit of all.
    pub(crate) fn set_limits(&mut self, limits: HashMap<Origin, Duration>) {
        self.limits = limits;
    }

    /// Returns the limit of a client; zero for none.
    fn limit(&self, origin: Origin) -> Duration {
        self.limits.get(&origin).copied().unwrap_or(self.most)
    }

    /// Adds computing time of a client. Returns true if it is above the limit.
    fn add(&mut self, origin: Origin, time: Duration, now: Instant) -> bool {
        let most = self.limit(origin);
        if most.is_zero() {
            return false;
        }
        self.clients
            .retain(|_, (since, _)| now.saturating_duration_since(*since) < CLIENT_WINDOW);
        if self.clients.len() >= CLIENTS_MAX && !self.clients.contains_key(&origin) {
            let least = self.clients.iter().min_by_key(|(_, (_, used))| *used);
            if let Some(least) = least.map(|(origin, _)| *origin) {
                self.clients.remove(&least);
            }
        }
        let (_, used) = self.clients.entry(origin).or_insert((now, Duration::ZERO));
        *used += time;
        *used > most
    }

    /// Returns true if this client has used more than its limit.
    pub(crate) fn is_over(&self, origin: Origin, now: Instant) -> bool {
        self.wait(origin, now).is_some()
    }

    /// Returns the time until a client beyond its limit may continue.
    pub(crate) fn wait(&self, origin: Origin, now: Instant) -> Option<Duration> {
        let (since, used) = self.clients.get(&origin)?;
        let most = self.limit(origin);
        let left = CLIENT_WINDOW.checked_sub(now.saturating_duration_since(*since));
        left.filter(|left| !left.is_zero() && !most.is_zero() && *used > most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::memory_budget::{ConnectionBudget, MemoryBudget};
    use gammond_engine::query::Cost;
    use gammond_engine::query::Stop;
    use std::collections::VecDeque;

    const NONE: CpuLimits = CpuLimits {
        request: Duration::ZERO,
        client: Duration::ZERO,
    };

    fn lane(address: u8, number: u64) -> Lane {
        Lane {
            origin: Origin::Address([127, 0, 0, address].into()),
            number,
        }
    }

    fn work(number: u64) -> WorkItem {
        let (reply, kept) = tokio::sync::mpsc::unbounded_channel();
        // Only the receiver's end would close it.
        std::mem::forget(kept);
        WorkItem {
            inquiries: VecDeque::new(),
            rest: None,
            lease: None,
            cost: Cost::Long,
            stop: Stop::new(),
            connection_budget: ConnectionBudget::new(MemoryBudget::new(1 << 20), 1 << 20),
            number,
            priority: 0,
            is_job: false,
            answer_bytes_max: None,
            reply,
        }
    }

    /// A schedule, its clock and the jobs that compute.
    struct Fixture {
        schedule: Schedule,
        now: Instant,
        clients: ClientUse,
        begun: Vec<Arc<Started>>,
    }

    impl Fixture {
        fn new(slots: usize, started: usize) -> Fixture {
            Fixture {
                schedule: Schedule::new(slots, started),
                now: Instant::now(),
                clients: ClientUse::new(Duration::ZERO),
                begun: Vec::new(),
            }
        }

        fn ask(&mut self, lane: Lane) {
            self.schedule.push(lane, Box::new(work(0)), self.now);
            self.dispatch();
        }

        fn dispatch(&mut self) {
            while let Some(next) = self.schedule.next(self.now) {
                self.begun.push(next.job);
            }
        }

        /// Advances the clock by a slice; returns the addresses that compute then.
        fn slice(&mut self, limits: CpuLimits) -> Vec<u8> {
            self.now += SLICE;
            (self.schedule).tick(self.now, limits, |_| 1, &mut self.clients);
            self.dispatch();
            self.computing()
        }

        fn computing(&self) -> Vec<u8> {
            let of = |running: &Running| match running.job.lane.origin {
                Origin::Address(std::net::IpAddr::V4(address)) => address.octets()[3],
                _ => 0,
            };
            let mut found: Vec<u8> = self.schedule.running.iter().map(of).collect();
            found.sort_unstable();
            found
        }
    }

    /// SRV-21: endless work computes in slices, and a new client gets the next one.
    #[test]
    fn endless_work_gives_way_after_a_slice() {
        let mut world = Fixture::new(2, 32);
        for number in 0..2 {
            world.ask(lane(1, number));
        }
        // No other client waits, so no work is paused, and none counts against the client later.
        for _ in 0..50 {
            assert_eq!(world.slice(NONE), [1, 1]);
        }
        world.ask(lane(2, 9));
        assert_eq!(world.computing(), [1, 1], "a slice is not cut short");
        assert!(world.slice(NONE).contains(&2), "the newcomer is next");
        // From then on both addresses have half of the slots.
        let mut counts = [0; 3];
        for _ in 0..100 {
            for address in world.slice(NONE) {
                counts[usize::from(address)] += 1;
            }
        }
        assert!(counts[2] >= 95 && counts[1] >= 95, "{counts:?}");
    }

    /// Ten clients with endless work get equal time, and a new client computes after at most one slice of each.
    #[test]
    fn ten_clients_share_alike() {
        let mut world = Fixture::new(1, 32);
        for address in 1..=10 {
            world.ask(lane(address, 1));
        }
        let mut counts = [0; 12];
        for _ in 0..200 {
            for address in world.slice(NONE) {
                counts[usize::from(address)] += 1;
            }
        }
        assert!(
            counts[1..=10]
                .iter()
                .all(|&count| (19..=21).contains(&count)),
            "{counts:?}"
        );
        world.ask(lane(11, 1));
        let waited = (0..20).position(|_| world.slice(NONE) == [11]);
        assert!(waited.is_some_and(|slices| slices < 10), "{waited:?}");
    }

    /// A paused job of a closed connection ends without a slot and leaves nothing behind.
    #[test]
    fn paused_job_of_a_closed_connection_is_removed() {
        let mut world = Fixture::new(1, 4);
        world.ask(lane(1, 1));
        world.ask(lane(2, 2));
        assert_eq!(world.slice(NONE), [2]);
        let paused = Arc::clone(&world.begun[0]);
        paused.stop.trigger();
        assert!(paused.stop.checkpoint(), "a paused job ends at once");
        world.schedule.finish(&paused, world.now);
        world.schedule.forget(lane(1, 1));
        assert_eq!(world.slice(NONE), [2]);
        let last = Arc::clone(&world.begun[1]);
        world.schedule.finish(&last, world.now);
        assert_eq!(world.schedule.begun.jobs, 0);
        assert!(world.schedule.begun.by_client.is_empty() && world.schedule.free.len() == 4);
    }

    /// The number of begun jobs is limited; one client cannot use up all places.
    #[test]
    fn one_client_cannot_take_all_job_slots() {
        let mut world = Fixture::new(1, 32);
        for number in 0..64 {
            world.ask(lane(1, number));
        }
        for _ in 0..200 {
            world.slice(NONE);
        }
        assert_eq!(world.begun.len(), STARTED_PER_CLIENT_MAX);
        for address in 2..60 {
            world.ask(lane(address, 1));
        }
        for _ in 0..200 {
            world.slice(NONE);
        }
        assert_eq!(world.begun.len(), 32);
        // When one ends, the next begins.
        let ended = Arc::clone(&world.begun[20]);
        world.schedule.finish(&ended, world.now);
        world.schedule.forget(ended.lane);
        // In its turn, as every newcomer.
        for _ in 0..32 {
            world.slice(NONE);
        }
        assert_eq!(world.begun.len(), 33);
    }

    /// `--request-cpu`: waiting time does not count.
    #[test]
    fn request_above_its_processor_time_is_ended() {
        let limits = CpuLimits {
            request: 5 * SLICE,
            ..NONE
        };
        let mut world = Fixture::new(1, 32);
        world.ask(lane(1, 1));
        world.ask(lane(2, 1));
        for _ in 0..8 {
            world.slice(limits);
        }
        assert!(!world.begun[0].is_spent() && !world.begun[1].is_spent());
        for job in 0..2 {
            world.slice(limits);
            let ended = Arc::clone(&world.begun[job]);
            assert!(ended.is_spent() && ended.stop.checkpoint());
            // It keeps its slot until its threads have seen the stop.
            assert_eq!(world.computing().len(), 1);
            world.schedule.finish(&ended, world.now);
            world.dispatch();
        }
        assert!(world.computing().is_empty());
    }

    /// `--client-cpu`: counted over all requests of a client.
    #[test]
    fn client_above_its_processor_time_is_refused() {
        let mut world = Fixture::new(2, 32);
        world.clients = ClientUse::new(9 * SLICE);
        let (one, other) = (lane(1, 1), lane(2, 1));
        world.ask(one);
        world.ask(lane(1, 2));
        for _ in 0..5 {
            world.slice(NONE);
        }
        assert!(world.clients.is_over(one.origin, world.now));
        assert!(!world.clients.is_over(other.origin, world.now));
        // A client's own limit replaces the common one.
        let own = [
            (one.origin, Duration::from_secs(3600)),
            (other.origin, Duration::ZERO),
        ];
        world.clients.set_limits(own.into());
        assert!(!world.clients.is_over(one.origin, world.now));
        world.clients.set_limits(HashMap::new());
        assert!(world.clients.is_over(one.origin, world.now));
        assert!(world.begun.iter().any(|job| job.is_spent()));
        let later = world.now + CLIENT_WINDOW;
        assert!(!world.clients.is_over(one.origin, later));
    }
}
