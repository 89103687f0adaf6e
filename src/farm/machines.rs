//! Reports of the machines that compute, and the list of quarantined machines.

use super::FarmError;
use super::store::Farm;
use super::task::{VERSION_LETTERS_MAX, is_job_name, one_line};
use crate::nats::is_name;
use crate::nats::words;
use futures_util::StreamExt as _;
use gammond_base::escape::Untrusted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A machine's report of its state, sent every few seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MachineReport {
    /// Name of the machine.
    pub name: Untrusted,
    /// Instance of the machine's program.
    pub instance: Untrusted,
    /// Version of the program.
    pub version: Untrusted,
    /// Number of computing threads.
    pub threads: usize,
    /// Number of messages being computed.
    pub computing: u64,
    /// Number of messages being computed, by job.
    pub jobs: BTreeMap<String, u64>,
    /// Number of messages answered since the start.
    pub answered: u64,
    /// Time of the report, in seconds since 1970.
    pub seen_s: u64,
    /// Refused jobs, each with the reason.
    pub refuses: BTreeMap<Untrusted, Untrusted>,
}

/// Maximum number of machines in a listing.
const MACHINES_MAX: usize = 10_000;
/// Maximum number of jobs in a machine's report.
const JOBS_OF_MACHINE_MAX: usize = 256;
/// Maximum length, in characters, of the reason for a refused job or a quarantine.
pub(super) const REASON_LETTERS_MAX: usize = 500;
/// Maximum number of threads of a machine.
const THREADS_MAX: usize = 1 << 16;

impl MachineReport {
    /// Parses a machine's report stored under this key, or returns its fault. Machines are not trusted: the length
    /// and characters of every text are limited before it is shown.
    fn read(key: &str, bytes: &[u8]) -> Result<MachineReport, &'static str> {
        if bytes.len() > REPORT_BYTES_MAX {
            return Err("it is too long");
        }
        let mut read: MachineReport =
            serde_json::from_slice(bytes).map_err(|_| "it is no report of a machine")?;
        if !is_name(read.name.raw()) || !is_name(read.instance.raw()) {
            return Err("its name is invalid");
        }
        if key != format!("here.{}.{}", read.name.raw(), read.instance.raw()) {
            return Err("it speaks for another machine");
        }
        let version = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '+');
        let found = read.version.raw();
        if found.len() > VERSION_LETTERS_MAX || !found.chars().all(version) {
            return Err("its version is invalid");
        }
        let counts = [read.jobs.len(), read.refuses.len()];
        if read.threads > THREADS_MAX || counts.iter().any(|&count| count > JOBS_OF_MACHINE_MAX) {
            return Err("it counts too much");
        }
        let refused = read.refuses.keys().map(|job| job.raw());
        if !(read.jobs.keys().map(String::as_str))
            .chain(refused)
            .all(is_job_name)
        {
            return Err("it names an invalid job");
        }
        for why in read.refuses.values_mut() {
            *why = one_line(why.raw(), REASON_LETTERS_MAX).into();
        }
        Ok(read)
    }
}

/// Maximum size of a machine's report in bytes.
const REPORT_BYTES_MAX: usize = 256 << 10;

/// Returns the time in seconds since 1970.
#[must_use]
pub(super) fn now_s() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |since| since.as_secs())
}

impl Farm {
    /// Stores a machine's report.
    pub(super) async fn report_machine(&self, machine: &MachineReport) -> Result<(), FarmError> {
        let fail = FarmError::server("telling what this machine does");
        let bytes = serde_json::to_vec(machine).map_err(|error| fail(error.to_string()))?;
        let key = format!("here.{}.{}", machine.name.raw(), machine.instance.raw());
        let put = self.workers.put(key, bytes.into()).await;
        put.map_err(|error| fail(words(&error)))?;
        Ok(())
    }

    /// Removes the report of a machine that shuts down.
    pub(super) async fn leave(&self, machine: &MachineReport) {
        let key = format!("here.{}.{}", machine.name.raw(), machine.instance.raw());
        let _ = self.workers.purge(key).await;
    }

