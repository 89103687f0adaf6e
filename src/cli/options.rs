//! Options that subcommands share, and the engine, session and players made from them.

use super::farmed::farmed;
use super::{Failure, ProgressArgs, platform};
use clap::builder::{PossibleValue, RangedU64ValueParser, TypedValueParser};
use clap::error::ErrorKind;
use gammond_arena::player::{Defaults, Ours, Player, PlayerSpec, engine_builder};
use gammond_engine::bearoff::Tables;
use gammond_engine::engine::{Engine, EngineBuilder, Nets, THREADS_MAX};
use gammond_engine::equity::MatchEquityTable;
use gammond_engine::nn::CpuLevel;
use gammond_engine::query::{MoveFilter, Options, SETTINGS, Scope, Setting, SettingKind, Settings};
use gammond_game::{MatchState, Side, Variant};
use gammond_job::{Control, Real, RemoteExecutor, Whole};
use gammond_protocol::SettingError;
use gammond_server::Address;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Options that every subcommand understands.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Nets: `embedded`, `embedded:fast`, a net folder of ours, gnubg's `gnubg.weights` or `gnubg.wd`, or a net of
    /// PureTD (`.pt`).
    #[arg(
        long,
        global = true,
        env = "GAMMOND_NETS",
        default_value = "embedded",
        value_name = "PATH"
    )]
    pub(crate) nets: String,
    /// Plies of look-ahead, in gnubg's numbering; default: 0, the static evaluation, and 2 for the analysis of matches.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_PLIES",
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(0..=i64::from(Settings::PLIES_MAX))
    )]
    pub(crate) plies: Option<u8>,
    /// Threads that compute; default: all processors.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_THREADS",
        value_name = "N",
        value_parser = RangedU64ValueParser::<usize>::new().range(0..=THREADS_MAX as u64)
    )]
    pub(crate) threads: Option<usize>,
    /// Folder with bearoff databases, gnubg's (*.bd) and ours (*.race); `none` for none. Without it
    /// gammond/bearoff in the user's data folder, /usr/local/share or /usr/share is used.
    #[arg(long, global = true, env = "GAMMOND_BEAROFF", value_name = "DIR")]
    pub(crate) bearoff: Option<PathBuf>,
    /// Match equity table: kazaross-xg2 (the default), rockwell-kazaross, g11, mec26 (the default of the cube measure
    /// of benchmarks), or gnubg's XML file.
    #[arg(long, global = true, env = "GAMMOND_MET", value_name = "NAME|PATH")]
    pub(crate) met: Option<String>,
    /// Kernels of the nets: scalar, avx2 and others that `gammond doctor` names for this processor, whose answers have the
    /// same bits; default: the fastest.
    #[arg(long, global = true, env = "GAMMOND_KERNELS", value_name = "NAME", value_parser = kernels)]
    pub(crate) kernels: Option<CpuLevel>,
    /// Seed of everything that depends on chance; default: 1, and a new one each time for `play`.
    #[arg(long, global = true, env = "GAMMOND_SEED", value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Output for programs (json) or people (text).
    #[arg(long, global = true, env = "GAMMOND_FORMAT", value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Events to log on stderr: error, warn, info, debug, trace, or a filter such as `gammond=debug`.
    #[arg(
        long,
        global = true,
        env = "GAMMOND_LOG",
        default_value = "warn",
        value_name = "LEVEL"
    )]
    pub(crate) log: String,
    /// Log as JSON, one object a line.
    #[arg(long, global = true, env = "GAMMOND_LOG_JSON")]
    pub(crate) log_json: bool,
    /// TOML file whose keys are the long options; a table named after a subcommand holds its own.
    #[arg(long, global = true, env = "GAMMOND_CONFIG", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Executor of the parts of jobs, unless they are computed here.
    #[arg(skip)]
    pub(crate) remote: Option<Arc<dyn RemoteExecutor>>,
}

/// Returns the word of an option for kernels: `avx-512-vnni` for AVX-512 VNNI.
pub(crate) fn kernels_word(level: CpuLevel) -> String {
    level.name().to_ascii_lowercase().replace(' ', "-")
}

/// Reads the name of kernels that this processor has.
fn kernels(text: &str) -> Result<CpuLevel, String> {
    let all = CpuLevel::available();
    let wanted = text.to_ascii_lowercase();
    let found = all.iter().find(|level| kernels_word(**level) == wanted);
    found.copied().ok_or_else(|| {
        let names: Vec<String> = all.into_iter().map(kernels_word).collect();
        format!("this processor has {}", names.join(", "))
    })
}

