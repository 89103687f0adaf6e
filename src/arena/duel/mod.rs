//! Games between two players.
//!
//! A pair of games (or matches) with the same dice, the players changing sides, is the unit: its mean result is
//! averaged, and is a part of the [`job`](gammond_job): a duel can be stopped and continued, divided and merged, and
//! gives the same result on any number of threads.
//!
//! * `terms`: the stakes; `game`: one game, or a match of them; `luck`: duels without luck; `rating`: what a share of
//!   wins means in Elo and FIBS points.

mod game;
mod luck;
mod rating;
mod terms;

pub use game::{Finish, play_game};
use game::{GameEvent, SetNumber, play_set, without_cube};
use gammond_report::render::signed;
pub use luck::{Adjusted, AdjustedPlan, play_adjusted};
pub use rating::{elo, fibs};
use terms::Contest;
pub use terms::{DuelAction, DuelTerms, PlayedGame, PlayedTurn, rules_text};

use crate::player::{Player, PlayerError};
use gammond_base::stats::{Running, SprtVerdict, sequential};
use gammond_base::stop::Stop;
use gammond_game::{Cube, StartPositions, Variant};
use gammond_job::{BadPart, Control, Header, Job, JobEnd, JobError, Progress, Runner};
use std::path::Path;

/// Settings of a duel.
#[derive(Clone, Debug, Default)]
pub struct DuelPlan {
    /// Seed of all dice.
    pub seed: u64,
    /// Maximum number of pairs of games (or matches) to play.
    pub pairs: u64,
    /// Stop when the sequential test between 0 and this many points per game has decided.
    pub decide: Option<f64>,
    /// True if each game has dice of its own; else the two games of a pair have the same.
    pub independent: bool,
    /// Stakes of the games.
    pub terms: DuelTerms,
    /// Variant of the games.
    pub variant: Variant,
    /// Positions at which the games begin, the next one for each pair.
    pub starts: StartPositions,
    /// Treatment of games in which another program fails.
    pub failures: Failures,
}

/// Treatment of games (or matches) in which another program exits, times out or gives an impossible answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failures {
    /// The duel ends with an error.
    #[default]
    End,
    /// The game does not count, nor does the other game of its pair.
    Void,
    /// Its player loses one point, or the match.
    Forfeit,
}

impl Failures {
    const fn name(self) -> &'static str {
        match self {
            Failures::End => "end",
            Failures::Void => "void",
            Failures::Forfeit => "forfeit",
        }
    }
}

/// Maximum number of failures one after the other, without a game between them that was played to its end, after
/// which a duel ends.
const FAILURES_IN_ROW_MAX: u64 = 10;

/// Results of a duel so far, for the first player.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Points per game, one number for each pair. In matches: 1 for one won, -1 for one lost.
    pub points: Running,
    /// Share of games (or matches) won, one number for each pair; a game without a winner is half won.
    pub won: Running,
    /// Games won, gammons and backgammons among them, by the first and by the second player; with the cube and in
    /// matches the winners only.
    pub wins: [[u64; 3]; 2],
    /// Games (or matches) in which the first and the second player failed.
    pub failed: [u64; 2],
    /// Games (or matches) that were not counted.
    pub void: u64,
    failed_in_row: u64,
}

impl Tally {
    fn add(&mut self, pair: PairResult, plan: &DuelPlan) {
        for failed in pair.failed {
            self.failed_in_row += 1;
            match failed {
                Some(player) => self.failed[player] += 1,
                None => self.failed_in_row = 0,
            }
        }
        if plan.failures == Failures::Void && pair.failed.iter().any(Option::is_some) {
            self.void += 2;
            return;
        }
        let mean = |of: &dyn Fn(i32) -> f64| pair.points.iter().map(|&p| of(p)).sum::<f64>() / 2.0;
        self.points.add(mean(&f64::from));
        self.won
            .add(mean(&|points| f64::from(points.signum() + 1) / 2.0));
        for points in pair.points {
            let side = &mut self.wins[usize::from(points < 0)];
            let size = match plan.terms {
                DuelTerms::Cubeless => points.unsigned_abs(),
                DuelTerms::Money(_) | DuelTerms::Match(_) => points.unsigned_abs().min(1),
            };
            for (least, count) in (1..).zip(side.iter_mut()) {
                *count += u64::from(size >= least);
            }
        }
    }

