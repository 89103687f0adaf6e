//! Activations of the first layer: everything about them but their form in registers (`kernel/integer_x86`) and their
//! slope (the trainer's kernels).

/// The value of the clipped first layer that stands for 1.
pub(crate) const ONE: i32 = 255;
/// The value of the squared first layer that stands for 1: `ONE << 8` squared, shifted right by 16 and by
/// [`SQUARE_SHIFT`]. With the limit 2 it is `ONE << 7`, and two bits less at the end.
const ONE_SQUARED: f64 = (ONE * ONE) as f64 / (1 << SQUARE_SHIFT) as f64;
/// Right shift of the squares of the first layer, after dropping their lower 16 bits.
pub(super) const SQUARE_SHIFT: u32 = 6;

/// Activation of a neuron of the first layer, as a function of its sum `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Activation {
    /// Clipped ReLU: `x` limited to 0..=1.
    #[default]
    Crelu,
    /// Squared clipped ReLU: the square of `x` limited to 0..=1: the slope grows with the sum, so that one neuron can weigh
    /// how much of something there is.
    Screlu,
}

impl Activation {
    /// Both.
    pub const ALL: [Activation; 2] = [Activation::Crelu, Activation::Screlu];

    /// Returns its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Activation::Crelu => "clipped",
            Activation::Screlu => "squared",
        }
    }

    /// Returns its number in net files.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Activation::Crelu => 0,
            Activation::Screlu => 1,
        }
    }

    /// Returns the greatest limit of the first layer.
    pub(super) const fn limit_max(self) -> u8 {
        match self {
            Activation::Crelu => 1,
            Activation::Screlu => 2,
        }
    }

    /// Returns the output for a sum.
    pub(super) fn of(self, sum: f64, limits: Limits) -> f64 {
        let value = sum.clamp(0.0, f64::from(limits.first));
        match self {
            Activation::Crelu => value,
            Activation::Screlu => value * value,
        }
    }

    /// Returns the greatest value that a first layer with these limits passes on.
    #[must_use]
    pub fn most(self, limits: Limits) -> f32 {
        let limit = f32::from(limits.first);
        match self {
            Activation::Crelu => limit,
            Activation::Screlu => limit * limit,
        }
    }

    /// Returns the integer of the first layer that stands for 1.
    #[must_use]
    pub fn one(self) -> f64 {
        match self {
            Activation::Crelu => f64::from(ONE),
            Activation::Screlu => ONE_SQUARED,
        }
    }

    /// Returns the number added to a sum of the first layer so that shifting it rounds.
    pub(super) const fn rounding(self, shift: u32) -> i16 {
        match self {
            Activation::Crelu if shift > 0 => 1 << (shift - 1),
            // Sums that are squared are not shifted before.
            _ => 0,
        }
    }

    /// Returns the greatest integer that the first layer passes on.
    pub(super) fn greatest(self, limits: Limits) -> i64 {
        let limit = i64::from(limits.first);
        match self {
            Activation::Crelu => i64::from(ONE) * limit,
            Activation::Screlu => ONE_SQUARED.ceil() as i64 * limit * limit,
        }
    }
}

/// Output of the first layer as a function of a sum, in integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passes {
    /// Limited to 1.
    Clipped,
    /// The square, of a sum limited to 1.
    Squared,
    /// The square, of a sum limited to 2: a bit less before squaring, two more are kept after it.
    SquaredToTwo,
}

impl Passes {
    #[inline(always)]
    pub(super) fn of(activation: Activation, limits: Limits) -> Passes {
        match (activation, limits.first) {
            (Activation::Crelu, _) => Passes::Clipped,
            (Activation::Screlu, 1) => Passes::Squared,
            (Activation::Screlu, _) => Passes::SquaredToTwo,
        }
    }

    /// Returns the output of a neuron for its sum: the plain twin of the kernels.
    pub(super) fn on(self, sum: i16, shift: u32) -> i32 {
        let (limit, last) = match self {
            Passes::Clipped => return i32::from(sum >> shift).clamp(0, 255),
            Passes::Squared => (1, SQUARE_SHIFT),
            Passes::SquaredToTwo => (2, SQUARE_SHIFT - 2),
        };
        let x = (i64::from(sum).clamp(0, (255 * limit) << shift) << (8 - shift)) / limit;
        ((((x * x) >> 16) + (1 << (last - 1))) >> last) as i32
    }
}

/// Upper limits of the outputs of the two hidden layers. A unit at its limit learns nothing and no longer distinguishes
/// two plays, so limits are as wide as the integers allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Limit of the sums of the first layer: 1 or (only when they are squared) 2.
    pub first: u8,
    /// True if sums of the second layer are limited to 0..=1; else they are only kept from being negative.
    pub second: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            first: 1,
            second: true,
        }
    }
}

impl Limits {
    /// Limits with which nets train best: 2, and none in the second layer. For a squared first layer.
    pub const WIDE: Limits = Limits {
        first: 2,
        second: false,
    };

    /// Returns the reason why these limits are invalid with `activation`; `None` if they are valid.
    #[must_use]
    pub fn fault(self, activation: Activation) -> Option<String> {
        match self.first {
            first if (1..=activation.limit_max()).contains(&first) => None,
            2 => Some("first layer's limit 2, expected 1 where it is not squared".into()),
            first => Some(format!("first layer's limit {first}, expected 1 or 2")),
        }
    }

    /// Returns the greatest value that the second layer passes on.
    #[must_use]
    pub const fn second_most(self) -> f32 {
        if self.second { 1.0 } else { f32::MAX }
    }
}
