//! Keys and rows of the archive of analysed matches: what its users see of it, with or without SQLite.

use gammond_base::escape::Untrusted;
use gammond_engine::engine::Engine;
use gammond_engine::query::Settings;
use gammond_game::notation::{MatchFormat, MatchReading};
use gammond_protocol::analysis::level_name;

/// Key of a match in the archive: its file, and the level, nets and match equity table of its analysis. Equal analyses
/// have the same checksum.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "archive"),
    expect(dead_code, reason = "only the archive reads them")
)]
pub(crate) struct ArchiveKey {
    pub(crate) checksum: String,
    pub(crate) level: String,
    pub(crate) nets: String,
    pub(crate) met: String,
}

impl ArchiveKey {
    /// Computes the key of an analysis of a file's contents.
    pub(crate) fn of(engine: &Engine, settings: &Settings, bytes: &[u8]) -> ArchiveKey {
        let level = level_name(settings);
        let (nets, met) = (engine.net_name().to_owned(), engine.met().name().to_owned());
        let mut summed = format!("{level} {nets} {met}").into_bytes();
        summed.push(0);
        summed.extend_from_slice(bytes);
        ArchiveKey {
            checksum: gammond_job::sha256(&summed),
            level,
            nets,
            met,
        }
    }

    /// Computes the key of an analysed match of a file with `count` matches: that of the file, unless there are several or
    /// the file is a log. A log that grows is another file tomorrow, but the matches in it are the same.
    pub(crate) fn of_match(
        (engine, settings): (&Engine, &Settings),
        (bytes, count): (&[u8], usize),
        reading: &MatchReading,
    ) -> ArchiveKey {
        match count == 1 && !MatchFormat::of(bytes).is_log() {
            true => ArchiveKey::of(engine, settings, bytes),
            false => ArchiveKey::of(engine, settings, reading.file.to_string().as_bytes()),
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
    pub(crate) sums: Sums,
}

/// Sums over a player's matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) matches: i64,
    pub(crate) won: i64,
    pub(crate) decisions: i64,
    pub(crate) counted: i64,
    pub(crate) loss: f64,
    pub(crate) luck: f64,
}
