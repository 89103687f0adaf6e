//! Static evaluation with our own nets: integer nets by class, exact tables below them.
//!
//! Positions with contact go to the contact net, races to the race net, and the bearoff tables answer the positions
//! that they cover. The nets run in integers ([`crate::nn::IntegerNet`]): the same bits on every CPU, for any batch
//! and for any `reference`.
//!
//! ```
//! use gammond_engine::eval::{Evaluator, nets::NetEvaluator};
//! use gammond_game::{Chances, Position};
//! let evaluator = NetEvaluator::embedded()?;
//! let mut out = [Chances::default()];
//! evaluator.evaluate(None, &[Position::start()], &mut out);
//! assert!(out[0].win > 0.5 && out[0].win < 0.55);
//! # Ok::<(), gammond_engine::eval::nets::NetError>(())
//! ```

mod backgammons;
mod class_net;
mod embedded;
pub mod handcrafted;
mod inputs;
mod pruning;
mod reach;
mod role;
mod small;
mod volatility;

pub use class_net::{ClassNet, NetError};
pub use embedded::{EMBEDDED, EmbeddedNet, PRUNING, VOLATILITY};
pub use inputs::InputSet;
pub use role::{BOARD_POINTS, LEAD_PIPS, RaceLead, Role};
pub use volatility::{CubeLife, LIFE_TERMS, life_terms};

use super::{Evaluator, QuickKeep, SearchPolicy, Shortcuts};
use crate::bearoff::{BeyondTable, Tables};
use class_net::{CHUNK, Scratch, with_scratch};
use embedded::SharedNet;
use gammond_game::{Chances, Class, Position, Side};
pub(super) use pruning::Pruner;
use std::sync::Arc;
use volatility::VolatilityNet;

/// Evaluates positions with our own nets and the bearoff tables.
#[derive(Debug, Clone)]
pub struct NetEvaluator {
    name: String,
    nets: NetSet,
    quick: Option<SharedNet>,
    pruner: Arc<Pruner>,
    volatility: Arc<VolatilityNet>,
    tables: Tables,
}

/// The nets, and which of them is whose; one may serve several roles.
#[derive(Debug, Clone)]
struct NetSet {
    /// Nets for positions with contact; the first is that of [`Role::Contact`].
    contact: Vec<SharedNet>,
    /// For each role in contact the place of its net in `contact`.
    places: [u8; Role::IN_CONTACT],
    race: SharedNet,
}

impl NetSet {
    /// Creates a set from one net for each role, where there is one (NF-07).
    fn of(mut nets: [Option<SharedNet>; Role::ALL.len()]) -> Result<NetSet, NetError> {
        let (mut contact, mut places) = (Vec::new(), [0; Role::IN_CONTACT]);
        // Parents come before those who may need them.
        for (place, role) in Role::ALL[..Role::IN_CONTACT].iter().enumerate() {
            places[place] = match (nets[place].take(), role.parent()) {
                (Some(net), _) => {
                    contact.push(net);
                    contact.len() as u8 - 1
                }
                (None, Some(parent)) => places[parent as usize],
                (None, None) => return Err(NetError::Missing(role.name())),
            };
        }
        let race = nets[Role::Race as usize].take();
        let race = race.ok_or(NetError::Missing(Role::Race.name()))?;
        Ok(NetSet {
            contact,
            places,
            race,
        })
    }

    /// Creates a set with one net for all contact.
    fn single(contact: SharedNet, race: SharedNet) -> NetSet {
        NetSet {
            contact: vec![contact],
            places: [0; Role::IN_CONTACT],
            race,
        }
    }

    fn map(&self, change: impl Fn(&SharedNet) -> SharedNet) -> NetSet {
        NetSet {
            contact: self.contact.iter().map(&change).collect(),
            places: self.places,
            race: change(&self.race),
        }
    }

    /// Returns the place in `contact` of the net for a position of [`Class::Contact`].
    #[inline]
    fn place(&self, position: &Position) -> usize {
        match self.contact.len() {
            1 => 0,
            _ => self.places[Role::in_contact(position) as usize].into(),
        }
    }
}

impl NetEvaluator {
    fn of(
        nets: NetSet,
        quick: Option<SharedNet>,
        (pruner, volatility): (Arc<Pruner>, Arc<VolatilityNet>),
    ) -> NetEvaluator {
        NetEvaluator {
            name: format!("gammond {}", nets.contact[0].name()),
            nets,
            quick,
            pruner,
            volatility,
            tables: Tables::shared().clone(),
        }
    }

    /// Returns the same nets with these bearoff tables.
    #[must_use]
    pub fn with_tables(mut self, tables: Tables) -> NetEvaluator {
        self.tables = tables;
        self
    }

    /// Returns the same nets with the pruning net of this file.
    ///
    /// # Errors
    /// When it is no such net.
    pub fn with_pruning(mut self, name: &str, bytes: &[u8]) -> Result<NetEvaluator, NetError> {
        self.pruner = Arc::new(Pruner::parse(name, bytes)?);
        Ok(self)
    }

    /// Returns the same nets with the volatility net of this file.
    ///
    /// # Errors
    /// When it is no such net.
    pub fn with_volatility(mut self, name: &str, bytes: &[u8]) -> Result<NetEvaluator, NetError> {
        self.volatility = Arc::new(VolatilityNet::parse(name, bytes)?);
        Ok(self)
    }

