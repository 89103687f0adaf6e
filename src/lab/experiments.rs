//! Experiments of the literature by name: what was claimed, and what comes out here.

use super::hillclimb::HillPlan;
use super::td::TdPlan;
use super::{LabError, TestScore, Tests, run_course};
use crate::duel::{DuelPlan, Tally, play_duel};
use crate::job::Control;
use crate::player::classic::{ClassicNet, ClassicPlayer, ClassicShape, Representation, Sides};
use crate::player::{Player, PlayerSpec};
use std::path::Path;

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabVerdict {
    /// It holds here.
    Reproduced,
    /// It does not.
    Refuted,
    /// The figures do not decide it.
    Open,
}

impl LabVerdict {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LabVerdict::Reproduced => "reproduced",
            LabVerdict::Refuted => "refuted",
            LabVerdict::Open => "open",
        }
    }

    const fn of(holds: bool) -> LabVerdict {
        match holds {
            true => LabVerdict::Reproduced,
            false => LabVerdict::Refuted,
        }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub struct LabFinding {
    /// The figures, on one line.
    pub result: String,
    /// What they say of the claim.
    pub verdict: LabVerdict,
}

/// Where an experiment is done.
#[derive(Clone, Copy, Debug)]
pub struct Ground<'a> {
    /// The folder in which its training is kept, so that it goes on after a kill.
    pub folder: &'a Path,
    /// Of all chance in it.
    pub seed: u64,
}

/// An experiment.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Its name.
    pub name: &'static str,
    /// What was published.
    pub claim: &'static str,
    /// What is done here.
    pub here: &'static str,
    work: fn(&Ground<'_>, &mut Control<'_>) -> Result<Option<LabFinding>, LabError>,
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Experiment {
    /// All of them.
    pub const ALL: [Experiment; 6] = [
        Experiment {
            name: "random-even",
            claim: "two random players are even, within three standard errors",
            here: "2,000 games with independent dice",
            work: random_even,
        },
        Experiment {
            name: "expectiminimax-1",
            claim: "a sane evaluator at one ply wins at least 95 of 100 games against random plays",
            here: "the built-in linear evaluator, 100 games",
            work: |ground, control| expectiminimax(1, ground, control),
        },
        Experiment {
            name: "expectiminimax-2",
            claim: "a sane evaluator at two plies wins at least 95 of 100 games against random plays",
            here: "the built-in linear evaluator, 100 games",
            work: |ground, control| expectiminimax(2, ground, control),
        },
        Experiment {
            name: "td0",
            claim: "TD(0) with TDG-Board wins more than 90 % against random plays after training",
            here: "20 neurons, alpha 0.1, 10,000 games, 1,000 test games",
            work: |ground, control| td(0.0, ground, control),
        },
        Experiment {
            name: "td-lambda",
            claim: "TD(0.7) with TDG-Board wins more than 90 % against random plays after training",
            here: "20 neurons, alpha 0.1, 10,000 games, 1,000 test games",
            work: |ground, control| td(0.7, ground, control),
        },
        Experiment {
            name: "hillclimb",
            claim: "hill climbing wins more than 60 % against random plays; published precedents reach 40 to 45 % against PubEval after \
                    100,000 rounds",
            here: "196-20-1, 1,000 rounds of best of three, 1,000 test games against each",
            work: hillclimb,
        },
    ];

    /// The one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Experiment> {
        Experiment::ALL.into_iter().find(|one| one.name == name)
    }

    /// Does it; none when it was stopped.
    ///
    /// # Errors
    /// [`LabError`].
    pub fn run(
        &self,
        ground: &Ground<'_>,
        control: &mut Control<'_>,
    ) -> Result<Option<LabFinding>, LabError> {
        control.task = self.name.to_owned();
        (self.work)(ground, control)
    }
}

fn player(text: &str) -> Result<Box<dyn Player>, LabError> {
    Ok(text.parse::<PlayerSpec>()?.open()?)
}

fn random_even(
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let (a, b) = (player("random")?, player("random")?);
    let plan = DuelPlan {
        seed: ground.seed,
        pairs: 1_000,
        independent: true,
        ..DuelPlan::default()
    };
    let end = play_duel(&plan, [&*a, &*b], None, control)?;
    Ok(end.complete.then(|| even(&end.sum)))
}

