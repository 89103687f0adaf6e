//! n-ply look-ahead, play filters, play ranking, cube decisions.
//!
//! A search is a pure function of the question, the settings and the nets (PLY-10): the same bits come back for any
//! number of threads, any cache and any batch. Work is spread over the threads of the rayon pool in which a function
//! is called; sums are made in the order of the rolls. The rules are in `protocol-specs/cube-and-search.md`.

mod by_rolls;
mod cache;
mod choice;
mod context;
mod leaves;
#[cfg(test)]
mod match_bearoffs;
mod noise;
mod one_ply;
mod ranking;
mod replies;
mod scores;
mod slots;
mod tree;
mod turn;

pub use cache::Cache;
pub use choice::Chooser;
pub use context::{Context, Stopped};
pub use gammond_base::stop::{Clock, Deadline};
pub use one_ply::{Filter, OnePly, OnePlyResult};
pub use replies::{BestPlay, JudgedReply, Scratch};
pub use scores::{compare_plays_at, cube_actions, shares_plays};
pub use turn::Turn;

use crate::equity::{
    CubeNumbers, CubeState, Stakes, accept_resignation, dead_double_point, resign_advice,
};
use crate::people::{act_as_people, play_as_people, resign_as_people, with_shares};
use crate::query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Evaluation, PlayQuery, RankedPlay, RankedPlays,
    ResignAdvice, Settings,
};
use gammond_game::notation::play_text;
use gammond_game::{Chances, CubeOwner, Play, Position, Roll, legal_plays};
use leaves::LeafEvaluator;
use noise::{Bias, Noise};
use ranking::Ranking;
use tree::{Ask, Tree};

/// Runs `search` at the depth of the settings, or deeper and deeper until the time is over (PLY-09).
fn deepen<T>(
    context: &Context<'_>,
    settings: &Settings,
    mut search: impl FnMut(&Context<'_>, u8) -> Result<T, Stopped>,
) -> Result<T, Stopped> {
    if settings.time_ms.is_none() {
        return search(context, settings.plies.min(Settings::PLIES_MAX));
    }
    let unlimited = Context {
        budget: None,
        ..*context
    };
    let mut answer = search(&unlimited, 0)?;
    for plies in 1..=settings.deepest.min(Settings::PLIES_MAX) {
        match search(context, plies) {
            Ok(deeper) => answer = deeper,
            // Also when its client stops it: the results so far are an answer (PLY-09).
            Err(Stopped) => break,
        }
    }
    Ok(answer)
}

fn leaves_of<'a>(context: &Context<'a>, settings: &Settings) -> LeafEvaluator<'a> {
    let noise = (settings.noise > 0.0).then_some(Noise {
        deviation: settings.noise,
        bias: if settings.noise_as_gnubg {
            Bias::Gnubg
        } else {
            Bias::None
        },
    });
    LeafEvaluator::new(context, noise)
}

/// Returns a value of the search with its counterpart in the other unit.
fn equities(stakes: &Stakes, cube: CubeState, value: f64) -> Equities {
    Equities {
        equity: stakes.to_emg(cube, value),
        mwc: (!stakes.is_money()).then_some(value),
    }
}

fn cubeless(stakes: &Stakes, cube: CubeState, chances: &Chances) -> Equities {
    let equity = stakes.cubeless(cube, chances);
    Equities {
        equity,
        mwc: (!stakes.is_money()).then(|| stakes.to_mwc(cube, equity)),
    }
}

/// Values a position before the roll.
///
/// # Errors
/// [`Stopped`].
pub fn evaluate(
    context: Context<'_>,
    query: &EvalQuery,
    settings: &Settings,
) -> Result<Evaluation, Stopped> {
    deepen(&context, settings, |context, plies| {
        let leaves = leaves_of(context, settings);
        let ask = if settings.cubeful {
            Ask::Value
        } else {
            Ask::Chances
        };
        let tree = Tree::new(context, leaves, query.state, ask, settings, plies);
        let value = tree.root(&query.position, plies)?;
        let (stakes, cube) = (&tree.choice.stakes[0], CubeState::from(query.state.cube));
        Ok(Evaluation {
            class: context.evaluator.class(&query.position),
            chances: value.chances(),
            cubeless: cubeless(stakes, cube, &value.chances()),
            cubeful: (settings.cubeful).then(|| equities(stakes, cube, value.slots[0])),
            plies,
        })
    })
}

