//! Decisions of nobody's file, judged by deeper searches: what each player loses beside the best candidate.
//!
//! Positions are given, a roll is thrown for each. Candidates are the plays that the players choose and the best by the
//! first judge's static values; each is worth the mean of the judges' values of the position after it. Where all
//! candidates are one nobody loses anything, and nothing is judged. Two players are compared by the paired difference,
//! whose error is a fraction of that of either mean (BM-28 of `protocol-specs/benchmark-files.md`).

use crate::engine::Engine;
use crate::game::{MatchState, Position, Roll, Rules, generate_plays};
use crate::job::{Control, Progress};
use crate::player::{Ours, Player, PlayerError};
use crate::query::{EvalQuery, PlayQuery, Settings, Stop};
use crate::rng::{below, stream};
use rayon::prelude::*;

/// A position and a roll with a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreshDecision {
    /// The player on roll.
    pub position: Position,
    /// What was thrown.
    pub roll: Roll,
}

/// Up to `count` of the positions, each once, drawn by lot and with a roll by lot; those whose roll leaves no choice are
/// passed over.
#[must_use]
pub fn decisions(positions: &[Position], count: usize, seed: u64) -> Vec<FreshDecision> {
    let mut rng = stream(seed, 0x7265_6772);
    let mut left = positions.to_vec();
    let (mut found, mut plays) = (Vec::new(), Vec::new());
    while let Ok(rest @ 1..) = u32::try_from(left.len())
        && found.len() < count
    {
        let position = left.swap_remove(below(&mut rng, rest) as usize);
        let roll = Roll::thrown(&mut rng);
        if position.is_over() {
            continue;
        }
        generate_plays(&position, roll, &mut plays);
        if plays.len() > 1 {
            found.push(FreshDecision { position, roll });
        }
    }
    found
}

/// Says what plays are worth: a search, cubeless.
#[derive(Clone, Debug)]
pub struct PlayJudge {
    engine: Engine,
    settings: Settings,
}

impl PlayJudge {
    /// One of our players as a judge, on all cores.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub fn new(ours: &Ours) -> Result<PlayJudge, PlayerError> {
        let (engine, settings) = ours.engine(0)?;
        Ok(PlayJudge { engine, settings })
    }

    /// As it is told to people.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} at {}-ply", self.engine.net_name(), self.settings.plies)
    }

    /// Equity of who has just moved to `after`, in points.
    fn worth(&self, after: &Position) -> Result<f64, PlayerError> {
        let (position, state) = (*after, MatchState::money(Rules::default()));
        let query = EvalQuery { position, state };
        let value = (self.engine).evaluate(&query, &self.settings, &Stop::never())?;
        Ok(-f64::from(value.chances.equity()))
    }

    /// The positions after the best plays by the static values, at most so many.
    fn favourites(
        &self,
        decision: &FreshDecision,
        most: usize,
    ) -> Result<Vec<Position>, PlayerError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut settings = Settings::plies(0);
        (settings.cubeful, settings.top) = (false, Some(most));
        let query = PlayQuery {
            position: decision.position,
            roll: decision.roll,
            state: MatchState::money(Rules::default()),
        };
        let ranked = self.engine.rank_plays(&query, &settings, &Stop::never())?;
        Ok(ranked.plays.iter().map(|play| play.position).collect())
    }
}

/// Decisions between two looks at whether to stop.
const DECISIONS_PER_LOOK: usize = 64;

/// What each player loses at each decision, in points beside the best candidate; fewer decisions when it was stopped.
///
/// # Errors
/// When a player or a judge fails.
pub fn regrets(
    decisions: &[FreshDecision],
    players: &[Box<dyn Player>],
    (judges, candidates): (&[PlayJudge], usize),
    control: &mut Control<'_>,
) -> Result<Vec<Vec<f64>>, PlayerError> {
    let mut lost = Vec::with_capacity(decisions.len());
    for chunk in decisions.chunks(DECISIONS_PER_LOOK) {
        let total = Some(decisions.len() as u64);
        control.tell_progress(Progress::new("decisions", lost.len() as u64, total), false);
        if control.stop.is_triggered() {
            break;
        }
        let from = lost.len() as u64;
        let choices: Vec<Vec<Position>> = (chunk.par_iter().enumerate())
            .map(|(index, decision)| {
                let choose = |player: &dyn Player| {
                    let mut chance = stream(from + index as u64, 0x7265_6772);
                    player.play(&decision.position, decision.roll, &mut chance)
                };
                players.iter().map(|player| choose(&**player)).collect()
            })
            .collect::<Result<_, _>>()?;
        for (decision, choices) in chunk.iter().zip(choices) {
            lost.push(judged(decision, &choices, judges, candidates)?);
        }
    }
    let total = Some(decisions.len() as u64);
    control.tell_progress(Progress::new("decisions", lost.len() as u64, total), true);
    Ok(lost)
}

/// What each of the choices loses.
fn judged(
    decision: &FreshDecision,
    choices: &[Position],
    judges: &[PlayJudge],
    most: usize,
) -> Result<Vec<f64>, PlayerError> {
    let mut candidates: Vec<Position> = Vec::new();
    let favourites = match judges.first() {
        Some(judge) => judge.favourites(decision, most)?,
        None => Vec::new(),
    };
    for after in choices.iter().chain(&favourites) {
        if !candidates.contains(after) {
            candidates.push(*after);
        }
    }
    if candidates.len() < 2 {
        return Ok(vec![0.0; choices.len()]);
    }
    let worth = |after: &Position| -> Result<f64, PlayerError> {
        let values = judges.iter().map(|judge| judge.worth(after));
        let sum: f64 = values.sum::<Result<f64, _>>()?;
        Ok(sum / judges.len().max(1) as f64)
    };
    let values: Vec<f64> = candidates.iter().map(worth).collect::<Result<_, _>>()?;
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The choices are the first candidates, but for those that were there already.
    let value = |after: &Position| candidates.iter().position(|one| one == after);
    Ok((choices.iter())
        .map(|after| value(after).map_or(0.0, |at| best - values[at]))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;

    /// BM-28.
    #[test]
    fn who_chooses_as_the_judge_loses_nothing_and_chance_loses_much() {
        let mut positions = vec![Position::start(); 40];
        let mut plays = Vec::new();
        for index in 1..positions.len() {
            generate_plays(&positions[index - 1], Roll::ALL[index % 21], &mut plays);
            let next = plays.get(plays.len() / 2).copied();
            positions[index] = next.unwrap_or(positions[index - 1].swapped());
        }
        let all = decisions(&positions, 25, 3);
        assert_eq!(all.len(), 25);
        assert_eq!(all, decisions(&positions, 25, 3));
        assert_ne!(all, decisions(&positions, 25, 4));
        let open = |text: &str| text.parse::<PlayerSpec>().unwrap().open().unwrap();
        let players = [open("gammond"), open("random")];
        let judge = PlayJudge::new(&Ours::default()).unwrap();
        let mut control = Control::quiet();
        let lost = regrets(&all, &players, (&[judge], 4), &mut control).unwrap();
        assert_eq!(lost.len(), 25);
        assert!(lost.iter().all(|lost| lost[0] == 0.0 && lost[1] >= 0.0));
        assert!(lost.iter().map(|lost| lost[1]).sum::<f64>() > 0.5);
        // Without other candidates the better choice of the two is the measure.
        let judge = PlayJudge::new(&Ours::default()).unwrap();
        let lost = regrets(&all, &players, (&[judge], 0), &mut Control::quiet()).unwrap();
        assert!(lost.iter().all(|lost| lost[0] == 0.0));
    }
}
