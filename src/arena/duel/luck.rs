//! Duels without the luck of the dice, as a judge sees it.
//!
//! At each turn the luck is the judge's value of its best play of the roll thrown, less the mean of that over all rolls.
//! Its expectation is 0 whatever the judge believes, so points less luck have the expectation of the points and, with
//! a good judge, a fiftieth of their variance. With the cube, values are the judge's with the cube where it is before
//! the throw: in points, or in chances to win the match.

use super::game::{GameEvent, SetNumber, Throw, play_set};
use super::terms::{Contest, DuelTerms};
use super::{described, figures, set_number};
use crate::player::{Player, PlayerError};
use gammond_base::stats::Running;
use gammond_base::stop::Stop;
use gammond_engine::query::Settings;
use gammond_engine::search::{BestPlay, Context, Filter, OnePly, Scratch, Turn};
use gammond_game::{Chances, MatchState, Position, Roll, StartPositions, Variant};
use gammond_job::{BadPart, Control, Header, Job, JobEnd, JobError, Progress, Runner};
use std::cell::RefCell;
use std::path::Path;

/// A duel without luck.
#[derive(Clone, Debug, Default)]
pub struct AdjustedPlan {
    /// Seed of all dice.
    pub seed: u64,
    /// Pairs of games (or matches).
    pub pairs: u64,
    /// True if each game has dice of its own; else the two games of a pair have the same.
    pub independent: bool,
    /// Stakes of the games.
    pub terms: DuelTerms,
    /// Variant of the games.
    pub variant: Variant,
    /// Positions at which the games begin, the next one for each pair.
    pub starts: StartPositions,
}

impl AdjustedPlan {
    const fn contest(&self) -> Contest<'_> {
        Contest {
            terms: self.terms,
            variant: self.variant,
            starts: &self.starts,
        }
    }
}

/// Results of a duel for the first player, in points per game (matches: won less lost), one number for each pair.
#[derive(Clone, Debug, Default)]
pub struct Adjusted {
    /// Points as played.
    pub points: Running,
    /// Points less the luck.
    pub adjusted: Running,
}

impl Adjusted {
    /// Returns the factor on the number of games that a duel without adjustment needs for the same precision.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.points.variance() / self.adjusted.variance().max(f64::MIN_POSITIVE)
    }
}

/// A duel without luck as a job; a part is a pair of games.
struct AdjustedDuel<'a> {
    plan: &'a AdjustedPlan,
    players: [&'a dyn Player; 2],
    luck: Luck<'a>,
    header: Header,
}

impl Job for AdjustedDuel<'_> {
    type Sum = Adjusted;
    type Error = PlayerError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Adjusted {
        Adjusted::default()
    }

    fn parts(&self) -> Option<u64> {
        Some(self.plan.pairs)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, PlayerError> {
        let pair = play_pair(self.plan, number, self.players, &self.luck, stop)?;
        Ok(pair.map(|[points, luck]| [points.to_le_bytes(), luck.to_le_bytes()].concat()))
    }

    fn merge(&self, seen: &mut Adjusted, _: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return Err(BadPart);
        };
        let &[points, luck] = numbers else {
            return Err(BadPart);
        };
        let [points, luck] = [points, luck].map(f64::from_le_bytes);
        seen.points.add(points);
        seen.adjusted.add(points - luck);
        Ok(())
    }

    fn progress(&self, seen: &Adjusted, parts: u64) -> Progress {
        let (unit, total) = (self.plan.terms.unit(), Some(2 * self.plan.pairs));
        Progress::new(unit, 2 * parts, total).figures(figures(&seen.adjusted, self.plan.terms))
    }
}