    /// Returns the games (or matches) counted.
    #[must_use]
    pub const fn games(&self) -> u64 {
        2 * self.points.count()
    }

    /// Returns true if the duel ended because of too many failures in a row.
    #[must_use]
    pub const fn gave_up(&self) -> bool {
        self.failed_in_row >= FAILURES_IN_ROW_MAX
    }
}

/// Result of a pair: points of the first player in both games, and the player that failed in each, if any.
#[derive(Clone, Copy)]
struct PairResult {
    points: [i32; 2],
    failed: [Option<usize>; 2],
}

impl PairResult {
    /// Cubeless games without failures keep the two bytes that they have always had.
    fn bytes(&self, plan: &DuelPlan) -> Vec<u8> {
        if plan.is_plain() {
            return self.points.map(|points| points as i8 as u8).into();
        }
        let mut bytes: Vec<u8> = self.points.iter().flat_map(|p| p.to_le_bytes()).collect();
        bytes.extend(
            self.failed
                .map(|failed| failed.map_or(0, |player| player as u8 + 1)),
        );
        bytes
    }

    fn read(bytes: &[u8], plan: &DuelPlan) -> Result<PairResult, BadPart> {
        let pair = if plan.is_plain() {
            let pair: [u8; 2] = bytes.try_into().map_err(|_| BadPart)?;
            PairResult {
                points: pair.map(|byte| i32::from(byte as i8)),
                failed: [None; 2],
            }
        } else {
            let bytes: &[u8; 10] = bytes.try_into().map_err(|_| BadPart)?;
            let [a, b, c, d, e, f, g, h, first, second] = *bytes;
            let failed = |byte: u8| match byte {
                0 => Ok(None),
                1 | 2 => Ok(Some(usize::from(byte) - 1)),
                _ => Err(BadPart),
            };
            PairResult {
                points: [[a, b, c, d], [e, f, g, h]].map(i32::from_le_bytes),
                failed: [failed(first)?, failed(second)?],
            }
        };
        let most = plan.points_max();
        match pair.points.iter().all(|p| p.unsigned_abs() <= most) {
            true => Ok(pair),
            false => Err(BadPart),
        }
    }
}

impl DuelPlan {
    /// Returns true if a result is always a number from 0 to 3.
    fn is_plain(&self) -> bool {
        self.terms == DuelTerms::Cubeless && self.failures == Failures::End
    }

    const fn contest(&self) -> Contest<'_> {
        Contest {
            terms: self.terms,
            variant: self.variant,
            starts: &self.starts,
        }
    }

    /// Returns the most points that one game brings.
    const fn points_max(&self) -> u32 {
        match self.terms {
            DuelTerms::Cubeless => 3,
            DuelTerms::Money(_) => 3 * Cube::MAX as u32,
            DuelTerms::Match(_) => 1,
        }
    }
}

/// A pair of games (or matches) that was played, players by their places in the duel.
#[derive(Clone, Debug)]
pub struct PlayedPair {
    /// The number of the pair, from 0.
    pub number: u64,
    /// The games of each: one, or those of a match.
    pub sets: [Vec<PlayedGame>; 2],
}

/// Callback that receives each pair played, on any thread.
pub type PairWatch<'a> = dyn Fn(PlayedPair) + Send + Sync + 'a;

/// Callback that receives each failure of a program that the duel survives, on any thread.
pub type FailureWatch<'a> = dyn Fn(&PlayerError) + Send + Sync + 'a;

