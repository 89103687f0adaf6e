"""The engine with rankings for notebooks, futures and asyncio, on top of the compiled `Engine`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from functools import partial
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from . import _gammond
from ._gammond import MatchState, Position, RankedPlay, Roll

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import PlaySettings

T = TypeVar("T")

#: Number of `Engine.submit` calls that run at the same time.
SUBMIT_THREADS = 8


def _plain(name: str, value: Any) -> Any:
    """Returns the value of a setting as JSON has it; a number of numpy is one."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{name}: {value}, expected a finite number")
    return value


class Ranking(tuple[RankedPlay, ...]):
    """The plays of a roll, best first. A notebook shows it as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        lines = (
            f"{number:3}. {one.play!s:<28} {one.equity:+.4f} ({0 - one.loss:+.4f})"
            for number, one in enumerate(self, 1)
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td>{number}</td><td>{escape(str(one.play))}</td><td>{one.equity:+.4f}</td>"
            f"<td>{0 - one.loss:+.4f}</td><td>{one.chances.win:.1%}</td>"
            f"<td>{one.chances.win_gammon:.1%}</td><td>{one.chances.lose_gammon:.1%}</td></tr>"
            for number, one in enumerate(self, 1)
        )
        head = "<tr><th></th><th>play</th><th>equity</th><th>loss</th><th>win</th><th>gammon</th><th>lost gammon</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


class _Work(Future[T]):
    """A call on another thread. `cancel` also ends a search or rollout that has begun; Ctrl-C in `result` cancels it."""

    def __init__(self, call: Callable[[], T]) -> None:
        super().__init__()
        self._call = call
        self._stop = _gammond.StopToken()
        _works.add(self)

    def perform(self) -> None:
        """Makes the call, on a thread of the executor."""
        if not self.set_running_or_notify_cancel():
            return
        try:
            found = self._stop.call(self._call)
        except BaseException as error:
            self.set_exception(CancelledError() if self._stop.triggered else error)
        else:
            if self._stop.triggered:
                self.set_exception(CancelledError())
            else:
                self.set_result(found)

    def cancel(self) -> bool:
        """Cancels the call. One that has begun ends soon, and `result` then raises `CancelledError`."""
        if self.done():
            return super().cancel()
        self._stop.trigger()
        super().cancel()
        return True

    def result(self, timeout: float | None = None) -> T:
        """Returns the result of the call, or raises its exception."""
        try:
            return super().result(timeout)
        except KeyboardInterrupt:
            self.cancel()
            raise


_works: WeakSet[_Work[Any]] = WeakSet()


def _cancel_after_interrupt() -> None:
    """Cancels all calls if Ctrl-C ended the program, which otherwise waits for them."""
    if getattr(sys, "last_type", None) is KeyboardInterrupt:
        for work in list(_works):
            work.cancel()


# `atexit` runs its functions after the threads of executors have ended. Without this private function of CPython,
# Ctrl-C ends the program once all calls have ended.
getattr(threading, "_register_atexit", lambda hook: None)(_cancel_after_interrupt)


class Engine(_gammond.Engine):
    """The engine: owns nets, tables, cache and threads, and evaluates positions.

    Every method releases the interpreter while it computes, may be called from any number of threads, and gives the
    same bits as the program `gammond` for the same query. A deep search and a rollout stop on Ctrl-C, also those of
    `submit` and `run`. In a process made by ``fork`` the engine has threads of its own.

    Args:
        nets: ``embedded`` (default), ``embedded:fast``, a folder of nets, gnubg's ``gnubg.wd`` or ``gnubg.weights``,
            or a net of PureTD (``.pt``).
        plies: default look-ahead of calls, 0 to 4.
        bearoff: a folder with bearoff databases.
        met: name or file of a match equity table.
        threads: number of compute threads; 0 for one per processor.
        cache_mb: size of the evaluation cache, in megabytes.
        settings: other defaults of calls but `rollout`, such as ``level="roller"``: see `gammond.settings`.
    """

    #: The threads of `submit` and the process that has them.
    _executor: tuple[int, ThreadPoolExecutor] | None = None

    def best_plays(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int] | None = None,
        state: MatchState | None = None,
        plies: int | None = None,
        **settings: Unpack[PlaySettings],
    ) -> Ranking:
        """Returns the legal plays of a roll, best first; if no checker can move, the pass alone.

        Without `roll` and `state` they are those of the text of the position.
        """
        return Ranking(super().best_plays(position, roll, state, plies, **settings))

    def ask(
        self,
        verb: str,
        position: Position | str,
        roll: Roll | str | tuple[int, int] | None = None,
        state: MatchState | None = None,
        *,
        plays: Sequence[str] | None = None,
        cube: bool = False,
        **settings: Any,
    ) -> dict[str, Any]:
        """Returns the answer to a request of the line protocol: rolls, scores, cubes, move, cube, eval and all others.

        The answer has the members that the protocol's document names, with the settings of this engine where the call
        has no others. `cube` asks for the decision about the cube where the position has dice.

        >>> Engine(threads=1).ask("cubes", "4HPwATDgc/ABMA", "31")["changes"]
        False
        """
        if isinstance(position, Position):
            state = state or MatchState()
            position = position.to_text()
        request: dict[str, Any] = {"verb": verb, "position": position}
        if roll is not None:
            request["roll"] = list(roll) if isinstance(roll, tuple) else str(roll)
        if plays is not None:
            request["plays"] = [str(play) for play in plays]
        if cube:
            request["cube"] = True
        if state is not None:
            names = ["length", "score", "crawford", "jacoby", "beavers", "cube", "owner", "variant"]
            settings = {name: getattr(state, name) for name in names} | settings
        request["settings"] = {name: _plain(name, value) for name, value in settings.items()}
        answer: dict[str, Any] = json.loads(self._ask(json.dumps(request)))
        return answer

    def submit(self, method: Callable[..., T] | str, /, *args: Any, **kwargs: Any) -> Future[T]:
        """Calls a method of this engine on another thread and returns its future.

        `cancel` of the future also ends a deep search or rollout that has begun.

        >>> future = Engine(threads=1).submit("evaluate", "4HPwATDgc/ABMA")
        >>> future.result().plies
        0
        """
        call = getattr(self, method) if isinstance(method, str) else method
        if self._executor is None or self._executor[0] != os.getpid():
            self._executor = os.getpid(), ThreadPoolExecutor(SUBMIT_THREADS, "gammond")
        work: _Work[T] = _Work(partial(call, *args, **kwargs))
        self._executor[1].submit(work.perform)
        return work

    async def run(self, method: Callable[..., T] | str, /, *args: Any, **kwargs: Any) -> T:
        """Awaits a method of this engine: ``await engine.run("rollout", position, trials=1296)``.

        A search or rollout ends with its task.
        """
        return await asyncio.wrap_future(self.submit(method, *args, **kwargs))


_default: Engine | None = None


def default_engine() -> Engine:
    """Returns the engine that functions without an `engine` argument share: embedded nets, all processors."""
    global _default
    if _default is None:
        _default = Engine()
    return _default
