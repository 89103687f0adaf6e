//! CPU time, on Linux and systems like it.

/// Returns the CPU seconds that this process has used, on all threads.
pub(crate) fn cpu_seconds() -> Option<f64> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Some(used.tv_sec as f64 + used.tv_nsec as f64 / 1e9)
}
