//! A training run from its TOML file.

use super::alpha::AlphaSettings;
use super::error::{RunError, in_file, read_toml};
use super::game_settings::GameSettings;
use super::limits::{
    ALPHA_MAX, BATCH_MAX, Checked, FACTOR_MAX, LABELS_MAX, PASSES_MAX, TIMES_MAX, WEIGHT_MAX,
    within,
};
use super::net::{Net, UNITS};
use super::shard::Label;
use super::siblings::HORIZON_MAX;
use gammond_engine::eval::nets::{InputSet, Role};
use gammond_engine::nn::{Activation, Limits, WIDTH_MAX};
use gammond_game::Group;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A net at the beginning of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Origin {
    /// A float net in safetensors form.
    File(PathBuf),
    /// A float net with more units or inputs.
    Changed {
        /// The net to begin with.
        from: PathBuf,
        /// Units of the first layer, a multiple of 64 (see `Net::widened`): where there is room, every unit is
        /// doubled (tripled, ...); the rest begin with random weights, and unheard.
        widen: Option<usize>,
        /// Add the sixteen inputs of checkers borne off, without weight at first.
        #[serde(default)]
        off: bool,
        /// Add the inputs of rolls that reach blots, without weight at first.
        #[serde(default)]
        reach: bool,
        /// All groups of inputs that the net has afterwards, in place of `off` and `reach`; new ones are without
        /// weight at first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inputs: Vec<String>,
    },
    /// Random weights: widths of the two layers, and which inputs beside the base ones.
    Random {
        /// Units of the first layer, a multiple of 64.
        first: usize,
        /// Units of the second layer, 16, 32 or 64.
        second: usize,
        /// Groups of inputs, such as `["counts", "hand", "reach"]`, in place of `hand`, `reach` and `off`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inputs: Vec<String>,
        /// True if the 40 handcrafted inputs are used.
        #[serde(default)]
        hand: bool,
        /// True if the inputs for rolls that reach blots are used; only with `hand`.
        #[serde(default)]
        reach: bool,
        /// True if the sixteen inputs of checkers borne off are used; not with `hand`.
        #[serde(default)]
        off: bool,
        /// Name of the first layer's activation, in place of `squared`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        activation: Option<String>,
        /// True if the first layer passes on squares.
        #[serde(default)]
        squared: bool,
        /// True for squares with a limit of 2 in the first layer and none in the second (see [`Limits::WIDE`]).
        #[serde(default)]
        wide: bool,
    },
}

impl Origin {
    /// Returns the reason why such a net cannot be made, as far as the plan alone shows it.
    fn fault(&self) -> Option<String> {
        Some(match *self {
            Origin::Random { first, .. }
                if !first.is_multiple_of(UNITS) || !(1..=WIDTH_MAX).contains(&first) =>
            {
                format!("first: {first}, expected a multiple of {UNITS} up to {WIDTH_MAX}")
            }
            Origin::Changed {
                widen: Some(wide), ..
            } if !(1..=WIDTH_MAX).contains(&wide) => {
                format!("widen: {wide}, expected 1 to {WIDTH_MAX}")
            }
            Origin::Random { second, .. } if ![16, 32, 64].contains(&second) => {
                format!("second: {second}, expected 16, 32 or 64")
            }
            Origin::File(_) => return None,
            Origin::Changed { .. } => return self.inputs().err(),
            Origin::Random { wide, .. } => {
                let activation = self.inputs().and_then(|_| self.activation());
                return match activation {
                    Ok(activation) if wide && Limits::WIDE.fault(activation).is_some() => {
                        Some("wide: only together with squared".into())
                    }
                    other => other.err(),
                };
            }
        })
    }

