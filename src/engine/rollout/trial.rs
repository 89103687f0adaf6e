//! One game of a rollout, and the luck in it.
//!
//! Before each throw every roll's best play is valued without looking ahead. The difference between the throw's value
//! and the mean of all throws is luck, and is subtracted from the result: the mean stays what it was, as luck is zero
//! on average whatever the values are, but the results scatter far less (Montgomery 2000). The formulas are those of
//! `protocol-specs/rollouts.md`.

use super::dice::{Dice, Game};
use super::tally::Sample;
use crate::equity::CubeState;
use crate::eval::osr::Osr;
use crate::query::{
    CubeAnswer, CubeQuery, EvalQuery, MoveFilter, PlayQuery, RolloutSettings, RolloutSide,
    Settings, Truncation,
};
use crate::search::{self, BestPlay, Context, Scratch, Stopped, Turn};
use gammond_game::{Chances, Class, Cube, CubeOwner, Margin, MatchState, Outcome, Position, Roll};
use std::sync::OnceLock;

/// Maximum number of turns of a game; a longer one ends with an evaluation.
const TURNS_MAX: u32 = 2000;
/// Number of cube values distinguished in a match: from 2 to the 7th on every game ends every match.
const DOUBLINGS: usize = 13;

/// Starting point of the games of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) position: Position,
    /// Seen by the player on roll at the start.
    pub(super) state: MatchState,
    /// The cube in units of the question's.
    pub(super) scale: f64,
    /// True if the cube may be turned before the first throw.
    pub(super) cube_first: bool,
    /// True if the player on roll at the start is the opponent of the player on roll at the question.
    pub(super) turned: bool,
}

/// Scratch space of one thread.
#[derive(Debug, Default)]
pub(super) struct TrialScratch {
    scratch: Scratch,
    best: Vec<BestPlay>,
}

/// Everything that games need, shared by all threads.
#[derive(Debug)]
pub(super) struct TrialContext<'a> {
    /// Contexts of the player on roll at the question and of the other player.
    pub(super) contexts: [Context<'a>; 2],
    pub(super) settings: RolloutSettings,
    /// The question's state, seen by the player on roll there.
    state: MatchState,
    dice: Dice,
    osr: Option<Osr>,
    /// Turns by player (the one on roll at the question or the other), and by the cube as that player sees it.
    turns: Vec<OnceLock<Turn<'a>>>,
    search: Settings,
    /// True if the sides use different evaluators.
    differ: bool,
}

/// A game being played.
struct Play {
    position: Position,
    /// Static chances of the player on roll, where they are known.
    chances: Option<Chances>,
    cube: CubeState,
    scale: f64,
    /// True if the player on roll is the one on roll at the question.
    asker: bool,
    /// Luck of the dice so far, against the player on roll at the question.
    luck: Sample,
}

impl<'a> TrialContext<'a> {
    pub(super) fn new(
        contexts: [Context<'a>; 2],
        state: MatchState,
        settings: RolloutSettings,
    ) -> TrialContext<'a> {
        let mut search = settings.search.clone();
        search.cubeful = settings.cubeful;
        search.time_ms = None;
        search.top = Some(1);
        TrialContext {
            dice: Dice::new(settings.seed),
            osr: settings.leaf_osr.map(Osr::new),
            differ: !std::ptr::addr_eq(contexts[0].evaluator, contexts[1].evaluator),
            turns: (0..2 * 3 * DOUBLINGS).map(|_| OnceLock::new()).collect(),
            contexts,
            state,
            settings,
            search,
        }
    }

