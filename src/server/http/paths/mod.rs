//! The paths: each file has its routes, its handlers and its part of the description. Router and description read [`PATHS`].

pub(in crate::http) mod archive;
pub(in crate::http) mod errors;
pub(in crate::http) mod foreign;
pub(in crate::http) mod health;
pub(in crate::http) mod jobs;
pub(in crate::http) mod matches;
pub(in crate::http) mod mcp;
pub(in crate::http) mod page;
pub(in crate::http) mod verbs;

use crate::http::ask::state::HttpState;
use axum::Router;
use serde_json::Value;

/// Paths that belong together.
pub(in crate::http) struct Paths {
    pub(in crate::http) routes: fn() -> Router<HttpState>,
    /// The descriptions of the paths; empty for other programs' paths and for pages.
    pub(in crate::http) description: fn() -> Vec<(String, Value)>,
}

/// All paths.
pub(in crate::http) const PATHS: [Paths; 9] = [
    Paths::described(verbs::routes, verbs::description),
    Paths::described(matches::routes, matches::description),
    Paths::described(jobs::routes, jobs::description),
    Paths::described(archive::routes, archive::description),
    Paths::described(health::routes, health::description),
    Paths::of(errors::routes),
    Paths::of(mcp::routes),
    Paths::of(page::routes),
    Paths::of(foreign::routes),
];

impl Paths {
    const fn of(routes: fn() -> Router<HttpState>) -> Paths {
        Paths::described(routes, Vec::new)
    }

    const fn described(
        routes: fn() -> Router<HttpState>,
        description: fn() -> Vec<(String, Value)>,
    ) -> Paths {
        Paths {
            routes,
            description,
        }
    }
}
