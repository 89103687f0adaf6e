//! Boards as numbers, in the ways of the literature: pure functions of the two sides and who is on roll.

use gammond_game::{BAR, OFF, Side};

/// A way to write a board as inputs of a net.
///
/// White's checkers come first or are positive. Points are numbered as white numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Representation {
    /// 26 whole numbers: the points and the two bars, black's checkers negative.
    Quack,
    /// Quack, and the checkers that each has borne off.
    QuackAug,
    /// QuackAug divided by 15.
    QuackNorm,
    /// Four truncated unary numbers a point and side, white's points before black's; bars, off and turn as in TD-Gammon.
    TdgBoard,
    /// The points of TDG-Board alone.
    TdgBoardPoints,
    /// TDG-Board truncated at ten instead of three.
    TdgBoardAug,
    /// The points of TDG-BoardAug alone.
    TdgBoardAugPoints,
    /// TD-Gammon's inputs (Tesauro 1992) without the turn: the two sides of a point stand together.
    TdGammon196,
    /// TD-Gammon's inputs.
    TdGammon198,
    /// TD-Gammon's inputs with 14 inputs a side for checkers borne off instead of one: the i-th is 1 from i on.
    Player31,
    /// TD-Gammon's inputs with contact inputs after Berliner and the players of Higgins: prime, checkers behind it, shots.
    TdGammonContact,
}

/// Unary numbers of TDG-Board, and of its augmented form.
const FEW: usize = 3;
const MANY: usize = 10;
/// Checkers off that have an input of their own in [`Representation::Player31`].
const OFF_STEPS: usize = 14;

impl Representation {
    /// All of them.
    pub const ALL: [Representation; 11] = [
        Representation::Quack,
        Representation::QuackAug,
        Representation::QuackNorm,
        Representation::TdgBoard,
        Representation::TdgBoardPoints,
        Representation::TdgBoardAug,
        Representation::TdgBoardAugPoints,
        Representation::TdGammon196,
        Representation::TdGammon198,
        Representation::Player31,
        Representation::TdGammonContact,
    ];

    /// Returns its name in files and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Representation::Quack => "quack",
            Representation::QuackAug => "quack-aug",
            Representation::QuackNorm => "quack-norm",
            Representation::TdgBoard => "tdg-board",
            Representation::TdgBoardPoints => "tdg-board-points",
            Representation::TdgBoardAug => "tdg-board-aug",
            Representation::TdgBoardAugPoints => "tdg-board-aug-points",
            Representation::TdGammon196 => "td-gammon-196",
            Representation::TdGammon198 => "td-gammon",
            Representation::Player31 => "player-3.1",
            Representation::TdGammonContact => "td-gammon-contact",
        }
    }

    /// Returns the one with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Representation> {
        let mut all = Representation::ALL.into_iter();
        all.find(|representation| representation.name() == name)
    }

    /// Returns the number of inputs.
    #[must_use]
    pub const fn inputs(self) -> usize {
        match self {
            Representation::Quack => 26,
            Representation::QuackAug | Representation::QuackNorm => 28,
            Representation::TdgBoard | Representation::TdGammon198 => 198,
            Representation::TdgBoardPoints => 192,
            Representation::TdgBoardAug => 534,
            Representation::TdgBoardAugPoints => 528,
            Representation::TdGammon196 => 196,
            Representation::Player31 => 224,
            Representation::TdGammonContact => 204,
        }
    }

    /// Returns the layout of the inputs for checkers on points: the first input of white and of black, the number of
    /// inputs per point, and the distance between two points. Points are numbered as white numbers them. If one input
    /// holds both sides, the first inputs are equal.
    #[must_use]
    pub const fn points(self) -> ([usize; 2], usize, usize) {
        match self {
            Representation::Quack | Representation::QuackAug | Representation::QuackNorm => {
                ([0, 0], 1, 1)
            }
            Representation::TdgBoard | Representation::TdgBoardPoints => {
                ([0, 24 * (FEW + 1)], FEW + 1, FEW + 1)
            }
            Representation::TdgBoardAug | Representation::TdgBoardAugPoints => {
                ([0, 24 * (MANY + 1)], MANY + 1, MANY + 1)
            }
            Representation::TdGammon196
            | Representation::TdGammon198
            | Representation::Player31
            | Representation::TdGammonContact => ([0, FEW + 1], FEW + 1, 2 * (FEW + 1)),
        }
    }

    /// Returns the names of the inputs that are not for checkers on points, in their order.
    #[must_use]
    pub const fn rest(self) -> &'static str {
        match self {
            Representation::Quack => "bars",
            Representation::QuackAug | Representation::QuackNorm | Representation::TdGammon196 => {
                "bars, off"
            }
            Representation::TdgBoardPoints | Representation::TdgBoardAugPoints => "nothing",
            Representation::TdgBoard
            | Representation::TdgBoardAug
            | Representation::TdGammon198 => "bars, off, turn",
            Representation::Player31 => "bars, 14 of checkers off for each side, turn",
            Representation::TdGammonContact => {
                "bars, off, turn, then prime, checkers behind it and shots of each side"
            }
        }
    }

    /// Writes a board into `inputs`, which has [`Representation::inputs`] places; the rest of `inputs` does not
    /// change.
    pub fn write(self, [white, black]: [Side; 2], white_on_roll: bool, inputs: &mut [f32]) {
        let mut out = Writer { inputs, at: 0 };
        match self {
            Representation::Quack => quack(&mut out, [white, black], 1.0, false),
            Representation::QuackAug => quack(&mut out, [white, black], 1.0, true),
            Representation::QuackNorm => quack(&mut out, [white, black], 1.0 / 15.0, true),
            Representation::TdgBoard => {
                side_by_side::<FEW>(&mut out, [white, black]);
                bars_and_off(&mut out, [white, black]);
                turn(&mut out, white_on_roll);
            }
            Representation::TdgBoardPoints => side_by_side::<FEW>(&mut out, [white, black]),
            Representation::TdgBoardAug => {
                side_by_side::<MANY>(&mut out, [white, black]);
                bars_and_off(&mut out, [white, black]);
                turn(&mut out, white_on_roll);
            }
            Representation::TdgBoardAugPoints => side_by_side::<MANY>(&mut out, [white, black]),
            Representation::TdGammon196 => {
                point_by_point(&mut out, [white, black]);
                bars_and_off(&mut out, [white, black]);
            }
            Representation::TdGammon198 => {
                point_by_point(&mut out, [white, black]);
                bars_and_off(&mut out, [white, black]);
                turn(&mut out, white_on_roll);
            }
            Representation::TdGammonContact => {
                point_by_point(&mut out, [white, black]);
                bars_and_off(&mut out, [white, black]);
                turn(&mut out, white_on_roll);
                contact(&mut out, [white, black]);
                contact(&mut out, [black, white]);
            }
            Representation::Player31 => {
                point_by_point(&mut out, [white, black]);
                bars(&mut out, [white, black]);
                for side in [white, black] {
                    for step in 1..=OFF_STEPS {
                        out.put(f32::from(u8::from(usize::from(side.off()) >= step)));
                    }
                }
                turn(&mut out, white_on_roll);
            }
        }
    }
}

