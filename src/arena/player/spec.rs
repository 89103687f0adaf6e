//! Players as they are written: `gammond[:nets=PATH][:bearoff=DIR][:osr=N][:SETTING=VALUE…]`, `pr:N` and `elo:N` with the
//! same parts behind them, `pubeval`, `random`,
//! `linear[:FILE]`, `expectiminimax[:depth=N][:eval=PLAYER]`, `td:FILE[:sides=swap|invert]`, `hillclimb:FILE`,
//! `parts:FILE`, `pipe:COMMAND`, `ubgi:COMMAND`, `external:HOST:PORT`.

use super::classic::{ClassicPlayer, Sides};
use super::expectiminimax::{DEPTH_MAX, Expectiminimax};
use super::linear::Linear;
use super::ours::{FAST, Gammond, Ours};
use super::parts::{NESTED, Parts, PartsFile, short_name};
use super::program::{ANSWER_TIME, ProgramPlayer, ProgramProtocol};
use super::pubeval::PubEval;
use super::random::Random;
use super::{Player, PlayerError};
use gammond_engine::equity::MatchEquityTable;
use gammond_engine::eval::osr::GAMES_MAX;
use gammond_engine::query::{SETTINGS, Setting};
use gammond_game::Variant;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Names of what is outside of a player.
pub trait Naming: Clone + Debug + PartialEq {
    /// A file or folder.
    type File: Clone + Debug + PartialEq;
    /// The settings of our engine.
    type Engine: Clone + Debug + PartialEq;
    /// A file that describes a player of parts.
    type PartsFile: Clone + Debug + PartialEq;
    /// A command or an address.
    type Program: Clone + Debug + PartialEq;
}

/// Names on this machine: paths, commands and addresses.
#[derive(Clone, Debug, PartialEq)]
pub enum Here {}

impl Naming for Here {
    type File = PathBuf;
    type Engine = Ours;
    type PartsFile = PathBuf;
    type Program = String;
}

/// A player's specification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[serde(bound(
    serialize = "N::File: Serialize, N::Engine: Serialize, N::Program: Serialize",
    deserialize = "N::File: Deserialize<'de>, N::Engine: Deserialize<'de>, N::Program: Deserialize<'de>"
))]
#[non_exhaustive]
pub enum PlayerSpec<N: Naming = Here> {
    /// Our engine.
    Gammond(N::Engine),
    /// Tesauro's linear benchmark player.
    #[serde(rename = "pubeval")]
    PubEval,
    /// Any legal play, all equally likely.
    Random,
    /// A weighted sum of features: of this file, or the built-in one.
    Linear(Option<N::File>),
    /// Full-width look-ahead over another player.
    Expectiminimax {
        /// Plies.
        depth: u8,
        /// The player that values positions.
        eval: Box<PlayerSpec<N>>,
    },
    /// A classic net.
    Classic {
        /// Origin of the net.
        kind: ClassicKind,
        /// Its file.
        file: N::File,
        /// View of the board under which it plays; `None` for the file's own.
        sides: Option<Sides>,
    },
    /// Put together from parts that this file names.
    #[serde(skip)]
    Parts(N::PartsFile),
    /// Put together from parsed parts.
    #[serde(rename = "parts")]
    Assembled(Box<PartsSpec<N>>),
    /// Another program: `POSITIONID D1 D2` in, the Position ID after its play out.
    Pipe(N::Program),
    /// Another program that speaks UBGI on its standard input and output.
    Ubgi(N::Program),
    /// A program that listens at `HOST:PORT` for questions of gnubg's external protocol.
    External(N::Program),
}

/// Origin of a classic net; both play the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassicKind {
    /// Temporal differences.
    Td,
    /// Hill climbing.
    HillClimb,
}

impl ClassicKind {
    const fn name(self) -> &'static str {
        match self {
            ClassicKind::Td => "td",
            ClassicKind::HillClimb => "hillclimb",
        }
    }
}

impl FromStr for PlayerSpec {
    type Err = PlayerError;