/// Plays `plan` and takes out the luck that a judge sees. The judge comes with everything that decides its values, in
/// words and checksums. Resumes from the journal.
///
/// # Errors
/// When a player fails or the journal cannot be used.
pub fn play_adjusted(
    plan: &AdjustedPlan,
    players: [&dyn Player; 2],
    (judge, identity): (Context<'_>, String),
    journal: Option<&Path>,
    control: &mut Control<'_>,
) -> Result<JobEnd<Adjusted>, JobError<PlayerError>> {
    let header = Header::new("duel without luck", 1)
        .field("seed", plan.seed)
        .field("judge", identity);
    let mut header = described(header, plan.contest(), &players).map_err(JobError::Work)?;
    if plan.independent {
        header = header.field("dice", "independent");
    }
    let duel = AdjustedDuel {
        plan,
        players,
        luck: Luck::new(judge, plan.terms, plan.variant),
        header,
    };
    Runner::new().journal(journal).run(&duel, control)
}

/// Returns the points and luck per game of the first player in both games of a pair.
fn play_pair(
    plan: &AdjustedPlan,
    pair: u64,
    [first, second]: [&dyn Player; 2],
    luck: &Luck<'_>,
    stop: &Stop,
) -> Result<Option<[f64; 2]>, PlayerError> {
    let mut sums = [0.0; 2];
    for exchanged in [false, true] {
        let order = if exchanged {
            [second, first]
        } else {
            [first, second]
        };
        let mine = |player: usize| {
            if (player == 0) == exchanged {
                -0.5
            } else {
                0.5
            }
        };
        let mut watch = |event: GameEvent| {
            if let GameEvent::Thrown(throw) = event {
                sums[1] += mine(throw.player) * luck.of(&throw);
            }
        };
        let set = SetNumber {
            seed: plan.seed,
            dice: set_number(pair, exchanged, plan.independent),
            pair,
        };
        let played = play_set(plan.contest(), order, set, &mut watch, stop);
        let Some(points) = played.map_err(|fault| *fault.error)? else {
            return Ok(None);
        };
        sums[0] += mine(0) * f64::from(points);
    }
    Ok(Some(sums))
}

/// The luck of rolls.
struct Luck<'a> {
    judge: Context<'a>,
    /// One-ply look-ahead of cubeless games.
    one_ply: OnePly<'a>,
    /// Cubeless games: the start of the variant, and the mean there ([`Luck::mean_of_openings`]).
    opening: Option<(Position, f64)>,
    /// Points that a change of the match winning chance by 1 counts.
    unit: f64,
}

/// Working memory of one thread.
#[derive(Default)]
struct LuckScratch {
    scratch: Scratch,
    best: Vec<BestPlay>,
}

thread_local! {
    static LUCK_SCRATCH: RefCell<LuckScratch> = RefCell::default();
}