/// Puts one input after the other.
struct Writer<'a> {
    inputs: &'a mut [f32],
    at: usize,
}

impl Writer<'_> {
    fn put(&mut self, value: f32) {
        if let Some(place) = self.inputs.get_mut(self.at) {
            *place = value;
        }
        self.at += 1;
    }

    /// Writes `count` as `STEPS` unary digits and half of the rest.
    fn unary<const STEPS: usize>(&mut self, count: u8) {
        let count = usize::from(count);
        for step in 1..=STEPS {
            self.put(f32::from(u8::from(count >= step)));
        }
        self.put(count.saturating_sub(STEPS) as f32 / 2.0);
    }
}

fn quack(out: &mut Writer<'_>, [white, black]: [Side; 2], unit: f32, off: bool) {
    for index in 0..24 {
        out.put((f32::from(white.count(index)) - f32::from(black.count(23 - index))) * unit);
    }
    out.put(f32::from(white.count(BAR)) * unit);
    out.put(-f32::from(black.count(BAR)) * unit);
    if off {
        out.put(f32::from(white.count(OFF)) * unit);
        out.put(-f32::from(black.count(OFF)) * unit);
    }
}

fn side_by_side<const STEPS: usize>(out: &mut Writer<'_>, [white, black]: [Side; 2]) {
    (0..24).for_each(|index| out.unary::<STEPS>(white.count(index)));
    (0..24).for_each(|index| out.unary::<STEPS>(black.count(23 - index)));
}

fn point_by_point(out: &mut Writer<'_>, [white, black]: [Side; 2]) {
    for index in 0..24 {
        out.unary::<FEW>(white.count(index));
        out.unary::<FEW>(black.count(23 - index));
    }
}

fn bars(out: &mut Writer<'_>, sides: [Side; 2]) {
    for side in sides {
        out.put(f32::from(side.count(BAR)) / 2.0);
    }
}

fn bars_and_off(out: &mut Writer<'_>, sides: [Side; 2]) {
    bars(out, sides);
    for side in sides {
        out.put(f32::from(side.off()) / 15.0);
    }
}

