//! Long computations that leave Python responsive: signals stop them, progress reaches a callback, panics become errors.

use crate::wrong;
use gammond_base::stop::Stop;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Interval of the checks for signals.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(20);
/// Maximum number of progress reports that wait for the callback.
const PROGRESS_QUEUE_MAX: usize = 16;

thread_local! {
    /// Token of the call that [`StopToken::call`] makes on this thread.
    static OUTER: RefCell<Stop> = const { RefCell::new(Stop::never()) };
}

/// Ends the work of a call from another thread.
#[pyclass(frozen, module = "gammond._gammond")]
pub(crate) struct StopToken(Stop);

#[pymethods]
impl StopToken {
    #[new]
    fn new() -> StopToken {
        StopToken(Stop::new())
    }

    /// Makes a call whose searches and rollouts end soon after `trigger`.
    fn call<'py>(&self, call: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let outer = OUTER.replace(self.0.clone());
        let found = call.call0();
        OUTER.set(outer);
        found
    }

    fn trigger(&self) {
        self.0.trigger();
    }

    #[getter]
    fn triggered(&self) -> bool {
        self.0.is_triggered()
    }
}

/// Returns a token for work on this thread: it is also triggered by the [`StopToken`] of the call.
pub(crate) fn token() -> Stop {
    OUTER.with_borrow(Stop::child)
}

enum Message<T, P> {
    Progress(P),
    Done(T),
}

/// Runs `work` on its own thread with the interpreter released, passes its reports to `on_progress`, and triggers `stop` if a
/// signal handler or the callback raises.
pub(crate) fn run<T: Send, P: Send>(
    py: Python<'_>,
    stop: &Stop,
    on_progress: impl Fn(Python<'_>, P) -> PyResult<()> + Send + Sync,
    work: impl FnOnce(&mut (dyn FnMut(P) + Send)) -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, messages) = sync_channel(PROGRESS_QUEUE_MAX);
            scope.spawn(move || {
                let mut report = |progress| drop(sender.send(Message::Progress(progress)));
                if let Ok(done) = catch_unwind(AssertUnwindSafe(|| work(&mut report))) {
                    drop(sender.send(Message::Done(done)));
                }
            });
            let mut raised: Option<PyErr> = None;
            loop {
                let checked = match messages.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(Message::Done(done)) => return raised.map_or(Ok(done), Err),
                    Ok(Message::Progress(progress)) if raised.is_none() => {
                        Python::attach(|py| on_progress(py, progress))
                    }
                    Ok(Message::Progress(_)) => Ok(()),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(
                            raised.unwrap_or_else(|| wrong::work("the work failed: this is a bug"))
                        );
                    }
                };
                if let Err(error) = checked {
                    stop.trigger();
                    raised.get_or_insert(error);
                }
            }
        })
    })
}

/// Runs `work` like [`run`], without reports.
pub(crate) fn quietly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&Stop) -> T + Send,
) -> PyResult<T> {
    let stop = token();
    run(py, &stop, |_, ()| Ok(()), |_| work(&stop))
}
