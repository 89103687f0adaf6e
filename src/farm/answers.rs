//! Answers: each copy of a batch has one, the first that arrived, or the reason for which the batch was abandoned.

use super::FarmError;
use super::store::{Farm, State};
use super::task::{PartBatch, is_sha256, one_line};
use crate::nats::{is_name, words};
use async_nats::HeaderMap;
use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull::Batch;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::stream::{DirectGetErrorKind, LastRawMessageErrorKind};
use futures_util::StreamExt as _;
use gammond_base::checksum::sha256;
use std::time::Duration;
use tokio::time::timeout;

/// Size above which an answer is stored as an object. A NATS server accepts messages of 1 MiB by default.
const MESSAGE_BYTES_MAX: usize = 512 << 10;
/// Maximum size of an answer. Batches are sized for answers of about 4 MB.
const ANSWER_BYTES_MAX: usize = 64 << 20;
/// Maximum plausible computing time of an answer in milliseconds: a week.
const BUSY_MS_MAX: u64 = 7 * 24 * 3_600_000;
/// Maximum length, in characters, of the reason for which a batch was abandoned.
const REASON_LETTERS_MAX: usize = 500;
const WORKER: &str = "Gammond-Worker";
const INSTANCE: &str = "Gammond-Instance";
const BUSY: &str = "Gammond-Busy-Ms";
const COUNT: &str = "Gammond-Parts";
const SUM: &str = "Gammond-Sha256";
const OBJECT: &str = "Gammond-Object";

/// Maximum wait for a message that the server has announced. If messages are removed while a consumer reads, the
/// server may announce some that never arrive.
const ANNOUNCED_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the next message of a batch, or `None` at its end.
async fn next_of(batch: &mut Batch) -> Result<Option<Message>, FarmError> {
    let fail = FarmError::server("reading answers");
    match timeout(ANNOUNCED_TIMEOUT, batch.next()).await {
        Ok(None) => Ok(None),
        Ok(Some(message)) => message.map(Some).map_err(|error| fail(error.to_string())),
        Err(_) => Err(fail(
            "the server announced a message that does not come".to_owned(),
        )),
    }
}

/// An answer without its parts.
#[derive(Clone, Debug)]
pub struct AnswerInfo {
    /// Batch that the answer belongs to.
    pub batch: PartBatch,
    /// Name of the worker.
    pub worker: String,
    /// Instance of the worker's program.
    pub instance: String,
    /// Total computing time of the parts, one after the other, in milliseconds.
    pub busy_ms: u64,
    /// Number of parts.
    pub parts: u64,
    /// SHA-256 of the packed parts.
    pub sum: String,
    /// Sequence number of the message in the stream.
    pub sequence: u64,
    /// Arrival time in milliseconds since 1970.
    pub came_ms: i64,
    /// True if the parts are in the object store.
    pub(super) object: bool,
}

/// An answer that a worker submits.
#[derive(Clone, Debug)]
pub(super) struct Submission {
    /// Batch that the answer belongs to.
    pub(super) batch: PartBatch,
    /// Name of the worker, and instance of its program.
    pub(super) by: (String, String),
    /// Total computing time of the parts, one after the other.
    pub(super) busy: Duration,
    /// Number of parts.
    pub(super) parts: u64,
    /// Packed parts.
    pub(super) bytes: Vec<u8>,
}

/// A batch that was abandoned.
#[derive(Clone, Debug)]
pub(super) struct AbandonedBatch {
    pub(super) batch: PartBatch,
    /// Reason for abandoning it.
    pub(super) reason: String,
    /// Sequence number of that message in the stream.
    pub(super) sequence: u64,
}

/// The outcome of a submitted answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SubmissionOutcome {
    /// The first answer of its copy: it counts.
    First,
    /// Another answer was stored before.
    Late,
}

