//! Programs that we start, on systems that are not like Linux.

use std::process::{Child, Command};

/// Returns a command of the system's shell.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.args(["/C", command]);
    shell
}

/// Does nothing: there are no process groups, and the caller ends the child itself.
pub(crate) fn end_group(_: &Child) {}
