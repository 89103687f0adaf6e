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
    /// Upper limit for positions of the two-sided table, in a match.
    pub exact_max: f64,
}

impl Default for CubeEfficiency {
    fn default() -> Self {
        CubeEfficiency::GNUBG
    }
}

impl CubeEfficiency {
    /// GNU Backgammon's, version 1.07, where the nets know no better; its own weights do not.
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

    /// GNU Backgammon's development version of 2025, for searches of 0 or 1 ply.
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

    /// Returns the efficiency for a class; `pips` is the pip count of the side on roll, looked at in races only.
    #[must_use]
    pub fn of(&self, class: Class, pips: u32) -> f64 {
        match class {
            Class::Over => 0.0,
            Class::Bearoff2 | Class::BearoffTs => self.exact_max,
            Class::Bearoff1 | Class::BearoffOs => self.bearoff,
            Class::Race => (self.race_base + self.race_per_pip * f64::from(pips))
                .clamp(self.race_min, self.race_max),
            Class::Crashed => self.crashed,
            Class::Contact => self.contact,
        }
    }
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
