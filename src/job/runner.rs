//! Runs a job on the threads of this machine.

use super::erased::Erased;
use super::remote::serve;
use super::{
    Control, Header, Job, JobError, JobRole, PartSource, ProgressEvent, RemoteError,
    RemoteExecutor, Share,
};
use gammond_base::journal::{Journal, JournalError, Record};
use gammond_base::stop::Stop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

/// Parts that are computed or wait for an earlier one, for each thread: no thread idles while one
/// part takes several times as long as others.
const AHEAD_PER_THREAD: u64 = 16;
/// Longest delay before a stop is noticed while all parts are long.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Bytes that a loss of power may cost when parts come quickly; a kill costs none of them.
const UNSYNCED_MAX: usize = 64 << 10;

/// Result of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobEnd<S> {
    /// The parts, merged.
    pub sum: S,
    /// True if all parts are done; false if the job was stopped.
    pub complete: bool,
}

/// A runner of jobs: journal, thread pool and share.
#[derive(Clone, Copy, Debug)]
pub struct Runner<'a> {
    journal: Option<&'a Path>,
    pool: Option<&'a rayon::ThreadPool>,
    share: Share,
}

impl Default for Runner<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// Message from a compute thread: the number of a part and its result.
type Computed<E> = (u64, Result<Option<Vec<u8>>, E>);

impl<'a> Runner<'a> {
    /// Runs a job whole, without a journal, in rayon's own pool.
    #[must_use]
    pub const fn new() -> Runner<'a> {
        Runner {
            journal: None,
            pool: None,
            share: Share::WHOLE,
        }
    }

    /// Keeps parts in a journal; resumes from those that it holds.
    #[must_use]
    pub const fn journal(mut self, path: Option<&'a Path>) -> Runner<'a> {
        self.journal = path;
        self
    }

    /// Computes in this pool.
    #[must_use]
    pub const fn pool(mut self, pool: &'a rayon::ThreadPool) -> Runner<'a> {
        self.pool = Some(pool);
        self
    }

    /// Computes only a share of the parts; [`super::merge`] puts the journals of all shares
    /// together.
    #[must_use]
    pub const fn share(mut self, share: Share) -> Runner<'a> {
        self.share = share;
        self
    }

    /// Runs `job` until it is done or `control` stops it.
    ///
    /// # Errors
    /// [`JobError`]. The work so far is in the journal.
    pub fn run<J: Job>(
        &self,
        job: &J,
        control: &mut Control<'_>,
    ) -> Result<JobEnd<J::Sum>, JobError<J::Error>> {
        if self.share != Share::WHOLE && job.parts().is_none() {
            return Err(JobError::Endless);
        }
        if let Some(remote) = control.remote.clone() {
            return self.run_remotely(job, &*remote, control);
        }
        let mut merger = self.open(job)?;
        merger.take(&mut BTreeMap::new())?;
        merger.resumed = job.progress(&merger.sum, merger.parts).done;
        merger.report(control, false);
        let (sender, receiver) = channel();
        let abandon = Stop::new();
        let threads = self.pool.map_or_else(
            rayon::current_num_threads,
            rayon::ThreadPool::current_num_threads,
        );
        let window = AHEAD_PER_THREAD * threads as u64;
        let complete = self.in_scope(|scope| {
            let spawn = |number: u64| {
                let (sender, abandon) = (sender.clone(), abandon.clone());
                scope.spawn(move |_| {
                    let part = if abandon.is_triggered() {
                        Ok(None)
                    } else {
                        job.part(number, &abandon)
                    };
                    // The receiver is gone when an earlier part has failed.
                    let _ = sender.send((number, part));
                });
            };
            let ended = drive(&mut merger, &spawn, window, &receiver, &abandon, control);
            // Parts in progress are no longer wanted.
            abandon.trigger();
            ended
        })?;
        merger.sync()?;
        merger.report(control, true);
        Ok(JobEnd {
            sum: merger.sum,
            complete,
        })
    }

    /// Runs the job as the executor assigns: takes parts from it, or computes parts for it.
    fn run_remotely<J: Job>(
        &self,
        job: &J,
        remote: &dyn RemoteExecutor,
        control: &mut Control<'_>,
    ) -> Result<JobEnd<J::Sum>, JobError<J::Error>> {
        let work = Erased(job);
        let mut parts = match remote.begin(&work)? {
            JobRole::Take(parts) => parts,
            JobRole::End => return Err(RemoteError::Ended.into()),
            JobRole::Serve(orders) => {
                self.in_scope(|scope| serve(&work, &orders, scope));
                return Err(RemoteError::Ended.into());
            }
        };
        let mut merger = self.open(job)?;
        merger.take(&mut BTreeMap::new())?;
        merger.resumed = job.progress(&merger.sum, merger.parts).done;
        merger.report(control, false);
        let complete = take_all(&mut merger, &mut *parts, control)?;
        if complete {
            remote.done();
        }
        merger.sync()?;
        merger.report(control, true);
        Ok(JobEnd {
            sum: merger.sum,
            complete,
        })
    }

    fn in_scope<'s, R>(&self, work: impl FnOnce(&rayon::Scope<'s>) -> R) -> R {
        match self.pool {
            Some(pool) => pool.in_place_scope(work),
            None => rayon::in_place_scope(work),
        }
    }

    /// Opens the journal and reads its contents.
    fn open<'j, J: Job>(&self, job: &'j J) -> Result<PartMerger<'j, J>, JobError<J::Error>> {
        let mut merger = PartMerger {
            job,
            journal: None,
            kept: BTreeMap::new(),
            sum: job.start(),
            parts: 0,
            next: self.share.first(),
            share: self.share,
            resumed: 0,
            unsynced: 0,
            is_of_journal: false,
        };
        if let Some(path) = self.journal {
            let (journal, records) = open_journal(path, &job.header().share(self.share))?;
            merger.journal = Some(journal);
            for Record { number, bytes } in records {
                merger.kept.insert(number, bytes);
            }
        }
        Ok(merger)
    }
}

