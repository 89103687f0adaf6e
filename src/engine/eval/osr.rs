//! OSR, the one-sided rollout of races in the literature (OSR-01 to OSR-05 of `protocol-specs/bearoff-databases.md`).
//!
//! Each side brings its checkers home alone by fixed rules, so many times; from there on the table of six points has
//! the number of rolls still needed. The dice of each game are the same for every side and position, so that the same
//! position always has the same chances, and like positions the same luck.

use super::gnubg::race::replace_backgammons;
use super::{Evaluator, SearchPolicy, Shortcuts};
use crate::bearoff::{DISTRIBUTION_ROLLS, Distribution, Tables};
use gammond_base::rng::{below, stream};
use gammond_game::{Chances, Class, Position, Side};
use std::sync::Arc;

/// The most games.
pub const GAMES_MAX: u32 = 12_960;
/// Number of distinct roll counts; the last stands for it and all above.
const ROLLS: usize = DISTRIBUTION_ROLLS;
/// Seed of the dice.
const SEED: u64 = 0;
/// The last point of the home board.
const HOME: usize = 6;
/// Points, from 1; place 0 is not used.
type Board = [u8; 25];

/// The dice of a number of games.
#[derive(Debug, Clone)]
pub struct Osr {
    /// Dice of each game in turn; the larger die first.
    dice: Arc<[[[u8; 2]; ROLLS]]>,
}

/// Distributions of the number of rolls to bear off all checkers and the first of fifteen.
#[derive(Clone, Copy)]
struct RollDistributions {
    all: [f64; ROLLS],
    first: [f64; ROLLS],
}

impl Osr {
    /// Prepares the dice of `games` games, clamped to 1..=[`GAMES_MAX`]. With a multiple of 36 the first rolls are spread
    /// evenly, with a multiple of 1,296 the second ones too (OSR-02).
    #[must_use]
    pub fn new(games: u32) -> Osr {
        let games = games.clamp(1, GAMES_MAX);
        let game = |game: u32| {
            let mut chance = stream(SEED, u64::from(game));
            let mut rolls = [[0; 2]; ROLLS];
            for (turn, roll) in rolls.iter_mut().enumerate() {
                let spread = 36_u32.pow(turn.min(2) as u32 + 1);
                let mut dice = [below(&mut chance, 6), below(&mut chance, 6)];
                if turn < 2 && games.is_multiple_of(spread) {
                    let number = game / (spread / 36);
                    dice = [number % 6, number / 6 % 6];
                }
                dice.sort_unstable_by(|a, b| b.cmp(a));
                *roll = dice.map(|die| die as u8 + 1);
            }
            rolls
        };
        Osr {
            dice: (0..games).map(game).collect(),
        }
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.dice.len()
    }

    /// Returns the chances of a race in progress; `None` with contact or when the game is over.
    #[must_use]
    pub fn chances(&self, position: &Position) -> Option<Chances> {
        if position.has_contact() || position.is_over() {
            return None;
        }
        let mine = self.distributions(position.me());
        Some(self.against(position, &mine))
    }

    /// Returns the same, given the laws of the player on roll (OSR-05).
    fn against(&self, position: &Position, mine: &RollDistributions) -> Chances {
        let theirs = self.distributions(position.opponent());
        let mut outputs = [0.0; 5];
        outputs[0] = no_later(&mine.all, &theirs.all, 0);
        if position.opponent().off() == 0 {
            outputs[1] = no_later(&mine.all, &theirs.first, 0).min(outputs[0]);
        }
        if position.me().off() == 0 {
            outputs[3] = no_later(&theirs.all, &mine.first, 1).min(1.0 - outputs[0]);
        }
        replace_backgammons(position, Tables::shared(), &mut outputs);
        Chances::from_array(outputs)
    }

    /// Plays one side alone (OSR-01).
    fn distributions(&self, side: Side) -> RollDistributions {
        let mut start: Board = [0; 25];
        for (place, count) in start[1..].iter_mut().zip(side.counts()) {
            *place = count;
        }
        let mut distributions = RollDistributions {
            all: [0.0; ROLLS],
            first: [0.0; ROLLS],
        };
        if outside(&start) == 0 {
            distributions.add(&start, 0, 1.0);
            return distributions;
        }
        let share = 1.0 / self.dice.len() as f64;
        for game in self.dice.iter() {
            let mut board = start;
            let mut used = 0;
            for &[high, low] in game {
                if outside(&board) == 0 {
                    break;
                }
                used += 1;
                bring_home(&mut board, usize::from(high), usize::from(low));
            }
            distributions.add(&board, used, share);
        }
        distributions
    }
}

