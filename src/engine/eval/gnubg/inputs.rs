//! Inputs that come straight from the checkers: the 200 base inputs and the 214 of the race net.

use crate::nn::{Integers, SparseInput};
use gammond_game::{BAR, Position, Side};

/// Inputs of the contact, crashed and all pruning nets that describe where checkers stand.
pub(super) const BASE_INPUTS: usize = 200;
/// Inputs of the race net for one side.
const RACE_SIDE: usize = 107;
/// Inputs of the race net.
pub(super) const RACE_INPUTS: usize = 2 * RACE_SIDE;

/// Half of the checkers above three on a point.
const SURPLUS: [f32; 16] = [
    0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0,
];

/// Appends the 200 base inputs (GE-20, GE-34): four a place, first the opponent's places, then mine.
#[inline(always)]
pub(super) fn base<I: Integers>(position: &Position, out: &mut SparseInput) {
    out.clear();
    for (side, start) in [(position.opponent(), 0), (position.me(), BASE_INPUTS / 2)] {
        points::<I>(side, start, out);
        let on_bar = side.count(BAR);
        if on_bar > 0 {
            let row = start + 4 * BAR;
            out.push(row, 1.0);
            out.push(row + 1, f32::from(u8::from(on_bar >= 2)));
            out.push(row + 2, f32::from(u8::from(on_bar >= 3)));
            out.push(row + 3, SURPLUS[usize::from(on_bar)]);
        }
    }
}

/// Appends the inputs of the 24 points of one side, beginning at row `start`.
#[inline(always)]
fn points<I: Integers>(side: Side, start: usize, out: &mut SparseInput) {
    let packed = side.packed();
    out.push_counts::<I>(packed as u64, start);
    out.push_counts::<I>((packed >> 64) as u64 & 0xffff_ffff, start + 64);
}

/// Appends the 214 inputs of the race net (GE-33), first the opponent's half, then mine. Without contact no checker
/// is on a bar or on its 24 point.
#[inline(always)]
pub(super) fn race<I: Integers>(position: &Position, out: &mut SparseInput) {
    out.clear();
    for (side, start) in [(position.opponent(), 0), (position.me(), RACE_SIDE)] {
        points::<I>(side, start, out);
        let off = usize::from(side.off());
        if (1..=14).contains(&off) {
            out.push(start + 91 + off, 1.0);
        }
        out.push(start + 106, crossovers(side) as f32 / 10.0);
    }
}

/// Returns the number of quadrants that all checkers must still cross to be at home; the bar counts as a fifth
/// quadrant.
#[inline(always)]
pub(super) fn crossovers(side: Side) -> u32 {
    let packed = side.packed();
    let quadrant = |n: u32| checkers((packed >> (24 * n)) as u32 & 0xff_ffff);
    quadrant(1) + 2 * quadrant(2) + 3 * quadrant(3) + 4 * u32::from(side.count(BAR))
}

/// Returns the sum of six counts of four bits, at most 15 checkers in all.
#[inline(always)]
fn checkers(nibbles: u32) -> u32 {
    let pairs = (nibbles & 0x0f0f0f) + (nibbles >> 4 & 0x0f0f0f);
    (pairs + (pairs >> 8) + (pairs >> 16)) & 0xff
}

#[cfg(test)]
mod tests {
    use super::super::{Fill, Inputs, NetInputs, Version};
    use super::*;
    use crate::nn::CpuLevel;
    use gammond_game::POINTS;

    fn dense(inputs: Inputs, position: &Position, n: usize) -> Vec<f32> {
        let mut sparse = [SparseInput::default()];
        CpuLevel::detect().run(Fill {
            inputs,
            positions: &[*position],
            sparse: &mut sparse,
        });
        sparse[0].to_dense(n)
    }

    fn position(me: &[(usize, u8)], opponent: &[(usize, u8)]) -> Position {
        let counts = |places: &[(usize, u8)]| {
            let mut counts = [0; POINTS];
            for &(index, count) in places {
                counts[index] = count;
            }
            counts
        };
        Position::new(&counts(me), &counts(opponent)).unwrap()
    }

    #[test]
    fn net_inputs_are_zero_for_positions_of_other_nets() {
        let (contact, race) = (Position::start(), position(&[(0, 3)], &[(1, 2)]));
        let base = NetInputs::Base.values(&contact);
        assert_eq!(base, dense(Inputs::Base, &contact, BASE_INPUTS));
        for version in [Version::V1_00, Version::V1_01] {
            for inputs in [NetInputs::Contact(version), NetInputs::Crashed(version)] {
                let values = inputs.values(&contact);
                assert_eq!((values.len(), &values[..BASE_INPUTS]), (250, &base[..]));
                assert!(!inputs.suits(&race) && inputs.values(&race) == [0.0; 250]);
            }
        }
        let values = NetInputs::Race.values(&race);
        assert_eq!(values, dense(Inputs::Race, &race, 214));
        // Two checkers of the opponent on its second point.
        assert_eq!(values[5], 1.0);
        assert!(NetInputs::Race.values(&contact) == [0.0; 214]);
    }

    #[test]
    fn points_have_four_inputs() {
        let position = position(
            &[(0, 1), (1, 2), (2, 3), (3, 4), (24, 5)],
            &[(0, 8), (24, 2)],
        );
        let inputs = dense(Inputs::Base, &position, 200);
        assert_eq!(inputs[..4], [0.0, 0.0, 1.0, 2.5]);
        assert_eq!(inputs[96..100], [1.0, 1.0, 0.0, 0.0]);
        assert_eq!(inputs[100..104], [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(inputs[104..108], [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(inputs[108..112], [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(inputs[112..116], [0.0, 0.0, 1.0, 0.5]);
        assert_eq!(inputs[196..], [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(inputs.iter().filter(|x| **x != 0.0).count(), 13);
    }

    #[test]
    fn race_inputs_know_crossovers_and_checkers_off() {
        let position = position(&[(0, 1), (6, 2), (11, 2), (12, 4)], &[(3, 15)]);
        let inputs = dense(Inputs::Race, &position, 214);
        assert_eq!(inputs[12..16], [0.0, 0.0, 1.0, 6.0]);
        assert_eq!(inputs[92..107], [0.0; 15]);
        let mine = &inputs[107..];
        assert_eq!(mine[92 + 5], 1.0, "six borne off");
        assert_eq!(mine[106], 1.2);
        assert_eq!(inputs.iter().filter(|x| **x != 0.0).count(), 2 + 5 + 1 + 1);
    }

    #[test]
    fn crossovers_count_the_bar_as_four() {
        let position = position(&[(5, 1), (6, 1), (13, 1), (23, 2), (24, 1)], &[(1, 1)]);
        assert_eq!(crossovers(position.me()), 1 + 2 + 6 + 4);
    }
}
