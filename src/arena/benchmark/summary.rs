//! Scores of many records, in all and by group.

use super::action::{ActionLoss, action_loss};
use super::cube::{CubeLoss, cube_loss};
use super::{Item, PlayScore, ScorableRecord, score_play};
use crate::player::{Player, PlayerError};
use gammond_base::stats::Running;
use gammond_engine::equity::MatchEquityTable;
use gammond_game::{Group, Position, Side};
use rayon::prelude::*;

/// Score of one player on one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scored {
    /// An `m` record.
    Play(PlayScore),
    /// An `o` record; `None` when the player has no static chances.
    Cube(Option<CubeLoss>),
    /// A `c` record; `None` when the player has no cube.
    Action(Option<ActionLoss>),
}

/// Scores every item, in order, on all threads.
///
/// # Errors
/// When the player fails.
pub fn score(
    items: &[Item],
    player: &dyn Player,
    table: &MatchEquityTable,
) -> Result<Vec<Scored>, PlayerError> {
    items
        .par_iter()
        .map(|item| score_one(item, player, table))
        .collect()
}

/// Scores one item.
pub(super) fn score_one(
    item: &Item,
    player: &dyn Player,
    table: &MatchEquityTable,
) -> Result<Scored, PlayerError> {
    Ok(match &item.record {
        ScorableRecord::Play(record) => Scored::Play(score_play(record, player, item.line)?),
        ScorableRecord::Position(record) => {
            let own = player.chances(&record.position);
            Scored::Cube(own.map(|own| cube_loss(&record.position, &own, &record.chances, table)))
        }
        ScorableRecord::Action(action) => {
            Scored::Action(action_loss(action, player, table, item.line)?)
        }
    })
}

/// Losses of a group of `m` records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayTally {
    /// Loss in thousandths of a point, one number a record.
    pub loss: Running,
    /// Records with a loss.
    pub wrong: u64,
    /// Number of choices that were not listed.
    pub outside: u64,
}

impl PlayTally {
    fn add(&mut self, score: &PlayScore, keep_outside: bool) {
        self.outside += u64::from(score.listed.is_none());
        if score.listed.is_some() || keep_outside {
            self.loss.add(1000.0 * score.loss);
            self.wrong += u64::from(score.loss > 0.0);
        }
    }

    /// Returns the mean loss in the unit of eXtreme Gammon's performance rating (PR): 500 times the loss of a
    /// decision in points. All records count; it is comparable with published PRs only where each record leaves a
    /// choice.
    #[must_use]
    pub fn performance(&self) -> f64 {
        performance(&self.loss)
    }

    /// Returns the records with a loss, in percent.
    #[must_use]
    pub fn percent_wrong(&self) -> f64 {
        100.0 * self.wrong as f64 / self.loss.count().max(1) as f64
    }
}

/// Returns the PR of a mean loss in thousandths of a point.
fn performance(loss: &Running) -> f64 {
    0.5 * loss.mean()
}

/// Cube measures of a group of `o` records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CubeTally {
    /// The measure of each record, divided by the 31 scores.
    pub measure: Running,
    /// Match winning chance lost, divided by the 31 scores.
    pub mwc: Running,
    /// Records with an error at any score.
    pub wrong: u64,
    /// Match winning chance lost at 7-away, 7-away by double and by take decisions.
    pub simple: [Running; 2],
}

impl CubeTally {
    fn add(&mut self, loss: &CubeLoss) {
        self.measure.add(loss.measure / 31.0);
        self.mwc.add(loss.mwc / 31.0);
        self.wrong += u64::from(loss.errors > 0);
        self.simple[0].add(loss.double_mwc);
        self.simple[1].add(loss.take_mwc);
    }
}

/// Losses of a group of `c` records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActionTally {
    /// Match winning chances in percent that doubles and their absence lose, one number a record.
    pub double: Running,
    /// ... that takes and passes lose.
    pub take: Running,
    /// Mean loss of the two decisions in thousandths of a point (EMG), one number a record.
    pub loss: Running,
    /// Records with a loss.
    pub wrong: u64,
}

impl ActionTally {
    fn add(&mut self, loss: &ActionLoss) {
        self.double.add(loss.double);
        self.take.add(loss.take);
        self.loss.add(1000.0 * loss.points());
        self.wrong += u64::from(loss.double > 0.0 || loss.take > 0.0);
    }

    /// Returns the mean loss of a decision in the unit of eXtreme Gammon's performance rating, as
    /// [`PlayTally::performance`] does.
    #[must_use]
    pub fn performance(&self) -> f64 {
        performance(&self.loss)
    }
}

/// Rules for counting records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counting {
    /// Charge choices that are not listed with the worst listed loss; otherwise leave them out.
    pub keep_outside: bool,
    /// Leave out records in which nothing can be decided.
    pub interesting_only: bool,
    /// Groups of races by how far back their checkers stand, instead of [`Group::ALL`]: those within so many
    /// points, each holding the ones before, and those beyond the last.
    pub ranges: Vec<u8>,
}

impl Default for Counting {
    /// Counts every record; a play that is not listed has the worst listed loss.
    fn default() -> Counting {
        Counting {
            keep_outside: true,
            interesting_only: false,
            ranges: Vec::new(),
        }
    }
}

