//! Value iteration over all positions of hypergammon.
//!
//! A sweep visits all positions in the order of both sides' pips together. A play that hits nothing leads to a position
//! of fewer pips, whose new value is known by then, so that a sweep settles all that happens up to the next hit; what a
//! value still lacks shrinks with each sweep by the chance of one more hit. Positions of the same sum of pips are
//! independent of one another: they are computed on all threads, and written when all are there. So the values after each sweep do
//! not depend on the number of threads.

use super::sides::Sides;
use super::{EQUITY_RANGE, RECORD_BYTES, WHOLE};
use crate::bearoff::{BearoffError, HEADER_BYTES, part_of};
use crate::pool::prelude::*;
use gammond_base::journal::{WorkLock, write_whole_by};
use gammond_game::{PlayGenerator, Position, Roll, Side, Variant};
use std::fs;
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

/// Five chances and four equities (owned, centred, centred with the Jacoby rule, lent) of the side that has just played.
type Reply = [f32; 9];

/// Sweeps end when no equity changes by more than this. Equities of 2 to 3 have steps of 2.4e-7 here, 3.6e-7 in the file;
/// GNU Backgammon's `makehyper` ends at 1e-5.
const SMALLEST_CHANGE: f32 = 5e-7;
/// Leaps begin after so many sweeps, when one mode of change rules, ...
const FIRST_LEAP: u32 = 6;
/// ... come every so many sweeps, ...
const LEAP_EVERY: u32 = 3;
/// ... and end when equities change by less than this.
const LEAP_CHANGE: f32 = 1e-5;
/// Among plays of the same equity the one that wins more often counts, or rounding would choose.
const TIE: f32 = 1e-5;
/// First bytes of the file of an unfinished table.
const MAGIC: &[u8; 8] = b"GAMMHYP1";
/// Bytes before the values of an unfinished table: the magic, the checkers, the sweeps, the last change, the values' checksum.
const PART_HEADER_BYTES: usize = 24;

/// The state of the work: sweeps, pairs of positions, the last change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HyperStage {
    /// Sweeps that are complete.
    pub sweeps: u32,
    /// Pairs of positions of the sweep under way that are done.
    pub done: usize,
    /// Pairs of positions in a sweep.
    pub pairs: usize,
    /// Largest change of an equity by the last complete sweep; infinite at first.
    pub change: f32,
}

impl HyperStage {
    /// Returns true if the sweeps are complete; the file is then written.
    #[must_use]
    pub fn is_last(&self) -> bool {
        self.change <= SMALLEST_CHANGE
    }
}

/// Makes the table of games of `checkers` (1..=3) checkers at `path`, or resumes an unfinished one. `watch` gets the
/// progress after each step, and ends the work by `false`; the same call then resumes from the last complete sweep. Returns
/// true if the table is complete.
///
/// No file appears at `path` before all is done; the caller has checked that a file there may be replaced. Runs on the
/// threads of the pool in which it is called.
///
/// # Errors
/// [`BearoffError`] if the disk fails, if the file of the unfinished table is damaged or of another table, or if another
/// program makes the table at the same time.
pub fn make_hyper(
    path: &Path,
    checkers: usize,
    watch: &mut dyn FnMut(HyperStage) -> bool,
) -> Result<bool, BearoffError> {
    let part = part_of(path);
    let _lock = WorkLock::take(&part)?;
    let mut solver = Solver::new(checkers);
    solver.resume(&part)?;
    while !solver.stage.is_last() {
        if !solver.sweep(watch) {
            return Ok(false);
        }
        solver
            .keep(&part)
            .map_err(|source| BearoffError::io(&part, source))?;
    }
    let write = |file: &mut fs::File| solver.write(file);
    write_whole_by(path, write).map_err(|source| BearoffError::io(path, source))?;
    let removed = fs::remove_file(&part);
    removed.map_err(|source| BearoffError::io(&part, source))?;
    Ok(true)
}

/// The values of all positions so far.
struct Solver {
    sides: Sides,
    /// Numbers of the sides by their pips.
    by_pips: Vec<Vec<u16>>,
    /// By the number of the side on roll times the number of sides, plus that of the side that has just played.
    replies: Vec<Reply>,
    stage: HyperStage,
}

