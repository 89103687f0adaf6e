"""Modules with the names and shapes that scripts for gnubg already use.

`gammond.compat.gnubg_nn` stands for the package `gnubg_nn`, `gammond.compat.gnubg` for the module inside gnubg. Both
answer with the nets of this package; `use_nets` chooses others, such as gnubg's own ``gnubg.wd``. The bare names
`gnubg_nn` and `gnubg` are installed on request alone: ``python -m gammond.compat install-names``.
"""

from __future__ import annotations

import os

from .._engine import Engine

_engine: Engine | None = None


def engine() -> Engine:
    """Returns the engine of both modules: the nets of `use_nets` or of the variable GAMMOND_NETS, else the package's."""
    global _engine
    if _engine is None:
        _engine = Engine(nets=os.environ.get("GAMMOND_NETS"))
    return _engine


def use_nets(nets: str | os.PathLike[str] | None) -> Engine:
    """Makes both modules answer with these nets: a folder of ours, ``gnubg.wd`` or ``gnubg.weights``."""
    global _engine
    _engine = Engine(nets=nets)
    return _engine


__all__ = ["engine", "use_nets"]
