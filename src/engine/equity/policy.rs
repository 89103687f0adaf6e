//! Cube handling of an engine (CUBE-10, CUBE-11): when to consider doubling, how to answer a double, and the points that
//! books list.

use super::cubeful::{Leaf, Shares, Valuer};
use super::stakes::{CubeState, Stakes};
use gammond_game::{Chances, Cube, CubeOwner, Score, Verdict};

/// Response of the player who was doubled (or beavered).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Response {
    /// Accept; own the cube.
    Take,
    /// Pass, and lose the game.
    Pass,
    /// Accept, turn the cube once more and keep it; as an answer to a beaver this is a raccoon.
    Beaver,
}

/// Returns the answer to a double whose verdict from the doubler's side is `verdict`; `may_beaver` is true if the
/// rules and the number of turns so far still allow a beaver.
#[must_use]
pub fn response(verdict: Verdict, may_beaver: bool) -> Response {
    if verdict.passes() {
        Response::Pass
    } else if verdict.beavers() && may_beaver {
        Response::Beaver
    } else {
        Response::Take
    }
}

/// Returns the answer to a beaver, from the verdict on the position as if the player on roll owned the cube, and the
/// value `double_take` of turning it: a proper double is turned back (a raccoon) when allowed, and a beaver is dropped
/// when keeping the game costs a point or more.
#[must_use]
pub fn beaver_response(verdict: Verdict, double_take: f64, may_raccoon: bool) -> Response {
    match verdict {
        Verdict::NoDoubleTake | Verdict::NoRedoubleTake if double_take <= -1.0 => Response::Pass,
        Verdict::NoDoubleTake | Verdict::NoRedoubleTake => Response::Take,
        _ if verdict.beavers() => Response::Take,
        _ if may_raccoon => Response::Beaver,
        _ => Response::Take,
    }
}

/// Returns the winning chance below which doubling cannot be right, as the cube would have to be dead: an engine that
/// is below it rolls without further thought.
#[must_use]
pub fn dead_double_point(
    stakes: &Stakes,
    cube: CubeState,
    beavers: bool,
    chances: &Chances,
) -> f64 {
    let (mine, theirs) = (Shares::mine(chances), Shares::theirs(chances));
    let (won, lost) = (mine.points(), theirs.points());
    if stakes.is_money() {
        let first_jacoby = stakes.jacoby && cube.owner == CubeOwner::Centred;
        return match (first_jacoby, beavers) {
            (true, true) => (lost - 0.25) / (won + lost - 0.5),
            (true, false) => (lost - 0.5) / (won + lost - 1.0),
            (false, _) => lost / (won + lost),
        };
    }
    let (now, doubled) = (
        stakes.level(cube.doublings, 0),
        stakes.level(cube.doublings, 1),
    );
    let risk = theirs.average(&now.lose) - theirs.average(&doubled.lose);
    let gain = mine.average(&doubled.win) - mine.average(&now.win);
    if risk + gain <= 0.0 {
        0.0
    } else {
        risk / (risk + gain)
    }
}

/// The winning chances at which money decisions change, with a dead and with a live cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubePoints {
    /// A double can be taken from here on.
    pub take: [f64; 2],
    /// A double may be answered by a beaver.
    pub beaver: [f64; 2],
    /// A beaver may be answered by a raccoon.
    pub raccoon: [f64; 2],
    /// A centred cube may be turned.
    pub double: [f64; 2],
    /// An owned cube may be turned.
    pub redouble: [f64; 2],
    /// A double is passed.
    pub cash: [f64; 2],
    /// Playing on for a gammon is better than cashing.
    pub too_good: [f64; 2],
}

impl CubePoints {
    /// Returns the points for a player whose wins and losses average as in `chances`.
    #[must_use]
    pub fn money(chances: &Chances, jacoby: bool, beavers: bool) -> CubePoints {
        let (won, lost) = (
            Shares::mine(chances).points(),
            Shares::theirs(chances).points(),
        );
        let (dead, live) = (won + lost, won + lost + 0.5);
        let first = match (jacoby, beavers) {
            (false, _) => lost / dead,
            (true, true) => (lost - 0.25) / (dead - 0.5),
            (true, false) => (lost - 0.5) / (dead - 1.0),
        };
        CubePoints {
            take: [(lost - 0.5) / dead, (lost - 0.5) / live],
            beaver: [lost / dead, lost / live],
            raccoon: [lost / dead, (lost + 0.5) / live],
            double: [first, (lost + 1.0) / live],
            redouble: [lost / dead, (lost + 1.0) / live],
            cash: [(lost + 0.5) / dead, (lost + 1.0) / live],
            too_good: [(lost + 1.0) / dead, (lost + 1.0) / live],
        }
    }
}

