//! Cube decisions of bear-offs of few checkers at match scores, beside their exact solution.

use crate::equity::MatchEquityTable;
use crate::{CubeQuery, Engine, Settings, Stop};
use gammond_base::rng;
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Score};
use std::collections::HashMap;

type Points = [u8; 6];

/// Sides of few checkers at home, each after those that its plays lead to; 0 is the side that is off.
struct Sides {
    all: Vec<Points>,
    /// Results of the plays of each of [`Roll::ALL`].
    after: Vec<[Vec<usize>; Roll::ALL.len()]>,
}

/// Returns the results of a step, or the side itself if there is none.
fn steps(from: &Points, die: usize) -> Vec<Points> {
    let rearmost = (0..6).rfind(|&point| from[point] > 0).unwrap_or_default();
    let mut results = Vec::new();
    for point in (0..6).filter(|&point| from[point] > 0) {
        let mut after = *from;
        after[point] -= 1;
        if point >= die {
            after[point - die] += 1;
        } else if point + 1 != die && point != rearmost {
            continue;
        }
        results.push(after);
    }
    if results.is_empty() {
        results.push(*from);
    }
    results
}

impl Sides {
    fn of_at_most(checkers: u8) -> Sides {
        let mut all = vec![[0; 6]];
        for point in 0..6 {
            for side in all.clone() {
                let left = checkers - side.iter().sum::<u8>();
                all.extend((1..=left).map(|count| {
                    let mut more = side;
                    more[point] = count;
                    more
                }));
            }
        }
        let pips =
            |side: &Points| -> usize { (1..).zip(side).map(|(p, &n)| p * usize::from(n)).sum() };
        all.sort_by_key(|side| (pips(side), *side));
        let numbers: HashMap<Points, usize> = all
            .iter()
            .enumerate()
            .map(|(number, side)| (*side, number))
            .collect();
        let play = |side: &Points, dice: &[u8]| {
            let one = |sides: Vec<Points>, &die: &u8| -> Vec<Points> {
                let mut after: Vec<Points> = sides
                    .iter()
                    .flat_map(|side| steps(side, die.into()))
                    .collect();
                after.sort_unstable();
                after.dedup();
                after
            };
            dice.iter().fold(vec![*side], one)
        };
        let results = |side: &Points, roll: Roll| {
            let (high, low) = (roll.high(), roll.low());
            let found = if roll.is_double() {
                play(side, &[high; 4])
            } else {
                [play(side, &[high, low]), play(side, &[low, high])].concat()
            };
            found.iter().map(|after| numbers[after]).collect()
        };
        let after = all
            .iter()
            .map(|side| Roll::ALL.map(|roll| results(side, roll)))
            .collect();
        Sides { all, after }
    }

    fn position(&self, [me, opponent]: [usize; 2]) -> Position {
        let counts = |number: usize| {
            let mut counts = [0; 25];
            counts[..6].copy_from_slice(&self.all[number]);
            counts
        };
        Position::new(&counts(me), &counts(opponent)).unwrap()
    }
}

const OWNERS: [CubeOwner; 3] = [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent];

fn score([mine, theirs]: [u32; 2]) -> Score {
    let length = mine.max(theirs).max(2);
    Score::new(length, length - mine, length - theirs, false).unwrap()
}

/// Match winning chances before the roll, with the cube as it is, for the players on roll of a score and of the same seen from
/// the other side; by side, doublings and owner.
struct Solution<'a> {
    sides: &'a Sides,
    away: [u32; 2],
    rolled: HashMap<(usize, u8, CubeOwner), Vec<f64>>,
}