impl Counting {
    /// Returns the groups, with their names, everything first.
    fn groups(&self) -> Vec<(String, Box<dyn Fn(&Position) -> bool>)> {
        let mut all: Vec<(String, Box<dyn Fn(&Position) -> bool>)> =
            vec![("all".to_owned(), Box::new(|_| true))];
        let Some(&last) = self.ranges.iter().max() else {
            all.extend(Group::ALL.into_iter().map(|group| {
                let holds: Box<dyn Fn(&Position) -> bool> = Box::new(move |it| group.holds(it));
                (group.to_string(), holds)
            }));
            return all;
        };
        for &range in &self.ranges {
            let holds = move |it: &Position| range_of(it).is_some_and(|it| it <= range);
            all.push((format!("within {range}"), Box::new(holds)));
        }
        let holds = move |it: &Position| range_of(it).is_none_or(|it| it > last);
        all.push(("other".to_owned(), Box::new(holds)));
        all
    }
}

/// Returns the smallest number of points of its own that holds all checkers of each side; `None` with contact.
fn range_of(position: &Position) -> Option<u8> {
    let points = |side: Side| side.rearmost().map_or(0, |index| index as u8 + 1);
    let both = points(position.me()).max(points(position.opponent()));
    (!position.has_contact()).then_some(both)
}

/// The name of a group and its scores.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupScore {
    /// `all`, or the group.
    pub name: String,
    /// Its `m` records.
    pub plays: PlayTally,
    /// Its `o` records.
    pub cubes: CubeTally,
    /// Its `c` records.
    pub actions: ActionTally,
    /// Share of all records that are counted, in percent.
    pub share: f64,
}

impl GroupScore {
    fn records(&self) -> u64 {
        self.plays.loss.count() + self.cubes.measure.count() + self.actions.double.count()
    }
}

/// Returns all groups that have records, everything first.
#[must_use]
pub fn groups(items: &[Item], scores: &[Scored], counting: &Counting) -> Vec<GroupScore> {
    let mut all: Vec<GroupScore> = (counting.groups().into_iter())
        .map(|(name, holds)| {
            scores_of(&name, items, scores, counting, |item| holds(position(item)))
        })
        .collect();
    all.retain(|group| group.name == "all" || group.records() > 0);
    let records = all.first().map_or(0, GroupScore::records).max(1) as f64;
    for group in &mut all {
        group.share = 100.0 * group.records() as f64 / records;
    }
    all
}

/// Returns the position that a record is about.
#[must_use]
pub fn position(item: &Item) -> &Position {
    match &item.record {
        ScorableRecord::Play(record) => &record.position,
        ScorableRecord::Position(record) => &record.position,
        ScorableRecord::Action(action) => &action.record.position,
    }
}

fn scores_of(
    name: &str,
    items: &[Item],
    scores: &[Scored],
    counting: &Counting,
    belongs: impl Fn(&Item) -> bool,
) -> GroupScore {
    let mut group = GroupScore {
        name: name.to_owned(),
        plays: PlayTally::default(),
        cubes: CubeTally::default(),
        actions: ActionTally::default(),
        share: 0.0,
    };
    for (item, score) in items.iter().zip(scores) {
        if (counting.interesting_only && !item.interesting) || !belongs(item) {
            continue;
        }
        match score {
            Scored::Play(score) => group.plays.add(score, counting.keep_outside),
            Scored::Cube(Some(loss)) => group.cubes.add(loss),
            Scored::Action(Some(loss)) => group.actions.add(loss),
            Scored::Cube(None) | Scored::Action(None) => {}
        }
    }
    group
}

/// Losses by which two players are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// `m` records: the loss of the play, in thousandths of a point.
    Plays,
    /// `c` records: the mean loss of the two decisions, in thousandths of a point (EMG).
    Actions,
}

impl Compared {
    /// Returns the losses of a record if it is of this kind and both players have one.
    fn losses(self, scores: [&Scored; 2], counting: &Counting) -> Option<[f64; 2]> {
        match (self, scores) {
            (Compared::Plays, [Scored::Play(a), Scored::Play(b)]) => {
                let listed = a.listed.is_some() && b.listed.is_some();
                (counting.keep_outside || listed).then_some([a.loss, b.loss])
            }
            (Compared::Actions, [Scored::Action(Some(a)), Scored::Action(Some(b))]) => {
                Some([a.points(), b.points()])
            }
            _ => None,
        }
    }
}

/// Returns the first player's loss minus the second's, in thousandths of a point, over the `m` records.
#[must_use]
pub fn paired(items: &[Item], first: &[Scored], second: &[Scored], counting: &Counting) -> Running {
    paired_of(items, [first, second], (Compared::Plays, counting), |_| {
        true
    })
}

/// Returns the first player's loss minus the second's in the compared measure, for each group that has such records,
/// everything first.
#[must_use]
pub fn paired_by_group(
    items: &[Item],
    scores: [&[Scored]; 2],
    (compared, counting): (Compared, &Counting),
) -> Vec<(String, Running)> {
    let groups = counting.groups().into_iter();
    let mut all: Vec<_> = groups
        .map(|(name, holds)| (name, paired_of(items, scores, (compared, counting), holds)))
        .collect();
    all.retain(|(_, difference)| difference.count() > 0);
    all
}

fn paired_of(
    items: &[Item],
    [first, second]: [&[Scored]; 2],
    (compared, counting): (Compared, &Counting),
    holds: impl Fn(&Position) -> bool,
) -> Running {
    let mut difference = Running::default();
    for ((item, a), b) in items.iter().zip(first).zip(second) {
        if (counting.interesting_only && !item.interesting) || !holds(position(item)) {
            continue;
        }
        if let Some([a, b]) = compared.losses([a, b], counting) {
            difference.add(1000.0 * (a - b));
        }
    }
    difference
}
