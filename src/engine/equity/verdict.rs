//! Cube decisions from the values of their three outcomes (CUBE-08, CUBE-09).

use super::stakes::{CubeState, Stakes};
use gammond_game::{Chances, CubeOwner, Verdict};

/// Largest difference of two values that count as equal.
const EQUAL: f64 = 1e-5;

/// Values that a cube decision is based on, in points per unit of the undoubled cube or in EMG at it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeNumbers {
    /// Value of not doubling.
    pub no_double: f64,
    /// Value of a double that is taken.
    pub double_take: f64,
    /// Value of a double that is passed: 1, but for rounding.
    pub double_pass: f64,
}

/// A cube decision of both players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeDecision {
    /// The value when both players choose best.
    pub optimal: f64,
    /// Best actions of both players.
    pub verdict: Verdict,
    /// GNU Backgammon's percentage behind the verdict, 0..=1: how many wrong passes (or takes)
    /// would make doubling (or playing on) wrong.
    pub percentage: Option<f64>,
}

impl CubeNumbers {
    /// Compares these numbers; `cube` is the undoubled one, `beavers` is true if the opponent may beaver (money
    /// only).
    #[must_use]
    pub fn judge(
        &self,
        stakes: &Stakes,
        cube: CubeState,
        beavers: bool,
        chances: &Chances,
    ) -> CubeDecision {
        let redouble = cube.owner != CubeOwner::Centred;
        if !stakes.may_double(cube) {
            let verdict = match cube.owner {
                CubeOwner::Centred if !stakes.is_money() => Verdict::DeadCubeDouble,
                CubeOwner::Me if !stakes.is_money() => Verdict::DeadCubeRedouble,
                _ => Verdict::NotAvailable,
            };
            return CubeDecision {
                optimal: self.no_double,
                verdict,
                percentage: None,
            };
        }
        let beaver = stakes.is_money() && beavers && (-2.0..=0.0).contains(&self.double_take);
        let gammons = chances.win_gammon > 0.0;
        let optional_pass = gammons && (!stakes.is_money() || redouble || !stakes.jacoby);
        let (optimal, verdict) = self.weigh(redouble, beaver, gammons, optional_pass);
        CubeDecision {
            optimal,
            verdict,
            percentage: self.percentage(verdict),
        }
    }

    fn weigh(
        &self,
        redouble: bool,
        beaver: bool,
        gammons: bool,
        optional_pass: bool,
    ) -> (f64, Verdict) {
        let (none, take, pass) = (self.no_double, self.double_take, self.double_pass);
        let either = |first, again| if redouble { again } else { first };
        let optional = (take - none).abs() <= EQUAL;
        if take >= none && pass >= none {
            if pass > take {
                let verdict = match (beaver, optional) {
                    (true, _) if 2.0 * take < none => Verdict::NoDoubleBeaver,
                    (true, true) => Verdict::OptionalDoubleBeaver,
                    (true, false) => Verdict::DoubleBeaver,
                    (false, true) => {
                        either(Verdict::OptionalDoubleTake, Verdict::OptionalRedoubleTake)
                    }
                    (false, false) => either(Verdict::DoubleTake, Verdict::RedoubleTake),
                };
                return (take, verdict);
            }
            let verdict = if (none - pass).abs() <= EQUAL && optional_pass {
                either(Verdict::OptionalDoublePass, Verdict::OptionalRedoublePass)
            } else {
                either(Verdict::DoublePass, Verdict::RedoublePass)
            };
            return (pass, verdict);
        }
        let verdict = if none > pass {
            let too_good_pass = take > pass;
            match (too_good_pass, gammons) {
                (true, true) => either(Verdict::TooGoodPass, Verdict::TooGoodRedoublePass),
                (true, false) => either(Verdict::DoublePass, Verdict::RedoublePass),
                (false, true) => either(Verdict::TooGoodTake, Verdict::TooGoodRedoubleTake),
                (false, false) => either(Verdict::NoDoubleTake, Verdict::NoRedoubleTake),
            }
        } else if beaver {
            either(Verdict::NoDoubleBeaver, Verdict::NoRedoubleBeaver)
        } else {
            either(Verdict::NoDoubleTake, Verdict::NoRedoubleTake)
        };
        (none, verdict)
    }

    fn percentage(&self, verdict: Verdict) -> Option<f64> {
        let (none, take, pass) = (self.no_double, self.double_take, self.double_pass);
        match verdict {
            Verdict::NoDoubleTake
            | Verdict::NoDoubleBeaver
            | Verdict::NoRedoubleTake
            | Verdict::NoRedoubleBeaver
                if pass > take =>
            {
                Some((none - take) / (pass - take))
            }
            Verdict::TooGoodPass | Verdict::TooGoodRedoublePass if none <= take && take > pass => {
                Some((none - pass) / (take - pass))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equity::MatchEquityTable;
    use gammond_game::{Cube, MatchState, Rules};

    /// The two percentages that the reference program was seen to print.
    #[test]
    fn percentages() {
        let met = MatchEquityTable::default();
        let stakes = Stakes::new(MatchState::money(Rules::default()), &met);
        let check = |numbers: [f64; 3], owner, verdict, percent: f64| {
            let [no_double, double_take, double_pass] = numbers;
            let numbers = CubeNumbers {
                no_double,
                double_take,
                double_pass,
            };
            let chances = Chances {
                win: 0.7,
                win_gammon: 0.3,
                ..Chances::default()
            };
            let cube = Cube::new(1, owner).unwrap().into();
            let decision = numbers.judge(&stakes, cube, true, &chances);
            assert_eq!(decision.verdict, verdict);
            let found = decision.percentage.unwrap() * 100.0;
            assert!((found - percent).abs() < 0.05, "{found}");
        };
        check(
            [0.092086, -0.191132, 1.0],
            CubeOwner::Centred,
            Verdict::NoDoubleBeaver,
            23.8,
        );
        check(
            [1.118564, 1.452642, 1.0],
            CubeOwner::Me,
            Verdict::TooGoodRedoublePass,
            26.2,
        );
    }
}
