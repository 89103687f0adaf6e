//! The `board` event: the whole state of a match, seen by the bot (BGM-20 to BGM-22).

use gammond_game::notation::MatPlayer;
use gammond_game::{Cube, CubeOwner, MatchState, OFF, POINTS, Position, Roll, Rules, Score, Step};
use serde::Deserialize;

/// Longest match that a server offers, in points.
pub(super) const LENGTH_MAX: u32 = 127;
/// Highest score: a backgammon with a cube of 64 one point before the end of the longest match, and more.
const SCORE_MAX: u32 = 1000;
/// Highest cube that may still be turned.
const CUBE_LIMIT: u32 = 64;
/// Number of characters of a name that are kept.
const NAME_MAX: usize = 32;
/// Number of checkers of a side.
const CHECKERS: u32 = 15;

/// The event as it is sent; unknown members are ignored.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct WireBoard {
    player1: WirePlayer,
    player2: WirePlayer,
    #[serde(default)]
    variant: i64,
    board: Vec<i64>,
    turn: i64,
    roll1: i64,
    roll2: i64,
    #[serde(default)]
    moves: Option<Vec<[i64; 2]>>,
    winner: i64,
    points: i64,
    #[serde(default)]
    crawford: i64,
    double_value: i64,
    double_player: i64,
    #[serde(default)]
    double_offered: bool,
    #[serde(default)]
    available: Option<Vec<[i64; 2]>>,
    #[serde(default)]
    forced: bool,
    #[serde(default)]
    spectating: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WirePlayer {
    #[serde(default)]
    name: String,
    #[serde(default)]
    points: i64,
}

/// The state of a match. The bot is the first player and `me` of the position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Board {
    /// Names of the bot and of the opponent; the latter is empty while there is no opponent.
    pub(super) names: [String; 2],
    /// Points of the bot and of the opponent.
    pub(super) scores: [u32; 2],
    /// Points to play to.
    pub(super) length: u32,
    /// True in the Crawford game.
    pub(super) crawford: bool,
    /// The checkers, the bot as `me`, also on the opponent's turn.
    pub(super) position: Position,
    /// The player on turn; `None` before the opening roll is decided.
    pub(super) turn: Option<MatPlayer>,
    /// The dice; 0 for one that was not rolled. Before the opening is decided the first one is the bot's.
    pub(super) dice: [u8; 2],
    /// Number of steps made in this turn.
    pub(super) moves: usize,
    /// Steps that are legal now for the player on turn, if that is the bot.
    pub(super) available: Vec<Step>,
    /// The winner of a game that is over.
    pub(super) winner: Option<MatPlayer>,
    /// The cube, its owner seen by the bot.
    pub(super) cube: Cube,
    /// True if the player on turn has doubled and waits for the answer.
    pub(super) offered: bool,
    /// True if the server is making a forced play.
    pub(super) forced: bool,
    /// True if the bot only watches.
    pub(super) spectating: bool,
}

fn player(number: i64, field: &str) -> Result<Option<MatPlayer>, String> {
    match number {
        0 => Ok(None),
        1 => Ok(Some(MatPlayer::First)),
        2 => Ok(Some(MatPlayer::Second)),
        _ => Err(format!("{field} is {number}, expected 0 to 2")),
    }
}

fn ranged(number: i64, most: u32, field: &str) -> Result<u32, String> {
    u32::try_from(number)
        .ok()
        .filter(|&value| value <= most)
        .ok_or_else(|| format!("{field} is {number}, expected 0 to {most}"))
}

/// Returns a name without characters that a log or a file cannot hold.
fn clean(name: &str) -> String {
    let plain = name.chars().filter(|c| !c.is_control());
    plain.take(NAME_MAX).collect()
}

