//! An old procedure for match doubles, from the days before GNU Backgammon's cube model.
//!
//! Published measures of nets by cube decisions were made with it, so it is kept for repeating
//! them. It knows no backgammons, works on the scale `y = 2 * MWC - 1`, and mixes the values of a
//! live and a dead cube. For decisions proper use [`Valuer`](super::Valuer).

use super::MatchEquityTable;
use crate::game::{Chances, CubeOwner, Position, Side};

/// What the old procedure says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubling0 {
    /// Turn the cube.
    pub double: bool,
    /// The opponent takes.
    pub take: bool,
    /// Play on for a gammon.
    pub too_good: bool,
    /// MWC without doubling.
    pub no_double_mwc: f64,
    /// MWC when the double is taken.
    pub double_take_mwc: f64,
    /// MWC when the double is passed.
    pub double_pass_mwc: f64,
}

/// The question: chances, scores and cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Doubling0Query {
    /// Chances of the player on roll.
    pub chances: Chances,
    /// Points that he needs, at least 2.
    pub my_away: u32,
    /// Points that the opponent needs, at least 2.
    pub opponent_away: u32,
    /// The cube's value.
    pub cube: u32,
    /// Who owns it: nobody (a cube of 1), or the player on roll.
    pub owner: CubeOwner,
    /// For races their length by [`race_length`], otherwise nothing.
    pub race: Option<f64>,
}

/// How long a race is, as this procedure counts: the shorter of both sides, in rolls.
#[must_use]
pub fn race_length(position: &Position) -> f64 {
    let of = |side: Side| {
        let wasted: u32 = (0..5)
            .map(|index| (5 - index) * u32::from(side.count(index as usize)))
            .sum();
        f64::from(2 * side.pips() + wasted) / 16.32
    };
    of(position.me()).min(of(position.opponent()))
}

/// A straight line through two points.
#[derive(Clone, Copy, Debug)]
struct Line {
    low: (f64, f64),
    high: (f64, f64),
}

impl Line {
    fn new(low: (f64, f64), high: (f64, f64)) -> Line {
        Line { low, high }
    }

    fn at(&self, x: f64) -> f64 {
        let slope = (self.high.1 - self.low.1) / (self.high.0 - self.low.0);
        self.low.1 + (x - self.low.0) * slope
    }

    fn inverse(&self, y: f64) -> f64 {
        let slope = (self.high.0 - self.low.0) / (self.high.1 - self.low.1);
        self.low.0 + (y - self.low.1) * slope
    }

    /// The value, that of the nearer end outside the line.
    fn clamped(&self, x: f64) -> f64 {
        if x <= self.low.0 {
            self.low.1
        } else if x >= self.high.0 {
            self.high.1
        } else {
            self.at(x)
        }
    }
}

/// The score seen by one player.
#[derive(Clone, Copy, Debug)]
struct Seat<'a> {
    met: &'a MatchEquityTable,
    mine: u32,
    theirs: u32,
    my_gammons: f64,
    their_gammons: f64,
}

/// Values along the winning chance: with the cube as it is, and once it is doubled.
#[derive(Clone, Copy, Debug)]
struct Live {
    now: Line,
    doubled: Line,
}