/// Opens a journal. If its header differs, the error names the setting.
fn open_journal<E: std::error::Error>(
    path: &Path,
    header: &Header,
) -> Result<(Journal, Vec<Record>), JobError<E>> {
    Journal::open(path, &header.text()).map_err(|error| {
        let JournalError::Other { path, found, .. } = &error else {
            return error.into();
        };
        let difference = Header::parse(found).and_then(|found| header.difference(&found));
        match difference {
            Some(difference) => JobError::Changed {
                path: path.clone(),
                difference,
            },
            None => error.into(),
        }
    })
}

/// Parts on their way to the sum.
struct PartMerger<'j, J: Job> {
    job: &'j J,
    journal: Option<Journal>,
    /// Parts of the journal that are not merged yet.
    kept: BTreeMap<u64, Vec<u8>>,
    sum: J::Sum,
    /// Number of merged parts.
    parts: u64,
    /// The number of the next one.
    next: u64,
    share: Share,
    resumed: u64,
    unsynced: usize,
    /// True if the part merged last came from the journal.
    is_of_journal: bool,
}

impl<J: Job> PartMerger<'_, J> {
    /// Returns true if the job has no part `number` because it has fewer parts.
    fn beyond(&self, number: u64) -> bool {
        self.job.parts().is_some_and(|parts| number >= parts)
    }

    fn is_done(&self) -> bool {
        // A share does not know the results of the other shares.
        self.beyond(self.next) || (self.share == Share::WHOLE && self.job.is_done(&self.sum))
    }

    /// Merges all parts whose turn it is: from the journal, or `waiting`; those are kept.
    fn take(&mut self, waiting: &mut BTreeMap<u64, Vec<u8>>) -> Result<bool, JobError<J::Error>> {
        let before = self.next;
        while !self.is_done() {
            let number = self.next;
            let kept = self.kept.remove(&number);
            let new = kept.is_none();
            self.is_of_journal = !new;
            let Some(bytes) = kept.or_else(|| waiting.remove(&number)) else {
                break;
            };
            let merged = self.job.merge(&mut self.sum, number, &bytes);
            merged.map_err(|_| JobError::Part {
                path: self.path(),
                number,
            })?;
            if let (true, Some(journal)) = (new, &mut self.journal) {
                journal.append(number, &bytes)?;
                self.unsynced += bytes.len();
                if self.unsynced > UNSYNCED_MAX {
                    self.sync()?;
                }
            }
            self.parts += 1;
            self.next += self.share.of;
        }
        Ok(self.next != before)
    }

    fn path(&self) -> PathBuf {
        let journal = self.journal.as_ref();
        journal.map_or_else(PathBuf::new, |journal| journal.path().to_owned())
    }

    fn sync(&mut self) -> Result<(), JournalError> {
        match &self.journal {
            Some(journal) if std::mem::take(&mut self.unsynced) > 0 => journal.sync(),
            _ => Ok(()),
        }
    }

    fn report(&self, control: &mut Control<'_>, last: bool) {
        self.report_with(control, None, last);
    }

    /// Reports progress with other figures if there are any.
    fn report_with(&self, control: &mut Control<'_>, figures: Option<String>, last: bool) {
        let mut progress = self.job.progress(&self.sum, self.parts);
        if let Some(figures) = figures {
            progress.figures = figures;
        }
        let event = ProgressEvent {
            task: control.task.clone(),
            resumed: self.resumed,
            saved: self.journal.is_some().then_some(progress.done),
            progress,
            last,
        };
        control.report(&event);
    }
}

