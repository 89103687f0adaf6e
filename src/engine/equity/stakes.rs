//! Values of winning and losing at a score: EMG (MET-09), gammon prices (MET-10), utilities (MET-11), cubes of any size
//! (MET-12), the right to double (CUBE-07).

use super::MatchEquityTable;
use gammond_game::{Chances, Cube, CubeOwner, MatchState, Score};

/// A cube during a search: how often it has been turned, and who owns it, seen by the player on
/// roll. Unlike [`Cube`] it may be turned beyond 4096 inside a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CubeState {
    /// The cube's value is 2 to this power.
    pub doublings: u8,
    /// Player who may turn the cube.
    pub owner: CubeOwner,
}

impl From<Cube> for CubeState {
    fn from(cube: Cube) -> CubeState {
        CubeState {
            doublings: cube.value().trailing_zeros() as u8,
            owner: cube.owner(),
        }
    }
}

impl CubeState {
    /// Returns the same cube seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> CubeState {
        CubeState {
            doublings: self.doublings,
            owner: self.owner.swapped(),
        }
    }

    /// Returns the cube after a double by the player on roll and a take.
    #[must_use]
    pub const fn doubled(self) -> CubeState {
        CubeState {
            doublings: self.doublings.saturating_add(1),
            owner: CubeOwner::Opponent,
        }
    }
}

/// Additional value of gammons and backgammons over a plain win, on the scale on which a plain win is 1 and a plain loss
/// -1 (money: 1 each, half of that is the usual gammon value).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GammonPrices {
    /// My gammons.
    pub my_gammon: f64,
    /// My backgammons, on top of the gammon.
    pub my_backgammon: f64,
    /// The opponent's gammons.
    pub opponent_gammon: f64,
    /// The opponent's backgammons, on top of the gammon.
    pub opponent_backgammon: f64,
}

impl GammonPrices {
    const MONEY: GammonPrices = GammonPrices {
        my_gammon: 1.0,
        my_backgammon: 1.0,
        opponent_gammon: 1.0,
        opponent_backgammon: 1.0,
    };

    /// Returns the expected value of a plain win (1), plain loss (-1) and the gammons at these prices.
    #[inline]
    #[must_use]
    pub fn utility(&self, chances: &Chances) -> f64 {
        2.0 * f64::from(chances.win) - 1.0
            + f64::from(chances.win_gammon) * self.my_gammon
            + f64::from(chances.win_backgammon) * self.my_backgammon
            - f64::from(chances.lose_gammon) * self.opponent_gammon
            - f64::from(chances.lose_backgammon) * self.opponent_backgammon
    }

    /// Returns the utility of averages in double precision.
    #[inline(always)]
    #[must_use]
    pub fn utility_of(&self, chances: &[f64; 5]) -> f64 {
        let [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ] = chances;
        2.0 * win - 1.0 + win_gammon * self.my_gammon + win_backgammon * self.my_backgammon
            - lose_gammon * self.opponent_gammon
            - lose_backgammon * self.opponent_backgammon
    }

    /// Returns the change of [`GammonPrices::utility`] per unit of each of the five chances.
    #[must_use]
    pub fn slopes(&self) -> [f32; 5] {
        [
            2.0,
            self.my_gammon,
            self.my_backgammon,
            -self.opponent_gammon,
            -self.opponent_backgammon,
        ]
        .map(|slope| slope as f32)
    }
}

/// From this cube on every game ends every match: 2 to the 8th is above 255 points. Two more
/// levels are kept so that doubling and redoubling need no test.
const LEVELS: usize = 11;
const LEVEL_LAST: usize = 8;

/// Half the MWC between winning and losing a plain game below which gammons have no price.
const HALF_STAKE_MIN: f64 = 1e-7;
/// Least MWC of 2 EMG: smaller values are rounding errors of the match equity table.
const SCALE_MIN: f64 = 1e-11;

/// MWC after winning or losing a plain game, a gammon or a backgammon at one cube.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CubeLevel {
    pub(super) win: [f64; 3],
    pub(super) lose: [f64; 3],
    pub(super) prices: GammonPrices,
}

impl CubeLevel {
    fn new(met: &MatchEquityTable, score: Score, cube: u32) -> CubeLevel {
        let win = [1, 2, 3].map(|games| met.after(score, true, games * cube));
        let lose = [1, 2, 3].map(|games| met.after(score, false, games * cube));
        CubeLevel {
            win,
            lose,
            prices: prices(win, lose),
        }
    }

    /// Converts EMG to MWC.
    #[inline(always)]
    pub(super) fn mwc_of(&self, emg: f64) -> f64 {
        (emg * (self.win[0] - self.lose[0]) + self.win[0] + self.lose[0]) / 2.0
    }

