//! Static evaluation with GNU Backgammon's weight files.
//!
//! [`GnubgEvaluator`] gives the five chances that GNU Backgammon gives without look-ahead, by the rules of
//! `protocol-specs/gnubg-evaluation.md` in portable arithmetic: the same bits on every CPU level, for every grouping
//! of positions. It does not look ahead, and knows no cube except that of the two-sided bearoff table.

mod features;
mod inputs;
pub(super) mod race;
mod sanity;
mod shots;
#[cfg(test)]
mod slow;
mod weights;

use self::features::{InputVariant, Unpacked};
use super::{Evaluator, SearchPolicy, Shortcuts};
use crate::bearoff::Tables;
use crate::nn::{CpuLevel, Integers, Kernel, Mlp, MlpError, SparseInput};
use gammond_game::{Chances, Class, Position};
use std::slice::from_mut;

pub use self::weights::{Version, WeightsError, WeightsFile};

/// Positions whose inputs are made and evaluated together.
const BATCH: usize = 16;

/// Evaluates positions with GNU Backgammon's nets and bearoff tables.
#[derive(Debug)]
pub struct GnubgEvaluator {
    name: String,
    version: Version,
    level: CpuLevel,
    tables: Tables,
    contact: Mlp,
    race: Mlp,
    crashed: Mlp,
    prune_contact: Mlp,
    prune_crashed: Mlp,
    prune_race: Mlp,
}

/// An error while creating an evaluator.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GnubgError {
    /// The weight file is missing or damaged.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// A net's numbers do not fit its shape.
    #[error(transparent)]
    Shape(#[from] MlpError),
}

impl GnubgEvaluator {
    /// Returns an evaluator with these weights that uses one level of the CPU's abilities.
    ///
    /// # Errors
    /// [`GnubgError::Shape`].
    pub fn new(
        file: &WeightsFile,
        tables: Tables,
        level: CpuLevel,
    ) -> Result<GnubgEvaluator, GnubgError> {
        Ok(GnubgEvaluator {
            name: format!("gnubg {}", file.version.as_str()),
            version: file.version,
            level,
            tables,
            contact: Mlp::new(&file.contact)?,
            race: Mlp::new(&file.race)?,
            crashed: Mlp::new(&file.crashed)?,
            prune_contact: Mlp::new(&file.prune_contact)?,
            prune_crashed: Mlp::new(&file.prune_crashed)?,
            prune_race: Mlp::new(&file.prune_race)?,
        })
    }

    /// Returns the same nets with these bearoff tables.
    #[must_use]
    pub fn with_tables(mut self, tables: Tables) -> GnubgEvaluator {
        self.tables = tables;
        self
    }

    /// Evaluates positions that are all of one class (GE-01, GE-02, GE-03).
    fn evaluate_class(&self, class: Class, positions: &[Position], out: &mut [Chances]) {
        match class {
            Class::Over
            | Class::Hypergammon
            | Class::Bearoff2
            | Class::BearoffTs
            | Class::Bearoff1
            | Class::BearoffOs => {
                for (position, chances) in positions.iter().zip(out) {
                    match self.tables.exactly(class, position) {
                        Some(exact) => *chances = exact,
                        // A database on disk may become unreadable.
                        None => {
                            self.by_net(&self.race, Inputs::Race, &[*position], from_mut(chances))
                        }
                    }
                }
            }
            Class::Race => self.by_net(&self.race, Inputs::Race, positions, out),
            Class::Crashed => {
                let kind = InputVariant {
                    crashed: true,
                    version: self.version,
                };
                self.by_net(&self.crashed, Inputs::Contact(kind), positions, out);
            }
            Class::Contact => {
                let kind = InputVariant {
                    crashed: false,
                    version: self.version,
                };
                self.by_net(&self.contact, Inputs::Contact(kind), positions, out);
            }
        }
    }

    /// Runs positions of one net class through a net and corrects the outputs.
    fn by_net(&self, net: &Mlp, inputs: Inputs, positions: &[Position], out: &mut [Chances]) {
        // Little scratch space to clear for little work.
        if positions.len() <= 2 {
            self.in_batches::<2>(net, inputs, positions, out);
        } else {
            self.in_batches::<BATCH>(net, inputs, positions, out);
        }
    }

    fn in_batches<const N: usize>(
        &self,
        net: &Mlp,
        inputs: Inputs,
        positions: &[Position],
        out: &mut [Chances],
    ) {
        let race = positions.first().is_some_and(|first| !first.has_contact());
        let mut sparse = [const { SparseInput::EMPTY }; N];
        for (positions, out) in positions.chunks(N).zip(out.chunks_mut(N)) {
            let sparse = &mut sparse[..positions.len()];
            self.level.run(Fill {
                inputs,
                positions,
                sparse,
            });
            let mut outputs = [[0.0; 5]; N];
            net.forward(self.level, sparse, &mut outputs);
            for ((position, outputs), chances) in positions.iter().zip(&mut outputs).zip(out) {
                correct(position, race, &self.tables, outputs);
                *chances = Chances::from_array(*outputs);
            }
        }
    }
}

