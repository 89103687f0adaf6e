//! `gammond rollout`: one question from the shell, or a whole benchmark file.

use super::ask;
use super::signing::{Signer, Signers};
use crate::{
    Common, Count, Failure, InputFile, NetsArg, OutputFile, ProgressArgs, farmed, finish,
    nets_named, print, stopped, within,
};
use gammond_arena::benchmark::make::source::{self, Lists, Source, Unrolled};
use gammond_arena::benchmark::make::{
    Choosing, CubeStakes, FilterStudy, GAMES_PER_PART, Interest, LeftOut, Quota, Recipe,
    RecordRequest, RepeatComparison, Rolling, STAMP, again, header, records, settings_line, study,
};
use gammond_base::files;
use gammond_base::journal::{check_writable, create_whole};
use gammond_engine::engine::Engine;
use gammond_engine::query::{EngineAnswer, Question, RolloutAnswer, RolloutEnd, RolloutSettings};
use gammond_game::notation::MatchFile;
use gammond_job::{
    JobError, NotPortable, Progress, Real, Runner, Share, Whole, check_merged, merge,
};
use gammond_protocol::answerer::Answerer;
use gammond_protocol::verbs::rollout::name;
use gammond_protocol::{LineAction, Request, Session, TaskAnswer};
use gammond_report::render;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

farmed! {
    /// Arguments of the subcommand.
    struct Args as Job {
        /// A position in any form, a roll to compare its plays, then settings such as `trials=1296`; see
        /// protocol-specs/request-protocol.md. For a benchmark file: settings only.
        #[arg(required_unless_present_any = ["bm_in", "again"], value_name = "POSITION [ROLL] [KEY=VALUE]")]
        request: Vec<String>,
        /// Nets by which the side that is not on roll at the question plays; default: those of --nets.
        #[arg(long, value_name = "PATH", conflicts_with = "out")]
        other_nets: Option<NetsArg>,
        #[command(flatten)]
        file: FileArgs,
    }
    dropped {
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

farmed! {
    /// Options of benchmark files.
    #[command(next_help_heading = "Benchmark files")]
    struct FileArgs as FileJob {
        /// Roll out a record for each position of this file, `-` for stdin; may be given several times. Lines with a
        /// position in any form, perhaps with a roll; lines of a training file (`gammond sample dump`); a `.bm` file;
        /// a match file of any form that `gammond analyse` reads.
        #[arg(long, value_name = "FILE", requires = "out")]
        bm_in: Vec<InputFile>,
        /// Roll out the candidates of this `.bm` file again, and report how often another play is best.
        #[arg(long, value_name = "FILE.bm", requires = "out", conflicts_with_all = ["bm_in", "quota", "only"])]
        again: Option<InputFile>,
        /// The `.bm` file to write. Until it is complete everything is kept in journals beside it; the same command
        /// resumes from there.
        #[arg(long, value_name = "FILE.bm")]
        out: Option<OutputFile>,
        /// Candidates of each roll: the best so many at two plies; the best one without looking ahead may come on top.
        #[arg(long, default_value = "5", value_name = "N", requires = "out", conflicts_with = "cube")]
        best: Whole<2, 64>,
        /// Every play is a candidate; with --again reports how often the best one was not listed. With `=N` only the
        /// first N positions, and a table of what each filter keeps of the plays.
        #[arg(long, requires = "out", value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
        full: Option<Full>,
        /// Only rolls whose best plays differ at two plies (decided), or at which two plies choose another play than
        /// the static evaluation (disputed); or all.
        #[arg(
            long,
            value_name = "WHICH",
            default_value = "decided",
            requires = "out"
        )]
        only: Only,
        /// With se=: the precision that a loss needs, as a share of the loss at two plies. Plays far
        /// behind then have fewer games
        #[arg(long, default_value = "0", value_name = "SHARE", requires = "out")]
        error_share: Real<0, 1>,
        /// Number of records of a group of positions, such as `contact=1000` or `trapped=100`; may be given several
        /// times.
        #[arg(long, value_name = "GROUP=N", requires = "out")]
        quota: Vec<Quota>,
        /// Positions without a roll become `o` records, of the position before the roll; otherwise a roll is drawn.
        #[arg(long, requires = "out", conflicts_with = "cube")]
        before_roll: bool,
    }
    refused {
        /// Positions become `c` records: cubeful rollouts of a double at this score (both players need as many
        /// points), with the match winning chances without a double and after a take.
        #[arg(long, requires = "out", value_name = "AWAY", num_args = 0..=1, require_equals = true,
            default_missing_value = "7", conflicts_with_all = ["again", "full"], value_parser = clap::value_parser!(u8).range(2..=25))]
        cube: Option<u8>,
        /// Name of the contributor of the file, one word; it stands with the day in the first line.
        #[arg(long, value_name = "NAME", requires = "out", value_parser = word)]
        contributor: Option<String>,
        /// Sign the share, or the finished file, with this SSH key (Ed25519); the signature is beside it (FILE.sig).
        #[arg(long, value_name = "KEY", requires = "out")]
        sign: Option<PathBuf>,
        /// Merge only shares that these contributors have signed: a name and a public key a line (`allowed_signers`).
        #[arg(long, value_name = "FILE", requires = "merge")]
        signers: Option<PathBuf>,
        /// Compute only this share of the work.
        #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "merge")]
        part: Option<Share>,
        /// Put the journals of all shares together.
        #[arg(long, value_name = "JOURNAL", requires = "out")]
        merge: Vec<PathBuf>,
    }
}

