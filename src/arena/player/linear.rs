//! A player that adds up a few features of the board, each with its weight, as students of the game write them.
//!
//! The file is TOML: `[weights]` names at most ten features, `[[pairs]]` products of two. The sum F is squashed to a
//! chance of winning, 1/(1+e^-F). A feature is a count of the player who has moved, or of the other one with `opponent_`
//! in front. With `symmetric = true` every feature is the difference of both, there is no bias, and the same position
//! seen by the other player has what is left of 1.

use super::{Player, PlayerError, best_by, check_fifteen};
use gammond_base::checksum::sha256;
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_base::rng::{ChaCha8Rng, unit};
use gammond_base::toml::parse_toml;
use gammond_game::{BAR, Chances, Position, Roll, Side, Variant};
use std::collections::BTreeMap;
use std::path::Path;

/// The player that plays when no file is named.
const DEFAULT: &str = include_str!("linear.toml");
/// Most features of a player, and most products.
const FEATURES_MAX: usize = 10;
const PAIRS_MAX: usize = FEATURES_MAX * (FEATURES_MAX + 1) / 2;
/// Greatest absolute value of a weight.
const WEIGHT_MAX: f64 = 1e6;
/// The nearest to certainty that a chance may come.
const LEAST: f64 = 1e-6;

/// Feature that is counted for one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Count {
    Pips,
    Blots,
    Points,
    HomePoints,
    Anchors,
    Prime,
    Bar,
    Off,
    Outside,
    Rearmost,
}

const COUNTS: [(&str, Count); 10] = [
    ("pips", Count::Pips),
    ("blots", Count::Blots),
    ("points", Count::Points),
    ("home_points", Count::HomePoints),
    ("anchors", Count::Anchors),
    ("prime", Count::Prime),
    ("bar", Count::Bar),
    ("off", Count::Off),
    ("outside", Count::Outside),
    ("rearmost", Count::Rearmost),
];

/// First words of a file that was written by a training, before the header of that work.
const MADE: &str = "# made ";

const ON_POINTS: u32 = 0xff_ffff;
const HOME: u32 = 0x3f;

impl Count {
    fn of(self, side: Side) -> u32 {
        let made = side.made() & ON_POINTS;
        match self {
            Count::Pips => side.pips(),
            Count::Blots => (side.occupied() & !side.made() & ON_POINTS).count_ones(),
            Count::Points => made.count_ones(),
            Count::HomePoints => (made & HOME).count_ones(),
            Count::Anchors => (made & HOME << 18).count_ones(),
            Count::Prime => {
                let (mut run, mut left) = (0, made);
                while left != 0 {
                    left &= left >> 1;
                    run += 1;
                }
                run
            }
            Count::Bar => side.count(BAR).into(),
            Count::Off => side.off().into(),
            Count::Outside => side.outside(),
            Count::Rearmost => side.rearmost().map_or(0, |index| index as u32 + 1),
        }
    }
}

impl Count {
    /// Returns the usual size of the count in a middle game: a weight is changed by a number divided by it.
    const fn size(self) -> f64 {
        match self {
            Count::Pips => 100.0,
            Count::Rearmost => 20.0,
            Count::Off | Count::Outside => 8.0,
            Count::Points => 4.0,
            Count::Blots | Count::HomePoints | Count::Prime => 2.0,
            Count::Anchors | Count::Bar => 1.0,
        }
    }
}

/// A feature by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(try_from = "String")]
struct Feature {
    count: Count,
    opponent: bool,
}

impl TryFrom<String> for Feature {
    type Error = String;

    fn try_from(name: String) -> Result<Feature, String> {
        let (opponent, own) = match name.strip_prefix("opponent_") {
            Some(own) => (true, own),
            None => (false, name.as_str()),
        };
        match COUNTS.iter().find(|(known, _)| *known == own) {
            Some(&(_, count)) => Ok(Feature { count, opponent }),
            None => {
                let known = COUNTS.map(|(known, _)| known).join(", ");
                Err(format!(
                    "feature '{name}' is not known; known are {known}, and the same with opponent_ in front"
                ))
            }
        }
    }
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = COUNTS.iter().find(|(_, count)| *count == self.count);
        let prefix = if self.opponent { "opponent_" } else { "" };
        write!(f, "{prefix}{}", known.map_or("", |(name, _)| name))
    }
}

