//! `import`, `load`, `save`, `export`: matches and positions in files.

use super::Command;
use crate::Console;
use crate::host::ConsoleHost;
use crate::table::{Table, TablePhase};
use crate::words::Words;
use gammond_game::notation::{MatAction, MatGame, MatchFile, MatchFormat, SetUp, SgfNote};

/// Maximum number of commands that a file of commands may hold.
const COMMANDS_MAX: usize = 10_000;
/// Files of commands within one another.
const FILES_DEEP_MAX: usize = 8;

/// The command `import`.
pub(super) static IMPORT: Command = Command {
    name: "import",
    grammar: &["import: auto mat gam oldmoves empire party bgroom pos sgg snowietxt tmg"],
    help: &[
        ("auto", "<file>", "Read a match of any known format"),
        ("mat", "<file>", "Read a match of a .mat file"),
        (
            "snowietxt",
            "<file>",
            "Read a position of a Snowie text file",
        ),
    ],
    run: |console, path, words, host| console.file_command(path, words, host),
    ..Command::BARE
};

/// The command `load`.
pub(super) static LOAD: Command = Command {
    name: "load",
    grammar: &["load: commands game match position python weights"],
    help: &[
        ("commands", "<file>", "Run the commands of a file"),
        ("match", "<file>", "Read a match of an .sgf file"),
    ],
    run: |console, path, words, host| console.file_command(path, words, host),
    ..Command::BARE
};

/// The command `save`.
pub(super) static SAVE: Command = Command {
    name: "save",
    grammar: &["save: game match position settings"],
    help: &[
        ("match", "<file>", "Write the match as an .sgf file"),
        ("position", "<file>", "Write the position as an .sgf file"),
    ],
    run: |console, path, words, host| console.file_command(path, words, host),
    ..Command::BARE
};

/// The command `export`.
pub(super) static EXPORT: Command = Command {
    name: "export",
    grammar: &[
        "export: game=export-game htmlimages match=export-match position=pages session=export-session",
        "export-game: gam snowietxt html latex pdf ps text",
        "export-match: mat snowietxt html latex text pdf ps",
        "pages: bgo2clipboard bgonline ps pdf svg html png pos snowietxt text",
        "export-session: html latex text",
    ],
    help: &[
        (
            "game text",
            "<file>",
            "Write the game and its analysis as text",
        ),
        ("match mat", "<file>", "Write the match as a .mat file"),
        (
            "match text",
            "<file>",
            "Write the match and its analysis as text",
        ),
        (
            "position text",
            "<file>",
            "Write the position and its evaluation as text",
        ),
    ],
    run: |console, path, words, host| console.file_command(path, words, host),
    ..Command::BARE
};

