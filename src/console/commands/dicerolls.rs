//! `dicerolls`: dice for nothing.

use super::Command;

/// Most rolls of one command.
const ROLLS_MAX: i64 = 100_000;

/// The command `dicerolls`.
pub(super) static COMMAND: Command = Command {
    name: "dicerolls",
    help: &[("", "[count]", "Throw the dice a number of times")],
    run: |console, _, words, host| {
        let count = words.number().unwrap_or(10).clamp(0, ROLLS_MAX);
        for _ in 0..count {
            let (first, second) = (host.die().clamp(1, 6), host.die().clamp(1, 6));
            console.say(&format!("{first} {second}"));
        }
    },
    ..Command::BARE
};