/// Positions of which every play is a candidate: all, or the first so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    All,
    First(Count),
}

impl FromStr for Full {
    type Err = NotPortable;

    fn from_str(text: &str) -> Result<Full, NotPortable> {
        match text {
            "all" => Ok(Full::All),
            number => number.parse().map(Full::First),
        }
    }
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Full::All => f.write_str("all"),
            Full::First(number) => number.fmt(f),
        }
    }
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_words!(Full, Quota);

/// Longest name of a contributor, in characters.
const NAME_MAX: usize = 64;

/// Parses a name without blanks and control characters.
fn word(text: &str) -> Result<String, String> {
    let is_word = |text: &str| {
        !text
            .chars()
            .any(|one| one.is_whitespace() || one.is_control())
    };
    match (1..=NAME_MAX).contains(&text.chars().count()) && is_word(text) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "expected one word of at most {NAME_MAX} characters"
        )),
    }
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_it_is!(Only);

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Only {
    All,
    Decided,
    Disputed,
}

impl From<Only> for Interest {
    fn from(only: Only) -> Interest {
        match only {
            Only::All => Interest::All,
            Only::Decided => Interest::Decided,
            Only::Disputed => Interest::Disputed,
        }
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    match &args.file.out {
        None => one(common, args),
        Some(out) => make(common, args, out),
    }
}

/// Returns the engine that plays both sides.
fn engine(common: &Common, args: &Args) -> Result<Engine, Failure> {
    let mut builder = common.engine_builder()?;
    if let Some(nets) = &args.other_nets {
        builder = builder.other_nets(nets_named(&nets.0));
    }
    Ok(builder.build()?)
}

/// Hint printed when a rollout of one position was stopped: the figures cover all of its games, but no file is left.
const STOPPED: &str = "the figures are those of the games so far; the same command starts again \
    (with --bm-in FILE --out FILE.bm it resumes)";

/// Answers one question. If it is stopped, it prints the results so far.
fn one(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let (mut line, session) = ask::asked(common, "rollout", &args.request)?;
    let asked = match &mut line.request {
        Request::Position(request) => request.question.as_mut(),
        _ => None,
    };
    let Some(Question::Rollout(task)) = asked else {
        return Err(Failure::usage("that is not a rollout"));
    };
    task.progress = true;
    let task = task.clone();
    let engine = engine(common, args)?;
    let mut control = common.control(args.progress)?;
    let stop = control.stop.clone();
    #[cfg(feature = "farm")]
    if control.remote.is_some() {
        return on_farm(common, &engine, (&task, &line, session), &mut control);
    }
    let total = Some(task.settings.trials.into());
    let mut show = |known: &RolloutAnswer, last: bool| {
        let trials = known.candidates.iter().map(|one| one.trials).max();
        let done = trials.unwrap_or(0).into();
        let figures = render::rollout::figures(known, |one| name(&task, one));
        control.report_progress(Progress::new("trials", done, total).figures(figures), last);
    };
    if ask::is_for_people(common) {
        let begin = Instant::now();
        let found = engine.rollout(&task.query, &task.settings, &stop, &mut |known| {
            show(known, false);
        });
        let found = found?;
        show(&found, true);
        let board = render::board(&task.query.position, &task.query.state, task.roll);
        let took = begin.elapsed();
        let table = render::rollout::table(&found, |one| name(&task, one), took);
        let whole = found.ended != RolloutEnd::Stopped;
        return finish(&(board + &table), whole, None, STOPPED);
    }
    let LineAction::Ask(inquiry) = Session::new(session).request(line) else {
        return Err(Failure::usage("that is not a rollout"));
    };
    let mut out = Vec::new();
    let good =
        Answerer::new(&engine).answer_with_progress(&inquiry, &stop, &mut out, &mut |found| {
            if let TaskAnswer::Engine(EngineAnswer::Progress(known, _)) = found {
                show(known, false);
            }
        });
    drop(control);
    print(&out)?;
    Ok(if stop.is_triggered() {
        stopped(None, STOPPED)
    } else {
        ExitCode::from(u8::from(!good))
    })
}

#[cfg(feature = "farm")]
/// Answers one question whose games other machines play, and prints it as if they were played here.
fn on_farm(
    common: &Common,
    engine: &Engine,
    (task, line, session): (
        &gammond_engine::query::RolloutTask,
        &gammond_protocol::Line,
        gammond_protocol::Options,
    ),
    control: &mut gammond_job::Control<'_>,
) -> Result<ExitCode, Failure> {
    let begin = Instant::now();
    let job = gammond_arena::RolloutJob::new(engine, &task.query, &task.settings)?;
    let outcome = Runner::new().pool(engine.pool()).run(&job, control)?;
    let (found, took) = (outcome.sum.answer()?, begin.elapsed());
    if ask::is_for_people(common) {
        let board = render::board(&task.query.position, &task.query.state, task.roll);
        let table = render::rollout::table(&found, |one| name(task, one), took);
        return finish(&(board + &table), outcome.complete, None, STOPPED);
    }
    let LineAction::Ask(inquiry) = Session::new(session).request(line.clone()) else {
        return Err(Failure::usage("that is not a rollout"));
    };
    let mut out = Vec::new();
    let found = TaskAnswer::Engine(EngineAnswer::Rollout(found, took));
    Answerer::new(engine).found(&inquiry, &found, &mut out);
    print(&out)?;
    Ok(if outcome.complete {
        ExitCode::SUCCESS
    } else {
        stopped(None, STOPPED)
    })
}

/// Settings that a benchmark file can be made with.
const SETTINGS: [&str; 11] = [
    "trials",
    "truncate",
    "seed",
    "leafplies",
    "osr",
    "late",
    "vr",
    "se",
    "plies",
    "prune",
    "filter",
];

fn recipe(common: &Common, args: &Args) -> Result<Recipe, Failure> {
    for word in &args.request {
        let key = word.split_once('=').map_or(word.as_str(), |(key, _)| key);
        if !SETTINGS.iter().any(|one| one.eq_ignore_ascii_case(key)) {
            let known = SETTINGS.join(", ");
            let text = format!("'{word}' is no setting of a benchmark file; those are {known}");
            return Err(Failure::usage(text));
        }
    }
    let session = common.session(&args.request)?;
    let search = session.search();
    let mut session = session;
    session.seed = session.seed.or(Some(common.seed()));
    let mut rollout: RolloutSettings = session.rollout(&search);
    rollout.cubeful = args.file.cube.is_some();
    let cube = match args.file.cube {
        Some(away) => CubeStakes::new(away, &common.match_equity_table()?),
        None => None,
    };
    let error_share = args.file.error_share.get();
    if error_share > 0.0 && rollout.error.is_none() {
        return Err(Failure::usage(
            "--error-share: it is a share of a loss whose error se=NUMBER limits",
        ));
    }
    Ok(Recipe {
        rollout,
        error_share,
        best: args.file.best.to(),
        full: args.file.full.is_some(),
        interest: match args.file.again {
            Some(_) => Interest::All,
            None => args.file.only.into(),
        },
        quotas: args.file.quota.clone(),
        cube,
    })
}

fn make(common: &Common, args: &Args, out: &Path) -> Result<ExitCode, Failure> {
    let recipe = recipe(common, args)?;
    let (wanted, damaged) = wanted(&args.file, recipe.rollout.seed)?;
    let engine = common.engine()?;
    let files = Files::new(out, args.file.part);
    let header = header(&engine, &recipe, &wanted, "benchmark")?;
    let done = ExitCode::from(u8::from(damaged));
    if let Some(made) = existing(out)? {
        let same = STAMP.check(&header, &made);
        same.map_err(Failure::in_file(out))?;
        return finished(&args.file, out, &made).map(|()| done);
    }
    check_writable(out).map_err(Failure::in_file(out))?;
    let signer = args.file.sign.as_deref().map(Signer::open).transpose()?;
    let names = signed_by(&args.file)?;
    let merges = merge_shares(&args.file, &files.journal)?;
    let mut control = common.control(args.progress)?;
    let runner = Runner::new().pool(engine.pool());
    control.task = "candidates".to_owned();
    let choosing = Choosing::new(&engine, &recipe, &wanted)?;
    let choice = (runner.journal(Some(&files.candidates))).run(&choosing, &mut control)?;
    if !choice.complete {
        drop(control);
        return Ok(stopped(Some(&files.candidates), ""));
    }
    control.task = "rollouts".to_owned();
    let (chosen, left_out) = (choice.sum.records, choice.sum.left_out);
    let rolling = Rolling::new(&engine, &recipe, &chosen)?;
    let share = args.file.part.unwrap_or(Share::WHOLE);
    let runner = runner.journal(Some(&files.journal)).share(share);
    let outcome = runner.run(&rolling, &mut control).inspect_err(|error| {
        if merges && matches!(error, JobError::Changed { .. }) {
            // Shares of something else: nothing of theirs stays here.
            let _ = std::fs::remove_file(&files.journal);
        }
    })?;
    drop(control);
    if !outcome.complete {
        return Ok(stopped(Some(&files.journal), ""));
    }
    if args.file.part.is_some() {
        signer
            .as_ref()
            .map(|signer| signer.sign(&files.journal))
            .transpose()?;
        let journal = files.journal.display();
        stderr_line!("gammond: the share is in {journal}; --merge puts all shares together");
        return Ok(done);
    }
    let by = args.file.contributor.as_deref().or(names.as_deref());
    let day = gammond_server::console::today();
    let first = settings_line(&recipe, engine.net_name(), by.map(|name| [name, &day]));
    let lines = records(&recipe, &chosen, &outcome.sum);
    let text = STAMP.file(&header, &first, &lines);
    create_whole(out, text.as_bytes()).map_err(Failure::in_file(out))?;
    signer.as_ref().map(|signer| signer.sign(out)).transpose()?;
    for file in [&files.journal, &files.candidates] {
        std::fs::remove_file(file).map_err(Failure::in_file(file))?;
    }
    args.progress.report_made(chosen.len(), "record", out);
    report_left_out(args.progress, recipe.interest, left_out);
    if let Some(Full::First(_)) = args.file.full {
        let rows = study(&engine, &chosen, &outcome.sum)?;
        print(studied(&recipe, &rows).as_bytes())?;
    }
    if args.file.again.is_some() {
        print(compared(&recipe, &again(&chosen, &outcome.sum)).as_bytes())?;
    }
    Ok(done)
}

/// Merges the shares of `--merge` into `journal`. Returns true if it did; a journal that is there already must hold
/// all of their parts, as the file names their contributors.
fn merge_shares(args: &FileArgs, journal: &Path) -> Result<bool, Failure> {
    if args.merge.is_empty() {
        return Ok(false);
    }
    if journal.exists() {
        let checked = check_merged(journal, &args.merge).map_err(Failure::file);
        return checked.map(|()| false);
    }
    let merged = merge(journal, &args.merge).map_err(Failure::file);
    merged.map(|_| true)
}

/// Completes a finished file of the same command: signs it if its signature is missing or damaged.
fn finished(args: &FileArgs, out: &Path, text: &str) -> Result<(), Failure> {
    let settings = text.lines().next().unwrap_or_default();
    let mut words = settings.split_whitespace();
    let found = words
        .find(|word| *word == "contributor")
        .and_then(|_| words.next());
    if let Some(given) = &args.contributor
        && found != Some(given)
    {
        let found = found.map_or("none".to_owned(), |found| format!("\"{found}\""));
        return Err(Failure::in_file(out)(format!(
            "contributor is {found}, expected \"{given}\" by --contributor; left unchanged"
        )));
    }
    match (&args.sign, args.part) {
        (Some(key), None) => Signer::open(key)?.sign_if_unsigned(out),
        _ => Ok(()),
    }
}

/// Reports why positions became no records.
fn report_left_out(to: ProgressArgs, interest: Interest, left_out: LeftOut) {
    let undecided = match interest {
        Interest::All => "with fewer than two plays",
        Interest::Decided => "with one play, or plays that are equal at two plies (see --only)",
        Interest::Disputed => {
            "with one play, or the same best play at 0 and two plies (see --only)"
        }
    };
    let all = [
        (left_out.undecided, undecided),
        (left_out.other_groups, "of groups that no --quota names"),
        (left_out.full_quotas, "of groups whose --quota was full"),
    ];
    let some = all.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> = some.map(|(count, why)| format!("{count} {why}")).collect();
    if !reasons.is_empty() {
        to.report(&format!("left out: {}", reasons.join("; ")));
    }
}

/// Returns the contributors that have signed the shares, each once, with commas between; none without `--signers`.
fn signed_by(args: &FileArgs) -> Result<Option<String>, Failure> {
    let Some(signers) = args.signers.as_deref().map(Signers::open).transpose()? else {
        return Ok(None);
    };
    let mut names: Vec<&str> = Vec::new();
    for journal in &args.merge {
        let name = signers.signer_of(journal)?;
        stderr_line!("gammond: {}: signed by {name}", journal.display());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Some(names.join(",")))
}

/// Files that keep the work until it is complete.
struct Files {
    candidates: PathBuf,
    journal: PathBuf,
}

impl Files {
    fn new(out: &Path, share: Option<Share>) -> Files {
        let part = share.map_or(String::new(), |share| {
            format!(".{}", share.to_string().replace('/', "-"))
        });
        let beside = |end: &str| {
            let mut name = out.as_os_str().to_owned();
            name.push(format!("{part}.{end}"));
            PathBuf::from(name)
        };
        Files {
            candidates: beside("candidates"),
            journal: beside("journal"),
        }
    }
}

/// Returns the text of an existing output file; `None` when there is none.
fn existing(out: &Path) -> Result<Option<String>, Failure> {
    match std::fs::metadata(out) {
        Ok(_) => files::read_text(out, files::RECORDS_BYTES_MAX)
            .map(Some)
            .map_err(Failure::in_file(out)),
        Err(_) => Ok(None),
    }
}

/// Returns the wanted records, and whether lines were wrong; wrong lines are reported.
fn wanted(args: &FileArgs, seed: u64) -> Result<(Vec<RecordRequest>, bool), Failure> {
    let unrolled = if args.before_roll || args.cube.is_some() {
        Unrolled::BeforeRoll
    } else {
        Unrolled::ByLot(seed)
    };
    // The lists of another file are no advice, but for those that are rolled out again.
    let lists = match args.again {
        Some(_) => Lists::Used,
        None => Lists::Ignored,
    };
    if args.bm_in.is_empty() && args.again.is_none() {
        return Err(Failure::usage(
            "--out writes the positions of files: --bm-in FILE is missing (example: --bm-in positions.txt)",
        ));
    }
    let (mut wanted, mut damaged) = (Vec::new(), false);
    for path in args.bm_in.iter().chain(&args.again) {
        let (found, wrong) = read(path, unrolled, lists)?;
        for (line, reason) in &wrong {
            stderr_line!("gammond: {}: line {line}: {reason}", path.display());
        }
        damaged |= !wrong.is_empty();
        wanted.extend(found);
    }
    if let Some(Full::First(most)) = args.full {
        wanted.truncate(most.to());
    }
    if args.cube.is_some() {
        wanted.iter_mut().for_each(|one| one.roll = None);
    }
    if wanted.is_empty() {
        let named: Vec<String> = (args.bm_in.iter().chain(&args.again))
            .map(|path| path.display().to_string())
            .collect();
        return Err(Failure::file(within(
            named.join(", "),
            "contains no position",
        )));
    }
    Ok((wanted, damaged))
}

fn read(path: &Path, unrolled: Unrolled, lists: Lists) -> Result<Source, Failure> {
    let bytes = if path.as_os_str() == "-" {
        let mut bytes = Vec::new();
        let mut input = std::io::stdin().take(files::RECORDS_BYTES_MAX);
        input
            .read_to_end(&mut bytes)
            .map_err(Failure::in_file(path))?;
        bytes
    } else {
        files::read(path, files::RECORDS_BYTES_MAX).map_err(Failure::in_file(path))?
    };
    let ending = path.extension().and_then(|ending| ending.to_str());
    if MatchFile::is_meant(ending, &bytes) {
        return source::of_match(&bytes, unrolled).map_err(Failure::in_file(path));
    }
    Ok(source::lines(&bytes, unrolled, lists))
}

/// Returns the table of a study of filters.
fn studied(recipe: &Recipe, rows: &[FilterStudy]) -> String {
    let decisions = rows.first().map_or(0, |row| row.loss.count());
    let mut text = format!(
        "{decisions} decisions, every play rolled out, up to {} games each\n\
         filter    kept   of plays  best not kept  clearly  points lost\n",
        recipe.rollout.trials
    );
    for row in rows {
        text.push_str(&format!(
            "{:<7} {:>6.1} {:>10.1} {:>14} {:>8} {:>12.5}\n",
            row.filter,
            row.kept.mean(),
            row.plays.mean(),
            row.missed,
            row.clearly,
            row.loss.mean()
        ));
    }
    text
}

fn compared(recipe: &Recipe, again: &RepeatComparison) -> String {
    let percent = |count: u64| 100.0 * count as f64 / again.records.max(1) as f64;
    let certain = again.records - again.uncertain;
    let clearly = match certain {
        0 => String::new(),
        _ => format!(
            ", by more than two standard errors in {} ({:.1} %)",
            again.clearly,
            percent(again.clearly)
        ),
    };
    let spread = match again.records {
        0 | 1 => String::new(),
        _ => format!(" +- {:.5}", again.loss.standard_error()),
    };
    let mut text = format!(
        "{} records: another play is best in {} ({:.1} %){clearly}\n\
         the play that was best loses {:.5}{spread} points\n",
        again.records,
        again.changed,
        percent(again.changed),
        again.loss.mean(),
    );
    if certain > 0 {
        text.push_str(&format!(
            "standard error of the least certain loss of a record: {:.5} on average\n",
            again.error.mean()
        ));
    }
    if again.uncertain > 0 {
        text.push_str(&format!(
            "no standard error is known in {} records: {} games of each candidate are one batch; expected trials={} or more\n",
            again.uncertain,
            recipe.rollout.trials,
            2 * GAMES_PER_PART
        ));
    }
    if recipe.full {
        text.push_str(&format!(
            "the best play was not listed in {} ({:.1} %)\n",
            again.missed,
            percent(again.missed)
        ));
    }
    text
}
