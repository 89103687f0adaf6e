//! `quit` and `exit`: the end of the session.

use super::Command;

/// The command `quit`.
pub(super) static QUIT: Command = Command {
    name: "quit",
    help: &[("", "", "End the program")],
    run: |console, _, _, _| console.ending = true,
    ..Command::BARE
};

/// The command `exit`.
pub(super) static EXIT: Command = Command {
    name: "exit",
    ..QUIT
};
