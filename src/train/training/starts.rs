//! Positions that games of training begin with: the start, and odd ones that self-play seldom
//! reaches (back games, containment, prime against prime, ace-point games, contact after bearing
//! off has begun, crashed boards, many on the bar, races).

use super::positions::checksum;
use gammond_base::rng::{ChaCha8Rng, below, unit};
use gammond_game::{BAR, POINTS, Position};

/// Given positions that games begin with.
#[derive(Clone, Debug, Default)]
pub struct Starts {
    /// Sets of positions, none empty, each with its share of the games.
    sets: Vec<(f64, Vec<Position>)>,
}

impl Starts {
    /// Returns starts for all games.
    #[must_use]
    pub fn of_all_games(positions: Vec<Position>) -> Starts {
        Starts::default().with(1.0, positions)
    }

    /// Adds a set for a share of the games, 0 to 1; an empty one changes nothing.
    #[must_use]
    pub fn with(mut self, share: f64, positions: Vec<Position>) -> Starts {
        if !positions.is_empty() {
            self.sets.push((share, positions));
        }
        self
    }

    /// Returns true if no game begins with them.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns the shares, the number of positions and their checksums: equal if the same games begin with the same positions.
    #[must_use]
    pub fn checksum(&self) -> String {
        let set = |(share, positions): &(f64, Vec<Position>)| match *share < 1.0 {
            true => format!("{share} of the games: {}", checksum(positions)),
            false => checksum(positions),
        };
        self.sets.iter().map(set).collect::<Vec<_>>().join("; ")
    }

    /// Draws the first position of a game; `None` for a game that begins with none of them.
    pub(super) fn drawn(&self, rng: &mut ChaCha8Rng) -> Option<Position> {
        let is_whole = |(share, _): &(f64, _)| *share >= 1.0;
        // Starts of all games need no number for their share.
        let mut left = match self.sets.iter().all(is_whole) {
            true => 0.0,
            false => unit(rng),
        };
        for (share, positions) in &self.sets {
            if left < *share {
                return Some(positions[below(rng, positions.len() as u32) as usize]);
            }
            left -= share;
        }
        None
    }
}

/// One side's checkers while a position is being put together.
struct Layout {
    counts: [u8; POINTS],
    left: u8,
    /// Points that the other side holds, in this side's numbering.
    taken: u32,
}

/// The structures that odd starts are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Structure {
    Normal,
    BackGame,
    AcePoint,
    Prime,
    Crashed,
    BearingIn,
    Containing,
    Straggler,
    OnTheBar,
}

const PAIRS: [(Structure, Structure); 14] = [
    (Structure::BackGame, Structure::BearingIn),
    (Structure::BackGame, Structure::Normal),
    (Structure::BackGame, Structure::Prime),
    (Structure::AcePoint, Structure::BearingIn),
    (Structure::AcePoint, Structure::Containing),
    (Structure::Prime, Structure::Prime),
    (Structure::Prime, Structure::Normal),
    (Structure::Containing, Structure::Straggler),
    (Structure::Containing, Structure::OnTheBar),
    (Structure::Crashed, Structure::Normal),
    (Structure::Crashed, Structure::BearingIn),
    (Structure::Crashed, Structure::Prime),
    (Structure::Crashed, Structure::Straggler),
    (Structure::OnTheBar, Structure::Normal),
];

impl Layout {
    fn new(taken: u32) -> Layout {
        Layout {
            counts: [0; POINTS],
            left: 15,
            taken,
        }
    }

    fn put(&mut self, point: usize, count: u32) {
        if point < 24 && self.taken >> point & 1 == 1 {
            return;
        }
        let count = (count as u8).min(self.left);
        self.counts[point] += count;
        self.left -= count;
    }

    fn between(rng: &mut ChaCha8Rng, low: usize, high: usize) -> usize {
        low + below(rng, (high - low + 1) as u32) as usize
    }

    /// Places `count` checkers one by one on points `low..=high`.
    fn scatter(&mut self, rng: &mut ChaCha8Rng, count: u32, low: usize, high: usize) {
        for _ in 0..count {
            self.put(Layout::between(rng, low, high), 1);
        }
    }

    /// Makes `count` points of 2 or 3 checkers within `low..=high`.
    fn make(&mut self, rng: &mut ChaCha8Rng, count: u32, low: usize, high: usize) {
        for _ in 0..count {
            let checkers = 2 + u32::from(below(rng, 4) == 0);
            self.put(Layout::between(rng, low, high), checkers);
        }
    }

