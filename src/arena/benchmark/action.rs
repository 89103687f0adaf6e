//! Cube actions of players, compared with cubeful rollouts (`c` records).

use super::make::CubeStakes;
use crate::player::{Player, PlayerError};
use gammond_base::rng::stream;
use gammond_engine::equity::MatchEquityTable;
use gammond_game::notation::CubeRecord;

/// A `c` record and the score at which it was rolled out.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionRecord {
    /// The record.
    pub record: CubeRecord,
    /// Points that both players need, 2 to 25.
    pub away: u8,
    /// Match winning chance of the player who doubles, after a pass, 0 to 1: that of the table with which the record
    /// was rolled out. `None` if its file has none.
    pub pass: Option<f64>,
}

/// Match winning chances that a player's actions lose, in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActionLoss {
    /// Loss by doubling or not, if the opponent answers correctly.
    pub double: f64,
    /// Loss by taking or passing, if doubled.
    pub take: f64,
    /// Worth of a point at the score: half of what lies between a won and a lost single game.
    pub point: f64,
}

impl ActionLoss {
    /// Returns the mean loss of the two decisions, to double and to take, in points (EMG).
    #[must_use]
    pub fn points(&self) -> f64 {
        match self.point > 0.0 {
            true => (self.double + self.take) / 2.0 / self.point,
            false => 0.0,
        }
    }
}

/// Has a player decide on both sides of a double, and returns the losses (BM-36). `None` if the player has no cube,
/// or no match is so long.
///
/// # Errors
/// When the player has no answer.
pub(super) fn action_loss(
    action: &ActionRecord,
    player: &dyn Player,
    table: &MatchEquityTable,
    line: u64,
) -> Result<Option<ActionLoss>, PlayerError> {
    let mut chance = stream(line, 0);
    let Some(player) = player.with_cube() else {
        return Ok(None);
    };
    let Some(stakes) = CubeStakes::new(action.away, table) else {
        return Ok(None);
    };
    let (record, state) = (&action.record, stakes.state());
    let pass = 100.0 * action.pass.unwrap_or(stakes.pass);
    let doubled = record.double_take.min(pass);
    let [best, own] = match player.doubles(&record.position, &state, &mut chance)? {
        true => [record.no_double.max(doubled), doubled],
        false => [record.no_double.max(doubled), record.no_double],
    };
    let answer = match player.takes(&record.position, &state, &mut chance)? {
        true => record.double_take,
        false => pass,
    };
    Ok(Some(ActionLoss {
        double: best - own,
        take: answer - doubled,
        point: pass - 50.0,
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
        let with_pass = |record, pass| {
            let action = ActionRecord {
                record,
                away: 7,
                pass,
            };
            action_loss(&action, &*player, &table, 1).unwrap().unwrap()
        };
        let loss = |record: CubeRecord| {
            let loss = with_pass(record, None);
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
        // The pass of the file counts, not that of the table.
        let foreign = with_pass(record(56.0, 58.0), Some(0.57));
        assert_eq!(
            [foreign.double, foreign.take, foreign.point].map(f64::round),
            [1.0, 1.0, 7.0]
        );
        assert!((foreign.points() - 1.0 / 7.0).abs() < 1e-6);
        let random = "random".parse::<PlayerSpec>().unwrap().open().unwrap();
        let right = ActionRecord {
            record: right,
            away: 7,
            pass: None,
        };
        assert_eq!(action_loss(&right, &*random, &table, 1).unwrap(), None);
        assert_eq!(CubeStakes::new(1, &table), None);
    }
}
