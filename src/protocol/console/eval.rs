//! `eval`: a position at every depth, and the cube.

use super::Console;
use super::hint::cube_section;
use super::host::ConsoleHost;
use super::table::{Phase, Table};
use super::words::Words;
use gammond_engine::query::{CubeAnswer, Found, Question, Settings};
use gammond_game::{Class, CubeOwner, Margin, MatchState};

impl Console {
    pub(super) fn evaluate(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        if words.peek().is_none() {
            if !self.table.playing() || self.no_board {
                self.say("No position specified and no game in progress.");
                return;
            }
            self.evaluate_table(host);
            return;
        }
        match self.read_board(words) {
            Ok(position) => {
                let before = self.table;
                self.table.position = position;
                (self.table.doubled, self.table.resigned) = (false, 0);
                self.evaluate_table(host);
                self.table = before;
            }
            Err(fault) => {
                let fault = fault.unwrap_or_else(|| "Illegal position.".to_owned());
                self.say(&fault);
            }
        }
    }

    fn evaluate_table(&mut self, host: &mut dyn ConsoleHost) {
        let Some(mut state) = self.state() else {
            return;
        };
        let shown = self.table;
        if shown.phase == Phase::None {
            // Without a game the original thinks the cube is one's own.
            if let Ok(cube) = gammond_game::Cube::new(1, CubeOwner::Me) {
                state.cube = cube;
            }
            state.rules.beavers = false;
        }
        let text = match self.evaluation(&shown, &state, host) {
            Ok(text) => text,
            Err(reason) => {
                self.complain(&format!("gammond: eval: {reason}"));
                return;
            }
        };
        self.out.push_str(&text);
    }

    fn evaluation(
        &self,
        table: &Table,
        state: &MatchState,
        host: &mut dyn ConsoleHost,
    ) -> Result<String, String> {
        let position = table.position;
        let Found::Class(class) = host.answer(Question::Class(position), &Settings::plies(0))?
        else {
            return Err("the engine has no answer".to_owned());
        };
        let style = &self.style;
        let mut text = format!(
            "Position ID:\t{}\nMatch ID:\t{}\n\nEvaluator: \t{}\n\n",
            table.position_id(),
            table.match_id(),
            evaluator(class)
        );
        text += &match position.outcome() {
            Some(outcome) => format!("({})\n", margin(outcome.margin)),
            None => "\n".to_owned(),
        };
        let heading = match style.mwc && !state.score.is_money() {
            true => "MWC       ",
            false => "Equity    ",
        };
        text += &format!("        Win     W(g)    W(bg)   L(g)    L(bg)   {heading}Cubeful  \n");
        let mut last = None;
        let deepest = self.hints.cube.plies.min(Settings::PLIES_MAX);
        for plies in 0..=deepest {
            let settings = Settings {
                plies,
                ..self.hints.cubes()
            };
            let cube = self.cube_answer(state, &settings, host)?;
            text += &self.row(plies, &cube);
            last = Some(cube);
        }
        text.push('\n');
        if let Some(cube) = last.filter(|_| self.table.doubled || table.may_double(table.on_roll)) {
            text += "\n";
            text += &cube_section(style, &cube, state, self.table.doubled);
            text += "\n";
        }
        Ok(text)
    }

    fn row(&self, plies: u8, cube: &CubeAnswer) -> String {
        let style = &self.style;
        let name = match plies {
            0 => "static:".to_owned(),
            _ => format!(" {plies} ply:"),
        };
        let [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ] = cube.chances.to_array();
        let mut text = format!("{name} ");
        for chance in [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ] {
            text += &format!("{:<8}", style.probability(chance));
        }
        let cubeful = match self.hints.cube.cubeful {
            true => cube.no_double,
            false => cube.cubeless,
        };
        for value in [cube.cubeless, cubeful] {
            text += &format!("{:<10}", style.value(value));
        }
        text + "\n"
    }
}

/// Returns the original's name of a class.
const fn evaluator(class: Class) -> &'static str {
    match class {
        Class::Over => "Over",
        Class::Bearoff2 => "Bearoff2",
        Class::BearoffTs => "Bearoff-TS",
        Class::Bearoff1 => "Bearoff1",
        Class::BearoffOs => "Bearoff-OS",
        Class::Race => "Race",
        Class::Crashed => "Crashed",
        Class::Contact => "Contact",
    }
}

const fn margin(margin: Margin) -> &'static str {
    match margin {
        Margin::Single => "single",
        Margin::Gammon => "gammon",
        Margin::Backgammon => "backgammon",
    }
}
