//! `gammond pipe`: requests on stdin, one a line; answers on stdout, in order.

use crate::{Common, Failure, Format};
use gammond_protocol::{AnswerStyle, Session};
use gammond_server::batch;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct Args {
    /// Format of the answers: json, text (one compact line) or position (the Position ID after the best play).
    #[arg(long, env = "GAMMOND_ANSWER", value_name = "STYLE", value_parser = style)]
    answer: Option<AnswerStyle>,
    /// Settings of the session, as `set` takes them, such as `cubeful=off`.
    #[arg(value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

fn style(name: &str) -> Result<AnswerStyle, String> {
    AnswerStyle::named(name).ok_or_else(|| "expected json, text or position".to_owned())
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let mut session = common.session(&args.settings)?;
    session.answer = match (args.answer, common.format) {
        (Some(style), _) => Some(style),
        (None, Some(Format::Text)) => Some(AnswerStyle::Text),
        (None, Some(Format::Json)) => Some(AnswerStyle::Json),
        (None, Some(Format::Csv) | None) => session.answer,
    };
    let engine = common.engine()?;
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let summary = batch::run(&engine, Session::counting(session), input, output.lock())
        .map_err(Failure::work)?;
    tracing::info!(
        answered = summary.answered,
        failed = summary.failed,
        "end of input"
    );
    Ok(ExitCode::from(u8::from(summary.failed > 0)))
}
