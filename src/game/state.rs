//! The cube, the score and the rules: everything of a match but the checkers.

use crate::{Margin, Variant};
use serde::{Deserialize, Serialize};

/// The player who may turn the cube, seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CubeOwner {
    /// No owner: both players may double.
    #[default]
    Centred,
    /// The player on roll.
    Me,
    /// The other player.
    Opponent,
}

impl CubeOwner {
    /// Returns the owner seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> CubeOwner {
        match self {
            CubeOwner::Centred => CubeOwner::Centred,
            CubeOwner::Me => CubeOwner::Opponent,
            CubeOwner::Opponent => CubeOwner::Me,
        }
    }
}

/// The doubling cube: a power of two, 1 to 4096, and its owner.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    value: u16,
    owner: CubeOwner,
}

impl Cube {
    /// A centred cube of value 1.
    pub const CENTRED: Cube = Cube {
        value: 1,
        owner: CubeOwner::Centred,
    };
    /// The largest cube value accepted.
    pub const MAX: u16 = 4096;

    /// Returns a cube of this value.
    ///
    /// # Errors
    /// [`MatchStateError::CubeValue`] when it is not a power of two or above [`Cube::MAX`].
    pub const fn new(value: u32, owner: CubeOwner) -> Result<Cube, MatchStateError> {
        if !value.is_power_of_two() || value > Cube::MAX as u32 {
            return Err(MatchStateError::CubeValue(value));
        }
        Ok(Cube {
            value: value as u16,
            owner,
        })
    }

    /// Returns the points of a plain game at this cube.
    #[must_use]
    pub const fn value(self) -> u32 {
        self.value as u32
    }

    /// Returns the owner of the cube.
    #[must_use]
    pub const fn owner(self) -> CubeOwner {
        self.owner
    }

    /// Returns the cube seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> Cube {
        Cube {
            value: self.value,
            owner: self.owner.swapped(),
        }
    }
}

/// The score of a match, or money play when `length` is 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Score {
    length: u8,
    me: u8,
    opponent: u8,
    crawford: bool,
}

impl Score {
    /// Money play: no score matters.
    pub const MONEY: Score = Score {
        length: 0,
        me: 0,
        opponent: 0,
        crawford: false,
    };
    /// The longest match accepted, in points.
    pub const LENGTH_MAX: u8 = 255;

    /// Returns a match to `length` points (1..=255) with these scores; `crawford` is true if this game is the
    /// Crawford game. Length 0 is money play, with scores 0 and no Crawford game.
    ///
    /// # Errors
    /// [`MatchStateError`] names the fault.
    pub const fn new(
        length: u32,
        me: u32,
        opponent: u32,
        crawford: bool,
    ) -> Result<Score, MatchStateError> {
        if length > Score::LENGTH_MAX as u32 {
            return Err(MatchStateError::Length(length));
        }
        if length == 0 {
            if me != 0 || opponent != 0 {
                return Err(MatchStateError::MoneyScore);
            }
            if crawford {
                return Err(MatchStateError::MoneyCrawford);
            }
            return Ok(Score::MONEY);
        }
        if me >= length || opponent >= length {
            let score = if me >= length { me } else { opponent };
            return Err(MatchStateError::Score { score, length });
        }
        if crawford && (me + 1 == length) == (opponent + 1 == length) {
            return Err(MatchStateError::Crawford);
        }
        Ok(Score {
            length: length as u8,
            me: me as u8,
            opponent: opponent as u8,
            crawford,
        })
    }

    /// Creates a score like [`Score::new`], but drops a Crawford flag at a score at which no Crawford game is played,
    /// as GNU Backgammon does.
    ///
    /// # Errors
    /// [`MatchStateError`] names what cannot be.
    pub const fn lenient(
        length: u32,
        me: u32,
        opponent: u32,
        crawford: bool,
    ) -> Result<Score, MatchStateError> {
        match Score::new(length, me, opponent, crawford) {
            Err(MatchStateError::Crawford) => Score::new(length, me, opponent, false),
            result => result,
        }
    }

    /// Returns the points to play to; 0 for money.
    #[must_use]
    pub const fn length(self) -> u32 {
        self.length as u32
    }

