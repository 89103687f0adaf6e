//! Two dice.

use gammond_base::rng::below;
use rand::Rng;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A roll, the dice in the order in which they were rolled or given (1..=6 each). That order is for
/// showing only: `53` and `35` are the same roll, equal and with the same hash.
#[derive(Clone, Copy, Debug)]
pub struct Roll {
    first: u8,
    second: u8,
}

/// A die outside 1..=6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("die is {0}, expected 1 to 6")]
pub struct RollError(pub u8);

impl Roll {
    /// Returns a roll of two dice.
    ///
    /// # Errors
    /// [`RollError`] when a die is not 1 to 6.
    pub const fn new(first: u8, second: u8) -> Result<Roll, RollError> {
        if first < 1 || first > 6 {
            return Err(RollError(first));
        }
        if second < 1 || second > 6 {
            return Err(RollError(second));
        }
        Ok(Roll { first, second })
    }

    /// Returns a roll of valid dice.
    pub const fn of(first: u8, second: u8) -> Roll {
        assert!(first >= 1 && first <= 6 && second >= 1 && second <= 6);
        Roll { first, second }
    }

    /// Throws two fair dice.
    #[must_use]
    pub fn thrown(rng: &mut impl Rng) -> Roll {
        let pair = below(rng, 36);
        Roll::of((pair / 6 + 1) as u8, (pair % 6 + 1) as u8)
    }

    /// Throws until the dice differ: the first roll of a game.
    #[must_use]
    pub fn opening(rng: &mut impl Rng) -> Roll {
        loop {
            let roll = Roll::thrown(rng);
            if !roll.is_double() {
                return roll;
            }
        }
    }

    /// Returns the dice in their order.
    #[must_use]
    pub const fn dice(self) -> [u8; 2] {
        [self.first, self.second]
    }

    /// Returns the larger die.
    #[must_use]
    pub const fn high(self) -> u8 {
        if self.first > self.second {
            self.first
        } else {
            self.second
        }
    }

    /// Returns the smaller die.
    #[must_use]
    pub const fn low(self) -> u8 {
        if self.first > self.second {
            self.second
        } else {
            self.first
        }
    }

    /// Returns true if both dice show the same number.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.first == self.second
    }

    /// Returns the number of the 36 throws of two dice that give this roll: 1 for doubles, else 2.
    #[must_use]
    pub const fn weight(self) -> u32 {
        if self.is_double() { 1 } else { 2 }
    }

    /// The 21 rolls, larger die first: 11, 21, 22, 31 … 66.
    pub const ALL: [Roll; 21] = {
        let mut all = [Roll {
            first: 1,
            second: 1,
        }; 21];
        let (mut next, mut high) = (0, 1);
        while high <= 6 {
            let mut low = 1;
            while low <= high {
                all[next] = Roll {
                    first: high,
                    second: low,
                };
                next += 1;
                low += 1;
            }
            high += 1;
        }
        all
    };
}

impl PartialEq for Roll {
    fn eq(&self, other: &Roll) -> bool {
        (self.high(), self.low()) == (other.high(), other.low())
    }
}

impl Eq for Roll {}

impl Hash for Roll {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.high(), self.low()).hash(state);
    }
}

impl fmt::Display for Roll {
    /// Returns two digits, as rolled: `31`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.first, self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rolls are equal in either order of the dice; the order shown is not part of a roll.
    #[test]
    fn the_order_of_the_dice_is_no_difference() {
        let hash = |roll: Roll| {
            let mut hasher = std::hash::DefaultHasher::new();
            roll.hash(&mut hasher);
            hasher.finish()
        };
        for first in 1..=6 {
            for second in 1..=6 {
                let (one, other) = (Roll::of(first, second), Roll::of(second, first));
                assert_eq!(one, other);
                assert_eq!(hash(one), hash(other));
                assert_eq!(one.to_string(), format!("{first}{second}"));
                assert_eq!(Roll::ALL.iter().filter(|&&roll| roll == one).count(), 1);
            }
        }
        assert_ne!(Roll::of(5, 3), Roll::of(5, 2));
    }

    #[test]
    fn weights_add_up_to_36() {
        assert_eq!(Roll::ALL.iter().map(|roll| roll.weight()).sum::<u32>(), 36);
        assert_eq!(Roll::new(7, 1), Err(RollError(7)));
        assert_eq!(Roll::new(1, 0), Err(RollError(0)));
    }
}
