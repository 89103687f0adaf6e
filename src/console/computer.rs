//! Actions without a command: turns of computers, automatic rolls, plays and games.

use super::Console;
use super::evals::Evals;
use super::host::ConsoleHost;
use super::market;
use super::record::Decided;
use super::table::{Seat, TablePhase};
use gammond_engine::equity::{CubeState, Stakes, dead_double_point};
use gammond_engine::query::{EngineAnswer, EvalQuery, PlayQuery, Question};
use gammond_game::notation::play_text;
use gammond_game::{Chances, LegalPlay, MatchState, Play};
use gammond_report::analysis::is_close;

/// Points of the home board.
const HOME_POINTS: usize = 6;
/// Maximum number of turns that are played before the next line is read: no game is longer.
const TURNS_MAX: usize = 4096;
/// Games that two computers play before the next line is read.
const GAMES_MAX: u32 = 64;

impl Console {
    /// Plays until a human has to decide.
    pub(super) fn play_on(&mut self, host: &mut dyn ConsoleHost) {
        let games = self.table.games;
        for _ in 0..TURNS_MAX {
            if !self.due || self.ending || self.waiting.is_some() {
                return;
            }
            self.due = false;
            if !self.table.playing() {
                // Money sessions of two computers would never end.
                let played = self.table.games.saturating_sub(games);
                let computers = !self.players.iter().any(|player| player.human);
                let endless = computers && self.table.score.length() == 0;
                if played < GAMES_MAX && !(endless && played > 0) {
                    self.begin_game(host);
                }
                continue;
            }
            let fresh = std::mem::take(&mut self.fresh);
            if self.human() {
                self.persons_turn(fresh, host);
            } else {
                let watched =
                    self.options.plays_on || !self.players.iter().any(|player| player.human);
                // In a command file the original leaves a person's resignation open.
                if self.options.strict && self.table.resigned > 0 && !watched {
                    return;
                }
                if self.display && !fresh && watched {
                    self.show_board();
                }
                if let Err(reason) = self.computers_turn(host) {
                    self.complain(&format!("gammond: the engine does not play: {reason}"));
                    return;
                }
            }
        }
    }

    /// Returns whether the player on roll decides and nothing is offered.
    fn own_turn(&self) -> bool {
        !self.table.doubled && self.table.resigned == 0
    }

    fn persons_turn(&mut self, fresh: bool, host: &mut dyn ConsoleHost) {
        if !fresh && !self.options.plays_on {
            return;
        }
        self.show_board();
        if !self.own_turn() {
            return;
        }
        if self.table.dice.is_none() {
            if self.automatic.roll && self.table.double_refusal().is_some() {
                self.throw(host);
            }
            return;
        }
        self.play_automatically();
    }

    /// Makes a person's play that needs no decision: a forced one with `set automatic move`, and with `set automatic
    /// bearoff` one of a race with all checkers home that is forced or bears off a checker with every die.
    pub(super) fn play_automatically(&mut self) {
        let (plays, me) = (self.plays(), self.table.position.me());
        let home = me.rearmost().is_some_and(|point| point < HOME_POINTS);
        let bears_off = self.automatic.bearoff && home && !self.table.position.has_contact();
        let dice = match self.table.dice {
            Some([first, second]) if first == second => 4,
            _ => 2,
        };
        let left = me.on_board().saturating_sub(dice);
        let chosen = match plays.as_slice() {
            [only] if self.automatic.play || bears_off => Some(only),
            plays if bears_off => plays
                .iter()
                .find(|legal| legal.after.opponent().on_board() <= left),
            _ => None,
        };
        if let Some(&LegalPlay { play, after }) = chosen {
            self.announce(play);
            self.make(play, after);
        }
    }

    /// Reports the play.
    pub(super) fn announce(&mut self, play: Play) {
        if !self.shows_turns() && !self.human() {
            return;
        }
        let name = self.table.on_roll.of(&self.names);
        let text = match play.is_pass() {
            true => format!("{name} cannot move."),
            false => format!("{name} moves {}.", play_text(&self.table.position, &play)),
        };
        self.say(&text);
    }

    /// Returns the evaluations of the player who decides. People choose anew at each place of the record (LV-14).
    fn evals_to_act(&self) -> Evals {
        let (game, at) = self.record.next_place();
        Evals {
            seed: ((game as u64) << 32) | at as u64,
            ..self.table.decides.of(&self.players).evals
        }
    }

    /// Lets the engine take the decision that is due.
    pub(super) fn computers_turn(&mut self, host: &mut dyn ConsoleHost) -> Result<(), String> {
        let seat = self.table.decides;
        let evals = self.evals_to_act();
        let state = self
            .table
            .state(self.beavers > 0)
            .ok_or("the match is already over")?;
        if seat.of(&self.players).external.is_some() {
            self.external_turn(&state, host);
            return Ok(());
        }
        if self.table.resigned > 0 {
            match self.would_accept(&state, host)? {
                true => self.agree(host),
                false => self.decline(),
            }
            return Ok(());
        }
        if self.table.doubled {
            return self.answer_double(&state, host);
        }
        let mut decided = Decided::default();
        if self.table.dice.is_none() {
            let games = host.resigns(&EvalQuery::new(self.table.position, state), &evals.cubes());
            if games > self.table.declined {
                self.offer_resignation(games);
                return Ok(());
            }
            if self.table.double_refusal().is_none() {
                let cube = self.cube_answer(&state, &evals.cubes(), host)?;
                if cube.double {
                    decided.cube = Some(true);
                    let place = self.record.next_place();
                    self.offer();
                    self.record.decided.insert(place, decided);
                    return Ok(());
                }
                if self.window_is_open(&cube.chances, &state, host) {
                    let (none, take) = (cube.no_double.equity, cube.double_take.equity);
                    decided.cube = Some(is_close(none, take, 0.0));
                }
            }
            self.throw(host);
            if self.waiting.is_some() {
                return Ok(());
            }
        }
        let Some(roll) = self.table.roll() else {
            return Ok(());
        };
        let question = Question::Plays(PlayQuery::new(self.table.position, roll, state));
        let EngineAnswer::Plays(ranked) = host.answer(question, &evals.plays().with_top(1))? else {
            return Err("it has no answer".to_owned());
        };
        let best = ranked.plays.first().ok_or("it has no play")?;
        decided.unforced = ranked.legal > 1;
        self.announce(best.play);
        let place = self.record.next_place();
        self.make(best.play, best.position);
        self.record.decided.insert(place, decided);
        Ok(())
    }

