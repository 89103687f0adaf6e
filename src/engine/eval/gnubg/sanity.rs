//! Removes impossible results from the outputs of a net.
//!
//! Rule GE-50 of `protocol-specs/gnubg-evaluation.md`: a side that has borne off a checker cannot lose
//! a gammon, a race that is long won is won, and so on.

use super::inputs::crossovers;
use crate::bearoff::Tables;
use gammond_game::{Position, Side};

/// Gammon chance below which it counts as 0 in a position with contact.
const SMALLEST_CHANCE: f32 = 1.0 / 10000.0;

/// Needs of a side in a race, in crosses of quadrants and rolls.
struct RollsNeeded {
    /// Number of crosses until all are off.
    off: u32,
    /// Number of crosses until one is off and all others at home, one more than to be home.
    gammon: u32,
}

impl RollsNeeded {
    #[inline(always)]
    fn of(side: Side) -> RollsNeeded {
        let home = crossovers(side);
        RollsNeeded {
            off: home + u32::from(side.on_board()),
            gammon: home + 1,
        }
    }
}

/// Adjusts the outputs of a net for a position that is not over.
#[inline(always)]
pub(super) fn adjust(position: &Position, tables: &Tables, outputs: &mut [f32; 5]) {
    let (me, opponent) = (position.me(), position.opponent());
    let my_rear = me.rearmost().unwrap_or(0);
    let their_rear = opponent.rearmost().unwrap_or(0);
    let contact = my_rear + their_rear >= 24;
    if !contact {
        adjust_race(position, tables, outputs);
    }
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = outputs;
    if opponent.on_board() < 15 {
        *win_gammon = 0.0;
        *win_backgammon = 0.0;
    }
    if me.on_board() < 15 {
        *lose_gammon = 0.0;
        *lose_backgammon = 0.0;
    }
    *win_gammon = win_gammon.min(*win);
    *lose_gammon = lose_gammon.min(1.0 - *win);
    *win_backgammon = win_backgammon.min(*win_gammon);
    *lose_backgammon = lose_backgammon.min(*lose_gammon);
    if contact {
        for chance in &mut outputs[1..] {
            if *chance < SMALLEST_CHANCE {
                *chance = 0.0;
            }
        }
    }
}

/// Adjusts outputs decided by the numbers of crosses and rolls without contact. Gammons of a side that has borne off are
/// left to the caller, which runs afterwards.
#[inline(never)]
fn adjust_race(position: &Position, tables: &Tables, outputs: &mut [f32; 5]) {
    let (me, opponent) = (position.me(), position.opponent());
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = outputs;
    let (mine, theirs) = (RollsNeeded::of(me), RollsNeeded::of(opponent));
    let most_rolls = |side: Side, needs: &RollsNeeded| match side.rearmost() {
        Some(rear) if rear > 5 => 2 * needs.off,
        _ => tables.one_sided.most_rolls(side).unwrap_or(0) as u32,
    };
    let my_rolls = most_rolls(me, &mine).max(1);
    let their_rolls = most_rolls(opponent, &theirs);
    if theirs.off > 4 * (my_rolls - 1) {
        *win = 1.0;
    }
    if mine.off > 8 * theirs.gammon {
        *win_gammon = 0.0;
    } else if theirs.gammon > 4 * (my_rolls - 1) {
        *win_gammon = 1.0;
    }
    if mine.off > 4 * their_rolls {
        *win = 0.0;
    }
    if theirs.off + 4 > 8 * mine.gammon {
        *lose_gammon = 0.0;
    } else if mine.gammon > 4 * their_rolls {
        *lose_gammon = 1.0;
    }
    let behind = |side: Side| side.rearmost().is_some_and(|rear| rear >= 18);
    if !behind(opponent) {
        *win_backgammon = 0.0;
    }
    if !behind(me) {
        *lose_backgammon = 0.0;
    }
}
