//! Temporal differences (Sutton 1988; Tesauro 1992): a net plays against itself, and each position learns from the next
//! one.

use super::training_loop::{pack, unpack};
use super::{LabError, TestScore, Tests, TrainingLoop};
use gammond_arena::player::classic::{
    ClassicNet, ClassicScratch, ClassicShape, Sides, mover_chances,
};
use gammond_base::rng::stream;
use gammond_base::stop::Stop;
use gammond_game::{Position, Roll, generate_plays};
use gammond_job::{BadPart, Header, Progress};

/// Turns of a game after which an untrained net's game is abandoned, without a result.
const TURNS_MAX: u32 = 5_000;
/// The stream of the first weights; those of the games are even.
const WEIGHTS: u64 = 1;

/// Settings of temporal-difference training.
#[derive(Clone, Debug)]
pub struct TdPlan<'a> {
    /// Shape of the net.
    pub shape: ClassicShape,
    /// Weights begin uniform in [-range, range).
    pub range: f32,
    /// Seed of weights and dice.
    pub seed: u64,
    /// Learning rate at the start.
    pub alpha: f64,
    /// Games after which the learning rate has halved; it stays when there are none.
    pub half_life: Option<f64>,
    /// Decay of the eligibility traces: 0 for one position, 1 for the whole game.
    pub lambda: f32,
    /// View of the board: always that of the player who has moved, or always white's.
    pub sides: Sides,
    /// Games to play.
    pub episodes: u64,
    /// Games in a step.
    pub every: u64,
    /// Test of the net after each step.
    pub tests: Option<Tests<'a>>,
}

/// The net and its learning curve.
#[derive(Clone, Debug)]
pub struct TdState {
    /// The net.
    pub net: ClassicNet,
    /// Scores after each step; empty without tests.
    pub curve: Vec<TestScore>,
}

impl TrainingLoop for TdPlan<'_> {
    type State = TdState;

    fn header(&self) -> Result<Header, LabError> {
        let shape = &self.shape;
        let layers = shape.layers().iter().map(usize::to_string);
        let half_life = self.half_life.map_or("none".to_owned(), |n| n.to_string());
        let header = Header::new("lab td", 1)
            .field("representation", shape.representation().name())
            .field("layers", layers.collect::<Vec<_>>().join(" "))
            .field("range", self.range)
            .field("seed", self.seed)
            .field("alpha", self.alpha)
            .field("half life", half_life)
            .field("lambda", self.lambda)
            .field("sides", self.sides.name())
            .field("every", self.every);
        match &self.tests {
            Some(tests) => tests.described(header, self.sides),
            None => Ok(header),
        }
    }

    fn steps(&self) -> u64 {
        self.episodes.div_ceil(self.every.max(1))
    }

    fn start(&self) -> TdState {
        let mut rng = stream(self.seed, WEIGHTS);
        TdState {
            net: ClassicNet::random(self.shape.clone(), self.range, &mut rng),
            curve: Vec::new(),
        }
    }

    fn step(&self, state: &TdState, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, LabError> {
        let mut learner = Learner::new(self, state.net.clone());
        for episode in number * self.every..(number + 1) * self.every {
            if stop.is_triggered() {
                return Ok(None);
            }
            learner.play(episode);
        }
        let score = match &self.tests {
            None => TestScore::default(),
            Some(tests) => match tests.of_net(&learner.net, self.sides, stop)? {
                Some(score) => score,
                None => return Ok(None),
            },
        };
        Ok(Some(pack(&score.numbers(), &learner.net)))
    }

    fn restore(&self, state: &mut TdState, _: u64, record: &[u8]) -> Result<(), BadPart> {
        let score = unpack(record, &mut state.net)?;
        if self.tests.is_some() {
            state.curve.push(TestScore::from_numbers(score));
        }
        Ok(())
    }

    fn progress(&self, state: &TdState, steps: u64) -> Progress {
        let total = self.steps() * self.every;
        let figures = state.curve.last().map(TestScore::to_string);
        Progress::new("games", steps * self.every, Some(total)).figures(figures.unwrap_or_default())
    }
}

/// Returns the output of the swapped board that corresponds to this one, and true if it must be subtracted from 1.
const fn turned(outputs: usize, output: usize) -> (usize, bool) {
    match (outputs, output) {
        (4, _) => ((output + 2) % 4, false),
        (5, 1 | 2) => (output + 2, false),
        (5, 3 | 4) => (output - 2, false),
        _ => (output, true),
    }
}

/// A net that learns while it plays.
struct Learner<'a> {
    plan: &'a TdPlan<'a>,
    net: ClassicNet,
    /// The layers of plays that are compared.
    search: ClassicScratch,
    /// The layers of the last position.
    last: ClassicScratch,
    /// White's outputs of the last position.
    said: Vec<f32>,
    /// Eligibility traces of each output of white's; only where errors are felt further back.
    traces: Vec<Vec<f32>>,
    plays: Vec<Position>,
}

