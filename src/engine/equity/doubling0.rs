//! The old doubling procedure without look-ahead that the cube measure of the benchmark is
//! defined with. It is not the cube model that the rest of [`crate::equity`] decides with.
//!
//! Values are on the scale 2 MWC - 1, so that a sure win is 1 and a sure loss is -1.

use super::MatchEquityTable;
use gammond_game::Position;

/// Score and cube of a decision: both players need at least 2 points, no Crawford game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecisionState {
    /// Points that the player on roll needs.
    pub mine: i32,
    /// Points that the opponent needs.
    pub theirs: i32,
    /// The cube, owned by the player on roll when above 1, else centred.
    pub cube: i32,
}

/// Decision of the procedure, and the match winning chances of the three actions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision0 {
    /// True if doubling is right.
    pub double: bool,
    /// True if the opponent should take.
    pub take: bool,
    /// True if the position is too good to double.
    pub too_good: bool,
    /// Value without a double.
    pub no_double: f64,
    /// Double and take.
    pub double_take: f64,
    /// Double and pass.
    pub double_pass: f64,
}

impl Decision0 {
    /// Returns the three answers alone, for comparing.
    #[must_use]
    pub const fn answers(&self) -> [bool; 3] {
        [self.double, self.take, self.too_good]
    }

    /// Returns the value of acting as `other` decides, by the numbers of this decision.
    #[must_use]
    pub const fn worth(&self, other: &Decision0) -> f64 {
        match (other.double, other.take) {
            (false, _) => self.no_double,
            (true, true) => self.double_take,
            (true, false) => self.double_pass,
        }
    }
}

/// A straight piece of value over the chance to win.
#[derive(Clone, Copy, Debug)]
struct Line {
    from: [f64; 2],
    to: [f64; 2],
}

impl Line {
    const fn new(from: [f64; 2], to: [f64; 2]) -> Line {
        Line { from, to }
    }

    fn at(&self, x: f64) -> f64 {
        let [[xl, yl], [xh, yh]] = [self.from, self.to];
        yl + (yh - yl) * (x - xl) / (xh - xl)
    }

    fn clamped_at(&self, x: f64) -> f64 {
        if x <= self.from[0] {
            self.from[1]
        } else if x >= self.to[0] {
            self.to[1]
        } else {
            self.at(x)
        }
    }

    fn where_is(&self, y: f64) -> f64 {
        let [[xl, yl], [xh, yh]] = [self.from, self.to];
        xl + (xh - xl) * (y - yl) / (yh - yl)
    }
}

/// One side's view of the match and of the gammons.
struct ScoreView<'a> {
    table: &'a MatchEquityTable,
    mine: i32,
    theirs: i32,
    /// Share of my wins that are gammons.
    gammons: f64,
    /// Share of my losses that are gammons.
    gammons_lost: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    Me,
    Opponent,
}

impl ScoreView<'_> {
    fn value(&self, mine: i32, theirs: i32) -> f64 {
        if mine <= 0 {
            1.0
        } else if theirs <= 0 {
            -1.0
        } else {
            2.0 * self.table.before_crawford(mine as u32, theirs as u32) - 1.0
        }
    }

    fn win(&self, k: i32) -> f64 {
        (1.0 - self.gammons) * self.value(self.mine - k, self.theirs)
            + self.gammons * self.value(self.mine - 2 * k, self.theirs)
    }

    fn lose(&self, k: i32) -> f64 {
        (1.0 - self.gammons_lost) * self.value(self.mine, self.theirs - k)
            + self.gammons_lost * self.value(self.mine, self.theirs - 2 * k)
    }

    /// Returns the value with a live cube of `k`: as it is, and after the owner has doubled.
    fn live(&self, k: i32, owner: Owner) -> [Line; 2] {
        match owner {
            Owner::Me if self.mine <= k => [
                Line::new([0.0, self.lose(k)], [1.0, 1.0]),
                Line::new([0.0, self.lose(4 * k)], [1.0, 1.0]),
            ],
            Owner::Me => {
                let [doubled, _] = self.live(2 * k, Owner::Opponent);
                let cash = self.value(self.mine - k, self.theirs);
                let now = Line::new([0.0, self.lose(k)], [doubled.where_is(cash), cash]);
                [now, doubled]
            }
            Owner::Opponent if self.theirs <= k => [
                Line::new([0.0, -1.0], [1.0, self.win(k)]),
                Line::new([0.0, -1.0], [1.0, self.win(4 * k)]),
            ],
            Owner::Opponent => {
                let [doubled, _] = self.live(2 * k, Owner::Me);
                let cash = self.value(self.mine, self.theirs - k);
                let now = Line::new([doubled.where_is(cash), cash], [1.0, self.win(k)]);
                [now, doubled]
            }
        }
    }

    fn live_centred(&self) -> [Line; 2] {
        let [theirs, _] = self.live(2, Owner::Me);
        let [mine, _] = self.live(2, Owner::Opponent);
        let low = self.value(self.mine, self.theirs - 1);
        let high = self.value(self.mine - 1, self.theirs);
        let now = Line::new([theirs.where_is(low), low], [mine.where_is(high), high]);
        [now, mine]
    }

    /// Returns the value without a double, the cube in the middle: live for both, for one, for the other.
    fn centred(&self, now: Line, w: f64) -> f64 {
        let winning = [1.0, self.win(1)];
        let losing = [0.0, self.lose(1)];
        let live_dead = Line::new(now.from, winning).at(w);
        let dead_live = Line::new(losing, now.to).at(w);
        let (both, one, other) = if w > now.to[0] {
            let above = Line::new(now.to, winning).at(w);
            (above, live_dead, above)
        } else if w < now.from[0] {
            let below = Line::new(losing, now.from).at(w);
            (below, below, dead_live)
        } else {
            (now.at(w), live_dead, dead_live)
        };
        0.65 * both + 0.175 * (one + other)
    }
}

