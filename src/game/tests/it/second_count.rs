//! A second count of the facts of a board: lists of checkers, the 36 throws and the steps of the slow generator's plays.

use gammond_game::{BAR, OFF, POINTS, Position, Roll, reference_plays};
use std::collections::BTreeMap;

/// Checkers of a side by its own points: 0 for borne off, 25 for the bar.
pub(crate) fn checkers(counts: &[u8; POINTS]) -> Vec<u8> {
    let all = (1..=25_u8).zip(counts);
    all.flat_map(|(point, &count)| vec![point; usize::from(count)])
        .collect()
}

/// Returns the points with at least this number of checkers, the bar not among them.
pub(crate) fn points(checkers: &[u8], least: usize) -> Vec<u8> {
    let on = |point: u8| checkers.iter().filter(|&&other| other == point).count();
    (1..=24).filter(|&point| on(point) >= least).collect()
}

/// Returns the throws of the player on roll that hit, as the larger die and the smaller one, and those that hit each blot, by
/// the point of the side that is hit.
pub(crate) fn hits(position: &Position) -> (Vec<[u8; 2]>, BTreeMap<u8, Vec<[u8; 2]>>) {
    let (mut all, mut by_blot) = (Vec::new(), BTreeMap::<u8, Vec<[u8; 2]>>::new());
    for first in 1..=6_u8 {
        for second in 1..=6_u8 {
            let mut hit = [false; 25];
            for play in reference_plays(position, Roll::new(first, second).unwrap()) {
                let mut target = position.opponent().counts();
                for step in play.play.steps() {
                    let (from, to) = (usize::from(step.from), usize::from(step.to));
                    assert!(from <= BAR);
                    if to != OFF && target[23 - to] == 1 {
                        target[23 - to] = 0;
                        hit[24 - to] = true;
                    }
                }
            }
            let throw = [first.max(second), first.min(second)];
            if hit.iter().any(|&hit| hit) {
                all.push(throw);
            }
            for (point, hit) in (0..).zip(hit) {
                if hit {
                    by_blot.entry(point).or_default().push(throw);
                }
            }
        }
    }
    (all, by_blot)
}

/// Returns the number of throws with which the player on roll, who is on the bar, enters.
pub(crate) fn entering(position: &Position) -> usize {
    let throws = (1..=6).flat_map(|first| (1..=6).map(move |second| (first, second)));
    let enters = |&(first, second): &(u8, u8)| {
        let plays = reference_plays(position, Roll::new(first, second).unwrap());
        let enters = |play: &gammond_game::LegalPlay| play.play.steps()[0].enters();
        plays.iter().any(enters)
    };
    throws.filter(enters).count()
}

/// A block of points of a side: its lowest and highest point, the other side's checkers behind it, and the pips that the
/// other checkers can play.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) from: u8,
    pub(crate) to: u8,
    pub(crate) behind: usize,
    pub(crate) spare: u32,
}

/// Returns the longest block of at least two points among all pairs of ends.
pub(crate) fn block(mine: &[u8], theirs: &[u8]) -> Option<Block> {
    let found = ends(mine, theirs)?;
    let stuck = ends(theirs, mine).filter(|block| block.1 - block.0 >= 3);
    let mut free: Vec<u8> = mine
        .iter()
        .copied()
        // The other side's block is in front of a checker that has its points below it.
        .filter(|&point| stuck.is_none_or(|(low, ..)| 25 - point >= low))
        .collect();
    for point in found.0..=found.1 {
        for _ in 0..2 {
            if let Some(at) = free.iter().position(|&other| other == point) {
                free.remove(at);
            }
        }
    }
    let mut spare = 0;
    while let Some(checker) = free.iter_mut().find(|point| **point > 1) {
        *checker -= 1;
        spare += 1;
    }
    Some(Block {
        from: found.0,
        to: found.1,
        behind: found.2,
        spare,
    })
}

/// Returns the ends of the longest block and the number of checkers behind it.
fn ends(mine: &[u8], theirs: &[u8]) -> Option<(u8, u8, usize)> {
    let made = points(mine, 2);
    let mut best: Option<(u8, u8, usize)> = None;
    for low in 1..=24_u8 {
        for high in low + 1..=24 {
            if !(low..=high).all(|point| made.contains(&point)) {
                continue;
            }
            // The other side's checker on its point N stands on the point 25 - N of this side, on the bar below all.
            let behind = theirs.iter().filter(|&&point| 25 - point < low).count();
            let better =
                |(from, to, other): (u8, u8, usize)| (high - low, behind) > (to - from, other);
            if best.is_none_or(better) {
                best = Some((low, high, behind));
            }
        }
    }
    best
}

/// Positions of games of random legal plays.
pub(crate) fn drawn(count: usize, mut seed: u64) -> Vec<(Position, Roll)> {
    let mut found = Vec::new();
    let mut position = Position::start();
    while found.len() < count {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let roll = Roll::ALL[(seed >> 33) as usize % Roll::ALL.len()];
        found.push((position, roll));
        let plays = reference_plays(&position, roll);
        position = match plays.get((seed >> 40) as usize % plays.len().max(1)) {
            Some(play) => play.after,
            None => position.swapped(),
        };
        if position.is_over() {
            position = Position::start();
        }
    }
    found
}
