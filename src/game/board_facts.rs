//! Facts of a board as players name them: points, blots and the shots at them, primes, anchors, stacks; and the facts
//! of a play.
//!
//! Points are numbered as their side counts them, 1 to 24. Nothing here evaluates a position.

use super::{BAR, PlayGenerator, Position, Roll, Side};

/// Checkers on a point from which on it is a stack.
const STACK: u8 = 5;
/// Lowest point of the opponent's home board, as the side counts.
const BACK: u8 = 19;
/// Length from which on a block of points counts as a prime in the timing.
const PRIME: u8 = 4;

/// The facts of a board for both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardFacts {
    /// The side that the position is seen by.
    pub me: SideFacts,
    /// The other side.
    pub opponent: SideFacts,
}

/// The facts of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SideFacts {
    /// Pip count.
    pub pips: u32,
    /// Checkers borne off.
    pub off: u8,
    /// Checkers on the bar.
    pub bar: u8,
    /// Number of the 36 rolls with which a checker enters from the bar, if one is there.
    pub entering: Option<u32>,
    /// Points made, with two checkers or more.
    pub points: Vec<u8>,
    /// Single checkers.
    pub blots: Vec<u8>,
    /// Points made in the opponent's home board.
    pub anchors: Vec<u8>,
    /// Checkers in the opponent's home board and on the bar.
    pub back: u8,
    /// Points with five checkers or more, each with their number.
    pub stacks: Vec<(u8, u8)>,
    /// The longest block of at least two points made side by side; of equally long ones that with more checkers behind
    /// it, then that nearer to home.
    pub prime: Option<Prime>,
    /// The shots of the other side, if it rolled now.
    pub shots: Shots,
}

/// Points made side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Prime {
    /// The lowest point.
    pub from: u8,
    /// The highest point.
    pub to: u8,
    /// Checkers of the other side behind it, those on the bar among them.
    pub behind: u8,
    /// Pips that the other checkers can play until they all are on the ace point: the prime then breaks. Two checkers stay
    /// on each of its points; those behind a prime of four points or more of the other side count as unable to move.
    pub spare_pips: u32,
}

impl Prime {
    /// Returns the number of points.
    #[must_use]
    pub const fn length(&self) -> u8 {
        self.to - self.from + 1
    }
}

/// The rolls that hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shots {
    /// The rolls with which a legal play hits a blot.
    pub rolls: Vec<Roll>,
    /// The blots that can be hit, each with the rolls that hit it.
    pub blots: Vec<(u8, Vec<Roll>)>,
}

impl Shots {
    /// Returns the number of throws among the 36 that hit.
    #[must_use]
    pub fn number(&self) -> u32 {
        throws(&self.rolls)
    }
}

/// Returns the number of throws among the 36 that these rolls are.
#[must_use]
pub fn throws(rolls: &[Roll]) -> u32 {
    rolls.iter().map(|roll| roll.weight()).sum()
}

impl BoardFacts {
    /// Returns the facts of a position.
    #[must_use]
    pub fn of(position: &Position) -> BoardFacts {
        let (me, opponent) = (position.me(), position.opponent());
        BoardFacts {
            me: SideFacts::of(me, opponent, Shots::of(&position.swapped())),
            opponent: SideFacts::of(opponent, me, Shots::of(position)),
        }
    }
}

impl SideFacts {
    fn of(side: Side, other: Side, shots: Shots) -> SideFacts {
        let points = points_where(|point| count(side, point) >= 2);
        let stacks = points_where(|point| count(side, point) >= STACK);
        let bar = side.count(BAR);
        SideFacts {
            pips: side.pips(),
            off: side.off(),
            bar,
            entering: (bar > 0).then(|| entering(other)),
            blots: points_where(|point| count(side, point) == 1),
            anchors: (points.iter().copied())
                .filter(|&point| point >= BACK)
                .collect(),
            back: bar + (BACK..=24).map(|point| count(side, point)).sum::<u8>(),
            stacks: (stacks.into_iter())
                .map(|point| (point, count(side, point)))
                .collect(),
            prime: prime(side, other),
            points,
            shots,
        }
    }

    /// Returns the number of points made in the side's own home board.
    #[must_use]
    pub fn home_points(&self) -> usize {
        self.points.iter().filter(|&&point| point <= 6).count()
    }

    /// Returns the number of checkers beyond the fourth on the points, summed.
    #[must_use]
    pub fn stacked(&self) -> u8 {
        let beyond = |(_, count): &(u8, u8)| count - (STACK - 1);
        self.stacks.iter().map(beyond).sum()
    }
}