impl<'a> Learner<'a> {
    fn new(plan: &'a TdPlan<'a>, net: ClassicNet) -> Learner<'a> {
        let outputs = plan.shape.outputs();
        let traces = match plan.lambda > 0.0 {
            true => vec![vec![0.0; net.parameters().len()]; outputs],
            false => Vec::new(),
        };
        Learner {
            plan,
            net,
            search: ClassicScratch::default(),
            last: ClassicScratch::default(),
            said: vec![0.0; outputs],
            traces,
            plays: Vec::new(),
        }
    }

    /// Plays one game.
    fn play(&mut self, episode: u64) {
        self.play_from(Position::start(), episode);
    }

    /// Plays one game from this position, seen by the player who begins.
    fn play_from(&mut self, mut position: Position, episode: u64) {
        let plan = self.plan;
        let halves = plan.half_life.map_or(0.0, |half| episode as f64 / half);
        let alpha = (plan.alpha * 0.5_f64.powf(halves)) as f32;
        let mut dice = stream(plan.seed, 2 * episode);
        let mut roll = loop {
            let opening = Roll::thrown(&mut dice);
            if !opening.is_double() {
                break opening;
            }
        };
        let [first, second] = roll.dice();
        let mut white = first > second;
        let mut before: Option<bool> = None;
        for trace in &mut self.traces {
            trace.fill(0.0);
        }
        for _ in 0..TURNS_MAX {
            position = self.choose(&position, roll, white);
            if let Some(outcome) = position.outcome() {
                // The player on roll has lost: white has won who has just moved.
                let of_white = if white { outcome.swapped() } else { outcome };
                if let Some(was_white) = before {
                    let wanted = self.net.wanted(&of_white.chances());
                    self.learn(alpha, was_white, &wanted);
                }
                return;
            }
            if let Some(was_white) = before {
                let mut next = std::mem::take(&mut self.search);
                self.run(&position, white, &mut next);
                let wanted = self.of_white(white, &next);
                self.search = next;
                self.learn(alpha, was_white, &wanted);
            }
            // Once more, with the new weights.
            let mut last = std::mem::take(&mut self.last);
            self.run(&position, white, &mut last);
            self.said = self.of_white(white, &last);
            self.last = last;
            self.trace(white);
            before = Some(white);
            white = !white;
            roll = Roll::thrown(&mut dice);
        }
    }

    /// Returns the view of the board in which the net evaluates the play of the player who has just moved.
    const fn sides(&self, white: bool) -> Sides {
        match self.plan.sides {
            Sides::Invert if !white => Sides::Invert,
            _ => Sides::Swap,
        }
    }

    /// Chooses the best play: white takes the greatest value, black the least.
    fn choose(&mut self, position: &Position, roll: Roll, white: bool) -> Position {
        generate_plays(position, roll, &mut self.plays);
        let sides = self.sides(white);
        let mut best = (f32::NEG_INFINITY, position.swapped());
        for after in &self.plays {
            let worth = mover_chances(&self.net, sides, after, &mut self.search).equity();
            if worth > best.0 {
                best = (worth, *after);
            }
        }
        best.1
    }

    /// Evaluates a position whose player on roll has not moved yet.
    fn run(&self, after: &Position, white: bool, scratch: &mut ClassicScratch) {
        let (mover, other) = (after.opponent(), after.me());
        match self.sides(white) {
            Sides::Swap => self.net.run([mover, other], false, scratch),
            Sides::Invert => self.net.run([other, mover], true, scratch),
        };
    }

    /// Returns true if the board is shown to the net as black sees it.
    fn is_turned(&self, white: bool) -> bool {
        self.plan.sides == Sides::Swap && !white
    }

    /// Returns White's outputs.
    fn of_white(&self, white: bool, scratch: &ClassicScratch) -> Vec<f32> {
        let outputs = scratch.outputs();
        if !self.is_turned(white) {
            return outputs.to_vec();
        }
        let seen_by_the_other_side = |output: usize| match turned(outputs.len(), output) {
            (output, true) => 1.0 - outputs[output],
            (output, false) => outputs[output],
        };
        (0..outputs.len()).map(seen_by_the_other_side).collect()
    }

    /// Returns an error of an output of white's, as errors of the outputs of the net.
    fn errors(&self, white: bool, errors: impl Iterator<Item = (usize, f32)>) -> Vec<f32> {
        let count = self.said.len();
        let mut own = vec![0.0; count];
        for (output, error) in errors {
            let (output, left) = match self.is_turned(white) {
                true => turned(count, output),
                false => (output, false),
            };
            own[output] = if left { -error } else { error };
        }
        own
    }

    /// Lets the traces fade and adds the gradient of the last position.
    fn trace(&mut self, white: bool) {
        let mut traces = std::mem::take(&mut self.traces);
        for (output, trace) in traces.iter_mut().enumerate() {
            for one in trace.iter_mut() {
                *one *= self.plan.lambda;
            }
            let errors = self.errors(white, std::iter::once((output, 1.0)));
            self.net.find_slopes(&errors, &mut self.last);
            self.plan.shape.add_gradient(&self.last, 1.0, trace);
        }
        self.traces = traces;
    }

    /// Moves the net's output for the last position, made by this player, towards its target.
    fn learn(&mut self, alpha: f32, was_white: bool, wanted: &[f32]) {
        let errors: Vec<f32> = (wanted.iter().zip(&self.said))
            .map(|(wanted, said)| wanted - said)
            .collect();
        if self.traces.is_empty() {
            let errors = self.errors(was_white, errors.into_iter().enumerate());
            self.net.learn(alpha, &errors, &mut self.last);
            return;
        }
        for (trace, error) in self.traces.iter().zip(errors) {
            let step = alpha * error;
            for (parameter, one) in self.net.parameters_mut().iter_mut().zip(trace) {
                *parameter += step * one;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::run_training;
    use gammond_arena::player::classic::Representation;
    use gammond_job::Control;

    fn plan(outputs: usize, lambda: f32, sides: Sides) -> TdPlan<'static> {
        TdPlan {
            shape: ClassicShape::new(Representation::QuackNorm, &[4], outputs).unwrap(),
            range: 0.5,
            seed: 3,
            alpha: 0.1,
            half_life: Some(10.0),
            lambda,
            sides,
            episodes: 6,
            every: 2,
            tests: None,
        }
    }

    #[test]
    fn turning_twice_changes_nothing() {
        for outputs in [1, 4, 5] {
            for output in 0..outputs {
                let (other, left) = turned(outputs, output);
                assert_eq!(turned(outputs, other), (output, left), "{outputs} {output}");
            }
        }
        // The outputs of turned boards are those of turned chances.
        let chances = gammond_game::Chances::from_array([0.6, 0.2, 0.1, 0.3, 0.05]);
        for outputs in [1, 4, 5] {
            let shape = ClassicShape::new(Representation::Quack, &[1], outputs).unwrap();
            let net = ClassicNet::random(shape, 0.1, &mut stream(1, 1));
            let (here, there) = (net.wanted(&chances), net.wanted(&chances.inverted()));
            for output in 0..outputs {
                let wanted = match turned(outputs, output) {
                    (other, true) => 1.0 - here[other],
                    (other, false) => here[other],
                };
                assert!((there[output] - wanted).abs() < 1e-6, "{outputs} {output}");
            }
        }
    }

    /// A lambda next to nothing is lambda 0, where errors go another way; a great one is not.
    #[test]
    fn traces_agree_with_plain_back_propagation() {
        for sides in Sides::ALL {
            for outputs in [1, 4, 5] {
                let end = |lambda| {
                    let plan = plan(outputs, lambda, sides);
                    let end = run_training(&plan, None, &mut Control::quiet()).unwrap();
                    assert!(end.complete && end.steps == 3);
                    end.state.net
                };
                let (none, tiny, all) = (end(0.0), end(1e-12), end(1.0));
                let apart = |other: &ClassicNet| {
                    let pairs = none.parameters().iter().zip(other.parameters());
                    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
                };
                assert!(apart(&tiny) < 1e-3, "{sides:?} {outputs}: {}", apart(&tiny));
                assert!(apart(&all) > 1e-2, "{sides:?} {outputs}: {}", apart(&all));
            }
        }
    }

    /// The net learns a short ending as well as the exact tables.
    #[test]
    fn endings_are_learned() {
        use gammond_engine::bearoff::Tables;
        let start = Position::from_points(&[1, 0, 0, 1, 0, 1], &[1, 0, 0, 1, 0, 1]).unwrap();
        for (outputs, lambda, sides) in [
            (1, 0.0, Sides::Swap),
            (4, 0.7, Sides::Swap),
            (5, 0.0, Sides::Invert),
        ] {
            let plan = TdPlan {
                shape: ClassicShape::new(Representation::TdGammon198, &[6], outputs).unwrap(),
                alpha: 1.0,
                half_life: Some(2000.0),
                ..plan(outputs, lambda, sides)
            };
            let mut learner = Learner::new(&plan, plan.start().net);
            (0..12_000).for_each(|episode| learner.play_from(start, episode));
            // The positions that its own games reach in their first turns, and how far off it is there.
            let mut open = vec![(start, true, 1.0)];
            let (mut off, mut weight) = (0.0, 0.0);
            for _ in 0..3 {
                for (position, white, chance) in std::mem::take(&mut open) {
                    for roll in Roll::ALL {
                        let chance = chance * f64::from(roll.weight()) / 36.0;
                        let after = learner.choose(&position, roll, white);
                        if after.is_over() {
                            continue;
                        }
                        let seen = learner.sides(white);
                        let mut scratch = ClassicScratch::default();
                        let said = mover_chances(&learner.net, seen, &after, &mut scratch).win;
                        let exact = Tables::shared().chances(&after).unwrap().inverted().win;
                        off += chance * f64::from((said - exact).abs());
                        weight += chance;
                        open.push((after, !white, chance));
                    }
                }
            }
            assert!(
                weight > 1.5 && off / weight < 0.12,
                "{outputs} {lambda} {sides:?}: {off} of {weight}"
            );
        }
    }
}
