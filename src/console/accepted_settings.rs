//! Settings that are only confirmed: how a window looks, sounds, languages, threads.

use super::Console;
use super::table::TablePhase;
use super::words::Words;
use gammond_game::Variant;

/// The keywords after `set` of this file.
pub(crate) const GRAMMAR: &str = "\
    sizes: width height xpos ypos max
    set-cheat: enable player
    set-confirm: default new save
    set-cubeefficiency: os crashed contact race=set-cubeefficiency-race
    set-cubeefficiency-race: factor coefficient min max
    set-geometry: analysis=sizes command=sizes game=sizes hint=sizes main=sizes message=sizes theory=sizes
    set-gui: animation=set-gui-animation beep dicearea dragtargethelp usestatspanel movelistdetail grayedit \
        highdiefirst illegal showids showpips=set-gui-showpips windowpositions
    set-gui-animation: blink none slide speed
    set-gui-showpips: none pips epc wastage
    set-import: folder
    set-sgf: folder
    set-matchinfo: annotator comment date event place rating round
    set-priority: abovenormal belownormal highest idle nice normal timecritical
    set-sound: sound enable system=set-sound-system
    set-sound-system: command
    set-tutor: mode cube chequer skill=set-tutor-skill
    set-tutor-skill: doubtful bad verybad
    set-variation: 1-chequer-hypergammon 2-chequer-hypergammon 3-chequer-hypergammon nackgammon standard
    set-autosave: rollout analysis confirm time
    set-invert: matchequitytable met";

/// A switch without effect here: its keywords, and the texts for on and off.
type Switch = (&'static [&'static str], &'static str, &'static str);

const SWITCHES: [Switch; 31] = [
    (
        &["annotation"],
        "Move analysis and commentary will be displayed.",
        "Move analysis and commentary will not be displayed.",
    ),
    (
        &["message"],
        "Show window with messages",
        "Do not show window with messages.",
    ),
    (
        &["gui", "dragtargethelp"],
        "The target help while dragging a chequer will be shown.",
        "The target help while dragging a chequer will not be shown.",
    ),
    (
        &["panels"],
        "Game list, Annotation and Message panels/windows will be displayed.",
        "Game list, Annotation and Message panels/windows will not be displayed.",
    ),
    (
        &["fullscreen"],
        "Show board in full screen mode",
        "Show board in normal screen mode.",
    ),
    (
        &["gamelist"],
        "Show game window with moves",
        "Do not show game window with moves.",
    ),
    (
        &["commandwindow"],
        "Show window to enter commands",
        "Do not show window to enter commands.",
    ),
    (
        &["theorywindow"],
        "Show window with theory",
        "Do not show window with theory.",
    ),
    (
        &["styledgamelist"],
        "Show colours in game window",
        "Do not show colours in game window.",
    ),
    (
        &["gotofirstgame"],
        "Goto first game when loading matches or sessions.",
        "Goto last game when loading matches or sessions.",
    ),
    (
        &["clockwise"],
        "Player 1 moves clockwise (and player 0 moves anticlockwise).",
        "Player 1 moves anticlockwise (and player 0 moves clockwise).",
    ),
    (
        &["confirm", "new"],
        "Will ask for confirmation before aborting games in progress.",
        "Will not ask for confirmation before aborting games in progress.",
    ),
    (
        &["confirm", "save"],
        "Will ask for confirmation before overwriting existing files.",
        "Will not ask for confirmation overwriting existing files.",
    ),
    (&["confirm", "default"], "", ""),
    (&["sound", "enable"], "Enable sounds.", "Disable sounds."),
    (
        &["tutor", "mode"],
        "Warn about possibly bad play.",
        "No warnings for possibly bad play.",
    ),
    (
        &["tutor", "chequer"],
        "Include advice on chequer play in tutor mode.",
        "Exclude advice on chequer play from tutor mode.",
    ),
    (
        &["tutor", "cube"],
        "Include advice on cube decisions in tutor mode.",
        "Exclude advice on cube decisions from tutor mode.",
    ),
    (
        &["cheat", "enable"],
        "Allow GNU Backgammon to manipulate the dice.",
        "Disallow GNU Backgammon to manipulate the dice.",
    ),
    (
        &["record"],
        "All games in a session will be recorded.",
        "Only the active game in a session will be recorded.",
    ),
    (
        &["invert", "met"],
        " Match equity table will be used inverted.",
        "Match equity table will not be use inverted.",
    ),
    (
        &["invert", "matchequitytable"],
        " Match equity table will be used inverted.",
        "Match equity table will not be use inverted.",
    ),
    (
        &["export", "moves", "probabilities"],
        "Show detailed probabilities for moves",
        "Do not show detailed probabilities for moves",
    ),
    (
        &["export", "cube", "probabilities"],
        "Show detailed probabilities for cube decisions",
        "Do not show detailed probabilities for cube decisions",
    ),
    (
        &["export", "include", "analysis"],
        "Include analysis in exports",
        "Do not include analysis in exports",
    ),
    (
        &["export", "include", "annotations"],
        "Include annotations in exports",
        "Do not include annotations in exports",
    ),
    (
        &["export", "include", "statistics"],
        "Include statistics in exports",
        "Do not include statistics in exports",
    ),
    (
        &["export", "include", "matchinfo"],
        "Include match information in exports",
        "Do not include match information in exports",
    ),
    (
        &["export", "moves", "parameters", "evaluation"],
        "Show detailed parameters for moves",
        "Do not show detailed parameters for moves",
    ),
    (
        &["autosave", "rollout"],
        "Auto save during rollouts",
        "Don't auto save during rollouts",
    ),
    (
        &["autosave", "confirm"],
        "Prompt before deleting autosaves",
        "Automatically delete autosaves",
    ),
];

