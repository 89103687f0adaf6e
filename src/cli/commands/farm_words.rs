//! The command of a job: from what was typed to what any machine can run, and back.
//!
//! Whoever submits a job writes down every argument, those that the configuration and the environment give among
//! them, with the files it reads by their contents. A machine that computes parses the same arguments, with its own
//! paths for the files, and never opens a file that did not come along.

use crate::cli::{Commands, Common, Failure};
use crate::farm::{FORMAT, FarmError, Programs, Shipped, Task, VERSION, WordPiece, look};
use crate::job::Elsewhere;
use clap::ArgMatches;
use clap::builder::Resettable;
use clap::parser::ValueSource;
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is particular about a command that a farm runs.
struct Kind {
    command: &'static str,
    /// Options and arguments with paths of files that are written.
    writes: &'static [&'static str],
    /// Those that make no sense on a farm.
    never: &'static [&'static str],
    /// Texts with players or nets in them.
    players: &'static [&'static str],
    /// Whether our engine uses the nets and tables of the common options.
    engine: bool,
}

/// The commands that a farm runs.
const KINDS: [Kind; 8] = [
    Kind {
        command: "rollout",
        writes: &["out"],
        never: &["part", "merge"],
        players: &["other_nets"],
        engine: true,
    },
    Kind {
        command: "label",
        writes: &["output"],
        never: &[],
        players: &[],
        engine: true,
    },
    Kind {
        command: "sample",
        writes: &["file"],
        never: &[],
        players: &[],
        engine: true,
    },
    Kind {
        command: "bench",
        writes: &["journal", "svg"],
        never: &[],
        players: &["player", "against"],
        engine: false,
    },
    Kind {
        command: "bench regret",
        writes: &["journal"],
        never: &[],
        players: &["player", "against", "judges"],
        engine: false,
    },
    Kind {
        command: "duel",
        writes: &["journal"],
        never: &["mat"],
        players: &["a", "b", "luck_adjusted"],
        engine: false,
    },
    Kind {
        command: "gate",
        writes: &["journal", "install"],
        never: &[],
        players: &["candidate", "against"],
        engine: false,
    },
    Kind {
        command: "tournament",
        writes: &["journal", "svg"],
        never: &[],
        players: &["players"],
        engine: false,
    },
];

/// Common options that decide what is computed or printed.
const COMMON: [&str; 5] = ["nets", "plies", "met", "seed", "format"];
/// What stands before the path in the text of a player.
const PLAYER_PATHS: [&str; 2] = ["nets=", "bearoff="];

fn known() -> String {
    KINDS.map(|kind| kind.command).join(", ")
}

/// The path of subcommands and the arguments of the last.
fn innermost<'a>(
    mut command: &'a clap::Command,
    mut matches: &'a ArgMatches,
) -> (Vec<String>, &'a clap::Command, &'a ArgMatches) {
    let mut path = Vec::new();
    while let Some((name, below)) = matches.subcommand() {
        let Some(sub) = command.find_subcommand(name) else {
            break;
        };
        path.push(name.to_owned());
        (command, matches) = (sub, below);
    }
    (path, command, matches)
}

fn kind(path: &[String]) -> Result<&'static Kind, Failure> {
    let name = path.join(" ");
    let found = KINDS.iter().find(|kind| kind.command == name);
    found
        .ok_or_else(|| Failure::usage(format!("a farm does not run '{name}'; it runs {}", known())))
}

/// Gathers pieces and files.
struct Writer {
    words: Vec<Vec<WordPiece>>,
    files: Vec<Shipped>,
}

impl Writer {
    /// A file or folder that comes along.
    fn file(&mut self, path: &Path) -> Result<WordPiece, Failure> {
        let shown = path.display().to_string();
        let there = self.files.iter().position(|file| file.path == shown);
        let number = match there {
            Some(number) => number,
            None => {
                if shown == "-" {
                    return Err(Failure::usage("a farm reads files, not standard input"));
                }
                self.files.push(look(path).map_err(Failure::file)?);
                self.files.len() - 1
            }
        };
        Ok(WordPiece::File(number))
    }

