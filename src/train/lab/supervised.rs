//! Plain gradient descent on a text database: a position key and five chances a line.

use super::training_loop::{pack, unpack};
use super::{LabError, TrainingLoop};
use crate::training::alpha::{AlphaSchedule, AlphaSettings, Pass};
use gammond_arena::player::classic::{ClassicNet, ClassicScratch, ClassicShape};
use gammond_base::checksum::sha256;
use gammond_base::files::{self, RECORDS_BYTES_MAX};
use gammond_base::rng::{below, stream};
use gammond_base::stop::Stop;
use gammond_game::notation::{PositionChances, parse_training_line};
use gammond_job::{BadPart, Header, Progress};
use std::path::Path;

/// The stream of the first weights; the orders of the positions have the others.
const WEIGHTS: u64 = 0;
/// Positions between two checks of the stop.
const POSITIONS_PER_LOOK: usize = 1024;

/// Positions with the chances of the player on roll.
#[derive(Clone, Debug)]
pub struct TextDatabase {
    positions: Vec<PositionChances>,
    checksum: String,
}

impl TextDatabase {
    /// Reads a file; a single wrong line is an error.
    ///
    /// # Errors
    /// [`LabError::File`], [`LabError::Line`], [`LabError::Empty`].
    pub fn load(path: &Path) -> Result<TextDatabase, LabError> {
        let bytes = files::read(path, RECORDS_BYTES_MAX).map_err(LabError::in_file(path))?;
        let mut positions = Vec::new();
        for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
            let wrong = |reason: String| LabError::Line {
                path: path.to_owned(),
                line,
                reason,
            };
            let found = parse_training_line(text).map_err(|error| wrong(error.to_string()))?;
            let Some(found) = found else { continue };
            positions.push(found);
        }
        if positions.is_empty() {
            return Err(LabError::Empty {
                path: path.to_owned(),
            });
        }
        Ok(TextDatabase {
            positions,
            checksum: sha256(&bytes),
        })
    }

    /// Returns these positions, as if read from the lines that would be written of them.
    #[must_use]
    pub fn new(positions: Vec<PositionChances>) -> TextDatabase {
        let lines = (positions.iter()).map(|one| one.training_line() + "\n");
        let checksum = sha256(lines.collect::<String>().as_bytes());
        TextDatabase {
            positions,
            checksum,
        }
    }

    /// Returns the positions, in the order in which they were read.
    #[must_use]
    pub fn positions(&self) -> &[PositionChances] {
        &self.positions
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Returns false: such a file is refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}

/// Schedule of the learning rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rates {
    /// The same in every epoch.
    Fixed(f64),
    /// The classical loop: down when the error stops falling, back to the top from the bottom.
    Classical(AlphaSettings),
    /// Player 3.1's: 1 until the 8th epoch, 0.32 until the 20th, 0.1 until the 60th, 0.032 until the 100th, then 0.01.
    Steps,
}

impl Rates {
    /// Returns the alpha of the steps in this epoch, counted from 0.
    const fn of_steps(epoch: u64) -> f64 {
        match epoch {
            0..8 => 1.0,
            8..20 => 0.32,
            20..60 => 0.1,
            60..100 => 0.032,
            _ => 0.01,
        }
    }

    fn described(&self, header: Header) -> Header {
        match self {
            Rates::Fixed(alpha) => header.field("rates", "fixed").field("alpha", alpha),
            Rates::Steps => header.field("rates", "steps"),
            Rates::Classical(settings) => header
                .field("rates", "classical")
                .field("alpha", settings.start)
                .field("least alpha", settings.least)
                .field("fall", settings.fall),
        }
    }
}

/// Settings of supervised training.
#[derive(Clone, Debug)]
pub struct SupervisedPlan<'a> {
    /// Shape of the net.
    pub shape: ClassicShape,
    /// Weights begin uniform in [-range, range).
    pub range: f32,
    /// Seed of weights and orders.
    pub seed: u64,
    /// Schedule of alpha.
    pub rates: Rates,
    /// Step of gradient descent at an alpha of 1.
    pub unit: f64,
    /// Training data.
    pub data: &'a TextDatabase,
    /// Times that it sees all of it.
    pub epochs: u64,
}

