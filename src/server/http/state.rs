//! State of HTTP that its handlers share.

use super::access::AccessState;
use super::in_flight::InFlight;
use crate::core::Core;
use axum::extract::FromRef;
use std::sync::Arc;

/// The state of the paths for clients: handlers take the parts that they use.
#[derive(Clone, Debug)]
pub(super) struct HttpState {
    /// The core of the server.
    pub(super) core: Arc<Core>,
    /// Tokens, sessions and jobs.
    pub(super) access: Arc<AccessState>,
    /// Questions that are being computed.
    pub(super) in_flight: Arc<InFlight>,
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