impl Farm {
    /// Stores answers; the first one of each copy of a batch counts.
    pub(super) async fn submit(
        &self,
        all: Vec<Submission>,
    ) -> Result<Vec<SubmissionOutcome>, FarmError> {
        let fail = FarmError::server("giving an answer");
        let mut waiting = Vec::new();
        for Submission {
            batch,
            by,
            busy,
            parts,
            bytes,
        } in all
        {
            let sum = sha256(&bytes);
            let mut headers = HeaderMap::new();
            // The server refuses a second answer, so that two workers cannot overwrite each other.
            headers.insert("Nats-Expected-Last-Subject-Sequence", "0");
            headers.insert(WORKER, by.0.as_str());
            headers.insert(INSTANCE, by.1.as_str());
            headers.insert(BUSY, busy.as_millis().to_string().as_str());
            headers.insert(COUNT, parts.to_string().as_str());
            headers.insert(SUM, sum.as_str());
            let payload = if bytes.len() > MESSAGE_BYTES_MAX {
                headers.insert(OBJECT, "1");
                // The object is stored before its message, because a reader may request it at once.
                self.put_object(&sum, &bytes, false).await?;
                Vec::new()
            } else {
                bytes
            };
            let subject = self.result_subject(&batch.subject());
            let sent = (self.js).publish_with_headers(subject, headers, payload.into());
            waiting.push(sent.await.map_err(|error| fail(words(&error)))?);
        }
        let mut given = Vec::new();
        for sent in waiting {
            given.push(match sent.await {
                Ok(_) => SubmissionOutcome::First,
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => {
                    SubmissionOutcome::Late
                }
                Err(error) => return Err(fail(words(&error))),
            });
        }
        Ok(given)
    }

    /// Returns an answer with its packed parts, or `None` if there is none. An answer that no worker could have given
    /// is rejected, see [`Farm::reject`].
    pub(super) async fn answer(
        &self,
        batch: &PartBatch,
    ) -> Result<Option<(AnswerInfo, Vec<u8>)>, FarmError> {
        let subject = self.result_subject(&batch.subject());
        let fail = FarmError::server("reading an answer");
        let message = if self.results.cached_info().config.allow_direct {
            match self.results.direct_get_last_for_subject(&subject).await {
                Ok(message) => message,
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(fail(words(&error))),
            }
        } else {
            match self.results.get_last_raw_message_by_subject(&subject).await {
                Ok(message) => message,
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => {
                    return Ok(None);
                }
                Err(error) => return Err(fail(words(&error))),
            }
        };
        let came = message.time.unix_timestamp();
        let known = self.answered(&subject, &message.headers, message.sequence, came);
        let Some(known) = known else {
            self.reject_nameless(batch, message.sequence).await?;
            return Ok(None);
        };
        let bytes = match known.object {
            true => self.object(&known.sum, ANSWER_BYTES_MAX).await?,
            false => Some(message.payload.to_vec()),
        };
        match bytes {
            Some(bytes) if sha256(&bytes) == known.sum => Ok(Some((known, bytes))),
            Some(_) => {
                self.reject(&known, "does not have its checksum").await?;
                Ok(None)
            }
            None => {
                self.reject(&known, "is missing in the store of objects")
                    .await?;
                Ok(None)
            }
        }
    }

    /// Removes an answer that no correct worker gives, posts its batch again, and quarantines the machine named in
    /// it, as if two other machines contradicted its checksum.
    pub(super) async fn reject(&self, known: &AnswerInfo, why: &str) -> Result<(), FarmError> {
        let batch = &known.batch;
        let why = format!("its answer to {} {why}", batch.subject());
        tracing::error!(worker = known.worker, "quarantined: {why}");
        self.quarantine(&known.worker, &why).await?;
        self.remove_answer(batch, known.sequence).await?;
        self.post_again(batch, known.sequence).await
    }

    /// Removes an answer that does not even name a machine, and posts its batch again.
    async fn reject_nameless(&self, batch: &PartBatch, sequence: u64) -> Result<(), FarmError> {
        tracing::warn!(batch = batch.subject(), "an invalid answer is removed");
        self.remove_answer(batch, sequence).await?;
        self.post_again(batch, sequence).await
    }

