//! Tornberg's match equity calculator: a whole table from a gammon rate.

use super::met::AWAY_MAX;

/// A table with one entry per pair of points needed, 0..=64 each.
type Grid = Vec<[f64; AWAY_MAX + 1]>;

/// The line after the Crawford game (trailer needs 1, 2 …) and the table before it.
pub(super) struct Computed {
    pub(super) pre: Vec<Vec<f64>>,
    pub(super) post: Vec<f64>,
}

/// Returns the table of two equal players who win gammons with this rate; `free_drop` is the cost of the free drop to
/// a trailer 2-away and 4-away.
pub(super) fn compute(gammon_rate: f64, free_drop: [f64; 2]) -> Computed {
    let mut grid: Grid = vec![[0.0; AWAY_MAX + 1]; AWAY_MAX + 1];
    grid[0] = [1.0; AWAY_MAX + 1];
    let post = after_crawford(gammon_rate, free_drop);
    crawford(&mut grid, gammon_rate, &post);
    for sum in 4..=2 * AWAY_MAX {
        for mine in 2..=AWAY_MAX.min(sum - 2) {
            let theirs = sum - mine;
            if theirs > AWAY_MAX {
                continue;
            }
            let (value_double, at_double) = doubling_point(&grid, gammon_rate, mine, theirs, 2);
            let (opp_value, opp_at) = doubling_point(&grid, gammon_rate, theirs, mine, 2);
            let (low, low_at) = (1.0 - opp_value, 1.0 - opp_at);
            grid[mine][theirs] = low + (value_double - low) * (0.5 - low_at) / (at_double - low_at);
        }
    }
    let row = |mine: usize| grid[mine][1..].to_vec();
    Computed {
        pre: (1..=AWAY_MAX).map(row).collect(),
        post,
    }
}

/// Returns the trailer's chances when the leader needs one point, after the Crawford game: an even number is
/// worth no more than the odd one below it, but for the free drop.
fn after_crawford(gammon_rate: f64, free_drop: [f64; 2]) -> Vec<f64> {
    let mut line: Vec<f64> = vec![0.5];
    for needs in 2..=AWAY_MAX {
        let at = |less: usize| match needs.saturating_sub(less) {
            0 => 1.0,
            left => line[left - 1],
        };
        let value = match needs {
            2 => at(1) - free_drop[0],
            4 => at(1) - free_drop[1],
            even if even % 2 == 0 => at(1),
            _ => 0.5 * ((1.0 - gammon_rate) * at(2) + gammon_rate * at(4)),
        };
        line.push(value);
    }
    line
}

/// Fills in the scores at which the Crawford game is played now.
fn crawford(grid: &mut Grid, gammon_rate: f64, post: &[f64]) {
    grid[1][1] = 0.5;
    for needs in 2..=AWAY_MAX {
        let at = |less: usize| match needs.saturating_sub(less) {
            0 => 1.0,
            left => post[left - 1],
        };
        let trailer = 0.5 * ((1.0 - gammon_rate) * at(1) + gammon_rate * at(2));
        grid[needs][1] = trailer;
        grid[1][needs] = 1.0 - trailer;
    }
}

/// Returns the value and winning chance at which a player who needs `mine` against `theirs` may as well turn the cube
/// to `cube`.
fn doubling_point(
    grid: &Grid,
    gammon_rate: f64,
    mine: usize,
    theirs: usize,
    cube: usize,
) -> (f64, f64) {
    if mine <= cube / 2 {
        return (1.0, 1.0);
    }
    let (redouble, redouble_at) = doubling_point(grid, gammon_rate, theirs, mine, 2 * cube);
    let theirs_after = |points: usize| grid[theirs][mine.saturating_sub(points)];
    let lost = (1.0 - gammon_rate) * theirs_after(cube) + gammon_rate * theirs_after(2 * cube);
    let passed = theirs_after(cube / 2);
    let take_at = (passed - lost) * redouble_at / (redouble - lost);
    (1.0 - passed, 1.0 - take_at)
}

#[cfg(test)]
mod tests {
    use super::super::met_numbers::MEC26;
    use super::*;

    #[test]
    fn the_published_table_comes_out() {
        let computed = compute(0.26, [0.0, 0.0]);
        for mine in 0..25 {
            for theirs in 0..25 {
                let (ours, published) = (computed.pre[mine][theirs], MEC26.pre[mine][theirs]);
                assert!(
                    (ours - published).abs() < 6e-4,
                    "{mine} {theirs}: {ours} {published}"
                );
            }
        }
    }
}
