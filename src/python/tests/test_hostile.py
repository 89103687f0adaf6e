"""Wrong arguments of every kind: each raises `ValueError` or `TypeError` that names the argument, or is answered."""

import asyncio
import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import gammond
from gammond import Engine, Game, Match, MatchPlay, MatchState, Player, Position, Roll, arrays, datasets
from gammond.compat import gnubg, gnubg_nn
from gammond.env import VectorEnv

ENGINE = Engine(threads=2, cache_mb=1)
START = "4HPwATDgc/ABMA"

#: Names of arguments that an error may begin with, and a call with one strange argument.
CALLS: list[tuple[tuple[str, ...], Callable[[Any], object]]] = [
    (("text",), Position.parse),
    (("text",), gammond.parse),
    (("first", "second"), lambda one: Roll(one, 3)),
    (("first", "second"), lambda one: Roll(3, one)),
    (("text",), Roll.parse),
    (("me",), lambda one: Position(one, [1])),
    (("opponent",), lambda one: Position([1], one)),
    (("roll",), lambda one: Position().legal_plays(one)),
    (("text",), lambda one: Position().play("31", one)),
    (("form",), lambda one: Position().to_text(one)),
    (("theme",), lambda one: Position().svg(theme=one)),
    (("width",), lambda one: Position().png(width=one)),
    (("length", "score"), lambda one: MatchState(one)),
    (("score",), lambda one: MatchState(5, one)),
    (("cube",), lambda one: MatchState(cube=one)),
    (("owner",), lambda one: MatchState(owner=one)),
    (("length",), lambda one: Match(one)),
    (("names",), lambda one: Match(3, one)),
    (("source",), lambda one: Match.read(one)),
    (("scores",), lambda one: Match(3).add_game(one, [])),
    (("actions",), lambda one: Match(3).add_game((0, 0), one)),
    (("actions",), lambda one: Match(3).add_game((0, 0), [(0, "play", one)])),
    (("result", "player"), lambda one: Match(3).add_game((0, 0), [], one)),
    (("spec",), Player),
    (("position",), ENGINE.evaluate),
    (("state",), lambda one: ENGINE.evaluate(START, one)),
    (("plies",), lambda one: ENGINE.evaluate(START, plies=min(one, 1) if isinstance(one, int) else one)),
    (("roll",), lambda one: ENGINE.best_plays(START, one)),
    (("top",), lambda one: ENGINE.best_plays(START, "31", top=one)),
    (("level",), lambda one: ENGINE.best_plays(START, "31", level=one)),
    (("filter",), lambda one: ENGINE.best_plays(START, "31", filter=one)),
    (("position",), ENGINE.cube),
    (("position",), lambda one: ENGINE.rollout(one, trials=36)),
    (("seed",), lambda one: ENGINE.rollout(START, trials=36, seed=one)),
    (("truncate",), lambda one: ENGINE.rollout(START, trials=36, truncate=one)),
    (("plays",), lambda one: ENGINE.rollout(START, "31", trials=36, plays=one)),
    (("match", "r#match"), lambda one: ENGINE.analyse(one)),
    (("plies",), lambda one: ENGINE.analyse(Match(), plies=min(one, 1) if isinstance(one, int) else one)),
    (("error",), lambda one: ENGINE.rollout(START, trials=36, error=one)),
    (("steps",), lambda one: Position().steps_text([(one, 1)])),
    (("player", "actions"), lambda one: Match(3).add_game((0, 0), [(one, "take", None)])),
    (("threads",), lambda one: Engine(threads=1 if isinstance(one, int) and abs(one) < 8 else one)),
    (("n",), lambda one: VectorEnv(one)),
    (("seed",), lambda one: VectorEnv(1, seed=one)),
    (("opponent",), lambda one: VectorEnv(1, opponent=one)),
    (("actions",), lambda one: VectorEnv(3).step(one)),
    (("length",), lambda one: MatchPlay(one)),
    (("dice", "first", "second", "text"), lambda one: Game().roll(one)),
    (("boards",), lambda one: arrays.best(one, np.ones((1, 2), np.int8), engine=ENGINE)),
    (("dice",), lambda one: arrays.best(arrays.start(), one, engine=ENGINE)),
    (("boards",), lambda one: arrays.cube(one, engine=ENGINE)),
    (("name",), lambda one: arrays.features(arrays.start(), one)),
    (("board",), lambda one: datasets.save("never.npy", board=one)),
]

