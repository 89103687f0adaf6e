//! Rollouts by structs, with progress.

use crate::answers::{GammondRolledOut, GammondRollout};
use crate::failure::{GammondCode, guarded};
use crate::memory::{self, RowsOut};
use crate::open::engine_of;
use crate::question::{Asked, GammondQuestion};
use gammond_engine::query::{RolloutAnswer, RolloutQuery, RolloutSubject};
use std::ffi::{c_int, c_void};
use std::time::{Duration, Instant};

/// Plays of a roll that are rolled out without `top`.
const PLAYS: usize = 3;
/// Time between two calls of the callback, at least.
const PROGRESS_PERIOD: Duration = Duration::from_millis(50);

/// Called during a rollout with its results so far, `count` rows of `row_size` bytes, which are valid during the call.
/// Returns 0 to go on, another number to end the rollout with these results. It is called from a thread of the library, one
/// call at a time, at most 20 times a second. It may call the library; it must not throw or jump out.
pub type GammondProgress = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        rows: *const GammondRolledOut,
        row_size: usize,
        count: usize,
    ) -> c_int,
>;

/// The caller's callback with its argument.
struct Callback {
    function: unsafe extern "C" fn(*mut c_void, *const GammondRolledOut, usize, usize) -> c_int,
    user: *mut c_void,
}

// SAFETY: the header says that it is called from other threads; the address is the caller's and only passed on.
unsafe impl Send for Callback {}

impl Callback {
    /// Returns false if the rollout should end.
    fn call(&self, rows: &[GammondRolledOut]) -> bool {
        let row_size = size_of::<GammondRolledOut>();
        // SAFETY: the caller's function of this type, and rows that live longer than the call.
        unsafe { (self.function)(self.user, rows.as_ptr(), row_size, rows.len()) == 0 }
    }
}

/// Plays on many times: the position, the best plays of the dice (3, or as the setting top says), or with `rollout_cube` a
/// cube decision. Writes the end into `rollout` and as many candidates as fit into `rows`, which has `capacity` rows of
/// `row_size` bytes, sizeof(GammondRolledOut). `progress` may be NULL, `user` is its first argument. A rollout that is
/// stopped ends with its results so far, or GAMMOND_ERROR_STOPPED if there are none.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_rollout(
    engine: u64,
    question: *const GammondQuestion,
    progress: GammondProgress,
    user: *mut c_void,
    rollout: *mut GammondRollout,
    rows: *mut GammondRolledOut,
    row_size: usize,
    capacity: usize,
) -> GammondCode {
    guarded(|| {
        let open = engine_of(engine)?;
        let asked = Asked::read(&open, "rollout", question)?;
        let write = memory::writer("rollout", rollout)?;
        let rows = RowsOut::new("rows", rows, row_size, capacity)?;
        asked.decides()?;
        let top = asked.options.top.map_or(PLAYS, usize::from);
        let position = asked.position;
        let query = RolloutQuery {
            position,
            state: asked.state,
            subject: match asked.roll {
                _ if asked.cube_decision => RolloutSubject::Cube,
                Some(roll) => RolloutSubject::Best(roll, top),
                None => RolloutSubject::Position,
            },
        };
        let settings = asked.options.rollout(&asked.options.search());
        let stop = asked.stop.child();
        let candidates = move |answer: &RolloutAnswer| -> Vec<GammondRolledOut> {
            let all = answer.candidates.iter();
            all.map(|one| GammondRolledOut::new(&position, one))
                .collect()
        };
        let callback = progress.map(|function| Callback { function, user });
        let mut called: Option<Instant> = None;
        let ends = stop.clone();
        let mut report = move |known: &RolloutAnswer| {
            let waits = called.is_some_and(|at| at.elapsed() < PROGRESS_PERIOD);
            if let Some(callback) = callback.as_ref().filter(|_| !waits) {
                called = Some(Instant::now());
                if !callback.call(&candidates(known)) {
                    ends.trigger();
                }
            }
        };
        let answer = open.engine.rollout(&query, &settings, &stop, &mut report)?;
        rows.write(candidates(&answer).into_iter());
        write(GammondRollout::new(&answer));
        Ok(())
    })
}
