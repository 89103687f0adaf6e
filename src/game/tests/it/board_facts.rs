//! Facts of boards and plays: by hand, and beside a second count.

use crate::second_count::{self, Block, block, checkers, drawn};
use gammond_game::notation::parse_position;
use gammond_game::{
    BoardFacts, PlayFacts, Position, Prime, Roll, Shots, SideFacts, reference_plays, throws,
};

fn position(id: &str) -> Position {
    parse_position(id.as_bytes()).unwrap().position
}

/// Returns a position in which each side has checkers on these points of its own, 25 for the bar.
fn placed(mine: &[(usize, u8)], theirs: &[(usize, u8)]) -> Position {
    let counts = |points: &[(usize, u8)]| {
        let mut counts = [0; 25];
        for &(point, checkers) in points {
            counts[point - 1] = checkers;
        }
        counts
    };
    Position::new(&counts(mine), &counts(theirs)).unwrap()
}

fn sorted(rolls: &[Roll]) -> Vec<[u8; 2]> {
    let both = |roll: &Roll| vec![[roll.high(), roll.low()]; roll.weight() as usize];
    let mut all: Vec<[u8; 2]> = rolls.iter().flat_map(both).collect();
    all.sort_unstable();
    all
}

fn compare_shots(found: &Shots, hitter: &Position) {
    let (mut all, by_blot) = second_count::hits(hitter);
    all.sort_unstable();
    assert_eq!(sorted(&found.rolls), all, "{hitter:?}");
    assert_eq!(found.number() as usize, all.len());
    let blots: Vec<(u8, Vec<[u8; 2]>)> = by_blot
        .into_iter()
        .map(|(point, mut throws)| {
            throws.sort_unstable();
            (point, throws)
        })
        .collect();
    let known: Vec<(u8, Vec<[u8; 2]>)> = found
        .blots
        .iter()
        .map(|(point, rolls)| (*point, sorted(rolls)))
        .collect();
    assert_eq!(known, blots, "{hitter:?}");
    assert!(
        found
            .blots
            .iter()
            .all(|(_, rolls)| throws(rolls) as usize == sorted(rolls).len())
    );
}

fn compare_side(found: &SideFacts, seen: &Position) {
    let mine = checkers(&seen.me().counts());
    let theirs = checkers(&seen.opponent().counts());
    assert_eq!(
        found.pips,
        mine.iter().map(|&point| u32::from(point)).sum::<u32>()
    );
    assert_eq!(usize::from(found.off), 15 - mine.len());
    let points = second_count::points(&mine, 2);
    assert_eq!(found.points, points);
    let single = second_count::points(&mine, 1);
    let single: Vec<u8> = single
        .into_iter()
        .filter(|point| !points.contains(point))
        .collect();
    assert_eq!(found.blots, single);
    let anchors: Vec<u8> = points
        .iter()
        .copied()
        .filter(|point| 25 - point <= 6)
        .collect();
    assert_eq!(found.anchors, anchors);
    let back = mine.iter().filter(|&&point| point > 18).count();
    assert_eq!(usize::from(found.back), back);
    assert_eq!(
        usize::from(found.bar),
        mine.iter().filter(|&&point| point == 25).count()
    );
    let home = points.iter().filter(|point| **point < 7).count();
    assert_eq!(found.home_points(), home);
    let heavy: usize = (1..=24)
        .map(|point| mine.iter().filter(|&&other| other == point).count())
        .map(|count| count.saturating_sub(4))
        .sum();
    assert_eq!(usize::from(found.stacked()), heavy);
    if found.bar > 0 {
        let entering = second_count::entering(seen);
        assert_eq!(found.entering, Some(entering as u32), "{seen:?}");
    } else {
        assert_eq!(found.entering, None);
    }
    let prime = found.prime.map(|prime| Block {
        from: prime.from,
        to: prime.to,
        behind: prime.behind.into(),
        spare: prime.spare_pips,
    });
    assert_eq!(prime, block(&mine, &theirs), "{seen:?}");
    compare_shots(&found.shots, &seen.swapped());
}

#[test]
fn facts_are_those_of_the_second_count() {
    for (position, _) in drawn(2000, 5) {
        let facts = BoardFacts::of(&position);
        compare_side(&facts.me, &position);
        compare_side(&facts.opponent, &position.swapped());
    }
}

