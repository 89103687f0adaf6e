//! Counts of legal plays, a number of turns deep (rules PERFT-01 to PERFT-03 of `protocol-specs/play-notation.md`).

use super::{PlayGenerator, Position, Roll, Side};

/// Returns the positions after `depth` turns, one for each sequence of rolls and plays that leads there; every roll
/// is taken once, whatever its probability.
///
/// A roll that cannot be played counts as one play, the pass. A finished game has no plays. Wraps
/// around beyond 2^64; the start has 116,154,993 at depth 3.
#[must_use]
pub fn perft(position: &Position, depth: u32) -> u64 {
    perft_by_roll(position, depth)
        .iter()
        .fold(u64::from(depth == 0), |sum, &count| sum.wrapping_add(count))
}

/// Returns the counts of [`perft`] for each first roll, in the order of [`Roll::ALL`]; zeros at depth 0.
#[must_use]
pub fn perft_by_roll(position: &Position, depth: u32) -> [u64; 21] {
    let mut buffers = vec![Vec::new(); depth as usize];
    let mut counts = [0; 21];
    if depth > 0 {
        for (count, &roll) in counts.iter_mut().zip(&Roll::ALL) {
            *count = after_roll(position, roll, &mut buffers);
        }
    }
    counts
}

/// Appends the positions after one turn, pass included; the next depth is summed over them.
pub fn perft_positions(position: &Position, roll: Roll, out: &mut Vec<Position>) {
    out.clear();
    if position.is_over() {
        return;
    }
    PlayGenerator::new(position).plays(roll, out);
    if out.is_empty() {
        out.push(position.swapped());
    }
}

/// Counts the positions after a roll; `buffers` has one for each turn to come.
fn after_roll(position: &Position, roll: Roll, buffers: &mut [Vec<Position>]) -> u64 {
    let Some((buffer, deeper)) = buffers.split_first_mut() else {
        return 1;
    };
    perft_positions(position, roll, buffer);
    if deeper.is_empty() {
        return buffer.len() as u64;
    }
    let mut count = 0_u64;
    for after in buffer.iter() {
        for roll in Roll::ALL {
            count = count.wrapping_add(after_roll(after, roll, deeper));
        }
    }
    count
}

/// Returns the positions for measuring the generator: every turn of games that `random` plays, without the finished
/// ones. `random(n)` must give a number below `n`.
///
/// Of the plays two are drawn and the one kept that leaves fewer pips and more made points, so
/// that the positions look a little like those of games.
#[must_use]
pub fn perf_positions(count: usize, mut random: impl FnMut(u32) -> u32) -> Vec<Position> {
    let (mut positions, mut plays) = (Vec::with_capacity(count), Vec::new());
    let mut position = Position::start();
    while positions.len() < count {
        if position.is_over() {
            position = Position::start();
        }
        positions.push(position);
        let roll = Roll::of(random(6) as u8 + 1, random(6) as u8 + 1);
        perft_positions(&position, roll, &mut plays);
        let mut draw = || plays[random(plays.len() as u32) as usize];
        let (one, other) = (draw(), draw());
        position = if soundness(one.opponent()) >= soundness(other.opponent()) {
            one
        } else {
            other
        };
    }
    positions
}

/// Returns a rough judgement: made points against pips and blots.
fn soundness(side: Side) -> i32 {
    let (points, singles) = (side.made(), side.occupied() & !side.made());
    6 * points.count_ones() as i32 - 4 * singles.count_ones() as i32 - side.pips() as i32
}

/// Generates all 21 rolls of every position and returns how many positions resulted: the work that
/// `gammond perf` and the bench time.
#[must_use]
pub fn perf_plays(positions: &[Position], out: &mut Vec<Position>) -> u64 {
    let mut count = 0;
    for position in positions {
        let generator = PlayGenerator::new(position);
        for roll in Roll::ALL {
            generator.plays(roll, out);
            count += out.len() as u64;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PERFT-01.
    #[test]
    fn counts_of_the_start() {
        let start = Position::start();
        assert_eq!(perft(&start, 0), 1);
        assert_eq!(perft(&start, 1), 447);
        assert_eq!(perft(&start, 2), 202_782);
    }

    /// PERFT-02, PERFT-03.
    #[test]
    fn passes_count_and_finished_games_do_not() {
        let mut me = [0; 25];
        me[24] = 1;
        let opponent: [u8; 25] = std::array::from_fn(|index| u8::from(index < 6) * 2);
        let dance = Position::new(&me, &opponent).unwrap();
        assert_eq!(perft(&dance, 1), 21);
        let mut last = [0; 25];
        last[0] = 1;
        let last = Position::new(&last, &opponent).unwrap();
        assert_eq!(perft(&last, 1), 21);
        assert_eq!(perft(&last, 2), 0);
    }

    #[test]
    fn perf_positions_are_fixed_by_their_numbers() {
        let make = || {
            let mut state = 1_u64;
            perf_positions(300, move |bound| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                ((state >> 33) % u64::from(bound)) as u32
            })
        };
        let positions = make();
        assert_eq!(positions, make());
        assert!(positions.iter().all(|position| !position.is_over()));
        assert!(positions.iter().any(|position| !position.has_contact()));
    }
}