/// Merges parts that come from elsewhere, until the job is done (true) or stopped, or the parts end.
fn take_all<J: Job>(
    merger: &mut PartMerger<'_, J>,
    parts: &mut dyn PartSource,
    control: &mut Control<'_>,
) -> Result<bool, JobError<J::Error>> {
    let mut waiting = BTreeMap::new();
    loop {
        match merger.take(&mut waiting) {
            Ok(true) => merger.report(control, false),
            Ok(false) => {}
            Err(JobError::Part { number, path }) if !merger.is_of_journal => {
                let refused = parts.reject(number)?;
                if refused.start < number {
                    // The parts before it came from the same hand and are in the sum already.
                    return Err(JobError::Part { path, number });
                }
                waiting.retain(|number, _| !refused.contains(number));
            }
            Err(error) => return Err(error),
        }
        if merger.is_done() {
            return Ok(true);
        }
        if control.stop.is_triggered() {
            return Ok(false);
        }
        let come = parts.from(merger.next)?;
        if come.is_empty() {
            merger.sync()?;
            if !parts.is_waiting() {
                return Ok(false);
            }
            let figures = parts.figures();
            if figures.is_some() {
                merger.report_with(control, figures, false);
            }
        }
        waiting.extend(come);
    }
}

/// Lets the threads compute and merges their parts, until the job is done (true) or stopped.
fn drive<J: Job>(
    merger: &mut PartMerger<'_, J>,
    spawn: &dyn Fn(u64),
    window: u64,
    receiver: &Receiver<Computed<J::Error>>,
    abandon: &Stop,
    control: &mut Control<'_>,
) -> Result<bool, JobError<J::Error>> {
    let mut ahead = merger.next;
    let mut flying = 0;
    let mut waiting = BTreeMap::new();
    // A failure counts when its turn comes, so that any number of threads reports the same one.
    let mut failed: Option<(u64, J::Error)> = None;
    loop {
        if merger.take(&mut waiting)? {
            merger.report(control, false);
        }
        if merger.is_done() {
            return Ok(true);
        }
        if let Some((number, error)) = failed.take() {
            if number == merger.next {
                merger.sync()?;
                return Err(JobError::Work(error));
            }
            failed = Some((number, error));
        }
        if control.stop.is_triggered() {
            abandon.trigger();
            if flying == 0 {
                return Ok(false);
            }
        } else {
            while (ahead - merger.next) / merger.share.of < window && !merger.beyond(ahead) {
                if !merger.kept.contains_key(&ahead) {
                    spawn(ahead);
                    flying += 1;
                }
                ahead += merger.share.of;
            }
        }
        let Some((number, part)) = receive(receiver) else {
            // Nothing to do for a moment: time for the disk.
            merger.sync()?;
            continue;
        };
        flying -= 1;
        match part {
            Ok(Some(bytes)) => drop(waiting.insert(number, bytes)),
            Ok(None) => {}
            Err(error) if failed.as_ref().is_none_or(|(first, _)| number < *first) => {
                failed = Some((number, error));
            }
            Err(_) => {}
        }
    }
}

