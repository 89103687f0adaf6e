"""A replacement for the package `gnubg_nn` 1.1.

A board is two lists of 25: the opponent's checkers, then those of the player on roll; places 0 to 23 are the points
1 to 24 of that side, 24 is its bar. `DIFFERENCES` lists the differences.
"""

from __future__ import annotations

import math
import operator
import os
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _gammond, arrays
from .._gammond import MatchState, Play, Player, Position, Roll
from . import ActiveNets, _bearoff, active
from . import engine as _engine
from . import use_nets as _use_nets
from ._cube_games import CubeGames
from ._weights import corrected

Board = Sequence[Sequence[int]]

#: The differences from the original, by name.
DIFFERENCES = {
    "money-cube": "evaluate_cube_decision answers for money too; the original raises RuntimeError",
    "play-order": "plays of moves() and of equal value come in another order, steps of a play in that of gammond",
    "side-letter": "s of best_move takes a str as well as a byte",
    "look-ahead": "with n or plies of 1 and more the original looks ahead by other rules: chances differ by up to 0.12",
    "rounding": "chances near 0 differ by up to 0.0001, and so equities by up to 0.00025",
    "equal-plays": "of plays that are worth the same within 0.00025 another one may be best; the resignation is always 0",
    "one-sided": "probabilities() with p_osr, p_bearoff and p_1sbear, and with p_race against contact, answers as 0 plies do",
    "own-nets": "without nets of a weight file of gnubg p_prune and p_race answer as 0 plies do",
    "pruned-races": "chances with p_prune differ by up to 0.006 in races",
    "one-checker": "one_checker_race() differs by up to 0.0002 and refuses numbers outside of its range with ValueError",
    "weight-files": "Trainer and net_save need nets from a weight file of gnubg: use_nets() or net_use()",
    "order": "Trainer.train refuses an order beyond the positions; the original crashes",
    "cube-games": "cubeful_rollout takes ngames and ply, which the original refuses; for money it counts points, not 1.0",
    "tables": "set.equities knows the program's tables and files, and two numbers of which the first is 0.5",
    "settings": "set.ps, set.osdb and set.shortcuts check their arguments and change nothing",
    "cube-values": "set.cube refuses values that are no power of two",
    "live-cube": "match winning chances after a take differ by up to 0.075 where the cube can be turned again",
    "given-chances": "evaluate_cube_decision with p raises NotImplementedError",
}

c_over, c_bearoff, c_race, c_crashed, c_contact = 0, 2, 3, 4, 5
p_osr, p_bearoff, p_prune, p_1sbear, p_race, p_0plus1, p_1srace = -2, -3, -4, -5, -6, -7, -8
ro_race, ro_bearoff, ro_over, ro_auto = 0, 1, 2, 3

_RACE = 8
_CLASSES = {0: c_over, 4: 1, 5: 1, 6: c_bearoff, 7: c_bearoff, 8: c_race, 9: c_crashed, 10: c_contact}
#: The nets of positions by the number of their class.
_NETS = {c_race: "race", c_crashed: "crashed", c_contact: "contact"}
_score: tuple[int, int] | None = None
_crawford = False
_cube, _owner = 1, ""
_tables: tempfile.TemporaryDirectory[str] | None = None


def _position(board: Board | str) -> Position:
    if isinstance(board, str):
        if len(board) == 20:
            return _from_key(board)
        return Position.parse(board)
    try:
        sides = [list(map(int, side)) for side in board]
    except TypeError:
        raise ValueError("Expected 2x25 board list") from None
    if len(sides) != 2:
        raise ValueError("Expected 2-element sequence of 25-element sequences")
    if any(len(side) != 25 for side in sides):
        raise ValueError("Each side must be length 25")
    return Position(sides[1], sides[0])


def _from_key(key: str) -> Position:
    try:
        parsed = _gammond.parse(key)
    except ValueError:
        raise ValueError("invalid board key") from None
    if parsed.form != "key":
        raise ValueError("invalid board key")
    return parsed.position


def _board(position: Position) -> list[list[int]]:
    return [list(position.opponent), list(position.me)]


def _key(position: Position) -> str:
    return position.to_text("key")


def _plies(n: int) -> int:
    return max(n, 0)


