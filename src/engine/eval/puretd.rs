//! Static evaluation with PureTD's published nets (`.pt`): NF-40 to NF-45 of `protocol-specs/net-file.md`.
//!
//! One net evaluates all positions; it sees nothing but checkers. Bearoff tables answer the positions that they
//! cover, and impossible results are removed, both as with GNU Backgammon's weights.

use super::nets::{NetError, Pruner};
use super::{Evaluator, QuickKeep, SearchPolicy, Shortcuts, gnubg, in_order};
use crate::bearoff::{BeyondTable, Tables};
use crate::nn::format::pytorch::{self, PyTorchError, PyTorchNet};
use crate::nn::{CpuLevel, ReluNet, ReluNetError, SparseInput, sigmoid};
use gammond_game::{Chances, Class, Position, Side};
use std::sync::Arc;

/// Inputs of a net: twice 24 points of four units, the bar and the checkers borne off.
const INPUTS: usize = 196;

/// Texts that the nets state about themselves, and the values that this evaluator computes.
const KNOWN: [(&str, &str); 2] = [("activation", "relu"), ("encoder_name", "perspective196")];

/// Evaluates positions with a net of PureTD.
#[derive(Debug, Clone)]
pub struct PureTdEvaluator {
    name: String,
    net: ReluNet,
    output: PureTdOutput,
    pruner: Arc<Pruner>,
    tables: Tables,
    level: CpuLevel,
}

/// Settings of searches: replies are pruned by our pruning net, with the margin measured for our own nets, as the net
/// has no quicker one beside it.
const POLICY: SearchPolicy = SearchPolicy {
    quick_margin: 0.12,
    quick_keep: QuickKeep::Fixed(5),
    as_gnubg: false,
    ..SearchPolicy::GNUBG
};

/// Meaning of a net's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PureTdOutput {
    /// Logits of the five chances.
    Chances,
    /// The cubeless money equity. Its chances are those without gammons below a point, and represent the equity only.
    Equity,
}