    /// A value of an argument.
    fn value(
        &mut self,
        (argument, kind): (&clap::Arg, &Kind),
        value: String,
    ) -> Result<Vec<WordPiece>, Failure> {
        let id = argument.get_id().as_str();
        Ok(if kind.writes.contains(&id) {
            vec![WordPiece::Output(value)]
        } else if id == "luck_adjusted" || id == "other_nets" {
            self.nets(&value)?
        } else if kind.players.contains(&id) {
            self.player(&value)?
        } else if argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() {
            vec![self.file(Path::new(&value))?]
        } else {
            vec![WordPiece::Text(value)]
        })
    }

    /// A name of nets, or their path.
    fn nets(&mut self, text: &str) -> Result<Vec<WordPiece>, Failure> {
        if matches!(text, "embedded" | "embedded:fast" | "embedded-fast") {
            return Ok(vec![WordPiece::Text(text.to_owned())]);
        }
        Ok(vec![self.file(Path::new(text))?])
    }

    /// The text of a player, with its files.
    fn player(&mut self, text: &str) -> Result<Vec<WordPiece>, Failure> {
        refuse_programs(text).map_err(Failure::usage)?;
        if !text.starts_with("gammond") {
            return Ok(vec![WordPiece::Text(text.to_owned())]);
        }
        let hidden = text.replace("embedded:fast", "embedded-fast");
        let mut pieces = Vec::new();
        for (number, part) in hidden.split(':').enumerate() {
            let colon = if number > 0 { ":" } else { "" };
            let path = PLAYER_PATHS
                .iter()
                .find_map(|begin| Some((begin, part.strip_prefix(begin)?)));
            match path {
                Some((begin, path)) if path != "none" => {
                    pieces.push(WordPiece::Text(format!("{colon}{begin}")));
                    for piece in self.nets(path)? {
                        pieces.push(match piece {
                            WordPiece::Text(text) => WordPiece::Text(text.replace('-', ":")),
                            other => other,
                        });
                    }
                }
                _ => pieces.push(WordPiece::Text(format!("{colon}{part}"))),
            }
        }
        Ok(pieces)
    }
}

/// Machines of a farm run no other programs.
fn refuse_programs(text: &str) -> Result<(), String> {
    let foreign = ["pipe:", "ubgi:", "external:"];
    match foreign.iter().find(|begin| text.starts_with(**begin)) {
        Some(begin) => Err(format!(
            "'{text}': machines of a farm start no other programs ({begin}) and call none"
        )),
        None => Ok(()),
    }
}

fn utf8(text: &OsStr) -> Result<String, Failure> {
    let text = text.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage("an argument is not UTF-8"))
}