def _state(side: str = "O") -> MatchState:
    """Returns the state of `set.score` and `set.cube`, seen by a side: the first number of the score is that of O."""
    owner = "centred" if _cube == 1 else "me" if side == _owner else "opponent"
    if _score is None:
        return MatchState(0, (0, 0), False, _cube, owner, jacoby=False, beavers=False)
    mine, theirs = _score if side == "O" else _score[::-1]
    length = max(mine, theirs)
    return MatchState(length, (length - mine, length - theirs), _crawford, _cube, owner)


def _side(side: bytes | str | None) -> str | None:
    """Returns the letter of a side; None without one."""
    letter = side.decode("latin-1") if isinstance(side, bytes) else side
    if letter is not None and (not isinstance(letter, str) or len(letter) != 1):
        raise TypeError(f"side: expected a byte string of length 1, not {type(side).__name__}")
    if letter not in (None, "X", "O"):
        raise ValueError("invalid side")
    return letter


def _roll(die1: int, die2: int) -> Roll:
    return Roll(die1, die2)


def board_from_position_id(position_id: str) -> list[list[int]]:
    """Returns the board of a Position ID."""
    try:
        return _board(Position.parse(position_id))
    except ValueError:
        raise ValueError("invalid position ID") from None


def board_from_position_key(key: str) -> list[list[int]]:
    """Returns the board of a key of 20 letters."""
    return _board(_from_key(key))


boardfromid, boardfromkey = board_from_position_id, board_from_position_key


def position_id(board: Board | str) -> str:
    """Returns the Position ID of a board."""
    return str(_position(board))


def key_of_board(board: Board | str) -> str:
    """Returns the key of 20 letters of a board."""
    return _key(_position(board))


def classify(board: Board | str) -> int:
    """Returns one of the constants c_*; 1 for positions in the two-sided table."""
    [number] = _gammond.class_of(_gammond.from_positions([_position(board)]))
    return _CLASSES[int(number)]


def probabilities(board: Board | str, plies: int, nr: int = 1296) -> tuple[float, ...]:
    """Returns the chances to win, to win a gammon, a backgammon, to lose a gammon, a backgammon.

    `plies` is a number of plies or one of the constants p_*: the pruning net, the race net, the mean of 0 and 1 ply.
    """
    position = _position(board)
    if plies == p_0plus1:
        return tuple((one + other) / 2 for one, other in zip(probabilities(board, 0), probabilities(board, 1)))
    if plies < 0 and plies not in (p_osr, p_bearoff, p_prune, p_1sbear, p_race):
        raise ValueError("invalid ply")
    if plies == p_osr and position.has_contact:
        raise RuntimeError("Not a race position")
    boards = _gammond.from_positions([position])
    kind = _CLASSES[int(_gammond.class_of(boards)[0])]
    name = f"prune {_NETS[kind]}" if plies == p_prune and kind in _NETS else ""
    if plies == p_race and not position.has_contact and not position.is_over:
        name = "race"
    if name and active().has_weights:
        weights = active().weights
        values = weights.nets[name].chances(weights.inputs(name, boards))[1]
        if not position.has_contact:
            better = corrected(boards, values)
            # A side with all checkers and one in the other's home can lose a backgammon: that is computed.
            lost, won = ((arrays.off(boards) == 0) & _behind(boards))[0]
            if plies == p_prune:
                values = np.where([False, won, won, lost, lost], better, values)
            else:
                values = np.where([kind not in _NETS, False, False, False, False], values, better)
        return tuple(values[0].tolist())
    found = _engine().evaluate(position, _state(), _plies(plies), cubeful=False, prune=False)
    return found.chances.to_tuple()


def moves(board: Board | str, die1: int, die2: int, verbose: int = 0) -> tuple[Any, ...]:
    """Returns the keys of the positions after each play, seen by the moving player; with `verbose` their steps too."""
    plays = _position(board).legal_plays(_roll(die1, die2))
    if verbose:
        return tuple((_key(play.after.swapped()), tuple(play.steps)) for play in plays)
    return tuple(_key(play.after.swapped()) for play in plays)


