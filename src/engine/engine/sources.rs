//! Sources of nets and bearoff databases.

use super::error::{EngineError, FileError};
use super::files;
use super::identity::Source;
use crate::bearoff::{Database, Tables};
use crate::eval::Evaluator;
use crate::eval::gnubg::{GnubgError, GnubgEvaluator, WeightsFile};
use crate::eval::nets::{self, NetEvaluator};
use crate::eval::puretd::PureTdEvaluator;
use crate::nn::CpuLevel;
use crate::nn::format::{native, pytorch, safetensors};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Nets of an engine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Nets {
    /// The nets built into the program; without the feature `strong-nets` as [`Nets::EmbeddedFast`].
    #[default]
    Embedded,
    /// The nets built into the program, with the fast contact net in place of the strong one.
    EmbeddedFast,
    /// A net folder of ours, GNU Backgammon's `gnubg.weights` or `gnubg.wd`, or a net of PureTD's (`.pt`).
    Path(PathBuf),
    /// The contents of such a file or of the `*.net` files of such a folder.
    Bytes(NamedBytes),
}

/// Opens nets of a kind that this crate does not have; returns `None` if the file is of another kind.
pub type NetOpener =
    fn(&Path) -> Option<Result<Arc<dyn Evaluator>, Box<dyn std::error::Error + Send + Sync>>>;

/// Files in memory: the name and the contents of each. The names stand in errors and count for [`Engine::identity`], which
/// is the same for nets of a folder and for the same nets as bytes.
///
/// ```no_run
/// use gammond_engine::{Engine, Nets};
/// let net = std::fs::read("race.net")?;
/// let nets = Nets::Bytes(vec![("race.net".to_owned(), net)].into());
/// let engine = Engine::builder().nets(nets).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Engine::identity`]: super::Engine::identity
#[derive(Clone, PartialEq, Eq)]
pub struct NamedBytes(Arc<[(String, Vec<u8>)]>);

impl From<Vec<(String, Vec<u8>)>> for NamedBytes {
    fn from(mut files: Vec<(String, Vec<u8>)>) -> NamedBytes {
        // As in a folder.
        files.sort_by(|(one, _), (other, _)| one.cmp(other));
        NamedBytes(files.into())
    }
}

impl std::fmt::Debug for NamedBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lengths = self.0.iter().map(|(name, bytes)| (name, bytes.len()));
        f.debug_map().entries(lengths).finish()
    }
}

impl NamedBytes {
    /// Reads files that stand one behind the other: for each one byte with the length of its name, the name, four bytes with
    /// the length of its contents, lowest first, and the contents. Returns `None` if the last one is cut off, or a name is not
    /// UTF-8.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<NamedBytes> {
        let (mut files, mut bytes) = (Vec::new(), bytes);
        while let Some((&length, rest)) = bytes.split_first() {
            let (name, rest) = rest.split_at_checked(length.into())?;
            let (length, rest) = rest.split_first_chunk()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (contents, rest) = rest.split_at_checked(length)?;
            files.push((String::from_utf8(name.to_vec()).ok()?, contents.to_vec()));
            bytes = rest;
        }
        Some(files.into())
    }

    fn add_to<'a>(&'a self, sources: &mut Vec<Source<'a>>) {
        let files = self.0.iter();
        sources.extend(files.map(|(name, bytes)| Source::Bytes(name, bytes)));
    }
}

impl Nets {
    /// Returns the evaluator of these nets.
    pub(super) fn load(
        &self,
        tables: Tables,
        opener: Option<NetOpener>,
    ) -> Result<Arc<dyn Evaluator>, EngineError> {
        if let (Nets::Path(path), Some(open)) = (self, opener)
            && let Some(found) = open(path)
        {
            return found.map_err(EngineError::in_file(path));
        }
        let (path, own) = match self {
            Nets::Embedded => ("embedded", NetEvaluator::embedded()),
            Nets::EmbeddedFast => ("embedded:fast", NetEvaluator::embedded_fast()),
            Nets::Path(path) => {
                return files::open_nets(path, tables).map_err(EngineError::in_file(path));
            }
            Nets::Bytes(files) => {
                let name = files.0.first().map_or("nets", |(name, _)| name);
                return parse(&files.0, tables).map_err(EngineError::in_file(Path::new(name)));
            }
        };
        let own = own.map_err(EngineError::in_file(Path::new(path)))?;
        Ok(Arc::new(own.with_tables(tables)))
    }

    /// Adds what these nets are to the sources of a checksum.
    pub(super) fn add_to<'a>(&'a self, sources: &mut Vec<Source<'a>>) {
        let fast: &[u8] = match self {
            Nets::Path(path) => return sources.push(Source::Path(path, "net")),
            Nets::Bytes(files) => return files.add_to(sources),
            Nets::EmbeddedFast => b"fast",
            Nets::Embedded => b"",
        };
        sources.push(Source::Bytes("embedded", fast));
        let small = [&nets::PRUNING, &nets::VOLATILITY];
        sources.extend(nets::EMBEDDED.iter().chain(small).map(Source::Embedded));
    }
}

