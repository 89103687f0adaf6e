//! `gammond analyse`.

use super::players::table;
use crate::{
    AnalysisKey, Archive, ArchiveKey, Common, Failure, Format, Output, Picture, ProgressArgs,
    SearchOptions, folded, json_line, stopped, within,
};
use gammond_base::escape::Terminal;
use gammond_base::files::{self, create_folder};
use gammond_base::journal::write_whole;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{Settings, Stop};
use gammond_game::Rules;
use gammond_game::notation::{MATCH_FILE_BYTES_MAX, MatchFile, MatchFormat, MatchReading, Reason};
use gammond_job::Progress;
use gammond_report::analysis::{
    Analysis, CSV_HEAD, Comparison, Page, PlayerList, analyse, match_line_head, reads_back,
};
use rayon::prelude::*;
use std::collections::HashSet;
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Match files (`.mat` and its dialects, gnubg's `.sgf`, logs of FIBS, OGXM, eXtreme Gammon's `.xg`, BGBlitz's
    /// `.bgf`), folders of them, or `-` for the standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    search: SearchOptions,
    /// Show beside ours the analysis that stands in the file itself, such as that of eXtreme Gammon in its `.xg` or of
    /// BGBlitz in its `.bgf`, and the mean difference.
    #[arg(long, value_name = "WITH")]
    compare: Option<Compare>,
    /// Losses from which on a decision is doubtful, bad and very bad.
    #[arg(long, value_name = "LOSSES", default_value = "0.03,0.06,0.12", value_parser = marks)]
    marks: [f64; 3],
    /// Print the whole analysis of each match also for a folder or more than three files, which otherwise get a line a
    /// match and the totals of the players.
    #[arg(long)]
    full: bool,
    /// List every decision, not only the worst mistakes; it implies `--full`.
    #[arg(long)]
    all: bool,
    /// Write a report for a browser as well: one file that needs no network.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write each match as `.mat` with remarks into this folder.
    #[arg(long, value_name = "FOLDER")]
    annotate: Option<PathBuf>,
    /// Write each match as GNU Backgammon's `.sgf` with luck, marks and remarks at its actions into this folder.
    #[arg(long, value_name = "FOLDER")]
    annotate_sgf: Option<PathBuf>,
    /// Write each match as OGXM, the binary form of OpenGammon, into this folder.
    #[arg(long, value_name = "FOLDER")]
    ogxm: Option<PathBuf>,
    /// File matches, players and decisions in this archive, an SQLite file; match files that are in it with
    /// the same contents and settings are skipped.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// Source that an analysis is compared with.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Compare {
    /// The analysis in the match file.
    File,
}

impl Args {
    /// Returns true if so many matches, or a folder of them, get a line a match.
    fn is_brief(&self, matches: usize) -> bool {
        let folder = self.files.iter().any(|path| path.is_dir());
        !self.full && !self.all && (folder || matches > WHOLE_MAX)
    }

    /// Returns the folders for match files and the formats that are written there.
    fn written(&self) -> impl Iterator<Item = (&Path, MatchFormat)> {
        let folders = [
            (&self.annotate, "mat"),
            (&self.annotate_sgf, "sgf"),
            (&self.ogxm, "ogxm"),
        ];
        (folders.into_iter())
            .filter_map(|(folder, name)| folder.as_deref().zip(MatchFormat::named(name)))
    }
}

/// Number of matches whose whole analyses are printed without `--full`.
const WHOLE_MAX: usize = 3;
/// Folders that hold no matches of their owner, beside hidden ones.
const FOLDERS_LEFT_OUT: [&str; 3] = ["target", "node_modules", "venv"];
/// Number of files without a match that are named in one line.
const UNREAD_NAMED: usize = 3;
/// Maximum number of folders inside folders.
const FOLDERS_DEEP: u32 = 16;
/// Maximum number of files of a folder.
const FILES_MAX: usize = 1_000_000;
/// Number of files that are worked on before the next ones are begun, for each thread.
const FILES_PER_THREAD: usize = 4;

/// Parses three numbers, each at least the one before.
fn marks(text: &str) -> Result<[f64; 3], String> {
    let numbers: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    match numbers.as_deref() {
        Some(&[one, two, three])
            if 0.0 < one && one <= two && two <= three && three.is_finite() =>
        {
            Ok([one, two, three])
        }
        _ => Err(
            "expected three losses above 0, each at least the one before, such as 0.02,0.08,0.16"
                .to_owned(),
        ),
    }
}