fn even(tally: &Tally) -> LabFinding {
    let games = tally.games() as f64;
    let share = tally.wins[0][0] as f64 / games;
    let error = (0.25 / games).sqrt();
    let (mean, points_error) = (tally.points.mean(), tally.points.standard_error());
    LabFinding {
        result: format!(
            "{:.2} % of {games} games won, standard error {:.2} %; {mean:+.4} +- {points_error:.4} points per game",
            100.0 * share,
            100.0 * error
        ),
        verdict: LabVerdict::of((share - 0.5).abs() < 3.0 * error),
    }
}

fn expectiminimax(
    depth: u8,
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let own = player(&format!("expectiminimax:depth={depth}"))?;
    let random = player("random")?;
    let tests = Tests {
        opponent: &*random,
        games: 100,
        seed: ground.seed,
    };
    let score = tests.of(&*own, &control.stop)?;
    Ok(score.map(|score| LabFinding {
        result: format!("{} of {} games won; {score}", score.wins, score.games),
        verdict: LabVerdict::of(score.wins >= 95),
    }))
}

/// Against random plays and against PubEval.
fn scores(
    net: &ClassicNet,
    ground: &Ground<'_>,
    control: &Control<'_>,
) -> Result<Option<[TestScore; 2]>, LabError> {
    let own = ClassicPlayer::new("net", net.clone(), Sides::Swap);
    let mut found = [TestScore::default(); 2];
    for (score, name) in found.iter_mut().zip(["random", "pubeval"]) {
        let opponent = player(name)?;
        let tests = Tests {
            opponent: &*opponent,
            games: 1_000,
            seed: ground.seed ^ 0x7465_7374,
        };
        match tests.of(&own, &control.stop)? {
            Some(one) => *score = one,
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// Whether a share of wins is above a claim with the whole 95 % interval, below it, or neither.
fn above(score: &TestScore, claim: f64) -> LabVerdict {
    if score.share() - score.reach() > claim {
        LabVerdict::Reproduced
    } else if score.share() + score.reach() < claim {
        LabVerdict::Refuted
    } else {
        LabVerdict::Open
    }
}

fn told([random, pubeval]: &[TestScore; 2], claim: f64) -> LabFinding {
    LabFinding {
        result: format!("against random: {random}; against PubEval: {pubeval}"),
        verdict: above(random, claim),
    }
}

fn shape(representation: Representation) -> Option<ClassicShape> {
    ClassicShape::new(representation, &[20], 1).ok()
}

fn td(
    lambda: f32,
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(shape) = shape(Representation::TdgBoard) else {
        return Ok(None);
    };
    let plan = TdPlan {
        shape,
        range: 0.1,
        seed: ground.seed,
        alpha: 0.1,
        half_life: None,
        lambda,
        sides: Sides::Invert,
        episodes: 10_000,
        every: 500,
        tests: None,
    };
    let journal = (ground.folder).join(format!("{}-{}.journal", control.task, ground.seed));
    let end = run_course(&plan, Some(&journal), control)?;
    if !end.complete {
        return Ok(None);
    }
    Ok(scores(&end.state.net, ground, control)?.map(|scores| told(&scores, 0.9)))
}

fn hillclimb(
    ground: &Ground<'_>,
    control: &mut Control<'_>,
) -> Result<Option<LabFinding>, LabError> {
    let Some(shape) = shape(Representation::TdGammon196) else {
        return Ok(None);
    };
    let plan = HillPlan {
        shape,
        range: 0.1,
        seed: ground.seed,
        mutation: 0.5,
        alpha: 0.05,
        best_of: 3,
        sides: Sides::Swap,
        teacher: None,
        rounds: 1_000,
        every: 50,
        tests: None,
    };
    let journal = (ground.folder).join(format!("{}-{}.journal", control.task, ground.seed));
    let end = run_course(&plan, Some(&journal), control)?;
    if !end.complete {
        return Ok(None);
    }
    Ok(scores(&end.state.net, ground, control)?.map(|scores| told(&scores, 0.6)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_one_experiment_each() {
        for one in Experiment::ALL {
            assert_eq!(Experiment::named(one.name).unwrap().claim, one.claim);
            assert!(!one.claim.contains("  ") && !one.claim.contains('\n'));
        }
        assert!(Experiment::named("none").is_none());
    }

    #[test]
    fn verdicts_need_the_whole_interval() {
        let score = |wins| TestScore {
            games: 1000,
            wins,
            points: [0.0; 2],
        };
        let verdicts = [930, 905, 850].map(|wins| above(&score(wins), 0.9));
        let wanted = [
            LabVerdict::Reproduced,
            LabVerdict::Open,
            LabVerdict::Refuted,
        ];
        assert_eq!(verdicts, wanted);
    }
}
