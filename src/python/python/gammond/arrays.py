"""Functions on many positions at once, as numpy arrays.

A board is a row of 26 int8, seen by the player on roll, in the layout of XGID: index 0 is the opponent's bar (zero or
negative), 1 to 24 are the points of the player on roll (positive: own checkers, negative: the opponent's), 25 is the
own bar. Checkers missing to 15 are borne off. All functions use all processors with the interpreter
released, read strided and read-only arrays, and raise `ValueError` or `TypeError` that names the argument and row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _gammond
from ._gammond import (
    afterstates,
    class_of,
    features,
    from_positions,
    outcomes,
    pips,
    swapped,
    to_positions,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._engine import Engine
    from ._gammond import MatchState
    from .settings import SearchSettings

Boards = NDArray[np.int8]


def _engine_or_default(engine: Engine | None) -> Engine:
    from ._engine import default_engine

    return engine or default_engine()


def start(n: int = 1) -> Boards:
    """Returns `n` boards of the starting position: int8[n, 26]."""
    return np.repeat(from_positions([_gammond.Position()]), n, axis=0)


def evaluate(
    boards: Boards, plies: int = 0, engine: Engine | None = None, **settings: Unpack[SearchSettings]
) -> NDArray[np.float32]:
    """Evaluates boards without a cube: float32[N, 5].

    The columns are the chances of the player on roll to win, to win a gammon, to win a backgammon, to lose a gammon, to
    lose a backgammon.
    """
    return _engine_or_default(engine).evaluate_boards(boards, plies, **settings)


def best(
    boards: Boards,
    dice: NDArray[Any],
    plies: int = 0,
    engine: Engine | None = None,
    state: MatchState | None = None,
    cubeful: bool = False,
    **settings: Unpack[SearchSettings],
) -> tuple[Boards, NDArray[np.float32]]:
    """Chooses the best play of each roll.

    Returns int8[N, 26], the boards after it with the opponent on roll, and float32[N], its equity for the player on
    roll.
    """
    return _engine_or_default(engine).best_boards(boards, dice, plies, state, cubeful, **settings)


def cube(
    boards: Boards,
    state: MatchState | None = None,
    plies: int = 0,
    engine: Engine | None = None,
    **settings: Unpack[SearchSettings],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Evaluates cube decisions.

    Returns float64[N, 3], the equities of no double, of double and take, of double and pass, and bool[N, 2], true to
    double and true to take.
    """
    return _engine_or_default(engine).cube_boards(boards, state, plies, **settings)


def equity(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """Returns the cubeless equity of chances: float32[N] of float32[N, 5]."""
    found: NDArray[np.float32] = chances @ np.array([2, 1, 1, -1, -1], np.float32) - np.float32(1)
    return found


def off(boards: Boards) -> NDArray[np.int64]:
    """Returns the numbers of checkers that the player on roll and the opponent have borne off: int64[N, 2]."""
    boards = _legal(boards)
    away = np.empty((len(boards), 2), np.int64)
    away[:, 0] = 15 - np.maximum(boards, 0).sum(axis=1)
    away[:, 1] = 15 + np.minimum(boards, 0).sum(axis=1)
    return away


def _shaped(name: str, array: NDArray[Any], width: tuple[int, ...]) -> NDArray[Any]:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name}: a {type(array).__name__}, expected a numpy array")
    if array.shape[1:] != width:
        raise ValueError(f"{name}: shape {array.shape}, expected [N, {', '.join(map(str, width))}]")
    return array


def _counts(name: str, array: NDArray[Any]) -> NDArray[np.int64]:
    """Returns a numeric array as integers; refuses NaN and fractions."""
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{name}: dtype {array.dtype}, expected numbers")
    if not np.isfinite(array).all() or np.abs(array).max(initial=0) > 15:
        raise ValueError(f"{name}: numbers beyond 15 or not finite")
    whole: NDArray[np.int64] = np.rint(array.astype(np.float64)).astype(np.int64)
    if not np.allclose(whole, array, atol=1e-3):
        raise ValueError(f"{name}: checkers are whole numbers")
    return whole


def _checked(boards: NDArray[Any]) -> Boards:
    """Returns the boards as int8 after checking that each is a legal position."""
    if np.abs(boards).max(initial=0) > 15:
        raise ValueError("boards: more than 15 checkers on a point")
    small = np.ascontiguousarray(boards, dtype=np.int8)
    class_of(small)
    return small


def _legal(boards: NDArray[Any]) -> Boards:
    """Returns boards as int8 after the checks that all functions share."""
    class_of(boards)
    return boards.astype(np.int8, copy=False)


