//! Boards as rows of 26 small numbers, and functions that need no engine: afterstates, classes, features.
//!
//! The layout is that of XGID: index 0 is the opponent's bar (zero or negative), 1 to 24 are the points of the player on roll
//! (positive: own checkers, negative: the opponent's), 25 is the own bar. The rest of the 15 checkers is borne off.

use crate::fork;
use crate::interrupt;
use crate::rules::{Position, variant_named};
use crate::wrong;
use gammond_arena::player::classic::Representation;
use gammond_engine::eval::gnubg::{NetInputs, Version, corrected};
use gammond_engine::eval::nets::InputSet;
use gammond_engine::eval::nets::handcrafted::handcrafted;
use gammond_game::{self as game, Class, PlayGenerator, Roll};
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayDescrMethods, PyReadonlyArray2, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of columns of a row.
pub(crate) const PLACES: usize = 26;
/// Number of rows that one task processes.
const CHUNK: usize = 512;

/// An array argument: borrowed if it already has the type, else converted with every value checked.
pub(crate) enum Rows<'py> {
    Borrowed(PyReadonlyArray2<'py, i8>),
    Owned(Array2<i8>),
}

impl<'py> Rows<'py> {
    /// Reads an integer array of this width.
    ///
    /// # Errors
    /// `TypeError` if it is no array of integers, `ValueError` for another shape and numbers beyond int8.
    pub(crate) fn of(
        argument: &str,
        value: &Bound<'py, PyAny>,
        width: usize,
    ) -> PyResult<Rows<'py>> {
        let Ok(array) = value.cast::<PyUntypedArray>() else {
            let found = value.get_type().name()?;
            return Err(wrong::kind(
                argument,
                format!("a {found}, expected a numpy array of int8"),
            ));
        };
        let kind = array.dtype().kind();
        if !matches!(kind, b'i' | b'u') {
            return Err(wrong::kind(
                argument,
                format!("dtype {}, expected int8", array.dtype()),
            ));
        }
        if array.ndim() != 2 || array.shape()[1] != width {
            let shape = array.shape();
            return Err(wrong::value(
                argument,
                format!("shape {shape:?}, expected [N, {width}]"),
            ));
        }
        if let Ok(rows) = value.extract::<PyReadonlyArray2<'py, i8>>() {
            return Ok(Rows::Borrowed(rows));
        }
        let refuse = |number: &dyn std::fmt::Display| {
            wrong::value(argument, format!("{number} is beyond int8"))
        };
        let mut owned = Array2::zeros([array.shape()[0], width]);
        if kind == b'u' {
            let wide = value.call_method1("astype", ("uint64",))?;
            let wide = wide.extract::<PyReadonlyArray2<'_, u64>>()?;
            for (out, number) in owned.iter_mut().zip(wide.as_array()) {
                *out = i8::try_from(*number).map_err(|_| refuse(number))?;
            }
        } else {
            let wide = value.call_method1("astype", ("int64",))?;
            let wide = wide.extract::<PyReadonlyArray2<'_, i64>>()?;
            for (out, number) in owned.iter_mut().zip(wide.as_array()) {
                *out = i8::try_from(*number).map_err(|_| refuse(number))?;
            }
        }
        Ok(Rows::Owned(owned))
    }

    pub(crate) fn view(&self) -> ArrayView2<'_, i8> {
        match self {
            Rows::Borrowed(rows) => rows.as_array(),
            Rows::Owned(rows) => rows.view(),
        }
    }
}

/// Copies a row, so that the checked values are the ones that are used.
fn row<const N: usize>(rows: &ArrayView2<'_, i8>, number: usize) -> [i8; N] {
    let row = rows.row(number);
    let mut copied = [0; N];
    match row.as_slice() {
        Some(slice) => copied.copy_from_slice(slice),
        None => copied
            .iter_mut()
            .zip(row)
            .for_each(|(to, from)| *to = *from),
    }
    copied
}

