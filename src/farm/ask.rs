//! Submitting jobs: posts their parts and takes the answers.

use super::FarmError;
use super::answers::{AbandonedBatch, AnswerInfo};
use super::difference::shorten_to_difference;
use super::files;
use super::stall_detector::StallDetector;
use super::store::{Farm, State};
use super::task::{BATCHES_MAX, Commands, FORMAT, PartBatch, Stage, Task, unpack};
use async_nats::jetstream::consumer::PullConsumer;
use futures_util::StreamExt as _;
use gammond_base::escape::Untrusted;
use gammond_base::stop::Stop;
use gammond_job::{Header, JobRole, PartSource, RemoteError, RemoteExecutor, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Maximum time for measuring how long parts take.
const MEASUREMENT_TIME_MAX: Duration = Duration::from_millis(1500);
/// Maximum number of parts that are measured.
const MEASURED_PARTS_MAX: u64 = 64;
/// Minimum computing time of a batch on one thread, in seconds.
const BATCH_SECONDS_MIN: f64 = 5.0;
/// Maximum computing time of a batch on one thread, in seconds.
const BATCH_SECONDS_MAX: f64 = 20.0;
/// Target number of batches of a job, unless they would be too short.
const BATCHES_TARGET: f64 = 64.0;
/// Target size of an answer in bytes.
const ANSWER_BYTES_TARGET: f64 = 4e6;
/// Number of answers requested by name at a time.
const NAMED_REQUESTS_MAX: u64 = 128;
/// Number of concurrent requests of answers by name; each answer may have 64 MiB.
const CONCURRENT_REQUESTS_MAX: usize = 8;
/// Maximum number of answers per read in order of arrival.
const ANSWERS_PER_READ_MAX: usize = 1000;
/// Approximate size in bytes of the answers of one read.
const BYTES_PER_READ_TARGET: usize = 8 << 20;
/// Maximum size in bytes of answers that are buffered until their turn.
const READ_AHEAD_BYTES_MAX: usize = 64 << 20;
/// Poll interval while the next answer is missing.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Interval of the checks for cancellation, abandoned batches and stalled queues.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Maximum number of abandoned batches that are read while waiting.
const ABANDONED_MAX: usize = 1000;
/// Percentage added to the estimate if a job has no fixed number of parts.
const SPARE_PERCENT: u64 = 5;

/// The division of a job's parts into messages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Division {
    /// Computing time of a message on one thread in seconds; if `None`, it follows from a measurement.
    pub seconds: Option<f64>,
    /// Number of parts in a message, regardless of their time.
    pub parts: Option<u64>,
}

/// Posts the parts of a job's stage.
pub(super) fn post<C: Commands>(
    (farm, handle): (&Farm, &Handle),
    (task, number): (&Task<C>, u32),
    work: &dyn Work,
    division: Division,
) -> Result<Stage, FarmError> {
    let job = task.name();
    if let Some(there) = handle.block_on(farm.stage(&job, number))? {
        same_header(&there, &work.header())?;
        handle.block_on(resume(farm, (task, number, &there)))?;
        return Ok(there);
    }
    let (batch_size, parts) = divide(work, division)?;
    let stage = Stage {
        format: FORMAT,
        header: work.header().text(),
        parts,
        batch_size,
    };
    if stage.batches() > BATCHES_MAX {
        let text = format!(
            "{} messages, at most {BATCHES_MAX}; take a larger --part-seconds",
            stage.batches()
        );
        return Err(FarmError::Other(text));
    }
    handle.block_on(async {
        farm.queue(&job, task.silence_s).await?;
        if number == 0 {
            // Another submitter of the same job may have withdrawn it in the meantime.
            farm.put_task(task).await?;
        }
        let stage = farm.begin_stage(&job, number, &stage).await?;
        same_header(&stage, &work.header())?;
        farm.post(&batches(task, number, &stage, 0), "").await?;
        Ok(stage)
    })
}

