//! A game in progress: the player on turn, the allowed acts, and their results. Dice are not thrown here: they are
//! given.

use super::act::{Act, ActRefusal, GameEnd, GamePhase};
use crate::{Cube, CubeOwner, Margin, MatchState, PlayGenerator, Position, Variant};

/// A game between the sides 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Seen by the player on roll.
    position: Position,
    /// Seen by the player on roll, before a double that is not answered.
    state: MatchState,
    on_roll: usize,
    /// Phase of the game, without an open resignation.
    phase: GamePhase,
    /// The side that has offered to resign, and by which margin.
    resigned: Option<(usize, Margin)>,
    with_cube: bool,
}

impl Default for Game {
    /// Begins a money game by the default rules.
    fn default() -> Game {
        Game::new(MatchState::default(), true)
    }
}

impl Game {
    /// Begins a game at the start of its variant; `state` is seen by side 0. Without a cube neither side may double.
    #[must_use]
    pub fn new(state: MatchState, with_cube: bool) -> Game {
        Game {
            position: state.variant.start(),
            state,
            on_roll: 0,
            phase: GamePhase::Opening,
            resigned: None,
            with_cube,
        }
    }

    /// Begins the game at the start of a variant.
    #[must_use]
    pub fn with_variant(self, variant: Variant) -> Game {
        Game::new(self.state.with_variant(variant), self.with_cube)
    }

    /// Begins the game at a position. If it is the same for both sides, the first roll decides who begins, as at the start of
    /// a variant; otherwise side 0 is on roll, and may double (START-02).
    #[must_use]
    pub fn with_start(self, position: Position) -> Game {
        Game {
            phase: match position == position.swapped() {
                true => GamePhase::Opening,
                false => GamePhase::Turn,
            },
            position,
            ..self
        }
    }

