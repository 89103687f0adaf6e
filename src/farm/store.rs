//! Storage of a farm on the server: two streams, two key-value buckets and one object store.
//!
//! `FARM-parts` is a work queue with one message for each batch. Each job has its own consumer there, so that a machine fetches
//! only what it can do. `FARM-results` has one answer for each copy of a batch, and the records of abandoned batches. `FARM-jobs`
//! holds the descriptions of the jobs, `FARM-workers` the reports of the machines, `FARM-files` nets, tables and large answers,
//! each by its SHA-256.

use super::FarmError;
use super::task::{Commands, FORMAT, PartBatch, Stage, Task, is_job_name};
use crate::nats::words;
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind};
use async_nats::jetstream::object_store::GetErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context, ErrorCode, Message, kv, object_store};
use futures_util::StreamExt as _;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;

/// Retention of jobs and answers that are not removed.
const RETENTION: Duration = Duration::from_secs(60 * 24 * 3600);
/// Retention of the machines' reports.
const REPORT_RETENTION: Duration = Duration::from_secs(3600);
/// Maximum number of unacknowledged batches of each job.
const UNACKNOWLEDGED_MAX: i64 = 500_000;
/// Maximum wait for a piece of an object.
const OBJECT_READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum wait for the server's answer to a fetch.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of jobs in a listing.
const JOBS_MAX: usize = 10_000;
/// Maximum number of purges of a job that cannot be cancelled because the server is full.
const CANCEL_TRIES: u32 = 20;

/// A farm: a named set of streams and buckets on a server.
#[derive(Clone)]
pub struct Farm {
    name: String,
    pub(super) js: Context,
    pub(super) parts: Stream,
    pub(super) results: Stream,
    pub(super) jobs: kv::Store,
    pub(super) workers: kv::Store,
    files: object_store::ObjectStore,
}

impl std::fmt::Debug for Farm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Farm")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Some parts have no answer yet.
    Active,
    /// All parts are stored.
    Complete,
    /// The job was cancelled.
    Cancelled,
}

impl State {
    /// Returns the name of the state as stored.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Complete => "complete",
            State::Cancelled => "cancelled",
        }
    }

    /// Parses a stored state; an unknown or missing one is active.
    pub(super) fn parse(bytes: &[u8]) -> State {
        match bytes {
            b"complete" => State::Complete,
            b"cancelled" => State::Cancelled,
            _ => State::Active,
        }
    }
}

impl Farm {
    /// Opens the farm on a server, or creates it there with `replicas` copies of everything in a cluster. `None` keeps the
    /// number of an existing farm, and creates a new one with one copy.
    ///
    /// # Errors
    /// [`FarmError`], in particular if its streams or buckets exist with other settings.
    pub async fn open(
        client: async_nats::Client,
        name: &str,
        replicas: Option<usize>,
    ) -> Result<Farm, FarmError> {
        let js = jetstream::new(client);
        let on = (&js, replicas);
        let parts = Config {
            name: format!("{name}-parts"),
            subjects: vec![format!("{name}.part.>")],
            retention: RetentionPolicy::WorkQueue,
            ..stream()
        };
        let results = Config {
            name: format!("{name}-results"),
            subjects: vec![format!("{name}.result.>"), format!("{name}.dead.>")],
            retention: RetentionPolicy::Limits,
            allow_direct: true,
            ..stream()
        };
        Ok(Farm {
            name: name.to_owned(),
            parts: own_stream(on, parts).await?,
            results: own_stream(on, results).await?,
            jobs: bucket(on, format!("{name}-jobs"), RETENTION).await?,
            workers: bucket(on, format!("{name}-workers"), REPORT_RETENTION).await?,
            files: objects(on, format!("{name}-files")).await?,
            js,
        })
    }