/// Returns all batches of a stage from `from` on; those that are verified twice.
fn batches<C: Commands>(task: &Task<C>, number: u32, stage: &Stage, from: u64) -> Vec<PartBatch> {
    let job = task.name();
    let batch = |(number, batch): (u32, u64)| PartBatch {
        job: job.clone(),
        stage: number,
        number: batch,
        copy: 0,
    };
    let mut all = Vec::new();
    for one in from..stage.batches() {
        let first = batch((number, one));
        let second = task.verifies(number, one).then(|| first.copy(1));
        all.push(first);
        all.extend(second);
    }
    all
}

/// Returns an error if the stage belongs to other work.
pub(super) fn same_header(stage: &Stage, header: &Header) -> Result<(), FarmError> {
    if stage.header == header.text() {
        return Ok(());
    }
    let found = Header::parse(&stage.header);
    let difference = found.and_then(|found| header.difference(&found));
    let words = difference.map_or_else(
        || "its header is another".to_owned(),
        |one| {
            let value = |value: Option<String>| value.unwrap_or_else(|| "nothing".to_owned());
            let [found, own] = shorten_to_difference([value(one.found), value(one.wanted)]);
            format!("its {} is {found}, here it is {own}", one.field)
        },
    );
    let hint = "another build of gammond began it; `gammond farm cancel JOB` makes room";
    Err(FarmError::Other(format!("{words}: {hint}")))
}

/// Number of parts up to which each is a message of its own: a part may be the training of a net.
const UNMEASURED_PARTS_MAX: u64 = 16;

/// Returns the number of parts in a message and of all parts, by measuring the first ones.
fn divide(work: &dyn Work, division: Division) -> Result<(u64, u64), FarmError> {
    let fixed = work.parts();
    if let (Some(batch), Some(parts)) = (division.parts, fixed) {
        return Ok((batch.max(1), parts));
    }
    if let Some(parts) = fixed.filter(|parts| *parts <= UNMEASURED_PARTS_MAX) {
        return Ok((1, parts));
    }
    let begun = Instant::now();
    let mut first = Vec::new();
    let most = fixed.unwrap_or(u64::MAX).min(MEASURED_PARTS_MAX);
    while (first.len() as u64) < most
        && (first.is_empty() || begun.elapsed() < MEASUREMENT_TIME_MAX)
    {
        let part = work.part(first.len() as u64, &Stop::never());
        first.extend(part.map_err(FarmError::Other)?);
    }
    let count = first.len().max(1) as f64;
    let each = (begun.elapsed().as_secs_f64() / count).max(1e-6);
    let bytes = first.iter().map(Vec::len).sum::<usize>() as f64 / count;
    let parts = match fixed {
        Some(parts) => parts,
        None => {
            let about = work.estimate(&first).ok_or_else(|| {
                FarmError::Other(
                    "the number of parts cannot be estimated from the first ones".to_owned(),
                )
            })?;
            about.saturating_mul(100 + SPARE_PERCENT).div_ceil(100)
        }
    };
    let seconds = division.seconds.unwrap_or_else(|| {
        (each * parts as f64 / BATCHES_TARGET).clamp(BATCH_SECONDS_MIN, BATCH_SECONDS_MAX)
    });
    let size = (seconds / each)
        .min(ANSWER_BYTES_TARGET / bytes.max(1.0))
        .round();
    let size = division.parts.unwrap_or(size as u64);
    let size = size.clamp(1, parts.max(1));
    // A job without a fixed number of parts is rounded up to whole messages.
    let parts = if fixed.is_some() {
        parts
    } else {
        parts.div_ceil(size) * size
    };
    Ok((size, parts))
}