def best_move(
    pos: Board | str,
    die1: int,
    die2: int,
    n: int = 0,
    s: bytes | str | int = 0,
    b: int = 0,
    r: int = 0,
    list: int = 0,
    reduced: int = 0,
) -> tuple[Any, ...]:
    """Returns the steps of the best play; with `b` the key after it, with `r` the resignation, with `list` all plays.

    A listed play is (key, flat steps, chances of the opponent, equity), the key and the chances seen by the opponent,
    the next player on roll.
    """
    position = _position(pos)
    ranked = _engine().best_plays(position, _roll(die1, die2), _state(), _plies(n), cubeful=False, prune=False)
    best = ranked[0].play
    found: tuple[Any, ...] = tuple(best.steps)
    if not (b or r or list):
        return found
    answer: tuple[Any, ...] = (found,)
    if b:
        answer += (_key(best.after),)
    if r:
        answer += (0,)
    if list:
        # With look-ahead the original lists only the plays that it searched.
        shown = ranked[:8] if n > 0 else ranked
        answer += (tuple(_listed(one) for one in shown),)
    return answer


bestmove = best_move


def _listed(one: _gammond.RankedPlay) -> tuple[Any, ...]:
    win, gammon, backgammon, lose_gammon, lose_backgammon = one.chances.to_tuple()
    chances = (1 - win, lose_gammon, lose_backgammon, gammon, backgammon)
    return (_key(one.play.after), _flat(one.play), chances, one.equity)


def _flat(play: Play) -> tuple[int, ...]:
    return tuple(point for step in play.steps for point in step)


def evaluate_cube_decision(
    pos: Board | str, n: int = 0, v: int = -1, s: bytes | str | None = None, i: int = 0, p: Any = None
) -> Any:
    """Returns 1 for double, 0 for no double; with `i` (double, take, too good, chances to win after no double, a double
    and take, a double and pass), equities for money.

    `s` is the side on roll: O (the default), the second side of a board, needs the first number of `set.score`; X, the
    first side, needs the second.
    """
    if p is not None:
        raise NotImplementedError("p: the chances are those of the nets")
    side = _side(s)
    if _cube > 1 and side != _owner:
        raise RuntimeError(f"side ({side or ' '}) does not own cube")
    position, state = _position(pos), _state(side or "O")
    found = _engine().cube(position.swapped() if side == "X" else position, state, _plies(n))
    double = int(found.double)
    if not i:
        return double
    values = (found.no_double, found.double_take, found.double_pass)
    if state.length:
        values = tuple(_gammond.to_mwc(_engine(), state, value) for value in values)  # type: ignore[assignment]
    too_good = int("Too good" in found.verdict)
    return (double, int(found.take), too_good, *values)


_pubeval: Player | None = None


def pub_best_move(board: Board | str, die1: int, die2: int) -> tuple[int, ...]:
    """Returns the play of PubEval as flat points, counted from 0 as the original does."""
    global _pubeval
    _pubeval = _pubeval or Player("pubeval")
    play = _pubeval.play(_position(board), _roll(die1, die2))
    return tuple(point - 1 for point in _flat(play))


def pub_eval_score(board: Board | str) -> float:
    """Returns PubEval's score of a position after a play, by its weights of contact or of races."""
    return _gammond.pubeval(_position(board))


def bearoff_id_2_pos(number: int) -> tuple[int, ...]:
    """Returns the checkers on the six home points of a numbered bearoff position."""
    return _bearoff.position(number)


def bearoff_probabilities(position: Sequence[int] | int) -> tuple[float, ...]:
    """Returns the chances to bear off in exactly 1, 2, ... rolls: six counts of the home points, or a number of them."""
    if isinstance(position, int):
        position = _bearoff.position(position)
    found = _gammond.bearoff_rolls(Position([int(count) for count in position], [15]))
    if found is None:
        raise ValueError("position: not a bearoff")
    rolls = found[0][1:]
    while rolls and rolls[-1] == 0:
        rolls.pop()
    return tuple(rolls)


