//! Who reads and writes next: connections that flood take turns, so that hundreds of them keep nobody
//! else waiting.
//!
//! A turn is what a connection does in one go with the lines that it has and the answers that it can
//! send. Who has used little of the threads for sockets of late has turns whenever there is something
//! to do. The others wait in a fair queue, where who has used least time comes first: by address, then
//! by connection; as many of them at once as there are such threads.

use super::fair_queue::{FairQueue, Lane};
use rustix::time::{ClockId, clock_gettime};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What a connection may use at once without having to wait for others.
const BURST: Duration = Duration::from_micros(500);
/// A connection may use one part of so many of a thread for long, or less among many.
const SHARE: u32 = 100;

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
    /// In processor time of this thread: what the machine does meanwhile is nobody's fault.
    began: Duration,
    /// Whether it counts among those of which there are only so many at once.
    counted: bool,
    /// Whether others had to end theirs first.
    pub(super) waited: bool,
}

/// What a connection has used of late.
#[derive(Debug)]
pub(super) struct Heat {
    used: Duration,
    at: Instant,
}

impl Heat {
    pub(super) fn new() -> Heat {
        Heat {
            used: Duration::ZERO,
            at: Instant::now(),
        }
    }

    /// Whether it has used more than may be used without waiting, among so many connections.
    fn is_high(&mut self, connections: u64) -> bool {
        let (now, others) = (
            Instant::now(),
            u32::try_from(connections).unwrap_or(u32::MAX),
        );
        let cooled = (now - self.at) / others.saturating_mul(2).max(SHARE);
        (self.used, self.at) = (self.used.saturating_sub(cooled), now);
        self.used > BURST
    }
}

/// Processor time that this thread has used.
fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

impl Turns {
    pub(super) fn new(at_once: usize) -> Arc<Turns> {
        Arc::new(Turns {
            state: Mutex::default(),
            at_once,
        })
    }

    /// Waits for a turn of this lane, one of so many connections.
    pub(super) async fn take(
        self: &Arc<Turns>,
        lane: Lane,
        heat: &mut Heat,
        connections: u64,
    ) -> Turn {
        if !heat.is_high(connections) {
            return self.turn(lane, false, false);
        }
        loop {
            let granted = {
                let mut state = self.lock();
                if state.running < self.at_once {
                    state.running += 1;
                    return self.turn(lane, true, false);
                }
                let (grant, granted) = oneshot::channel();
                state.waiting.push(lane, grant, 1, 0);
                granted
            };
            // A failure would mean that the lane was forgotten; then it asks anew.
            if let Ok(mut turn) = granted.await {
                // Behind all that is ready to run: a chain of turns would keep that waiting.
                tokio::task::yield_now().await;
                turn.began = thread_time();
                return turn;
            }
        }
    }

    /// A connection is gone.
    pub(super) fn forget(&self, lane: Lane) {
        self.lock().waiting.forget(lane);
    }

    fn turn(self: &Arc<Turns>, lane: Lane, counted: bool, waited: bool) -> Turn {
        Turn {
            turns: Arc::clone(self),
            lane,
            began: thread_time(),
            counted,
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
                return Some((grant, self.turn(lane, true, true)));
            }
        }
        state.running -= 1;
        None
    }
}

impl Turn {
    fn used(&self) -> Duration {
        thread_time().saturating_sub(self.began)
    }

    /// Ends the turn; what it used goes to this account.
    pub(super) fn end(self, heat: &mut Heat) {
        heat.used += self.used();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.counted {
            return;
        }
        let used = self.used();
        self.turns.lock().waiting.charge(self.lane, used);
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
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    fn lane(number: u64) -> Lane {
        Lane {
            origin: Origin::Here,
            number,
        }
    }

    fn heat(used: Duration) -> Heat {
        Heat {
            used,
            ..Heat::new()
        }
    }

    fn ready(mut future: Pin<&mut dyn Future<Output = Turn>>) -> Option<Turn> {
        // Twice: who is granted a turn goes behind the others once more.
        for _ in 0..2 {
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(turn) = future.as_mut().poll(&mut context) {
                return Some(turn);
            }
        }
        None
    }

    /// who has used little never waits; of those who flood, who has used least goes
    /// next, and who is gone before its turn costs nothing.
    #[test]
    fn who_has_used_least_goes_next() {
        let turns = Turns::new(1);
        let second = Duration::from_secs(1);
        let mut heats: Vec<Heat> = (0..10).map(|_| heat(second)).collect();
        let [a, b, c, d, e, f, g, cold, ..] = &mut heats[..] else {
            panic!()
        };
        let mut first = ready(pin!(turns.take(lane(1), a, 1))).unwrap();
        assert!(!first.waited && first.counted);
        // A flood of two, each with a long turn behind it.
        for (number, heat) in [(2, b), (3, c)] {
            let mut flood = pin!(turns.take(lane(number), heat, 1));
            assert!(ready(flood.as_mut()).is_none(), "one at a time");
            drop(first);
            first = ready(flood).unwrap();
            assert!(first.waited);
            turns.lock().waiting.charge(lane(number), second);
        }
        let mut two = pin!(turns.take(lane(2), d, 1));
        let mut new = pin!(turns.take(lane(9), e, 1));
        assert!(ready(two.as_mut()).is_none() && ready(new.as_mut()).is_none());
        assert!(
            ready(pin!(turns.take(lane(8), f, 1))).is_none(),
            "and is gone"
        );
        *cold = heat(BURST);
        let light = ready(pin!(turns.take(lane(7), cold, 1))).expect("it has used little");
        assert!(!light.counted);
        drop(light);
        drop(first);
        assert!(ready(two.as_mut()).is_none());
        drop(ready(new).expect("the newcomer is next"));
        ready(two).expect("then the flood again").end(g);
        assert_eq!(turns.lock().running, 0);
        (1..10).for_each(|number| turns.forget(lane(number)));
        assert_eq!(turns.lock().waiting.lines(), 0);
    }

    /// A connection that uses less than its share of a thread stays cool, however long.
    #[test]
    fn heat_goes_down_with_time() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            for (connections, every_ms, high) in [(1, 4, false), (1, 1, true), (900, 4, true)] {
                let mut heat = Heat::new();
                let mut was_high = false;
                for _ in 0..1000 {
                    tokio::time::advance(Duration::from_millis(every_ms)).await;
                    was_high |= heat.is_high(connections);
                    heat.used += Duration::from_micros(30);
                }
                assert_eq!(was_high, high, "{connections} {every_ms}");
            }
        });
    }
}