/// Returns the position of a numbered row of the argument `boards`.
pub(crate) fn position_at(
    rows: &ArrayView2<'_, i8>,
    number: usize,
) -> Result<game::Position, Wrong> {
    game::Position::from_places(&row(rows, number))
        .map_err(|reason| Wrong("boards", format!("row {number}: {reason}")))
}

/// Returns the roll of a numbered row of the argument `dice`.
pub(crate) fn roll_at(rows: &ArrayView2<'_, i8>, number: usize) -> Result<Roll, Wrong> {
    let [first, second] = row::<2>(rows, number);
    let die = |die: i8| u8::try_from(die).unwrap_or(0);
    let wrong = |_| {
        Wrong(
            "dice",
            format!("row {number}: {first} and {second}, expected 1 to 6"),
        )
    };
    Roll::new(die(first), die(second)).map_err(wrong)
}

/// A wrong argument found while the interpreter is released.
pub(crate) struct Wrong(pub(crate) &'static str, pub(crate) String);

impl From<Wrong> for PyErr {
    fn from(wrong: Wrong) -> PyErr {
        wrong::value(wrong.0, wrong.1)
    }
}

/// Checks that two array arguments have one row for each position.
pub(crate) fn same_length(boards: usize, argument: &str, rows: usize) -> PyResult<()> {
    match boards == rows {
        true => Ok(()),
        false => Err(wrong::value(
            argument,
            format!("{rows} rows for {boards} boards"),
        )),
    }
}

/// Returns rows of many positions as an array.
pub(crate) fn array<'py>(py: Python<'py>, rows: Vec<i8>) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let shape = [rows.len() / PLACES, PLACES];
    let array = Array2::from_shape_vec(shape, rows).map_err(wrong::work)?;
    Ok(array.into_pyarray(py))
}

/// Joins the rows of all chunks; also returns the offsets at which those of each board begin. Runs on the threads of the
/// rayon pool in which it is called.
pub(crate) fn ragged(chunks: &[(Vec<i8>, Vec<u32>)]) -> (Vec<i8>, Vec<i64>) {
    let mut offsets = vec![0_i64];
    let mut end = 0;
    for count in chunks.iter().flat_map(|(_, counts)| counts) {
        end += i64::from(*count);
        offsets.push(end);
    }
    let mut rows = vec![0; chunks.iter().map(|(rows, _)| rows.len()).sum()];
    let mut rest = rows.as_mut_slice();
    let mut parts = Vec::with_capacity(chunks.len());
    for (from, _) in chunks {
        let (part, behind) = rest.split_at_mut(from.len());
        parts.push((part, from));
        rest = behind;
    }
    parts
        .into_par_iter()
        .for_each(|(part, from)| part.copy_from_slice(from));
    (rows, offsets)
}

/// Appends positions as rows.
pub(crate) fn append(rows: &mut Vec<i8>, positions: &[game::Position]) {
    let at = rows.len();
    rows.resize(at + PLACES * positions.len(), 0);
    let (places, _) = rows[at..].as_chunks_mut::<PLACES>();
    places
        .iter_mut()
        .zip(positions)
        .for_each(|(row, position)| *row = position.places());
}

/// Returns the row numbers of each chunk.
pub(crate) fn chunks(rows: usize) -> impl IndexedParallelIterator<Item = std::ops::Range<usize>> {
    let chunks = rows.div_ceil(CHUNK);
    (0..chunks)
        .into_par_iter()
        .map(move |chunk| chunk * CHUNK..rows.min((chunk + 1) * CHUNK))
}

