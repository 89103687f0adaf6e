//! Answers as server-sent events (HTTP-40 to HTTP-43): progress while they are computed, then the result or the problem.

use crate::http::ask::submission::{Answer, Piece};
use crate::http::wire::problem::Problem;
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use gammond_protocol::ErrorCode;
use std::convert::Infallible;
use std::time::Duration;
use tokio::time::timeout;

/// Content type of a stream of events.
pub(in crate::http) const EVENTS: &str = "text/event-stream";
/// Interval of comments in a stream without events: proxies close connections that are silent.
pub(in crate::http) const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// The id of the last event of a stream that is not numbered.
const LAST_ID: &str = "1";
/// A comment.
pub(in crate::http) const KEEP_ALIVE: &[u8] = b":\n\n";

/// Position in a stream of events.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Position {
    /// Before the result.
    Before,
    /// Inside the result.
    Inside,
    /// Behind the last event.
    End,
}

/// An answer that is sent as events.
struct Events<P> {
    answer: Answer,
    point: P,
    position: Position,
}

impl<P: Fn(Problem) -> Problem> Events<P> {
    async fn next(&mut self) -> Option<Bytes> {
        if self.position == Position::End {
            return None;
        }
        // Inside the result a comment would be a part of it.
        let piece = match self.position {
            Position::Before => match timeout(KEEP_ALIVE_INTERVAL, self.answer.next()).await {
                Ok(piece) => piece,
                Err(_) => return Some(Bytes::from_static(KEEP_ALIVE)),
            },
            _ => self.answer.next().await,
        };
        Some(self.event(piece))
    }

    fn event(&mut self, piece: Option<Piece>) -> Bytes {
        let (position, text) = match (self.position, piece) {
            (Position::Before, Some(piece)) if piece.progress => {
                (Position::Before, event("progress", &piece.bytes))
            }
            (Position::Before, Some(piece)) if piece.good => {
                let begin = format!("id: {LAST_ID}\nevent: result\ndata: ");
                let text = [begin.as_bytes(), &piece.bytes].concat();
                (Position::Inside, text.into())
            }
            (Position::Before, Some(piece)) => {
                let problem = (self.point)(Problem::of_answer(&piece.bytes));
                (Position::End, last_problem(&problem))
            }
            (Position::Before, None) => {
                let problem = Problem::new(ErrorCode::Stopped, "the server is shutting down");
                (Position::End, last_problem(&problem))
            }
            (_, Some(piece)) => (Position::Inside, piece.bytes),
            // The answer has a line end, and a blank line ends the event.
            (_, None) => (Position::End, Bytes::from_static(b"\n")),
        };
        self.position = position;
        text
    }
}

/// Returns an event of one line of JSON with its line end.
fn event(name: &str, line: &[u8]) -> Bytes {
    let begin = format!("event: {name}\ndata: ");
    [begin.as_bytes(), line, b"\n"].concat().into()
}

/// Returns an event with a number as its id.
pub(in crate::http) fn numbered(name: &str, number: u64, line: &[u8]) -> Bytes {
    last(name, &number.to_string(), line)
}

/// Returns an event with an id.
pub(in crate::http) fn last(name: &str, id: &str, line: &[u8]) -> Bytes {
    let id = format!("id: {id}\n");
    [id.as_bytes(), &event(name, line)].concat().into()
}

fn last_problem(problem: &Problem) -> Bytes {
    last("problem", LAST_ID, problem.json().as_bytes())
}

/// Sends an answer as events; `point` adds to a problem its place.
pub(in crate::http) fn send(
    answer: Answer,
    point: impl Fn(Problem) -> Problem + Send + 'static,
) -> Response {
    let events = Events {
        answer,
        point,
        position: Position::Before,
    };
    let body = stream::unfold(events, async |mut events| {
        let bytes = events.next().await?;
        Some((Ok::<_, Infallible>(bytes), events))
    });
    response(Body::from_stream(body))
}

/// Returns the response with a stream of events.
pub(in crate::http) fn response(body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Nginx would collect the events.
    let buffering = HeaderName::from_static("x-accel-buffering");
    headers.insert(buffering, HeaderValue::from_static("no"));
    response
}

/// Returns the answer to a browser that reconnects after the last event: 204, which ends its tries (HTTP-42).
pub(in crate::http) fn ended(headers: &HeaderMap) -> Option<Response> {
    let id = headers.get("last-event-id")?;
    (id == LAST_ID).then(|| StatusCode::NO_CONTENT.into_response())
}
