//! `relational …`: the original's database of players.

use super::Command;

/// The command `relational`. It answers as the original does with an empty database; there is none to write to.
pub(super) static COMMAND: Command = Command {
    name: "relational",
    grammar: &[
        "relational: add=relational-add erase=relational-erase select setup show=relational-show test",
        "relational-add: match",
        "relational-erase: player allplayers",
        "relational-show: details players",
    ],
    run: |console, path, _, _| match path {
        [_, "add", _] if !console.table.playing() => console.say("No match is being played."),
        [_, "show", "details"] => console.complain("Empty player stats or player(s) not found"),
        [_, "setup"] => {}
        _ => console.refuse("relational"),
    },
    ..Command::BARE
};
