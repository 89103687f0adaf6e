"""Labels and match sets as columns of numpy arrays, from and to the program's files, ``.npy`` and Parquet.

A set is a dictionary of columns, arrays [N] or [N, width]. `load_labels` and `match_columns` make one, `save` and `load`
keep it: as a structured array in an ``.npy`` file, or as a Parquet file (the extra ``gammond[arrow]``).
`save_labels` and `matches_of` lead back to files of the program and to matches.

Columns of labels: `board` int8[N, 26], seen by the player on roll; `chances` float32[N, 5], the targets (returns of games may
lie outside of 0 to 1); `kind` uint8[N], 0 contact, 1 race, 2 crashed; `sibling` bool[N], `horizon` uint8[N].
`protocol-specs/training-files.md` specifies them.

Columns of match sets: a row for each action and, at the end of a game, one of the kind `end`. `match`, `game` int32[N];
`player` int8[N], 0 or 1, for `end` the winner or -1; `kind` str[N]; `board` int8[N, 26], seen by that player before the
action; `dice` int8[N, 2]; `steps` int8[N, 8], pairs of points, 25 the bar, 0 off, -1 none; `cube` int32[N], its value
after the action; `owner` int8[N], the player who then owns it or -1; `points` int32[N], what the player won or lost in
the game, 0 unknown; `length` int32[N], `score` int32[N, 2] of players 0 and 1 before the game; `crawford`, `settled`
int8[N], -1 unknown; `names` str[N, 2]. Dates, places and other notes of a file are not kept.
"""

from __future__ import annotations

import os
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _gammond, arrays
from ._gammond import Match, Position

Columns = dict[str, NDArray[Any]]

_MAGIC = b"gammond journal 2\n"
_HEADER_NUMBER = (1 << 64) - 1
_FRAME = 20
_RECORD_LABELS = 1 << 15
_RECORD_BYTES_MAX = 64 << 20
_LABEL = np.dtype([("me", "u1", 16), ("opponent", "u1", 16), ("target", "<u2", 5), ("kind", "u1"), ("bits", "u1")])
_WIDE, _SIBLING, _HORIZON = 1, 2, 2


def checked_columns(columns: Mapping[str, NDArray[Any]], names: Iterable[str] = ()) -> Columns:
    """Returns columns after a check of their types and lengths, and that those of `names` are there."""
    missing = [name for name in names if name not in columns]
    if missing:
        raise ValueError(f"columns: without {', '.join(missing)}")
    for name, column in columns.items():
        if not isinstance(column, np.ndarray) or column.dtype.kind not in "iufbU":
            raise TypeError(f"{name}: expected a numpy array of numbers or text")
        if column.ndim not in (1, 2):
            raise ValueError(f"{name}: shape {column.shape}, expected [N] or [N, width]")
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns: different lengths, {lengths}")
    return dict(columns)


def save(path: str | os.PathLike[str], **columns: NDArray[Any]) -> None:
    """Writes columns to an ``.npy`` or ``.parquet`` file: ``save("labels.npy", **load_labels("round-1.labels"))``."""
    table = checked_columns(columns)
    if _suffix(path) == ".parquet":
        from . import arrow

        return arrow.save_parquet(path, **table)
    fields: list[Any] = [(name, column.dtype, column.shape[1:]) for name, column in table.items()]
    rows = np.empty(len(next(iter(table.values()), np.empty(0))), fields)
    for name, column in table.items():
        rows[name] = column
    np.save(path, rows)


def load(path: str | os.PathLike[str]) -> Columns:
    """Reads the columns of an ``.npy`` or ``.parquet`` file of `save`. Those of ``.npy`` are views of the mapped file."""
    if _suffix(path) == ".parquet":
        from . import arrow

        return arrow.load_parquet(path)
    rows = np.load(path, mmap_mode="r", allow_pickle=False)
    if rows.dtype.names is None:
        raise ValueError(f"path: {os.fspath(path)} has no columns: dtype {rows.dtype}, expected a structured array")
    return {name: rows[name] for name in rows.dtype.names}


def _suffix(path: str | os.PathLike[str]) -> str:
    found = Path(path).suffix
    if found not in (".npy", ".parquet"):
        raise ValueError(f"path: {os.fspath(path)} ends in '{found}', expected .npy or .parquet")
    return found


