//! Nets by path.

use super::super::FileError;
use crate::bearoff::Tables;
use crate::eval::Evaluator;
use crate::eval::gnubg::{GnubgError, GnubgEvaluator, WeightsError, WeightsFile};
use crate::eval::nets::{NetError, NetEvaluator};
use crate::eval::puretd::{PureTdError, PureTdEvaluator};
use crate::nn::CpuLevel;
use crate::nn::format::{FILE_BYTES_MAX, native, pytorch, safetensors};
use gammond_base::files;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum size in bytes of a file of GNU Backgammon's weights (the real ones have 0.4 and 1.1 MB).
const WEIGHTS_BYTES_MAX: u64 = 16 << 20;

/// Returns the evaluator of the nets at `path`, whose contents say of which kind they are.
///
/// # Errors
/// When a file is missing or damaged.
pub(in crate::engine) fn open_nets(
    path: &Path,
    tables: Tables,
) -> Result<Arc<dyn Evaluator>, FileError> {
    if is_float(path) {
        return Err(FileError::Float);
    }
    Ok(if path.is_dir() || begins(path, native::looks_like_one) {
        Arc::new(NetEvaluator::load(path)?.with_tables(tables))
    } else if begins(path, pytorch::looks_like_one) {
        Arc::new(PureTdEvaluator::load(path)?.with_tables(tables))
    } else {
        Arc::new(GnubgEvaluator::load(path)?.with_tables(tables))
    })
}

/// Returns true if the path is a file whose first bytes look so.
fn begins(path: &Path, looks: impl Fn(&[u8]) -> bool) -> bool {
    let mut start = Vec::new();
    let read = files::open(path).and_then(|file| file.take(9).read_to_end(&mut start));
    read.is_ok() && looks(&start)
}

/// Returns true if the path is a file of float weights, whatever its name, or a folder with such files and no net file.
fn is_float(path: &Path) -> bool {
    let float = |path: &Path| begins(path, safetensors::looks_like_one);
    if !path.is_dir() {
        return float(path);
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    let ours = |path: &PathBuf| path.is_dir() || begins(path, native::looks_like_one);
    files.iter().any(|path| float(path)) && !files.iter().any(ours)
}

impl NetEvaluator {
    /// Returns the nets of a folder: all files `*.net`, told apart by the class in their headers (`contact` and `race`
    /// are needed; those of the other roles of contact (see [`Role::parent`](crate::eval::nets::Role::parent)),
    /// `contact-fast`, `pruning` and `volatility` may be there). A single file is as in [`NetEvaluator::from_file`].
    ///
    /// # Errors
    /// When files are missing or damaged.
    pub fn load(path: &Path) -> Result<NetEvaluator, NetError> {
        let read = |path: &Path| {
            let bytes = files::read(path, FILE_BYTES_MAX);
            bytes.map_err(|source| net_io(path, source))
        };
        if !path.is_dir() {
            return NetEvaluator::from_file(&path.display().to_string(), &read(path)?);
        }
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(|source| net_io(path, source))? {
            names.push(entry.map_err(|source| net_io(path, source))?.path());
        }
        names.retain(|name| name.extension().is_some_and(|e| e == "net"));
        names.sort();
        let mut files = Vec::new();
        for name in names {
            files.push((name.display().to_string(), read(&name)?));
        }
        NetEvaluator::from_files(&files)
    }
}

fn net_io(path: &Path, source: std::io::Error) -> NetError {
    NetError::Io {
        path: path.to_owned(),
        source,
    }
}

impl GnubgEvaluator {
    /// Reads a `gnubg.wd` or `gnubg.weights`.
    ///
    /// # Errors
    /// [`GnubgError`] when the file is missing or damaged.
    pub fn load(path: &Path) -> Result<GnubgEvaluator, GnubgError> {
        let tables = Tables::shared().clone();
        GnubgEvaluator::new(&WeightsFile::load(path)?, tables, CpuLevel::detect())
    }
}

impl WeightsFile {
    /// Reads a weight file of either form.
    ///
    /// # Errors
    /// See [`WeightsError`].
    pub fn load(path: &Path) -> Result<WeightsFile, WeightsError> {
        WeightsFile::parse(&files::read(path, WEIGHTS_BYTES_MAX)?)
    }
}

impl PureTdEvaluator {
    /// Reads a file.
    ///
    /// # Errors
    /// [`PureTdError`].
    pub fn load(path: &Path) -> Result<PureTdEvaluator, PureTdError> {
        PureTdEvaluator::parse(&files::read(path, FILE_BYTES_MAX)?)
    }
}