/// Most games, positions or records that one command makes.
const COUNT_MAX: u64 = 1_000_000_000;
/// A number of games, positions or records.
pub(crate) type Count = Whole<1, COUNT_MAX>;
/// Points per game.
pub(crate) type Points = Real<-10, 10>;
/// Settings of every decision as options of a command, beside `--plies`: one for each of the table with that scope; of a
/// command that `PLAYS`, those of players.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecisionOptions<const PLAYS: bool>(Options);

/// Options of a command that searches.
pub(crate) type SearchOptions = DecisionOptions<false>;
/// Options of a command that plays.
pub(crate) type PlayingOptions = DecisionOptions<true>;

impl<const PLAYS: bool> DecisionOptions<PLAYS> {
    fn settings() -> impl Iterator<Item = &'static Setting> {
        let is_taken = |scope: Scope| match PLAYS {
            true => scope.is_of_player(),
            false => scope == Scope::Depth,
        };
        // `--plies` is an option of all commands.
        (SETTINGS.iter()).filter(move |one| is_taken(one.scope) && one.name != "plies")
    }

    /// Returns the options with those of all commands.
    pub(crate) fn options(&self, common: &Common) -> Options {
        let mut all = self.0.clone();
        all.plies = common.plies;
        all
    }

    /// Returns the settings of a player whose answers are one play each.
    pub(crate) fn one_play(&self, common: &Common) -> Settings {
        self.options(common).over(Settings {
            filter: MoveFilter::AUTO,
            ..Settings::default()
        })
    }
}

impl<const PLAYS: bool> clap::Args for DecisionOptions<PLAYS> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(Self::settings().map(|setting| {
            let (first, rest) = setting.help.split_at(1);
            let help = format!("{}{rest}: {}", first.to_uppercase(), setting.want());
            clap::Arg::new(setting.name)
                .long(setting.name)
                .value_name(setting.value_name())
                .help(help)
                .hide_possible_values(true)
                .value_parser(SettingParser(setting))
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl<const PLAYS: bool> clap::FromArgMatches for DecisionOptions<PLAYS> {
    fn from_arg_matches(matches: &clap::ArgMatches) -> Result<DecisionOptions<PLAYS>, clap::Error> {
        let mut options = DecisionOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &clap::ArgMatches) -> Result<(), clap::Error> {
        for setting in Self::settings() {
            if let Some(text) = matches.get_one::<String>(setting.name) {
                let set = self.0.set(setting.name, text);
                set.map_err(|error| clap::Error::raw(ErrorKind::ValueValidation, error))?;
            }
        }
        // A level is in the place of plies, so plies from a stronger source are in the place of a level.
        let source = |name| {
            let known = matches.try_contains_id(name).is_ok();
            known.then(|| matches.value_source(name)).flatten()
        };
        if source("plies") > source("level") {
            self.0.level = None;
        }
        Ok(())
    }
}

/// A parser that lets the texts of a setting's values pass.
#[derive(Clone)]
struct SettingParser(&'static Setting);

impl TypedValueParser for SettingParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        text: &OsStr,
    ) -> Result<String, clap::Error> {
        let setting = self.0;
        let read = move |text: String| match setting.read(&text) {
            Some(_) => Ok(text),
            None => Err(format!("expected {}", setting.want())),
        };
        (clap::builder::StringValueParser::new().try_map(read)).parse_ref(command, argument, text)
    }

    /// Returns the words, for completions.
    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        if self.0.kind != SettingKind::Word {
            return None;
        }
        let words = self.0.words.iter();
        Some(Box::new(words.map(|word| PossibleValue::new(*word))))
    }
}

/// Longest wait for another program that an option may ask for: a day.
const ANSWER_SECONDS_MAX: u64 = 24 * 60 * 60;

/// Options of commands that let players play.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct PlayerOptions {
    /// Longest wait for one answer of another program (`pipe:`, `ubgi:`, `external:`).
    #[arg(
        long,
        default_value_t = ANSWER_TIME_S,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..=ANSWER_SECONDS_MAX)
    )]
    pub(crate) answer_time: u64,
}

impl Default for PlayerOptions {
    fn default() -> PlayerOptions {
        PlayerOptions {
            answer_time: ANSWER_TIME_S,
        }
    }
}

/// Seconds that an answer of another program is waited for.
const ANSWER_TIME_S: u64 = 60;