/// Returns the boards after every legal play, the opponent on roll, and the offsets at which those of each board
/// begin: int8[M, 26] and int64[N + 1]. Where nothing can move there is one, the board turned round; of a finished
/// game there is none.
#[pyfunction]
pub(crate) fn afterstates<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    dice: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<i64>>)> {
    let (boards, dice) = (
        Rows::of("boards", boards, PLACES)?,
        Rows::of("dice", dice, 2)?,
    );
    let (boards, dice) = (boards.view(), dice.view());
    same_length(boards.nrows(), "dice", dice.nrows())?;
    let of_chunk = |numbers: std::ops::Range<usize>| {
        let (mut rows, mut counts, mut plays) = (Vec::new(), Vec::new(), Vec::new());
        rows.reserve(numbers.len() * PLACES * 20);
        for number in numbers {
            let position = position_at(&boards, number)?;
            let roll = roll_at(&dice, number)?;
            plays.clear();
            if !position.is_over() {
                PlayGenerator::new(&position).plays(roll, &mut plays);
                if plays.is_empty() {
                    plays.push(position.swapped());
                }
            }
            append(&mut rows, &plays);
            counts.push(plays.len() as u32);
        }
        Ok((rows, counts))
    };
    let pool = fork::pool()?;
    let found = interrupt::quietly(py, |_| {
        pool.install(|| {
            let chunks: Result<Vec<_>, Wrong> = chunks(boards.nrows()).map(of_chunk).collect();
            chunks.map(|chunks| ragged(&chunks))
        })
    })?;
    let (rows, offsets) = found?;
    Ok((array(py, rows)?, offsets.into_pyarray(py)))
}

/// Calls `fill` for the row of every board in an array of this width.
fn filled<'py, T: numpy::Element + Copy + Default + Send>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    width: usize,
    fill: impl Fn(&game::Position, &mut [T]) + Sync,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let boards = Rows::of("boards", boards, PLACES)?;
    let boards = boards.view();
    let mut rows = vec![T::default(); boards.nrows() * width];
    let fill_chunk = |(chunk, rows): (usize, &mut [T])| {
        for (number, row) in rows.chunks_mut(width).enumerate() {
            fill(&position_at(&boards, chunk * CHUNK + number)?, row);
        }
        Ok::<(), Wrong>(())
    };
    let pool = fork::pool()?;
    py.detach(|| {
        pool.install(|| {
            let rows = rows.par_chunks_mut((CHUNK * width).max(1));
            rows.enumerate().try_for_each(fill_chunk)
        })
    })?;
    let array = Array2::from_shape_vec([boards.nrows(), width], rows).map_err(wrong::work)?;
    Ok(array.into_pyarray(py))
}

/// Returns the class of each board in gnubg's numbers: uint8[N].
#[pyfunction]
pub(crate) fn class_of<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = |position: &game::Position, row: &mut [u8]| row[0] = Class::of(position) as u8;
    filled(py, boards, 1, class)?.call_method1("reshape", (-1,))
}

/// Returns the pip counts of the player on roll and of the opponent: int32[N, 2].
#[pyfunction]
pub(crate) fn pips<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<i32>>> {
    filled(py, boards, 2, |position, row: &mut [i32]| {
        row[0] = position.me().pips() as i32;
        row[1] = position.opponent().pips() as i32;
    })
}

/// Returns the points that the player on roll has won or lost: int8[N], 0 while the game goes on.
#[pyfunction]
#[pyo3(signature = (boards, variant="backgammon"))]
pub(crate) fn outcomes<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    variant: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let variant = variant_named(variant)?;
    let points = |position: &game::Position, row: &mut [i8]| {
        row[0] = (variant.outcome(position)).map_or(0, game::Outcome::points) as i8;
    };
    filled(py, boards, 1, points)?.call_method1("reshape", (-1,))
}

/// Returns the boards seen by the other player: int8[N, 26].
#[pyfunction]
pub(crate) fn swapped<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    filled(py, boards, PLACES, |position, row| {
        if let Some(row) = row.first_chunk_mut() {
            *row = position.swapped().places();
        }
    })
}

/// Names of the inputs of gnubg's nets; those of contact differ between the versions of its weights.
const GNUBG_INPUTS: [(&str, NetInputs); 6] = [
    ("gnubg-base", NetInputs::Base),
    ("gnubg-race", NetInputs::Race),
    ("gnubg-contact", NetInputs::Contact(Version::V1_01)),
    ("gnubg-crashed", NetInputs::Crashed(Version::V1_01)),
    ("gnubg-contact-1.00", NetInputs::Contact(Version::V1_00)),
    ("gnubg-crashed-1.00", NetInputs::Crashed(Version::V1_00)),
];

