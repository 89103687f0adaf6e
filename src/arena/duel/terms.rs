//! Stakes of games, and the actions in them.

use gammond_game::{Position, Roll, Rules, StartPositions, Variant};

/// Stakes of a duel's games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuelTerms {
    /// Points of single games, without a cube: 1, 2 or 3.
    #[default]
    Cubeless,
    /// Points of single games with the cube.
    Money(Rules),
    /// Matches to so many points (1 to 255) with the cube and the Crawford game; what counts is who wins the match.
    Match(u8),
}

impl DuelTerms {
    /// Returns true if players need cube decisions.
    #[must_use]
    pub(crate) const fn has_cube(self) -> bool {
        !matches!(self, DuelTerms::Cubeless)
    }

    /// Returns the name of the unit that is played, in the plural.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            DuelTerms::Cubeless | DuelTerms::Money(_) => "games",
            DuelTerms::Match(_) => "matches",
        }
    }

    /// Describes the terms, for people and for headers of jobs; `None` for cubeless games.
    #[must_use]
    pub fn text(self) -> Option<String> {
        match self {
            DuelTerms::Cubeless => None,
            DuelTerms::Money(rules) => Some(format!("money with the cube, {}", rules_text(rules))),
            DuelTerms::Match(length) => Some(format!("matches to {length} points")),
        }
    }

    /// Returns the length that the FIBS formula wants: a single game counts as a match to one point.
    #[must_use]
    pub const fn length(self) -> u8 {
        match self {
            DuelTerms::Cubeless | DuelTerms::Money(_) => 1,
            DuelTerms::Match(length) => length,
        }
    }
}

/// Names the rules of money games, for people.
#[must_use]
pub fn rules_text(rules: Rules) -> String {
    let jacoby = if rules.jacoby { "Jacoby" } else { "no Jacoby" };
    let beavers = if rules.beavers { ", beavers" } else { "" };
    format!("{jacoby}{beavers}")
}

/// What is played: the stakes, the variant, and the positions at which games begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contest<'a> {
    pub(super) terms: DuelTerms,
    pub(super) variant: Variant,
    pub(super) starts: &'a StartPositions,
}

/// One roll and its play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedTurn {
    /// Place of the player among the game's players, 0 or 1.
    pub player: usize,
    /// The position before it, seen by that player.
    pub before: Position,
    /// The roll.
    pub roll: Roll,
    /// The position after it, the other player on roll.
    pub after: Position,
}

/// Action of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuelAction {
    /// Rolled and played.
    Played(PlayedTurn),
    /// Turned the cube to this value.
    Doubled(usize, u32),
    /// Turned the other player's cube in answer, to this value, and keeps it if the other takes; a raccoon is such an answer
    /// to a beaver.
    Beavered(usize, u32),
    /// Took the cube.
    Took(usize),
    /// Passed, and lost the game.
    Passed(usize),
}

impl DuelAction {
    /// Returns the same with the players' places exchanged, or not.
    #[must_use]
    pub(super) fn exchanged(self, exchanged: bool) -> DuelAction {
        let other = |player: usize| if exchanged { 1 - player } else { player };
        match self {
            DuelAction::Played(turn) => DuelAction::Played(PlayedTurn {
                player: other(turn.player),
                ..turn
            }),
            DuelAction::Doubled(player, value) => DuelAction::Doubled(other(player), value),
            DuelAction::Beavered(player, value) => DuelAction::Beavered(other(player), value),
            DuelAction::Took(player) => DuelAction::Took(other(player)),
            DuelAction::Passed(player) => DuelAction::Passed(other(player)),
        }
    }
}

/// A finished game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayedGame {
    /// Points of both players before it, in the match that it belongs to.
    pub scores: [u32; 2],
    /// The position at which it began, seen by the player who acted first; `None` for the start of the variant.
    pub start: Option<Position>,
    /// Actions of both players, in order.
    pub actions: Vec<DuelAction>,
    /// Points that the first player won, negative when lost; 0 for a game that was abandoned as too long, or failed.
    pub points: i32,
}