def one_checker_race(pips: int) -> tuple[float, float]:
    """Returns the mean and the standard deviation of the number of rolls that a checker needs for `pips` pips."""
    if not 1 <= pips <= 1 << 16:
        raise ValueError(f"pips: {pips}, expected 1 to {1 << 16}")
    # Moments of the number of rolls for each smaller number of pips.
    moments = [(0.0, 0.0)]
    for left in range(1, pips + 1):
        mean = square = 0.0
        for die in range(1, 7):
            for other in range(1, 7):
                moved = 4 * die if die == other else die + other
                known = moments[max(left - moved, 0)]
                mean, square = mean + known[0], square + known[1] + 2 * known[0]
        moments.append((1 + mean / 36, 1 + square / 36))
    mean, square = moments[pips]
    # The original has a table of four decimals.
    return round(mean, 4), round(max(square - mean * mean, 0.0) ** 0.5, 4)


def roll() -> tuple[int, int]:
    """Returns a random roll of two dice."""
    return random.randint(1, 6), random.randint(1, 6)


def rollout(
    pos: Board | str, ngames: int = 1296, n: int = 0, level: int = ro_auto, nt: int = 500, std: int = 0
) -> tuple[Any, ...]:
    """Returns the five chances of a cubeless rollout; with `std` their standard errors too."""
    ends: dict[int, Literal["race", "table", "never"]] = {ro_race: "race", ro_over: "never"}
    truncate = ends.get(level, "table")
    found = _engine().rollout(
        _position(pos), trials=ngames, plies=_plies(n), cubeful=False, truncate=truncate
    )
    [one] = found.candidates
    return (one.chances.to_tuple(), one.chance_errors.to_tuple()) if std else one.chances.to_tuple()


#: Number of games of `cubeful_rollout` at most.
_GAMES_MAX = 1 << 20


def cubeful_rollout(
    pos: Board | str, ngames: int | bytes | str = 576, side: bytes | str = b"X", ply: int = 0
) -> tuple[float, ...]:
    """Plays games with the cube from a position after a play, the opponent of the player on roll in `pos` to roll.

    Returns 13 numbers: the mean value of the games for the side that rolls first (twice its match winning chances minus
    1, points for money); then the mean value and the share of the games that it wins without a cube action, in which
    its first double is taken, in which that is passed; then the same three pairs for the other side.

    `side` changes nothing, as in the original, which takes it as the second argument.
    """
    if isinstance(ngames, (bytes, str)):
        ngames = 576
    if not 1 <= ngames <= _GAMES_MAX:
        raise ValueError(f"ngames: {ngames}, expected 1 to {_GAMES_MAX}")
    position, state = _position(pos).swapped(), _state("X")
    if position.is_over:
        raise ValueError("pos: the game is over")
    return CubeGames(position, ngames, _plies(ply), state, _engine(), random.getrandbits(63)).summary()


def net_load(path: str, cache_size: int = -1) -> ActiveNets:
    """Loads a weight file of gnubg and returns a handle for `net_use`."""
    try:
        loaded = ActiveNets(path)
        loaded.weights
    except (OSError, ValueError) as error:
        raise RuntimeError(f"failed to load net: {error}") from None
    return loaded


def net_use(net: ActiveNets) -> None:
    """Selects the nets of `net_load` for all functions."""
    if not isinstance(net, ActiveNets):
        raise TypeError("expected a net_load() handle")
    _use_nets(net)


def net_save(path: str, cache_size: int = -1) -> None:
    """Writes the selected nets, with the steps of all `Trainer` objects, as `gnubg.weights`."""
    weights = active().weights
    try:
        weights.save(path)
    except OSError as error:
        raise RuntimeError(f"failed to save net: {error}") from None


def _behind(boards: arrays.Boards) -> NDArray[np.bool_]:
    """Returns bool[N, 2], true if the player on roll, or the opponent, has a checker in the other's home or on the bar."""
    return np.stack([(boards[:, 19:] > 0).any(axis=1), (boards[:, :7] < 0).any(axis=1)], axis=1)


