//! Answers to a turned cube: takes, passes, beavers and raccoons.

use gammond_engine::query::{CubeAnswer, CubeQuery};
use gammond_game::{Act, Cube, CubeOwner, MatchState, Position};

/// Most turns of the cube in one offer: a double, a beaver, a raccoon.
const TURNS_MAX: u8 = 3;

/// Returns true if a cube that was turned `turns` times in a row (1 is a double) may be turned once more in answer;
/// `state` is the one before the double.
#[must_use]
pub fn may_turn_again(state: &MatchState, turns: u8) -> bool {
    turns < TURNS_MAX && state.beaver_refusal(turns).is_none()
}

/// Returns the answer that costs least to a cube that was turned `turns` times, and what each costs the player who answers,
/// in units of the cube before its last turn: taking, passing, and turning it once more where that is allowed. Position and
/// state are those before the double, seen by the player on roll; `action` evaluates a double.
///
/// # Errors
/// Those of `action`.
pub fn best_answer<E>(
    position: &Position,
    state: &MatchState,
    turns: u8,
    action: impl FnOnce(&CubeQuery) -> Result<CubeAnswer, E>,
) -> Result<(Act, Vec<(Act, f64)>), E> {
    let mut turned = *state;
    if turns > 1 {
        // The doubler turns the cube again as if it were the own one.
        let value = state.cube.value() << (turns - 1);
        turned.cube = Cube::new(value, CubeOwner::Me).unwrap_or(state.cube);
    }
    let taken = action(&CubeQuery::new(*position, turned))?
        .double_take
        .equity;
    // Odd turns are the doubler's, and the value is seen by the doubler.
    let cost = match turns.is_multiple_of(2) {
        true => -taken,
        false => taken,
    };
    let mut costs = vec![(Act::Take, cost), (Act::Pass, 1.0)];
    if may_turn_again(state, turns) {
        costs.push((Act::Beaver, 2.0 * cost));
    }
    let least = costs.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    Ok((least.map_or(Act::Pass, |(act, _)| *act), costs))
}
