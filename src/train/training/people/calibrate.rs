//! Settings of the model by error rate: games of the model against itself, whose decisions show the setting with which it
//! loses what is asked.

use super::judge::JudgedCube;
use super::samples::Options;
use super::{PeoplePlan, judging};
use gammond_base::rng::{ChaCha8Rng, stream, unit};
use gammond_engine::people::{Dial, People, PlayOption};
use gammond_engine::query::{CubeQuery, PlayQuery, Stop};
use gammond_engine::search;
use gammond_engine::{Engine, Settings};
use gammond_game::{Act, Game, GamePhase, MatchScore, Roll, Rules};
use gammond_job::{Control, Progress};
use rayon::prelude::*;
use std::ops::Range;

/// Error rates whose settings are in the file.
const RATES: [f64; 9] = [0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 20.0, 40.0];
/// Error rates between which the nets know people.
const KNOWN: [f64; 2] = [2.5, 14.0];
/// Points of the matches.
const LENGTH: u32 = 7;
/// Times that games are played for a rate.
const TIMES: usize = 2;

/// Returns the settings at a place on the way from the best to the worst play: between the logarithms of [`KNOWN`] as
/// people of this rate choose, below with more care, above with less sense.
fn dial(pr: f64, place: f64, most: &[f64; 3]) -> Dial {
    let [low, high] = KNOWN.map(f64::ln);
    Dial {
        pr,
        level: place.clamp(low, high) as f32,
        scale: (high - place).min(0.0).exp(),
        care: 40.0 * ((1.5 * (low - place).max(0.0)).exp() - 1.0),
        most: largest_loss(pr, most),
    }
}

/// Returns the largest loss at an error rate, from those at 4, 8 and 16: below and above in proportion to the rate.
fn largest_loss(pr: f64, most: &[f64; 3]) -> f64 {
    let place = (pr / 4.0).log2();
    if place <= 0.0 {
        return most[0] * pr / 4.0;
    }
    if place >= 2.0 {
        return most[2] * pr / 16.0;
    }
    let (low, part) = (place as usize, place.fract());
    most[low] * (1.0 - part) + most[low + 1] * part
}