/// Writes three inputs of contact of the first side: the length of its longest prime, the share of the opponent's
/// checkers behind it, and the share of rolls with which the opponent hits one of its blots.
fn contact(out: &mut Writer<'_>, [own, other]: [Side; 2]) {
    let (length, lowest) = prime(own);
    // A checker of the opponent's on its own point `n` stands on this side's point `25 - n`; behind the prime is below.
    let behind = (0..25).filter(|&index| index + lowest > 23);
    let trapped: u8 = behind.map(|index| other.count(index)).sum();
    let trapped = if length < 2 { 0 } else { trapped };
    out.put(length as f32 / 6.0);
    out.put(f32::from(trapped) / 15.0);
    out.put(f32::from(shots(own, other)) / 36.0);
}

/// Returns the length of the longest row of points with two checkers or more, at most 6, and the index of its first.
fn prime(side: Side) -> (usize, usize) {
    let (mut best, mut length) = ((0, 0), 0);
    for index in 0..24 {
        length = if side.count(index) > 1 { length + 1 } else { 0 };
        if length > best.0 {
            best = (length, index + 1 - length);
        }
    }
    (best.0.min(6), best.1)
}

/// Returns the number of the 36 rolls that bring a checker of `other` to a blot of `own`: by one die, or by several
/// whose stops are not made points. Checkers on the bar do not hold up the others here.
fn shots(own: Side, other: Side) -> u8 {
    let is_open = |index: usize| own.count(23 - index) < 2;
    let is_blot = |index: usize| own.count(23 - index) == 1;
    // Steps in turn, each to an open point of the opponent's numbering; true if one of them is a blot.
    let hits = |from: usize, steps: &[usize]| {
        let mut at = from;
        steps.iter().any(|&step| {
            let open = at != usize::MAX && at >= step && is_open(at - step);
            at = if open { at - step } else { usize::MAX };
            open && is_blot(at)
        })
    };
    let mut rolls = 0;
    for a in 1..=6 {
        for b in 1..=a {
            let from = (0..25).filter(|&index| other.count(index) > 0);
            let mut ways = from.map(|index| {
                if a == b {
                    hits(index, &[a; 4])
                } else {
                    hits(index, &[a, b]) || hits(index, &[b, a])
                }
            });
            if ways.any(|hit| hit) {
                rolls += if a == b { 1 } else { 2 };
            }
        }
    }
    rolls
}

