//! The functions of wildbg's C header over gammond's engine: a program that links wildbg links this library instead, with
//! the same header. Rules WC-01 to WC-06 of `protocol-specs/c.md`.
//!
//! Positions, scores, steps and the cube are those of wildbg's paths over HTTP, from `protocol/web/wildbg.rs`. The pointer
//! that `wildbg_new` returns points to nothing: it is a number of [`gammond_base::handles`], so that a wrong one is found
//! out. The header has no errors; what cannot be answered is a struct of zeros.
#![allow(unsafe_code)]
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use gammond_base::handles::Handles;
use gammond_engine::{
    CubeQuery, Engine, EngineBuilder, EvalQuery, Nets, PlayQuery, Settings, Stop,
};
use gammond_game::{Chances, Position, Roll};
use gammond_protocol::web::wildbg::{cube_advice, over, position, state, steps};
use std::ffi::{CStr, c_char, c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::without_provenance_mut;

/// An engine, as the header names it. Callers have its address alone.
#[derive(Debug)]
pub struct Wildbg {
    engine: Engine,
}

/// Points away of x, the player on roll, and of o; 0 and 0 for a money game.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BgConfig {
    /// Points that x needs.
    pub x_away: c_uint,
    /// Points that o needs.
    pub o_away: c_uint,
}

/// A step of one checker.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CMoveDetail {
    /// Point that it leaves, 25 for the bar.
    pub from: c_int,
    /// Point that it reaches, 0 for off.
    pub to: c_int,
}

/// A play.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CMove {
    /// Its steps.
    pub details: [CMoveDetail; 4],
    /// Their number; 0 if nothing can move.
    pub detail_count: c_int,
}

/// Chances of x.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CProbabilities {
    /// To win.
    pub win: f32,
    /// To win a gammon or backgammon.
    pub win_g: f32,
    /// To win a backgammon.
    pub win_bg: f32,
    /// To lose a gammon or backgammon.
    pub lose_g: f32,
    /// To lose a backgammon.
    pub lose_bg: f32,
}

/// A cube decision with a centred cube.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CCubeInfo {
    /// True if x should double.
    pub should_double: bool,
    /// True if o should take.
    pub should_accept: bool,
    /// Equity without a cube.
    pub equity_cubeless: f32,
    /// Equity of no double.
    pub equity_no_double: f32,
    /// Equity of a double that is taken.
    pub equity_double_take: f32,
}

/// All engines.
static ENGINES: Handles<Wildbg> = Handles::new();

/// Runs a function; what it cannot answer, and a panic, is the default.
fn guarded<T: Default>(work: impl FnOnce() -> Option<T>) -> T {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(found) => found.unwrap_or_default(),
        Err(panic) => {
            // The payload's own destructor may panic too.
            std::mem::forget(panic);
            T::default()
        }
    }
}

fn opened(builder: EngineBuilder) -> usize {
    guarded(|| {
        // All answers are static, by the thread that calls.
        let engine = builder.threads(1).build().ok()?;
        usize::try_from(ENGINES.add(Wildbg { engine })).ok()
    })
}

/// Opens an engine with the nets in the library. The address is no place in memory. NULL if there is no memory for it.
#[unsafe(no_mangle)]
pub extern "C" fn wildbg_new() -> *mut Wildbg {
    without_provenance_mut(opened(Engine::builder()))
}

/// Opens an engine with the nets at a path: a net file, a folder of them, or GNU Backgammon's weights. NULL if that cannot
/// be read. It is not in wildbg's header.
#[unsafe(no_mangle)]
pub extern "C" fn wildbg_new_from_path(path: *const c_char) -> *mut Wildbg {
    let nets = nets_at(path);
    let engine = nets.map_or(0, |nets| opened(Engine::builder().nets(nets)));
    without_provenance_mut(engine)
}

/// Closes an engine; another thread's call that uses it ends as usual. Another address, or NULL, is nothing to close.
#[unsafe(no_mangle)]
pub extern "C" fn wildbg_free(wildbg: *mut Wildbg) {
    guarded(|| {
        ENGINES.close(u64::try_from(wildbg.addr()).ok()?);
        Some(())
    });
}

/// Returns the best play of a roll by x, whose checkers are positive and move from 24 to 1: pips[25] is his bar, pips[0]
/// that of o.
#[unsafe(no_mangle)]
pub extern "C" fn best_move(
    wildbg: *const Wildbg,
    pips: *const [c_int; 26],
    die1: c_uint,
    die2: c_uint,
    config: *const BgConfig,
) -> CMove {
    guarded(|| {
        let wildbg = engine(wildbg)?;
        let position = place(pips)?.filter(|position| !position.is_over())?;
        let roll = Roll::new(die1.try_into().ok()?, die2.try_into().ok()?).ok()?;
        let query = PlayQuery::new(position, roll, state(away(config)?, false).ok()?);
        let settings = Settings::plies(0).with_cubeful(false).with_top(1);
        let ranked = wildbg
            .engine
            .rank_plays(&query, &settings, &Stop::never())
            .ok()?;
        let mut best = CMove::default();
        let steps = steps(&position, &ranked.best().play, roll);
        for (detail, (from, to)) in best.details.iter_mut().zip(steps) {
            *detail = CMoveDetail {
                from: from.into(),
                to: to.into(),
            };
            best.detail_count += 1;
        }
        Some(best)
    })
}

