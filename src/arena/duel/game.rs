//! One game, or a match of them.

use super::terms::{Contest, DuelAction, DuelTerms, PlayedTurn};
use crate::player::{Player, PlayerError};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_base::stop::Stop;
use gammond_game::{
    Act, ActRefusal, Game, GamePhase, MatchScore, MatchState, Position, Roll, Rules,
    StartPositions, Variant,
};

/// End of a cubeless game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finish {
    /// Points of the player named first: 1, 2 or 3, negative when lost.
    pub points: i8,
    /// Turns played.
    pub turns: u32,
}

/// A throw, before it is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct Throw {
    /// Number of the player, 0 or 1.
    pub(super) player: usize,
    /// Seen by that player.
    pub(super) position: Position,
    /// Seen by that player; none without a cube.
    pub(super) state: Option<MatchState>,
    pub(super) roll: Roll,
    /// True if it opens the game: no double is possible then.
    pub(super) opens: bool,
}

/// Event during a match or game.
#[derive(Clone, Copy, Debug)]
pub(super) enum GameEvent {
    /// A game begins at this score, and at this position if it is not the start of the variant.
    Begins([u32; 2], Option<Position>),
    Thrown(Throw),
    Done(DuelAction),
    /// The game is over; points of the player named first.
    Ends(i32),
}

/// Callback that receives the events.
pub(super) type Watch<'a> = &'a mut dyn FnMut(GameEvent);

/// A player that failed, by its place.
pub(super) struct Fault {
    pub(super) player: usize,
    pub(super) error: Box<PlayerError>,
}

impl Fault {
    fn of(player: usize, error: PlayerError) -> Fault {
        let error = Box::new(error);
        Fault { player, error }
    }
}

/// Longest game that is waited for; one that lasts longer counts as 0 points.
const TURNS_MAX: u32 = 20_000;
/// Games of one match that have dice of their own; a match to 255 points has at most 509 that count.
const GAMES_MAX: u64 = 1 << 12;

/// Plays game `number` of the dice of `seed`, cubeless. The same number gives the same dice to all players; its dice
/// decide who wins the opening roll. `None` when `stop` was triggered before the end.
///
/// # Errors
/// When a player fails or answers with an illegal play.
pub fn play_game(
    players: [&dyn Player; 2],
    seed: u64,
    number: u64,
    stop: &Stop,
) -> Result<Option<Finish>, PlayerError> {
    let mut turns = 0;
    let mut count = |event| turns += u32::from(matches!(event, GameEvent::Thrown(_)));
    let usual = (Variant::Backgammon, None, Variant::Backgammon.start());
    let end = one_game(players, (seed, number), usual, &mut count, stop);
    let points = end.map_err(|fault| *fault.error)?;
    Ok(points.map(|points| Finish {
        points: points as i8,
        turns,
    }))
}

/// Dice of a set, and the first of its starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct SetNumber {
    pub(super) seed: u64,
    /// Number of the dice.
    pub(super) dice: u64,
    /// Number of the pair, both of whose sets have the same starts.
    pub(super) pair: u64,
}

/// Plays a set: a game, or a match. Returns the result of the player named first: points, or 1 and -1 for a match won and
/// lost. `None` when `stop` was triggered before the end.
pub(super) fn play_set(
    contest: Contest<'_>,
    players: [&dyn Player; 2],
    set: SetNumber,
    watch: Watch<'_>,
    stop: &Stop,
) -> Result<Option<i32>, Fault> {
    let state = match contest.terms {
        DuelTerms::Cubeless => None,
        DuelTerms::Money(rules) => Some(MatchState::money(rules)),
        DuelTerms::Match(length) => return one_match(length, contest, players, set, watch, stop),
    };
    let start = contest.starts.of(contest.variant, set.pair);
    watch(GameEvent::Begins([0, 0], unusual(contest, start)));
    let begun = (contest.variant, state, start);
    one_game(players, (set.seed, set.dice), begun, watch, stop)
}

/// Returns the start unless it is that of the variant.
fn unusual(contest: Contest<'_>, start: Position) -> Option<Position> {
    (start != contest.variant.start()).then_some(start)
}

/// Plays a match. Returns 1 when the player named first won it, -1 when the other did, 0 when it never ended.
fn one_match(
    length: u8,
    contest: Contest<'_>,
    players: [&dyn Player; 2],
    set: SetNumber,
    watch: Watch<'_>,
    stop: &Stop,
) -> Result<Option<i32>, Fault> {
    let mut score = MatchScore::new(length.into());
    for game in 0..GAMES_MAX {
        let state = score.state(0, Rules::default());
        let start = contest
            .starts
            .of(contest.variant, start_number(contest, set.pair, game));
        watch(GameEvent::Begins(score.points(), unusual(contest, start)));
        let dice = (set.seed, set.dice * GAMES_MAX + game);
        let begun = (contest.variant, Some(state), start);
        let Some(points) = one_game(players, dice, begun, watch, stop)? else {
            return Ok(None);
        };
        score.add(usize::from(points < 0), points.unsigned_abs());
        if score.winner().is_some() {
            return Ok(Some(points.signum()));
        }
    }
    Ok(Some(0))
}

