//! One net with its inputs: from positions to chances.

use super::inputs::{Changes, Counted, InputSet};
use crate::game::{Chances, Position};
use crate::nn::format::native::{self, Label, NetFileError};
use crate::nn::{IntegerLevel, IntegerNet, IntegerNetError, Lines};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Largest net file read.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Why our nets cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnNetError {
    /// A file cannot be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file is not a net file or is damaged.
    #[error("{0}: {1}")]
    File(String, NetFileError),
    /// A file's numbers do not make a net.
    #[error("{0}: {1}")]
    Net(String, IntegerNetError),
    /// A file asks for inputs that this version does not know.
    #[error("{0}: inputs {1:?} are not known to this version")]
    Inputs(String, String),
    /// A file is for a class that this version does not know.
    #[error("{0}: class {1:?}, want contact, crashed, race or contact-fast")]
    Class(String, String),
    /// A needed net is not there.
    #[error("no {0} net")]
    Missing(&'static str),
}

/// Reads a file that is not too long.
pub(super) fn read_bounded(path: &Path) -> Result<Vec<u8>, OwnNetError> {
    use std::io::Read as _;
    let io = |source| OwnNetError::Io {
        path: path.to_owned(),
        source,
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(io)?;
    let read = file.take(FILE_BYTES_MAX).read_to_end(&mut bytes);
    read.map_err(io)?;
    Ok(bytes)
}

/// A net and how to ask it.
#[derive(Debug, Clone)]
pub struct Judge {
    label: Label,
    checksum: u32,
    inputs: InputSet,
    net: IntegerNet,
    empty: Lines,
    /// Tells the nets of this process apart; a clone on another level may share it.
    number: u64,
}

impl Judge {
    /// Parses a net file; `name` is for errors.
    ///
    /// # Errors
    /// See [`OwnNetError`].
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Judge, OwnNetError> {
        let file = |error| OwnNetError::File(name.to_owned(), error);
        let (label, parts) = native::read(bytes).map_err(file)?;
        let inputs = InputSet::named(&label.inputs)
            .filter(|set| set.inputs() == parts.shape.inputs)
            .ok_or_else(|| OwnNetError::Inputs(name.to_owned(), label.inputs.clone()))?;
        let net = IntegerNet::new(parts).map_err(|e| OwnNetError::Net(name.to_owned(), e))?;
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        Ok(Judge {
            label,
            checksum: native::checksum(bytes).unwrap_or_default(),
            inputs,
            empty: net.empty(),
            net,
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Name of the net.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.label.name
    }

    /// Class in its header.
    #[must_use]
    pub fn class(&self) -> &str {
        &self.label.class
    }

    /// Its inputs.
    #[must_use]
    pub fn inputs(&self) -> InputSet {
        self.inputs
    }

    /// The net itself.
    #[must_use]
    pub fn net(&self) -> &IntegerNet {
        &self.net
    }

    /// Checksum of its file.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// The same net on another level of this CPU.
    pub(super) fn at(&self, level: IntegerLevel) -> Judge {
        let mut other = self.clone();
        other.net = other.net.at(level);
        other
    }

    /// What the net itself says, without [`clamped`] or any knowledge of the game.
    #[must_use]
    pub fn raw(&self, position: &Position) -> [f32; 5] {
        with_scratch(|scratch| self.judge(scratch, None, position))
    }

    /// Chances of a position, using the sums of `near` if there is one.
    #[inline]
    pub(super) fn chances(
        &self,
        scratch: &mut Scratch,
        near: Option<&Position>,
        position: &Position,
    ) -> Chances {
        clamped(self.judge(scratch, near, position), position)
    }

    #[inline]
    fn judge(
        &self,
        scratch: &mut Scratch,
        near: Option<&Position>,
        position: &Position,
    ) -> [f32; 5] {
        let counted = Counted::of(position, self.inputs);
        let Scratch {
            references,
            changes,
        } = scratch;
        if let Some(near) = near {
            let reference = reference(references, changes, self, near);
            changes.between(&reference.counted, &counted);
            if changes.as_slice().len() <= CHANGES_MAX {
                return self.net.results(&reference.sums, changes.as_slice());
            }
        }
        changes.between(&Counted::NOTHING, &counted);
        self.net.results(&self.empty, changes.as_slice())
    }
}

/// With more changes than this a position is computed from nothing, which takes about as many.
const CHANGES_MAX: usize = 52;

/// Brings net results into the order that probabilities must have, and takes away what cannot
/// happen: who has borne off a checker loses no gammon.
#[inline]
fn clamped(results: [f32; 5], position: &Position) -> Chances {
    let [
        win,
        mut win_gammon,
        win_backgammon,
        mut lose_gammon,
        lose_backgammon,
    ] = results;
    if position.opponent().off() > 0 {
        win_gammon = 0.0;
    }
    if position.me().off() > 0 {
        lose_gammon = 0.0;
    }
    let win_gammon = win_gammon.min(win);
    let lose_gammon = lose_gammon.min(1.0 - win);
    Chances {
        win,
        win_gammon,
        win_backgammon: win_backgammon.min(win_gammon),
        lose_gammon,
        lose_backgammon: lose_backgammon.min(lose_gammon),
    }
}

/// Sums of a position that others are near to.
#[derive(Debug)]
struct Reference {
    /// Number of the net; 0 is none.
    net: u64,
    position: Position,
    counted: Counted,
    sums: Lines,
}

/// How many nets' references a thread keeps.
const REFERENCES: usize = 4;

/// Working space of one thread.
#[derive(Debug)]
pub(super) struct Scratch {
    references: [Reference; REFERENCES],
    changes: Changes,
}

/// Calls `work` with this thread's working space.
#[inline]
pub(super) fn with_scratch<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    thread_local! {
        static SCRATCH: RefCell<Scratch> = RefCell::new(Scratch {
            references: std::array::from_fn(|_| Reference {
                net: 0,
                position: Position::start(),
                counted: Counted::NOTHING,
                sums: Lines::default(),
            }),
            changes: Changes::new(),
        });
    }
    SCRATCH.with(|scratch| work(&mut scratch.borrow_mut()))
}

/// The sums of `near` for this net, from the last call or computed now.
#[inline]
fn reference<'a>(
    references: &'a mut [Reference; REFERENCES],
    changes: &mut Changes,
    judge: &Judge,
    near: &Position,
) -> &'a Reference {
    let slot = &mut references[judge.number as usize % REFERENCES];
    if slot.net != judge.number || slot.position != *near {
        slot.net = judge.number;
        slot.position = *near;
        slot.counted = Counted::of(near, judge.inputs);
        changes.between(&Counted::NOTHING, &slot.counted);
        slot.sums.resize(judge.net.sums());
        (judge.net).accumulate(&judge.empty, changes.as_slice(), &mut slot.sums);
    }
    slot
}