    /// Returns the inputs that the plan names: `None` if they are those of a file.
    fn inputs(&self) -> Result<Option<InputSet>, String> {
        let (inputs, flags) = match self {
            Origin::File(_) => return Ok(None),
            Origin::Changed {
                inputs, off, reach, ..
            } => (inputs, [("hand", false), ("reach", *reach), ("off", *off)]),
            Origin::Random {
                inputs,
                hand,
                reach,
                off,
                ..
            } => (inputs, [("hand", *hand), ("reach", *reach), ("off", *off)]),
        };
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let mut flags = flags.map(|(name, _)| name);
        match (self, inputs.is_empty()) {
            (_, false) => match flags.next() {
                Some(flag) => Err(format!("{flag}: not together with inputs")),
                None => InputSet::of_groups(inputs).map(Some),
            },
            (Origin::Random { .. }, true) => {
                let groups: Vec<_> = std::iter::once("counts").chain(flags).collect();
                InputSet::of_groups(&groups).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Returns the activation of a net with random weights.
    fn activation(&self) -> Result<Activation, String> {
        let Origin::Random {
            activation,
            squared,
            ..
        } = self
        else {
            return Ok(Activation::default());
        };
        let name = match (activation, squared) {
            (Some(_), true) => return Err("squared: not together with activation".into()),
            (Some(name), false) => name,
            (None, true) => "squared",
            (None, false) => return Ok(Activation::default()),
        };
        let known = Activation::ALL
            .into_iter()
            .find(|known| known.name() == name);
        known.ok_or_else(|| {
            let names = Activation::ALL.map(Activation::name).join(", ");
            format!("activation: {name:?}, expected one of {names}")
        })
    }
}

/// One round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Labels to make before training.
    pub labels: usize,
    /// Settings of the games.
    #[serde(default)]
    pub games: GameSettings,
    /// Shares of the games that begin in positions of a group (its name as in `weights`), drawn from the labels of
    /// `earlier` runs; the others begin as in `games`.
    #[serde(default, skip_serializing_if = "Weights::is_empty")]
    pub starts: Weights,
    /// Number of last rounds whose labels are trained on.
    pub pool: usize,
    /// Passes over them.
    #[serde(default = "one")]
    pub passes: f64,
    /// Learning rate at the start of the round (after the warm-up).
    pub rate: f32,
    /// ... and at its end, as a share of `rate`; cosine in between.
    #[serde(default = "one_f32")]
    pub rate_end: f32,
    /// Weight of the squared error of equity differences between siblings, beside the loss of
    /// each label. Plays are chosen by differences.
    #[serde(default)]
    pub pairs: f32,
    /// The longest horizon of siblings that were followed (`twins`): 0 for their 1-ply values, up to 3. Shorter ones have less
    /// noise, longer ones less of the labelling net's own error.
    #[serde(default)]
    pub horizon: u8,
    /// Number of times that labels of a group (its name in `gammond bench`, such as `crashed: contain`) are trained on;
    /// 1 for groups not listed. With 1.5 all are used once and half of them twice. If groups overlap, the largest
    /// number counts.
    #[serde(default)]
    pub weights: Weights,
    /// The classical schedule in place of the cosine: `rate` belongs to `alpha.start` and follows alpha, from one
    /// pass to the next.
    pub alpha: Option<AlphaSettings>,
    /// Number of times that this round is run.
    #[serde(default = "once")]
    pub times: usize,
    /// Factor on the learning rate from one repetition to the next.
    #[serde(default = "one_f32")]
    pub rate_factor: f32,
}

/// Weights or shares of groups of positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, f32>", into = "BTreeMap<String, f32>")]
pub struct Weights(Vec<(Group, f32)>);

/// Weights that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "weights or starts: {0:?}: expected a group of positions and a number from 0 to {GROUP_MAX}"
)]
pub struct BadWeight(String);

/// Most copies of a label.
const GROUP_MAX: f32 = 100.0;

impl TryFrom<BTreeMap<String, f32>> for Weights {
    type Error = BadWeight;

    fn try_from(all: BTreeMap<String, f32>) -> Result<Weights, BadWeight> {
        let checked = |(name, weight): (String, f32)| {
            let group = Group::ALL.into_iter().find(|g| g.to_string() == name);
            match group {
                Some(group) if (0.0..=GROUP_MAX).contains(&weight) => Ok((group, weight)),
                _ => Err(BadWeight(name)),
            }
        };
        all.into_iter()
            .map(checked)
            .collect::<Result<_, _>>()
            .map(Weights)
    }
}

impl From<Weights> for BTreeMap<String, f32> {
    fn from(weights: Weights) -> BTreeMap<String, f32> {
        let named = |(group, weight): (Group, f32)| (group.to_string(), weight);
        weights.0.into_iter().map(named).collect()
    }
}