def _of_sides(me: NDArray[np.int64], opponent: NDArray[np.int64]) -> Boards:
    """Returns the boards of two arrays [N, 25], each side by its own numbering, 24 the bar."""
    if (me < 0).any() or (opponent < 0).any():
        raise ValueError("boards: a negative number of checkers")
    if ((me[:, :24] > 0) & (opponent[:, 23::-1] > 0)).any():
        raise ValueError("boards: both sides have checkers on one point")
    rows = np.zeros((len(me), 26), np.int64)
    rows[:, 1:25] = me[:, :24] - opponent[:, 23::-1]
    rows[:, 25] = me[:, 24]
    rows[:, 0] = -opponent[:, 24]
    return _checked(rows)


def _sides(boards: Boards) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Returns the own checkers and the opponent's, each [N, 25] by that side's numbering."""
    boards = _legal(boards)
    return np.maximum(boards[:, 1:], 0), np.maximum(-boards[:, 24::-1], 0)


def to_gnubg(boards: Boards) -> NDArray[np.uint8]:
    """Returns gnubg's boards: uint8[N, 2, 25], the opponent first, then the player on roll; 24 is the bar."""
    me, opponent = _sides(boards)
    return np.stack([opponent, me], axis=1).astype(np.uint8)


def from_gnubg(boards: NDArray[Any]) -> Boards:
    """Reads gnubg's boards [N, 2, 25]: the opponent first, then the player on roll."""
    counts = _counts("boards", _shaped("boards", boards, (2, 25)))
    return _of_sides(counts[:, 1], counts[:, 0])


def to_xg(boards: Boards) -> Boards:
    """Returns XG's 26 numbers with the player on roll at the bottom: the layout of this module, copied."""
    return np.array(_legal(boards))


def from_xg(boards: NDArray[Any], top_on_roll: NDArray[np.bool_] | bool = False) -> Boards:
    """Reads XG's 26 numbers (bottom player positive); where `top_on_roll` is true, swaps the sides."""
    counts = _counts("boards", _shaped("boards", boards, (26,)))
    turn = np.broadcast_to(np.asarray(top_on_roll, bool), (len(counts),))
    return _checked(np.where(turn[:, None], -counts[:, ::-1], counts))


def to_pgx(boards: Boards) -> NDArray[np.int32]:
    """Returns pgx's boards: int32[N, 28].

    Indices 0 to 23 are the points in the moving direction of the player on roll, positive own checkers; 24 and 25 the
    bars of both (the opponent's negative), 26 and 27 the checkers borne off (the opponent's negative).
    """
    boards = _legal(boards)
    away = off(boards)
    bars = np.stack([boards[:, 25], boards[:, 0]], axis=1)
    return np.concatenate([boards[:, 24:0:-1], bars, away * [1, -1]], axis=1).astype(np.int32)


def from_pgx(boards: NDArray[Any]) -> Boards:
    """Reads pgx's boards [N, 28], seen by the player on roll."""
    counts = _counts("boards", _shaped("boards", boards, (28,)))
    rows = np.concatenate([counts[:, 25:26], counts[:, 23::-1], counts[:, 24:25]], axis=1)
    return _checked(rows)


def to_gym_backgammon(boards: Boards, white_on_roll: bool = True) -> NDArray[np.float32]:
    """Returns gym-backgammon's observations: float32[N, 198], Tesauro's inputs with white's first.

    A point has 1, 1, 1 for one, two, three checkers and half the number beyond; then bar / 2, off / 15 and, after both
    sides, the player on roll. Both sides have their points in white's numbering, white's ace point first.
    """
    me, opponent = _sides(boards)
    away = off(boards)
    sides = [(me, away[:, :1]), (opponent, away[:, 1:])]
    if not white_on_roll:
        sides.reverse()
    parts: list[NDArray[Any]] = []
    for (side, gone), order in zip(sides, (1, -1)):
        points = side[:, :24][:, ::order, None].astype(np.float32)
        units = np.concatenate(
            [points >= 1, points >= 2, points >= 3, np.maximum(points - 3, 0) / 2], axis=2, dtype=np.float32
        )
        parts += [units.reshape(len(side), 96), side[:, 24:] / np.float32(2), gone / np.float32(15)]
    turn = np.broadcast_to(np.array([1, 0] if white_on_roll else [0, 1], np.float32), (len(boards), 2))
    return np.concatenate([*parts, turn], axis=1, dtype=np.float32)