    fn from_str(text: &str) -> Result<PlayerSpec, PlayerError> {
        let refuse = |reason: &str| PlayerError::Spec {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
        let others: [(&str, fn(String) -> PlayerSpec); 3] = [
            ("pipe:", PlayerSpec::Pipe),
            ("ubgi:", PlayerSpec::Ubgi),
            ("external:", PlayerSpec::External),
        ];
        for (prefix, other) in others {
            if let Some(target) = text.strip_prefix(prefix) {
                if target.trim().is_empty() {
                    return Err(refuse("expected a command or HOST:PORT after the colon"));
                }
                return Ok(other(target.to_owned()));
            }
        }
        if let Some(classical) = classical(text, &refuse) {
            return classical;
        }
        // The one name of nets with a colon in it.
        let text = text.replace(FAST, "embedded-fast");
        let mut parts = text.split(':');
        match parts.next().unwrap_or_default() {
            "pubeval" => Ok(PlayerSpec::PubEval),
            "random" => Ok(PlayerSpec::Random),
            "linear" => Ok(PlayerSpec::Linear(None)),
            "gammond" => Ok(PlayerSpec::Gammond(our_engine(parts, &refuse)?)),
            // People of an error rate, or of a rating.
            name @ ("pr" | "elo") => {
                let setting = format!("{name}={}", parts.next().unwrap_or_default());
                let parts = [setting.as_str()].into_iter().chain(parts);
                Ok(PlayerSpec::Gammond(our_engine(parts, &refuse)?))
            }
            _ => Err(refuse(
                "expected gammond, pubeval, random, pipe:COMMAND, ubgi:COMMAND, external:HOST:PORT, linear, expectiminimax, td:FILE, hillclimb:FILE, parts:FILE, pr:N or elo:N",
            )),
        }
    }
}

/// Returns the settings that our engine takes as a player.
pub(super) fn player_settings() -> impl Iterator<Item = &'static Setting> {
    (SETTINGS.iter()).filter(|setting| setting.scope.is_of_player())
}

fn is_of_player(name: &str) -> bool {
    Setting::named(name).is_some_and(|setting| setting.scope.is_of_player())
}

/// Parses the settings after the word `gammond`.
fn our_engine<'a>(
    parts: impl Iterator<Item = &'a str>,
    refuse: &impl Fn(&str) -> PlayerError,
) -> Result<Ours, PlayerError> {
    let mut ours = Ours::default();
    for part in parts {
        match part.split_once('=') {
            Some(("nets", "embedded-fast")) => ours.nets = Some(PathBuf::from(FAST)),
            Some(("nets", path)) => ours.nets = Some(PathBuf::from(path)),
            Some(("bearoff", folder)) => ours.bearoff = Some(PathBuf::from(folder)),
            Some(("osr", number)) => {
                let games = number.parse().ok();
                let games = games.filter(|games| (1..=GAMES_MAX).contains(games));
                let games =
                    games.ok_or_else(|| refuse(&format!("osr: expected 1 to {GAMES_MAX}")))?;
                ours.osr = Some(games);
            }
            Some((name, value)) if is_of_player(name) => {
                let set = ours.options.set(name, value);
                set.map_err(|error| refuse(&error.to_string()))?;
            }
            _ => {
                let names: Vec<&str> = player_settings().map(|setting| setting.name).collect();
                return Err(refuse(&format!(
                    "expected nets=PATH, bearoff=DIR, osr=N or one of the settings {} after the colon",
                    names.join(", ")
                )));
            }
        }
    }
    Ok(ours)
}

const EXPECTIMINIMAX: &str = "expectiminimax";
/// The reason for refusing a look-ahead over a look-ahead.
pub(super) const LOOKS_AHEAD: &str =
    "eval: a player that looks ahead cannot be the evaluator; give depth=2";

