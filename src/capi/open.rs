//! Engines and stops: what a handle stands for.

use crate::failure::{Failure, GammondCode, guarded};
use crate::memory::{self, Plain};
use crate::settings::default_options;
use gammond_base::handles::Handles;
use gammond_engine::engine::CACHE_MB_MAX;
use gammond_engine::query::{Options, Stop};
use gammond_engine::{Engine, EngineBuilder, MatchEquityTable, Nets};
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The number of the interface. It grows when functions or members are added, which old programs do not notice.
const INTERFACE: u32 = 1;
/// The program's version.
const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => c"",
    };
/// The most files of an engine.
const FILES_MAX: usize = 64;
/// The most bytes of one of them.
const FILE_BYTES_MAX: usize = 1 << 30;

/// An open engine.
pub(crate) struct Open {
    pub(crate) engine: Engine,
    /// Settings of all its questions.
    pub(crate) defaults: Options,
}

/// All open engines.
static ENGINES: Handles<Open> = Handles::new();
/// All stops.
static STOPS: Handles<Stop> = Handles::new();

/// Options of `gammond_open`. All members 0 but `size` are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondOptions {
    /// sizeof(GammondOptions).
    pub size: u32,
    /// Threads that compute deep searches, rollouts and analyses, to 512; 0 for one a processor.
    pub threads: u32,
    /// Megabytes of the cache, to 16384; 0 for 16. Answers do not depend on it.
    pub cache_mb: u32,
    /// 0.
    pub reserved: u32,
    /// "embedded" (or NULL), "embedded:fast", or the path of a net file, of a folder of them, or of GNU Backgammon's
    /// weights.
    pub nets: *const c_char,
    /// A folder of bearoff databases beside those in the library; NULL for none.
    pub bearoff: *const c_char,
    /// Name or path of a match equity table; NULL for Kazaross-XG2.
    pub met: *const c_char,
    /// Settings of all questions, such as "plies=2"; NULL for none.
    pub settings: *const c_char,
}

// SAFETY: numbers and addresses; the size is first.
unsafe impl Plain for GammondOptions {}

impl GammondOptions {
    const DEFAULT: GammondOptions = GammondOptions {
        size: 0,
        threads: 0,
        cache_mb: 0,
        reserved: 0,
        nets: std::ptr::null(),
        bearoff: std::ptr::null(),
        met: std::ptr::null(),
        settings: std::ptr::null(),
    };

    fn read(options: *const GammondOptions) -> Result<GammondOptions, Failure> {
        match options.is_null() {
            true => Ok(GammondOptions::DEFAULT),
            false => memory::read("options", options),
        }
    }

    /// Opens an engine; `files` take the place of the nets.
    fn open(&self, files: Option<Nets>) -> Result<Open, Failure> {
        let settings = memory::text("settings", self.settings)?;
        let defaults = default_options(settings.as_deref().unwrap_or_default())?;
        let engine = self.builder(files)?.build()?;
        Ok(Open { engine, defaults })
    }

    fn builder(&self, files: Option<Nets>) -> Result<EngineBuilder, Failure> {
        let threads = usize::try_from(self.threads).unwrap_or(usize::MAX);
        let mut builder = Engine::builder().threads(threads);
        let megabytes = usize::try_from(self.cache_mb).unwrap_or(usize::MAX);
        if megabytes > CACHE_MB_MAX {
            let text = format!("cache_mb: {megabytes}, at most {CACHE_MB_MAX}");
            return Err(Failure::value(text));
        }
        if megabytes > 0 {
            builder = builder.cache_mb(megabytes);
        }
        let nets = memory::text("nets", self.nets)?;
        builder = builder.nets(match (files, nets.as_deref()) {
            (Some(files), _) => files,
            (None, None | Some("embedded")) => Nets::Embedded,
            (None, Some("embedded:fast")) => Nets::EmbeddedFast,
            (None, Some(path)) => Nets::Path(PathBuf::from(path)),
        });
        if let Some(folder) = memory::text("bearoff", self.bearoff)? {
            builder = builder.bearoff(folder);
        }
        if let Some(name) = memory::text("met", self.met)? {
            builder = builder.met(met_named(&name)?);
        }
        Ok(builder)
    }
}

