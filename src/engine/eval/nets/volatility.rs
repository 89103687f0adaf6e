//! The volatility net: how far the next roll moves the winning chance (NF-33 of `protocol-specs/net-file.md`).
//!
//! A small net, as the one that ranks ([`super::pruning`]): its first output is the standard deviation of the winning
//! chance over the rolls, the best play of each made. A cube is worth the less to the player who may turn it, the
//! further the chance jumps past the point where it should have been turned: the file has the amount (NF-34).

use super::class_net::NetError;
use super::small::{Answer, SmallNet, is_of_class, words};
use crate::nn::{CpuLevel, Integers, Kernel};
use gammond_game::{Chances, Position};

/// Number of terms of the polynomial for cube life.
pub const LIFE_TERMS: usize = 8;

/// Cube life when the player on roll owns the cube, when it is centred and when the opponent owns it: what each of
/// [`life_terms`] is multiplied with.
pub type CubeLife = [[f64; LIFE_TERMS]; 3];

/// Returns the terms (NF-34): one, volatility, winning chance and its square, both gammons, volatility times the chance
/// and its square.
#[must_use]
pub fn life_terms(volatility: f64, chances: &Chances) -> [f64; LIFE_TERMS] {
    let win = f64::from(chances.win);
    let (gammon, lost) = (chances.win_gammon.into(), chances.lose_gammon.into());
    let (by_win, by_square) = (volatility * win, volatility * win * win);
    [
        1.0,
        volatility,
        win,
        win * win,
        gammon,
        lost,
        by_win,
        by_square,
    ]
}

/// A net for the volatility of positions.
#[derive(Debug, Clone)]
pub(super) struct VolatilityNet {
    net: SmallNet,
    answer: Answer,
    life: CubeLife,
}

/// Most places that can have checkers: 15 of each side.
const PLACES_MAX: usize = 32;

/// The standard deviation of a chance is at most this.
const MOST: f64 = 0.5;

impl VolatilityNet {
    /// The class in its file.
    pub(super) const CLASS: &'static str = "volatility";

    /// Returns true if the contents of a file are those of a volatility net.
    pub(super) fn is_one(bytes: &[u8]) -> bool {
        is_of_class(bytes, VolatilityNet::CLASS)
    }

    /// Parses a net file.
    pub(super) fn parse(name: &str, bytes: &[u8]) -> Result<VolatilityNet, NetError> {
        let (net, parts) = SmallNet::parse(name, bytes, VolatilityNet::CLASS)?;
        let answer = net.answer(&[1.0, 0.0, 0.0, 0.0, 0.0]);
        let number = |owner: usize, term: usize| {
            let number = parts.results.get(owner * LIFE_TERMS + term);
            number.copied().unwrap_or_default().into()
        };
        let life = std::array::from_fn(|owner| std::array::from_fn(|term| number(owner, term)));
        Ok(VolatilityNet { net, answer, life })
    }

    /// Returns the same net on another level of this CPU.
    pub(super) fn at(&self, cpu: CpuLevel) -> VolatilityNet {
        let net = self.net.at(cpu);
        VolatilityNet { net, ..*self }
    }

    /// Returns the standard deviation of the winning chance of the player on roll one roll later, 0 to 0.5.
    pub(super) fn of(&self, position: &Position) -> f64 {
        let sum = self.net.cpu.run(Sum {
            of: self,
            position: words(position),
        });
        (f64::from(sum) * self.answer.unit).clamp(0.0, MOST)
    }

    /// Returns the cube life, 0 to 1, for the three owners in the order of [`CubeLife`].
    pub(super) fn cube_life(&self, position: &Position, chances: &Chances) -> [f64; 3] {
        let terms = life_terms(self.of(position), chances);
        self.life.map(|numbers| {
            let parts = numbers.iter().zip(terms);
            let sum: f64 = parts.map(|(number, term)| number * term).sum();
            sum.clamp(0.0, 1.0)
        })
    }
}

struct Sum<'a> {
    of: &'a VolatilityNet,
    position: [u64; 4],
}

