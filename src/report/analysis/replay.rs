//! The actions of a game as decisions, each with its player and position.

use gammond_game::notation::{
    MatAction, MatGame, MatPlayer, MatchFile, SetUp, position_after, steps_made,
};
use gammond_game::{
    Act, ActRefusal, Cube, Game, GamePhase, MatchScore, MatchState, Play, Position, Roll, Rules,
    Variant,
};

/// Games that a backgammon counts.
const BACKGAMMON: u32 = 3;

/// The action of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// A roll was played.
    Play {
        /// The roll.
        roll: Roll,
        /// The position after it, the other player on roll.
        after: Position,
        /// True for the first roll of the game: both dice are different, and no double was possible before.
        opening: bool,
        /// True if the player was allowed to double before.
        may_double: bool,
    },
    /// The player doubled.
    Double,
    /// The player took the other one's double.
    Take,
    /// The player passed the other one's double.
    Drop,
    /// The player answered a double with a double of his own; the position is still the first doubler's.
    Beaver {
        /// Turns of the cube that are answered: 1 is a double, 2 a beaver.
        turns: u8,
    },
    /// The answer to a beaver or a raccoon.
    BeaverAnswer {
        /// True if the cube was taken, not passed.
        taken: bool,
        /// Turns of the cube that are answered: 2 is a beaver, 3 a raccoon.
        turns: u8,
    },
    /// Resignation of this many games, accepted by the opponent.
    Resign {
        /// 1, 2 or 3.
        games: u8,
        /// True if the resigning player is on roll in `position`.
        on_roll: bool,
    },
    /// A roll whose play is unknown.
    Unknown {
        /// The roll.
        roll: Roll,
        /// True if nothing follows: the play is a question, and the plays are ranked.
        open: bool,
    },
    /// The game ends before the roll, with a board that was set up: whether to double is a question.
    Open,
}

/// One decision of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Player who decided.
    pub player: MatPlayer,
    /// The position, seen by the player on roll: after a double that is the doubler.
    pub position: Position,
    /// Cube, score and rules, seen by the same player, with the cube as before a double.
    pub state: MatchState,
    /// Action of the player.
    pub action: Action,
    /// The number of the action in its game, from 0; a resignation follows the last one.
    pub number: usize,
    /// The move of the game as people count them, from 1: a turn of the first and of the second player.
    pub turn: u32,
}

/// A game as decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Decisions in order, up to the first action that does not fit.
    pub decisions: Vec<Decision>,
    /// Number, from 0, of the first action that does not fit, and the reason.
    pub fault: Option<(usize, &'static str)>,
    /// Illegal plays; the board could follow them, and the decisions after them are analysed.
    pub illegal: Vec<usize>,
}

/// The terms of a game: the score before it, rules and variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// The score before the game.
    pub score: MatchScore,
    /// Rules for money.
    pub rules: Rules,
    /// The variant.
    pub variant: Variant,
}

impl Terms {
    /// Returns the terms of each game of a file; rules that the file does not give are those in `rules`.
    #[must_use]
    pub fn of(file: &MatchFile, rules: Rules) -> Vec<Terms> {
        let beavers = file.switch("Beaver").unwrap_or(rules.beavers);
        let variant = file.variant().unwrap_or_default();
        let terms = |(score, game)| Terms {
            score,
            rules: Rules {
                jacoby: file.jacoby(game).unwrap_or(rules.jacoby),
                beavers,
            },
            variant,
        };
        file.scores().zip(&file.games).map(terms).collect()
    }
}

/// Replays a game.
#[must_use]
pub fn replay_from(game: &MatGame, terms: &Terms) -> Replay {
    let mut replay = Replay {
        decisions: Vec::new(),
        fault: None,
        illegal: Vec::new(),
    };
    let &Terms {
        score,
        rules,
        variant,
    } = terms;
    if score.score(0).is_err() {
        replay.fault = Some((0, "the score does not fit the match"));
        return replay;
    }
    let mut table = GameReplay {
        game: score.game(rules, true).with_variant(variant),
        turn: 1,
        last: None,
    };
    for (number, &(player, action)) in game.actions.iter().enumerate() {
        if let MatAction::SetUp(set_up) = action {
            table.set_up(player, &set_up);
            continue;
        }
        table.count_turn(player);
        match table.act(player, action, number) {
            Ok(Some(decision)) => replay.decisions.push(decision),
            Ok(None) => replay.illegal.push(number),
            Err(refusal) => {
                replay.fault = Some((number, refusal.reason()));
                return replay;
            }
        }
    }
    replay.decisions.extend(table.open_cube(game));
    replay.decisions.extend(table.resignation(game));
    if let Some(last) = replay.decisions.last_mut()
        && let Action::Unknown { open, .. } = &mut last.action
        && game.result.is_none()
    {
        *open = last.number + 1 == game.actions.len();
    }
    replay
}

