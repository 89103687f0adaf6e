//! Decisions of a bot, within their time limit (FIBS-22).
//!
//! The engine answers on a blocking thread, first without look-ahead and then ply by ply. When the time is over, the
//! best answer so far is played: an opponent waits for no search.

use gammond_engine::engine::EngineError;
use gammond_engine::query::{Settings, Stop};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Returns the answer of the deepest look-ahead that `search` finishes within the budget, or the first one if none is
/// done by then. Returns `None` if there is no answer.
///
/// One search at a time takes the `seat`. Dropping the future stops its search, so a flood of boards starts no flood of
/// threads.
async fn decide<F, A>(
    search: F,
    settings: Settings,
    budget: Duration,
    seat: Arc<Semaphore>,
) -> Option<A>
where
    F: Fn(&Settings, &Stop) -> Result<A, EngineError> + Send + 'static,
    A: Copy + Send + Sync + 'static,
{
    let seated = seat.acquire_owned().await.ok()?;
    let stop = Stop::new();
    let _stops = StopOnDrop(stop.clone());
    let held = stop.clone();
    let (known, mut best) = watch::channel(None);
    let searched = tokio::task::spawn_blocking(move || {
        let _seated = seated;
        for (settings, stop) in steps(&settings, &held) {
            match search(&settings, &stop) {
                Ok(answer) => drop(known.send_replace(Some(answer))),
                Err(EngineError::Stopped) => break,
                Err(error) => tracing::error!(%error, "decision"),
            }
        }
    });
    match timeout(budget, searched).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "decision"),
        Err(_) => {
            stop.trigger();
            tracing::warn!("decision late");
        }
    }
    // Fails when the search has ended without any answer.
    let answer = best.wait_for(Option::is_some).await;
    answer.map_or(None, |answer| *answer)
}

/// Decides for a bot, one question at a time.
pub(crate) struct DecisionMaker {
    settings: Settings,
    /// Maximum time for a decision; then the best answer so far is sent.
    budget: Duration,
    /// Minimum time for a decision, so that opponents can follow.
    pause: Duration,
    /// Permit for one search at a time; abandoned searches release it.
    seat: Arc<Semaphore>,
}

impl DecisionMaker {
    /// Returns one with these settings and with both times in milliseconds.
    pub(crate) fn new(settings: Settings, think_ms: u64, pause_ms: u64) -> DecisionMaker {
        DecisionMaker {
            settings,
            budget: Duration::from_millis(think_ms),
            pause: Duration::from_millis(pause_ms),
            seat: Arc::new(Semaphore::new(1)),
        }
    }

    /// Starts `search` for the question `id` as the only one of `tasks` and sends its answer.
    pub(crate) fn start<F, A>(
        &self,
        id: u64,
        search: F,
        answered: &mpsc::Sender<(u64, A)>,
        tasks: &mut JoinSet<()>,
    ) where
        F: Fn(&Settings, &Stop) -> Result<A, EngineError> + Send + 'static,
        A: Copy + Send + Sync + 'static,
    {
        // Decisions in progress are about a board that is gone.
        tasks.abort_all();
        let seat = Arc::clone(&self.seat);
        let mut settings = self.settings.clone();
        if settings.pr.is_some() {
            // A person does not err in the same way each time that a position comes back.
            settings.seed = settings.seed.wrapping_add(id);
        }
        let decision = decide(search, settings, self.budget, seat);
        let (pause, answered) = (self.pause, answered.clone());
        tasks.spawn(async move {
            let (answer, ()) = tokio::join!(decision, sleep(pause));
            if let Some(answer) = answer {
                // A link that is gone needs no answer.
                let _ = answered.send((id, answer)).await;
            }
        });
    }
}

/// A guard that stops an abandoned search.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.trigger();
    }
}

