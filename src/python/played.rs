//! A game and the score of a match, for `gammond.Game` and `gammond.MatchPlay`.

use crate::rules::{MatchState, Position, Roll, margin_of};
use crate::wrong::{self, whole};
use gammond_game::{self as game, Act, ActRefusal, Game, GamePhase, Score};
use pyo3::prelude::*;

/// Returns the `ValueError` for an act that is not allowed.
fn refused(refusal: ActRefusal) -> PyErr {
    match refusal {
        ActRefusal::NotNow(GamePhase::Over(_)) => wrong::value("game", "it is over"),
        refusal => wrong::value("game", refusal.reason()),
    }
}

/// A game at one moment; acts return the game after them.
#[pyclass(frozen, module = "gammond._gammond")]
pub(crate) struct PlayedGame(Game);

impl PlayedGame {
    /// Returns true if the player on roll is the one whose eyes see position and state: after the end that is the winner.
    fn is_seen_by_roller(&self) -> bool {
        let end = self.0.end();
        end.is_none_or(|end| end.winner == self.0.on_roll())
    }

    fn after(&self, act: Act) -> PyResult<PlayedGame> {
        let mut game = self.0.clone();
        game.act(act).map_err(refused)?;
        Ok(PlayedGame(game))
    }
}

#[pymethods]
impl PlayedGame {
    /// Begins a game; player 0 sees the state.
    #[new]
    fn new(state: &MatchState) -> PlayedGame {
        PlayedGame(Game::new(state.0, true))
    }

    /// The position, seen by `player`.
    #[getter]
    fn position(&self) -> Position {
        let position = *self.0.position();
        Position(match self.is_seen_by_roller() {
            true => position,
            false => position.swapped(),
        })
    }

    /// Cube and score, seen by `player`; before a double that is not answered.
    #[getter]
    fn state(&self) -> MatchState {
        let state = *self.0.state();
        MatchState(match self.is_seen_by_roller() {
            true => state,
            false => state.swapped(),
        })
    }

    /// The player on roll, or the winner of a game that is over.
    #[getter]
    fn player(&self) -> usize {
        let end = self.0.end();
        end.map_or(self.0.on_roll(), |end| end.winner)
    }

    /// The player who acts next.
    #[getter]
    fn actor(&self) -> usize {
        self.0.actor()
    }

    /// The roll that is to be played.
    #[getter]
    fn dice(&self) -> Option<Roll> {
        match self.0.phase() {
            GamePhase::Play(roll) => Some(Roll(roll)),
            _ => None,
        }
    }

    /// True before the first roll.
    #[getter]
    fn opening(&self) -> bool {
        self.0.phase() == GamePhase::Opening
    }

    /// Number of turns of the cube without an answer: 1 is a double, 2 a beaver.
    #[getter]
    fn turns(&self) -> u8 {
        match self.0.phase() {
            GamePhase::Answer(turns) => turns,
            _ => 0,
        }
    }

    /// The margin by which a player has offered to resign.
    #[getter]
    fn resigned(&self) -> Option<u8> {
        match self.0.phase() {
            GamePhase::Resigned(margin) => Some(margin as u8),
            _ => None,
        }
    }

    /// The value of the cube, with the beavers before the last turn.
    #[getter]
    fn stake(&self) -> u32 {
        self.0.stake()
    }

    /// Winner and points.
    #[getter]
    fn result(&self) -> Option<(usize, u32)> {
        self.0.end().map(|end| (end.winner, end.points))
    }

    /// True if the player on roll may double now.
    #[getter]
    fn may_double(&self) -> bool {
        self.0.double_refusal().is_none()
    }

    /// The first roll, which decides who begins.
    fn opened(&self, roll: &Roll) -> PyResult<PlayedGame> {
        self.after(Act::Roll(roll.0))
    }

    /// A roll that is set: the player on roll does not change, and the first one may be a double.
    fn rolled(&self, roll: &Roll) -> PyResult<PlayedGame> {
        let mut game = self.0.clone();
        match game.follow(game.on_roll(), Act::Roll(roll.0)) {
            Ok(()) | Err(ActRefusal::OpeningDouble) => Ok(PlayedGame(game)),
            Err(refusal) => Err(refused(refusal)),
        }
    }

    /// A play, by the position after it.
    fn played(&self, after: &Position) -> PyResult<PlayedGame> {
        self.after(Act::Play(after.0))
    }

    fn doubled(&self) -> PyResult<PlayedGame> {
        self.after(Act::Double)
    }

    fn beavered(&self) -> PyResult<PlayedGame> {
        self.after(Act::Beaver)
    }

    fn taken(&self) -> PyResult<PlayedGame> {
        self.after(Act::Take)
    }

    fn passed(&self) -> PyResult<PlayedGame> {
        self.after(Act::Pass)
    }

    /// A resignation by 1, 2 or 3 times the cube.
    fn resigns(&self, #[pyo3(from_py_with = whole)] margin: u8) -> PyResult<PlayedGame> {
        self.after(Act::Resign(margin_of(margin)?))
    }

    fn accepted(&self) -> PyResult<PlayedGame> {
        self.after(Act::Accept)
    }

    fn declined(&self) -> PyResult<PlayedGame> {
        self.after(Act::Decline)
    }
}

/// The score of a match between its games.
#[pyclass(frozen, module = "gammond._gammond")]
pub(crate) struct MatchScore(game::MatchScore);

#[pymethods]
impl MatchScore {
    /// The score before the first game of a match to `length` points; 0 is money.
    #[new]
    fn new(#[pyo3(from_py_with = whole)] length: u32) -> PyResult<MatchScore> {
        let score = Score::new(length, 0, 0, false);
        score.map_err(|error| wrong::value("length", error))?;
        Ok(MatchScore(game::MatchScore::new(length)))
    }

    /// The points of both players.
    #[getter]
    fn points(&self) -> (u32, u32) {
        self.0.points().into()
    }

    /// True if the next game is the Crawford game.
    #[getter]
    fn crawford(&self) -> bool {
        self.0.is_crawford()
    }

    /// The player who has won the match.
    #[getter]
    fn winner(&self) -> Option<usize> {
        self.0.winner()
    }

    /// The state at the beginning of the next game, seen by player 0.
    fn state(&self) -> MatchState {
        MatchState(self.0.state(0, game::Rules::default()))
    }

    /// The score after a game that `player` has won by these points.
    fn add(&self, player: usize, points: u32) -> MatchScore {
        let mut score = self.0;
        score.add(player, points);
        MatchScore(score)
    }
}
