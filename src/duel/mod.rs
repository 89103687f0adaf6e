//! Games between two players.
//!
//! A pair of games with the same dice, the players changing sides, is the unit: its mean result is
//! what is averaged, and a part of the [`job`](crate::job): a duel can be stopped and continued,
//! divided and merged, and gives the same result on any number of threads.

mod game;
mod luck;

use game::play_watched_game;
pub use game::{Finish, PlayedTurn, play_game};
pub use luck::{Adjusted, play_adjusted};

use crate::job::{BadPart, Control, Header, Job, JobEnd, JobError, Progress, Runner};
use crate::player::{Player, PlayerError};
use crate::stats::{Running, SprtVerdict, sequential};
use crate::stop::Stop;
use std::path::Path;

/// What a duel is.
#[derive(Clone, Debug)]
pub struct DuelPlan {
    /// Seed of all dice.
    pub seed: u64,
    /// Pairs of games to play at most.
    pub pairs: u64,
    /// Stop when the sequential test between 0 and this many points per game has decided.
    pub decide: Option<f64>,
    /// Each game has dice of its own; else the two games of a pair have the same.
    pub independent: bool,
}

/// What a duel has shown so far, seen by the first player.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Points per game, one number for each pair.
    pub points: Running,
    /// Games won, gammons and backgammons among them, by the first and by the second player.
    pub wins: [[u64; 3]; 2],
}

impl Tally {
    fn add(&mut self, pair: [i8; 2]) {
        self.points
            .add(pair.iter().map(|&p| f64::from(p)).sum::<f64>() / 2.0);
        for points in pair {
            let side = &mut self.wins[usize::from(points < 0)];
            for (least, count) in (1..).zip(side.iter_mut()) {
                *count += u64::from(points.unsigned_abs() >= least);
            }
        }
    }

    /// Games counted.
    #[must_use]
    pub const fn games(&self) -> u64 {
        2 * self.points.count()
    }
}

/// A pair of games that was played: of each the turns, players by their places in the duel, and the points of the first player.
#[derive(Clone, Debug)]
pub struct PlayedPair {
    /// The number of the pair, from 0.
    pub number: u64,
    /// The games.
    pub games: [(Vec<PlayedTurn>, i8); 2],
}

/// Hears of each pair that is played, on any thread.
pub type PairWatch<'a> = dyn Fn(PlayedPair) + Send + Sync + 'a;

/// Duels among several players as one job. A part is a pair of games; the duels take turns, so all
/// are equally far at any time.
#[derive(Clone)]
pub struct Duels<'a> {
    plan: DuelPlan,
    players: Vec<&'a dyn Player>,
    pairings: Vec<[usize; 2]>,
    header: Header,
    watch: Option<&'a PairWatch<'a>>,
}

impl std::fmt::Debug for Duels<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<String> = self.players.iter().map(|player| player.name()).collect();
        f.debug_struct("Duels")
            .field("plan", &self.plan)
            .field("players", &names)
            .field("pairings", &self.pairings)
            .finish_non_exhaustive()
    }
}

/// Most points that a cubeless game is worth.
const POINTS_MAX: u8 = 3;

impl<'a> Duels<'a> {
    /// A duel as `plan` describes it for each of the `pairings`, which are places in `players`;
    /// those beyond its end are left out.
    ///
    /// # Errors
    /// When the files of a player cannot be read any more.
    pub fn new(
        plan: &DuelPlan,
        players: &[&'a dyn Player],
        mut pairings: Vec<[usize; 2]>,
    ) -> Result<Duels<'a>, PlayerError> {
        pairings.retain(|pairing| pairing.iter().all(|&place| place < players.len()));
        let mut header = Header::new("duel", 1).field("seed", plan.seed);
        for (place, player) in players.iter().enumerate() {
            header = header.field(&format!("player {}", place + 1), player.identity()?);
        }
        if plan.independent {
            header = header.field("dice", "independent");
        }
        if players.len() > 2 {
            let names = pairings.iter().map(|[a, b]| format!("{}-{}", a + 1, b + 1));
            header = header.field("pairings", names.collect::<Vec<_>>().join(" "));
        }
        Ok(Duels {
            plan: plan.clone(),
            players: players.to_vec(),
            pairings,
            header,
            watch: None,
        })
    }

    /// Which duel a part belongs to, and which of its pairs it is.
    fn place(&self, number: u64) -> Option<(usize, u64)> {
        let count = self.pairings.len() as u64;
        Some((number.checked_rem(count)? as usize, number / count))
    }
}