/// Returns the length of the rest of the race, in units of an average roll doubled.
fn race_length(position: &Position) -> f64 {
    [position.me(), position.opponent()]
        .map(|side| {
            let deep: u32 = (0..5)
                .map(|i| (5 - i as u32) * u32::from(side.count(i)))
                .sum();
            f64::from(2 * side.pips() + deep) / 16.32
        })
        .into_iter()
        .fold(f64::MAX, f64::min)
}

/// Returns the weight of the live-cube value.
fn liveliness(side: &ScoreView<'_>, cube: i32, race: Option<&Position>) -> f64 {
    let Some(position) = race else {
        return 0.7;
    };
    let opponent = ScoreView {
        table: side.table,
        mine: side.theirs,
        theirs: side.mine,
        gammons: side.gammons_lost,
        gammons_lost: side.gammons,
    };
    let [now, doubled] = opponent.live(2 * cube, Owner::Me);
    let low = now.from[0].min(doubled.from[0]);
    let gain = doubled.to[1] - now.to[1];
    let loss = now.clamped_at(low) - doubled.clamped_at(low);
    if loss == 0.0 {
        return 1.0;
    }
    let k = gain / loss;
    0.060_658_192_655_657_98 * race_length(position) * 2.0 * k / (k + 1.0)
}

/// Rounds to four decimals, and converts -1..=1 to a match winning chance.
fn rounded(y: f64) -> f64 {
    // A tie that is exact in decimals must not fall by the rounding of binary fractions.
    (1.0 + (1e4 * y + 0.5 + 1e-9).trunc() / 1e4) / 2.0
}

/// Returns the decision for the player on roll with these chances (in the order of
/// [`Chances`](gammond_game::Chances); decimals as written, because the values are rounded to four of them).
/// Backgammons are ignored; `race` is the position when it is without contact.
#[must_use]
pub fn decide(
    chances: &[f64; 5],
    state_at: DecisionState,
    race: Option<&Position>,
    table: &MatchEquityTable,
) -> Decision0 {
    let [w, wg, _, lg, _] = *chances;
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let side = ScoreView {
        table,
        mine: state_at.mine,
        theirs: state_at.theirs,
        gammons: share(wg, w),
        gammons_lost: share(lg, 1.0 - w),
    };
    let c = state_at.cube;
    let [now, doubled] = if c == 1 {
        side.live_centred()
    } else {
        side.live(c, Owner::Me)
    };
    let f = liveliness(&side, c, race);
    let no_double = if c == 1 {
        side.centred(now, w)
    } else {
        let dead = Line::new(now.from, [1.0, side.win(c)]).at(w);
        let live = if w <= now.to[0] {
            now.at(w)
        } else {
            Line::new(now.to, [1.0, side.win(c)]).at(w)
        };
        f * live + (1.0 - f) * dead
    };
    let losing = [0.0, side.lose(2 * c)];
    let dead = Line::new(losing, doubled.to).at(w);
    let live = if w >= doubled.from[0] {
        doubled.at(w)
    } else {
        Line::new(losing, doubled.from).at(w)
    };
    let double_take = if state_at.mine <= 2 * c {
        live
    } else {
        f * live + (1.0 - f) * dead
    };
    let [nd, dt, dp] = [no_double, double_take, now.to[1]].map(rounded);
    let take = dt < dp;
    let (double, too_good) = if state_at.mine <= c {
        (false, false)
    } else if take {
        (dt >= nd, false)
    } else {
        let double = wg == 0.0 || dp > nd;
        (double, !double)
    };
    Decision0 {
        double,
        take: take || state_at.mine <= c,
        too_good,
        no_double: nd,
        double_take: dt,
        double_pass: dp,
    }
}
