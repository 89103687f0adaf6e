//! Two dice.

use std::fmt;

/// A roll, the dice in the order in which they were rolled or given (1..=6 each).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Roll {
    first: u8,
    second: u8,
}

/// A die outside 1..=6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("die is {0}, want 1 to 6")]
pub struct RollError(pub u8);

impl Roll {
    /// A roll of two dice.
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

    /// A roll whose dice are known to be good.
    pub(crate) const fn of(first: u8, second: u8) -> Roll {
        assert!(first >= 1 && first <= 6 && second >= 1 && second <= 6);
        Roll { first, second }
    }

    /// The dice in their order.
    #[must_use]
    pub const fn dice(self) -> [u8; 2] {
        [self.first, self.second]
    }

    /// The larger die.
    #[must_use]
    pub const fn high(self) -> u8 {
        if self.first > self.second {
            self.first
        } else {
            self.second
        }
    }

    /// The smaller die.
    #[must_use]
    pub const fn low(self) -> u8 {
        if self.first > self.second {
            self.second
        } else {
            self.first
        }
    }

    /// Whether both dice show the same.
    #[must_use]
    pub const fn is_double(self) -> bool {
        self.first == self.second
    }

    /// How many of the 36 throws of two dice give this roll: 1 for doubles, else 2.
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

impl fmt::Display for Roll {
    /// The two digits, as rolled: `31`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.first, self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_36() {
        assert_eq!(Roll::ALL.iter().map(|roll| roll.weight()).sum::<u32>(), 36);
        assert_eq!(Roll::new(7, 1), Err(RollError(7)));
        assert_eq!(Roll::new(1, 0), Err(RollError(0)));
    }
}
