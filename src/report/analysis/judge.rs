//! Losses of decisions and luck of rolls.

use super::cube_offer::{CubeOffer, CubeReply};
use super::replay::{Action, Decision};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::equity::{CubeState, Stakes};
use gammond_engine::people::People;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Evaluation, PlayQuery, RankedPlay, RankedPlays,
    Settings, Stop,
};
use gammond_game::{MatchScore, MatchState, Play, Position, Roll};

/// Losses from which a decision is doubtful, bad and very bad.
pub const MARKS: [f64; 3] = [0.03, 0.06, 0.12];
/// Plays that are kept of each ranking, beside the one that was played.
pub(super) const PLAYS_KEPT: usize = 5;

/// The engine's analysis of one decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// Equity lost by not doubling before the roll; `None` if a double was not allowed.
    pub cube_loss: Option<f64>,
    /// Equity lost by the action itself; `None` if there was no choice, or the action is not analysed.
    pub loss: Option<f64>,
    /// Luck of the roll: its value less the mean of all rolls.
    pub luck: Option<f64>,
    /// The best play.
    pub best: Option<Play>,
    /// The cube decision: that before a roll, or the double that was made or answered.
    pub cube: Option<Box<CubeAnswer>>,
    /// The plays of the roll.
    pub plays: Option<JudgedPlays>,
    /// [`Judgement::cube_loss`] as match winning chances, in matches.
    pub cube_mwc: Option<f64>,
    /// [`Judgement::loss`] as match winning chances, in matches.
    pub loss_mwc: Option<f64>,
    /// Luck of the roll as match winning chances, in matches.
    pub luck_mwc: Option<f64>,
    /// Loss of the player who accepted a resignation of this many games instead of playing on.
    pub accept_loss: Option<f64>,
}

/// The plays of a roll.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedPlays {
    /// Number of positions that the roll can lead to; 1 is no choice.
    pub legal: usize,
    /// The best ones, best first.
    pub best: Vec<RankedPlay>,
    /// The play that was made, evaluated at the full depth.
    pub played: RankedPlay,
    /// Its place, from 1.
    pub rank: usize,
    /// Difference between the best and the worst of them.
    pub spread: f64,
    /// Shares of the people of three rates ([`People::COACHED`]) who find the best one; only if the play that was made
    /// is doubtful.
    pub found_by: Option<[f64; 3]>,
}

/// Analyses one decision.
///
/// # Errors
/// [`EngineError`].
pub fn judge(
    engine: &Engine,
    settings: &Settings,
    decision: &Decision,
    stop: &Stop,
) -> Result<Judgement, EngineError> {
    let (position, state) = (decision.position, decision.state);
    if stop.checkpoint() {
        return Err(EngineError::Stopped);
    }
    let mut judgement = Judgement::default();
    let cube = CubeQuery { position, state };
    let query = |roll| PlayQuery::new(position, roll, state);
    // The cube before a roll, if the player on roll may turn it.
    let cube_before = || match state.double_refusal() {
        None => engine.cube_action(&cube, settings, stop).map(Some),
        Some(_) => Ok(None),
    };
    match decision.action {
        Action::Play {
            roll,
            after,
            opening,
            may_double,
        } => {
            if may_double && let Some(cube) = cube_before()? {
                let lost = over(doubled(&cube), cube.no_double);
                (judgement.cube_loss, judgement.cube_mwc) = (Some(lost.equity), lost.mwc);
                judgement.cube = Some(Box::new(cube));
            }
            let query = query(roll);
            let played = judge_play(engine, settings, &query, &after, stop)?;
            if let Some(plays) = &played {
                judgement.best = plays.best.first().map(|best| best.play);
                if let Some(lost) = play_loss(plays) {
                    judgement.lost(lost);
                }
            }
            judgement.plays = played;
            judgement.luck(luck(engine, &query, opening, stop)?);
        }
        Action::Unknown { roll, open } => {
            judgement.luck(luck(engine, &query(roll), false, stop)?);
            if open {
                let plays = open_plays(engine, settings, &query(roll), stop)?;
                let best = plays.as_ref().and_then(|plays| plays.best.first());
                judgement.best = best.map(|best| best.play);
                judgement.plays = plays;
                judgement.cube = cube_before()?.map(Box::new);
            }
        }
        Action::Open => judgement.cube = cube_before()?.map(Box::new),
        Action::Double
        | Action::Take
        | Action::Drop
        | Action::Beaver { .. }
        | Action::BeaverAnswer { .. } => {
            let cube = engine.cube_action(&cube, settings, stop)?;
            judgement.lost(match CubeOffer::answered(decision) {
                Some((offer, chosen)) => reply_loss(&cube, offer, chosen),
                None => over(cube.no_double, doubled(&cube)),
            });
            judgement.cube = Some(Box::new(cube));
        }
        Action::Resign { games, on_roll } => {
            let query = EvalQuery { position, state };
            let value = engine.evaluate(&query, settings, stop)?;
            let [playing, given] = resigned(engine, &value, state, (games, on_roll));
            judgement.lost(over(playing, given));
            judgement.accept_loss = Some(over(given, playing).equity);
        }
    }
    Ok(judgement)
}