impl Weights {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn groups(&self) -> &[(Group, f32)] {
        &self.0
    }

    pub(super) fn of(&self, label: &Label) -> f32 {
        let own = self
            .0
            .iter()
            .filter(|(group, _)| group.holds(&label.position));
        own.map(|(_, weight)| *weight)
            .reduce(f32::max)
            .unwrap_or(1.0)
    }
}

const fn one() -> f64 {
    1.0
}
const fn one_f32() -> f32 {
    1.0
}
const fn once() -> usize {
    1
}
const fn batch() -> usize {
    1024
}
const fn keep() -> f32 {
    0.998
}

/// A run from its TOML file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of everything.
    pub seed: u64,
    /// Net for contact positions.
    pub contact: Origin,
    /// Net for crashed positions; the contact net when left out.
    pub crashed: Option<Origin>,
    /// Net for contact positions in which the player on roll leads clearly; the contact net when
    /// left out.
    pub ahead: Option<Origin>,
    /// ... trails clearly.
    pub behind: Option<Origin>,
    /// Nets for parts of contact, by the class of their files; a part that is left out is its parent's work
    /// ([`Role::parent`]).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, Origin>,
    /// Net for races.
    pub race: Origin,
    /// Net that filters plays (never trained in this run).
    pub quick: Option<Origin>,
    /// Net file that prunes plays where games have `pruning`; the embedded one when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pruning: Option<PathBuf>,
    /// Labels a step.
    #[serde(default = "batch")]
    pub batch: usize,
    /// Share of the running mean of the weights that a step keeps.
    #[serde(default = "keep")]
    pub keep: f32,
    /// Number of each net's newest labels kept out of training; 0 for none. On these, `fresh`, `fresh_pairs` and
    /// `pairs` in the log measure the net at positions that it has not learned from.
    #[serde(default)]
    pub held_out: usize,
    /// Folders of earlier runs whose labels join the pool.
    #[serde(default)]
    pub earlier: Vec<PathBuf>,
    /// Rounds in order.
    pub round: Vec<Round>,
}

impl Checked for Plan {
    fn fault(&self) -> Option<String> {
        let mut parts = self.parts.keys();
        let strange = parts.find(|name| !Role::named(name).is_some_and(is_part));
        let mut rounds = (1..).zip(&self.round);
        strange
            .map(|name| {
                format!(
                    "parts: {name:?}, expected one of {}",
                    Role::names(Role::ALL.into_iter().filter(|role| is_part(*role)))
                )
            })
            .or_else(|| {
                let mut origins = self.origins();
                origins.find_map(|(_, origin)| origin.fault())
            })
            .or_else(|| within("batch", self.batch as f64, 1.0, BATCH_MAX))
            .or_else(|| within("keep", self.keep.into(), 0.0, 1.0))
            .or_else(|| within("held_out", self.held_out as f64, 0.0, LABELS_MAX))
            .or_else(|| (self.round.is_empty()).then(|| "round: none is there".to_owned()))
            .or_else(|| {
                let has_starts = self.round.iter().any(|round| !round.starts.is_empty());
                (has_starts && self.earlier.is_empty())
                    .then(|| "starts: no earlier runs to draw them from".to_owned())
            })
            .or_else(|| {
                rounds.find_map(|(number, round)| {
                    let fault = round.fault()?;
                    Some(format!("round {number}: {fault}"))
                })
            })
    }
}

