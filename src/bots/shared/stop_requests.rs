//! Requests to stop a bot, from code without async.

use tokio::sync::watch;

/// The side that requests.
#[derive(Debug)]
pub struct StopRequester(watch::Sender<u32>);

/// The side of the bot.
#[derive(Clone, Debug)]
pub struct StopRequests(pub(crate) watch::Receiver<u32>);

/// Creates both sides. The bot sees no request after the requester was dropped.
#[must_use]
pub fn stop_requests() -> (StopRequester, StopRequests) {
    let (requester, requests) = watch::channel(0);
    (StopRequester(requester), StopRequests(requests))
}

impl StopRequester {
    /// Requests once more: the first request waits for the end of the match, the second one leaves it, the third one
    /// ends the bot at once.
    pub fn request(&self) {
        self.0.send_modify(|count| *count = count.saturating_add(1));
    }
}

/// Runs a bot on threads of its own for its sockets.
///
/// # Errors
/// If the threads cannot be started.
pub(crate) fn block_on<T>(bot: impl Future<Output = T>) -> std::io::Result<T> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let builder = builder.worker_threads(2).thread_name("io");
    Ok(builder.enable_all().build()?.block_on(bot))
}
