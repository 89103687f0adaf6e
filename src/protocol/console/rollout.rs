//! `set rollout …` and `rollout`.

use super::Console;
use super::evals::{Context, Owner, filter_lines};
use super::grammar::{self, ROLLOUT_PLAYER};
use super::host::Host;
use super::style::Style;
use super::table::counted;
use super::words::Words;
use crate::notation::play_text;
use crate::query::{
    Candidate, Found, MoveFilter, Question, RolledOut, RolloutQuery, RolloutSettings, RolloutSide,
    RolloutSubject, RolloutTask, Truncation,
};

/// How rollouts are made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RolloutSetup {
    trials: u32,
    seed: u64,
    /// Plays and cube of both players.
    sides: [[Context; 2]; 2],
    later: [[Context; 2]; 2],
    filter: MoveFilter,
    later_from: Option<u32>,
    later_plies: u32,
    truncate: Option<u32>,
    turns: u32,
    cubeful: bool,
    variance_reduction: bool,
    quasi_random: bool,
    initial: bool,
    limit: Option<f64>,
    error: f64,
    least: u32,
    jsd: Option<f64>,
    joint: f64,
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
    /// As the engine takes it.
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

    /// `show rollout`
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

    /// The lines below a result: how it was made.
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

/// A whole number of games or turns.
fn positive(words: &mut Words<'_>, most: u32) -> Option<u32> {
    let number = words.number().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| (1..=most).contains(number))
}

impl Console {
    pub(super) fn set_rollout(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        match path {
            ["trials"] => match positive(words, RolloutSettings::TRIALS_MAX) {
                Some(trials) => {
                    self.rollout.trials = trials;
                    self.say(&format!("{} will be played per rollout.", counted(trials, "game")));
                }
                None => self.say("You must specify a valid number of trials to make (see `help set rollout trials')."),
            },
            ["seed"] => match words.next().and_then(|word| word.parse().ok()) {
                Some(seed) => {
                    self.rollout.seed = seed;
                    self.say(&format!("Rollout seed set to {seed}."));
                }
                None => self.say("You must specify a valid seed (see `help set seed')."),
            },
            ["later", "player"] | ["player"] => self.set_rollout_player(path, words),
            ["chequerplay" | "cubedecision", _] | ["later" | "truncation", "chequerplay" | "cubedecision", _] => {
                self.set_rollout_context(path, None, words);
            }
            ["truncation", "plies"] => match positive(words, RolloutSettings::TURNS_MAX) {
                Some(turns) => {
                    self.rollout.turns = turns;
                    if self.rollout.truncate.is_some() {
                        self.rollout.truncate = Some(turns);
                    }
                    self.say(&format!("Rollouts will be truncated after {turns} plies."));
                }
                None => self.say("You must specify a valid ply at which to truncate rollouts."),
            },
            ["later", "plies"] => match positive(words, RolloutSettings::TURNS_MAX) {
                Some(turns) => {
                    self.rollout.later_plies = turns;
                    if self.rollout.later_from.is_some() {
                        self.rollout.later_from = Some(turns);
                    }
                    self.say(&format!("Evaluations will change after {turns} plies in rollouts."));
                }
                None => self.say("You must specify a valid ply at which to change evaluations."),
            },
            ["limit" | "jsd", "minimumgames"] => match positive(words, RolloutSettings::TRIALS_MAX) {
                Some(games) => {
                    self.rollout.least = games;
                    let what = if path.first() == Some(&"jsd") { "JSDs are large" } else { "STDs are small" };
                    self.say(&format!("After {games} games, rollouts will stop if the {what} enough."));
                }
                None => self.say("You must specify a valid minimum number of games."),
            },
            ["limit", "maxerror"] => match words.real().filter(|error| *error > 0.0) {
                Some(error) => {
                    self.rollout.error = error;
                    self.rollout.limit = self.rollout.limit.map(|_| error);
                    self.say(&format!("Rollouts can stop when the estimated equities' STD are less than {error:.4})"));
                }
                None => self.say("You must specify a valid maximum error."),
            },
            ["jsd", "limit"] => match words.real().filter(|limit| *limit > 0.0) {
                Some(limit) => {
                    self.rollout.joint = limit;
                    self.rollout.jsd = self.rollout.jsd.map(|_| limit);
                    self.say(&format!(
                        "Rollouts (or rollouts of moves) may stop when the equity is more than {limit:.3} joint standard \
                         deviations from the best move being rolled out"
                    ));
                }
                None => self.say("You must specify a valid number of joint standard deviations."),
            },
            ["movefilter"] | ["later", "movefilter"] => {
                if let Some(filter) = self.set_filter(self.rollout.filter, "rollout", words) {
                    self.rollout.filter = filter;
                }
            }
            ["rng", name] => match *name {
                "mersenne" => self.say("You are already using the Mersenne Twister generator."),
                other => self.refuse(&format!("set rollout rng {other}")),
            },
            _ => self.set_rollout_switch(path, words),
        }
    }