/// An error while loading a net of PureTD.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PureTdError {
    /// The file cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is not an archive of PyTorch or is damaged.
    #[error("{0}")]
    File(#[from] PyTorchError),
    /// The layers do not make a net.
    #[error("{0}")]
    Net(#[from] ReluNetError),
    /// The pruning net in the program is damaged, which a test excludes.
    #[error("{0}")]
    Pruning(#[from] NetError),
    /// The net's file has a property that is unknown to this version.
    #[error("{key} is {found}, expected {expected}")]
    Unknown {
        /// Key in the file.
        key: &'static str,
        /// Value in the file.
        found: String,
        /// Known values.
        expected: &'static str,
    },
}

impl PureTdEvaluator {
    /// Parses the contents of a file.
    ///
    /// # Errors
    /// [`PureTdError`].
    pub fn parse(bytes: &[u8]) -> Result<PureTdEvaluator, PureTdError> {
        let file = pytorch::read(bytes)?;
        let net = ReluNet::new(&file.layers)?;
        let output = output(&file, net.outputs())?;
        let inputs = net.widths().first().copied().unwrap_or_default();
        if inputs != INPUTS {
            return Err(PureTdError::Unknown {
                key: "number of inputs",
                found: inputs.to_string(),
                expected: "196",
            });
        }
        Ok(PureTdEvaluator {
            name: format!("PureTD {}", file.name),
            net,
            output,
            pruner: Pruner::embedded()?,
            tables: Tables::shared().clone(),
            level: CpuLevel::detect(),
        })
    }

    /// Returns the same net with these bearoff tables.
    #[must_use]
    pub fn with_tables(mut self, tables: Tables) -> PureTdEvaluator {
        self.tables = tables;
        self
    }

    /// Returns the same net on another level of this CPU, for tests and measurements.
    #[must_use]
    pub fn at(mut self, level: CpuLevel) -> PureTdEvaluator {
        self.level = level;
        self
    }

    /// Returns the number of inputs, then of the units of each layer.
    #[must_use]
    pub fn widths(&self) -> &[usize] {
        self.net.widths()
    }

    /// Returns the meaning of the outputs.
    #[must_use]
    pub fn output(&self) -> PureTdOutput {
        self.output
    }

    /// Returns the net's own chances of each position, without tables and corrections.
    #[must_use]
    pub fn net_chances(&self, positions: &[Position]) -> Vec<Chances> {
        let mut inputs = vec![SparseInput::EMPTY; positions.len()];
        for (position, input) in positions.iter().zip(&mut inputs) {
            let (me, opponent) = (position.me(), position.opponent());
            push_side(me, |point| me.count(point), 0, input);
            push_side(
                opponent,
                |point| opponent.count(23 - point),
                INPUTS / 2,
                input,
            );
        }
        let mut outputs = vec![0.0; positions.len() * self.net.outputs()];
        self.net.forward(self.level, &inputs, &mut outputs);
        let chances = |outputs: &[f32]| match (outputs.first_chunk::<5>(), outputs) {
            (Some(logits), _) => in_order(logits.map(sigmoid)),
            (None, &[equity]) => with_equity(equity),
            (None, _) => Chances::default(),
        };
        outputs.chunks(self.net.outputs()).map(chances).collect()
    }
}

/// Adds the inputs of one side from `start` on: `count` returns its checkers on a point as the player on roll numbers them.
fn push_side(side: Side, count: impl Fn(usize) -> u8, start: usize, input: &mut SparseInput) {
    for point in 0..24 {
        let checkers = count(point);
        for unit in 0..usize::from(checkers.min(3)) {
            input.push(start + 4 * point + unit, 1.0);
        }
        let above = checkers.saturating_sub(3);
        input.push(start + 4 * point + 3, f32::from(above) / 2.0);
    }
    input.push(start + 96, f32::from(side.count(24)) / 2.0);
    input.push(start + 97, f32::from(side.off()) / 15.0);
}

/// Returns the kind of the net's outputs, by the file.
fn output(file: &PyTorchNet, outputs: usize) -> Result<PureTdOutput, PureTdError> {
    let unknown = |key, found: Option<&str>, expected| PureTdError::Unknown {
        key,
        found: found.map_or("missing".to_owned(), |found| format!("{found:?}")),
        expected,
    };
    for (key, expected) in KNOWN {
        let found = file.text(key);
        if found != Some(expected) {
            return Err(unknown(key, found, expected));
        }
    }
    match (outputs, file.text("model_type"), file.text("output_mode")) {
        (5, Some("prob5"), _) => Ok(PureTdOutput::Chances),
        (1, _, Some("equity")) => Ok(PureTdOutput::Equity),
        (5, kind, _) => Err(unknown("model_type", kind, "prob5")),
        (1, _, mode) => Err(unknown("output_mode", mode, "equity")),
        (outputs, ..) => Err(PureTdError::Unknown {
            key: "number of outputs",
            found: outputs.to_string(),
            expected: "5 or 1",
        }),
    }
}

/// Returns chances with this equity: wins and losses of one point as far as they reach.
fn with_equity(equity: f32) -> Chances {
    let above = |equity: f32| {
        (
            (equity - 1.0).clamp(0.0, 1.0),
            (equity - 2.0).clamp(0.0, 1.0),
        )
    };
    let ((win_gammon, win_backgammon), (lose_gammon, lose_backgammon)) =
        (above(equity), above(-equity));
    Chances {
        win: (0.5 + equity / 2.0).clamp(0.0, 1.0),
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    }
}

impl Evaluator for PureTdEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        self.tables.class(position)
    }

    fn evaluate(&self, _: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        let exact = |position| self.tables.exactly(self.tables.class(position), position);
        let mut left = Vec::with_capacity(positions.len());
        for (index, (position, out)) in positions.iter().zip(&mut *out).enumerate() {
            match exact(position) {
                Some(chances) => *out = chances,
                None => left.push((index, *position)),
            }
        }
        let asked: Vec<Position> = left.iter().map(|(_, position)| *position).collect();
        for ((index, position), chances) in left.iter().zip(self.net_chances(&asked)) {
            let mut outputs = chances.to_array();
            // Chances that stand for an equity only would change it.
            if self.output == PureTdOutput::Chances {
                let race = !position.has_contact();
                gnubg::correct(position, race, &self.tables, &mut outputs);
            }
            out[*index] = Chances::from_array(outputs);
        }
    }

    fn policy(&self) -> &SearchPolicy {
        &POLICY
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        self
    }
}

impl Shortcuts for PureTdEvaluator {
    fn rank_quickly(
        &self,
        reference: &Position,
        positions: &[Position],
        slopes: &[[f32; 5]],
        out: &mut [f64],
    ) -> bool {
        self.pruner.rank(reference, positions, slopes, out)
    }

    fn win_after_rolls(&self, position: &Position) -> Option<[f32; 21]> {
        self.tables.win_after_rolls(position)
    }

    fn mean_rolls(&self, position: &Position) -> Option<[f32; 2]> {
        self.tables.mean_rolls(position)
    }

    fn nearly_cubeful(&self, position: &Position, beyond: BeyondTable<'_>) -> Option<[f32; 3]> {
        self.tables.nearly_cubeful(position, beyond)
    }

    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        self.tables.exact_cubeful(position)
    }
}