/// Returns the loss of the play that was made; `None` if there was no choice.
fn play_loss(plays: &JudgedPlays) -> Option<Equities> {
    let best = plays.best.first().filter(|_| plays.legal > 1)?;
    Some(match best.equals(&plays.played) {
        true => over(best.value, best.value),
        false => over(best.value, plays.played.value),
    })
}

/// Returns the values of playing on and of resigning so many games, both for the player who resigns.
fn resigned(
    engine: &Engine,
    value: &Evaluation,
    state: MatchState,
    (games, on_roll): (u8, bool),
) -> [Equities; 2] {
    let value = value.cubeful.unwrap_or(value.cubeless);
    let (playing, state) = match on_roll {
        true => (value, state),
        false => (turned(value), state.swapped()),
    };
    [playing, given_up(engine, state, games)]
}

impl Judgement {
    /// Returns the analysis of this decision without the parts that GNU Backgammon omits: beavers, raccoons, the
    /// answers to them, and the gain of a missed beaver (ANA-03).
    #[must_use]
    pub fn without_beavers(&self, decision: &Decision) -> Judgement {
        let mut own = self.clone();
        match decision.action {
            Action::Beaver { .. } | Action::BeaverAnswer { .. } => {
                (own.cube, own.loss, own.loss_mwc) = (None, None, None);
            }
            Action::Take | Action::Drop => {
                let missed = missed_beaver(decision, self);
                own.loss = own.loss.map(|loss| (loss - missed).max(0.0));
            }
            _ => {}
        }
        own
    }

    fn lost(&mut self, lost: Equities) {
        (self.loss, self.loss_mwc) = (Some(lost.equity), lost.mwc);
    }

    fn luck(&mut self, luck: Equities) {
        (self.luck, self.luck_mwc) = (Some(luck.equity), luck.mwc);
    }
}

/// Returns the value of `best` less that of `chosen`, at least 0: a negative loss is only rounding noise.
fn over(best: Equities, chosen: Equities) -> Equities {
    let lost = minus(best, chosen);
    Equities {
        equity: lost.equity.max(0.0),
        mwc: lost.mwc.map(|mwc| mwc.max(0.0)),
    }
}

fn minus(one: Equities, other: Equities) -> Equities {
    Equities {
        equity: one.equity - other.equity,
        mwc: one.mwc.zip(other.mwc).map(|(one, other)| one - other),
    }
}

/// Returns the equities seen by the other player.
fn turned(value: Equities) -> Equities {
    Equities {
        equity: -value.equity,
        mwc: value.mwc.map(|mwc| 1.0 - mwc),
    }
}

