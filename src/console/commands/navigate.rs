//! `next`, `previous`, `first`, `list`: review of the game.

use super::Command;
use super::hint::{PLAYS_SHOWN, cube_section, values};
use super::play::NO_GAME;
use crate::Console;
use crate::evals::Context;
use crate::hinted::Hint;
use crate::host::AnalysedAction;
use crate::record::{apply, start_of};
use crate::table::{Seat, Table, TablePhase};
use crate::words::{Words, integer};
use gammond_game::Roll;
use gammond_game::notation::{MatAction, MatPlayer, play_text, position_after};

/// Width of a column of `list game`.
const COLUMN: usize = 44;

/// The command `next`.
pub(super) static NEXT: Command = Command {
    name: "next",
    alias: "n",
    help: &[("", "[count]", "Go forwards in the match")],
    run: |console, path, words, _| console.step(path, words),
    ..Command::BARE
};

/// The command `previous`.
pub(super) static PREVIOUS: Command = Command {
    name: "previous",
    alias: "p",
    help: &[("", "[count]", "Go backwards in the match")],
    run: |console, path, words, _| console.step(path, words),
    ..Command::BARE
};

/// The command `first`.
pub(super) static FIRST: Command = Command {
    name: "first",
    grammar: &["first: game move"],
    help: &[
        ("game", "", "Go to the first game of the match"),
        ("move", "", "Go to the first move of the game"),
    ],
    run: |console, path, words, _| console.step(path, words),
    ..Command::BARE
};

/// The command `list`.
pub(super) static LIST: Command = Command {
    name: "list",
    grammar: &["list: game match session"],
    help: &[("game", "", "List the moves of the game")],
    run: |console, path, _, _| {
        if let [_, what] = path {
            console.list(what);
        }
    },
    ..Command::BARE
};

impl Console {
    /// Sets the table to the current place of the record.
    fn look(&mut self) {
        let rules = self.table;
        if let Some(table) = self.record.table(&rules, self.automatic.crawford) {
            self.table = Table {
                cube_use: rules.cube_use,
                ..table
            };
            // Before the first action the original has no position.
            if self.options.strict && self.record.at == 0 && !self.record.rolled {
                self.table.phase = TablePhase::None;
                self.say("No game in progress.");
            }
        }
        self.forget_hint();
        (self.due, self.fresh) = (false, false);
    }

    pub(crate) fn step(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        if self.record.file.games.is_empty() {
            if !self.options.strict || path.first() != Some(&"first") {
                self.say(NO_GAME);
            }
            return;
        }
        match path {
            ["first", "game"] => {
                (self.record.game, self.record.at, self.record.rolled) = (0, 0, false);
                self.look();
                return;
            }
            ["first", _] => {
                (self.record.at, self.record.rolled) = (0, false);
                self.look();
                return;
            }
            _ => {}
        }
        let before = (self.record.game, self.record.at, self.record.rolled);
        let back = path == ["previous"];
        let word = words.next().unwrap_or("1");
        let count = integer(word);
        let kind = word.to_ascii_lowercase();
        let is = |name: &str| count.is_none() && name.starts_with(&kind);
        let times = count.or_else(|| words.number()).unwrap_or(1).clamp(0, 4096);
        if is("game") {
            let last = self.record.file.games.len().saturating_sub(1);
            for _ in 0..times {
                let game = &mut self.record.game;
                *game = if back {
                    game.saturating_sub(1)
                } else {
                    (*game + 1).min(last)
                };
            }
            (self.record.at, self.record.rolled) = (0, false);
        } else if is("rolled") || is("roll") {
            self.step_roll(back);
        } else if is("marked") {
            self.step_marked(back);
        } else if count.is_some() {
            self.step_moves(back, times);
        } else {
            let way = if back { "back" } else { "ahead" };
            let verb = if back { "previous" } else { "next" };
            self.fault(&format!(
                "If you specify a parameter to the `{verb}' command, it must be a positive number (the count of moves to step {way})."
            ));
            return;
        }
        if before != (self.record.game, self.record.at, self.record.rolled) {
            self.look();
        }
    }

    fn step_moves(&mut self, back: bool, times: i64) {
        let end = self.record.current().map_or(0, |game| game.actions.len());
        let steps = usize::try_from(times).unwrap_or(0);
        let record = &mut self.record;
        record.at = match back {
            true => record.at.saturating_sub(steps),
            false => record.at.saturating_add(steps).min(end),
        };
        record.rolled = false;
    }

