//! Hill climbing (Pollack and Blair 1998): a mutation of the champion that wins a match against it draws the champion's
//! weights a little its way.

use super::training_loop::{pack, unpack};
use super::{LabError, TestScore, Tests, TrainingLoop};
use gammond_arena::duel::play_game;
use gammond_arena::player::Player;
use gammond_arena::player::classic::{ClassicNet, ClassicPlayer, ClassicShape, Sides};
use gammond_base::rng::{stream, unit};
use gammond_base::stop::Stop;
use gammond_job::{BadPart, Header, Progress};

/// Streams of the first weights and of the mutations; games have seeds of their own.
const WEIGHTS: u64 = 0;
const GAMES: u64 = 0x6761_6d65;

/// Settings of hill climbing.
#[derive(Clone, Debug)]
pub struct HillPlan<'a> {
    /// Shape of the net.
    pub shape: ClassicShape,
    /// The first champion's weights are uniform in [-range, range); 0 makes all of them 0.
    pub range: f32,
    /// Seed of weights, mutations and dice.
    pub seed: u64,
    /// A challenger's weights are the champion's and a number uniform in [-mutation, mutation) each.
    pub mutation: f32,
    /// Distance that the champion moves towards a challenger that wins, as a share.
    pub alpha: f32,
    /// Games of a match at most; it ends when one has won more than half of them.
    pub best_of: u64,
    /// View of the board by which the nets play.
    pub sides: Sides,
    /// Player that teaches and guards, with its settings.
    pub teacher: Option<Teacher<'a>>,
    /// Rounds to play.
    pub rounds: u64,
    /// Rounds in a step.
    pub every: u64,
    /// Test of the champion after each step.
    pub tests: Option<Tests<'a>>,
}

/// A player that does not learn.
#[derive(Clone, Copy)]
pub struct Teacher<'a> {
    /// The player.
    pub player: &'a dyn Player,
    /// In the first so many rounds champion and challenger each play their match against the teacher, with the same dice;
    /// the challenger wins the round when it wins more games.
    pub curriculum: u64,
    /// Later, a challenger that has beaten the champion must not win fewer of so many games against the teacher than the
    /// champion does with the same dice.
    pub guard: u64,
}

impl std::fmt::Debug for Teacher<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.player.name())
    }
}

/// The champion and its learning curve.
#[derive(Clone, Debug)]
pub struct HillState {
    /// The champion.
    pub net: ClassicNet,
    /// Challengers that won.
    pub moved: u64,
    /// Scores after each step; empty without tests.
    pub curve: Vec<TestScore>,
}

impl HillPlan<'_> {
    /// Returns a challenger of this round.
    fn challenger(&self, champion: &ClassicNet, round: u64) -> ClassicNet {
        let mut rng = stream(self.seed, round + 1);
        let mut net = champion.clone();
        for parameter in net.parameters_mut() {
            *parameter += (2.0 * unit(&mut rng) - 1.0) as f32 * self.mutation;
        }
        net
    }

    fn rounds(&self) -> Rounds<'_> {
        Rounds {
            seed: self.seed,
            best_of: self.best_of,
            teacher: self.teacher,
        }
    }
}

/// Rule by which a challenger wins a round.
pub(super) struct Rounds<'a> {
    pub(super) seed: u64,
    pub(super) best_of: u64,
    pub(super) teacher: Option<Teacher<'a>>,
}

