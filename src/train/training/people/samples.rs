//! Samples to learn from: judged decisions, each with the error rate of its player.

use super::PeoplePlan;
use super::decisions::{Choice, Decision};
use super::judge::{Judged, JudgedCube, JudgedPlay};
use gammond_engine::people::{CubeOption, PlayOption, cube_inputs, play_inputs};
use gammond_game::{Position, Roll};
use std::collections::HashMap;

/// Choices that a person had.
pub(super) enum Options {
    /// Plays, best first, with the number of the chosen one.
    Plays {
        before: Position,
        roll: Roll,
        plays: Vec<PlayOption>,
        chosen: usize,
    },
    /// A double or a take, true if it was chosen.
    Cube {
        option: CubeOption,
        take: bool,
        acted: bool,
    },
}

/// A decision with what it loses.
pub(super) struct Sample {
    pub(super) options: Options,
    /// Logarithm of the player's error rate in the other decisions.
    pub(super) level: f32,
    pub(super) held_out: bool,
}

impl Sample {
    /// Returns the inputs of each choice, and the number of the chosen one. Not to act on the cube has no inputs and
    /// is the last choice.
    pub(super) fn inputs(&self) -> (Vec<Vec<f32>>, usize) {
        match &self.options {
            Options::Plays {
                before,
                roll,
                plays,
                chosen,
            } => {
                let inputs = play_inputs(before, *roll, plays, self.level);
                (inputs.iter().map(|input| input.to_vec()).collect(), *chosen)
            }
            Options::Cube { option, acted, .. } => {
                let inputs = cube_inputs(option, self.level).to_vec();
                (vec![inputs], usize::from(!acted))
            }
        }
    }

    /// Returns the equity that the choice lost.
    pub(super) fn loss(&self) -> f64 {
        self.options.loss()
    }
}

impl Options {
    /// Returns the equity that the choice lost.
    pub(super) fn loss(&self) -> f64 {
        f64::from(match self {
            Options::Plays { plays, chosen, .. } => plays[*chosen].loss,
            Options::Cube { option, acted, .. } => {
                (if *acted { -option.gain } else { option.gain }).max(0.0)
            }
        })
    }
}

/// Decisions that can be learnt from.
pub(super) struct Samples {
    pub(super) all: Vec<Sample>,
    players: usize,
}

impl Samples {
    pub(super) fn summary(&self) -> String {
        let held = self.all.iter().filter(|sample| sample.held_out).count();
        let mut levels: Vec<f32> = self.all.iter().map(|sample| sample.level).collect();
        levels.sort_by(f32::total_cmp);
        let share = |percent: usize| {
            let at = levels.len().saturating_sub(1) * percent / 100;
            levels.get(at).map_or(0.0, |level| level.exp())
        };
        let shares =
            [1, 10, 50, 90, 99].map(|percent| format!("{:.1} ({percent} %)", share(percent)));
        format!(
            "{} decisions of {} players, {held} of them held out; error rates {}",
            self.all.len(),
            self.players,
            shares.join(", ")
        )
    }

    /// Returns, for error rates of 4, 8 and 16, the loss that one play in two thousand exceeds.
    pub(super) fn losses_most(&self) -> [f64; 3] {
        [4.0, 8.0, 16.0].map(|pr: f64| {
            let near = |sample: &&Sample| (f64::from(sample.level) - pr.ln()).abs() < 0.35;
            let mut losses: Vec<f64> = self.all.iter().filter(near).map(Sample::loss).collect();
            losses.sort_by(f64::total_cmp);
            let at = losses.len().saturating_sub(1 + losses.len() / 2000);
            losses.get(at).copied().unwrap_or(1.0)
        })
    }
}

/// Losses of a player, and number of the decisions that count for the performance rating.
#[derive(Clone, Copy, Default)]
struct Sums {
    loss: f64,
    counted: f64,
}

/// Makes samples of judged decisions.
pub(super) fn of(plan: &PeoplePlan, decisions: &[Decision], judged: Vec<Judged>) -> Samples {
    let mut players: HashMap<u32, Sums> = HashMap::new();
    let mut whole = Sums::default();
    let lost: Vec<Sums> = decisions
        .iter()
        .zip(&judged)
        .map(|(one, judged)| sums(one, judged))
        .collect();
    for (decision, lost) in decisions.iter().zip(&lost) {
        for sums in [players.entry(decision.player).or_default(), &mut whole] {
            sums.loss += lost.loss;
            sums.counted += lost.counted;
        }
    }
    let mean = whole.loss / whole.counted.max(1.0);
    let count = players.len();
    let part = (plan.held_out * 1000.0) as u64;
    let all = decisions.iter().zip(judged).zip(&lost);
    let all = all.filter_map(|((decision, judged), lost)| {
        let player = players.get(&decision.player)?;
        let rate = (player.loss - lost.loss + plan.pull * mean)
            / (player.counted - lost.counted + plan.pull);
        Some(Sample {
            options: options(decision, judged)?,
            level: (500.0 * rate).max(0.5).ln() as f32,
            held_out: (decision.group ^ plan.seed) % 1000 < part,
        })
    });
    Samples {
        all: all.collect(),
        players: count,
    }
}

/// Returns a decision's loss, and 1 if it counts (ANA-13).
fn sums(decision: &Decision, judged: &Judged) -> Sums {
    let (loss, counts) = match (decision.choice, judged) {
        (Choice::Play(_, after), Judged::Plays(plays)) => {
            let chosen = plays.iter().find(|play| play.option.after == after);
            (chosen.map_or(0.0, |play| play.option.loss), plays.len() > 1)
        }
        (Choice::Double(acted), Judged::Cube(cube)) => {
            let gain = cube.gain_of_double();
            let loss = if acted { -gain } else { gain }.max(0.0);
            (loss, acted || loss > 0.0 || gain.abs() < 0.16)
        }
        (Choice::Take(acted), Judged::Cube(cube)) => {
            let gain = cube.gain_of_take();
            (if acted { -gain } else { gain }.max(0.0), true)
        }
        _ => (0.0, false),
    };
    Sums {
        loss: loss.into(),
        counted: f64::from(u8::from(counts)),
    }
}

fn options(decision: &Decision, judged: Judged) -> Option<Options> {
    match (decision.choice, judged) {
        (Choice::Play(roll, after), Judged::Plays(plays)) => {
            let plays: Vec<PlayOption> = plays
                .iter()
                .map(|&JudgedPlay { option, .. }| option)
                .collect();
            let chosen = plays.iter().position(|play| play.after == after)?;
            (plays.len() > 1).then_some(Options::Plays {
                before: decision.position,
                roll,
                plays,
                chosen,
            })
        }
        (Choice::Double(acted), Judged::Cube(cube)) => {
            Some(cube_options(decision, &cube, false, acted))
        }
        (Choice::Take(acted), Judged::Cube(cube)) => {
            Some(cube_options(decision, &cube, true, acted))
        }
        _ => None,
    }
}

fn cube_options(decision: &Decision, cube: &JudgedCube, take: bool, acted: bool) -> Options {
    Options::Cube {
        option: cube.option(&decision.position, &decision.state, take),
        take,
        acted,
    }
}