impl Solver {
    fn new(checkers: usize) -> Solver {
        let sides = Sides::new(checkers);
        let most = 25 * checkers;
        let mut by_pips = vec![Vec::new(); most + 1];
        for (number, side) in sides.all().iter().enumerate() {
            by_pips[side.pips() as usize].push(number as u16);
        }
        let count = sides.all().len();
        let mut replies = vec![[0.0; 9]; count * count];
        let fits = |variant: &Variant| usize::from(variant.checkers()) == checkers;
        let variant = Variant::ALL.into_iter().find(fits).unwrap_or_default();
        let winner = sides.all()[0];
        for (on_roll, &loser) in sides.all().iter().enumerate().skip(1) {
            let Some(lost) = variant.outcome(&Position::from_sides(loser, winner)) else {
                continue;
            };
            let won = lost.swapped();
            let points = won.points() as f32;
            let [win, gammon, backgammon, ..] = won.chances().to_array();
            replies[on_roll * count] = [
                win, gammon, backgammon, 0.0, 0.0, points, points, 1.0, points,
            ];
        }
        Solver {
            by_pips,
            replies,
            stage: HyperStage {
                sweeps: 0,
                done: 0,
                pairs: (count - 1).pow(2),
                change: f32::INFINITY,
            },
            sides,
        }
    }

    /// Visits all positions once. Returns false if the work was cancelled; the values are then of no use.
    fn sweep(&mut self, watch: &mut dyn FnMut(HyperStage) -> bool) -> bool {
        let levels = self.by_pips.len();
        let mut change: f32 = 0.0;
        let before = match self.is_followed_by_a_leap() {
            true => self.replies.clone(),
            false => Vec::new(),
        };
        self.stage.done = 0;
        for pips in 2..=2 * (levels - 1) {
            if !watch(self.stage) {
                return false;
            }
            let here = &*self;
            let least = pips.saturating_sub(levels - 1).max(1);
            // The side to be on roll after the play is the same for a whole share, so that the values needed lie close
            // to one another.
            let opponents: Vec<u16> = (least..levels.min(pips))
                .flat_map(|theirs| here.by_pips[theirs].iter().copied())
                .collect();
            let shares = opponents
                .into_par_iter()
                .map(|opponent| (opponent, here.share(pips, opponent.into())));
            let shares: Vec<(u16, Vec<(u16, Reply)>)> = shares.collect();
            let count = self.sides.all().len();
            for (opponent, share) in shares {
                for (me, reply) in share {
                    let at = usize::from(me) * count + usize::from(opponent);
                    let old = &mut self.replies[at];
                    let gained = |k: usize| (reply[k] - old[k]).abs();
                    let gained = [5, 6, 7, 8].map(gained).into_iter().fold(0.0, f32::max);
                    change = change.max(gained);
                    *old = reply;
                    self.stage.done += 1;
                }
            }
        }
        self.go_further(&before, change / self.stage.change);
        self.stage.change = change;
        self.stage.sweeps += 1;
        watch(self.stage)
    }

    /// Returns true for a sweep after which the values leap to where further sweeps would bring them.
    const fn is_followed_by_a_leap(&self) -> bool {
        let sweeps = self.stage.sweeps;
        sweeps >= FIRST_LEAP && sweeps.is_multiple_of(LEAP_EVERY) && self.stage.change > LEAP_CHANGE
    }

    /// Moves each value on as if all later sweeps changed it by `ratio` of the change before (Aitken's extrapolation). The
    /// next sweeps bring back a value that they change otherwise.
    fn go_further(&mut self, before: &[Reply], ratio: f32) {
        let ratio = ratio.clamp(0.0, 0.9);
        let factor = ratio / (1.0 - ratio);
        for (reply, before) in self.replies.iter_mut().zip(before) {
            for (number, before) in reply.iter_mut().zip(before) {
                *number += factor * (*number - before);
            }
        }
    }

