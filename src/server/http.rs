//! HTTP: what Prometheus reads, as a route (SRV-18).

use super::limits::Limits;
use super::shutdown::{Phase, reached};
use super::tcp::shared::Shared;
use super::tcp::socket::{Listener, Stream};
use http_body_util::Full;
use hyper::body::{Body, Bytes};
use hyper::header::{ALLOW, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Duration, sleep, timeout};

/// Answers HTTP requests until the server ends. Above the limit the oldest connection makes room:
/// who dawdles cannot keep others out.
pub(super) async fn accept(listener: Listener, shared: Arc<Shared>) {
    let mut phase = shared.phase.subscribe();
    let mut tasks = JoinSet::new();
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        tokio::select! {
            () = reached(&mut phase, Phase::Drain) => return,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    open.retain(|task| !task.is_finished());
                    if open.len() >= shared.limits.metrics_max
                        && let Some(oldest) = open.pop_front()
                    {
                        oldest.abort();
                    }
                    let shared = Arc::clone(&shared);
                    open.push_back(tasks.spawn(async move { converse(stream, &shared).await }));
                }
                Err(error) => {
                    tracing::debug!(%error, "cannot accept a metrics connection");
                    sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
        }
    }
}

/// One connection: one request, one response, within the time.
async fn converse(stream: Stream, shared: &Shared) {
    let Limits {
        metrics_timeout, ..
    } = shared.limits;
    let answer = service_fn(|request| async move { Ok::<_, Infallible>(route(&request, shared)) });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(metrics_timeout)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), answer);
    // A reader that gives up or dawdles is its own problem.
    if let Ok(Err(error)) = timeout(metrics_timeout, served).await {
        tracing::debug!(%error, "metrics connection");
    }
}

/// What is found where.
fn route<B: Body>(request: &Request<B>, shared: &Shared) -> Response<Full<Bytes>> {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let (status, body) = match request.uri().path() {
        "/metrics" | "/" if reads => (StatusCode::OK, shared.prometheus()),
        "/metrics" | "/" => (
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET and HEAD\n".to_owned(),
        ),
        _ => (StatusCode::NOT_FOUND, "see /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let text = hyper::header::HeaderValue::from_static("text/plain; version=0.0.4");
    headers.insert(CONTENT_TYPE, text);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        let allowed = hyper::header::HeaderValue::from_static("GET, HEAD");
        headers.insert(ALLOW, allowed);
    }
    response
}