/// Returns a player that is written with a file, or with another player, behind its name; none when the text is
/// another's.
fn classical(
    text: &str,
    refuse: &impl Fn(&str) -> PlayerError,
) -> Option<Result<PlayerSpec, PlayerError>> {
    for kind in [ClassicKind::Td, ClassicKind::HillClimb] {
        let rest = text.strip_prefix(kind.name());
        if let Some(rest) = rest.and_then(|rest| rest.strip_prefix(':')) {
            let (file, sides) = match rest.rsplit_once(":sides=") {
                Some((file, name)) => (file, Sides::named(name).map(Some)),
                // As the file has it.
                None => (rest, Some(None)),
            };
            return Some(match (file, sides) {
                (_, None) => Err(refuse("sides: expected swap or invert")),
                ("", _) => Err(refuse("expected a net file after the colon")),
                (file, Some(sides)) => Ok(PlayerSpec::Classic {
                    kind,
                    file: PathBuf::from(file),
                    sides,
                }),
            });
        }
    }
    let of_file: [(&str, fn(PathBuf) -> PlayerSpec); 2] = [
        ("linear:", |path| PlayerSpec::Linear(Some(path))),
        ("parts:", PlayerSpec::Parts),
    ];
    for (prefix, made) in of_file {
        if let Some(file) = text.strip_prefix(prefix) {
            return Some(match file.is_empty() {
                true => Err(refuse("expected a TOML file after the colon")),
                false => Ok(made(PathBuf::from(file))),
            });
        }
    }
    let rest = text.strip_prefix(EXPECTIMINIMAX)?;
    (rest.is_empty() || rest.starts_with(':')).then(|| expectiminimax(rest, refuse))
}

/// Parses the text after the word `expectiminimax`: `:depth=N`, then `:eval=PLAYER` to the end.
fn expectiminimax(
    mut rest: &str,
    refuse: impl Fn(&str) -> PlayerError,
) -> Result<PlayerSpec, PlayerError> {
    let (mut depth, mut eval) = (1, PlayerSpec::Linear(None));
    while !rest.is_empty() {
        if let Some(text) = rest.strip_prefix(":eval=") {
            eval = text.parse()?;
            if matches!(eval, PlayerSpec::Expectiminimax { .. }) {
                return Err(refuse(LOOKS_AHEAD));
            }
            break;
        }
        let number = rest.strip_prefix(":depth=");
        let number = number.ok_or_else(|| {
            refuse("expected depth=1 or depth=2, then eval=PLAYER, which goes to the end")
        })?;
        let (number, behind) = number.split_at(number.find(':').unwrap_or(number.len()));
        let found = number.parse().ok();
        let found = found.filter(|found| (1..=DEPTH_MAX).contains(found));
        depth = found.ok_or_else(|| refuse("depth: expected 1 or 2"))?;
        rest = behind;
    }
    let eval = Box::new(eval);
    Ok(PlayerSpec::Expectiminimax { depth, eval })
}

impl<N: Naming> PlayerSpec<N> {
    /// Returns true if it is assembled from parts, or looks ahead with a player that is.
    pub(super) fn has_parts(&self) -> bool {
        match self {
            PlayerSpec::Parts(_) | PlayerSpec::Assembled(_) => true,
            PlayerSpec::Expectiminimax { eval, .. } => eval.has_parts(),
            _ => false,
        }
    }
}

impl PlayerSpec {
    /// Returns the same player with the paths of its files seen from this folder.
    pub(super) fn seen_from(self, folder: &Path) -> PlayerSpec {
        match self {
            PlayerSpec::Linear(path) => PlayerSpec::Linear(path.map(|path| folder.join(path))),
            PlayerSpec::Classic { kind, file, sides } => PlayerSpec::Classic {
                kind,
                file: folder.join(file),
                sides,
            },
            PlayerSpec::Expectiminimax { depth, eval } => PlayerSpec::Expectiminimax {
                depth,
                eval: Box::new(eval.seen_from(folder)),
            },
            other => other,
        }
    }

    /// Returns the short name of the people that it plays as: `PR 8`, `Elo 1700`; `None` for other players.
    #[must_use]
    pub fn people(&self) -> Option<String> {
        match self {
            PlayerSpec::Gammond(ours) => ours.people(),
            _ => None,
        }
    }

    /// Returns true if it contains our engine, so that options of the engine apply.
    #[must_use]
    pub fn takes_engine_options(&self) -> bool {
        match self {
            PlayerSpec::Gammond(_) => true,
            PlayerSpec::Expectiminimax { eval, .. } => eval.takes_engine_options(),
            _ => false,
        }
    }