/// Returns the original's name of a variant.
const fn variation(variant: Variant) -> &'static str {
    match variant {
        Variant::Backgammon => "Standard backgammon",
        Variant::Nackgammon => "Nackgammon",
        Variant::Hypergammon => "3-chequer hypergammon",
        Variant::Hypergammon2 => "2-chequer hypergammon",
        Variant::Hypergammon1 => "1-chequer hypergammon",
    }
}

impl Console {
    /// Runs `show variation`.
    pub(super) fn show_variation(&mut self) {
        if self.table.phase != TablePhase::None {
            self.say(&format!("You are playing: {}", self.played_variation()));
        }
        self.say(&format!(
            "Default variation is: {}",
            variation(self.variant)
        ));
    }

    fn played_variation(&self) -> &'static str {
        variation(self.table.variant)
    }

    /// Confirms settings that change no number and no form.
    #[expect(clippy::too_many_lines, reason = "one table of settings")]
    pub(super) fn accept_setting(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        if let Some((path, on, off)) = SWITCHES.iter().find(|switch| switch.0 == path) {
            if let Some(now) = self.on_or_off(&path.join(" "), words) {
                let text = if now { on } else { off };
                if !text.is_empty() {
                    self.say(text);
                }
            }
            return;
        }
        match path {
            ["display"] => {
                if let Some(on) = self.on_or_off("display", words) {
                    self.display = on;
                    self.say(match on {
                        true => "Will display boards for computer moves.",
                        false => "Will not display boards for computer moves.",
                    });
                }
            }
            ["lang"] => match words.next() {
                None | Some("system") => self.say("Locale is now 'C.UTF-8'"),
                Some(word @ ("C" | "POSIX")) => self.say(&format!("Locale is now '{word}'")),
                // Answers are in English; the original names every locale that is not installed.
                Some(word) => {
                    self.complain(&format!("Locale '{word}' not supported by C library.\n"));
                }
            },
            ["threads"] => match words.number().filter(|count| *count > 0) {
                Some(count) => self.say(&format!("The number of threads has been set to {count}.")),
                None => self.say("You must specify the number of threads to use."),
            },
            ["cache"] => match words.number().filter(|size| *size >= 0) {
                Some(size) => {
                    let size = u64::try_from(size).unwrap_or(0);
                    let size = if size == 0 {
                        0
                    } else {
                        size.next_power_of_two()
                    };
                    self.say(&format!(
                        "The position cache has been sized to {size} entries."
                    ));
                }
                None => self.say("You must specify the number of cache entries to use."),
            },
            ["delay"] => {
                self.say("The `set delay' command applies only when using a window system.")
            }
            ["prompt"] => {
                let text = match words.trimmed() {
                    "" => "(\\p) ",
                    text => text,
                };
                self.say(&format!("The prompt has been set to `{text}'."));
            }
            ["ratingoffset"] => match words.real().filter(|offset| *offset >= 0.0) {
                Some(offset) => self.say(&format!(
                    "The rating offset for estimating absolute ratings is: {offset:.1}"
                )),
                None => self.say("Please provide a positive rating offset\n"),
            },
            ["priority", name] => {
                let level = match *name {
                    "nice" => words.number().unwrap_or(0),
                    "belownormal" => 10,
                    "idle" => 19,
                    _ => 0,
                };
                self.say(&format!("Scheduling priority set to {level}."));
            }
            ["tutor", "skill", mark] => {
                self.say(&format!(
                    "Tutor warnings will be given for play marked `{mark}'."
                ));
            }
            ["warning"] => self.say("Incorrect syntax for set warning command."),
            ["matchinfo", key] => self.set_match_info(key, words),
            ["met" | "matchequitytable"] => match words.next() {
                None => self.say("You must specify a filename. See \"help set met\". "),
                Some(_) => self.refuse("set met"),
            },
            ["variation", name] => {
                self.variant = Variant::named(name).unwrap_or_default();
                let new = variation(self.variant);
                self.say(&format!("Default variation is: {new}"));
                if self.table.phase != TablePhase::None {
                    self.say(&format!(
                        "The current match or session is being played as `{}'.",
                        self.played_variation()
                    ));
                }
                self.say(&format!(
                    "Please start a new match or session to play `{new}'"
                ));
            }
            ["calibration"] => match words.number() {
                Some(speed) => self.say(&format!(
                    "The speed estimate has been set to {speed} static evaluations per second."
                )),
                None => self.say("The evaluation speed has been cleared."),
            },
            _ => {}
        }
    }
}
