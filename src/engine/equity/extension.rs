//! Extension of a match equity table (MET-03, MET-04): longer matches by the normal distribution, and the post-Crawford
//! line by its recursion.
//!
//! Made of additions, multiplications, divisions and square roots only, so that the numbers are
//! the same on every machine.

/// Standard deviation of the points won in a match that one side needs `k` points for.
const SPREAD: [f64; 10] = [1.24, 1.27, 1.47, 1.50, 1.60, 1.61, 1.66, 1.68, 1.70, 1.72];
const SPREAD_FAR: f64 = 1.77;
/// Number of standard deviations beyond which the normal distribution is cut off.
const CUT: f64 = 6.0;

fn spread(away: usize) -> f64 {
    SPREAD.get(away - 1).copied().unwrap_or(SPREAD_FAR)
}

/// Returns the match winning chance of a player who needs `mine` against one who needs `theirs`, before the Crawford
/// game, by the normal distribution.
pub(super) fn by_distribution(mine: usize, theirs: usize) -> f64 {
    if mine < theirs {
        return 1.0 - by_distribution(theirs, mine);
    }
    let deviations = (spread(mine).powi(2) + spread(theirs).powi(2)).sqrt();
    let sigma = deviations * ((mine + theirs) as f64 / 2.0).sqrt();
    let gap = (mine - theirs) as f64;
    if CUT * sigma > gap {
        normal(CUT) - normal(gap / sigma)
    } else {
        0.0
    }
}

/// Gammon rate of trailing sides, and the cost of free drops to them.
#[derive(Clone, Copy, Debug)]
pub(super) struct PostCrawford {
    pub(super) gammon_rate: f64,
    pub(super) free_drop_2: f64,
    pub(super) free_drop_4: f64,
}

impl PostCrawford {
    /// The values that lengthen any table.
    pub(super) const USUAL: PostCrawford = PostCrawford {
        gammon_rate: 0.25,
        free_drop_2: 0.015,
        free_drop_4: 0.004,
    };

    /// Continues `line` (trailer needs 1, 2 …) to `length` entries.
    pub(super) fn extend(self, line: &mut Vec<f64>, length: usize) {
        while line.len() < length {
            let needs = line.len() + 1;
            let at = |less: usize| match needs.checked_sub(less) {
                None | Some(0) => 1.0,
                Some(left) => line[left - 1],
            };
            let mut value = self.gammon_rate * 0.5 * at(4) + (1.0 - self.gammon_rate) * 0.5 * at(2);
            match needs {
                2 => value -= self.free_drop_2,
                4 => value -= self.free_drop_4,
                _ => {}
            }
            line.push(value);
        }
    }
}

/// Returns the standard normal distribution function for `x` in 0..=6, by the series of positive terms `1/2 +
/// density(x) * (x + x^3/3 + x^5/15 + ...)`.
fn normal(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term > 1e-18 * sum {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    const ONE_OVER_ROOT_TAU: f64 = 0.398_942_280_401_432_7;
    0.5 + ONE_OVER_ROOT_TAU * exp_minus(x * x / 2.0) * sum
}

/// Returns `e` to the power `-y` for `y` in 0..=18, by halving and the power series.
fn exp_minus(y: f64) -> f64 {
    const HALVINGS: i32 = 8;
    let small = y / f64::from(1 << HALVINGS);
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..20 {
        term *= small / f64::from(n);
        sum += term;
    }
    let mut power = 1.0 / sum;
    for _ in 0..HALVINGS {
        power *= power;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_of_the_normal_distribution() {
        for (x, value) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.5, 0.993_790_334_674_224),
            (6.0, 0.999_999_999_013_412),
        ] {
            assert!((normal(x) - value).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn post_crawford_line_starts_at_a_half() {
        let mut line = Vec::new();
        PostCrawford::USUAL.extend(&mut line, 5);
        assert_eq!(line[0], 0.5);
        assert!((line[1] - 0.485).abs() < 1e-12);
        assert!((line[2] - (0.125 + 0.375 * 0.5)).abs() < 1e-12);
    }
}
