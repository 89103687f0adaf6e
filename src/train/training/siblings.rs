//! Coupled lines of siblings (LB-09): two plays of one roll, followed with the same dice.
//!
//! The difference between the 1-ply values of two siblings is the labelling net's view one play ahead. Some plays
//! later its values of both are better; with the same dice on both sides and the luck taken out, little noise comes
//! with it. Every step of the two lines is a pair with a shorter horizon of its own.

use gammond_engine::search::{OnePly, Scratch};
use gammond_game::{Chances, Position, Roll};
use serde::{Deserialize, Serialize};

/// Longest horizon of labels.
pub(crate) const HORIZON_MAX: u8 = 3;

/// Settings for following siblings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiblingSettings {
    /// Chance per play that another one is followed too, beside those of `extra`.
    pub share: f64,
    /// Number of plays that are followed, 1 to `HORIZON_MAX`.
    pub plies: Plies,
    /// Greatest distance of a sibling from the best play, in equity.
    pub margin: f32,
    /// Share of them that may be as far behind as `extra_margin`.
    pub wide: f64,
}

/// A number of plays from 1 to `HORIZON_MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Plies(u8);

/// A number of plays that siblings cannot be followed for.
#[derive(Debug, thiserror::Error)]
#[error("plies {0}, expected 1 to {HORIZON_MAX}")]
pub struct BadPlies(u8);

impl TryFrom<u8> for Plies {
    type Error = BadPlies;

    fn try_from(plies: u8) -> Result<Plies, BadPlies> {
        match plies {
            1..=HORIZON_MAX => Ok(Plies(plies)),
            _ => Err(BadPlies(plies)),
        }
    }
}

impl From<Plies> for u8 {
    fn from(plies: Plies) -> u8 {
        plies.0
    }
}

/// A turn of the game: what its label is made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameTurn {
    pub(super) position: Position,
    pub(super) roll: Roll,
    /// The 1-ply value.
    pub(super) mean: [f32; 5],
    /// Chances of the roll's best play in that value; none when another play than the best was made.
    pub(super) drawn: Option<[f32; 5]>,
}

/// A position beside one of the game, and by how much its value differs from that one's: one entry for each horizon, 0
/// first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sibling {
    pub(super) position: Position,
    pub(super) differences: Vec<[f32; 5]>,
}

/// Follows `sibling`, another choice for the first position of `line`, with the dice of the line; `exact` answers the
/// positions that need no net. One twin for each step until the lines meet, the game ends or something else than the
/// best play was made.
pub(super) fn follow(
    one: &OnePly<'_>,
    exact: &dyn Fn(&Position) -> Option<Chances>,
    (line, plies): (&[GameTurn], Plies),
    sibling: Position,
    scratch: &mut Scratch,
) -> Vec<Sibling> {
    let mut at = sibling;
    let mut met = false;
    // The other line: position, 1-ply value, what the roll has in it when the best play is made.
    let mut other: Vec<(Position, [f32; 5], Option<[f32; 5]>)> = Vec::new();
    for (index, step) in line.iter().enumerate().take(usize::from(plies.0) + 1) {
        met = at == step.position;
        if met {
            break;
        }
        if let Some(exact) = exact(&at) {
            other.push((at, exact.to_array(), None));
            break;
        }
        if index == usize::from(plies.0) || step.drawn.is_none() {
            other.push((at, one.mean(&at, scratch), None));
            break;
        }
        let ahead = one.ahead(&at, step.roll, scratch);
        let best = ahead.ranked.first();
        other.push((at, ahead.mean, best.map(|_| ahead.drawn)));
        let Some(best) = best else { break };
        at = best.after;
    }
    let mut twins: Vec<Sibling> = Vec::new();
    for (index, (position, mean, drawn)) in other.iter().enumerate().rev() {
        let step = &line[index];
        let mut differences = vec![minus(*mean, step.mean)];
        if let (Some(drawn), Some(main)) = (drawn, &step.drawn) {
            let later: &[[f32; 5]] = match twins.last() {
                Some(next) => &next.differences,
                // The lines have met: no horizon distinguishes them.
                None if met => &[[0.0; 5]; HORIZON_MAX as usize],
                None => &[],
            };
            for later in later.iter().take(usize::from(plies.0) - index) {
                let own = minus(*mean, step.mean);
                let luck = minus(*drawn, *main);
                let later = turned(*later);
                differences.push(std::array::from_fn(|k| own[k] + later[k] - luck[k]));
            }
        }
        twins.push(Sibling {
            position: *position,
            differences,
        });
    }
    twins.reverse();
    twins
}

