//! Players that another machine may build: the only ones that a job on a farm can name.
//!
//! A [`PortablePlayer`] is a [`PlayerSpec`] with the names of a job: files are numbers among those that travel with it,
//! and a program, a socket or a path has no value ([`Never`]). A new kind of player does not compile before
//! `PlayerSpec::converted` says what it names.

use super::expectiminimax::DEPTH_MAX;
use super::ours::{EMBEDDED, FAST, NO_BEAROFF, Ours};
use super::parts::{NESTED, short_name};
use super::spec::{Here, LOOKS_AHEAD, Naming, PartsSpec, player_settings};
use super::{PlayerError, PlayerSpec};
use gammond_engine::eval::osr::GAMES_MAX;
use gammond_engine::query::{Options, Value};
use gammond_job::{FileNumber, NotPortable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The nets of our engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortableNets {
    /// The nets in the program.
    Embedded,
    /// The fast ones in the program.
    EmbeddedFast,
    /// A file or folder that travels with the job.
    File(FileNumber),
}

impl PortableNets {
    /// Converts nets as options and players name them; `carry` takes a file along.
    ///
    /// # Errors
    /// Those of `carry`.
    pub fn new<E>(
        nets: &Path,
        carry: &mut dyn FnMut(&Path) -> Result<FileNumber, E>,
    ) -> Result<PortableNets, E> {
        Ok(match nets.to_str() {
            Some(EMBEDDED) => PortableNets::Embedded,
            Some(FAST) => PortableNets::EmbeddedFast,
            _ => PortableNets::File(carry(nets)?),
        })
    }

    /// Returns the name or the path of the nets here.
    ///
    /// # Errors
    /// [`NotPortable`] when the file did not come along.
    pub fn path(self, paths: &[PathBuf]) -> Result<PathBuf, NotPortable> {
        Ok(match self {
            PortableNets::Embedded => PathBuf::from(EMBEDDED),
            PortableNets::EmbeddedFast => PathBuf::from(FAST),
            PortableNets::File(number) => number.path(paths)?.to_owned(),
        })
    }
}

/// Names in a job: numbers of files that travel with it. There are no programs.
#[derive(Clone, Debug, PartialEq)]
pub enum Ported {}

impl Naming for Ported {
    type File = FileNumber;
    type Engine = Box<PortableEngine>;
    type PartsFile = Never;
    type Program = Never;
}

/// What a job cannot name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Never {}

/// A player without programs, sockets and paths.
pub type PortablePlayer = PlayerSpec<Ported>;

/// Our engine in a [`PortablePlayer`]; the options of the job give the missing settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PortableEngine {
    nets: Option<PortableNets>,
    bearoff: Option<PortableBearoff>,
    osr: Option<u32>,
    /// Settings by their names. They are read by the table of settings alone, which has no path among its values.
    #[serde(flatten)]
    settings: BTreeMap<String, PortableValue>,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PortableValue {
    /// On or off.
    Switch(bool),
    /// A number.
    Number(serde_json::Number),
    /// A word.
    Word(String),
}

/// Bearoff databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PortableBearoff {
    /// No databases but those of the program.
    None,
    /// A folder that travels with the job.
    Folder(FileNumber),
}

impl PortableBearoff {
    /// Converts a folder as options and players name it; `carry` takes it along.
    ///
    /// # Errors
    /// Those of `carry`.
    pub fn new<E>(
        folder: &Path,
        carry: &mut dyn FnMut(&Path) -> Result<FileNumber, E>,
    ) -> Result<PortableBearoff, E> {
        Ok(match folder == Path::new(NO_BEAROFF) {
            true => PortableBearoff::None,
            false => PortableBearoff::Folder(carry(folder)?),
        })
    }

    /// Returns `none` or the path of the folder here.
    ///
    /// # Errors
    /// [`NotPortable`] when the folder did not come along.
    pub fn path(self, paths: &[PathBuf]) -> Result<PathBuf, NotPortable> {
        Ok(match self {
            PortableBearoff::None => PathBuf::from(NO_BEAROFF),
            PortableBearoff::Folder(number) => number.path(paths)?.to_owned(),
        })
    }
}

/// Returns a value that must be within limits; else an error without the value itself.
fn within<T>(found: Option<T>, what: &str) -> Result<T, NotPortable> {
    found.ok_or_else(|| NotPortable(format!("a player of the job has {what} that is unknown")))
}

/// A conversion of a player's names.
trait Conversion<N: Naming, M: Naming> {
    type Error;

    fn file(&mut self, file: &N::File) -> Result<M::File, Self::Error>;

    fn engine(&mut self, engine: &N::Engine) -> Result<M::Engine, Self::Error>;

    fn parts(&mut self, file: &N::PartsFile) -> Result<PlayerSpec<M>, Self::Error>;

