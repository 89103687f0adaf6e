//! A watch of the farm's jobs and quarantined machines, updated by the server's change messages.
//!
//! Polling every second does not scale to thousands of workers: each poll is a listing of keys. A watch costs the server a
//! heartbeat every few seconds, and a message when a job appears or disappears.

use super::FarmError;
use super::machines::REASON_LETTERS_MAX;
use super::store::{Farm, State};
use super::task::{is_job_name, one_line};
use crate::nats::words;
use async_nats::jetstream::kv;
use futures_util::StreamExt as _;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Period after which everything is read again, in case a change was lost.
const RELIST_INTERVAL: Duration = Duration::from_secs(300);
/// Timeout for the first listing of all keys.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for which further changes are collected after the first one.
const CHANGE_COLLECTION_TIME: Duration = Duration::from_millis(20);

/// The jobs and quarantined machines of a farm, as last reported by the server.
#[derive(Default)]
pub(super) struct JobWatch {
    watch: Option<(kv::Watch, Instant)>,
    jobs: BTreeSet<String>,
    ended: BTreeSet<String>,
    quarantined: BTreeMap<String, String>,
}

impl JobWatch {
    /// Returns the jobs that are neither complete nor cancelled.
    pub(super) fn active(&self) -> BTreeSet<String> {
        self.jobs.difference(&self.ended).cloned().collect()
    }

    /// Returns the reason for which machine `name` is quarantined.
    pub(super) fn quarantined(&self, name: &str) -> Option<&String> {
        self.quarantined.get(name)
    }

    /// Makes the next [`JobWatch::apply_changes`] read everything again.
    pub(super) fn renew(&mut self) {
        self.watch = None;
    }

    /// Applies changes for at most `wait`; returns soon after the first one.
    pub(super) async fn apply_changes(
        &mut self,
        farm: &Farm,
        wait: Duration,
    ) -> Result<(), FarmError> {
        let mut until = Instant::now() + wait;
        let there = self.watch.take();
        let there = there.filter(|(_, since)| since.elapsed() < RELIST_INTERVAL);
        let (mut watch, since) = match there {
            Some(there) => there,
            None => {
                // The old list stays valid until the new one is complete, so that an error changes nothing.
                let (listed, watch) = JobWatch::list_all(farm).await?;
                *self = listed;
                until = Instant::now();
                (watch, until)
            }
        };
        loop {
            match timeout_at(until, watch.next()).await {
                Err(_) => break,
                Ok(Some(Ok(entry))) => {
                    self.take(&entry);
                    until = until.min(Instant::now() + CHANGE_COLLECTION_TIME);
                }
                Ok(Some(Err(error))) => {
                    return Err(FarmError::server("watching the jobs")(error.to_string()));
                }
                Ok(None) => {
                    let gone = "the watch ended".to_owned();
                    return Err(FarmError::server("watching the jobs")(gone));
                }
            }
        }
        self.watch = Some((watch, since));
        Ok(())
    }

    /// Reads all keys; returns them with a watch of the changes that follow.
    async fn list_all(farm: &Farm) -> Result<(JobWatch, kv::Watch), FarmError> {
        let fail = FarmError::server("watching the jobs");
        let mut known = JobWatch::default();
        let status = farm.jobs.status().await;
        let mut current = status.map_err(|error| fail(words(&error)))?.values() == 0;
        let watch = farm.jobs.watch_with_history(">").await;
        let mut watch = watch.map_err(|error| fail(words(&error)))?;
        let until = Instant::now() + LIST_TIMEOUT;
        while !current {
            match timeout_at(until, watch.next()).await {
                Ok(Some(Ok(entry))) => {
                    known.take(&entry);
                    current = entry.seen_current;
                }
                Ok(Some(Err(error))) => return Err(fail(error.to_string())),
                Ok(None) | Err(_) => {
                    return Err(fail("the server does not list the keys in time".to_owned()));
                }
            }
        }
        Ok((known, watch))
    }

    fn take(&mut self, entry: &kv::Entry) {
        let there = entry.operation == kv::Operation::Put;
        if let Some(name) = entry.key.strip_prefix("aside.") {
            if there {
                let why = one_line(&String::from_utf8_lossy(&entry.value), REASON_LETTERS_MAX);
                self.quarantined.insert(name.to_owned(), why);
            } else {
                self.quarantined.remove(name);
            }
        } else if let Some(job) = entry
            .key
            .strip_suffix(".task")
            .filter(|job| is_job_name(job))
        {
            if there {
                self.jobs.insert(job.to_owned());
            } else {
                self.jobs.remove(job);
            }
        } else if let Some(job) = entry.key.strip_suffix(".state") {
            if there && State::parse(&entry.value) != State::Active {
                self.ended.insert(job.to_owned());
            } else {
                self.ended.remove(job);
            }
        }
    }
}
