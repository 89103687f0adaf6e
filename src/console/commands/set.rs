//! `set …`: which setting is meant.

use super::Command;
use crate::Console;
use crate::grammar::{self, ANALYSIS_PLAYER, PLAYER};
use crate::host::ConsoleHost;
use crate::set_evals::{self, Owner};
use crate::table::{LENGTH_MAX, Seat};
use crate::words::Words;
use crate::{accepted_settings, options, set_rollout};

/// The command `set`.
pub(super) static COMMAND: Command = Command {
    name: "set",
    grammar: &[
        KEYWORDS,
        set_evals::GRAMMAR,
        set_rollout::GRAMMAR,
        options::GRAMMAR,
        accepted_settings::GRAMMAR,
    ],
    help: &[(
        "player",
        "<player|both> <human|gnubg|external ADDRESS|name NAME|chequerplay …|cubedecision …|movefilter …|pr N|elo N>",
        "Set who plays: gnubg, or with `pr N' or `elo N' as people with this error rate or rating do (`pr off' ends it)",
    )],
    run: |console, path, words, host| {
        if let [_, what @ ..] = path {
            console.set(what, words, host);
        }
    },
    ..Command::BARE
};

/// The keywords of `set` itself; those of its larger parts stand beside their functions.
const KEYWORDS: &str = "\
    set: analysis=set_analysis annotation appearance automatic=set-automatic beavers board browser cache calibration \
        cheat=set-cheat clockwise colours commandwindow confirm=set-confirm crawford cube=set-cube \
        cubeefficiency=set-cubeefficiency delay dice display dockpanels evaluation=set-evaluation export=set_export \
        fullscreen gamelist geometry=set-geometry gotofirstgame gui=set-gui import=set-import sgf=set-sgf \
        invert=set-invert jacoby defaultnames aliases lang matchequitytable matchid gnubgid xgid matchinfo=set-matchinfo \
        matchlength message met output=set-output panels panelwidth player postcrawford priority=set-priority prompt \
        ratingoffset record rng=rngs rollout=rollout score seed sound=set-sound styledgamelist theorywindow threads \
        toolbar turn tutor=set-tutor variation=set-variation vsync3d warning autosave=set-autosave
    set_analysis: chequerplay=kinds cube cubedecision=kinds luck luckanalysis=context movefilter moves player \
        threshold=set_analysis-threshold window
    set_analysis-threshold: bad doubtful lucky unlucky verybad verylucky veryunlucky
    analysis_player: analyse
    set-evaluation: chequerplay=kinds cubedecision=kinds movefilter sameasanalysis
    player: chequerplay=kinds cubedecision=kinds external gnubg human movefilter name pr elo
    set-cube: center centre owner use value";

/// Fewest and most points of a match.
const LENGTHS: std::ops::RangeInclusive<i64> = 0..=LENGTH_MAX as i64;

