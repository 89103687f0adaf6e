//! A game as it is played: whose turn it is, what that player may do, and what comes of it. Dice are not thrown here: they
//! are given.

use crate::{Cube, CubeOwner, Margin, MatchState, PlayGenerator, Position, Roll, Score};

/// The reason why an act is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActRefusal {
    /// The other player may turn the cube.
    #[error("{}", self.reason())]
    OpponentsCube,
    /// The cube has reached [`Cube::MAX`].
    #[error("{}", self.reason())]
    LargestCube,
    /// No cube in the Crawford game.
    #[error("{}", self.reason())]
    CrawfordGame,
    /// The points of this cube are enough.
    #[error("{}", self.reason())]
    DeadCube,
    /// The game is played without a cube.
    #[error("{}", self.reason())]
    NoCube,
    /// The first dice are those of a double.
    #[error("{}", self.reason())]
    OpeningDouble,
    /// The play is none of the roll.
    #[error("{}", self.reason())]
    IllegalPlay,
    /// Something else is to be done now.
    #[error("{}", self.reason())]
    NotNow(GamePhase),
}

impl ActRefusal {
    /// Returns the reason in words that begin or end a sentence.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            ActRefusal::OpponentsCube => "the opponent owns the cube",
            ActRefusal::LargestCube => "the cube is at 4096 and cannot be turned further",
            ActRefusal::CrawfordGame => "the cube may not be turned in the Crawford game",
            ActRefusal::DeadCube => "a win at this cube wins the match already",
            ActRefusal::NoCube => "no cube is in use",
            ActRefusal::OpeningDouble => "the first roll of a game is no double",
            ActRefusal::IllegalPlay => "the play is not legal with this roll",
            ActRefusal::NotNow(GamePhase::Opening) => "the first roll comes now",
            ActRefusal::NotNow(GamePhase::Turn) => "a double or a roll comes now",
            ActRefusal::NotNow(GamePhase::Play(_)) => "a play comes now",
            ActRefusal::NotNow(GamePhase::Answer) => "the answer to the double comes now",
            ActRefusal::NotNow(GamePhase::Over(_)) => "the game is over",
        }
    }
}

impl Score {
    /// Returns the reason why the player on roll may not double at a cube of 2 to the power `doublings`; `None` if that
    /// player may (CUBE-07). The leader after the Crawford game needs one point, which every cube brings.
    #[must_use]
    pub const fn double_refusal(self, doublings: u32, owner: CubeOwner) -> Option<ActRefusal> {
        if matches!(owner, CubeOwner::Opponent) {
            Some(ActRefusal::OpponentsCube)
        } else if doublings >= Cube::MAX.trailing_zeros() {
            Some(ActRefusal::LargestCube)
        } else if self.is_crawford() {
            Some(ActRefusal::CrawfordGame)
        } else if !self.is_money() && 1 << doublings >= self.my_away() {
            Some(ActRefusal::DeadCube)
        } else {
            None
        }
    }
}

impl MatchState {
    /// Returns the reason why the player on roll may not double; `None` if that player may.
    #[must_use]
    pub const fn double_refusal(&self) -> Option<ActRefusal> {
        let doublings = self.cube.value().trailing_zeros();
        self.score.double_refusal(doublings, self.cube.owner())
    }

    /// Returns the state after a double of the player on roll that was taken.
    #[must_use]
    pub fn doubled(self) -> MatchState {
        let cube = Cube::new(2 * self.cube.value(), CubeOwner::Opponent);
        MatchState {
            cube: cube.unwrap_or(self.cube),
            ..self
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GameEnd {
    /// The side that has won: 0 or 1.
    pub winner: usize,
    /// Points won.
    pub points: u32,
    /// By how much the checkers have won; `None` if a double was passed.
    pub margin: Option<Margin>,
}

impl GameEnd {
    /// Returns the points of side 0: negative if it has lost.
    #[must_use]
    pub fn signed_points(&self) -> i32 {
        let points = i32::try_from(self.points).unwrap_or(i32::MAX);
        if self.winner == 0 { points } else { -points }
    }
}

/// The act that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GamePhase {
    /// The first roll, which decides who begins.
    Opening,
    /// A double or a roll of the player on roll.
    Turn,
    /// A play of this roll.
    Play(Roll),
    /// The answer of the other player to a double.
    Answer,
    /// None: the game is over.
    Over(GameEnd),
}

/// One step of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// The dice. Of the first ones the first die is that of side 0; the larger one begins.
    Roll(Roll),
    /// A play, named by the position after it, seen by the other player.
    Play(Position),
    /// A double, or a redouble.
    Double,
    /// The double is taken.
    Take,
    /// The double is passed, and the game with it.
    Pass,
}

/// A game between the sides 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Seen by the player on roll.
    position: Position,
    /// Seen by the player on roll.
    state: MatchState,
    on_roll: usize,
    phase: GamePhase,
    with_cube: bool,
}