    /// Posts a batch again whose answer was removed; `sequence` is that answer's number in the stream.
    pub(super) async fn post_again(
        &self,
        batch: &PartBatch,
        sequence: u64,
    ) -> Result<(), FarmError> {
        let state = self.state(&batch.job).await?;
        // Copies beyond the second are posted by those who compare answers.
        if state == State::Cancelled || batch.copy > 1 {
            return Ok(());
        }
        let again = format!(".{sequence}");
        self.post(std::slice::from_ref(batch), &again).await?;
        match state {
            State::Complete => self.set_state(&batch.job, State::Active).await,
            State::Active | State::Cancelled => Ok(()),
        }
    }

    fn answered(
        &self,
        subject: &str,
        headers: &HeaderMap,
        sequence: u64,
        came_s: i64,
    ) -> Option<AnswerInfo> {
        let word = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
        let busy_ms: u64 = word(BUSY)?.parse().ok()?;
        Some(AnswerInfo {
            batch: self.batch_of(subject)?,
            worker: word(WORKER).filter(|name| is_name(name))?,
            instance: word(INSTANCE).filter(|name| is_name(name))?,
            busy_ms: busy_ms.min(BUSY_MS_MAX),
            parts: word(COUNT)?.parse().ok()?,
            sum: word(SUM).filter(|sum| is_sha256(sum))?,
            object: word(OBJECT).is_some(),
            sequence,
            came_ms: came_s.saturating_mul(1000),
        })
    }

    /// Removes an answer, but none that was stored after it.
    pub(super) async fn remove_answer(
        &self,
        batch: &PartBatch,
        sequence: u64,
    ) -> Result<(), FarmError> {
        let subject = self.result_subject(&batch.subject());
        let purge = self.results.purge().filter(subject);
        let purged = purge.sequence(sequence.saturating_add(1)).await;
        purged.map_err(|error| FarmError::server("removing an answer")(words(&error)))?;
        Ok(())
    }

    /// Returns the number of messages of `kind` (`result`, `dead`) whose subjects end with `end`.
    pub(super) async fn count(&self, kind: &str, end: &str) -> Result<u64, FarmError> {
        let consumer = self.heads(kind, end).await?;
        Ok(consumer.cached_info().num_pending)
    }