/// Returns the value of a double with the opponent's best answer.
fn doubled(cube: &CubeAnswer) -> Equities {
    match cube.double_take.equity < cube.double_pass.equity {
        true => cube.double_take,
        false => cube.double_pass,
    }
}

/// Returns the loss of an answer to a double, a beaver or a raccoon.
fn reply_loss(cube: &CubeAnswer, offer: CubeOffer, chosen: CubeReply) -> Equities {
    let [best, chosen] = [offer.best(cube), chosen].map(|reply| offer.value(cube, reply));
    match offer.by_doubler() {
        true => over(best, chosen),
        false => over(chosen, best),
    }
}

/// Returns the part of the loss of a take or a pass that a beaver would have saved: its value less that of the take.
pub(super) fn missed_beaver(decision: &Decision, judgement: &Judgement) -> f64 {
    let (Some(cube), Some((offer, _))) = (&judgement.cube, CubeOffer::answered(decision)) else {
        return 0.0;
    };
    match offer.best(cube) {
        CubeReply::Beaver => -cube.double_take.equity,
        CubeReply::Take | CubeReply::Pass => 0.0,
    }
}

/// Returns the value for the player on roll of resigning this many games.
fn given_up(engine: &Engine, state: MatchState, games: u8) -> Equities {
    let games = u32::from(games);
    if state.score.is_money() {
        return Equities {
            equity: -f64::from(games),
            mwc: None,
        };
    }
    let points = games.saturating_mul(state.cube.value());
    let mwc = engine
        .met_of(state.variant)
        .after(state.score, false, points);
    let stakes = Stakes::new(state, engine.met_of(state.variant));
    Equities {
        equity: stakes.to_emg(CubeState::from(state.cube), mwc),
        mwc: Some(mwc),
    }
}

/// Returns the plays of the roll and the one that led to `after`.
fn judge_play(
    engine: &Engine,
    settings: &Settings,
    query: &PlayQuery,
    after: &Position,
    stop: &Stop,
) -> Result<Option<JudgedPlays>, EngineError> {
    let all = Settings {
        top: None,
        ..settings.clone()
    };
    let mut ranked = engine.rank_plays_and(query, after, &all, stop)?;
    let RankedPlays { plays, legal, .. } = &mut ranked;
    let legal = *legal;
    let place = plays.iter().position(|play| play.position == *after);
    let Some(place) = place else { return Ok(None) };
    let spread = match (plays.first(), plays.last()) {
        (Some(best), Some(worst)) => best.value.equity - worst.value.equity,
        _ => 0.0,
    };
    // The search leaves plays that are far behind at a smaller depth, and the best one too where all others are.
    let wanted = match settings.level {
        None if place > 0 => settings.plies,
        _ => 0,
    };
    if let Some(best) = plays.first_mut().filter(|play| play.plies < wanted) {
        at_full_depth(engine, settings, query, best, stop)?;
    }
    let depth = plays.first().map_or(0, |best| best.plies);
    if let Some(played) = plays.get_mut(place).filter(|play| play.plies < depth) {
        at_full_depth(engine, settings, query, played, stop)?;
    }
    let Some(played) = plays.get(place).cloned() else {
        return Ok(None);
    };
    // A play that looked poor may be better than it seemed.
    let better = |play: &RankedPlay| {
        play.plies == depth && play.value.equity > played.value.equity && !play.equals(&played)
    };
    let rank = 1 + plays.iter().filter(|play| better(play)).count();
    if rank <= place && rank <= plays.len() {
        let moved = plays.remove(place);
        plays.insert(rank - 1, moved);
    }
    let is_doubtful = played.loss(ranked.best()) >= MARKS[0];
    let found_by = is_doubtful.then(|| People::built_in().find_play(&ranked));
    let mut best = ranked.plays;
    best.truncate(PLAYS_KEPT);
    // A match has thousands of these: without the room of the other plays.
    best.shrink_to_fit();
    Ok(Some(JudgedPlays {
        legal,
        best,
        played,
        rank,
        spread,
        found_by,
    }))
}