impl<'a> Luck<'a> {
    fn new(judge: Context<'a>, terms: DuelTerms, variant: Variant) -> Luck<'a> {
        let mut luck = Luck {
            one_ply: OnePly::new(judge.evaluator, Filter::PRUNING),
            judge,
            opening: None,
            // A match won is 1 and one lost is -1.
            unit: if matches!(terms, DuelTerms::Match(_)) {
                2.0
            } else {
                1.0
            },
        };
        if !terms.has_cube() {
            let start = variant.start();
            luck.opening = Some((start, luck.mean_of_openings(&start)));
        }
        luck
    }

    /// Returns the mean of the best plays of the fifteen rolls that can open a game.
    fn mean_of_openings(&self, start: &Position) -> f64 {
        let rolls = Roll::ALL.into_iter().filter(|roll| !roll.is_double());
        let values: Vec<f64> = rolls.map(|roll| self.best(start, roll)).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn best(&self, position: &Position, roll: Roll) -> f64 {
        LUCK_SCRATCH.with_borrow_mut(|scratch_space| {
            let best = self
                .one_ply
                .best(position, roll, &mut scratch_space.scratch);
            f64::from(best.chances.equity())
        })
    }

    /// Returns the luck of the player on roll, in points of the game, or twice its match winning chance.
    fn of(&self, throw: &Throw) -> f64 {
        let (position, roll) = (&throw.position, throw.roll);
        if let Some(state) = throw.state {
            return self.with_cube(position, state, roll, throw.opens);
        }
        if throw.opens {
            let mean = match self.opening {
                Some((start, mean)) if start == *position => mean,
                _ => self.mean_of_openings(position),
            };
            return self.best(position, roll) - mean;
        }
        LUCK_SCRATCH.with_borrow_mut(|scratch_space| {
            let (mean, drawn) =
                self.one_ply
                    .mean_and_drawn(position, roll, &mut scratch_space.scratch);
            let equity = |chances| f64::from(Chances::from_array(chances).equity());
            equity(drawn) - equity(mean)
        })
    }

    /// Returns the value of the best static play with the cube, less its mean over the rolls that can come.
    fn with_cube(&self, position: &Position, state: MatchState, roll: Roll, opens: bool) -> f64 {
        let turn = Turn::new(&self.judge, state, &Settings::plies(0));
        LUCK_SCRATCH.with_borrow_mut(|scratch_space| {
            turn.best(
                position,
                &Roll::ALL,
                &mut scratch_space.scratch,
                &mut scratch_space.best,
            );
            let (mut sum, mut weights, mut thrown) = (0.0, 0.0, 0.0);
            for (of, best) in Roll::ALL.iter().zip(&scratch_space.best) {
                // Seen by the other player: signs turn, and the rest to 1 makes no difference to a difference.
                let value = -best.value;
                if *of == roll {
                    thrown = value;
                }
                if !(opens && of.is_double()) {
                    let weight = f64::from(of.weight());
                    (sum, weights) = (sum + weight * value, weights + weight);
                }
            }
            let scale = if state.score.is_money() {
                f64::from(state.cube.value())
            } else {
                self.unit
            };
            scale * (thrown - sum / weights)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;
    use gammond_engine::engine::{Engine, Nets};
    use gammond_game::{Cube, CubeOwner, Rules, Score};

    /// Luck has the mean 0 over the rolls, at the opening and in any position, exact tables included, with a cube and without.
    #[test]
    fn luck_is_nothing_on_average() {
        let engine = Engine::builder()
            .nets(Nets::EmbeddedFast)
            .threads(1)
            .build()
            .unwrap();
        let stop = Stop::never();
        let mut counts = [0; 25];
        (counts[4], counts[5]) = (1, 1);
        let bearoff = Position::new(&counts, &counts).unwrap();
        let score = Score::new(5, 3, 1, false).unwrap();
        let cube = Cube::new(2, CubeOwner::Me).unwrap();
        let states = [
            (DuelTerms::Cubeless, None),
            (
                DuelTerms::Money(Rules {
                    jacoby: true,
                    beavers: true,
                }),
                Some(MatchState::default()),
            ),
            (
                DuelTerms::Match(5),
                Some(MatchState {
                    score,
                    cube,
                    ..MatchState::default()
                }),
            ),
        ];
        for (terms, state) in states {
            let luck = Luck::new(engine.context(&stop), terms, Variant::Backgammon);
            for (position, opens) in [
                (Position::start(), true),
                (Position::start(), false),
                (bearoff, false),
            ] {
                let (mut sum, mut size) = (0.0, 0.0);
                for roll in Roll::ALL {
                    if !(opens && roll.is_double()) {
                        let throw = Throw {
                            player: 0,
                            position,
                            state,
                            roll,
                            opens,
                        };
                        let one = f64::from(roll.weight()) * luck.of(&throw);
                        (sum, size) = (sum + one, size + one.abs());
                    }
                }
                assert!(
                    sum.abs() < 1e-4 && size > 0.5,
                    "{terms:?} {position:?}: {sum} {size}"
                );
            }
        }
    }

    /// A game's points less luck agree with its points on average, and scatter far less.
    #[test]
    fn adjusted_points_scatter_less() {
        let open = |text: &str| text.parse::<PlayerSpec>().unwrap().open().unwrap();
        let (a, b) = (open("gammond:nets=embedded:fast"), open("pubeval"));
        let engine = Engine::builder().threads(1).build().unwrap();
        let stop = Stop::never();
        let adjusted = |(seed, pairs, terms, independent), players| {
            let judge = (engine.context(&stop), "embedded".to_owned());
            let plan = AdjustedPlan {
                seed,
                pairs,
                independent,
                terms,
                ..AdjustedPlan::default()
            };
            let outcome = play_adjusted(&plan, players, judge, None, &mut Control::quiet());
            outcome.unwrap().sum
        };
        let seen = adjusted((5, 60, DuelTerms::Cubeless, false), [&*a, &*b]);
        assert!(seen.factor() > 5.0, "{}", seen.factor());
        let error = seen.points.standard_error() + seen.adjusted.standard_error();
        let apart = (seen.points.mean() - seen.adjusted.mean()).abs();
        assert!(apart < 4.0 * error, "{apart} {error}");
        assert!(seen.adjusted.mean() > 4.0 * seen.adjusted.standard_error());
        // A player against itself: no difference at all, or little with dice of its own for each game.
        let even = adjusted((6, 10, DuelTerms::Cubeless, false), [&*b, &*b]);
        assert!(even.points.mean() == 0.0 && even.adjusted.mean().abs() < 1e-9);
        let own = adjusted((6, 60, DuelTerms::Cubeless, true), [&*b, &*b]);
        assert!(own.points.variance() > 0.5 && own.factor() > 5.0);
        assert!(own.adjusted.mean().abs() < 4.0 * own.adjusted.standard_error());
        // With the cube.
        for terms in [
            DuelTerms::Money(Rules {
                jacoby: false,
                beavers: false,
            }),
            DuelTerms::Match(3),
        ] {
            let seen = adjusted((7, 20, terms, true), [&*a, &*a]);
            assert!(seen.factor() > 5.0, "{terms:?}: {}", seen.factor());
            assert!(seen.adjusted.mean().abs() < 4.0 * seen.adjusted.standard_error());
        }
    }
}