/// Corrects the outputs of a net for a position that is not over (GE-40, GE-50); `race` is true without contact.
#[inline(always)]
pub(super) fn correct(position: &Position, race: bool, tables: &Tables, outputs: &mut [f32; 5]) {
    if race {
        race::replace_backgammons(position, tables, outputs);
    }
    sanity::adjust(position, tables, outputs);
}

/// Returns the outputs of a net after the corrections of GE-40 and GE-50. Those of a finished game stay as they are.
#[must_use]
pub fn corrected(position: &Position, mut outputs: [f32; 5]) -> [f32; 5] {
    if !position.is_over() {
        let race = !position.has_contact();
        correct(position, race, Tables::shared(), &mut outputs);
    }
    outputs
}

/// Inputs of a net.
#[derive(Debug, Clone, Copy)]
enum Inputs {
    Base,
    Race,
    Contact(InputVariant),
}

/// The inputs of a weight file's nets, for those who train such nets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NetInputs {
    /// Those of the pruning nets.
    Base,
    /// Those of the race net. The position must be without contact.
    Race,
    /// Those of the contact net in this version. The position must have contact.
    Contact(Version),
    /// Those of the crashed net in this version. The position must have contact.
    Crashed(Version),
}

impl NetInputs {
    /// Returns the number of inputs.
    #[must_use]
    pub const fn width(self) -> usize {
        match self {
            NetInputs::Base => inputs::BASE_INPUTS,
            NetInputs::Race => inputs::RACE_INPUTS,
            NetInputs::Contact(_) | NetInputs::Crashed(_) => {
                inputs::BASE_INPUTS + 2 * features::FEATURES
            }
        }
    }

    /// Returns true if a net with these inputs suits the position.
    #[must_use]
    pub fn suits(self, position: &Position) -> bool {
        match self {
            NetInputs::Base => true,
            NetInputs::Race => !position.has_contact(),
            NetInputs::Contact(_) | NetInputs::Crashed(_) => position.has_contact(),
        }
    }

    /// Returns all inputs of a position that suits them; another one's are zero.
    #[must_use]
    pub fn values(self, position: &Position) -> Vec<f32> {
        let contact = |crashed, version| Inputs::Contact(InputVariant { crashed, version });
        let inputs = match self {
            NetInputs::Base => Inputs::Base,
            NetInputs::Race => Inputs::Race,
            NetInputs::Contact(version) => contact(false, version),
            NetInputs::Crashed(version) => contact(true, version),
        };
        let mut sparse = [SparseInput::EMPTY];
        if self.suits(position) {
            CpuLevel::detect().run(Fill {
                inputs,
                positions: &[*position],
                sparse: &mut sparse,
            });
        }
        let [sparse] = sparse;
        sparse.to_dense(self.width())
    }
}

/// Makes the inputs of some positions.
struct Fill<'a> {
    inputs: Inputs,
    positions: &'a [Position],
    sparse: &'a mut [SparseInput],
}

impl Kernel for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        let Some(first) = self.positions.first() else {
            return;
        };
        let pairs = self.positions.iter().zip(self.sparse);
        // Loops, not closures: those would not be compiled for the level.
        match self.inputs {
            Inputs::Base => {
                for (position, sparse) in pairs {
                    inputs::base::<I>(position, sparse);
                }
            }
            Inputs::Race => {
                for (position, sparse) in pairs {
                    inputs::race::<I>(position, sparse);
                }
            }
            Inputs::Contact(kind) => {
                let me = Unpacked::new::<I>(first.me());
                let mut sides = [me, Unpacked::new::<I>(first.opponent())];
                for (position, sparse) in pairs {
                    inputs::base::<I>(position, sparse);
                    features::unpack::<I>(position, &mut sides);
                    let shots = shots::both(&sides, kind.version);
                    features::push::<I>(&sides, shots, kind, inputs::BASE_INPUTS, sparse);
                }
            }
        }
    }
}

/// Splits positions into runs of one class.
fn runs<'a>(
    tables: &'a Tables,
    positions: &'a [Position],
) -> impl Iterator<Item = (Class, std::ops::Range<usize>)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let class = tables.class(positions.get(start)?);
        let rest = &positions[start + 1..];
        let same = rest.iter().take_while(|next| tables.class(next) == class);
        let run = start..start + 1 + same.count();
        start = run.end;
        Some((class, run))
    })
}

impl Evaluator for GnubgEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        self.tables.class(position)
    }

    fn evaluate(&self, _near: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        for (class, run) in runs(&self.tables, positions) {
            self.evaluate_class(class, &positions[run.clone()], &mut out[run]);
        }
    }

    fn policy(&self) -> &SearchPolicy {
        &SearchPolicy::GNUBG
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        self
    }
}

impl Shortcuts for GnubgEvaluator {
    fn evaluate_quickly(
        &self,
        _near: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) -> bool {
        let Some((class, run)) = runs(&self.tables, positions).next() else {
            return true;
        };
        let net = match class {
            Class::Race => &self.prune_race,
            Class::Crashed => &self.prune_crashed,
            Class::Contact => &self.prune_contact,
            _ => return false,
        };
        if run.end < positions.len() {
            return false;
        }
        self.by_net(net, Inputs::Base, positions, out);
        true
    }

    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        self.tables.exact_cubeful(position)
    }
}
