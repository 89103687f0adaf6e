//! A worker: a machine that computes batches for others.

use super::FarmError;
use super::answers::{Submission, SubmissionOutcome};
use super::completion::{JobProgress, progress};
use super::host::{Host, HostContext, Programs};
use super::job_watch::JobWatch;
use super::judge;
use super::machines::{MachineReport, now_s};
use super::stall_detector::StallDetector;
use super::store::{Farm, State, fetched, is_farm_message};
use super::task::{Commands, PartBatch, Task, VERSION, pack};
use super::worker_settings::{InjectedFault, WorkerSettings};
use async_nats::jetstream::AckKind;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::PullConsumer;
use gammond_base::stop::Stop;
use gammond_job::Computed;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of deliveries after which a batch is abandoned.
pub const TRIES_MAX: i64 = 10;
/// Interval of the machine's checks, and maximum wait for changes of the jobs.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of the machine's reports.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Backoff for a job that this machine cannot do.
const REFUSED_JOB_BACKOFF: Duration = Duration::from_secs(60);
/// Backoff for a job if the cause may go away, such as a full disk.
const TEMPORARY_REFUSAL_BACKOFF: Duration = Duration::from_secs(10);
/// Minimum backoff before an answer is submitted again.
const ANSWER_RETRY_BACKOFF_MIN: Duration = Duration::from_millis(500);
/// Maximum backoff before an answer is submitted again.
const ANSWER_RETRY_BACKOFF_MAX: Duration = Duration::from_secs(10);
/// Time after which answers that the server does not store are dropped; then other workers may try.
const ANSWER_RETRY_TIMEOUT: Duration = Duration::from_secs(600);
/// Interval of the checks for a complete job.
const COMPLETION_CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Minimum backoff after an empty queue.
const IDLE_BACKOFF_MIN: Duration = Duration::from_millis(50);
/// Maximum backoff after an empty queue.
const IDLE_BACKOFF_MAX: Duration = Duration::from_secs(2);
/// Maximum number of messages per fetch, if they are short.
const MESSAGES_PER_FETCH_MAX: usize = 256;
/// Target computing time of the messages of one fetch.
const BATCH_DURATION_TARGET: Duration = Duration::from_millis(200);
/// Mean delay of a message that another machine should take.
const HANDOVER_DELAY: Duration = Duration::from_secs(2);
/// Maximum number of running commands.
const HOSTS_MAX: usize = 8;

/// A stage of a job.
type HostKey = (String, u32);
/// The command that computes a stage, when it has been started.
type HostPlace = Arc<tokio::sync::Mutex<Option<Arc<Host>>>>;

/// The state that all slots of a worker share.
struct Shared<C: Commands> {
    farm: Farm,
    programs: Arc<dyn Programs<C>>,
    settings: WorkerSettings,
    instance: String,
    stop: Stop,
    hosts: tokio::sync::Mutex<HashMap<HostKey, HostPlace>>,
    opened: tokio::sync::Mutex<HashMap<String, Arc<OpenJob<C>>>>,
    active: Mutex<BTreeSet<String>>,
    /// Wakes slots without work when the active jobs change.
    jobs_changed: tokio::sync::Notify,
    /// Refused jobs, each with the reason and the end of the backoff.
    refused: Mutex<BTreeMap<String, (String, Instant)>>,
    completion_checked: Mutex<HashMap<String, Instant>>,
    stall_detectors: tokio::sync::Mutex<HashMap<String, StallDetector>>,
    quarantined: Mutex<Option<String>>,
    computing: Mutex<BTreeSet<PartBatch>>,
    answered: AtomicU64,
    dropped: AtomicU64,
    busy: Mutex<Instant>,
}

