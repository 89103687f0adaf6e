//! How deep and with what is looked: for hints, for the analysis, for each player.

use super::Console;
use super::table::Seat;
use super::words::{Words, switch};
use crate::query::{FilterLevel, MoveFilter, Settings};

/// One evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Context {
    pub(super) plies: u8,
    pub(super) cubeful: bool,
    pub(super) prune: bool,
    pub(super) noise: f32,
    pub(super) deterministic: bool,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            plies: 2,
            cubeful: true,
            prune: true,
            noise: 0.0,
            deterministic: true,
        }
    }
}

/// The deepest look-ahead that may be set; the engine looks as far as it can.
pub(super) const PLIES_MAX: i64 = 7;

/// Levels of play with a name: plies, noise, name.
const LEVELS: [(u8, f32, &str); 6] = [
    (0, 0.06, "beginner"),
    (0, 0.05, "casual play"),
    (0, 0.04, "intermediate"),
    (0, 0.015, "advanced"),
    (0, 0.0, "expert"),
    (2, 0.0, "world class"),
];

impl Context {
    /// Converts the settings for the engine.
    pub(super) fn settings(&self, filter: MoveFilter) -> Settings {
        let mut settings = Settings::plies(self.plies.min(Settings::PLIES_MAX))
            .with_cubeful(self.cubeful)
            .with_filter(filter)
            .with_pruning(self.prune)
            .with_noise(self.noise);
        settings.noise_as_gnubg = self.noise > 0.0 && self.deterministic;
        settings
    }

    /// Describes the evaluation as the third line of a play does.
    pub(super) fn described(&self, plies: u8) -> String {
        let cube = if self.cubeful { "cubeful" } else { "cubeless" };
        let prune = if self.prune { " prune" } else { "" };
        let mut text = format!("{plies}-ply {cube}{prune}");
        if self.noise > 0.0 {
            text += &format!(", noise {}", self.noise);
            if self.deterministic {
                text += " (d)";
            }
        }
        let is = |level: &&(u8, f32, &str)| {
            level.0 == plies && (level.1 - self.noise).abs() < 1e-6 && (plies == 0 || self.prune)
        };
        match LEVELS.iter().find(is).filter(|_| self.cubeful) {
            Some(level) => format!("{text} [{}]", level.2),
            None => text,
        }
    }

    /// Describes the evaluation in lines, as `show` prints it.
    pub(super) fn lines(&self, indent: &str) -> String {
        let prune = if self.prune { "Using" } else { "Not using" };
        let cube = if self.cubeful { "Cubeful" } else { "Cubeless" };
        let noise = match (self.noise > 0.0, self.deterministic) {
            (false, _) => "Noiseless evaluations.".to_owned(),
            (true, true) => format!(
                "Noise standard deviation {:.3} (deterministic noise).\n",
                self.noise
            ),
            (true, false) => format!(
                "Noise standard deviation {:.3} (pseudo-random noise).\n",
                self.noise
            ),
        };
        format!(
            "{indent}{}-ply evaluation.\n{indent}{prune} pruning neural nets.        {cube} evaluations.\n{indent}{noise}\n",
            self.plies
        )
    }
}

/// Plays, cube and filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evals {
    pub(super) chequer: Context,
    pub(super) cube: Context,
    pub(super) filter: MoveFilter,
}

impl Evals {
    pub(super) fn of(filter: MoveFilter) -> Evals {
        Evals {
            chequer: Context::default(),
            cube: Context::default(),
            filter,
        }
    }

    pub(super) fn plays(&self) -> Settings {
        self.chequer.settings(self.filter)
    }

    pub(super) fn cubes(&self) -> Settings {
        self.cube.settings(self.filter)
    }

    /// Describes the move filter in lines.
    pub(super) fn filter_lines(&self) -> String {
        filter_lines(&self.filter)
    }
}

/// Describes a move filter in lines.
pub(super) fn filter_lines(filter: &MoveFilter) -> String {
    let mut text = String::new();
    for (row, plies) in filter.levels.iter().zip(1..) {
        text += &format!("      Move filter for {plies} ply:\n");
        for (level, ply) in row.iter().take(plies).zip(0..) {
            text += &match level.accept {
                ..0 => format!("        Skip pruning for {ply}-ply moves.\n"),
                accept if level.extra == 0 => {
                    format!("        keep the first {accept} {ply}-ply moves.\n")
                }
                accept => format!(
                    "        keep the first {accept} {ply}-ply moves and up to {} more moves within equity {}\n",
                    level.extra, level.threshold
                ),
            };
        }
    }
    text
}

/// Whose evaluation is set, for the lines that confirm it.
pub(super) struct Owner<'a> {
    /// Begins the line: `Analysis chequerplay`, `gnubg`.
    pub(super) who: &'a str,
    /// The words behind `set`, for errors.
    pub(super) path: &'a str,
    /// The human whose it is: what is set has no effect.
    pub(super) of: Option<&'a str>,
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
            self.say(&format!(
                "(Note that this setting will have no effect until you `set player {name} gnu'.)"
            ));
        }
        Some(changed)
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
