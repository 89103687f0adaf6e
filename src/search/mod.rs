//! n-ply look-ahead, play filters, play ranking, cube decisions.

use crate::eval::Evaluator;
use crate::game::{Chances, Play, legal_plays};
use crate::query::{
    CubeAnswer, CubeQuery, Equities, EvalQuery, Evaluation, PlayQuery, RankedPlay, RankedPlays,
    Settings, Stop, Verdict,
};

/// What a search needs besides the question.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Judges the leaves.
    pub evaluator: &'a dyn Evaluator,
    /// Ends the search early.
    pub stop: &'a Stop,
}

/// Values a position before the roll.
#[must_use]
pub fn evaluate(context: Context<'_>, query: &EvalQuery, settings: &Settings) -> Evaluation {
    let _ = settings;
    let mut out = [Chances::default()];
    context
        .evaluator
        .evaluate(None, &[query.position], &mut out);
    let equity = f64::from(out[0].equity());
    Evaluation {
        class: context.evaluator.class(&query.position),
        chances: out[0],
        cubeless: Equities { equity, mwc: None },
        cubeful: None,
        plies: 0,
    }
}

/// Ranks the legal plays of a roll.
#[must_use]
pub fn rank_plays(context: Context<'_>, query: &PlayQuery, settings: &Settings) -> RankedPlays {
    let legal = legal_plays(&query.position, query.roll);
    let mut after: Vec<_> = legal.iter().map(|play| play.after).collect();
    let mut steps: Vec<_> = legal.iter().map(|play| play.play).collect();
    if legal.is_empty() {
        after.push(query.position.swapped());
        steps.push(Play::PASS);
    }
    let mut chances = vec![Chances::default(); after.len()];
    context
        .evaluator
        .evaluate(Some(&query.position.swapped()), &after, &mut chances);
    let mut plays: Vec<_> = (steps.into_iter().zip(after).zip(chances))
        .map(|((play, position), theirs)| {
            let chances = theirs.inverted();
            let value = Equities {
                equity: f64::from(chances.equity()),
                mwc: None,
            };
            RankedPlay {
                play,
                position,
                value,
                chances,
                plies: 0,
            }
        })
        .collect();
    plays.sort_by(|a, b| b.value.equity.total_cmp(&a.value.equity));
    plays.truncate(settings.top.unwrap_or(usize::MAX).max(1));
    RankedPlays {
        position: query.position,
        roll: query.roll,
        plays,
        plies: 0,
        legal: legal.len(),
    }
}

/// Decides whether to double and whether to take.
#[must_use]
pub fn cube_action(context: Context<'_>, query: &CubeQuery, settings: &Settings) -> CubeAnswer {
    let query = EvalQuery {
        position: query.position,
        state: query.state,
    };
    let evaluation = evaluate(context, &query, settings);
    let at = |equity| Equities { equity, mwc: None };
    CubeAnswer {
        chances: evaluation.chances,
        cubeless: evaluation.cubeless,
        no_double: evaluation.cubeless,
        double_take: at(evaluation.cubeless.equity * 2.0),
        double_pass: at(1.0),
        optimal: evaluation.cubeless,
        verdict: Verdict::NoDoubleTake,
        double: false,
        take: true,
        beaver: false,
        percentage: None,
        plies: 0,
    }
}