impl Rounds<'_> {
    /// Adds the teacher to a header.
    pub(super) fn described(&self, header: Header) -> Result<Header, LabError> {
        let Some(teacher) = &self.teacher else {
            return Ok(header);
        };
        Ok(header
            .field("teacher", teacher.player.identity()?)
            .field("curriculum", teacher.curriculum)
            .field("guard", teacher.guard))
    }

    /// Returns the number of `games` that `player` wins against another; `None` if it was stopped.
    fn wins(
        &self,
        [player, other]: [&dyn Player; 2],
        (first, games): (u64, u64),
        stop: &Stop,
    ) -> Result<Option<u64>, LabError> {
        let mut wins = 0;
        for game in first..first + games {
            match play_game([player, other], self.seed ^ GAMES, game, stop)? {
                Some(finish) => wins += u64::from(finish.points > 0),
                None => return Ok(None),
            }
        }
        Ok(Some(wins))
    }

    /// Plays a match of `best_of` games; returns true if the challenger wins it.
    fn wins_match(
        &self,
        [challenger, champion]: [&dyn Player; 2],
        first: u64,
        stop: &Stop,
    ) -> Result<Option<bool>, LabError> {
        let (mut won, mut lost) = (0, 0);
        for game in first..first + self.best_of {
            match play_game([challenger, champion], self.seed ^ GAMES, game, stop)? {
                Some(finish) if finish.points > 0 => won += 1,
                Some(_) => lost += 1,
                None => return Ok(None),
            }
            if 2 * won.max(lost) > self.best_of {
                break;
            }
        }
        Ok(Some(won > lost))
    }

    /// Plays a round; returns true if the challenger wins it.
    pub(super) fn wins_round(
        &self,
        players: [&dyn Player; 2],
        round: u64,
        stop: &Stop,
    ) -> Result<Option<bool>, LabError> {
        let guard = self.teacher.map_or(0, |teacher| teacher.guard);
        let first = round * (self.best_of + guard);
        let [challenger, champion] = players;
        // True if the challenger does better against the teacher, and if it does as well.
        let beside = |teacher: &dyn Player, games: (u64, u64)| -> Result<_, LabError> {
            let own = self.wins([challenger, teacher], games, stop)?;
            let other = self.wins([champion, teacher], games, stop)?;
            Ok(own
                .zip(other)
                .map(|(own, other)| [own > other, own >= other]))
        };
        match &self.teacher {
            Some(teacher) if round < teacher.curriculum => {
                let seen = beside(teacher.player, (first, self.best_of))?;
                Ok(seen.map(|[better, _]| better))
            }
            Some(teacher) if guard > 0 => {
                let won = self.wins_match(players, first, stop)?;
                if won != Some(true) {
                    return Ok(won);
                }
                let seen = beside(teacher.player, (first + self.best_of, guard))?;
                Ok(seen.map(|[_, as_good]| as_good))
            }
            _ => self.wins_match(players, first, stop),
        }
    }
}

impl TrainingLoop for HillPlan<'_> {
    type State = HillState;

    fn header(&self) -> Result<Header, LabError> {
        let shape = &self.shape;
        let layers = shape.layers().iter().map(usize::to_string);
        let header = Header::new("lab hillclimb", 1)
            .field("representation", shape.representation().name())
            .field("layers", layers.collect::<Vec<_>>().join(" "))
            .field("range", self.range)
            .field("seed", self.seed)
            .field("mutation", self.mutation)
            .field("alpha", self.alpha)
            .field("best of", self.best_of)
            .field("sides", self.sides.name())
            .field("every", self.every);
        let header = self.rounds().described(header)?;
        match &self.tests {
            Some(tests) => tests.described(header, self.sides),
            None => Ok(header),
        }
    }

    fn steps(&self) -> u64 {
        self.rounds.div_ceil(self.every.max(1))
    }

    fn start(&self) -> HillState {
        let mut rng = stream(self.seed, WEIGHTS);
        HillState {
            net: ClassicNet::random(self.shape.clone(), self.range, &mut rng),
            moved: 0,
            curve: Vec::new(),
        }
    }

    fn step(
        &self,
        state: &HillState,
        number: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, LabError> {
        let (mut champion, mut moved) = (state.net.clone(), state.moved);
        let rounds = self.rounds();
        for round in number * self.every..(number + 1) * self.every {
            let challenger = self.challenger(&champion, round);
            let players = [
                ClassicPlayer::new("challenger", challenger.clone(), self.sides),
                ClassicPlayer::new("champion", champion.clone(), self.sides),
            ];
            match rounds.wins_round([&players[0], &players[1]], round, stop)? {
                None => return Ok(None),
                Some(false) => {}
                Some(true) => {
                    moved += 1;
                    let pairs = champion.parameters_mut().iter_mut();
                    for (own, other) in pairs.zip(challenger.parameters()) {
                        *own = (1.0 - self.alpha) * *own + self.alpha * other;
                    }
                }
            }
        }
        let score = match &self.tests {
            None => TestScore::default(),
            Some(tests) => match tests.of_net(&champion, self.sides, stop)? {
                Some(score) => score,
                None => return Ok(None),
            },
        };
        let [games, wins, points, error] = score.numbers();
        let figures = [moved as f64, games, wins, points, error];
        Ok(Some(pack(&figures, &champion)))
    }

    fn restore(&self, state: &mut HillState, _: u64, record: &[u8]) -> Result<(), BadPart> {
        let [moved, games, wins, points, error] = unpack(record, &mut state.net)?;
        state.moved = moved as u64;
        if self.tests.is_some() {
            let score = TestScore::from_numbers([games, wins, points, error]);
            state.curve.push(score);
        }
        Ok(())
    }

    fn progress(&self, state: &HillState, steps: u64) -> Progress {
        let rounds = [steps, self.steps()].map(|steps| steps * self.every);
        climbed(rounds, state.moved, state.curve.last())
    }
}