    /// Returns the context of this side.
    fn context(&self, asker: bool) -> Context<'a> {
        self.contexts[usize::from(!asker)]
    }

    fn is_money(&self) -> bool {
        self.state.score.is_money()
    }

    /// Returns the turn of a player with this cube. In money play values are per unit of the cube: only its owner counts.
    fn turn(&self, asker: bool, cube: CubeState) -> &Turn<'a> {
        let doublings = if self.is_money() {
            0
        } else {
            usize::from(cube.doublings).min(DOUBLINGS - 1)
        };
        let owner = match cube.owner {
            CubeOwner::Centred => 0,
            CubeOwner::Me => 1,
            CubeOwner::Opponent => 2,
        };
        let place = (doublings * 3 + owner) * 2 + usize::from(asker);
        self.turns[place].get_or_init(|| {
            let seen = if asker {
                self.state
            } else {
                self.state.swapped()
            };
            let cube = Cube::new(1 << doublings, cube.owner).unwrap_or(Cube::CENTRED);
            Turn::new(
                &self.context(asker),
                MatchState { cube, ..seen },
                &self.search,
            )
        })
    }

    fn side(&self, asker: bool, turn: u32) -> RolloutSide {
        match self.settings.late {
            Some((from, side)) if turn >= from => side,
            _ => self.settings.sides[usize::from(!asker)],
        }
    }

    fn settings(&self, plies: u8, filter: Option<MoveFilter>) -> Settings {
        Settings {
            plies,
            filter: filter.unwrap_or(self.search.filter),
            ..self.search.clone()
        }
    }

    /// Returns a value of the other player.
    fn other(&self, value: f64) -> f64 {
        if self.is_money() { -value } else { 1.0 - value }
    }

    /// Converts chances and a cubeful value of the player on roll (per unit of the cube in money play) to the view of the
    /// player on roll at the question.
    fn asked(&self, play: &Play, chances: Chances, value: f64) -> Sample {
        let (chances, value) = if play.asker {
            (chances, value)
        } else {
            (chances.inverted(), self.other(value))
        };
        let scale = if self.is_money() { play.scale } else { 1.0 };
        Sample {
            chances: chances.to_array().map(f64::from),
            cubeful: scale * value,
        }
    }

    /// Plays game `trial` from `start`.
    pub(super) fn trial(
        &self,
        start: &Start,
        trial: u32,
        scratch_space: &mut TrialScratch,
    ) -> Result<Sample, Stopped> {
        let mut dice = self.dice.game(trial);
        let mut play = Play {
            position: start.position,
            chances: None,
            cube: start.state.cube.into(),
            scale: start.scale,
            asker: !start.turned,
            luck: Sample::default(),
        };
        if let Some(outcome) = start.state.variant.outcome(&start.position) {
            return Ok(self.ended(&play, outcome));
        }
        for turn in 0.. {
            if self.context(true).is_stopped() {
                return Err(Stopped);
            }
            let cube_now = turn > 0 || start.cube_first;
            let found = match self.before_roll(&mut play, turn, cube_now)? {
                Some(end) => Some(end),
                None => self.throw(&mut play, turn, &mut dice, scratch_space)?,
            };
            if let Some(end) = found {
                return Ok(with_luck(end, &play.luck));
            }
        }
        Err(Stopped)
    }

    /// Cuts the game off, or lets the player on roll turn the cube. Returns the game's value when it ends here.
    fn before_roll(
        &self,
        play: &mut Play,
        turn: u32,
        cube_now: bool,
    ) -> Result<Option<Sample>, Stopped> {
        let player = self.turn(play.asker, play.cube);
        if self.is_cut_off(&play.position, turn, cube_now) {
            return self.leaf(player, play).map(Some);
        }
        if !(self.settings.cubeful && cube_now) {
            return Ok(None);
        }
        let side = self.side(play.asker, turn);
        // The other side's view of its play is not this side's.
        let chances = *(play.chances).get_or_insert_with(|| player.chances(&play.position));
        let Some(answer) = self.cube_action(player, (play, chances), side)? else {
            return Ok(None);
        };
        if !answer.verdict.doubles() {
            return Ok(None);
        }
        if answer.verdict.passes() {
            let points = if self.is_money() {
                1.0
            } else {
                self.points(play, 1, true)
            };
            return Ok(Some(self.asked(play, answer.chances, points)));
        }
        play.cube = play.cube.doubled();
        play.scale *= 2.0;
        Ok(None)
    }

    fn cube_action(
        &self,
        player: &Turn<'a>,
        (play, chances): (&Play, Chances),
        side: RolloutSide,
    ) -> Result<Option<CubeAnswer>, Stopped> {
        if side.cube_plies == 0 {
            return Ok(player.cube_action(&play.position, chances));
        }
        let query = CubeQuery {
            position: play.position,
            state: *player.state(),
        };
        let settings = self.settings(side.cube_plies, side.filter);
        let context = self.context(play.asker);
        if !player.may_double() || !search::considers_double(context, &query, &settings)? {
            return Ok(None);
        }
        search::cube_action(context, &query, &settings).map(Some)
    }

    fn is_cut_off(&self, position: &Position, turn: u32, cube_now: bool) -> bool {
        let asked = match self.settings.truncate {
            Truncation::Never => return turn >= TURNS_MAX,
            Truncation::Table => false,
            Truncation::Race => turn > 0 && !position.has_contact(),
            Truncation::Turns(most) => turn >= most,
        };
        if asked || turn >= TURNS_MAX {
            return true;
        }
        if position.has_contact() {
            return false;
        }
        let evaluator = self.context(true).evaluator;
        match evaluator.class(position) {
            Class::Bearoff1 | Class::BearoffOs => !self.settings.cubeful,
            Class::Bearoff2 | Class::BearoffTs if self.settings.cubeful => {
                self.is_money()
                    && cube_now
                    && evaluator.shortcuts().exact_cubeful(position).is_some()
            }
            Class::Bearoff2 | Class::BearoffTs => true,
            Class::Over | Class::Hypergammon | Class::Race | Class::Crashed | Class::Contact => {
                false
            }
        }
    }

    /// Returns the value of a game that is cut off here.
    fn leaf(&self, player: &Turn<'a>, play: &Play) -> Result<Sample, Stopped> {
        let is_race = self.context(true).evaluator.class(&play.position) == Class::Race;
        let osr = self.osr.as_ref().filter(|_| is_race);
        let by_osr = osr.and_then(|osr| osr.chances(&play.position));
        if self.settings.leaf_plies == 0 || by_osr.is_some() {
            let known = by_osr.or(play.chances);
            let chances = known.unwrap_or_else(|| player.chances(&play.position));
            let value = player.value(&play.position, chances);
            return Ok(self.asked(play, chances, value));
        }
        let query = EvalQuery {
            position: play.position,
            state: *player.state(),
        };
        let settings = self.settings(self.settings.leaf_plies, None);
        let found = search::evaluate(self.context(play.asker), &query, &settings)?;
        let value = found.cubeful.unwrap_or(found.cubeless);
        Ok(self.asked(play, found.chances, value.mwc.unwrap_or(value.equity)))
    }

    /// Throws the dice and plays. Returns the game's value when that ends it.
    fn throw(
        &self,
        play: &mut Play,
        turn: u32,
        dice: &mut Game<'_>,
        scratch_space: &mut TrialScratch,
    ) -> Result<Option<Sample>, Stopped> {
        let number = dice.next();
        let roll = Roll::ALL[number];
        let player = self.turn(play.asker, play.cube);
        let side = self.side(play.asker, turn);
        let TrialScratch { scratch, best } = scratch_space;
        let is_static = side.plies == 0;
        let position = &play.position;
        let static_play = match self.settings.variance_reduction {
            true if is_static => Some(player.best_and_best_of_all(position, number, scratch, best)),
            true => {
                player.best(position, &Roll::ALL, scratch, best);
                None
            }
            false => is_static.then(|| player.best_of_all(position, roll, scratch)),
        };
        if self.settings.variance_reduction {
            self.count_luck(play, number, best);
        }
        let (after, chances) = match static_play {
            Some(best) => (best.after, (!self.differ).then_some(best.chances)),
            None => (self.search_play(player, play, roll, side)?, None),
        };
        if let Some(outcome) = self.state.variant.outcome(&after) {
            return Ok(Some(self.ended(play, outcome.swapped())));
        }
        play.position = after;
        play.chances = chances;
        play.cube = play.cube.swapped();
        play.asker = !play.asker;
        Ok(None)
    }

    fn search_play(
        &self,
        player: &Turn<'a>,
        play: &Play,
        roll: Roll,
        side: RolloutSide,
    ) -> Result<Position, Stopped> {
        let query = PlayQuery {
            position: play.position,
            roll,
            state: *player.state(),
        };
        let settings = self.settings(side.plies, side.filter);
        let ranked = search::rank_plays(self.context(play.asker), &query, &settings)?;
        let best = ranked.plays.first();
        Ok(best.map_or_else(|| play.position.swapped(), |best| best.position))
    }

    /// Adds the luck of a throw against the player on roll at the question: the mean of all throws less the value of this
    /// one.
    fn count_luck(&self, play: &mut Play, number: usize, best: &[BestPlay]) {
        let seen = |one: &BestPlay| self.asked(play, one.chances.inverted(), self.other(one.value));
        let mut luck = Sample::default();
        for (at, (roll, one)) in Roll::ALL.iter().zip(best).enumerate() {
            let value = seen(one);
            let mut weight = f64::from(roll.weight()) / 36.0;
            if at == number {
                weight -= 1.0;
            }
            for (sum, chance) in luck.chances.iter_mut().zip(value.chances) {
                *sum += weight * chance;
            }
            luck.cubeful += weight * value.cubeful;
        }
        for (sum, part) in play.luck.chances.iter_mut().zip(luck.chances) {
            *sum += part;
        }
        play.luck.cubeful += luck.cubeful;
    }

    /// Returns the value of a finished game; `outcome` is that of the player on roll.
    fn ended(&self, play: &Play, outcome: Outcome) -> Sample {
        let centred = play.cube.owner == CubeOwner::Centred;
        let single = self.is_money() && self.state.rules.jacoby && centred;
        let games = if single {
            Margin::Single
        } else {
            outcome.margin
        } as u32;
        let value = if self.is_money() {
            f64::from(games) * if outcome.won { 1.0 } else { -1.0 }
        } else {
            self.points(play, games, outcome.won)
        };
        self.asked(play, outcome.chances(), value)
    }

    /// Returns the match winning chance of the player on roll after a result worth `games` times the cube.
    fn points(&self, play: &Play, games: u32, won: bool) -> f64 {
        let score = if play.asker {
            self.state.score
        } else {
            self.state.score.swapped()
        };
        let cube = 1_u32 << usize::from(play.cube.doublings).min(DOUBLINGS - 1);
        self.contexts[0].met.after(score, won, games * cube)
    }
}

fn with_luck(mut sample: Sample, luck: &Sample) -> Sample {
    for (chance, part) in sample.chances.iter_mut().zip(luck.chances) {
        *chance += part;
    }
    sample.cubeful += luck.cubeful;
    sample
}