/// An active job that this machine can do.
struct OpenJob<C: Commands> {
    task: Task<C>,
    queue: PullConsumer,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Computes batches for others until `stop` is triggered.
///
/// # Errors
/// Only errors that a retry cannot fix.
pub async fn work<C: Commands>(
    farm: Farm,
    programs: Arc<dyn Programs<C>>,
    settings: WorkerSettings,
    stop: Stop,
) -> Result<(), FarmError> {
    let slots = settings.jobs.max(1);
    let instance = format!("{:x}-{:x}", std::process::id(), now_s());
    let shared = Arc::new(Shared {
        farm,
        programs,
        settings,
        instance,
        stop,
        hosts: tokio::sync::Mutex::default(),
        opened: tokio::sync::Mutex::default(),
        active: Mutex::default(),
        jobs_changed: tokio::sync::Notify::new(),
        refused: Mutex::default(),
        completion_checked: Mutex::default(),
        stall_detectors: tokio::sync::Mutex::default(),
        quarantined: Mutex::default(),
        computing: Mutex::default(),
        answered: AtomicU64::new(0),
        dropped: AtomicU64::new(0),
        busy: Mutex::new(Instant::now()),
    });
    let mut tasks = tokio::task::JoinSet::new();
    for slot in 0..slots {
        let shared = shared.clone();
        tasks.spawn(async move { shared.slot(slot).await });
    }
    shared.watch().await;
    while tasks.join_next().await.is_some() {}
    shared.farm.leave(&shared.machine()).await;
    // Commands that wait for orders end.
    shared.hosts.lock().await.clear();
    Ok(())
}

impl<C: Commands> Shared<C> {
    fn machine(&self) -> MachineReport {
        let refused = lock(&self.refused);
        let computing = lock(&self.computing);
        let mut jobs = BTreeMap::new();
        for batch in computing.iter() {
            *jobs.entry(batch.job.clone()).or_default() += 1;
        }
        MachineReport {
            name: self.settings.name.as_str().into(),
            instance: self.instance.as_str().into(),
            version: VERSION.into(),
            threads: self.settings.threads,
            computing: computing.len() as u64,
            jobs,
            answered: self.answered.load(Ordering::Relaxed),
            seen_s: now_s(),
            refuses: (refused.iter())
                .map(|(job, (why, _))| (job.as_str().into(), why.as_str().into()))
                .collect(),
        }
    }

