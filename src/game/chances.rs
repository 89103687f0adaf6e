//! The five numbers every evaluator gives.

use serde::{Deserialize, Serialize};

/// Probabilities of the results of a game for the player on roll, cumulative: `win` counts every
/// win, `win_gammon` gammons and backgammons, and likewise for losses. Each is in 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chances {
    /// Any win.
    pub win: f32,
    /// A win by a gammon or backgammon.
    pub win_gammon: f32,
    /// A win by a backgammon.
    pub win_backgammon: f32,
    /// A loss by a gammon or backgammon.
    pub lose_gammon: f32,
    /// A loss by a backgammon.
    pub lose_backgammon: f32,
}

impl Chances {
    /// Creates chances from win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[inline]
    #[must_use]
    pub const fn from_array(values: [f32; 5]) -> Chances {
        let [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ] = values;
        Chances {
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        }
    }

    /// Returns win, win gammon, win backgammon, lose gammon, lose backgammon.
    #[inline]
    #[must_use]
    pub const fn to_array(self) -> [f32; 5] {
        [
            self.win,
            self.win_gammon,
            self.win_backgammon,
            self.lose_gammon,
            self.lose_backgammon,
        ]
    }

    /// Returns the same chances seen by the other player.
    #[inline]
    #[must_use]
    pub const fn inverted(self) -> Chances {
        Chances {
            win: 1.0 - self.win,
            win_gammon: self.lose_gammon,
            win_backgammon: self.lose_backgammon,
            lose_gammon: self.win_gammon,
            lose_backgammon: self.win_backgammon,
        }
    }

    /// Cubeless money equity in points, -3..=3, gammons counted.
    #[inline]
    #[must_use]
    pub const fn equity(self) -> f32 {
        2.0 * self.win - 1.0 + self.win_gammon + self.win_backgammon
            - self.lose_gammon
            - self.lose_backgammon
    }
}