/// Returns the number of the start of a match's game: matches go through a list one start apart, and have random ones of
/// their own.
const fn start_number(contest: Contest<'_>, pair: u64, game: u64) -> u64 {
    match contest.starts {
        StartPositions::Random(_) => pair * GAMES_MAX + game,
        _ => pair + game,
    }
}

/// Returns the points of the player named first; `state` is seen by that player, none without a cube.
fn one_game(
    players: [&dyn Player; 2],
    (seed, number): (u64, u64),
    (variant, state, start): (Variant, Option<MatchState>, Position),
    watch: Watch<'_>,
    stop: &Stop,
) -> Result<Option<i32>, Fault> {
    let mut dice = stream(seed, 2 * number);
    let mut chance = stream(seed, 2 * number + 1);
    let with_cube = state.is_some();
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let state = state.unwrap_or(MatchState::money(rules));
    let mut game = Game::new(state.with_variant(variant), with_cube).with_start(start);
    let refused = |player: usize| {
        move |refusal: ActRefusal| Fault::of(player, refused(players[player], refusal))
    };
    for _ in 0..TURNS_MAX {
        if stop.is_triggered() {
            return Ok(None);
        }
        if game.phase() == GamePhase::Turn {
            cube_turn(players, &mut game, &mut chance, watch)?;
        }
        if game.end().is_none() {
            let opens = game.phase() == GamePhase::Opening;
            let roll = match opens {
                true => Roll::opening(&mut dice),
                false => Roll::thrown(&mut dice),
            };
            game.act(Act::Roll(roll)).map_err(refused(0))?;
            let (turn, before) = (game.on_roll(), *game.position());
            let state = with_cube.then_some(*game.state());
            watch(GameEvent::Thrown(Throw {
                player: turn,
                position: before,
                state,
                roll,
                opens,
            }));
            let played = match (&state, players[turn].with_cube()) {
                (Some(state), Some(player)) => player.play_in(&before, state, roll, &mut chance),
                (Some(_), None) => Err(without_cube(players[turn])),
                (None, _) => players[turn].play(&before, roll, &mut chance),
            };
            let after = played.map_err(|error| Fault::of(turn, error))?;
            game.played(after).map_err(refused(turn))?;
            watch(GameEvent::Done(DuelAction::Played(PlayedTurn {
                player: turn,
                before,
                roll,
                after,
            })));
        }
        if let Some(end) = game.end() {
            let points = end.signed_points();
            watch(GameEvent::Ends(points));
            return Ok(Some(points));
        }
    }
    watch(GameEvent::Ends(0));
    Ok(Some(0))
}

/// Lets the player on roll turn the cube and the other answer; each beaver wants an answer too.
fn cube_turn(
    players: [&dyn Player; 2],
    game: &mut Game,
    chance: &mut ChaCha8Rng,
    watch: Watch<'_>,
) -> Result<(), Fault> {
    if game.double_refusal().is_some() {
        return Ok(());
    }
    let (position, state) = (*game.position(), *game.state());
    let at = |player: usize| {
        let found = players[player].with_cube();
        found.ok_or_else(|| Fault::of(player, without_cube(players[player])))
    };
    let fault = |player| move |error| Fault::of(player, error);
    let refused = |player: usize| {
        move |refusal: ActRefusal| Fault::of(player, refused(players[player], refusal))
    };
    let turn = game.on_roll();
    if !(at(turn)?.doubles(&position, &state, chance)).map_err(fault(turn))? {
        return Ok(());
    }
    game.act(Act::Double).map_err(refused(turn))?;
    watch(GameEvent::Done(DuelAction::Doubled(
        turn,
        2 * state.cube.value(),
    )));
    while let GamePhase::Answer(turns) = game.phase() {
        let other = game.actor();
        let answer = at(other)?.answers(&position, &state, turns, chance);
        let act = answer.map_err(fault(other))?;
        game.act(act).map_err(refused(other))?;
        watch(GameEvent::Done(match act {
            Act::Beaver => DuelAction::Beavered(other, state.cube.value() << (turns + 1)),
            Act::Take => DuelAction::Took(other),
            _ => DuelAction::Passed(other),
        }));
    }
    Ok(())
}

/// Returns the complaint about a player whose act is not allowed.
fn refused(player: &dyn Player, refusal: ActRefusal) -> PlayerError {
    PlayerError::Spec {
        text: player.name(),
        reason: refusal.to_string(),
    }
}

/// Returns the complaint about a player that cannot play these terms.
pub(super) fn without_cube(player: &dyn Player) -> PlayerError {
    PlayerError::Spec {
        text: player.name(),
        reason: "does not know the cube; expected gammond or external:HOST:PORT, or a duel without --cube and --match"
            .to_owned(),
    }
}