/// Duels among several players as one job. A part is a pair of games; the duels take turns, so all
/// are equally far at any time.
#[derive(Clone)]
pub struct Duels<'a> {
    plan: DuelPlan,
    players: Vec<&'a dyn Player>,
    pairings: Vec<[usize; 2]>,
    header: Header,
    watch: Option<&'a PairWatch<'a>>,
    failed: Option<&'a FailureWatch<'a>>,
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

/// Adds who plays, and for what, to the header of a job.
fn described(
    mut header: Header,
    contest: Contest<'_>,
    players: &[&dyn Player],
) -> Result<Header, PlayerError> {
    let variant = contest.variant;
    for (place, player) in players.iter().enumerate() {
        player.can_play(variant)?;
        header = header.field(&format!("player {}", place + 1), player.identity()?);
    }
    if variant != Variant::Backgammon {
        header = header.field("variant", variant.name());
    }
    if let Some(text) = contest.starts.text() {
        header = header.field("starts", text);
    }
    if let Some(text) = contest.terms.text() {
        header = header.field("terms", text);
        for (place, player) in players.iter().enumerate() {
            let with_cube = player.with_cube().ok_or_else(|| without_cube(*player))?;
            let identity = with_cube.cube_identity()?;
            header = header.field(&format!("cube of player {}", place + 1), identity);
        }
    }
    Ok(header)
}

