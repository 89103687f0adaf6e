//! What each decision lost, what each roll gave, and the books of both players.

use super::replay::{Decision, Deed, Replay};
use crate::engine::{Engine, EngineError};
use crate::game::{MatchState, Play, Position, Roll};
use crate::notation::MatPlayer;
use crate::query::{CubeQuery, EvalQuery, PlayQuery, Settings, Stop};

/// The books of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Account {
    /// Plays that were no forced ones, doubles, takes and passes, and rolls where a double was
    /// worth a thought.
    pub decisions: u32,
    /// Equity lost by all of them.
    pub loss: f64,
    /// Luck of the dice.
    pub luck: f64,
}

impl Account {
    /// Books one decision.
    pub fn book(&mut self, judgement: &Judgement) {
        for loss in [judgement.cube_loss, judgement.loss].into_iter().flatten() {
            self.decisions += 1;
            self.loss += loss.max(0.0);
        }
        self.luck += judgement.luck.unwrap_or(0.0);
    }

    /// Adds the books of another game.
    pub fn add(&mut self, other: &Account) {
        self.decisions += other.decisions;
        self.loss += other.loss;
        self.luck += other.luck;
    }
}

/// What the engine says about one decision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Equity lost by not doubling before the roll; `None` where nobody would think of it.
    pub cube_loss: Option<f64>,
    /// Equity lost by the deed itself; `None` where there was no choice.
    pub loss: Option<f64>,
    /// What the roll was worth more than the mean of all rolls.
    pub luck: Option<f64>,
    /// The best play.
    pub best: Option<Play>,
}

/// The books of both players in a game that was replayed.
///
/// # Errors
/// [`EngineError`].
pub fn judge_game(
    engine: &Engine,
    settings: &Settings,
    replay: &Replay,
    stop: &Stop,
) -> Result<[Account; 2], EngineError> {
    let mut accounts = [Account::default(); 2];
    let [first, second] = &mut accounts;
    for decision in &replay.decisions {
        let account = match decision.player {
            MatPlayer::First => &mut *first,
            MatPlayer::Second => &mut *second,
        };
        account.book(&judge(engine, settings, decision, stop)?);
    }
    Ok(accounts)
}

/// Judges one decision.
///
/// # Errors
/// [`EngineError`].
pub fn judge(
    engine: &Engine,
    settings: &Settings,
    decision: &Decision,
    stop: &Stop,
) -> Result<Judgement, EngineError> {
    let &Decision {
        position,
        state,
        deed,
        ..
    } = decision;
    let mut judgement = Judgement::default();
    let cube = CubeQuery { position, state };
    match deed {
        Deed::Play {
            roll,
            after,
            opening,
            may_double,
        } => {
            if may_double && engine.considers_double(&cube, settings, stop)? {
                let cube = engine.cube_action(&cube, settings, stop)?;
                judgement.cube_loss = Some(cube.optimal.equity - cube.no_double.equity);
            }
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            (judgement.best, judgement.loss) = play_loss(engine, settings, &query, &after, stop)?;
            judgement.luck = Some(luck(engine, &query, opening, stop)?);
        }
        Deed::Double => {
            let cube = engine.cube_action(&cube, settings, stop)?;
            let doubled = cube.double_take.equity.min(cube.double_pass.equity);
            judgement.loss = Some(cube.optimal.equity - doubled);
        }
        Deed::Take | Deed::Drop => {
            let cube = engine.cube_action(&cube, settings, stop)?;
            let gain = cube.double_pass.equity - cube.double_take.equity;
            judgement.loss = Some(if deed == Deed::Take { -gain } else { gain });
        }
    }
    // What is better than the best is the noise of rounding.
    judgement.loss = judgement.loss.map(|loss| loss.max(0.0));
    judgement.cube_loss = judgement.cube_loss.map(|loss| loss.max(0.0));
    Ok(judgement)
}

/// The best play and what the one that led to `after` lost; no loss when there was no choice.
fn play_loss(
    engine: &Engine,
    settings: &Settings,
    query: &PlayQuery,
    after: &Position,
    stop: &Stop,
) -> Result<(Option<Play>, Option<f64>), EngineError> {
    let all = Settings {
        top: None,
        ..settings.clone()
    };
    let ranked = engine.rank_plays(query, &all, stop)?;
    let played = ranked.plays.iter().find(|play| play.position == *after);
    Ok(match (ranked.plays.first(), played) {
        (Some(best), Some(played)) if ranked.legal > 1 => (
            Some(best.play),
            Some(best.value.equity - played.value.equity),
        ),
        (best, _) => (best.map(|best| best.play), None),
    })
}

/// The best value after this roll, against the mean of all rolls, by the evaluation without
/// look-ahead. Before the first roll the mean is that of all rolls without doubles, for either player:
/// who begins is luck too.
fn luck(
    engine: &Engine,
    query: &PlayQuery,
    opening: bool,
    stop: &Stop,
) -> Result<f64, EngineError> {
    let &PlayQuery {
        position,
        roll,
        state,
    } = query;
    let (own, mean) = value_and_mean(engine, position, state, opening, roll, stop)?;
    if !opening {
        return Ok(own - mean);
    }
    // The start is the same for both.
    let (_, other) = value_and_mean(engine, position, state.swapped(), opening, roll, stop)?;
    Ok(own - (mean - other) / 2.0)
}

/// What `shown` is worth to the player on roll, and what the rolls are worth in the mean.
fn value_and_mean(
    engine: &Engine,
    position: Position,
    state: MatchState,
    opening: bool,
    shown: Roll,
    stop: &Stop,
) -> Result<(f64, f64), EngineError> {
    let (mut sum, mut weights, mut own) = (0.0, 0.0, 0.0);
    for roll in Roll::ALL {
        if opening && roll.is_double() {
            continue;
        }
        let query = PlayQuery {
            position,
            roll,
            state,
        };
        let value = best_value(engine, &query, stop)?;
        let weight = f64::from(roll.weight());
        sum += weight * value;
        weights += weight;
        if roll == shown {
            own = value;
        }
    }
    Ok((own, sum / weights))
}

fn best_value(engine: &Engine, query: &PlayQuery, stop: &Stop) -> Result<f64, EngineError> {
    let settings = Settings {
        top: Some(1),
        ..Settings::plies(0)
    };
    let ranked = engine.rank_plays(query, &settings, stop)?;
    if let Some(best) = ranked.plays.first() {
        return Ok(best.value.equity);
    }
    let turned = EvalQuery {
        position: query.position.swapped(),
        state: query.state.swapped(),
    };
    let value = engine.evaluate(&turned, &settings, stop)?;
    Ok(-value.cubeful.unwrap_or(value.cubeless).equity)
}