    /// Returns whether the player on roll wins so often that a double could gain with a dead cube: the original rolls
    /// without a decision otherwise.
    fn window_is_open(
        &self,
        chances: &Chances,
        state: &MatchState,
        host: &mut dyn ConsoleHost,
    ) -> bool {
        let point = match self.table.score.length() {
            0 => {
                let jacoby = state.rules.jacoby;
                let stakes = Stakes::money(jacoby);
                dead_double_point(
                    &stakes,
                    CubeState::from(state.cube),
                    state.rules.beavers,
                    chances,
                )
            }
            _ => market::double_point(state.score, self.table.cube, chances, host),
        };
        f64::from(chances.win) >= point
    }

    fn answer_double(
        &mut self,
        state: &MatchState,
        host: &mut dyn ConsoleHost,
    ) -> Result<(), String> {
        let evals = self.evals_to_act();
        let mut before = *state;
        if self.table.beavers > 0 {
            // The decision to take a raccoon is made as if the cube were one's own.
            before.cube = gammond_game::Cube::new(self.table.cube, gammond_game::CubeOwner::Me)
                .unwrap_or(before.cube);
        }
        let cube = self.cube_answer(&before, &evals.cubes(), host)?;
        let beavers = self.table.score.length() == 0 && self.table.beavers < self.beavers;
        let answers = self.table.decides != self.table.on_roll;
        let place = self.record.next_place();
        match (cube.take || !answers, cube.beaver && beavers && answers) {
            (_, true) => self.redouble(),
            (true, _) => self.take(),
            _ => self.drop_cube(host),
        }
        let decided = Decided {
            unforced: false,
            cube: Some(true),
        };
        self.record.decided.insert(place, decided);
        Ok(())
    }

    /// Returns whether the player who answers gains by accepting the resignation.
    pub(super) fn would_accept(
        &self,
        state: &MatchState,
        host: &mut dyn ConsoleHost,
    ) -> Result<bool, String> {
        let resigner = self.table.decides.other();
        let (mut position, mut state) = (self.table.position, *state);
        if resigner != self.table.on_roll {
            (position, state) = (position.swapped(), state.swapped());
        }
        let query = EvalQuery::new(position, state);
        let question = Question::Resignation(query, self.table.resigned);
        match host.answer(question, &self.hints.plays())? {
            EngineAnswer::Resignation(accept) => Ok(accept),
            _ => Err("it has no answer".to_owned()),
        }
    }

    /// Runs `play`: the computer moves if it is its turn.
    pub(super) fn play_computer(&mut self, host: &mut dyn ConsoleHost) {
        if self.human() {
            self.say("It's not the computer's turn to play.");
            return;
        }
        if let Err(reason) = self.computers_turn(host) {
            self.complain(&format!("gammond: the engine does not play: {reason}"));
        }
    }

    /// Runs `end game`: the engine plays both seats to the end.
    pub(super) fn end_game(&mut self, host: &mut dyn ConsoleHost) {
        let before = (self.players.clone(), self.display, self.automatic.game);
        let manual_dice = std::mem::replace(&mut self.manual_dice, false);
        for player in &mut self.players {
            player.human = false;
            player.external = None;
            player.evals.chequer.plies = 0;
            player.evals.cube.plies = 0;
            player.evals.people = None;
        }
        self.display = false;
        self.automatic.game = false;
        let score = self.table.score.points();
        let mark = self.out.len();
        let mut fault = None;
        for _ in 0..TURNS_MAX {
            if !self.table.playing() || self.waiting.is_some() || fault.is_some() {
                break;
            }
            fault = self.computers_turn(host).err();
        }
        (self.players, self.display, self.automatic.game) = before;
        self.manual_dice = manual_dice;
        if let Some(reason) = fault {
            self.complain(&format!("gammond: the engine does not play: {reason}"));
            return;
        }
        let said = self.out.split_off(mark);
        let winner = Seat::BOTH
            .into_iter()
            .find(|seat| seat.of(&self.table.score.points()) > seat.of(&score));
        if let Some(winner) = winner.filter(|_| self.table.phase != TablePhase::Playing) {
            let won = winner.of(&self.table.score.points()) - winner.of(&score);
            self.say("Game complete.");
            let text = format!(
                "{} wins {}",
                winner.of(&self.names),
                super::table::points(won)
            );
            self.say(&text);
        }
        self.out.push_str(&said);
        self.due =
            self.automatic.game && !self.table.playing() && self.table.match_winner().is_none();
    }
}
