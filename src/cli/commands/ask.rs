//! `gammond eval`, `move`, `cube`, `rolls`, `scores`, `cubes`, `explain`, `opening`, `reply`, `show`, `convert`: one request from the shell.

use crate::{Common, Failure, Format, PNG_WIDTH_MAX, Picture, png};
use gammond_engine::engine::Engine;
use gammond_engine::query::{
    Language, OpeningAnswer, Question, RankedPlay, RankedPlays, Settings, Stop,
};
use gammond_game::MatchState;
use gammond_game::notation::{
    ForeignKind, Form, MATCH_FILE_BYTES_MAX, MatchFile, MatchId, PositionId, copied_positions,
    parse_roll, play_text, without_board,
};
use gammond_protocol::ErrorCode;
use gammond_protocol::answerer::Answerer;
use gammond_protocol::verbs::PositionRequest;
use gammond_protocol::{Line, LineAction, Options, Request, RequestError, Session, parse_line};
use gammond_report::render::{DrawingStyle, ScreenStyle, Theme, cube_table, score_table, screen};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Number of plays shown by default.
const PLAYS_SHOWN: usize = 10;
/// Number of columns of a screen of unknown width.
const COLUMNS: usize = 80;

/// Arguments of all these commands.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A position in any form, for `move` and `show` a roll, then settings such as `plies=2`; see
    /// protocol-specs/request-protocol.md.
    #[arg(required = true, value_name = "POSITION [ROLL] [KEY=VALUE]")]
    pub(super) request: Vec<String>,
}

/// Options of a picture in place of the answer.
#[derive(clap::Args, Debug)]
#[group(skip)]
pub(crate) struct PictureArgs {
    /// Draw it as SVG into this file, `-` for the standard output.
    #[arg(long, value_name = "FILE", group = "picture")]
    svg: Option<PathBuf>,
    /// Draw it as PNG into this file, `-` for the standard output.
    #[arg(long, value_name = "FILE", group = "picture")]
    png: Option<PathBuf>,
    /// Colours of the picture: light, dark, green, print. Without it an SVG is dark where the reader's
    /// system is, a PNG light.
    #[arg(long, value_name = "NAME", requires = "picture", value_parser = theme)]
    theme: Option<Theme>,
    /// Width of the PNG in pixels; without it 918 for a board, else twice the width of the drawing.
    #[arg(long, value_name = "PIXELS", requires = "png", value_parser = clap::value_parser!(u32).range(64..=i64::from(PNG_WIDTH_MAX)))]
    width: Option<u32>,
}

