//! `export match text`: a game as a text with a board, the cube and the plays of every turn.

use super::Console;
use super::board::drawing;
use super::host::{AnalysedAction, ConsoleHost};
use super::record::{apply, start_of};
use super::statistics::StatisticsScope;
use super::table::{Seat, Table, TablePhase, points};
use crate::commands::hint::cube_section;
use gammond_game::Roll;
use gammond_game::notation::{MatAction, play_text};

/// Luck from which a roll is lucky and very lucky.
const LUCKY: [f64; 2] = [0.3, 0.6];

impl Console {
    /// Returns the text export of a game; `whole` adds the match statistics after the last game.
    pub(super) fn game_text(
        &self,
        number: usize,
        whole: bool,
        host: &mut dyn ConsoleHost,
    ) -> String {
        let file = &self.record.file;
        let Some(game) = file.games.get(number) else {
            return String::new();
        };
        let mut table = start_of(file, number, &self.table);
        let [top, bottom] = &self.names;
        let [above, below] = table.score.points();
        let kind = match (
            table.score.length(),
            table.score.is_crawford(),
            table.score.is_post_crawford(),
        ) {
            (0, ..) => String::new(),
            (length, true, _) => format!(" (match to {}), Crawford game", points(length)),
            (length, _, true) => format!(" (match to {}), post-Crawford play", points(length)),
            (length, ..) => format!(" (match to {})", points(length)),
        };
        let plural = if number == 1 { "" } else { "s" };
        let mut text = format!(
            "The score (after {number} game{plural}) is: {top} {above}, {bottom} {below}{kind}\n\n"
        );
        let [before, after] = self.match_info_lines();
        let date = self.date(host);
        text += &format!("Match Information:\n{before}Date: {date}\n{after}\n");
        let mut turn = 0;
        for (at, (player, action)) in game.actions.iter().enumerate() {
            let seat = Seat::from_player(*player);
            if !matches!(action, MatAction::SetUp(_)) {
                turn += 1;
                let judged = self
                    .judged
                    .as_ref()
                    .and_then(|judged| judged.games.get(number));
                let judged = judged.and_then(|actions| actions.iter().find(|one| one.number == at));
                // The game is not on yet where its first action is shown.
                let phase = if turn == 1 {
                    TablePhase::None
                } else {
                    table.phase
                };
                text += &self.turn_text(turn, &Table { phase, ..table }, seat, *action, judged);
            }
            apply(&mut table, seat, *action);
        }
        // A board that was set up and waits for its action.
        if game.result.is_none()
            && let Some((player, MatAction::SetUp(_))) = game.actions.last()
        {
            let name = Seat::from_player(*player).of(&self.names);
            let head = format!("{name} on roll, cube decision?");
            text += &format!("{}\n\n", self.turn_board(turn + 1, &head, &table));
        }
        if let Some((winner, count)) = game.result {
            let name = Seat::from_player(winner).of(&self.names);
            text += &format!("{name} wins {}\n\n", points(count));
        }
        text += &format!("Game statistics for game {}\n\n", number + 1);
        text += &self.statistics(StatisticsScope::Game, number, host);
        text.push('\n');
        if whole && number + 1 == file.games.len() {
            let kind = if table.score.length() == 0 {
                "Session"
            } else {
                "Match"
            };
            text += &format!("{kind} statistics\n\n");
            text += &self.statistics(StatisticsScope::Match, number, host);
            text.push('\n');
        }
        text + &signature(host)
    }

    /// Returns the text export of the current position.
    pub(super) fn position_text(&self, host: &mut dyn ConsoleHost) -> String {
        let table = &self.table;
        let name = table.on_roll.of(&self.names);
        let head = match table.dice {
            Some([first, second]) => format!("{name} to play {first}{second}"),
            None => format!("{name} on roll, cube decision?"),
        };
        let board = self.turn_board(self.record.at + 1, &head, table);
        let score = table.score_line(&self.names);
        format!("{score}\n\n{board}{}", signature(host))
    }

    /// Returns the number of a turn, what it is about, the board and the pip counts.
    fn turn_board(&self, turn: usize, head: &str, table: &Table) -> String {
        let (mine, theirs) = (table.position.me().pips(), table.position.opponent().pips());
        let (o, x) = match table.on_roll {
            Seat::Top => (mine, theirs),
            Seat::Bottom => (theirs, mine),
        };
        let board = drawing(table, &self.names);
        format!("Move number {turn}:  {head}\n\n{board}Pip counts: O {o}, X {x}\n\n")
    }

    fn date(&self, host: &mut dyn ConsoleHost) -> String {
        let file = &self.record.file;
        let written = file.header("EventDate").or_else(|| file.header("Date"));
        let parts = written.map(|date| {
            let parts = date.split(['.', '-', '/']).map(|part| part.parse().ok());
            parts.collect::<Option<Vec<u32>>>()
        });
        let [month, day, year] = match parts.flatten().as_deref() {
            Some([year, month, day]) => [*month, *day, *year],
            _ => host.today(),
        };
        format!("{month:02}/{day:02}/{:02}", year % 100)
    }

