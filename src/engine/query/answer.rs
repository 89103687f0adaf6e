//! Answers.

pub use gammond_game::Verdict;
use gammond_game::{Chances, Class, Play, Position, Roll};

/// A value in the units users meet. Money: points per unit of the current cube. Match: `equity`
/// is EMG at the current cube, and `mwc` is the match winning chance (0..=1).
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Equities {
    /// Points (money) or EMG (match).
    pub equity: f64,
    /// Match winning chance; `None` in money play.
    pub mwc: Option<f64>,
}

/// The answer to an `EvalQuery`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// The position's class.
    pub class: Class,
    /// Chances of the player on roll.
    pub chances: Chances,
    /// Equities without a cube: money equity with gammons counted, or EMG in a match.
    pub cubeless: Equities,
    /// Equities with the cube in play; `None` when the query was cubeless.
    pub cubeful: Option<Equities>,
    /// Plies of look-ahead.
    pub plies: u8,
}

/// One play of a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPlay {
    /// The steps.
    pub play: Play,
    /// The position after it, the opponent on roll.
    pub position: Position,
    /// Value to the player who moves; cubeful unless the query was cubeless.
    pub value: Equities,
    /// Chances of the player who moves, after the play.
    pub chances: Chances,
    /// Plies at which `value` was computed.
    pub plies: u8,
}

/// The answer to a `PlayQuery`: every legal play once per resulting position, deepest evaluation
/// first, then best first. A forced pass is one play without steps.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedPlays {
    /// The position before the play.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
    /// The ranked plays; never empty.
    pub plays: Vec<RankedPlay>,
    /// Plies of look-ahead for the best.
    pub plies: u8,
    /// Number of distinct plays, before `top` cut the list; 0 for a forced pass.
    pub legal: usize,
    /// The choice of people, if one was asked for: the first play is the chosen one then.
    pub people: Option<Box<PeopleChoice>>,
}

/// The choice of people of an error rate among the plays of a roll.
#[derive(Clone, Debug, PartialEq)]
pub struct PeopleChoice {
    /// The best play.
    pub best: RankedPlay,
    /// Shares of the people who choose each of the listed plays, 0 to 1.
    pub shares: Vec<f64>,
}

/// The choice of people of an error rate about the cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeShares {
    /// Share of the people who double, 0 to 1.
    pub double: f64,
    /// Share of the people who take, 0 to 1.
    pub take: f64,
    /// Share of the people who resign instead of rolling, 0 to 1.
    pub resign: f64,
    /// The number of games that one of them resigns: 0 to play on, 1 single, 2 gammon, 3 backgammon.
    pub resigns: u8,
}

impl RankedPlay {
    /// Returns the equity that this play loses beside the best one: nothing where both are equal by
    /// [`settled`].
    #[must_use]
    pub fn loss(&self, best: &RankedPlay) -> f64 {
        let lost = best.value.equity - self.value.equity;
        match self.equals(best) {
            true => 0.0,
            false => lost.max(0.0),
        }
    }

    /// Returns whether the two plays settle the game in the same way and are worth the same (PLY-13).
    #[must_use]
    pub fn equals(&self, other: &RankedPlay) -> bool {
        let end = |play: &RankedPlay| settled(&play.position, &play.chances);
        let near = (self.value.equity - other.value.equity).abs() <= SETTLED_TIE;
        near && end(self).is_some() && end(self) == end(other)
    }
}

/// Largest difference of equities at which plays of a settled game are equal.
pub const SETTLED_TIE: f64 = 0.0001;

/// Winning chance from which a win counts as certain; nets and averages leave a small remainder.
const CERTAIN: f32 = 0.999;

/// Returns whether a race is won (`true`) or lost for certain after a play with these chances of the
/// player who made it; `None` while anything can happen.
#[must_use]
pub fn settled(after: &Position, chances: &Chances) -> Option<bool> {
    let certain = chances.win >= CERTAIN || chances.win <= 1.0 - CERTAIN;
    (certain && !after.has_contact()).then_some(chances.win >= CERTAIN)
}

impl RankedPlays {
    /// Returns the best play.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a ranking is never empty")]
    pub fn best(&self) -> &RankedPlay {
        match &self.people {
            Some(people) => &people.best,
            None => &self.plays[0],
        }
    }

    /// Returns the play to make: the best one, or the one that people choose.
    #[must_use]
    #[expect(clippy::indexing_slicing, reason = "a ranking is never empty")]
    pub fn chosen(&self) -> &RankedPlay {
        &self.plays[0]
    }

    /// Returns the share of the people who choose the listed play with this number; `None` without a choice of people.
    #[must_use]
    pub fn share(&self, number: usize) -> Option<f64> {
        self.people.as_ref()?.shares.get(number).copied()
    }

    /// Keeps the best play and those to these positions.
    pub(crate) fn keep_best_and(&mut self, listed: &[Position]) {
        let mut is_best = true;
        let is_kept =
            |play: &RankedPlay| std::mem::take(&mut is_best) || listed.contains(&play.position);
        let kept: Vec<bool> = self.plays.iter().map(is_kept).collect();
        let next = |kept: &mut std::slice::Iter<'_, bool>| kept.next().is_some_and(|&kept| kept);
        let mut of_plays = kept.iter();
        self.plays.retain(|_| next(&mut of_plays));
        if let Some(people) = &mut self.people {
            let mut of_shares = kept.iter();
            people.shares.retain(|_| next(&mut of_shares));
        }
    }
}

/// The 21 rolls of a position, each with its best play.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RollsAnswer {
    /// The position before the roll.
    pub position: Position,
    /// The rolls with their best plays alone, the best roll first.
    pub rolls: Vec<RankedPlays>,
    /// Mean of the values over the 36 throws of the dice.
    pub mean: Equities,
    /// Standard deviation of the equity over the 36 throws.
    pub deviation: f64,
    /// Share of the 1,296 exchanges (a roll of each player, both played their best way) after which the opponent must
    /// pass a double or the game is won, evaluated without look-ahead; `None` if the player may not double, or no
    /// cube is in use.
    pub market_losers: Option<f64>,
    /// Plies of look-ahead.
    pub plies: u8,
}

/// The answer to a `CubeQuery`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CubeAnswer {
    /// Chances of the player on roll at the depth searched.
    pub chances: Chances,
    /// Cubeless value (money: gammons always counted).
    pub cubeless: Equities,
    /// Value of not doubling.
    pub no_double: Equities,
    /// Value of doubling when the opponent takes.
    pub double_take: Equities,
    /// Value of doubling when the opponent passes.
    pub double_pass: Equities,
    /// Value of the best action of both.
    pub optimal: Equities,
    /// GNU Backgammon's verdict.
    pub verdict: Verdict,
    /// True if doubling is right (optional doubles are not turned).
    pub double: bool,
    /// True if taking is right.
    pub take: bool,
    /// True if a beaver is right.
    pub beaver: bool,
    /// GNU Backgammon's percentage behind the verdict (wrong passes or takes needed), 0..=1.
    pub percentage: Option<f64>,
    /// The choice of people, if one was asked for: `double` and `take` are theirs then.
    pub people: Option<Box<CubeShares>>,
    /// Plies of look-ahead.
    pub plies: u8,
}

/// Number of games that the player on roll may resign without loss, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ResignAdvice {
    /// 0: do not resign; 1 single, 2 gammon, 3 backgammon.
    pub games: u8,
}
