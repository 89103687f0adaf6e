//! Cube actions of players, compared with cubeful rollouts (`c` records).

use super::make::CubeStakes;
use crate::player::{Player, PlayerError};
use gammond_engine::equity::MatchEquityTable;
use gammond_game::notation::CubeRecord;

/// Match winning chances that a player's actions lose, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionLoss {
    /// By doubling or not, if the opponent answers rightly.
    pub double: f64,
    /// By taking or passing, if doubled.
    pub take: f64,
}

/// Lets a player decide on both sides of a double and charges it (BM-36). `None` if the player knows no cube, or no
/// match is so long.
///
/// # Errors
/// When the player has no answer.
pub(super) fn action_loss(
    record: &CubeRecord,
    away: u8,
    player: &dyn Player,
    table: &MatchEquityTable,
) -> Result<Option<ActionLoss>, PlayerError> {
    let Some(player) = player.with_cube() else {
        return Ok(None);
    };
    let Some(stakes) = CubeStakes::new(away, table) else {
        return Ok(None);
    };
    let state = stakes.state();
    let pass = 100.0 * stakes.pass;
    let doubled = record.double_take.min(pass);
    let [best, own] = match player.doubles(&record.position, &state)? {
        true => [record.no_double.max(doubled), doubled],
        false => [record.no_double.max(doubled), record.no_double],
    };
    let answer = match player.takes(&record.position, &state)? {
        true => record.double_take,
        false => pass,
    };
    Ok(Some(ActionLoss {
        double: best - own,
        take: answer - doubled,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;
    use gammond_game::Position;
    use gammond_game::notation::CubeAction;

    /// BM-36: an action loses against the better one of the record, and only where the player takes the other.
    #[test]
    fn actions_lose_against_the_rollouts() {
        let table = MatchEquityTable::default();
        let stakes = CubeStakes::new(7, &table).unwrap();
        let pass = 100.0 * stakes.pass;
        let player = "gammond".parse::<PlayerSpec>().unwrap().open().unwrap();
        // At the start the player neither doubles nor passes.
        let record = |no_double, double_take| CubeRecord {
            position: Position::start(),
            no_double,
            double_take,
            action: stakes.action(no_double / 100.0, double_take / 100.0),
        };
        let loss = |record: CubeRecord| {
            let loss = action_loss(&record, 7, &*player, &table).unwrap().unwrap();
            [loss.double, loss.take].map(|loss| (100.0 * loss).round() / 100.0)
        };
        let right = record(52.0, 45.0);
        assert_eq!(
            (right.action, loss(right)),
            (CubeAction::NoDouble, [0.0, 0.0])
        );
        let missed = record(50.0, 53.0);
        assert_eq!(
            (missed.action, loss(missed)),
            (CubeAction::DoubleTake, [3.0, 0.0])
        );
        let passed = record(pass - 4.0, pass + 2.0);
        assert_eq!(
            (passed.action, loss(passed)),
            (CubeAction::DoublePass, [4.0, 2.0])
        );
        let good = record(pass + 1.0, pass + 2.0);
        assert_eq!((good.action, loss(good)), (CubeAction::TooGood, [0.0, 2.0]));
        let random = "random".parse::<PlayerSpec>().unwrap().open().unwrap();
        assert_eq!(action_loss(&right, 7, &*random, &table).unwrap(), None);
        assert_eq!(CubeStakes::new(1, &table), None);
    }
}