farmed! {
    /// Options for the player to measure, and a second one to compare.
    struct Measured as MeasuredJob {
        /// Player to measure: `gammond[:nets=PATH][:bearoff=DIR][:plies=N…]`, `pubeval`, `random`, `pipe:COMMAND`,
        /// `ubgi:COMMAND`, `external:HOST:PORT`, or one of the laboratory, such as `td:FILE`.
        #[arg(long, default_value = "gammond", value_name = "PLAYER")]
        player: PlayerSpec,
        /// Another player on the same, with the paired difference; may be given several times.
        #[arg(long, value_name = "PLAYER")]
        against: Vec<PlayerSpec>,
    }
    dropped {
        #[command(flatten)]
        options: PlayerOptions,
    }
}

impl Measured {
    /// Opens the player and those of `--against`.
    pub(crate) fn open(&self, common: &Common) -> Result<Vec<Box<dyn Player>>, Failure> {
        let specs = std::iter::once(&self.player).chain(&self.against);
        common.players(specs, &self.options)
    }
}

/// Default of `--met`.
const DEFAULT_MET: &str = "kazaross-xg2";
/// Default of `--nets`.
const EMBEDDED: &str = "embedded";

/// Output format of one-shot commands.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    Json,
    Text,
    /// Comma-separated values; `analyse` and `players` only.
    Csv,
}

impl Common {
    /// Builds the engine of these options.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        Ok(self.engine_builder()?.build()?)
    }

    /// Returns a builder of the engine of these options.
    pub(crate) fn engine_builder(&self) -> Result<EngineBuilder, Failure> {
        let mut builder = engine_builder()
            .nets(nets_named(&self.nets))
            .threads(self.threads.unwrap_or(0))
            .met(self.match_equity_table()?);
        if let Some(folder) = self.bearoff_folder() {
            builder = builder.bearoff(folder);
        }
        Ok(builder)
    }

    /// Returns the folder whose bearoff databases are used: the one that was given, or the first place where such a
    /// folder is.
    pub(crate) fn bearoff_folder(&self) -> Option<PathBuf> {
        match &self.bearoff {
            Some(folder) if folder.as_os_str() == "none" => None,
            Some(folder) => Some(folder.clone()),
            None => data_folders()
                .map(|folder| folder.join("gammond/bearoff"))
                .find(|folder| folder.is_dir()),
        }
    }

    /// Returns the plies of look-ahead, where a command has no other default than 0.
    pub(crate) fn plies(&self) -> u8 {
        self.plies.unwrap_or(0)
    }

    /// Returns the seed, where a command has no other default than 1.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Returns the bearoff tables in the program and those of the folder that is used.
    pub(crate) fn tables(&self) -> Result<Tables, Failure> {
        Ok(match self.bearoff_folder() {
            Some(folder) => Tables::open(&folder)?,
            None => Tables::shared().clone(),
        })
    }

    /// Returns the options of our engine as a player, for specifications that leave them open.
    pub(crate) fn ours(&self) -> Ours {
        let mut options = Options::default();
        options.plies = self.plies.filter(|&plies| plies != 0);
        Ours {
            nets: (self.nets != EMBEDDED).then(|| PathBuf::from(&self.nets)),
            options: Box::new(options),
            bearoff: self.bearoff.clone(),
            osr: None,
        }
    }

    /// Returns the same for games of a variant: one that is answered from a table finds it where every engine does.
    pub(crate) fn ours_at(&self, variant: Variant) -> Ours {
        let mut ours = self.ours();
        if ours.bearoff.is_none() && variant.checkers() < Side::CHECKERS {
            ours.bearoff = self.bearoff_folder();
        }
        ours
    }

    /// Opens players of backgammon. The common options give the settings of our engine that they leave open; options that no player
    /// can take are refused.
    pub(crate) fn players<'a>(
        &self,
        specs: impl IntoIterator<Item = &'a PlayerSpec>,
        options: &PlayerOptions,
    ) -> Result<Vec<Box<dyn Player>>, Failure> {
        self.players_at(Variant::Backgammon, specs, options)
    }

    /// Opens players of a variant, as [`Common::players`].
    pub(crate) fn players_at<'a>(
        &self,
        variant: Variant,
        specs: impl IntoIterator<Item = &'a PlayerSpec>,
        options: &PlayerOptions,
    ) -> Result<Vec<Box<dyn Player>>, Failure> {
        let specs: Vec<&PlayerSpec> = specs.into_iter().collect();
        let ours = self.ours();
        let taken = specs.iter().any(|spec| spec.takes_engine_options());
        if !taken && ours != Ours::default() {
            let given = [
                (ours.nets.is_some(), "--nets"),
                (ours.options.plies.is_some(), "--plies"),
                (ours.bearoff.is_some(), "--bearoff"),
            ];
            let names = given.iter().filter(|given| given.0).map(|given| given.1);
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(Failure::usage(format!(
                "{names}: no player of this command accepts this option"
            )));
        }
        if self.plies() > Settings::PLIES_MAX {
            let most = Settings::PLIES_MAX;
            return Err(Failure::usage(format!(
                "--plies {}: expected 0 to {most}",
                self.plies()
            )));
        }
        let defaults = Defaults {
            variant,
            ours: self.ours_at(variant),
            met: self.match_equity_table()?,
            answer_time: Duration::from_secs(options.answer_time),
        };
        (specs.iter())
            .map(|spec| Ok(spec.open_with(&defaults)?))
            .collect()
    }

    fn quiet_stop(&self) -> Option<gammond_base::stop::Stop> {
        self.remote.as_ref().and_then(|one| one.quiet_stop())
    }

    /// Returns true if the command runs for another machine, and prints nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet_stop().is_some()
    }

    /// Returns the control of a command whose jobs other machines can compute.
    pub(crate) fn control(&self, progress: ProgressArgs) -> Result<Control<'static>, Failure> {
        let mut control = match self.quiet_stop() {
            Some(stop) => Control::new(stop, |_| {}),
            None => progress.control()?,
        };
        control.remote.clone_from(&self.remote);
        Ok(control)
    }

    /// Starts the threads of a job that computes in rayon's own pool.
    pub(crate) fn start_threads(&self) {
        if let Some(threads) = self.threads {
            // It fails only when the pool runs already, which is as good.
            let _ = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build_global();
        }
    }

    /// Returns the name or file of the match equity table.
    pub(crate) fn met_name(&self) -> &str {
        self.met.as_deref().unwrap_or(DEFAULT_MET)
    }

    /// Returns the requested match equity table.
    pub(crate) fn match_equity_table(&self) -> Result<MatchEquityTable, Failure> {
        let name = self.met_name();
        MatchEquityTable::named(name).or_else(|unknown| {
            let path = Path::new(name);
            if !path.exists() {
                return Err(Failure::file(unknown.to_string()));
            }
            MatchEquityTable::load(path).map_err(Failure::in_file(path))
        })
    }
}

