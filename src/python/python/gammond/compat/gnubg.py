"""A replacement for the module `gnubg` of scripts that run inside gnubg: one console session for the process.

Boards are two tuples of 25, the opponent's checkers first; places 0 to 23 are the points 1 to 24 of that side, 24 is
its bar. `DIFFERENCES` lists the differences from gnubg 1.07.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from .. import _gammond
from .._gammond import MatchState, Play, Position
from . import _bearoff
from . import engine as _shared_engine

Board = Sequence[Sequence[int]]

#: The differences from the original, by name.
DIFFERENCES = {
    "cube-hints": "hint() answers for cube decisions; the original raises Exception",
    "tuples": "positionfromkey takes tuples as well as lists",
    "rollout-hints": "the seed of rolloutcontext() is 1; the original's is that of the day",
    "no-window": "navigate, show, updateui and nextturn run the console's commands of the same meaning or do nothing",
    "search-numbers": "numbers of look-ahead and of hint() differ by up to 0.005: other positions survive pruning",
    "bearoff-sides": "positionbearoff refuses checkers beyond its points, which the original leaves out",
    "match": "match() lists the analysed plays that the console keeps, gnubg all; a roll without its play stands there while it waits",
}

_VERDICTS = (
    "Double, take",
    "Double, pass",
    "No double, take",
    "Too good to double, take",
    "Too good to double, pass",
    "Double, beaver",
    "No double, beaver",
    "Redouble, take",
    "Redouble, pass",
    "No redouble, take",
    "Too good to redouble, take",
    "Too good to redouble, pass",
    "No redouble, beaver",
    "Never double, take (dead cube)",
    "Never redouble, take (dead cube)",
    "Unknown cube decision",
    "Optional double, take",
    "Optional redouble, take",
    "Optional double, beaver",
    "Optional double, pass",
    "Optional redouble, pass",
)
#: Number of rolls of `dicerolls` at most.
_ROLLS_MAX = 1 << 20
_RATINGS = (0.035, 0.026, 0.018, 0.012, 0.008, 0.005, 0.002)
_LUCK = (-0.6, -0.3, 0.3, 0.6)
_FILTER = ((0, 8, 0.16), (-1, 0, 0.0), (0, 2, 0.04), (-1, 0, 0.0))

_console: _gammond.Console | None = None
_hint_filter: list[dict[str, Any]] | None = None


def _session() -> _gammond.Console:
    global _console
    if _console is None:
        _console = _gammond.Console(_shared_engine())
    return _console


def _quietly(text: str) -> str:
    out, _, _ = _session().line(text)
    return out


def command(text: str) -> None:
    """Runs a command of gnubg's console and writes its output to standard output."""
    out, err, _ = _session().line(text)
    # Scripts redirect the file descriptors, not these objects.
    for stream, said in ((sys.stdout, out), (sys.stderr, err)):
        stream.write(said)
        stream.flush()


def gnubgid() -> str:
    """Returns the Position ID and the Match ID of the game."""
    text = _quietly("show board")
    position = re.search(r"Position ID: (\S{14})", text)
    match_id = re.search(r"Match ID *: (\S{12})", text)
    if position is None or match_id is None:
        raise ValueError("no game is being played")
    return f"{position[1]}:{match_id[1]}"


def positionid(board: Board | None = None) -> str:
    """Returns the Position ID of the game or of a board."""
    return str(_position(board)) if board is not None else gnubgid()[:14]


def matchid() -> str:
    """Returns the Match ID of the game."""
    return gnubgid()[15:]


def matchchecksum() -> str:
    """Returns a checksum of the match."""
    import hashlib

    return hashlib.md5(gnubgid().encode()).hexdigest()


def _now() -> tuple[Position, MatchState, dict[str, Any]]:
    """Returns the position and the state of the game seen by the player on roll, and the fields of its Match ID."""
    text = gnubgid()
    parsed = _gammond.parse(text)
    return parsed.position, parsed.state or MatchState(), _gammond.match_id_fields(text[15:])


