//! Answers.

use crate::game::{Chances, Class, Play, Position, Roll};

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
    /// Without a cube: money equity with gammons counted, or EMG in a match.
    pub cubeless: Equities,
    /// With the cube in play; `None` when the query was cubeless.
    pub cubeful: Option<Equities>,
    /// Plies looked ahead.
    pub plies: u8,
}

/// One play of a ranking.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankedPlay {
    /// The steps.
    pub play: Play,
    /// The position after it, the opponent on roll.
    pub position: Position,
    /// What it is worth to the player who moves; cubeful unless the query was cubeless.
    pub value: Equities,
    /// Chances of the player who moves, after the play.
    pub chances: Chances,
    /// Plies at which `value` was computed.
    pub plies: u8,
}

/// The answer to a `PlayQuery`: every legal play once per resulting position, deepest evaluation
/// first, then best first. A forced pass is one play without steps.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RankedPlays {
    /// The position before the play.
    pub position: Position,
    /// The dice.
    pub roll: Roll,
    /// Never empty.
    pub plays: Vec<RankedPlay>,
    /// Plies looked ahead for the best.
    pub plies: u8,
    /// How many distinct plays there are, before `top` cut the list; 0 for a forced pass.
    pub legal: usize,
}

/// GNU Backgammon's cube verdicts; the numeric codes are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say what the texts say")]
pub enum Verdict {
    DoubleTake = 0,
    DoublePass = 1,
    NoDoubleTake = 2,
    TooGoodTake = 3,
    TooGoodPass = 4,
    DoubleBeaver = 5,
    NoDoubleBeaver = 6,
    RedoubleTake = 7,
    RedoublePass = 8,
    NoRedoubleTake = 9,
    TooGoodRedoubleTake = 10,
    TooGoodRedoublePass = 11,
    NoRedoubleBeaver = 12,
    DeadCubeDouble = 13,
    DeadCubeRedouble = 14,
    NotAvailable = 15,
    OptionalDoubleTake = 16,
    OptionalRedoubleTake = 17,
    OptionalDoubleBeaver = 18,
    OptionalDoublePass = 19,
    OptionalRedoublePass = 20,
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
    /// Whether doubling is right (optional doubles are not turned).
    pub double: bool,
    /// Whether taking is right.
    pub take: bool,
    /// Whether a beaver is right.
    pub beaver: bool,
    /// GNU Backgammon's percentage behind the verdict (wrong passes or takes needed), 0..=1.
    pub percentage: Option<f64>,
    /// Plies looked ahead.
    pub plies: u8,
}

/// How many games the player on roll may resign without giving anything up, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ResignAdvice {
    /// 0: do not resign; 1 single, 2 gammon, 3 backgammon.
    pub games: u8,
}

impl Verdict {
    /// GNU Backgammon's words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Verdict::DoubleTake => "Double, take",
            Verdict::DoublePass => "Double, pass",
            Verdict::NoDoubleTake => "No double, take",
            Verdict::TooGoodTake => "Too good to double, take",
            Verdict::TooGoodPass => "Too good to double, pass",
            Verdict::DoubleBeaver => "Double, beaver",
            Verdict::NoDoubleBeaver => "No double, beaver",
            Verdict::RedoubleTake => "Redouble, take",
            Verdict::RedoublePass => "Redouble, pass",
            Verdict::NoRedoubleTake => "No redouble, take",
            Verdict::TooGoodRedoubleTake => "Too good to redouble, take",
            Verdict::TooGoodRedoublePass => "Too good to redouble, pass",
            Verdict::NoRedoubleBeaver => "No redouble, beaver",
            Verdict::DeadCubeDouble => "Never double, take (dead cube)",
            Verdict::DeadCubeRedouble => "Never redouble, take (dead cube)",
            Verdict::NotAvailable => "Unknown cube decision",
            Verdict::OptionalDoubleTake => "Optional double, take",
            Verdict::OptionalRedoubleTake => "Optional redouble, take",
            Verdict::OptionalDoubleBeaver => "Optional double, beaver",
            Verdict::OptionalDoublePass => "Optional double, pass",
            Verdict::OptionalRedoublePass => "Optional redouble, pass",
        }
    }

    /// Whether an engine turns the cube: optional doubles are left alone.
    #[must_use]
    pub const fn doubles(self) -> bool {
        matches!(
            self,
            Verdict::DoubleTake
                | Verdict::DoublePass
                | Verdict::DoubleBeaver
                | Verdict::RedoubleTake
                | Verdict::RedoublePass
        )
    }

    /// Whether the opponent should pass.
    #[must_use]
    pub const fn passes(self) -> bool {
        matches!(
            self,
            Verdict::DoublePass
                | Verdict::RedoublePass
                | Verdict::TooGoodPass
                | Verdict::TooGoodRedoublePass
                | Verdict::OptionalDoublePass
                | Verdict::OptionalRedoublePass
        )
    }

    /// Whether the opponent should beaver.
    #[must_use]
    pub const fn beavers(self) -> bool {
        matches!(
            self,
            Verdict::DoubleBeaver
                | Verdict::NoDoubleBeaver
                | Verdict::NoRedoubleBeaver
                | Verdict::OptionalDoubleBeaver
        )
    }
}

impl std::fmt::Display for Verdict {
    /// [`Verdict::text`].
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}