/// Returns the position of the 28 integers (BGM-21, BGM-22).
fn position(board: &[i64]) -> Result<Position, String> {
    let board: &[i64; 28] = board
        .try_into()
        .map_err(|_| format!("Board has {} members, expected 28", board.len()))?;
    let [my_off, points @ .., their_off, my_bar, their_bar] = board;
    let mut sides = [[0_u8; POINTS]; 2];
    let mut off = [0_u32; 2];
    let count = |value: i64| ranged(value, CHECKERS, "a member of Board");
    let small = |value: i64| count(value).map(|value| u8::try_from(value).unwrap_or(0));
    let [mine, theirs] = &mut sides;
    for (index, &value) in points.iter().enumerate() {
        if value > 0 {
            *mine.get_mut(index).ok_or("Board")? = small(value)?;
        } else {
            *theirs.get_mut(23 - index).ok_or("Board")? = small(value.saturating_neg())?;
        }
    }
    for (side, bar) in [(mine, *my_bar), (theirs, their_bar.saturating_neg())] {
        *side.last_mut().ok_or("Board")? = small(bar)?;
    }
    for (off, value) in off.iter_mut().zip([*my_off, their_off.saturating_neg()]) {
        *off = count(value)?;
    }
    for (side, off) in sides.iter().zip(off) {
        let total = side.iter().map(|&n| u32::from(n)).sum::<u32>() + off;
        if total != CHECKERS {
            return Err(format!("Board has {total} checkers of a side, expected 15"));
        }
    }
    Position::new(&sides[0], &sides[1]).map_err(|error| error.to_string())
}

/// Returns a step of the bot; `None` for one of the opponent's and for numbers that are no points.
fn step([from, to]: [i64; 2]) -> Option<Step> {
    let from = match from {
        26 => 24,
        1..=24 => u8::try_from(from - 1).ok()?,
        _ => return None,
    };
    let to = match to {
        0 => u8::try_from(OFF).ok()?,
        1..=24 => u8::try_from(to - 1).ok()?,
        _ => return None,
    };
    Some(Step { from, to })
}

/// Writes a step as a command has it (BGM-30).
pub(super) fn step_text(step: Step) -> String {
    let from = match step.enters() {
        true => "bar".to_owned(),
        false => (step.from + 1).to_string(),
    };
    let to = match step.bears_off() {
        true => "off".to_owned(),
        false => (step.to + 1).to_string(),
    };
    format!("{from}/{to}")
}

impl TryFrom<WireBoard> for Board {
    type Error = String;

    fn try_from(wire: WireBoard) -> Result<Board, String> {
        if wire.variant != 0 {
            return Err(format!("Variant is {}, expected 0", wire.variant));
        }
        let length = ranged(wire.points, LENGTH_MAX, "Points")?;
        if length == 0 {
            return Err("Points is 0, expected 1 to 127".to_owned());
        }
        let die = |value: i64, field: &str| {
            ranged(value, 6, field).map(|value| u8::try_from(value).unwrap_or(0))
        };
        let points = |player: &WirePlayer| ranged(player.points, SCORE_MAX, "a score");
        let owner = match player(wire.double_player, "DoublePlayer")? {
            None => CubeOwner::Centred,
            Some(MatPlayer::First) => CubeOwner::Me,
            Some(MatPlayer::Second) => CubeOwner::Opponent,
        };
        let value = ranged(wire.double_value, u32::from(Cube::MAX), "DoubleValue")?;
        let turn = player(wire.turn, "Turn")?;
        let mine = turn == Some(MatPlayer::First);
        let available = wire.available.unwrap_or_default();
        Ok(Board {
            names: [clean(&wire.player1.name), clean(&wire.player2.name)],
            scores: [points(&wire.player1)?, points(&wire.player2)?],
            length,
            crawford: wire.crawford == 1,
            position: position(&wire.board)?,
            turn,
            dice: [die(wire.roll1, "Roll1")?, die(wire.roll2, "Roll2")?],
            moves: wire.moves.map_or(0, |moves| moves.len()),
            available: match mine {
                true => available.into_iter().filter_map(step).collect(),
                false => Vec::new(),
            },
            winner: player(wire.winner, "Winner")?,
            cube: Cube::new(value, owner).map_err(|error| error.to_string())?,
            offered: wire.double_offered,
            forced: wire.forced,
            spectating: wire.spectating,
        })
    }
}

impl Board {
    /// Returns the roll of the player on turn, if it is known.
    pub(super) fn roll(&self) -> Option<Roll> {
        let [first, second] = self.dice;
        self.turn?;
        Roll::new(first, second).ok()
    }

    /// Returns the position seen by a player.
    pub(super) fn position_of(&self, player: MatPlayer) -> Position {
        match player {
            MatPlayer::First => self.position,
            MatPlayer::Second => self.position.swapped(),
        }
    }