    /// Returns the MWC of 2 EMG, never so near 0 that EMG of rounding errors were large.
    fn scale(&self) -> f64 {
        let scale = self.win[0] - self.lose[0];
        if scale.abs() <= SCALE_MIN {
            SCALE_MIN
        } else {
            scale
        }
    }
}

fn prices(win: [f64; 3], lose: [f64; 3]) -> GammonPrices {
    let middle = (win[0] + lose[0]) / 2.0;
    let half = win[0] - middle;
    if half.abs() <= HALF_STAKE_MIN {
        return GammonPrices::default();
    }
    let my_gammon = (win[1] - middle) / half - 1.0;
    let opponent_gammon = (middle - lose[1]) / half - 1.0;
    GammonPrices {
        my_gammon: my_gammon.max(0.0),
        my_backgammon: ((win[2] - middle) / half - (my_gammon + 1.0)).max(0.0),
        opponent_gammon: opponent_gammon.max(0.0),
        opponent_backgammon: ((middle - lose[2]) / half - (opponent_gammon + 1.0)).max(0.0),
    }
}

/// Values of the results of a game to the player on roll, for every cube: a score or money rules, prepared for many
/// valuations.
#[derive(Clone, Debug)]
pub struct Stakes {
    pub(super) score: Score,
    pub(super) jacoby: bool,
    pub(super) levels: [CubeLevel; LEVELS],
}

impl Stakes {
    /// Prepares the score and rules of `state` (its cube plays no part).
    #[must_use]
    pub fn new(state: MatchState, met: &MatchEquityTable) -> Stakes {
        let level = |doublings: usize| {
            if state.score.is_money() {
                CubeLevel::default()
            } else {
                CubeLevel::new(met, state.score, 1 << doublings.min(LEVEL_LAST))
            }
        };
        Stakes {
            score: state.score,
            jacoby: state.rules.jacoby,
            levels: std::array::from_fn(level),
        }
    }

    /// Returns money play.
    #[must_use]
    pub fn money(jacoby: bool) -> Stakes {
        Stakes {
            score: Score::MONEY,
            jacoby,
            levels: Default::default(),
        }
    }

    /// Returns true if these are the stakes of money play.
    #[must_use]
    pub fn is_money(&self) -> bool {
        self.score.is_money()
    }

    /// Returns the values at this cube (`above` 0) or at one of the two next higher ones (1 and 2).
    #[inline]
    pub(super) fn level(&self, doublings: u8, above: usize) -> &CubeLevel {
        &self.levels[usize::from(doublings).min(LEVEL_LAST) + above]
    }

    /// Returns the values that are at stake when I double this cube and when the opponent does, if the doubled cube is dead
    /// for one of us. A player who doubles a cube that he cannot use again is redoubled at once by one who needs more.
    pub(super) fn last_levels(&self, doublings: u8) -> Option<[&CubeLevel; 2]> {
        let (mine, theirs) = (self.score.my_away(), self.score.opponent_away());
        let doubled = 2 * Stakes::points(doublings);
        let at_stake = |doubler: u32, other: u32| -> &CubeLevel {
            let automatic = doubler <= doubled && other > doubled;
            self.level(doublings, if automatic { 2 } else { 1 })
        };
        (mine <= doubled || theirs <= doubled)
            .then(|| [at_stake(mine, theirs), at_stake(theirs, mine)])
    }

    /// Returns the points at stake in a plain game, for comparing with points needed (clamped at 128).
    pub(super) fn points(doublings: u8) -> u32 {
        1 << usize::from(doublings).min(LEVEL_LAST)
    }

    /// Returns the gammon prices for play at this cube. Money: all 1, or all 0 with Jacoby and a centred cube.
    #[must_use]
    pub fn prices(&self, cube: CubeState) -> GammonPrices {
        if !self.is_money() {
            return self.level(cube.doublings, 0).prices;
        }
        if self.jacoby && cube.owner == CubeOwner::Centred {
            GammonPrices::default()
        } else {
            GammonPrices::MONEY
        }
    }

    /// Cubeless value as it decides plays: points per unit of the cube, or EMG.
    #[must_use]
    pub fn utility(&self, cube: CubeState, chances: &Chances) -> f64 {
        self.prices(cube).utility(chances)
    }

    /// Cubeless value as it is reported: money equity with gammons always counted, or EMG.
    #[must_use]
    pub fn cubeless(&self, cube: CubeState, chances: &Chances) -> f64 {
        self.cubeless_prices(cube).utility(chances)
    }

    /// Returns the gammon prices of [`Stakes::cubeless`].
    #[must_use]
    pub fn cubeless_prices(&self, cube: CubeState) -> GammonPrices {
        if self.is_money() {
            GammonPrices::MONEY
        } else {
            self.prices(cube)
        }
    }

