//! `help`: commands, their arguments and effects.

use super::Command;
use crate::Console;
use crate::grammar::{self, FIRST, UnknownCommand};
use crate::words::Words;

/// The command `help`.
pub(super) static COMMAND: Command = Command {
    name: "help",
    alias: "?",
    run: |console, _, words, _| console.help(words),
    ..Command::BARE
};

impl Console {
    pub(crate) fn help(&mut self, words: &mut Words<'_>) {
        if words.peek().is_none() {
            let names = grammar::names(FIRST);
            self.say(&format!("Available commands:\n{}", names.join("\n")));
            return;
        }
        let topic = words.trimmed().to_owned();
        match grammar::read(FIRST, words) {
            Ok(path) => {
                let known = path.split_first().and_then(|(name, behind)| {
                    let mut help = Command::named(name)?.help.iter();
                    help.find(|known| known.0 == behind.join(" "))
                });
                let path = path.join(" ");
                self.say(&match known {
                    Some((_, arguments, text)) => {
                        format!(
                            "{path} - {text}\n\nUsage: {}",
                            format!("{path} {arguments}").trim_end().to_owned() + " "
                        )
                    }
                    None => format!(
                        "{path}\n\nUsage: {path} … (see gammond's protocol-specs/gnubg-console.md)"
                    ),
                });
            }
            Err(UnknownCommand::Incomplete) => {
                let path = grammar::path(FIRST, &topic);
                let names = path.map(grammar::names).unwrap_or_default();
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
