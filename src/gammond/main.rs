//! The `gammond` program.

/// Writes a line to stderr, escaped for terminals. A closed stderr is no error.
macro_rules! stderr_line {
    ($($piece:tt)*) => { $crate::cli::stderr_line(format_args!($($piece)*)) };
}

/// The standard macro panics when stderr is closed, and passes on what strangers wrote. Tests may use `std::eprintln!`.
#[allow(unused_macros, reason = "it is there so that its use does not compile")]
macro_rules! eprintln {
    ($($piece:tt)*) => {
        compile_error!("use stderr_line!")
    };
}

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
