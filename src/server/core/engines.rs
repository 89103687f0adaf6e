//! The engines of the worker threads: they share nets and cache, but each job that looks ahead has its own thread pool.

use crate::platform::lower_priority;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::Cost;

/// Number of costs that need worker threads.
pub(crate) const COSTS: usize = Cost::COMPUTED.len();

/// Steps of niceness of each cost's threads. One step is worth about a fifth: beside a constant load of short queries, medium
/// ones get two thirds of the time, heavy ones a third, long ones a tenth.
pub(crate) const NICENESS: [i32; COSTS] = [0, 2, 5, 10];

/// Maximum number of queries with look-ahead answered concurrently, of each cost, whatever the number of processors. A single
/// one uses as many threads as there are processors; several share that number.
const DEEP_AT_ONCE: usize = 4;

/// Returns the number of queries of a cost that are answered concurrently.
pub(crate) fn at_once(cost: usize, threads: usize) -> usize {
    let most = if cost == 0 { usize::MAX } else { DEEP_AT_ONCE };
    threads.clamp(1, most)
}

#[derive(Debug)]
pub(crate) struct Engines {
    short: Engine,
    threads: usize,
    /// Engines of each cost above short. Engines of paused jobs are created on demand, and kept.
    deep: [Vec<Engine>; COSTS - 1],
}

impl Engines {
    pub(crate) fn new(engine: Engine) -> Result<Engines, EngineError> {
        let threads = engine.pool().current_num_threads();
        let mut engines = Engines {
            short: engine,
            threads,
            deep: Default::default(),
        };
        for cost in 1..COSTS {
            engines.make(cost, at_once(cost, threads) - 1)?;
        }
        Ok(engines)
    }

    pub(crate) fn short(&self) -> Engine {
        self.short.clone()
    }

    /// Returns an engine of a cost by its number from 0, if it exists.
    pub(crate) fn get(&self, cost: usize, number: usize) -> Option<Engine> {
        match cost.checked_sub(1) {
            None => Some(self.short()),
            Some(deep) => self.deep.get(deep)?.get(number).cloned(),
        }
    }

    /// Creates the engines of a cost up to this number and returns the last one.
    pub(crate) fn make(&mut self, cost: usize, number: usize) -> Result<Engine, EngineError> {
        let steps = NICENESS.get(cost).copied().unwrap_or_default();
        let share = self.threads.div_ceil(at_once(cost, self.threads));
        let deep = cost.checked_sub(1).and_then(|deep| self.deep.get_mut(deep));
        let Some(deep) = deep else {
            return Ok(self.short());
        };
        while deep.len() <= number {
            let threads = if deep.is_empty() { self.threads } else { share };
            let engine = (self.short).with_own_threads(threads, move |_| lower_priority(steps))?;
            deep.push(engine);
        }
        Ok(deep.get(number).unwrap_or(&self.short).clone())
    }

    /// Returns the number of threads of an engine.
    pub(crate) fn threads(&self, cost: usize, number: usize) -> u32 {
        let engine = self.get(cost, number);
        let threads = engine.map_or(1, |engine| engine.pool().current_num_threads());
        u32::try_from(threads).unwrap_or(u32::MAX)
    }

    /// Takes nets, tables and cache of another engine and keeps all threads.
    pub(crate) fn replace(&mut self, engine: &Engine) {
        self.short = engine.with_threads_of(&self.short);
        for one in self.deep.iter_mut().flatten() {
            *one = engine.with_threads_of(one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SRV-11: each cost has its own threads, and each deep query its own threads in the engine, paused ones too.
    /// SRV-16: reloading nets changes no threads.
    #[test]
    fn no_two_deep_questions_share_threads() {
        for (threads, expected) in [(1, [1; 4]), (2, [2; 4]), (8, [8, 4, 4, 4])] {
            let engine = Engine::builder().threads(threads).build().unwrap();
            let other = engine.with_own_threads(1, |_| {}).unwrap();
            let mut engines = Engines::new(engine).unwrap();
            let mut before = Vec::new();
            for replaced in [false, true] {
                let mut pools = Vec::new();
                for (cost, at_once) in expected.into_iter().enumerate() {
                    assert_eq!(super::at_once(cost, threads), at_once);
                    let alone = engines.get(cost, 0).unwrap();
                    assert_eq!(alone.pool().current_num_threads(), threads);
                    if cost > 0 {
                        let last = engines.make(cost, at_once + 1).unwrap();
                        let share = threads.div_ceil(at_once);
                        assert_eq!(last.pool().current_num_threads(), share);
                    }
                    let engines = (0..at_once + 2).filter_map(|number| engines.get(cost, number));
                    let deep = engines.filter(|_| cost > 0);
                    pools.extend(deep.map(|one| std::ptr::from_ref(one.pool())));
                }
                let count = pools.len();
                pools.sort_unstable();
                pools.dedup();
                assert_eq!(pools.len(), count);
                if replaced {
                    assert_eq!(pools, before);
                }
                before = pools;
                engines.replace(&other);
            }
        }
    }
}