impl<'a> Duels<'a> {
    /// Creates a duel as `plan` describes it for each of the `pairings`, which are places in `players`; those beyond
    /// its end are left out.
    ///
    /// # Errors
    /// When the files of a player can no longer be read, or a player does not know the cube that the terms
    /// have.
    pub fn new(
        plan: &DuelPlan,
        players: &[&'a dyn Player],
        mut pairings: Vec<[usize; 2]>,
    ) -> Result<Duels<'a>, PlayerError> {
        pairings.retain(|pairing| pairing.iter().all(|&place| place < players.len()));
        let header = Header::new("duel", 1).field("seed", plan.seed);
        let mut header = described(header, plan.contest(), players)?;
        if plan.independent {
            header = header.field("dice", "independent");
        }
        if plan.failures != Failures::End {
            header = header.field("failures", plan.failures.name());
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
            failed: None,
        })
    }

    /// Sets the callback for each pair that is played now, not for those that the journal has.
    #[must_use]
    pub fn watched(mut self, watch: Option<&'a PairWatch<'a>>) -> Duels<'a> {
        self.watch = watch;
        self
    }

    /// Sets the callback for the failures that the plan lets pass.
    #[must_use]
    pub fn watching_failures(mut self, failed: &'a FailureWatch<'a>) -> Duels<'a> {
        self.failed = Some(failed);
        self
    }

    /// Returns the duel that a part belongs to, and the pair in it.
    fn place(&self, number: u64) -> Option<(usize, u64)> {
        let count = self.pairings.len() as u64;
        Some((number.checked_rem(count)? as usize, number / count))
    }

    /// Plays one game or match of a pair. Points of the pairing's first player, and which of its players failed.
    fn set(
        &self,
        [first, second]: [&dyn Player; 2],
        (pair, exchanged): (u64, bool),
        games: &mut Vec<PlayedGame>,
        stop: &Stop,
    ) -> Result<Option<(i32, Option<usize>)>, PlayerError> {
        let order = if exchanged {
            [second, first]
        } else {
            [first, second]
        };
        let mine = |points: i32| if exchanged { -points } else { points };
        let mut watch = |event: GameEvent| {
            if self.watch.is_none() {
                return;
            }
            match (event, games.last_mut()) {
                (GameEvent::Begins([mine, other], start), _) => games.push(PlayedGame {
                    start,
                    scores: if exchanged {
                        [other, mine]
                    } else {
                        [mine, other]
                    },
                    ..PlayedGame::default()
                }),
                (GameEvent::Done(action), Some(game)) => {
                    game.actions.push(action.exchanged(exchanged))
                }
                (GameEvent::Ends(points), Some(game)) => game.points = mine(points),
                _ => {}
            }
        };
        let set = SetNumber {
            seed: self.plan.seed,
            dice: set_number(pair, exchanged, self.plan.independent),
            pair,
        };
        match play_set(self.plan.contest(), order, set, &mut watch, stop) {
            Ok(points) => Ok(points.map(|points| (mine(points), None))),
            Err(fault) => {
                let program = matches!(*fault.error, PlayerError::Program { .. });
                if self.plan.failures == Failures::End || !program {
                    return Err(*fault.error);
                }
                if let Some(failed) = self.failed {
                    failed(&fault.error);
                }
                let player = if exchanged {
                    1 - fault.player
                } else {
                    fault.player
                };
                Ok(Some(([-1, 1][player], Some(player))))
            }
        }
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
        let players = self.pairings[duel].map(|place| self.players[place]);
        let mut sets = [Vec::new(), Vec::new()];
        let mut result = PairResult {
            points: [0; 2],
            failed: [None; 2],
        };
        for (game, exchanged) in [false, true].into_iter().enumerate() {
            let played = self.set(players, (pair, exchanged), &mut sets[game], stop)?;
            let Some((points, failed)) = played else {
                return Ok(None);
            };
            (result.points[game], result.failed[game]) = (points, failed);
        }
        if let Some(watch) = self.watch {
            watch(PlayedPair { number: pair, sets });
        }
        Ok(Some(result.bytes(&self.plan)))
    }

    fn merge(&self, tallies: &mut Vec<Tally>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let pair = PairResult::read(bytes, &self.plan)?;
        let (duel, _) = self.place(number).ok_or(BadPart)?;
        tallies[duel].add(pair, &self.plan);
        Ok(())
    }

    fn is_done(&self, tallies: &Vec<Tally>) -> bool {
        if tallies.iter().any(Tally::gave_up) {
            return true;
        }
        let (Some(step), [tally]) = (self.plan.decide, &tallies[..]) else {
            return false;
        };
        sequential(&tally.points, 0.0, step).1 != SprtVerdict::Open
    }

    fn progress(&self, tallies: &Vec<Tally>, parts: u64) -> Progress {
        let total = self.parts().map(|parts| parts.saturating_mul(2));
        let figures = match &tallies[..] {
            [tally] if parts > 0 => figures(&tally.points, self.plan.terms),
            _ => String::new(),
        };
        Progress::new(self.plan.terms.unit(), 2 * parts, total).figures(figures)
    }
}

/// Returns the dice of a game (or match) of a pair.
const fn set_number(pair: u64, second: bool, independent: bool) -> u64 {
    if independent {
        2 * pair + second as u64
    } else {
        pair
    }
}

/// Formats the result of a duel so far, on one line.
fn figures(points: &Running, terms: DuelTerms) -> String {
    let (mean, error) = (points.mean(), points.standard_error());
    match terms {
        DuelTerms::Match(_) => {
            let error = points.scaled(0.5, 0.5).share_error();
            format!("{:.2} +- {:.2} % won", 50.0 * (1.0 + mean), 100.0 * error)
        }
        DuelTerms::Cubeless | DuelTerms::Money(_) => {
            format!("{} +- {error:.4} points per game", signed(mean, 4))
        }
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
    let duels = Duels::new(plan, &players, vec![[0, 1]]).map_err(JobError::Work)?;
    let JobEnd { mut sum, complete } = Runner::new().journal(journal).run(&duels, control)?;
    Ok(JobEnd {
        sum: sum.pop().unwrap_or_default(),
        complete,
    })
}

/// An error that ends a duel early.
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
            ..DuelPlan::default()
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
                ..DuelPlan::default()
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
