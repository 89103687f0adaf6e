//! Programs that we start, with all that they start, on Linux and systems like it.

use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

/// Returns a command of the shell, in a process group of its own.
pub(crate) fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).process_group(0);
    shell
}

/// Ends the child's process group: a shell's children are not left behind.
pub(crate) fn end_group(child: &Child) {
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Nothing can be done about one that is gone already.
        let _ = kill_process_group(pid, Signal::KILL);
    }
}