    /// Steps to the next or previous roll.
    fn step_roll(&mut self, back: bool) {
        let Some(game) = self.record.current() else {
            return;
        };
        let is_roll =
            |action: &MatAction| matches!(action, MatAction::Play { .. } | MatAction::Rolled(_));
        let mut rolls = game
            .actions
            .iter()
            .enumerate()
            .filter(|(_, (_, action))| is_roll(action));
        let (at, rolled) = (self.record.at, self.record.rolled);
        let found = match back {
            true => rolls.rev().find(|(number, _)| *number < at),
            false => rolls.find(|(number, _)| *number > at || (*number == at && !rolled)),
        };
        if let Some((number, _)) = found {
            (self.record.at, self.record.rolled) = (number, true);
        }
    }

    /// Steps to the next or previous marked decision.
    fn step_marked(&mut self, back: bool) {
        let Some(doubtful) = self.marks.first().copied() else {
            return;
        };
        let game = self.record.game;
        let actions = self
            .judged
            .as_ref()
            .and_then(|judged| judged.games.get(game));
        let marked = actions.into_iter().flatten().filter(|action| {
            let losses = [action.loss, action.cube_loss].into_iter().flatten();
            losses.into_iter().any(|[loss, _]| loss >= doubtful)
        });
        let numbers = marked.map(|action| action.number);
        let at = self.record.at;
        let passed = self.record.rolled;
        let found = match back {
            true => numbers.filter(|number| *number < at).max(),
            false => numbers
                .filter(|number| *number > at || (*number == at && !passed))
                .min(),
        };
        if let Some(number) = found {
            (self.record.at, self.record.rolled) = (number, true);
        }
    }

    /// Returns the text that `show board` adds inside a record: the next roll and its analysis.
    pub(crate) fn place_text(&self) -> String {
        let (number, game) = (self.record.at, self.record.game);
        let Some((_, action)) = self
            .record
            .current()
            .and_then(|game| game.actions.get(number))
        else {
            return String::new();
        };
        if !self.table.playing() || self.record.set_up {
            return String::new();
        }
        let (MatAction::Play { roll, .. } | MatAction::Rolled(roll)) = action else {
            return String::new();
        };
        let judged = self
            .judged
            .as_ref()
            .and_then(|judged| judged.games.get(game));
        let judged = judged.and_then(|actions| actions.iter().find(|one| one.number == number));
        let [first, second] = roll.dice();
        let Some(judged) = judged else {
            return self.noted(*action, *roll);
        };
        let luck = judged
            .luck
            .map_or(String::new(), |[emg, _]| format!(" ({emg:+.3})"));
        format!("Rolled {first}{second}{luck}:\n")
            + &self.listed(&self.table, judged, Some(&self.analysis.chequer))
    }

    /// Returns the next roll and the hint that was given here.
    fn noted(&self, action: MatAction, roll: Roll) -> String {
        let head = format!("Rolled {roll}:\n");
        match self.record.hints.get(&(self.record.game, self.record.at)) {
            Some(Hint::Cube(cube)) => {
                let state = self.table.state(self.beavers > 0);
                let section = state.map(|state| cube_section(&self.style, cube, &state, false));
                section.map_or(String::new(), |section| section + "\n") + &head
            }
            Some(Hint::Plays {
                position,
                plays,
                context,
            }) => {
                let after = match action {
                    MatAction::Play { roll, play } => position_after(position, roll, &play),
                    _ => None,
                };
                let place = plays.iter().position(|play| Some(play.position) == after);
                let judged = AnalysedAction {
                    number: self.record.at,
                    plays: plays.iter().take(PLAYS_SHOWN).cloned().collect(),
                    played: place.and_then(|at| Some((plays.get(at)?.clone(), at + 1))),
                    legal: plays.len(),
                    ..AnalysedAction::default()
                };
                head + &self.listed(&self.table, &judged, Some(context))
            }
            None => head,
        }
    }