impl Console {
    pub(crate) fn file_command(
        &mut self,
        path: &[&'static str],
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        let name = words.next().map(str::to_owned);
        match path {
            ["load", "commands"] => match name {
                Some(name) => self.run_file(&name, host),
                None => self.say("You must specify a file to load (see `help load commands')."),
            },
            ["load", kind @ ("python" | "weights")] => self.refuse(&format!("load {kind}")),
            [
                "import",
                kind @ ("empire" | "party" | "bgroom" | "pos" | "tmg"),
            ] => {
                self.refuse(&format!("import {kind}"));
            }
            ["import" | "load", kind] => match name {
                Some(name) => self.take_in(path, &name, host),
                None => {
                    let verb = if path.first() == Some(&"load") {
                        "load"
                    } else {
                        "import"
                    };
                    let what = if verb == "load" {
                        "file to load"
                    } else {
                        "match file to import"
                    };
                    self.say(&format!(
                        "You must specify a {what} (see `help {verb} {kind}')."
                    ));
                }
            },
            ["save", "settings"] => {}
            _ => self.give_out(path, name.as_deref(), host),
        }
    }

    /// Runs the commands of a file.
    fn run_file(&mut self, name: &str, host: &mut dyn ConsoleHost) {
        if self.files_deep >= FILES_DEEP_MAX {
            self.complain(&format!(
                "{name}: more than {FILES_DEEP_MAX} files of commands within one another"
            ));
            return;
        }
        let bytes = match host.read(name) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.complain(&format!("{name}: {reason}"));
                return;
            }
        };
        self.files_deep += 1;
        let text = String::from_utf8_lossy(&bytes);
        for line in text.lines().take(COMMANDS_MAX) {
            if self.ending {
                break;
            }
            match self.waiting.take() {
                Some(waiting) => self.dice_line(line, waiting, host),
                None => self.obey(line, host),
            }
        }
        self.files_deep -= 1;
    }

    fn take_in(&mut self, path: &[&'static str], name: &str, host: &mut dyn ConsoleHost) {
        let bytes = match host.read(name) {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.complain(&format!("{name}: {reason}"));
                return;
            }
        };
        let sgf = MatchFormat::of(&bytes).name() == "sgf";
        if matches!(path, ["load", _]) && !sgf {
            self.complain(&format!("{name}: syntax error"));
            return;
        }
        let reading = match MatchFile::read(&bytes) {
            Ok(reading)
                if !reading.file.games.is_empty()
                    && (!sgf || path.first() == Some(&"load") || path.last() == Some(&"auto")) =>
            {
                reading
            }
            _ => {
                match path {
                    ["import", "auto"] => {
                        self.fault(&format!("The format of '{name}' is not recognized"))
                    }
                    ["load", _] => {
                        self.complain(&format!("{name}: warning: no backgammon games in SGF file"))
                    }
                    _ => {
                        let kind = path.last().copied().unwrap_or("mat");
                        self.complain(&format!("{name}: not a valid .{kind} file"));
                    }
                }
                return;
            }
        };
        for fault in &reading.faults {
            self.complain(&format!("{name}: {fault}"));
        }
        self.open_match(reading.file);
    }

    /// Makes a match from a file the current one, at its end.
    fn open_match(&mut self, mut file: MatchFile) {
        let names = file.names.clone().map(|name| crate::clean_name(&name));
        file.names.clone_from(&names);
        self.names = names;
        let rules = Table {
            jacoby: self.jacoby,
            ..Table::default()
        };
        self.judged = None;
        self.forget_hint();
        self.record = crate::record::Record {
            game: file.games.len().saturating_sub(1),
            file,
            ..crate::record::Record::default()
        };
        self.record.at = self.record.current().map_or(0, |game| game.actions.len());
        self.record.ended = true;
        if let Some(table) = self.record.table(&rules, self.automatic.crawford) {
            self.table = table;
        }
        (self.due, self.fresh) = (false, false);
        self.show_board();
    }

    /// Writes the record with what lies on the table, or the table alone.
    fn give_out(&mut self, path: &[&'static str], name: Option<&str>, host: &mut dyn ConsoleHost) {
        if matches!(path, [_, "position", ..]) {
            self.write_out(path, name, host);
            return;
        }
        let kept = self.record.clone();
        self.record = kept.with_table(&self.table);
        self.write_out(path, name, host);
        self.record = kept;
    }

    fn write_out(&mut self, path: &[&'static str], name: Option<&str>, host: &mut dyn ConsoleHost) {
        let no_match = self.record.file.games.is_empty();
        let of_position = matches!(path, [_, "position", ..]);
        if (no_match && !of_position) || (of_position && self.table.phase == TablePhase::None) {
            // The original prints nothing where whole matches are exported.
            if self.options.strict && matches!(path, ["export", "match" | "session", ..]) {
                return;
            }
            self.say("No game in progress (type `new game' to start one).");
            return;
        }
        let Some(name) = name else {
            let what = path.join(" ");
            self.say(&format!(
                "You must specify a file name to write to (see `help {what}')."
            ));
            return;
        };
        match path {
            ["save" | "export", "match" | "session", ..] | ["export" | "save", "game", ..] => {}
            ["save", "position"] => {
                let text = sgf(&self.position_file(), &|_, _| None);
                self.write(name, &text, host);
                return;
            }
            ["export", "position", "text"] => {
                let text = self.position_text(host);
                self.write(name, &text, host);
                return;
            }
            _ => {
                self.refuse(&path.join(" "));
                return;
            }
        }
        let file = match path {
            [_, "game", ..] => self.record.current().map(|game| MatchFile {
                // The games before it decide about the Crawford game.
                games: vec![MatGame {
                    crawford: self.record.crawford(),
                    ..game.clone()
                }],
                ..self.record.file.clone()
            }),
            _ => Some(self.record.file.clone()),
        };
        let Some(file) = file else { return };
        match path {
            ["save", "game"] => self.save(&file, self.record.game, name, host),
            ["save", _] => self.save(&file, 0, name, host),
            [_, _, "mat" | "gam"] if self.options.strict => {
                let mut file = file;
                if file.header("EventDate").is_none() {
                    let [month, day, year] = host.today();
                    let date = format!(" [EventDate \"{year}.{month:02}.{day:02}\"]");
                    file.comments.insert(0, date);
                }
                self.write(name, &file.mat_as_gnubg(), host);
            }
            [_, _, "mat" | "gam"] => self.write(name, &file.to_string(), host),
            [_, "game", "text"] => {
                let text = self.game_text(self.record.game, false, host);
                self.write(name, &text, host);
            }
            [_, _, "text"] => {
                for number in 0..file.games.len() {
                    let text = self.game_text(number, true, host);
                    self.write(&numbered(name, number), &text, host);
                }
            }
            _ => self.refuse(&path.join(" ")),
        }
    }

    /// Writes games as SGF with their analysis, if there is one; `first` is the place of the first one in the match.
    fn save(&mut self, file: &MatchFile, first: usize, name: &str, host: &mut dyn ConsoleHost) {
        let notes = self.judged.as_ref().map(|judged| &judged.notes);
        let note = |game, action| notes?.get(&(first + game, action)).cloned();
        self.write(name, &sgf(file, &note), host);
    }

    fn write(&mut self, name: &str, text: &str, host: &mut dyn ConsoleHost) {
        if let Err(reason) = host.write(name, text.as_bytes()) {
            self.complain(&format!("{name}: {reason}"));
        }
    }

    /// Returns a match of one game that begins with the current position.
    fn position_file(&self) -> MatchFile {
        let table = &self.table;
        let player = table.on_roll.player();
        let set_up = SetUp {
            position: table.position,
            value: table.cube,
            owner: table.owner.map(crate::table::Seat::player),
        };
        let roll = table.roll().map(|roll| (player, MatAction::Rolled(roll)));
        let set_up = (player, MatAction::SetUp(set_up));
        let game = MatGame {
            scores: table.score.points(),
            actions: std::iter::once(set_up).chain(roll).collect(),
            result: None,
            crawford: table.crawford_flag(),
            jacoby: None,
            settled: false,
        };
        MatchFile {
            length: table.score.length(),
            names: self.names.clone(),
            comments: Vec::new(),
            games: vec![game],
        }
    }
}

/// Formats a match as SGF with the notes at its actions.
fn sgf(file: &MatchFile, note: &dyn Fn(usize, usize) -> Option<SgfNote>) -> String {
    file.sgf(&file.crawford_games(), note)
}

/// Returns the file name of a game: the second and later games get a number before the extension.
fn numbered(name: &str, number: usize) -> String {
    if number == 0 {
        return name.to_owned();
    }
    let number = number + 1;
    let folder = name.rfind('/').map_or(0, |at| at + 1);
    match name.rfind('.').filter(|at| *at > folder) {
        Some(at) => {
            let (stem, ending) = name.split_at_checked(at).unwrap_or((name, ""));
            format!("{stem}_{number:03}{ending}")
        }
        None => format!("{name}_{number:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn the_number_of_a_game_stands_before_the_ending() {
        let names = [
            ("out.txt", 0),
            ("out.txt", 1),
            ("a.b/out", 2),
            ("a/.out", 11),
        ];
        let named = names.map(|(name, number)| numbered(name, number));
        assert_eq!(
            named,
            ["out.txt", "out_002.txt", "a.b/out_003", "a/.out_012"]
        );
    }
}