    /// Watches the jobs and reports this machine's state.
    async fn watch(&self) {
        let mut reported: Option<Instant> = None;
        let mut known = JobWatch::default();
        while !self.stop.is_triggered() {
            if let Err(error) = self.apply_job_changes(&mut known).await {
                tracing::warn!("{error}");
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            if reported.is_none_or(|at| at.elapsed() >= HEARTBEAT_INTERVAL) {
                reported = Some(Instant::now());
                if let Err(error) = self.farm.report_machine(&self.machine()).await {
                    tracing::warn!("{error}");
                    // The server may have lost its store, and the watch with it.
                    known.renew();
                }
            }
            if let Some(idle_timeout) = self.settings.idle_timeout
                && lock(&self.computing).is_empty()
                && lock(&self.busy).elapsed() >= idle_timeout
            {
                self.stop.trigger();
            }
        }
    }

    /// Applies changes of the jobs and the quarantine.
    async fn apply_job_changes(&self, known: &mut JobWatch) -> Result<(), FarmError> {
        known.apply_changes(&self.farm, POLL_INTERVAL).await?;
        let active = known.active();
        let gone: Vec<String> = {
            let mut opened = self.opened.lock().await;
            let gone = (opened.keys()).filter(|job| !active.contains(*job));
            let gone: Vec<String> = gone.cloned().collect();
            opened.retain(|job, _| active.contains(job));
            gone
        };
        (self.hosts.lock().await).retain(|(job, _), _| active.contains(job));
        (self.stall_detectors.lock().await).retain(|job, _| active.contains(job));
        for job in gone {
            self.settings.cache.forget(&job);
        }
        lock(&self.refused)
            .retain(|job, (_, until)| active.contains(job) && Instant::now() < *until);
        lock(&self.completion_checked).retain(|job, _| active.contains(job));
        let before = std::mem::replace(&mut *lock(&self.active), active);
        if before != *lock(&self.active) {
            self.jobs_changed.notify_waiters();
        }
        let quarantined = known.quarantined(&self.settings.name).cloned();
        let mut place = lock(&self.quarantined);
        if let (None, Some(why)) = (&*place, &quarantined) {
            tracing::error!("this machine is quarantined: {why}");
        }
        *place = quarantined;
        Ok(())
    }

    async fn slot(&self, slot: usize) {
        let mut wait = IDLE_BACKOFF_MIN;
        let mut turn = slot;
        let mut fetch_size = 1;
        while !self.stop.is_triggered() {
            let rests =
                self.settings.idle_only && gammond_base::platform::others_are_busy(Instant::now());
            let jobs: Vec<String> = lock(&self.active).iter().cloned().collect();
            // The backoff is spent at the queue of a single job; many queues are asked in turn.
            let at_queue = (jobs.len() == 1 && wait > IDLE_BACKOFF_MIN).then_some(wait);
            let mut done = Turn::Empty;
            if !rests && lock(&self.quarantined).is_none() {
                for _ in 0..jobs.len() {
                    turn = (turn + 1) % jobs.len();
                    let known_empty = |job: &&String| jobs.len() > 1 && self.was_checked(job);
                    let Some(job) = jobs.get(turn).filter(|job| !known_empty(job)) else {
                        continue;
                    };
                    match self.fetch_and_compute(job, &mut fetch_size, at_queue).await {
                        Ok(did) => done = did,
                        Err(error) => {
                            tracing::warn!(job, "{error}");
                            tokio::time::sleep(IDLE_BACKOFF_MIN).await;
                        }
                    }
                    match done {
                        Turn::Empty | Turn::Waited => {}
                        Turn::Computed => break,
                        Turn::Drained => {
                            // The next turn is the same job's, which may be complete.
                            turn = (turn + jobs.len() - 1) % jobs.len();
                            break;
                        }
                    }
                }
            }
            if matches!(done, Turn::Computed | Turn::Drained) {
                // The backoff starts again after each success, because a queue that had work is likely to get more.
                wait = IDLE_BACKOFF_MIN;
                continue;
            }
            wait = (2 * wait).min(IDLE_BACKOFF_MAX);
            if done == Turn::Empty {
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    // A new job may get its messages a little later.
                    () = self.jobs_changed.notified() => wait = IDLE_BACKOFF_MIN,
                }
            }
        }
    }

    fn refuse(&self, job: &str, why: String, time: Duration) {
        let mut refused = lock(&self.refused);
        if refused.get(job).is_none_or(|(before, _)| *before != why) {
            tracing::error!(job, "refused: {why}");
        }
        refused.insert(job.to_owned(), (why, Instant::now() + time));
    }