    fn program(&mut self, form: &str, program: &N::Program) -> Result<M::Program, Self::Error>;
}

impl<N: Naming> PlayerSpec<N> {
    fn converted<M: Naming, C: Conversion<N, M>>(
        &self,
        to: &mut C,
    ) -> Result<PlayerSpec<M>, C::Error> {
        Ok(match self {
            PlayerSpec::Gammond(engine) => PlayerSpec::Gammond(to.engine(engine)?),
            PlayerSpec::PubEval => PlayerSpec::PubEval,
            PlayerSpec::Random => PlayerSpec::Random,
            PlayerSpec::Linear(file) => {
                PlayerSpec::Linear(file.as_ref().map(|file| to.file(file)).transpose()?)
            }
            PlayerSpec::Expectiminimax { depth, eval } => PlayerSpec::Expectiminimax {
                depth: *depth,
                eval: Box::new(eval.converted(to)?),
            },
            PlayerSpec::Classic { kind, file, sides } => PlayerSpec::Classic {
                kind: *kind,
                file: to.file(file)?,
                sides: *sides,
            },
            PlayerSpec::Parts(file) => to.parts(file)?,
            PlayerSpec::Assembled(parts) => {
                let crashed = parts.crashed.as_ref();
                PlayerSpec::Assembled(Box::new(PartsSpec {
                    name: short_name(&parts.name),
                    file: None,
                    contact: parts.contact.converted(to)?,
                    crashed: crashed.map(|part| part.converted(to)).transpose()?,
                    race: parts.race.converted(to)?,
                    one_sided: parts.one_sided,
                }))
            }
            PlayerSpec::Pipe(program) => PlayerSpec::Pipe(to.program("pipe:", program)?),
            PlayerSpec::Ubgi(program) => PlayerSpec::Ubgi(to.program("ubgi:", program)?),
            PlayerSpec::External(at) => PlayerSpec::External(to.program("external:", at)?),
        })
    }

    /// Returns the reason why no text makes such a player.
    fn fault(&self) -> Option<&'static str> {
        match self {
            PlayerSpec::Expectiminimax { depth, .. } if !(1..=DEPTH_MAX).contains(depth) => {
                Some("a player of the job has a depth that is unknown")
            }
            PlayerSpec::Expectiminimax { eval, .. } => match **eval {
                PlayerSpec::Expectiminimax { .. } => Some(LOOKS_AHEAD),
                _ => eval.fault(),
            },
            PlayerSpec::Assembled(parts) => {
                let others = [&parts.contact, &parts.race].into_iter();
                let mut all = others.chain(&parts.crashed);
                all.find_map(|part| match part.has_parts() {
                    true => Some(NESTED),
                    false => part.fault(),
                })
            }
            _ => None,
        }
    }
}

/// Takes a player along: `carry` takes its files.
struct Carrying<'a, E>(&'a mut dyn FnMut(&Path) -> Result<FileNumber, E>);

impl<E: From<PlayerError> + From<NotPortable>> Conversion<Here, Ported> for Carrying<'_, E> {
    type Error = E;

    fn file(&mut self, path: &PathBuf) -> Result<FileNumber, E> {
        (self.0)(path)
    }

    fn engine(&mut self, ours: &Ours) -> Result<Box<PortableEngine>, E> {
        PortableEngine::new(ours, self.0).map(Box::new)
    }

    fn parts(&mut self, file: &PathBuf) -> Result<PortablePlayer, E> {
        PlayerSpec::Assembled(Box::new(PartsSpec::read(file)?)).converted(self)
    }

    fn program(&mut self, form: &str, program: &String) -> Result<Never, E> {
        Err(E::from(NotPortable(format!(
            "'{form}{}': machines of a farm start no other programs ({form}) and call none",
            program.chars().take(40).collect::<String>().escape_debug()
        ))))
    }
}

/// Unpacks a player: its files are at these paths.
struct Unpacking<'a>(&'a [PathBuf]);

impl Conversion<Ported, Here> for Unpacking<'_> {
    type Error = NotPortable;

    fn file(&mut self, number: &FileNumber) -> Result<PathBuf, NotPortable> {
        number.path(self.0).map(Path::to_owned)
    }

    fn engine(&mut self, engine: &Box<PortableEngine>) -> Result<Ours, NotPortable> {
        engine.ours(self.0)
    }

    fn parts(&mut self, file: &Never) -> Result<PlayerSpec, NotPortable> {
        match *file {}
    }

    fn program(&mut self, _: &str, program: &Never) -> Result<String, NotPortable> {
        match *program {}
    }
}