    /// Returns the standard deviation, over the next roll, of the winning chance of the player on roll, 0 to 0.5. For
    /// positions with contact.
    #[must_use]
    pub fn volatility(&self, position: &Position) -> f64 {
        self.volatility.of(position)
    }

    /// Returns the nets, contact first; those that serve two classes once.
    pub fn class_nets(&self) -> impl Iterator<Item = &ClassNet> {
        let others = [Some(&self.nets.race), self.quick.as_ref()];
        let all = self.nets.contact.iter().chain(others.into_iter().flatten());
        all.map(|net| &**net)
    }

    /// Returns the same evaluator on another level of this CPU, for tests and measurements.
    #[must_use]
    pub fn at(&self, level: crate::nn::CpuLevel) -> NetEvaluator {
        let at = |net: &SharedNet| SharedNet::Read(Arc::new(net.at(level)));
        let pruner = Arc::new(self.pruner.at(level));
        let quick = self.quick.as_ref().map(at);
        let small = (pruner, Arc::new(self.volatility.at(level)));
        let mut other = NetEvaluator::of(self.nets.map(at), quick, small);
        other.name.clone_from(&self.name);
        other.with_tables(self.tables.clone())
    }

    #[inline]
    fn each(
        &self,
        quick: Option<&SharedNet>,
        reference: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) {
        let reference = reference.or(if positions.len() > 1 {
            positions.first()
        } else {
            None
        });
        with_scratch(|scratch| {
            for (positions, out) in positions.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
                self.chunk(scratch, quick, reference, positions, out);
            }
        });
    }

    /// Evaluates a chunk of positions. If `quick` is given, that net evaluates all contact.
    #[inline]
    fn chunk(
        &self,
        scratch: &mut Scratch,
        quick: Option<&SharedNet>,
        reference: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) {
        let nets = &self.nets;
        // Positions for each net of contact, and races, as bits.
        let mut wanted = [0u32; Role::IN_CONTACT];
        let mut races = 0u32;
        for (index, position) in positions.iter().enumerate() {
            let class = self.tables.class(position);
            let bit = 1 << index;
            match class {
                Class::Contact | Class::Crashed if quick.is_some() => wanted[0] |= bit,
                Class::Contact => wanted[nets.place(position)] |= bit,
                Class::Crashed => {
                    wanted[usize::from(nets.places[Role::Crashed as usize])] |= bit;
                }
                _ => match self.tables.exactly(class, position) {
                    Some(chances) => out[index] = chances,
                    None => races |= bit,
                },
            }
        }
        let first = quick.unwrap_or(&nets.contact[0]);
        let contact = [first].into_iter().chain(&nets.contact[1..]).zip(wanted);
        for (net, wanted) in contact.chain([(&nets.race, races)]) {
            // An embedded net that no position wants stays packed.
            if wanted != 0 {
                net.chances(scratch, reference, positions, wanted, out);
            }
        }
        for (index, position) in positions.iter().enumerate() {
            if races >> index & 1 == 1 {
                backgammons::replace(&self.tables, position, &mut out[index]);
            }
        }
    }
}

/// Settings of searches with our nets.
const POLICY: SearchPolicy = SearchPolicy {
    // Both measured: protocol-specs/measured/2026-11-21.md.
    quick_margin: 0.12,
    quick_keep: QuickKeep::Fixed(5),
    // Where every play wins for certain, or cashes, the rest of the differences is rounding.
    cubeful_noise: 0.0001,
    // Measured: nets/history/look-ahead.md.
    static_share: 0.25,
    as_gnubg: false,
    exact_with_contact: false,
};

impl Evaluator for NetEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        self.tables.class(position)
    }

    fn evaluate(&self, reference: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        self.each(None, reference, positions, out);
    }

    fn policy(&self) -> &SearchPolicy {
        &POLICY
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        self
    }
}

impl Shortcuts for NetEvaluator {
    fn evaluate_quickly(
        &self,
        reference: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) -> bool {
        let Some(quick) = &self.quick else {
            return false;
        };
        // Races have one net, and nothing quicker before it.
        if !positions.iter().any(Position::has_contact) {
            return false;
        }
        self.each(Some(quick), reference, positions, out);
        true
    }

    fn rank_quickly(
        &self,
        reference: &Position,
        positions: &[Position],
        slopes: &[[f32; 5]],
        out: &mut [f64],
    ) -> bool {
        self.pruner.rank(reference, positions, slopes, out)
    }

    fn cube_life(&self, position: &Position, chances: &Chances) -> Option<[f64; 3]> {
        let contact = position.has_contact();
        contact.then(|| self.volatility.cube_life(position, chances))
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

/// Returns which of the five outputs the rules leave open in a race, where no checker can be hit. A side that has
/// borne off a checker loses no gammon; one that has left the winner's home loses no backgammon.
#[must_use]
pub fn open_in_races(position: &Position) -> [bool; 5] {
    let loses = |side: Side| {
        let gammon = side.off() == 0;
        [gammon, gammon && side.occupied() >> 18 != 0]
    };
    let ([won, won_double], [lost, lost_double]) =
        (loses(position.opponent()), loses(position.me()));
    [true, won, won_double, lost, lost_double]
}