/// The product of two features.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    of: [Feature; 2],
    weight: f64,
}

/// Contents of a file.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Sum {
    #[serde(default)]
    symmetric: bool,
    #[serde(default)]
    bias: f64,
    weights: BTreeMap<Feature, f64>,
    #[serde(default)]
    pairs: Vec<Pair>,
}

impl Sum {
    /// Returns the first fault in the contents, if any.
    fn fault(&self) -> Option<String> {
        let of_pairs = self.pairs.iter().flat_map(|pair| pair.of);
        let all: Vec<Feature> = self.weights.keys().copied().chain(of_pairs).collect();
        let numbers = self.weights.values().copied().chain([self.bias]);
        let mut numbers = numbers.chain(self.pairs.iter().map(|pair| pair.weight));
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        if distinct.is_empty() {
            Some("no feature has a weight".to_owned())
        } else if distinct.len() > FEATURES_MAX {
            let found = distinct.len();
            Some(format!("{found} features, expected at most {FEATURES_MAX}"))
        } else if self.pairs.len() > PAIRS_MAX {
            let found = self.pairs.len();
            Some(format!("{found} pairs, expected at most {PAIRS_MAX}"))
        } else if numbers.any(|number| number.is_nan() || number.abs() > WEIGHT_MAX) {
            Some("a weight is no number from -1000000 to 1000000".to_owned())
        } else if self.symmetric && (self.bias != 0.0 || all.iter().any(|one| one.opponent)) {
            Some("symmetric: such a player has no bias and no opponent_ features".to_owned())
        } else {
            None
        }
    }

    /// Returns all weights, mutable, each with the usual size of its factor: the bias if there may be one, features
    /// in the order of their names, pairs.
    fn weights_mut(&mut self) -> impl Iterator<Item = (&mut f64, f64)> {
        let bias = (!self.symmetric).then_some((&mut self.bias, 1.0));
        let weights = self.weights.iter_mut();
        let weights = weights.map(|(feature, weight)| (weight, feature.count.size()));
        let pairs = self.pairs.iter_mut().map(|pair| {
            let size = pair.of.iter().map(|one| one.count.size()).product();
            (&mut pair.weight, size)
        });
        bias.into_iter().chain(weights).chain(pairs)
    }

    /// Returns the file that holds the sum.
    fn text(&self) -> String {
        let mut text = String::new();
        if self.symmetric {
            text.push_str("symmetric = true\n");
        } else {
            text.push_str(&format!("bias = {}\n", self.bias));
        }
        text.push_str("\n[weights]\n");
        for (feature, weight) in &self.weights {
            text.push_str(&format!("{feature} = {weight}\n"));
        }
        for pair in &self.pairs {
            let [one, other] = pair.of;
            let weight = pair.weight;
            text.push_str(&format!(
                "\n[[pairs]]\nof = [\"{one}\", \"{other}\"]\nweight = {weight}\n"
            ));
        }
        text
    }

    /// Returns the sum for one player.
    fn one(&self, mover: Side, other: Side) -> f64 {
        let value = |feature: &Feature| {
            f64::from((feature.count).of(if feature.opponent { other } else { mover }))
        };
        let single = self.weights.iter().map(|(one, weight)| weight * value(one));
        let pairs = (self.pairs.iter()).map(|p| p.weight * value(&p.of[0]) * value(&p.of[1]));
        self.bias + single.chain(pairs).sum::<f64>()
    }

    fn of(&self, mover: Side, other: Side) -> f64 {
        match self.symmetric {
            true => self.one(mover, other) - self.one(other, mover),
            false => self.one(mover, other),
        }
    }
}

/// A player with a linear evaluator.
#[derive(Clone, Debug)]
pub struct Linear {
    name: String,
    checksum: String,
    sum: Sum,
    /// Header of the work that made the file.
    made: Option<String>,
}

impl Linear {
    /// Returns the header of the work that made the file, if it names one.
    #[must_use]
    pub fn made(&self) -> Option<&str> {
        self.made.as_deref()
    }

