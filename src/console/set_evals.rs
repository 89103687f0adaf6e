//! `set … evaluation …`: the settings of an evaluation, for a player or the analysis.

use super::Console;
use super::evals::{Context, PLIES_MAX};
use super::table::Seat;
use super::words::{Words, switch};
use gammond_engine::query::{FilterLevel, MoveFilter, Options};

/// The keywords of an evaluation.
pub(crate) const GRAMMAR: &str = "\
    context: cubeful deterministic noise plies prune
    kinds: type evaluation=context rollout=rollout";

/// Owner of the evaluation being set, for the lines that confirm it.
pub(super) struct Owner<'a> {
    /// Begins the line: `Analysis chequerplay`, `gnubg`.
    pub(super) who: &'a str,
    /// The words behind `set`, for errors.
    pub(super) path: &'a str,
    /// The human of that seat: the setting has no effect.
    pub(super) of: Option<&'a str>,
}

/// Returns the remark on a setting of a player who is a human.
fn no_effect(name: &str) -> String {
    format!("(Note that this setting will have no effect until you `set player {name} gnu'.)")
}

impl Console {
    /// Runs `set … cubeful|deterministic|noise|plies|prune VALUE`.
    pub(super) fn set_context(
        &mut self,
        context: Context,
        key: &str,
        owner: &Owner<'_>,
        words: &mut Words<'_>,
    ) -> Option<Context> {
        let mut changed = context;
        let who = owner.who;
        match key {
            "plies" => match words
                .number()
                .filter(|plies| (0..=PLIES_MAX).contains(plies))
            {
                Some(plies) => {
                    changed.plies = u8::try_from(plies).unwrap_or(0);
                    self.say(&format!("{who} will use {plies} ply evaluation."));
                }
                None => {
                    self.say(&format!(
                        "Valid numbers of plies to look ahead are 0 to {PLIES_MAX}."
                    ));
                    self.say(&format!("{who} will use {} ply evaluation.", context.plies));
                    return None;
                }
            },
            "noise" => match words.real().filter(|noise| *noise >= 0.0) {
                Some(noise) => {
                    #[expect(clippy::cast_possible_truncation, reason = "a noise has few digits")]
                    let noise = noise.min(1.0) as f32;
                    changed.noise = noise;
                    match noise > 0.0 {
                        true => self.say(&format!(
                            "{who} will use noise with standard deviation {noise:.3}."
                        )),
                        false => self.say(&format!("{who} will use noiseless evaluations.")),
                    }
                }
                None => {
                    let path = owner.path;
                    self.say(&format!(
                        "You must specify a valid amount of noise to use (see `help set\n{path} noise')."
                    ));
                    return None;
                }
            },
            _ => {
                let on = self.on_or_off(&format!("{} {key}", owner.path), words)?;
                let text = match (key, on) {
                    ("cubeful", true) => "cubeful evaluation",
                    ("cubeful", false) => "cubeless evaluation",
                    ("prune", _) => "pruning",
                    (_, true) => "deterministic noise",
                    (_, false) => "pseudo-random noise",
                };
                let not = if key == "prune" && !on { "not " } else { "" };
                self.say(&format!("{who} will {not}use {text}.\n"));
                match key {
                    "cubeful" => changed.cubeful = on,
                    "prune" => changed.prune = on,
                    _ => changed.deterministic = on,
                }
            }
        }
        if let Some(name) = owner.of {
            self.say(&no_effect(name));
        }
        Some(changed)
    }

    /// Runs `set player N pr|elo VALUE|off`: the computer decides as people with this error rate or rating do.
    pub(super) fn set_people(&mut self, seat: Seat, key: &str, words: &mut Words<'_>) {
        let mut options = Options::default();
        if let Err(error) = options.set(key, words.next().unwrap_or_default()) {
            self.say(&error.to_string());
            return;
        }
        let name = seat.of(&self.names).clone();
        let player = seat.of_mut(&mut self.players);
        player.evals.people = options.search().pr;
        let (people, idle) = (player.evals.people, player.human);
        self.say(&match people {
            Some(pr) => {
                format!("{name} will decide as people with an error rate (PR) of {pr:.1} do.")
            }
            None => format!("{name} will decide by evaluations."),
        });
        if idle {
            self.say(&no_effect(&name));
        }
    }