def _units(values: NDArray[Any], unit: float) -> NDArray[np.int64]:
    """Returns the counts of points [N, 24] from four numbers each: ones, and the rest in units of `unit`."""
    points = values.reshape(len(values), 24, 4)
    ones = points[:, :, :3].sum(axis=2) if unit == 2 else (points[:, :, :3] * [1, 2, 3]).sum(axis=2)
    more = points[:, :, 3] * unit
    if unit == 1:
        ones = np.where(more > 0, 3, ones)
    return _counts("observations", ones + more)


def from_gym_backgammon(observations: NDArray[Any]) -> Boards:
    """Reads gym-backgammon's observations [N, 198]."""
    seen = _shaped("observations", observations, (198,)).astype(np.float64)
    if not np.isfinite(seen).all():
        raise ValueError("observations: numbers that are not finite")
    sides: list[NDArray[np.int64]] = []
    for first, order in ((0, 1), (98, -1)):
        bar = _counts("observations", seen[:, first + 96 : first + 97] * 2)
        sides.append(np.concatenate([_units(seen[:, first : first + 96], 2)[:, ::order], bar], axis=1))
    white = seen[:, 196:197] > 0.5
    return _of_sides(np.where(white, sides[0], sides[1]), np.where(white, sides[1], sides[0]))


def to_open_spiel(
    boards: Boards, dice: NDArray[Any] | None = None, player: int = 0, observer: int | None = None
) -> NDArray[np.float32]:
    """Returns OpenSpiel's observation tensors: float32[N, 200].

    `player` is on roll, 0 for X, 1 for O; `observer` sees the board, by default that player too. The points of the
    observer come first, then those of the other player: 1, 0, 0, 0 / 0, 1, 0, 0 / 0, 0, 1, 0 for one, two, three
    checkers and 0, 0, 0 and the number beyond three for more. Each player then has the checkers on the bar, those borne
    off and 1 on roll, else 0. At the end are the dice, zero before the roll. X moves from point 0 to point 23.
    """
    me, opponent = _sides(boards)
    away = off(boards)
    points: list[NDArray[Any]] = []
    tails: list[NDArray[Any]] = []
    for side, gone, number in ((me, away[:, :1], player), (opponent, away[:, 1:], 1 - player)):
        counts = side[:, :24][:, :: 1 if number else -1, None]
        units = np.concatenate([counts == 1, counts == 2, counts == 3, np.maximum(counts - 3, 0)], axis=2, dtype=np.float32)
        points.append(units.reshape(len(side), 96))
        turn = np.full((len(boards), 1), int(number == player))
        tails.append(np.concatenate([side[:, 24:], gone, turn], axis=1))
    if observer not in (None, player):
        points.reverse()
        tails.reverse()
    rolled = np.zeros((len(boards), 2)) if dice is None else _shaped("dice", dice, (2,))
    return np.concatenate([*points, *tails, rolled], axis=1, dtype=np.float32)


def from_open_spiel(observations: NDArray[Any], observer: int = 0, player: int | None = None) -> Boards:
    """Reads OpenSpiel's observation tensors [N, 200] of one `observer`, 0 for X, 1 for O.

    A tensor says which player is on roll, but not before the roll: then `player` must be given.
    """
    seen = _shaped("observations", observations, (200,)).astype(np.float64)
    if not np.isfinite(seen).all():
        raise ValueError("observations: numbers that are not finite")
    turns = seen[:, [194, 197]] if player is None else np.full((len(seen), 2), [player == observer, player != observer])
    if (turns.sum(axis=1) != 1).any():
        raise ValueError("player: expected 0 or 1, as no player is on roll before the dice (columns 194 and 197)")
    sides: list[NDArray[np.int64]] = []
    for number, (first, tail) in enumerate(((0, 192), (96, 195))):
        order = 1 if number ^ observer else -1
        bar = _counts("observations", seen[:, tail : tail + 1])
        sides.append(np.concatenate([_units(seen[:, first : first + 96], 1)[:, ::order], bar], axis=1))
    observes = turns[:, :1] > 0.5
    return _of_sides(np.where(observes, sides[0], sides[1]), np.where(observes, sides[1], sides[0]))


__all__ = [
    "afterstates",
    "best",
    "class_of",
    "cube",
    "equity",
    "evaluate",
    "features",
    "from_gnubg",
    "from_gym_backgammon",
    "from_open_spiel",
    "from_pgx",
    "from_positions",
    "from_xg",
    "off",
    "outcomes",
    "pips",
    "start",
    "swapped",
    "to_gnubg",
    "to_gym_backgammon",
    "to_open_spiel",
    "to_pgx",
    "to_positions",
    "to_xg",
]
