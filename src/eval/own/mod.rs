//! Static evaluation with our own nets: integer nets by class, exact tables below them.
//!
//! Positions with contact go to the contact net, races to the race net, and once both sides are
//! home the bearoff tables answer exactly. The nets run in integers ([`crate::nn::IntegerNet`]):
//! the same bits on every CPU, for any batch and for any `near`.
//!
//! ```
//! use gammond::eval::{Evaluator, own::OwnEvaluator};
//! use gammond::game::{Chances, Position};
//! let evaluator = OwnEvaluator::embedded()?;
//! let mut out = [Chances::default()];
//! evaluator.evaluate(None, &[Position::start()], &mut out);
//! assert!(out[0].win > 0.5 && out[0].win < 0.55);
//! # Ok::<(), gammond::eval::own::OwnNetError>(())
//! ```

pub mod hand;
mod inputs;
mod judge;
mod pruning;

pub use inputs::InputSet;
pub use judge::{Judge, OwnNetError};

use super::Evaluator;
use crate::bearoff::Tables;
use crate::game::{Chances, Class, Position, Side};
use crate::nn::format::native;
use judge::{CHUNK, Scratch, with_scratch};
use pruning::Pruner;
use std::path::Path;
use std::sync::Arc;

/// The nets built into the program, by file name.
pub const EMBEDDED: [(&str, &[u8]); 6] = [
    (
        "contact.net",
        include_bytes!("../../../nets/contact.net").as_slice(),
    ),
    (
        "contact-ahead.net",
        include_bytes!("../../../nets/contact-ahead.net").as_slice(),
    ),
    (
        "contact-behind.net",
        include_bytes!("../../../nets/contact-behind.net").as_slice(),
    ),
    (
        "crashed.net",
        include_bytes!("../../../nets/crashed.net").as_slice(),
    ),
    (
        "contact-fast.net",
        include_bytes!("../../../nets/contact-fast.net").as_slice(),
    ),
    (
        "race.net",
        include_bytes!("../../../nets/race.net").as_slice(),
    ),
];

/// The pruning net built into the program; nets of a folder without one use it too, as it decides
/// nothing by itself.
pub const PRUNING: (&str, &[u8]) = (
    "pruning.net",
    include_bytes!("../../../nets/pruning.net").as_slice(),
);

/// Whether a path is a net file of ours or a folder, which can hold nothing else.
#[must_use]
pub fn is_ours(path: &Path) -> bool {
    use std::io::Read as _;
    let mut magic = [0; native::MAGIC.len()];
    path.is_dir()
        || std::fs::File::open(path)
            .and_then(|mut file| file.read_exact(&mut magic))
            .is_ok_and(|()| native::looks_like_one(&magic))
}

/// Judges positions with our own nets and the bearoff tables.
#[derive(Debug, Clone)]
pub struct OwnEvaluator {
    name: String,
    nets: NetSet,
    quick: Option<Arc<Judge>>,
    pruner: Arc<Pruner>,
    tables: Tables,
}

/// The net of each class; one may serve several.
#[derive(Debug, Clone)]
struct NetSet {
    contact: Arc<Judge>,
    ahead: Arc<Judge>,
    behind: Arc<Judge>,
    crashed: Arc<Judge>,
    race: Arc<Judge>,
}

impl NetSet {
    fn map(&self, change: impl Fn(&Arc<Judge>) -> Arc<Judge>) -> NetSet {
        NetSet {
            contact: change(&self.contact),
            ahead: change(&self.ahead),
            behind: change(&self.behind),
            crashed: change(&self.crashed),
            race: change(&self.race),
        }
    }
}

/// Who leads a contact position clearly. Plays of one roll differ in this only by what they hit, so
/// the nets that share contact positions by it are seldom compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lead {
    /// The pip counts are within [`LEAD_PIPS`].
    Level,
    /// The player on roll has at least [`LEAD_PIPS`] fewer pips to go.
    Ahead,
    /// ... more pips to go.
    Behind,
}

/// What counts as a clear lead, in pips.
pub const LEAD_PIPS: i32 = 30;

impl Lead {
    /// Who leads at `position`.
    #[inline]
    #[must_use]
    pub fn of(position: &Position) -> Lead {
        let lead = position.opponent().pips() as i32 - position.me().pips() as i32;
        match lead {
            LEAD_PIPS.. => Lead::Ahead,
            _ if lead <= -LEAD_PIPS => Lead::Behind,
            _ => Lead::Level,
        }
    }
}

impl OwnEvaluator {
    /// The embedded nets at full strength; the fast net answers
    /// [`Evaluator::evaluate_quickly`].
    ///
    /// # Errors
    /// When an embedded net is damaged, which a test excludes.
    pub fn embedded() -> Result<OwnEvaluator, OwnNetError> {
        let files = EMBEDDED.map(|(name, bytes)| (name.to_owned(), bytes.to_vec()));
        OwnEvaluator::from_files(&files)
    }