impl Common {
    /// Returns the settings of requests in these options and `key=value` words.
    pub(crate) fn session(&self, words: &[String]) -> Result<Options, Failure> {
        let mut session = Options::default();
        let wrong = |error: SettingError| Failure::usage(error);
        if let Some(plies) = self.plies {
            session.set("plies", &plies.to_string()).map_err(wrong)?;
        }
        for word in words {
            let (key, value) = word.split_once('=').ok_or_else(|| no_setting(word))?;
            session.set(key, value).map_err(wrong)?;
        }
        let state = session.state(MatchState::default());
        state.map_err(Failure::usage)?;
        Ok(session)
    }
}

/// Returns the nets of this name or place.
pub(crate) fn nets_named(name: &str) -> Nets {
    match name {
        EMBEDDED => Nets::Embedded,
        "embedded:fast" => Nets::EmbeddedFast,
        path => Nets::Path(PathBuf::from(path)),
    }
}

/// Returns the folders for programs' data, the user's own first.
pub(crate) fn data_folders() -> impl Iterator<Item = PathBuf> {
    let shared = platform::SHARED_DATA_FOLDERS.iter().map(PathBuf::from);
    platform::data_folder().into_iter().chain(shared)
}

/// Returns a word where `key=value` belongs.
fn no_setting(word: &str) -> Failure {
    let message = if Path::new(word).is_file() {
        format!("'{word}' is a file; requests come on standard input: gammond pipe < {word}")
    } else if word.contains(':') && word.parse::<Address>().is_ok() {
        format!("'{word}' is not a setting; to listen there: gammond serve --listen {word}")
    } else {
        let file = word
            .contains(['.', '/'])
            .then(|| format!("; pipe reads standard input: gammond pipe < {word}"));
        format!(
            "'{word}' is not a setting (example: plies=2){}",
            file.unwrap_or_default()
        )
    };
    Failure::usage(message)
}