/// What is typed, as a job.
///
/// # Errors
/// When it is no command that a farm runs, or a file is missing.
pub(super) fn task(
    commands: &dyn Commands,
    words: &[String],
    verify: f64,
    silence_s: u64,
) -> Result<Task, Failure> {
    let mut words: Vec<OsString> = words.iter().map(OsString::from).collect();
    // As the files are called.
    if words.first().is_some_and(|word| word == "bm") {
        words.splice(0..1, ["rollout".into()]);
    }
    words.insert(0, "gammond".into());
    let (command, matches) = commands.parse(&words)?;
    let common = commands.common(&matches)?;
    let (path, inner, matches) = innermost(&command, &matches);
    let kind = kind(&path)?;
    let mut writer = Writer {
        words: Vec::new(),
        files: Vec::new(),
    };
    let plain = commands.built_in();
    common_words(&mut writer, (&common, &plain), kind)?;
    let plain = path
        .iter()
        .try_fold(&plain, |found, name| found.find_subcommand(name));
    let mut places = Vec::new();
    for argument in inner.get_arguments().filter(|one| !one.is_global_set()) {
        let id = argument.get_id().as_str();
        let built_in = plain.and_then(|plain| plain.get_arguments().find(|one| one.get_id() == id));
        let Some(values) = given(argument, built_in, matches)? else {
            continue;
        };
        if kind.never.contains(&id) {
            return Err(Failure::usage(format!(
                "--{id}: not on a farm, which divides the work itself"
            )));
        }
        if id == "progress" || id == "quiet" {
            continue;
        }
        let long = argument.get_long();
        if !argument.get_action().takes_values() {
            if values.iter().any(|value| value == "true") {
                let long = long.unwrap_or(id);
                writer
                    .words
                    .push(vec![WordPiece::Text(format!("--{long}"))]);
            }
            continue;
        }
        for value in values {
            let mut pieces = writer.value((argument, kind), value)?;
            match long {
                Some(long) => {
                    pieces.insert(0, WordPiece::Text(format!("--{long}=")));
                    writer.words.push(pieces);
                }
                None => places.push(pieces),
            }
        }
    }
    if !places.is_empty() {
        writer.words.push(vec![WordPiece::Text("--".to_owned())]);
        writer.words.append(&mut places);
    }
    timeless(&path, &writer.words)?;
    // A rollout of a file: candidates, then games.
    let steps = path == ["rollout"] && matches.value_source("out").is_some();
    Ok(Task {
        format: FORMAT,
        version: VERSION.to_owned(),
        command: path,
        words: writer.words,
        files: writer.files,
        stages: 1 + u32::from(steps),
        verify_millionths: (verify * 1e6).round() as u32,
        silence_s,
    })
}

/// The values of an argument that is not as it is built in.
fn given(
    argument: &clap::Arg,
    built_in: Option<&clap::Arg>,
    matches: &ArgMatches,
) -> Result<Option<Vec<String>>, Failure> {
    let id = argument.get_id().as_str();
    let Some(source) = matches.value_source(id) else {
        return Ok(None);
    };
    let raw = matches.get_raw(id).into_iter().flatten();
    let values: Vec<String> = raw.map(utf8).collect::<Result<_, _>>()?;
    let defaults = built_in.map(|one| one.get_default_values().to_vec());
    let same = defaults.is_some_and(|defaults| {
        defaults.len() == values.len()
            && defaults
                .iter()
                .zip(&values)
                .all(|(a, b)| a.to_str() == Some(b))
    });
    let own = !matches!(source, ValueSource::DefaultValue) || !same;
    // A flag that is not given is false.
    let flag = !argument.get_action().takes_values() && source == ValueSource::DefaultValue;
    Ok((own && !(flag && same)).then_some(values))
}

/// The common options that are not as they are built in.
fn common_words(
    writer: &mut Writer,
    (common, built_in): (&Common, &clap::Command),
    kind: &Kind,
) -> Result<(), Failure> {
    let say = |name: &str| vec![WordPiece::Text(format!("--{name}="))];
    let usual = |name: &str, value: &str| {
        let found = built_in.get_arguments().find(|one| one.get_id() == name);
        found.is_some_and(|one| one.get_default_values().iter().any(|one| one == value))
    };
    if !usual("nets", &common.nets) {
        let mut nets = say("nets");
        nets.extend(writer.nets(&common.nets)?);
        writer.words.push(nets);
    }
    let met = match Path::new(&common.met) {
        path if path.is_file() => writer.file(path)?,
        _ => WordPiece::Text(common.met.clone()),
    };
    for (name, piece) in [
        ("met", met),
        ("plies", WordPiece::Text(common.plies.to_string())),
        ("seed", WordPiece::Text(common.seed.to_string())),
    ] {
        if matches!(&piece, WordPiece::Text(text) if usual(name, text)) {
            continue;
        }
        let mut words = say(name);
        words.push(piece);
        writer.words.push(words);
    }
    if let Some(format) = common.format {
        let value = clap::ValueEnum::to_possible_value(&format);
        let name = value.map(|value| value.get_name().to_owned());
        let mut words = say("format");
        words.push(WordPiece::Text(name.unwrap_or_default()));
        writer.words.push(words);
    }
    let folder = if kind.engine {
        common.bearoff_folder()
    } else {
        common.bearoff.clone()
    };
    let mut words = say("bearoff");
    match folder {
        Some(folder) if folder.as_os_str() != "none" => words.push(writer.file(&folder)?),
        Some(_) => words.push(WordPiece::Text("none".to_owned())),
        None if kind.engine => words.push(WordPiece::Text("none".to_owned())),
        None => return Ok(()),
    }
    writer.words.push(words);
    Ok(())
}

