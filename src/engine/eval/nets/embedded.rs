//! The nets built into the program: packed, and unpacked when they are first used.

use super::class_net::{ClassNet, NetError};
use super::pruning::Pruner;
use super::role::Role;
use super::volatility::VolatilityNet;
use super::{NetEvaluator, NetSet};
use crate::nn::format::native;
use crate::packed::unpack;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A net built into the program.
pub struct EmbeddedNet {
    name: &'static str,
    role: Role,
    packed: &'static [u8],
    parsed: OnceLock<ClassNet>,
}

impl EmbeddedNet {
    /// Returns the name of its file.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the contents of its file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        unpack(self.packed)
    }

    /// Returns the net, which is unpacked by the first call.
    #[inline]
    fn class_net(&self) -> &ClassNet {
        (self.parsed).get_or_init(|| match ClassNet::parse(self.name, &self.bytes()) {
            Ok(net) => net,
            Err(error) => unreachable!("a test parses each net: {error}"),
        })
    }
}

impl std::fmt::Debug for EmbeddedNet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! embedded {
    ($role:ident, $name:literal) => {
        EmbeddedNet {
            name: $name,
            role: Role::$role,
            packed: include_bytes!(concat!(env!("OUT_DIR"), "/", $name)),
            parsed: OnceLock::new(),
        }
    };
}

/// The nets built into the program.
#[cfg(feature = "strong-nets")]
pub static EMBEDDED: [EmbeddedNet; 11] = [
    embedded!(Contact, "contact.net"),
    embedded!(Ahead, "contact-ahead.net"),
    embedded!(Behind, "contact-behind.net"),
    embedded!(Board, "contact-board.net"),
    embedded!(Anchor, "contact-anchor.net"),
    embedded!(AnchorBoard, "anchor-board.net"),
    embedded!(AheadBoard, "ahead-board.net"),
    embedded!(BehindAnchor, "behind-anchor.net"),
    embedded!(Crashed, "crashed.net"),
    embedded!(Fast, "contact-fast.net"),
    embedded!(Race, "race.net"),
];
/// The nets built into the program: the fast ones.
#[cfg(not(feature = "strong-nets"))]
pub static EMBEDDED: [EmbeddedNet; 2] = [
    embedded!(Fast, "contact-fast.net"),
    embedded!(Race, "race.net"),
];

/// The pruning net built into the program; nets of a folder without one use it too, as its choice is only
/// preliminary.
pub static PRUNING: EmbeddedNet = embedded!(Pruning, "pruning.net");

/// The volatility net built into the program. Nets of a folder without one use it too, as the volatility of a position
/// does not depend on the evaluator.
pub static VOLATILITY: EmbeddedNet = embedded!(Volatility, "volatility.net");

/// A net of an evaluator. A copy shares it.
#[derive(Debug, Clone)]
pub(super) enum SharedNet {
    Embedded(&'static EmbeddedNet),
    Read(Arc<ClassNet>),
}

impl Deref for SharedNet {
    type Target = ClassNet;

    #[inline]
    fn deref(&self) -> &ClassNet {
        match self {
            SharedNet::Embedded(net) => net.class_net(),
            SharedNet::Read(net) => net,
        }
    }
}

impl NetEvaluator {
    /// Returns the embedded nets at full strength; the fast net answers
    /// [`Shortcuts::evaluate_quickly`](crate::eval::Shortcuts::evaluate_quickly). Without the feature `strong-nets`
    /// returns the fast nets.
    ///
    /// # Errors
    /// When an embedded net is damaged, which a test excludes.
    pub fn embedded() -> Result<NetEvaluator, NetError> {
        if !cfg!(feature = "strong-nets") {
            return NetEvaluator::embedded_fast();
        }
        NetEvaluator::of_nets(&EMBEDDED, [])
    }

    /// Returns the embedded fast net in place of the strong one.
    ///
    /// # Errors
    /// When an embedded net is damaged, which a test excludes.
    pub fn embedded_fast() -> Result<NetEvaluator, NetError> {
        let [.., fast, race] = &EMBEDDED;
        Ok(NetEvaluator::of(
            NetSet::single(SharedNet::Embedded(fast), SharedNet::Embedded(race)),
            None,
            (Pruner::embedded()?, VolatilityNet::embedded()?),
        ))
    }

