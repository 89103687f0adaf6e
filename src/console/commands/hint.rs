//! `hint`: the plays of the dice, or what to do with the cube.

use super::Command;
use super::play::MATCH_OVER;
use crate::Console;
use crate::evals::Context;
use crate::hinted::Hint;
use crate::host::{ConsoleHost, ScoreValues};
use crate::style::Style;
use crate::words::Words;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, Equities, EvalQuery, Evaluation, PlayQuery, Question,
    RankedPlay, Settings,
};
use gammond_game::notation::play_text;
use gammond_game::{MatchState, Position};

/// Plays of a hint without a number.
pub(crate) const PLAYS_SHOWN: usize = 10;

/// The command `hint`.
pub(super) static COMMAND: Command = Command {
    name: "hint",
    help: &[(
        "",
        "[value]",
        "Give hints on cube action or best legal moves",
    )],
    run: |console, _, words, host| console.give_hint(words, host),
    ..Command::BARE
};

impl Console {
    /// Returns cube, score and rules for the engine, and reports if the score leaves nothing to decide.
    pub(crate) fn state(&mut self) -> Option<MatchState> {
        let state = self.table.state(self.beavers > 0);
        if state.is_none() {
            self.say(MATCH_OVER);
        }
        state
    }

    pub(crate) fn give_hint(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        if !self.table.playing() || self.no_board {
            self.say("You must set up a board first.");
            return;
        }
        let wanted = words.number().and_then(|count| usize::try_from(count).ok());
        let count = wanted.filter(|count| *count > 0).unwrap_or(PLAYS_SHOWN);
        let Some(state) = self.state() else { return };
        if self.table.resigned > 0 {
            self.hint_resignation(&state, host);
            return;
        }
        match self.table.roll() {
            Some(_) => self.hint_plays(&state, count, host),
            None if self.table.doubled || self.table.double_refusal().is_none() => {
                self.hint_cube(&state, host)
            }
            None => {
                self.complain("You cannot double.");
            }
        }
    }

    fn hint_plays(&mut self, state: &MatchState, count: usize, host: &mut dyn ConsoleHost) {
        let Some(roll) = self.table.roll() else {
            return;
        };
        let position = self.table.position;
        if self.hint.as_ref().and_then(Hint::plays).is_none() {
            let question = Question::Plays(PlayQuery::new(position, roll, *state));
            match host.answer(question, &self.hints.plays()) {
                Ok(EngineAnswer::Plays(ranked)) => {
                    let plays = if ranked.legal == 0 {
                        Vec::new()
                    } else {
                        ranked.plays
                    };
                    self.hint = Some(Hint::Plays {
                        position,
                        plays,
                        context: self.hints.chequer,
                    });
                }
                Ok(_) => return,
                Err(reason) => {
                    self.complain(&format!("gammond: hint: {reason}"));
                    return;
                }
            }
        }
        self.note_hint();
        let Some(Hint::Plays {
            position,
            plays,
            context,
        }) = &self.hint
        else {
            return;
        };
        if plays.is_empty() {
            self.say("There are no legal moves.");
            return;
        }
        let mut text = String::new();
        for (play, rank) in plays.iter().take(count).zip(1..) {
            text += &play_lines(
                &self.style,
                position,
                play,
                plays.first(),
                &format!("{rank:>5}"),
                context,
            );
            text += &format!("        {}\n", context.described(play.plies));
        }
        self.out.push_str(&text);
    }

    fn hint_cube(&mut self, state: &MatchState, host: &mut dyn ConsoleHost) {
        if self.table.doubled && self.table.beavers > 0 {
            self.complain("This decision is part of beaver/raccoon sequence and cannot be hinted");
            return;
        }
        if !matches!(self.hint, Some(Hint::Cube(_))) {
            let settings = self.hints.cubes();
            match self.cube_answer(state, &settings, host) {
                Ok(cube) => self.hint = Some(Hint::Cube(Box::new(cube))),
                Err(reason) => {
                    self.complain(&format!("gammond: hint: {reason}"));
                    return;
                }
            }
        }
        self.note_hint();
        if let Some(Hint::Cube(cube)) = &self.hint {
            let text = cube_section(&self.style, cube, state, self.table.doubled);
            self.out.push_str(&text);
            self.out.push('\n');
        }
    }

    /// Keeps a hint about a place in the record, so that `show board` can repeat it.
    fn note_hint(&mut self) {
        let inside = self
            .record
            .current()
            .is_some_and(|game| self.record.at < game.actions.len());
        if let Some(hint) = self.hint.clone().filter(|_| inside && !self.record.set_up) {
            self.record
                .hints
                .insert((self.record.game, self.record.at), hint);
        }
    }

    /// Gives a hint about the resignation that is offered.
    fn hint_resignation(&mut self, state: &MatchState, host: &mut dyn ConsoleHost) {
        let found = self.resignation_values(state, host);
        let found = found.and_then(|values| Ok((values, self.would_accept(state, host)?)));
        let ([before, after], accepts) = match found {
            Ok(found) => found,
            Err(reason) => {
                self.complain(&format!("gammond: hint: {reason}"));
                return;
            }
        };
        let gain = Equities {
            equity: after.equity - before.equity,
            mwc: after
                .mwc
                .zip(before.mwc)
                .map(|(after, before)| after - before),
        };
        // The original has percents here, whatever `set output matchpc` says.
        let style = Style {
            match_percent: self.style.match_percent || self.style.strict,
            ..self.style
        };
        let [before, after, gain] = [before, after, gain].map(|value| style.value(value));
        let decision = if accepts { "Accept" } else { "Reject" };
        self.say(&format!(
            "Equity before resignation : {before}\nEquity after resignation : {after} ({gain})\n\n\
             Correct resign decision : {decision}\n"
        ));
    }