    /// Returns cube and score seen by a player; `None` when the match is over.
    pub(super) fn state_of(&self, player: MatPlayer) -> Option<MatchState> {
        let [mine, theirs] = self.scores;
        let score = Score::lenient(self.length, mine, theirs, self.crawford).ok()?;
        let state = MatchState {
            cube: self.cube,
            score,
            ..MatchState::money(Rules {
                jacoby: false,
                beavers: false,
            })
        };
        Some(match player {
            MatPlayer::First => state,
            MatPlayer::Second => state.swapped(),
        })
    }

    /// Returns true if the server lets the bot double before its roll.
    pub(super) fn may_double(&self) -> bool {
        self.length > 1
            && !self.crawford
            && self.cube.value() < CUBE_LIMIT
            && self.cube.owner() != CubeOwner::Opponent
    }

    /// Returns the number of cubes that a pass or a resignation costs `loser` (BGM-43): 3 with a checker on the bar or in
    /// the winner's home board, else 2 without a checker off, else 1.
    pub(super) fn concession(&self, loser: MatPlayer) -> u8 {
        let side = self.position_of(loser).me();
        if (18..POINTS).any(|index| side.count(index) > 0) {
            3
        } else if side.off() == 0 {
            2
        } else {
            1
        }
    }

    /// Returns true if a player has the points of the match.
    pub(super) fn match_over(&self) -> bool {
        self.scores.iter().any(|&score| score >= self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wire(board: &str) -> Result<Board, String> {
        let text = format!(
            r#"{{"Type":"board","Player1":{{"Name":"BOT_x","Points":0}},"Player2":{{"Name":"joe","Points":1}},
            "Board":{board},"Turn":1,"Roll1":3,"Roll2":5,"Moves":[],"Winner":0,"Points":3,"Crawford":0,
            "DoubleValue":1,"DoublePlayer":0,"DoubleOffered":false,"Available":[[26,23],[8,3],[1,0],[2,27],[99,1]]}}"#
        );
        serde_json::from_str::<WireBoard>(&text)
            .map_err(|error| error.to_string())
            .and_then(Board::try_from)
    }

    const START: &str = "[0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0,0,0]";

    /// BGM-21, BGM-22: the numbers of both sides.
    #[test]
    fn board_of_28_integers_is_read() {
        let board = wire(START).unwrap();
        assert_eq!(board.position, Position::start());
        assert_eq!(board.roll(), Some(Roll::of(3, 5)));
        let steps: Vec<String> = board.available.iter().copied().map(step_text).collect();
        assert_eq!(steps, ["bar/23", "8/3", "1/off"]);
        let late = "[10,2,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-3,-11,1,-1]";
        let board = wire(late).unwrap();
        assert_eq!(board.position.me().off(), 10);
        assert_eq!(board.position.me().count(24), 1);
        assert_eq!(board.position.opponent().off(), 11);
        assert_eq!(board.position.opponent().count(0), 3);
        assert_eq!(board.position.opponent().count(24), 1);
    }

    /// BGM-61: a board that cannot be is refused with a reason.
    #[test]
    fn impossible_board_is_refused() {
        for (board, said) in [
            ("[0,0]", "Board has 2 members, expected 28"),
            (
                "[0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,1,0,0,0]",
                "Board has 14 checkers of a side, expected 15",
            ),
            (
                "[0,-2,0,0,0,0,16,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0,0,0]",
                "a member of Board is 16, expected 0 to 15",
            ),
            (
                "[0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,3,0,0]",
                "a member of Board is -3, expected 0 to 15",
            ),
        ] {
            assert_eq!(wire(board).unwrap_err(), said);
        }
        for huge in [
            START.replace("-5", "-9223372036854775808"),
            START.replace("2,0,0,0]", "2,-9223372036854775808,0,0]"),
            START.replace("2,0,0,0]", "2,0,0,-9223372036854775808]"),
        ] {
            assert!(wire(&huge).is_err());
        }
    }

    /// BGM-43.
    #[test]
    fn concession_depends_on_the_board() {
        assert_eq!(wire(START).unwrap().concession(MatPlayer::First), 3);
        let gone = "[0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,2,-5,0,0,0,0,0,0,0,0]";
        assert_eq!(wire(gone).unwrap().concession(MatPlayer::First), 2);
        let off = "[2,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,0,0,0,0]";
        let board = wire(off).unwrap();
        assert_eq!(board.concession(MatPlayer::First), 1);
        assert_eq!(board.concession(MatPlayer::Second), 3);
    }
}
