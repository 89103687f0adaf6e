//! `gammond eval`, `move`, `cube`, `show`, `convert`: one request from the shell.

use crate::cli::{Common, Failure};
use std::process::ExitCode;

/// What all five take.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A position in any form, a roll where one is wanted, then settings such as `plies=2`; see
    /// protocol-specs/request-protocol.md.
    #[arg(required = true, value_name = "POSITION [ROLL] [KEY=VALUE]")]
    request: Vec<String>,
}

macro_rules! verbs {
    ($($module:ident $verb:literal),+) => {$(
        pub(crate) mod $module {
            pub(crate) use super::Args;
            use super::{Common, ExitCode, Failure};

            pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
                super::ask(common, $verb, args)
            }
        }
    )+};
}

verbs!(eval "eval", play "move", cube "cube", show "show", convert "convert");

fn ask(common: &Common, verb: &str, args: &Args) -> Result<ExitCode, Failure> {
    let line = format!("{verb} {}", args.request.join(" "));
    let _ = (common, line);
    Err(Failure::Usage("not in this version yet".into()))
}