/// Ranks the legal plays of a roll.
///
/// # Errors
/// [`Stopped`].
pub fn rank_plays(
    context: Context<'_>,
    query: &PlayQuery,
    settings: &Settings,
) -> Result<RankedPlays, Stopped> {
    if settings.pr.is_none() {
        return rank(context, query, &[], settings);
    }
    let all = &Settings {
        top: None,
        ..settings.clone()
    };
    let ranked = rank(context, query, &[], all)?;
    Ok(play_as_people(ranked, query, settings))
}

/// Ranks the best play of a roll and the plays that lead to these positions, all at the full depth: no filter drops
/// them.
///
/// # Errors
/// [`Stopped`].
pub fn compare_plays(
    context: Context<'_>,
    query: &PlayQuery,
    listed: &[Position],
    settings: &Settings,
) -> Result<RankedPlays, Stopped> {
    let settings = &Settings {
        top: None,
        ..settings.clone()
    };
    let mut ranked = with_shares(rank(context, query, listed, settings)?, settings);
    ranked.keep_best_and(listed);
    Ok(ranked)
}

/// Ranks the legal plays of a roll, the best one and those to the positions `in_full` at the full depth.
fn rank(
    context: Context<'_>,
    query: &PlayQuery,
    in_full: &[Position],
    settings: &Settings,
) -> Result<RankedPlays, Stopped> {
    let plays = PlaysOfRoll::new(&query.position, query.roll);
    let text = |number: usize| plays.text(number);
    let ranked = deepen(&context, settings, |context, plies| {
        let leaves = leaves_of(context, settings);
        let ranking = Ranking::new(context, leaves, query, &text, settings);
        let ranked = ranking.rank(plays.after(), plies)?;
        ranking.deepen(ranked, in_full, plies)
    })?;
    Ok(ranked_plays(query, &plays, ranked, settings.top))
}

/// The legal plays of a roll, a pass if there are none.
struct PlaysOfRoll {
    before: Position,
    plays: Vec<(Play, Position)>,
    /// Number of plays, 0 for a pass.
    legal: usize,
}

impl PlaysOfRoll {
    fn new(before: &Position, roll: Roll) -> PlaysOfRoll {
        let plays = legal_plays(before, roll).into_iter();
        let mut plays: Vec<(Play, Position)> =
            plays.map(|legal| (legal.play, legal.after)).collect();
        let legal = plays.len();
        if plays.is_empty() {
            plays.push((Play::PASS, before.swapped()));
        }
        PlaysOfRoll {
            before: *before,
            plays,
            legal,
        }
    }

    /// Returns the positions after the plays.
    fn after(&self) -> impl Iterator<Item = Position> {
        self.plays.iter().map(|&(_, after)| after)
    }

    /// Returns a play in text form; nothing for a number that none has.
    fn text(&self, number: usize) -> String {
        let play = self.plays.get(number);
        play.map_or_else(String::new, |(play, _)| play_text(&self.before, play))
    }
}

/// Returns the first `top` of ranked plays as an answer.
fn ranked_plays(
    query: &PlayQuery,
    plays: &PlaysOfRoll,
    ranked: Vec<ranking::Candidate>,
    top: Option<usize>,
) -> RankedPlays {
    let is_match = !query.state.score.is_money();
    let top = top.unwrap_or(usize::MAX).max(1);
    let ranked: Vec<RankedPlay> = (ranked.into_iter().take(top))
        .map(|play| RankedPlay {
            play: plays.plays[play.index].0,
            position: play.after,
            value: Equities {
                equity: play.value,
                mwc: is_match.then_some(play.mwc),
            },
            chances: play.chances,
            plies: play.plies,
        })
        .collect();
    RankedPlays {
        position: query.position,
        roll: query.roll,
        plies: ranked.first().map_or(0, |best| best.plies),
        plays: ranked,
        legal: plays.legal,
        people: None,
    }
}

/// Decides whether to double and whether to take.
///
/// # Errors
/// [`Stopped`].
pub fn cube_action(
    context: Context<'_>,
    query: &CubeQuery,
    settings: &Settings,
) -> Result<CubeAnswer, Stopped> {
    let settings = &Settings {
        cubeful: true,
        ..settings.clone()
    };
    let answer = deepen(&context, settings, |context, plies| {
        let leaves = leaves_of(context, settings);
        let tree = Tree::new(context, leaves, query.state, Ask::Decision, settings, plies);
        let value = tree.root(&query.position, plies)?;
        Ok(cube_answer(query, &tree.choice.stakes[0], &value, plies))
    })?;
    Ok(act_as_people(answer, query, settings, context.met))
}