fn met_named(name: &str) -> Result<MatchEquityTable, Failure> {
    let path = Path::new(name);
    let table = match MatchEquityTable::named(name) {
        Err(_) if path.exists() => MatchEquityTable::load(path),
        table => table,
    };
    table.map_err(|error| Failure::new(GammondCode::GAMMOND_ERROR_FILE, format!("met: {error}")))
}

/// A file in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondFile {
    /// Its name, such as "contact.net". It stands in errors.
    pub name: *const c_char,
    /// Its contents, which are copied.
    pub bytes: *const u8,
    /// Their number.
    pub length: usize,
}

// SAFETY: addresses and a number.
unsafe impl Plain for GammondFile {}

fn file(file: &GammondFile) -> Result<(String, Vec<u8>), Failure> {
    let name = memory::text("name of a file", file.name)?;
    let bytes = memory::copied("bytes of a file", file.bytes, file.length, FILE_BYTES_MAX)?;
    Ok((name.unwrap_or_else(|| "nets".to_owned()), bytes))
}

/// Returns what a handle stands for, or the error that it stands for nothing.
fn known<T>(found: Option<T>, handle: u64, kind: &str) -> Result<T, Failure> {
    let text = || format!("{handle} is no open {kind}");
    found.ok_or_else(|| Failure::new(GammondCode::GAMMOND_ERROR_HANDLE, text()))
}

/// Returns the engine of a handle.
pub(crate) fn engine_of(handle: u64) -> Result<Arc<Open>, Failure> {
    known(ENGINES.get(handle), handle, "engine")
}

/// Returns the stop of a handle; 0 is none.
pub(crate) fn stop_of(handle: u64) -> Result<Stop, Failure> {
    match handle {
        0 => Ok(Stop::never()),
        handle => Ok(known(STOPS.get(handle), handle, "stop")?.child()),
    }
}

/// Returns the number of the interface of this library: 1, more if functions or members have been added.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_interface() -> u32 {
    INTERFACE
}

/// Returns the version of the library, such as "0.1.0". The text lasts.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_version() -> *const c_char {
    memory::lasting(VERSION)
}

/// Opens an engine and writes its handle, never 0. `options` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_open(options: *const GammondOptions, engine: *mut u64) -> GammondCode {
    guarded(|| {
        memory::put("engine", engine, 0)?;
        let open = GammondOptions::read(options)?.open(None)?;
        memory::put("engine", engine, ENGINES.add(open))
    })
}

/// Opens an engine with nets in memory: `count` files, which are copied. They take the place of the nets in `options`,
/// which may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_open_bytes(
    options: *const GammondOptions,
    files: *const GammondFile,
    count: usize,
    engine: *mut u64,
) -> GammondCode {
    guarded(|| {
        memory::put("engine", engine, 0)?;
        let options = GammondOptions::read(options)?;
        let files = memory::copied("files", files, count, FILES_MAX)?;
        let files: Result<Vec<_>, Failure> = files.iter().map(file).collect();
        let open = options.open(Some(Nets::Bytes(files?.into())))?;
        memory::put("engine", engine, ENGINES.add(open))
    })
}

/// Closes an engine. Calls of other threads that use it end as usual; it is freed behind the last one.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_close(engine: u64) -> GammondCode {
    guarded(|| known(ENGINES.close(engine), engine, "engine").map(drop))
}

/// Writes the handle of a new stop: put it into questions, and call `gammond_stop` to end their work.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_stop_new(stop: *mut u64) -> GammondCode {
    guarded(|| {
        memory::present("stop", stop)?;
        memory::put("stop", stop, STOPS.add(Stop::new()))
    })
}

/// Ends all work that has this stop, and all that gets it later. May be called from any thread.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_stop(stop: u64) -> GammondCode {
    guarded(|| known(STOPS.get(stop), stop, "stop").map(|stop| stop.trigger()))
}

/// Frees a stop. Work that has it goes on.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_stop_free(stop: u64) -> GammondCode {
    guarded(|| known(STOPS.close(stop), stop, "stop").map(drop))
}
