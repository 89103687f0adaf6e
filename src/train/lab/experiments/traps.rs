//! Decisions that nets often get wrong: races that are all but over, and hits behind a prime.

use super::declaration::SeedResult;
use super::kit::{ExperimentContext, player};
use super::teaching::{ChosenPlays, PLIES, losses, mean, positions};
use crate::lab::LabError;
use gammond_arena::benchmark::regret::{FreshDecision, decisions};
use gammond_arena::player::Player;
use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_engine::engine::Engine;
use gammond_game::{POINTS, Position, Side, generate_plays};
use gammond_job::Control;

/// Returns the player of a net file or of the built-in nets at so many plies, without tables.
fn looking(nets: Option<&str>, plies: u8) -> Result<Box<dyn Player>, LabError> {
    let nets = nets.map_or_else(String::new, |path| format!(":nets={path}"));
    player(&format!("gammond:bearoff=none{nets}:plies={plies}"))
}

/// Spreads checkers over some random points: at most so many pips, one checker at least.
fn spread(
    (checkers, points): (usize, u32),
    pips: std::ops::RangeInclusive<u32>,
    rng: &mut ChaCha8Rng,
) -> [u8; POINTS] {
    loop {
        let mut counts = [0; POINTS];
        for _ in 0..checkers {
            counts[below(rng, points) as usize] += 1;
        }
        let total = (1..)
            .zip(&counts)
            .map(|(point, &count)| point * u32::from(count));
        if pips.contains(&total.sum()) {
            return counts;
        }
    }
}

/// Returns the races that are all but over, with a roll that leaves a choice.
fn late(seed: u64, count: usize) -> Vec<FreshDecision> {
    let rng = &mut stream(seed, 0x6c61_7465);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let own = spread((15, 12), 55..=95, rng);
        let few = 1 + below(rng, 3) as usize;
        let other = spread((few, 6), 1..=6, rng);
        if let Ok(position) = Position::new(&own, &other) {
            found.extend(decisions(&[position], 1, seed ^ found.len() as u64));
        }
    }
    found
}

pub(super) fn late_races(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    const COUNT: usize = 1_500;
    const REFERENCE_PLIES: u8 = 3;
    let weights = lab_context.gnubg.ok_or(LabError::NoWeights)?;
    let weights = weights.display().to_string();
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let decisions = late(lab_context.seed, COUNT);
    let mut players = Vec::new();
    for nets in [Some(&*weights), None] {
        for plies in 0..=PLIES {
            players.push(looking(nets, plies)?);
        }
    }
    let found = losses(
        &engine,
        &players,
        &decisions,
        [REFERENCE_PLIES, REFERENCE_PLIES],
        control,
    )?;
    let Some(ChosenPlays { lost, .. }) = found else {
        return Ok(None);
    };
    Ok(Some(
        lost.iter().map(|row| mean(row)).collect::<Vec<_>>().into(),
    ))
}

/// Returns the least of six points in a row that a side holds, if it has such with the opponent behind it.
fn prime(position: &Position) -> Option<usize> {
    let (own, other) = (position.me().counts(), position.opponent().counts());
    let least = (0..=18).find(|&from| own[from..from + 6].iter().all(|&count| count > 1))?;
    let trapped = behind(&other, least).any(|count| count > 0) || other[POINTS - 1] > 0;
    trapped.then_some(least)
}

/// Returns the opponent's checkers on the points below the prime, seen by the player who holds it.
fn behind(other: &[u8; POINTS], least: usize) -> impl Iterator<Item = u8> + '_ {
    (0..least).map(|point| other[POINTS - 2 - point])
}

/// Returns true if a blot that was behind the prime was hit.
fn hits(before: &Position, after: &Position, least: usize) -> bool {
    // After the play the opponent is on roll.
    let (then, now) = (before.opponent().counts(), after.me().counts());
    let gone = behind(&then, least).zip(behind(&now, least));
    gone.filter(|&(then, now)| then == 1 && now == 0).count() > 0
        && bar(after.me()) > bar(before.opponent())
}

fn bar(side: Side) -> u8 {
    side.counts()[POINTS - 1]
}

/// Returns true if some plays hit a blot behind the prime and others do not.
fn is_choice(decision: &FreshDecision, plays: &mut Vec<Position>) -> bool {
    let Some(least) = prime(&decision.position) else {
        return false;
    };
    generate_plays(&decision.position, decision.roll, plays);
    let hit = |after: &Position| hits(&decision.position, after, least);
    plays.iter().any(hit) && !plays.iter().all(hit)
}

