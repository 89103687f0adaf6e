//! `rollout`, and its settings in words.

use super::Command;
use crate::Console;
use crate::hinted::Hint;
use crate::host::ConsoleHost;
use crate::style::Style;
use crate::words::Words;
use gammond_engine::query::{
    Candidate, EngineAnswer, Question, RolledOut, RolloutQuery, RolloutSubject, RolloutTask,
};
use gammond_game::notation::play_text;

/// The command `rollout`.
pub(super) static COMMAND: Command = Command {
    name: "rollout",
    help: &[("", "", "Roll out the position")],
    run: |console, _, words, host| console.roll_out(words, host),
    ..Command::BARE
};

impl Console {
    /// Runs `rollout [=cube | =N …]`.
    pub(crate) fn roll_out(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let wanted: Vec<&str> = std::iter::from_fn(|| words.next()).take(64).collect();
        let known = |word: &&str| word.starts_with('=') && !self.options.strict;
        if !wanted.iter().all(known) {
            self.complain(
                "The rollout command takes no arguments and only rollouts the current position",
            );
            return;
        }
        if !self.table.playing() || self.no_board {
            let text = "No position specified and no game in progress.";
            match wanted.is_empty() {
                true => self.complain(text),
                false => self.complain(
                    "The rollout command takes no arguments and only rollouts the current position",
                ),
            }
            return;
        }
        let Some(state) = self.state() else { return };
        let plays = self.hint.as_ref().and_then(Hint::plays).unwrap_or_default();
        let numbers = wanted
            .iter()
            .filter_map(|word| word.strip_prefix('=')?.parse::<usize>().ok());
        let chosen: Vec<_> = numbers
            .filter_map(|number| plays.get(number.checked_sub(1)?))
            .map(|play| (play.play, play.position))
            .collect();
        let subject = match wanted.first() {
            None => RolloutSubject::Position,
            Some(word) if "=cube".starts_with(&word.to_ascii_lowercase()) => RolloutSubject::Cube,
            Some(_) if chosen.is_empty() => {
                self.complain("gammond: rollout: there is no such play in the last hint");
                return;
            }
            Some(_) => RolloutSubject::Plays(chosen),
        };
        let query = RolloutQuery {
            position: self.table.position,
            state,
            subject,
        };
        let settings = self.rollout.settings();
        let search = settings.search.clone();
        let task = RolloutTask {
            query,
            settings,
            roll: None,
            progress: false,
        };
        match host.answer(Question::Rollout(Box::new(task)), &search) {
            Ok(EngineAnswer::Rollout(found, _)) => {
                self.say("\nRollout done. Printing final results.");
                if !self.options.strict {
                    let mut text = String::new();
                    for one in &found.candidates {
                        text += &self.rolled_out(one);
                    }
                    if let Some(cube) = &found.cube {
                        text += &super::hint::cube_section(&self.style, cube, &state, false);
                    }
                    let games = found.candidates.first().map_or(0, |one| one.trials);
                    text += &self.rollout.described(games);
                    self.out.push_str(&text);
                }
            }
            Ok(_) => {}
            Err(reason) => self.complain(&format!("gammond: rollout: {reason}")),
        }
    }

    fn rolled_out(&self, one: &RolledOut) -> String {
        let name = match one.candidate {
            Candidate::Play(play, _) => play_text(&self.table.position, &play),
            Candidate::NoDouble => "No double".to_owned(),
            Candidate::DoubleTake => "Double, take".to_owned(),
            _ => "Current Position".to_owned(),
        };
        let style = Style {
            mwc: false,
            ..self.style
        };
        let line = |chances: [f64; 5], win: f64| {
            let [a, b, c, d, e] = chances;
            let text = [a, b, c].map(|one| format!("{one:.3}")).join(" ");
            format!("{text} - {win:.3} {d:.3} {e:.3}")
        };
        let [win, ..] = one.chances;
        let [error, ..] = one.chance_errors;
        let value = |value: Option<gammond_engine::query::Equities>| {
            style.equity(value.unwrap_or_default().equity)
        };
        let plain = |value: Option<gammond_engine::query::Equities>| {
            format!("{:6.3}", value.unwrap_or_default().equity)
        };
        format!(
            "{name}:\n  {} CL {} CF {}\n [{} CL {} CF {}] {}r\n",
            line(one.chances, 1.0 - win),
            style.equity(one.cubeless.equity),
            value(one.cubeful),
            line(one.chance_errors, error),
            plain(Some(one.cubeless_error)),
            plain(one.cubeful_error),
            1
        )
    }
}
