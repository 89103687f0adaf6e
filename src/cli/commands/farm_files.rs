//! The files of a job: those that travel, and where they are on a machine.

use crate::{Failure, Measured, PlayerOptions};
use gammond_farm::spec::{List, MeasuredSpec, OutputName, Word};
use gammond_farm::{Shipped, inspect};
use gammond_train::player::{FileNumber, NotPortable, PlayerSpec, PortableNets, PortablePlayer};
use std::path::{Path, PathBuf};

impl From<NotPortable> for Failure {
    fn from(error: NotPortable) -> Failure {
        Failure::usage(error)
    }
}

/// The most players of a job: each may load nets of its own.
const PLAYERS_MAX: usize = 32;

/// The files that travel with a job.
#[derive(Default)]
pub(super) struct JobFiles(pub(super) Vec<Shipped>);

impl JobFiles {
    pub(super) fn file(&mut self, path: &Path) -> Result<FileNumber, Failure> {
        let shown = utf8(path)?;
        if shown == "-" {
            return Err(Failure::usage("a farm reads files, not standard input"));
        }
        let there = self.0.iter().position(|file| file.path == shown);
        let number = match there {
            Some(number) => number,
            None => {
                self.0.push(inspect(path).map_err(Failure::file)?);
                self.0.len() - 1
            }
        };
        Ok(FileNumber(number))
    }

    pub(super) fn files(&mut self, paths: &[PathBuf]) -> Result<List<FileNumber>, Failure> {
        let all: Result<Vec<_>, Failure> = paths.iter().map(|path| self.file(path)).collect();
        Ok(all?.try_into()?)
    }

    pub(super) fn some_file(
        &mut self,
        path: Option<&PathBuf>,
    ) -> Result<Option<FileNumber>, Failure> {
        path.map(|path| self.file(path)).transpose()
    }

    pub(super) fn nets(&mut self, nets: &str) -> Result<PortableNets, Failure> {
        PortableNets::new(Path::new(nets), &mut |path| self.file(path))
    }

    pub(super) fn some_nets(
        &mut self,
        nets: Option<&String>,
    ) -> Result<Option<PortableNets>, Failure> {
        nets.map(|nets| self.nets(nets)).transpose()
    }

    pub(super) fn player(&mut self, player: &PlayerSpec) -> Result<PortablePlayer, Failure> {
        PortablePlayer::new(player, &mut |path| self.file(path))
    }

    pub(super) fn players(
        &mut self,
        players: &[PlayerSpec],
    ) -> Result<List<PortablePlayer>, Failure> {
        let all: Result<Vec<_>, Failure> = players.iter().map(|one| self.player(one)).collect();
        Ok(all?.try_into()?)
    }

    pub(super) fn measured(&mut self, measured: &Measured) -> Result<MeasuredSpec, Failure> {
        let Measured {
            player,
            against,
            options: _,
        } = measured;
        if against.len() > 1 {
            return Err(Failure::usage(
                "--against: a job of the farm compares two players",
            ));
        }
        let against = against.first().map(|against| self.player(against));
        Ok(MeasuredSpec {
            player: self.player(player)?,
            against: against.transpose()?,
        })
    }
}

pub(super) fn utf8(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::usage("an argument is not UTF-8"))
}

pub(super) fn output(path: &Path) -> Result<OutputName, Failure> {
    Ok(utf8(path)?.try_into()?)
}

pub(super) fn some_output(path: Option<&PathBuf>) -> Result<Option<OutputName>, Failure> {
    path.map(|path| output(path)).transpose()
}

pub(super) fn words(words: &[String]) -> Result<List<Word>, Failure> {
    let words: Result<Vec<Word>, _> = words.iter().map(|word| word.clone().try_into()).collect();
    Ok(words?.try_into()?)
}

/// The places of a job's files on this machine.
pub(super) struct JobPaths<'a> {
    /// Files that came along.
    pub(super) paths: &'a [PathBuf],
    /// The folder of what is written; none for where the command says.
    pub(super) scratch: Option<&'a Path>,
}

impl JobPaths<'_> {
    pub(super) fn file(&self, number: FileNumber) -> Result<PathBuf, NotPortable> {
        number.path(self.paths).map(Path::to_owned)
    }

    pub(super) fn files(&self, numbers: List<FileNumber>) -> Result<Vec<PathBuf>, NotPortable> {
        let numbers: Vec<FileNumber> = numbers.into();
        numbers
            .into_iter()
            .map(|number| self.file(number))
            .collect()
    }

    pub(super) fn some_file(
        &self,
        number: Option<FileNumber>,
    ) -> Result<Option<PathBuf>, NotPortable> {
        number.map(|number| self.file(number)).transpose()
    }

    pub(super) fn nets(&self, nets: PortableNets) -> Result<String, NotPortable> {
        let path = nets.path(self.paths)?;
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| {
            NotPortable("the folder of this machine's cache is not UTF-8".to_owned())
        })
    }

    pub(super) fn some_nets(
        &self,
        nets: Option<PortableNets>,
    ) -> Result<Option<String>, NotPortable> {
        nets.map(|nets| self.nets(nets)).transpose()
    }

    pub(super) fn output(&self, name: OutputName) -> PathBuf {
        let name = PathBuf::from(String::from(name));
        match self.scratch {
            None => name,
            Some(scratch) => scratch.join(name.file_name().unwrap_or("out".as_ref())),
        }
    }

    pub(super) fn some_output(&self, name: Option<OutputName>) -> Option<PathBuf> {
        name.map(|name| self.output(name))
    }

    pub(super) fn player(&self, player: &PortablePlayer) -> Result<PlayerSpec, NotPortable> {
        player.spec(self.paths)
    }

    pub(super) fn players(
        &self,
        players: List<PortablePlayer>,
    ) -> Result<Vec<PlayerSpec>, NotPortable> {
        let players: Vec<PortablePlayer> = players.into();
        if players.len() > PLAYERS_MAX {
            let text = format!("{} players, expected at most {PLAYERS_MAX}", players.len());
            return Err(NotPortable(text));
        }
        players.iter().map(|player| self.player(player)).collect()
    }

    pub(super) fn measured(&self, measured: MeasuredSpec) -> Result<Measured, NotPortable> {
        let MeasuredSpec { player, against } = measured;
        let against = against.map(|against| self.player(&against));
        Ok(Measured {
            player: self.player(&player)?,
            against: against.transpose()?.into_iter().collect(),
            options: PlayerOptions::default(),
        })
    }
}