pub(super) fn behind_a_prime(
    lab_context: &ExperimentContext<'_>,
    control: &mut Control<'_>,
) -> Result<Option<SeedResult>, LabError> {
    const COUNT: usize = 500;
    /// Positions drawn per decision: of this many with a prime and a blot, about one has a roll that can hit the blot.
    const MANY: usize = 8;
    let engine = Engine::builder().build().map_err(LabError::Engine)?;
    let with_blot = |position: &Position| {
        prime(position).is_some_and(|least| {
            behind(&position.opponent().counts(), least).any(|count| count == 1)
        })
    };
    let seed = lab_context.seed;
    let Some(all) = positions(&engine, (MANY * COUNT, &with_blot), seed, control) else {
        return Ok(None);
    };
    let mut plays = Vec::new();
    let mut asked = decisions(&all, all.len(), seed);
    asked.retain(|one| is_choice(one, &mut plays));
    asked.truncate(COUNT);
    let weights = lab_context.gnubg.ok_or(LabError::NoWeights)?;
    let weights = weights.display().to_string();
    let players = vec![
        looking(None, 0)?,
        player("pubeval")?,
        looking(Some(&weights), 0)?,
    ];
    let found = losses(&engine, &players, &asked, [PLIES, PLIES], control)?;
    let Some(ChosenPlays { chosen, lost }) = found else {
        return Ok(None);
    };
    let hit: Vec<Vec<bool>> = (chosen.iter())
        .map(|row| {
            let pairs = row.iter().zip(&asked);
            pairs
                .map(|(after, one)| {
                    prime(&one.position).is_some_and(|least| hits(&one.position, after, least))
                })
                .collect()
        })
        .collect();
    let share = |which: &[bool]| {
        100.0 * which.iter().filter(|&&yes| yes).count() as f64 / which.len().max(1) as f64
    };
    let Some((best, hit)) = hit.split_last() else {
        return Ok(None);
    };
    let mut measures = vec![share(best)];
    for (hit, lost) in hit.iter().zip(&lost) {
        for wrongly in [true, false] {
            let pairs = hit.iter().zip(best);
            let wrong = pairs.map(|(own, best)| own != best && *own == wrongly);
            measures.push(share(&wrong.collect::<Vec<_>>()));
        }
        measures.push(mean(lost));
    }
    Ok(Some(measures.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::Roll;

    /// Points as people number them, by side.
    fn position(own: &[(usize, u8)], other: &[(usize, u8)]) -> Position {
        let side = |points: &[(usize, u8)]| {
            let mut counts = [0; POINTS];
            points
                .iter()
                .for_each(|&(point, count)| counts[point - 1] = count);
            counts
        };
        Position::new(&side(own), &side(other)).unwrap()
    }

    #[test]
    fn a_hit_behind_a_prime_is_one() {
        let own = [
            (4, 2),
            (5, 2),
            (6, 2),
            (7, 2),
            (8, 2),
            (9, 2),
            (10, 2),
            (13, 1),
        ];
        // A blot on my 2 point, a checker on my 1 point, the others home.
        let other = [(23, 1), (24, 2), (1, 4), (2, 4), (3, 4)];
        let before = position(&own, &other);
        assert_eq!(prime(&before), Some(3));
        let mut plays = Vec::new();
        let roll = Roll::new(2, 1).unwrap();
        // 4/2 hits, 13/11 does not; two checkers cannot be hit.
        let choice = |position, plays: &mut _| is_choice(&FreshDecision { position, roll }, plays);
        assert!(choice(before, &mut plays));
        let held = [(23, 2), (24, 2), (1, 4), (2, 4), (3, 3)];
        assert!(!choice(position(&own, &held), &mut plays));
        // No opponent's checker behind it, or only five points.
        assert_eq!(prime(&position(&own, &[(1, 8), (2, 7)])), None);
        let mut five = own;
        five[0].0 = 3;
        five[6].0 = 11;
        assert_eq!(prime(&position(&five, &other)), None);
    }

    #[test]
    fn late_races_are_all_but_over() {
        let races = late(5, 40);
        assert_eq!(races.len(), 40);
        for one in races {
            let [own, other] = [one.position.me(), one.position.opponent()].map(Side::pips);
            assert!(
                (55..=95).contains(&own) && (1..=6).contains(&other) && !one.position.has_contact()
            );
        }
    }
}