impl Checked for Round {
    fn fault(&self) -> Option<String> {
        let (times, pool) = (self.times as f64, self.pool as f64);
        let alpha = self.alpha.unwrap_or_default();
        within("labels", self.labels as f64, 0.0, LABELS_MAX)
            .or_else(|| within("pool", pool, 1.0, TIMES_MAX))
            .or_else(|| within("passes", self.passes, 0.0, PASSES_MAX))
            .or_else(|| within("rate", self.rate.into(), 0.0, 1.0))
            .or_else(|| within("rate_end", self.rate_end.into(), 0.0, 1.0))
            .or_else(|| within("pairs", self.pairs.into(), 0.0, WEIGHT_MAX))
            .or_else(|| within("horizon", self.horizon.into(), 0.0, HORIZON_MAX.into()))
            .or_else(|| within("times", times, 1.0, TIMES_MAX))
            .or_else(|| within("rate_factor", self.rate_factor.into(), 0.0, FACTOR_MAX))
            .or_else(|| within("alpha.start", alpha.start, 0.0, ALPHA_MAX))
            .or_else(|| within("alpha.least", alpha.least, 0.0, ALPHA_MAX))
            .or_else(|| within("alpha.fall", alpha.fall, 0.0, 1.0))
            .or_else(|| {
                let shares = self.starts.groups().iter().map(|&(_, share)| share);
                within("starts", shares.sum::<f32>().into(), 0.0, 1.0)
            })
            .or_else(|| self.games.fault())
    }
}

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`RunError`]: the file, or what is wrong in it.
    pub fn load(path: &Path) -> Result<Plan, RunError> {
        read_toml(path)
    }

    /// Returns the origin of a role's net and the seed of its random numbers; `None` if there is no such net.
    pub(super) fn origin(&self, role: Role) -> Option<(&Origin, u64)> {
        let (origin, number) = match role {
            Role::Contact => (Some(&self.contact), 0),
            Role::Race => (Some(&self.race), 1),
            Role::Crashed => (self.crashed.as_ref(), 2),
            Role::Fast => (self.quick.as_ref(), 3),
            Role::Ahead => (self.ahead.as_ref(), 4),
            Role::Behind => (self.behind.as_ref(), 5),
            part => (self.parts.get(part.name()), 10 + part as u64),
        };
        Some((origin?, self.seed.wrapping_add(number)))
    }

    /// Returns the origins of the nets, each with its role.
    pub(super) fn origins(&self) -> impl Iterator<Item = (Role, &Origin)> {
        let origin = |role| Some((role, self.origin(role)?.0));
        Role::ALL.into_iter().filter_map(origin)
    }

    /// Returns the origins of the nets, mutable, in another order than `origins`.
    pub(super) fn origins_mut(&mut self) -> impl Iterator<Item = (Role, &mut Origin)> {
        let parts = self.parts.iter_mut();
        let parts = parts.filter_map(|(name, origin)| Some((Role::named(name)?, Some(origin))));
        [
            (Role::Contact, Some(&mut self.contact)),
            (Role::Crashed, self.crashed.as_mut()),
            (Role::Ahead, self.ahead.as_mut()),
            (Role::Behind, self.behind.as_mut()),
            (Role::Race, Some(&mut self.race)),
            (Role::Fast, self.quick.as_mut()),
        ]
        .into_iter()
        .chain(parts)
        .filter_map(|(role, origin)| Some((role, origin?)))
    }

    /// Returns the files and folders that the plan names, always in the same order.
    pub fn paths_mut(&mut self) -> Vec<&mut PathBuf> {
        let Plan {
            contact,
            crashed,
            ahead,
            behind,
            parts,
            race,
            quick,
            pruning,
            earlier,
            ..
        } = self;
        let nets = [Some(contact), Some(race)].into_iter();
        let others = [crashed, ahead, behind, quick].map(Option::as_mut);
        let nets = nets.chain(others).flatten().chain(parts.values_mut());
        let files = nets.filter_map(|origin| match origin {
            Origin::File(path) | Origin::Changed { from: path, .. } => Some(path),
            Origin::Random { .. } => None,
        });
        files.chain(pruning).chain(earlier).collect()
    }

    /// Returns the number of jobs of a run: the games of each round that has labels of its own, and its nets.
    #[must_use]
    pub fn jobs(&self) -> u64 {
        let rounds = self.round.iter();
        rounds
            .map(|round| round.times as u64 * (1 + u64::from(round.labels > 0)))
            .sum()
    }

    /// Returns the rounds, repetitions written out.
    pub fn rounds(&self) -> Vec<Round> {
        let mut all = Vec::new();
        for round in &self.round {
            for time in 0..round.times {
                let mut round = round.clone();
                round.rate *= round.rate_factor.powi(time as i32);
                all.push(round);
            }
        }
        all
    }
}

/// Returns true if a net of this role is listed under a plan's `parts` and has no key of its own.
fn is_part(role: Role) -> bool {
    role.parent().is_some() && !matches!(role, Role::Crashed | Role::Ahead | Role::Behind)
}