/// Posts batches again that have neither an answer nor a message. Any machine that finds the queue empty may do it.
pub(super) async fn post_missing<C: Commands>(
    farm: &Farm,
    (task, number, stage): (&Task<C>, u32, &Stage),
) -> Result<u64, FarmError> {
    let job = task.name();
    let mut there: BTreeSet<(u64, u32)> = BTreeSet::new();
    for one in farm.answer_infos(&job).await? {
        if one.batch.stage == number {
            there.insert((one.batch.number, one.batch.copy));
        }
    }
    for AbandonedBatch { batch, .. } in farm.abandoned(&job, usize::MAX).await? {
        if batch.stage == number {
            there.insert((batch.number, batch.copy));
        }
    }
    let mut missing = batches(task, number, stage, 0);
    missing.retain(|batch| !there.contains(&(batch.number, batch.copy)));
    // Workers that notice within the same minute use the same message IDs, so the server drops the duplicates.
    farm.post(&missing, &format!(".{}", minute())).await?;
    if !missing.is_empty() && farm.state(&job).await? == State::Complete {
        farm.set_state(&job, State::Active).await?;
    }
    Ok(missing.len() as u64)
}

/// Returns true if all batches have answers, and verified batches second answers.
pub(super) async fn is_complete<C: Commands>(
    farm: &Farm,
    (task, number, stage): (&Task<C>, u32, &Stage),
) -> Result<bool, FarmError> {
    let answers = async |copy: u32| {
        let end = format!("{}.{number}.*.{copy}", task.name());
        farm.count("result", &end).await
    };
    if answers(0).await? < stage.batches() {
        return Ok(false);
    }
    if task.verify_millionths == 0 {
        return Ok(true);
    }
    let twice = (0..stage.batches()).filter(|&batch| task.verifies(number, batch));
    Ok(answers(1).await? >= twice.count() as u64)
}

/// Posts the batches that an interrupted submission of this stage left out.
async fn resume<C: Commands>(
    farm: &Farm,
    (task, number, stage): (&Task<C>, u32, &Stage),
) -> Result<(), FarmError> {
    let job = task.name();
    if farm.state(&job).await? != State::Active {
        return Ok(());
    }
    let mut missing = batches(task, number, stage, 0);
    let end = format!("{job}.{number}.>");
    let mut there: BTreeSet<PartBatch> = farm.queued_batches(&end).await?.into_iter().collect();
    let known =
        there.len() as u64 + farm.count("result", &end).await? + farm.count("dead", &end).await?;
    if known >= missing.len() as u64 {
        return Ok(());
    }
    there.extend(
        farm.answer_infos(&job)
            .await?
            .into_iter()
            .map(|one| one.batch),
    );
    there.extend(
        (farm.abandoned(&job, usize::MAX).await?)
            .into_iter()
            .map(|one| one.batch),
    );
    missing.retain(|batch| !there.contains(batch));
    // If the first submitter is still posting, the duplicate IDs make the second posting harmless.
    farm.post(&missing, "").await
}

/// Returns the minutes since 1970.
fn minute() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs() / 60)
}

/// A job's submitter, which may wait for the answers.
#[derive(Debug)]
pub struct Submitter<C: Commands> {
    farm: Farm,
    handle: Handle,
    task: Task<C>,
    division: Division,
    /// True if it waits for the answers.
    waits: bool,
    stage: AtomicU32,
    done: AtomicU32,
}

impl<C: Commands> Submitter<C> {
    /// Submits a job and its files. The command, run through this, posts the parts.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn submit(
        farm: &Farm,
        handle: &Handle,
        (task, division): (Task<C>, Division),
        waits: bool,
    ) -> Result<Submitter<C>, FarmError> {
        let job = task.name();
        handle.block_on(async {
            for shipped in &task.files {
                files::ship(farm, shipped).await?;
            }
            // A new submission retries abandoned and cancelled work.
            if farm.state(&job).await? == State::Cancelled {
                farm.set_state(&job, State::Active).await?;
            }
            farm.put_task(&task).await?;
            retry(farm, &job).await.map(drop)
        })?;
        Ok(Submitter {
            farm: farm.clone(),
            handle: handle.clone(),
            task,
            division,
            waits,
            stage: AtomicU32::new(0),
            done: AtomicU32::new(0),
        })
    }

    /// Creates a submitter that fetches the answers of a job on the farm.
    #[must_use]
    pub fn fetch(farm: &Farm, handle: &Handle, task: Task<C>) -> Submitter<C> {
        Submitter {
            farm: farm.clone(),
            handle: handle.clone(),
            task,
            division: Division::default(),
            waits: true,
            stage: AtomicU32::new(0),
            done: AtomicU32::new(0),
        }
    }

    /// Returns the job.
    #[must_use]
    pub const fn task(&self) -> &Task<C> {
        &self.task
    }

    /// Removes the job from the farm if none of its stages has begun: the command failed before it posted a part.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn withdraw(&self) -> Result<(), FarmError> {
        let job = self.task.name();
        self.handle.block_on(self.farm.withdraw(&job))
    }

    /// Marks the job complete and removes its remaining parts, once all answers have been taken.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn finish(&self) -> Result<(), FarmError> {
        if self.done.load(Ordering::Relaxed) < self.task.stages() {
            return Ok(());
        }
        let job = self.task.name();
        self.handle.block_on(async {
            self.farm.set_state(&job, State::Complete).await?;
            self.farm.purge_parts(&job).await
        })
    }
}

