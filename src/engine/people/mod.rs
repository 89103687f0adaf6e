//! People: a model of the plays and cube actions that people of an error rate choose.
//!
//! A small net scores each legal play by what it loses and by what people see of it; the shares of the people who choose
//! each are the softmax of the scores, less the plays that lose more than people of the level ever lose. Doubles and
//! answers to them have nets of their own. All were trained on decisions of people
//! (`gammond train people nets/people.toml`; `protocol-specs/levels.md`, LV-01 to LV-12). The unit of the error rate is
//! eXtreme Gammon's performance rating (PR): 500 times the mean loss of a decision, in points of a normalized cube.

mod coach;
mod features;
mod net;
mod play;
mod resign;

pub use features::{CUBE_INPUTS, CubeOption, PLAY_INPUTS, PlayOption, cube_inputs, play_inputs};
use gammond_game::{Position, Roll};
pub use net::ChoiceNet;
pub(crate) use play::{act_as_people, play_as_people, with_shares};
pub(crate) use resign::resign_as_people;
use std::fmt::Write;
use std::sync::LazyLock;

/// The model of people's choices.
#[derive(Clone, Debug, PartialEq)]
pub struct People {
    /// Net for plays, with [`PLAY_INPUTS`] inputs.
    pub play: ChoiceNet,
    /// Net for doubling, with [`CUBE_INPUTS`] inputs.
    pub double: ChoiceNet,
    /// Net for taking, with [`CUBE_INPUTS`] inputs.
    pub take: ChoiceNet,
    /// Settings of the model by error rate, rising.
    pub dials: Vec<Dial>,
}

/// Settings of the model for an error rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dial {
    /// The error rate (PR) that is played.
    pub pr: f64,
    /// Input of the nets: the logarithm of the error rate of people.
    pub level: f32,
    /// Factor on the scores of plays and takes: below 1 for a rate above those of the people that the model knows. Doubles
    /// do without it: players who err more do not double from the first turn on.
    pub scale: f64,
    /// Loss of score for each point of lost equity: above 0 for a rate below those of these people.
    pub care: f64,
    /// Largest loss of a play that is chosen.
    pub most: f64,
}

impl Dial {
    /// Returns settings with which the model plays as the people that it knows; `most` are the largest losses of people with
    /// an error rate of 4, 8 and 16.
    #[must_use]
    pub fn of_people(most: [f64; 3]) -> Vec<Dial> {
        let rates = [4.0, 8.0, 16.0];
        let dials = rates.iter().zip(most).map(|(&pr, most)| Dial {
            pr,
            level: pr.ln() as f32,
            scale: 1.0,
            care: 0.0,
            most,
        });
        dials.collect()
    }
}

const NAMES: [&str; 3] = ["play", "double", "take"];

impl People {
    /// The least error rate that can be asked for.
    pub const PR_MIN: f64 = 0.5;
    /// The greatest error rate that can be asked for.
    pub const PR_MAX: f64 = 40.0;

    /// The least rating that can be asked for.
    pub const ELO_MIN: u32 = 1000;
    /// The greatest rating that can be asked for.
    pub const ELO_MAX: u32 = 2030;

    /// Returns the error rate of the people with a FIBS rating, by GNU Backgammon's formula for a match to seven points
    /// with the same error in plays and cube actions: 2050 less 13,233 times the mean loss.
    #[must_use]
    pub fn pr_of_elo(rating: u32) -> f64 {
        (500.0 * (2050.0 - f64::from(rating)) / 13_233.0).clamp(People::PR_MIN, People::PR_MAX)
    }