/// Returns the evaluator of nets of ours, or of one file of any kind, which its contents tell.
fn parse(files: &[(String, Vec<u8>)], tables: Tables) -> Result<Arc<dyn Evaluator>, FileError> {
    let [(name, bytes)] = files else {
        return Ok(Arc::new(
            NetEvaluator::from_files(files)?.with_tables(tables),
        ));
    };
    Ok(if safetensors::looks_like_one(bytes) {
        return Err(FileError::Float);
    } else if native::looks_like_one(bytes) {
        Arc::new(NetEvaluator::from_file(name, bytes)?.with_tables(tables))
    } else if pytorch::looks_like_one(bytes) {
        Arc::new(PureTdEvaluator::parse(bytes)?.with_tables(tables))
    } else {
        let weights = WeightsFile::parse(bytes).map_err(GnubgError::from)?;
        Arc::new(GnubgEvaluator::new(&weights, tables, CpuLevel::detect())?)
    })
}

/// Bearoff databases beside the tables in the program.
#[derive(Debug, Clone)]
pub(super) enum Databases {
    None,
    Folder(PathBuf),
    Bytes(NamedBytes),
}

impl Databases {
    /// Returns the default bearoff tables and these databases.
    pub(super) fn load(&self) -> Result<Tables, EngineError> {
        match self {
            Databases::None => Ok(Tables::shared().clone()),
            Databases::Folder(folder) => {
                files::open_tables(folder).map_err(EngineError::in_file(folder))
            }
            Databases::Bytes(files) => {
                let parse = |(name, bytes): &(String, Vec<u8>)| {
                    Database::parse(name, bytes.clone())
                        .map_err(EngineError::in_file(Path::new(name)))
                };
                let databases: Result<Vec<Database>, EngineError> =
                    files.0.iter().map(parse).collect();
                Ok(Tables::with(databases?))
            }
        }
    }