def _frame(number: int, contents: bytes) -> bytes:
    head = number.to_bytes(8, "little") + len(contents).to_bytes(4, "little")
    head += zlib.crc32(contents).to_bytes(4, "little")
    return head + zlib.crc32(head).to_bytes(4, "little") + contents


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Returns the records of a journal with their numbers, the header first; warns of a torn end, which is left out."""
    at, whole = len(_MAGIC), -1
    while at + _FRAME <= len(data):
        head = data[at : at + _FRAME]
        length = int.from_bytes(head[8:12], "little")
        if zlib.crc32(head[:16]) != int.from_bytes(head[16:], "little") or length > _RECORD_BYTES_MAX:
            # Space that a system reserved before the power failed.
            if not any(data[at:]):
                return
            raise ValueError(f"damaged at byte {at}: head of a record")
        contents = data[at + _FRAME : at + _FRAME + length]
        if len(contents) < length:
            break
        if zlib.crc32(contents) != int.from_bytes(head[12:16], "little"):
            raise ValueError(f"damaged at byte {at}: contents of a record")
        yield int.from_bytes(head[:8], "little"), contents
        at, whole = at + _FRAME + length, whole + 1
    if any(data[at:]):
        reason = f"cut off after {max(whole, 0)} whole records; the command that writes it goes on from there"
        if whole < 1:
            raise ValueError(reason)
        warnings.warn(reason, stacklevel=3)


def _counts(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Returns the counts of a side [N, 32] from its packed form [N, 16], four bits a place."""
    return np.stack([packed & 15, packed >> 4], axis=2).reshape(len(packed), 32)


