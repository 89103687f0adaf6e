//! The nets built into the program.

use super::class_net::{ClassNet, NetError};
use super::pruning::Pruner;
use super::role::Role;
use super::volatility::VolatilityNet;
use super::{NetEvaluator, NetSet};
use crate::nn::format::native;
use std::sync::Arc;

/// The fast contact net.
const FAST: (&str, &[u8]) = ("contact-fast.net", gammond_nets::CONTACT_FAST);
/// The net of races.
const RACE: (&str, &[u8]) = ("race.net", gammond_nets::RACE);

/// The nets built into the program, by file name. A `static`: a `const` would lie in the program once
/// for each place that uses it.
#[cfg(feature = "strong-nets")]
pub static EMBEDDED: [(&str, &[u8]); 11] = [
    ("contact.net", gammond_nets::CONTACT),
    ("contact-ahead.net", gammond_nets::CONTACT_AHEAD),
    ("contact-behind.net", gammond_nets::CONTACT_BEHIND),
    ("contact-board.net", gammond_nets::CONTACT_BOARD),
    ("contact-anchor.net", gammond_nets::CONTACT_ANCHOR),
    ("anchor-board.net", gammond_nets::ANCHOR_BOARD),
    ("ahead-board.net", gammond_nets::AHEAD_BOARD),
    ("behind-anchor.net", gammond_nets::BEHIND_ANCHOR),
    ("crashed.net", gammond_nets::CRASHED),
    FAST,
    RACE,
];
/// The nets built into the program, by file name: the fast ones.
#[cfg(not(feature = "strong-nets"))]
pub static EMBEDDED: [(&str, &[u8]); 2] = [FAST, RACE];

/// The pruning net built into the program; nets of a folder without one use it too, as its choice is only
/// preliminary.
pub static PRUNING: (&str, &[u8]) = ("pruning.net", gammond_nets::PRUNING);

/// The volatility net built into the program. Nets of a folder without one use it too, as the volatility of a position
/// does not depend on the evaluator.
pub static VOLATILITY: (&str, &[u8]) = ("volatility.net", gammond_nets::VOLATILITY);

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
        let files = EMBEDDED.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        NetEvaluator::from_files(&files)
    }

    /// Returns the embedded fast net in place of the strong one.
    ///
    /// # Errors
    /// When an embedded net is damaged, which a test excludes.
    pub fn embedded_fast() -> Result<NetEvaluator, NetError> {
        let net = |(name, bytes)| ClassNet::parse(name, bytes).map(Arc::new);
        let pruner = Pruner::parse(PRUNING.0, PRUNING.1)?;
        let volatility = VolatilityNet::parse(VOLATILITY.0, VOLATILITY.1)?;
        Ok(NetEvaluator::of(
            NetSet::single(net(FAST)?, net(RACE)?),
            None,
            (Arc::new(pruner), Arc::new(volatility)),
        ))
    }

    /// Returns the embedded nets with the net of one file, which replaces the net of its class and those that are parts of
    /// it: a `contact` net all for contact. `name` is for errors.
    ///
    /// # Errors
    /// When the file is damaged, or a class has no net.
    pub fn from_file(name: &str, bytes: &[u8]) -> Result<NetEvaluator, NetError> {
        // A single file replaces its whole line, except roles that have files of their own, as in a folder.
        let role = |bytes| Role::named(std::str::from_utf8(native::class(bytes)?).ok()?);
        let class = role(bytes);
        let kept = EMBEDDED.iter().filter(|(_, bytes)| {
            let mut line = role(bytes).into_iter().flat_map(Role::line);
            !line.any(|role| Some(role) == class)
        });
        let files = kept.copied().chain([(name, bytes)]);
        let files: Vec<(String, Vec<u8>)> = files
            .map(|(name, bytes)| (name.to_owned(), bytes.to_vec()))
            .collect();
        NetEvaluator::from_files(&files)
    }
}
