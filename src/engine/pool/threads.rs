//! A pool of rayon's.

pub(crate) use rayon::prelude;
pub use rayon::{ThreadPool as Pool, ThreadPoolBuildError as PoolError};

/// Stack of a compute thread: one that waits for a part of its search may begin another search.
const COMPUTE_STACK_BYTES: usize = 16 << 20;

/// Starts threads that compute; 0 for one a processor. Each calls `begins` first.
pub(crate) fn start(
    threads: usize,
    begins: impl Fn(usize) + Send + Sync + 'static,
) -> Result<Pool, PoolError> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|index| format!("compute-{index}"))
        .stack_size(COMPUTE_STACK_BYTES)
        .start_handler(begins)
        .build()
}
