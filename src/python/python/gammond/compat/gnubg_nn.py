"""A replacement for the package `gnubg_nn` 1.1.

A board is two lists of 25: the opponent's checkers, then those of the player on roll; places 0 to 23 are the points
1 to 24 of that side, 24 is its bar. `DIFFERENCES` lists the differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _gammond
from .._gammond import MatchState, Play, Player, Position, Roll
from . import _bearoff
from . import engine as _engine
from . import use_nets as _use_nets

Board = Sequence[Sequence[int]]

#: The differences from the original, by name.
DIFFERENCES = {
    "money-cube": "evaluate_cube_decision answers for money too; the original raises RuntimeError",
    "play-order": "plays of moves() and of equal value come in another order, steps of a play in that of gammond",
    "side-letter": "s of best_move takes a str as well as a byte",
    "look-ahead": "with n or plies of 1 and more the original looks ahead by other rules: chances differ by up to 0.12",
    "rounding": "chances near 0 differ by up to 0.0001, and so equities by up to 0.00025",
    "equal-plays": "of plays that are worth the same within 0.00025 another one may be best; the resignation is always 0",
    "one-sided": "probabilities() with one of the constants p_* answers as 0 plies do",
    "one-checker": "one_checker_race() differs by up to 0.0002 and refuses numbers outside of its range with ValueError",
    "no-trainer": "Trainer, net_save, cubeful_rollout and set.ps, set.osdb, set.equities, set.shortcuts raise NotImplementedError",
}

c_over, c_bearoff, c_race, c_crashed, c_contact = 0, 2, 3, 4, 5
p_osr, p_bearoff, p_prune, p_1sbear, p_race, p_0plus1, p_1srace = -2, -3, -4, -5, -6, -7, -8
ro_race, ro_bearoff, ro_over, ro_auto = 0, 1, 2, 3

_CLASSES = {0: c_over, 4: 1, 5: 1, 6: c_bearoff, 7: c_bearoff, 8: c_race, 9: c_crashed, 10: c_contact}
_score: tuple[int, int] | None = None
_crawford = False


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


def _state() -> MatchState:
    if _score is None:
        return MatchState(jacoby=False, beavers=False)
    mine, theirs = _score
    length = max(mine, theirs)
    return MatchState(length, (length - mine, length - theirs), _crawford)


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
    """Returns the chances to win, to win a gammon, a backgammon, to lose a gammon, a backgammon."""
    found = _engine().evaluate(_position(board), _state(), _plies(plies), False, False)
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
    ranked = _engine().best_plays(position, _roll(die1, die2), _state(), _plies(n), None, False, prune=False)
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
    pos: Board | str, n: int = 0, v: int = -1, s: bytes | str = b"X", i: int = 0, p: Any = None
) -> Any:
    """Returns 1 for double, 0 for no double; with `i` (double, take, too good, chances to win after no double, a double
    and take, a double and pass), equities for money."""
    state = _state()
    found = _engine().cube(_position(pos), state, _plies(n))
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
    import random

    return random.randint(1, 6), random.randint(1, 6)


def rollout(
    pos: Board | str, ngames: int = 1296, n: int = 0, level: int = ro_auto, nt: int = 500, std: int = 0
) -> tuple[Any, ...]:
    """Returns the five chances of a cubeless rollout; with `std` their standard errors too."""
    truncate = {ro_race: "race", ro_over: "never"}.get(level, "table")
    found = _engine().rollout(
        _position(pos), trials=ngames, plies=_plies(n), cubeful=False, truncate=truncate
    )
    [one] = found.candidates
    return (one.chances.to_tuple(), one.chance_errors.to_tuple()) if std else one.chances.to_tuple()


def net_load(path: str) -> str:
    """Returns the path of a net file for `net_use`."""
    return path


def net_use(net: str) -> None:
    """Selects the nets of `net_load` for all functions."""
    _use_nets(net)


def net_save(*_: Any) -> None:
    raise NotImplementedError("net_save: train nets with `gammond train` or `gammond lab`")


def cubeful_rollout(*_: Any) -> None:
    raise NotImplementedError("cubeful_rollout: call gammond.Engine.rollout(position, cube=True)")


class Trainer:
    def __init__(self, *_: Any) -> None:
        raise NotImplementedError("Trainer: train nets with `gammond train` or `gammond lab`")


class equities:
    """Match winning chances by the number of points that each player needs."""

    @staticmethod
    def value(away: int, opponent_away: int) -> float:
        return _gammond.match_equities(_engine(), max(away, opponent_away))[away - 1][opponent_away - 1]


class set:
    """The score of the current match, in points that each player needs."""

    @staticmethod
    def score(away: int = 0, opponent_away: int = 0, crawford: int = 0) -> None:
        global _score, _crawford
        _score = None if away == 0 or opponent_away == 0 else (away, opponent_away)
        _crawford = bool(crawford)

    @staticmethod
    def seed(number: int) -> None:
        import random

        random.seed(number)

    @staticmethod
    def cube(*_: Any) -> None:
        raise NotImplementedError("set.cube: call gammond.Engine.cube with a MatchState")

    equities = osdb = ps = shortcuts = cube
