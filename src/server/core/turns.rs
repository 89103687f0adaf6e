//! Turns of connections that send many lines at once, so that hundreds of them delay no other connection.
//!
//! A single line is answered on arrival. A line with more behind it waits for a turn, and there is one turn at a time: the
//! threads for sockets are never all busy with floods, and other work never waits for more than one turn. The client with the
//! least used time is next, then its connection with the least used time.

use crate::core::fair_queue::{FairQueue, JobRank, Lane};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// The turns of a server.
#[derive(Debug, Default)]
pub(crate) struct Turns(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    waiting: FairQueue<oneshot::Sender<Turn>>,
    taken: bool,
}

/// A turn, which ends when dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    lane: Lane,
    began: Instant,
}

impl Turns {
    /// Returns a turn for this lane if no other lane has one.
    pub(crate) fn try_take(self: &Arc<Turns>, lane: Lane) -> Option<Turn> {
        let mut state = self.lock();
        if std::mem::replace(&mut state.taken, true) {
            return None;
        }
        drop(state);
        Some(self.turn(lane))
    }

    /// Waits for a turn of this lane.
    pub(crate) async fn take(self: &Arc<Turns>, lane: Lane) -> Turn {
        let mut turn = loop {
            let granted = {
                let mut state = self.lock();
                if !std::mem::replace(&mut state.taken, true) {
                    break self.turn(lane);
                }
                let (grant, granted) = oneshot::channel();
                state.waiting.push(lane, grant, 1, JobRank::new(0, 0));
                granted
            };
            // A failure would mean that the lane was forgotten; then it queues again.
            if let Ok(turn) = granted.await {
                break turn;
            }
        };
        // Behind all that is ready to run or has just arrived: a chain of turns would keep that waiting.
        tokio::task::yield_now().await;
        turn.began = Instant::now();
        turn
    }

    /// Removes a closed connection.
    pub(crate) fn forget(&self, lane: Lane) {
        self.lock().waiting.forget(lane);
    }

    fn turn(self: &Arc<Turns>, lane: Lane) -> Turn {
        Turn {
            turns: Arc::clone(self),
            lane,
            began: Instant::now(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code that holds the lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Selects the next turn after a turn of this lane.
    fn next(self: &Arc<Turns>, ended: &Turn) -> Option<(oneshot::Sender<Turn>, Turn)> {
        let mut state = self.lock();
        state.waiting.charge(ended.lane, ended.began.elapsed());
        while let Some((lane, grant, _)) = state.waiting.pop(|_, _| true) {
            if !grant.is_closed() {
                return Some((grant, self.turn(lane)));
            }
        }
        state.taken = false;
        None
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((grant, turn)) = Arc::clone(&self.turns).next(self) {
            // A client that stops waiting drops its turn, and so passes it on.
            drop(grant.send(turn));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fair_queue::Origin;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    fn lane(number: u64) -> Lane {
        Lane {
            origin: Origin::Here,
            number,
        }
    }

    fn ready(mut future: Pin<&mut dyn Future<Output = Turn>>) -> Option<Turn> {
        // Twice, because a client that is granted a turn goes behind the others once more.
        for _ in 0..2 {
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(turn) = future.as_mut().poll(&mut context) {
                return Some(turn);
            }
        }
        None
    }

    /// one turn at a time; the connection with the least used time is next, and one that is closed before its turn
    /// costs nothing.
    #[test]
    fn client_with_least_time_is_served_next() {
        let turns = Arc::new(Turns::default());
        let second = Duration::from_secs(1);
        let mut turn = turns.try_take(lane(1)).unwrap();
        assert!(turns.try_take(lane(2)).is_none(), "one at a time");
        // A flood of two, each with a long turn behind it.
        for number in [2, 3] {
            let mut flood = pin!(turns.take(lane(number)));
            assert!(ready(flood.as_mut()).is_none(), "one at a time");
            drop(turn);
            turn = ready(flood).unwrap();
            turns.lock().waiting.charge(lane(number), second);
        }
        let (mut two, mut new) = (pin!(turns.take(lane(2))), pin!(turns.take(lane(9))));
        assert!(ready(two.as_mut()).is_none() && ready(new.as_mut()).is_none());
        assert!(ready(pin!(turns.take(lane(8)))).is_none(), "and is gone");
        drop(turn);
        assert!(ready(two.as_mut()).is_none());
        drop(ready(new).expect("the newcomer is next"));
        drop(ready(two).expect("then the flood again"));
        assert!(!turns.lock().taken);
        (1..10).for_each(|number| turns.forget(lane(number)));
        assert_eq!(turns.lock().waiting.lines(), 0);
    }
}