impl Console {
    pub(crate) fn set(
        &mut self,
        path: &[&'static str],
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        match path {
            ["xgid"] => self.set_xgid(words),
            ["gnubgid"] => self.set_gnubg_id(words),
            ["matchid"] => self.set_match_id(words),
            ["board"] => self.set_board(words),
            ["turn"] => self.set_turn(words),
            ["dice"] => self.set_dice(words),
            ["score"] => self.set_score(words),
            ["crawford"] => self.set_crawford(words),
            ["postcrawford"] => self.set_post_crawford(words),
            ["cube", key] => self.set_cube(key, words),
            ["jacoby"] => self.set_jacoby(words),
            ["beavers"] => self.set_beavers(words),
            ["matchlength"] => self.set_match_length(words),
            ["output", key] => self.set_output(key, words),
            ["evaluation", rest @ ..] => self.set_evaluation(rest, words),
            ["analysis", rest @ ..] => self.set_analysis(rest, words),
            ["player"] => self.set_player(words, host),
            ["rollout", rest @ ..] => self.set_rollout(rest, words),
            ["automatic", key] => self.set_automatic(key, words),
            ["seed"] => self.set_seed(words, host),
            ["rng", name] => self.set_rng(name, words, host),
            ["defaultnames"] => self.set_default_names(words),
            ["export", rest @ ..] => self.set_export(rest, words),
            _ => self.accept_setting(path, words),
        }
    }

    fn set_match_length(&mut self, words: &mut Words<'_>) {
        match words.number().filter(|length| LENGTHS.contains(length)) {
            Some(length) => {
                self.match_length = u32::try_from(length).unwrap_or(0);
                self.say(&format!("New matches default to {length} points."));
            }
            None => self.say("Match length must be between 0 (unlimited session) and 64"),
        }
    }

    fn set_evaluation(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        let mut evals = self.hints;
        match path {
            ["chequerplay", "evaluation", key] => {
                let owner = Owner {
                    who: "`eval' and `hint' chequerplay",
                    path: "evaluation chequerplay ",
                    of: None,
                };
                match self.set_context(evals.chequer, key, &owner, words) {
                    Some(context) => evals.chequer = context,
                    None => return,
                }
            }
            ["cubedecision", "evaluation", key] => {
                let owner = Owner {
                    who: "`eval' and `hint' cube decisions",
                    path: "evaluation cubedecision ",
                    of: None,
                };
                match self.set_context(evals.cube, key, &owner, words) {
                    Some(context) => evals.cube = context,
                    None => return,
                }
            }
            ["movefilter"] => match self.set_filter(evals.filter, "evaluation", words) {
                Some(filter) => evals.filter = filter,
                None => return,
            },
            ["sameasanalysis"] => {
                if let Some(on) = self.on_or_off("eval sameasanalysis", words) {
                    if on {
                        self.hints = self.analysis;
                        self.hint_settings_changed();
                    }
                    self.say(match on {
                        true => "Evaluation settings will be same as analysis settings.",
                        false => "Evaluation settings separate from analysis settings.",
                    });
                }
                return;
            }
            [kind, "type"] => {
                let who = match *kind {
                    "chequerplay" => "`eval' and `hint' chequerplay",
                    _ => "`eval' and `hint' cube decisions",
                };
                self.set_type(who, words);
                return;
            }
            [_, "rollout", rest @ ..] => {
                self.set_rollout(rest, words);
                return;
            }
            _ => return,
        }
        if evals != self.hints {
            self.hints = evals;
            self.hint_settings_changed();
        }
    }

    /// Drops a hint that was given with other settings. The original keeps it.
    fn hint_settings_changed(&mut self) {
        if !self.options.strict {
            self.hint = None;
        }
    }

    /// Runs `set … type rollout|evaluation`.
    fn set_type(&mut self, who: &str, words: &mut Words<'_>) {
        let word = words.next().unwrap_or("");
        let is = |name: &str| !word.is_empty() && name.starts_with(&word.to_ascii_lowercase());
        match (is("rollout"), is("evaluation")) {
            (true, _) => self.say(&format!("{who} will now use Rollout.")),
            (_, true) => self.say(&format!("{who} will now use Neural net evaluation.")),
            _ => self.say("Unknown evaluation type: expected evaluation or rollout."),
        }
    }

    fn set_analysis(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        match path {
            ["chequerplay", "evaluation", key] => {
                let owner = Owner {
                    who: "Analysis chequerplay",
                    path: "analysis chequerplay",
                    of: None,
                };
                if let Some(context) = self.set_context(self.analysis.chequer, key, &owner, words) {
                    self.analysis.chequer = context;
                }
            }
            ["cubedecision", "evaluation", key] => {
                let owner = Owner {
                    who: "Analysis cubedecision",
                    path: "analysis cubedecision",
                    of: None,
                };
                if let Some(context) = self.set_context(self.analysis.cube, key, &owner, words) {
                    self.analysis.cube = context;
                }
            }
            ["luckanalysis", key] => {
                let owner = Owner {
                    who: "luck analysis",
                    path: "analysis luckanalysis",
                    of: None,
                };
                if let Some(context) = self.set_context(self.luck, key, &owner, words) {
                    self.luck = context;
                }
            }
            ["movefilter"] => {
                if let Some(filter) = self.set_filter(self.analysis.filter, "analysis", words) {
                    self.analysis.filter = filter;
                }
            }
            ["luck"] => self.set_part(
                |parts| &mut parts.luck,
                ("analysis luck", "Dice rolls"),
                words,
            ),
            ["moves"] => self.set_part(
                |parts| &mut parts.plays,
                ("analysis moves", "Chequer play"),
                words,
            ),
            ["cube"] => self.set_part(
                |parts| &mut parts.cubes,
                ("analysis cube", "Cube action"),
                words,
            ),
            ["player"] => self.set_analysed_player(words),
            ["threshold", name] => self.set_threshold(name, words),
            ["chequerplay", "type"] => self.set_type("Analysis chequerplay", words),
            ["cubedecision", "type"] => self.set_type("Analysis cubedecision", words),
            [_, "rollout", rest @ ..] => self.set_rollout(rest, words),
            _ => {}
        }
        if self.options.hint_follows_analysis && self.hints != self.analysis {
            self.hints = self.analysis;
            self.hint_settings_changed();
        }
    }

    fn set_part(
        &mut self,
        part: impl Fn(&mut crate::AnalysedParts) -> &mut bool,
        (key, what): (&str, &str),
        words: &mut Words<'_>,
    ) {
        if let Some(on) = self.on_or_off(key, words) {
            *part(&mut self.parts) = on;
            let not = if on { "" } else { "not " };
            self.say(&format!("{what} will {not}be analysed."));
        }
    }

    fn set_analysed_player(&mut self, words: &mut Words<'_>) {
        let Some(word) = words.next() else {
            self.say("You must specify a player (see `help set analysis player').");
            return;
        };
        let Some(seat) = self.seat(word) else {
            self.say(&format!(
                "Unknown player `{word}'\n(see `help set analysis player')."
            ));
            return;
        };
        if let Err(misread) = grammar::read(ANALYSIS_PLAYER, words) {
            self.report_unknown_command(&misread);
            return;
        }
        if let Some(on) = self.on_or_off("analysis player analyse", words) {
            *seat.of_mut(&mut self.parts.players) = on;
            let not = if on { "Analyse" } else { "Do not analyse" };
            let name = seat.of(&self.names);
            self.say(&format!("{not} {name}'s chequerplay and cube decisions."));
        }
    }

    fn set_threshold(&mut self, name: &str, words: &mut Words<'_>) {
        let Some(limit) = words.real().filter(|limit| *limit >= 0.0) else {
            self.say(&format!(
                "You must specify a semi-positive number for the threshold (see `help set analysis\nthreshold {name}')."
            ));
            return;
        };
        let [doubtful, bad, very_bad] = &mut self.marks;
        match name {
            "doubtful" => *doubtful = limit,
            "bad" => *bad = limit,
            "verybad" => *very_bad = limit,
            _ => {}
        }
        self.say(&format!("`{name}' threshold set to {limit:.3}."));
    }

    fn set_player(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        let Some(word) = words.next() else {
            self.say("You must specify a player (see `help set player').");
            return;
        };
        let seats = match self.seat(word) {
            Some(seat) => vec![seat],
            None if word.eq_ignore_ascii_case("both") => Seat::BOTH.to_vec(),
            None => {
                self.say(&format!("Unknown player `{word}' (see `help set player')."));
                return;
            }
        };
        let path = match grammar::read(PLAYER, words) {
            Ok(path) => path,
            Err(misread) => {
                self.report_unknown_command(&misread);
                return;
            }
        };
        for seat in seats {
            let mut words = *words;
            self.set_one_player(seat, &path, &mut words, host);
        }
    }

    fn set_one_player(
        &mut self,
        seat: Seat,
        path: &[&str],
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        let name = seat.of(&self.names).clone();
        match path {
            ["human"] => {
                self.seat_player(seat, true, host);
                self.say(&format!("Moves for {name} must now be entered manually."));
            }
            ["gnubg"] => {
                self.seat_player(seat, false, host);
                self.say(&format!(
                    "Moves for {name} will now be played by GNU Backgammon."
                ));
            }
            ["external"] => self.set_external(seat, words, host),
            ["name"] => self.set_name(seat, words.trimmed()),
            [key @ ("pr" | "elo")] => self.set_people(seat, key, words),
            _ => self.set_player_evals(seat, path, words),
        }
    }

    fn set_name(&mut self, seat: Seat, text: &str) {
        if text.is_empty() {
            self.say("You must specify a name to use.");
            return;
        }
        let name = crate::clean_name(text);
        if matches!(name.as_str(), "0" | "1") || name.eq_ignore_ascii_case("both") {
            self.say(&format!("`{name}' is not a valid name."));
            return;
        }
        if seat.other().of(&self.names).eq_ignore_ascii_case(&name) {
            self.say("That name is already in use by the other player.");
            return;
        }
        let number = seat.index();
        self.say(&format!("Player {number} is now known as `{name}'."));
        *seat.of_mut(&mut self.names) = name;
        self.record.file.names.clone_from(&self.names);
    }

    fn set_default_names(&mut self, words: &mut Words<'_>) {
        let (Some(first), Some(second)) = (words.next(), words.next()) else {
            self.say("You must specify two player names.");
            return;
        };
        let names = [first, second].map(crate::clean_name);
        let [first, second] = &names;
        self.say(&format!(
            "Players will be known as `{first}' and `{second}'.\n This setting will take effect when a new match is started."
        ));
        self.new_names = Some(names);
    }
}
