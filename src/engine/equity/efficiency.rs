//! Cube efficiency by class of position (CUBE-06).

use gammond_game::Class;

/// The share of live-cube equity in Janowski's interpolation (1993), by class. 0 is a dead cube, 1 a
/// perfectly live one.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CubeEfficiency {
    /// True if nets with cube life by position (CUBE-12) may override the values below, which then apply only where the
    /// nets have none.
    pub by_position: bool,
    /// Positions with contact.
    pub contact: f64,
    /// Crashed positions.
    pub crashed: f64,
    /// Races outside the tables, before the pip count is added.
    pub race_base: f64,
    /// Added per pip of the side on roll in a race.
    pub race_per_pip: f64,
    /// The least in a race.
    pub race_min: f64,
    /// The most in a race.
    pub race_max: f64,
    /// Positions of the one-sided bearoff table.
    pub bearoff: f64,
    /// Upper limit for positions of the two-sided table, in a match; that of hypergammon's tables.
    pub exact_max: f64,
}

impl Default for CubeEfficiency {
    fn default() -> Self {
        CubeEfficiency::GNUBG
    }
}

impl CubeEfficiency {
    /// GNU Backgammon's, version 1.07, where the nets have none of their own; its own weights have none.
    pub const GNUBG: CubeEfficiency = CubeEfficiency {
        by_position: true,
        contact: 0.68,
        crashed: 0.68,
        race_base: 0.55,
        race_per_pip: 0.00125,
        race_min: 0.60,
        race_max: 0.70,
        bearoff: 0.60,
        exact_max: 0.60,
    };

    /// Returns the efficiencies of GNU Backgammon's development version of 2025, for searches of 0 or 1 ply.
    #[must_use]
    pub fn recent() -> CubeEfficiency {
        CubeEfficiency {
            by_position: false,
            contact: 0.76,
            crashed: 0.76,
            race_base: 0.60,
            race_per_pip: 0.0025,
            race_max: 0.80,
            ..CubeEfficiency::default()
        }
    }

    /// Returns the efficiency for a class; `pips` is the pip count of the side on roll, used in races only.
    #[must_use]
    pub fn of(&self, class: Class, pips: u32) -> f64 {
        match class {
            Class::Over => 0.0,
            Class::Hypergammon | Class::Bearoff2 | Class::BearoffTs => self.exact_max,
            Class::Bearoff1 | Class::BearoffOs => self.bearoff,
            Class::Race => (self.race_base + self.race_per_pip * f64::from(pips))
                .clamp(self.race_min, self.race_max),
            Class::Crashed => self.crashed,
            Class::Contact => self.contact,
        }
    }
}

/// Efficiencies of bear-offs above the two-sided table (CUBE-15), for a cube of the player on roll, a centred one and one of
/// the opponent's: factors of `W^0` to `W^3`, then of these times `u`, then times `u^2`.
const BEAROFF_LIFE: [[[f64; 4]; 3]; 3] = [
    [
        [-0.016, 11.049, -28.375, 19.645],
        [7.883, -119.672, 301.170, -202.788],
        [-28.022, 307.756, -729.833, 476.832],
    ],
    [
        [2.908, -14.311, 17.911, -4.306],
        [-21.640, 157.220, -216.415, 68.816],
        [38.524, -287.590, 366.043, -92.416],
    ],
    [
        [2.615, -15.733, 37.036, -24.845],
        [-16.672, 158.019, -393.754, 270.474],
        [29.775, -307.726, 800.820, -571.016],
    ],
];

/// Range of the inverse of the mean number of rolls for which the factors hold.
const INVERSE_ROLLS: (f64, f64) = (0.12, 0.27);

/// Largest efficiency of a bear-off: near the middle a centred cube is worth more than by Janowski's live line.
const BEAROFF_LIFE_MAX: f64 = 1.2;

/// Returns the efficiency in a bear-off above the two-sided table by the chance to win of the player on roll and the mean
/// numbers of rolls of both sides (CUBE-15).
pub(crate) fn bearoff_life(win: f64, [mine, theirs]: [f32; 2]) -> [f64; 3] {
    let (least, most) = INVERSE_ROLLS;
    let u = (2.0 / f64::from(mine + theirs).max(1.0)).clamp(least, most);
    let cubic = |factors: &[f64; 4]| {
        let terms = factors.iter().rev();
        terms.fold(0.0, |sum, factor| sum * win + factor)
    };
    BEAROFF_LIFE.map(|[plain, by_u, by_square]| {
        let sum = cubic(&plain) + u * (cubic(&by_u) + u * cubic(&by_square));
        sum.clamp(0.0, BEAROFF_LIFE_MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn races_count_pips() {
        let table = CubeEfficiency::default();
        assert!((table.of(Class::Race, 80) - 0.65).abs() < 1e-12);
        assert_eq!(table.of(Class::Race, 20), 0.60);
        assert_eq!(table.of(Class::Race, 150), 0.70);
        assert_eq!(table.of(Class::Over, 0), 0.0);
    }
}
