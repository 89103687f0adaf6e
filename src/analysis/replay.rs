//! The actions of a game as decisions: who had what to decide where.

use crate::game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score};
use crate::notation::{MatAction, MatGame, MatPlayer, MatchFile, position_after};

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// A roll was played.
    Play {
        /// The roll.
        roll: Roll,
        /// The position after it, the other player on roll.
        after: Position,
        /// The first roll of the game: both dice are different, and nobody could double before.
        opening: bool,
        /// The player might have doubled before.
        may_double: bool,
    },
    /// The player doubled.
    Double,
    /// The player took the other one's double.
    Take,
    /// The player passed the other one's double.
    Drop,
}

/// One decision of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Who decided.
    pub player: MatPlayer,
    /// The position, seen by whoever is on roll: after a double that is the one who doubled.
    pub position: Position,
    /// Cube, score and rules, seen by the same one, the cube as before a double.
    pub state: MatchState,
    /// What was done.
    pub deed: Deed,
}

/// A game as decisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// In order, up to the first action that does not fit.
    pub decisions: Vec<Decision>,
    /// What the first action that does not fit is, with its number from 0.
    pub fault: Option<(usize, &'static str)>,
}

/// Replays a game of a match to `length` points (0: money). `crawford`: it is the Crawford game.
#[must_use]
pub fn replay(game: &MatGame, length: u32, crawford: bool, rules: Rules) -> Replay {
    let mut replay = Replay {
        decisions: Vec::new(),
        fault: None,
    };
    let [first, second] = match length {
        0 => [0, 0],
        _ => game.scores,
    };
    let Ok(score) = Score::new(length, first, second, crawford) else {
        replay.fault = Some((0, "the score does not fit the match"));
        return replay;
    };
    let mut table = Table {
        position: Position::start(),
        value: 1,
        owner: None,
        doubled: None,
        opening: true,
        on_roll: None,
        score,
        rules,
    };
    for (number, &(player, action)) in game.actions.iter().enumerate() {
        match table.act(player, action) {
            Ok(decision) => replay.decisions.push(decision),
            Err(reason) => {
                replay.fault = Some((number, reason));
                break;
            }
        }
    }
    replay
}

/// Which games of a match are the Crawford game, by the scores before them.
#[must_use]
pub fn crawford_games(file: &MatchFile) -> Vec<bool> {
    let mut played = false;
    let one_away = |game: &MatGame| {
        file.length > 1 && game.scores.iter().any(|&score| score + 1 == file.length)
    };
    let flag = |game: &MatGame| one_away(game) && !std::mem::replace(&mut played, one_away(game));
    file.games.iter().map(flag).collect()
}

/// The board and the cube of a game on its way.
struct Table {
    position: Position,
    value: u32,
    owner: Option<MatPlayer>,
    /// Who has doubled and is not answered yet.
    doubled: Option<MatPlayer>,
    opening: bool,
    /// Whose turn it is; anybody's before the first roll.
    on_roll: Option<MatPlayer>,
    score: Score,
    rules: Rules,
}

impl Table {
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

    fn may_double(&self, player: MatPlayer) -> bool {
        let owned = self.owner.is_none_or(|owner| owner == player);
        owned && !self.opening && !self.score.is_crawford()
    }

    fn act(&mut self, player: MatPlayer, action: MatAction) -> Result<Decision, &'static str> {
        let decision = |table: &Table, on_roll: MatPlayer, deed: Deed| {
            let state = table.state(on_roll)?;
            Ok(Decision {
                player,
                position: table.position,
                state,
                deed,
            })
        };
        let turn = self.on_roll.is_none_or(|on_roll| on_roll == player);
        match (action, self.doubled) {
            (MatAction::Play { .. } | MatAction::Double(_), Some(_)) => {
                Err("the double is not answered")
            }
            (MatAction::Take | MatAction::Drop, None) => Err("nobody has doubled"),
            (MatAction::Take | MatAction::Drop, Some(doubler)) if doubler == player => {
                Err("nobody answers his own double")
            }
            (MatAction::Play { .. } | MatAction::Double(_), None) if !turn => {
                Err("it is the other player's turn")
            }
            (MatAction::Play { roll, play }, None) => {
                let after =
                    position_after(&self.position, roll, &play).ok_or("the play is not legal")?;
                let deed = Deed::Play {
                    roll,
                    after,
                    opening: self.opening,
                    may_double: self.may_double(player),
                };
                let made = decision(self, player, deed)?;
                self.position = after;
                self.opening = false;
                self.on_roll = Some(player.other());
                Ok(made)
            }
            (MatAction::Double(_), None) => {
                if !self.may_double(player) {
                    return Err("this player may not double");
                }
                self.doubled = Some(player);
                decision(self, player, Deed::Double)
            }
            (MatAction::Take, Some(doubler)) => {
                let made = decision(self, doubler, Deed::Take)?;
                self.value = self.value.saturating_mul(2);
                self.owner = Some(player);
                self.doubled = None;
                Ok(made)
            }
            (MatAction::Drop, Some(doubler)) => decision(self, doubler, Deed::Drop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::legal_plays;

    fn opening(player: MatPlayer) -> (MatPlayer, MatAction) {
        let roll = Roll::of(3, 1);
        let play = legal_plays(&Position::start(), roll)[0].play;
        (player, MatAction::Play { roll, play })
    }

    /// An action that does not fit ends the replay and says why.
    #[test]
    fn what_does_not_fit_is_said() {
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

    /// The Crawford game is the first one in which somebody is one point away.
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
