//! Values one play ahead, by an evaluator.

use super::game_settings::{GameSettings, kind};
use gammond_engine::eval::Evaluator;
use gammond_engine::search::{JudgedReply, OnePly, OnePlyResult, Scratch};
use gammond_game::{Chances, Class, Position, Roll};

/// Looks one play ahead with an evaluator, and uses the tables' answers.
#[derive(Clone, Copy, Debug)]
pub struct OnePlyEvaluator<'a> {
    evaluator: &'a dyn Evaluator,
}

impl<'a> OnePlyEvaluator<'a> {
    /// Judges with `evaluator`.
    #[must_use]
    pub fn new(evaluator: &'a dyn Evaluator) -> OnePlyEvaluator<'a> {
        OnePlyEvaluator { evaluator }
    }

    /// Returns the exact chances of a position that needs no net.
    pub(super) fn exact(&self, position: &Position) -> Option<Chances> {
        kind(position)
            .is_none()
            .then(|| self.static_chances(position))
    }

    /// Returns the static chances of a position.
    #[must_use]
    pub fn static_chances(&self, position: &Position) -> Chances {
        let mut out = [Chances::default()];
        self.evaluator
            .evaluate(None, std::slice::from_ref(position), &mut out);
        out[0]
    }

    /// Returns the value of a race from a table in a folder, if one covers it. A net is trained for such races; the
    /// table is exact, so no look-ahead is needed.
    pub(super) fn table(&self, position: &Position) -> Option<[f32; 5]> {
        let class = self.evaluator.class(position);
        matches!(class, Class::BearoffOs | Class::BearoffTs)
            .then(|| self.static_chances(position).to_array())
    }

    /// Returns the mean over the rolls, and the plays of one.
    pub(super) fn ahead(
        &self,
        position: &Position,
        roll: Roll,
        settings: &GameSettings,
        scratch: &mut Scratch,
    ) -> OnePlyResult {
        let one = self.one(settings);
        let Some(mean) = self.table(position) else {
            return one.ahead(position, roll, scratch);
        };
        let ranked = one.ranked(position, roll, scratch);
        OnePlyResult {
            mean,
            drawn: ranked.first().map_or(mean, |best| best.chances.to_array()),
            ranked,
        }
    }

    pub(super) fn mean(
        &self,
        position: &Position,
        settings: &GameSettings,
        scratch: &mut Scratch,
    ) -> [f32; 5] {
        (self.table(position)).unwrap_or_else(|| self.one(settings).mean(position, scratch))
    }

    pub(super) fn one(&self, settings: &GameSettings) -> OnePly<'a> {
        OnePly::new(self.evaluator, settings.filter())
    }

    /// Returns the best play of a roll and its static chances for the mover.
    #[must_use]
    pub fn best(
        &self,
        position: &Position,
        roll: Roll,
        settings: &GameSettings,
        scratch: &mut Scratch,
    ) -> JudgedReply {
        self.one(settings).best(position, roll, scratch)
    }

    /// Returns the 1-ply value of a position for the player on roll.
    #[must_use]
    pub fn one_ply(
        &self,
        position: &Position,
        settings: &GameSettings,
        scratch: &mut Scratch,
    ) -> Chances {
        match self.exact(position) {
            Some(chances) => chances,
            None => Chances::from_array(self.mean(position, settings, scratch)),
        }
    }
}