impl PortablePlayer {
    /// Converts a player; `carry` takes its files along. A file of parts is read, and the files of its parts travel.
    ///
    /// # Errors
    /// Programs and sockets are refused, also inside another player; and the errors of `carry` and of files of parts.
    pub fn new<E: From<PlayerError> + From<NotPortable>>(
        spec: &PlayerSpec,
        carry: &mut dyn FnMut(&Path) -> Result<FileNumber, E>,
    ) -> Result<PortablePlayer, E> {
        spec.converted(&mut Carrying(carry))
    }

    /// Returns the player with its files at `paths`, after checking everything in it.
    ///
    /// # Errors
    /// [`NotPortable`] for values that [`PortablePlayer::new`] never writes.
    pub fn spec(&self, paths: &[PathBuf]) -> Result<PlayerSpec, NotPortable> {
        if let Some(reason) = self.fault() {
            return Err(NotPortable(reason.to_owned()));
        }
        self.converted(&mut Unpacking(paths))
    }
}

impl PortableEngine {
    /// Converts the settings of our engine; `carry` takes its files along.
    ///
    /// # Errors
    /// Those of `carry`.
    pub fn new<E>(
        ours: &Ours,
        carry: &mut dyn FnMut(&Path) -> Result<FileNumber, E>,
    ) -> Result<PortableEngine, E> {
        let Ours {
            nets,
            options,
            bearoff,
            osr,
        } = ours;
        let nets = nets.as_deref().map(|nets| PortableNets::new(nets, carry));
        let nets = nets.transpose()?;
        let bearoff = bearoff.as_deref();
        let bearoff = bearoff.map(|folder| PortableBearoff::new(folder, carry));
        let value = |value: Value| match value.json() {
            serde_json::Value::Bool(on) => PortableValue::Switch(on),
            serde_json::Value::Number(number) => PortableValue::Number(number),
            other => PortableValue::Word(other.as_str().unwrap_or_default().to_owned()),
        };
        let settings = options.iter();
        let settings = settings.map(|(setting, found)| (setting.name.to_owned(), value(found)));
        Ok(PortableEngine {
            nets,
            bearoff: bearoff.transpose()?,
            osr: *osr,
            settings: settings.collect(),
        })
    }

