//! What lies on the server: two streams, two buckets, one store of objects.
//!
//! `FARM-parts` is a work queue, one message a lot; each job has a consumer of its own there, so that a machine
//! takes only what it can do. `FARM-results` has one answer for each lot and copy, and the lots that were given up.
//! `FARM-jobs` holds what the jobs are, `FARM-workers` who is there, `FARM-files` nets, tables and large answers,
//! each by its SHA-256.

use super::FarmError;
use super::task::{FORMAT, Lot, Stage, Task, is_job_name};
use crate::job::sha256;
use crate::nats::words;
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context, kv, object_store};
use futures_util::StreamExt as _;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// How long jobs and answers are kept that nobody removes.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);
/// How long it is remembered who was there.
const KNOWN: Duration = Duration::from_secs(3600);
/// Answers longer than this are objects: a server takes messages of 1 MiB unless told otherwise.
const MESSAGE_BYTES_MAX: usize = 512 << 10;
/// The longest answer.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// Lots that are with machines at a time, for each job.
const OUT_MAX: i64 = 500_000;
const WORKER: &str = "Gammond-Worker";
const INSTANCE: &str = "Gammond-Instance";
const BUSY: &str = "Gammond-Busy-Ms";
const COUNT: &str = "Gammond-Parts";
const SUM: &str = "Gammond-Sha256";
const OBJECT: &str = "Gammond-Object";

/// A farm: a name on a server.
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

/// What is known of an answer without its parts.
#[derive(Clone, Debug)]
pub struct Answered {
    /// Which lot.
    pub lot: Lot,
    /// Who computed it.
    pub worker: String,
    /// Which of their programs.
    pub instance: String,
    /// The time that the parts took, one after the other.
    pub busy_ms: u64,
    /// How many parts.
    pub parts: u64,
    /// The SHA-256 of the parts.
    pub sum: String,
    /// Where it stands in the stream.
    pub sequence: u64,
    /// When it came, in milliseconds since 1970.
    pub came_ms: i64,
    object: bool,
}

/// An answer that is given.
#[derive(Clone, Debug)]
pub(super) struct Giving {
    /// Which lot.
    pub(super) lot: Lot,
    /// Who computed it, and which of their programs.
    pub(super) by: (String, String),
    /// The time that the parts took, one after the other.
    pub(super) busy: Duration,
    /// How many parts.
    pub(super) parts: u64,
    /// The parts, packed.
    pub(super) bytes: Vec<u8>,
}

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// It is the one that counts.
    First,
    /// There is one already.
    Late,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There are parts to compute.
    Active,
    /// All parts are there.
    Complete,
    /// Somebody cancelled it.
    Cancelled,
}

impl State {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Complete => "complete",
            State::Cancelled => "cancelled",
        }
    }
}

