//! The value of a position with the cube in play: Janowski's model (1993) for money (CUBE-01, CUBE-02),
//! its counterpart in match winning chances for matches (CUBE-03, CUBE-04, CUBE-05).

use super::stakes::{CubeLevel, CubeState, Stakes};
use gammond_game::{Chances, CubeOwner, Roll};

/// Evaluation of a position at the search horizon.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Chances of the player on roll.
    pub chances: Chances,
    /// Cube efficiency when I own the cube, when it is centred, when the opponent owns it.
    pub efficiency: [f64; 3],
    /// True if the cube model is our own where it differs from GNU Backgammon's: a cube that the opponent turns at no cost
    /// is turned at once (CUBE-13).
    pub by_position: bool,
    /// Exact chances to win after each of [`Roll::ALL`], where a table has them and a cube is turned at once.
    pub next: Option<[f32; Roll::ALL.len()]>,
    /// Exact money equities when I own the cube, when it is centred, when the opponent owns it.
    pub exact: Option<[f32; 3]>,
    /// Returns nearly exact values where `exact` has none (CUBE-15).
    pub near: Option<[f32; 3]>,
}

impl Leaf {
    /// Returns the evaluation with these chances, and nothing else known.
    pub(super) const fn of(chances: Chances) -> Leaf {
        Leaf {
            chances,
            efficiency: [0.0; 3],
            by_position: false,
            next: None,
            exact: None,
            near: None,
        }
    }
}

/// Values one leaf for any number of cubes at the same score.
#[derive(Debug)]
pub struct Valuer<'a> {
    stakes: &'a Stakes,
    leaf: Leaf,
    win: f64,
    mine: Shares,
    theirs: Shares,
}

/// Shares of plain games, gammons and backgammons in a side's wins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares(pub(super) [f64; 3]);

impl Shares {
    /// Returns the shares of the player on roll.
    pub(super) fn mine(chances: &Chances) -> Shares {
        let win = f64::from(chances.win);
        Shares::new(win, chances.win_gammon, chances.win_backgammon)
    }

    /// Returns the shares of the opponent.
    pub(super) fn theirs(chances: &Chances) -> Shares {
        let loss = 1.0 - f64::from(chances.win);
        Shares::new(loss, chances.lose_gammon, chances.lose_backgammon)
    }

    fn new(any: f64, gammon: f32, backgammon: f32) -> Shares {
        if any <= 0.0 {
            return Shares([1.0, 0.0, 0.0]);
        }
        let backgammon = f64::from(backgammon) / any;
        let gammon = f64::from(gammon) / any - backgammon;
        Shares([1.0 - gammon - backgammon, gammon, backgammon])
    }

    #[inline(always)]
    pub(super) fn average(&self, values: &[f64; 3]) -> f64 {
        self.0[0] * values[0] + self.0[1] * values[1] + self.0[2] * values[2]
    }

    /// Returns the average points of a win.
    pub(super) fn points(&self) -> f64 {
        self.average(&[1.0, 2.0, 3.0])
    }
}

/// Interpolates the value at a winning chance linearly between two points.
#[inline(always)]
fn line(win: f64, low: (f64, f64), high: (f64, f64)) -> f64 {
    low.1 + (win - low.0) * (high.1 - low.1) / (high.0 - low.0)
}

/// Returns the value of a perfectly live cube in money play (CUBE-01); wins and losses have these points on average.
fn live_money(win: f64, [won, lost]: [f64; 2], owner: CubeOwner, jacoby: bool) -> f64 {
    let all = won + lost + 0.5;
    let take = ((lost - 0.5) / all, -1.0);
    let cash = ((lost + 1.0) / all, 1.0);
    let (none, sure) = ((0.0, -lost), (1.0, won));
    match owner {
        CubeOwner::Centred if win < take.0 => {
            if jacoby {
                -1.0
            } else {
                line(win, none, take)
            }
        }
        CubeOwner::Centred if win < cash.0 => line(win, take, cash),
        CubeOwner::Centred => {
            if jacoby {
                1.0
            } else {
                line(win, cash, sure)
            }
        }
        CubeOwner::Me if win < cash.0 => line(win, none, cash),
        CubeOwner::Me => line(win, cash, sure),
        CubeOwner::Opponent if win < take.0 => line(win, none, take),
        CubeOwner::Opponent => line(win, take, sure),
    }
}

