//! The share of the people of three rates who find the best choice, beside a mistake.

use super::People;
use crate::query::{CubeAnswer, CubeQuery, RankedPlays};

impl People {
    /// Error rates of the people beside whom a mistake is shown.
    pub const COACHED: [f64; 3] = [4.0, 8.0, 15.0];

    /// Returns the shares of the people of [`People::COACHED`] who find the first of all plays of a roll, the best
    /// one.
    #[must_use]
    pub fn find_play(&self, ranked: &RankedPlays) -> [f64; 3] {
        let of_first = |pr| self.shares_in(ranked, pr).first().copied();
        People::COACHED.map(|pr| of_first(pr).unwrap_or(0.0))
    }

    /// Returns the shares of the people of [`People::COACHED`] who act on the cube as `does` reads from those who double
    /// and take.
    #[must_use]
    pub fn find_cube_action(
        &self,
        query: &CubeQuery,
        answer: &CubeAnswer,
        does: impl Fn([f64; 2]) -> f64,
    ) -> [f64; 3] {
        People::COACHED.map(|pr| does(self.cube_shares(query, answer, pr)))
    }
}