    /// Returns the name of the farm.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn part_subject(&self, end: &str) -> String {
        format!("{}.part.{end}", self.name)
    }

    pub(super) fn result_subject(&self, end: &str) -> String {
        format!("{}.result.{end}", self.name)
    }

    pub(super) fn dead_subject(&self, end: &str) -> String {
        format!("{}.dead.{end}", self.name)
    }

    /// Returns the batch that a subject names.
    pub(super) fn batch_of(&self, subject: &str) -> Option<PartBatch> {
        let rest = subject
            .strip_prefix(self.name.as_str())?
            .strip_prefix('.')?;
        PartBatch::parse(rest.split_once('.')?.1)
    }

    /// Stores the description of a job; an existing one is no error.
    pub(super) async fn put_task<C: Commands>(&self, task: &Task<C>) -> Result<(), FarmError> {
        let fail = FarmError::server("writing the job");
        let bytes = serde_json::to_vec(task).map_err(|error| fail(error.to_string()))?;
        let key = format!("{}.task", task.name());
        let put = self.jobs.put(&key, bytes.into()).await;
        put.map_err(|error| fail(words(&error)))?;
        Ok(())
    }

    /// Returns the description of a job.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn task<C: Commands>(&self, job: &str) -> Result<Task<C>, FarmError> {
        Task::parse(job, &self.description(job).await?)
    }

    async fn description(&self, job: &str) -> Result<Vec<u8>, FarmError> {
        let no_job = || FarmError::NoJob(job.to_owned());
        if !is_job_name(job) {
            return Err(no_job());
        }
        self.get(&format!("{job}.task")).await?.ok_or_else(no_job)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, FarmError> {
        let got = self.jobs.get(key).await;
        let got = got.map_err(|error| FarmError::server("reading a job")(words(&error)))?;
        Ok(got.map(|bytes| bytes.to_vec()))
    }

    /// Returns a stage of a job; `None` before it has begun.
    pub(super) async fn stage(&self, job: &str, stage: u32) -> Result<Option<Stage>, FarmError> {
        let key = format!("{job}.stage.{stage}");
        let bytes = self.get(&key).await?;
        bytes.map(|bytes| Stage::parse(&key, &bytes)).transpose()
    }

    /// Begins a stage unless it has begun already; returns the stored one.
    pub(super) async fn begin_stage(
        &self,
        job: &str,
        number: u32,
        stage: &Stage,
    ) -> Result<Stage, FarmError> {
        let fail = FarmError::server("writing a stage");
        let bytes = serde_json::to_vec(stage).map_err(|error| fail(error.to_string()))?;
        let key = format!("{job}.stage.{number}");
        match self.jobs.create(&key, bytes.into()).await {
            Ok(_) => Ok(stage.clone()),
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => {
                let there = self.stage(job, number).await?;
                there.ok_or_else(|| fail("it is gone again".to_owned()))
            }
            Err(error) => Err(fail(words(&error))),
        }
    }

    /// Stores a larger number of parts for a stage without a fixed number.
    pub(super) async fn lengthen_stage(
        &self,
        job: &str,
        number: u32,
        stage: &Stage,
    ) -> Result<(), FarmError> {
        let fail = FarmError::server("writing a stage");
        let bytes = serde_json::to_vec(stage).map_err(|error| fail(error.to_string()))?;
        let put = self
            .jobs
            .put(format!("{job}.stage.{number}"), bytes.into())
            .await;
        put.map_err(|error| fail(words(&error)))?;
        Ok(())
    }

    /// Returns the state of a job.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn state(&self, job: &str) -> Result<State, FarmError> {
        let bytes = self.get(&format!("{job}.state")).await?;
        Ok(State::parse(bytes.as_deref().unwrap_or_default()))
    }

    /// Stores the state of a job.
    pub(super) async fn set_state(&self, job: &str, state: State) -> Result<(), FarmError> {
        let put = self.jobs.put(format!("{job}.state"), state.name().into());
        put.await
            .map_err(|error| FarmError::server("writing a job")(words(&error)))?;
        Ok(())
    }

    /// Returns the names of all jobs.
    pub(super) async fn job_names(&self) -> Result<Vec<String>, FarmError> {
        let fail = FarmError::server("reading the jobs");
        let mut keys = self
            .jobs
            .keys()
            .await
            .map_err(|error| fail(words(&error)))?;
        let mut names = Vec::new();
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| fail(words(&error)))?;
            let name = key.strip_suffix(".task").filter(|job| is_job_name(job));
            if let Some(name) = name.filter(|_| names.len() < JOBS_MAX) {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the consumer of a job's queue; creates it if it is missing.
    pub(super) async fn queue(&self, job: &str, silence_s: u64) -> Result<PullConsumer, FarmError> {
        let config = pull::Config {
            durable_name: Some(job.to_owned()),
            filter_subject: self.part_subject(&format!("{job}.>")),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(silence_s),
            max_ack_pending: UNACKNOWLEDGED_MAX,
            ..pull::Config::default()
        };
        let got = self.parts.get_or_create_consumer(job, config).await;
        got.map_err(|error| FarmError::server("opening the queue of a job")(words(&error)))
    }

    /// Recreates the consumer of a stalled queue: it delivers all batches that have no answer.
    pub(super) async fn recreate_consumer(
        &self,
        job: &str,
        silence_s: u64,
    ) -> Result<(), FarmError> {
        // A consumer that is already gone is no error: another worker recreates it at the same time.
        let gone = self.parts.delete_consumer(job).await;
        if let Err(error) = gone {
            tracing::debug!(job, "closing a queue: {error}");
        }
        self.queue(job, silence_s).await.map(drop)
    }

    /// Returns the consumer of a job's queue, or `None` if there is none yet.
    pub(super) async fn existing_queue(&self, job: &str) -> Option<PullConsumer> {
        self.parts.get_consumer(job).await.ok()
    }

    /// Returns the queued batches, delivered or not, whose subjects end with `end`.
    pub(super) async fn queued_batches(&self, end: &str) -> Result<Vec<PartBatch>, FarmError> {
        let fail = FarmError::server("reading the queue");
        let info = self.parts.info_with_subjects(self.part_subject(end)).await;
        let mut info = info.map_err(|error| fail(words(&error)))?;
        let mut found = Vec::new();
        while let Some(next) = info.next().await {
            let (subject, _) = next.map_err(|error| fail(words(&error)))?;
            found.extend(self.batch_of(&subject));
        }
        Ok(found)
    }

    /// Posts batches to the queue. `post_again` is empty or names the repetition: posting the same one twice has no effect.
    pub(super) async fn post(&self, batches: &[PartBatch], again: &str) -> Result<(), FarmError> {
        let fail = FarmError::server("posting parts");
        for some in batches.chunks(256) {
            let mut waiting = Vec::new();
            for batch in some {
                let mut headers = HeaderMap::new();
                let end = batch.subject();
                headers.insert("Nats-Msg-Id", format!("{end}{again}").as_str());
                let bytes = format!("{{\"format\":{FORMAT}}}");
                let subject = self.part_subject(&end);
                let sent = (self.js).publish_with_headers(subject, headers, bytes.into());
                waiting.push(sent.await.map_err(|error| fail(words(&error)))?);
            }
            for sent in waiting {
                sent.await.map_err(|error| fail(words(&error)))?;
            }
        }
        Ok(())
    }

    /// Removes the remaining parts of a job from the queue.
    pub(super) async fn purge_parts(&self, job: &str) -> Result<(), FarmError> {
        let purged = (self.parts.purge()).filter(self.part_subject(&format!("{job}.>")));
        let purged = purged.await;
        purged.map_err(|error| FarmError::server("removing parts")(words(&error)))?;
        Ok(())
    }

    /// Cancels a job, or removes a finished one: its parts and answers are deleted.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn cancel(&self, job: &str) -> Result<(), FarmError> {
        // Jobs of other versions can be cancelled too, because nothing of them is read.
        self.description(job).await?;
        let mut tries = 0;
        while let Err(error) = self.set_state(job, State::Cancelled).await {
            // A full server takes nothing more before something goes, and machines that wait for room take it at once.
            tries += 1;
            if tries > CANCEL_TRIES {
                return Err(error);
            }
            self.purge_all(job).await?;
        }
        self.remove(job).await
    }

    /// Removes the parts, answers and abandoned batches of a job.
    async fn purge_all(&self, job: &str) -> Result<(), FarmError> {
        self.purge_parts(job).await?;
        let end = format!("{job}.>");
        for subject in [self.result_subject(&end), self.dead_subject(&end)] {
            let purged = self.results.purge().filter(subject).await;
            purged.map_err(|error| FarmError::server("removing a job")(words(&error)))?;
        }
        Ok(())
    }

    /// Removes the parts, answers and results of a job, and keeps its description.
    async fn remove(&self, job: &str) -> Result<(), FarmError> {
        self.purge_all(job).await?;
        // It has none when no machine and no command has read it yet.
        let _ = self.parts.delete_consumer(job).await;
        for stage in 0.. {
            let key = format!("{job}.stage.{stage}");
            if self.get(&key).await?.is_none() {
                break;
            }
            self.purge_key(&key).await?;
        }
        Ok(())
    }

    /// Removes a job of which no stage has begun, as if it had never been submitted.
    pub(super) async fn withdraw(&self, job: &str) -> Result<(), FarmError> {
        if self.stage(job, 0).await?.is_some() {
            return Ok(());
        }
        self.remove(job).await?;
        self.purge_key(&format!("{job}.state")).await?;
        self.purge_key(&format!("{job}.task")).await
    }

    async fn purge_key(&self, key: &str) -> Result<(), FarmError> {
        let purged = self.jobs.purge(key).await;
        purged.map_err(|error| FarmError::server("removing a job")(words(&error)))
    }

    /// Stores bytes by their checksum. With `once`, an existing object of the same length is kept: this is for files, which may
    /// be large. Answers are always stored: a wrong object of that name would be blamed on the worker.
    pub(super) async fn put_object(
        &self,
        sum: &str,
        bytes: &[u8],
        once: bool,
    ) -> Result<(), FarmError> {
        if once
            && let Ok(info) = self.files.info(sum).await
            && info.size == bytes.len()
        {
            return Ok(());
        }
        let put = self.files.put(sum, &mut &bytes[..]).await;
        put.map_err(|error| FarmError::server("storing a file")(words(&error)))?;
        Ok(())
    }

    /// Returns bytes by their checksum, which is not verified here; `None` if they are missing, damaged or too long.
    pub(super) async fn object(
        &self,
        sum: &str,
        most: usize,
    ) -> Result<Option<Vec<u8>>, FarmError> {
        let fail = FarmError::server("fetching a file");
        let object = match self.files.get(sum).await {
            Ok(object) => object,
            Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fail(words(&error))),
        };
        let mut bytes = Vec::new();
        let mut limited = object.take(most as u64 + 1);
        loop {
            match timeout(OBJECT_READ_TIMEOUT, limited.read_buf(&mut bytes)).await {
                Ok(Ok(0)) => return Ok((bytes.len() <= most).then_some(bytes)),
                Ok(Ok(_)) => {}
                // Its pieces are missing or are others, unless the server itself is away.
                Ok(Err(_)) | Err(_) => {
                    let alive = self.jobs.status().await;
                    alive.map_err(|error| fail(words(&error)))?;
                    return Ok(None);
                }
            }
        }
    }
}

