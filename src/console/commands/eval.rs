//! `eval`: a position at every depth, and the cube.

use super::Command;
use super::hint::cube_section;
use crate::Console;
use crate::host::ConsoleHost;
use crate::table::{Table, TablePhase};
use crate::words::Words;
use gammond_engine::bearoff::{
    Counts, Distribution, EFFECTIVE_PIPS_A_ROLL, MAX_POINTS, Numbering, Tables,
};
use gammond_engine::query::{CubeAnswer, EngineAnswer, Question, Settings};
use gammond_game::{Class, CubeOwner, Margin, MatchState, Position, Side};

/// The command `eval`.
pub(super) static COMMAND: Command = Command {
    name: "eval",
    help: &[(
        "",
        "[position]",
        "Evaluate a position statically and at each depth",
    )],
    run: |console, _, words, host| console.evaluate(words, host),
    ..Command::BARE
};

impl Console {
    pub(crate) fn evaluate(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
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
        if shown.phase == TablePhase::None {
            // Without a game the original treats the cube as one's own.
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
        let EngineAnswer::Class(class) =
            host.answer(Question::Class(position), &Settings::plies(0))?
        else {
            return Err("the engine has no answer".to_owned());
        };
        let style = &self.style;
        let by_table = state.variant.checkers() < Side::CHECKERS && class != Class::Over;
        let evaluator = match by_table {
            true => format!("Hypergammon-{}", state.variant.checkers()),
            false => evaluator(class).to_owned(),
        };
        let mut text = format!(
            "Position ID:\t{}\nMatch ID:\t{}\n\nEvaluator: \t{}\n\n",
            table.position_id(),
            table.match_id(),
            evaluator
        );
        if !by_table && matches!(class, Class::Bearoff1 | Class::Bearoff2) {
            text += &bearoff_table(&position).unwrap_or_default();
        }
        text += &match state.variant.outcome(&position) {
            Some(outcome) => format!("({})\n\n", margin(outcome.margin)),
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
        if let Some(cube) = last.filter(|_| self.table.doubled || table.double_refusal().is_none())
        {
            text += "\n";
            // As the table: of the one who doubles, also while the double is open.
            text += &cube_section(style, &cube, state, false);
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
        Class::Hypergammon => "Hypergammon",
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

/// Returns the rolls that both sides need, from the one-sided table in the program: distributions, means, effective pip
/// counts. `None` when the table does not cover the position.
fn bearoff_table(position: &Position) -> Option<String> {
    let sides = [position.me(), position.opponent()];
    let [mine, theirs] = sides.map(|side| Tables::shared().distribution(side));
    let found = [mine?, theirs?];
    let [my_index, their_index] = sides.map(index);
    let mut text = format!(
        "             Player       Opponent\nPosition{:>13}{:>14}\n\n\
         Bearing off \t\t\t\tBearing at least one chequer off\n\
         Rolls\tPlayer\tOpponent\tPlayer\tOpponent\n",
        my_index?, their_index?
    );
    let value = |values: &[u16], rolls: usize| values.get(rolls).copied().unwrap_or(0);
    let any = |rolls: usize| {
        let of = |it: &Distribution| value(&it.win, rolls) > 0 || value(&it.gammon, rolls) > 0;
        found.iter().any(of)
    };
    let last = (found.iter())
        .filter_map(|it| it.win.iter().rposition(|value| *value > 0))
        .max()?;
    for rolls in (0..=last).skip_while(|rolls| !any(*rolls)) {
        let [my_end, their_end] = found.map(|it| percent(value(&it.win, rolls)));
        text += &format!("{rolls:5}\t{my_end:7.3}\t{their_end:7.3}\t\t");
        if rolls < last {
            let [my_first, their_first] = found.map(|it| percent(value(&it.gammon, rolls)));
            text += &format!("{my_first:7.3}\t{their_first:7.3}");
        }
        text.push('\n');
    }
    let [ends, firsts] = [
        found.map(|it| moments(&it.win)),
        found.map(|it| moments(&it.gammon)),
    ];
    text +=
        "Average rolls\nBearing off\t\t\t\tSaving gammon\n\tPlayer\tOpponent\tPlayer\tOpponent\n";
    let [[my_mean, my_spread], [their_mean, their_spread]] = ends;
    let [
        [my_first, my_first_spread],
        [their_first, their_first_spread],
    ] = firsts;
    text += &format!(
        "Mean\t{my_mean:7.3}\t{their_mean:7.3}\t\t{my_first:7.3}\t{their_first:7.3}\n\
         Std dev\t{my_spread:7.3}\t{their_spread:7.3}\t\t{my_first_spread:7.3}\t{their_first_spread:7.3}\n"
    );
    let a_roll = f64::from(EFFECTIVE_PIPS_A_ROLL);
    let effective = [my_mean, their_mean].map(|mean| a_roll * mean);
    let [mine, theirs] = effective;
    let [my_pips, their_pips] = sides.map(|side| f64::from(side.pips()));
    text += &format!(
        "\nEffective pip count:\n\tPlayer\tOpponent\nEPC\t{mine:7.3}\t{theirs:7.3}\n\
         Wastage\t{:7.3}\t{:7.3}\n\nEPC = {a_roll:5.3} * Average rolls\nWastage = EPC - pips\n\n",
        mine - my_pips,
        theirs - their_pips
    );
    Some(text)
}

/// Returns the number of a side's position in gnubg's databases of six points.
fn index(side: Side) -> Option<usize> {
    let mut counts: Counts = [0; MAX_POINTS];
    for (count, found) in counts.iter_mut().zip(side.counts()) {
        *count = found;
    }
    Numbering::new(6, 15)?.index(counts)
}

/// Converts 65535ths to percent.
fn percent(value: u16) -> f64 {
    100.0 * f64::from(value) / f64::from(u16::MAX)
}

/// Returns the mean and the standard deviation of a distribution, in rolls.
fn moments(values: &[u16]) -> [f64; 2] {
    let (mut mean, mut square) = (0.0, 0.0);
    for (rolls, value) in (0_u32..).map(f64::from).zip(values) {
        let part = percent(*value) / 100.0;
        mean += rolls * part;
        square += rolls * rolls * part;
    }
    [mean, (square - mean * mean).max(0.0).sqrt()]
}
