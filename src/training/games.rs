//! Self-play games and their labels: luck-adjusted lambda returns.
//!
//! At every position the mean over the 21 rolls of the value of the best play is computed (the
//! same work as a 1-ply label); the game goes on with one roll, and what later positions teach is
//! brought back without the luck of the dice: `G = M + lambda (G' - V)` (LB-04). Siblings share the
//! correction (LB-05); [`by_games`] is the mean over many games (LB-06).

use super::shard::Label;
use super::starts;
use crate::eval::Evaluator;
use crate::game::{Chances, Class, PlayGenerator, Position, Roll, generate_plays};
use crate::rng::{ChaCha8Rng, below, unit};
use serde::{Deserialize, Serialize};

/// How games are played and labelled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// Weight of what the rest of the game taught, 0 (1-ply labels) to 1 (whole games).
    pub lambda: f32,
    /// Share of games from constructed odd positions.
    pub odd_starts: f64,
    /// Share of games from race positions.
    pub race_starts: f64,
    /// Share of games that begin after 2 to 21 random plays.
    pub random_starts: f64,
    /// Share of games with a little exploration: noise 0.06 in 15 % of the plays.
    pub mild: f64,
    /// Share of games with much exploration: noise 0.25 in 30 % of the plays.
    pub wild: f64,
    /// Chance per play that another good candidate is labelled too. Its label is its own 1-ply value
    /// with the correction that the rest of the game brought to the position chosen: what the game
    /// taught about the plan holds for both, and their difference stays free of the dice.
    pub extra: f64,
    /// Whether races are among such candidates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub extra_races: bool,
    /// How far behind the best play such a candidate may be, in equity.
    pub extra_margin: f32,
    /// Plays that are looked at one play deeper when they are close together; 1 for none.
    pub contenders: usize,
    /// How close, in equity.
    pub contest_margin: f32,
    /// Plays that the quick net hands to the strong one.
    pub filter_plays: usize,
    /// ... among those within this equity of its best.
    pub filter_margin: f32,
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings {
            lambda: 0.5,
            odd_starts: 0.25,
            race_starts: 0.04,
            random_starts: 0.14,
            mild: 0.40,
            wild: 0.15,
            extra: 0.06,
            extra_races: false,
            extra_margin: 0.25,
            contenders: 3,
            contest_margin: 0.04,
            filter_plays: 5,
            filter_margin: 0.25,
        }
    }
}

/// A play's result: the position with the opponent on roll, and the **mover's** chances.
#[derive(Clone, Copy, Debug)]
pub struct Judged {
    /// After the play, the opponent on roll.
    pub after: Position,
    /// The chances of the player who moved.
    pub chances: Chances,
}

/// Room for the work of one thread.
#[derive(Debug, Default)]
pub struct Room {
    after: Vec<Position>,
    chances: Vec<Chances>,
    ranked: Vec<(f32, Position)>,
    judged: Vec<Judged>,
    best: Vec<Judged>,
}

/// Kind of net that judges a position: 0 contact, 1 race, 2 crashed; none when a table does.
#[must_use]
pub fn kind(position: &Position) -> Option<u8> {
    match Class::of(position) {
        Class::Contact => Some(0),
        Class::Crashed => Some(2),
        Class::Race => Some(1),
        _ => None,
    }
}

/// Looks one play ahead with an evaluator.
#[derive(Clone, Copy, Debug)]
pub struct Judges<'a> {
    evaluator: &'a dyn Evaluator,
}

