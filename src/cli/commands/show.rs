//! `gammond show`: a position in text, or as a picture for pages and papers.

use super::ask::{self, asked};
use crate::{Common, Failure, PNG_WIDTH_MAX, Picture, png, print};
use gammond_game::notation::parse_play;
use gammond_game::{Play, Position, Roll};
use gammond_protocol::Request;
use gammond_report::render::{Overlay, Theme, svg_file, svg_outlines};
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Arguments of `show`.
#[derive(clap::Args, Debug)]
// The group of the arguments in it has the same name.
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    ask: ask::Args,
    /// Draw the board as SVG into this file, `-` for the standard output.
    #[arg(long, value_name = "FILE", group = "picture")]
    svg: Option<PathBuf>,
    /// Draw the board as PNG into this file, `-` for the standard output.
    #[arg(long, value_name = "FILE", group = "picture")]
    png: Option<PathBuf>,
    /// Arrows for this play of the roll, such as "8/5 6/5".
    #[arg(long, value_name = "PLAY", requires = "picture")]
    play: Option<String>,
    /// Colours of the picture: light, dark, green, print. Without it an SVG is dark where the reader's
    /// system is, a PNG light.
    #[arg(long, value_name = "NAME", requires = "picture", value_parser = theme)]
    theme: Option<Theme>,
    /// In the picture the home board of the player on roll is at the left.
    #[arg(long, requires = "picture")]
    clockwise: bool,
    /// In the picture the player on roll has the dark checkers.
    #[arg(long, requires = "picture")]
    dark: bool,
    /// Width of the PNG in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 918, requires = "png", value_parser = clap::value_parser!(u32).range(64..=i64::from(PNG_WIDTH_MAX)))]
    width: u32,
}

/// Returns a theme by its name.
fn theme(name: &str) -> Result<Theme, String> {
    Theme::named(name).ok_or_else(|| {
        let names: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    if args.svg.is_none() && args.png.is_none() {
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
    if let Some(path) = &args.svg {
        let text = svg_file(&shown.position, state, &drawn, args.theme) + "\n";
        put(path, Picture::Svg, text.as_bytes())?;
    }
    if let Some(path) = &args.png {
        if path.as_os_str() == "-" && std::io::stdout().is_terminal() {
            return Err(Failure::usage(
                "a terminal cannot show a PNG; name a file: --png board.png",
            ));
        }
        let theme = args.theme.unwrap_or(Theme::LIGHT);
        let text = svg_outlines(&shown.position, state, &drawn, theme);
        put(path, Picture::Png, &png(&text, Some(args.width))?)?;
    }
    Ok(ExitCode::SUCCESS)
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

/// Writes to a file or the standard output.
fn put(path: &Path, kind: Picture, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return print(bytes).map(|_| ());
    }
    kind.write(path, bytes)
}