    /// Lists the plays of an analysed roll and marks the one that was made; `context` adds the line about the evaluation.
    pub(crate) fn listed(
        &self,
        table: &Table,
        judged: &AnalysedAction,
        context: Option<&Context>,
    ) -> String {
        let cubeful = if self.analysis.chequer.cubeful {
            "Cubeful"
        } else {
            "Cubeless"
        };
        let best = judged.plays.first();
        let shown = judged.plays.iter().take(self.export_plays.max(10)).zip(1..);
        let mut text = String::new();
        let mut line = |play: &gammond_engine::query::RankedPlay, rank: usize, made: bool| {
            let mark = if made { '*' } else { ' ' };
            let kind = format!("{cubeful} {}-ply", play.plies);
            let moved = play_text(&table.position, &play.play);
            text += &format!(
                "{mark}{rank:>5}. {kind:<17}{moved:<29}{}",
                values(&self.style, play, best)
            );
            if let Some(context) = context {
                text += &format!("        {}\n", context.described(play.plies));
            }
        };
        let limit = if context.is_some() {
            usize::MAX
        } else {
            self.export_plays
        };
        let place = judged.played.as_ref().map_or(0, |(_, place)| *place);
        for (play, rank) in shown.take(limit) {
            line(play, rank, rank == place);
        }
        if let Some((played, place)) = judged
            .played
            .as_ref()
            .filter(|(_, place)| *place > limit.min(judged.plays.len()))
        {
            line(played, *place, true);
        }
        text
    }

    pub(crate) fn list(&mut self, what: &str) {
        if self.record.file.games.is_empty() {
            if !self.options.strict {
                self.say(NO_GAME);
            }
            return;
        }
        match what {
            "game" => self.list_game(),
            _ => self.list_match(),
        }
    }

    fn list_match(&mut self) {
        if self.options.strict {
            return;
        }
        let [top, bottom] = self.names.clone();
        let games = self.record.file.games.clone();
        for (game, number) in games.iter().zip(1..) {
            let [above, below] = game.scores;
            let result = match game.result {
                Some((player, count)) => {
                    let name = Seat::from_player(player).of(&self.names);
                    format!("{name} wins {}", crate::table::points(count))
                }
                None => "not finished".to_owned(),
            };
            self.say(&format!(
                "Game {number}: {top} {above}, {bottom} {below}: {result}"
            ));
        }
    }

    fn list_game(&mut self) {
        let Some(game) = self.record.current() else {
            return;
        };
        let mut table = start_of(&self.record.file, self.record.game, &self.table);
        let mut columns = Columns::default();
        for &(player, action) in &game.actions {
            let seat = Seat::from_player(player);
            let before = table;
            apply(&mut table, seat, action);
            let cell = match action {
                MatAction::Play { roll, play } => {
                    let position = match before.on_roll == seat {
                        true => before.position,
                        false => before.position.swapped(),
                    };
                    format!("{:<7}: {}", sorted(roll), play_text(&position, &play))
                }
                MatAction::Rolled(roll) => format!("{:<7}: Rolled", sorted(roll)),
                MatAction::Double(value) => format!("Doubles => {value}"),
                MatAction::Beaver(value) => format!("Beavers => {value}"),
                MatAction::Take => "Takes".to_owned(),
                MatAction::Drop => "Drops".to_owned(),
                _ => continue,
            };
            columns.add(player, &cell);
        }
        let dropped = matches!(game.actions.last(), Some((_, MatAction::Drop)));
        if game.result.is_some() && !table.position.is_over() && !dropped {
            columns.text += "Resigns\n\n";
        } else if columns.open {
            columns.text.push('\n');
        }
        self.out.push_str(&columns.text);
    }
}

/// The actions of both players side by side.
#[derive(Default)]
struct Columns {
    text: String,
    /// True if the first player's cell waits for the second one's.
    open: bool,
}

impl Columns {
    fn add(&mut self, player: MatPlayer, cell: &str) {
        let text = &mut self.text;
        if player == MatPlayer::First {
            if self.open {
                text.push('\n');
            }
            *text += &format!("{cell:<COLUMN$}");
            self.open = true;
            return;
        }
        // A player who begins at the right stands at the left all the same.
        if !self.open && !text.is_empty() {
            *text += &format!("{:<COLUMN$}", "");
        }
        *text += &format!("{cell:<COLUMN$}\n");
        self.open = false;
    }
}

/// Formats a roll, the larger die first.
fn sorted(roll: Roll) -> String {
    format!("{}{}", roll.high(), roll.low())
}