def _position(board: Board) -> Position:
    sides = [[int(count) for count in side] for side in board]
    if len(sides) != 2 or any(len(side) != 25 for side in sides):
        raise ValueError("invalid board. must be two lists of 25")
    return Position(sides[1], sides[0])


def _board(position: Position) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return position.opponent, position.me


def board() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the board of the game."""
    return _board(_now()[0])


def posinfo() -> dict[str, Any]:
    """Returns dice, turn, resignation, double and state of the game."""
    fields = _now()[2]
    return {
        "dice": tuple(fields["dice"]),
        "turn": fields["turn"],
        "resigned": fields["resigned"],
        "doubled": int(fields["doubled"]),
        "gamestate": fields["game_state"],
    }


def _cubeinfo(state: MatchState, fields: dict[str, Any]) -> dict[str, Any]:
    prices, _ = _session().stakes(state)
    mine = fields["on_roll"]
    if not state.length and state.jacoby and state.owner == "centred":
        prices = [[0.0, 0.0], [0.0, 0.0]]
    by_player = (prices[1], prices[0]) if mine == 1 else (prices[0], prices[1])
    return {
        "cube": fields["cube"],
        "cubeowner": -1 if fields["owner"] is None else fields["owner"],
        "move": mine,
        "matchto": fields["length"],
        "score": tuple(fields["score"]),
        "crawford": int(fields["crawford"]),
        "jacoby": int(fields["jacoby"]) if not fields["length"] else 0,
        "beavers": 0,
        "gammonprice": tuple(tuple(pair) for pair in by_player),
        "bgv": 0,
    }


def cubeinfo(*args: Any) -> dict[str, Any]:
    """Returns the cubeinfo of the game, or of cube, owner, player on roll, length, score, Crawford, variant."""
    if not args:
        _, state, fields = _now()
        return _cubeinfo(state, fields)
    defaults: tuple[Any, ...] = (1, -1, 1, 0, (0, 0), 0)
    cube, owner, move, length, score, crawford = (args + defaults[len(args) :])[:6]
    fields = {
        "cube": cube,
        "owner": None if owner == -1 else owner,
        "on_roll": move,
        "length": length,
        "score": tuple(score),
        "crawford": crawford,
        "jacoby": 0,
    }
    return _cubeinfo(_state(fields), fields)


def _state(info: dict[str, Any]) -> MatchState:
    """Returns the state of a cubeinfo, or of the fields of a Match ID."""
    mine = info.get("move", info.get("on_roll", 1))
    owner = info["owner"] if "owner" in info else info["cubeowner"]
    name = "centred" if owner in (None, -1) else "me" if owner == mine else "opponent"
    length = info.get("matchto", info.get("length", 0))
    score = tuple(info["score"])
    seen = (score[mine], score[1 - mine]) if length else (0, 0)
    crawford = bool(info["crawford"]) and length > 0
    beavers = bool(info.get("beavers", 0))
    return MatchState(length, seen, crawford, info["cube"], name, bool(info["jacoby"]), beavers)


def calcgammonprice(info: dict[str, Any]) -> dict[str, Any]:
    """Returns a cubeinfo with its gammon prices."""
    fields = {**info, "owner": None if info["cubeowner"] == -1 else info["cubeowner"], "on_roll": info["move"]}
    fields["length"] = info["matchto"]
    return {**info, "gammonprice": _cubeinfo(_state(info), fields)["gammonprice"]}


def evalcontext(
    cubeful: int = 1, plies: int = 2, deterministic: int = 1, prune: int = 1, noise: float = 0.0
) -> dict[str, Any]:
    """Returns the settings of an evaluation."""
    return {"cubeful": cubeful, "plies": plies, "deterministic": deterministic, "prune": prune, "noise": noise}


def rolloutcontext(**changes: Any) -> dict[str, Any]:
    """Returns the settings of a rollout."""
    settings = {
        "cubeful": 1,
        "variance-reduction": 1,
        "initial-position": 0,
        "quasi-random-dice": 1,
        "late-eval": 0,
        "truncated-rollouts": 0,
        "n-truncation": 10,
        "truncate-bearoff2": 1,
        "truncate-bearoffOS": 1,
        "stop-on-std": 0,
        "trials": 1296,
        "seed": 1,
        "minimum-games": 324,
        "stop-on-jsd": 0,
        "late-on-move-n": 5,
        "minimum-jsd-games": 324,
        "std-limit": 0.009999999776482582,
        "jsd-limit": 2.3299999237060547,
    }
    return {**settings, **changes}


def getevalhintfilter() -> list[dict[str, Any]]:
    """Returns the move filters of hints."""
    if _hint_filter is not None:
        return _hint_filter
    return [
        {"ply": ply, "level": level, "acceptmoves": accept, "extramoves": extra, "threshold": threshold}
        for ply in range(1, 5)
        for level, (accept, extra, threshold) in enumerate(_FILTER[:ply])
    ]


def setevalhintfilter(filters: list[dict[str, Any]]) -> None:
    """Sets the result of `getevalhintfilter`; searches keep the filter `normal`."""
    global _hint_filter
    _hint_filter = list(filters)


def _asked(args: tuple[Any, ...]) -> tuple[Position, MatchState, dict[str, Any]]:
    where = _position(args[0]) if args else _now()[0]
    at = _state(args[1]) if len(args) > 1 else _now()[1]
    context = evalcontext() if len(args) < 3 else args[2]
    return where, at, context


def evaluate(*args: Any) -> tuple[float, ...]:
    """Returns the five chances and the equity of the game's position, or of a board, a cubeinfo and an evalcontext."""
    position, state, context = _asked(args)
    found = _shared_engine().evaluate(position, state, context["plies"], cubeful=bool(context["cubeful"]))
    return (*found.chances.to_tuple(), found.cubeless)


