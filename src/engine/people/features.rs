//! Features of a choice: what people see of it, and what it loses.
//!
//! Points are numbered from the player's side, 0 for the ace point to 23, 24 for the bar.

use crate::query::RankedPlay;
use gammond_game::{Chances, CubeOwner, MatchState, Position, Roll};
use std::ops::Range;

/// Inputs of the net for plays.
pub const PLAY_INPUTS: usize = 50;
/// Inputs of the nets for the cube.
pub const CUBE_INPUTS: usize = 22;

/// A play that a person may choose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayOption {
    /// The position after it, the opponent on roll.
    pub after: Position,
    /// The equity that it loses beside the best play (EMG or points a cube; 0 for the best one).
    pub loss: f32,
    /// Chances of the player who moves, after the play.
    pub chances: Chances,
}

impl PlayOption {
    /// Creates an option of a ranked play beside the best one of the ranking.
    #[must_use]
    pub fn new(play: &RankedPlay, best: &RankedPlay) -> PlayOption {
        PlayOption {
            after: play.position,
            loss: play.loss(best) as f32,
            chances: play.chances,
        }
    }
}

/// One side's checkers and what can be hit.
struct Sight {
    mine: [i32; 25],
    theirs: [i32; 25],
}

impl Sight {
    fn of(me: [u8; 25], opponent: [u8; 25]) -> Sight {
        Sight {
            mine: me.map(i32::from),
            theirs: opponent.map(i32::from),
        }
    }

    /// Returns the opponent's checkers on a point of mine.
    fn theirs_at(&self, point: usize) -> i32 {
        self.theirs[23 - point]
    }

    fn blots(&self, points: Range<usize>) -> i32 {
        points.map(|point| i32::from(self.mine[point] == 1)).sum()
    }

    fn checkers(&self, points: Range<usize>) -> i32 {
        self.mine[points].iter().sum()
    }

    /// Returns the throws out of 36 that reach a blot of mine, with no regard to points in between, and the largest number
    /// of pips that a hit costs.
    fn shots(&self) -> (f32, f32) {
        let (mut distances, mut pips) = (0u32, 0);
        for point in (0..24).filter(|&point| self.mine[point] == 1) {
            // The opponent moves up by my numbers; his bar is below my ace point.
            let from = (0..point).filter(|&from| self.theirs_at(from) > 0);
            let bar = (self.theirs[24] > 0).then_some(point + 1);
            for distance in from.map(|from| point - from).chain(bar) {
                distances |= 1 << distance;
                if distance <= 6 {
                    pips = pips.max(24 - point);
                }
            }
        }
        let reached = |distance: u8| distances >> distance & 1 == 1;
        let throws = Roll::ALL.iter().filter_map(|roll| {
            let [high, low] = [roll.high(), roll.low()];
            match high == low {
                true => (1..=4).any(|times| reached(times * high)).then_some(1u8),
                false => (reached(high) || reached(low) || reached(high + low)).then_some(2),
            }
        });
        (throws.map(f32::from).sum(), pips as f32)
    }

    /// Returns the number of made points in a row, at most 6, that hold a checker of the opponent.
    fn prime(&self) -> i32 {
        let (mut longest, mut row) = (0, 0);
        for point in 0..24 {
            row = if self.mine[point] >= 2 { row + 1 } else { 0 };
            let before = (0..point).any(|behind| self.theirs_at(behind) > 0) || self.theirs[24] > 0;
            longest = longest.max(if before { row } else { 0 });
        }
        longest.min(6)
    }

    fn tallest(&self) -> i32 {
        self.mine[..24].iter().copied().max().unwrap_or(0)
    }
}

/// Returns a loss in three forms: beside the error rate `pr` of the player, whose logarithm is `level`, and by itself.
fn forms_of_loss(loss: f32, level: f32) -> [f32; 3] {
    let usual = level.exp() / 500.0;
    [
        (loss / usual).min(40.0) / 8.0,
        (loss / usual).min(400.0).ln_1p(),
        loss.min(0.5) * 10.0,
    ]
}

/// Number of [`seen`] inputs.
const SEEN: usize = 35;

/// Returns what people see of a play: hits and blots, throws that hit, points, stacks, the prime, where checkers came
/// from.
fn seen(start: &Sight, end: &Sight) -> [f32; SEEN] {
    let difference = |of: fn(&Sight) -> i32| (of(end) - of(start)) as f32;
    let count = |points: Range<usize>, is: &dyn Fn(usize) -> bool| {
        points.filter(|&point| is(point)).count() as f32
    };
    let made = |points| {
        count(points, &|point| {
            start.mine[point] < 2 && end.mine[point] >= 2
        })
    };
    let broken = |points| {
        count(points, &|point| {
            start.mine[point] >= 2 && end.mine[point] < 2
        })
    };
    let slotted = |points| {
        count(points, &|point| {
            start.mine[point] == 0 && end.mine[point] == 1
        })
    };
    let is_hit = |point| start.theirs_at(point) == 1 && end.theirs_at(point) == 0;
    let (shots, pips) = end.shots();
    let more_shots = shots - start.shots().0;
    let from = |point: usize| (start.mine[point] - end.mine[point]).max(0) as f32;
    let left = || (0..25).filter(|&point| end.mine[point] < start.mine[point]);
    let place = |point: Option<usize>| point.map_or(0.0, |point| point as f32 / 12.0);
    [
        count(0..24, &is_hit),
        count(0..6, &is_hit),
        count(0..6, &|point| is_hit(point) && end.mine[point] == 1),
        end.blots(0..24) as f32 / 2.0,
        difference(|side| side.blots(0..24)) / 2.0,
        end.blots(0..6) as f32 / 2.0,
        end.blots(18..24) as f32,
        shots / 12.0,
        more_shots / 12.0,
        pips / 12.0,
        slotted(3..7),
        slotted(7..12),
        slotted(12..18),
        made(0..6),
        made(6..12),
        made(12..18),
        made(18..24),
        broken(0..6),
        broken(6..12),
        broken(12..18),
        broken(18..24),
        difference(Sight::tallest) / 2.0,
        end.tallest() as f32 / 5.0,
        difference(|side| side.checkers(0..2)),
        difference(|side| side.checkers(0..6)) / 2.0,
        difference(Sight::prime),
        end.prime() as f32 / 3.0,
        (-difference(|side| side.checkers(18..25))).max(0.0),
        difference(|side| 15 - side.checkers(0..25)),
        left().count() as f32 - 1.0,
        place(left().next_back()),
        place(left().next()),
        from(12),
        from(7),
        from(5),
    ]
}

