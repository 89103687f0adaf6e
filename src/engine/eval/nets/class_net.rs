//! One net with its inputs: from positions to chances.

use super::inputs::{CountedPosition, InputDeltas, InputSet};
use super::role::Role;
use crate::eval::possible;
use crate::nn::format::native::{self, Label, NetFileError};
use crate::nn::{Accumulator, CpuLevel, IntegerNet, IntegerNetError, Kernel, Workspace};
use gammond_game::{Chances, Position};
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// An error while loading our nets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A file is not a net file or is damaged.
    #[error("{0}: {1}")]
    File(String, NetFileError),
    /// A file's numbers do not make a net.
    #[error("{0}: {1}")]
    Net(String, IntegerNetError),
    /// A file has inputs that are unknown to this version.
    #[error("{0}: inputs {1:?} are not known to this version")]
    Inputs(String, String),
    /// A file is for a class that is unknown to this version.
    #[error("{0}: class {1:?}, expected one of {list}", list = Role::names(Role::nets()))]
    Class(String, String),
    /// A file is for another class than expected.
    #[error("{file}: a net of class {found:?}, expected {wanted}")]
    Other {
        /// The file.
        file: String,
        /// Class in the file.
        found: String,
        /// Expected class.
        wanted: String,
    },
    /// Two files are for one class.
    #[error("{second}: a second {class} net beside {first}")]
    Twice {
        /// Class of both nets.
        class: String,
        /// The file read first.
        first: String,
        /// The other file.
        second: String,
    },
    /// A needed net is not there.
    #[error("no {0} net")]
    Missing(&'static str),
}

/// A net and its inputs.
#[derive(Debug, Clone)]
pub struct ClassNet {
    label: Label,
    checksum: u32,
    inputs: InputSet,
    net: IntegerNet,
    empty: Accumulator,
    cpu: CpuLevel,
    /// Number that identifies the net within this process; a clone on another level may share it.
    number: u64,
}

impl ClassNet {
    /// Parses a net file; `name` is for errors.
    ///
    /// # Errors
    /// See [`NetError`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<ClassNet, NetError> {
        let file = |error| NetError::File(name.to_owned(), error);
        let (label, parts) = native::read(bytes).map_err(file)?;
        let inputs = InputSet::named(&label.inputs)
            .filter(|set| set.inputs() == parts.shape.inputs)
            .ok_or_else(|| NetError::Inputs(name.to_owned(), label.inputs.clone()))?;
        let net = IntegerNet::new(parts).map_err(|e| NetError::Net(name.to_owned(), e))?;
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Ok(ClassNet {
            label,
            checksum: native::checksum(bytes).unwrap_or_default(),
            inputs,
            empty: net.empty(),
            cpu: CpuLevel::detect(),
            net,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Returns the name of the net.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.label.name
    }

    /// Class in its header.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.label.class
    }

    /// Returns its inputs.
    #[must_use]
    pub fn inputs(&self) -> InputSet {
        self.inputs
    }

    /// Returns the net itself.
    #[must_use]
    pub fn net(&self) -> &IntegerNet {
        &self.net
    }

    /// Returns the checksum of its file.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Returns the same net on another level of this CPU.
    pub(super) fn at(&self, level: CpuLevel) -> ClassNet {
        let mut other = self.clone();
        other.net = other.net.at(level);
        other.cpu = level;
        other
    }

    /// Returns the outputs of the net itself, without clamping or any knowledge of the game.
    #[must_use]
    pub fn raw(&self, position: &Position) -> [f32; 5] {
        with_scratch(|scratch| {
            self.run(scratch, None, std::slice::from_ref(position), 1);
            scratch.work.results[0]
        })
    }

    /// Computes the chances of those `positions` whose bit is set in `wanted`, using the sums of `reference` if there
    /// is one.
    #[inline]
    pub(super) fn chances(
        &self,
        scratch: &mut Scratch,
        reference: Option<&Position>,
        positions: &[Position],
        wanted: u32,
        out: &mut [Chances],
    ) {
        self.run(scratch, reference, positions, wanted);
        for index in bits(wanted) {
            out[index] = possible(scratch.work.results[index], &positions[index]);
        }
    }

    /// Writes the results of the wanted positions to the scratch space, at the positions' indices.
    #[inline]
    fn run(
        &self,
        scratch: &mut Scratch,
        reference: Option<&Position>,
        positions: &[Position],
        wanted: u32,
    ) {
        let Scratch { references, work } = scratch;
        let mut far = wanted;
        if let Some(reference) = reference {
            let known = self.reference(references, work, reference);
            let limit = CHANGES_MAX;
            far = self.prepare(work, &known.counted, positions, wanted, limit);
            self.finish(work, &known.sums, wanted & !far);
        }
        if far != 0 {
            self.prepare(work, &CountedPosition::NOTHING, positions, far, usize::MAX);
            self.finish(work, &self.empty, far);
        }
    }

