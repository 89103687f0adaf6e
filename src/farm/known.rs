//! A watch of the farm's jobs and quarantined machines, updated by the server's change messages.
//!
//! Polling every second does not scale to thousands of workers: each poll is a listing of keys. A watch costs the server a
//! heartbeat every few seconds, and a message when a job appears or disappears.

use super::FarmError;
use super::people::REASON_LETTERS_MAX;
use super::store::{Farm, State};
use super::task::{is_job_name, one_line};
use crate::nats::words;
use async_nats::jetstream::kv;
use futures_util::StreamExt as _;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Period after which everything is read again, in case a change was lost.
const RENEWED: Duration = Duration::from_secs(300);
/// Timeout for the first listing of all keys.
const TOLD: Duration = Duration::from_secs(5);
/// Time for which further changes are collected after the first one.
const TOGETHER: Duration = Duration::from_millis(20);

/// The jobs and quarantined machines of a farm, as last reported by the server.
#[derive(Default)]
pub(super) struct Known {
    watch: Option<(kv::Watch, Instant)>,
    jobs: BTreeSet<String>,
    ended: BTreeSet<String>,
    aside: BTreeMap<String, String>,
}

impl Known {
    /// Returns the jobs that are neither complete nor cancelled.
    pub(super) fn active(&self) -> BTreeSet<String> {
        self.jobs.difference(&self.ended).cloned().collect()
    }

    /// Returns the reason for which machine `name` is quarantined.
    pub(super) fn aside(&self, name: &str) -> Option<&String> {
        self.aside.get(name)
    }

    /// Makes the next [`Known::follow`] read everything again.
    pub(super) fn renew(&mut self) {
        self.watch = None;
    }

    /// Applies changes for at most `wait`; returns soon after the first one.
    pub(super) async fn follow(&mut self, farm: &Farm, wait: Duration) -> Result<(), FarmError> {
        let mut until = Instant::now() + wait;
        let there = self.watch.take();
        let there = there.filter(|(_, since)| since.elapsed() < RENEWED);
        let (mut watch, since) = match there {
            Some(there) => there,
            None => {
                // What was known counts until all is told anew.
                let (told, watch) = Known::told(farm).await?;
                *self = told;
                until = Instant::now();
                (watch, until)
            }
        };
        loop {
            match timeout_at(until, watch.next()).await {
                Err(_) => break,
                Ok(Some(Ok(entry))) => {
                    self.take(&entry);
                    until = until.min(Instant::now() + TOGETHER);
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
    async fn told(farm: &Farm) -> Result<(Known, kv::Watch), FarmError> {
        let fail = FarmError::server("watching the jobs");
        let mut known = Known::default();
        let status = farm.jobs.status().await;
        let mut current = status.map_err(|error| fail(words(&error)))?.values() == 0;
        let watch = farm.jobs.watch_with_history(">").await;
        let mut watch = watch.map_err(|error| fail(words(&error)))?;
        let until = Instant::now() + TOLD;
        while !current {
            match timeout_at(until, watch.next()).await {
                Ok(Some(Ok(entry))) => {
                    known.take(&entry);
                    current = entry.seen_current;
                }
                Ok(Some(Err(error))) => return Err(fail(error.to_string())),
                Ok(None) | Err(_) => return Err(fail("the server does not tell".to_owned())),
            }
        }
        Ok((known, watch))
    }

    fn take(&mut self, entry: &kv::Entry) {
        let there = entry.operation == kv::Operation::Put;
        if let Some(name) = entry.key.strip_prefix("aside.") {
            if there {
                let why = one_line(&String::from_utf8_lossy(&entry.value), REASON_LETTERS_MAX);
                self.aside.insert(name.to_owned(), why);
            } else {
                self.aside.remove(name);
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