fn minus(a: [f32; 5], b: [f32; 5]) -> [f32; 5] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Returns a difference of chances as the other player sees it.
fn turned(difference: [f32; 5]) -> [f32; 5] {
    let zero = Chances::from_array([0.0; 5]).inverted().to_array();
    minus(Chances::from_array(difference).inverted().to_array(), zero)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::eval::nets::NetEvaluator;
    use gammond_engine::search::Filter;
    use gammond_game::generate_plays;

    fn close(a: [f32; 5], b: [f32; 5]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    /// The main line from `position` with these rolls.
    fn line(one: &OnePly<'_>, position: Position, rolls: &[Roll]) -> Vec<GameTurn> {
        let mut scratch = Scratch::default();
        let mut at = position;
        let mut steps = Vec::new();
        for &roll in rolls {
            let ahead = one.ahead(&at, roll, &mut scratch);
            steps.push(GameTurn {
                position: at,
                roll,
                mean: ahead.mean,
                drawn: Some(ahead.drawn),
            });
            at = ahead.ranked[0].after;
        }
        steps
    }

    /// LB-09. Two positions after 31, and the difference of their luck-adjusted values written out.
    #[test]
    fn differences_are_those_of_the_lines() {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let one = OnePly::new(&evaluator, Filter::PRUNING);
        let mut plays = Vec::new();
        generate_plays(&Position::start(), Roll::new(3, 1).unwrap(), &mut plays);
        let rolls = [(6, 4), (5, 2), (3, 3), (2, 1)].map(|(a, b)| Roll::new(a, b).unwrap());
        let (main, other) = (line(&one, plays[0], &rolls), line(&one, plays[1], &rolls));
        let plies = Plies::try_from(3).unwrap();
        let mut scratch = Scratch::default();
        let twins = follow(&one, &|_| None, (&main, plies), plays[1], &mut scratch);
        assert_eq!(twins.len(), 4, "the lines do not meet");
        for (index, twin) in twins.iter().enumerate() {
            assert_eq!(twin.position, other[index].position);
            assert_eq!(twin.differences.len(), 4 - index);
            // Luck-adjusted returns with horizon `h`, from the end backwards.
            for (horizon, found) in twin.differences.iter().enumerate() {
                let value = |steps: &[GameTurn]| {
                    let mut value = steps[index + horizon].mean;
                    for step in steps[index..index + horizon].iter().rev() {
                        let later = Chances::from_array(value).inverted().to_array();
                        let drawn = step.drawn.unwrap();
                        value = std::array::from_fn(|k| step.mean[k] + later[k] - drawn[k]);
                    }
                    value
                };
                assert!(
                    close(*found, minus(value(&other), value(&main))),
                    "{index} {horizon}"
                );
            }
        }
    }

    /// Lines are not followed beyond a play that was not the best; lines that meet give all horizons.
    #[test]
    fn lines_end_where_they_part_from_the_game_or_meet() {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let one = OnePly::new(&evaluator, Filter::PRUNING);
        let mut plays = Vec::new();
        generate_plays(&Position::start(), Roll::new(3, 1).unwrap(), &mut plays);
        let rolls = [(6, 4), (5, 2), (3, 3), (2, 1)].map(|(a, b)| Roll::new(a, b).unwrap());
        let mut main = line(&one, plays[0], &rolls);
        let plies = Plies::try_from(3).unwrap();
        let mut scratch = Scratch::default();
        main[1].drawn = None;
        let twins = follow(&one, &|_| None, (&main, plies), plays[1], &mut scratch);
        let sizes: Vec<usize> = twins.iter().map(|twin| twin.differences.len()).collect();
        assert_eq!(sizes, [2, 1]);
        // As if the game had come to the same position by the other way.
        let mut main = line(&one, plays[0], &rolls);
        main[1] = line(&one, plays[1], &rolls)[1];
        let twins = follow(&one, &|_| None, (&main, plies), plays[1], &mut scratch);
        assert_eq!(twins.len(), 1);
        assert_eq!(twins[0].differences.len(), 4);
        assert!(close(twins[0].differences[1], twins[0].differences[3]));
        assert!(Plies::try_from(0).is_err() && Plies::try_from(4).is_err());
    }
}