fn cube_answer(query: &CubeQuery, stakes: &Stakes, value: &tree::Value, plies: u8) -> CubeAnswer {
    let [none, take, ..] = value.slots;
    let take = if stakes.is_money() { 2.0 * take } else { take };
    cube_verdict(query, stakes, value.chances(), [none, take], plies)
}

/// Returns the cube decision for the values of not doubling and of a double that is taken, for the player on roll: in
/// points per unit of the undoubled cube, or as match winning chances.
#[must_use]
pub fn cube_verdict(
    query: &CubeQuery,
    stakes: &Stakes,
    chances: Chances,
    [none, take]: [f64; 2],
    plies: u8,
) -> CubeAnswer {
    let cube = CubeState::from(query.state.cube);
    let [no_double, double_take, double_pass] =
        [none, take, stakes.cash(cube)].map(|value| equities(stakes, cube, value));
    let numbers = CubeNumbers {
        no_double: no_double.equity,
        double_take: double_take.equity,
        double_pass: 1.0,
    };
    let decision = numbers.judge(stakes, cube, query.state.rules.beavers, &chances);
    let verdict = decision.verdict;
    let optimal = if decision.optimal == no_double.equity {
        no_double
    } else if decision.optimal == double_take.equity {
        double_take
    } else {
        double_pass
    };
    CubeAnswer {
        chances,
        cubeless: cubeless(stakes, cube, &chances),
        no_double,
        double_take,
        double_pass,
        optimal,
        verdict,
        double: verdict.doubles(),
        take: !verdict.passes() && take_is_right(stakes, cube, &numbers),
        beaver: verdict.beavers(),
        percentage: decision.percentage,
        people: None,
        plies,
    }
}

/// Returns true if taking is right where the verdict leaves it open: a double that is not legal is taken when that
/// costs less than passing.
fn take_is_right(stakes: &Stakes, cube: CubeState, numbers: &CubeNumbers) -> bool {
    stakes.may_double(cube)
        || stakes_are_dead(stakes, cube)
        || numbers.double_take <= numbers.double_pass
}

fn stakes_are_dead(stakes: &Stakes, cube: CubeState) -> bool {
    !stakes.is_money() && cube.owner != CubeOwner::Opponent
}

/// Returns true if a double is worth considering: the player on roll may turn the cube, and would not be wrong to turn a
/// dead one. Searches one ply less deep than the decision itself would (CUBE-11).
///
/// # Errors
/// [`Stopped`].
pub fn considers_double(
    context: Context<'_>,
    query: &CubeQuery,
    settings: &Settings,
) -> Result<bool, Stopped> {
    let (stakes, cube) = (
        Stakes::new(query.state, context.met),
        query.state.cube.into(),
    );
    if !stakes.may_double(cube) {
        return Ok(false);
    }
    let settings = &Settings {
        cubeful: false,
        time_ms: None,
        ..settings.clone()
    };
    let plies = settings.plies.min(Settings::PLIES_MAX).saturating_sub(1);
    let leaves = leaves_of(&context, settings);
    let tree = Tree::new(&context, leaves, query.state, Ask::Chances, settings, plies);
    let chances = tree.root(&query.position, plies)?.chances();
    let beavers = query.state.rules.beavers;
    Ok(f64::from(chances.win) >= dead_double_point(&stakes, cube, beavers, &chances))
}

/// Returns the number of games that the player on roll may resign without loss, or that a person of an error rate resigns.
#[must_use]
pub fn advise_resignation(
    context: Context<'_>,
    query: &EvalQuery,
    settings: &Settings,
) -> ResignAdvice {
    let chances = LeafEvaluator::new(&context, None).one(&query.position);
    let stakes = Stakes::new(query.state, context.met);
    let class = context.evaluator.class(&query.position);
    let games = match settings.pr {
        Some(_) => resign_as_people(query, &stakes, &chances, settings),
        None => resign_advice(&stakes, query.state.cube.into(), class, &chances),
    };
    ResignAdvice { games }
}

/// Returns true if the opponent should accept when the player on roll resigns `games` games (1..=3).
#[must_use]
pub fn accepts_resignation(context: Context<'_>, query: &EvalQuery, games: u8) -> bool {
    let chances = LeafEvaluator::new(&context, None).one(&query.position);
    let stakes = Stakes::new(query.state, context.met);
    accept_resignation(&stakes, query.state.cube.into(), &chances, games)
}