pub(super) fn origin(origin: &Origin, seed: u64) -> Result<Net, RunError> {
    match origin {
        Origin::File(path) => Net::load(path).map_err(in_file(path)),
        Origin::Changed {
            from,
            widen,
            off,
            reach,
            ..
        } => {
            let mut net = Net::load(from).map_err(in_file(from))?;
            let refuse = |reason: String| RunError::Plan {
                path: from.clone(),
                reason,
            };
            if let Some(widen) = widen {
                net = (net.widened(*widen, seed))
                    .ok_or_else(|| {
                        let first = net.first;
                        refuse(format!("{first} units cannot be made {widen}, expected a multiple of {UNITS} from {first} on"))
                    })?;
            }
            let named = origin.inputs().map_err(refuse)?;
            let more = [
                named.filter(|set| *set != net.set),
                off.then_some(InputSet::COUNTS_OFF),
                reach.then_some(InputSet::COUNTS_HAND_REACH),
            ];
            for set in more.into_iter().flatten() {
                net = (net.with_inputs(set)).ok_or_else(|| {
                    refuse(format!(
                        "inputs {:?} cannot be extended to those of the plan",
                        net.set.name()
                    ))
                })?;
            }
            Ok(net)
        }
        Origin::Random {
            first,
            second,
            wide,
            ..
        } => {
            let refuse = |reason: String| RunError::Plan {
                path: PathBuf::from("plan"),
                reason,
            };
            let set = origin.inputs().map_err(refuse)?.unwrap_or(InputSet::COUNTS);
            let mut net = Net::random(set, *first, *second, seed);
            net.activation = origin.activation().map_err(refuse)?;
            if *wide {
                net.limits = Limits::WIDE;
            }
            Ok(net)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_str, to_string};

    fn parsed(keys: &str) -> Origin {
        from_str(&format!(r#"{{"first":64,"second":16{keys}}}"#)).unwrap()
    }

    /// NI-02, NI-07, NI-30: groups by name are the sets of the older keys.
    #[test]
    fn inputs_and_activation_by_name_equal_the_older_keys() {
        for (old, new) in [
            ("", r#","inputs":["counts"]"#),
            (r#","hand":true"#, r#","inputs":["hand","counts"]"#),
            (
                r#","hand":true,"reach":true"#,
                r#","inputs":["counts","hand","reach"]"#,
            ),
            (r#","off":true"#, r#","inputs":["counts","off"]"#),
            (r#","squared":true"#, r#","activation":"squared""#),
            (
                r#","squared":true,"wide":true"#,
                r#","activation":"squared","wide":true"#,
            ),
        ] {
            let [old, new] = [old, new].map(parsed);
            assert_eq!((old.fault(), new.fault()), (None, None), "{new:?}");
            let net = |origin| super::origin(origin, 7).unwrap().to_float();
            assert_eq!(net(&old), net(&new), "{new:?}");
            // Journals of older runs hold the plan in this form.
            let written = to_string(&old).unwrap();
            assert!(!written.contains("inputs") && !written.contains("activation"));
            assert_eq!(from_str::<Origin>(&to_string(&new).unwrap()).unwrap(), new);
        }
    }

    #[test]
    fn inputs_and_activation_that_cannot_be_are_refused() {
        for (keys, reason) in [
            (r#","hand":true,"off":true"#, "off: not together with hand"),
            (r#","reach":true"#, "reach: only together with hand"),
            (r#","inputs":["hand"]"#, "inputs: counts is missing"),
            (
                r#","inputs":["counts","reach"]"#,
                "reach: only together with hand",
            ),
            (
                r#","inputs":["counts"],"hand":true"#,
                "hand: not together with inputs",
            ),
            (
                r#","inputs":["pips"]"#,
                "inputs: \"pips\", expected some of counts, hand, reach, off",
            ),
            (
                r#","activation":"round""#,
                "activation: \"round\", expected one of clipped, squared",
            ),
            (
                r#","activation":"squared","squared":true"#,
                "squared: not together with activation",
            ),
            (
                r#","activation":"clipped","wide":true"#,
                "wide: only together with squared",
            ),
        ] {
            assert_eq!(parsed(keys).fault().as_deref(), Some(reason), "{keys}");
        }
    }
}
