//! State of HTTP that its handlers share.

use crate::core::Core;
use crate::http::access::policy::AccessState;
use crate::http::ask::in_flight::InFlight;
use crate::http::ask::jobs::Jobs;
use axum::extract::FromRef;
use std::sync::Arc;

/// The state of the paths for clients: handlers take the parts that they use.
#[derive(Clone, Debug)]
pub(in crate::http) struct HttpState {
    /// The core of the server.
    pub(in crate::http) core: Arc<Core>,
    /// Tokens and sessions.
    pub(in crate::http) access: Arc<AccessState>,
    /// Questions that are being computed.
    pub(in crate::http) in_flight: Arc<InFlight>,
    /// Long work, and the archive.
    pub(in crate::http) jobs: Arc<Jobs>,
}

/// Lets handlers take one member of the state.
macro_rules! part {
    ($member:ident: $type:ty) => {
        impl FromRef<HttpState> for Arc<$type> {
            fn from_ref(state: &HttpState) -> Arc<$type> {
                Arc::clone(&state.$member)
            }
        }
    };
}

part!(core: Core);
part!(access: AccessState);
part!(jobs: Jobs);
