//! Who computes: machines that are there, and those whose answers are not believed.

use super::FarmError;
use super::store::Farm;
use crate::escape::Untrusted;
use crate::nats::is_name;
use crate::nats::words;
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a machine says of itself, every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineReport {
    /// Its name.
    pub name: Untrusted,
    /// Which of its programs.
    pub instance: Untrusted,
    /// The version of the program.
    pub version: Untrusted,
    /// Threads that compute.
    pub threads: usize,
    /// Messages that are being computed.
    pub computing: u64,
    /// Of them so many of each job.
    pub jobs: BTreeMap<String, u64>,
    /// Messages that were answered since it began.
    pub answered: u64,
    /// When it said so, in seconds since 1970.
    pub seen_s: u64,
    /// Jobs that it refuses, and why.
    pub refuses: BTreeMap<Untrusted, Untrusted>,
}

/// Seconds since 1970.
#[must_use]
pub(super) fn now_s() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

impl Farm {
    /// Says what a machine does.
    pub(super) async fn tell(&self, machine: &MachineReport) -> Result<(), FarmError> {
        let fail = FarmError::server("telling what this machine does");
        let bytes = serde_json::to_vec(machine).map_err(|error| fail(error.to_string()))?;
        let key = format!("here.{}.{}", machine.name.raw(), machine.instance.raw());
        let put = self.workers.put(key, bytes.into()).await;
        put.map_err(|error| fail(words(&error)))?;
        Ok(())
    }

    /// Says that a machine goes.
    pub(super) async fn leave(&self, machine: &MachineReport) {
        let key = format!("here.{}.{}", machine.name.raw(), machine.instance.raw());
        let _ = self.workers.purge(key).await;
    }

    /// The machines that said something in the last hour.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn machines(&self) -> Result<Vec<MachineReport>, FarmError> {
        let mut found = Vec::new();
        for (key, bytes) in self.of_workers("here.").await? {
            match serde_json::from_slice(&bytes) {
                Ok(machine) => found.push(machine),
                Err(error) => tracing::warn!("{key}: {error}"),
            }
        }
        Ok(found)
    }

    /// Machines whose answers are not believed, and why.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn aside(&self) -> Result<BTreeMap<Untrusted, Untrusted>, FarmError> {
        let fail = FarmError::server("reading who is set aside");
        let mut found = BTreeMap::new();
        let mut keys = self
            .jobs
            .keys()
            .await
            .map_err(|error| fail(words(&error)))?;
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| fail(words(&error)))?;
            let Some(name) = key.strip_prefix("aside.") else {
                continue;
            };
            let why = self
                .jobs
                .get(&key)
                .await
                .map_err(|error| fail(words(&error)))?;
            let why = why.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            found.insert(name.into(), why.unwrap_or_default().into());
        }
        Ok(found)
    }

    /// Believes a machine no longer.
    pub(super) async fn set_aside(&self, name: &str, why: &str) -> Result<(), FarmError> {
        let put = self
            .jobs
            .put(format!("aside.{name}"), why.to_owned().into());
        put.await
            .map_err(|error| FarmError::server("setting a machine aside")(words(&error)))?;
        Ok(())
    }

    /// Believes a machine again.
    ///
    /// # Errors
    /// [`FarmError`], also when nobody of that name was set aside.
    pub async fn believe(&self, name: &str) -> Result<(), FarmError> {
        if !is_name(name) || !self.aside().await?.contains_key(name) {
            let text = format!("no machine '{name}' is set aside");
            return Err(FarmError::Other(text));
        }
        let purged = self.jobs.purge(format!("aside.{name}")).await;
        purged.map_err(|error| FarmError::server("believing a machine")(words(&error)))?;
        Ok(())
    }

    async fn of_workers(&self, begin: &str) -> Result<Vec<(String, Vec<u8>)>, FarmError> {
        let fail = FarmError::server("reading who is there");
        let mut found = Vec::new();
        let mut keys = self
            .workers
            .keys()
            .await
            .map_err(|error| fail(words(&error)))?;
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| fail(words(&error)))?;
            if !key.starts_with(begin) {
                continue;
            }
            let bytes = self
                .workers
                .get(&key)
                .await
                .map_err(|error| fail(words(&error)))?;
            found.extend(bytes.map(|bytes| (key, bytes.to_vec())));
        }
        Ok(found)
    }
}
