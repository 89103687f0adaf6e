//! Answers that their clients have not read (HTTP-81, HTTP-82). Their bytes count for their connection and for all
//! connections until they are sent or dropped, as those of lines do; a client that reads nothing is disconnected.

use crate::core::Core;
use crate::core::memory_budget::{ConnectionBudget, Reservation};
use crate::http::wire::problem::Problem;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use gammond_protocol::ErrorCode;
use http_body::{Body as HttpBody, Frame, SizeHint};
use std::collections::BTreeSet;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Size in bytes of the pieces in which an answer is sent: each one that is sent shows that the client reads.
const CHUNK_BYTES: usize = 16 << 10;
/// Interval of the checks for memory that other connections have freed.
const ROOM_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Values that are dropped when the last byte of an answer is sent, such as the place of its request.
pub(in crate::http) type Kept = Arc<dyn Send + Sync>;

/// Marks the response with a text that exists once for all clients: it uses no memory while it is unread.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct FixedText;

/// Returns the response with a text that exists once.
pub(in crate::http) fn fixed(text: &Bytes) -> Response {
    let mut response = Response::new(Body::from(text.clone()));
    response.extensions_mut().insert(FixedText);
    response
}

/// The pace at which the client of a connection reads.
#[derive(Debug)]
pub(in crate::http) struct ReadingPace {
    started: Instant,
    /// Number of pieces that were given to the connection and are not sent.
    chunks: AtomicUsize,
    /// Milliseconds from the start to the last piece that was sent, or to the first one that waits.
    last_ms: AtomicU64,
}

impl ReadingPace {
    pub(in crate::http) fn new() -> Arc<ReadingPace> {
        Arc::new(ReadingPace {
            started: Instant::now(),
            chunks: AtomicUsize::new(0),
            last_ms: AtomicU64::new(0),
        })
    }

    fn note(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now, Ordering::Relaxed);
    }

    fn begin_chunk(&self) {
        if self.chunks.fetch_add(1, Ordering::SeqCst) == 0 {
            self.note();
        }
    }

    fn end_chunk(&self) {
        self.note();
        self.chunks.fetch_sub(1, Ordering::SeqCst);
    }

    /// Returns true if pieces wait and the client has read none for this time.
    pub(in crate::http) fn has_stalled(&self, limit: Duration) -> bool {
        let last = Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
        self.chunks.load(Ordering::SeqCst) > 0
            && self.started.elapsed().saturating_sub(last) >= limit
    }
}

/// The unread answers of a connection, or of one request over the connection of a proxy, which has many clients.
#[derive(Debug)]
pub(in crate::http) struct ConnectionAnswers {
    core: Arc<Core>,
    budget: Arc<ConnectionBudget>,
    /// Notified when bytes are freed, and when a request ends.
    freed: Notify,
    /// Places of requests from their start until their answers are read.
    places: Arc<Semaphore>,
    pace: Arc<ReadingPace>,
    /// Number of requests so far.
    count: AtomicU64,
    /// Requests whose answers are not read, by their numbers.
    requests: Mutex<BTreeSet<u64>>,
}

impl ConnectionAnswers {
    pub(in crate::http) fn new(
        core: &Arc<Core>,
        pace: &Arc<ReadingPace>,
    ) -> Arc<ConnectionAnswers> {
        Arc::new(ConnectionAnswers {
            budget: core.connection_budget(),
            freed: Notify::new(),
            places: Arc::new(Semaphore::new(core.limits.in_flight_max)),
            pace: Arc::clone(pace),
            core: Arc::clone(core),
            count: AtomicU64::new(0),
            requests: Mutex::default(),
        })
    }

    /// Returns the account of the next request; it ends when the answer is sent or dropped.
    pub(in crate::http) fn request(self: &Arc<Self>) -> Arc<UnreadAnswers> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        self.requests().insert(number);
        Arc::new(UnreadAnswers {
            connection: Arc::clone(self),
            number,
        })
    }

    fn requests(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something holds.
    async fn until(&self, holds: impl Fn() -> bool) {
        loop {
            let freed = self.freed.notified();
            if holds() {
                return;
            }
            // The limit of all connections is checked at intervals.
            let _ = timeout(ROOM_CHECK_INTERVAL, freed).await;
        }
    }
}

/// The account of a request with its connection. The earliest request always has room and a place: a client that reads
/// its answers one after the other would wait for it, while later ones hold all that there is.
#[derive(Debug)]
pub(in crate::http) struct UnreadAnswers {
    connection: Arc<ConnectionAnswers>,
    number: u64,
}

