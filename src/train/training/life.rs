//! Cube life by position: the result of a deeper search with the cube, as a polynomial of values known without a search
//! (TP-14 of `protocol-specs/training-files.md`).
//!
//! Janowski's model (1993) puts the value of a cube between a dead and a live one. A search that looks ahead finds
//! the place between them better than a class of positions does: it turns the cube at the positions it meets. Its
//! values, laid on that scale, are fitted by least squares; a position counts as much as there is between dead and
//! live.

use gammond_engine::equity::{CubeEfficiency, CubeState, Leaf, MatchEquityTable, Stakes, Valuer};
use gammond_engine::eval::nets::{CubeLife, LIFE_TERMS, NetEvaluator, life_terms};
use gammond_engine::query::{CubeQuery, Settings, Stop};
use gammond_engine::search::{self, Context, Stopped};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Rules};
use rayon::prelude::*;

/// Owners in the order of [`CubeLife`].
const OWNERS: [CubeOwner; 3] = [CubeOwner::Me, CubeOwner::Centred, CubeOwner::Opponent];
/// Start of the fit, and its value where positions are no evidence: the cube life of contact positions in gnubg.
const PRIOR: f64 = 0.68;
/// Strength of the pull to the prior: this many positions for each term, with live and dead values that differ by 1.
const PULL: f64 = 0.05;

/// Returns a polynomial that is [`PRIOR`] everywhere.
pub(super) fn prior() -> CubeLife {
    let mut life = [[0.0; LIFE_TERMS]; 3];
    for row in &mut life {
        row[0] = PRIOR;
    }
    life
}

/// Evidence of one position for the three owners: the terms, the gap from dead to live, and the part of it that the
/// search found.
struct LifeEvidence {
    terms: [f64; LIFE_TERMS],
    gaps: [f64; 3],
    found: [f64; 3],
    /// Part of the gap by the evaluator's present polynomial.
    said: [f64; 3],
}

/// The fit, and the error of the evaluator's own and of the new polynomial for each owner, root mean square in points.
pub(super) struct LifeFit {
    pub(super) life: CubeLife,
    pub(super) before: [f64; 3],
    pub(super) after: [f64; 3],
}

/// Fits cube life to searches of `plies` plies, whose leaves have the evaluator's present one.
///
/// # Errors
/// When it was stopped.
pub(super) fn fit(
    evaluator: &NetEvaluator,
    positions: &[Position],
    plies: u8,
    stop: &Stop,
) -> Result<LifeFit, Stopped> {
    let seen: Vec<LifeEvidence> = positions
        .par_iter()
        .map(|position| look(evaluator, position, plies, stop))
        .collect::<Result<_, _>>()?;
    let life: CubeLife = std::array::from_fn(|owner| solve(&seen, owner));
    let error = |said: &dyn Fn(&LifeEvidence, usize) -> f64| {
        std::array::from_fn(|owner| {
            let errors = seen
                .iter()
                .map(|seen| said(seen, owner) - seen.found[owner]);
            let squares: f64 = errors.map(|error| error * error).sum();
            (squares / seen.len().max(1) as f64).sqrt()
        })
    };
    let fitted = |seen: &LifeEvidence, owner: usize| {
        let parts = life[owner].iter().zip(seen.terms);
        let sum: f64 = parts.map(|(number, term)| number * term).sum();
        sum.clamp(0.0, 1.0) * seen.gaps[owner]
    };
    Ok(LifeFit {
        before: error(&|seen, owner| seen.said[owner]),
        after: error(&fitted),
        life,
    })
}

fn look(
    evaluator: &NetEvaluator,
    position: &Position,
    plies: u8,
    stop: &Stop,
) -> Result<LifeEvidence, Stopped> {
    let met = MatchEquityTable::default();
    let context = Context {
        evaluator,
        met: &met,
        efficiency: &CubeEfficiency::GNUBG,
        cache: None,
        stop,
        budget: None,
    };
    let state = |cube: Cube| MatchState {
        cube,
        ..MatchState::money(Rules {
            jacoby: false,
            beavers: false,
        })
    };
    let ask = |cube| {
        let query = CubeQuery::new(*position, state(cube));
        search::cube_action(context, &query, &Settings::plies(plies))
    };
    let owned = Cube::new(2, CubeOwner::Me).unwrap_or(Cube::CENTRED);
    let (centred, mine) = (ask(Cube::CENTRED)?, ask(owned)?);
    let values = [
        mine.no_double.equity,
        centred.no_double.equity,
        centred.double_take.equity / 2.0,
    ];
    let stakes = Stakes::new(state(Cube::CENTRED), &met);
    let chances = centred.chances;
    let value = |owner, efficiency| {
        let leaf = Leaf {
            chances,
            efficiency: [efficiency; 3],
            by_position: false,
            next: None,
            near: None,
            exact: None,
        };
        Valuer::new(&stakes, leaf).value(CubeState {
            doublings: 0,
            owner,
        })
    };
    let dead = OWNERS.map(|owner| value(owner, 0.0));
    let gaps = std::array::from_fn(|n| value(OWNERS[n], 1.0) - dead[n]);
    let terms = life_terms(evaluator.volatility(position), &chances);
    let said = gammond_engine::eval::Shortcuts::cube_life(evaluator, position, &chances)
        .unwrap_or([PRIOR; 3]);
    Ok(LifeEvidence {
        terms,
        found: std::array::from_fn(|n| values[n] - dead[n]),
        said: std::array::from_fn(|n| said[n] * gaps[n]),
        gaps,
    })
}

/// Solves the least squares for one owner, drawn to [`PRIOR`].
fn solve(seen: &[LifeEvidence], owner: usize) -> [f64; LIFE_TERMS] {
    // A row for each unknown: its equation, then what it is equal to.
    let mut rows = [[0.0; LIFE_TERMS + 1]; LIFE_TERMS];
    for (n, row) in rows.iter_mut().enumerate() {
        row[n] = PULL;
    }
    for seen in seen {
        let gap = seen.gaps[owner];
        let rest = seen.found[owner] - PRIOR * gap;
        for (row, term) in rows.iter_mut().zip(seen.terms) {
            for (sum, other) in row.iter_mut().zip(seen.terms) {
                *sum += gap * gap * term * other;
            }
            row[LIFE_TERMS] += gap * term * rest;
        }
    }
    // Symmetric and positive: elimination in order needs no exchange of rows.
    for n in 0..LIFE_TERMS {
        let pivot = rows[n];
        for row in &mut rows[n + 1..] {
            let part = row[n] / pivot[n];
            for (value, above) in row.iter_mut().zip(pivot) {
                *value -= part * above;
            }
        }
    }
    let mut found = [0.0; LIFE_TERMS];
    for n in (0..LIFE_TERMS).rev() {
        let known: f64 = (n + 1..LIFE_TERMS).map(|k| rows[n][k] * found[k]).sum();
        found[n] = (rows[n][LIFE_TERMS] - known) / rows[n][n];
    }
    found[0] += PRIOR;
    found
}