class Trainer:
    """Labelled positions on which the selected nets are trained, each by the net of its class.

    Args:
        data: lines of a key of 20 letters and five chances.
        ignore_backgammons: if not 0, the targets of backgammons are 0.
        prune: if not 0, the pruning nets are trained.
        inputs: if not empty and without `prune`, only the weights of these inputs change, and the biases of the hidden
            units.
    """

    def __init__(
        self, data: Sequence[str], ignore_backgammons: int = 0, prune: int = 0, inputs: Sequence[int] = ()
    ) -> None:
        if isinstance(data, str) or not isinstance(data, Sequence):
            raise TypeError(f"data must be a sequence{' of strings, not a string' if isinstance(data, str) else ''}")
        if not isinstance(inputs, Sequence):
            raise TypeError("tList must be a sequence")
        only = [operator.index(number) for number in inputs]
        self._active, self._inputs = active(), [] if prune else only
        weights, positions, targets = self._active.weights, [], []
        for number, line in enumerate(data):
            if not isinstance(line, str):
                raise TypeError("each data item must be a string (positionid + 5 probs)")
            key, *chances = line.split() or [""]
            try:
                positions.append(_from_key(key))
            except ValueError:
                raise ValueError(f"invalid position key ({key}).") from None
            try:
                targets.append([float(word) for word in chances[:5]])
            except ValueError:
                targets.append([])
            if len(targets[-1]) != 5 or not np.isfinite(targets[-1]).all():
                raise ValueError(f"invalid probabilities in data item {number}.")
        self._boards = boards = _gammond.from_positions(positions)
        self._targets = np.array(targets, np.float64).reshape(-1, 5)
        possible = np.ones((len(boards), 5), bool)
        if not prune:
            # A side that has borne off loses no gammon; in races one that has left the winner's home no backgammon.
            off, race = arrays.off(boards) > 0, _gammond.class_of(boards) <= _RACE
            possible[:, [3, 1]] = ~off
            possible[:, [4, 2]] = ~off & (_behind(boards) | ~race[:, None])
        self._wanted = self._targets * possible * [1, 1, not ignore_backgammons, 1, not ignore_backgammons]
        self._keeps = bool(ignore_backgammons)
        names = [_NETS.get(_CLASSES[int(number)], "") for number in _gammond.class_of(boards)]
        self._names = [f"prune {name}" if prune and name else name for name in names]
        #: Rows of each net; the inputs of the net, or the exact chances of positions without one.
        self._rows = {name: np.flatnonzero([name == one for one in self._names]) for name in dict.fromkeys(self._names)}
        exact = self._active.engine.evaluate_boards
        self._seen = {
            name: weights.inputs(name, boards[rows]) if name else exact(boards[rows], 0).astype(np.float64)
            for name, rows in self._rows.items()
        }
        self._place = [0] * len(names)
        for rows in self._rows.values():
            for place, row in enumerate(rows):
                self._place[row] = place

    def errors(self) -> tuple[float, float, float, float, float, float]:
        """Returns root mean square and maximum of three errors: of absolute differences in equity, of their sum with
        signs, and of absolute ones without backgammons."""
        found = np.empty_like(self._targets)
        for name, rows in self._rows.items():
            seen = self._seen[name]
            if name:
                seen = corrected(self._boards[rows], self._active.weights.nets[name].chances(seen)[1])
            found[rows] = seen
        parts = (found - self._targets) * [2, 1, 1, 1, 1]
        errors: list[float] = []
        for each in (np.abs(parts).sum(axis=1), parts.sum(axis=1), np.abs(parts[:, [0, 1, 3]]).sum(axis=1)):
            mean = math.sqrt(float(np.square(each).mean())) if len(each) else math.nan
            errors += [mean, float(each.max(initial=0.0))]
        first, second, third, fourth, fifth, sixth = errors
        return first, second, third, fourth, fifth, sixth

    def train(self, alpha: float, order: Sequence[int] | NDArray[np.int64] | None = None) -> None:
        """Takes a step of size `alpha` for each position, in their order or in that of `order`, numbers of positions."""
        if not isinstance(alpha, (int, float)):
            raise TypeError(f"must be real number, not {type(alpha).__name__}")
        count = len(self._names)
        if not math.isfinite(alpha):
            raise ValueError(f"alpha: {alpha}, expected a finite number")
        if order is not None and not (isinstance(order, (Sequence, np.ndarray)) and len(order) == count):
            raise ValueError("order must be a sequence of length equal to number of training positions")
        turns = range(count) if order is None else [operator.index(number) for number in order]
        if any(not 0 <= number < count for number in turns):
            raise ValueError(f"order: numbers of positions are 0 to {count - 1}")
        for number in turns:
            if name := self._names[number]:
                net, seen = self._active.weights.nets[name], self._seen[name][self._place[number]]
                net.step(seen, self._wanted[number], float(alpha), self._inputs)
            # As in the package, the errors then leave out impossible results too.
            if not self._keeps:
                self._targets[number] = self._wanted[number]
        self._active.trained = True