    /// Returns the weights, mutable, each with the usual size of its factor.
    fn weights_mut(&mut self) -> impl Iterator<Item = (&mut f64, f64)> {
        self.sum.weights_mut()
    }

    /// Returns the weights: the bias if there may be one, features in the order of their names, pairs.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut sum = self.sum.clone();
        sum.weights_mut().map(|(weight, _)| *weight).collect()
    }

    /// Returns a player with the same features and these weights; `None` if their number or one of them is not possible.
    #[must_use]
    pub fn with_weights(&self, name: &str, weights: &[f64]) -> Option<Linear> {
        let mut sum = self.sum.clone();
        let count = sum.weights_mut().count();
        for ((weight, _), new) in sum.weights_mut().zip(weights) {
            *weight = *new;
        }
        let is_right = count == weights.len() && sum.fault().is_none();
        is_right.then(|| Linear {
            name: name.to_owned(),
            checksum: sha256(sum.text().as_bytes()),
            sum,
            made: None,
        })
    }

    /// Returns a player each of whose weights differs by a number from -`most` to `most`, divided by the usual size
    /// of the weight's factor.
    #[must_use]
    pub fn mutated(&self, name: &str, most: f64, rng: &mut impl rand::Rng) -> Linear {
        let mut all = self.clone();
        for (weight, size) in all.weights_mut() {
            let changed = *weight + (2.0 * unit(rng) - 1.0) * most / size;
            *weight = changed.clamp(-WEIGHT_MAX, WEIGHT_MAX);
        }
        let weights = all.weights();
        all.with_weights(name, &weights).unwrap_or(all)
    }

    /// Returns the text of a file that holds the player and the header of the work that made it.
    #[must_use]
    pub fn text(&self, made: &str) -> String {
        format!("{MADE}{made}\n{}", self.sum.text())
    }

    /// Returns the player of this file, or the one that is built in.
    ///
    /// # Errors
    /// [`PlayerError`] if the file cannot be read or holds something else.
    pub fn open(path: Option<&Path>) -> Result<Linear, PlayerError> {
        let (name, text) = match path {
            None => ("linear".to_owned(), DEFAULT.to_owned()),
            Some(path) => {
                let text = files::read_text(path, TEXT_BYTES_MAX);
                let text = text.map_err(|error| PlayerError::in_file(path, error))?;
                (format!("linear:{}", path.display()), text)
            }
        };
        let wrong =
            |fault: String| PlayerError::in_file(path.unwrap_or(Path::new("linear.toml")), fault);
        let sum: Sum = parse_toml(&text).map_err(|fault| wrong(fault.to_string()))?;
        match sum.fault() {
            Some(fault) => Err(wrong(fault)),
            None => Ok(Linear {
                name,
                checksum: sha256(text.as_bytes()),
                made: (text.lines().find_map(|line| line.strip_prefix(MADE))).map(str::to_owned),
                sum,
            }),
        }
    }

    /// Returns the sum of a position whose player on roll has not moved yet.
    fn of_mover(&self, after: &Position) -> f64 {
        if after.opponent().on_board() == 0 {
            return f64::INFINITY;
        }
        self.sum.of(after.opponent(), after.me())
    }
}

