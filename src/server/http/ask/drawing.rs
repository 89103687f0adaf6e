//! `show` as text, and answers as drawings and as points (HTTP-22).

use crate::core::Core;
use crate::http::ask::question::Question;
use crate::http::ask::submission::{Answer, Read};
use crate::http::wire::problem::{ErrorLocation, Problem};
use crate::http::wire::unread::UnreadAnswers;
use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use gammond_engine::query::{Language, Scope};
use gammond_game::notation::parse_play;
use gammond_protocol::ErrorCode;
use gammond_protocol::Request;
use gammond_protocol::verbs::{DRAWN, PositionRequest, SHOW, Verb};
use gammond_report::picture::png;
use gammond_report::render::{DrawingStyle, Overlay, Theme, board, svg_file, svg_outlines};
use std::sync::Arc;
use tokio::sync::{Semaphore, SemaphorePermit};

/// Kinds of answers with a picture, beside JSON; text is for `show` alone.
pub(in crate::http) const TEXT: &str = "text/plain";
pub(in crate::http) const SVG: &str = "image/svg+xml";
pub(in crate::http) const PNG: &str = "image/png";
/// Pictures that are painted at a time: each holds its points.
static PAINTERS: Semaphore = Semaphore::const_new(2);
/// Widest picture over HTTP, in points: a few megapixels.
pub(in crate::http) const WIDTH_MAX: u32 = 2048;
/// Narrowest one.
pub(in crate::http) const WIDTH_MIN: u32 = 64;
/// Width of a board.
const WIDTH: u32 = 918;

/// Returns true if a drawing of this verb's answers has such a parameter.
pub(in crate::http) fn is_taken(verb: &Verb, name: &str) -> bool {
    match name {
        "theme" | "width" => DRAWN.contains(&verb),
        // Requests with sentences have a setting of that name.
        "language" => {
            DRAWN.contains(&verb) && verb != &SHOW && !verb.scopes.contains(&Scope::Sentences)
        }
        "play" | "clockwise" | "dark" => verb == &SHOW,
        _ => false,
    }
}

/// Options of a drawing, from parameters of the query.
#[derive(Debug, Default)]
pub(in crate::http) struct DrawingOptions {
    theme: Option<Theme>,
    language: Option<Language>,
    width: Option<u32>,
    play: Option<String>,
    clockwise: bool,
    dark: bool,
}

