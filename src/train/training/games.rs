//! Self-play games and their labels: luck-adjusted lambda returns.
//!
//! At every position the mean over the 21 rolls of the value of the best play is computed (the same work as a 1-ply
//! label); the game continues with one roll, and the values of later positions are carried back without the luck of
//! the dice: `G = M + lambda (G' - V)` (LB-04). Siblings share the correction (LB-05); `by_games` is the mean over
//! many games (LB-06).

use super::game_settings::{GameSettings, kind};
use super::one_ply::OnePlyEvaluator;
use super::selection::keep_selected;
use super::shard::Label;
use super::siblings::{GameTurn, HORIZON_MAX, Sibling, SiblingSettings, follow};
use super::starts::{self, Starts};
use gammond_base::rng::{ChaCha8Rng, below, unit};
use gammond_base::stop::Stop;
use gammond_engine::search::{JudgedReply, OnePlyResult, Scratch};
use gammond_game::{Chances, Position, Roll, generate_plays, random_start};

/// Longest game that is labelled to its end.
const TURNS_MAX: usize = 400;

/// Looks one play deeper at the best plays that are close together and chooses by that; the ones
/// not chosen are labelled. The contender chosen comes with what was computed for its position.
fn closest_contest(
    judges: OnePlyEvaluator<'_>,
    ranked: &[JudgedReply],
    next: Roll,
    settings: &GameSettings,
    room: &mut Scratch,
    out: &mut Vec<Label>,
) -> (usize, Option<OnePlyResult>) {
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
    let looked: Vec<OnePlyResult> = ranked[..contenders]
        .iter()
        .map(|judged| judges.one(settings).ahead(&judged.after, next, room))
        .collect();
    let theirs = |ahead: &OnePlyResult| Chances::from_array(ahead.mean).equity();
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
    step: GameTurn,
    /// True if the best play was made.
    straight: bool,
    /// A position that the player before could have left instead, and its 1-ply value.
    sibling: Option<(Position, [f32; 5])>,
    /// Another one, to be followed.
    twin: Option<Position>,
}

/// Plays one game and appends its labels. The result depends only on the judges, the settings, `starts` and `rng`.
/// The game begins at one of `starts`, or at a start of the settings.
pub fn play(
    judges: OnePlyEvaluator<'_>,
    settings: &GameSettings,
    starts: &Starts,
    rng: &mut ChaCha8Rng,
    room: &mut Scratch,
    out: &mut Vec<Label>,
) {
    let first = out.len();
    let drawn = starts.drawn(rng);
    let mut position = drawn.unwrap_or_else(|| first_position(settings, rng));
    let (chance, noise) = exploration(settings, rng);
    if settings.static_labels {
        play_statically(judges, settings, (position, chance, noise), rng, room, out);
        return keep_selected(judges, settings, rng, room, (out, first));
    }
    let mut turns: Vec<Turn> = Vec::new();
    let mut ahead: Option<(Roll, OnePlyResult)> = None;
    let (mut sibling, mut twin) = (None, None);
    let mut value = loop {
        if let Some(chances) = judges.exact(&position) {
            break Some(chances.to_array());
        }
        if turns.len() >= TURNS_MAX {
            break None;
        }
        let (roll, looked) = ahead.take().unwrap_or_else(|| {
            let roll = gammond_game::Roll::thrown(rng);
            (roll, judges.ahead(&position, roll, settings, room))
        });
        let OnePlyResult {
            mean,
            drawn,
            ranked,
        } = looked;
        let explores = unit(rng) < chance;
        let pick = if explores {
            noisy_pick(&ranked, noise, rng)
        } else {
            let next = gammond_game::Roll::thrown(rng);
            let (pick, known) = closest_contest(judges, &ranked, next, settings, room, out);
            ahead = known.map(|known| (next, known));
            pick
        };
        let Some(chosen) = ranked.get(pick) else {
            break None;
        };
        turns.push(Turn {
            step: GameTurn {
                position,
                roll,
                mean,
                drawn: (!explores || pick == 0).then_some(drawn),
            },
            straight: pick == 0,
            sibling: sibling.take(),
            twin: twin.take(),
        });
        if ranked.len() > 1 && unit(rng) < settings.extra {
            sibling = other_play(judges, &ranked, pick, settings, rng, room);
        }
        if let Some(twins) = settings.twins.filter(|_| ranked.len() > 1) {
            twin = other_to_follow(&ranked, pick, (settings, twins), rng);
        }
        position = chosen.after;
    };
    label_turns(judges, settings, &turns, &mut value, room, out);
    keep_selected(judges, settings, rng, room, (out, first));
}