impl Game {
    /// Begins a game at the usual start; `state` is seen by side 0. Without a cube neither side may double.
    #[must_use]
    pub fn new(state: MatchState, with_cube: bool) -> Game {
        Game {
            position: Position::start(),
            state,
            on_roll: 0,
            phase: GamePhase::Opening,
            with_cube,
        }
    }

    /// Returns the position, seen by the player on roll; after the last play by the loser.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns cube, score and rules, seen by the player on roll.
    #[must_use]
    pub const fn state(&self) -> &MatchState {
        &self.state
    }

    /// Returns the side on roll: 0 or 1. While a double waits for its answer that is the doubler.
    #[must_use]
    pub const fn on_roll(&self) -> usize {
        self.on_roll
    }

    /// Returns the side that acts next.
    #[must_use]
    pub const fn actor(&self) -> usize {
        match self.phase {
            GamePhase::Answer => 1 - self.on_roll,
            _ => self.on_roll,
        }
    }

    /// Returns position and state seen by the side that acts next.
    #[must_use]
    pub fn seen(&self) -> (Position, MatchState) {
        match self.phase {
            GamePhase::Answer => (self.position.swapped(), self.state.swapped()),
            _ => (self.position, self.state),
        }
    }

    /// Returns what comes next.
    #[must_use]
    pub const fn phase(&self) -> GamePhase {
        self.phase
    }

    /// Returns the result, if the game is over.
    #[must_use]
    pub const fn end(&self) -> Option<GameEnd> {
        match self.phase {
            GamePhase::Over(end) => Some(end),
            _ => None,
        }
    }

    /// Returns the reason why the player on roll may not double now; `None` if that player may.
    #[must_use]
    pub fn double_refusal(&self) -> Option<ActRefusal> {
        match self.phase {
            GamePhase::Turn if self.with_cube => self.state.double_refusal(),
            GamePhase::Turn => Some(ActRefusal::NoCube),
            phase => Some(ActRefusal::NotNow(phase)),
        }
    }

    /// Performs an act.
    ///
    /// # Errors
    /// A [`ActRefusal`] if it is not allowed; the game is as it was then.
    pub fn act(&mut self, act: Act) -> Result<(), ActRefusal> {
        match (act, self.phase) {
            (Act::Roll(roll), GamePhase::Opening) => {
                if roll.is_double() {
                    return Err(ActRefusal::OpeningDouble);
                }
                let [first, second] = roll.dice();
                if first < second {
                    self.on_roll = 1;
                    self.state = self.state.swapped();
                }
                self.phase = GamePhase::Play(roll);
            }
            (Act::Roll(roll), GamePhase::Turn) => self.phase = GamePhase::Play(roll),
            (Act::Play(after), GamePhase::Play(roll)) => {
                let mut plays = Vec::new();
                PlayGenerator::new(&self.position).plays(roll, &mut plays);
                let cannot_move = plays.is_empty() && after == self.position.swapped();
                if !cannot_move && !plays.contains(&after) {
                    return Err(ActRefusal::IllegalPlay);
                }
                return self.played(after);
            }
            (Act::Double, _) => match self.double_refusal() {
                Some(refusal) => return Err(refusal),
                None => self.phase = GamePhase::Answer,
            },
            (Act::Take, GamePhase::Answer) => {
                self.state = self.state.doubled();
                self.phase = GamePhase::Turn;
            }
            (Act::Pass, GamePhase::Answer) => {
                self.phase = GamePhase::Over(GameEnd {
                    winner: self.on_roll,
                    points: self.state.cube.value(),
                    margin: None,
                });
            }
            (_, phase) => return Err(ActRefusal::NotNow(phase)),
        }
        Ok(())
    }

