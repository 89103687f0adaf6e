//! The databases of an evaluator, and the choice among them.

use super::near::FastPlays;
use super::{
    BeyondTable, Database, Distribution, HyperTable, LeavingHome, Numbering, OneSided, RaceTable,
    TwoSided,
};
use gammond_game::{Chances, Class, Outcome, Position, Roll, Side};
use std::sync::{Arc, OnceLock};

/// `BEAR-40`: the default tables, and larger databases from a folder. A copy shares them.
#[derive(Debug, Clone)]
pub struct Tables {
    /// 6 points, 15 checkers.
    pub one_sided: Arc<OneSided>,
    /// 6 points, 6 checkers.
    pub two_sided: Arc<TwoSided>,
    /// Table for backgammons in races.
    pub leaving_home: Arc<LeavingHome>,
    /// Plays for cubes just above the two-sided table; computed at first use.
    fast_plays: Arc<OnceLock<Option<FastPlays>>>,
    /// Tables from files, the smallest first.
    more_two_sided: Vec<Arc<TwoSided>>,
    more_one_sided: Vec<Arc<LargerDatabase>>,
    /// Games of 1, 2 and 3 checkers.
    hyper: [Option<Arc<HyperTable>>; 3],
}

/// A one-sided database of more than the six points in the program.
#[derive(Debug)]
enum LargerDatabase {
    Gnubg(OneSided),
    Ours(RaceTable),
}

impl LargerDatabase {
    fn numbering(&self) -> Numbering {
        match self {
            LargerDatabase::Gnubg(table) => table.numbering(),
            LargerDatabase::Ours(table) => table.numbering(),
        }
    }

    fn covers(&self, position: &Position) -> bool {
        match self {
            LargerDatabase::Gnubg(table) => table.covers(position),
            LargerDatabase::Ours(table) => table.covers(position),
        }
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        match self {
            LargerDatabase::Gnubg(table) => table.chances(position),
            LargerDatabase::Ours(table) => table.chances(position),
        }
    }

    fn distribution(&self, side: Side) -> Option<Distribution> {
        match self {
            LargerDatabase::Gnubg(table) => table.distribution(side),
            LargerDatabase::Ours(table) => table.distribution(side),
        }
    }
}

