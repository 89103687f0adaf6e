//! Resignations as people make them: lost games, now and then a turn too early.

use super::People;
use super::play::drawn;
use crate::equity::{CubeState, Stakes, lost};
use crate::query::{EvalQuery, Settings};
use gammond_game::Chances;

/// Most equity that people resign for nothing, and the share of those who resign at their turn: with contact, and in a race.
/// Counted in 4,093 games of people, 582 of them resigned (LV-13).
const SHARES: [[(f64, f64); 4]; 2] = [
    [(1e-3, 0.24), (3e-3, 0.20), (1e-2, 0.16), (3e-2, 0.026)],
    [(1e-4, 0.13), (1e-3, 0.05), (1e-2, 0.02), (3e-2, 0.004)],
];
/// A chance to save something that people do not see.
const UNSEEN: f64 = 1e-3;

impl People {
    /// Returns the share of the people who resign at their turn, and how many games (1 to 3) they offer: the fewest that the
    /// opponent accepts. `chances` are those of the player on roll.
    #[must_use]
    pub fn resign_share(query: &EvalQuery, stakes: &Stakes, chances: &Chances) -> (f64, u8) {
        let cube: CubeState = query.state.cube.into();
        let now = stakes.utility(cube, chances);
        for games in 1..=3 {
            let cost = now - stakes.utility(cube, &lost(games));
            if cost < -UNSEEN {
                continue;
            }
            let rows = SHARES[usize::from(!query.position.has_contact())];
            let share = rows.iter().find(|(most, _)| cost <= *most);
            return (share.map_or(0.0, |(_, share)| *share), games);
        }
        (0.0, 0)
    }
}

/// Returns the number of games that a person resigns at the turn (LV-13): 0 to play on.
pub(crate) fn resign_as_people(
    query: &EvalQuery,
    stakes: &Stakes,
    chances: &Chances,
    settings: &Settings,
) -> u8 {
    let (share, games) = People::resign_share(query, stakes, chances);
    let resigns = drawn(&query.position, &query.state, settings.seed, [0, 3]) < share;
    if resigns { games } else { 0 }
}
