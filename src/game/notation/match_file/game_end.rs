//! The end of a game: which points its cube gives, and what other points mean. Rules MAT-50 and MAT-83 of
//! `protocol-specs/match-files.md`.

use super::record::{MatAction, MatGame, MatPlayer};
use crate::{Cube, Game, GamePhase};

/// Points that eXtreme Gammon adds to a game that the players settled.
pub(super) const SETTLED: u32 = 1000;

/// The state in which a game ended, which decides what its points mean.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GameEnd {
    /// Value of the cube.
    pub(super) cube: u32,
    /// True if a double is not answered.
    pub(super) doubled: bool,
    /// True if the board or a pass ended the game, or a fault hides its end: then its points mean nothing.
    pub(super) plain: bool,
    /// Points that either player needs for the match; 0 in money play.
    pub(super) needed: [u32; 2],
}

impl GameEnd {
    /// Returns the end of a game in a match to `length` points; `is_over`: the board ended it.
    pub(super) fn of(game: &MatGame, length: u32, is_over: bool) -> GameEnd {
        let mut played = Game::default();
        for &(player, action) in &game.actions {
            match (action, action.act()) {
                (MatAction::SetUp(set_up), _) => {
                    let cube = set_up.cube(player).unwrap_or(Cube::CENTRED);
                    played.set_up(player.index(), set_up.position, cube);
                }
                (_, Some(act)) => _ = played.follow(player.index(), act),
                _ => {}
            }
        }
        let dropped = matches!(game.actions.last(), Some((_, MatAction::Drop)));
        GameEnd {
            cube: played.stake(),
            doubled: matches!(played.phase(), GamePhase::Answer(_)),
            plain: is_over || dropped,
            needed: game.scores.map(|score| length.saturating_sub(score)),
        }
    }

    /// Returns true if the cube gives the winner these points, or they are cut down to those that the match needs.
    fn gives(&self, needed: u32, points: u32) -> bool {
        let by = |cube: u32| (1..=3).any(|games| cube.checked_mul(games) == Some(points));
        let most = self.cube.saturating_mul(3);
        by(self.cube)
            || (self.doubled && by(self.cube.saturating_mul(2)))
            || (points == needed && points < most)
    }

    /// Returns the points that the winner gets, and true if the players settled the game (MAT-50, MAT-83). `has_mark`:
    /// the file is one in which more than 1000 points are the mark of that.
    pub(super) fn points(&self, winner: MatPlayer, points: u32, has_mark: bool) -> (u32, bool) {
        let needed = winner.of(self.needed);
        let above = points > self.cube.saturating_mul(3);
        let marked = has_mark && points > SETTLED;
        if self.plain {
            return match marked && above {
                true => (points - SETTLED, true),
                false => (points, false),
            };
        }
        if self.gives(needed, points) {
            return (points, false);
        }
        if marked {
            return (points - SETTLED, true);
        }
        // The match was conceded. Where the cube gives as many points as the mark would write, it is left out.
        if needed > 0 && (above || points > needed) {
            return (needed, !self.gives(needed, needed.saturating_add(SETTLED)));
        }
        (points, false)
    }
}
