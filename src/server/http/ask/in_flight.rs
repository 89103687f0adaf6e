//! Equal questions of one client at the same time are computed once (HTTP-34).

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::core::large_answer::is_large;
use crate::http::ask::submission::{self, Answer, Read};
use crate::http::wire::problem::Problem;
use axum::body::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, WeakShared};
use gammond_engine::query::Cost;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of questions above which those that ended are removed.
const SWEEP_ABOVE: usize = 64;

type Computed = BoxFuture<'static, Result<Bytes, Problem>>;

/// The queries in progress, by their clients and the tags of their answers: a client never waits for the turn of
/// another one. Work continues while one of its clients waits for it.
#[derive(Debug, Default)]
pub(crate) struct InFlight(Mutex<HashMap<(Origin, String), WeakShared<Computed>>>);

/// Answers like [`submission::answer`]; looks ahead once for all requests of the client with this tag at the same time.
///
/// # Errors
/// Those of [`submission::answer`].
pub(in crate::http) async fn ask(
    in_flight: &InFlight,
    core: &Arc<Core>,
    origin: Origin,
    read: Read,
    tag: Option<&str>,
) -> Result<Answer, Problem> {
    let inquiry = match (read, tag) {
        // A large answer is sent piece by piece, within the budget of memory: it is never kept whole.
        (Read::Inquiry(inquiry), Some(_))
            if inquiry.cost() > Cost::Short && !is_large(&inquiry) =>
        {
            inquiry
        }
        (read, _) => return submission::answer(core, origin, read).await,
    };
    let running = {
        let questions = in_flight.0.lock();
        let mut questions = questions.unwrap_or_else(PoisonError::into_inner);
        let key = (origin, tag.unwrap_or_default().to_owned());
        let known = questions.get(&key).and_then(WeakShared::upgrade);
        known.unwrap_or_else(|| {
            let core = Arc::clone(core);
            let computed = async move {
                let answer = submission::compute(&core, origin, *inquiry).await?;
                Ok(Bytes::from(answer.collect().await))
            };
            let computed = computed.boxed().shared();
            if questions.len() > SWEEP_ABOVE {
                questions.retain(|_, question| question.upgrade().is_some());
            }
            if let Some(weak) = computed.downgrade() {
                questions.insert(key, weak);
            }
            computed
        })
    };
    Ok(Answer::whole(running.await?))
}
