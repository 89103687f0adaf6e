//! All jobs of a server: limits, owners, and the order in which they are computed.

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::http::ask::archive::SharedArchive;
use crate::http::ask::jobs::job::Job;
use crate::http::ask::jobs::run::{self, JobStorage, Reports};
use crate::http::ask::jobs::store::Store;
use crate::http::ask::jobs::{Ended, JobLimits, JobState, JobsError, Meta, NewJob, RequestKey};
use crate::http::wire::problem::Problem;
use crate::http::wire::random_id::random_id;
use gammond_protocol::ErrorCode;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::spawn_blocking;

/// Interval at which expired jobs are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);

/// The jobs of a server.
#[derive(Debug)]
pub(in crate::http) struct Jobs {
    pub(in crate::http) limits: JobLimits,
    pub(in crate::http) storage: Arc<JobStorage>,
    table: Mutex<Table>,
    pub(in crate::http) watchers: Arc<tokio::sync::Semaphore>,
}

#[derive(Debug, Default)]
struct Table {
    jobs: HashMap<String, Arc<Job>>,
    running: usize,
    /// Owners and keys of the requests that are being stored.
    stored_keys: HashSet<(String, String)>,
}

impl Table {
    fn bytes(&self) -> usize {
        let bytes = |job: &Arc<Job>| job.bytes.load(Ordering::Relaxed);
        self.jobs.values().map(bytes).sum()
    }

    fn owned(&self, owner: &str) -> usize {
        let owned = |job: &&Arc<Job>| job.meta.owner == owner;
        self.jobs.values().filter(owned).count()
    }

    /// Takes out the finished job that ended first, of this owner or of all.
    fn take_oldest(&mut self, owner: Option<&str>) -> Option<Arc<Job>> {
        let fits = |job: &&Arc<Job>| owner.is_none_or(|owner| job.meta.owner == owner);
        let ended = self.jobs.values().filter(fits);
        let ended = ended.filter_map(|job| Some((job.finished()?, job.meta.id.clone())));
        let (_, id) = ended.min()?;
        self.jobs.remove(&id)
    }

    /// Returns the next job: of the owner with the fewest running ones, the oldest. Those of clients that may not
    /// compute wait.
    fn next(&self, may_compute: impl Fn(Origin) -> bool) -> Option<Arc<Job>> {
        let mut running: HashMap<&str, usize> = HashMap::new();
        for job in self
            .jobs
            .values()
            .filter(|job| job.state() == JobState::Running)
        {
            *running.entry(job.meta.owner.as_str()).or_default() += 1;
        }
        let waiting = self
            .jobs
            .values()
            .filter(|job| job.state() == JobState::Queued && may_compute(job.origin));
        let next = waiting.min_by_key(|job| {
            let own = running.get(job.meta.owner.as_str()).copied();
            (own.unwrap_or(0), job.meta.created, &job.meta.id)
        });
        next.map(Arc::clone)
    }
}

/// Returns the Unix time in seconds.
pub(in crate::http) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

fn busy(message: &str) -> Problem {
    Problem::new(ErrorCode::Busy, format!("busy: {message}"))
}