    fn turn_text(
        &self,
        turn: usize,
        before: &Table,
        seat: Seat,
        action: MatAction,
        judged: Option<&AnalysedAction>,
    ) -> String {
        let mut table = *before;
        let answers = matches!(
            action,
            MatAction::Take | MatAction::Drop | MatAction::Beaver(_)
        );
        if !answers && table.on_roll != seat {
            table.position = table.position.swapped();
            (table.on_roll, table.decides) = (seat, seat);
        }
        let name = seat.of(&self.names);
        let head = match action {
            MatAction::Play { roll, .. } | MatAction::Rolled(roll) => {
                table.dice = Some(roll.dice());
                format!("{name} to play {roll}")
            }
            MatAction::Double(_) => format!("{name} on roll, cube decision?"),
            _ => {
                let doubler = seat.other().of(&self.names);
                format!("{doubler} doubles to {}", table.cube.saturating_mul(2))
            }
        };
        let mut text = self.turn_board(turn, &head, &table);
        match action {
            MatAction::Play { roll, play } => {
                let moved = play_text(&table.position, &play);
                let made = if play.is_pass() {
                    "cannot move".to_owned()
                } else {
                    format!("moves {moved}")
                };
                text += &format!("* {name} {made}\n");
                text += &self.played_text(&table, roll, &moved, judged);
            }
            MatAction::Rolled(roll) => text += &format!("* {name} rolls {roll}\n\n\n"),
            _ => {
                let verb = match action {
                    MatAction::Double(_) | MatAction::Beaver(_) => "doubles",
                    MatAction::Take => "accepts",
                    _ => "rejects",
                };
                text += &format!("* {name} {verb}\n\n");
                text += &self.cube_text(&table, action, judged);
            }
        }
        text
    }

    /// Returns the cube section; an alert replaces its first, empty line.
    fn section(
        &self,
        table: &Table,
        judged: &AnalysedAction,
        alert: Option<String>,
        answers: bool,
    ) -> String {
        let state = table.state(self.beavers > 0);
        let (Some(cube), Some(state)) = (&judged.cube, state) else {
            return String::new();
        };
        let section = cube_section(&self.style, cube, &state, answers);
        match alert {
            Some(alert) => alert + section.trim_start_matches('\n'),
            None => section,
        }
    }

    /// Returns the mark of a loss, if it has one.
    fn mark(&self, loss: Option<[f64; 2]>) -> Option<(&'static str, [f64; 2])> {
        let loss = loss?;
        let [equity, _] = loss;
        let words = ["doubtful", "bad", "very bad"];
        let found = self
            .marks
            .iter()
            .zip(words)
            .rev()
            .find(|(mark, _)| equity >= **mark);
        found.map(|(_, word)| (word, loss))
    }

    /// Formats a loss or luck.
    fn amount(&self, [equity, mwc]: [f64; 2], sign: f64, wide: bool) -> String {
        match (self.style.mwc && self.record.file.length > 0, wide) {
            (true, _) => format!("{:+.3}%", 100.0 * sign * mwc),
            (false, true) => format!("{:+7.3}", sign * equity),
            (false, false) => format!("{:+.3}", sign * equity),
        }
    }

    fn cube_alert(&self, what: &str, loss: Option<[f64; 2]>) -> Option<String> {
        let loss = loss.filter(|[equity, _]| *equity > 0.0)?;
        let mark = self.mark(Some(loss));
        let mark = mark.map_or(String::new(), |(word, _)| format!(" [{word}]"));
        Some(format!(
            "Alert: {what} ({})!\n{mark}\n",
            self.amount(loss, -1.0, false)
        ))
    }

    fn cube_text(
        &self,
        table: &Table,
        action: MatAction,
        judged: Option<&AnalysedAction>,
    ) -> String {
        let Some(judged) = judged else {
            return String::new();
        };
        if judged.cube.is_none() {
            return "Cannot analyse beaver nor raccoons!\n".to_owned();
        }
        let what = match action {
            MatAction::Double(_) => "wrong double",
            MatAction::Take => "wrong take",
            _ => "wrong pass",
        };
        let alert = self.cube_alert(what, judged.loss);
        self.section(
            table,
            judged,
            alert,
            !matches!(action, MatAction::Double(_)),
        )
    }

    fn played_text(
        &self,
        table: &Table,
        roll: Roll,
        moved: &str,
        judged: Option<&AnalysedAction>,
    ) -> String {
        let line = if moved.is_empty() {
            "Cannot move"
        } else {
            moved
        };
        let Some(judged) = judged else {
            return format!("\nRolled {roll}:\n*    {line}\n\n\n");
        };
        let mut text = String::new();
        if judged.cube.is_some() {
            let alert = self.cube_alert("missed double", judged.cube_loss);
            text += &self.section(table, judged, alert, false);
        }
        if let Some((word, loss)) = self.mark(judged.loss) {
            text += &format!("Alert: {word} move ({})\n", self.amount(loss, -1.0, true));
        }
        let luck = judged.luck;
        if let Some(luck @ [equity, _]) = luck {
            let [lucky, very] = LUCKY;
            let word = match equity {
                _ if equity >= very => "very lucky",
                _ if equity >= lucky => "lucky",
                _ if equity <= -very => "very unlucky",
                _ if equity <= -lucky => "unlucky",
                _ => "",
            };
            if !word.is_empty() {
                text += &format!("Alert: {word} roll! ({})\n", self.amount(luck, 1.0, true));
            }
        }
        let luck = luck.map_or(String::new(), |luck| {
            format!(" ({})", self.amount(luck, 1.0, false))
        });
        text += &format!("\nRolled {roll}{luck}:\n");
        match judged.plays.is_empty() || moved.is_empty() {
            true => text += &format!("*    {line}\n"),
            false => text += &self.listed(table, judged, None),
        }
        text + "\n\n"
    }
}

/// Returns the last lines of an export.
fn signature(host: &mut dyn ConsoleHost) -> String {
    format!(
        "Output generated {}\n by gammond {} (Text Export)\n\n",
        host.now(),
        env!("CARGO_PKG_VERSION")
    )
}
