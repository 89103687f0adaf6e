//! Hill climbing of a linear player: the weights of features that the user chose.

use super::hillclimb::{Rounds, Teacher, climbed};
use super::{LabError, TestScore, Tests, TrainingLoop};
use gammond_arena::player::classic::Sides;
use gammond_arena::player::{Linear, Player as _};
use gammond_base::rng::stream;
use gammond_base::stop::Stop;
use gammond_job::{BadPart, Header, Progress};

/// Settings of the climb; rounds are those of [`super::hillclimb`].
#[derive(Debug)]
pub struct LinearPlan<'a> {
    /// The first champion.
    pub start: &'a Linear,
    /// Seed of mutations and dice.
    pub seed: u64,
    /// A challenger's weight is the champion's and a number uniform in [-mutation, mutation), divided by the usual
    /// size of the weight's factor.
    pub mutation: f64,
    /// Distance that the champion moves towards a challenger that wins, as a share.
    pub alpha: f64,
    /// Games of a match at most; it ends when one has won more than half of them.
    pub best_of: u64,
    /// Player that teaches and guards, with its settings.
    pub teacher: Option<Teacher<'a>>,
    /// Rounds to play.
    pub rounds: u64,
    /// Rounds in a step.
    pub every: u64,
    /// Test of the champion after each step.
    pub tests: Option<Tests<'a>>,
}

/// The champion and its learning curve.
#[derive(Clone, Debug)]
pub struct LinearState {
    /// The champion.
    pub player: Linear,
    /// Challengers that won.
    pub moved: u64,
    /// Scores after each step; empty without tests.
    pub curve: Vec<TestScore>,
}

/// Figures of a record before the weights: challengers that won, then the four of a score.
const FIGURES: usize = 5;
const CHAMPION: &str = "champion";

impl LinearPlan<'_> {
    fn rule(&self) -> Rounds<'_> {
        Rounds {
            seed: self.seed,
            best_of: self.best_of,
            teacher: self.teacher,
        }
    }
}

impl TrainingLoop for LinearPlan<'_> {
    type State = LinearState;

    fn header(&self) -> Result<Header, LabError> {
        let header = Header::new("lab hillclimb linear", 1)
            .field("start", self.start.identity()?)
            .field("seed", self.seed)
            .field("mutation", self.mutation)
            .field("alpha", self.alpha)
            .field("best of", self.best_of)
            .field("every", self.every);
        let header = self.rule().described(header)?;
        match &self.tests {
            Some(tests) => tests.described(header, Sides::Swap),
            None => Ok(header),
        }
    }

    fn steps(&self) -> u64 {
        self.rounds.div_ceil(self.every.max(1))
    }

    fn start(&self) -> LinearState {
        LinearState {
            player: self.start.clone(),
            moved: 0,
            curve: Vec::new(),
        }
    }

    fn step(
        &self,
        state: &LinearState,
        number: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, LabError> {
        let (mut champion, mut moved) = (state.player.clone(), state.moved);
        let rule = self.rule();
        for round in number * self.every..(number + 1) * self.every {
            let rng = &mut stream(self.seed, round + 1);
            let challenger = champion.mutated("challenger", self.mutation, rng);
            match rule.wins_round([&challenger, &champion], round, stop)? {
                None => return Ok(None),
                Some(false) => {}
                Some(true) => {
                    moved += 1;
                    let pairs = champion.weights().into_iter().zip(challenger.weights());
                    let weights = pairs.map(|(own, other)| own + self.alpha * (other - own));
                    let weights: Vec<f64> = weights.collect();
                    if let Some(next) = champion.with_weights(CHAMPION, &weights) {
                        champion = next;
                    }
                }
            }
        }
        let score = match &self.tests {
            None => TestScore::default(),
            Some(tests) => match tests.of(&champion, stop)? {
                Some(score) => score,
                None => return Ok(None),
            },
        };
        let [games, wins, points, error] = score.numbers();
        let figures = [moved as f64, games, wins, points, error];
        let all = figures.into_iter().chain(champion.weights());
        Ok(Some(all.flat_map(f64::to_le_bytes).collect()))
    }

    fn restore(&self, state: &mut LinearState, _: u64, record: &[u8]) -> Result<(), BadPart> {
        let (numbers, rest) = record.as_chunks::<8>();
        let numbers: Vec<f64> = numbers.iter().map(|one| f64::from_le_bytes(*one)).collect();
        let (figures, weights) = numbers.split_first_chunk::<FIGURES>().ok_or(BadPart)?;
        let player = state.player.with_weights(CHAMPION, weights);
        state.player = player.filter(|_| rest.is_empty()).ok_or(BadPart)?;
        let [moved, games, wins, points, error] = *figures;
        state.moved = moved as u64;
        if self.tests.is_some() {
            let score = TestScore::from_numbers([games, wins, points, error]);
            state.curve.push(score);
        }
        Ok(())
    }

    fn progress(&self, state: &LinearState, steps: u64) -> Progress {
        let rounds = [steps, self.steps()].map(|steps| steps * self.every);
        climbed(rounds, state.moved, state.curve.last())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::run_training;
    use gammond_arena::player::PlayerSpec;
    use gammond_job::Control;

    /// From weights of 0 the climber learns to beat a random player.
    #[test]
    fn a_climber_learns_features() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("zero.toml");
        let text =
            "symmetric = true\n[weights]\npips = 0\nblots = 0\npoints = 0\nbar = 0\noff = 0\n";
        std::fs::write(&path, text).unwrap();
        let start = Linear::open(Some(&path)).unwrap();
        let random = "random".parse::<PlayerSpec>().unwrap().open().unwrap();
        let plan = LinearPlan {
            start: &start,
            seed: 2,
            mutation: 0.5,
            alpha: 0.2,
            best_of: 3,
            teacher: None,
            rounds: 60,
            every: 20,
            tests: Some(Tests {
                opponent: &*random,
                games: 60,
                seed: 9,
            }),
        };
        let end = run_training(&plan, None, &mut Control::quiet()).unwrap();
        let state = &end.state;
        assert!(end.complete && state.moved > 10, "{}", state.moved);
        assert_eq!(state.curve.len(), 3);
        assert!(state.curve[2].share() > 0.8, "{:?}", state.curve);
        assert!(state.player.weights().iter().all(|weight| *weight != 0.0));
        let mut other = plan.start();
        for broken in [&[0; 9][..], &[0; 88]] {
            assert!(plan.restore(&mut other, 0, broken).is_err());
        }
    }
}
