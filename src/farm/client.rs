//! The farm for code without async: each function waits for the server.

use crate::ask::{Division, Submitter, retry};
use crate::error::FarmError;
use crate::host::Programs;
use crate::machines::MachineReport;
use crate::nats::Access;
use crate::status::{Overview, overview};
use crate::store::{Farm, State};
use crate::task::{Commands, Task};
use crate::worker::work;
use crate::worker_settings::WorkerSettings;
use gammond_base::escape::Untrusted;
use gammond_base::stop::Stop;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::time::sleep;

/// Interval of the checks for a stop while the server is not there.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// Time until an opened server with wrong settings is tried again: its owner may mend it.
const NEXT_TRY: Duration = Duration::from_secs(5);
/// Time for requests that still wait for a server when a worker ends.
const LAST_REQUESTS_TIMEOUT: Duration = Duration::from_secs(1);

/// The farm of a server, with the threads that wait for it.
#[derive(Debug)]
pub struct FarmClient {
    runtime: Runtime,
    farm: Farm,
}

fn runtime() -> Result<Runtime, FarmError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let built = builder
        .worker_threads(2)
        .thread_name("io")
        .enable_all()
        .build();
    built.map_err(|error| FarmError::Other(format!("threads: {error}")))
}

impl FarmClient {
    /// Opens the farm of this name; `copies` is the number of copies of everything that is stored.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn open(
        access: &Access,
        name: &str,
        copies: Option<usize>,
    ) -> Result<FarmClient, FarmError> {
        let runtime = runtime()?;
        let farm = runtime.block_on(async {
            let client = access.connect().await?;
            Farm::open(client, name, copies).await
        })?;
        Ok(FarmClient { runtime, farm })
    }

    /// Opens the farm as soon as its server is there, and reports why it waits; `None` if `stop` was triggered before.
    ///
    /// # Errors
    /// Only errors that a retry cannot fix.
    pub fn open_with_retry(
        access: &Access,
        name: &str,
        copies: Option<usize>,
        stop: &Stop,
        report: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Option<FarmClient>, FarmError> {
        let runtime = runtime()?;
        let stopped = async {
            while !stop.is_triggered() {
                sleep(STOP_CHECK).await;
            }
        };
        let opened = async {
            loop {
                let client = access.connect_with_retry(report).await?;
                match Farm::open(client, name, copies).await {
                    Err(
                        error @ (FarmError::Server { .. }
                        | FarmError::Other(_)
                        | FarmError::Foreign { .. }),
                    ) => {
                        report(&format!("{error}; next try in {} s", NEXT_TRY.as_secs()));
                        sleep(NEXT_TRY).await;
                    }
                    opened => return opened,
                }
            }
        };
        let farm = runtime.block_on(async {
            tokio::select! {
                opened = opened => opened.map(Some),
                () = stopped => Ok(None),
            }
        })?;
        Ok(farm.map(|farm| FarmClient { runtime, farm }))
    }

    /// Returns the name of the farm.
    #[must_use]
    pub fn name(&self) -> &str {
        self.farm.name()
    }

    /// Cancels a job; its parts and answers are removed.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn cancel(&self, job: &str) -> Result<(), FarmError> {
        self.runtime.block_on(self.farm.cancel(job))
    }

    /// Returns a job.
    ///
    /// # Errors
    /// [`FarmError`], also for an unknown job.
    pub fn task<C: Commands>(&self, job: &str) -> Result<Task<C>, FarmError> {
        self.runtime.block_on(self.farm.task(job))
    }

    /// Returns the state of a job.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn state(&self, job: &str) -> Result<State, FarmError> {
        self.runtime.block_on(self.farm.state(job))
    }

    /// Posts the abandoned batches of a job again; returns their number.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn retry(&self, job: &str) -> Result<u64, FarmError> {
        self.runtime.block_on(retry(&self.farm, job))
    }

    /// Returns the progress of a job, or of all jobs.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn overview<C: Commands>(&self, job: Option<&str>) -> Result<Overview, FarmError> {
        self.runtime.block_on(overview::<C>(&self.farm, job))
    }

    /// Returns the workers.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn machines(&self) -> Result<Vec<MachineReport>, FarmError> {
        self.runtime.block_on(self.farm.machines())
    }

    /// Returns the machines in quarantine, with the reasons.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn quarantined(&self) -> Result<BTreeMap<Untrusted, Untrusted>, FarmError> {
        self.runtime.block_on(self.farm.quarantined())
    }

    /// Takes a machine out of quarantine.
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn readmit(&self, name: &str) -> Result<(), FarmError> {
        self.runtime.block_on(self.farm.readmit(name))
    }

    /// Submits a job and its files; see [`Submitter::submit`].
    ///
    /// # Errors
    /// [`FarmError`].
    pub fn submit<C: Commands>(
        &self,
        task: (Task<C>, Division),
        waits: bool,
    ) -> Result<Submitter<C>, FarmError> {
        Submitter::submit(&self.farm, self.runtime.handle(), task, waits)
    }

    /// Returns a submitter that fetches the answers of a job on the farm.
    #[must_use]
    pub fn fetch<C: Commands>(&self, task: Task<C>) -> Submitter<C> {
        Submitter::fetch(&self.farm, self.runtime.handle(), task)
    }

    /// Computes batches for others until `stop` is triggered.
    ///
    /// # Errors
    /// Only errors that a retry cannot fix.
    pub fn work<C: Commands>(
        self,
        programs: Arc<dyn Programs<C>>,
        settings: WorkerSettings,
        stop: Stop,
    ) -> Result<(), FarmError> {
        self.runtime
            .block_on(work(self.farm, programs, settings, stop))?;
        // Requests that still wait for a server that is gone do not hold the end up.
        self.runtime.shutdown_timeout(LAST_REQUESTS_TIMEOUT);
        Ok(())
    }
}
