//! The routers (HTTP-05).

use crate::core::Core;
use crate::http::ask::state::HttpState;
use crate::http::docs;
use crate::http::guard::guard;
use crate::http::paths::{PATHS, health};
use crate::http::wire::problem::Problem;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::any;
use gammond_protocol::ErrorCode;
use std::sync::Arc;

/// Returns everything that is served to clients.
pub(in crate::http) fn router(state: HttpState) -> Router {
    let paths = PATHS.iter();
    let router = paths.fold(Router::new(), |router, paths| {
        router.merge((paths.routes)())
    });
    router
        .merge(docs::routes())
        .fallback(async || {
            Problem::new(
                ErrorCode::NotFound,
                "there is nothing at this path; see /v1/version",
            )
        })
        .layer(middleware::from_fn_with_state(state.clone(), guard))
        .with_state(state)
}

/// Returns the routes for Prometheus and supervisors.
pub(in crate::http) fn metrics_router(core: Arc<Core>) -> Router {
    health::routes()
        .route("/", any(health::metrics))
        .fallback(async || (StatusCode::NOT_FOUND, "see /metrics\n"))
        .with_state(core)
}