/// A game on its way.
struct GameReplay {
    game: Game,
    turn: u32,
    last: Option<MatPlayer>,
}

impl GameReplay {
    /// Counts a turn of both players, which begins when the first player acts after the second.
    fn count_turn(&mut self, player: MatPlayer) {
        if self.last == Some(MatPlayer::Second) && player == MatPlayer::First {
            self.turn += 1;
        }
        self.last = Some(player);
    }

    fn set_up(&mut self, player: MatPlayer, set_up: &SetUp) {
        let cube = set_up.cube(player).unwrap_or(Cube::CENTRED);
        self.game.set_up(player.index(), set_up.position, cube);
    }

    /// Follows an act. An act against the rules is a decision like others: a double of a dead cube, a beaver where
    /// the players may have agreed on them. An opening roll of equal dice is taken for another one.
    fn follow(&mut self, player: MatPlayer, act: Act) -> Result<(), ActRefusal> {
        match self.game.follow(player.index(), act) {
            Err(ActRefusal::DeadCube | ActRefusal::NoBeavers | ActRefusal::OpeningDouble) => Ok(()),
            followed => followed,
        }
    }

    /// Returns a decision on the board as it is.
    fn decision(&self, player: MatPlayer, action: Action, number: usize) -> Decision {
        Decision {
            player,
            position: *self.game.position(),
            state: *self.game.state(),
            action,
            number,
            turn: self.turn,
        }
    }

    /// Returns the decision, or nothing for a play that is not legal but was followed.
    fn act(
        &mut self,
        player: MatPlayer,
        action: MatAction,
        number: usize,
    ) -> Result<Option<Decision>, ActRefusal> {
        // Boards are set up before this call.
        let Some(act) = action.act() else {
            return Ok(None);
        };
        if let MatAction::Play { roll, play } = action {
            return self.play(player, roll, &play, number);
        }
        if let Act::Roll(roll) = act {
            self.follow(player, act)?;
            let made = self.decision(player, Action::Unknown { roll, open: false }, number);
            self.game.played(self.game.position().swapped())?;
            return Ok(Some(made));
        }
        let turns = match self.game.phase() {
            GamePhase::Answer(turns) => turns,
            _ => 0,
        };
        let taken = act == Act::Take;
        let action = match (act, turns) {
            (Act::Double, _) => Action::Double,
            (Act::Beaver, _) => Action::Beaver { turns },
            (Act::Take, 1) => Action::Take,
            (_, 1) => Action::Drop,
            _ => Action::BeaverAnswer { taken, turns },
        };
        let made = self.decision(player, action, number);
        self.follow(player, act)?;
        Ok(Some(made))
    }

    fn play(
        &mut self,
        player: MatPlayer,
        roll: Roll,
        play: &Play,
        number: usize,
    ) -> Result<Option<Decision>, ActRefusal> {
        let opening = self.game.phase() == GamePhase::Opening;
        let may_double = self.game.double_refusal().is_none();
        self.follow(player, Act::Roll(roll))?;
        let Some(after) = position_after(self.game.position(), roll, play) else {
            let followed = steps_made(self.game.position(), play).filter(|_| !play.is_pass());
            let board = followed.ok_or(ActRefusal::IllegalPlay)?;
            self.game.played(board.swapped())?;
            return Ok(None);
        };
        let action = Action::Play {
            roll,
            after,
            opening,
            may_double,
        };
        let made = self.decision(player, action, number);
        self.game.played(after)?;
        Ok(Some(made))
    }

    /// Returns the question of a game that ends with a board that was set up (ANA-29).
    fn open_cube(&self, game: &MatGame) -> Option<Decision> {
        let &(player, MatAction::SetUp(_)) = game.actions.last()? else {
            return None;
        };
        let open = game.result.is_none() && self.game.double_refusal().is_none();
        let number = game.actions.len() - 1;
        open.then(|| self.decision(player, Action::Open, number))
    }