/// Posts abandoned batches again; returns their number.
///
/// # Errors
/// [`FarmError`].
pub(crate) async fn retry(farm: &Farm, job: &str) -> Result<u64, FarmError> {
    let dead = farm.abandoned(job, usize::MAX).await?;
    if dead.is_empty() {
        return Ok(0);
    }
    farm.revive(job).await?;
    for AbandonedBatch {
        batch, sequence, ..
    } in &dead
    {
        // Concurrent retries use the same message IDs, so the server drops the duplicates.
        let again = format!(".dead{sequence}");
        farm.post(std::slice::from_ref(batch), &again).await?;
    }
    farm.set_state(job, State::Active).await?;
    Ok(dead.len() as u64)
}

impl<C: Commands> RemoteExecutor for Submitter<C> {
    fn begin(&self, work: &dyn Work) -> Result<JobRole, RemoteError> {
        let number = self.stage.fetch_add(1, Ordering::Relaxed);
        let on = (&self.farm, &self.handle);
        let stage = post(on, (&self.task, number), work, self.division).map_err(failed)?;
        if !self.waits {
            return Ok(JobRole::End);
        }
        let source = Source::new(on, &self.task, number, stage);
        Ok(JobRole::Take(Box::new(source)))
    }

    fn done(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn quiet_stop(&self) -> Option<Stop> {
        None
    }
}

pub(super) fn failed(error: FarmError) -> RemoteError {
    RemoteError::Failed(error.to_string())
}

/// A source of a stage's parts, in order, taken from the answers.
pub(super) struct Source<C: Commands> {
    farm: Farm,
    handle: Handle,
    task: Task<C>,
    job: String,
    number: u32,
    stage: Stage,
    queue: Option<PullConsumer>,
    /// Quarantined machines.
    quarantined: BTreeSet<Untrusted>,
    checked: Option<Instant>,
    /// True if the next poll is the first after an answer arrived.
    eager: bool,
    /// True if answers may be taken. If the stage is verified, all of them must be consistent first: otherwise early answers of
    /// a machine quarantined later would be part of the result.
    settled: bool,
    /// Number of batches with answers at the last check.
    answered: Option<u64>,
    read_ahead: ReadAhead,
    stall: StallDetector,
    /// Answers that were passed on last, by batch.
    given: BTreeMap<u64, AnswerInfo>,
}

/// Answers that were read before their turn. Reading them in order of arrival saves a round trip for each; answers missing here
/// are requested by name.
#[derive(Default)]
struct ReadAhead {
    reader: Option<PullConsumer>,
    /// Sequence number of the last answer read.
    last: u64,
    kept: BTreeMap<u64, (AnswerInfo, Vec<u8>)>,
    bytes: usize,
    /// Size of the longest answer in bytes.
    longest: usize,
}

impl ReadAhead {
    /// Returns the number of answers to read at a time: few until their size is known.
    fn size(&self) -> usize {
        let about = BYTES_PER_READ_TARGET / self.longest.max(1);
        // The size of the answers is unknown before the first read, so that a full batch could exceed the memory limit.
        if self.last == 0 {
            16
        } else {
            about.clamp(1, ANSWERS_PER_READ_MAX)
        }
    }