/// Returns the inputs of every play of a roll, best first, for a player whose error rate has the logarithm `level`: what it
/// loses, what people see of it, and the situation.
#[must_use]
pub fn play_inputs(
    before: &Position,
    roll: Roll,
    plays: &[PlayOption],
    level: f32,
) -> Vec<[f32; PLAY_INPUTS]> {
    let start = Sight::of(before.me().counts(), before.opponent().counts());
    let best = (plays.first()).map_or(Chances::default(), |play| play.chances);
    let switch = |is: bool| f32::from(u8::from(is));
    let their_home = before.opponent().made() & 0b11_1111;
    let one = |(rank, play): (usize, &PlayOption)| {
        let end = Sight::of(play.after.opponent().counts(), play.after.me().counts());
        let [a, b, c] = forms_of_loss(play.loss, level);
        let mut input = [0.0; PLAY_INPUTS];
        input[..5].copy_from_slice(&[a, b, c, switch(rank == 0), (rank as f32).ln_1p()]);
        input[5..5 + SEEN].copy_from_slice(&seen(&start, &end));
        input[5 + SEEN..].copy_from_slice(&[
            10.0 * (play.chances.win - best.win),
            10.0 * (play.chances.win_gammon - best.win_gammon),
            10.0 * (play.chances.lose_gammon - best.lose_gammon),
            2.0 * best.win - 1.0,
            switch(before.has_contact()),
            switch(roll.is_double()),
            (plays.len() as f32).ln() / 3.0,
            start.checkers(18..25) as f32 / 3.0,
            their_home.count_ones() as f32 / 3.0,
            level,
        ]);
        input
    };
    plays.iter().enumerate().map(one).collect()
}

/// A cube decision as a person sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubeOption {
    /// The equity gained by acting (doubling, taking) instead of not, for the player who decides; EMG or points a cube.
    pub gain: f32,
    /// The equity with which the taker is better off than after a pass.
    pub take: f32,
    /// Chances of the player who doubles.
    pub chances: Chances,
    /// Points away of the player who decides and of the other; `None` for money.
    pub away: Option<[u32; 2]>,
    /// True for a redouble.
    pub redouble: bool,
    /// The cube before the double.
    pub cube: u32,
    /// True if the sides still have contact.
    pub contact: bool,
}

impl CubeOption {
    /// Creates the option of doubling in a position, or of taking (`is_take`); `gain` is the equity gained by that, `take`
    /// the one gained by taking, both for the player who decides; the chances are those of the player on roll.
    #[must_use]
    pub fn new(
        position: &Position,
        state: &MatchState,
        [gain, take]: [f32; 2],
        chances: Chances,
        is_take: bool,
    ) -> CubeOption {
        let score = &state.score;
        let mut away = [score.my_away(), score.opponent_away()];
        if is_take {
            away.reverse();
        }
        CubeOption {
            gain,
            take,
            chances,
            away: (!score.is_money()).then_some(away),
            redouble: state.cube.owner() != CubeOwner::Centred,
            cube: state.cube.value(),
            contact: position.has_contact(),
        }
    }
}

/// Returns the inputs of acting on the cube; not to act has the score 0.
#[must_use]
pub fn cube_inputs(option: &CubeOption, level: f32) -> [f32; CUBE_INPUTS] {
    let chances = &option.chances;
    let [a, b, c] = forms_of_loss(option.gain.abs(), level);
    let sign = option.gain.signum();
    let [mine, theirs] = option
        .away
        .unwrap_or([0, 0])
        .map(|away| 1.0 / (away as f32).max(1.0));
    let is_match = f32::from(u8::from(option.away.is_some()));
    [
        sign * a,
        sign * b,
        sign * c,
        (option.gain * 4.0).clamp(-3.0, 3.0),
        (option.take * 3.0).clamp(-3.0, 3.0),
        (option.take * 20.0).clamp(-3.0, 3.0),
        4.0 * chances.win - 3.0,
        (4.0 * chances.win - 3.0).powi(2),
        4.0 * chances.win_gammon,
        4.0 * chances.lose_gammon,
        16.0 * (chances.win - 0.75) * chances.win_gammon,
        f32::from(u8::from(option.contact)),
        f32::from(u8::from(option.redouble)),
        (option.cube as f32).log2() / 2.0,
        is_match,
        mine * is_match,
        theirs * is_match,
        (mine - theirs) * is_match,
        1.0,
        level,
        level * sign * b.min(4.0),
        f32::from(u8::from(sign < 0.0)),
    ]
}
