"""Replacements for the modules of scripts that are written for gnubg, with the same names and shapes.

`gammond.compat.gnubg_nn` replaces the package `gnubg_nn`, `gammond.compat.gnubg` the module inside gnubg. Both
use the nets of this package; `use_nets` selects others, such as gnubg's own ``gnubg.wd``. The bare names
`gnubg_nn` and `gnubg` are installed only on request: ``python -m gammond.compat install-names``.
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
    """Selects the nets of both modules: a folder of gammond's, ``gnubg.wd`` or ``gnubg.weights``."""
    global _engine
    _engine = Engine(nets=nets)
    return _engine


__all__ = ["engine", "use_nets"]