    /// Returns the cubeless value of the game for the player who answers a resignation, and that of the games that are
    /// offered.
    fn resignation_values(
        &self,
        state: &MatchState,
        host: &mut dyn ConsoleHost,
    ) -> Result<[Equities; 2], String> {
        let query = EvalQuery::new(self.table.position, *state);
        let found = host.answer(Question::Value(query), &self.hints.plays())?;
        let EngineAnswer::Value(Evaluation { chances, .. }) = found else {
            return Err("the engine has no answer".to_owned());
        };
        let (chances, state) = match self.table.decides == self.table.on_roll {
            true => (chances, *state),
            false => (chances.inverted(), state.swapped()),
        };
        let ScoreValues {
            chances: [lost, won],
            prices: [[gammon, backgammon], [lost_gammon, lost_backgammon]],
        } = host.stakes(&state);
        let [win, one, two, three, four] = [
            chances.win,
            chances.win_gammon,
            chances.win_backgammon,
            chances.lose_gammon,
            chances.lose_backgammon,
        ]
        .map(f64::from);
        let before = 2.0 * win - 1.0 + one * gammon + two * backgammon
            - three * lost_gammon
            - four * lost_backgammon;
        let after = match self.table.resigned {
            ..2 => 1.0,
            2 => 1.0 + gammon,
            3.. => 1.0 + gammon + backgammon,
        };
        Ok([before, after].map(|equity| Equities {
            equity,
            mwc: (!state.score.is_money()).then(|| lost + (equity + 1.0) / 2.0 * (won - lost)),
        }))
    }

    pub(crate) fn cube_answer(
        &self,
        state: &MatchState,
        settings: &Settings,
        host: &mut dyn ConsoleHost,
    ) -> Result<CubeAnswer, String> {
        let question = Question::Cube(CubeQuery::new(self.table.position, *state));
        match host.answer(question, settings)? {
            EngineAnswer::Cube(cube) => Ok(cube),
            _ => Err("the engine has no answer".to_owned()),
        }
    }
}

/// Formats the two lines of a play.
pub(crate) fn play_lines(
    style: &Style,
    position: &Position,
    play: &RankedPlay,
    best: Option<&RankedPlay>,
    rank: &str,
    context: &Context,
) -> String {
    let kind = if context.cubeful {
        "Cubeful"
    } else {
        "Cubeless"
    };
    let kind = format!("{kind} {}-ply", play.plies);
    let moved = play_text(position, &play.play);
    format!("{rank}. {kind:<17}{moved:<29}{}", values(style, play, best))
}

/// Formats the value of a play and the line of probabilities below.
pub(crate) fn values(style: &Style, play: &RankedPlay, best: Option<&RankedPlay>) -> String {
    let word = match style.mwc && play.value.mwc.is_some() {
        true => "MWC:",
        false => "Eq.:",
    };
    let mut text = format!("{word} {}", style.value(play.value));
    if let Some(best) = best.filter(|best| best.position != play.position) {
        text += &format!(" ({})", style.difference(play.value, best.value));
    }
    text + &format!("\n       {}\n", style.chances(&play.chances))
}

/// Formats the cube section, seen by the doubler, or by the opponent if a double is offered.
pub(crate) fn cube_section(
    style: &Style,
    cube: &CubeAnswer,
    state: &MatchState,
    answers: bool,
) -> String {
    let turn = |value: Equities| match answers {
        false => value,
        true => Equities {
            equity: -value.equity,
            mwc: value.mwc.map(|mwc| 1.0 - mwc),
        },
    };
    let chances = if answers {
        cube.chances.inverted()
    } else {
        cube.chances
    };
    let cubeless = turn(cube.cubeless);
    let word = match style.mwc && cubeless.mwc.is_some() {
        true => "MWC",
        false => "equity",
    };
    let mut text = format!(
        "\nCube analysis\n{}-ply cubeless {word} {}",
        cube.plies,
        style.value(cubeless)
    );
    if !state.score.is_money() {
        text += &format!(" (Money: {})", style.equity(f64::from(chances.equity())));
    }
    text += &format!("\n  {}\nCubeful equities:\n", style.chances(&chances));
    let lines = in_order(cube);
    let [(_, first), ..] = lines;
    for ((name, value), rank) in lines.into_iter().zip(1..) {
        let value = turn(value);
        text += &format!("{rank}. {name:<20}{}", style.value(value));
        if rank > 1 {
            let best = turn(first);
            let difference = match value == best {
                true => style.no_difference(value),
                false => style.difference(value, best),
            };
            text += &format!("  ({difference})");
        }
        text.push('\n');
    }
    text += &format!("Proper cube action: {}", cube.verdict.text());
    if let Some(share) = cube.percentage {
        text += &format!(" ({:.1}%)", 100.0 * share);
    }
    text + "\n"
}

/// Returns the three choices, best first.
fn in_order(cube: &CubeAnswer) -> [(&'static str, Equities); 3] {
    let no_double = ("No double", cube.no_double);
    let take = ("Double, take", cube.double_take);
    let pass = ("Double, pass", cube.double_pass);
    let verdict = cube.verdict;
    match verdict {
        _ if verdict.doubles() && verdict.passes() => [pass, take, no_double],
        _ if verdict.doubles() => [take, pass, no_double],
        _ if verdict.passes() => [no_double, take, pass],
        _ => [no_double, pass, take],
    }
}
