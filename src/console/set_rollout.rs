//! `set rollout …`: how rollouts are made.

use super::Console;
use super::evals::Context;
use super::grammar::{self, ROLLOUT_PLAYER};
use super::rollout_setup::RolloutSetup;
use super::set_evals::Owner;
use super::table::{Seat, counted};
use super::words::Words;
use gammond_engine::query::RolloutSettings;

/// The keywords of a rollout.
pub(crate) const GRAMMAR: &str = "\
    rollout_player: chequerplay=context cubedecision=context movefilter
    rollout: bearofftruncation=rollout-bearofftruncation chequerplay=context cubedecision=context cube-equal-chequer \
        cubeful initial jsd=rollout-jsd later=rollout-later limit=rollout-limit log logfile movefilter player \
        players-are-same quasirandom rng=rngs rotate seed trials truncation=rollout-truncation truncate-equal-player0 \
        varredn
    rollout-bearofftruncation: exact onesided
    rollout-jsd: limit minimumgames stop
    rollout-later: chequerplay=context cubedecision=context enable plies movefilter player
    rollout-limit: enable minimumgames maxerror
    rollout-truncation: chequerplay=context cubedecision=context enable plies";

/// Parses a positive number up to `most`.
fn positive(words: &mut Words<'_>, most: u32) -> Option<u32> {
    let number = words.number().and_then(|number| u32::try_from(number).ok());
    number.filter(|number| (1..=most).contains(number))
}

impl Console {
    #[expect(clippy::too_many_lines, reason = "one table of settings")]
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
                    if path.first() == Some(&"limit") {
                        self.rollout.least = games;
                    }
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
                let late = path.len() > 1;
                let own = if late { "rollout late" } else { "rollout" };
                let mut again = *words;
                if !self.set_rollout_filter(late, Seat::Top, own, words) {
                    return;
                }
                if self.options.strict {
                    // The original has no words left for the second player.
                    let ply = again.number().unwrap_or(1);
                    self.fault(&format!(
                        "You must specify a valid level 0..{} for the filter (see `help set {own} movefilter')",
                        ply - 1
                    ));
                } else {
                    self.set_rollout_filter(late, Seat::Bottom, own, &mut again);
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
                let late = path.first() == Some(&"later");
                let own = if late { "rollout late" } else { "rollout" };
                self.set_rollout_filter(late, seat, own, words);
            }
            Ok(rest) => {
                let later = path.first().filter(|word| **word == "later");
                let path = [later.as_slice(), &rest.iter().collect::<Vec<_>>()].concat();
                let path: Vec<&'static str> = path.into_iter().copied().collect();
                self.set_rollout_context(&path, Some(seat), words);
            }
            Err(misread) => self.report_unknown_command(&misread),
        }
    }

    /// Sets the move filter of a player, and returns whether the words were right.
    fn set_rollout_filter(
        &mut self,
        late: bool,
        seat: Seat,
        own: &str,
        words: &mut Words<'_>,
    ) -> bool {
        let of = |setup: &RolloutSetup| match late {
            true => setup.later_filters,
            false => setup.filters,
        };
        let filters = of(&self.rollout);
        let Some(filter) = self.set_filter(*seat.of(&filters), own, words) else {
            return false;
        };
        let filters = match late {
            true => &mut self.rollout.later_filters,
            false => &mut self.rollout.filters,
        };
        *seat.of_mut(filters) = filter;
        true
    }

    fn set_rollout_context(
        &mut self,
        path: &[&'static str],
        seat: Option<Seat>,
        words: &mut Words<'_>,
    ) {
        let (part, kind, key) = match path {
            [part @ ("later" | "truncation"), kind, key] => (*part, *kind, *key),
            [kind, key] => ("", *kind, *key),
            _ => return,
        };
        let chequer = kind == "chequerplay";
        let what = match (part, chequer) {
            ("truncation", true) => "Chequer play evaluations at rollout truncation point",
            ("truncation", false) => "Cube decisions at rollout truncation point",
            ("later", true) => "Chequer play for later moves in rollouts",
            // The original's words for one player are others than for both.
            ("later", false) if seat.is_some() => "Cube decisions for later plies of rollouts",
            ("later", false) => "Cube decisions for later plies in rollouts",
            (_, true) => "Chequer play in rollouts",
            (_, false) => "Cube decisions in rollouts",
        };
        let what = match seat {
            Some(seat) => format!("{what} (for player {})", seat.index()),
            None => what.to_owned(),
        };
        let owner = Owner {
            who: &what,
            path: "rollout",
            of: None,
        };
        let sides = match part {
            "later" => self.rollout.later,
            "truncation" => [self.rollout.truncation; 2],
            _ => self.rollout.sides,
        };
        let of = |[plays, cube]: &[Context; 2]| if chequer { *plays } else { *cube };
        let [first, second] = &sides;
        let context = match seat {
            Some(Seat::Bottom) => of(second),
            _ => of(first),
        };
        let Some(changed) = self.set_context(context, key, &owner, words) else {
            return;
        };
        let mut changed_sides = sides;
        for (side, own) in changed_sides.iter_mut().zip(Seat::BOTH) {
            if seat.is_none_or(|seat| seat == own) {
                let [plays, cube] = side;
                *(if chequer { plays } else { cube }) = changed;
            }
        }
        match part {
            "later" => self.rollout.later = changed_sides,
            "truncation" => [self.rollout.truncation, _] = changed_sides,
            _ => self.rollout.sides = changed_sides,
        }
    }

    #[expect(clippy::too_many_lines, reason = "one table of settings")]
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
            ["bearofftruncation", "exact"] => {
                let [exact, _] = &mut own.bearoffs;
                *exact = on;
                (
                    "Will truncate *cubeless* rollouts when reaching exact bearoff database",
                    "Will not truncate *cubeless* rollouts when reaching exact bearoff database",
                )
            }
            ["bearofftruncation", _] => {
                let [_, one_sided] = &mut own.bearoffs;
                *one_sided = on;
                (
                    "Will truncate *cubeless* rollouts when reaching one-sided bearoff database",
                    "Will not truncate *cubeless* rollouts when reaching one-sided bearoff database",
                )
            }
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
}
