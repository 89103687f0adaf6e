//! The actions of a game as decisions, each with its player and position.

use gammond_game::notation::{
    MatAction, MatGame, MatPlayer, MatchFile, SetUp, position_after, steps_made,
};
use gammond_game::{Cube, CubeOwner, MatchState, Play, Position, Roll, Rules, Score};

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
        /// Taken, not passed.
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
    /// In order, up to the first action that does not fit.
    pub decisions: Vec<Decision>,
    /// Number, from 0, of the first action that does not fit, and the reason.
    pub fault: Option<(usize, &'static str)>,
    /// Illegal plays; the board could follow them, and the decisions after them are analysed.
    pub illegal: Vec<usize>,
}

/// The terms of a game: match length, rules and start position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// It is the Crawford game.
    pub crawford: bool,
    /// Rules for money.
    pub rules: Rules,
    /// The position at the start.
    pub start: Position,
}

impl Terms {
    /// Returns the terms of each game of a file; rules that the file does not give are those in `rules`.
    #[must_use]
    pub fn of(file: &MatchFile, rules: Rules) -> Vec<Terms> {
        let rules = Rules {
            jacoby: file.switch("Jacoby").unwrap_or(rules.jacoby),
            beavers: file.switch("Beaver").unwrap_or(rules.beavers),
        };
        let terms = |crawford| Terms {
            length: file.length,
            crawford,
            rules,
            start: file.start().unwrap_or_default(),
        };
        crawford_games(file).into_iter().map(terms).collect()
    }
}