    /// The embedded fast net in the place of the strong one.
    ///
    /// # Errors
    /// When an embedded net is damaged, which a test excludes.
    pub fn embedded_fast() -> Result<OwnEvaluator, OwnNetError> {
        let strong = OwnEvaluator::embedded()?;
        let Some(quick) = strong.quick else {
            return Err(OwnNetError::Missing("fast contact"));
        };
        let mut nets = strong.nets.map(|_| quick.clone());
        nets.race = strong.nets.race;
        Ok(OwnEvaluator::of(nets, None, strong.pruner))
    }

    /// The nets of a folder: all files `*.net`, told apart by the class in their headers
    /// (`contact` and `race` are needed; `contact-ahead` and `contact-behind` (see [`Lead`]),
    /// `crashed`, `contact-fast` and `pruning` may be there). A single
    /// file replaces the embedded net of its class; a `contact` net those of the classes that share contact
    /// positions too.
    ///
    /// # Errors
    /// When files are missing or damaged.
    pub fn load(path: &Path) -> Result<OwnEvaluator, OwnNetError> {
        let io = |source| OwnNetError::Io {
            path: path.to_owned(),
            source,
        };
        let mut files = Vec::new();
        if path.is_dir() {
            let mut names = Vec::new();
            for entry in std::fs::read_dir(path).map_err(io)? {
                names.push(entry.map_err(io)?.path());
            }
            names.retain(|name| name.extension().is_some_and(|e| e == "net"));
            names.sort();
            for name in names {
                files.push((name.display().to_string(), judge::read_bounded(&name)?));
            }
        } else {
            let own = (path.display().to_string(), judge::read_bounded(path)?);
            // A contact net stands for all that is not said otherwise, as in a folder.
            let alone = native::class(&own.1) == Some(b"contact");
            let shared = ["contact-ahead.net", "contact-behind.net", "crashed.net"];
            let kept = EMBEDDED
                .iter()
                .filter(|(name, _)| !(alone && shared.contains(name)));
            files.extend(kept.map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())));
            files.push(own);
        }
        OwnEvaluator::from_files(&files)
    }

    /// Nets from the contents of files with names; a later file of the same class wins.
    ///
    /// # Errors
    /// When a class is missing or a file damaged.
    pub fn from_files(files: &[(String, Vec<u8>)]) -> Result<OwnEvaluator, OwnNetError> {
        let mut nets = [const { None }; 6];
        let mut pruner = None;
        for (name, bytes) in files {
            if Pruner::is_one(bytes) {
                pruner = Some(Pruner::parse(name, bytes)?);
                continue;
            }
            let judge = Judge::parse(name, bytes)?;
            let place = match judge.class() {
                "contact" => 0,
                "crashed" => 1,
                "race" => 2,
                "contact-fast" => 3,
                "contact-ahead" => 4,
                "contact-behind" => 5,
                _ => return Err(OwnNetError::Class(name.clone(), judge.class().to_owned())),
            };
            nets[place] = Some(Arc::new(judge));
        }
        let [contact, crashed, race, quick, ahead, behind] = nets;
        let contact = contact.ok_or(OwnNetError::Missing("contact"))?;
        let race = race.ok_or(OwnNetError::Missing("race"))?;
        let pruner = match pruner {
            Some(pruner) => pruner,
            None => Pruner::parse(PRUNING.0, PRUNING.1)?,
        };
        let nets = NetSet {
            crashed: crashed.unwrap_or_else(|| contact.clone()),
            ahead: ahead.unwrap_or_else(|| contact.clone()),
            behind: behind.unwrap_or_else(|| contact.clone()),
            contact,
            race,
        };
        Ok(OwnEvaluator::of(nets, quick, Arc::new(pruner)))
    }

    fn of(nets: NetSet, quick: Option<Arc<Judge>>, pruner: Arc<Pruner>) -> OwnEvaluator {
        OwnEvaluator {
            name: format!("gammond {}", nets.contact.name()),
            nets,
            quick,
            pruner,
            tables: Tables::shared().clone(),
        }
    }

    /// The same nets with these bearoff tables.
    #[must_use]
    pub fn with_tables(mut self, tables: Tables) -> OwnEvaluator {
        self.tables = tables;
        self
    }

    /// The nets, contact first; those that serve two classes once.
    pub fn judges(&self) -> impl Iterator<Item = &Judge> {
        let nets = &self.nets;
        let others = [&nets.ahead, &nets.behind, &nets.crashed]
            .map(|net| Some(net).filter(|net| !Arc::ptr_eq(net, &nets.contact)));
        let contact = [Some(&nets.contact)].into_iter().chain(others);
        contact
            .chain([Some(&nets.race), self.quick.as_ref()])
            .flatten()
            .map(AsRef::as_ref)
    }

    /// The same evaluator on another level of this CPU, for tests and measurements.
    #[must_use]
    pub fn at(&self, level: crate::nn::IntegerLevel) -> OwnEvaluator {
        let at = |judge: &Arc<Judge>| Arc::new(judge.at(level));
        let mut pruner = self.pruner.clone();
        if level == crate::nn::IntegerLevel::SCALAR {
            pruner = Arc::new(pruner.at(crate::nn::CpuLevel::SCALAR));
        }
        let quick = self.quick.as_ref().map(at);
        let mut other = OwnEvaluator::of(self.nets.map(at), quick, pruner);
        other.name.clone_from(&self.name);
        other
    }

    /// Chances by tables where they cover the position.
    #[inline]
    fn exactly(&self, class: Class, position: &Position) -> Option<Chances> {
        match class {
            Class::Over => Some(finished(position)),
            Class::Bearoff2 | Class::BearoffTs => (self.tables.two_sided.chances(position))
                .or_else(|| self.tables.one_sided.chances(position)),
            Class::Bearoff1 | Class::BearoffOs => self.tables.one_sided.chances(position),
            Class::Race | Class::Crashed | Class::Contact => None,
        }
    }

    #[inline]
    fn each(
        &self,
        contact: [&Judge; 4],
        near: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) {
        let near = near.or(if positions.len() > 1 {
            positions.first()
        } else {
            None
        });
        with_scratch(|scratch| {
            for (positions, out) in positions.chunks(CHUNK).zip(out.chunks_mut(CHUNK)) {
                self.chunk(scratch, contact, near, positions, out);
            }
        });
    }

    /// `contact` are the nets for level, ahead, behind and crashed.
    #[inline]
    fn chunk(
        &self,
        scratch: &mut Scratch,
        contact: [&Judge; 4],
        near: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) {
        // Positions for each net of `contact`, and races, as bits.
        let mut wanted = [0u32; 4];
        let mut races = 0u32;
        let [level, ahead, behind, _] = contact;
        let split = !(std::ptr::eq(level, ahead) && std::ptr::eq(level, behind));
        for (index, position) in positions.iter().enumerate() {
            let class = Class::of(position);
            let bit = 1 << index;
            match class {
                Class::Contact if split => wanted[Lead::of(position) as usize] |= bit,
                Class::Contact => wanted[0] |= bit,
                Class::Crashed => wanted[3] |= bit,
                _ => match self.exactly(class, position) {
                    Some(chances) => out[index] = chances,
                    None => races |= bit,
                },
            }
        }
        for i in 1..4 {
            if std::ptr::eq(contact[i], level) {
                wanted[0] |= std::mem::take(&mut wanted[i]);
            }
        }
        for (judge, wanted) in contact
            .into_iter()
            .zip(wanted)
            .chain([(&*self.nets.race, races)])
        {
            if wanted != 0 {
                judge.chances(scratch, near, positions, wanted, out);
            }
        }
        for (index, position) in positions.iter().enumerate() {
            if races >> index & 1 == 1 {
                without_far_backgammons(position, &mut out[index]);
            }
        }
    }
}