impl Seat<'_> {
    fn swapped(self) -> Self {
        Seat {
            met: self.met,
            mine: self.theirs,
            theirs: self.mine,
            my_gammons: self.their_gammons,
            their_gammons: self.my_gammons,
        }
    }

    /// The value of a score: points I win and points the opponent wins.
    fn score(&self, won: u32, lost: u32) -> f64 {
        if won >= self.mine {
            1.0
        } else if lost >= self.theirs {
            -1.0
        } else {
            2.0 * (self.met).before_crawford(self.mine - won, self.theirs - lost) - 1.0
        }
    }

    fn win(&self, cube: u32) -> f64 {
        (1.0 - self.my_gammons) * self.score(cube, 0) + self.my_gammons * self.score(2 * cube, 0)
    }

    fn lose(&self, cube: u32) -> f64 {
        (1.0 - self.their_gammons) * self.score(0, cube)
            + self.their_gammons * self.score(0, 2 * cube)
    }

    fn live(&self, cube: u32, owner: CubeOwner) -> Live {
        match owner {
            CubeOwner::Me if self.mine <= cube => Live {
                now: Line::new((0.0, self.lose(cube)), (1.0, 1.0)),
                doubled: Line::new((0.0, self.lose(4 * cube)), (1.0, 1.0)),
            },
            CubeOwner::Me => {
                let taken = self.live(2 * cube, CubeOwner::Opponent).now;
                let passed = self.score(cube, 0);
                Live {
                    now: Line::new((0.0, self.lose(cube)), (taken.inverse(passed), passed)),
                    doubled: taken,
                }
            }
            CubeOwner::Opponent if self.theirs <= cube => Live {
                now: Line::new((0.0, -1.0), (1.0, self.win(cube))),
                doubled: Line::new((0.0, -1.0), (1.0, self.win(4 * cube))),
            },
            CubeOwner::Opponent => {
                let taken = self.live(2 * cube, CubeOwner::Me).now;
                let passed = self.score(0, cube);
                Live {
                    now: Line::new((taken.inverse(passed), passed), (1.0, self.win(cube))),
                    doubled: taken,
                }
            }
            CubeOwner::Centred => {
                let theirs = self.live(2, CubeOwner::Me).now;
                let mine = self.live(2, CubeOwner::Opponent).now;
                let (lost, won) = (self.score(0, 1), self.score(1, 0));
                Live {
                    now: Line::new((theirs.inverse(lost), lost), (mine.inverse(won), won)),
                    doubled: mine,
                }
            }
        }
    }

    /// How much of the live cube counts.
    fn share(&self, query: &Doubling0Query) -> f64 {
        let Some(length) = query.race else { return 0.7 };
        let Live { now, doubled } = self.swapped().live(2 * query.cube, CubeOwner::Me);
        let point = now.low.0.min(doubled.low.0);
        let gain = doubled.high.1 - now.high.1;
        let loss = now.clamped(point) - doubled.clamped(point);
        if loss == 0.0 {
            return 1.0;
        }
        let ratio = gain / loss;
        0.060_658_192_655_657_98 * length * 2.0 * ratio / (ratio + 1.0)
    }

    fn no_double(&self, query: &Doubling0Query, now: &Line, share: f64) -> f64 {
        let win = f64::from(query.chances.win);
        let above = Line::new(now.high, (1.0, self.win(query.cube)));
        if query.owner != CubeOwner::Centred {
            let live = if win <= now.high.0 {
                now.at(win)
            } else {
                above.at(win)
            };
            let dead = Line::new(now.low, (1.0, self.win(query.cube)));
            return share * live + (1.0 - share) * dead.at(win);
        }
        let to_win = Line::new(now.low, (1.0, self.win(1))).at(win);
        let to_loss = Line::new((0.0, self.lose(1)), now.high).at(win);
        let (live, half, other) = if win > now.high.0 {
            (above.at(win), to_win, above.at(win))
        } else if win < now.low.0 {
            let below = Line::new((0.0, self.lose(1)), now.low).at(win);
            (below, below, to_loss)
        } else {
            (now.at(win), to_win, to_loss)
        };
        0.65 * live + 0.175 * (half + other)
    }

    fn double_take(&self, query: &Doubling0Query, doubled: &Line, share: f64) -> f64 {
        let win = f64::from(query.chances.win);
        let nothing = (0.0, self.lose(2 * query.cube));
        let live = if win >= doubled.low.0 {
            doubled.at(win)
        } else {
            Line::new(nothing, doubled.low).at(win)
        };
        if self.mine <= 2 * query.cube {
            return live;
        }
        share * live + (1.0 - share) * Line::new(nothing, doubled.high).at(win)
    }
}

/// Four decimals, as the procedure always worked.
fn rounded(y: f64) -> f64 {
    (1e4 * y + 0.5).trunc() / 1e4
}

/// Decides by the old procedure, with this table.
#[must_use]
pub fn doubling0(met: &MatchEquityTable, query: &Doubling0Query) -> Doubling0 {
    let chances = &query.chances;
    let share = |gammon: f32, any: f64| {
        if any > 0.0 {
            f64::from(gammon) / any
        } else {
            0.0
        }
    };
    let win = f64::from(chances.win);
    let seat = Seat {
        met,
        mine: query.my_away,
        theirs: query.opponent_away,
        my_gammons: share(chances.win_gammon, win),
        their_gammons: share(chances.lose_gammon, 1.0 - win),
    };
    let live = seat.live(query.cube, query.owner);
    let efficiency = seat.share(query);
    let no_double = rounded(seat.no_double(query, &live.now, efficiency));
    let double_take = rounded(seat.double_take(query, &live.doubled, efficiency));
    let double_pass = rounded(live.now.high.1);
    let take = double_take < double_pass;
    let (double, too_good) = if seat.mine <= query.cube {
        (false, false)
    } else if take {
        (double_take >= no_double, false)
    } else {
        let double = chances.win_gammon == 0.0 || double_pass > no_double;
        (double, !double)
    };
    let mwc = |y: f64| (1.0 + y) / 2.0;
    Doubling0 {
        double,
        take: take || seat.mine <= query.cube,
        too_good,
        no_double_mwc: mwc(no_double),
        double_take_mwc: mwc(double_take),
        double_pass_mwc: mwc(double_pass),
    }
}
