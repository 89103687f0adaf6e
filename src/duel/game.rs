//! One cubeless game.

use crate::game::{BAR, Position, Roll};
use crate::player::{Player, PlayerError};
use crate::rng::stream;
use crate::stop::Stop;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// Points of the player named first: 1, 2 or 3, negative when lost.
    pub points: i8,
    /// Turns played.
    pub turns: u32,
}

/// One turn of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedTurn {
    /// Whose: 0 or 1, the place in the game's players.
    pub player: usize,
    /// The position before it, seen by that player.
    pub before: Position,
    /// The roll.
    pub roll: Roll,
    /// The position after it, the other player on roll.
    pub after: Position,
}

/// Longest game that is waited for; one that lasts longer counts as 0 points.
const TURNS_MAX: u32 = 20_000;

/// Plays game `number` of the dice of `seed`. The same number gives the same dice, whoever plays;
/// who wins the opening roll is decided by its dice. `None` when `stop` was triggered before the end.
///
/// # Errors
/// When a player fails or answers with an illegal play.
pub fn play_game(
    players: [&dyn Player; 2],
    seed: u64,
    number: u64,
    stop: &Stop,
) -> Result<Option<Finish>, PlayerError> {
    play_watched_game(players, (seed, number), &mut |_| {}, stop)
}

/// [`play_game`]; `watch` is shown each turn.
pub(super) fn play_watched_game(
    players: [&dyn Player; 2],
    (seed, number): (u64, u64),
    watch: &mut dyn FnMut(PlayedTurn),
    stop: &Stop,
) -> Result<Option<Finish>, PlayerError> {
    let mut dice = stream(seed, 2 * number);
    let mut chance = stream(seed, 2 * number + 1);
    let mut next = loop {
        let opening = Roll::thrown(&mut dice);
        if !opening.is_double() {
            break opening;
        }
    };
    let [first, second] = next.dice();
    let mut turn = usize::from(first < second);
    let mut position = Position::start();
    for turns in 1..=TURNS_MAX {
        if stop.is_triggered() {
            return Ok(None);
        }
        let before = position;
        position = players[turn].play(&position, next, &mut chance)?;
        watch(PlayedTurn {
            player: turn,
            before,
            roll: next,
            after: position,
        });
        if position.opponent().on_board() == 0 {
            let loser = position.me();
            let gammon = loser.off() == 0;
            let backgammon = gammon && (18..=BAR).any(|i| loser.count(i) > 0);
            let points = 1 + i8::from(gammon) + i8::from(backgammon);
            let points = if turn == 0 { points } else { -points };
            return Ok(Some(Finish { points, turns }));
        }
        turn = 1 - turn;
        next = Roll::thrown(&mut dice);
    }
    Ok(Some(Finish {
        points: 0,
        turns: TURNS_MAX,
    }))
}
