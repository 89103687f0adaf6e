//! Commands that run on this machine so that their parts can be computed: one thread for each stage of a job.

use super::ask::{Division, Source, failed, post, same_header};
use super::store::Farm;
use super::task::{Commands, Stage, Task};
use gammond_base::stop::Stop;
use gammond_job::{Computed, JobRole, Order, RemoteError, RemoteExecutor, Work};
use std::fmt::Debug;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// An executor of commands.
pub trait Programs<C: Commands>: Debug + Send + Sync {
    /// Runs the command of `task` in this thread, with its files at `paths` and its output in `scratch`; its jobs are executed
    /// through `remote`.
    ///
    /// # Errors
    /// The reason why it cannot run, in one line.
    fn run(
        &self,
        task: &Task<C>,
        paths: &[PathBuf],
        scratch: &Path,
        remote: Arc<dyn RemoteExecutor>,
    ) -> Result<(), String>;
}

/// A running command whose job waits for orders. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Host {
    orders: Mutex<Sender<Order>>,
    stop: Stop,
    /// Stage that it computes.
    pub(super) stage: Stage,
}

impl Drop for Host {
    fn drop(&mut self) {
        self.stop.trigger();
    }
}

/// Everything that a host needs.
pub(super) struct HostContext<C: Commands> {
    pub(super) farm: Farm,
    pub(super) programs: Arc<dyn Programs<C>>,
    pub(super) task: Task<C>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) scratch: PathBuf,
}

impl Host {
    /// Starts the command, up to its job number `target`. If that stage has not begun yet, its parts are posted.
    ///
    /// # Errors
    /// The reason why this machine cannot run it.
    pub(super) async fn start<C: Commands>(
        context: HostContext<C>,
        target: u32,
    ) -> Result<Host, String> {
        let (ready, started) = oneshot::channel();
        let stop = Stop::new();
        let executor = Arc::new(StageExecutor {
            farm: context.farm.clone(),
            handle: Handle::current(),
            task: context.task.clone(),
            target,
            next: AtomicU32::new(0),
            ready: Mutex::new(Some(ready)),
            stop: stop.clone(),
        });
        let run = move || {
            let remote: Arc<dyn RemoteExecutor> = executor.clone();
            let HostContext {
                task,
                paths,
                scratch,
                programs,
                ..
            } = &context;
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                programs.run(task, paths, scratch, remote)
            }));
            let reason = match ended {
                Ok(Ok(())) => "the command ended without a job".to_owned(),
                Ok(Err(reason)) => reason,
                Err(_) => "the command panicked".to_owned(),
            };
            executor.report_ready(Err(reason));
        };
        let thread = std::thread::Builder::new().name("job".to_owned());
        thread.spawn(run).map_err(|error| error.to_string())?;
        let ready = started.await.map_err(|_| "the command ended".to_owned())?;
        let (orders, stage) = ready?;
        Ok(Host {
            orders: Mutex::new(orders),
            stop,
            stage,
        })
    }

    /// Orders the computation of parts.
    pub(super) fn order(&self, numbers: Range<u64>, stop: &Stop) -> oneshot::Receiver<Computed> {
        let (done, started) = oneshot::channel();
        let order = Order {
            numbers,
            stop: stop.clone(),
            clock: std::time::Instant::now,
            reply: Box::new(move |computed| {
                // The requester may be gone.
                let _ = done.send(computed);
            }),
        };
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        // When the command has ended, the answer is an error.
        let _ = orders.send(order);
        started
    }
}

type Ready = Result<(Sender<Order>, Stage), String>;

/// Executes one stage of a command for the farm.
#[derive(Debug)]
struct StageExecutor<C: Commands> {
    farm: Farm,
    handle: Handle,
    task: Task<C>,
    target: u32,
    next: AtomicU32,
    ready: Mutex<Option<oneshot::Sender<Ready>>>,
    stop: Stop,
}

impl<C: Commands> StageExecutor<C> {
    fn report_ready(&self, ready: Ready) {
        let mut place = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = place.take() {
            let _ = sender.send(ready);
        }
    }
}

impl<C: Commands> RemoteExecutor for StageExecutor<C> {
    fn begin(&self, work: &dyn Work) -> Result<JobRole, RemoteError> {
        // The farm's own errors are reported here: the command's own words may contain parts of a file.
        self.assignment(work)
            .inspect_err(|error| self.report_ready(Err(error.to_string())))
    }

    fn quiet_stop(&self) -> Option<Stop> {
        Some(self.stop.clone())
    }
}

impl<C: Commands> StageExecutor<C> {
    fn assignment(&self, work: &dyn Work) -> Result<JobRole, RemoteError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let job = self.task.name();
        let on = (&self.farm, &self.handle);
        let there = self.handle.block_on(self.farm.stage(&job, number));
        let stage = match there.map_err(failed)? {
            Some(stage) => stage,
            None if number == self.target && number > 0 => {
                post(on, (&self.task, number), work, Division::default()).map_err(failed)?
            }
            None => return Err(RemoteError::Failed("it has not begun".to_owned())),
        };
        same_header(&stage, &work.header()).map_err(failed)?;
        if number < self.target {
            let source = Source::new(on, &self.task, number, stage);
            return Ok(JobRole::Take(Box::new(source)));
        }
        let (sender, orders) = channel();
        self.report_ready(Ok((sender, stage)));
        Ok(JobRole::Serve(orders))
    }
}
