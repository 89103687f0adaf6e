//! Detection of games that cannot be won, and their cost (EXT-30, EXT-31).
//!
//! Counts turns, without evaluation: with any dice the opponent finishes before the player on roll can. A wrong
//! resignation costs points for nothing, so every bound errs on the side of playing on.

use gammond_game::{BAR, CubeOwner, MatchState, Position, Side};

/// Pips of the largest roll, 66.
const ROLL_PIPS_MAX: u32 = 24;

/// Returns the number of games (1, 2, 3) that the player on roll can resign without loss; `None` when something can
/// still be won or saved.
#[must_use]
pub(crate) fn lost_for_certain(position: &Position, state: &MatchState) -> Option<u8> {
    let (me, opponent) = (position.me(), position.opponent());
    if position.has_contact() || position.is_over() {
        return None;
    }
    // Every die moves a pip or more, or takes a checker off, until the opponent is done.
    let turns_left = opponent.pips().div_ceil(2);
    let needed = u32::from(me.on_board()).div_ceil(4);
    let needed = needed.max(me.pips().div_ceil(ROLL_PIPS_MAX));
    if needed <= turns_left {
        return None;
    }
    if state.variant.off(me) > 0 || !gammons_count(state) {
        return Some(1);
    }
    if turns_to_bear_off_one(me) <= turns_left {
        return None;
    }
    let back: u32 = pips_beyond(me, 18);
    if back == 0 {
        return Some(2);
    }
    (back.div_ceil(ROLL_PIPS_MAX) > turns_left).then_some(3)
}

/// Returns true if a gammon is worth more than a single game to the winner.
fn gammons_count(state: &MatchState) -> bool {
    if state.score.is_money() {
        !(state.rules.jacoby && state.cube.owner() == CubeOwner::Centred)
    } else {
        state.score.opponent_away() > state.cube.value()
    }
}

/// Returns the least number of turns until one checker can be off.
fn turns_to_bear_off_one(side: Side) -> u32 {
    (pips_beyond(side, 6) + 1).div_ceil(ROLL_PIPS_MAX)
}

/// Returns the pips needed to bring every checker below index `limit`.
fn pips_beyond(side: Side, limit: usize) -> u32 {
    let mut pips = 0;
    for (index, far) in (limit..=BAR).zip(1_u32..) {
        pips += u32::from(side.count(index)) * far;
    }
    pips
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{POINTS, Rules};

    fn side(points: &[(usize, u8)]) -> [u8; POINTS] {
        let mut counts = [0; POINTS];
        for &(point, count) in points {
            counts[point - 1] = count;
        }
        counts
    }

    fn check(me: &[(usize, u8)], opponent: &[(usize, u8)], jacoby: bool, expected: Option<u8>) {
        let position = Position::new(&side(me), &side(opponent)).unwrap();
        let state = MatchState::money(Rules {
            jacoby,
            beavers: false,
        });
        assert_eq!(
            lost_for_certain(&position, &state),
            expected,
            "{me:?} {opponent:?}"
        );
    }

    #[test]
    fn bot_resigns_only_certain_losses() {
        check(&[(1, 4)], &[(1, 1)], false, None);
        check(&[(1, 5)], &[(1, 1)], false, Some(1));
        check(&[(1, 5)], &[(1, 2)], false, Some(1));
        check(&[(1, 5)], &[(2, 2)], false, None);
        check(&[(6, 5)], &[(1, 3)], false, None);
        check(&[(1, 15)], &[(1, 1)], false, None);
        check(&[(1, 15)], &[(1, 1)], true, Some(1));
        check(&[(10, 15)], &[(1, 2)], false, Some(2));
        check(&[(20, 15)], &[(1, 1)], false, Some(3));
        check(&[(10, 13), (20, 2)], &[(1, 1)], false, None);
        check(&[(6, 5), (24, 2)], &[(2, 1)], false, None);
    }
}