/// Draws the chance that a turn of a game explores, and how much it then blurs equities.
fn exploration(settings: &GameSettings, rng: &mut ChaCha8Rng) -> (f64, f32) {
    match unit(rng) {
        u if u < settings.mild => (0.15, 0.06),
        u if u < settings.mild + settings.wild => (0.30, 0.25),
        _ => (0.0, 0.0),
    }
}

/// Plays one game and labels the positions after its plays, and some siblings, with their static chances (LB-12). A
/// turn explores with a chance and noise as in [`exploration`].
fn play_statically(
    judges: OnePlyEvaluator<'_>,
    settings: &GameSettings,
    (mut position, chance, noise): (Position, f64, f32),
    rng: &mut ChaCha8Rng,
    room: &mut Scratch,
    out: &mut Vec<Label>,
) {
    for _ in 0..TURNS_MAX {
        if judges.exact(&position).is_some() {
            break;
        }
        let roll = Roll::thrown(rng);
        let ranked = judges.one(settings).ranked(&position, roll, room);
        let pick = match unit(rng) < chance {
            true => noisy_pick(&ranked, noise, rng),
            false => 0,
        };
        let Some(chosen) = ranked.get(pick) else {
            break;
        };
        let label = |play: &JudgedReply| {
            let kind = kind(&play.after)?;
            let chances = play.chances.inverted().to_array();
            Some(Label::new(play.after, kind, chances))
        };
        let own = label(chosen);
        out.extend(own);
        if ranked.len() > 1
            && unit(rng) < settings.extra
            && let Some(other) = another(&ranked, pick, settings.extra_margin, rng)
            && let Some(sibling) = label(other)
        {
            out.push(match own {
                Some(_) => sibling.beside_the_last(),
                None => sibling,
            });
        }
        position = chosen.after;
    }
}

/// Labels a game's turns, from the last to the first; `value` is how it ended.
fn label_turns(
    judges: OnePlyEvaluator<'_>,
    settings: &GameSettings,
    turns: &[Turn],
    value: &mut Option<[f32; 5]>,
    room: &mut Scratch,
    out: &mut Vec<Label>,
) {
    // Values of the turns from the present one on, the last first.
    let mut labels: Vec<[f32; 5]> = Vec::new();
    for (index, turn) in turns.iter().enumerate().rev() {
        let GameTurn {
            position,
            mean,
            drawn,
            ..
        } = turn.step;
        let label = returned(mean, *value, drawn, settings.lambda);
        labels.push(label);
        if let Some(kind) = kind(&position) {
            out.push(Label::new(position, kind, label));
        }
        if let Some((other, mut target)) = turn.sibling
            && let Some(kind) = kind(&other)
        {
            for k in 0..5 {
                target[k] += label[k] - mean[k];
            }
            out.push(Label::new(other, kind, target).beside_the_last());
        }
        if let (Some(twin), Some(twins)) = (turn.twin, settings.twins) {
            let line: Vec<GameTurn> = (turns[index..].iter().take(1 + usize::from(HORIZON_MAX)))
                .map(|turn| GameTurn {
                    drawn: turn.step.drawn.filter(|_| turn.straight),
                    ..turn.step
                })
                .collect();
            let found = follow(
                &judges.one(settings),
                &|position| judges.exact(position),
                (&line, twins.plies),
                twin,
                room,
            );
            label_siblings(&line, labels.iter().rev(), found, out);
        }
        *value = Some(label);
    }
}

/// Pairs of positions of the game and their twins, a sibling for each horizon.
fn label_siblings<'a>(
    line: &[GameTurn],
    labels: impl Iterator<Item = &'a [f32; 5]>,
    twins: Vec<Sibling>,
    out: &mut Vec<Label>,
) {
    for ((step, label), twin) in line.iter().zip(labels).zip(twins) {
        let [Some(own @ (0 | 2)), Some(other @ (0 | 2))] =
            [&step.position, &twin.position].map(kind)
        else {
            continue;
        };
        out.push(Label::new(step.position, own, *label));
        for (horizon, difference) in (0..=HORIZON_MAX).zip(twin.differences) {
            let target = std::array::from_fn(|k| label[k] + difference[k]);
            let sibling = Label::new(twin.position, other, target).beside_the_last();
            out.push(sibling.with_horizon(horizon));
        }
    }
}

