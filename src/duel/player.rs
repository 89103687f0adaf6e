//! Who plays: `gammond[:nets=PATH][:plies=N]`, `pubeval`, `random`, `pipe:COMMAND`, `ubgi:COMMAND`,
//! `external:HOST:PORT`.

use super::pipe::{PipePlayer, Speech};
use super::pubeval::PubEval;
use crate::engine::{Engine, EngineError, Nets};
use crate::game::{Chances, MatchState, Position, Roll, Rules, generate_plays};
use crate::query::{PlayQuery, Settings, Stop};
use crate::rng::{ChaCha8Rng, below};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Chooses plays in cubeless money games. The same for all threads of a duel.
pub trait Player: Send + Sync {
    /// How the player was asked for.
    fn name(&self) -> String;

    /// The position after the chosen play of `roll`, the opponent on roll; when nothing can move,
    /// the position turned round. `chance` is for players that throw coins.
    ///
    /// # Errors
    /// When the player has no answer or an illegal one.
    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError>;

    /// Its static chances of the player on roll, if it has such.
    fn chances(&self, position: &Position) -> Option<Chances> {
        let _ = position;
        None
    }
}

/// Why a player cannot be had or does not play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The text names no player.
    #[error("player {text:?}: {reason}")]
    Spec {
        /// What was asked for.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Its engine cannot be built or does not answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The program behind a pipe does not start or does not answer.
    #[error("player {name}: {reason}")]
    Program {
        /// The player.
        name: String,
        /// What happened.
        reason: String,
    },
}

/// A player as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerSpec {
    /// Our engine with the given nets and look-ahead.
    Gammond {
        /// Nets; the embedded ones when left out.
        nets: Option<PathBuf>,
        /// Look-ahead in gnubg's numbering.
        plies: u8,
    },
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

/// The embedded fast nets, as players and the option `--nets` call them.
const FAST: &str = "embedded:fast";

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
                let (mut nets, mut plies) = (None, 0);
                for part in parts {
                    match part.split_once('=') {
                        Some(("nets", "embedded")) => nets = None,
                        Some(("nets", "embedded-fast")) => nets = Some(PathBuf::from(FAST)),
                        Some(("nets", path)) => nets = Some(PathBuf::from(path)),
                        Some(("plies", number)) => {
                            plies = number
                                .parse()
                                .ok()
                                .filter(|&plies| plies <= Settings::PLIES_MAX)
                                .ok_or_else(|| refuse("plies: want 0 to 4"))?;
                        }
                        _ => return Err(refuse("want nets=PATH or plies=N after the colon")),
                    }
                }
                Ok(PlayerSpec::Gammond { nets, plies })
            }
            _ => Err(refuse(
                "want gammond, pubeval, random, pipe:COMMAND, ubgi:COMMAND or external:HOST:PORT",
            )),
        }
    }
}

impl PlayerSpec {
    /// The player itself.
    ///
    /// # Errors
    /// When files are missing or a program does not start.
    pub fn open(&self) -> Result<Box<dyn Player>, PlayerError> {
        Ok(match self {
            PlayerSpec::Gammond { nets, plies } => {
                let which = match nets {
                    None => Nets::Embedded,
                    Some(path) if path == Path::new(FAST) => Nets::EmbeddedFast,
                    Some(path) => Nets::Path(path.clone()),
                };
                let engine = Engine::builder().nets(which).threads(1).build()?;
                let path = nets
                    .as_ref()
                    .map_or(String::new(), |path| format!(":nets={}", path.display()));
                Box::new(Gammond {
                    name: format!("gammond{path}:plies={plies} ({})", engine.net_name()),
                    engine,
                    plies: *plies,
                })
            }
            PlayerSpec::PubEval => Box::new(PubEval::default()),
            PlayerSpec::Random => Box::new(Random),
            PlayerSpec::Pipe(command) => Box::new(PipePlayer::start(Speech::Ids, command)?),
            PlayerSpec::Ubgi(command) => Box::new(PipePlayer::start(Speech::Ubgi, command)?),
            PlayerSpec::External(at) => Box::new(PipePlayer::start(Speech::External, at)?),
        })
    }
}

/// Our engine, cubeless.
struct Gammond {
    name: String,
    engine: Engine,
    plies: u8,
}

thread_local! {
    static ROOM: RefCell<(Vec<Position>, Vec<Chances>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

impl Gammond {
    fn static_play(&self, position: &Position, roll: Roll) -> Position {
        ROOM.with_borrow_mut(|(after, chances)| {
            generate_plays(position, roll, after);
            let near = position.swapped();
            if after.len() < 2 {
                return after.first().copied().unwrap_or(near);
            }
            chances.resize(after.len(), Chances::default());
            self.engine
                .evaluator()
                .evaluate(Some(&near), after, chances);
            // The first of equals, in the generator's order.
            let mut best = (f32::MAX, near);
            for (chances, &after) in chances.iter().zip(after.iter()) {
                if chances.equity() < best.0 {
                    best = (chances.equity(), after);
                }
            }
            best.1
        })
    }
}

impl Player for Gammond {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        if self.plies == 0 {
            return Ok(self.static_play(position, roll));
        }
        let query = PlayQuery {
            position: *position,
            roll,
            state: MatchState::money(Rules::default()),
        };
        let mut settings = Settings::plies(self.plies);
        settings.cubeful = false;
        let ranked = self.engine.rank_plays(&query, &settings, &Stop::never())?;
        Ok(ranked
            .plays
            .first()
            .map_or_else(|| position.swapped(), |play| play.position))
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        let mut out = [Chances::default()];
        self.engine
            .evaluator()
            .evaluate(None, std::slice::from_ref(position), &mut out);
        Some(out[0])
    }
}

/// Any legal play.
struct Random;

impl Player for Random {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let mut after = Vec::new();
        generate_plays(position, roll, &mut after);
        if after.is_empty() {
            return Ok(position.swapped());
        }
        Ok(after[below(chance, after.len() as u32) as usize])
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
            read("gammond:nets=a/b.wd:plies=2"),
            Ok(PlayerSpec::Gammond {
                nets: Some("a/b.wd".into()),
                plies: 2
            })
        );
        assert_eq!(read("pipe:a:b c"), Ok(PlayerSpec::Pipe("a:b c".into())));
        assert_eq!(read("ubgi:a b"), Ok(PlayerSpec::Ubgi("a b".into())));
        let external = PlayerSpec::External("host:1".into());
        assert_eq!(read("external:host:1"), Ok(external));
        assert_eq!(
            read("gammond:nets=embedded:fast:plies=1"),
            Ok(PlayerSpec::Gammond {
                nets: Some("embedded:fast".into()),
                plies: 1
            })
        );
        assert!(read("gammond:plies=9").is_err());
        assert!(read("nobody").is_err());
    }
}
