//! `help`: commands, their arguments and effects.

use super::Console;
use super::grammar::{self, COMMANDS, UnknownCommand};
use super::words::Words;

/// Commands, their arguments and effects.
const COMMANDS_HELP: [(&str, &str, &str); 47] = [
    ("accept", "", "Accept the resignation that is offered"),
    ("agree", "", "Accept the resignation that is offered"),
    ("analyse game", "", "Analyse the game that is shown"),
    ("analyse match", "", "Analyse every game of the match"),
    ("analyse move", "", "Analyse the decision that is shown"),
    ("analyse session", "", "Analyse every game of the session"),
    (
        "beaver",
        "",
        "Take a double, turn the cube once more and keep it",
    ),
    ("decline", "", "Decline the resignation that is offered"),
    ("dicerolls", "[count]", "Throw the dice a number of times"),
    ("double", "", "Offer the cube to the opponent"),
    ("drop", "", "Pass a double"),
    (
        "end game",
        "",
        "Play the game to its end with the dice of both players",
    ),
    (
        "eq2mwc",
        "[equity]",
        "Convert an equity to match winning chances",
    ),
    (
        "eval",
        "[position]",
        "Evaluate a position statically and at each depth",
    ),
    ("exit", "", "End the program"),
    (
        "export game text",
        "<file>",
        "Write the game and its analysis as text",
    ),
    (
        "export match mat",
        "<file>",
        "Write the match as a .mat file",
    ),
    (
        "export match text",
        "<file>",
        "Write the match and its analysis as text",
    ),
    (
        "export position text",
        "<file>",
        "Write the position and its evaluation as text",
    ),
    ("first game", "", "Go to the first game of the match"),
    ("first move", "", "Go to the first move of the game"),
    (
        "hint",
        "[value]",
        "Give hints on cube action or best legal moves",
    ),
    ("import auto", "<file>", "Read a match of any known format"),
    ("import mat", "<file>", "Read a match of a .mat file"),
    (
        "import snowietxt",
        "<file>",
        "Read a position of a Snowie text file",
    ),
    ("list game", "", "List the moves of the game"),
    ("load commands", "<file>", "Run the commands of a file"),
    ("load match", "<file>", "Read a match of an .sgf file"),
    ("move", "<from> <to> ...", "Play the roll"),
    (
        "mwc2eq",
        "[mwc]",
        "Convert match winning chances to an equity",
    ),
    ("new game", "", "Start a game"),
    ("new match", "[points]", "Start a match"),
    ("new session", "", "Start money play"),
    ("next", "[count]", "Go forwards in the match"),
    ("pass", "", "Pass a double, or a roll without a legal play"),
    (
        "play",
        "",
        "Let the player on roll play, if it is a computer",
    ),
    ("previous", "[count]", "Go backwards in the match"),
    ("quit", "", "End the program"),
    (
        "redouble",
        "",
        "Turn the cube once more in answer to a double",
    ),
    (
        "reject",
        "",
        "Decline the resignation or the double that is offered",
    ),
    (
        "resign",
        "<normal|gammon|backgammon>",
        "Offer to resign the game",
    ),
    ("roll", "", "Throw the dice"),
    ("rollout", "", "Roll out the position"),
    ("save match", "<file>", "Write the match as an .sgf file"),
    (
        "save position",
        "<file>",
        "Write the position as an .sgf file",
    ),
    ("swap players", "", "Exchange the players' seats"),
    ("take", "", "Take a double"),
];

impl Console {
    pub(super) fn help(&mut self, words: &mut Words<'_>) {
        if words.peek().is_none() {
            let names: Vec<&str> = grammar::names(COMMANDS).collect();
            self.say(&format!("Available commands:\n{}", names.join("\n")));
            return;
        }
        let topic = words.trimmed().to_owned();
        match grammar::read(COMMANDS, words) {
            Ok(path) => {
                let path = path.join(" ");
                let known = COMMANDS_HELP.iter().find(|(name, ..)| *name == path);
                self.say(&match known {
                    Some((name, arguments, text)) => {
                        format!(
                            "{name} - {text}\n\nUsage: {}",
                            format!("{name} {arguments}").trim_end().to_owned() + " "
                        )
                    }
                    None => format!(
                        "{path}\n\nUsage: {path} … (see gammond's protocol-specs/gnubg-console.md)"
                    ),
                });
            }
            Err(UnknownCommand::Incomplete) => {
                let path = grammar::path(COMMANDS, &topic);
                let names: Vec<&str> = path
                    .map(|place| grammar::names(place).collect())
                    .unwrap_or_default();
                self.say(&format!(
                    "{topic}\n\nUsage: {topic} <subcommand>\nAvailable subcommands:\n{}",
                    names.join("\n")
                ));
            }
            Err(UnknownCommand::Unknown(word)) => {
                self.say(&format!("No help available for topic `{word}'"))
            }
        }
    }
}