/// A match analysed, or the reason why its file is not, or neither if the match is already in the archive.
struct AnalysedFile {
    path: PathBuf,
    /// The place of the match in its file, from 1; 0 where it is the only one.
    number: usize,
    key: ArchiveKey,
    result: Option<Result<(MatchReading, Analysis), Box<dyn Error + Send + Sync>>>,
}

impl AnalysedFile {
    /// Returns the name of the match: that of its file, with its number if the file has several.
    fn name(&self) -> String {
        match self.number {
            0 => self.path.display().to_string(),
            number => format!("{}#{number}", self.path.display()),
        }
    }
}

/// Reasons for analysing neither this file nor the next ones.
enum StopReason {
    Engine(EngineError),
    Archive(Failure),
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let engine = common.engine()?;
    let settings = args.search.options(common).analysis();
    let mut control = args.progress.control()?;
    control.task = "analyse".to_owned();
    let paths = found(&args.files)?;
    may_be_written(args)?;
    let mut printer = Printer {
        format: common.format,
        args,
        out: Output::new(),
        archive: args.db.as_deref().map(Archive::open).transpose()?,
        report: Page::default(),
        brief: args.is_brief(paths.len()).then(Brief::default),
        judged: (paths.iter())
            .filter_map(|path| path.canonicalize().ok())
            .collect(),
        written: HashSet::new(),
        failed: false,
        unread: false,
        known: 0,
    };
    let analyser = (args.db.as_ref()).map(|_| AnalysisKey::of(&engine, &settings));
    let analyser = analyser.transpose()?.unwrap_or_default();
    if common.format == Some(Format::Csv) {
        printer.out.print(CSV_HEAD.as_bytes())?;
    }
    let (mut done, total) = (0, Some(paths.len() as u64));
    let threads = engine.pool().current_num_threads();
    for paths in paths.chunks(FILES_PER_THREAD * threads) {
        control.report_progress(Progress::new("matches", done, total), false);
        // A report has all matches, and the archive holds no part of a report.
        let archive = (printer.archive.as_ref()).filter(|_| args.html.is_none());
        let known = |key: &ArchiveKey| archive.map_or(Ok(false), |archive| archive.has(key));
        let judge_path = |path: &PathBuf| {
            let engine = (&engine, &settings);
            judge_file(engine, path, (&analyser, &known), &control.stop)
        };
        let judged: Vec<Result<Vec<AnalysedFile>, StopReason>> = engine
            .pool()
            .install(|| paths.par_iter().map(judge_path).collect());
        for each in judged {
            match each {
                Ok(each) => {
                    done += 1;
                    // A log may hold hundreds of matches.
                    if printer.brief.is_none() && args.is_brief(each.len()) {
                        printer.brief = Some(Brief::default());
                    }
                    for each in each {
                        printer.print(each)?;
                    }
                }
                Err(StopReason::Engine(EngineError::Stopped)) => {}
                Err(StopReason::Engine(error)) => return Err(error.into()),
                Err(StopReason::Archive(failure)) => return Err(failure),
            }
        }
        printer.out.flush()?;
        if control.stop.is_triggered() || printer.out.is_closed() {
            break;
        }
    }
    control.report_progress(Progress::new("matches", done, total), true);
    let ended = control.stop.is_triggered();
    drop(control);
    let code = printer.exit_code();
    printer.finish()?;
    if ended {
        return Ok(interrupted(args, done, paths.len()));
    }
    Ok(code)
}

/// Reports that the command was stopped after so many of its files, and how to resume it.
fn interrupted(args: &Args, done: u64, all: usize) -> ExitCode {
    let more = match (&args.db, &args.html) {
        (Some(_), None) => "the same command resumes",
        (Some(_), Some(_)) => "without --html the same command resumes",
        (None, _) => "with --db FILE the same command would resume",
    };
    stopped(
        None,
        &format!("{done} of {all} matches are analysed; {more}"),
    )
}

/// Creates the folders that are written to, before any analysis.
fn may_be_written(args: &Args) -> Result<(), Failure> {
    for (folder, _) in args.written() {
        create_folder(folder).map_err(Failure::in_file(folder))?;
    }
    args.html
        .as_deref()
        .map_or(Ok(()), |path| Picture::Html.check(path))
}

/// The parts that are kept of matches that get a line each.
#[derive(Default)]
struct Brief {
    players: PlayerList,
    matches: u64,
    /// Number of files without a match, and the names of the first ones.
    unread: (u64, Vec<String>),
}