impl Drop for UnreadAnswers {
    fn drop(&mut self) {
        self.connection.requests().remove(&self.number);
        self.connection.freed.notify_waiters();
    }
}

impl UnreadAnswers {
    fn is_earliest(&self) -> bool {
        self.connection.requests().first() == Some(&self.number)
    }

    /// Waits until the request may begin, and returns its place, if it needs one.
    pub(in crate::http) async fn enter(&self) -> Option<OwnedSemaphorePermit> {
        let place = tokio::select! {
            // The semaphore is never closed.
            place = Arc::clone(&self.connection.places).acquire_owned() => place.ok(),
            () = self.connection.until(|| self.is_earliest()) => None,
        };
        self.room().await;
        place
    }

    /// Waits until the client has read enough for one more answer. Handlers of large answers call it before they write one.
    pub(in crate::http) async fn room(&self) {
        self.connection.until(|| self.has_room()).await;
    }

    /// Returns true if one more answer may be written.
    pub(in crate::http) fn has_room(&self) -> bool {
        self.connection.budget.has_room() || self.is_earliest()
    }

    fn charge(self: &Arc<Self>, bytes: usize) -> Charge {
        Charge {
            reservation: self.connection.budget.charge(bytes),
            account: Arc::clone(self),
        }
    }

    /// Counts the bytes of a response until they are sent, and keeps `kept` until its end. Without memory for it the
    /// response is `busy`.
    pub(in crate::http) fn counted(
        self: &Arc<Self>,
        mut response: Response,
        kept: Kept,
    ) -> Response {
        let is_fixed = response.extensions().get::<FixedText>().is_some();
        let mut length = whole_length(response.body());
        let connection = &self.connection;
        if !is_fixed && !connection.budget.memory_budget().has_room(length) {
            crate::core::counters::count(&connection.core.counters.busy);
            let message = "busy: too many bytes of answers wait to be read";
            response = Problem::new(ErrorCode::Busy, message).into_response();
            length = whole_length(response.body());
        }
        response.map(|body| {
            Body::new(CountedBody {
                body,
                account: Arc::clone(self),
                is_fixed,
                ahead: (!is_fixed && length > 0).then(|| self.charge(length)),
                rest: Bytes::new(),
                charge: None,
                kept,
            })
        })
    }
}

/// Returns the length of a body that exists as a whole, in bytes; 0 for one that is still being computed.
fn whole_length(body: &Body) -> usize {
    usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)
}

/// Charged bytes. Requests that wait for room are woken when they are released.
#[derive(Debug)]
struct Charge {
    reservation: Reservation,
    account: Arc<UnreadAnswers>,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.reservation.release(usize::MAX);
        self.account.connection.freed.notify_waiters();
    }
}

/// A body that is sent in pieces and counts its unsent bytes.
struct CountedBody {
    body: Body,
    account: Arc<UnreadAnswers>,
    is_fixed: bool,
    /// The charge of a body that exists as a whole, until its frame is sent.
    ahead: Option<Charge>,
    /// The unsent rest of a frame, and the charge of the frame.
    rest: Bytes,
    charge: Option<Arc<Charge>>,
    kept: Kept,
}

impl CountedBody {
    /// Returns the next piece of the frame.
    fn next_chunk(&mut self) -> Bytes {
        let length = self.rest.len().min(CHUNK_BYTES);
        let pace = Arc::clone(&self.account.connection.pace);
        pace.begin_chunk();
        let chunk = Chunk {
            bytes: self.rest.split_to(length),
            pace,
            _charge: self.charge.clone(),
            _kept: Arc::clone(&self.kept),
        };
        if self.rest.is_empty() {
            self.charge = None;
        }
        Bytes::from_owner(chunk)
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        while this.rest.is_empty() {
            let frame = match std::task::ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => frame,
                end => return Poll::Ready(end),
            };
            match frame.into_data() {
                Ok(bytes) => {
                    let charge = || {
                        this.ahead
                            .take()
                            .unwrap_or_else(|| this.account.charge(bytes.len()))
                    };
                    this.charge = (!this.is_fixed).then(charge).map(Arc::new);
                    this.rest = bytes;
                }
                Err(other) => return Poll::Ready(Some(Ok(other))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(this.next_chunk()))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest + body.lower());
        if let Some(upper) = body.upper() {
            hint.set_upper(rest + upper);
        }
        hint
    }
}

/// A piece of a frame. The memory of the frame is in use until its last piece is dropped.
struct Chunk {
    bytes: Bytes,
    pace: Arc<ReadingPace>,
    _charge: Option<Arc<Charge>>,
    _kept: Kept,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        self.pace.end_chunk();
    }
}