/// The net, its errors, and the pass to come.
#[derive(Clone, Debug)]
pub struct SupervisedState {
    /// The net.
    pub net: ClassicNet,
    /// Mean and greatest error of a position in each epoch, measured while it was learned. The error of a position is
    /// the mean absolute error of its outputs.
    pub errors: Vec<[f64; 2]>,
    schedule: Option<AlphaSchedule>,
    pass: Pass,
    /// The epoch that last put the positions into a new order.
    ordered: u64,
}

impl SupervisedState {
    /// Returns the alpha of the next epoch.
    #[must_use]
    pub const fn alpha(&self) -> f64 {
        self.pass.alpha
    }
}

impl SupervisedPlan<'_> {
    /// Returns the pass of an epoch whose rate does not depend on errors.
    fn planned(&self, epoch: u64) -> Pass {
        let alpha = match self.rates {
            Rates::Fixed(alpha) => alpha,
            _ => Rates::of_steps(epoch),
        };
        Pass {
            alpha,
            reshuffle: true,
        }
    }

    /// Returns the positions in the order of this epoch.
    fn order(&self, epoch: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.data.len() as u32).collect();
        let mut rng = stream(self.seed, epoch + 1);
        for last in (1..order.len()).rev() {
            order.swap(last, below(&mut rng, last as u32 + 1) as usize);
        }
        order
    }
}