/// Sets the model's settings by games; false when it was stopped.
pub(super) fn set(
    plan: &PeoplePlan,
    people: &mut People,
    most: [f64; 3],
    engine: &Engine,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> bool {
    if plan.games == 0 {
        return true;
    }
    let mut dials = Vec::new();
    for pr in RATES {
        let mut place = pr.ln();
        let (mut rates, mut pooled) = (Vec::new(), Played::default());
        for time in 0..=TIMES {
            control.task = format!("PR {pr}");
            let progress = Progress::new("times", time as u64, Some(1 + TIMES as u64));
            control.report_progress(progress, false);
            if control.stop.is_triggered() {
                return false;
            }
            let at = dial(pr, place, &most);
            let matches = plan.games / 5 + 1;
            let numbers = time * matches..(time + 1) * matches;
            let played = played(people, &at, Opponent::Itself, (numbers, plan.seed), engine);
            rates.push(played.rate(people, &at));
            // The first games are those of another rate.
            if time > 1 {
                pooled.add(played);
            } else {
                pooled = played;
            }
            place = solve(
                |place| pooled.rate(people, &dial(pr, place, &most)),
                pr,
                place,
            );
        }
        let rates: Vec<String> = rates.iter().map(|rate| format!("{rate:.2}")).collect();
        report(&format!(
            "PR {pr}: {} at {:.2}",
            rates.join(" "),
            place.exp()
        ));
        dials.push(dial(pr, place, &most));
    }
    people.dials = dials;
    true
}

/// Returns the place near `guess` at which a rising function has a value, to a hundredth.
fn solve(of: impl Fn(f64) -> f64, value: f64, guess: f64) -> f64 {
    let (mut low, mut high) = (guess - 1.28, guess + 1.28);
    for _ in 0..7 {
        let middle = f64::midpoint(low, high);
        if of(middle) < value {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Returns the error rate (PR) that is expected of the model in these decisions.
fn rate(people: &People, dial: &Dial, decisions: &[Options]) -> f64 {
    let sums = decisions.par_iter().map(|one| expected(people, dial, one));
    let (loss, counted) = sums.reduce(|| (0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    500.0 * loss / counted
}

/// Returns the loss that is expected, and the share of it that counts as a decision (ANA-13).
fn expected(people: &People, dial: &Dial, options: &Options) -> (f64, f64) {
    match options {
        Options::Plays {
            before,
            roll,
            plays,
            ..
        } => {
            let shares = people.play_shares(dial, before, *roll, plays);
            let losses = plays.iter().map(|play| f64::from(play.loss));
            (
                shares
                    .iter()
                    .zip(losses)
                    .map(|(share, loss)| share * loss)
                    .sum(),
                1.0,
            )
        }
        Options::Cube { option, take, .. } => {
            let acting = match take {
                true => people.take_share(dial, option),
                false => people.double_share(dial, option),
            };
            let gain = f64::from(option.gain);
            let wrong = if gain > 0.0 { 1.0 - acting } else { acting };
            let counted = if *take || gain > -0.16 { 1.0 } else { wrong };
            (wrong * gain.abs(), counted)
        }
    }
}

/// The opponent of the model in matches by which it is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// The model itself, at the same rate.
    Itself,
    /// The engine without look-ahead.
    Static,
}

/// Returns the error rate (PR) that is expected of the model in matches to 7 points at a rate that is asked for, judged as
/// matches are analysed; `None` when it was stopped.
#[must_use]
pub fn measured(
    people: &People,
    pr: f64,
    opponent: Opponent,
    (matches, seed): (usize, u64),
    engine: &Engine,
    control: &mut Control<'_>,
) -> Option<f64> {
    let at = people.dial(pr);
    let mut all = Played::default();
    // So few that a stop is followed soon.
    for begin in (0..matches).step_by(8) {
        let progress = Progress::new("matches", begin as u64, Some(matches as u64));
        control.report_progress(progress, false);
        if control.stop.is_triggered() {
            return None;
        }
        let stretch = begin..matches.min(begin + 8);
        all.add(played(people, &at, opponent, (stretch, seed), engine));
    }
    Some(all.rate(people, &at))
}

/// The decisions of matches, and what was lost in them.
#[derive(Default)]
struct Played {
    decisions: Vec<Options>,
    /// Losses as the rankings have them.
    ranked: f64,
    /// Losses with each play searched to the full depth.
    in_full: f64,
}

impl Played {
    fn add(&mut self, other: Played) {
        self.decisions.extend(other.decisions);
        self.ranked += other.ranked;
        self.in_full += other.in_full;
    }

    /// Returns the error rate (PR) that is expected of the model in these decisions. Rankings value plays that they do not
    /// search deeply without look-ahead; the losses in full correct that.
    fn rate(&self, people: &People, dial: &Dial) -> f64 {
        let correction = if self.ranked > 0.0 {
            self.in_full / self.ranked
        } else {
            1.0
        };
        correction * rate(people, dial, &self.decisions)
    }
}

/// Plays matches of the model.
fn played(
    people: &People,
    dial: &Dial,
    opponent: Opponent,
    (matches, seed): (Range<usize>, u64),
    engine: &Engine,
) -> Played {
    let one = |number: usize| {
        let rng = &mut stream(seed, 1000 + number as u64);
        let played = Played::default();
        let table = Table {
            people,
            dial,
            opponent,
            engine,
            rng,
            played,
        };
        table.play()
    };
    let all: Vec<Played> = matches.into_par_iter().map(one).collect();
    let mut sum = Played::default();
    all.into_iter().for_each(|played| sum.add(played));
    sum
}

/// A match of the model, which is side 0, and side 1 too where it plays itself.
struct Table<'a> {
    people: &'a People,
    dial: &'a Dial,
    opponent: Opponent,
    engine: &'a Engine,
    rng: &'a mut ChaCha8Rng,
    played: Played,
}

impl Table<'_> {
    /// Plays the match.
    fn play(mut self) -> Played {
        let mut score = MatchScore::new(LENGTH);
        while score.winner().is_none() {
            let mut game = score.game(Rules::default(), true);
            if self.game(&mut game).is_none() {
                break;
            }
            match game.end() {
                Some(end) => score.finished(end),
                None => break,
            }
        }
        self.played
    }

    fn game(&mut self, game: &mut Game) -> Option<()> {
        game.act(Act::Roll(Roll::opening(self.rng))).ok()?;
        loop {
            self.checkers(game)?;
            if game.end().is_none() {
                self.cube(game)?;
            }
            if game.end().is_some() {
                return Some(());
            }
            game.act(Act::Roll(Roll::thrown(self.rng))).ok()?;
        }
    }

    fn is_static(&self, side: usize) -> bool {
        side == 1 && self.opponent == Opponent::Static
    }

    fn checkers(&mut self, game: &mut Game) -> Option<()> {
        let GamePhase::Play(roll) = game.phase() else {
            return None;
        };
        let (stop, before) = (Stop::never(), *game.position());
        let query = PlayQuery::new(before, roll, *game.state());
        if self.is_static(game.on_roll()) {
            let settings = Settings::default().with_top(1);
            let ranked = search::rank_plays(self.engine.context(&stop), &query, &settings).ok()?;
            return game.played(ranked.best().position).ok();
        }
        let ranked = search::rank_plays(self.engine.context(&stop), &query, &judging()).ok()?;
        let option = |play| PlayOption::new(play, ranked.best());
        let plays: Vec<PlayOption> = ranked.plays.iter().map(option).collect();
        let shares = self.people.play_shares(self.dial, &before, roll, &plays);
        let mut rest = unit(self.rng);
        let chosen = shares.iter().position(|share| {
            rest -= share;
            rest < 0.0
        });
        let chosen = chosen.unwrap_or(0);
        let after = plays.get(chosen)?.after;
        let ranked_loss = plays.get(chosen)?.loss;
        self.played.ranked += f64::from(ranked_loss);
        self.played.in_full += if ranked.plays.get(chosen)?.plies < ranked.plies {
            let context = self.engine.context(&stop);
            let listed = search::compare_plays(context, &query, &[after], &judging()).ok()?;
            let play = listed.plays.iter().find(|play| play.position == after)?;
            play.loss(listed.best())
        } else {
            ranked_loss.into()
        };
        game.played(after).ok()?;
        if plays.len() > 1 {
            self.played.decisions.push(Options::Plays {
                before,
                roll,
                plays,
                chosen,
            });
        }
        Some(())
    }

    fn cube(&mut self, game: &mut Game) -> Option<()> {
        if game.double_refusal().is_some() {
            return Some(());
        }
        let (stop, position, state) = (Stop::never(), *game.position(), *game.state());
        let query = CubeQuery::new(position, state);
        let answer = search::cube_action(self.engine.context(&stop), &query, &judging()).ok()?;
        let cube = JudgedCube::of(&answer);
        for take in [false, true] {
            if self.is_static(game.actor()) {
                let settings = Settings::default();
                let context = self.engine.context(&stop);
                let answer = search::cube_action(context, &query, &settings).ok()?;
                match (take, answer.double, answer.take) {
                    (false, false, _) => break,
                    (false, true, _) => game.act(Act::Double).ok()?,
                    (true, _, true) => game.act(Act::Take).ok()?,
                    (true, _, false) => game.act(Act::Pass).ok()?,
                }
                continue;
            }
            let option = cube.option(&position, &state, take);
            let share = match take {
                true => self.people.take_share(self.dial, &option),
                false => self.people.double_share(self.dial, &option),
            };
            let acted = unit(self.rng) < share;
            let options = Options::Cube {
                option,
                take,
                acted,
            };
            let lost = options.loss();
            self.played.ranked += lost;
            self.played.in_full += lost;
            self.played.decisions.push(options);
            match (take, acted) {
                (false, false) => break,
                (false, true) => game.act(Act::Double).ok()?,
                (true, true) => game.act(Act::Take).ok()?,
                (true, false) => game.act(Act::Pass).ok()?,
            }
        }
        Some(())
    }
}