    async fn heads(&self, kind: &str, end: &str) -> Result<PullConsumer, FarmError> {
        let config = pull::Config {
            filter_subject: format!("{}.{kind}.{end}", self.name()),
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

    /// Returns all answers of a job without their parts. Messages that are no answers are removed.
    pub(super) async fn answer_infos(&self, job: &str) -> Result<Vec<AnswerInfo>, FarmError> {
        let fail = FarmError::server("reading answers");
        let consumer = self.heads("result", &format!("{job}.>")).await?;
        let mut left = consumer.cached_info().num_pending;
        let mut found = Vec::new();
        while left > 0 {
            let batch = usize::try_from(left.min(1000)).unwrap_or(1000);
            let fetched = consumer.fetch().max_messages(batch).messages().await;
            let mut fetched = fetched.map_err(|error| fail(words(&error)))?;
            let before = left;
            while let Some(message) = next_of(&mut fetched).await? {
                left = left.saturating_sub(1);
                let info = message.info().map_err(|error| fail(error.to_string()))?;
                let (sequence, came) = (info.stream_sequence, info.published.unix_timestamp());
                let headers = message.headers.clone().unwrap_or_default();
                let subject = message.subject.as_str();
                match (
                    self.answered(subject, &headers, sequence, came),
                    self.batch_of(subject),
                ) {
                    (Some(known), _) => found.push(known),
                    (None, Some(batch)) => self.reject_nameless(&batch, sequence).await?,
                    (None, None) => {}
                }
            }
            if left == before {
                break;
            }
        }
        Ok(found)
    }

    /// Creates a consumer of the first copies' answers of a stage, in order of arrival, starting after `after` in the
    /// stream.
    pub(super) async fn reader(
        &self,
        (job, stage): (&str, u32),
        after: u64,
    ) -> Result<PullConsumer, FarmError> {
        let deliver_policy = match after {
            0 => DeliverPolicy::All,
            after => DeliverPolicy::ByStartSequence {
                start_sequence: after + 1,
            },
        };
        let config = pull::Config {
            filter_subject: self.result_subject(&format!("{job}.{stage}.*.0")),
            ack_policy: AckPolicy::None,
            deliver_policy,
            memory_storage: true,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let made = self.results.create_consumer(config).await;
        made.map_err(|error| FarmError::server("reading answers")(words(&error)))
    }

    /// Returns the answers available to a [`reader`](Farm::reader), at most `most`; large ones come without their
    /// parts.
    pub(super) async fn read(
        &self,
        reader: &PullConsumer,
        most: usize,
    ) -> Result<Vec<(AnswerInfo, Vec<u8>)>, FarmError> {
        let fail = FarmError::server("reading answers");
        let fetched = reader.fetch().max_messages(most).messages().await;
        let mut fetched = fetched.map_err(|error| fail(words(&error)))?;
        let mut found = Vec::new();
        while let Some(message) = next_of(&mut fetched).await? {
            let info = message.info().map_err(|error| fail(error.to_string()))?;
            let (sequence, came) = (info.stream_sequence, info.published.unix_timestamp());
            let subject = message.subject.as_str();
            let headers = message.headers.as_ref();
            let known = headers.and_then(|headers| self.answered(subject, headers, sequence, came));
            // Damaged answers are skipped here, because the request by name reports and removes them.
            if let Some(known) = known
                && (known.object || sha256(&message.payload) == known.sum)
            {
                found.push((known, message.payload.to_vec()));
            }
        }
        Ok(found)
    }

    /// Abandons a batch and stores the reason.
    pub(super) async fn mark_dead(&self, batch: &PartBatch, reason: &str) -> Result<(), FarmError> {
        let subject = self.dead_subject(&batch.subject());
        let fail = FarmError::server("abandoning a batch");
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Expected-Last-Subject-Sequence", "0");
        let reason = one_line(reason, REASON_LETTERS_MAX);
        let sent = (self.js).publish_with_headers(subject, headers, reason.into());
        let sent = sent.await.map_err(|error| fail(words(&error)))?;
        match sent.await {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(()),
            Err(error) => Err(fail(words(&error))),
        }
    }

    /// Returns at most `most` batches of a job that were abandoned and have no answer yet.
    pub(super) async fn abandoned(
        &self,
        job: &str,
        most: usize,
    ) -> Result<Vec<AbandonedBatch>, FarmError> {
        let fail = FarmError::server("reading the abandoned batches");
        let config = pull::Config {
            filter_subject: self.dead_subject(&format!("{job}.>")),
            ack_policy: AckPolicy::None,
            memory_storage: true,
            inactive_threshold: Duration::from_secs(30),
            ..pull::Config::default()
        };
        let consumer = self.results.create_consumer(config).await;
        let consumer = consumer.map_err(|error| fail(words(&error)))?;
        let mut left = usize::try_from(consumer.cached_info().num_pending).unwrap_or(most);
        let mut found = Vec::new();
        while left > 0 && found.len() < most {
            let fetched = consumer.fetch().max_messages(left.min(1000)).messages();
            let mut fetched = fetched.await.map_err(|error| fail(words(&error)))?;
            let before = left;
            while let Some(message) = next_of(&mut fetched).await? {
                left = left.saturating_sub(1);
                let info = message.info().map_err(|error| fail(error.to_string()))?;
                let Some(batch) = self.batch_of(message.subject.as_str()) else {
                    continue;
                };
                // A slow worker may have answered after the batch was abandoned.
                if found.len() < most && self.answer(&batch).await?.is_none() {
                    found.push(AbandonedBatch {
                        batch,
                        reason: one_line(
                            &String::from_utf8_lossy(&message.payload),
                            REASON_LETTERS_MAX,
                        ),
                        sequence: info.stream_sequence,
                    });
                }
            }
            if left == before {
                break;
            }
        }
        Ok(found)
    }

    /// Removes the records of a job's abandoned batches.
    pub(super) async fn revive(&self, job: &str) -> Result<(), FarmError> {
        let subject = self.dead_subject(&format!("{job}.>"));
        let purged = self.results.purge().filter(subject).await;
        purged.map_err(|error| FarmError::server("forgetting batches")(words(&error)))?;
        Ok(())
    }
}
