//! Who reads and writes next: connections take turns, so that hundreds that flood keep nobody waiting
//! for longer than the turn that runs.
//!
//! A turn is what a connection does in one go with the lines that it has and the answers that it can
//! send. As many run at once as there are threads for sockets; the others wait in a fair queue, where
//! who has used least time comes first: by address, then by connection.

use super::fair_queue::{FairQueue, Lane};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// All turns of a server.
#[derive(Debug)]
pub(super) struct Turns {
    state: Mutex<State>,
    at_once: usize,
}

#[derive(Debug, Default)]
struct State {
    waiting: FairQueue<oneshot::Sender<Turn>>,
    running: usize,
}

/// A turn; it ends when dropped, and another one begins.
#[derive(Debug)]
pub(super) struct Turn {
    turns: Arc<Turns>,
    lane: Lane,
    began: Instant,
    /// Whether others had to end theirs first.
    pub(super) waited: bool,
}

impl Turns {
    pub(super) fn new(at_once: usize) -> Arc<Turns> {
        Arc::new(Turns {
            state: Mutex::default(),
            at_once,
        })
    }

    /// Waits for a turn of this lane.
    pub(super) async fn take(self: &Arc<Turns>, lane: Lane) -> Turn {
        loop {
            let granted = {
                let mut state = self.lock();
                if state.running < self.at_once {
                    state.running += 1;
                    return self.turn(lane, false);
                }
                let (grant, granted) = oneshot::channel();
                state.waiting.push(lane, grant, 1, 0);
                granted
            };
            // A failure would mean that the lane was forgotten; then it asks anew.
            if let Ok(mut turn) = granted.await {
                turn.began = Instant::now();
                return turn;
            }
        }
    }

    /// A connection is gone.
    pub(super) fn forget(&self, lane: Lane) {
        self.lock().waiting.forget(lane);
    }

    fn turn(self: &Arc<Turns>, lane: Lane, waited: bool) -> Turn {
        Turn {
            turns: Arc::clone(self),
            lane,
            began: Instant::now(),
            waited,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that holds the lock can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn has ended: the next one of those that wait.
    fn next(self: &Arc<Turns>) -> Option<(oneshot::Sender<Turn>, Turn)> {
        let mut state = self.lock();
        while let Some((lane, grant, _)) = state.waiting.pop(|_| true) {
            if !grant.is_closed() {
                return Some((grant, self.turn(lane, true)));
            }
        }
        state.running -= 1;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns
            .lock()
            .waiting
            .charge(self.lane, self.began.elapsed());
        if let Some((grant, turn)) = self.turns.next() {
            // Who does not wait any more drops its turn, and so passes it on.
            drop(grant.send(turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::fair_queue::Origin;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    fn lane(number: u64) -> Lane {
        Lane {
            origin: Origin::Here,
            number,
        }
    }

    /// who has used little goes before all who flood, and who is gone before its turn
    /// costs nothing.
    #[test]
    fn who_has_used_least_goes_next() {
        let turns = Turns::new(1);
        let mut context = Context::from_waker(Waker::noop());
        let mut ready = |future: std::pin::Pin<&mut dyn Future<Output = Turn>>| match future
            .poll(&mut context)
        {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        };
        let mut first = ready(pin!(turns.take(lane(1)))).unwrap();
        assert!(!first.waited);
        // A flood of two, each with a long turn behind it.
        for number in [2, 3] {
            let mut flood = pin!(turns.take(lane(number)));
            assert!(ready(flood.as_mut()).is_none(), "one at a time");
            drop(first);
            first = ready(flood).unwrap();
            assert!(first.waited);
            first.began -= Duration::from_secs(1);
        }
        let (mut two, mut new) = (pin!(turns.take(lane(2))), pin!(turns.take(lane(9))));
        assert!(ready(two.as_mut()).is_none() && ready(new.as_mut()).is_none());
        {
            let mut gone = pin!(turns.take(lane(8)));
            assert!(ready(gone.as_mut()).is_none());
        }
        drop(first);
        assert!(ready(two.as_mut()).is_none());
        let newcomer = ready(new).expect("the newcomer is next");
        drop(newcomer);
        drop(ready(two).expect("then the flood again"));
        assert_eq!(turns.lock().running, 0);
        (1..10).for_each(|number| turns.forget(lane(number)));
        assert_eq!(turns.lock().waiting.lines(), 0);
    }
}
