//! Service discovery over NATS: `PING`, `INFO` and `STATS` of its micro protocol.

use gammond_protocol::message::verbs;
use serde_json::{Value, json};
use std::time::Duration;

/// Queue group: servers of one name share the requests.
pub(super) const GROUP: &str = "q";
/// Verbs of discovery requests; in lower case they are part of the responses' types.
const DISCOVERY_VERBS: [&str; 3] = ["PING", "INFO", "STATS"];

/// Identity of this server among those of its name, and its statistics.
#[derive(Debug)]
pub(super) struct Identity {
    name: String,
    /// Identifier of this server alone.
    id: String,
    started: std::time::SystemTime,
    counts: Vec<Count>,
}

/// Statistics of one subject.
#[derive(Clone, Debug, Default)]
struct Count {
    requests: u64,
    errors: u64,
    last_error: String,
    taken: Duration,
}

impl Identity {
    /// Creates the identity of a server of this service; `inbox` is a unique inbox.
    pub(super) fn new(name: &str, inbox: &str) -> Identity {
        let id = inbox.rsplit_once('.').map_or(inbox, |(_, id)| id);
        Identity {
            name: name.to_owned(),
            id: id.to_owned(),
            started: std::time::SystemTime::now(),
            counts: verbs().map(|_| Count::default()).collect(),
        }
    }

    /// Returns the subjects of discovery requests.
    pub(super) fn questions(&self) -> Vec<String> {
        let Identity { name, id, .. } = self;
        let of = |word| {
            [
                format!("$SRV.{word}"),
                format!("$SRV.{word}.{name}"),
                format!("$SRV.{word}.{name}.{id}"),
            ]
        };
        DISCOVERY_VERBS.into_iter().flat_map(of).collect()
    }

    /// Counts an answered request.
    pub(super) fn note(&mut self, place: usize, taken: Duration, error: Option<&str>) {
        let Some(count) = self.counts.get_mut(place) else {
            return;
        };
        count.requests += 1;
        count.taken += taken;
        if let Some(error) = error {
            count.errors += 1;
            error.clone_into(&mut count.last_error);
        }
    }

    /// Returns the response to a discovery request on one of [`Identity::questions`].
    pub(super) fn answer(&self, subject: &str) -> Option<Value> {
        let word = subject.strip_prefix("$SRV.")?.split('.').next()?;
        let mut discovery_answer = json!({
            "type": format!("io.nats.micro.v1.{}_response", word.to_ascii_lowercase()),
            "name": self.name,
            "id": self.id,
            "version": env!("CARGO_PKG_VERSION"),
            "metadata": {},
        });
        let map = discovery_answer.as_object_mut()?;
        match word {
            "PING" => {}
            "INFO" => {
                map.insert(
                    "description".to_owned(),
                    "backgammon positions valued, plays ranked, cube decisions, rollouts".into(),
                );
                map.insert("endpoints".to_owned(), self.endpoints(false));
            }
            "STATS" => {
                map.insert("started".to_owned(), rfc3339(self.started).into());
                map.insert("endpoints".to_owned(), self.endpoints(true));
            }
            _ => return None,
        }
        Some(discovery_answer)
    }

    fn endpoints(&self, counted: bool) -> Value {
        let endpoint = |(verb, count): (&str, &Count)| {
            let mut discovery_answer = json!({
                "name": verb,
                "subject": format!("{}.{verb}", self.name),
                "queue_group": GROUP,
                "metadata": {},
            });
            if let (true, Some(map)) = (counted, discovery_answer.as_object_mut()) {
                let taken = u64::try_from(count.taken.as_nanos()).unwrap_or(u64::MAX);
                for (name, value) in [
                    ("num_requests", count.requests),
                    ("num_errors", count.errors),
                    ("processing_time", taken),
                    ("average_processing_time", taken / count.requests.max(1)),
                ] {
                    map.insert(name.to_owned(), value.into());
                }
                map.insert("last_error".to_owned(), count.last_error.clone().into());
            }
            discovery_answer
        };
        verbs().zip(&self.counts).map(endpoint).collect()
    }
}

/// Formats a time like `2026-11-22T18:30:00Z`.
fn rfc3339(time: std::time::SystemTime) -> String {
    let since = time.duration_since(std::time::UNIX_EPOCH);
    let seconds = since.map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // The civil calendar in years that begin in March, so that the leap day comes last.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * march + 2) / 5 + 1, (march + 2) % 12 + 1);
    let year = era * 400 + year + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn times_are_written_as_others_read_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }

    #[test]
    fn service_info_lists_its_endpoints() {
        let mut identity = Identity::new("gammond", "_INBOX.abc");
        let questions = identity.questions();
        assert_eq!(questions.len(), 9);
        assert!(questions.contains(&"$SRV.STATS.gammond.abc".to_owned()));
        identity.note(1, Duration::from_micros(3), None);
        identity.note(1, Duration::from_micros(5), Some("503:busy"));
        let stats = identity.answer("$SRV.STATS.gammond").unwrap();
        let moves = &stats["endpoints"][1];
        assert_eq!(moves["subject"], "gammond.move");
        assert_eq!(moves["num_requests"], 2);
        assert_eq!(moves["num_errors"], 1);
        assert_eq!(moves["average_processing_time"], 4000);
        assert_eq!(moves["last_error"], "503:busy");
        let info = identity.answer("$SRV.INFO").unwrap();
        assert_eq!(info["type"], "io.nats.micro.v1.info_response");
        assert!(info["endpoints"][1]["num_requests"].is_null());
        assert_eq!(identity.answer("$SRV.OTHER"), None);
        assert_eq!(identity.answer("gammond.move"), None);
    }
}