impl Farm {
    /// Finds the farm on a server, or makes it there.
    ///
    /// # Errors
    /// [`FarmError`], in particular when something else has its names.
    pub async fn open(client: async_nats::Client, name: &str) -> Result<Farm, FarmError> {
        let js = jetstream::new(client);
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
            parts: own_stream(&js, parts).await?,
            results: own_stream(&js, results).await?,
            jobs: bucket(&js, format!("{name}-jobs"), KEPT).await?,
            workers: bucket(&js, format!("{name}-workers"), KNOWN).await?,
            files: objects(&js, format!("{name}-files")).await?,
            js,
        })
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn part_subject(&self, end: &str) -> String {
        format!("{}.part.{end}", self.name)
    }

    fn result_subject(&self, end: &str) -> String {
        format!("{}.result.{end}", self.name)
    }

    /// The lot that a subject names.
    pub(super) fn lot_of(&self, subject: &str) -> Option<Lot> {
        let rest = subject
            .strip_prefix(self.name.as_str())?
            .strip_prefix('.')?;
        Lot::parse(rest.split_once('.')?.1)
    }

    /// Writes a job down; that it is there already is as good.
    pub(super) async fn put_task(&self, task: &Task) -> Result<(), FarmError> {
        let fail = FarmError::server("writing the job");
        let bytes = serde_json::to_vec(task).map_err(|error| fail(error.to_string()))?;
        let key = format!("{}.task", task.name());
        let put = self.jobs.put(&key, bytes.into()).await;
        put.map_err(|error| fail(words(&error)))?;
        Ok(())
    }

    /// What a job is.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn task(&self, job: &str) -> Result<Task, FarmError> {
        if !is_job_name(job) {
            return Err(FarmError::NoJob(job.to_owned()));
        }
        let bytes = self.get(&format!("{job}.task")).await?;
        let bytes = bytes.ok_or_else(|| FarmError::NoJob(job.to_owned()))?;
        Task::parse(job, &bytes)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, FarmError> {
        let got = self.jobs.get(key).await;
        let got = got.map_err(|error| FarmError::server("reading a job")(words(&error)))?;
        Ok(got.map(|bytes| bytes.to_vec()))
    }

    /// A stage of a job, once it has begun.
    pub(super) async fn stage(&self, job: &str, stage: u32) -> Result<Option<Stage>, FarmError> {
        let key = format!("{job}.stage.{stage}");
        let bytes = self.get(&key).await?;
        bytes.map(|bytes| Stage::parse(&key, &bytes)).transpose()
    }

    /// Begins a stage, unless somebody has; returns the one that counts.
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

    /// More parts of a job without a fixed number of them.
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

    /// Where a job stands.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn state(&self, job: &str) -> Result<State, FarmError> {
        let bytes = self.get(&format!("{job}.state")).await?;
        Ok(match bytes.as_deref() {
            Some(b"complete") => State::Complete,
            Some(b"cancelled") => State::Cancelled,
            _ => State::Active,
        })
    }

    /// Says where a job stands.
    pub(super) async fn set_state(&self, job: &str, state: State) -> Result<(), FarmError> {
        let put = self.jobs.put(format!("{job}.state"), state.name().into());
        put.await
            .map_err(|error| FarmError::server("writing a job")(words(&error)))?;
        Ok(())
    }

    /// The names of all jobs.
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
            if let Some(name) = key.strip_suffix(".task") {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// The queue of a job.
    pub(super) async fn queue(&self, job: &str, silence_s: u64) -> Result<PullConsumer, FarmError> {
        let config = pull::Config {
            durable_name: Some(job.to_owned()),
            filter_subject: self.part_subject(&format!("{job}.>")),
            ack_policy: AckPolicy::Explicit,
            ack_wait: Duration::from_secs(silence_s),
            max_ack_pending: OUT_MAX,
            ..pull::Config::default()
        };
        let got = self.parts.get_or_create_consumer(job, config).await;
        got.map_err(|error| FarmError::server("opening the queue of a job")(words(&error)))
    }

    /// The queue of a job that somebody has begun.
    pub(super) async fn existing_queue(&self, job: &str) -> Option<PullConsumer> {
        self.parts.get_consumer(job).await.ok()
    }

    /// Puts lots into the queue. `again` is empty, or says which repetition it is: the same one twice is one.
    pub(super) async fn post(&self, lots: &[Lot], again: &str) -> Result<(), FarmError> {
        let fail = FarmError::server("posting parts");
        for some in lots.chunks(256) {
            let mut waiting = Vec::new();
            for lot in some {
                let mut headers = HeaderMap::new();
                let end = lot.subject();
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

    /// Gives answers; of each lot and copy the first one counts.
    pub(super) async fn give(&self, all: Vec<Giving>) -> Result<Vec<Given>, FarmError> {
        let fail = FarmError::server("giving an answer");
        let mut waiting = Vec::new();
        for Giving {
            lot,
            by,
            busy,
            parts,
            bytes,
        } in all
        {
            let sum = sha256(&bytes);
            let mut headers = HeaderMap::new();
            headers.insert("Nats-Expected-Last-Subject-Sequence", "0");
            headers.insert(WORKER, by.0.as_str());
            headers.insert(INSTANCE, by.1.as_str());
            headers.insert(BUSY, busy.as_millis().to_string().as_str());
            headers.insert(COUNT, parts.to_string().as_str());
            headers.insert(SUM, sum.as_str());
            let payload = if bytes.len() > MESSAGE_BYTES_MAX {
                headers.insert(OBJECT, "1");
                self.put_object(&sum, &bytes).await?;
                Vec::new()
            } else {
                bytes
            };
            let subject = self.result_subject(&lot.subject());
            let sent = (self.js).publish_with_headers(subject, headers, payload.into());
            waiting.push(sent.await.map_err(|error| fail(words(&error)))?);
        }
        let mut given = Vec::new();
        for sent in waiting {
            given.push(match sent.await {
                Ok(_) => Given::First,
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Given::Late,
                Err(error) => return Err(fail(words(&error))),
            });
        }
        Ok(given)
    }

    /// An answer with its parts, packed; none when there is none. One that was damaged on its way is none, and goes.
    pub(super) async fn answer(&self, lot: &Lot) -> Result<Option<(Answered, Vec<u8>)>, FarmError> {
        let subject = self.result_subject(&lot.subject());
        let got = self.results.direct_get_last_for_subject(&subject).await;
        let message = match got {
            Ok(message) => message,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(FarmError::server("reading an answer")(words(&error))),
        };
        let came = message.time.unix_timestamp();
        let known = self.answered(&subject, &message.headers, message.sequence, came);
        let Some(known) = known else {
            tracing::warn!(%subject, "no message of a farm: it is removed");
            self.take_back(lot).await?;
            return Ok(None);
        };
        let bytes = if known.object {
            self.object(&known.sum, ANSWER_BYTES_MAX).await?
        } else {
            message.payload.to_vec()
        };
        if sha256(&bytes) != known.sum {
            tracing::warn!(%subject, worker = known.worker, "a damaged answer: it is removed");
            self.take_back(lot).await?;
            return Ok(None);
        }
        Ok(Some((known, bytes)))
    }

    fn answered(
        &self,
        subject: &str,
        headers: &HeaderMap,
        sequence: u64,
        came_s: i64,
    ) -> Option<Answered> {
        let word = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
        Some(Answered {
            lot: self.lot_of(subject)?,
            worker: word(WORKER)?,
            instance: word(INSTANCE)?,
            busy_ms: word(BUSY)?.parse().ok()?,
            parts: word(COUNT)?.parse().ok()?,
            sum: word(SUM)?,
            object: word(OBJECT).is_some(),
            sequence,
            came_ms: came_s.saturating_mul(1000),
        })
    }

    /// Removes an answer.
    pub(super) async fn take_back(&self, lot: &Lot) -> Result<(), FarmError> {
        let subject = self.result_subject(&lot.subject());
        let purged = self.results.purge().filter(subject).await;
        purged.map_err(|error| FarmError::server("removing an answer")(words(&error)))?;
        Ok(())
    }

    /// How many messages of `kind` (`result`, `dead`) there are whose subjects end so.
    pub(super) async fn count(&self, kind: &str, end: &str) -> Result<u64, FarmError> {
        let consumer = self.heads(kind, end).await?;
        Ok(consumer.cached_info().num_pending)
    }

    async fn heads(&self, kind: &str, end: &str) -> Result<PullConsumer, FarmError> {
        let config = pull::Config {
            filter_subject: format!("{}.{kind}.{end}", self.name),
            ack_policy: AckPolicy::None,
            deliver_policy: DeliverPolicy::All,
            headers_only: true,
            memory_storage: true,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let made = self.results.create_consumer(config).await;
        made.map_err(|error| FarmError::server("counting answers")(words(&error)))
    }

    /// All answers of a job without their parts.
    pub(super) async fn all_answered(&self, job: &str) -> Result<Vec<Answered>, FarmError> {
        let fail = FarmError::server("reading answers");
        let consumer = self.heads("result", &format!("{job}.>")).await?;
        let mut left = consumer.cached_info().num_pending;
        let mut found = Vec::new();
        while left > 0 {
            let batch = usize::try_from(left.min(1000)).unwrap_or(1000);
            let fetched = consumer.fetch().max_messages(batch).messages().await;
            let mut fetched = fetched.map_err(|error| fail(words(&error)))?;
            let before = left;
            while let Some(message) = fetched.next().await {
                let message = message.map_err(|error| fail(error.to_string()))?;
                left = left.saturating_sub(1);
                let info = message.info().map_err(|error| fail(error.to_string()))?;
                let (sequence, came) = (info.stream_sequence, info.published.unix_timestamp());
                let headers = message.headers.clone().unwrap_or_default();
                let known = self.answered(message.subject.as_str(), &headers, sequence, came);
                found.extend(known);
            }
            if left == before {
                break;
            }
        }
        Ok(found)
    }

    /// Gives a lot up, with the reason.
    pub(super) async fn bury(&self, lot: &Lot, reason: &str) -> Result<(), FarmError> {
        let subject = format!("{}.dead.{}", self.name, lot.subject());
        let fail = FarmError::server("giving a lot up");
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Expected-Last-Subject-Sequence", "0");
        let reason: String = reason.chars().take(500).collect();
        let sent = (self.js).publish_with_headers(subject, headers, reason.into());
        let sent = sent.await.map_err(|error| fail(words(&error)))?;
        match sent.await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(()),
            Err(error) => Err(fail(words(&error))),
        }
    }

    /// Lots of a job that were given up, with the reasons; at most `most`.
    pub(super) async fn dead(
        &self,
        job: &str,
        most: usize,
    ) -> Result<Vec<(Lot, String)>, FarmError> {
        let fail = FarmError::server("reading the lots that were given up");
        let config = pull::Config {
            filter_subject: format!("{}.dead.{job}.>", self.name),
            ack_policy: AckPolicy::None,
            memory_storage: true,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let consumer = self.results.create_consumer(config).await;
        let consumer = consumer.map_err(|error| fail(words(&error)))?;
        let mut found = Vec::new();
        let count = usize::try_from(consumer.cached_info().num_pending).unwrap_or(most);
        if count == 0 {
            return Ok(found);
        }
        let fetched = consumer
            .fetch()
            .max_messages(count.min(most))
            .messages()
            .await;
        let mut fetched = fetched.map_err(|error| fail(words(&error)))?;
        while let Some(Ok(message)) = fetched.next().await {
            if let Some(lot) = self.lot_of(message.subject.as_str()) {
                found.push((lot, String::from_utf8_lossy(&message.payload).into_owned()));
            }
        }
        Ok(found)
    }

    /// Forgets the lots of a job that were given up.
    pub(super) async fn unbury(&self, job: &str) -> Result<(), FarmError> {
        let subject = format!("{}.dead.{job}.>", self.name);
        let purged = self.results.purge().filter(subject).await;
        purged.map_err(|error| FarmError::server("forgetting lots")(words(&error)))?;
        Ok(())
    }

    /// Removes the parts of a job that nobody has taken yet.
    pub(super) async fn purge_parts(&self, job: &str) -> Result<(), FarmError> {
        let purged = (self.parts.purge()).filter(self.part_subject(&format!("{job}.>")));
        let purged = purged.await;
        purged.map_err(|error| FarmError::server("removing parts")(words(&error)))?;
        Ok(())
    }

    /// Cancels a job, or removes a finished one: its parts and answers go.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn cancel(&self, job: &str) -> Result<(), FarmError> {
        // Whatever is written about it can go.
        match self.task(job).await {
            Err(FarmError::NoJob(job)) => return Err(FarmError::NoJob(job)),
            Ok(_) | Err(FarmError::Newer { .. } | FarmError::NotOurs(_)) => {}
            Err(error) => return Err(error),
        }
        self.set_state(job, State::Cancelled).await?;
        self.remove(job).await
    }

    /// Removes everything of a job but what it was.
    async fn remove(&self, job: &str) -> Result<(), FarmError> {
        let fail = FarmError::server("removing a job");
        self.purge_parts(job).await?;
        // It has none when no machine and nobody else has looked at it yet.
        let _ = self.parts.delete_consumer(job).await;
        let purged = self
            .results
            .purge()
            .filter(self.result_subject(&format!("{job}.>")));
        purged.await.map_err(|error| fail(words(&error)))?;
        self.unbury(job).await?;
        for stage in 0..4 {
            let gone = self.jobs.purge(format!("{job}.stage.{stage}")).await;
            gone.map_err(|error| fail(words(&error)))?;
        }
        Ok(())
    }

    /// Stores bytes by their checksum, unless they are there.
    pub(super) async fn put_object(&self, sum: &str, bytes: &[u8]) -> Result<(), FarmError> {
        if self.files.info(sum).await.is_ok() {
            return Ok(());
        }
        let put = self.files.put(sum, &mut &bytes[..]).await;
        put.map_err(|error| FarmError::server("storing a file")(words(&error)))?;
        Ok(())
    }

    /// Bytes by their checksum; not verified here.
    pub(super) async fn object(&self, sum: &str, most: usize) -> Result<Vec<u8>, FarmError> {
        let fail = FarmError::server("fetching a file");
        let object = self.files.get(sum).await;
        let object = object.map_err(|error| fail(words(&error)))?;
        let mut bytes = Vec::new();
        let mut limited = object.take(most as u64 + 1);
        let read = limited.read_to_end(&mut bytes).await;
        read.map_err(|error| fail(error.to_string()))?;
        if bytes.len() > most {
            return Err(fail(format!("it is longer than {most} bytes")));
        }
        Ok(bytes)
    }
}

fn is_missing(error: &jetstream::stream::DirectGetError) -> bool {
    matches!(
        error.kind(),
        jetstream::stream::DirectGetErrorKind::NotFound
    )
}

/// What both streams have.
fn stream() -> Config {
    Config {
        storage: StorageType::File,
        discard: DiscardPolicy::New,
        max_age: KEPT,
        num_replicas: 1,
        ..Config::default()
    }
}

async fn own_stream(js: &Context, config: Config) -> Result<Stream, FarmError> {
    let got = js.get_or_create_stream(config.clone()).await;
    let stream = got.map_err(|error| {
        let reason = words(&error);
        if reason.contains("JetStream") && reason.contains("not enabled")
            || reason.contains("no responders")
        {
            let hint = "the server has no JetStream; start it with `nats-server --jetstream`";
            return FarmError::Other(hint.to_owned());
        }
        FarmError::server("opening a stream")(reason)
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
    Ok(stream)
}

/// A key-value bucket: made as a stream, because the client's own way asks servers before 2.10 what they do not tell.
async fn bucket(js: &Context, name: String, max_age: Duration) -> Result<kv::Store, FarmError> {
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
    own_stream(js, config).await?;
    let got = js.get_key_value(&name).await;
    got.map_err(|error| FarmError::server("opening a bucket")(words(&error)))
}

/// A store of objects, made as [`bucket`] is.
async fn objects(js: &Context, name: String) -> Result<object_store::ObjectStore, FarmError> {
    let config = Config {
        name: format!("OBJ_{name}"),
        subjects: vec![format!("$O.{name}.C.>"), format!("$O.{name}.M.>")],
        allow_rollup: true,
        allow_direct: true,
        ..stream()
    };
    own_stream(js, config).await?;
    let got = js.get_object_store(&name).await;
    got.map_err(|error| FarmError::server("opening the store of files")(words(&error)))
}