    /// Returns the number of buffered answers from batch `from` on without a gap, at most `most`.
    fn run(&self, from: u64, most: usize) -> u64 {
        let numbers = self.kept.range(from..).take(most);
        let run = numbers
            .zip(from..)
            .take_while(|((number, _), wanted)| *number == wanted);
        run.count() as u64
    }

    fn keep(&mut self, answer: (AnswerInfo, Vec<u8>)) {
        self.last = self.last.max(answer.0.sequence);
        self.bytes += answer.1.len();
        self.longest = self.longest.max(answer.1.len());
        if let Some((_, before)) = self.kept.insert(answer.0.batch.number, answer) {
            self.bytes -= before.len();
        }
    }

    /// Removes the answers of batches before `batch`.
    fn discard_before(&mut self, batch: u64) {
        let rest = self.kept.split_off(&batch);
        for (_, bytes) in std::mem::replace(&mut self.kept, rest).values() {
            self.bytes -= bytes.len();
        }
    }
}

impl<C: Commands> Source<C> {
    pub(super) fn new(
        (farm, handle): (&Farm, &Handle),
        task: &Task<C>,
        number: u32,
        stage: Stage,
    ) -> Source<C> {
        Source {
            farm: farm.clone(),
            handle: handle.clone(),
            task: task.clone(),
            job: task.name(),
            number,
            stage,
            queue: None,
            quarantined: BTreeSet::new(),
            checked: None,
            eager: true,
            settled: task.verify_millionths == 0,
            answered: None,
            read_ahead: ReadAhead::default(),
            stall: StallDetector::default(),
            given: BTreeMap::new(),
        }
    }

    fn batch(&self, number: u64) -> PartBatch {
        PartBatch {
            job: self.job.clone(),
            stage: self.number,
            number,
            copy: 0,
        }
    }

    async fn take(&mut self, from: u64) -> Result<Vec<(u64, Vec<u8>)>, FarmError> {
        if from >= self.stage.parts {
            self.lengthen(from).await?;
        }
        if self.checked.is_none_or(|at| at.elapsed() >= CHECK_INTERVAL) {
            self.check(from).await?;
            if !self.settled {
                self.settled = self.settle().await?;
            }
            self.checked = Some(Instant::now());
        }
        if !self.settled {
            return Ok(Vec::new());
        }
        let first = from / self.stage.batch_size;
        let ahead = match self.fill_read_ahead(first).await {
            Ok(run) => run.max(1),
            Err(error) => {
                tracing::debug!("{error}");
                self.read_ahead = ReadAhead::default();
                if self.eager { NAMED_REQUESTS_MAX } else { 1 }
            }
        };
        let last = (first + ahead).min(self.stage.batches());
        let mut found = Vec::new();
        let mut given = BTreeMap::new();
        let mut bytes = 0;
        let (mut next, mut again) = (last, false);
        let this = &*self;
        let mut answers = futures_util::stream::iter(first..last)
            .map(|number| async move { (number, this.answer(number).await) })
            .buffered(CONCURRENT_REQUESTS_MAX);
        while let Some((number, answer)) = answers.next().await {
            let Some((known, parts)) = answer? else {
                (next, again) = (number + 1, true);
                break;
            };
            bytes += parts.iter().map(Vec::len).sum::<usize>();
            given.insert(number, known);
            found.extend(self.stage.numbers(number).zip(parts));
            if bytes >= READ_AHEAD_BYTES_MAX {
                next = number + 1;
                break;
            }
        }
        drop(answers);
        self.read_ahead.discard_before(next);
        // A batch that is computed again must be compared with the rest before any answer counts.
        self.settled &= !again || self.task.verify_millionths == 0;
        if !self.settled {
            self.read_ahead = ReadAhead::default();
        }
        self.eager = !found.is_empty();
        self.given = given;
        Ok(found)
    }