    /// Lists the changes from `old` to the wanted positions; positions that need more than `limit` changes are left
    /// out and returned.
    #[inline]
    fn prepare(
        &self,
        work: &mut BatchBuffers,
        old: &CountedPosition,
        positions: &[Position],
        wanted: u32,
        limit: usize,
    ) -> u32 {
        self.cpu.run(Prepare {
            work,
            old,
            set: self.inputs,
            positions,
            wanted,
            limit,
        })
    }

    /// Runs the net on the prepared inputs, for the positions in `done`.
    #[inline]
    fn finish(&self, work: &mut BatchBuffers, from: &Accumulator, done: u32) {
        let count = done.count_ones() as usize;
        let packed = &mut work.packed[..count];
        let (changes, ends) = (work.changes.as_slice(), &work.ends[..count]);
        (self.net).results(from, changes, ends, &mut work.workspace, packed);
        for (index, results) in bits(done).zip(packed) {
            work.results[index] = *results;
        }
    }

    /// Returns the sums of `reference` for this net, from the last call or computed now.
    #[inline]
    fn reference<'a>(
        &self,
        references: &'a mut [Reference; REFERENCES],
        work: &mut BatchBuffers,
        reference: &Position,
    ) -> &'a Reference {
        let slot = &mut references[self.number as usize % REFERENCES];
        if slot.net != self.number || slot.position != *reference {
            slot.net = self.number;
            slot.position = *reference;
            slot.counted = (work.changes).of(reference, self.inputs, self.cpu);
            slot.sums.resize(self.net.sums());
            (self.net).accumulate(&self.empty, work.changes.as_slice(), &mut slot.sums);
        }
        slot
    }
}

/// The part before the net, compiled for the CPU it runs on: much of it counts bits.
struct Prepare<'a> {
    work: &'a mut BatchBuffers,
    old: &'a CountedPosition,
    set: InputSet,
    positions: &'a [Position],
    wanted: u32,
    limit: usize,
}

impl Kernel for Prepare<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<I: crate::nn::Integers>(self) -> u32 {
        let BatchBuffers { changes, ends, .. } = self.work;
        changes.clear();
        let (mut far, mut count) = (0, 0);
        for index in bits(self.wanted) {
            let start = changes.as_slice().len();
            changes.between::<I>(self.old, &self.positions[index], self.set);
            let end = changes.as_slice().len();
            if end - start > self.limit {
                changes.cut(start);
                far |= 1 << index;
            } else {
                ends[count] = end as u32;
                count += 1;
            }
        }
        far
    }
}

/// Returns the bits that are set, lowest first.
#[inline(always)]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let index = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (index < 32).then_some(index)
    })
}

/// Number of changes above which a position is computed from nothing, which takes about as many.
const CHANGES_MAX: usize = 52;

/// Sums of a position that others are near to.
#[derive(Debug)]
struct Reference {
    /// Number of the net; 0 means no net.
    net: u64,
    position: Position,
    counted: CountedPosition,
    sums: Accumulator,
}

/// Number of nets whose references a thread keeps.
const REFERENCES: usize = 16;

/// Positions worked on together.
pub(super) const CHUNK: usize = 32;

/// Working space of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    references: [Reference; REFERENCES],
    work: BatchBuffers,
}

/// Working space of one batch.
#[derive(Debug)]
struct BatchBuffers {
    changes: InputDeltas,
    ends: [u32; CHUNK],
    workspace: Workspace,
    packed: [[f32; 5]; CHUNK],
    results: [[f32; 5]; CHUNK],
}

/// Calls `work` with this thread's working space.
#[inline]
pub(super) fn with_scratch<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
            references: std::array::from_fn(|_| Reference {
                net: 0,
                position: Position::start(),
                counted: CountedPosition::NOTHING,
                sums: Accumulator::default(),
            }),
            work: BatchBuffers {
                changes: InputDeltas::for_positions(CHUNK),
                ends: [0; CHUNK],
                workspace: Workspace::default(),
                packed: [[0.0; 5]; CHUNK],
                results: [[0.0; 5]; CHUNK],
            },
        });
    }
    SCRATCH.with(|scratch| work(&mut scratch.borrow_mut()))
}
