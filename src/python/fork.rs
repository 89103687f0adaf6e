//! Values that own threads, in a process made by `fork`: the child has a copy of the value, but none of its threads.

use crate::wrong;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{mem, process};

/// A value that is rebuilt at its first use in a child process.
///
/// The child never drops the value of its parent: a thread that the child does not have may hold a lock of it. The lock
/// of this type is held briefly and only together with the interpreter, so that no other thread forks meanwhile.
pub(crate) struct PerProcess<T: Clone>(Mutex<Made<T>>);

struct Made<T> {
    process: u32,
    value: Arc<T>,
}

impl<T: Clone> PerProcess<T> {
    /// Creates the value of this process.
    pub(crate) fn new(value: T) -> PerProcess<T> {
        PerProcess(Mutex::new(Made {
            process: process::id(),
            value: Arc::new(value),
        }))
    }

    /// Returns the value of this process; in a child process `rebuild` creates it from that of the parent.
    ///
    /// # Errors
    /// Those of `rebuild`.
    pub(crate) fn get(&self, rebuild: impl FnOnce(&T) -> PyResult<T>) -> PyResult<T> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let process = process::id();
        if made.process != process {
            let value = Arc::new(rebuild(&made.value)?);
            mem::forget(mem::replace(&mut *made, Made { process, value }));
        }
        Ok(T::clone(&made.value))
    }
}

impl<T: Clone> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let made = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if made.process != process::id() {
            mem::forget(Arc::clone(&made.value));
        }
    }
}

/// Returns the threads that compute on arrays and games: as many as there are processors.
///
/// # Errors
/// `RuntimeError` if the system creates no threads.
pub(crate) fn pool() -> PyResult<Arc<ThreadPool>> {
    type Built = Result<Arc<ThreadPool>, String>;
    static POOL: LazyLock<PerProcess<Built>> = LazyLock::new(|| PerProcess::new(build()));
    fn build() -> Built {
        let builder = ThreadPoolBuilder::new().thread_name(|index| format!("arrays-{index}"));
        builder
            .build()
            .map(Arc::new)
            .map_err(|error| error.to_string())
    }
    POOL.get(|_| Ok(build()))?.map_err(wrong::work)
}
