//! All positions that a roll can lead to, with the opponent on roll (a small private generator).

use crate::game::{BAR, OFF, Position, Roll, Side};

/// Fills `out` with the distinct positions after each legal play of `roll`, the opponent on roll.
/// When nothing can move, `out` holds the position turned round.
pub(super) fn positions_after(position: &Position, roll: Roll, out: &mut Vec<Position>) {
    out.clear();
    if roll.is_double() {
        let mut deepest = 0;
        doubles(position, roll.high(), BAR, 0, &mut deepest, out);
        out.sort_unstable();
        out.dedup();
    } else {
        let (high, low) = (roll.high(), roll.low());
        for (a, b) in [(high, low), (low, high)] {
            each_step(position, a, BAR, |after, _| {
                each_step(&after, b, BAR, |last, _| out.push(last));
            });
        }
        if out.is_empty() {
            each_step(position, high, BAR, |after, _| out.push(after));
        }
        if out.is_empty() {
            each_step(position, low, BAR, |after, _| out.push(after));
        }
        out.sort_unstable();
        out.dedup();
    }
    if out.is_empty() {
        out.push(*position);
    }
    for after in out {
        *after = after.swapped();
    }
}

fn doubles(
    position: &Position,
    die: u8,
    from: usize,
    depth: u32,
    deepest: &mut u32,
    out: &mut Vec<Position>,
) {
    let mut moved = false;
    if depth < 4 {
        each_step(position, die, from, |after, used| {
            moved = true;
            doubles(&after, die, used, depth + 1, deepest, out);
        });
    }
    if !moved && depth > 0 {
        if depth > *deepest {
            *deepest = depth;
            out.clear();
        }
        if depth == *deepest {
            out.push(*position);
        }
    }
}

#[inline]
fn each_step(position: &Position, die: u8, highest: usize, mut found: impl FnMut(Position, usize)) {
    let (me, opponent) = (position.me(), position.opponent());
    let die = usize::from(die);
    let mut sources = me.occupied() & ((2 << highest) - 1);
    let rearmost = me.rearmost().unwrap_or(0);
    if rearmost == BAR {
        sources &= 1 << BAR;
    }
    while sources != 0 {
        let from = sources.ilog2() as usize;
        sources &= !(1 << from);
        let to = if from >= die {
            let to = from - die;
            if opponent.count(23 - to) >= 2 {
                continue;
            }
            to
        } else if rearmost <= 5 && (from + 1 == die || from == rearmost) {
            OFF
        } else {
            continue;
        };
        let mine: Side = me.moved(from, to);
        let theirs = if to != OFF && opponent.count(23 - to) == 1 {
            opponent.moved(23 - to, BAR)
        } else {
            opponent
        };
        found(Position::from_sides(mine, theirs), from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::legal_plays;

    #[test]
    fn same_positions_as_the_reference() {
        let mut rng = crate::rng::stream(7, 1);
        let mut position = Position::start();
        let mut found = Vec::new();
        for _ in 0..20_000 {
            let roll = crate::rng::roll(&mut rng);
            positions_after(&position, roll, &mut found);
            let mut wanted: Vec<Position> =
                legal_plays(&position, roll).iter().map(|p| p.after).collect();
            if wanted.is_empty() {
                wanted.push(position.swapped());
            }
            let mut sorted = found.clone();
            sorted.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(sorted, wanted, "{position:?} {roll:?}");
            let pick = crate::rng::below(&mut rng, found.len() as u32) as usize;
            position = found[pick];
            if position.is_over() {
                position = Position::start();
            }
        }
    }
}