impl Player for Linear {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn identity(&self) -> Result<String, PlayerError> {
        Ok(format!("linear, sha256 {}", self.checksum))
    }

    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        check_fifteen(self, variant)
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        // By the sum itself: of two plays that win almost surely one is still better.
        Ok(best_by(position, roll, |after| self.of_mover(after) as f32))
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        if let Some(outcome) = position.outcome() {
            return Some(outcome.chances());
        }
        let lost = 1.0 / (1.0 + (-self.of_mover(position)).exp());
        Some(Chances {
            win: (1.0 - lost).clamp(LEAST, 1.0 - LEAST) as f32,
            ..Chances::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<Linear, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        std::fs::write(&path, text).unwrap();
        Linear::open(Some(&path)).map_err(|error| error.to_string())
    }

    #[test]
    fn counts_of_the_start() {
        let counted = COUNTS.map(|(name, count)| (name, count.of(Side::START)));
        let wanted = [167, 0, 4, 1, 1, 1, 0, 0, 10, 24];
        assert_eq!(counted.map(|(_, n)| n), wanted, "{counted:?}");
        let mut counts = [0; 25];
        for (index, count) in [(3, 2), (4, 2), (5, 3), (6, 2), (9, 1), (20, 1), (24, 1)] {
            counts[index] = count;
        }
        let side = Side::from_counts(&counts).unwrap();
        assert_eq!(Count::Prime.of(side), 4);
        assert_eq!(Count::Blots.of(side), 2);
        assert_eq!((Count::Bar.of(side), Count::Off.of(side)), (1, 3));
    }

    /// A player that is written and read again has the same weights, and a mutation changes each of them.
    #[test]
    fn text_and_mutations_keep_the_features() {
        let text = "bias = 0.25\n[weights]\npips = -0.02\nopponent_bar = 1\n\
            [[pairs]]\nof = ['prime', 'home_points']\nweight = 0.1\n";
        let player = written(text).unwrap();
        assert_eq!(player.weights(), [0.25, -0.02, 1.0, 0.1]);
        let rng = &mut gammond_base::rng::stream(4, 0);
        let mutated = player.mutated("challenger", 0.5, rng);
        let sizes = [1.0, 100.0, 1.0, 4.0];
        for ((old, new), size) in (player.weights().iter().zip(mutated.weights())).zip(sizes) {
            let change = (new - old).abs() * size;
            assert!(change > 0.0 && change <= 0.5, "{old} {new}");
        }
        let again = written(&mutated.text("{}")).unwrap();
        assert_eq!(again.weights(), mutated.weights());
        assert_eq!(again.made(), Some("{}"));
        assert_eq!(player.made(), None);
        assert!(player.with_weights("x", &[1.0]).is_none());
        assert!(player.with_weights("x", &[f64::NAN; 4]).is_none());
    }

    /// A position and the same one seen by the other player share one game.
    #[test]
    fn a_symmetric_player_sees_the_same_from_both_sides() {
        let text = "symmetric = true\n[weights]\npips = -0.01\nblots = -0.2\n[[pairs]]\nof = ['prime', 'home_points']\nweight = 0.1\n";
        let counts = [[(0, 2), (5, 6), (12, 1)], [(7, 4), (13, 2), (24, 1)]];
        let sides = counts.map(|counts| {
            let mut all = [0; 25];
            counts.iter().for_each(|&(at, n)| all[at] = n);
            all
        });
        let position = Position::new(&sides[0], &sides[1]).unwrap();
        for player in [written(text), Linear::open(None).map_err(|e| e.to_string())] {
            let player = player.unwrap();
            let one = player.chances(&position).unwrap().win;
            let other = player.chances(&position.swapped()).unwrap().win;
            assert!(
                (one + other - 1.0).abs() < 1e-6 && one != other,
                "{one} {other}"
            );
        }
        let player = written("[weights]\npips = 1000\nopponent_pips = -999").unwrap();
        for position in [position, position.swapped()] {
            let win = player.chances(&position).unwrap().win;
            assert!(win > 0.0 && win < 1.0, "{win}");
        }
    }

    #[test]
    fn files_that_are_none() {
        let many: String = (COUNTS.iter())
            .flat_map(|(name, _)| [format!("{name} = 1\n"), format!("opponent_{name} = 1\n")])
            .take(11)
            .collect();
        for (text, said) in [
            ("", "missing field `weights`"),
            ("[weights]\n", "no feature has a weight"),
            ("[weights]\npips = 'x'\n", "line 2"),
            (
                "[weights]\npips = 1\npisp = 1\n",
                "feature 'pisp' is not known",
            ),
            (
                "bais = 1\n[weights]\npips = 1\n",
                "did you mean bias? (line 1)",
            ),
            ("[weights]\npips = nan\n", "is no number"),
            (
                "symmetric = true\n[weights]\nopponent_pips = 1\n",
                "symmetric:",
            ),
            (
                &format!("[weights]\n{many}"),
                "11 features, expected at most 10",
            ),
        ] {
            let error = written(text).err().unwrap();
            assert!(error.contains(said), "{said}: {error}");
            assert!(error.contains("a.toml: "), "{error}");
        }
    }
}