/// Returns the settings that both streams share.
fn stream() -> Config {
    Config {
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        max_age: RETENTION,
        num_replicas: 1,
        ..Config::default()
    }
}

/// Returns a stream, created if it is missing. If several programs create it at once, the server may refuse the later ones
/// because of subjects of a stream that it does not list yet: a retry finds that stream. Conflicts with another stream's
/// subjects remain errors.
async fn open_stream(js: &Context, config: &Config) -> Result<Stream, CreateStreamError> {
    let mut waits = [50, 200, 800].into_iter();
    loop {
        let got = js.get_or_create_stream(config.clone()).await;
        let taken = |error: &CreateStreamError| match error.kind() {
            CreateStreamErrorKind::JetStream(error) => {
                error.error_code() == ErrorCode::STREAM_SUBJECT_OVERLAP
            }
            _ => false,
        };
        match (got, waits.next()) {
            (Err(error), Some(wait)) if taken(&error) => {
                tokio::time::sleep(Duration::from_millis(wait)).await;
            }
            (got, _) => return got,
        }
    }
}

async fn own_stream(
    (js, replicas): (&Context, Option<usize>),
    mut config: Config,
) -> Result<Stream, FarmError> {
    copies(&mut config, replicas.unwrap_or(1));
    let stream = open_stream(js, &config).await.map_err(|error| {
        let reason = words(&error);
        if reason.contains("JetStream") && reason.contains("not enabled")
            || reason.contains("no responders")
        {
            let hint = "the server has no JetStream; start it with `nats-server --jetstream`";
            return FarmError::Other(hint.to_owned());
        }
        refused_copies(replicas, reason)
    })?;
    let found = &stream.cached_info().config;
    let told = |one: &Config| format!("{:?} of {}", one.retention, one.subjects.join(" "));
    if told(found) != told(&config) {
        return Err(FarmError::Foreign {
            found: told(found),
            want: told(&config),
            name: config.name,
        });
    }
    match replicas {
        // It would accept, and keep one.
        Some(replicas @ 2..) if stream.cached_info().cluster.is_none() => {
            Err(refused_copies(Some(replicas), "it is in none".to_owned()))
        }
        Some(replicas) if found.num_replicas != replicas => {
            let mut changed = found.clone();
            changed.allow_direct = config.allow_direct;
            copies(&mut changed, replicas);
            let changed = js.update_stream(changed).await;
            changed.map_err(|error| refused_copies(Some(replicas), words(&error)))?;
            let got = js.get_stream(config.name).await;
            got.map_err(|error| FarmError::server("opening a stream")(words(&error)))
        }
        _ => Ok(stream),
    }
}