    /// Reads new answers unless that of batch `first` is buffered; returns the number of buffered ones from it on.
    async fn fill_read_ahead(&mut self, first: u64) -> Result<u64, FarmError> {
        let read_ahead = &mut self.read_ahead;
        read_ahead.discard_before(first);
        if read_ahead.bytes < READ_AHEAD_BYTES_MAX && !read_ahead.kept.contains_key(&first) {
            let reader = match read_ahead.reader.take() {
                Some(reader) => reader,
                None => {
                    self.farm
                        .reader((&self.job, self.number), read_ahead.last)
                        .await?
                }
            };
            for answer in self.farm.read(&reader, read_ahead.size()).await? {
                if answer.0.batch.number >= first {
                    read_ahead.keep(answer);
                } else {
                    read_ahead.last = read_ahead.last.max(answer.0.sequence);
                }
            }
            read_ahead.reader = Some(reader);
        }
        Ok(read_ahead.run(first, ANSWERS_PER_READ_MAX))
    }

    /// Returns the parts of a batch and the accepted answer they come from; `None` if there is no such answer yet.
    async fn answer(&self, number: u64) -> Result<Option<(AnswerInfo, Vec<Vec<u8>>)>, FarmError> {
        let batch = self.batch(number);
        let asked;
        let (known, bytes) = match self.read_ahead.kept.get(&number) {
            Some(read_ahead) if !read_ahead.0.object => read_ahead,
            _ => match self.farm.answer(&batch).await? {
                Some(answer) => {
                    asked = answer;
                    &asked
                }
                None => return Ok(None),
            },
        };
        if self.quarantined.contains(known.worker.as_str()) {
            self.remove_and_post_again(batch, known.sequence).await?;
            return Ok(None);
        }
        let numbers = self.stage.numbers(number);
        let count = numbers.end - numbers.start;
        if known.parts != count {
            let why = format!("has {} parts, expected {count}", known.parts);
            self.farm.reject(known, &why).await?;
            return Ok(None);
        }
        if self.task.verifies(self.number, number) {
            match self.farm.answer(&batch.copy(1)).await? {
                Some((second, _)) if second.sum == known.sum => {}
                // The second answer is missing, or a third machine has to decide.
                _ => return Ok(None),
            }
        }
        match unpack(bytes, count) {
            Some(parts) => Ok(Some((known.clone(), parts))),
            None => {
                self.farm.reject(known, "is not made of parts").await?;
                Ok(None)
            }
        }
    }

    /// Removes an answer and publishes its batch again.
    async fn remove_and_post_again(
        &self,
        batch: PartBatch,
        sequence: u64,
    ) -> Result<(), FarmError> {
        self.farm.remove_answer(&batch, sequence).await?;
        self.farm.post_again(&batch, sequence).await
    }

    /// Rejects the answer with a part that the job does not make; returns the parts of its batch.
    async fn reject_part(&mut self, number: u64) -> Result<Range<u64>, FarmError> {
        let batch = number / self.stage.batch_size;
        if let Some(known) = self.given.remove(&batch) {
            let why = format!("has a part that the job does not make (part {number})");
            self.farm.reject(&known, &why).await?;
        }
        self.read_ahead = ReadAhead::default();
        // The rejected answer may have agreed with another wrong one, so that a verified stage is compared again.
        self.settled &= self.task.verify_millionths == 0;
        Ok(self.stage.numbers(batch))
    }

    /// Returns true if all batches of the stage have answers, verified ones two that agree, and none is by a quarantined machine.
    /// Batches with such answers are posted again.
    async fn settle(&mut self) -> Result<bool, FarmError> {
        let end = format!("{}.{}.*.0", self.job, self.number);
        let answered = self.farm.count("result", &end).await?;
        self.answered = Some(answered);
        if answered < self.stage.batches() {
            return Ok(false);
        }
        self.quarantined = self.farm.quarantined().await?.into_keys().collect();
        let mut sums: BTreeMap<(u64, u32), String> = BTreeMap::new();
        let mut settled = true;
        for one in self.farm.answer_infos(&self.job).await? {
            if one.batch.stage != self.number {
                continue;
            }
            if self.quarantined.contains(one.worker.as_str()) {
                settled = false;
                self.remove_and_post_again(one.batch, one.sequence).await?;
                continue;
            }
            sums.insert((one.batch.number, one.batch.copy), one.sum);
        }
        for number in 0..self.stage.batches() {
            let first = sums.get(&(number, 0));
            let verified = self.task.verifies(self.number, number);
            let agrees = !verified || sums.get(&(number, 1)) == first;
            settled &= first.is_some() && agrees;
        }
        Ok(settled)
    }