/// What ends by the clock comes out differently on each machine.
fn timeless(path: &[String], words: &[Vec<WordPiece>]) -> Result<(), Failure> {
    let by_clock = |word: &Vec<WordPiece>| matches!(word.first(), Some(WordPiece::Text(text)) if text.starts_with("time="));
    if path == ["rollout"] && words.iter().any(by_clock) {
        return Err(Failure::usage(
            "time=: a farm computes what is the same on every machine; say how many trials, or se= or jsd=",
        ));
    }
    Ok(())
}

/// Where the pieces of a job's arguments are on a machine.
pub(super) struct Places<'a> {
    pub(super) paths: &'a [PathBuf],
    /// The folder of what is written; none for where it was asked for.
    pub(super) scratch: Option<&'a Path>,
}

/// The command line of a job on this machine.
fn words(task: &Task, places: &Places<'_>) -> Result<Vec<OsString>, String> {
    let mut words: Vec<OsString> = vec!["gammond".into()];
    words.extend(task.command.iter().map(OsString::from));
    for pieces in &task.words {
        let mut word = OsString::new();
        for piece in pieces {
            match piece {
                WordPiece::Text(text) => word.push(text),
                WordPiece::File(number) => {
                    let path = places.paths.get(*number);
                    word.push(path.ok_or("a file did not come along")?);
                }
                WordPiece::Output(path) => match places.scratch {
                    None => word.push(path),
                    Some(scratch) => {
                        let name = Path::new(path).file_name().unwrap_or(OsStr::new("out"));
                        word.push(scratch.join(name));
                    }
                },
            }
        }
        words.push(word);
    }
    Ok(words)
}

/// Whether the arguments name only files that came along, and start nothing.
fn harmless(commands: &dyn Commands, task: &Task) -> Result<(), String> {
    let kind = KINDS
        .iter()
        .find(|kind| task.command.join(" ") == kind.command);
    let kind = kind.ok_or_else(|| format!("a farm does not run '{}'", task.command.join(" ")))?;
    let words = words_with(task);
    let mut command = without_environment(commands);
    // In place: the common options stand among those of the command only after that.
    let matches = command.try_get_matches_from_mut(&words);
    let matches = matches.map_err(|error| first_line(&error))?;
    let (_, inner, matches) = innermost(&command, &matches);
    for argument in inner.get_arguments() {
        let id = argument.get_id().as_str();
        let raw: Vec<String> = (matches.get_raw(id).into_iter().flatten())
            .map(|one| one.to_string_lossy().into_owned())
            .collect();
        let given = matches.value_source(id) == Some(ValueSource::CommandLine);
        if !given {
            continue;
        }
        if kind.never.contains(&id) || matches!(id, "config" | "log" | "log_json" | "threads") {
            return Err(format!("--{id} is not for a farm"));
        }
        let is_path = argument.get_value_parser().type_id() == TypeId::of::<PathBuf>();
        let named = matches!(id, "nets" | "other_nets" | "luck_adjusted" | "met");
        for value in raw {
            if kind.players.contains(&id) {
                refuse_programs(&value)?;
                for part in value.replace("embedded:fast", "embedded").split(':') {
                    let paths = PLAYER_PATHS.iter();
                    if let Some(path) = paths.filter_map(|begin| part.strip_prefix(begin)).next() {
                        own_name(path)?;
                    }
                }
                if matches!(id, "other_nets" | "luck_adjusted") {
                    own_name(&value)?;
                }
            } else if is_path || named {
                own_name(&value)?;
            }
        }
    }
    Ok(())
}