/// Sets the number of copies. With several, reads go to the leader: another server may not have the latest data.
const fn copies(config: &mut Config, replicas: usize) {
    config.num_replicas = replicas;
    config.allow_direct &= replicas == 1;
}

/// Returns the error for a number of copies that the server refuses.
fn refused_copies(replicas: Option<usize>, reason: String) -> FarmError {
    match replicas {
        Some(replicas @ 2..) => FarmError::Other(format!(
            "--replicas {replicas}: expected a cluster of at least {replicas} servers; the server says: {reason}"
        )),
        _ => FarmError::server("opening a stream")(reason),
    }
}

/// Returns a key-value bucket. It is created as a stream, because the client's own function needs a server of version 2.10.
async fn bucket(
    on: (&Context, Option<usize>),
    name: String,
    max_age: Duration,
) -> Result<kv::Store, FarmError> {
    let config = Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..stream()
    };
    own_stream(on, config).await?;
    let got = on.0.get_key_value(&name).await;
    got.map_err(|error| FarmError::server("opening a bucket")(words(&error)))
}

/// Returns an object store, created like a [`bucket`].
async fn objects(
    on: (&Context, Option<usize>),
    name: String,
) -> Result<object_store::ObjectStore, FarmError> {
    let config = Config {
        name: format!("OBJ_{name}"),
        subjects: vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")],
        allow_rollup: true,
        allow_direct: true,
        ..stream()
    };
    own_stream(on, config).await?;
    let got = on.0.get_object_store(&name).await;
    got.map_err(|error| FarmError::server("opening the store of files")(words(&error)))
}

/// Returns true if the payload is one that the farm posts.
pub(super) fn is_farm_message(message: &Message) -> bool {
    #[derive(serde::Deserialize)]
    struct PostedMessage {
        format: u64,
    }
    let posted = serde_json::from_slice::<PostedMessage>(&message.payload);
    posted.is_ok_and(|posted| posted.format == FORMAT)
}

/// Takes up to so many messages from a queue; waits for the first one so long if `patience` is given.
pub(super) async fn fetched(
    queue: &PullConsumer,
    most: usize,
    patience: Option<Duration>,
) -> Result<Vec<Message>, String> {
    let mut fetch = queue.fetch().max_messages(most);
    if let Some(patience) = patience {
        fetch = fetch.expires(patience);
    }
    let mut fetched = fetch.messages().await.map_err(|error| error.to_string())?;
    let mut messages = Vec::new();
    let silence = FETCH_TIMEOUT + patience.unwrap_or_default();
    while let Some(message) = (tokio::time::timeout(silence, fetched.next()).await)
        .map_err(|_| "the server does not answer".to_owned())?
    {
        messages.push(message.map_err(|error| error.to_string())?);
    }
    Ok(messages)
}