    /// Returns the embedded nets with the net of one file, which replaces the net of its class and those that are parts of
    /// it: a `contact` net all for contact. `name` is for errors.
    ///
    /// # Errors
    /// When the file is damaged, or a class has no net.
    pub fn from_file(name: &str, bytes: &[u8]) -> Result<NetEvaluator, NetError> {
        // A single file replaces its whole line, except roles that have files of their own, as in a folder.
        let class = native::class(bytes).and_then(|class| std::str::from_utf8(class).ok());
        let role = class.and_then(Role::named);
        let kept = (EMBEDDED.iter()).filter(|net| !net.role.line().any(|part| Some(part) == role));
        NetEvaluator::of_nets(kept, [(name, bytes)])
    }

    /// Creates an evaluator from the contents of files with names, one a class.
    ///
    /// # Errors
    /// When a class is missing or there twice, or a file damaged.
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Result<NetEvaluator, NetError> {
        let files = files.iter().map(|(name, bytes)| (&name[..], &bytes[..]));
        NetEvaluator::of_nets([], files)
    }

    /// Creates an evaluator from some of the embedded nets and the contents of files.
    fn of_nets<'a>(
        embedded: impl IntoIterator<Item = &'static EmbeddedNet>,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> Result<NetEvaluator, NetError> {
        let mut nets = [const { None }; Role::ALL.len()];
        let (mut pruner, mut volatility) = (None, None);
        let mut seen: [Option<&str>; Role::ALL.len()] = [None; Role::ALL.len()];
        let mut first = |role: Role, name| match seen[role as usize].replace(name) {
            None => Ok(()),
            Some(first) => Err(NetError::Twice {
                class: role.name().to_owned(),
                first: first.to_owned(),
                second: name.to_owned(),
            }),
        };
        for net in embedded {
            first(net.role, net.name)?;
            nets[net.role as usize] = Some(SharedNet::Embedded(net));
        }
        for (name, bytes) in files {
            if Pruner::is_one(bytes) {
                first(Role::Pruning, name)?;
                pruner = Some(Arc::new(Pruner::parse(name, bytes)?));
                continue;
            }
            if VolatilityNet::is_one(bytes) {
                first(Role::Volatility, name)?;
                volatility = Some(Arc::new(VolatilityNet::parse(name, bytes)?));
                continue;
            }
            let class_net = ClassNet::parse(name, bytes)?;
            let Some(role) = Role::named(class_net.class()) else {
                let class = class_net.class().to_owned();
                return Err(NetError::Class(name.to_owned(), class));
            };
            first(role, name)?;
            nets[role as usize] = Some(SharedNet::Read(Arc::new(class_net)));
        }
        let quick = nets[Role::Fast as usize].take();
        let nets = NetSet::of(nets)?;
        let pruner = pruner.map_or_else(Pruner::embedded, Ok)?;
        let volatility = volatility.map_or_else(VolatilityNet::embedded, Ok)?;
        Ok(NetEvaluator::of(nets, quick, (pruner, volatility)))
    }
}

impl Pruner {
    /// Returns the embedded net.
    pub(in crate::eval) fn embedded() -> Result<Arc<Pruner>, NetError> {
        Pruner::parse(PRUNING.name, &PRUNING.bytes()).map(Arc::new)
    }
}

impl VolatilityNet {
    /// Returns the embedded net.
    fn embedded() -> Result<Arc<VolatilityNet>, NetError> {
        VolatilityNet::parse(VOLATILITY.name, &VOLATILITY.bytes()).map(Arc::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NF-20: the program unpacks the files of `nets`, each for its role.
    #[test]
    fn embedded_nets_are_the_files_that_ship() {
        let small = [&PRUNING, &VOLATILITY];
        let all: Vec<&EmbeddedNet> = EMBEDDED.iter().chain(small).collect();
        for net in &all {
            let shipped = gammond_nets::NETS.iter();
            let (_, bytes) = shipped.clone().find(|(name, _)| *name == net.name).unwrap();
            assert!(net.bytes() == *bytes, "{}", net.name);
            assert_eq!(native::class(bytes), Some(net.role.name().as_bytes()));
        }
        if cfg!(feature = "strong-nets") {
            assert_eq!(all.len(), gammond_nets::NETS.len());
        }
    }
}
