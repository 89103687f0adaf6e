//! `gammond doctor`: the equipment found, and improvements.

use crate::options::kernels_word;
use crate::{Common, Failure, config};
use gammond_engine::bearoff::Database;
use gammond_engine::engine::{COMMIT, Engine, Nets};
use gammond_engine::nn::CpuLevel;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

/// Paths at which distributions install gnubg's weights.
const GNUBG_WEIGHTS: [&str; 5] = [
    "/usr/lib/gnubg/gnubg.wd",
    "/usr/share/gnubg/gnubg.wd",
    "/usr/share/gnubg/gnubg.weights",
    "/usr/local/share/gnubg/gnubg.wd",
    "/opt/homebrew/share/gnubg/gnubg.wd",
];
/// Paths at which they install its bearoff databases.
const GNUBG_TABLES: [&str; 5] = [
    "/var/lib/gnubg",
    "/usr/lib/gnubg",
    "/usr/share/gnubg",
    "/usr/local/share/gnubg",
    "/opt/homebrew/share/gnubg",
];

pub(crate) fn run(common: &Common, _args: &Args) -> Result<ExitCode, Failure> {
    let mut report = Report::default();
    program(&mut report);
    machine(&mut report, common);
    nets(&mut report, common);
    tables(&mut report, common);
    match config::default_file() {
        Some(path) if path.exists() => report.line("config", format!("{}", path.display())),
        Some(path) => report.line(
            "config",
            format!("none ({} is read when it is there)", path.display()),
        ),
        None => report.line("config", "none".into()),
    }
    let mut text = report.text;
    if report.advice.is_empty() {
        text.push_str("\nNothing would make it faster here.\n");
    } else {
        text.push_str("\nFaster or stronger:\n");
        for advice in &report.advice {
            let _ = writeln!(text, "  - {advice}");
        }
    }
    crate::print(crate::folded(&text).as_bytes())?;
    Ok(ExitCode::from(u8::from(report.failed)))
}

#[derive(Default)]
struct Report {
    text: String,
    advice: Vec<String>,
    failed: bool,
}

impl Report {
    fn line(&mut self, name: &str, value: String) {
        let _ = writeln!(self.text, "{name:<9} {value}");
    }

    fn advise(&mut self, advice: &str) {
        self.advice.push(advice.to_owned());
    }
}

fn program(report: &mut Report) {
    let kind = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    let rest = format!(
        "{}, {kind} build, {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    );
    report.line("gammond", format!("{rest}, commit {}", COMMIT));
    if cfg!(debug_assertions) {
        report.advise(
            "this is a debug build: `cargo build --release` makes one several times as fast",
        );
    }
}

fn machine(report: &mut Report, common: &Common) {
    let level = CpuLevel::detect();
    let all = CpuLevel::available();
    let words: Vec<String> = all.iter().map(|level| kernels_word(*level)).collect();
    let kernels = format!("{} kernels (--kernels: {})", level.name(), words.join(", "));
    report.line("CPU", kernels);
    if all.first() == Some(&CpuLevel::SCALAR) {
        report.advise("the CPU has no AVX2: the nets run in plain code, several times slower");
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = common.threads.unwrap_or(processors);
    report.line("threads", format!("{threads} of {processors} processors"));
    if threads < processors {
        report.advise("--threads is below the number of processors");
    }
    let field = |file: &str, name: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(
            line.trim_start_matches(name)
                .trim_start_matches(':')
                .trim()
                .to_owned(),
        )
    };
    if let Some(memory) = field("/proc/meminfo", "MemAvailable") {
        let megabytes = memory
            .split(' ')
            .next()
            .and_then(|kb| kb.parse::<u64>().ok())
            .unwrap_or(0)
            / 1024;
        report.line("memory", format!("{megabytes} MB available"));
        if megabytes < 128 {
            report.advise("less than 128 MB of memory are left");
        }
    }
    if let Some(files) = field("/proc/self/limits", "Max open files") {
        let soft = files.split_whitespace().next().unwrap_or("?").to_owned();
        report.line(
            "files",
            format!("{soft} open files allowed (one for each client)"),
        );
    }
}

fn nets(report: &mut Report, common: &Common) {
    match common.engine() {
        Ok(engine) => report.line("nets", engine.net_name().to_owned()),
        Err(error) => {
            report.failed = true;
            report.line("nets", format!("UNUSABLE: {error}"));
        }
    }
    let found = different(&GNUBG_WEIGHTS);
    if found.is_empty() {
        report.line("gnubg", "no weights found (not needed)".into());
    }
    for path in found {
        let built = Engine::builder()
            .threads(1)
            .nets(Nets::Path(PathBuf::from(path)))
            .build();
        match built {
            Ok(engine) => report.line(
                "gnubg",
                format!("{} in {path}: --nets {path}", engine.net_name()),
            ),
            Err(error) => report.line("gnubg", format!("unusable: {error}")),
        }
    }
}

/// Returns the files that are there, each once: distributions put links to the same file elsewhere.
fn different<'a>(paths: &[&'a str]) -> Vec<&'a str> {
    let mut seen = Vec::new();
    let mut new = |path: &Path| match path.canonicalize() {
        Ok(file) if !seen.contains(&file) => {
            seen.push(file);
            true
        }
        _ => false,
    };
    let paths = paths.iter().copied();
    paths.filter(|path| new(Path::new(path))).collect()
}

fn tables(report: &mut Report, common: &Common) {
    report.line(
        "bearoff",
        "built in: 6 points one-sided, 6 checkers two-sided".into(),
    );
    let mut folders: Vec<PathBuf> = GNUBG_TABLES.iter().map(PathBuf::from).collect();
    let used = common.bearoff_folder();
    folders.extend(used.clone());
    let mut better = false;
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        let mut files: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect();
        files.retain(|path| {
            path.extension()
                .is_some_and(|end| end == "bd" || end == "race")
        });
        files.sort();
        for path in files {
            match Database::open(&path) {
                Ok(_) => {
                    let used = used.as_ref() == Some(&folder);
                    better |= used;
                    let hint = if used {
                        "in use".to_owned()
                    } else {
                        format!("--bearoff {}", folder.display())
                    };
                    report.line("", format!("{}: {hint}", path.display()));
                }
                Err(error) => report.line("", format!("unusable: {error}")),
            }
        }
    }
    if !better {
        report.advise(
"larger bearoff tables make races exact: `gammond bearoff make` (12 points, found by itself)",
        );
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_link_to_it_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, none] = ["a.wd", "b.wd", "c.wd"].map(|name| folder.path().join(name));
        std::fs::write(&file, "weights").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let paths = [&file, &link, &none].map(|path| path.to_str().unwrap());
        assert_eq!(different(&paths), [paths[0]]);
        assert_eq!(different(&paths[1..]), [paths[1]]);
    }
}
