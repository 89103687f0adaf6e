//! Duels without the luck of the dice, as a judge sees it.
//!
//! At each turn the luck is the judge's value of its best play of the roll thrown, less the mean of that over all rolls.
//! Its expectation is 0 whatever the judge believes, so points less luck have the expectation of the points and, with
//! a good judge, a fiftieth of their variance.

use super::game::play_game;
use crate::eval::Evaluator;
use crate::game::{Position, Roll};
use crate::job::{BadPart, Control, Header, Job, JobEnd, JobError, Progress, Runner};
use crate::player::{Player, PlayerError};
use crate::rng::ChaCha8Rng;
use crate::search::{Filter, OnePly, Scratch};
use crate::stats::Running;
use crate::stop::Stop;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Mutex;

/// What a duel has shown, points per game for the first player, one number for each pair of games.
#[derive(Clone, Debug, Default)]
pub struct Adjusted {
    /// As they were played.
    pub points: Running,
    /// Less the luck.
    pub adjusted: Running,
}

impl Adjusted {
    /// How many times as many games without adjustment would tell as much.
    #[must_use]
    pub fn factor(&self) -> f64 {
        self.points.variance() / self.adjusted.variance().max(f64::MIN_POSITIVE)
    }
}

/// A duel without luck as a job; a part is a pair of games.
struct AdjustedDuel<'a> {
    seed: u64,
    pairs: u64,
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
        Some(self.pairs)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, PlayerError> {
        let pair = play_pair(self.seed, number, self.players, &self.luck, stop)?;
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
        let (mean, error) = (seen.adjusted.mean(), seen.adjusted.standard_error());
        let figures = format!("{mean:+.4} +- {error:.4} points per game");
        Progress::new("games", 2 * parts, Some(2 * self.pairs)).figures(figures)
    }
}

/// Plays `pairs` pairs of games with the dice of `seed` and takes out the luck that a judge sees, who comes with
/// everything that decides what it says, in words and checksums. Goes on from where the journal ends.
///
/// # Errors
/// When a player fails or the journal cannot be used.
pub fn play_adjusted(
    (seed, pairs): (u64, u64),
    players: [&dyn Player; 2],
    (judge, identity): (&dyn Evaluator, String),
    journal: Option<&Path>,
    control: &mut Control<'_>,
) -> Result<JobEnd<Adjusted>, JobError<PlayerError>> {
    let mut header = Header::new("duel without luck", 1)
        .field("seed", seed)
        .field("judge", identity);
    for (name, player) in ["player 1", "player 2"].into_iter().zip(players) {
        header = header.field(name, player.identity().map_err(JobError::Work)?);
    }
    let duel = AdjustedDuel {
        seed,
        pairs,
        players,
        luck: Luck::new(judge),
        header,
    };
    Runner::new().journal(journal).run(&duel, control)
}

/// Points and luck per game of the first player in both games of a pair.
fn play_pair(
    seed: u64,
    pair: u64,
    players: [&dyn Player; 2],
    luck: &Luck<'_>,
    stop: &Stop,
) -> Result<Option<[f64; 2]>, PlayerError> {
    let mut sums = [0.0; 2];
    for mirrored in [false, true] {
        let game = Mutex::new(Game::default());
        let mut watched = [0, 1].map(|place| Watched {
            player: players[place],
            sign: [1.0, -1.0][place],
            luck,
            game: &game,
        });
        if mirrored {
            watched.reverse();
        }
        let order: [&dyn Player; 2] = [&watched[0], &watched[1]];
        let Some(finish) = play_game(order, seed, pair, stop)? else {
            return Ok(None);
        };
        let points = f64::from(finish.points);
        sums[0] += if mirrored { -points } else { points } / 2.0;
        let game = game.into_inner().unwrap_or_else(|held| held.into_inner());
        sums[1] += game.luck / 2.0;
    }
    Ok(Some(sums))
}