impl RollDistributions {
    /// Adds a game in which `used` rolls led to this board; the rest is from the table (OSR-04).
    fn add(&mut self, board: &Board, used: usize, share: f64) {
        let mut counts = [0; 25];
        counts[..HOME].copy_from_slice(&board[1..=HOME]);
        let side = Side::from_counts(&counts).unwrap_or(Side::ALL_OFF);
        let Some(rest) = distribution(side) else {
            return;
        };
        for (law, values) in [(&mut self.all, rest.win), (&mut self.first, rest.gammon)] {
            for (rolls, value) in values.into_iter().enumerate().filter(|one| one.1 > 0) {
                law[(used + rolls).min(ROLLS - 1)] += share * f64::from(value) / 65535.0;
            }
        }
    }
}

fn distribution(side: Side) -> Option<Distribution> {
    Tables::shared().one_sided.distribution(side)
}

/// Returns the chance that the first is done no later than the second, which has had `behind` rolls fewer.
fn no_later(this: &[f64; ROLLS], other: &[f64; ROLLS], behind: usize) -> f32 {
    let mut left = 1.0;
    let mut sum = 0.0;
    for (rolls, chance) in this.iter().enumerate() {
        if let Some(before) = (rolls + behind).checked_sub(1) {
            left -= other.get(before).unwrap_or(&0.0);
        }
        sum += chance * left;
    }
    sum.clamp(0.0, 1.0) as f32
}

fn outside(board: &Board) -> u32 {
    board[HOME + 1..].iter().map(|&n| u32::from(n)).sum()
}

/// Plays a roll by the rules of the literature (OSR-03).
fn bring_home(board: &mut Board, high: usize, low: usize) {
    if high == low {
        return double(board, high);
    }
    let (far, near) = (HOME + high, HOME + low);
    if board[far] > 0 && board[near] > 0 {
        step(board, far, high);
        step(board, near, low);
    } else if board[HOME + high + low] > 0 {
        step(board, HOME + high + low, high + low);
    } else {
        let order = if small_first(board, high, low) {
            [low, high]
        } else {
            [high, low]
        };
        order.into_iter().for_each(|size| die(board, size));
    }
}

/// Returns true if the smaller die brings the last checker in, so that the larger can bear one off.
fn small_first(board: &Board, high: usize, low: usize) -> bool {
    let last = (HOME + 1..25).rfind(|&point| board[point] > 0);
    let Some(last) = last.filter(|&last| last <= HOME + low && outside(board) == 1) else {
        return false;
    };
    let in_at = last - low;
    let rear = (1..=HOME).rfind(|&point| board[point] > 0).unwrap_or(0);
    board[high] > 0 || in_at == high || rear.max(in_at) <= high
}

/// Plays four equal dice: exact entries by single steps, then by several steps of one checker, then the rest.
fn double(board: &mut Board, size: usize) {
    let mut left = 4;
    for steps in [1, 4, 3, 2] {
        let from = HOME + steps * size;
        while steps <= left && from < 25 && board[from] > 0 {
            step(board, from, steps * size);
            left -= steps;
        }
    }
    for _ in 0..left {
        die(board, size);
    }
}

/// Plays one die: an exact entry, a checker that gets into the next quarter, the rearmost; at home it bears off, else
/// fills the rearmost gap, else moves the rearmost.
fn die(board: &mut Board, size: usize) {
    let Some(rear) = (1..25).rfind(|&point| board[point] > 0) else {
        return;
    };
    let from = if rear <= HOME {
        let gap = (1..=rear.saturating_sub(size))
            .rev()
            .find(|&to| board[to] == 0 && board[to + size] > 0);
        if board[size] > 0 {
            size
        } else {
            gap.map_or(rear, |to| to + size)
        }
    } else if board[HOME + size] > 0 {
        HOME + size
    } else {
        let quarter = |point: usize| (point - 1) / 6;
        let crosses = |&point: &usize| {
            board[point] > 0 && point > HOME + size && quarter(point - size) < quarter(point)
        };
        (HOME + 1..25).rev().find(crosses).unwrap_or(rear)
    };
    step(board, from, size);
}

/// Moves a checker `pips` points, or off.
fn step(board: &mut Board, from: usize, pips: usize) {
    board[from] -= 1;
    if from > pips {
        board[from - pips] += 1;
    }
}

/// An evaluator that wraps another and evaluates races by OSR where no table covers them.
#[derive(Debug)]
pub struct OsrEvaluator {
    name: String,
    inner: Arc<dyn Evaluator>,
    osr: Osr,
}

impl OsrEvaluator {
    /// Wraps an evaluator with one-sided rollouts of `games` games.
    #[must_use]
    pub fn new(inner: Arc<dyn Evaluator>, games: u32) -> OsrEvaluator {
        let osr = Osr::new(games);
        OsrEvaluator {
            name: format!("{} osr {}", inner.name(), osr.games()),
            inner,
            osr,
        }
    }
}