    /// Returns the resignation in a game that has a winner, although neither the board nor a pass ended it.
    fn resignation(&self, game: &MatGame) -> Option<Decision> {
        let (winner, points) = game.result?;
        if game.settled || !matches!(self.game.phase(), GamePhase::Turn) {
            return None;
        }
        let games = (points / self.game.stake()).max(1);
        // More than a backgammon is no resignation.
        if games > BACKGAMMON {
            return None;
        }
        let loser = winner.other();
        let action = Action::Resign {
            games: u8::try_from(games).ok()?,
            on_roll: loser.index() == self.game.on_roll(),
        };
        Some(self.decision(loser, action, game.actions.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::legal_plays;

    /// Replays a game of a match to `length` points (0: money).
    fn replay(game: &MatGame, length: u32) -> Replay {
        let file = MatchFile {
            length,
            games: vec![game.clone()],
            ..MatchFile::default()
        };
        replay_from(game, &Terms::of(&file, Rules::default())[0])
    }

    fn opening(player: MatPlayer) -> (MatPlayer, MatAction) {
        let roll = Roll::of(3, 1);
        let play = legal_plays(&Position::start(), roll)[0].play;
        (player, MatAction::Play { roll, play })
    }

    /// ANA-29: a game that ends before the roll or the play ends with a question; one with a winner has none.
    #[test]
    fn replay_ends_with_open_question() {
        let set_up = SetUp {
            position: gammond_game::notation::parse_position(b"4PPBA0DY1sgBIQ")
                .unwrap()
                .position,
            value: 1,
            owner: None,
        };
        let mut game = MatGame {
            actions: vec![(MatPlayer::First, MatAction::SetUp(set_up))],
            ..MatGame::default()
        };
        let asked = |game: &MatGame| {
            let done = replay(game, 0).decisions;
            done.iter().map(|one| one.action).collect::<Vec<_>>()
        };
        assert_eq!(asked(&game), [Action::Open]);
        let roll = Roll::of(3, 1);
        game.actions
            .push((MatPlayer::First, MatAction::Rolled(roll)));
        assert_eq!(asked(&game), [Action::Unknown { roll, open: true }]);
        game.result = Some((MatPlayer::Second, 1));
        assert!(!asked(&game).contains(&Action::Unknown { roll, open: true }));
    }

    /// An action that does not fit ends the replay with its reason.
    #[test]
    fn replay_reports_actions_that_do_not_fit() {
        use MatPlayer::{First, Second};
        type Actions = Vec<(MatPlayer, MatAction)>;
        let cases: [(Actions, usize, &str); 6] = [
            (
                vec![(First, MatAction::Double(2))],
                0,
                "the cube may not be turned before the first roll",
            ),
            (
                vec![opening(First), opening(First)],
                1,
                "it is the other player's turn",
            ),
            (
                vec![opening(First), (Second, MatAction::Take)],
                1,
                "there is no double to answer",
            ),
            (
                vec![
                    opening(First),
                    (Second, MatAction::Double(2)),
                    opening(Second),
                ],
                2,
                "the double is not answered",
            ),
            (
                vec![
                    opening(First),
                    (Second, MatAction::Double(2)),
                    (Second, MatAction::Take),
                ],
                2,
                "the double is the player's own",
            ),
            (
                vec![
                    opening(First),
                    (Second, MatAction::Double(2)),
                    (First, MatAction::Take),
                    (First, MatAction::Double(4)),
                ],
                3,
                "it is the other player's turn",
            ),
        ];
        for (actions, number, reason) in cases {
            let game = MatGame {
                actions,
                ..MatGame::default()
            };
            let told = replay(&game, 5);
            assert_eq!(told.fault, Some((number, reason)));
            assert_eq!(told.decisions.len(), number);
        }
        let game = MatGame {
            scores: [9, 0],
            ..MatGame::default()
        };
        assert!(replay(&game, 5).fault.is_some());
    }

    /// CUBE-07: a double of a dead cube is followed; one in the Crawford game, or of the other player's cube, is not.
    #[test]
    fn replay_follows_dead_cube_alone() {
        use MatPlayer::{First, Second};
        for (scores, reason) in [
            ([3, 3], None),
            (
                [4, 3],
                Some("the cube may not be turned in the Crawford game"),
            ),
        ] {
            let actions = vec![opening(First), (Second, MatAction::Double(2))];
            let actions = [actions, vec![(First, MatAction::Take)]].concat();
            let game = MatGame {
                actions,
                scores,
                ..MatGame::default()
            };
            let told = replay(&game, 5);
            assert_eq!(told.fault, reason.map(|reason| (1, reason)));
        }
        let mut actions = vec![opening(First)];
        for number in 0..3 {
            let [one, other] = [[First, Second], [Second, First]][(number + 1) % 2];
            actions.extend([(one, MatAction::Double(2)), (other, MatAction::Take)]);
            let roll = Roll::of(2, 1);
            actions.push((one, MatAction::Rolled(roll)));
        }
        let game = MatGame {
            actions,
            ..MatGame::default()
        };
        let told = replay(&game, 3);
        assert_eq!((told.fault, told.decisions.len()), (None, 10));
        assert_eq!(told.decisions[8].state.cube.value(), 4);
    }
}