/// What stands in the place of every file when the arguments are looked at.
const HERE: &str = "\u{1}";

/// A name that is built in, or a file that came along.
fn own_name(text: &str) -> Result<(), String> {
    let built_in = ["embedded", "embedded:fast", "none"].contains(&text)
        || crate::equity::MatchEquityTable::named(text).is_ok();
    if text == HERE || built_in {
        return Ok(());
    }
    Err(format!("it reads '{text}', which did not come along"))
}

/// The arguments with [`HERE`] in the place of every file.
fn words_with(task: &Task) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["gammond".into()];
    words.extend(task.command.iter().map(OsString::from));
    for pieces in &task.words {
        let word: String = (pieces.iter())
            .map(|piece| match piece {
                WordPiece::Text(text) => text.as_str(),
                WordPiece::File(_) | WordPiece::Output(_) => HERE,
            })
            .collect();
        words.push(word.into());
    }
    words
}

/// The program's arguments as they are built in, whatever this machine's environment says.
fn without_environment(commands: &dyn Commands) -> clap::Command {
    let mut command = commands.built_in();
    for id in COMMON
        .into_iter()
        .chain(["bearoff", "threads", "log", "log_json", "config"])
    {
        command = command.mut_arg(id, |argument| {
            argument.env(Resettable::<clap::builder::OsStr>::Reset)
        });
    }
    command
}

fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().to_owned()
}

/// Runs a job's command on this machine.
///
/// # Errors
/// Why it cannot run.
pub(super) fn run(
    commands: &dyn Commands,
    task: &Task,
    places: &Places<'_>,
    threads: Option<usize>,
    elsewhere: &Arc<dyn Elsewhere>,
) -> Result<std::process::ExitCode, Failure> {
    harmless(commands, task).map_err(Failure::usage)?;
    let words = words(task, places).map_err(Failure::usage)?;
    let matches = without_environment(commands).try_get_matches_from(words);
    let matches = matches.map_err(|error| Failure::usage(first_line(&error)))?;
    commands.run(&matches, &mut |common| {
        common.elsewhere = Some(elsewhere.clone());
        common.threads = threads;
    })
}

/// Runs commands for a machine that computes.
#[derive(Debug)]
pub(super) struct OwnPrograms {
    pub(super) commands: &'static dyn Commands,
    pub(super) threads: Option<usize>,
}

impl Programs for OwnPrograms {
    fn run(
        &self,
        task: &Task,
        paths: &[PathBuf],
        scratch: &Path,
        elsewhere: Arc<dyn Elsewhere>,
    ) -> Result<(), String> {
        let places = Places {
            paths,
            scratch: Some(scratch),
        };
        match run(self.commands, task, &places, self.threads, &elsewhere) {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.to_string()),
        }
    }
}

