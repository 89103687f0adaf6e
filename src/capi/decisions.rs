//! Values, plays and cube decisions by structs.

use crate::answers::{GammondCube, GammondEvaluation, GammondPlay};
use crate::failure::{Failure, GammondCode, guarded};
use crate::memory::{self, RowsOut};
use crate::open::engine_of;
use crate::question::{Asked, GammondQuestion};
use gammond_engine::{CubeQuery, EvalQuery, PlayQuery};

/// Values the position of the player on roll, before the dice; those of the question are not used.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_evaluate(
    engine: u64,
    question: *const GammondQuestion,
    evaluation: *mut GammondEvaluation,
) -> GammondCode {
    guarded(|| {
        let open = engine_of(engine)?;
        let asked = Asked::read(&open, "eval", question)?;
        let write = memory::writer("evaluation", evaluation)?;
        let query = EvalQuery::new(asked.position, asked.state);
        let settings = asked.options.search();
        write(open.engine.evaluate(&query, &settings, &asked.stop)?.into());
        Ok(())
    })
}

/// Ranks the plays of the dice, the best first. Writes as many of them as fit into `plays`, which has `capacity` rows of
/// `play_size` bytes, sizeof(GammondPlay), and into `count` how many there are. Where nothing can move there is one
/// without steps.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_best_plays(
    engine: u64,
    question: *const GammondQuestion,
    plays: *mut GammondPlay,
    play_size: usize,
    capacity: usize,
    count: *mut usize,
) -> GammondCode {
    guarded(|| {
        memory::put("count", count, 0)?;
        let open = engine_of(engine)?;
        let asked = Asked::read(&open, "move", question)?;
        let rows = RowsOut::new("plays", plays, play_size, capacity)?;
        asked.decides()?;
        let roll = asked
            .roll
            .ok_or_else(|| Failure::value("dice: none, expected two from 1 to 6"))?;
        let query = PlayQuery::new(asked.position, roll, asked.state);
        let settings = asked.options.search();
        let found = open.engine.rank_plays(&query, &settings, &asked.stop)?;
        let ranked = found.plays.iter().enumerate();
        rows.write(ranked.map(|play| GammondPlay::new(&found, asked.state.variant, play)));
        memory::put("count", count, found.plays.len())
    })
}

/// Decides on a double of the player on roll, and on its answer. The dice of the question are not used.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_cube(
    engine: u64,
    question: *const GammondQuestion,
    cube: *mut GammondCube,
) -> GammondCode {
    guarded(|| {
        let open = engine_of(engine)?;
        let asked = Asked::read(&open, "cube", question)?;
        let write = memory::writer("cube", cube)?;
        asked.decides()?;
        let query = CubeQuery::new(asked.position, asked.state);
        let settings = asked.options.search();
        let found = open.engine.cube_action(&query, &settings, &asked.stop)?;
        write(GammondCube::from(&found));
        Ok(())
    })
}