    /// Computes the positions against one side whose pips together are `pips`. Those without contact are settled by the
    /// first sweep.
    fn share(&self, pips: usize, opponent: usize) -> Vec<(u16, Reply)> {
        let theirs = self.sides.all()[opponent];
        let mut plays = Vec::new();
        let mut found = Vec::new();
        for &me in &self.by_pips[pips - theirs.pips() as usize] {
            let position = Position::from_sides(self.sides.all()[usize::from(me)], theirs);
            if !is_legal(&position) || self.stage.sweeps > 0 && !position.has_contact() {
                continue;
            }
            let value = self.value(&position, &mut plays);
            found.push((me, reply_to(value)));
        }
        found
    }

    /// Returns the value to the player on roll, without a double: five chances, four equities.
    fn value(&self, position: &Position, plays: &mut Vec<Position>) -> Reply {
        let generator = PlayGenerator::new(position);
        let theirs = self.line(position.opponent());
        let mut sums = [0.0_f64; 9];
        for roll in Roll::ALL {
            generator.plays(roll, plays);
            let mut best = [f32::NEG_INFINITY; 9];
            if plays.is_empty() {
                best = *self.reply(&position.swapped());
            } else {
                let mut most = f32::NEG_INFINITY;
                for after in plays.iter() {
                    let line = match after.me() == position.opponent() {
                        true => theirs,
                        false => self.line(after.me()),
                    };
                    let reply = &line[self.sides.number(after.opponent()).unwrap_or_default()];
                    let [
                        win,
                        gammon,
                        backgammon,
                        lost,
                        lost_backgammon,
                        equities @ ..,
                    ] = *reply;
                    let equity = (2.0 + TIE) * win + gammon + backgammon - lost - lost_backgammon;
                    if equity > most {
                        most = equity;
                        best[..5].copy_from_slice(&reply[..5]);
                    }
                    for (best, equity) in best[5..].iter_mut().zip(equities) {
                        *best = best.max(equity);
                    }
                }
            }
            let weight = f64::from(roll.weight()) / 36.0;
            for (sum, best) in sums.iter_mut().zip(best) {
                *sum += weight * f64::from(best);
            }
        }
        sums.map(|sum| sum as f32)
    }

    /// Returns the replies to all plays after which this side is on roll.
    #[inline]
    fn line(&self, on_roll: Side) -> &[Reply] {
        let count = self.sides.all().len();
        let number = self.sides.number(on_roll).unwrap_or_default();
        &self.replies[number * count..][..count]
    }

    /// Returns what a position with the opponent on roll is worth to the side that has just played.
    fn reply(&self, after: &Position) -> &Reply {
        &self.line(after.me())[self.sides.number(after.opponent()).unwrap_or_default()]
    }