STRANGE: list[Any] = [
    None, True, -1, 0, 7, 2**31, 2**63, -(2**70), 10**40, 1.5, -0.0, math.nan, math.inf, 3j, "", " ", "hello", "\0", "\ud800",
    "31", "99", "🎲" * 50, "4HPwATDgc/ABMA" * 100, "XGID=" + "-" * 26, "a" * 100_000, b"", b"\xff" * 50, [], [1, 2], [-1] * 25, [16] * 26,
    [2**70], [None], (3, 1), (0, 0), (-1, 2), (2**40, 1), (1, 2, 3), {}, {"a": 1}, {1, 2}, object(), int, print, range(5),
    np.int64(5), np.float32(1.5), np.array([3, 1]), np.zeros((2, 26)), np.array("x"), memoryview(b"abc"), Position(), Roll(3, 1),
    MatchState(), ..., NotImplemented,
]


@pytest.mark.parametrize(("names", "call"), [pytest.param(*one, id=str(number)) for number, one in enumerate(CALLS)])
def test_strange_arguments_are_named_or_answered(names: tuple[str, ...], call: Callable[[Any], object], tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = 0
    for value in STRANGE:
        try:
            call(value)
        except (ValueError, TypeError) as error:
            text = str(error)
            # Errors of the conversion of arguments name them in a note, which CPython has since 3.11.
            notes = [f"while processing '{name}'" for name in names]
            named = text.startswith(tuple(f"{name}: " for name in names)) or {*notes} & {*getattr(error, "__notes__", ())}
            named = named or sys.version_info < (3, 11)
            assert named and "\n" not in text, (value, text, getattr(error, "__notes__", ()))
            refused += 1
        except OSError as error:
            # A text may be the name of a file.
            assert isinstance(value, str) and names == ("source",), (value, error)
            refused += 1
    assert refused > len(STRANGE) / 3


def test_strange_arguments_are_more_than_a_thousand() -> None:
    assert len(CALLS) * len(STRANGE) > 1000


@pytest.mark.parametrize("module", [gnubg_nn, gnubg], ids=["gnubg_nn", "gnubg"])
def test_compatible_modules_refuse_strange_arguments_with_python_errors(module) -> None:
    gnubg._console = None
    functions = [getattr(module, name) for name in dir(module) if not name.startswith("_")]
    functions = [one for one in functions if callable(one) and getattr(one, "__module__", None) == module.__name__]
    assert len(functions) > 15
    for function in functions:
        if function.__name__ in ("command", "show", "net_save", "set"):
            continue
        for value in STRANGE[::3] if module is gnubg else STRANGE:
            try:
                function(value)
            except (ValueError, TypeError, RuntimeError, OSError, NotImplementedError, KeyError, AttributeError, IndexError):
                pass
            except OverflowError:
                assert isinstance(value, (int, float)) or value in ([2**70], (2**40, 1)), (function, value)


def test_ten_threads_and_asyncio_at_once() -> None:
    """Ten threads, an event loop, rollouts with callbacks and arrays share one engine: the bits of a single thread."""
    texts = [START, "sGfwATDgc/ABMA", "4HPiASjgc/ABMA", "0HPwASLgc/ABMA", "2G1BMBhsnncAAA"]
    boards = arrays.from_positions([Position.parse(text) for text in texts] * 40)
    dice = np.tile([[3, 1], [6, 5]], (100, 1))

    def everything() -> list[Any]:
        ranked = ENGINE.best_plays(texts[0], "31", plies=1)
        reports: list[int] = []
        rolled = ENGINE.rollout(texts[0], trials=36, progress=lambda known: reports.append(1))
        after, equities = arrays.best(boards, dice, engine=ENGINE)
        return [
            [ENGINE.evaluate(text, plies=1).equity for text in texts],
            [(str(one.play), one.equity) for one in ranked],
            (rolled.candidates[0].equity, bool(reports)),
            arrays.evaluate(boards, engine=ENGINE).tobytes(),
            (after.tobytes(), equities.tobytes()),
            [ENGINE.cube(text).equity for text in texts],
        ]

    want = everything()

    async def awaited() -> list[float]:
        runs = [ENGINE.run("evaluate", text, plies=1) for text in texts for _ in range(4)]
        return [found.equity for found in await asyncio.gather(*runs)]

    with ThreadPoolExecutor(11) as pool:
        loop = pool.submit(lambda: [asyncio.run(awaited()) for _ in range(5)])
        runs = [pool.submit(everything) for _ in range(12)]
        assert all(run.result() == want for run in runs)
        assert loop.result() == [[equity for equity in want[0] for _ in range(4)]] * 5


SLEEPER = """
import asyncio, signal, sys, threading
import numpy as np
from gammond import Engine, arrays
signal.signal(signal.SIGINT, signal.default_int_handler)
engine = Engine(threads=2, cache_mb=1)
work = {
    "rollout": lambda: engine.rollout("4HPwATDgc/ABMA", trials=1 << 22),
    "cube": lambda: engine.rollout("4HPwATDgc/ABMA", trials=1 << 22, cube=True),
    "search": lambda: [engine.evaluate("4HPwATDgc/ABMA", plies=4, prune=False) for _ in range(1000)],
    "boards": lambda: arrays.evaluate(np.repeat(arrays.start(), 1 << 20, axis=0), 1, engine),
    "submitted": lambda: engine.submit("rollout", "4HPwATDgc/ABMA", trials=1 << 22).result(),
    "awaited": lambda: asyncio.run(engine.run("rollout", "4HPwATDgc/ABMA", trials=1 << 22)),
}[sys.argv[1]]
print("begins", flush=True)
try:
    work()
except KeyboardInterrupt:
    print("interrupted", engine.evaluate("4HPwATDgc/ABMA").plies, flush=True)
"""


@pytest.mark.parametrize("work", ["rollout", "cube", "search", "boards", "submitted", "awaited"])
def test_interrupt_ends_long_work_and_the_engine_goes_on(work: str) -> None:
    """Ctrl-C from outside, several times: one exception, and the engine answers afterwards."""
    child = subprocess.Popen([sys.executable, "-c", SLEEPER, work], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begins\n"
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    try:
        out, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    print(f"{work} ended after {1000 * (time.monotonic() - sent):.0f} ms")
    assert out == "interrupted 0\n" and child.returncode == 0


def test_interrupt_elsewhere_ends_the_program_with_its_submitted_work() -> None:
    """Ctrl-C while no result is awaited: the program does not wait for the rollouts that it has begun."""
    code = """if True:
        import signal, time
        from gammond import Engine
        signal.signal(signal.SIGINT, signal.default_int_handler)
        engine = Engine(threads=2, cache_mb=1)
        futures = [engine.submit("rollout", "4HPwATDgc/ABMA", trials=1 << 22) for _ in range(20)]
        print("begins", flush=True)
        # Short ones: a signal just before a sleep begins is seen when it ends.
        for _ in range(6000):
            time.sleep(0.1)
    """
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begins\n"
    child.send_signal(signal.SIGINT)
    try:
        _, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert errors.splitlines()[-1] == "KeyboardInterrupt" and child.returncode == -signal.SIGINT


FORKS = """
import os, sys
import numpy as np
from gammond import Engine, Match, Player, Position, arrays
from gammond.compat import gnubg
from gammond.env import VectorEnv
boards, dice, start = arrays.start(2000), np.tile([[3, 1]], (2000, 1)), "4HPwATDgc/ABMA"
engine, player, env = Engine(threads=2, cache_mb=1), Player("gammond:plies=1"), VectorEnv(200, opponent="gammond:plies=0", seed=1)

def work():
    env.reset(seed=1)
    return [
        arrays.pips(boards).tobytes(), arrays.afterstates(boards, dice)[0].tobytes(),
        arrays.features(boards, "tesauro").tobytes(), arrays.evaluate(boards, engine=engine).tobytes(),
        arrays.best(boards[:4], dice[:4], 1, engine)[0].tobytes(),
        [str(one) for one in engine.best_plays(start, "31", plies=2)], engine.cube(start, plies=1).equity,
        engine.rollout(start, trials=36).candidates[0].equity, engine.submit("evaluate", start, plies=1).result().equity,
        str(player.play(Position(), "31")), repr(engine.analyse(Match())), repr(engine),
        env.afterstates()[0].tobytes(), env.step(np.zeros(200, np.int64)).boards.tobytes(),
    ]

def session():
    try:
        return gnubg.command("set gnubgid 4HPwATDgc/ABMA:cAkKAAAAAAAA")
    except RuntimeError as error:
        return str(error)

want = work()
session()
for generation in range(2):
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert work() == want and work() == want and "fork" in session()
print("same", flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="SKIPPED: this system has no fork")
def test_forked_processes_answer_like_their_parent() -> None:
    """`fork` copies no thread: a child, and its child, get threads of their own for everything that had some."""
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", FORKS], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        out, _ = child.communicate(timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    # The console of the parent writes to standard output.
    assert out.endswith("\nsame\n") and child.returncode == 0


def test_interrupt_of_a_thread_beside_the_main_one_reaches_it() -> None:
    """A rollout on another thread goes on to its end while the main thread gets its own exception."""
    done = threading.Event()
    result: list[int] = []

    def work() -> None:
        result.append(ENGINE.rollout(START, trials=72).candidates[0].trials)
        done.set()

    helper = threading.Thread(target=work)
    helper.start()
    with pytest.raises(ZeroDivisionError):
        ENGINE.rollout(START, trials=1 << 20, progress=lambda known: 1 / 0)
    helper.join()
    assert done.is_set() and result == [72]