    /// Returns true if this is money play.
    #[must_use]
    pub const fn is_money(self) -> bool {
        self.length == 0
    }

    /// Returns the points of the player on roll.
    #[must_use]
    pub const fn me(self) -> u32 {
        self.me as u32
    }

    /// Returns the points of the other player.
    #[must_use]
    pub const fn opponent(self) -> u32 {
        self.opponent as u32
    }

    /// Returns the points that the player on roll still needs (at least 1 in a match, 0 for money).
    #[must_use]
    pub const fn my_away(self) -> u32 {
        (self.length - self.me) as u32
    }

    /// Returns the points that the other player still needs (at least 1 in a match, 0 for money).
    #[must_use]
    pub const fn opponent_away(self) -> u32 {
        (self.length - self.opponent) as u32
    }

    /// Returns true in the Crawford game.
    #[must_use]
    pub const fn is_crawford(self) -> bool {
        self.crawford
    }

    /// Returns true if the Crawford game of this match has been played: one player is 1-away and this is not the
    /// Crawford game.
    #[must_use]
    pub const fn is_post_crawford(self) -> bool {
        self.length > 0 && !self.crawford && (self.my_away() == 1 || self.opponent_away() == 1)
    }

    /// Returns the score seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> Score {
        Score {
            length: self.length,
            me: self.opponent,
            opponent: self.me,
            crawford: self.crawford,
        }
    }
}

/// Optional rules of money play; they mean nothing in a match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Rules {
    /// True if gammons count only after the cube has been turned.
    pub jacoby: bool,
    /// True if beavers are allowed.
    pub beavers: bool,
}

impl Default for Rules {
    /// Returns GNU Backgammon's default rules: Jacoby and beavers.
    fn default() -> Self {
        Rules {
            jacoby: true,
            beavers: true,
        }
    }
}

/// Cube, score, rules and variant, seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MatchState {
    /// The cube.
    pub cube: Cube,
    /// The score.
    pub score: Score,
    /// The rules of money play.
    pub rules: Rules,
    /// The variant that is played.
    pub variant: Variant,
}

impl MatchState {
    /// Returns money play with a centred cube of 1.
    #[must_use]
    pub const fn money(rules: Rules) -> MatchState {
        MatchState {
            cube: Cube::CENTRED,
            score: Score::MONEY,
            rules,
            variant: Variant::Backgammon,
        }
    }

    /// Returns the state of a game of a variant.
    #[must_use]
    pub const fn with_variant(self, variant: Variant) -> MatchState {
        MatchState { variant, ..self }
    }

    /// Returns the state seen by the other player.
    #[must_use]
    pub const fn swapped(self) -> MatchState {
        MatchState {
            cube: self.cube.swapped(),
            score: self.score.swapped(),
            ..self
        }
    }

    /// Returns the points of a game that ends with this margin: times the cube, and by Jacoby's rule a single game while
    /// the cube of a money game has not been turned.
    #[must_use]
    pub fn points(self, margin: Margin) -> u32 {
        let centred = self.cube.owner() == CubeOwner::Centred;
        let single = self.score.is_money() && self.rules.jacoby && centred;
        let margin = if single { Margin::Single } else { margin };
        margin as u32 * self.cube.value()
    }
}

impl Default for MatchState {
    fn default() -> Self {
        MatchState::money(Rules::default())
    }
}

/// An impossible cube or score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchStateError {
    /// The value is not a power of two, or too large.
    #[error("cube is {0}, expected a power of two from 1 to 4096")]
    CubeValue(u32),
    /// Too long a match.
    #[error("match length is {0}, expected 0 (money) to 255")]
    Length(u32),
    /// A score at or above the match length.
    #[error("score {score} is not below the match length {length}")]
    Score {
        /// The score given.
        score: u32,
        /// The match length.
        length: u32,
    },
    /// A score in money play.
    #[error("a score needs a match length, which is 0 (money)")]
    MoneyScore,
    /// Crawford in money play.
    #[error("Crawford needs a match length, which is 0 (money)")]
    MoneyCrawford,
    /// Crawford at a score where it cannot be.
    #[error("crawford is set but not exactly one side is 1-away")]
    Crawford,
    /// A turned cube in the Crawford game.
    #[error("crawford is set but the cube has been turned")]
    CrawfordCube,
}