/// Returns the next part, or nothing for a moment.
fn receive<T>(receiver: &Receiver<T>) -> Option<T> {
    if rayon::current_thread_index().is_none() {
        return receiver.recv_timeout(POLL_INTERVAL).ok();
    }
    // On a thread of the pool: it must work itself, it may be the only one.
    match receiver.try_recv() {
        Ok(come) => Some(come),
        Err(TryRecvError::Empty | TryRecvError::Disconnected) => {
            if rayon::yield_now() != Some(rayon::Yield::Executed) {
                std::thread::yield_now();
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BadPart, Progress, check_merged, merge};
    use super::*;
    use gammond_base::journal;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// Mixes numbers; a part takes longer the higher its last bits.
    struct Mix {
        seed: u64,
        parts: Option<u64>,
        /// Ends when the sum has so many parts whose first byte is below 16.
        rare: u64,
        computed: AtomicU64,
        fails: Option<u64>,
    }

    #[derive(Debug, thiserror::Error)]
    #[error("part {0} fails")]
    struct Fails(u64);

    fn mix(seed: u64, parts: Option<u64>) -> Mix {
        Mix {
            seed,
            parts,
            rare: u64::MAX,
            computed: AtomicU64::new(0),
            fails: None,
        }
    }

    impl Job for Mix {
        type Sum = (u64, Vec<u8>);
        type Error = Fails;

        fn header(&self) -> Header {
            Header::new("mix", 1).field("seed", self.seed)
        }
        fn start(&self) -> Self::Sum {
            Default::default()
        }
        fn parts(&self) -> Option<u64> {
            self.parts
        }
        fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, Fails> {
            self.computed.fetch_add(1, Ordering::Relaxed);
            if self.fails.is_some_and(|from| number >= from) {
                return Err(Fails(number));
            }
            let mut x = self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            for _ in 0..(number % 7) * 2000 {
                x = x.rotate_left(7).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ number;
                if stop.is_triggered() {
                    return Ok(None);
                }
            }
            Ok(Some(x.to_le_bytes()[..1 + number as usize % 8].to_vec()))
        }
        fn merge(&self, sum: &mut Self::Sum, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
            if bytes.len() != 1 + number as usize % 8 {
                return Err(BadPart);
            }
            sum.0 += u64::from(bytes[0] < 16);
            sum.1.extend(bytes);
            Ok(())
        }
        fn is_done(&self, sum: &Self::Sum) -> bool {
            sum.0 >= self.rare
        }
        fn progress(&self, _: &Self::Sum, parts: u64) -> Progress {
            Progress::new("parts", parts, self.parts)
        }
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    #[test]
    fn any_number_of_threads_makes_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for threads in [1, 2, 3, 8] {
            for inside in [false, true] {
                let path = folder.path().join(format!("{threads}-{inside}"));
                let (pool, mut job) = (pool(threads), mix(5, None));
                job.rare = 10;
                let run = || {
                    let runner = Runner::new().journal(Some(&path)).pool(&pool);
                    runner.run(&job, &mut Control::quiet()).unwrap()
                };
                let outcome = if inside { pool.install(run) } else { run() };
                assert!(outcome.complete && outcome.sum.0 == 10);
                files.push((std::fs::read(path).unwrap(), outcome.sum));
            }
        }
        assert!(files.windows(2).all(|two| two[0] == two[1]));
    }

    /// Stopped after every number of parts and continued, and cut at many places.
    #[test]
    fn stopped_and_continued_ends_as_uninterrupted() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        let job = mix(9, Some(40));
        let whole = (Runner::new().journal(Some(&other))).run(&job, &mut Control::quiet());
        let whole = whole.unwrap();
        let bytes = std::fs::read(&other).unwrap();
        for after in 0..40 {
            let _ = std::fs::remove_file(&path);
            let stop = Stop::new();
            let mut heard = Vec::new();
            let mut control = Control::new(stop.clone(), |event| {
                if event.progress.done >= after {
                    stop.trigger();
                }
                heard.push(event.clone());
            });
            let runner = Runner::new().journal(Some(&path));
            let first = runner.run(&job, &mut control).unwrap();
            drop(control);
            let last = heard.last().unwrap();
            assert!(last.last && last.saved == Some(last.progress.done));
            assert!(first.complete || first.sum.1.len() < whole.sum.1.len());
            let before = job.computed.load(Ordering::Relaxed);
            let mut heard = Vec::new();
            let mut control = Control::new(Stop::never(), |event| heard.push(event.clone()));
            let second = runner.run(&job, &mut control).unwrap();
            drop(control);
            assert_eq!(second, whole);
            assert_eq!(heard[0].resumed, last.progress.done);
            let computed = job.computed.load(Ordering::Relaxed) - before;
            assert_eq!(computed, 40 - last.progress.done);
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "stopped at {after}");
        }
        for length in (30..bytes.len()).step_by(13) {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let runner = Runner::new().journal(Some(&path));
            let resumed = runner.run(&job, &mut Control::quiet()).unwrap();
            assert_eq!(resumed, whole);
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {length}");
        }
        // Longer than before.
        let longer = mix(9, Some(50));
        let grown = (Runner::new().journal(Some(&path))).run(&longer, &mut Control::quiet());
        let straight = Runner::new().run(&longer, &mut Control::quiet());
        assert_eq!(grown.unwrap(), straight.unwrap());
        assert_eq!(longer.computed.load(Ordering::Relaxed), 60);
    }

    #[test]
    fn a_changed_header_is_refused_by_the_name_of_its_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let run = |seed| {
            let runner = Runner::new().journal(Some(&path));
            runner.run(&mix(seed, Some(3)), &mut Control::quiet())
        };
        run(1).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = run(2).unwrap_err().to_string();
        assert!(error.contains("seed was '1', now it is '2'"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        // A part that the job does not make, with all checksums right.
        let header = mix(1, None).header().text();
        let (mut journal, _) = Journal::open(&path, &header).unwrap();
        journal.append(3, b"x").unwrap();
        drop(journal);
        let runner = Runner::new().journal(Some(&path));
        let error = runner.run(&mix(1, Some(9)), &mut Control::quiet());
        assert!(matches!(error, Err(JobError::Part { number: 3, .. })));
        let said = error.unwrap_err().to_string();
        assert!(said.starts_with(&path.display().to_string()), "{said}");
        let path = PathBuf::new();
        let bare: JobError<std::convert::Infallible> = JobError::Part { path, number: 3 };
        assert_eq!(bare.to_string(), "part 3 is not one of this job's");
    }

    #[test]
    fn first_failure_is_reported_and_earlier_parts_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        for threads in [1, 3] {
            let path = folder.path().join(threads.to_string());
            let (pool, mut job) = (pool(threads), mix(1, Some(100)));
            job.fails = Some(17);
            let runner = Runner::new().journal(Some(&path)).pool(&pool);
            let error = runner.run(&job, &mut Control::quiet()).unwrap_err();
            assert!(matches!(error, JobError::Work(Fails(17))));
            assert_eq!(
                gammond_base::journal::read(&path).unwrap().records.len(),
                17
            );
        }
    }

    /// in any order, with parts repeated, shares make the bytes of a single run.
    #[test]
    fn shares_merge_to_a_single_run() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let job = mix(3, Some(23));
        let run = |path: &Path, share: Share| {
            let runner = Runner::new().journal(Some(path)).share(share);
            runner.run(&job, &mut Control::quiet())
        };
        run(&at("whole"), Share::WHOLE).unwrap();
        for of in [1, 2, 5, 40] {
            let mut paths = Vec::new();
            for index in (1..=of).rev() {
                let path = at(&format!("{index}-{of}"));
                run(&path, format!("{index}/{of}").parse().unwrap()).unwrap();
                paths.extend([path.clone(), path]);
            }
            let merged = at(&format!("merged-{of}"));
            assert_eq!(merge(&merged, &paths).unwrap(), 23);
            assert_eq!(
                std::fs::read(&merged).unwrap(),
                std::fs::read(at("whole")).unwrap()
            );
            assert!(merge(&merged, &paths).is_err(), "an existing file");
            check_merged(&merged, &paths).unwrap();
        }
        let said = |journal: &str, share: &str| {
            let checked = check_merged(&at(journal), &[at(share)]);
            checked.unwrap_err().to_string()
        };
        assert!(said("1-5", "merged-5").contains("share was '1/5'"));
        let stopped = journal::read(&at("whole")).unwrap();
        let (header, some) = (&stopped.header, &stopped.records[..4]);
        journal::write(&at("stopped"), header, some).unwrap();
        let missing = said("stopped", "whole");
        assert!(
            missing.contains("stopped: does not hold part 4 of"),
            "{missing}"
        );
        check_merged(&at("whole"), &[at("stopped")]).unwrap();
        let gap = merge(&at("gap"), &[at("1-5"), at("3-5")]).unwrap_err();
        assert!(gap.to_string().contains("part 1"), "{gap}");
        let other = run(&at("1-5"), "2/5".parse().unwrap()).unwrap_err();
        assert!(other.to_string().contains("share was '1/5'"), "{other}");
        let endless = Runner::new().share("1/2".parse().unwrap());
        let endless = endless.run(&mix(3, None), &mut Control::quiet());
        assert!(matches!(endless, Err(JobError::Endless)));
        for text in ["", "1", "0/2", "3/2", "1/0", "1/99999999", "-1/2", "a/b"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