/// Returns the chances of x, before the roll.
#[unsafe(no_mangle)]
pub extern "C" fn probabilities(wildbg: *const Wildbg, pips: *const [c_int; 26]) -> CProbabilities {
    guarded(|| {
        let wildbg = engine(wildbg)?;
        let position = place(pips)?;
        let Some(open) = position.filter(|position| !position.is_over()) else {
            return Some(over(position.as_ref()).0.into());
        };
        let query = EvalQuery::new(open, state((0, 0), false).ok()?);
        let settings = Settings::plies(0).with_cubeful(false);
        let found = wildbg
            .engine
            .evaluate(&query, &settings, &Stop::never())
            .ok()?;
        Some(found.chances.into())
    })
}

/// Returns the cube decision of x and the answer of o, before the roll.
#[unsafe(no_mangle)]
pub extern "C" fn cube_info(
    wildbg: *const Wildbg,
    pips: *const [c_int; 26],
    config: *const BgConfig,
) -> CCubeInfo {
    guarded(|| {
        let wildbg = engine(wildbg)?;
        let position = place(pips)?;
        let state = state(away(config)?, false).ok()?;
        let advice = match position.filter(|position| !position.is_over()) {
            None => over(position.as_ref()).1,
            Some(open) => {
                let query = CubeQuery::new(open, state);
                let settings = Settings::plies(0);
                let found = wildbg.engine.cube_action(&query, &settings, &Stop::never());
                cube_advice(&found.ok()?)
            }
        };
        Some(CCubeInfo {
            should_double: advice.double,
            should_accept: advice.accept,
            equity_cubeless: advice.cubeless,
            equity_no_double: advice.no_double,
            equity_double_take: advice.double_take,
        })
    })
}

impl From<Chances> for CProbabilities {
    fn from(chances: Chances) -> CProbabilities {
        CProbabilities {
            win: chances.win,
            win_g: chances.win_gammon,
            win_bg: chances.win_backgammon,
            lose_g: chances.lose_gammon,
            lose_bg: chances.lose_backgammon,
        }
    }
}

/// Returns the nets at a path; `None` if it is NULL or not UTF-8.
fn nets_at(path: *const c_char) -> Option<Nets> {
    if path.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's text, which ends with a NUL.
    let path = unsafe { CStr::from_ptr(path) };
    Some(Nets::Path(path.to_str().ok()?.into()))
}

fn engine(wildbg: *const Wildbg) -> Option<std::sync::Arc<Wildbg>> {
    ENGINES.get(u64::try_from(wildbg.addr()).ok()?)
}

/// Returns the position of the places; the inner `None` if both sides have borne off all.
fn place(pips: *const [c_int; 26]) -> Option<Option<Position>> {
    if pips.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's array of 26 numbers.
    let pips = unsafe { pips.read_unaligned() };
    let mut places = [0; 26];
    for (place, pip) in places.iter_mut().zip(pips) {
        *place = i8::try_from(pip).ok()?;
    }
    position(places).ok()
}

