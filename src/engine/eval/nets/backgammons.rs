//! Backgammons in races (NF-16 of `protocol-specs/net-file.md`): a calculation in place of the race net's results.
//!
//! A backgammon is at stake only if a side with all its checkers has not left the winner's home. As there is no contact,
//! the winner is home then: the table in the program has the law of its rolls, and the rolls to leave have their own.

use crate::bearoff::{LeavingDistributions, Tables};
use gammond_game::{Chances, Position, Side};

/// Index of the first point of the opponent's home.
const FAR_HOME: usize = 18;

/// Sets the chances of backgammons in a race, and raises those of gammons to them.
pub(super) fn replace(tables: &Tables, position: &Position, chances: &mut Chances) {
    let (me, opponent) = (position.me(), position.opponent());
    if !is_behind(opponent) {
        chances.win_backgammon = 0.0;
    } else if let Some(chance) = backgammon(tables, me, opponent, 0) {
        chances.win = chances.win.max(chance);
        chances.win_gammon = chances.win_gammon.max(chance);
        chances.win_backgammon = chance;
    }
    if !is_behind(me) {
        chances.lose_backgammon = 0.0;
    } else if let Some(chance) = backgammon(tables, opponent, me, 1) {
        chances.win = chances.win.min(1.0 - chance);
        chances.lose_gammon = chances.lose_gammon.max(chance);
        chances.lose_backgammon = chance;
    }
}

/// Returns true if the side can still lose a backgammon.
fn is_behind(side: Side) -> bool {
    side.off() == 0 && side.rearmost().is_some_and(|rear| rear >= FAR_HOME)
}

/// Returns the chance that `winner` bears off all before `loser` has left the winner's home. The loser has `ahead`
/// rolls more (0 or 1) than the winner before the winner's last one.
fn backgammon(tables: &Tables, winner: Side, loser: Side, ahead: usize) -> Option<f32> {
    let law = tables.one_sided.distribution(winner)?;
    let distances = std::array::from_fn(|pips| loser.count(FAR_HOME + pips));
    let left = LeavingDistributions::of(distances)?;
    let chance = law.win[1..].iter().enumerate().map(|(before, &chance)| {
        let gone = match (before + ahead).checked_sub(1) {
            Some(rolls) => left.get(rolls).copied().unwrap_or(1.0),
            None => 0.0,
        };
        f32::from(chance) / 65535.0 * (1.0 - gone)
    });
    Some(chance.sum::<f32>().clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator as _;
    use crate::eval::nets::NetEvaluator;

    fn side(points: &[usize]) -> Side {
        let mut counts = [0; 25];
        points.iter().for_each(|&point| counts[point - 1] += 1);
        Side::from_counts(&counts).unwrap()
    }

    fn evaluated(me: Side, opponent: Side) -> Chances {
        let own = NetEvaluator::embedded().unwrap();
        let mut out = [Chances::default()];
        own.evaluate(None, &[Position::from_sides(me, opponent)], &mut out);
        out[0]
    }

    const BEHIND: [usize; 15] = [23, 20, 9, 9, 8, 8, 7, 7, 6, 6, 6, 5, 5, 5, 5];

    /// NF-16.
    #[test]
    fn backgammon_is_lost_by_not_leaving_in_time() {
        let (winner, loser) = (side(&[1]), side(&BEHIND));
        let won = evaluated(winner, loser);
        assert_eq!(
            (won.win, won.win_gammon, won.win_backgammon),
            (1.0, 1.0, 1.0)
        );
        let lost = evaluated(loser, winner);
        // Two checkers, two and five pips from leaving.
        let leaves = (1..=6)
            .flat_map(|a| (1..=6).map(move |b| (a, b)))
            .filter(|&(a, b)| {
                let (high, low) = (a.max(b), a.min(b));
                (high >= 5 && low >= 2) || (a == b && 4 * a >= 7 && a >= 2)
            });
        let wanted = 1.0 - leaves.count() as f32 / 36.0;
        assert!(
            (lost.lose_backgammon - wanted).abs() < 1e-5,
            "{lost:?} {wanted}"
        );
        assert!(lost.win < 1e-4 && lost.lose_gammon >= lost.lose_backgammon);
    }

    #[test]
    fn backgammon_is_over_with_a_checker_off_or_all_out() {
        let winner = side(&[1, 1, 2]);
        assert_eq!(evaluated(winner, side(&BEHIND[1..])).win_backgammon, 0.0);
        let mut out = BEHIND;
        (out[0], out[1]) = (18, 18);
        assert_eq!(evaluated(winner, side(&out)).win_backgammon, 0.0);
    }
}
