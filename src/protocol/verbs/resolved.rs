//! A request whose parts are read, as its verb sees it.

use super::parts::{PartError, Parts, RequestPart};
use crate::ErrorCode;
use gammond_engine::query::{Options, RolloutSettings};
use gammond_game::notation::parse_play;
use gammond_game::{ActRefusal, MatchState, Play, Position, Roll, Rules, Score};

/// A request whose parts are read.
#[derive(Debug)]
pub(crate) struct Resolved<'a> {
    pub(super) parts: &'a Parts<'a>,
    /// True if the word `cube` is before the position.
    pub(super) cube: bool,
    pub(super) position: Position,
    /// The dice of the request, else of the position.
    pub(super) roll: Option<Roll>,
    pub(super) state: MatchState,
    /// The rules of a decision for money, also where the state is one of a match.
    pub(super) money_rules: Rules,
    /// The session's settings with those of the request on top.
    pub(super) options: Options,
    /// The plays, if the request has some.
    pub(super) plays: Option<&'a [u8]>,
}

impl Resolved<'_> {
    /// Returns an error at the position.
    pub(super) fn position_error(&self, code: ErrorCode, message: &str) -> PartError {
        PartError::new(RequestPart::Position, code, "position", message)
    }

    /// Returns an error of the plays.
    pub(super) fn plays_error(&self, code: ErrorCode, message: impl Into<String>) -> PartError {
        let part = self
            .parts
            .first_of(&["plays"])
            .unwrap_or(RequestPart::Position);
        PartError::new(part, code, "plays", message)
    }

    /// Reads plays with semicolons between, each once.
    ///
    /// # Errors
    /// A play is wrong or not legal, or they are too many.
    pub(super) fn listed(
        &self,
        plays: &[u8],
        roll: Roll,
    ) -> Result<Vec<(Play, Position)>, PartError> {
        listed_plays(&self.position, roll, plays)
            .map_err(|error| self.plays_error(ErrorCode::BadPlay, error))
    }

    /// Returns the dice.
    ///
    /// # Errors
    /// There are none.
    pub(super) fn needed_roll(&self) -> Result<Roll, PartError> {
        self.roll.ok_or_else(|| {
            PartError::new(
                RequestPart::Roll,
                ErrorCode::MissingRoll,
                "roll",
                "roll is missing",
            )
        })
    }

    /// Refuses dice of the request; those of the position do not matter.
    ///
    /// # Errors
    /// This code and message, at the dice.
    pub(super) fn no_roll(&self, code: ErrorCode, message: &str) -> Result<(), PartError> {
        match &self.parts.roll {
            Some(_) => Err(PartError::new(RequestPart::Roll, code, "roll", message)),
            None => Ok(()),
        }
    }

    /// Returns the dice whose plays are in question: none after the word `cube`.
    ///
    /// # Errors
    /// The request has dice beside the word `cube`.
    pub(super) fn roll_to_play(&self) -> Result<Option<Roll>, PartError> {
        if !self.cube {
            return Ok(self.roll);
        }
        let message = "roll has no place here: the cube is decided before the dice";
        self.no_roll(ErrorCode::BadCombination, message)?;
        Ok(None)
    }

    /// Checks that the game continues.
    ///
    /// # Errors
    /// This message, at the position.
    pub(super) fn game_goes_on(&self, message: &str) -> Result<(), PartError> {
        match self.position.is_over() {
            true => Err(self.position_error(ErrorCode::GameOver, message)),
            false => Ok(()),
        }
    }

    /// Checks that there is something to decide.
    ///
    /// # Errors
    /// `game-over`, at the position.
    pub(super) fn is_decided(&self) -> Result<(), PartError> {
        self.game_goes_on("position is not one to decide in: the game is over")
    }

    /// Checks that there is a decision about the cube. A dead cube is accepted where a search answers.
    ///
    /// # Errors
    /// The reason why there is none.
    pub(super) fn cube_decides(&self, of_rollout: bool) -> Result<(), PartError> {
        let score = match of_rollout {
            true => self.state.score,
            false => Score::MONEY,
        };
        let state = MatchState {
            score,
            ..self.state
        };
        let (keys, reason) = if self.options.search().cubeful {
            let Some(refusal) = state.double_refusal() else {
                return Ok(());
            };
            let keys = match refusal {
                ActRefusal::OpponentsCube => &["owner", "cube"][..],
                ActRefusal::CrawfordGame => &["crawford", "score", "length"][..],
                _ => &["cube", "owner"][..],
            };
            (keys, refusal.reason())
        } else {
            (&["cubeful"][..], "no cube is in use")
        };
        let part = self.parts.first_of(keys).unwrap_or(RequestPart::Position);
        let message = format!("{reason}, so there is no cube decision");
        Err(PartError::new(part, ErrorCode::BadCube, "cube", message))
    }
}

/// Reads plays with semicolons between, each once.
fn listed_plays(
    position: &Position,
    roll: Roll,
    text: &[u8],
) -> Result<Vec<(Play, Position)>, String> {
    if text.trim_ascii().is_empty() {
        return Err("setting 'plays' is empty, expected such as \"8/5 6/5; 13/9\"".to_owned());
    }
    let mut found: Vec<(Play, Position)> = Vec::new();
    for one in text.split(|&byte| byte == b';').map(<[u8]>::trim_ascii) {
        let shown = String::from_utf8_lossy(one);
        let play = parse_play(one, position, roll)
            .map_err(|error| format!("setting 'plays' has '{shown}': {error}"))?;
        if found.iter().all(|other| other.1 != play.after) {
            found.push((play.play, play.after));
        }
    }
    let most = RolloutSettings::CANDIDATES_MAX;
    if found.len() > most {
        return Err(format!(
            "setting 'plays' has {} plays, at most {most}",
            found.len()
        ));
    }
    Ok(found)
}
