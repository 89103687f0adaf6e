"""The engine with rankings for notebooks, futures and asyncio, on top of the compiled `Engine`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from html import escape
from typing import Any, TypeVar

from . import _gammond
from ._gammond import MatchState, Position, RankedPlay, Roll

T = TypeVar("T")

#: Number of `Engine.submit` calls that run at the same time.
SUBMIT_THREADS = 8


class Ranking(tuple[RankedPlay, ...]):
    """The plays of a roll, best first. A notebook shows it as a table."""

    __slots__ = ()

    def __str__(self) -> str:
        lines = (
            f"{number:3}. {one.play!s:<28} {one.equity:+.4f} ({-one.loss:+.4f})"
            for number, one in enumerate(self, 1)
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><td>{number}</td><td>{escape(str(one.play))}</td><td>{one.equity:+.4f}</td>"
            f"<td>{-one.loss:+.4f}</td><td>{one.chances.win:.1%}</td>"
            f"<td>{one.chances.win_gammon:.1%}</td><td>{one.chances.lose_gammon:.1%}</td></tr>"
            for number, one in enumerate(self, 1)
        )
        head = "<tr><th></th><th>play</th><th>equity</th><th>loss</th><th>win</th><th>gammon</th><th>lost gammon</th></tr>"
        return f"<table>{head}{''.join(rows)}</table>"


class Engine(_gammond.Engine):
    """The engine: owns nets, tables, cache and threads, and evaluates positions.

    Every method releases the interpreter while it computes, may be called from any number of threads, and gives the
    same bits as the program `gammond` for the same query. A deep search and a rollout stop on Ctrl-C.

    Args:
        nets: ``embedded`` (default), ``embedded:fast``, a folder of nets, gnubg's ``gnubg.wd`` or ``gnubg.weights``,
            or a net of PureTD (``.pt``).
        plies: default look-ahead of calls, 0 to 4.
        bearoff: a folder with bearoff databases.
        met: name or file of a match equity table.
        threads: number of compute threads; 0 for one per processor.
        cache_mb: size of the evaluation cache, in megabytes.
    """

    _executor: ThreadPoolExecutor | None = None

    def best_plays(
        self,
        position: Position | str,
        roll: Roll | str | tuple[int, int],
        state: MatchState | None = None,
        plies: int | None = None,
        top: int | None = None,
        cubeful: bool = True,
        level: str | None = None,
        filter: str | None = None,
        prune: bool = True,
    ) -> Ranking:
        """Returns the legal plays of a roll, best first; if no checker can move, the pass alone."""
        found = super().best_plays(position, roll, state, plies, top, cubeful, level, filter, prune)
        return Ranking(found)

    def submit(self, method: Callable[..., T] | str, /, *args: Any, **kwargs: Any) -> Future[T]:
        """Calls a method of this engine on another thread and returns its future.

        >>> future = Engine(threads=1).submit("evaluate", "4HPwATDgc/ABMA")
        >>> future.result().plies
        0
        """
        call = getattr(self, method) if isinstance(method, str) else method
        if self._executor is None:
            self._executor = ThreadPoolExecutor(SUBMIT_THREADS, "gammond")
        return self._executor.submit(call, *args, **kwargs)

    async def run(self, method: Callable[..., T] | str, /, *args: Any, **kwargs: Any) -> T:
        """Awaits a method of this engine: ``await engine.run("rollout", position, trials=1296)``."""
        return await asyncio.wrap_future(self.submit(method, *args, **kwargs))


_default: Engine | None = None


def default_engine() -> Engine:
    """Returns the engine that functions without an `engine` argument share: embedded nets, all processors."""
    global _default
    if _default is None:
        _default = Engine()
    return _default