impl<'a> Judges<'a> {
    /// Judges with `evaluator`.
    #[must_use]
    pub fn new(evaluator: &'a dyn Evaluator) -> Judges<'a> {
        Judges { evaluator }
    }

    /// The exact chances of a position that needs no net.
    fn exact(&self, position: &Position) -> Option<Chances> {
        if kind(position).is_some() {
            return None;
        }
        let mut out = [Chances::default()];
        self.evaluator
            .evaluate(None, std::slice::from_ref(position), &mut out);
        Some(out[0])
    }

    /// Every play of `roll` that may be best, best first, into `room.judged`. `near` is the
    /// position turned round.
    fn rank(
        &self,
        plays: &PlayGenerator,
        near: &Position,
        roll: Roll,
        settings: &GameSettings,
        room: &mut Room,
    ) {
        plays.plays(roll, &mut room.after);
        if room.after.is_empty() {
            room.after.push(*near);
        }
        if room.after.len() > settings.filter_plays && kind(near) != Some(1) {
            self.filter(near, settings, room);
        }
        room.chances.resize(room.after.len(), Chances::default());
        self.evaluator
            .evaluate(Some(near), &room.after, &mut room.chances);
        room.judged.clear();
        let pairs = room.after.iter().zip(&room.chances);
        room.judged.extend(pairs.map(|(&after, chances)| Judged {
            after,
            chances: chances.inverted(),
        }));
        room.judged
            .sort_by(|a, b| b.chances.equity().total_cmp(&a.chances.equity()));
    }

    /// Keeps the plays that the quick net finds good.
    fn filter(&self, near: &Position, settings: &GameSettings, room: &mut Room) {
        room.chances.resize(room.after.len(), Chances::default());
        if !self
            .evaluator
            .evaluate_quickly(Some(near), &room.after, &mut room.chances)
        {
            return;
        }
        let ranked = &mut room.ranked;
        ranked.clear();
        let pairs = room.chances.iter().zip(&room.after);
        ranked.extend(pairs.map(|(c, &after)| (c.equity(), after)));
        ranked.select_nth_unstable_by(settings.filter_plays - 1, |a, b| a.0.total_cmp(&b.0));
        ranked.truncate(settings.filter_plays);
        let best = ranked.iter().fold(f32::MAX, |best, r| best.min(r.0));
        room.after.clear();
        let good = ranked
            .iter()
            .filter(|r| r.0 <= best + settings.filter_margin);
        room.after.extend(good.map(|r| r.1));
    }

    /// Mean over the 21 rolls of the value of the best play. The ranking for `roll` is left in
    /// `room.best`.
    fn mean_of_best(
        &self,
        position: &Position,
        roll: Option<Roll>,
        settings: &GameSettings,
        room: &mut Room,
    ) -> [f32; 5] {
        let mut sum = [0.0; 5];
        let wanted = roll.map(|roll| (roll.high(), roll.low()));
        let (plays, near) = (PlayGenerator::new(position), position.swapped());
        for roll in Roll::ALL {
            self.rank(&plays, &near, roll, settings, room);
            let weight = roll.weight() as f32 / 36.0;
            if let Some(best) = room.judged.first() {
                for (sum, value) in sum.iter_mut().zip(best.chances.to_array()) {
                    *sum += weight * value;
                }
            }
            if wanted == Some((roll.high(), roll.low())) {
                std::mem::swap(&mut room.best, &mut room.judged);
            }
        }
        sum
    }

    fn ahead(
        &self,
        position: &Position,
        roll: Roll,
        settings: &GameSettings,
        room: &mut Room,
    ) -> Ahead {
        let mean = self.mean_of_best(position, Some(roll), settings, room);
        Ahead {
            mean,
            ranked: std::mem::take(&mut room.best),
        }
    }

    /// The best play of a roll and its static chances for the mover.
    #[must_use]
    pub fn best(
        &self,
        position: &Position,
        roll: Roll,
        settings: &GameSettings,
        room: &mut Room,
    ) -> Option<Judged> {
        let (plays, near) = (PlayGenerator::new(position), position.swapped());
        self.rank(&plays, &near, roll, settings, room);
        room.judged.first().copied()
    }

    /// The 1-ply value of a position for the player on roll.
    #[must_use]
    pub fn one_ply(
        &self,
        position: &Position,
        settings: &GameSettings,
        room: &mut Room,
    ) -> Chances {
        match self.exact(position) {
            Some(chances) => chances,
            None => Chances::from_array(self.mean_of_best(position, None, settings, room)),
        }
    }
}

/// Longest game that is labelled to its end.
const TURNS_MAX: usize = 400;

/// What is known of a position before its turn: the 1-ply value, and the ranking for its roll.
struct Ahead {
    mean: [f32; 5],
    ranked: Vec<Judged>,
}

/// Looks one play deeper at the best plays that are close together and chooses by that; the ones
/// not chosen are labelled. The contender chosen comes with what was computed for its position.
fn closest_contest(
    judges: Judges<'_>,
    ranked: &[Judged],
    next: Roll,
    settings: &GameSettings,
    room: &mut Room,
    out: &mut Vec<Label>,
) -> (usize, Option<Ahead>) {
    let Some(best) = ranked.first().map(|judged| judged.chances.equity()) else {
        return (0, None);
    };
    let contenders = ranked
        .iter()
        .take(settings.contenders)
        .take_while(|judged| judged.chances.equity() >= best - settings.contest_margin)
        .take_while(|judged| matches!(kind(&judged.after), Some(0 | 2)))
        .count();
    if contenders < 2 {
        return (0, None);
    }
    let looked: Vec<Ahead> = ranked[..contenders]
        .iter()
        .map(|judged| judges.ahead(&judged.after, next, settings, room))
        .collect();
    let theirs = |ahead: &Ahead| Chances::from_array(ahead.mean).equity();
    let mut pick = 0;
    for (index, ahead) in looked.iter().enumerate() {
        if theirs(ahead) < theirs(&looked[pick]) {
            pick = index;
        }
    }
    let mut chosen = None;
    for (index, (judged, ahead)) in ranked.iter().zip(looked).enumerate() {
        if index == pick {
            chosen = Some(ahead);
        } else if let Some(kind) = kind(&judged.after) {
            out.push(Label::new(judged.after, kind, ahead.mean));
        }
    }
    (pick, chosen)
}

struct Turn {
    position: Position,
    mean: [f32; 5],
    /// A position that the player before could have left instead, and its 1-ply value.
    sibling: Option<(Position, [f32; 5])>,
    /// Static chances of the best play of the roll; none when the play made was an exploration.
    best: Option<[f32; 5]>,
}

/// Plays one game and appends its labels. A pure function of the judges, the settings, `starts` and `rng`.
/// The game begins at one of `starts`, or where the settings say when there are none.
pub fn play(
    judges: Judges<'_>,
    settings: &GameSettings,
    starts: &[Position],
    rng: &mut ChaCha8Rng,
    room: &mut Room,
    out: &mut Vec<Label>,
) {
    let mut position = match u32::try_from(starts.len()) {
        Ok(count @ 1..) => starts[below(rng, count) as usize],
        _ => first_position(settings, rng),
    };
    let (chance, noise) = match unit(rng) {
        u if u < settings.mild => (0.15, 0.06),
        u if u < settings.mild + settings.wild => (0.30, 0.25),
        _ => (0.0, 0.0),
    };
    let mut turns: Vec<Turn> = Vec::new();
    let mut ahead: Option<Ahead> = None;
    let mut sibling = None;
    let mut value = loop {
        if let Some(chances) = judges.exact(&position) {
            break Some(chances.to_array());
        }
        if turns.len() >= TURNS_MAX {
            break None;
        }
        let Ahead { mean, ranked } = match ahead.take() {
            Some(known) => known,
            None => judges.ahead(&position, crate::rng::roll(rng), settings, room),
        };
        let explores = unit(rng) < chance;
        let pick = if explores {
            noisy_pick(&ranked, noise, rng)
        } else {
            let next = crate::rng::roll(rng);
            let (pick, known) = closest_contest(judges, &ranked, next, settings, room, out);
            ahead = known;
            pick
        };
        let (Some(best), Some(chosen)) = (ranked.first(), ranked.get(pick)) else {
            break None;
        };
        turns.push(Turn {
            position,
            mean,
            best: (!explores || pick == 0).then(|| best.chances.to_array()),
            sibling: sibling.take(),
        });
        if ranked.len() > 1 && unit(rng) < settings.extra {
            let other = another(&ranked, pick, settings, rng);
            sibling = other
                .filter(|other| match kind(other) {
                    Some(1) => settings.extra_races,
                    kind => kind.is_some(),
                })
                .map(|other| {
                    let mean = judges.mean_of_best(&other, None, settings, room);
                    (other, mean)
                });
        }
        position = chosen.after;
    };
    for turn in turns.iter().rev() {
        let label = returned(turn.mean, value, turn.best, settings.lambda);
        if let Some(kind) = kind(&turn.position) {
            out.push(Label::new(turn.position, kind, label));
        }
        if let Some((other, mut target)) = turn.sibling
            && let Some(kind) = kind(&other)
        {
            for k in 0..5 {
                target[k] += label[k] - turn.mean[k];
            }
            out.push(Label::new(other, kind, target).beside_the_last());
        }
        value = Some(label);
    }
}

/// One of the four best plays that were not chosen, if it is within the margin.
fn another(
    ranked: &[Judged],
    pick: usize,
    settings: &GameSettings,
    rng: &mut ChaCha8Rng,
) -> Option<Position> {
    let least = ranked.first()?.chances.equity() - settings.extra_margin;
    let others: Vec<Position> = (ranked.iter().enumerate())
        .filter(|(index, judged)| *index != pick && judged.chances.equity() >= least)
        .map(|(_, judged)| judged.after)
        .take(4)
        .collect();
    let count = u32::try_from(others.len()).ok().filter(|&n| n > 0)?;
    others.get(below(rng, count) as usize).copied()
}

/// Mean of the luck-adjusted returns of `games` games without exploration from `position`, for the
/// player on roll. Games use the streams `seed`, 0.. of the generator.
#[must_use]
pub fn by_games(
    judges: Judges<'_>,
    position: &Position,
    settings: &GameSettings,
    (games, seed): (u32, u64),
    room: &mut Room,
) -> Chances {
    if let Some(exact) = judges.exact(position) {
        return exact;
    }
    let mut sum = [0.0; 5];
    for game in 0..u64::from(games) {
        let mut rng = crate::rng::stream(seed, game);
        let mut at = *position;
        let mut turns: Vec<([f32; 5], [f32; 5])> = Vec::new();
        let mut value = loop {
            if let Some(chances) = judges.exact(&at) {
                break Some(chances.to_array());
            }
            let Ahead { mean, ranked } =
                judges.ahead(&at, crate::rng::roll(&mut rng), settings, room);
            let Some(best) = ranked.first().filter(|_| turns.len() < TURNS_MAX) else {
                break None;
            };
            turns.push((mean, best.chances.to_array()));
            at = best.after;
        };
        for (mean, best) in turns.iter().rev() {
            value = Some(returned(*mean, value, Some(*best), settings.lambda));
        }
        for (sum, value) in sum.iter_mut().zip(value.unwrap_or_default()) {
            *sum += value / games as f32;
        }
    }
    Chances::from_array(sum.map(|value| value.clamp(0.0, 1.0)))
}

/// `M + lambda (G' - V)`: the 1-ply value, corrected by what came later (seen from there).
fn returned(
    mean: [f32; 5],
    later: Option<[f32; 5]>,
    best: Option<[f32; 5]>,
    lambda: f32,
) -> [f32; 5] {
    let mut label = mean;
    if let (Some(later), Some(best)) = (later, best) {
        let later = Chances::from_array(later).inverted().to_array();
        for k in 0..5 {
            label[k] += lambda * (later[k] - best[k]);
        }
    }
    label
}

/// Where the games of `settings` begin.
pub(super) fn first_position(settings: &GameSettings, rng: &mut ChaCha8Rng) -> Position {
    let mut share = unit(rng);
    if share < settings.odd_starts {
        return starts::odd(rng);
    }
    share -= settings.odd_starts;
    if share < settings.race_starts {
        return starts::race(rng);
    }
    share -= settings.race_starts;
    if share >= settings.random_starts {
        return Position::start();
    }
    let mut position = Position::start();
    let mut after = Vec::new();
    for _ in 0..2 + below(rng, 20) {
        generate_plays(&position, crate::rng::roll(rng), &mut after);
        if after.is_empty() {
            after.push(position.swapped());
        }
        let next = after[below(rng, after.len() as u32) as usize];
        if next.is_over() {
            break;
        }
        position = next;
    }
    position
}

/// The play that looks best when every equity is blurred by about `noise`.
fn noisy_pick(ranked: &[Judged], noise: f32, rng: &mut ChaCha8Rng) -> usize {
    let mut best = (0, f32::MIN);
    for (index, judged) in ranked.iter().enumerate() {
        // Sum of four uniform numbers: near enough to a normal one, standard deviation 0.577.
        let blur: f64 = (0..4).map(|_| unit(rng) - 0.5).sum();
        let equity = judged.chances.equity() + noise * 1.73 * blur as f32;
        if equity > best.1 {
            best = (index, equity);
        }
    }
    best.0
}