    /// Returns the model that is built in.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test reads the file")]
    pub fn built_in() -> &'static People {
        static BUILT_IN: LazyLock<People> = LazyLock::new(|| {
            People::parse(include_str!(concat!(env!("OUT_DIR"), "/people.txt")))
                .expect("the built-in model")
        });
        &BUILT_IN
    }

    /// Reads a model from its text (LV-12); `None` where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<People> {
        let mut words = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_ascii_whitespace);
        let mut net = |name: &str, inputs: usize| {
            (words.next()? == name).then_some(())?;
            let width: usize = words.next()?.parse().ok()?;
            let size = ChoiceNet::size(inputs, width.min(1024));
            let values: Option<Vec<f32>> = (0..size)
                .map(|_| {
                    words
                        .next()?
                        .parse()
                        .ok()
                        .filter(|value: &f32| value.is_finite())
                })
                .collect();
            ChoiceNet::new(inputs, width, values?)
        };
        let [play, double, take] = NAMES;
        let (play, double, take) = (
            net(play, PLAY_INPUTS)?,
            net(double, CUBE_INPUTS)?,
            net(take, CUBE_INPUTS)?,
        );
        (words.next()? == "dials").then_some(())?;
        let numbers: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let dials = numbers.chunks(5).map(|row| match *row {
            [pr, level, scale, care, most] => Some(Dial {
                pr,
                level: level as f32,
                scale,
                care,
                most,
            }),
            _ => None,
        });
        let dials: Vec<Dial> = dials.collect::<Option<_>>()?;
        (dials.len() >= 2 && dials.is_sorted_by(|a, b| a.pr < b.pr)).then_some(People {
            play,
            double,
            take,
            dials,
        })
    }

    /// Returns the text that [`People::parse`] reads.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# A model of people's choices, made by `gammond train people nets/people.toml`.\n",
        );
        for (name, net) in NAMES.iter().zip([&self.play, &self.double, &self.take]) {
            _ = writeln!(text, "{name} {}", net.width());
            for row in net.values().chunks(12) {
                let row: Vec<String> = row.iter().map(|value| format!("{value:.4}")).collect();
                _ = writeln!(text, "{}", row.join(" "));
            }
        }
        text.push_str("dials\n");
        for dial in &self.dials {
            let Dial {
                pr,
                level,
                scale,
                care,
                most,
            } = dial;
            _ = writeln!(text, "{pr} {level:.4} {scale:.4} {care:.2} {most:.4}");
        }
        text
    }

    /// Returns the settings for an error rate, between those of the rates beside it by its logarithm.
    #[must_use]
    pub fn dial(&self, pr: f64) -> Dial {
        let pr = pr.clamp(People::PR_MIN, People::PR_MAX);
        let above = self.dials.partition_point(|dial| dial.pr < pr);
        let above = above.clamp(1, self.dials.len() - 1);
        let (a, b) = (&self.dials[above - 1], &self.dials[above]);
        let part = ((pr / a.pr).ln() / (b.pr / a.pr).ln()).clamp(0.0, 1.0);
        let between = |a: f64, b: f64| a + part * (b - a);
        Dial {
            pr,
            level: between(a.level.into(), b.level.into()) as f32,
            scale: between(a.scale, b.scale),
            care: between(a.care, b.care),
            most: between(a.most, b.most),
        }
    }

    /// Returns the shares of the people who choose each of the plays of a roll, best first; their sum is 1.
    #[must_use]
    pub fn play_shares(
        &self,
        dial: &Dial,
        before: &Position,
        roll: Roll,
        plays: &[PlayOption],
    ) -> Vec<f64> {
        let inputs = play_inputs(before, roll, plays, dial.level);
        let scores = inputs.iter().zip(plays).map(|(input, play)| {
            let loss = f64::from(play.loss);
            match loss > dial.most {
                true => f64::NEG_INFINITY,
                false => dial.scale * f64::from(self.play.score(input)) - dial.care * loss,
            }
        });
        softmax(scores.collect())
    }

    /// Returns the share of the people who double.
    #[must_use]
    pub fn double_share(&self, dial: &Dial, option: &CubeOption) -> f64 {
        acting(&self.double, 1.0, dial, option)
    }

    /// Returns the share of the people who take.
    #[must_use]
    pub fn take_share(&self, dial: &Dial, option: &CubeOption) -> f64 {
        acting(&self.take, dial.scale, dial, option)
    }
}

/// Largest loss of a cube action, at any rate: that of people of PR 16.
const CUBE_LOSS_MAX: f64 = 0.82;

/// Returns the share of the people who act.
fn acting(net: &ChoiceNet, scale: f64, dial: &Dial, option: &CubeOption) -> f64 {
    let gain = f64::from(option.gain);
    if gain.abs() > dial.most.min(CUBE_LOSS_MAX) {
        return f64::from(u8::from(gain > 0.0));
    }
    let score = f64::from(net.score(&cube_inputs(option, dial.level)));
    let score = scale * score + dial.care * gain;
    1.0 / (1.0 + (-score).exp())
}

/// Returns the shares whose logarithms differ as the scores do.
#[must_use]
pub fn softmax(mut scores: Vec<f64>) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in &mut scores {
        *score = (*score - most).exp();
        sum += *score;
    }
    for score in &mut scores {
        *score /= sum;
    }
    scores
}