    /// Adds these databases to the sources of a checksum.
    pub(super) fn add_to<'a>(&'a self, sources: &mut Vec<Source<'a>>) {
        match self {
            Databases::None => {}
            Databases::Folder(folder) => {
                sources.push(Source::Path(folder, "bd"));
                sources.push(Source::Path(folder, "race"));
            }
            Databases::Bytes(files) => files.add_to(sources),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bearoff::{Numbering, make};
    use crate::engine::{Engine, EngineBuilder, EngineError};
    use crate::query::{
        EvalQuery, Level, PlayQuery, RolloutQuery, RolloutSettings, RolloutSide, RolloutSubject,
        Settings, Stop, Truncation,
    };
    use gammond_game::{MatchState, Position, Roll, Side};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    fn files(names: &[&str]) -> Vec<(String, Vec<u8>)> {
        let all = nets::EMBEDDED.iter().chain([&nets::PRUNING]);
        let files = all.filter(|net| names.contains(&net.name()));
        files
            .map(|net| (net.name().to_owned(), net.bytes()))
            .collect()
    }

    fn built(builder: EngineBuilder) -> Engine {
        builder.threads(1).cache_mb(0).build().unwrap()
    }

    fn win(engine: &Engine, position: Position) -> f32 {
        let query = EvalQuery::new(position, MatchState::default());
        let found = engine.evaluate(&query, &Settings::plies(0), &Stop::never());
        found.unwrap().chances.win
    }

    /// WA-05.
    #[test]
    fn files_stand_one_behind_the_other() {
        let bytes = b"\x01a\x02\0\0\0xy\x03two\0\0\0\0";
        let want = vec![
            ("a".to_owned(), b"xy".to_vec()),
            ("two".to_owned(), Vec::new()),
        ];
        assert!(NamedBytes::parse(bytes) == Some(want.into()));
        assert!(NamedBytes::parse(b"") == Some(Vec::new().into()));
        for length in 1..bytes.len() {
            let whole = length == 8;
            assert_eq!(
                NamedBytes::parse(&bytes[..length]).is_some(),
                whole,
                "{length}"
            );
        }
        assert!(NamedBytes::parse(b"\x01\xff\0\0\0\0").is_none());
    }

    #[test]
    fn nets_as_bytes_answer_like_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let some = files(&["pruning.net", "race.net", "contact.net"]);
        for (name, bytes) in &some {
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let of = |nets| built(Engine::builder().nets(nets));
        let one = |name| {
            (
                of(Nets::Bytes(files(&[name]).into())),
                folder.path().join(name),
            )
        };
        let mut pairs = vec![(of(Nets::Bytes(some.into())), folder.path().to_owned())];
        pairs.extend(["contact.net", "race.net"].map(one));
        for (bytes, path) in pairs {
            let path = of(Nets::Path(path));
            assert_eq!(bytes.identity().unwrap(), path.identity().unwrap());
            assert_eq!(bytes.net_name(), path.net_name());
            let start = Position::start();
            assert_eq!(win(&bytes, start), win(&path, start));
        }
        let refused = |name: &str, bytes: &[u8]| {
            let nets = vec![(name.to_owned(), bytes.to_vec())];
            let engine = Engine::builder().nets(Nets::Bytes(nets.into())).build();
            engine.unwrap_err().to_string()
        };
        assert!(refused("a.net", b"GAMMNET\n").starts_with("a.net: "));
        assert!(refused("a.wd", b"hello").starts_with("a.wd: neither a gnubg.wd"));
        assert!(refused("a.pt", b"PK\x03\x04").starts_with("a.pt: "));
        assert!(refused("a", b"\x02\0\0\0\0\0\0\0{}").contains("a: float weights"));
        let none = Engine::builder().nets(Nets::Bytes(Vec::new().into()));
        assert_eq!(
            none.build().unwrap_err().to_string(),
            "nets: no contact net"
        );
        assert_eq!(
            format!("{:?}", Nets::Bytes(files(&["race.net"]).into())),
            r#"Bytes({"race.net": 423960})"#
        );
    }

    #[test]
    fn databases_as_bytes_answer_like_the_same_files() {
        let folder = tempfile::tempdir().unwrap();
        let table = make::one_sided(Numbering::new(7, 4).unwrap(), true, true);
        std::fs::write(folder.path().join("o.bd"), &table).unwrap();
        let bytes = |bytes: &[u8]| {
            let databases = vec![("o.bd".to_owned(), bytes.to_vec())];
            Engine::builder().bearoff_bytes(databases)
        };
        let engines = [
            built(bytes(&table)),
            built(Engine::builder().bearoff(folder.path())),
        ];
        let mut counts = [0; 25];
        (counts[6], counts[2]) = (2, 1);
        let side = Side::from_counts(&counts).unwrap();
        let position = Position::from_sides(side, side);
        let plain = built(Engine::builder());
        assert_ne!(win(&engines[0], position), win(&plain, position));
        assert_eq!(win(&engines[0], position), win(&engines[1], position));
        assert_eq!(engines[0].bearoff_databases(), ["one-sided 7x4"]);
        let identities = engines.map(|engine| engine.identity().unwrap());
        assert_eq!(identities[0], identities[1]);
        let error = bytes(&table[..3000]).build().unwrap_err().to_string();
        assert!(error.starts_with("o.bd: byte "), "{error}");
    }

    /// A millisecond later each time it is asked.
    fn counted() -> Duration {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        Duration::from_millis(ASKED.fetch_add(1, Ordering::Relaxed))
    }

    /// PLY-09.
    #[test]
    fn budget_runs_by_the_clock_that_the_caller_sets() {
        let engine = built(Engine::builder().clock(counted));
        let roll = Roll::new(6, 2).unwrap();
        let query = PlayQuery::new(Position::start(), roll, MatchState::default());
        let plies = |milliseconds| {
            let settings = Settings::default().with_time_ms(milliseconds);
            let ranked = engine.rank_plays(&query, &settings, &Stop::never());
            ranked.unwrap().best().plies
        };
        assert_eq!(plies(0), 0);
        let deeper = [1_000, 10_000].map(plies);
        assert!(deeper[0] > 0 && deeper[0] < deeper[1], "{deeper:?}");
    }

    /// RO-12: the plays within a rollout's games are searched within its budget too.
    #[test]
    fn budget_of_a_rollout_ends_the_searches_of_its_games() {
        fn clock() -> Duration {
            static ASKED: AtomicU64 = AtomicU64::new(0);
            Duration::from_millis(ASKED.fetch_add(1, Ordering::Relaxed))
        }
        let engine = built(Engine::builder().clock(clock));
        let query = RolloutQuery {
            position: Position::start(),
            state: MatchState::default(),
            subject: RolloutSubject::Position,
        };
        let rolled = |plies| {
            let settings = RolloutSettings {
                trials: 1,
                sides: [RolloutSide {
                    plies,
                    ..RolloutSide::default()
                }; 2],
                truncate: Truncation::Turns(12),
                cubeful: false,
                time_ms: Some(200),
                ..RolloutSettings::default()
            };
            let answer = engine.rollout(&query, &settings, &Stop::never(), &mut |_| {});
            answer.map(|answer| answer.candidates[0].trials)
        };
        assert_eq!(rolled(0).unwrap(), 1);
        assert!(matches!(rolled(3), Err(EngineError::Stopped)));
    }

    /// RO-12: the search of a level is within its time as well, and no deeper than the level.
    #[test]
    fn search_of_a_level_has_half_of_the_time() {
        fn clock() -> Duration {
            static ASKED: AtomicU64 = AtomicU64::new(0);
            Duration::from_millis(ASKED.fetch_add(1, Ordering::Relaxed))
        }
        let engine = built(Engine::builder().clock(clock));
        let plies = |milliseconds| {
            let settings = Settings::default()
                .with_level(Level::Roller)
                .with_time_ms(milliseconds);
            let query = PlayQuery::new(Position::start(), Roll::ALL[1], MatchState::default());
            let ranked = engine.rank_plays(&query, &settings, &Stop::never());
            ranked.unwrap().plies
        };
        assert_eq!(plies(2), 0);
        assert_eq!(plies(1_000_000), 2);
    }
}
