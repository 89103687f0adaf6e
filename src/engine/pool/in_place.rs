//! A pool without threads: the caller computes.

/// Never returned: there is nothing to start.
pub use std::convert::Infallible as PoolError;

/// A pool without threads, which computes where it is called.
#[derive(Debug)]
pub struct Pool(());

impl Pool {
    /// Runs `work` in the calling thread.
    pub fn install<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    /// Returns 1: the calling thread.
    #[must_use]
    pub fn current_num_threads(&self) -> usize {
        1
    }
}

/// Returns the pool; there is no thread that could call `begins`.
pub(crate) fn start(_: usize, _: impl Fn(usize)) -> Result<Pool, PoolError> {
    Ok(Pool(()))
}

/// The methods of rayon's traits that this crate uses, one item after the other.
pub(crate) mod prelude {
    use std::slice::{Iter, IterMut};

    /// Stands for rayon's traits of slices.
    pub(crate) trait InPlaceSlice<T> {
        fn par_iter(&self) -> Iter<'_, T>;
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
    }

    impl<T> InPlaceSlice<T> for [T] {
        fn par_iter(&self) -> Iter<'_, T> {
            self.iter()
        }

        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }
    }

    /// Stands for rayon's `IntoParallelIterator` and `ParallelIterator`.
    pub(crate) trait InPlaceIterator: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }

        fn map_init<S, R>(
            self,
            init: impl Fn() -> S,
            mut map: impl FnMut(&mut S, Self::Item) -> R,
        ) -> impl Iterator<Item = R> {
            let mut state = init();
            self.into_iter().map(move |item| map(&mut state, item))
        }
    }

    impl<I: IntoIterator> InPlaceIterator for I {}
}
