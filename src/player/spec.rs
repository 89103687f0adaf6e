//! Players as they are written: `gammond[:nets=PATH][:plies=N][:filter=NAME][:bearoff=DIR][:osr=N]`, `pubeval`, `random`,
//! `pipe:COMMAND`, `ubgi:COMMAND`, `external:HOST:PORT`.

use super::ours::{FAST, Gammond, Ours};
use super::program::{ANSWER_TIME, ProgramPlayer, Speech};
use super::pubeval::PubEval;
use super::random::Random;
use super::{Player, PlayerError};
use crate::eval::osr::GAMES_MAX;
use crate::query::{Level, MoveFilter, Settings};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A player as it is asked for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlayerSpec {
    /// Our engine.
    Gammond(Ours),
    /// Tesauro's linear benchmark player.
    PubEval,
    /// Any legal play, all equally likely.
    Random,
    /// Another program: `POSITIONID D1 D2` in, the Position ID after its play out.
    Pipe(String),
    /// Another program that speaks UBGI on its standard input and output.
    Ubgi(String),
    /// A program that listens at `HOST:PORT` for questions of gnubg's external protocol.
    External(String),
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
                    return Err(refuse("want a command or HOST:PORT after the colon"));
                }
                return Ok(other(target.to_owned()));
            }
        }
        // The one name of nets with a colon in it.
        let text = text.replace(FAST, "embedded-fast");
        let mut parts = text.split(':');
        match parts.next().unwrap_or_default() {
            "pubeval" => Ok(PlayerSpec::PubEval),
            "random" => Ok(PlayerSpec::Random),
            "gammond" => {
                let mut ours = Ours::default();
                for part in parts {
                    match part.split_once('=') {
                        Some(("nets", "embedded-fast")) => ours.nets = Some(PathBuf::from(FAST)),
                        Some(("nets", path)) => ours.nets = Some(PathBuf::from(path)),
                        Some(("plies", number)) => {
                            let plies = number.parse().ok();
                            let plies = plies.filter(|&plies| plies <= Settings::PLIES_MAX);
                            ours.plies = Some(plies.ok_or_else(|| refuse("plies: want 0 to 4"))?);
                        }
                        Some(("bearoff", folder)) => ours.bearoff = Some(PathBuf::from(folder)),
                        Some(("osr", number)) => {
                            let games = number.parse().ok();
                            let games = games.filter(|games| (1..=GAMES_MAX).contains(games));
                            let games = games
                                .ok_or_else(|| refuse(&format!("osr: want 1 to {GAMES_MAX}")))?;
                            ours.osr = Some(games);
                        }
                        Some(("level", name)) => {
                            let level = Level::named(name)
                                .ok_or_else(|| refuse("level: want roller, roller+ or roller++"))?;
                            ours.level = Some(level);
                        }
                        Some(("filter", name)) => {
                            let filter = MoveFilter::named(name).ok_or_else(|| {
                                refuse("filter: want tiny, narrow, normal, large or huge")
                            })?;
                            ours.filter = Some(filter);
                        }
                        _ => {
                            return Err(refuse(
                                "want nets=PATH, plies=N, level=NAME, filter=NAME, bearoff=DIR or osr=N after the colon",
                            ));
                        }
                    }
                }
                Ok(PlayerSpec::Gammond(ours))
            }
            _ => Err(refuse(
                "want gammond, pubeval, random, pipe:COMMAND, ubgi:COMMAND or external:HOST:PORT",
            )),
        }
    }
}

impl PlayerSpec {
    /// The player itself, with what `defaults` say where the text says nothing.
    ///
    /// # Errors
    /// When files are missing or a program does not start.
    pub fn open_with(&self, defaults: &Defaults) -> Result<Box<dyn Player>, PlayerError> {
        let program = |speech, target: &str| {
            ProgramPlayer::start(speech, target, defaults.answer_time).map(Box::new)
        };
        Ok(match self {
            PlayerSpec::Gammond(ours) => Box::new(Gammond::open(&ours.or(&defaults.ours))?),
            PlayerSpec::PubEval => Box::new(PubEval::default()),
            PlayerSpec::Random => Box::new(Random),
            PlayerSpec::Pipe(command) => program(Speech::Ids, command)?,
            PlayerSpec::Ubgi(command) => program(Speech::Ubgi, command)?,
            PlayerSpec::External(at) => program(Speech::External, at)?,
        })
    }

    /// The player itself.
    ///
    /// # Errors
    /// As [`PlayerSpec::open_with`].
    pub fn open(&self) -> Result<Box<dyn Player>, PlayerError> {
        self.open_with(&Defaults::default())
    }
}

/// What holds for players whose texts say nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// For our engine.
    pub ours: Ours,
    /// How long one answer of another program is waited for.
    pub answer_time: Duration,
}

impl Default for Defaults {
    fn default() -> Defaults {
        Defaults {
            ours: Ours::default(),
            answer_time: ANSWER_TIME,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read() {
        let read = |text: &str| text.parse::<PlayerSpec>().map_err(|e| e.to_string());
        assert_eq!(read("pubeval"), Ok(PlayerSpec::PubEval));
        assert_eq!(
            read("gammond:nets=a/b.wd:plies=2:filter=huge:bearoff=none:osr=36"),
            Ok(PlayerSpec::Gammond(Ours {
                nets: Some("a/b.wd".into()),
                plies: Some(2),
                level: None,
                filter: Some(MoveFilter::HUGE),
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
                plies: Some(1),
                ..Ours::default()
            }))
        );
        assert_eq!(
            read("gammond:level=roller+"),
            Ok(PlayerSpec::Gammond(Ours {
                level: Some(Level::RollerPlus),
                ..Ours::default()
            }))
        );
        assert!(
            read("gammond:level=rollers")
                .unwrap_err()
                .contains("level: want roller")
        );
        assert!(read("gammond:plies=9").is_err());
        assert!(read("gammond:osr=0").unwrap_err().contains("osr: want 1"));
        assert!(
            read("gammond:filter=wide")
                .unwrap_err()
                .contains("filter: want tiny")
        );
        assert!(read("nobody").is_err());
    }
}
