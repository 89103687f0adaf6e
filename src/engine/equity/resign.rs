//! Advice on resigning (RESIGN-01) and on accepting a resignation (RESIGN-02).

use super::stakes::{CubeState, Stakes};
use gammond_game::{Chances, Class};

/// Largest loss of the resigner at which a resignation is fair.
const FAIR: f64 = 1e-6;

/// Returns the chances of a player who cannot win: 1 a plain game, 2 a gammon, 3 a backgammon.
pub(crate) fn lost(games: u8) -> Chances {
    Chances {
        lose_gammon: f32::from(u8::from(games >= 2)),
        lose_backgammon: f32::from(u8::from(games >= 3)),
        ..Chances::default()
    }
}

/// Returns the number of games that the player on roll may resign without loss: 0 if the player should play on. `chances`
/// are those of the player on roll, without look-ahead; only positions without contact resign.
#[must_use]
pub fn resign_advice(stakes: &Stakes, cube: CubeState, class: Class, chances: &Chances) -> u8 {
    if class > Class::Race {
        return 0;
    }
    // Compared in single precision: chances have no more.
    let utility = |chances: &Chances| stakes.utility(cube, chances) as f32;
    let now = utility(chances);
    let nothing_lost = |games| now == utility(&lost(games));
    let games = if chances.lose_backgammon > 0.0 && nothing_lost(3) {
        3
    } else if chances.lose_gammon > 0.0 && nothing_lost(2) {
        2
    } else {
        u8::from(nothing_lost(1))
    };
    let gammons_count = stakes.prices(cube).opponent_gammon > 0.0 || !stakes.is_money();
    if gammons_count { games } else { games.min(1) }
}

/// Returns true if the opponent should accept when the player with these `chances` resigns `games` games (1..=3): the
/// resigner must not gain by it. `stakes` and `cube` are seen by the resigner.
#[must_use]
pub fn accept_resignation(stakes: &Stakes, cube: CubeState, chances: &Chances, games: u8) -> bool {
    let before = stakes.utility(cube, chances);
    let after = stakes.utility(cube, &lost(games));
    after - before < FAIR
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equity::MatchEquityTable;
    use gammond_game::{Cube, CubeOwner, MatchState, Rules, Score};

    const CENTRED: CubeState = CubeState {
        doublings: 0,
        owner: CubeOwner::Centred,
    };

    fn money(jacoby: bool) -> Stakes {
        let rules = Rules {
            jacoby,
            ..Rules::default()
        };
        Stakes::new(MatchState::money(rules), &MatchEquityTable::default())
    }

    /// RESIGN-01.
    #[test]
    fn a_lost_gammon_is_resigned_as_one() {
        let advice = |jacoby, class, lg, lb| {
            let chances = Chances {
                lose_gammon: lg,
                lose_backgammon: lb,
                ..Chances::default()
            };
            resign_advice(&money(jacoby), CENTRED, class, &chances)
        };
        assert_eq!(advice(false, Class::Race, 1.0, 1.0), 3);
        assert_eq!(advice(false, Class::Race, 1.0, 0.5), 0);
        assert_eq!(advice(false, Class::Race, 1.0, 0.0), 2);
        assert_eq!(advice(false, Class::Race, 0.5, 0.0), 0);
        assert_eq!(advice(false, Class::Race, 0.0, 0.0), 1);
        assert_eq!(advice(true, Class::Race, 1.0, 1.0), 1);
        assert_eq!(advice(false, Class::Contact, 0.0, 0.0), 0);
    }

    #[test]
    fn a_useless_gammon_is_a_plain_loss() {
        let met = MatchEquityTable::default();
        let mut state = MatchState::default();
        state.score = Score::new(5, 0, 4, false).unwrap();
        let stakes = Stakes::new(state, &met);
        let gammonish = Chances {
            lose_gammon: 0.4,
            ..Chances::default()
        };
        let cube = Cube::CENTRED.into();
        assert_eq!(resign_advice(&stakes, cube, Class::Race, &gammonish), 2);
        assert!(accept_resignation(&stakes, cube, &gammonish, 1));
    }

    /// RESIGN-02.
    #[test]
    fn a_resigner_must_not_gain() {
        let chances = Chances {
            lose_gammon: 0.2,
            ..Chances::default()
        };
        assert!(!accept_resignation(&money(false), CENTRED, &chances, 1));
        assert!(accept_resignation(&money(false), CENTRED, &chances, 2));
        assert!(accept_resignation(&money(true), CENTRED, &chances, 1));
    }
}