#[test]
fn facts_of_plays_are_those_of_their_steps() {
    for (position, roll) in drawn(600, 11) {
        for play in reference_plays(&position, roll) {
            let facts = PlayFacts::of(&position, &play.after);
            let mut theirs = position.opponent().counts();
            let (mut hits, mut mine) = (0, position.me().counts().to_vec());
            for step in play.play.steps() {
                mine[usize::from(step.from)] -= 1;
                if step.bears_off() {
                    continue;
                }
                mine[usize::from(step.to)] += 1;
                let blot = &mut theirs[23 - usize::from(step.to)];
                hits += *blot;
                *blot = 0;
            }
            assert_eq!(facts.hits, hits, "{position:?} {play:?}");
            let was = |point: u8| position.me().counts()[usize::from(point) - 1] > 1;
            let is = |point: u8| mine[usize::from(point) - 1] > 1;
            let all = |holds: &dyn Fn(u8) -> bool| {
                (1..=24).filter(|&point| holds(point)).collect::<Vec<u8>>()
            };
            assert_eq!(facts.made, all(&|point| is(point) && !was(point)));
            assert_eq!(facts.broken, all(&|point| was(point) && !is(point)));
            let left =
                position.me().counts()[18..].iter().sum::<u8>() - mine[18..].iter().sum::<u8>();
            assert_eq!(facts.escaped, left);
            assert_eq!(facts.after, BoardFacts::of(&play.after.swapped()));
        }
    }
}

/// Known numbers of shots: a blot six pips away from a single hitter with nothing between is hit by 17 of 36 rolls, one by
/// 11, seven by 6; a made point between takes away the combinations over it.
#[test]
fn direct_and_indirect_shots() {
    for (distance, number) in [
        (1, 11),
        (2, 12),
        (3, 14),
        (4, 15),
        (5, 15),
        (6, 17),
        (7, 6),
        (8, 6),
        (9, 5),
        (10, 3),
        (11, 2),
        (12, 3),
    ] {
        // The opponent's last checker stands on my ace point; my blot is so many pips in front of it.
        let position = placed(&[(1 + distance, 1)], &[(24, 1)]);
        let facts = BoardFacts::of(&position);
        assert_eq!(facts.me.shots.number(), number, "{distance} pips");
        assert_eq!(facts.opponent.shots.number(), number, "{distance} pips");
    }
    // My points between leave the direct sixes alone.
    let blocked = placed(
        &[(7, 1), (4, 2), (6, 2), (3, 2), (5, 2), (2, 2)],
        &[(24, 1)],
    );
    assert_eq!(BoardFacts::of(&blocked).me.shots.number(), 11);
    // Past all checkers nothing is hit.
    let past = placed(&[(5, 1)], &[(5, 2)]);
    assert_eq!(BoardFacts::of(&past).me.shots, Shots::default());
}

#[test]
fn primes_anchors_and_entering() {
    // A full prime from 4 to 9 in front of two checkers on the opponent's 24 point and one on the bar.
    let mine = [(4, 2), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (13, 3)];
    let facts = BoardFacts::of(&placed(&mine, &[(24, 2), (25, 1), (6, 4)]));
    let prime = facts.me.prime.unwrap();
    assert_eq!(
        (prime.from, prime.to, prime.length(), prime.behind),
        (4, 9, 6, 3)
    );
    assert_eq!(prime.spare_pips, 3 * 12);
    assert_eq!(facts.opponent.entering, Some(27));
    assert_eq!(facts.opponent.anchors, [24]);
    assert_eq!(facts.opponent.back, 3);
    // A gap makes it shorter, and nothing is behind points beyond the opponent's last checker.
    let gap = [(4, 2), (5, 2), (6, 2), (8, 2), (9, 2), (13, 3)];
    let facts = BoardFacts::of(&placed(&gap, &[(14, 2)]));
    assert_eq!(
        facts
            .me
            .prime
            .map(|prime: Prime| (prime.from, prime.to, prime.behind)),
        Some((4, 6, 0))
    );
    // Closed out: no roll enters.
    let closed = [(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2)];
    let facts = BoardFacts::of(&placed(&closed, &[(25, 1)]));
    assert_eq!(facts.opponent.entering, Some(0));
    assert_eq!(facts.me.entering, None);
    let start = BoardFacts::of(&position("4HPwATDgc/ABMA"));
    assert_eq!(start.me.stacks, [(6, 5), (13, 5)]);
    assert_eq!((start.me.prime, start.me.home_points()), (None, 1));
    assert_eq!(start.me, start.opponent);
}