impl Brief {
    /// Returns the line about the files without a match, if there are any.
    fn unread_line(&self) -> Option<String> {
        let (count, names) = &self.unread;
        let more = count - names.len() as u64;
        let are = if *count == 1 {
            "file is no match"
        } else {
            "files are no matches"
        };
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (*count > 0).then(|| {
            format!(
                "{count} {are}: {}{more} (--full gives the reasons)",
                names.join(", ")
            )
        })
    }
}

/// Destinations of the analyses.
struct Printer<'a> {
    format: Option<Format>,
    args: &'a Args,
    out: Output,
    archive: Option<Archive>,
    report: Page,
    /// Sums of the matches that get a line each, as text.
    brief: Option<Brief>,
    /// The files that are read, which no file may be written over.
    judged: HashSet<PathBuf>,
    /// The files that were written, or would have been.
    written: HashSet<PathBuf>,
    /// Some file had a fault.
    failed: bool,
    /// Some file held no match.
    unread: bool,
    /// Number of files that were in the archive.
    known: u64,
}

impl Printer<'_> {
    /// Takes the name that a match's file has, with a number where another match of this command has that name.
    fn take_name(&mut self, folder: &Path, path: &Path, ending: &str) -> PathBuf {
        let stem = path.file_stem().filter(|stem| *stem != "-");
        let stem = stem.unwrap_or("match".as_ref());
        let named = |number: u64| {
            let mut name = stem.to_owned();
            if number > 1 {
                name.push(format!("~{number}"));
            }
            name.push(format!(".{ending}"));
            folder.join(name)
        };
        let free = (1..).map(named).find(|path| !self.written.contains(path));
        let path = free.unwrap_or_else(|| named(1));
        self.written.insert(path.clone());
        path
    }

    /// Writes a match with its analysis under a name of its own. Text must read back as the same match. A file that
    /// gammond did not write, or that is being analysed, is never replaced.
    fn write_match(
        &mut self,
        folder: &Path,
        (name, path): (&str, &Path),
        format: MatchFormat,
        (analysis, file): (&Analysis, &MatchFile),
    ) -> Result<(), Failure> {
        let ending = format.name();
        let bytes = match analysis.write(file, format) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.failed = true;
                stderr_line!("gammond: {name}: {error}");
                return Ok(());
            }
        };
        let path = self.take_name(folder, path, ending);
        if !format.is_binary() && !reads_back(file, &bytes) {
            self.failed = true;
            stderr_line!(
                "gammond: {name}: is too damaged to be written as .{ending}: it would not read back as the same match"
            );
            return Ok(());
        }
        let why = match path.canonicalize() {
            Ok(there) if self.judged.contains(&there) => "one of the files to analyse",
            Ok(_) if !is_ours(&path, format, &bytes) => "not a file of this command",
            _ => return write_whole(&path, &bytes).map_err(Failure::unwritten(&path)),
        };
        self.failed = true;
        stderr_line!("gammond: {}: {why}; left unchanged", path.display());
        Ok(())
    }

    /// Returns true if people read the output.
    const fn is_text(&self) -> bool {
        !matches!(self.format, Some(Format::Json | Format::Csv))
    }

    fn exit_code(&self) -> ExitCode {
        match self.unread {
            true => ExitCode::from(Failure::FILE),
            false => ExitCode::from(u8::from(self.failed)),
        }
    }

    fn finish(mut self) -> Result<(), Failure> {
        if let Some(brief) = self.brief.take().filter(|_| self.is_text()) {
            let unread = brief.unread_line();
            if brief.matches > 0 {
                let players = table(&brief.players.into_sums());
                self.out
                    .print(format!("\n{}", folded(&players)).as_bytes())?;
                self.out.flush()?;
            }
            if let Some(unread) = unread {
                stderr_line!("gammond: {unread}");
            }
        }
        // A report about nothing takes the place of none.
        if let Some(path) = &self.args.html
            && !self.report.is_empty()
        {
            Picture::Html.write_text(path, self.report.finish())?;
        }
        if self.known > 0 {
            stderr_line!(
                "gammond: {} in the archive already",
                matches_are(self.known)
            );
        }
        Ok(())
    }

    /// Counts a match that is in the archive already. It keeps the names of the files that were written for it.
    fn count_known(&mut self, path: &Path) {
        self.known += 1;
        let args = self.args;
        for (folder, format) in args.written() {
            self.take_name(folder, path, format.name());
        }
    }

    fn print(&mut self, done: AnalysedFile) -> Result<(), Failure> {
        let name = done.name();
        let AnalysedFile {
            path,
            number,
            key,
            result,
        } = done;
        let path = numbered(&path, number);
        let Some(result) = result else {
            self.count_known(&path);
            return Ok(());
        };
        let (reading, analysis) = match result {
            Ok((reading, analysis)) => (reading, analysis.marked(self.args.marks)),
            Err(error) => {
                // A match that the engine cannot judge is one all the same.
                if error.is::<EngineError>() {
                    self.failed = true;
                    return self.print_reason(&name, &error.to_string());
                }
                self.unread = true;
                return self.print_error(&name, &error.to_string());
            }
        };
        self.failed |= !analysis.faults.is_empty();
        // An analysis of nothing is no success (EXIT-07).
        if !analysis.has_decision() {
            self.failed = true;
            stderr_line!("gammond: {name}: has no decision to analyse");
        }
        if self.format == Some(Format::Csv) {
            for fault in &analysis.faults {
                stderr_line!("gammond: {name}: {fault}");
            }
        }
        self.print_analysis(&name, &analysis)?;
        if self.args.compare == Some(Compare::File) {
            self.print_comparison(&name, &analysis.compared(&reading))?;
        }
        let args = self.args;
        for (folder, format) in args.written() {
            self.write_match(folder, (&name, &path), format, (&analysis, &reading.file))?;
        }
        if let Some(archive) = &self.archive {
            archive.add(&name, &key, &analysis)?;
        }
        if self.args.html.is_some() {
            self.report.add(&name, &analysis);
        }
        Ok(())
    }

    /// Prints an analysis piece by piece: the whole of its JSON or CSV is many times as long as the match.
    fn print_analysis(&mut self, name: &str, analysis: &Analysis) -> Result<(), Failure> {
        let out = &mut self.out;
        let mut printed = Ok(());
        let mut print = |text: &str| {
            if printed.is_ok() {
                printed = out.print(text.as_bytes());
            }
        };
        match (self.format, &mut self.brief) {
            (Some(Format::Json), _) => {
                print("{");
                // No control character in it reaches a terminal.
                analysis.write_json(name, &mut |text| print(&Terminal::new(text).to_string()));
                print("\n");
            }
            (Some(Format::Csv), _) => analysis.write_csv(name, &mut print),
            (_, Some(brief)) => {
                if brief.matches == 0 {
                    print(&folded(&(match_line_head() + "\n")));
                }
                brief.matches += 1;
                brief.players.add(analysis);
                print(&folded(&(analysis.match_line(Terminal::new(name)) + "\n")));
            }
            _ => print(&folded(
                &(analysis.text(Terminal::new(name), self.args.all) + "\n"),
            )),
        }
        printed
    }

    fn print_comparison(&mut self, name: &str, comparison: &Comparison) -> Result<(), Failure> {
        match self.format {
            Some(Format::Json) => {
                let line = json_line(&comparison.json(name));
                self.out.print(line.as_bytes())
            }
            Some(Format::Csv) => {
                stderr_line!("gammond: {name}: {}", comparison.summary());
                Ok(())
            }
            _ => {
                let text = match &self.brief {
                    Some(_) => format!("  {}\n", comparison.summary()),
                    None => comparison.text() + "\n",
                };
                self.out.print(folded(&text).as_bytes())
            }
        }
    }

    fn print_error(&mut self, name: &str, message: &str) -> Result<(), Failure> {
        if self.is_text()
            && let Some(Brief { unread, .. }) = &mut self.brief
        {
            unread.0 += 1;
            if unread.1.len() < UNREAD_NAMED {
                unread.1.push(Terminal::new(name).to_string());
            }
            return Ok(());
        }
        self.print_reason(name, message)
    }

    fn print_reason(&mut self, name: &str, message: &str) -> Result<(), Failure> {
        if self.format == Some(Format::Json) {
            let value = serde_json::json!({
                "type": "error", "file": name, "code": "bad-match-file", "message": message,
            });
            return self.out.print(json_line(&value).as_bytes());
        }
        stderr_line!("gammond: {name}: {message}");
        Ok(())
    }
}