    /// Returns the settings with their files at `paths`.
    ///
    /// # Errors
    /// [`NotPortable`] for a value out of its limits.
    pub fn ours(&self, paths: &[PathBuf]) -> Result<Ours, NotPortable> {
        let PortableEngine {
            nets,
            bearoff,
            osr,
            settings,
        } = self;
        let mut options = Options::default();
        for (name, value) in settings {
            let json = match value {
                PortableValue::Switch(on) => serde_json::Value::from(*on),
                PortableValue::Number(number) => number.clone().into(),
                PortableValue::Word(word) => word.as_str().into(),
            };
            let known = player_settings().find(|setting| setting.name == name);
            let known = known.filter(|setting| options.set_json(setting.name, &json).is_ok());
            within(known, "a setting")?;
        }
        let games = |games: &u32| (1..=GAMES_MAX).contains(games);
        Ok(Ours {
            nets: nets.map(|nets| nets.path(paths)).transpose()?,
            options: Box::new(options),
            bearoff: bearoff.map(|folder| folder.path(paths)).transpose()?,
            osr: osr
                .map(|osr| within(Some(osr).filter(games), "osr"))
                .transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Refused(String);

    impl From<PlayerError> for Refused {
        fn from(error: PlayerError) -> Refused {
            Refused(error.to_string())
        }
    }

    impl From<NotPortable> for Refused {
        fn from(error: NotPortable) -> Refused {
            Refused(error.to_string())
        }
    }

    /// Converts a player as typed; the files that it takes along.
    fn converted(text: &str) -> Result<(PortablePlayer, Vec<PathBuf>), Refused> {
        let mut files = Vec::new();
        let spec: PlayerSpec = text.parse()?;
        let portable = PortablePlayer::new::<Refused>(&spec, &mut |path| {
            files.push(path.to_owned());
            Ok(FileNumber(files.len() - 1))
        })?;
        Ok((portable, files))
    }

    /// Every form of a player, and whether it starts or calls another program.
    fn forms() -> Vec<(String, bool)> {
        let plain = [
            ("gammond", false),
            (
                "gammond:nets=embedded:fast:plies=1:filter=huge:osr=36:bearoff=none",
                false,
            ),
            ("gammond:nets=a/b.wd:bearoff=c", false),
            ("gammond:level=roller+", false),
            ("pubeval", false),
            ("random", false),
            ("linear", false),
            ("linear:a.toml", false),
            ("td:a.net", false),
            ("hillclimb:b.net:sides=invert", false),
            ("pipe:true", true),
            ("ubgi:true", true),
            ("external:127.0.0.1:1", true),
        ];
        plain
            .map(|(text, foreign)| (text.to_owned(), foreign))
            .into()
    }

    #[test]
    fn player_in_player_with_program_is_not_portable() {
        let folder = tempfile::tempdir().unwrap();
        let mut all = forms();
        // Each form in each place of a file of parts, and each of these in a look-ahead: two levels of nesting.
        for (at, (text, foreign)) in forms().into_iter().enumerate() {
            for place in ["contact", "crashed", "race"] {
                let path = folder.path().join(format!("{at}-{place}.toml"));
                let mut plan = format!("{place} = '{text}'\n");
                for other in ["contact", "race"] {
                    if other != place {
                        plan.push_str(&format!("{other} = 'gammond'\n"));
                    }
                }
                std::fs::write(&path, plan).unwrap();
                all.push((format!("parts:{}", path.display()), foreign));
            }
        }
        for depth in ["", ":depth=2"] {
            let deeper = all.clone().into_iter();
            let deeper = deeper.filter(|(text, _)| !text.starts_with("expectiminimax"));
            let deeper: Vec<_> = deeper
                .map(|(text, foreign)| (format!("expectiminimax{depth}:eval={text}"), foreign))
                .collect();
            all.extend(deeper);
        }
        assert_eq!(all.len(), 13 * 4 * 3);
        let mut refused = 0;
        for (text, foreign) in all {
            match converted(&text) {
                Err(Refused(reason)) if foreign => {
                    assert!(
                        reason.contains("start no other programs"),
                        "{text}: {reason}"
                    );
                    refused += 1;
                }
                Ok((portable, files)) if !foreign => round_trip(&text, &portable, &files),
                found => panic!("{text}: {found:?}"),
            }
        }
        assert_eq!(refused, 3 * 4 * 3);
    }

    /// Checks that a player survives serialization, and that the text has neither paths nor commands in it.
    #[track_caller]
    fn round_trip(text: &str, portable: &PortablePlayer, files: &[PathBuf]) {
        let json = serde_json::to_string(portable).unwrap();
        for file in files {
            let path = format!("\"{}\"", file.display());
            assert!(!json.contains(&path), "{text}: {json}");
        }
        let read: PortablePlayer = serde_json::from_str(&json).unwrap();
        assert_eq!(&read, portable, "{text}");
        let spec = read.spec(files).unwrap();
        if !spec.has_parts() {
            assert_eq!(spec, text.parse().unwrap(), "{text}");
        }
        if !files.is_empty() {
            assert!(
                read.spec(&[]).is_err(),
                "{text}: a file that did not come along"
            );
        }
    }

    #[test]
    fn player_written_by_hand_is_refused_beyond_limits() {
        for json in [
            r#"{"pipe":"true"}"#,
            r#"{"ubgi":"true"}"#,
            r#"{"external":"127.0.0.1:1"}"#,
            r#"{"linear":"/etc/passwd"}"#,
            r#"{"classic":{"kind":"td","file":"/etc/passwd","sides":"swap"}}"#,
            r#"{"classic":{"kind":"ubgi","file":0,"sides":"swap"}}"#,
            r#"{"gammond":{"nets":"/etc"}}"#,
            r#"{"gammond":{"nets":{"path":"/etc"}}}"#,
            r#"{"expectiminimax":{"depth":1,"eval":{"ubgi":"true"}}}"#,
            r#"{"parts":"/etc/passwd"}"#,
        ] {
            assert!(
                serde_json::from_str::<PortablePlayer>(json).is_err(),
                "{json}"
            );
        }
        for json in [
            r#"{"gammond":{"plies":200}}"#,
            r#"{"gammond":{"osr":0}}"#,
            r#"{"gammond":{"path":"/etc"}}"#,
            r#"{"gammond":{"trials":36}}"#,
            r#"{"gammond":{"PLIES":2}}"#,
            r#"{"gammond":{"plies":"2"}}"#,
            r#"{"gammond":{"level":"/etc"}}"#,
            r#"{"gammond":{"filter":"ubgi:true"}}"#,
            r#"{"expectiminimax":{"depth":9,"eval":"random"}}"#,
            r#"{"expectiminimax":{"depth":1,"eval":{"expectiminimax":{"depth":1,"eval":"random"}}}}"#,
            r#"{"classic":{"kind":"td","file":9,"sides":"swap"}}"#,
            r#"{"parts":{"name":"n","contact":{"parts":{"name":"n","contact":"random","race":"random","one_sided":true}},"race":"random","one_sided":true}}"#,
        ] {
            let portable: PortablePlayer = serde_json::from_str(json).unwrap();
            assert!(portable.spec(&[PathBuf::from("a")]).is_err(), "{json}");
        }
        let deep = "{\"expectiminimax\":{\"depth\":1,\"eval\":".repeat(5000);
        assert!(serde_json::from_str::<PortablePlayer>(&deep).is_err());
    }
}
