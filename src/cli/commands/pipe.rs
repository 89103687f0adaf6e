//! `gammond pipe`: requests on stdin, one a line; answers on stdout, in order.

use crate::cli::{Common, Failure};
use crate::engine::Engine;
use crate::protocol::answer::{self, Addressee};
use crate::protocol::{AnswerStyle, LineKind, RequestError, SessionSettings, line_kind};
use crate::query::Stop;
use crate::service::answer::{Outcome, respond};
use crate::service::stdin_batch::{self, LineService, RawLine};
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct Args {
    /// How answers look: json, text (one compact line) or position (the Position ID after the
    /// best play).
    #[arg(long, env = "GAMMOND_ANSWER", value_name = "STYLE", value_parser = style)]
    answer: Option<AnswerStyle>,
    /// Settings of the session, as `set` takes them, such as `cubeful=off`.
    #[arg(value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

fn style(name: &str) -> Result<AnswerStyle, String> {
    AnswerStyle::named(name).ok_or_else(|| "want json, text or position".to_owned())
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let mut session = common.session(&args.settings)?;
    if let Some(style) = args.answer {
        session.style = style;
    }
    let engine = common.engine()?;
    let mut lines = Lines {
        engine: &engine,
        session,
    };
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let summary = stdin_batch::run(&mut lines, engine.pool(), input, output.lock())
        .map_err(|error| Failure::Work(error.to_string()))?;
    tracing::info!(
        answered = summary.answered,
        failed = summary.failed,
        "end of input"
    );
    Ok(ExitCode::from(u8::from(summary.failed > 0)))
}

struct Lines<'a> {
    engine: &'a Engine,
    session: SessionSettings,
}

impl Lines<'_> {
    /// One answer; a panic inside costs this line alone.
    fn respond(&self, line: RawLine<'_>, out: &mut Vec<u8>) -> Outcome {
        let number = Some(line.number);
        let to = Addressee {
            id: None,
            style: self.session.style,
        };
        if line.too_long {
            answer::error(to, &RequestError::too_long(), number, out);
            return Outcome::Refused;
        }
        let start = out.len();
        let answered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            respond(
                self.engine,
                line.bytes,
                &self.session,
                number,
                &Stop::never(),
                out,
            )
        }));
        answered.unwrap_or_else(|_| {
            out.truncate(start);
            let error = RequestError::new("internal", "query", "query failed inside the engine");
            answer::error(to, &error, number, out);
            Outcome::Refused
        })
    }
}

impl LineService for Lines<'_> {
    fn kind(&self, line: &[u8]) -> LineKind {
        line_kind(line)
    }

    fn answer(&self, line: RawLine<'_>, out: &mut Vec<u8>) -> bool {
        !matches!(self.respond(line, out), Outcome::Refused)
    }

    fn session(&mut self, line: RawLine<'_>, out: &mut Vec<u8>, failed: &mut bool) -> bool {
        match self.respond(line, out) {
            Outcome::Changed(session) => self.session = *session,
            Outcome::Refused => *failed = true,
            Outcome::Quit => return false,
            Outcome::Answered | Outcome::Nothing => {}
        }
        true
    }
}
