//! The cube decision of a position, or the plays of a roll, at every score of a match, with what the choice for money
//! would cost there.

use super::{CubeAnswer, RankedPlays};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, Variant};

/// A query for all scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoresQuery {
    /// The position.
    pub position: Position,
    /// The cube, at every score.
    pub cube: Cube,
    /// Rules of the decision for money.
    pub rules: Rules,
    /// The variant.
    pub variant: Variant,
    /// Largest number of points that a player needs, at most [`ScoresQuery::AWAY_MAX`].
    pub away: u8,
}

impl ScoresQuery {
    /// Least value of [`ScoresQuery::away`].
    pub const AWAY_MIN: u8 = 2;
    /// Maximum of [`ScoresQuery::away`].
    pub const AWAY_MAX: u8 = 64;
    /// [`ScoresQuery::away`] where nothing is set.
    pub const AWAY: u8 = 7;

    /// Returns the state for money.
    #[must_use]
    pub fn money(&self) -> MatchState {
        MatchState {
            cube: self.cube,
            variant: self.variant,
            ..MatchState::money(self.rules)
        }
    }

    /// Returns the states at the scores, those at which the player on roll needs the fewest points first, and of these
    /// those at which the opponent does. A player who needs one point is past the Crawford game: no cube is turned in it.
    #[must_use]
    pub fn states(&self) -> Vec<MatchState> {
        let all = self.all_away();
        all.filter_map(|away| self.state(away, false)).collect()
    }

    /// Returns the states of [`ScoresQuery::states`] and, before that of the same score past the Crawford game, each one of
    /// the Crawford game; those are missing when the cube is turned.
    #[must_use]
    pub fn states_with_crawford(&self) -> Vec<MatchState> {
        let states = |away: (u32, u32)| {
            let is_crawford =
                (away.0 == 1) != (away.1 == 1) && self.cube.owner() == CubeOwner::Centred;
            let crawford = is_crawford.then(|| self.state(away, true)).flatten();
            crawford.into_iter().chain(self.state(away, false))
        };
        self.all_away().flat_map(states).collect()
    }

    /// Returns the numbers of points that both players need.
    fn all_away(&self) -> impl Iterator<Item = (u32, u32)> {
        let away = u32::from(
            self.away
                .clamp(ScoresQuery::AWAY_MIN, ScoresQuery::AWAY_MAX),
        );
        (1..=away).flat_map(move |mine| (1..=away).map(move |theirs| (mine, theirs)))
    }

    fn state(&self, (mine, theirs): (u32, u32), crawford: bool) -> Option<MatchState> {
        let length = mine.max(theirs);
        let score = Score::new(length, length - mine, length - theirs, crawford).ok()?;
        Some(MatchState {
            cube: self.cube,
            score,
            variant: self.variant,
            ..MatchState::default()
        })
    }
}

/// The cube decision at a score.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoreCell {
    /// The score, seen by the player on roll.
    pub score: Score,
    /// The decision.
    pub cube: CubeAnswer,
    /// Loss, in EMG, of doubling or not doubling as for money; the opponent answers as is right at the score.
    pub double_error: f64,
    /// Loss of the opponent, in EMG of the player on roll, by taking or passing a double as for money; 0 where the cube may
    /// not be turned.
    pub take_error: f64,
    /// Gammon values of the player on roll and of the opponent at this cube (MET-10): what a gammon adds to a win, per what
    /// a win adds to a loss; 0.5 for money.
    pub gammon_values: [f64; 2],
    /// Least chance to win with which the opponent may take, if there were no gammons and the cube were not turned again;
    /// `None` where winning and losing with the doubled cube are worth the same.
    pub take_point: Option<f64>,
}

/// The cube decisions of a position at all scores.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScoresAnswer {
    /// The position before the roll.
    pub position: Position,
    /// The decision for money, with the same cube.
    pub money: CubeAnswer,
    /// The decisions in the order of [`ScoresQuery::states`].
    pub cells: Vec<ScoreCell>,
    /// Plies of look-ahead.
    pub plies: u8,
}

/// The plays of a roll at a score.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScorePlays {
    /// The score, seen by the player on roll.
    pub score: Score,
    /// The best play there and the one for money, if that is another.
    pub plays: RankedPlays,
    /// Loss, in EMG, of the best play for money.
    pub money_error: f64,
    /// As in [`ScoreCell`].
    pub gammon_values: [f64; 2],
}

/// The best plays of a roll at all scores.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ScorePlaysAnswer {
    /// The position before the play.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
    /// The best play for money, with the same cube.
    pub money: RankedPlays,
    /// The plays in the order of [`ScoresQuery::states_with_crawford`].
    pub cells: Vec<ScorePlays>,
    /// Plies of look-ahead.
    pub plies: u8,
}
