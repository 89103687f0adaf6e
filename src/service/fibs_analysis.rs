//! What the engine says about a finished match, for the head of its file (FIBS-28).
//!
//! Losses are in equity of the cube that was played for; luck is the value of the roll against the
//! mean of the 21, both by the static evaluation.

use crate::engine::{Engine, EngineError};
use crate::game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score};
use crate::notation::{MatAction, MatGame, MatPlayer};
use crate::protocol::fibs::{MatchRecord, record::position_after};
use crate::query::{CubeQuery, EvalQuery, PlayQuery, Settings, Stop};

/// The books of one player in one game.
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
    fn decided(&mut self, loss: f64) {
        self.decisions += 1;
        self.loss += loss.max(0.0);
    }

    fn text(&self) -> String {
        let each = self.loss / f64::from(self.decisions.max(1));
        format!(
            "{} decisions, {each:.4} lost by each, luck {:+.3}",
            self.decisions, self.luck
        )
    }
}

/// One line for each game with all its plays, and one for the whole match.
///
/// # Errors
/// [`EngineError`].
pub fn comments(
    engine: &Engine,
    settings: &Settings,
    user: &str,
    record: &MatchRecord,
    stop: &Stop,
) -> Result<Vec<String>, EngineError> {
    let mut lines = Vec::new();
    let mut sums = [Account::default(); 2];
    let length = record.length.unwrap_or(0);
    let mut crawford_played = false;
    for (number, game) in (1..).zip(&record.games) {
        let one_away = length > 1 && game.scores.iter().any(|&score| score + 1 == length);
        let crawford = one_away && !crawford_played;
        crawford_played |= one_away;
        if game.actions.is_empty() {
            continue;
        }
        let accounts = account(engine, settings, game, length, crawford, stop)?;
        for (sum, account) in sums.iter_mut().zip(accounts) {
            sum.decisions += account.decisions;
            sum.loss += account.loss;
            sum.luck += account.luck;
        }
        lines.push(line(&format!("game {number}"), user, record, accounts));
    }
    lines.push(line("match", user, record, sums));
    Ok(lines)
}

fn line(what: &str, user: &str, record: &MatchRecord, [me, other]: [Account; 2]) -> String {
    let opponent = &record.opponent;
    format!(
        " {what}, {user}: {}; {opponent}: {}",
        me.text(),
        other.text()
    )
}

/// The books of both players in a game.
///
/// # Errors
/// [`EngineError`].
#[expect(
    clippy::too_many_lines,
    reason = "a list of the actions, each with its few words"
)]
pub fn account(
    engine: &Engine,
    settings: &Settings,
    game: &MatGame,
    length: u32,
    crawford: bool,
    stop: &Stop,
) -> Result<[Account; 2], EngineError> {
    let mut accounts = [Account::default(); 2];
    let [first, second] = match length {
        0 => [0, 0],
        _ => game.scores,
    };
    let Ok(score) = Score::new(length, first, second, crawford) else {
        return Ok(accounts);
    };
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let (mut position, mut value, mut owner) = (Position::start(), 1_u32, None);
    let mut opening = true;
    for &(player, action) in &game.actions {
        let owned = match owner {
            None => CubeOwner::Centred,
            Some(owner) if owner == player => CubeOwner::Me,
            Some(_) => CubeOwner::Opponent,
        };
        let Ok(cube) = Cube::new(value, owned) else {
            break;
        };
        let score = match player {
            MatPlayer::First => score,
            MatPlayer::Second => score.swapped(),
        };
        let state = MatchState { cube, score, rules };
        let mine = usize::from(player == MatPlayer::Second);
        let Some(account) = accounts.get_mut(mine) else {
            break;
        };
        match action {
            MatAction::Play { roll, play } => {
                let may_double = owned != CubeOwner::Opponent && !crawford && !opening;
                let cube_query = CubeQuery { position, state };
                if may_double && engine.considers_double(&cube_query, settings, stop)? {
                    let cube = engine.cube_action(&cube_query, settings, stop)?;
                    account.decided(cube.optimal.equity - cube.no_double.equity);
                }
                let query = PlayQuery {
                    position,
                    roll,
                    state,
                };
                let after = match play.is_pass() {
                    true => Some(position.swapped()),
                    false => position_after(&position, roll, &play),
                };
                let Some(after) = after else { break };
                if let Some(loss) = play_loss(engine, settings, &query, &after, stop)? {
                    account.decided(loss);
                }
                account.luck += luck(engine, &query, opening, stop)?;
                position = after;
                opening = false;
            }
            MatAction::Double(_) => {
                let cube = engine.cube_action(&CubeQuery { position, state }, settings, stop)?;
                let doubled = cube.double_take.equity.min(cube.double_pass.equity);
                account.decided(cube.optimal.equity - doubled);
            }
            MatAction::Take | MatAction::Drop => {
                // The doubler is on roll and has the cube still.
                let state = MatchState {
                    cube: cube.swapped(),
                    score: score.swapped(),
                    rules,
                };
                let cube = engine.cube_action(&CubeQuery { position, state }, settings, stop)?;
                let gain = cube.double_pass.equity - cube.double_take.equity;
                let took = action == MatAction::Take;
                account.decided(if took { -gain } else { gain });
                if took {
                    value = value.saturating_mul(2);
                    owner = Some(player);
                }
            }
        }
    }
    Ok(accounts)
}

/// What the play that led to `after` lost; `None` when there was no choice.
fn play_loss(
    engine: &Engine,
    settings: &Settings,
    query: &PlayQuery,
    after: &Position,
    stop: &Stop,
) -> Result<Option<f64>, EngineError> {
    let all = Settings {
        top: None,
        ..settings.clone()
    };
    let ranked = engine.rank_plays(query, &all, stop)?;
    let played = ranked.plays.iter().find(|play| play.position == *after);
    Ok(match (ranked.plays.first(), played) {
        (Some(best), Some(played)) if ranked.legal > 1 => {
            Some(best.value.equity - played.value.equity)
        }
        _ => None,
    })
}

/// The best value after this roll, against the mean of all rolls (of the rolls without doubles at
/// the start of a game).
fn luck(
    engine: &Engine,
    query: &PlayQuery,
    opening: bool,
    stop: &Stop,
) -> Result<f64, EngineError> {
    let (mut sum, mut weights, mut own) = (0.0, 0.0, 0.0);
    for high in 1..=6 {
        for low in 1..=high {
            let Ok(roll) = Roll::new(high, low) else {
                continue;
            };
            if opening && high == low {
                continue;
            }
            let value = best_value(engine, &PlayQuery { roll, ..*query }, stop)?;
            let weight = if high == low { 1.0 } else { 2.0 };
            sum += weight * value;
            weights += weight;
            if roll == query.roll {
                own = value;
            }
        }
    }
    Ok(own - sum / weights)
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