/// Returns the plays of a roll that is not played; the best one stands for the one that was made.
fn open_plays(
    engine: &Engine,
    settings: &Settings,
    query: &PlayQuery,
    stop: &Stop,
) -> Result<Option<JudgedPlays>, EngineError> {
    let ranked = engine.rank_plays(query, settings, stop)?;
    let best = ranked.plays.first().map(|best| best.position);
    match best {
        Some(best) => judge_play(engine, settings, query, &best, stop),
        None => Ok(None),
    }
}

/// Evaluates the play of a roll again, at the settings' depth.
fn at_full_depth(
    engine: &Engine,
    settings: &Settings,
    query: &PlayQuery,
    play: &mut RankedPlay,
    stop: &Stop,
) -> Result<(), EngineError> {
    let after = EvalQuery {
        position: play.position,
        state: query.state.swapped(),
    };
    let value = engine.evaluate(&after, settings, stop)?;
    play.value = turned(value.cubeful.unwrap_or(value.cubeless));
    play.chances = value.chances.inverted();
    play.plies = value.plies;
    Ok(())
}

/// Returns the best value after this roll, against the mean of all rolls, by the evaluation without look-ahead.
/// Before the first roll the mean is that of all rolls without doubles, for either player: the opening roll's winner
/// is luck too. No double begins a game, so that a double there, in a file, is compared with all rolls.
fn luck(
    engine: &Engine,
    query: &PlayQuery,
    opening: bool,
    stop: &Stop,
) -> Result<Equities, EngineError> {
    let &PlayQuery {
        position,
        roll,
        state,
    } = query;
    let opening = opening && !roll.is_double();
    let (own, mean) = value_and_mean(engine, position, state, opening, roll, stop)?;
    if !opening {
        return Ok(minus(own, mean));
    }
    // The start is the same for both.
    let (_, other) = value_and_mean(engine, position, state.swapped(), opening, roll, stop)?;
    let other = turned(other);
    let both = Equities {
        equity: (mean.equity + other.equity) / 2.0,
        mwc: mean.mwc.zip(other.mwc).map(|(one, two)| (one + two) / 2.0),
    };
    Ok(minus(own, both))
}

/// Returns the value of `shown` for the player on roll, and the mean value of all rolls.
fn value_and_mean(
    engine: &Engine,
    position: Position,
    state: MatchState,
    opening: bool,
    shown: Roll,
    stop: &Stop,
) -> Result<(Equities, Equities), EngineError> {
    let (mut sum, mut weights) = (Equities::default(), 0.0);
    let mut own = Equities::default();
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
        sum.equity += weight * value.equity;
        sum.mwc = (value.mwc).map(|mwc| weight * mwc + sum.mwc.unwrap_or(0.0));
        weights += weight;
        if roll == shown {
            own = value;
        }
    }
    let mean = Equities {
        equity: sum.equity / weights,
        mwc: sum.mwc.map(|mwc| mwc / weights),
    };
    Ok((own, mean))
}

fn best_value(engine: &Engine, query: &PlayQuery, stop: &Stop) -> Result<Equities, EngineError> {
    let settings = Settings {
        top: Some(1),
        ..Settings::plies(0)
    };
    let ranked = engine.rank_plays(query, &settings, stop)?;
    if let Some(best) = ranked.plays.first() {
        return Ok(best.value);
    }
    let query = EvalQuery {
        position: query.position.swapped(),
        state: query.state.swapped(),
    };
    let value = engine.evaluate(&query, &settings, stop)?;
    Ok(turned(value.cubeful.unwrap_or(value.cubeless)))
}

/// Returns the first player's match winning chance before the next game, or after the last one.
pub(super) fn match_chances(engine: &Engine, score: &MatchScore) -> Option<f64> {
    match score.winner() {
        Some(side) => Some(if side == 0 { 1.0 } else { 0.0 }),
        None => Some(engine.met().at(score.score(0).ok()?)),
    }
}