    fn set_rollout_player(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        let seat = words.next().and_then(|word| self.seat(word));
        let Some(seat) = seat else {
            self.say("You must specify a player (see `help set rollout player').");
            return;
        };
        match grammar::read(ROLLOUT_PLAYER, words) {
            Ok(rest) if rest == ["movefilter"] => {
                let _ = self.set_filter(self.rollout.filter, "rollout player", words);
            }
            Ok(rest) => {
                let later = path.first().filter(|word| **word == "later");
                let path = [later.as_slice(), &rest.iter().collect::<Vec<_>>()].concat();
                let path: Vec<&'static str> = path.into_iter().copied().collect();
                self.set_rollout_context(&path, Some(seat), words);
            }
            Err(misread) => self.misread(&misread),
        }
    }

    fn set_rollout_context(
        &mut self,
        path: &[&'static str],
        seat: Option<super::Seat>,
        words: &mut Words<'_>,
    ) {
        let (part, kind, key) = match path {
            [part @ ("later" | "truncation"), kind, key] => (*part, *kind, *key),
            [kind, key] => ("", *kind, *key),
            _ => return,
        };
        let what = if kind == "chequerplay" {
            "Chequer play in rollouts"
        } else {
            "Cube decisions in rollouts"
        };
        let what = match (seat, part) {
            (Some(seat), _) => format!("{what} (for player {})", seat as u8),
            (None, "later") => format!("{what} (later)"),
            (None, "truncation") => format!("{what} (at truncation)"),
            _ => what.to_owned(),
        };
        let owner = Owner {
            who: &what,
            path: "rollout",
            of: None,
        };
        let sides = if part == "later" {
            self.rollout.later
        } else {
            self.rollout.sides
        };
        let of = |side: &[Context; 2]| {
            let [chequer, cube] = side;
            if kind == "chequerplay" {
                *chequer
            } else {
                *cube
            }
        };
        let [first, second] = &sides;
        let context = match seat {
            Some(super::Seat::Bottom) => of(second),
            _ => of(first),
        };
        let Some(changed) = self.set_context(context, key, &owner, words) else {
            return;
        };
        if part == "truncation" {
            return;
        }
        let mut changed_sides = sides;
        for (side, own) in changed_sides.iter_mut().zip(super::Seat::BOTH) {
            if seat.is_none_or(|seat| seat == own) {
                let [chequer, cube] = side;
                *(if kind == "chequerplay" { chequer } else { cube }) = changed;
            }
        }
        match part {
            "later" => self.rollout.later = changed_sides,
            _ => self.rollout.sides = changed_sides,
        }
    }

    fn set_rollout_switch(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        let name = path.join(" ");
        let Some(on) = self.on_or_off(&format!("rollout {name}"), words) else {
            return;
        };
        let own = &mut self.rollout;
        let (yes, no) = match path {
            ["varredn"] => {
                own.variance_reduction = on;
                (
                    "Will use lookahead during rollouts to reduce variance.",
                    "Will not use lookahead variance reduction during rollouts.",
                )
            }
            ["quasirandom" | "rotate"] => {
                own.quasi_random = on;
                (
                    "Use quasi-random dice in rollouts",
                    "Do not use quasi-random dice in rollouts",
                )
            }
            ["cubeful"] => {
                own.cubeful = on;
                (
                    "Cubeful rollouts will be performed.",
                    "Cubeless rollouts will be performed.",
                )
            }
            ["initial"] => {
                own.initial = on;
                (
                    "Rollouts will be made as the initial position of a game.",
                    "Rollouts will be made for normal (non-opening) position.",
                )
            }
            ["truncation", "enable"] => {
                own.truncate = on.then_some(own.turns);
                (
                    "Games in rollouts will be stopped after a fixed number of moves.",
                    "Games in rollouts will be played out until the end.",
                )
            }
            ["limit", "enable"] => {
                own.limit = on.then_some(own.error);
                (
                    "Stop rollout when STD's are small enough",
                    "Do not stop rollout based on STDs",
                )
            }
            ["jsd", "stop"] => {
                own.jsd = on.then_some(own.joint);
                (
                    "Stop rollout of choices based on JSDs",
                    "Do not stop rollout of moves choices on JSDs",
                )
            }
            ["later", "enable"] => {
                own.later_from = on.then_some(own.later_plies);
                (
                    "Use different evaluation for later moves of rollout.",
                    "Do not change evaluations during rollout.",
                )
            }
            ["bearofftruncation", "exact"] => (
                "Will truncate *cubeless* rollouts when reaching exact bearoff database",
                "Will not truncate *cubeless* rollouts when reaching exact bearoff database",
            ),
            ["bearofftruncation", _] => (
                "Will truncate *cubeless* rollouts when reaching one-sided bearoff database",
                "Will not truncate *cubeless* rollouts when reaching one-sided bearoff database",
            ),
            ["log"] => (
                "Create an .sgf file for each game rolled out",
                "Do not create an .sgf file for each game rolled out",
            ),
            ["players-are-same"] => (
                "Rollouts use same settings for both players.",
                "Rollouts use separate settings for each player.",
            ),
            _ => return,
        };
        self.say(if on { yes } else { no });
    }

    /// `rollout [=cube | =N …]`
    pub(super) fn roll_out(&mut self, words: &mut Words<'_>, host: &mut dyn Host) {
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