impl Jobs {
    /// Opens the folder and reads its jobs; `origin` finds the client of an owner.
    ///
    /// # Errors
    /// [`JobsError`].
    pub(in crate::http) fn open(
        limits: JobLimits,
        archive: Option<SharedArchive>,
        origin: impl Fn(&str) -> Option<Origin>,
    ) -> Result<Jobs, JobsError> {
        let store = Store::open(limits.folder.as_deref())?;
        let read = |source| JobsError::Read {
            path: limits.folder.clone().unwrap_or_default(),
            source,
        };
        let mut table = Table::default();
        for stored in store.load().map_err(read)? {
            // An owner whose token is gone can no longer request it; its jobs expire.
            let origin = origin(&stored.meta.owner).unwrap_or(Origin::Here);
            let sizes = stored.ended.iter().flat_map(|ended| &ended.sizes);
            let bytes = stored.input_bytes + sizes.sum::<usize>();
            let job = Job::new(stored.meta, origin, bytes, stored.ended);
            table.jobs.insert(job.meta.id.clone(), job);
        }
        Ok(Jobs {
            watchers: Arc::new(tokio::sync::Semaphore::new(limits.watchers_max)),
            limits,
            storage: Arc::new(JobStorage {
                files: store,
                archive,
            }),
            table: Mutex::new(table),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // No code that holds the lock can panic half-way through a change.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with the jobs that were read, and removes expired ones from time to time.
    pub(in crate::http) fn start(self: &Arc<Self>, core: &Arc<Core>) {
        let (jobs, all) = (Arc::downgrade(self), Arc::clone(core));
        self.pump(core);
        drop(tokio::spawn(async move {
            let mut phase = all.phase.subscribe();
            loop {
                tokio::select! {
                    () = crate::core::shutdown::reached(&mut phase, crate::core::shutdown::ShutdownPhase::Drain) => return,
                    () = tokio::time::sleep(SWEEP_INTERVAL) => {}
                }
                match jobs.upgrade() {
                    Some(jobs) => {
                        jobs.sweep();
                        jobs.pump(&all);
                    }
                    None => return,
                }
            }
        }));
    }

    /// Removes finished jobs whose time is over.
    fn sweep(self: &Arc<Self>) {
        let before = now().saturating_sub(self.limits.keep.as_secs());
        let mut expired = Vec::new();
        self.lock().jobs.retain(|_, job| {
            let old = job.finished().is_some_and(|finished| finished < before);
            if old {
                expired.push(Arc::clone(job));
            }
            !old
        });
        self.discard(expired);
    }

    /// Removes the files of jobs that have left the table, and ends their computation.
    fn discard(self: &Arc<Self>, jobs: Vec<Arc<Job>>) {
        if jobs.is_empty() {
            return;
        }
        for job in &jobs {
            job.cancelled.send_replace(true);
        }
        let all = Arc::clone(self);
        drop(spawn_blocking(move || {
            jobs.iter()
                .for_each(|job| all.storage.files.remove(&job.meta.id));
        }));
    }

    /// Adds a job, stores it and begins with it in its turn; or finds the job that the same request with this key began.
    ///
    /// # Errors
    /// `busy` above a limit, or if it cannot be stored, `key-reused` for the key of another request.
    pub(in crate::http) async fn add(
        self: &Arc<Self>,
        core: &Arc<Core>,
        new: NewJob,
    ) -> Result<Arc<Job>, Problem> {
        self.sweep();
        let key = new.request_key();
        let _key_in_use = match &key {
            None => None,
            Some(key) => match self.begin_with_key(&new.owner, key)? {
                KeyUse::Known(job) => return Ok(job),
                KeyUse::New(key_in_use) => Some(key_in_use),
            },
        };
        let NewJob { origin, input, .. } = new;
        let meta = Meta {
            id: random_id()?,
            owner: new.owner,
            kind: new.kind,
            words: new.words,
            created: now(),
            files: new.files,
            archive: new.archive,
            key,
        };
        let bytes = input.len() + meta.words.len();
        self.make_room(&meta.owner, bytes)?;
        let (all, stored) = (Arc::clone(self), meta.clone());
        let put = spawn_blocking(move || all.storage.files.put_request(&stored, input)).await;
        let kept = match put {
            Ok(Ok(kept)) => kept,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a job was not stored");
                return Err(busy("the job could not be stored"));
            }
            Err(_) => {
                return Err(Problem::new(
                    ErrorCode::Internal,
                    "the job could not be stored",
                ));
            }
        };
        let job = Job::new(meta, origin, bytes, None);
        *job.input.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        let added = {
            let mut table = self.lock();
            // Others may have taken the room in the meantime.
            let room = table.jobs.len() < self.limits.jobs_max;
            if room {
                table.jobs.insert(job.meta.id.clone(), Arc::clone(&job));
            }
            room
        };
        if !added {
            self.discard(vec![job]);
            return Err(busy("there are too many jobs"));
        }
        self.pump(core);
        Ok(job)
    }

    /// Looks for the job of a key; a new key is in use until its job is stored.
    fn begin_with_key(self: &Arc<Self>, owner: &str, key: &RequestKey) -> Result<KeyUse, Problem> {
        let mut table = self.lock();
        let same = |job: &&Arc<Job>| {
            let known = job.meta.key.as_ref();
            job.meta.owner == owner && known.is_some_and(|known| known.key == key.key)
        };
        if let Some(job) = table.jobs.values().find(same) {
            if job.meta.key.as_ref() == Some(key) {
                return Ok(KeyUse::Known(Arc::clone(job)));
            }
            let message = "this Idempotency-Key was sent with another request: send a new key";
            return Err(Problem::new(ErrorCode::KeyReused, message));
        }
        let name = (owner.to_owned(), key.key.clone());
        if !table.stored_keys.insert(name.clone()) {
            let message =
                "the request with this Idempotency-Key is being stored: send it again later";
            return Err(Problem::new(ErrorCode::NotReady, message));
        }
        Ok(KeyUse::New(KeyInUse {
            jobs: Arc::clone(self),
            name,
        }))
    }

    /// Removes the oldest finished jobs until one more fits.
    fn make_room(self: &Arc<Self>, owner: &str, bytes: usize) -> Result<(), Problem> {
        let JobLimits {
            jobs_max,
            jobs_per_client_max,
            bytes_max,
            ..
        } = self.limits;
        let mut removed = Vec::new();
        let mut table = self.lock();
        let fits = loop {
            let owner = (table.owned(owner) >= jobs_per_client_max).then_some(owner);
            if owner.is_none() && table.jobs.len() < jobs_max && table.bytes() + bytes <= bytes_max
            {
                break Ok(());
            }
            match (table.take_oldest(owner), owner) {
                (Some(job), _) => removed.push(job),
                (None, Some(_)) => break Err(busy("this client has too many jobs")),
                (None, None) => break Err(busy("there are too many jobs")),
            }
        };
        drop(table);
        self.discard(removed);
        fits
    }

    /// Returns a job of this owner.
    ///
    /// # Errors
    /// `not-found`, also for the jobs of others.
    pub(in crate::http) fn get(&self, id: &str, owner: &str) -> Result<Arc<Job>, Problem> {
        let found = self.lock().jobs.get(id).cloned();
        let own = found.filter(|job| job.meta.owner == owner);
        own.ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no job with this id"))
    }

    /// Returns the jobs of an owner, the oldest first.
    pub(in crate::http) fn list(&self, owner: &str) -> Vec<Arc<Job>> {
        let table = self.lock();
        let owned = table.jobs.values().filter(|job| job.meta.owner == owner);
        let mut owned: Vec<Arc<Job>> = owned.cloned().collect();
        owned.sort_by(|a, b| (a.meta.created, &a.meta.id).cmp(&(b.meta.created, &b.meta.id)));
        owned
    }

    /// Removes a job, and ends it if it runs.
    pub(in crate::http) fn remove(self: &Arc<Self>, job: &Job) {
        let removed = self.lock().jobs.remove(&job.meta.id);
        self.discard(removed.into_iter().collect());
    }

    /// Starts jobs while there are places for them.
    fn pump(self: &Arc<Self>, core: &Arc<Core>) {
        let mut table = self.lock();
        while table.running < self.limits.running_max {
            // A client above its processor time would keep the place for up to an hour.
            let may_compute = |origin| core.workers.wait_of(origin).is_none();
            let Some(job) = table.next(may_compute) else {
                return;
            };
            job.change(|view| view.state = JobState::Running);
            table.running += 1;
            let place = Place {
                jobs: Arc::clone(self),
                core: Arc::clone(core),
            };
            drop(tokio::spawn(async move {
                if let Some(outcome) = run::run(&place.core, &place.jobs.storage, &job).await {
                    place.jobs.finish(&job, outcome).await;
                }
                drop(place);
            }));
        }
    }

    /// Stores the end of a job and shows it.
    pub(in crate::http) async fn finish(
        self: &Arc<Self>,
        job: &Arc<Job>,
        outcome: Result<Reports, Problem>,
    ) {
        let (error, reports) = match outcome {
            Ok(reports) => (None, reports),
            Err(problem) => {
                let error = (problem.code.to_string(), problem.message.into());
                (Some(error), Reports::default())
            }
        };
        let ended = Ended {
            finished: now(),
            error,
            sizes: reports.sizes,
            archived: reports.archived,
        };
        let reports = reports.bytes;
        job.bytes.fetch_add(reports.len(), Ordering::Relaxed);
        let (all, id, end) = (Arc::clone(self), job.meta.id.clone(), ended.clone());
        let put = spawn_blocking(move || all.storage.files.put_outcome(&id, &end, reports)).await;
        let kept = match put {
            Ok(Ok(kept)) => kept,
            // It is there until the server ends, and computed again after that.
            Ok(Err((error, reports))) => {
                tracing::warn!(%error, "the result of a job was not stored");
                Some(reports)
            }
            Err(_) => None,
        };
        *job.reports.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        *job.input.lock().unwrap_or_else(PoisonError::into_inner) = None;
        job.change(|view| {
            view.state = match ended.error {
                None => JobState::Done,
                Some(_) => JobState::Failed,
            };
            view.ended = Some(Arc::new(ended));
        });
        if *job.cancelled.borrow() {
            // It was removed in the meantime.
            self.discard(vec![Arc::clone(job)]);
        }
    }
}

impl NewJob {
    /// Returns the key with the checksum of the request.
    fn request_key(&self) -> Option<RequestKey> {
        let key = self.key.clone()?;
        let head = format!(
            "{} {} {:?}\n{}\n",
            self.kind.name(),
            self.archive,
            self.files,
            self.words
        );
        let mut sum = Sha256::new();
        sum.update(head);
        sum.update(&self.input);
        let request = sum
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        Some(RequestKey { key, request })
    }
}

/// The state of an `Idempotency-Key`.
enum KeyUse {
    Known(Arc<Job>),
    New(KeyInUse),
}

/// A key whose request is being stored; released when dropped.
struct KeyInUse {
    jobs: Arc<Jobs>,
    name: (String, String),
}

impl Drop for KeyInUse {
    fn drop(&mut self) {
        self.jobs.lock().stored_keys.remove(&self.name);
    }
}

/// The place of a running job, given back when dropped.
#[derive(Debug)]
struct Place {
    jobs: Arc<Jobs>,
    core: Arc<Core>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.jobs.lock().running -= 1;
        self.jobs.pump(&self.core);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::ask::jobs::JobKind;

    /// HTTP-130: the jobs of a client without processor time wait, and those of others do not wait for them.
    #[test]
    fn job_of_a_client_without_time_waits() {
        let mut table = Table::default();
        let (spent, other) = (Origin::Token(0), Origin::Token(1));
        for (created, origin) in (0..).zip([spent, spent, other]) {
            let meta = Meta {
                id: created.to_string(),
                owner: format!("{origin:?}"),
                kind: JobKind::Rollout,
                words: String::new(),
                created,
                files: Vec::new(),
                archive: false,
                key: None,
            };
            let job = Job::new(meta, origin, 0, None);
            table.jobs.insert(job.meta.id.clone(), job);
        }
        let next = |table: &Table| {
            table
                .next(|origin| origin != spent)
                .map(|job| job.meta.id.clone())
        };
        assert_eq!(next(&table).as_deref(), Some("2"));
        table.jobs.remove("2");
        assert_eq!(next(&table), None);
        assert_eq!(table.next(|_| true).unwrap().meta.id, "0");
    }
}