/// The luck of rolls.
#[derive(Debug)]
struct Luck<'a> {
    judge: OnePly<'a>,
    /// Mean of the best plays of the fifteen rolls that can open a game.
    opening: f64,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl<'a> Luck<'a> {
    fn new(judge: &'a dyn Evaluator) -> Luck<'a> {
        let mut luck = Luck {
            judge: OnePly::new(judge, Filter::PRUNING),
            opening: 0.0,
        };
        let rolls = Roll::ALL.into_iter().filter(|roll| !roll.is_double());
        let values: Vec<f64> = rolls
            .map(|roll| luck.best(&Position::start(), roll))
            .collect();
        luck.opening = values.iter().sum::<f64>() / values.len() as f64;
        luck
    }

    fn best(&self, position: &Position, roll: Roll) -> f64 {
        SCRATCH.with_borrow_mut(|scratch| {
            let best = self.judge.best(position, roll, scratch);
            f64::from(best.chances.equity())
        })
    }

    /// Luck of the player on roll.
    fn of(&self, position: &Position, roll: Roll, opens: bool) -> f64 {
        if opens {
            return self.best(position, roll) - self.opening;
        }
        SCRATCH.with_borrow_mut(|scratch| {
            let ahead = self.judge.ahead(position, roll, scratch);
            let best = ahead.ranked.first();
            best.map_or(0.0, |best| {
                let mean = crate::game::Chances::from_array(ahead.mean).equity();
                f64::from(best.chances.equity()) - f64::from(mean)
            })
        })
    }
}

/// What has happened in a game.
#[derive(Debug, Default)]
struct Game {
    turns: u32,
    /// The luck of the player named first, less the other's.
    luck: f64,
}

/// A player whose rolls are looked at.
struct Watched<'a> {
    player: &'a dyn Player,
    /// 1 for the player named first, -1 for the other.
    sign: f64,
    luck: &'a Luck<'a>,
    game: &'a Mutex<Game>,
}

impl Player for Watched<'_> {
    fn name(&self) -> String {
        self.player.name()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let mut game = self.game.lock().unwrap_or_else(|held| held.into_inner());
        game.luck += self.sign * self.luck.of(position, roll, game.turns == 0);
        game.turns += 1;
        drop(game);
        self.player.play(position, roll, chance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::own::OwnEvaluator;
    use crate::player::PlayerSpec;

    /// Luck has the mean 0 over the rolls, at the opening and in any position, exact tables included.
    #[test]
    fn luck_is_nothing_on_average() {
        let judge = OwnEvaluator::embedded_fast().unwrap();
        let luck = Luck::new(&judge);
        let mut counts = [0; 25];
        (counts[4], counts[5]) = (1, 1);
        let bearoff = Position::new(&counts, &counts).unwrap();
        for (position, opens) in [
            (Position::start(), true),
            (Position::start(), false),
            (bearoff, false),
        ] {
            let (mut sum, mut size) = (0.0, 0.0);
            for roll in Roll::ALL {
                if !(opens && roll.is_double()) {
                    let one = f64::from(roll.weight()) * luck.of(&position, roll, opens);
                    (sum, size) = (sum + one, size + one.abs());
                }
            }
            assert!(sum.abs() < 1e-4 && size > 1.0, "{position:?}: {sum} {size}");
        }
    }

    /// A game's points less luck agree with its points on average, and scatter far less.
    #[test]
    fn adjusted_points_scatter_less() {
        let open = |text: &str| text.parse::<PlayerSpec>().unwrap().open().unwrap();
        let (a, b) = (open("gammond:nets=embedded:fast"), open("pubeval"));
        let judge = OwnEvaluator::embedded().unwrap();
        let adjusted = |plan, players| {
            let judge: (&dyn Evaluator, String) = (&judge, "embedded".to_owned());
            let outcome = play_adjusted(plan, players, judge, None, &mut Control::quiet());
            outcome.unwrap().sum
        };
        let seen = adjusted((5, 60), [&*a, &*b]);
        assert!(seen.factor() > 5.0, "{}", seen.factor());
        let error = seen.points.standard_error() + seen.adjusted.standard_error();
        let apart = (seen.points.mean() - seen.adjusted.mean()).abs();
        assert!(apart < 4.0 * error, "{apart} {error}");
        assert!(seen.adjusted.mean() > 4.0 * seen.adjusted.standard_error());
        // A player against itself: no difference at all.
        let even = adjusted((6, 10), [&*b, &*b]);
        assert!(even.points.mean() == 0.0 && even.adjusted.mean().abs() < 1e-9);
    }
}