/// Returns a play beside `pick` to be followed, if chance and margin allow one.
fn other_to_follow(
    ranked: &[JudgedReply],
    pick: usize,
    (settings, twins): (&GameSettings, SiblingSettings),
    rng: &mut ChaCha8Rng,
) -> Option<Position> {
    if unit(rng) >= twins.share {
        return None;
    }
    let margin = match unit(rng) {
        u if u < twins.wide => settings.extra_margin,
        _ => twins.margin,
    };
    let other = another(ranked, pick, margin, rng)?.after;
    matches!(kind(&other), Some(0 | 2)).then_some(other)
}

/// Returns a position that another play than `pick` leads to and that siblings may have, with its 1-ply value.
fn other_play(
    judges: OnePlyEvaluator<'_>,
    ranked: &[JudgedReply],
    pick: usize,
    settings: &GameSettings,
    rng: &mut ChaCha8Rng,
    room: &mut Scratch,
) -> Option<(Position, [f32; 5])> {
    let other = another(ranked, pick, settings.extra_margin, rng)?.after;
    let wanted = match kind(&other) {
        Some(1) => settings.extra_races,
        kind => kind.is_some(),
    };
    wanted.then(|| (other, judges.mean(&other, settings, room)))
}

/// Returns one of the four best plays that were not chosen, if it is within the margin.
fn another<'a>(
    ranked: &'a [JudgedReply],
    pick: usize,
    margin: f32,
    rng: &mut ChaCha8Rng,
) -> Option<&'a JudgedReply> {
    let least = ranked.first()?.chances.equity() - margin;
    let others: Vec<&JudgedReply> = (ranked.iter().enumerate())
        .filter(|(index, judged)| *index != pick && judged.chances.equity() >= least)
        .map(|(_, judged)| judged)
        .take(4)
        .collect();
    let count = u32::try_from(others.len()).ok().filter(|&n| n > 0)?;
    others.get(below(rng, count) as usize).copied()
}

/// Returns the mean of the luck-adjusted returns of `games` games without exploration from `position`, for the player
/// on roll; `None` once `stop` is triggered. Games use the streams `seed`, 0.. of the generator.
#[must_use]
pub(crate) fn by_games(
    judges: OnePlyEvaluator<'_>,
    position: &Position,
    settings: &GameSettings,
    (games, seed): (u32, u64),
    room: &mut Scratch,
    stop: &Stop,
) -> Option<Chances> {
    if let Some(exact) = judges.exact(position) {
        return Some(exact);
    }
    let mut sum = [0.0; 5];
    for game in 0..u64::from(games) {
        if stop.is_triggered() {
            return None;
        }
        let mut rng = gammond_base::rng::stream(seed, game);
        let mut at = *position;
        let mut turns: Vec<([f32; 5], [f32; 5])> = Vec::new();
        let mut value = loop {
            if let Some(chances) = judges.exact(&at) {
                break Some(chances.to_array());
            }
            let roll = gammond_game::Roll::thrown(&mut rng);
            let ahead = judges.ahead(&at, roll, settings, room);
            let Some(best) = (ahead.ranked.first()).filter(|_| turns.len() < TURNS_MAX) else {
                break None;
            };
            turns.push((ahead.mean, ahead.drawn));
            at = best.after;
        };
        for (mean, drawn) in turns.iter().rev() {
            value = Some(returned(*mean, value, Some(*drawn), settings.lambda));
        }
        for (sum, value) in sum.iter_mut().zip(value.unwrap_or_default()) {
            *sum += value / games as f32;
        }
    }
    let chances = sum.map(|value| value.clamp(0.0, 1.0));
    Some(Chances::from_array(chances))
}

/// Returns `M + lambda (G' - V)`: the 1-ply value, corrected by the later value (seen from there), less the share of
/// the roll.
fn returned(
    mean: [f32; 5],
    later: Option<[f32; 5]>,
    drawn: Option<[f32; 5]>,
    lambda: f32,
) -> [f32; 5] {
    let mut label = mean;
    if let (Some(later), Some(drawn)) = (later, drawn) {
        let later = Chances::from_array(later).inverted().to_array();
        for k in 0..5 {
            label[k] += lambda * (later[k] - drawn[k]);
        }
    }
    label
}

