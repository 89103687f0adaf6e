//! `/mcp`: MCP over HTTP without sessions (MCP-11 to MCP-14).

use crate::core::Core;
use crate::http::ask::state::HttpState;
use crate::http::paths::mcp::message::{
    HEADER_MISMATCH, INVALID_REQUEST, Id, Message, Outgoing, RpcError, UNKNOWN_METHOD,
    UNKNOWN_VERSION, text,
};
use crate::http::paths::mcp::{Context, MESSAGE_BYTES_MAX, respond};
use crate::http::wire::body;
use crate::http::wire::methods::only_post;
use crate::http::wire::peer::Peer;
use crate::http::wire::problem::Problem;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use futures_util::Stream;
use gammond_protocol::ErrorCode;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Time after which an answer becomes a stream, so that no proxy in between closes a quiet connection.
const QUICK: Duration = Duration::from_secs(1);
/// Interval of the comments in a stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A request in work. Dropping it stops the work.
struct Call {
    task: JoinHandle<()>,
    messages: UnboundedReceiver<Outgoing>,
    ahead: Option<Outgoing>,
}

impl Drop for Call {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Stream for Call {
    type Item = Result<Event, Infallible>;

    fn poll_next(self: Pin<&mut Self>, context: &mut TaskContext<'_>) -> Poll<Option<Self::Item>> {
        let call = self.get_mut();
        let message = match call.ahead.take() {
            Some(message) => Some(message),
            None => std::task::ready!(call.messages.poll_recv(context)),
        };
        Poll::Ready(message.map(|message| Ok(Event::default().data(message.text))))
    }
}

/// Returns the HTTP status of a response (MCP-05).
fn status(response: &Outgoing) -> StatusCode {
    match response.code {
        None => StatusCode::OK,
        Some(UNKNOWN_METHOD) => StatusCode::NOT_FOUND,
        Some(_) => StatusCode::BAD_REQUEST,
    }
}

fn plain(response: &Outgoing) -> Response {
    let kind = HeaderValue::from_static("application/json");
    let body = Body::from(format!("{}\n", response.text));
    (status(response), [(CONTENT_TYPE, kind)], body).into_response()
}

/// Returns the routes.
pub(in crate::http) fn routes() -> Router<HttpState> {
    Router::new().route("/mcp", any(answer))
}

/// Answers `POST /mcp`: one message.
async fn answer(
    State(shared): State<Arc<Core>>,
    Extension(peer): Extension<Peer>,
    request: Request,
) -> Result<Response, Problem> {
    let (parts, body) = request.into_parts();
    only_post(&parts.method)?;
    let accept = parts.headers.get_all(ACCEPT).iter();
    let accept: Vec<&str> = accept.filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",").to_ascii_lowercase();
    let takes = |kind: &str| accept.contains(kind) || accept.contains("*/*");
    if !takes("application/json") || !takes("text/event-stream") {
        let message = "Accept must have application/json and text/event-stream";
        return Err(Problem::new(ErrorCode::NotAcceptable, message));
    }
    body::uncoded(&parts.headers)?;
    let (bytes, weight) = body::collect(&shared, body, MESSAGE_BYTES_MAX).await?;
    let message = match Message::read(&bytes) {
        Ok(Some(message)) if message.id.is_some() => message,
        // A notification or a response: nothing is due.
        Ok(_) => return Ok(StatusCode::ACCEPTED.into_response()),
        Err(response) => return Ok(plain(&response)),
    };
    if let Err(error) = headers_agree(&parts.headers, &message) {
        let id = message.id.clone().unwrap_or_else(Id::null);
        return Ok(plain(&error.response(&id)));
    }
    let context = Context {
        shared,
        origin: peer.origin,
        unread: Some(peer.unread),
    };
    let (sender, messages) = unbounded_channel();
    let task = tokio::spawn(async move {
        let response = respond(&context, &message, sender.clone()).await;
        // A disconnected client needs no response.
        let _ = sender.send(response);
        drop(weight);
    });
    let mut call = Call {
        task,
        messages,
        ahead: None,
    };
    call.ahead = timeout(QUICK, call.messages.recv()).await.unwrap_or(None);
    match &call.ahead {
        Some(response) if response.is_response => Ok(plain(response)),
        _ => {
            let stream = Sse::new(call).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
            Ok(stream.into_response())
        }
    }
}

/// Checks that the headers of a stateless request agree with its body (MCP-13).
fn headers_agree(headers: &HeaderMap, message: &Message) -> Result<(), RpcError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if !message.stateless {
        let known = crate::http::paths::mcp::message::versions();
        let version = header("mcp-protocol-version").filter(|version| !known.contains(version));
        return match version {
            None => Ok(()),
            Some(version) => Err(RpcError {
                data: Some(serde_json::json!({"supported": known, "requested": version})),
                ..RpcError::new(UNKNOWN_VERSION, "this protocol version is not supported")
            }),
        };
    }
    let name = match message.method.as_str() {
        "tools/call" => text(&message.params, "name"),
        "resources/read" => text(&message.params, "uri"),
        _ => None,
    };
    for (header_name, want) in [
        ("mcp-protocol-version", Some(message.version())),
        ("mcp-method", Some(message.method.as_str())),
        ("mcp-name", name),
    ] {
        let encoded = header(header_name).is_some_and(|value| value.starts_with("=?base64?"));
        if let Some(want) = want
            && !encoded
            && header(header_name) != Some(want)
        {
            let message =
                format!("the header {header_name} differs from the body, expected {want:.128?}");
            return Err(RpcError::new(HEADER_MISMATCH, message));
        }
    }
    if message.method.is_empty() {
        return Err(RpcError::new(INVALID_REQUEST, "method is empty"));
    }
    Ok(())
}