impl Evaluator for OwnEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        Class::of(position)
    }

    fn evaluate(&self, near: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        let nets = &self.nets;
        let contact = [&nets.contact, &nets.ahead, &nets.behind, &nets.crashed];
        self.each(contact.map(|net| &**net), near, positions, out);
    }

    fn evaluate_quickly(
        &self,
        near: Option<&Position>,
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
        self.each([quick; 4].map(|net| &**net), near, positions, out);
        true
    }

    fn rank_quickly(
        &self,
        near: &Position,
        positions: &[Position],
        slopes: &[f32; 5],
        out: &mut [f64],
    ) -> bool {
        let contact = near.has_contact();
        if contact {
            self.pruner.rank(near, positions, slopes, out);
        }
        contact
    }

    /// Measured: BENCHMARKS.md.
    fn quick_margin(&self) -> f64 {
        0.12
    }

    /// Measured: BENCHMARKS.md.
    fn quick_keep(&self, _positions: usize) -> usize {
        5
    }

    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        let [_, mine, centred, theirs] = self.tables.two_sided.probe(position)?;
        Some([mine, centred, theirs])
    }
}

/// Which of the five outputs the rules leave open in a race, where nobody is hit any more: who has borne off a
/// checker loses no gammon, and who has left the winner's home loses no backgammon.
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

/// Takes away what a race leaves no room for; gammons are dealt with wherever a net is asked.
fn without_far_backgammons(position: &Position, chances: &mut Chances) {
    let [.., won_double, _, lost_double] = open_in_races(position);
    if !won_double {
        chances.win_backgammon = 0.0;
    }
    if !lost_double {
        chances.lose_backgammon = 0.0;
    }
}

/// A finished game: who has no checkers left has won.
fn finished(position: &Position) -> Chances {
    let (me, opponent) = (position.me(), position.opponent());
    let stakes = |loser: Side| {
        let gammon = loser.off() == 0;
        let backgammon = gammon && loser.occupied() >> 18 != 0;
        [gammon, backgammon].map(|lost| if lost { 1.0 } else { 0.0 })
    };
    let mut chances = Chances::default();
    if me.on_board() == 0 {
        chances.win = 1.0;
        [chances.win_gammon, chances.win_backgammon] = stakes(opponent);
    } else {
        [chances.lose_gammon, chances.lose_backgammon] = stakes(me);
    }
    chances
}