impl Kernel for Sum<'_> {
    type Output = i32;

    #[inline(always)]
    fn run<I: Integers>(self) -> i32 {
        let (net, answer) = (&self.of.net, &self.of.answer);
        let mut steps = [[0u16; 2]; PLACES_MAX];
        let mut count = 0;
        for (word, bits) in self.position.into_iter().enumerate() {
            let some = bits | bits >> 1 | bits >> 2 | bits >> 3;
            let mut some = some & 0x1111_1111_1111_1111;
            while some != 0 {
                let at = some.trailing_zeros();
                some &= some - 1;
                let none = ((word * 256) as u32 + at * 4) as u16;
                // An empty place has a row of zeros.
                steps[count % PLACES_MAX] = [none + (bits >> at & 15) as u16, none];
                count += 1;
            }
        }
        let steps = &steps[..count.min(PLACES_MAX)];
        let mut sum = 0;
        let weights = std::slice::from_ref(&answer.weights);
        I::clipped_dots(
            &net.bias,
            &net.rows,
            steps,
            net.shift,
            weights,
            |_, found| sum = found,
        );
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::inputs::InputSet;
    use super::super::{PRUNING, VOLATILITY};
    use super::*;
    use crate::nn::Parts;
    use crate::nn::format::native;
    use gammond_game::{Roll, generate_plays};

    /// Computes the rule straight from its text.
    fn slowly(parts: &Parts, position: &Position) -> f64 {
        let width = parts.shape.width;
        let mut sums: Vec<i32> = parts.bias.iter().map(|&b| b.into()).collect();
        for (input, value) in InputSet::COUNTS.values(position) {
            let unit = InputSet::COUNTS.units().units[input];
            let factor = (value / f64::from(unit)).round() as i32;
            for (sum, weight) in sums.iter_mut().zip(&parts.rows[input * width..]) {
                *sum += factor * i32::from(*weight);
            }
        }
        let units = sums.iter().zip(&parts.second[..width]);
        let parts = units.map(|(sum, weight)| {
            let value = f64::from((sum >> parts.shift).clamp(0, 255));
            value * f64::from(*weight) * f64::from(parts.scales[0])
        });
        parts.sum()
    }

    /// NF-33.
    #[test]
    fn volatility_is_that_of_the_rule_on_all_levels() {
        let net = VolatilityNet::parse("v.net", &VOLATILITY.bytes()).unwrap();
        let (_, parts) = native::read(&VOLATILITY.bytes()).unwrap();
        let mut position = Position::start();
        let (mut plays, mut least, mut most) = (Vec::new(), MOST, 0.0f64);
        for (round, roll) in Roll::ALL.iter().cycle().take(200).enumerate() {
            let plain = net.at(CpuLevel::SCALAR).of(&position);
            let want = slowly(&parts, &position).clamp(0.0, MOST);
            assert!((want - plain).abs() < 0.002, "{want} {plain}");
            for cpu in CpuLevel::available() {
                assert_eq!(net.at(cpu).of(&position), plain, "{}", cpu.name());
            }
            (least, most) = (least.min(plain), most.max(plain));
            generate_plays(&position, *roll, &mut plays);
            position = (plays.get(round * 5 % plays.len().max(1)).copied())
                .unwrap_or_else(|| position.swapped());
            if position.is_over() {
                position = Position::start();
            }
        }
        assert!(least < 0.05 && most > 0.1, "{least} {most}");
    }

    #[test]
    fn cube_life_is_bounded_and_falls_with_volatility() {
        let mut net = VolatilityNet::parse("v.net", &VOLATILITY.bytes()).unwrap();
        let chances = Chances::from_array([0.6, 0.2, 0.01, 0.1, 0.01]);
        let terms = [0.05, 0.25].map(|volatility| life_terms(volatility, &chances));
        for life in net.life {
            let [calm, wild] = terms.map(|terms| {
                let parts = life.iter().zip(terms);
                parts.map(|(number, term)| number * term).sum::<f64>()
            });
            assert!(calm > wild, "{life:?}");
        }
        net.life = [[9.0; LIFE_TERMS], [-9.0; LIFE_TERMS], [0.0; LIFE_TERMS]];
        let found = net.cube_life(&Position::start(), &chances);
        assert_eq!(found, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn other_nets_are_refused_by_name() {
        let error = VolatilityNet::parse("x.net", &PRUNING.bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("x.net") && error.contains("pruning"),
            "{error}"
        );
    }
}