    /// Opens a job that this machine can do; `None` if it refuses it.
    async fn open(&self, job: &str) -> Result<Option<Arc<OpenJob<C>>>, FarmError> {
        if lock(&self.refused).contains_key(job) {
            return Ok(None);
        }
        if let Some(opened) = self.opened.lock().await.get(job) {
            return Ok(Some(opened.clone()));
        }
        let task = match self.farm.task(job).await {
            Ok(task) => task,
            Err(
                error @ (FarmError::Newer { .. }
                | FarmError::Version { .. }
                | FarmError::NotOurs(_)),
            ) => {
                self.refuse(job, error.to_string(), REFUSED_JOB_BACKOFF);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let own = match &self.settings.fault {
            Some(InjectedFault::Version(version)) => version,
            _ => VERSION,
        };
        if task.version != own {
            self.refuse(
                job,
                format!("it is of gammond {}, this is {own}", task.version),
                REFUSED_JOB_BACKOFF,
            );
            return Ok(None);
        }
        let mut begun = None;
        for number in 0..task.stages() {
            match self.farm.stage(job, number).await? {
                Some(_) => begun = Some(number),
                None => break,
            }
        }
        let Some(begun) = begun else {
            return Ok(None);
        };
        let queue = self.farm.queue(job, task.silence_s).await?;
        let opened = Arc::new(OpenJob { task, queue });
        // The command is started before the first fetch, because every delivery to a machine that cannot compute counts as a try.
        if self.host(&opened, (job, begun)).await?.is_none() {
            return Ok(None);
        }
        (self.opened.lock().await).insert(job.to_owned(), opened.clone());
        Ok(Some(opened))
    }

    /// Returns the command that computes a stage; `None` if this machine refuses it.
    async fn host(
        &self,
        opened: &OpenJob<C>,
        (job, stage): (&str, u32),
    ) -> Result<Option<Arc<Host>>, FarmError> {
        let key = (job.to_owned(), stage);
        let place = self.host_place(key.clone()).await;
        // The lock is held during the start, otherwise two slots would start the same command; other places stay free.
        let mut place = place.lock().await;
        if let Some(host) = &*place {
            return Ok(Some(host.clone()));
        }
        let cache = &self.settings.cache;
        let ready = async {
            let paths = cache.paths(&self.farm, job, &opened.task.files).await?;
            let scratch = cache.scratch(&format!("{job}/{}-{stage}", self.instance))?;
            Ok((paths, scratch))
        };
        let (paths, scratch) = match ready.await {
            Ok(ready) => ready,
            Err(error @ FarmError::Server { .. }) => return Err(error),
            Err(error) => {
                let full = matches!(error, FarmError::File { .. });
                let time = if full {
                    TEMPORARY_REFUSAL_BACKOFF
                } else {
                    REFUSED_JOB_BACKOFF
                };
                self.refuse(job, error.to_string(), time);
                return Ok(None);
            }
        };
        let context = HostContext {
            farm: self.farm.clone(),
            programs: self.programs.clone(),
            task: opened.task.clone(),
            paths,
            scratch,
        };
        match Host::start(context, stage).await {
            Ok(host) => {
                let host = Arc::new(host);
                *place = Some(host.clone());
                Ok(Some(host))
            }
            Err(why) => {
                self.refuse(job, why, REFUSED_JOB_BACKOFF);
                Ok(None)
            }
        }
    }

    /// Returns the place of a stage's command; above the limit the places of others are released.
    async fn host_place(&self, key: HostKey) -> HostPlace {
        let mut hosts = self.hosts.lock().await;
        while hosts.len() >= HOSTS_MAX && !hosts.contains_key(&key) {
            let Some(some) = hosts.keys().next().cloned() else {
                break;
            };
            hosts.remove(&some);
        }
        hosts.entry(key).or_default().clone()
    }

    /// Takes some messages of a job and answers them; waits for them so long if `patience` is given.
    async fn fetch_and_compute(
        &self,
        job: &str,
        fetch_size: &mut usize,
        patience: Option<Duration>,
    ) -> Result<Turn, FarmError> {
        let Some(opened) = self.open(job).await? else {
            return Ok(Turn::Empty);
        };
        let messages = match fetched(&opened.queue, *fetch_size, patience).await {
            Ok(messages) => messages,
            Err(error) => {
                // The queue may have been recreated, so it is opened again at the next turn.
                self.opened.lock().await.remove(job);
                return Err(FarmError::server("taking parts")(error));
            }
        };
        let Some(last) = messages.last() else {
            *fetch_size = 1;
            self.check_completion(&opened, job).await?;
            return Ok(patience.map_or(Turn::Empty, |_| Turn::Waited));
        };
        let is_drained = last.info().is_ok_and(|info| info.pending == 0);
        *lock(&self.busy) = Instant::now();
        let (begun, count) = (Instant::now(), messages.len());
        self.messages(&opened, messages).await?;
        // Set again after the work, otherwise a long batch would count as idle time.
        *lock(&self.busy) = Instant::now();
        // Enough messages to hide the round trip to the server.
        let each = begun.elapsed().as_secs_f64() / count as f64;
        let next = (BATCH_DURATION_TARGET.as_secs_f64() / each.max(1e-6)) as usize;
        *fetch_size = next.clamp(1, MESSAGES_PER_FETCH_MAX.min(2 * count));
        if !is_drained {
            return Ok(Turn::Computed);
        }
        lock(&self.completion_checked).remove(job);
        Ok(Turn::Drained)
    }

    /// Returns true if a delivery is to be dropped, for tests.
    fn drops(&self) -> bool {
        let Some(InjectedFault::Drops(hundredths)) = self.settings.fault else {
            return false;
        };
        let count = self.dropped.fetch_add(1, Ordering::Relaxed);
        // Spread by a fixed multiplier.
        (count.wrapping_mul(61) % 100) < u64::from(hundredths)
    }

    async fn messages(&self, opened: &OpenJob<C>, messages: Vec<Message>) -> Result<(), FarmError> {
        let stop = Stop::new();
        let mut held = ComputingGuard {
            shared: self,
            batches: Vec::new(),
        };
        let mut queue = VecDeque::new();
        for message in messages {
            if self.drops() {
                continue;
            }
            if let Some(ordered) = self.start_batch(opened, message, &stop).await? {
                held.batches.push(ordered.batch.clone());
                queue.push_back(ordered);
            }
        }
        let silence = Duration::from_secs(opened.task.silence_s.max(1));
        let (mut submissions, mut given) = (Vec::new(), Vec::new());
        let mut alive = Instant::now();
        while let Some(mut next) = queue.pop_front() {
            let computed = loop {
                tokio::select! {
                    computed = &mut next.result => break computed.ok(),
                    () = tokio::time::sleep(Duration::from_millis(100).min(silence / 6)) => {}
                }
                if self.stop.is_triggered() || !lock(&self.active).contains(&next.batch.job) {
                    stop.trigger();
                }
                if alive.elapsed() >= silence / 3 {
                    alive = Instant::now();
                    let waiting = queue.iter().map(|one| &one.message);
                    for one in waiting.chain(&given).chain([&next.message]) {
                        settle(one, AckKind::Progress).await;
                    }
                }
            };
            match self
                .finish_batch(&next.batch, computed, next.delivered)
                .await?
            {
                Outcome::Give(answer) => {
                    submissions.push(answer);
                    given.push(next.message);
                }
                Outcome::Settle(kind) => settle(&next.message, kind).await,
            }
        }
        let outcome = self.submit_with_retry(opened, submissions, &given).await;
        for message in &given {
            let kind = match &outcome {
                Ok(()) => AckKind::Ack,
                Err(_) => AckKind::Nak(None),
            };
            settle(message, kind).await;
        }
        drop(held);
        outcome
    }

    /// Orders the parts of a message; `None` if the message was acknowledged without computing it.
    async fn start_batch(
        &self,
        opened: &OpenJob<C>,
        message: Message,
        stop: &Stop,
    ) -> Result<Option<RunningBatch>, FarmError> {
        let batch =
            (self.farm.batch_of(message.subject.as_str())).filter(|_| is_farm_message(&message));
        let Some(batch) = batch else {
            tracing::warn!(subject = %message.subject, "removed a message that is not of a farm");
            settle(&message, AckKind::Term).await;
            return Ok(None);
        };
        let delivered = message.info().map_or(1, |info| info.delivered);
        if !self.should_compute(&batch, delivered, &message).await? {
            return Ok(None);
        }
        let Some(host) = self.host(opened, (&batch.job, batch.stage)).await? else {
            self.opened.lock().await.remove(&batch.job);
            settle(
                &message,
                AckKind::Nak(Some(self.handover_delay(&batch, delivered))),
            )
            .await;
            return Ok(None);
        };
        let mut numbers = host.stage.numbers(batch.number);
        if numbers.is_empty() {
            // A stage without a fixed number of parts may have been extended.
            let now = self.farm.stage(&batch.job, batch.stage).await?;
            numbers = now.map_or(0..0, |stage| stage.numbers(batch.number));
        }
        if numbers.is_empty() {
            settle(&message, AckKind::Term).await;
            return Ok(None);
        }
        lock(&self.computing).insert(batch.clone());
        Ok(Some(RunningBatch {
            result: host.order(numbers, stop),
            message,
            batch,
            delivered,
        }))
    }

    /// Returns true if this machine should compute a batch; otherwise acknowledges or returns the message.
    async fn should_compute(
        &self,
        batch: &PartBatch,
        delivered: i64,
        message: &Message,
    ) -> Result<bool, FarmError> {
        if delivered > 1 && self.farm.answer(batch).await?.is_some() {
            settle(message, AckKind::Ack).await;
            return Ok(false);
        }
        if batch.copy == 0 {
            if delivered > TRIES_MAX {
                let reason = format!("delivered {delivered} times without an answer");
                self.farm.mark_dead(batch, &reason).await?;
                settle(message, AckKind::Term).await;
                return Ok(false);
            }
        } else if self.has_answered(batch).await? {
            // A third answer is not needed where the others have become equal, as when one of them was computed again.
            let ack = match batch.copy > 1 && judge::is_agreed(&self.farm, batch).await? {
                true => AckKind::Ack,
                false => AckKind::Nak(Some(self.handover_delay(batch, delivered))),
            };
            settle(message, ack).await;
            return Ok(false);
        }
        if batch.copy == 0 && delivered > 1 {
            return Ok(true);
        }
        // Two copies computed by one machine would prove nothing.
        let own = lock(&self.computing)
            .iter()
            .any(|one| one.copy(0) == batch.copy(0));
        if own {
            settle(
                message,
                AckKind::Nak(Some(self.handover_delay(batch, delivered))),
            )
            .await;
        }
        Ok(!own)
    }

    /// Returns the redelivery delay of a batch that is left to other machines. It varies, so that batches do not
    /// return in step to the same machines.
    fn handover_delay(&self, batch: &PartBatch, delivered: i64) -> Duration {
        let mut hasher = DefaultHasher::new();
        (&self.settings.name, batch.subject(), delivered).hash(&mut hasher);
        HANDOVER_DELAY / 2 + HANDOVER_DELAY * u32::from(hasher.finish().to_le_bytes()[0]) / 256
    }

    /// Returns true if this machine has answered another copy of the batch.
    async fn has_answered(&self, batch: &PartBatch) -> Result<bool, FarmError> {
        for copy in 0..batch.copy.min(judge::COPIES_MAX) {
            if let Some((known, _)) = self.farm.answer(&batch.copy(copy)).await?
                && known.worker == self.settings.name
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn finish_batch(
        &self,
        batch: &PartBatch,
        computed: Option<Computed>,
        delivered: i64,
    ) -> Result<Outcome, FarmError> {
        let Some(Computed { mut parts, busy }) = computed else {
            return Ok(Outcome::Settle(AckKind::Nak(Some(
                self.handover_delay(batch, delivered),
            ))));
        };
        if self.settings.fault == Some(InjectedFault::Fails(batch.number)) {
            parts = Err("it fails, as injected by --fault".to_owned());
        }
        match parts {
            Ok(Some(parts)) => {
                let mut bytes = pack(&parts);
                if self.settings.fault == Some(InjectedFault::Lies)
                    && let Some(last) = bytes.last_mut()
                {
                    *last ^= 1;
                }
                Ok(Outcome::Give(Submission {
                    batch: batch.clone(),
                    by: (self.settings.name.clone(), self.instance.clone()),
                    busy,
                    parts: parts.len() as u64,
                    bytes,
                }))
            }
            Ok(None) => Ok(Outcome::Settle(AckKind::Nak(None))),
            Err(reason) if delivered >= TRIES_MAX => {
                self.farm.mark_dead(batch, &reason).await?;
                Ok(Outcome::Settle(AckKind::Term))
            }
            Err(reason) => {
                tracing::warn!(batch = batch.subject(), "failed: {reason}");
                Ok(Outcome::Settle(AckKind::Nak(Some(
                    self.handover_delay(batch, delivered),
                ))))
            }
        }
    }

    /// Submits answers. If the server cannot store them, because its disk is full or it is down, the answers are kept
    /// and submitted again.
    async fn submit_with_retry(
        &self,
        opened: &OpenJob<C>,
        submissions: Vec<Submission>,
        messages: &[Message],
    ) -> Result<(), FarmError> {
        let Some(job) = submissions.first().map(|one| one.batch.job.clone()) else {
            return Ok(());
        };
        let silence = Duration::from_secs(opened.task.silence_s.max(1));
        let ends = || self.stop.is_triggered() || !lock(&self.active).contains(&job);
        let (begun, mut wait) = (Instant::now(), ANSWER_RETRY_BACKOFF_MIN);
        loop {
            let error = match self.submit(opened, submissions.clone()).await {
                Err(error @ FarmError::Server { .. }) => error,
                ended => return ended,
            };
            if ends() || begun.elapsed() >= ANSWER_RETRY_TIMEOUT {
                return Err(error);
            }
            tracing::warn!(job, "{error}; tried again in {:.1} s", wait.as_secs_f64());
            let until = Instant::now() + wait;
            while !ends() && Instant::now() < until {
                for message in messages {
                    settle(message, AckKind::Progress).await;
                }
                let left = until.saturating_duration_since(Instant::now());
                tokio::time::sleep(left.min(silence / 3).min(POLL_INTERVAL)).await;
            }
            wait = (2 * wait).min(ANSWER_RETRY_BACKOFF_MAX);
        }
    }

    async fn submit(
        &self,
        opened: &OpenJob<C>,
        submissions: Vec<Submission>,
    ) -> Result<(), FarmError> {
        let given = self.farm.submit(submissions.clone()).await?;
        for (submissions, given) in submissions.into_iter().zip(given) {
            let batch = submissions.batch.clone();
            if given == SubmissionOutcome::First {
                self.answered.fetch_add(1, Ordering::Relaxed);
            } else {
                judge::late(&self.farm, submissions).await?;
            }
            if opened.task.verifies(batch.stage, batch.number) || batch.copy > 0 {
                judge::judge(&self.farm, &batch).await?;
            }
        }
        Ok(())
    }

    /// Returns true if the queue of a job was empty a moment ago.
    fn was_checked(&self, job: &str) -> bool {
        let checked = lock(&self.completion_checked).get(job).copied();
        checked.is_some_and(|at| at.elapsed() < COMPLETION_CHECK_INTERVAL)
    }

    /// Checks an empty queue: posts missing batches again, begins the next stage, or completes the job.
    async fn check_completion(&self, opened: &OpenJob<C>, job: &str) -> Result<(), FarmError> {
        if self.was_checked(job) {
            return Ok(());
        }
        lock(&self.completion_checked).insert(job.to_owned(), Instant::now());
        let info = opened.queue.get_info().await;
        let info =
            info.map_err(|error| FarmError::server("asking for a queue")(error.to_string()))?;
        {
            let mut stall_detectors = self.stall_detectors.lock().await;
            let stall_detectors = stall_detectors.entry(job.to_owned()).or_default();
            stall_detectors
                .recreate_if_stalled(&self.farm, (job, opened.task.silence_s), &info)
                .await?;
        }
        if info.num_pending > 0 || info.num_ack_pending > 0 {
            return Ok(());
        }
        match progress(&self.farm, &opened.task).await? {
            JobProgress::Open => Ok(()),
            // It begins here, and fills the queue.
            JobProgress::StageDue(number) => {
                self.host(opened, (job, number)).await?;
                lock(&self.completion_checked).remove(job);
                Ok(())
            }
            JobProgress::Complete => self.farm.set_state(job, State::Complete).await,
        }
    }
}

/// What a slot found at the queue of a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Empty,
    /// Nothing, and waited for it.
    Waited,
    Computed,
    /// Computed the last messages that there were.
    Drained,
}

/// The result of processing a message.
enum Outcome {
    Give(Submission),
    Settle(AckKind),
}

/// A batch that is being computed.
struct RunningBatch {
    message: Message,
    batch: PartBatch,
    result: tokio::sync::oneshot::Receiver<Computed>,
    delivered: i64,
}

/// Batches that are computed here; removed from the list when dropped.
struct ComputingGuard<'a, C: Commands> {
    shared: &'a Shared<C>,
    batches: Vec<PartBatch>,
}

impl<C: Commands> Drop for ComputingGuard<'_, C> {
    fn drop(&mut self) {
        let mut computing = lock(&self.shared.computing);
        for batch in &self.batches {
            computing.remove(batch);
        }
    }
}

async fn settle(message: &Message, kind: AckKind) {
    if let Err(error) = message.ack_with(kind).await {
        // It is delivered again.
        tracing::debug!("{error}");
    }
}