/// Returns boards as inputs of a net, in a named encoding: float32[N, K].
#[pyfunction]
pub(crate) fn features<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let set = match name {
        "base" => Some(InputSet::COUNTS),
        other => InputSet::named(other),
    };
    let classic = match name {
        "tesauro" => Some(Representation::TdGammon198),
        other => Representation::named(other),
    };
    if let Some(set) = set {
        return filled(py, boards, set.inputs(), |position, row: &mut [f32]| {
            for (input, value) in set.values(position) {
                row[input] = value as f32;
            }
        });
    }
    if let Some(classic) = classic {
        return filled(py, boards, classic.inputs(), |position, row: &mut [f32]| {
            classic.write([position.me(), position.opponent()], true, row);
        });
    }
    if let Some((_, inputs)) = GNUBG_INPUTS.iter().find(|(known, _)| *known == name) {
        let unsuited = AtomicBool::new(false);
        let found = filled(py, boards, inputs.width(), |position, row: &mut [f32]| {
            unsuited.fetch_or(!inputs.suits(position), Ordering::Relaxed);
            row.copy_from_slice(&inputs.values(position));
        });
        if unsuited.into_inner() {
            let wanted = match inputs {
                NetInputs::Race => "without contact",
                _ => "with contact",
            };
            return Err(wrong::value(
                "boards",
                format!("'{name}' expects positions {wanted}"),
            ));
        }
        return found;
    }
    if name == "handcrafted" {
        let width = handcrafted(&game::Position::start()).len();
        return filled(py, boards, width, |position, row: &mut [f32]| {
            let values = handcrafted(position);
            row.iter_mut()
                .zip(values)
                .for_each(|(to, value)| *to = f32::from(value));
        });
    }
    let mut names = vec!["tesauro", "base", "handcrafted"];
    names.extend(GNUBG_INPUTS.map(|(name, _)| name));
    names.extend(Representation::ALL.iter().map(|one| one.name()));
    Err(wrong::value(
        "name",
        format!("'{name}', expected one of {}", names.join(", ")),
    ))
}

/// Returns the outputs of gnubg's nets, float32[N, 5], after the removal of impossible results.
#[pyfunction]
pub(crate) fn gnubg_corrected<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    outputs: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let rows = Rows::of("boards", boards, PLACES)?;
    let (rows, outputs) = (rows.view(), outputs.as_array());
    if outputs.dim() != (rows.nrows(), 5) {
        let (shape, count) = (outputs.shape(), rows.nrows());
        return Err(wrong::value(
            "outputs",
            format!("shape {shape:?}, expected [{count}, 5]"),
        ));
    }
    let mut found = Array2::zeros([rows.nrows(), 5]);
    for (number, (mut found, outputs)) in
        found.outer_iter_mut().zip(outputs.outer_iter()).enumerate()
    {
        let outputs = std::array::from_fn(|index| outputs[index]);
        let values = corrected(&position_at(&rows, number)?, outputs);
        found
            .iter_mut()
            .zip(values)
            .for_each(|(to, value)| *to = value);
    }
    Ok(found.into_pyarray(py))
}

/// Returns the rows of positions: int8[N, 26].
#[pyfunction]
pub(crate) fn from_positions<'py>(
    py: Python<'py>,
    positions: Vec<Position>,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let mut rows = Vec::new();
    let positions: Vec<game::Position> = positions.into_iter().map(|one| one.0).collect();
    append(&mut rows, &positions);
    array(py, rows)
}

/// Returns the positions of rows.
#[pyfunction]
pub(crate) fn to_positions(boards: &Bound<'_, PyAny>) -> PyResult<Vec<Position>> {
    let boards = Rows::of("boards", boards, PLACES)?;
    let boards = boards.view();
    let positions = (0..boards.nrows()).map(|number| position_at(&boards, number).map(Position));
    positions.collect::<Result<_, Wrong>>().map_err(PyErr::from)
}
