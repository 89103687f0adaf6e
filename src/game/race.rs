//! Pip count formulas for races: Keith (2004), Thorp, Kleinman (1980), Reichert's Isight (2014).

use super::{Position, Side};

/// A race in the usual counts, seen by the player on roll. A count's double, redouble or take is that of money
/// play with a cube that is neither dead nor doubled by the score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RaceCounts {
    /// Keith's counts: mine raised by a seventh, and the opponent's.
    pub keith: [f64; 2],
    /// Thorp's counts: mine raised by a tenth above 30, and the opponent's.
    pub thorp: [f64; 2],
    /// Kleinman's number, with the sign of the lead.
    pub kleinman: f64,
    /// Reichert's Isight counts, mine first.
    pub isight: [u32; 2],
}

/// The advice of a pip count: whether to double a centred cube, to redouble, and to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RaceAdvice {
    /// Double a cube in the middle.
    pub double: bool,
    /// Double a cube of one's own.
    pub redouble: bool,
    /// Take when doubled.
    pub take: bool,
}

impl RaceCounts {
    /// Returns the counts of a race; `None` with contact, or when the game is over.
    #[must_use]
    pub fn of(position: &Position) -> Option<RaceCounts> {
        let is_race = !position.is_over() && !position.has_contact();
        is_race.then(|| RaceCounts::of_any(position))
    }

    /// Returns the counts of a position that may have contact, where they mean little.
    #[must_use]
    pub fn of_any(position: &Position) -> RaceCounts {
        let (me, opponent) = (position.me(), position.opponent());
        let my_thorp = thorp(me);
        let (mine, theirs) = (f64::from(me.pips()), f64::from(opponent.pips()));
        RaceCounts {
            keith: [keith(me) * 8.0 / 7.0, keith(opponent)],
            thorp: [
                if my_thorp > 30.0 {
                    my_thorp * 1.1
                } else {
                    my_thorp
                },
                thorp(opponent),
            ],
            kleinman: kleinman([mine, theirs]),
            isight: [isight(me, opponent), isight(opponent, me)],
        }
    }

    /// Returns the chance to win in percent that Reichert's rule estimates: 80 less a third of my count, and 2 for each pip
    /// of the lead.
    #[must_use]
    pub fn isight_chance(&self) -> f64 {
        let [mine, theirs] = self.isight.map(f64::from);
        80.0 - mine / 3.0 + 2.0 * (theirs - mine)
    }

    /// Returns Keith's advice: double at 4 above the opponent's count or less, redouble at 3, take from 2 above on.
    #[must_use]
    pub fn by_keith(&self) -> RaceAdvice {
        let [mine, theirs] = self.keith;
        let above = mine - theirs;
        RaceAdvice {
            double: above <= 4.0,
            redouble: above <= 3.0,
            take: above >= 2.0,
        }
    }

    /// Returns Thorp's advice: double at 2 above the opponent's count or less, redouble at 1, take from 2 below on.
    #[must_use]
    pub fn by_thorp(&self) -> RaceAdvice {
        let [mine, theirs] = self.thorp;
        let above = mine - theirs;
        RaceAdvice {
            double: above <= 2.0,
            redouble: above <= 1.0,
            take: above >= -2.0,
        }
    }

    /// Returns Kleinman's advice: double above 0.44, redouble above 0.55, pass above 1.2.
    #[must_use]
    pub fn by_kleinman(&self) -> RaceAdvice {
        RaceAdvice {
            double: self.kleinman >= 0.44,
            redouble: self.kleinman >= 0.55,
            take: self.kleinman <= 1.2,
        }
    }
}

/// Returns Kleinman's number, with the sign of the lead.
fn kleinman([mine, theirs]: [f64; 2]) -> f64 {
    let lead = theirs - mine + 4.0;
    // Below 5 pips together the formula has no meaning.
    let square = lead * lead / (mine + theirs - 4.0).max(1.0);
    if lead < 0.0 { -square } else { square }
}

/// Returns Keith's count: the pips; 2 more for each checker beyond the first on the ace point, 1 for each beyond the
/// first on the deuce point and beyond the third on the three point; 1 for each gap on points 4, 5 and 6.
fn keith(side: Side) -> f64 {
    let beyond = |index, free: u8| u32::from(side.count(index).saturating_sub(free));
    let gaps = (3..6).filter(|&index| side.count(index) == 0).count() as u32;
    f64::from(side.pips() + 2 * beyond(0, 1) + beyond(1, 1) + beyond(2, 3) + gaps)
}

/// Returns Thorp's count: the pips; 2 more for each checker left and 1 for each on the ace point; 1 less for each
/// point of the home board that is held.
fn thorp(side: Side) -> f64 {
    let held = (0..6).filter(|&index| side.count(index) > 0).count() as u32;
    let more = u32::from(2 * side.on_board() + side.count(0));
    f64::from(side.pips() + more) - f64::from(held)
}

/// Returns the Isight count: the pips; 1 for each checker more than the other side has; 2 for each beyond the second on
/// the ace point, 1 for each beyond the second on the deuce point and beyond the third on the three point; 1 for each gap
/// on points 4, 5 and 6 where the other side has none; 1 for each crossover more.
fn isight(side: Side, other: Side) -> u32 {
    let more = |of: fn(Side) -> u32| of(side).saturating_sub(of(other));
    let beyond = |index, free: u8| u32::from(side.count(index).saturating_sub(free));
    let is_gap = |&index: &usize| side.count(index) == 0 && other.count(index) > 0;
    let gaps = (3..6).filter(is_gap).count() as u32;
    let crossovers = |side: Side| {
        (6..25)
            .map(|at| at as u32 / 6 * u32::from(side.count(at)))
            .sum()
    };
    let wasted = 2 * beyond(0, 2) + beyond(1, 2) + beyond(2, 3);
    side.pips() + more(|side| side.on_board().into()) + wasted + gaps + more(crossovers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_hand() {
        // 2 + 2 + 12 + 8 + 5 + 6 = 35 pips; 4 + 3 + 3 = 10 = 1 more, no gap.
        let me = [2, 1, 4, 2, 1, 1];
        // 3 + 9 + 24 = 36 pips; 4 for two beyond the first, gaps on 4 and 5.
        let opponent = [3, 0, 3, 0, 0, 4];
        let counts = RaceCounts::of(&Position::from_points(&me, &opponent).unwrap()).unwrap();
        assert_eq!(counts.keith, [(35 + 2 + 1) as f64 * 8.0 / 7.0, 42.0]);
        assert_eq!(counts.thorp, [1.1 * (35 + 22 + 2 - 6) as f64, 56.0]);
        assert_eq!(counts.kleinman, 25.0 / 67.0);
        let advice = counts.by_keith();
        assert!(advice.double && advice.redouble && !advice.take);
        assert!(!counts.by_kleinman().double && counts.by_kleinman().take);
        assert!(!counts.by_thorp().double && counts.by_thorp().take);
    }

    #[test]
    fn only_races_are_counted() {
        assert_eq!(RaceCounts::of(&Position::start()), None);
        assert_eq!(
            RaceCounts::of(&Position::from_points(&[], &[1]).unwrap()),
            None
        );
        let behind =
            RaceCounts::of(&Position::from_points(&[0, 0, 0, 0, 0, 15], &[1]).unwrap()).unwrap();
        assert!(behind.kleinman < 0.0 && !behind.by_kleinman().double);
    }
}
