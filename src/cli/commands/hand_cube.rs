//! The cube in `gammond play`: doubles, beavers and raccoons of the person and of the opponent.

use super::interactive::{GameEnd, GameTable, PERSON, Step, View};
use crate::Failure;
use gammond_arena::player::{best_answer, may_turn_again};
use gammond_base::rng::ChaCha8Rng;
use gammond_engine::query::{CubeAnswer, CubeQuery, Stop};
use gammond_game::notation::MatAction;
use gammond_game::{Act, Game, GamePhase, MatchState, Position};
use gammond_report::render::signed;
use std::io::BufRead;
use std::ops::ControlFlow;

impl GameTable<'_> {
    /// Lets the player on roll double and the other answer; returns the end, if the person ends the game.
    pub(super) fn cube_turn(
        &mut self,
        input: &mut impl BufRead,
        game: &mut Game,
        chance: &mut ChaCha8Rng,
    ) -> Result<Option<GameEnd>, Failure> {
        if game.double_refusal().is_some() {
            return Ok(None);
        }
        let (turn, position, state) = (game.on_roll(), *game.position(), *game.state());
        let doubles = match turn {
            PERSON => match self.human_doubles(input, &position, state)? {
                ControlFlow::Continue(doubles) => doubles,
                ControlFlow::Break(end) => return Ok(Some(end)),
            },
            _ => match self.opponent.with_cube() {
                Some(player) => player.doubles(&position, &state, chance)?,
                None => self.cube_answer(&position, state)?.double,
            },
        };
        if !doubles {
            return Ok(None);
        }
        game.act(Act::Double)?;
        self.saved
            .add(turn, MatAction::Double(2 * state.cube.value()));
        let mut own = match turn {
            PERSON => format!("You double to {}; ", 2 * state.cube.value()),
            _ => String::new(),
        };
        while let GamePhase::Answer(turns) = game.phase() {
            let side = game.actor();
            let act = match side {
                PERSON => match self.human_answer(input, game, turns)? {
                    ControlFlow::Continue(act) => act,
                    ControlFlow::Break(end) => return Ok(Some(end)),
                },
                _ => self.opponent_answers(game, turns, chance)?,
            };
            let value = state.cube.value() << (turns + 1);
            let action = match act {
                Act::Beaver => MatAction::Beaver(value),
                Act::Take => MatAction::Take,
                _ => MatAction::Drop,
            };
            let turns_it = if turns == 1 { "beaver" } else { "raccoon" };
            if side == PERSON {
                own = format!("You {turns_it} to {value}; ");
            } else {
                let does = match act {
                    Act::Beaver => format!("{turns_it}s to {value}"),
                    Act::Take => "takes".to_owned(),
                    _ => "drops".to_owned(),
                };
                self.say(&format!("{own}{} {does}.", self.name))?;
                own.clear();
            }
            self.saved.add(side, action);
            game.act(act)?;
        }
        Ok(None)
    }

    /// Returns the opponent's answer to a cube that was turned so often: beavers and raccoons are the engine's.
    fn opponent_answers(
        &self,
        game: &Game,
        turns: u8,
        chance: &mut ChaCha8Rng,
    ) -> Result<Act, Failure> {
        let player = self.opponent.with_cube().filter(|_| turns == 1);
        if player.is_none() || may_turn_again(game.state(), turns) {
            let act = self.best_answer(game, turns)?.0;
            if player.is_none() || act == Act::Beaver {
                return Ok(act);
            }
        }
        let takes = player.map(|player| player.takes(game.position(), game.state(), chance));
        Ok(match takes.transpose()? {
            Some(true) => Act::Take,
            _ => Act::Pass,
        })
    }

    /// Returns the engine's [`best_answer`] to a cube that was turned `turns` times, and the costs of all.
    fn best_answer(&self, game: &Game, turns: u8) -> Result<(Act, Vec<(Act, f64)>), Failure> {
        best_answer(game.position(), game.state(), turns, |query| {
            self.cube_answer(&query.position, query.state)
        })
    }

    fn cube_answer(&self, position: &Position, state: MatchState) -> Result<CubeAnswer, Failure> {
        let query = CubeQuery::new(*position, state);
        Ok(self
            .engine
            .cube_action(&query, &self.settings, &Stop::never())?)
    }

    /// Asks the person who is on roll to double or to roll.
    fn human_doubles(
        &mut self,
        input: &mut impl BufRead,
        position: &Position,
        state: MatchState,
    ) -> Step<bool> {
        let view = View {
            position: *position,
            state,
            roll: None,
            offered: 0,
        };
        self.draw(&view)?;
        loop {
            let line = match self.ask(input, &view, "roll or double")? {
                ControlFlow::Continue(line) => line,
                ControlFlow::Break(end) => return Ok(ControlFlow::Break(end)),
            };
            match line.as_str() {
                "" | "roll" | "r" => return Ok(ControlFlow::Continue(false)),
                "double" | "redouble" | "d" => return Ok(ControlFlow::Continue(true)),
                "hint" => self.cube_hint(&view)?,
                "best" => {
                    let double = self.cube_answer(position, state)?.double;
                    return Ok(ControlFlow::Continue(double));
                }
                _ => self.complain(&line, "expected roll or double")?,
            }
        }
    }

    /// Asks the person to answer a cube that the opponent has turned.
    fn human_answer(&mut self, input: &mut impl BufRead, game: &Game, turns: u8) -> Step<Act> {
        let (position, state) = game.seen();
        let view = View {
            position,
            state,
            roll: None,
            offered: turns,
        };
        let (verb, more) = match turns {
            1 => ("doubles", "beaver"),
            2 => ("beavers", "raccoon"),
            _ => ("raccoons", ""),
        };
        if turns == 1 {
            let text = format!("{} {verb} to {}.", self.name, state.cube.value() << turns);
            let text = self.look.strong(&text);
            self.say(&text)?;
        }
        self.draw(&view)?;
        let prompt = match may_turn_again(game.state(), turns) {
            true => format!("take, drop or {more}"),
            false => "take or drop".to_owned(),
        };
        loop {
            let line = match self.ask(input, &view, &prompt)? {
                ControlFlow::Continue(line) => line,
                ControlFlow::Break(end) => return Ok(ControlFlow::Break(end)),
            };
            match line.as_str() {
                "take" | "accept" | "t" => return Ok(ControlFlow::Continue(Act::Take)),
                "drop" | "pass" | "p" => return Ok(ControlFlow::Continue(Act::Pass)),
                "beaver" | "raccoon" if may_turn_again(game.state(), turns) && line == more => {
                    return Ok(ControlFlow::Continue(Act::Beaver));
                }
                "" => self.draw(&view)?,
                "hint" => self.answer_hint(game, turns, more)?,
                "best" => return Ok(ControlFlow::Continue(self.best_answer(game, turns)?.0)),
                _ => self.complain(&line, &format!("expected {prompt}"))?,
            }
        }
    }

    /// Shows what the answers to a turned cube are worth to the person.
    fn answer_hint(&mut self, game: &Game, turns: u8, more: &str) -> Result<(), Failure> {
        let (best, costs) = self.best_answer(game, turns)?;
        let word = |act: Act| match act {
            Act::Take => "take",
            Act::Beaver => more,
            _ => "drop",
        };
        let worth = |&(act, cost): &(Act, f64)| format!("{} {}", word(act), signed(-cost, 3));
        let worths: Vec<String> = costs.iter().map(worth).collect();
        self.say(&format!("{}: {}", worths.join(", "), word(best)))
    }

    /// Shows the cube decision of the person, who may double.
    fn cube_hint(&mut self, view: &View) -> Result<(), Failure> {
        let found = self.cube_answer(&view.position, view.state)?;
        let [none, take, pass] = [found.no_double, found.double_take, found.double_pass]
            .map(|one| signed(one.equity, 3));
        let best = if found.double { "double" } else { "roll" };
        self.say(&format!(
            "roll {none}, double and take {take}, double and drop {pass}: {best} ({})",
            found.verdict
        ))
    }
}