/// Returns the look-aheads to try in order. The first one cannot be stopped, so that there is an answer.
fn steps(settings: &Settings, stop: &Stop) -> Vec<(Settings, Stop)> {
    let plain = Settings {
        plies: 0,
        level: None,
        time_ms: None,
        ..settings.clone()
    };
    let mut steps = vec![(plain, Stop::never())];
    if settings.time_ms.is_some() {
        steps.push((settings.clone(), stop.clone()));
        return steps;
    }
    // A level begins with a search of its own; its result is the answer if the level takes too long.
    let searched = match settings.level {
        Some(_) => settings.plies.max(1),
        None => settings.plies,
    };
    for plies in 1..=searched {
        let deeper = Settings {
            plies,
            level: None,
            ..settings.clone()
        };
        steps.push((deeper, stop.clone()));
    }
    if settings.level.is_some() {
        steps.push((settings.clone(), stop.clone()));
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fibs::Answer;
    use gammond_base::rng::{below, stream};
    use std::sync::Mutex;
    use std::sync::mpsc::channel;
    use tokio::time::{Instant, advance};

    const BUDGET: Duration = Duration::from_millis(4000);

    fn seat() -> Arc<Semaphore> {
        Arc::new(Semaphore::new(1))
    }

    /// In a flood of boards, each decision is dropped for the next one: one search runs at a time, dropped ones stop, and the
    /// last one is answered.
    #[tokio::test]
    async fn a_flood_of_boards() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let seat = seat();
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..2000 {
            tasks.abort_all();
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            let search = move |settings: &Settings, stop: &Stop| {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                // A look-ahead without a time limit is never stopped.
                while settings.plies > 0 && !stop.is_triggered() {
                    std::thread::yield_now();
                }
                running.fetch_sub(1, Ordering::SeqCst);
                match settings.plies {
                    0 => Ok(deep(0)),
                    _ => Err(EngineError::Stopped),
                }
            };
            tasks.spawn(decide(
                search,
                Settings::plies(2),
                BUDGET / 40,
                Arc::clone(&seat),
            ));
            tokio::task::yield_now().await;
        }
        let mut answered = 0;
        while let Some(ended) = tasks.join_next().await {
            answered += u32::from(ended.is_ok_and(|answer| answer == Some(deep(0))));
        }
        assert!(answered > 0);
        assert_eq!(most.load(Ordering::SeqCst), 1);
        // The last searches receive their stop.
        assert!(seat.acquire().await.is_ok());
    }

    /// Returns an answer that shows the depth of its search.
    fn deep(plies: u8) -> Answer {
        Answer::Resign(plies)
    }

    /// a thousand turns of an engine whose look-aheads take up to one and a half times the budget each, and
    /// that ignores its stop token. Each turn is answered when the search is done, at the latest when the time is
    /// over, by the deepest answer so far.
    #[tokio::test(start_paused = true)]
    async fn a_late_engine() {
        let mut chance = stream(22, 0);
        let mut answers = [0; 3];
        for _ in 0..1000 {
            let (enters, mut entered) = tokio::sync::mpsc::unbounded_channel();
            let (ends, ended) = channel();
            let ended = Mutex::new(ended);
            let search = move |settings: &Settings, _: &Stop| {
                let _ = enters.send(settings.plies);
                if settings.plies > 0 {
                    let _ = ended.lock().unwrap().recv();
                }
                Ok(deep(settings.plies))
            };
            let begun = Instant::now();
            let turn = tokio::spawn(decide(search, Settings::plies(2), BUDGET, seat()));
            // The start of a look-ahead shows that the answer of the one before is there.
            assert_eq!(entered.recv().await, Some(0));
            assert_eq!(entered.recv().await, Some(1));
            let (mut known, mut end) = (0, Duration::ZERO);
            while known < 2 {
                end += Duration::from_millis(u64::from(below(&mut chance, 6000)));
                if end >= BUDGET {
                    break;
                }
                advance(end - begun.elapsed()).await;
                assert!(!turn.is_finished());
                ends.send(()).unwrap();
                known += 1;
                if known < 2 {
                    assert_eq!(entered.recv().await, Some(2));
                }
            }
            if known < 2 {
                advance(BUDGET - begun.elapsed()).await;
            }
            assert_eq!(turn.await.unwrap(), Some(deep(known)));
            let least = if known < 2 { BUDGET } else { end };
            assert!((least..=BUDGET).contains(&begun.elapsed()));
            answers[usize::from(known)] += 1;
        }
        assert!(answers.iter().all(|&count| count > 100), "{answers:?}");
    }

    /// RO-13: a level is tried after the look-ahead below it.
    #[tokio::test]
    async fn a_level_comes_last() {
        use gammond_engine::query::Level;
        let settings = Settings::plies(0).with_level(Level::RollerPlus);
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let search = move |settings: &Settings, _: &Stop| {
            told.lock().unwrap().push((settings.plies, settings.level));
            Ok(deep(if settings.level.is_some() {
                9
            } else {
                settings.plies
            }))
        };
        let found = decide(search, settings.clone(), BUDGET, seat()).await;
        assert_eq!(found, Some(deep(9)));
        let wanted = [(0, None), (1, None), (0, Some(Level::RollerPlus))];
        assert_eq!(*heard.lock().unwrap(), wanted);
        // A search that is not done in time leaves the last result.
        let late = |settings: &Settings, stop: &Stop| {
            while settings.level.is_some() && !stop.is_triggered() {
                std::thread::yield_now();
            }
            match settings.level {
                Some(_) => Err(EngineError::Stopped),
                None => Ok(deep(settings.plies)),
            }
        };
        let found = decide(late, settings, BUDGET / 40, seat()).await;
        assert_eq!(found, Some(deep(1)));
    }

    /// A search that fails or panics after the first answer costs only depth; a search that never answers yields no answer.
    #[tokio::test]
    async fn a_broken_engine() {
        let fails = |settings: &Settings, _: &Stop| match settings.plies {
            0 => Ok(deep(0)),
            1 => Err(EngineError::Stopped),
            _ => panic!("not reached"),
        };
        assert_eq!(
            decide(fails, Settings::plies(2), BUDGET, seat()).await,
            Some(deep(0))
        );
        let panics = |settings: &Settings, _: &Stop| match settings.plies {
            0 => Ok(deep(0)),
            _ => panic!("a panic of the engine"),
        };
        assert_eq!(
            decide(panics, Settings::plies(1), BUDGET, seat()).await,
            Some(deep(0))
        );
        let never = |_: &Settings, _: &Stop| Err::<Answer, _>(EngineError::Stopped);
        let answer = decide(never, Settings::plies(1), BUDGET, seat()).await;
        assert_eq!(answer, None);
    }
}
