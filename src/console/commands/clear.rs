//! `clear …`: hints, analyses and dice are dropped.

use super::Command;
use super::play::RESIGNATION_WAITS;

/// The command `clear`.
pub(super) static COMMAND: Command = Command {
    name: "clear",
    grammar: &["clear: cache hint turn analysis"],
    run: |console, path, _, _| match path {
        [_, "hint"] => {
            console.hint = None;
            console.say("Analysis used for `hint' has been cleared");
        }
        [_, "turn"] if console.table.resigned > 0 && console.table.playing() => {
            console.say(RESIGNATION_WAITS);
        }
        [_, "turn"] => console.table.dice = None,
        [_, "analysis"] => console.judged = None,
        _ => {}
    },
    ..Command::BARE
};