def cfevaluate(*args: Any) -> tuple[Any, ...]:
    """Returns the cubeful equities of the best action, of no double, double and take, double and pass, and the verdict
    as a number and in words."""
    position, state, context = _asked(args)
    found = _shared_engine().cube(position, state, context["plies"])
    number = _VERDICTS.index(found.verdict)
    return (found.equity, found.no_double, found.double_take, found.double_pass, number, found.verdict)


def _flat(play: Play) -> tuple[int, ...]:
    return tuple(point for step in play.steps for point in step)


def findbestmove(
    board: Board | None = None,
    info: dict[str, Any] | None = None,
    context: dict[str, Any] | None = None,
    dice: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """Returns the best play as a flat tuple of points: 25 is the bar, 0 is off."""
    position, state, fields = _now()
    first, second = fields["dice"] if dice is None else dice
    context = context or evalcontext()
    ranked = _shared_engine().best_plays(
        position if board is None else _position(board),
        (int(first), int(second)),
        state if info is None else _state(info),
        context["plies"],
        top=1,
        cubeful=bool(context["cubeful"]),
    )
    return _flat(ranked[0].play)


def movetupletostring(move: Sequence[int], board: Board) -> str:
    """Returns the text of a flat tuple of points, such as `9/3(3)`."""
    return _position(board).steps_text(list(zip(move[::2], move[1::2])))


def parsemove(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the pairs of points of a play's text."""
    names = {"bar": 25, "off": 0}
    found: list[tuple[int, int]] = []
    for word in text.replace("*", "").split():
        body, _, times = word.rstrip(")").partition("(")
        points = [names[part] if part in names else int(part) for part in body.split("/")]
        found += list(zip(points, points[1:])) * int(times or 1)
    return tuple(found)


def hint(count: int = 999) -> dict[str, Any]:
    """Returns the best plays of the game's dice, or the cube decision before the roll."""
    position, state, fields = _now()
    context = evalcontext()
    if not any(fields["dice"]):
        found = _shared_engine().cube(position, state, context["plies"])
        details = {
            "no_double": found.no_double,
            "double_take": found.double_take,
            "double_pass": found.double_pass,
            "verdict": found.verdict,
        }
        return {"hinttype": "cube", "gnubgid": gnubgid(), "hint": [details]}
    first, second = fields["dice"]
    ranked = _shared_engine().best_plays(position, (first, second), state, context["plies"], top=count)
    hints = []
    for number, one in enumerate(ranked, 1):
        if one.play.is_pass:
            break
        hints.append(
            {
                "movenum": number,
                "type": "eval",
                "move": str(one.play),
                "equity": one.equity,
                "eqdiff": one.equity - ranked[0].equity,
                "context": {**context, "plies": one.plies},
                "details": {"probs": one.chances.to_tuple(), "score": one.equity},
            }
        )
    return {"hinttype": "chequer", "gnubgid": gnubgid(), "hint": hints}


def classifypos(board: Board, variant: int = 0) -> int:
    """Returns the class as gnubg numbers it."""
    [number] = _gammond.class_of(_gammond.from_positions([_position(board)]))
    return int(number)


def positionkey(board: Board | None = None) -> tuple[int, ...]:
    """Returns the ten bytes of the position's key."""
    import base64

    text = positionid(board) if board is not None else positionid()
    return tuple(base64.b64decode(text + "=="))


def positionfromkey(key: Sequence[int] | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the board of the ten bytes of a key."""
    import base64

    if key is None:
        return board()
    return positionfromid(base64.b64encode(bytes(key)).decode().rstrip("="))


def positionfromid(text: str | None = None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the board of a Position ID."""
    try:
        return board() if text is None else _board(Position.parse(text))
    except ValueError:
        raise ValueError("invalid positionid") from None


def positionbearoff(side: Sequence[int], points: int = _bearoff.POINTS, checkers: int = _bearoff.CHECKERS) -> int:
    """Returns the number of one side's bearoff position of at most `checkers` checkers on its first points."""
    if any(side[points:]):
        raise ValueError(f"side: expected checkers on the first {points} points only")
    return _bearoff.number([int(count) for count in side[:points]], checkers)


def positionfrombearoff(
    number: int = 0, points: int = _bearoff.POINTS, checkers: int = _bearoff.CHECKERS
) -> tuple[int, ...]:
    """Returns one side, 25 counts, of a number of a bearoff position."""
    if not 0 <= number < _bearoff.count(points, checkers):
        raise ValueError("invalid position number")
    found = _bearoff.position(number, points, checkers) if number else (0,) * points
    return found + (0,) * (25 - points)


def dicerolls(count: int) -> tuple[tuple[int, int], ...]:
    """Returns `count` rolls of the dice."""
    import random

    if not 0 <= count <= _ROLLS_MAX:
        raise ValueError(f"count: {count}, expected 0 to {_ROLLS_MAX}")
    return tuple((random.randint(1, 6), random.randint(1, 6)) for _ in range(count))


def met(points: int = 64) -> list[Any]:
    """Returns the match equity table by the points that the players need, and the after-Crawford chances of each."""
    engine = _shared_engine()
    trailer = _gammond.trailer_equities(engine, points)
    return [_gammond.match_equities(engine, points), trailer, list(trailer)]


def _info_state(info: dict[str, Any] | None) -> MatchState:
    return _now()[1] if info is None else _state(info)


def eq2mwc(equity: float = 0.0, info: dict[str, Any] | None = None) -> float:
    """Returns the match winning chances of an equity; 0 for money."""
    state = _info_state(info)
    return _gammond.to_mwc(_shared_engine(), state, equity) if state.length else 0.0


def mwc2eq(mwc: float = 0.0, info: dict[str, Any] | None = None) -> float:
    """Returns the equity of match winning chances; 0 for money."""
    state = _info_state(info)
    return _gammond.to_equity(_shared_engine(), state, mwc) if state.length else 0.0


def eq2mwc_stderr(error: float = 0.0, info: dict[str, Any] | None = None) -> float:
    """Converts a standard error of an equity to one of match winning chances."""
    return eq2mwc(error, info) - eq2mwc(0.0, info)


def mwc2eq_stderr(error: float = 0.0, info: dict[str, Any] | None = None) -> float:
    """Converts a standard error of match winning chances to one of an equity."""
    state = _info_state(info)
    if not state.length:
        return 0.0
    engine = _shared_engine()
    return _gammond.to_equity(engine, state, error) - _gammond.to_equity(engine, state, 0.0)


def errorrating(error: float) -> int:
    """Returns the number of the rating of a mean error: 0 Awful to 7 Supernatural."""
    return sum(error < bound for bound in _RATINGS)


def luckrating(luck: float) -> int:
    """Returns the number of the rating of a mean luck: 0 to 4."""
    return sum(luck > bound for bound in (-0.06, -0.03, 0.03, 0.06))


def match(analysis: int = 1, boards: int = 1, statistics: int = 0, verbose: int = 0) -> dict[str, Any] | None:
    """Returns the match of the session with its games and actions, or None without one.

    `boards` adds the Position ID before plays and doubles, `analysis` the members of an analysed match, `statistics`
    those of each game and of the match; `verbose` adds cubeless equities to analysed cube decisions.
    """
    import tempfile
    from datetime import date
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "match.sgf"
        _quietly(f'save match "{file}"')
        if not file.exists():
            return None
        [read] = _gammond.Match.read(file)
    today = date.today()
    info: dict[str, Any] = {player: {"name": name} for player, name in zip(_PLAYERS, read.names, strict=True)}
    info |= {
        "match-length": read.length,
        "date": (today.day, today.month, today.year),
        "result": _result(read) if not read.length else 0,
        "variation": "Standard",
    }
    if read.length > 1:
        info["rules"] = ("Crawford",)
    elif not read.length and "is played with the Jacoby rule" in _quietly("show jacoby"):
        info["rules"] = ("Jacoby",)
    judged = _session().analysis() if analysis else None
    judged_games, marks = (judged["games"], judged["marks"]) if judged else ([], [])
    if judged:
        info["default-eval-context"] = judged["context"]
    games = [_game(game, read.length, boards) for game in read.games]
    for number, game in enumerate(games):
        actions = judged_games[number] if number < len(judged_games) else ()
        doubled = None
        for action in actions:
            if action["number"] >= len(game["game"]):
                continue
            entry = game["game"][action["number"]]
            if entry["action"] == "double":
                # A beaver has the values of the double.
                doubled = action["cube"] or doubled
                action = {**action, "cube": doubled}
            _add_analysis(entry, action, marks, bool(verbose))
    books = _session().statistics() if statistics else []
    for game, both in zip(games, books):
        game["stats"] = _stats(both, _session().analysis() is not None)
    crawford_over = False
    for game in games:
        # The first game in which a player needs one point is the Crawford game.
        if "crawford" in game["info"]:
            game["info"]["crawford"] = read.length > 1 and not crawford_over
            crawford_over = True
    if games and games[-1]["info"]["winner"] is None:
        # The file has no roll without its play.
        now = posinfo()
        actions = games[-1]["game"]
        rolled = bool(actions) and "dice" in actions[-1] and actions[-1]["action"] == "set"
        if all(now["dice"]) and not rolled:
            entry = {"dice": tuple(now["dice"]), "action": "set", "player": _PLAYERS[now["turn"]]}
            games[-1]["game"] = (*actions, entry)
    found: dict[str, Any] = {"match-info": info, "games": tuple(games)}
    if books:
        found["stats"] = _match_stats(books[-1], _session().analysis() is not None, read)
    return found


_PLAYERS = ("X", "O")


_SKILLS = ("doubtful", "bad", "very bad")
_ROLLS = ("verygood", "good", "unmarked", "bad", "verybad")
#: Cube faults in the order of `Console.statistics`.
_FAULTS = (
    "missed-double-below-cp",
    "missed-double-above-cp",
    "wrong-double-below-dp",
    "wrong-double-above-tg",
    "wrong-take",
    "wrong-drop",
)
_BEST_RATING = 2050.0


def _skill(loss: float | None, marks: Sequence[float]) -> str | None:
    """Returns the mark of a loss."""
    passed = sum(loss is not None and loss >= mark for mark in marks)
    return _SKILLS[passed - 1] if passed else None


def _add_analysis(entry: dict[str, Any], action: dict[str, Any], marks: Sequence[float], verbose: bool) -> None:
    """Adds the member `analysis` to an action."""
    found: dict[str, Any] = {}
    if action["cube"] and entry["action"] in ("move", "double"):
        probs, no_double, double_take, cubeless = action["cube"]
        found |= {"type": "eval", "probs": tuple(probs)}
        found |= {"nd-cubeful-eq": no_double, "dt-cubeful-eq": double_take}
        if verbose:
            found |= {"nd-match-eq": cubeless, "dt-match-eq": cubeless}
    if entry["action"] == "move":
        if action["plays"] and entry["move"]:
            plays, (played, rank) = list(action["plays"]), action["played"]
            if rank > len(plays):
                plays.append(played)
                rank = len(plays)
            found["moves"] = tuple(
                {"type": "eval", "move": _by_dice(steps), "probs": tuple(probs), "score": score}
                for steps, probs, score in plays
            )
            found["imove"] = rank - 1
        if action["luck"] is not None:
            found["luck-value"] = action["luck"]
            names = ("verybad", "bad", None, "good", "verygood")
            name = names[sum(action["luck"] > bound for bound in _LUCK)]
            if name:
                found["luck"] = name
        cube_skill = _skill(action["cube_loss"], marks)
        if cube_skill:
            found["cube-skill"] = cube_skill
    skill = _skill(action["loss"], marks)
    if skill:
        found["skill"] = skill
    if found:
        entry["analysis"] = found


def _stats(both: Sequence[dict[str, Any]], judged: bool) -> dict[str, Any]:
    """Returns the member `stats` of a game: without an analysis the numbers of plays and the result only."""
    return {player: _player_stats(own, judged) for player, own in zip(_PLAYERS, both)}


def _player_stats(own: dict[str, Any], judged: bool) -> dict[str, Any]:
    plays, emg, cost = own["plays"]
    marked = sum(own["play_marks"])
    moves = {
        "unforced-moves": own["unforced"],
        "total-moves": plays,
        "error-skill": emg,
        "error-cost": cost,
        "marked": {**dict(zip(reversed(_SKILLS), reversed(own["play_marks"]))), "unmarked": plays - marked},
    }
    total, emg, cost = own["cube"]
    cube: dict[str, Any] = {"total-cube": total, "close-cube": own["close"]}
    cube |= zip(("n-doubles", "n-takes", "n-drops"), own["turned"] if judged else (0, 0, 0))
    cube |= {name: fault[0] for name, fault in zip(_FAULTS, own["faults"])}
    for name, (_, lost, points) in zip(_FAULTS, own["faults"]):
        cube |= {f"err-{name}-skill": lost, f"err-{name}-cost": points}
    # The original divides these two by the number of close decisions, and no other sum.
    close = max(1, own["close"])
    cube |= {"error-skill": emg / close, "error-cost": cost / close}
    _, luck, points = own["luck"]
    dice: dict[str, Any] = {"luck": luck, "luck-cost": points}
    dice |= zip(("actual-result", "luck-adjusted-result"), own["results"])
    dice["marked-rolls"] = dict(reversed(list(zip(_ROLLS, own["rolls"]))))
    return {"moves": moves, "cube": cube, "dice": dice}


def _match_stats(both: Sequence[dict[str, Any]], judged: bool, read: _gammond.Match) -> dict[str, Any]:
    """Returns the member `stats` of the match."""
    found = _stats(both, judged)
    for own, stats in zip(both, found.values()):
        if not read.length:
            if len(read.games) < 2:
                continue
            (actual, actual_ci), (adjusted, adjusted_ci) = own["per_game"]
            stats["ppg-advantage"] = {
                "actual": actual,
                "actual-ci": actual_ci,
                "luck-adjusted": adjusted,
                "luck-adjusted-ci": adjusted_ci,
            }
            continue
        if own["fibs_difference"] is not None:
            stats["dice"]["fibs-rating-difference"] = own["fibs_difference"]
        plays, cube = own["rating_loss"]
        rating = {"total": _BEST_RATING - (plays or 0.0) - (cube or 0.0)}
        rating |= {name: lost for name, lost in (("chequer", plays), ("cube", cube)) if lost is not None}
        stats["error-based-fibs-rating"] = rating
    return found


def _result(read: _gammond.Match) -> int:
    """Returns 1 if player O leads a session, -1 if player X does."""
    points = [0, 0]
    for game in read.games:
        if game["result"]:
            winner, won = game["result"]
            points[winner] += won
    return (points[1] > points[0]) - (points[1] < points[0])


def _game(game: dict[str, Any], length: int, boards: int) -> dict[str, Any]:
    """Converts a game to the original's dictionary."""
    first, second = game["scores"]
    info: dict[str, Any] = {"score-X": first, "score-O": second}
    if length and length - 1 in (first, second):
        info["crawford"] = False
    # Position IDs are those of the player on roll.
    position, on_roll, cube = Position(), None, 1
    found: list[dict[str, Any]] = []
    for player, kind, value in game["actions"]:
        if kind == "set-up":
            # The position is seen by the player whom the entry names.
            position, cube, on_roll = value[0], value[1], player
            found.append({"board": str(position), "action": "set"})
            continue
        if on_roll is not None and player != on_roll and kind in ("play", "rolled", "double"):
            position = position.swapped()
        if kind in ("play", "rolled", "double"):
            on_roll = player
        entry: dict[str, Any] = {}
        if kind == "play":
            roll, steps = value
            dice = tuple(sorted((int(roll[0]), int(roll[-1])), reverse=True))
            entry = {"dice": dice, "move": _by_dice(steps)}
            if boards:
                entry["board"] = str(position)
            entry["action"] = "move"
            position = position.apply(position.play(roll, position.steps_text(steps) if steps else ""))
            # `apply` turns the board to the opponent, who is on roll.
            on_roll = 1 - player
        elif kind == "rolled":
            entry = {"dice": tuple(sorted((int(value[0]), int(value[-1])), reverse=True)), "action": "set"}
        elif kind in ("double", "beaver"):
            cube = value
            if boards:
                entry["board"] = str(position)
            entry["action"] = "double"
        else:
            entry["action"] = "drop" if kind == "pass" else kind
        found.append({**entry, "player": _PLAYERS[player]})
    if game["result"] is None:
        info["winner"] = None
    else:
        winner, points = game["result"]
        dropped = bool(found) and found[-1]["action"] == "drop"
        resigned = not (dropped or position.is_over)
        info |= {"winner": _PLAYERS[winner], "points-won": points, "resigned": resigned}
        if resigned:
            games = max(1, points // cube)
            found.append({"action": "resign", "player": _PLAYERS[1 - winner], "points": games})
    return {"info": info, "game": tuple(found)}


def _by_dice(steps: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Sorts the steps of a play by the dice, the higher one first, where the checker that moves allows it."""
    sorted_steps = sorted(steps, key=lambda step: step[1] - step[0])
    chained = any(one[1] == other[0] for one in steps for other in steps)
    return tuple((int(start), int(end)) for start, end in (steps if chained else sorted_steps))


def navigate(*args: Any) -> Any:
    """Moves through the match: (next, game) steps."""
    step = int(args[0]) if args else 0
    if step:
        _quietly(f"{'next' if step > 0 else 'previous'} {abs(step)}")
    return None


def nextturn() -> None:
    """Plays the next turn."""
    _quietly("play")


def show(text: str) -> str:
    """Returns the output of the console command `show`."""
    return _quietly(f"show {text}")


def updateui() -> None:
    """Does nothing: there is no window."""
