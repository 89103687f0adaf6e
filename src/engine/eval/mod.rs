//! One position to chances: class, inputs, net choice, bearoff, cache, batches.
//!
//! [`Evaluator`] is the interface of search, rollouts and training: a static evaluation of many positions at once.
//! [`gnubg`] evaluates with GNU Backgammon's weight files, [`nets`] with ours, [`puretd`] with PureTD's.

pub mod gnubg;
pub mod hyper;
pub mod nets;
pub mod osr;
pub mod puretd;

use crate::bearoff::BeyondTable;
use gammond_game::{Chances, Class, Position};

/// Evaluates positions without looking ahead. All positions are seen by the player on roll.
///
/// No method has a default: a wrapper that forgot one would change answers, and the compiler would be silent.
pub trait Evaluator: Send + Sync + std::fmt::Debug {
    /// Returns a short name for answers, such as `gnubg 1.00` or `gammond contact-3`.
    fn name(&self) -> &str;

    /// Returns the class that decides which net or table answers.
    fn class(&self, position: &Position) -> Class;

    /// Writes the static chances of each position to `out` (same length). The result for a position does not depend
    /// on its neighbours. `reference` is a position that differs little from each of them (usually the position
    /// before the play, turned round); it can save work, never change bits.
    fn evaluate(&self, reference: Option<&Position>, positions: &[Position], out: &mut [Chances]);

    /// Returns how a search uses these chances.
    fn policy(&self) -> &SearchPolicy;

    /// Returns the further values of positions, for choosing plays and for the cube.
    fn shortcuts(&self) -> &dyn Shortcuts;
}

/// Constants of a search that depend on the evaluator, as data: a wrapper of an evaluator passes on all of them or none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchPolicy {
    /// Margin, in equity, by which a position may trail the best in [`Shortcuts::rank_quickly`] or
    /// [`Shortcuts::evaluate_quickly`] and still be evaluated.
    pub quick_margin: f64,
    /// The largest number of plays of a roll that are kept for evaluation after that.
    pub quick_keep: QuickKeep,
    /// Largest difference of cubeful equities that counts as noise among plays that win for certain: within it the
    /// cubeless equities decide. 0 keeps GNU Backgammon's order.
    pub cubeful_noise: f64,
    /// The share that the static value has in a 1-ply value at the root of a search (PLY-11), 0 to 1: the nets'
    /// errors about a player on roll change their sign after one ply, so a mean of both is nearer. 0 keeps GNU
    /// Backgammon's values.
    pub static_share: f64,
    /// True to value cubes and plays as GNU Backgammon does where our own rules differ: CUBE-13, PLY-03, PLY-16.
    pub as_gnubg: bool,
    /// True if [`Shortcuts::exact_cubeful`] may know positions with contact.
    pub exact_with_contact: bool,
}

impl SearchPolicy {
    /// Searches as GNU Backgammon does.
    pub const GNUBG: SearchPolicy = SearchPolicy {
        quick_margin: f64::INFINITY,
        quick_keep: QuickKeep::Logarithm,
        cubeful_noise: 0.0,
        static_share: 0.0,
        as_gnubg: true,
        exact_with_contact: false,
    };
}

/// The largest number of plays of a roll that are evaluated after a quick evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuickKeep {
    /// GNU Backgammon's: 5 and the binary logarithm of the number of plays.
    Logarithm,
    /// The same for any number of plays.
    Fixed(usize),
}

impl QuickKeep {
    /// Returns the number kept of `plays` plays.
    #[must_use]
    pub fn of(self, plays: usize) -> usize {
        match self {
            QuickKeep::Logarithm => 5 + plays.max(1).ilog2() as usize,
            QuickKeep::Fixed(number) => number,
        }
    }
}

/// Optional values of an evaluator besides static chances: quicker and rougher ones, and those of the cube.
pub trait Shortcuts: std::fmt::Debug {
    /// Evaluates the same positions more quickly and roughly, for choosing which deserve [`Evaluator::evaluate`].
    /// When the evaluator has no quick net for these positions, returns `false` and leaves `out` alone.
    fn evaluate_quickly(
        &self,
        reference: Option<&Position>,
        positions: &[Position],
        out: &mut [Chances],
    ) -> bool {
        let _ = (reference, positions, out);
        false
    }

    /// Ranks the positions after the plays of one position with contact roughly, in a fraction of the time of
    /// [`Shortcuts::evaluate_quickly`]: a difference of two scores in `out` is how much better one position is than
    /// the other for the player on roll there, when the five chances are worth `slopes`: first all positions by the first
    /// slopes, then by the next ones. Scores compare only with one another, by the same slopes. When the evaluator has no
    /// net for this it returns `false`.
    fn rank_quickly(
        &self,
        reference: &Position,
        positions: &[Position],
        slopes: &[[f32; 5]],
        out: &mut [f64],
    ) -> bool {
        let _ = (reference, positions, slopes, out);
        false
    }

