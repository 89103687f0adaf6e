//! Backgammons in races (GE-40): the race net's two outputs are replaced by a calculation.

use crate::bearoff::Tables;
use gammond_game::{Chances, POINTS, Position, Side};

/// Index of the first point of the opponent's home.
const FAR_HOME: usize = 18;
/// Most checkers of the table of leaving the opponent's home.
const LEAVING_MAX: u32 = 6;

/// Replaces the backgammon outputs of a race where a side with all its checkers still has one in
/// the other's home, and lifts the gammon output to them.
#[inline(always)]
pub(in crate::eval) fn replace_backgammons(
    position: &Position,
    tables: &Tables,
    outputs: &mut [f32; 5],
) {
    let behind = |side: Side| side.off() == 0 && side.rearmost().is_some_and(|i| i >= FAR_HOME);
    if behind(position.me()) {
        let chance = backgammon(position.opponent(), position.me(), false, tables);
        set(outputs, 3, chance);
    } else if behind(position.opponent()) {
        let chance = backgammon(position.me(), position.opponent(), true, tables);
        set(outputs, 1, chance);
    }
}

/// Sets the backgammon output that follows the gammon output `gammon`.
fn set(outputs: &mut [f32; 5], gammon: usize, chance: f32) {
    outputs[gammon + 1] = chance;
    if chance > 0.0 {
        outputs[gammon] = outputs[gammon].max(chance);
    }
}

/// Returns the chance that `winner` bears off all before `loser` has left the winner's home.
#[cold]
fn backgammon(winner: Side, loser: Side, winner_rolls: bool, tables: &Tables) -> f32 {
    // By pips from leaving, 1 to 5. A checker on the winner's ace point would be contact.
    let mut stay = [0; 5];
    for (k, count) in stay.iter_mut().enumerate() {
        *count = loser.count(FAR_HOME + k);
    }
    let checkers: u32 = stay.iter().map(|&n| u32::from(n)).sum();
    let pips: u32 = (1..).zip(stay).map(|(k, n)| k * u32::from(n)).sum();
    let home = at_home(winner);
    let men = u32::from(home.on_board());
    if men.div_ceil(4) > pips.div_ceil(3) + u32::from(winner_rolls) {
        return 0.0;
    }
    if checkers > LEAVING_MAX {
        return beyond_the_table(home, stay, winner_rolls, tables);
    }
    let leaving = tables.leaving_home.probabilities(stay);
    let (Some(leaving), Some(off)) = (leaving, tables.one_sided.distribution(home)) else {
        return 0.0;
    };
    let mut off_by_now = 0;
    let mut chance = 0.0;
    for (n, &exactly) in leaving.iter().enumerate() {
        let rolls = if winner_rolls { n + 1 } else { n };
        if rolls > 0 {
            off_by_now += u32::from(off.win[rolls]);
        }
        chance += exactly * off_by_now as f32 / 65535.0;
    }
    chance.min(1.0)
}

/// Returns the chance with more checkers than the table covers, as if they had to be borne off.
fn beyond_the_table(home: Side, stay: [u8; 5], winner_rolls: bool, tables: &Tables) -> f32 {
    let mut counts = [0; POINTS];
    counts[..5].copy_from_slice(&stay);
    let Some(loser) = Side::from_counts(&counts) else {
        return 0.0;
    };
    let win = |me, opponent| {
        let chances: Option<Chances> = tables
            .one_sided
            .chances(&Position::from_sides(me, opponent));
        chances.map_or(0.0, |chances| chances.win)
    };
    if winner_rolls {
        win(home, loser)
    } else {
        1.0 - win(loser, home)
    }
}

/// Returns the checkers on the first six points alone.
fn at_home(side: Side) -> Side {
    let mut counts = side.counts();
    counts[6..].fill(0);
    Side::from_counts(&counts).unwrap_or(Side::ALL_OFF)
}