fn turn(out: &mut Writer<'_>, white_on_roll: bool) {
    for on in [white_on_roll, !white_on_roll] {
        out.put(f32::from(u8::from(on)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(counts: &[(usize, u8)]) -> Side {
        let mut all = [0; 25];
        counts.iter().for_each(|&(index, count)| all[index] = count);
        Side::from_counts(&all).unwrap()
    }

    /// The inputs, and a check that exactly the promised number of them is written.
    fn written(representation: Representation, sides: [Side; 2], white: bool) -> Vec<f32> {
        let mut inputs = vec![f32::NAN; representation.inputs() + 3];
        representation.write(sides, white, &mut inputs);
        let (own, beyond) = inputs.split_at(representation.inputs());
        assert!(own.iter().all(|x| x.is_finite()), "{representation:?}");
        assert!(beyond.iter().all(|x| x.is_nan()), "{representation:?}");
        own.to_vec()
    }

    const START: [Side; 2] = [Side::START, Side::START];

    /// A checker of white's on its 6 point, and one of black's where white counts 3, change the inputs of those points.
    #[test]
    fn points_are_where_they_are_said_to_be() {
        let none = side(&[]);
        let empty = |representation| written(representation, [none, none], true);
        for representation in Representation::ALL {
            let ([white, black], steps, stride) = representation.points();
            let changed = |sides| {
                let after = written(representation, sides, true);
                let before = empty(representation);
                let differ = (0..before.len()).filter(|&at| before[at] != after[at]);
                differ.collect::<Vec<_>>()
            };
            let six = changed([side(&[(5, 1)]), none]);
            assert!(six.contains(&(white + 5 * stride)), "{representation:?}");
            let three = changed([none, side(&[(21, 1)])]);
            assert!(three.contains(&(black + 2 * stride)), "{representation:?}");
            assert!(white.max(black) + 23 * stride + steps <= representation.inputs());
        }
    }

    #[test]
    fn lengths_are_the_published_ones() {
        let lengths = Representation::ALL.map(|one| written(one, START, true).len());
        assert_eq!(
            lengths,
            [26, 28, 28, 198, 192, 534, 528, 196, 198, 224, 204]
        );
        assert_eq!((24 * 4 * 2, 24 * 11 * 2), (192, 528));
        for one in Representation::ALL {
            assert_eq!(Representation::named(one.name()), Some(one));
        }
    }

    #[test]
    fn quack_counts_with_signs() {
        let x = written(Representation::Quack, START, true);
        assert_eq!(x.iter().sum::<f32>(), 0.0);
        assert_eq!((x[5], x[7], x[12], x[23]), (5.0, 3.0, 5.0, 2.0));
        assert_eq!((x[18], x[16], x[11], x[0]), (-5.0, -3.0, -5.0, -2.0));
        let sides = [side(&[(BAR, 2), (0, 4)]), side(&[(BAR, 1), (3, 2)])];
        let x = written(Representation::QuackAug, sides, true);
        assert_eq!(x[24..], [2.0, -1.0, 9.0, -12.0]);
        assert_eq!((x[0], x[20]), (4.0, -2.0));
        let all_off = [Side::ALL_OFF, side(&[(0, 15)])];
        let x = written(Representation::QuackNorm, all_off, true);
        assert!(x.iter().all(|x| (-1.0..=1.0).contains(x)), "{x:?}");
        assert_eq!((x[23], x[26]), (-1.0, 1.0));
    }

    #[test]
    fn truncated_unary_numbers() {
        for (count, wanted) in [
            (0, [0.0, 0.0, 0.0, 0.0]),
            (1, [1.0, 0.0, 0.0, 0.0]),
            (2, [1.0, 1.0, 0.0, 0.0]),
            (3, [1.0, 1.0, 1.0, 0.0]),
            (4, [1.0, 1.0, 1.0, 0.5]),
            (5, [1.0, 1.0, 1.0, 1.0]),
            (15, [1.0, 1.0, 1.0, 6.0]),
        ] {
            let sides = [side(&[(6, count)]), side(&[(0, 1)])];
            let x = written(Representation::TdgBoard, sides, false);
            assert_eq!(x[24..28], wanted, "{count}");
            // Black's ace point is white's 24 point.
            assert_eq!(x[96 + 92..192], [1.0, 0.0, 0.0, 0.0]);
            assert_eq!(x[196..], [0.0, 1.0]);
            // The same numbers in the order of the other representation.
            let y = written(Representation::TdGammon196, sides, false);
            assert_eq!(y[48..52], wanted);
            assert_eq!(y[188..192], [1.0, 0.0, 0.0, 0.0]);
            assert_eq!(y[192..], x[192..196]);
        }
        let x = written(
            Representation::TdgBoardAug,
            [side(&[(2, 13)]), side(&[(0, 2)])],
            true,
        );
        assert_eq!(
            x[22..33],
            [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.5]
        );
        assert_eq!(x[528..], [0.0, 0.0, 2.0 / 15.0, 13.0 / 15.0, 1.0, 0.0]);
    }

    #[test]
    fn contact_inputs_count_primes_and_shots() {
        let at = |sides| written(Representation::TdGammonContact, sides, true)[198..].to_vec();
        // No blot, no prime of two at the start.
        assert_eq!(at(START), [1.0 / 6.0, 0.0, 0.0, 1.0 / 6.0, 0.0, 0.0]);
        // Five points from the 4 point on; two checkers of the opponent's behind them, on this side's 2 point; a blot
        // on the 12 point, ten away: 6-4 and 5-5 stop on made points.
        let own = side(&[(3, 2), (4, 2), (5, 2), (6, 2), (7, 2), (11, 1)]);
        let other = side(&[(22, 2), (0, 13)]);
        let inputs = at([own, other]);
        assert_eq!(inputs[..2], [5.0 / 6.0, 2.0 / 15.0]);
        assert_eq!(shots(own, other), 0);
        // Without the prime: 6-4 and 5-5 hit.
        let alone = side(&[(11, 1)]);
        assert_eq!((shots(alone, other), inputs[5]), (3, 0.0));
        // A direct shot of one: eleven rolls.
        assert_eq!(shots(side(&[(2, 1)]), other), 11);
        assert_eq!(shots(Side::ALL_OFF, other), 0);
    }

    #[test]
    fn every_checker_off_has_its_input() {
        for off in [0, 1, 7, 14, 15] {
            let white = side(&[(0, 15 - off)]);
            let black = side(&[(BAR, 3), (0, 12)]);
            let x = written(Representation::Player31, [white, black], true);
            assert_eq!(x[192..194], [0.0, 1.5]);
            let ones = x[194..208].iter().take_while(|&&x| x == 1.0).count();
            assert_eq!(ones, usize::from(off.min(14)), "{off}");
            assert_eq!(x[194..222].iter().sum::<f32>(), f32::from(off.min(14)));
            assert_eq!(x[222..], [1.0, 0.0]);
        }
    }
}
