//! Number formats of the output: `set output …`.

use gammond_engine::query::Equities;
use gammond_game::Chances;

/// The forms of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    /// Match winning chances instead of equities, in matches.
    pub(super) mwc: bool,
    /// Match winning chances in percent.
    pub(super) match_percent: bool,
    /// Chances of the game in percent.
    pub(super) win_percent: bool,
    pub(super) digits: usize,
    pub(super) raw_board: bool,
    pub(super) strict: bool,
    /// The factor of error rates.
    pub(super) rate_factor: f64,
}

impl Default for Style {
    fn default() -> Style {
        Style {
            mwc: false,
            match_percent: true,
            win_percent: false,
            digits: 3,
            raw_board: false,
            strict: false,
            rate_factor: 1000.0,
        }
    }
}

impl Style {
    /// Formats an equity with its sign.
    pub(super) fn equity(&self, value: f64) -> String {
        format!("{value:+w$.p$}", w = self.digits + 3, p = self.digits)
    }

    /// Formats an equity, or a match winning chance if that is set and there is one.
    pub(super) fn value(&self, value: Equities) -> String {
        match value.mwc.filter(|_| self.mwc) {
            Some(mwc) => self.chance(mwc),
            None => self.equity(value.equity),
        }
    }

    /// Formats a match winning chance.
    pub(super) fn chance(&self, mwc: f64) -> String {
        let (w, digits) = (self.digits + 3, self.digits);
        match self.match_percent {
            true => format!("{:w$.p$}%", 100.0 * mwc, p = digits.saturating_sub(1)),
            false => format!("{mwc:w$.p$}", p = digits + 1),
        }
    }

    /// Formats the difference of two values.
    pub(super) fn difference(&self, value: Equities, other: Equities) -> String {
        let (w, digits) = (self.digits + 3, self.digits);
        let mwc = value.mwc.zip(other.mwc).filter(|_| self.mwc);
        match (mwc, self.match_percent) {
            (None, _) => self.equity(value.equity - other.equity),
            (Some((one, two)), true) => {
                format!(
                    "{:+w$.p$}%",
                    100.0 * (one - two),
                    p = digits.saturating_sub(1)
                )
            }
            // The original writes a plus before every number here.
            (Some((one, two)), false) if self.strict => {
                format!("+{:w$.p$}", one - two, p = digits + 1)
            }
            (Some((one, two)), false) => format!("{:+w$.p$}", one - two, p = digits + 1),
        }
    }

    /// Formats the difference of a choice of the cube that is worth as much as the best one, `like` one of the two.
    pub(super) fn no_difference(&self, like: Equities) -> String {
        let (w, digits) = (self.digits + 3, self.digits);
        // The original writes a minus before such a zero.
        let zero = if self.strict { -0.0_f64 } else { 0.0 };
        match (like.mwc.is_some() && self.mwc, self.match_percent) {
            (false, _) => self.equity(zero),
            (true, true) => format!("{zero:+w$.p$}%", p = digits.saturating_sub(1)),
            (true, false) => format!("{zero:+w$.p$}", p = digits + 1),
        }
    }

    /// Formats a probability of the game.
    pub(super) fn probability(&self, value: f32) -> String {
        let (w, digits) = (self.digits + 2, self.digits);
        match self.win_percent {
            true => format!(
                "{:w$.p$}",
                100.0 * f64::from(value),
                p = digits.saturating_sub(2)
            ),
            false => format!("{value:w$.p$}", p = digits),
        }
    }

    /// Formats the six probabilities.
    pub(super) fn chances(&self, chances: &Chances) -> String {
        let Chances {
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        } = *chances;
        let [a, b, c, d, e, f] = [
            win,
            win_gammon,
            win_backgammon,
            1.0 - win,
            lose_gammon,
            lose_backgammon,
        ]
        .map(|one| self.probability(one));
        format!("{a} {b} {c} - {d} {e} {f}")
    }
}