    /// Returns the player itself, with `defaults` where the text has no value.
    ///
    /// # Errors
    /// When files are missing or a program does not start.
    pub fn open_with(&self, defaults: &Defaults) -> Result<Box<dyn Player>, PlayerError> {
        let program = |speech, target: &str| {
            ProgramPlayer::start(speech, target, defaults.answer_time).map(Box::new)
        };
        Ok(match self {
            PlayerSpec::Gammond(ours) => {
                Box::new(Gammond::open(&ours.or(&defaults.ours), defaults)?)
            }
            PlayerSpec::PubEval => Box::new(PubEval::default()),
            PlayerSpec::Random => Box::new(Random),
            PlayerSpec::Linear(path) => Box::new(Linear::open(path.as_deref())?),
            PlayerSpec::Expectiminimax { depth, eval } => {
                let eval = eval.open_with(defaults)?;
                let name = eval.name();
                let player = Expectiminimax::new(*depth, eval);
                Box::new(player.ok_or_else(|| PlayerError::Spec {
                    text: format!("{EXPECTIMINIMAX}:depth={depth}:eval={name}"),
                    reason: format!("{name} does not value positions"),
                })?)
            }
            PlayerSpec::Classic { kind, file, sides } => {
                Box::new(ClassicPlayer::open(kind.name(), file, *sides)?)
            }
            PlayerSpec::Parts(path) => Box::new(PartsSpec::read(path)?.open(defaults)?),
            PlayerSpec::Assembled(parts) => Box::new(parts.open(defaults)?),
            PlayerSpec::Pipe(command) => program(ProgramProtocol::Ids, command)?,
            PlayerSpec::Ubgi(command) => program(ProgramProtocol::Ubgi, command)?,
            PlayerSpec::External(at) => program(ProgramProtocol::External, at)?,
        })
    }

    /// Returns the player itself.
    ///
    /// # Errors
    /// As [`PlayerSpec::open_with`].
    pub fn open(&self) -> Result<Box<dyn Player>, PlayerError> {
        self.open_with(&Defaults::default())
    }
}

/// A player put together from parts, as its file describes it; the parts themselves are not opened yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[serde(bound(
    serialize = "PlayerSpec<N>: Serialize",
    deserialize = "PlayerSpec<N>: Deserialize<'de>"
))]
pub struct PartsSpec<N: Naming = Here> {
    /// Its name in reports.
    pub(super) name: String,
    /// The file that describes it, for error messages; none where only its contents came along.
    #[serde(skip)]
    pub(super) file: Option<N::PartsFile>,
    /// Plays positions with contact.
    pub(super) contact: PlayerSpec<N>,
    /// Plays crashed positions; `contact` does when left out.
    pub(super) crashed: Option<PlayerSpec<N>>,
    /// Plays races.
    pub(super) race: PlayerSpec<N>,
    /// True if the one-sided table answers when both sides are home.
    pub(super) one_sided: bool,
}