impl Job for Duels<'_> {
    /// One for each pairing.
    type Sum = Vec<Tally>;
    type Error = PlayerError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Vec<Tally> {
        vec![Tally::default(); self.pairings.len()]
    }

    fn parts(&self) -> Option<u64> {
        Some(self.plan.pairs.saturating_mul(self.pairings.len() as u64))
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, PlayerError> {
        let Some((duel, pair)) = self.place(number) else {
            return Ok(None);
        };
        let [first, second] = self.pairings[duel].map(|place| self.players[place]);
        let mut games = [(Vec::new(), 0), (Vec::new(), 0)];
        let orders = [([first, second], 1), ([second, first], -1)];
        for (game, ((order, sign), (turns, points))) in
            (0..).zip(orders.into_iter().zip(&mut games))
        {
            let mut watch = |turn: PlayedTurn| {
                if self.watch.is_some() {
                    let player = if sign > 0 {
                        turn.player
                    } else {
                        1 - turn.player
                    };
                    turns.push(PlayedTurn { player, ..turn });
                }
            };
            let number = match self.plan.independent {
                true => 2 * pair + game,
                false => pair,
            };
            let dice = (self.plan.seed, number);
            let Some(finish) = play_watched_game(order, dice, &mut watch, stop)? else {
                return Ok(None);
            };
            *points = sign * finish.points;
        }
        let points = games.each_ref().map(|(_, points)| *points as u8);
        if let Some(watch) = self.watch {
            watch(PlayedPair {
                number: pair,
                games,
            });
        }
        Ok(Some(points.into()))
    }

    fn merge(&self, tallies: &mut Vec<Tally>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let pair: [u8; 2] = bytes.try_into().map_err(|_| BadPart)?;
        let pair = pair.map(|byte| byte as i8);
        if pair.iter().any(|points| points.unsigned_abs() > POINTS_MAX) {
            return Err(BadPart);
        }
        let (duel, _) = self.place(number).ok_or(BadPart)?;
        tallies[duel].add(pair);
        Ok(())
    }

    fn is_done(&self, tallies: &Vec<Tally>) -> bool {
        let (Some(step), [tally]) = (self.plan.decide, &tallies[..]) else {
            return false;
        };
        sequential(&tally.points, 0.0, step).1 != SprtVerdict::Open
    }

    fn progress(&self, tallies: &Vec<Tally>, parts: u64) -> Progress {
        let total = self.parts().map(|parts| parts.saturating_mul(2));
        let figures = match &tallies[..] {
            [tally] if parts > 0 => {
                let (mean, error) = (tally.points.mean(), tally.points.standard_error());
                format!("{mean:+.4} +- {error:.4} points per game")
            }
            _ => String::new(),
        };
        Progress::new("games", 2 * parts, total).figures(figures)
    }
}

/// Plays `plan` between two players, from where the journal ends.
///
/// # Errors
/// When the journal cannot be used or a player fails.
pub fn play_duel(
    plan: &DuelPlan,
    players: [&dyn Player; 2],
    journal: Option<&Path>,
    control: &mut Control<'_>,
) -> Result<JobEnd<Tally>, DuelError> {
    play_watched_duel(plan, players, None, journal, control)
}

/// [`play_duel`]; `watch` hears of each pair of games that is played now, not of those that the journal has.
///
/// # Errors
/// As [`play_duel`].
pub fn play_watched_duel<'a>(
    plan: &DuelPlan,
    players: [&'a dyn Player; 2],
    watch: Option<&'a PairWatch<'a>>,
    journal: Option<&Path>,
    control: &mut Control<'_>,
) -> Result<JobEnd<Tally>, DuelError> {
    let mut duels = Duels::new(plan, &players, vec![[0, 1]]).map_err(JobError::Work)?;
    duels.watch = watch;
    let JobEnd { mut sum, complete } = Runner::new().journal(journal).run(&duels, control)?;
    Ok(JobEnd {
        sum: sum.pop().unwrap_or_default(),
        complete,
    })
}

/// Why a duel ends before its end.
pub type DuelError = JobError<PlayerError>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;

    fn player(text: &str) -> Box<dyn Player> {
        text.parse::<PlayerSpec>().unwrap().open().unwrap()
    }

    #[test]
    fn a_player_against_itself_is_even() {
        let one = player("pubeval");
        let plan = DuelPlan {
            seed: 4,
            pairs: 50,
            decide: None,
            independent: false,
        };
        let tally = play_duel(&plan, [&*one, &*one], None, &mut Control::quiet())
            .unwrap()
            .sum;
        assert_eq!(tally.points.mean(), 0.0);
        assert_eq!(tally.wins[0], tally.wins[1]);
        assert_eq!(tally.games(), 100);
    }

    #[test]
    fn goes_on_from_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("duel");
        let (a, b) = (player("pubeval"), player("random"));
        let run = |pairs, path: Option<&Path>| {
            let plan = DuelPlan {
                seed: 9,
                pairs,
                decide: None,
                independent: false,
            };
            play_duel(&plan, [&*a, &*b], path, &mut Control::quiet())
                .unwrap()
                .sum
        };
        run(64, Some(&path));
        let resumed = run(150, Some(&path));
        let whole = run(150, None);
        assert_eq!(resumed.points, whole.points);
        assert_eq!(resumed.wins, whole.wins);
        assert!(whole.points.mean() > 1.0);
    }
}