impl Tables {
    /// Returns the default tables. Made once; they never change.
    #[must_use]
    pub fn shared() -> &'static Tables {
        static SHARED: OnceLock<Tables> = OnceLock::new();
        SHARED.get_or_init(|| Tables {
            one_sided: Arc::new(OneSided::built_in()),
            two_sided: Arc::new(TwoSided::built_in()),
            leaving_home: Arc::new(LeavingHome::made()),
            fast_plays: Arc::default(),
            more_two_sided: Vec::new(),
            more_one_sided: Vec::new(),
            hyper: Default::default(),
        })
    }

    /// Returns the default tables, every one- or two-sided database that covers more than they do, and those of hypergammon.
    #[must_use]
    pub fn with(databases: impl IntoIterator<Item = Database>) -> Tables {
        let mut tables = Tables::shared().clone();
        for database in databases {
            tables.add(database);
        }
        tables
            .more_two_sided
            .sort_by_key(|table| table.numbering().positions());
        tables
            .more_one_sided
            .sort_by_key(|table| table.numbering().positions());
        tables
    }

    fn add(&mut self, database: Database) {
        match database {
            Database::OneSided(table) => self.add_one_sided(LargerDatabase::Gnubg(table)),
            Database::Race(table) => self.add_one_sided(LargerDatabase::Ours(table)),
            Database::TwoSided(table) => {
                let (new, ours) = (table.numbering(), self.two_sided.numbering());
                if new.points() > ours.points() || new.checkers() > ours.checkers() {
                    self.more_two_sided.push(Arc::new(table));
                }
            }
            Database::Hypergammon(table) => {
                let place = table.checkers() - 1;
                self.hyper[place] = Some(Arc::new(table));
            }
        }
    }

    fn add_one_sided(&mut self, table: LargerDatabase) {
        if table.numbering().points() > self.one_sided.numbering().points() {
            self.more_one_sided.push(Arc::new(table));
        }
    }

    /// Returns the table of games with so many checkers a side, if there is one.
    #[must_use]
    pub fn hyper(&self, checkers: u8) -> Option<&Arc<HyperTable>> {
        self.hyper
            .get(usize::from(checkers).checked_sub(1)?)?
            .as_ref()
    }

    /// Names the databases beside the tables in the program, such as `one-sided 12x15`: points and checkers of a side,
    /// and `hypergammon 3`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let name = |kind: &str, numbering: Numbering| {
            format!("{kind} {}x{}", numbering.points(), numbering.checkers())
        };
        let one_sided = self.more_one_sided.iter();
        let two_sided = self.more_two_sided.iter();
        let hyper = self.hyper.iter().flatten();
        one_sided
            .map(|table| name("one-sided", table.numbering()))
            .chain(two_sided.map(|table| name("two-sided", table.numbering())))
            .chain(hyper.map(|table| format!("hypergammon {}", table.checkers())))
            .collect()
    }

    /// Returns the class of a position, given these databases. The order in which they are tried is GNU Backgammon's:
    /// the default two-sided one, others, the default one-sided one, others.
    #[inline]
    #[must_use]
    pub fn class(&self, position: &Position) -> Class {
        let class = Class::of(position);
        match class {
            Class::Bearoff1 | Class::Race => self.class_beyond(position, class),
            _ => class,
        }
    }

    fn class_beyond(&self, position: &Position, class: Class) -> Class {
        if self.more_two_sided.iter().any(|it| it.covers(position)) {
            Class::BearoffTs
        } else if class == Class::Race && self.more_one_sided.iter().any(|it| it.covers(position)) {
            Class::BearoffOs
        } else {
            class
        }
    }

    /// Returns the exact chances of a position whose class (see [`Tables::class`]) is `class`: a finished game or a
    /// database entry; `None` where a net has to evaluate. The only place where a class turns into exact chances.
    #[inline]
    #[must_use]
    pub fn exactly(&self, class: Class, position: &Position) -> Option<Chances> {
        match class {
            Class::Over => position.outcome().map(Outcome::chances),
            Class::Bearoff2 => self.two_sided.chances(position),
            Class::Bearoff1 => self.one_sided.chances(position),
            Class::BearoffTs => (self.more_two_sided.iter()).find_map(|it| it.chances(position)),
            Class::BearoffOs => (self.more_one_sided.iter()).find_map(|it| it.chances(position)),
            Class::Hypergammon | Class::Race | Class::Crashed | Class::Contact => None,
        }
    }

    /// Returns the chances of a position that a database covers; `None` for all others, also when the game is over
    /// (`BEAR-03`).
    #[inline]
    #[must_use]
    pub fn chances(&self, position: &Position) -> Option<Chances> {
        match self.class(position) {
            Class::Over => None,
            class => self.exactly(class, position),
        }
    }

    /// Returns the distribution of the rolls that one side needs, from the smallest one-sided database that covers it.
    #[must_use]
    pub fn distribution(&self, side: Side) -> Option<Distribution> {
        self.one_sided
            .distribution(side)
            .or_else(|| (self.more_one_sided.iter()).find_map(|it| it.distribution(side)))
    }

    /// Returns the mean numbers of rolls of the player on roll and of the other, for a position of the one-sided table in
    /// the program.
    #[must_use]
    pub fn mean_rolls(&self, position: &Position) -> Option<[f32; 2]> {
        self.one_sided.mean_rolls_of(position)
    }

    /// Returns money equities as [`Tables::exact_cubeful`], nearly exact, of a position of at most 8 checkers a side
    /// at home, which is just above the two-sided table in the program (`BEAR-45`). `beyond` values what two rolls
    /// leave beyond it.
    #[must_use]
    pub fn nearly_cubeful(&self, position: &Position, beyond: BeyondTable<'_>) -> Option<[f32; 3]> {
        let plays = self
            .fast_plays
            .get_or_init(|| FastPlays::made(&self.one_sided));
        let both = (&*self.one_sided, &*self.two_sided);
        plays.as_ref()?.cubeful(both, position, beyond)
    }

    /// Returns the exact chances to win of the player on roll after each of [`Roll::ALL`], the best play made. `None`
    /// when no two-sided database covers the position, or one too large for this.
    #[must_use]
    pub fn win_after_rolls(&self, position: &Position) -> Option<[f32; Roll::ALL.len()]> {
        match self.class(position) {
            Class::Bearoff2 => self.two_sided.win_after_rolls(position),
            Class::BearoffTs => (self.more_two_sided.iter())
                .find(|it| it.covers(position))?
                .win_after_rolls(position),
            _ => None,
        }
    }

    /// Returns the exact money equities with the cube at 1, without Jacoby rule and beavers, in units of the cube: I
    /// own it, centred, the opponent owns it. `None` when no two-sided database covers the position, or the first
    /// that does is without cube.
    #[inline]
    #[must_use]
    pub fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        let table = match self.class(position) {
            Class::Bearoff2 => &self.two_sided,
            Class::BearoffTs => self.more_two_sided.iter().find(|it| it.covers(position))?,
            _ => return None,
        };
        let [_, owned, centred, lent] = table.probe(position)?;
        Some([owned, centred, lent])
    }
}
