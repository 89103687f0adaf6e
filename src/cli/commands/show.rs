//! `gammond show`: a position in text, or as a picture for pages and papers.

use super::ask::{self, PictureArgs, asked};
use crate::{Common, Failure};
use gammond_game::notation::parse_play;
use gammond_game::{Play, Position, Roll};
use gammond_protocol::Request;
use gammond_report::render::{DrawingStyle, Overlay, svg_file, svg_outlines};
use std::process::ExitCode;

/// Width of a PNG in pixels.
const WIDTH: u32 = 918;

/// Arguments of `show`.
#[derive(clap::Args, Debug)]
// The group of the arguments in it has the same name.
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    ask: ask::Args,
    #[command(flatten)]
    picture: PictureArgs,
    /// Arrows for this play of the roll, such as "8/5 6/5".
    #[arg(long, value_name = "PLAY", requires = "picture")]
    play: Option<String>,
    /// In the picture the home board of the player on roll is at the left.
    #[arg(long, requires = "picture")]
    clockwise: bool,
    /// In the picture the player on roll has the dark checkers.
    #[arg(long, requires = "picture")]
    dark: bool,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if !args.picture.is_given() {
        return ask::ask(common, "show", &args.ask.request);
    }
    let (line, _) = asked(common, "show", &args.ask.request)?;
    let Request::Position(request) = &line.request else {
        return Err(Failure::usage("not a position (example: 4HPwATDgc/ABMA)"));
    };
    let (shown, state) = (&request.shown, &request.state);
    let play = match &args.play {
        Some(text) => Some(arrows(text, &shown.position, shown.roll)?),
        None => None,
    };
    let drawn = Overlay {
        roll: shown.roll,
        play: play.as_ref(),
        clockwise: args.clockwise,
        dark: args.dark,
    };
    args.picture.write(Some(WIDTH), |style| {
        let position = &shown.position;
        Ok(match style {
            DrawingStyle::File(theme) => svg_file(position, state, &drawn, theme),
            DrawingStyle::Outlines(theme) => svg_outlines(position, state, &drawn, theme),
        })
    })
}

/// Returns the play that a text means.
fn arrows(text: &str, position: &Position, roll: Option<Roll>) -> Result<Play, Failure> {
    let roll = roll.ok_or_else(|| {
        Failure::usage(
            "--play needs a roll: gammond show 4HPwATDgc/ABMA 31 --play '8/5 6/5' --svg FILE",
        )
    })?;
    match parse_play(text, position, roll) {
        Ok(legal) => Ok(legal.play),
        Err(error) => Err(Failure::usage(format!("--play '{text}': {error}"))),
    }
}