/// Returns the files that are named and those in folders, in the order of their names.
fn found(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        if path.is_dir() {
            let before = files.len();
            folder(path, 0, &mut files).map_err(Failure::in_file(path))?;
            if files.len() == before {
                let endings: Vec<&str> = MatchFile::endings().collect();
                let want = format!("contains no match file (.{})", endings.join(", ."));
                return Err(Failure::in_file(path)(want));
            }
        } else {
            // Before anything is written: a name that was mistyped costs no report.
            if path.as_os_str() != "-" {
                std::fs::metadata(path).map_err(Failure::in_file(path))?;
            }
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn folder(path: &Path, deep: u32, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<(OsString, PathBuf)> = std::fs::read_dir(path)?
        .map(|entry| entry.map(|entry| (entry.file_name(), entry.path())))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for (name, path) in entries {
        if path.is_dir() && deep < FOLDERS_DEEP && !path.is_symlink() && !is_left_out(&name) {
            folder(&path, deep + 1, files)?;
        }
        let ending = path.extension().and_then(|ending| ending.to_str());
        let fits = ending
            .is_some_and(|ending| MatchFile::endings().any(|one| ending.eq_ignore_ascii_case(one)));
        if fits && path.is_file() && files.len() < FILES_MAX {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns true for folders inside the named one that are passed over.
fn is_left_out(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || FOLDERS_LEFT_OUT.iter().any(|one| *one == name)
}

/// A function that returns true if a match is in the archive.
type KnownKey<'a> = dyn Fn(&ArchiveKey) -> Result<bool, Failure> + Sync + 'a;

/// Returns the matches of a file.
fn judge_file(
    (engine, settings): (&Engine, &Settings),
    path: &Path,
    (analyser, known): (&AnalysisKey, &KnownKey<'_>),
    stop: &Stop,
) -> Result<Vec<AnalysedFile>, StopReason> {
    let done = |number, key, result| AnalysedFile {
        path: path.to_owned(),
        number,
        key,
        result,
    };
    let bytes = match contents(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return Ok(vec![done(
                0,
                ArchiveKey::default(),
                Some(Err(error.into())),
            )]);
        }
    };
    let key = analyser.of_file(&bytes);
    if known(&key).map_err(StopReason::Archive)? {
        return Ok(vec![done(0, key, None)]);
    }
    let readings = match MatchFile::read_all(&bytes) {
        Ok(readings) => readings,
        // Such an error is about the whole file.
        Err(error) if matches!(error.reason(), Reason::Foreign(_)) => {
            return Ok(vec![done(0, key, Some(Err(error.into())))]);
        }
        Err(error) => {
            let before = bytes.iter().take(error.at());
            let place = match MatchFormat::of(&bytes).is_binary() {
                true => format!("byte {}", error.at()),
                false => format!("line {}", 1 + before.filter(|&&byte| byte == b'\n').count()),
            };
            return Ok(vec![done(0, key, Some(Err(within(place, error).into())))]);
        }
    };
    let count = readings.len();
    let numbered = (1..).zip(readings);
    let judged = numbered.map(|(number, reading)| {
        let number = if count == 1 { 0 } else { number };
        let key = analyser.of_match((&bytes, count), &reading);
        if known(&key).map_err(StopReason::Archive)? {
            return Ok(done(number, key, None));
        }
        match analyse(engine, settings, &reading, Rules::default(), stop) {
            Ok(analysis) => Ok(done(number, key, Some(Ok((reading, analysis))))),
            // A variant without its table, or a position that it does not have: the other matches are analysed.
            Err(error @ (EngineError::NoTable(_) | EngineError::Position(_))) => {
                Ok(done(number, key, Some(Err(error.into()))))
            }
            Err(error) => Err(StopReason::Engine(error)),
        }
    });
    judged.collect()
}

/// Returns the file name for one match of several in a file.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match (number, path.file_stem()) {
        (0, _) | (_, None) => path.to_owned(),
        (number, Some(stem)) => {
            let stem = if stem == "-" { "match".as_ref() } else { stem };
            let mut name = stem.to_owned();
            name.push(format!("-{number}.x"));
            path.with_file_name(name)
        }
    }
}

fn matches_are(count: u64) -> String {
    match count {
        1 => "1 match is".to_owned(),
        count => format!("{count} matches are"),
    }
}

fn contents(path: &Path) -> std::io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return files::read(path, MATCH_FILE_BYTES_MAX as u64);
    }
    let mut bytes = Vec::new();
    let most = MATCH_FILE_BYTES_MAX as u64 + 1;
    std::io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns true if this command wrote the file, or would write the same bytes now.
fn is_ours(path: &Path, format: MatchFormat, bytes: &[u8]) -> bool {
    let there = files::read(path, MATCH_FILE_BYTES_MAX as u64);
    there.is_ok_and(|there| there == bytes || format.is_annotated_by_us(&there))
}