/// Returns a theme by its name.
fn theme(name: &str) -> Result<Theme, String> {
    Theme::named(name).ok_or_else(|| {
        let names: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

impl PictureArgs {
    /// Returns true if there is a picture to make.
    pub(super) fn is_given(&self) -> bool {
        self.svg.is_some() || self.png.is_some()
    }

    /// Writes the drawing; a PNG without a width of its own has this one.
    pub(super) fn write(
        &self,
        width: Option<u32>,
        draw: impl Fn(DrawingStyle) -> Result<String, Failure>,
    ) -> Result<ExitCode, Failure> {
        if let Some(path) = &self.svg {
            let text = draw(DrawingStyle::File(self.theme))? + "\n";
            put(path, Picture::Svg, text.as_bytes())?;
        }
        if let Some(path) = &self.png {
            if path.as_os_str() == "-" && std::io::stdout().is_terminal() {
                return Err(Failure::usage(
                    "a terminal cannot show a PNG; name a file: --png board.png",
                ));
            }
            let text = draw(DrawingStyle::Outlines(self.theme.unwrap_or(Theme::LIGHT)))?;
            put(path, Picture::Png, &png(&text, self.width.or(width))?)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes to a file or the standard output.
fn put(path: &Path, kind: Picture, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return crate::print(bytes).map(|_| ());
    }
    kind.write(path, bytes)
}

/// Arguments of the commands whose answers have pictures.
#[derive(clap::Args, Debug)]
pub(crate) struct DrawnArgs {
    #[command(flatten)]
    ask: Args,
    #[command(flatten)]
    picture: PictureArgs,
    /// Language of the texts in the picture: en, de, fr, ja; a PNG has Latin letters only.
    #[arg(long, value_name = "NAME", requires = "picture", value_parser = language)]
    language: Option<Language>,
}

/// Returns a language by its name.
fn language(name: &str) -> Result<Language, String> {
    Language::named(name).ok_or_else(|| {
        let names = Language::ALL.map(Language::name);
        format!("expected one of {}", names.join(", "))
    })
}

macro_rules! verbs {
    ($($module:ident $verb:literal $args:ident $run:ident),+) => {$(
        pub(crate) mod $module {
            use super::{Common, ExitCode, Failure};
            pub(crate) use super::$args as Args;

            pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
                super::$run(common, $verb, args)
            }
        }
    )+};
}

verbs!(
    eval "eval" Args plain, play "move" Args plain, cube "cube" Args plain, convert "convert" Args plain,
    opening "opening" Args plain, reply "reply" Args plain,
    rolls "rolls" DrawnArgs drawn, scores "scores" DrawnArgs drawn, cubes "cubes" DrawnArgs drawn,
    explain "explain" DrawnArgs drawn
);

fn plain(common: &Common, verb: &str, args: &Args) -> Result<ExitCode, Failure> {
    ask(common, verb, &args.request)
}

/// Answers a request, in a picture if one is requested.
fn drawn(common: &Common, verb: &str, args: &DrawnArgs) -> Result<ExitCode, Failure> {
    if !args.picture.is_given() {
        return ask(common, verb, &args.ask.request);
    }
    let engine = common.engine()?;
    args.picture.write(None, |style| {
        let (line, session) = asked(common, verb, &args.ask.request)?;
        let inquiry = match Session::new(session).request(line) {
            LineAction::Ask(inquiry) => inquiry.drawn(style, args.language),
            _ => return Err(Failure::usage("not a position (example: 4HPwATDgc/ABMA)")),
        };
        let inquiry = inquiry.map_err(|error| Failure::usage(error.message))?;
        let mut out = Vec::new();
        let good = Answerer::new(&engine).answer(&inquiry, &Stop::never(), &mut out);
        let text = String::from_utf8_lossy(&out).trim_end().to_owned();
        match good {
            true => Ok(text),
            false => Err(Failure::work(text)),
        }
    })
}

/// Returns the request that the words make.
pub(super) fn asked(
    common: &Common,
    verb: &str,
    request: &[String],
) -> Result<(Line, Options), Failure> {
    let session = common.session(&[])?;
    // A position pasted with blanks in it is still one word of the shell.
    let words: Vec<String> = joined(request).iter().map(|word| quoted(word)).collect();
    let line = format!("{verb} {}", words.join(" "));
    match parse_line(line.as_bytes(), &session) {
        Some(Ok(line)) => Ok((line, session)),
        Some(Err(refusal)) => Err(refused(&refusal.error, request)),
        None => Err(Failure::usage("the request is empty")),
    }
}

/// Returns true if the answer is for people.
pub(super) fn is_for_people(common: &Common) -> bool {
    match common.format {
        Some(format) => format == Format::Text,
        None => std::io::stdout().is_terminal(),
    }
}

/// Answers the request that consists of these words.
pub(super) fn ask(common: &Common, verb: &str, request: &[String]) -> Result<ExitCode, Failure> {
    let people = is_for_people(common);
    let (line, session) = asked(common, verb, request)?;
    if matches!(verb, "eval" | "cube")
        && let Some(roll) = request
            .get(1)
            .and_then(|word| parse_roll(word.as_bytes()).ok())
    {
        stderr_line!(
            "gammond: {verb} is about the position before the roll; `gammond move` ranks the plays of {roll}"
        );
    }
    let engine = common.engine()?;
    if people {
        let text = for_people(&engine, &line.request)?;
        return crate::print(crate::folded(&text).as_bytes());
    }
    let mut out = Vec::new();
    let good = match Session::new(session).request(line) {
        LineAction::Ask(inquiry) => {
            Answerer::new(&engine).answer(&inquiry, &Stop::never(), &mut out)
        }
        LineAction::Say(text) => {
            out = text.into_bytes();
            true
        }
        LineAction::Refuse(text) => {
            out = text.into_bytes();
            false
        }
        _ => false,
    };
    crate::print(&out)?;
    Ok(ExitCode::from(u8::from(!good)))
}

/// Describes a file that was named in place of a position.
fn named_file(name: &str) -> Option<Failure> {
    let bytes = gammond_base::files::read(Path::new(name), MATCH_FILE_BYTES_MAX as u64).ok()?;
    Some(Failure::usage(match ForeignKind::of_file(&bytes) {
        Some(kind) => format!("{name} is {kind}"),
        None if copied_positions(&bytes).is_empty() && MatchFile::read_all(&bytes).is_ok() => {
            format!("{name} is a match, not a position: gammond analyse {name}")
        }
        None => format!(
            "{name} is a file, expected the position itself (example: gammond show \"$(cat {name})\")"
        ),
    }))
}

/// Formats the reason for refusing a request; a text that is not a position is quoted.
fn refused(error: &RequestError, words: &[String]) -> Failure {
    let message = &error.message;
    let first = words.first().map_or("", String::as_str);
    if let Some(failure) = named_file(first) {
        return failure;
    }
    let swapped = words.get(1).is_some() && parse_roll(first.as_bytes()).is_ok();
    let hopeless = error.code == ErrorCode::BadPosition && first.len() < 10;
    Failure::usage(if error.code == ErrorCode::BadPosition && swapped {
        format!(
            "'{first}' is a roll: the position comes first, as in gammond move 4HPwATDgc/ABMA 31"
        )
    } else if hopeless {
        let example = match message.contains("example: ") {
            true => "",
            false => " (example: 4HPwATDgc/ABMA)",
        };
        format!("'{first}' is not a position: {message}{example}")
    } else if error.code == ErrorCode::MissingRoll && !message.contains("example: ") {
        format!("{message} (example: gammond move 4HPwATDgc/ABMA 31)")
    } else {
        message.clone()
    })
}

/// Returns the screen that answers are drawn for.
fn look() -> ScreenStyle {
    let columns = crate::columns().unwrap_or(COLUMNS);
    let colour = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    ScreenStyle::new(columns, colour)
}

/// Joins a Position ID with the Match ID behind it: gnubg shows them one below the other.
fn joined(request: &[String]) -> Vec<String> {
    match request {
        [position, id, rest @ ..]
            if position.parse::<PositionId>().is_ok() && id.parse::<MatchId>().is_ok() =>
        {
            let id = std::iter::once(format!("{position}:{id}"));
            id.chain(rest.iter().cloned()).collect()
        }
        // A text copied out of another program has lines, which a request has not.
        [text, rest @ ..] => {
            let id = std::iter::once(without_board(text).into_owned());
            id.chain(rest.iter().cloned()).collect()
        }
        [] => Vec::new(),
    }
}

/// Quotes `plays=8/5 6/5; 13/9`, which is one word of the shell, as a request wants it.
fn quoted(word: &str) -> String {
    match word.split_once('=') {
        Some((key, value)) if key.eq_ignore_ascii_case("plays") && !value.starts_with('"') => {
            format!("{key}=\"{value}\"")
        }
        _ => word.to_owned(),
    }
}

/// Returns a ranking, as a table for the screen.
fn plays(
    found: &RankedPlays,
    state: &MatchState,
    limits: (u8, usize),
    look: ScreenStyle,
) -> String {
    let spell = |play: &RankedPlay| play_text(&found.position, &play.play);
    screen::plays(found, state, limits, look, spell)
}

/// Returns the position in every form.
fn forms(PositionRequest { shown, state, .. }: &PositionRequest) -> String {
    let print = |form: Form| form.print(&shown.position, state, shown.roll, shown.offer);
    // Other forms hold positions that an OGID cannot express.
    let ogid = shown
        .ogid(state)
        .map(|ogid| format!("OGID         {ogid}\n"));
    let ogid = ogid.unwrap_or_default();
    format!(
        "Position ID  {}\nGNUbg ID     {}\nkey          {}\nXGID         {}\n{ogid}FIBS board   {}\n",
        print(Form::PositionId),
        print(Form::GnubgId),
        print(Form::Key),
        print(Form::Xgid),
        print(Form::BoardLine),
    )
}

/// Returns the answer in several lines.
fn for_people(engine: &Engine, request: &Request) -> Result<String, Failure> {
    let (stop, look) = (&Stop::never(), look());
    let Request::Position(request) = request else {
        return Err(Failure::usage(
            "expected a request about one position, such as `move 4HPwATDgc/ABMA roll=31`",
        ));
    };
    let PositionRequest {
        shown,
        state,
        question,
        settings,
        ..
    } = &**request;
    Ok(match question {
        Some(Question::Value(query)) => {
            let found = engine.evaluate(query, settings, stop)?;
            screen::evaluation(
                &found,
                &query.position,
                &query.state,
                engine.net_name(),
                look,
            )
        }
        Some(Question::Plays(query)) => {
            let found = engine.rank_plays(query, settings, stop)?;
            let limit = settings.top.unwrap_or(PLAYS_SHOWN);
            plays(&found, &query.state, (settings.plies, limit), look)
        }
        Some(Question::Compare(query, listed)) => {
            let found = engine.compare_plays(query, listed, settings, stop)?;
            // None of the others is missing from the table.
            let found = RankedPlays {
                legal: found.plays.len(),
                ..found
            };
            plays(
                &found,
                &query.state,
                (settings.plies, found.plays.len()),
                look,
            )
        }
        Some(Question::Cube(query)) => {
            let found = engine.cube_action(query, settings, stop)?;
            let verdict = found.verdict.text();
            screen::cube(&found, &query.position, &query.state, verdict, look)
        }
        Some(
            question @ (Question::Rolls(_)
            | Question::Exchanges(_)
            | Question::Scores(_)
            | Question::ScorePlays(..)
            | Question::Cubes(_)
            | Question::Opening(_)),
        ) => table(engine, question, settings, look)?,
        Some(Question::Explain(query)) => {
            let found = engine.explain(query, settings, stop)?;
            screen::explanation(&found, query.language, look)
        }
        Some(_) => screen::position(&shown.position, state, shown.roll, look),
        None => forms(request),
    })
}

/// Returns the table of an answer about many rolls, scores or cubes, or of the opening book.
fn table(
    engine: &Engine,
    question: &Question,
    settings: &Settings,
    look: ScreenStyle,
) -> Result<String, Failure> {
    let stop = &Stop::never();
    Ok(match question {
        Question::Rolls(query) => {
            let found = engine.rolls(query, settings, stop)?;
            screen::rolls(&found, &query.state, look)
        }
        Question::Exchanges(query) => {
            let found = engine.exchanges(query, settings, stop)?;
            screen::exchanges(&found, &query.state, look)
        }
        Question::Scores(query) => {
            let found = engine.scores(query, settings, stop)?;
            score_table::scores(&found, look)
        }
        Question::ScorePlays(query, roll) => {
            let found = engine.score_plays(query, *roll, settings, stop)?;
            score_table::score_plays(&found, look)
        }
        Question::Cubes(query) => {
            let found = engine.cubes(query, settings, stop)?;
            cube_table::cubes(&found, look)
        }
        Question::Opening(query) => match engine.opening(query, settings, stop)? {
            OpeningAnswer::Book(found) => screen::book(query, &found, look),
            OpeningAnswer::Ranked(found) => {
                let limit = settings.top.unwrap_or(PLAYS_SHOWN);
                let text = plays(&found, &query.state, (settings.plies, limit), look);
                format!("{text}not in the opening book: evaluated\n")
            }
            _ => return Err(Failure::usage("this answer has no table")),
        },
        _ => return Err(Failure::usage("this answer has no table")),
    })
}