    /// Returns the share of a live cube's value that a cube has in this position, 0 to 1: owned by the player on
    /// roll, centred, and owned by the opponent (CUBE-12). `chances` are those of the player on roll. `None` when the
    /// evaluator has no value beyond that of the class.
    fn cube_life(&self, position: &Position, chances: &Chances) -> Option<[f64; 3]> {
        let _ = (position, chances);
        None
    }

    /// Returns the exact chances to win of the player on roll after each of [`Roll::ALL`](gammond_game::Roll::ALL),
    /// the best play made, of a position covered by a two-sided database.
    fn win_after_rolls(&self, position: &Position) -> Option<[f32; 21]> {
        let _ = position;
        None
    }

    /// Returns the mean numbers of rolls that the player on roll and the other need to bear off, of a position
    /// covered by the one-sided table in the program.
    fn mean_rolls(&self, position: &Position) -> Option<[f32; 2]> {
        let _ = position;
        None
    }

    /// Returns the cubeful money equities as [`Shortcuts::exact_cubeful`], nearly exact, of a position just above the
    /// two-sided table; `beyond` values what two rolls leave beyond the table.
    fn nearly_cubeful(&self, position: &Position, beyond: BeyondTable<'_>) -> Option<[f32; 3]> {
        let _ = (position, beyond);
        None
    }

    /// Returns the exact cubeful money equities (owned by me, centred, owned by the opponent; cube 1, no Jacoby) of a
    /// position covered by a two-sided database.
    fn exact_cubeful(&self, position: &Position) -> Option<[f32; 3]> {
        let _ = position;
        None
    }
}

/// The shortcuts of an evaluator with static chances only.
#[derive(Clone, Copy, Debug)]
pub struct NoShortcuts;

impl Shortcuts for NoShortcuts {}

/// Brings results into the order that probabilities must have, and removes impossible results: a player who has borne
/// off a checker loses no gammon.
#[inline]
pub fn possible(results: [f32; 5], position: &Position) -> Chances {
    let mut results = results;
    let [_, win_gammon, _, lose_gammon, _] = &mut results;
    if position.opponent().off() > 0 {
        *win_gammon = 0.0;
    }
    if position.me().off() > 0 {
        *lose_gammon = 0.0;
    }
    in_order(results)
}

/// Brings results into the order that probabilities must have.
#[inline]
fn in_order(results: [f32; 5]) -> Chances {
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = results;
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

#[cfg(test)]
mod tests {
    use super::nets::NetEvaluator;
    use super::*;
    use crate::bearoff::{Numbering, Tables, make};
    use gammond_game::Side;

    /// A long database changes while the server runs: the nets evaluate the positions that it no longer holds, and the
    /// server keeps running.
    #[test]
    fn a_database_on_disk_that_shrinks_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let numbering = |points, checkers| Numbering::new(points, checkers).unwrap();
        let (one, two) = (folder.path().join("o.bd"), folder.path().join("t.bd"));
        let one_sided = make::one_sided(numbering(7, 4), true, true);
        let two_sided = make::two_sided(numbering(8, 2), true);
        std::fs::write(&one, &one_sided).unwrap();
        std::fs::write(&two, &two_sided).unwrap();
        let disk = Tables::open_within(folder.path(), 0).unwrap();
        let memory = Tables::open(folder.path()).unwrap();
        let side = |points: &[usize]| {
            let mut counts = [0; 25];
            points.iter().for_each(|&point| counts[point - 1] += 1);
            Side::from_counts(&counts).unwrap()
        };
        let long = Position::from_sides(side(&[7, 7, 6, 2]), side(&[7, 5, 5, 1]));
        let short = Position::from_sides(side(&[8, 1]), side(&[7, 3]));
        for position in [long, short] {
            assert!(disk.chances(&position).is_some());
            assert_eq!(disk.chances(&position), memory.chances(&position));
            assert_eq!(
                disk.exact_cubeful(&position),
                memory.exact_cubeful(&position)
            );
            let rolls = |tables: &Tables| tables.distribution(position.me());
            assert_eq!(rolls(&disk), rolls(&memory));
        }
        let own = NetEvaluator::embedded().unwrap().with_tables(disk.clone());
        let judged = |position| {
            let mut out = [Chances::default()];
            own.evaluate(None, &[position], &mut out);
            out[0].win
        };
        let exact = [long, short].map(judged);
        // Other numbers in place of distributions, then nothing.
        std::fs::write(&one, [&one_sided[..3000], &[0xff; 9000]].concat()).unwrap();
        assert_eq!(disk.chances(&long), None);
        for path in [&one, &two] {
            std::fs::File::create(path).unwrap().set_len(100).unwrap();
        }
        for (position, exact) in [long, short].into_iter().zip(exact) {
            assert_eq!(disk.chances(&position), None);
            assert_eq!(disk.exact_cubeful(&position), None);
            assert!((judged(position) - exact).abs() < 0.1);
        }
    }
}