impl<'a> Solution<'a> {
    fn of(sides: &'a Sides, away: [u32; 2], met: &MatchEquityTable) -> Solution<'a> {
        let count = sides.all.len();
        let mut solution = Solution {
            sides,
            away,
            rolled: HashMap::new(),
        };
        // From this cube on every game is for the match.
        let last = (0..)
            .find(|&doublings| 1 << doublings >= away[0].max(away[1]))
            .unwrap_or_default();
        for doublings in (0..=last).rev() {
            let table = || vec![0.0; count * count];
            let keys = (0..2).flat_map(|player| OWNERS.map(|owner| (player, owner)));
            let (mut rolled, mut best): (HashMap<_, _>, HashMap<_, _>) =
                keys.map(|key| ((key, table()), (key, table()))).unzip();
            for sum in 2..2 * count - 1 {
                let places = 1.max((sum + 1).saturating_sub(count))..count.min(sum);
                for (me, player) in places.flat_map(|me| [(me, 0), (me, 1)]) {
                    let pair = me * count + (sum - me);
                    let turned = |owner| solution.rolled.get(&(player, doublings + 1, owner));
                    let win = met.after(score(solution.seen_by(player)), true, 1 << doublings);
                    for owner in OWNERS {
                        let theirs: &Vec<f64> = &best[&(1 - player, owner.swapped())];
                        let none = solution.mean([me, sum - me], win, theirs);
                        let may = owner != CubeOwner::Opponent
                            && solution.seen_by(player)[0] > 1 << doublings;
                        let take = turned(CubeOwner::Opponent).map_or(none, |turned| turned[pair]);
                        let doubles = may && take >= none && win >= none;
                        rolled.get_mut(&(player, owner)).unwrap()[pair] = none;
                        best.get_mut(&(player, owner)).unwrap()[pair] =
                            if doubles { take.min(win) } else { none };
                    }
                }
            }
            let named = rolled
                .into_iter()
                .map(|((player, owner), table)| ((player, doublings, owner), table));
            solution.rolled.extend(named);
        }
        solution
    }

    fn seen_by(&self, player: usize) -> [u32; 2] {
        [self.away[player], self.away[1 - player]]
    }

    /// Returns the mean over the rolls of the best play; `theirs` are the values of the other side on roll.
    fn mean(&self, [me, opponent]: [usize; 2], win: f64, theirs: &[f64]) -> f64 {
        let row = &theirs[opponent * self.sides.all.len()..];
        let worth = |&after: &usize| if after == 0 { win } else { 1.0 - row[after] };
        let rolls = Roll::ALL.iter().zip(&self.sides.after[me]);
        let parts = rolls.map(|(roll, after)| {
            f64::from(roll.weight()) / 36.0 * after.iter().map(worth).fold(0.0, f64::max)
        });
        parts.sum()
    }
}

/// Losses of verdicts beside the exact ones.
#[derive(Debug, Default)]
struct Losses {
    count: usize,
    /// Wrong doubles and wrong takes.
    wrong: [usize; 2],
    sums: [f64; 2],
    worst: [f64; 2],
}

impl Losses {
    fn add(&mut self, [none, take, pass]: [f64; 3], double: bool, takes: bool) {
        let doubled = take.min(pass);
        let best = if take >= none && pass >= none {
            doubled
        } else {
            none
        };
        let loses = [
            best - if double { doubled } else { none },
            if takes {
                take - doubled
            } else {
                pass - doubled
            },
        ];
        self.count += 1;
        for (kind, lost) in loses.into_iter().enumerate() {
            self.wrong[kind] += usize::from(lost > 1e-4);
            self.sums[kind] += lost;
            self.worst[kind] = self.worst[kind].max(lost);
        }
    }

    fn means(&self) -> [f64; 2] {
        self.sums.map(|sum| sum / self.count.max(1) as f64)
    }
}

/// Returns the losses of random close decisions, `each` at every score up to 9-away.
fn losses_at_all_scores(checkers: u8, each: usize, plies: u8) -> Losses {
    let engine = Engine::builder().threads(1).build().unwrap();
    let sides = Sides::of_at_most(checkers);
    let count = sides.all.len();
    let mut chance = rng::stream(59, 0);
    let mut below = |bound: usize| rng::below(&mut chance, bound as u32) as usize;
    let mut losses = Losses::default();
    let scores = (2..=9).flat_map(|high| (1..=high).map(move |low| [low, high]));
    for away in scores {
        let solution = Solution::of(&sides, away, engine.met());
        let players = if away[0] == away[1] { 1 } else { 2 };
        for player in 0..players {
            let seen = solution.seen_by(player);
            let (mut found, mut tried) = (0, 0);
            while found < each && tried < 200 * each {
                tried += 1;
                let pair = [1 + below(count - 1), 1 + below(count - 1)];
                let doublings = below(4) as u8;
                let owner = OWNERS[usize::from(doublings > 0)];
                let value = |doublings, owner| {
                    let table = solution.rolled.get(&(player, doublings, owner))?;
                    Some(table[pair[0] * count + pair[1]])
                };
                let (Some(none), Some(take)) = (
                    value(doublings, owner),
                    value(doublings + 1, CubeOwner::Opponent),
                ) else {
                    continue;
                };
                let pass = engine.met().after(score(seen), true, 1 << doublings);
                let close = (take - none).abs().min((take - pass).abs()) <= 0.08;
                if seen[0] <= 1 << doublings || !close || take >= 1.0 {
                    continue;
                }
                found += 1;
                let state = MatchState {
                    score: score(seen),
                    cube: Cube::new(1 << doublings, owner).unwrap(),
                    ..MatchState::default()
                };
                let query = CubeQuery::new(sides.position(pair), state);
                let answer = engine.cube_action(&query, &Settings::plies(plies), &Stop::never());
                let answer = answer.unwrap();
                losses.add([none, take, pass], answer.double, answer.take);
            }
        }
    }
    losses
}

/// CUBE-05, CUBE-13, CUBE-14: before these rules held in tables, 5 verdicts in 100 were wrong and lost 0.0012 and 0.0009 of
/// a match on average.
#[test]
fn close_bearoffs_at_all_scores_lose_little() {
    let losses = losses_at_all_scores(3, 30, 0);
    assert!(losses.count > 1_500, "{losses:?}");
    let [doubles, takes] = losses.means();
    assert!(
        doubles < 0.0003 && takes < 0.0001,
        "{doubles} {takes} {losses:?}"
    );
    assert!(
        losses.worst[0] < 0.09 && losses.worst[1] < 0.05,
        "{losses:?}"
    );
}

/// Checks more checkers and decisions, and searches.
#[test]
#[ignore = "long; cargo test --release -p gammond-engine --lib -- --ignored"]
fn more_close_bearoffs_at_all_scores_lose_little() {
    for (plies, each, most) in [(0, 400, 0.0002), (1, 100, 0.0001), (2, 40, 0.00003)] {
        let losses = losses_at_all_scores(4, each, plies);
        let [doubles, takes] = losses.means();
        assert!(
            doubles < most && takes < most / 2.0,
            "{doubles} {takes} {losses:?}"
        );
    }
}