    /// Reads the values of an unfinished table, if there is one.
    fn resume(&mut self, part: &Path) -> Result<(), BearoffError> {
        if part.symlink_metadata().is_err() {
            return Ok(());
        }
        let io = |source| BearoffError::io(part, source);
        let damaged = |at, reason: &str| BearoffError::damaged(part, at, reason.to_owned());
        let file = gammond_base::files::open(part).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; PART_HEADER_BYTES];
        let is_ours = file.read_exact(&mut head).is_ok() && head.starts_with(MAGIC);
        let [_, _, checkers, sweeps, change, sum] =
            [0, 4, 8, 12, 16, 20].map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|k| head[at + k])));
        let wanted = PART_HEADER_BYTES + self.replies.len() * size_of::<Reply>();
        if !is_ours || length != wanted as u64 || checkers as usize != self.sides.checkers() {
            let reason =
                "not an unfinished hypergammon database of so many checkers; it is left unchanged";
            return Err(damaged(0, reason));
        }
        let mut hasher = crc32fast::Hasher::new();
        let mut pair = [0; size_of::<Reply>()];
        for reply in &mut self.replies {
            file.read_exact(&mut pair).map_err(io)?;
            hasher.update(&pair);
            for (number, bytes) in reply.iter_mut().zip(pair.as_chunks::<4>().0) {
                *number = f32::from_le_bytes(*bytes);
            }
        }
        if sum != hasher.finalize() {
            return Err(damaged(
                20,
                "wrong checksum; delete the file to begin again",
            ));
        }
        self.stage.sweeps = sweeps;
        self.stage.change = f32::from_bits(change);
        Ok(())
    }

    /// Keeps the values after a sweep.
    fn keep(&self, part: &Path) -> io::Result<()> {
        let mut hasher = crc32fast::Hasher::new();
        for reply in &self.replies {
            hasher.update(&bytes_of(reply));
        }
        let HyperStage { sweeps, change, .. } = self.stage;
        let numbers = [
            self.sides.checkers() as u32,
            sweeps,
            change.to_bits(),
            hasher.finalize(),
        ];
        write_whole_by(part, |file| {
            let mut file = BufWriter::with_capacity(1 << 20, file);
            file.write_all(MAGIC)?;
            for number in numbers {
                file.write_all(&number.to_le_bytes())?;
            }
            for reply in &self.replies {
                file.write_all(&bytes_of(reply))?;
            }
            file.flush()
        })
    }

    /// Writes the file: header, then a record for each pair (`HYPER-01`).
    fn write(&self, file: &mut fs::File) -> io::Result<()> {
        let mut header = format!("gnubg-H{}", self.sides.checkers()).into_bytes();
        header.resize(HEADER_BYTES - 1, b'x');
        header.push(b'\n');
        let mut file = BufWriter::with_capacity(1 << 20, file);
        file.write_all(&header)?;
        let all = self.sides.all();
        let lines = all.iter().map(|&me| {
            let line = all.par_iter().map(|&opponent| {
                let position = Position::from_sides(me, opponent);
                record(self.finished(&position))
            });
            line.collect::<Vec<[u8; RECORD_BYTES]>>()
        });
        for line in lines {
            file.write_all(line.as_flattened())?;
        }
        file.flush()
    }

    /// Returns the numbers of a position for the file.
    fn finished(&self, position: &Position) -> Reply {
        if position.me().on_board() == 0 {
            // Won already: seen by the loser it is a reply.
            return match position.opponent().on_board() {
                0 => [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, -1.0, -1.0, -1.0],
                _ => *self.reply(&position.swapped()),
            };
        }
        if position.opponent().on_board() == 0 {
            let [win, gammon, backgammon, .., owned, centred, jacoby, lent] = *self.reply(position);
            return [
                1.0 - win,
                0.0,
                0.0,
                gammon,
                backgammon,
                -owned,
                -centred,
                -jacoby,
                -lent,
            ];
        }
        if !is_legal(position) {
            return [0.0; 9];
        }
        self.value(position, &mut Vec::new())
    }
}

/// Returns false where both sides have checkers on a point.
fn is_legal(position: &Position) -> bool {
    let theirs = (position.opponent().occupied() & 0xFF_FFFF).reverse_bits() >> 8;
    position.me().occupied() & theirs == 0
}

/// Returns what a value of the player on roll, before a double, is worth to the other side (`HYPER-05`).
fn reply_to(value: Reply) -> Reply {
    let [
        win,
        gammon,
        backgammon,
        lost,
        lost_backgammon,
        owned,
        centred,
        jacoby,
        lent,
    ] = value;
    let doubled = (2.0 * lent).min(1.0);
    [
        1.0 - win,
        lost,
        lost_backgammon,
        gammon,
        backgammon,
        -lent,
        -centred.max(doubled),
        -jacoby.max(doubled),
        -owned.max(doubled),
    ]
}

fn bytes_of(reply: &Reply) -> [u8; size_of::<Reply>()] {
    let mut bytes = [0; size_of::<Reply>()];
    for (bytes, number) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(reply) {
        *bytes = number.to_le_bytes();
    }
    bytes
}

/// Returns the record of a value.
fn record(value: Reply) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    for (k, (bytes, number)) in record
        .as_chunks_mut::<3>()
        .0
        .iter_mut()
        .zip(value)
        .enumerate()
    {
        let share = if k < 5 {
            number
        } else {
            number / EQUITY_RANGE + 0.5
        };
        let whole = (f64::from(share) * f64::from(WHOLE))
            .round()
            .clamp(0.0, WHOLE.into());
        let [low, middle, high, _] = (whole as u32).to_le_bytes();
        *bytes = [low, middle, high];
    }
    record
}