/// Returns the money equities without gammons of a winning chance with the cube owned, centred and lent, for these
/// efficiencies.
pub(crate) fn money_without_gammons(win: f64, life: [f64; 3]) -> [f64; 3] {
    let dead = 2.0 * win - 1.0;
    let owners = [CubeOwner::Me, CubeOwner::Centred, CubeOwner::Opponent];
    std::array::from_fn(|slot| {
        let live = live_money(win, [1.0, 1.0], owners[slot], false);
        dead + life[slot] * (live - dead)
    })
}

/// Winning chance below which, and above whose rest to 1, the cube is treated as dead in money play.
const HOPELESS: f64 = 1e-7;

impl<'a> Valuer<'a> {
    /// Prepares a leaf.
    #[must_use]
    pub fn new(stakes: &'a Stakes, leaf: Leaf) -> Valuer<'a> {
        let chances = &leaf.chances;
        let win = f64::from(chances.win);
        Valuer {
            stakes,
            leaf,
            win,
            mine: Shares::mine(chances),
            theirs: Shares::theirs(chances),
        }
    }

    /// Returns the value to the player on roll: points per unit of this cube, or MWC.
    #[must_use]
    pub fn value(&self, cube: CubeState) -> f64 {
        if self.stakes.is_money() {
            self.money(cube)
        } else {
            self.in_match(cube)
        }
    }

    fn money(&self, cube: CubeState) -> f64 {
        if let Some(known) = self.leaf.exact.or(self.leaf.near) {
            return f64::from(known[slot(cube.owner)]);
        }
        let dead = self.stakes.utility(cube, &self.leaf.chances);
        if self.win <= HOPELESS || self.win >= 1.0 - HOPELESS {
            return dead;
        }
        let live = self.live_money(cube.owner, self.stakes.jacoby);
        dead + self.leaf.efficiency[slot(cube.owner)] * (live - dead)
    }

    fn live_money(&self, owner: CubeOwner, jacoby: bool) -> f64 {
        let points = [self.mine.points(), self.theirs.points()];
        live_money(self.win, points, owner, jacoby)
    }

    fn in_match(&self, cube: CubeState) -> f64 {
        if let Some(next) = &self.leaf.next
            && self.leaf.by_position
            && self.stakes.is_known_after_rolls(cube)
        {
            return self.after_rolls(cube, next);
        }
        let utility = self.stakes.utility(cube, &self.leaf.chances);
        let dead = self.stakes.to_mwc(cube, utility);
        if self.leaf.efficiency[slot(cube.owner)] <= 0.0 || self.stakes.is_cube_useless(cube) {
            return dead;
        }
        let live = self.live_match(cube);
        if self.leaf.by_position && self.stakes.is_turned_next(cube) {
            return live;
        }
        dead + self.match_efficiency(cube) * (live - dead)
    }

    /// Returns the cube efficiency in a match; where money equities are exact, they show how live the cube is.
    fn match_efficiency(&self, cube: CubeState) -> f64 {
        let efficiency = self.leaf.efficiency[slot(cube.owner)];
        let Some(exact) = self.leaf.exact else {
            return efficiency;
        };
        let cubeless = 2.0 * self.win - 1.0;
        let live = if self.win <= HOPELESS || self.win >= 1.0 - HOPELESS {
            cubeless
        } else {
            self.live_money(cube.owner, false)
        };
        if (live - cubeless).abs() <= 1e-4 {
            return efficiency;
        }
        let found = (f64::from(exact[slot(cube.owner)]) - cubeless) / (live - cubeless);
        found.clamp(0.0, efficiency)
    }

    /// Returns the value by the chances to win after each roll of mine, without gammons, where the opponent's cube
    /// action is known (CUBE-13, CUBE-14).
    fn after_rolls(&self, cube: CubeState, next: &[f32; Roll::ALL.len()]) -> f64 {
        let now = self.stakes.level(cube.doublings, 0);
        let doubled = self.stakes.level(cube.doublings, 1);
        let of = |level: &CubeLevel, win| line(win, (0.0, level.lose[0]), (1.0, level.win[0]));
        let at_once = self.stakes.is_turned_next(cube);
        let after = |win: f64| {
            let played = of(doubled, win);
            if win >= 1.0 {
                now.win[0]
            } else if at_once || win < 0.5 {
                played.max(now.lose[0])
            } else {
                // I may double in my next turn, if the game is not over before.
                (of(now, win) + played.min(now.win[0])) / 2.0
            }
        };
        let weighted =
            |(roll, &win): (&Roll, &f32)| f64::from(roll.weight()) / 36.0 * after(win.into());
        Roll::ALL.iter().zip(next).map(weighted).sum()
    }

    fn live_match(&self, cube: CubeState) -> f64 {
        let level = self.stakes.level(cube.doublings, 0);
        let points = self.cash_points(cube.doublings);
        live_match((cube.owner, self.win), &self.sides(), level, points)
    }

    fn sides(&self) -> [Shares; 2] {
        [self.mine, self.theirs]
    }

    /// Returns the winning chances, each side's own, at which I and the opponent cash a live cube.
    pub(super) fn cash_points(&self, doublings: u8) -> (f64, f64) {
        let now = self.stakes.level(doublings, 0);
        match self.stakes.last_levels(doublings) {
            Some(levels) => last_cash_points(&self.sides(), now, levels),
            None => {
                let doubled = self.stakes.level(doublings, 1);
                let next = self.cash_points(doublings + 1);
                cash_points(&self.sides(), now, doubled, next)
            }
        }
    }
}

/// Returns the value in a match of a perfectly live cube, by the points at which I and the opponent cash it.
#[inline(always)]
pub(super) fn live_match(
    (owner, win): (CubeOwner, f64),
    [mine, theirs]: &[Shares; 2],
    level: &CubeLevel,
    (my_cash, their_cash): (f64, f64),
) -> f64 {
    let none = (0.0, theirs.average(&level.lose));
    let sure = (1.0, mine.average(&level.win));
    let cash = (my_cash, level.win[0]);
    let passed = (1.0 - their_cash, level.lose[0]);
    let below = owner != CubeOwner::Me && win <= passed.0;
    let above = match owner {
        CubeOwner::Me => win > cash.0,
        CubeOwner::Centred => !below && win >= cash.0,
        CubeOwner::Opponent => false,
    };
    let low = match owner {
        _ if above => cash,
        CubeOwner::Me => none,
        _ if below => none,
        _ => passed,
    };
    let high = match owner {
        _ if below => passed,
        CubeOwner::Opponent => sure,
        _ if above => sure,
        _ => cash,
    };
    if below && passed.0 <= 0.0 {
        none.1
    } else if above && cash.0 >= 1.0 {
        sure.1
    } else {
        line(win, low, high)
    }
}

/// Returns the points of a cube at which I and the opponent cash it, by those of the doubled one.
#[inline(always)]
pub(super) fn cash_points(
    [mine, theirs]: &[Shares; 2],
    now: &CubeLevel,
    doubled: &CubeLevel,
    (my_next, their_next): (f64, f64),
) -> (f64, f64) {
    let point = |passed: f64, redoubled_out: f64, win: f64, next: f64| {
        1.0 - next * ratio(passed - win, redoubled_out - win)
    };
    let me = point(
        now.win[0],
        doubled.lose[0],
        mine.average(&doubled.win),
        their_next,
    );
    let them = point(
        1.0 - now.lose[0],
        1.0 - doubled.win[0],
        1.0 - theirs.average(&doubled.lose),
        my_next,
    );
    (me, them)
}

/// Returns the points at which I and the opponent cash a cube whose double is dead for one player, by what is at stake when
/// I double and when the opponent does.
#[inline(always)]
pub(super) fn last_cash_points(
    [mine, theirs]: &[Shares; 2],
    now: &CubeLevel,
    [by_me, by_opponent]: [&CubeLevel; 2],
) -> (f64, f64) {
    let (lose, win) = (theirs.average(&by_me.lose), mine.average(&by_me.win));
    let me = ratio(lose - now.win[0], lose - win);
    let (lose, win) = (
        mine.average(&by_opponent.win),
        theirs.average(&by_opponent.lose),
    );
    let them = ratio((1.0 - lose) - (1.0 - now.lose[0]), win - lose);
    (me, them)
}

pub(super) fn slot(owner: CubeOwner) -> usize {
    match owner {
        CubeOwner::Me => 0,
        CubeOwner::Centred => 1,
        CubeOwner::Opponent => 2,
    }
}

/// Returns a quotient; 1 where nothing is at stake.
#[inline(always)]
fn ratio(above: f64, below: f64) -> f64 {
    if below.abs() < 1e-12 {
        1.0
    } else {
        above / below
    }
}