/// Draws the first position of a game of `settings`.
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
    if share < settings.mirrored_starts {
        return random_start(settings.variant, rng);
    }
    share -= settings.mirrored_starts;
    let mut position = settings.variant.start();
    if share >= settings.random_starts {
        return position;
    }
    let mut after = Vec::new();
    for _ in 0..2 + below(rng, 20) {
        generate_plays(&position, gammond_game::Roll::thrown(rng), &mut after);
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

/// Returns the play that looks best when every equity is blurred by about `noise`.
fn noisy_pick(ranked: &[JudgedReply], noise: f32, rng: &mut ChaCha8Rng) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::shard::at_horizon;
    use crate::training::siblings::Plies;
    use gammond_engine::engine::Engine;
    use gammond_engine::eval::nets::NetEvaluator;
    use gammond_game::notation::parse_position;

    /// LB-11: the start of a variant, and random mirrored starts.
    #[test]
    fn games_begin_at_starts_of_a_variant() {
        use crate::training::limits::Checked as _;
        use gammond_base::rng::stream;
        use gammond_game::Variant;
        let settings = GameSettings {
            variant: Variant::Nackgammon,
            odd_starts: 0.0,
            race_starts: 0.0,
            random_starts: 0.0,
            ..GameSettings::default()
        };
        let rng = &mut stream(3, 0);
        assert_eq!(first_position(&settings, rng), Variant::Nackgammon.start());
        let mirrored = GameSettings {
            mirrored_starts: 1.0,
            ..settings
        };
        let drawn = [(); 20].map(|()| first_position(&mirrored, rng));
        assert!(drawn.iter().all(|one| *one == one.swapped()) && drawn[0] != drawn[1]);
        assert_eq!(mirrored.fault(), None);
        let hyper = GameSettings {
            variant: Variant::Hypergammon,
            ..settings
        };
        assert_eq!(
            hyper.fault().unwrap(),
            "variant: hypergammon has 3 checkers a side, expected backgammon or nackgammon"
        );
    }

    /// LB-03, and V of LB-02: the label is the mean, corrected by what came later less the value of the best play.
    #[test]
    fn labels_are_returns_without_the_luck_of_the_dice() {
        let (mean, best) = ([0.5, 0.1, 0.0, 0.2, 0.0], [0.6, 0.2, 0.0, 0.1, 0.0]);
        // Seen by the mover: win 0.75, gammons 0.25, lost gammons 0.125.
        let later = [0.25, 0.125, 0.0, 0.25, 0.0];
        let label = returned(mean, Some(later), Some(best), 0.5);
        let expected: [f32; 5] = [0.575, 0.125, 0.0, 0.2125, 0.0];
        for (found, expected) in label.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{label:?}");
        }
        // After a play that explores.
        assert_eq!(returned(mean, Some(later), None, 1.0), mean);
    }

    /// LB-02: games continue with the best of all plays, so labels agree with rollouts without pruning. Here a
    /// backgammon is saved by plays that the fast net and the pruning net do not keep.
    #[test]
    fn filters_do_not_play() {
        let engine = Engine::builder().threads(1).build().unwrap();
        let position = parse_position(b"jM4AnDjugQAAAA").unwrap().position;
        let mut room = Scratch::default();
        for pruning in [false, true] {
            let settings = GameSettings {
                lambda: 1.0,
                pruning,
                ..GameSettings::default()
            };
            let judges = OnePlyEvaluator::new(engine.evaluator().as_ref());
            let found = by_games(
                judges,
                &position,
                &settings,
                (200, 1),
                &mut room,
                &Stop::never(),
            )
            .unwrap();
            let backgammons = found.win_backgammon;
            assert!((0.28..0.38).contains(&backgammons), "{found:?}");
        }
    }

    /// LB-12: labels are the static values of the positions; a sibling is no better than the play made, and within the
    /// margin.
    #[test]
    fn static_labels_are_values_of_the_net() {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let judges = OnePlyEvaluator::new(&evaluator);
        let settings = GameSettings {
            static_labels: true,
            extra: 1.0,
            mild: 0.0,
            wild: 0.0,
            ..GameSettings::default()
        };
        let (mut labels, mut room) = (Vec::new(), Scratch::default());
        for game in 0..8 {
            let rng = &mut gammond_base::rng::stream(61, game);
            let starts = Starts::default();
            play(judges, &settings, &starts, rng, &mut room, &mut labels);
        }
        assert!(labels.len() > 400, "{}", labels.len());
        for label in &labels {
            let value = judges.static_chances(&label.position).equity();
            assert!((label.equity() - value).abs() < 2e-4, "{label:?}");
        }
        let pairs: Vec<_> = (labels.windows(2)).filter(|two| two[1].sibling).collect();
        assert!(pairs.len() > 150, "{}", pairs.len());
        for pair in pairs {
            let worse = pair[1].equity() - pair[0].equity();
            assert!((-1e-3..=settings.extra_margin + 1e-3).contains(&worse));
        }
    }

    /// LB-02: the contender that is worth most a play later is chosen, and the others are labelled with their means.
    #[test]
    fn contests_are_decided_one_play_later() {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let judges = OnePlyEvaluator::new(&evaluator);
        let settings = GameSettings {
            contenders: 3,
            contest_margin: 1.0,
            ..GameSettings::default()
        };
        let mut room = Scratch::default();
        let [roll, next] = [(3, 1), (2, 1)].map(|(a, b)| Roll::new(a, b).unwrap());
        let ranked = (judges
            .one(&settings)
            .ahead(&Position::start(), roll, &mut room))
        .ranked;
        let mut labels = Vec::new();
        let (pick, chosen) =
            closest_contest(judges, &ranked, next, &settings, &mut room, &mut labels);
        let means = ranked[..3].iter().map(|judged| {
            judges
                .one(&settings)
                .ahead(&judged.after, next, &mut room)
                .mean
        });
        let means: Vec<[f32; 5]> = means.collect();
        // The opponent is on roll: least is best.
        let worth = |mean: &[f32; 5]| Chances::from_array(*mean).equity();
        assert!(means.iter().all(|mean| worth(mean) >= worth(&means[pick])));
        assert_eq!(chosen.map(|chosen| chosen.mean), Some(means[pick]));
        let others: Vec<usize> = (0..3).filter(|&index| index != pick).collect();
        assert_eq!(labels.len(), 2);
        for (label, index) in labels.iter().zip(others) {
            assert_eq!(label.position, ranked[index].after);
            let pairs = label.targets().into_iter().zip(means[index]);
            assert!(
                pairs
                    .into_iter()
                    .all(|(found, mean)| (found - mean).abs() < 1e-4)
            );
        }
    }

    /// The labels of a game in which every play has a twin: a pair for each step, a sibling for each horizon.
    #[test]
    fn games_have_chains_of_siblings() {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let settings = GameSettings {
            extra: 0.0,
            contenders: 1,
            odd_starts: 0.0,
            race_starts: 0.0,
            twins: Some(SiblingSettings {
                share: 1.0,
                plies: Plies::try_from(2).unwrap(),
                margin: 0.1,
                wide: 0.5,
            }),
            ..GameSettings::default()
        };
        let mut labels: Vec<Label> = Vec::new();
        let mut scratch = Scratch::default();
        for game in 0..3 {
            let (judges, mut rng) = (
                OnePlyEvaluator::new(&evaluator),
                gammond_base::rng::stream(12, game),
            );
            play(
                judges,
                &settings,
                &Starts::default(),
                &mut rng,
                &mut scratch,
                &mut labels,
            );
        }
        let mut longest = 0;
        for pair in labels.windows(2) {
            longest = longest.max(pair[1].horizon);
            if pair[1].horizon > 0 {
                let follows = pair[0].sibling && pair[0].horizon + 1 == pair[1].horizon;
                assert!(follows && pair[0].position == pair[1].position);
            } else if pair[1].sibling {
                assert!(!pair[0].sibling, "a sibling comes behind its partner");
            }
        }
        assert_eq!(longest, 2);
        let pairs = |labels: &[Label]| labels.iter().filter(|label| label.sibling).count();
        let [zero, two] = [0, 2].map(|horizon| at_horizon(labels.clone(), horizon));
        assert_eq!((zero.len(), pairs(&zero)), (two.len(), pairs(&two)));
        assert!(zero != two && two.len() < labels.len());
    }
}