/// Replays a game of a match to `length` points (0: money). `crawford`: it is the Crawford game.
#[must_use]
pub fn replay(game: &MatGame, length: u32, crawford: bool, rules: Rules) -> Replay {
    replay_from(
        game,
        &Terms {
            length,
            crawford,
            rules,
            start: Position::start(),
        },
    )
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
        length,
        crawford,
        rules,
        start,
    } = terms;
    let [first, second] = match length {
        0 => [0, 0],
        _ => game.scores,
    };
    let Ok(score) = Score::new(length, first, second, crawford) else {
        replay.fault = Some((0, "the score does not fit the match"));
        return replay;
    };
    let mut table = GameReplay {
        position: start,
        value: 1,
        owner: None,
        doubled: None,
        opening: true,
        on_roll: None,
        score,
        rules,
        turn: 1,
        last: None,
        over: false,
    };
    for (number, &(player, action)) in game.actions.iter().enumerate() {
        if let MatAction::SetUp(set_up) = action {
            table.set_up(player, &set_up, start);
            continue;
        }
        table.count_turn(player);
        match table.act(player, action, number) {
            Ok(Some(decision)) => replay.decisions.push(decision),
            Ok(None) => replay.illegal.push(number),
            Err(reason) => {
                replay.fault = Some((number, reason));
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

/// Returns for each game of a match whether it is the Crawford game, by the scores before it.
#[must_use]
pub fn crawford_games(file: &MatchFile) -> Vec<bool> {
    file.crawford_games()
}

/// The board and the cube of a game on its way.
struct GameReplay {
    position: Position,
    value: u32,
    owner: Option<MatPlayer>,
    /// The first doubler, the player who turned the cube last, and the new value, while the answer is open.
    doubled: Option<(MatPlayer, MatPlayer, u32)>,
    opening: bool,
    /// Player whose turn it is; `None` before the first roll, when either may begin.
    on_roll: Option<MatPlayer>,
    score: Score,
    rules: Rules,
    turn: u32,
    last: Option<MatPlayer>,
    /// True after a pass.
    over: bool,
}

impl GameReplay {
    /// A turn of both begins when the first player acts after the second.
    fn count_turn(&mut self, player: MatPlayer) {
        if self.last == Some(MatPlayer::Second) && player == MatPlayer::First {
            self.turn += 1;
        }
        self.last = Some(player);
    }

    /// Changes the board and the cube. The usual start counts as a start again: no double is possible there.
    fn set_up(&mut self, player: MatPlayer, set_up: &SetUp, start: Position) {
        let &SetUp {
            position,
            value,
            owner,
        } = set_up;
        let open = value == self.value;
        self.doubled = (self.doubled).filter(|&(doubler, ..)| open && doubler == player);
        (self.position, self.value, self.owner) = (position, value, owner);
        self.opening = position == start;
        self.on_roll = Some(player);
    }

    /// Cube, score and rules as this player sees them.
    fn state(&self, player: MatPlayer) -> Result<MatchState, &'static str> {
        let owner = match self.owner {
            None => CubeOwner::Centred,
            Some(owner) if owner == player => CubeOwner::Me,
            Some(_) => CubeOwner::Opponent,
        };
        let cube = Cube::new(self.value, owner).map_err(|_| "the cube has no such value")?;
        let score = match player {
            MatPlayer::First => self.score,
            MatPlayer::Second => self.score.swapped(),
        };
        let rules = self.rules;
        Ok(MatchState { cube, score, rules })
    }

    /// Returns the number of turns that lead to an offered value.
    fn turns(&self, value: u32) -> u8 {
        let turns = (value / self.value.max(1)).max(1).ilog2();
        u8::try_from(turns).unwrap_or(u8::MAX).max(1)
    }

    fn may_double(&self, player: MatPlayer) -> bool {
        let owned = self.owner.is_none_or(|owner| owner == player);
        owned && !self.opening && !self.score.is_crawford()
    }

    fn decision(
        &self,
        player: MatPlayer,
        on_roll: MatPlayer,
        action: Action,
        number: usize,
    ) -> Result<Decision, &'static str> {
        Ok(Decision {
            player,
            position: self.position,
            state: self.state(on_roll)?,
            action,
            number,
            turn: self.turn,
        })
    }

    /// Returns the decision, or nothing for a play that is not legal but was followed.
    fn act(
        &mut self,
        player: MatPlayer,
        action: MatAction,
        number: usize,
    ) -> Result<Option<Decision>, &'static str> {
        let turn = self.on_roll.is_none_or(|on_roll| on_roll == player);
        if self.over || self.position.outcome().is_some() {
            return Err("the game is over already");
        }
        match (action, self.doubled) {
            (MatAction::Play { .. } | MatAction::Rolled(_) | MatAction::Double(_), Some(_)) => {
                Err("the double is not answered")
            }
            (MatAction::Take | MatAction::Drop | MatAction::Beaver(_), None) => {
                Err("nobody has doubled")
            }
            (MatAction::Take | MatAction::Drop | MatAction::Beaver(_), Some((_, last, _)))
                if last == player =>
            {
                Err("nobody answers his own double")
            }
            (MatAction::Play { .. } | MatAction::Rolled(_) | MatAction::Double(_), None)
                if !turn =>
            {
                Err("it is the other player's turn")
            }
            // Set up before this is asked.
            (MatAction::SetUp(_), _) => Ok(None),
            (MatAction::Play { roll, play }, None) => self.play(player, roll, &play, number),
            (MatAction::Rolled(roll), None) => {
                let made = self.decision(
                    player,
                    player,
                    Action::Unknown { roll, open: false },
                    number,
                )?;
                self.passes_on(player, self.position.swapped());
                Ok(Some(made))
            }
            (MatAction::Double(_), None) => {
                if !self.may_double(player) {
                    return Err("this player may not double");
                }
                self.doubled = Some((player, player, self.value.saturating_mul(2)));
                self.on_roll = Some(player);
                self.decision(player, player, Action::Double, number)
                    .map(Some)
            }
            (MatAction::Beaver(_), Some(_)) if !self.score.is_money() => {
                Err("nobody beavers in a match")
            }
            (MatAction::Beaver(_), Some((doubler, _, value))) => {
                let turns = self.turns(value);
                let made = self.decision(player, doubler, Action::Beaver { turns }, number)?;
                self.doubled = Some((doubler, player, value.saturating_mul(2)));
                Ok(Some(made))
            }
            (MatAction::Take | MatAction::Drop, Some((doubler, _, value))) => {
                let (taken, turns) = (action == MatAction::Take, self.turns(value));
                let action = match (taken, turns) {
                    (true, 1) => Action::Take,
                    (false, 1) => Action::Drop,
                    _ => Action::BeaverAnswer { taken, turns },
                };
                let made = self.decision(player, doubler, action, number)?;
                if taken {
                    (self.value, self.owner, self.doubled) = (value, Some(doubler.other()), None);
                } else {
                    self.over = true;
                }
                Ok(Some(made))
            }
        }
    }

    fn play(
        &mut self,
        player: MatPlayer,
        roll: Roll,
        play: &Play,
        number: usize,
    ) -> Result<Option<Decision>, &'static str> {
        let Some(after) = position_after(&self.position, roll, play) else {
            let followed = steps_made(&self.position, play).filter(|_| !play.is_pass());
            let board = followed.ok_or("the play is not legal")?;
            self.passes_on(player, board.swapped());
            return Ok(None);
        };
        let action = Action::Play {
            roll,
            after,
            opening: self.opening,
            may_double: self.may_double(player),
        };
        let made = self.decision(player, player, action, number)?;
        self.passes_on(player, after);
        Ok(Some(made))
    }

    /// The turn goes to the other player, who has this position.
    fn passes_on(&mut self, player: MatPlayer, position: Position) {
        self.position = position;
        self.opening = false;
        self.on_roll = Some(player.other());
    }

    /// Returns the question of a game that ends with a board that was set up (ANA-29).
    fn open_cube(&self, game: &MatGame) -> Option<Decision> {
        let &(player, MatAction::SetUp(_)) = game.actions.last()? else {
            return None;
        };
        let open = game.result.is_none() && self.doubled.is_none() && self.may_double(player);
        let number = game.actions.len() - 1;
        open.then(|| self.decision(player, player, Action::Open, number).ok())?
    }

    /// Returns the resignation in a game that has a winner, although neither the board nor a pass ended it.
    fn resignation(&self, game: &MatGame) -> Option<Decision> {
        let (winner, points) = game.result?;
        let on_roll = self.on_roll?;
        let dropped = matches!(game.actions.last(), Some((_, MatAction::Drop)));
        if game.settled || dropped || self.doubled.is_some() || self.position.outcome().is_some() {
            return None;
        }
        let games = (points / self.value.max(1)).max(1);
        // More than a backgammon is no resignation.
        if games > BACKGAMMON {
            return None;
        }
        let loser = winner.other();
        let action = Action::Resign {
            games: u8::try_from(games).ok()?,
            on_roll: loser == on_roll,
        };
        self.decision(loser, on_roll, action, game.actions.len())
            .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::legal_plays;

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
            let done = replay(game, 0, false, Rules::default()).decisions;
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

    /// An action that does not fit ends the replay and says why.
    #[test]
    fn replay_reports_actions_that_do_not_fit() {
        use MatPlayer::{First, Second};
        type Actions = Vec<(MatPlayer, MatAction)>;
        let cases: [(Actions, usize, &str); 6] = [
            (
                vec![(First, MatAction::Double(2))],
                0,
                "this player may not double",
            ),
            (
                vec![opening(First), opening(First)],
                1,
                "it is the other player's turn",
            ),
            (
                vec![opening(First), (Second, MatAction::Take)],
                1,
                "nobody has doubled",
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
                "nobody answers his own double",
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
            let told = replay(&game, 5, false, Rules::default());
            assert_eq!(told.fault, Some((number, reason)));
            assert_eq!(told.decisions.len(), number);
        }
        let game = MatGame {
            scores: [9, 0],
            ..MatGame::default()
        };
        assert!(replay(&game, 5, false, Rules::default()).fault.is_some());
    }

    /// The Crawford game is the first one in which a player is 1-away.
    #[test]
    fn the_crawford_game() {
        let game = |scores| MatGame {
            scores,
            ..MatGame::default()
        };
        let games: Vec<MatGame> = [[0, 0], [0, 2], [1, 2], [2, 2]].map(game).into();
        let file = |length| MatchFile {
            length,
            games: games.clone(),
            ..MatchFile::default()
        };
        assert_eq!(crawford_games(&file(3)), [false, true, false, false]);
        assert_eq!(crawford_games(&file(0)), [false; 4]);
    }
}