impl TrainingLoop for SupervisedPlan<'_> {
    type State = SupervisedState;

    fn header(&self) -> Result<Header, LabError> {
        let shape = &self.shape;
        let layers = shape.layers().iter().map(usize::to_string);
        let header = Header::new("lab supervised", 1)
            .field("representation", shape.representation().name())
            .field("layers", layers.collect::<Vec<_>>().join(" "))
            .field("range", self.range)
            .field("seed", self.seed)
            .field("unit", self.unit)
            .field("data", &self.data.checksum);
        Ok(self.rates.described(header))
    }

    fn steps(&self) -> u64 {
        self.epochs
    }

    fn start(&self) -> SupervisedState {
        let mut rng = stream(self.seed, WEIGHTS);
        let schedule = match self.rates {
            Rates::Classical(settings) => Some(AlphaSchedule::new(settings)),
            _ => None,
        };
        SupervisedState {
            net: ClassicNet::random(self.shape.clone(), self.range, &mut rng),
            errors: Vec::new(),
            pass: schedule.map_or(self.planned(0), |schedule| schedule.first()),
            schedule,
            ordered: 0,
        }
    }

    fn step(
        &self,
        state: &SupervisedState,
        _: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<u8>>, LabError> {
        let mut net = state.net.clone();
        let mut scratch = ClassicScratch::default();
        let rate = (state.pass.alpha * self.unit) as f32;
        let (mut sum, mut greatest) = (0.0, 0.0_f64);
        let order = self.order(state.ordered);
        for (at, &place) in order.iter().enumerate() {
            if at % POSITIONS_PER_LOOK == 0 && stop.is_triggered() {
                return Ok(None);
            }
            let Some(found) = self.data.positions.get(place as usize) else {
                continue;
            };
            // The player who has just moved is white, as classic nets expect.
            let sides = [found.position.opponent(), found.position.me()];
            let wanted = net.wanted(&found.chances.inverted());
            let said = net.run(sides, false, &mut scratch);
            let errors: Vec<f32> = wanted.iter().zip(said).map(|(w, s)| w - s).collect();
            let off = errors.iter().map(|error| f64::from(error.abs()));
            let off = off.sum::<f64>() / errors.len() as f64;
            sum += off;
            greatest = greatest.max(off);
            net.learn(rate, &errors, &mut scratch);
        }
        let mean = sum / order.len().max(1) as f64;
        Ok(Some(pack(&[mean, greatest], &net)))
    }

    fn restore(
        &self,
        state: &mut SupervisedState,
        number: u64,
        record: &[u8],
    ) -> Result<(), BadPart> {
        let [mean, greatest] = unpack(record, &mut state.net)?;
        state.errors.push([mean, greatest]);
        state.pass = match &mut state.schedule {
            Some(schedule) => schedule.next(mean, greatest),
            None => self.planned(number + 1),
        };
        if state.pass.reshuffle {
            state.ordered = number + 1;
        }
        Ok(())
    }

    fn progress(&self, state: &SupervisedState, steps: u64) -> Progress {
        let figures = state.errors.last().map(|[mean, greatest]| {
            let alpha = state.pass.alpha;
            format!("error {mean:.5}, at most {greatest:.4}; alpha {alpha:.4}")
        });
        Progress::new("epochs", steps, Some(self.epochs)).figures(figures.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::run_training;
    use gammond_arena::player::classic::Representation;
    use gammond_game::{Chances, Position};
    use gammond_job::Control;

    /// Races whose chances a small sum of the pips decides.
    fn lines() -> String {
        let mut text = String::from("# synthetic\n");
        for at in 0..120_u8 {
            let mine = [1 + at % 4, at % 3, at % 5, 0, 1, at % 2];
            let other = [1, at % 4, 2, at % 3, 0, 1 + at % 5];
            let position = Position::from_points(&mine, &other).unwrap();
            let lead = position.opponent().pips() as f32 - position.me().pips() as f32;
            let win = 1.0 / (1.0 + (-lead / 8.0).exp());
            let chances = Chances::from_array([win, 0.0, 0.0, 0.0, 0.0]);
            text += &PositionChances { position, chances }.training_line();
            text.push('\n');
        }
        text
    }

    fn loaded(text: &str) -> Result<TextDatabase, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.txt");
        std::fs::write(&path, text).unwrap();
        TextDatabase::load(&path).map_err(|error| error.to_string())
    }

    fn plan(data: &TextDatabase, rates: Rates, unit: f64, epochs: u64) -> SupervisedPlan<'_> {
        SupervisedPlan {
            shape: ClassicShape::new(Representation::TdGammon196, &[8], 5).unwrap(),
            range: 0.1,
            seed: 5,
            rates,
            unit,
            data,
            epochs,
        }
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = lines();
        for (text, said) in [
            (String::new(), "no position with chances"),
            ("# nothing\n\n".to_owned(), "no position with chances"),
            (good.clone() + "nonsense\n", "data.txt: line 122: "),
            (good.replacen(" 0.", " 1.", 1), "line 2: chance of a win"),
            (good.replacen(" 0.", " nan", 1), "line 2: "),
            (format!("\u{0}\n{good}"), "line 1: "),
        ] {
            let error = loaded(&text).err().unwrap();
            assert!(error.contains(said), "{said}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
        assert_eq!(loaded(&good).unwrap().len(), 120);
    }

    /// With the classical loop from 20 down the error falls far below that of a constant output.
    #[test]
    fn the_classical_loop_converges() {
        let data = loaded(&lines()).unwrap();
        let settings = AlphaSettings {
            least: 1.0,
            ..AlphaSettings::default()
        };
        let plan = plan(&data, Rates::Classical(settings), 0.05, 60);
        let end = run_training(&plan, None, &mut Control::quiet()).unwrap();
        let errors = end.state.errors;
        let best = errors.iter().map(|error| error[0]).fold(1.0, f64::min);
        assert!(best < 0.2 * errors[0][0], "{errors:?}");
    }

    #[test]
    fn the_steps_are_those_of_player_3_1() {
        let at = [0, 7, 8, 19, 20, 59, 60, 99, 100, 109].map(Rates::of_steps);
        let wanted = [1.0, 1.0, 0.32, 0.32, 0.1, 0.1, 0.032, 0.032, 0.01, 0.01];
        assert_eq!(at, wanted);
        let data = loaded(&lines()).unwrap();
        let plan = plan(&data, Rates::Steps, 1.0, 21);
        let end = run_training(&plan, None, &mut Control::quiet()).unwrap();
        assert_eq!(end.state.alpha(), 0.1);
        let errors = end.state.errors;
        assert!(errors[20][0] < 0.3 * errors[0][0], "{errors:?}");
    }
}