/// Returns the progress of a climber: rounds done and in all, challengers that have won, the last test.
pub(super) fn climbed([done, total]: [u64; 2], moved: u64, last: Option<&TestScore>) -> Progress {
    let mut figures = format!("{moved} challengers won");
    if let Some(score) = last {
        figures.push_str(&format!(", {score}"));
    }
    Progress::new("rounds", done, Some(total)).figures(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::run_training;
    use gammond_arena::player::PlayerSpec;
    use gammond_arena::player::classic::Representation;
    use gammond_job::Control;

    fn plan(rounds: u64) -> HillPlan<'static> {
        HillPlan {
            shape: ClassicShape::new(Representation::QuackNorm, &[3], 1).unwrap(),
            range: 0.5,
            seed: 3,
            mutation: 0.5,
            alpha: 0.05,
            best_of: 3,
            sides: Sides::Swap,
            teacher: None,
            rounds,
            every: 1,
            tests: None,
        }
    }

    /// A champion moves by a twentieth of the mutation, or stays.
    #[test]
    fn a_round_moves_the_champion_a_little() {
        let plan = plan(8);
        let (mut moved, mut stayed) = (0, 0);
        for round in 0..8 {
            let state = plan.start();
            let record = plan.step(&state, round, &Stop::never()).unwrap().unwrap();
            let mut after = plan.start();
            plan.restore(&mut after, round, &record).unwrap();
            let challenger = plan.challenger(&state.net, round);
            let pairs = state.net.parameters().iter().zip(after.net.parameters());
            let greatest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let far = (challenger.parameters().iter()).zip(state.net.parameters());
            let far = far.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far > 0.4 && far <= 0.5, "{far}");
            match after.moved {
                0 => stayed += u32::from(greatest == 0.0),
                _ => moved += u32::from(greatest > 0.015 && greatest <= 0.0251),
            }
        }
        assert_eq!(moved + stayed, 8);
        assert!(moved > 0 && stayed > 0, "{moved} {stayed}");
        assert!(plan.restore(&mut plan.start(), 0, &[0; 50]).is_err());
    }

    /// The player that tests measure plays by the rule that the champion is trained for.
    #[test]
    fn test_games_use_the_net_s_own_play_rule() {
        let opponent = "linear".parse::<PlayerSpec>().unwrap().open().unwrap();
        let tests = Tests {
            opponent: &*opponent,
            games: 20,
            seed: 7,
        };
        let mut seen = Vec::new();
        for sides in Sides::ALL {
            let plan = HillPlan {
                sides,
                every: 2,
                tests: Some(tests),
                ..plan(2)
            };
            let end = run_training(&plan, None, &mut Control::quiet()).unwrap();
            let own = ClassicPlayer::new("net", end.state.net.clone(), sides);
            let own = tests.of(&own, &Stop::never()).unwrap();
            assert_eq!(end.state.curve.last().copied(), own, "{sides:?}");
            seen.push(own);
        }
        assert_ne!(seen[0], seen[1]);
    }

    #[test]
    fn a_teacher_decides_rounds() {
        let teacher = "linear".parse::<PlayerSpec>().unwrap().open().unwrap();
        let mut plan = plan(12);
        let run = |plan: &HillPlan<'_>| {
            let end = run_training(plan, None, &mut Control::quiet()).unwrap();
            (end.state.moved, end.state.net)
        };
        let alone = run(&plan);
        for (curriculum, guard) in [(12, 0), (0, 3)] {
            plan.teacher = Some(Teacher {
                player: &*teacher,
                curriculum,
                guard,
            });
            assert_ne!(run(&plan).1, alone.1, "{curriculum} {guard}");
        }
        // A guard admits no challenger that the match has rejected.
        assert!(run(&plan).0 <= 12);
    }
}