/// The paths of a job's files where it was submitted: as they were, when they are there and the same.
pub(super) fn paths_here(task: &Task) -> Result<Vec<PathBuf>, FarmError> {
    let mut paths = Vec::new();
    for shipped in &task.files {
        let path = PathBuf::from(&shipped.path);
        if look(&path)?.files != shipped.files {
            let text = format!("{} is not what the job was submitted with", shipped.path);
            return Err(FarmError::Other(text));
        }
        paths.push(path);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::AllCommands;

    fn typed(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    fn check(line: &str) -> Task {
        task(&AllCommands, &typed(line), 0.0, 30).unwrap()
    }

    fn plain(task: &Task) -> Vec<String> {
        let words = words_with(task).into_iter();
        words
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn every_argument_is_said_and_files_come_along() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("positions");
        std::fs::write(&file, "4HPwATDgc/ABMA\n").unwrap();
        let file = file.display();
        let found = check(&format!("label {file} out.txt --plies 2 --seed 7"));
        assert_eq!(found.files.len(), 1);
        assert_eq!(found.stages, 1);
        let words = plain(&found);
        for wanted in ["--plies=2", "--seed=7", "--bearoff=none"] {
            assert!(
                words.iter().any(|word| word == wanted),
                "{wanted}: {words:?}"
            );
        }
        assert!(harmless(&AllCommands, &found).is_ok());
        assert_eq!(
            found.name(),
            check(&format!("label {file} out.txt --seed 7 --plies 2")).name()
        );
        assert_ne!(
            found.name(),
            check(&format!("label {file} out.txt --plies 2")).name()
        );
        let made = check(&format!("bm --bm-in {file} --out x.bm trials=36"));
        assert_eq!(
            (made.stages, &made.command[..]),
            (2, &["rollout".to_owned()][..])
        );
        assert!(harmless(&AllCommands, &made).is_ok());
        let one = check("rollout 4HPwATDgc/ABMA 31 top=2 trials=72");
        assert!(harmless(&AllCommands, &one).is_ok(), "{:?}", plain(&one));
        let duel = check("duel gammond:nets=embedded:fast:plies=1 pubeval --games 20");
        assert!(
            harmless(&AllCommands, &duel).is_ok(),
            "{:?}",
            harmless(&AllCommands, &duel)
        );
        assert!(plain(&duel).contains(&"gammond:nets=embedded:fast:plies=1".to_owned()));
    }

    #[test]
    fn what_a_farm_does_not_run_is_refused() {
        for (line, why) in [
            ("serve --listen 127.0.0.1:1", "does not run 'serve'"),
            ("label /nowhere out", "/nowhere"),
            ("duel pipe:rm random", "start no other programs"),
            ("duel random ubgi:sh", "start no other programs"),
            ("rollout 4HPwATDgc/ABMA time=100", "time="),
            ("duel random pubeval --mat folder", "not on a farm"),
        ] {
            let said = task(&AllCommands, &typed(line), 0.0, 30)
                .unwrap_err()
                .to_string();
            assert!(said.contains(why), "{line}: {said}");
        }
    }

    /// A job that somebody wrote by hand.
    #[test]
    fn a_job_reads_only_what_came_along_and_starts_nothing() {
        let by_hand = |command: &str, words: &[&str]| Task {
            format: FORMAT,
            version: VERSION.to_owned(),
            command: typed(command),
            words: (words.iter())
                .map(|word| vec![WordPiece::Text((*word).to_owned())])
                .collect(),
            files: Vec::new(),
            stages: 1,
            verify_millionths: 0,
            silence_s: 30,
        };
        for (command, words, why) in [
            ("label", &["/etc/passwd", "out"][..], "did not come along"),
            (
                "label",
                &["--nets=/etc", "\u{1}", "\u{1}"],
                "did not come along",
            ),
            (
                "label",
                &["--bearoff=/etc", "\u{1}", "\u{1}"],
                "did not come along",
            ),
            (
                "label",
                &["--config=/etc/passwd", "\u{1}", "\u{1}"],
                "not for a farm",
            ),
            ("duel", &["pipe:id", "random"], "start no other"),
            (
                "duel",
                &["gammond:nets=/etc", "random"],
                "did not come along",
            ),
            (
                "duel",
                &["random", "random", "--mat=/tmp/x"],
                "not for a farm",
            ),
            (
                "duel",
                &["random", "random", "--journal=/tmp/x"],
                "did not come along",
            ),
            ("serve", &["--listen=0.0.0.0:1"], "does not run"),
            ("farm worker", &[], "does not run"),
        ] {
            let said = harmless(&AllCommands, &by_hand(command, words)).unwrap_err();
            assert!(said.contains(why), "{command} {words:?}: {said}");
        }
    }
}