impl PartsSpec {
    /// Reads the file that describes a player, without opening any part.
    pub(super) fn read(path: &Path) -> Result<PartsSpec, PlayerError> {
        let plan = PartsFile::read(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let part = |key: &str, text: &str| {
            let wrong = |error| PlayerError::in_file(path, format!("{key}: {error}"));
            let spec: PlayerSpec = text.parse().map_err(wrong)?;
            if spec.has_parts() {
                return Err(wrong(PlayerError::Spec {
                    text: text.to_owned(),
                    reason: NESTED.to_owned(),
                }));
            }
            Ok(spec.seen_from(folder))
        };
        Ok(PartsSpec {
            name: match plan.name {
                Some(name) => short_name(&name),
                None => format!("parts:{}", path.display()),
            },
            file: Some(path.to_owned()),
            contact: part("contact", &plan.contact)?,
            crashed: (plan.crashed.as_deref())
                .map(|text| part("crashed", text))
                .transpose()?,
            race: part("race", &plan.race)?,
            one_sided: plan.one_sided,
        })
    }

    fn open(&self, defaults: &Defaults) -> Result<Parts, PlayerError> {
        let unnamed = Path::new("a player put together from parts");
        Parts::new(
            (&self.name, self.file.as_deref().unwrap_or(unnamed)),
            (&self.contact, self.crashed.as_ref(), &self.race),
            self.one_sided,
            &|part| part.open_with(defaults),
        )
    }
}

/// Defaults for players whose texts leave settings out.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// The variant that is played.
    pub variant: Variant,
    /// Settings of our engine.
    pub ours: Ours,
    /// The match equity table that our engine plays matches by.
    pub met: MatchEquityTable,
    /// Timeout of one answer of another program.
    pub answer_time: Duration,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults {
            variant: Variant::default(),
            ours: Ours::default(),
            met: MatchEquityTable::default(),
            answer_time: ANSWER_TIME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::query::Options;

    fn options(pairs: &[(&str, &str)]) -> Options {
        let mut options = Options::default();
        for (name, value) in pairs {
            options.set(name, value).unwrap();
        }
        options
    }

    /// A setting of the table that a player takes is one without a word here.
    #[test]
    fn settings_of_the_table_are_read() {
        for setting in player_settings() {
            let value = setting.words.first().copied().unwrap_or("0");
            let text = format!("gammond:{}={value}", setting.name);
            let read: PlayerSpec = text.parse().unwrap();
            let PlayerSpec::Gammond(ours) = read else {
                panic!("{text}");
            };
            assert_eq!(*ours.options, options(&[(setting.name, value)]), "{text}");
        }
        // LV-04.
        for (text, pairs) in [
            ("pr:8", &[("pr", "8")][..]),
            ("elo:1700:seed=4", &[("elo", "1700"), ("seed", "4")]),
            ("pr:5:plies=0", &[("pr", "5"), ("plies", "0")]),
        ] {
            let Ok(PlayerSpec::Gammond(ours)) = text.parse() else {
                panic!("{text}");
            };
            assert_eq!(*ours.options, options(pairs), "{text}");
        }
        for (text, people, name) in [
            ("pr:8", Some("PR 8"), "pr:8:plies=2 ("),
            (
                "gammond:pr=8.5:seed=4",
                Some("PR 8.5"),
                "pr:8.5:plies=2:seed=4 (",
            ),
            ("elo:1700:plies=0", Some("Elo 1700"), "elo:1700:plies=0 ("),
            ("gammond:plies=1", None, "gammond:plies=1 ("),
        ] {
            let read: PlayerSpec = text.parse().unwrap();
            assert_eq!(read.people().as_deref(), people, "{text}");
            let shown = read.open().unwrap().name();
            assert!(shown.starts_with(name), "{text}: {shown}");
        }
        for (text, said) in [
            ("pr:", "setting 'pr' is '', expected 0.5 to 40"),
            ("pr:99", "setting 'pr' is '99', expected 0.5 to 40"),
            (
                "gammond:trials=36",
                "expected nets=PATH, bearoff=DIR, osr=N",
            ),
            ("gammond:cube=2", "plies, level, filter, prune, noise"),
            ("gammond:noise=2", "setting 'noise' is '2', expected 0 to 1"),
        ] {
            let error = text.parse::<PlayerSpec>().unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    /// LV-14.
    #[test]
    fn people_choose_anew() {
        use gammond_base::rng::stream;
        use gammond_game::{MatchState, Position, Roll, Rules};
        let player = "pr:20:plies=0".parse::<PlayerSpec>().unwrap();
        let player = player.open().unwrap();
        let (start, roll) = (Position::start(), Roll::new(6, 4).unwrap());
        let money = MatchState::money(Rules::default());
        let play = |number| {
            let chance = &mut stream(3, number);
            let cubeful = player.with_cube().unwrap();
            let plays = [
                player.play(&start, roll, chance).unwrap(),
                cubeful.play_in(&start, &money, roll, chance).unwrap(),
            ];
            let takes = cubeful.takes(&start, &money, chance).unwrap();
            (plays, takes)
        };
        let all: Vec<_> = (0..20).map(play).collect();
        assert!(all.iter().any(|(plays, _)| *plays != all[0].0));
        assert!(all.iter().all(|(_, takes)| *takes));
        assert!((0..20).map(play).eq(all));
    }

    #[test]
    fn players_are_read() {
        let read = |text: &str| text.parse::<PlayerSpec>().map_err(|e| e.to_string());
        assert_eq!(read("pubeval"), Ok(PlayerSpec::PubEval));
        assert_eq!(
            read("gammond:nets=a/b.wd:plies=2:filter=huge:bearoff=none:osr=36"),
            Ok(PlayerSpec::Gammond(Ours {
                nets: Some("a/b.wd".into()),
                options: Box::new(options(&[("plies", "2"), ("filter", "huge")])),
                bearoff: Some("none".into()),
                osr: Some(36),
            }))
        );
        assert_eq!(read("pipe:a:b c"), Ok(PlayerSpec::Pipe("a:b c".into())));
        assert_eq!(read("ubgi:a b"), Ok(PlayerSpec::Ubgi("a b".into())));
        let external = PlayerSpec::External("host:1".into());
        assert_eq!(read("external:host:1"), Ok(external));
        assert_eq!(
            read("gammond:nets=embedded:fast:plies=1"),
            Ok(PlayerSpec::Gammond(Ours {
                nets: Some("embedded:fast".into()),
                options: Box::new(options(&[("plies", "1")])),
                ..Ours::default()
            }))
        );
        assert_eq!(
            read("gammond:level=roller+"),
            Ok(PlayerSpec::Gammond(Ours {
                options: Box::new(options(&[("level", "roller+")])),
                ..Ours::default()
            }))
        );
        assert!(
            read("gammond:level=rollers")
                .unwrap_err()
                .contains("setting 'level' is 'rollers', expected roller")
        );
        assert!(read("gammond:plies=9").is_err());
        assert!(
            read("gammond:osr=0")
                .unwrap_err()
                .contains("osr: expected 1")
        );
        assert!(
            read("gammond:filter=wide")
                .unwrap_err()
                .contains("setting 'filter' is 'wide', expected auto, swift")
        );
        assert!(read("nobody").is_err());
    }

    #[test]
    fn classical_players_are_read() {
        let read = |text: &str| text.parse::<PlayerSpec>().map_err(|e| e.to_string());
        assert_eq!(read("linear"), Ok(PlayerSpec::Linear(None)));
        let linear = PlayerSpec::Linear(Some("a:b.toml".into()));
        assert_eq!(read("linear:a:b.toml"), Ok(linear.clone()));
        let deep = |depth, eval| {
            let eval = Box::new(eval);
            Ok(PlayerSpec::Expectiminimax { depth, eval })
        };
        assert_eq!(read("expectiminimax"), deep(1, PlayerSpec::Linear(None)));
        assert_eq!(
            read("expectiminimax:depth=2:eval=linear:a:b.toml"),
            deep(2, linear)
        );
        let ours = PlayerSpec::Gammond(Ours {
            nets: Some("embedded:fast".into()),
            ..Ours::default()
        });
        assert_eq!(
            read("expectiminimax:eval=gammond:nets=embedded:fast"),
            deep(1, ours)
        );
        let net = |kind, sides| {
            let file = "a:b.net".into();
            Ok(PlayerSpec::Classic { kind, file, sides })
        };
        assert_eq!(read("td:a:b.net"), net(ClassicKind::Td, None));
        assert_eq!(
            read("hillclimb:a:b.net:sides=invert"),
            net(ClassicKind::HillClimb, Some(Sides::Invert))
        );
        for (text, said) in [
            ("expectiminimax:depth=3", "depth: expected 1 or 2"),
            ("expectiminimax:depth=", "depth: expected 1 or 2"),
            ("expectiminimax:eval=", "player \"\""),
            ("expectiminimax:eval=expectiminimax", "give depth=2"),
            ("expectiminimax:plies=2", "expected depth=1"),
            ("expectiminimaxi", "expected gammond"),
            ("td:", "expected a net file"),
            ("td:a:sides=both", "sides: expected swap"),
            ("parts:", "expected a TOML file"),
        ] {
            assert!(read(text).unwrap_err().contains(said), "{text}");
        }
    }
}