class equities:
    """Match equities by the number of points that each player needs."""

    #: The greatest number of points.
    _MOST = 25

    @staticmethod
    def value(away: int, opponent_away: int) -> float:
        """Returns twice the match winning chances minus 1, 0 to 25 points; a player who needs none has won."""
        if not (0 <= away <= equities._MOST and 0 <= opponent_away <= equities._MOST):
            raise ValueError("Score not in 0-25 range")
        if away == 0 or opponent_away == 0:
            return 1.0 if away == 0 else -1.0
        return 2 * _gammond.match_equities(_engine(), equities._MOST)[away - 1][opponent_away - 1] - 1


_MET = """<?xml version="1.0"?>
<met><info><name>{gammons} gammons</name><length>64</length></info>
<pre-crawford-table type="mec"><parameters><parameter name="gammon-rate">{gammons}</parameter>
<parameter name="win-rate">{wins}</parameter></parameters></pre-crawford-table>
<post-crawford-table player="both" type="mec"><parameters><parameter name="gammon-rate-trailer">{gammons}</parameter>
<parameter name="free-drop-2-away">0</parameter><parameter name="free-drop-4-away">0</parameter></parameters>
</post-crawford-table></met>
"""


class set:
    """The settings of all functions: score and cube, match equity table, random numbers."""

    @staticmethod
    def score(away: int, opponent_away: int, crawford: int = 0) -> None:
        """Sets the points that O and X need; with 0 the game is for money."""
        global _score, _crawford
        if away < 0 or opponent_away < 0:
            raise ValueError(f"away: {away}, {opponent_away}, expected 0 or more")
        if crawford and (away == opponent_away or 1 not in (away, opponent_away)):
            raise RuntimeError("Away not compatible with crawford")
        score = None if away == 0 or opponent_away == 0 else (away, opponent_away)
        if score is not None:
            MatchState(max(score), (max(score) - away, max(score) - opponent_away), bool(crawford))
        _score, _crawford = score, bool(crawford) and score is not None

    @staticmethod
    def cube(value: int, side: bytes | str | None = None) -> None:
        """Sets the cube and, for 2 and more, the side that owns it: X or O."""
        global _cube, _owner
        letter = _side(side)
        if value > 1 and letter is None:
            raise ValueError(f"side: a cube of {value} has an owner, expected b'X' or b'O'")
        MatchState(cube=value)
        _cube, _owner = value, letter or ""

    @staticmethod
    def equities(table: str | os.PathLike[str] | float, gammon_rate: float | None = None) -> None:
        """Selects the match equity table: a name or file of the program, or two numbers, the chance to win a game (0.5)
        and the share of gammons."""
        if gammon_rate is None:
            if not isinstance(table, (str, os.PathLike)):
                raise TypeError(f"argument 1 must be str, not {type(table).__name__}")
            try:
                active().use_met(table)
            except (OSError, ValueError) as error:
                raise RuntimeError(f"Not a valid equities table name: {error}") from None
            return
        if not isinstance(table, (int, float)):
            raise TypeError(f"must be real number, not {type(table).__name__}")
        global _tables
        # Nets that are trained later read the table again.
        _tables = tempfile.TemporaryDirectory()
        file = Path(_tables.name) / "table.xml"
        file.write_text(_MET.format(gammons=float(gammon_rate), wins=float(table)))
        active().use_met(file)

    @staticmethod
    def seed(number: int) -> None:
        """Seeds the dice of `roll` and `cubeful_rollout`."""
        random.seed(operator.index(number))

    @staticmethod
    def ps(plies: int, moves: int, extra: int, threshold: float) -> None:
        """Checks the arguments of a move filter; searches keep the filter `normal`."""
        for number in (plies, moves, extra):
            operator.index(number)
        float(threshold)

    @staticmethod
    def osdb(use: int) -> None:
        """Checks the argument; races have the values of the nets and tables, without one-sided rollouts."""
        operator.index(use)

    @staticmethod
    def shortcuts(use: int) -> None:
        """Checks the argument; the engine always uses its shortcuts."""
        operator.index(use)
