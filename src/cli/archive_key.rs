//! Keys and rows of the archive of analysed matches: what its users see of it, with or without SQLite.

use gammond_base::escape::Untrusted;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::Settings;
use gammond_game::notation::{MatchFormat, MatchReading};
use gammond_report::analysis::{PlayerSums, level_name};

/// The inputs of an analysis beside the match: the same for all matches of a command.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnalysisKey {
    level: String,
    nets: String,
    met: String,
    /// Checksums of the nets, the bearoff databases, the match equity table and the cube efficiencies.
    contents: String,
}

/// Key of a match in the archive: its file and its [`AnalysisKey`]. Equal analyses have the same checksum.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "archive"),
    expect(dead_code, reason = "only the archive reads them")
)]
pub(crate) struct ArchiveKey {
    pub(crate) checksum: String,
    /// Checksum in archives of versions that identified nets and tables by their names alone.
    pub(crate) checksum_by_names: String,
    pub(crate) level: String,
    pub(crate) nets: String,
    pub(crate) met: String,
}

impl AnalysisKey {
    /// Computes the key of all analyses with this engine and these settings.
    ///
    /// # Errors
    /// When a file of the engine can no longer be read.
    pub(crate) fn of(engine: &Engine, settings: &Settings) -> Result<AnalysisKey, EngineError> {
        Ok(AnalysisKey {
            level: level_name(settings),
            nets: engine.net_name().to_owned(),
            met: engine.met().name().to_owned(),
            contents: format!("{} {}", engine.files_identity()?, engine.cube_identity()),
        })
    }

    /// Computes the key of a file's contents.
    pub(crate) fn of_file(&self, bytes: &[u8]) -> ArchiveKey {
        let AnalysisKey {
            level, nets, met, ..
        } = self;
        let sum = |names: String| {
            let mut summed = names.into_bytes();
            summed.push(0);
            summed.extend_from_slice(bytes);
            gammond_base::checksum::sha256(&summed)
        };
        let names = format!("{level} {nets} {met}");
        ArchiveKey {
            checksum: sum(format!("{names} {}", self.contents)),
            checksum_by_names: sum(names),
            level: level.clone(),
            nets: nets.clone(),
            met: met.clone(),
        }
    }

    /// Computes the key of a match of a file with `count` matches: that of the file, unless there are several or the file
    /// is a log. A log that grows is another file tomorrow, but the matches in it are the same.
    pub(crate) fn of_match(
        &self,
        (bytes, count): (&[u8], usize),
        reading: &MatchReading,
    ) -> ArchiveKey {
        match count == 1 && !MatchFormat::of(bytes).is_log() {
            true => self.of_file(bytes),
            false => self.of_file(reading.file.to_string().as_bytes()),
        }
    }
}

/// A player's part of one match.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Played {
    pub(crate) file: Untrusted,
    pub(crate) against: Untrusted,
    pub(crate) length: i64,
    pub(crate) score: [i64; 2],
    pub(crate) result: f64,
    /// Day of the match, `YYYY-MM-DD`, if its file has one.
    pub(crate) date: Option<String>,
    /// Day on which it was filed; archives of version 3 have none.
    pub(crate) filed: Option<String>,
    pub(crate) sums: PlayerSums,
}