fn away(config: *const BgConfig) -> Option<(u32, u32)> {
    if config.is_null() {
        return None;
    }
    // SAFETY: not NULL, and the caller's struct.
    let config = unsafe { config.read_unaligned() };
    Some((config.x_away, config.o_away))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null_mut;
    use std::sync::OnceLock;

    const START: [c_int; 26] = [
        0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0,
    ];
    static MONEY: BgConfig = BgConfig {
        x_away: 0,
        o_away: 0,
    };

    fn shared() -> *mut Wildbg {
        static ENGINE: OnceLock<usize> = OnceLock::new();
        without_provenance_mut(*ENGINE.get_or_init(|| wildbg_new().addr()))
    }

    fn best(pips: &[c_int; 26], dice: (c_uint, c_uint), config: BgConfig) -> Vec<(c_int, c_int)> {
        let found = best_move(shared(), pips, dice.0, dice.1, &raw const config);
        let steps = found.details.iter().take(found.detail_count as usize);
        steps.map(|step| (step.from, step.to)).collect()
    }

    /// WC-01, WC-02: a step of each checker, from high points to low ones; 25 is the bar, 0 off.
    #[test]
    fn plays_are_steps_of_single_checkers() {
        assert_eq!(best(&START, (3, 1), MONEY), [(8, 5), (6, 5)]);
        assert_eq!(best(&START, (1, 3), MONEY), [(8, 5), (6, 5)]);
        let mut bar = START;
        (bar[24], bar[25]) = (1, 1);
        assert_eq!(best(&bar, (3, 1), MONEY)[0].0, 25);
        assert_eq!(best(&bar, (6, 6), MONEY), []);
        let mut last = [0; 26];
        (last[3], last[20]) = (2, -2);
        assert_eq!(best(&last, (6, 5), MONEY), [(3, 0), (3, 0)]);
    }

    /// WC-03: any score; at 1 away only wins count.
    #[test]
    fn scores_are_all_that_a_match_has() {
        let mut differ = 0;
        for first in 1..=6 {
            for second in 1..first {
                let of =
                    |x_away, o_away| best(&START, (first, second), BgConfig { x_away, o_away });
                assert_eq!(of(25, 25).len(), 2);
                differ += i32::from(of(1, 1) != of(2, 1)) + i32::from(of(1, 1) != of(0, 0));
            }
        }
        assert!(differ > 0);
        assert_eq!(
            best(
                &START,
                (3, 1),
                BgConfig {
                    x_away: 255,
                    o_away: 1
                }
            )
            .len(),
            2
        );
        for (x_away, o_away) in [(0, 1), (1, 0), (256, 1), (c_uint::MAX, c_uint::MAX)] {
            assert_eq!(best(&START, (3, 1), BgConfig { x_away, o_away }), []);
        }
    }

    /// WC-04: chances and the cube.
    #[test]
    fn chances_and_cube_are_those_of_x() {
        let chances = probabilities(shared(), &START);
        assert!(chances.win > 0.5 && chances.win < 0.56, "{chances:?}");
        assert!(chances.win_g > chances.win_bg && chances.lose_bg > 0.0);
        let start = cube_info(shared(), &START, &raw const MONEY);
        assert!(!start.should_double && start.should_accept);
        assert!(
            start.equity_no_double > start.equity_double_take,
            "{start:?}"
        );
        let mut ahead = [0; 26];
        (ahead[1], ahead[24], ahead[23]) = (1, -7, -7);
        let won = cube_info(shared(), &ahead, &raw const MONEY);
        assert!(!won.should_accept);
        ahead[1] = 0;
        assert_eq!(probabilities(shared(), &ahead).win, 1.0);
        assert!(!cube_info(shared(), &ahead, &raw const MONEY).should_accept);
        // The first two members are where older headers have them, which end behind them.
        assert_eq!(
            (
                std::mem::offset_of!(CCubeInfo, should_accept),
                size_of::<CCubeInfo>()
            ),
            (1, 16)
        );
    }

    /// WC-05: nets by a path.
    #[test]
    fn nets_are_opened_by_path() {
        assert!(wildbg_new_from_path(std::ptr::null()).is_null());
        for wrong in [c"/no/such", c"\xff", c"../../nets/README.md"] {
            assert!(wildbg_new_from_path(wrong.as_ptr()).is_null());
        }
        let engine = wildbg_new_from_path(c"../../nets".as_ptr());
        assert!(!engine.is_null());
        assert_eq!(
            probabilities(engine, &START),
            probabilities(shared(), &START)
        );
        wildbg_free(engine);
        assert_eq!(probabilities(engine, &START), CProbabilities::default());
    }

    /// WC-06: what cannot be is a struct of zeros.
    #[test]
    fn wrong_arguments_are_zeros() {
        let (none, config) = (CMove::default(), &raw const MONEY);
        let no_pips: *const [c_int; 26] = std::ptr::null();
        for wrong in [
            null_mut(),
            without_provenance_mut(usize::MAX),
            without_provenance_mut(4096),
        ] {
            assert_eq!(best_move(wrong, &START, 3, 1, config), none);
            assert_eq!(probabilities(wrong, &START), CProbabilities::default());
            assert_eq!(cube_info(wrong, &START, config), CCubeInfo::default());
            wildbg_free(wrong);
        }
        assert_eq!(best_move(shared(), no_pips, 3, 1, config), none);
        assert_eq!(best_move(shared(), &START, 3, 1, std::ptr::null()), none);
        assert_eq!(probabilities(shared(), no_pips), CProbabilities::default());
        assert_eq!(
            cube_info(shared(), &START, std::ptr::null()),
            CCubeInfo::default()
        );
        for dice in [(0, 1), (7, 1), (3, c_uint::MAX)] {
            assert_eq!(best(&START, dice, MONEY), []);
        }
        for (place, checkers) in [(3, 16), (3, c_int::MAX), (3, c_int::MIN), (0, 1), (25, -1)] {
            let mut wrong = START;
            wrong[place] = checkers;
            assert_eq!(best(&wrong, (3, 1), MONEY), []);
            assert_eq!(probabilities(shared(), &wrong), CProbabilities::default());
        }
        assert_eq!(best(&[0; 26], (3, 1), MONEY), []);
        guarded::<()>(|| panic!("of the test"));
    }
}