    /// Converts MWC to EMG at this cube, at most 2e11 either way (MET-09). In money play the value comes back
    /// unchanged.
    #[must_use]
    pub fn to_emg(&self, cube: CubeState, mwc: f64) -> f64 {
        if self.is_money() {
            return mwc;
        }
        let level = self.level(cube.doublings, 0);
        (2.0 * mwc - (level.win[0] + level.lose[0])) / level.scale()
    }

    /// Converts EMG at this cube to MWC. In money play the value comes back unchanged.
    #[must_use]
    pub fn to_mwc(&self, cube: CubeState, emg: f64) -> f64 {
        if self.is_money() {
            return emg;
        }
        self.level(cube.doublings, 0).mwc_of(emg)
    }

    /// Returns a standard error in MWC as one in EMG at this cube.
    #[must_use]
    pub fn error_to_emg(&self, cube: CubeState, mwc: f64) -> f64 {
        if self.is_money() {
            return mwc;
        }
        2.0 * mwc / self.level(cube.doublings, 0).scale()
    }

    /// Returns the value to the player on roll when the opponent passes a double of this cube: 1 point, or MWC.
    #[must_use]
    pub fn cash(&self, cube: CubeState) -> f64 {
        if self.is_money() {
            1.0
        } else {
            self.level(cube.doublings, 0).win[0]
        }
    }

    /// Returns true if the player on roll may double (CUBE-07).
    #[must_use]
    pub fn may_double(&self, cube: CubeState) -> bool {
        let refusal = self.score.double_refusal(cube.doublings.into(), cube.owner);
        refusal.is_none()
    }

    /// Returns true if the opponent turns the cube at the next turn (CUBE-13): the opponent may turn it, loses the match
    /// with this game anyway, turned or not, and wins more if it is turned. Never checked for the player on roll: the
    /// value of not turning it *now* must be less than that of turning it.
    pub(super) fn is_turned_next(&self, cube: CubeState) -> bool {
        let (mine, theirs) = (self.score.my_away(), self.score.opponent_away());
        let points = Stakes::points(cube.doublings);
        cube.owner != CubeOwner::Me && mine <= points && theirs > points
    }

    /// Returns true if the opponent's use of this cube after the next roll follows from the chances then: CUBE-13, and
    /// CUBE-14, where both players need two points and the cube is centred.
    pub(crate) fn is_known_after_rolls(&self, cube: CubeState) -> bool {
        let two_each = self.score.my_away() == 2 && self.score.opponent_away() == 2;
        self.is_turned_next(cube)
            || (two_each && cube.owner == CubeOwner::Centred && cube.doublings == 0)
    }

    /// Returns true if doubling cannot change anything for either player: the value is then the cubeless one.
    pub(super) fn is_cube_useless(&self, cube: CubeState) -> bool {
        let (mine, theirs) = (self.score.my_away(), self.score.opponent_away());
        let points = Stakes::points(cube.doublings);
        self.score.is_crawford()
            || (points >= mine && points >= theirs)
            || (mine == 2 && theirs == 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(doublings: u8, owner: CubeOwner) -> CubeState {
        CubeState { doublings, owner }
    }

    /// MET-09: in long matches most results change nothing, and no value is infinite or not a number.
    #[test]
    fn emg_at_every_length_is_finite() {
        let met = MatchEquityTable::default();
        for length in 1..=255_u32 {
            let corners = [0, length / 2, length.saturating_sub(2), length - 1];
            let scores = corners.map(|me| corners.map(|opponent| (me, opponent)));
            for (me, opponent) in scores.concat() {
                let score = Score::new(length, me, opponent, false).unwrap();
                let state = MatchState {
                    score,
                    ..MatchState::default()
                };
                let stakes = Stakes::new(state, &met);
                for doublings in 0..=12 {
                    let cube = cube(doublings, CubeOwner::Me);
                    let level = stakes.level(doublings, 0);
                    for mwc in [0.0, 0.5, 1.0, level.win[0], level.lose[2]] {
                        let emg = stakes.to_emg(cube, mwc);
                        assert!(emg.abs() <= 2e11, "{length} {me}:{opponent} {emg}");
                    }
                    let error = stakes.error_to_emg(cube, 0.5);
                    assert!((0.0..=2e11).contains(&error), "{length} {me}:{opponent}");
                }
            }
        }
    }

    /// CUBE-08, MET-09: after a pass 1 EMG, also where a game decides little of a long match.
    #[test]
    fn pass_is_worth_one_point_in_long_matches() {
        let met = MatchEquityTable::default();
        for length in [7, 56, 60, 64, 72] {
            let state = MatchState {
                score: Score::new(length, 0, length - 1, false).unwrap(),
                ..MatchState::default()
            };
            let stakes = Stakes::new(state, &met);
            let won = stakes.level(0, 0).win[0];
            let emg = stakes.to_emg(cube(0, CubeOwner::Centred), won);
            assert!((emg - 1.0).abs() < 1e-4, "{length} {emg}");
        }
    }
}