    /// Performs a play that was chosen among the legal ones; it is not checked again.
    ///
    /// # Errors
    /// [`ActRefusal::NotNow`] if no play comes now.
    pub fn played(&mut self, after: Position) -> Result<(), ActRefusal> {
        if !matches!(self.phase, GamePhase::Play(_)) {
            return Err(ActRefusal::NotNow(self.phase));
        }
        let (player, state) = (self.on_roll, self.state);
        (self.position, self.state, self.on_roll) = (after, state.swapped(), 1 - player);
        self.phase = match after.outcome() {
            None => GamePhase::Turn,
            Some(outcome) => GamePhase::Over(GameEnd {
                winner: if outcome.won { 1 - player } else { player },
                points: state.points(outcome.margin),
                margin: Some(outcome.margin),
            }),
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, legal_plays};

    fn roll(first: u8, second: u8) -> Act {
        Act::Roll(Roll::new(first, second).unwrap())
    }

    fn money(jacoby: bool) -> MatchState {
        MatchState::money(Rules {
            jacoby,
            beavers: false,
        })
    }

    /// After the dice of the opening, which decide who begins, a turn is a double or a roll, then a play.
    #[test]
    fn acts_come_in_their_order() {
        let mut game = Game::new(money(true), true);
        assert_eq!(
            game.act(Act::Double),
            Err(ActRefusal::NotNow(GamePhase::Opening))
        );
        assert_eq!(game.act(roll(3, 3)), Err(ActRefusal::OpeningDouble));
        game.act(roll(3, 4)).unwrap();
        assert_eq!((game.on_roll(), game.actor()), (1, 1));
        let refused = game.act(roll(3, 1));
        assert!(matches!(
            refused,
            Err(ActRefusal::NotNow(GamePhase::Play(_)))
        ));
        let stays = Position::start().swapped();
        assert_eq!(game.act(Act::Play(stays)), Err(ActRefusal::IllegalPlay));
        let after = legal_plays(game.position(), Roll::new(3, 4).unwrap())[0].after;
        game.act(Act::Play(after)).unwrap();
        assert_eq!((game.phase(), game.on_roll()), (GamePhase::Turn, 0));
        assert_eq!(
            game.act(Act::Take),
            Err(ActRefusal::NotNow(GamePhase::Turn))
        );
        game.act(Act::Double).unwrap();
        assert_eq!((game.on_roll(), game.actor()), (0, 1));
        assert_eq!(game.seen().0, game.position().swapped());
        assert_eq!(
            game.act(Act::Double),
            Err(ActRefusal::NotNow(GamePhase::Answer))
        );
        game.act(Act::Take).unwrap();
        assert_eq!(
            game.state().cube,
            Cube::new(2, CubeOwner::Opponent).unwrap()
        );
        assert_eq!(game.act(Act::Double), Err(ActRefusal::OpponentsCube));
        game.act(roll(6, 6)).unwrap();
        let after = legal_plays(game.position(), Roll::new(6, 6).unwrap())[0].after;
        game.played(after).unwrap();
        game.act(Act::Double).unwrap();
        game.act(Act::Pass).unwrap();
        let end = GameEnd {
            winner: 1,
            points: 2,
            margin: None,
        };
        assert_eq!((game.end(), end.signed_points()), (Some(end), -2));
        assert_eq!(
            game.act(roll(2, 1)),
            Err(ActRefusal::NotNow(GamePhase::Over(end)))
        );
    }

    /// A gammon counts twice the cube, but for Jacoby's rule; without a cube neither side doubles.
    #[test]
    fn the_last_play_ends_the_game() {
        let mut home = [0; 25];
        home[0] = 1;
        let mut back = [0; 25];
        back[5] = 15;
        for (jacoby, points) in [(true, 1), (false, 2)] {
            let mut game = Game::new(money(jacoby), false);
            game.act(roll(6, 5)).unwrap();
            game.position = Position::new(&home, &back).unwrap();
            let after = legal_plays(game.position(), Roll::new(6, 5).unwrap())[0].after;
            game.act(Act::Play(after)).unwrap();
            let end = GameEnd {
                winner: 0,
                points,
                margin: Some(Margin::Gammon),
            };
            assert_eq!(game.end(), Some(end));
        }
        let mut game = Game::new(money(true), false);
        game.phase = GamePhase::Turn;
        assert_eq!(game.act(Act::Double), Err(ActRefusal::NoCube));
    }

    /// CUBE-07.
    #[test]
    fn doubles_that_are_not_allowed_have_a_reason() {
        let match_score = Score::new(7, 3, 3, false).unwrap();
        let post_crawford = Score::new(7, 6, 3, false).unwrap();
        let crawford = Score::new(7, 3, 6, true).unwrap();
        let (centred, me) = (CubeOwner::Centred, CubeOwner::Me);
        for (score, doublings, owner, refusal) in [
            (Score::MONEY, 0, centred, None),
            (Score::MONEY, 11, me, None),
            (Score::MONEY, 12, me, Some(ActRefusal::LargestCube)),
            (
                Score::MONEY,
                1,
                CubeOwner::Opponent,
                Some(ActRefusal::OpponentsCube),
            ),
            (match_score, 1, me, None),
            (match_score, 2, me, Some(ActRefusal::DeadCube)),
            (crawford, 0, centred, Some(ActRefusal::CrawfordGame)),
            (post_crawford, 0, centred, Some(ActRefusal::DeadCube)),
            (post_crawford.swapped(), 0, centred, None),
        ] {
            let found = score.double_refusal(doublings, owner);
            assert_eq!(found, refusal, "{score:?} {doublings} {owner:?}");
        }
    }
}