    /// Returns the position, seen by the player on roll; after the last play by the loser.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Returns cube, score and rules, seen by the player on roll. While a double waits for its answer that is the cube
    /// before it.
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
        match (self.resigned, self.phase) {
            (Some((side, _)), _) => 1 - side,
            (None, GamePhase::Answer(turns)) if !turns.is_multiple_of(2) => 1 - self.on_roll,
            _ => self.on_roll,
        }
    }

    /// Returns position and state seen by the side that acts next.
    #[must_use]
    pub fn seen(&self) -> (Position, MatchState) {
        if self.actor() == self.on_roll {
            (self.position, self.state)
        } else {
            (self.position.swapped(), self.state.swapped())
        }
    }

    /// Returns the next decision.
    #[must_use]
    pub const fn phase(&self) -> GamePhase {
        match self.resigned {
            Some((_, margin)) => GamePhase::Resigned(margin),
            None => self.phase,
        }
    }

    /// Returns the result, if the game is over.
    #[must_use]
    pub const fn end(&self) -> Option<GameEnd> {
        match self.phase {
            GamePhase::Over(end) => Some(end),
            _ => None,
        }
    }

    /// Returns the value of the cube, which a pass of an open double loses: a beaver has taken the double before it.
    #[must_use]
    pub const fn stake(&self) -> u32 {
        let value = self.state.cube.value();
        match self.turns().saturating_sub(1) {
            turns @ 0..16 => value << turns,
            _ => u32::MAX,
        }
    }

    /// Returns how often the cube was turned without an answer.
    const fn turns(&self) -> u8 {
        match self.phase {
            GamePhase::Answer(turns) => turns,
            _ => 0,
        }
    }

    /// Returns the reason why the player on roll may not double now; `None` if that player may.
    #[must_use]
    pub fn double_refusal(&self) -> Option<ActRefusal> {
        self.order_refusal(Act::Double).or(match self.with_cube {
            true => self.state.double_refusal(),
            false => Some(ActRefusal::NoCube),
        })
    }

    /// Performs an act of the side that acts next.
    ///
    /// # Errors
    /// A [`ActRefusal`] if it is not allowed; the game is as it was then.
    pub fn act(&mut self, act: Act) -> Result<(), ActRefusal> {
        if let Some(refusal) = self.order_refusal(act).or_else(|| self.rule_refusal(act)) {
            return Err(refusal);
        }
        if let (GamePhase::Opening, Act::Roll(roll)) = (self.phase, act) {
            let [first, second] = roll.dice();
            self.turn_to(usize::from(first < second));
        }
        self.perform(self.actor(), act);
        Ok(())
    }

    /// Performs a play that was chosen among the legal ones; it is not checked again.
    ///
    /// # Errors
    /// [`ActRefusal::NotNow`] if no play comes now.
    pub fn played(&mut self, after: Position) -> Result<(), ActRefusal> {
        match self.phase {
            GamePhase::Play(_) => {
                self.perform(self.on_roll, Act::Play(after));
                Ok(())
            }
            phase => Err(ActRefusal::NotNow(phase)),
        }
    }

    /// Performs an act of `side` (0 or 1) that a file or another program reports, allowed or not: the turn goes to
    /// `side`, and an open offer is dropped. An answer to nothing changes nothing. The first roll is that of the side
    /// that begins.
    ///
    /// # Errors
    /// The first reason against the act; the game continues all the same.
    pub fn follow(&mut self, side: usize, act: Act) -> Result<(), ActRefusal> {
        let (side, order) = (side.min(1), self.order_refusal(act));
        let is_free = self.phase() == GamePhase::Opening || matches!(act, Act::Resign(_));
        let turn = (side != self.actor() && !is_free).then_some(match act {
            Act::Beaver | Act::Take | Act::Pass => ActRefusal::OwnDouble,
            _ => ActRefusal::OthersTurn,
        });
        if let Act::Roll(_) | Act::Play(_) | Act::Double = act {
            self.turn_to(side);
            self.resigned = None;
        }
        let refusal = order.or(turn).or_else(|| self.rule_refusal(act));
        match order {
            Some(ActRefusal::NoDouble | ActRefusal::NoResignation) => {}
            _ => self.perform(side, act),
        }
        refusal.map_or(Ok(()), Err)
    }

    /// Sets up a board and a cube in the middle of a game; `side` is on roll and sees both. A double of that side at
    /// the same cube stays open; the start of the variant is that of a game, at which neither player may double.
    pub fn set_up(&mut self, side: usize, position: Position, cube: Cube) {
        let side = side.min(1);
        let is_open = self.turns() > 0 && self.on_roll == side && cube.value() == self.stake();
        if !is_open {
            self.phase = match position == self.state.variant.start() {
                true => GamePhase::Opening,
                false => GamePhase::Turn,
            };
        }
        self.turn_to(side);
        (self.position, self.state.cube, self.resigned) = (position, cube, None);
    }

    /// Returns the reason against an act at this time.
    fn order_refusal(&self, act: Act) -> Option<ActRefusal> {
        match (act, self.phase()) {
            (_, phase @ GamePhase::Over(_)) => Some(ActRefusal::NotNow(phase)),
            (Act::Accept | Act::Decline, GamePhase::Resigned(_))
            | (Act::Roll(_), GamePhase::Opening | GamePhase::Turn)
            | (Act::Play(_), GamePhase::Play(_))
            | (Act::Double, GamePhase::Turn)
            | (Act::Beaver | Act::Take | Act::Pass, GamePhase::Answer(_)) => None,
            (Act::Accept | Act::Decline, _) => Some(ActRefusal::NoResignation),
            (_, phase @ GamePhase::Resigned(_)) => Some(ActRefusal::NotNow(phase)),
            (Act::Beaver | Act::Take | Act::Pass, _) => Some(ActRefusal::NoDouble),
            (Act::Double, GamePhase::Opening) => Some(ActRefusal::OpeningCube),
            (Act::Resign(_), phase) => {
                (phase == GamePhase::Opening).then_some(ActRefusal::NotNow(phase))
            }
            (_, phase) => Some(ActRefusal::NotNow(phase)),
        }
    }

    /// Returns the reason against an act that comes in its order.
    fn rule_refusal(&self, act: Act) -> Option<ActRefusal> {
        match (act, self.phase) {
            (Act::Roll(roll), GamePhase::Opening) if roll.is_double() => {
                Some(ActRefusal::OpeningDouble)
            }
            (Act::Play(after), GamePhase::Play(roll)) => {
                let mut plays = Vec::new();
                PlayGenerator::new(&self.position).plays(roll, &mut plays);
                let cannot_move = plays.is_empty() && after == self.position.swapped();
                let is_legal = cannot_move || plays.contains(&after);
                (!is_legal).then_some(ActRefusal::IllegalPlay)
            }
            (Act::Double, _) => self.double_refusal(),
            (Act::Beaver, _) => self.state.beaver_refusal(self.turns()),
            _ => None,
        }
    }

    /// Gives the turn to a side.
    fn turn_to(&mut self, side: usize) {
        if self.on_roll != side {
            self.on_roll = 1 - self.on_roll;
            (self.position, self.state) = (self.position.swapped(), self.state.swapped());
        }
    }

    /// Turns the cube so often; the other player keeps it.
    fn turn_cube(&mut self, turns: u8) {
        let value = u32::from(Cube::MAX).min(self.state.cube.value() << turns.min(12));
        if let (1.., Ok(cube)) = (turns, Cube::new(value, CubeOwner::Opponent)) {
            self.state.cube = cube;
        }
    }

    /// Performs an act of a side without a check.
    fn perform(&mut self, side: usize, act: Act) {
        match act {
            Act::Roll(roll) => self.phase = GamePhase::Play(roll),
            Act::Play(after) => {
                let player = self.on_roll;
                (self.position, self.state) = (after, self.state.swapped());
                self.on_roll = 1 - player;
                self.phase = match self.state.variant.outcome(&after) {
                    None => GamePhase::Turn,
                    Some(outcome) => GamePhase::Over(GameEnd {
                        winner: if outcome.won { 1 - player } else { player },
                        points: self.state.points(outcome.margin),
                        margin: Some(outcome.margin),
                    }),
                };
            }
            Act::Double => self.phase = GamePhase::Answer(1),
            Act::Beaver => self.phase = GamePhase::Answer(self.turns().saturating_add(1)),
            Act::Take => {
                self.turn_cube(self.turns());
                self.phase = GamePhase::Turn;
            }
            Act::Pass => {
                self.turn_cube(self.turns().saturating_sub(1));
                self.phase = GamePhase::Over(GameEnd {
                    winner: 1 - side,
                    points: self.state.cube.value(),
                    margin: None,
                });
            }
            Act::Resign(margin) => self.resigned = Some((side, margin)),
            Act::Accept => {
                if let Some((side, margin)) = self.resigned.take() {
                    self.turn_cube(self.turns().saturating_sub(1));
                    self.phase = GamePhase::Over(GameEnd {
                        winner: 1 - side,
                        points: self.state.points(margin),
                        margin: Some(margin),
                    });
                }
            }
            Act::Decline => self.resigned = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Roll, Rules, Score, legal_plays};

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
        assert_eq!(game.act(Act::Double), Err(ActRefusal::OpeningCube));
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
        assert_eq!(game.act(Act::Take), Err(ActRefusal::NoDouble));
        game.act(Act::Double).unwrap();
        assert_eq!((game.on_roll(), game.actor()), (0, 1));
        assert_eq!(game.seen().0, game.position().swapped());
        assert_eq!(
            game.act(Act::Double),
            Err(ActRefusal::NotNow(GamePhase::Answer(1)))
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

    /// Returns a game in which it is the turn of side 0.
    fn begun(state: MatchState) -> Game {
        let mut game = Game::new(state, true);
        game.act(roll(3, 4)).unwrap();
        game.act(Act::Play(
            legal_plays(game.position(), Roll::of(3, 4))[0].after,
        ))
        .unwrap();
        assert_eq!((game.phase(), game.actor()), (GamePhase::Turn, 0));
        game
    }

    /// Each answer turns the cube once more, and the player who was doubled first keeps it; a pass loses the cube of
    /// the turn before it.
    /// START-02.
    #[test]
    fn mirrored_starts_begin_with_the_opening_roll() {
        let start = Variant::Nackgammon.start();
        let mut game = Game::default().with_start(start);
        assert_eq!(game.double_refusal(), Some(ActRefusal::OpeningCube));
        game.act(roll(2, 5)).unwrap();
        assert_eq!((game.on_roll(), *game.position()), (1, start));
        let odd = Position::from_points(&[0, 2], &[3]).unwrap();
        let mut game = Game::default().with_start(odd);
        assert_eq!((game.phase(), game.on_roll()), (GamePhase::Turn, 0));
        game.act(Act::Double).unwrap();
        game.act(Act::Take).unwrap();
        game.act(roll(3, 3)).unwrap();
        assert_eq!(*game.position(), odd);
    }

    #[test]
    fn beavers_and_raccoons_are_answered_in_turn() {
        let rules = Rules {
            jacoby: true,
            beavers: true,
        };
        let mut game = begun(MatchState::money(rules));
        assert_eq!(game.act(Act::Beaver), Err(ActRefusal::NoDouble));
        game.act(Act::Double).unwrap();
        for (turns, actor, stake) in [(1, 1, 1), (2, 0, 2), (3, 1, 4)] {
            let found = (game.phase(), game.actor(), game.stake());
            assert_eq!(found, (GamePhase::Answer(turns), actor, stake));
            let mut passed = game.clone();
            passed.act(Act::Pass).unwrap();
            let end = passed.end().unwrap();
            assert_eq!((end.winner, end.points), (1 - actor, stake));
            game.act(Act::Beaver).unwrap();
        }
        game.act(Act::Take).unwrap();
        let cube = Cube::new(16, CubeOwner::Opponent).unwrap();
        assert_eq!((game.state().cube, game.actor()), (cube, 0));
        for (state, refusal) in [
            (money(true), ActRefusal::NoBeavers),
            (
                MatchState {
                    score: Score::new(7, 0, 0, false).unwrap(),
                    ..MatchState::money(rules)
                },
                ActRefusal::MatchBeaver,
            ),
            (
                MatchState {
                    cube: Cube::new(2048, CubeOwner::Centred).unwrap(),
                    ..MatchState::money(rules)
                },
                ActRefusal::LargestCube,
            ),
        ] {
            let mut game = begun(state);
            game.act(Act::Double).unwrap();
            assert_eq!(game.act(Act::Beaver), Err(refusal));
        }
    }

    /// A resignation is worth as much as a win by that margin, Jacoby's rule included; one that is declined changes
    /// nothing.
    #[test]
    fn resignation_is_worth_its_margin() {
        let mut game = begun(money(true));
        assert_eq!(game.act(Act::Accept), Err(ActRefusal::NoResignation));
        game.act(Act::Resign(Margin::Gammon)).unwrap();
        assert_eq!(
            (game.phase(), game.actor()),
            (GamePhase::Resigned(Margin::Gammon), 1)
        );
        let waits = ActRefusal::NotNow(GamePhase::Resigned(Margin::Gammon));
        assert_eq!(game.act(Act::Double), Err(waits));
        let mut accepted = game.clone();
        accepted.act(Act::Accept).unwrap();
        let (winner, margin) = (1, Some(Margin::Gammon));
        let end = GameEnd {
            winner,
            points: 1,
            margin,
        };
        assert_eq!(accepted.end(), Some(end));
        game.act(Act::Decline).unwrap();
        assert_eq!((game.phase(), game.actor()), (GamePhase::Turn, 0));
        game.act(Act::Double).unwrap();
        game.act(Act::Take).unwrap();
        game.act(Act::Resign(Margin::Gammon)).unwrap();
        game.act(Act::Accept).unwrap();
        assert_eq!(game.end(), Some(GameEnd { points: 4, ..end }));
    }

    /// Follows an act of a file, with the reason against it; CUBE-07 for the dead cube.
    #[test]
    fn follow_goes_on_with_what_is_against_the_rules() {
        let score = Score::new(1, 0, 0, false).unwrap();
        let state = MatchState {
            score,
            ..money(false)
        };
        let mut game = Game::new(state, true);
        assert_eq!(game.follow(1, roll(3, 3)), Err(ActRefusal::OpeningDouble));
        let after = legal_plays(game.position(), Roll::of(3, 3))[0].after;
        assert_eq!(game.follow(1, Act::Play(after)), Ok(()));
        assert_eq!(game.follow(1, Act::Take), Err(ActRefusal::NoDouble));
        assert_eq!((game.phase(), game.on_roll()), (GamePhase::Turn, 0));
        assert_eq!(game.follow(0, Act::Double), Err(ActRefusal::DeadCube));
        assert_eq!(game.follow(0, Act::Take), Err(ActRefusal::OwnDouble));
        let cube = Cube::new(2, CubeOwner::Opponent).unwrap();
        assert_eq!((game.state().cube, game.on_roll()), (cube, 0));
        let board = *game.position();
        assert_eq!(game.follow(1, roll(2, 1)), Err(ActRefusal::OthersTurn));
        assert_eq!(*game.position(), board.swapped());
        let stays = game.position().swapped();
        assert_eq!(
            game.follow(1, Act::Play(stays)),
            Err(ActRefusal::IllegalPlay)
        );
        assert_eq!((game.phase(), game.on_roll()), (GamePhase::Turn, 0));
    }

    /// A double stays open while its board is set up again; at the start neither player may double.
    #[test]
    fn set_up_board_is_played_on() {
        let mut game = begun(money(false));
        game.act(Act::Double).unwrap();
        let (board, cube) = (*game.position(), game.state().cube);
        game.set_up(0, board, cube);
        assert_eq!(game.phase(), GamePhase::Answer(1));
        game.set_up(1, board, cube);
        assert_eq!((game.phase(), game.on_roll()), (GamePhase::Turn, 1));
        assert_eq!(*game.position(), board);
        game.set_up(0, Position::start(), cube);
        assert_eq!(game.phase(), GamePhase::Opening);
        let mut other = Game::new(money(false).with_variant(Variant::Nackgammon), true);
        assert_eq!(*other.position(), Variant::Nackgammon.start());
        other.set_up(0, Position::start(), cube);
        assert_eq!(other.phase(), GamePhase::Turn);
    }

    /// In hypergammon the loser has three checkers: all of them left are a gammon, one in the winner's home a backgammon.
    #[test]
    fn variant_decides_the_margin() {
        for (variant, points) in [(Variant::Hypergammon, 3), (Variant::Backgammon, 1)] {
            let mut game = Game::new(money(false).with_variant(variant), true);
            game.act(roll(2, 1)).unwrap();
            let opponent = [&[0; 9][..], &[1], &[0; 10], &[1, 1]].concat();
            game.position = Position::from_points(&[1], &opponent).unwrap();
            let after = Position::from_points(&opponent, &[]).unwrap();
            game.act(Act::Play(after)).unwrap();
            assert_eq!(game.end().map(|end| end.points), Some(points), "{variant}");
        }
    }
}