impl Shots {
    /// Returns the rolls with which the player on roll hits.
    fn of(position: &Position) -> Shots {
        let target = position.opponent();
        let mut blots: Vec<(u8, Vec<Roll>)> = points_where(|point| count(target, point) == 1)
            .into_iter()
            .map(|point| (point, Vec::new()))
            .collect();
        let mut rolls = Vec::new();
        if blots.is_empty() || position.is_over() {
            return Shots::default();
        }
        let (generator, mut plays) = (PlayGenerator::new(position), Vec::new());
        for roll in Roll::ALL {
            generator.plays(roll, &mut plays);
            // A checker leaves its point in the other side's play only by a hit.
            let hit = |point: u8| plays.iter().any(|after| count(after.me(), point) == 0);
            let mut hits = false;
            for (point, its_rolls) in &mut blots {
                if hit(*point) {
                    its_rolls.push(roll);
                    hits = true;
                }
            }
            if hits {
                rolls.push(roll);
            }
        }
        blots.retain(|(_, rolls)| !rolls.is_empty());
        Shots { rolls, blots }
    }
}

/// The facts of a play, seen by the player who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayFacts {
    /// The board after it.
    pub after: BoardFacts,
    /// Number of checkers hit.
    pub hits: u8,
    /// Points made that were not before.
    pub made: Vec<u8>,
    /// Points that were made before and are no longer.
    pub broken: Vec<u8>,
    /// Number of checkers that leave the opponent's home board and the bar behind them.
    pub escaped: u8,
}

impl PlayFacts {
    /// Returns the facts of the play from one position to the other, which has the opponent on roll.
    #[must_use]
    pub fn of(before: &Position, after: &Position) -> PlayFacts {
        let after = after.swapped();
        let (me, now) = (before.me(), after.me());
        let is_made = |side: Side, point| count(side, point) >= 2;
        let back =
            |side: Side| side.count(BAR) + (BACK..=24).map(|point| count(side, point)).sum::<u8>();
        PlayFacts {
            hits: (after.opponent().count(BAR)).saturating_sub(before.opponent().count(BAR)),
            made: points_where(|point| is_made(now, point) && !is_made(me, point)),
            broken: points_where(|point| is_made(me, point) && !is_made(now, point)),
            escaped: back(me).saturating_sub(back(now)),
            after: BoardFacts::of(&after),
        }
    }
}

/// Returns the number of checkers on a point, 1 to 24.
fn count(side: Side, point: u8) -> u8 {
    side.count(usize::from(point) - 1)
}

fn points_where(holds: impl Fn(u8) -> bool) -> Vec<u8> {
    (1..=24).filter(|&point| holds(point)).collect()
}

/// Returns the number of rolls with which a checker enters a home board: all but those of two closed numbers.
fn entering(home: Side) -> u32 {
    let closed = (1..=6).filter(|&point| count(home, point) >= 2).count() as u32;
    36 - closed * closed
}

/// Returns the number of checkers of the other side behind a point.
fn behind(other: Side, point: u8) -> u8 {
    let beyond = |&index: &usize| index > 24 - usize::from(point);
    (0..=BAR)
        .filter(beyond)
        .map(|index| other.count(index))
        .sum()
}

/// Returns the longest block of at least two points, without its timing.
fn block(side: Side, other: Side) -> Option<Prime> {
    let mut best: Option<Prime> = None;
    let mut from = 1;
    for point in 1..=25 {
        if point <= 24 && count(side, point) >= 2 {
            continue;
        }
        if point >= from + 2 {
            let found = Prime {
                from,
                to: point - 1,
                behind: behind(other, from),
                spare_pips: 0,
            };
            let rank = |prime: &Prime| (prime.length(), prime.behind);
            if best.is_none_or(|best| rank(&found) > rank(&best)) {
                best = Some(found);
            }
        }
        from = point + 1;
    }
    best
}

fn prime(side: Side, other: Side) -> Option<Prime> {
    let prime = block(side, other)?;
    let stuck = block(other, side).filter(|block| block.length() >= PRIME);
    let can_move = |point: u8| stuck.is_none_or(|block| point <= 25 - block.from);
    let spare = |point: u8| {
        let kept = if (prime.from..=prime.to).contains(&point) {
            2
        } else {
            0
        };
        u32::from(side.count(usize::from(point) - 1) - kept) * u32::from(point - 1)
    };
    let spare_pips = (1..=25).filter(|&point| can_move(point)).map(spare).sum();
    Some(Prime {
        spare_pips,
        ..prime
    })
}
