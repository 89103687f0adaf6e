//! The archive of analysed matches (HTTP-120). The program opens it; no request names a file.

use crate::http::wire::problem::Problem;
use axum::body::Bytes;
use gammond_protocol::ErrorCode;
use gammond_report::analysis::JudgedMatch;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Maximum number of requests that read the archive at a time.
const READERS_MAX: usize = 4;

/// An archive of analysed matches. All functions block.
pub trait MatchArchive: Debug + Send + Sync {
    /// Returns the matches that fit, the one that was filed last first, at most `filter.limit` of them.
    ///
    /// # Errors
    /// A message for the log.
    fn matches(&self, filter: &ArchiveFilter) -> Result<Vec<ArchivedMatch>, String>;

    /// Returns a match with its decisions as one JSON object; `None` if there is no such match in the scope.
    ///
    /// # Errors
    /// A message for the log.
    fn analysis(&self, id: i64, scope: &ArchiveScope) -> Result<Option<Value>, String>;

    /// Files the analysed matches of a file for an owner, each once; `file` is its contents. A match that is there
    /// already gets one more owner.
    ///
    /// # Errors
    /// A message for the log.
    fn add(&self, owner: &str, file: &[u8], judged: &[JudgedMatch]) -> Result<(), String>;
}

/// The matches that a client may see (HTTP-124).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArchiveScope {
    /// All matches.
    All,
    /// The matches of these owners, and those that commands have filed, which have none.
    Owners(Vec<String>),
}

impl ArchiveScope {
    /// Returns the matches of these owners; all for `None`.
    pub(in crate::http) fn of(owners: Option<Vec<String>>) -> ArchiveScope {
        owners.map_or(ArchiveScope::All, ArchiveScope::Owners)
    }
}

/// Conditions for the matches of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArchiveFilter {
    /// Part of a player's name, in any case.
    pub player: Option<String>,
    /// Part of a player's name, or of the name of the match's file without its folders, in any case.
    pub text: Option<String>,
    /// First day, as `YYYY-MM-DD`.
    pub from: Option<String>,
    /// Last day.
    pub to: Option<String>,
    /// Points to play to; 0 for money.
    pub length: Option<u32>,
    /// Only matches that were filed before the one with this id.
    pub before: Option<i64>,
    /// Maximum number of matches.
    pub limit: usize,
    /// Matches that the client may see.
    pub scope: ArchiveScope,
}

/// A match in a list; pairs are in the order of the players.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArchivedMatch {
    /// Its number in the archive.
    pub id: i64,
    /// Names of the players.
    pub players: [String; 2],
    /// Day of the match as `YYYY-MM-DD`, if its file has it.
    pub date: Option<String>,
    /// Points to play to; 0 for money.
    pub length: i64,
    /// Points after the last game.
    pub score: [i64; 2],
    /// GNU Backgammon's error rates, in thousandths.
    pub error_rates: [Option<f64>; 2],
    /// Performance ratings.
    pub pr: [Option<f64>; 2],
    /// Luck in points.
    pub luck: [Option<f64>; 2],
    /// Level of the analysis, such as `2-ply`.
    pub judged: String,
    /// Number of games.
    pub games: i64,
    /// Name of the file without its folder.
    pub file: String,
    /// Number of faults of the file.
    pub fault_count: i64,
    /// The variant, where it is not backgammon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

/// The archive of a server, and the places of its readers.
#[derive(Debug)]
pub(in crate::http) struct SharedArchive {
    archive: Arc<dyn MatchArchive>,
    places: Arc<Semaphore>,
}

impl SharedArchive {
    pub(in crate::http) fn new(archive: Arc<dyn MatchArchive>) -> SharedArchive {
        SharedArchive {
            archive,
            places: Arc::new(Semaphore::new(READERS_MAX)),
        }
    }

    /// Files the matches of a file on a thread that may block. Returns their number, 0 if that failed.
    pub(in crate::http) async fn add(
        &self,
        owner: &str,
        file: Bytes,
        judged: Vec<JudgedMatch>,
    ) -> usize {
        let owner = owner.to_owned();
        let archive = Arc::clone(&self.archive);
        let count = judged.len();
        let added = spawn_blocking(move || archive.add(&owner, &file, &judged));
        match added.await.unwrap_or_else(|error| Err(error.to_string())) {
            Ok(()) => count,
            Err(error) => {
                tracing::error!(%error, "the archive cannot be written");
                0
            }
        }
    }

    /// Reads on a thread that may block.
    ///
    /// # Errors
    /// `busy` with too many readers.
    pub(in crate::http) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn MatchArchive) -> Result<T, String> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| {
            Problem::new(ErrorCode::Busy, "busy: too many requests read the archive")
        })?;
        let archive = Arc::clone(&self.archive);
        let read = spawn_blocking(move || {
            let _place = place;
            read(&*archive)
        });
        let read = read.await.unwrap_or_else(|error| Err(error.to_string()));
        read.map_err(|error| {
            tracing::warn!(%error, "the archive cannot be read");
            Problem::new(
                ErrorCode::Internal,
                "the archive cannot be read; the log has the reason",
            )
        })
    }
}