    /// Parses the switch after a setting and reports a missing or unknown one.
    pub(super) fn on_or_off(&mut self, name: &str, words: &mut Words<'_>) -> Option<bool> {
        let Some(word) = words.next() else {
            self.say(&format!(
                "You must specify whether to set '{name}' on or off."
            ));
            return None;
        };
        let found = switch(word);
        if found.is_none() {
            self.say(&format!("Illegal keyword `{word}'."));
        }
        found
    }

    /// Runs `set … movefilter PLY LEVEL ACCEPT [EXTRA TOLERANCE]`.
    pub(super) fn set_filter(
        &mut self,
        filter: MoveFilter,
        path: &str,
        words: &mut Words<'_>,
    ) -> Option<MoveFilter> {
        let mut changed = filter;
        let fault = |what: &str| {
            format!("You must specify a valid {what} (see `help set {path} movefilter')")
        };
        let ply = words.number().and_then(|ply| usize::try_from(ply).ok());
        let Some(row) = ply
            .filter(|ply| *ply > 0)
            .and_then(|ply| changed.levels.get_mut(ply - 1))
        else {
            self.fault(&fault("ply for setting move filters"));
            return None;
        };
        let deepest = ply.unwrap_or(1) - 1;
        let level = words.number().and_then(|level| usize::try_from(level).ok());
        let Some(slot) = level
            .filter(|level| *level <= deepest)
            .and_then(|level| row.get_mut(level))
        else {
            self.fault(&fault(&format!("level 0..{deepest} for the filter")));
            return None;
        };
        let Some(accept) = words.number() else {
            self.fault(&format!(
                "You must set a number of moves to accept (or 0 for no selection) (see `help set {path} movefilter')."
            ));
            return None;
        };
        if accept < 0 {
            *slot = FilterLevel {
                accept: -1,
                extra: 0,
                threshold: 0.0,
            };
            return Some(changed);
        }
        let extra = words.peek().map(|_| words.number());
        let threshold = words.real();
        let (extra, threshold) = match (extra, threshold) {
            (None, _) => (0, 0.0),
            (Some(Some(extra)), Some(threshold)) if extra >= 0 && threshold >= 0.0 => {
                (extra, threshold)
            }
            _ => {
                self.fault(&format!(
                    "You must set a count of extra moves and a search tolerance (see `help set {path} movefilter')."
                ));
                return None;
            }
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a tolerance has few digits"
        )]
        let threshold = threshold as f32;
        *slot = FilterLevel {
            accept: i8::try_from(accept).unwrap_or(i8::MAX),
            extra: u8::try_from(extra).unwrap_or(u8::MAX),
            threshold,
        };
        Some(changed)
    }

    /// Runs the part of `set player N …` about evaluations and filters.
    pub(super) fn set_player_evals(&mut self, seat: Seat, path: &[&str], words: &mut Words<'_>) {
        let player = seat.of(&self.players);
        let (mut evals, idle) = (player.evals, player.human);
        let name = seat.of(&self.names).clone();
        let owner = Owner {
            who: &name,
            path: "player chequerplay evaluation",
            of: idle.then_some(name.as_str()),
        };
        match path {
            ["chequerplay", "evaluation", key] => {
                match self.set_context(evals.chequer, key, &owner, words) {
                    Some(context) => evals.chequer = context,
                    None => return,
                }
            }
            ["cubedecision", "evaluation", key] => {
                match self.set_context(evals.cube, key, &owner, words) {
                    Some(context) => evals.cube = context,
                    None => return,
                }
            }
            ["movefilter"] => match self.set_filter(evals.filter, "player", words) {
                Some(filter) => evals.filter = filter,
                None => return,
            },
            _ => return,
        }
        seat.of_mut(&mut self.players).evals = evals;
    }
}
