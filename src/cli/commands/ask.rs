//! `gammond eval`, `move`, `cube`, `show`, `convert`: one request from the shell.

use crate::cli::{Common, Failure, Format};
use crate::engine::Engine;
use crate::notation::Form;
use crate::protocol::external::{Spelling, spell};
use crate::protocol::{Request, parse_line};
use crate::query::{RankedPlay, Stop};
use crate::render::{self, report};
use crate::service::answer::{Outcome, answer_request};
use std::io::IsTerminal;
use std::process::ExitCode;

/// Plays shown to people who do not say how many.
const PLAYS_SHOWN: usize = 10;

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
    let people = match common.format {
        Some(format) => format == Format::Text,
        None => std::io::stdout().is_terminal(),
    };
    let session = common.session(&[])?;
    // A position pasted with blanks in it is still one word of the shell.
    let line = format!("{verb} {}", args.request.join(" "));
    let mut out = Vec::new();
    let line = match parse_line(line.as_bytes(), &session) {
        Some(Ok(line)) => line,
        Some(Err(refusal)) => return Err(Failure::Usage(refusal.error.message)),
        None => return Err(Failure::Usage("nothing was asked".into())),
    };
    let engine = common.engine()?;
    if people {
        let text = for_people(&engine, &line.request)?;
        return crate::cli::print(text.as_bytes());
    }
    let stop = Stop::never();
    let outcome = answer_request(&engine, &line, &session, None, &stop, &mut out);
    crate::cli::print(&out)?;
    Ok(ExitCode::from(u8::from(outcome == Outcome::Refused)))
}

/// The answer in several lines.
fn for_people(engine: &Engine, request: &Request) -> Result<String, Failure> {
    let stop = &Stop::never();
    Ok(match request {
        Request::Eval(query, settings) => {
            let found = engine.evaluate(query, settings, stop)?;
            report::evaluation(&found, engine.net_name())
        }
        Request::Move(query, settings) => {
            let found = engine.rank_plays(query, settings, stop)?;
            let limit = settings.top.unwrap_or(PLAYS_SHOWN);
            let spell = |play: &RankedPlay| spell(&query.position, &play.play, Spelling::Words);
            let board = render::board(&query.position, &query.state, Some(query.roll));
            board + &report::plays(&found, limit, spell)
        }
        Request::Cube(query, settings) => {
            let found = engine.cube_action(query, settings, stop)?;
            render::board(&query.position, &query.state, None)
                + &report::cube(&found, found.verdict.text())
        }
        Request::Show(shown, state) => render::board(&shown.position, state, shown.roll),
        Request::Convert(shown, state) => {
            let print = |form: Form| form.print(&shown.position, state, shown.roll, shown.offer);
            format!(
                "Position ID  {}\nGNUbg ID     {}\nkey          {}\nXGID         {}\nFIBS board   {}\n",
                print(Form::PositionId),
                print(Form::GnubgId),
                print(Form::Key),
                print(Form::Xgid),
                print(Form::BoardLine),
            )
        }
        _ => {
            return Err(Failure::Usage(
                "that is no request about one position".into(),
            ));
        }
    })
}
