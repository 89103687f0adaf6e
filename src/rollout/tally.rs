//! What the games of one candidate add up to, in the order of their numbers.

use crate::stats::Running;

/// What one game was worth, or the mean over all games, to the player on roll at the question.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// The five chances. With the luck taken out they may leave 0..=1.
    pub(super) chances: [f64; 5],
    /// Points per unit of the question's cube, or match winning chance.
    pub(super) cubeful: f64,
}

/// The results of a candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) chances: [Running; 5],
    pub(super) cubeless: Running,
    pub(super) cubeful: Running,
}

impl Tally {
    /// Adds the next game; `cubeless` is what its chances are worth without the cube.
    pub(super) fn add(&mut self, sample: &Sample, cubeless: f64) {
        for (running, &chance) in self.chances.iter_mut().zip(&sample.chances) {
            running.add(chance);
        }
        self.cubeless.add(cubeless);
        self.cubeful.add(sample.cubeful);
    }

    /// Games counted.
    pub(super) fn games(&self) -> u32 {
        u32::try_from(self.cubeless.count()).unwrap_or(u32::MAX)
    }
}