    /// Returns an error if the wait would never end; repairs a stalled or incomplete queue.
    async fn check(&mut self, from: u64) -> Result<(), FarmError> {
        self.quarantined = self.farm.quarantined().await?.into_keys().collect();
        if self.farm.state(&self.job).await? == State::Cancelled {
            return Err(FarmError::Other(format!("{} was cancelled", self.job)));
        }
        let wanted = from / self.stage.batch_size;
        let dead = self.farm.abandoned(&self.job, ABANDONED_MAX).await?;
        let dead = dead.into_iter().find(|AbandonedBatch { batch, .. }| {
            // A verified job needs every answer, so any abandoned batch of it is fatal.
            batch.stage == self.number && (!self.settled || batch.number == wanted)
        });
        if let Some(AbandonedBatch { batch, reason, .. }) = dead {
            return Err(FarmError::Other(format!(
                "{0} batch {1} was abandoned: {reason}; `gammond farm retry {0}` retries it",
                self.job, batch.number
            )));
        }
        if self.queue.is_none() {
            self.queue = self.farm.existing_queue(&self.job).await;
        }
        let Some(queue) = &self.queue else {
            return Ok(());
        };
        let Ok(info) = queue.get_info().await else {
            return Ok(());
        };
        let job = (self.job.as_str(), self.task.silence_s);
        self.stall
            .recreate_if_stalled(&self.farm, job, &info)
            .await?;
        if info.num_pending == 0 && info.num_ack_pending == 0 {
            let what = (&self.task, self.number, &self.stage);
            let unsettled = self.checked.is_some() && !self.settled;
            if unsettled || !is_complete(&self.farm, what).await? {
                post_missing(&self.farm, what).await?;
            }
        }
        Ok(())
    }

    /// Adds parts to a stage whose estimate was too low, and posts them.
    async fn lengthen(&mut self, from: u64) -> Result<(), FarmError> {
        let before = self.stage.batches();
        let more = (self.stage.parts / 10).max(self.stage.batch_size);
        // Whole messages, as before.
        let parts = (self.stage.parts + more).max(from + 1);
        self.stage.parts = parts.div_ceil(self.stage.batch_size) * self.stage.batch_size;
        (self.farm)
            .lengthen_stage(&self.job, self.number, &self.stage)
            .await?;
        let again = format!(".{}", self.stage.parts);
        let all = batches(&self.task, self.number, &self.stage, before);
        self.farm.post(&all, &again).await?;
        self.farm.set_state(&self.job, State::Active).await
    }
}

impl<C: Commands> PartSource for Source<C> {
    fn from(&mut self, from: u64) -> Result<Vec<(u64, Vec<u8>)>, RemoteError> {
        let handle = self.handle.clone();
        let found = handle.block_on(self.take(from));
        let found = match found {
            Ok(found) => found,
            // The connection comes back, or Ctrl-C ends the wait.
            Err(error @ FarmError::Server { .. }) => {
                tracing::warn!("{error}");
                Vec::new()
            }
            Err(error) => return Err(failed(error)),
        };
        if found.is_empty() {
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(found)
    }

    fn is_waiting(&self) -> bool {
        true
    }

    fn reject(&mut self, number: u64) -> Result<Range<u64>, RemoteError> {
        let handle = self.handle.clone();
        handle.block_on(self.reject_part(number)).map_err(failed)
    }

    fn figures(&self) -> Option<String> {
        let answered = self.answered.filter(|_| !self.settled)?;
        Some(format!(
            "{answered} of {} messages answered",
            self.stage.batches()
        ))
    }
}