impl Evaluator for OsrEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        self.inner.class(position)
    }

    fn evaluate(&self, near: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        let mut known: Option<(Side, RollDistributions)> = None;
        let mut rest = Vec::new();
        for (index, (position, out)) in positions.iter().zip(out.iter_mut()).enumerate() {
            if self.inner.class(position) != Class::Race {
                rest.push(index);
                continue;
            }
            // After the plays of one roll the same side is on roll in all positions.
            let me = position.me();
            let distributions = match known {
                Some((side, distributions)) if side == me => distributions,
                _ => self.osr.distributions(me),
            };
            known = Some((me, distributions));
            *out = self.osr.against(position, &distributions);
        }
        if rest.len() == positions.len() {
            self.inner.evaluate(near, positions, out);
        } else if !rest.is_empty() {
            let others: Vec<Position> = rest.iter().map(|&index| positions[index]).collect();
            let mut found = vec![Chances::default(); others.len()];
            self.inner.evaluate(near, &others, &mut found);
            for (&index, chances) in rest.iter().zip(found) {
                out[index] = chances;
            }
        }
    }

    fn policy(&self) -> &SearchPolicy {
        self.inner.policy()
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        self.inner.shortcuts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nets::NetEvaluator;

    fn board(points: &[usize]) -> Board {
        let mut board = [0; 25];
        points.iter().for_each(|&point| board[point] += 1);
        board
    }

    fn side(points: &[usize]) -> Side {
        let mut counts = [0; 25];
        points.iter().for_each(|&point| counts[point - 1] += 1);
        Side::from_counts(&counts).unwrap()
    }

    /// OSR-03.
    #[test]
    fn rolls_are_played_by_the_rules() {
        let check = |before: &[usize], high, low, after: &[usize]| {
            let mut found = board(before);
            bring_home(&mut found, high, low);
            assert_eq!(found, board(after), "{before:?} {high}-{low}");
        };
        // Two exact entries, one with the sum, one by one die and a cross-over, the rearmost.
        check(&[9, 11, 13], 5, 3, &[6, 6, 13]);
        check(&[14, 10, 20], 5, 3, &[6, 10, 20]);
        check(&[11, 20, 8], 5, 3, &[6, 17, 8]);
        check(&[24, 23], 2, 1, &[22, 22]);
        check(&[13, 12], 5, 4, &[8, 8]);
        // The smaller die first, the larger bears off; a gap is filled; the rearmost moves.
        check(&[7, 5, 1], 5, 1, &[6, 1]);
        check(&[7, 5, 4], 3, 1, &[5, 4, 3]);
        check(&[7, 5, 4], 6, 1, &[5, 4]);
        // Doubles: single steps, several of one checker, the rest.
        check(&[9, 9, 15], 3, 3, &[6, 6, 9]);
        check(&[18, 24], 3, 3, &[6, 24]);
        check(&[7, 3, 3, 3], 3, 3, &[4]);
    }

    /// OSR-01, OSR-02, OSR-04.
    #[test]
    fn osr_is_exact_at_home_and_close_outside() {
        let osr = Osr::new(1296);
        let home = Position::from_sides(side(&[6, 5, 4, 4, 2]), side(&[6, 6, 3, 1, 1]));
        let known = Tables::shared().one_sided.chances(&home).unwrap();
        let found = osr.chances(&home).unwrap();
        assert!((known.win - found.win).abs() < 1e-5, "{known:?} {found:?}");
        let race = Position::from_sides(
            side(&[7, 8, 6, 6, 6, 5, 5, 5, 4, 4, 3, 3]),
            side(&[8, 7, 7, 6, 6, 6, 5, 5, 4, 4, 3, 2]),
        );
        let judge = NetEvaluator::embedded().unwrap();
        let mut wanted = [Chances::default()];
        judge.evaluate(None, &[race], &mut wanted);
        let found = osr.chances(&race).unwrap();
        assert!(
            (wanted[0].win - found.win).abs() < 0.02,
            "{wanted:?} {found:?}"
        );
        assert_eq!(osr.chances(&Position::start()), None);
    }

    #[test]
    fn only_races_beyond_the_tables_are_judged_so() {
        let own: Arc<dyn Evaluator> = Arc::new(NetEvaluator::embedded().unwrap());
        let osr = OsrEvaluator::new(own.clone(), 36);
        let race = Position::from_sides(side(&[7, 8, 6, 6]), side(&[9, 7, 6]));
        let home = Position::from_sides(side(&[5, 6, 6]), side(&[6, 6]));
        let all = [Position::start(), race, home];
        let (mut a, mut b) = ([Chances::default(); 3], [Chances::default(); 3]);
        own.evaluate(None, &all, &mut a);
        osr.evaluate(None, &all, &mut b);
        assert_eq!((a[0], a[2]), (b[0], b[2]));
        assert_eq!(Some(b[1]), Osr::new(36).chances(&race));
        assert_ne!(a[1], b[1]);
    }
}