    /// Returns the reports of the last hour.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn machines(&self) -> Result<Vec<MachineReport>, FarmError> {
        let mut found = Vec::new();
        for (key, bytes) in self.of_workers("here.").await? {
            match MachineReport::read(&key, &bytes) {
                Ok(machine) => found.push(machine),
                Err(why) => tracing::warn!("a report of a machine is passed over: {why}"),
            }
        }
        Ok(found)
    }

    /// Returns the quarantined machines with the reasons.
    ///
    /// # Errors
    /// [`FarmError`].
    pub async fn quarantined(&self) -> Result<BTreeMap<Untrusted, Untrusted>, FarmError> {
        let fail = FarmError::server("reading the quarantined machines");
        let mut found = BTreeMap::new();
        let mut keys = self
            .jobs
            .keys()
            .await
            .map_err(|error| fail(words(&error)))?;
        while let Some(key) = keys.next().await {
            let key = key.map_err(|error| fail(words(&error)))?;
            let name = key.strip_prefix("aside.").filter(|name| is_name(name));
            let Some(name) = name.filter(|_| found.len() < MACHINES_MAX) else {
                continue;
            };
            let why = self
                .jobs
                .get(&key)
                .await
                .map_err(|error| fail(words(&error)))?;
            let why =
                why.map(|bytes| one_line(&String::from_utf8_lossy(&bytes), REASON_LETTERS_MAX));
            found.insert(name.into(), why.unwrap_or_default().into());
        }
        Ok(found)
    }

    /// Quarantines a machine: its answers do not count.
    pub(super) async fn quarantine(&self, name: &str, why: &str) -> Result<(), FarmError> {
        let put = self
            .jobs
            .put(format!("aside.{name}"), why.to_owned().into());
        put.await
            .map_err(|error| FarmError::server("setting a machine aside")(words(&error)))?;
        Ok(())
    }

    /// Ends the quarantine of a machine.
    ///
    /// # Errors
    /// [`FarmError`], also if no machine of that name is quarantined.
    pub async fn readmit(&self, name: &str) -> Result<(), FarmError> {
        if !is_name(name) || !self.quarantined().await?.contains_key(name) {
            let text = format!("no machine '{name}' is quarantined");
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
            if !key.starts_with(begin) || found.len() >= MACHINES_MAX {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn report_of_a_machine_is_read_within_limits_only() {
        let report = |more: serde_json::Value| {
            let mut report =
                json!({"name": "eve", "instance": "1-1", "version": "0.1.0", "threads": 2});
            if let (Some(report), Some(more)) = (report.as_object_mut(), more.as_object()) {
                report.extend(more.clone());
            }
            MachineReport::read("here.eve.1-1", &serde_json::to_vec(&report).unwrap())
        };
        assert!(report(json!({})).is_ok());
        let many: BTreeMap<String, u64> = (0..300).map(|n| (format!("duel-{n}"), 1)).collect();
        for more in [
            json!({"name": "\u{1b}[2Jeve"}),
            json!({"name": "anna"}),
            json!({"name": "e".repeat(41)}),
            json!({"instance": "../../x"}),
            json!({"version": "\u{1b}[31m9"}),
            json!({"version": "1".repeat(41)}),
            json!({"threads": u64::MAX}),
            json!({"jobs": many}),
            json!({"jobs": {"\u{1b}[1mx": 1}}),
            json!({"refuses": {"<script>": "why"}}),
            json!({"refuses": {"duel-1": "x".repeat(300_000)}}),
        ] {
            assert!(report(more.clone()).is_err(), "{more}");
        }
        let said = "why\n\u{1b}[0m\u{202e}gpj.exe\u{9b}31m";
        let read = report(json!({"refuses": {"duel-1": said}})).unwrap();
        let why = &read.refuses["duel-1"];
        assert_eq!(why, "why\u{fffd}\u{fffd}[0m\u{fffd}gpj.exe\u{fffd}31m");
        let long = report(json!({"refuses": {"duel-1": "x".repeat(600)}})).unwrap();
        assert_eq!(long.refuses["duel-1"].raw().len(), REASON_LETTERS_MAX + 3);
    }
}