def load_labels(path: str | os.PathLike[str]) -> Columns:
    """Reads labels: a ``.labels`` file of the program, or a text file with lines of a key and five chances.

    Labels of illegal positions are left out, as the program does. A file whose last record is torn, as that of a run that goes
    on, is read up to there, with a warning.
    """
    data = Path(path).read_bytes()
    try:
        if not data:
            raise ValueError("it is empty")
        if not data.startswith(_MAGIC):
            return _labels_of_text(data)
        parts = dict((number, contents) for number, contents in _records(data) if number != _HEADER_NUMBER)
    except ValueError as error:
        raise ValueError(f"path: {os.fspath(path)} is no file of labels: {error}") from None
    whole = (parts[number][: len(parts[number]) // _LABEL.itemsize * _LABEL.itemsize] for number in sorted(parts))
    labels = np.frombuffer(b"".join(whole), _LABEL)
    me, opponent = _counts(labels["me"]), _counts(labels["opponent"])
    good = (me[:, :25].sum(axis=1) <= 15) & (opponent[:, :25].sum(axis=1) <= 15)
    good &= ~((me[:, :24] > 0) & (opponent[:, 23::-1] > 0)).any(axis=1)
    good &= me[:, :25].any(axis=1) | opponent[:, :25].any(axis=1)
    shut = [(side[:, 24] > 0) & (side[:, :6] > 1).all(axis=1) for side in (me, opponent)]
    good &= ~(shut[0] & shut[1])
    labels, me, opponent = labels[good], me[good], opponent[good]
    wide = (labels["bits"] & _WIDE).astype(bool)[:, None]
    # In float32, the bits of the program.
    targets = labels["target"].astype(np.float32)
    return {
        "board": arrays.from_gnubg(np.stack([opponent[:, :25], me[:, :25]], axis=1)),
        "chances": np.where(wide, targets / np.float32(32767.5) - np.float32(0.5), targets / np.float32(65535)),
        "kind": labels["kind"].copy(),
        "sibling": (labels["bits"] & _SIBLING).astype(bool),
        "horizon": labels["bits"] >> _HORIZON & np.uint8(3),
    }


def _labels_of_text(data: bytes) -> Columns:
    positions: list[Position] = []
    chances: list[list[float]] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            parsed, values = _gammond.parse(words[0]), [float(word) for word in words[1:]]
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if parsed.form != "key" or len(values) != 5 or not np.isfinite(values).all():
            raise ValueError(f"line {number}: expected a key of 20 letters and five chances")
        positions.append(parsed.position)
        chances.append(values)
    boards = _gammond.from_positions(positions)
    classes = _gammond.class_of(boards)
    return {
        "board": boards,
        "chances": np.array(chances, np.float32).reshape(-1, 5),
        "kind": np.where(classes == 10, 0, np.where(classes == 9, 2, 1)).astype(np.uint8),
        "sibling": np.zeros(len(boards), bool),
        "horizon": np.zeros(len(boards), np.uint8),
    }


def save_labels(path: str | os.PathLike[str], **columns: NDArray[Any]) -> None:
    """Writes labels that `gammond train` reads (``round-N.labels`` in a folder of `earlier`), or, if the name ends in
    ``.txt``, lines of a key and five chances. `sibling` and `horizon` may be missing; `kind` comes from the board."""
    table = checked_columns(columns, ("board", "chances"))
    boards, chances = table["board"], table["chances"]
    classes = _gammond.class_of(boards)
    if chances.shape[1:] != (5,) or chances.dtype.kind not in "iuf" or not np.isfinite(chances).all():
        raise ValueError(f"chances: {chances.dtype}{list(chances.shape)}, expected [N, 5] finite numbers")
    if ((chances < -0.5) | (chances > 1.5)).any():
        raise ValueError("chances: a number below -0.5 or above 1.5, expected chances or returns of games")
    if Path(path).suffix == ".txt":
        lines = (
            " ".join([position.to_text("key"), *(f"{value:.5f}" for value in row)]) + "\n"
            for position, row in zip(_gammond.to_positions(boards), chances)
        )
        Path(path).write_text("".join(lines))
        return
    labels = np.zeros(len(boards), _LABEL)
    sides = arrays.to_gnubg(boards)
    away = arrays.off(boards)
    for name, side, off in (("opponent", sides[:, 0], away[:, 1]), ("me", sides[:, 1], away[:, 0])):
        counts = np.zeros((len(boards), 32), np.uint8)
        counts[:, :25], counts[:, 25] = side, off
        labels[name] = counts[:, ::2] | counts[:, 1::2] << 4
    labels["target"] = np.rint((np.clip(chances.astype(np.float64), -0.5, 1.5) + 0.5) * 32767.5)
    kinds = np.where(classes == 10, 0, np.where(classes == 9, 2, 1))
    labels["kind"] = table.get("kind", kinds)
    sibling = table.get("sibling", np.zeros(len(boards), bool)).astype(bool)
    horizon = table.get("horizon", np.zeros(len(boards), np.uint8)).astype(np.uint8) & 3
    labels["bits"] = _WIDE | np.where(sibling, _SIBLING, 0) | horizon << _HORIZON
    parts = [labels[first : first + _RECORD_LABELS].tobytes() for first in range(0, len(labels), _RECORD_LABELS)]
    frames = (_frame(number, part) for number, part in enumerate(parts))
    Path(path).write_bytes(b"".join([_MAGIC, _frame(_HEADER_NUMBER, b'{"job":"labels from arrays"}'), *frames]))


def _moved(row: NDArray[np.int8], steps: Iterable[tuple[int, int]]) -> NDArray[np.int8]:
    """Returns a board after the steps of the player on roll, seen by the other player."""
    board = row.copy()
    for start, end in steps:
        board[start] -= 1
        if end and board[end] == -1:
            board[end], board[0] = 0, board[0] - 1
        if end:
            board[end] += 1
    return -board[::-1]


def match_columns(matches: Iterable[Match]) -> Columns:
    """Returns the columns of matches, such as those of `Match.read`."""
    rows: list[tuple[Any, ...]] = []
    for number, match in enumerate(matches):
        for count, game in enumerate(match.games):
            # The board, seen by player 0, the cube and its owner.
            board, cube, owner = arrays.start()[0], 1, -1
            taker: int | None = None
            winner, points = game["result"] or (-1, 0)
            crawford = -1 if game["crawford"] is None else int(game["crawford"])
            same = (match.length, game["scores"], crawford, int(game["settled"]), match.names)
            for player, kind, value in game["actions"]:
                seen = board if player == 0 else -board[::-1]
                dice, flat = (0, 0), [-1] * 8
                if kind == "play":
                    roll, steps = value
                    dice = _gammond.Roll.parse(roll).dice
                    flat[: 2 * len(steps)] = [point for step in steps for point in step]
                    after = _moved(seen, steps)
                    board = -after[::-1] if player == 0 else after
                elif kind == "rolled":
                    dice = _gammond.Roll.parse(value).dice
                elif kind == "double":
                    cube, taker = value, 1 - player
                elif kind in ("beaver", "take"):
                    # Beavers, raccoons and their answers leave the cube with the player who was doubled.
                    cube, owner = cube if kind == "take" else value, player if taker is None else taker
                elif kind == "set-up":
                    position, cube, of = value
                    owner, seen = -1 if of is None else of, _gammond.from_positions([position])[0]
                    board = seen if player == 0 else -seen[::-1]
                won = points if player == winner else -points
                rows.append((number, count, player, kind, seen, dice, flat, cube, owner, won, *same))
            seen = board if winner <= 0 else -board[::-1]
            rows.append((number, count, winner, "end", seen, (0, 0), [-1] * 8, cube, owner, points, *same))
    columns = list(zip(*rows)) or [()] * len(_MATCH_COLUMNS)
    found: Columns = {}
    for (name, (kind_of, width)), column in zip(_MATCH_COLUMNS.items(), columns):
        array = np.array(column, kind_of) if len(column) else np.empty(0, "U1" if kind_of is str else kind_of)
        found[name] = array.reshape((-1, width) if width else -1)
    return found


_MATCH_COLUMNS: dict[str, tuple[Any, int]] = {
    "match": (np.int32, 0),
    "game": (np.int32, 0),
    "player": (np.int8, 0),
    "kind": (str, 0),
    "board": (np.int8, 26),
    "dice": (np.int8, 2),
    "steps": (np.int8, 8),
    "cube": (np.int32, 0),
    "owner": (np.int8, 0),
    "points": (np.int32, 0),
    "length": (np.int32, 0),
    "score": (np.int32, 2),
    "crawford": (np.int8, 0),
    "settled": (np.int8, 0),
    "names": (str, 2),
}


def matches_of(columns: Mapping[str, NDArray[Any]]) -> list[Match]:
    """Returns the matches of `match_columns`; rows of a game stand together, in their order, with its `end` last."""
    table = {name: column.tolist() for name, column in checked_columns(columns, _MATCH_COLUMNS).items() if name != "board"}
    boards = columns["board"]
    found: list[Match] = []
    actions: list[tuple[int, str, Any]] = []
    last: int | None = None
    for row, kind in enumerate(table["kind"]):
        at = {name: column[row] for name, column in table.items()}
        player = int(at["player"])
        if at["match"] != last:
            if actions:
                raise ValueError(f"kind: row {row} begins a match before the row 'end' of a game")
            last = at["match"]
            found.append(Match(at["length"], tuple(at["names"])))
        if kind != "end":
            actions.append((player, kind, _value(kind, at, boards[row])))
            continue
        result = None if player < 0 else (player, at["points"])
        crawford = None if at["crawford"] < 0 else bool(at["crawford"])
        found[-1].add_game(tuple(at["score"]), actions, result, crawford, at["settled"] == 1)
        actions = []
    if actions:
        raise ValueError("kind: the last game is without a row 'end'")
    return found


def _value(kind: str, at: Mapping[str, Any], board: NDArray[np.int8]) -> Any:
    """Returns the value of an action as `Match.add_game` expects it."""
    if kind in ("play", "rolled"):
        dice = (int(at["dice"][0]), int(at["dice"][1]))
        pairs = zip(at["steps"][::2], at["steps"][1::2])
        return dice if kind == "rolled" else (dice, [pair for pair in pairs if pair[0] >= 0])
    if kind in ("double", "beaver"):
        return at["cube"]
    if kind == "set-up":
        position = _gammond.to_positions(np.ascontiguousarray(board, np.int8)[None])[0]
        return position, at["cube"], None if at["owner"] < 0 else at["owner"]
    return None


__all__ = ["load", "load_labels", "match_columns", "matches_of", "save", "save_labels"]