/// The use that the opponent has for the cube after a double and a take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CubeUse {
    /// The opponent may turn it later.
    Live,
    /// A win with it wins the match, so that the opponent has no use for it.
    Dead,
    /// A loss with it loses the match, so that the opponent turns it at once.
    TurnedAtOnce,
}

impl CubeUse {
    /// Returns the use after a double of this cube by the player on roll.
    #[must_use]
    pub fn after_double(score: Score, cube: Cube) -> CubeUse {
        let doubled = 2 * cube.value();
        match score.is_money() {
            true if doubled >= Cube::MAX.into() => CubeUse::Dead,
            true => CubeUse::Live,
            false if score.opponent_away() <= doubled => CubeUse::Dead,
            false if score.my_away() <= doubled => CubeUse::TurnedAtOnce,
            false => CubeUse::Live,
        }
    }
}

/// The winning chances between which a double is right: from where it gains with a dead cube to where it is passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeWindow {
    /// A double gains from here on, if the cube is not turned again.
    pub double: f64,
    /// A double is passed from here on, with a dead and with a live cube. The opponent takes with the rest to 1.
    pub cash: [f64; 2],
}

impl CubeWindow {
    /// Returns the window of a cube for a player whose wins and losses average as in `chances`; `None` where the cube changes
    /// nothing.
    #[must_use]
    pub fn of(
        stakes: &Stakes,
        cube: CubeState,
        beavers: bool,
        chances: &Chances,
    ) -> Option<CubeWindow> {
        let double = dead_double_point(stakes, cube, beavers, chances);
        let cash = if stakes.is_money() {
            CubePoints::money(chances, stakes.jacoby, beavers).cash
        } else {
            let now = stakes.level(cube.doublings, 0);
            let doubled = stakes.level(cube.doublings, 1);
            let won = Shares::mine(chances).average(&doubled.win);
            let lost = Shares::theirs(chances).average(&doubled.lose);
            let live = Valuer::new(stakes, Leaf::of(*chances)).cash_points(cube.doublings);
            [(now.win[0] - lost) / (won - lost), live.0]
        };
        let is_chance = |point: &f64| (0.0..=1.0).contains(point);
        [double, cash[0], cash[1]]
            .iter()
            .all(is_chance)
            .then_some(CubeWindow { double, cash })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equity::MatchEquityTable;
    use gammond_game::{MatchState, Rules};

    #[test]
    fn points_without_gammons() {
        let plain = Chances {
            win: 0.5,
            ..Chances::default()
        };
        let points = CubePoints::money(&plain, false, false);
        assert_eq!(points.take, [0.25, 0.2]);
        assert_eq!(points.beaver, [0.5, 0.4]);
        assert_eq!(points.redouble, [0.5, 0.8]);
        assert_eq!(points.cash, [0.75, 0.8]);
        assert_eq!(points.too_good, [1.0, 0.8]);
    }

    /// CUBE-10.
    #[test]
    fn answers() {
        assert_eq!(response(Verdict::DoublePass, true), Response::Pass);
        assert_eq!(response(Verdict::NoDoubleBeaver, true), Response::Beaver);
        assert_eq!(response(Verdict::NoDoubleBeaver, false), Response::Take);
        assert_eq!(response(Verdict::DeadCubeDouble, true), Response::Take);
        assert_eq!(
            beaver_response(Verdict::RedoubleTake, 0.4, true),
            Response::Beaver
        );
        assert_eq!(
            beaver_response(Verdict::NoRedoubleTake, -1.2, true),
            Response::Pass
        );
    }

    /// CUBE-11.
    #[test]
    fn a_dead_cube_is_worth_doubling_from_half() {
        let met = MatchEquityTable::default();
        let rules = Rules {
            jacoby: false,
            beavers: false,
        };
        let stakes = Stakes::new(MatchState::money(rules), &met);
        let plain = Chances {
            win: 0.5,
            ..Chances::default()
        };
        let cube = Cube::CENTRED.into();
        assert_eq!(dead_double_point(&stakes, cube, false, &plain), 0.5);
    }
}
