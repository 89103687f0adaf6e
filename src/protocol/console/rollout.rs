//! `rollout`, and its settings in words.

use super::Console;
use super::evals::{Context, filter_lines};
use super::host::ConsoleHost;
use super::style::Style;
use super::table::counted;
use super::words::Words;
use crate::notation::play_text;
use crate::query::{
    Candidate, Found, MoveFilter, Question, RolledOut, RolloutQuery, RolloutSettings, RolloutSide,
    RolloutSubject, RolloutTask, Truncation,
};

/// The settings of rollouts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RolloutSetup {
    pub(super) trials: u32,
    pub(super) seed: u64,
    /// Plays and cube of both players.
    pub(super) sides: [[Context; 2]; 2],
    pub(super) later: [[Context; 2]; 2],
    pub(super) filter: MoveFilter,
    pub(super) later_from: Option<u32>,
    pub(super) later_plies: u32,
    pub(super) truncate: Option<u32>,
    pub(super) turns: u32,
    pub(super) cubeful: bool,
    pub(super) variance_reduction: bool,
    pub(super) quasi_random: bool,
    pub(super) initial: bool,
    pub(super) limit: Option<f64>,
    pub(super) error: f64,
    pub(super) least: u32,
    pub(super) jsd: Option<f64>,
    pub(super) joint: f64,
}

impl Default for RolloutSetup {
    fn default() -> RolloutSetup {
        let chequer = Context {
            plies: 0,
            ..Context::default()
        };
        let side = [chequer, Context::default()];
        RolloutSetup {
            trials: 1296,
            seed: 1,
            sides: [side; 2],
            later: [side; 2],
            filter: MoveFilter::NORMAL,
            later_from: None,
            later_plies: 5,
            truncate: None,
            turns: 10,
            cubeful: true,
            variance_reduction: true,
            quasi_random: true,
            initial: false,
            limit: None,
            error: 0.01,
            least: 324,
            jsd: None,
            joint: 2.33,
        }
    }
}

impl RolloutSetup {
    /// Converts the settings for the engine.
    fn settings(&self) -> RolloutSettings {
        let of = |[chequer, cube]: [Context; 2]| RolloutSide {
            plies: chequer.plies.min(4),
            cube_plies: cube.plies.min(4),
            filter: Some(self.filter),
        };
        let [first, second] = self.sides;
        let [chequer, _] = first;
        let mut settings = RolloutSettings::default();
        settings.trials = self.trials;
        settings.seed = self.seed;
        settings.sides = [of(first), of(second)];
        settings.cubeful = self.cubeful;
        settings.variance_reduction = self.variance_reduction;
        settings.truncate = self
            .truncate
            .map_or(Truncation::default(), Truncation::Turns);
        settings.error = self.limit;
        settings.lead = self.jsd;
        settings.late = self.later_from.map(|turn| {
            let [late, _] = self.later;
            (turn, of(late))
        });
        settings.search = chequer.settings(self.filter);
        settings
    }

    /// Returns the text of `show rollout`.
    pub(super) fn text(&self) -> String {
        let [[chequer, cube], _] = &self.sides;
        let enabled = |on| if on { "enabled" } else { "disabled" };
        let truncation = match self.truncate {
            Some(turns) => format!("Truncation after {turns} plies.\n"),
            None => "No truncation.\n".to_owned(),
        };
        let mut text = format!(
            "`rollout' will use:\n{} will be played per rollout.\n{truncation}\
             Will truncate cubeful money game rollouts when reaching exact bearoff database.\n\
             Will truncate money game rollouts when reaching exact bearoff database.\n\
             Will truncate *cubeless* rollouts when reaching one-sided bearoff database.\n\
             Lookahead variance reduction is {}.\nQuasi-random dice are {}.\n{} rollout.\n\
             Rollout as opening move {}.\nMersenne Twister dice generator with seed {}.\n",
            counted(self.trials, "game"),
            enabled(self.variance_reduction),
            enabled(self.quasi_random),
            if self.cubeful { "Cubeful" } else { "Cubeless" },
            enabled(self.initial),
            self.seed
        );
        text += &format!("Chequer play parameters:\n{}", chequer.lines("        "));
        text += &format!("Cube decision parameters:\n{}", cube.lines("        "));
        text + "Move filter:\n" + &filter_lines(&self.filter) + "\n"
    }

    /// Describes the settings below a result.
    fn described(&self, games: u32) -> String {
        let kind = if self.cubeful { "cubeful" } else { "cubeless" };
        let cut = match self.truncate {
            Some(turns) => format!("Truncated {kind} rollout (depth {turns})"),
            None => format!("Full {kind} rollout"),
        };
        let reduced = if self.variance_reduction {
            " with variance reduction"
        } else {
            ""
        };
        let quasi = if self.quasi_random {
            " and quasi-random dice"
        } else {
            ""
        };
        let [[chequer, cube], _] = &self.sides;
        format!(
            "{cut}{reduced}\n{}, Mersenne Twister dice gen. with seed {}{quasi}\nPlay: {}\nCube: {}\n",
            counted(games, "game"),
            self.seed,
            chequer.described(chequer.plies),
            cube.described(cube.plies)
        )
    }
}

impl Console {
    /// Runs `rollout [=cube | =N …]`.
    pub(super) fn roll_out(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let wanted: Vec<&str> = std::iter::from_fn(|| words.next()).take(64).collect();
        let known = |word: &&str| word.starts_with('=') && !self.options.strict;
        if !wanted.iter().all(known) {
            self.complain(
                "The rollout command takes no arguments and only rollouts the current position",
            );
            return;
        }
        if !self.table.playing() {
            let text = "No position specified and no game in progress.";
            match wanted.is_empty() {
                true => self.complain(text),
                false => self.complain(
                    "The rollout command takes no arguments and only rollouts the current position",
                ),
            }
            return;
        }
        let Some(state) = self.table.state(self.beavers > 0) else {
            return;
        };
        let plays = self
            .hint
            .as_ref()
            .and_then(super::hint::Hint::plays)
            .unwrap_or_default();
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
            Ok(Found::Rollout(found, _)) => {
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
        let value =
            |value: Option<crate::query::Equities>| style.equity(value.unwrap_or_default().equity);
        let plain = |value: Option<crate::query::Equities>| {
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