    #[expect(clippy::too_many_lines, reason = "a table of plans")]
    fn fill(&mut self, rng: &mut ChaCha8Rng, plan: Structure) {
        match plan {
            Structure::Normal => {
                let back = below(rng, 4);
                self.scatter(rng, back, 18, 24);
                let made = 3 + below(rng, 3);
                self.make(rng, made, 2, 12);
            }
            Structure::BackGame => {
                self.make(rng, 2, 18, 23);
                let more = below(rng, 3);
                self.scatter(rng, more, 18, 24);
                let made = 2 + below(rng, 3);
                self.make(rng, made, 0, 8);
            }
            Structure::AcePoint => {
                let anchor = 2 + below(rng, 2);
                self.put(23 - usize::from(below(rng, 4) == 0), anchor);
                let bar = u32::from(below(rng, 4) == 0);
                self.put(BAR, bar);
                let made = 2 + below(rng, 4);
                self.make(rng, made, 0, 6);
            }
            Structure::Prime => {
                let (first, length) = (Layout::between(rng, 1, 9), 4 + below(rng, 3) as usize);
                for point in first..first + length {
                    self.put(point, 2);
                }
                let back = below(rng, 4);
                self.scatter(rng, back, 17, 24);
            }
            Structure::Crashed => {
                let deep = 6 + below(rng, 6);
                self.scatter(rng, deep, 0, 2);
                let back = below(rng, 4);
                self.scatter(rng, back, 18, 24);
            }
            Structure::BearingIn => {
                self.left -= if below(rng, 2) == 0 {
                    below(rng, 10) as u8
                } else {
                    0
                };
                let made = 4 + below(rng, 3);
                self.make(rng, made, 0, 5);
                let late = below(rng, 3);
                self.scatter(rng, late, 5, 10);
            }
            Structure::Containing => {
                let hole = below(rng, 9) as usize;
                for point in 0..6 {
                    if point != hole {
                        self.put(point, 2);
                    }
                }
            }
            Structure::Straggler => {
                let back = 1 + below(rng, 3);
                self.scatter(rng, back, 12, 24);
                let gone = 2 + below(rng, 11) as u8;
                self.left -= gone.min(self.left);
                let left = u32::from(self.left);
                self.scatter(rng, left, 0, 5);
            }
            Structure::OnTheBar => {
                let bar = 1 + below(rng, 3);
                self.put(BAR, bar);
                let made = 2 + below(rng, 3);
                self.make(rng, made, 2, 12);
            }
        }
        let reach = if below(rng, 3) == 0 { 17 } else { 11 };
        for _ in 0..60 {
            if self.left == 0 {
                break;
            }
            self.scatter(rng, 1, 0, reach);
        }
    }

    fn occupied(&self) -> u32 {
        (0..24)
            .filter(|&i| self.counts[i] > 0)
            .map(|i| 1 << i)
            .sum()
    }
}

/// Returns an odd contact position; which one depends on `rng` alone.
#[must_use]
pub fn odd(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let (mut one, mut two) = PAIRS[below(rng, PAIRS.len() as u32) as usize];
        if below(rng, 2) == 0 {
            std::mem::swap(&mut one, &mut two);
        }
        let mut first = Layout::new(0);
        first.fill(rng, one);
        let mut second = Layout::new(first.occupied().reverse_bits() >> 8);
        second.fill(rng, two);
        let (me, opponent) = if below(rng, 2) == 0 {
            (first.counts, second.counts)
        } else {
            (second.counts, first.counts)
        };
        if let Ok(position) = Position::new(&me, &opponent)
            && position.has_contact()
            && !position.is_over()
        {
            return position;
        }
    }
}

/// Returns a position without contact, not both sides home.
#[must_use]
pub fn race(rng: &mut ChaCha8Rng) -> Position {
    loop {
        let mut side = || {
            let mut layout = Layout::new(0);
            if below(rng, 3) == 0 {
                layout.left -= below(rng, 12) as u8;
            }
            let (home, reach) = (below(rng, 12), Layout::between(rng, 6, 23));
            layout.scatter(rng, home, 0, 5);
            let left = u32::from(layout.left);
            layout.scatter(rng, left, 0, reach);
            layout.counts
        };
        let (me, opponent) = (side(), side());
        if let Ok(position) = Position::new(&me, &opponent)
            && !position.has_contact()
            && !position.is_over()
            && (position.me().rearmost() > Some(5) || position.opponent().rearmost() > Some(5))
        {
            return position;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::rng::stream;

    /// Each set has its share of the games, and starts of all games take the numbers that a single draw takes.
    #[test]
    fn starts_have_their_shares() {
        let positions = |seed| {
            let mut rng = stream(seed, 0);
            (0..3).map(|_| odd(&mut rng)).collect::<Vec<_>>()
        };
        let (one, two) = (positions(1), positions(2));
        let starts = Starts::default()
            .with(0.2, one.clone())
            .with(0.5, two.clone());
        let mut counts = [0; 3];
        let mut rng = stream(3, 0);
        for _ in 0..10_000 {
            counts[match starts.drawn(&mut rng) {
                Some(position) if one.contains(&position) => 0,
                Some(position) if two.contains(&position) => 1,
                Some(position) => panic!("{position:?}"),
                None => 2,
            }] += 1;
        }
        for (count, share) in counts.into_iter().zip([0.2, 0.5, 0.3]) {
            assert!((f64::from(count) / 1e4 - share).abs() < 0.03, "{counts:?}");
        }
        let (mut a, mut b) = (stream(4, 0), stream(4, 0));
        let all = Starts::of_all_games(one.clone()).drawn(&mut a);
        assert_eq!(all, Some(one[below(&mut b, 3) as usize]));
        assert_eq!(unit(&mut a), unit(&mut b));
        assert_eq!(Starts::default().drawn(&mut a), None);
        assert!(Starts::of_all_games(Vec::new()).is_empty());
    }
}