impl DrawingOptions {
    /// Takes the parameters that are about a picture of this verb's answers out of a query; the others come back as a
    /// query.
    ///
    /// # Errors
    /// `bad-setting` with the parameter's name.
    pub(in crate::http) fn read(
        query: &str,
        verb: &Verb,
    ) -> Result<(DrawingOptions, String), Problem> {
        let mut options = DrawingOptions::default();
        let mut rest = form_urlencoded::Serializer::new(String::new());
        let mut seen = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let wrong = |want: &str| {
                let message = format!("{name} is {value:.64?}, expected {want}");
                let place = ErrorLocation::Parameter(name.clone().into_owned());
                Problem::new(ErrorCode::BadSetting, message).at(place)
            };
            let flag = || match &*value {
                "1" | "true" => Ok(true),
                "0" | "false" => Ok(false),
                _ => Err(wrong("true or false")),
            };
            match &*name {
                name if !is_taken(verb, name) => {
                    rest.append_pair(name, &value);
                    continue;
                }
                "theme" => {
                    let names: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name).collect();
                    let names = names.join(", ");
                    let theme = Theme::named(&value);
                    options.theme = Some(theme.ok_or_else(|| wrong(&names))?);
                }
                "language" => {
                    let names = Language::ALL.map(Language::name).join(", ");
                    let language = Language::named(&value);
                    options.language = Some(language.ok_or_else(|| wrong(&names))?);
                }
                "width" => {
                    let width = value.parse().ok();
                    let width = width.filter(|width| (WIDTH_MIN..=WIDTH_MAX).contains(width));
                    let want = || wrong(&format!("a number from {WIDTH_MIN} to {WIDTH_MAX}"));
                    options.width = Some(width.ok_or_else(want)?);
                }
                "play" => options.play = Some(value.to_string()),
                "clockwise" => options.clockwise = flag()?,
                _ => options.dark = flag()?,
            }
            if seen.contains(&name) {
                let message = format!("parameter {name:?} stands twice");
                let place = ErrorLocation::Parameter(name.into_owned());
                return Err(Problem::new(ErrorCode::BadSetting, message).at(place));
            }
            seen.push(name);
        }
        Ok((options, rest.finish()))
    }

    /// Returns a request whose answer is a drawing, if a picture of this kind is wanted.
    ///
    /// # Errors
    /// Those of [`Inquiry::drawn`](gammond_protocol::Inquiry::drawn).
    pub(in crate::http) fn drawn(
        &self,
        question: &Question,
        read: Read,
        kind: &str,
    ) -> Result<Read, Problem> {
        let style = match kind {
            SVG => DrawingStyle::File(self.theme),
            PNG => DrawingStyle::Outlines(self.theme.unwrap_or(Theme::LIGHT)),
            _ => return Ok(read),
        };
        match read {
            Read::Inquiry(inquiry) => match inquiry.drawn(style, self.language) {
                Ok(inquiry) => Ok(Read::Inquiry(Box::new(inquiry))),
                Err(error) => Err(question.of_setting("language", error.code, &error.message)),
            },
            read => Ok(read),
        }
    }

    /// Sends the answer to such a request.
    ///
    /// # Errors
    /// A picture that cannot be painted.
    pub(in crate::http) async fn sent(
        &self,
        unread: Option<&UnreadAnswers>,
        answer: Answer,
        kind: &'static str,
    ) -> Result<Response, Problem> {
        if kind == SVG {
            return Ok(picture(SVG, Body::new(answer), None));
        }
        let text = answer.collect().await;
        let outlines = || String::from_utf8(text).unwrap_or_default();
        let (bytes, place) = paint(unread, outlines, self.width).await?;
        Ok(picture(PNG, Body::from(bytes), Some(place)))
    }

    /// Draws the position of a question, once the client has read enough of its `unread` answers.
    ///
    /// # Errors
    /// Those of the question, and an invalid play.
    pub(in crate::http) async fn draw(
        self,
        core: &Arc<Core>,
        unread: Option<&UnreadAnswers>,
        question: &Question,
        kind: &'static str,
    ) -> Result<Response, Problem> {
        let PositionRequest { shown, state, .. } = *shown(core, question)?;
        let (position, roll) = (shown.position, shown.roll);
        let play = match (&self.play, roll) {
            (None, _) => None,
            (Some(text), Some(roll)) => {
                let legal = parse_play(text, &position, roll);
                let wrong = |error| Problem::new(ErrorCode::BadPlay, format!("play: {error}"));
                let place = || ErrorLocation::Parameter("play".to_owned());
                Some(legal.map_err(|error| wrong(error).at(place()))?.play)
            }
            (Some(_), None) => {
                let message = "play needs a roll such as roll=31";
                return Err(Problem::new(ErrorCode::MissingRoll, message));
            }
        };
        let drawn = Overlay {
            roll,
            play: play.as_ref(),
            clockwise: self.clockwise,
            dark: self.dark,
        };
        if let Some(unread) = unread {
            unread.room().await;
        }
        let mut place = None;
        let bytes = match kind {
            TEXT => board(&position, &state, roll).into_bytes(),
            SVG => (svg_file(&position, &state, &drawn, self.theme) + "\n").into_bytes(),
            _ => {
                let theme = self.theme.unwrap_or(Theme::LIGHT);
                let outlines = || svg_outlines(&position, &state, &drawn, theme);
                let width = self.width.unwrap_or(WIDTH);
                let painted = paint(unread, outlines, Some(width)).await?;
                place = Some(painted.1);
                painted.0
            }
        };
        let charset = if kind == TEXT {
            "text/plain; charset=utf-8"
        } else {
            kind
        };
        Ok(picture(charset, Body::from(bytes), place))
    }
}

/// Returns the response with a picture. The next one is painted when the bytes of this one count.
fn picture(kind: &'static str, body: Body, place: Option<SemaphorePermit<'static>>) -> Response {
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(kind)),
        // A drawing has its style in it, and nothing from elsewhere.
        (
            CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(crate::http::wire::document::SELF_CONTAINED),
        ),
    ];
    let mut response = (headers, body).into_response();
    if let Some(place) = place {
        response.extensions_mut().insert(Arc::new(place));
    }
    response
}

/// Reads the position and the match state of a question.
///
/// # Errors
/// A [`Problem`] of the wrong part.
pub(in crate::http) fn shown(
    core: &Core,
    question: &Question,
) -> Result<Box<PositionRequest>, Problem> {
    let line = question.of(&SHOW).request(&core.defaults().session)?;
    match line.request {
        Request::Position(request) => Ok(request),
        _ => Err(Problem::new(
            ErrorCode::BadPosition,
            "not a position (example: 4HPwATDgc/ABMA)",
        )),
    }
}

/// Paints a drawing beside the threads that answer, once the client has read its earlier answers.
async fn paint(
    unread: Option<&UnreadAnswers>,
    outlines: impl FnOnce() -> String,
    width: Option<u32>,
) -> Result<(Vec<u8>, SemaphorePermit<'static>), Problem> {
    let internal =
        |error: &dyn std::fmt::Display| Problem::new(ErrorCode::Internal, error.to_string());
    let place = loop {
        let place = PAINTERS.acquire().await.map_err(|error| internal(&error))?;
        match unread {
            // Other pictures of the connection have been painted meanwhile.
            Some(unread) if !unread.has_room() => {
                drop(place);
                unread.room().await;
            }
            _ => break place,
        }
    };
    let text = outlines();
    let painted = tokio::task::spawn_blocking(move || {
        let painted = png(&text, width);
        (painted, place)
    })
    .await;
    let (painted, place) = painted.map_err(|error| internal(&error))?;
    Ok((painted.map_err(|error| internal(&error))?, place))
}
